/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The least energy that a schedule of gears can do with which is known in advance: of
 * each minute, what the requests keep members busy in each gear. A gear will do for a
 * minute in which that is not above the up threshold on average; a shift up costs the
 * starts of its disks, and nothing else does. So it is a bound, not a plan: it copies
 * nothing and foresees everything. It keeps to as many shifts up a day as disks may be
 * started; with more than two gears that is more than they need to.
 */
#ifndef TESTS_POLICY_HINDSIGHT_H
#define TESTS_POLICY_HINDSIGHT_H

#include "disk.h"
#include "policy.h"

#define HINDSIGHT_STARTS	64U
#define HINDSIGHT_ANY		0U	/* starts a day: as many as there are */

/**
 * struct hindsight - what each end would have cost
 * @starts: shifts up a day, at most
 * @least: J so far, by the gear that it ends in and how many of these there were today
 */
struct hindsight {
	const struct par_geometry *geo;
	double up, least[PAR_MAX_SETS + 1][HINDSIGHT_STARTS];
	unsigned int starts;
};

/* hindsight_init - it begins in the top gear */
void hindsight_init(struct hindsight *hindsight, const struct par_geometry *geo, u32 up_percent, unsigned int starts);

/* hindsight_see - @ns were @work[gear] for the members in that gear */
void hindsight_see(struct hindsight *hindsight, u64 ns, const struct disk_work *work);

/* hindsight_day - a day is over */
void hindsight_day(struct hindsight *hindsight);

/* hindsight_joules - of the best schedule */
double hindsight_joules(const struct hindsight *hindsight);

#endif
