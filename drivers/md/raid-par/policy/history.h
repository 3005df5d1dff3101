/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The load by hour of the day, over the past days, from which user space can predict the
 * next day's (Sierra, section 3.4: the peak of an hour is the largest load of an interval;
 * an hour's prediction is the average over the past days).
 *
 * Loads are utilizations of the top gear, in parts of PAR_LOAD_ONE; hours are whole ones
 * since 1970, UTC.
 *
 * Pure: no locks but the caller's, any context.
 */
#ifndef RAID_PAR_HISTORY_H
#define RAID_PAR_HISTORY_H

#include <linux/types.h>

#include "pure/policy-record.h"

/**
 * struct par_history - the past days by hour
 * @hour: the newest complete hour, or 0 if there is none
 * @mean, @peak: by hour modulo PAR_HISTORY_HOURS; PAR_LOAD_UNKNOWN: not seen
 * @now: the current hour; @sum, @ns and @most: its load so far
 */
struct par_history {
	u64 hour;
	u16 mean[PAR_HISTORY_HOURS], peak[PAR_HISTORY_HOURS];
	u64 now, sum, ns;
	u16 most;
};

/* struct par_past_hour - an hour since 1970; @mean PAR_LOAD_UNKNOWN: its load was not seen */
struct par_past_hour {
	u64 hour;
	u32 mean, peak;
};

/* struct par_hour - an hour of the day: the number of days that have a value, and averages */
struct par_hour {
	unsigned int days;
	u32 mean, peak;
};

/* par_history_init - an empty history */
void par_history_init(struct par_history *history);

/* The state of the hour; if several have ended, PAR_HOUR_USED if one of them had load. */
enum par_hour_end {
	PAR_HOUR_GOES_ON,
	PAR_HOUR_IDLE,		/* ended, without load */
	PAR_HOUR_USED,		/* ended, with load */
};

/*
 * par_history_see - add @load for @ns ns until @now (seconds since 1970), divided between
 * the hours; if the clock has been set back, all of it counts for the present hour.
 */
enum par_hour_end par_history_see(struct par_history *history, u32 load, u64 ns, u64 now);

/* par_history_of - hour 0 … 23 of the day, over the past days */
struct par_hour par_history_of(const struct par_history *history, unsigned int hour);

/* par_history_past - the hour @ago hours before the newest one; @ago < PAR_HISTORY_HOURS */
struct par_past_hour par_history_past(const struct par_history *history, unsigned int ago);

#endif
