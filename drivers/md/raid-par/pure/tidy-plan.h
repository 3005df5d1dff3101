/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When intents that no write needs any more are cleared, and how many at a time: see tidy.c.
 *
 * Pure: no locks, no side effects, any context.
 */
#ifndef RAID_PAR_TIDY_PLAN_H
#define RAID_PAR_TIDY_PLAN_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "pure/store-plan.h"

#define PAR_TIDY_S	30U	/* intents that no write has needed for so long go */
#define PAR_TIDY_PAUSE_MS	500U	/* between two shares; what waits meanwhile goes first */
#define PAR_TIDY_RUNS	64U	/* shares after which all that are idle now have been cleared */

/*
 * par_tidy_share - how many of @idle zones are closed at a time: so many that what a
 * scattered load leaves behind does not grow
 */
static inline u32 par_tidy_share(u32 idle)
{
	return max(PAR_STORE_BATCH, idle / PAR_TIDY_RUNS);
}

#endif
