/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allowed values in metadata with a right checksum. The rest of the module relies on each
 * of these bounds without checking again, so everything that is read at assembly is checked
 * here first:
 *
 *   identity, geometry, gear	format.c refuses the copy
 *   order of copies, masks	par_super_records_ok(): the copy is handled as torn
 *   positions, settings	par_super_mend(): corrected to a safe value
 *   intents, map		par_block_valid(): the block is handled as torn
 *
 * A copy that is refused is replaced by another member's, like any damaged one. No version
 * of raid-par stores a value that is refused here.
 *
 * Pure: any context, no locks but the caller's, no I/O.
 */
#ifndef RAID_PAR_VALIDATE_H
#define RAID_PAR_VALIDATE_H

#include "pure/format.h"

/*
 * The largest valid sequence number of a superblock or a block. Each store adds one: no
 * array comes near it, and additions to a smaller one cannot wrap.
 */
#define PAR_SEQ_MAX	BIT_ULL(62)

/* The maximum of the policy's average time for which members sleep; larger sums could wrap. */
#define PAR_SLEEP_MAX	((u64)U32_MAX)

#define PAR_SPEED_MIN	8192U		/* KiB/s: propagation beside foreground I/O */
#define PAR_SPEED_MAX	2097152U	/* without foreground I/O */

/* Parts of a superblock that par_super_mend() corrects, a bit each. */
enum par_odd {
	PAR_ODD_FLAGS,		/* unknown flags are dropped */
	PAR_ODD_POSITION,	/* a resync or rebuild begins anew */
	PAR_ODD_EVENTS,		/* a child counts from 0 again */
	PAR_ODD_SPEED,		/* defaults */
	PAR_ODD_POWER,		/* defaults */
	PAR_ODD_RATION,		/* of a member: set as for a new one */
	PAR_ODD_POLICY,		/* defaults */
	PAR_ODD_HISTORY,	/* the hour becomes unknown */
	PAR_ODD_SCRUB,		/* defaults, and as if all sets had been read just now */
	PAR_ODD_FILL,		/* defaults */
	PAR_ODDS,
};

/* par_odd_name - the name of the part, for a message */
const char *par_odd_name(enum par_odd odd);

/*
 * par_super_records_ok - check sequence numbers and masks of members. They decide which
 * copy is trusted, so they are not corrected.
 */
bool par_super_records_ok(const struct par_disk_super *raw,
			  const struct par_geometry *geo);

/*
 * par_super_mend - correct all other values that are out of range. @now: seconds since 1970.
 * Returns what was corrected, a bit of enum par_odd each.
 * par_super_defaults - set the records of power, policy, checks and fills of a new array
 */
void par_super_defaults(struct par_super *sb, const struct par_geometry *geo, u64 now);
u32 par_super_mend(struct par_super *sb, const struct par_geometry *geo, u64 now);

/*
 * par_intents_ok - does each of @count bytes name an existing gear, or none? An array
 * without parity must not have parity to be resynced, either.
 */
bool par_intents_ok(const struct par_geometry *geo, const u8 *bytes, u32 count);

/*
 * par_map_ok - in each row of map block @block, are either all segments unwritten, or none?
 * The content of any other row would be undefined.
 */
bool par_map_ok(const struct par_geometry *geo, u32 block,
		const struct par_disk_block *raw);

/*
 * par_slots_ok - does block @block of the slot maps name runs that there are, and none for slots
 * that there are not?
 */
bool par_slots_ok(const struct par_geometry *geo, u32 block, const struct par_disk_block *raw);

/*
 * par_block_valid - is @raw this block of this array, intact, and with allowed values only?
 * par_block_damaged - if not: the sequence number in its header, if it claims to be this
 * block, else 0
 */
bool par_block_valid(const struct par_disk_block *raw, const struct par_geometry *geo,
		     enum par_block_kind kind, u32 index, u64 epoch);
u64 par_block_damaged(const struct par_disk_block *raw, const struct par_geometry *geo,
		      enum par_block_kind kind, u32 index, u64 epoch);

#endif
