// SPDX-License-Identifier: GPL-2.0
/*
 * The log in the geometry and in the superblock, over all layouts; and the block by which mdadm
 * requests a log or images of a share.
 */
#include <linux/crc32c.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "super_test.h"
#include "pure/log-place.h"
#include "pure/validate.h"

/* Members are larger by the size of the log, so everything else is as without it. */
static int log_super_init(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct super_test *t = super_test_begin(test, in->dev);

	KUNIT_ASSERT_EQ(test, par_geometry_with_log(&t->geo, in->layout, in->disks, in->chunk,
						    in->dev + MIB(32), MIB(32) - 1), PAR_GEO_OK);
	t->sb.log.tail = 1000 * PAR_LOG_UNIT;
	t->sb.log.stable = t->sb.log.tail + 5;
	t->sb.log.run = 9;
	t->sb.log.absent = 2;
	par_log_lost_add(&t->sb.log.lost, 0, 0x80);
	par_log_lost_add(&t->sb.log.lost, t->geo.array_sectors / PAR_LOG_BLOCK - 1, 0x5a);
	return 0;
}

KUNIT_ARRAY_PARAM_DESC(super_layout, par_kunit_layouts, name);

/* The area is between the metadata and the home region, and whole chunks of each member. */
static void super_geometry(struct kunit *test)
{
	struct super_test *t = test->priv;
	struct par_log_shape shape;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, t->plain.log_sectors, 0);
	KUNIT_EXPECT_EQ(test, t->geo.log_sectors, MIB(32));
	KUNIT_EXPECT_GE(test, t->geo.meta_sectors, t->plain.meta_sectors + MIB(32));
	KUNIT_EXPECT_EQ(test, t->geo.set[t->geo.gears].start, t->geo.meta_sectors);
	KUNIT_ASSERT_TRUE(test, par_log_shape_of(&shape, &t->geo));
	KUNIT_EXPECT_EQ(test, shape.start, t->geo.meta_sectors - MIB(32));
	KUNIT_EXPECT_EQ(test, shape.members, t->geo.set[1].members);
	KUNIT_EXPECT_EQ(test, shape.copies, t->geo.parities + 1);
	KUNIT_EXPECT_GE(test, shape.start, par_map_sector(&t->geo, t->geo.map_blocks, 0));
	for (i = 1; i <= t->geo.gears; i++)
		KUNIT_EXPECT_LE(test, t->geo.set[i].start + t->geo.set[i].sectors,
				t->geo.dev_sectors);
	KUNIT_EXPECT_FALSE(test, par_log_shape_of(&shape, &t->plain));
	KUNIT_EXPECT_EQ(test, par_geometry_with_log(&t->plain, t->geo.layout, t->geo.members,
						    t->geo.chunk_sectors, t->geo.dev_sectors,
						    t->geo.dev_sectors), PAR_GEO_TOO_SMALL);
}

/* The summaries of all units of the ring are behind its last block, and before the home region. */
static void super_summaries(struct kunit *test)
{
	struct super_test *t = test->priv;
	struct par_log_shape shape, whole;
	unsigned int copy;
	u64 end = 0;
	u32 u;

	KUNIT_ASSERT_TRUE(test, par_log_shape_of(&shape, &t->geo));
	KUNIT_ASSERT_TRUE(test, par_log_shape_init(&whole, shape.members, shape.copies - 1,
						   shape.start, MIB(32)));
	for (u = 0; u < shape.units; u++)
		for (copy = 0; copy < shape.copies; copy++)
			end = max(end, par_log_sector(&shape, u * PAR_LOG_UNIT, copy) +
				       PAR_LOG_UNIT_SECTORS);
	KUNIT_EXPECT_LE(test, end, par_log_summary_sector(&shape, 0));
	KUNIT_EXPECT_LE(test, par_log_summary_sector(&shape, shape.units), t->geo.meta_sectors);
	/* A block of 128 of each unit, in whole units of each member. */
	KUNIT_EXPECT_GE(test, shape.units + whole.units / PAR_LOG_UNIT * shape.members + 2 *
			      shape.members, whole.units);
}

/* The least log with summaries, and a smaller one, which has none. */
static void super_summaries_least(struct kunit *test)
{
	struct super_test *t = test->priv;
	struct par_log_shape shape;

	t->geo.log_sectors = DIV_ROUND_UP(PAR_LOG_SUMMARY_UNITS * (t->geo.parities + 1),
					  t->geo.set[1].members) * PAR_LOG_UNIT_SECTORS;
	KUNIT_EXPECT_TRUE(test, par_log_shape_of(&shape, &t->geo));
	KUNIT_EXPECT_GE(test, shape.units, PAR_LOG_MIN_UNITS);
	KUNIT_EXPECT_NE(test, shape.summaries, 0);
	t->geo.log_sectors -= PAR_LOG_UNIT_SECTORS;
	KUNIT_EXPECT_TRUE(test, par_log_shape_of(&shape, &t->geo));
	KUNIT_EXPECT_EQ(test, shape.summaries, 0);
}

static enum par_format_error unpack(struct super_test *t, const struct par_geometry *geo)
{
	super_test_seal(&t->raw);
	return super_test_unpack(t, geo);
}

static void super_round_trip(struct kunit *test)
{
	struct super_test *t = test->priv;
	struct par_birth birth;

	par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
	par_super_birth(&t->raw, &birth);
	KUNIT_EXPECT_EQ(test, birth.log, MIB(32));
	KUNIT_ASSERT_EQ(test, unpack(t, &t->geo), PAR_FMT_OK);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&t->out.log, &t->sb.log, sizeof(t->sb.log)));
	t->sb.log.summaries_from = 8;
	par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
	KUNIT_ASSERT_EQ(test, unpack(t, &t->geo), PAR_FMT_OK);
	KUNIT_EXPECT_EQ(test, t->out.log.summaries_from, 8);
	/* The superblock of an array with a log, or of one without, not both. */
	KUNIT_EXPECT_EQ(test, unpack(t, &t->plain), PAR_FMT_GEOMETRY);
	par_super_pack(&t->raw, &t->sb, &t->plain, SUPER_MEMBER);
	par_super_birth(&t->raw, &birth);
	KUNIT_EXPECT_EQ(test, birth.log, 0);
	KUNIT_EXPECT_EQ(test, unpack(t, &t->plain), PAR_FMT_OK);
	KUNIT_EXPECT_EQ(test, unpack(t, &t->geo), PAR_FMT_GEOMETRY);
}

static void expect_range(struct kunit *test, const struct par_log_record *log, const char *what,
			 enum par_format_error wanted)
{
	struct super_test *t = test->priv;

	t->sb.log = *log;
	par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
	KUNIT_EXPECT_EQ_MSG(test, unpack(t, &t->geo), wanted, "%s", what);
}

/* Values that a replay would use, and that no store has written. */
static void super_range(struct kunit *test)
{
	struct super_test *t = test->priv;
	struct par_log_record good = t->sb.log, log = good;
	struct par_log_shape shape;

	KUNIT_ASSERT_TRUE(test, par_log_shape_of(&shape, &t->geo));
	log.stable = log.tail + par_log_blocks(&shape);
	expect_range(test, &log, "a full log", PAR_FMT_OK);
	log.stable++;
	expect_range(test, &log, "more than the log", PAR_FMT_RANGE);
	log.stable = log.tail - 1;
	expect_range(test, &log, "flushed before the tail", PAR_FMT_RANGE);
	log = good;
	log.tail = U64_MAX;
	log.stable = U64_MAX;
	expect_range(test, &log, "the end of all positions", PAR_FMT_RANGE);
	log = good;
	log.run = U64_MAX;
	expect_range(test, &log, "the last run", PAR_FMT_RANGE);
	log = good;
	log.absent = BIT(t->geo.set[1].members);
	expect_range(test, &log, "a member that has no log", PAR_FMT_RANGE);
	log.absent--;
	expect_range(test, &log, "all that have one", PAR_FMT_OK);
	log = good;
	log.left = shape.units - PAR_LOG_MIN_UNITS;
	log.stable = log.tail + PAR_LOG_MIN_UNITS * PAR_LOG_UNIT;
	expect_range(test, &log, "a full log of the least length", PAR_FMT_OK);
	log.stable++;
	expect_range(test, &log, "more than its length", PAR_FMT_RANGE);
	log = good;
	log.left = shape.units - PAR_LOG_MIN_UNITS + 1;
	expect_range(test, &log, "too little left to use", PAR_FMT_RANGE);
	log.left = shape.units;
	expect_range(test, &log, "a log that is off", PAR_FMT_OK);
	log.left++;
	expect_range(test, &log, "less than nothing", PAR_FMT_RANGE);
	log = good;
	log.summaries_from = log.run;
	expect_range(test, &log, "summaries of the last run count", PAR_FMT_OK);
	log.summaries_from++;
	expect_range(test, &log, "none counts", PAR_FMT_OK);
	log.summaries_from++;
	expect_range(test, &log, "nor those of the next run", PAR_FMT_RANGE);
	log = good;
	while (par_log_lost_add(&log.lost, 7 + log.lost.count, 1))
		;
	expect_range(test, &log, "as many lost blocks as there may be", PAR_FMT_OK);
	log.lost.entry[PAR_LOG_LOST - 1].sectors = 0;
	expect_range(test, &log, "a lost block without sectors", PAR_FMT_RANGE);
	log.lost.entry[PAR_LOG_LOST - 1].sectors = 1;
	log.lost.entry[PAR_LOG_LOST - 1].block = t->geo.array_sectors / PAR_LOG_BLOCK;
	expect_range(test, &log, "a lost block behind the array's end", PAR_FMT_RANGE);
}

static void seal_birth(struct par_disk_birth *raw)
{
	raw->crc = 0;
	raw->crc = cpu_to_le32(crc32c(~0, raw, sizeof(*raw)));
}

/* The block is ignored if any of its bits is wrong; another array's is known as such. */
static void birth_asks(struct kunit *test)
{
	struct par_disk_birth *raw = kunit_kzalloc(test, sizeof(*raw), GFP_KERNEL);
	u8 uuid[16] = "0123456789abcde";
	struct par_birth birth;
	unsigned int bit;
	bool ours = false;

	KUNIT_ASSERT_NOT_NULL(test, raw);
	KUNIT_EXPECT_FALSE(test, par_birth_read(raw, uuid, &birth, &ours));
	memcpy(raw->magic, PAR_BIRTH_MAGIC, sizeof(raw->magic));
	memcpy(raw->uuid, uuid, sizeof(uuid));
	raw->log_sectors = cpu_to_le64(12345);
	raw->share = cpu_to_le32(10);
	raw->run = cpu_to_le32(4096);
	raw->tract = cpu_to_le32(8192);
	raw->steady = cpu_to_le64(1ULL << 40);
	seal_birth(raw);
	KUNIT_ASSERT_TRUE(test, par_birth_read(raw, uuid, &birth, &ours));
	KUNIT_EXPECT_TRUE(test, ours);
	KUNIT_EXPECT_EQ(test, birth.log, 12345);
	KUNIT_EXPECT_EQ(test, birth.share, 10);
	KUNIT_EXPECT_EQ(test, birth.run, 4096);
	KUNIT_EXPECT_EQ(test, birth.tract, 8192);
	KUNIT_EXPECT_EQ(test, birth.steady, 1ULL << 40);
	for (bit = 0; bit < 8 * sizeof(*raw); bit += bit < 512 ? 1 : 31) {
		((u8 *)raw)[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_FALSE_MSG(test, par_birth_read(raw, uuid, &birth, &ours), "bit %u",
				       bit);
		((u8 *)raw)[bit / 8] ^= 1 << bit % 8;
	}
	uuid[3]++;
	KUNIT_EXPECT_TRUE(test, par_birth_read(raw, uuid, &birth, &ours));
	KUNIT_EXPECT_FALSE(test, ours);
}

/* What the module writes lays the array out as it is, and is of one array with mdadm's record. */
static void birth_kept(struct kunit *test)
{
	struct par_disk_birth *raw = kunit_kzalloc(test, sizeof(*raw), GFP_KERNEL);
	struct par_geometry *geo = kunit_kzalloc(test, sizeof(*geo), GFP_KERNEL);
	const struct par_birth by_mdadm = { .log = 12345, .share = 10 };
	u8 uuid[16] = "0123456789abcde";
	struct par_birth birth, found;
	bool ours = false;

	KUNIT_ASSERT_NOT_NULL(test, raw);
	KUNIT_ASSERT_NOT_NULL(test, geo);
	geo->log_sectors = 12345;
	geo->share = 10;
	geo->run_sectors = 4096;
	geo->tract_sectors = 8192;
	geo->steady = 1ULL << 40;
	par_birth_of(geo, &birth);
	par_birth_pack(raw, uuid, &birth);
	KUNIT_ASSERT_TRUE(test, par_birth_read(raw, uuid, &found, &ours));
	KUNIT_EXPECT_TRUE(test, ours);
	KUNIT_EXPECT_EQ(test, found.log, geo->log_sectors);
	KUNIT_EXPECT_EQ(test, found.share, geo->share);
	KUNIT_EXPECT_EQ(test, found.run, geo->run_sectors);
	KUNIT_EXPECT_EQ(test, found.tract, geo->tract_sectors);
	KUNIT_EXPECT_EQ(test, found.steady, geo->steady);
	KUNIT_EXPECT_TRUE(test, par_birth_agree(&found, &by_mdadm));
	KUNIT_EXPECT_TRUE(test, par_birth_agree(&by_mdadm, &found));
	found.tract++;
	KUNIT_EXPECT_FALSE(test, par_birth_agree(&found, &birth));
	geo->share = PAR_SHARE_ALL;	/* the other fields then say nothing */
	par_birth_of(geo, &found);
	KUNIT_EXPECT_TRUE(test, par_birth_agree(&found, &(struct par_birth) { .log = 12345 }));
	KUNIT_EXPECT_FALSE(test, par_birth_agree(&found, &birth));
	KUNIT_EXPECT_FALSE(test, par_birth_agree(&found, &(struct par_birth) { .log = 0 }));
}

static struct kunit_case log_super_cases[] = {
	KUNIT_CASE_PARAM(super_geometry, super_layout_gen_params),
	KUNIT_CASE_PARAM(super_summaries, super_layout_gen_params),
	KUNIT_CASE_PARAM(super_summaries_least, super_layout_gen_params),
	KUNIT_CASE_PARAM(super_round_trip, super_layout_gen_params),
	KUNIT_CASE_PARAM(super_range, super_layout_gen_params),
	{}
};

static struct kunit_suite log_super_suite = {
	.name = "raid-par-log-super",
	.init = log_super_init,
	.test_cases = log_super_cases,
};

static struct kunit_case log_birth_cases[] = {
	KUNIT_CASE(birth_asks),
	KUNIT_CASE(birth_kept),
	{}
};

static struct kunit_suite log_birth_suite = {
	.name = "raid-par-log-birth",
	.test_cases = log_birth_cases,
};

kunit_test_suites(&log_super_suite, &log_birth_suite);
