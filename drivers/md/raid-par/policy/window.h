/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moving averages and standard deviations of the measured or predicted utilization of each
 * gear, over the last intervals: a short window and a long one (PARAID, "Asymmetric
 * Gear-Shifting Policies").
 *
 * Exact: sums of whole numbers, rounded only where a mean is shown.
 *
 * Pure: no locks but the caller's, no side effects, any context.
 */
#ifndef RAID_PAR_WINDOW_H
#define RAID_PAR_WINDOW_H

#include <linux/types.h>

#include "pure/geometry.h"
#include "pure/knobs.h"

#define PAR_LOAD_ONE	10000U	/* a utilization of 1: all members busy all the time */
#define PAR_LOAD_MAX	65535U	/* larger values are not distinguished */

/* par_window - @length: intervals; @count: the number of intervals so far */
struct par_window {
	unsigned int length, count;
	u64 sum[PAR_MAX_SETS + 1], squares[PAR_MAX_SETS + 1];
	u64 requests, waited;
};

/**
 * struct par_interval - the data of one interval
 * @load: utilization by gear, in parts of PAR_LOAD_ONE; load[0] is not used
 * @requests: to the array, that ended in it, including flushes
 * @waited: their total duration, µs
 * @writes: writes among them; @sectors: the total size of all requests
 */
struct par_interval {
	u16 load[PAR_MAX_SETS + 1];
	u32 requests, writes, sectors;
	u64 waited;
};

/**
 * struct par_series - the last intervals and the windows over them
 * @gears: the number of gears
 * @interval: a ring of PAR_WINDOW_MAX; the next one goes to @next
 * @filled: the number of valid ones
 */
struct par_series {
	unsigned int gears, next, filled;
	struct par_window window[PAR_WINDOWS];
	struct par_interval *interval;
};

/*
 * par_series_init - empty; @interval: room for PAR_WINDOW_MAX intervals. Both windows have
 * a length of one interval until par_window_set().
 */
void par_series_init(struct par_series *series, unsigned int gears,
		     struct par_interval *interval);

/* par_window_set - @length is 1 … PAR_WINDOW_MAX; previous intervals count */
void par_window_set(struct par_series *series, enum par_window_name which,
		    unsigned int length);

/* par_series_add - an interval has ended */
void par_series_add(struct par_series *series, const struct par_interval *interval);

/* par_series_mean - of gear @gear in the last @count intervals, or in all if there are fewer */
u32 par_series_mean(const struct par_series *series, unsigned int gear, unsigned int count);

/*
 * par_series_slow - the number of intervals, among the last @count, in which requests took
 * longer than @us on average
 */
unsigned int par_series_slow(const struct par_series *series, unsigned int count, u64 us);

/* par_series_forget - forget all intervals */
void par_series_forget(struct par_series *series);

/* par_window_full - are there as many intervals as the window is long? */
bool par_window_full(const struct par_series *series, enum par_window_name which);

/*
 * par_window_above - is μ + σ of gear @gear above @limit (of PAR_LOAD_ONE)? Exact; false if
 * no interval has been seen.
 */
bool par_window_above(const struct par_series *series, enum par_window_name which,
		      unsigned int gear, u32 limit);

/* par_window_mean, par_window_deviation - rounded down; 0 if no interval has been seen */
u32 par_window_mean(const struct par_series *series, enum par_window_name which,
		    unsigned int gear);
u32 par_window_deviation(const struct par_series *series,
			 enum par_window_name which, unsigned int gear);

/* par_window_wait - the average duration of a request, µs; 0 if there was none */
u64 par_window_wait(const struct par_series *series, enum par_window_name which);

#endif
