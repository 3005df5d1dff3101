// SPDX-License-Identifier: GPL-2.0
/*
 * Stopping and starting one member's device through runtime PM; see drive.h for the
 * contracts.
 *
 * The request queue names the device: a driver that has the block layer resume it for a
 * request (blk_pm_runtime_init()) has stored it there. For SCSI and SATA disks it is the
 * SCSI device, and sd sends START STOP UNIT for it if manage_runtime_start_stop is set.
 *
 * The block layer closes the queue of a device that is stopped (pm_only), and a request
 * resumes the device in the context of the task that sends it. A tracepoint is called in
 * this context, and identifies the task.
 */
#include <linux/pm_runtime.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "power/drive.h"

#ifdef CONFIG_PM

#include <trace/events/rpm.h>

#if IS_REACHABLE(CONFIG_SCSI)
#include <scsi/scsi_device.h>
#endif

/*
 * If another user starts a disk and then leaves it to runtime PM for a moment, the disk is
 * not stopped at once.
 */
#define PAR_DRIVE_DELAY	60000	/* ms */

static LIST_HEAD(drives);	/* read under RCU, changed under @drives_lock */
static DEFINE_SPINLOCK(drives_lock);

/* ---- the device ---- */

/* Another partition may be in use. */
static bool has_others(struct block_device *bdev)
{
	struct block_device *part;
	unsigned long index;
	bool others = false;

	if (!bdev_is_partition(bdev))
		return false;
	rcu_read_lock();
	xa_for_each_start(&bdev->bd_disk->part_tbl, index, part, 1)
		others |= part != bdev;
	rcu_read_unlock();
	return others;
}

bool par_drive_usable(struct block_device *bdev)
{
	struct request_queue *q = bdev_get_queue(bdev);

	return q->dev && pm_runtime_enabled(q->dev) && !has_others(bdev);
}

#if IS_REACHABLE(CONFIG_SCSI)
/* sd stops the disk only if this flag tells it to. */
static bool set_manages(struct device *dev, bool manages)
{
	struct scsi_device *sdev;
	bool was;

	if (!scsi_is_sdev_device(dev))
		return true;
	sdev = to_scsi_device(dev);
	was = sdev->manage_runtime_start_stop;
	sdev->manage_runtime_start_stop = manages;
	return was;
}
#else
static bool set_manages(struct device *dev, bool manages)
{
	return true;
}
#endif

bool par_drive_take(struct par_drive *drive, struct block_device *bdev)
{
	struct device *dev = bdev_get_queue(bdev)->dev;
	bool awake;

	drive->dev = get_device(dev);
	drive->disk = bdev->bd_disk;
	get_device(disk_to_dev(drive->disk));
	drive->shut = false;
	/* Take a usage count before suspending is allowed. */
	pm_runtime_get_noresume(dev);
	spin_lock_irq(&dev->power.lock);
	drive->delay = dev->power.autosuspend_delay;
	drive->allowed = dev->power.runtime_auto;
	spin_unlock_irq(&dev->power.lock);
	drive->manages = set_manages(dev, true);
	pm_runtime_set_autosuspend_delay(dev, PAR_DRIVE_DELAY);
	pm_runtime_allow(dev);
	awake = !pm_runtime_status_suspended(dev);
	spin_lock(&drives_lock);
	list_add_rcu(&drive->node, &drives);
	spin_unlock(&drives_lock);
	if (!awake)
		pm_runtime_put_noidle(dev);
	return awake;
}

/*
 * Both functions resume the device, unless runtime PM is disabled at that moment. A request
 * in that moment requests a resume in vain and has to request it again.
 */
static void restore_settings(struct par_drive *drive)
{
	struct device *dev = drive->dev;

	pm_runtime_disable(dev);
	if (!drive->allowed)
		pm_runtime_forbid(dev);
	pm_runtime_set_autosuspend_delay(dev, drive->delay);
	pm_runtime_enable(dev);
	wake_up_all(&drive->disk->queue->mq_freeze_wq);
}

/*
 * A device whose last start failed is in the state "suspended", with its queue open. Set it
 * to "active": the next request will find out about its real state.
 */
static bool end_error(struct device *dev)
{
	return READ_ONCE(dev->power.runtime_error) && !pm_runtime_set_active(dev);
}

void par_drive_give_back(struct par_drive *drive, bool awake)
{
	struct device *dev = drive->dev;
	bool stopped;

	spin_lock(&drives_lock);
	list_del_rcu(&drive->node);
	spin_unlock(&drives_lock);
	synchronize_rcu();	/* no task is in @woken any more */

	stopped = !end_error(dev) && pm_runtime_status_suspended(dev);
	/* If the device is stopped, sd must be the one to start it again. */
	if (!stopped)
		set_manages(dev, drive->manages);
	restore_settings(drive);
	if (awake)
		pm_runtime_put_noidle(dev);
	/* Suspending may have been allowed before the drive was taken. */
	if (!stopped)
		pm_request_idle(dev);
	put_device(disk_to_dev(drive->disk));
	put_device(dev);
	drive->dev = NULL;
	drive->disk = NULL;
}

/* ---- starting ---- */

/*
 * The last start has failed. The block layer has opened the queue nevertheless, and will
 * open it once more after the next start: close it for that, as a stop would have. Runtime
 * PM refuses everything until the error is cleared, which leaves the device stopped.
 */
static void start_again(struct par_drive *drive)
{
	struct request_queue *q = drive->disk->queue;

	spin_lock_irq(&q->queue_lock);
	drive->shut = q->rpm_status == RPM_ACTIVE;
	if (drive->shut)
		q->rpm_status = RPM_SUSPENDED;
	spin_unlock_irq(&q->queue_lock);
	if (drive->shut)
		blk_set_pm_only(q);
	pm_runtime_set_suspended(drive->dev);
}

/* The driver may not have been called to start the device at all: open the queue again. */
static void open_queue(struct par_drive *drive)
{
	struct request_queue *q = drive->disk->queue;
	bool ours = false;

	spin_lock_irq(&q->queue_lock);
	if (drive->shut && q->rpm_status == RPM_SUSPENDED) {
		q->rpm_status = RPM_ACTIVE;
		ours = true;
	}
	spin_unlock_irq(&q->queue_lock);
	if (ours)
		blk_clear_pm_only(q);
	drive->shut = false;
}

int par_drive_start(struct par_drive *drive)
{
	struct device *dev = drive->dev;
	int err;

	if (READ_ONCE(dev->power.runtime_error))
		start_again(drive);
	err = pm_runtime_get_sync(dev);
	open_queue(drive);
	if (err >= 0)
		return 0;
	pm_runtime_put_noidle(dev);
	return err;
}

/* ---- stopping ---- */

int par_drive_stop(struct par_drive *drive)
{
	struct device *dev = drive->dev;
	int err = pm_runtime_put_sync_suspend(dev);

	if (pm_runtime_status_suspended(dev))
		return 0;
	/* From now on the device is not stopped without our knowledge. */
	if (pm_runtime_get_if_active(dev) <= 0) {
		if (pm_runtime_status_suspended(dev))
			return 0;
		/* The device is just being started or stopped. */
		pm_runtime_get_sync(dev);
		return -EAGAIN;
	}
	/* A stop that failed must not prevent the next one. */
	if (READ_ONCE(dev->power.runtime_error))
		pm_runtime_set_active(dev);
	return err < 0 ? err : -EBUSY;
}

/* ---- the task that starts a disk ---- */

/*
 * Called in the context of the task that requests a resume; interrupts are off,
 * dev->power.lock is held.
 */
static void on_resume(void *data, struct device *dev, int flags)
{
	struct par_drive *drive;

	lockdep_assert_held(&dev->power.lock);
	rcu_read_lock();
	list_for_each_entry_rcu(drive, &drives, node)
		if (drive->dev == dev)
			drive->woken(drive, current);
	rcu_read_unlock();
}

int __init par_drives_init(void)
{
	/* In a kernel without tracepoints no task is named. */
	return IS_ENABLED(CONFIG_TRACEPOINTS) ?
		register_trace_rpm_resume(on_resume, NULL) : 0;
}

void par_drives_exit(void)
{
	unregister_trace_rpm_resume(on_resume, NULL);
	tracepoint_synchronize_unregister();
}

#else /* without CONFIG_PM nothing can be stopped */

bool par_drive_usable(struct block_device *bdev)
{
	return false;
}

bool par_drive_take(struct par_drive *drive, struct block_device *bdev)
{
	return true;
}

void par_drive_give_back(struct par_drive *drive, bool awake)
{
}

int par_drive_start(struct par_drive *drive)
{
	return 0;
}

int par_drive_stop(struct par_drive *drive)
{
	return -EBUSY;
}

int __init par_drives_init(void)
{
	return 0;
}

void par_drives_exit(void)
{
}

#endif
