/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a surge, a time in which a gear is not enough, is likely to go on: what
 * disks are started for comes when they turn, and not before.
 *
 * What has been learnt is how long the last surges with such requests have lasted. Of
 * those that had lasted as long as this one has by now, did half go on for as long as
 * is needed? If no surge has ever lasted that long, this one is taken to go on: most
 * of what has lasted long lasts as long again (Harchol-Balter and Downey 1997, of
 * processes).
 *
 * Pauses between surges are taken in the same way: is this one likely to go on for as long
 * as it must to be worth that disks stop?
 *
 * Pure: no locks but the caller's, no side effects, any context. Times are seconds.
 */
#ifndef RAID_PAR_SURGE_H
#define RAID_PAR_SURGE_H

#include <linux/types.h>

#include "policy/window.h"
#include "pure/policy-record.h"

/**
 * struct par_surge - the one that is on, and those before
 * @since: when it began, or 0: none is on; @last: when the gear was not enough last
 * @requests, @sectors, @writes: in it so far
 * @ended: when the last one ended
 * @past: the last ones, by kind; @pauses: from the end of one to the next one
 */
struct par_surge {
	u64 since, last, ended;
	u64 requests, sectors, writes;
	struct par_spans past[PAR_SURGE_KINDS], pauses;
};

/*
 * par_surge_see - an interval is over; @pressed: the gear was not enough. A surge is over
 * when it has been enough for @lull: what pauses for less cannot be slept through.
 */
void par_surge_see(struct par_surge *surge, const struct par_interval *interval,
		   bool pressed, u64 lull, u64 now);

/* par_surge_drop - what is on is forgotten: it was none, or ended by something else */
void par_surge_drop(struct par_surge *surge);

/* par_surge_age - how long it has lasted */
u64 par_surge_age(const struct par_surge *surge, u64 now);

/*
 * par_surge_wait - how much longer it must last until it is as likely as not to go on for
 * @needed more, 0: it is already
 */
u64 par_surge_wait(const struct par_surge *surge, u64 needed, u64 now);

/* par_pause_wait - the same of the pause since the last surge; none must be on */
u64 par_pause_wait(const struct par_surge *surge, u64 needed, u64 now);

#endif
