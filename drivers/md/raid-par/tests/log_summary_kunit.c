// SPDX-License-Identifier: GPL-2.0
/* Summaries of the log's units: what is packed is what is read, and nothing else is accepted. */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/log-ring.h"
#include "pure/log-summary.h"

#define EPOCH		0x1234567890abcdefULL
#define ARRAY_BLOCKS	BIT_ULL(40)
#define COPIES		2U
#define POS		(77ULL * PAR_LOG_UNIT)

struct bench {
	struct kunit *test;
	struct rnd_state random;
	struct par_disk_log_header header;
	struct par_disk_log_summary raw;
	struct par_log_summary head;
	struct par_log_entry entry[PAR_LOG_UNIT];	/* of each block; sectors 0: a header */
	u8 data[PAR_LOG_BLOCK_BYTES];
};

static u32 any(struct bench *bench, u32 below)
{
	return prandom_u32_state(&bench->random) % below;
}

static void add_record(struct bench *bench, u64 pos, unsigned int count)
{
	struct par_log_head head = { .epoch = EPOCH, .run = 9, .pos = pos, .count = count };
	unsigned int i, at;

	par_log_header_begin(&bench->header);
	for (i = 0; i < count; i++) {
		at = pos % PAR_LOG_UNIT + 1 + i;
		bench->entry[at].block = (u64)any(bench, 256) << 32 | any(bench, U32_MAX);
		bench->entry[at].sectors = 1 + any(bench, 255);
		par_log_entry_pack(&bench->header, i, &bench->entry[at], bench->data);
	}
	par_log_header_seal(&bench->header, &head);
	par_log_summary_add(&bench->raw, &bench->header);
	bench->head.records++;
}

/* A unit of records of any length: the last block may be left over. */
static struct bench *make_bench(struct kunit *test, u32 seed, unsigned int longest)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);
	unsigned int count;
	u64 pos = POS;

	KUNIT_ASSERT_NOT_NULL(test, bench);
	bench->test = test;
	prandom_seed_state(&bench->random, seed);
	bench->head = (struct par_log_summary) {
		.epoch = EPOCH, .run = 9, .pos = POS, .tail = POS - 1000, .copies = 3,
	};
	par_log_summary_begin(&bench->raw);
	while (pos < POS + PAR_LOG_UNIT) {
		count = min_t(u64, 1 + any(bench, longest), POS + PAR_LOG_UNIT - pos - 1);
		add_record(bench, pos, count);
		pos = par_log_next(pos + 1 + count);
	}
	par_log_summary_seal(&bench->raw, &bench->head);
	return bench;
}

static bool accepted(struct bench *bench, struct par_log_summary *head)
{
	return par_log_summary_check(&bench->raw, EPOCH, ARRAY_BLOCKS, COPIES, head);
}

static void summary_entries(struct kunit *test)
{
	static const unsigned int longest[] = { 1, 2, 5, 40, PAR_LOG_UNIT };
	struct par_log_summary head;
	struct par_log_entry entry;
	unsigned int seed, i;

	for (seed = 0; seed < 50; seed++) {
		struct bench *bench = make_bench(test, seed, longest[seed % ARRAY_SIZE(longest)]);

		KUNIT_ASSERT_TRUE(test, accepted(bench, &head));
		KUNIT_EXPECT_EQ(test, 0, memcmp(&head, &bench->head, sizeof(head)));
		for (i = 0; i < PAR_LOG_UNIT; i++) {
			KUNIT_ASSERT_EQ(test, par_log_summary_entry(&bench->raw, i, &entry),
					bench->entry[i].sectors != 0);
			KUNIT_ASSERT_EQ(test, entry.block, bench->entry[i].block);
			KUNIT_ASSERT_EQ(test, entry.sectors, bench->entry[i].sectors);
		}
		kunit_kfree(test, bench);
	}
}

static void summary_bits(struct kunit *test)
{
	struct bench *bench = make_bench(test, 1, 5);
	struct par_log_summary head;
	unsigned int bit;

	for (bit = 0; bit < 8 * PAR_LOG_BLOCK_BYTES; bit += bit < 1024 ? 1 : 61) {
		((u8 *)&bench->raw)[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_FALSE_MSG(test, accepted(bench, &head), "bit %u", bit);
		((u8 *)&bench->raw)[bit / 8] ^= 1 << bit % 8;
	}
	KUNIT_EXPECT_TRUE(test, accepted(bench, &head));
	KUNIT_EXPECT_FALSE(test, par_log_summary_check(&bench->raw, EPOCH + 1, ARRAY_BLOCKS,
						       COPIES, &head));
}

/* The checksum is right, and one value is impossible. */
static void summary_values(struct kunit *test)
{
	struct bench *bench = make_bench(test, 2, 5);
	struct par_log_summary good = bench->head, head;
	struct par_disk_log_entry entry = bench->raw.entry[0];

#define EXPECT_REFUSED(change, back) do {					\
	change;									\
	par_log_summary_seal(&bench->raw, &bench->head);			\
	KUNIT_EXPECT_FALSE_MSG(test, accepted(bench, &head), #change);		\
	bench->head = good;							\
	back;									\
	par_log_summary_seal(&bench->raw, &bench->head);			\
	KUNIT_EXPECT_TRUE(test, accepted(bench, &head));			\
} while (0)

	EXPECT_REFUSED(bench->head.pos++, (void)0);
	EXPECT_REFUSED(bench->head.tail = POS + PAR_LOG_UNIT, (void)0);
	EXPECT_REFUSED(bench->head.copies = 0, (void)0);
	EXPECT_REFUSED(bench->head.copies = 1 << COPIES, (void)0);
	EXPECT_REFUSED(bench->head.copies = 0x80000001, (void)0);
	EXPECT_REFUSED(bench->head.records = 0, (void)0);
	EXPECT_REFUSED(bench->head.records = PAR_LOG_UNIT / 2 + 1, (void)0);
	EXPECT_REFUSED(bench->raw.entry[0].sectors = 1, bench->raw.entry[0] = entry);
	entry = bench->raw.entry[1];
	EXPECT_REFUSED(bench->raw.entry[1].block_high = cpu_to_le16(0xffff),
		       bench->raw.entry[1] = entry);
#undef EXPECT_REFUSED
}

static struct kunit_case log_summary_cases[] = {
	KUNIT_CASE(summary_entries),
	KUNIT_CASE(summary_bits),
	KUNIT_CASE(summary_values),
	{}
};

static struct kunit_suite log_summary_suite = {
	.name = "raid-par-log-summary",
	.test_cases = log_summary_cases,
};

kunit_test_suite(log_summary_suite);
