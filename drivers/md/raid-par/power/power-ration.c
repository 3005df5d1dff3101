// SPDX-License-Identifier: GPL-2.0
/*
 * The ration of spin-ups (ration.c) for the members of an array: charging it, and finding
 * the gears for which no spin-ups are left. See power.h for the contracts.
 */
#include "core/parent.h"
#include "policy/policy.h"
#include "power/power.h"

struct par_ration *par_power_ration(struct par_member *member, u64 now)
{
	struct par_power_record *kept = &member->conf->store->super.power;
	struct par_ration *ration = &kept->ration[member->index];

	lockdep_assert_held(&member->conf->store->power_lock);
	par_ration_tick(ration, kept->carry, now);
	return ration;
}

void par_power_charge(struct par_member *member, bool free)
{
	struct par_conf *conf = member->conf;
	struct par_ration *ration;

	spin_lock(&conf->store->power_lock);
	conf->store->super.power.spin_ups[member->index]++;
	par_store_count(conf);
	ration = par_power_ration(member, par_clock(conf));
	if (!free && member->power->drive.dev)
		par_ration_spend(ration);
	spin_unlock(&conf->store->power_lock);
}

u64 par_power_ration_wait(struct par_member *member)
{
	struct par_conf *conf = member->conf;
	u64 now, wait;

	spin_lock(&conf->store->power_lock);
	now = par_clock(conf);
	wait = par_ration_wait(par_power_ration(member, now), now);
	spin_unlock(&conf->store->power_lock);
	return wait;
}

void par_power_count_refusal(struct par_conf *conf)
{
	spin_lock(&conf->store->power_lock);
	conf->store->super.power.refused++;
	par_store_count(conf);
	spin_unlock(&conf->store->power_lock);
}

bool par_power_counted(const struct par_conf *conf)
{
	return READ_ONCE(conf->store->power_counts) != READ_ONCE(conf->store->power_counts_kept);
}

u32 par_power_driven(struct par_conf *conf, u32 members)
{
	u32 driven = 0;
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (members & BIT(d) && READ_ONCE(conf->member[d].power->drive.dev))
			driven |= BIT(d);
	return driven;
}

u32 par_power_refuses(struct par_conf *conf, unsigned int gear, u64 *wait)
{
	u32 members = par_power_driven(conf, ~0U), refusing = 0;
	unsigned int d;

	*wait = 0;
	if (READ_ONCE(conf->store->super.power.off))
		return 0;
	for (d = conf->geo.set[gear].members; d < conf->geo.members; d++) {
		struct par_member *member = &conf->member[d];
		u64 own;

		if (!(members & BIT(d)) ||
		    READ_ONCE(member->power->state) == PAR_POWER_ASLEEP)
			continue;
		own = par_power_ration_wait(member);
		*wait = max(*wait, own);
		if (own)
			refusing |= BIT(d);
	}
	return refusing;
}

u64 par_power_gap(struct par_conf *conf, unsigned int gear)
{
	u32 members = par_power_driven(conf, ~0U);
	u64 now, gap = 0;
	unsigned int d;

	if (READ_ONCE(conf->store->super.power.off))
		return 0;
	spin_lock(&conf->store->power_lock);
	now = par_clock(conf);
	for (d = conf->geo.set[gear].members; d < conf->geo.members; d++)
		if (members & BIT(d))
			gap = max(gap, par_ration_gap(par_power_ration(&conf->member[d], now)));
	spin_unlock(&conf->store->power_lock);
	return gap;
}

static void pace_of(struct par_member *member, struct par_situation *is)
{
	struct par_conf *conf = member->conf;
	struct par_ration *ration;
	u64 now;

	spin_lock(&conf->store->power_lock);
	now = par_clock(conf);
	ration = par_power_ration(member, now);
	if (!is->rationed || par_ration_left(ration) < is->starts) {
		is->rationed = true;
		is->starts = par_ration_left(ration);
		is->day = par_ration_day(ration);
		is->share = par_ration_share(ration, now);
	}
	spin_unlock(&conf->store->power_lock);
}

void par_power_pace(struct par_conf *conf, struct par_situation *is)
{
	u32 driven = par_power_driven(conf, ~0U);
	unsigned int d;

	is->rationed = false;
	if (READ_ONCE(conf->store->super.power.off))
		return;
	for (d = conf->geo.set[is->gear].members; d < conf->geo.members; d++)
		if (driven & BIT(d))
			pace_of(&conf->member[d], is);
}
