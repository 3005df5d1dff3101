/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order in which metadata is stored, for each occasion: what store.c does one after
 * the other, and what tests/zone_model.c walks through. Pure.
 */
#ifndef RAID_PAR_STORE_PLAN_H
#define RAID_PAR_STORE_PLAN_H

#include <linux/types.h>

#define PAR_STORE_BATCH	32U	/* blocks snapshot, flushed for and written at once */

enum par_store_occasion {
	PAR_STORE_FIRST,	/* what was torn, before the first use of the array */
	PAR_STORE_MAP,		/* map blocks that are marked */
	PAR_STORE_INTENTS,	/* intents that writes ask for */
	PAR_STORE_CLEAR,	/* the same are over; at a stop, so is all use of the array */
	PAR_STORE_CHILD,	/* a child has written its superblock */
	PAR_STORE_WHOLE,	/* no member misses anything any more */
	PAR_STORE_LOG,		/* the write log's tail is further on, or its run */
	PAR_STORE_OCCASIONS,
};

/* What a step is about: it is left out if there is nothing to do about that. */
enum par_store_part {
	PAR_PART_MAP,		/* gone through for a batch of blocks at a time */
	PAR_PART_INTENTS,
	PAR_PART_SUPER,
	PAR_PART_MARKS,
};

enum par_store_what {
	PAR_STEP_END,
	PAR_STEP_BEGIN,		/* the array is in use, all awake members are current */
	PAR_STEP_SNAPSHOT,	/* the map as of now */
	PAR_STEP_FLUSH,		/* the caches of all awake members */
	PAR_STEP_NOTE,		/* what missing members lack, and who has failed, is stable */
	PAR_STEP_MAP,		/* the snapshot is stable */
	PAR_STEP_INTENTS,	/* the zones' bytes are stable */
	PAR_STEP_PUBLISH,	/* and writes go by them */
	PAR_STEP_SUPER,		/* the superblock is stable */
	PAR_STEP_FORGET,	/* images that raid5 does without are not valid, in memory */
	PAR_STEP_UNMARK,	/* zones' marks that mean nothing any more are off, and stable */
};

struct par_store_step {
	enum par_store_part part;
	enum par_store_what what;
};

#define PAR_PLAN_STEPS	16U	/* at most, the end included */

/**
 * struct par_slots - the two places of each member's superblock
 * @valid: members that have a version there; @newer: those whose newer one is in slot 1
 */
struct par_slots {
	u32 valid[2], newer;
};

/* par_slots_next - where member @d's next version goes; par_slots_stored - it is stable */
unsigned int par_slots_next(const struct par_slots *slots, unsigned int d);
void par_slots_stored(struct par_slots *slots, unsigned int d);

/*
 * par_slots_first - those of @steady, members that never sleep, that get a version before all
 * others; @last: members that have the last one
 */
u32 par_slots_first(const struct par_slots *slots, u32 steady, u32 last);

/**
 * struct par_copies - the newest version of a block that was found
 * @seq: its number; @have: members that have it, by slot; none: nothing was found
 */
struct par_copies {
	u64 seq;
	u32 have[2];
};

/*
 * par_copies_see - member @d has version @seq in slot @slot; true if it is newer than all that
 * was found before
 * par_copies_slot - the slot of the newest version, so that the next one goes to the other
 */
bool par_copies_see(struct par_copies *copies, unsigned int d, unsigned int slot, u64 seq);
unsigned int par_copies_slot(const struct par_copies *copies);

/* par_store_plan - the steps, in order, up to PAR_STEP_END */
const struct par_store_step *par_store_plan(enum par_store_occasion occasion);

#endif
