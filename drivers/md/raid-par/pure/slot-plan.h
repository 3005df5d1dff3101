/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of steps in which slots are given, filled and evicted, and in which the array shifts,
 * for each occasion. The module executes these steps, and tests/slot_model.c walks through them.
 * Pure. See Documentation/slots.md, "Order of storing".
 */
#ifndef RAID_PAR_SLOT_PLAN_H
#define RAID_PAR_SLOT_PLAN_H

#include <linux/types.h>

enum par_slot_occasion {
	PAR_SLOT_PLAN_GIVE,	/* give free slots to runs that have none */
	PAR_SLOT_PLAN_FILL,	/* copy segments that are "home", of runs that have slots */
	PAR_SLOT_PLAN_EVICT,	/* evict slots that are held and not dirty */
	PAR_SLOT_PLAN_DOWN,	/* shift down, once the chosen runs are filled */
	PAR_SLOT_PLAN_UP,	/* shift up */
	PAR_SLOT_PLANS,
};

/* "The runs" and "the slots" are those that the occasion is about. */
enum par_slot_step {
	PAR_SLOT_STEP_END,
	PAR_SLOT_STEP_BEGIN,	/* the superblock says that the array is in use */
	PAR_SLOT_STEP_GIVE,	/* in memory, each of the slots is given to its run */
	PAR_SLOT_STEP_SLOTS,	/* the present slot map blocks of the slots are stable */
	PAR_SLOT_STEP_HOLD,	/* the slots are held */
	PAR_SLOT_STEP_LOCK,	/* segments of the runs have no writes, and get none */
	PAR_SLOT_STEP_COPY,	/* segments that are "home" are copied to their images */
	PAR_SLOT_STEP_AGREE,	/* in memory, these segments are "both" */
	PAR_SLOT_STEP_UNLOCK,
	PAR_SLOT_STEP_CLOSE,	/* images are not used any more; refused if one is the only copy */
	PAR_SLOT_STEP_SNAPSHOT,	/* of all segments in memory; no other store until "segments" */
	PAR_SLOT_STEP_FLUSH,	/* the caches of all awake members */
	PAR_SLOT_STEP_SEGMENTS,	/* the snapshot is stable */
	PAR_SLOT_STEP_ENDED,	/* requests that had found one of the slots have ended */
	PAR_SLOT_STEP_ZERO,	/* zeros are written to the slots */
	PAR_SLOT_STEP_ZEROED,	/* these zeros are stable */
	PAR_SLOT_STEP_TOLD,	/* the slots are leaving */
	PAR_SLOT_STEP_FREE,	/* the slots are free */
	PAR_SLOT_STEP_GATE,	/* the array has no writes and no copies, and gets none */
	PAR_SLOT_STEP_CHECKPOINT, /* flush, segments, intents: store-plan.h */
	PAR_SLOT_STEP_SUPER,	/* the superblock has the gear */
	PAR_SLOT_STEP_GEAR,	/* requests follow the new gear; sleepers may stop */
	PAR_SLOT_STEP_UNGATE,
	PAR_SLOT_STEP_WAKE,	/* the sleepers turn */
	PAR_SLOT_STEPS,
};

#define PAR_SLOT_PLAN_MAX	12U	/* steps, including the end */

/* par_slot_plan - the steps, in order, up to PAR_SLOT_STEP_END */
const u8 *par_slot_plan(enum par_slot_occasion occasion);

#endif
