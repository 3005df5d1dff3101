/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers of the preset "nearline", for the simulated disk and for tests/policy/, which
 * simulates disks without a kernel. Documentation/spindle.md names the sources.
 */
#ifndef SPINDLE_PRESETS_H
#define SPINDLE_PRESETS_H

#define NEARLINE_MECHANICS {		\
	.rpm = 7200,			\
	.seek_track_us = 230,		\
	.seek_avg_us = 8000,		\
	.seek_full_us = 17060,		\
	.outer_kib = 254882,		\
	.inner_kib = 127441,		\
	.zones = 32,			\
}

#define NEARLINE_OVERHEAD_US	200
#define NEARLINE_BUS_KIB	585937
#define NEARLINE_READAHEAD_KIB	2048
#define NEARLINE_SPIN_UP_MS	20000
#define NEARLINE_SPIN_DOWN_MS	10000

#define NEARLINE_STANDBY_MW	1000
#define NEARLINE_SPIN_UP_MW	24000
#define NEARLINE_SPIN_DOWN_MW	1000
#define NEARLINE_IDLE_MW	5000
#define NEARLINE_ACTIVE_MW	10000

#endif
