/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checksum of raid-par's metadata, for test programs: CRC-32C by a table, as in format.h.
 */
#ifndef TESTS_CRC32C_H
#define TESTS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Of @size bytes at @data, continuing from @crc: ~0 for the first ones. */
static inline uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
	static uint32_t table[256];
	const uint8_t *byte = data;
	unsigned int i, bit;

	/* The last one is not 0. */
	for (i = 0; !table[255]; i++) {
		uint32_t value = i;

		for (bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? 0x82f63b78 : 0);
		table[i] = value;
	}
	while (size--)
		crc = table[(crc ^ *byte++) & 0xff] ^ crc >> 8;
	return crc;
}

#endif
