/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which gear an array should be in: up as soon as the load asks for it, down with care
 * (PARAID, "Asymmetric Gear-Shifting Policies"; Sierra, section 3.4).
 *
 * Up: the gear is pressed, that is, μ + σ of its utilization over the short window is above
 * the up threshold, or requests take longer than they may; it still is in the newest
 * interval; and that is likely to go on when the disks turn, and for as long again
 * (surge.h). With few spin-ups left it must have gone on for longer; the last one is kept for
 * a gear that does not bear the load at all. To the smallest gear that is predicted to stay
 * below the threshold; the top gear if the members are so busy that nobody can tell.
 *
 * Down: μ + σ predicted for a lower gear is below the down threshold in both windows,
 * and has been for the hold time, or below the up threshold for PAR_BORNE times as long;
 * its sleepers have spin-ups left; and what is likely to be saved is more than what it
 * costs. It is likely to last as long as such times have lasted before, or as long as it
 * has been quiet already. Back at once, if what it went up for had gone before it had
 * paid.
 *
 * Pure, apart from the state it is given: no locks but the caller's, any context. Times
 * are seconds of a clock that only goes on.
 */
#ifndef RAID_PAR_POLICY_H
#define RAID_PAR_POLICY_H

#include <linux/types.h>

#include "policy/surge.h"
#include "policy/window.h"
#include "pure/geometry.h"
#include "pure/knobs.h"

#define PAR_STARTS_IN	20U	/* s until disks turn, before it is known */
#define PAR_FAILED_FIRST	10U	/* s until a shift that failed is tried again, … */
#define PAR_FAILED_LAST	3600U	/* … twice as long each time, up to this */
#define PAR_BORNE	15U	/* times the hold time */
#define PAR_SATURATED		9000U	/* of PAR_LOAD_ONE: more is not told apart */

/* Why it is to be in that gear. */
enum par_reason {
	PAR_WHY_MANUAL,		/* nobody asked the policy */
	PAR_WHY_DEGRADED,	/* up, or not down: a member is missing */
	PAR_WHY_LOAD,		/* up: the short window */
	PAR_WHY_WAIT,		/* up: requests take too long */
	PAR_WHY_LOG,		/* up: the log is filling up; or not down: it is being drained */
	PAR_WHY_MIN,		/* up to min_gear */
	PAR_WHY_MAX,		/* down to max_gear, or not up beyond it */
	PAR_WHY_QUIET,		/* down: a lower gear is enough */
	PAR_WHY_GONE,		/* down: what it went up for did not last */
	PAR_WHY_BRIEF,		/* not up yet: loads like it have mostly ended soon */
	PAR_WHY_SPARE,		/* not up yet: few spin-ups are left */
	PAR_WHY_NEEDED,		/* not down: this gear is needed */
	PAR_WHY_UNSEEN,		/* not down: not enough has been seen */
	PAR_WHY_HOLD,		/* not down yet */
	PAR_WHY_SYNC,		/* not down: a sync is at work */
	PAR_WHY_BUDGET,		/* not down: no spin-ups left */
	PAR_WHY_FAILED,		/* not there: the last shift to it has failed */
	PAR_WHY_BLIND,		/* not down: nobody counts requests */
	PAR_WHY_OUTRUN,		/* not down: data is written faster than it is copied */
	PAR_WHY_OWED,		/* not down: too much is to be copied before */
	PAR_WHY_COST,		/* not down: it would not be worth it */
	PAR_WHY_LOWEST,		/* there is no lower gear, or min_gear allows none */
	PAR_WHY_SHIFTING,	/* a shift is under way */
	PAR_WHYS,
};

/**
 * struct par_decision - what is to be done
 * @gear: number of the gear to be in
 * @reason: why; @about: the gear that it is about: that one, or the lower one that is
 *	not gone to
 * @seconds: until that may change, if it is a matter of time
 */
struct par_decision {
	unsigned int gear, about;
	enum par_reason reason;
	u64 seconds;
};

/**
 * struct par_situation - what is so at the moment
 * @now: s
 * @gear: the current one; @target: where a shift goes to, else the same; @why: the
 *	policy wanted it, or PAR_WHY_MANUAL
 * @blind: statistics are off; @degraded: a member is missing; @syncing: members that a sync needs
 *	could go to sleep
 * @refused: s until the members that sleep in this gear have spin-ups, by gear;
 *	0: they have
 * @rationed: spin-ups are; @starts: so many are left of whoever has the fewest of those that
 *	would be started, @share: s until there are more, @day: and so many a day in the mean
 * @outrun: s for which no shift down is tried again after one that the array's writers
 *	have outrun
 * @owed: s that members would be busy with copying before this gear, by gear
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
	u64 fills;
	bool draining;
};

/**
 * struct par_policy - what the policy remembers
 * @quiet_since: when a lower gear began to be enough, or 0: it is not, by gear
 * @calm_since: the same, in the short window alone; @borne_since: of bearing it
 * @surge: this one and those before; @level: utilization of the top gear that it comes to
 * @risen: the gear that it went up from for it, or 0; @starts_in: s until disks turn;
 *	@leaves_in: s that the last shift down took
 * @failed: when a shift to that gear has failed last, by gear; @failed_for: s for which none is
 *	tried again since, or 0
 * @slow: utilization of a gear at which requests took too long there, or PAR_LOAD_MAX
 * @slow_at: utilization when requests began to take too long, last; @was_slow: they do
 * @shifted: when the gear has changed last
 * @slept_since: when that was, if it was a shift down, else 0
 * @sleep: s until the next shift up was asked for, on average, of late; @sleeps: how
 *	many there were
 * @regrets: how often the hold time is doubled
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
	u64 shifted, slept_since, sleep;
	u32 sleeps, regrets;
};

/* par_policy_init - nothing has been seen; @interval: see par_series_init() */
void par_policy_init(struct par_policy *policy, const struct par_geometry *geo,
		     struct par_interval *interval, u64 now);

/* par_policy_set - have other, valid, knobs from now on; what has been seen counts */
void par_policy_set(struct par_policy *policy, const struct par_knobs *knobs);

/* par_policy_see - an interval is over, in gear @gear */
void par_policy_see(struct par_policy *policy, const struct par_interval *interval,
		    unsigned int gear, u64 now);

/*
 * par_policy_decide - the gear to be in. Only looks. It is asked once an interval,
 * after par_policy_see().
 */
struct par_decision par_policy_decide(const struct par_policy *policy,
				      const struct par_situation *is);

/*
 * par_policy_shifted - the gear has changed from @old to @gear; @why: of the policy's, or
 * manual; @asked: when that was asked for: sleepers have slept until then
 */
void par_policy_shifted(struct par_policy *policy, unsigned int old,
			unsigned int gear, enum par_reason why, u64 asked, u64 now);

/* par_policy_failed - a shift to @gear has failed */
void par_policy_failed(struct par_policy *policy, unsigned int gear, u64 now);

/* par_policy_blind - nothing is known of the load: what was seen of it is forgotten */
void par_policy_blind(struct par_policy *policy);

/* par_policy_hold - the hold time as it is after regrets, s */
u64 par_policy_hold(const struct par_policy *policy);

/* par_reason_name - one word, as in traces and uevents */
const char *par_reason_name(enum par_reason reason);

/*
 * par_policy_explain - one line, without its end, that says why the array is in its
 * gear and what would change that. Returns its length, at most @size - 1.
 */
int par_policy_explain(const struct par_policy *policy,
		       const struct par_situation *is, char *line, size_t size);

#endif
