/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sectors of the array that the write log had and lost: no copy of them can be read any more, or
 * the home set does not take them. What lies at home is older, so a read of them returns an
 * error until they are written again. Pure: no locks but the caller's. See
 * Documentation/log.md.
 */
#ifndef RAID_PAR_LOG_LOST_H
#define RAID_PAR_LOG_LOST_H

#include <linux/types.h>
#include "pure/log-format.h"

#define PAR_LOG_LOST	31U	/* blocks: as many as the superblock has room for */

/* struct par_log_lost - each block once, with the sectors of it that are lost, not 0 */
struct par_log_lost {
	unsigned int count;
	struct par_log_entry entry[PAR_LOG_LOST];
};

/*
 * par_log_lost_add - @sectors of @block, a bit each, are lost; false if there is no room
 * par_log_lost_drop - they are written again, or nothing needs them any more
 */
bool par_log_lost_add(struct par_log_lost *lost, u64 block, u8 sectors);
void par_log_lost_drop(struct par_log_lost *lost, u64 sector, u64 sectors);

/*
 * par_log_lost_find - of @sectors sectors, not 0, from @sector on, how many at the beginning
 * are of one kind: @is_lost says which. par_log_lost_any - is any of them lost?
 */
u32 par_log_lost_find(const struct par_log_lost *lost, u64 sector, u32 sectors, bool *is_lost);
bool par_log_lost_any(const struct par_log_lost *lost, u64 sector, u32 sectors);

#endif
