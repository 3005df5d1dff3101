// SPDX-License-Identifier: GPL-2.0
/*
 * The speed of the mover's copies and zeros. They yield to foreground I/O as md's resync does:
 * above speed_min there are pauses while the array's own request counters change, and speed_max is
 * never exceeded.
 */
#include <linux/part_stat.h>

#include "core/parent.h"
#include "gear/gear.h"

u64 par_foreground_ios(struct par_conf *conf)
{
	struct block_device *bdev = conf->mddev->gendisk->part0;

	return part_stat_read(bdev, ios[STAT_READ]) +
	       part_stat_read(bdev, ios[STAT_WRITE]);
}

bool par_in_use(struct par_conf *conf)
{
	return par_foreground_ios(conf) != conf->shift->ios;
}

void par_pace_begin(struct par_conf *conf, struct par_pace *pace)
{
	pace->due = jiffies;
	pace->began = jiffies;
	pace->ios = par_foreground_ios(conf);
}

/*
 * The duration of the copying counts: at speed_min the interval is measured from the start of one
 * batch to the start of the next.
 */
void par_pace(struct par_conf *conf, struct par_pace *pace, u64 kib, u32 least)
{
	u64 ios = par_foreground_ios(conf);
	u32 high = conf->store->super.speed_max, limit = high;
	unsigned long now = jiffies;

	if (ios != pace->ios)
		limit = clamp(least, conf->store->super.speed_min, high);

	pace->ios = ios;
	if (time_after(pace->began, pace->due))
		pace->due = pace->began;
	pace->due += min_t(u64, div_u64(kib * HZ, limit), MAX_JIFFY_OFFSET / 2);
	if (time_after(pace->due, now))
		wait_event_idle_timeout(conf->wish.wait, par_mover_interrupted(conf),
					pace->due - now);
}
