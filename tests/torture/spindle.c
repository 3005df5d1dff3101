// SPDX-License-Identifier: GPL-2.0
/* The disks of a life, and their power: tests/spindle/, by configfs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "torture.h"

#define ROOT "/sys/kernel/config/spindle"

/*
 * The mechanics of disks with --mechanics. All times pass in real time: so the disks are
 * small and fast, turn faster than any that is sold, and start in less than a second. But
 * the order of events is that of real disks: the cache is written back in runs, a flush
 * takes as long as the write-back, the arm serves the queue in its own order, and starting
 * and stopping take time.
 */
struct mechanics {
	unsigned int rpm, seek_us, cache_kib, readahead_kib, start_ms, stop_ms;
};

/*
 * The power of one disk must not be restored while all are being cut: the array would
 * continue on that disk alone, and call all others failed.
 */
static pthread_mutex_t supply = PTHREAD_MUTEX_INITIALIZER;
static bool blackout;

static unsigned int disks;
static unsigned int usual_delay;
static unsigned int block = 512;
static bool enlarged;	/* some disks show blocks of 4096, the array does not yet */
static char names[MAX_DISKS][16];
static struct mechanics mechanics;

const char *disk_name(unsigned int d)
{
	return names[d];
}

unsigned int disk_block(void)
{
	return block;
}

static void set(unsigned int d, const char *attribute, u64 value)
{
	char text[24];
	int err;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	err = put(text, ROOT "/%s/%s", names[d], attribute);
	if (err)
		fail("%s/%s = %s: %s", names[d], attribute, text, strerror(-err));
}

void disks_plan(struct rng *rng)
{
	static const unsigned int speeds[] = { 30000, 60000, 90000 };

	mechanics = (struct mechanics) {
		.rpm = speeds[below(rng, 3)],
		.seek_us = between(rng, 1, 6) * 100,
		.cache_kib = 64U << below(rng, 4),
		.readahead_kib = between(rng, 1, 8) * 64,
		.start_ms = between(rng, 300, 800),
		.stop_ms = between(rng, 30, 200),
	};
	event("%u turns a minute, seeks of %u us, %u KiB of cache, %u ms to start, %u to stop",
	      mechanics.rpm, mechanics.seek_us, mechanics.cache_kib, mechanics.start_ms,
	      mechanics.stop_ms);
}

/* The arm's times have the proportions of those of nearline disks. */
static void give_mechanics(unsigned int d)
{
	set(d, "rpm", mechanics.rpm);
	set(d, "seek_track_us", mechanics.seek_us / 10);
	set(d, "seek_avg_us", mechanics.seek_us);
	set(d, "seek_full_us", mechanics.seek_us * 2);
	set(d, "outer_kib", 200000);
	set(d, "inner_kib", 100000);
	set(d, "zones", 4);
	set(d, "overhead_us", 50);
	set(d, "bus_kib", 500000);
	set(d, "depth", 32);
	set(d, "max_age_ms", 100);
	set(d, "cache_kib", mechanics.cache_kib);
	set(d, "readahead_kib", mechanics.readahead_kib);
	set(d, "spin_up_ms", mechanics.start_ms);
	set(d, "spin_down_ms", mechanics.stop_ms);
}

unsigned int disks_start_ms(void)
{
	return mechanics.start_ms;
}

static bool disk_is(unsigned int d, const char *state)
{
	char path[64];

	snprintf(path, sizeof(path), ROOT "/%s/state", names[d]);
	return reads(state, path);
}

bool disk_stands(unsigned int d)
{
	return disk_is(d, "standby");
}

bool disks_stopping(void)
{
	unsigned int d;

	for (d = 0; d < disks; d++)
		if (disk_is(d, "spinning down"))
			return true;
	return false;
}

static void disk_make(unsigned int d, unsigned int size, u64 seed)
{
	char path[64];

	snprintf(names[d], sizeof(names[d]), "spin%u", d);
	snprintf(path, sizeof(path), ROOT "/spin%u", d);
	if (mkdir(path, 0755))
		fail("%s: %s", path, strerror(errno));
	set(d, "size", opt.disk_mib);
	set(d, "blocksize", size);
	set(d, "cache", 1);
	set(d, "delay_us", usual_delay);
	set(d, "seed", seed);
	if (mechanics.rpm)
		give_mechanics(d);
	set(d, "online", 1);
}

void disks_make(unsigned int number, struct rng *rng)
{
	unsigned int d;
	bool mixed;

	usual_delay = chance(rng, 25) ? 0 : between(rng, 50, 500);
	block = opt.block ? opt.block : chance(rng, 15) ? 4096 : 512;
	enlarged = false;
	mixed = !opt.block && block > SECTOR && chance(rng, 50);
	for (d = 0; d < number; d++)
		disk_make(d, mixed && d % 2 ? SECTOR : block, rng_next(rng) >> 32);
	disks = number;
	event("%u disks of %u MiB, blocks of %u%s, delay up to %u us", number,
	      opt.disk_mib, block, mixed ? " or 512" : "", usual_delay);
}

static void show_block(unsigned int d, unsigned int size)
{
	set(d, "online", 0);
	set(d, "blocksize", size);
	set(d, "online", 1);
}

void disks_move(void)
{
	unsigned int d;

	block = 4096;
	enlarged = false;
	for (d = 0; d < disks; d++)
		show_block(d, block);
	event("the disks are in an enclosure that shows blocks of %u", block);
}

void disk_enlarge(unsigned int d)
{
	show_block(d, 4096);
	enlarged = true;
	event("%s shows blocks of 4096", names[d]);
}

bool disks_enlarged(void)
{
	return enlarged;
}

static void disk_remove(const char *name)
{
	char path[512];

	put("0", ROOT "/%s/online", name);
	snprintf(path, sizeof(path), ROOT "/%s", name);
	if (rmdir(path))
		fail("rmdir %s: %s", path, strerror(errno));
}

void disks_remove(void)
{
	while (disks)
		disk_remove(names[--disks]);
}

/* Remove the disks that a previous process has left. */
void disks_purge(void)
{
	struct dirent *entry;
	DIR *dir = opendir(ROOT);

	if (!dir)
		fail(ROOT ": is the module spindle loaded?");
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, "spin", 4) && strpbrk(entry->d_name, "0123456789"))
			disk_remove(entry->d_name);
	closedir(dir);
	disks = 0;
}

void disks_cut(u64 seed)
{
	char text[24];
	int err;

	snprintf(text, sizeof(text), "%u", (u32)seed);
	pthread_mutex_lock(&supply);
	blackout = true;
	err = put(text, ROOT "/cut");
	pthread_mutex_unlock(&supply);
	if (err)
		fail("cut: %s", strerror(-err));
	event("power cut");
}

void disks_trap(u64 seed, unsigned int nth, u64 first, u64 last)
{
	char text[96];
	int err;

	snprintf(text, sizeof(text), "%u %u %llu %llu", (u32)seed, nth,
		 (unsigned long long)first, (unsigned long long)last);
	pthread_mutex_lock(&supply);
	blackout = true;
	err = put(text, ROOT "/trap");
	pthread_mutex_unlock(&supply);
	if (err)
		fail("trap: %s", strerror(-err));
	event("the power goes with write %u to sectors %llu to %llu", nth,
	      (unsigned long long)first, (unsigned long long)last);
}

bool disks_trapped(void)
{
	return reads("0", ROOT "/trap");
}

void disk_cut(unsigned int d, u64 seed)
{
	char text[48];

	snprintf(text, sizeof(text), "%u %s", (u32)seed, names[d]);
	put(text, ROOT "/cut");
	event("power cut of %s alone", names[d]);
}

void disks_slow(unsigned int delay_us)
{
	unsigned int d;

	for (d = 0; d < disks; d++)
		set(d, "delay_us", delay_us);
	event("each request takes up to %u us", delay_us);
}

void disks_favour(unsigned int favourite, unsigned int delay_us)
{
	unsigned int d;

	for (d = 0; d < disks; d++)
		set(d, "delay_us", d == favourite ? 0 : delay_us);
	event("each request takes up to %u us, but of %s", delay_us, names[favourite]);
}

void disks_start_in(unsigned int ms)
{
	unsigned int d;

	for (d = 0; d < disks; d++)
		set(d, "spin_up_ms", ms);
	event("each start takes %u ms", ms);
}

void disks_slow_no_more(void)
{
	unsigned int d;

	for (d = 0; d < disks; d++)
		set(d, "delay_us", usual_delay);
}

void disks_restore(void)
{
	unsigned int d;
	int err;

	disks_slow_no_more();
	for (d = 0; d < disks; d++) {
		put("0", ROOT "/%s/dead", names[d]);
		put("clear", ROOT "/%s/errors", names[d]);
	}
	pthread_mutex_lock(&supply);
	blackout = false;
	err = put("all", ROOT "/restore");
	pthread_mutex_unlock(&supply);
	if (err)
		fail("restore: %s", strerror(-err));
	event("power is back");
}

void disk_die(unsigned int d)
{
	put("1", ROOT "/%s/dead", names[d]);
	event("%s is dead", names[d]);
}

void disk_refuse(unsigned int d, u64 first, u64 count)
{
	char text[64];
	int err;

	snprintf(text, sizeof(text), "write %llu %llu", (unsigned long long)first,
		 (unsigned long long)count);
	err = put(text, ROOT "/%s/errors", names[d]);
	if (err)
		fail("%s/errors: %s", names[d], strerror(-err));
	event("%s refuses %llu sectors from %llu", names[d], (unsigned long long)count,
	      (unsigned long long)first);
}

void disk_revive(unsigned int d)
{
	pthread_mutex_lock(&supply);
	if (!blackout) {
		put("0", ROOT "/%s/dead", names[d]);
		put("clear", ROOT "/%s/errors", names[d]);
		put(names[d], ROOT "/restore");
		event("%s lives again", names[d]);
	}
	pthread_mutex_unlock(&supply);
}

u64 disks_lost(void)
{
	u64 lost = 0;
	unsigned int d;
	char text[32];

	for (d = 0; d < disks; d++)
		if (!get(text, sizeof(text), ROOT "/%s/lost", names[d]))
			lost += strtoull(text, NULL, 10);
	return lost;
}
