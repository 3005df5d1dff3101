// SPDX-License-Identifier: GPL-2.0
/*
 * The wanted gear and its cause. The mover (shift.c) works towards it. See wish.h for the
 * contracts.
 */
#include <linux/ctype.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <kunit/visibility.h>

#include "core/parent.h"

#define PAR_ASK_AGAIN	(30 * HZ)	/* after a shift up that failed */

void par_shift_notify(struct par_conf *conf)
{
	if (conf->wish.gear_file)
		sysfs_notify_dirent(conf->wish.gear_file);
	if (conf->wish.shift_file)
		sysfs_notify_dirent(conf->wish.shift_file);
}

void par_mover_wake(struct par_conf *conf)
{
	wake_up(&conf->wish.wait);
}

void par_shift_rouse(struct par_conf *conf)
{
	WRITE_ONCE(conf->wish.resting, false);
	par_mover_wake(conf);
}

static void set_target(struct par_conf *conf, unsigned int gear, const char *cause)
{
	lockdep_assert_held(&conf->wish.lock);
	WRITE_ONCE(conf->wish.target, gear);
	strscpy(conf->wish.cause, cause);
}

void par_shift_to(struct par_conf *conf, unsigned int gear, const char *cause)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&conf->wish.lock, flags);
	set_target(conf, gear, cause);
	raw_spin_unlock_irqrestore(&conf->wish.lock, flags);
	par_put_off_over(conf);
}

bool par_is_put_off(struct par_conf *conf)
{
	unsigned int gear = READ_ONCE(conf->wish.put_off);

	return gear && READ_ONCE(conf->wish.target) == gear &&
	       time_before(jiffies, READ_ONCE(conf->wish.put_off_until));
}

unsigned int par_wanted(struct par_conf *conf)
{
	return par_is_put_off(conf) ? READ_ONCE(conf->gear) : READ_ONCE(conf->wish.target);
}

void par_shift_from(struct par_conf *conf, unsigned int target, unsigned int gear,
		    const char *cause)
{
	unsigned long flags;
	bool same;

	raw_spin_lock_irqsave(&conf->wish.lock, flags);
	same = conf->wish.target == target;
	if (same)
		set_target(conf, gear, cause);
	raw_spin_unlock_irqrestore(&conf->wish.lock, flags);
	if (same)
		par_put_off_over(conf);
}

void par_put_off_over(struct par_conf *conf)
{
	WRITE_ONCE(conf->wish.put_off, 0);
	par_shift_rouse(conf);
}

bool par_shift_at_least(struct par_conf *conf, unsigned int gear, const char *cause)
{
	unsigned long flags;
	bool raised;

	raw_spin_lock_irqsave(&conf->wish.lock, flags);
	raised = conf->wish.target < gear;
	if (conf->wish.target <= gear)
		set_target(conf, gear, cause);
	raw_spin_unlock_irqrestore(&conf->wish.lock, flags);
	par_shift_rouse(conf);
	return raised;
}

bool par_shift_wake(struct par_conf *conf, const char *cause)
{
	if (READ_ONCE(conf->wish.unraised) &&
	    time_before(jiffies, READ_ONCE(conf->wish.ended) + PAR_ASK_AGAIN))
		return false;
	par_shift_at_least(conf, conf->geo.gears, cause);
	return true;
}

bool par_raise_failed(const struct par_conf *conf, unsigned long since)
{
	return READ_ONCE(conf->wish.unraised) && time_after(READ_ONCE(conf->wish.ended), since);
}

void par_raise_for_missed(struct par_conf *conf)
{
	/* Not before its time, if it is deferred: see defer_missed(). */
	queue_delayed_work(conf->up.raise_wq, &conf->up.raise_work, 0);
}

void par_wish_cause(struct par_conf *conf, char cause[PAR_CAUSE])
{
	lockdep_assert_irqs_disabled();
	raw_spin_lock(&conf->wish.lock);
	strscpy(cause, conf->wish.cause, PAR_CAUSE);
	raw_spin_unlock(&conf->wish.lock);
}

bool par_wish_missed(struct par_conf *conf)
{
	unsigned long flags;
	bool missed;

	raw_spin_lock_irqsave(&conf->wish.lock, flags);
	missed = !strcmp(conf->wish.cause, PAR_CAUSE_MISS);
	raw_spin_unlock_irqrestore(&conf->wish.lock, flags);
	return missed;
}

/* A paused mover begins nothing, even if it is roused. */
bool par_mover_paused(struct par_conf *conf)
{
	return READ_ONCE(conf->wish.resting) || READ_ONCE(conf->wish.paused);
}

bool par_mover_stops(struct par_conf *conf)
{
	return kthread_should_stop() || !md_is_rdwr(conf->mddev);
}

/* Called by the mover only: conf->wish.aim is the gear that it works towards. */
bool par_mover_interrupted(struct par_conf *conf)
{
	return par_mover_stops(conf) || par_mover_paused(conf) ||
	       par_wanted(conf) != conf->wish.aim;
}

void par_wish_aim(struct par_conf *conf, unsigned int gear)
{
	conf->wish.aim = gear;
}

void par_wish_drop(struct par_conf *conf)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&conf->wish.lock, flags);
	if (conf->wish.target == conf->wish.aim)
		WRITE_ONCE(conf->wish.target, conf->gear);
	raw_spin_unlock_irqrestore(&conf->wish.lock, flags);
}

void par_wish_ended(struct par_conf *conf, int err)
{
	conf->wish.error = err;
	WRITE_ONCE(conf->wish.ended, jiffies);
	/* An interrupted shift has not failed. */
	WRITE_ONCE(conf->wish.unraised, err && err != -EINTR &&
		   conf->wish.aim > READ_ONCE(conf->gear));
}

void par_wish_put_off(struct par_conf *conf, unsigned long wait)
{
	WRITE_ONCE(conf->wish.put_off_until, jiffies + wait);
	WRITE_ONCE(conf->wish.put_off, conf->wish.aim);
}

void par_wish_watch(struct par_conf *conf, struct kernfs_node *gear,
		    struct kernfs_node *shift)
{
	conf->wish.gear_file = gear;
	conf->wish.shift_file = shift;
}

/* Either par_mover_pause() sees that the mover is at work, or the mover sees that it is paused. */
void par_mover_begin(struct par_conf *conf)
{
	WRITE_ONCE(conf->wish.moving, true);
	smp_mb();	/* pairs with the one in par_mover_pause() */
}

void par_mover_end(struct par_conf *conf)
{
	WRITE_ONCE(conf->wish.moving, false);
	par_mover_wake(conf);
}

void par_mover_pause(struct par_conf *conf)
{
	might_sleep();
	WRITE_ONCE(conf->wish.resting, true);
	WRITE_ONCE(conf->wish.paused, true);
	smp_mb();	/* pairs with the one in par_mover_begin() */
	par_mover_wake(conf);
	wait_event(conf->wish.wait, !READ_ONCE(conf->wish.moving));
}

void par_mover_allow(struct par_conf *conf)
{
	WRITE_ONCE(conf->wish.paused, false);
	par_mover_wake(conf);
}

void par_cause_task(char cause[PAR_CAUSE], const char *part, const struct task_struct *task)
{
	char *at;

	scnprintf(cause, PAR_CAUSE, "%s %s[%d]", part, task->comm,
		  task_pid_nr((struct task_struct *)task));
	for (at = cause; *at; at++)
		if (iscntrl(*at))
			*at = '?';
}

void par_wish_init(struct par_conf *conf)
{
	init_waitqueue_head(&conf->wish.wait);
	bio_list_init(&conf->wish.missed);
	raw_spin_lock_init(&conf->wish.lock);
}
EXPORT_SYMBOL_IF_KUNIT(par_wish_init);

void par_wish_begin(struct par_conf *conf)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&conf->wish.lock, flags);
	set_target(conf, conf->gear, "start");
	raw_spin_unlock_irqrestore(&conf->wish.lock, flags);
}
