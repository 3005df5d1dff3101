/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queries of the md array itself, and reports to it: parent.c.
 */
#ifndef RAID_PAR_PARENT_H
#define RAID_PAR_PARENT_H

#include "par.h"

/*
 * par_member_usable - is member @d present and not failed? par_unusable - members that are
 * missing or have failed. Any context. The result does not keep a member from being
 * removed: a caller that uses the member's disk takes a reference first (par_member_get()),
 * or holds a lock that par_hot_remove() takes.
 */
bool par_member_usable(struct par_conf *conf, unsigned int d);
u32 par_unusable(struct par_conf *conf);

/*
 * par_member_get - count a request to member @d, which is then not removed before
 * par_member_put(); returns NULL if the member is missing or has failed. Any context, both.
 */
struct md_rdev *par_member_get(struct par_conf *conf, unsigned int d);
void par_member_put(struct par_conf *conf, struct md_rdev *rdev);

/* par_remove_again - try the removal of a failed member again, after its obstacle has gone */
void par_remove_again(struct par_conf *conf);

/*
 * par_syncing - does a sync of md's need members that could go to sleep? (md reports a sync
 * as running also while it looks whether any work is left.)
 */
bool par_syncing(struct mddev *mddev);

/* par_scrubbing - is md running a check or a repair that was requested? */
bool par_scrubbing(struct mddev *mddev);

/* par_usable - those of @members that are present and have not failed */
u32 par_usable(struct par_conf *conf, u32 members);

/* par_awake_members - members that are awake in the current gear */
u32 par_awake_members(struct par_conf *conf);

/*
 * par_member_failed - report the failure to md and to all sets; any context. While md is
 * starting the array, the failure is kept until md's thread calls par_fail_early().
 */
void par_member_failed(struct par_conf *conf, unsigned int d);
void par_fail_early(struct par_conf *conf);

/* par_count_degraded - compute mddev->degraded from the members */
void par_count_degraded(struct par_conf *conf);

/*
 * par_too_few - at assembly: -EIO, and a message, if more members are missing or not whole
 * than parity can replace; else 0. Reads mddev->degraded.
 */
int par_too_few(struct par_conf *conf);

/* par_fits - has the disk the sectors that member @d needs? Any context. */
bool par_fits(const struct par_conf *conf, const struct md_rdev *rdev, unsigned int d);

/* par_too_small - is the disk too small for member @d? If so, a message. Any context. */
bool par_too_small(struct par_conf *conf, const struct md_rdev *rdev, unsigned int d);

/*
 * par_too_coarse - has the disk logical sectors that blocks of 4 KiB in its data area are not
 * aligned to? If so, a message. Any context.
 */
bool par_too_coarse(struct par_conf *conf, const struct md_rdev *rdev);

/*
 * par_defer_sb - md's superblock is due and cannot be written without waking sleepers: have
 * the next shift up write it. Any context.
 */
void par_defer_sb(struct par_conf *conf);

/*
 * par_write_deferred_sb - all members are awake: have md write a deferred superblock; any
 * context
 */
void par_write_deferred_sb(struct par_conf *conf);

/*
 * par_drop_request - md is starting or stopping the array: clear @request, which is the resync
 * offset in the superblocks of md that were read, on the disks that still have it. md itself would
 * only do so once the array is written. If a disk does not accept it, md's superblock is due, and
 * another call tries again, but for members that are @asleep, and spares then. Sleeps.
 */
void par_drop_request(struct mddev *mddev, u64 request, u32 asleep);

#endif
