// SPDX-License-Identifier: GPL-2.0
/*
 * The time of day, as rations and ages of checks are counted by it.
 *
 * A board without a battery begins with 1970, until somebody sets its clock: a ration
 * counted by that would be filled up by the 50 years that follow; so it would by the
 * months after the day on which the system's image was made, where others begin. Until
 * the clock says more than the newest time that the array has seen or stored, time goes
 * on from that.
 */
#include <linux/timekeeping.h>

#include "par.h"

bool par_clock_set(const struct par_conf *conf)
{
	return ktime_get_real_seconds() >= conf->super.ctime;
}

static void know(struct par_conf *conf, u64 now)
{
	conf->clock_known = now;
	conf->clock_began = ktime_get_boottime_seconds();
}

u64 par_clock(struct par_conf *conf)
{
	u64 now = ktime_get_real_seconds(), known;

	spin_lock(&conf->clock_lock);
	known = conf->clock_known + ktime_get_boottime_seconds() - conf->clock_began;
	if (now >= conf->clock_known)
		know(conf, now);
	else
		now = known;
	spin_unlock(&conf->clock_lock);
	return now;
}

void par_clock_begin(struct par_conf *conf)
{
	u64 known = conf->super.ctime;
	unsigned int d, i;

	for (d = 0; d < conf->geo.members; d++)
		known = max(known, conf->super.power.ration[d].since);
	for (i = 1; i <= conf->geo.gears; i++)
		known = max(known, conf->super.scrub.last[i]);
	spin_lock_init(&conf->clock_lock);
	know(conf, known);
}
