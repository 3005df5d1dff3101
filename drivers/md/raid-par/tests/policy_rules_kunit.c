// SPDX-License-Identifier: GPL-2.0
/*
 * The single rules of the policy, the pauses after what has failed, its settings, and what it
 * says of its decisions.
 */
#include <kunit/test.h>

#include "policy_array.h"

/* Quiet for so long that only the rule of the case can prevent a shift. */
static struct array *quiet_array(struct kunit *test)
{
	struct array *array = policy_array(test, &policy_layouts[0], 0);
	unsigned int t;

	array->policy.knobs.hold = 1000;
	for (t = 0; t < 900; t++)
		policy_second(array, FULL / 50);
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
	struct array *array = policy_array(test, &policy_layouts[0], 1);
	unsigned int t;

	for (t = 0; t < 3; t++) {
		array->is.now++;
		policy_interval(array, FULL / 5);
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
		policy_interval(array, 0);
		par_policy_see(&array->policy, &array->last, 1, array->is.now);
	}
	par_policy_shifted(&array->policy, 1, 2, PAR_WHY_WAIT, array->is.now, array->is.now);
	array->is.gear = 2;
	array->is.target = 2;

	/* A third of a gear's time is less than half, but as much as it was slow at. */
	for (t = 0; t < HOURS; t++)
		policy_second(array, FULL / 5);
	KUNIT_EXPECT_EQ(test, array->is.gear, 2);
	KUNIT_EXPECT_EQ(test, array->decision.reason, PAR_WHY_NEEDED);
	for (t = 0; t < HOURS; t++)
		policy_second(array, FULL / 5 * 7 / 10);
	KUNIT_EXPECT_EQ(test, array->is.gear, 1);
	/* The gear serves a larger load now: the limit is removed. */
	for (t = 0; t < HOURS; t++)
		policy_second(array, FULL / 4);
	KUNIT_EXPECT_EQ(test, array->is.gear, 1);
	KUNIT_EXPECT_EQ(test, array->policy.slow[1], PAR_LOAD_MAX);
}

/* A second in gear 1, a few percent of it busy; each request takes @wait us. */
static void see_wait(struct array *array, u64 wait)
{
	array->is.now++;
	policy_interval(array, FULL / 20);
	array->last.waited = array->last.requests * wait;
	par_policy_see(&array->policy, &array->last, 1, array->is.now);
}

/*
 * Many requests at once wait for each other, even if there are few others: in one interval
 * that has no meaning, and several such intervals have none if the gear serves the load.
 */
static void slow_spike(struct kunit *test)
{
	struct array *array = policy_array(test, &policy_layouts[0], 1);
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
		policy_second(array, FULL / 20);
	KUNIT_EXPECT_EQ(test, array->is.gear, 1);
}

/* Hold times double with each regret, up to a day, and halve again. */
static void regrets(struct kunit *test)
{
	struct array *array = policy_array(test, &policy_layouts[0], 0);
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
	struct array *array = policy_array(test, &policy_layouts[0], 0);
	unsigned int t;

	for (t = 0; t < 900; t++)
		policy_second(array, FULL / 50);
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
			policy_second(array, FULL * 8 / 10);
		for (t = 0; t < off; t++)
			policy_second(array, FULL / 50);
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
		policy_second(array, FULL * 8 / 10);
		policy_second(array, FULL * 8 / 10);
		policy_second(array, FULL * 8 / 10);
		KUNIT_EXPECT_EQ(test, array->is.target, 1);
		KUNIT_EXPECT_EQ(test, array->decision.reason, PAR_WHY_BRIEF);
		for (t = 0; t < on[k] + 10; t++)
			policy_second(array, FULL * 8 / 10);
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
	starts = max(array->policy.starts_in, PAR_STARTS_IN) * (u64)USEC_PER_SEC;
	for (wait = 0; wait <= starts / 2; wait += USEC_PER_SEC) {
		array->is.now++;
		policy_interval(array, FULL * 12 / 10);
		array->last.waited = array->last.requests * wait;
		par_policy_see(&array->policy, &array->last, 1, array->is.now);
	}
	array->decision = par_policy_decide(&array->policy, &array->is);
	KUNIT_EXPECT_EQ(test, array->decision.reason, PAR_WHY_BRIEF);
	/* The mean of the short window follows. */
	for (; array->decision.reason == PAR_WHY_BRIEF && wait < 5 * starts;
	     wait += USEC_PER_SEC) {
		array->is.now++;
		policy_interval(array, FULL * 12 / 10);
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
		policy_second(array, FULL * 8 / 10);
		policy_second(array, FULL * 8 / 10);
		KUNIT_EXPECT_EQ_MSG(test, array->is.target, 2, "hour %u", k);
		come_and_go(array, HOURS / 3, 0, 1);
		for (t = HOURS / 3 + 2; t < HOURS; t++) {
			policy_second(array, FULL / 50);
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
			policy_second(array, FULL / 50);
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
			policy_second(array, FULL / 50);
		KUNIT_ASSERT_EQ(test, array->is.target, 1);
		KUNIT_ASSERT_EQ(test, array->is.why, PAR_WHY_GONE);
		array->shifting = back[k].owed;
		for (t = 0; t < 4; t++)
			policy_second(array, back[k].demand);
		KUNIT_EXPECT_EQ_MSG(test, array->is.target, back[k].stays ? 2 : 1, "%u", k);
		if (back[k].stays)
			KUNIT_EXPECT_EQ(test, array->is.why, PAR_WHY_NEEDED);
		for (t = 0; array->is.target == 2 && t < 1000; t++)
			policy_second(array, FULL / 50);
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
		policy_second(array, most * 89 / 100);
		for (t = 0; t < 30; t++)
			policy_second(array, most / 5);
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
	policy_interval(array, most * 85 / 100);
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
	struct array *array = policy_array(test, &policy_layouts[0], 0);
	u32 level = FULL / 100 * 62 * array->geo.set[1].members / array->geo.members;
	unsigned int t;

	for (t = 0; t < 300 + 15 * 60 - 10; t++)
		policy_second(array, level);
	KUNIT_EXPECT_EQ(test, array->is.target, 2);
	KUNIT_EXPECT_EQ(test, array->decision.reason, PAR_WHY_NEEDED);
	KUNIT_EXPECT_NE(test, array->decision.seconds, 0);
	for (t = 0; t < 30; t++)
		policy_second(array, level);
	KUNIT_EXPECT_EQ(test, array->is.gear, 1);
	for (t = 0; t < STEPS; t++)
		policy_second(array, level);
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

static void expect_words(struct kunit *test, const struct array *array, const char *words)
{
	char line[256];

	par_policy_explain(&array->policy, &array->is, line, sizeof(line));
	KUNIT_EXPECT_STREQ(test, line, words);
}

/* Misses, real ones and supposed ones, keep the array up until sleeps are long enough again. */
static void expected_misses(struct kunit *test)
{
	struct array *array = quiet_array(test);
	struct par_policy *policy = &array->policy;
	struct par_situation *is = &array->is;
	unsigned int k;

	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
	par_policy_missed(policy, 1, is->now);
	is->now += 20;
	expect_decision(test, array, 2, PAR_WHY_MISSES, 220);
	is->now += 120;
	expect_decision(test, array, 2, PAR_WHY_MISSES, 100);
	expect_words(test, array, "gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 would be enough, but its expected misses cost more energy than it saves: its sleepers would sleep for 20 s until one wakes them; shifts down in 100 s if no data without a slot is needed");
	is->owed[1] = 20;
	expect_decision(test, array, 2, PAR_WHY_MISSES, 110);
	is->owed[1] = 0;
	is->now += 100;
	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
	/* After a long sleep only as long as more may follow. */
	is->now += 5000;
	par_policy_missed(policy, 1, is->now);
	is->now += 70;
	expect_decision(test, array, 2, PAR_WHY_MISSES, 50);
	expect_words(test, array, "gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 would be enough, but data without a slot was needed 70 s ago, and more may follow; shifts down in 50 s if no data without a slot is needed");
	is->now += 50;
	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
	/* One after 80 s of sleep, again and again: too often for the energy. */
	for (k = 0; k < 60; k++) {
		is->now += 200;
		par_policy_missed(policy, 1, is->now);
	}
	expect_decision(test, array, 2, PAR_WHY_MISSES, 120 + 120 + 4 * 40);
	/* After half an hour each: only with few spin-ups left. */
	for (k = 0; k < 60; k++) {
		is->now += 1800;
		par_policy_missed(policy, 1, is->now);
	}
	is->now += 120;
	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
	is->gap[1] = 2000;
	expect_decision(test, array, 2, PAR_WHY_MISSES, 4000);
	expect_words(test, array, "gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 would be enough, but its expected misses cost more spin-ups than it saves: its sleepers would sleep for 1680 s until one wakes them; shifts down in 4000 s if no data without a slot is needed");
	/* A limit of the user is no order to shift down; other reasons come first. */
	policy->knobs.max_gear = 3;
	expect_decision(test, array, 2, PAR_WHY_MISSES, 4000);
	is->gap[1] = 0;
	expect_decision(test, array, 1, PAR_WHY_MAX, 0);
	policy->knobs.max_gear = 5;
	is->refused[1] = 10;
	expect_decision(test, array, 2, PAR_WHY_BUDGET, 10);
}

/* A miss ends the shift down that the policy has asked for, but none that the user has. */
static void missed_on_the_way(struct kunit *test)
{
	struct array *array = quiet_array(test);
	struct par_situation *is = &array->is;

	is->target = 1;
	is->why = PAR_WHY_QUIET;
	expect_decision(test, array, 1, PAR_WHY_SHIFTING, 0);
	par_policy_missed(&array->policy, 1, is->now);
	is->now++;
	expect_decision(test, array, 2, PAR_WHY_MISSES, 0);
	is->why = PAR_WHY_MAX;
	expect_decision(test, array, 2, PAR_WHY_MISSES, 0);
	is->why = PAR_WHY_MANUAL;
	expect_decision(test, array, 1, PAR_WHY_SHIFTING, 0);
	/* On the way up it is told what for. */
	is->gear = 1;
	is->target = 2;
	is->why = PAR_WHY_MISSES;
	expect_decision(test, array, 2, PAR_WHY_SHIFTING, 0);
	expect_words(test, array, "gear 3 of 5, 3.3% +/- 0.0% busy: shifting up to gear 5: a request needs data without a slot");
}

/* Misses that are usual at this hour keep the array up after a start; they end no shift down. */
static void usual_misses(struct kunit *test)
{
	struct array *array = quiet_array(test);
	struct par_policy *policy = &array->policy;
	struct par_situation *is = &array->is;

	par_policy_usual(policy, 0, is->now);
	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
	par_policy_usual(policy, 10 * PAR_MISS_ONE, is->now);
	expect_decision(test, array, 2, PAR_WHY_MISSES, 120);
	is->now += 20;
	expect_words(test, array, "gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 would be enough, but at this hour data without a slot is usually needed: once in 360 s; shifts down in 100 s if no data without a slot is needed");
	par_policy_usual(policy, 20 * PAR_MISS_ONE, is->now);
	expect_decision(test, array, 2, PAR_WHY_MISSES, 100 + 180);
	is->now += 110;
	expect_words(test, array, "gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 would be enough, but its expected misses cost more energy than it saves: its sleepers would sleep for 60 s until one wakes them; shifts down in 170 s if no data without a slot is needed");
	is->now += 170;
	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
	/* With a real miss these are known better. */
	KUNIT_EXPECT_TRUE(test, par_policy_missed(policy, 1, is->now));
	par_policy_usual(policy, 0, is->now);
	is->now += 119;
	expect_decision(test, array, 2, PAR_WHY_MISSES, 1);
	/* A shift down is under way when an hour of usual misses begins. */
	array = quiet_array(test);
	par_policy_usual(&array->policy, 20 * PAR_MISS_ONE, array->is.now);
	array->is.target = 1;
	array->is.why = PAR_WHY_QUIET;
	expect_decision(test, array, 1, PAR_WHY_SHIFTING, 0);
}

/* With three gears: a miss counts for the gears in which its member sleeps. */
static void misses_by_band(struct kunit *test)
{
	struct array *array = policy_array(test, &policy_layouts[2], 0);
	struct par_situation *is = &array->is;
	unsigned int t;

	array->policy.knobs.hold = 1000;
	for (t = 0; t < 900; t++)
		policy_second(array, FULL / 50);
	array->policy.knobs.hold = 60;
	is->now++;
	expect_decision(test, array, 1, PAR_WHY_QUIET, 0);
	par_policy_missed(&array->policy, 1, is->now);
	expect_decision(test, array, 2, PAR_WHY_QUIET, 0);
	par_policy_missed(&array->policy, 2, is->now);
	expect_decision(test, array, 3, PAR_WHY_MISSES, 240);
}

/* A degraded array, whose policy may be manual, tries its top gear again after the same pauses. */
static void failed_degraded(struct kunit *test)
{
	struct array *array = policy_array(test, &policy_layouts[0], 1);
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
	policy_second(array, FULL / 50);
	KUNIT_EXPECT_EQ(test, policy->series.window[PAR_WINDOW_LONG].count, 1);
	expect_decision(test, array, 2, PAR_WHY_UNSEEN, 0);
}

static void knobs_refused(struct kunit *test)
{
	struct array *array = policy_array(test, &policy_layouts[0], 0);
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
	array->is.draining = true;
	EXPLAINED("gear 5 of 5, 2.0% +/- 0.0% busy: gear 3 must wait until three quarters of the log are free: it is being drained");
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
	array->is.fills = 1;
	EXPLAINED("gear 3 of 5, 3.3% +/- 0.0% busy: shifting up to gear 5: the log is filling up");
	array->is.fills = 0;
	array->is.degraded = true;
	EXPLAINED("gear 3 of 5, 3.3% +/- 0.0% busy: shifting up to gear 5, a member is missing: all others are needed until it is rebuilt");
	array->is = as_was;
	for (t = 0; t < 900; t++) {
		array->is.now++;
		policy_interval(array, FULL / 2);
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

static struct kunit_case policy_rules_cases[] = {
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
	KUNIT_CASE(expected_misses),
	KUNIT_CASE(usual_misses),
	KUNIT_CASE(missed_on_the_way),
	KUNIT_CASE(misses_by_band),
	KUNIT_CASE(failed_degraded),
	KUNIT_CASE(blind),
	KUNIT_CASE(knobs_refused),
	KUNIT_CASE(explained),
	{}
};

static struct kunit_suite policy_rules_suite = {
	.name = "raid-par-policy-rules",
	.test_cases = policy_rules_cases,
};

kunit_test_suite(policy_rules_suite);
