// SPDX-License-Identifier: GPL-2.0
/*
 * The plans of the model: those of store-plan.c, of which a mutant leaves a step out, or takes two
 * in the other order. See zone_model.c.
 */
#include <linux/minmax.h>

#include "zone_parts.h"

/* Does a mutant omit this step of the module's plan? */
static bool left_out(enum mutant mutant, const struct par_store_step *step)
{
	switch (mutant) {
	case NO_FLUSH:
		return step->part == PAR_PART_MAP && step->what == PAR_STEP_FLUSH;
	case INTENT_CLEARED_UNFLUSHED:
		return step->part == PAR_PART_INTENTS && step->what == PAR_STEP_FLUSH;
	case MISSED_NOTED_LATE:
		return step->what == PAR_STEP_NOTE;
	case NO_SNAPSHOT:
		return step->what == PAR_STEP_SNAPSHOT;
	case MAP_NOT_STORED:
		return step->what == PAR_STEP_MAP;
	case INTENTS_NOT_STORED:
		return step->what == PAR_STEP_INTENTS;
	default:
		return false;
	}
}

/* Does a mutant take the second of two steps before the first? */
static bool comes_before(enum mutant mutant, const struct par_store_step *first,
			 const struct par_store_step *second)
{
	switch (mutant) {
	case FLUSH_BEFORE_SNAPSHOT:
		return first->what == PAR_STEP_SNAPSHOT && second->what == PAR_STEP_FLUSH;
	case WRITE_BEFORE_INTENT:
		return (first->what == PAR_STEP_INTENTS || first->what == PAR_STEP_NOTE) &&
		       second->what == PAR_STEP_PUBLISH;
	case INTENT_CLEARED_BEFORE_MAP:
		return first->part == PAR_PART_MAP && second->part == PAR_PART_INTENTS;
	default:
		return false;
	}
}

/* The module's plan, with the change of the mutant. */
static void make_plan(struct sim *sim, enum par_store_occasion occasion)
{
	const struct par_store_step *from = par_store_plan(occasion);
	struct par_store_step *plan = sim->plan[occasion];
	enum mutant mutant = sim->mutant;
	unsigned int count = 0, i;

	/* In a plan that sets intents, the map precedes for another reason. */
	if (mutant == INTENT_CLEARED_BEFORE_MAP && occasion != PAR_STORE_CLEAR)
		mutant = SOUND;
	for (; from->what != PAR_STEP_END; from++) {
		if (left_out(mutant, from))
			continue;
		plan[count++] = *from;
		for (i = count - 1; i && comes_before(mutant, &plan[i - 1], &plan[i]); i--)
			swap(plan[i - 1], plan[i]);
	}
}

void zone_make_plans(struct sim *sim)
{
	unsigned int i;

	for (i = 0; i < PAR_STORE_OCCASIONS; i++)
		make_plan(sim, i);
}
