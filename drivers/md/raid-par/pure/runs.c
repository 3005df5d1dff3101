// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that a disk's queue merges into one; see runs.h for the contract.
 */
#include <kunit/visibility.h>

#include "pure/runs.h"

static bool may_go_on(const struct par_runs *runs, unsigned int i, u64 sector,
		      unsigned int sectors)
{
	return runs->end[i] == sector && runs->sectors[i] &&
	       runs->sectors[i] + sectors <= PAR_RUN_SECTORS;
}

/* The run that the request continues, usually that of the last request; PAR_RUNS if none. */
static unsigned int find_run(const struct par_runs *runs, u64 sector, unsigned int sectors)
{
	unsigned int i = runs->last;

	if (may_go_on(runs, i, sector, sectors))
		return i;
	for (i = 0; i < PAR_RUNS; i++)
		if (may_go_on(runs, i, sector, sectors))
			break;
	return i;
}

bool par_runs_add(struct par_runs *runs, u64 sector, unsigned int sectors)
{
	unsigned int i = find_run(runs, sector, sectors);
	bool goes_on = i < PAR_RUNS;

	if (!goes_on) {
		i = runs->oldest;
		runs->oldest = (i + 1) % PAR_RUNS;
		runs->sectors[i] = 0;
	}
	runs->end[i] = sector + sectors;
	runs->sectors[i] += sectors;
	runs->last = i;
	return goes_on;
}
EXPORT_SYMBOL_IF_KUNIT(par_runs_add);
