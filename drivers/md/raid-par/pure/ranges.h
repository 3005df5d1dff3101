/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A short list of ranges that covers any number of them: ranges that overlap or touch become one,
 * and if there are more than fit, those that are closest together become one, too. Pure: no I/O, no
 * allocation, no lock.
 */
#ifndef RAID_PAR_RANGES_H
#define RAID_PAR_RANGES_H

#include <linux/types.h>

#define PAR_RANGES	32U	/* in the list */

/**
 * struct par_ranges - zeroed: an empty list
 * @range: in order, [first, end) each; there is a gap between any two. One more for an insertion
 * @added: number of ranges that were added, some perhaps more than once
 * @joined: gaps that the list has closed for lack of room
 */
struct par_ranges {
	struct par_range {
		u64 first, end;
	} range[PAR_RANGES + 1];
	u32 count;
	u64 added, joined;
};

/* par_ranges_add - [@first, @end) is covered from now on; nothing happens if it is empty */
void par_ranges_add(struct par_ranges *ranges, u64 first, u64 end);

#endif
