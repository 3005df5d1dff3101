// SPDX-License-Identifier: GPL-2.0
/*
 * Summaries of the units of the write log; see log-summary.h for the contract.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/format.h"
#include "pure/log-summary.h"

static_assert(sizeof(struct par_disk_log_summary) == PAR_LOG_BLOCK_BYTES);
static_assert(offsetof(struct par_disk_log_summary, copies) == 40);
static_assert(offsetof(struct par_disk_log_summary, entry) == 64);
static_assert(offsetof(struct par_disk_log_summary, pad1) == 1600);

static u32 summary_crc(const struct par_disk_log_summary *raw)
{
	return par_block_crc(raw, offsetof(struct par_disk_log_summary, crc));
}

void par_log_summary_begin(struct par_disk_log_summary *raw)
{
	memset(raw, 0, sizeof(*raw));
	raw->magic = cpu_to_le32(PAR_LOG_SUMMARY_MAGIC);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_begin);

void par_log_summary_add(struct par_disk_log_summary *raw,
			 const struct par_disk_log_header *header)
{
	unsigned int first = par_log_header_pos(header) % PAR_LOG_UNIT + 1;

	memcpy(&raw->entry[first], header->entry,
	       le32_to_cpu(header->count) * sizeof(raw->entry[0]));
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_add);

void par_log_summary_seal(struct par_disk_log_summary *raw, const struct par_log_summary *head)
{
	raw->epoch = cpu_to_le64(head->epoch);
	raw->run = cpu_to_le64(head->run);
	raw->pos = cpu_to_le64(head->pos);
	raw->tail = cpu_to_le64(head->tail);
	raw->copies = cpu_to_le32(head->copies);
	raw->records = cpu_to_le32(head->records);
	raw->crc = cpu_to_le32(summary_crc(raw));
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_seal);

bool par_log_summary_entry(const struct par_disk_log_summary *raw, unsigned int i,
			   struct par_log_entry *entry)
{
	par_log_entry_read(&raw->entry[i], entry);
	return entry->sectors;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_entry);

/* A unit begins with a header, and each record has data. */
static bool entries_possible(const struct par_disk_log_summary *raw, unsigned int records,
			     u64 array_blocks)
{
	struct par_log_entry entry;
	unsigned int i, data = 0;

	if (par_log_summary_entry(raw, 0, &entry))
		return false;
	for (i = 1; i < PAR_LOG_UNIT; i++) {
		if (!par_log_summary_entry(raw, i, &entry))
			continue;
		if (entry.block >= array_blocks)
			return false;
		data++;
	}
	return records && records <= data && records + data <= PAR_LOG_UNIT;
}

bool par_log_summary_check(const struct par_disk_log_summary *raw, u64 epoch, u64 array_blocks,
			   unsigned int copies, struct par_log_summary *head)
{
	if (le32_to_cpu(raw->magic) != PAR_LOG_SUMMARY_MAGIC ||
	    le64_to_cpu(raw->epoch) != epoch || le32_to_cpu(raw->crc) != summary_crc(raw))
		return false;
	*head = (struct par_log_summary) {
		.epoch = epoch,
		.run = le64_to_cpu(raw->run),
		.pos = le64_to_cpu(raw->pos),
		.tail = le64_to_cpu(raw->tail),
		.copies = le32_to_cpu(raw->copies),
		.records = le32_to_cpu(raw->records),
	};
	return !(head->pos % PAR_LOG_UNIT) && head->tail < head->pos + PAR_LOG_UNIT &&
	       head->copies && !(head->copies >> copies) &&
	       entries_possible(raw, head->records, array_blocks);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summary_check);
