// SPDX-License-Identifier: GPL-2.0
/*
 * Draining the log: what is live in it goes to the home set, in the order of the array's
 * sectors, and the tail follows. One work does all of it. See log.h.
 */
#include "core/parent.h"
#include "log/log.h"

/* Requests of ours that are waited for together. */
struct drain_io {
	atomic_t left;
	struct completion done;
	bool failed;
};

/* A block of a slice: its content is in the page of the same number. */
struct drain_block {
	u64 block;
	struct par_log_part part[PAR_LOG_PARTS];
	unsigned int parts;
	u8 sectors;
};

struct drain_slice {
	struct par_log *log;
	struct drain_block block[PAR_LOG_SLICE];
	unsigned int count;
};

/* ---- requests ---- */

static void io_begin(struct drain_io *io)
{
	atomic_set(&io->left, 1);
	init_completion(&io->done);
	io->failed = false;
}

static void io_put(struct drain_io *io)
{
	if (atomic_dec_and_test(&io->left))
		complete(&io->done);
}

static bool io_end(struct drain_io *io)
{
	io_put(io);
	wait_for_completion_io(&io->done);
	return !io->failed;
}

static void write_endio(struct bio *bio)
{
	struct drain_io *io = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(io->failed, true);
	bio_put(bio);
	io_put(io);
}

/* ---- reading what is in the log ---- */

/* @count sectors from bit @first on of a part, into the page at the same place. */
static bool read_run(struct par_log *log, struct page *page, const struct par_log_part *part,
		     unsigned int first, unsigned int count)
{
	unsigned int copy;

	for (copy = 0; copy < log->shape.copies; copy++) {
		unsigned int d = par_log_member(&log->shape, part->place, copy);
		struct md_rdev *rdev = NULL;
		struct bio *bio;
		int err;

		if (!(part->lacking & BIT(copy)))
			rdev = par_log_rdev(log, d);
		if (!rdev)
			continue;
		bio = bio_alloc_bioset(rdev->bdev, 1, REQ_OP_READ, GFP_NOIO, &log->bios);
		bio->bi_iter.bi_sector = rdev->data_offset +
					 par_log_sector(&log->shape, part->place, copy) + first;
		__bio_add_page(bio, page, count << SECTOR_SHIFT, first << SECTOR_SHIFT);
		err = submit_bio_wait(bio);
		bio_put(bio);
		rdev_dec_pending(rdev, log->conf->mddev);
		if (!err)
			return true;
	}
	return false;
}

/* The run of set bits from @from on; false if there is none. */
static bool next_run(u8 sectors, unsigned int from, unsigned int *first, unsigned int *count)
{
	u8 left = sectors & ~(BIT(from) - 1);

	if (!left)
		return false;
	*first = __ffs(left);
	*count = __ffs(~(left >> *first));
	return true;
}

static bool read_part(struct par_log *log, struct page *page, const struct par_log_part *part)
{
	unsigned int first, count, at;

	for (at = 0; at < PAR_LOG_BLOCK && next_run(part->sectors, at, &first, &count);
	     at = first + count)
		if (!read_run(log, page, part, first, count))
			return false;
	return true;
}

static bool read_block(struct par_log *log, struct page *page, struct drain_block *block)
{
	unsigned int i;

	block->sectors = 0;
	for (i = 0; i < block->parts; i++) {
		if (!read_part(log, page, &block->part[i]))
			return false;
		block->sectors |= block->part[i].sectors;
	}
	return true;
}

/* ---- writing it home ---- */

static void write_run(struct par_log *log, struct drain_io *io, u64 sector, struct page **pages,
		      unsigned int first, unsigned int count)
{
	struct par_set *home = par_home(log->conf);
	unsigned int left = count, vectors = DIV_ROUND_UP(first + count, PAR_LOG_BLOCK);
	struct bio *bio = bio_alloc_bioset(log->conf->mddev->gendisk->part0, vectors,
					   REQ_OP_WRITE, GFP_NOIO, &log->conf->io->bios);

	bio->bi_iter.bi_sector = sector;
	bio->bi_private = io;
	bio->bi_end_io = write_endio;
	for (; left; first = 0, pages++) {
		unsigned int some = min(left, PAR_LOG_BLOCK - first);

		__bio_add_page(bio, *pages, some << SECTOR_SHIFT, first << SECTOR_SHIFT);
		left -= some;
	}
	atomic_inc(&io->left);
	home->ops->submit(home, bio);
}

/* Blocks from the @i-th on that are one request: complete, and one behind the other. */
static unsigned int whole_run(const struct drain_slice *slice, unsigned int i)
{
	unsigned int end = i;

	while (end < slice->count && slice->block[end].sectors == 0xff &&
	       slice->block[end].block == slice->block[i].block + (end - i))
		end++;
	return end - i;
}

static bool write_slice(struct drain_slice *slice)
{
	struct par_log *log = slice->log;
	unsigned int i = 0, first, count, at, run;
	struct drain_io io;

	io_begin(&io);
	while (i < slice->count) {
		const struct drain_block *block = &slice->block[i];
		u64 sector = block->block * PAR_LOG_BLOCK;

		run = whole_run(slice, i);
		if (run)
			write_run(log, &io, sector, &log->pages[i], 0, run * PAR_LOG_BLOCK);
		at = run ? PAR_LOG_BLOCK : 0;
		while (at < PAR_LOG_BLOCK && next_run(block->sectors, at, &first, &count)) {
			write_run(log, &io, sector + first, &log->pages[i], first, count);
			at = first + count;
		}
		i += max(run, 1U);
	}
	return io_end(&io);
}

/* ---- slices ---- */

/* Those of @count blocks that are live yet, and where. */
static void look_up_slice(struct drain_slice *slice, const u64 *blocks, unsigned int count)
{
	struct par_log *log = slice->log;
	unsigned int i;

	slice->count = 0;
	spin_lock(&log->lock);
	for (i = 0; i < count; i++) {
		struct drain_block *block = &slice->block[slice->count];

		block->block = blocks[i];
		block->parts = par_log_index_parts(&log->index, blocks[i], block->part);
		slice->count += block->parts > 0;
	}
	spin_unlock(&log->lock);
}

static void slice_drained(struct drain_slice *slice)
{
	struct par_log *log = slice->log;
	unsigned int i, j;

	spin_lock(&log->lock);
	for (i = 0; i < slice->count; i++) {
		for (j = 0; j < slice->block[i].parts; j++)
			par_log_index_drained(&log->index, &slice->block[i].part[j]);
		log->drained += hweight8(slice->block[i].sectors);
	}
	spin_unlock(&log->lock);
}

static bool drain_slice(struct drain_slice *slice, const u64 *blocks, unsigned int count)
{
	struct par_log *log = slice->log;
	unsigned int i;

	look_up_slice(slice, blocks, count);
	for (i = 0; i < slice->count; i++)
		if (!read_block(log, log->pages[i], &slice->block[i]))
			return false;
	if (!write_slice(slice))
		return false;
	slice_drained(slice);
	return true;
}

/* ---- the tail ---- */

static bool may_use_all(const struct par_log *log)
{
	struct par_store *store = log->conf->store;

	return READ_ONCE(store->super.log.absent) & READ_ONCE(store->whole);
}

/* The tail that may be stored. With @empty, nothing is appended until it is. */
static u64 choose_tail(struct par_log *log, u64 *done, bool *empty)
{
	u64 tail;

	spin_lock(&log->lock);
	tail = par_log_drain_tail(&log->index, &log->ring);
	*done = log->ring.done;
	*empty = tail == log->ring.head && may_use_all(log);
	log->closed = *empty;
	spin_unlock(&log->lock);
	return tail;
}

/* Nothing finds these units any more; who has found them before reads to the end. */
static void free_units(struct par_log *log, u64 tail)
{
	u64 pos;

	for (pos = par_log_unit(log->ring.tail); pos < par_log_unit(tail); pos += PAR_LOG_UNIT) {
		u32 u = par_log_place(&log->shape, pos) / PAR_LOG_UNIT;
		struct par_log_slot *slots;

		spin_lock(&log->lock);
		slots = par_log_index_close(&log->index, u);
		spin_unlock(&log->lock);
		if (slots)
			par_log_slots_free(slots);
		wait_event(log->wait, !atomic_read(&log->reads[u]));
	}
	spin_lock(&log->lock);
	par_log_ring_free(&log->ring, tail);
	spin_unlock(&log->lock);
}

static void submit_held(struct par_log *log)
{
	struct bio_list bios;
	struct bio *bio;

	spin_lock(&log->lock);
	bios = log->held;
	bio_list_init(&log->held);
	log->wanted = false;
	spin_unlock(&log->lock);
	while ((bio = bio_list_pop(&bios)))
		log->conf->up.log_submit(log->conf, bio);
}

/* Nothing is drained any more, so what waits for that would wait for ever. */
static void fail_held(struct par_log *log)
{
	struct bio_list bios;
	struct bio *bio;

	spin_lock(&log->lock);
	bios = log->held;
	bio_list_init(&log->held);
	spin_unlock(&log->lock);
	while ((bio = bio_list_pop(&bios)))
		bio_io_error(bio);
}

/* 1: it is further on; 0: it cannot be; or an error. */
static int move_tail(struct par_log *log)
{
	bool empty;
	u64 done, tail = choose_tail(log, &done, &empty);
	bool moves = tail != log->ring.tail || empty;
	int err = 0;

	if (moves) {
		err = par_store_log(log->conf, tail, done, log->ready ? log->run :
				    log->conf->store->super.log.run, empty);
		if (!err)
			free_units(log, tail);
	}
	spin_lock(&log->lock);
	log->closed = false;
	spin_unlock(&log->lock);
	par_log_kick(log);
	submit_held(log);
	return err ?: moves;
}

/* ---- when ---- */

static bool is_due(struct par_log *log)
{
	struct par_log_need need = {
		.top = READ_ONCE(log->conf->gear) == log->conf->geo.gears,
		.filling = log->filling,
		.blocks = log->ring.blocks,
		.idle = jiffies_to_msecs(jiffies - log->last),
	};
	enum par_log_drain_why why;

	if (READ_ONCE(log->paused) || !md_is_rdwr(log->conf->mddev))
		return false;
	spin_lock(&log->lock);
	need.used = par_log_ring_empty(&log->ring) ? 0 : par_log_ring_used(&log->ring);
	spin_unlock(&log->lock);
	why = par_log_drain_why(&need);
	log->filling = why == PAR_LOG_FILLING;
	return why != PAR_LOG_REST || (need.used && READ_ONCE(log->wanted)) || may_use_all(log);
}

static void take_discards(struct par_log *log)
{
	struct bio_list bios;
	struct bio *bio;

	par_queue_take(log->conf, &log->discards, &bios);
	while ((bio = bio_list_pop(&bios))) {
		spin_lock(&log->lock);
		par_log_index_discard(&log->index, bio->bi_iter.bi_sector, bio_sectors(bio));
		spin_unlock(&log->lock);
		par_discard_request(log->conf, bio);
	}
}

/* The oldest blocks; what is behind the tail then is free. */
static int drain_some(struct par_log *log, struct drain_slice *slice)
{
	unsigned int i, count;
	int moved;

	spin_lock(&log->lock);
	count = par_log_drain_pick(&log->index, &log->ring, log->list, PAR_LOG_LIST);
	spin_unlock(&log->lock);
	for (i = 0; i < count && is_due(log); i += PAR_LOG_SLICE) {
		take_discards(log);
		if (!drain_slice(slice, log->list + i, min(count - i, PAR_LOG_SLICE)))
			return -EIO;
	}
	moved = move_tail(log);
	return moved < 0 ? moved : moved || count;
}

void par_log_drain_work(struct work_struct *work)
{
	struct par_log *log = container_of(to_delayed_work(work), struct par_log, drain_work);
	struct drain_slice *slice;
	int done = 1;

	take_discards(log);
	if (par_log_broken(log)) {
		fail_held(log);
		par_log_kick(log);
	} else if (is_due(log)) {
		slice = kvzalloc(sizeof(*slice), GFP_NOIO);
		if (slice) {
			slice->log = log;
			while (done > 0 && is_due(log))
				done = drain_some(log, slice);
		}
		kvfree(slice);
	}
	if (!READ_ONCE(log->paused) && !par_log_ring_empty(&log->ring))
		mod_delayed_work(log->drain_wq, &log->drain_work,
				 done > 0 ? PAR_LOG_LOOK : PAR_LOG_RETRY);
}
