// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "pure/tidy-plan.h"
#include "sim-intents.h"

#define IDLE	(PAR_TIDY_S * NSEC_PER_SEC)
#define PAUSE	(PAR_TIDY_PAUSE_MS * NSEC_PER_MSEC)

static u32 zone_of(const struct par_geometry *geo, unsigned int set, u64 row)
{
	return geo->set[set].zone_base + (row >> PAR_ZONE_SHIFT);
}

static u64 intent_sector(u32 zone)
{
	return par_intent_sector(zone / PAR_BLOCK_PAYLOAD, 0);
}

static u64 map_sector(const struct par_geometry *geo, u32 zone)
{
	return par_map_sector(geo, par_zone_block(geo, zone), 0);
}

/* Write to all members that are awake; returns when the last one is done. */
static u64 store_block(const struct par_geometry *geo, struct disk *disks, unsigned int gear, u64 now, u64 sector)
{
	u64 done = now;
	unsigned int d;

	for (d = 0; d < geo->set[gear].members; d++)
		done = max(done, disk_send(&disks[d], now, sector, PAR_BLOCK_SECTORS, DISK_WRITE_THROUGH));
	return done;
}

/* Add a block to a store: all of them are adjacent, and are sent at once. */
static u64 add_block(const struct par_geometry *geo, struct disk *disks, unsigned int gear, u64 done, u32 blocks)
{
	unsigned int d;

	for (d = 0; d < geo->set[gear].members; d++)
		done = max(done, disk_send_with(&disks[d], blocks - 1));
	return done;
}

static void set_intent(struct intents *intents, u32 zone, unsigned int gear)
{
	if (!intents->gear[zone]) {
		if (intents->count == intents->room) {
			intents->room = intents->room ? 2 * intents->room : 256;
			intents->set = realloc(intents->set, intents->room * sizeof(*intents->set));
			if (!intents->set)
				abort();
		}
		intents->set[intents->count++] = zone;
	}
	intents->gear[zone] = gear;
}

u64 intents_admit(struct intents *intents, const struct par_geometry *geo, struct disk *disks,
		  unsigned int gear, unsigned int set, u64 row, u64 now, u64 then)
{
	u32 zone = zone_of(geo, set, row);
	bool follows = zone && intents->gear[zone - 1] == gear;
	u64 sector = intent_sector(zone);

	intents->touched[zone] = then;
	/* An intent that has just been requested may still be on its way. */
	if (intents->gear[zone] == gear)
		return then;
	if (then > intents->begins) {
		intents->begins = max(then, intents->done);
		intents->done = intents->begins;
		intents->blocks = 0;
	}
	if (!intents->blocks)
		intents->done = max(intents->done, store_block(geo, disks, gear, now, sector));
	else if (sector != intents->sector)
		intents->done = add_block(geo, disks, gear, intents->done, intents->blocks);
	intents->blocks += !intents->blocks || sector != intents->sector;
	intents->sector = sector;
	set_intent(intents, zone, gear);
	/* For a writer that goes through one zone after the other, the next one is prepared. */
	if (follows && zone + 1 < geo->zones && intents->gear[zone + 1] != gear) {
		set_intent(intents, zone + 1, gear);
		intents->touched[zone + 1] = then;
	}
	if (!intents->tidy_at)
		intents->tidy_at = then + IDLE;
	return intents->done;
}

static bool is_idle(const struct intents *intents, u32 zone, u64 now)
{
	return intents->touched[zone] + IDLE < now;
}

static u32 count_idle(const struct intents *intents, u64 now)
{
	u32 idle = 0;
	size_t i;

	for (i = 0; i < intents->count; i++)
		idle += is_idle(intents, intents->set[i], now);
	return idle;
}

static void flush(const struct par_geometry *geo, struct disk *disks, unsigned int gear, u64 now)
{
	unsigned int d;

	for (d = 0; d < geo->set[gear].members; d++)
		disk_flush(&disks[d], now);
}

static int by_number(const void *one, const void *other)
{
	u32 a = *(const u32 *)one, b = *(const u32 *)other;

	return a < b ? -1 : a > b;
}

/* A block with several of @zones, which are sorted, is stored once. */
static void store_blocks(const struct par_geometry *geo, struct disk *disks, unsigned int gear, u64 now,
			 const u32 *zones, u32 count, bool map)
{
	u64 sector, last = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		sector = map ? map_sector(geo, zones[i]) : intent_sector(zones[i]);
		if (sector != last)
			store_block(geo, disks, gear, now, sector);
		last = sector;
	}
}

/* Remove up to @intents->share idle zones from the list. */
static u32 take_idle(struct intents *intents, u64 now, u32 *zones)
{
	u32 taken = 0;
	size_t i, kept = 0;

	for (i = 0; i < intents->count; i++) {
		u32 zone = intents->set[i];

		if (taken < intents->share && is_idle(intents, zone, now)) {
			intents->gear[zone] = 0;
			zones[taken++] = zone;
		} else {
			intents->set[kept++] = zone;
		}
	}
	intents->count = kept;
	return taken;
}

void intents_tidy(struct intents *intents, const struct par_geometry *geo, struct disk *disks,
		  unsigned int gear, u64 now)
{
	u32 idle, taken, *zones;

	if (!intents->tidy_at || intents->tidy_at > now)
		return;
	idle = count_idle(intents, now);
	if (!intents->share)
		intents->share = par_tidy_share(idle);
	zones = malloc(intents->share * sizeof(*zones));
	if (!zones)
		abort();
	taken = take_idle(intents, now, zones);
	if (taken) {
		qsort(zones, taken, sizeof(*zones), by_number);
		flush(geo, disks, gear, now);
		store_blocks(geo, disks, gear, now, zones, taken, true);
		store_blocks(geo, disks, gear, now, zones, taken, false);
	}
	free(zones);
	if (taken == idle)
		intents->share = 0;
	intents->tidy_at = !intents->count ? 0 : now + (taken < idle ? PAUSE : IDLE);
}

/* Most zones are never used: pages that are not touched take no memory. */
void intents_init(struct intents *intents, const struct par_geometry *geo)
{
	intents->gear = zeroed(geo->zones, sizeof(*intents->gear));
	intents->touched = zeroed(geo->zones, sizeof(*intents->touched));
}

void intents_free(struct intents *intents)
{
	free(intents->gear);
	free(intents->touched);
	free(intents->set);
}
