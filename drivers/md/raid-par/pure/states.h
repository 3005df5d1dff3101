/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one table of segment states: the action for a request to a sleeper's segment, and the
 * segment's next state. There is no exception outside it.
 *
 * Pure: any context, no locks, no side effects.
 */
#ifndef RAID_PAR_STATES_H
#define RAID_PAR_STATES_H

#include <linux/types.h>

/*
 * As stored in the map, two bits per sleeper. In one row either all segments are
 * PAR_SEG_UNWRITTEN or none is.
 */
enum par_seg_state {
	PAR_SEG_UNWRITTEN,	/* the row reads as zeros, nothing is stored */
	PAR_SEG_BOTH,		/* home copy and image agree */
	PAR_SEG_HOME,		/* only the home copy is valid */
	PAR_SEG_IMAGE,		/* only the image is valid */
	PAR_SEG_STATES,
};

enum par_seg_event {
	PAR_EV_READ,		/* member awake */
	PAR_EV_READ_ASLEEP,
	PAR_EV_WRITE,		/* member awake */
	PAR_EV_WRITE_ASLEEP,
	PAR_EV_PROPAGATE,	/* the copy to the other side is complete */
	PAR_EV_START,		/* the row is being started, member awake */
	PAR_EV_START_ASLEEP,
	PAR_SEG_EVENTS,
};

enum par_seg_action {
	PAR_ACT_NONE,		/* no such transition */
	PAR_ACT_ZERO,		/* answer with zeros, no I/O */
	PAR_ACT_START,		/* the row must be started first */
	PAR_ACT_HOME,		/* to the home copy */
	PAR_ACT_IMAGE,		/* to the image */
	PAR_ACT_MISS,		/* wake the member, hold the request */
	PAR_ACT_COPY_TO_IMAGE,
	PAR_ACT_COPY_TO_HOME,
	PAR_ACT_HOLD,		/* not in the table: wait for the row's first writes */
};

struct par_seg_step {
	u8 action;	/* enum par_seg_action */
	u8 next;	/* enum par_seg_state after the action */
};

extern const struct par_seg_step par_seg_table[PAR_SEG_STATES][PAR_SEG_EVENTS];

/* par_seg_step - look the table up; inline, since it is used for each request */
static inline struct par_seg_step par_seg_step(enum par_seg_state state,
					       enum par_seg_event event)
{
	return par_seg_table[state][event];
}

/*
 * par_seg_after_crash - the meaning of a stored state in a zone whose intent was stored
 * while the member was @awake: "both" may be newer on the side that served writes, and an
 * unwritten row may have been started.
 */
enum par_seg_state par_seg_after_crash(enum par_seg_state stored, bool awake);

#endif
