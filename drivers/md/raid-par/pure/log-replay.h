/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the records of the write log when the array is assembled. Pure: no I/O. See
 * Documentation/log.md.
 *
 * A walk goes from record to record, beginning at the stored tail, and ends where no copy has
 * a whole one. Records are acknowledged in their order, and are flushed as a whole up to some
 * position. So what is missing at the walk's end, and all that is behind it, was never stable.
 *
 * Behind the end there may be whole records: they were written beside one that is missing. The
 * array is used again from the end on, with a new *run*, that is stored before. Runs never
 * fall along the log, so those that were left there are not taken for what follows.
 */
#ifndef RAID_PAR_LOG_REPLAY_H
#define RAID_PAR_LOG_REPLAY_H

#include <linux/types.h>
#include "pure/log-format.h"
#include "pure/log-place.h"

#define PAR_LOG_LOOK_UNITS	16U	/* that are looked at behind the end */

/**
 * struct par_log_walk - from the tail to the end of the log
 * @epoch, @array_blocks: what is valid in this array; @last_run: the newest one that is stored
 * @limit: the end of the ring, as a position
 * @flushed: as it was stored with @last_run: from there on, records are of that run
 * @pos: where the next record is; at last, the end
 * @run: that of the last record
 * @stable: all before it is known to have been flushed
 */
struct par_log_walk {
	u64 epoch, array_blocks, last_run, limit, flushed;
	u64 pos, run, stable;
};

/* par_log_walk_init - @stable: as it is stored; the tail or more; @last_run: as it is stored */
void par_log_walk_init(struct par_log_walk *walk, const struct par_log_shape *shape,
		       u64 epoch, u64 array_blocks, u64 tail, u64 stable, u64 last_run);

/**
 * struct par_log_found - a record
 * @head: of it; @copy: the first that has it; @lacking: copies that do not, a bit each
 */
struct par_log_found {
	struct par_log_head head;
	unsigned int copy;
	u32 lacking;
};

/*
 * par_log_walk_next - the record at @pos of @walk, which goes on to the next one. @copies: for
 * each, what it has there, up to the end of the unit; NULL: it cannot be read, or its member's
 * log is not to be used. Returns false at the end.
 */
bool par_log_walk_next(struct par_log_walk *walk, const void *const *copies,
		       unsigned int count, struct par_log_found *found);

/*
 * Is the end one, or has something been damaged there? Records that follow tell how much had
 * been flushed when they were written.
 *
 * par_log_walk_later - the block to look at after @pos, at first the end; 0: none any more.
 *	Some units are enough: a record tells of each flush that ended before it was written.
 * par_log_walk_look - a copy of the block at @pos, one of these
 * par_log_walk_damaged - something that had been flushed is missing
 */
u64 par_log_walk_later(const struct par_log_walk *walk, u64 pos);
void par_log_walk_look(struct par_log_walk *walk, const void *block, u64 pos);

static inline bool par_log_walk_damaged(const struct par_log_walk *walk)
{
	return walk->pos < walk->stable;
}

#endif
