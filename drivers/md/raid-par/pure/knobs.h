/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings of the policy: see policy.h for their effects. Pure: any context.
 */
#ifndef RAID_PAR_KNOBS_H
#define RAID_PAR_KNOBS_H

#include <linux/types.h>

#include "pure/geometry.h"

#define PAR_INTERVAL_MIN	100U	/* ms */
#define PAR_INTERVAL_MAX	60000U
#define PAR_SHORT_MAX		60U	/* intervals */
#define PAR_HOLD_MAX		86400U	/* s, and the maximum after regrets */
#define PAR_WAIT_MAX		60000U	/* ms */
#define PAR_BREAK_EVEN_MAX	86400U	/* s */
#define PAR_WINDOW_MAX		900U	/* intervals */

enum par_window_name {
	PAR_WINDOW_SHORT,
	PAR_WINDOW_LONG,
	PAR_WINDOWS,
};

/**
 * struct par_knobs - settings by the user
 * @automatic: shift; otherwise shift only when asked by hand, and up while a member is
 *	missing
 * @interval: ms
 * @window: intervals, by window
 * @up, @down: thresholds in percent; @down is less than @up
 * @wait: ms that a request may take on average, 0: no limit
 * @hold: s for which a lower gear must have been enough
 * @break_even: s that a disk must sleep to save the energy of stopping and starting it
 * @min_gear, @max_gear: members; a number that is no gear counts as the next gear within
 *	the limit
 */
struct par_knobs {
	bool automatic;
	u32 interval, window[PAR_WINDOWS], up, down, wait, hold, break_even;
	u32 min_gear, max_gear;
};

/* par_knobs_init - the settings of a new array */
void par_knobs_init(struct par_knobs *knobs, const struct par_geometry *geo);

/* par_knobs_error - a description of an error in the settings and its remedy, or NULL */
const char *par_knobs_error(const struct par_knobs *knobs,
			    const struct par_geometry *geo);

#endif
