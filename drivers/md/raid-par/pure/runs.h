/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that a disk's queue makes one of. raid5 sends a write as pages: counted one by
 * one, a write of 64 KiB would look like 32 times one of 4 KiB, and cost a disk but little
 * more. The disk's own count does not help where a request goes to an image instead.
 *
 * Pure: no locks but the caller's, any context.
 */
#ifndef RAID_PAR_RUNS_H
#define RAID_PAR_RUNS_H

#include <linux/types.h>

#define PAR_RUNS	8U	/* that may take turns */
#define PAR_RUN_SECTORS	256U	/* as a disk's queue may merge them at least */

/**
 * struct par_runs - requests of which each begins where another has ended; the last ones
 * @end: where the next one of each would begin; @sectors: how long it is, 0: there is none
 * @oldest: the one that a new one takes the place of; @last: that the last request was of
 */
struct par_runs {
	u64 end[PAR_RUNS];
	unsigned int sectors[PAR_RUNS], oldest, last;
};

/*
 * par_runs_add - a request for @sectors from @sector on has come. Returns true if it is one
 * with some before it, false if it begins a run.
 */
bool par_runs_add(struct par_runs *runs, u64 sector, unsigned int sectors);

#endif
