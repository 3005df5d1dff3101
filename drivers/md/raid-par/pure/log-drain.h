/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of the write log is written home next, and when. Pure: no locks but the caller's.
 * See Documentation/log.md.
 */
#ifndef RAID_PAR_LOG_DRAIN_H
#define RAID_PAR_LOG_DRAIN_H

#include <linux/types.h>
#include "pure/log-index.h"
#include "pure/log-ring.h"

/*
 * par_log_drain_pick - of the oldest units that are done, the blocks of the array that are in
 * them, at most @max, each once, by number. Returns how many these are: when they have been
 * drained, par_log_drain_tail() is further on. 0: nothing is to be drained.
 */
unsigned int par_log_drain_pick(const struct par_log_index *index,
				const struct par_log_ring *ring, u64 *blocks,
				unsigned int max);

/*
 * par_log_drain_tail - what may be stored as the tail once all that has been drained so far is
 * flushed: nothing before it is live. To be asked before that flush begins.
 */
u64 par_log_drain_tail(const struct par_log_index *index, const struct par_log_ring *ring);

/* Why the log is drained; also the words in which sysfs tells it. */
enum par_log_drain_why {
	PAR_LOG_REST,		/* not at all */
	PAR_LOG_TOP,		/* all members are awake */
	PAR_LOG_FILLING,	/* more than half of it is used */
	PAR_LOG_IDLE,		/* nothing has been written to it for some time */
};

#define PAR_LOG_IDLE_MS	60000U

/**
 * struct par_log_need - what the decision depends on
 * @top: the array is in its top gear; @idle: ms since the last record
 * @used, @blocks: of the ring; @filling: it is being drained since it was filling
 */
struct par_log_need {
	bool top, filling;
	u32 used, blocks;
	u64 idle;
};

/*
 * par_log_drain_why - is the log to be drained? If it was filling, until a quarter of it is
 * used.
 */
enum par_log_drain_why par_log_drain_why(const struct par_log_need *need);

#endif
