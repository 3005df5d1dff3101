// SPDX-License-Identifier: GPL-2.0
/*
 * What the ration of spin-ups (ration.c) means to the members of an array: who is
 * charged, and what gear there are no spin-ups for. See power.h for the contracts.
 */
#include <linux/timekeeping.h>

#include "par.h"

void par_power_charge(struct par_member *member, bool free)
{
	struct par_conf *conf = member->conf;
	struct par_power_record *kept = &conf->super.power;
	struct par_ration *ration = &kept->ration[member->index];

	spin_lock(&conf->power_lock);
	kept->spin_ups[member->index]++;
	par_ration_tick(ration, kept->carry, ktime_get_real_seconds());
	if (!free && member->power.drive.dev)
		par_ration_spend(ration);
	spin_unlock(&conf->power_lock);
}

u64 par_power_ration_wait(struct par_member *member)
{
	struct par_conf *conf = member->conf;
	struct par_ration *ration = &conf->super.power.ration[member->index];
	u64 now = ktime_get_real_seconds(), wait;

	spin_lock(&conf->power_lock);
	par_ration_tick(ration, conf->super.power.carry, now);
	wait = par_ration_wait(ration, now);
	spin_unlock(&conf->power_lock);
	return wait;
}

u32 par_power_driven(struct par_conf *conf, u32 members)
{
	u32 driven = 0;
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (members & BIT(d) && READ_ONCE(conf->member[d].power.drive.dev))
			driven |= BIT(d);
	return driven;
}

u32 par_power_refuses(struct par_conf *conf, unsigned int gear, u64 *wait)
{
	u32 members = par_power_driven(conf, ~0U), refusing = 0;
	unsigned int d;

	*wait = 0;
	if (READ_ONCE(conf->super.power.off))
		return 0;
	for (d = conf->geo.set[gear].members; d < conf->geo.members; d++) {
		struct par_member *member = &conf->member[d];
		u64 own;

		if (!(members & BIT(d)) ||
		    READ_ONCE(member->power.state) == PAR_POWER_ASLEEP)
			continue;
		own = par_power_ration_wait(member);
		*wait = max(*wait, own);
		if (own)
			refusing |= BIT(d);
	}
	return refusing;
}
