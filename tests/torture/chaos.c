// SPDX-License-Identifier: GPL-2.0
/*
 * Events of an array beside its load: shifts at random, members that fail, die, are removed
 * and return, checks and repairs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "torture.h"

#define SYS "/sys/block/" MD "/md/"
#define NOTICED_MS 1000	/* a failure is noticed and stored by then, on the slowest disks */

enum plan { SHIFTS = 1, FAILURES = 2, SYNCS = 4, HEALS = 8 };

static pthread_t thread;
static volatile bool stop;
static struct rng rng;
static unsigned int plan;
static bool born_this_round;
static bool out[MAX_DISKS];	/* has left the array, and must be added again */
static bool off[MAX_DISKS];	/* the disk is dead, or without power */
static unsigned int failed_at;	/* ms; the time of the last failure */

const char *chaos_plan(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s%s%s%s", plan & SHIFTS ? " shifts" : "",
		 plan & FAILURES ? " failures" : "", plan & SYNCS ? " syncs" : "",
		 plan & HEALS ? " heals" : "");
	return text;
}

/*
 * Forget the writes that were acknowledged before: only writes acknowledged from now on prove
 * that a set is dirty.
 */
static void controlled(void)
{
	acked_since = 0;
}

/* ---- shifts ---- */

static void shift(unsigned int gear)
{
	int err = array_shift(gear);

	/* -EBUSY: a failure or a sync may have begun meanwhile. */
	if (err && err != -EBUSY && !expect_errors)
		fail("shift to %u: %s", gear, strerror(-err));
	counted.shifts++;
	controlled();
}

/* ---- members ---- */

static bool present(unsigned int d)
{
	return array_member(d, "in_sync") || array_member(d, "spare");
}

/* After an assembly: note which members are in the array. */
static void survey(void)
{
	unsigned int d;

	for (d = 0; d < array.members; d++) {
		out[d] = !present(d);
		off[d] = false;
		if (out[d])
			event("%s is not in the array", disk_name(d));
	}
}

static unsigned int missing(void)
{
	unsigned int d, n = 0;

	for (d = 0; d < array.members; d++)
		n += out[d];
	return n;
}

/*
 * If a disk without power is still in the array, md has not noticed the failure. The member
 * must fail before the power returns, since the disk has lost the content of its cache. In a
 * load without writes md would never notice. The cache of a sleeping disk was empty.
 */
static void power_up(unsigned int d)
{
	if (!off[d])
		return;
	if (present(d) && array_gear() > d)
		put("faulty", SYS "dev-%s/state", disk_name(d));
	disk_revive(d);
	off[d] = false;
}

/*
 * Until the resync after a cut has ended, parity may be wrong, and no RAID level survives the
 * loss of a member without loss of data. During a rebuild, a check or a repair parity is right.
 */
static bool parity_is_right(void)
{
	return array_has_resync_file() ? array_no_resync_due() : born_this_round;
}

/* Is the member whole? md may not have noticed yet that its disk is dead. */
static bool whole(unsigned int d)
{
	return !out[d] && array_member(d, "in_sync");
}

unsigned int chaos_lacking(void)
{
	unsigned int d, n = 0;

	for (d = 0; d < array.members; d++)
		n += !whole(d);
	return n;
}

/* May the member fail? A member that is being rebuilt always may: no data depends on it yet. */
static bool may_go(unsigned int d)
{
	return present(d) && !out[d] && parity_is_right() &&
	       chaos_lacking() + whole(d) <= array.parities;
}

/* Count and log the state of the array at a failure. */
static void note_failure(unsigned int d)
{
	char shift[32], sync[32];

	get(shift, sizeof(shift), SYS "par/shift_state");
	get(sync, sizeof(sync), SYS "sync_action");
	counted.fails++;
	counted.fails_in_check += !strcmp(sync, "check") || !strcmp(sync, "repair");
	counted.fails_in_shift += !strcmp(shift, "up") || !strcmp(shift, "propagate");
	if (!strcmp(sync, "recover")) {
		counted.fails_rebuilt += !whole(d);
		counted.fails_in_rebuild += whole(d);
	}
	event("%s fails, %s; sync %s, shift %s", disk_name(d),
	      whole(d) ? "in sync" : "being rebuilt", sync, shift);
}

/* It takes data and superblocks, but neither intents nor the map. */
static void refuse_blocks(unsigned int d)
{
	disk_refuse(d, metadata_at + INTENT_SECTOR, PAIR * (1 + array.gears));
	off[d] = true;
	counted.fails_storing++;
}

/* In one of the first @ways: the disk dies, loses its power, or md is told that it has failed. */
static void lose_disk(unsigned int d, unsigned int ways)
{
	switch (below(&rng, ways)) {
	case 0:
		disk_die(d);
		off[d] = true;
		break;
	case 1:
		disk_cut(d, rng_next(&rng));
		off[d] = true;
		break;
	default:
		event("%s is failed", disk_name(d));
		put("faulty", SYS "dev-%s/state", disk_name(d));
	}
}

/* Fail a member, by its disk or by its blocks, which only members that never sleep have. */
static void lose(unsigned int d, unsigned int ways)
{
	if (!may_go(d))
		return;
	note_failure(d);
	out[d] = true;
	if (d < array.gear[0] && chance(&rng, 25))
		refuse_blocks(d);
	else
		lose_disk(d, ways);
	controlled();
	failed_at = now_ms();
}

static void lose_one(void)
{
	lose(below(&rng, array.members), 3);
}

/* Remove a failed member; returns true once it is removed. */
static bool take_out(unsigned int d)
{
	int err;

	if (!array_member(d, "") || present(d))
		return !array_member(d, "");
	err = put("remove", SYS "dev-%s/state", disk_name(d));
	if (err != -EBUSY)	/* is retried often, and would fill the log */
		event("%s is removed: %s", disk_name(d), err ? strerror(-err) : "done");
	controlled();
	return !err;
}

static void add(unsigned int d)
{
	char dev[32];
	char *argv[] = { "mdadm", "--manage", MD_DEV, "--add", dev, NULL };

	snprintf(dev, sizeof(dev), "/dev/%s", disk_name(d));
	if (run(argv)) {
		/* A set that has not detached it yet may still use it. */
		event("mdadm --add: %s", output());
		return;
	}
	out[d] = false;
	counted.adds++;
	controlled();
}

static void heal_one(void)
{
	unsigned int d = below(&rng, array.members), i;

	for (i = 0; i < array.members; i++, d = (d + 1) % array.members) {
		if (!out[d])
			continue;
		if (present(d) && !off[d]) {	/* it has not failed */
			out[d] = false;
			return;
		}
		power_up(d);
		if (take_out(d) && chance(&rng, 80))
			add(d);
		return;
	}
}

/* ---- syncs ---- */

static void sync_action(void)
{
	static const char *const actions[] = { "check", "repair", "idle" };
	const char *action = actions[below(&rng, 3)];
	int err;

	put(chance(&rng, 50) ? "1" : "0", SYS "par/scrub_wakes");
	err = put(action, SYS "sync_action");

	event("sync_action %s: %s", action, err ? strerror(-err) : "accepted");
	controlled();
}

/* ---- the thread ---- */

static void one_thing(void)
{
	unsigned int what = below(&rng, 100);

	if (plan & SHIFTS && what < 60)
		shift(array.gear[below(&rng, array.gears)]);
	else if (plan & FAILURES && what < 75)
		lose_one();
	else if (plan & (FAILURES | HEALS) && what < 92)
		heal_one();
	else if (plan & SYNCS)
		sync_action();
}

static bool healed(void)
{
	return !array_degraded() && array_resynced();
}

/* ---- occasions, on request ---- */

static volatile enum occasion asked;
static bool over;	/* the requested occasion is over, and no other event follows */

/* Wait at most @ms until the file has this value. */
static bool await(const char *value, const char *path, unsigned int ms)
{
	unsigned int end = now_ms() + ms;
	bool is;

	while (!(is = reads(value, path)) && now_ms() < end && !stop)
		nap_ms(1);
	return is;
}

/* Make the array whole and resynced, as then any member may fail. */
static void bring_all_back(unsigned int end)
{
	put("500000", RESYNC_SPEED);
	while ((chaos_lacking() || !parity_is_right()) && now_ms() < end && !stop) {
		heal_one();
		nap_ms(5);
	}
}

static bool shift_and_wait(unsigned int gear, unsigned int end)
{
	shift(gear);
	while (array_gear() != gear && now_ms() < end && !stop)
		nap_ms(2);
	return array_gear() == gear;
}

/*
 * A failure in the lowest gear takes longest to be stored in md's superblocks, since the
 * sleepers must wake first: a cut there is most likely to come in between. Slow disks extend
 * this time.
 */
static void lose_in_low_gear(unsigned int end)
{
	unsigned int among = array.members, low = array.gear[0];

	if (plan & SHIFTS && shift_and_wait(low, end))
		among = low;
	disks_slow(between(&rng, 1000, 20000));
	lose(below(&rng, among), 2);	/* requests in flight to it return errors */
}

static void lose_of_log(void)
{
	disks_slow(between(&rng, 100, 5000));
	lose(below(&rng, array.gear[0]), 3);
}

/* Fail a member during a shift up, or while data written in the lowest gear is propagated. */
static void lose_shifting_up(unsigned int end)
{
	static const char *const states[] = { "up", "propagate" };

	shift_and_wait(array.gear[0], end);
	nap_ms(between(&rng, 20, 100));
	put("8192", SYS "par/speed_min");
	disks_slow(between(&rng, 500, 5000));
	shift(array.members);
	if (await(states[chance(&rng, 70)], SYS "par/shift_state", 1000))
		nap_ms(below(&rng, 10));
	lose(below(&rng, array.members), 3);
}

static void lose_checking(void)
{
	const char *action = chance(&rng, 50) ? "check" : "repair";

	put("1", SYS "par/scrub_wakes");
	put("1000", RESYNC_SPEED);
	disks_slow(between(&rng, 500, 5000));
	event("sync_action %s: %d", action, put(action, SYS "sync_action"));
	if (await(action, SYS "sync_action", 1000))
		nap_ms(below(&rng, 30));
	lose(below(&rng, array.members), 3);
}

/* Fail a member that is awake; let it miss some writes; add it, and wait for its rebuild. */
static bool begin_rebuild(unsigned int d, unsigned int end)
{
	lose(d, 3);
	while (present(d) && now_ms() < end && !stop)
		nap_ms(1);
	nap_ms(between(&rng, 5, 60));
	put("1000", RESYNC_SPEED);
	disks_slow(between(&rng, 1000, 8000));
	while (out[d] && now_ms() < end && !stop) {
		power_up(d);
		if (take_out(d))
			add(d);
		nap_ms(2);
	}
	if (!await("recover", SYS "sync_action", 1000))
		return false;
	nap_ms(below(&rng, 30));
	return true;
}

/* Fail a member during a rebuild: mostly another one with two parities, else the same one. */
static void lose_rebuilding(unsigned int end)
{
	unsigned int d = below(&rng, array_gear()), other;

	if (!begin_rebuild(d, end))
		return;
	other = (d + between(&rng, 1, array.members - 1)) % array.members;
	lose(array.parities > 1 && chance(&rng, 75) ? other : d, 3);
}

/* A member that was added may have failed again, of an error from before it was added. */
static void notice_late_failures(void)
{
	unsigned int d;

	for (d = 0; d < array.members; d++)
		out[d] |= !present(d);
}

/*
 * Add all members that were removed, and wait until the array is whole. It has to be whole for
 * a while: between two pieces of work a sync may look idle.
 */
static void mend(unsigned int end)
{
	unsigned int quiet = 0;
	char state[256];

	disks_slow_no_more();
	while (quiet < 5 && now_ms() < end && !stop) {
		notice_late_failures();
		bring_all_back(end);
		if (healed() && !chaos_lacking()) {
			quiet++;
		} else if (quiet) {
			array_describe(state, sizeof(state));
			event("mended, but not for long: %s", state);
			quiet = 0;
		}
		nap_ms(10);
	}
}

/* With two parities, sometimes fail a second member, if no resync is due. */
static bool one_more(void)
{
	if (chaos_lacking() != 1 || array.parities < 2 || !parity_is_right() || chance(&rng, 50))
		return false;
	disks_slow(between(&rng, 500, 10000));
	lose(below(&rng, array.members), 3);
	return true;
}

static void fail_as_asked(enum occasion occasion)
{
	unsigned int end = now_ms() + 3000;

	if (one_more())
		return;
	bring_all_back(end);
	end += 1000;
	if (occasion == REBUILDING)
		lose_rebuilding(end);
	else if (occasion == REBUILD_ONLY)
		begin_rebuild(below(&rng, array_gear()), end);
	else if (occasion == CHECKING)
		lose_checking();
	else if (occasion == SHIFTING_UP && plan & SHIFTS)
		lose_shifting_up(end);
	else if (occasion == LEAVING_LOG)
		lose_of_log();
	else if (occasion == FAILING)
		lose_one();
	else
		lose_in_low_gear(end);
}

static bool all_stand(void)
{
	unsigned int d;

	for (d = array.gear[0]; d < array.members; d++)
		if (!array_power(d, "asleep") || !disk_stands(d))
			return false;
	return true;
}

/* Let the sleepers sleep; or return earlier, so that they are woken while they stop. */
static void put_to_sleep(unsigned int end)
{
	unsigned int limit = now_ms() + (chance(&rng, 75) ? 2000 : below(&rng, 300));

	bring_all_back(end);
	shift_and_wait(array.gear[0], end);
	while (!all_stand() && now_ms() < limit && !stop)
		nap_ms(2);
}

/* Read from a sleeper's disk past the array, as another program might. */
static void use_a_sleeper(void)
{
	unsigned int d = between(&rng, array.gear[0], array.members - 1);
	char path[32];
	void *block;
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", disk_name(d));
	fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0 || posix_memalign(&block, 4096, 4096))
		fail("%s: %s", path, strerror(errno));
	event("%s is read past the array", disk_name(d));
	if (pread(fd, block, 4096, 0) < 0 && !expect_errors)
		event("%s: %s", path, strerror(errno));
	free(block);
	close(fd);
}

/* Wake sleepers, by any of the ways. */
static void wake_up(void)
{
	switch (below(&rng, 6)) {
	case 0:
		use_a_sleeper();
		break;
	case 1:
		put("1", SYS "par/scrub_wakes");
		event("sync_action check: %d", put("check", SYS "sync_action"));
		controlled();
		break;
	case 2:
		if (chaos_may_lose()) {
			lose(below(&rng, array.gear[0]), 3);
			break;
		}
		/* fallthrough */
	default:
		shift(array.gear[between(&rng, 1, array.gears - 1)]);
	}
}

static void do_as_asked(enum occasion occasion)
{
	if (occasion == MENDING)
		mend(now_ms() + 150000);
	else if (occasion == SLEEPING)
		put_to_sleep(now_ms() + 6000);
	else if (occasion == WAKING)
		wake_up();
	else if (occasion == GOING_DOWN)
		shift_and_wait(array.gear[0], now_ms() + 3000);
	else if (occasion == GOING_UP)
		shift(array.members);
	else
		fail_as_asked(occasion);
	over = true;
}

bool chaos_may_lose(void)
{
	return array.parities && !opt.inject;
}

/* Request an occasion, after the last one has ended. */
void chaos_begin(enum occasion occasion)
{
	while (asked)
		usleep(200);
	asked = occasion;
}

void chaos_ask(enum occasion occasion, unsigned int limit)
{
	unsigned int end = now_ms() + limit;

	chaos_begin(occasion);
	while (asked && now_ms() < end)
		usleep(200);
}

bool chaos_failed_lately(void)
{
	return now_ms() - failed_at < NOTICED_MS;
}

bool chaos_noticed(void)
{
	unsigned int d;

	for (d = 0; d < array.members; d++)
		if (out[d] && present(d))
			return false;
	return array_degraded();
}

static void *chaos_thread(void *arg)
{
	while (!stop) {
		if (asked) {
			do_as_asked(asked);
			asked = NO_OCCASION;
		}
		if (!over && chance(&rng, 75))
			one_thing();
		nap_ms(between(&rng, 5, chance(&rng, 40) ? 400 : 60));
	}
	return arg;
}

void chaos_start(u64 seed, unsigned int life, unsigned int round, enum mood mood)
{
	rng = rng_for(seed, life, round, 5);
	born_this_round = round == 1;
	survey();
	plan = mood != CALM && chance(&rng, 75) ? SHIFTS : 0;
	if (chaos_may_lose() && chance(&rng, 30))
		plan |= FAILURES;
	if (missing() && chance(&rng, 60))
		plan |= HEALS;
	if (chance(&rng, 15))
		plan |= SYNCS;
	if (mood == ONLY_SHIFTS)
		plan &= SHIFTS;
	if (mood == ONLY_ASKED)
		plan = 0;
	if (opt.inject)
		plan = 0;
	stop = over = false;
	asked = NO_OCCASION;
	if (pthread_create(&thread, NULL, chaos_thread, NULL))
		fail("no thread for the chaos");
}

void chaos_stop(void)
{
	stop = true;
	pthread_join(thread, NULL);
}

void chaos_replace(unsigned int d, bool larger)
{
	char dev[32];
	char *zero[] = { "mdadm", "--zero-superblock", dev, NULL };
	unsigned int try;

	snprintf(dev, sizeof(dev), "/dev/%s", disk_name(d));
	event("%s is replaced", disk_name(d));
	put("faulty", SYS "dev-%s/state", disk_name(d));
	for (try = 0; !take_out(d); try++) {
		if (try == 1000)
			fail("%s cannot be removed", disk_name(d));
		nap_ms(5);
	}
	if (run(zero))
		fail("%s", output());
	if (larger)
		disk_enlarge(d);
	out[d] = true;
	for (try = 0; add(d), out[d]; try++) {
		if (try == 50)
			fail("%s cannot be added: %s", dev, output());
		nap_ms(50);
	}
}

/* Add all missing members, and wait until the array is whole. */
void chaos_heal(void)
{
	unsigned int d, try;

	survey();
	put("500000", RESYNC_SPEED);
	for (d = 0; d < array.members; d++)
		for (try = 0; out[d] && try < 50; try++) {
			power_up(d);
			if (take_out(d))
				add(d);
			else
				nap_ms(50);
		}
	if (missing())
		fail("a member cannot be added: %s", output());
	array_wait("rebuilding", healed, 120);
}
