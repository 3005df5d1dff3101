// SPDX-License-Identifier: GPL-2.0
/*
 * The gear that the load needs; see policy.h for the contracts, knobs.c for what can be
 * set and explain.c for how it is told.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "policy.h"

#define FEW_REQUESTS	8U	/* so few in the short window say nothing of waiting */
#define SLOW_NUM	3U	/* a gear that was slow at some load is for … */
#define SLOW_DEN	4U	/* … so much of it at most */

void par_policy_init(struct par_policy *policy, const struct par_geometry *geo,
		     struct par_interval *interval, u64 now)
{
	unsigned int i;

	memset(policy, 0, sizeof(*policy));
	policy->geo = geo;
	policy->shifted = now;
	for (i = 1; i <= geo->gears; i++)
		policy->slow[i] = PAR_LOAD_MAX;
	par_series_init(&policy->series, geo->gears, interval);
	par_knobs_init(&policy->knobs, geo);
	par_policy_set(policy, &policy->knobs);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_init);

void par_policy_set(struct par_policy *policy, const struct par_knobs *knobs)
{
	unsigned int w;

	policy->knobs = *knobs;
	for (w = 0; w < PAR_WINDOWS; w++)
		par_window_set(&policy->series, w, knobs->window[w]);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_set);

/* ---- what the windows say ---- */

static u32 percent(u32 value)
{
	return value * (PAR_LOAD_ONE / 100);
}

static bool too_busy(const struct par_policy *policy, unsigned int gear)
{
	return par_window_above(&policy->series, PAR_WINDOW_SHORT, gear,
				percent(policy->knobs.up));
}

static bool too_slow(const struct par_policy *policy)
{
	const struct par_window *window = &policy->series.window[PAR_WINDOW_SHORT];

	return policy->knobs.wait && window->requests >= FEW_REQUESTS &&
	       par_window_wait(&policy->series, PAR_WINDOW_SHORT) >
	       policy->knobs.wait * 1000ULL;
}

static bool seen_enough(const struct par_policy *policy)
{
	return par_window_full(&policy->series, PAR_WINDOW_SHORT) &&
	       par_window_full(&policy->series, PAR_WINDOW_LONG);
}

/* Would gear @gear be enough, in every window? */
static bool is_enough(const struct par_policy *policy, unsigned int gear)
{
	u32 limit = min(percent(policy->knobs.down),
			policy->slow[gear] / SLOW_DEN * SLOW_NUM);

	return seen_enough(policy) &&
	       !par_window_above(&policy->series, PAR_WINDOW_SHORT, gear, limit) &&
	       !par_window_above(&policy->series, PAR_WINDOW_LONG, gear, limit);
}

/* It was slow at some load once, and now bears more: that is forgotten. */
static void heal(struct par_policy *policy, unsigned int gear)
{
	const struct par_series *series = &policy->series;

	if (policy->slow[gear] < PAR_LOAD_MAX &&
	    par_window_full(series, PAR_WINDOW_LONG) && !too_slow(policy) &&
	    par_window_mean(series, PAR_WINDOW_LONG, gear) > policy->slow[gear])
		policy->slow[gear] = PAR_LOAD_MAX;
}

/* When the gear has changed, seconds later, its load is not what it was. */
static void note_slow(struct par_policy *policy, unsigned int gear)
{
	bool slow = too_slow(policy);

	if (slow && !policy->was_slow)
		policy->slow_at = max(1U, par_window_mean(&policy->series,
							  PAR_WINDOW_SHORT, gear));
	policy->was_slow = slow;
}

void par_policy_see(struct par_policy *policy, const struct par_interval *interval,
		    unsigned int gear, u64 now)
{
	unsigned int i;

	par_series_add(&policy->series, interval);
	note_slow(policy, gear);
	heal(policy, gear);
	for (i = 1; i < policy->geo->gears; i++) {
		if (!is_enough(policy, i))
			policy->quiet_since[i] = 0;
		else if (!policy->quiet_since[i])
			policy->quiet_since[i] = max(now, 1ULL);
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_see);

/* ---- limits ---- */

static unsigned int lowest(const struct par_policy *policy)
{
	unsigned int i = policy->geo->gears;

	while (i > 1 && policy->geo->set[i - 1].members >= policy->knobs.min_gear)
		i--;
	return i;
}

static unsigned int highest(const struct par_policy *policy)
{
	unsigned int i = 1;

	while (i < policy->geo->gears &&
	       policy->geo->set[i + 1].members <= policy->knobs.max_gear)
		i++;
	return max(i, lowest(policy));
}

/* ---- up ---- */

/* The smallest gear above @gear that would be enough, but for max_gear. */
static unsigned int sufficient(const struct par_policy *policy,
			       const struct par_situation *is, unsigned int gear)
{
	unsigned int high = highest(policy);

	if (is->gear == gear &&
	    par_window_mean(&policy->series, PAR_WINDOW_SHORT, gear) > PAR_SATURATED)
		return high;
	do
		gear++;
	while (gear < high && too_busy(policy, gear));
	return gear;
}

static struct par_decision decided(unsigned int gear, unsigned int about,
				   enum par_reason reason)
{
	return (struct par_decision) { gear, about, reason, 0 };
}

/* Is there a reason to go above the gear that is aimed at? */
static bool decide_up(const struct par_policy *policy,
		      const struct par_situation *is, struct par_decision *d)
{
	unsigned int aim = is->target, low = lowest(policy), high = highest(policy);
	enum par_reason reason;

	if (too_busy(policy, aim))
		reason = PAR_WHY_LOAD;
	else if (is->gear == aim && too_slow(policy))
		reason = PAR_WHY_WAIT;
	else if (aim < low)
		reason = PAR_WHY_MIN;
	else
		return false;
	if (aim >= high) {
		if (aim == policy->geo->gears)
			return false;
		*d = decided(aim, aim + 1, PAR_WHY_MAX);
		return aim == high;
	}
	*d = decided(low, low, reason);
	if (reason != PAR_WHY_MIN)
		d->gear = max(low, sufficient(policy, is, aim));
	d->about = d->gear;
	return true;
}

/* ---- down ---- */

u64 par_policy_hold(const struct par_policy *policy)
{
	return min_t(u64, PAR_HOLD_MAX, (u64)policy->knobs.hold << policy->regrets);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_hold);

/* It must last longer than this: s. What is owed is work for the others instead. */
static u64 pays_after(const struct par_policy *policy,
		      const struct par_situation *is, unsigned int gear)
{
	unsigned int sleepers = policy->geo->set[is->gear].members -
				policy->geo->set[gear].members;

	return policy->knobs.break_even + DIV_ROUND_UP(is->owed[gear], sleepers);
}

static u64 quiet_for(const struct par_policy *policy, unsigned int gear, u64 now)
{
	return policy->quiet_since[gear] ? now - policy->quiet_since[gear] : 0;
}

/* To gear @gear, which is lower: the first thing that speaks against it. */
static struct par_decision weigh(const struct par_policy *policy,
				 const struct par_situation *is, unsigned int gear)
{
	struct par_decision d = decided(is->gear, gear, PAR_WHY_NEEDED);
	u64 quiet = quiet_for(policy, gear, is->now), hold = par_policy_hold(policy);
	u64 since_shift = is->now - min(is->now, policy->shifted), pays;

	if (!policy->quiet_since[gear]) {
		if (!seen_enough(policy))
			d.reason = PAR_WHY_UNSEEN;
		return d;
	}
	if (min(quiet, since_shift) < hold) {
		d.reason = PAR_WHY_HOLD;
		d.seconds = hold - min(quiet, since_shift);
		return d;
	}
	if (is->refused[gear]) {
		d.reason = PAR_WHY_BUDGET;
		d.seconds = is->refused[gear];
		return d;
	}
	if (is->outrun) {
		d.reason = PAR_WHY_OUTRUN;
		d.seconds = is->outrun;
		return d;
	}
	pays = pays_after(policy, is, gear);
	if (policy->sleeps && max(policy->sleep, quiet) <= pays) {
		d.reason = PAR_WHY_COST;
		d.seconds = pays - quiet + 1;
		return d;
	}
	return decided(gear, gear, PAR_WHY_QUIET);
}

/* The lowest gear that nothing speaks against, else what does so last of all. */
static struct par_decision decide_down(const struct par_policy *policy,
				       const struct par_situation *is)
{
	struct par_decision best = decided(is->gear, is->gear, PAR_WHY_LOWEST), d;
	unsigned int i, low = lowest(policy);

	if (is->gear > low && is->syncing)
		return decided(is->gear, is->gear - 1, PAR_WHY_SYNC);
	for (i = low; i < is->gear; i++) {
		d = weigh(policy, is, i);
		if (d.gear < is->gear)
			return d;
		if (best.reason == PAR_WHY_LOWEST || d.reason != PAR_WHY_NEEDED)
			best = d;
	}
	return best;
}

/* Above max_gear: only what the disks allow speaks against going down. */
static struct par_decision decide_max(const struct par_policy *policy,
				      const struct par_situation *is)
{
	unsigned int high = highest(policy);
	struct par_decision d = decided(high, high, PAR_WHY_MAX);

	if (is->syncing) {
		d = decided(is->gear, high, PAR_WHY_SYNC);
	} else if (is->refused[high]) {
		d = decided(is->gear, high, PAR_WHY_BUDGET);
		d.seconds = is->refused[high];
	} else if (is->outrun) {
		d = decided(is->gear, high, PAR_WHY_OUTRUN);
		d.seconds = is->outrun;
	}
	return d;
}

struct par_decision par_policy_decide(const struct par_policy *policy,
				      const struct par_situation *is)
{
	unsigned int top = policy->geo->gears;
	struct par_decision d;

	if (is->degraded)
		return decided(top, top, PAR_WHY_DEGRADED);
	if (!policy->knobs.automatic)
		return decided(is->target, is->target, PAR_WHY_MANUAL);
	if (decide_up(policy, is, &d))
		return d;
	if (is->target != is->gear)
		return decided(is->target, is->target, PAR_WHY_SHIFTING);
	if (is->gear > highest(policy))
		return decide_max(policy, is);
	return decide_down(policy, is);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_decide);

/* ---- what shifts teach ---- */

/* So long must it last not to be regretted. */
static u64 worthwhile(const struct par_policy *policy)
{
	return max(policy->knobs.hold, policy->knobs.break_even);
}

/* The time after a shift down is over. */
static void slept(struct par_policy *policy, enum par_reason why, u64 now)
{
	u64 stay = now - min(now, policy->slept_since);

	policy->sleep = policy->sleeps ? (3 * policy->sleep + stay) / 4 : stay;
	policy->sleeps = min(policy->sleeps, U32_MAX - 1) + 1;
	if (why != PAR_WHY_LOAD && why != PAR_WHY_WAIT)
		return;
	if (stay < worthwhile(policy))
		policy->regrets = min(policy->regrets + 1, PAR_REGRETS_MAX);
	else if (stay >= 4 * worthwhile(policy))
		policy->regrets /= 2;
}

void par_policy_shifted(struct par_policy *policy, unsigned int old,
			unsigned int gear, enum par_reason why, u64 asked, u64 now)
{
	policy->shifted = now;
	if (why == PAR_WHY_WAIT && gear > old)
		policy->slow[old] = policy->slow_at;
	if (gear > old && policy->slept_since)
		slept(policy, why, asked);
	policy->slept_since = gear < old ? max(now, 1ULL) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_shifted);
