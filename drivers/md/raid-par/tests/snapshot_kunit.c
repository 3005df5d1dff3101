// SPDX-License-Identifier: GPL-2.0
/*
 * The store, on an array that has no member that could be flushed or written.
 *
 * A superblock is packed from one snapshot: what counts as stored is what is on all of its pages,
 * whatever a child reports meanwhile. A flush that has waited until a failure is recorded keeps an
 * error that a part of its write has met.
 */
#include <linux/gfp.h>
#include <linux/slab.h>
#include <kunit/static_stub.h>
#include <kunit/test.h>

#include "core/parent.h"
#include "layouts.h"
#include "meta/store.h"

#define MEMBERS	2U	/* that get the superblock */

struct bench {
	struct mddev mddev;
	struct par_conf conf;
	struct par_store store;
	struct par_set set;
	struct par_told told;
	unsigned int failed, ended;
};

static void free_bench(void *data)
{
	struct bench *bench = data;
	unsigned int d;

	for (d = 0; d < MEMBERS; d++)
		if (bench->store.super_page[d])
			put_page(bench->store.super_page[d]);
	kvfree(bench);
}

/* The child of the gear set rebuilds member 0, up to sector 100 so far. */
static struct bench *make_bench(struct kunit *test)
{
	struct bench *bench = kvzalloc(sizeof(*bench), GFP_KERNEL);
	struct par_conf *conf;
	unsigned int d;

	KUNIT_ASSERT_NOT_NULL(test, bench);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_bench, bench), 0);
	conf = &bench->conf;
	conf->mddev = &bench->mddev;
	conf->store = &bench->store;
	conf->store->conf = conf;
	conf->gear = 1;
	KUNIT_ASSERT_EQ(test, par_geometry_init(&conf->geo, GEAR(3) | GEAR(5), 5, KIB(512),
						MIB(200)), PAR_GEO_OK);
	mutex_init(&conf->store->mutex);
	spin_lock_init(&conf->queue.lock);
	bio_list_init(&conf->store->recording);
	spin_lock_init(&conf->store->power_lock);
	for (d = 0; d < MEMBERS; d++) {
		conf->store->super_page[d] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, conf->store->super_page[d]);
	}
	conf->set[1] = &bench->set;
	bench->set.conf = conf;
	bench->set.child.inited = true;
	spin_lock_init(&bench->set.child.mddev.lock);
	conf->store->super.gear = 1;
	conf->store->super.set[1].recovering = BIT(0);
	conf->store->super.set[1].recovered = 100;
	return bench;
}

static void report_more(struct par_conf *conf, u32 failed)
{
	spin_lock(&conf->set[1]->child.mddev.lock);
	conf->store->super.set[1].recovered += 100;
	spin_unlock(&conf->set[1]->child.mddev.lock);
}

static void snapshot_is_one(struct kunit *test)
{
	struct bench *bench = make_bench(test);
	struct par_disk_super *raw;
	unsigned int d;

	kunit_activate_static_stub(test, par_leave_log, report_more);
	mutex_lock(&bench->store.mutex);
	/* The flush that must precede the progress finds no member. */
	KUNIT_EXPECT_EQ(test, par_pack_and_flush(&bench->conf, BIT(MEMBERS) - 1, &bench->told),
			-EIO);
	mutex_unlock(&bench->store.mutex);
	KUNIT_EXPECT_EQ(test, bench->store.super.set[1].recovered, 200);
	KUNIT_EXPECT_EQ(test, bench->told.recovered[1], 100);
	for (d = 0; d < MEMBERS; d++) {
		raw = page_address(bench->store.super_page[d]);
		KUNIT_EXPECT_EQ(test, le64_to_cpu(raw->set[0].recovered), 100);
	}
}

static void flush_recorded(struct par_conf *conf, struct bio *bio)
{
	struct bench *bench = container_of(conf, struct bench, conf);

	bench->ended++;
	bench->failed += bio->bi_status == BLK_STS_IOERR;
}

/* Nothing is to be recorded in an array that has become read-only. */
static void flush_keeps_error(struct kunit *test)
{
	struct bio *good = kunit_kzalloc(test, sizeof(*good), GFP_KERNEL);
	struct bio *bad = kunit_kzalloc(test, sizeof(*bad), GFP_KERNEL);
	struct bench *bench = make_bench(test);

	KUNIT_ASSERT_NOT_NULL(test, good);
	KUNIT_ASSERT_NOT_NULL(test, bad);
	bench->mddev.ro = MD_RDONLY;
	bench->conf.up.recorded = flush_recorded;
	bio_init(good, NULL, NULL, 0, REQ_OP_WRITE);
	bio_init(bad, NULL, NULL, 0, REQ_OP_WRITE);
	bad->bi_status = BLK_STS_IOERR;
	bio_list_add(&bench->store.recording, bad);
	bio_list_add(&bench->store.recording, good);
	mutex_lock(&bench->store.mutex);
	par_take_flushes(&bench->conf);
	mutex_unlock(&bench->store.mutex);
	KUNIT_EXPECT_EQ(test, bench->ended, 2U);
	KUNIT_EXPECT_EQ(test, bench->failed, 1U);
}

static struct kunit_case snapshot_cases[] = {
	KUNIT_CASE(snapshot_is_one),
	KUNIT_CASE(flush_keeps_error),
	{}
};

static struct kunit_suite snapshot_suite = {
	.name = "raid-par-snapshot",
	.test_cases = snapshot_cases,
};

kunit_test_suite(snapshot_suite);
