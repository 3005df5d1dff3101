/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The load by hour of the day, over the past days, from which user space can predict the
 * next day's (Sierra, section 3.4: the peak of an hour is the largest load of an interval;
 * an hour's prediction is the average over the past days).
 *
 * Loads are utilizations of the top gear, in parts of PAR_LOAD_ONE; hours are whole ones
 * since 1970, UTC.
 *
 * Beside the load, an hour has the number of its periods with a miss (misses.h), as one of
 * PAR_MISS_CLASSES classes, since the superblock has four bits for it: 0 to 8, then 10, 12, 14, 16,
 * 20, 24 and 30. With a break-even time of two minutes there are at most 30 in an hour.
 *
 * Pure: no locks but the caller's, any context.
 */
#ifndef RAID_PAR_HISTORY_H
#define RAID_PAR_HISTORY_H

#include <linux/types.h>

#include "policy/misses.h"
#include "pure/policy-record.h"

/**
 * struct par_history - the past days by hour
 * @hour: the newest complete hour, or 0 if there is none
 * @mean, @peak: by hour modulo PAR_HISTORY_HOURS; PAR_LOAD_UNKNOWN: not seen
 * @misses: the same, as classes; 0 if the hour was not seen
 * @now: the current hour; @sum, @ns and @most: its load so far; @missed: its misses so far
 */
struct par_history {
	u64 hour;
	u16 mean[PAR_HISTORY_HOURS], peak[PAR_HISTORY_HOURS];
	u8 misses[PAR_HISTORY_HOURS];
	u64 now, sum, ns;
	u32 missed;
	u16 most;
};

/* struct par_past_hour - an hour since 1970; @mean PAR_LOAD_UNKNOWN: its load was not seen */
struct par_past_hour {
	u64 hour;
	u32 mean, peak;
};

/*
 * struct par_hour - an hour of the day: the number of days that have a value, and averages;
 * @misses: in parts of PAR_MISS_ONE
 */
struct par_hour {
	unsigned int days;
	u32 mean, peak, misses;
};

/* par_miss_class - the class with the nearest number, the smaller one of two */
u8 par_miss_class(u32 misses);

/* par_miss_number - the number of misses that the class @class stands for */
u32 par_miss_number(u8 class);

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

/* par_history_missed - a period with a miss has begun, at the end of what has been seen */
void par_history_missed(struct par_history *history);

/* par_history_of - hour 0 … 23 of the day, over the past days */
struct par_hour par_history_of(const struct par_history *history, unsigned int hour);

/* par_history_past - the hour @ago hours before the newest one; @ago < PAR_HISTORY_HOURS */
struct par_past_hour par_history_past(const struct par_history *history, unsigned int ago);

#endif
