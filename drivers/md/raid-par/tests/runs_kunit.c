// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that belong to one run: interleaved streams, and requests that do not.
 */
#include <kunit/test.h>

#include "pure/runs.h"

#define PAGE	8U
#define FAR	0x100000000ULL

/* @streams of pages that take turns, @pages each; returns how many runs these are. */
static unsigned int runs_of(unsigned int streams, unsigned int pages)
{
	unsigned int i, page, begun = 0;
	struct par_runs runs = {};

	for (page = 0; page < pages; page++)
		for (i = 0; i < streams; i++)
			begun += !par_runs_add(&runs, i * FAR + page * PAGE, PAGE);
	return begun;
}

/*
 * Each stream has as many runs as its length requires, up to the number of streams that are
 * remembered.
 */
static void runs_take_turns(struct kunit *test)
{
	unsigned int streams, pages;

	for (streams = 1; streams <= PAR_RUNS + 2; streams++)
		for (pages = 1; pages <= 100; pages++)
			KUNIT_EXPECT_EQ_MSG(test, runs_of(streams, pages), streams *
					    (streams > PAR_RUNS ? pages :
					     DIV_ROUND_UP(pages * PAGE, PAR_RUN_SECTORS)),
					    "%u streams of %u pages", streams, pages);
}

/* Requests that go backwards, leave a gap, repeat, or begin at the start of a disk are no run. */
static void runs_none(struct kunit *test)
{
	static const u64 from[] = { 0, 1000, 992, 984, 2000, 2016, 2000, 2000 };
	struct par_runs runs = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(from); i++)
		KUNIT_EXPECT_FALSE_MSG(test, par_runs_add(&runs, from[i], PAGE),
				       "sector %llu", from[i]);
}

/* A run of the largest length is not continued, whatever follows it. */
static void runs_long(struct kunit *test)
{
	struct par_runs runs = {};
	unsigned int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_FALSE(test, par_runs_add(&runs, i * PAR_RUN_SECTORS,
						      PAR_RUN_SECTORS));
	KUNIT_EXPECT_FALSE(test, par_runs_add(&runs, i * PAR_RUN_SECTORS, PAGE));
	KUNIT_EXPECT_TRUE(test, par_runs_add(&runs, i * PAR_RUN_SECTORS + PAGE, PAGE));
	KUNIT_EXPECT_FALSE(test, par_runs_add(&runs, i * PAR_RUN_SECTORS + 2 * PAGE,
					      8 * PAR_RUN_SECTORS));
}

static struct kunit_case runs_cases[] = {
	KUNIT_CASE(runs_take_turns),
	KUNIT_CASE(runs_none),
	KUNIT_CASE(runs_long),
	{}
};

static struct kunit_suite runs_suite = {
	.name = "raid-par-runs",
	.test_cases = runs_cases,
};

kunit_test_suite(runs_suite);
