// SPDX-License-Identifier: GPL-2.0
/*
 * The policy on series of loads of several shapes: compared with a reference that applies
 * the rules one by one to all previous intervals, and checked for properties that hold for
 * any load.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#include "policy/policy.h"
#include "layouts.h"

#define SEED		20241127
#define HOURS		3600U
#define STEPS		(6 * HOURS)	/* intervals of a second */
#define UP_TAKES	16U		/* s, as disks do */
#define DOWN_TAKES	5U
#define FULL		100000U		/* the largest demand that all members can serve */

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

static const struct par_kunit_layout policy_layouts[] = {
	{ "3,5", GEAR(3) | GEAR(5), 5, KIB(512), MIB(200) },
	{ "3,8", GEAR(3) | GEAR(8), 8, KIB(512), MIB(200) },
	{ "3,5,8", GEAR(3) | GEAR(5) | GEAR(8), 8, KIB(512), MIB(200) },
	{ "raid6:4,6,9,12", CHILD_RAID6 | GEAR(4) | GEAR(6) | GEAR(9) | GEAR(12), 12,
	  KIB(512), MIB(400) },
};

KUNIT_ARRAY_PARAM_DESC(layout, policy_layouts, name);

/* ---- an array ---- */

/*
 * @dearer: the cost of a request in lower gears, in percent of that in the top gear;
 *	@believed: the predicted one
 * @shifting: seconds until the shift under way is complete; @asked: when it was asked for
 * @ups, @downs, @spent: shifts so far, and shifts down that were paid for
 */
struct array {
	struct par_geometry geo;
	struct par_policy policy;
	struct par_situation is;
	struct par_interval ring[PAR_WINDOW_MAX], last;
	struct par_decision decision;
	unsigned int dearer, believed, shifting, ups, downs;
	u64 budget, asked;
};

/* The load of the current gear: a member cannot be busy for more than all the time. */
static u32 load_in(const struct array *array, unsigned int gear, u32 demand)
{
	const struct par_geometry *geo = &array->geo;
	unsigned int percent = 100;
	u64 load;

	if (gear < geo->gears)
		percent = gear == array->is.gear ? array->dearer : array->believed;
	load = div_u64((u64)demand * geo->members * percent / 100 * PAR_LOAD_ONE,
		       geo->set[gear].members * FULL);
	return min_t(u64, load, gear == array->is.gear ? PAR_LOAD_ONE : PAR_LOAD_MAX);
}

/* 10 ms a request, and a second if they queue. */
static void make_interval(struct array *array, u32 demand)
{
	unsigned int i;

	for (i = 1; i <= array->geo.gears; i++)
		array->last.load[i] = load_in(array, i, demand);
	array->last.requests = demand / 100;
	array->last.waited = (u64)array->last.requests *
			     (array->last.load[array->is.gear] >= PAR_LOAD_ONE ?
			      1000000 : 10000);
}

static void begin_shift(struct array *array)
{
	struct par_situation *is = &array->is;
	struct par_decision *d = &array->decision;

	if (d->gear == is->target)
		return;
	is->why = d->reason;
	array->asked = is->now;
	if (d->gear == is->gear)
		array->shifting = 0;		/* abandoned */
	else
		array->shifting = d->gear > is->gear ? UP_TAKES : DOWN_TAKES;
	is->target = d->gear;
}

static void go_on_shifting(struct array *array)
{
	struct par_situation *is = &array->is;

	if (is->target == is->gear || --array->shifting)
		return;
	if (is->target > is->gear) {
		array->ups++;
	} else {
		array->downs++;
		array->budget -= array->budget > 0;
	}
	par_policy_shifted(&array->policy, is->gear, is->target, is->why, array->asked,
			   is->now);
	is->gear = is->target;
	is->why = PAR_WHY_MANUAL;
}

static void second(struct array *array, u32 demand)
{
	struct par_situation *is = &array->is;
	unsigned int i;

	is->now++;
	make_interval(array, demand);
	par_policy_see(&array->policy, &array->last, is->gear, is->now);
	for (i = 1; i < array->geo.gears; i++)
		is->refused[i] = array->budget ? 0 : 1000;
	array->decision = par_policy_decide(&array->policy, is);
	begin_shift(array);
	go_on_shifting(array);
}

static struct array *make_array(struct kunit *test, const struct par_kunit_layout *in,
				unsigned int gear)
{
	struct array *array = kunit_kzalloc(test, sizeof(*array), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, array);
	KUNIT_ASSERT_EQ(test, par_geometry_init(&array->geo, in->layout, in->disks,
						in->chunk, in->dev), PAR_GEO_OK);
	array->is.now = 1000;
	array->is.gear = gear ? gear : array->geo.gears;
	array->is.target = array->is.gear;
	array->dearer = 100;
	array->believed = 100;
	array->budget = 1000000;
	par_policy_init(&array->policy, &array->geo, array->ring, array->is.now);
	array->policy.knobs.automatic = true;
	return array;
}

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
			struct array *array = make_array(test, &policy_layouts[l], 0);
			struct dumb *dumb = kunit_kzalloc(test, sizeof(*dumb), GFP_KERNEL);

			KUNIT_ASSERT_NOT_NULL(test, dumb);
			for (t = 0; t < STEPS / 4; t++) {
				forget(array);
				unsigned int gear = array->is.gear;
				unsigned int target = array->is.target, up, i;
				u64 shifted = array->policy.shifted;
				struct par_policy *policy = &array->policy;
				bool gone;

				second(array, shape->at(t * 4, levels[v]));
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
				struct array *array = make_array(test, in, 0);

				array->is.gear = min(gear, array->geo.gears);
				array->is.target = array->is.gear;
				array->dearer = dearer;
				array->believed = dearer;
				for (t = 0; t < STEPS; t++)
					second(array, levels[v]);
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
	struct array *array = make_array(test, in, 0);
	u32 level, t;

	/* With this load the lowest gear seems to be sufficient, and is not. */
	level = FULL * array->geo.set[1].members * 45 / array->geo.members / 100;
	array->dearer = 200;
	for (t = 0; t < STEPS; t++)
		second(array, level);
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
		less = make_array(test, &policy_layouts[l], 0);
		more = make_array(test, &policy_layouts[l], 0);
		for (t = 0; t < STEPS / 2; t++) {
			u32 demand = shape->at(t, FULL);

			/* In the same gear, whatever they decide. */
			if (!(t % 900))
				i = 1 + t / 900 % less->geo.gears;
			less->is.gear = i;
			less->is.target = i;
			less->is.now++;
			more->is = less->is;
			make_interval(less, demand / 8);
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
				struct array *array = make_array(test, &policy_layouts[l], 0);
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
					second(array, shape->at(t * 2, FULL));
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
		struct array *array = make_array(test, in, 0);
		u32 level = FULL / 100 * percent;

		for (t = 0; t < 2 * HOURS; t++)
			second(array, FULL / 50);
		KUNIT_ASSERT_EQ(test, array->is.gear, 1);
		needed = 1;
		while (needed < array->geo.gears &&
		       load_in(array, needed, level) > 7000)
			needed++;
		for (t = 0; t < 2; t++)
			second(array, level);
		KUNIT_EXPECT_GE_MSG(test, array->is.target, needed, "%s, %u %%",
				    in->name, percent);
		if (load_in(array, 1, level) <= 5500)
			KUNIT_EXPECT_EQ_MSG(test, array->is.target, 1, "%s, %u %%",
					    in->name, percent);
		kunit_kfree(test, array);
	}
}

/* The load returns during a shift down, which is abandoned. */
static void abandoned(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	struct array *array = make_array(test, in, 0);
	unsigned int t;

	for (t = 0; t < 2 * HOURS && array->is.target == array->is.gear; t++)
		second(array, FULL / 50);
	KUNIT_ASSERT_EQ(test, array->is.target, 1);
	second(array, FULL * 8 / 10);
	second(array, FULL * 8 / 10);
	KUNIT_EXPECT_EQ(test, array->is.target, array->geo.gears);
	KUNIT_EXPECT_EQ(test, array->is.gear, array->geo.gears);
	KUNIT_EXPECT_EQ(test, array->is.why, PAR_WHY_LOAD);
	KUNIT_EXPECT_EQ(test, array->downs, 0);
}

/* ---- single rules ---- */

/* Quiet for so long that only the rule of the case can prevent a shift. */
static struct array *quiet_array(struct kunit *test)
{
	struct array *array = make_array(test, &policy_layouts[0], 0);
	unsigned int t;

	array->policy.knobs.hold = 1000;
	for (t = 0; t < 900; t++)
		second(array, FULL / 50);
	array->policy.knobs.hold = 60;
	array->is.now++;
	return array;
}

static void expect_decision(struct kunit *test, const struct array *array,
			    unsigned int gear, enum par_reason reason, u64 seconds)
{
	struct par_decision d = par_policy_decide(&array->policy, &array->is);

	KUNIT_EXPECT_EQ(test, d.gear, gear);
	KUNIT_EXPECT_STREQ(test, par_reason_name(d.reason), par_reason_name(reason));
	KUNIT_EXPECT_EQ(test, d.seconds, seconds);
}

/* The log is full at once, or when the disks have started, or much later. */
static void log_rules(struct kunit *test)
{
	struct array *array = quiet_array(test);
	struct par_policy *policy = &array->policy;

	array->is.draining = true;
	expect_decision(test, array, 2, PAR_WHY_LOG, 0);
	array->is.draining = false;

	array->is.gear = 1;
	array->is.target = 1;
	array->is.fills = 2 * policy->starts_in;
	expect_decision(test, array, 2, PAR_WHY_LOG, 0);
	array->is.fills++;
	expect_decision(test, array, 1, PAR_WHY_LOWEST, 0);
	array->is.fills = 1;
	expect_decision(test, array, 2, PAR_WHY_LOG, 0);
	array->is.draining = true;
	expect_decision(test, array, 2, PAR_WHY_LOG, 0);
	policy->knobs.max_gear = 3;
	expect_decision(test, array, 1, PAR_WHY_MAX, 0);
	policy->knobs.max_gear = 5;
}

static void single_rules(struct kunit *test)
{
	struct array *array = quiet_array(test);
	struct par_situation as_was = array->is;
	struct par_policy *policy = &array->policy;

	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);

	array->is.syncing = true;
	expect_decision(test, array, 2, PAR_WHY_SYNC, 0);
	array->is = as_was;
	array->is.refused[1] = 4711;
	expect_decision(test, array, 2, PAR_WHY_BUDGET, 4711);
	array->is = as_was;
	array->is.outrun = 600;
	expect_decision(test, array, 2, PAR_WHY_OUTRUN, 600);
	array->is = as_was;
	array->is.degraded = true;
	expect_decision(test, array, 2, PAR_WHY_DEGRADED, 0);
	array->is = as_was;

	policy->shifted = array->is.now - 59;
	expect_decision(test, array, 2, PAR_WHY_HOLD, 1);
	policy->shifted--;
	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);

	/* It has been quiet for 601 s. Two sleepers, 120 s each, and what is owed. */
	policy->sleeps = 1;
	policy->sleep = 100;
	policy->quiet_since[1] = array->is.now - 120;
	policy->borne_since[1] = policy->quiet_since[1];
	expect_decision(test, array, 2, PAR_WHY_COST, 1);
	policy->quiet_since[1]--;
	policy->borne_since[1]--;
	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
	array->is.owed[1] = 401;
	expect_decision(test, array, 2, PAR_WHY_OWED, 201);
	policy->sleep = 322;
	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
	array->is = as_was;

	policy->knobs.min_gear = 5;
	expect_decision(test, array, 2, PAR_WHY_LOWEST, 0);
	policy->knobs.min_gear = 3;
	policy->knobs.max_gear = 3;
	expect_decision(test, array, 1, PAR_WHY_MAX, 0);
	array->is.outrun = 600;
	expect_decision(test, array, 2, PAR_WHY_OUTRUN, 600);
	array->is = as_was;
	policy->knobs.automatic = false;
	expect_decision(test, array, 2, PAR_WHY_MANUAL, 0);
}

/* Requests wait: up, and not down again to a gear that was slow at that load. */
static void slow_gear(struct kunit *test)
{
	struct array *array = make_array(test, &policy_layouts[0], 1);
	unsigned int t;

	for (t = 0; t < 3; t++) {
		array->is.now++;
		make_interval(array, FULL / 5);
		array->last.waited = array->last.requests * 300000ULL;
		par_policy_see(&array->policy, &array->last, 1, array->is.now);
	}
	expect_decision(test, array, 2, PAR_WHY_WAIT, 0);
	array->policy.knobs.wait = 0;
	expect_decision(test, array, 1, PAR_WHY_LOWEST, 0);
	array->policy.knobs.wait = 300;
	expect_decision(test, array, 1, PAR_WHY_LOWEST, 0);
	/* The load is gone when the disks turn. */
	for (t = 0; t < 20; t++) {
		array->is.now++;
		make_interval(array, 0);
		par_policy_see(&array->policy, &array->last, 1, array->is.now);
	}
	par_policy_shifted(&array->policy, 1, 2, PAR_WHY_WAIT, array->is.now, array->is.now);
	array->is.gear = 2;
	array->is.target = 2;

	/* A third of a gear's time is less than half, but as much as it was slow at. */
	for (t = 0; t < HOURS; t++)
		second(array, FULL / 5);
	KUNIT_EXPECT_EQ(test, array->is.gear, 2);
	KUNIT_EXPECT_EQ(test, array->decision.reason, PAR_WHY_NEEDED);
	for (t = 0; t < HOURS; t++)
		second(array, FULL / 5 * 7 / 10);
	KUNIT_EXPECT_EQ(test, array->is.gear, 1);
	/* The gear serves a larger load now: the limit is removed. */
	for (t = 0; t < HOURS; t++)
		second(array, FULL / 4);
	KUNIT_EXPECT_EQ(test, array->is.gear, 1);
	KUNIT_EXPECT_EQ(test, array->policy.slow[1], PAR_LOAD_MAX);
}

/* A second in gear 1, a few percent of it busy; each request takes @wait us. */
static void see_wait(struct array *array, u64 wait)
{
	array->is.now++;
	make_interval(array, FULL / 20);
	array->last.waited = array->last.requests * wait;
	par_policy_see(&array->policy, &array->last, 1, array->is.now);
}

/*
 * Many requests at once wait for each other, even if there are few others: in one interval
 * that has no meaning, and several such intervals have none if the gear serves the load.
 */
static void slow_spike(struct kunit *test)
{
	struct array *array = make_array(test, &policy_layouts[0], 1);
	struct par_policy *policy = &array->policy;
	unsigned int t;

	for (t = 0; t < 10; t++)
		see_wait(array, 10000);
	see_wait(array, 2000000);
	expect_decision(test, array, 1, PAR_WHY_LOWEST, 0);
	see_wait(array, 10000);
	/* The window still contains the spike. */
	KUNIT_EXPECT_GT(test, par_window_wait(&policy->series, PAR_WINDOW_SHORT), 250000);
	expect_decision(test, array, 1, PAR_WHY_LOWEST, 0);
	for (t = 0; t < 30; t++)
		see_wait(array, 10000);
	/* The next load has to outlast that one. */
	for (t = 0; t < 5; t++)
		see_wait(array, 2000000);
	expect_decision(test, array, 2, PAR_WHY_WAIT, 0);
	par_policy_shifted(policy, 1, 2, PAR_WHY_WAIT, array->is.now, array->is.now + 20);
	KUNIT_EXPECT_EQ(test, policy->slow[1], PAR_LOAD_MAX);
	array->is.now += 20;
	array->is.gear = 2;
	array->is.target = 2;
	/* A spike sets no limit for the gear. */
	for (t = 0; t < HOURS && array->is.gear == 2; t++)
		second(array, FULL / 20);
	KUNIT_EXPECT_EQ(test, array->is.gear, 1);
}

/* Hold times double with each regret, up to a day, and halve again. */
static void regrets(struct kunit *test)
{
	struct array *array = make_array(test, &policy_layouts[0], 0);
	struct par_policy *policy = &array->policy;
	u64 now = array->is.now, hold = 60;
	unsigned int k;

	for (k = 0; k < 20; k++) {
		KUNIT_EXPECT_EQ(test, par_policy_hold(policy), hold);
		par_policy_shifted(policy, 2, 1, PAR_WHY_QUIET, now, now);
		par_policy_shifted(policy, 1, 2, PAR_WHY_LOAD, now + 119, now + 139);
		now += 139;
		hold = min(2 * hold, 86400ULL);
	}
	KUNIT_EXPECT_EQ(test, policy->sleep, 119);
	/* A shift by hand has no meaning for the load. */
	par_policy_shifted(policy, 2, 1, PAR_WHY_QUIET, now, now);
	par_policy_shifted(policy, 1, 2, PAR_WHY_MANUAL, now + 1, now + 1);
	now++;
	KUNIT_EXPECT_EQ(test, policy->regrets, PAR_REGRETS_MAX);
	par_policy_shifted(policy, 2, 1, PAR_WHY_QUIET, now, now);
	par_policy_shifted(policy, 1, 2, PAR_WHY_LOAD, now + 480, now + 500);
	now += 500;
	KUNIT_EXPECT_EQ(test, policy->regrets, PAR_REGRETS_MAX / 2);
}

/* In the low gear, without load, until all windows are full. */
static struct array *low_array(struct kunit *test)
{
	struct array *array = make_array(test, &policy_layouts[0], 0);
	unsigned int t;

	for (t = 0; t < 900; t++)
		second(array, FULL / 50);
	KUNIT_ASSERT_EQ(test, array->is.gear, 1);
	return array;
}

/* A load of @on seconds, then a pause of @off; again and again. */
static void come_and_go(struct array *array, unsigned int on, unsigned int off,
			unsigned int times)
{
	unsigned int t;

	for (; times; times--) {
		for (t = 0; t < on; t++)
			second(array, FULL * 8 / 10);
		for (t = 0; t < off; t++)
			second(array, FULL / 50);
	}
}

/*
 * A load that ends before the disks turn, or before they have been useful for as long as a
 * start and the way back cost, is waited out from the third time on, day after day; a
 * longer one causes a shift up.
 */
static void brief_loads(struct kunit *test)
{
	static const unsigned int on[] = { 2, 10, 30, 55, 130, 190 };
	unsigned int k, t;

	for (k = 0; k < ARRAY_SIZE(on); k++) {
		struct array *array = low_array(test);

		come_and_go(array, on[k], 420 - on[k], 400);
		KUNIT_EXPECT_LE_MSG(test, array->ups, 3, "%u s", on[k]);
		KUNIT_EXPECT_EQ(test, array->is.gear, 1);
		second(array, FULL * 8 / 10);
		second(array, FULL * 8 / 10);
		second(array, FULL * 8 / 10);
		KUNIT_EXPECT_EQ(test, array->is.target, 1);
		KUNIT_EXPECT_EQ(test, array->decision.reason, PAR_WHY_BRIEF);
		for (t = 0; t < on[k] + 10; t++)
			second(array, FULL * 8 / 10);
		KUNIT_EXPECT_EQ_MSG(test, array->is.target, 2, "%u s", on[k]);
		kunit_kfree(test, array);
	}
}

/*
 * A surge that would be waited out is not waited out once requests take longer than disks
 * take to start: they are served sooner if disks start.
 */
static void overdue_requests(struct kunit *test)
{
	struct array *array = low_array(test);
	u64 wait, starts;

	come_and_go(array, 130, 290, 400);
	KUNIT_ASSERT_EQ(test, array->is.gear, 1);
	starts = (u64)array->policy.starts_in * USEC_PER_SEC;
	for (wait = 0; wait <= starts / 2; wait += USEC_PER_SEC) {
		array->is.now++;
		make_interval(array, FULL * 12 / 10);
		array->last.waited = array->last.requests * wait;
		par_policy_see(&array->policy, &array->last, 1, array->is.now);
	}
	array->decision = par_policy_decide(&array->policy, &array->is);
	KUNIT_EXPECT_EQ(test, array->decision.reason, PAR_WHY_BRIEF);
	/* The mean of the short window follows. */
	for (; array->decision.reason == PAR_WHY_BRIEF && wait < 5 * starts;
	     wait += USEC_PER_SEC) {
		array->is.now++;
		make_interval(array, FULL * 12 / 10);
		array->last.waited = array->last.requests * wait;
		par_policy_see(&array->policy, &array->last, 1, array->is.now);
		array->decision = par_policy_decide(&array->policy, &array->is);
	}
	KUNIT_EXPECT_EQ(test, array->decision.gear, 2);
	KUNIT_EXPECT_EQ(test, array->decision.reason, PAR_WHY_LOAD);
	KUNIT_EXPECT_GT(test, wait, starts);
	wait -= USEC_PER_SEC * array->policy.knobs.window[PAR_WINDOW_SHORT];
	KUNIT_EXPECT_LE(test, wait, starts);
}

/*
 * A lasting load causes a shift up at once, and a shift down when it is over, without a
 * delay of minutes.
 */
static void long_loads(struct kunit *test)
{
	struct array *array = low_array(test);
	unsigned int k, t, low = 0;

	for (k = 0; k < 12; k++) {
		second(array, FULL * 8 / 10);
		second(array, FULL * 8 / 10);
		KUNIT_EXPECT_EQ_MSG(test, array->is.target, 2, "hour %u", k);
		come_and_go(array, HOURS / 3, 0, 1);
		for (t = HOURS / 3 + 2; t < HOURS; t++) {
			second(array, FULL / 50);
			low += array->is.gear == 1;
		}
	}
	KUNIT_EXPECT_EQ(test, array->ups, 12);
	KUNIT_EXPECT_GE(test, low, 12 * (HOURS * 2 / 3 - 100));
}

/*
 * Copies are made during the hold time: so a shift down begins earlier by their duration,
 * but not before the surge is over.
 */
static void copied_meanwhile(struct kunit *test)
{
	static const u32 owed[] = { 0, 15, 30, 600 };
	unsigned int after[ARRAY_SIZE(owed)], k;

	for (k = 0; k < ARRAY_SIZE(owed); k++) {
		struct array *array = low_array(test);

		come_and_go(array, HOURS / 3, 0, 1);
		KUNIT_ASSERT_EQ(test, array->is.gear, 2);
		array->is.owed[1] = owed[k];
		for (after[k] = 0; array->is.target == 2 && after[k] < 200; after[k]++)
			second(array, FULL / 50);
		KUNIT_EXPECT_EQ(test, array->is.target, 1);
		if (owed[k] <= 30)
			KUNIT_EXPECT_EQ_MSG(test, after[0] - after[k], owed[k], "%u s", owed[k]);
		KUNIT_EXPECT_GE(test, after[k], array->policy.starts_in);
		KUNIT_EXPECT_LE(test, after[k], after[0] - min(owed[k], 30U));
		kunit_kfree(test, array);
	}
}

/*
 * The load that caused the shift up returns during the copying before a shift down: half of
 * it is enough to give the shift up, as long as it is too much for the lower gear, and much
 * is still to be copied. The array shifts down when the load has ended again.
 */
static void load_returns(struct kunit *test)
{
	static const struct { u32 demand, owed; bool stays; } back[] = {
		{ FULL * 4 / 10, 600, true }, { FULL * 4 / 10, 100, false },
		{ FULL / 4, 600, false }, { FULL / 50, 600, false },
	};
	unsigned int k, t;

	for (k = 0; k < ARRAY_SIZE(back); k++) {
		struct array *array = low_array(test);

		come_and_go(array, HOURS / 3, 0, 1);
		KUNIT_ASSERT_EQ(test, array->is.gear, 2);
		array->is.owed[1] = back[k].owed;
		for (t = 0; array->is.target == 2 && t < 200; t++)
			second(array, FULL / 50);
		KUNIT_ASSERT_EQ(test, array->is.target, 1);
		KUNIT_ASSERT_EQ(test, array->is.why, PAR_WHY_GONE);
		array->shifting = back[k].owed;
		for (t = 0; t < 4; t++)
			second(array, back[k].demand);
		KUNIT_EXPECT_EQ_MSG(test, array->is.target, back[k].stays ? 2 : 1, "%u", k);
		if (back[k].stays)
			KUNIT_EXPECT_EQ(test, array->is.why, PAR_WHY_NEEDED);
		for (t = 0; array->is.target == 2 && t < 1000; t++)
			second(array, FULL / 50);
		KUNIT_EXPECT_EQ(test, array->is.target, 1);
		kunit_kfree(test, array);
	}
}

/*
 * A spike of a second is not a lasting load, whatever μ + σ is; a load that saturates the
 * disks is recognized from the second time on.
 */
static void spikes(struct kunit *test)
{
	struct array *array = low_array(test);
	u32 most = FULL * array->geo.set[1].members / array->geo.members;
	unsigned int k, t;

	for (k = 0; k < 100; k++) {
		second(array, most * 89 / 100);
		for (t = 0; t < 30; t++)
			second(array, most / 5);
	}
	KUNIT_EXPECT_EQ(test, array->ups, 0);
	array = low_array(test);
	array->policy.knobs.wait = 0;
	come_and_go(array, 1, 30, 100);
	KUNIT_EXPECT_EQ(test, array->ups, 1);
	KUNIT_EXPECT_EQ(test, array->is.gear, 1);
}

/*
 * With fewer spin-ups a load must have lasted for longer; the last spin-up is for a load
 * that the gear cannot serve.
 */
static void spared(struct kunit *test)
{
	struct array *array = low_array(test);
	struct par_situation *is = &array->is;
	u32 most = FULL * array->geo.set[1].members / array->geo.members;

	array->policy.knobs.wait = 0;
	is->rationed = true;
	is->day = 27;
	is->starts = 27;
	is->share = 86400;
	come_and_go(array, 2, 0, 1);
	KUNIT_EXPECT_EQ(test, is->target, 2);
	/* Half of the day, and less than half of half a day's. */
	is->target = 1;
	is->share = 43200;
	is->starts = 7;
	expect_decision(test, array, 1, PAR_WHY_SPARE, 43200 / 16 / 7 - 1);
	is->starts = 8;
	expect_decision(test, array, 2, PAR_WHY_LOAD, 0);
	is->starts = 7;
	come_and_go(array, 43200 / 16 / 7 - 2, 0, 1);
	KUNIT_EXPECT_EQ(test, is->target, 1);
	come_and_go(array, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, is->target, 2);
	is->target = 1;

	/* The last one is not used even after hours, as long as the gear serves the load. */
	is->starts = 1;
	is->share = 3600;
	is->now += 86400;
	par_series_forget(&array->policy.series);
	make_interval(array, most * 85 / 100);
	par_policy_see(&array->policy, &array->last, 1, is->now);
	expect_decision(test, array, 1, PAR_WHY_SPARE, 3600);
	array->last.load[1] = PAR_LOAD_ONE;
	par_series_forget(&array->policy.series);
	par_policy_see(&array->policy, &array->last, 1, is->now);
	expect_decision(test, array, 2, PAR_WHY_LOAD, 0);
}

/* A long load between the thresholds: the lower gear can serve it, and is tried. */
static void borne(struct kunit *test)
{
	struct array *array = make_array(test, &policy_layouts[0], 0);
	u32 level = FULL / 100 * 62 * array->geo.set[1].members / array->geo.members;
	unsigned int t;

	for (t = 0; t < 300 + 15 * 60 - 10; t++)
		second(array, level);
	KUNIT_EXPECT_EQ(test, array->is.target, 2);
	KUNIT_EXPECT_EQ(test, array->decision.reason, PAR_WHY_NEEDED);
	KUNIT_EXPECT_NE(test, array->decision.seconds, 0);
	for (t = 0; t < 30; t++)
		second(array, level);
	KUNIT_EXPECT_EQ(test, array->is.gear, 1);
	for (t = 0; t < STEPS; t++)
		second(array, level);
	KUNIT_EXPECT_EQ(test, array->ups, 0);
}

/* Failed shifts are tried again after 10 s, 20 s … an hour; a successful one resets the pause. */
static void failed_shifts(struct kunit *test)
{
	struct array *array = quiet_array(test);
	struct par_policy *policy = &array->policy;
	u64 wait = 10;
	char line[256];
	unsigned int k;

	for (k = 0; k < 12; k++) {
		expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
		par_policy_failed(policy, 1, array->is.now);
		expect_decision(test, array, 2, PAR_WHY_FAILED, wait);
		array->is.now += wait - 1;
		expect_decision(test, array, 2, PAR_WHY_FAILED, 1);
		array->is.now++;
		wait = min(2 * wait, 3600ULL);
	}
	par_policy_failed(policy, 1, array->is.now);
	par_policy_explain(policy, &array->is, line, sizeof(line));
	KUNIT_EXPECT_STREQ(test, line, "gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 is called for, but the last shift to it has failed; retrying in 3600 s");
	par_policy_shifted(policy, 2, 1, PAR_WHY_MANUAL, array->is.now, array->is.now);
	KUNIT_EXPECT_EQ(test, policy->failed_for[1], 0);

	/* Upwards, too. */
	array = low_array(test);
	come_and_go(array, 2, 0, 1);
	array->is.target = 1;
	expect_decision(test, array, 2, PAR_WHY_LOAD, 0);
	par_policy_failed(&array->policy, 2, array->is.now);
	expect_decision(test, array, 1, PAR_WHY_FAILED, 10);
}

/* A degraded array, whose policy may be manual, tries its top gear again after the same pauses. */
static void failed_degraded(struct kunit *test)
{
	struct array *array = make_array(test, &policy_layouts[0], 1);
	struct par_policy *policy = &array->policy;
	u64 wait = 10;
	unsigned int k;

	array->is.degraded = true;
	for (k = 0; k < 12; k++) {
		policy->knobs.automatic = k % 2;
		array->is.target = 1;
		expect_decision(test, array, 2, PAR_WHY_DEGRADED, 0);
		par_policy_failed(policy, 2, array->is.now);
		expect_decision(test, array, 1, PAR_WHY_FAILED, wait);
		/* A request in the meantime is not taken back. */
		array->is.target = 2;
		expect_decision(test, array, 2, PAR_WHY_DEGRADED, 0);
		array->is.target = 1;
		array->is.now += wait - 1;
		expect_decision(test, array, 1, PAR_WHY_FAILED, 1);
		array->is.now++;
		wait = min(2 * wait, 3600ULL);
	}
	/* The array stays in the gear that it is in. */
	par_policy_failed(policy, 2, array->is.now);
	array->is.gear = 2;
	array->is.target = 2;
	expect_decision(test, array, 2, PAR_WHY_DEGRADED, 0);
	array->is.target = 1;
	expect_decision(test, array, 2, PAR_WHY_DEGRADED, 0);
}

/* Without statistics there is no shift down, and seeing begins anew when they are on. */
static void blind(struct kunit *test)
{
	struct array *array = quiet_array(test);
	struct par_policy *policy = &array->policy;
	char line[256];

	array->is.blind = true;
	par_policy_blind(policy);
	expect_decision(test, array, 2, PAR_WHY_BLIND, 0);
	par_policy_explain(policy, &array->is, line, sizeof(line));
	KUNIT_EXPECT_STREQ(test, line, "gear 5 of 5: nothing is known of the load, as queue/iostats of the array or of a member is 0: does not shift down");
	policy->knobs.max_gear = 3;
	expect_decision(test, array, 1, PAR_WHY_MAX, 0);
	policy->knobs.max_gear = 5;
	array->is.blind = false;
	expect_decision(test, array, 2, PAR_WHY_UNSEEN, 0);
	second(array, FULL / 50);
	KUNIT_EXPECT_EQ(test, policy->series.window[PAR_WINDOW_LONG].count, 1);
	expect_decision(test, array, 2, PAR_WHY_UNSEEN, 0);
}

static void knobs_refused(struct kunit *test)
{
	struct array *array = make_array(test, &policy_layouts[0], 0);
	const struct par_geometry *geo = &array->geo;
	struct par_knobs good, bad;

#define REFUSED(change) do {							\
		bad = good;							\
		bad.change;							\
		KUNIT_EXPECT_NOT_NULL_MSG(test, par_knobs_error(&bad, geo), #change); \
	} while (0)
#define TAKEN(change) do {							\
		bad = good;							\
		bad.change;							\
		KUNIT_EXPECT_NULL_MSG(test, par_knobs_error(&bad, geo), #change); \
	} while (0)

	par_knobs_init(&good, geo);
	KUNIT_EXPECT_NULL(test, par_knobs_error(&good, geo));
	REFUSED(interval = 99);
	TAKEN(interval = 100);
	TAKEN(interval = 60000);
	REFUSED(interval = 60001);
	REFUSED(window[PAR_WINDOW_SHORT] = 0);
	TAKEN(window[PAR_WINDOW_SHORT] = 60);
	REFUSED(window[PAR_WINDOW_SHORT] = 61);
	REFUSED(window[PAR_WINDOW_LONG] = 2);
	TAKEN(window[PAR_WINDOW_LONG] = 3);
	TAKEN(window[PAR_WINDOW_LONG] = 900);
	REFUSED(window[PAR_WINDOW_LONG] = 901);
	REFUSED(down = 0);
	REFUSED(down = 70);
	TAKEN(down = 69);
	REFUSED(up = 50);
	TAKEN(up = 51);
	REFUSED(up = 101);
	REFUSED(wait = 60001);
	REFUSED(hold = 86401);
	REFUSED(break_even = 86401);
	REFUSED(min_gear = 4);
	TAKEN(min_gear = 5);
	REFUSED(max_gear = 6);
	TAKEN(max_gear = 3);
	good.max_gear = 3;
	REFUSED(min_gear = 5);
}

/* The explanations, word by word. */
static void explained(struct kunit *test)
{
	struct array *array = quiet_array(test);
	struct par_situation as_was = array->is;
	struct par_policy *policy = &array->policy;
	char line[256], small[8];
	unsigned int t;

#define EXPLAINED(text) do {							\
		int n = par_policy_explain(policy, &array->is, line, sizeof(line)); \
		KUNIT_EXPECT_STREQ(test, line, text);				\
		KUNIT_EXPECT_EQ(test, n, (int)strlen(line));			\
	} while (0)

	EXPLAINED("gear 5 of 5, 2.0% +/- 0.0% busy: shifting down to gear 3: it is enough");
	array->is.syncing = true;
	EXPLAINED("gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 must wait until the check, repair or rebuild has ended");
	array->is = as_was;
	array->is.refused[1] = 4711;
	EXPLAINED("gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 would be enough, but its sleepers have no spin-ups left for 4711 s");
	array->is = as_was;
	policy->shifted = array->is.now - 17;
	EXPLAINED("gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 is enough (3.3% +/- 0.0% busy), and is shifted to in 43 s if the load stays the same");
	policy->knobs.automatic = false;
	EXPLAINED("gear 5 of 5, 2.0% +/- 0.0% busy: the policy is manual: shifts when gear is written");
	policy->knobs.automatic = true;
	array->is.gear = 1;
	array->is.target = 1;
	EXPLAINED("gear 3 of 5, 3.3% +/- 0.0% busy: no lower gear exists; shifts up above 70% busy, or when requests take more than 250 ms (now 10)");
	policy->knobs.wait = 0;
	EXPLAINED("gear 3 of 5, 3.3% +/- 0.0% busy: no lower gear exists; shifts up above 70% busy");
	array->is.degraded = true;
	EXPLAINED("gear 3 of 5, 3.3% +/- 0.0% busy: shifting up to gear 5, a member is missing: all others are needed until it is rebuilt");
	array->is = as_was;
	for (t = 0; t < 900; t++) {
		array->is.now++;
		make_interval(array, FULL / 2);
		par_policy_see(policy, &array->last, 2, array->is.now);
	}
	EXPLAINED("gear 5 of 5, 50.0% +/- 0.0% busy: gear 3 would be 83.3% +/- 0.0% busy, and is enough below 50%");
	array->is.gear = 1;
	array->is.target = 1;
	EXPLAINED("gear 3 of 5, 83.3% +/- 0.0% busy: shifting up to gear 5: above 70% busy");
	array->is.target = 2;
	EXPLAINED("gear 3 of 5, 83.3% +/- 0.0% busy: shifting up to gear 5");
	array->is.why = PAR_WHY_MIN;
	EXPLAINED("gear 3 of 5, 83.3% +/- 0.0% busy: shifting up to gear 5: not below min_gear");
	array->is.target = 1;
	policy->knobs.max_gear = 3;
	EXPLAINED("gear 3 of 5, 83.3% +/- 0.0% busy: would shift up to gear 5, but for max_gear");
	KUNIT_EXPECT_EQ(test, par_policy_explain(policy, &array->is, small, sizeof(small)), 7);
	KUNIT_EXPECT_STREQ(test, small, "gear 3 ");
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE_PARAM(like_the_rules, shape_gen_params),
	KUNIT_CASE_PARAM(constant_settles, layout_gen_params),
	KUNIT_CASE_PARAM(wrong_forecast, layout_gen_params),
	KUNIT_CASE_PARAM(monotone, shape_gen_params),
	KUNIT_CASE_PARAM(within_limits, shape_gen_params),
	KUNIT_CASE_PARAM(step_answered, layout_gen_params),
	KUNIT_CASE_PARAM(abandoned, layout_gen_params),
	KUNIT_CASE(single_rules),
	KUNIT_CASE(log_rules),
	KUNIT_CASE(slow_gear),
	KUNIT_CASE(slow_spike),
	KUNIT_CASE(regrets),
	KUNIT_CASE(brief_loads),
	KUNIT_CASE(overdue_requests),
	KUNIT_CASE(long_loads),
	KUNIT_CASE(copied_meanwhile),
	KUNIT_CASE(load_returns),
	KUNIT_CASE(spikes),
	KUNIT_CASE(spared),
	KUNIT_CASE(borne),
	KUNIT_CASE(failed_shifts),
	KUNIT_CASE(failed_degraded),
	KUNIT_CASE(blind),
	KUNIT_CASE(knobs_refused),
	KUNIT_CASE(explained),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "raid-par-policy",
	.test_cases = policy_cases,
};

kunit_test_suite(policy_suite);
