// SPDX-License-Identifier: GPL-2.0
/*
 * Summaries of groups of the log: what is in them, when one is due, where they are, and the search
 * for the newest one. log_replay_kunit.c tests what they are used for.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/log-replay.h"
#include "pure/log-summary.h"

#define SEED		0x5a77
#define MOST		(PAR_LOG_GROUP_UNITS * PAR_LOG_UNIT)
#define ARRAY_BLOCKS	BIT_ULL(40)

struct bench {
	struct par_log_summary summary;
	struct par_disk_log_brief brief[PAR_LOG_SUMMARY_MOST * PAR_LOG_BRIEFS];
	u8 data[PAR_LOG_SUMMARY_MOST * PAR_LOG_BLOCK_BYTES];
	struct par_log_entry entry[MOST];
};

static struct bench *make_bench(struct kunit *test, u32 group)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bench);
	par_log_summary_init(&bench->summary, group, bench->brief);
	return bench;
}

/* Some blocks of a group have entries. */
static void note_some(struct bench *bench, struct rnd_state *random, u64 base)
{
	u32 i;

	memset(bench->entry, 0, sizeof(bench->entry));
	for (i = 0; i < bench->summary.group; i++) {
		if (prandom_u32_state(random) % 3 == 0)
			continue;
		bench->entry[i].block = prandom_u32_state(random) * 200ULL;
		bench->entry[i].sectors = 1 + prandom_u32_state(random) % 255;
		par_log_summary_note(&bench->summary, base + i, &bench->entry[i]);
	}
}

/* All of the group, and nothing of the one in front of it. */
static void summary_content(struct kunit *test)
{
	struct rnd_state random;
	unsigned int units, i;

	prandom_seed_state(&random, SEED);
	for (units = 1; units <= PAR_LOG_GROUP_UNITS; units += 12) {
		u32 group = units * PAR_LOG_UNIT;
		struct bench *bench = make_bench(test, group);
		struct par_log_entry entry;

		note_some(bench, &random, 5 * group);
		note_some(bench, &random, 6 * group);
		KUNIT_ASSERT_LE(test, par_log_summary_bytes(group), sizeof(bench->data));
		for (i = 0; i < par_log_summary_blocks(group); i++)
			par_log_summary_copy(&bench->summary, i,
					     bench->data + i * PAR_LOG_BLOCK_BYTES);
		for (i = 0; i < group; i++) {
			bool has = par_log_summary_get(bench->data, i, &entry);

			KUNIT_ASSERT_EQ(test, has, bench->entry[i].sectors > 0);
			KUNIT_ASSERT_EQ(test, entry.sectors, bench->entry[i].sectors);
			KUNIT_ASSERT_EQ(test, entry.block, bench->entry[i].block);
		}
		KUNIT_EXPECT_TRUE(test, par_log_summary_possible(bench->data, group, ARRAY_BLOCKS));
		KUNIT_EXPECT_FALSE(test, par_log_summary_possible(bench->data, group, 1000));
	}
}

/* As the first record of a group, of the group in front of it, if there is something in that. */
static void summary_when(struct kunit *test)
{
	u32 group = 3 * PAR_LOG_UNIT;
	struct bench *bench = make_bench(test, group);
	struct par_log_entry entry = { .block = 1, .sectors = 1 };
	struct par_log_ring ring;
	u64 pos;

	par_log_ring_init(&ring, 24 * PAR_LOG_UNIT, 8 * group);
	KUNIT_EXPECT_FALSE(test, par_log_summary_due(&bench->summary, &ring));
	while (ring.head < 9 * group) {
		unsigned int i, count = par_log_ring_take(&ring, 20, &pos);

		for (i = 1; i <= count; i++)
			par_log_summary_note(&bench->summary, pos + i, &entry);
		KUNIT_EXPECT_EQ(test, ring.head == 9 * group,
				par_log_summary_due(&bench->summary, &ring));
	}
	/* Nothing of this group is needed any more. */
	par_log_ring_done(&ring, ring.head);
	par_log_ring_free(&ring, ring.head);
	KUNIT_EXPECT_FALSE(test, par_log_summary_due(&bench->summary, &ring));
	/* Of another group than the last one: nothing is known of that. */
	ring.tail -= group;
	bench->summary.base -= group;
	KUNIT_EXPECT_FALSE(test, par_log_summary_due(&bench->summary, &ring));
}

/* The copies of summaries that are read first are on all members. */
static void summary_spread(struct kunit *test)
{
	unsigned int members, copies, k;

	for (members = 2; members <= 28; members++)
		for (copies = 1; copies <= min(members, PAR_LOG_MAX_COPIES); copies++) {
			struct par_log_shape shape;
			u32 on = 0;

			KUNIT_ASSERT_TRUE(test, par_log_shape_init(&shape, members, copies - 1, 0,
								   1U << 24));
			KUNIT_EXPECT_EQ(test, shape.group, MOST);
			for (k = 0; k < members * copies; k++)
				on |= BIT(par_log_member(&shape, k * shape.group, k / members));
			KUNIT_EXPECT_EQ_MSG(test, on, BIT(members) - 1, "%u copies on %u members",
					    copies, members);
		}
}

/* The first group that begins with no record is found, by few looks. */
static void summary_search(struct kunit *test)
{
	struct par_log_shape shape;
	struct par_log_walk walk;
	unsigned int end;

	KUNIT_ASSERT_TRUE(test, par_log_shape_init(&shape, 3, 1, 0, 1U << 24));
	for (end = 1; end < 400; end++) {
		u64 pos, from = 1000ULL * shape.group, highest = 0;
		struct par_log_seek seek;
		unsigned int looks = 0;

		par_log_walk_init(&walk, &shape, 1, ARRAY_BLOCKS, from + 77, from + 77, 1);
		par_log_seek_init(&seek, &walk);
		while ((pos = par_log_seek_at(&seek))) {
			bool there = pos < from + (u64)end * shape.group;

			KUNIT_ASSERT_EQ(test, pos, par_log_group_of(pos, shape.group));
			KUNIT_ASSERT_GT(test, pos, walk.pos);
			KUNIT_ASSERT_LT(test, pos, walk.limit);
			if (there)
				highest = max(highest, pos);
			par_log_seek_on(&seek, there);
			looks++;
		}
		KUNIT_EXPECT_LE(test, looks, 1 + ilog2(shape.units * PAR_LOG_UNIT / shape.group));
		KUNIT_EXPECT_EQ(test, highest, end > 1 ? from + (end - 1) * (u64)shape.group : 0);
	}
}

static struct kunit_case log_summary_cases[] = {
	KUNIT_CASE(summary_content),
	KUNIT_CASE(summary_when),
	KUNIT_CASE(summary_spread),
	KUNIT_CASE(summary_search),
	{}
};

static struct kunit_suite log_summary_suite = {
	.name = "raid-par-log-summary",
	.test_cases = log_summary_cases,
};

kunit_test_suite(log_summary_suite);
