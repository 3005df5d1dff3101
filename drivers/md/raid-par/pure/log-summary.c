// SPDX-License-Identifier: GPL-2.0
/*
 * Summaries of the write log; see log-summary.h for the contract.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/log-summary.h"

static_assert(sizeof(struct par_disk_log_brief) == 8);
static_assert(PAR_LOG_GROUP_UNITS * PAR_LOG_UNIT <= PAR_LOG_SUMMARY_MOST * PAR_LOG_BRIEFS);
static_assert(PAR_LOG_SUMMARY_MOST < PAR_LOG_UNIT);

unsigned int par_log_summary_blocks(u32 group)
{
	return DIV_ROUND_UP(group, PAR_LOG_BRIEFS);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_blocks);

static u32 offset_of(u64 pos, u32 group)
{
	u32 offset;

	div_u64_rem(pos, group, &offset);
	return offset;
}

u64 par_log_group_of(u64 pos, u32 group)
{
	return pos - offset_of(pos, group);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_group_of);

void par_log_summary_init(struct par_log_summary *summary, u32 group,
			  struct par_disk_log_brief *brief)
{
	*summary = (struct par_log_summary) {
		.group = group,
		.base = U64_MAX,
		.brief = brief,
	};
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_init);

void par_log_summary_note(struct par_log_summary *summary, u64 pos,
			  const struct par_log_entry *entry)
{
	u32 offset = offset_of(pos, summary->group);

	if (summary->base != pos - offset) {
		memset(summary->brief, 0, par_log_summary_bytes(summary->group));
		summary->base = pos - offset;
	}
	summary->brief[offset] = (struct par_disk_log_brief) {
		.block = cpu_to_le32((u32)entry->block),
		.block_high = cpu_to_le16(entry->block >> 32),
		.sectors = entry->sectors,
	};
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_note);

bool par_log_summary_due(const struct par_log_summary *summary, const struct par_log_ring *ring)
{
	/* An empty log has nothing in front of its head. */
	return !offset_of(ring->head, summary->group) && !par_log_ring_empty(ring) &&
	       summary->base == ring->head - summary->group;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_due);

void par_log_summary_copy(const struct par_log_summary *summary, unsigned int i, void *data)
{
	memcpy(data, summary->brief + i * PAR_LOG_BRIEFS, PAR_LOG_BLOCK_BYTES);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_copy);

bool par_log_summary_get(const void *data, u32 offset, struct par_log_entry *entry)
{
	const struct par_disk_log_brief *brief = data;

	brief += offset;
	entry->block = le32_to_cpu(brief->block) | (u64)le16_to_cpu(brief->block_high) << 32;
	entry->sectors = brief->sectors;
	return entry->sectors;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_get);

bool par_log_summary_possible(const void *data, u32 group, u64 array_blocks)
{
	struct par_log_entry entry;
	u32 i;

	for (i = 0; i < group; i++)
		if (par_log_summary_get(data, i, &entry) && entry.block >= array_blocks)
			return false;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_possible);
