// SPDX-License-Identifier: GPL-2.0
/*
 * Does each member have the metadata that its superblock vouches for? By what format.h says
 * of the fields, not by the module's code.
 *
 * A superblock says up to which sequence number all blocks are on its member. A later start
 * may have this member alone, or beside others that lack the same block: so it has to be
 * true of each member, not of the array as a whole. No read would show a block that one
 * member lacks after a cut, as long as another member has it.
 */
#include <stdio.h>
#include <string.h>

#include "torture.h"

#define BLOCK_CRC	4U
#define MAX_BLOCKS	128U

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

/* Take note of what one member has. */
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

static void check_member(unsigned int d, const u8 *super, const struct newest *list,
			 unsigned int count)
{
	u64 vouched = le(super + 80, 8);
	unsigned int i;

	for (i = 0; i < count; i++)
		if (list[i].seq <= vouched && !has(member_meta(d), super, &list[i]))
			fail("%s: superblock %llu vouches for blocks up to %llu, but version %llu of block %u of kind %u is not there",
			     disk_name(d), (unsigned long long)le(super + 72, 8),
			     (unsigned long long)vouched, (unsigned long long)list[i].seq,
			     list[i].index, list[i].kind);
}

void vouch_check(void)
{
	struct newest list[MAX_BLOCKS];
	unsigned int d, count = 0;

	for (d = 0; d < array.members; d++)
		if (newest_members() & 1U << d)
			count = note_blocks(member_meta(d), member_super(d), list, count);
	for (d = 0; d < array.members; d++)
		if (member_super(d))
			check_member(d, member_super(d), list, count);
	counted.vouched += count;
}
