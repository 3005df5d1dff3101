// SPDX-License-Identifier: GPL-2.0
/*
 * The time of day, as rations and ages of checks are counted by it.
 *
 * A board without a battery begins with 1970, until somebody sets its clock: a ration
 * counted by that would be filled up by the 50 years that follow. A clock that says less
 * than when the array was made has not been set. Until it is, time goes on from the
 * newest that the array has stored.
 */
#include <linux/timekeeping.h>

#include "par.h"

bool par_clock_set(const struct par_conf *conf)
{
	return ktime_get_real_seconds() >= conf->super.ctime;
}

u64 par_clock(const struct par_conf *conf)
{
	if (par_clock_set(conf))
		return ktime_get_real_seconds();
	return conf->clock_known + ktime_get_boottime_seconds() - conf->clock_began;
}

void par_clock_begin(struct par_conf *conf)
{
	unsigned int d;

	conf->clock_known = conf->super.ctime;
	for (d = 0; d < conf->geo.members; d++)
		conf->clock_known = max(conf->clock_known,
					conf->super.power.ration[d].since);
	conf->clock_began = ktime_get_boottime_seconds();
}
