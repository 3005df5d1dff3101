// SPDX-License-Identifier: GPL-2.0
/*
 * The geometry against a reference that is slow and simple: it counts what every sleeper
 * has to store, and tries which home region fits.
 *
 * A check returns NULL, or a description of the error; the caller names the layout.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "compat/kunit.h"
#include "pure/geometry.h"
#include "layouts.h"

#define SEED		20240229
#define MASKS		4095U	/* every set of gears up to 12 members */
#define SAMPLES		6000	/* random layouts beyond these */
#define PLACES		1048576U	/* images, and metadata slots, looked at */

/* The layout as the design document describes it; gears and sets from 1. */
struct reference {
	unsigned int parities, gears, gear[PAR_MAX_MEMBERS + 1];
	u64 region[PAR_MAX_MEMBERS + 1];	/* on each member, in chunks */
	u64 member, meta;			/* in chunks */
	u32 segment;				/* in sectors */
};

struct geo_test {
	struct par_kunit_layout in;
	struct par_geometry geo;
	struct reference ref;
	enum par_geo_error err;	/* the module's result */
	unsigned long *taken;	/* PLACES bits */
	struct rnd_state rng;
	char name[192];
};

/* ---- the reference ---- */

static enum par_geo_error ref_gears(struct reference *ref,
				    const struct par_kunit_layout *in)
{
	static const unsigned int parities[] = { 1, 2, 0 };
	static const unsigned int least[] = { 2, 4, 2 };
	unsigned int child = in->layout >> 28, n;

	memset(ref, 0, sizeof(*ref));
	if (child > 2)
		return PAR_GEO_BAD_CHILD;
	if (in->layout == 0xfffe)
		return PAR_GEO_UNSET;
	for (n = 1; n <= 28; n++)
		if (in->layout & GEAR(n))
			ref->gear[++ref->gears] = n;
	if (ref->gears < 2)
		return PAR_GEO_ONE_GEAR;
	if (ref->gear[ref->gears] != in->disks)
		return PAR_GEO_NOT_TOP;
	if (ref->gear[1] < least[child])
		return PAR_GEO_LOW_GEAR;
	ref->parities = parities[child];
	return PAR_GEO_OK;
}

/* The regions that gear set @i has to hold: of its sleepers, every region above it. */
static u64 ref_images(const struct reference *ref, unsigned int i)
{
	u64 images = 0;
	unsigned int d, above;

	for (d = ref->gear[i]; d < ref->gear[i + 1]; d++)
		for (above = i + 1; above <= ref->gears; above++)
			if (d < ref->gear[above])
				images += ref->region[above];
	return images;
}

/* All regions for a home region of @home chunks; returns the space needed on member 0. */
static u64 ref_lay_out(struct reference *ref, u64 home)
{
	u64 used = home;
	unsigned int i;

	ref->region[ref->gears] = home;
	for (i = ref->gears - 1; i >= 1; i--) {
		u64 images = ref_images(ref, i);

		ref->region[i] = DIV64_U64_ROUND_UP(images, ref->gear[i] -
						    ref->parities);
		used += ref->region[i];
	}
	return used;
}

/* The largest home region that fits into @chunks, by trying. */
static bool ref_fit(struct reference *ref, u64 chunks)
{
	u64 home = 0, step = 1;

	while (step < chunks)
		step *= 2;
	for (; step; step /= 2)
		if (ref_lay_out(ref, home + step) <= chunks)
			home += step;
	ref_lay_out(ref, home);
	return home != 0;
}

static u64 ref_rows(const struct reference *ref, u32 chunk, unsigned int i)
{
	return ref->region[i] * (chunk / ref->segment);
}

/* Bits a row: two for each of a set's sleepers, one where there is none. */
static unsigned int ref_width(const struct reference *ref, unsigned int i)
{
	return i == 1 ? 1 : 2 * (ref->gear[i] - ref->gear[1]);
}

/* 64 KiB, but doubled up to 2 MiB or the chunk while the map is over 32 MiB. */
static void ref_segment(struct reference *ref, u32 chunk)
{
	u64 bits;
	unsigned int i;

	ref->segment = KIB(64);
	do {
		for (bits = 0, i = 1; i <= ref->gears; i++)
			bits += ref_rows(ref, chunk, i) * ref_width(ref, i);
		if (bits <= 8 * MIB(32) * 512)
			return;
		ref->segment *= 2;
	} while (ref->segment <= chunk && ref->segment <= MIB(2));
	ref->segment /= 2;
}

/* 64 KiB for superblocks; two slots of 4 KiB a block, each with 3840 bytes. */
static void ref_metadata(struct reference *ref, u32 chunk)
{
	u64 zones = 0, blocks = 0, sectors;
	unsigned int i;

	for (i = 1; i <= ref->gears; i++) {
		unsigned int zone_bytes = 512 * ref_width(ref, i) / 8;
		u64 z = DIV64_U64_ROUND_UP(ref_rows(ref, chunk, i), 512);

		zones += z;
		blocks += DIV64_U64_ROUND_UP(z, 3840 / zone_bytes);
	}
	blocks += DIV64_U64_ROUND_UP(zones, 3840);
	sectors = KIB(64) + blocks * 2 * KIB(4);
	ref->meta = DIV64_U64_ROUND_UP(sectors, chunk);
}

static enum par_geo_error ref_build(struct reference *ref,
				    const struct par_kunit_layout *in)
{
	enum par_geo_error err = ref_gears(ref, in);

	if (err)
		return err;
	if (in->chunk < KIB(64) || hweight32(in->chunk) != 1)
		return PAR_GEO_BAD_CHUNK;
	ref->member = div_u64(in->dev, in->chunk);
	if (!ref_fit(ref, ref->member))
		return PAR_GEO_TOO_SMALL;
	ref_segment(ref, in->chunk);
	ref_metadata(ref, in->chunk);
	if (ref->meta >= ref->member || !ref_fit(ref, ref->member - ref->meta))
		return PAR_GEO_TOO_SMALL;
	return PAR_GEO_OK;
}

/* ---- checks of a whole geometry ---- */

static const char *check_reference(const struct geo_test *t)
{
	static const unsigned int child_levels[] = { 5, 6, 0 };
	const struct par_geometry *geo = &t->geo;
	const struct reference *ref = &t->ref;
	unsigned int i;

	if (geo->layout != t->in.layout || geo->chunk_sectors != t->in.chunk)
		return "not the layout or the chunk that was asked for";
	if (geo->gears != ref->gears || geo->members != t->in.disks)
		return "wrong number of gears or members";
	if (geo->parities != ref->parities ||
	    geo->child_level != child_levels[t->in.layout >> 28])
		return "wrong child level or number of parities";
	if (geo->dev_sectors != ref->member * t->in.chunk)
		return "a member is not as long as its whole chunks";
	if (geo->seg_sectors != ref->segment ||
	    1U << geo->seg_shift != ref->segment)
		return "wrong size of a segment";
	if (geo->meta_sectors != ref->meta * t->in.chunk)
		return "wrong length of the metadata";
	for (i = 1; i <= ref->gears; i++) {
		if (geo->set[i].members != ref->gear[i])
			return "wrong size of a gear";
		if (geo->set[i].sectors != ref->region[i] * t->in.chunk)
			return "not the longest regions that fit";
	}
	return NULL;
}

static bool overlap(const struct par_set_geometry *a,
		    const struct par_set_geometry *b)
{
	return a->start < b->start + b->sectors &&
	       b->start < a->start + a->sectors;
}

/* Member 0 has all regions, the others have some of them at the same places. */
static const char *check_regions(const struct geo_test *t)
{
	const struct par_set_geometry *set = t->geo.set;
	unsigned int i, j;
	u32 rest;

	for (i = 1; i <= t->geo.gears; i++) {
		div_u64_rem(set[i].start | set[i].sectors, t->in.chunk, &rest);
		if (rest)
			return "a region is not aligned to chunks";
		if (!set[i].sectors)
			return "a region is empty";
		if (set[i].start < t->geo.meta_sectors)
			return "a region begins in the metadata";
		if (set[i].start + set[i].sectors > t->in.dev)
			return "a region ends beyond the member";
		for (j = 1; j < i; j++)
			if (overlap(&set[i], &set[j]))
				return "two regions overlap";
	}
	return NULL;
}

/*
 * A sleeper's contents are addressed from the end of its metadata: its
 * regions must follow each other there, from 0, with no holes.
 */
static const char *check_offsets(const struct geo_test *t)
{
	unsigned int i;
	u64 next = 0;

	for (i = t->geo.gears; i >= 1; i--) {
		if (par_set_offset(&t->geo, i, 0) != next)
			return "a member's regions do not follow each other";
		next += t->geo.set[i].sectors;
	}
	return NULL;
}

/* Rounding costs less than one stripe of chunks in each set. */
static const char *check_capacity(const struct geo_test *t)
{
	const struct par_geometry *geo = &t->geo;
	unsigned int data = geo->members - geo->parities, i;
	u64 usable = t->in.dev - geo->meta_sectors;
	u64 ideal, least;

	ideal = usable * (geo->set[1].members - geo->parities);
	least = ideal;
	for (i = 1; i <= geo->gears; i++)
		least -= min(least, (u64)t->in.chunk *
			     (geo->set[i].members - geo->parities));
	/* Less than a chunk of the member is not usable. */
	least -= min(least, (u64)t->in.chunk *
		     (geo->set[1].members - geo->parities));
	if (geo->array_sectors != geo->set[geo->gears].sectors * data)
		return "the capacity is not that of the home set";
	if (geo->array_sectors > ideal)
		return "more capacity than the lowest gear could hold";
	if (geo->array_sectors < least)
		return "less capacity than rounding explains";
	return NULL;
}

static const char *check_shape(const struct geo_test *t)
{
	return check_reference(t) ?: check_regions(t) ?: check_offsets(t) ?:
	       check_capacity(t);
}

/* ---- checks of the images ---- */

static u64 set_capacity(const struct par_geometry *geo, unsigned int i)
{
	return geo->set[i].sectors * (geo->set[i].members - geo->parities);
}

/* The gear set that holds the image of @d: the largest one without @d. */
static unsigned int expected_set(const struct par_geometry *geo, unsigned int d)
{
	unsigned int i, found = 0;

	for (i = 1; i < geo->gears; i++)
		if (geo->set[i].members <= d)
			found = i;
	return found;
}

static const char *check_image(const struct par_geometry *geo, unsigned int d,
			       u64 x)
{
	unsigned int i = expected_set(geo, d);
	u64 place, back;

	if (!par_is_sleeper(geo, d) || par_image_set(geo, d) != i)
		return "an image is kept by the wrong gear set";
	place = par_image_sector(geo, d, x);
	if (place >= set_capacity(geo, i))
		return "an image lies beyond its gear set";
	if (par_image_owner(geo, i, place, &back) != d || back != x)
		return "an image's owner is not the sleeper it is of";
	if (d > geo->set[i].members &&
	    par_image_sector(geo, d - 1, x) + geo->seg_sectors != place)
		return "the images of a row are not adjacent";
	return NULL;
}

/* The whole segment at @x: check its ends, and that its place is not in use. */
static const char *take_segment(struct geo_test *t, unsigned int d, u64 x)
{
	const struct par_geometry *geo = &t->geo;
	u32 last = geo->seg_sectors - 1;
	u64 place = par_image_sector(geo, d, x);
	const char *bad = check_image(geo, d, x) ?:
			  check_image(geo, d, x + last);

	if (bad)
		return bad;
	if (par_image_sector(geo, d, x + last) != place + last)
		return "the image of a segment is in pieces";
	if (place & last || place >> geo->seg_shift >= PLACES)
		return "the image of a segment is not at a segment";
	if (__test_and_set_bit(place >> geo->seg_shift, t->taken))
		return "two images at one place";
	return NULL;
}

static const char *take_member(struct geo_test *t, unsigned int d)
{
	const struct par_geometry *geo = &t->geo;
	const char *bad = NULL;
	unsigned int above;
	u64 row;

	for (above = expected_set(geo, d) + 1; above <= geo->gears; above++) {
		u64 first = par_set_offset(geo, above, 0);

		for (row = 0; row < geo->set[above].rows && !bad; row++)
			bad = take_segment(t, d, first + (row << geo->seg_shift));
	}
	return bad;
}

/* Every segment of every sleeper. */
static const char *check_all_images(struct geo_test *t)
{
	const struct par_geometry *geo = &t->geo;
	const char *bad = NULL;
	unsigned int i, d;

	for (i = 1; i < geo->gears; i++) {
		u64 places = set_capacity(geo, i) >> geo->seg_shift;

		if (places > PLACES)
			return "too large for this test";
		bitmap_zero(t->taken, places);
		for (d = geo->set[i].members; d < geo->set[i + 1].members; d++)
			bad = bad ?: take_member(t, d);
	}
	return bad;
}

static u64 random_below(struct geo_test *t, u64 limit)
{
	u64 r = (u64)prandom_u32_state(&t->rng) << 32;
	u64 rest;

	div64_u64_rem(r | prandom_u32_state(&t->rng), limit, &rest);
	return rest;
}

/* The ends of every region of every sleeper, and some places in between. */
static const char *check_some_images(struct geo_test *t)
{
	const struct par_geometry *geo = &t->geo;
	const char *bad = NULL;
	unsigned int d, i;

	for (d = geo->set[1].members; d < geo->members; d++) {
		for (i = expected_set(geo, d) + 1; i <= geo->gears; i++) {
			u64 len = geo->set[i].sectors;
			u64 first = par_set_offset(geo, i, 0);
			u64 between = first + random_below(t, len);

			bad = bad ?: check_image(geo, d, first) ?:
			      check_image(geo, d, first + len - 1) ?:
			      check_image(geo, d, between);
		}
	}
	return bad;
}

/* ---- checks of the metadata's layout ---- */

/* Rows, zones and map blocks of a set cover each other. */
static const char *check_set_map(const struct par_geometry *geo, unsigned int i)
{
	const struct par_set_geometry *set = &geo->set[i];
	unsigned int sleepers = set->members - geo->set[1].members;

	if (set->rows * geo->seg_sectors != set->sectors)
		return "rows do not cover the region";
	if (set->width != (sleepers ? 2 * sleepers : 1))
		return "a row in the map has the wrong width";
	if ((u64)set->zones * PAR_ZONE_ROWS < set->rows ||
	    (u64)(set->zones - 1) * PAR_ZONE_ROWS >= set->rows)
		return "zones do not cover the rows";
	if ((u64)set->blocks * set->block_zones < set->zones ||
	    (u64)(set->blocks - 1) * set->block_zones >= set->zones)
		return "map blocks do not cover the zones";
	if (set->block_zones * set->width * PAR_ZONE_ROWS / 8 > PAR_BLOCK_PAYLOAD)
		return "the zones of a map block do not fit into it";
	return NULL;
}

/* The sets' zones and map blocks are numbered through, the home set first. */
static const char *check_map(const struct par_geometry *geo)
{
	u32 zones = 0, blocks = 0;
	const char *bad = NULL;
	unsigned int i;

	for (i = geo->gears; i >= 1; i--) {
		if (geo->set[i].zone_base != zones ||
		    geo->set[i].block_base != blocks)
			return "zones or map blocks of two sets overlap";
		bad = bad ?: check_set_map(geo, i);
		zones += geo->set[i].zones;
		blocks += geo->set[i].blocks;
	}
	if (geo->zones != zones || geo->map_blocks != blocks)
		return "zones or map blocks are miscounted";
	if ((u64)geo->intent_blocks * PAR_BLOCK_PAYLOAD < zones)
		return "intents do not fit into their blocks";
	return bad;
}

/* Zones come one after another in a map block, then in the next block. */
static const char *check_set_zones(const struct par_geometry *geo, unsigned int i)
{
	const struct par_set_geometry *set = &geo->set[i];
	u32 zone, block = set->block_base;
	unsigned int at = 0, index;

	for (zone = 0; zone < set->zones; zone++) {
		if (par_map_block(set, zone, &index) != block || index != at)
			return "a zone is not where it should be in the map";
		if (par_zone_set(geo, set->zone_base + zone) != i)
			return "a zone is taken for another set's";
		if (par_zone_block(geo, set->zone_base + zone) != block)
			return "a zone of the array has another map block than in its set";
		if (++at == set->block_zones) {
			at = 0;
			block++;
		}
	}
	return NULL;
}

static const char *check_zones(const struct par_geometry *geo)
{
	const char *bad = NULL;
	unsigned int i;

	for (i = 1; i <= geo->gears; i++)
		bad = bad ?: check_set_zones(geo, i);
	return bad;
}

static const char *take_slot(struct geo_test *t, u64 sector)
{
	u64 slot = sector / PAR_BLOCK_SECTORS;

	if (sector % PAR_BLOCK_SECTORS)
		return "a metadata block is not aligned";
	if (sector + PAR_BLOCK_SECTORS > t->geo.meta_sectors)
		return "a metadata block lies beyond the metadata";
	if (slot >= PLACES)
		return "too large for this test";
	if (__test_and_set_bit(slot, t->taken))
		return "two metadata blocks overlap";
	return NULL;
}

static const char *check_slots(struct geo_test *t)
{
	const char *bad = NULL;
	unsigned int slot;
	u32 i;

	bitmap_zero(t->taken, PLACES);
	for (i = 0; i < KIB(64); i += PAR_BLOCK_SECTORS)
		bad = bad ?: take_slot(t, i);
	for (slot = 0; slot < 2; slot++) {
		for (i = 0; i < t->geo.intent_blocks; i++)
			bad = bad ?: take_slot(t, par_intent_sector(i, slot));
		for (i = 0; i < t->geo.map_blocks; i++)
			bad = bad ?: take_slot(t, par_map_sector(&t->geo, i, slot));
	}
	return bad;
}

/* ---- running them ---- */

static void name_layout(struct geo_test *t)
{
	const struct par_kunit_layout *in = &t->in;
	int n, len = sizeof(t->name), at;

	at = scnprintf(t->name, len, "%s layout %#x, gears", in->name, in->layout);
	for (n = 1; n <= 28; n++)
		if (in->layout & GEAR(n))
			at += scnprintf(t->name + at, len - at, " %d", n);
	scnprintf(t->name + at, len - at, ", %u disks, chunk %u, dev %llu",
		  in->disks, in->chunk, in->dev);
}

static bool fine(struct kunit *test, const char *bad)
{
	struct geo_test *t = test->priv;

	if (!bad)
		return true;
	name_layout(t);
	KUNIT_FAIL(test, "%s: %s", t->name, bad);
	return false;
}

/* Lay out t->in by the module and by the reference, and compare. */
static const char *lay_out(struct geo_test *t)
{
	enum par_geo_error expected = ref_build(&t->ref, &t->in);

	t->err = par_geometry_init(&t->geo, t->in.layout, t->in.disks,
				   t->in.chunk, t->in.dev);
	if (t->err == expected)
		return NULL;
	if (!expected)
		return "refused, and should not be";
	return t->err ? "refused for the wrong reason" : "not refused";
}

static const char *check_one(struct geo_test *t,
			     const char *(*check)(struct geo_test *t))
{
	const char *bad = lay_out(t);

	if (bad || t->err)
		return bad;
	return check_shape(t) ?: check_map(&t->geo) ?: check(t);
}

static const char *check_small(struct geo_test *t)
{
	return check_all_images(t) ?: check_zones(&t->geo) ?: check_slots(t);
}

static int geometry_test_init(struct kunit *test)
{
	struct geo_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->taken = kunit_kzalloc(test, PLACES / 8, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->taken);
	prandom_seed_state(&t->rng, SEED);
	test->priv = t;
	return 0;
}

/* A member size and chunk with which all masks are laid out. */
struct geo_shape {
	const char *name;
	u32 chunk;
	u64 dev;
	const char *(*check)(struct geo_test *t);
};

static const struct geo_shape geo_shapes[] = {
	{ "tiny: too small for many", KIB(64), 20 * KIB(64), check_small },
	{ "64K chunks", KIB(64), 61 * KIB(64), check_small },
	{ "512K chunks, no multiple", KIB(512), MIB(30) + 777, check_small },
	{ "1 TB", KIB(128), TIB(1) - 1, check_some_images },
	{ "16 TB", KIB(512), TIB(16), check_some_images },
};

KUNIT_ARRAY_PARAM_DESC(geo_shape, geo_shapes, name);

static void geometry_every_mask(struct kunit *test)
{
	static const u32 children[] = { CHILD_RAID5, CHILD_RAID6, CHILD_RAID0 };
	const struct geo_shape *shape = test->param_value;
	struct geo_test *t = test->priv;
	unsigned int child;
	u32 mask;

	t->in = (struct par_kunit_layout){ .name = "", .chunk = shape->chunk,
					   .dev = shape->dev };
	for (child = 0; child < ARRAY_SIZE(children); child++) {
		for (mask = 0; mask <= MASKS; mask++) {
			t->in.layout = children[child] | mask;
			t->in.disks = fls(mask);
			if (!fine(test, check_one(t, shape->check)))
				return;
		}
		cond_resched();
	}
}

KUNIT_ARRAY_PARAM_DESC(geo_layout, par_kunit_layouts, name);

static void geometry_layout(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct geo_test *t = test->priv;

	t->in = *in;
	if (fine(test, check_one(t, check_small)))
		KUNIT_EXPECT_EQ(test, t->geo.layout, in->layout);
}

/* Every member size from nothing up, in steps that are no whole chunks. */
static void geometry_grow(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct geo_test *t = test->priv;
	u64 dev, limit = min(in->dev, 300ULL * in->chunk);

	t->in = *in;
	for (dev = 0; dev <= limit; dev += in->chunk * 2 / 5 + 1) {
		t->in.dev = dev;
		if (!fine(test, check_one(t, check_some_images)))
			return;
	}
	KUNIT_EXPECT_EQ_MSG(test, t->err, PAR_GEO_OK, "never large enough");
}

/* Gears up to 28 members, any chunk, any size of the members. */
static void random_layout(struct geo_test *t, u32 child)
{
	u32 mask = prandom_u32_state(&t->rng) & GENMASK(27, 0);

	if (prandom_u32_state(&t->rng) & 1)	/* fewer gears */
		mask &= prandom_u32_state(&t->rng) & prandom_u32_state(&t->rng);
	mask &= GENMASK(27, 0) >> random_below(t, 16);
	t->in = (struct par_kunit_layout){
		.name = "sample:",
		.layout = child | mask,
		.disks = fls(mask) + !random_below(t, 50),
		.chunk = KIB(64) << random_below(t, 9),
	};
	t->in.dev = random_below(t, 1ULL << (10 + random_below(t, 28)));
}

static const struct par_kunit_layout sampled_children[] = {
	{ "raid5", CHILD_RAID5 },
	{ "raid6", CHILD_RAID6 },
	{ "raid0", CHILD_RAID0 },
};

KUNIT_ARRAY_PARAM_DESC(sampled_child, sampled_children, name);

static void geometry_sample(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct geo_test *t = test->priv;
	unsigned int i, good = 0;

	for (i = 0; i < SAMPLES; i++) {
		random_layout(t, in->layout);
		if (!fine(test, check_one(t, check_some_images)))
			return;
		good += t->err == PAR_GEO_OK;
	}
	KUNIT_EXPECT_GT_MSG(test, good, SAMPLES / 6, "too few were possible");
}

/* ---- refusals ---- */

static const struct {
	const char *name;
	struct par_kunit_layout in;
	enum par_geo_error err;
} refusals[] = {
	{ "nothing", { "", 0, 0, KIB(512), TIB(1) }, PAR_GEO_ONE_GEAR },
	{ "one gear", { "", GEAR(5), 5, KIB(512), TIB(1) }, PAR_GEO_ONE_GEAR },
	{ "mdadm's unset", { "", 0xfffe, 16, KIB(512), TIB(1) }, PAR_GEO_UNSET },
	{ "child level 3", { "", 3U << 28 | GEARS(3, 5), 5, KIB(512), TIB(1) },
	  PAR_GEO_BAD_CHILD },
	{ "bit 31", { "", 1U << 31 | GEARS(3, 5), 5, KIB(512), TIB(1) },
	  PAR_GEO_BAD_CHILD },
	{ "all bits", { "", ~0U, 28, KIB(512), TIB(1) }, PAR_GEO_BAD_CHILD },
	{ "a disk too many", { "", GEARS(3, 5), 6, KIB(512), TIB(1) },
	  PAR_GEO_NOT_TOP },
	{ "a disk too few", { "", GEARS(3, 5), 4, KIB(512), TIB(1) },
	  PAR_GEO_NOT_TOP },
	{ "29 disks", { "", GEARS(3, 28), 29, KIB(512), TIB(1) },
	  PAR_GEO_NOT_TOP },
	{ "raid5 of one", { "", GEAR(1) | GEAR(5), 5, KIB(512), TIB(1) },
	  PAR_GEO_LOW_GEAR },
	{ "raid6 of three", { "", CHILD_RAID6 | GEAR(3) | GEAR(8), 8, KIB(512),
	  TIB(1) }, PAR_GEO_LOW_GEAR },
	{ "raid6 of two, mdadm's unset but for the child",
	  { "", CHILD_RAID6 | GEARS(2, 16), 16, KIB(512), TIB(1) },
	  PAR_GEO_LOW_GEAR },
	{ "raid0 of one", { "", CHILD_RAID0 | GEAR(1) | GEAR(2), 2, KIB(512),
	  TIB(1) }, PAR_GEO_LOW_GEAR },
	{ "32K chunk", { "", GEARS(3, 5), 5, KIB(32), TIB(1) },
	  PAR_GEO_BAD_CHUNK },
	{ "96K chunk", { "", GEARS(3, 5), 5, KIB(96), TIB(1) },
	  PAR_GEO_BAD_CHUNK },
	{ "no chunk", { "", GEARS(3, 5), 5, 0, TIB(1) }, PAR_GEO_BAD_CHUNK },
	{ "no space", { "", GEARS(3, 5), 5, KIB(512), 0 }, PAR_GEO_TOO_SMALL },
	{ "less than a chunk", { "", GEARS(3, 5), 5, KIB(512), KIB(512) - 1 },
	  PAR_GEO_TOO_SMALL },
	{ "metadata and nothing else", { "", GEARS(3, 5), 5, KIB(512), KIB(512) },
	  PAR_GEO_TOO_SMALL },
};

KUNIT_ARRAY_PARAM_DESC(refusal, refusals, name);

static void geometry_refuses(struct kunit *test)
{
	const typeof(refusals[0]) *r = test->param_value;
	struct geo_test *t = test->priv;

	t->in = r->in;
	fine(test, lay_out(t));
	KUNIT_EXPECT_EQ(test, t->err, r->err);
}

static void geometry_explains(struct kunit *test)
{
	enum par_geo_error err, other;

	KUNIT_EXPECT_EQ(test, par_geo_errno(PAR_GEO_OK), 0);
	for (err = PAR_GEO_OK + 1; err <= PAR_GEO_TOO_SMALL; err++) {
		KUNIT_EXPECT_LT_MSG(test, par_geo_errno(err), 0, "error %d", err);
		KUNIT_EXPECT_NOT_NULL_MSG(test, par_geo_strerror(err),
					  "error %d", err);
		for (other = PAR_GEO_OK; other < err; other++)
			KUNIT_EXPECT_NE_MSG(test, par_geo_errno(err),
					    par_geo_errno(other),
					    "errors %d and %d", err, other);
	}
}

/* ---- segments and the size of the map ---- */

static const struct {
	const char *name;
	struct par_kunit_layout in;
	u32 segment;
} giants[] = {
	{ "3,5 of 1 TB", { "", GEAR(3) | GEAR(5), 5, KIB(512), TIB(1) },
	  KIB(64) },
	{ "3,5 of 8 TB", { "", GEAR(3) | GEAR(5), 5, KIB(512), TIB(8) },
	  KIB(128) },
	{ "3,5 of 16 TB", { "", GEAR(3) | GEAR(5), 5, KIB(512), TIB(16) },
	  KIB(256) },
	{ "3,5 of 16e12 bytes", { "", GEAR(3) | GEAR(5), 5, KIB(512),
	  31250000000ULL }, KIB(256) },
	{ "3,5 of 16 TB, 64K chunks", { "", GEAR(3) | GEAR(5), 5, KIB(64),
	  TIB(16) }, KIB(64) },
	{ "2 to 28 of 16 TB, 8M chunks", { "", GEARS(2, 28), 28, MIB(8),
	  TIB(16) }, KIB(512) },
	{ "raid6:4,28 of 1 PB, 8M chunks", { "", CHILD_RAID6 | GEAR(4) | GEAR(28),
	  28, MIB(8), TIB(1024) }, MIB(2) },
};

KUNIT_ARRAY_PARAM_DESC(giant, giants, name);

static void geometry_segment(struct kunit *test)
{
	const typeof(giants[0]) *g = test->param_value;
	struct geo_test *t = test->priv;

	t->in = g->in;
	if (fine(test, check_one(t, check_some_images) ?: check_zones(&t->geo)))
		KUNIT_EXPECT_EQ(test, t->geo.seg_sectors, g->segment);
}

static const struct par_kunit_layout bounded[] = {
	{ "16 TB", GEAR(3) | GEAR(5), 5, KIB(512), TIB(16) },
	{ "16e12 bytes", GEAR(3) | GEAR(5), 5, KIB(512), 31250000000ULL },
};

KUNIT_ARRAY_PARAM_DESC(bounded, bounded, name);

/* Full and scattered, on the disk with both slots, and in memory. */
static void geometry_map_bound(struct kunit *test)
{
	struct geo_test *t = test->priv;
	u64 disk, memory;

	t->in = *(const struct par_kunit_layout *)test->param_value;
	if (!fine(test, check_one(t, check_slots)))
		return;
	disk = t->geo.meta_sectors * 512;
	/* payloads, and something for each zone and block */
	memory = t->geo.map_blocks * (PAR_BLOCK_PAYLOAD + 64ULL) +
		 t->geo.zones * 64ULL;
	KUNIT_EXPECT_LE(test, disk, MIB(64) * 512);
	KUNIT_EXPECT_LE(test, memory, MIB(64) * 512);
}

static struct kunit_case geometry_cases[] = {
	KUNIT_CASE_PARAM(geometry_layout, geo_layout_gen_params),
	KUNIT_CASE_PARAM(geometry_grow, geo_layout_gen_params),
	KUNIT_CASE_PARAM(geometry_every_mask, geo_shape_gen_params),
	KUNIT_CASE_PARAM(geometry_sample, sampled_child_gen_params),
	KUNIT_CASE_PARAM(geometry_refuses, refusal_gen_params),
	KUNIT_CASE(geometry_explains),
	KUNIT_CASE_PARAM(geometry_segment, giant_gen_params),
	KUNIT_CASE_PARAM(geometry_map_bound, bounded_gen_params),
	{}
};

static struct kunit_suite geometry_suite = {
	.name = "raid-par-geometry",
	.init = geometry_test_init,
	.test_cases = geometry_cases,
};

kunit_test_suite(geometry_suite);

PAR_IMPORT_KUNIT_NS;
MODULE_DESCRIPTION("KUnit tests of RAID level par");
MODULE_LICENSE("GPL");
