/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests of virtual members, and of the array, from submission to their end: segment.c,
 * send.c, route.c, row.c, flush.c, discard.c.
 */
#ifndef RAID_PAR_IO_H
#define RAID_PAR_IO_H

#include <linux/wait.h>

#include "meta/store.h"

struct par_row;

/**
 * struct par_io - of an array
 * @row_lock: all sets' rows that are being started or discarded
 * @bios: for flushes, discards and the mover
 * @wait: for the end of writes to a segment, or of flushes
 * @flushes: the number under way, by gear; @finish: flushed requests whose data is to be
 *	sent
 * @flushed, @flush_ns: the number of flushes that have ended, and their total duration
 * @log_done: the log is written up to this position; @log_stable: the value of @log_done when
 *	the last flush that has ended was begun
 */
struct par_io {
	struct par_conf *conf;
	spinlock_t row_lock;	/* see above */
	struct bio_set bios;
	wait_queue_head_t wait;
	atomic_t flushes[PAR_MAX_SETS + 1];
	struct bio_list finish, discards;
	struct work_struct finish_work, discard_work;
	mempool_t flush_pool;
	atomic64_t flushed, flush_ns;
	u64 log_done, log_stable;
};

/* ---- segment.c ---- */

/*
 * par_segment_lock - wait until no write to member @d's segment @row of @set is under way,
 * and let none begin until par_segment_unlock(). Sleeps; one task at a time. Returns false
 * if the caller holds the bucket already.
 */
bool par_segment_lock(struct par_set *set, unsigned int d, u64 row);
void par_segment_unlock(struct par_set *set, unsigned int d, u64 row);

/* par_segment_locked - is the segment being copied? Zone lock held. */
bool par_segment_locked(struct par_set *set, unsigned int d, u64 row);

/*
 * par_bucket_of - the bucket of a segment; par_bucket_get - count a writer; or, while the
 * segment is being copied, park @bio and return false. Zone lock held, so that the state
 * that was read is still valid. par_bucket_put - the write has ended; any context.
 */
struct par_bucket *par_bucket_of(struct par_set *set, unsigned int d, u64 row);
bool par_bucket_get(struct par_bucket *bucket, struct bio *bio);
void par_bucket_put(struct par_conf *conf, struct par_bucket *bucket);

/* ---- send.c ---- */

/* par_unkept - an image did not accept this write to @vm: see lost.c; any context */
void par_unkept(struct par_vmember *vm, struct bio *bio);

/*
 * par_home_sector - where sector @sector of @set's region lies in the data area of its members
 * par_home_contiguous - how many sectors from there on lie one behind the other
 */
static inline u64 par_home_sector(const struct par_set *set, u64 sector)
{
	const struct par_geometry *geo = &set->conf->geo;

	return likely(!par_has_slots(geo)) ? set->sg->start + sector :
	       par_slot_sector(geo, set->number, sector);
}

static inline u64 par_home_contiguous(const struct par_set *set, u64 sector)
{
	const struct par_geometry *geo = &set->conf->geo;

	return likely(!par_has_slots(geo)) ? set->sg->sectors - sector :
	       par_slot_contiguous(geo, set->number, sector);
}

/* par_miss - hold @bio until its member is awake, and have the member woken; any context */
void par_miss(struct par_vmember *vm, struct bio *bio);

/*
 * par_to_home, par_to_image - the last step; @bio is within one segment. @bucket: where to
 * count the writer off when the request ends, or NULL. For par_to_home() the member must not
 * be removed before @bio ends: a set holds it for its own requests (see struct par_set_ops,
 * @holds), and no member is removed while a shift is under way.
 */
void par_to_home(struct par_vmember *vm, struct bio *bio);
void par_to_image(struct par_vmember *vm, struct bio *bio, struct par_bucket *bucket);

/*
 * par_to_home_tracked - like par_to_home(), with a clone whose completion is examined;
 * par_write_home - a write, with a clone if its completion has to be examined. @bucket:
 * where to count the writer off when the request ends, or NULL
 */
void par_to_home_tracked(struct par_vmember *vm, struct bio *bio, struct par_bucket *bucket);
void par_write_home(struct par_vmember *vm, struct bio *bio, struct par_bucket *bucket);

/*
 * par_is_last_try - does raid5 read this block alone, since a read of it failed before? For
 * reads that bypass its cache raid5 sends clones.
 * par_last_try_failed - the last try has failed; any context
 */
static inline bool par_is_last_try(const struct par_vmember *vm, struct bio *bio)
{
	return unlikely(bio->bi_opf & REQ_NOMERGE) && bio_op(bio) == REQ_OP_READ &&
	       !bio_flagged(bio, BIO_CLONED) && vm->set->child.raid5;
}

void par_last_try_failed(struct par_vmember *vm, struct bio *bio);

void par_redirect_work(struct work_struct *work);

/*
 * par_retry_missed - the gear has changed, or cannot be changed (@err): route the requests
 * that waited
 */
void par_retry_missed(struct par_conf *conf, int err);

/*
 * par_clone_alloc - a request of our own for @vm; par_clone_vm - the virtual member that it
 * is for
 * par_clone_home - send the request to the home copy. No set has counted it, so it takes a
 * reference to the member; if the member is missing, the request ends with an error.
 * par_clone_end - the request has ended: if with an error of the member, fail the member
 */
struct bio *par_clone_alloc(struct par_vmember *vm, blk_opf_t opf,
			    unsigned short pages);
struct par_vmember *par_clone_vm(struct bio *bio);
void par_clone_home(struct bio *bio);
void par_clone_end(struct bio *bio);

/*
 * par_clone_first - @bio is one of @row's first writes: returns the request to be sent in
 * its place, to the disk (@home) or to be routed, so that @landed is called before @bio
 * ends. Any process context.
 */
struct bio *par_clone_first(struct par_vmember *vm, struct bio *bio, struct par_row *row,
			    void (*landed)(struct par_row *row), bool home);

/* ---- row.c ---- */

/*
 * par_row_alloc - a free struct par_row, or NULL if there is none; any context
 * par_row_await - have @bio routed again when there is a free one; no lock held
 */
struct par_row *par_row_alloc(struct par_set *set);
void par_row_free(struct par_set *set, struct par_row *row);
void par_row_await(struct par_set *set, struct bio *bio);

/*
 * par_row_write - gather a write to an unwritten row. Zone lock held; the zone admits the
 * write in @gear. @spare is used (and cleared) if the row is new; returns false and does
 * nothing if a spare is needed and @spare is NULL. @full is set to the row if this write
 * completes it: it is written from now on, and the caller must par_row_release() it after
 * unlocking.
 */
bool par_row_write(struct par_vmember *vm, u64 row, unsigned int gear,
		   struct bio *bio, struct par_row **spare,
		   struct par_row **full);
void par_row_release(struct par_row *row);

/*
 * par_row_hold_read - if some of the row's first writes have not ended, have @bio routed
 * again after all have; no lock held. Returns false, and does nothing, if all have ended.
 */
bool par_row_hold_read(struct par_set *set, u64 row, struct bio *bio);

/* par_row_busy - is the row being started? Zone lock held. */
bool par_row_busy(struct par_set *set, u64 row);

/* par_row_touch - a request to a written row cancels its discard; zone lock held */
void par_row_touch(struct par_set *set, u64 row);

/* par_row_discard - count the discard @bio, which is within one segment; no lock held */
void par_row_discard(struct par_vmember *vm, struct bio *bio, u64 row);

/* par_rows_purge - forget half-discarded rows; the set is quiet */
void par_rows_purge(struct par_set *set);
int par_rows_init(struct par_set *set);
void par_rows_exit(struct par_set *set);

/* ---- route.c ---- */

extern const struct block_device_operations par_vmember_fops;

/* par_route - send a request of a virtual member to its destination */
void par_route(struct par_vmember *vm, struct bio *bio);

/* par_members_init, par_members_exit - the queues of route.c */
int par_members_init(struct par_conf *conf);
void par_members_exit(struct par_conf *conf);
int par_members_init_set(struct par_set *set);
void par_members_exit_set(struct par_set *set);
int par_send_init_set(struct par_set *set);
void par_send_exit_set(struct par_set *set);

/* ---- flush.c ---- */

int par_flush_init(struct par_conf *conf);
void par_flush_exit(struct par_conf *conf);
void par_discard_init(struct par_conf *conf);

/*
 * par_flush_request - @bio has PREFLUSH: flush, then continue with its data. @waited_for: a
 * user waits for it, so that its duration counts for the policy
 */
void par_flush_request(struct par_conf *conf, struct bio *bio, bool waited_for);

/* par_flush_done - the flush of @bio has ended; bi_status has its result */
void par_flush_done(struct par_conf *conf, struct bio *bio);

/* ---- discard.c ---- */

/* par_discard_request - discard the whole rows that @bio covers */
void par_discard_request(struct par_conf *conf, struct bio *bio);

/*
 * par_discard_next - the next whole stripes of the discard @bio, from *@sector on, none of whose
 * rows is written: sets *@sector, and returns the number of sectors; 0: there are none
 */
u64 par_discard_next(struct par_conf *conf, const struct bio *bio, u64 *sector);

#endif
