/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which slot each run of a band has, in memory and as it is stored. Pure: no I/O, no
 * allocation; the caller has the lock. See Documentation/slots.md.
 *
 * Memory: 4 bytes a run and 8 a slot. A run's word has its slot. A run without one has no use for
 * that, so its heat is kept there, which slot-cache.c counts; that of a run with a slot is kept in
 * the slot. So each run has its heat, and no table of its own is needed for that.
 */
#ifndef RAID_PAR_SLOT_MAP_H
#define RAID_PAR_SLOT_MAP_H

#include <linux/bits.h>
#include <linux/types.h>
#include "pure/slot-place.h"

#define PAR_NO_SLOT		U32_MAX
#define PAR_SLOT_NUMBER		0xffffffU	/* of a run or a slot: fewer than this many */

/* As they follow each other; par_slot_moves in slot-map.c is the table. */
enum par_slot_state {
	PAR_SLOT_FREE,		/* of no run, also as stored */
	PAR_SLOT_GIVEN,		/* of a run, which is not stored yet: no image of it may be made */
	PAR_SLOT_HELD,		/* of a run, as stored: images may be made and used */
	PAR_SLOT_DIRTY,		/* the same, and some image may be the only valid copy */
	PAR_SLOT_CLOSED,	/* no image is made or used; stored segments may call some valid */
	PAR_SLOT_LEAVING,	/* stored segments call none valid: to be stored as free */
	PAR_SLOT_STATES,
};

enum par_slot_event {
	PAR_SLOT_GIVE,		/* a run is assigned */
	PAR_SLOT_WITHDRAW,	/* before it was stored: not any more */
	PAR_SLOT_STORED,	/* the slot map that has the run is stable */
	PAR_SLOT_WRITE,		/* an image is to be written, the home copy is not */
	PAR_SLOT_CLEANED,	/* no segment of the run is "image" in memory */
	PAR_SLOT_CLOSE,		/* the run is evicted */
	PAR_SLOT_TOLD,		/* stored segments call no image of the run valid */
	PAR_SLOT_GONE,		/* "free" is stored, requests that had found the slot have ended */
	PAR_SLOT_EVENTS,
};

struct par_slot {
	u32 word;		/* run and state */
	u32 heat;		/* the run's */
};

/* struct par_slot.word, from the lowest bit */
#define PAR_SLOT_STATE_SHIFT	24
#define PAR_SLOT_STATE_MASK	(7U << PAR_SLOT_STATE_SHIFT)

/* A run's word: a slot, or the heat of a run without one, which has 31 bits. */
#define PAR_RUN_HAS_SLOT	BIT(31)

/**
 * struct par_slot_map - of a band
 * @runs, @slots: how many, fewer than PAR_SLOT_NUMBER
 * @run: a word for each run; @slot: for each slot; @free: free slots by block of the stored
 *	map. The caller's memory, all zeros at first
 * @count: slots by state
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
	return (map->slot[slot].word & PAR_SLOT_STATE_MASK) >> PAR_SLOT_STATE_SHIFT;
}

/* par_slot_run_of - the run of a slot that is not free */
static inline u32 par_slot_run_of(const struct par_slot_map *map, u32 slot)
{
	return map->slot[slot].word & PAR_SLOT_NUMBER;
}

/*
 * par_slot_of - the slot in which images of @run may be made and used, or PAR_NO_SLOT
 * par_slot_any - the same in any state: as long as there is one, the run gets no other
 */
u32 par_slot_of(const struct par_slot_map *map, u32 run);
u32 par_slot_any(const struct par_slot_map *map, u32 run);

/*
 * par_slot_heat - what slot-cache.c keeps of @run, wherever that is; 0 at first, and after a load
 * par_slot_set_heat - at most 31 bits
 */
u32 par_slot_heat(const struct par_slot_map *map, u32 run);
void par_slot_set_heat(struct par_slot_map *map, u32 run, u32 heat);

/* par_slot_map_find_free - a free slot, of the stored block that is nearest to @near's */
u32 par_slot_map_find_free(const struct par_slot_map *map, u32 near);

/*
 * par_slot_map_give - the free @slot to @run, which has none; false: one of these is not so
 * par_slot_map_move - any other event; false: there is no such transition, nothing has changed
 */
bool par_slot_map_give(struct par_slot_map *map, u32 slot, u32 run);
bool par_slot_map_move(struct par_slot_map *map, u32 slot, enum par_slot_event event);

/* A block's payload: of each slot the run and one more, or 0. */
struct par_disk_slots {
	__le32 run[PAR_SLOTS_A_BLOCK];
};				/* 3840 */

/*
 * par_slot_map_pack - block @block as it is to be stored now: a closed slot is still its run's,
 * since the stored segments may say so
 */
void par_slot_map_pack(const struct par_slot_map *map, u32 block, struct par_disk_slots *raw);

enum par_slot_load {
	PAR_SLOT_LOADED,
	PAR_SLOT_RANGE,		/* a run or a slot that there is not: the block counts as torn */
	PAR_SLOT_TWICE,		/* a run has two slots: nothing tells which is right */
};

/* par_slot_map_load - a stored block, at assembly, of a map whose block is free so far */
enum par_slot_load par_slot_map_load(struct par_slot_map *map, u32 block,
				     const struct par_disk_slots *raw);

#endif
