/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decisions about a zone and its intent, so that the stored map, with the stored intents,
 * always names a copy that holds the last acknowledged data. Storing is done by store.c;
 * these functions determine what must have been stored before.
 *
 * Pure: no locks, no I/O. The caller holds the zone lock for a struct par_zone and
 * conf->store->mutex for an intent's byte.
 */
#ifndef RAID_PAR_ZONE_H
#define RAID_PAR_ZONE_H

#include <linux/types.h>

#include "pure/format.h"
#include "pure/states.h"

/**
 * struct par_zone - a run of rows of one set, under its zone lock
 * @intent: the gear whose intent is stored, 0 for none, or PAR_INTENT_CHANGING while it is
 *	being replaced: no write is admitted
 * @stored: its map block has been stored at some time, and the byte of one of its zones says so,
 *	or will when an intent is stored next: no zone of the block has an intent before
 * @dirty: the map in memory differs from the stored one
 * @must_store: since the map was stored, some segment has changed from "image" to "both" or
 *	some row from written to unwritten; that must be stored before a copy may become
 *	newer or a row be started. Or, at assembly, a segment has become "home" since its run
 *	has no slot. PAR_STORING: a snapshot with all such changes is being stored
 * @gains: since the map was stored, a copy has become valid or a row written: the members are
 *	flushed before that is stored. PAR_STORING: the same
 * @held: rows must not be started (their images are being discarded)
 * @starting: rows being started or discarded, under conf->io->row_lock
 * @home, @image: the number of segments in these states
 * @landing: rows whose first writes have not all ended, under conf->io->row_lock
 */
struct par_zone {
	u8 intent;
	bool stored, dirty, held;
	u8 must_store, gains;
	u16 starting;
	u16 landing;
	u16 home, image;
	unsigned long touched;	/* jiffies of the last admission */
};

#define PAR_INTENT_CHANGING	0xff
#define PAR_STORING		2

/*
 * par_zone_admits - may a write that relies on @gear's intent be sent? @diverges: it
 * changes a segment's state or starts a row.
 */
static inline bool par_zone_admits(const struct par_zone *zone,
				   unsigned int gear, bool diverges)
{
	return zone->intent == gear && !(diverges && zone->must_store);
}

/*
 * par_zone_changed - a segment of the zone that was @old has another state in memory from
 * now on; or its row has been started, if @old is PAR_SEG_UNWRITTEN
 */
void par_zone_changed(struct par_zone *zone, enum par_seg_state old);

/*
 * par_zone_may_drop - may a segment of the zone change from "both" to "home" without a write? Not
 * while the stored map may call it "image": a write to it would not change its state any more, so
 * @must_store would not hold it back.
 */
static inline bool par_zone_may_drop(const struct par_zone *zone)
{
	return !zone->must_store;
}

/*
 * par_zone_skips - may a resync or rebuild skip the unwritten rows of the zone? The stored map may
 * call one written that has been cleared; and of one that is being started, some blocks may have
 * been written before the member that is rebuilt was there.
 */
static inline bool par_zone_skips(const struct par_zone *zone)
{
	return !zone->must_store && !zone->starting;
}

/*
 * par_zone_doubt - at assembly: memory may say something else of the zone than the stored map. The
 * kernel may have crashed, and the power not: disks may still hold what was written.
 */
static inline void par_zone_doubt(struct par_zone *zone)
{
	zone->dirty = true;
	zone->gains = 1;
}

/* par_zone_cleared - a row of the zone is unwritten in memory from now on */
void par_zone_cleared(struct par_zone *zone);

/* What must be stored for a zone before writes are admitted, in the order of storing. */
enum par_zone_need {
	PAR_ZONE_READY,		/* nothing */
	PAR_ZONE_INTENT,	/* the intent */
	PAR_ZONE_MAP,		/* its map block, then the intent */
};

/*
 * par_zone_begin - @gear's intent is asked for. If the map has to be stored first, no write
 * is admitted until par_zone_publish().
 */
enum par_zone_need par_zone_begin(struct par_zone *zone, unsigned int gear);

/*
 * par_zone_close - the zone is idle: admit no more writes, so that its intent can be
 * cleared. Returns false if it has no intent or if a row is being started.
 */
bool par_zone_close(struct par_zone *zone);

/*
 * par_zone_snapshot - the map of the zone is being copied, under the same lock. If it has
 * @gains, the members are flushed after that and before the copy is written.
 * par_zone_stored - the copy is stable
 */
void par_zone_snapshot(struct par_zone *zone);
void par_zone_stored(struct par_zone *zone);

/*
 * par_zone_publish - the byte that par_intent_set() made for @gear is stable. For gear 0
 * every write that was admitted must have ended and been flushed, and the map be stored,
 * before that byte is written.
 */
void par_zone_publish(struct par_zone *zone, unsigned int gear);

/*
 * par_zone_load - set the zone up from its stored byte when the array starts. Returns the
 * new byte: an intent that is set means that the array was not stopped properly, so that
 * parity (if there is any) must be resynced, and no write is admitted before the map is
 * stored with the states of par_seg_after_crash().
 */
u8 par_zone_load(struct par_zone *zone, u8 byte, bool parity);

/*
 * par_intent_set - the byte to be stored in place of @byte, with @gear's intent or none
 * (0). @incomplete: a member is missing or has not been rebuilt yet.
 */
u8 par_intent_set(u8 byte, const struct par_zone *zone, unsigned int gear,
		  bool incomplete);

/*
 * par_zone_misses - would a member that is lost now lack a write to the zone, or a copy?
 * @byte: the zone's intent byte. To be called between a flush and a store that relies on
 * it: a member that was lost in the flush may lack what was flushed.
 */
bool par_zone_misses(const struct par_zone *zone, u8 byte);

#endif
