/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of the write log, as they are on the members: packing and checking. Pure; no I/O.
 * Documentation/log.md has the reasons.
 *
 * A record is a header of 4 KiB followed by a block of data of 4 KiB for each entry, written by
 * one request. An entry names a block of the array and the sectors of it that its block of data
 * has. They have the same offsets as in the array's block; the other sectors are zeros. All
 * fields are little-endian. A record is valid only as a whole: the checksum (CRC32C, seed ~0)
 * of the header covers the entries, and the entries have the checksums of the data.
 */
#ifndef RAID_PAR_LOG_FORMAT_H
#define RAID_PAR_LOG_FORMAT_H

#include <linux/types.h>
#include "pure/log-place.h"

#define PAR_LOG_MAGIC		0x4c524150U	/* "PARL" */
#define PAR_LOG_BLOCK_BYTES	4096U
#define PAR_LOG_MAX_ENTRIES	(PAR_LOG_UNIT - 1)
#define PAR_LOG_BLOCK_BITS	48		/* of a block's number: 2^60 bytes */

struct par_disk_log_entry {
	__le32 block;		/*  0 number of a block of the array: low 32 bits … */
	__le16 block_high;	/*  4 … and high 16 bits */
	u8 sectors;		/*  6 valid sectors, a bit each; not 0 */
	u8 pad;			/*  7 */
	__le32 crc;		/*  8 of the block of data */
};				/* 12 */

struct par_disk_log_header {
	__le32 magic;		/*  0 PAR_LOG_MAGIC */
	__le32 crc;		/*  4 of this block, with zeros here */
	__le64 epoch;		/*  8 the array's, see struct par_disk_super */
	__le64 run;		/* 16 number of the use of the log */
	__le64 pos;		/* 24 the position of this block */
	__le64 stable;		/* 32 all records before this position had been flushed */
	__le32 count;		/* 40 entries, at least 1 */
	u8 pad0[4];		/* 44 */
	__le64 tail;		/* 48 as stored when this record was made; 0 in old records */
	u8 pad2[8];		/* 56 */
	struct par_disk_log_entry entry[PAR_LOG_MAX_ENTRIES];	/* 64 */
	u8 pad1[2508];		/* 1588 */
};				/* 4096 */

/**
 * struct par_log_head - the fields of a header for the record as a whole
 * @epoch: the array's; @run: the run in which the record was written
 * @pos: its position; @stable: all records before this position were known to be flushed
 * @tail: the tail in the newest superblock of that time, or 0
 * @count: the number of its blocks of data
 */
struct par_log_head {
	u64 epoch, run, pos, stable, tail;
	unsigned int count;
};

/**
 * struct par_log_entry - the block of the array to which a block of data belongs
 * @block: its number, in blocks of 4 KiB; @sectors: the sectors of it in the data, a bit each
 */
struct par_log_entry {
	u64 block;
	u8 sectors;
};

/* par_log_header_begin - an empty header; entries and seal follow */
void par_log_header_begin(struct par_disk_log_header *raw);

/* par_log_entry_pack - entry @i; its block of data @data is complete */
void par_log_entry_pack(struct par_disk_log_header *raw, unsigned int i,
			const struct par_log_entry *entry, const void *data);

/* par_log_header_seal - complete the header; no byte of it may change afterwards */
void par_log_header_seal(struct par_disk_log_header *raw, const struct par_log_head *head);

void par_log_entry_unpack(const struct par_disk_log_header *raw, unsigned int i,
			  struct par_log_entry *entry);

/* par_log_entry_read - the same for an entry of a header, or of a summary */
void par_log_entry_read(const struct par_disk_log_entry *raw, struct par_log_entry *entry);

/*
 * par_log_header_check - is this a header of the array with @epoch, at @pos, with values that are
 * possible in an array of @array_blocks blocks? Fills in @head if so.
 */
bool par_log_header_check(const struct par_disk_log_header *raw, u64 epoch, u64 pos,
			  u64 array_blocks, struct par_log_head *head);

/* par_log_header_pos - the position in a block that may be a header */
u64 par_log_header_pos(const struct par_disk_log_header *raw);

/* par_log_data_good - is @data the block of data of entry @i of a header that was checked? */
bool par_log_data_good(const struct par_disk_log_header *raw, unsigned int i,
		       const void *data);

#endif
