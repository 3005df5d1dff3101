// SPDX-License-Identifier: GPL-2.0
/*
 * Moving averages against a reference that keeps all intervals and adds them up each time,
 * with the differences from the mean squared one by one.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/prandom.h>

#include "policy/window.h"

#define SEED	20241125
#define STEPS	2500U
#define GEARS	3U

struct told {
	struct par_interval all[STEPS];
	unsigned int n;
};

struct lengths {
	const char *name;
	unsigned int length[PAR_WINDOWS];
};

static const struct lengths lengths[] = {
	{ "3 and 300", { 3, 300 } },
	{ "1 and 1", { 1, 1 } },
	{ "60 and all there is", { 60, PAR_WINDOW_MAX } },
	{ "2 and one less than there is", { 2, PAR_WINDOW_MAX - 1 } },
};

KUNIT_ARRAY_PARAM_DESC(length, lengths, name);

/* The number of the last intervals that are in a window. */
static unsigned int dumb_count(const struct told *told, unsigned int length)
{
	return told->n < length ? told->n : length;
}

static u64 dumb_sum(const struct told *told, unsigned int length, unsigned int gear)
{
	unsigned int k, n = dumb_count(told, length);
	u64 sum = 0;

	for (k = told->n - n; k < told->n; k++)
		sum += told->all[k].load[gear];
	return sum;
}

/* n³σ²: differences from the mean, times n, squared, in all. */
static u64 dumb_spread(const struct told *told, unsigned int length,
		       unsigned int gear)
{
	unsigned int k, n = dumb_count(told, length);
	s64 sum = dumb_sum(told, length, gear);
	u64 all = 0;

	for (k = told->n - n; k < told->n; k++) {
		s64 off = (s64)n * told->all[k].load[gear] - sum;

		/* Below 2^52 each, and 900 of them. */
		all += off * off;
	}
	return all;
}

static bool dumb_above(const struct told *told, unsigned int length,
		       unsigned int gear, u32 limit)
{
	u64 n = dumb_count(told, length), sum = dumb_sum(told, length, gear);

	if (sum > n * limit)
		return true;
	/* σ > limit - μ, both sides squared and times n³ */
	return dumb_spread(told, length, gear) > n * (n * limit - sum) * (n * limit - sum);
}

static void expect_gear(struct kunit *test, const struct par_series *series,
			const struct told *told, unsigned int w, unsigned int gear)
{
	const struct lengths *in = test->param_value;
	unsigned int length = in->length[w], n = dumb_count(told, length);
	u32 mean = par_window_mean(series, w, gear);
	u32 off = par_window_deviation(series, w, gear), limit;
	u64 spread = dumb_spread(told, length, gear);

	KUNIT_ASSERT_EQ_MSG(test, mean, (u32)div_u64(dumb_sum(told, length, gear), n),
			    "%s, step %u, window %u", in->name, told->n, w);
	/* σ is rounded down: n³σ² lies between these. */
	KUNIT_ASSERT_LE_MSG(test, (u64)off * off * n * n * n, spread,
			    "%s, step %u, window %u", in->name, told->n, w);
	KUNIT_ASSERT_GT_MSG(test, (u64)(off + 1) * (off + 1) * n * n * n, spread,
			    "%s, step %u, window %u", in->name, told->n, w);
	/* At the edge, and to both sides of it. */
	for (limit = mean + off - min(mean + off, 2U); limit <= mean + off + 2; limit++)
		KUNIT_ASSERT_EQ_MSG(test, par_window_above(series, w, gear, limit),
				    dumb_above(told, length, gear, limit),
				    "%s, step %u, window %u, limit %u", in->name,
				    told->n, w, limit);
}

static void expect_wait(struct kunit *test, const struct par_series *series,
			const struct told *told, unsigned int w)
{
	const struct lengths *in = test->param_value;
	unsigned int k, n = dumb_count(told, in->length[w]);
	u64 requests = 0, waited = 0;

	for (k = told->n - n; k < told->n; k++) {
		requests += told->all[k].requests;
		waited += told->all[k].waited;
	}
	KUNIT_ASSERT_EQ_MSG(test, par_window_wait(series, w),
			    requests ? div64_u64(waited, requests) : 0,
			    "%s, step %u, window %u", in->name, told->n, w);
	KUNIT_ASSERT_EQ_MSG(test, par_window_full(series, w), n == in->length[w],
			    "%s, step %u, window %u", in->name, told->n, w);
}

static void make_interval(struct rnd_state *rng, unsigned int step,
			  struct par_interval *interval)
{
	unsigned int i;

	for (i = 1; i <= GEARS; i++) {
		u32 dice = prandom_u32_state(rng);

		/* All there is, quiet times, and constant ones. */
		interval->load[i] = step / 256 % 4 == 3 ? 4200 :
				    step / 128 % 2 ? dice % 65536 : dice % 300;
	}
	interval->requests = prandom_u32_state(rng) % 4 ? prandom_u32_state(rng) : 0;
	interval->waited = (u64)interval->requests * (prandom_u32_state(rng) % 1000000);
}

static struct told *told_alloc(struct kunit *test, struct par_interval **ring)
{
	struct told *told = kunit_kzalloc(test, sizeof(*told), GFP_KERNEL);

	*ring = kunit_kzalloc(test, sizeof(**ring) * PAR_WINDOW_MAX, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, told);
	KUNIT_ASSERT_NOT_NULL(test, *ring);
	return told;
}

static void window_walk(struct kunit *test)
{
	const struct lengths *in = test->param_value;
	struct par_interval *ring;
	struct told *told = told_alloc(test, &ring);
	struct par_series series;
	struct rnd_state rng;
	unsigned int w, i;

	prandom_seed_state(&rng, SEED);
	par_series_init(&series, GEARS, ring);
	for (w = 0; w < PAR_WINDOWS; w++)
		par_window_set(&series, w, in->length[w]);
	while (told->n < STEPS) {
		make_interval(&rng, told->n, &told->all[told->n]);
		par_series_add(&series, &told->all[told->n++]);
		if (told->n % 7 && told->n > 8)
			continue;	/* the reference is slow */
		for (w = 0; w < PAR_WINDOWS; w++) {
			for (i = 1; i <= GEARS; i++)
				expect_gear(test, &series, told, w, i);
			expect_wait(test, &series, told, w);
		}
	}
}

/* Another length in the middle: as if it had been set from the start. */
static void window_set_later(struct kunit *test)
{
	const struct lengths *in = test->param_value;
	struct par_interval *ring;
	struct told *told = told_alloc(test, &ring);
	struct par_series series;
	struct rnd_state rng;
	unsigned int w, i;

	prandom_seed_state(&rng, SEED);
	par_series_init(&series, GEARS, ring);
	while (told->n < STEPS) {
		make_interval(&rng, told->n, &told->all[told->n]);
		par_series_add(&series, &told->all[told->n++]);
		if (told->n % 487)
			continue;
		for (w = 0; w < PAR_WINDOWS; w++) {
			par_window_set(&series, w, 17);
			par_window_set(&series, w, in->length[w]);
			for (i = 1; i <= GEARS; i++)
				expect_gear(test, &series, told, w, i);
			expect_wait(test, &series, told, w);
		}
	}
}

static void window_empty(struct kunit *test)
{
	struct par_interval *ring;
	struct par_series series;

	told_alloc(test, &ring);
	par_series_init(&series, GEARS, ring);
	KUNIT_EXPECT_EQ(test, par_window_mean(&series, PAR_WINDOW_SHORT, 1), 0);
	KUNIT_EXPECT_EQ(test, par_window_deviation(&series, PAR_WINDOW_LONG, 1), 0);
	KUNIT_EXPECT_EQ(test, par_window_wait(&series, PAR_WINDOW_SHORT), 0);
	KUNIT_EXPECT_FALSE(test, par_window_above(&series, PAR_WINDOW_SHORT, 1, 0));
	KUNIT_EXPECT_FALSE(test, par_window_full(&series, PAR_WINDOW_SHORT));
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE_PARAM(window_walk, length_gen_params),
	KUNIT_CASE_PARAM(window_set_later, length_gen_params),
	KUNIT_CASE(window_empty),
	{}
};

static struct kunit_suite window_suite = {
	.name = "raid-par-window",
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);
