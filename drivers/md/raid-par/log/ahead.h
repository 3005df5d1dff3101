/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the log from its tail on at assembly: all copies of some units at the same time, so
 * that all members are read sequentially at once. See walk.c.
 */
#ifndef RAID_PAR_LOG_AHEAD_H
#define RAID_PAR_LOG_AHEAD_H

#include "log/log.h"

#define PAR_LOG_AHEAD	16U	/* units, at most */

/**
 * enum par_log_copy - of a unit, what its buffer has
 * @NONE: nothing: its member has no part in the log
 * @READ: all of it
 * @SKIPPED: what par_log_reread() has read since: the unit as a whole cannot be read, or its
 *	member is not read ahead any more
 */
enum par_log_copy {
	PAR_LOG_COPY_NONE,
	PAR_LOG_COPY_READ,
	PAR_LOG_COPY_SKIPPED,
};

/**
 * struct par_log_unit_read - a unit that is being read, or has been
 * @at: its beginning; U64_MAX: none
 * @state, @buffer, @rdev, @failed: of each copy; @rdev is referenced until all have been read
 * @left: copies that are being read, and one more
 */
struct par_log_unit_read {
	struct par_log_ahead *ahead;
	u64 at;
	enum par_log_copy state[PAR_LOG_MAX_COPIES];
	void *buffer[PAR_LOG_MAX_COPIES];
	struct par_log_copy_read {
		struct par_log_unit_read *unit;
		struct md_rdev *rdev;
		bool failed;
	} copy[PAR_LOG_MAX_COPIES];
	bool pending;
	atomic_t left;
	struct completion done;
};

/**
 * struct par_log_plan - what is read
 * @stride: blocks from one unit to the next one; @blocks: of these, from the beginning
 * @single: one copy only, of different members in turn; the others are skipped
 */
struct par_log_plan {
	u32 stride, blocks;
	bool single;
};

/**
 * struct par_log_ahead - units that are read in the order of their positions
 * @depth: units that are read at the same time; @next: the first one that is not being read
 * @errors: reads of each member that have failed
 */
struct par_log_ahead {
	struct par_log *log;
	struct par_log_plan plan;
	unsigned int depth;
	u64 next;
	unsigned int errors[PAR_MAX_MEMBERS];
	struct par_log_unit_read unit[PAR_LOG_AHEAD];
};

/*
 * par_log_ahead_alloc - begin, @depth units at once, fewer if few are enough for all members;
 * NULL: no memory. par_log_ahead_free ends it. Both sleep.
 */
struct par_log_ahead *par_log_ahead_alloc(struct par_log *log, const struct par_log_plan *plan,
					  unsigned int depth);
void par_log_ahead_free(struct par_log_ahead *ahead);

/*
 * par_log_ahead_unit - the unit of @pos, which has been read when this returns, and the following
 * ones, before @limit, are being read; until the next call. Sleeps.
 */
struct par_log_unit_read *par_log_ahead_unit(struct par_log_ahead *ahead, u64 pos, u64 limit);

/* par_log_buffer - where the buffer of a copy has the block at @pos */
void *par_log_buffer(const struct par_log_unit_read *unit, unsigned int copy, u64 pos);

/*
 * par_log_reread - read @count blocks from @pos on of a copy that was skipped. Returns false if
 * they cannot be read. Sleeps.
 */
bool par_log_reread(struct par_log_unit_read *unit, unsigned int copy, u64 pos,
		    unsigned int count);

/*
 * par_log_move - read or write @bytes at @sector of @rdev's data area. Sleeps; returns 0 or a
 * negative error.
 */
int par_log_move(struct md_rdev *rdev, u64 sector, void *buffer, unsigned int bytes, blk_opf_t opf);

#endif
