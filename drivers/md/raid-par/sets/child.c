// SPDX-License-Identifier: GPL-2.0
/*
 * Children: sets that are md's raid5 over virtual members. See set.h, struct par_set_ops.
 *
 * A child is an embedded struct mddev, driven the way dm-raid drives one. It is never
 * "clean" in md's sense (in_sync stays 0), so writes to it never make it write its
 * superblock; the zones' intents record what has to be resynced after a crash. When a child
 * does write its superblock, after a failure of a member for example, it writes beyond the
 * end of the virtual members, and there par_store_child() stores our superblock, to which
 * child_sync_super() has copied the child's state.
 */
#include <linux/slab.h>
#include <kunit/visibility.h>

#include "core/parent.h"
#include "sets/sets.h"
#include "raid5.h"

#define PAR_STRIPES_MIN		256	/* md's own default */
#define PAR_STRIPES_MAX		4096
#define PAR_STRIPE_ROWS		16	/* of chunks, if there is the memory */
#define PAR_STRIPES_LEAST	17	/* the minimum of raid5_set_cache_size() */
#define PAR_STRIPE_MEMORY	(192UL << 20)	/* the maximum for the stripes of all sets */

static struct lock_class_key par_child_lock[2], par_child_suspend[2],
			     par_child_open[2], par_child_sync[2];

static struct par_set *child_set(struct mddev *child)
{
	return container_of(child, struct par_set, child.mddev);
}

/* Copy the child's view of its members to our superblock: see take_snapshot() in super.c. */
static void child_sync_super(struct mddev *child, struct md_rdev *unused)
{
	struct par_set *set = child_set(child);
	struct par_set_record *rec = &set->conf->store->super.set[set->number];
	u32 present = 0, recovering = 0;
	u64 recovered = MaxSector;
	struct md_rdev *rdev;

	lockdep_assert_held(&child->lock);
	rdev_for_each(rdev, child) {
		/* Cleared before the list is read: a later change has it stored again. */
		WRITE_ONCE(rdev->badblocks.changed, 0);
		if (rdev->raid_disk < 0 || test_bit(Faulty, &rdev->flags))
			continue;
		present |= BIT(rdev->raid_disk);
		if (!test_bit(In_sync, &rdev->flags)) {
			recovering |= BIT(rdev->raid_disk);
			recovered = min_t(u64, recovered, rdev->recovery_offset);
		}
	}
	rec->failed = (BIT(set->sg->members) - 1) & ~present;
	rec->recovering = recovering;
	rec->recovered = recovered;
	if (set->running)	/* before that, the superblock has not been passed to the child */
		rec->resync = par_resync_offset(child);
	rec->events = child->events;
}

/* A child has failed a member: report it to the parent and the other sets. */
static void child_event(struct work_struct *work)
{
	struct par_set *set = child_set(container_of(work, struct mddev,
						     event_work));
	unsigned int d;

	for (d = 0; d < set->sg->members; d++)
		/* An unlisted virtual member still has the flags of the disk that was removed. */
		if (set->vm[d].listed && test_bit(Faulty, &set->vm[d].rdev.flags))
			par_member_failed(set->conf, d);
}

/* The member that raid5 knows as @rdev. */
static unsigned int index_of(struct md_rdev *rdev)
{
	return container_of(rdev, struct par_vmember, rdev)->index;
}

/*
 * Before raid5 begins to work without a member, code that changes a row must know that the
 * images of its segments are not updated: see drop_images(). The member may be in the
 * course of being added: see child_hot_add().
 */
static void child_error(struct mddev *child, struct md_rdev *rdev)
{
	struct par_set *set = child_set(child);
	unsigned int d = index_of(rdev);

	set_bit(d, &set->child.absent);
	smp_mb__after_atomic();	/* before the member is seen as Faulty */
	/*
	 * A frozen child never detaches a failed member. raid5 may find the error
	 * itself, before child_fail() is called.
	 */
	if (rdev->raid_disk >= 0)
		clear_bit(MD_RECOVERY_FROZEN, &child->recovery);
	set->child.raid5->error_handler(child, rdev);
	set_bit(d, &set->child.absent);
}

/* From now on writes to a sleeper's home copy are counted: see propagate.c. */
static void begin_restoring(struct par_set *set, unsigned int d)
{
	if (par_is_sleeper(&set->conf->geo, d) && !set->child.restoring) {
		set->child.restoring = true;
		atomic_inc(&set->tracking);
	}
}

/*
 * Let raid5 have the member, unless the parent is adding or removing it: what no set holds is
 * removed.
 */
VISIBLE_IF_KUNIT int par_child_take_in(struct par_set *set, struct md_rdev *rdev)
{
	unsigned int d = index_of(rdev);
	int err = -EBUSY;

	set_bit(d, &set->child.held);
	smp_mb__after_atomic();	/* begin_change() does this in the opposite order */
	if (!READ_ONCE(set->conf->member[d].changing))
		err = set->child.raid5->hot_add_disk(&set->child.mddev, rdev);
	if (err) {
		clear_bit(d, &set->child.held);
		par_remove_again(set->conf);
	}
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(par_child_take_in);

/*
 * raid5 adds a member, to be rebuilt. md has suspended the child: no request that was begun
 * without the member is under way. If the set is not being written, md would assume that
 * the member needs no rebuild.
 */
static int child_hot_add(struct mddev *child, struct md_rdev *rdev)
{
	struct par_set *set = child_set(child);
	int err;

	if (!md_is_rdwr(child))
		return -EROFS;
	err = par_child_take_in(set, rdev);
	if (!err) {
		begin_restoring(set, rdev->raid_disk);
		par_note_back(set, rdev->raid_disk);
		clear_bit(rdev->raid_disk, &set->child.absent);
		smp_mb__after_atomic();	/* child_error() does this in the opposite order */
		if (test_bit(Faulty, &rdev->flags))
			set_bit(rdev->raid_disk, &set->child.absent);
	}
	return err;
}

/*
 * The parent may remove the member once all sets have detached it. md clears the member's
 * place only after this function, and without a notification: par_remove_again(), which
 * runs at once, must not take the member for one of the set any more.
 */
static int child_hot_remove(struct mddev *child, struct md_rdev *rdev)
{
	struct par_set *set = child_set(child);
	int err = set->child.raid5->hot_remove_disk(child, rdev);

	if (err)
		return err;
	clear_bit(index_of(rdev), &set->child.held);
	par_remove_again(set->conf);
	return 0;
}

/* Replace some of raid5's methods; the others stay as they are. */
static void child_take_over(struct par_set *set)
{
	set->child.raid5 = set->child.mddev.pers;
	set->child.pers = *set->child.raid5;
	set->child.pers.error_handler = child_error;
	set->child.pers.hot_add_disk = child_hot_add;
	set->child.pers.hot_remove_disk = child_hot_remove;
	set->child.pers.sync_request = set->conf->up.sync_request;
	set->child.mddev.pers = &set->child.pers;
}

static void child_classes(struct mddev *child, unsigned int home)
{
	lockdep_set_class(&child->reconfig_mutex, &par_child_lock[home]);
	lockdep_set_class(&child->suspend_mutex, &par_child_suspend[home]);
	lockdep_set_class(&child->open_mutex, &par_child_open[home]);
	/* The sync work takes the child's mutex, and is waited for under the parent's mutex. */
	lockdep_init_map(&child->sync_work.lockdep_map, "par_child_sync",
			 &par_child_sync[home], 0);
}

static int child_init_rdev(struct par_set *set, unsigned int d)
{
	struct md_rdev *rdev = &set->vm[d].rdev;
	int err = md_rdev_init(rdev);

	if (err)
		return err;
	rdev->bdev = set->vm[d].disk->part0;
	rdev->mddev = &set->child.mddev;
	rdev->sectors = set->sg->sectors;
	rdev->sb_start = set->sg->sectors;
	rdev->sb_size = PAR_BLOCK_BYTES;
	rdev->sb_loaded = 1;
	rdev->raid_disk = -1;
	rdev->saved_raid_disk = -1;
	/* raid5 does not fail a member for blocks that it cannot read: see lost.c. */
	rdev->badblocks.shift = 0;
	rdev->sb_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return rdev->sb_page ? 0 : -ENOMEM;
}

/* Before the child runs: set up a member as the superblock describes it. */
static int child_load_member(struct par_set *set, unsigned int d)
{
	struct par_conf *conf = set->conf;
	struct par_set_record *rec = &conf->store->super.set[set->number];
	struct md_rdev *rdev = &set->vm[d].rdev;
	int err = child_init_rdev(set, d);

	if (err)
		return err;
	set->vm[d].listed = par_rdev_usable(conf->member[d].rdev);
	if (!set->vm[d].listed) {
		set_bit(d, &set->child.absent);
		return 0;
	}
	if (rec->failed & BIT(d)) {
		/* The member has been added, but this set has not begun to rebuild it. */
		rdev->saved_raid_disk = d;
		set_bit(d, &set->child.absent);
	} else {
		rdev->raid_disk = d;
		set_bit(d, &set->child.held);
		rdev->recovery_offset = MaxSector;
		if (rec->recovering & BIT(d)) {
			rdev->recovery_offset = rec->recovered;
			begin_restoring(set, d);
		} else {
			set_bit(In_sync, &rdev->flags);
		}
	}
	list_add_tail(&rdev->same_set, &set->child.mddev.disks);
	return 0;
}

/*
 * A write waits when no stripe is free. raid5 then begins with the stripes that it has been given,
 * and a row in the middle of which this happens is torn: it is read for, and written in many small
 * requests. So the cache has room for many rows, of a block of 4 KiB for each stripe. raid5 packs a
 * stripe's blocks into as few pages as possible.
 */
static int stripe_count(const struct par_set *set)
{
	unsigned int members = set->sg->members;
	unsigned long each = round_up(members * DEFAULT_STRIPE_SIZE, PAGE_SIZE) +
			     members * 512;
	unsigned long most = min(PAR_STRIPE_MEMORY, totalram_pages() * PAGE_SIZE / 16) /
			     set->conf->geo.gears;
	unsigned long rows = PAR_STRIPE_ROWS * set->conf->geo.chunk_sectors / 8;

	return clamp(min(most / each, rows), PAR_STRIPES_MIN, PAR_STRIPES_MAX);
}

void par_child_cache_empty(struct par_set *set)
{
	might_sleep();
	/*
	 * A request that waits for another one of its stripe has released the stripe, and
	 * accesses it again later: there must be no such request.
	 */
	mddev_suspend_and_lock_nointr(&set->child.mddev);
	raid5_set_cache_size(&set->child.mddev, PAR_STRIPES_LEAST);
	mddev_unlock_and_resume(&set->child.mddev);
}

void par_child_cache_fill(struct par_set *set)
{
	might_sleep();
	mddev_lock_nointr(&set->child.mddev);
	raid5_set_cache_size(&set->child.mddev, stripe_count(set));
	mddev_unlock(&set->child.mddev);
}

static void child_setup(struct par_set *set)
{
	struct par_conf *conf = set->conf;
	struct mddev *child = &set->child.mddev;

	child->raid_disks = set->sg->members;
	child->level = conf->geo.child_level;
	child->new_level = child->level;
	child->layout = ALGORITHM_LEFT_SYMMETRIC;
	child->new_layout = child->layout;
	child->chunk_sectors = conf->geo.chunk_sectors;
	child->new_chunk_sectors = child->chunk_sectors;
	child->dev_sectors = set->sg->sectors;
	par_resync_offset(child) = MaxSector;
	child->events = conf->store->super.set[set->number].events;
	memcpy(child->uuid, conf->store->super.uuid, sizeof(child->uuid));
	child->ctime = conf->store->super.ctime;
	child->persistent = 1;
	child->major_version = 1;
	child->minor_version = 2;
	child->sync_super = child_sync_super;
	child->max_disks = PAR_MAX_MEMBERS;
	/*
	 * The parent's other sets are on the same disks on purpose: do not serialize their
	 * syncs.
	 */
	child->parallel_resync = 1;
	par_child_counts_on(child, conf->mddev->gendisk);
	INIT_WORK(&child->event_work, child_event);
}

static int child_create(struct par_set *set)
{
	struct mddev *child = &set->child.mddev;
	unsigned int d;
	int err = mddev_init(child);

	if (err)
		return err;
	set->child.inited = true;
	child_classes(child, set == par_home(set->conf));
	child_setup(set);
	for (d = 0; d < set->sg->members; d++) {
		err = child_load_member(set, d);
		if (err)
			return err;
	}

	mddev_lock_nointr(child);
	set_bit(MD_RECOVERY_FROZEN, &child->recovery);
	child->in_sync = 0;
	err = md_run(child);
	if (!err) {
		/* raid5 would refuse a set that par_doubt_check() has accepted. */
		par_resync_offset(child) = set->conf->store->super.set[set->number].resync;
		par_note_begin(set, par_resync_offset(child) != MaxSector);
		set->running = true;
		child_take_over(set);
		child->ro = set->conf->writable ? MD_RDWR : MD_AUTO_READ;
		child->in_sync = 0;
		child->safemode_delay = 0;
		raid5_set_cache_size(child, stripe_count(set));
		err = md_start(child);
	}
	mddev_unlock(child);
	return err;
}

static void child_destroy(struct par_set *set)
{
	unsigned int d;

	if (!set->child.inited)
		return;
	if (set->running) {
		mddev_lock_nointr(&set->child.mddev);
		md_frozen_sync_thread(&set->child.mddev);
		mddev_unlock(&set->child.mddev);
		mddev_lock_nointr(&set->child.mddev);
		/*
		 * md's sync work continues for a moment after it has reported that it is
		 * done. In a read-only child md_check_recovery() queues it even if the
		 * child is frozen, but only with the lock held.
		 */
		while (work_busy(&set->child.mddev.sync_work)) {
			mddev_unlock(&set->child.mddev);
			flush_work(&set->child.mddev.sync_work);
			mddev_lock_nointr(&set->child.mddev);
		}
		md_stop(&set->child.mddev);
		mddev_unlock(&set->child.mddev);
		flush_work(&set->child.mddev.event_work);
	}
	for (d = 0; d < set->sg->members; d++)
		md_rdev_clear(&set->vm[d].rdev);
	mddev_destroy(&set->child.mddev);
}

/*
 * raid5 declines requests only while it is being reshaped, so never here. It would write beyond
 * its bitmap for a request that has too many stripes; discards have none there.
 */
static void child_submit(struct par_set *set, struct bio *bio)
{
	u32 in_stripe = bio->bi_iter.bi_sector % (PAR_BLOCK_BYTES >> SECTOR_SHIFT);

	if (WARN_ON_ONCE(in_stripe + bio_sectors(bio) > PAR_MAX_BIO &&
			 bio_op(bio) != REQ_OP_DISCARD) ||
	    !md_handle_request(&set->child.mddev, bio))
		bio_io_error(bio);
}

static void child_quiesce(struct par_set *set, bool on)
{
	set->child.mddev.pers->quiesce(&set->child.mddev, on);
}

static bool is_calm(struct r5conf *raid5)
{
	return !atomic_read(&raid5->active_stripes) && !atomic_read(&raid5->active_aligned_reads);
}

/*
 * The first half of raid5_quiesce(), which cannot be given up. A request that has seen the old
 * value under one of the locks is counted when the lock has been taken here; a read past the
 * stripes that has waited for raid5 to go on is counted under device_lock.
 */
static void close_stripes(struct r5conf *raid5)
{
	unsigned int i;

	/* As raid5_quiesce() does: pairs with the one in raid5_read_one_chunk(). */
	smp_store_release(&raid5->quiesce, 2);
	for (i = 0; i < NR_STRIPE_HASH_LOCKS; i++) {
		spin_lock_irq(raid5->hash_locks + i);
		spin_unlock_irq(raid5->hash_locks + i);
	}
	spin_lock_irq(&raid5->device_lock);
	spin_unlock_irq(&raid5->device_lock);
}

static bool child_calm(struct par_set *set)
{
	struct r5conf *raid5 = set->child.mddev.private;
	bool calm;

	close_stripes(raid5);
	while (!is_calm(raid5) && !par_any_missed(&set->conf->wish))
		wait_event_timeout(raid5->wait_for_quiescent, is_calm(raid5), PAR_CALM_LOOK);
	calm = is_calm(raid5);
	/* Nothing has begun since: if it is calm, this does not wait. */
	child_quiesce(set, calm);
	return calm;
}

/*
 * Also fail a member that raid5 has not added yet: if raid5 is about to add it, it would
 * rebuild a member that the parent has failed, and never detach it.
 */
static void child_fail(struct par_set *set, unsigned int d)
{
	struct md_rdev *rdev = &set->vm[d].rdev;

	if (!set->running || !set->vm[d].listed ||
	    test_bit(Faulty, &rdev->flags))
		return;
	md_error(&set->child.mddev, rdev);
	/*
	 * Writers wait until raid5's thread has stored the failure. md_error() does not
	 * wake this thread if too many members have failed now; when raid5 finds an error
	 * itself, the failed request wakes it.
	 */
	md_wakeup_thread(set->child.mddev.thread);
}

static bool child_failed(struct par_set *set)
{
	return test_bit(MD_BROKEN, &set->child.mddev.flags) ||
	       set->child.mddev.degraded > set->conf->geo.parities;
}

static bool child_holds(struct par_set *set, unsigned int d)
{
	return set->vm[d].listed && (test_bit(d, &set->child.held) ||
				     atomic_read(&set->vm[d].rdev.nr_pending));
}

static void child_remove(struct par_set *set, unsigned int d)
{
	struct par_vmember *vm = &set->vm[d];

	might_sleep();
	if (!vm->listed)
		return;
	mddev_lock_nointr(&set->child.mddev);
	list_del_rcu(&vm->rdev.same_set);
	mddev_unlock(&set->child.mddev);
	/* The store examines the bad blocks of listed members. */
	mutex_lock(&set->conf->store->mutex);
	vm->listed = false;
	mutex_unlock(&set->conf->store->mutex);
	synchronize_rcu();
	md_rdev_clear(&vm->rdev);
}

static int child_add(struct par_set *set, unsigned int d)
{
	struct par_vmember *vm = &set->vm[d];
	int err;

	might_sleep();
	/* The rebuild begins when the follower reaches this set: see sync.c. */
	set_bit(MD_RECOVERY_FROZEN, &set->child.mddev.recovery);
	child_remove(set, d);
	md_rdev_clear(&vm->rdev);
	memset(&vm->rdev, 0, sizeof(vm->rdev));
	err = child_init_rdev(set, d);
	if (err)
		return err;
	/* raid5 puts the member in its old place, even if other places are empty too. */
	vm->rdev.saved_raid_disk = d;
	mddev_lock_nointr(&set->child.mddev);
	list_add_tail_rcu(&vm->rdev.same_set, &set->child.mddev.disks);
	vm->listed = true;
	mddev_unlock(&set->child.mddev);
	return 0;
}

static bool child_whole(struct par_set *set, unsigned int d)
{
	if (!set->child.mddev.degraded && set->child.restoring) {
		set->child.restoring = false;
		atomic_dec(&set->tracking);
	}
	return set->vm[d].listed && set->vm[d].rdev.raid_disk == (int)d &&
	       test_bit(In_sync, &set->vm[d].rdev.flags);
}

const struct par_set_ops par_child_ops = {
	.create = child_create,
	.destroy = child_destroy,
	.submit = child_submit,
	.quiesce = child_quiesce,
	.calm = child_calm,
	.fail = child_fail,
	.failed = child_failed,
	.holds = child_holds,
	.remove = child_remove,
	.add = child_add,
	.whole = child_whole,
};

bool par_child_busy(struct mddev *child)
{
	return child->recovery & (BIT(MD_RECOVERY_RUNNING) |
				  BIT(MD_RECOVERY_NEEDED) | BIT(MD_RECOVERY_DONE));
}

void par_child_go(struct mddev *child)
{
	clear_bit(MD_RECOVERY_FROZEN, &child->recovery);
	set_bit(MD_RECOVERY_NEEDED, &child->recovery);
	md_wakeup_thread(child->thread);
}

/* Does the set run, and can it be synced? */
bool par_can_sync(const struct par_set *set)
{
	return set->running && set->conf->geo.parities;
}

/* Must the array not be written now? The follower or par_thread() retries. */
bool par_must_pause(struct par_conf *conf)
{
	return !md_is_rdwr(conf->mddev) ||
	       test_bit(MD_RECOVERY_FROZEN, &conf->mddev->recovery);
}
