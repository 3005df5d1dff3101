// SPDX-License-Identifier: GPL-2.0
/*
 * Random values, with right checksums, in what the superblock says of the log and of images of a
 * share, and in the blocks of the slot maps. Each is refused, or leads to a geometry and to maps on
 * which the rest of the module can rely; the conditions are written here once more in a simple way.
 */
#include <linux/log2.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <kunit/test.h>

#include "super_test.h"
#include "pure/log-place.h"
#include "pure/slot-map.h"
#include "pure/slot-place.h"
#include "pure/validate.h"

#define SEED		20261126
#define VARIANTS	3000U
#define MEMORY		(64U << 20)	/* of the maps of an array */
#define NUMBERS		0xffffffU	/* of runs, and of slots */
#define MOST_SEQ	0x4000000000000000ULL
#define A_BLOCK		960U

struct fuzz {
	struct super_test super;
	struct rnd_state random;
	struct par_slot_ask ask;
	/* the maps of a band, as they were stored and as they are loaded */
	struct par_slot_map was, map;
	u32 slots, runs, blocks;
};

KUNIT_ARRAY_PARAM_DESC(fuzz_layout, par_kunit_layouts, name);

static u32 random32(struct fuzz *fuzz, u32 below)
{
	return prandom_u32_state(&fuzz->random) % below;
}

static u64 random64(struct fuzz *fuzz)
{
	return (u64)prandom_u32_state(&fuzz->random) << 32 | prandom_u32_state(&fuzz->random);
}

static u64 member_size(const struct par_kunit_layout *in)
{
	return 3 * in->dev + MIB(12);
}

static enum par_slot_error lay_out(struct fuzz *fuzz, struct par_geometry *geo)
{
	enum par_geo_error why;

	return par_slot_place_init(geo, &fuzz->ask, &why);
}

/* An array with a log, of which a half has images. */
static int fuzz_init(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct fuzz *fuzz = super_test_alloc(test, sizeof(*fuzz));
	struct super_test *t = &fuzz->super;

	prandom_seed_state(&fuzz->random, SEED);
	fuzz->ask = (struct par_slot_ask) {
		.layout = in->layout, .disks = in->disks, .chunk = in->chunk,
		.sleeper = member_size(in), .steady = member_size(in) + 3 * in->chunk,
		.log = MIB(8), .share = 50,
	};
	KUNIT_ASSERT_EQ(test, lay_out(fuzz, &t->geo), PAR_SLOT_OK);
	fuzz->ask.run = t->geo.run_sectors;
	fuzz->ask.tract = t->geo.tract_sectors;
	t->id.epoch = 77;
	t->sb.epoch = 77;
	t->sb.seq = 5;
	t->sb.gear = 1;
	t->sb.log.tail = 1000;
	t->sb.log.stable = 1005;
	t->sb.log.run = 9;
	par_log_lost_add(&t->sb.log.lost, 0, 0x80);
	par_log_lost_add(&t->sb.log.lost, 7, 0x5a);
	par_super_defaults(&t->sb, &t->geo, 0);
	return 0;
}

/* Mostly near the limits of numbers of this kind. */
static u64 hostile(struct fuzz *fuzz)
{
	const struct par_geometry *geo = &fuzz->super.geo;
	const struct par_band *band = &geo->band[1 + random32(fuzz, geo->gears - 1)];
	const u64 ends[] = { 0, U32_MAX, U64_MAX, 1ULL << 62, 1ULL << 63, NUMBERS, 1000, 1005,
		geo->array_sectors / 8, geo->array_sectors * 32, geo->steady, geo->dev_sectors,
		geo->log_sectors, geo->log_sectors / 8, BIT(geo->set[1].members), band->runs,
		band->slots, band->slots % A_BLOCK, 1U << 20, 1ULL << 50, 86400 };

	switch (random32(fuzz, 5)) {
	case 0:
		return ends[random32(fuzz, ARRAY_SIZE(ends))];
	case 1:
		return ends[random32(fuzz, ARRAY_SIZE(ends))] + random32(fuzz, 3) - 1;
	case 2:
		return prandom_u32_state(&fuzz->random) >> random32(fuzz, 32);
	case 3:
		return BIT_ULL(random32(fuzz, 64));
	default:
		return random64(fuzz);
	}
}

/* ---- the geometry that a superblock or a birth record leads to ---- */

/* Sector @sector of the region of set @set lies in each member of the set. */
static void judge_sector(struct kunit *test, const struct par_geometry *geo, unsigned int set,
			 u64 sector)
{
	u64 at = par_slot_sector(geo, set, sector);

	KUNIT_ASSERT_GE(test, at, geo->meta_sectors);
	KUNIT_ASSERT_LT(test, at, set == 1 ? geo->steady : geo->dev_sectors);
}

static void judge_band(struct kunit *test, const struct par_geometry *geo, unsigned int i)
{
	const struct par_band *band = &geo->band[i];
	u64 first = geo->set[i + 1].start + geo->set[i + 1].sectors - geo->meta_sectors;

	KUNIT_ASSERT_GE(test, band->slots, 1);
	KUNIT_ASSERT_LE(test, band->slots, band->runs);
	KUNIT_ASSERT_LE(test, band->runs, NUMBERS);
	/* The sizes of a slot and of what is copied for a run have 32 bits in the module. */
	KUNIT_ASSERT_LE(test, (u64)band->imaged * geo->run_sectors, U32_MAX);
	KUNIT_ASSERT_GE(test, band->runs * geo->run_sectors, first);
	KUNIT_ASSERT_LT(test, par_slot_image(geo, geo->set[i + 1].members - 1, band->slots - 1,
					     geo->run_sectors - 1),
			geo->set[i].sectors * (geo->set[i].members - geo->parities));
	KUNIT_ASSERT_LT(test, par_slot_near(geo, i, 0), band->slots);
	KUNIT_ASSERT_LE(test, par_slot_near(geo, i, band->runs - 1), band->slots);
	KUNIT_ASSERT_GE(test, band->blocks * A_BLOCK, band->slots);
}

static void judge_geometry(struct kunit *test, const struct par_geometry *geo)
{
	unsigned int i;

	KUNIT_ASSERT_GT(test, geo->array_sectors, 0);
	for (i = 1; i <= geo->gears; i++) {
		u64 most = i == 1 && geo->share < 100 ? geo->steady : geo->dev_sectors;

		KUNIT_ASSERT_GT(test, geo->set[i].sectors, 0);
		KUNIT_ASSERT_GE(test, geo->set[i].start, geo->meta_sectors);
		KUNIT_ASSERT_LT(test, geo->set[i].start, most);
		KUNIT_ASSERT_LE(test, geo->set[i].sectors, most - geo->set[i].start);
	}
	if (geo->share == 100)
		return;
	KUNIT_ASSERT_TRUE(test, is_power_of_2(geo->run_sectors));
	KUNIT_ASSERT_GE(test, geo->run_sectors, geo->seg_sectors);
	KUNIT_ASSERT_LE(test, par_slot_memory(geo), MEMORY);
	for (i = 1; i < geo->gears; i++)
		judge_band(test, geo, i);
	for (i = 1; i <= geo->gears; i++) {
		judge_sector(test, geo, i, 0);
		judge_sector(test, geo, i, geo->set[i].sectors - 1);
		judge_sector(test, geo, i, geo->set[i].sectors / 3);
	}
}

/* As birth.c takes it from a superblock or a birth record. */
static void hostile_ask(struct fuzz *fuzz)
{
	struct par_slot_ask *ask = &fuzz->ask;

	switch (random32(fuzz, 5)) {
	case 0:
		ask->share = random32(fuzz, 4) ? random32(fuzz, 101) : hostile(fuzz);
		break;
	case 1:
		ask->run = random32(fuzz, 4) ? BIT(random32(fuzz, 32)) : hostile(fuzz);
		break;
	case 2:
		ask->tract = random32(fuzz, 4) ? BIT(random32(fuzz, 32)) : hostile(fuzz);
		break;
	case 3:
		ask->log = hostile(fuzz);
		break;
	default:
		ask->steady = random32(fuzz, 2) ? ask->sleeper + random32(fuzz, 1 << 24) :
			      hostile(fuzz);
	}
}

/* Members of up to 2^45 sectors. */
static void place_fuzz(struct kunit *test)
{
	struct fuzz *fuzz = test->priv;
	const struct par_slot_ask sane = fuzz->ask;
	unsigned int i, k, passed = 0;

	for (i = 0; i < VARIANTS; i++) {
		fuzz->ask = sane;
		if (i % 2) {
			fuzz->ask.sleeper = sane.sleeper << random32(fuzz, 26);
			fuzz->ask.steady = fuzz->ask.sleeper;
			fuzz->ask.run = 0;
		}
		for (k = 0; k <= i % 3; k++)
			hostile_ask(fuzz);
		if (lay_out(fuzz, &fuzz->super.again))
			continue;
		judge_geometry(test, &fuzz->super.again);
		passed++;
	}
	KUNIT_EXPECT_GT(test, passed, VARIANTS / 10);
	KUNIT_EXPECT_LT(test, passed, VARIANTS * 9 / 10);
}

/* ---- superblocks ---- */

static void change_super(struct fuzz *fuzz)
{
	static const u16 fields[] = { 160, 168, 176, 184, 192, 196, 200, 204, 208, 216, 224, 232 };
	u8 *raw = (u8 *)&fuzz->super.raw;
	u32 at = random32(fuzz, ARRAY_SIZE(fields) + 12);

	at = at < ARRAY_SIZE(fields) ? fields[at] : 3672 + 8 * random32(fuzz, PAR_LOG_LOST);
	if (!random32(fuzz, 3))
		raw[at + random32(fuzz, 8)] ^= 1 << random32(fuzz, 8);
	else if (at % 8 == 0 && random32(fuzz, 2))
		put_unaligned_le64(hostile(fuzz), raw + at);
	else
		put_unaligned_le32(hostile(fuzz), raw + at);
}

static void judge_log(struct kunit *test, const struct par_geometry *geo,
		      const struct par_log_record *log)
{
	struct par_log_shape shape;
	unsigned int i, k;

	KUNIT_ASSERT_TRUE(test, par_log_shape_of(&shape, geo));
	KUNIT_ASSERT_LE(test, log->left, shape.units);
	KUNIT_ASSERT_LE(test, log->stable, MOST_SEQ);
	KUNIT_ASSERT_LE(test, log->tail, log->stable);
	KUNIT_ASSERT_LE(test, log->stable - log->tail, 128ULL * (log->left == shape.units ?
								  shape.units :
								  shape.units - log->left));
	KUNIT_ASSERT_LE(test, log->run, MOST_SEQ);
	KUNIT_ASSERT_LT(test, log->absent, BIT(geo->set[1].members));
	KUNIT_ASSERT_LE(test, log->lost.count, 31);
	for (i = 0; i < log->lost.count; i++) {
		KUNIT_ASSERT_LT(test, log->lost.entry[i].block, geo->array_sectors / 8);
		KUNIT_ASSERT_NE(test, log->lost.entry[i].sectors, 0);
		for (k = 0; k < i; k++)
			KUNIT_ASSERT_NE(test, log->lost.entry[i].block, log->lost.entry[k].block);
	}
}

/* The geometry is found from the superblock itself, as at an assembly. */
static bool super_taken(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct fuzz *fuzz = test->priv;
	struct super_test *t = &fuzz->super;
	enum par_format_error err;
	struct par_birth birth;

	super_test_seal(&t->raw);
	par_super_birth(&t->raw, &birth);
	fuzz->ask = (struct par_slot_ask) {
		.layout = in->layout, .disks = in->disks, .chunk = in->chunk,
		.sleeper = member_size(in), .steady = birth.steady ?: member_size(in),
		.log = birth.log, .share = birth.share ?: 100, .run = birth.run,
		.tract = birth.tract,
	};
	if (lay_out(fuzz, &t->again))
		return false;
	judge_geometry(test, &t->again);
	err = super_test_unpack(t, &t->again);
	if (err) {
		KUNIT_ASSERT_TRUE(test, err == PAR_FMT_RANGE || err == PAR_FMT_GEOMETRY);
		return false;
	}
	judge_log(test, &t->again, &t->out.log);
	par_super_mend(&t->out, &t->again, 0);
	KUNIT_ASSERT_GE(test, t->out.fill.bytes, 1U << 20);
	KUNIT_ASSERT_LE(test, t->out.fill.bytes, 1ULL << 50);
	KUNIT_ASSERT_GE(test, t->out.fill.time, 1);
	KUNIT_ASSERT_LE(test, t->out.fill.time, 86400);
	return true;
}

static void super_fuzz(struct kunit *test)
{
	struct fuzz *fuzz = test->priv;
	struct super_test *t = &fuzz->super;
	unsigned int i, k, passed = 0;

	par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
	KUNIT_ASSERT_TRUE(test, super_taken(test));
	for (i = 0; i < VARIANTS; i++) {
		par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
		for (k = 0; k <= i % 3; k++)
			change_super(fuzz);
		passed += super_taken(test);
	}
	KUNIT_EXPECT_GT(test, passed, VARIANTS / 20);
	KUNIT_EXPECT_LT(test, passed, VARIANTS * 9 / 10);
}

/* ---- blocks of the slot maps ---- */

static void make_map(struct kunit *test, struct par_slot_map *map)
{
	struct fuzz *fuzz = test->priv;
	u32 *run = kunit_kcalloc(test, fuzz->runs, sizeof(*run), GFP_KERNEL);
	struct par_slot *slot = kunit_kcalloc(test, fuzz->slots, sizeof(*slot), GFP_KERNEL);
	u16 *free = kunit_kcalloc(test, fuzz->blocks, sizeof(*free), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, run);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	KUNIT_ASSERT_NOT_NULL(test, free);
	par_slot_map_init(map, fuzz->runs, fuzz->slots, run, slot, free);
}

static void empty_map(struct fuzz *fuzz, struct par_slot_map *map)
{
	memset(map->run, 0, fuzz->runs * sizeof(*map->run));
	memset(map->slot, 0, fuzz->slots * sizeof(*map->slot));
	par_slot_map_init(map, fuzz->runs, fuzz->slots, map->run, map->slot, map->free);
}

/* All but a few slots are given. */
static void fill_map(struct fuzz *fuzz, struct par_slot_map *map)
{
	u32 slot;

	empty_map(fuzz, map);
	for (slot = 0; slot < fuzz->slots; slot++)
		if (random32(fuzz, 8))
			par_slot_map_give(map, slot, random32(fuzz, fuzz->runs));
}

static void change_block(struct fuzz *fuzz, struct par_disk_slots *raw)
{
	u32 at = random32(fuzz, 4) ? random32(fuzz, min(fuzz->slots, A_BLOCK)) :
		 random32(fuzz, A_BLOCK);

	switch (random32(fuzz, 4)) {
	case 0:
		((u8 *)&raw->run[at])[random32(fuzz, 4)] ^= 1 << random32(fuzz, 8);
		break;
	case 1:
		raw->run[at] = cpu_to_le32(hostile(fuzz));
		break;
	case 2:
		raw->run[at] = raw->run[random32(fuzz, A_BLOCK)];
		break;
	default:
		raw->run[at] = cpu_to_le32(random32(fuzz, fuzz->runs + 2));
	}
}

/* S5, and the numbers of free slots. @raw: what was loaded; a slot has its run or none. */
static void judge_map(struct kunit *test, const struct par_slot_map *map)
{
	struct fuzz *fuzz = test->priv;
	u32 slot, run, held = 0, block;

	for (slot = 0; slot < fuzz->slots; slot++) {
		if (par_slot_state(map, slot) == PAR_SLOT_FREE)
			continue;
		KUNIT_ASSERT_EQ(test, par_slot_state(map, slot), PAR_SLOT_HELD);
		KUNIT_ASSERT_LT(test, par_slot_run_of(map, slot), fuzz->runs);
		KUNIT_ASSERT_EQ(test, par_slot_of(map, par_slot_run_of(map, slot)), slot);
		held++;
	}
	for (run = 0; run < fuzz->runs; run++) {
		slot = par_slot_any(map, run);
		KUNIT_ASSERT_EQ(test, par_slot_heat(map, run), 0);
		if (slot == PAR_NO_SLOT)
			continue;
		KUNIT_ASSERT_LT(test, slot, fuzz->slots);
		KUNIT_ASSERT_EQ(test, par_slot_run_of(map, slot), run);
	}
	KUNIT_ASSERT_EQ(test, map->count[PAR_SLOT_HELD], held);
	KUNIT_ASSERT_EQ(test, map->count[PAR_SLOT_FREE], fuzz->slots - held);
	for (block = 0; block < fuzz->blocks; block++) {
		u32 free = 0;

		for (slot = block * A_BLOCK; slot < min(fuzz->slots, (block + 1) * A_BLOCK); slot++)
			free += par_slot_state(map, slot) == PAR_SLOT_FREE;
		KUNIT_ASSERT_EQ(test, map->free[block], free);
	}
	slot = par_slot_map_find_free(map, random32(fuzz, fuzz->slots));
	KUNIT_ASSERT_EQ(test, slot == PAR_NO_SLOT, held == fuzz->slots);
}

/*
 * Each block is changed, or is of an older map, or is as it was stored; the first are loaded as
 * blocks of the newest version, the others as doubtful ones. Returns what the first bad one was.
 */
static enum par_slot_load load_blocks(struct kunit *test, u32 base, u32 changes)
{
	struct fuzz *fuzz = test->priv;
	struct par_disk_block *raw = &fuzz->super.block;
	struct par_disk_slots *slots = (struct par_disk_slots *)raw->payload;
	u32 block, sure = random32(fuzz, fuzz->blocks + 1), k;
	enum par_slot_load result = PAR_SLOT_LOADED, one;

	for (block = 0; block < fuzz->blocks; block++) {
		memset(raw, 0, sizeof(*raw));
		if (!random32(fuzz, 4))
			fill_map(fuzz, &fuzz->was);
		par_slot_map_pack(&fuzz->was, block, slots);
		for (k = 0; k < changes; k++)
			change_block(fuzz, slots);
		one = par_slot_map_load(&fuzz->map, block, slots, block >= sure);
		/* load.c loads no block that this calls invalid. */
		KUNIT_ASSERT_EQ(test, one == PAR_SLOT_RANGE,
				!par_slots_ok(&fuzz->super.geo, base + block, raw));
		result = result ?: one;
	}
	par_slot_map_loaded(&fuzz->map);
	return result;
}

static void blocks_fuzz(struct kunit *test)
{
	struct fuzz *fuzz = test->priv;
	unsigned int i, loaded = 0, range = 0, twice = 0, band;

	for (band = 1; band < fuzz->super.geo.gears; band++) {
		const struct par_band *of = &fuzz->super.geo.band[band];

		if (band % 5 != 1)	/* with gears of each size they are much alike */
			continue;
		fuzz->runs = of->runs;
		fuzz->slots = of->slots;
		fuzz->blocks = of->blocks;
		make_map(test, &fuzz->was);
		make_map(test, &fuzz->map);
		fill_map(fuzz, &fuzz->was);
		for (i = 0; i < VARIANTS / 10; i++) {
			enum par_slot_load result;

			empty_map(fuzz, &fuzz->map);
			result = load_blocks(test, of->block_base, i % 4);
			loaded += result == PAR_SLOT_LOADED;
			range += result == PAR_SLOT_RANGE;
			twice += result == PAR_SLOT_TWICE;
			judge_map(test, &fuzz->map);
		}
	}
	KUNIT_EXPECT_GT(test, loaded, 20);
	KUNIT_EXPECT_GT(test, range, 20);
	KUNIT_EXPECT_GT(test, twice, 2);
}

static struct kunit_case slot_fuzz_cases[] = {
	KUNIT_CASE_PARAM(place_fuzz, fuzz_layout_gen_params),
	KUNIT_CASE_PARAM(super_fuzz, fuzz_layout_gen_params),
	KUNIT_CASE_PARAM(blocks_fuzz, fuzz_layout_gen_params),
	{}
};

static struct kunit_suite slot_fuzz_suite = {
	.name = "raid-par-slot-fuzz",
	.init = fuzz_init,
	.test_cases = slot_fuzz_cases,
};

kunit_test_suite(slot_fuzz_suite);
