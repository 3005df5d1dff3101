/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order in which slots are given, filled, evicted and taken through shifts, for each
 * occasion: the steps that the module executes, and that tests/slot_model.c walks through.
 * Pure. See Documentation/slots.md, "Order of storing".
 */
#ifndef RAID_PAR_SLOT_PLAN_H
#define RAID_PAR_SLOT_PLAN_H

#include <linux/types.h>

enum par_slot_occasion {
	PAR_SLOT_PLAN_GIVE,	/* free slots to runs that have none */
	PAR_SLOT_PLAN_FILL,	/* runs that have slots: their segments that are "home" */
	PAR_SLOT_PLAN_EVICT,	/* slots that are held and not dirty */
	PAR_SLOT_PLAN_DOWN,	/* a shift, when its runs are filled */
	PAR_SLOT_PLAN_UP,
	PAR_SLOT_PLANS,
};

/* Of "the runs" and "the slots": those that the occasion is about. */
enum par_slot_step {
	PAR_SLOT_STEP_END,
	PAR_SLOT_STEP_BEGIN,	/* the superblock names the awake members as current, no others */
	PAR_SLOT_STEP_GIVE,	/* in memory, each of the slots is given to its run */
	PAR_SLOT_STEP_SLOTS,	/* the slots' blocks of the slot map, as now, are stable */
	PAR_SLOT_STEP_HOLD,	/* the slots are held */
	PAR_SLOT_STEP_LOCK,	/* the runs' segments have no writes, and get none */
	PAR_SLOT_STEP_COPY,	/* segments that are "home" are copied to their images */
	PAR_SLOT_STEP_AGREE,	/* in memory, they are "both" */
	PAR_SLOT_STEP_UNLOCK,
	PAR_SLOT_STEP_CLOSE,	/* images are not used any more; refused if any is the only copy */
	PAR_SLOT_STEP_SNAPSHOT,	/* of all segments in memory; no other store until "segments" */
	PAR_SLOT_STEP_FLUSH,	/* the caches of all awake members */
	PAR_SLOT_STEP_SEGMENTS,	/* the snapshot is stable */
	PAR_SLOT_STEP_TOLD,	/* the slots are leaving */
	PAR_SLOT_STEP_ENDED,	/* requests that had found one of the slots have ended */
	PAR_SLOT_STEP_FREE,	/* the slots are free */
	PAR_SLOT_STEP_GATE,	/* the array has no writes nor copies, and gets none */
	PAR_SLOT_STEP_CHECKPOINT, /* flush, segments, intents: store-plan.h */
	PAR_SLOT_STEP_SUPER,	/* the superblock has the gear, and names the current members */
	PAR_SLOT_STEP_GEAR,	/* requests go by the new gear; sleepers may stop */
	PAR_SLOT_STEP_UNGATE,
	PAR_SLOT_STEP_WAKE,	/* the sleepers turn */
	PAR_SLOT_STEP_REFRESH,	/* they get all blocks that are newer than theirs, and each store */
	PAR_SLOT_STEPS,
};

#define PAR_SLOT_PLAN_MAX	12U	/* steps, including the end */

/* par_slot_plan - the steps, in order, up to PAR_SLOT_STEP_END */
const u8 *par_slot_plan(enum par_slot_occasion occasion);

#endif
