// SPDX-License-Identifier: GPL-2.0
/*
 * Sectors that the log has lost: random sectors are lost and written again, compared with a flag
 * for each sector. And when a block that cannot be drained is lost: soon if it is gone, after
 * minutes if it may return.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <kunit/test.h>

#include "pure/log-drain.h"
#include "pure/log-lost.h"

#define BLOCKS	40U	/* more than fit into the list */
#define SECTORS	(BLOCKS * PAR_LOG_BLOCK)

struct lost_test {
	struct rnd_state random;
	struct par_log_lost lost;
	DECLARE_BITMAP(flags, SECTORS);
};

static u32 any(struct lost_test *t, u32 below)
{
	return prandom_u32_state(&t->random) % below;
}

static unsigned int blocks_lost(const struct lost_test *t)
{
	unsigned int block, count = 0;

	for (block = 0; block < BLOCKS; block++)
		count += find_next_bit(t->flags, SECTORS, block * PAR_LOG_BLOCK) <
			 (block + 1) * PAR_LOG_BLOCK;
	return count;
}

static void add_some(struct kunit *test, struct lost_test *t)
{
	unsigned int block = any(t, BLOCKS), i;
	u8 sectors = 1 + any(t, 255);
	bool has, added = par_log_lost_add(&t->lost, block, sectors);

	has = find_next_bit(t->flags, SECTORS, block * PAR_LOG_BLOCK) <
	      (block + 1) * PAR_LOG_BLOCK;
	KUNIT_ASSERT_EQ(test, added, has || blocks_lost(t) < PAR_LOG_LOST);
	for (i = 0; added && i < PAR_LOG_BLOCK; i++)
		if (sectors & BIT(i))
			__set_bit(block * PAR_LOG_BLOCK + i, t->flags);
}

static void drop_some(struct lost_test *t)
{
	unsigned int sector = any(t, SECTORS), count = any(t, SECTORS - sector + 1);

	count = min(count, 1 + any(t, 3 * PAR_LOG_BLOCK));
	par_log_lost_drop(&t->lost, sector, count);
	bitmap_clear(t->flags, sector, count);
}

static void look_at_some(struct kunit *test, struct lost_test *t)
{
	unsigned int sector = any(t, SECTORS), count = 1 + any(t, SECTORS - sector), next;
	bool is_lost, wanted = test_bit(sector, t->flags);
	u32 found = par_log_lost_find(&t->lost, sector, count, &is_lost);

	next = wanted ? find_next_zero_bit(t->flags, SECTORS, sector) :
			find_next_bit(t->flags, SECTORS, sector);
	KUNIT_ASSERT_EQ(test, is_lost, wanted);
	KUNIT_ASSERT_EQ(test, found, min(next - sector, count));
	KUNIT_ASSERT_EQ(test, par_log_lost_any(&t->lost, sector, count),
			find_next_bit(t->flags, SECTORS, sector) < sector + count);
}

static void lost_walk(struct kunit *test)
{
	struct lost_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	prandom_seed_state(&t->random, 22);
	for (i = 0; i < 20000; i++) {
		if (any(t, 2))
			add_some(test, t);
		else
			drop_some(t);
		look_at_some(test, t);
		KUNIT_ASSERT_EQ(test, t->lost.count, blocks_lost(t));
	}
}

/* A pass at @now in which @block fails. */
static bool fails(struct par_log_suspects *s, u64 block, u64 now, bool gone)
{
	bool lost;

	par_log_suspects_begin(s);
	lost = par_log_suspect(s, block, now, gone);
	/* Once more in the same pass, alone. */
	lost |= par_log_suspect(s, block, now, gone);
	par_log_suspects_end(s);
	return lost;
}

static void suspect_gone(struct kunit *test)
{
	struct par_log_suspects s = { };
	unsigned int i;
	u64 now = 0;

	for (i = 0; i < PAR_LOG_LOST_TRIES; i++)
		KUNIT_EXPECT_FALSE_MSG(test, fails(&s, 7, 500 * now++, true), "try %u", i);
	KUNIT_EXPECT_TRUE(test, fails(&s, 7, 500 * now++, true));
	/* If the block is drained or written again, its count of failures begins again. */
	par_log_acquit(&s, 7);
	KUNIT_EXPECT_FALSE(test, fails(&s, 7, 500 * now++, true));
	/* The same after a pass in which it does not fail. */
	for (i = 0; i < PAR_LOG_LOST_TRIES - 1; i++)
		KUNIT_EXPECT_FALSE(test, fails(&s, 7, 500 * now++, true));
	KUNIT_EXPECT_FALSE(test, fails(&s, 8, 500 * now++, true));
	KUNIT_EXPECT_FALSE(test, fails(&s, 7, 500 * now++, true));
	/* A failure that may be of the path interrupts the row. */
	for (i = 0; i < PAR_LOG_LOST_TRIES - 1; i++)
		KUNIT_EXPECT_FALSE(test, fails(&s, 7, 500 * now++, true));
	KUNIT_EXPECT_FALSE(test, fails(&s, 7, 500 * now++, false));
	for (i = 0; i < PAR_LOG_LOST_TRIES; i++)
		KUNIT_EXPECT_FALSE(test, fails(&s, 7, 500 * now++, true));
	KUNIT_EXPECT_TRUE(test, fails(&s, 7, 500 * now++, true));
}

/* The path to a member is gone for a time, with the pauses that the drain makes. */
static void suspect_may_return(struct kunit *test)
{
	struct par_log_suspects s = { };
	unsigned int tries = 0;
	u64 now = 1000;

	for (; now < 1000 + PAR_LOG_LOST_MS; now += par_log_drain_delay(++tries))
		KUNIT_EXPECT_FALSE_MSG(test, fails(&s, 7, now, false), "after %llu ms", now - 1000);
	KUNIT_EXPECT_GE(test, tries, 30);
	KUNIT_EXPECT_TRUE(test, fails(&s, 7, now, false));
	/* Time alone is not enough. */
	par_log_acquit(&s, 7);
	KUNIT_EXPECT_FALSE(test, fails(&s, 7, 0, false));
	for (tries = 1; tries < PAR_LOG_LOST_TRIES; tries++)
		KUNIT_EXPECT_FALSE(test, fails(&s, 7, 2 * PAR_LOG_LOST_MS, false));
	KUNIT_EXPECT_TRUE(test, fails(&s, 7, 2 * PAR_LOG_LOST_MS, false));
}

/* More blocks fail than can be lost: the others wait for their turn, each with all of its time. */
static void suspect_many(struct kunit *test)
{
	struct par_log_suspects s = { };
	unsigned int block, pass, lost;

	for (pass = 0; pass <= PAR_LOG_LOST_TRIES; pass++) {
		par_log_suspects_begin(&s);
		for (block = 0, lost = 0; block < BLOCKS; block++)
			lost += par_log_suspect(&s, block, 0, true);
		par_log_suspects_end(&s);
		KUNIT_EXPECT_EQ_MSG(test, lost, pass == PAR_LOG_LOST_TRIES ? PAR_LOG_LOST : 0,
				    "pass %u", pass);
	}
	for (block = 0; block < PAR_LOG_LOST; block++)
		par_log_acquit(&s, block);
	KUNIT_EXPECT_EQ(test, s.count, 0);
	for (pass = 0; pass < PAR_LOG_LOST_TRIES; pass++)
		KUNIT_EXPECT_FALSE(test, fails(&s, PAR_LOG_LOST, 0, true));
	KUNIT_EXPECT_TRUE(test, fails(&s, PAR_LOG_LOST, 0, true));
}

static void delays(struct kunit *test)
{
	static const u32 wanted[] = { 500, 500, 500, 500, 1000, 2000, 4000, 8000, 16000, 16000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		KUNIT_EXPECT_EQ_MSG(test, par_log_drain_delay(i + 1), wanted[i], "%u", i + 1);
	KUNIT_EXPECT_EQ(test, par_log_drain_delay(UINT_MAX), 16000);
}

static struct kunit_case log_lost_cases[] = {
	KUNIT_CASE(lost_walk),
	KUNIT_CASE(suspect_gone),
	KUNIT_CASE(suspect_may_return),
	KUNIT_CASE(suspect_many),
	KUNIT_CASE(delays),
	{}
};

static struct kunit_suite log_lost_suite = {
	.name = "raid-par-log-lost",
	.test_cases = log_lost_cases,
};

kunit_test_suite(log_lost_suite);
