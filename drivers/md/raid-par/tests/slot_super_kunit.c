// SPDX-License-Identifier: GPL-2.0
/*
 * Images of a share in the superblock, over all layouts, and the blocks of the slot maps: after
 * each assembly an array has the geometry that it had at its creation, and the limits of a fill.
 */
#include <linux/string.h>
#include <linux/unaligned.h>
#include <kunit/test.h>

#include "super_test.h"
#include "pure/slot-map.h"
#include "pure/validate.h"

/* The size of a member, with room for a log. */
#define MEMBER_SIZE(in)	(3 * (in)->dev + MIB(12))

static const unsigned int shares[] = { 1, 10, 25, 50, 99 };

static void lay_out(struct kunit *test, struct par_geometry *geo,
		    const struct par_kunit_layout *in, const struct par_birth *birth)
{
	struct par_slot_ask ask = {
		.layout = in->layout, .disks = in->disks, .chunk = in->chunk,
		.steady = birth->steady, .sleeper = MEMBER_SIZE(in), .log = birth->log,
		.share = birth->share, .run = birth->run, .tract = birth->tract,
	};
	enum par_geo_error why;

	KUNIT_ASSERT_EQ_MSG(test, par_slot_place_init(geo, &ask, &why), PAR_SLOT_OK, "%s: %s",
			    in->name, par_geo_strerror(why));
}

static int slot_super_init(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;

	super_test_begin(test, MEMBER_SIZE(in));
	return 0;
}

KUNIT_ARRAY_PARAM_DESC(super_layout, par_kunit_layouts, name);

/* The geometry that follows from the superblock is the one that was chosen at creation. */
static void super_leads_back(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct super_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		struct par_birth birth = {
			.log = i % 2 * MIB(8), .share = shares[i],
			.steady = MEMBER_SIZE(in) + i * in->chunk,
		};

		lay_out(test, &t->geo, in, &birth);
		par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
		par_super_birth(&t->raw, &birth);
		KUNIT_EXPECT_EQ(test, birth.share, shares[i]);
		lay_out(test, &t->again, in, &birth);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(&t->geo, &t->again, sizeof(t->geo)), 0,
				    "%s, %u %%", in->name, shares[i]);
		KUNIT_EXPECT_EQ(test, super_test_unpack(t, &t->again), PAR_FMT_OK);
		KUNIT_EXPECT_EQ(test, super_test_unpack(t, &t->plain), PAR_FMT_GEOMETRY);
	}
	par_super_pack(&t->raw, &t->sb, &t->plain, SUPER_MEMBER);
	KUNIT_EXPECT_EQ(test, super_test_unpack(t, &t->geo), PAR_FMT_GEOMETRY);
}

static enum par_format_error unpack_sealed(struct super_test *t)
{
	super_test_seal(&t->raw);
	return super_test_unpack(t, &t->geo);
}

static void expect_geometry(struct kunit *test, const char *what)
{
	struct super_test *t = test->priv;

	KUNIT_EXPECT_EQ_MSG(test, unpack_sealed(t), PAR_FMT_GEOMETRY, "%s", what);
	par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
}

/* A superblock of this array with another share, run or tract does not fit the geometry. */
static void super_differs(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct par_birth birth = { .share = 10, .steady = MEMBER_SIZE(in) };
	struct super_test *t = test->priv;

	lay_out(test, &t->geo, in, &birth);
	par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
	le32_add_cpu(&t->raw.share, 1);
	expect_geometry(test, "share");
	le32_add_cpu(&t->raw.run, 1);
	expect_geometry(test, "run");
	le32_add_cpu(&t->raw.tract, 1);
	expect_geometry(test, "tract");
	le64_add_cpu(&t->raw.steady, 1);
	expect_geometry(test, "members that never sleep");
	t->raw.share = 0;
	expect_geometry(test, "no slots");
}

/* Limits as they are stored, and values that no version stores. */
static void fill_limits(struct kunit *test)
{
	static const struct {
		u64 bytes, want_bytes;
		u32 time, want_time;
		bool odd;
	} cases[] = {
		{ 0, 64ULL << 30, 0, 600, false },
		{ 1 << 20, 1 << 20, 1, 1, false },
		{ 0, 64ULL << 30, 86400, 86400, false },
		{ 1ULL << 50, 1ULL << 50, 0, 600, false },
		{ (1 << 20) - 1, 64ULL << 30, 7, 600, true },
		{ (1ULL << 50) + 1, 64ULL << 30, 7, 600, true },
		{ 1 << 20, 64ULL << 30, 86401, 600, true },
	};
	const struct par_kunit_layout *in = test->param_value;
	struct par_birth birth = { .share = 10, .steady = MEMBER_SIZE(in) };
	struct super_test *t = test->priv;
	unsigned int i;

	lay_out(test, &t->geo, in, &birth);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		t->sb.fill.bytes = cases[i].bytes;
		t->sb.fill.time = cases[i].time;
		par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
		KUNIT_EXPECT_EQ(test, get_unaligned_le64((u8 *)&t->raw + 224), cases[i].bytes);
		KUNIT_EXPECT_EQ(test, get_unaligned_le32((u8 *)&t->raw + 232), cases[i].time);
		KUNIT_ASSERT_EQ(test, super_test_unpack(t, &t->geo), PAR_FMT_OK);
		KUNIT_EXPECT_EQ_MSG(test, !!(par_super_mend(&t->out, &t->geo, 0) &
					     BIT(PAR_ODD_FILL)), cases[i].odd, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, t->out.fill.bytes, cases[i].want_bytes, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, t->out.fill.time, cases[i].want_time, "case %u", i);
	}
	/* An array with images of everything has no limits. */
	par_super_pack(&t->raw, &t->sb, &t->plain, SUPER_MEMBER);
	KUNIT_EXPECT_EQ(test, get_unaligned_le64((u8 *)&t->raw + 224), 0);
	t->geo = t->plain;
	t->raw.fill_bytes = cpu_to_le64(1);
	KUNIT_ASSERT_EQ(test, unpack_sealed(t), PAR_FMT_OK);
	KUNIT_EXPECT_FALSE(test, par_super_mend(&t->out, &t->geo, 0) & BIT(PAR_ODD_FILL));
}

/* Each class of misses, in each hour: with the loads of the hour, and with none. */
static void hours_keep_misses(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct par_birth birth = { .share = 10, .steady = MEMBER_SIZE(in) };
	struct super_test *t = test->priv;
	struct par_policy_record *put = &t->sb.policy, *got = &t->out.policy;
	unsigned int i;

	lay_out(test, &t->geo, in, &birth);
	par_knobs_init(&put->knobs, &t->geo);
	for (i = 0; i < PAR_HISTORY_HOURS; i++) {
		put->mean[i] = i % 5 ? 97 * i : PAR_LOAD_UNKNOWN;
		put->peak[i] = i % 5 ? PAR_HOUR_MOST - i : PAR_LOAD_UNKNOWN;
		put->misses[i] = i % 5 ? i % PAR_MISS_CLASSES : 0;
	}
	par_super_pack(&t->raw, &t->sb, &t->geo, SUPER_MEMBER);
	/* Class 11: 3 beside the mean, 2 beside the peak. */
	KUNIT_EXPECT_EQ(test, le16_to_cpu(t->raw.history[11].mean), 97 * 11 + 3 * 16384);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(t->raw.history[11].peak), 16382 - 11 + 2 * 16384);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(t->raw.history[15].mean), 0xffff);
	KUNIT_ASSERT_EQ(test, super_test_unpack(t, &t->geo), PAR_FMT_OK);
	KUNIT_EXPECT_FALSE(test, par_super_mend(&t->out, &t->geo, 0) & BIT(PAR_ODD_HISTORY));
	KUNIT_EXPECT_MEMEQ(test, got->mean, put->mean, sizeof(put->mean));
	KUNIT_EXPECT_MEMEQ(test, got->peak, put->peak, sizeof(put->peak));
	KUNIT_EXPECT_MEMEQ(test, got->misses, put->misses, sizeof(put->misses));
	/* Half an hour has no misses, either. */
	t->raw.history[11].peak = cpu_to_le16(0xffff);
	KUNIT_ASSERT_EQ(test, unpack_sealed(t), PAR_FMT_OK);
	KUNIT_EXPECT_TRUE(test, par_super_mend(&t->out, &t->geo, 0) & BIT(PAR_ODD_HISTORY));
	KUNIT_EXPECT_EQ(test, got->mean[11], PAR_LOAD_UNKNOWN);
	KUNIT_EXPECT_EQ(test, got->misses[11], 0);
}

/* Each block of the slot maps: the last run and the last slot are valid, one more is not. */
static void blocks_in_range(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct par_birth birth = { .share = 50, .steady = MEMBER_SIZE(in) };
	struct super_test *t = test->priv;
	struct par_disk_slots *slots = (struct par_disk_slots *)t->block.payload;
	u32 block, index, last;

	lay_out(test, &t->geo, in, &birth);
	for (block = 0; block < t->geo.slot_blocks; block++) {
		const struct par_band *band = &t->geo.band[par_slot_block_band(&t->geo, block,
									       &index)];

		KUNIT_ASSERT_EQ(test, band->block_base + index, block);
		last = min_t(u64, band->slots - (u64)index * PAR_SLOTS_A_BLOCK,
			     PAR_SLOTS_A_BLOCK) - 1;
		memset(slots, 0, sizeof(*slots));
		KUNIT_EXPECT_TRUE(test, par_slots_ok(&t->geo, block, &t->block));
		slots->run[last] = cpu_to_le32(band->runs);
		KUNIT_EXPECT_TRUE(test, par_slots_ok(&t->geo, block, &t->block));
		slots->run[last] = cpu_to_le32(band->runs + 1);
		KUNIT_EXPECT_FALSE(test, par_slots_ok(&t->geo, block, &t->block));
		slots->run[last] = cpu_to_le32(1);
		if (last == PAR_SLOTS_A_BLOCK - 1)
			continue;
		slots->run[last + 1] = cpu_to_le32(1);
		KUNIT_EXPECT_FALSE(test, par_slots_ok(&t->geo, block, &t->block));
	}
}

static struct kunit_case slot_super_cases[] = {
	KUNIT_CASE_PARAM(super_leads_back, super_layout_gen_params),
	KUNIT_CASE_PARAM(super_differs, super_layout_gen_params),
	KUNIT_CASE_PARAM(fill_limits, super_layout_gen_params),
	KUNIT_CASE_PARAM(hours_keep_misses, super_layout_gen_params),
	KUNIT_CASE_PARAM(blocks_in_range, super_layout_gen_params),
	{}
};

static struct kunit_suite slot_super_suite = {
	.name = "raid-par-slot-super",
	.init = slot_super_init,
	.test_cases = slot_super_cases,
};

kunit_test_suite(slot_super_suite);
