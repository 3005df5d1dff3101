/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which way a write goes: into the write log, or past it. Pure. See Documentation/log.md.
 */
#ifndef RAID_PAR_LOG_WAY_H
#define RAID_PAR_LOG_WAY_H

#include <linux/types.h>

#define PAR_LOG_ENDING	256U	/* blocks that are live */

enum par_log_way {
	PAR_LOG_PAST,		/* to the home set */
	PAR_LOG_APPEND,		/* into the log */
	PAR_LOG_WAIT,		/* until all that the log has of it is drained and freed */
};

/**
 * struct par_log_write - a write, and how the log is
 * @low: the array is in a gear below its top one
 * @large: whole stripes, for which the home set reads nothing
 * @logged: par_log_index_has() a block of it
 * @room: the log has room; @ending: fewer than PAR_LOG_ENDING are live
 */
struct par_log_write {
	bool low, large, logged, room, ending;
};

/*
 * par_log_way - what is in the log is never written past it: after a cut it would be replayed
 * over the newer write. So in the top gear as well, or the write would have to wait for the
 * whole log. Only the last blocks are waited for, so that the log gets empty.
 */
enum par_log_way par_log_way(const struct par_log_write *write);

#endif
