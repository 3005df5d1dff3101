// SPDX-License-Identifier: GPL-2.0
/*
 * The crash campaign: power cuts at any moment, and what must be on the disks afterwards.
 *
 *   torture --layout 3,5 [--seed S] [--cuts N] [--rounds N] [--workload raw|ext4|xfs]
 *           [--disk MIB] [--block 512|4096] [--out DIR] [--keep-disks] [--quiet]
 *           [--no-force] [--mechanics] [--log MIB] [--share PERCENT [--pressure]] [--simulated]
 *           [--inject WHAT] [--aim KIND]
 *
 * --no-force ends the life of an array that would have to be started by force; --mechanics
 * uses disks with mechanics, which take long to start above all, and cuts while they wake;
 * --log creates a write log of this size on each member; --share creates images of this share;
 * --pressure writes to all runs and then uses one after another, so that slots are evicted;
 * --simulated says that waiting takes no time, so that kinds of cuts are possible which wait long;
 * --inject damages the data, to test the verifier. --aim makes one kind of cut in every second
 * round, and a silent round after each: checkpoint, unmarking, superblock, shift, failure,
 * rebuild, quiet-rebuild, read-only, larger, load (at any time of the load) or stop; or silent rounds only
 * (silence). With --log, the kinds of write_log.c are possible too, with --share evict, and with
 * --simulated also tidying (evict.c).
 *
 * A life is an array on new disks (tests/spindle/, whose volatile caches lose,
 * keep or tear what was not flushed). Its rounds:
 *
 *   load    several writers; meanwhile shifts, members that fail and return, checks
 *   cut     of the power of all disks at once, at a random time or as soon as a shift, a
 *           rebuild, … is seen under way; or during the assembly
 *   stop    all disks return errors; the array must stop
 *   start   power, mdadm --assemble; refused if a set is degraded and dirty, then with --force;
 *           for some rounds without a member, which returns afterwards
 *   verify  every sector that was ever written, and a sample of the others
 *   deep    now and then: read all data in the lowest and in the top gear, run a check, or
 *           examine the stopped array by tests/machine/tools/dissect.py
 *
 * The verifier tests for each round: each sector contains, complete, the version that was
 * durable or one submitted later in the same round (see sectors.c), of this array and this
 * sector; zeros only if nothing was durable there or it was discarded later. No request failed
 * before the cut; nothing hung; starts were refused when they must be, and only then; in an
 * array that was started by force, data is wrong only in the ranges that the kernel named as in
 * doubt. The deep checks test that both copies agree, that parity is right in every set, and
 * that the stored map is right. tests/machine/run judges the kernel's log.
 *
 * A seed determines what is planned, but not how threads interleave: a replay is similar, not
 * identical.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "torture.h"

struct options opt = {
	.seed = 1, .layout = "3,5", .workload = "raw", .cuts = 10, .rounds = 8,
};
struct counters counted;

static unsigned int life, fixed_size;
unsigned int round_number;
static struct rng life_rng;
static bool stop_first;		/* this round stops the array before the cut */
static bool intents_cut;	/* the last checkpoint's cut came with intents */
bool wide;

/* ---- deep checks ---- */

/*
 * As long as it is auto-read-only, an array does nothing by itself. One that is degraded
 * is on its way to the top gear, and refuses any other.
 */
static void make_writable(struct rng *rng)
{
	int err;

	if (!reads("read-auto", "/sys/block/" MD "/md/array_state"))
		return;
	if (chance(rng, 50))
		err = array_shift(array_degraded() ? array.members : array_gear());
	else
		err = put("active", "/sys/block/" MD "/md/array_state");
	if (err)
		fail("the array does not leave auto-read-only: %s", strerror(-err));
}

static void wait_resync(void)
{
	put("500000", RESYNC_SPEED);
	array_wait("the resync", array_resynced, 120);
	array_wait("the mover", array_settled, 120);
}

static void read_again(int fd, const char *when)
{
	if (files_wanted())
		files_compare(fd, when);
	else
		verify_again(fd, when);
}

static void shift_and_read(unsigned int gear, int fd)
{
	char when[64];

	if (array_shift(gear))
		fail("shift to %u refused", gear);
	array_wait("shifting", array_settled, 120);
	if (array_gear() != gear)
		fail("gear %u, though %u was asked for", array_gear(), gear);
	snprintf(when, sizeof(when), "in gear %u", gear);
	read_again(fd, when);
}

static void check_both_gears(void)
{
	int fd = array_open(O_RDONLY | O_DIRECT);

	shift_and_read(array.gear[0], fd);
	shift_and_read(array.members, fd);
	close(fd);
	counted.both_gears++;
}

/* md answers -EBUSY while it looks what there is to do, as it does after each assembly. */
static void start_check(void)
{
	unsigned int end = now_ms() + 10000;
	int err;

	while ((err = put("check", "/sys/block/" MD "/md/sync_action")) == -EBUSY &&
	       now_ms() < end)
		nap_ms(20);
	if (err)
		fail("a check is refused: %s", strerror(-err));
}

static void check_parity(void)
{
	if (!array.parities)
		return;
	put("500000", RESYNC_SPEED);
	/* All sets, those with sleepers too. */
	put("1", "/sys/block/" MD "/md/par/scrub_wakes");
	start_check();
	nap_ms(50);
	array_wait("a check", array_idle, 180);
	if (array_mismatches())
		fail("the check found %llu mismatches",
		     (unsigned long long)array_mismatches());
	counted.checks++;
}

static void dissect(void)
{
	static char path[512], dev[MAX_DISKS][24];
	char *argv[MAX_DISKS + 4] = { "python3", path };
	const char *top = getenv("RAIDPAR_TOP");
	unsigned int d;

	snprintf(path, sizeof(path), "%s/tests/machine/tools/dissect.py", top ? top : ".");
	for (d = 0; d < array.members; d++) {
		snprintf(dev[d], sizeof(dev[d]), "/dev/%s", disk_name(d));
		argv[2 + d] = dev[d];
	}
	phase("taking the disks apart", 240);
	if (run(argv))
		fail("%s", output());
	event("%s", output());
	counted.dissected++;
}

static void stop_and_dissect(void)
{
	int fd;

	array_stop();
	dissect();
	must_assemble(false);
	phase("reading after a stop", 60);
	fd = array_open(O_RDONLY | O_DIRECT);
	read_again(fd, "after a stop");
	close(fd);
}

/* @most: at the end of a life, all checks. */
static void go_deep(struct rng *rng, bool most)
{
	unsigned int what = below(rng, 100);

	phase("deep checks", 240);
	array.absent = 0;
	files_compare_reset();
	make_writable(rng);
	if (array_degraded())
		chaos_heal();
	wait_resync();
	if (most || what < 50)
		check_both_gears();
	if (most || stop_first || what > 35)
		check_parity();
	if (most ? what < 40 : what > 96)
		stop_and_dissect();
	/* Continue in any gear. */
	if (!most && !array_shift(array.gear[below(rng, array.gears)]))
		array_wait("shifting", array_settled, 120);
}

/* ---- testing the checker ---- */

void disk_sector(unsigned int d, u64 at, void *data, bool write)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", disk_name(d));
	fd = open(path, (write ? O_WRONLY | O_SYNC : O_RDONLY) | O_CLOEXEC);
	if (fd < 0 || (write ? pwrite(fd, data, SECTOR, at * SECTOR) :
		       pread(fd, data, SECTOR, at * SECTOR)) != SECTOR)
		fail("%s: cannot touch sector %llu", path, (unsigned long long)at);
	close(fd);
}

/* A sector with an older durable version, and with the copy that is wanted. */
static u32 victim(enum copy copy, unsigned int *d, u64 *at)
{
	u32 s;

	model_settle();
	for (s = 0; s < model.sectors; s++)
		if (model.sector[s].durable > 1 && !model.sector[s].discarded &&
		    find_copy(s, copy, d, at))
			return s;
	fail("no victim");
}

static void damage(u32 s, unsigned int d, u64 at)
{
	u8 data[SECTOR];

	disk_sector(d, at, data, false);
	if (!strcmp(opt.inject, "stale"))
		sector_fill(data, s, model.sector[s].durable - 1);
	else if (!strcmp(opt.inject, "foreign"))
		sector_fill(data, s + 1, model.sector[s].durable);
	else if (!strcmp(opt.inject, "torn"))
		memset(data + SECTOR / 2, 0, SECTOR / 2);
	else if (!strcmp(opt.inject, "zero"))
		memset(data, 0, SECTOR);
	else
		data[0] ^= 1;
	disk_sector(d, at, data, true);
}

static void do_inject(enum copy copy)
{
	unsigned int d;
	u64 at;
	u32 s = victim(copy, &d, &at);

	say("injecting: %s, sector %u, %s sector %llu", opt.inject, s, disk_name(d),
	    (unsigned long long)at);
	if (!strcmp(opt.inject, "lie"))
		model.sector[s].durable = ++model.ops;
	else
		damage(s, d, at);
}

/*
 * Cause a fault that the campaign must notice: damage the disks while they are off, or change
 * the expected content. An array of --inject does not shift by itself.
 */
static void inject(void)
{
	static const char *const kinds = "stale foreign torn zero lie";

	if (opt.inject && round_number == 2 && !strcmp(opt.inject, "log"))
		wlog_wipe();
	else if (opt.inject && round_number == 2 && strstr(kinds, opt.inject))
		do_inject(HOME);
}

/* Cause a fault that only the deep checks can notice. */
static void inject_deep(void)
{
	bool image = !strcmp(opt.inject, "image");

	wait_resync();
	if (image && (array_shift(array.gear[0]) || !array.parities))
		fail("cannot shift");
	array_wait("shifting", array_settled, 60);
	array_stop();
	do_inject(image ? IMAGE : PARITY);
	if (!strcmp(opt.inject, "dissect"))
		dissect();
	must_assemble(false);
	if (image)
		check_both_gears();
	else
		check_parity();
}

/* ---- rounds ---- */

static void verify(void)
{
	u64 spared = counted.spared;
	int fd;

	if (files_wanted()) {
		files_verify();
		return;
	}
	fd = array_open(O_RDONLY | O_DIRECT);
	model_settle();
	verify_after_cut(fd);
	close(fd);
	if (wide && model.forced && counted.spared == spared)
		fail("all is in doubt, though nearly all zones were clean");
}

/* Sometimes auto-read-only, as on Debian: nothing is stored before the first write. */
static void choose_start_ro(struct rng *rng)
{
	put(chance(rng, 15) ? "1" : "0", "/sys/module/md_mod/parameters/start_ro");
}

/*
 * At its default speed, propagation beside a load takes long compared with a round: mostly set
 * a higher one. But not in all rounds: the array stores a superblock with the new speed, which
 * could hide that an earlier one is missing.
 */
static void choose_speed(void)
{
	struct rng rng = rng_for(opt.seed, life, round_number, 8);

	put(chance(&rng, 50) ? "1000" : "20000", RESYNC_SPEED);
	if (round_number == 1 || (!array.absent && chance(&rng, 50)))
		put(chance(&rng, 75) ? "500000" : "8192", "/sys/block/" MD "/md/par/speed_min");
}

void begin_round(void)
{
	evict_count();
	/* The superblock need not say yet that a rebuild is about to end. */
	start.may_refuse = array_degraded() || !array_idle();
	fails_seen = counted.fails;
	acked_since = 0;
	expect_errors = false;
	model_round();
}

static void begin_load(struct rng *rng, const struct aim *aim)
{
	bool lacking = array.absent || aim == &aim_first_superblock;
	enum mood mood = wlog_is(aim) ? ONLY_ASKED : wide || lacking ? ONLY_SHIFTS :
			 stop_first && chance(rng, 60) ? CALM : ANYTHING;

	phase("beginning the load", 60);
	if (aim == &aim_first_superblock)
		trap_first_superblock(rng);
	else if (aim == &aim_superblock && !files_wanted() && chance(rng, 25))
		trap_super(rng, 3 * array.members);
	choose_speed();		/* this may be the first use */
	if (files_wanted())
		files_mount();
	chaos_start(opt.seed, life, round_number, mood);
	if (files_wanted())
		files_start(opt.seed, life, round_number);
	else
		load_start(opt.seed, life, round_number);
	if (wlog_is(aim))
		wlog_begin_load(rng, aim);
}

static void end_load(void)
{
	phase("ending the load after the cut", 90);
	if (files_wanted())
		files_stop();
	else
		load_stop();
	chaos_stop();
	/* A failure that the cut has caused could not be stored. */
	start.may_refuse |= counted.fails != fails_seen;
	if (files_wanted())
		files_unmount();
	array_stop();
}

/*
 * Now and then, stop the array properly, and cut the power right afterwards: unflushed data may
 * be lost, but an array whose superblock says clean must be clean.
 */
static void stop_and_cut(struct rng *rng)
{
	phase("stopping while all is well", 90);
	if (files_wanted())
		files_stop();
	else
		load_stop();
	chaos_stop();
	if (files_wanted())
		files_unmount();
	start.may_refuse |= array_degraded() > 0;
	start.refuse_due = false;
	fell_silent = true;
	if (chance(rng, 40))
		trap_super(rng, 3 * array.members);
	array_stop();
	if (trap_set && disks_trapped()) {
		counted.in_super++;
	} else {
		meta_snapshot();
		vouch_stopped();
	}
	cut(rng);
	counted.after_stop++;
}

/*
 * Nothing is written after the assembly. The array propagates, resyncs and rebuilds by itself,
 * and sometimes a shift is requested. The power is cut during this work, or when it has ended.
 */
static void stay_silent(struct rng *rng)
{
	unsigned int end = now_ms() + 20000, quiet = 0;

	phase("silence after the assembly", 60);
	fell_silent = true;
	make_writable(rng);
	if (chance(rng, 30))
		array_shift(array.gear[below(rng, array.gears)]);
	if (chance(rng, 30)) {
		nap_ms(below(rng, 500));
		return;
	}
	while (quiet < 5 && now_ms() < end) {
		quiet = array_settled() && array_idle() ? quiet + 1 : 0;
		nap_ms(20);
	}
}

static void silent_round(struct rng *rng)
{
	begin_round();
	stay_silent(rng);
	note_moment();
	cut(rng);
	counted.in_silence++;
	phase("stopping after the cut", 90);
	array_stop();
}

/* The time since the last call, in ms: for the parts of a round. */
static unsigned int lap(unsigned int *since)
{
	unsigned int now = now_ms(), took = now - *since;

	*since = now;
	return took;
}

void be_whole(void)
{
	make_writable(&life_rng);
	if (array_degraded())
		chaos_heal();
	wait_resync();
}

void array_restart(void)
{
	array_stop();
	put("0", "/sys/module/md_mod/parameters/start_ro");
	must_assemble(false);
}

/*
 * Make the array whole, stop it and start it, so that only zones that are used from now on can
 * be in doubt. A wide life tests that no other zone is in doubt; both copies of all data have
 * to agree in it.
 */
static void clean_all_zones(void)
{
	phase("cleaning all zones", 240);
	be_whole();
	if (wide)
		check_both_gears();
	array_restart();
}

/*
 * Cut the power during a shift up. Nothing is written meanwhile, and no intent is left of the
 * writes in the lowest gear: so after the cut nothing is resynced or stored that could hide data
 * that the propagation has left out. A silent round follows.
 */
static void quiet_shift_round(struct rng *rng)
{
	phase("shifting down for a quiet shift up", 240);
	be_whole();
	begin_round();
	if (array_shift(array.gear[0]))
		fail("shift to %u refused", array.gear[0]);
	array_wait("shifting", array_settled, 120);
	load_start(opt.seed, life, round_number);
	nap_ms(between(rng, 50, 300));
	load_stop();
	array_restart();
	trap_super(rng, 2 * array.members - 1);
	phase("a quiet shift up", 60);
	array_shift(array.members);
	await_trap();
	note_moment();
	cut(rng);
	counted.in_shift_super++;
	phase("stopping after the cut", 90);
	array_stop();
}

/* Write for a while in this gear: the data is durable, and not propagated. */
static void write_in_gear(struct rng *rng, unsigned int gear)
{
	be_whole();
	begin_round();
	if (array_shift(gear))
		fail("shift to %u refused", gear);
	array_wait("shifting", array_settled, 120);
	load_start(opt.seed, life, round_number);
	load_be_durable();
	nap_ms(between(rng, 50, 300));
	load_stop();
	load_flush();
}

/*
 * Cut the power during the rebuild of new disks, of any kind of member: with valid images in half
 * of the rounds. Nothing is written meanwhile, and no intent is left: so nothing is in doubt,
 * and the start must not be refused. Or cut it with a superblock: what it calls rebuilt must be.
 */
static void quiet_rebuild_round(struct rng *rng)
{
	unsigned int d = below(rng, array.members), n = between(rng, 1, array.parities);

	phase("writing before a quiet rebuild", 240);
	write_in_gear(rng, array.gear[chance(rng, 50) ? 0 : array.gears - 1]);
	if (array_shift(array.members))
		fail("shift to %u refused", array.members);
	array_wait("shifting", array_settled, 120);
	array_restart();
	phase("a quiet rebuild", 60);
	put("1000", RESYNC_SPEED);
	put("3000", REBUILD_SPEED);
	for (; n; n--)
		chaos_replace((d + n) % array.members, false);
	array_wait("a rebuild", array_rebuilds, 20);
	nap_ms(below(rng, 1000));
	if (chance(rng, 50)) {
		trap_super(rng, 2 * array.members);
		await_trap_or(array_idle);
	}
	note_moment();
	start.may_refuse = false;
	cut(rng);
	counted.in_quiet_rebuild++;
	phase("stopping after the cut", 90);
	array_stop();
	put("200000", REBUILD_SPEED);
}

/*
 * Cut the power during a checkpoint, which stores the map and then clears the intents. Nothing
 * else is written meanwhile: so nothing hides that intents were cleared although the map was not
 * stored, or that a block of the map was stored on some members only. A silent round follows.
 *
 * The cut comes with the intents of a stop in the lowest gear: without the intents, an older
 * map calls home copies valid that are old. Or it comes with the map of a shift down.
 */
static void checkpoint_round(struct rng *rng)
{
	intents_cut = chance(rng, 50);
	phase("writing before a checkpoint", 240);
	if (intents_cut) {
		write_in_gear(rng, array.gear[0]);
		trap_intents(rng, between(rng, 1, array.gear[0]));
		phase("a stop in the lowest gear", 90);
		array_stop();
	} else {
		write_in_gear(rng, array.members);
		/* Many shifts store one block of the map, on each member. */
		trap_map(rng, between(rng, 1, (chance(rng, 50) ? 1 : 2) * array.members - 1));
		phase("a quiet shift down", 60);
		array_shift(array.gear[0]);
		await_trap_or(array_settled);
	}
	note_moment();
	cut(rng);
	if (intents_cut)
		return;
	phase("stopping after the cut", 90);
	array_stop();
}

/*
 * Resync all parity (--update=resync): zones with data are marked for it, and have no intents.
 * When the resync of a set has ended, the superblock says so, and the marks are removed: the
 * cut comes with the blocks without the marks. Intent blocks are stored by the start first.
 */
static void unmarking_round(struct rng *rng)
{
	phase("writing before a resync", 240);
	write_in_gear(rng, array.members);
	put("0", "/sys/module/md_mod/parameters/start_ro");
	put("500000", RESYNC_SPEED);
	array_stop();
	trap_intents(rng, between(rng, array.members + 1, (array.gears + 1) * array.members));
	phase("a resync to its end", 60);
	if (assembly_end(assembly_begin("--update=resync")))
		await_trap_or(array_resynced);
	note_moment();
	cut(rng);
	phase("stopping after the cut", 90);
	array_stop();
}

/* The array is read-only: a member fails, which is noticed by reads if md is not told. */
static void fail_reading(struct rng *rng)
{
	int fd;

	put("1", "/sys/module/md_mod/parameters/start_ro");
	must_assemble(false);
	put("0", "/sys/module/md_mod/parameters/start_ro");
	if (chance(rng, 30) && put("readonly", "/sys/block/" MD "/md/array_state"))
		fail("the array does not become read-only");
	chaos_start(opt.seed, life, round_number, ONLY_ASKED);
	chaos_ask(FAILING, 6000);
	fd = array_open(O_RDONLY | O_DIRECT);
	verify_again(fd, "while the array is read-only");
	close(fd);
	if (reads("readonly", "/sys/block/" MD "/md/array_state") &&
	    put("active", "/sys/block/" MD "/md/array_state"))
		fail("the array does not become writable");
}

/*
 * A member fails while the array is read-only or auto-read-only, of any kind, with valid images in
 * half of the rounds. When the array is written it has to leave, and can be replaced. The power is
 * cut before, during or after that. As long as nothing is written, no start may be refused.
 */
static void read_only_round(struct rng *rng)
{
	bool written = chance(rng, 75);

	phase("writing before a read-only start", 240);
	write_in_gear(rng, array.gear[chance(rng, 50) ? 0 : array.gears - 1]);
	array_stop();
	phase("a failure while read-only", 240);
	fail_reading(rng);
	if (written) {
		load_start(opt.seed, life, round_number);
		nap_ms(below(rng, 300));
		if (chance(rng, 60))
			mend_beside();
		nap_ms(below(rng, 100));
	}
	note_moment();
	if (!written)
		start.may_refuse = start.refuse_due = false;
	cut(rng);
	counted.in_read_only++;
	phase("stopping after the cut", 90);
	if (written)
		load_stop();
	chaos_stop();
	array_stop();
}

/* Returns the duration of the load, in ms. */
static unsigned int loaded_round(struct rng *rng, const struct aim *aim, unsigned int *since)
{
	unsigned int loading;

	if (wide || aim == &aim_first_superblock)
		clean_all_zones();
	if (wlog_is(aim))
		wlog_prepare(rng, aim);
	stop_first = !wlog_is(aim) && aim != &aim_superblock && aim != &aim_first_superblock &&
		     (opt.aim ? !strcmp(opt.aim, "stop") : chance(rng, wide ? 0 : 14));
	begin_round();
	begin_load(rng, aim);
	await_cut(rng, aim);
	mend_before_cut(rng);
	note_moment();
	loading = lap(since);
	if (stop_first) {
		stop_and_cut(rng);
	} else {
		cut(rng);
		end_load();
	}
	return loading;
}

/* Run the round if @aim needs one of its own; false otherwise. */
static bool quiet_round(struct rng *rng, const struct aim *aim)
{
	if (aim == &aim_silence)
		silent_round(rng);
	else if (aim == &aim_quiet_shift)
		quiet_shift_round(rng);
	else if (aim == &aim_quiet_rebuild)
		quiet_rebuild_round(rng);
	else if (aim == &aim_checkpoint)
		checkpoint_round(rng);
	else if (aim == &aim_unmarking)
		unmarking_round(rng);
	else if (aim == &aim_evict)
		evict_round(rng);
	else if (aim == &aim_read_only)
		read_only_round(rng);
	else if (aim == &aim_tidying)
		tidy_round(rng);
	else
		return false;
	return true;
}

/*
 * The array goes on with disks of larger sectors, or has some already, and shows such sectors from
 * now on. File systems may be made for smaller ones.
 */
static void move_disks(struct rng *rng)
{
	if (files_wanted() || disk_block() != SECTOR || !(chance(rng, 10) || disks_enlarged()))
		return;
	disks_move();
	load_align();
	counted.moved++;
}

static void one_round(void)
{
	struct rng rng = rng_for(opt.seed, life, round_number, 2);
	unsigned int since = now_ms(), loading, stopping, starting, verifying;
	u64 verified = model.verified;
	const struct aim *aim = choose_aim(&rng);

	if (quiet_round(&rng, aim)) {
		stop_first = false;
		loading = lap(&since);
	} else {
		loading = loaded_round(&rng, aim, &since);
	}
	stopping = lap(&since);
	disks_restore();
	move_disks(&rng);
	inject();
	choose_start_ro(&rng);
	wlog_replay_cuts(&rng, aim);
	start_in_the_dark(&rng);
	meta_snapshot();
	vouch_check();
	if (aim == &aim_first_superblock || wlog_leaves_out(aim))
		leave_out(&rng);
	start_array();
	if (start.given_up)
		return;
	starting = lap(&since);
	verify();
	verifying = lap(&since);
	counted.sectors += model.verified - verified;
	counted.rounds++;
	if (aim == &aim_checkpoint && intents_cut) {
		phase("reading all copies", 240);
		be_whole();
		check_both_gears();
	}
	if (!array.absent && aim != &aim_quiet_shift && aim != &aim_checkpoint &&
	    (stop_first || aim == &aim_quiet_rebuild || chance(&rng, fell_silent ? 50 : 15)))
		go_deep(&rng, false);
	say("life %u round %u: %s;%s; %u operations, %u of %u acknowledged ones durable, %llu sectors right; ms: load %u, stop %u, start %u, verify %u, deep %u",
	    life, round_number, aim->name, chaos_plan(), model.ops - model.base,
	    model.durable_acks, model.acks,
	    (unsigned long long)(model.verified - verified), loading, stopping, starting,
	    verifying, lap(&since));
}

/*
 * In turns, like choose_aim(), so that every machine with some cuts has a wide life. After a
 * cut the whole of each dirty zone is written on all members: larger arrays would not fit into
 * the machine's memory. With images of a share a gear set has few zones: one of them that is
 * dirty puts all runs with slots in doubt.
 */
static bool choose_wide(void)
{
	return !opt.aim && !opt.log_mib && !opt.share && !files_wanted() && !fixed_size &&
	       chaos_may_lose() && array.parities == 1 && array.members <= 5 &&
	       (opt.seed + life) % 4 == 1;
}

/* The size of a disk with which the home set has twelve zones, for any gears. */
static unsigned int wide_size(void)
{
	return 12 * (ZONE_SECTORS / 2048) * (array.members - 1) / (array.gear[0] - 1) + 16;
}

/* Small disks are quick; with large disks a set has several zones. */
static unsigned int choose_size(struct rng *rng)
{
	unsigned int most = 640 / array.members;	/* all disks are in memory */
	unsigned int more = opt.log_mib > 4 ? opt.log_mib : 0;

	if (fixed_size)
		return fixed_size;
	if (files_wanted())
		return 64;
	if (wide)
		return wide_size();
	if (opt.pressure)	/* one to four slots */
		return more + between(rng, 20, most < 72 ? most : 72);
	return most < 64 || chance(rng, 75) ? more + between(rng, 16, 28) :
	       between(rng, 64, most);
}

static void one_life(void)
{
	unsigned int rounds;

	life_rng = rng_for(opt.seed, life, 0, 1);
	wide = choose_wide();
	rounds = wide && opt.rounds > 3 ? 3 : opt.rounds;
	opt.disk_mib = choose_size(&life_rng);
	if (opt.mechanics) {
		struct rng rng = rng_for(opt.seed, life, 0, 10);

		disks_plan(&rng);
	}
	disks_make(array.members, &life_rng);
	array.absent = 0;
	put("0", "/sys/module/md_mod/parameters/start_ro");
	array_create();
	metadata_at = array_data_offset();
	model_begin((u32)rng_for(opt.seed, life, 0, 9).state, array.sectors);
	if (files_wanted())
		files_begin(&life_rng);
	else
		load_fill(wide);
	start.given_up = false;
	for (round_number = 1; round_number <= rounds && counted.cuts < opt.cuts && !start.given_up;
	     round_number++)
		one_round();
	if (opt.inject)
		inject_deep();
	else if (!start.given_up)
		go_deep(&life_rng, true);
	else
		event("life %u is given up", life);
	evict_count();
	counted.lost += disks_lost();
	counted.lives++;
	if (!start.given_up)
		array_stop();
	disks_remove();
	model_end();
}

/* ---- beginning and end ---- */

static void tell_replay(void)
{
	char state[256];

	array_describe(state, sizeof(state));
	say("replay: --seed %llu --layout %s --workload %s --rounds %u --cuts %u; life %u, round %u, %u cuts so far",
	    (unsigned long long)opt.seed, opt.layout, opt.workload, opt.rounds, opt.cuts,
	    life, round_number, (unsigned int)counted.cuts);
	say("state: %s", state);
	explain_state();
	say_klog();
	if (opt.keep_disks)
		disks_dump();
}

static void tell_counters(void)
{
	char text[2048] = "RESULT";
	size_t at = strlen(text);

	at += snprintf(text + at, sizeof(text) - at, " layout=%s workload=%s", opt.layout,
		       opt.workload);
#define X(name) at += snprintf(text + at, sizeof(text) - at, " " #name "=%llu", \
			       (unsigned long long)counted.name);
	COUNTERS(X)
#undef X
	opt.quiet = false;
	say("%s", text);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", 1, NULL, 's' }, { "layout", 1, NULL, 'l' },
		{ "cuts", 1, NULL, 'c' }, { "rounds", 1, NULL, 'r' },
		{ "workload", 1, NULL, 'w' }, { "disk", 1, NULL, 'd' },
		{ "block", 1, NULL, 'b' }, { "out", 1, NULL, 'o' },
		{ "inject", 1, NULL, 'i' }, { "keep-disks", 0, NULL, 'k' },
		{ "no-force", 0, NULL, 'n' }, { "quiet", 0, NULL, 'q' },
		{ "mechanics", 0, NULL, 'm' }, { "aim", 1, NULL, 'a' }, { "log", 1, NULL, 'L' },
		{ "share", 1, NULL, 'S' }, { "pressure", 0, NULL, 'p' },
		{ "simulated", 0, NULL, 't' }, { }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 's': opt.seed = strtoull(optarg, NULL, 0); break;
		case 'l': opt.layout = optarg; break;
		case 'c': opt.cuts = strtoul(optarg, NULL, 0); break;
		case 'r': opt.rounds = strtoul(optarg, NULL, 0); break;
		case 'w': opt.workload = optarg; break;
		case 'd': opt.disk_mib = strtoul(optarg, NULL, 0); break;
		case 'b': opt.block = strtoul(optarg, NULL, 0); break;
		case 'o': opt.out = optarg; break;
		case 'i': opt.inject = optarg; break;
		case 'a': opt.aim = optarg; break;
		case 'n': opt.no_force = true; break;
		case 'k': opt.keep_disks = true; break;
		case 'q': opt.quiet = true; break;
		case 'm': opt.mechanics = true; break;
		case 't': opt.simulated = true; break;
		case 'L': opt.log_mib = strtoul(optarg, NULL, 0); break;
		case 'p': opt.pressure = true; break;
		case 'S': opt.share = strtoul(optarg, NULL, 0); break;
		default: exit(2);
		}
	fixed_size = opt.disk_mib;
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	log_open();
	fail_details = tell_replay;
	watch_phases();
	klog_mark();
	array_parse(opt.layout);
	aims_init();
	evict_watch();
	array_purge();
	disks_purge();
	for (life = 1; counted.cuts < opt.cuts; life++)
		one_life();
	phase("ending", 60);
	tell_counters();
	return 0;
}
