/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Members that are removed and added; rebuilds, resyncs and checks: sync.c, scrub.c,
 * resync.c.
 */
#ifndef RAID_PAR_SYNC_H
#define RAID_PAR_SYNC_H

#include "gear/gear.h"

/**
 * struct par_follow - the parent's sync, which follows the children's
 * @set: the set being synced, or NULL
 * @child_found, @child_done: mismatches that the child has found, and sectors that it has worked
 *	on, as far as the parent has taken them over
 * @left_out: sets that the last scrub left out, a bit each
 * @resync_zones: par_resync_left() at the start
 */
struct par_follow {
	struct par_set *set;
	u64 child_found, child_done;
	u32 left_out, resync_zones;
};

/* ---- sync.c ---- */

/*
 * par_sync_left - sectors of each member that the parent's sync still has to work on, as far as
 * rows are written: those of a rebuild that are not marked count, too. Any context.
 */
u64 par_sync_left(struct par_conf *conf);

int par_hot_add(struct mddev *mddev, struct md_rdev *rdev);
int par_hot_remove(struct mddev *mddev, struct md_rdev *rdev);

/* par_sync_request - called in md's sync thread; see the head of sync.c */
sector_t par_sync_request(struct mddev *mddev, sector_t sector,
			  sector_t max_sector, int *skipped);

int par_spare_active(struct mddev *mddev);

/* ---- scrub.c ---- */

/* par_scrub_overdue - was the set last read completely too long ago? Any context. */
bool par_scrub_overdue(struct par_conf *conf, struct par_set *set);

/* par_scrub_wakes_for - log that a check or repair wakes the set's members */
void par_scrub_wakes_for(struct par_conf *conf, struct par_set *set);

/*
 * par_scrub_from - a check or repair continues at @sector of the set's region
 * par_scrub_to - it has reached that sector. Sleeps. The sync thread only, both.
 */
void par_scrub_from(struct par_set *set, u64 sector);
void par_scrub_to(struct par_set *set, u64 sector);

/* par_scrub_set - store these settings: see struct par_scrub_record. Returns 0 or an errno. */
int par_scrub_set(struct par_conf *conf, bool wakes, u32 age);

/* ---- resync.c ---- */

void par_resync_init(struct par_conf *conf);

/*
 * par_resync_left - the number of zones that the resync after a crash has not passed; any
 * context. They stay marked until all of their set is stored as in sync.
 */
u32 par_resync_left(struct par_conf *conf);

/* par_resync_pause - md has frozen the array: sleep until no child runs a sync */
void par_resync_pause(struct par_conf *conf);

/* par_resync_resume - have the children continue the resyncs that are not complete */
void par_resync_resume(struct par_conf *conf);

#endif
