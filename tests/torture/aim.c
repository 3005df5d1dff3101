// SPDX-License-Identifier: GPL-2.0
/*
 * The moment of a cut: the event that is awaited or caused before it. The kinds take turns, or
 * --aim selects one.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "torture.h"

#define NONE	UINT32_MAX

/* Where metadata lies in a member's data area, in sectors: see format.h. */
#define SUPER_SECTORS	16U
#define SLOTS		4U	/* a block of this kind */

static u32 acked_unnoticed = NONE;	/* acked_since when md noticed a failure; or NONE */
static u64 *trap_counter;	/* counts cuts by the trap */
static bool trap_degraded;	/* the array was degraded or being synced when the trap was set */
u64 fails_seen, metadata_at;
bool fell_silent, trap_set;

static char lowest[8];

static const struct aim aims[] = {
	{ "any time", NULL, NULL },
	{ "shifting down", "/sys/block/" MD "/md/par/shift_state", "down" },
	{ "shifting up", "/sys/block/" MD "/md/par/shift_state", "up" },
	{ "propagating", "/sys/block/" MD "/md/par/shift_state", "propagate" },
	{ "the gear has changed", "/sys/block/" MD "/md/par/gear", NULL },
	{ "in the lowest gear", "/sys/block/" MD "/md/par/gear", lowest },
	{ "rewriting in the lowest gear", "/sys/block/" MD "/md/par/gear", lowest },
	{ "resynced", "/sys/block/" MD "/md/par/resync", "none" },
	{ "checking", "/sys/block/" MD "/md/sync_action", "check" },
},
/* Events that the test causes. */
rebuild = { "rebuilding", NULL, NULL },
failure = { "a member fails", NULL, NULL },
beside = { "a member fails beside something else", NULL, NULL },
waking = { "waking", NULL, NULL };

/* Rounds of their own, or with a preparation of the array. */
const struct aim aim_superblock = { "a superblock is written", NULL, NULL };
const struct aim aim_first_superblock = { "the first superblock is written", NULL, NULL };
const struct aim aim_quiet_shift = {
	"a superblock of a shift up is written, and nothing else", NULL, NULL
};
const struct aim aim_quiet_rebuild = { "a rebuild, and nothing is written", NULL, NULL };
const struct aim aim_checkpoint = { "the map is stored and intents are cleared", NULL, NULL };
const struct aim aim_unmarking = { "the marks of a resync are removed", NULL, NULL };
const struct aim aim_read_only = { "a member fails while the array is read-only", NULL, NULL };
const struct aim aim_evict = { "slots are evicted", NULL, NULL };
const struct aim aim_tidying = { "a miss while the array is tidied", NULL, NULL };
const struct aim aim_silence = { "silent since the assembly", NULL, NULL };

#define AIMS (sizeof(aims) / sizeof(*aims))

void aims_init(void)
{
	snprintf(lowest, sizeof(lowest), "%u", array.gear[0]);
}

/* Wait at most @limit ms for the event. */
static void await_aim(const struct aim *aim, unsigned int limit)
{
	unsigned int end = now_ms() + limit;
	char first[64], is[64];

	get(first, sizeof(first), "%s", aim->path);
	while (now_ms() < end) {
		get(is, sizeof(is), "%s", aim->path);
		if (aim->value ? !strcmp(is, aim->value) : strcmp(is, first))
			return;
		nap_ms(2);
	}
}

/* In turns, too. No rebuild in a wide life: it would use all zones. */
static enum occasion choose_occasion(void)
{
	static const enum occasion occasions[] = {
		SHIFTING_UP, REBUILDING, CHECKING, REBUILDING,
	};
	const unsigned int all = sizeof(occasions) / sizeof(*occasions);
	static unsigned int turn;
	enum occasion occasion;

	do
		occasion = occasions[(opt.seed + turn++) % all];
	while (wide && occasion == REBUILDING);
	return occasion;
}

void await_failure(struct rng *rng, enum occasion occasion)
{
	unsigned int missed = wide || chance(rng, 70) ? between(rng, 1, 10) : 0, end, acked;

	if (missed)
		load_be_durable();
	chaos_ask(occasion, 6000);
	if (!missed) {
		usleep(below(rng, 12000));
		return;
	}
	end = now_ms() + 250;
	while (now_ms() < end && !chaos_noticed())
		usleep(50);
	acked = acked_since;
	if (chaos_noticed())
		acked_unnoticed = acked;
	while (now_ms() < end && acked_since - acked < missed)
		usleep(50);
}

/* Let all sleepers sleep, wake some, and wait for a moment of their start. */
static void await_waking(struct rng *rng)
{
	unsigned int end;

	chaos_ask(SLEEPING, 10000);
	nap_ms(below(rng, 100));
	chaos_begin(WAKING);
	end = now_ms() + 1000;
	while (now_ms() < end && !array_any_power("waking"))
		usleep(500);
	nap_ms(below(rng, disks_start_ms()));
}

/*
 * Cut the power with the @nth write from now on to sectors @first to @last of a member's
 * metadata: some members have this write then, and others have the older content.
 */
static void set_trap(struct rng *rng, unsigned int nth, u64 first, u64 last, u64 *counter)
{
	trap_degraded = array_degraded() || !array_idle();
	trap_set = expect_errors = true;
	trap_counter = counter;
	disks_trap(rng_next(rng), nth, metadata_at + first, metadata_at + last);
}

void trap_super(struct rng *rng, unsigned int most)
{
	set_trap(rng, between(rng, 1, most), 0, SUPER_SECTORS - 1, &counted.in_super);
}

void trap_intents(struct rng *rng, unsigned int nth)
{
	set_trap(rng, nth, INTENT_SECTOR, INTENT_SECTOR + PAIR - 1, &counted.in_blocks);
}

/* Each set has at least one map block. */
void trap_map(struct rng *rng, unsigned int nth)
{
	u64 first = INTENT_SECTOR + PAIR;

	set_trap(rng, nth, first, first + PAIR * array.gears - 1, &counted.in_blocks);
}

/* The blocks of the slot map lie behind those of the map: see struct par_disk_block. */
void trap_slots(struct rng *rng, unsigned int nth)
{
	u64 first = META_MAX, last = 0, at;
	const u8 *meta;

	meta_snapshot();
	meta = member_meta(0);
	for (at = INTENT_SECTOR; at < META_MAX; at += META_BLOCK / SECTOR)
		if (!memcmp(meta + at * SECTOR, "PARB", 4) && le(meta + at * SECTOR + 8, 4) == SLOTS) {
			first = at < first ? at : first;
			last = at;
		}
	if (!last)
		fail("%s has no slot map", disk_name(0));
	first -= first % PAIR;
	set_trap(rng, nth, first, last - last % PAIR + PAIR - 1, &counted.in_slots);
}

void trap_log(struct rng *rng, unsigned int nth)
{
	u64 first, end;

	meta_snapshot();
	wlog_area(&first, &end);
	set_trap(rng, nth, first - metadata_at, end - 1 - metadata_at, &counted.in_log_write);
}

void trap_summaries(struct rng *rng, unsigned int nth)
{
	u64 first, end;

	meta_snapshot();
	if (!wlog_summaries(&first, &end))
		return;
	set_trap(rng, nth, first - metadata_at, end - 1 - metadata_at, &counted.in_summary);
}

/* Wait until the trap has been triggered, or for 1.5 s. */
void await_trap(void)
{
	unsigned int end = now_ms() + 1500;

	while (now_ms() < end && !disks_trapped())
		usleep(500);
}

void await_trap_or(bool (*over)(void))
{
	unsigned int end = now_ms() + 20000, quiet = 0;

	while (quiet < 20 && now_ms() < end && !(trap_set && disks_trapped())) {
		quiet = over() ? quiet + 1 : 0;
		nap_ms(5);
	}
}

/*
 * Cut the power with the first superblock of a start, mostly when only one member has it, which
 * is mostly member 0.
 */
void trap_first_superblock(struct rng *rng)
{
	disks_favour(chance(rng, 50) ? 0 : below(rng, array.gear[0]), 20000);
	trap_super(rng, chance(rng, 60) ? 1 : array.members);
}

/*
 * Cut the power with a superblock, mostly that of a shift up, with data that only the images
 * hold. A shift up stores two superblocks; after each of these writes except the last of a
 * superblock, some members have the newest superblock and others lack it.
 */
static void await_superblock(struct rng *rng)
{
	unsigned int what = below(rng, 4);

	if (trap_set) {	/* for the superblock of the first use */
		await_trap();
		return;
	}
	if (what < 3)
		chaos_ask(GOING_DOWN, 4000);
	nap_ms(below(rng, 200));
	if (!files_wanted() && chance(rng, 50))
		load_silence();
	trap_super(rng, (what < 3 ? 2 : 3) * array.members - 1);
	if (what < 3)
		chaos_begin(GOING_UP);
	else if (chaos_may_lose() && !wide && chance(rng, 50))
		chaos_begin(IN_LOW_GEAR);
	else
		chaos_begin(GOING_DOWN);
	counted.in_shift_super += what < 3;
	await_trap();
}

/*
 * In raw lives that are not wide every fifth cut is silent: one cut of seven in all, as long as
 * these lives have five of seven cuts.
 */
static bool may_be_silent(void)
{
	return !opt.inject && !wide && !files_wanted() && round_number > 1;
}

/* Kinds that come in every second turn only, and with raw sectors. */
static bool every_other(unsigned int turn)
{
	return (opt.seed + counted.cuts) % 14 == turn && !opt.inject && !wide && !files_wanted();
}

/* One disk at least has to show smaller blocks, and sectors are written that are no multiples of larger ones. */
static bool may_enlarge(void)
{
	return chaos_may_lose() && disk_block() == SECTOR && !wide && !files_wanted();
}

/* The kind of --aim, if it is possible with this array; NULL: any kind. */
static const struct aim *asked_aim(void)
{
	static const struct { const char *kind; const struct aim *aim; bool parity; } kinds[] = {
		{ "checkpoint", &aim_checkpoint, false }, { "unmarking", &aim_unmarking, true },
		{ "superblock", &aim_superblock, false }, { "shift", &aim_quiet_shift, false },
		{ "failure", &failure, true }, { "rebuild", &rebuild, true },
		{ "quiet-rebuild", &aim_quiet_rebuild, true }, { "read-only", &aim_read_only, true },
		{ "silence", &aim_silence, false }, { "stop", &aims[0], false },
		{ "load", &aims[0], false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(opt.aim, kinds[i].kind))
			return !kinds[i].parity || chaos_may_lose() ? kinds[i].aim : NULL;
	if (opt.share && !strcmp(opt.aim, "evict"))
		return evict_may() ? &aim_evict : NULL;
	if (!strcmp(opt.aim, "tidying"))
		return tidy_may() ? &aim_tidying : NULL;
	if (!strcmp(opt.aim, "larger"))
		return may_enlarge() ? &aim_larger : NULL;
	if (opt.log_mib)
		return wlog_asked(opt.aim);
	fail("no such kind of cut: %s", opt.aim);
}

/*
 * Failures and rebuilds come in turns, not at random, so that even a few cuts have them. So do
 * cuts that come with a superblock, each followed by a silent round, in which no write hides
 * what the array's own work leaves out; a member that is missing for some starts, and does not
 * return before the cut; shifts up and down without writes beside them; checkpoints; and the
 * end of a resync.
 */
const struct aim *choose_aim(struct rng *rng)
{
	unsigned int turn = (opt.seed + counted.cuts) % 7;
	static bool after_metadata;
	bool after = after_metadata;

	after_metadata = false;
	if (opt.aim && asked_aim()) {
		after_metadata = !after || round_number == 1;
		return after_metadata ? asked_aim() : &aim_silence;
	}
	if (opt.inject && wlog_may())
		return wlog_asked("logging");
	if (tidy_may() && !opt.aim && !after && (opt.seed + counted.cuts) % 8 == 3)
		return &aim_tidying;
	if (evict_may() && !opt.aim && !after && (opt.seed + counted.cuts) % (opt.pressure ? 3 : 5) == 1) {
		after_metadata = true;
		return &aim_evict;
	}
	/* Two of three cuts; the others then find a log in use. */
	if (wlog_may() && !opt.aim && !opt.inject && !after && (opt.seed + counted.cuts) % 3)
		return wlog_aim();
	if (array.absent)
		return chance(rng, 30) ? &aim_silence : &aims[0];
	if (every_other(3) && chaos_may_lose())
		return &aim_first_superblock;
	if (every_other(10) && chaos_may_lose())
		return &aim_unmarking;
	if (every_other(8) && chaos_may_lose())
		return &aim_read_only;
	if (every_other(11) && may_enlarge())
		return &aim_larger;
	/* With a log something is written: what is drained from it. */
	if (every_other(12) && chaos_may_lose() && !opt.log_mib)
		return &aim_quiet_rebuild;
	/* At least one of ten turns in a row; with mechanics one of the two turns is for waking. */
	if (every_other(13) || (every_other(6) && !opt.mechanics)) {
		after_metadata = true;
		return &aim_checkpoint;
	}
	if (may_be_silent() && (after || counted.in_silence * 5 < counted.cuts))
		return &aim_silence;
	if (!opt.inject && !wide && turn == 2) {
		after_metadata = true;
		return every_other(2) ? &aim_quiet_shift : &aim_superblock;
	}
	/* Two turns in a row: the first has to wait for the rebuild of a failed member. */
	if (opt.mechanics && !opt.inject && (turn == 6 || turn == 0))
		return &waking;
	if (chaos_may_lose() && wide)
		return turn % 2 ? &failure : &beside;
	if (chaos_may_lose() && (turn == 1 || turn > 3) && turn < 6)
		return turn == 1 ? &failure : turn == 4 ? &beside : &rebuild;
	return &aims[chance(rng, 50) ? 0 : below(rng, AIMS)];
}

void await_cut(struct rng *rng, const struct aim *aim)
{
	bool arranged = !aim->path && aim != &aims[0];

	phase("the load", 60);
	if (wlog_is(aim)) {
		fell_silent = false;
		wlog_await(rng, aim);
		return;
	}
	/*
	 * In some rounds the writers stop before the cut: then a shift may store everything, and
	 * no later write hides what it has left out.
	 */
	fell_silent = !files_wanted() && chance(rng, 25) && !arranged;
	if (fell_silent) {
		nap_ms(between(rng, 20, 300));
		load_silence();
	}
	if (aim->path || arranged)
		nap_ms(between(rng, 10, 200));
	else
		nap_ms(between(rng, 5, chance(rng, 25) ? 1000 : 350));
	if (aim == &failure)
		await_failure(rng, IN_LOW_GEAR);
	if (aim == &beside)
		await_failure(rng, choose_occasion());
	if (aim == &waking)
		await_waking(rng);
	if (aim == &aim_superblock)
		await_superblock(rng);
	if (aim == &aim_first_superblock)
		await_trap();
	if (aim == &rebuild)
		chaos_ask(array.parities > 1 && chance(rng, 50) ? REBUILDING : REBUILD_ONLY, 6000);
	if (aim->path) {
		await_aim(aim, 1000);
		if (aim->value == lowest)
			nap_ms(below(rng, 200));
		else if (chance(rng, 70))
			nap_ms(below(rng, 40));
	}
}

void mend_beside(void)
{
	char state[256];

	phase("mending beside the load", 220);
	chaos_ask(MENDING, 160000);
	if (chaos_lacking() || array_degraded() || !array_idle()) {
		array_describe(state, sizeof(state));
		fail("the members do not become whole beside the load: %s", state);
	}
}

/*
 * Mostly make an array with a file system whole before the cut. Otherwise its life ends if the
 * start is refused, since a start by force might damage the file system.
 */
void mend_before_cut(struct rng *rng)
{
	if (!files_wanted() || trap_set || !chaos_lacking() || chance(rng, 25))
		return;
	mend_beside();
	nap_ms(below(rng, 100));
	counted.mended++;
	start.may_refuse = false;
	fails_seen = counted.fails;
}

/*
 * A start must be refused if a failed member has missed acknowledged writes: then the failure
 * is stored. The member need not have missed writes from before md noticed the failure.
 */
static bool must_be_refused(const char *sync)
{
	/* If it has missed only writes to the log, no zone is in doubt. */
	if (!array_degraded() || !strcmp(sync, "recover") || opt.log_mib)
		return false;
	if (acked_unnoticed != NONE)
		return acked_since > acked_unnoticed;
	return acked_since && !chaos_failed_lately();
}

/* Note the state of the array just before the cut. */
void note_moment(void)
{
	char shift[32] = "", sync[32] = "";
	unsigned int gear = array_gear();

	wlog_moment();
	evict_moment();
	if (trap_set) {	/* the present state may be one from after the cut */
		start.may_refuse |= trap_degraded || counted.fails != fails_seen;
		start.refuse_due = false;
		*trap_counter += disks_trapped();
		return;
	}
	get(shift, sizeof(shift), "/sys/block/" MD "/md/par/shift_state");
	get(sync, sizeof(sync), "/sys/block/" MD "/md/sync_action");
	counted.in_shift += !strcmp(shift, "up") || !strcmp(shift, "down");
	counted.in_propagation += !strcmp(shift, "propagate");
	counted.in_low_gear += gear && gear < array.members;
	counted.in_resync += !strcmp(sync, "resync") ||
		(array_has_resync_file() && !reads("none", "/sys/block/" MD "/md/par/resync"));
	counted.in_recovery += !strcmp(sync, "recover");
	counted.in_check += !strcmp(sync, "check") || !strcmp(sync, "repair");
	counted.in_degraded += array_degraded() > 0;
	counted.in_waking += array_any_power("waking");
	counted.in_stopping += disks_stopping();
	start.may_refuse |= array_degraded() || counted.fails != fails_seen;
	start.refuse_due = must_be_refused(sync);
	acked_unnoticed = NONE;
	event("gear %u, shift %s, sync %s, degraded %u, %u writes since", gear, shift,
	      sync, array_degraded(), acked_since);
}

void cut(struct rng *rng)
{
	expect_errors = true;
	trap_set = false;
	disks_cut(rng_next(rng));
	counted.cuts++;
}
