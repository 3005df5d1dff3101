// SPDX-License-Identifier: GPL-2.0
/*
 * The way of each request: into the log, past it, or to the held ones. See log.h and
 * pure/log-way.h.
 */
#include <linux/math64.h>
#include <linux/slab.h>
#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include "core/parent.h"
#include "log/log.h"

#define GATHER_LEAST	128U	/* sectors of a write that begins a run of adjacent writes */

/* Writes of a task, until its plug ends: the ones that follow may complete their stripes. */
struct gather {
	struct blk_plug_cb cb;
	struct bio_list bios;
};

static void send_home(struct par_conf *conf, struct bio *bio)
{
	struct par_set *home = par_home(conf);

	home->ops->submit(home, bio);
}

/* The same for a write that was counted before it was held: the home set must not count it. */
static void send_counted_home(struct par_conf *conf, struct bio *bio)
{
	bio_set_dev(bio, par_home(conf)->front->part0);
	send_home(conf, bio);
}

static u64 blocks_of(const struct bio *bio)
{
	u64 first = bio->bi_iter.bi_sector / PAR_LOG_BLOCK;

	return DIV_ROUND_UP_ULL(bio_end_sector(bio), PAR_LOG_BLOCK) - first;
}

static bool has_room(const struct par_log *log, u64 blocks)
{
	return !log->dead && !READ_ONCE(log->stuck) && !log->use.off &&
	       par_log_room(log, blocks);
}

/*
 * Would a replay write a block of @bio? The unit of the tail may have slots of records in front
 * of the tail. They do not count if the log is empty.
 */
static bool is_logged(struct par_log *log, const struct bio *bio)
{
	return !par_log_ring_empty(&log->ring) &&
	       par_log_index_has(&log->index, bio->bi_iter.bi_sector, bio_sectors(bio));
}

/*
 * Can @bio be written at home without a miss? Always if no member sleeps, or if the images are of
 * all data. Which images there will be behind a gate is not known.
 */
static bool is_imaged(const struct par_log *log, const struct bio *bio)
{
	const struct par_conf *conf = log->conf;
	u64 at = bio->bi_iter.bi_sector;

	if (likely(!par_has_slots(&conf->geo)) || !par_log_low(log))
		return true;
	if (par_log_held(log))
		return false;
	for (; at < bio_end_sector(bio); at = (at | (conf->geo.seg_sectors - 1)) + 1)
		if (!par_sector_imaged(conf, at))
			return false;
	return true;
}

static struct par_log_write describe_write(struct par_log *log, const struct bio *bio, bool whole,
					   bool imaged)
{
	u32 absent = READ_ONCE(log->conf->store->super.log.absent);
	bool is_lost = par_log_lost_any(&log->lost, bio->bi_iter.bi_sector, bio_sectors(bio));

	lockdep_assert_held(&log->lock);
	return (struct par_log_write) {
		/* Without a part on some member, records have less redundancy than the array. */
		.low = par_log_low(log) && !absent && !log->use.off,
		/* The log takes stripes that would wake members, as long as it has room. */
		.large = whole && imaged,
		.misses = !imaged,
		.logged = is_lost || is_logged(log, bio),
		.room = has_room(log, blocks_of(bio)),
		.ending = !is_lost && READ_ONCE(log->count.failures) < PAR_LOG_WAITED &&
			  (log->index.live < PAR_LOG_ENDING ||
			   !par_log_quota_allows(&log->use.quota)),
	};
}

/* No block is logged or will be: all requests go past the log. */
static bool passes_by(const struct par_log *log)
{
	if (READ_ONCE(log->use.off))
		return true;
	return !par_log_low(log) && !READ_ONCE(log->lost.count) &&
	       READ_ONCE(log->ring.tail) == READ_ONCE(log->ring.head) && !READ_ONCE(log->queued);
}

/* The log has counted writes that it has gathered or held in the array's statistics. */
enum origin {
	FRESH,
	GATHERED,
	HELD,
};

/* A write that is held again asks for no drain: the drain's work has submitted it, see drain.c. */
static void ask_for_drain(struct par_log *log, enum origin origin)
{
	if (origin != HELD)
		par_log_drain_now(log);
}

/* Send a write past the log; in a section of gate.past, in which that was decided. */
static void send_past(struct par_log *log, struct bio *bio, enum origin origin)
{
	if (origin != FRESH)
		send_counted_home(log->conf, bio);
	else
		send_home(log->conf, bio);
}

/* Send a write past the log if no block is logged, or will be. */
static bool pass_write(struct par_log *log, struct bio *bio, enum origin origin)
{
	int section = srcu_read_lock(&log->gate.past);
	bool passes = passes_by(log);

	if (passes)
		send_past(log, bio, origin);
	srcu_read_unlock(&log->gate.past, section);
	return passes;
}

/* Count a write that does not pass the home set, which would count it. */
VISIBLE_IF_KUNIT void par_log_count_write(struct par_log *log, struct bio **bio)
{
	KUNIT_STATIC_STUB_REDIRECT(par_log_count_write, log, bio);
	md_account_bio(log->conf->mddev, bio);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_count_write);

/* Have a write appended, for which room is reserved, or hold it. */
static void take_write(struct par_log *log, struct bio *bio, enum origin origin,
		       enum par_log_way way)
{
	if (origin == FRESH)
		par_log_count_write(log, &bio);
	spin_lock(&log->lock);
	if (way == PAR_LOG_APPEND) {
		log->use.reserved -= blocks_of(bio);
		log->queued += blocks_of(bio);
		par_log_quota_logged(&log->use.quota, blocks_of(bio));
		bio_list_add(&log->waiting, bio);
	} else {
		bio_list_add(&log->held, bio);
		WRITE_ONCE(log->wanted, true);
	}
	spin_unlock(&log->lock);
	if (way == PAR_LOG_APPEND)
		par_log_kick(log);
	else
		ask_for_drain(log, origin);
}

/* @whole: the write is a part of whole stripes, all of which are written now */
static void log_write(struct par_log *log, struct bio *bio, enum origin origin, bool whole)
{
	int section = srcu_read_lock(&log->gate.past);
	bool imaged = is_imaged(log, bio), full;
	struct par_log_write write;
	enum par_log_way way;

	spin_lock(&log->lock);
	write = describe_write(log, bio, whole, imaged);
	full = !log->use.off && par_log_full(&write);
	way = par_log_way(&write);
	/* Others look for room before it is taken: see take_write(). */
	if (way == PAR_LOG_APPEND)
		log->use.reserved += blocks_of(bio);
	spin_unlock(&log->lock);
	if (full) {
		par_shift_at_least(log->conf, log->conf->geo.gears, "log");
		ask_for_drain(log, origin);
	}
	if (way == PAR_LOG_PAST)
		send_past(log, bio, origin);
	srcu_read_unlock(&log->gate.past, section);
	if (way != PAR_LOG_PAST)
		take_write(log, bio, origin, way);
}

void par_log_submit_again(struct par_log *log, struct bio *bio)
{
	if (!pass_write(log, bio, HELD))
		log_write(log, bio, HELD, false);
}

/* ---- whole stripes ---- */

/*
 * Writes of so many sectors, or of a multiple, go past the log: whole stripes, for which the home
 * set reads nothing. Without parity it never does; then it is a chunk.
 */
static u32 whole_sectors(const struct par_log *log)
{
	const struct par_geometry *geo = &log->conf->geo;

	return geo->chunk_sectors * (geo->parities ? geo->members - geo->parities : 1);
}

/* Set [*@first, *@end) to the whole stripes among sectors [@from, @to). */
static void whole_stripes(const struct par_log *log, u64 from, u64 to, u64 *first, u64 *end)
{
	u32 whole = whole_sectors(log);

	*first = div_u64(from + whole - 1, whole) * whole;
	*end = div_u64(to, whole) * whole;
}

/* Split the part before @sector off, if @bio has sectors on both sides. */
static struct bio *split_front(struct par_log *log, struct bio *bio, u64 sector)
{
	struct bio *front;

	if (sector <= bio->bi_iter.bi_sector || sector >= bio_end_sector(bio))
		return NULL;
	front = bio_split(bio, sector - bio->bi_iter.bi_sector, GFP_NOIO, &log->pools.parts);
	bio_chain(front, bio);
	return front;
}

/* Sectors [@first, @end) are whole stripes: their part of @bio is added to @stripes. */
static void route_parts(struct par_log *log, struct bio *bio, u64 first, u64 end,
			struct bio_list *stripes)
{
	struct bio *front;

	front = split_front(log, bio, first);
	if (front)
		log_write(log, front, GATHERED, false);
	front = split_front(log, bio, end);
	if (front)
		bio_list_add(stripes, front);
	if (bio->bi_iter.bi_sector >= first && bio_end_sector(bio) <= end)
		bio_list_add(stripes, bio);
	else
		log_write(log, bio, GATHERED, false);
}

/* The sector at which the first writes end: as many as are adjacent. */
static u64 run_end(const struct bio_list *bios)
{
	u64 end = bios->head->bi_iter.bi_sector;
	const struct bio *bio;

	bio_list_for_each(bio, bios) {
		if (bio->bi_iter.bi_sector != end)
			break;
		end = bio_end_sector(bio);
	}
	return end;
}

/*
 * Send a run to the log, or move it to @later if it has whole stripes. Without @later, send these,
 * too. At most one part that has been split from a bio is held meanwhile, the one up to the last
 * stripe's end: pools.parts always has as many.
 */
static void route_run(struct par_log *log, struct bio_list *bios, struct bio_list *later)
{
	struct bio_list stripes = BIO_EMPTY_LIST;
	u64 end = run_end(bios), first, last, at;
	struct bio *bio;

	whole_stripes(log, bios->head->bi_iter.bi_sector, end, &first, &last);
	do {
		bio = bio_list_pop(bios);
		at = bio_end_sector(bio);
		if (first >= last)
			log_write(log, bio, GATHERED, false);
		else if (later)
			bio_list_add(later, bio);
		else
			route_parts(log, bio, first, last, &stripes);
	} while (at != end);
	while ((bio = bio_list_pop(&stripes)))
		log_write(log, bio, GATHERED, true);
}

/*
 * Counted writes. What goes to the log is sent first: the home set may wait for stripes. A plug
 * lets it see whole stripes before it begins with them.
 */
static void route_writes(struct par_log *log, struct bio_list *bios)
{
	struct bio_list later = BIO_EMPTY_LIST;
	struct blk_plug plug;

	while (!bio_list_empty(bios))
		route_run(log, bios, &later);
	blk_start_plug(&plug);
	while (!bio_list_empty(&later))
		route_run(log, &later, NULL);
	blk_finish_plug(&plug);
}

void par_log_gather_work(struct work_struct *work)
{
	struct par_log *log = container_of(work, struct par_log, gathered.work);
	struct bio_list bios;

	par_queue_take(log->conf, &log->gathered.bios, &bios);
	route_writes(log, &bios);
}

/* Is this one write that is sent as a whole? */
static bool is_one_part(const struct par_log *log, const struct bio_list *bios)
{
	const struct bio *bio = bios->head;
	u64 first, end;

	if (bio->bi_next)
		return false;
	whole_stripes(log, bio->bi_iter.bi_sector, bio_end_sector(bio), &first, &end);
	return first >= end ||
	       (first == bio->bi_iter.bi_sector && end == bio_end_sector(bio));
}

/*
 * Within ->submit_bio, requests that are sent begin only when that has returned. Without parity
 * each part that goes past the log is a use of the home set: if the set was to be quiet between
 * two parts of one task, the second one would wait for the quiescer, which waits for the first
 * one. With parity the stripes of the first one are not in the task's hands.
 */
static bool must_queue(const struct par_log *log, const struct bio_list *bios)
{
	return current->bio_list && !log->conf->geo.parities && !is_one_part(log, bios);
}

/* @waits: the task is about to wait, and must not wait for stripes here */
static void end_writes(struct par_log *log, struct bio_list *bios, bool waits)
{
	unsigned long flags;

	if (!waits && !must_queue(log, bios)) {
		route_writes(log, bios);
		return;
	}
	/* Both under the lock: once taken, they may end, and the array be freed. */
	spin_lock_irqsave(&log->conf->queue.lock, flags);
	bio_list_merge(&log->gathered.bios, bios);
	queue_work(log->queues.gather, &log->gathered.work);
	spin_unlock_irqrestore(&log->conf->queue.lock, flags);
}

static void end_gather(struct blk_plug_cb *cb, bool from_schedule)
{
	struct gather *gather = container_of(cb, struct gather, cb);

	end_writes(cb->data, &gather->bios, from_schedule);
	kfree(gather);
}

/* The writes that the task has gathered, or NULL. */
static struct gather *find_gather(const struct par_log *log)
{
	struct blk_plug_cb *cb;

	if (current->plug)
		list_for_each_entry(cb, &current->plug->cb_list, list)
			if (cb->callback == end_gather && cb->data == log)
				return container_of(cb, struct gather, cb);
	return NULL;
}

/*
 * May a write be a part of whole stripes? A small one only if it continues the last gathered one:
 * the block layer splits large requests, and the last part can have any size.
 */
static bool may_be_whole(const struct par_log *log, const struct bio *bio)
{
	struct gather *gather;

	if (bio_sectors(bio) >= GATHER_LEAST)
		return true;
	gather = find_gather(log);
	return gather && bio_end_sector(gather->bios.tail) == bio->bi_iter.bi_sector;
}

/* A write of a low gear that may be a part of whole stripes. */
static void gather_write(struct par_log *log, struct bio *bio)
{
	struct blk_plug_cb *cb = NULL;
	struct bio_list alone;

	/* It may be under way when this function has returned. */
	md_account_bio(log->conf->mddev, &bio);
	if (!(bio->bi_opf & REQ_FUA))
		cb = blk_check_plugged(end_gather, log, sizeof(struct gather));
	if (cb) {
		/*
		 * Behind the callback of raid5: otherwise the stripes that this task has plugged
		 * would stay so while end_gather() waits, maybe for them.
		 */
		list_move_tail(&cb->list, &current->plug->cb_list);
		bio_list_add(&container_of(cb, struct gather, cb)->bios, bio);
		return;
	}
	bio_list_init(&alone);
	bio_list_add(&alone, bio);
	end_writes(log, &alone, false);
}

void par_log_submit(struct par_conf *conf, struct bio *bio)
{
	struct par_log *log = conf->log;
	bool write = bio_data_dir(bio) == WRITE;

	if (!log->on || (!write && passes_by(log)))
		send_home(conf, bio);
	else if (write && pass_write(log, bio, FRESH))
		return;
	else if (write && par_log_low(log) && may_be_whole(log, bio))
		gather_write(log, bio);
	else if (write)
		log_write(log, bio, FRESH, false);
	else if (READ_ONCE(log->index.live) || READ_ONCE(log->lost.count))
		par_log_read(log, bio);
	else
		send_home(conf, bio);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_submit);

void par_log_discard(struct par_conf *conf, struct bio *bio)
{
	struct par_log *log = conf->log;

	if (!log->on || passes_by(log)) {
		par_discard_request(conf, bio);
		return;
	}
	par_queue_add(conf, &log->discards, bio);
	par_log_drain_now(log);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_discard);
