// SPDX-License-Identifier: GPL-2.0
/*
 * A member that md removes, and a set that takes it in at the same time: whoever is second sees the
 * other.
 */
#include <linux/slab.h>
#include <kunit/test.h>

#include "core/parent.h"
#include "monitor.h"
#include "power/power.h"
#include "meta/store.h"
#include "sync/sync.h"

#define MEMBER	1U

/*
 * struct bench - an array with one set. @adds: how often raid5 was to take a member in, and @err:
 * what it returned; @looks: how often md asked the set whether it holds one
 */
struct bench {
	struct kunit *test;
	struct mddev mddev;
	struct par_conf conf;
	struct par_shift shift;
	struct par_store store;
	struct par_monitor monitor;
	struct par_power power;
	struct par_set set;
	struct par_set_ops ops;
	struct par_set_geometry sg;
	struct md_personality raid5;
	struct md_rdev rdev;
	unsigned int adds, looks;
	int err;
};

/* raid5 takes the member in, and at this very moment md looks whether the set holds it. */
static int hot_add(struct mddev *child, struct md_rdev *rdev)
{
	struct bench *bench = container_of(child, struct bench, set.child.mddev);

	KUNIT_EXPECT_TRUE(bench->test, test_bit(MEMBER, &bench->set.child.held));
	bench->adds++;
	return bench->err;
}

/* md looks whether the set holds the member, which raid5 is to take in at this very moment. */
static bool take_in_then(struct par_set *set, unsigned int d)
{
	struct bench *bench = container_of(set, struct bench, set);

	KUNIT_EXPECT_EQ(bench->test, par_child_take_in(set, &set->vm[d].rdev), -EBUSY);
	bench->looks++;
	return true;
}

static void free_bench(void *data)
{
	kvfree(data);
}

static struct bench *make_bench(struct kunit *test)
{
	struct bench *bench = kvzalloc(sizeof(*bench), GFP_KERNEL);
	struct par_conf *conf;

	KUNIT_ASSERT_NOT_NULL(test, bench);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_bench, bench), 0);
	bench->test = test;
	conf = &bench->conf;
	conf->mddev = &bench->mddev;
	conf->shift = &bench->shift;
	conf->geo.gears = 1;
	conf->geo.members = 3;
	conf->set[1] = &bench->set;
	bench->mddev.private = conf;
	mutex_init(&bench->mddev.reconfig_mutex);
	bench->ops.holds = take_in_then;
	bench->raid5.hot_add_disk = hot_add;
	bench->sg.members = 3;
	bench->set.conf = conf;
	bench->set.sg = &bench->sg;
	bench->set.ops = &bench->ops;
	bench->set.child.raid5 = &bench->raid5;
	bench->set.vm[MEMBER].index = MEMBER;
	bench->rdev.raid_disk = MEMBER;
	conf->member[MEMBER].rdev = &bench->rdev;
	return bench;
}

/* The set holds the member before raid5 takes it in, and does not if raid5 refuses it. */
static void taken_in_is_held(struct kunit *test)
{
	struct bench *bench = make_bench(test);
	struct md_rdev *rdev = &bench->set.vm[MEMBER].rdev;

	KUNIT_EXPECT_EQ(test, par_child_take_in(&bench->set, rdev), 0);
	KUNIT_EXPECT_TRUE(test, test_bit(MEMBER, &bench->set.child.held));
	bench->err = -ENOSPC;
	KUNIT_EXPECT_EQ(test, par_child_take_in(&bench->set, rdev), -ENOSPC);
	KUNIT_EXPECT_FALSE(test, test_bit(MEMBER, &bench->set.child.held));
	/* md may have found it held: it looks again. */
	KUNIT_EXPECT_TRUE(test, test_bit(MD_RECOVERY_NEEDED, &bench->mddev.recovery));
	KUNIT_EXPECT_EQ(test, bench->adds, 2);
}

/* No set takes in a member that is being removed, and one that was not removed can be taken in. */
static void removed_is_not_taken_in(struct kunit *test)
{
	struct bench *bench = make_bench(test);

	mutex_lock(&bench->mddev.reconfig_mutex);
	KUNIT_EXPECT_EQ(test, par_hot_remove(&bench->mddev, &bench->rdev), -EBUSY);
	mutex_unlock(&bench->mddev.reconfig_mutex);
	KUNIT_EXPECT_EQ(test, bench->looks, 1);
	KUNIT_EXPECT_EQ(test, bench->adds, 0);
	KUNIT_EXPECT_FALSE(test, test_bit(MEMBER, &bench->set.child.held));
	KUNIT_EXPECT_EQ(test, par_child_take_in(&bench->set, &bench->set.vm[MEMBER].rdev), 0);
}

static bool holds_none(struct par_set *set, unsigned int d)
{
	return false;
}

/*
 * A disk that has been added waits for its rebuild. md tries to remove it, and a flush is under way
 * on it: it stays, and still gets all blocks and superblocks.
 */
static void given_up_still_joins(struct kunit *test)
{
	struct bench *bench = make_bench(test);
	struct par_conf *conf = &bench->conf;

	conf->store = &bench->store;
	conf->monitor = &bench->monitor;
	conf->member[MEMBER].power = &bench->power;
	bench->ops.holds = holds_none;
	bench->store.conf = conf;
	mutex_init(&bench->store.mutex);
	mutex_init(&bench->monitor.lock);
	mutex_init(&conf->gear_mutex);
	conf->geo.set[1].members = 2;
	bench->store.joining = BIT(MEMBER);
	bench->store.current_members = BIT(MEMBER);
	atomic_set(&bench->rdev.nr_pending, 1);
	mutex_lock(&bench->mddev.reconfig_mutex);
	KUNIT_EXPECT_EQ(test, par_hot_remove(&bench->mddev, &bench->rdev), -EBUSY);
	mutex_unlock(&bench->mddev.reconfig_mutex);
	KUNIT_EXPECT_PTR_EQ(test, conf->member[MEMBER].rdev, &bench->rdev);
	KUNIT_EXPECT_EQ(test, bench->store.joining, BIT(MEMBER));
	KUNIT_EXPECT_EQ(test, bench->store.current_members, BIT(MEMBER));
}

static struct kunit_case change_cases[] = {
	KUNIT_CASE(taken_in_is_held),
	KUNIT_CASE(removed_is_not_taken_in),
	KUNIT_CASE(given_up_still_joins),
	{}
};

static struct kunit_suite change_suite = {
	.name = "raid-par-change",
	.test_cases = change_cases,
};

kunit_test_suite(change_suite);
