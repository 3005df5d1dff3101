// SPDX-License-Identifier: GPL-2.0
/*
 * Decisions about members that turn and are not needed, and about those that do not wake
 * up; pure. See power.h for the contracts.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <kunit/visibility.h>

#include "pure/idle.h"

u32 par_idle_wait(const struct par_idle *idle)
{
	if (idle->off || idle->system)
		return U32_MAX;
	if (!idle->prompt && idle->quiet < idle->stop_after)
		return idle->stop_after - idle->quiet;
	return min_t(u64, idle->ration, PAR_ASK_RATION);
}
EXPORT_SYMBOL_IF_KUNIT(par_idle_wait);

unsigned int par_busy_next(unsigned int last)
{
	return last ? min(last * 2, PAR_BUSY_LAST) : PAR_BUSY_FIRST;
}
EXPORT_SYMBOL_IF_KUNIT(par_busy_next);

bool par_wake_over(unsigned long began, unsigned long now, u32 timeout)
{
	return time_after(now, began + 2UL * timeout * HZ);
}
EXPORT_SYMBOL_IF_KUNIT(par_wake_over);
