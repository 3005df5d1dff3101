// SPDX-License-Identifier: GPL-2.0
/*
 * The place of the log on the members, and the blocks in use: every place of small logs, and
 * rings that are reused, compared with a list of used blocks.
 */
#include <linux/bits.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <kunit/test.h>

#include "pure/log-place.h"
#include "pure/log-ring.h"

#define START	4096U
#define SEED	0x106

static const struct {
	const char *name;
	unsigned int members, parities, rows;
} shapes[] = {
	{ "raid5 of 2", 2, 1, 8 },
	{ "raid5 of 3", 3, 1, 9 },
	{ "raid5 of 5", 5, 1, 7 },
	{ "raid6 of 4", 4, 2, 11 },
	{ "raid6 of 7", 7, 2, 5 },
	{ "raid0 of 2", 2, 0, 4 },
	{ "raid0 of 27", 27, 0, 2 },
	{ "raid6 of 28", 28, 2, 3 },
};

static void make_shape(struct kunit *test, unsigned int i, struct par_log_shape *shape)
{
	KUNIT_ASSERT_TRUE_MSG(test,
			      par_log_shape_init(shape, shapes[i].members, shapes[i].parities,
						 START, shapes[i].rows * PAR_LOG_UNIT_SECTORS +
						 PAR_LOG_UNIT_SECTORS - 1), "%s", shapes[i].name);
}

/* No other copy is at the place of a copy of @unit; @used: by member and row. */
static void place_copy(struct kunit *test, unsigned int i, const struct par_log_shape *shape,
		       u32 unit, unsigned int copy, bool (*used)[16])
{
	u32 place = unit * PAR_LOG_UNIT;
	u64 at = par_log_sector(shape, place, copy) - START;
	unsigned int more, d = par_log_member(shape, place, copy);
	unsigned int row = at / PAR_LOG_UNIT_SECTORS;

	KUNIT_ASSERT_LT_MSG(test, d, shapes[i].members, "%s", shapes[i].name);
	KUNIT_ASSERT_LT_MSG(test, row, shapes[i].rows, "%s", shapes[i].name);
	KUNIT_EXPECT_EQ(test, at % PAR_LOG_UNIT_SECTORS, 0);
	KUNIT_EXPECT_FALSE_MSG(test, used[d][row], "%s: unit %u", shapes[i].name, unit);
	used[d][row] = true;
	for (more = 1; more < PAR_LOG_UNIT; more++) {
		KUNIT_ASSERT_EQ(test, d, par_log_member(shape, place + more, copy));
		KUNIT_ASSERT_EQ(test, at + START + more * PAR_LOG_BLOCK,
				par_log_sector(shape, place + more, copy));
	}
}

/* No two copies are at one place, and none is outside the area. */
static void place_apart(struct kunit *test)
{
	struct par_log_shape shape;
	unsigned int i, copy;
	u32 unit;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		bool (*used)[16] = kunit_kcalloc(test, 28, sizeof(*used), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, used);
		make_shape(test, i, &shape);
		for (unit = 0; unit < shape.units; unit++)
			for (copy = 0; copy < shape.copies; copy++)
				place_copy(test, i, &shape, unit, copy, used);
		/* The space left over is less than a unit's copies. */
		KUNIT_EXPECT_GT(test, shape.copies, shapes[i].rows * shape.members -
				shape.units * shape.copies);
	}
}

/* A copy of each unit is left if any members are lost, as many as there are parities. */
static void place_survives(struct kunit *test)
{
	struct par_log_shape shape;
	unsigned int i;
	u32 lost, unit;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (shapes[i].members > 12)
			continue;
		make_shape(test, i, &shape);
		for (unit = 0; unit < shape.units; unit++) {
			u32 members = par_log_members(&shape, unit * PAR_LOG_UNIT);

			KUNIT_EXPECT_EQ(test, hweight32(members), shapes[i].parities + 1);
			for (lost = 0; lost < BIT(shapes[i].members); lost++)
				if (hweight32(lost) <= shapes[i].parities)
					KUNIT_EXPECT_NE_MSG(test, members & ~lost, 0,
							    "%s: unit %u without 0x%x",
							    shapes[i].name, unit, lost);
		}
	}
}

/* Invalid sizes, the least and the largest one; positions that grow without end. */
static void place_limits(struct kunit *test)
{
	struct par_log_shape shape;

	KUNIT_EXPECT_FALSE(test, par_log_shape_init(&shape, 3, 1, 0, 0));
	KUNIT_EXPECT_FALSE(test, par_log_shape_init(&shape, 2, 1, 0, 8 * PAR_LOG_UNIT_SECTORS - 1));
	KUNIT_EXPECT_TRUE(test, par_log_shape_init(&shape, 2, 1, 0, 8 * PAR_LOG_UNIT_SECTORS));
	KUNIT_EXPECT_EQ(test, shape.units, 8);
	KUNIT_EXPECT_TRUE(test, par_log_shape_init(&shape, 28, 0, 0, 1ULL << 45));
	KUNIT_EXPECT_EQ(test, shape.units, PAR_LOG_MAX_UNITS);
	KUNIT_EXPECT_EQ(test, par_log_place(&shape, (1ULL << 62) + 5), 5);
	KUNIT_EXPECT_TRUE(test, par_log_shape_init(&shape, 3, 1, 0, 9 * PAR_LOG_UNIT_SECTORS));
	KUNIT_EXPECT_EQ(test, shape.units, 13);
	KUNIT_EXPECT_EQ(test, par_log_place(&shape, 13 * PAR_LOG_UNIT * 1000ULL + 77), 77);
}

#define UNITS	8U
#define BLOCKS	(UNITS * PAR_LOG_UNIT)

/* The reference for the ring, block by block: the end of each record in it. */
struct list {
	u64 end[BLOCKS];
	unsigned int count;
	bool taken[BLOCKS];
};

static void list_take(struct kunit *test, struct list *list, u64 pos, unsigned int blocks)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, pos / PAR_LOG_UNIT, (pos + blocks) / PAR_LOG_UNIT);
	KUNIT_EXPECT_GE(test, blocks, 1);
	for (i = 0; i <= blocks; i++) {
		KUNIT_EXPECT_FALSE_MSG(test, list->taken[(pos + i) % BLOCKS], "%llu", pos + i);
		list->taken[(pos + i) % BLOCKS] = true;
	}
	list->end[list->count++] = pos + blocks + 1;
}

/* All whole units up to @pos are free. */
static void list_free(struct list *list, u64 from, u64 pos)
{
	unsigned int i, left = 0;
	u64 at;

	for (at = from - from % PAR_LOG_UNIT; at < pos - pos % PAR_LOG_UNIT; at++)
		list->taken[at % BLOCKS] = false;
	for (i = 0; i < list->count; i++)
		if (list->end[i] > pos)
			list->end[left++] = list->end[i];
	list->count = left;
}

/* A possible tail: a unit's beginning, or the end of all records that are done. */
static u64 some_tail(const struct par_log_ring *ring, struct rnd_state *random)
{
	u64 units = (ring->done - par_log_unit(ring->tail)) / PAR_LOG_UNIT;
	u64 pos = par_log_unit(ring->tail) +
		  prandom_u32_state(random) % (units + 1) * PAR_LOG_UNIT;

	return prandom_u32_state(random) % 4 ? max(pos, ring->tail) : ring->done;
}

static void ring_walk(struct kunit *test, struct rnd_state *random, u64 begin)
{
	struct list *list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
	unsigned int step, want, got, full = 0;
	struct par_log_ring ring;
	u64 pos, expected = begin;

	KUNIT_ASSERT_NOT_NULL(test, list);
	par_log_ring_init(&ring, BLOCKS, begin);
	for (step = 0; step < 20000; step++) {
		if (prandom_u32_state(random) % 8) {
			want = 1 + prandom_u32_state(random) % (2 * PAR_LOG_UNIT);
			got = par_log_ring_take(&ring, want, &pos);
			full += !got;
			KUNIT_ASSERT_EQ(test, !got, expected / PAR_LOG_UNIT >=
					ring.tail / PAR_LOG_UNIT + UNITS);
			if (!got)
				continue;
			KUNIT_ASSERT_EQ(test, pos, expected);
			KUNIT_ASSERT_EQ(test, got, min_t(u64, want, PAR_LOG_UNIT - 1 -
							 pos % PAR_LOG_UNIT));
			list_take(test, list, pos, got);
			expected = pos + got + 1;
			expected += expected % PAR_LOG_UNIT == PAR_LOG_UNIT - 1;
		} else {
			par_log_ring_done(&ring, ring.head);
			par_log_ring_flushed(&ring, ring.done);
			pos = some_tail(&ring, random);
			list_free(list, ring.tail, pos);
			par_log_ring_free(&ring, pos);
			KUNIT_EXPECT_EQ(test, par_log_ring_empty(&ring), !list->count);
		}
		KUNIT_ASSERT_EQ(test, ring.head, expected);
		KUNIT_ASSERT_LE(test, par_log_ring_used(&ring), BLOCKS);
	}
	KUNIT_EXPECT_GT(test, full, 100);
}

/* Records never overlap, none is longer than its unit, and all of the ring is used. */
static void ring_against_list(struct kunit *test)
{
	struct rnd_state random;

	prandom_seed_state(&random, SEED);
	ring_walk(test, &random, 0);
	ring_walk(test, &random, BLOCKS * 1000ULL + 3 * PAR_LOG_UNIT + 5);
	ring_walk(test, &random, (1ULL << 61) + 77);
}

/* No position of the ring decreases, in any order of the calls. */
static void ring_forward(struct kunit *test)
{
	struct par_log_ring ring;
	u64 pos;

	par_log_ring_init(&ring, BLOCKS, 0);
	KUNIT_EXPECT_EQ(test, par_log_ring_take(&ring, 500, &pos), PAR_LOG_UNIT - 1);
	KUNIT_EXPECT_EQ(test, par_log_ring_take(&ring, 1, &pos), 1);
	par_log_ring_done(&ring, ring.head);
	par_log_ring_done(&ring, PAR_LOG_UNIT);
	KUNIT_EXPECT_EQ(test, ring.done, PAR_LOG_UNIT + 2);
	par_log_ring_flushed(&ring, PAR_LOG_UNIT);
	par_log_ring_flushed(&ring, 0);
	KUNIT_EXPECT_EQ(test, ring.stable, PAR_LOG_UNIT);
	par_log_ring_free(&ring, ring.done);
	KUNIT_EXPECT_EQ(test, ring.stable, ring.tail);
	par_log_ring_free(&ring, PAR_LOG_UNIT);
	KUNIT_EXPECT_EQ(test, ring.tail, ring.done);
	KUNIT_EXPECT_TRUE(test, par_log_ring_empty(&ring));
	/* Only the part of its unit behind it is left. */
	KUNIT_EXPECT_EQ(test, par_log_ring_used(&ring), 2);
}

static struct kunit_case log_place_cases[] = {
	KUNIT_CASE(place_apart),
	KUNIT_CASE(place_survives),
	KUNIT_CASE(place_limits),
	KUNIT_CASE(ring_against_list),
	KUNIT_CASE(ring_forward),
	{}
};

static struct kunit_suite log_place_suite = {
	.name = "raid-par-log-place",
	.test_cases = log_place_cases,
};

kunit_test_suite(log_place_suite);
