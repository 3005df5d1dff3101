// SPDX-License-Identifier: GPL-2.0
/*
 * Members that are removed and added, and the parent's sync, which follows the children's.
 *
 * The children do the work of a rebuild, a resync or a check: each has md's own sync thread
 * over its region. The parent's sync walks a member's data area from start to end; for
 * every set's region it lets that child run, follows its progress and adds its mismatches
 * up. So mdstat, sync_action, mdadm --wait and --monitor work, and the sets are synced one
 * after another.
 *
 * A rebuild needs all members. A check or a repair wakes no member unless it is told to
 * (scrub_wakes), or a set has not been read completely for too long (scrub.c): it leaves
 * out the sets that have members asleep, and reports this.
 */
#include <linux/kthread.h>
#include <kunit/visibility.h>

#include "core/parent.h"
#include "log/log.h"
#include "meta/load.h"
#include "sync/sync.h"
#include "monitor.h"

#define PAR_FOLLOW	(HZ / 20)	/* interval of looking at a child */

/* ---- removing ---- */

/* Has every set detached the member? */
static bool member_released(struct par_conf *conf, unsigned int d)
{
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++)
		if (d < conf->set[i]->sg->members &&
		    conf->set[i]->ops->holds(conf->set[i], d))
			return false;
	return true;
}

/* The monitor looks at members at any time. */
static void take_away(struct par_conf *conf, unsigned int d)
{
	mutex_lock(&conf->monitor->lock);
	WRITE_ONCE(conf->member[d].rdev, NULL);
	mutex_unlock(&conf->monitor->lock);
}

/* No set takes the member in until end_change(): one that has begun to, holds it already. */
static void begin_change(struct par_conf *conf, unsigned int d)
{
	WRITE_ONCE(conf->member[d].changing, true);
	smp_mb();	/* par_child_take_in() does this in the opposite order */
}

static void end_change(struct par_conf *conf, unsigned int d)
{
	WRITE_ONCE(conf->member[d].changing, false);
}

/* par_remove_again() is called when the reason for -EBUSY has gone. */
static int remove_member(struct par_conf *conf, struct md_rdev *rdev, unsigned int d)
{
	unsigned int i;
	u32 current_members;

	if (test_bit(In_sync, &rdev->flags) ||
	    READ_ONCE(conf->shift->state) != PAR_SHIFT_IDLE || !member_released(conf, d) ||
	    par_power_working(conf, d) || !mutex_trylock(&conf->gear_mutex))
		return -EBUSY;
	mutex_lock(&conf->store->mutex);
	take_away(conf, d);
	current_members = conf->store->current_members;
	par_store_drop(conf, d);
	mutex_unlock(&conf->store->mutex);
	mutex_unlock(&conf->gear_mutex);
	/* A reader that saw the rdev before has taken its reference by now. */
	synchronize_rcu();
	if (atomic_read(&rdev->nr_pending)) {
		/* It is still present, and lacks what has been stored meanwhile. */
		mutex_lock(&conf->store->mutex);
		WRITE_ONCE(conf->member[d].rdev, rdev);
		par_store_join(conf, d, false);
		conf->store->current_members |= current_members & BIT(d);
		mutex_unlock(&conf->store->mutex);
		return -EBUSY;
	}
	for (i = 1; i <= conf->geo.gears; i++)
		if (d < conf->set[i]->sg->members)
			conf->set[i]->ops->remove(conf->set[i], d);
	par_power_leave(conf, d);
	return 0;
}

int par_hot_remove(struct mddev *mddev, struct md_rdev *rdev)
{
	struct par_conf *conf = mddev->private;
	unsigned int d = rdev->raid_disk;
	int err;

	lockdep_assert_held(&mddev->reconfig_mutex);
	if (rdev->raid_disk < 0 || d >= conf->geo.members ||
	    conf->member[d].rdev != rdev)
		return 0;
	begin_change(conf, d);
	err = remove_member(conf, rdev, d);
	end_change(conf, d);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(par_hot_remove);

/* ---- adding ---- */

/*
 * A disk that is too small for a member that never sleeps can take a sleeper's place. If it is
 * too small for all empty places, the first of them is returned, for the message.
 */
static int empty_place(struct par_conf *conf, struct md_rdev *rdev)
{
	int d, first = -EEXIST;

	if (rdev->saved_raid_disk >= 0 &&
	    rdev->saved_raid_disk < (int)conf->geo.members &&
	    !conf->member[rdev->saved_raid_disk].rdev)
		return rdev->saved_raid_disk;
	for (d = 0; d < (int)conf->geo.members; d++) {
		if (conf->member[d].rdev)
			continue;
		if (par_fits(conf, rdev, d))
			return d;
		if (first < 0)
			first = d;
	}
	return first;
}

/*
 * Make it a member that is not whole in any set until that set says otherwise. Returns true
 * if it is the member that left: it then lacks only what has been written since.
 */
static bool member_join(struct par_conf *conf, struct md_rdev *rdev, unsigned int d)
{
	bool rejoins = rdev->saved_raid_disk == (int)d && par_load_left(conf, d);

	mutex_lock(&conf->store->mutex);
	par_store_join(conf, d, rejoins);
	mutex_unlock(&conf->store->mutex);
	pr_info("md/par:%s: member %u (%pg) %s\n", mdname(conf->mddev), d,
		rdev->bdev, rejoins ? "is back and is sent the writes that it has missed" :
		"is new and will be rebuilt");
	return rejoins;
}

/* From now on others find it, and know that it has no part in the log: see par_log_rdev(). */
static void enter_member(struct par_conf *conf, struct md_rdev *rdev, unsigned int d)
{
	mutex_lock(&conf->store->mutex);
	par_store_lacks(conf, d);
	mutex_unlock(&conf->store->mutex);
	/* Pairs with par_log_rdev(). */
	smp_store_release(&conf->member[d].rdev, rdev);
}

/* Add the member to all of its sets, or to none. */
static int enter_sets(struct par_conf *conf, unsigned int d)
{
	unsigned int i;
	int err = 0;

	begin_change(conf, d);
	for (i = 1; !err && i <= conf->geo.gears; i++)
		if (d < conf->set[i]->sg->members)
			err = conf->set[i]->ops->add(conf->set[i], d);
	while (err && --i)
		if (d < conf->set[i]->sg->members)
			conf->set[i]->ops->remove(conf->set[i], d);
	end_change(conf, d);
	return err;
}

int par_hot_add(struct mddev *mddev, struct md_rdev *rdev)
{
	struct par_conf *conf = mddev->private;
	int d = empty_place(conf, rdev), err = 0;
	bool rejoins;

	lockdep_assert_held(&mddev->reconfig_mutex);
	if (d < 0)
		return d;
	/* md calls again when the array may be written. */
	if (!md_is_rdwr(mddev))
		return -EROFS;
	if (!conf->geo.parities || test_bit(MD_BROKEN, &mddev->flags))
		return -EINVAL;
	if (par_too_small(conf, rdev, d))
		return -ENOSPC;
	if (par_too_coarse(conf, rdev))
		return -EINVAL;
	if (conf->gear != conf->geo.gears)
		return -EBUSY;	/* the array is shifting up; md calls again */

	rdev->raid_disk = d;
	rdev->recovery_offset = 0;
	clear_bit(In_sync, &rdev->flags);
	enter_member(conf, rdev, d);
	rejoins = member_join(conf, rdev, d);
	err = par_store_gear(conf, conf->gear, BIT(conf->geo.members) - 1);
	err = err ?: enter_sets(conf, d);
	if (err) {
		/* The member may be current, and a store may be writing to it. */
		mutex_lock(&conf->store->mutex);
		take_away(conf, d);
		par_store_drop(conf, d);
		mutex_unlock(&conf->store->mutex);
		/*
		 * Wait for flushes and zeros. md does not call us before it removes a disk
		 * without a place.
		 */
		synchronize_rcu();
		while (atomic_read(&rdev->nr_pending))
			schedule_timeout_uninterruptible(1);
		rdev->raid_disk = -1;
	} else {
		par_power_join(conf, d, !rejoins);
	}
	return err;
}

/* Has every set rebuilt member @d? */
static bool sets_whole(struct par_conf *conf, unsigned int d)
{
	bool whole = true;
	unsigned int i;

	for (i = 1; whole && i <= conf->geo.gears; i++)
		if (d < conf->set[i]->sg->members)
			whole = conf->set[i]->ops->whole(conf->set[i], d);
	return whole;
}

/* And does md know? */
static bool is_rebuilt(struct par_conf *conf, struct md_rdev *rdev, unsigned int d)
{
	return par_rdev_usable(rdev) && rdev->recovery_offset == MaxSector &&
	       sets_whole(conf, d);
}

/*
 * Members that every set has rebuilt are whole again. What the log has they may lack yet:
 * see await_log().
 */
int par_spare_active(struct mddev *mddev)
{
	struct par_conf *conf = mddev->private;
	unsigned int d, count = 0;

	lockdep_assert_held(&mddev->reconfig_mutex);
	for (d = 0; d < conf->geo.members; d++) {
		struct md_rdev *rdev = conf->member[d].rdev;

		if (is_rebuilt(conf, rdev, d) && !test_and_set_bit(In_sync, &rdev->flags)) {
			sysfs_notify_dirent_safe(rdev->sysfs_state);
			count++;
		}
	}
	par_count_degraded(conf);
	if (count && !mddev->degraded && par_store_whole(conf))
		pr_err("md/par:%s: could not store on any member that the array is whole\n",
		       mdname(mddev));
	if (count)	/* the member may have a part in the log again */
		par_log_drain_now(conf->log);
	if (count)	/* the member was left out of the last propagation */
		par_propagation_due(conf);
	return count;
}

/* ---- following ---- */

/* The set whose region holds @sector of a member, or the set whose region comes next. */
static struct par_set *set_at(struct par_conf *conf, u64 sector)
{
	unsigned int i;

	for (i = conf->geo.gears; i >= 1; i--)
		if (sector < conf->geo.set[i].start + conf->geo.set[i].sectors)
			return conf->set[i];
	return NULL;
}

static bool sync_interrupted(struct mddev *mddev)
{
	return test_bit(MD_RECOVERY_INTR, &mddev->recovery) ||
	       kthread_should_stop();
}

/* The number of sectors of the set's region up to the parent's sync_max. */
static u64 sync_reach(struct par_conf *conf, struct par_set *set)
{
	u64 max = READ_ONCE(conf->mddev->resync_max), start = set->sg->start;

	/* Regions behind the end that md knows are synced with the last one: see sync_rest(). */
	if (max >= conf->geo.dev_sectors)
		max = MaxSector;
	return clamp(max, start, start + set->sg->sectors) - start;
}

/* Limits that are set during a sync take effect at once, as for raid5. */
static void pass_limits(struct par_conf *conf, struct par_set *set)
{
	struct mddev *child = &set->child.mddev;
	sector_t max = MaxSector;

	/* Whole chunks only, as md requires: maybe a little more than was asked for. */
	if (sync_reach(conf, set) < set->sg->sectors)
		max = roundup(sync_reach(conf, set), conf->geo.chunk_sectors);
	WRITE_ONCE(child->sync_speed_min, conf->mddev->sync_speed_min);
	WRITE_ONCE(child->sync_speed_max, conf->mddev->sync_speed_max);
	if (READ_ONCE(child->resync_max) == max)
		return;
	WRITE_ONCE(child->resync_max, max);
	wake_up(&child->recovery_wait);
}

/*
 * Start the parent's action on the child, as a write to sync_action would. An action that
 * was asked for by hand begins @offset sectors behind the start of the region: an action
 * that was interrupted has left another position with the child.
 */
static void begin_child(struct par_conf *conf, struct par_set *set, u64 offset)
{
	unsigned long asked = conf->mddev->recovery;
	struct mddev *child = &set->child.mddev;

	par_fix_forget(set);	/* this one covers all rows */
	/* A rebuild writes home copies without an intent. If this fails, so does its next store. */
	if (!test_bit(MD_RECOVERY_REQUESTED, &asked))
		par_store_begin(conf);
	if (test_bit(MD_RECOVERY_REQUESTED, &asked)) {
		set->scrub.read_through = false;
		par_scrub_from(set, offset);
		child->resync_min = rounddown(offset, conf->geo.chunk_sectors);
		child->curr_resync_completed = child->resync_min;
		set_bit(MD_RECOVERY_REQUESTED, &child->recovery);
		set_bit(MD_RECOVERY_SYNC, &child->recovery);
		if (test_bit(MD_RECOVERY_CHECK, &asked))
			set_bit(MD_RECOVERY_CHECK, &child->recovery);
	}
	pass_limits(conf, set);
	conf->follow->child_found = 0;
	conf->follow->child_done = 0;
	atomic64_set(&child->resync_mismatches, 0);
	child->curr_mark_cnt = 0;
	par_child_go(child);
}

static void stop_child(struct mddev *child)
{
	if (!test_bit(MD_RECOVERY_RUNNING, &child->recovery))
		return;
	set_bit(MD_RECOVERY_INTR, &child->recovery);
	wake_up(&child->recovery_wait);
	md_wakeup_thread(child->sync_thread);
	md_wakeup_thread(child->thread);
}

/* Mismatches that the child has found since the last time count as found by the parent. */
static void add_mismatches(struct par_conf *conf, struct mddev *child)
{
	u64 found = atomic64_read(&child->resync_mismatches);

	atomic64_add(found - conf->follow->child_found, &conf->mddev->resync_mismatches);
	conf->follow->child_found = found;
}

static void finish_child(struct par_conf *conf, struct mddev *child)
{
	add_mismatches(conf, child);
	child->resync_max = MaxSector;
	conf->follow->set = NULL;
}

/*
 * md ends each sync with a last request, wherever it was interrupted. A child that is still
 * followed, and may be waiting at its limit, would otherwise continue unchanged in the next
 * sync.
 */
static void stop_following(struct par_conf *conf)
{
	struct mddev *child;

	if (!conf->follow->set)
		return;
	child = &conf->follow->set->child.mddev;
	stop_child(child);
	child->resync_max = MaxSector;
	conf->follow->set = NULL;
}

static int members_missing(struct par_conf *conf, struct par_set *set)
{
	unsigned int d;
	int count = 0;

	for (d = 0; d < set->sg->members; d++)
		count += !par_member_usable(conf, d);
	return count;
}

/* Called in the parent's sync thread, while md may be removing the member. */
static bool has_failed(struct par_conf *conf, unsigned int d)
{
	struct md_rdev *rdev;
	bool failed;

	rcu_read_lock();
	rdev = READ_ONCE(conf->member[d].rdev);
	failed = rdev && test_bit(Faulty, &rdev->flags) && !test_bit(Blocked, &rdev->flags) &&
		 !atomic_read(&rdev->nr_pending);
	rcu_read_unlock();
	return failed;
}

/* A failed member could be removed if no other member were being rebuilt. */
static bool removal_due(struct par_conf *conf)
{
	unsigned int d;

	if (READ_ONCE(conf->shift->state) != PAR_SHIFT_IDLE)
		return false;
	for (d = 0; d < conf->geo.members; d++)
		if (has_failed(conf, d) && member_released(conf, d))
			return true;
	return false;
}

/*
 * Rows that need no work are passed at the speed of the CPU. The parent skips as many sectors as
 * the child has skipped, or md's speed would count them. Of @sectors that the child has passed,
 * those are returned first that it has worked on, and those that it has skipped by the next call.
 */
static u64 worked_on(struct par_conf *conf, struct mddev *child, u64 sectors, int *skipped)
{
	struct par_follow *follow = conf->follow;
	u64 done = READ_ONCE(child->curr_mark_cnt);
	u64 worked = min(sectors, done - min(done, follow->child_done));

	*skipped = !worked;
	if (!worked)
		return sectors;
	follow->child_done += worked;
	return worked;
}

/*
 * The child's progress beyond @offset of its region: waits until there is some. The
 * region's length when the child has finished, 0 if the parent is interrupted.
 */
static u64 follow_child(struct par_conf *conf, struct par_set *set, u64 offset, int *skipped)
{
	struct mddev *child = &set->child.mddev;
	bool rebuild = test_bit(MD_RECOVERY_RECOVER, &conf->mddev->recovery);

	while (!sync_interrupted(conf->mddev)) {
		u64 done = min3((u64)child->curr_resync_completed,
				set->sg->sectors - 1, sync_reach(conf, set));

		pass_limits(conf, set);
		/* md removes it when it restarts the sync; the child knows where to continue. */
		if (rebuild && removal_due(conf))
			break;
		if (!par_child_busy(child)) {
			/* A child passes rows that need no work at once, even beyond its limit. */
			u64 all = max(sync_reach(conf, set), offset + 1) - offset;
			u64 part = worked_on(conf, child, all, skipped);

			if (part < all)
				return part;
			finish_child(conf, child);
			/*
			 * More members have failed than are missing: the rebuild has been
			 * given up.
			 */
			if (rebuild && child->degraded > members_missing(conf, set))
				return 0;
			return all;
		}
		if (test_bit(MD_RECOVERY_RUNNING, &child->recovery) &&
		    done > offset) {
			add_mismatches(conf, child);
			return worked_on(conf, child, done - offset, skipped);
		}
		schedule_timeout_idle(PAR_FOLLOW);
	}
	stop_following(conf);
	return 0;
}

static bool is_rebuilding(const struct mddev *mddev)
{
	return test_bit(MD_RECOVERY_RUNNING, &mddev->recovery) &&
	       test_bit(MD_RECOVERY_RECOVER, &mddev->recovery);
}

/* Is a member rebuilt, except for its part of the log? md is told after that. */
static bool log_lacks_member(struct par_conf *conf)
{
	u32 absent = READ_ONCE(conf->store->super.log.absent);
	struct md_rdev *rdev;
	bool lacks = false;
	unsigned int d;

	for (d = 0; !lacks && absent >> d; d++) {
		rdev = absent & BIT(d) ? par_member_get(conf, d) : NULL;
		if (!rdev)
			continue;
		lacks = !test_bit(In_sync, &rdev->flags) && sets_whole(conf, d);
		par_member_put(conf, rdev);
	}
	return lacks;
}

/*
 * A rebuild is over when the member has its part of the log again, for which the log has to be
 * empty: records that are in it have one copy less than they need until then.
 */
static void await_log(struct par_conf *conf)
{
	if (!par_has_log(conf) || !is_rebuilding(conf->mddev))
		return;
	while (!sync_interrupted(conf->mddev) && log_lacks_member(conf)) {
		par_log_drain_now(conf->log);
		schedule_timeout_idle(PAR_FOLLOW);
	}
}

/* A scrub does not wait indefinitely for members that do not wake up; a rebuild does. */
static bool waking_given_up(struct par_conf *conf)
{
	return READ_ONCE(conf->wish.target) != conf->geo.gears &&
	       par_scrubbing(conf->mddev);
}

/* md writes its superblock during a sync, to every member: wake them first. */
static bool all_awake(struct par_conf *conf)
{
	par_shift_at_least(conf, conf->geo.gears, "sync");
	while (READ_ONCE(conf->gear) != conf->geo.gears &&
	       !sync_interrupted(conf->mddev)) {
		if (waking_given_up(conf))
			return false;
		par_shift_wake(conf, "sync");
		wait_event_idle_timeout(conf->wish.wait,
					READ_ONCE(conf->gear) == conf->geo.gears ||
					sync_interrupted(conf->mddev), PAR_FOLLOW);
	}
	return !sync_interrupted(conf->mddev);
}

/*
 * Wait while the child runs a resync of its own, which must not become our check. If it
 * rebuilds as the parent does, it has continued by itself when it lost one more member.
 */
static bool await_idle(struct par_conf *conf, struct mddev *child)
{
	while (par_child_busy(child) && !sync_interrupted(conf->mddev) &&
	       !(is_rebuilding(conf->mddev) && is_rebuilding(child)))
		schedule_timeout_idle(PAR_FOLLOW);
	return !sync_interrupted(conf->mddev);
}

/* Must all members be awake for the set's part of the sync? */
static bool needs_all(struct par_conf *conf, struct par_set *set)
{
	if (!par_scrubbing(conf->mddev) || READ_ONCE(conf->store->super.scrub.wakes))
		return true;
	if (set->number <= READ_ONCE(conf->gear) || !par_scrub_overdue(conf, set))
		return false;
	par_scrub_wakes_for(conf, set);
	return true;
}

/* Sleepers that do not wake up must not prevent a check of the members that are awake. */
static bool may_do_without(struct par_conf *conf)
{
	return !sync_interrupted(conf->mddev) && par_scrubbing(conf->mddev) &&
	       !READ_ONCE(conf->store->super.scrub.wakes);
}

/* A check or repair does not read the set. */
static bool left_asleep(struct par_conf *conf, struct par_set *set)
{
	return set->number > READ_ONCE(conf->gear) &&
	       !READ_ONCE(conf->store->super.scrub.wakes) && !par_scrub_overdue(conf, set);
}

/* Some members of the set are asleep and are to stay asleep. */
static bool left_out(struct par_conf *conf, struct par_set *set)
{
	if (!par_scrubbing(conf->mddev) || set->number <= READ_ONCE(conf->gear))
		return false;
	pr_info("md/par:%s: the set of %u members is left out of the %s: not all of them are awake\n",
		mdname(conf->mddev), set->sg->members,
		test_bit(MD_RECOVERY_CHECK, &conf->mddev->recovery) ?
		"check" : "repair");
	conf->follow->left_out |= BIT(set->number);
	return true;
}

/*
 * Do a part of the sync, from sector @sector of a member on, or pass what needs no work. Returns
 * the number of sectors that are done then, 0 if the parent is interrupted.
 */
static u64 sync_part(struct par_conf *conf, struct par_set *set, u64 sector, int *skipped)
{
	u64 sectors;

	if (needs_all(conf, set) && !all_awake(conf) && !may_do_without(conf))
		return 0;
	if (sector < set->sg->start)
		return set->sg->start - sector;
	if (conf->follow->set != set && left_out(conf, set))
		return set->sg->start + set->sg->sectors - sector;
	if (conf->follow->set != set) {
		if (par_store_renew(conf) || !await_idle(conf, &set->child.mddev))
			return 0;
		conf->follow->set = set;
		begin_child(conf, set, sector - set->sg->start);
	}
	sectors = follow_child(conf, set, sector - set->sg->start, skipped);
	if (sectors && par_scrubbing(conf->mddev))
		par_scrub_to(set, sector - set->sg->start + sectors);
	return sectors;
}

/*
 * For md all members have the size of those that sleep. Regions of members that never sleep can
 * lie behind this end: they are synced as a part of md's last request. Returns false if the parent
 * is interrupted.
 */
static bool sync_rest(struct par_conf *conf, u64 sector)
{
	struct par_set *set;
	int skipped;
	u64 sectors;

	for (set = set_at(conf, sector); set; set = set_at(conf, sector)) {
		sectors = sync_part(conf, set, sector, &skipped);
		if (!sectors)
			return false;
		sector += sectors;
	}
	return true;
}

u64 par_sync_left(struct par_conf *conf)
{
	u64 at = READ_ONCE(conf->mddev->curr_resync), left = 0;
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++) {
		struct par_set *set = conf->set[i];
		u64 written = (u64)atomic64_read(&set->rows_written) << conf->geo.seg_shift;

		if (at >= set->sg->start + set->sg->sectors ||
		    (par_scrubbing(conf->mddev) && left_asleep(conf, set)))
			continue;
		if (READ_ONCE(conf->follow->set) == set)
			written -= min(written, (u64)READ_ONCE(set->child.mddev.curr_mark_cnt));
		left += min(written, set->sg->start + set->sg->sectors - max(at, set->sg->start));
	}
	return left;
}

sector_t par_sync_request(struct mddev *mddev, sector_t sector,
			  sector_t max_sector, int *skipped)
{
	struct par_conf *conf = mddev->private;
	struct par_set *set = set_at(conf, sector);
	u64 sectors;

	*skipped = 1;
	if (sector >= max_sector || !set || !conf->geo.parities) {
		stop_following(conf);
		await_log(conf);
		return max_sector - sector;
	}
	if (!sector)
		conf->follow->left_out = 0;
	sectors = sync_part(conf, set, sector, skipped);
	if (sectors && sector + sectors >= max_sector && !sync_rest(conf, sector + sectors))
		sectors = 0;
	/* These sectors are done as soon as they are reported; md adds them right after. */
	if (sectors && !*skipped)
		par_done_sync(mddev, sectors);
	return sectors;
}
