// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "disk.h"

#define OVERHEAD	(NEARLINE_OVERHEAD_US * NSEC_PER_USEC)
#define AHEAD_SECTORS	(2 * NEARLINE_READAHEAD_KIB)

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

u64 disk_ahead(const struct disk *disk, u64 now)
{
	u64 until = min(now, disk->ahead_until);

	return disk->ahead + (until > disk->free ? until - disk->free : 0);
}

static void begin_to_read_ahead(struct disk *disk)
{
	u64 end = min(disk->end + AHEAD_SECTORS, disk->model->sectors);

	disk->ahead_until = disk->free + spindle_place(disk->model, end) - disk->place;
}

u64 disk_send(struct disk *disk, u64 now, u64 sector, u64 sectors, enum disk_op op)
{
	u64 begin = max(now, disk->free), took = OVERHEAD;
	u64 place = spindle_place(disk->model, sector);

	disk->ahead = disk_ahead(disk, begin);
	disk->ahead_until = 0;
	took += positioning(disk, begin + took, sector, place);
	disk->place = spindle_place(disk->model, sector + sectors);
	took += disk->place - place;
	if (op == DISK_REWRITE)
		took += disk->model->turn_ns;
	disk->end = sector + sectors;
	disk->free = begin + took;
	disk->sent += took;
	disk->requests += op == DISK_REWRITE ? 2 : 1;
	if (op == DISK_READ)
		begin_to_read_ahead(disk);
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
	double joules = (disk_busy(disk, now) + disk_ahead(disk, now)) * (DISK_ACTIVE_W - DISK_IDLE_W);
	unsigned int i;

	for (i = 0; i < DISK_STATES; i++)
		joules += watts[i] * (disk->in[i] + (disk->state == i ? now - min(now, disk->since) : 0));
	return joules / NSEC_PER_SEC;
}
