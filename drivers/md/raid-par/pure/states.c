// SPDX-License-Identifier: GPL-2.0
/*
 * The segment state table. See states.h for the contract, and the design
 * document, section "Rows and segment states", for the prose.
 */
#include <linux/kernel.h>
#include <kunit/visibility.h>

#include "pure/states.h"

#define UNWRITTEN	PAR_SEG_UNWRITTEN
#define BOTH		PAR_SEG_BOTH
#define HOME		PAR_SEG_HOME
#define IMAGE		PAR_SEG_IMAGE

const struct par_seg_step par_seg_table[PAR_SEG_STATES][PAR_SEG_EVENTS] = {
	[UNWRITTEN] = {
		[PAR_EV_READ]		= { PAR_ACT_ZERO, UNWRITTEN },
		[PAR_EV_READ_ASLEEP]	= { PAR_ACT_ZERO, UNWRITTEN },
		[PAR_EV_WRITE]		= { PAR_ACT_START, UNWRITTEN },
		[PAR_EV_WRITE_ASLEEP]	= { PAR_ACT_START, UNWRITTEN },
		[PAR_EV_PROPAGATE]	= { PAR_ACT_NONE, UNWRITTEN },
		[PAR_EV_START]		= { PAR_ACT_HOME, HOME },
		[PAR_EV_START_ASLEEP]	= { PAR_ACT_IMAGE, IMAGE },
	},
	[BOTH] = {
		[PAR_EV_READ]		= { PAR_ACT_HOME, BOTH },
		[PAR_EV_READ_ASLEEP]	= { PAR_ACT_IMAGE, BOTH },
		[PAR_EV_WRITE]		= { PAR_ACT_HOME, HOME },
		[PAR_EV_WRITE_ASLEEP]	= { PAR_ACT_IMAGE, IMAGE },
		[PAR_EV_PROPAGATE]	= { PAR_ACT_NONE, BOTH },
		[PAR_EV_START]		= { PAR_ACT_NONE, BOTH },
		[PAR_EV_START_ASLEEP]	= { PAR_ACT_NONE, BOTH },
	},
	[HOME] = {
		[PAR_EV_READ]		= { PAR_ACT_HOME, HOME },
		[PAR_EV_READ_ASLEEP]	= { PAR_ACT_MISS, HOME },
		[PAR_EV_WRITE]		= { PAR_ACT_HOME, HOME },
		[PAR_EV_WRITE_ASLEEP]	= { PAR_ACT_MISS, HOME },
		[PAR_EV_PROPAGATE]	= { PAR_ACT_COPY_TO_IMAGE, BOTH },
		[PAR_EV_START]		= { PAR_ACT_NONE, HOME },
		[PAR_EV_START_ASLEEP]	= { PAR_ACT_NONE, HOME },
	},
	[IMAGE] = {
		[PAR_EV_READ]		= { PAR_ACT_IMAGE, IMAGE },
		[PAR_EV_READ_ASLEEP]	= { PAR_ACT_IMAGE, IMAGE },
		[PAR_EV_WRITE]		= { PAR_ACT_IMAGE, IMAGE },
		[PAR_EV_WRITE_ASLEEP]	= { PAR_ACT_IMAGE, IMAGE },
		[PAR_EV_PROPAGATE]	= { PAR_ACT_COPY_TO_HOME, BOTH },
		[PAR_EV_START]		= { PAR_ACT_NONE, IMAGE },
		[PAR_EV_START_ASLEEP]	= { PAR_ACT_NONE, IMAGE },
	},
};
EXPORT_SYMBOL_IF_KUNIT(par_seg_table);

enum par_seg_state par_seg_after_crash(enum par_seg_state stored, bool awake)
{
	if (stored == HOME || stored == IMAGE)
		return stored;
	return awake ? HOME : IMAGE;
}
EXPORT_SYMBOL_IF_KUNIT(par_seg_after_crash);
