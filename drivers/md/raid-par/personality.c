// SPDX-License-Identifier: GPL-2.0
/*
 * The md personality "par": the methods that md calls of a RAID level.
 *
 * The parent md array is always clean: it never calls md_write_start(), so writes to the
 * array do not make md write the superblock, and no sleeper is woken for it. The intents of
 * the zones record which parts are dirty (store.c).
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "compat/layout.h"
#include "core/event.h"
#include "core/parent.h"
#include "log/log.h"
#include "meta/load.h"
#include "pure/slot-place.h"
#include "sysfs/sysfs.h"

static void par_request_logged(struct par_conf *conf, struct bio *bio)
{
	if (unlikely(bio_op(bio) == REQ_OP_DISCARD))
		par_log_discard(conf, bio);
	else
		par_log_submit(conf, bio);
}

static bool par_make_request(struct mddev *mddev, struct bio *bio)
{
	struct par_conf *conf = mddev->private;
	struct par_set *home = par_home(conf);

	par_monitor_request(conf);
	if (par_has_slots(&conf->geo) && READ_ONCE(conf->gear) < conf->geo.gears)
		par_slots_used_by(conf, bio);
	if (bio_data_dir(bio) == WRITE && unlikely(mddev->ro != MD_RDWR) &&
	    !par_writable(conf)) {
		bio_io_error(bio);
		return true;
	}

	if (unlikely(bio->bi_opf & REQ_PREFLUSH))
		par_flush_request(conf, bio, true);
	else if (par_has_log(conf))
		par_request_logged(conf, bio);
	else if (unlikely(bio_op(bio) == REQ_OP_DISCARD))
		par_discard_request(conf, bio);
	else
		home->ops->submit(home, bio);
	return true;
}

/* ---- failures ---- */

/* Called by md_error() for @rdev, maybe in interrupt context. */
static void par_error(struct mddev *mddev, struct md_rdev *rdev)
{
	struct par_conf *conf = mddev->private;
	unsigned int i, d = rdev->raid_disk;

	set_bit(Blocked, &rdev->flags);
	set_bit(Faulty, &rdev->flags);
	clear_bit(In_sync, &rdev->flags);
	if (rdev->raid_disk < 0 || d >= conf->geo.members)
		return;
	par_count_degraded(conf);
	if (mddev->degraded > conf->geo.parities)
		set_bit(MD_BROKEN, &mddev->flags);
	set_bit(MD_RECOVERY_INTR, &mddev->recovery);
	/* No write waits for md's superblock: the superblocks of the sets record the failure. */
	set_bit(MD_SB_CHANGE_DEVS, &mddev->sb_flags);
	pr_crit("md/par:%s: member %u (%pg) failed; %u of %u members left\n",
		mdname(mddev), d, rdev->bdev,
		conf->geo.members - mddev->degraded, conf->geo.members);
	par_event(conf, "PAR_EVENT=fail\nPAR_MEMBER=%u\nPAR_DEVICE=%pg\nPAR_LEFT=%u\nPAR_MEMBERS=%u\nPAR_STATE=%s",
		  d, rdev->bdev, conf->geo.members - mddev->degraded, conf->geo.members,
		  test_bit(MD_BROKEN, &mddev->flags) ? "broken" : "degraded");

	for (i = 1; i <= conf->geo.gears; i++)
		if (d < conf->set[i]->sg->members)
			conf->set[i]->ops->fail(conf->set[i], d);
	/* A degraded array runs with all of its members (Sierra, section 3.7). */
	par_shift_to(conf, conf->geo.gears, "failure");
	par_power_relent(conf);
	/*
	 * The failure has to be written. md_error() does not wake md's thread for it if the
	 * array is broken now.
	 */
	md_wakeup_thread(mddev->thread);
}

/* ---- start and stop ---- */

/* Refuse an array before anything is written; each refusal has its own errno. */
static int par_refuse(struct mddev *mddev)
{
	struct md_rdev *rdev;

	if (test_bit(MD_HAS_JOURNAL, &mddev->flags) ||
	    test_bit(MD_HAS_PPL, &mddev->flags)) {
		pr_err("md/par:%s: level par does not support a journal or PPL\n",
		       mdname(mddev));
		return -EMEDIUMTYPE;
	}
	if (mddev->reshape_position != MaxSector || mddev->delta_disks ||
	    mddev->new_level != mddev->level ||
	    mddev->new_layout != mddev->layout ||
	    mddev->new_chunk_sectors != mddev->chunk_sectors) {
		pr_err("md/par:%s: level par does not support a reshape\n",
		       mdname(mddev));
		return -ECANCELED;
	}
	if (!mddev->persistent || mddev->external || mddev->major_version != 1) {
		pr_err("md/par:%s: level par needs version-1 metadata of md, such as mdadm --metadata=1.2\n",
		       mdname(mddev));
		return -EPROTONOSUPPORT;
	}
	rdev_for_each(rdev, mddev)
		if (test_bit(Replacement, &rdev->flags) ||
		    test_bit(Journal, &rdev->flags)) {
			pr_err("md/par:%s: %pg is a replacement or journal device, which level par does not support\n",
			       mdname(mddev), rdev->bdev);
			return -EMEDIUMTYPE;
		}
	return 0;
}

static int take_members(struct par_conf *conf)
{
	struct mddev *mddev = conf->mddev;
	struct md_rdev *rdev;

	rdev_for_each(rdev, mddev) {
		if (rdev->raid_disk < 0 || rdev->raid_disk >= conf->geo.members)
			continue;
		if (par_too_small(conf, rdev, rdev->raid_disk))
			return -ENOSPC;
		conf->member[rdev->raid_disk].rdev = rdev;
	}
	par_count_degraded(conf);
	return par_too_few(conf);
}

/*
 * Stack what a member requires, and not what it recommends: the array's recommendations follow
 * from its chunks. Many SAS and USB disks report an optimal size of 65535 sectors, whose
 * lowest common multiple with that of the array exceeds 32 bits. The boundaries of a member's
 * chunks are not those of the array either; the member's own queue splits requests there.
 */
static void stack_member(struct queue_limits *lim, struct md_rdev *rdev, const char *array)
{
	struct queue_limits of_member = bdev_get_queue(rdev->bdev)->limits;

	of_member.io_min = of_member.physical_block_size;
	of_member.io_opt = 0;
	of_member.chunk_sectors = 0;
	if (blk_stack_limits(lim, &of_member, get_start_sect(rdev->bdev) + rdev->data_offset))
		pr_notice("md/par:%s: warning: %pg is misaligned\n", array, rdev->bdev);
}

/*
 * The limits of the array. md's own helper is not used: in newer kernels it writes the block
 * size into the superblock of a new array, where older kernels expect zeros.
 */
static int par_set_limits(struct par_conf *conf)
{
	struct mddev *mddev = conf->mddev;
	struct queue_limits lim;
	struct md_rdev *rdev;
	u32 chunk = conf->geo.chunk_sectors << SECTOR_SHIFT;

	md_init_stacking_limits(&lim);
	lim.io_min = chunk;
	lim.io_opt = chunk * (conf->geo.members - conf->geo.parities);
	if (conf->geo.parities)
		lim.features |= BLK_FEAT_RAID_PARTIAL_STRIPES_EXPENSIVE;
	rdev_for_each(rdev, mddev)
		stack_member(&lim, rdev, mdname(mddev));
	/*
	 * An unaligned request of this size would take one stripe more: the block layer ends the
	 * first part of a request that is too large at a physical block.
	 */
	lim.max_hw_sectors = PAR_MAX_BIO;
	lim.physical_block_size = max_t(u32, lim.physical_block_size, PAR_BLOCK_BYTES);
	lim.max_segments = USHRT_MAX;
	lim.features &= ~(BLK_FEAT_NOWAIT | BLK_FEAT_POLL);
	lim.features |= BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA;
	lim.max_write_zeroes_sectors = 0;
	lim.max_secure_erase_sectors = 0;
	lim.max_hw_discard_sectors = UINT_MAX >> SECTOR_SHIFT;
	/* Only whole stripes can be discarded. */
	lim.discard_granularity = roundup_pow_of_two(lim.io_opt);
	lim.discard_alignment = 0;
	par_no_wzeroes_unmap(&lim);
	return queue_limits_set(mddev->gendisk->queue, &lim);
}

/* An array and all of its parts, in one allocation. */
struct par_array {
	struct par_conf conf;
	struct par_power member_power[PAR_MAX_MEMBERS];
	struct par_store store;
	struct par_io io;
	struct par_log log;
	struct par_gate gate;
	struct par_array_power power;
	struct par_shift shift;
	struct par_slot_maps slots;
	struct par_tidy tidy;
	struct par_follow follow;
	struct par_monitor monitor;
	struct par_sysfs sysfs;
};

static struct par_conf *alloc_conf(struct mddev *mddev)
{
	struct par_array *array = kvzalloc(sizeof(*array), GFP_KERNEL);
	struct par_conf *conf = &array->conf;
	unsigned int d;

	if (!array)
		return NULL;
	conf->mddev = mddev;
	conf->store = &array->store;
	conf->io = &array->io;
	conf->log = &array->log;
	conf->gate = &array->gate;
	conf->power = &array->power;
	conf->shift = &array->shift;
	conf->slots = &array->slots;
	conf->tidy = &array->tidy;
	conf->follow = &array->follow;
	conf->monitor = &array->monitor;
	conf->sysfs = &array->sysfs;
	array->store.conf = conf;
	array->io.conf = conf;
	array->power.conf = conf;
	array->monitor.conf = conf;
	array->sysfs.conf = conf;
	array->slots.conf = conf;
	for (d = 0; d < PAR_MAX_MEMBERS; d++)
		conf->member[d].power = &array->member_power[d];
	return conf;
}

static void par_free_conf(struct par_conf *conf)
{
	par_shift_exit(conf);
	par_sysfs_remove(conf);
	/* The store, which runs to the end, queues it again and again. */
	if (conf->queue.long_wq) {
		disable_delayed_work_sync(&conf->up.tidy_work);
		disable_delayed_work_sync(&conf->up.purge_work);
	}
	par_sets_destroy(conf);
	par_shift_free(conf);
	par_power_end(conf);
	par_power_system_end(conf);
	par_power_exit(conf);
	par_monitor_free(conf);
	par_log_exit(conf);
	par_events_flush();	/* events refer to the array's disk */
	if (conf->queue.wq)
		destroy_workqueue(conf->queue.wq);
	if (conf->queue.long_wq)
		destroy_workqueue(conf->queue.long_wq);
	if (conf->queue.discard_wq)
		destroy_workqueue(conf->queue.discard_wq);
	par_store_exit(conf);
	par_map_free(conf);
	par_propagate_exit(conf);
	par_fill_free(conf);
	par_slots_free(conf);
	par_flush_exit(conf);
	par_members_exit(conf);
	kvfree(container_of(conf, struct par_array, conf));
}

static int par_init_parts(struct par_conf *conf)
{
	const char *name = mdname(conf->mddev);
	int err;

	mutex_init(&conf->gear_mutex);
	spin_lock_init(&conf->queue.lock);
	par_wish_init(conf);
	par_gate_init(conf);
	par_power_alloc(conf);
	par_discard_init(conf);
	par_tidy_init(conf);
	par_purge_init(conf);
	par_unkept_init(conf);
	par_resync_init(conf);
	err = par_shift_alloc(conf);
	err = err ?: par_members_init(conf);
	err = err ?: par_flush_init(conf);
	err = err ?: par_store_init(conf);
	err = err ?: par_log_init(conf);
	err = err ?: par_map_alloc(conf);
	err = err ?: par_slots_alloc(conf);
	err = err ?: par_fill_alloc(conf);
	err = err ?: par_propagate_init(conf);
	err = err ?: par_monitor_alloc(conf);
	if (err)
		return err;
	conf->queue.wq = alloc_workqueue("%s-par", WQ_MEM_RECLAIM | WQ_HIGHPRI | PAR_WQ_PERCPU,
					 0, name);
	conf->queue.long_wq = alloc_workqueue("%s-par-long", WQ_MEM_RECLAIM | WQ_UNBOUND,
					      0, name);
	conf->queue.discard_wq = alloc_workqueue("%s-par-discard", WQ_MEM_RECLAIM | WQ_UNBOUND,
						 0, name);
	return conf->queue.wq && conf->queue.long_wq && conf->queue.discard_wq ? 0 : -ENOMEM;
}

static int par_lay_out(struct par_conf *conf)
{
	struct mddev *mddev = conf->mddev;
	struct par_slot_ask ask = {
		.layout = mddev->layout,
		.disks = mddev->raid_disks,
		.chunk = mddev->chunk_sectors,
		.sleeper = mddev->dev_sectors,
	};
	enum par_slot_error err;
	enum par_geo_error why;
	struct par_birth birth;
	int unknown = par_birth_find(mddev, conf->store->notes.scan, &birth);

	if (unknown)
		return unknown;
	ask.log = birth.log;
	ask.share = birth.share ?: PAR_SHARE_ALL;
	ask.run = birth.run;
	ask.tract = birth.tract;
	ask.steady = birth.steady ?: mddev->dev_sectors;
	err = par_slot_place_init(&conf->geo, &ask, &why);
	if (!err)
		return 0;
	pr_err("md/par:%s: layout 0x%x: %s\n", mdname(mddev), mddev->layout,
	       par_slot_strerror(err, why));
	return err == PAR_SLOT_GEOMETRY ? par_geo_errno(why) : -EINVAL;
}

/*
 * What cannot be found may be on a member that is not there. A start without it makes its metadata
 * void: then it is rebuilt from what the others have. So no other message is to be followed before.
 */
static void hint_missing(struct par_conf *conf, int err)
{
	unsigned long missing = par_unusable(conf);

	if (!missing || (err != -EUCLEAN && err != -EBADMSG && err != -EIO))
		return;
	pr_err("md/par:%s: members %*pbl are missing, and may have what the others lack: connect them and assemble the array again before you force a start or rescue anything: after a start without them, what only they have is lost\n",
	       mdname(conf->mddev), PAR_MAX_MEMBERS, &missing);
}

static struct par_conf *par_setup(struct mddev *mddev)
{
	struct par_conf *conf = alloc_conf(mddev);
	int err;

	if (!conf)
		return ERR_PTR(-ENOMEM);
	if (par_resync_offset(mddev) == PAR_ASKS_FORCE ||
	    par_resync_offset(mddev) == PAR_ASKS_RESCUE)
		conf->store->start = par_resync_offset(mddev);
	conf->store->notes.scan = par_scan_begin(mddev);
	err = conf->store->notes.scan ? par_lay_out(conf) : -ENOMEM;
	if (err) {
		par_scan_end(conf->store->notes.scan);
		kvfree(container_of(conf, struct par_array, conf));
		return ERR_PTR(err);
	}
	err = par_init_parts(conf);
	err = err ?: take_members(conf);
	err = err ?: par_set_limits(conf);
	err = err ?: par_sets_alloc(conf);
	err = err ?: par_load(conf);
	par_scan_end(conf->store->notes.scan);
	conf->store->notes.scan = NULL;
	err = err ?: par_log_fit(conf);
	if (!err) {
		conf->gear = conf->store->super.gear;
		par_map_after_load(conf, conf->store->intents);
		err = par_unite_failures(conf);
	}
	err = err ?: par_log_load(conf);	/* also from members that are used by force */
	err = err ?: par_doubt_check(conf);
	conf->writable = md_is_rdwr(mddev);
	err = err ?: par_sets_run(conf);
	if (err) {
		hint_missing(conf, err);
		par_free_conf(conf);
		return ERR_PTR(err);
	}
	conf->follow->resync_zones = par_resync_left(conf);
	return conf;
}

static sector_t par_size(struct mddev *mddev, sector_t sectors, int raid_disks)
{
	struct par_conf *conf = mddev->private;

	return conf->geo.array_sectors;
}

/*
 * A sync has ended in a low gear: a scrub, which changes nothing in md's superblock, or a
 * sync that was interrupted. md should reap its thread, because a process may wait for
 * that, but should not write the superblock, which would wake the sleepers. md increments
 * its event count and writes superblocks whose count differs: set the counts of all members
 * as if they had been written. A change that is in md's superblock after all is written at
 * the next shift up. If a member fails in this very moment, md may write at once; all
 * members are being woken then anyway.
 */
static void reap_quietly(struct mddev *mddev)
{
	struct par_conf *conf = mddev->private;
	struct md_rdev *rdev;

	if (!mddev_trylock(mddev))
		return;
	if (mddev->sync_thread) {
		rdev_for_each(rdev, mddev)
			rdev->sb_events = mddev->events + 1;
		md_reap_sync_thread(mddev);
		par_defer_sb(conf);
	}
	mddev_unlock(mddev);
}

/*
 * md writes its superblock to every member: wake them first. The mover wakes this thread
 * when they are awake.
 */
static void wake_for_super(struct par_conf *conf)
{
	if (!par_shift_wake(conf, "superblock"))
		par_defer_sb(conf);
}

/*
 * On a read-only array md reaps a sync thread that does not exist, and notes that the
 * superblock is to be written once the array is writable. Nothing has changed, and this
 * note would make the first write wake the sleepers: clear it. A real change is written at
 * the next shift up, except for changes that md_run() has noted (a forced start, a bitmap
 * that was dropped), which stay noted.
 */
static void check_read_only(struct par_conf *conf)
{
	struct mddev *mddev = conf->mddev;
	bool noted = test_bit(MD_SB_CHANGE_DEVS, &mddev->sb_flags);

	md_check_recovery(mddev);
	if (!noted && !mddev->degraded && mddev->sb_flags &&
	    READ_ONCE(conf->gear) < conf->geo.gears)
		par_defer_sb(conf);
}

static void par_thread(struct md_thread *thread)
{
	struct mddev *mddev = thread->mddev;
	struct par_conf *conf = mddev->private;
	struct md_rdev *rdev;

	if (!conf)
		return;
	par_follow_array(conf);
	if (unlikely(READ_ONCE(conf->failed_early)))
		par_fail_early(conf);
	/* reconfig_mutex is not held: md may be removing a member. */
	rcu_read_lock();
	rdev_for_each_rcu(rdev, mddev)
		if (test_and_clear_bit(WantReplacement, &rdev->flags))
			pr_err("md/par:%s: %pg: level par cannot replace a member in place: use mdadm --fail, --remove and --add\n",
			       mdname(mddev), rdev->bdev);
	rcu_read_unlock();
	if (!md_is_rdwr(mddev))
		check_read_only(conf);
	else if (READ_ONCE(conf->gear) == conf->geo.gears ||
		 test_bit(MD_BROKEN, &mddev->flags))
		md_check_recovery(mddev);
	else if (test_bit(MD_RECOVERY_DONE, &mddev->recovery))
		reap_quietly(mddev);
	else if (par_scrubbing(mddev) && !mddev->degraded)
		;	/* its changes of sb_flags have no meaning: see above */
	else if (mddev->sb_flags & ~BIT(MD_SB_CHANGE_PENDING))
		wake_for_super(conf);
	else
		md_check_recovery(mddev);
	par_resync_resume(conf);
}

/*
 * A par array does not use a bitmap, and md writes a bitmap to every member, asleep or not.
 * mdadm without our patches may have given the array a bitmap, or a file.
 */
static void drop_bitmap(struct mddev *mddev)
{
	struct file *file = mddev->bitmap_info.file;

	if (!file && !mddev->bitmap_info.offset)
		return;
	pr_warn("md/par:%s: level par does not support a write-intent bitmap: the one in md's superblocks is dropped\n",
		mdname(mddev));
	mddev->bitmap_info.offset = 0;
	mddev->bitmap_info.file = NULL;
	if (file)
		fput(file);
	set_bit(MD_SB_CHANGE_DEVS, &mddev->sb_flags);
}

/*
 * Nor may a bitmap be added later. md does not ask the personality before it adds one; but
 * it refuses a bitmap with external metadata and an unknown chunk size, so pretend that the
 * metadata is external.
 */
static void refuse_bitmap(struct mddev *mddev)
{
	mddev->bitmap_info.default_offset = 0;
	mddev->bitmap_info.default_space = 0;
	mddev->bitmap_info.external = 1;
	mddev->bitmap_info.chunksize = 0;
}

static int par_run(struct mddev *mddev)
{
	struct md_thread *thread;
	struct par_conf *conf;
	int err = par_refuse(mddev);

	if (err)
		return err;
	conf = par_setup(mddev);
	if (IS_ERR(conf))
		return PTR_ERR(conf);

	drop_bitmap(mddev);
	refuse_bitmap(mddev);
	mddev->dev_sectors = conf->geo.dev_sectors;
	mddev->resync_max_sectors = conf->geo.dev_sectors;
	/* The request is for this start only, even if the array is not written. */
	if (conf->store->start)
		par_drop_request(mddev, conf->store->start, 0);
	/*
	 * Have md write the superblock of a new array, and once after a forced start or
	 * with a requested resync.
	 */
	if (!mddev->events || conf->store->start || par_asks_resync(mddev))
		set_bit(MD_SB_CHANGE_DEVS, &mddev->sb_flags);
	/* The parent is always clean, whatever its superblock says. */
	par_resync_offset(mddev) = MaxSector;

	thread = md_register_thread(par_thread, mddev, "par");
	if (!thread) {
		par_free_conf(conf);
		return -ENOMEM;
	}
	rcu_assign_pointer(mddev->thread, thread);
	mddev->private = conf;
	md_set_array_sectors(mddev, conf->geo.array_sectors);
	par_clock_begin(conf);
	err = par_shift_init(conf);
	if (!err) {
		par_power_begin(conf);
		par_power_system_begin(conf);
		par_monitor_begin(conf);
		/* Last, since the files show and change all that is set up above. */
		err = par_sysfs_add(conf);
	}
	if (err) {
		par_monitor_end(conf);	/* whether it was begun or not */
		mddev->private = NULL;
		md_unregister_thread(mddev, &mddev->thread);
		par_free_conf(conf);
		return err;
	}
	if (conf->mddev->degraded)
		par_shift_to(conf, conf->geo.gears, "start");
	return 0;
}

static int par_start(struct mddev *mddev)
{
	struct par_conf *conf = mddev->private;

	/* md_run() sets this after par_run(); an array that is always clean has no use for it. */
	mddev->safemode_delay = 0;
	par_follow_array(conf);
	if (md_is_rdwr(mddev))
		par_resync_resume(conf);
	par_log_resume(conf);
	par_log_drain_now(conf->log);
	par_mover_wake(conf);
	return 0;
}

/* md stops the array or turns it read-only: store all metadata, and leave the array clean. */
static void par_quiesce(struct mddev *mddev, int quiesce)
{
	struct par_conf *conf = mddev->private;

	if (!quiesce) {
		par_gate_resume(conf);
		par_log_resume(conf);
		return;
	}
	par_log_pause(conf);
	par_mover_pause(conf);
	par_resync_pause(conf);
	par_gate_quiesce(conf);
	/* Both for requests that were under way: these have ended, and the works may not have. */
	flush_delayed_work(&conf->up.raise_work);
	flush_work(&conf->slots->give_work);
	par_store_drain(conf);
	par_tidy_drain(conf);
	par_purge_drain(conf);
	/* A disk that did not accept this at the start would force the next one, too. */
	if (conf->store->start)
		par_drop_request(mddev, conf->store->start,
				 ~par_awake_members(conf) & (BIT(conf->geo.members) - 1));
	/* After this, the caller in md writes md's superblock if it is due. */
	if (READ_ONCE(conf->gear) < conf->geo.gears && mddev->sb_flags)
		par_defer_sb(conf);
	if (mddev->ro == MD_RDWR && !test_bit(MD_BROKEN, &mddev->flags) &&
	    par_store_checkpoint(conf, true))
		pr_err("md/par:%s: could not store the map on any member: the next start will be as after a crash\n",
		       mdname(mddev));
	par_mover_allow(conf);
}

static void par_free(struct mddev *mddev, void *priv)
{
	struct par_conf *conf = priv;

	/*
	 * md has waited until its sync work reported that it was done; but the work
	 * continues for a moment, with an mddev that may be freed by then. It cannot be
	 * flushed while reconfig_mutex is held, since the work takes that lock.
	 */
	while (work_busy(&mddev->sync_work))
		usleep_range(1000, 2000);
	mddev->bitmap_info.external = 0;	/* see refuse_bitmap() */
	par_monitor_end(conf);
	par_power_end(conf);
	/* The mover may have continued since md quiesced the array. */
	par_shift_exit(conf);
	par_sysfs_remove(conf);
	par_log_end(conf);
	par_quiesce(mddev, 1);
	par_quiesce(mddev, 0);
	par_free_conf(conf);
}

/* ---- status ---- */

/* Show a resync as md does: mdadm parses this text to wait for a resync and to report it. */
static void show_resync(struct seq_file *seq, struct par_conf *conf)
{
	u32 left = par_resync_left(conf), all = max(conf->follow->resync_zones, left);
	u32 permille;

	if (!left || conf->follow->set)
		return;
	if (!md_is_rdwr(conf->mddev)) {
		seq_puts(seq, ", resync=PENDING");
		return;
	}
	permille = div_u64(1000ULL * (all - left), all);
	seq_printf(seq, ", resync = %u.%u%%", permille / 10, permille % 10);
}

static void par_status(struct seq_file *seq, struct mddev *mddev)
{
	static const char * const state[] = {
		[PAR_SHIFT_UP] = ", shifting up",
		[PAR_SHIFT_DOWN] = ", shifting down",
		[PAR_SHIFT_PROPAGATE] = ", propagating",
	};
	struct par_conf *conf = mddev->private;
	enum par_shift_state shift = READ_ONCE(conf->shift->state);
	unsigned int i, d;

	seq_printf(seq, " raid%u, %uk chunk, gear %u of", conf->geo.child_level,
		   conf->geo.chunk_sectors / 2,
		   conf->geo.set[conf->gear].members);
	for (i = 1; i <= conf->geo.gears; i++)
		seq_printf(seq, "%c%u", i == 1 ? ' ' : ',', conf->geo.set[i].members);
	show_resync(seq, conf);
	if (READ_ONCE(conf->log->draining))
		seq_puts(seq, ", draining the log");
	seq_printf(seq, "%s [%u/%u] [", shift ? state[shift] : "",
		   conf->geo.members, conf->geo.members - mddev->degraded);
	for (d = 0; d < conf->geo.members; d++) {
		struct md_rdev *rdev = READ_ONCE(conf->member[d].rdev);

		seq_putc(seq, par_rdev_usable(rdev) &&
			 test_bit(In_sync, &rdev->flags) ? 'U' : '_');
	}
	seq_putc(seq, ']');
}

static struct md_personality par_personality = {
	PAR_PERSONALITY_HEAD("par", PAR_LEVEL)
	.make_request	= par_make_request,
	.run		= par_run,
	.start		= par_start,
	.free		= par_free,
	.status		= par_status,
	.error_handler	= par_error,
	.hot_add_disk	= par_hot_add,
	.hot_remove_disk = par_hot_remove,
	.spare_active	= par_spare_active,
	.sync_request	= par_sync_request,
	.size		= par_size,
	.quiesce	= par_quiesce,
};

static int __init par_init(void)
{
	int err = par_layout_check();

	if (err)
		return err;
	err = par_events_init();
	if (err)
		return err;
	err = par_power_init();
	if (err)
		goto events;
	err = par_log_cache_init();
	if (err)
		goto power;
	err = par_register(&par_personality);
	if (err)
		goto log;
	return 0;
log:
	par_log_cache_exit();
power:
	par_power_cleanup();
events:
	par_events_exit();
	return err;
}

static void __exit par_exit(void)
{
	par_unregister(&par_personality);
	par_log_cache_exit();
	par_power_cleanup();
	par_events_exit();
}

module_init(par_init);
module_exit(par_exit);
MODULE_DESCRIPTION("RAID level par: an array of hard disks that shifts gears");
MODULE_LICENSE("GPL");
/* The version of all parts: tool, packages, mdadm's suffix. See Documentation/release.md. */
MODULE_VERSION("0.1.0");
MODULE_ALIAS("md-par");
MODULE_ALIAS("md-level-80");
