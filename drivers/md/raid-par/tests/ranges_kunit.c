// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of ranges, against an array that has an element for each number.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "pure/ranges.h"

#define NUMBERS	4096U
#define MOST	32U	/* ranges in a list */

struct cover {
	struct par_ranges list;
	bool covered[NUMBERS + 1];
	struct rnd_state random;
};

static struct cover *new_cover(struct kunit *test)
{
	struct cover *cover = kunit_kzalloc(test, sizeof(*cover), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cover);
	prandom_seed_state(&cover->random, 29);
	return cover;
}

static void add(struct cover *cover, u32 first, u32 end)
{
	par_ranges_add(&cover->list, first, end);
	for (; first < end; first++)
		cover->covered[first] = true;
}

static u32 runs_covered(const struct cover *cover)
{
	u32 i, runs = 0;

	for (i = 0; i < NUMBERS; i++)
		runs += cover->covered[i] && !cover->covered[i + 1];
	return runs;
}

/* In order, none of them empty or touching the next; all that was added is in one of them. */
static void judge(struct kunit *test, const struct cover *cover)
{
	const struct par_ranges *list = &cover->list;
	u32 i = 0, at;

	KUNIT_ASSERT_LE(test, list->count, MOST);
	for (at = 0; at < list->count; at++) {
		KUNIT_ASSERT_LT(test, list->range[at].first, list->range[at].end);
		if (at)
			KUNIT_ASSERT_LT(test, list->range[at - 1].end, list->range[at].first);
		for (; i < list->range[at].first; i++)
			KUNIT_ASSERT_FALSE_MSG(test, cover->covered[i], "%u", i);
		/* It begins and ends with what was added. */
		KUNIT_ASSERT_TRUE(test, cover->covered[list->range[at].first]);
		KUNIT_ASSERT_TRUE(test, cover->covered[list->range[at].end - 1]);
		i = list->range[at].end;
	}
	for (; i < NUMBERS; i++)
		KUNIT_ASSERT_FALSE_MSG(test, cover->covered[i], "%u", i);
}

/* As long as there is room, the list has the ranges exactly. */
static void ranges_exact(struct kunit *test)
{
	struct cover *cover = new_cover(test);
	unsigned int round, exact = 0;

	for (round = 0; round < 2000; round++) {
		u32 length = prandom_u32_state(&cover->random) % 40;
		u32 first = prandom_u32_state(&cover->random) % (NUMBERS - length);

		if (round % 25 == 0) {
			memset(&cover->list, 0, sizeof(cover->list));
			memset(cover->covered, 0, sizeof(cover->covered));
		}
		add(cover, first, first + length);
		judge(test, cover);
		KUNIT_ASSERT_EQ(test, cover->list.joined, 0);
		KUNIT_ASSERT_EQ(test, cover->list.count, runs_covered(cover));
		exact += cover->list.count > 15;
	}
	KUNIT_EXPECT_GT(test, exact, 100);
}

/* Thousands of ranges: few lines, which cover them all. */
static void ranges_too_many(struct kunit *test)
{
	struct cover *cover = new_cover(test);
	u32 i;

	for (i = 0; i < NUMBERS; i += 2) {
		u32 at = i * 1021 % NUMBERS;	/* each even number once, in disorder */

		add(cover, at, at + 1);
		judge(test, cover);
	}
	KUNIT_EXPECT_EQ(test, runs_covered(cover), NUMBERS / 2);
	KUNIT_EXPECT_EQ(test, cover->list.added, NUMBERS / 2);
	KUNIT_EXPECT_GT(test, cover->list.joined, 0);
	add(cover, 0, NUMBERS);
	KUNIT_EXPECT_EQ(test, cover->list.count, 1);
}

/* The gap that is closed is the smallest. */
static void ranges_closest(struct kunit *test)
{
	struct cover *cover = new_cover(test);
	u32 i;

	for (i = 0; i < MOST; i++)
		add(cover, i * 100, i * 100 + 10);
	KUNIT_EXPECT_EQ(test, cover->list.joined, 0);
	add(cover, 1715, 1720);
	KUNIT_EXPECT_EQ(test, cover->list.count, MOST);
	KUNIT_EXPECT_EQ(test, cover->list.joined, 1);
	KUNIT_EXPECT_EQ(test, cover->list.range[17].first, 1700);
	KUNIT_EXPECT_EQ(test, cover->list.range[17].end, 1720);
	judge(test, cover);
}

static struct kunit_case ranges_cases[] = {
	KUNIT_CASE(ranges_exact),
	KUNIT_CASE(ranges_too_many),
	KUNIT_CASE(ranges_closest),
	{}
};

static struct kunit_suite ranges_suite = {
	.name = "raid-par-ranges",
	.test_cases = ranges_cases,
};

kunit_test_suite(ranges_suite);
