/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stopping and starting the device of one member through runtime PM.
 *
 * A drive is taken when its member joins and given back when it leaves. While it
 * is awake we hold a usage count of its device. All calls for one drive are made
 * by one task at a time; all but par_drive_usable() sleep, seconds long while the
 * disk starts or stops, and must be called without locks that others need.
 */
#ifndef RAID_PAR_DRIVE_H
#define RAID_PAR_DRIVE_H

#include <linux/blkdev.h>

/**
 * struct par_drive - a device that can be stopped
 * @woken: somebody has asked the device to resume: @who, or what part of the
 *	kernel. Called for whoever asks, us included, again and again, with
 *	interrupts off and the device's power lock held.
 * @dev: the device that is stopped, NULL if there is none
 * @disk: its disk, held for the sake of the queue
 * @shut: we have closed the queue for another try to start; see start_again()
 */
struct par_drive {
	struct list_head node;
	void (*woken)(struct par_drive *drive, const struct task_struct *who);
	struct device *dev;
	struct gendisk *disk;
	bool shut;
	/* as it was before us */
	int delay;
	bool allowed, manages;
};

/*
 * par_drive_usable - can the device below @bdev be stopped? Not if it has no
 * runtime PM, nor if others may use it too, as other partitions. Any context.
 */
bool par_drive_usable(struct block_device *bdev);

/*
 * par_drive_take - take what is below @bdev; @drive->woken is set. Returns true
 * if the device is awake, and then a usage count is held, false if it is stopped.
 */
bool par_drive_take(struct par_drive *drive, struct block_device *bdev);

/*
 * par_drive_give_back - everything as it was, but that a stopped disk stays so
 * until it is used. @awake: a usage count is held.
 */
void par_drive_give_back(struct par_drive *drive, bool awake);

/*
 * par_drive_start - start it, and hold a usage count. Returns 0 or the error;
 * without the count then, and the queue open as far as that is up to us.
 */
int par_drive_start(struct par_drive *drive);

/*
 * par_drive_stop - drop the usage count and stop it. Returns 0; -EAGAIN if it
 * has stopped, but somebody started it in the same moment; -EBUSY if it is used
 * by somebody else; or the error. The count is held again but after 0.
 */
int par_drive_stop(struct par_drive *drive);

/* par_drives_init, par_drives_exit - noticing who starts a disk */
int par_drives_init(void);
void par_drives_exit(void);

#endif
