// SPDX-License-Identifier: GPL-2.0
/*
 * The time of day for rations and for ages of checks.
 *
 * A board without a battery starts in 1970, or at the date of its system image, until its
 * clock is set. When the clock is set, a ration would be filled by the decades or months
 * that seem to have passed. So until the clock exceeds the newest time that the array has
 * seen or stored, time continues from that one.
 */
#include <linux/timekeeping.h>

#include "core/parent.h"
#include "power/power.h"

bool par_clock_set(const struct par_conf *conf)
{
	return ktime_get_real_seconds() >= conf->store->super.ctime;
}

static void clock_know(struct par_conf *conf, u64 now)
{
	conf->power->clock_known = now;
	conf->power->clock_began = ktime_get_boottime_seconds();
}

u64 par_clock(struct par_conf *conf)
{
	u64 now = ktime_get_real_seconds(), known;

	spin_lock(&conf->power->clock_lock);
	known = conf->power->clock_known + ktime_get_boottime_seconds() - conf->power->clock_began;
	if (now >= conf->power->clock_known)
		clock_know(conf, now);
	else
		now = known;
	spin_unlock(&conf->power->clock_lock);
	return now;
}

void par_clock_begin(struct par_conf *conf)
{
	u64 known = conf->store->super.ctime;
	unsigned int d, i;

	for (d = 0; d < conf->geo.members; d++)
		known = max(known, conf->store->super.power.ration[d].since);
	for (i = 1; i <= conf->geo.gears; i++)
		known = max(known, conf->store->super.scrub.last[i]);
	spin_lock_init(&conf->power->clock_lock);
	clock_know(conf, known);
}
