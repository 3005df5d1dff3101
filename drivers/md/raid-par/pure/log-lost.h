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
 * par_log_lost_drop - these sectors have been written again, or are not needed any more
 */
bool par_log_lost_add(struct par_log_lost *lost, u64 block, u8 sectors);
void par_log_lost_drop(struct par_log_lost *lost, u64 sector, u64 sectors);

/*
 * par_log_lost_find - the number of sectors from @sector on, of @sectors, not 0, that are all
 * lost or all not lost: @is_lost. par_log_lost_any - is any of them lost?
 */
u32 par_log_lost_find(const struct par_log_lost *lost, u64 sector, u32 sectors, bool *is_lost);
bool par_log_lost_any(const struct par_log_lost *lost, u64 sector, u32 sectors);

/* Failed tries before a block is lost, and the time for which it is tried if it may return. */
#define PAR_LOG_LOST_TRIES	4U
#define PAR_LOG_LOST_MS		600000U

/**
 * struct par_log_suspects - blocks that could not be drained in the last pass over the log, each
 * once. No more are noted than can be lost.
 * @pass: the number of this pass, of the last one in which a block has failed
 * @since: when the block failed first, in ms; @tries: passes in which it has failed
 * @gone: how many of these, up to the last one in a row, failed with @gone of par_log_suspect()
 */
struct par_log_suspects {
	u32 pass;
	unsigned int count;
	struct par_log_suspect {
		u64 block, since;
		u32 pass;
		unsigned int tries, gone;
	} entry[PAR_LOG_LOST];
};

/*
 * par_log_suspects_begin, par_log_suspects_end - a pass over all that can be drained; blocks that
 *	did not fail in it are forgotten
 * par_log_suspect - @block could not be drained, at @now, in ms. @gone: since a medium or a member
 *	has failed. Otherwise only the path to a member may have failed, and the block may be
 *	drained when the path is back. Returns whether the block is lost.
 * par_log_acquit - @block has been drained, or is lost
 */
void par_log_suspects_begin(struct par_log_suspects *suspects);
void par_log_suspects_end(struct par_log_suspects *suspects);
bool par_log_suspect(struct par_log_suspects *suspects, u64 block, u64 now, bool gone);
void par_log_acquit(struct par_log_suspects *suspects, u64 block);

#endif
