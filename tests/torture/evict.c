// SPDX-License-Identifier: GPL-2.0
/*
 * Cuts of arrays with images of a share (--share) while slots are evicted, and counts of
 * evictions in all rounds.
 *
 * Slots are evicted at a shift down, for runs that are hotter. In a round of its own, some runs
 * are used until they have all slots. Then another run becomes hotter: because it is missed in
 * the low gear, or because all runs are cold after a start. The next shift down evicts:
 *
 *   only copies  it comes right after a miss has raised the gear, before the images that were
 *                written in the low gear have been copied home; these slots have to be kept
 *   clean        all copies agree, and the slots are evicted
 *
 * The power is cut with one of the stores of slots or of segments, during the shift, or after it.
 * What happens to slots is known from the module's tracepoint par_slot.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "torture.h"

#define PAR		"/sys/block/" MD "/md/par/"
#define TRACEFS		"/sys/kernel/tracing"
#define INSTANCE	TRACEFS "/instances/torture"
#define SLOW_START	4000	/* ms */
#define LONG_START	45000	/* ms: intents are cleared meanwhile */
#define TIDY		30000	/* ms: of zones that have not been written for this time */

/* ---- what happens to slots ---- */

void evict_watch(void)
{
	struct stat st;

	if (!opt.share)
		return;
	if (stat(TRACEFS "/instances", &st) && mount("tracefs", TRACEFS, "tracefs", 0, NULL))
		fail("tracefs: %s", strerror(errno));
	if (mkdir(INSTANCE, 0755) && errno != EEXIST)
		fail(INSTANCE ": %s", strerror(errno));
	put("256", INSTANCE "/buffer_size_kb");
	if (put("1", INSTANCE "/events/raid_par/par_slot/enable"))
		fail("the module has no tracepoint par_slot");
}

/* struct events - numbers of events since the last count */
struct events {
	unsigned int closed, freed, kept;
};

static struct events read_events(void)
{
	struct events is = { 0 };
	char line[512];
	FILE *file;

	file = fopen(INSTANCE "/trace", "re");
	if (!file)
		fail(INSTANCE "/trace: %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		is.closed += strstr(line, MD " closed ") != NULL;
		is.freed += strstr(line, MD " freed ") != NULL;
		is.kept += strstr(line, MD " kept ") != NULL;
	}
	fclose(file);
	return is;
}

/* Add the events to the counters; returns true if a slot was closed and is not freed. */
static bool tally(void)
{
	struct events is;
	FILE *file;

	if (!opt.share)
		return false;
	is = read_events();
	counted.evicted += is.closed;
	counted.kept += is.kept;
	/* Opening it for writing empties the buffer. */
	file = fopen(INSTANCE "/trace", "we");
	if (file)
		fclose(file);
	return is.closed > is.freed;
}

void evict_count(void)
{
	tally();
}

void evict_moment(void)
{
	counted.in_evict += tally();
}

/* ---- the round ---- */

bool evict_may(void)
{
	return opt.share && !wide && !opt.inject && !files_wanted() && !array.absent;
}

/* The number of runs that have slots in the lowest gear, beside the reserve; bands are alike. */
static unsigned int runs_with_slots(void)
{
	unsigned int slots, most = load_runs() / 2;
	char text[32];

	if (get(text, sizeof(text), PAR "slots"))
		fail("no " PAR "slots");
	slots = (strtoul(text, NULL, 10) + array.gears - 2) / (array.gears - 1);
	slots -= slots / 8;
	return slots < most ? slots : most;
}

static void settle_in(unsigned int gear)
{
	if (array_shift(gear))
		fail("shift to %u refused", gear);
	array_wait("shifting", array_settled, 120);
}

static void use_runs(struct rng *rng, u32 first, u32 count, unsigned int writes)
{
	u32 i;

	for (i = 0; i < count; i++)
		load_use_run(rng, (first + i) % load_runs(), writes);
}

/*
 * Give runs from @hot on all slots: mostly, since without a restart all runs are equally hot.
 * Those from @cold on are written, too.
 */
static void take_slots(struct rng *rng, u32 hot, u32 cold, u32 count, unsigned int low)
{
	use_runs(rng, hot, count, 2);
	use_runs(rng, cold, count, 1);
	if (chance(rng, 85)) {	/* all runs are cold */
		array_restart();
		use_runs(rng, hot, count, 0);
	}
	settle_in(low);
}

/* The gear has been raised for a miss, or is about to be. */
static void await_miss(unsigned int low)
{
	unsigned int end = now_ms() + 500;
	char text[16];

	snprintf(text, sizeof(text), "%u", low);
	while (now_ms() < end && reads(text, PAR "shift_target"))
		usleep(50);
}

/* Does reading the sector need no member that sleeps in the lowest gear? As raid5 lays out its stripes. */
static bool is_steady(u32 sector)
{
	unsigned int n = array.members, data = n - array.parities;
	u32 chunk = sector / CHUNK, parity = n - 1 - chunk / data % n;
	u32 first = array.parities ? parity + array.parities : 0;

	return (first + chunk % data) % n < array.gear[0];
}

/* Let starts take @ms, without being late: see array_create(). */
static void start_in(unsigned int ms)
{
	disks_start_in(ms);
	put(ms >= SLOW_START ? "120" : ms ? "3" : "1", PAR "wake_timeout");
}

/*
 * A miss waits until disks have started. Reads that need none of them do not wait, whatever else the array has to do.
 */
static void read_beside_miss(struct rng *rng, unsigned int low, unsigned int ms)
{
	unsigned int end = now_ms() + ms, began, took;
	int fd = array_open(O_RDONLY | O_DIRECT);
	void *block;
	u32 at;

	if (posix_memalign(&block, 4096, 4096))
		fail("no memory");
	while (array_gear() == low && now_ms() < end) {
		do
			at = below(rng, model.sectors / 8) * 8;
		while (!is_steady(at));
		began = now_ms();
		if (pread(fd, block, 4096, (off_t)at * SECTOR) != 4096 && !expect_errors)
			fail("sector %u: %s", at, strerror(errno));
		took = now_ms() - began;
		if (took > SLOW_START / 2)
			fail("a read of sector %u waited %u ms behind a miss", at, took);
		counted.beside_miss++;
		nap_ms(ms / 1000);
	}
	free(block);
	close(fd);
}

/* Write images that are the only copies, and have the run @cold missed. */
static void leave_only_copies(struct rng *rng, u32 hot, u32 cold, u32 count, unsigned int low)
{
	unsigned int left;
	bool slowly;

	/* Other slots may be evicted at the same time. */
	use_runs(rng, hot, between(rng, 1, count), between(rng, 1, 6));
	if (chance(rng, 30))
		array_restart();
	if (chance(rng, 70))
		disks_slow(between(rng, 100, 4000));
	slowly = chance(rng, 40);
	if (slowly)
		start_in(SLOW_START);
	load_miss_begin(rng, cold, chance(rng, 30) ? hot : cold);
	await_miss(low);
	if (slowly) {
		read_beside_miss(rng, low, 2 * SLOW_START);
		/* In a middle gear, the slow starts may be those of another miss. */
		for (left = 2 * SLOW_START / 20; left && !array_settled(); left--)
			nap_ms(20);
		start_in(disks_start_ms());
	}
	usleep(below(rng, 4000));
}

static void cool_down(struct rng *rng, u32 cold, u32 count, unsigned int high)
{
	settle_in(high);
	array_restart();
	use_runs(rng, cold, count, below(rng, 3));
	if (chance(rng, 50))
		disks_slow(between(rng, 100, 4000));
}

/* Wait until a slot is closed or kept, and then for a moment of the stores that follow. */
static void await_closed(struct rng *rng)
{
	unsigned int end = now_ms() + 1000;
	struct events is;

	do {
		usleep(500);
		is = read_events();
	} while (now_ms() < end && !is.closed && !is.kept);
	usleep(below(rng, 15000));
}

/* Returns when the power is to go, or has gone. */
static void await_eviction(struct rng *rng, unsigned int high, unsigned int low)
{
	unsigned int what = below(rng, 10);
	bool closed = what == 6 || what == 7;

	tally();
	if (closed)	/* so that its stores take some ten ms */
		disks_slow(between(rng, 2000, 10000));
	if (what < 4)
		trap_slots(rng, between(rng, 1, 2 * high));
	else if (what < 6)
		trap_map(rng, between(rng, 1, 4 * high));
	phase("a shift down that evicts", 60);
	array_shift(low);
	if (closed)
		await_closed(rng);
	else
		await_trap_or(array_settled);
	if (what > 7)
		nap_ms(below(rng, 60));
}

/* Give slots to the runs from *@hot on; those from *@cold on have none. Returns the number of slots. */
static unsigned int begin_runs(struct rng *rng, const char *what, unsigned int low, u32 *hot, u32 *cold)
{
	unsigned int count;

	phase(what, 240);
	be_whole();
	settle_in(array.members);
	begin_round();
	count = runs_with_slots();
	*hot = below(rng, load_runs());
	*cold = (*hot + count) % load_runs();
	take_slots(rng, *hot, *cold, count, low);
	return count;
}

void evict_round(struct rng *rng)
{
	unsigned int to = between(rng, 1, array.gears - 1), high = array.gear[to];
	unsigned int low = array.gear[below(rng, to)], count;
	u32 hot, cold;

	count = begin_runs(rng, "using runs before an eviction", low, &hot, &cold);
	if (chance(rng, 50))
		leave_only_copies(rng, hot, cold, count, low);
	else
		cool_down(rng, cold, count, high);
	await_eviction(rng, high, low);
	note_moment();
	cut(rng);
	phase("stopping after the cut", 90);
	load_miss_end();
	array_stop();
}

bool tidy_may(void)
{
	return opt.simulated && evict_may();
}

/*
 * Runs are written in the low gear and then left alone, so that the intents of their zones are due
 * to be cleared while a miss waits for members to start. The power is cut meanwhile, or when the
 * members have started, and images and intents of the low gear are cleared one after another.
 */
void tidy_round(struct rng *rng)
{
	unsigned int low = array.gear[0], count, wrote;
	u32 hot, cold;

	count = begin_runs(rng, "using runs before a miss", low, &hot, &cold);
	use_runs(rng, hot, count, between(rng, 1, 6));
	wrote = now_ms();
	nap_ms(between(rng, TIDY * 8 / 10, TIDY));
	start_in(LONG_START);
	phase("a miss while the array is tidied", 240);
	load_miss_begin(rng, cold, chance(rng, 50) ? hot : cold);
	await_miss(low);
	read_beside_miss(rng, low, chance(rng, 50) ? between(rng, TIDY * 4 / 3, LONG_START) : 2 * LONG_START);
	/* Looked for every 30 s: they are found by then. */
	counted.in_tidying += now_ms() - wrote > 2 * TIDY;
	nap_ms(below(rng, chance(rng, 50) ? 200 : 2 * TIDY));
	note_moment();
	cut(rng);
	phase("stopping after the cut", 90);
	load_miss_end();
	start_in(disks_start_ms());
	array_stop();
}
