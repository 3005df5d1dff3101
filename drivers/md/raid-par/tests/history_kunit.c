// SPDX-License-Identifier: GPL-2.0
/*
 * Loads by hour of the day against a reference that keeps every hour it has ever seen
 * and looks for those of the last week.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#include "../history.h"

#define SEED	20241128
#define HOURS	2000U
#define FIRST	470000ULL	/* hours since 1970 */

/* An hour that is over; @gone: it is not among the last week's any more. */
struct dumb_hour {
	u64 hour;
	u32 mean, peak;
	bool gone;
};

struct dumb {
	struct dumb_hour all[HOURS];
	unsigned int n;
};

/* What is of a later hour when the clock is set back, or a week old, has gone. */
static void dumb_add(struct dumb *dumb, u64 hour, u32 mean, u32 peak)
{
	unsigned int k;

	for (k = 0; k < dumb->n; k++)
		if (dumb->all[k].hour >= hour || dumb->all[k].hour + 168 <= hour)
			dumb->all[k].gone = true;
	dumb->all[dumb->n++] = (struct dumb_hour) { hour, mean, peak, false };
}

static struct par_hour dumb_of(const struct dumb *dumb, unsigned int hour)
{
	struct par_hour of = {};
	unsigned int k;

	for (k = 0; k < dumb->n; k++)
		if (!dumb->all[k].gone && dumb->all[k].hour % 24 == hour) {
			of.days++;
			of.mean += dumb->all[k].mean;
			of.peak += dumb->all[k].peak;
		}
	if (of.days) {
		of.mean /= of.days;
		of.peak /= of.days;
	}
	return of;
}

static void expect_alike(struct kunit *test, const struct par_history *history,
			 const struct dumb *dumb)
{
	unsigned int hour;

	for (hour = 0; hour < 24; hour++) {
		struct par_hour is = par_history_of(history, hour);
		struct par_hour want = dumb_of(dumb, hour);

		KUNIT_ASSERT_EQ_MSG(test, is.days, want.days, "%u hours, %u o'clock",
				    dumb->n, hour);
		KUNIT_ASSERT_EQ_MSG(test, is.mean, want.mean, "%u hours, %u o'clock",
				    dumb->n, hour);
		KUNIT_ASSERT_EQ_MSG(test, is.peak, want.peak, "%u hours, %u o'clock",
				    dumb->n, hour);
	}
}

/*
 * An hour in pieces, the first of which ends @before; that is what it comes to in the
 * end.
 */
static void an_hour(struct kunit *test, struct par_history *history, struct dumb *dumb,
		    u64 hour, struct dumb_hour *before, struct rnd_state *rng)
{
	u64 sum = 0, seconds = 0;
	u32 peak = 0;

	while (seconds < 3600) {
		u32 load = prandom_u32_state(rng) % 20000;
		u32 s = 1 + prandom_u32_state(rng) % 1200;
		bool over = !seconds && before->hour;

		KUNIT_ASSERT_EQ(test, par_history_see(history, load, s * 1000000000ULL,
						      hour * 3600 + seconds), over);
		if (over)
			dumb_add(dumb, before->hour, before->mean, before->peak);
		seconds += s;
		sum += (u64)load * s;
		peak = max(peak, load);
	}
	*before = (struct dumb_hour) { hour, div64_u64(sum, seconds), peak };
}

/* Weeks, with gaps, and the clock set back. */
static void history_walk(struct kunit *test)
{
	struct par_history *history = kunit_kzalloc(test, sizeof(*history), GFP_KERNEL);
	struct dumb *dumb = kunit_kzalloc(test, sizeof(*dumb), GFP_KERNEL);
	struct dumb_hour before = {};
	struct rnd_state rng;
	u64 hour = FIRST;
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, history);
	KUNIT_ASSERT_NOT_NULL(test, dumb);
	prandom_seed_state(&rng, SEED);
	par_history_init(history);
	for (n = 0; n < HOURS; n++) {
		u32 dice = prandom_u32_state(&rng);

		an_hour(test, history, dumb, hour, &before, &rng);
		expect_alike(test, history, dumb);
		if (dice % 100 == 0)
			hour += 1 + (dice >> 8) % 400;
		else if (dice % 100 == 1)
			hour -= 1 + (dice >> 8) % 40;
		else
			hour++;
	}
}

/* Until an hour is over, nothing is known; a load beyond all bounds is just large. */
static void history_edges(struct kunit *test)
{
	struct par_history *history = kunit_kzalloc(test, sizeof(*history), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, history);
	par_history_init(history);
	KUNIT_EXPECT_FALSE(test, par_history_see(history, ~0U, 1000, 7199));
	KUNIT_EXPECT_EQ(test, par_history_of(history, 1).days, 0);
	KUNIT_EXPECT_TRUE(test, par_history_see(history, 17, 1000, 7200));
	KUNIT_EXPECT_EQ(test, par_history_of(history, 1).days, 1);
	KUNIT_EXPECT_EQ(test, par_history_of(history, 1).peak, 65534);
	KUNIT_EXPECT_EQ(test, par_history_of(history, 1).mean, 65534);
	KUNIT_EXPECT_EQ(test, par_history_of(history, 2).days, 0);
}

static struct kunit_case history_cases[] = {
	KUNIT_CASE(history_walk),
	KUNIT_CASE(history_edges),
	{}
};

static struct kunit_suite history_suite = {
	.name = "raid-par-history",
	.test_cases = history_cases,
};

kunit_test_suite(history_suite);
