/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which blocks of the array the write log has, and where. Pure: no I/O, no allocation; the
 * caller has the lock. See Documentation/log.md.
 *
 * Each place of the ring has a slot of 12 bytes, which describes the block of data there. The
 * slots of a block of the array are chained, the newest first. The table of chains has a power
 * of two of them, at most three for four places, which is 3 bytes per place. Chains need no
 * memory besides the slots, so a record with room in the ring has room in the index.
 *
 * A slot is *live* for the sectors of which its place has the newest content: reads use it. No
 * two slots of a block are live for the same sector. A slot without live sectors stays *linked*
 * until the stored tail is past its unit, unless a newer slot of its block is linked: a replay
 * would write the block, so it must not be written past the log.
 */
#ifndef RAID_PAR_LOG_INDEX_H
#define RAID_PAR_LOG_INDEX_H

#include <linux/types.h>
#include "pure/log-format.h"
#include "pure/log-place.h"

struct par_log_slot {
	u32 next;		/* next place of the chain, plus one; 0: none */
	u32 block;		/* low 32 bits … */
	u16 block_high;		/* … and high 16 bits */
	u8 live;		/* sectors, a bit each */
	u8 linked : 1;
	u8 lacking : PAR_LOG_MAX_COPIES;	/* copies without this block */
};

#define PAR_LOG_SLOTS_BYTES	(PAR_LOG_UNIT * sizeof(struct par_log_slot))

/**
 * struct par_log_index - the places of blocks in the log
 * @units: of the ring; @unit: the slots of each, NULL if it is closed; the caller's memory
 * @chain: the newest place of each chain, plus one; 0: none; the caller's memory
 * @bits: there are 1 << bits chains
 * @open: units that have slots; @live: slots that have live sectors
 */
struct par_log_index {
	u32 units;
	struct par_log_slot **unit;
	u32 *chain;
	unsigned int bits;
	u32 open, live;
};

/* par_log_index_bits - the bits of the number of chains for a ring of @units units */
unsigned int par_log_index_bits(u32 units);

/* par_log_index_init - both arrays are zeroed, with @units and 1 << bits elements */
void par_log_index_init(struct par_log_index *index, u32 units,
			struct par_log_slot **unit, u32 *chain);

/*
 * par_log_index_open - unit @u has room for records; @slots: PAR_LOG_SLOTS_BYTES, until the unit
 *	is closed
 * par_log_index_close - the tail is stored past unit @u, which has no live slot. Returns its
 *	slots; NULL if it was not open.
 */
void par_log_index_open(struct par_log_index *index, u32 u, struct par_log_slot *slots);
struct par_log_slot *par_log_index_close(struct par_log_index *index, u32 u);

/*
 * par_log_index_add - @place, in an open unit, has @entry, which is newer than all others. Called
 * in the order of positions, also for the records that a replay finds.
 */
void par_log_index_add(struct par_log_index *index, u32 place,
		       const struct par_log_entry *entry);

/**
 * struct par_log_piece - contiguous sectors
 * @sectors: their number; @logged: they are in the log, else at home
 * @sector: their sector in the ring, if they are in the log: PAR_LOG_BLOCK for each place. All
 *	are in one unit.
 * @lacking: copies that lack some of them, a bit each
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

/* par_log_index_has - would a replay write one of these blocks? */
bool par_log_index_has(struct par_log_index *index, u64 sector, u64 sectors);

#define PAR_LOG_SWEEP	1024U	/* slots or blocks that are visited in one call */

/**
 * struct par_log_sweep - sectors whose content is not needed any more: those that are left
 * @unit: their slots in the units before it have been visited
 */
struct par_log_sweep {
	u64 sector, sectors;
	u32 unit;
};

/*
 * par_log_index_discard - some of these sectors are not live any more. Returns whether more are
 * left, for another call: the caller holds a lock.
 */
bool par_log_index_discard(struct par_log_index *index, struct par_log_sweep *left);

#define PAR_LOG_PARTS	PAR_LOG_BLOCK	/* the maximum for a block */

/**
 * struct par_log_part - the sectors of a block of the array that are in one place
 * @place: of the ring; @sectors: a bit each; @lacking: copies without them
 */
struct par_log_part {
	u32 place;
	u8 sectors, lacking;
};

/*
 * par_log_index_lacks - some copies lack the block that was just added at @place
 * par_log_index_healed - no copy lacks any of the @count blocks from @place on, in one unit
 */
void par_log_index_lacks(struct par_log_index *index, u32 place, u8 copies);
void par_log_index_healed(struct par_log_index *index, u32 place, unsigned int count);

/*
 * par_log_index_parts - the places of @block; returns the number of its parts
 * par_log_index_drained - a part that par_log_index_parts() has returned is at home. Its unit has
 *	not been closed since; some of its sectors may have been written again.
 */
unsigned int par_log_index_parts(const struct par_log_index *index, u64 block,
				 struct par_log_part *parts);
void par_log_index_drained(struct par_log_index *index, const struct par_log_part *part);

/* par_log_index_live - the sectors of such a part that have not been written again */
u8 par_log_index_live(const struct par_log_index *index, const struct par_log_part *part);

#endif
