/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a write goes to the write log or past it. Pure. See Documentation/log.md.
 */
#ifndef RAID_PAR_LOG_WAY_H
#define RAID_PAR_LOG_WAY_H

#include <linux/types.h>
#include "pure/log-ring.h"

#define PAR_LOG_ENDING	256U	/* live blocks */

enum par_log_way {
	PAR_LOG_PAST,		/* to the home set */
	PAR_LOG_APPEND,		/* to the log */
	PAR_LOG_WAIT,		/* until there is room, or its blocks in the log are freed */
};

/**
 * struct par_log_write - a write, and the state of the log
 * @low: the array is in a gear below its top one
 * @large: whole stripes that are written at once, for which the home set reads nothing and wakes
 *	no member
 * @misses: past the log it would wake a member
 * @logged: par_log_index_has() a block of it
 * @room: the log has room; @ending: fewer than PAR_LOG_ENDING blocks are live, and are drained, or
 *	the quota is used up
 */
struct par_log_write {
	bool low, large, misses, logged, room, ending;
};

/*
 * par_log_way - a logged block is never written past the log: after a cut its record would be
 * replayed over the newer write. So it goes to the log in the top gear as well, since it would
 * otherwise wait for the drain of the whole log. Only when few blocks are live, writes of logged
 * blocks wait, so that the log becomes empty. A write that a full log would leave to a member that
 * sleeps waits as well: the log may have room before that member is awake, if it ever is.
 */
enum par_log_way par_log_way(const struct par_log_write *write);

/*
 * par_log_full - does a write find no room in the log that it would take in a low gear? Then the
 * array shifts up.
 */
bool par_log_full(const struct par_log_write *write);

/**
 * struct par_log_pace - how fast the log fills, in steps of a sixteenth of it
 * @head, @used, @at: those of the ring when the present step began, and ms then; @at is 0 before
 *	the first step, which begins with the first record
 * @gained, @took: blocks that the log had more in use at the end of the step before it, and ms
 */
struct par_log_pace {
	u64 head, at, took;
	u32 used, gained;
};

#define PAR_LOG_AHEAD_MS	20000U	/* in which disks start */
#define PAR_LOG_PACE_MS		10000U	/* in which a part of the room may be used, … */
#define PAR_LOG_PACE_MAX_MS	2000U	/* … and the longest delay for that */

/*
 * par_log_pace_see - a record has been given its place, at @now, in ms
 * par_log_pace_fills - at @now, more than half is used, and the log will be full before disks have
 *	started
 * par_log_pace_delay - ms between a record that has taken @blocks of the ring and the next one,
 *	while members are being woken. As soon as less than a quarter has room, what is used of the
 *	room in a time is in proportion to it: writes get slower, and need not be stopped.
 */
void par_log_pace_see(struct par_log_pace *pace, const struct par_log_ring *ring, u64 now);
bool par_log_pace_fills(const struct par_log_pace *pace, const struct par_log_ring *ring,
			u64 now);
u32 par_log_pace_delay(const struct par_log_ring *ring, u32 blocks);

/**
 * struct par_log_quota - how much is logged while a member waits for the log to be empty
 * @waits: a member waits; @end: the head when that began
 * @limited: the tail has passed @end; only as much may be logged as is @left
 * @left: twice the number of blocks that may be logged; negative after a large write. Not much less
 *	than 0: as long as drains fail, writes are logged that exceed the quota.
 *
 * What is logged keeps the log from being empty, and it may be logged as fast as it is drained, or
 * faster. So from @end on, half a block may be logged for each block that is drained, beside as
 * many blocks as the log has at that time: it is empty when four times as many are drained. Until
 * then a write waits for a drain of twice the blocks of the writes before it, not of the whole log.
 */
struct par_log_quota {
	bool waits, limited;
	u64 end;
	s64 left;
};

/*
 * par_log_quota_look - the tail may have moved; @waits: a member waits; @live: blocks of the log
 * par_log_quota_allows - may more be logged?
 * par_log_quota_logged, par_log_quota_drained - so many blocks are logged, or have been drained
 */
void par_log_quota_look(struct par_log_quota *quota, const struct par_log_ring *ring, u32 live,
			bool waits);
bool par_log_quota_allows(const struct par_log_quota *quota);
void par_log_quota_logged(struct par_log_quota *quota, u64 blocks);
void par_log_quota_drained(struct par_log_quota *quota, u64 blocks);

#endif
