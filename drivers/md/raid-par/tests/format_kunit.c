// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata packing and checking: what is written is read back, and nothing else is
 * accepted.
 */
#include <kunit/test.h>
#include <linux/build_bug.h>
#include <linux/crc32c.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "pure/zone.h"
#include "super_test.h"

#define SEED		20240301
#define SECTOR		512
#define SECTORS		(PAR_BLOCK_BYTES / SECTOR)

#define CTIME		1700000000ULL
#define MEMBER		1U	/* every array has it */
#define INDEX		7U
#define EPOCH		0x1122334455667788ULL

struct fmt_test {
	struct par_geometry geo;
	struct par_super sb, other, untouched, out;
	struct rnd_state rng;
	struct par_identity id;
	/* One of the three kinds of block, and an older version of it. */
	u8 new[PAR_BLOCK_BYTES], old[PAR_BLOCK_BYTES], mix[PAR_BLOCK_BYTES];
};

/* ---- making blocks ---- */

/* CRC32C a bit at a time. */
static u32 dumb_crc(const u8 *p, size_t len)
{
	u32 crc = ~0U;
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

static void checksum(u8 *block, size_t crc_at)
{
	put_unaligned_le32(0, block + crc_at);
	put_unaligned_le32(crc32c(~0, block, PAR_BLOCK_BYTES), block + crc_at);
}

static void checksum_super(struct par_disk_super *raw)
{
	checksum((u8 *)raw, 8);
}

static void checksum_block(struct par_disk_block *raw)
{
	checksum((u8 *)raw, 4);
}

static u64 random64(struct fmt_test *t)
{
	u64 high = prandom_u32_state(&t->rng);

	return high << 32 | prandom_u32_state(&t->rng);
}

/* Other invalid values, refused or corrected, are in validate_kunit.c. */
static void random_records(struct fmt_test *t, struct par_super *sb)
{
	unsigned int i;

	sb->seq = 1 + (random64(t) >> 3);
	sb->block_seq = random64(t) >> 3;
	sb->partial &= BIT(t->geo.members) - 1;
	for (i = 0; i < t->geo.members; i++)
		sb->min_seq[i] = sb->seq - prandom_u32_state(&t->rng) % min(sb->seq, 99ULL);
	for (i = 1; i <= t->geo.gears; i++) {
		sb->set[i].failed &= BIT(t->geo.set[i].members) - 1;
		sb->set[i].recovering &= BIT(t->geo.set[i].members) - 1;
	}
}

/* Limit the spans to the number and the lengths that can be stored. */
static void trim_spans(struct par_spans *spans)
{
	unsigned int i;

	for (i = 0; i < PAR_SPANS; i++)
		spans->lasted[i] &= 0xffff;
	spans->count %= 32;
}

/* Hours are kept in 14 bits for each load, and 4 for the misses of those that are known. */
static void trim_hours(struct par_policy_record *policy)
{
	unsigned int i;

	for (i = 0; i < 168; i++) {
		policy->mean[i] = policy->mean[i] % 5 ? policy->mean[i] % 16383 : 0xffff;
		policy->peak[i] = policy->peak[i] % 5 ? policy->peak[i] % 16383 : 0xffff;
		policy->misses[i] %= 16;
		if (policy->mean[i] == 0xffff || policy->peak[i] == 0xffff)
			policy->misses[i] = 0;
	}
}

static u16 load_bytes(u16 load, u8 misses)
{
	return load == 0xffff ? 0xffff : load + 16384 * misses;
}

static void random_super(struct fmt_test *t, struct par_super *sb)
{
	unsigned int i;

	prandom_bytes_state(&t->rng, sb, sizeof(*sb));
	random_records(t, sb);
	memcpy(sb->uuid, t->id.uuid, sizeof(sb->uuid));
	sb->ctime = CTIME;
	sb->gear = 1 + prandom_u32_state(&t->rng) % t->geo.gears;
	sb->flags &= ~2;
	sb->lost = prandom_u32_state(&t->rng) & 1;
	sb->power.off = prandom_u32_state(&t->rng) & 1;
	sb->policy.knobs.automatic = prandom_u32_state(&t->rng) & 1;
	for (i = 0; i < PAR_SURGE_KINDS; i++)
		trim_spans(&sb->policy.surges[i]);
	trim_spans(&sb->policy.pauses);
	trim_hours(&sb->policy);
	sb->scrub.wakes = prandom_u32_state(&t->rng) & 1;
}

static void pack(struct fmt_test *t, u8 *block, const struct par_super *sb)
{
	par_super_pack((struct par_disk_super *)block, sb, &t->geo, MEMBER);
}

static enum par_format_error unpack(struct fmt_test *t, const u8 *block)
{
	return par_super_unpack(&t->out, (const struct par_disk_super *)block,
				&t->geo, &t->id, MEMBER);
}

static void random_block(struct fmt_test *t, u8 *block, enum par_block_kind kind)
{
	struct par_disk_block *raw = (struct par_disk_block *)block;

	prandom_bytes_state(&t->rng, raw, sizeof(*raw));
	par_block_seal(raw, kind, INDEX, EPOCH, random64(t));
}

static bool good_block(const u8 *block, enum par_block_kind kind)
{
	return par_block_check((const struct par_disk_block *)block, kind, INDEX,
			       EPOCH);
}

static int format_test_init(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct fmt_test *t = super_test_alloc(test, sizeof(*t));

	prandom_seed_state(&t->rng, SEED);
	prandom_bytes_state(&t->rng, t->id.uuid, sizeof(t->id.uuid));
	t->id.ctime = CTIME;
	super_test_geometry(test, &t->geo, in->dev);
	random_super(t, &t->sb);
	random_super(t, &t->other);
	memset(&t->untouched, 0xa5, sizeof(t->untouched));
	t->out = t->untouched;
	pack(t, t->new, &t->sb);
	pack(t, t->old, &t->other);
	return 0;
}

KUNIT_ARRAY_PARAM_DESC(fmt_layout, par_kunit_layouts, name);

/* ---- superblocks ---- */

/* A refused block leaves the result unchanged. */
static void expect_refused(struct kunit *test, const u8 *block,
			   enum par_format_error why, const char *what, u64 n)
{
	struct fmt_test *t = test->priv;
	enum par_format_error err = unpack(t, block);

	KUNIT_EXPECT_EQ_MSG(test, err, why, "%s %llu", what, n);
	KUNIT_EXPECT_FALSE_MSG(test, memcmp(&t->out, &t->untouched,
					    sizeof(t->out)),
			       "%s %llu: read all the same", what, n);
}

static void expect_same_set(struct kunit *test, const struct par_set_record *got,
			    const struct par_set_record *put, unsigned int i)
{
	KUNIT_EXPECT_EQ_MSG(test, got->failed, put->failed, "set %u", i);
	KUNIT_EXPECT_EQ_MSG(test, got->recovering, put->recovering, "set %u", i);
	KUNIT_EXPECT_EQ_MSG(test, got->recovered, put->recovered, "set %u", i);
	KUNIT_EXPECT_EQ_MSG(test, got->resync, put->resync, "set %u", i);
	KUNIT_EXPECT_EQ_MSG(test, got->events, put->events, "set %u", i);
}

static void expect_same_power(struct kunit *test,
			      const struct par_power_record *got,
			      const struct par_power_record *put)
{
	struct fmt_test *t = test->priv;
	unsigned int d;

	KUNIT_EXPECT_EQ(test, got->off, put->off);
	KUNIT_EXPECT_EQ(test, got->carry, put->carry);
	KUNIT_EXPECT_EQ(test, got->wake_timeout, put->wake_timeout);
	KUNIT_EXPECT_EQ(test, got->wake_stagger, put->wake_stagger);
	KUNIT_EXPECT_EQ(test, got->stop_after, put->stop_after);
	KUNIT_EXPECT_EQ(test, got->refused, put->refused);
	for (d = 0; d < t->geo.members; d++) {
		KUNIT_EXPECT_EQ(test, got->ration[d].cycles, put->ration[d].cycles);
		KUNIT_EXPECT_EQ(test, got->ration[d].years, put->ration[d].years);
		KUNIT_EXPECT_EQ(test, got->ration[d].left, put->ration[d].left);
		KUNIT_EXPECT_EQ(test, got->ration[d].since, put->ration[d].since);
		KUNIT_EXPECT_EQ(test, got->spin_ups[d], put->spin_ups[d]);
	}
}

static void expect_same_policy(struct kunit *test,
			       const struct par_policy_record *got,
			       const struct par_policy_record *put)
{
	const struct par_knobs *a = &got->knobs, *b = &put->knobs;

	KUNIT_EXPECT_EQ(test, a->automatic, b->automatic);
	KUNIT_EXPECT_EQ(test, a->interval, b->interval);
	KUNIT_EXPECT_MEMEQ(test, a->window, b->window, sizeof(b->window));
	KUNIT_EXPECT_EQ(test, a->up, b->up);
	KUNIT_EXPECT_EQ(test, a->down, b->down);
	KUNIT_EXPECT_EQ(test, a->wait, b->wait);
	KUNIT_EXPECT_EQ(test, a->hold, b->hold);
	KUNIT_EXPECT_EQ(test, a->break_even, b->break_even);
	KUNIT_EXPECT_EQ(test, a->min_gear, b->min_gear);
	KUNIT_EXPECT_EQ(test, a->max_gear, b->max_gear);
	KUNIT_EXPECT_EQ(test, got->sleep, put->sleep);
	KUNIT_EXPECT_EQ(test, got->sleeps, put->sleeps);
	KUNIT_EXPECT_EQ(test, got->regrets, put->regrets);
	KUNIT_EXPECT_MEMEQ(test, got->surges, put->surges, sizeof(put->surges));
	KUNIT_EXPECT_MEMEQ(test, &got->pauses, &put->pauses, sizeof(put->pauses));
	KUNIT_EXPECT_EQ(test, got->starts_in, put->starts_in);
	KUNIT_EXPECT_EQ(test, got->leaves_in, put->leaves_in);
	KUNIT_EXPECT_EQ(test, got->hour, put->hour);
	KUNIT_EXPECT_MEMEQ(test, got->mean, put->mean, sizeof(put->mean));
	KUNIT_EXPECT_MEMEQ(test, got->peak, put->peak, sizeof(put->peak));
	KUNIT_EXPECT_MEMEQ(test, got->misses, put->misses, sizeof(put->misses));
}

static void expect_same(struct kunit *test, const struct par_super *got,
			const struct par_super *put)
{
	struct fmt_test *t = test->priv;
	unsigned int i;

	KUNIT_EXPECT_MEMEQ(test, got->uuid, put->uuid, sizeof(put->uuid));
	KUNIT_EXPECT_EQ(test, got->ctime, put->ctime);
	KUNIT_EXPECT_EQ(test, got->epoch, put->epoch);
	KUNIT_EXPECT_EQ(test, got->seq, put->seq);
	KUNIT_EXPECT_EQ(test, got->block_seq, put->block_seq);
	KUNIT_EXPECT_EQ(test, got->gear, put->gear);
	KUNIT_EXPECT_EQ(test, got->flags, put->flags);
	KUNIT_EXPECT_EQ(test, got->partial, put->partial);
	KUNIT_EXPECT_MEMEQ(test, got->min_seq, put->min_seq, sizeof(put->min_seq));
	KUNIT_EXPECT_EQ(test, got->speed_min, put->speed_min);
	KUNIT_EXPECT_EQ(test, got->speed_max, put->speed_max);
	for (i = 1; i <= t->geo.gears; i++)
		expect_same_set(test, &got->set[i], &put->set[i], i);
	KUNIT_EXPECT_EQ(test, got->lost, put->lost);
	expect_same_power(test, &got->power, &put->power);
	expect_same_policy(test, &got->policy, &put->policy);
	KUNIT_EXPECT_EQ(test, got->scrub.wakes, put->scrub.wakes);
	KUNIT_EXPECT_EQ(test, got->scrub.age, put->scrub.age);
	for (i = 1; i <= t->geo.gears; i++)
		KUNIT_EXPECT_EQ(test, got->scrub.last[i], put->scrub.last[i]);
}

static void format_round_trip(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	struct par_disk_super *raw = (struct par_disk_super *)t->new;
	unsigned int d, gear;

	for (d = 0; d < t->geo.members; d++) {
		random_super(t, &t->sb);
		par_super_pack(raw, &t->sb, &t->geo, d);
		KUNIT_ASSERT_EQ(test, par_super_unpack(&t->out, raw, &t->geo,
						       &t->id, d),
				PAR_FMT_OK);
		expect_same(test, &t->out, &t->sb);
	}
	for (gear = 1; gear <= t->geo.gears; gear++) {
		t->sb.gear = gear;
		pack(t, t->new, &t->sb);
		KUNIT_ASSERT_EQ(test, unpack(t, t->new), PAR_FMT_OK);
		KUNIT_EXPECT_EQ(test, t->out.gear, gear);
	}
}

static void expect_le32(struct kunit *test, const u8 *raw, size_t at, u32 value)
{
	KUNIT_EXPECT_EQ_MSG(test, get_unaligned_le32(raw + at), value,
			    "at byte %zu", at);
}

static void expect_le64(struct kunit *test, const u8 *raw, size_t at, u64 value)
{
	KUNIT_EXPECT_EQ_MSG(test, get_unaligned_le64(raw + at), value,
			    "at byte %zu", at);
}

static void expect_zeros(struct kunit *test, const u8 *raw, size_t from, size_t to)
{
	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(raw + from, 0, to - from),
			      "padding at byte %zu", from);
}

static void expect_set_bytes(struct kunit *test, const u8 *raw, unsigned int i)
{
	struct fmt_test *t = test->priv;
	size_t at = 256 + 48 * (i - 1);

	expect_le64(test, raw, at, t->geo.set[i].start);
	expect_le64(test, raw, at + 8, t->geo.set[i].sectors);
	expect_le32(test, raw, at + 16, t->sb.set[i].failed);
	expect_le32(test, raw, at + 20, t->sb.set[i].recovering);
	expect_le64(test, raw, at + 24, t->sb.set[i].recovered);
	expect_le64(test, raw, at + 32, t->sb.set[i].resync);
	expect_le64(test, raw, at + 40, t->sb.set[i].events);
}

static void expect_power_bytes(struct kunit *test, const u8 *raw)
{
	struct fmt_test *t = test->priv;
	const struct par_power_record *power = &t->sb.power;
	unsigned int d, at = 1808;

	expect_le32(test, raw, 1776, power->off);
	expect_le32(test, raw, 1780, power->carry);
	expect_le32(test, raw, 1784, power->wake_timeout);
	expect_le32(test, raw, 1788, power->wake_stagger);
	expect_le32(test, raw, 1792, power->stop_after);
	expect_le32(test, raw, 1796, 0);
	expect_le64(test, raw, 1800, power->refused);
	for (d = 0; d < t->geo.members; d++, at += 32) {
		expect_le32(test, raw, at, power->ration[d].cycles);
		expect_le32(test, raw, at + 4, power->ration[d].years);
		expect_le64(test, raw, at + 8, power->ration[d].left);
		expect_le64(test, raw, at + 16, power->ration[d].since);
		expect_le64(test, raw, at + 24, power->spin_ups[d]);
	}
	expect_zeros(test, raw, at, 2704);
}

static void expect_spans_bytes(struct kunit *test, const u8 *raw, unsigned int at,
			       unsigned int count_at, const struct par_spans *spans)
{
	unsigned int i;

	for (i = 0; i < 16; i += 2)
		expect_le32(test, raw, at + 2 * i, spans->lasted[i] | spans->lasted[i + 1] << 16);
	KUNIT_EXPECT_EQ(test, raw[count_at], spans->count);
}

static void expect_policy_bytes(struct kunit *test, const u8 *raw)
{
	struct fmt_test *t = test->priv;
	const struct par_policy_record *policy = &t->sb.policy;
	const struct par_knobs *knobs = &policy->knobs;
	unsigned int i;

	expect_le32(test, raw, 2704, knobs->automatic);
	expect_le32(test, raw, 2708, knobs->interval);
	expect_le32(test, raw, 2712, knobs->window[PAR_WINDOW_SHORT]);
	expect_le32(test, raw, 2716, knobs->window[PAR_WINDOW_LONG]);
	expect_le32(test, raw, 2720, knobs->up);
	expect_le32(test, raw, 2724, knobs->down);
	expect_le32(test, raw, 2728, knobs->wait);
	expect_le32(test, raw, 2732, knobs->hold);
	expect_le32(test, raw, 2736, knobs->break_even);
	expect_le32(test, raw, 2740, knobs->min_gear);
	expect_le32(test, raw, 2744, knobs->max_gear);
	expect_le32(test, raw, 2748, policy->regrets);
	expect_le64(test, raw, 2752, policy->sleep);
	expect_le32(test, raw, 2760, policy->sleeps);
	expect_le32(test, raw, 2764, 0);
	expect_le64(test, raw, 2768, policy->hour);
	for (i = 0; i < 168; i++)
		expect_le32(test, raw, 2776 + 4 * i,
			    load_bytes(policy->mean[i], policy->misses[i] % 4) |
			    (u32)load_bytes(policy->peak[i], policy->misses[i] / 4) << 16);
	for (i = 0; i < 4; i++)
		expect_spans_bytes(test, raw, 3920 + 32 * i, 4080 + i, &policy->surges[i]);
	expect_spans_bytes(test, raw, 4048, 4084, &policy->pauses);
	expect_zeros(test, raw, 4085, 4088);
	expect_le32(test, raw, 4088, policy->starts_in);
	expect_le32(test, raw, 4092, policy->leaves_in);
}

static void expect_scrub_bytes(struct kunit *test, const u8 *raw)
{
	struct fmt_test *t = test->priv;
	unsigned int i;

	expect_le32(test, raw, 3448, t->sb.scrub.wakes);
	expect_le32(test, raw, 3452, t->sb.scrub.age);
	for (i = 1; i <= t->geo.gears; i++)
		expect_le64(test, raw, 3448 + 8 * i, t->sb.scrub.last[i]);
	expect_zeros(test, raw, 3456 + 8 * t->geo.gears, 3920);
}

/* Version 1 of the format, byte for byte: it must not change by accident. */
static void format_super_bytes(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	unsigned int i;
	u8 *raw = t->new;
	u32 crc = get_unaligned_le32(raw + 8);

	KUNIT_EXPECT_MEMEQ(test, raw, "RAIDPAR", 8);
	expect_le32(test, raw, 12, 2);
	expect_zeros(test, raw, 16, 40);
	KUNIT_EXPECT_MEMEQ(test, raw + 40, t->id.uuid, 16);
	expect_le64(test, raw, 56, CTIME);
	expect_le64(test, raw, 64, t->sb.epoch);
	expect_le64(test, raw, 72, t->sb.seq);
	expect_le64(test, raw, 80, t->sb.block_seq);
	expect_le32(test, raw, 88, t->geo.layout);
	expect_le32(test, raw, 92, t->geo.members);
	expect_le32(test, raw, 96, t->geo.chunk_sectors);
	expect_le32(test, raw, 100, t->geo.seg_sectors);
	expect_le64(test, raw, 104, t->geo.dev_sectors);
	expect_le64(test, raw, 112, t->geo.meta_sectors);
	expect_le64(test, raw, 120, t->geo.array_sectors);
	expect_le32(test, raw, 128, t->geo.gears);
	expect_le32(test, raw, 132, t->geo.set[t->sb.gear].members);
	expect_le32(test, raw, 136, MEMBER);
	expect_le32(test, raw, 140, t->sb.flags | t->sb.lost << 1);
	expect_le32(test, raw, 144, 0);
	expect_le32(test, raw, 148, t->sb.partial);
	expect_le32(test, raw, 152, t->sb.speed_min);
	expect_le32(test, raw, 156, t->sb.speed_max);
	expect_zeros(test, raw, 160, 256);
	for (i = 1; i <= t->geo.gears; i++)
		expect_set_bytes(test, raw, i);
	expect_zeros(test, raw, 256 + 48 * t->geo.gears, 1552);
	for (i = 0; i < 28; i++)
		expect_le64(test, raw, 1552 + 8 * i, t->sb.min_seq[i]);
	expect_power_bytes(test, raw);
	expect_policy_bytes(test, raw);
	expect_scrub_bytes(test, raw);

	put_unaligned_le32(0, raw + 8);
	KUNIT_EXPECT_EQ(test, crc, dumb_crc(raw, PAR_BLOCK_BYTES));
}

/* Every bit of the block, turned over. */
static void format_super_flips(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	unsigned int bit;

	for (bit = 0; bit < 8 * PAR_BLOCK_BYTES; bit++) {
		t->new[bit / 8] ^= 1 << bit % 8;
		expect_refused(test, t->new,
			       bit < 64 ? PAR_FMT_ABSENT : PAR_FMT_TORN,
			       "bit", bit);
		t->new[bit / 8] ^= 1 << bit % 8;
	}
	KUNIT_EXPECT_EQ(test, unpack(t, t->new), PAR_FMT_OK);
}

static void format_super_foreign(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	const struct par_disk_super *raw = (struct par_disk_super *)t->new;
	struct par_identity id = t->id;
	int i;

	for (i = 0; i < 16; i++) {
		id.uuid[i] ^= 1;
		KUNIT_EXPECT_EQ_MSG(test, par_super_unpack(&t->out, raw, &t->geo, &id,
							   MEMBER),
				    PAR_FMT_FOREIGN, "uuid byte %d", i);
		id.uuid[i] ^= 1;
	}
	id.ctime++;
	KUNIT_EXPECT_EQ(test, par_super_unpack(&t->out, raw, &t->geo, &id, MEMBER),
			PAR_FMT_FOREIGN);
	id.epoch = le64_to_cpu(raw->epoch) + 1;
	KUNIT_EXPECT_EQ(test, par_super_unpack(&t->out, raw, &t->geo, &id, MEMBER),
			PAR_FMT_FOREIGN);
	KUNIT_EXPECT_EQ(test, par_super_unpack(&t->out, raw, &t->geo, &t->id, MEMBER + 1),
			PAR_FMT_FOREIGN);
	KUNIT_EXPECT_FALSE(test, memcmp(&t->out, &t->untouched, sizeof(t->out)));
}

/* Recognized by its epoch, whatever its UUID is; its own identity is reported. */
static void format_super_renamed(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	struct par_disk_super *raw = (struct par_disk_super *)t->new;
	struct par_identity id = t->id, owner;

	KUNIT_ASSERT_TRUE(test, par_super_owner(raw, &owner));
	KUNIT_EXPECT_MEMEQ(test, owner.uuid, t->id.uuid, sizeof(owner.uuid));
	KUNIT_EXPECT_EQ(test, owner.ctime, CTIME);
	KUNIT_EXPECT_EQ(test, owner.epoch, le64_to_cpu(raw->epoch));

	id.uuid[3] ^= 1;
	id.epoch = owner.epoch;
	KUNIT_EXPECT_EQ(test, par_super_unpack(&t->out, raw, &t->geo, &id, MEMBER), PAR_FMT_OK);
	id = t->id;
	id.epoch = owner.epoch + 1;
	KUNIT_EXPECT_EQ(test, par_super_unpack(&t->out, raw, &t->geo, &id, MEMBER), PAR_FMT_OK);
	t->new[PAR_BLOCK_BYTES - 1] ^= 1;
	KUNIT_EXPECT_FALSE(test, par_super_owner(raw, &owner));
	t->new[PAR_BLOCK_BYTES - 1] ^= 1;
	raw->magic[0] ^= 1;
	KUNIT_EXPECT_FALSE(test, par_super_owner(raw, &owner));
}

static void format_super_version(struct kunit *test)
{
	static const u32 versions[] = { 0, 1, 3, 256, 1U << 24, ~0U };
	struct fmt_test *t = test->priv;
	struct par_disk_super *raw = (struct par_disk_super *)t->new;
	int i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		raw->version = cpu_to_le32(versions[i]);
		checksum_super(raw);
		expect_refused(test, t->new, PAR_FMT_VERSION, "version",
			       versions[i]);
	}
}

/* Offset and width of each field that describes the layout of the array. */
static const struct {
	unsigned int at, bytes;
} geometry_fields[] = {
	{ 88, 4 }, { 92, 4 }, { 96, 4 }, { 100, 4 }, { 104, 8 }, { 112, 8 },
	{ 120, 8 }, { 128, 4 }, { 132, 4 }, { 256, 8 }, { 264, 8 },
};

static void expect_misfit(struct kunit *test, unsigned int at, unsigned int bytes)
{
	struct fmt_test *t = test->priv;
	unsigned int i;

	for (i = at; i < at + bytes; i++) {
		t->new[i] ^= 0x80;
		checksum_super((struct par_disk_super *)t->new);
		expect_refused(test, t->new, PAR_FMT_GEOMETRY, "byte", i);
		t->new[i] ^= 0x80;
	}
}

static void format_super_geometry(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(geometry_fields); i++)
		expect_misfit(test, geometry_fields[i].at,
			      geometry_fields[i].bytes);
	for (i = 1; i < t->geo.gears; i++)
		expect_misfit(test, 256 + 48 * i, 16);
}

/* A gear is stored by its members; a number that is no gear is refused. */
static void format_super_gear(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	struct par_disk_super *raw = (struct par_disk_super *)t->new;
	u32 n;

	for (n = 0; n <= 64; n++) {
		bool gear = n && n <= 28 && t->geo.layout & GEAR(n);

		raw->gear = cpu_to_le32(n);
		checksum_super(raw);
		t->out = t->untouched;
		if (!gear) {
			expect_refused(test, t->new, PAR_FMT_GEOMETRY, "gear", n);
			continue;
		}
		KUNIT_ASSERT_EQ(test, unpack(t, t->new), PAR_FMT_OK);
		KUNIT_EXPECT_EQ(test, t->geo.set[t->out.gear].members, n);
	}
}

static void format_super_absent(struct kunit *test)
{
	struct fmt_test *t = test->priv;

	memset(t->mix, 0, PAR_BLOCK_BYTES);
	expect_refused(test, t->mix, PAR_FMT_ABSENT, "zeros", 0);
	memset(t->mix, 0xff, PAR_BLOCK_BYTES);
	expect_refused(test, t->mix, PAR_FMT_ABSENT, "ones", 1);
	prandom_bytes_state(&t->rng, t->mix, PAR_BLOCK_BYTES);
	expect_refused(test, t->mix, PAR_FMT_ABSENT, "noise", 2);
}

static void format_explains(struct kunit *test)
{
	enum par_format_error err;

	for (err = PAR_FMT_OK; err <= PAR_FMT_RANGE; err++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, par_format_strerror(err),
					  "error %d", err);
}

/* ---- torn writes ---- */

/* Sectors of the new version where @which has a bit, of the old one elsewhere. */
static void mix_sectors(struct fmt_test *t, unsigned int which)
{
	int i;

	for (i = 0; i < SECTORS; i++)
		memcpy(t->mix + i * SECTOR,
		       (which & 1 << i ? t->new : t->old) + i * SECTOR, SECTOR);
}

/* A mixture may be identical to one version: then it is that version. */
static bool is_whole(const struct fmt_test *t)
{
	return !memcmp(t->mix, t->new, PAR_BLOCK_BYTES) ||
	       !memcmp(t->mix, t->old, PAR_BLOCK_BYTES);
}

/* Every mixture of sectors, which covers a write torn at every boundary. */
static void format_super_torn(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	unsigned int which;

	for (which = 0; which < 1 << SECTORS; which++) {
		mix_sectors(t, which);
		t->out = t->untouched;
		if (!is_whole(t))
			expect_refused(test, t->mix, PAR_FMT_TORN, "sectors",
				       which);
		else
			KUNIT_EXPECT_EQ(test, unpack(t, t->mix), PAR_FMT_OK);
	}
}

/* ---- intent blocks and map blocks ---- */

static const struct {
	const char *name;
	enum par_block_kind kind;
} kinds[] = {
	{ "intents", PAR_BLOCK_INTENT },
	{ "map", PAR_BLOCK_MAP },
};

KUNIT_ARRAY_PARAM_DESC(kind, kinds, name);

static enum par_block_kind kind_of(struct kunit *test)
{
	return ((const typeof(kinds[0]) *)test->param_value)->kind;
}

static int block_test_init(struct kunit *test)
{
	struct fmt_test *t = super_test_alloc(test, sizeof(*t));

	prandom_seed_state(&t->rng, SEED);
	random_block(t, t->new, kind_of(test));
	random_block(t, t->old, kind_of(test));
	return 0;
}

static void block_bytes(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	struct par_disk_block *raw = (struct par_disk_block *)t->new;
	u32 crc;

	memcpy(t->old, raw->payload, PAR_BLOCK_PAYLOAD);
	par_block_seal(raw, kind_of(test), INDEX, EPOCH, 0x99aabbccddeeff00ULL);
	KUNIT_EXPECT_MEMEQ(test, t->new, "PARB", 4);
	expect_le32(test, t->new, 8, kind_of(test));
	expect_le32(test, t->new, 12, INDEX);
	expect_le64(test, t->new, 16, EPOCH);
	expect_le64(test, t->new, 24, 0x99aabbccddeeff00ULL);
	expect_zeros(test, t->new, 32, 64);
	KUNIT_EXPECT_MEMEQ(test, t->new + 64, t->old, PAR_BLOCK_PAYLOAD);
	expect_zeros(test, t->new, 64 + PAR_BLOCK_PAYLOAD, PAR_BLOCK_BYTES);
	KUNIT_EXPECT_TRUE(test, good_block(t->new, kind_of(test)));

	crc = get_unaligned_le32(t->new + 4);
	put_unaligned_le32(0, t->new + 4);
	KUNIT_EXPECT_EQ(test, crc, dumb_crc(t->new, PAR_BLOCK_BYTES));
}

static void block_flips(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	unsigned int bit;

	for (bit = 0; bit < 8 * PAR_BLOCK_BYTES; bit++) {
		t->new[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_FALSE_MSG(test, good_block(t->new, kind_of(test)),
				       "bit %u", bit);
		t->new[bit / 8] ^= 1 << bit % 8;
	}
	KUNIT_EXPECT_TRUE(test, good_block(t->new, kind_of(test)));
}

static void block_torn(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	unsigned int which;

	for (which = 0; which < 1 << SECTORS; which++) {
		mix_sectors(t, which);
		KUNIT_EXPECT_EQ_MSG(test, good_block(t->mix, kind_of(test)),
				    is_whole(t), "sectors %#x", which);
	}
}

static void block_foreign(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	const struct par_disk_block *raw = (struct par_disk_block *)t->new;
	enum par_block_kind kind = kind_of(test);
	enum par_block_kind wrong = PAR_BLOCK_INTENT + PAR_BLOCK_MAP - kind;
	int bit;

	KUNIT_EXPECT_FALSE(test, par_block_check(raw, wrong, INDEX, EPOCH));
	for (bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_FALSE_MSG(test, par_block_check(raw, kind,
							     INDEX ^ 1U << bit,
							     EPOCH),
				       "index bit %d", bit);
	for (bit = 0; bit < 64; bit++)
		KUNIT_EXPECT_FALSE_MSG(test, par_block_check(raw, kind, INDEX,
							     EPOCH ^ 1ULL << bit),
				       "epoch bit %d", bit);
}

static void block_magic(struct kunit *test)
{
	struct fmt_test *t = test->priv;
	struct par_disk_block *raw = (struct par_disk_block *)t->new;

	raw->magic ^= cpu_to_le32(1);
	checksum_block(raw);
	KUNIT_EXPECT_FALSE(test, good_block(t->new, kind_of(test)));
	memset(t->new, 0, PAR_BLOCK_BYTES);
	KUNIT_EXPECT_FALSE(test, good_block(t->new, kind_of(test)));
}

/* ---- the bytes of intents ---- */

/* As the design document has it: they are on disks. */
static_assert(PAR_INTENT_GEAR == 0x1f);
static_assert(PAR_INTENT_MISSED == 0x20);
static_assert(PAR_INTENT_RESYNC == 0x40);
static_assert(PAR_INTENT_STORED == 0x80);
static_assert(PAR_MAX_SETS <= PAR_INTENT_GEAR);

/* The properties of an intent's byte, for each of 256 bytes and every gear. */
static void expect_byte(struct kunit *test, unsigned int byte, unsigned int gear)
{
	unsigned int flags = byte & 0xe0;
	struct par_zone zone = { };

	KUNIT_EXPECT_EQ_MSG(test, par_intent_set(byte, &zone, gear, false),
			    flags | gear, "byte %#x, gear %u", byte, gear);
	KUNIT_EXPECT_EQ_MSG(test, par_intent_set(byte, &zone, gear, true),
			    flags | gear | (gear ? 0x20 : 0),
			    "byte %#x, gear %u, a member missing", byte, gear);
	zone.stored = true;
	KUNIT_EXPECT_EQ_MSG(test, par_intent_set(byte, &zone, gear, false),
			    flags | gear | 0x80,
			    "byte %#x, gear %u, map stored", byte, gear);
}

static void intent_set(struct kunit *test)
{
	unsigned int byte, gear;

	for (byte = 0; byte < 256; byte++)
		for (gear = 0; gear <= PAR_MAX_SETS; gear++)
			expect_byte(test, byte, gear);
}

static void intent_load(struct kunit *test)
{
	unsigned int byte;

	for (byte = 0; byte < 256; byte++) {
		bool unclean = byte & 0x1f;
		struct par_zone zone = { };

		KUNIT_EXPECT_EQ_MSG(test, par_zone_load(&zone, byte, true),
				    byte | (unclean ? 0x40 : 0), "byte %#x", byte);
		KUNIT_EXPECT_EQ_MSG(test, zone.stored, byte >= 0x80, "byte %#x", byte);
		KUNIT_EXPECT_EQ_MSG(test, zone.intent,
				    unclean ? PAR_INTENT_CHANGING : 0,
				    "byte %#x", byte);
		/* Without parity there is nothing to resync. */
		KUNIT_EXPECT_EQ_MSG(test, par_zone_load(&zone, byte, false), byte,
				    "byte %#x", byte);
	}
}

static void intent_misses(struct kunit *test)
{
	struct par_zone calm = { }, copied = { .must_store = 1 };
	unsigned int byte;

	for (byte = 0; byte < 256; byte++) {
		KUNIT_EXPECT_EQ_MSG(test, par_zone_misses(&calm, byte),
				    !!(byte & 0x5f), "byte %#x", byte);
		KUNIT_EXPECT_TRUE_MSG(test, par_zone_misses(&copied, byte),
				      "byte %#x", byte);
	}
}

static struct kunit_case format_cases[] = {
	KUNIT_CASE_PARAM(format_round_trip, fmt_layout_gen_params),
	KUNIT_CASE_PARAM(format_super_bytes, fmt_layout_gen_params),
	KUNIT_CASE_PARAM(format_super_flips, fmt_layout_gen_params),
	KUNIT_CASE_PARAM(format_super_foreign, fmt_layout_gen_params),
	KUNIT_CASE_PARAM(format_super_renamed, fmt_layout_gen_params),
	KUNIT_CASE_PARAM(format_super_version, fmt_layout_gen_params),
	KUNIT_CASE_PARAM(format_super_geometry, fmt_layout_gen_params),
	KUNIT_CASE_PARAM(format_super_gear, fmt_layout_gen_params),
	KUNIT_CASE_PARAM(format_super_absent, fmt_layout_gen_params),
	KUNIT_CASE_PARAM(format_super_torn, fmt_layout_gen_params),
	{}
};

static struct kunit_suite format_suite = {
	.name = "raid-par-format",
	.init = format_test_init,
	.test_cases = format_cases,
};

static struct kunit_case block_cases[] = {
	KUNIT_CASE_PARAM(block_bytes, kind_gen_params),
	KUNIT_CASE_PARAM(block_flips, kind_gen_params),
	KUNIT_CASE_PARAM(block_torn, kind_gen_params),
	KUNIT_CASE_PARAM(block_foreign, kind_gen_params),
	KUNIT_CASE_PARAM(block_magic, kind_gen_params),
	{}
};

static struct kunit_suite block_suite = {
	.name = "raid-par-blocks",
	.init = block_test_init,
	.test_cases = block_cases,
};

static struct kunit_case text_cases[] = {
	KUNIT_CASE(format_explains),
	{}
};

static struct kunit_suite text_suite = {
	.name = "raid-par-format-errors",
	.test_cases = text_cases,
};

static struct kunit_case intent_cases[] = {
	KUNIT_CASE(intent_set),
	KUNIT_CASE(intent_load),
	KUNIT_CASE(intent_misses),
	{}
};

static struct kunit_suite intent_suite = {
	.name = "raid-par-intents",
	.test_cases = intent_cases,
};

kunit_test_suites(&format_suite, &block_suite, &text_suite, &intent_suite);
