// SPDX-License-Identifier: GPL-2.0
/*
 * Allowed values in metadata with a right checksum: each bound by itself, then many
 * superblocks and blocks with random values. Everything that is accepted must satisfy the
 * conditions that the rest of the module relies on, which are written here once more in a
 * simple way.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "pure/validate.h"
#include "super_test.h"

#define SEED		20261123
#define CTIME		1700000000ULL
#define NOW		1800000000ULL
#define EPOCH		0x1122334455667788ULL
#define MEMBER		1U
#define MOST_SEQ	0x4000000000000000ULL

/* Variants of a superblock and of a block, for each of the layouts. */
#define VARIANTS	8000

struct val_test {
	struct par_geometry geo;
	struct par_super sane, out;
	struct rnd_state rng;
	struct par_identity id;
	struct par_disk_super raw;
	struct par_disk_block block;
};

KUNIT_ARRAY_PARAM_DESC(val_layout, par_kunit_layouts, name);

/* An array in use: a member is missing, another is being rebuilt. */
static void make_sane(struct val_test *t)
{
	struct par_super *sb = &t->sane;
	unsigned int i;

	memset(sb, 0, sizeof(*sb));
	memcpy(sb->uuid, t->id.uuid, sizeof(sb->uuid));
	sb->ctime = CTIME;
	sb->epoch = EPOCH;
	sb->seq = 1000;
	sb->block_seq = 5000000;
	sb->gear = t->geo.gears;
	sb->partial = 2;
	for (i = 0; i < t->geo.members; i++)
		sb->min_seq[i] = 990 + i % 11;
	for (i = 1; i <= t->geo.gears; i++) {
		sb->set[i].failed = 1;
		sb->set[i].recovering = 2;
		sb->set[i].recovered = t->geo.set[i].sectors;
		sb->set[i].resync = U64_MAX;
		sb->set[i].events = 17;
	}
	par_super_defaults(sb, &t->geo, NOW);
}

static int val_test_init(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct val_test *t = super_test_alloc(test, sizeof(*t));

	prandom_seed_state(&t->rng, SEED);
	prandom_bytes_state(&t->rng, t->id.uuid, sizeof(t->id.uuid));
	t->id.ctime = CTIME;
	super_test_geometry(test, &t->geo, in->dev);
	make_sane(t);
	return 0;
}

static enum par_format_error unpack(struct val_test *t)
{
	super_test_seal(&t->raw);
	return par_super_unpack(&t->out, &t->raw, &t->geo, &t->id, MEMBER);
}

static void pack_sane(struct val_test *t)
{
	par_super_pack(&t->raw, &t->sane, &t->geo, MEMBER);
}

/* ---- one bound after the other ---- */

/* Values that an array stores are accepted, and none is odd. */
static void super_as_stored(struct kunit *test)
{
	struct val_test *t = test->priv;

	pack_sane(t);
	KUNIT_ASSERT_EQ(test, unpack(t), PAR_FMT_OK);
	KUNIT_EXPECT_EQ(test, par_super_mend(&t->out, &t->geo, NOW), 0);
	KUNIT_EXPECT_EQ(test, t->out.set[1].recovered, t->geo.set[1].sectors);
	KUNIT_EXPECT_EQ(test, t->out.seq, 1000);
	KUNIT_EXPECT_EQ(test, t->out.min_seq[1], 991);
}

static void expect_range(struct kunit *test, const char *what)
{
	struct val_test *t = test->priv;

	KUNIT_EXPECT_EQ_MSG(test, unpack(t), PAR_FMT_RANGE, "%s", what);
	pack_sane(t);
	KUNIT_EXPECT_EQ_MSG(test, unpack(t), PAR_FMT_OK, "%s", what);
}

/* Values that decide which copy is trusted, or which member is whole or failed. */
static void super_refused(struct kunit *test)
{
	struct val_test *t = test->priv;
	u32 beyond = (u32)BIT(t->geo.members);
	unsigned int i;

	pack_sane(t);
	t->raw.seq = 0;
	expect_range(test, "seq 0");
	t->raw.seq = cpu_to_le64(U64_MAX);
	expect_range(test, "seq that wraps");
	t->raw.seq = cpu_to_le64(MOST_SEQ + 1);
	expect_range(test, "seq too large");
	t->raw.block_seq = cpu_to_le64(U64_MAX - 5);
	expect_range(test, "block_seq that wraps");
	t->raw.partial = cpu_to_le32(beyond);
	expect_range(test, "partial");
	t->raw.min_seq[t->geo.members - 1] = cpu_to_le64(1001);
	expect_range(test, "held");
	for (i = 1; i <= t->geo.gears; i++) {
		t->raw.set[i - 1].failed = cpu_to_le32(BIT(t->geo.set[i].members));
		expect_range(test, "failed");
		t->raw.set[i - 1].recovering = cpu_to_le32(0x80000000);
		expect_range(test, "recovering");
	}
}

/* The superblock with one value changed is accepted, and reported as odd in this way. */
static void expect_odd(struct kunit *test, u32 odd, const char *what)
{
	struct val_test *t = test->priv;

	KUNIT_ASSERT_EQ_MSG(test, unpack(t), PAR_FMT_OK, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, par_super_mend(&t->out, &t->geo, NOW), odd, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, par_super_mend(&t->out, &t->geo, NOW), 0,
			    "%s, once more", what);
	pack_sane(t);
}

static void expect_defaults(struct kunit *test)
{
	struct val_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, t->out.speed_min, 8192);
	KUNIT_EXPECT_EQ(test, t->out.speed_max, 2097152);
}

/* Hours of which one load is unknown, and misses of arrays that cannot have any. */
static void hours_mended(struct kunit *test)
{
	struct val_test *t = test->priv;

	pack_sane(t);
	t->raw.history[5].mean = cpu_to_le16(100);
	expect_odd(test, BIT(PAR_ODD_HISTORY), "half an hour");
	KUNIT_EXPECT_EQ(test, t->out.policy.mean[5], 0xffff);
	t->raw.history[5].mean = cpu_to_le16(100);
	t->raw.history[5].peak = cpu_to_le16(16382);
	expect_odd(test, 0, "an hour");
	KUNIT_EXPECT_EQ(test, t->out.policy.peak[5], 16382);
	t->raw.history[5].mean = cpu_to_le16(100);
	t->raw.history[5].peak = cpu_to_le16(100 | 1 << 14);
	expect_odd(test, BIT(PAR_ODD_HISTORY), "misses without slots");
	KUNIT_EXPECT_EQ(test, t->out.policy.mean[5], 0xffff);
	KUNIT_EXPECT_EQ(test, t->out.policy.misses[5], 0);
}

/* The speeds that propagate.c divides by. */
static void super_speeds(struct kunit *test)
{
	struct val_test *t = test->priv;

	pack_sane(t);
	t->raw.speed_min = 0;
	expect_odd(test, BIT(PAR_ODD_SPEED), "speed_min 0");
	expect_defaults(test);
	t->raw.speed_min = 0;
	t->raw.speed_max = 0;
	expect_odd(test, BIT(PAR_ODD_SPEED), "both 0");
	expect_defaults(test);
	t->raw.speed_max = cpu_to_le32(1);
	expect_odd(test, BIT(PAR_ODD_SPEED), "speed_max below speed_min");
	expect_defaults(test);
	t->raw.speed_min = cpu_to_le32(1);
	t->raw.speed_max = cpu_to_le32(1);
	expect_odd(test, 0, "as slow as can be");
	KUNIT_EXPECT_EQ(test, t->out.speed_max, 1);
}

static void super_mended(struct kunit *test)
{
	struct val_test *t = test->priv;
	struct par_disk_set *set = &t->raw.set[t->geo.gears - 1];
	struct par_set_record *out = &t->out.set[t->geo.gears];
	u64 sectors = t->geo.set[t->geo.gears].sectors;

	pack_sane(t);
	t->raw.flags = cpu_to_le32(5);
	expect_odd(test, BIT(PAR_ODD_FLAGS), "an unknown flag");
	KUNIT_EXPECT_EQ(test, t->out.flags, PAR_SB_CLEAN);
	set->recovered = cpu_to_le64(sectors + 8);
	expect_odd(test, BIT(PAR_ODD_POSITION), "recovered beyond the set");
	KUNIT_EXPECT_EQ(test, out->recovered, 0);
	set->recovered = cpu_to_le64(sectors - 3);
	expect_odd(test, BIT(PAR_ODD_POSITION), "recovered within a page");
	KUNIT_EXPECT_EQ(test, out->recovered, sectors - 8);
	set->resync = cpu_to_le64(U64_MAX - 1);
	expect_odd(test, BIT(PAR_ODD_POSITION), "resync beyond the set");
	KUNIT_EXPECT_EQ(test, out->resync, 0);
	set->events = cpu_to_le64(U64_MAX - 1);
	expect_odd(test, BIT(PAR_ODD_EVENTS), "events about to wrap");
	KUNIT_EXPECT_EQ(test, out->events, 0);
	t->raw.carry = cpu_to_le32(U32_MAX);
	expect_odd(test, BIT(PAR_ODD_POWER), "carry");
	KUNIT_EXPECT_EQ(test, t->out.power.carry, 7);
	t->raw.power[0].years = 0;
	expect_odd(test, BIT(PAR_ODD_RATION), "no years");
	KUNIT_EXPECT_EQ(test, t->out.power.ration[0].years, 5);
	t->raw.power[0].left = cpu_to_le64(U64_MAX);
	expect_odd(test, 0, "more starts than can be saved up");
	KUNIT_EXPECT_LE(test, par_ration_left(&t->out.power.ration[0]), 8 * 28);
	t->raw.interval = 0;
	expect_odd(test, BIT(PAR_ODD_POLICY), "an interval of 0");
	KUNIT_EXPECT_EQ(test, t->out.policy.knobs.interval, 1000);
	t->raw.sleep = cpu_to_le64(U64_MAX);
	expect_odd(test, BIT(PAR_ODD_POLICY), "sleeps for ever");
	t->raw.nr_surges[0] = 3;
	t->raw.surges[0].lasted[0] = cpu_to_le16(7);
	t->raw.starts_in = cpu_to_le32(30);
	expect_odd(test, 0, "three surges");
	KUNIT_EXPECT_EQ(test, t->out.policy.surges[0].lasted[0], 7);
	t->raw.nr_surges[2] = 32;
	expect_odd(test, BIT(PAR_ODD_HISTORY), "more surges than are counted");
	KUNIT_EXPECT_EQ(test, t->out.policy.surges[0].count, 0);
	KUNIT_EXPECT_EQ(test, t->out.policy.starts_in, 0);
	t->raw.nr_surges[2] = 31;
	t->raw.leaves_in = cpu_to_le32(86401);
	expect_odd(test, BIT(PAR_ODD_HISTORY), "a shift down of more than a day");
	KUNIT_EXPECT_EQ(test, t->out.policy.surges[2].count, 0);
	t->raw.scrub_age = cpu_to_le32(3651);
	expect_odd(test, BIT(PAR_ODD_SCRUB), "ten years and more between checks");
	KUNIT_EXPECT_EQ(test, t->out.scrub.age, 35);
}

static void odd_names(struct kunit *test)
{
	enum par_odd odd;

	for (odd = 0; odd < PAR_ODDS; odd++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, par_odd_name(odd), "%d", odd);
}

/* ---- what the rest relies on, of a superblock ---- */

static bool position_fits(u64 position, u64 sectors)
{
	return position == U64_MAX || (position <= sectors && position % 8 == 0);
}

static bool set_fits(const struct par_set_record *set, const struct par_set_geometry *sg)
{
	return set->failed >> (sg->members - 1) <= 1 &&
	       set->recovering >> (sg->members - 1) <= 1 &&
	       position_fits(set->recovered, sg->sectors) &&
	       position_fits(set->resync, sg->sectors) && set->events <= MOST_SEQ;
}

static bool ration_fits(const struct par_ration *ration, u32 carry)
{
	return ration->cycles >= 1 && ration->cycles <= 10000000 &&
	       ration->years >= 1 && ration->years <= 100 &&
	       ration->left < (carry + 1ULL) * ration->cycles + ration->years * 365;
}

static bool power_fits(const struct par_super *sb, const struct par_geometry *geo)
{
	const struct par_power_record *p = &sb->power;
	unsigned int d;

	for (d = 0; d < geo->members; d++)
		if (!ration_fits(&p->ration[d], p->carry))
			return false;
	return p->carry <= 3650 && p->wake_timeout >= 1 &&
	       p->wake_timeout <= 3600 && p->wake_stagger <= 60000 &&
	       p->stop_after <= 86400;
}

static bool is_gear(const struct par_geometry *geo, u32 members)
{
	return members >= 1 && members <= 28 && geo->layout >> (members - 1) & 1;
}

static bool knobs_fit(const struct par_knobs *k, const struct par_geometry *geo)
{
	return k->interval >= 100 && k->interval <= 60000 && k->window[0] >= 1 &&
	       k->window[0] <= 60 && k->window[1] >= k->window[0] &&
	       k->window[1] <= 900 && k->down >= 1 && k->down < k->up && k->up <= 100 &&
	       k->wait <= 60000 && k->hold <= 86400 && k->break_even <= 86400 &&
	       is_gear(geo, k->min_gear) && is_gear(geo, k->max_gear) &&
	       k->min_gear <= k->max_gear;
}

static bool policy_fits(const struct par_super *sb, const struct par_geometry *geo)
{
	const struct par_policy_record *p = &sb->policy;
	unsigned int i;

	for (i = 0; i < 168; i++) {
		bool mean = p->mean[i] == 0xffff, peak = p->peak[i] == 0xffff;

		/* These arrays have images of everything. */
		if (mean != peak || p->misses[i])
			return false;
	}
	for (i = 0; i < 4; i++)
		if (p->surges[i].count >= 32)
			return false;
	return knobs_fit(&p->knobs, geo) && p->regrets <= 16 &&
	       p->pauses.count < 32 && p->starts_in <= 300 && p->leaves_in <= 86400 &&
	       p->sleep <= U32_MAX;
}

static bool super_fits(const struct par_super *sb, const struct par_geometry *geo)
{
	unsigned int i;

	for (i = 0; i < geo->members; i++)
		if (sb->min_seq[i] > sb->seq)
			return false;
	for (i = 1; i <= geo->gears; i++)
		if (!set_fits(&sb->set[i], &geo->set[i]))
			return false;
	return sb->seq >= 1 && sb->seq <= MOST_SEQ && sb->block_seq <= MOST_SEQ &&
	       sb->gear >= 1 && sb->gear <= geo->gears && sb->flags <= 1 &&
	       sb->partial >> (geo->members - 1) <= 1 && sb->speed_min >= 1 &&
	       sb->speed_min <= sb->speed_max && sb->scrub.age <= 3650 &&
	       power_fits(sb, geo) &&
	       policy_fits(sb, geo);
}

/* ---- many at random ---- */

static u32 random32(struct val_test *t, u32 below)
{
	return prandom_u32_state(&t->rng) % below;
}

/* Mostly near the limits of numbers of this kind. */
static u64 hostile(struct val_test *t)
{
	const struct par_set_geometry *sg = &t->geo.set[1 + random32(t, t->geo.gears)];
	const u64 ends[] = { 0, U32_MAX, U64_MAX, 1ULL << 31, 1ULL << 32, 1ULL << 62,
		1ULL << 63, sg->sectors, sg->rows, sg->members, BIT_ULL(sg->members),
		1000, 5000000, 3600, 60000, 86400, NOW };
	u64 value = ends[random32(t, ARRAY_SIZE(ends))];

	switch (random32(t, 4)) {
	case 0:
		return value;
	case 1:
		return value + random32(t, 3) - 1;
	case 2:
		return prandom_u32_state(&t->rng) >> random32(t, 32);
	default:
		return (u64)prandom_u32_state(&t->rng) << 32 | prandom_u32_state(&t->rng);
	}
}

/* Everything but the identity and the geometry, which have tests of their own. */
static size_t random_place(struct val_test *t)
{
	size_t at;

	switch (random32(t, 4)) {
	case 0:
		at = 72 + random32(t, 4) * 4;
		break;
	case 1:
		at = 140 + random32(t, 5) * 4;
		break;
	case 2:
		at = 256 + 48 * random32(t, t->geo.gears) + 16 + 4 * random32(t, 8);
		break;
	default:
		at = 1552 + 4 * random32(t, (3672 - 1552) / 4);
	}
	return at;
}

static void change(struct val_test *t)
{
	u8 *raw = (u8 *)&t->raw;
	size_t at = random_place(t);
	u64 value = hostile(t);

	if (random32(t, 2) && at % 8 == 0)
		put_unaligned_le64(value, raw + at);
	else
		put_unaligned_le32(value, raw + at);
}

static void super_fuzz(struct kunit *test)
{
	struct val_test *t = test->priv;
	unsigned int i, k, passed = 0, refused = 0, odd = 0;
	enum par_format_error err;

	for (i = 0; i < VARIANTS; i++) {
		pack_sane(t);
		for (k = 0; k <= i % 5; k++)
			change(t);
		err = unpack(t);
		if (err) {
			KUNIT_ASSERT_EQ_MSG(test, err, PAR_FMT_RANGE, "variant %u", i);
			refused++;
			continue;
		}
		passed++;
		odd += par_super_mend(&t->out, &t->geo, NOW) != 0;
		KUNIT_ASSERT_TRUE_MSG(test, super_fits(&t->out, &t->geo), "variant %u", i);
	}
	/* Otherwise the test has not tried much. */
	KUNIT_EXPECT_GT(test, refused, VARIANTS / 10);
	KUNIT_EXPECT_GT(test, odd, VARIANTS / 10);
	KUNIT_EXPECT_GT(test, passed, odd);
}

/* ---- blocks ---- */

static void seal(struct val_test *t, enum par_block_kind kind, u32 index, u64 seq)
{
	par_block_seal(&t->block, kind, index, EPOCH, seq);
}

static bool valid(struct val_test *t, enum par_block_kind kind, u32 index)
{
	return par_block_valid(&t->block, &t->geo, kind, index, EPOCH);
}

static u64 damaged(struct val_test *t, enum par_block_kind kind, u32 index)
{
	return par_block_damaged(&t->block, &t->geo, kind, index, EPOCH);
}

static void block_numbers(struct kunit *test)
{
	struct val_test *t = test->priv;

	seal(t, PAR_BLOCK_INTENT, 0, 5);
	KUNIT_EXPECT_TRUE(test, valid(t, PAR_BLOCK_INTENT, 0));
	KUNIT_EXPECT_EQ(test, damaged(t, PAR_BLOCK_INTENT, 0), 0);
	KUNIT_EXPECT_FALSE(test, valid(t, PAR_BLOCK_MAP, 0));
	KUNIT_EXPECT_EQ(test, damaged(t, PAR_BLOCK_MAP, 0), 0);
	seal(t, PAR_BLOCK_INTENT, 0, 0);
	KUNIT_EXPECT_FALSE(test, valid(t, PAR_BLOCK_INTENT, 0));
	seal(t, PAR_BLOCK_INTENT, 0, U64_MAX);
	KUNIT_EXPECT_FALSE(test, valid(t, PAR_BLOCK_INTENT, 0));
	/* The header of a torn block cannot be trusted, and must not make our numbers wrap. */
	t->block.payload[0] ^= 1;
	KUNIT_EXPECT_EQ(test, damaged(t, PAR_BLOCK_INTENT, 0), 0);
	seal(t, PAR_BLOCK_INTENT, 0, MOST_SEQ);
	t->block.payload[0] ^= 1;
	KUNIT_EXPECT_EQ(test, damaged(t, PAR_BLOCK_INTENT, 0), MOST_SEQ);
}

static bool intent_fits(const struct par_geometry *geo, u8 byte)
{
	return byte % 32 <= geo->gears && (byte / 64 % 2 == 0 || geo->parities);
}

/* Each byte in turn, in the first and the last zone of the block. */
static void intent_bytes(struct kunit *test)
{
	struct val_test *t = test->priv;
	u32 count = min(t->geo.zones, PAR_BLOCK_PAYLOAD);
	unsigned int byte;

	memset(&t->block, 0, sizeof(t->block));
	for (byte = 0; byte < 256; byte++) {
		bool fits = intent_fits(&t->geo, byte);

		t->block.payload[byte % 2 ? count - 1 : 0] = byte;
		seal(t, PAR_BLOCK_INTENT, 0, 7);
		KUNIT_EXPECT_EQ_MSG(test, valid(t, PAR_BLOCK_INTENT, 0), fits, "%#x", byte);
		KUNIT_EXPECT_EQ_MSG(test, damaged(t, PAR_BLOCK_INTENT, 0), fits ? 0 : 7,
				    "%#x", byte);
		t->block.payload[byte % 2 ? count - 1 : 0] = 0;
	}
	/* The bytes after the last zone are never read. */
	if (count < PAR_BLOCK_PAYLOAD) {
		t->block.payload[count] = 0xff;
		seal(t, PAR_BLOCK_INTENT, 0, 7);
		KUNIT_EXPECT_TRUE(test, valid(t, PAR_BLOCK_INTENT, 0));
	}
}

/* Its bytes are no intents: numbers of sectors name gears that do not exist. */
static void lost_list(struct kunit *test)
{
	struct val_test *t = test->priv;
	struct par_disk_lost *raw = (struct par_disk_lost *)t->block.payload;
	unsigned int i;

	memset(&t->block, 0, sizeof(t->block));
	raw->count = cpu_to_le32(PAR_LOST_MAX);
	for (i = 0; i < PAR_LOST_MAX; i++)
		raw->range[i] = (struct par_disk_lost_range) {
			.sector = cpu_to_le64(i * 0x1f1f1f8ULL),
			.sectors = cpu_to_le32(0x1f8),
			.set = t->geo.gears,
		};
	seal(t, PAR_BLOCK_LOST, 0, 7);
	KUNIT_EXPECT_TRUE(test, valid(t, PAR_BLOCK_LOST, 0));
	KUNIT_EXPECT_EQ(test, damaged(t, PAR_BLOCK_LOST, 0), 0);
	t->block.payload[0] ^= 1;
	KUNIT_EXPECT_FALSE(test, valid(t, PAR_BLOCK_LOST, 0));
	KUNIT_EXPECT_EQ(test, damaged(t, PAR_BLOCK_LOST, 0), 7);
}

static unsigned int bit_of(const u8 *payload, unsigned int bit)
{
	return payload[bit / 8] >> bit % 8 & 1;
}

/* Two bits per sleeper: does a row have either all fields 0, or none? */
static bool row_fits(const u8 *payload, unsigned int width, unsigned int row)
{
	unsigned int k, written = 0;

	for (k = 0; k < width / 2; k++)
		written += bit_of(payload, row * width + 2 * k) ||
			   bit_of(payload, row * width + 2 * k + 1);
	return !written || written == width / 2;
}

static unsigned int rows_in(const struct par_set_geometry *sg, u32 block)
{
	u64 first = (u64)(block - sg->block_base) * sg->block_zones * 512;

	return min(sg->rows - first, sg->block_zones * 512ULL);
}

static bool map_fits(const u8 *payload, const struct par_set_geometry *sg, u32 block)
{
	unsigned int row;

	for (row = 0; sg->width > 1 && row < rows_in(sg, block); row++)
		if (!row_fits(payload, sg->width, row))
			return false;
	return true;
}

static void put_bit(u8 *payload, unsigned int bit, bool on)
{
	payload[bit / 8] = (payload[bit / 8] & ~(1 << bit % 8)) | on << bit % 8;
}

/* Half of its rows are written, in states at random. */
static void random_rows(struct val_test *t, const struct par_set_geometry *sg)
{
	unsigned int rows = sg->block_zones * 512, row, k, state;

	memset(&t->block, 0, sizeof(t->block));
	for (row = 0; row < rows; row++) {
		if (random32(t, 2))
			continue;
		for (k = 0; k < sg->width; k += 2) {
			state = 1 + random32(t, 3);
			put_bit(t->block.payload, row * sg->width + k, state & 1);
			if (sg->width > 1)
				put_bit(t->block.payload, row * sg->width + k + 1, state & 2);
		}
	}
}

/* As it is stored; then a few bits are turned over, some to and fro. */
static void map_fuzz(struct kunit *test)
{
	struct val_test *t = test->priv;
	unsigned int i, k, bad = 0, wide = 0;

	for (i = 0; i < VARIANTS / 4; i++) {
		const struct par_set_geometry *sg = &t->geo.set[1 + i % t->geo.gears];
		u32 block = sg->block_base + random32(t, sg->blocks);
		unsigned int bits = rows_in(sg, block) * sg->width;
		bool fits;

		if (i % 64 < t->geo.gears)
			random_rows(t, sg);
		wide += sg->width > 2;
		for (k = 0; k < i % 3; k++)
			t->block.payload[random32(t, bits) / 8] ^= 1 << random32(t, 8);
		fits = map_fits(t->block.payload, sg, block);
		bad += !fits;
		KUNIT_ASSERT_EQ_MSG(test, par_map_ok(&t->geo, block, &t->block), fits,
				    "variant %u, block %u", i, block);
	}
	KUNIT_EXPECT_TRUE(test, !wide || bad > wide / 4);
}

/* Each row by itself: one sleeper's segment unwritten, the others written, or not. */
static void map_halves(struct kunit *test)
{
	struct val_test *t = test->priv;
	const struct par_set_geometry *sg = &t->geo.set[t->geo.gears];
	unsigned int rows = rows_in(sg, sg->block_base), row;

	if (sg->width <= 2)
		kunit_skip(test, "a row is of one sleeper");
	memset(&t->block, 0, sizeof(t->block));
	for (row = 0; row < rows; row++) {
		put_bit(t->block.payload, row * sg->width + sg->width - 1, true);
		KUNIT_EXPECT_FALSE_MSG(test, par_map_ok(&t->geo, sg->block_base, &t->block),
				       "row %u of %u", row, rows);
		put_bit(t->block.payload, row * sg->width + sg->width - 1, false);
	}
	seal(t, PAR_BLOCK_MAP, sg->block_base, 9);
	KUNIT_EXPECT_TRUE(test, valid(t, PAR_BLOCK_MAP, sg->block_base));
	t->block.payload[0] = 1;
	seal(t, PAR_BLOCK_MAP, sg->block_base, 9);
	KUNIT_EXPECT_FALSE(test, valid(t, PAR_BLOCK_MAP, sg->block_base));
	KUNIT_EXPECT_EQ(test, damaged(t, PAR_BLOCK_MAP, sg->block_base), 9);
}

static struct kunit_case validate_cases[] = {
	KUNIT_CASE_PARAM(super_as_stored, val_layout_gen_params),
	KUNIT_CASE_PARAM(super_refused, val_layout_gen_params),
	KUNIT_CASE_PARAM(super_speeds, val_layout_gen_params),
	KUNIT_CASE_PARAM(super_mended, val_layout_gen_params),
	KUNIT_CASE_PARAM(hours_mended, val_layout_gen_params),
	KUNIT_CASE_PARAM(super_fuzz, val_layout_gen_params),
	KUNIT_CASE_PARAM(block_numbers, val_layout_gen_params),
	KUNIT_CASE_PARAM(intent_bytes, val_layout_gen_params),
	KUNIT_CASE_PARAM(lost_list, val_layout_gen_params),
	KUNIT_CASE_PARAM(map_fuzz, val_layout_gen_params),
	KUNIT_CASE_PARAM(map_halves, val_layout_gen_params),
	{}
};

static struct kunit_suite validate_suite = {
	.name = "raid-par-validate",
	.init = val_test_init,
	.test_cases = validate_cases,
};

static struct kunit_case name_cases[] = {
	KUNIT_CASE(odd_names),
	{}
};

static struct kunit_suite name_suite = {
	.name = "raid-par-validate-names",
	.test_cases = name_cases,
};

kunit_test_suites(&validate_suite, &name_suite);
