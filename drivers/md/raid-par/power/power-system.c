// SPDX-License-Identifier: GPL-2.0
/*
 * Members when the system sleeps and wakes up. See power.h for the contracts.
 */
#include <linux/suspend.h>

#include "core/parent.h"
#include "power/power.h"

/*
 * Disks that others start after the system has slept (a controller on its own, even) may
 * still be "suspended" for runtime PM: start them for it, and stop them. If a disk was not
 * started, this costs one start more than needed.
 */
static void after_system_sleep(struct par_member *member)
{
	struct par_power *power = member->power;
	unsigned long flags;

	raw_spin_lock_irqsave(&power->lock, flags);
	if (power->state == PAR_POWER_ASLEEP)
		par_power_system_woke(power);
	raw_spin_unlock_irqrestore(&power->lock, flags);
	if (!par_awake(member->conf, member->conf->gear, member->index))
		WRITE_ONCE(power->prompt, true);
	par_power_look(member, 0);
}

/*
 * The resumed system does not know of anything that is stored between the snapshot and
 * power-off: its map is older than the disks, and would be stored as the newest. Reading
 * alone cannot cause that; an array that turns writable by itself could. Likewise, a system
 * that is about to be replaced by the resumed one must not have written anything.
 */
static bool system_unfit(const struct par_conf *conf, unsigned long event)
{
	int ro = READ_ONCE(conf->mddev->ro);

	if (event == PM_HIBERNATION_PREPARE && ro != MD_RDONLY)
		pr_err("md/par:%s: the system cannot hibernate while the array is writable: the resumed system would not know of the metadata that was stored last. Stop the array first, or make it read-only (mdadm --readonly)\n",
		       mdname(conf->mddev));
	else if (event == PM_RESTORE_PREPARE && ro == MD_RDWR)
		pr_err("md/par:%s: the system cannot be resumed from its image while the array is writable: it would not know of the metadata stored since\n",
		       mdname(conf->mddev));
	else
		return false;
	return true;
}

static int on_system(struct notifier_block *nb, unsigned long event, void *data)
{
	struct par_conf *conf = container_of(nb, struct par_array_power, system_nb)->conf;
	unsigned int d;

	switch (event) {
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		if (system_unfit(conf, event))
			return notifier_from_errno(-EBUSY);
		fallthrough;
	case PM_SUSPEND_PREPARE:
		WRITE_ONCE(conf->power->system_sleeps, true);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		WRITE_ONCE(conf->power->system_sleeps, false);
		for (d = 0; d < conf->geo.members; d++)
			if (conf->member[d].power->drive.dev)
				after_system_sleep(&conf->member[d]);
		break;
	default:
		break;
	}
	return NOTIFY_DONE;
}

void par_power_system_begin(struct par_conf *conf)
{
	conf->power->system_nb.notifier_call = on_system;
	register_pm_notifier(&conf->power->system_nb);
}

void par_power_system_end(struct par_conf *conf)
{
	if (conf->power->system_nb.notifier_call)
		unregister_pm_notifier(&conf->power->system_nb);
}
