/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Summaries of the units of the write log, as they are on the members: packing and checking.
 * Pure; no I/O. Documentation/log.md has the reasons. The idea is that of the segment summary of
 * log-structured file systems (Rosenblum and Ousterhout, The Design and Implementation of a
 * Log-Structured File System, 1992, section 3.2).
 *
 * A summary has the entries of all records of a unit, so that a start needs to read the records
 * only of units without a summary. It is written when all records of the unit have been
 * acknowledged *and flushed*, and names copies of the unit of which that is true. All records of
 * the unit are of one run, which also wrote the summary. All fields are little-endian.
 */
#ifndef RAID_PAR_LOG_SUMMARY_H
#define RAID_PAR_LOG_SUMMARY_H

#include <linux/types.h>
#include "pure/log-format.h"

#define PAR_LOG_SUMMARY_MAGIC	0x55524150U	/* "PARU" */

struct par_disk_log_summary {
	__le32 magic;		/*  0 PAR_LOG_SUMMARY_MAGIC */
	__le32 crc;		/*  4 CRC32C, seed ~0, of this block, with zeros here */
	__le64 epoch;		/*  8 the array's, see struct par_disk_super */
	__le64 run;		/* 16 of all records of the unit, and of the summary */
	__le64 pos;		/* 24 the position of the unit's beginning */
	__le64 tail;		/* 32 as stored when the last of the records was made */
	__le32 copies;		/* 40 copies of the unit that have all records, a bit each */
	__le32 records;		/* 44 their number */
	u8 pad0[16];		/* 48 */
	struct par_disk_log_entry entry[PAR_LOG_UNIT];	/* 64 by block; of headers: zeros */
	u8 pad1[2496];		/* 1600 */
};				/* 4096 */

/**
 * struct par_log_summary - the fields of a summary for the unit as a whole
 * @epoch, @run, @pos, @tail, @copies, @records: see above
 */
struct par_log_summary {
	u64 epoch, run, pos, tail;
	u32 copies;
	unsigned int records;
};

/* par_log_summary_begin - an empty summary; records and seal follow */
void par_log_summary_begin(struct par_disk_log_summary *raw);

/* par_log_summary_add - add the record with this header, which is sealed */
void par_log_summary_add(struct par_disk_log_summary *raw,
			 const struct par_disk_log_header *header);

/* par_log_summary_seal - complete the summary; no byte of it may change afterwards */
void par_log_summary_seal(struct par_disk_log_summary *raw, const struct par_log_summary *head);

/*
 * par_log_summary_check - is this a summary of the array with @epoch, with values that are
 * possible in an array of @array_blocks blocks whose units have @copies copies? Fills in @head if
 * so.
 */
bool par_log_summary_check(const struct par_disk_log_summary *raw, u64 epoch, u64 array_blocks,
			   unsigned int copies, struct par_log_summary *head);

/* par_log_summary_entry - the entry of block @i of the unit; false if it is no block of data */
bool par_log_summary_entry(const struct par_disk_log_summary *raw, unsigned int i,
			   struct par_log_entry *entry);

#endif
