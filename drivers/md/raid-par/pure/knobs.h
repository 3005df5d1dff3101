/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of the policy can be set: see policy.h for what it does with that. Pure: any
 * context.
 */
#ifndef RAID_PAR_KNOBS_H
#define RAID_PAR_KNOBS_H

#include <linux/types.h>

#include "pure/geometry.h"

#define PAR_INTERVAL_MIN	100U	/* ms */
#define PAR_INTERVAL_MAX	60000U
#define PAR_SHORT_MAX		60U	/* intervals */
#define PAR_HOLD_MAX		86400U	/* s, and what it is at most after regrets */
#define PAR_WAIT_MAX		60000U	/* ms */
#define PAR_BREAK_EVEN_MAX	86400U	/* s */
#define PAR_WINDOW_MAX		900U	/* intervals */

enum par_window_name {
	PAR_WINDOW_SHORT,
	PAR_WINDOW_LONG,
	PAR_WINDOWS,
};

/**
 * struct par_knobs - what the user sets
 * @automatic: shift; else only what is asked for by hand, and up while a member is missing
 * @interval: ms
 * @window: intervals, by window
 * @up, @down: thresholds in percent; @down is less than @up
 * @wait: ms that a request may take on average, 0: as long as it likes
 * @hold: s that a lower gear must have been enough for
 * @break_even: s that a disk must sleep to save what stopping and starting it takes
 * @min_gear, @max_gear: members; what is no gear counts as the next that is within
 */
struct par_knobs {
	bool automatic;
	u32 interval, window[PAR_WINDOWS], up, down, wait, hold, break_even;
	u32 min_gear, max_gear;
};

/* par_knobs_init - what a new array has */
void par_knobs_init(struct par_knobs *knobs, const struct par_geometry *geo);

/* par_knobs_error - what is wrong with them and what would be right, or NULL */
const char *par_knobs_error(const struct par_knobs *knobs,
			    const struct par_geometry *geo);

#endif
