/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metadata on the members: store.c maintains it while the array runs, and meta.c reads and
 * writes. All functions sleep unless stated otherwise.
 */
#ifndef RAID_PAR_STORE_H
#define RAID_PAR_STORE_H

#include "core/slots.h"
#include "pure/ranges.h"
#include "pure/store-plan.h"

#define PAR_WAKE_TRIES	5U	/* attempts to write to a member that is waking up */
#define PAR_WAKE_PAUSE	200U	/* ms between them */

struct par_scan;

/* Lost blocks of a member's region in a set: see lost.c. */
struct par_lost_range {
	u64 sector;
	u32 sectors;
	u8 set, member;
};

/**
 * struct par_lost - blocks of which no copy has the content: lost.c
 * @lock: taken by readers; changes are made under the store's mutex as well
 * @due: the stored list differs; @told: the stored superblock says that the list is not
 *	empty
 */
struct par_lost {
	spinlock_t lock;	/* see above */
	struct par_lost_range range[PAR_LOST_MAX];
	unsigned int count;
	bool due, told;
	struct par_map_block block;
};

/**
 * struct par_told - what the stored superblock says, for the code that relies on it
 * @failed: members that are failed in all of their sets
 * @absent: by set: members that are failed in it
 * @resynced: sets that are in sync, a bit each
 * @recovering, @recovered, @resync: by set: see struct par_set_record
 *
 * Changes under conf->store->mutex; read anywhere.
 */
struct par_told {
	u32 failed, absent[PAR_MAX_SETS + 1], resynced;
	u32 recovering[PAR_MAX_SETS + 1];
	u64 recovered[PAR_MAX_SETS + 1], resync[PAR_MAX_SETS + 1];
};

/* struct par_unvouched - @members: a bit each; @log: those of them that have a part in the log */
struct par_unvouched {
	u32 members, log;
};

/*
 * struct par_doubts - @ranges: of the array, to be reported as in doubt: doubt.c. The others, at
 * assembly only, are numbers of blocks that have been reported: @used by force, @lost on all
 * members, @imaged: map blocks whose images may be old, @twice: slot map blocks with runs that have
 * two slots
 */
struct par_doubts {
	struct par_ranges ranges;
	u32 used, lost, imaged, twice;
};

/*
 * struct par_notes - members, a bit each, and @doubts, under @mutex of struct par_store
 * @missed: those whose absence is recorded in marks: see par_note_missed()
 * @birth_due: those that lack the birth record of the array: see birth.c
 * @scan: while metadata is loaded: see scan.c
 */
struct par_notes {
	u32 missed, birth_due;
	struct par_scan *scan;
	struct par_doubts doubts;
};

/**
 * struct par_store - of an array
 * @mutex: one writer of metadata at a time
 * @identity: by which load.c recognizes a superblock of this array
 * @super: in memory. Its records of power, of the policy and of scrubs are written by these
 *	layers, under @power_lock or @mutex, and those of the sets by their children, under
 *	the lock of each
 * @read_super: superblocks that load.c reads, and the first of them the snapshot that super.c
 *	stores: too large for a stack
 * @start: PAR_ASKS_FORCE, PAR_ASKS_RESCUE or 0
 * @super_due: nothing has been stored since the start
 * @intents_differ: among the members that were current
 * @current_members: members whose superblocks are current; those that never sleep receive blocks
 * @joining: members that never sleep, and lack blocks: they are given all of them. Each superblock
 *	calls them failed
 * @blocks_torn: since the start: see begin_use()
 * @whole: members that are whole according to the last superblock that was stored on them
 * @unvouched: members without a valid superblock: see load.c
 * @intents: as stored, a byte per zone
 * @wanted: zones whose intent is asked for; @taken, @idle, @marked: zones being worked on
 * @todo: map blocks to be stored
 * @pages, @intent_pages, @super_page: under @mutex
 * @slots: of the superblocks
 * @old_seq: the version of a stale member, or 0
 * @waiting: requests that wait for an intent; @supers: children's superblocks to be stored;
 *	@recording: flushes that found a member failed; @healed: writes to lost blocks that
 *	have succeeded: all under the queue's lock
 * @bios: a pool for which all users may wait
 * @power_lock: rations and counts in super.power; super.policy
 * @power_counts: how often these have changed; under @power_lock
 * @power_counts_kept: @power_counts at the last stored superblock; under @mutex
 */
struct par_store {
	struct par_conf *conf;
	struct mutex mutex;	/* see above */
	struct par_identity identity;
	struct par_super super, read_super[2];
	unsigned int start;
	u64 block_seq;
	bool super_due, intents_differ, blocks_torn;
	u32 current_members, joining, whole;
	struct par_notes notes;
	struct par_unvouched unvouched;
	struct par_told told;
	u8 *intents;
	struct par_map_block *intent_block;
	unsigned long *wanted, *taken, *idle, *marked, *todo;
	struct page *pages[PAR_STORE_BATCH], *intent_pages[PAR_STORE_BATCH],
		    *super_page[PAR_MAX_MEMBERS];
	struct par_slots slots;
	u64 old_seq[PAR_MAX_MEMBERS];
	struct work_struct work;
	struct bio_list waiting, supers, recording, healed;
	struct bio_set bios;
	u64 writes;
	struct par_lost lost;
	spinlock_t power_lock;	/* see above */
	u64 power_counts, power_counts_kept;
};

/**
 * struct par_meta_io - several reads or writes of metadata that are waited for together
 * @failed: members that returned an error
 */
struct par_meta_io {
	struct par_conf *conf;
	atomic_t left;
	struct completion done;
	unsigned long failed;	/* members */
	struct par_meta_leg {
		struct par_meta_io *io;
		unsigned int d;
	} leg[PAR_MAX_MEMBERS];
};

/* ---- meta.c ---- */

/* par_flush_members - flush the caches of the members in @which and wait; sleeps */
int par_flush_members(struct par_conf *conf, u32 which);

/*
 * par_meta_begin - begin a group of requests; par_meta_submit - add a request: @sector of
 * member @d's data area, a page or none; par_meta_wait - wait for all requests; returns the
 * members that failed; par_meta_end - the same, and report these members to md
 */
void par_meta_begin(struct par_meta_io *io, struct par_conf *conf);
void par_meta_submit(struct par_meta_io *io, unsigned int d, u64 sector,
		     struct page *page, blk_opf_t opf);
u32 par_meta_wait(struct par_meta_io *io);
u32 par_meta_end(struct par_meta_io *io);

/* struct par_sealed - a page has been sealed as @block, for the slot at @sector */
struct par_sealed {
	u64 sector;
	struct par_map_block *block;
};

/*
 * par_blocks_write - write @count blocks to their places on all members that never sleep, and to
 * both places on those that are joining. A member that returns an error is failed; the function
 * returns an error only if no member is left. conf->store->mutex held.
 * par_meta_write_waking - write a page to member @d, which is waking up: a disk may return a
 * few errors before it is ready, so the member is failed only if the errors persist
 */
int par_blocks_write(struct par_conf *conf, const struct par_sealed *sealed, struct page **pages,
		     unsigned int count);
int par_meta_write_waking(struct par_conf *conf, unsigned int d, u64 sector, struct page *page);

/* par_meta_read - 4 KiB of member @d's metadata; false after an error */
bool par_meta_read(struct par_conf *conf, unsigned int d, u64 sector,
		   struct page *page);

/* ---- intent.c ---- */

/*
 * par_store_lacks - record in the superblock in memory that member @d is whole in no set.
 * With conf->store->mutex held.
 */
void par_store_lacks(struct par_conf *conf, unsigned int d);

/* par_zones_marked - the number of zones with the mark @mark (PAR_INTENT_…); any context */
u32 par_zones_marked(struct par_conf *conf, u8 mark);

/*
 * par_store_intents - set the intent of every zone in @zones to @gear and store the bytes
 * par_clear_marks - remove a mark from all zones from @zone to @end, and store that
 * par_seal - seal a page for the slot that does not hold the newest version of the block.
 * With conf->store->mutex held, all.
 */
int par_store_intents(struct par_conf *conf, const unsigned long *zones, unsigned int gear);
int par_clear_marks(struct par_conf *conf, u32 zone, u32 end, u8 mark);
struct par_sealed par_seal(struct par_conf *conf, struct page *page, enum par_block_kind kind,
			   u32 index, struct par_map_block *block);

/*
 * par_lost_members - members that are missing or have failed, including those whose failure
 * only a set knows of yet; any context
 * par_missing_members - members that are missing from the array or from a set, or that are not yet
 * rebuilt in one; conf->store->mutex held
 * par_note_missed - mark the zones in which missing members lack writes, and store the
 * marks; conf->store->mutex held
 * par_missed_trim - forget that marks were stored for members that are whole again;
 * conf->store->mutex held
 */
u32 par_lost_members(struct par_conf *conf);
u32 par_missing_members(struct par_conf *conf);
int par_note_missed(struct par_conf *conf);
void par_missed_trim(struct par_conf *conf);

/*
 * par_write_lost_list - store the list of lost blocks on the current members, and record in
 * the superblock in memory whether it is empty; conf->store->mutex held
 */
int par_write_lost_list(struct par_conf *conf);

/* par_mark_block - the map block of @zone must be stored or loaded */
void par_mark_block(struct par_conf *conf, u32 zone);

/* ---- lost.c ---- */

/*
 * par_lost_listed - is any of these blocks lost? par_lost_row - is any block of a row lost?
 * Any context.
 *
 * par_lost_sectors - how many are lost; any context.
 *
 * par_lost_add, par_lost_remove - with conf->store->mutex held; false if the list has no
 * room for the change.
 */
bool par_lost_listed(struct par_vmember *vm, u64 sector, unsigned int sectors);
static inline bool par_lost(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	return unlikely(READ_ONCE(vm->lost)) && par_lost_listed(vm, sector, sectors);
}

bool par_lost_row(struct par_set *set, u64 row);
u64 par_lost_sectors(struct par_conf *conf);
bool par_lost_add(struct par_vmember *vm, u64 sector, unsigned int sectors);
bool par_lost_remove(struct par_vmember *vm, u64 sector, unsigned int sectors);

/*
 * par_lost_pack, par_lost_unpack - convert the list from and to its stored form; at
 * assembly, or with conf->store->mutex held. -EUCLEAN if the stored list is invalid.
 */
void par_lost_pack(struct par_conf *conf, struct par_disk_lost *raw);
int par_lost_unpack(struct par_conf *conf, const struct par_disk_lost *raw);

void par_lost_init(struct par_conf *conf);

/* ---- bad.c ---- */

/* par_bad_block - make raid5 treat this block of a member in sync as unreadable; any context */
void par_bad_block(struct par_vmember *vm, u64 sector, unsigned int sectors);

/*
 * par_bad_collect - handle the blocks that raid5 lists as bad: on members being rebuilt
 * they are lost; a disk that did not accept a write has failed. With conf->store->mutex
 * held, before the superblock is stored for which raid5 waits.
 */
void par_bad_collect(struct par_conf *conf);

/* ---- slot-store.c ---- */

/*
 * par_slots_store - store the marked blocks of the slot maps as they are now, on the current
 * members; with conf->store->mutex held
 * par_store_slots - the same, after what par_store_begin() does. Sleeps.
 * par_slots_mark, par_slots_mark_all - mark the block of slot @slot of band @band, or all that
 * have been stored; par_slots_drop_marks - none of them. With conf->store->mutex held, or by the
 * one who gives and evicts.
 * par_slots_load - take the block's payload over into the map; at assembly. @doubtful: see
 * par_slot_map_load(). -EUCLEAN if it has impossible values, -EEXIST if runs have two slots; in a
 * rescue all blocks are stored again then.
 * par_slots_loaded - all blocks have been loaded: see par_slot_map_loaded(), and
 * par_slot_cache_loaded()
 */
int par_slots_store(struct par_conf *conf);
int par_store_slots(struct par_conf *conf);
void par_slots_mark(struct par_conf *conf, unsigned int band, u32 slot);
void par_slots_mark_all(struct par_conf *conf);
int par_slots_load(struct par_conf *conf, u32 block, const struct par_disk_slots *raw,
		   bool doubtful);
void par_slots_loaded(struct par_conf *conf);

/* ---- super.c ---- */

/*
 * par_whole_members - members that are whole in every set according to the superblock in
 * memory; with conf->store->mutex held, or at assembly
 */
u32 par_whole_members(const struct par_conf *conf);

/*
 * par_write_super - store the superblock on @members; each gets its own copy. A member that
 * was whole and has failed is left out, even if its disk still accepts writes (after a read
 * error, for example): it may be needed again in the state in which it left, see
 * par_load_left().
 * par_store_all_intents - store conf->store->intents on the current members. With
 * conf->store->mutex held, both. They return an error only if no member can be written.
 */
int par_write_super(struct par_conf *conf, u32 members);
#if IS_ENABLED(CONFIG_KUNIT)
/* Steps of it and of the store's work, for tests/snapshot_kunit.c. */
void par_take_flushes(struct par_conf *conf);
int par_pack_and_flush(struct par_conf *conf, u32 members, struct par_told *told);
void par_leave_log(struct par_conf *conf, u32 failed);
#endif
int par_store_all_intents(struct par_conf *conf);

/*
 * par_flush_awake - flush every member that may hold unflushed data: all that are awake,
 * whether current or not. conf->store->mutex held, so that the gear does not change.
 */
int par_flush_awake(struct par_conf *conf);

/* ---- doubt.c ---- */

/*
 * par_doubt_range - these sectors of the array are in doubt
 * par_doubt_zones - the content of rows of @set in zones with @mark, or that of their images,
 * cannot be trusted; the members in @lost are lost
 * par_doubt_report - report all of these ranges, and forget them: adjacent ones as one, and if
 * there are too many, also those that are closest together. conf->store->mutex held, or at
 * assembly, all three.
 */
void par_doubt_range(struct par_conf *conf, u64 first, u64 end);
void par_doubt_zones(struct par_set *set, u8 mark, u32 lost);
void par_doubt_report(struct par_conf *conf);

/*
 * par_doubt_unresynced - @set has lost members and has not been resynced since a crash:
 * report the ranges in doubt. conf->store->mutex held.
 */
void par_doubt_unresynced(struct par_set *set);

/*
 * par_forget_images - @set works without the sleepers in @lost from now on: do not call any
 * of their segments valid in images where that is not certain. conf->store->mutex held; the
 * map must be stored before a write that depends on it is acknowledged, and before the
 * zones' marks are cleared.
 */
void par_forget_images(struct par_set *set, u32 lost);

/* ---- store.c ---- */

int par_store_init(struct par_conf *conf);
void par_store_exit(struct par_conf *conf);

/*
 * par_birth_store - write the birth record to those of @members that lack it. They have a stored
 * superblock of the same shape. An error is logged, and the record stays due for that member.
 * conf->store->mutex held; sleeps
 */
void par_birth_store(struct par_conf *conf, u32 members);

/* par_store_child - a child writes its superblock: store ours instead */
void par_store_child(struct par_conf *conf, struct bio *bio);

/*
 * par_store_join - member @d is present, and whole in no set; if it @rejoins, it lacks only
 * writes since it left.
 * par_store_drop - the member is being removed, and is not current any more. With the
 * store's mutex held, both.
 */
void par_store_join(struct par_conf *conf, unsigned int d, bool rejoins);
void par_store_drop(struct par_conf *conf, unsigned int d);

/*
 * par_note_begin - a child is about to run, and its absent members are known
 * par_note_back - member @d is present again: if raid5 works without it, that is a new
 * failure
 */
void par_note_begin(struct par_set *set, bool unresynced);
void par_note_back(struct par_set *set, unsigned int d);

/* par_store_want - ask for @zone's intent; any process context, never waits */
void par_store_want(struct par_conf *conf, u32 zone);

/*
 * par_store_checkpoint - flush the members, store all of the map that differs and clear all
 * intents; with @clean, record that the array was properly stopped. All sets must be quiet.
 * Sleeps. Returns 0, or the error if no member could be written.
 */
int par_store_checkpoint(struct par_conf *conf, bool clean);

/* par_store_zones - store the map of zones with must_store set; sleeps */
int par_store_zones(struct par_conf *conf);

/* par_store_map - store all of the map that differs from what is stored; sleeps */
int par_store_map(struct par_conf *conf);

/*
 * par_store_gear - @gear is the current one from now on, for members @awake. A read-only array
 * changes its gear in memory only, until its first use. Sleeps.
 */
int par_store_gear(struct par_conf *conf, unsigned int gear, u32 awake);

/*
 * par_store_whole - the array is whole again: forget which writes members had missed while
 * they were away. Sleeps.
 */
int par_store_whole(struct par_conf *conf);

/*
 * par_store_log - flush, then store: all before @log->tail is at home, all before @log->stable is
 * in the log, the next records are of @log->run, and @log->lost is lost. @log->absent is not used:
 * if the log is @empty, all whole members have a part in it again. Sleeps.
 * par_store_log_left - the same of an empty log, of which @log->left units are not used from
 *	now on
 * par_store_log_flushed - all before @stable is in the log: flush, and enter it in the next
 * superblock
 */
int par_store_log(struct par_conf *conf, const struct par_log_record *log, bool empty);
int par_store_log_left(struct par_conf *conf, const struct par_log_record *log);
int par_store_log_flushed(struct par_conf *conf, u64 stable);

/*
 * par_store_flush - flush the awake members; a member that is lost by then is stored as failed, so
 * that what is stored next may rely on the flush. Sleeps. -EIO: the array has lost too many.
 */
int par_store_flush(struct par_conf *conf);

/* par_store_look - queue the store's work, in case it has something to do; any context */
void par_store_look(struct par_conf *conf);

/* par_store_drain - wait for the present work of the store; the sets are quiet */
void par_store_drain(struct par_conf *conf);

/*
 * par_store_clear_idle - store and clear the zones of conf->store->idle, except those that
 * are wanted again. These zones admit no write, and their writes have ended. Sleeps.
 */
void par_store_clear_idle(struct par_conf *conf);

/*
 * par_store_begin - to be called before copies are written to members directly, without an
 * intent: make all awake members current, and have the stored superblock say that the array
 * is in use. Sleeps. Returns 0, or the error if no member could be written.
 */
int par_store_begin(struct par_conf *conf);

/*
 * par_store_renew - give the members that are joining all blocks, from memory, in pieces between
 * which the array can be used. Before a set rebuilds them. Sleeps. Returns 0, or the error if no
 * member could be written.
 */
int par_store_renew(struct par_conf *conf);

/* par_store_super - store the superblock alone, with settings and rations; sleeps */
int par_store_super(struct par_conf *conf);

/* par_store_history - the same, unless the array is at rest or read-only, or is about to be */
void par_store_history(struct par_conf *conf);

/*
 * par_store_lost - store the list of lost blocks if the stored one differs; with
 * conf->store->mutex held. Does nothing in a read-only array.
 *
 * par_store_lose - add these blocks of @vm to the list of lost blocks, and store it.
 * Sleeps. Returns -ENOSPC if the list is full.
 *
 * par_store_healed - a write to lost blocks has succeeded: complete it once the blocks are
 * not stored as lost any more. Any context.
 */
int par_store_lost(struct par_conf *conf);
int par_store_lose(struct par_vmember *vm, u64 sector, unsigned int sectors);
void par_store_healed(struct par_conf *conf, struct bio *bio);

/*
 * par_failures_unrecorded - has a member failed without being failed in the stored
 * superblock? Any context. par_store_failures - have such failures stored, and then
 * conf->up.recorded() called for @flush; any context.
 */
bool par_failures_unrecorded(struct par_conf *conf);
void par_store_failures(struct par_conf *conf, struct bio *flush);

/* par_steady_members - members that never sleep */
static inline u32 par_steady_members(const struct par_conf *conf)
{
	return BIT(conf->geo.set[1].members) - 1;
}

/* The caller holds the store's mutex, or assembles the array, when there is no other user. */
static inline void par_store_assert(const struct par_conf *conf)
{
	lockdep_assert(!conf->mddev->private || lockdep_is_held(&conf->store->mutex));
}

/* par_store_count - a part of super.power has been counted up; under the power_lock */
static inline void par_store_count(struct par_conf *conf)
{
	lockdep_assert_held(&conf->store->power_lock);
	conf->store->power_counts++;
}

#endif
