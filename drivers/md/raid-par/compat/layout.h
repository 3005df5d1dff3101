/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guard against a build with another kernel's md.h: see layout.c.
 */
#ifndef RAID_PAR_COMPAT_LAYOUT_H
#define RAID_PAR_COMPAT_LAYOUT_H

/*
 * par_layout_check - are md's structures as this module was compiled for?
 *
 * Returns 0, also if the running kernel has no BTF; or -ENOEXEC, after a message in the
 * log, if they differ. Reads files in sysfs; may sleep.
 */
#ifdef PAR_OUT_OF_TREE
int par_layout_check(void);
#else
static inline int par_layout_check(void) { return 0; }
#endif

#endif
