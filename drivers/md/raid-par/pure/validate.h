/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What metadata with a right checksum may say. The rest of the module relies on
 * each of these bounds without looking again, so whatever is read at assembly
 * passes here first:
 *
 *   identity, geometry, gear	format.c refuses the copy
 *   order of copies, masks	par_super_records_ok(): the copy is as good as torn
 *   positions, settings	par_super_mend(): put right, on the safe side
 *   intents, map		par_block_valid(): the block is as good as torn
 *
 * A copy that is refused is replaced by another member's, as any damaged one is. No
 * version of raid-par stores a value that is refused here.
 *
 * Pure: any context, no locks but the caller's, no I/O.
 */
#ifndef RAID_PAR_VALIDATE_H
#define RAID_PAR_VALIDATE_H

#include "pure/format.h"

/*
 * The largest sequence number of a superblock or a block that is believed. Each
 * store adds one: no array comes near it, and nothing that adds to a smaller one
 * wraps.
 */
#define PAR_SEQ_MAX	BIT_ULL(62)

/* The policy's average of how long members sleep; beyond it sums could wrap. */
#define PAR_SLEEP_MAX	((u64)U32_MAX)

#define PAR_SPEED_MIN	8192U		/* KiB/s: propagation beside foreground I/O */
#define PAR_SPEED_MAX	2097152U	/* and without */

/* Parts of a superblock that par_super_mend() puts right, a bit each. */
enum par_odd {
	PAR_ODD_FLAGS,		/* unknown ones are dropped */
	PAR_ODD_POSITION,	/* a resync or rebuild begins anew */
	PAR_ODD_EVENTS,		/* a child counts from 0 again */
	PAR_ODD_SPEED,		/* defaults */
	PAR_ODD_POWER,		/* defaults */
	PAR_ODD_RATION,		/* of a member: as of a new one */
	PAR_ODD_POLICY,		/* defaults */
	PAR_ODD_HISTORY,	/* that hour is not known */
	PAR_ODD_SCRUB,		/* defaults, and as if all had been read just now */
	PAR_ODDS,
};

/* par_odd_name - what it is, for a message */
const char *par_odd_name(enum par_odd odd);

/*
 * par_super_records_ok - sequence numbers and masks of members. What they say decides
 * which copy is trusted, so nothing is guessed here.
 */
bool par_super_records_ok(const struct par_disk_super *raw,
			  const struct par_geometry *geo);

/*
 * par_super_mend - put all else right that is out of range, and what has never been
 * stored to its defaults. @now: seconds since 1970. Returns what was odd, a bit of
 * enum par_odd each.
 */
u32 par_super_mend(struct par_super *sb, const struct par_geometry *geo, u64 now);

/*
 * par_intents_ok - each of @count bytes names a gear that there is, or none; and no
 * parity to be resynced where there is no parity
 */
bool par_intents_ok(const struct par_geometry *geo, const u8 *bytes, u32 count);

/*
 * par_map_ok - in each row of map block @block either all segments are unwritten or
 * none is: of a row that is half of each, nobody knows what it should read as
 */
bool par_map_ok(const struct par_geometry *geo, u32 block,
		const struct par_disk_block *raw);

/*
 * par_block_valid - is @raw this very block, whole, and does it say nothing but what
 * raid-par stores?
 * par_block_damaged - if not: the sequence number of which it claims to be, if it
 * claims to be this block, else 0
 */
bool par_block_valid(const struct par_disk_block *raw, const struct par_geometry *geo,
		     enum par_block_kind kind, u32 index, u64 epoch);
u64 par_block_damaged(const struct par_disk_block *raw, const struct par_geometry *geo,
		      enum par_block_kind kind, u32 index, u64 epoch);

#endif
