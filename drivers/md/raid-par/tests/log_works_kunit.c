// SPDX-License-Identifier: GPL-2.0
/*
 * The works of the write log, on a log without members: what happens between two of their steps. A
 * step is replaced by a function of the test, which does what another task would do then.
 */
#include <linux/slab.h>
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <kunit/test-bug.h>

#include "core/parent.h"
#include "log/log.h"

#define UNITS	PAR_LOG_MIN_UNITS
#define WRITERS	8U
#define BLOCKS	4U	/* blocks of a write */
#define SECTORS	64U	/* of the home set's chunk */

/*
 * An array in the lower one of two gears. @at_home: writes that have been sent past the log;
 * @discarded: discards that have ended; @again: times that blocks were to be appended again
 */
struct bench {
	struct kunit *test;
	struct workqueue_struct *wq;
	struct mddev mddev;
	struct par_conf conf;
	struct par_store store;
	struct par_log log;
	struct par_io io;
	struct par_set home;
	struct par_set_ops ops;
	struct par_log_slot *unit[UNITS], slots[UNITS][PAR_LOG_UNIT];
	u32 chain[UNITS * PAR_LOG_UNIT];
	struct bio discard;
	struct par_log_again blocks;
	unsigned int begun, at_home, discarded, again;
};

static struct bench *bench_of(struct par_conf *conf)
{
	return container_of(conf, struct bench, conf);
}

static void count_home(struct par_set *set, struct bio *bio)
{
	bench_of(set->conf)->at_home++;
}

static void no_work(struct work_struct *work)
{
}

/* The home set discards nothing. */
static void end_discards(struct work_struct *work)
{
	struct par_io *io = container_of(work, struct par_io, discard_work);
	struct bio_list bios;
	struct bio *bio;

	spin_lock_irq(&io->conf->queue.lock);
	bios = io->discards;
	bio_list_init(&io->discards);
	spin_unlock_irq(&io->conf->queue.lock);
	while ((bio = bio_list_pop(&bios)))
		bio_endio(bio);
}

static void free_bench(void *data)
{
	struct bench *bench = data;

	cancel_delayed_work_sync(&bench->log.drain_work);
	destroy_workqueue(bench->wq);
	par_log_drain_free(&bench->log);
	bioset_exit(&bench->log.pools.bios);
	cleanup_srcu_struct(&bench->log.gate.past);
	kvfree(bench);
}

static void begin_log(struct bench *bench)
{
	struct par_log *log = &bench->log;

	log->conf = &bench->conf;
	log->on = true;
	log->ready = true;
	log->paused = true;	/* no work is queued: a test calls them itself */
	spin_lock_init(&log->lock);
	mutex_init(&log->ready_lock);
	init_waitqueue_head(&log->wait);
	bio_list_init(&log->waiting);
	INIT_WORK(&log->work, no_work);
	INIT_DELAYED_WORK(&log->drain_work, no_work);
	log->queues.append = bench->wq;
	log->queues.drain = bench->wq;
	log->use.area = UNITS;
	par_log_index_init(&log->index, UNITS, bench->unit, bench->chain);
	par_log_ring_init(&log->ring, UNITS * PAR_LOG_UNIT, UNITS * PAR_LOG_UNIT);
	KUNIT_ASSERT_EQ(bench->test, init_srcu_struct(&log->gate.past), 0);
	KUNIT_ASSERT_EQ(bench->test, bioset_init(&log->pools.bios, WRITERS, 0, 0), 0);
}

static struct bench *make_bench(struct kunit *test)
{
	struct bench *bench = kvzalloc(sizeof(*bench), GFP_KERNEL);
	struct par_conf *conf;

	KUNIT_ASSERT_NOT_NULL(test, bench);
	bench->wq = alloc_ordered_workqueue("raid-par-kunit", 0);
	KUNIT_ASSERT_NOT_NULL(test, bench->wq);
	test->priv = bench;
	bench->test = test;
	conf = &bench->conf;
	conf->mddev = &bench->mddev;
	bench->mddev.private = bench;
	conf->store = &bench->store;
	conf->log = &bench->log;
	conf->io = &bench->io;
	conf->io->conf = conf;
	INIT_WORK(&conf->io->discard_work, end_discards);
	conf->queue.discard_wq = bench->wq;
	conf->geo.gears = 2;
	conf->geo.share = PAR_SHARE_ALL;
	conf->geo.parities = 1;
	conf->geo.members = 3;
	conf->geo.set[2].members = 3;
	conf->geo.chunk_sectors = SECTORS;
	conf->gear = 1;
	conf->set[2] = &bench->home;
	spin_lock_init(&conf->queue.lock);
	par_wish_init(conf);
	conf->wish.target = 1;
	bench->ops.submit = count_home;
	bench->home.conf = conf;
	bench->home.sg = &conf->geo.set[2];
	bench->home.ops = &bench->ops;
	begin_log(bench);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_bench, bench), 0);
	return bench;
}

static struct bio *write_of(struct bench *bench, unsigned int i)
{
	struct bio *bio = kunit_kzalloc(bench->test, sizeof(*bio), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(bench->test, bio);
	bio_init(bio, NULL, NULL, 0, REQ_OP_WRITE);
	bio->bi_iter.bi_sector = i * BLOCKS * PAR_LOG_BLOCK;
	bio->bi_iter.bi_size = BLOCKS * PAR_LOG_BLOCK_BYTES;
	return bio;
}

/* Between the look for room and the place in the queue, the next writer submits its write. */
static void submit_next(struct par_log *log, struct bio **bio)
{
	struct bench *bench = bench_of(log->conf);

	if (bench->begun < WRITERS)
		par_log_submit(log->conf, write_of(bench, bench->begun++));
}

/* As many writes as there is room for are let into the log, even if all of them look at once. */
static void room_is_given_once(struct kunit *test)
{
	struct bench *bench = make_bench(test);
	struct par_log *log = &bench->log;
	unsigned int fit = 3;

	kunit_activate_static_stub(test, par_log_count_write, submit_next);
	log->ring.head = log->ring.tail + log->ring.blocks - 2 * PAR_LOG_UNIT - 2 * fit * BLOCKS;
	log->ring.done = log->ring.head;
	while (bench->begun < WRITERS)
		submit_next(log, NULL);
	KUNIT_EXPECT_EQ(test, log->queued, fit * BLOCKS);
	KUNIT_EXPECT_EQ(test, log->use.reserved, 0);
	KUNIT_EXPECT_TRUE(test, par_log_ring_room(&log->ring, log->queued));
	KUNIT_EXPECT_EQ(test, bench->at_home, WRITERS - fit);
}

static bool not_imaged(const struct par_conf *conf, u64 sector)
{
	return false;
}

/* Block @block of the array is live in the tail's unit, beside @count others; none has an image. */
static void log_unimaged(struct bench *bench, u64 block, unsigned int count)
{
	struct par_log_entry entry = { .sectors = 0xff };
	struct par_log *log = &bench->log;
	u32 first, i, u;
	u64 pos;

	bench->conf.geo.share = 10;
	kunit_activate_static_stub(bench->test, par_sector_imaged, not_imaged);
	KUNIT_ASSERT_EQ(bench->test, par_log_ring_take(&log->ring, count, &pos), count);
	u = pos / PAR_LOG_UNIT % UNITS;
	first = u * PAR_LOG_UNIT + 1;
	par_log_index_open(&log->index, u, bench->slots[u]);
	for (i = 0; i < count; i++) {
		entry.block = block + i;
		par_log_index_add(&log->index, first + i, &entry);
	}
	par_log_ring_done(&log->ring, log->ring.head);
	KUNIT_ASSERT_EQ(bench->test, par_log_drain_alloc(log), 0);
}

/* The drain's work, on a write that is held since it was written when the gear was another one. */
static void drain_held(struct bench *bench, struct bio *bio)
{
	struct par_log *log = &bench->log;

	bio_list_add(&log->held, bio);
	log->wanted = true;
	log->paused = false;
	par_log_drain_work(&log->drain_work.work);
	log->paused = true;
}

/* A write of a logged block has waited for the top gear's drain: it is appended in the low gear. */
static void held_is_appended(struct kunit *test)
{
	struct bench *bench = make_bench(test);
	struct par_log *log = &bench->log;

	log_unimaged(bench, 0, 1);
	drain_held(bench, write_of(bench, 0));
	KUNIT_EXPECT_EQ(test, log->queued, BLOCKS);
	KUNIT_EXPECT_FALSE(test, log->wanted);
	KUNIT_EXPECT_EQ_MSG(test, bench->conf.wish.target, 1, "the sleepers are woken");
}

static void count_discard(struct bio *bio)
{
	struct bench *bench = bio->bi_private;

	bench->discarded++;
}

/* A user discards what is written, while a drain has begun to look at it. */
static bool discard_meanwhile(const struct par_conf *conf, u64 sector)
{
	struct bench *bench = conf->mddev->private;
	struct bio *bio = &bench->discard;

	if (bio->bi_end_io)
		return false;
	bio_init(bio, NULL, NULL, 0, REQ_OP_DISCARD);
	bio->bi_iter.bi_size = PAR_LOG_BLOCK_BYTES;
	bio->bi_end_io = count_discard;
	bio->bi_private = bench;
	par_log_discard(&bench->conf, bio);
	return false;
}

static bool discarded_before(struct par_log_drain *drain)
{
	struct bench *bench = kunit_get_current_test()->priv;

	KUNIT_EXPECT_EQ(bench->test, bench->discarded, 1);
	bench->again++;
	return true;
}

/* Discards do not wait until a log that is full has room. */
static void discard_of_full(struct kunit *test)
{
	struct bench *bench = make_bench(test);
	struct par_log *log = &bench->log;

	log_unimaged(bench, 0, 1);
	kunit_activate_static_stub(test, par_sector_imaged, discard_meanwhile);
	kunit_activate_static_stub(test, par_log_append_again, discarded_before);
	log->ring.head += log->ring.blocks - 2 * PAR_LOG_UNIT;
	drain_held(bench, write_of(bench, 1));
	KUNIT_EXPECT_EQ(test, bench->again, 1);
	KUNIT_EXPECT_EQ(test, log->queued, 0);
	KUNIT_EXPECT_TRUE(test, log->wanted);
	KUNIT_EXPECT_EQ(test, bench->conf.wish.target, 2);
}

/* The drain's work has blocks appended again when the records' work has found nothing to do. */
static bool begin_again(struct par_log *log)
{
	struct bench *bench = bench_of(log->conf);

	log->use.again = &bench->blocks;
	return true;
}

/* Its wait is over when the records' work has looked for these blocks, and not before. */
static void again_is_not_missed(struct kunit *test)
{
	struct bench *bench = make_bench(test);
	struct par_log *log = &bench->log;

	init_completion(&bench->blocks.done);
	kunit_activate_static_stub(test, par_log_must_wait, begin_again);
	log->spare = bench->slots[0];
	log->queued = 1;
	par_log_append_work(&log->work);
	KUNIT_EXPECT_PTR_EQ(test, log->use.again, &bench->blocks);
	KUNIT_EXPECT_FALSE(test, completion_done(&bench->blocks.done));
	/* There are none. */
	par_log_append_work(&log->work);
	KUNIT_EXPECT_NULL(test, log->use.again);
	KUNIT_EXPECT_TRUE(test, completion_done(&bench->blocks.done));
}

/*
 * Behind the gate of a shift down between two low gears, large writes go to the log, too: that it
 * fills is no reason to wake members, and to end the shift by that.
 */
static void gate_wakes_none(struct kunit *test)
{
	struct bench *bench = make_bench(test);
	struct par_log *log = &bench->log;

	log->ring.head = log->ring.tail + log->ring.blocks / 8 * 5;
	log->use.pace = (struct par_log_pace) {
		.head = log->ring.head, .at = ktime_to_ms(ktime_get()),
		.gained = log->ring.blocks, .took = 1,
	};
	log->gate.turn = 1;
	par_log_slow_down(log, BLOCKS);
	KUNIT_EXPECT_EQ_MSG(test, bench->conf.wish.target, 1, "the sleepers are woken");
	log->gate.turn = 2;
	par_log_slow_down(log, BLOCKS);
	KUNIT_EXPECT_EQ(test, bench->conf.wish.target, 2);
}

static void free_summaries(void *log)
{
	par_log_summaries_exit(log);
}

/*
 * An array stops in the middle of a shift down: the summaries are written before it is quiet, since
 * the end of the shift would begin with them when everything has been stored.
 */
static void stop_leaves_no_summary(struct kunit *test)
{
	struct bench *bench = make_bench(test);
	struct par_log *log = &bench->log;

	log->shape.units = UNITS;
	log->shape.summaries = true;
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_summaries, log), 0);
	KUNIT_ASSERT_EQ(test, par_log_summaries_init(log), 0);
	log->sums.next = log->sums.count / 2;
	log->gate.turn = 1;
	par_log_summaries_store(log);
	KUNIT_EXPECT_EQ(test, log->sums.first, log->sums.next);
}

static struct kunit_case log_works_cases[] = {
	KUNIT_CASE(room_is_given_once),
	KUNIT_CASE(held_is_appended),
	KUNIT_CASE(discard_of_full),
	KUNIT_CASE(again_is_not_missed),
	KUNIT_CASE(gate_wakes_none),
	KUNIT_CASE(stop_leaves_no_summary),
	{}
};

static struct kunit_suite log_works_suite = {
	.name = "raid-par-log-works",
	.test_cases = log_works_cases,
};

kunit_test_suite(log_works_suite);
