// SPDX-License-Identifier: GPL-2.0
/*
 * Does each member have the metadata that its superblock vouches for, and does its metadata
 * agree with what should have been stored before? According to the fields' description in
 * format.h, not to the module's code.
 *
 * A superblock says up to which sequence number all blocks have been stored: on each member that
 * never sleeps, unless the superblock calls the member failed. A later start may have this member
 * alone, or with others that lack the same block: so the claim has to be true for each of them, not
 * for the array as a whole. No read would reveal a block that one member lacks after a cut, as long
 * as another member has it. Members that may sleep have no blocks.
 *
 * A set is resynced by the marks of its zones. They are removed after a superblock has said
 * that the set is in sync: if a superblock says the opposite and there is no mark, it is
 * not known what is left to be resynced.
 *
 * A superblock says for each member which version its copy must have at least. When an
 * array has been stopped, that version has to be newer than any from when the array was in
 * use: otherwise an older copy of the member, put in its place, would be taken for the
 * member.
 */
#include <stdio.h>
#include <string.h>

#include "torture.h"

#define BLOCK_CRC	4U
#define MAX_BLOCKS	128U
#define INTENTS		(128U * SECTOR)	/* the first intent block: two slots */
#define ZONE_ROWS	512U
#define GEAR		0x1f	/* of an intent's byte */
#define RESYNC		0x40
#define STORED		0x80
#define MAP		2	/* a block of this kind */
#define PAYLOAD		3840U	/* bytes */
#define IN_SYNC		UINT64_MAX
#define CLEAN		1U	/* of a superblock's flags */

/* The newest version of a block on members with the newest superblock. */
struct newest {
	u32 kind, index;
	u64 seq;
};

static bool is_block(const u8 *raw, const u8 *super)
{
	return !memcmp(raw, "PARB", 4) && le(raw + 16, 8) == le(super + 64, 8) &&
	       sealed(raw, BLOCK_CRC);
}

/* Note the blocks of one member. */
static unsigned int note_blocks(const u8 *meta, const u8 *super, struct newest *list,
				unsigned int count)
{
	const u8 *raw;
	unsigned int i;

	for (raw = meta + 2 * META_BLOCK; raw < meta + META_MAX * SECTOR; raw += META_BLOCK) {
		struct newest one = { le(raw + 8, 4), le(raw + 12, 4), le(raw + 24, 8) };

		if (!is_block(raw, super))
			continue;
		for (i = 0; i < count; i++)
			if (list[i].kind == one.kind && list[i].index == one.index)
				break;
		if (i == MAX_BLOCKS)
			fail("more than %u blocks of metadata", MAX_BLOCKS);
		if (i == count)
			list[count++] = one;
		else if (one.seq > list[i].seq)
			list[i] = one;
	}
	return count;
}

static bool has(const u8 *meta, const u8 *super, const struct newest *block)
{
	const u8 *raw;

	for (raw = meta + 2 * META_BLOCK; raw < meta + META_MAX * SECTOR; raw += META_BLOCK)
		if (is_block(raw, super) && le(raw + 8, 4) == block->kind &&
		    le(raw + 12, 4) == block->index && le(raw + 24, 8) == block->seq)
			return true;
	return false;
}

/* The newest version of the first intent block, on the members with the newest superblock. */
static const u8 *newest_intents(void)
{
	const u8 *best = NULL;
	unsigned int d, slot;

	for (d = 0; d < array.gear[0]; d++)
		for (slot = 0; newest_members() & 1U << d && slot < 2; slot++) {
			const u8 *raw = member_meta(d) + INTENTS + slot * META_BLOCK;

			if (is_block(raw, member_super(d)) &&
			    (!best || le(raw + 24, 8) > le(best + 24, 8)))
				best = raw;
		}
	return best;
}

static u64 zones_of(const u8 *super, const u8 *set)
{
	u64 rows = le(set + 8, 8) / le(super + 100, 4);

	return (rows + ZONE_ROWS - 1) / ZONE_ROWS;
}

/*
 * A start reads a map block only if an intent of one of its zones says that it has been
 * stored: without that, a cut may have left the block on some members only, and nothing
 * depends on it.
 */
static bool is_read(const struct newest *block, const u8 *super, const u8 *intents)
{
	u64 zones, each, first, zone, blocks = 0, base = 0;
	unsigned int i = array.gears;

	if (block->kind != MAP || !intents)
		return true;
	while (i-- > 0) {
		each = PAYLOAD * 8 / ZONE_ROWS / (i ? 2 * (array.gear[i] - array.gear[0]) : 1);
		zones = zones_of(super, super + 256 + 48 * i);
		if (block->index >= blocks && block->index < blocks + (zones + each - 1) / each) {
			first = (block->index - blocks) * each;
			for (zone = first; zone < zones && zone < first + each; zone++)
				if (intents[64 + base + zone] & STORED)
					return true;
			return false;
		}
		blocks += (zones + each - 1) / each;
		base += zones;
	}
	return false;
}

static void check_member(unsigned int d, const u8 *super, const struct newest *list,
			 unsigned int count)
{
	const u8 *intents = newest_intents();
	u64 vouched = le(super + 80, 8);
	unsigned int i;

	for (i = 0; i < count; i++)
		if (list[i].seq <= vouched && is_read(&list[i], super, intents) &&
		    !has(member_meta(d), super, &list[i]))
			fail("%s: superblock %llu vouches for blocks up to %llu, but version %llu of block %u of kind %u is not there",
			     disk_name(d), (unsigned long long)le(super + 72, 8),
			     (unsigned long long)vouched, (unsigned long long)list[i].seq,
			     list[i].index, list[i].kind);
}

/* A set that is not in sync has zones with marks for its resync. */
static void check_resync(const u8 *super, const u8 *intents)
{
	const u8 *set, *zone = intents + 64;
	unsigned int i = array.gears;
	u64 zones;
	bool any;

	while (i-- > 0) {
		set = super + 256 + 48 * i;
		any = false;
		for (zones = zones_of(super, set); zones; zones--)
			any |= *zone++ & (GEAR | RESYNC);
		if (!any && le(set + 32, 8) != IN_SYNC)
			fail("superblock %llu vouches for a resync of the set of %u that has not ended, but no zone is marked for it",
			     (unsigned long long)le(super + 72, 8), array.gear[i]);
	}
}

/* Does the superblock call the member failed in a set? */
static bool is_failed(const u8 *super, unsigned int d)
{
	unsigned int i;
	u64 failed = 0;

	for (i = 0; array.parities && i < array.gears; i++)
		failed |= le(super + 256 + 48 * i + 16, 4);
	return failed >> d & 1;
}

void vouch_check(void)
{
	struct newest list[MAX_BLOCKS], none[MAX_BLOCKS];
	const u8 *super = NULL;
	unsigned int d, count = 0;

	for (d = 0; d < array.members; d++)
		if (newest_members() & 1U << d)
			super = member_super(d);
	for (d = 0; super && d < array.gear[0]; d++)
		if (newest_members() & 1U << d && !is_failed(super, d))
			count = note_blocks(member_meta(d), super, list, count);
	for (d = 0; d < array.members; d++) {
		const u8 *own = member_super(d);

		if (own && d < array.gear[0] && !is_failed(super, d) && !is_failed(own, d))
			check_member(d, own, list, count);
		if (own && d >= array.gear[0] && note_blocks(member_meta(d), own, none, 0))
			fail("%s: a member that may sleep has blocks of metadata", disk_name(d));
	}
	if (super && newest_intents())
		check_resync(super, newest_intents());
	counted.vouched += count;
}

void vouch_stopped(void)
{
	unsigned int d, slot;

	for (d = 0; d < array.members; d++) {
		const u8 *super = member_super(d), *old;
		u64 held;

		if (!(newest_members() & 1U << d) || !(le(super + 140, 4) & CLEAN))
			continue;
		held = le(super + 1552 + 8 * d, 8);
		for (slot = 0; slot < 2; slot++) {
			old = member_meta(d) + slot * META_BLOCK;
			if (is_super(old) && !(le(old + 140, 4) & CLEAN) && le(old + 72, 8) >= held)
				fail("%s: superblock %llu of the stopped array vouches for a copy of the member with version %llu, from when the array was in use",
				     disk_name(d), (unsigned long long)le(super + 72, 8),
				     (unsigned long long)le(old + 72, 8));
		}
	}
}
