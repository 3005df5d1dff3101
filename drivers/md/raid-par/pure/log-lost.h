/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sectors of the array that the write log has lost: no copy of them can be read any more, or the
 * home set cannot write them. Their content at home is older, so a read of them returns an error
 * until they are written again. Pure: no locks but the caller's. See Documentation/log.md.
 */
#ifndef RAID_PAR_LOG_LOST_H
#define RAID_PAR_LOG_LOST_H

#include <linux/types.h>
#include "pure/log-format.h"

#define PAR_LOG_LOST	31U	/* the maximum of lost blocks in the superblock */

/* struct par_log_lost - each lost block once, with its lost sectors, not 0 */
struct par_log_lost {
	unsigned int count;
	struct par_log_entry entry[PAR_LOG_LOST];
};

/*
 * par_log_lost_add - @sectors of @block, a bit each, are lost; false if there is no room
 * par_log_lost_drop - they have been written again, or are not needed any more
 */
bool par_log_lost_add(struct par_log_lost *lost, u64 block, u8 sectors);
void par_log_lost_drop(struct par_log_lost *lost, u64 sector, u64 sectors);

/*
 * par_log_lost_find - the number of sectors from @sector on, of @sectors, not 0, that are all
 * lost or all not lost: @is_lost. par_log_lost_any - is any of them lost?
 */
u32 par_log_lost_find(const struct par_log_lost *lost, u64 sector, u32 sectors, bool *is_lost);
bool par_log_lost_any(const struct par_log_lost *lost, u64 sector, u32 sectors);

#endif
