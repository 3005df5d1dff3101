// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a write goes to the write log or past it; see log-way.h for the contract.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <kunit/visibility.h>

#include "pure/log-way.h"

enum par_log_way par_log_way(const struct par_log_write *write)
{
	if (write->logged)
		return write->room && (write->low || !write->ending) ? PAR_LOG_APPEND :
								       PAR_LOG_WAIT;
	if (write->low && write->misses && !write->room)
		return PAR_LOG_WAIT;
	return write->low && !write->large && write->room ? PAR_LOG_APPEND : PAR_LOG_PAST;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_way);

bool par_log_full(const struct par_log_write *write)
{
	return !write->room && (write->logged || !write->large);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_full);

void par_log_pace_see(struct par_log_pace *pace, const struct par_log_ring *ring, u64 now)
{
	u32 used = par_log_ring_used(ring);
	bool first = !pace->at;

	if (!first && ring->head - pace->head < ring->blocks / 16)
		return;
	*pace = (struct par_log_pace) {
		.head = ring->head,
		.used = used,
		.at = now,
		.gained = first ? 0 : used - min(used, pace->used),
		.took = first ? 0 : now - pace->at,
	};
}
EXPORT_SYMBOL_IF_KUNIT(par_log_pace_see);

bool par_log_pace_fills(const struct par_log_pace *pace, const struct par_log_ring *ring,
			u64 now)
{
	u32 used = par_log_ring_used(ring);
	/* If the present step takes longer than the one before it, the log fills more slowly. */
	u64 took = max(pace->took, now - pace->at);

	return used > ring->blocks / 2 && pace->gained &&
	       (ring->blocks - used) * min_t(u64, took, U32_MAX) <=
	       (u64)PAR_LOG_AHEAD_MS * pace->gained;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_pace_fills);

u32 par_log_pace_delay(const struct par_log_ring *ring, u32 blocks)
{
	u32 room = ring->blocks - par_log_ring_used(ring);

	room -= min(room, 2 * PAR_LOG_UNIT);
	if (room >= ring->blocks / 4)
		return 0;
	return min(PAR_LOG_PACE_MS * blocks / max(room, 1U), PAR_LOG_PACE_MAX_MS);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_pace_delay);

void par_log_quota_look(struct par_log_quota *quota, const struct par_log_ring *ring, u32 live,
			bool waits)
{
	if (!waits || !quota->waits)
		*quota = (struct par_log_quota) { .waits = waits, .end = ring->head };
	if (!quota->waits || quota->limited || ring->tail < quota->end)
		return;
	quota->limited = true;
	quota->left = 2 * (s64)live;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_quota_look);

bool par_log_quota_allows(const struct par_log_quota *quota)
{
	return !quota->limited || quota->left > 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_quota_allows);

void par_log_quota_logged(struct par_log_quota *quota, u64 blocks)
{
	quota->left = max(quota->left - 2 * (s64)blocks, -2 * (s64)PAR_LOG_ENDING);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_quota_logged);

void par_log_quota_drained(struct par_log_quota *quota, u64 blocks)
{
	quota->left += blocks;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_quota_drained);
