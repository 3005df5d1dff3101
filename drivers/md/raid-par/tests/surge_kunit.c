// SPDX-License-Identifier: GPL-2.0
/*
 * The predicted duration of surges: compared with counting one by one, and for loads of
 * known duration.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "policy/surge.h"

#define SEED	20261124
#define LULL	20U

static const struct par_interval busy = { .requests = 100, .sectors = 800 };
static const struct par_interval large_writes = { .requests = 100, .writes = 90,
						  .sectors = 51200 };

/* A second of the surge. */
static void second(struct par_surge *surge, const struct par_interval *interval,
		   bool pressed, u64 *now)
{
	par_surge_see(surge, interval, pressed, LULL, ++*now);
}

/* Seconds with the load, then without it; the first of the latter only ends it. */
static void lives(struct par_surge *surge, const struct par_interval *interval,
		  unsigned int on, unsigned int off, u64 *now)
{
	while (on--)
		second(surge, interval, true, now);
	while (off--)
		second(surge, interval, false, now);
}

/* The first surge is expected to last; the next ones as long as the first. */
static void learns(struct kunit *test)
{
	struct par_surge surge = {};
	u64 now = 1000;

	second(&surge, &busy, true, &now);
	KUNIT_EXPECT_EQ(test, par_surge_wait(&surge, 40, now), 0);
	/* From its first second to its last, that is 29. */
	lives(&surge, &busy, 29, 390, &now);
	KUNIT_EXPECT_EQ(test, surge.since, 0);
	second(&surge, &busy, true, &now);
	KUNIT_EXPECT_EQ(test, par_surge_age(&surge, now), 0);
	KUNIT_EXPECT_EQ(test, par_surge_wait(&surge, 40, now), 30);
	lives(&surge, &busy, 29, 0, &now);
	KUNIT_EXPECT_EQ(test, par_surge_wait(&surge, 40, now), 1);
	second(&surge, &busy, true, &now);
	KUNIT_EXPECT_EQ(test, par_surge_wait(&surge, 40, now), 0);
	/* The needed time is less than such a surge has left. */
	lives(&surge, &busy, 0, 100, &now);
	second(&surge, &busy, true, &now);
	KUNIT_EXPECT_EQ(test, par_surge_wait(&surge, 29, now), 0);
}

/* Half of them is enough; nothing has been learnt about other kinds. */
static void by_kind(struct kunit *test)
{
	struct par_surge surge = {};
	u64 now = 1000;
	unsigned int i;

	for (i = 0; i < 6; i++)
		lives(&surge, &busy, i % 2 ? 4 : 600, 100, &now);
	second(&surge, &busy, true, &now);
	KUNIT_EXPECT_EQ(test, par_surge_wait(&surge, 80, now), 0);
	lives(&surge, &busy, 3, 100, &now);
	second(&surge, &busy, true, &now);
	KUNIT_EXPECT_EQ(test, par_surge_wait(&surge, 80, now), 4);
	lives(&surge, &busy, 0, 100, &now);
	second(&surge, &large_writes, true, &now);
	KUNIT_EXPECT_EQ(test, par_surge_wait(&surge, 80, now), 0);
}

/*
 * A pause that is shorter than a lull does not count, and a surge that is dropped is not
 * remembered.
 */
static void one_surge(struct kunit *test)
{
	struct par_surge surge = {};
	u64 now = 1000;

	lives(&surge, &busy, 10, LULL - 1, &now);
	KUNIT_EXPECT_EQ(test, par_surge_age(&surge, now), 9 + LULL - 1);
	lives(&surge, &busy, 10, LULL, &now);
	KUNIT_EXPECT_EQ(test, surge.since, 0);
	second(&surge, &busy, true, &now);
	KUNIT_EXPECT_EQ(test, par_surge_wait(&surge, 100, now), 9 + LULL + 10);
	par_surge_drop(&surge);
	KUNIT_EXPECT_EQ(test, par_surge_age(&surge, now), 0);
	lives(&surge, &busy, 0, 100, &now);
	KUNIT_EXPECT_EQ(test, surge.past[PAR_SURGE_READS].count, 1);
}

/* Pauses that were too short are waited out, and no longer. */
static void pauses(struct kunit *test)
{
	struct par_surge surge = {};
	u64 now = 1000;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, par_pause_wait(&surge, 120, now), 0);
	for (i = 0; i < 4; i++)
		lives(&surge, &busy, 30, 60, &now);
	/* From a surge's last second to the next one's first: 61. */
	KUNIT_EXPECT_EQ(test, par_pause_wait(&surge, 120, now), 2);
	lives(&surge, &busy, 0, 2, &now);
	KUNIT_EXPECT_EQ(test, par_pause_wait(&surge, 120, now), 0);
	for (i = 0; i < 16; i++)
		lives(&surge, &busy, 30, 400, &now);
	KUNIT_EXPECT_EQ(test, par_pause_wait(&surge, 120, now - 300), 0);
}

/* Did half of those that lasted as long continue for as long as needed? Counted one by one. */
static bool dumb(const u32 *lasted, unsigned int n, u64 age, u64 needed)
{
	unsigned int so_long = 0, longer = 0, i;

	for (i = n > PAR_SPANS ? n - PAR_SPANS : 0; i < n; i++) {
		so_long += lasted[i] >= age;
		longer += lasted[i] >= age + needed;
	}
	return 2 * longer >= so_long;
}

static void like_counting(struct kunit *test)
{
	struct par_surge surge = {};
	struct rnd_state rng;
	u32 lasted[100];
	u64 now = 1000, wait;
	unsigned int n, age;

	prandom_seed_state(&rng, SEED);
	for (n = 0; n < ARRAY_SIZE(lasted); n++) {
		unsigned int on = 1 + prandom_u32_state(&rng) % (n % 3 ? 50 : 500);

		lasted[n] = on - 1;
		for (age = 0; age < on; age++) {
			second(&surge, &busy, true, &now);
			wait = par_surge_wait(&surge, 80, now);
			KUNIT_ASSERT_EQ_MSG(test, !wait, dumb(lasted, n, age, 80),
					    "surge %u at %u s", n, age);
			if (!wait)
				continue;
			KUNIT_ASSERT_TRUE(test, dumb(lasted, n, age + wait, 80));
			while (--wait)
				KUNIT_ASSERT_FALSE(test, dumb(lasted, n, age + wait, 80));
		}
		lives(&surge, &busy, 0, 2 * LULL, &now);
	}
}

static struct kunit_case surge_cases[] = {
	KUNIT_CASE(learns),
	KUNIT_CASE(by_kind),
	KUNIT_CASE(one_surge),
	KUNIT_CASE(pauses),
	KUNIT_CASE(like_counting),
	{}
};

static struct kunit_suite surge_suite = {
	.name = "raid-par-surge",
	.test_cases = surge_cases,
};

kunit_test_suite(surge_suite);
