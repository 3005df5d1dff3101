// SPDX-License-Identifier: GPL-2.0
/*
 * The metadata on the disks before an array is assembled: kept for vouch.c, which checks
 * it, and explain.c. According to the documents, not to the module's code.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../crc32c.h"
#include "torture.h"

#define SUPER_CRC	8U

static u8 *meta[MAX_DISKS];	/* of each member, from the data offset on */
static u64 data_offset[MAX_DISKS];

u64 le(const u8 *raw, unsigned int bytes)
{
	u64 value = 0;

	while (bytes--)
		value = value << 8 | raw[bytes];
	return value;
}

bool disk_read(unsigned int d, u64 sector, void *data, u32 count)
{
	static void *bounce;
	char path[32];
	ssize_t got;
	int fd;

	if (!bounce && posix_memalign(&bounce, 4096, META_MAX * SECTOR))
		return false;
	snprintf(path, sizeof(path), "/dev/%s", disk_name(d));
	fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = pread(fd, bounce, count * SECTOR, sector * SECTOR);
	close(fd);
	memcpy(data, bounce, count * SECTOR);
	return got == (ssize_t)count * SECTOR;
}

void meta_snapshot(void)
{
	u8 md[8 * SECTOR];
	unsigned int d;

	for (d = 0; d < array.members; d++) {
		if (!meta[d])
			meta[d] = malloc(META_MAX * SECTOR);
		memset(meta[d], 0, META_MAX * SECTOR);
		if (!disk_read(d, 8, md, 8))
			continue;
		data_offset[d] = le(md + 128, 8);
		disk_read(d, data_offset[d], meta[d], META_MAX);
	}
}

const u8 *member_meta(unsigned int d)
{
	return meta[d];
}

u64 member_data(unsigned int d)
{
	return data_offset[d];
}

bool sealed(const u8 *raw, size_t at)
{
	static const u8 zero[4];
	u32 crc = crc32c(~0U, raw, at);

	crc = crc32c(crc, zero, sizeof(zero));
	return crc32c(crc, raw + at + 4, META_BLOCK - at - 4) == le(raw + at, 4);
}

bool is_super(const u8 *raw)
{
	return !memcmp(raw, "RAIDPAR", 8) && sealed(raw, SUPER_CRC);
}

const u8 *member_super(unsigned int d)
{
	const u8 *best = NULL;
	unsigned int slot;

	for (slot = 0; meta[d] && slot < 2; slot++) {
		const u8 *raw = meta[d] + slot * META_BLOCK;

		if (!is_super(raw))
			continue;
		if (!best || le(raw + 72, 8) > le(best + 72, 8))
			best = raw;
	}
	return best;
}

u32 newest_members(void)
{
	u32 members = 0;
	unsigned int d;
	u64 last = 0;

	for (d = 0; d < array.members; d++) {
		u64 seq = member_super(d) ? le(member_super(d) + 72, 8) : 0;

		if (seq > last) {
			last = seq;
			members = 0;
		}
		if (seq && seq == last)
			members |= 1U << d;
	}
	return members;
}
