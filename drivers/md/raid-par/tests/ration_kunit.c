// SPDX-License-Identifier: GPL-2.0
/*
 * The ration against a reference that counts days one by one, in exact fractions: all in
 * parts of a start, with a loop where ration.c divides.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "pure/ration.h"

#define SEED	20241122
#define STEPS	2000
#define DAY	86400ULL
#define START	1700000000ULL

struct rating {
	const char *name;
	u32 cycles, years, carry;
};

static const struct rating ratings[] = {
	{ "the defaults", PAR_CYCLES_DEFAULT, PAR_YEARS_DEFAULT, PAR_CARRY_DEFAULT },
	{ "a server disk", 20000, 5, 0 },
	{ "a start every three days", 600, 5, 0 },
	{ "a start every three days, much carried over", 600, 5, 30 },
	{ "one start a day", 365, 1, 2 },
	{ "one start in a hundred years", 1, 100, 0 },
	{ "the most", PAR_CYCLES_MAX, 1, PAR_CARRY_MAX },
};

KUNIT_ARRAY_PARAM_DESC(rating, ratings, name);

/* The reference: one day at a time. */
struct dumb {
	u32 cycles, years, carry;
	u64 left, since;
};

static u64 dumb_most(const struct dumb *d)
{
	u64 shares = (u64)d->cycles * (d->carry + 1), one = 365ULL * d->years;

	return shares + one - 1;
}

static void dumb_tick(struct dumb *d, u64 now)
{
	if (now < d->since)
		d->since = now;
	while (now - d->since >= DAY) {
		d->since += DAY;
		d->left += d->cycles;
		if (d->left > dumb_most(d))
			d->left = dumb_most(d);
	}
}

static u64 dumb_left(const struct dumb *d)
{
	u64 left = d->left, starts = 0;

	for (; left >= 365ULL * d->years; starts++)
		left -= 365ULL * d->years;
	return starts;
}

/* Days are waited for until there is a start. */
static u64 dumb_wait(struct dumb d, u64 now)
{
	u64 then = now;

	while (!dumb_left(&d)) {
		then = d.since + DAY;
		dumb_tick(&d, then);
	}
	return then - now;
}

static void expect_alike(struct kunit *test, const struct par_ration *ration,
			 const struct dumb *d, u64 now, int step)
{
	const struct rating *in = test->param_value;

	KUNIT_ASSERT_EQ_MSG(test, ration->left, d->left, "%s, step %d",
			    in->name, step);
	KUNIT_ASSERT_EQ_MSG(test, ration->since, d->since, "%s, step %d",
			    in->name, step);
	if (d->left / 365 / d->years > 100000)
		return;		/* the reference would take too long */
	KUNIT_ASSERT_EQ_MSG(test, par_ration_left(ration), dumb_left(d),
			    "%s, step %d", in->name, step);
	if (step % 64)
		return;
	KUNIT_ASSERT_EQ_MSG(test, par_ration_wait(ration, now),
			    dumb_wait(*d, now), "%s, step %d", in->name, step);
}

static void begin_alike(struct kunit *test, struct par_ration *ration,
			struct dumb *d)
{
	const struct rating *in = test->param_value;

	par_ration_begin(ration, START);
	KUNIT_ASSERT_TRUE(test, par_ration_set(ration, in->cycles, in->years,
					       in->carry));
	*d = (struct dumb) { in->cycles, in->years, in->carry, ration->left, START };
}

/* Hours, days, weeks pass, the clock is set back, and the disk is started. */
static void ration_walk(struct kunit *test)
{
	struct par_ration ration;
	struct rnd_state rng;
	u64 now = START;
	struct dumb d;
	int step;

	prandom_seed_state(&rng, SEED);
	begin_alike(test, &ration, &d);
	for (step = 0; step < STEPS; step++) {
		u32 dice = prandom_u32_state(&rng);

		if (dice % 16 == 0)
			now += (dice >> 8) % (60 * DAY);
		else if (dice % 64 == 1)
			now -= (dice >> 8) % (2 * DAY);
		else
			now += (dice >> 8) % (DAY / 2);
		par_ration_tick(&ration, d.carry, now);
		dumb_tick(&d, now);
		expect_alike(test, &ration, &d, now, step);
		if (dice & 128) {
			par_ration_spend(&ration);
			d.left -= d.left < 365ULL * d.years ? d.left :
				  365ULL * d.years;
		}
		expect_alike(test, &ration, &d, now, step);
	}
}

/* Over the years no more starts are granted than the rating and the first share. */
static void ration_lasts(struct kunit *test)
{
	const struct rating *in = test->param_value;
	u64 now = START, end = START + in->years * 365 * DAY, starts = 0, first;
	struct par_ration ration;
	struct dumb d;

	if (in->cycles > 100000)
		return;
	begin_alike(test, &ration, &d);
	first = par_ration_left(&ration);
	for (; now < end; now += DAY) {
		par_ration_tick(&ration, in->carry, now);
		for (; par_ration_left(&ration); starts++)
			par_ration_spend(&ration);
	}
	KUNIT_EXPECT_LE_MSG(test, starts, in->cycles + first, "%s", in->name);
	/* Nor fewer, except for the last day's share and a part of a start. */
	KUNIT_EXPECT_GE_MSG(test, starts + in->cycles / (365 * in->years) + 2,
			    in->cycles, "%s", in->name);
}

/* With a new rating the number of starts is the same, give or take less than one. */
static void ration_set(struct kunit *test)
{
	const struct rating *in = test->param_value;
	struct par_ration ration;
	unsigned int i;
	struct dumb d;

	for (i = 0; i < ARRAY_SIZE(ratings); i++) {
		u64 before, most;

		begin_alike(test, &ration, &d);
		before = par_ration_left(&ration);
		KUNIT_ASSERT_TRUE(test, par_ration_set(&ration, ratings[i].cycles,
						       ratings[i].years,
						       ratings[i].carry));
		d = (struct dumb) { ratings[i].cycles, ratings[i].years,
				    ratings[i].carry };
		most = dumb_most(&d) / (365 * d.years);
		KUNIT_EXPECT_EQ_MSG(test, par_ration_left(&ration),
				    before < most ? before : most, "%s, then %s",
				    in->name, ratings[i].name);
	}
}

static void ration_refuses(struct kunit *test)
{
	static const struct rating bad[] = {
		{ "no cycles", 0, 5, 7 },
		{ "too many cycles", PAR_CYCLES_MAX + 1, 5, 7 },
		{ "no years", 50000, 0, 7 },
		{ "too many years", 50000, PAR_YEARS_MAX + 1, 7 },
		{ "too much carried over", 50000, 5, PAR_CARRY_MAX + 1 },
	};
	struct par_ration ration, before;
	int i;

	par_ration_begin(&ration, START);
	before = ration;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_FALSE_MSG(test, par_ration_set(&ration, bad[i].cycles,
							    bad[i].years,
							    bad[i].carry),
				       "%s", bad[i].name);
		KUNIT_EXPECT_MEMEQ(test, &ration, &before, sizeof(ration));
	}
}

/* A clock that was far off, in either direction. */
static void ration_clock(struct kunit *test)
{
	struct par_ration ration;
	u64 left;

	par_ration_begin(&ration, START);
	par_ration_tick(&ration, PAR_CARRY_DEFAULT, U64_MAX);
	left = ration.left;
	KUNIT_EXPECT_EQ(test, left, (PAR_CARRY_DEFAULT + 1ULL) * ration.cycles +
			365 * PAR_YEARS_DEFAULT - 1);
	par_ration_tick(&ration, PAR_CARRY_DEFAULT, START);
	KUNIT_EXPECT_EQ(test, ration.left, left);
	KUNIT_EXPECT_EQ(test, ration.since, START);
	par_ration_tick(&ration, PAR_CARRY_DEFAULT, 0);
	KUNIT_EXPECT_EQ(test, ration.left, left);
}

/*
 * The time for which the remaining starts must suffice: until the day is over, or until
 * days add a start.
 */
static void pace(struct kunit *test)
{
	struct par_ration ration;

	par_ration_begin(&ration, 1000);
	KUNIT_EXPECT_EQ(test, par_ration_day(&ration), 27);
	KUNIT_EXPECT_EQ(test, par_ration_share(&ration, 1000), PAR_RATION_DAY);
	KUNIT_EXPECT_EQ(test, par_ration_share(&ration, 1000 + 3600), PAR_RATION_DAY - 3600);
	KUNIT_ASSERT_TRUE(test, par_ration_set(&ration, 600, 5, 7));
	KUNIT_EXPECT_EQ(test, par_ration_day(&ration), 0);
	KUNIT_EXPECT_EQ(test, par_ration_share(&ration, 1000 + 3600), 4 * PAR_RATION_DAY - 3600);
}

/* With less than a day's share left, starts should be further apart, in the end as shares are. */
static void gap(struct kunit *test)
{
	struct par_ration ration;
	unsigned int spent;
	u64 gap;

	/* 27.4 a day: one in 3153 s, and a quarter of it. */
	par_ration_begin(&ration, 1000);
	KUNIT_EXPECT_EQ(test, par_ration_gap(&ration), 788);
	for (spent = 1; spent <= 27; spent++) {
		par_ration_spend(&ration);
		gap = par_ration_gap(&ration);
		KUNIT_EXPECT_GE(test, gap, max(788U, 3153 * spent * 100 / 2740 - 1));
		KUNIT_EXPECT_LE(test, gap, max(788U, 3153 * spent * 100 / 2739 + 1));
	}
	ration.left = 0;
	KUNIT_EXPECT_EQ(test, par_ration_gap(&ration), 3153);
	par_ration_tick(&ration, 7, 1000 + PAR_RATION_DAY);
	KUNIT_EXPECT_EQ(test, par_ration_gap(&ration), 788);
	/* Less than one a day; the largest and the smallest ration. */
	KUNIT_ASSERT_TRUE(test, par_ration_set(&ration, 600, 5, 7));
	ration.left = 0;
	KUNIT_EXPECT_EQ(test, par_ration_gap(&ration), PAR_RATION_DAY * 1825 / 600);
	KUNIT_ASSERT_TRUE(test, par_ration_set(&ration, PAR_CYCLES_MAX, 1, PAR_CARRY_MAX));
	KUNIT_EXPECT_EQ(test, par_ration_gap(&ration), 3);
	KUNIT_ASSERT_TRUE(test, par_ration_set(&ration, 1, PAR_YEARS_MAX, 0));
	ration.left = 0;
	KUNIT_EXPECT_EQ(test, par_ration_gap(&ration), PAR_RATION_DAY * 36500ULL);
}

static struct kunit_case ration_cases[] = {
	KUNIT_CASE_PARAM(ration_walk, rating_gen_params),
	KUNIT_CASE_PARAM(ration_lasts, rating_gen_params),
	KUNIT_CASE_PARAM(ration_set, rating_gen_params),
	KUNIT_CASE(ration_refuses),
	KUNIT_CASE(ration_clock),
	KUNIT_CASE(pace),
	KUNIT_CASE(gap),
	{}
};

static struct kunit_suite ration_suite = {
	.name = "raid-par-ration",
	.test_cases = ration_cases,
};

kunit_test_suite(ration_suite);
