// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "disk.h"

#define OVERHEAD	(NEARLINE_OVERHEAD_US * NSEC_PER_USEC)

const struct spindle_model *disk_model(void)
{
	static const struct spindle_mechanics nearline = NEARLINE_MECHANICS;
	static struct spindle_model model;

	if (spindle_model_init(&model, &nearline, DISK_SECTORS))
		abort();
	return &model;
}

/* What follows at once has been read ahead. */
static u64 positioning(const struct disk *disk, u64 now, u64 sector, u64 place)
{
	return sector == disk->end ? 0 : spindle_reach_ns(disk->model, disk->place, now, 0, place);
}

u64 disk_send(struct disk *disk, u64 now, u64 sector, u64 sectors, bool again)
{
	u64 begin = max(now, disk->free), took = OVERHEAD;
	u64 place = spindle_place(disk->model, sector);

	took += positioning(disk, begin + took, sector, place);
	disk->place = spindle_place(disk->model, sector + sectors);
	took += disk->place - place;
	if (again)
		took += disk->model->turn_ns;
	disk->end = sector + sectors;
	disk->free = begin + took;
	disk->sent += took;
	disk->requests += again ? 2 : 1;
	return disk->free;
}

u64 disk_busy(const struct disk *disk, u64 now)
{
	return disk->sent - (disk->free - min(disk->free, now));
}

void disk_become(struct disk *disk, enum disk_state state, u64 now)
{
	disk->in[disk->state] += now - disk->since;
	disk->since = now;
	disk->state = state;
	disk->starts += state == DISK_STARTS;
}

double disk_joules(const struct disk *disk, u64 now)
{
	static const double watts[DISK_STATES] = { DISK_IDLE_W, DISK_SPIN_DOWN_W, DISK_STANDBY_W, DISK_SPIN_UP_W };
	double joules = disk_busy(disk, now) * (DISK_ACTIVE_W - DISK_IDLE_W);
	unsigned int i;

	for (i = 0; i < DISK_STATES; i++)
		joules += watts[i] * (disk->in[i] + (disk->state == i ? now - min(now, disk->since) : 0));
	return joules / NSEC_PER_SEC;
}
