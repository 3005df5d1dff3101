// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of content that is in the log. See log.h.
 */
#include "core/parent.h"
#include "log/log.h"

/*
 * A read within one unit for @bio, at @sector of the ring; @rdev is referenced.
 * @lacking: copies that lack the records; @tried: the number of copies that have been tried
 * @start: when it began, for the array's statistics
 */
struct read_leg {
	struct par_log *log;
	struct bio *bio;
	struct md_rdev *rdev;
	u64 sector;
	u8 lacking;
	unsigned int tried;
	unsigned long start;
	struct work_struct work;
	struct bio clone;	/* last: its vectors follow */
};

int par_log_read_init(struct par_log *log)
{
	return bioset_init(&log->pools.clones, BIO_POOL_SIZE, offsetof(struct read_leg, clone), 0);
}

static void read_end(struct read_leg *leg, blk_status_t status)
{
	struct par_log *log = leg->log;
	struct mddev *mddev = log->conf->mddev;
	struct bio *bio = leg->bio;

	par_log_read_put(log, leg->sector / PAR_LOG_UNIT_SECTORS);
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

static void send_read(struct read_leg *leg)
{
	struct bio *clone = &leg->clone;
	u64 sector;

	leg->rdev = next_copy(leg, &sector);
	if (!leg->rdev) {
		read_end(leg, BLK_STS_IOERR);
		return;
	}
	clone->bi_iter = leg->bio->bi_iter;
	clone->bi_iter.bi_sector = sector;
	bio_set_dev(clone, leg->rdev->bdev);
	submit_bio_noacct(clone);
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

static void read_place(struct par_log *log, struct bio *bio, const struct par_log_piece *piece)
{
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
	leg->sector = piece->sector;
	leg->lacking = piece->lacking;
	leg->tried = 0;
	leg->start = bio_start_io_acct(bio);
	INIT_WORK(&leg->work, read_again);
	send_read(leg);
}

void par_log_read(struct par_log *log, struct bio *bio)
{
	struct par_set *home = par_home(log->conf);
	struct par_log_piece piece;
	struct bio *front = bio;
	bool is_lost = false;

	spin_lock(&log->lock);
	par_log_index_find(&log->index, bio->bi_iter.bi_sector, bio_sectors(bio), &piece);
	/* This keeps the place from being overwritten before it has been read. */
	if (piece.logged)
		atomic_inc(&log->reads[piece.sector / PAR_LOG_UNIT_SECTORS]);
	else if (log->lost.count)
		piece.sectors = par_log_lost_find(&log->lost, bio->bi_iter.bi_sector,
						  piece.sectors, &is_lost);
	spin_unlock(&log->lock);
	if (piece.sectors < bio_sectors(bio)) {
		front = bio_split(bio, piece.sectors, GFP_NOIO, &log->pools.splits);
		bio_chain(front, bio);
		submit_bio_noacct(bio);
	}
	if (piece.logged)
		read_place(log, front, &piece);
	else if (is_lost)
		bio_io_error(front);
	else
		home->ops->submit(home, front);
}
