/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which blocks of the array the write log has, and where. Pure: no I/O, no allocation; the
 * caller has the lock. See Documentation/log.md.
 *
 * Each place of the ring has a slot, which tells what the block of data there is: 12 bytes.
 * The slots of a block of the array are chained, newest first; a table of a power of two of
 * chains, at most three for four places, is 3 bytes a place. The chains need no memory that
 * the places do not have, so a record that has room in the ring has it in the index.
 *
 * A slot is *live* for those sectors for which its place has the newest content: they are read
 * there. No two slots of a block are live for the same sector. A slot without live sectors
 * stays *linked* until the stored tail is past its unit, unless a newer one of its block is: a
 * replay would write the block, so nothing may write it past the log.
 */
#ifndef RAID_PAR_LOG_INDEX_H
#define RAID_PAR_LOG_INDEX_H

#include <linux/types.h>
#include "pure/log-format.h"
#include "pure/log-place.h"

struct par_log_slot {
	u32 next;		/* of the chain: a place and one more, 0: none */
	u32 block;		/* low 32 bits … */
	u16 block_high;		/* … and the others */
	u8 live;		/* sectors, a bit each */
	u8 linked : 1;
	u8 lacking : PAR_LOG_MAX_COPIES;	/* copies that do not have it */
};

#define PAR_LOG_SLOTS_BYTES	(PAR_LOG_UNIT * sizeof(struct par_log_slot))

/**
 * struct par_log_index - what is in the log
 * @units: of the ring; @unit: the slots of each, NULL if it is closed; the caller's memory
 * @chain: the newest place of each chain and one more, 0: none; the caller's memory
 * @bits: of the number of chains
 * @open: units that have slots; @live: slots that have live sectors
 */
struct par_log_index {
	u32 units;
	struct par_log_slot **unit;
	u32 *chain;
	unsigned int bits;
	u32 open, live;
};

/* par_log_index_bits - of the number of chains for a ring of @units units */
unsigned int par_log_index_bits(u32 units);

/* par_log_index_init - both arrays are zeros, of @units and of 1 << bits elements */
void par_log_index_init(struct par_log_index *index, u32 units,
			struct par_log_slot **unit, u32 *chain);

/*
 * par_log_index_open - unit @u has room for records; @slots: PAR_LOG_SLOTS_BYTES, for as long
 * par_log_index_close - the tail is stored past unit @u, in which nothing is live. Returns its
 *	slots; NULL if it was not open.
 */
void par_log_index_open(struct par_log_index *index, u32 u, struct par_log_slot *slots);
struct par_log_slot *par_log_index_close(struct par_log_index *index, u32 u);

/*
 * par_log_index_add - @place, of an open unit, has @entry, which is newer than all others.
 * In the order of their positions; also for those that a replay finds.
 */
void par_log_index_add(struct par_log_index *index, u32 place,
		       const struct par_log_entry *entry);

/**
 * struct par_log_piece - sectors that are together
 * @sectors: how many; @logged: they are in the log, else at home
 * @sector: of the ring, if they are in the log: PAR_LOG_BLOCK for each place. All are of one
 *	unit.
 * @lacking: copies that do not have all of it, a bit each
 */
struct par_log_piece {
	u32 sectors;
	bool logged;
	u8 lacking;
	u64 sector;
};

/* par_log_index_find - the first piece of @sectors sectors, not 0, of the array from @sector */
void par_log_index_find(const struct par_log_index *index, u64 sector, u32 sectors,
			struct par_log_piece *piece);

/* par_log_index_has - is there a block of these that a replay would write? */
bool par_log_index_has(struct par_log_index *index, u64 sector, u64 sectors);

/* par_log_index_discard - nothing needs the content of these sectors any more */
void par_log_index_discard(struct par_log_index *index, u64 sector, u64 sectors);

#define PAR_LOG_PARTS	PAR_LOG_BLOCK	/* of a block, at most */

/**
 * struct par_log_part - the sectors of a block of the array that are in one place
 * @place: of the ring; @sectors: a bit each; @lacking: copies that do not have them
 */
struct par_log_part {
	u32 place;
	u8 sectors, lacking;
};

/*
 * par_log_index_lacks - some copies do not have what has just been added at @place
 * par_log_index_healed - all copies have everything
 */
void par_log_index_lacks(struct par_log_index *index, u32 place, u8 copies);
void par_log_index_healed(struct par_log_index *index);

/*
 * par_log_index_parts - where @block is; returns how many parts it has
 * par_log_index_drained - a part that par_log_index_parts() has told is at home. Its unit has
 *	not been closed since; some of its sectors may have been written again.
 */
unsigned int par_log_index_parts(const struct par_log_index *index, u64 block,
				 struct par_log_part *parts);
void par_log_index_drained(struct par_log_index *index, const struct par_log_part *part);

/* par_log_index_live - which sectors of such a part have not been written again */
u8 par_log_index_live(const struct par_log_index *index, const struct par_log_part *part);

#endif
