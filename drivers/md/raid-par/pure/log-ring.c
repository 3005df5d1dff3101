// SPDX-License-Identifier: GPL-2.0
/*
 * The space of the write log; see log-ring.h for the contract.
 */
#include <linux/kernel.h>
#include <kunit/visibility.h>

#include "pure/log-ring.h"

void par_log_ring_init(struct par_log_ring *ring, u32 blocks, u64 pos)
{
	*ring = (struct par_log_ring) {
		.blocks = blocks,
		.tail = pos,
		.stable = pos,
		.done = pos,
		.head = pos,
	};
}
EXPORT_SYMBOL_IF_KUNIT(par_log_ring_init);

u64 par_log_next(u64 pos)
{
	return par_log_left(pos) < 2 ? pos + 1 : pos;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_next);

unsigned int par_log_ring_take(struct par_log_ring *ring, unsigned int want, u64 *pos)
{
	unsigned int count = min(want, par_log_left(ring->head) - 1);

	/* Only whole units are reused: the tail's unit is not begun a second time. */
	if (par_log_ring_used(ring) == ring->blocks)
		return 0;
	*pos = ring->head;
	ring->head = par_log_next(ring->head + 1 + count);
	return count;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_ring_take);

void par_log_ring_done(struct par_log_ring *ring, u64 pos)
{
	ring->done = max(ring->done, pos);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_ring_done);

void par_log_ring_flushed(struct par_log_ring *ring, u64 pos)
{
	ring->stable = max(ring->stable, pos);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_ring_flushed);

void par_log_ring_free(struct par_log_ring *ring, u64 pos)
{
	ring->tail = max(ring->tail, pos);
	ring->stable = max(ring->stable, pos);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_ring_free);

u32 par_log_ring_used(const struct par_log_ring *ring)
{
	return ring->head - par_log_unit(ring->tail);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_ring_used);

bool par_log_ring_room(const struct par_log_ring *ring, u64 blocks)
{
	return par_log_ring_used(ring) + 2 * blocks + 2 * PAR_LOG_UNIT <= ring->blocks;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_ring_room);
