/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a write goes to the write log or past it. Pure. See Documentation/log.md.
 */
#ifndef RAID_PAR_LOG_WAY_H
#define RAID_PAR_LOG_WAY_H

#include <linux/types.h>

#define PAR_LOG_ENDING	256U	/* live blocks */

enum par_log_way {
	PAR_LOG_PAST,		/* to the home set */
	PAR_LOG_APPEND,		/* to the log */
	PAR_LOG_WAIT,		/* until its blocks in the log are drained and freed */
};

/**
 * struct par_log_write - a write, and the state of the log
 * @low: the array is in a gear below its top one
 * @large: whole stripes that are written at once, for which the home set reads nothing and wakes
 *	no member
 * @logged: par_log_index_has() a block of it
 * @room: the log has room; @ending: fewer than PAR_LOG_ENDING blocks are live, and are drained
 */
struct par_log_write {
	bool low, large, logged, room, ending;
};

/*
 * par_log_way - a logged block is never written past the log: after a cut its record would be
 * replayed over the newer write. So it goes to the log in the top gear as well, since it would
 * otherwise wait for the drain of the whole log. Only when few blocks are live, writes of logged
 * blocks wait, so that the log becomes empty.
 */
enum par_log_way par_log_way(const struct par_log_write *write);

/*
 * par_log_full - does a write find no room in the log that it would take in a low gear? Then the
 * array shifts up.
 */
bool par_log_full(const struct par_log_write *write);

#endif
