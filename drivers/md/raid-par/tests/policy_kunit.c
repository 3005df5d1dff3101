// SPDX-License-Identifier: GPL-2.0
/*
 * The policy on series of loads of several shapes: compared with a reference that applies
 * the rules one by one to all previous intervals, and checked for properties that hold for
 * any load.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#include "policy_array.h"

#define SEED		20241127

/* ---- shapes: the demand, in parts of FULL, at second @t ---- */

static u32 a_constant(u32 t, u32 level)
{
	return level;
}

static u32 a_step(u32 t, u32 level)
{
	return t < 2 * HOURS ? FULL / 20 : level;
}

static u32 a_step_down(u32 t, u32 level)
{
	return t < HOURS ? level : FULL / 20;
}

static u32 a_ramp(u32 t, u32 level)
{
	return div_u64((u64)level * (t < STEPS / 2 ? t : STEPS - t), STEPS / 2);
}

/* Bhaskara's approximation of the sine, one period per hour: 0 … @level. */
static u32 a_sine(u32 t, u32 level)
{
	u32 x = t % HOURS * 360 / HOURS, half = x % 180;
	s64 sine = div_s64(4000LL * half * (180 - half),
			   40500 - half * (180 - half));

	return div_s64(level * (x < 180 ? 1000 + sine : 1000 - sine), 2000);
}

static u32 dice(u32 t)
{
	struct rnd_state rng;

	prandom_seed_state(&rng, SEED + t);
	prandom_u32_state(&rng);
	return prandom_u32_state(&rng);
}

static u32 a_noise(u32 t, u32 level)
{
	return div_u64((u64)level * (500 + dice(t) % 1000), 1000);
}

static u32 bursts(u32 t, u32 level)
{
	return dice(t / 8) % 40 ? FULL / 50 : level;
}

static u32 on_off(u32 t, u32 level)
{
	return t / 400 % 2 ? level : 0;
}

static u32 a_day(u32 t, u32 level)
{
	return a_noise(t, a_sine(t / 6, level));
}

/* A load that exploits the thresholds: high until a shift up, low until a shift down. */
static u32 adversary(u32 t, u32 level)
{
	return t % (300 + 2 * 60 + 30) < 20 ? level : level / 4;
}

static u32 nothing(u32 t, u32 level)
{
	return 0;
}

struct shape {
	const char *name;
	u32 (*at)(u32 t, u32 level);
};

static const struct shape shapes[] = {
	{ "constant", a_constant }, { "step", a_step }, { "step down", a_step_down },
	{ "ramp", a_ramp }, { "sine", a_sine }, { "noise", a_noise },
	{ "bursts", bursts }, { "on and off", on_off }, { "a day", a_day },
	{ "adversary", adversary }, { "nothing", nothing },
};

KUNIT_ARRAY_PARAM_DESC(shape, shapes, name);

static const u32 levels[] = {
	FULL / 25, FULL / 4, FULL * 42 / 100, FULL * 6 / 10, FULL * 8 / 10, FULL * 12 / 10,
};

KUNIT_ARRAY_PARAM_DESC(layout, policy_layouts, name);

/* ---- the reference ---- */

/*
 * Keeps all intervals. Applies the documented rules for thresholds and hold time; limits,
 * costs and budgets have cases of their own.
 */
struct dumb {
	struct par_interval all[STEPS];
	unsigned int n;
};

/* μ + σ > limit, by squares of single differences. */
static bool dumb_above(const struct dumb *dumb, unsigned int length, unsigned int gear,
		       u32 limit)
{
	unsigned int n = min(length, dumb->n), k;
	s64 sum = 0, off;
	u64 spread = 0;

	for (k = dumb->n - n; k < dumb->n; k++)
		sum += dumb->all[k].load[gear];
	if (sum > (s64)n * limit)
		return true;
	for (k = dumb->n - n; k < dumb->n; k++) {
		off = (s64)n * dumb->all[k].load[gear] - sum;
		spread += off * off;
	}
	off = (s64)n * limit - sum;
	return spread > (u64)n * off * off;
}

static bool dumb_slow(const struct dumb *dumb)
{
	u64 requests = 0, waited = 0;
	unsigned int k;

	for (k = dumb->n - min(3U, dumb->n); k < dumb->n; k++) {
		requests += dumb->all[k].requests;
		waited += dumb->all[k].waited;
	}
	return requests >= 8 && div64_u64(waited, requests) > 250000;
}

/*
 * As long as the surge has lasted, but at least two seconds, and at most the time that
 * disks take to start.
 */
static unsigned int dumb_while(u64 age, u32 most)
{
	return max(2U, min((unsigned int)age + 1, most));
}

static bool dumb_lasting(const struct dumb *dumb, unsigned int gear, u64 age, u32 most)
{
	unsigned int n = min(dumb_while(age, most), dumb->n), k;
	u64 sum = 0;

	for (k = dumb->n - n; k < dumb->n; k++)
		sum += dumb->all[k].load[gear];
	return div_u64(sum, n) > 7000 || (!age && dumb->all[dumb->n - 1].load[gear] > 9000);
}

/* In two seconds at least, and in half of them. */
static bool dumb_waiting(const struct dumb *dumb, u64 age, u32 most)
{
	unsigned int n = dumb_while(age, most), slow = 0, k;

	for (k = dumb->n - min(n, dumb->n); k < dumb->n; k++)
		slow += dumb->all[k].waited > 250000ULL * dumb->all[k].requests;
	return dumb_slow(dumb) && slow >= 2 && 2 * slow >= n;
}

/* The gear to go up to, or 0. */
static unsigned int dumb_up(const struct dumb *dumb, const struct array *array,
			    unsigned int gear, unsigned int target)
{
	unsigned int top = array->geo.gears, i, k;
	u64 sum = 0, age = par_surge_age(&array->policy.surge, array->is.now);

	if (target == top ||
	    !((dumb_above(dumb, 3, target, 7000) &&
	       dumb_lasting(dumb, target, age, array->policy.starts_in)) ||
	      (gear == target && dumb_waiting(dumb, age, array->policy.starts_in))))
		return 0;
	for (k = dumb->n - min(3U, dumb->n); k < dumb->n; k++)
		sum += dumb->all[k].load[target];
	if (gear == target && div_u64(sum, min(3U, dumb->n)) > 9000)
		return top;
	for (i = target + 1; i < top; i++)
		if (!dumb_above(dumb, 3, i, 7000))
			return i;
	return top;
}

/* The number of seconds, until now, for which the load has been below @limit. */
static unsigned int dumb_quiet(struct dumb *dumb, unsigned int gear, unsigned int most,
			       u32 limit)
{
	unsigned int n = dumb->n, quiet = 0;

	for (; quiet < most && dumb->n >= 300; quiet++, dumb->n--)
		if (dumb_above(dumb, 3, gear, limit) || dumb_above(dumb, 300, gear, limit))
			break;
	dumb->n = n;
	return quiet;
}

/* And in the short window alone. */
static unsigned int dumb_calm(struct dumb *dumb, unsigned int gear, unsigned int most)
{
	unsigned int n = dumb->n, calm = 0;

	for (; calm < most && !dumb_above(dumb, 3, gear, 5000); calm++, dumb->n--)
		;
	dumb->n = n;
	return calm;
}

/* The gear was sufficient for the hold time, or has served the load for many hold times. */
static bool dumb_down(struct dumb *dumb, unsigned int gear)
{
	return dumb_quiet(dumb, gear, 61, 5000) == 61 ||
	       dumb_quiet(dumb, gear, 15 * 60 + 1, 7000) == 15 * 60 + 1;
}

/*
 * The load that caused the shift up has ended: for the lull, and for the hold time if it
 * had lasted.
 */
static bool dumb_back(struct dumb *dumb, const struct par_policy *policy, unsigned int gear)
{
	bool in_vain = policy->surge.ended < policy->shifted + policy->starts_in;

	return !policy->surge.since && dumb_calm(dumb, gear, 61) >= (in_vain ? 1 : 61);
}

/* The reference does not learn from shifts. */
static void forget(struct array *array)
{
	unsigned int i;

	memset(array->policy.surge.past, 0, sizeof(array->policy.surge.past));
	memset(&array->policy.surge.pauses, 0, sizeof(array->policy.surge.pauses));
	array->policy.sleeps = 0;
	array->policy.regrets = 0;
	for (i = 1; i <= array->geo.gears; i++)
		array->policy.slow[i] = PAR_LOAD_MAX;
}

/* All decisions of a series follow the rules. */
static void like_the_rules(struct kunit *test)
{
	const struct shape *shape = test->param_value;
	unsigned int l, t, v;

	for (l = 0; l < ARRAY_SIZE(policy_layouts); l++)
		for (v = 0; v < ARRAY_SIZE(levels); v++) {
			struct array *array = policy_array(test, &policy_layouts[l], 0);
			struct dumb *dumb = kunit_kzalloc(test, sizeof(*dumb), GFP_KERNEL);

			KUNIT_ASSERT_NOT_NULL(test, dumb);
			for (t = 0; t < STEPS / 4; t++) {
				forget(array);
				unsigned int gear = array->is.gear;
				unsigned int target = array->is.target, up, i;
				u64 shifted = array->policy.shifted;
				struct par_policy *policy = &array->policy;
				bool gone;

				policy_second(array, shape->at(t * 4, levels[v]));
				dumb->all[dumb->n++] = array->last;
				up = dumb_up(dumb, array, gear, target);
				if (up) {
					KUNIT_ASSERT_EQ_MSG(test, array->decision.gear, up,
							    "%s to %u, %s, %u s", shape->name,
							    levels[v], policy_layouts[l].name, t);
					continue;
				}
				KUNIT_ASSERT_LE(test, array->decision.gear, target);
				if (array->decision.gear == target)
					continue;
				/*
				 * Down: this gear is sufficient, has been so, and the next
				 * one is not.
				 */
				i = array->decision.gear;
				gone = array->decision.reason == PAR_WHY_GONE;
				if (target > gear) {
					KUNIT_ASSERT_TRUE(test, gone);
					KUNIT_ASSERT_EQ(test, policy->surge.since, 0);
					continue;
				}
				KUNIT_ASSERT_TRUE(test, gone || array->is.now - shifted >= 60);
				KUNIT_ASSERT_TRUE_MSG(test, gone ? dumb_back(dumb, policy, i) :
						      dumb_down(dumb, i), "%s to %u, %s, %u s",
						      shape->name, levels[v],
						      policy_layouts[l].name, t);
				while (--i && !gone)
					KUNIT_ASSERT_FALSE_MSG(test, dumb_down(dumb, i),
							       "%s to %u, %s, %u s", shape->name,
							       levels[v],
							       policy_layouts[l].name, t);
			}
			kunit_kfree(test, dumb);
			kunit_kfree(test, array);
		}
}

/* ---- properties for any load ---- */

/* A constant load causes no shift once the array is in the right gear. */
static void constant_settles(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	unsigned int v, t, dearer, gear, shifts;

	for (v = 0; v < ARRAY_SIZE(levels); v++)
		for (dearer = 100; dearer <= 160; dearer += 30)
			for (gear = 1; gear <= 4; gear++) {
				struct array *array = policy_array(test, in, 0);

				array->is.gear = min(gear, array->geo.gears);
				array->is.target = array->is.gear;
				array->dearer = dearer;
				array->believed = dearer;
				for (t = 0; t < STEPS; t++)
					policy_second(array, levels[v]);
				shifts = array->ups + array->downs;
				/*
				 * With more than two gears, the top one may be tried first,
				 * and a gear that just serves the load after one that is
				 * sufficient.
				 */
				KUNIT_EXPECT_LE(test, array->ups, 1);
				KUNIT_EXPECT_LE_MSG(test, shifts,
						    array->geo.gears > 2 ?
						    2 + (gear < array->geo.gears) : 1,
						    "%s, %u, %u %%, from gear %u", in->name,
						    levels[v], dearer, gear);
				kunit_kfree(test, array);
			}
}

/*
 * The real cost of a lower gear is not the predicted one: the gear is tried more and more
 * rarely.
 */
static void wrong_forecast(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct array *array = policy_array(test, in, 0);
	u32 level, t;

	/* With this load the lowest gear seems to be sufficient, and is not. */
	level = FULL * array->geo.set[1].members * 45 / array->geo.members / 100;
	array->dearer = 200;
	for (t = 0; t < STEPS; t++)
		policy_second(array, level);
	KUNIT_EXPECT_GE(test, array->downs, 2);
	KUNIT_EXPECT_LE_MSG(test, array->downs, 9, "%s", in->name);
}

/* A larger load never asks for a smaller gear. */
static void monotone(struct kunit *test)
{
	const struct shape *shape = test->param_value;
	struct array *less, *more;
	unsigned int l, t, i;

	for (l = 0; l < ARRAY_SIZE(policy_layouts); l++) {
		less = policy_array(test, &policy_layouts[l], 0);
		more = policy_array(test, &policy_layouts[l], 0);
		for (t = 0; t < STEPS / 2; t++) {
			u32 demand = shape->at(t, FULL);

			/* In the same gear, whatever they decide. */
			if (!(t % 900))
				i = 1 + t / 900 % less->geo.gears;
			less->is.gear = i;
			less->is.target = i;
			less->is.now++;
			more->is = less->is;
			policy_interval(less, demand / 8);
			more->last = less->last;
			for (unsigned int k = 1; k <= less->geo.gears; k++)
				more->last.load[k] = min(65535, less->last.load[k] * 5 / 4);
			par_policy_see(&less->policy, &less->last, i, less->is.now);
			par_policy_see(&more->policy, &more->last, i, more->is.now);
			KUNIT_ASSERT_LE_MSG(test,
					    par_policy_decide(&less->policy, &less->is).gear,
					    par_policy_decide(&more->policy, &more->is).gear,
					    "%s, %s, %u s", shape->name,
					    policy_layouts[l].name, t);
		}
		kunit_kfree(test, less);
		kunit_kfree(test, more);
	}
}

/* Never past min_gear and max_gear, and never down without a spin-up left. */
static void within_limits(struct kunit *test)
{
	const struct shape *shape = test->param_value;
	unsigned int l, low, high, t;

	for (l = 0; l < ARRAY_SIZE(policy_layouts); l++)
		for (low = 1; low <= 4; low++)
			for (high = low; high <= 4; high++) {
				struct array *array = policy_array(test, &policy_layouts[l], 0);
				struct par_knobs *knobs = &array->policy.knobs;
				unsigned int gears = array->geo.gears;

				if (high > gears) {
					kunit_kfree(test, array);
					continue;
				}
				knobs->min_gear = array->geo.set[low].members;
				knobs->max_gear = array->geo.set[high].members;
				KUNIT_ASSERT_NULL(test, par_knobs_error(knobs, &array->geo));
				array->budget = 3;
				for (t = 0; t < STEPS / 2; t++) {
					policy_second(array, shape->at(t * 2, FULL));
					KUNIT_ASSERT_GE(test, array->is.target, low);
					KUNIT_ASSERT_LE(test, array->decision.gear,
							max(high, array->is.gear));
				}
				KUNIT_ASSERT_LE(test, array->downs, 3);
				KUNIT_ASSERT_LE_MSG(test, array->is.gear, high, "%s, %s",
						    shape->name, policy_layouts[l].name);
				kunit_kfree(test, array);
			}
}

/* A step up of the load is followed within two intervals by one shift, to a sufficient gear. */
static void step_answered(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	unsigned int percent, t, needed;

	for (percent = 20; percent <= 100; percent += 5) {
		struct array *array = policy_array(test, in, 0);
		u32 level = FULL / 100 * percent;

		for (t = 0; t < 2 * HOURS; t++)
			policy_second(array, FULL / 50);
		KUNIT_ASSERT_EQ(test, array->is.gear, 1);
		needed = 1;
		while (needed < array->geo.gears &&
		       policy_load_in(array, needed, level) > 7000)
			needed++;
		for (t = 0; t < 2; t++)
			policy_second(array, level);
		KUNIT_EXPECT_GE_MSG(test, array->is.target, needed, "%s, %u %%",
				    in->name, percent);
		if (policy_load_in(array, 1, level) <= 5500)
			KUNIT_EXPECT_EQ_MSG(test, array->is.target, 1, "%s, %u %%",
					    in->name, percent);
		kunit_kfree(test, array);
	}
}

/* The load returns during a shift down, which is abandoned. */
static void abandoned(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct array *array = policy_array(test, in, 0);
	unsigned int t;

	for (t = 0; t < 2 * HOURS && array->is.target == array->is.gear; t++)
		policy_second(array, FULL / 50);
	KUNIT_ASSERT_EQ(test, array->is.target, 1);
	policy_second(array, FULL * 8 / 10);
	policy_second(array, FULL * 8 / 10);
	KUNIT_EXPECT_EQ(test, array->is.target, array->geo.gears);
	KUNIT_EXPECT_EQ(test, array->is.gear, array->geo.gears);
	KUNIT_EXPECT_EQ(test, array->is.why, PAR_WHY_LOAD);
	KUNIT_EXPECT_EQ(test, array->downs, 0);
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE_PARAM(like_the_rules, shape_gen_params),
	KUNIT_CASE_PARAM(constant_settles, layout_gen_params),
	KUNIT_CASE_PARAM(wrong_forecast, layout_gen_params),
	KUNIT_CASE_PARAM(monotone, shape_gen_params),
	KUNIT_CASE_PARAM(within_limits, shape_gen_params),
	KUNIT_CASE_PARAM(step_answered, layout_gen_params),
	KUNIT_CASE_PARAM(abandoned, layout_gen_params),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "raid-par-policy",
	.test_cases = policy_cases,
};

kunit_test_suite(policy_suite);
