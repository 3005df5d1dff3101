/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is asked of the md array itself, and told to it: parent.c.
 */
#ifndef RAID_PAR_PARENT_H
#define RAID_PAR_PARENT_H

#include "par.h"

/*
 * par_member_usable - is member @d there, and has it not failed? par_unusable - members that
 * are missing or have failed. Any context. Nothing keeps a member from being removed
 * meanwhile: its disk is used only by who has counted itself in, or holds what par_hot_remove()
 * looks at.
 */
bool par_member_usable(struct par_conf *conf, unsigned int d);
u32 par_unusable(struct par_conf *conf);

/*
 * par_member_get - count a request of ours in to member @d, which is not removed before
 * par_member_put(); NULL if it is missing or has failed. Any context, both.
 */
struct md_rdev *par_member_get(struct par_conf *conf, unsigned int d);
void par_member_put(struct par_conf *conf, struct md_rdev *rdev);

/* par_remove_again - what kept a failed member from being removed has gone */
void par_remove_again(struct par_conf *conf);

/*
 * par_syncing - does a sync of md's need members that could go to sleep? (md says that
 * it is running also while it looks whether there is anything to do.)
 */
bool par_syncing(struct mddev *mddev);

/* par_scrubbing - is md at a check or a repair that somebody asked for? */
bool par_scrubbing(struct mddev *mddev);

/* par_usable - those of @members that are there and have not failed */
u32 par_usable(struct par_conf *conf, u32 members);

/* par_awake_members - in the gear the array is in */
u32 par_awake_members(struct par_conf *conf);

/*
 * par_member_failed - tell md and all sets; any context. While md is starting the array,
 * this is kept until md's thread calls par_fail_early().
 */
void par_member_failed(struct par_conf *conf, unsigned int d);
void par_fail_early(struct par_conf *conf);

/* par_count_degraded - mddev->degraded from the members */
void par_count_degraded(struct par_conf *conf);

/*
 * par_too_few - at assembly: -EIO, and a message, if more members are missing or not whole
 * than parity can replace; else 0. Reads mddev->degraded.
 */
int par_too_few(struct par_conf *conf);

/*
 * par_defer_sb - md's superblock is to be written, and cannot be: sleepers must not. The
 * next shift up has it done. Any context.
 */
void par_defer_sb(struct par_conf *conf);

/* par_write_deferred_sb - all are awake: have md write the superblock it could not; any context */
void par_write_deferred_sb(struct par_conf *conf);

#endif
