/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moving averages and standard deviations of the utilization that each gear has or
 * would have, over the last intervals: a short window and a long one (PARAID,
 * "Asymmetric Gear-Shifting Policies").
 *
 * Exact: sums of whole numbers, no rounding but where a mean is shown.
 *
 * Pure: no locks but the caller's, no side effects, any context.
 */
#ifndef RAID_PAR_WINDOW_H
#define RAID_PAR_WINDOW_H

#include <linux/types.h>

#include "pure/geometry.h"
#include "pure/knobs.h"

#define PAR_LOAD_ONE	10000U	/* a utilization of 1: all members busy all the time */
#define PAR_LOAD_MAX	65535U	/* more than that is not told apart */

/* par_window - @length: intervals; @count: so many of them are there */
struct par_window {
	unsigned int length, count;
	u64 sum[PAR_MAX_SETS + 1], squares[PAR_MAX_SETS + 1];
	u64 requests, waited;
};

/**
 * struct par_interval - what is kept of one interval
 * @load: utilization by gear, in parts of PAR_LOAD_ONE; load[0] is not used
 * @requests: to the array, that ended in it, flushes among them
 * @waited: and what they took in all, µs
 * @writes: writes among them; @sectors: how large all of them were
 */
struct par_interval {
	u16 load[PAR_MAX_SETS + 1];
	u32 requests, writes, sectors;
	u64 waited;
};

/**
 * struct par_series - the last intervals and the windows over them
 * @gears: gears 1 … gears are looked at
 * @interval: a ring of PAR_WINDOW_MAX; the next one goes to @next
 * @filled: so many of them are there
 */
struct par_series {
	unsigned int gears, next, filled;
	struct par_window window[PAR_WINDOWS];
	struct par_interval *interval;
};

/*
 * par_series_init - empty; @interval: room for PAR_WINDOW_MAX of them. Both windows
 * are of one interval until par_window_set().
 */
void par_series_init(struct par_series *series, unsigned int gears,
		     struct par_interval *interval);

/* par_window_set - @length is 1 … PAR_WINDOW_MAX; what has been seen counts */
void par_window_set(struct par_series *series, enum par_window_name which,
		    unsigned int length);

/* par_series_add - an interval is over */
void par_series_add(struct par_series *series, const struct par_interval *interval);

/* par_series_mean - of gear @gear in the last @count intervals, or as many as there are */
u32 par_series_mean(const struct par_series *series, unsigned int gear, unsigned int count);

/*
 * par_series_slow - in how many of the last @count intervals, or as many as there are, did
 * requests take longer than @us on average?
 */
unsigned int par_series_slow(const struct par_series *series, unsigned int count, u64 us);

/* par_series_forget - nothing has been seen */
void par_series_forget(struct par_series *series);

/* par_window_full - is there as much as the window is long? */
bool par_window_full(const struct par_series *series, enum par_window_name which);

/*
 * par_window_above - is μ + σ of gear @gear above @limit (of PAR_LOAD_ONE)? Exact;
 * with nothing seen it is not.
 */
bool par_window_above(const struct par_series *series, enum par_window_name which,
		      unsigned int gear, u32 limit);

/* par_window_mean, par_window_deviation - rounded down; 0 with nothing seen */
u32 par_window_mean(const struct par_series *series, enum par_window_name which,
		    unsigned int gear);
u32 par_window_deviation(const struct par_series *series,
			 enum par_window_name which, unsigned int gear);

/* par_window_wait - what a request took on average, µs; 0 if there was none */
u64 par_window_wait(const struct par_series *series, enum par_window_name which);

#endif
