// SPDX-License-Identifier: GPL-2.0
/*
 * Cuts of arrays with a write log (--log), mostly in the lowest gear while the log has records.
 * The kind is that of --aim, or all kinds take turns:
 *
 *   logging    during small writes that go into the log
 *   draining   during a shift up, which drains the log: in the middle of the drain, or as soon
 *              as the tail has been moved
 *   full       when writes have filled the log
 *   replaying  several times in a row, while the log is read at the assembly, or while incomplete
 *              copies are completed
 *   healing    after a cut of "logging": with one of the first writes to the log
 *   running    after a cut of "logging": with one of the first superblocks, which store the run
 *   leaving    after a member of the log has failed, which may return before the cut
 *   away       the log was empty; a member of it is missing at the next starts
 *   summing    while many units of a large log are filled, with a write of their summaries or
 *              some time after one; sometimes a member of the log fails meanwhile
 *   crossing   during a shift down that began while the log was drained, or after it
 *   larger     while parts of blocks are logged, after members have been replaced by disks that show
 *              blocks of 4096. Also without a log
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "torture.h"

#define PAR	"/sys/block/" MD "/md/par/"
#define UNIT	128U	/* blocks of 4 KiB */
#define UNIT_SECTORS	(UNIT * 8)
#define UNIT_BYTES	(UNIT * 4096)
#define LEAST_UNITS	8U	/* that are summarized at a time */

static const struct aim logging = { "logging", NULL, NULL };
static const struct aim draining = { "draining the log", NULL, NULL };
static const struct aim full = { "filling the log", NULL, NULL };
static const struct aim replaying = { "replaying the log", NULL, NULL };
static const struct aim healing = { "writing to a log that was replayed", NULL, NULL };
static const struct aim running = { "storing the run of a log that was replayed", NULL, NULL };
static const struct aim leaving = { "a member of the log fails", NULL, NULL };
static const struct aim away = { "a member of the log is missing after this", NULL, NULL };

static const struct aim summing = { "summarizing units of the log", NULL, NULL };

static const struct aim crossing = { "shifting down while the log is drained", NULL, NULL };
const struct aim aim_larger = { "members have larger sectors", NULL, NULL };

/*
 * LOSSES: arrays with parity only. SMALL: these, as long as they show blocks of 512. USED: a log that the last cut has
 * left in use. LARGE: with summaries
 */
enum needs { NOTHING, LOSSES, SMALL, USED, LARGE };

static const struct kind {
	const char *name;
	const struct aim *aim;
	enum needs needs;
} kinds[] = {
	{ "logging", &logging, NOTHING }, { "draining", &draining, NOTHING },
	{ "leaving", &leaving, LOSSES }, { "summing", &summing, LARGE },
	{ "healing", &healing, USED }, { "full", &full, NOTHING },
	{ "away", &away, LOSSES }, { "replaying", &replaying, NOTHING },
	{ "running", &running, USED }, { "crossing", &crossing, NOTHING },
	{ "larger", &aim_larger, SMALL },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static bool left_in_use;	/* the last cut was in the lowest gear, with records in the log */

/* All arrays of a machine have the same log. It is unknown as long as the first disk has no power. */
static bool has_summaries(void)
{
	static bool known, has;
	u64 first, end;

	if (!known) {
		meta_snapshot();
		known = member_super(0);
		has = known && wlog_summaries(&first, &end);
	}
	return has;
}

static bool kind_may(const struct kind *kind)
{
	if (kind->needs == LARGE)
		return has_summaries();
	if (kind->needs == SMALL && disk_block() != SECTOR)
		return false;
	return kind->needs == LOSSES || kind->needs == SMALL ? chaos_may_lose() : true;
}

static const struct kind *kind_of(const struct aim *aim)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		if (kinds[i].aim == aim)
			return &kinds[i];
	return NULL;
}

static u64 number(const char *file)
{
	char text[32];

	return get(text, sizeof(text), PAR "%s", file) ? 0 : strtoull(text, NULL, 10);
}

static u64 used(void)
{
	return number("log_used");
}

static bool empty(void)
{
	return !used();
}

bool wlog_may(void)
{
	return opt.log_mib && !wide && !files_wanted() && !array.absent;
}

bool wlog_is(const struct aim *aim)
{
	return kind_of(aim);
}

bool wlog_leaves_out(const struct aim *aim)
{
	return aim == &away;
}

/* The kind itself, or the kind that has to come before it. */
static const struct aim *possible(const struct kind *kind)
{
	bool before = kind->needs == USED && !left_in_use;

	return before ? &logging : kind->aim;
}

const struct aim *wlog_asked(const char *name)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		if (!strcmp(name, kinds[i].name))
			return wlog_may() && kind_may(&kinds[i]) ? possible(&kinds[i]) : NULL;
	return NULL;
}

const struct aim *wlog_aim(void)
{
	static unsigned int turn;
	const struct kind *kind;

	do
		kind = &kinds[(opt.seed + turn++) % KINDS];
	while (!kind_may(kind));
	return possible(kind);
}

/* Go to the lowest gear; for some kinds with an empty log. */
static void go_down(const struct aim *aim)
{
	phase("going where the log is used", 240);
	be_whole();
	if (aim == &away) {
		array_shift(array.members);
		array_wait("draining the log", empty, 120);
	}
	if (array_gear() != array.gear[0] && array_shift(array.gear[0]))
		fail("shift to %u refused", array.gear[0]);
	array_wait("shifting", array_settled, 120);
}

/* The array shows larger sectors from its next assembly on only. */
static void enlarge_members(struct rng *rng)
{
	unsigned int n = between(rng, 1, 2), d = below(rng, array.members);

	phase("replacing members by disks with larger sectors", 240);
	be_whole();
	if (array_shift(array.members))
		fail("shift to %u refused", array.members);
	array_wait("shifting", array_settled, 120);
	for (; n; n--) {
		chaos_replace((d + n) % array.members, true);
		array_wait("a rebuild", array_whole, 120);
	}
	counted.larger++;
}

void wlog_prepare(struct rng *rng, const struct aim *aim)
{
	if (aim == &aim_larger)
		enlarge_members(rng);
	if (kind_of(aim)->needs != USED)
		go_down(aim);
}

/* Mostly small writes; the large ones go past the log. */
void wlog_begin_load(struct rng *rng, const struct aim *aim)
{
	load_be_small(chance(rng, 50) ? 100 : 90);
	if (aim == &summing) {
		load_fill_log();
		/* A store writes to each member of the log. */
		if (chance(rng, 70))
			trap_summaries(rng, between(rng, 1, 3 * array.gear[0]));
	}
	if (aim == &healing)
		trap_log(rng, between(rng, 1, 4 * (array.parities + 1)));
	if (aim == &running)
		trap_super(rng, array.gear[0]);
}

/* Wait until the value has changed, or with @falls has become smaller. */
static bool await_change(u64 (*what)(void), bool falls, unsigned int limit)
{
	unsigned int end = now_ms() + limit;
	u64 was = what(), is;

	while (now_ms() < end && !expect_errors) {
		is = what();
		if (falls ? is < was : is != was)
			return true;
		was = is;
		usleep(500);
	}
	return false;
}

static u64 drained(void)
{
	return number("drained");
}

static void await_draining(struct rng *rng)
{
	bool tail = chance(rng, 60);

	nap_ms(between(rng, 20, 300));
	/* Further writes would cause flushes, or be logged again. */
	if (chance(rng, 60)) {
		load_silence();
		nap_ms(20);
	}
	chaos_begin(GOING_UP);
	if (!await_change(tail ? used : drained, tail, 3000))
		return;
	counted.in_drain++;
	if (!tail)
		nap_ms(below(rng, 60));
	else if (chance(rng, 30))
		nap_ms(below(rng, 20));
}

/* Nothing is drained to members that are about to stop, and no drain wakes or fails one. */
static void await_crossing(struct rng *rng)
{
	unsigned int end = now_ms() + 3000;

	nap_ms(between(rng, 20, 300));
	if (chance(rng, 60)) {
		load_silence();
		nap_ms(20);
	}
	chaos_begin(GOING_UP);
	while (now_ms() < end && array_gear() != array.members)
		usleep(500);
	nap_ms(below(rng, 20));
	counted.across += array_gear() == array.members && used() > 0;
	chaos_begin(GOING_DOWN);
	nap_ms(below(rng, chance(rng, 50) ? 100 : 1000));
	if (array_degraded())
		fail("a member has failed, of a drain that crosses a shift down");
}

static void await_full(struct rng *rng)
{
	unsigned int end = now_ms() + 3000;
	u64 size = number("log_size");

	while (now_ms() < end && used() * 10 < size * 8)
		nap_ms(1);
	nap_ms(below(rng, 300));
}

static void await_leaving(struct rng *rng)
{
	nap_ms(below(rng, 200));
	await_failure(rng, LEAVING_LOG);
	counted.log_fails++;
	if (!chance(rng, 50))
		return;
	load_be_small(100);
	nap_ms(below(rng, 100));
	chaos_ask(MENDING, 8000);
	nap_ms(below(rng, 100));
}

/* Wait until so many units have been filled. */
static void await_units(struct rng *rng)
{
	u64 was = number("logged"), bytes = between(rng, LEAST_UNITS, 24) * UNIT_BYTES;
	unsigned int end = now_ms() + 6000;

	if (chaos_may_lose() && chance(rng, 25)) {
		await_failure(rng, LEAVING_LOG);
		counted.log_fails++;
	}
	while (now_ms() < end && !disks_trapped() &&
	       (trap_set || number("logged") - was < bytes))
		nap_ms(1);
}

void wlog_await(struct rng *rng, const struct aim *aim)
{
	if (aim == &draining)
		await_draining(rng);
	else if (aim == &crossing)
		await_crossing(rng);
	else if (aim == &full)
		await_full(rng);
	else if (aim == &leaving)
		await_leaving(rng);
	else if (aim == &summing)
		await_units(rng);
	else if (aim == &away)
		nap_ms(below(rng, 40));
	else if (kind_of(aim)->needs == USED)
		await_trap();
	else
		nap_ms(below(rng, 300));
	if (opt.inject)
		load_flush();
}

void wlog_moment(void)
{
	u64 now = used(), size = number("log_size");

	counted.in_log += now > 0;
	counted.in_summaries += now > LEAST_UNITS * UNIT_BYTES && has_summaries();
	counted.in_full += size && now * 10 >= size * 8;
	left_in_use = opt.log_mib && array_gear() == array.gear[0];
}

/* Cut while the log is read: slow disks make its reads take long. */
static void cut_reading(struct rng *rng)
{
	int pid;

	disks_slow(30000);
	pid = assembly_begin("");
	nap_ms(between(rng, 20, 900 + disks_start_ms()));
	cut(rng);
	reap(pid);
}

/* Cut with one of the writes that complete copies, right after the start of the array. */
static void cut_healing(struct rng *rng)
{
	unsigned int end = now_ms() + 2000;
	u64 first, last;
	int pid;

	meta_snapshot();
	wlog_area(&first, &last);
	disks_trap(rng_next(rng), between(rng, 1, 4), first, last - 1);
	pid = assembly_begin("");
	reap(pid);
	while (now_ms() < end && !disks_trapped())
		nap_ms(5);
	cut(rng);
}

/* Cut several assemblies in a row; a later one succeeds. */
void wlog_replay_cuts(struct rng *rng, const struct aim *aim)
{
	unsigned int i, times = between(rng, 1, 3);

	for (i = 0; aim == &replaying && i < times; i++) {
		phase("assembling, to be cut in a replay", 90);
		if (chance(rng, 50))
			cut_reading(rng);
		else
			cut_healing(rng);
		counted.in_replay++;
		array_stop();
		disks_restore();
	}
}

/* Overwrite the log on all of its members, while they are off. */
void wlog_wipe(void)
{
	u8 zeros[SECTOR] = { 0 };
	u64 first, end, at;
	unsigned int d;

	meta_snapshot();
	wlog_area(&first, &end);
	for (d = 0; d < array.gear[0]; d++)
		for (at = first; at < end; at++)
			disk_sector(d, at, zeros, true);
	say("injecting: no log on any member, sectors %llu to %llu", (unsigned long long)first,
	    (unsigned long long)end - 1);
}

void wlog_area(u64 *first, u64 *end)
{
	const u8 *super = member_super(0);

	if (!super)
		fail("%s has no superblock", disk_name(0));
	*end = member_data(0) + le(super + 112, 8);
	*first = *end - le(super + 160, 8);
}

/* They lie at the end of the log: one for each unit that it would have without them. */
bool wlog_summaries(u64 *first, u64 *end)
{
	const u8 *super = member_super(0);
	u64 sectors;

	if (!super)
		fail("%s has no superblock", disk_name(0));
	if (!(le(super + 16, 8) & 16))
		return false;
	sectors = le(super + 160, 8);
	wlog_area(first, end);
	*first = *end - sectors / UNIT_SECTORS * array.gear[0] / (array.parities + 1) * 8;
	return true;
}

void wlog_started(void)
{
	static int kernel = -1;
	char text[2048], *found;
	unsigned int units;
	ssize_t got;

	if (!opt.log_mib)
		return;
	if (kernel < 0)
		kernel = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	while ((got = read(kernel, text, sizeof(text) - 1)) > 0 || (got < 0 && errno == EPIPE)) {
		text[got > 0 ? got : 0] = 0;
		found = strstr(text, " blocks that are not at home; ");
		if (!found || sscanf(found, " blocks that are not at home; %u units", &units) != 1)
			continue;
		counted.summarized += units > 0;
		counted.summaries += units;
	}
}
