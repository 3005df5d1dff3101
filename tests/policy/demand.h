/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the sleepers of an array with images of a share have to turn, whatever its policy is, if
 * slots are filled on demand: a run can have an image only if it, or a run at most @around runs
 * away, was used before. So at some time between that use and the first read of the run from a
 * sleeper, the sleepers turn, to fill its slot or to read it.
 *
 * Everything else is in favour of the policy: it knows the future, has any number of slots, fills
 * them in no time and for nothing; each use counts, also a write, and one of another member; a
 * write itself needs no sleeper, nor does any later read of its runs, which the log may serve.
 */
#ifndef TESTS_POLICY_DEMAND_H
#define TESTS_POLICY_DEMAND_H

#include "hindsight.h"
#include "sim-array.h"

/**
 * struct demand - of an array with two gears
 * @around: see above; a miss in the module fills the next run as well: 1
 * @need: what hindsight_sleep_bound() takes; @first: reads that have no use before them
 * @used: by run, when it or one around it was used first, ns, plus 1; @is: what is known of it
 */
struct demand {
	const struct par_geometry *geo;
	u32 around;
	struct hindsight_need *need;
	unsigned long needs, room, first;
	u64 *used;
	u8 *is;
};

/*
 * demand_init - @written: percent of the data that has images in the beginning, as if it had been
 * written last: GiBs of the array, at random
 * demand_see - a request, in order of time
 */
void demand_init(struct demand *demand, const struct par_geometry *geo, u32 around,
		 unsigned int written);
void demand_see(struct demand *demand, u64 now, bool write, u64 sector, u64 sectors);

#endif
