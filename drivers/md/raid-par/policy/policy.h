/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gear that an array should be in: up as soon as the load asks for it, down with care
 * (PARAID, "Asymmetric Gear-Shifting Policies"; Sierra, section 3.4).
 *
 * Up: all of these hold. The gear is pressed, that is, μ + σ of its utilization over the
 * short window is above the up threshold, or requests take longer than allowed; it is still
 * pressed in the newest interval; and that is likely to continue until the disks turn, and
 * for as long again (surge.h). With few spin-ups left it must have continued for longer;
 * the last spin-up is kept for a load that the gear cannot serve at all. The new gear is
 * the smallest one that is predicted to stay below the threshold, or the top gear if the
 * members are so busy that no prediction is possible.
 *
 * Down: all of these hold. μ + σ predicted for a lower gear is below the down threshold in
 * both windows, and has been for the hold time, or below the up threshold for PAR_BORNE
 * times as long; its sleepers have spin-ups left; and the likely saving is more than the
 * cost; and the misses of an array with slots are not expected to cost more than it saves
 * (misses.h). The pause is likely to last as long as previous pauses, or as long as it has lasted
 * already. Back at once, if the load that caused the shift up ended before the shift had
 * paid for itself.
 *
 * Pure, apart from the state that is passed to it: no locks but the caller's, any context.
 * Times are seconds of a monotonic clock.
 */
#ifndef RAID_PAR_POLICY_H
#define RAID_PAR_POLICY_H

#include <linux/types.h>

#include "policy/misses.h"
#include "policy/surge.h"
#include "policy/window.h"
#include "pure/geometry.h"
#include "pure/knobs.h"

#define PAR_STARTS_IN	20U	/* s until disks turn, before a start was measured */
#define PAR_FAILED_FIRST	10U	/* s until a shift that failed is tried again, … */
#define PAR_FAILED_LAST	3600U	/* … twice as long each time, up to this */
#define PAR_BORNE	15U	/* times the hold time */
#define PAR_SATURATED		9000U	/* of PAR_LOAD_ONE: larger loads are not distinguished */

/* The reason for a gear. */
enum par_reason {
	PAR_WHY_MANUAL,		/* the policy was not asked */
	PAR_WHY_DEGRADED,	/* up, or not down: a member is missing */
	PAR_WHY_LOAD,		/* up: the short window */
	PAR_WHY_WAIT,		/* up: requests take too long */
	PAR_WHY_LOG,		/* up: the log is filling up; or not down: it is being drained */
	PAR_WHY_MIN,		/* up to min_gear */
	PAR_WHY_MAX,		/* down to max_gear, or not up beyond it */
	PAR_WHY_QUIET,		/* down: a lower gear is enough */
	PAR_WHY_GONE,		/* down: the load that caused the shift up did not last */
	PAR_WHY_BRIEF,		/* not up yet: similar loads have mostly been short */
	PAR_WHY_SPARE,		/* not up yet: few spin-ups are left */
	PAR_WHY_NEEDED,		/* not down: this gear is needed */
	PAR_WHY_UNSEEN,		/* not down: too few intervals have been seen */
	PAR_WHY_HOLD,		/* not down yet */
	PAR_WHY_SYNC,		/* not down: a sync is at work */
	PAR_WHY_BUDGET,		/* not down: no spin-ups left */
	PAR_WHY_FAILED,		/* not there: the last shift to it has failed */
	PAR_WHY_BLIND,		/* not down: requests are not counted */
	PAR_WHY_OUTRUN,		/* not down: data is written faster than it is copied */
	PAR_WHY_OWED,		/* not down: too much would have to be copied before */
	PAR_WHY_COST,		/* not down: it would not be worth it */
	PAR_WHY_MISSES,		/* up: a miss; or not down: misses are expected */
	PAR_WHY_LOWEST,		/* there is no lower gear, or min_gear allows none */
	PAR_WHY_SHIFTING,	/* a shift is under way */
	PAR_WHYS,
};

/**
 * struct par_decision - what should be done
 * @gear: number of the gear to be in
 * @reason: the reason; @about: the gear that it refers to: @gear, or the lower gear that is
 *	not chosen
 * @seconds: until that may change, if it depends on time
 */
struct par_decision {
	unsigned int gear, about;
	enum par_reason reason;
	u64 seconds;
};

/**
 * struct par_situation - the present state
 * @now: s
 * @gear: the current one; @target: the target of a shift, else the same; @why: the policy's
 *	reason for the shift, or PAR_WHY_MANUAL
 * @blind: statistics are off; @degraded: a member is missing; @syncing: members that a sync
 *	needs could go to sleep
 * @refused: s until the members that sleep in this gear have spin-ups, by gear; 0: they
 *	have
 * @rationed: spin-ups are limited; @starts: the number left for the member with the fewest
 *	among those that would be started, @share: s until more are added, @day: the average
 *	number per day
 * @outrun: s for which no shift down is tried again after one that could not keep up with
 *	the array's writers
 * @owed: s that members would be busy copying before this gear, by gear
 * @gap: s that a sleep in this gear has to last, as few spin-ups are left, by gear
 * @fills: s until the write log is full, at least 1; 0: it does not fill
 * @draining: much of it is still to be drained, in the top gear
 */
struct par_situation {
	u64 now;
	unsigned int gear, target;
	enum par_reason why;
	bool blind, degraded, syncing;
	u64 refused[PAR_MAX_SETS + 1];
	bool rationed;
	u64 starts, share;
	u32 day;
	u64 outrun;
	u32 owed[PAR_MAX_SETS + 1];
	u64 gap[PAR_MAX_SETS + 1];
	u64 fills;
	bool draining;
};

/**
 * struct par_policy - the policy's memory
 * @quiet_since: when a lower gear began to be sufficient, or 0: it is not, by gear
 * @calm_since: the same, in the short window alone; @borne_since: the same, for the up
 *	threshold
 * @surge: the present surge and previous ones; @level: its utilization of the top gear
 * @risen: the gear from which the array has shifted up for it, or 0; @starts_in: s until
 *	disks turn; @leaves_in: s that the last shift down took
 * @failed: when a shift to that gear has failed last, by gear; @failed_for: s for which
 *	none is tried again since, or 0
 * @slow: utilization of a gear at which requests took too long there, or PAR_LOAD_MAX
 * @slow_at: utilization when requests last began to take too long; @was_slow: they do now
 * @misses: of an array with slots, by gear
 * @shifted: time of the last change of gear
 * @slept_since: the same, if it was a shift down, else 0
 * @sleep: s until the next shift up was asked for, moving average; @sleeps: the number of
 *	these
 * @regrets: the number of times that the hold time is doubled
 */
struct par_policy {
	const struct par_geometry *geo;
	struct par_knobs knobs;
	struct par_series series;
	u64 quiet_since[PAR_MAX_SETS + 1], borne_since[PAR_MAX_SETS + 1];
	u64 calm_since[PAR_MAX_SETS + 1];
	struct par_surge surge;
	u32 level, starts_in, leaves_in;
	unsigned int risen;
	u64 failed[PAR_MAX_SETS + 1];
	u32 failed_for[PAR_MAX_SETS + 1];
	u32 slow[PAR_MAX_SETS + 1], slow_at;
	bool was_slow;
	struct par_misses misses[PAR_MAX_SETS + 1];
	u64 shifted, slept_since, sleep;
	u32 sleeps, regrets;
};

/* par_policy_init - nothing has been seen yet; @interval: see par_series_init() */
void par_policy_init(struct par_policy *policy, const struct par_geometry *geo,
		     struct par_interval *interval, u64 now);

/* par_policy_set - use other, valid, knobs from now on; previous intervals count */
void par_policy_set(struct par_policy *policy, const struct par_knobs *knobs);

/* par_policy_see - an interval in gear @gear has ended */
void par_policy_see(struct par_policy *policy, const struct par_interval *interval,
		    unsigned int gear, u64 now);

/*
 * par_policy_missed - in the interval that has ended, a run of band @band was used for which
 * there is no slot, and would not be one after a shift down: a miss in all gears in which the
 * band's members sleep. Returns true if a period with a miss begins in the lowest gear, see
 * par_misses_see().
 */
bool par_policy_missed(struct par_policy *policy, unsigned int band, u64 now);

/*
 * par_policy_usual - this hour there are usually @misses periods with a miss in the lowest gear,
 * see par_misses_suppose()
 */
void par_policy_usual(struct par_policy *policy, u32 misses, u64 now);

/*
 * par_policy_pays_after - the time after which a sleep in the lower gear @gear pays for itself, s
 */
u64 par_policy_pays_after(const struct par_policy *policy, const struct par_situation *is,
			  unsigned int gear);

/*
 * par_policy_decide - the gear to be in. Changes nothing. Called once per interval, after
 * par_policy_see().
 */
struct par_decision par_policy_decide(const struct par_policy *policy,
				      const struct par_situation *is);

/*
 * par_policy_shifted - the gear has changed from @old to @gear; @why: the policy's reason,
 * or manual; @asked: when the shift was asked for: sleepers have slept until then
 */
void par_policy_shifted(struct par_policy *policy, unsigned int old,
			unsigned int gear, enum par_reason why, u64 asked, u64 now);

/* par_policy_failed - a shift to @gear has failed */
void par_policy_failed(struct par_policy *policy, unsigned int gear, u64 now);

/* par_policy_blind - the load is not known: previous intervals are forgotten */
void par_policy_blind(struct par_policy *policy);

/* par_policy_hold - the hold time, including regrets, s */
u64 par_policy_hold(const struct par_policy *policy);

/* par_reason_name - one word, for traces and uevents */
const char *par_reason_name(enum par_reason reason);

/*
 * par_policy_explain - one line, without its newline, that says why the array is in its
 * gear and what would change that. Returns its length, at most @size - 1.
 */
int par_policy_explain(const struct par_policy *policy,
		       const struct par_situation *is, char *line, size_t size);

#endif
