/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The named layouts that the suites run over. Members are small here, so that
 * every segment of them can be looked at.
 */
#ifndef RAID_PAR_TESTS_LAYOUTS_H
#define RAID_PAR_TESTS_LAYOUTS_H

#include <linux/bits.h>
#include "pure/geometry.h"

/* Bits of the layout word, written independently of the module's constants. */
#define GEAR(members)		((u32)BIT((members) - 1))
#define GEARS(from, to)		((u32)GENMASK((to) - 1, (from) - 1))
#define CHILD_RAID5		0U
#define CHILD_RAID6		0x10000000U
#define CHILD_RAID0		0x20000000U

#define KIB(n)			((n) * 2ULL)	/* in sectors */
#define MIB(n)			KIB((n) * 1024ULL)
#define TIB(n)			MIB((n) * 1024ULL * 1024)

/* An array to be laid out: the arguments of par_geometry_init(). */
struct par_kunit_layout {
	const char *name;
	u32 layout;
	unsigned int disks;
	u32 chunk;
	u64 dev;
};

static const struct par_kunit_layout __maybe_unused par_kunit_layouts[] = {
	{ "3,5", GEAR(3) | GEAR(5), 5, KIB(512), MIB(200) },
	{ "3,8", GEAR(3) | GEAR(8), 8, KIB(512), MIB(200) },
	{ "3,5,8", GEAR(3) | GEAR(5) | GEAR(8), 8, KIB(512), MIB(200) },
	{ "raid6:4,8", CHILD_RAID6 | GEAR(4) | GEAR(8), 8, KIB(512), MIB(200) },
	{ "raid0:2,5", CHILD_RAID0 | GEAR(2) | GEAR(5), 5, KIB(512), MIB(200) },
	{ "2,3: the smallest", GEAR(2) | GEAR(3), 3, KIB(64), MIB(4) },
	{ "2,28: most images", GEAR(2) | GEAR(28), 28, KIB(64), MIB(20) },
	{ "27,28: most members awake", GEAR(27) | GEAR(28), 28, KIB(64), MIB(20) },
	{ "2 to 28: every gear", GEARS(2, 28), 28, KIB(64), MIB(40) },
	{ "raid6:4 to 28: every gear", CHILD_RAID6 | GEARS(4, 28), 28, KIB(64),
	  MIB(40) },
	{ "raid0:2 to 28: every gear", CHILD_RAID0 | GEARS(2, 28), 28, KIB(64),
	  MIB(40) },
	{ "raid0:2 to 16: mdadm's unset but for the child",
	  CHILD_RAID0 | GEARS(2, 16), 16, KIB(64), MIB(40) },
	{ "3,5,8, no multiple of the chunk", GEAR(3) | GEAR(5) | GEAR(8), 8,
	  KIB(256), MIB(100) + 511 },
	{ "raid6:5,7,11, chunk above the largest segment",
	  CHILD_RAID6 | GEAR(5) | GEAR(7) | GEAR(11), 11, MIB(4), MIB(900) },
};

#endif
