/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metadata at assembly: load.c finds or makes it, identity.c knows whose it is, and
 * assemble.c says which members are whole.
 */
#ifndef RAID_PAR_LOAD_H
#define RAID_PAR_LOAD_H

#include "meta/store.h"

/* ---- load.c ---- */

/*
 * What mdadm asks for when it starts an array, through the offset that md's
 * superblock is in sync up to, which par has no other use for. Any other value
 * means nothing. --update=resync, in every mdadm: make all parity right.
 * --force: start even if a set is dirty and incomplete; --update=par-rescue: and
 * even if metadata is lost, taking each row that it told of as written and each
 * segment as "home". --create --destroy-par: make a new array though its members
 * hold another.
 */
#define PAR_ASKS_RESYNC		0
#define PAR_ASKS_FORCE		1
#define PAR_ASKS_RESCUE		2
#define PAR_ASKS_NEW		3

/* A new array may have been made so. */
static inline bool par_asks_resync(struct mddev *mddev)
{
	return par_resync_offset(mddev) == PAR_ASKS_RESYNC && mddev->events;
}

/*
 * par_log_wanted - how large a log each member of the array has, or is to have if it is new; 0:
 * none. At assembly, before the geometry is known. Sleeps.
 */
u64 par_log_wanted(struct mddev *mddev);

/* par_load - find the newest metadata, or make it for a new array; sleeps */
int par_load(struct par_conf *conf);

/*
 * par_load_left - does member @d have what it had when it left its place, so
 * that it lacks only what zones marked PAR_INTENT_MISSED hold? Not if another
 * has had that place since, nor if it is an older copy of what left (super.min_seq).
 * Returns how new its metadata is, or 0; sleeps.
 */
u64 par_load_left(struct par_conf *conf, unsigned int d);

/* ---- identity.c ---- */

/*
 * par_identify - some members have superblocks of another array than md's superblock
 * says; @any: others have this one's. Sets conf->store->identity.epoch if one epoch is that of
 * this array; -EEXIST if they have a par array that is not to be overwritten. At assembly.
 */
int par_identify(struct par_conf *conf, bool any);

/* ---- assemble.c ---- */

/*
 * par_doubt_stale - more members are missing or among @lacking than parity can
 * stand for, and the array is started by force: have the newest of @lacking
 * stand in as they are, as many as it takes, and tell what is in doubt then.
 * Before par_map_after_load(). Returns those members.
 */
u32 par_doubt_stale(struct par_conf *conf, u32 lacking);

/*
 * par_doubt_check - refuse to start with rows in doubt, unless that is asked
 * for. Before the sets run. Returns 0 or -EBADMSG.
 */
int par_doubt_check(struct par_conf *conf);

/*
 * par_unite_failures - a member that is not whole in one set is not whole: the union of
 * all records. Refuses if parity cannot replace so many members. At assembly.
 */
int par_unite_failures(struct par_conf *conf);

#endif
