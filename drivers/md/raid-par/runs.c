// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that a disk's queue makes one of; see runs.h for the contract.
 */
#include <kunit/visibility.h>

#include "runs.h"

bool par_runs_add(struct par_runs *runs, u64 sector, unsigned int sectors)
{
	unsigned int i;
	bool goes_on;

	for (i = 0; i < PAR_RUNS; i++)
		if (runs->sectors[i] && runs->end[i] == sector &&
		    runs->sectors[i] + sectors <= PAR_RUN_SECTORS)
			break;
	goes_on = i < PAR_RUNS;
	if (!goes_on) {
		i = runs->oldest;
		runs->oldest = (i + 1) % PAR_RUNS;
		runs->sectors[i] = 0;
	}
	runs->end[i] = sector + sectors;
	runs->sectors[i] += sectors;
	return goes_on;
}
EXPORT_SYMBOL_IF_KUNIT(par_runs_add);
