/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the log from its tail on at assembly: all copies of several units at the same time, so
 * that all members are read sequentially and in parallel. See walk.c.
 */
#ifndef RAID_PAR_LOG_AHEAD_H
#define RAID_PAR_LOG_AHEAD_H

#include <linux/mm.h>

#include "log/log.h"

#define PAR_LOG_AHEAD	16U	/* maximum of units */
#define PAR_LOG_GIVE_UP	8U	/* errors after which a member is not read ahead any more */

/**
 * enum par_log_copy - the content of the buffer of a unit's copy
 * @NONE: nothing, as the member has no part in the log
 * @READ: the whole copy
 * @SKIPPED: the blocks that par_log_reread() has read, as the whole copy cannot be read, or as
 *	the member is not read ahead any more
 */
enum par_log_copy {
	PAR_LOG_COPY_NONE,
	PAR_LOG_COPY_READ,
	PAR_LOG_COPY_SKIPPED,
};

/**
 * struct par_log_unit_read - a unit that is being read, or has been read
 * @at: the position of its beginning; U64_MAX: no unit
 * @state, @buffer, @rdev, @failed: for each copy; @rdev is referenced until all have been read
 * @left: copies that are being read, plus one
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
 * struct par_log_ahead - units that are read in the order of their positions
 * @depth: units that are read at a time; @next: the first unit that is not being read
 * @errors: for each member, the number of failed reads of whole units; @alone: of other reads
 */
struct par_log_ahead {
	struct par_log *log;
	unsigned int depth;
	u64 next;
	unsigned int errors[PAR_MAX_MEMBERS], alone[PAR_MAX_MEMBERS];
	struct par_log_unit_read unit[PAR_LOG_AHEAD];
};

/*
 * par_log_ahead_alloc - prepare reading @depth units at a time, or fewer if these use all members;
 * NULL: no memory. par_log_ahead_free - end it. Both sleep.
 */
struct par_log_ahead *par_log_ahead_alloc(struct par_log *log, unsigned int depth);
void par_log_ahead_free(struct par_log_ahead *ahead);

/*
 * par_log_ahead_unit - wait until the unit of @pos has been read, and begin to read the following
 * ones before @limit. The unit is valid until the next call. Sleeps.
 */
struct par_log_unit_read *par_log_ahead_unit(struct par_log_ahead *ahead, u64 pos, u64 limit);

/* par_log_buffer - the address of the block at @pos in the buffer of a copy */
void *par_log_buffer(const struct par_log_unit_read *unit, unsigned int copy, u64 pos);

/*
 * par_log_reread - read @count blocks of a skipped copy, from @pos on. Returns false if they
 * cannot be read. Sleeps.
 */
bool par_log_reread(struct par_log_unit_read *unit, unsigned int copy, u64 pos,
		    unsigned int count);

/*
 * par_log_add_buffer - add a buffer of vmalloc() to a bio, with a vector for each of its pages: a
 * page of more than 4 KiB has several blocks, and a record begins in any of them
 */
static inline void par_log_add_buffer(struct bio *bio, void *buffer, unsigned int bytes)
{
	unsigned int some;

	for (; bytes; buffer += some, bytes -= some) {
		some = min_t(unsigned int, bytes, PAGE_SIZE - offset_in_page(buffer));
		__bio_add_page(bio, vmalloc_to_page(buffer), some, offset_in_page(buffer));
	}
}

/*
 * par_log_move - read or write @bytes at @sector of @rdev's data area; sleeps; returns 0 or
 * -errno
 */
int par_log_move(struct md_rdev *rdev, u64 sector, void *buffer, unsigned int bytes, blk_opf_t opf);

#endif
