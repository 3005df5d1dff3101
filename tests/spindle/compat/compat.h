/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All differences between the kernels for which spindle is built. Kbuild includes this file
 * before every source file.
 */
#ifndef SPINDLE_COMPAT_H
#define SPINDLE_COMPAT_H

#include <linux/version.h>
#include <linux/hrtimer.h>

/*
 * 6.13 merged the assignment of a timer's function into its set-up, and 6.15 removed the
 * old function.
 */
static inline void spindle_timer_setup(struct hrtimer *timer,
				       enum hrtimer_restart (*fn)(struct hrtimer *))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	timer->function = fn;
#endif
}

/*
 * 6.14 merges bios into requests by default. Before, a driver had to enable it, and a disk
 * without it received only requests of a page.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define SPINDLE_F_MERGE		0
#else
#define SPINDLE_F_MERGE		BLK_MQ_F_SHOULD_MERGE
#endif

/* Without power management these are not called: the platter always turns. */
#ifndef CONFIG_PM
struct request_queue;
static inline int blk_pre_runtime_suspend(struct request_queue *q) { return 0; }
static inline void blk_post_runtime_suspend(struct request_queue *q, int err) { }
static inline void blk_pre_runtime_resume(struct request_queue *q) { }
static inline void blk_post_runtime_resume(struct request_queue *q) { }
#endif

/* 6.13 made the argument of MODULE_IMPORT_NS() a string. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define SPINDLE_IMPORT_KUNIT_NS	MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING")
#else
#define SPINDLE_IMPORT_KUNIT_NS	MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING)
#endif

#endif
