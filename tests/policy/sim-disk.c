// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>

#include "sim-disk.h"

#define OVERHEAD	(NEARLINE_OVERHEAD_US * NSEC_PER_USEC)
#define AHEAD_SECTORS	(2 * NEARLINE_READAHEAD_KIB)
#define CACHE_SECTORS	(2 * 16384U)	/* tests/spindle/settings.c: cache_kib */
/*
 * With n requests waiting, the way to the next is n^-0.3 of a random one: from 12 ms to 3.6 ms
 * with 64, as for the arm of tests/spindle, which takes the one that can end first.
 */
#define SORTED		-0.3

void disk_mechanics_init(struct disk_mechanics *mechanics, u64 sectors)
{
	static const struct spindle_mechanics nearline = NEARLINE_MECHANICS;
	unsigned int n;

	if (spindle_model_init(&mechanics->model, &nearline, sectors))
		abort();
	for (n = 0; n < ARRAY_SIZE(mechanics->way); n++)
		mechanics->way[n] = pow(n + 1, SORTED);
}

/* ---- the arm ---- */

static unsigned int waiting(const struct disk *disk, u64 now)
{
	unsigned int n = 0;

	while (n < DISK_DEPTH && disk->ends[(disk->newest + DISK_DEPTH - n) % DISK_DEPTH] > now)
		n++;
	return n;
}

/* From the position of the arm, or its last one for reads if it is elsewhere meanwhile. */
static u64 way_to(const struct disk *disk, u64 now, u64 sector, unsigned int among)
{
	const struct disk_mechanics *mechanics = disk->mechanics;
	u64 place = spindle_place(&mechanics->model, sector);

	return spindle_reach_ns(&mechanics->model, disk->place, now, 0, place) * mechanics->way[min(among, DISK_DEPTH)];
}

static u64 passing(const struct disk *disk, u64 sector, u64 sectors)
{
	const struct spindle_model *model = &disk->mechanics->model;

	return spindle_place(model, sector + sectors) - spindle_place(model, sector);
}

/* What has been written back until @now, if no request has come since the disk was free. */
static u64 written_back(const struct disk *disk, u64 now)
{
	return min(disk->owed, now - min(now, max(disk->free, disk->settled)));
}

static u64 read_ahead(const struct disk *disk, u64 now)
{
	u64 until = min(now, disk->ahead_until);

	return disk->ahead + (until > disk->free ? until - disk->free : 0);
}

static void pay(struct disk *disk, u64 ns)
{
	if (!disk->owed)
		return;
	disk->dirty -= disk->dirty * ((double)ns / disk->owed);
	disk->writes -= disk->writes * ((double)ns / disk->owed);
	disk->owed -= ns;
	if (!disk->owed)
		disk->dirty = disk->writes = 0;
}

/* Background work until @now; returns true if the disk is writing back. */
static bool settle(struct disk *disk, u64 now)
{
	u64 paid = written_back(disk, now);

	disk->ahead = read_ahead(disk, now);
	disk->ahead_until = 0;
	pay(disk, paid);
	disk->settled = max(disk->settled, now);
	return paid && disk->owed;
}

/* A write that has begun must end. */
static void end_write(struct disk *disk, u64 now)
{
	u64 half = min(disk->owed, disk->owed / (2 * max(disk->writes, 1ULL)));

	pay(disk, half);
	disk->in_flight += half;
	disk->free = now + half;
}

/* ---- pauses ---- */

static void leave_gap(struct disk *disk, u64 from, u64 to)
{
	if (to <= from)
		return;
	disk->newest_gap = (disk->newest_gap + 1) % DISK_GAPS;
	disk->gap[disk->newest_gap] = (struct disk_gap) { from, to };
}

/* Is there a pause from @now on in which the arm can serve this? Returns its end, else 0. */
static u64 fill_gap(struct disk *disk, u64 now, u64 sector, u64 sectors)
{
	u64 took = 0;
	unsigned int i;

	for (i = 0; i < DISK_GAPS; i++) {
		struct disk_gap *gap = &disk->gap[i];
		u64 begin = max(now, gap->from);

		if (begin + OVERHEAD >= gap->to)
			continue;
		took = took ?: OVERHEAD + way_to(disk, begin + OVERHEAD, sector, 0) + passing(disk, sector, sectors);
		if (begin + took > gap->to)
			continue;
		gap->from = begin + took;
		disk->in_flight += took;
		disk->moving += took;
		disk->requests++;
		return gap->from;
	}
	return 0;
}

/* The work after @now, until the disk is free. */
static u64 left_to_do(const struct disk *disk, u64 now)
{
	u64 left = disk->free - min(disk->free, now);
	unsigned int i;

	for (i = 0; left && i < DISK_GAPS; i++) {
		u64 from = max(now, disk->gap[i].from);

		left -= min(left, disk->gap[i].to - min(disk->gap[i].to, from));
	}
	return left;
}

/* ---- requests ---- */

/* The arm seeks, unless @ahead: the next sectors have been read ahead. */
static u64 go_to(struct disk *disk, u64 now, u64 sector, u64 sectors, bool ahead)
{
	u64 begin = max(now, disk->free), took = OVERHEAD, end;

	end = begin > now ? fill_gap(disk, now, sector, sectors) : 0;
	if (end)
		return end;
	leave_gap(disk, disk->free, begin);
	if (!ahead)
		took += way_to(disk, begin + took, sector, max(waiting(disk, now), 1U) - 1);
	took += passing(disk, sector, sectors);
	disk->place = spindle_place(&disk->mechanics->model, sector + sectors);
	disk->free = begin + took;
	disk->newest = (disk->newest + 1) % DISK_DEPTH;
	disk->ends[disk->newest] = disk->free;
	disk->in_flight += took;
	disk->moving += took;
	disk->requests++;
	return disk->free;
}

static u64 read_from(struct disk *disk, u64 now, u64 sector, u64 sectors)
{
	u64 done;

	disk->reads++;
	done = go_to(disk, now, sector, sectors, sector == disk->end);
	if (done != disk->free)
		return done;
	disk->end = sector + sectors;
	if (!disk->owed)
		disk->ahead_until = disk->free + passing(disk, disk->end,
							 min(AHEAD_SECTORS, disk->mechanics->model.sectors - disk->end));
	return disk->free;
}

/* Room is made by writing back as much as arrives. */
static u64 make_room(struct disk *disk, u64 now, u64 sectors)
{
	u64 first, begin = max(now, disk->free);

	if (disk->dirty + sectors <= CACHE_SECTORS)
		return now;
	first = min(disk->owed, (u64)(disk->owed * ((double)min(sectors, disk->dirty) / disk->dirty)));
	pay(disk, first);
	disk->in_flight += first;
	disk->free = begin + first;
	return disk->free;
}

/* One transfer after the other, concurrently with the arm; only the excess makes the disk busy. */
static u64 by_bus(struct disk *disk, u64 now, u64 sectors)
{
	u64 counted = max(now, max(disk->free, disk->bus_free));

	disk->bus_free = max(now + OVERHEAD, disk->bus_free) + sectors * NSEC_PER_SEC / (2 * NEARLINE_BUS_KIB);
	disk->in_flight += max(disk->bus_free, counted) - counted;
	return disk->bus_free;
}

static u64 write_to(struct disk *disk, u64 now, u64 sector, u64 sectors)
{
	u64 took = 0, taken = by_bus(disk, make_room(disk, now, sectors), sectors);

	if (sector != disk->written)
		took = way_to(disk, now, sector, disk->writes);
	took += passing(disk, sector, sectors);
	disk->written = sector + sectors;
	disk->owed += took;
	disk->dirty += sectors;
	disk->writes++;
	disk->moving += took;
	disk->requests++;
	return taken;
}

u64 disk_send(struct disk *disk, u64 now, u64 sector, u64 sectors, enum disk_op op)
{
	if (settle(disk, now) && op != DISK_WRITE)
		end_write(disk, now);
	if (op == DISK_READ)
		return read_from(disk, now, sector, sectors);
	disk->writes_sent++;
	if (op == DISK_WRITE_THROUGH)
		return go_to(disk, now, sector, sectors, false);
	if (op == DISK_REWRITE)
		now = read_from(disk, now, sector, sectors);
	return write_to(disk, now, sector, sectors);
}

/* n requests in random places of a track take n / (n + 1) of a turn: this one the difference. */
u64 disk_send_with(struct disk *disk, unsigned int others)
{
	u64 took = disk->mechanics->model.turn_ns / ((others + 1) * (others + 2));

	disk->free += took;
	disk->in_flight += took;
	disk->moving += took;
	disk->requests++;
	disk->writes_sent++;
	return disk->free;
}

u64 disk_flush(struct disk *disk, u64 now)
{
	settle(disk, now);
	disk->flushes++;
	disk->free = max(now, disk->free) + disk->owed;
	disk->in_flight += disk->owed;
	pay(disk, disk->owed);
	return disk->free;
}

/* ---- results ---- */

u64 disk_idle(const struct disk *disk)
{
	return max(disk->free, disk->settled) + disk->owed;
}

u64 disk_busy(const struct disk *disk, u64 now)
{
	return disk->in_flight - min(disk->in_flight, left_to_do(disk, now));
}

u64 disk_active(const struct disk *disk, u64 now)
{
	u64 left = disk->owed - written_back(disk, now) + left_to_do(disk, now);

	return disk->moving - min(disk->moving, left) + read_ahead(disk, now);
}

void disk_forget(struct disk *disk, u64 now)
{
	settle(disk, now);
	disk->in_flight = disk_busy(disk, now);
	disk->moving -= min(disk->moving, disk->owed + left_to_do(disk, now));
	pay(disk, disk->owed);
	disk->free = min(disk->free, now);
	memset(disk->ends, 0, sizeof(disk->ends));
	memset(disk->gap, 0, sizeof(disk->gap));
}

void disk_rest(struct disk *disk, u64 now, u64 after)
{
	u64 at = max(disk_idle(disk), disk->since) + after;

	if (disk->state == DISK_TURNS && at <= now) {
		settle(disk, at);
		disk_become(disk, DISK_STOPS, at);
	}
	if (disk->state == DISK_STOPS && disk->since + DISK_SPIN_DOWN <= now)
		disk_become(disk, DISK_STANDS, disk->since + DISK_SPIN_DOWN);
}

void disk_become(struct disk *disk, enum disk_state state, u64 now)
{
	if (disk->state == DISK_TURNS) {
		settle(disk, now);
		pay(disk, disk->owed);
	}
	disk->in[disk->state] += now - disk->since;
	disk->since = now;
	disk->state = state;
	disk->starts += state == DISK_STARTS;
}

double disk_joules(const struct disk *disk, u64 now)
{
	static const double watts[DISK_STATES] = { DISK_IDLE_W, DISK_SPIN_DOWN_W, DISK_STANDBY_W, DISK_SPIN_UP_W };
	double joules = disk_active(disk, now) * (DISK_ACTIVE_W - DISK_IDLE_W);
	unsigned int i;

	for (i = 0; i < DISK_STATES; i++)
		joules += watts[i] * (disk->in[i] + (disk->state == i ? now - min(now, disk->since) : 0));
	return joules / NSEC_PER_SEC;
}
