// SPDX-License-Identifier: GPL-2.0
/*
 * Power: a member's device is stopped when the gear leaves it out, and started before the
 * gear includes it. See power.h for the contracts.
 *
 * Waking members is in power-wake.c, the ration in power-ration.c, the system's own sleep
 * in power-system.c.
 *
 * Each member with a device that can be stopped (drive.c) has a work of its own, which
 * settles it: only this work calls the device, so that disks are started and stopped
 * concurrently, and no task waits for that with a lock held. A caller that needs members
 * awake (par_power_wake()) asks the works and waits for their results.
 *
 * Other members sleep logically: they receive no request, uevents report their state, and
 * whether the disk turns is decided elsewhere.
 *
 * Another user may start a disk with a request of its own. Then on_woken() identifies the
 * task; the work takes a usage count, counts the spin-up, and stops the disk again after it
 * has been quiet for a while.
 *
 * Timers: a member's work, which is queued after stop_after, when a disk that was busy is
 * looked at again (1 s to 256 s), and when spin-ups are available again (an hour at the
 * most).
 */
#include <linux/part_stat.h>
#include <linux/sched/mm.h>
#include <linux/timekeeping.h>

#include "core/event.h"
#include "core/parent.h"
#include "power/power.h"

#define PAR_TRY_FIRST	HZ		/* between two attempts to start a disk */
#define PAR_TRY_LAST	(10 * HZ)

static struct workqueue_struct *power_wq;

bool par_power_usable(struct par_member *member)
{
	return par_member_usable(member->conf, member->index);
}

static bool is_wanted(struct par_member *member)
{
	struct par_conf *conf = member->conf;

	return par_awake(conf, READ_ONCE(conf->gear), member->index) ||
	       atomic_read(&member->power->holds);
}

void par_power_look(struct par_member *member, unsigned long delay)
{
	if (!READ_ONCE(member->conf->power->ending))
		mod_delayed_work(power_wq, &member->power->work, delay);
}

/* ---- states ---- */

/* @lock held. */
static void enter_state(struct par_power *power, enum par_power_state state)
{
	ktime_t now = ktime_get();

	lockdep_assert_held(&power->lock);
	power->ns[power->state] += ktime_to_ns(ktime_sub(now, power->since));
	power->since = now;
	WRITE_ONCE(power->state, state);
}

static void set_state(struct par_power *power, enum par_power_state state)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&power->lock, flags);
	enter_state(power, state);
	raw_spin_unlock_irqrestore(&power->lock, flags);
}

void par_power_counts(struct par_power *power, u64 *ns)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&power->lock, flags);
	enter_state(power, power->state);
	memcpy(ns, power->ns, sizeof(power->ns));
	raw_spin_unlock_irqrestore(&power->lock, flags);
}

/* @lock held: the member sleeps, and begins to wake up now. */
static void begin_waking(struct par_power *power, unsigned long delay)
{
	lockdep_assert_held(&power->lock);
	enter_state(power, PAR_POWER_WAKING);
	power->began = jiffies + delay;
	power->dead = false;
	power->free = false;
}

bool par_power_ask(struct par_member *member, unsigned long delay)
{
	struct par_power *power = member->power;
	unsigned long flags;
	bool asleep;

	raw_spin_lock_irqsave(&power->lock, flags);
	asleep = power->state == PAR_POWER_ASLEEP;
	if (asleep) {
		begin_waking(power, delay);
		par_wish_cause(member->conf, power->asked);
	}
	raw_spin_unlock_irqrestore(&power->lock, flags);
	if (asleep)
		par_power_look(member, delay);
	return asleep;
}

void par_power_system_woke(struct par_power *power)
{
	lockdep_assert_held(&power->lock);
	begin_waking(power, 0);
	power->free = true;
	strscpy(power->asked, "resume");
}

/* See drive.h: interrupts are off. Only the task that wakes a sleeper matters. */
static void on_woken(struct par_drive *drive, const struct task_struct *who)
{
	struct par_power *power = container_of(drive, struct par_power, drive);
	struct par_member *member = power->member;
	bool asleep;

	raw_spin_lock(&power->lock);
	asleep = power->state == PAR_POWER_ASLEEP;
	if (asleep && READ_ONCE(member->conf->power->system_sleeps)) {
		par_power_system_woke(power);
	} else if (asleep) {
		begin_waking(power, 0);
		par_cause_task(power->asked, "process", who);
	}
	raw_spin_unlock(&power->lock);
	if (asleep)
		par_power_look(member, 0);
}

const char *par_power_disk(struct par_member *member)
{
	return member->power->drive.disk->disk_name;
}

static void tell_sleep(struct par_member *member)
{
	struct md_rdev *rdev = READ_ONCE(member->rdev);

	if (rdev)
		par_event(member->conf,
			  "PAR_EVENT=sleep\nPAR_MEMBER=%u\nPAR_DEVICE=%pg\nPAR_POWER=%s",
			  member->index, rdev->bdev,
			  member->power->drive.dev ? "runtime" : "logical");
}

static void tell_wake(struct par_member *member, const char *cause)
{
	struct md_rdev *rdev = READ_ONCE(member->rdev);

	if (rdev)
		par_event(member->conf,
			  "PAR_EVENT=wake\nPAR_MEMBER=%u\nPAR_DEVICE=%pg\nPAR_CAUSE=%s",
			  member->index, rdev->bdev, cause);
}

/* ---- waking ---- */

static void end_waking(struct par_member *member)
{
	struct par_power *power = member->power;
	char cause[PAR_CAUSE];
	unsigned long flags;
	bool free;

	raw_spin_lock_irqsave(&power->lock, flags);
	enter_state(power, PAR_POWER_ACTIVE);
	power->last_wake = ktime_get_real_seconds();
	strscpy(power->cause, power->asked);
	strscpy(cause, power->cause);
	free = power->free;
	raw_spin_unlock_irqrestore(&power->lock, flags);
	par_power_charge(member, free);
	power->busy = 0;
	power->refused = false;
	power->quiet = jiffies;
	tell_wake(member, cause);
}

bool par_power_late(struct par_member *member, unsigned long began)
{
	struct par_conf *conf = member->conf;

	return par_wake_over(began, jiffies,
			     READ_ONCE(conf->store->super.power.wake_timeout));
}

/* A disk that returns errors is tried again while it is needed and its time is not over. */
static bool try_again(struct par_member *member)
{
	struct par_conf *conf = member->conf;

	return !READ_ONCE(conf->power->ending) && par_power_usable(member) &&
	       is_wanted(member) && (READ_ONCE(conf->power->system_sleeps) ||
				     !par_power_late(member, member->power->began));
}

static int start_disk(struct par_member *member)
{
	struct par_conf *conf = member->conf;
	unsigned long pause = PAR_TRY_FIRST;
	int err, told = 0;

	for (;;) {
		err = par_drive_start(&member->power->drive);
		if (!err || !try_again(member))
			return err;
		if (!told++)
			pr_warn("md/par:%s: member %u (%s) does not start: error %d; retrying\n",
				mdname(conf->mddev), member->index,
				par_power_disk(member), err);
		wait_event_idle_timeout(conf->power->wait, !try_again(member), pause);
		pause = min_t(unsigned long, pause * 2, PAR_TRY_LAST);
	}
}

static void start_member(struct par_member *member)
{
	struct par_power *power = member->power;
	bool stranger = !is_wanted(member);
	unsigned long flags;
	int err = start_disk(member);

	if (!err) {
		end_waking(member);
		if (stranger && !power->prompt)
			pr_info("md/par:%s: member %u (%s) was woken: %s\n",
				mdname(member->conf->mddev), member->index,
				par_power_disk(member), power->cause);
		/* par_power_look() determines how long it keeps running. */
		par_power_look(member, 0);
		return;
	}
	raw_spin_lock_irqsave(&power->lock, flags);
	enter_state(power, PAR_POWER_ASLEEP);
	power->dead = par_power_late(member, power->began);
	raw_spin_unlock_irqrestore(&power->lock, flags);
}

/* ---- stopping ---- */

static u64 count_requests(struct par_member *member)
{
	struct block_device *bdev = member->power->drive.disk->part0;
	u64 ios = 0;
	int i;

	for (i = 0; i < NR_STAT_GROUPS; i++)
		ios += part_stat_read(bdev, ios[i]);
	return ios;
}

static u64 quiet_seconds(struct par_member *member)
{
	struct par_power *power = member->power;
	u64 ios = count_requests(member);

	if (ios != power->ios)
		power->quiet = jiffies;
	power->ios = ios;
	return (jiffies - power->quiet) / HZ;
}

/* The member should be stopped, and has no spin-up left to wake up with. */
static void tell_refusal(struct par_member *member)
{
	struct par_conf *conf = member->conf;

	if (member->power->refused)
		return;
	member->power->refused = true;
	par_power_count_refusal(conf);
	pr_warn("md/par:%s: member %u (%s) has no spin-ups left and is not stopped\n",
		mdname(conf->mddev), member->index, par_power_disk(member));
}

static void disk_busy(struct par_member *member, int err)
{
	struct par_power *power = member->power;

	if (!power->busy)
		pr_info("md/par:%s: member %u (%s) cannot be stopped: error %d; retrying\n",
			mdname(member->conf->mddev), member->index,
			par_power_disk(member), err);
	power->busy = par_busy_next(power->busy);
	par_power_look(member, power->busy * HZ);
}

static void stop_disk(struct par_member *member)
{
	struct par_power *power = member->power;
	int err;

	/* From here on, a task that starts the disk has woken a sleeper: see on_woken(). */
	set_state(power, PAR_POWER_ASLEEP);
	/*
	 * A user that needs the member since the look above may have seen it active; a
	 * later one sees it asleep, and asks for it.
	 */
	if (is_wanted(member)) {
		set_state(power, PAR_POWER_ACTIVE);
		return;
	}
	err = par_drive_stop(&power->drive);
	if (!err) {
		power->busy = 0;
		power->prompt = false;
		tell_sleep(member);
		return;
	}
	if (err == -EAGAIN && READ_ONCE(power->state) == PAR_POWER_WAKING) {
		end_waking(member);
		par_power_look(member, HZ);
		return;
	}
	set_state(power, PAR_POWER_ACTIVE);
	disk_busy(member, err);
}

/* The disk turns, and is not needed. */
static void look_at_idle(struct par_member *member)
{
	struct par_conf *conf = member->conf;
	struct par_idle idle = {
		.off = READ_ONCE(conf->store->super.power.off),
		.system = READ_ONCE(conf->power->system_sleeps),
		.prompt = member->power->prompt && !member->power->busy,
		.quiet = quiet_seconds(member),
		.stop_after = READ_ONCE(conf->store->super.power.stop_after),
		.ration = par_power_ration_wait(member),
	};
	u32 wait = par_idle_wait(&idle);

	if (wait != U32_MAX && idle.ration &&
	    (idle.prompt || idle.quiet >= idle.stop_after))
		tell_refusal(member);
	if (!wait)
		stop_disk(member);
	else if (wait != U32_MAX)
		par_power_look(member, (unsigned long)wait * HZ);
}

/* ---- settling ---- */

static void settle_drive(struct par_member *member)
{
	if (READ_ONCE(member->power->state) == PAR_POWER_ASLEEP && is_wanted(member) &&
	    !member->power->dead)
		par_power_ask(member, 0);
	switch (READ_ONCE(member->power->state)) {
	case PAR_POWER_WAKING:
		start_member(member);
		break;
	case PAR_POWER_ACTIVE:
		if (is_wanted(member))
			member->power->busy = 0;
		else
			look_at_idle(member);
		break;
	default:
		break;
	}
}

/* Without a device to stop, the member is in the state of its gear; send uevents. */
static void settle_logically(struct par_member *member)
{
	struct par_conf *conf = member->conf;
	bool asleep = READ_ONCE(member->power->state) == PAR_POWER_ASLEEP;

	if (par_awake(conf, READ_ONCE(conf->gear), member->index)) {
		if (asleep)
			par_power_ask(member, 0);
		if (READ_ONCE(member->power->state) == PAR_POWER_WAKING)
			end_waking(member);
	} else if (!asleep && !is_wanted(member)) {
		set_state(member->power, PAR_POWER_ASLEEP);
		tell_sleep(member);
	}
}

static void power_work(struct work_struct *work)
{
	struct par_power *power = container_of(to_delayed_work(work),
					       struct par_power, work);
	struct par_member *member = power->member;
	struct par_conf *conf = member->conf;
	unsigned int noio;

	if (READ_ONCE(conf->power->ending))
		return;
	noio = memalloc_noio_save();
	WRITE_ONCE(power->working, true);
	if (!par_power_usable(member))
		;	/* failed: left alone */
	else if (power->drive.dev)
		settle_drive(member);
	else
		settle_logically(member);
	WRITE_ONCE(power->working, false);
	memalloc_noio_restore(noio);
	par_mover_wake(conf);	/* see par_power_wake() */
	if (!par_power_usable(member))	/* its removal may have waited for this */
		par_remove_again(conf);
}

void par_power_gear(struct par_conf *conf)
{
	unsigned int d;

	for (d = conf->geo.set[1].members; d < conf->geo.members; d++)
		WRITE_ONCE(conf->member[d].power->prompt,
			   !par_awake(conf, conf->gear, d));
	par_power_settle(conf);
}

void par_power_settle(struct par_conf *conf)
{
	unsigned int d;

	for (d = conf->geo.set[1].members; d < conf->geo.members; d++)
		par_power_look(&conf->member[d], 0);
	par_power_relent(conf);
}

void par_power_relent(struct par_conf *conf)
{
	wake_up(&conf->power->wait);
}

/* ---- coming and going ---- */

void par_power_alloc(struct par_conf *conf)
{
	unsigned int d;

	init_waitqueue_head(&conf->power->wait);
	for (d = 0; d < conf->geo.members; d++) {
		struct par_power *power = conf->member[d].power;

		raw_spin_lock_init(&power->lock);
		INIT_DELAYED_WORK(&power->work, power_work);
		power->member = &conf->member[d];
		power->since = ktime_get();
		power->drive.woken = on_woken;
	}
}

static void take_device(struct par_member *member)
{
	struct par_power *power = member->power;
	struct block_device *bdev = member->rdev->bdev;
	bool awake = true;

	power->dead = false;
	power->prompt = false;
	power->busy = 0;
	set_state(power, PAR_POWER_ACTIVE);
	if (par_drive_usable(bdev)) {
		awake = par_drive_take(&power->drive, bdev);
		power->quiet = jiffies;
		power->ios = count_requests(member);
	} else {
		awake = is_wanted(member);
	}
	if (!awake)
		set_state(power, PAR_POWER_ASLEEP);
	par_power_look(member, 0);
}

void par_power_begin(struct par_conf *conf)
{
	unsigned int d;

	might_sleep();
	for (d = 0; d < conf->geo.members; d++)
		if (conf->member[d].rdev)
			take_device(&conf->member[d]);
}

static void never_woken(struct par_power *power)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&power->lock, flags);
	power->last_wake = 0;
	power->cause[0] = '\0';
	raw_spin_unlock_irqrestore(&power->lock, flags);
}

void par_power_join(struct par_conf *conf, unsigned int d, bool anew)
{
	struct par_power_record *kept = &conf->store->super.power;

	lockdep_assert_held(&conf->mddev->reconfig_mutex);
	if (anew) {
		spin_lock(&conf->store->power_lock);
		par_ration_begin(&kept->ration[d], par_clock(conf));
		kept->spin_ups[d] = 0;
		spin_unlock(&conf->store->power_lock);
		never_woken(conf->member[d].power);
	}
	take_device(&conf->member[d]);
}

bool par_power_working(struct par_conf *conf, unsigned int d)
{
	struct par_power *power = conf->member[d].power;

	return READ_ONCE(power->working) || atomic_read(&power->holds);
}

void par_power_leave(struct par_conf *conf, unsigned int d)
{
	struct par_power *power = conf->member[d].power;

	cancel_delayed_work_sync(&power->work);
	if (power->drive.dev)
		par_drive_give_back(&power->drive,
				    power->state == PAR_POWER_ACTIVE);
	/* Later requests to wake the member find it unusable. */
	cancel_delayed_work_sync(&power->work);
}

void par_power_end(struct par_conf *conf)
{
	WRITE_ONCE(conf->power->ending, true);
	par_power_relent(conf);
	par_mover_wake(conf);
}

void par_power_exit(struct par_conf *conf)
{
	unsigned int d;

	might_sleep();
	for (d = 0; d < conf->geo.members; d++)
		par_power_leave(conf, d);
}

int __init par_power_init(void)
{
	int err;

	power_wq = alloc_workqueue("par-power", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!power_wq)
		return -ENOMEM;
	err = par_drives_init();
	if (err)
		destroy_workqueue(power_wq);
	return err;
}

void par_power_cleanup(void)
{
	par_drives_exit();
	destroy_workqueue(power_wq);
}
