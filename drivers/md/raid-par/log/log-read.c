// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of content that is in the log. See log.h.
 */
#include "core/parent.h"
#include "log/log.h"

/*
 * A read for @bio: within one unit, at @sector of the ring; or (@home) at @sector of the array.
 * @rdev: referenced
 * @page, @vec: of a part of a block, or NULL: it is read with the rest of its logical block
 * @lacking: copies that lack the records; @tried: the number of copies that have been tried
 * @start: when it began, for the array's statistics
 */
struct read_leg {
	struct par_log *log;
	struct bio *bio;
	struct md_rdev *rdev;
	struct page *page;
	struct bio_vec vec;
	u64 sector;
	bool home;
	u8 lacking;
	unsigned int tried;
	unsigned long start;
	struct work_struct work;
	struct bio clone;	/* last: its vectors follow */
};

int par_log_read_init(struct par_log *log)
{
	int err = mempool_init_page_pool(&log->pools.pages, BIO_POOL_SIZE, 0);

	return err ?: bioset_init(&log->pools.clones, BIO_POOL_SIZE,
				  offsetof(struct read_leg, clone), 0);
}

static void copy_part(const struct read_leg *leg)
{
	const char *from = page_address(leg->page);
	struct bvec_iter iter;
	struct bio_vec vec;

	from += (leg->sector % PAR_LOG_BLOCK) << SECTOR_SHIFT;
	bio_for_each_segment(vec, leg->bio, iter) {
		memcpy_to_bvec(&vec, from);
		from += vec.bv_len;
	}
}

static void read_end(struct read_leg *leg, blk_status_t status)
{
	struct par_log *log = leg->log;
	struct mddev *mddev = log->conf->mddev;
	struct bio *bio = leg->bio;

	if (!leg->home)
		par_log_read_put(log, leg->sector / PAR_LOG_UNIT_SECTORS);
	if (leg->page && !status)
		copy_part(leg);
	if (leg->page)
		mempool_free(leg->page, &log->pools.pages);
	/* Its other part may have failed: that status stays. */
	if (status)
		bio->bi_status = status;
	bio_end_io_acct(bio, leg->start);
	bio_put(&leg->clone);
	bio_endio(bio);
	percpu_ref_put(&mddev->active_io);
}

static void read_endio(struct bio *clone)
{
	struct read_leg *leg = container_of(clone, struct read_leg, clone);

	if (leg->home) {
		read_end(leg, clone->bi_status);
		return;
	}
	if (clone->bi_status)
		par_log_read_failed(leg->log, leg->rdev);
	rdev_dec_pending(leg->rdev, leg->log->conf->mddev);
	/* Read another copy, from a context in which requests may be sent. */
	if (clone->bi_status)
		queue_work(leg->log->queues.append, &leg->work);
	else
		read_end(leg, BLK_STS_OK);
}

/* The next copy to read. For adjacent units, the first one is on different members. */
static struct md_rdev *next_copy(struct read_leg *leg, u64 *sector)
{
	struct par_log *log = leg->log;
	u32 place = leg->sector / PAR_LOG_BLOCK;

	for (; leg->tried < log->shape.copies; leg->tried++) {
		unsigned int copy = (leg->tried + place / PAR_LOG_UNIT) % log->shape.copies;
		struct md_rdev *rdev;

		if (leg->lacking & BIT(copy))
			continue;
		rdev = par_log_rdev(log, par_log_member(&log->shape, place, copy));
		if (!rdev)
			continue;
		leg->tried++;
		*sector = rdev->data_offset + par_log_sector(&log->shape, place, copy) +
			  leg->sector % PAR_LOG_BLOCK;
		return rdev;
	}
	return NULL;
}

/* Direct the clone to @sector of @bdev; a part of a block as @unit has whole logical blocks. */
static void aim_clone(struct read_leg *leg, struct block_device *bdev, u64 sector,
		      struct block_device *unit)
{
	unsigned int at = leg->sector % PAR_LOG_BLOCK, first = at, count = bio_sectors(leg->bio);
	struct bio *clone = &leg->clone;

	bio_set_dev(clone, bdev);
	clone->bi_iter = leg->bio->bi_iter;
	clone->bi_iter.bi_sector = sector;
	if (!leg->page)
		return;
	par_log_widen(unit, &first, &count);
	bvec_set_page(&leg->vec, leg->page, count << SECTOR_SHIFT, first << SECTOR_SHIFT);
	clone->bi_io_vec = &leg->vec;
	clone->bi_iter = (struct bvec_iter) {
		.bi_sector = sector - at + first,
		.bi_size = count << SECTOR_SHIFT,
	};
}

static void send_read(struct read_leg *leg)
{
	u64 sector;

	leg->rdev = next_copy(leg, &sector);
	if (!leg->rdev) {
		read_end(leg, BLK_STS_IOERR);
		return;
	}
	aim_clone(leg, leg->rdev->bdev, sector, leg->rdev->bdev);
	submit_bio_noacct(&leg->clone);
}

/* Not as a request to the array's disk, whose statistics count this read. */
static void send_read_home(struct read_leg *leg)
{
	struct par_conf *conf = leg->log->conf;
	struct par_set *home = par_home(conf);

	aim_clone(leg, home->front->part0, leg->sector, conf->mddev->gendisk->part0);
	home->ops->submit(home, &leg->clone);
}

static void read_again(struct work_struct *work)
{
	struct read_leg *leg = container_of(work, struct read_leg, work);
	struct bio *clone = &leg->clone;

	/* Reset it: if the clone was split, its count of remaining parts is used up. */
	bio_reset(clone, NULL, clone->bi_opf);
	bio_set_flag(clone, BIO_CLONED);
	clone->bi_ioprio = leg->bio->bi_ioprio;
	clone->bi_end_io = read_endio;
	send_read(leg);
}

/* @part: of a block, at home or in the log */
static void read_place(struct par_log *log, struct bio *bio, const struct par_log_piece *piece,
		       bool part)
{
	struct page *page = part ? mempool_alloc(&log->pools.pages, GFP_NOIO) : NULL;
	struct bio *clone;
	struct read_leg *leg;

	/*
	 * Count the read as md_account_bio() does, but without a clone of its pool: held writes may
	 * have all of them until a drain has ended, and the drain waits for this read.
	 */
	percpu_ref_get(&log->conf->mddev->active_io);
	clone = bio_alloc_clone(bio->bi_bdev, bio, GFP_NOIO, &log->pools.clones);
	clone->bi_opf &= ~REQ_RAHEAD;
	clone->bi_end_io = read_endio;
	leg = container_of(clone, struct read_leg, clone);
	leg->log = log;
	leg->bio = bio;
	leg->page = page;
	leg->home = !piece->logged;
	leg->sector = leg->home ? bio->bi_iter.bi_sector : piece->sector;
	leg->lacking = piece->lacking;
	leg->tried = 0;
	leg->start = bio_start_io_acct(bio);
	INIT_WORK(&leg->work, read_again);
	if (leg->home)
		send_read_home(leg);
	else
		send_read(leg);
}

/*
 * Shorten a piece at @sector of the array to whole blocks, or to the part of a block that it begins
 * with: true if that has to be read with the rest of its logical block. At home, blocks are the
 * array's logical blocks: raid5 reads the blocks of members that have larger ones.
 */
static bool take_part(const struct par_log *log, u64 sector, struct par_log_piece *piece)
{
	unsigned int unit = piece->logged ? PAR_LOG_BLOCK : par_log_home_unit(log);
	unsigned int first = sector & (unit - 1);

	if (!first && piece->sectors >= unit) {
		piece->sectors = round_down(piece->sectors, unit);
		return false;
	}
	piece->sectors = min(piece->sectors, unit - first);
	return true;
}

void par_log_read(struct par_log *log, struct bio *bio)
{
	struct par_set *home = par_home(log->conf);
	struct par_log_piece piece;
	struct bio *front = bio;
	bool is_lost = false, part;

	spin_lock(&log->lock);
	par_log_index_find(&log->index, bio->bi_iter.bi_sector, bio_sectors(bio), &piece);
	/* This keeps the place from being overwritten before it has been read. */
	if (piece.logged)
		atomic_inc(&log->reads[piece.sector / PAR_LOG_UNIT_SECTORS]);
	else if (log->lost.count)
		piece.sectors = par_log_lost_find(&log->lost, bio->bi_iter.bi_sector,
						  piece.sectors, &is_lost);
	spin_unlock(&log->lock);
	part = take_part(log, bio->bi_iter.bi_sector, &piece);
	if (piece.sectors < bio_sectors(bio)) {
		front = bio_split(bio, piece.sectors, GFP_NOIO, &log->pools.splits);
		bio_chain(front, bio);
		submit_bio_noacct(bio);
	}
	if (is_lost)
		bio_io_error(front);
	else if (piece.logged || part)
		read_place(log, front, &piece, part);
	else
		home->ops->submit(home, front);
}
