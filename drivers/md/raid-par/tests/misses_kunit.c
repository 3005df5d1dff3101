// SPDX-License-Identifier: GPL-2.0
/*
 * Expected sleeps: by hand; random walks, compared with a list of all misses; what is enough for
 * the energy may be too little for the spin-ups.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/prandom.h>

#include "policy/misses.h"

#define SEED	23
#define LINGER	120U
#define MISSES	400U

static void by_hand(struct kunit *test)
{
	struct par_misses misses = { };

	KUNIT_EXPECT_EQ(test, par_misses_sleep(&misses, LINGER, 1000), U64_MAX);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1000), 0);
	/* The first miss: it is expected to be as long until the next one as it has been. */
	par_misses_see(&misses, LINGER, 1000);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1000), LINGER + 120);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1239), 1);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1240), 0);
	KUNIT_EXPECT_EQ(test, par_misses_sleep(&misses, LINGER, 1240), 120);
	/* It has slept for 200 s when the next one comes: enough as soon as it has lingered. */
	par_misses_see(&misses, LINGER, 1320);
	KUNIT_EXPECT_EQ(test, par_misses_sleep(&misses, LINGER, 1320), 200);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1320), LINGER);
	/* Spin-ups are scarce: each sleep should last for an hour. */
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 3600, 1320), LINGER + 7200);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 200, 1320), LINGER);
	/* What follows within the time belongs to the same wake. */
	par_misses_see(&misses, LINGER, 1420);
	par_misses_see(&misses, LINGER, 1540);
	KUNIT_EXPECT_EQ(test, misses.sleeps, PAR_MISSES_ONE);
	/* 20 s: (200 * 3/4 + 20) / (3/4 + 1) = 97, too short: the next one must be 40 s longer. */
	par_misses_see(&misses, LINGER, 1680);
	KUNIT_EXPECT_EQ(test, par_misses_sleep(&misses, LINGER, 1680), 97);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1680), LINGER + 160);
}

/* A night does not outweigh a morning, but the spin-ups of the morning are affordable after it. */
static void long_sleeps_are_limited(struct kunit *test)
{
	struct par_misses misses = { };
	u64 now = 1000;
	unsigned int i;

	par_misses_see(&misses, LINGER, now);
	par_misses_see(&misses, LINGER, now += 30000);
	for (i = 0; i < 6; i++)
		par_misses_see(&misses, LINGER, now += LINGER + 30);
	KUNIT_EXPECT_GT(test, par_misses_wait(&misses, LINGER, 120, 0, now), LINGER + 120);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 0, 1000, now), LINGER);
}

/* A wake counts once, whatever follows within the time; misses all along, as often as it passes. */
static void periods(struct kunit *test)
{
	struct par_misses misses = { };
	unsigned int count = 0;
	u64 now;

	KUNIT_EXPECT_TRUE(test, par_misses_see(&misses, LINGER, 0));
	KUNIT_EXPECT_FALSE(test, par_misses_see(&misses, LINGER, 0));
	KUNIT_EXPECT_FALSE(test, par_misses_see(&misses, LINGER, 1 + LINGER));
	KUNIT_EXPECT_TRUE(test, par_misses_see(&misses, LINGER, 2 + LINGER));
	for (now = 10000; now < 13600; now += 5)
		count += par_misses_see(&misses, LINGER, now);
	KUNIT_EXPECT_EQ(test, count, 3600 / (LINGER + 5) + 1);
}

/* What is usual at this hour counts until a run is missed, and then fades as other sleeps do. */
static void usual_misses(struct kunit *test)
{
	struct par_misses misses = { }, none = { };

	/* None is usual: as before. */
	par_misses_suppose(&misses, LINGER, 0, 1000);
	KUNIT_EXPECT_MEMEQ(test, &misses, &none, sizeof(none));
	/* 20 an hour: one in 180 s, so sleeps last for 60 s: this one must last for 180 s. */
	par_misses_suppose(&misses, LINGER, 20 * PAR_MISS_ONE, 1000);
	KUNIT_EXPECT_EQ(test, par_misses_sleep(&misses, LINGER, 1000), 60);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1000), LINGER + 180);
	/* The next hour has 4: sleeps of 780 s are enough, but too short if spin-ups are scarce. */
	par_misses_suppose(&misses, LINGER, 4 * PAR_MISS_ONE, 1100);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1100), LINGER - 100);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 780, 1100), LINGER - 100);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 800, 1100),
			LINGER - 100 + 1600);
	/* One in a week of this hour. More than what fits into an hour. None. */
	par_misses_suppose(&misses, LINGER, PAR_MISS_ONE / 7, 1200);
	KUNIT_EXPECT_EQ(test, par_misses_sleep(&misses, LINGER, 1200), 360000 / 14 - LINGER);
	par_misses_suppose(&misses, LINGER, 40 * PAR_MISS_ONE, 1200);
	KUNIT_EXPECT_EQ(test, misses.lasted, 0);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1200), LINGER - 200 + 240);
	par_misses_suppose(&misses, LINGER, 0, 1200);
	KUNIT_EXPECT_EQ(test, par_misses_wait(&misses, LINGER, 120, 0, 1200), 0);
	/* The first miss, after a sleep of 130 s: (60 * 3/4 + 130) / (3/4 + 1) = 100. */
	par_misses_suppose(&misses, LINGER, 20 * PAR_MISS_ONE, 2000);
	KUNIT_EXPECT_TRUE(test, par_misses_see(&misses, LINGER, 2250));
	KUNIT_EXPECT_EQ(test, par_misses_sleep(&misses, LINGER, 2250), 100);
	none = misses;
	par_misses_suppose(&misses, LINGER, 4 * PAR_MISS_ONE, 2300);
	par_misses_suppose(&misses, LINGER, 0, 2300);
	KUNIT_EXPECT_MEMEQ(test, &misses, &none, sizeof(none));
}

/* ---- compared with a list ---- */

struct list {
	u64 at[MISSES];
	unsigned int count;
};

/* The weighted sum of all sleeps, each limited to @most, and of the weights; the newest is last. */
static u64 dumb_sum(const struct list *list, u64 most, u64 *weights)
{
	u64 sum = 0;
	unsigned int i;

	*weights = 0;
	for (i = 1; i < list->count; i++) {
		u64 gap = list->at[i] - list->at[i - 1];

		if (gap <= LINGER)
			continue;
		sum = sum - sum / PAR_MISSES_KEPT + min(gap - LINGER, most) * PAR_MISSES_ONE;
		*weights = *weights - *weights / PAR_MISSES_KEPT + PAR_MISSES_ONE;
	}
	return sum;
}

/* Is the mean of the sleeps so far @needed, or the one that would last until @now twice as long? */
static bool dumb_long(const struct list *list, u64 needed, u64 now)
{
	u64 weights, sum = dumb_sum(list, U32_MAX, &weights);

	return sum >= needed * weights || now >= list->at[list->count - 1] + LINGER + 2 * needed;
}

/* Is the mean @needed, either of the sleeps so far or with the one that would last until @now? */
static bool dumb_enough(const struct list *list, u64 most, u64 needed, u64 now)
{
	u64 weights, sum = dumb_sum(list, most, &weights), last = list->at[list->count - 1];

	if (now < last + LINGER)
		return false;
	if (weights && sum >= needed * weights)
		return true;
	return sum + (now - last - LINGER) * PAR_MISSES_ONE >=
	       needed * (weights + PAR_MISSES_ONE);
}

static bool dumb_worth(const struct list *list, u64 energy, u64 starts, u64 now)
{
	return dumb_enough(list, PAR_MISSES_MOST * LINGER, energy, now) &&
	       dumb_long(list, starts, now);
}

static void judge(struct kunit *test, const struct par_misses *misses, const struct list *list,
		  u64 starts)
{
	u64 now = list->at[list->count - 1];
	u64 wait = par_misses_wait(misses, LINGER, 150, starts, now), until;

	KUNIT_ASSERT_TRUE_MSG(test, dumb_worth(list, 150, starts, now + wait),
			      "miss %u: not after %llu s", list->count, wait);
	KUNIT_ASSERT_FALSE_MSG(test, wait && dumb_worth(list, 150, starts, now + wait - 1),
			       "miss %u: earlier than after %llu s", list->count, wait);
	for (until = 0; until < 3; until++)
		KUNIT_ASSERT_EQ(test, par_misses_wait(misses, LINGER, 150, starts,
						      now + until * wait / 3),
				wait - until * wait / 3);
}

static void like_a_list(struct kunit *test)
{
	struct list *list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
	struct par_misses misses = { };
	struct rnd_state random;
	u64 now = 5000;

	KUNIT_ASSERT_NOT_NULL(test, list);
	prandom_seed_state(&random, SEED);
	while (list->count < MISSES) {
		u32 kind = prandom_u32_state(&random);

		/* Bursts, minutes, and now and then hours. */
		now += kind % 2 ? kind / 8 % 90 : kind % 16 ? kind / 16 % 700 : kind / 16 % 30000;
		list->at[list->count++] = now;
		par_misses_see(&misses, LINGER, now);
		judge(test, &misses, list, kind % 3 ? 0 : 2000);
	}
}

static struct kunit_case misses_cases[] = {
	KUNIT_CASE(by_hand),
	KUNIT_CASE(long_sleeps_are_limited),
	KUNIT_CASE(periods),
	KUNIT_CASE(usual_misses),
	KUNIT_CASE(like_a_list),
	{}
};

static struct kunit_suite misses_suite = {
	.name = "raid-par-misses",
	.test_cases = misses_cases,
};

kunit_test_suite(misses_suite);
