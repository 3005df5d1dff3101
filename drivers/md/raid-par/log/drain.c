// SPDX-License-Identifier: GPL-2.0
/*
 * Draining the log: its live blocks are written to the home set, in the order of the array's
 * sectors, and then the tail is moved. One work does all of this. See log.h.
 */
#include <linux/mm.h>
#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include "core/event.h"
#include "core/parent.h"
#include "log/batch.h"
#include "log/log_trace.h"

#define DRAIN_LIST	4096U	/* blocks that are picked at a time, … */
#define DRAIN_SHORT	512U	/* … and while writes wait until the tail has moved */
#define DRAIN_SLICE	2048U	/* maximum of blocks that are drained at a time; their pages … */
#define DRAIN_FEW	64U	/* … are allocated for the drain of more than so many, … */
#define DRAIN_KEPT	PAR_LOG_AGAIN	/* … except these: to append again takes no memory */
#define DRAIN_RUNS	64U	/* of adjacent blocks; then a slice gets no further stripe */
#define DRAIN_STRIPES	2U	/* that are written home together */
#define DISCARD_TIME	HZ	/* then a drain that is due goes on, and further discards wait */

/*
 * struct par_log_drain - the state of a drain
 * @list: blocks of the array that have been picked
 * @block: the blocks that are being drained, @count of them in @runs runs of adjacent ones;
 *	@pages: their content, @room of them
 * @next: the earliest time of a drain after one that has failed
 * @turn: of the gate, when the list was picked; if it changes, another one is picked
 * @no_room: this drain found blocks that would be lost if more could be remembered
 * @brief: writes wait, and the list is short
 * @filling: see struct par_log_need
 * @stuck: writes wait in a low gear, since the head was @round; no room is made for them, since
 *	@since, in jiffies
 * @suspects: blocks that the last drains could not drain
 */
struct par_log_drain {
	struct par_log *log;
	u64 list[DRAIN_LIST];
	struct par_log_block block[DRAIN_SLICE];
	struct page *pages[DRAIN_SLICE];
	unsigned int count, runs, room;
	struct par_log_fetch fetch;
	unsigned long next;
	unsigned int turn;
	bool no_room, brief, filling, stuck;
	unsigned long since;
	u64 round;
	struct par_log_suspects suspects;
};

/* ---- reading the log ---- */

enum run_read {
	RUN_READ,
	RUN_FAILED,	/* a copy may be readable later */
	RUN_GONE,	/* no copy will be readable */
};

/* Are the sectors bad? Another error may be one of the path to the member. */
static bool is_bad(blk_status_t status)
{
	return status == BLK_STS_MEDIUM || status == BLK_STS_PROTECTION;
}

/*
 * Read @count sectors of a part, from bit @first on, into the page at the same place. They are
 * gone if each copy is in bad sectors, or on a member without a part in the log, which has failed.
 */
static enum run_read read_run(struct par_log *log, struct page *page,
			      const struct par_log_part *part, unsigned int first,
			      unsigned int count)
{
	enum run_read read = RUN_GONE;
	unsigned int copy;

	for (copy = 0; copy < log->shape.copies; copy++) {
		unsigned int d = par_log_member(&log->shape, part->place, copy);
		unsigned int from = first, some = count;
		struct page *to = page;
		struct md_rdev *rdev = NULL;
		blk_status_t status;
		struct bio *bio;

		if (!(part->lacking & BIT(copy)))
			rdev = par_log_rdev(log, d);
		if (!rdev)
			continue;
		par_log_widen(rdev->bdev, &from, &some);
		if (some > count)
			to = log->drain->fetch.rest;
		bio = bio_alloc_bioset(rdev->bdev, 1, REQ_OP_READ, GFP_NOIO, &log->pools.bios);
		bio->bi_iter.bi_sector = rdev->data_offset +
					 par_log_sector(&log->shape, part->place, copy) + from;
		__bio_add_page(bio, to, some << SECTOR_SHIFT, from << SECTOR_SHIFT);
		submit_bio_wait(bio);
		status = bio->bi_status;
		bio_put(bio);
		if (status)
			par_log_read_failed(log, rdev);
		rdev_dec_pending(rdev, log->conf->mddev);
		if (!status && some > count)
			par_log_copy(page, to, first, count);
		if (!status)
			return RUN_READ;
		if (!is_bad(status))
			read = RUN_FAILED;
	}
	return read;
}

static void no_room_for_lost(struct par_log_drain *drain)
{
	drain->no_room = true;
	pr_err_ratelimited("md/par:%s: the log cannot be drained any further: there is no room to remember more lost blocks\n",
			   mdname(drain->log->conf->mddev));
}

/* Another drain of the block has failed: is it lost now? @gone: see par_log_suspect(). */
static bool is_lost(struct par_log_drain *drain, u64 block, bool gone)
{
	struct par_log *log = drain->log;

	/* After too many failures of members, keep the log as it is, for a start by force. */
	if (par_log_broken(log))
		return false;
	if (par_log_suspect(&drain->suspects, block, ktime_to_ms(ktime_get()), gone))
		return true;
	if (gone && READ_ONCE(log->lost.count) == PAR_LOG_LOST)
		no_room_for_lost(drain);
	return false;
}

/*
 * These sectors of a part cannot be read, or cannot be written at home: add them to the list of
 * lost blocks, and continue without them. False if the list is full.
 */
static bool lose_sectors(struct par_log_drain *drain, u64 block, struct par_log_part *part,
			 u8 sectors, const char *why)
{
	struct par_log_part gone = { .place = part->place, .sectors = sectors };
	struct par_log *log = drain->log;
	bool added;
	u8 live;

	spin_lock(&log->lock);
	/* Sectors that have been written again meanwhile are live at another place. */
	live = par_log_index_live(&log->index, &gone);
	added = !live || par_log_lost_add(&log->lost, block, live);
	if (added)
		par_log_index_drained(&log->index, &gone);
	spin_unlock(&log->lock);
	if (!added) {
		no_room_for_lost(drain);
		return false;
	}
	part->sectors &= ~sectors;
	if (live) {
		pr_err("md/par:%s: sectors 0x%x of the 4 KiB from sector %llu on are lost: %s; reads return an error until they are written again\n",
		       mdname(log->conf->mddev), live, block * PAR_LOG_BLOCK, why);
		par_event(log->conf, "PAR_EVENT=lost\nPAR_KIND=data\nPAR_SECTOR=%llu\nPAR_SECTORS=%u",
			  block * PAR_LOG_BLOCK + __ffs(live), hweight8(live));
	}
	return true;
}

static bool read_part(struct par_log_drain *drain, unsigned int i, struct par_log_part *part)
{
	u64 block = drain->block[i].block;
	unsigned int first, count, at;

	for (at = 0; par_log_next_run(part->sectors, at, &first, &count);
	     at = first + count) {
		enum run_read read = read_run(drain->log, drain->pages[i], part, first, count);

		if (read != RUN_READ &&
		    !(is_lost(drain, block, read == RUN_GONE) &&
		      lose_sectors(drain, block, part, GENMASK(first + count - 1, first),
				   "no copy in the log can be read")))
			return false;
	}
	return true;
}

static bool read_block(struct par_log_drain *drain, unsigned int number)
{
	struct par_log_block *block = &drain->block[number];
	unsigned int i;

	block->sectors = 0;
	for (i = 0; i < block->parts; i++) {
		if (!read_part(drain, number, &block->part[i]))
			return false;
		block->sectors |= block->part[i].sectors;
	}
	return true;
}

/* One copy of everything, all at once: the blocks are anywhere in the log. */
static bool read_at_once(struct par_log_drain *drain)
{
	unsigned int i, j;

	par_log_fetch_begin(&drain->fetch);
	for (i = 0; i < drain->count; i++) {
		struct par_log_block *block = &drain->block[i];

		for (j = 0; j < block->parts; j++)
			par_log_fetch_add(&drain->fetch, drain->pages[i], &block->part[j]);
	}
	return par_log_fetch_end(&drain->fetch);
}

/* ---- writing it home ---- */

/* Send a request for @count sectors to the home set; from @first on in the first of @pages. */
static void send_run(struct par_log *log, struct par_log_batch *batch, enum req_op op, u64 sector,
		     struct page **pages, unsigned int first, unsigned int count)
{
	struct par_set *home = par_home(log->conf);
	unsigned int left = count, vectors = DIV_ROUND_UP(first + count, PAR_LOG_BLOCK);
	/* Not the array's disk, whose statistics have counted the write when it was logged. */
	struct bio *bio = bio_alloc_bioset(home->front->part0, vectors, op, GFP_NOIO,
					   &log->pools.homes);

	bio->bi_iter.bi_sector = sector;
	for (; left; first = 0, pages++) {
		unsigned int some = min(left, PAR_LOG_BLOCK - first);

		__bio_add_page(bio, *pages, some << SECTOR_SHIFT, first << SECTOR_SHIFT);
		left -= some;
	}
	par_log_batch_own(batch, bio);
	home->ops->submit(home, bio);
}

/*
 * Without parity the home set writes to a member what it is sent, and no member accepts a part of a
 * logical block. So read the rest of such blocks from home. All records of parts are older than
 * this size of logical blocks, so these blocks have been logged since the array was assembled: none
 * is written past the log meanwhile. If a read fails, the write of the parts will.
 */
static void read_rest(struct par_log_drain *drain)
{
	struct par_log *log = drain->log;
	struct par_log_batch batch;
	struct blk_plug plug;
	unsigned int i;
	bool whole;

	if (log->conf->geo.parities || par_log_home_unit(log) == 1)
		return;
	par_log_batch_begin(&batch);
	blk_start_plug(&plug);
	for (i = 0; i < drain->count; i++) {
		if (drain->block[i].sectors != 0xff)
			send_run(log, &batch, REQ_OP_READ, drain->block[i].block * PAR_LOG_BLOCK,
				 &drain->pages[i], 0, PAR_LOG_BLOCK);
	}
	blk_finish_plug(&plug);
	whole = par_log_batch_end(&batch);
	for (i = 0; i < drain->count; i++)
		drain->block[i].whole = whole;
}

static u8 sectors_to_write(const struct par_log_block *block)
{
	return block->whole ? 0xff : block->sectors;
}

/* The number of blocks from the @i-th on that are one request: complete and adjacent. */
static unsigned int whole_run(const struct par_log_drain *drain, unsigned int i, unsigned int end)
{
	unsigned int first = i;

	end = min(end, first + PAR_MAX_BIO / PAR_LOG_BLOCK);
	while (i < end && sectors_to_write(&drain->block[i]) == 0xff &&
	       drain->block[i].block == drain->block[first].block + (i - first))
		i++;
	return i - first;
}

static bool write_blocks(struct par_log_drain *drain, unsigned int i, unsigned int end)
{
	struct par_log *log = drain->log;
	unsigned int first, count, at, run;
	struct par_log_batch batch;
	struct blk_plug plug;

	par_log_batch_begin(&batch);
	/* The home set then begins with the stripes when it has all of their blocks. */
	blk_start_plug(&plug);
	while (i < end) {
		const struct par_log_block *block = &drain->block[i];
		u64 sector = block->block * PAR_LOG_BLOCK;

		run = whole_run(drain, i, end);
		if (run)
			send_run(log, &batch, REQ_OP_WRITE, sector, &drain->pages[i], 0,
				 run * PAR_LOG_BLOCK);
		at = run ? PAR_LOG_BLOCK : 0;
		while (par_log_next_run(block->sectors, at, &first, &count)) {
			send_run(log, &batch, REQ_OP_WRITE, sector + first, &drain->pages[i], first,
				 count);
			at = first + count;
		}
		i += max(run, 1U);
	}
	blk_finish_plug(&plug);
	return par_log_batch_end(&batch);
}

static u32 stripe_blocks(const struct par_log *log)
{
	const struct par_geometry *geo = &log->conf->geo;

	return geo->chunk_sectors / PAR_LOG_BLOCK * (geo->members - geo->parities);
}

/* The number of blocks of the slice from the @i-th on that are in its stripe. */
static unsigned int stripe_length(const struct par_log_drain *drain, unsigned int i, u32 stripe)
{
	u64 end = (div_u64(drain->block[i].block, stripe) + 1) * stripe;
	unsigned int first = i;

	while (i < drain->count && drain->block[i].block < end)
		i++;
	return i - first;
}

/*
 * Write the slice, no more at a time than the home set's cache has room for: it would begin with
 * incomplete stripes otherwise, and read what they lack.
 */
static bool write_slice(struct par_log_drain *drain)
{
	u32 stripe = stripe_blocks(drain->log);
	unsigned int i, end, some;
	bool good = true;

	for (i = 0; good && i < drain->count; i = end) {
		for (end = i; end < drain->count; end += some) {
			some = stripe_length(drain, end, stripe);
			if (end > i && end + some - i > DRAIN_STRIPES * stripe)
				break;
		}
		good = write_blocks(drain, i, end);
	}
	return good;
}

/* ---- slices ---- */

/* Add a block to the slice if it is still live. */
static void look_up_block(struct par_log_drain *drain, u64 number)
{
	struct par_log_block *block = &drain->block[drain->count];
	unsigned int i;

	lockdep_assert_held(&drain->log->lock);
	block->parts = par_log_index_parts(&drain->log->index, number, block->part);
	if (!block->parts)
		return;
	block->block = number;
	block->whole = false;
	block->sectors = 0;
	for (i = 0; i < block->parts; i++)
		block->sectors |= block->part[i].sectors;
	drain->runs += !drain->count || drain->block[drain->count - 1].block + 1 != number;
	drain->count++;
}

static void look_up_blocks(struct par_log_drain *drain, const u64 *blocks, unsigned int count)
{
	unsigned int i;

	spin_lock(&drain->log->lock);
	for (i = 0; i < count; i++)
		look_up_block(drain, blocks[i]);
	spin_unlock(&drain->log->lock);
}

/* The same with all blocks of the stripe of @block. */
static void look_up_stripe(struct par_log_drain *drain, u64 block, u32 stripe)
{
	u64 first = div_u64(block, stripe) * stripe;
	unsigned int i;

	spin_lock(&drain->log->lock);
	for (i = 0; i < stripe; i++)
		look_up_block(drain, first + i);
	spin_unlock(&drain->log->lock);
}

/* Can all blocks of a stripe be drained if one can? Not if only some of them may have images. */
static bool is_drained_as_one(const struct par_log *log)
{
	return !par_has_slots(&log->conf->geo) ||
	       READ_ONCE(log->conf->gear) == log->conf->geo.gears;
}

/*
 * Look up the next ones of @left blocks of the list: where they are in the log, if they are live.
 * Returns their number: those of some stripes of the home set. If at least a quarter of a stripe
 * is in the list, the stripe's newer blocks are drained with it, as with the last stripe of a list
 * that is @cut: for a whole stripe the home set reads nothing.
 */
static unsigned int fill_slice(struct par_log_drain *drain, const u64 *blocks, unsigned int left,
			       bool cut)
{
	u32 stripe = stripe_blocks(drain->log);
	unsigned int some, taken;

	drain->count = 0;
	drain->runs = 0;
	for (taken = 0; taken < left && drain->runs < DRAIN_RUNS; taken += some) {
		bool whole, last;

		some = par_log_drain_stripe(blocks + taken, left - taken, stripe);
		last = cut && taken + some == left;
		whole = (last || 4 * some >= stripe) && stripe <= drain->room &&
			is_drained_as_one(drain->log);
		if (taken && drain->count + (whole ? stripe : some) > drain->room)
			break;
		some = min(some, drain->room);
		if (whole)
			look_up_stripe(drain, blocks[taken], stripe);
		else
			look_up_blocks(drain, blocks + taken, some);
	}
	return taken;
}

/* Sectors that were lost, and have been written again, are at home now. */
static void drop_lost(struct par_log *log, const struct par_log_block *block)
{
	unsigned int first, count, at;

	lockdep_assert_held(&log->lock);
	for (at = 0; par_log_next_run(block->sectors, at, &first, &count);
	     at = first + count)
		par_log_lost_drop(&log->lost, block->block * PAR_LOG_BLOCK + first, count);
}

static void slice_drained(struct par_log_drain *drain)
{
	struct par_log *log = drain->log;
	unsigned int i, j;

	spin_lock(&log->lock);
	for (i = 0; i < drain->count; i++) {
		for (j = 0; j < drain->block[i].parts; j++)
			par_log_index_drained(&log->index, &drain->block[i].part[j]);
		drop_lost(log, &drain->block[i]);
		par_log_acquit(&drain->suspects, drain->block[i].block);
		log->count.drained += hweight8(drain->block[i].sectors);
	}
	log->count.sent += drain->fetch.sent;
	par_log_quota_drained(&log->use.quota, drain->count);
	spin_unlock(&log->lock);
}

/*
 * The home set cannot write a block, for instance since too much of its stripe is unreadable. Its
 * errors do not tell whether this may change.
 */
static bool lose_block(struct par_log_drain *drain, struct par_log_block *block)
{
	unsigned int i;

	if (!is_lost(drain, block->block, false))
		return false;
	for (i = 0; i < block->parts; i++)
		if (block->part[i].sectors &&
		    !lose_sectors(drain, block->block, &block->part[i], block->part[i].sectors,
				  "the home set cannot write them"))
			return false;
	par_log_acquit(&drain->suspects, block->block);
	return true;
}

/* The array is about to be quiet: no more than what is under way. */
static bool must_end(const struct par_log_drain *drain)
{
	return READ_ONCE(drain->log->paused) || par_log_held(drain->log);
}

/*
 * After an error, one part after the other, from all copies. All blocks are tried, so that each
 * that cannot be read is known.
 */
static bool read_slice(struct par_log_drain *drain)
{
	bool good = true;
	unsigned int i;

	if (read_at_once(drain))
		return true;
	for (i = 0; i < drain->count; i++) {
		if (must_end(drain))
			return false;
		good &= read_block(drain, i);
	}
	return good;
}

static bool drain_slice(struct par_log_drain *drain)
{
	/* Before the log's sectors, into the same pages. */
	read_rest(drain);
	if (!read_slice(drain))
		return false;
	if (write_slice(drain))
		slice_drained(drain);
	else if (drain->count > 1 || !lose_block(drain, &drain->block[0]))
		return false;
	return true;
}

/*
 * Drain a slice of the list, of @count blocks. After some failures drain them one by one, except
 * those that cannot be drained.
 */
static bool drain_blocks(struct par_log_drain *drain, const u64 *blocks, unsigned int count)
{
	bool good = drain_slice(drain);
	unsigned int i;

	if (good || drain->log->count.failures < PAR_LOG_RETRIES)
		return good;
	for (i = 0, good = true; i < count && !must_end(drain); i++) {
		fill_slice(drain, blocks + i, 1, false);
		good &= drain_slice(drain);
	}
	return good && i == count;
}

/* ---- the tail ---- */

/* Choose the tail to store. If the log is empty with it, append nothing until it is stored. */
static bool choose_tail(struct par_log *log, struct par_log_record *record)
{
	bool empty;

	record->run = log->run;
	spin_lock(&log->lock);
	record->tail = par_log_drain_tail(&log->index, &log->ring);
	record->stable = log->ring.done;
	record->lost = log->lost;
	if (record->tail == log->ring.head)
		par_log_void_older(log);
	record->summaries_from = log->sums.counts_from;
	empty = record->tail == log->ring.head && par_log_lacks_member(log);
	log->use.closed = empty;
	spin_unlock(&log->lock);
	return empty;
}

static void free_units(struct par_log *log, u64 tail)
{
	u64 pos;

	for (pos = par_log_unit(log->ring.tail); pos < par_log_unit(tail); pos += PAR_LOG_UNIT)
		par_log_close_unit(log, pos);
	spin_lock(&log->lock);
	par_log_ring_free(&log->ring, tail);
	spin_unlock(&log->lock);
}

/*
 * What is held again waits for something else than this work: a record that is under way, members
 * that wake up. @wanted stays set meanwhile, so that the end of such a record is not missed.
 */
static void submit_held(struct par_log *log)
{
	struct bio_list bios;
	struct bio *bio;

	spin_lock(&log->lock);
	bios = log->held;
	bio_list_init(&log->held);
	spin_unlock(&log->lock);
	while ((bio = bio_list_pop(&bios)))
		par_log_submit_again(log, bio);
	spin_lock(&log->lock);
	WRITE_ONCE(log->wanted, !bio_list_empty(&log->held));
	spin_unlock(&log->lock);
}

/*
 * What was held in the top gear may need no drain in this one, or behind the closed gate of a shift
 * down: it is appended. A drain would wake members.
 */
static void append_held(struct par_log *log)
{
	if (par_log_low(log) && READ_ONCE(log->wanted))
		submit_held(log);
}

/* No drain follows: writes that wait for it would wait indefinitely. */
static void fail_held(struct par_log *log)
{
	struct bio_list bios;
	struct bio *bio;

	spin_lock(&log->lock);
	bios = log->held;
	bio_list_init(&log->held);
	WRITE_ONCE(log->wanted, false);
	spin_unlock(&log->lock);
	while ((bio = bio_list_pop(&bios)))
		bio_io_error(bio);
}

/* Store the tail: 1 if it has moved, 0 if it could not move, or -errno. */
static int move_tail(struct par_log *log)
{
	struct par_log_record record;
	bool empty = choose_tail(log, &record);
	bool moves = record.tail != log->ring.tail || empty;
	int err = 0;

	if (moves) {
		err = par_store_log(log->conf, &record, empty);
		if (!err)
			free_units(log, record.tail);
	}
	spin_lock(&log->lock);
	log->use.closed = false;
	par_log_quota_look(&log->use.quota, &log->ring, log->index.live,
			   par_log_lacks_member(log));
	spin_unlock(&log->lock);
	/* Without more room, the records' work would only ask for another drain. */
	if (moves)
		par_log_kick(log);
	submit_held(log);
	return err ?: moves;
}

/* ---- when ---- */

static bool is_due(struct par_log *log)
{
	struct par_log_need need = {
		.top = READ_ONCE(log->conf->gear) == log->conf->geo.gears,
		.filling = log->drain->filling,
		.blocks = log->ring.blocks,
		.idle = jiffies_to_msecs(jiffies - log->last),
	};
	enum par_log_drain_why why;

	if (READ_ONCE(log->paused) || par_log_held(log) || !md_is_rdwr(log->conf->mddev))
		return false;
	spin_lock(&log->lock);
	need.used = par_log_ring_empty(&log->ring) ? 0 : par_log_ring_used(&log->ring);
	spin_unlock(&log->lock);
	why = par_log_drain_why(&need);
	log->drain->filling = why == PAR_LOG_FILLING;
	return why != PAR_LOG_REST || (need.used && READ_ONCE(log->wanted)) ||
	       par_log_lacks_member(log);
}

/* The discard goes through the work of all discards: two must not hold the same rows. */
static void discard_at_home(struct par_log *log, const struct bio *bio)
{
	struct bio *own = bio_alloc_bioset(bio->bi_bdev, 0, REQ_OP_DISCARD, GFP_NOIO,
					   &log->pools.bios);
	struct par_log_batch batch;

	own->bi_iter = bio->bi_iter;
	par_log_batch_begin(&batch);
	par_log_batch_own(&batch, own);
	par_discard_request(log->conf, own);
	par_log_batch_end(&batch);
}

/* Only in stripes without a written row: of the others, the home set has older content. */
static void forget_discarded(struct par_log *log, const struct bio *bio)
{
	u64 sector = bio->bi_iter.bi_sector, sectors;

	for (; (sectors = par_discard_next(log->conf, bio, &sector)); sector += sectors) {
		struct par_log_sweep left = { .sector = sector, .sectors = sectors };
		bool more;

		do {
			spin_lock(&log->lock);
			more = par_log_index_discard(&log->index, &left);
			spin_unlock(&log->lock);
			cond_resched();
		} while (more);
	}
}

/*
 * The same for lost sectors. Once they are not lost, they are written past the log, so this is
 * stored first: otherwise such a write could be lost again at the next start. If it cannot be
 * stored, they stay lost until they are written.
 */
static void regain_discarded(struct par_log *log, const struct bio *bio)
{
	u64 sector = bio->bi_iter.bi_sector, sectors;
	struct par_log_record record = { .run = log->run };
	bool any = false;

	spin_lock(&log->lock);
	record.tail = log->ring.tail;
	record.stable = log->ring.done;
	record.lost = log->lost;
	spin_unlock(&log->lock);
	for (; (sectors = par_discard_next(log->conf, bio, &sector)); sector += sectors) {
		any |= par_log_lost_any(&record.lost, sector, sectors);
		par_log_lost_drop(&record.lost, sector, sectors);
	}
	if (!any || !par_log_make_ready(log))
		return;
	record.summaries_from = log->sums.counts_from;
	if (par_store_log(log->conf, &record, false))
		return;
	spin_lock(&log->lock);
	log->lost = record.lost;
	spin_unlock(&log->lock);
}

static struct bio *next_discard(struct par_log *log)
{
	struct bio *bio;

	spin_lock_irq(&log->conf->queue.lock);
	bio = bio_list_pop(&log->discards);
	spin_unlock_irq(&log->conf->queue.lock);
	return bio;
}

/*
 * No drain is under way meanwhile: it would start rows again that are being discarded. So a drain
 * that is due must not wait until a whole array has been discarded, nor writes that are held.
 */
static void take_discards(struct par_log *log)
{
	unsigned long until = jiffies + DISCARD_TIME;
	struct bio *bio;

	while (!READ_ONCE(log->paused) &&
	       !(time_after(jiffies, until) && (is_due(log) || READ_ONCE(log->wanted)))) {
		bio = next_discard(log);
		if (!bio)
			break;
		discard_at_home(log, bio);
		forget_discarded(log, bio);
		if (READ_ONCE(log->lost.count))
			regain_discarded(log, bio);
		bio_endio(bio);
	}
}

/*
 * In a low gear, blocks without images stay in the log, unless writes wait until they are drained:
 * then members are woken. Returns the number of blocks that are left in the list.
 */
static unsigned int drop_unimaged(struct par_log_drain *drain, unsigned int count)
{
	struct par_log *log = drain->log;
	struct par_conf *conf = log->conf;
	unsigned int i, left = 0;

	if (!par_has_slots(&conf->geo) || READ_ONCE(conf->gear) == conf->geo.gears)
		return count;
	for (i = 0; i < count; i++)
		if (par_sector_imaged(conf, drain->list[i] * PAR_LOG_BLOCK))
			drain->list[left++] = drain->list[i];
	if (left < count && READ_ONCE(log->wanted))
		par_shift_at_least(conf, conf->geo.gears, "log");
	return left;
}

/*
 * Does the log lack room in a low gear, and cannot move the tail? Its blocks have no images, and
 * members that are being woken may take long, or not start at all. Large writes may find no room
 * in a whole round.
 */
static bool is_jammed(struct par_log_drain *drain)
{
	struct par_log *log = drain->log;
	bool jammed;

	if (!par_log_low(log) || READ_ONCE(log->stuck))
		return false;
	spin_lock(&log->lock);
	if (!drain->stuck)
		drain->round = log->ring.head;
	jammed = log->wanted && log->ring.head - drain->round < log->ring.blocks;
	jammed |= !par_log_room(log, 1);
	jammed &= par_log_drain_tail(&log->index, &log->ring) == log->ring.tail;
	spin_unlock(&log->lock);
	return jammed;
}

/* Append the oldest blocks again, so that the tail can pass them. False if a read has failed. */
VISIBLE_IF_KUNIT bool par_log_append_again(struct par_log_drain *drain)
{
	struct par_log *log = drain->log;
	struct par_log_again again = { .block = drain->block, .pages = drain->pages };
	unsigned int count;

	KUNIT_STATIC_STUB_REDIRECT(par_log_append_again, drain);
	spin_lock(&log->lock);
	count = par_log_drain_pick(&log->index, &log->ring, drain->list,
				   par_log_drain_again(&log->index, &log->ring));
	spin_unlock(&log->lock);
	drain->count = 0;
	drain->runs = 0;
	look_up_blocks(drain, drain->list, count);
	if (!count || !read_slice(drain))
		return !count;
	again.count = drain->count;
	init_completion(&again.done);
	spin_lock(&log->lock);
	log->use.again = &again;
	spin_unlock(&log->lock);
	par_log_kick(log);
	wait_for_completion_io(&again.done);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_append_again);

/*
 * Writes that are held in a low gear though the tail has not moved wait for members that sleep. If
 * these cannot be woken, the writes fail.
 */
static void answer_held(struct par_log_drain *drain, bool moved)
{
	struct par_log *log = drain->log;
	bool stuck = par_log_low(log) && READ_ONCE(log->wanted);

	if (moved || !drain->stuck)
		drain->since = jiffies;
	drain->stuck = stuck;
	if (!stuck || !par_raise_failed(log->conf, drain->since))
		return;
	pr_err_ratelimited("md/par:%s: the log is full and members that sleep cannot be woken: writes that need room return an error until these members start\n",
			   mdname(log->conf->mddev));
	fail_held(log);
}

/* More pages make larger requests; without them a drain, which may free memory, goes on as well. */
static void take_pages(struct par_log_drain *drain)
{
	drain->room += par_log_pages(&drain->pages[drain->room], DRAIN_SLICE - drain->room,
				     GFP_NOWAIT | __GFP_NOWARN);
}

static void give_pages(struct par_log_drain *drain, unsigned int keep)
{
	while (drain->room > keep)
		put_page(drain->pages[--drain->room]);
}

/* Pick the blocks to drain: @cut: not all. */
static unsigned int pick_blocks(struct par_log_drain *drain, bool *cut)
{
	struct par_log *log = drain->log;
	unsigned int count;

	drain->brief = READ_ONCE(log->wanted);
	spin_lock(&log->lock);
	drain->turn = log->gate.turn;
	count = par_log_drain_pick(&log->index, &log->ring, drain->list,
				   drain->brief ? DRAIN_SHORT : DRAIN_LIST);
	*cut = count < log->index.live;
	spin_unlock(&log->lock);
	return drop_unimaged(drain, count);
}

/*
 * Does the drain of the list go on? The tail moves at its end. If a write begins to wait for that,
 * a shorter list takes its place.
 */
static bool goes_on(const struct par_log_drain *drain)
{
	return is_due(drain->log) && (drain->brief || !READ_ONCE(drain->log->wanted));
}

/* Not if the gear may have changed since the list was picked: see par_log_hold(). */
static bool begin_slice(struct par_log_drain *drain)
{
	struct par_log *log = drain->log;

	spin_lock(&log->lock);
	WRITE_ONCE(log->gate.slice, log->gate.turn == drain->turn);
	spin_unlock(&log->lock);
	return log->gate.slice;
}

static void end_slice(struct par_log_drain *drain)
{
	WRITE_ONCE(drain->log->gate.slice, false);
	par_mover_wake(drain->log->conf);
}

/* Drain the oldest blocks, and move the tail. */
static int drain_some(struct par_log_drain *drain)
{
	struct par_log *log = drain->log;
	unsigned int i, some, count;
	bool failed = false, cut;
	int moved;

	drain->no_room = false;
	/* Records that only some copies have must be in all copies before they are used. */
	if (!par_log_make_ready(log) && !READ_ONCE(log->stuck))
		return -EIO;
	append_held(log);
	count = pick_blocks(drain, &cut);
	if (count > DRAIN_FEW)
		take_pages(drain);
	par_log_suspects_begin(&drain->suspects);
	for (i = 0; i < count && goes_on(drain); i += some) {
		take_discards(log);
		some = fill_slice(drain, drain->list + i, count - i, cut);
		if (!begin_slice(drain))
			break;
		failed |= !drain_blocks(drain, drain->list + i, some);
		end_slice(drain);
		/* What is drained lets writes in. */
		if (READ_ONCE(log->use.quota.limited) && READ_ONCE(log->wanted))
			submit_held(log);
	}
	/* As long as writes use up the room that is gained, this is all that is done. */
	take_discards(log);
	if (i >= count && is_jammed(drain))
		failed |= !par_log_append_again(drain);
	if (i >= count)
		par_log_suspects_end(&drain->suspects);
	moved = move_tail(log);
	answer_held(drain, moved > 0);
	if (moved >= 0 && failed)
		moved = -EIO;
	if (count)
		trace_par_log_drained(log, count, min(moved, 0));
	return moved < 0 ? moved : moved || count;
}

/*
 * A drain has failed: retry it later. Writes that are held after so many failures have no room in
 * the log. They wait as long as blocks may be drained, or be called lost, at a later time.
 */
static void put_off(struct par_log_drain *drain)
{
	unsigned int failures = drain->log->count.failures + 1;

	WRITE_ONCE(drain->log->count.failures, failures);
	if (failures == PAR_LOG_RETRIES)
		pr_warn("md/par:%s: some blocks of the log cannot be drained at the moment: they stay in the log, retrying\n",
			mdname(drain->log->conf->mddev));
	if (drain->no_room && failures > PAR_LOG_WAITED)
		fail_held(drain->log);
	drain->next = jiffies + msecs_to_jiffies(par_log_drain_delay(failures));
}

static int drain_all(struct par_log_drain *drain)
{
	int done = 1;

	while (done > 0 && is_due(drain->log) && !READ_ONCE(drain->log->use.asked)) {
		WRITE_ONCE(drain->log->draining, true);
		done = drain_some(drain);
		if (done < 0)
			put_off(drain);
		else
			WRITE_ONCE(drain->log->count.failures, 0);
	}
	WRITE_ONCE(drain->log->draining, false);
	give_pages(drain, DRAIN_KEPT);
	return done;
}

/* After a failure wait before the next drain, even if writes wait for it. */
static bool is_too_soon(const struct par_log_drain *drain)
{
	return drain->log->count.failures && time_before(jiffies, drain->next);
}

static unsigned long time_left(const struct par_log_drain *drain)
{
	return time_before(jiffies, drain->next) ? drain->next - jiffies : 0;
}

void par_log_drain_work(struct work_struct *work)
{
	struct par_log *log = container_of(to_delayed_work(work), struct par_log, drain_work);
	int done = 1;

	take_discards(log);
	par_log_do_resize(log);
	if (!par_log_broken(log))
		append_held(log);
	if (par_log_broken(log)) {
		fail_held(log);
		par_log_kick(log);
	} else if (is_too_soon(log->drain)) {
		done = -EAGAIN;
	} else {
		done = drain_all(log->drain);
		/* The unreadable records are in front of the tail now: begin a new run. */
		if (READ_ONCE(log->stuck) && par_log_ring_empty(&log->ring))
			par_log_make_ready(log);
		/* Submit writes that were held while the tail was moved the last time. */
		if (par_log_ring_empty(&log->ring) && !READ_ONCE(log->paused))
			submit_held(log);
	}
	/* If the work is queued already, what has come in meanwhile is not put off. */
	if (READ_ONCE(log->discards.head))
		par_log_drain_now(log);
	else if (!READ_ONCE(log->paused) &&
		 (!par_log_ring_empty(&log->ring) || READ_ONCE(log->wanted)))
		queue_delayed_work(log->queues.drain, &log->drain_work,
				   done < 0 ? time_left(log->drain) : PAR_LOG_LOOK);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_drain_work);

int par_log_drain_alloc(struct par_log *log)
{
	struct par_log_drain *drain = kvzalloc(sizeof(*drain), GFP_KERNEL);

	log->drain = drain;
	if (!drain)
		return -ENOMEM;
	drain->log = log;
	drain->room = par_log_pages(drain->pages, DRAIN_KEPT, GFP_KERNEL);
	if (drain->room < DRAIN_KEPT)
		return -ENOMEM;
	return par_log_fetch_init(&drain->fetch, log, DRAIN_SLICE);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_drain_alloc);

void par_log_drain_free(struct par_log *log)
{
	if (!log->drain)
		return;
	give_pages(log->drain, 0);
	par_log_fetch_exit(&log->drain->fetch);
	kvfree(log->drain);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_drain_free);
