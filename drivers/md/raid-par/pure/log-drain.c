// SPDX-License-Identifier: GPL-2.0
/*
 * Draining the write log; see log-drain.h for the contract.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/sort.h>
#include <kunit/visibility.h>

#include "pure/log-drain.h"

static const struct par_log_slot *unit_at(const struct par_log_index *index, u64 pos)
{
	u32 u;

	div_u64_rem(div_u64(pos, PAR_LOG_UNIT), index->units, &u);
	return index->unit[u];
}

/* Has the unit at @pos a live block? Records that are not done are in no slot yet. */
static bool unit_live(const struct par_log_index *index, u64 pos)
{
	const struct par_log_slot *slots = unit_at(index, pos);
	unsigned int i;

	for (i = 0; slots && i < PAR_LOG_UNIT; i++)
		if (slots[i].live)
			return true;
	return false;
}

u64 par_log_drain_tail(const struct par_log_index *index, const struct par_log_ring *ring)
{
	u64 pos = par_log_unit(ring->tail);

	while (pos < ring->done && !unit_live(index, pos))
		pos += PAR_LOG_UNIT;
	return clamp(pos, ring->tail, ring->done);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_drain_tail);

static int by_number(const void *a, const void *b)
{
	u64 one = *(const u64 *)a, other = *(const u64 *)b;

	return one < other ? -1 : one > other;
}

static unsigned int drop_doubles(u64 *blocks, unsigned int count)
{
	unsigned int i, kept = 0;

	for (i = 0; i < count; i++)
		if (!kept || blocks[kept - 1] != blocks[i])
			blocks[kept++] = blocks[i];
	return kept;
}

unsigned int par_log_drain_pick(const struct par_log_index *index,
				const struct par_log_ring *ring, u64 *blocks,
				unsigned int max)
{
	unsigned int i, count = 0;
	u64 pos;

	for (pos = par_log_unit(ring->tail); pos < ring->done; pos += PAR_LOG_UNIT) {
		const struct par_log_slot *slots = unit_at(index, pos);

		for (i = 0; slots && i < PAR_LOG_UNIT && count < max; i++)
			if (slots[i].live)
				blocks[count++] = slots[i].block |
						  (u64)slots[i].block_high << 32;
	}
	sort(blocks, count, sizeof(*blocks), by_number, NULL);
	return drop_doubles(blocks, count);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_drain_pick);

u32 par_log_drain_again(const struct par_log_index *index, const struct par_log_ring *ring)
{
	u32 free = ring->blocks - par_log_ring_used(ring), left = par_log_left(ring->head);
	/* Two units are kept free, and those of the tail and of the head are used in part. */
	u32 most = ring->blocks - ring->blocks / PAR_LOG_GAIN - 4 * PAR_LOG_UNIT;

	if (!free || index->live > most)
		return 0;
	/* Full units: with a part of a unit each time, headers could take all that is gained. */
	return left - 1 + (free > left ? PAR_LOG_UNIT - 1 : 0);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_drain_again);

unsigned int par_log_drain_stripe(const u64 *blocks, unsigned int count, u32 stripe)
{
	u64 end = (div_u64(blocks[0], stripe) + 1) * stripe;
	unsigned int i = 1;

	while (i < count && blocks[i] < end)
		i++;
	return i;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_drain_stripe);

enum par_log_drain_why par_log_drain_why(const struct par_log_need *need)
{
	u32 enough = need->filling ? need->blocks / 4 : need->blocks / 2;

	if (!need->used)
		return PAR_LOG_REST;
	if (need->top)
		return PAR_LOG_TOP;
	if (need->used > enough)
		return PAR_LOG_FILLING;
	return need->idle >= PAR_LOG_IDLE_MS ? PAR_LOG_IDLE : PAR_LOG_REST;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_drain_why);

u32 par_log_drain_delay(unsigned int tries)
{
	unsigned int doubled = tries > PAR_LOG_RETRIES ? tries - PAR_LOG_RETRIES : 0;

	return min(PAR_LOG_RETRY_MS << min(doubled, 8U), PAR_LOG_RETRY_MAX_MS);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_drain_delay);
