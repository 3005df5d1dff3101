/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metadata at assembly: load.c finds or creates it, identity.c recognizes the array
 * that it belongs to, and assemble.c determines which members are whole.
 */
#ifndef RAID_PAR_LOAD_H
#define RAID_PAR_LOAD_H

#include "meta/store.h"

/* ---- scan.c ---- */

/*
 * par_scan_begin - prepare reading metadata of all members of an array that is being started, while
 * nobody writes to them; NULL: no memory. par_scan_end - end it; @scan may be NULL
 * par_scan_read - 4 KiB of member @d's metadata, which is present; false after an error. Fast if
 *	sectors are read in their order, each of all members
 * par_scan_only - from now on read ahead of these members only, and nothing from sector @limit on
 * All sleep.
 */
struct par_scan *par_scan_begin(struct mddev *mddev);
void par_scan_end(struct par_scan *scan);
bool par_scan_read(struct par_scan *scan, unsigned int d, u64 sector, struct page *page);
void par_scan_only(struct par_scan *scan, u32 members, u64 limit);

/* ---- load.c ---- */

/*
 * Requests of mdadm at the start of an array, passed in the resync offset of md's
 * superblock, which par does not use otherwise. Any other value has no meaning.
 * --update=resync, in every mdadm: make all parity right. --force: start even if a set is
 * dirty and incomplete; --update=par-rescue: start even if metadata is lost, and take each
 * row that the lost blocks described as written and each segment as "home". --create
 * --destroy-par: create a new array though its members hold another one.
 */
#define PAR_ASKS_RESYNC		0
#define PAR_ASKS_FORCE		1
#define PAR_ASKS_RESCUE		2
#define PAR_ASKS_NEW		3

#define PAR_RESCUE_RUNS	BIT(20)	/* of the log that only lost superblocks have known, at most */

/* A new array may have been created with this request. */
static inline bool par_asks_resync(struct mddev *mddev)
{
	return par_resync_offset(mddev) == PAR_ASKS_RESYNC && mddev->events;
}

/*
 * par_birth_find - the log and the share of images: the present ones, or those of a new array.
 * At assembly, before the geometry is known. If the superblocks of an array are lost, logs the
 * shape that a rescue uses. Returns 0 or an error; sleeps.
 * par_birth_check - which members lack the birth record of this array? They get it with the first
 * use: see par_birth_store(). Sleeps.
 */
int par_birth_find(struct mddev *mddev, struct par_scan *scan, struct par_birth *birth);
void par_birth_check(struct par_conf *conf);

/* par_load - find the newest metadata, or create it for a new array; sleeps */
int par_load(struct par_conf *conf);

/*
 * par_load_left - does member @d have the content that it had when it left its place, so
 * that it lacks only the writes to zones marked PAR_INTENT_MISSED? It does not if another
 * disk has had that place since, nor if it is an older copy of the member that left
 * (super.min_seq). Returns the version of its metadata, or 0; sleeps.
 */
u64 par_load_left(struct par_conf *conf, unsigned int d);

/* ---- identity.c ---- */

/*
 * par_identify - some members have superblocks of another array than md's superblock names;
 * @any: other members have superblocks of this one. Sets conf->store->identity.epoch if one
 * epoch belongs to this array; returns -EEXIST if the members have a par array that must
 * not be overwritten. At assembly.
 */
int par_identify(struct par_conf *conf, bool any);

/* ---- assemble.c ---- */

/*
 * par_doubt_stale - more members are missing or in @lacking than parity can replace, and
 * the array is started by force: use the newest of @lacking as they are, as many as
 * necessary, and report what is in doubt then. Before par_map_after_load(). Returns the
 * members that are used.
 */
u32 par_doubt_stale(struct par_conf *conf, u32 lacking);

/*
 * par_doubt_check - refuse to start with rows in doubt, unless the start is forced. Before
 * the sets run. Returns 0 or -EBADMSG.
 */
int par_doubt_check(struct par_conf *conf);

/*
 * par_unite_failures - call a member that is not whole in one set not whole: the union of
 * all records. Refuses if parity cannot replace so many members. At assembly.
 */
int par_unite_failures(struct par_conf *conf);

#endif
