/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All differences between the kernels for which raid-par is built. Each shim states what
 * changed, when, and why it matters to us. Kbuild includes this file before every source
 * file.
 */
#ifndef RAID_PAR_COMPAT_H
#define RAID_PAR_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>

/* The oldest and the newest supported kernel. */
#define PAR_KERNEL_OLDEST	KERNEL_VERSION(6, 12, 0)
#define PAR_KERNEL_NEWEST	KERNEL_VERSION(7, 2, 255)

#if LINUX_VERSION_CODE < PAR_KERNEL_OLDEST
#error "raid-par needs Linux 6.12 or newer"
#endif
#if LINUX_VERSION_CODE > PAR_KERNEL_NEWEST
#error "raid-par has not been ported to so new a kernel (struct mddev changes)"
#endif

/*
 * 6.15 made the personality a "submodule" with a common head.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define PAR_PERSONALITY_HEAD(pname, plevel)				\
	.head = {							\
		.type = MD_PERSONALITY,					\
		.id = (enum md_submodule_id)(plevel),			\
		.name = (pname),					\
		.owner = THIS_MODULE,					\
	},
#define par_register(pers)	register_md_submodule(&(pers)->head)
#define par_unregister(pers)	unregister_md_submodule(&(pers)->head)
#else
#define PAR_PERSONALITY_HEAD(pname, plevel)				\
	.name = (pname),						\
	.level = (plevel),						\
	.owner = THIS_MODULE,
#define par_register(pers)	register_md_personality(pers)
#define par_unregister(pers)	unregister_md_personality(pers)
#endif

/*
 * 6.18 renamed the point up to which an array is in sync, and so did a stable update of
 * 6.12: Debian 13 was released with 6.12.107 (the old name), while 6.12.117 has the new
 * one. So Kbuild looks at md.h.
 */
#ifdef PAR_MD_RECOVERY_CP
#define par_resync_offset(mddev)	((mddev)->recovery_cp)
#else
#define par_resync_offset(mddev)	((mddev)->resync_offset)
#endif

/*
 * 7.x: md_done_sync() lost its "ok" argument; a failure is reported by
 * md_sync_error() instead.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define par_done_sync(mddev, sectors)	md_done_sync(mddev, sectors)
#else
#define par_done_sync(mddev, sectors)	md_done_sync(mddev, sectors, 1)
#endif

/*
 * 6.18 gave struct mddev a second disk, for dm's sake: is_mddev_idle() counts foreground
 * I/O there for an array without a disk of its own. Without this disk a child's resync
 * would never yield.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define par_child_counts_on(child, disk)	((child)->dm_gendisk = (disk))
#else
#define par_child_counts_on(child, disk)	do { } while (0)
#endif

/*
 * 6.17 added a second limit of write-zeroes, for devices that can unmap; it
 * has to be off whenever the first one is.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define par_no_wzeroes_unmap(lim)	((lim)->max_hw_wzeroes_unmap_sectors = 0)
#else
#define par_no_wzeroes_unmap(lim)	do { } while (0)
#endif

/*
 * 6.17 gave the previous default a name: work runs on the CPU that queues it. Later kernels
 * warn of a queue that specifies neither this nor the opposite.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define PAR_WQ_PERCPU	WQ_PERCPU
#else
#define PAR_WQ_PERCPU	0
#endif

/*
 * 6.13 gave hrtimers one function that sets them up, including the callback; 6.15 removed
 * the old one.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define par_hrtimer_setup	hrtimer_setup
#else
static inline void par_hrtimer_setup(struct hrtimer *timer,
				     enum hrtimer_restart (*function)(struct hrtimer *),
				     clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
