/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What load there was at which hour of the day, over the past days, so that user space
 * can foresee the next one (Sierra, section 3.4: the peak of an hour is the largest
 * load of an interval; an hour's prediction is the average over the past days).
 *
 * Loads are utilizations of the top gear, in parts of PAR_LOAD_ONE; hours are whole
 * ones since 1970, UTC.
 *
 * Pure: no locks but the caller's, any context.
 */
#ifndef RAID_PAR_HISTORY_H
#define RAID_PAR_HISTORY_H

#include <linux/types.h>

#include "pure/policy-record.h"

/**
 * struct par_history - the past days, an hour each
 * @hour: the newest hour of these, or 0 if there is none
 * @mean, @peak: by hour modulo PAR_HISTORY_HOURS; PAR_LOAD_UNKNOWN: not seen
 * @now: the hour that is not over; @sum, @ns and @most: what it had so far
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

/* struct par_hour - an hour of the day: how many days know of it, and averages */
struct par_hour {
	unsigned int days;
	u32 mean, peak;
};

/* par_history_init - nothing is known */
void par_history_init(struct par_history *history);

/* What has become of the hour; of several that have ended, one that was used says so. */
enum par_hour_end {
	PAR_HOUR_GOES_ON,
	PAR_HOUR_IDLE,		/* over, and there was no load */
	PAR_HOUR_USED,		/* over, and there was */
};

/*
 * par_history_see - @load for @ns ns until @now (seconds since 1970). Each hour gets its
 * part of that; if the clock has been set back, the hour that it is now gets all of it.
 */
enum par_hour_end par_history_see(struct par_history *history, u32 load, u64 ns, u64 now);

/* par_history_of - hour 0 … 23 of the day, over the past days */
struct par_hour par_history_of(const struct par_history *history, unsigned int hour);

/* par_history_past - the hour @ago hours before the newest one; @ago < PAR_HISTORY_HOURS */
struct par_past_hour par_history_past(const struct par_history *history, unsigned int ago);

#endif
