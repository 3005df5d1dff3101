/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Members that come and go, and what is rebuilt, resynced and checked: sync.c, scrub.c,
 * resync.c.
 */
#ifndef RAID_PAR_SYNC_H
#define RAID_PAR_SYNC_H

#include "gear/gear.h"

#define PAR_RDEV_PREPARED	31	/* of the flags of an rdev: md has none so high */
#define PAR_SPARES		64	/* disks of an array that can be prepared, by md's number */

/**
 * struct par_follow - the parent's sync, which follows the children's
 * @set: the set being synced, or NULL
 * @child_found: of its mismatches, what the parent has counted
 * @left_out: sets, a bit each, of the last scrub
 * @resync_zones: par_resync_left() at the start
 * @prepared: by its number: up to this version a disk marked PAR_RDEV_PREPARED has all blocks
 */
struct par_follow {
	struct par_set *set;
	u64 child_found;
	u32 left_out, resync_zones;
	u64 prepared[PAR_SPARES];
};

/* ---- sync.c ---- */

/*
 * par_prepare_spares - md suspends the array to add a disk: copy the metadata to it before, in
 * pieces. Sleeps; md's thread only.
 */
void par_prepare_spares(struct par_conf *conf);
int par_hot_add(struct mddev *mddev, struct md_rdev *rdev);
int par_hot_remove(struct mddev *mddev, struct md_rdev *rdev);

/* par_sync_request - in md's sync thread; see the head of sync.c */
sector_t par_sync_request(struct mddev *mddev, sector_t sector,
			  sector_t max_sector, int *skipped);

int par_spare_active(struct mddev *mddev);

/* ---- scrub.c ---- */

/* par_scrub_overdue - is it too long ago that the set was read in whole? Any context. */
bool par_scrub_overdue(struct par_conf *conf, struct par_set *set);

/* par_scrub_wakes_for - tell that a check or repair wakes the set's members */
void par_scrub_wakes_for(struct par_conf *conf, struct par_set *set);

/*
 * par_scrub_from - a check or repair goes on at @sector of the set's region
 * par_scrub_to - it has come to there. Sleeps. The sync thread only, both.
 */
void par_scrub_from(struct par_set *set, u64 sector);
void par_scrub_to(struct par_set *set, u64 sector);

/* par_scrub_set - keep these settings: see struct par_scrub_record. Returns 0 or an errno. */
int par_scrub_set(struct par_conf *conf, bool wakes, u32 age);

/* ---- resync.c ---- */

void par_resync_init(struct par_conf *conf);

/*
 * par_resync_left - zones that the resync after a crash has not been through;
 * any context. They stay marked until all of their set is stored as in sync.
 */
u32 par_resync_left(struct par_conf *conf);

/* par_resync_pause - md has frozen the array: sleep until no child is at a sync */
void par_resync_pause(struct par_conf *conf);

/* par_resync_resume - have the children go on with what is left to resync */
void par_resync_resume(struct par_conf *conf);

#endif
