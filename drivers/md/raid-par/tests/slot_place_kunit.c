// SPDX-License-Identifier: GPL-2.0
/*
 * Where slots lie, compared with slow and simple references: regions from the formulas of slots.md
 * in whole chunks, which must not fit with one chunk more; tracts that are laid out one chunk after
 * the other; and each sector's image has a place of its own.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "pure/slot-place.h"
#include "layouts.h"

#define MASKS		255U	/* every set of gears up to 8 members */
#define TERA		1000000000000ULL
#define PLACES		65536U	/* chunks of a member, images of a region */

static const u32 children[] = { CHILD_RAID5, CHILD_RAID6, CHILD_RAID0 };

/* ---- the reference: all in chunks, gears from 1 ---- */

struct reference {
	unsigned int parities, gears, gear[PAR_MAX_MEMBERS + 1];
	u64 region[PAR_MAX_MEMBERS + 1];
	u64 slots[PAR_MAX_MEMBERS + 1];
	u64 upper, total;	/* needed by a sleeper, and by a member that never sleeps */
};

static void ref_gears(struct reference *ref, const struct par_slot_ask *ask)
{
	static const unsigned int parities[] = { 1, 2, 0 };
	unsigned int n;

	memset(ref, 0, sizeof(*ref));
	ref->parities = parities[ask->layout >> 28];
	for (n = 1; n <= 28; n++)
		if (ask->layout & GEAR(n))
			ref->gear[++ref->gears] = n;
}

static u64 ref_ceil(u64 value, u64 unit)
{
	u64 whole = div64_u64(value, unit);

	return whole * unit < value ? whole + 1 : whole;
}

static void ref_lay_out(struct reference *ref, const struct par_slot_ask *ask, u32 run, u64 home)
{
	unsigned int i;

	ref->total = home;
	ref->region[ref->gears] = home;
	for (i = ref->gears - 1; i >= 1; i--) {
		unsigned int band = ref->gear[i + 1] - ref->gear[i];
		u64 sectors, all = ref->total * ask->chunk;

		if (ask->share < 100)
			ref->slots[i] = ref_ceil(ref_ceil(all, run) * ask->share, 100);
		sectors = ask->share == 100 ? all * band : ref->slots[i] * run * band;
		sectors = ref_ceil(sectors, ref->gear[i] - ref->parities);
		ref->region[i] = ref_ceil(sectors, ask->chunk);
		ref->upper = ref->total;
		ref->total += ref->region[i];
	}
}

static bool ref_fits(const struct reference *ref, const struct par_slot_ask *ask, u64 front)
{
	/* Images of all data: larger members that never sleep are not used in full. */
	u64 steady = ask->share < 100 ? ask->steady : ask->sleeper;

	return front + ref->upper * ask->chunk <= ask->sleeper &&
	       front + ref->total * ask->chunk <= steady;
}

/* More slots in the lowest region would not fit, or there are as many as runs. */
static const char *judge_growth(const struct par_geometry *geo, const struct reference *ref,
				const struct par_slot_ask *ask)
{
	const struct par_band *band = &geo->band[1];
	unsigned int data = ref->gear[1] - ref->parities;
	u64 more = (band->slots + 1) * geo->run_sectors * band->imaged;
	u64 upper = geo->meta_sectors + ref->upper * ask->chunk;
	u64 region = ref_ceil(ref_ceil(more, data), ask->chunk) * ask->chunk;

	if (band->slots < ref->slots[1] || band->slots > band->runs)
		return "fewer slots than the share, or more than runs";
	if (upper + geo->set[1].sectors > ask->steady)
		return "the lowest region has grown beyond the member";
	if (band->slots < band->runs && upper + region <= ask->steady)
		return "the lowest region could have a slot more";
	return NULL;
}

/* What is wrong with the sizes; NULL: nothing. */
static const char *judge_sizes(const struct par_geometry *geo, const struct par_slot_ask *ask)
{
	u64 front = geo->meta_sectors, home, blocks = 0;
	struct reference ref;
	unsigned int i;

	ref_gears(&ref, ask);
	home = div_u64(geo->set[ref.gears].sectors, ask->chunk);
	ref_lay_out(&ref, ask, geo->run_sectors, home + 1);
	if (ref_fits(&ref, ask, front))
		return "the home region could be larger";
	ref_lay_out(&ref, ask, geo->run_sectors, home);
	if (!home || !ref_fits(&ref, ask, front))
		return "the regions do not fit";
	for (i = ref.gears; i >= 1; i--) {
		bool grown = i == 1 && ask->share < 100;

		if (!grown && geo->set[i].sectors != ref.region[i] * ask->chunk)
			return "a region is not what the formula says";
		if (i < ref.gears)
			blocks += ask->share < 100 ? ref_ceil(geo->band[i].slots, 960) : 0;
	}
	if (blocks != geo->slot_blocks)
		return "the wrong number of blocks of the slot map";
	blocks += geo->intent_blocks + geo->map_blocks;
	if (front < 128 + 16 * blocks + ask->log)
		return "the metadata does not fit";
	if (geo->array_sectors != home * ask->chunk * (ref.gear[ref.gears] - ref.parities))
		return "the wrong capacity";
	return ask->share < 100 ? judge_growth(geo, &ref, ask) : NULL;
}

static void expect_place(struct kunit *test, struct par_geometry *geo,
			 const struct par_slot_ask *ask)
{
	enum par_geo_error why;
	enum par_slot_error err = par_slot_place_init(geo, ask, &why);
	const char *wrong;

	KUNIT_ASSERT_EQ_MSG(test, err, PAR_SLOT_OK, "0x%x, %u %%: %s", ask->layout, ask->share,
			    par_geo_strerror(why));
	wrong = judge_sizes(geo, ask);
	KUNIT_EXPECT_NULL_MSG(test, wrong, "0x%x, %u %%: %s", ask->layout, ask->share, wrong);
}

static struct par_geometry *alloc_geo(struct kunit *test)
{
	struct par_geometry *geo = kunit_kzalloc(test, sizeof(*geo), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, geo);
	return geo;
}

/* ---- sizes ---- */

/* Every set of gears up to eight members, every level, all shares in turn. */
static void sizes_against_reference(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	unsigned int child, share = 0, seen = 0;
	u32 mask;

	for (mask = 3; mask <= MASKS; mask++) {
		for (child = 0; child < ARRAY_SIZE(children); child++) {
			unsigned int least = child == 1 ? 4 : 2, times;

			if (hweight32(mask) < 2 || ffs(mask) < least)
				continue;
			for (times = 0; times < 4; times++) {
				struct par_slot_ask ask = {
					.layout = children[child] | mask,
					.disks = fls(mask),
					.chunk = KIB(64) << times,
					.steady = MIB(700 + 13 * times) + 5,
					.sleeper = MIB(700 + 13 * times) + 5,
					.share = share++ % 100 + 1,
				};

				expect_place(test, geo, &ask);
				/* Some members are larger, and there is a log. */
				ask.steady += MIB(100 * (times + 1));
				ask.log = MIB(8);
				expect_place(test, geo, &ask);
				seen++;
			}
		}
	}
	KUNIT_EXPECT_GT(test, seen, 1000);
}

/* The named layouts with all shares; some have a gear for each number of members. */
static void sizes_of_layouts(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	unsigned int i, share;

	for (i = 0; i < ARRAY_SIZE(par_kunit_layouts); i++) {
		const struct par_kunit_layout *in = &par_kunit_layouts[i];

		for (share = 1; share <= 100; share++) {
			struct par_slot_ask ask = {
				.layout = in->layout, .disks = in->disks, .chunk = in->chunk,
				.steady = 4 * in->dev, .sleeper = 4 * in->dev, .share = share,
			};

			expect_place(test, geo, &ask);
		}
	}
}

static const struct {
	unsigned int low, disks, share, tera;
	u64 array;	/* in chunks of 512 KiB */
} capacities[] = {
	{ 3, 5, 100, 32, 61034996 },
	{ 3, 5, 25, 51, 97655816 },
	{ 3, 5, 10, 58, 110972500 },
	{ 3, 8, 100, 32, 61034932 },
	{ 3, 8, 25, 69, 131459720 },
	{ 3, 8, 10, 90, 170897580 },
};

/* Members of 16 TB: the table of slots.md, and its memory. */
static void sizes_of_the_table(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(capacities); i++) {
		struct par_slot_ask ask = {
			.layout = GEAR(capacities[i].low) | GEAR(capacities[i].disks),
			.disks = capacities[i].disks, .chunk = KIB(512),
			.steady = 16 * TERA / 512, .sleeper = 16 * TERA / 512,
			.share = capacities[i].share,
		};
		u64 bytes, chunks;

		expect_place(test, geo, &ask);
		bytes = geo->array_sectors * 512;
		chunks = div_u64(geo->array_sectors, ask.chunk);
		KUNIT_EXPECT_EQ(test, div64_u64(bytes + TERA / 2, TERA), capacities[i].tera);
		KUNIT_EXPECT_EQ_MSG(test, chunks, capacities[i].array, "%u,%u, %u %%",
				    capacities[i].low, capacities[i].disks, ask.share);
		KUNIT_EXPECT_LE(test, par_slot_memory(geo), 64U << 20);
	}
}

/* Images of all data: the geometry of an array without slots, to the sector. */
static void all_is_as_without(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test), *plain = alloc_geo(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(par_kunit_layouts); i++) {
		const struct par_kunit_layout *in = &par_kunit_layouts[i];
		struct par_slot_ask ask = {
			.layout = in->layout, .disks = in->disks, .chunk = in->chunk,
			.steady = in->dev, .sleeper = in->dev, .log = i % 2 * in->chunk,
			.share = 100,
		};

		expect_place(test, geo, &ask);
		KUNIT_ASSERT_EQ(test, par_geometry_with_log(plain, in->layout, in->disks,
							    in->chunk, in->dev, ask.log),
				PAR_GEO_OK);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(plain, geo, sizeof(*geo)), 0, "%s", in->name);
		KUNIT_EXPECT_EQ(test, par_slot_memory(geo), 0);
	}
}

/* Huge members have larger runs, so that all maps are within the limit of memory. */
static void runs_of_huge_members(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	unsigned int share;
	u64 size;

	for (share = 1; share < 100; share += 14) {
		u32 last = 0;

		for (size = TERA / 512; size <= 4096 * TERA / 512; size *= 4) {
			struct par_slot_ask ask = {
				.layout = GEAR(3) | GEAR(5) | GEAR(8), .disks = 8,
				.chunk = KIB(512), .steady = size, .sleeper = size,
				.share = share,
			};

			expect_place(test, geo, &ask);
			KUNIT_EXPECT_LE(test, par_slot_memory(geo), 64U << 20);
			KUNIT_EXPECT_GE(test, geo->run_sectors, last);
			KUNIT_EXPECT_GE(test, geo->run_sectors, geo->seg_sectors);
			last = geo->run_sectors;
		}
		KUNIT_EXPECT_GT(test, last, PAR_RUN_MIN);
	}
}

static void errors_of_sizes(struct kunit *test)
{
	const struct par_slot_ask good = {
		.layout = GEAR(3) | GEAR(5), .disks = 5, .chunk = KIB(64),
		.steady = MIB(64), .sleeper = MIB(64), .share = 10,
	};
	struct par_geometry *geo = alloc_geo(test);
	struct par_slot_ask ask = good;
	enum par_geo_error why;

	ask.share = 0;
	KUNIT_EXPECT_EQ(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_SHARE);
	ask.share = 101;
	KUNIT_EXPECT_EQ(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_SHARE);
	ask = good;
	ask.run = 3 * PAR_SEG_MIN;
	KUNIT_EXPECT_EQ(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_RUN);
	ask = good;
	ask.tract = ask.chunk / 2;
	KUNIT_EXPECT_EQ(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_RUN);
	ask = good;
	ask.steady = ask.sleeper - 1;
	KUNIT_EXPECT_EQ(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_SMALLER);
	ask = good;
	ask.disks = 6;
	KUNIT_EXPECT_EQ(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_GEOMETRY);
	KUNIT_EXPECT_EQ(test, why, PAR_GEO_NOT_TOP);
	ask = good;
	ask.sleeper = KIB(64);
	ask.steady = KIB(64);
	KUNIT_EXPECT_EQ(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_GEOMETRY);
	KUNIT_EXPECT_EQ(test, why, PAR_GEO_TOO_SMALL);
	ask = good;
	ask.log = MIB(64);
	KUNIT_EXPECT_EQ(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_GEOMETRY);
}

/* ---- places ---- */

/* Small runs and tracts, so that there are many of both. */
static void place_layout(struct kunit *test, struct par_geometry *geo, unsigned int i,
			 unsigned int share)
{
	const struct par_kunit_layout *in = &par_kunit_layouts[i];
	struct par_slot_ask ask = {
		.layout = in->layout, .disks = in->disks, .chunk = in->chunk,
		.steady = 3 * in->dev + MIB(share / 7), .sleeper = 3 * in->dev, .share = share,
		.tract = 4 * in->chunk,
	};
	enum par_geo_error why;

	KUNIT_ASSERT_EQ_MSG(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_OK, "%s: %s",
			    in->name, par_geo_strerror(why));
}

/* If run n had slot n, images would lie as they do without slots. */
static void images_as_without(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	unsigned int i, d;
	u64 x;

	for (i = 0; i < ARRAY_SIZE(par_kunit_layouts); i++) {
		place_layout(test, geo, i, 50);
		for (d = geo->set[1].members; d < geo->members; d++)
			for (x = 0; x < par_set_offset(geo, par_image_set(geo, d), 0); x += 57)
				KUNIT_ASSERT_EQ_MSG(test, par_image_sector(geo, d, x),
						    par_slot_image(geo, d, par_slot_run(geo, x),
								   x),
						    "%s: member %u sector %llu",
						    par_kunit_layouts[i].name, d, x);
	}
}

/* Chunk @chunk of a region is the next one on the disks. */
static void put_down(struct kunit *test, const struct par_geometry *geo, const char *name,
		     unsigned int set, u64 chunk, u64 *at)
{
	u32 size = geo->chunk_sectors;

	KUNIT_ASSERT_EQ_MSG(test, par_slot_sector(geo, set, chunk * size), *at,
			    "%s: set %u, chunk %llu", name, set, chunk);
	KUNIT_ASSERT_EQ(test, par_slot_sector(geo, set, (chunk + 1) * size - 1),
			*at + size - 1);
	*at += size;
}

/* The part of a region in a tract; par_slot_contiguous() calls all of it contiguous. */
static void put_part(struct kunit *test, const struct par_geometry *geo, const char *name,
		     unsigned int set, u64 from, u64 to, u64 *at)
{
	u32 size = geo->chunk_sectors;
	u64 chunk;

	for (chunk = from; chunk < to; chunk++) {
		put_down(test, geo, name, set, chunk, at);
		KUNIT_ASSERT_EQ(test, par_slot_contiguous(geo, set, chunk * size + 3),
				(to - chunk) * size - 3);
	}
}

/*
 * All regions, on a member that is in all sets: what only such a member has room for lies behind
 * the last tract. Returns the end of the tracts.
 */
static u64 put_regions(struct kunit *test, const struct par_geometry *geo, const char *name)
{
	unsigned int set, top = geo->gears;
	u64 home = div_u64(geo->set[top].sectors, geo->chunk_sectors);
	u64 t, tracted = 0, at = geo->meta_sectors, end;

	for (t = 0; t < geo->tracts; t++) {
		put_part(test, geo, name, top, 4 * t, min(4 * t + 4, home), &at);
		for (set = top - 1; set; set--) {
			u64 all = div_u64(set == 1 ? geo->low_in_tracts : geo->set[set].sectors,
					  geo->chunk_sectors);

			tracted = div64_u64(all * (t + 1), geo->tracts);
			put_part(test, geo, name, set, div64_u64(all * t, geo->tracts), tracted,
				 &at);
		}
	}
	end = at;
	put_part(test, geo, name, 1, tracted, div_u64(geo->set[1].sectors, geo->chunk_sectors),
		 &at);
	KUNIT_EXPECT_EQ(test, at, geo->set[1].start + geo->set[1].sectors);
	KUNIT_EXPECT_LE(test, at, geo->steady);
	return end;
}

/* All of a member, tract by tract: no gap, no overlap, nothing beyond its end. */
static void tracts_put_down(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	static const unsigned int shares[] = { 1, 10, 37, 99 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(par_kunit_layouts); i++) {
		for (j = 0; j < ARRAY_SIZE(shares); j++) {
			place_layout(test, geo, i, shares[j]);
			KUNIT_EXPECT_LE(test, put_regions(test, geo, par_kunit_layouts[i].name),
					geo->dev_sectors);
		}
	}
}

/* Each segment of each slot has a place of its own in its gear region, and is found there. */
static void images_of_band(struct kunit *test, const struct par_geometry *geo,
			   unsigned int set, unsigned long *taken, const char *name)
{
	u64 region = geo->set[set].sectors * (geo->set[set].members - geo->parities), slot, found;
	u32 segs = geo->run_sectors >> geo->seg_shift, seg, in_run;
	unsigned int d;

	KUNIT_ASSERT_LE(test, region >> geo->seg_shift, PLACES);
	bitmap_zero(taken, PLACES);
	for (slot = 0; slot < geo->band[set].slots; slot++) {
		for (d = geo->set[set].members; d < geo->set[set + 1].members; d++) {
			for (seg = 0; seg < segs; seg++) {
				/* Of any run: the place does not depend on it. */
				u64 x = ((slot * 7 + 3) << geo->run_shift) +
					((u64)seg << geo->seg_shift) + 5;
				u64 at = par_slot_image(geo, d, slot, x);

				KUNIT_ASSERT_LT_MSG(test, at, region, "%s", name);
				KUNIT_ASSERT_FALSE_MSG(test,
						       __test_and_set_bit(at >> geo->seg_shift,
									  taken),
						       "%s: slot %llu", name, slot);
				KUNIT_ASSERT_EQ(test, par_slot_owner(geo, set, at, &found,
								     &in_run), d);
				KUNIT_ASSERT_EQ(test, found, slot);
				KUNIT_ASSERT_EQ(test, in_run, (seg << geo->seg_shift) + 5);
			}
		}
	}
}

/* The stripes in which the images of a slot lie are in these runs, and in no others. */
static void judge_runs_below(struct kunit *test, const struct par_geometry *geo, unsigned int set,
			     u32 slot, const char *name)
{
	u32 segs = geo->run_sectors >> geo->seg_shift, seg, first, last;
	u32 chunk = geo->chunk_sectors, data = geo->set[set].members - geo->parities;
	u64 base = geo->set[set].start - geo->meta_sectors, low = U64_MAX, high = 0;
	unsigned int d;

	for (d = geo->set[set].members; d < geo->set[set + 1].members; d++) {
		for (seg = 0; seg < segs; seg++) {
			u64 at = par_slot_image(geo, d, slot, (u64)seg << geo->seg_shift);
			u64 stripe = div_u64(at, chunk * data);

			low = min(low, base + stripe * chunk);
			high = max(high, base + stripe * chunk + chunk - 1);
		}
	}
	par_slot_runs_below(geo, set, slot, &first, &last);
	KUNIT_ASSERT_EQ_MSG(test, first, div_u64(low, geo->run_sectors), "%s: slot %u", name, slot);
	KUNIT_ASSERT_EQ_MSG(test, last, div_u64(high, geo->run_sectors), "%s: slot %u", name, slot);
	KUNIT_ASSERT_LT_MSG(test, last, geo->band[set - 1].runs, "%s: slot %u", name, slot);
}

static void slots_in_runs_below(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	unsigned int i, set, bands = 0;
	u32 slot;

	for (i = 0; i < ARRAY_SIZE(par_kunit_layouts); i++) {
		place_layout(test, geo, i, 25);
		for (set = 2; set < geo->gears; set++, bands++)
			for (slot = 0; slot < geo->band[set].slots; slot++)
				judge_runs_below(test, geo, set, slot, par_kunit_layouts[i].name);
	}
	KUNIT_EXPECT_GT(test, bands, 0);
}

static void images_apart(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	unsigned long *taken = kunit_kzalloc(test, BITS_TO_LONGS(PLACES) * sizeof(long),
					     GFP_KERNEL);
	unsigned int i, set;

	KUNIT_ASSERT_NOT_NULL(test, taken);
	for (i = 0; i < 3 * ARRAY_SIZE(par_kunit_layouts); i++) {
		place_layout(test, geo, i / 3, i % 3 ? 40 * (i % 3) : 5);
		for (set = 1; set < geo->gears; set++)
			images_of_band(test, geo, set, taken, par_kunit_layouts[i / 3].name);
	}
}

/* The slot near a run is in the same tract, or in the next one that has slots. */
static void near_is_near(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	struct par_slot_ask ask = {
		.layout = GEAR(3) | GEAR(5) | GEAR(8), .disks = 8, .chunk = KIB(512),
		.steady = TIB(1), .sleeper = TIB(1), .share = 10,
	};
	unsigned int set;
	u64 run;

	expect_place(test, geo, &ask);
	for (set = 1; set <= 2; set++) {
		const struct par_band *band = &geo->band[set];
		unsigned int data = geo->set[set].members - 1;

		for (run = 0; run < band->runs; run += 97) {
			u64 x = run << geo->run_shift;
			unsigned int of = x < geo->set[3].sectors ? 3 : 2;
			u64 in = of == 3 ? x : x - geo->set[3].sectors;
			u64 slot = par_slot_near(geo, set, run), sector, home, image;

			KUNIT_ASSERT_LT(test, slot, band->slots);
			sector = div_u64((slot * band->imaged) << geo->run_shift, data);
			home = par_slot_sector(geo, of, in);
			image = par_slot_sector(geo, set, sector);
			/* A tract with all its parts is less than two GiB here. */
			KUNIT_ASSERT_LT_MSG(test, home > image ? home - image : image - home,
					    2 * PAR_TRACT, "set %u, run %llu", set, run);
		}
	}
}

static void blocks_behind_the_map(struct kunit *test)
{
	struct par_geometry *geo = alloc_geo(test);
	u64 last;

	place_layout(test, geo, 2, 50);
	KUNIT_ASSERT_GE(test, geo->slot_blocks, 2);
	KUNIT_EXPECT_EQ(test, geo->band[2].block_base, 0);
	KUNIT_EXPECT_EQ(test, geo->band[1].block_base, geo->band[2].blocks);
	KUNIT_EXPECT_EQ(test, par_slot_block_sector(geo, 0, 0),
			128 + 16 * (u64)(geo->intent_blocks + geo->map_blocks));
	last = par_slot_block_sector(geo, geo->slot_blocks - 1, 1);
	KUNIT_EXPECT_LE(test, last + 8, geo->meta_sectors);
}

static struct kunit_case slot_place_cases[] = {
	KUNIT_CASE(sizes_against_reference),
	KUNIT_CASE(sizes_of_layouts),
	KUNIT_CASE(sizes_of_the_table),
	KUNIT_CASE(all_is_as_without),
	KUNIT_CASE(images_as_without),
	KUNIT_CASE(runs_of_huge_members),
	KUNIT_CASE(errors_of_sizes),
	KUNIT_CASE(tracts_put_down),
	KUNIT_CASE(images_apart),
	KUNIT_CASE(slots_in_runs_below),
	KUNIT_CASE(near_is_near),
	KUNIT_CASE(blocks_behind_the_map),
	{}
};

static struct kunit_suite slot_place_suite = {
	.name = "raid-par-slot-place",
	.test_cases = slot_place_cases,
};

kunit_test_suite(slot_place_suite);
