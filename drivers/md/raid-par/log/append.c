// SPDX-License-Identifier: GPL-2.0
/*
 * Writes that go into the log. One work makes records of the waiting writes. When records have
 * been written, it acknowledges their writes, in the order of positions. See log.h.
 */
#include <linux/delay.h>
#include <linux/highmem.h>
#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include "core/parent.h"
#include "log/batch.h"
#include "log/log_trace.h"

#define HEAL_AGAIN_MS	100	/* delay of another walk after one that lacked memory */

/* ---- what is written ---- */

static void end_bio(struct par_log *log, struct bio *bio, bool good)
{
	if (!good)
		bio->bi_status = BLK_STS_IOERR;
	/* Its data is written: a write with FUA now needs only a flush. */
	if (good && bio->bi_opf & REQ_FUA)
		par_flush_request(log->conf, bio, true);
	else
		bio_endio(bio);
}

static void index_record(struct par_log *log, const struct par_log_sent *sent)
{
	unsigned int i;

	lockdep_assert_held(&log->lock);
	for (i = 0; i < sent->count; i++)
		par_log_index_add(&log->index, par_log_place(&log->shape, sent->pos + 1 + i),
				  &sent->entry[i]);
	par_log_ring_done(&log->ring, sent->end);
	WRITE_ONCE(log->conf->io->log_done, log->ring.done);
	log->count.logged += sent->count * PAR_LOG_BLOCK;
	par_log_summarize(log, sent);
}

/* Acknowledge the records that are written, up to the first one that is not. */
static void retire_records(struct par_log *log)
{
	struct bio *bio;

	for (; log->first != log->next; log->first++) {
		struct par_log_sent *sent = &log->sent[log->first % PAR_LOG_RECORDS];
		bool good;

		/* Pairs with copy_put(): @good is complete. */
		if (!smp_load_acquire(&sent->written))
			break;
		/* Behind a record without any copy, a replay would find no record. */
		good = atomic_read(&sent->good) && !log->dead;
		spin_lock(&log->lock);
		if (good)
			index_record(log, sent);
		else
			log->dead = true;
		spin_unlock(&log->lock);
		while ((bio = bio_list_pop(&sent->bios)))
			end_bio(log, bio, good);
		/* The tail may pass it now, which writes may be waiting for. */
		if (READ_ONCE(log->wanted))
			par_log_drain_now(log);
	}
}

/* ---- a record ---- */

static void copy_put(struct par_log_sent *sent)
{
	struct par_log *log = sent->log;

	if (!atomic_dec_and_test(&sent->left))
		return;
	/* Pairs with retire_records(). */
	smp_store_release(&sent->written, true);
	par_log_kick(log);
}

static void copy_endio(struct bio *bio)
{
	struct par_log_leg *leg = bio->bi_private;
	struct par_log_sent *sent = leg->sent;
	struct mddev *mddev = sent->log->conf->mddev;

	/* The member fails, so the copy that lacks the record is not used. */
	if (bio->bi_status)
		md_error(mddev, leg->rdev);
	else
		atomic_or(BIT(leg - sent->leg), &sent->good);
	rdev_dec_pending(leg->rdev, mddev);
	bio_put(bio);
	copy_put(sent);
}

static void send_copy(struct par_log *log, struct par_log_sent *sent, unsigned int copy)
{
	u32 place = par_log_place(&log->shape, sent->pos);
	struct md_rdev *rdev = par_log_rdev(log, par_log_member(&log->shape, place, copy));
	struct par_log_leg *leg = &sent->leg[copy];
	struct bio *bio;
	unsigned int i;

	if (!rdev)
		return;
	leg->sent = sent;
	leg->rdev = rdev;
	bio = bio_alloc_bioset(rdev->bdev, 1 + sent->count, REQ_OP_WRITE | REQ_SYNC, GFP_NOIO,
			       &log->pools.bios);
	bio->bi_iter.bi_sector = rdev->data_offset + par_log_sector(&log->shape, place, copy);
	bio->bi_private = leg;
	bio->bi_end_io = copy_endio;
	par_log_add_page(bio, sent->header, PAR_LOG_BLOCK_BYTES, 0);
	for (i = 0; i < sent->count; i++)
		par_log_add_page(bio, sent->data[i], PAR_LOG_BLOCK_BYTES, 0);
	atomic_inc(&sent->left);
	log->count.sent++;
	submit_bio_noacct(bio);
}

static void seal_record(struct par_log *log, struct par_log_sent *sent)
{
	struct par_disk_log_header *raw = page_address(sent->header);
	struct par_log_head head = {
		.epoch = log->conf->store->super.epoch,
		.run = log->run,
		.pos = sent->pos,
		.stable = min(READ_ONCE(log->conf->io->log_stable), sent->pos),
		.tail = sent->tail,
		.count = sent->count,
	};
	unsigned int i;

	par_log_header_begin(raw);
	for (i = 0; i < sent->count; i++)
		par_log_entry_pack(raw, i, &sent->entry[i], page_address(sent->data[i]));
	par_log_header_seal(raw, &head);
}

/* Copy @bytes of @bio to a page, and advance @bio. */
static void copy_out(struct bio *bio, void *to, unsigned int bytes)
{
	while (bytes) {
		struct bio_vec part = bio_iter_iovec(bio, bio->bi_iter);
		unsigned int length = min(part.bv_len, bytes);

		memcpy_from_page(to, part.bv_page, part.bv_offset, length);
		bio_advance_iter_single(bio, &bio->bi_iter, length);
		to += length;
		bytes -= length;
	}
}

/* Copy the next block of @bio to block @i of the record. */
static void take_block(struct par_log_sent *sent, unsigned int i, struct bio *bio)
{
	u64 sector = bio->bi_iter.bi_sector;
	unsigned int first = sector % PAR_LOG_BLOCK;
	unsigned int count = min(PAR_LOG_BLOCK - first, bio_sectors(bio));
	void *to = page_address(sent->data[i]);

	sent->entry[i].block = sector / PAR_LOG_BLOCK;
	sent->entry[i].sectors = GENMASK(first + count - 1, first);
	if (count < PAR_LOG_BLOCK)
		memset(to, 0, PAR_LOG_BLOCK_BYTES);
	copy_out(bio, to + (first << SECTOR_SHIFT), count << SECTOR_SHIFT);
}

/* Fill a record with the waiting writes. The rest of the last write goes into the next record. */
static void fill_record(struct par_log *log, struct par_log_sent *sent)
{
	struct bio *bio;
	unsigned int i;

	for (i = 0; i < sent->count; i++) {
		spin_lock(&log->lock);
		bio = bio_list_peek(&log->waiting);
		spin_unlock(&log->lock);
		take_block(sent, i, bio);
		spin_lock(&log->lock);
		log->queued--;
		if (!bio->bi_iter.bi_size)
			bio_list_add(&sent->bios, bio_list_pop(&log->waiting));
		spin_unlock(&log->lock);
	}
}

/* The sectors that are still live where they have been read. */
static u8 live_sectors(struct par_log *log, const struct par_log_block *block)
{
	unsigned int i;
	u8 live = 0;

	for (i = 0; i < block->parts; i++)
		live |= par_log_index_live(&log->index, &block->part[i]);
	return live;
}

/* The number of blocks that are to be appended again, for one record. */
static unsigned int count_again(struct par_log *log)
{
	const struct par_log_again *again = log->use.again;
	unsigned int i, count = 0;

	lockdep_assert_held(&log->lock);
	for (i = again->next; i < again->count && count < PAR_LOG_DATA; i++)
		count += !!live_sectors(log, &again->block[i]);
	return count;
}

/*
 * Fill a record with such blocks. No record is under way, nor does the drain's work do anything:
 * what is live stays so.
 */
static void fill_again(struct par_log *log, struct par_log_sent *sent)
{
	struct par_log_again *again = log->use.again;
	unsigned int i, first, count, at;

	for (i = 0; i < sent->count; again->next++) {
		const struct par_log_block *block = &again->block[again->next];
		u8 live = live_sectors(log, block);

		if (!live)
			continue;
		memset(page_address(sent->data[i]), 0, PAR_LOG_BLOCK_BYTES);
		for (at = 0; par_log_next_run(live, at, &first, &count); at = first + count)
			par_log_copy(sent->data[i], again->pages[again->next], first, count);
		sent->entry[i].block = block->block;
		sent->entry[i].sectors = live;
		i++;
	}
}

/* Does a record of @want blocks begin a unit that has no slots? */
static bool lacks_slots(struct par_log *log, u64 want)
{
	lockdep_assert_held(&log->lock);
	return want && !log->use.off && !log->spare &&
	       !log->index.unit[par_log_place(&log->shape, log->ring.head) / PAR_LOG_UNIT];
}

/*
 * Take room for the waiting writes, or for blocks that are appended @again: false if there are
 * none, or if there is no room.
 */
static bool take_room(struct par_log *log, struct par_log_sent *sent, bool again)
{
	u64 want;
	u32 u;

	/* A record within a unit must not wait for memory: its write may free some. */
	if (!log->spare)
		log->spare = par_log_slots(GFP_NOWAIT | __GFP_NOWARN);
	spin_lock(&log->lock);
	want = again ? count_again(log) : log->queued;
	if (lacks_slots(log, want)) {
		spin_unlock(&log->lock);
		log->spare = par_log_slots(GFP_NOIO | __GFP_NOFAIL);
		spin_lock(&log->lock);
	}
	sent->count = 0;
	if (want && !log->use.closed && !log->use.off)
		sent->count = par_log_ring_take(&log->ring, min_t(u64, want, PAR_LOG_DATA),
						&sent->pos);
	if (sent->count) {
		sent->end = log->ring.head;
		sent->tail = log->ring.tail;
		u = par_log_place(&log->shape, sent->pos) / PAR_LOG_UNIT;
		if (!log->index.unit[u]) {
			par_log_index_open(&log->index, u, log->spare);
			log->spare = NULL;
		}
	}
	spin_unlock(&log->lock);
	if (!sent->count && want && !again)
		par_log_drain_now(log);
	return sent->count;
}

/* Are members being woken, so that the log will be drained? Not if they did not start before. */
static bool room_is_coming(struct par_log *log)
{
	const struct par_wish *wish = &log->conf->wish;

	return READ_ONCE(wish->target) > READ_ONCE(log->conf->gear) && !READ_ONCE(wish->unraised);
}

/*
 * Wake members before the log is full, and let the next record wait if little room is left. Behind
 * the gate of a shift down, which opens it in time (par_yield_copied()), the log fills since large
 * writes go to it, too: that is no reason to wake any.
 */
VISIBLE_IF_KUNIT void par_log_slow_down(struct par_log *log, u32 blocks)
{
	u64 now = ktime_to_ms(ktime_get());
	bool fills;
	u32 delay;

	spin_lock(&log->lock);
	par_log_pace_see(&log->use.pace, &log->ring, now);
	fills = par_log_pace_fills(&log->use.pace, &log->ring, now);
	delay = par_log_pace_delay(&log->ring, blocks);
	spin_unlock(&log->lock);
	if (fills && !par_log_held(log) && READ_ONCE(log->conf->gear) < log->conf->geo.gears &&
	    READ_ONCE(log->conf->wish.target) < log->conf->geo.gears)
		par_shift_wake(log->conf, "log");
	log->use.slow = delay && room_is_coming(log);
	log->use.next = jiffies + msecs_to_jiffies(delay);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_slow_down);

/* Is it too early for a record of the waiting writes? */
VISIBLE_IF_KUNIT bool par_log_must_wait(struct par_log *log)
{
	unsigned long now = jiffies;

	KUNIT_STATIC_STUB_REDIRECT(par_log_must_wait, log);
	if (!log->use.slow || !READ_ONCE(log->queued) || time_after_eq(now, log->use.next))
		return false;
	queue_delayed_work(log->queues.append, &log->use.slow_work, log->use.next - now);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_must_wait);

void par_log_slow_work(struct work_struct *work)
{
	struct par_log *log = container_of(to_delayed_work(work), struct par_log, use.slow_work);

	par_log_kick(log);
}

/* A record of the waiting writes, or of blocks that are appended @again. */
static bool append_record(struct par_log *log, bool again)
{
	struct par_log_sent *sent = &log->sent[log->next % PAR_LOG_RECORDS];
	unsigned int copy;

	/* A record that is under way may have newer content of a block that is appended again. */
	if (log->next - log->first >= (again ? 1 : PAR_LOG_RECORDS) ||
	    (!again && par_log_must_wait(log)) || !take_room(log, sent, again))
		return false;
	if (again)
		fill_again(log, sent);
	else
		fill_record(log, sent);
	seal_record(log, sent);
	trace_par_log_record(log, sent);
	sent->written = false;
	atomic_set(&sent->good, 0);
	atomic_set(&sent->left, 1);
	log->next++;
	if (!again) {
		log->last = jiffies;
		par_log_slow_down(log, 1 + sent->count);
	}
	/* No event tells the drain that the log is idle: it checks at intervals. */
	queue_delayed_work(log->queues.drain, &log->drain_work, PAR_LOG_LOOK);
	/*
	 * The first copy is adjacent to the last one of the next unit. A plug merges a request with
	 * the one before it only, if that is large.
	 */
	for (copy = log->shape.copies; copy-- > 0; )
		send_copy(log, sent, copy);
	copy_put(sent);
	return true;
}

/* Wait for memory: a lack of it does not mean that records cannot be read. */
static int walk_and_heal(struct par_log *log)
{
	int err = par_log_heal(log);

	while (err == -ENOMEM && !par_log_broken(log)) {
		msleep(HEAL_AGAIN_MS);
		err = par_log_heal(log);
	}
	return err;
}

/*
 * Complete all copies: false if some records cannot be read from any copy any more. A replay
 * would not find a record behind such a record.
 */
static bool heal_copies(struct par_log *log)
{
	int err = 0;

	lockdep_assert_held(&log->ready_lock);
	if (log->lacking && !par_log_ring_empty(&log->ring))
		err = log->stuck ? -ENODATA : walk_and_heal(log);
	if (err && err != -ENODATA) {
		pr_warn_ratelimited("md/par:%s: the records that copies of the log lack cannot be written now: error %d; nothing is written to the log before they are\n",
				    mdname(log->conf->mddev), err);
		return false;
	}
	if (err && !log->stuck)
		pr_err("md/par:%s: some records of the log cannot be read any more: nothing is written to the log until it has been drained\n",
		       mdname(log->conf->mddev));
	WRITE_ONCE(log->stuck, err);
	log->lacking &= !!err;
	return !err;
}

static bool begin_run(struct par_log *log)
{
	struct par_log_record record = {
		.tail = log->ring.tail,
		.stable = log->ring.done,
		.run = log->run,
	};

	lockdep_assert_held(&log->ready_lock);
	spin_lock(&log->lock);
	if (par_log_ring_empty(&log->ring))
		par_log_void_older(log);
	record.summaries_from = log->sums.counts_from;
	record.lost = log->lost;
	spin_unlock(&log->lock);
	if (par_store_log(log->conf, &record, par_log_ring_empty(&log->ring)))
		return false;
	WRITE_ONCE(log->renew, false);
	WRITE_ONCE(log->ready, true);
	return true;
}

bool par_log_make_ready(struct par_log *log)
{
	bool ready;

	might_sleep();
	mutex_lock(&log->ready_lock);
	ready = log->ready || (heal_copies(log) && begin_run(log));
	mutex_unlock(&log->ready_lock);
	return ready;
}

static void fail_waiting(struct par_log *log)
{
	struct bio_list bios;
	struct bio *bio;

	spin_lock(&log->lock);
	bios = log->waiting;
	bio_list_init(&log->waiting);
	log->queued = 0;
	spin_unlock(&log->lock);
	while ((bio = bio_list_pop(&bios)))
		end_bio(log, bio, false);
}

/* Let the waiting writes wait for the drain, with the held ones. */
static void hold_waiting(struct par_log *log)
{
	spin_lock(&log->lock);
	bio_list_merge(&log->held, &log->waiting);
	bio_list_init(&log->waiting);
	log->queued = 0;
	WRITE_ONCE(log->wanted, true);
	spin_unlock(&log->lock);
	par_log_drain_now(log);
}

/*
 * Nothing of @again is left to be appended: if no record is under way, the drain's work goes on.
 * What it has begun since @again was read is appended by the next run of this work.
 */
static void end_again(struct par_log *log, struct par_log_again *again)
{
	if (!again || log->first != log->next)
		return;
	spin_lock(&log->lock);
	log->use.again = NULL;
	spin_unlock(&log->lock);
	complete(&again->done);
	/* For the writes that have come in meanwhile. */
	par_log_kick(log);
}

void par_log_append_work(struct work_struct *work)
{
	struct par_log *log = container_of(work, struct par_log, work);
	struct par_log_again *again;
	struct blk_plug plug;

	if (!READ_ONCE(log->queued) && !READ_ONCE(log->use.again) && log->first == log->next &&
	    !(READ_ONCE(log->renew) && md_is_rdwr(log->conf->mddev)))
		return;
	/* What has come before the log was switched off goes past it. */
	if (READ_ONCE(log->use.off) ||
	    (!par_log_broken(log) && !par_log_make_ready(log) && READ_ONCE(log->stuck)))
		hold_waiting(log);
	else if (par_log_broken(log) || !READ_ONCE(log->ready))
		fail_waiting(log);
	/* Adjacent records become one request to a member. */
	blk_start_plug(&plug);
	do {
		retire_records(log);
		/* On fast members, records end as fast as they are filled. */
		cond_resched();
		again = READ_ONCE(log->use.again);
	} while (!par_log_broken(log) && READ_ONCE(log->ready) && append_record(log, again));
	blk_finish_plug(&plug);
	end_again(log, again);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_append_work);
