/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When to clear intents that no write needs any more, and how many at a time: see tidy.c.
 *
 * Pure: no locks, no side effects, any context.
 */
#ifndef RAID_PAR_TIDY_PLAN_H
#define RAID_PAR_TIDY_PLAN_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "pure/store-plan.h"

#define PAR_TIDY_S	30U	/* age at which unneeded intents are cleared */
#define PAR_TIDY_PAUSE_MS	500U	/* between two shares, for the requests that have waited */
#define PAR_TIDY_RUNS	64U	/* shares within which all intents that are idle now are cleared */

/*
 * par_tidy_share - the number of @idle zones that are closed at a time: large enough that
 * the number of idle zones does not grow under a scattered load
 */
static inline u32 par_tidy_share(u32 idle)
{
	return max(PAR_STORE_BATCH, idle / PAR_TIDY_RUNS);
}

#endif
