/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which blocks of the write log are drained next, and when. Pure: no locks but the caller's.
 * See Documentation/log.md.
 */
#ifndef RAID_PAR_LOG_DRAIN_H
#define RAID_PAR_LOG_DRAIN_H

#include <linux/types.h>
#include "pure/log-index.h"
#include "pure/log-ring.h"

/*
 * par_log_drain_pick - the blocks of the array in the oldest units that are done, at most
 * @max, each once, sorted by number. Returns their count; 0: there is nothing to drain. When
 * they have been drained, par_log_drain_tail() returns a later position.
 */
unsigned int par_log_drain_pick(const struct par_log_index *index,
				const struct par_log_ring *ring, u64 *blocks,
				unsigned int max);

/*
 * par_log_drain_tail - the tail that may be stored once all blocks drained so far are flushed:
 * nothing before it is live. Call this before that flush begins.
 */
u64 par_log_drain_tail(const struct par_log_index *index, const struct par_log_ring *ring);

#define PAR_LOG_GAIN	8U	/* at least one block of so many is gained */

/*
 * par_log_drain_again - how many of these blocks can be appended again at the head, so that the
 * tail can move though they cannot be drained: they fill the unit of the head and the next one. 0
 * if there is no room, or if so much is live that little room would be gained in a whole round.
 * A unit takes a block for its header, whatever it holds: if fewer were appended at a time, the
 * places of blocks that are nearly all live would be used up by headers.
 */
#define PAR_LOG_AGAIN	(2 * (PAR_LOG_UNIT - 1))	/* the maximum */
u32 par_log_drain_again(const struct par_log_index *index, const struct par_log_ring *ring);

/*
 * par_log_drain_stripe - how many of @count such blocks, not 0, are in the stripe of the first one;
 * a stripe has @stripe blocks
 */
unsigned int par_log_drain_stripe(const u64 *blocks, unsigned int count, u32 stripe);

/* Why the log is drained; sysfs shows these words. */
enum par_log_drain_why {
	PAR_LOG_REST,		/* not at all */
	PAR_LOG_TOP,		/* all members are awake */
	PAR_LOG_FILLING,	/* more than half of the log is used */
	PAR_LOG_IDLE,		/* no record has been written for some time */
};

#define PAR_LOG_IDLE_MS	60000U

/**
 * struct par_log_need - the values that the decision depends on
 * @top: the array is in its top gear; @idle: ms since the last record
 * @used, @blocks: of the ring; @filling: the present drain began because the log was filling
 */
struct par_log_need {
	bool top, filling;
	u32 used, blocks;
	u64 idle;
};

/*
 * par_log_drain_why - whether and why to drain the log; a log that was filling is drained until
 * a quarter of it is used
 */
enum par_log_drain_why par_log_drain_why(const struct par_log_need *need);

#define PAR_LOG_RETRY_MS	500U	/* after an error, a few times … */
#define PAR_LOG_RETRIES		4U
#define PAR_LOG_RETRY_MAX_MS	16000U	/* … then twice as long each time, up to this */
#define PAR_LOG_WAITED		7U	/* failures, 5 s; then writes wait for a drain no longer */

/* par_log_drain_delay - ms until the next drain, if @tries drains in a row, not 0, have failed */
u32 par_log_drain_delay(unsigned int tries);

#endif
