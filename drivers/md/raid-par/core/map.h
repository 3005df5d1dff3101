/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The map in memory: map.c.
 */
#ifndef RAID_PAR_MAP_H
#define RAID_PAR_MAP_H

#include <linux/spinlock.h>

#include "pure/format.h"
#include "pure/states.h"
#include "pure/zone.h"

#define PAR_ZONE_LOCKS	64U

struct par_conf;
struct par_set;

/**
 * struct par_map_block - a map block, or another block of metadata, which has no payload here
 * @payload: allocated, or NULL while all of it is unwritten
 * @slot: where the newest stored version is: 0 or 1; @seq: its sequence number
 * @astray: after a start, members whose own newest version, an older one, is in the other slot
 */
struct par_map_block {
	u8 *payload;
	u8 slot;
	u32 astray;
	u64 seq;
};

/* struct par_map - of an array; @zone_lock: protects zones and their part of the map, hashed */
struct par_map {
	struct par_map_block *block;
	struct par_zone *zone;
	spinlock_t zone_lock[PAR_ZONE_LOCKS];	/* see above */
};

int par_map_alloc(struct par_conf *conf);
void par_map_free(struct par_conf *conf);

/*
 * par_map_written - is the row written? Lockless: true is stable unless the
 * row is being discarded, which raid5 keeps apart from other requests.
 */
bool par_map_written(struct par_set *set, u64 row);

/* par_map_get - state of member @d's segment; non-sleepers are "both" or unwritten */
enum par_seg_state par_map_get(struct par_set *set, u64 row, unsigned int d);

/* par_map_set - change one sleeper's segment in a written row; zone lock held */
void par_map_set(struct par_set *set, u64 row, unsigned int d,
		 enum par_seg_state state);

/*
 * par_map_start_row - unwritten → written, each sleeper's segment in the state
 * that gear @gear gives it. Zone lock held; its block has been prepared.
 */
void par_map_start_row(struct par_set *set, u64 row, unsigned int gear);

/* par_map_clear_row - written → unwritten; zone lock held */
void par_map_clear_row(struct par_set *set, u64 row);

/* par_map_prepare - allocate the block of a zone; may sleep, GFP_NOIO */
void par_map_prepare(struct par_conf *conf, u32 zone);

/* par_map_locked_state - par_map_get() under the zone lock */
enum par_seg_state par_map_locked_state(struct par_set *set, u64 row,
					unsigned int d);

/*
 * par_map_find - the next row ≥ @row in which the segment of one of members
 * @low … @high-1 is @state, or sg->rows. Sleeps now and then.
 */
u64 par_map_find(struct par_set *set, u64 row, unsigned int low,
		 unsigned int high, enum par_seg_state state);

/* par_map_next_written - the first written row of [@row, @end), or @end; sleeps */
u64 par_map_next_written(struct par_set *set, u64 row, u64 end);

/* par_block_set - the set that a map block belongs to */
struct par_set *par_block_set(struct par_conf *conf, u32 block);

/* par_block_zones - zones of a map block: [*first, return value) */
u32 par_block_zones(struct par_conf *conf, u32 block, u32 *first);

/*
 * par_map_distrust - the map of the zone may be older than the stored one; the zone was written in
 * @gear last, if at all: rows may have been started since, perhaps in the top gear, and segments
 * that are "both" may be newer on one side. At assembly, before par_map_after_load().
 */
void par_map_distrust(struct par_conf *conf, u32 zone, unsigned int gear);

/*
 * par_map_after_load - apply @intents, which were set when the array was last stopped or
 * crashed, and count the segments. Called before any request.
 */
void par_map_after_load(struct par_conf *conf, const u8 *intents);

/* par_segments - how many segments of all sleepers are in @state */
u64 par_segments(struct par_conf *conf, enum par_seg_state state);

/* par_segments_above - the same of those that sleep in gear @gear */
u64 par_segments_above(struct par_conf *conf, unsigned int gear,
		       enum par_seg_state state);

#endif
