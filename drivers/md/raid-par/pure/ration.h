/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ration of spin-ups: how often a member may be started, so that its rated cycles last
 * for the desired years. A day's share is cycles ÷ years ÷ 365; an unused share is carried
 * over, up to a limit.
 *
 * Nothing is rounded: one start costs years × 365 parts, a day adds as many parts as there
 * are rated cycles.
 *
 * Pure: any context, no locks but the caller's, no side effects. Times are seconds of the
 * wall clock, since shares are also added while an array is stopped.
 */
#ifndef RAID_PAR_RATION_H
#define RAID_PAR_RATION_H

#include <linux/types.h>

#define PAR_RATION_DAY		86400U		/* seconds */
#define PAR_CYCLES_DEFAULT	50000U		/* the makers' rating of 3.5" disks */
#define PAR_CYCLES_MAX		10000000U
#define PAR_YEARS_DEFAULT	5U
#define PAR_YEARS_MAX		100U
#define PAR_CARRY_DEFAULT	7U		/* days' shares beside today's */
#define PAR_CARRY_MAX		3650U
#define PAR_GAP_LEAST		4U

/**
 * struct par_ration - the ration of one member
 * @cycles: starts that it is rated for
 * @years: the time for which these have to suffice
 * @left: parts of starts that are left
 * @since: the time up to which the shares of the days have been added
 */
struct par_ration {
	u32 cycles, years;
	u64 left, since;
};

/* par_ration_begin - a new member, rated as most disks are, with one day's share */
void par_ration_begin(struct par_ration *ration, u64 now);

/*
 * par_ration_mend - check a ration that was read from a disk, and limit it to @carry days'
 * shares, since settings may have changed; if it is out of range, begin anew and return
 * true.
 */
bool par_ration_mend(struct par_ration *ration, u32 carry, u64 now);

/*
 * par_ration_tick - add the shares of the days that have passed, up to @carry days' shares
 * beside today's, plus less than a start. If the clock has been set back, nothing changes.
 */
void par_ration_tick(struct par_ration *ration, u32 carry, u64 now);

/* par_ration_left - whole starts that are left */
u64 par_ration_left(const struct par_ration *ration);

/* par_ration_spend - one start, even if none is left */
void par_ration_spend(struct par_ration *ration);

/*
 * par_ration_wait - seconds from @now until a start is left, 0 if there is one
 * now. Call par_ration_tick() first.
 */
u64 par_ration_wait(const struct par_ration *ration, u64 now);

/* par_ration_day - starts per day, rounded down */
u32 par_ration_day(const struct par_ration *ration);

/*
 * par_ration_share - seconds from @now until the daily shares add the next start,
 * independently of what is left. Call par_ration_tick() first.
 */
u64 par_ration_share(const struct par_ration *ration, u64 now);

/*
 * par_ration_gap - seconds for which a member should sleep after a start to be worth it: with
 * nothing left the time between two starts of the daily shares; less with more left; with a day's
 * share 1/PAR_GAP_LEAST of that time, as a start that buys less would use up any ration within
 * days. Call par_ration_tick() first.
 */
u64 par_ration_gap(const struct par_ration *ration);

/*
 * par_ration_set - set a new rating; the number of starts that are left stays the same,
 * rounded down to the new parts, and within the new limit. Returns false, and changes
 * nothing, if a number is out of range.
 */
bool par_ration_set(struct par_ration *ration, u32 cycles, u32 years, u32 carry);

#endif
