/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which slot each run of a band has, in memory and as stored. Pure: no I/O, no allocation; the
 * caller holds the lock. See Documentation/slots.md.
 *
 * Memory: 4 bytes for a run and 8 for a slot. The word of a run has the number of its slot. The
 * word of a run without a slot has the heat of the run, which slot-cache.c counts; the heat of a
 * run with a slot is kept with the slot. So no table of its own is needed for the heat.
 */
#ifndef RAID_PAR_SLOT_MAP_H
#define RAID_PAR_SLOT_MAP_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include "pure/slot-place.h"

#define PAR_NO_SLOT		U32_MAX
#define PAR_SLOT_NUMBER		0xffffffU	/* of a run or a slot: fewer than this many */

/* In the order of a slot's life; par_slot_moves in slot-map.c is the table of transitions. */
enum par_slot_state {
	PAR_SLOT_FREE,		/* of no run, also as stored; it has zeros, or was never used */
	PAR_SLOT_GIVEN,		/* of a run, but not stored as that: no image of it may be made */
	PAR_SLOT_HELD,		/* of a run, as stored: images may be made and used */
	PAR_SLOT_DIRTY,		/* the same, and some image may be the only valid copy */
	PAR_SLOT_CLOSED,	/* no image is made or used; stored segments may call some valid */
	PAR_SLOT_ZEROED,	/* the same, and zeros have been written to it; not flushed yet */
	PAR_SLOT_LEAVING,	/* it has zeros, which are stable: to be stored as free */
	PAR_SLOT_STATES,
};

enum par_slot_event {
	PAR_SLOT_GIVE,		/* it is assigned to a run */
	PAR_SLOT_WITHDRAW,	/* the assignment is taken back before it was stored */
	PAR_SLOT_STORED,	/* the slot map that has the run is stable */
	PAR_SLOT_WRITE,		/* an image is to be written, and not the home copy */
	PAR_SLOT_CLEANED,	/* no segment of the run is "image" in memory any more */
	PAR_SLOT_CLOSE,		/* the run is evicted */
	PAR_SLOT_KEEP,		/* the eviction is given up: no zeros have been written */
	PAR_SLOT_ZERO,		/* zeros have been written to it: stored segments call none valid */
	PAR_SLOT_TOLD,		/* these zeros are stable */
	PAR_SLOT_GONE,		/* it is stored as free; requests that had found it have ended */
	PAR_SLOT_EVENTS,
};

struct par_slot {
	u32 word;		/* run and state */
	u32 heat;		/* of the run */
};

/* struct par_slot.word, from the lowest bit */
#define PAR_SLOT_STATE_SHIFT	24
#define PAR_SLOT_STATE_MASK	(7U << PAR_SLOT_STATE_SHIFT)

/* The word of a run: its slot, or without a slot its heat, of 31 bits. */
#define PAR_RUN_HAS_SLOT	BIT(31)

/**
 * struct par_slot_map - the slots of a band
 * @runs, @slots: numbers of runs and slots, less than PAR_SLOT_NUMBER
 * @run: a word for each run; @slot: one for each slot; @free: number of free slots by block of
 *	the stored map. Memory of the caller, all zeros at first
 * @count: number of slots by state
 */
struct par_slot_map {
	u32 runs, slots;
	u32 *run;
	struct par_slot *slot;
	u16 *free;
	u32 count[PAR_SLOT_STATES];
};

void par_slot_map_init(struct par_slot_map *map, u32 runs, u32 slots, u32 *run,
		       struct par_slot *slot, u16 *free);

static inline enum par_slot_state par_slot_state(const struct par_slot_map *map, u32 slot)
{
	/* Also called without the lock: a state is looked at more than once. */
	return (READ_ONCE(map->slot[slot].word) & PAR_SLOT_STATE_MASK) >> PAR_SLOT_STATE_SHIFT;
}

/* par_slot_run_of - the run of a slot that is not free */
static inline u32 par_slot_run_of(const struct par_slot_map *map, u32 slot)
{
	return map->slot[slot].word & PAR_SLOT_NUMBER;
}

/*
 * par_slot_of - the slot in which images of @run may be made and used, or PAR_NO_SLOT
 * par_slot_any - the slot of @run in any state: as long as there is one, the run gets no other
 */
u32 par_slot_of(const struct par_slot_map *map, u32 run);
u32 par_slot_any(const struct par_slot_map *map, u32 run);

/*
 * par_slot_givable - after the next give, may images of @run be made? It has no slot and one is
 *	free, or its slot is given, and only has to be stored. If its slot is closed, zeroed or
 *	leaving, no give helps: such a slot waits for the end of an eviction. Called without the
 *	lock
 */
bool par_slot_givable(const struct par_slot_map *map, u32 run);

/*
 * par_slot_heat - the heat word that slot-cache.c keeps for @run, with the run or with its slot; 0
 *	at first, and after a load
 * par_slot_set_heat - set this word, of at most 31 bits
 */
u32 par_slot_heat(const struct par_slot_map *map, u32 run);
void par_slot_set_heat(struct par_slot_map *map, u32 run, u32 heat);

/* par_slot_map_find_free - a free slot, of the stored block that is nearest to the one of @near */
u32 par_slot_map_find_free(const struct par_slot_map *map, u32 near);

/*
 * par_slot_map_give - give @slot to @run. Returns false, and changes nothing, if the slot is not
 *	free or the run has one
 * par_slot_map_move - let any other event happen. Returns false, and changes nothing, if there is
 *	no such transition
 */
bool par_slot_map_give(struct par_slot_map *map, u32 slot, u32 run);
bool par_slot_map_move(struct par_slot_map *map, u32 slot, enum par_slot_event event);

/* The payload of a block: for each slot its run plus 1, or 0. */
struct par_disk_slots {
	__le32 run[PAR_SLOTS_A_BLOCK];
};				/* 3840 */

/*
 * par_slot_map_pack - pack block @block as it is to be stored now. A closed or zeroed slot is
 * stored as its run's: the stored segments may still call its images valid, and after a cut it may
 * still have them.
 */
void par_slot_map_pack(const struct par_slot_map *map, u32 block, struct par_disk_slots *raw);

enum par_slot_load {
	PAR_SLOT_LOADED,
	PAR_SLOT_RANGE,		/* such a run or slot does not exist: the block counts as torn */
	PAR_SLOT_TWICE,		/* some run has two slots: it is unknown which is right */
};

/*
 * par_slot_map_load - load a stored block, at assembly; all slots of the block are free before.
 * @doubtful: a newer version may exist. Such blocks are loaded last, the newest first: a run that
 * has a slot in another block by then has lost the one here since. After PAR_SLOT_RANGE all slots
 * of the block are free. After PAR_SLOT_TWICE the block is loaded, and runs that have two slots are
 * to have none.
 * par_slot_map_loaded - all blocks are loaded: take the slots from these runs
 */
enum par_slot_load par_slot_map_load(struct par_slot_map *map, u32 block,
				     const struct par_disk_slots *raw, bool doubtful);
void par_slot_map_loaded(struct par_slot_map *map);

#endif
