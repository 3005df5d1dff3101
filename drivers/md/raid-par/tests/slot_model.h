/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of the protocol of the slots, as slot_model_kunit.c drives it: see slot_model.c.
 */
#ifndef RAID_PAR_TESTS_SLOT_MODEL_H
#define RAID_PAR_TESTS_SLOT_MODEL_H

#include <linux/prandom.h>
#include <linux/types.h>

#include "pure/slot-map.h"
#include "pure/slot-plan.h"
#include "pure/states.h"

#define MEMBERS		3U		/* that never sleep: these have the blocks */
#define RUNS		4U
#define SEGS		2U		/* of the sleeper, in a run */
#define CELLS		(RUNS * SEGS)
#define SLOTS		3U		/* two in a block of the slot map, one in the next */
#define BAND_SLOTS	(PAR_SLOTS_A_BLOCK + 1)
#define MAPS		2U		/* blocks of the slot map; then the segments' block */
#define BLOCKS		(MAPS + 1)
#define CONTENTS	6U		/* of a place since its last flush, the maximum */
#define READERS		2U
#define NOBODY		255U

/* Rules beside the plans, one of which is left out. */
enum rule {
	SOUND,
	EVICTS_ONLY_COPY,	/* a run with an "image" is closed, and the image called "home" */
	COPIES_IN_GATE,		/* copies home go on during a shift down */
	EVICTS_UNSTORED,	/* a run with a segment that is stored as "image" is closed */
	LEAVES_DATA,		/* an evicted slot keeps what it has */
	RULES,
	FREES_UNSTORED,		/* a rescue frees slots, and does not store segments as home */
};

/* A place for content: the contents that it may have after a cut, the newest last. */
struct place {
	u32 content[CONTENTS];
	u8 count;
	bool flying;		/* the newest is being written */
};

/* A block of metadata: for each slot its run plus 1; or the states of segments. */
struct block {
	u32 seq;
	u8 data[CELLS];
};

/* A segment of the sleeper. */
struct seg {
	u8 state, snapshot;
	struct place home;
	struct place *target;	/* of a write that has not ended */
	u32 version;		/* that this write writes */
	u32 acked, floor;	/* acknowledged; acknowledged and flushed */
};

struct reader {
	struct place *place;	/* NULL: no read is under way */
	u32 cell, floor;
};

struct walk {
	u8 occasion, at, sent, run, slot;
	bool busy, storing;	/* storing: no other store is possible */
	unsigned int tries;
};

struct model {
	struct rnd_state random;
	u8 plan[PAR_SLOT_PLANS][PAR_SLOT_PLAN_MAX];
	enum rule rule;
	const char *wrong;
	struct par_slot_map map;
	struct par_slot slot[BAND_SLOTS];
	u32 run[RUNS];
	u16 free[MAPS];
	struct par_disk_slots raw;
	struct seg seg[CELLS];
	struct place image[SLOTS][SEGS];
	struct reader reader[READERS];
	struct block disk[MEMBERS][BLOCKS], cache[MEMBERS][BLOCKS];
	struct block packed;
	u32 done[BLOCKS];	/* version that is stored on all members */
	u32 seq, version;
	u8 intent[RUNS];	/* 0: none; 1: of the top gear; 2: of the low gear */
	bool low, asleep, gate;
	bool loses;		/* some starts are rescues, without a block of the slot map */
	u8 locked;
	struct walk walk;
	unsigned int cuts, rescues, refused, waited, kept_slots, plans[PAR_SLOT_PLANS];
};

/*
 * slot_model_walk - a random walk of @model, whose plans and rule are set, from a new array on.
 * Returns what goes wrong first; NULL: nothing.
 */
const char *slot_model_walk(struct model *model, u64 seed);

#endif
