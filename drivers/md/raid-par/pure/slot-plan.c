// SPDX-License-Identifier: GPL-2.0
/*
 * The order of steps. Each line: which step precedes which, and why:
 *
 *   begin, slots		a member that sleeps through a store is not current afterwards, so
 *   begin, segments		that its slot map of before the shift is never used
 *   give, slots, hold		an image is made only in a slot that the stored slot map gives to
 *				the run: else a cut would leave "both" or "image" without a place
 *   lock, copy, agree		what is called "both" agrees, and nothing is written in between
 *   agree, unlock		a write is not overlooked: it makes "home" of "both"
 *   snapshot, flush, segments	a fill is called valid after its flush, and a home copy too: it
 *				was made just now if the run was propagated to be evicted
 *   close, snapshot		what is stored calls no image of the run valid
 *   segments, told, slots	the stored slot map, whoever has it stored, keeps the slot for the
 *				run as long as the stored segments call an image valid
 *   slots, free		a slot is free, and given again, only when "free" is stored: else
 *				the run could be stored in two slots
 *   ended, free		no request reads what another run has in the slot by then
 *   gate, checkpoint, gear	a sleeper stops with nothing in its cache
 *   wake, refresh, flush, super	a member is current only when it has the newest slot map
 *
 * An eviction in front of giving the slot again, which a run that is hotter asks for, is two
 * occasions one after the other. So are giving and filling: a run whose fill was cut has its slot
 * and "home" segments.
 */
#include <linux/kernel.h>
#include <kunit/visibility.h>

#include "pure/slot-plan.h"

#define DO(step)	PAR_SLOT_STEP_##step

static const u8 plans[PAR_SLOT_PLANS][PAR_SLOT_PLAN_MAX] = {
	[PAR_SLOT_PLAN_GIVE] = {
		DO(BEGIN), DO(GIVE), DO(SLOTS), DO(HOLD),
	},
	[PAR_SLOT_PLAN_FILL] = {
		DO(BEGIN), DO(LOCK), DO(COPY), DO(AGREE), DO(UNLOCK),
		DO(SNAPSHOT), DO(FLUSH), DO(SEGMENTS),
	},
	[PAR_SLOT_PLAN_EVICT] = {
		DO(BEGIN), DO(CLOSE), DO(SNAPSHOT), DO(FLUSH), DO(SEGMENTS),
		DO(TOLD), DO(SLOTS), DO(ENDED), DO(FREE),
	},
	[PAR_SLOT_PLAN_DOWN] = {
		DO(GATE), DO(CHECKPOINT), DO(SUPER), DO(GEAR), DO(UNGATE),
	},
	[PAR_SLOT_PLAN_UP] = {
		DO(WAKE), DO(REFRESH), DO(FLUSH), DO(SUPER), DO(GEAR),
	},
};

const u8 *par_slot_plan(enum par_slot_occasion occasion)
{
	return plans[occasion];
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_plan);
