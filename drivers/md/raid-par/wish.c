// SPDX-License-Identifier: GPL-2.0
/*
 * Which gear is wanted, and what for. The mover (shift.c) goes by it. See par.h for the
 * contracts.
 */
#include <linux/kobject.h>

#include "par.h"

#define PAR_ASK_AGAIN	(30 * HZ)	/* a member that has not woken up */

void par_shift_notify(struct par_conf *conf)
{
	if (conf->sysfs_gear)
		sysfs_notify_dirent(conf->sysfs_gear);
	if (conf->sysfs_shift)
		sysfs_notify_dirent(conf->sysfs_shift);
}

void par_shift_rouse(struct par_conf *conf)
{
	WRITE_ONCE(conf->resting, false);
	wake_up(&conf->wait);
}

void par_shift_to(struct par_conf *conf, unsigned int gear)
{
	WRITE_ONCE(conf->target, gear);
	par_put_off_over(conf);
}

bool par_is_put_off(struct par_conf *conf)
{
	unsigned int gear = READ_ONCE(conf->put_off);

	return gear && READ_ONCE(conf->target) == gear &&
	       time_before(jiffies, READ_ONCE(conf->put_off_until));
}

unsigned int par_wanted(struct par_conf *conf)
{
	return par_is_put_off(conf) ? READ_ONCE(conf->gear) : READ_ONCE(conf->target);
}

void par_shift_from(struct par_conf *conf, unsigned int target, unsigned int gear)
{
	if (cmpxchg(&conf->target, target, gear) == target)
		par_put_off_over(conf);
}

void par_put_off_over(struct par_conf *conf)
{
	WRITE_ONCE(conf->put_off, 0);
	par_shift_rouse(conf);
}

void par_shift_at_least(struct par_conf *conf, unsigned int gear)
{
	unsigned int target = READ_ONCE(conf->target);

	while (target < gear) {
		unsigned int seen = cmpxchg(&conf->target, target, gear);

		if (seen == target)
			break;
		target = seen;
	}
	par_shift_rouse(conf);
}

bool par_shift_wake(struct par_conf *conf)
{
	if (READ_ONCE(conf->shift_error) == -EHOSTDOWN &&
	    time_before(jiffies, conf->unwoken + PAR_ASK_AGAIN))
		return false;
	par_shift_at_least(conf, conf->geo.gears);
	return true;
}

void par_rescue_missed(struct par_conf *conf)
{
	queue_work(conf->rescue_wq, &conf->rescue_work);
}

void par_power_why(struct par_conf *conf, const char *part)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&conf->why_lock, flags);
	strscpy(conf->why, part);
	raw_spin_unlock_irqrestore(&conf->why_lock, flags);
}

void par_power_why_task(struct par_conf *conf, const char *part)
{
	char why[PAR_CAUSE];

	scnprintf(why, sizeof(why), "%s %s[%d]", part, current->comm,
		  task_pid_nr(current));
	par_power_why(conf, why);
}

/* Rouse it who will: it must not begin anything as long as it is parked. */
bool par_mover_rests(struct par_conf *conf)
{
	return READ_ONCE(conf->resting) || READ_ONCE(conf->parked);
}

bool par_mover_stops(struct par_conf *conf)
{
	return kthread_should_stop() || !md_is_rdwr(conf->mddev);
}

/* Only the mover asks: conf->aim is what it is working towards. */
bool par_mover_interrupted(struct par_conf *conf)
{
	return par_mover_stops(conf) || par_mover_rests(conf) || par_wanted(conf) != conf->aim;
}
