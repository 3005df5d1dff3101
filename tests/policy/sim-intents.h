/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metadata that an array without a kernel writes for its requests: an intent for a zone
 * before the first write to it in a gear, and the map and the intent again when no write has
 * needed the intent for a while. Requests that arrive while a store is under way are stored with
 * the next one.
 *
 * It leaves out the map of a zone that must be stored before its intent, superblocks, and the
 * holding of writes while intents are cleared.
 */
#ifndef TESTS_POLICY_SIM_INTENTS_H
#define TESTS_POLICY_SIM_INTENTS_H

#include "pure/geometry.h"
#include "sim-disk.h"

/**
 * struct intents - times in ns
 * @gear: of each zone: the gear of the stored intent, 0: none; @touched: when the zone was last
 *	written
 * @set: zones that have an intent, @count of @room
 * @begins, @done: of the last requested store; @sector: its last block; @blocks: its number of
 *	blocks
 * @tidy_at: the next search for idle zones, 0: none; @share: the number cleared at a time
 */
struct intents {
	u8 *gear;
	u64 *touched;
	u32 *set;
	size_t count, room;
	u64 begins, done, sector, tidy_at;
	u32 share, blocks;
};

void intents_init(struct intents *intents, const struct par_geometry *geo);
void intents_free(struct intents *intents);

/*
 * intents_admit - a write to row @row of set @set, in gear @gear; returns when its zone has an
 * intent, not before @then. Metadata joins the disks' queues at @now.
 */
u64 intents_admit(struct intents *intents, const struct par_geometry *geo, struct disk *disks,
		  unsigned int gear, unsigned int set, u64 row, u64 now, u64 then);

/* intents_tidy - clear idle intents, if it is time */
void intents_tidy(struct intents *intents, const struct par_geometry *geo, struct disk *disks,
		  unsigned int gear, u64 now);

#endif
