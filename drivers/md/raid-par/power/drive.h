/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stopping and starting the device of one member through runtime PM.
 *
 * A drive is taken when its member joins and given back when it leaves. While it is awake
 * we hold a usage count of its device. All calls for one drive are made by one task at a
 * time. All of them but par_drive_usable() sleep, for seconds while the disk starts or
 * stops, and must be called without locks that others need.
 */
#ifndef RAID_PAR_DRIVE_H
#define RAID_PAR_DRIVE_H

#include <linux/blkdev.h>

/**
 * struct par_drive - a device that can be stopped
 * @woken: called when a resume of the device is requested: @who is the task, which may be a
 *	kernel thread. Called for each request, our own included, again and again, with
 *	interrupts off and the device's power lock held.
 * @dev: the device that is stopped, NULL if there is none
 * @disk: its disk, held because of the queue
 * @shut: we have closed the queue for another attempt to start; see start_again()
 */
struct par_drive {
	struct list_head node;
	void (*woken)(struct par_drive *drive, const struct task_struct *who);
	struct device *dev;
	struct gendisk *disk;
	bool shut;
	/* settings before the drive was taken */
	int delay;
	bool allowed, manages;
};

/*
 * par_drive_usable - can the device below @bdev be stopped? It cannot if it has no runtime
 * PM, or if it has other users, such as other partitions. Any context.
 */
bool par_drive_usable(struct block_device *bdev);

/*
 * par_drive_take - take the device below @bdev; @drive->woken is set. Returns true if the
 * device is awake, and a usage count is then held; false if it is stopped.
 */
bool par_drive_take(struct par_drive *drive, struct block_device *bdev);

/*
 * par_drive_give_back - restore all settings, except that a stopped disk stays stopped
 * until it is used. @awake: a usage count is held.
 */
void par_drive_give_back(struct par_drive *drive, bool awake);

/*
 * par_drive_start - start the device, and hold a usage count. Returns 0 or the error;
 * without the count in that case, and with the queue open unless others have closed it.
 */
int par_drive_start(struct par_drive *drive);

/*
 * par_drive_stop - drop the usage count and stop the device. Returns 0; -EAGAIN if it has
 * stopped, but was started by another user in the same moment; -EBUSY if it has another
 * user; or the error. The count is held again except after 0.
 */
int par_drive_stop(struct par_drive *drive);

/* par_drives_init, par_drives_exit - begin and end noticing which tasks start disks */
int par_drives_init(void);
void par_drives_exit(void);

#endif
