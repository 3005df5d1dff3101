// SPDX-License-Identifier: GPL-2.0
/*
 * Sectors that the write log has lost; see log-lost.h for the contract.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <kunit/visibility.h>

#include "pure/log-lost.h"

bool par_log_lost_add(struct par_log_lost *lost, u64 block, u8 sectors)
{
	unsigned int i;

	for (i = 0; i < lost->count; i++)
		if (lost->entry[i].block == block) {
			lost->entry[i].sectors |= sectors;
			return true;
		}
	if (lost->count == PAR_LOG_LOST)
		return false;
	lost->entry[lost->count].block = block;
	lost->entry[lost->count++].sectors = sectors;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_lost_add);

/* The sectors of @block that are among @sectors sectors from @sector on, a bit each. */
static u8 sectors_within(u64 block, u64 sector, u64 sectors)
{
	u64 from = block * PAR_LOG_BLOCK, end = sector + sectors;
	unsigned int first, last;

	if (!sectors || end <= from || sector >= from + PAR_LOG_BLOCK)
		return 0;
	first = sector > from ? sector - from : 0;
	last = min_t(u64, end - from, PAR_LOG_BLOCK) - 1;
	return GENMASK(last, first);
}

void par_log_lost_drop(struct par_log_lost *lost, u64 sector, u64 sectors)
{
	unsigned int i, kept = 0;

	for (i = 0; i < lost->count; i++) {
		struct par_log_entry *entry = &lost->entry[i];

		entry->sectors &= ~sectors_within(entry->block, sector, sectors);
		if (entry->sectors)
			lost->entry[kept++] = *entry;
	}
	lost->count = kept;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_lost_drop);

static bool sector_lost(const struct par_log_lost *lost, u64 sector)
{
	return par_log_lost_any(lost, sector, 1);
}

u32 par_log_lost_find(const struct par_log_lost *lost, u64 sector, u32 sectors, bool *is_lost)
{
	u32 i;

	*is_lost = sector_lost(lost, sector);
	if (!*is_lost && !par_log_lost_any(lost, sector, sectors))
		return sectors;
	for (i = 1; i < sectors && sector_lost(lost, sector + i) == *is_lost; i++)
		;
	return i;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_lost_find);

bool par_log_lost_any(const struct par_log_lost *lost, u64 sector, u32 sectors)
{
	unsigned int i;

	for (i = 0; i < lost->count; i++)
		if (lost->entry[i].sectors &
		    sectors_within(lost->entry[i].block, sector, sectors))
			return true;
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_lost_any);

void par_log_suspects_begin(struct par_log_suspects *suspects)
{
	suspects->pass++;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_suspects_begin);

void par_log_suspects_end(struct par_log_suspects *suspects)
{
	unsigned int i, kept = 0;

	for (i = 0; i < suspects->count; i++)
		if (suspects->entry[i].pass == suspects->pass)
			suspects->entry[kept++] = suspects->entry[i];
	suspects->count = kept;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_suspects_end);

static struct par_log_suspect *find_suspect(struct par_log_suspects *suspects, u64 block)
{
	unsigned int i;

	for (i = 0; i < suspects->count; i++)
		if (suspects->entry[i].block == block)
			return &suspects->entry[i];
	return NULL;
}

static struct par_log_suspect *add_suspect(struct par_log_suspects *suspects, u64 block, u64 now)
{
	struct par_log_suspect *suspect;

	if (suspects->count == PAR_LOG_LOST)
		return NULL;
	suspect = &suspects->entry[suspects->count++];
	*suspect = (struct par_log_suspect) {
		.block = block,
		.since = now,
		.pass = suspects->pass - 1,
	};
	return suspect;
}

bool par_log_suspect(struct par_log_suspects *suspects, u64 block, u64 now, bool gone)
{
	struct par_log_suspect *suspect = find_suspect(suspects, block);

	if (!suspect)
		suspect = add_suspect(suspects, block, now);
	if (!suspect)
		return false;
	/* A block may fail more than once in a pass: first among others, then alone. */
	if (suspect->pass != suspects->pass) {
		suspect->pass = suspects->pass;
		suspect->tries++;
		suspect->gone++;
	}
	if (!gone)
		suspect->gone = 0;
	return suspect->gone > PAR_LOG_LOST_TRIES ||
	       (suspect->tries > PAR_LOG_LOST_TRIES && now - suspect->since >= PAR_LOG_LOST_MS);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_suspect);

void par_log_acquit(struct par_log_suspects *suspects, u64 block)
{
	struct par_log_suspect *suspect = find_suspect(suspects, block);

	if (suspect)
		*suspect = suspects->entry[--suspects->count];
}
EXPORT_SYMBOL_IF_KUNIT(par_log_acquit);
