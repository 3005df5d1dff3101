/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The write log while the array runs: log-core.c, append.c, log-read.c, log-route.c, drain.c,
 * walk.c, and log.c above these. What it is and why it is right: Documentation/log.md.
 */
#ifndef RAID_PAR_LOG_H
#define RAID_PAR_LOG_H

#include "io/io.h"
#include "pure/log-drain.h"
#include "pure/log-index.h"
#include "pure/log-lost.h"
#include "pure/log-replay.h"
#include "pure/log-ring.h"
#include "pure/log-summary.h"
#include "pure/log-way.h"

#define PAR_LOG_RECORDS	2U	/* under way at once: the others wait and become one */
#define PAR_LOG_DATA	64U	/* blocks of a record, at most */
#define PAR_LOG_FLUSH_GROUPS	4U	/* without a flush: then the log has one of its own */
#define PAR_LOG_LARGE	1024U	/* sectors of a request that goes past the log, at least */
#define PAR_LOG_LOOK	(5 * HZ)	/* whether there is something to drain */

struct par_log;
struct par_log_drain;
struct par_log_resize;

/* struct par_log_leg - a record's copy: @rdev is counted in */
struct par_log_leg {
	struct par_log_sent *sent;
	struct md_rdev *rdev;
};

/**
 * struct par_log_sent - a record on its way
 * @pos, @end: as the ring has them; @count: blocks of data
 * @bios: writes that end with it
 * @left: copies that are under way, and one more; @good: copies that are written
 * @written: all of them have ended; @is_summary: it has no blocks of the array
 */
struct par_log_sent {
	struct par_log *log;
	u64 pos, end;
	unsigned int count;
	struct page *header, *data[PAR_LOG_DATA];
	struct par_log_entry entry[PAR_LOG_DATA];
	struct bio_list bios;
	atomic_t left, good;
	bool written, is_summary;
	struct par_log_leg leg[PAR_LOG_MAX_COPIES];
};

/* struct par_log_pools - of the log's own requests, of parts of requests, and of reads of copies */
struct par_log_pools {
	struct bio_set bios, splits, clones;
};

/**
 * struct par_log_counts - what a log has done
 * @logged, @drained: sectors of the array; @sent: requests to members, for records and by
 *	drains that read them; @replayed: records that the last assembly has found
 * @bad_reads: reads of copies that have failed
 * @failures: drains that have failed, one after the other, up to now
 */
struct par_log_counts {
	u64 logged, drained, sent, replayed;
	unsigned int failures;
	atomic64_t bad_reads;
};

/**
 * struct par_log_groups - what is written so that an assembly need not read all of the log
 * @summary: of the head's group; append_work only
 * @flushed: no flush of ours is under way; append_work begins them
 */
struct par_log_groups {
	struct par_log_summary summary;
	struct completion flushed;
};

/**
 * struct par_log_use - how much of the ring is used
 * @area: units of all of it
 * @off: nothing is; @closed: nothing is appended for a moment
 * @asked: a change that the drain's work has to make, or NULL
 */
struct par_log_use {
	u32 area;
	bool off, closed;
	struct par_log_resize *asked;
};

/**
 * struct par_log - of an array that has one
 * @on: it has; nothing else is valid if not
 * @lock: the ring, the index, @lost, @waiting, @held, @queued
 * @lost: what the log had and has lost, beyond what is live in the index
 * @sent: records under way, from @first to @next, modulo PAR_LOG_RECORDS; append_work only
 * @spare: for the next unit; append_work only
 * @waiting: writes that go into the log; @queued: blocks of these
 * @held: writes that wait until what the log has of them is freed
 * @discards: for the drain, which is none of them then; under conf->queue.lock
 * @reads: of each unit, under way
 * @use: under @lock
 * @ready_lock: @run, @ready, @lacking, @stuck, @renew; taken above the store's mutex
 * @run: of the records of this use; @ready: it is stored
 * @lacking: usable copies do not have some records; @heal: the walk in front of the first of
 *	these
 * @stuck: some of these can be read nowhere any more: nothing is appended before all is drained
 * @renew: store the run, and what copies lack, as soon as the array is writable: if copies lack
 *	records, or if a later start could find others
 * @dead: a record is nowhere; no more are written
 * @paused: the array is about to be quiet; @ended: for good
 * @filling: see struct par_log_need; @wanted: drain in any case; @draining: it is
 * @last: jiffies of the last record
 * @count: what has been done since the start
 */
struct par_log {
	struct par_conf *conf;
	bool on;
	spinlock_t lock;	/* see above */
	struct par_log_shape shape;
	struct par_log_ring ring;
	struct par_log_index index;
	struct par_log_lost lost;
	struct par_log_sent sent[PAR_LOG_RECORDS];
	unsigned int first, next;
	struct par_log_groups groups;
	struct par_log_use use;
	struct par_log_slot *spare;
	struct bio_list waiting, held, discards;
	u64 queued;
	atomic_t *reads;
	struct mutex ready_lock;	/* see above */
	u64 run;
	bool ready, lacking, stuck, renew;
	struct par_log_walk heal;
	bool dead, paused, ended, filling, wanted, draining;
	unsigned long last;
	struct par_log_counts count;
	struct par_log_drain *drain;
	struct workqueue_struct *wq, *drain_wq;
	struct work_struct work;
	struct delayed_work drain_work;
	wait_queue_head_t wait;
	struct par_log_pools pools;
};

/*
 * par_log_submit - a read or a write of the array, which is not flushed any more; may sleep
 * par_log_discard - the same of a discard
 * Of an array that has a log: see par_has_log(), which is all that others pay for.
 */
void par_log_submit(struct par_conf *conf, struct bio *bio);
void par_log_discard(struct par_conf *conf, struct bio *bio);

/* par_log_filled - blocks of the log that are in use, of @blocks; 0 if it is empty */
u32 par_log_filled(struct par_conf *conf, u32 *blocks);

/*
 * par_log_fit - use as much of the log's area as is stored; at assembly, before par_log_load()
 * par_log_resize - use all units but @left, and store that. Sleeps. -EBUSY: the log is not empty,
 *	or has lost blocks, which could not be written again without it; -EINVAL: too small
 */
int par_log_fit(struct par_conf *conf);
int par_log_resize(struct par_conf *conf, u32 left);

/* par_log_off - is the log not used, though the array has one? any context */
bool par_log_off(const struct par_conf *conf);

/* par_log_writable - the array has become so; any context */
void par_log_writable(struct par_conf *conf);

static inline bool par_has_log(const struct par_conf *conf)
{
	return conf->geo.log_sectors;
}

/*
 * par_log_init - room for the log that the geometry has; par_log_exit
 * par_log_load - what is in it, at assembly. Sleeps; returns 0 or why not to start.
 */
int par_log_init(struct par_conf *conf);
void par_log_exit(struct par_conf *conf);
int par_log_load(struct par_conf *conf);

/*
 * par_log_pause - no request is under way, and the array is about to stop: no drain is, either,
 * and all is flushed; par_log_resume - it goes on, after some seconds if nobody waits. Sleep,
 * both.
 */
void par_log_pause(struct par_conf *conf);
void par_log_resume(struct par_conf *conf);

/* par_log_end - no request comes any more: the log does not go on after it is paused */
void par_log_end(struct par_conf *conf);

/* ---- log-core.c ---- */

int par_log_cache_init(void);
void par_log_cache_exit(void);

/* par_log_slots - of a unit; NULL if there is no memory, unless @gfp has it wait for some */
struct par_log_slot *par_log_slots(gfp_t gfp);
void par_log_slots_free(struct par_log_slot *slots);

/*
 * par_log_kick - there is something to append, or room for it again; par_log_drain_now - there
 * may be something to drain; any context
 */
void par_log_kick(struct par_log *log);
void par_log_drain_now(struct par_log *log);

/* par_log_broken - too many members have failed: nothing goes on; any context */
bool par_log_broken(const struct par_log *log);

/*
 * par_log_lacks_member - a member is whole, and has a part in the log as soon as that is empty;
 * any context
 */
bool par_log_lacks_member(const struct par_log *log);

/*
 * par_log_usable - has member @d a part in the log?
 * par_log_rdev - it, counted in, or NULL; par_member_put() takes it back. Any context.
 */
bool par_log_usable(struct par_log *log, unsigned int d);
struct md_rdev *par_log_rdev(struct par_log *log, unsigned int d);

/* par_log_submit_again - a write of ours that has waited; may sleep */
void par_log_submit_again(struct par_log *log, struct bio *bio);

/* par_log_read_put - a read of unit @u has ended; any context */
void par_log_read_put(struct par_log *log, u32 u);

/* par_log_read_failed - a copy could not be read: it is counted, and told; any context */
void par_log_read_failed(struct par_log *log, const struct md_rdev *rdev);

/* ---- append.c, drain.c: their works ---- */

void par_log_append_work(struct work_struct *work);
void par_log_drain_work(struct work_struct *work);

/*
 * par_log_make_ready - all copies are there, and a run of its own is stored: records may be
 * appended. False if that cannot be; @stuck tells then whether it is for want of copies. Sleeps.
 */
bool par_log_make_ready(struct par_log *log);

/* par_log_do_resize - what par_log_resize() has asked for, if anything; by the drain's work */
void par_log_do_resize(struct par_log *log);

/* par_log_drain_alloc - what a drain needs, so that it never waits for memory; sleeps */
int par_log_drain_alloc(struct par_log *log);
void par_log_drain_free(struct par_log *log);

/* ---- log-read.c ---- */

/* par_log_read - a read of what the log may have; may sleep, never waits for I/O */
void par_log_read(struct par_log *log, struct bio *bio);
int par_log_read_init(struct par_log *log);

/* ---- walk.c ---- */

/*
 * par_log_heal - write what some copies lack, as a walk has found. Sleeps. -EIO: some records
 * cannot be read on any member any more; -ENOMEM: there is no memory for it now.
 */
int par_log_heal(struct par_log *log);

#endif
