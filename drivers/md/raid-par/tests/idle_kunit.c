// SPDX-License-Identifier: GPL-2.0
/*
 * Decisions about members that turn and are not needed (all cases), and about those that do
 * not wake up (the boundaries).
 */
#include <kunit/test.h>
#include <linux/jiffies.h>

#include "pure/idle.h"

/* The rules of the documentation. */
static u32 dumb_wait(const struct par_idle *r)
{
	if (r->off)
		return U32_MAX;
	if (r->system)
		return U32_MAX;
	if (!r->prompt)
		if (r->quiet < r->stop_after)
			return r->stop_after - r->quiet;
	if (r->ration > 3600)
		return 3600;
	return r->ration;
}

static void rest_all(struct kunit *test)
{
	static const u64 quiet[] = { 0, 1, 59, 60, 61, 1ULL << 40 };
	static const u64 ration[] = { 0, 1, 3600, 3601, 1ULL << 40 };
	unsigned int flags, i, k, n = 0;

	for (flags = 0; flags < 8; flags++)
		for (i = 0; i < ARRAY_SIZE(quiet); i++)
			for (k = 0; k < ARRAY_SIZE(ration); k++, n++) {
				struct par_idle idle = {
					.off = flags & 1, .system = flags & 2,
					.prompt = flags & 4, .quiet = quiet[i],
					.stop_after = 60, .ration = ration[k],
				};

				KUNIT_EXPECT_EQ_MSG(test, par_idle_wait(&idle),
						    dumb_wait(&idle),
						    "flags %u, quiet %llu, ration %llu",
						    flags, quiet[i], ration[k]);
			}
	KUNIT_EXPECT_EQ(test, n, 240);
}

/* The pauses get longer, up to a limit, and are never infinite. */
static void rest_busy(struct kunit *test)
{
	unsigned int wait = 0, sum = 0, i;

	for (i = 0; i < 9; i++) {
		unsigned int next = par_busy_next(wait);

		KUNIT_EXPECT_EQ(test, next, 1U << i);
		wait = next;
		sum += wait;
	}
	KUNIT_EXPECT_EQ(test, sum, 511);
	KUNIT_EXPECT_EQ(test, par_busy_next(wait), 256);
}

/* Twice the time, to the jiffy, also when jiffies wrap. */
static void rest_wake_over(struct kunit *test)
{
	static const unsigned long begins[] = {
		0, 1000, INITIAL_JIFFIES, ULONG_MAX - 10, ULONG_MAX / 2 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(begins); i++) {
		unsigned long began = begins[i];

		KUNIT_EXPECT_FALSE(test, par_wake_over(began, began, 60));
		KUNIT_EXPECT_FALSE(test, par_wake_over(began, began + 30 * HZ, 60));
		KUNIT_EXPECT_FALSE(test, par_wake_over(began, began + 120 * HZ, 60));
		KUNIT_EXPECT_TRUE(test, par_wake_over(began, began + 120 * HZ + 1, 60));
		/* The first try is still to come. */
		KUNIT_EXPECT_FALSE(test, par_wake_over(began + HZ, began, 1));
	}
}

static struct kunit_case rest_cases[] = {
	KUNIT_CASE(rest_all),
	KUNIT_CASE(rest_busy),
	KUNIT_CASE(rest_wake_over),
	{}
};

static struct kunit_suite rest_suite = {
	.name = "raid-par-idle",
	.test_cases = rest_cases,
};

kunit_test_suite(rest_suite);
