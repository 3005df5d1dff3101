/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raid-par: the array and its members, and the order of locks.
 *
 * The flow of a request:
 *
 *   md0 ── personality.c ── home set (child.c: md's raid5 over virtual members)
 *                              │ raid5 sends stripe and chunk requests to
 *                              ▼
 *                           virtual member (route.c) looks up the map (map.c):
 *                              unwritten → zeros, or start the row (row.c)
 *                              home copy → the real disk
 *                              image     → the gear set's queue → gear set
 *
 * Lock order, outermost first:
 *   parent's reconfig_mutex → conf->gate->mutex → children's reconfig_mutex
 *   → conf->shift->copy_mutex → conf->gear_mutex → conf->shift->fill.mutex
 *   → conf->store->mutex → zone lock
 *   → conf->io->row_lock → bucket lock → conf->queue.lock
 * conf->slots->lock is taken below a zone lock, with interrupts off.
 * conf->store->power_lock is taken below conf->store->mutex and conf->monitor->lock, and is
 * the innermost lock below either of them. No lock is held while waiting for a disk that is
 * being started.
 * Zone locks and conf->io->row_lock are taken in process context only; bucket locks and
 * conf->queue.lock also by completions, hence with irqsave.
 *
 * What must never happen, and which code prevents it:
 *   - wait for I/O in submit context: route.c and row.c only queue requests; store.c,
 *     shift.c and propagate.c wait, in our own threads and works.
 *   - send anything to a sleeper: par_route() in route.c decides by the gear, and store.c
 *     writes to conf->store->current_members only. power.c stops the device after that, and
 *     starts it before the gear changes.
 *   - let a copy become newer than the stored map allows: par_zone_admits() in zone.h.
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

/* raid5 tracks 256 stripes a request; they are of 4 KiB with any page size. */
#define PAR_MAX_BIO	(256 * 8)

struct par_array_power;
struct par_follow;
struct par_gate;
struct par_io;
struct par_log;
struct par_monitor;
struct par_power;
struct par_set;
struct par_shift;
struct par_slot_maps;
struct par_store;
struct par_sysfs;
struct par_tidy;

/**
 * struct par_member - one of the N disks
 * @rdev: the parent's; NULL while this place is empty. Changes only with all sets drained
 *	and the parent's reconfig_mutex held.
 * @changing: md is adding or removing the member: no set takes it in meanwhile
 * @redirected: the number of requests served by the image instead
 */
struct par_member {
	struct par_conf *conf;
	unsigned int index;
	struct md_rdev *rdev;
	bool changing;
	atomic64_t redirected;
	struct par_power *power;
	struct kobject kobj;
	struct completion kobj_gone;
	bool kobj_added;
};

/**
 * struct par_upcalls - functions and works of upper layers that lower layers call; the
 * upper layers set them up before there are any sets
 * @sync_request: called by the sync thread of a child in place of raid5's own: resync.c
 * @recorded: continue a flush that was held until a failure is stored: flush.c
 * @log_submit: continue a read, or a write whose preceding flush has ended: log.c
 * @raise_work: requests wait for a sleeper: shift.c; on @raise_wq
 * @unkept_work: of each set, for writes that no image has accepted: unkept.c; on @unkept_wq
 * @tidy_work: clear intents: tidy.c; @purge_work: have raid5 forget bad blocks: purge.c
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
 * @writable: the sets know that the array is writable
 * @set: by gear, 1 … gears
 * @gear: the current one; members below set[gear].members are awake. Changes under
 *	@gear_mutex and the store's mutex
 * @sb_deferred: md's superblock has not been written
 * @failed_early: members that failed while md was starting the array, a bit each: md
 *	accepts no failure then
 *
 * The other fields are parts that belong to a layer each. Only this layer writes them; its
 * header describes them.
 */
struct par_conf {
	struct mddev *mddev;
	bool writable;
	struct par_geometry geo;
	struct par_member member[PAR_MAX_MEMBERS];
	struct par_set *set[PAR_MAX_SETS + 1];
	unsigned int gear;
	struct mutex gear_mutex;	/* held while the gear changes */
	int sb_deferred;
	unsigned long failed_early;
	struct par_upcalls up;

	struct par_map map;
	struct par_queue queue;
	struct par_wish wish;
	struct par_slot_maps *slots;
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
