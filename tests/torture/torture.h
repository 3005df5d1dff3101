/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The crash campaign's program, which runs in a test machine. See torture.c
 * for what a life is and what the verifier proves.
 *
 *   util.c     random numbers, the log, failing, hangs, sysfs, processes
 *   spindle.c  the disks and their power
 *   md.c       the md array
 *   sectors.c  what each sector may hold
 *   load.c     writers
 *   chaos.c    shifts, failing members, checks
 *   files.c    lives with a file system instead of raw sectors
 *   metadata.c what the members' metadata says before an assembly
 *   vouch.c    what superblocks say of the metadata beside them
 *   explain.c  what lies on the disks, when something is wrong
 *   start.c    how an array is started, with a member left out or by force
 *   aim.c      when the power goes
 *   write_log.c  the same of arrays with a write log
 *   evict.c    the same of arrays with images of a share
 *   torture.c  lives and rounds
 */
#ifndef TORTURE_H
#define TORTURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define SECTOR		512
#define MAX_DISKS	28
#define MAX_GEARS	27
#define MAX_WINDOWS	6
#define RESYNC_SPEED "/proc/sys/dev/raid/speed_limit_min"
#define REBUILD_SPEED "/proc/sys/dev/raid/speed_limit_max"
#define MAX_IO		2048	/* sectors of the largest request */
#define ZONE_SECTORS	65536U	/* of a member: 512 rows of 64 KiB, see format.h */
#define CHUNK		128U	/* sectors: --chunk=64K */
#define RUN_SECTORS	2048U	/* of a member: what a slot has images of, on small members */

/* ---- options and counters ---- */

struct options {
	u64 seed;
	const char *layout, *workload, *out, *inject, *aim;
	unsigned int cuts, rounds, disk_mib, block, log_mib, share;
	bool keep_disks, quiet, no_force, mechanics, pressure, simulated;
};

extern struct options opt;

/* The result is one line of these; tests/torture/run adds them up. */
#define COUNTERS(X) \
	X(cuts) X(rounds) X(lives) \
	X(in_shift) X(in_propagation) X(in_low_gear) X(in_degraded) X(in_resync) \
	X(in_recovery) X(in_check) X(in_assembly) X(in_waking) X(in_stopping) X(after_stop) \
	X(in_silence) X(in_super) X(in_blocks) X(in_shift_super) X(in_quiet_rebuild) X(in_read_only) X(larger) \
	X(absent_starts) X(absent_refused) \
	X(dirty_refused) X(behind) X(forced) \
	X(degraded_plain) X(given_up) X(mended) X(spared) X(doubted) X(sectors) X(vouched) \
	X(live_reads) X(lost) X(discards) X(fails) X(fails_in_rebuild) X(fails_rebuilt) X(fails_storing) \
	X(fails_in_check) X(fails_in_shift) X(adds) X(shifts) X(revived) X(moved) \
	X(in_log) X(in_log_write) X(in_drain) X(across) X(in_full) X(in_replay) X(log_fails) X(replayed) \
	X(in_summaries) X(in_summary) X(summarized) X(summaries) \
	X(evicted) X(kept) X(in_evict) X(in_slots) X(beside_miss) X(in_tidying) \
	X(both_gears) X(checks) X(dissected) X(files) X(fsck)

struct counters {
#define X(name) u64 name;
	COUNTERS(X)
#undef X
};

extern struct counters counted;

/* ---- util.c ---- */

struct rng { u64 state; };

struct rng rng_for(u64 seed, u64 a, u64 b, u64 c);
u64 rng_next(struct rng *rng);
u64 below(struct rng *rng, u64 n);
u64 between(struct rng *rng, u64 low, u64 high);
bool chance(struct rng *rng, unsigned int percent);

unsigned int now_ms(void);
void nap_ms(unsigned int ms);

/* The log: on stdout, and in the shared directory, which survives the machine. */
void log_open(void);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Kept in a ring, and printed only after a failure. */
void event(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print the error and end the process. The first caller wins. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints further details then: set by torture.c. */
extern void (*fail_details)(void);

/* The present work, and the time after which it is called a hang. */
void phase(const char *what, unsigned int seconds);
void watch_phases(void);

int put(const char *value, const char *path, ...) __attribute__((format(printf, 2, 3)));
int get(char *value, size_t size, const char *path, ...) __attribute__((format(printf, 3, 4)));
/* All lines of it. */
int get_all(char *value, size_t size, const char *path, ...) __attribute__((format(printf, 3, 4)));
bool reads(const char *value, const char *path);

/* A process; its output goes to a file that tell_output() prints. */
int spawn(char *const argv[]);
int reap(int pid);
int run(char *const argv[]);
const char *output(void);

void klog_mark(void);
/* Lines since the mark, one per call; false at the end. */
bool klog_line(char *line, size_t size);

/* ---- spindle.c ---- */

/*
 * disks_plan - choose the mechanics of the next disks, with --mechanics; without it, all
 * plans are the same as before that option existed
 */
void disks_plan(struct rng *rng);
void disks_make(unsigned int number, struct rng *rng);
/* The time that a disk takes to start, in ms; 0 without mechanics. */
unsigned int disks_start_ms(void);
bool disk_stands(unsigned int d);
/* Is one of the disks about to stop turning? */
bool disks_stopping(void);
void disks_remove(void);
void disks_purge(void);
void disks_cut(u64 seed);
/*
 * disks_trap - make the @nth write to sectors @first to @last of any disk cut the power of
 * all disks; disks_trapped - has it? disks_cut() removes the trap in either case.
 */
void disks_trap(u64 seed, unsigned int nth, u64 first, u64 last);
bool disks_trapped(void);
void disk_cut(unsigned int d, u64 seed);
/* Until the power is restored; disk_revive() does not end it. */
void disks_slow(unsigned int delay_us);
void disks_slow_no_more(void);
/* Let each start of a disk take so long. */
void disks_start_in(unsigned int ms);
/* disks_favour - delay all disks but @d, so that a request to all disks reaches @d first */
void disks_favour(unsigned int d, unsigned int delay_us);
void disks_restore(void);
void disk_die(unsigned int d);
/* disk_refuse - return an error for each write to these sectors, but serve all other requests */
void disk_refuse(unsigned int d, u64 first, u64 count);

/* disk_revive - make it neither dead nor without power, unless all are without power; it refuses nothing */
void disk_revive(unsigned int d);
u64 disks_lost(void);
const char *disk_name(unsigned int d);
unsigned int disk_block(void);
/* disks_move - to an enclosure that shows blocks of 4096; no disk is in use */
void disks_move(void);
/* disk_enlarge - let one disk, which is not in use, show blocks of 4096 */
void disk_enlarge(unsigned int d);
/* Is there one, and the array does not show such blocks yet? It does from the next assembly on. */
bool disks_enlarged(void);

/* ---- aim.c, and chaos.c ---- */

/* Where blocks of metadata lie in a member's data area, in sectors: see format.h. */
#define INTENT_SECTOR	128U
#define PAIR		16U	/* sectors of a block with its two sides, A and B */

/* ---- md.c ---- */

struct array {
	const char *layout;
	unsigned int level, parities, members, gears, gear[MAX_GEARS];
	u32 absent;	/* members that are left out of an assembly, a bit each */
	char uuid[36];
	u64 sectors;
};

extern struct array array;

#define MD	"md0"
#define MD_DEV	"/dev/" MD

void array_parse(const char *layout);
void array_create(void);
/*
 * The beginning of an assembly, which runs concurrently with its caller, and its end. An
 * assembly that lacks members is told to start nevertheless.
 */
int assembly_begin(const char *option);
bool assembly_end(int pid);
void array_stop(void);
/* The start of a member's data area, in sectors: the same on all members. */
u64 array_data_offset(void);
void array_purge(void);
bool array_runs(void);
/* array_events_apart - do the members' superblocks of md differ by two updates or more? While stopped */
bool array_events_apart(void);
int array_open(int flags);
unsigned int array_degraded(void);
unsigned int array_gear(void);
bool array_idle(void);
bool array_rebuilds(void);
bool array_whole(void);
bool array_member(unsigned int d, const char *want);
/* Is member @d, or any member, in this state of power? */
bool array_power(unsigned int d, const char *want);
bool array_any_power(const char *want);
void array_wait(const char *what, bool (*done)(void), unsigned int seconds);
int array_shift(unsigned int gear);
bool array_settled(void);
bool array_resynced(void);
/* A rebuild or a check may be under way. */
bool array_no_resync_due(void);
u64 array_mismatches(void);
bool array_has_resync_file(void);
void array_describe(char *text, size_t size);

/* ---- sectors.c ---- */

enum op_kind { OP_WRITE, OP_FUA, OP_DISCARD };

struct op {
	u32 start, count;
	u32 submitted, acked;	/* ms; acked: 0 if never */
	u8 kind;
	bool ok, durable;
};

struct sector {
	u32 durable, acked;	/* versions: numbers of operations; 0: never written */
	u32 discarded;		/* by this operation */
	u32 doubtful;		/* operations before this one are in doubt */
};

struct model {
	u32 life;
	u32 sectors;
	struct sector *sector;
	struct op *op;
	u32 ops, op_room;
	u32 base;		/* operations before this one belong to previous rounds */
	u32 *ack_order;
	u32 acks, durable_acks;
	u8 *touched;		/* a byte per 64 KiB */
	u64 verified;
	bool forced;		/* the array was started by force after this cut */
	pthread_mutex_t lock;
};

extern struct model model;

#define TOUCH_SHIFT	7

void model_begin(u32 life, u64 sectors);
void model_end(void);
void model_round(void);

/* Reserve a range; false if a part of it is in use. */
bool range_take(unsigned int slot, u32 start, u32 count, bool write);
void range_drop(unsigned int slot);

u32 op_submit(enum op_kind kind, u32 start, u32 count);
void op_ack(u32 id);
u32 flush_begin(void);
void flush_done(u32 mark);

void sector_fill(void *data, u32 sector, u32 version);
void fill(void *data, u32 start, u32 count, u32 version);
void verify_live(const void *data, u32 start, u32 count, const char *when);

/* After a cut: every operation that became durable counts. */
void model_settle(void);
/* Any content is allowed in these, after a forced assembly. */
void model_doubt(u64 start, u64 end);
/*
 * Read all that was ever touched; the versions that are found are the expected ones from
 * now on.
 */
void verify_after_cut(int fd);
/* Read the same again: the content must be exactly the same. */
void verify_again(int fd, const char *when);

/* A description of the content of a sector on a disk. */
const char *sector_words(const void *data, u32 sector, char *text, size_t size);
bool sector_version(const void *data, u32 sector, u32 *version);

/* ---- load.c ---- */

void load_plan(struct rng *rng);
/* load_align - from now on the sectors are of 4096 bytes */
void load_align(void);
void load_start(u64 seed, unsigned int life, unsigned int round);
void load_silence(void);
/* Write with FUA only from now on, in this round. */
void load_be_durable(void);
/* So many of a hundred writes are of 16 KiB at most from now on, in this round. */
void load_be_small(unsigned int percent);
/* All writes are of 32 KiB at most, and none is flushed from now on, in this round. */
void load_fill_log(void);
void load_stop(void);
void load_flush(void);
void load_forget(void);
/*
 * A life may begin with its windows written. @wide: it does, and with some data in every
 * zone; its windows never move.
 */
void load_fill(bool wide);
/* The number of runs that the array has; the last one may be small. */
u32 load_runs(void);
/* Read some of a run, and write @writes parts of it with FUA, the first one a whole row. */
void load_use_run(struct rng *rng, u32 run, unsigned int writes);
/*
 * Read a row of @run in a thread of its own, which then writes and reads in @run and @other until
 * load_miss_end(), if they differ.
 */
void load_miss_begin(struct rng *rng, u32 run, u32 other);
void load_miss_end(void);
/* Errors are expected from now on: the power is about to be cut, or may be. */
extern volatile bool expect_errors;
/* Writes acknowledged since the last action of chaos.c. */
extern volatile u32 acked_since;

/* ---- chaos.c ---- */

/*
 * CALM: no shifts. ONLY_SHIFTS: nothing but shifts and what is asked for. ONLY_ASKED: nothing but
 * what is asked for.
 */
enum mood { ANYTHING, CALM, ONLY_SHIFTS, ONLY_ASKED };

void chaos_start(u64 seed, unsigned int life, unsigned int round, enum mood mood);
void chaos_stop(void);

/* May members fail at all in this campaign? */
bool chaos_may_lose(void);

/*
 * Actions that can be asked for: a member fails, as far as parity allows; a rebuild begins;
 * all members that have left are rebuilt; all sleepers are put to sleep; some are woken;
 * the array shifts to its lowest gear, or to its top gear; a member that never sleeps, or any
 * member, fails, as far as parity allows.
 */
enum occasion {
	NO_OCCASION, IN_LOW_GEAR, SHIFTING_UP, CHECKING, REBUILDING, REBUILD_ONLY, MENDING,
	SLEEPING, WAKING, GOING_DOWN, GOING_UP, LEAVING_LOG, FAILING
};

/* chaos_ask - returns as soon as the action has happened; it is the last action of the round */
void chaos_ask(enum occasion occasion, unsigned int limit_ms);
/* chaos_begin - returns at once, since waking a sleeper may take long */
void chaos_begin(enum occasion occasion);
/* Does md know of all failures? */
bool chaos_noticed(void);
/* Was a member made to fail just now? The failure may not have been noticed yet. */
bool chaos_failed_lately(void);
/* The number of members whose content, or a part of it, has to be computed from parity. */
unsigned int chaos_lacking(void);
const char *chaos_plan(void);
void chaos_end_of_life(void);
void chaos_heal(void);
/*
 * Replace a member by its own disk, which is taken for a new one; @larger: and shows blocks of 4096
 * from now on. Its rebuild begins. Not while the chaos runs.
 */
void chaos_replace(unsigned int d, bool larger);

/* ---- files.c ---- */

bool files_wanted(void);
/* A new file system, mounted. */
void files_begin(struct rng *rng);
void files_mount(void);
void files_unmount(void);
void files_start(u64 seed, unsigned int life, unsigned int round);
void files_stop(void);
/* Mount after a cut and compare every file; then unmount and check. */
void files_verify(void);
/* The whole device must have the same content as at the first call since the reset. */
void files_compare(int fd, const char *when);
void files_compare_reset(void);

/* ---- metadata.c ---- */

#define META_MAX	512U	/* sectors that are kept of a member's metadata */
#define META_BLOCK	4096U

u64 le(const u8 *raw, unsigned int bytes);
/* @count sectors of a disk, META_MAX at most; false if they cannot be read. */
bool disk_read(unsigned int d, u64 sector, void *data, u32 count);
/* Is the checksum at @at that of the whole block with this field set to zero? */
bool sealed(const u8 *raw, size_t at);
bool is_super(const u8 *raw);
/* Keep the present metadata of all members. The following functions examine this copy. */
void meta_snapshot(void);
/* The kept metadata of member @d, from its data offset on; NULL if it was never read. */
const u8 *member_meta(unsigned int d);
u64 member_data(unsigned int d);
/* Its newest intact superblock; NULL if it has none. */
const u8 *member_super(unsigned int d);
/* Members that have the newest superblock of all: a bit each. */
u32 newest_members(void);

/* ---- vouch.c ---- */

/* In the kept metadata, is each superblock right about the blocks of its member? */
void vouch_check(void);
/*
 * The array has been stopped properly: would an old copy of a member, from when the array
 * was in use, be recognized?
 */
void vouch_stopped(void);

/* ---- explain.c ---- */

void explain_sector(u32 sector);
void explain_state(void);
void disks_dump(void);
/* The place of a copy of an array's sector; false if there is none. */
enum copy { HOME, IMAGE, PARITY };
bool find_copy(u32 sector, enum copy copy, unsigned int *d, u64 *at);

/* ---- start.c ---- */

/**
 * struct start - expectations about the next start, and its result
 * @refuse_due: the array was degraded and dirty at the cut; @may_refuse: it may have been
 *	degraded
 * @given_up: refused, and not to be forced
 */
struct start {
	bool refuse_due, may_refuse, given_up;
};

extern struct start start;

/* After a cut: plainly if possible; by force if it is refused for a good reason. */
void start_array(void);
/* One assembly or several, each of which is cut. */
void start_in_the_dark(struct rng *rng);
/* The array must start in this attempt. */
void must_assemble(bool force);
/* Leave a member out of some starts, from the next one on. */
void leave_out(struct rng *rng);
/* Print md's kernel messages since the mark. */
void say_klog(void);

/* ---- aim.c ---- */

/*
 * struct aim - a moment for the cut: when @path reads @value
 * @value: NULL: whatever differs from the first reading
 */
struct aim {
	const char *name, *path;
	const char *value;
};

extern const struct aim aim_superblock, aim_first_superblock, aim_quiet_shift, aim_quiet_rebuild,
	aim_checkpoint, aim_unmarking, aim_evict, aim_silence, aim_read_only, aim_tidying,
	aim_larger;
/* @fails_seen: members failed until that was known; @metadata_at: a sector of each disk */
extern u64 fails_seen, metadata_at;
/*
 * @fell_silent: the writers did; @trap_set: the cut comes with a write of metadata, maybe at once
 */
extern bool fell_silent, trap_set;

void aims_init(void);
const struct aim *choose_aim(struct rng *rng);
/* Returns when the power is to go. */
void await_cut(struct rng *rng, const struct aim *aim);
/* Have all members return, beside the load: they must become whole. */
void mend_beside(void);
void mend_before_cut(struct rng *rng);
/* What the array is about, just before. */
void note_moment(void);

/*
 * The power goes with a write of a superblock, the one of the next @most that chance tells; with
 * the @nth write of intents, of the map, or of the slot map. await_trap - until it has, or nothing
 * makes it do so; await_trap_or - until it has, or the work that should trigger it is over.
 */
void trap_super(struct rng *rng, unsigned int most);
void trap_intents(struct rng *rng, unsigned int nth);
void trap_map(struct rng *rng, unsigned int nth);
void trap_slots(struct rng *rng, unsigned int nth);
/* With the @nth write to the write log, of any member; to its summaries. */
void trap_log(struct rng *rng, unsigned int nth);
void trap_summaries(struct rng *rng, unsigned int nth);
void trap_first_superblock(struct rng *rng);
void await_trap(void);
void await_trap_or(bool (*over)(void));

/* Cut the power of all disks. */
void cut(struct rng *rng);
/*
 * A member fails. Returns before, while or after that is noticed and stored; or as soon as
 * writes are acknowledged that the member may have missed.
 */
void await_failure(struct rng *rng, enum occasion occasion);

/* ---- write_log.c ---- */

/* May cuts be aimed at the log now? */
bool wlog_may(void);
/* The kind of this name, or what has to come before it; NULL: none, or not of this array. */
const struct aim *wlog_asked(const char *name);
/* In turns. */
const struct aim *wlog_aim(void);
bool wlog_is(const struct aim *aim);
/* Is a member to be missing at the starts after it? */
bool wlog_leaves_out(const struct aim *aim);
/* Before the round, when its load begins, and until the power is to go. */
void wlog_prepare(struct rng *rng, const struct aim *aim);
void wlog_begin_load(struct rng *rng, const struct aim *aim);
void wlog_await(struct rng *rng, const struct aim *aim);
/* What there is in the log, just before. */
void wlog_moment(void);
void wlog_replay_cuts(struct rng *rng, const struct aim *aim);
/* For testing the verifier: the disks lose their log. */
void wlog_wipe(void);
/* Where it lies on each disk; of what meta_snapshot() has kept. */
void wlog_area(u64 *first, u64 *end);
/* The same of its summaries; false if it has none. */
bool wlog_summaries(u64 *first, u64 *end);
/* The array has started: count what its kernel log says of summaries. */
void wlog_started(void);

/* ---- evict.c ---- */

/* With --share: record from now on what happens to slots. */
void evict_watch(void);
/* Add it to the counters: at the beginning of a round; just before the cut. */
void evict_count(void);
void evict_moment(void);
/* Is a round possible that cuts while slots are evicted? */
bool evict_may(void);
void evict_round(struct rng *rng);
/* One whose miss comes while the array is tidied? It takes a minute: in simulated time. */
bool tidy_may(void);
void tidy_round(struct rng *rng);

/* ---- torture.c ---- */

/* All members are there, and nothing is synced. */
void be_whole(void);
/* The round begins; nothing has been written in it yet. */
void begin_round(void);
/* Stop and start the array: afterwards no intent is left, and no run is hot. */
void array_restart(void);
/* A sector of a disk that nobody uses. */
void disk_sector(unsigned int d, u64 at, void *data, bool write);
extern unsigned int round_number;
extern bool wide;	/* a life with many zones, of which few are in use */

#endif
