/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guard against a build with another kernel's md.h: see layout.c.
 */
#ifndef RAID_PAR_COMPAT_LAYOUT_H
#define RAID_PAR_COMPAT_LAYOUT_H

/*
 * par_layout_check - are md's structures where this module takes them to be?
 *
 * Returns 0, also if the running kernel cannot tell; or -ENOEXEC if they are
 * not, and says so in the log. Reads files in sysfs; may sleep.
 */
#ifdef PAR_OUT_OF_TREE
int par_layout_check(void);
#else
static inline int par_layout_check(void) { return 0; }
#endif

#endif
