/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The space of the write log: which record goes where, what is in use. Pure: no locks but the
 * caller's. See Documentation/log.md.
 *
 *	tail ≤ stable ≤ done ≤ head ≤ beginning of the tail's unit + length of the ring
 *
 * A record is a block with its header and blocks of data behind it, of one unit. At a unit's
 * beginning there is always a record. A record has data, so the last block of a unit is never
 * one's header.
 */
#ifndef RAID_PAR_LOG_RING_H
#define RAID_PAR_LOG_RING_H

#include <linux/types.h>
#include "pure/log-place.h"

/**
 * struct par_log_ring - positions of the log, in blocks
 * @blocks: length of the ring
 * @tail: where a replay begins: as it is stored
 * @stable: all before it survive a power cut: flushed, as far as is known
 * @done: all records before it are written, and have been acknowledged
 * @head: where the next record begins
 */
struct par_log_ring {
	u32 blocks;
	u64 tail, stable, done, head;
};

/* par_log_ring_init - a ring in which nothing is, with its tail at @pos */
void par_log_ring_init(struct par_log_ring *ring, u32 blocks, u64 pos);

/* par_log_next - where a record begins if the one before it ends at @pos */
u64 par_log_next(u64 pos);

/* par_log_unit - the beginning of the unit that @pos is in */
static inline u64 par_log_unit(u64 pos)
{
	return pos - pos % PAR_LOG_UNIT;
}

/*
 * par_log_ring_take - room for a record of at most @want blocks of data, not 0. Returns how
 * many it has, and its position in @pos; 0 if the ring is full. Its end, for
 * par_log_ring_done(), is par_log_next() of the block behind it, which is the new head.
 */
unsigned int par_log_ring_take(struct par_log_ring *ring, unsigned int want, u64 *pos);

/*
 * par_log_ring_done - all records up to @pos, a record's end, are written
 * par_log_ring_flushed - so far the ring was done when a flush began that has ended
 * par_log_ring_free - the tail is stored as @pos: a unit's beginning, or @done. Units before
 *	it may be taken again.
 */
void par_log_ring_done(struct par_log_ring *ring, u64 pos);
void par_log_ring_flushed(struct par_log_ring *ring, u64 pos);
void par_log_ring_free(struct par_log_ring *ring, u64 pos);

/* par_log_ring_used - blocks that cannot be taken; par_log_ring_empty - there is no record */
u32 par_log_ring_used(const struct par_log_ring *ring);

static inline bool par_log_ring_empty(const struct par_log_ring *ring)
{
	return ring->tail == ring->head;
}

#endif
