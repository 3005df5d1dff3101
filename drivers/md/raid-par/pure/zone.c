// SPDX-License-Identifier: GPL-2.0
/*
 * Zones: see zone.h for the contract, and the design document, section
 * "Invariants, and where they are kept", for the reasons.
 */
#include <linux/kernel.h>
#include <kunit/visibility.h>

#include "pure/zone.h"

void par_zone_changed(struct par_zone *zone, enum par_seg_state old)
{
	zone->dirty = true;
	/* From "both", one copy becomes invalid, and nothing else is said of the other. */
	if (old != PAR_SEG_BOTH)
		zone->gains = 1;
	/*
	 * While the stored map says "image", the home copy must not become newer. The
	 * opposite change happens only after a shift, which stores everything.
	 */
	if (old == PAR_SEG_IMAGE)
		zone->must_store = 1;
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_changed);

void par_zone_cleared(struct par_zone *zone)
{
	zone->dirty = true;
	/*
	 * If the row is started again, its segments could be valid on the other side than
	 * in the stored map: the zone must be stored before that.
	 */
	zone->must_store = 1;
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_cleared);

/*
 * The map must be stored before an intent changes from one gear's to another's, and before
 * a segment that was stored as valid on one side becomes newer on the other. It must also be
 * stored before the first intent of its block: a start reads only blocks that the byte of some
 * zone calls stored, and bytes are stored with intents only. Otherwise, what is stored of the
 * block while the zone has this intent would not count after a crash.
 */
enum par_zone_need par_zone_begin(struct par_zone *zone, unsigned int gear)
{
	if (zone->must_store || !zone->stored || (zone->intent && zone->intent != gear)) {
		zone->intent = PAR_INTENT_CHANGING;
		return PAR_ZONE_MAP;
	}
	return zone->intent == gear ? PAR_ZONE_READY : PAR_ZONE_INTENT;
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_begin);

bool par_zone_close(struct par_zone *zone)
{
	if (!zone->intent || zone->starting)
		return false;
	zone->intent = PAR_INTENT_CHANGING;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_close);

/* Changes from here on make the zone dirty again. */
void par_zone_snapshot(struct par_zone *zone)
{
	zone->dirty = false;
	if (zone->must_store)
		zone->must_store = PAR_STORING;
	if (zone->gains)
		zone->gains = PAR_STORING;
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_snapshot);

void par_zone_stored(struct par_zone *zone)
{
	zone->stored = true;
	if (zone->must_store == PAR_STORING)
		zone->must_store = 0;
	if (zone->gains == PAR_STORING)
		zone->gains = 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_stored);

void par_zone_publish(struct par_zone *zone, unsigned int gear)
{
	zone->intent = gear;
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_publish);

u8 par_zone_load(struct par_zone *zone, u8 byte, bool parity)
{
	zone->stored = byte & PAR_INTENT_STORED;
	if (!(byte & PAR_INTENT_GEAR))
		return byte;
	zone->intent = PAR_INTENT_CHANGING;
	par_zone_doubt(zone);
	return parity ? byte | PAR_INTENT_RESYNC : byte;
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_load);

u8 par_intent_set(u8 byte, const struct par_zone *zone, unsigned int gear,
		  bool incomplete)
{
	byte = (byte & ~PAR_INTENT_GEAR) | gear;
	if (gear && incomplete)
		byte |= PAR_INTENT_MISSED;
	if (zone->stored)
		byte |= PAR_INTENT_STORED;
	return byte;
}
EXPORT_SYMBOL_IF_KUNIT(par_intent_set);

bool par_zone_misses(const struct par_zone *zone, u8 byte)
{
	/* Home copies may still be in the cache of their member. */
	return byte & (PAR_INTENT_GEAR | PAR_INTENT_RESYNC) ||
	       READ_ONCE(zone->must_store);
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_misses);
