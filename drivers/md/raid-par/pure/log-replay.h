/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the records of the write log when the array is assembled. Pure: no I/O. See
 * Documentation/log.md.
 *
 * A walk reads record after record, beginning at the stored tail, and ends where no copy has a
 * whole record. Records are acknowledged in order, and all records up to some position are
 * flushed. So the record that is missing at the end, and all later ones, were never stable.
 *
 * There may be whole records behind the end, which were written at the same time as the missing
 * one. The log is used again from the end on, with a new *run*, which is stored before. Runs
 * never decrease along the log, so these old records do not follow the new ones.
 */
#ifndef RAID_PAR_LOG_REPLAY_H
#define RAID_PAR_LOG_REPLAY_H

#include <linux/types.h>
#include "pure/log-format.h"
#include "pure/log-place.h"
#include "pure/log-summary.h"

#define PAR_LOG_LOOK_UNITS	16U	/* units that are examined behind the end */

/**
 * struct par_log_walk - from the tail to the end of the log
 * @epoch, @array_blocks: the values of this array; @last_run: the newest stored run
 * @limit: the end of the ring, as a position
 * @flushed: as stored with @last_run: from there on only records of that run count
 * @blocks: the length of the ring; @tail: as stored
 * @summaries_from: as stored: summaries of older runs do not count
 * @pos: the position of the next record; finally the end
 * @run: that of the last record
 * @stable: all records before it are known to have been flushed
 * @newest_run: the newest one of any record, also of those that do not count
 * @newest_tail: the tail had been stored as this, or as a later one, when a record was made
 */
struct par_log_walk {
	u64 epoch, array_blocks, last_run, limit, flushed;
	u64 tail, summaries_from;
	u32 blocks;
	u64 pos, run, stable, newest_run, newest_tail;
};

/* par_log_walk_init - @stable: as stored, not before the tail; @last_run: as stored */
void par_log_walk_init(struct par_log_walk *walk, const struct par_log_shape *shape,
		       u64 epoch, u64 array_blocks, u64 tail, u64 stable, u64 last_run);

/**
 * struct par_log_found - a record
 * @head: its header; @copy: the first copy that has it; @lacking: copies without it, a bit each
 */
struct par_log_found {
	struct par_log_head head;
	unsigned int copy;
	u32 lacking;
};

/*
 * par_log_walk_next - find the record at @pos of @walk, and advance to the next one. @copies:
 * the content of each copy from there to the end of the unit; NULL: it cannot be read, or the
 * log of its member is not used. Returns false at the end.
 */
bool par_log_walk_next(struct par_log_walk *walk, const void *const *copies,
		       unsigned int count, struct par_log_found *found);

/*
 * A unit may have a summary: then its records need not be read.
 *
 * par_log_walk_see - note what a summary that has been read for unit @u of the ring tells about the
 *	log as a whole, also if it does not count
 * par_log_walk_summary - does this summary count for the unit that begins at @pos?
 * par_log_walk_unit - advance past this unit, of which such a summary has been used
 *
 * A summary was written after its unit had been flushed, so it is true of the records that its run
 * has written there. Records of a later run may have replaced them only if a start did not find
 * them. If it could not read them, or was forced, the later run is stored as @summaries_from before
 * its first record; so is a run whenever a tail is stored with which the log is empty.
 */
void par_log_walk_see(struct par_log_walk *walk, const struct par_log_summary *summary, u32 u);
bool par_log_walk_summary(const struct par_log_walk *walk, const struct par_log_summary *summary);
void par_log_walk_unit(struct par_log_walk *walk, const struct par_log_summary *summary);

/*
 * Is this the end of the log, or a damaged record? Later records have the position up to which
 * all records had been flushed when they were written.
 *
 * par_log_walk_later - the block to examine after @pos, which is the end at first; 0: no more.
 *	Some units are enough: a record has the result of each flush that ended before it.
 * par_log_walk_look_end - the end of these blocks
 * par_log_walk_look - examine a copy of such a block, at @pos
 * par_log_walk_outdated - is there a record of a newer run than the stored one, or one of this run
 *	that was made when a newer tail had been stored? A run is stored before its first record, so
 *	that store, or that of the tail, and perhaps later ones, have been lost.
 * par_log_walk_damaged - is a record missing that had been flushed, or may it have been?
 */
u64 par_log_walk_look_end(const struct par_log_walk *walk);
u64 par_log_walk_later(const struct par_log_walk *walk, u64 pos);
void par_log_walk_look(struct par_log_walk *walk, const void *block, u64 pos);

static inline bool par_log_walk_outdated(const struct par_log_walk *walk)
{
	return walk->newest_run > walk->last_run || walk->newest_tail > walk->tail;
}

static inline bool par_log_walk_damaged(const struct par_log_walk *walk)
{
	return walk->pos < walk->stable || par_log_walk_outdated(walk);
}

#endif
