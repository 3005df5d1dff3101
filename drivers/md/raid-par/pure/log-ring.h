/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The space of the write log: the positions of records, and the blocks in use. Pure: no locks
 * but the caller's. See Documentation/log.md.
 *
 *	tail ≤ stable ≤ done ≤ head ≤ beginning of the tail's unit + length of the ring
 *
 * A record is a block with its header, followed by its blocks of data, in one unit. Each unit
 * begins with a record. A record has data, so the last block of a unit is never a header.
 */
#ifndef RAID_PAR_LOG_RING_H
#define RAID_PAR_LOG_RING_H

#include <linux/types.h>
#include "pure/log-place.h"

/**
 * struct par_log_ring - positions of the log, in blocks
 * @blocks: length of the ring
 * @tail: a replay begins here; as stored
 * @stable: all records before it are known to be flushed, and survive a power cut
 * @done: all records before it are written and acknowledged
 * @head: the next record begins here
 */
struct par_log_ring {
	u32 blocks;
	u64 tail, stable, done, head;
};

/* par_log_ring_init - an empty ring with its tail at @pos */
void par_log_ring_init(struct par_log_ring *ring, u32 blocks, u64 pos);

/* par_log_next - the position of a record if the record before it ends at @pos */
u64 par_log_next(u64 pos);

/* par_log_unit - the beginning of the unit of @pos */
static inline u64 par_log_unit(u64 pos)
{
	return pos - pos % PAR_LOG_UNIT;
}

/*
 * par_log_ring_take - reserve room for a record of at most @want blocks of data, not 0. Returns
 * their number, and the record's position in @pos; 0 if the ring is full. The record's end, for
 * par_log_ring_done(), is par_log_next() of the block behind it, which is the new head.
 */
unsigned int par_log_ring_take(struct par_log_ring *ring, unsigned int want, u64 *pos);

/*
 * par_log_ring_done - all records up to @pos, a record's end, are written
 * par_log_ring_flushed - a flush has ended; @pos was @done when it began
 * par_log_ring_free - the tail is stored as @pos: a unit's beginning, or @done. Units before
 *	it may be reused.
 */
void par_log_ring_done(struct par_log_ring *ring, u64 pos);
void par_log_ring_flushed(struct par_log_ring *ring, u64 pos);
void par_log_ring_free(struct par_log_ring *ring, u64 pos);

/*
 * par_log_ring_room - is there room for writes of @blocks blocks? Each may need a record of its
 *	own, and one block of each unit may stay unused.
 */
bool par_log_ring_room(const struct par_log_ring *ring, u64 blocks);

/* par_log_left - the number of blocks from @pos to the end of its unit */
static inline unsigned int par_log_left(u64 pos)
{
	return PAR_LOG_UNIT - pos % PAR_LOG_UNIT;
}

/* par_log_ring_used - blocks in use; par_log_ring_empty - is there no record? */
u32 par_log_ring_used(const struct par_log_ring *ring);

static inline bool par_log_ring_empty(const struct par_log_ring *ring)
{
	return ring->tail == ring->head;
}

#endif
