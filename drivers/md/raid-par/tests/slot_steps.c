// SPDX-License-Identifier: GPL-2.0
/*
 * The steps of the model's plans: those of slot-plan.c, or of a plan with a fault. See
 * slot_model.c.
 */
#include <linux/kernel.h>

#include "slot_parts.h"

#define PATIENCE	400U		/* tries of a step */

static bool copy_images(struct model *model, u32 run)
{
	u8 slot = slot_of(model, run), i;

	must(model, slot != NOBODY, "an image is made without a slot");
	must(model, !model->asleep, "a member is read that sleeps");
	for (i = 0; i < SEGS && !model->wrong; i++)
		if (model->seg[run * SEGS + i].state == PAR_SEG_HOME &&
		    !has_room(&model->image[slot][i]))
			return false;
	for (i = 0; i < SEGS && !model->wrong; i++)
		if (model->seg[run * SEGS + i].state == PAR_SEG_HOME)
			write_place(&model->image[slot][i],
				    newest(&model->seg[run * SEGS + i].home));
	return true;
}

static bool lock_run(struct model *model, u32 run)
{
	model->locked = run;
	return !run_writes(model, run);
}

static bool unlock_run(struct model *model, u32 run)
{
	u32 i;

	for (i = 0; i < SEGS; i++)
		must(model, model->seg[run * SEGS + i].state != PAR_SEG_HOME,
		     "a fill has no effect");
	model->locked = NOBODY;
	return true;
}

static void agree(struct model *model, u32 run)
{
	u32 i;

	for (i = 0; i < SEGS; i++)
		if (model->seg[run * SEGS + i].state == PAR_SEG_HOME)
			model->seg[run * SEGS + i].state = PAR_SEG_BOTH;
}

/* If the run has become dirty meanwhile, it keeps its slot, and the plan ends. */
static bool close_slot(struct model *model)
{
	struct walk *walk = &model->walk;
	u32 i;

	if (model->rule == EVICTS_ONLY_COPY)
		move_slot(model, walk->slot, PAR_SLOT_CLEANED);
	if ((model->rule != EVICTS_UNSTORED && slot_stored_as_image(model, walk->run)) ||
	    !move_slot(model, walk->slot, PAR_SLOT_CLOSE)) {
		model->refused++;
		walk->busy = false;
		return false;
	}
	for (i = 0; i < SEGS; i++)
		model->seg[walk->run * SEGS + i].state = PAR_SEG_HOME;
	return true;
}

/* There may be no time for it: the run keeps its slot then, and the plan ends. */
static bool zero_slot(struct model *model)
{
	struct walk *walk = &model->walk;
	u32 i;

	for (i = 0; i < SEGS; i++)
		if (!has_room(&model->image[walk->slot][i]))
			return false;
	if (!any(model, 16)) {
		must(model, move_slot(model, walk->slot, PAR_SLOT_KEEP),
		     "a slot is kept that is not closed");
		model->kept_slots++;
		walk->busy = false;
		return false;
	}
	for (i = 0; i < SEGS && model->rule != LEAVES_DATA; i++)
		write_place(&model->image[walk->slot][i], 0);
	must(model, move_slot(model, walk->slot, PAR_SLOT_ZERO),
	     "zeros are written to a slot that is not closed");
	return true;
}

/* Reads take some time, but end. */
static bool readers_ended(struct model *model, u8 slot)
{
	if (!slot_read(model, slot))
		return true;
	model->waited++;
	if (!any(model, 8))
		slot_end_read(model);
	return false;
}

static bool none_write(const struct model *model)
{
	u32 run;

	for (run = 0; run < RUNS; run++)
		if (run_writes(model, run))
			return false;
	return true;
}

static void checkpoint(struct model *model)
{
	slot_store_all(model, MAPS);
	memset(model->intent, 0, sizeof(model->intent));
}

static void change_gear(struct model *model)
{
	model->low = model->walk.occasion == PAR_SLOT_PLAN_DOWN;
	if (model->low)
		model->asleep = true;
	must(model, model->low || !model->asleep, "a member is needed that sleeps");
}

/* The steps of a shift. */
static bool do_gear_step(struct model *model, enum par_slot_step step)
{
	switch (step) {
	case PAR_SLOT_STEP_SUPER:
		return true;
	case PAR_SLOT_STEP_GATE:
		model->gate = true;
		return none_write(model);
	case PAR_SLOT_STEP_CHECKPOINT:
		checkpoint(model);
		return true;
	case PAR_SLOT_STEP_GEAR:
		change_gear(model);
		return true;
	case PAR_SLOT_STEP_UNGATE:
		model->gate = false;
		return true;
	case PAR_SLOT_STEP_WAKE:
		model->asleep = false;
		return true;
	default:
		complain(model, "there is no such step");
		return true;
	}
}

/* Returns true if the step is complete, false if it waits or has more to do. */
static bool do_step(struct model *model, enum par_slot_step step)
{
	struct walk *walk = &model->walk;

	switch (step) {
	case PAR_SLOT_STEP_BEGIN:
		return true;
	case PAR_SLOT_STEP_GIVE:
		must(model, par_slot_map_give(&model->map, band_slot(walk->slot), walk->run),
		     "a slot is given that is not free");
		return true;
	case PAR_SLOT_STEP_SLOTS:
		return slot_store_on_next(model, block_of(walk->slot));
	case PAR_SLOT_STEP_SEGMENTS:
		return slot_store_on_next(model, MAPS);
	case PAR_SLOT_STEP_HOLD:
		must(model, move_slot(model, walk->slot, PAR_SLOT_STORED),
		     "a slot is held that is not given");
		return true;
	case PAR_SLOT_STEP_LOCK:
		return lock_run(model, walk->run);
	case PAR_SLOT_STEP_COPY:
		return copy_images(model, walk->run);
	case PAR_SLOT_STEP_AGREE:
		agree(model, walk->run);
		return true;
	case PAR_SLOT_STEP_UNLOCK:
		return unlock_run(model, walk->run);
	case PAR_SLOT_STEP_SNAPSHOT:
		slot_take_snapshot(model);
		walk->storing = true;
		return true;
	case PAR_SLOT_STEP_FLUSH:
	case PAR_SLOT_STEP_ZEROED:
		flush_all(model);
		return true;
	case PAR_SLOT_STEP_CLOSE:
		return close_slot(model);
	case PAR_SLOT_STEP_ENDED:
		return readers_ended(model, walk->slot);
	case PAR_SLOT_STEP_ZERO:
		return zero_slot(model);
	case PAR_SLOT_STEP_TOLD:
		must(model, move_slot(model, walk->slot, PAR_SLOT_TOLD),
		     "a slot leaves that has no zeros");
		return true;
	case PAR_SLOT_STEP_FREE:
		must(model, move_slot(model, walk->slot, PAR_SLOT_GONE),
		     "a slot is freed that is not leaving");
		return true;
	default:
		return do_gear_step(model, step);
	}
}

static void end_plan(struct model *model)
{
	struct walk *walk = &model->walk;
	u32 slot;

	model->plans[walk->occasion]++;
	walk->busy = false;
	walk->storing = false;
	must(model, !model->gate && model->locked == NOBODY, "writes wait for ever");
	must(model, walk->occasion < PAR_SLOT_PLAN_DOWN ||
	     model->low == (walk->occasion == PAR_SLOT_PLAN_DOWN),
	     "a shift has no effect");
	for (slot = 0; slot < SLOTS; slot++)
		must(model, slot_state(model, slot) == PAR_SLOT_FREE ||
		     slot_state(model, slot) == PAR_SLOT_HELD ||
		     slot_state(model, slot) == PAR_SLOT_DIRTY, "a slot is left halfway");
}

static void step_plan(struct model *model)
{
	struct walk *walk = &model->walk;
	enum par_slot_step step = model->plan[walk->occasion][walk->at];

	if (step == PAR_SLOT_STEP_END) {
		end_plan(model);
		return;
	}
	must(model, walk->tries++ < PATIENCE, "a step waits for ever");
	if (!do_step(model, step))
		return;
	walk->at++;
	walk->tries = 0;
}

/* Do the run and the slot fit the occasion? */
static bool plan_fits(struct model *model, const struct walk *walk)
{
	enum par_slot_state state = slot_state(model, walk->slot);
	bool has = par_slot_any(&model->map, walk->run) != PAR_NO_SLOT;

	switch (walk->occasion) {
	case PAR_SLOT_PLAN_GIVE:
		return state == PAR_SLOT_FREE && !has;
	case PAR_SLOT_PLAN_FILL:
		return !model->low && slot_of(model, walk->run) != NOBODY;
	case PAR_SLOT_PLAN_EVICT:
		/* The slot was chosen some time ago, and may be dirty by now. */
		return state == PAR_SLOT_HELD || (state == PAR_SLOT_DIRTY && !any(model, 4));
	default:
		return model->low == (walk->occasion == PAR_SLOT_PLAN_UP);
	}
}

static bool begin_plan(struct model *model)
{
	static const u8 often[] = {
		PAR_SLOT_PLAN_GIVE, PAR_SLOT_PLAN_GIVE, PAR_SLOT_PLAN_FILL, PAR_SLOT_PLAN_FILL,
		PAR_SLOT_PLAN_FILL, PAR_SLOT_PLAN_EVICT, PAR_SLOT_PLAN_DOWN, PAR_SLOT_PLAN_UP,
	};
	struct walk walk = {
		.occasion = often[any(model, ARRAY_SIZE(often))],
		.run = any(model, RUNS),
		.slot = any(model, SLOTS),
		.busy = true,
	};

	if (!plan_fits(model, &walk))
		return false;
	if (walk.occasion == PAR_SLOT_PLAN_EVICT)
		walk.run = par_slot_run_of(&model->map, band_slot(walk.slot));
	model->walk = walk;
	return true;
}

void slot_go_on(struct model *model)
{
	unsigned int tries;

	if (model->walk.busy)
		step_plan(model);
	else
		for (tries = 0; tries < 6 && !begin_plan(model); tries++)
			;
}
