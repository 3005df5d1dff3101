// SPDX-License-Identifier: GPL-2.0
/*
 * Starting and stopping the platter, and the time in each state.
 *
 * The block layer's runtime PM stops and starts a disk as it does with sd: the disk belongs
 * to a device of its own, whose callbacks are those of a SATA disk. A request to a stopped
 * disk starts it.
 */
#include <linux/blk-pm.h>
#include <linux/device.h>
#include <linux/math64.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "spindle.h"

static const char *const state_names[SPINDLE_NR_STATES] = {
	[SPINDLE_OFF] = "off",
	[SPINDLE_STANDBY] = "standby",
	[SPINDLE_SPIN_UP] = "spinning up",
	[SPINDLE_SPIN_DOWN] = "spinning down",
	[SPINDLE_IDLE] = "idle",
	[SPINDLE_ACTIVE] = "active",
};

/* The device that all disks' devices are below. */
static struct device *spindle_root;

/* A turning disk is active until a known time, and idle from then on. */
static void account(struct spindle *disk, u64 now)
{
	u64 active = 0, passed = now - disk->accounted;

	if (disk->state == SPINDLE_IDLE && disk->active_until > disk->accounted)
		active = min(disk->active_until, now) - disk->accounted;
	disk->times[SPINDLE_ACTIVE] += active;
	disk->times[disk->state] += passed - active;
	disk->accounted = now;
}

void spindle_changed(struct spindle *disk)
{
	WRITE_ONCE(disk->changes, disk->changes + 1);
	wake_up_all(&disk->wait);
}

static void set_state(struct spindle *disk, enum spindle_state state, u64 now)
{
	account(disk, now);
	disk->state = state;
	spindle_changed(disk);
}

static bool in_transition(const struct spindle *disk)
{
	return disk->state == SPINDLE_SPIN_UP || disk->state == SPINDLE_SPIN_DOWN;
}

static void begin_start(struct spindle *disk, u64 now)
{
	u64 ms = disk->kind.spin_up_ms;

	disk->starts++;
	disk->start_fails = disk->fail_starts;
	if (disk->start_fails)
		ms = disk->fail_start_ms;
	if (disk->fail_starts && disk->fail_starts != U64_MAX)
		disk->fail_starts--;
	disk->settles_at = now + ms * NSEC_PER_MSEC;
	set_state(disk, SPINDLE_SPIN_UP, now);
}

static void begin_stop(struct spindle *disk, u64 now)
{
	disk->stops++;
	disk->settles_at = now + disk->kind.spin_down_ms * NSEC_PER_MSEC;
	set_state(disk, SPINDLE_SPIN_DOWN, now);
}

/* A disk that could not start gives up, until it is needed again. */
static void settle(struct spindle *disk)
{
	if (disk->state == SPINDLE_SPIN_UP && !disk->start_fails) {
		set_state(disk, SPINDLE_IDLE, disk->settles_at);
		spindle_arm_reset(disk, disk->settles_at);
		return;
	}
	if (disk->state == SPINDLE_SPIN_UP)
		disk->wanted = false;
	set_state(disk, SPINDLE_STANDBY, disk->settles_at);
}

void spindle_platter(struct spindle *disk, u64 now, bool busy)
{
	u64 at = now;

	lockdep_assert_held(&disk->lock);
	for (;;) {
		if (in_transition(disk)) {
			if (disk->settles_at > now)
				break;
			at = disk->settles_at;
			settle(disk);
		} else if (disk->state == SPINDLE_STANDBY && disk->wanted) {
			begin_start(disk, at);
		} else if (disk->state == SPINDLE_IDLE && !disk->wanted && !busy) {
			begin_stop(disk, at);
		} else {
			break;
		}
	}
}

void spindle_want(struct spindle *disk, bool wanted)
{
	lockdep_assert_held(&disk->lock);
	if (disk->wanted == wanted)
		return;
	disk->wanted = wanted;
	spindle_changed(disk);
}

u64 spindle_settles_at(const struct spindle *disk)
{
	return in_transition(disk) ? disk->settles_at : U64_MAX;
}

void spindle_active_until(struct spindle *disk, u64 now, u64 until)
{
	lockdep_assert_held(&disk->lock);
	account(disk, now);
	disk->active_until = until;
}

void spindle_lose_power(struct spindle *disk, u64 now)
{
	lockdep_assert_held(&disk->lock);
	disk->active_until = 0;
	set_state(disk, SPINDLE_OFF, now);
}

void spindle_get_power(struct spindle *disk, u64 now)
{
	lockdep_assert_held(&disk->lock);
	disk->wanted = true;
	set_state(disk, SPINDLE_STANDBY, now);
}

/* Exact: the remainders of the states' millionths are added up, too. */
u64 spindle_microjoules(struct spindle *disk, u64 now)
{
	u64 whole = 0, left = 0, rest;
	int state;

	lockdep_assert_held(&disk->lock);
	account(disk, now);
	for (state = 0; state < SPINDLE_NR_STATES; state++) {
		whole += div64_u64_rem(disk->times[state], NSEC_PER_MSEC, &rest) *
			 disk->kind.milliwatts[state];
		left += rest * disk->kind.milliwatts[state];
	}
	return whole + div64_u64(left, NSEC_PER_MSEC);
}

const char *spindle_state_name(struct spindle *disk)
{
	enum spindle_state state;

	spindle_advance(disk);
	mutex_lock(&disk->lock);
	state = disk->state;
	if (state == SPINDLE_IDLE && disk->active_until > disk->accounted)
		state = SPINDLE_ACTIVE;
	mutex_unlock(&disk->lock);
	return state_names[state];
}

/* The disk does not answer: its power is off, or it is dead. */
static bool is_gone(const struct spindle *disk)
{
	return disk->dead || disk->state == SPINDLE_OFF;
}

/* 0 if it turns, -EIO if it will not turn, -EAGAIN while that is open. */
static int started(const struct spindle *disk)
{
	if (is_gone(disk))
		return -EIO;
	if (disk->state == SPINDLE_IDLE)
		return 0;
	return in_transition(disk) ? -EAGAIN : -EIO;
}

/* 0 if it has stopped, or is gone, as for sd; -EBUSY if a request needs it. */
static int stopped(const struct spindle *disk)
{
	if (is_gone(disk) || disk->state == SPINDLE_STANDBY)
		return 0;
	return disk->wanted ? -EBUSY : -EAGAIN;
}

/* A stalled disk may delay us without limit: avoid the report of a hung task. */
static int turn(struct spindle *disk, bool wanted)
{
	int ret;

	mutex_lock(&disk->lock);
	spindle_want(disk, wanted);
	mutex_unlock(&disk->lock);
	for (;;) {
		u64 seen;

		spindle_advance(disk);
		mutex_lock(&disk->lock);
		ret = wanted ? started(disk) : stopped(disk);
		seen = disk->changes;
		mutex_unlock(&disk->lock);
		if (ret != -EAGAIN)
			return ret;
		wait_event_idle(disk->wait, READ_ONCE(disk->changes) != seen);
	}
}

static struct request_queue *queue_of(struct spindle *disk)
{
	return disk->gendisk->queue;
}

static int spindle_runtime_suspend(struct device *dev)
{
	struct spindle *disk = dev_get_drvdata(dev);
	int ret = blk_pre_runtime_suspend(queue_of(disk));

	if (ret)
		return ret;
	ret = turn(disk, false);
	blk_post_runtime_suspend(queue_of(disk), ret);
	return ret;
}

/* As with sd the queue is open afterwards even if the disk has not started. */
static int spindle_runtime_resume(struct device *dev)
{
	struct spindle *disk = dev_get_drvdata(dev);
	int ret;

	blk_pre_runtime_resume(queue_of(disk));
	ret = turn(disk, true);
	blk_post_runtime_resume(queue_of(disk));
	return ret;
}

static int spindle_runtime_idle(struct device *dev)
{
	pm_runtime_mark_last_busy(dev);
	pm_runtime_autosuspend(dev);
	return -EBUSY;
}

/* An error must not prevent the machine from sleeping. */
static int spindle_system_suspend(struct device *dev)
{
	if (!pm_runtime_suspended(dev))
		turn(dev_get_drvdata(dev), false);
	return 0;
}

/*
 * As with libata: when the machine wakes up, all disks have power again and turn, and those
 * that were asleep are reported to be awake.
 */
static int spindle_system_resume(struct device *dev)
{
	struct spindle *disk = dev_get_drvdata(dev);

	if (!pm_runtime_suspended(dev))
		return turn(disk, true);
	if (READ_ONCE(disk->system_start)) {
		mutex_lock(&disk->lock);
		spindle_want(disk, true);
		mutex_unlock(&disk->lock);
		spindle_advance(disk);
		pm_request_resume(dev);
	}
	return 0;
}

static const struct dev_pm_ops spindle_pm = {
	SYSTEM_SLEEP_PM_OPS(spindle_system_suspend, spindle_system_resume)
	RUNTIME_PM_OPS(spindle_runtime_suspend, spindle_runtime_resume, spindle_runtime_idle)
};

static const struct bus_type spindle_bus = {
	.name = "spindle",
	.pm = &spindle_pm,
};

static void release_device(struct device *dev)
{
	kfree(dev);
}

int spindle_device_add(struct spindle *disk)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int ret;

	if (!dev)
		return -ENOMEM;
	device_initialize(dev);
	dev->bus = &spindle_bus;
	dev->parent = spindle_root;
	dev->release = release_device;
	dev_set_drvdata(dev, disk);
	device_enable_async_suspend(dev);
	pm_runtime_set_active(dev);
	pm_runtime_get_noresume(dev);
	pm_runtime_forbid(dev);
	pm_runtime_enable(dev);
	ret = dev_set_name(dev, "%s", config_item_name(&disk->group.cg_item)) ?: device_add(dev);
	if (ret) {
		put_device(dev);
		return ret;
	}
	disk->dev = dev;
	blk_pm_runtime_init(queue_of(disk), dev);
	return 0;
}

void spindle_device_ready(struct spindle *disk)
{
	pm_runtime_put(disk->dev);
}

void spindle_device_leave(struct spindle *disk)
{
	pm_runtime_get_sync(disk->dev);
}

void spindle_device_del(struct spindle *disk)
{
	pm_runtime_disable(disk->dev);
	pm_runtime_put_noidle(disk->dev);
	device_del(disk->dev);
}

void spindle_power_setup(struct spindle *disk)
{
	init_waitqueue_head(&disk->wait);
	disk->accounted = ktime_get_ns();
	disk->state = SPINDLE_IDLE;
	disk->wanted = true;
	disk->system_start = 1;
}

int spindle_power_init(void)
{
	int ret = bus_register(&spindle_bus);

	if (ret)
		return ret;
	spindle_root = root_device_register("spindle");
	if (IS_ERR(spindle_root)) {
		bus_unregister(&spindle_bus);
		return PTR_ERR(spindle_root);
	}
	return 0;
}

void spindle_power_exit(void)
{
	root_device_unregister(spindle_root);
	bus_unregister(&spindle_bus);
}
