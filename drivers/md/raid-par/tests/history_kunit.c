// SPDX-License-Identifier: GPL-2.0
/*
 * Loads by hour of the day against a reference that keeps every hour and searches those of
 * the last week.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#include "policy/history.h"

#define SEED	20241128
#define HOURS	2000U
#define FIRST	470000ULL	/* hours since 1970 */

/* A complete hour; @gone: it is not among the last week's any more. */
struct dumb_hour {
	u64 hour;
	u32 mean, peak, misses;
	bool gone;
};

struct dumb {
	struct dumb_hour all[HOURS];
	unsigned int n;
};

/* Later hours are dropped when the clock is set back, and hours of a week ago. */
static void dumb_add(struct dumb *dumb, u64 hour, u32 mean, u32 peak, u32 misses)
{
	unsigned int k;

	for (k = 0; k < dumb->n; k++)
		if (dumb->all[k].hour >= hour || dumb->all[k].hour + 168 <= hour)
			dumb->all[k].gone = true;
	dumb->all[dumb->n++] = (struct dumb_hour) { hour, mean, peak, misses, false };
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
			of.misses += 100 * dumb->all[k].misses;
		}
	if (of.days) {
		of.mean /= of.days;
		of.peak /= of.days;
		of.misses /= of.days;
	}
	return of;
}

/* PAR_LOAD_UNKNOWN: it is not known */
static u32 dumb_past(const struct dumb *dumb, u64 hour)
{
	unsigned int k;

	for (k = 0; k < dumb->n; k++)
		if (!dumb->all[k].gone && dumb->all[k].hour == hour)
			return dumb->all[k].mean << 16 | dumb->all[k].peak;
	return PAR_LOAD_UNKNOWN << 16;
}

static void expect_past_alike(struct kunit *test, const struct par_history *history,
			      const struct dumb *dumb)
{
	unsigned int ago;

	for (ago = 0; ago < PAR_HISTORY_HOURS; ago++) {
		struct par_past_hour is = par_history_past(history, ago);

		KUNIT_ASSERT_EQ(test, is.hour, history->hour - ago);
		KUNIT_ASSERT_EQ_MSG(test, is.mean << 16 |
				    (is.mean == PAR_LOAD_UNKNOWN ? 0 : is.peak),
				    dumb_past(dumb, is.hour), "%u hours, %u ago", dumb->n, ago);
	}
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
		KUNIT_ASSERT_EQ_MSG(test, is.misses, want.misses, "%u hours, %u o'clock",
				    dumb->n, hour);
	}
}

/* The current hour. */
struct dumb_now {
	u64 hour, sum, seconds;
	u32 misses;
	u32 peak;
};

/* The current hour is @hour now. */
static enum par_hour_end dumb_turn(struct dumb *dumb, struct dumb_now *now, u64 hour)
{
	enum par_hour_end end = PAR_HOUR_GOES_ON;

	if (hour == now->hour)
		return end;
	if (now->seconds) {
		dumb_add(dumb, now->hour, div64_u64(now->sum, now->seconds), now->peak,
			 par_miss_number(par_miss_class(now->misses)));
		end = now->peak ? PAR_HOUR_USED : PAR_HOUR_IDLE;
	}
	*now = (struct dumb_now) { .hour = hour };
	return end;
}

/* Second by second. */
static enum par_hour_end dumb_see(struct dumb *dumb, struct dumb_now *now, u32 load,
				  u64 from, u64 to)
{
	u64 last = div_u64(to, 3600), at;
	enum par_hour_end end = PAR_HOUR_GOES_ON;

	for (at = from; at < to; at++) {
		u64 hour = last <= now->hour ? last : max(now->hour, div_u64(at, 3600));

		end = max(end, dumb_turn(dumb, now, hour));
		now->sum += load;
		now->seconds++;
		now->peak = max(now->peak, load);
	}
	return max(end, dumb_turn(dumb, now, last));
}

/* Mostly shorter than an hour, and often without load. */
static u64 a_piece(struct rnd_state *rng, u32 *load)
{
	u32 dice = prandom_u32_state(rng);

	*load = dice & 3 ? prandom_u32_state(rng) % 16000 : 0;
	return 1 + prandom_u32_state(rng) % (dice >> 2 & 15 ? 2400 : 36000);
}

/* Weeks, with intervals of any length, gaps, and the clock set back. */
static void history_walk(struct kunit *test)
{
	struct par_history *history = kunit_kzalloc(test, sizeof(*history), GFP_KERNEL);
	struct dumb *dumb = kunit_kzalloc(test, sizeof(*dumb), GFP_KERNEL);
	struct dumb_now now = {};
	struct rnd_state rng;
	u64 at = FIRST * 3600;
	u32 k;

	KUNIT_ASSERT_NOT_NULL(test, history);
	KUNIT_ASSERT_NOT_NULL(test, dumb);
	prandom_seed_state(&rng, SEED);
	par_history_init(history);
	while (dumb->n < HOURS - 12) {
		u32 dice = prandom_u32_state(&rng), load;
		u64 s = a_piece(&rng, &load);
		enum par_hour_end want = dumb_see(dumb, &now, load, at, at + s);

		at += s;
		KUNIT_ASSERT_EQ_MSG(test, par_history_see(history, load, s * NSEC_PER_SEC, at),
				    want, "%llu s until %llu", s, at);
		for (k = 0; k < (dice >> 16) % 4; k++) {
			par_history_missed(history);
			now.misses++;
		}
		if (want != PAR_HOUR_GOES_ON)
			expect_alike(test, history, dumb);
		if (want != PAR_HOUR_GOES_ON && dice % 32 == 2)
			expect_past_alike(test, history, dumb);
		if (dice % 200 == 0)
			at += (dice >> 8) % 1440000;
		else if (dice % 200 == 1)
			at -= (dice >> 8) % 144000;
	}
}

/* A fortnight in one interval: only its last week is known. */
static void history_long(struct kunit *test)
{
	struct par_history *history = kunit_kzalloc(test, sizeof(*history), GFP_KERNEL);
	unsigned int hour;

	KUNIT_ASSERT_NOT_NULL(test, history);
	par_history_init(history);
	KUNIT_EXPECT_EQ(test, par_history_see(history, 5, 10, FIRST * 3600), PAR_HOUR_GOES_ON);
	KUNIT_EXPECT_EQ(test, par_history_see(history, 0, 14 * 86400 * NSEC_PER_SEC,
					      FIRST * 3600 + 14 * 86400), PAR_HOUR_USED);
	for (hour = 0; hour < 24; hour++) {
		KUNIT_EXPECT_EQ(test, par_history_of(history, hour).days, 7);
		KUNIT_EXPECT_EQ(test, par_history_of(history, hour).peak, 0);
	}
}

/* Before an hour is over, nothing is known; a load out of range counts as the maximum. */
static void history_edges(struct kunit *test)
{
	struct par_history *history = kunit_kzalloc(test, sizeof(*history), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, history);
	par_history_init(history);
	KUNIT_EXPECT_EQ(test, par_history_past(history, 0).mean, PAR_LOAD_UNKNOWN);
	KUNIT_EXPECT_EQ(test, par_history_past(history, 1).mean, PAR_LOAD_UNKNOWN);
	KUNIT_EXPECT_EQ(test, par_history_see(history, ~0U, 1000, 7199), PAR_HOUR_GOES_ON);
	KUNIT_EXPECT_EQ(test, par_history_of(history, 1).days, 0);
	KUNIT_EXPECT_EQ(test, par_history_see(history, 17, 1000, 7200), PAR_HOUR_USED);
	KUNIT_EXPECT_EQ(test, par_history_of(history, 1).days, 1);
	KUNIT_EXPECT_EQ(test, par_history_of(history, 1).peak, 16382);
	KUNIT_EXPECT_EQ(test, par_history_of(history, 1).mean, 16382);
	KUNIT_EXPECT_EQ(test, par_history_of(history, 2).days, 0);
}

/* A number has the class that is nearest to it, and each class is the class of its number. */
static void miss_classes(struct kunit *test)
{
	static const u8 numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 30 };
	u32 misses, k, best;

	for (k = 0; k < 16; k++) {
		KUNIT_EXPECT_EQ(test, par_miss_number(k), numbers[k]);
		KUNIT_EXPECT_EQ(test, par_miss_class(numbers[k]), k);
	}
	for (misses = 0; misses < 50; misses++) {
		for (best = 0, k = 1; k < 16; k++)
			if (abs((int)misses - numbers[k]) < abs((int)misses - numbers[best]))
				best = k;
		KUNIT_EXPECT_EQ_MSG(test, par_miss_class(misses), best, "%u misses", misses);
	}
	KUNIT_EXPECT_EQ(test, par_miss_class(U32_MAX), 15);
	KUNIT_EXPECT_EQ(test, par_miss_number(255), 30);
}

/* Three days with 2, 1 and 9 misses (kept as 8) at the same hour. */
static void hours_with_misses(struct kunit *test)
{
	struct par_history *history = kunit_kzalloc(test, sizeof(*history), GFP_KERNEL);
	static const unsigned int misses[] = { 2, 1, 9 };
	unsigned int day, k;

	KUNIT_ASSERT_NOT_NULL(test, history);
	par_history_init(history);
	for (day = 0; day < 3; day++) {
		par_history_see(history, 5, NSEC_PER_SEC, (FIRST + 24 * day) * 3600 + 7);
		for (k = 0; k < misses[day]; k++)
			par_history_missed(history);
		KUNIT_EXPECT_EQ(test, par_history_of(history, FIRST % 24).days, day);
		par_history_see(history, 5, NSEC_PER_SEC, (FIRST + 24 * day + 1) * 3600 + 7);
	}
	KUNIT_EXPECT_EQ(test, par_history_of(history, FIRST % 24).misses, (200 + 100 + 800) / 3);
	KUNIT_EXPECT_EQ(test, par_history_of(history, (FIRST + 1) % 24).misses, 0);
	/* The clock is set back to the second day: the third one has not been. */
	par_history_see(history, 5, NSEC_PER_SEC, (FIRST + 25) * 3600 + 7);
	par_history_see(history, 5, NSEC_PER_SEC, (FIRST + 26) * 3600 + 7);
	KUNIT_EXPECT_EQ(test, par_history_of(history, FIRST % 24).misses, 150);
	/* A week later. */
	par_history_see(history, 5, NSEC_PER_SEC, (FIRST + 168 + 25) * 3600 + 7);
	par_history_see(history, 5, NSEC_PER_SEC, (FIRST + 168 + 26) * 3600 + 7);
	KUNIT_EXPECT_EQ(test, par_history_of(history, FIRST % 24).misses, 0);
}

static struct kunit_case history_cases[] = {
	KUNIT_CASE(history_walk),
	KUNIT_CASE(history_long),
	KUNIT_CASE(history_edges),
	KUNIT_CASE(miss_classes),
	KUNIT_CASE(hours_with_misses),
	{}
};

static struct kunit_suite history_suite = {
	.name = "raid-par-history",
	.test_cases = history_cases,
};

kunit_test_suite(history_suite);
