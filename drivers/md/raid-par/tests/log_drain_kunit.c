// SPDX-License-Identifier: GPL-2.0
/*
 * The blocks of the log that are drained, their order, and the tail that may be stored: random
 * records, compared with a search of all slots.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <kunit/test.h>

#include "pure/log-drain.h"

#define UNITS	8U
#define SLOTS	(UNITS * PAR_LOG_UNIT)

#define MANY_UNITS	160U
#define MANY_SLOTS	(MANY_UNITS * PAR_LOG_UNIT)
#define DENSE_UNITS	120U	/* all of their blocks are live */

struct bench {
	struct kunit *test;
	struct rnd_state random;
	struct par_log_index index;
	struct par_log_slot *unit[MANY_UNITS], slots[MANY_UNITS][PAR_LOG_UNIT];
	u32 chain[MANY_SLOTS];
	struct par_log_ring ring;
	u64 blocks[MANY_SLOTS];
	u64 seen[MANY_SLOTS];
};

static u32 any(struct bench *bench, u32 below)
{
	return prandom_u32_state(&bench->random) % below;
}

static struct bench *bench_of(struct kunit *test, u32 units, u64 begin)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bench);
	bench->test = test;
	prandom_seed_state(&bench->random, begin);
	par_log_index_init(&bench->index, units, bench->unit, bench->chain);
	par_log_ring_init(&bench->ring, units * PAR_LOG_UNIT, begin);
	return bench;
}

static struct bench *make_bench(struct kunit *test, u64 begin)
{
	return bench_of(test, UNITS, begin);
}

/* The place of a position in the ring. */
static u32 place_of(const struct bench *bench, u64 pos)
{
	return pos % bench->ring.blocks;
}

/* Append a record that is not done yet. */
static unsigned int take(struct bench *bench, unsigned int want, u64 *pos)
{
	unsigned int count = par_log_ring_take(&bench->ring, want, pos);
	u32 u = place_of(bench, *pos) / PAR_LOG_UNIT;

	if (count && !bench->unit[u])
		par_log_index_open(&bench->index, u, &bench->slots[u][0]);
	return count;
}

/* A record of the blocks from @first on, of which each is written for the first time. */
static unsigned int append_new(struct bench *bench, u64 first)
{
	struct par_log_entry entry = { .sectors = 0xff };
	unsigned int i, count;
	u64 pos;

	count = take(bench, PAR_LOG_UNIT - 1, &pos);
	for (i = 1; i <= count; i++) {
		entry.block = first + i;
		par_log_index_add(&bench->index, place_of(bench, pos + i), &entry);
	}
	par_log_ring_done(&bench->ring, bench->ring.head);
	return count;
}

static void append(struct bench *bench, u32 spread)
{
	struct par_log_entry entry;
	unsigned int i, count;
	u64 pos;

	count = take(bench, 1 + any(bench, 30), &pos);
	for (i = 1; i <= count; i++) {
		entry.block = any(bench, spread);
		entry.sectors = any(bench, 2) ? 0xff : BIT(any(bench, 8));
		par_log_index_add(&bench->index, place_of(bench, pos + i), &entry);
	}
	par_log_ring_done(&bench->ring, bench->ring.head);
}

/* Search all positions for live ones, from the oldest on. Returns their number. */
static unsigned int live_in_order(const struct bench *bench, u64 *blocks, u64 *first)
{
	unsigned int count = 0;
	u64 pos;

	*first = bench->ring.done;
	for (pos = par_log_unit(bench->ring.tail); pos < bench->ring.done; pos++) {
		const struct par_log_slot *slots =
			bench->unit[place_of(bench, pos) / PAR_LOG_UNIT];

		if (!slots || !slots[pos % PAR_LOG_UNIT].live)
			continue;
		if (!count)
			*first = pos;
		blocks[count++] = slots[pos % PAR_LOG_UNIT].block;
	}
	return count;
}

static bool is_among(u64 block, const u64 *blocks, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (blocks[i] == block)
			return true;
	return false;
}

static void drain_block(struct bench *bench, u64 block)
{
	struct par_log_part part[PAR_LOG_PARTS];
	unsigned int i, count = par_log_index_parts(&bench->index, block, part);

	KUNIT_EXPECT_GE(bench->test, count, 1);
	for (i = 0; i < count; i++)
		par_log_index_drained(&bench->index, &part[i]);
}

static void store_tail(struct bench *bench)
{
	u64 pos, tail = par_log_drain_tail(&bench->index, &bench->ring);

	for (pos = par_log_unit(bench->ring.tail); pos < par_log_unit(tail); pos += PAR_LOG_UNIT)
		par_log_index_close(&bench->index, place_of(bench, pos) / PAR_LOG_UNIT);
	par_log_ring_free(&bench->ring, tail);
}

/* A batch has the oldest blocks, in order, each once; the tail is at the oldest live one. */
static void drain_batch(struct bench *bench, unsigned int max)
{
	unsigned int i, count, live;
	u64 first, tail;

	live = live_in_order(bench, bench->seen, &first);
	count = par_log_drain_pick(&bench->index, &bench->ring, bench->blocks, max);
	KUNIT_ASSERT_EQ(bench->test, !count, !live);
	for (i = 0; i < min(max, live); i++)
		KUNIT_ASSERT_TRUE(bench->test, is_among(bench->seen[i], bench->blocks, count));
	for (i = 0; i < count; i++) {
		KUNIT_ASSERT_TRUE(bench->test, is_among(bench->blocks[i], bench->seen,
							min(max, live)));
		if (i)
			KUNIT_ASSERT_GT(bench->test, bench->blocks[i], bench->blocks[i - 1]);
		drain_block(bench, bench->blocks[i]);
	}
	live_in_order(bench, bench->seen, &first);
	tail = par_log_drain_tail(&bench->index, &bench->ring);
	KUNIT_ASSERT_EQ(bench->test, tail, first == bench->ring.done ? first :
			max(par_log_unit(first), bench->ring.tail));
	if (any(bench, 2))
		store_tail(bench);
}

static void drain_walk(struct kunit *test, u64 begin, u32 spread)
{
	struct bench *bench = make_bench(test, begin);
	unsigned int step;

	for (step = 0; step < 3000; step++) {
		if (any(bench, 3))
			append(bench, spread);
		else
			drain_batch(bench, 1 + any(bench, 100));
	}
	KUNIT_EXPECT_GT(test, bench->ring.tail, begin + 3 * SLOTS);
	while (bench->index.live)
		drain_batch(bench, 50);
	store_tail(bench);
	KUNIT_EXPECT_TRUE(test, par_log_ring_empty(&bench->ring));
	KUNIT_EXPECT_EQ(test, par_log_drain_pick(&bench->index, &bench->ring, bench->blocks, 1), 0);
}

static void drain_in_order(struct kunit *test)
{
	drain_walk(test, 0, 100);
	drain_walk(test, 1000 * SLOTS + 77, 5000);
	drain_walk(test, 3 * PAR_LOG_UNIT, U32_MAX);
}

/* The tail never passes a record that is not done, even if it is the only one. */
static void drain_not_done(struct kunit *test)
{
	struct bench *bench = make_bench(test, 5);
	u64 pos, other;

	KUNIT_EXPECT_EQ(test, take(bench, 3, &pos), 3);
	KUNIT_EXPECT_EQ(test, take(bench, 500, &other), PAR_LOG_UNIT - 10);
	KUNIT_EXPECT_EQ(test, par_log_drain_tail(&bench->index, &bench->ring), 5);
	KUNIT_EXPECT_EQ(test, par_log_drain_pick(&bench->index, &bench->ring, bench->blocks, 9), 0);
	par_log_ring_done(&bench->ring, other);
	KUNIT_EXPECT_EQ(test, par_log_drain_tail(&bench->index, &bench->ring), other);
	KUNIT_EXPECT_EQ(test, take(bench, 500, &pos), PAR_LOG_UNIT - 1);
	KUNIT_EXPECT_EQ(test, par_log_drain_tail(&bench->index, &bench->ring), other);
	par_log_ring_done(&bench->ring, pos);
	KUNIT_EXPECT_EQ(test, par_log_drain_tail(&bench->index, &bench->ring), pos);
}

static void drain_reasons(struct kunit *test)
{
	struct par_log_need need = { .blocks = 1000, .used = 500 };

	KUNIT_EXPECT_EQ(test, par_log_drain_why(&need), PAR_LOG_REST);
	need.used++;
	KUNIT_EXPECT_EQ(test, par_log_drain_why(&need), PAR_LOG_FILLING);
	need.used = 251;
	need.filling = true;
	KUNIT_EXPECT_EQ(test, par_log_drain_why(&need), PAR_LOG_FILLING);
	need.used--;
	KUNIT_EXPECT_EQ(test, par_log_drain_why(&need), PAR_LOG_REST);
	need.idle = PAR_LOG_IDLE_MS;
	KUNIT_EXPECT_EQ(test, par_log_drain_why(&need), PAR_LOG_IDLE);
	need.top = true;
	KUNIT_EXPECT_EQ(test, par_log_drain_why(&need), PAR_LOG_TOP);
	need.used = 0;
	KUNIT_EXPECT_EQ(test, par_log_drain_why(&need), PAR_LOG_REST);
}

/* Append the oldest @max live blocks again. There is room for all of them. */
static void append_again(struct bench *bench, unsigned int max)
{
	unsigned int i, j, done = 0, parts;
	unsigned int count = par_log_drain_pick(&bench->index, &bench->ring, bench->blocks, max);
	struct par_log_part part[PAR_LOG_PARTS];
	u64 pos;

	while (done < count) {
		unsigned int some = take(bench, min(count - done, PAR_LOG_UNIT - 1), &pos);

		KUNIT_ASSERT_GT(bench->test, some, 0);
		for (i = 1; i <= some; i++) {
			struct par_log_entry entry = { .block = bench->blocks[done++] };

			parts = par_log_index_parts(&bench->index, entry.block, part);
			for (j = 0; j < parts; j++)
				entry.sectors |= part[j].sectors;
			par_log_index_add(&bench->index, place_of(bench, pos + i), &entry);
		}
		par_log_ring_done(&bench->ring, bench->ring.head);
	}
}

/* A log without room regains some by that, unless too much is live. */
static void again_gains(struct kunit *test)
{
	unsigned int seed, tries, gained = 0, given_up = 0;

	for (seed = 1; seed <= 100; seed++) {
		struct bench *bench = make_bench(test, 77 * seed);
		u32 hot = 1 + any(bench, 600), again = 1;

		while (par_log_ring_room(&bench->ring, 31))
			append(bench, hot);
		for (tries = 0; again && !par_log_ring_room(&bench->ring, 31); tries++) {
			again = par_log_drain_again(&bench->index, &bench->ring);
			append_again(bench, again);
			store_tail(bench);
			KUNIT_ASSERT_LT_MSG(test, tries, 2 * UNITS, "%u hot blocks", hot);
		}
		gained += !!again;
		given_up += !again;
		if (hot <= 120)
			KUNIT_EXPECT_GT_MSG(test, again, 0, "%u hot blocks", hot);
		kunit_kfree(test, bench);
	}
	KUNIT_EXPECT_GT(test, gained, 20);
	KUNIT_EXPECT_GT(test, given_up, 0);
}

/* Whatever is at the tail: each time the tail moves, until there is room. */
static void again_passes_dense(struct kunit *test)
{
	struct bench *bench = bench_of(test, MANY_UNITS, 0);
	unsigned int tries;
	u64 first = 1000;

	while (bench->ring.head < DENSE_UNITS * PAR_LOG_UNIT)
		first += append_new(bench, first);
	while (par_log_ring_room(&bench->ring, 31))
		append(bench, 64);
	for (tries = 0; !par_log_ring_room(&bench->ring, 31); tries++) {
		u32 again = par_log_drain_again(&bench->index, &bench->ring);
		u64 tail = bench->ring.tail;

		KUNIT_ASSERT_GT_MSG(test, again, 0, "no room after %u times", tries);
		append_again(bench, min(again, PAR_LOG_AGAIN));
		store_tail(bench);
		KUNIT_ASSERT_GT_MSG(test, bench->ring.tail, tail, "time %u", tries);
	}
	KUNIT_EXPECT_GE(test, tries, DENSE_UNITS / 2);
}

/* All lists of some blocks of four stripes. */
static void drain_stripes(struct kunit *test)
{
	const u64 base = 3ULL << 33;
	unsigned int bits, i, want, count;
	u64 blocks[12];

	for (bits = 1; bits < BIT(12); bits++) {
		for (i = 0, count = 0; i < 12; i++)
			if (bits & BIT(i))
				blocks[count++] = base + i;
		for (i = 0, want = 0; i < count; i++)
			want += (blocks[i] - base) / 3 == (blocks[0] - base) / 3;
		KUNIT_EXPECT_EQ_MSG(test, par_log_drain_stripe(blocks, count, 3), want,
				    "0x%x", bits);
	}
}

static struct kunit_case log_drain_cases[] = {
	KUNIT_CASE(drain_in_order),
	KUNIT_CASE(drain_not_done),
	KUNIT_CASE(drain_reasons),
	KUNIT_CASE(again_gains),
	KUNIT_CASE(again_passes_dense),
	KUNIT_CASE(drain_stripes),
	{}
};

static struct kunit_suite log_drain_suite = {
	.name = "raid-par-log-drain",
	.test_cases = log_drain_cases,
};

kunit_test_suite(log_drain_suite);
