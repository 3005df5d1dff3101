// SPDX-License-Identifier: GPL-2.0
/*
 * The order of steps. Each line says which step precedes which, and why:
 *
 *   begin, slots		nothing is stored, nor copied, in an array that the superblock calls
 *   begin, lock		stopped
 *   give, slots, hold		an image is made only in a slot that the stored slot map gives to
 *				the run: otherwise a cut leaves "both" or "image" without a place
 *   lock, copy, agree		copies that are called "both" are equal: no write comes in between
 *   agree, unlock		a write after the copy is seen: it makes "home" of "both"
 *   snapshot, flush, segments	an image is called valid after its flush; a home copy, too: it is
 *				new if the run was propagated home to be evicted
 *   close, snapshot		the stored segments call no image of the run valid
 *   segments, ended, zero	neither the stored segments nor a request need what zeros replace
 *   zero, zeroed, told, slots	the stored slot map, for whatever reason it is stored, keeps the
 *				slot for the run as long as the slot may have the run's data: after
 *				a cut, a row that was not written counts as written, with what the
 *				slot of its run has
 *   slots, free		a slot becomes free, and is given again, only once it is stored as
 *				free: otherwise the run could be stored in two slots
 *   gate, checkpoint, gear	a sleeper stops with an empty cache
 *   wake, gear			no request is sent to a member that sleeps
 *
 * To evict a slot and to give it to a hotter run are two occasions, one after the other. So are
 * giving and filling: after a cut during a fill the run has its slot, and "home" segments.
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
		DO(BEGIN), DO(CLOSE), DO(SNAPSHOT), DO(FLUSH), DO(SEGMENTS), DO(ENDED),
		DO(ZERO), DO(ZEROED), DO(TOLD), DO(SLOTS), DO(FREE),
	},
	[PAR_SLOT_PLAN_DOWN] = {
		DO(GATE), DO(CHECKPOINT), DO(SUPER), DO(GEAR), DO(UNGATE),
	},
	[PAR_SLOT_PLAN_UP] = {
		DO(WAKE), DO(SUPER), DO(GEAR),
	},
};

const u8 *par_slot_plan(enum par_slot_occasion occasion)
{
	return plans[occasion];
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_plan);
