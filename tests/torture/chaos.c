// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to an array beside its load: shifts at random, members that
 * fail, die, leave and come back, checks and repairs.
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
static bool off[MAX_DISKS];	/* dead, or without power */
static unsigned int failed_at;	/* ms; when the last one was made to fail */

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

/*
 * A disk that has lost what was in its cache must not come back as if nothing
 * had been: a load that is silent would never notice. Asleep it held nothing.
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
 * To lose a member before the resync that a cut has made necessary is over is
 * to lose two: no RAID level survives it. What else is under way, a rebuild, a
 * check, a repair, is no reason for parity to be wrong.
 */
static bool parity_is_right(void)
{
	return array_has_resync_file() ? array_no_resync_due() : born_this_round;
}

/* Is all of the member's content there? Who is dead may not be known as failed. */
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

/* Who is being rebuilt itself is of no use to anybody yet, and may always go. */
static bool may_go(unsigned int d)
{
	return present(d) && !out[d] && parity_is_right() &&
	       chaos_lacking() + whole(d) <= array.parities;
}

/* What the array is about when a member fails. */
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

/* In one of the first @ways: err, lose its power alone, be called failed. */
static void lose(unsigned int d, unsigned int ways)
{
	if (!may_go(d))
		return;
	note_failure(d);
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
	failed_at = now_ms();
}

static void lose_one(void)
{
	lose(below(&rng, array.members), 3);
}

/* Returns true once it is out of the array altogether. */
static bool take_out(unsigned int d)
{
	int err;

	if (!array_member(d, "") || present(d))
		return !array_member(d, "");
	err = put("remove", SYS "dev-%s/state", disk_name(d));
	if (err != -EBUSY)	/* which would drown all else while it is tried again */
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

/* ---- what is asked for ---- */

static volatile enum occasion asked;
static bool over;	/* what was asked for is the last thing that happens */

/* Until it reads so, for a while. */
static bool await(const char *value, const char *path, unsigned int ms)
{
	unsigned int end = now_ms() + ms;
	bool is;

	while (!(is = reads(value, path)) && now_ms() < end && !stop)
		nap_ms(1);
	return is;
}

/* Of an array that lacks one already, or has to be resynced, few may go. */
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
 * In the lowest gear more has to be done before md's superblocks tell of a
 * failure: the sleepers must wake. So that is where to look; and slow disks
 * leave more time for it.
 */
static void lose_in_low_gear(unsigned int end)
{
	unsigned int among = array.members, low = array.gear[0];

	if (plan & SHIFTS && shift_and_wait(low, end))
		among = low;
	disks_slow(between(&rng, 1000, 20000));
	lose(below(&rng, among), 2);	/* what is in flight to it errs */
}

static void lose_of_log(void)
{
	disks_slow(between(&rng, 100, 5000));
	lose(below(&rng, array.gear[0]), 3);
}

/* What is written in the lowest gear has to be propagated in the top gear. */
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

/* A member that is awake leaves, misses some writes, and begins to be rebuilt. */
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

/* With two parities another one goes mostly, with one the very one that is rebuilt. */
static void lose_rebuilding(unsigned int end)
{
	unsigned int d = below(&rng, array_gear()), other;

	if (!begin_rebuild(d, end))
		return;
	other = (d + between(&rng, 1, array.members - 1)) % array.members;
	lose(array.parities > 1 && chance(&rng, 75) ? other : d, 3);
}

/* Who has failed late, of an error from before it came back, has left again. */
static void notice_late_failures(void)
{
	unsigned int d;

	for (d = 0; d < array.members; d++)
		out[d] |= !present(d);
}

/*
 * All that have left come back, and are whole before the cut. It must hold for
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

/* With two parities one may be missing already, if no resync is due for it. */
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

/* Whom nobody needs sleeps, or is just about to: then it is woken before it stands. */
static void put_to_sleep(unsigned int end)
{
	unsigned int limit = now_ms() + (chance(&rng, 75) ? 2000 : below(&rng, 300));

	bring_all_back(end);
	shift_and_wait(array.gear[0], end);
	while (!all_stand() && now_ms() < limit && !stop)
		nap_ms(2);
}

/* As somebody would who does not know that it sleeps; he waits until it turns. */
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
	event("%s is read by a stranger", disk_name(d));
	if (pread(fd, block, 4096, 0) < 0 && !expect_errors)
		event("%s: %s", path, strerror(errno));
	free(block);
	close(fd);
}

/* By all that wakes sleepers. */
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

/* What was asked for last may be under way still. */
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

/* Bring back who is missing, and wait until all is well. */
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
