/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order in which metadata is stored, for each occasion: the steps that store.c
 * executes, and that tests/zone_model.c walks through. Pure.
 */
#ifndef RAID_PAR_STORE_PLAN_H
#define RAID_PAR_STORE_PLAN_H

#include <linux/types.h>

#include "pure/format.h"

#define PAR_STORE_BATCH	32U	/* blocks that are stored with one snapshot and one flush */

enum par_store_occasion {
	PAR_STORE_FIRST,	/* torn blocks, before the first use of the array */
	PAR_STORE_MAP,		/* map blocks that are marked */
	PAR_STORE_INTENTS,	/* intents that writes ask for */
	PAR_STORE_CLEAR,	/* unneeded intents; at a stop, also the end of use */
	PAR_STORE_CHILD,	/* a child has written its superblock */
	PAR_STORE_WHOLE,	/* no member lacks any writes any more */
	PAR_STORE_LOG,		/* the write log's tail has moved, or its run has changed */
	PAR_STORE_OCCASIONS,
};

/* The part that a step belongs to: the step is skipped if nothing is due for this part. */
enum par_store_part {
	PAR_PART_MAP,		/* repeated for each batch of blocks */
	PAR_PART_INTENTS,
	PAR_PART_SUPER,
	PAR_PART_MARKS,
};

enum par_store_what {
	PAR_STEP_END,
	PAR_STEP_BEGIN,		/* the array is in use, all awake members are current */
	PAR_STEP_SNAPSHOT,	/* the present map */
	PAR_STEP_FLUSH,		/* the caches of all awake members */
	PAR_STEP_NOTE,		/* marks of missed writes, and failures, are stable */
	PAR_STEP_MAP,		/* the snapshot is stable */
	PAR_STEP_INTENTS,	/* the zones' bytes are stable */
	PAR_STEP_PUBLISH,	/* writes rely on these bytes */
	PAR_STEP_SUPER,		/* the superblock is stable */
	PAR_STEP_FORGET,	/* in memory, images of absent members are not valid */
	PAR_STEP_UNMARK,	/* obsolete marks of zones are removed, and that is stable */
};

struct par_store_step {
	enum par_store_part part;
	enum par_store_what what;
};

#define PAR_PLAN_STEPS	16U	/* the maximum, including the end */

/**
 * struct par_slots - the two slots of each member's superblock
 * @valid: by slot, members with a valid version in it; @newer: members whose newer one is
 *	in slot 1
 */
struct par_slots {
	u32 valid[2], newer;
};

/* par_slots_next - the slot for member @d's next version; par_slots_stored - it is stable */
unsigned int par_slots_next(const struct par_slots *slots, unsigned int d);
void par_slots_stored(struct par_slots *slots, unsigned int d);

/*
 * par_slots_first - those of @steady, members that never sleep, that receive a version
 * before all others; @last: members that have the last one
 */
u32 par_slots_first(const struct par_slots *slots, u32 steady, u32 last);

/**
 * struct par_copies - the newest version of a block that was found
 * @seq: its number; @have: members that have it, by slot; none: nothing was found
 * @own: members that have their own newest version in this slot
 */
struct par_copies {
	u64 seq;
	u32 have[2], own[2];
};

/*
 * par_copies_see - member @d has version @seq in slot @slot, and nothing, or version @other, in
 * the other slot (0: nothing); true if it is newer than all that were found before
 * par_copies_slot - the slot of the newest version, so that the next one goes to the other
 * slot
 * par_copies_astray - those of @members whose own newest version is not in that slot
 */
bool par_copies_see(struct par_copies *copies, unsigned int d, unsigned int slot, u64 seq,
		    u64 other);
unsigned int par_copies_slot(const struct par_copies *copies);
u32 par_copies_astray(const struct par_copies *copies, u32 members);

/*
 * par_has_blocks - at a start by superblock @super: does member @d, which never sleeps, have the
 * newest version of each metadata block that anything relies on? @seq: the version of its
 * superblock, or the next one if its other slot is not valid
 */
bool par_has_blocks(const struct par_super *super, const struct par_geometry *geo,
		    unsigned int d, u64 seq);

/* par_store_plan - the steps, in order, up to PAR_STEP_END */
const struct par_store_step *par_store_plan(enum par_store_occasion occasion);

#endif
