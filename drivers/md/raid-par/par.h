/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raid-par: the array and its members, and who may touch what when.
 *
 * The flow of a request:
 *
 *   md0 ── personality.c ── home set (child.c: md's raid5 over virtual members)
 *                              │ raid5 sends stripe and chunk requests to
 *                              ▼
 *                           virtual member (route.c) asks the map (map.c):
 *                              unwritten → zeros, or start the row (row.c)
 *                              home copy → the real disk
 *                              image     → the gear set's queue → gear set
 *
 * Lock order, outermost first:
 *   parent's reconfig_mutex → conf->gate->mutex → children's reconfig_mutex
 *   → conf->shift->copy_mutex → conf->gear_mutex → conf->store->mutex → zone lock
 *   → conf->io->row_lock → bucket lock → conf->queue.lock
 * conf->store->power_lock is taken below conf->store->mutex and conf->monitor->lock, each of
 * them with nothing else below it. No lock is held while a disk is waited for that is being
 * started.
 * Zone locks and conf->io->row_lock are taken in process context only; bucket
 * locks and conf->queue.lock also by completions, hence with irqsave.
 *
 * What must never happen, and where it is kept:
 *   - wait for I/O in submit context: route.c and row.c only queue;
 *     store.c, shift.c and propagate.c wait, in threads and works of ours.
 *   - send anything to a sleeper: par_route() in route.c decides by the
 *     gear, and store.c writes to conf->store->current_members only. power.c stops
 *     the device after that, and starts it before the gear changes.
 *   - let a copy run ahead of the stored map: par_zone_admits() in zone.h.
 */
#ifndef RAID_PAR_H
#define RAID_PAR_H

#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "md.h"
#include "pure/geometry.h"
#include "core/map.h"
#include "core/queue.h"
#include "core/wish.h"

#define PAR_MAX_BIO	(255 * 8)	/* raid5 tracks 256 stripes a request */

struct par_array_power;
struct par_follow;
struct par_gate;
struct par_io;
struct par_log;
struct par_monitor;
struct par_power;
struct par_set;
struct par_shift;
struct par_store;
struct par_sysfs;
struct par_tidy;

/**
 * struct par_member - one of the N disks
 * @rdev: the parent's; NULL while none is in this place. Changes only with
 *	all sets drained and the parent's reconfig_mutex held.
 * @redirected: requests answered from the image instead
 */
struct par_member {
	struct par_conf *conf;
	unsigned int index;
	struct md_rdev *rdev;
	atomic64_t redirected;
	struct par_power *power;
	struct kobject kobj;
	struct completion kobj_gone;
	bool kobj_added;
};

/**
 * struct par_upcalls - what files have those do that are above them: set, or set up, by
 * these before there are any sets
 * @sync_request: the sync thread of a child calls this in place of raid5's own: resync.c
 * @recorded: go on with a flush that was held until a failure is stored: flush.c
 * @log_submit: a read or a write that has been flushed for goes on: log.c
 * @raise_work: requests wait for a sleeper: shift.c; on @raise_wq
 * @unkept_work: of each set, writes that no image has taken: unkept.c; on @unkept_wq
 * @tidy_work: clear intents: tidy.c; @purge_work: forget what raid5 calls bad: purge.c
 */
struct par_upcalls {
	sector_t (*sync_request)(struct mddev *child, sector_t sector,
				 sector_t max_sector, int *skipped);
	void (*recorded)(struct par_conf *conf, struct bio *flush);
	void (*log_submit)(struct par_conf *conf, struct bio *bio);
	work_func_t unkept_work;
	struct workqueue_struct *raise_wq, *unkept_wq;
	struct delayed_work raise_work, tidy_work, purge_work;
};

/**
 * struct par_conf - one array
 * @writable: the sets know that the array is
 * @set: by gear, 1 … gears
 * @gear: the current one; members below set[gear].members are awake. Changes under
 *	@gear_mutex and the store's mutex
 * @sb_deferred: md's superblock was not written
 * @failed_early: members that failed while md was starting the array, a bit each: md takes
 *	no failure then
 *
 * What follows are parts that belong to a layer each, which alone writes them: the header
 * says what is in it.
 */
struct par_conf {
	struct mddev *mddev;
	bool writable;
	struct par_geometry geo;
	struct par_member member[PAR_MAX_MEMBERS];
	struct par_set *set[PAR_MAX_SETS + 1];
	unsigned int gear;
	struct mutex gear_mutex;	/* who changes the gear */
	int sb_deferred;
	unsigned long failed_early;
	struct par_upcalls up;

	struct par_map map;
	struct par_queue queue;
	struct par_wish wish;
	struct par_store *store;
	struct par_io *io;
	struct par_log *log;
	struct par_gate *gate;
	struct par_array_power *power;
	struct par_shift *shift;
	struct par_tidy *tidy;
	struct par_follow *follow;
	struct par_monitor *monitor;
	struct par_sysfs *sysfs;
};

static inline struct par_set *par_home(struct par_conf *conf)
{
	return conf->set[conf->geo.gears];
}

/* par_awake - is member @d awake in gear @gear? */
static inline bool par_awake(const struct par_conf *conf, unsigned int gear,
			     unsigned int d)
{
	return par_awake_in(&conf->geo, gear, d);
}

static inline bool par_rdev_usable(const struct md_rdev *rdev)
{
	return rdev && !test_bit(Faulty, &rdev->flags);
}

static inline spinlock_t *par_zone_lock(struct par_conf *conf, u32 zone)
{
	return &conf->map.zone_lock[zone % PAR_ZONE_LOCKS];
}

#endif
