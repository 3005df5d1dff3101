// SPDX-License-Identifier: GPL-2.0
/*
 * Flushes: the caches of all awake members are flushed once, whatever the gear.
 *
 * The children never receive a flush: md would send it to every member of theirs. The map
 * needs no flush here: an intent is stable before any write that relies on it.
 */
#include "core/parent.h"
#include "io/io.h"

struct par_flush {
	struct par_conf *conf;
	struct bio *orig;
	unsigned int gear;
	u64 began;	/* ns, or 0: no user waits for the flush */
	u64 log_done;	/* see struct par_io */
	atomic_t left;
	blk_status_t status;
	struct par_flush_leg {
		struct par_flush *flush;
		struct md_rdev *rdev;	/* referenced */
	} leg[PAR_MAX_MEMBERS];
};

#define PAR_FLUSH_RESERVE	16

void par_flush_done(struct par_conf *conf, struct bio *bio)
{
	if (bio->bi_status || !bio_sectors(bio)) {
		bio_endio(bio);
		return;
	}
	bio->bi_opf &= ~REQ_PREFLUSH;
	par_queue_add(conf, &conf->io->finish, bio);
	queue_work(conf->queue.long_wq, &conf->io->finish_work);
}

/* A flush is neither a read nor a write, so the block layer does not count it. */
static void count_flush(struct par_conf *conf, u64 ns)
{
	atomic64_inc(&conf->io->flushed);
	atomic64_add(ns, &conf->io->flush_ns);
}

/* Flushes may end in any order. */
static void note_stable(struct par_conf *conf, u64 done)
{
	u64 stable = READ_ONCE(conf->io->log_stable);

	while (stable < done && !try_cmpxchg(&conf->io->log_stable, &stable, done))
		;
}

/*
 * All members have answered. A member that has failed, now or just before, may have lost
 * acknowledged data: the other members replace it once the failure is recorded.
 */
static void flush_put(struct par_flush *flush)
{
	struct par_conf *conf = flush->conf;
	struct bio *bio = flush->orig;
	unsigned int gear = flush->gear;
	blk_status_t status;

	if (!atomic_dec_and_test(&flush->left))
		return;
	status = flush->status;
	if (flush->began)
		count_flush(conf, ktime_get_ns() - flush->began);
	/* A member that has failed lacks records, which nobody knows before it is recorded. */
	if (!status && !par_failures_unrecorded(conf))
		note_stable(conf, flush->log_done);
	mempool_free(flush, &conf->io->flush_pool);
	if (atomic_dec_and_test(&conf->io->flushes[gear]))
		wake_up(&conf->io->wait);
	/* Last: the array may be stopped once its last request has ended. */
	if (status)
		bio->bi_status = status;
	if (!status && par_failures_unrecorded(conf))
		par_store_failures(conf, bio);
	else
		par_flush_done(conf, bio);
}

static void flush_endio(struct bio *bio)
{
	struct par_flush_leg *leg = bio->bi_private;
	struct par_flush *flush = leg->flush;
	struct mddev *mddev = flush->conf->mddev;

	/* A member whose flush fails is failed; the others hold the data. */
	if (bio->bi_status)
		md_error(mddev, leg->rdev);
	if (bio->bi_status && test_bit(MD_BROKEN, &mddev->flags))
		flush->status = bio->bi_status;
	par_member_put(flush->conf, leg->rdev);
	bio_put(bio);
	flush_put(flush);
}

/*
 * Count a flush, with the gear by which it selects the members. A shift down changes the
 * gear, then waits for flushes that saw the old gear, and for no others.
 */
static unsigned int flush_get(struct par_conf *conf)
{
	unsigned int gear;

	for (;;) {
		gear = READ_ONCE(conf->gear);
		atomic_inc(&conf->io->flushes[gear]);
		smp_mb__after_atomic();	/* pairs with the one in change_down() */
		if (gear == READ_ONCE(conf->gear))
			return gear;
		if (atomic_dec_and_test(&conf->io->flushes[gear]))
			wake_up(&conf->io->wait);
	}
}

void par_flush_request(struct par_conf *conf, struct bio *bio, bool waited_for)
{
	struct par_flush *flush = mempool_alloc(&conf->io->flush_pool, GFP_NOIO);
	unsigned int d, gear;

	flush->conf = conf;
	flush->orig = bio;
	flush->began = waited_for ? ktime_get_ns() : 0;
	flush->log_done = READ_ONCE(conf->io->log_done);
	flush->status = test_bit(MD_BROKEN, &conf->mddev->flags) ?
			BLK_STS_IOERR : BLK_STS_OK;
	atomic_set(&flush->left, 1);
	gear = flush_get(conf);
	flush->gear = gear;

	for (d = 0; par_awake(conf, gear, d); d++) {
		struct par_flush_leg *leg = &flush->leg[d];
		struct md_rdev *rdev = par_member_get(conf, d);
		struct bio *one;

		if (!rdev)
			continue;
		leg->flush = flush;
		leg->rdev = rdev;
		one = bio_alloc_bioset(rdev->bdev, 0, REQ_OP_WRITE | REQ_PREFLUSH |
				       REQ_SYNC, GFP_NOIO, &conf->io->bios);
		one->bi_private = leg;
		one->bi_end_io = flush_endio;
		atomic_inc(&flush->left);
		submit_bio_noacct(one);
	}
	flush_put(flush);
}

static void finish_work(struct work_struct *work)
{
	struct par_conf *conf = container_of(work, struct par_io, finish_work)->conf;
	struct bio_list bios;
	struct bio *bio;

	par_queue_take(conf, &conf->io->finish, &bios);
	while ((bio = bio_list_pop(&bios)))
		conf->up.log_submit(conf, bio);
}

int par_flush_init(struct par_conf *conf)
{
	conf->up.recorded = par_flush_done;
	bio_list_init(&conf->io->finish);
	INIT_WORK(&conf->io->finish_work, finish_work);
	return mempool_init_kmalloc_pool(&conf->io->flush_pool, PAR_FLUSH_RESERVE,
					 sizeof(struct par_flush));
}

void par_flush_exit(struct par_conf *conf)
{
	mempool_exit(&conf->io->flush_pool);
}
