// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the write log; see log-format.h for the contract.
 */
#include <linux/build_bug.h>
#include <linux/crc32c.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/format.h"
#include "pure/log-format.h"

static_assert(sizeof(struct par_disk_log_entry) == 12);
static_assert(sizeof(struct par_disk_log_header) == PAR_LOG_BLOCK_BYTES);
static_assert(offsetof(struct par_disk_log_header, count) == 40);
static_assert(offsetof(struct par_disk_log_header, tail) == 48);
static_assert(offsetof(struct par_disk_log_header, entry) == 64);
static_assert(offsetof(struct par_disk_log_header, pad1) == 1588);

static u32 header_crc(const struct par_disk_log_header *raw)
{
	return par_block_crc(raw, offsetof(struct par_disk_log_header, crc));
}

void par_log_header_begin(struct par_disk_log_header *raw)
{
	memset(raw, 0, sizeof(*raw));
	raw->magic = cpu_to_le32(PAR_LOG_MAGIC);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_header_begin);

void par_log_entry_pack(struct par_disk_log_header *raw, unsigned int i,
			const struct par_log_entry *entry, const void *data)
{
	struct par_disk_log_entry *to = &raw->entry[i];

	to->block = cpu_to_le32((u32)entry->block);
	to->block_high = cpu_to_le16(entry->block >> 32);
	to->sectors = entry->sectors;
	to->crc = cpu_to_le32(crc32c(~0, data, PAR_LOG_BLOCK_BYTES));
}
EXPORT_SYMBOL_IF_KUNIT(par_log_entry_pack);

void par_log_header_seal(struct par_disk_log_header *raw, const struct par_log_head *head)
{
	raw->epoch = cpu_to_le64(head->epoch);
	raw->run = cpu_to_le64(head->run);
	raw->pos = cpu_to_le64(head->pos);
	raw->stable = cpu_to_le64(head->stable);
	raw->tail = cpu_to_le64(head->tail);
	raw->count = cpu_to_le32(head->count);
	raw->crc = cpu_to_le32(header_crc(raw));
}
EXPORT_SYMBOL_IF_KUNIT(par_log_header_seal);

void par_log_entry_read(const struct par_disk_log_entry *raw, struct par_log_entry *entry)
{
	entry->block = le32_to_cpu(raw->block) | (u64)le16_to_cpu(raw->block_high) << 32;
	entry->sectors = raw->sectors;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_entry_read);

void par_log_entry_unpack(const struct par_disk_log_header *raw, unsigned int i,
			  struct par_log_entry *entry)
{
	par_log_entry_read(&raw->entry[i], entry);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_entry_unpack);

/* All blocks of a record are in one unit. */
static bool head_possible(const struct par_log_head *head)
{
	return head->count && head->pos % PAR_LOG_UNIT + 1 + head->count <= PAR_LOG_UNIT &&
	       head->stable <= head->pos && head->tail <= head->pos;
}

static bool entries_possible(const struct par_disk_log_header *raw, unsigned int count,
			     u64 array_blocks)
{
	struct par_log_entry entry;
	unsigned int i;

	for (i = 0; i < count; i++) {
		par_log_entry_unpack(raw, i, &entry);
		if (!entry.sectors || entry.block >= array_blocks)
			return false;
	}
	return true;
}

bool par_log_header_check(const struct par_disk_log_header *raw, u64 epoch, u64 pos,
			  u64 array_blocks, struct par_log_head *head)
{
	if (le32_to_cpu(raw->magic) != PAR_LOG_MAGIC ||
	    le64_to_cpu(raw->epoch) != epoch || le64_to_cpu(raw->pos) != pos ||
	    le32_to_cpu(raw->crc) != header_crc(raw))
		return false;
	*head = (struct par_log_head) {
		.epoch = epoch,
		.run = le64_to_cpu(raw->run),
		.pos = pos,
		.stable = le64_to_cpu(raw->stable),
		.tail = le64_to_cpu(raw->tail),
		.count = min(le32_to_cpu(raw->count), PAR_LOG_UNIT),
	};
	return head_possible(head) && entries_possible(raw, head->count, array_blocks);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_header_check);

u64 par_log_header_pos(const struct par_disk_log_header *raw)
{
	return le64_to_cpu(raw->pos);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_header_pos);

bool par_log_data_good(const struct par_disk_log_header *raw, unsigned int i,
		       const void *data)
{
	return le32_to_cpu(raw->entry[i].crc) == crc32c(~0, data, PAR_LOG_BLOCK_BYTES);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_data_good);
