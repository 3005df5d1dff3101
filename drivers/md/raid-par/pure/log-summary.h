/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Summaries of the write log: what a group of units has, in one record. Pure: no I/O, no
 * allocation. See Documentation/log.md.
 *
 * Positions are divided into groups of units. The first record of a group is the summary of the
 * group in front of it: an ordinary record with a kind of its own, whose blocks of data have 8
 * bytes for each block of that group. If all of the group had been flushed, an assembly needs no
 * other record of it.
 */
#ifndef RAID_PAR_LOG_SUMMARY_H
#define RAID_PAR_LOG_SUMMARY_H

#include <linux/types.h>
#include "pure/log-format.h"
#include "pure/log-place.h"
#include "pure/log-ring.h"

#define PAR_LOG_SUMMARY_MOST	16U	/* blocks of data, for the largest group */

/* A block of the group: its entry, without the checksum; zeros if it is no block of data. */
struct par_disk_log_brief {
	__le32 block;		/*  0 number of a block of the array: low 32 bits … */
	__le16 block_high;	/*  4 … and high 16 bits */
	u8 sectors;		/*  6 valid sectors, a bit each; 0: a header, or not used */
	u8 pad;			/*  7 */
};				/*  8 */

#define PAR_LOG_BRIEFS	(PAR_LOG_BLOCK_BYTES / sizeof(struct par_disk_log_brief))

/**
 * struct par_log_summary - of the group that is being filled
 * @group: blocks in a group; @base: the beginning of the one that @brief is of
 * @brief: as it will be in the summary; the caller's memory, par_log_summary_bytes() of it
 */
struct par_log_summary {
	u32 group;
	u64 base;
	struct par_disk_log_brief *brief;
};

/* par_log_summary_blocks - blocks of data of a summary; par_log_summary_bytes - the same */
unsigned int par_log_summary_blocks(u32 group);

static inline size_t par_log_summary_bytes(u32 group)
{
	return par_log_summary_blocks(group) * PAR_LOG_BLOCK_BYTES;
}

/* par_log_group_of - the beginning of the group of @pos */
u64 par_log_group_of(u64 pos, u32 group);

/* par_log_summary_init - nothing is known of any group; @brief as above */
void par_log_summary_init(struct par_log_summary *summary, u32 group,
			  struct par_disk_log_brief *brief);

/*
 * par_log_summary_note - the block of data at @pos has @entry. Positions increase; all of a group
 * from the tail on are noted before its summary is made.
 */
void par_log_summary_note(struct par_log_summary *summary, u64 pos,
			  const struct par_log_entry *entry);

/* par_log_summary_due - is the next record of @ring to be the summary? */
bool par_log_summary_due(const struct par_log_summary *summary, const struct par_log_ring *ring);

/* par_log_summary_copy - its block of data @i, of PAR_LOG_BLOCK_BYTES, to @data */
void par_log_summary_copy(const struct par_log_summary *summary, unsigned int i, void *data);

/*
 * par_log_summary_get - what the summary whose blocks of data are @data has of the block at
 * @offset of its group. Returns false if it is no block of data.
 */
bool par_log_summary_get(const void *data, u32 offset, struct par_log_entry *entry);

/* par_log_summary_possible - are all entries of an array of @array_blocks blocks? */
bool par_log_summary_possible(const void *data, u32 group, u64 array_blocks);

#endif
