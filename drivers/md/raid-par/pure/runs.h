/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that a disk's queue merges into one. raid5 sends a write as pages: counted one
 * by one, a write of 64 KiB would look like 32 writes of 4 KiB, though it costs a disk
 * little more than one of these. The disk's own count does not help if a request goes to an
 * image instead.
 *
 * Pure: no locks but the caller's, any context.
 */
#ifndef RAID_PAR_RUNS_H
#define RAID_PAR_RUNS_H

#include <linux/types.h>

#define PAR_RUNS	8U	/* runs that may interleave */
#define PAR_RUN_SECTORS	256U	/* as much as a disk's queue may merge at least */

/**
 * struct par_runs - the last runs of requests, in which each request begins where the one
 * before it ended
 * @end: by run: the sector at which the next request would begin; @sectors: the length of
 *	the run so far, 0: none
 * @oldest: the run that the next new one replaces; @last: the run of the last request
 */
struct par_runs {
	u64 end[PAR_RUNS];
	unsigned int sectors[PAR_RUNS], oldest, last;
};

/*
 * par_runs_add - a request for @sectors from @sector on has come. Returns true if it
 * continues a run, false if it begins one.
 */
bool par_runs_add(struct par_runs *runs, u64 sector, unsigned int sectors);

#endif
