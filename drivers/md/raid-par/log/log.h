/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The write log while the array runs: log-core.c, append.c, log-read.c, log-route.c, batch.c,
 * drain.c, ahead.c, walk.c, and log.c above these. Documentation/log.md describes it, and why it
 * is right.
 */
#ifndef RAID_PAR_LOG_H
#define RAID_PAR_LOG_H

#include <linux/srcu.h>

#include "io/io.h"
#include "pure/log-drain.h"
#include "pure/log-index.h"
#include "pure/log-lost.h"
#include "pure/log-replay.h"
#include "pure/log-ring.h"
#include "pure/log-way.h"

#define PAR_LOG_RECORDS	2U	/* under way at a time; waiting writes share the next one */
#define PAR_LOG_DATA	(PAR_LOG_UNIT - 1)	/* maximum of blocks of data of a record */
#define PAR_LOG_LOOK	(5 * HZ)	/* interval of checks for blocks to drain */

struct par_log;
struct par_log_drain;
struct par_log_resize;

/* struct par_log_leg - the write of one copy of a record; @rdev is referenced */
struct par_log_leg {
	struct par_log_sent *sent;
	struct md_rdev *rdev;
};

/* struct par_log_unit_sum - the summary of a unit: @raw is complete but for its seal */
struct par_log_unit_sum {
	struct par_log_summary head;
	struct par_disk_log_summary *raw;
};

/**
 * struct par_log_block - a block of the array that is drained, or appended again
 * @sectors: those that its page has, of all its @parts
 * @whole: the page has the others as they are at home, too
 */
struct par_log_block {
	u64 block;
	struct par_log_part part[PAR_LOG_PARTS];
	unsigned int parts;
	u8 sectors;
	bool whole;
};

/**
 * struct par_log_again - blocks that the drain's work has read, and that are appended again: behind
 *	them the tail can move. That work waits, so that no block is drained or discarded meanwhile.
 * @block: @count of them, with a page each; those before @next have been appended, or are not live
 *	any more
 * @done: nothing more is appended, and what was appended is acknowledged
 */
struct par_log_again {
	const struct par_log_block *block;
	struct page **pages;
	unsigned int count, next;
	struct completion done;
};

/*
 * struct par_log_queues - for the works of records, of the drain, and of gathered writes. These
 * have allocated what a work of another queue may wait for.
 */
struct par_log_queues {
	struct workqueue_struct *append, *drain, *gather;
};

/**
 * struct par_log_summaries - summaries of units that have been written in this run
 * @unit: a queue of units whose records all have been acknowledged, from @first to @next
 * @count: its length, a power of two; 0: units have no summaries
 * @raw: its blocks, one after the other
 * @counts_from: stored with each tail: summaries of runs before this one do not count
 * @open: unit @next of the queue has been begun, and is not complete
 * @work: flushes these units, and writes their summaries
 * @wq: for @work. A resize waits for it in the drain's work, so it must not wait for works that
 *	wait for a drain
 */
struct par_log_summaries {
	struct par_log_unit_sum *unit;
	struct par_disk_log_summary *raw;
	unsigned int count, first, next;
	u64 counts_from;
	bool open;
	struct work_struct work;
	struct workqueue_struct *wq;
};

/**
 * struct par_log_sent - a record that is being written
 * @pos, @end: its positions in the ring; @tail: that of the ring; @count: blocks of data
 * @bios: writes that are acknowledged with it
 * @left: copies that are under way, plus one; @good: copies that are written, a bit each
 * @written: the writes of all copies have ended
 */
struct par_log_sent {
	struct par_log *log;
	u64 pos, end, tail;
	unsigned int count;
	struct page *header, *data[PAR_LOG_DATA];
	struct par_log_entry entry[PAR_LOG_DATA];
	struct bio_list bios;
	atomic_t left, good;
	bool written;
	struct par_log_leg leg[PAR_LOG_MAX_COPIES];
};

/*
 * struct par_log_pools - pools of the log's own requests, of splits and clones of reads, and of
 * @parts of writes: these may be held until a drain has ended, for which reads must be able to end.
 * @pages: for reads of less than a block
 * @homes: the drain's writes, which may wait for copies of the mover, whose requests are of another
 * pool
 */
struct par_log_pools {
	struct bio_set bios, splits, clones, parts, homes;
	mempool_t pages;
};

/**
 * struct par_log_counts - counts since the start of the array
 * @logged, @drained: sectors of the array; @sent: requests to members that write records or
 *	read them for a drain; @replayed: records that the assembly has found
 * @bad_reads: failed reads of copies
 * @summarized: units of which it has read the summary only
 * @failures: the number of drains in a row that have failed up to now
 */
struct par_log_counts {
	u64 logged, drained, sent, replayed;
	unsigned int summarized, failures;
	atomic64_t bad_reads;
};

/**
 * struct par_log_use - how much of the ring is used
 * @area: the number of all units
 * @off: no unit is used; @closed: nothing is appended for a moment
 * @reserved: blocks of writes that have been given room, and are about to be among the @waiting
 * @quota: how much is appended while a member waits for its part
 * @asked: a change that the drain's work has to make, or NULL
 * @again: what is to be appended again, or NULL
 * @pace: how fast it fills; @slow: no record of writes begins before @next, in jiffies;
 *	@slow_work: begins it then
 */
struct par_log_use {
	u32 area;
	bool off, closed;
	u64 reserved;
	struct par_log_quota quota;
	struct par_log_resize *asked;
	struct par_log_again *again;
	struct par_log_pace pace;
	unsigned long next;
	bool slow;
	struct delayed_work slow_work;
};

/**
 * struct par_log_gate - the gate of a shift down, see par_log_hold()
 * @past: sections in which a write is found to go past the log, and is sent
 * @turn: incremented when it is closed and when it is opened: odd while it is closed
 * @slice: a slice of the drain is on its way home
 */
struct par_log_gate {
	struct srcu_struct past;
	unsigned int turn;
	bool slice;
};

/* struct par_log_gathered - @bios: writes of tasks that wait, for @work; under conf->queue.lock */
struct par_log_gathered {
	struct bio_list bios;
	struct work_struct work;
};

/**
 * struct par_log - the write log of an array
 * @on: the array has a log; if not, no other field is valid
 * @lock: guards the ring, the index, @lost, @waiting, @held, @queued, @use, the queue in @sums, the
 *	fields of @gate
 * @lost: lost blocks, which are not live in the index
 * @sent: records under way, from @first to @next, modulo PAR_LOG_RECORDS; append_work only
 * @spare: slots for the next unit; append_work only
 * @sums, @gate: see above
 * @waiting: writes that go into the log; @queued: the number of their blocks
 * @held: writes that wait until their logged blocks have been drained and freed
 * @gathered: see above
 * @discards: discards that wait for the drain's work, between drains; under conf->queue.lock
 * @reads: for each unit, the number of reads under way
 * @ready_lock: guards @run, @ready, @lacking, @stuck, @renew; taken above the store's mutex
 * @run: the run of the records of this use; @ready: it is stored
 * @lacking: usable copies lack records; @heal: the walk at the first of these records
 * @stuck: some of these have no readable copy any more: nothing is appended before the others
 *	have been drained
 * @renew: complete the copies and store the run as soon as the array is writable, since copies
 *	lack records, or since a later start could find other records
 * @dead: a record has no copy; no more records are written
 * @paused: the array is about to be quiet; @ended: it will not be resumed
 * @wanted: drain, as writes wait for it; @draining: a drain is under way
 * @last: jiffies of the last record
 * @count: counts since the start
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
	struct par_log_use use;
	struct par_log_slot *spare;
	struct par_log_summaries sums;
	struct par_log_gate gate;
	struct bio_list waiting, held, discards;
	struct par_log_gathered gathered;
	u64 queued;
	atomic_t *reads;
	struct mutex ready_lock;	/* see above */
	u64 run;
	bool ready, lacking, stuck, renew;
	struct par_log_walk heal;
	bool dead, paused, ended, wanted, draining;
	unsigned long last;
	struct par_log_counts count;
	struct par_log_drain *drain;
	struct par_log_queues queues;
	struct work_struct work;
	struct delayed_work drain_work;
	wait_queue_head_t wait;
	struct par_log_pools pools;
};

/*
 * par_log_submit - submit a read or a write, whose flush (PREFLUSH) has been done; may sleep
 * par_log_discard - the same for a discard
 * Only for arrays with a log: see par_has_log(), which is the only cost for other arrays.
 */
void par_log_submit(struct par_conf *conf, struct bio *bio);
void par_log_discard(struct par_conf *conf, struct bio *bio);

/* par_log_filled - the number of blocks of the log in use, of @blocks; 0 if it is empty */
u32 par_log_filled(struct par_conf *conf, u32 *blocks);

/*
 * par_log_fit - use the log's area as the superblock says; at assembly, before par_log_load()
 * par_log_resize - use all units except @left, and store this. Sleeps. Each error but -EINVAL, too
 *	small, is logged. -EBUSY: the log has records; -EUCLEAN: it has lost blocks, which could
 *	not be written again without it; -EALREADY: another change is under way; -ETIMEDOUT: the
 *	drain's work is busy; -EROFS; -EIO: the log cannot be used, or the change not be stored
 */
int par_log_fit(struct par_conf *conf);
int par_log_resize(struct par_conf *conf, u32 left);

/* par_log_off - is the log not used, though the array has one? any context */
bool par_log_off(const struct par_conf *conf);

/* par_log_writable - the array has become writable; any context */
void par_log_writable(struct par_conf *conf);

static inline bool par_has_log(const struct par_conf *conf)
{
	return conf->geo.log_sectors;
}

/*
 * par_log_init - allocate the log of the geometry; par_log_exit frees it
 * par_log_load - find the content of the log at assembly. Sleeps; returns 0, or -errno if the array
 *	must not start.
 */
int par_log_init(struct par_conf *conf);
void par_log_exit(struct par_conf *conf);
int par_log_load(struct par_conf *conf);

/*
 * par_log_pause - the array is about to stop, and no request is under way: end the drain, and
 *	flush the log
 * par_log_resume - continue; the drain some seconds later, unless writes or discards wait for it
 * Both sleep.
 */
void par_log_pause(struct par_conf *conf);
void par_log_resume(struct par_conf *conf);

/*
 * par_log_hold - the mover is about to make the sets quiet and to change to a lower gear: until
 *	par_log_go_on(), no drain is under way, and writes go to the log as in a low gear, also
 *	those that have waited for the drain. So no write that was sent home in the old gear is
 *	continued in the new one, in which it would need members that sleep. Sleeps until the
 *	writes that go past the log have been sent, and the present slice of the drain has ended;
 *	false if @stop() has returned true before. conf->wish.wait is woken when @stop() may have
 *	changed.
 */
bool par_log_hold(struct par_conf *conf, bool (*stop)(struct par_conf *conf));
void par_log_go_on(struct par_conf *conf);

/* par_log_end - no further request follows: the log is not resumed after it was paused */
void par_log_end(struct par_conf *conf);

/* ---- log-core.c ---- */

int par_log_cache_init(void);
void par_log_cache_exit(void);

/* par_log_slots - allocate the slots of a unit; NULL without memory, if @gfp allows that */
struct par_log_slot *par_log_slots(gfp_t gfp);
void par_log_slots_free(struct par_log_slot *slots);

/*
 * par_log_pages - allocate @count pages, many of them adjacent: disks limit the number of segments
 * of a request, and adjacent pages are one. Returns how many there are memory for.
 */
unsigned int par_log_pages(struct page **pages, unsigned int count, gfp_t gfp);

/* par_log_add_page - add to a bio, which has a vector for each page; adjacent ones share it */
static inline void par_log_add_page(struct bio *bio, struct page *page, unsigned int bytes,
				    unsigned int offset)
{
	WARN_ON_ONCE(bio_add_page(bio, page, bytes, offset) != bytes);
}

/*
 * par_log_widen - set the *@count sectors from *@first on, of a block of the log, to those of the
 *	logical blocks of @bdev that they are in: a disk accepts no part of such a block. Entries
 *	may have less, from users of an array whose members were other disks.
 * par_log_copy - copy sectors of a block to the same place in another page; both are lowmem
 */
static inline void par_log_widen(struct block_device *bdev, unsigned int *first,
				 unsigned int *count)
{
	unsigned int unit = bdev_logical_block_size(bdev) >> SECTOR_SHIFT, end = *first + *count;

	*first = round_down(*first, unit);
	*count = round_up(end, unit) - *first;
}

static inline void par_log_copy(struct page *to, struct page *from, unsigned int first,
				unsigned int count)
{
	unsigned int at = first << SECTOR_SHIFT;

	memcpy(page_address(to) + at, page_address(from) + at, count << SECTOR_SHIFT);
}

/* par_log_home_unit - the sectors of a logical block of the array, as its users see it */
static inline unsigned int par_log_home_unit(const struct par_log *log)
{
	return queue_logical_block_size(log->conf->mddev->gendisk->queue) >> SECTOR_SHIFT;
}

/*
 * par_log_kick - writes wait to be appended, or there is room again
 * par_log_drain_now - there may be blocks to drain
 * Any context.
 */
void par_log_kick(struct par_log *log);
void par_log_drain_now(struct par_log *log);

/* par_log_room - has the ring room for @blocks, behind the writes that go into it already? */
static inline bool par_log_room(const struct par_log *log, u64 blocks)
{
	lockdep_assert_held(&log->lock);
	return par_log_ring_room(&log->ring, log->queued + log->use.reserved + blocks);
}

/* par_log_held - is the gate closed? See par_log_hold(); any context */
static inline bool par_log_held(const struct par_log *log)
{
	return READ_ONCE(log->gate.turn) & 1;
}

/* par_log_low - is the array in a gear below its top one, or about to be? any context */
static inline bool par_log_low(const struct par_log *log)
{
	return READ_ONCE(log->conf->gear) < log->conf->geo.gears || par_log_held(log);
}

/* par_log_broken - too many members have failed: the log is not used any more; any context */
bool par_log_broken(const struct par_log *log);

/*
 * par_log_lacks_member - is a member whole that has no part in the log? It gets one as soon as
 * the log is empty. Any context.
 */
bool par_log_lacks_member(const struct par_log *log);

/*
 * par_log_usable - has member @d a part in the log?
 * par_log_rdev - get its rdev, to be released by par_member_put(), or NULL
 * Any context.
 */
bool par_log_usable(struct par_log *log, unsigned int d);
struct md_rdev *par_log_rdev(struct par_log *log, unsigned int d);

/* par_log_submit_again - submit a write that was held; may sleep */
void par_log_submit_again(struct par_log *log, struct bio *bio);

/* par_log_read_put - a read of unit @u has ended; any context */
void par_log_read_put(struct par_log *log, u32 u);

/*
 * par_log_close_unit - free the slots of the unit at @pos, so that no new read finds it, and wait
 * for the reads that have found it before; sleeps
 */
void par_log_close_unit(struct par_log *log, u64 pos);

/* par_log_read_failed - count and report a failed read of a copy; any context */
void par_log_read_failed(struct par_log *log, const struct md_rdev *rdev);

/* ---- append.c, log-route.c, drain.c: their works ---- */

void par_log_append_work(struct work_struct *work);
void par_log_slow_work(struct work_struct *work);
void par_log_gather_work(struct work_struct *work);
void par_log_drain_work(struct work_struct *work);

/*
 * par_log_make_ready - complete all copies and store a new run, after which records may be
 * appended. False if this fails; @stuck is set if records have no readable copy. Sleeps.
 */
bool par_log_make_ready(struct par_log *log);

/* par_log_do_resize - make the change that par_log_resize() has requested, if any; drain's work */
void par_log_do_resize(struct par_log *log);

#if IS_ENABLED(CONFIG_KUNIT)
/* Steps of these works that a test replaces: tests/log_works_kunit.c. */
void par_log_count_write(struct par_log *log, struct bio **bio);
bool par_log_append_again(struct par_log_drain *drain);
bool par_log_must_wait(struct par_log *log);
void par_log_slow_down(struct par_log *log, u32 blocks);
#endif

/* par_log_drain_alloc - allocate all memory of a drain, so that it never waits for any; sleeps */
int par_log_drain_alloc(struct par_log *log);
void par_log_drain_free(struct par_log *log);

/* ---- log-read.c ---- */

/* par_log_read - submit a read that may need the log; may sleep, never waits for I/O */
void par_log_read(struct par_log *log, struct bio *bio);
int par_log_read_init(struct par_log *log);

/* ---- summary.c ---- */

/*
 * par_log_summaries_init - allocate what summaries need, if the shape has them; sleeps
 * par_log_summaries_exit - free it; nothing is appended any more
 */
int par_log_summaries_init(struct par_log *log);
void par_log_summaries_exit(struct par_log *log);

/* par_log_void_older - the log is empty: no summary of an older run counts; with the lock */
static inline void par_log_void_older(struct par_log *log)
{
	lockdep_assert_held(&log->lock);
	log->sums.counts_from = log->run;
}

/* par_log_summarize - a record is acknowledged; with the lock, in the order of positions */
void par_log_summarize(struct par_log *log, const struct par_log_sent *sent);

/*
 * par_log_summaries_look - write them some time, if there are enough; any context
 * par_log_summaries_store - write the summaries of all complete units; sleeps
 * par_log_summaries_drop - forget all units, of a ring that is about to change; sleeps
 */
void par_log_summaries_look(struct par_log *log);
void par_log_summaries_store(struct par_log *log);
void par_log_summaries_drop(struct par_log *log);

/* ---- walk.c ---- */

/*
 * par_log_heal - write the records that copies lack, from @heal on. Sleeps. -ENODATA: some records
 * cannot be read from any copy any more; -ENOMEM: there is no memory at the moment; -EIO: nothing
 * can be stored, as too many members have failed.
 */
int par_log_heal(struct par_log *log);

#endif
