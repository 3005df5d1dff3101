// SPDX-License-Identifier: GPL-2.0
/*
 * Which sectors the log has lost: random ones that are lost and written again, beside a flag for
 * each sector.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <kunit/test.h>

#include "pure/log-lost.h"

#define BLOCKS	40U	/* more than the list has room for */
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

static struct kunit_case log_lost_cases[] = {
	KUNIT_CASE(lost_walk),
	{}
};

static struct kunit_suite log_lost_suite = {
	.name = "raid-par-log-lost",
	.test_cases = log_lost_cases,
};

kunit_test_suite(log_lost_suite);
