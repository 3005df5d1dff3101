/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a surge, a time in which a gear is not sufficient, is likely to continue: disks
 * that are started for it serve only what comes after they turn.
 *
 * The last surges with such requests are remembered by their duration. Of those that had
 * lasted as long as this one has by now, did half continue for as long as needed? If no
 * surge has lasted that long, this one is expected to continue: most of what has lasted
 * long lasts as long again (Harchol-Balter and Downey 1997, about processes).
 *
 * Pauses between surges are predicted in the same way: is this one likely to last long
 * enough to be worth stopping disks?
 *
 * Pure: no locks but the caller's, no side effects, any context. Times are seconds.
 */
#ifndef RAID_PAR_SURGE_H
#define RAID_PAR_SURGE_H

#include <linux/types.h>

#include "policy/window.h"
#include "pure/policy-record.h"

/**
 * struct par_surge - the present surge, and previous ones
 * @since: when it began, or 0: there is none; @last: when the gear was last insufficient
 * @requests, @sectors, @writes: in it so far
 * @ended: when the last one ended
 * @past: durations of the last ones, by kind; @pauses: from the end of one to the next one
 */
struct par_surge {
	u64 since, last, ended;
	u64 requests, sectors, writes;
	struct par_spans past[PAR_SURGE_KINDS], pauses;
};

/*
 * par_surge_see - an interval has ended; @pressed: the gear was not sufficient. A surge
 * ends when the gear has been sufficient for @lull: a shorter pause is too short to sleep.
 */
void par_surge_see(struct par_surge *surge, const struct par_interval *interval,
		   bool pressed, u64 lull, u64 now);

/* par_surge_drop - forget the present surge: it was none, or had another end */
void par_surge_drop(struct par_surge *surge);

/* par_surge_age - how long the surge has lasted */
u64 par_surge_age(const struct par_surge *surge, u64 now);

/*
 * par_surge_wait - how much longer the surge must last until it is as likely as not to
 * continue for @needed more; 0: it is already
 */
u64 par_surge_wait(const struct par_surge *surge, u64 needed, u64 now);

/* par_pause_wait - the same for the pause since the last surge; there must be no surge */
u64 par_pause_wait(const struct par_surge *surge, u64 needed, u64 now);

#endif
