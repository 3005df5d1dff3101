/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ration of spin-ups: how often a member may be started, so that its rated
 * cycles last for the years that are wanted. A day's share is cycles ÷ years ÷
 * 365; what is left of it is carried over, up to a limit.
 *
 * Nothing is rounded: one start costs years × 365 parts, a day brings as many
 * parts as there are rated cycles.
 *
 * Pure: any context, no locks but the caller's, no side effects. Times are
 * seconds of the wall clock, since an array that is stopped saves up, too.
 */
#ifndef RAID_PAR_RATION_H
#define RAID_PAR_RATION_H

#include <linux/types.h>

#define PAR_RATION_DAY		86400U		/* seconds */
#define PAR_CYCLES_DEFAULT	50000U		/* what makers of 3.5" disks rate */
#define PAR_CYCLES_MAX		10000000U
#define PAR_YEARS_DEFAULT	5U
#define PAR_YEARS_MAX		100U
#define PAR_CARRY_DEFAULT	7U		/* days' shares beside today's */
#define PAR_CARRY_MAX		3650U

/**
 * struct par_ration - the ration of one member
 * @cycles: starts that it is rated for
 * @years: how long they are to last
 * @left: parts of starts that are left
 * @since: the days up to here have brought their share
 */
struct par_ration {
	u32 cycles, years;
	u64 left, since;
};

/* par_ration_begin - a new member: rated as most disks are, with one day's share */
void par_ration_begin(struct par_ration *ration, u64 now);

/*
 * par_ration_mend - one that was read from a disk is cut to what @carry days' shares
 * allow, as settings may have changed; begun anew, and true, if it is out of range.
 */
bool par_ration_mend(struct par_ration *ration, u32 carry, u64 now);

/*
 * par_ration_tick - add the shares of the days that have passed, with at most
 * @carry days' shares beside today's and what is less than a start. A clock that
 * has been set back brings nothing and takes nothing.
 */
void par_ration_tick(struct par_ration *ration, u32 carry, u64 now);

/* par_ration_left - whole starts that are left */
u64 par_ration_left(const struct par_ration *ration);

/* par_ration_spend - one start; there need not be one left */
void par_ration_spend(struct par_ration *ration);

/*
 * par_ration_wait - seconds from @now until a start is left, 0 if there is one
 * now. Call par_ration_tick() first.
 */
u64 par_ration_wait(const struct par_ration *ration, u64 now);

/* par_ration_day - starts that a day brings, rounded down */
u32 par_ration_day(const struct par_ration *ration);

/*
 * par_ration_share - seconds from @now until days bring the next start, whatever is left.
 * Call par_ration_tick() first.
 */
u64 par_ration_share(const struct par_ration *ration, u64 now);

/*
 * par_ration_set - rate it anew; what is left stays the same number of starts,
 * rounded down to what can be said in the new parts, and within the new limit.
 * Returns false, and changes nothing, if a number is out of range.
 */
bool par_ration_set(struct par_ration *ration, u32 cycles, u32 years, u32 carry);

#endif
