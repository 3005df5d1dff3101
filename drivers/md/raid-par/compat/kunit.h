/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels for the KUnit tests; see compat.h for the module itself.
 */
#ifndef RAID_PAR_COMPAT_KUNIT_H
#define RAID_PAR_COMPAT_KUNIT_H

#include <linux/module.h>
#include <linux/version.h>

/* 6.13 made the argument of MODULE_IMPORT_NS() a string. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define PAR_IMPORT_KUNIT_NS	MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING")
#else
#define PAR_IMPORT_KUNIT_NS	MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING)
#endif

#endif
