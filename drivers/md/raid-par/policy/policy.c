// SPDX-License-Identifier: GPL-2.0
/*
 * The gear that the load needs; see policy.h for the contracts, knobs.c for the settings
 * and explain.c for explanations.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "policy/policy.h"

#define PAR_DAY		86400U
#define FEWEST		2ULL	/* intervals: a single one does not show that a load lasts */
#define FEW_REQUESTS	8U	/* fewer in the short window do not show that requests wait */
#define THERE		2U	/* half of a load counts as the same load */
#define SPREAD		2U	/* this part of the ration is spread over the day */
#define SPARE		16U	/* a scarce start needs this part of the time between two */
#define SLOW_LEAST	2U	/* slow at this part of the down threshold, or less: a spike */
#define SLOW_NUM	3U	/* a gear that was slow at some load is suitable for … */
#define SLOW_DEN	4U	/* … this part of the load at most */
#define LOG_AHEAD	2U	/* multiple of the time in which disks start */

void par_policy_init(struct par_policy *policy, const struct par_geometry *geo,
		     struct par_interval *interval, u64 now)
{
	unsigned int i;

	memset(policy, 0, sizeof(*policy));
	policy->geo = geo;
	policy->shifted = now;
	policy->starts_in = PAR_STARTS_IN;
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

/* ---- the content of the windows ---- */

static u64 intervals_of(const struct par_policy *policy, u64 seconds)
{
	return div_u64(seconds * MSEC_PER_SEC, policy->knobs.interval);
}

static u32 percent_of(u32 value)
{
	return value * (PAR_LOAD_ONE / 100);
}

static bool too_busy(const struct par_policy *policy, unsigned int gear)
{
	return par_window_above(&policy->series, PAR_WINDOW_SHORT, gear,
				percent_of(policy->knobs.up));
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

/*
 * The part of @threshold that applies: a gear that was slow at a smaller load has a lower
 * limit.
 */
static u32 limit_of(const struct par_policy *policy, unsigned int gear, u32 threshold)
{
	return min(percent_of(threshold), policy->slow[gear] / SLOW_DEN * SLOW_NUM);
}

/* Would gear @gear be below @threshold, in every window? */
static bool is_below(const struct par_policy *policy, unsigned int gear, u32 threshold)
{
	u32 limit = limit_of(policy, gear, threshold);

	return seen_enough(policy) &&
	       !par_window_above(&policy->series, PAR_WINDOW_SHORT, gear, limit) &&
	       !par_window_above(&policy->series, PAR_WINDOW_LONG, gear, limit);
}

/* The same for the short window alone. */
static bool is_calm(const struct par_policy *policy, unsigned int gear)
{
	return par_window_full(&policy->series, PAR_WINDOW_SHORT) &&
	       !par_window_above(&policy->series, PAR_WINDOW_SHORT, gear,
				 limit_of(policy, gear, policy->knobs.down));
}

/*
 * The number of newest intervals that show what lasts: those of the surge, but no more than
 * it takes disks to start.
 */
static u64 lasting_intervals(const struct par_policy *policy, u64 now)
{
	u64 most = intervals_of(policy, policy->starts_in);
	u64 age = intervals_of(policy, par_surge_age(&policy->surge, now));

	return max(FEWEST, min(age + 1, most));
}

/*
 * Has the gear been too busy for as long as the surge has lasted, or as disks would take to
 * start? A spike raises μ + σ for the length of the window, and an uneven load does so now
 * and then. But a surge that saturates the disks from its beginning is not waited for: if
 * it was a spike, the next one like it will be waited for.
 */
static bool is_lasting(const struct par_policy *policy, unsigned int gear, u64 now)
{
	return (!intervals_of(policy, par_surge_age(&policy->surge, now)) &&
		par_series_mean(&policy->series, gear, 1) > PAR_SATURATED) ||
	       par_series_mean(&policy->series, gear, lasting_intervals(policy, now)) >
	       percent_of(policy->knobs.up);
}

/*
 * Do requests take too long most of the time? A spike of requests makes them wait for each
 * other, in one interval, and raises the mean of the window for its length.
 */
static bool is_waiting(const struct par_policy *policy, u64 now)
{
	u64 most = lasting_intervals(policy, now);
	u64 slow = par_series_slow(&policy->series, most, policy->knobs.wait * 1000ULL);

	return too_slow(policy) && slow >= FEWEST && 2 * slow >= most;
}

/* Requests of all kinds, as load of the top gear. */
static u32 level_now(const struct par_policy *policy)
{
	return par_window_mean(&policy->series, PAR_WINDOW_SHORT, policy->geo->gears);
}

/*
 * Is gear @gear insufficient? If the array has shifted up to it: was the lower gear
 * insufficient, or does the load that caused the shift persist? The load of the lower gear
 * is only a prediction.
 */
static bool is_pressed(const struct par_policy *policy, unsigned int gear)
{
	if (policy->risen && gear > policy->risen)
		return too_busy(policy, policy->risen) ||
		       THERE * level_now(policy) >= policy->level;
	return gear < policy->geo->gears && (too_busy(policy, gear) || too_slow(policy));
}

static void see_surge(struct par_policy *policy, const struct par_interval *interval,
		      unsigned int gear, u64 now)
{
	bool pressed = is_pressed(policy, gear);

	par_surge_see(&policy->surge, interval, pressed, policy->starts_in, now);
	if (pressed && !policy->risen)
		policy->level = max(1U, level_now(policy));
}

/* A gear that was slow at some load once, and now serves more, is not limited any more. */
static void heal_failures(struct par_policy *policy, unsigned int gear)
{
	const struct par_series *series = &policy->series;

	if (policy->slow[gear] < PAR_LOAD_MAX &&
	    par_window_full(series, PAR_WINDOW_LONG) && !too_slow(policy) &&
	    par_window_mean(series, PAR_WINDOW_LONG, gear) > policy->slow[gear])
		policy->slow[gear] = PAR_LOAD_MAX;
}

/* When the gear has changed, seconds later, the load of the old gear is not valid any more. */
static void note_slow(struct par_policy *policy, unsigned int gear)
{
	bool slow = too_slow(policy);

	if (slow && !policy->was_slow)
		policy->slow_at = max(1U, par_window_mean(&policy->series,
							  PAR_WINDOW_SHORT, gear));
	policy->was_slow = slow;
}

static void note_since(u64 *since, bool is_so, u64 now)
{
	if (!is_so)
		*since = 0;
	else if (!*since)
		*since = max(now, 1ULL);
}

void par_policy_see(struct par_policy *policy, const struct par_interval *interval,
		    unsigned int gear, u64 now)
{
	unsigned int i;

	par_series_add(&policy->series, interval);
	note_slow(policy, gear);
	heal_failures(policy, gear);
	see_surge(policy, interval, gear, now);
	for (i = 1; i < policy->geo->gears; i++) {
		note_since(&policy->calm_since[i], is_calm(policy, i), now);
		note_since(&policy->quiet_since[i],
			   is_below(policy, i, policy->knobs.down), now);
		note_since(&policy->borne_since[i],
			   is_below(policy, i, policy->knobs.up), now);
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_see);

bool par_policy_missed(struct par_policy *policy, unsigned int band, u64 now)
{
	unsigned int gear;

	for (gear = 2; gear <= band; gear++)
		par_misses_see(&policy->misses[gear], policy->knobs.break_even, now);
	return par_misses_see(&policy->misses[1], policy->knobs.break_even, now);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_missed);

void par_policy_usual(struct par_policy *policy, u32 misses, u64 now)
{
	par_misses_suppose(&policy->misses[1], policy->knobs.break_even, misses, now);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_usual);

/* ---- limits ---- */

static unsigned int lowest_gear(const struct par_policy *policy)
{
	unsigned int i = policy->geo->gears;

	while (i > 1 && policy->geo->set[i - 1].members >= policy->knobs.min_gear)
		i--;
	return i;
}

static unsigned int highest_gear(const struct par_policy *policy)
{
	unsigned int i = 1;

	while (i < policy->geo->gears &&
	       policy->geo->set[i + 1].members <= policy->knobs.max_gear)
		i++;
	return max(i, lowest_gear(policy));
}

/* The time for which no shift to gear @gear is tried, in s. */
static u64 shut_for(const struct par_policy *policy, unsigned int gear, u64 now)
{
	u64 until = policy->failed[gear] + policy->failed_for[gear];

	return policy->failed_for[gear] ? max(until, now) - now : 0;
}

/* ---- up ---- */

/* The smallest gear above @gear that would be sufficient, ignoring max_gear. */
static unsigned int sufficient_gear(const struct par_policy *policy,
				    const struct par_situation *is, unsigned int gear)
{
	unsigned int high = highest_gear(policy);

	if (is->gear == gear &&
	    par_window_mean(&policy->series, PAR_WINDOW_SHORT, gear) > PAR_SATURATED)
		return high;
	do
		gear++;
	while (gear < high && too_busy(policy, gear));
	return gear;
}

static struct par_decision decided_gear(unsigned int gear, unsigned int about,
					enum par_reason reason)
{
	return (struct par_decision) { gear, about, reason, 0 };
}

/*
 * The time for which a surge must have lasted, if less than half of the ration is left: the
 * remaining spin-ups are spread over the rest of the day.
 */
static u64 must_last_for(const struct par_situation *is)
{
	u64 due = DIV_ROUND_UP_ULL(is->day * is->share, PAR_DAY * SPREAD);

	if (!is->rationed || is->starts > due)
		return 0;
	return div64_u64(is->share, SPARE * max(is->starts, 1ULL));
}

/*
 * The time for which a surge must continue to justify starting disks: until they turn, and
 * then for as long as the shift costs. That is a start, which takes the energy of a disk
 * that idles for the break-even time, and the way back, which takes the hold time or the
 * time for copying what is written meanwhile.
 */
static u64 worth_of(const struct par_policy *policy)
{
	return policy->starts_in + policy->knobs.break_even +
	       max(policy->knobs.hold, policy->leaves_in);
}

/*
 * Do requests take longer than disks take to start, and longer than most disks do? Then the gear
 * is overloaded, and even the requests that wait now are served sooner if disks start now,
 * however soon the surge ends.
 */
static bool is_overdue(const struct par_policy *policy)
{
	return too_slow(policy) && par_window_wait(&policy->series, PAR_WINDOW_SHORT) >
				   max(policy->starts_in, PAR_STARTS_IN) * (u64)USEC_PER_SEC;
}

/* Up from a gear with disks asleep: is there an argument against it? */
static bool holds_back(const struct par_policy *policy, const struct par_situation *is,
		       struct par_decision *d)
{
	u64 age = par_surge_age(&policy->surge, is->now), spared = must_last_for(is);

	d->about = is->gear;
	d->reason = PAR_WHY_BRIEF;
	d->seconds = par_surge_wait(&policy->surge, worth_of(policy), is->now);
	if (d->seconds && !is_overdue(policy))
		return true;
	d->reason = PAR_WHY_SPARE;
	d->seconds = spared - min(age, spared);
	if (is->rationed && is->starts < 2 &&
	    par_window_mean(&policy->series, PAR_WINDOW_SHORT, is->gear) <= PAR_SATURATED)
		d->seconds = max(d->seconds, is->share);
	return d->seconds;
}

/*
 * Will the log be full before the disks have started, or not much later? A full log shifts the
 * array up by itself, and writes of logged blocks then wait until it has been drained.
 */
static bool log_fills(const struct par_policy *policy, const struct par_situation *is)
{
	return is->fills && is->fills <= LOG_AHEAD * policy->starts_in;
}

/* Is there a reason to shift above the target gear? */
static bool decide_up(const struct par_policy *policy,
		      const struct par_situation *is, struct par_decision *d)
{
	unsigned int aim = is->target, low = lowest_gear(policy), high = highest_gear(policy);
	enum par_reason reason;

	if (too_busy(policy, aim) && is_lasting(policy, aim, is->now))
		reason = PAR_WHY_LOAD;
	else if (is->gear == aim && is_waiting(policy, is->now))
		reason = PAR_WHY_WAIT;
	else if (is->gear == aim && log_fills(policy, is))
		reason = PAR_WHY_LOG;
	else if (aim < low)
		reason = PAR_WHY_MIN;
	else
		return false;
	if (aim >= high) {
		if (aim == policy->geo->gears)
			return false;
		*d = decided_gear(aim, aim + 1, PAR_WHY_MAX);
		return aim == high;
	}
	*d = decided_gear(aim, aim, reason);
	if (reason != PAR_WHY_MIN && reason != PAR_WHY_LOG && is->gear == aim &&
	    holds_back(policy, is, d))
		return true;
	*d = decided_gear(reason == PAR_WHY_LOG ? high : low, low, reason);
	if (reason == PAR_WHY_LOAD || reason == PAR_WHY_WAIT)
		d->gear = max(low, sufficient_gear(policy, is, aim));
	d->about = d->gear;
	d->seconds = shut_for(policy, d->gear, is->now);
	if (d->seconds && is->gear == aim) {
		d->reason = PAR_WHY_FAILED;
		d->gear = aim;
	}
	return true;
}

/* ---- down ---- */

u64 par_policy_hold(const struct par_policy *policy)
{
	return min_t(u64, PAR_HOLD_MAX, (u64)policy->knobs.hold << policy->regrets);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_hold);

/* Copying that is due is additional work for the other disks. */
u64 par_policy_pays_after(const struct par_policy *policy, const struct par_situation *is,
			  unsigned int gear)
{
	unsigned int sleepers = policy->geo->set[is->gear].members -
				policy->geo->set[gear].members;

	return policy->knobs.break_even + DIV_ROUND_UP(is->owed[gear], sleepers);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_pays_after);

static u64 lasts_since(u64 since, u64 now)
{
	return since ? now - since : 0;
}

/* Did the load that caused the shift up end before the shift had paid for itself? */
static bool was_in_vain(const struct par_policy *policy)
{
	return policy->surge.ended < policy->shifted + policy->starts_in;
}

/* The time for which the lower gear must still be sufficient before a shift: s. */
static u64 must_hold(const struct par_policy *policy, const struct par_situation *is,
		     unsigned int gear)
{
	u64 hold = par_policy_hold(policy), since_shift = is->now - min(is->now, policy->shifted);
	u64 quiet = min(lasts_since(policy->quiet_since[gear], is->now), since_shift);
	u64 borne = min(lasts_since(policy->borne_since[gear], is->now), since_shift);

	if (!policy->quiet_since[gear] || borne >= PAR_BORNE * hold)
		return PAR_BORNE * hold - min(borne, PAR_BORNE * hold);
	return hold - min(quiet, hold);
}

/* Do the disks forbid the lower gear @gear? */
static bool disks_refuse(const struct par_policy *policy, const struct par_situation *is,
			 unsigned int gear, struct par_decision *d)
{
	u64 shut = shut_for(policy, gear, is->now);

	if (shut) {
		d->reason = PAR_WHY_FAILED;
		d->seconds = shut;
	} else if (is->refused[gear]) {
		d->reason = PAR_WHY_BUDGET;
		d->seconds = is->refused[gear];
	} else if (is->outrun) {
		d->reason = PAR_WHY_OUTRUN;
		d->seconds = is->outrun;
	} else {
		return false;
	}
	return true;
}

/* Is the pause predicted to be too short to pay for itself? */
static bool costs_more(const struct par_policy *policy, const struct par_situation *is,
		       unsigned int gear, struct par_decision *d)
{
	u64 quiet = lasts_since(policy->borne_since[gear], is->now);
	u64 pays = par_policy_pays_after(policy, is, gear), likely = max(policy->sleep, quiet);

	if (!policy->sleeps || likely > pays)
		return false;
	d->reason = likely > policy->knobs.break_even ? PAR_WHY_OWED : PAR_WHY_COST;
	d->seconds = pays - quiet + 1;
	return true;
}

/*
 * Would misses end the sleeps in gear @gear too soon for the energy, or too often for the spin-ups?
 * After each of them the array stays up, too, as long as more may follow.
 */
static bool is_missed(const struct par_policy *policy, const struct par_situation *is,
		      unsigned int gear, struct par_decision *d)
{
	u64 wait = par_misses_wait(&policy->misses[gear], policy->knobs.break_even,
				   par_policy_pays_after(policy, is, gear), is->gap[gear],
				   is->now);

	if (!wait)
		return false;
	d->reason = PAR_WHY_MISSES;
	d->seconds = wait;
	return true;
}

/*
 * Back to gear @gear, or one above it, after a surge: the load before the end of the surge
 * does not count, which the long window would remember for minutes.
 */
static struct par_decision weigh_back(const struct par_policy *policy,
				      const struct par_situation *is, unsigned int gear)
{
	struct par_decision d = decided_gear(is->gear, gear, PAR_WHY_HOLD);
	u64 calm = lasts_since(policy->calm_since[gear], is->now), hold = policy->knobs.hold;
	bool in_vain = was_in_vain(policy);

	/*
	 * Copies may be made during the hold time: until then a shift down can be given up
	 * without cost.
	 */
	hold = in_vain ? 0 : hold - min_t(u64, hold, is->owed[gear]);
	d.seconds = hold - min(calm, hold);
	if (d.seconds)
		return d;
	d.reason = is->owed[gear] ? PAR_WHY_OWED : PAR_WHY_COST;
	d.seconds = par_pause_wait(&policy->surge, par_policy_pays_after(policy, is, gear),
				   is->now);
	if ((!in_vain && d.seconds) || disks_refuse(policy, is, gear, &d) ||
	    is_missed(policy, is, gear, &d))
		return d;
	return decided_gear(gear, gear, PAR_WHY_GONE);
}

/* Evaluate the lower gear @gear: returns the first argument against it. */
static struct par_decision weigh_gear(const struct par_policy *policy,
				      const struct par_situation *is, unsigned int gear)
{
	struct par_decision d = decided_gear(is->gear, gear, PAR_WHY_NEEDED);

	if (policy->risen && gear >= policy->risen && !policy->surge.since &&
	    policy->calm_since[gear])
		return weigh_back(policy, is, gear);
	if (!policy->borne_since[gear]) {
		if (!seen_enough(policy))
			d.reason = PAR_WHY_UNSEEN;
		return d;
	}
	d.seconds = must_hold(policy, is, gear);
	if (d.seconds) {
		if (policy->quiet_since[gear])
			d.reason = PAR_WHY_HOLD;
		return d;
	}
	if (disks_refuse(policy, is, gear, &d) || costs_more(policy, is, gear, &d) ||
	    is_missed(policy, is, gear, &d))
		return d;
	return decided_gear(gear, gear, PAR_WHY_QUIET);
}

/* The lowest gear without an argument against it, or else the argument against the last one. */
static struct par_decision decide_down(const struct par_policy *policy,
				       const struct par_situation *is)
{
	struct par_decision best = decided_gear(is->gear, is->gear, PAR_WHY_LOWEST), d;
	unsigned int i, low = lowest_gear(policy);

	if (is->gear > low && is->syncing)
		return decided_gear(is->gear, is->gear - 1, PAR_WHY_SYNC);
	if (is->gear > low && is->draining)
		return decided_gear(is->gear, is->gear - 1, PAR_WHY_LOG);
	for (i = low; i < is->gear; i++) {
		d = weigh_gear(policy, is, i);
		if (d.gear < is->gear)
			return d;
		if (best.reason == PAR_WHY_LOWEST || d.reason != PAR_WHY_NEEDED)
			best = d;
	}
	return best;
}

/*
 * Above max_gear: only the disks can forbid a shift down, and misses, which would raise the gear
 * again and again until no spin-up is left.
 */
static struct par_decision decide_max(const struct par_policy *policy,
				      const struct par_situation *is)
{
	unsigned int high = highest_gear(policy);
	struct par_decision d = decided_gear(high, high, PAR_WHY_MAX);

	if (is->syncing)
		d = decided_gear(is->gear, high, PAR_WHY_SYNC);
	else if (disks_refuse(policy, is, high, &d) || is_missed(policy, is, high, &d))
		d.gear = is->gear;
	return d;
}

/* All remaining members are needed: shift to the top gear, unless that has just failed. */
static struct par_decision decide_degraded(const struct par_policy *policy,
					   const struct par_situation *is)
{
	unsigned int top = policy->geo->gears;
	struct par_decision d = decided_gear(top, top, PAR_WHY_DEGRADED);

	if (is->gear == top || is->target != is->gear)
		return d;
	d.seconds = shut_for(policy, top, is->now);
	if (d.seconds) {
		d.reason = PAR_WHY_FAILED;
		d.gear = is->gear;
	}
	return d;
}

/* Has the load that caused a shift up ended before the disks turn? */
static bool has_passed(const struct par_policy *policy, const struct par_situation *is)
{
	return (is->why == PAR_WHY_LOAD || is->why == PAR_WHY_WAIT) && !policy->surge.since;
}

/*
 * The load that caused the last shift up has returned before the disks stop, the lower gear
 * is not calm under it, and copying the rest takes longer than a start must pay for:
 * requests would wait beside copies, of which their writes make more and more. A shift that
 * is nearly complete is completed.
 */
static bool has_returned(const struct par_policy *policy, const struct par_situation *is)
{
	return is->why == PAR_WHY_GONE && policy->surge.since &&
	       !policy->calm_since[is->target] && is->owed[is->target] > worth_of(policy);
}

/*
 * A run has been missed since the policy asked for the shift down: the run is not among those that
 * are filled, and what follows it would wake the disks as soon as they have stopped.
 */
static bool was_missed(const struct par_policy *policy, const struct par_situation *is)
{
	const struct par_misses *misses = &policy->misses[is->target];

	return (is->why == PAR_WHY_QUIET || is->why == PAR_WHY_GONE || is->why == PAR_WHY_MAX) &&
	       misses->last && !misses->usual &&
	       is->now < misses->last + policy->knobs.break_even;
}

struct par_decision par_policy_decide(const struct par_policy *policy,
				      const struct par_situation *is)
{
	struct par_decision d;

	if (is->degraded)
		return decide_degraded(policy, is);
	if (!policy->knobs.automatic)
		return decided_gear(is->target, is->target, PAR_WHY_MANUAL);
	if (decide_up(policy, is, &d))
		return d;
	if (is->target > is->gear && has_passed(policy, is))
		return decided_gear(is->gear, is->gear, PAR_WHY_GONE);
	if (is->target < is->gear && has_returned(policy, is))
		return decided_gear(is->gear, is->target, PAR_WHY_NEEDED);
	if (is->target < is->gear && was_missed(policy, is))
		return decided_gear(is->gear, is->target, PAR_WHY_MISSES);
	if (is->target != is->gear)
		return decided_gear(is->target, is->target, PAR_WHY_SHIFTING);
	if (is->gear > highest_gear(policy))
		return decide_max(policy, is);
	if (is->blind && is->gear > lowest_gear(policy))
		return decided_gear(is->gear, is->gear - 1, PAR_WHY_BLIND);
	return decide_down(policy, is);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_decide);

/* ---- learning from shifts ---- */

void par_policy_failed(struct par_policy *policy, unsigned int gear, u64 now)
{
	policy->failed[gear] = now;
	policy->failed_for[gear] = clamp(2 * policy->failed_for[gear], PAR_FAILED_FIRST,
					 PAR_FAILED_LAST);
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_failed);

void par_policy_blind(struct par_policy *policy)
{
	par_series_forget(&policy->series);
	memset(policy->quiet_since, 0, sizeof(policy->quiet_since));
	memset(policy->borne_since, 0, sizeof(policy->borne_since));
	memset(policy->calm_since, 0, sizeof(policy->calm_since));
	par_surge_drop(&policy->surge);
	policy->was_slow = false;
	policy->risen = 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_blind);

/* The time for which a shift down must last not to be regretted. */
static u64 is_worthwhile(const struct par_policy *policy)
{
	return max(policy->knobs.hold, policy->knobs.break_even);
}

/* The time after a shift down has ended. */
static void has_slept(struct par_policy *policy, enum par_reason why, u64 now)
{
	u64 stay = now - min(now, policy->slept_since);

	policy->sleep = policy->sleeps ? (3 * policy->sleep + stay) / 4 : stay;
	policy->sleeps = min(policy->sleeps, U32_MAX - 1) + 1;
	if (why != PAR_WHY_LOAD && why != PAR_WHY_WAIT)
		return;
	if (stay < is_worthwhile(policy))
		policy->regrets = min(policy->regrets + 1, PAR_REGRETS_MAX);
	else if (stay >= 4 * is_worthwhile(policy))
		policy->regrets /= 2;
}

/* If others have raised the gear, the further course of the surge is unknown. */
static void note_surge(struct par_policy *policy, unsigned int old, unsigned int gear,
		       enum par_reason why, u64 took)
{
	if (gear > old && (why == PAR_WHY_LOAD || why == PAR_WHY_WAIT)) {
		policy->risen = policy->risen ?: old;
		policy->starts_in = clamp_t(u64, took, 1, PAR_STARTS_MAX);
		return;
	}
	policy->risen = 0;
	par_surge_drop(&policy->surge);
}

void par_policy_shifted(struct par_policy *policy, unsigned int old,
			unsigned int gear, enum par_reason why, u64 asked, u64 now)
{
	policy->shifted = now;
	policy->failed_for[gear] = 0;
	if (why == PAR_WHY_WAIT && gear > old &&
	    SLOW_LEAST * policy->slow_at > percent_of(policy->knobs.down))
		policy->slow[old] = policy->slow_at;
	note_surge(policy, old, gear, why, now - min(asked, now));
	if (gear < old)
		policy->leaves_in = min_t(u64, PAR_LEAVES_MAX, now - min(asked, now));
	if (gear > old && policy->slept_since)
		has_slept(policy, why, asked);
	/* surge.c has counted surges and the pauses between them. */
	policy->slept_since = gear < old && why != PAR_WHY_GONE ? max(now, 1ULL) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_shifted);
