// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to an array beside its load: shifts at random, members that
 * fail, die, leave and come back, checks and repairs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "torture.h"

#define SYS "/sys/block/" MD "/md/"

enum plan { SHIFTS = 1, FAILURES = 2, SYNCS = 4, HEALS = 8 };

static pthread_t thread;
static volatile bool stop;
static struct rng rng;
static unsigned int plan;
static bool born_this_round;
static bool out[MAX_DISKS];	/* has left the array, and must be added again */
static bool off[MAX_DISKS];	/* dead, or without power */

const char *chaos_plan(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s%s%s%s", plan & SHIFTS ? " shifts" : "",
		 plan & FAILURES ? " failures" : "", plan & SYNCS ? " syncs" : "",
		 plan & HEALS ? " heals" : "");
	return text;
}

/*
 * What went before is over: only writes acknowledged after it prove that a
 * set is dirty.
 */
static void controlled(void)
{
	acked_since = 0;
}

/* ---- shifts ---- */

static void shift(unsigned int gear)
{
	int err = array_shift(gear);

	/* Refused while degraded or syncing, which may have begun meanwhile. */
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

/* After an assembly: who is in it? */
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

static void power_up(unsigned int d)
{
	if (!off[d])
		return;
	disk_revive(d);
	off[d] = false;
}

/*
 * To lose a member before the resync that a cut has made necessary is over is
 * to lose two: no RAID level survives it.
 */
static bool parity_is_right(void)
{
	return array_has_resync_file() ? array_resynced() : born_this_round;
}

/* One of the first @among members, in one of the first @ways. */
static void lose_one(unsigned int among, unsigned int ways)
{
	unsigned int d = below(&rng, among);

	if (missing() >= array.parities || array_degraded() >= array.parities || out[d] ||
	    !parity_is_right())
		return;
	counted.fails++;
	out[d] = true;
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
	controlled();
}

/* Returns true once it is out of the array altogether. */
static bool take_out(unsigned int d)
{
	int err;

	if (!array_member(d, "") || present(d))
		return !array_member(d, "");
	err = put("remove", SYS "dev-%s/state", disk_name(d));
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
		/* It may be in use still by the set that is letting go of it. */
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
		if (present(d) && !off[d]) {	/* failed by nobody yet */
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
		lose_one(array.members, 3);
	else if (plan & (FAILURES | HEALS) && what < 92)
		heal_one();
	else if (plan & SYNCS)
		sync_action();
}

static volatile bool lose_now;
static bool over;	/* what was asked for is the last thing that happens */

/*
 * Once all are there: of an array that lacks one already none may go. In the
 * lowest gear more has to be done before md's superblocks tell of a failure: the
 * sleepers must wake. So that is where to look; and slow disks leave more time
 * for it.
 */
static void lose_as_asked(void)
{
	unsigned int among = array.members, low = array.gear[0], end = now_ms() + 3000;

	put("500000", RESYNC_SPEED);
	while ((missing() || !parity_is_right()) && now_ms() < end && !stop) {
		heal_one();
		nap_ms(5);
	}
	if (plan & SHIFTS) {
		shift(low);
		while (array_gear() != low && now_ms() < end && !stop)
			nap_ms(2);
		if (array_gear() == low)
			among = low;
	}
	disks_slow(between(&rng, 1000, 20000));
	lose_one(among, 2);	/* what is in flight to it errs */
	over = true;
}

bool chaos_may_lose(void)
{
	return array.parities && !files_wanted() && !opt.inject;
}

void chaos_lose(unsigned int limit)
{
	unsigned int end = now_ms() + limit;

	lose_now = true;
	while (lose_now && now_ms() < end)
		usleep(200);
}

static void *chaos_thread(void *arg)
{
	while (!stop) {
		if (lose_now) {
			lose_as_asked();
			lose_now = false;
		}
		if (!over && chance(&rng, 75))
			one_thing();
		nap_ms(between(&rng, 5, chance(&rng, 40) ? 400 : 60));
	}
	return arg;
}

void chaos_start(u64 seed, unsigned int life, unsigned int round, bool calm)
{
	rng = rng_for(seed, life, round, 5);
	born_this_round = round == 1;
	survey();
	plan = !calm && chance(&rng, 75) ? SHIFTS : 0;
	/* A file system must not be damaged, and a forced array may be. */
	if (array.parities && chance(&rng, 30) && !files_wanted())
		plan |= FAILURES;
	if (missing() && chance(&rng, 60))
		plan |= HEALS;
	if (chance(&rng, 15))
		plan |= SYNCS;
	if (opt.inject)
		plan = 0;
	stop = lose_now = over = false;
	if (pthread_create(&thread, NULL, chaos_thread, NULL))
		fail("no thread for the chaos");
}

void chaos_stop(void)
{
	stop = true;
	pthread_join(thread, NULL);
}

/* Bring back who is missing, and wait until all is well. */
static bool healed(void)
{
	return !array_degraded() && array_resynced();
}

void chaos_heal(void)
{
	unsigned int d, try;

	survey();
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
