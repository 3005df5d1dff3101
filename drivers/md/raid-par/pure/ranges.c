// SPDX-License-Identifier: GPL-2.0
/*
 * A short list that covers any number of ranges: see ranges.h for the contract.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/ranges.h"

/* Replace @count ranges from @at on by @by. */
static void replace_ranges(struct par_ranges *ranges, u32 at, u32 count, struct par_range by)
{
	memmove(&ranges->range[at + 1], &ranges->range[at + count],
		(ranges->count - at - count) * sizeof(by));
	ranges->range[at] = by;
	ranges->count += 1 - count;
}

static u64 gap_behind(const struct par_ranges *ranges, u32 at)
{
	return ranges->range[at + 1].first - ranges->range[at].end;
}

static void join_closest(struct par_ranges *ranges)
{
	struct par_range by;
	u32 at, best = 0;

	for (at = 1; at + 1 < ranges->count; at++)
		if (gap_behind(ranges, at) < gap_behind(ranges, best))
			best = at;
	by.first = ranges->range[best].first;
	by.end = ranges->range[best + 1].end;
	replace_ranges(ranges, best, 2, by);
	ranges->joined++;
}

void par_ranges_add(struct par_ranges *ranges, u64 first, u64 end)
{
	struct par_range by = { first, end };
	u32 at = 0, count;

	if (first >= end)
		return;
	ranges->added++;
	while (at < ranges->count && ranges->range[at].end < first)
		at++;
	for (count = 0; at + count < ranges->count; count++) {
		if (ranges->range[at + count].first > end)
			break;
		by.first = min(by.first, ranges->range[at + count].first);
		by.end = max(by.end, ranges->range[at + count].end);
	}
	replace_ranges(ranges, at, count, by);
	if (ranges->count > PAR_RANGES)
		join_closest(ranges);
}
EXPORT_SYMBOL_IF_KUNIT(par_ranges_add);
