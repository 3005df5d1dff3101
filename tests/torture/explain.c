// SPDX-License-Identifier: GPL-2.0
/*
 * The content of the disks according to the documents, not to the module's code: the places
 * of a sector's home copy and image, their content, and the states that the stored map gave
 * for them before the array was assembled. Printed only when a failure has to be explained.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "torture.h"

#define PAYLOAD		3840U
#define ZONE_ROWS	512U

/* The newest superblock, as format.h has it. */
struct super {
	u64 seq, epoch, meta;
	u32 segment, sets, gear, flags;
	struct { u64 start, sectors, resync; u32 failed, recovering; } set[MAX_GEARS];
};

/* With blocks of 4 KiB a single sector is read with its neighbours. */
static bool disk_read_one(unsigned int d, u64 sector, void *data)
{
	u8 block[8 * SECTOR];

	if (!disk_read(d, sector & ~7ULL, block, 8))
		return false;
	memcpy(data, block + (sector & 7) * SECTOR, SECTOR);
	return true;
}

/* False if no member has one. */
static bool newest_super(struct super *sb)
{
	const u8 *raw = NULL, *set;
	unsigned int d, i;

	for (d = 0; d < array.members && !raw; d++)
		raw = newest_members() & 1U << d ? member_super(d) : NULL;
	if (!raw)
		return false;
	sb->seq = le(raw + 72, 8);
	sb->epoch = le(raw + 64, 8);
	sb->segment = le(raw + 100, 4);
	sb->meta = le(raw + 112, 8);
	sb->sets = le(raw + 128, 4);
	sb->gear = le(raw + 132, 4);
	sb->flags = le(raw + 140, 4);
	for (i = 0; i < array.gears; i++) {
		set = raw + 256 + 48 * i;
		sb->set[i].start = le(set, 8);
		sb->set[i].sectors = le(set + 8, 8);
		sb->set[i].failed = le(set + 16, 4);
		sb->set[i].recovering = le(set + 20, 4);
		sb->set[i].resync = le(set + 32, 8);
	}
	return true;
}

/* ---- the map ---- */

/* The newest version of an intent (1) or map (2) block, or NULL. */
static const u8 *newest_block(const struct super *sb, unsigned int kind,
			      unsigned int index, u64 sector)
{
	const u8 *best = NULL;
	unsigned int d, slot;

	for (d = 0; d < array.members; d++)
		for (slot = 0; member_meta(d) && slot < 2; slot++) {
			const u8 *raw = member_meta(d) + (sector + 8 * slot) * SECTOR;

			if (sector + 16 > META_MAX || memcmp(raw, "PARB", 4))
				continue;
			if (le(raw + 8, 4) != kind || le(raw + 12, 4) != index ||
			    le(raw + 16, 8) != sb->epoch)
				continue;
			if (!best || le(raw + 24, 8) > le(best + 24, 8))
				best = raw;
		}
	return best;
}

struct place {
	unsigned int set;	/* index of the gear, 0 the lowest */
	unsigned int member;
	u64 row, within;	/* sectors from the row's start */
};

static unsigned int set_width(unsigned int set)
{
	return set ? 2 * (array.gear[set] - array.gear[0]) : 1;
}

static u64 set_zones(const struct super *sb, unsigned int set)
{
	u64 rows = sb->set[set].sectors / sb->segment;

	return (rows + ZONE_ROWS - 1) / ZONE_ROWS;
}

static void tell_map(const struct super *sb, const struct place *at)
{
	static const char *const names[] = { "unwritten", "both", "home", "image" };
	unsigned int width = set_width(at->set), per_block = PAYLOAD * 8 / ZONE_ROWS / width;
	u64 zone = at->row / ZONE_ROWS, zones = 0, blocks = 0, intent_blocks, all = 0, bit;
	const u8 *intents, *map;
	unsigned int i, state;

	for (i = array.gears; i-- > 0; all += set_zones(sb, i))
		if (i > at->set) {
			unsigned int each = PAYLOAD * 8 / ZONE_ROWS / set_width(i);

			zones += set_zones(sb, i);
			blocks += (set_zones(sb, i) + each - 1) / each;
		}
	intent_blocks = (all + PAYLOAD - 1) / PAYLOAD;
	intents = newest_block(sb, 1, (zones + zone) / PAYLOAD,
			       128 + 16 * ((zones + zone) / PAYLOAD));
	blocks += zone / per_block;
	map = newest_block(sb, 2, blocks, 128 + 16 * (intent_blocks + blocks));
	bit = (zone % per_block * ZONE_ROWS + at->row % ZONE_ROWS) * width;
	if (at->set && at->member >= array.gear[0])
		bit += 2 * (at->member - array.gear[0]);
	state = map ? map[64 + bit / 8] >> bit % 8 & (width == 1 ? 1 : 3) : 0;
	say("    zone %llu of the set: intent %02x (seq %llu), map %s (seq %llu)",
	    (unsigned long long)zone,
	    intents ? intents[64 + (zones + zone) % PAYLOAD] : 0xee,
	    intents ? (unsigned long long)le(intents + 24, 8) : 0,
	    map ? names[state] : "never stored",
	    map ? (unsigned long long)le(map + 24, 8) : 0);
}

/* ---- the place of a sector ---- */

/* md's left-symmetric layout. */
static struct place place_in(const struct super *sb, unsigned int set, u64 sector)
{
	unsigned int n = array.gear[set], data = n - array.parities, p;
	u64 chunk = sector / CHUNK, stripe = chunk / data, offset;
	struct place at = { .set = set };

	p = n - 1 - stripe % n;
	at.member = array.parities ? (p + array.parities + chunk % data) % n : chunk % data;
	offset = stripe * CHUNK + sector % CHUNK;
	at.row = offset / sb->segment;
	at.within = offset % sb->segment;
	return at;
}

static u64 home_sector(const struct super *sb, const struct place *at)
{
	return member_data(at->member) + sb->set[at->set].start +
	       at->row * sb->segment + at->within;
}

/* Do the home copies of all members give the right P? */
static bool xor_is_zero(const struct super *sb, struct place at)
{
	u8 sum[SECTOR] = { 0 }, data[SECTOR];
	unsigned int i;

	for (at.member = 0; at.member < array.gear[at.set]; at.member++) {
		if (!disk_read_one(at.member, home_sector(sb, &at), data))
			return false;
		for (i = 0; i < SECTOR; i++)
			sum[i] ^= data[i];
	}
	for (i = 0; i < SECTOR; i++)
		if (sum[i])
			return false;
	return true;
}

/* The image of a place; only of members that can sleep. */
static struct place image_of(const struct super *sb, const struct place *at)
{
	unsigned int gear = array.gears - 2;
	u64 x, segment;

	while (array.gear[gear] > at->member)
		gear--;
	x = sb->set[at->set].start - sb->meta + at->row * sb->segment;
	segment = x / sb->segment * (array.gear[gear + 1] - array.gear[gear]) +
		  at->member - array.gear[gear];
	return place_in(sb, gear, segment * sb->segment + at->within);
}

static void tell_place(const struct super *sb, struct place at, u32 sector)
{
	char words[128] = "unreadable";
	u8 data[SECTOR];

	if (disk_read_one(at.member, home_sector(sb, &at), data))
		sector_words(data, sector, words, sizeof(words));
	say("  set of %u: member %u, row %llu, its segment's sector %llu; %s sector %llu holds: %s",
	    array.gear[at.set], at.member, (unsigned long long)at.row,
	    (unsigned long long)at.within, disk_name(at.member),
	    (unsigned long long)home_sector(sb, &at), words);
	if (array.parities == 1)
		say("    the home copies of all members %s",
		    xor_is_zero(sb, at) ? "add up" : "do not add up");
	tell_map(sb, &at);
	if (at.member >= array.gear[0])
		tell_place(sb, image_of(sb, &at), sector);
}

void explain_sector(u32 sector)
{
	struct super sb;

	if (!newest_super(&sb)) {
		say("  no superblock was found before the assembly");
		return;
	}
	say("where sector %u lies, home first, then its image; the map as stored before the assembly:",
	    sector);
	tell_place(&sb, place_in(&sb, array.gears - 1, sector), sector);
}

void explain_state(void)
{
	struct super sb;
	unsigned int i;

	if (!newest_super(&sb))
		return;
	say("superblock before the assembly: seq %llu on members %x, gear %u, flags %u",
	    (unsigned long long)sb.seq, newest_members(), sb.gear, sb.flags);
	for (i = array.gears; i-- > 0;)
		say("  set of %u: from %llu, %llu sectors, failed %x, recovering %x, resync from %lld",
		    array.gear[i], (unsigned long long)sb.set[i].start,
		    (unsigned long long)sb.set[i].sectors, sb.set[i].failed,
		    sb.set[i].recovering, (long long)sb.set[i].resync);
}

bool find_copy(u32 sector, enum copy copy, unsigned int *d, u64 *at)
{
	struct super sb;
	struct place place;

	meta_snapshot();
	if (!newest_super(&sb))
		fail("no superblock on any disk");
	place = place_in(&sb, array.gears - 1, sector);
	if (copy == PARITY)
		place.member = array.members - 1 -
			place.row * sb.segment / CHUNK % array.members;
	if (copy == IMAGE && place.member < array.gear[0])
		return false;
	if (copy == IMAGE)
		place = image_of(&sb, &place);
	*d = place.member;
	*at = home_sector(&sb, &place);
	return true;
}

/* ---- keeping the disks ---- */

static void disk_dump(unsigned int d)
{
	static u8 piece[256 * SECTOR];
	u64 sectors = (u64)opt.disk_mib * 2048, at;
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/disk%u", opt.out, d);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || ftruncate(fd, sectors * SECTOR))
		return;
	for (at = 0; at < sectors; at += 256) {
		if (!disk_read(d, at, piece, 256))
			break;
		if (!piece[0] && !memcmp(piece, piece + 1, sizeof(piece) - 1))
			continue;	/* a hole */
		if (pwrite(fd, piece, sizeof(piece), at * SECTOR) < 0)
			break;
	}
	close(fd);
}

void disks_dump(void)
{
	unsigned int d;

	for (d = 0; opt.out && d < array.members; d++)
		disk_dump(d);
}
