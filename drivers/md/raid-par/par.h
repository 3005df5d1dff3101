/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raid-par: the structures all files share, and who may touch what when.
 *
 * The flow of a request:
 *
 *   md0 ── personality.c ── home set (child.c: md's raid5 over virtual members)
 *                              │ raid5 sends stripe and chunk requests to
 *                              ▼
 *                           virtual member (route.c) asks the map (map.c):
 *                              unwritten → zeros, or start the row (row.c)
 *                              home copy → the real disk
 *                              image     → the gear set's queue → gear set
 *
 * Lock order, outermost first:
 *   parent's reconfig_mutex → conf->gate → children's reconfig_mutex
 *   → conf->copy_mutex → conf->gear_mutex → conf->store_mutex → zone lock
 *   → conf->row_lock → bucket lock → conf->queue_lock
 * conf->power_lock is taken below conf->store_mutex and conf->monitor.lock, each of
 * them with nothing else below it. No
 * lock is held while a disk is waited for that is being started.
 * Zone locks and conf->row_lock are taken in process context only; bucket
 * locks and conf->queue_lock also by completions, hence with irqsave.
 *
 * What must never happen, and where it is kept:
 *   - wait for I/O in submit context: route.c and row.c only queue;
 *     store.c, shift.c and propagate.c wait, in threads and works of ours.
 *   - send anything to a sleeper: par_route() in route.c decides by the
 *     gear, and store.c writes to conf->current_members only. power.c stops
 *     the device after that, and starts it before the gear changes.
 *   - let a copy run ahead of the stored map: par_zone_admits() in zone.h.
 */
#ifndef RAID_PAR_H
#define RAID_PAR_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include "md.h"
#include "approach.h"
#include "geometry.h"
#include "states.h"
#include "format.h"
#include "monitor.h"
#include "power.h"
#include "runs.h"
#include "zone.h"

#define PAR_BUCKETS	256U	/* segment locks of a set, hashed */
#define PAR_ROW_HASH	256U	/* rows being started or discarded, hashed */
#define PAR_ZONE_LOCKS	64U
#define PAR_TIDY	(30 * HZ)	/* intents that no write has needed for so long go */
#define PAR_STORE_BATCH	32U	/* blocks snapshot, flushed for and written at once */
#define PAR_REFRESH_BATCH 256U	/* blocks read for members that are behind, at once */
#define PAR_WAKE_TRIES	5U	/* a member that wakes up may err so often */
#define PAR_WAKE_PAUSE	200U	/* ms between them */
#define PAR_UNREAD	8U	/* blocks whose failed last try is remembered */
#define PAR_MAX_BIO	(255 * 8)	/* raid5 tracks 256 stripes a request */

struct par_conf;
struct par_set;
struct par_row;
struct par_refresh;

/**
 * struct par_member - one of the N disks
 * @rdev: the parent's; NULL while none is in this place. Changes only with
 *	all sets drained and the parent's reconfig_mutex held.
 * @redirected: requests answered from the image instead
 */
struct par_member {
	struct par_conf *conf;
	unsigned int index;
	struct md_rdev *rdev;
	atomic64_t redirected;
	struct par_power power;
	struct kobject kobj;
	struct completion kobj_gone;
	bool kobj_added;
};

/**
 * struct par_vmember - a member as one of its sets sees it
 * @disk: never added to the system: it only carries requests to route.c
 * @runs: on each CPU: of reads, and of writes
 * @rdev: the child's; @listed: it is among the child's disks
 * @segs: of a sleeper: how many segments are in each state
 */
struct par_vmember {
	struct par_set *set;
	struct par_member *member;
	unsigned int index;
	struct gendisk *disk;
	struct par_runs __percpu *runs;
	struct md_rdev rdev;
	bool listed;
	unsigned int lost;	/* ranges of conf->lost, under conf->lost_lock */
	u64 unread[PAR_UNREAD];	/* blocks that could not be read at the last try, by hash */
	atomic64_t segs[PAR_SEG_STATES];
};

/* par_bucket - the segments that hash here: who writes, who waits */
struct par_bucket {
	spinlock_t lock;	/* all of this */
	unsigned int writers;
	bool locked;
	struct bio_list waiters;
};

/**
 * struct par_set_ops - how a set is run; what the gears know of it
 * @submit: take a request; may sleep, never waits for its I/O
 * @quiesce: true: let no new request begin and wait until none is left
 * @fail: a member of the set is not to be used any more; any context
 * @failed: more members have failed than the set has parities
 * @holds: may the set still send requests to a failed member?
 * @remove: forget a failed member that is no longer held; sleeps
 * @add: take a member in, to be rebuilt when the follower says so; sleeps
 * @whole: is the member's content complete?
 */
struct par_set_ops {
	int (*create)(struct par_set *set);
	void (*destroy)(struct par_set *set);
	void (*submit)(struct par_set *set, struct bio *bio);
	void (*quiesce)(struct par_set *set, bool on);
	void (*fail)(struct par_set *set, unsigned int index);
	bool (*failed)(struct par_set *set);
	bool (*holds)(struct par_set *set, unsigned int index);
	void (*remove)(struct par_set *set, unsigned int index);
	int (*add)(struct par_set *set, unsigned int index);
	bool (*whole)(struct par_set *set, unsigned int index);
};

extern const struct par_set_ops par_child_ops;	/* RAID-5, RAID-6: child.c */
extern const struct par_set_ops par_stripe_ops;	/* RAID-0: stripe.c */

/**
 * struct par_set - the home set or a gear set
 * @number: its gear
 * @front: the disk that requests to this set name as theirs (gear sets)
 * @mddev: the child, for RAID-5 and RAID-6
 * @redirects: requests from virtual members above, for @redirect_work
 * @dispatch: requests to virtual members, to be routed again
 * @starved: those that wait for a struct par_row
 * @gathering: rows being started, under row_lock; @filled, @landed: those whose zeros,
 *	or whose first writes, have ended, under queue_lock
 *
 * When memory is short, requests wait for what others of their set hold, and
 * those for a lower set, which is where images are. So all that one may wait for
 * is of a set alone, pools and workers both: if a lower set's requests had to
 * wait for what this one's hold, none would ever end.
 * @tracking: home copies are being copied, by so many: count the writes to them
 * @rows: rows being started or discarded, under conf->row_lock
 */
struct par_set {
	struct par_conf *conf;
	unsigned int number;
	const struct par_set_geometry *sg;
	const struct par_set_ops *ops;
	struct gendisk *front;

	struct mddev mddev;
	/* raid5 as md sees it here, with some of its methods ours: see child.c */
	struct md_personality pers;
	struct md_personality *raid5;
	unsigned long absent;	/* members that raid5 does without, a bit each */
	unsigned long let_go;	/* members that raid5 has let go of, as md does soon */
	bool mddev_inited, running;
	/* RAID-0 only */
	struct bio_set stripe_bios, chunk_bios;
	atomic_t in_flight;
	bool quiesced, broken;
	wait_queue_head_t quiet;

	struct bio_list redirects;	/* under conf->queue_lock */
	struct work_struct redirect_work;
	struct workqueue_struct *redirect_wq;
	struct bio_list unkept;		/* writes that no image has taken, under conf->queue_lock */
	struct work_struct unkept_work;

	struct bio_set splits, clones, fills, firsts;
	struct bio_list dispatch, starved;	/* under conf->queue_lock */
	struct work_struct dispatch_work;
	mempool_t row_pool;
	struct list_head gathering, filled, landed;
	struct work_struct row_work;
	struct hrtimer row_timer;
	ktime_t rows_due;	/* when it goes off at the latest, under row_lock */
	struct workqueue_struct *wq;	/* of these two works */

	atomic_t tracking;
	u64 fix_first, fix_end;	/* rows that par_resync_fix() is at, or none */
	bool fixed;		/* and has been through */
	u64 scrub_began, scrub_to;	/* of a check that may become a whole one: scrub.c */
	bool read_through;		/* the child has read what it was asked to */
	bool restoring;		/* one of @tracking: a sleeper is being rebuilt */
	bool unresynced;	/* since a crash; under store_mutex once it runs */
	unsigned long known_absent;	/* of @absent: the store has seen to them */
	struct par_bucket bucket[PAR_BUCKETS];

	struct hlist_head rows[PAR_ROW_HASH];

	atomic64_t rows_written;
	struct par_vmember vm[PAR_MAX_MEMBERS];
};

/* A map block: an allocated payload, or NULL while all of it is unwritten. */
struct par_map_block {
	u8 *payload;
	u8 slot;	/* where the newest stored version is: 0 or 1 */
	u64 seq;	/* its sequence number */
};

/* Lost blocks of a member's region in a set: see lost.c. */
struct par_lost_range {
	u64 sector;
	u32 sectors;
	u8 set, member;
};

enum par_shift_state {
	PAR_SHIFT_IDLE,
	PAR_SHIFT_UP,		/* waking members */
	PAR_SHIFT_DOWN,		/* propagating to the images */
	PAR_SHIFT_PROPAGATE,	/* in a gear, propagating to the home copies */
};

/**
 * struct par_told - what the stored superblock says, as others go by it
 * @failed: members that are failed in all of their sets
 * @absent: by set: members that are failed in it
 * @resynced: sets, a bit each, that are in sync
 * @recovering, @recovered, @resync: by set: see struct par_set_record
 *
 * Changes under conf->store_mutex; read anywhere.
 */
struct par_told {
	u32 failed, absent[PAR_MAX_SETS + 1], resynced;
	u32 recovering[PAR_MAX_SETS + 1];
	u64 recovered[PAR_MAX_SETS + 1], resync[PAR_MAX_SETS + 1];
};

/**
 * struct par_conf - one array
 * @gear: current gear, 1 … gears; members below set[gear].members are awake
 * @current_members: members whose metadata is current and that are written
 * @gate: who may quiesce sets or shift down
 * @quiesced: how many have asked for quiet by par_gate_quiesce(), under @gate
 */
struct par_conf {
	struct mddev *mddev;
	bool writable;			/* the sets know that the array is */
	struct par_geometry geo;
	struct par_member member[PAR_MAX_MEMBERS];
	struct par_set *set[PAR_MAX_SETS + 1];
	unsigned int gear;
	unsigned int start;		/* PAR_ASKS_FORCE, PAR_ASKS_RESCUE or 0 */
	u32 resync_zones;		/* par_resync_left() at the start */

	/* What the sets have others do: set before there are any. */
	work_func_t unkept_work;	/* of each: see unkept.c */
	/* The sync thread of a child calls this in place of raid5's own: see resync.c. */
	sector_t (*child_sync_request)(struct mddev *child, sector_t sector,
				       sector_t max_sector, int *skipped);

	/* map.c */
	struct par_map_block *block;
	struct par_zone *zone;
	spinlock_t zone_lock[PAR_ZONE_LOCKS];	/* zones and their map, hashed */

	/* store.c */
	struct mutex store_mutex;	/* one writer of metadata at a time */
	struct par_identity identity;	/* by which load.c knows a superblock */
	struct par_super super;
	struct par_super read_super[2];	/* what load.c looks at, too large for a stack */
	u64 block_seq;
	bool super_due;			/* nothing stored yet since the start */
	bool intents_differ;		/* among the members that were current */
	u32 current_members;
	bool blocks_torn;		/* since the start: see begin_use() */
	struct par_told told;
	u32 whole;			/* so says what was stored on them last */
	u32 unvouched;			/* no superblock of theirs was valid: see load.c */
	u8 *intents;			/* as stored, a byte a zone */
	struct par_map_block *intent_block;
	unsigned long *wanted;		/* zones whose intent is asked for */
	unsigned long *taken, *idle, *marked;	/* zones being worked on */
	u32 missed_noted;		/* members: see note_missed() */
	unsigned long *todo;		/* map blocks to be stored */
	/* under store_mutex */
	struct page *store_pages[PAR_STORE_BATCH], *intent_pages[PAR_STORE_BATCH],
		    *super_page[PAR_MAX_MEMBERS];
	struct par_refresh *refresh;
	u64 member_seq[PAR_MAX_MEMBERS];	/* its blocks are this new */
	u64 old_seq[PAR_MAX_MEMBERS];	/* of those that are old copies, or 0 */
	struct work_struct store_work;
	struct delayed_work tidy_work;
	/* by tidy_work only: zone to go on with, how many are closed at a time */
	u32 tidied, tidy_share;
	u64 meta_writes;

	/* lost.c: changed under store_mutex and lost_lock */
	spinlock_t lost_lock;
	struct par_lost_range lost[PAR_LOST_MAX];
	unsigned int lost_count;
	bool lost_due;			/* what is stored differs */
	bool lost_told;			/* the stored superblock says that there are some */
	struct par_map_block lost_block;
	struct delayed_work purge_work;

	/* route.c, row.c */
	spinlock_t queue_lock;		/* all lists of requests */
	struct bio_list healed;		/* writes to lost blocks, which have ended well */
	struct bio_list waiting;	/* for an intent */
	struct bio_list supers;		/* children's superblocks to be stored */
	struct bio_list recording;	/* flushes that found a member failed */
	void (*recorded)(struct par_conf *conf, struct bio *flush);	/* and go on then */
	struct bio_list missed;		/* for a member to wake */
	struct bio_list finish;		/* flushed, the rest to be sent */
	struct bio_list discards;
	struct work_struct finish_work, discard_work;
	mempool_t flush_pool;
	atomic64_t flushed, flush_ns;	/* that have ended, and what they took in all */
	struct workqueue_struct *wq, *long_wq;
	struct bio_set bios;		/* of flushes, discards and the mover */
	struct bio_set meta_bios;	/* the store's, for which all may wait */
	spinlock_t row_lock;		/* all sets' rows[], and gathering */
	atomic_t flushes[PAR_MAX_SETS + 1];	/* under way, by gear */

	/* shift.c */
	struct task_struct *mover;
	wait_queue_head_t wait;
	struct mutex gate;		/* see above */
	struct mutex gear_mutex;	/* who changes the gear */
	struct work_struct rescue_work;
	struct workqueue_struct *rescue_wq, *unkept_wq;
	unsigned int quiesced;
	unsigned int target;		/* gear wanted */
	unsigned int aim;		/* what the mover works towards */
	enum par_shift_state shift;
	bool propagation_due;
	bool moving;			/* the mover is at work */
	bool resting;			/* and is to begin nothing until roused */
	bool parked;			/* nor then */
	unsigned long unwoken;		/* jiffies when shift_error became -EHOSTDOWN */
	int shift_error;		/* of the last shift */
	u64 shift_total, shift_done;	/* segments to be and already copied */
	unsigned long shift_started;	/* jiffies */
	struct par_approach approach;	/* of a shift down that is under way */
	unsigned int hold_ms;		/* for so long it held writes at most */
	unsigned int failed_gear;	/* that a shift has failed to last, */
	u64 failures;			/* and how many have; the mover writes both */
	u64 outrun_until;		/* s: the policy asks for none before, see outrun() */
	unsigned int shift_ms;		/* what the last shift took */
	u64 shifts;
	u64 propagated_bytes;
	unsigned int put_off;		/* a gear that there are no spin-ups for, or 0 */
	unsigned long put_off_until;	/* jiffies */
	struct mutex copy_mutex;	/* @copy_pages: the mover, sync threads */
	struct page **copy_pages;

	/* power.c */
	spinlock_t power_lock;		/* rations and counts in super.power; super.policy */
	u64 power_counts;		/* so often were these counted up; under power_lock */
	u64 power_counts_kept;		/* the same of what is stored; under store_mutex */
	raw_spinlock_t why_lock;	/* below struct par_power, @lock */
	char why[PAR_CAUSE];		/* the next wake is for */
	spinlock_t clock_lock;		/* below power_lock; these two */
	u64 clock_known, clock_began;	/* seconds since 1970, and since the system's start */
	bool system_sleeps;		/* or is about to */
	bool power_ending;		/* nobody is started or stopped any more */
	struct notifier_block system_nb;

	struct par_monitor monitor;	/* monitor.c */

	/* sync.c */
	struct par_set *following;	/* the set being synced */
	u64 child_found;		/* of its mismatches, what the parent has counted */
	u32 scrub_left_out;		/* sets, a bit each, of the last one */
	int sb_owed;			/* md's superblock was not written */

	struct kobject kobj;
	struct completion kobj_gone;
	bool kobj_added;
	struct kernfs_node *sysfs_gear, *sysfs_shift;	/* poll-able files */
};

static inline struct par_set *par_home(struct par_conf *conf)
{
	return conf->set[conf->geo.gears];
}

/* par_awake - is member @d awake in gear @gear? */
static inline bool par_awake(const struct par_conf *conf, unsigned int gear,
			     unsigned int d)
{
	return par_awake_in(&conf->geo, gear, d);
}

static inline bool par_rdev_usable(const struct md_rdev *rdev)
{
	return rdev && !test_bit(Faulty, &rdev->flags);
}

/* ---- map.c: the map in memory ---- */

int par_map_alloc(struct par_conf *conf);
void par_map_free(struct par_conf *conf);

/* The zone of a row, and its lock. */
static inline u32 par_zone_of(const struct par_set *set, u64 row)
{
	return set->sg->zone_base + (u32)(row >> PAR_ZONE_SHIFT);
}

static inline spinlock_t *par_zone_lock(struct par_conf *conf, u32 zone)
{
	return &conf->zone_lock[zone % PAR_ZONE_LOCKS];
}

/*
 * par_map_written - is the row written? Lockless: true is stable unless the
 * row is being discarded, which raid5 keeps apart from other requests.
 */
bool par_map_written(struct par_set *set, u64 row);

/* par_map_get - state of member @d's segment; non-sleepers are "both" or unwritten */
enum par_seg_state par_map_get(struct par_set *set, u64 row, unsigned int d);

/* par_map_set - change one sleeper's segment in a written row; zone lock held */
void par_map_set(struct par_set *set, u64 row, unsigned int d,
		 enum par_seg_state state);

/*
 * par_map_start_row - unwritten → written, each sleeper's segment in the state
 * that gear @gear gives it. Zone lock held; its block has been prepared.
 */
void par_map_start_row(struct par_set *set, u64 row, unsigned int gear);

/* par_map_clear_row - written → unwritten; zone lock held */
void par_map_clear_row(struct par_set *set, u64 row);

/* par_map_prepare - allocate the block of a zone; may sleep, GFP_NOIO */
void par_map_prepare(struct par_conf *conf, u32 zone);

/* par_map_locked_state - par_map_get() under the zone lock */
enum par_seg_state par_map_locked_state(struct par_set *set, u64 row,
					unsigned int d);

/*
 * par_map_find - the next row ≥ @row in which the segment of one of members
 * @low … @high-1 is @state, or sg->rows. Sleeps now and then.
 */
u64 par_map_find(struct par_set *set, u64 row, unsigned int low,
		 unsigned int high, enum par_seg_state state);

/* par_map_next_written - the first written row of [@row, @end), or @end; sleeps */
u64 par_map_next_written(struct par_set *set, u64 row, u64 end);

/* par_block_set - the set that a map block belongs to */
struct par_set *par_block_set(struct par_conf *conf, u32 block);

/* par_block_zones - zones of a map block: [*first, return value) */
u32 par_block_zones(struct par_conf *conf, u32 block, u32 *first);

/* par_mark_block - the map block of @zone is to be stored or loaded */
void par_mark_block(struct par_conf *conf, u32 zone);

/*
 * par_map_after_load - apply the intents that were set when the array went
 * down (conf->intents), and count. Before any request.
 */
void par_map_after_load(struct par_conf *conf);

/* ---- store.c: the map and the superblock on the members ---- */

int par_store_init(struct par_conf *conf);
void par_store_exit(struct par_conf *conf);

/* par_store_child - a child writes its superblock: store ours instead */
void par_store_child(struct par_conf *conf, struct bio *bio);

/*
 * par_unusable - members that are missing or have failed; any context
 *
 * par_failures_unrecorded - has a member failed of which the stored superblock
 * does not say so yet? Any context. par_store_failures - then have it stored
 * before conf->recorded() is called for @flush; any context.
 */
u32 par_unusable(struct par_conf *conf);
bool par_failures_unrecorded(struct par_conf *conf);
void par_store_failures(struct par_conf *conf, struct bio *flush);

/*
 * par_store_lacks - member @d is whole in no set: in the superblock in memory.
 * With conf->store_mutex held.
 */
void par_store_lacks(struct par_conf *conf, unsigned int d);

/* par_store_want - ask for @zone's intent; any process context, never waits */
void par_store_want(struct par_conf *conf, u32 zone);

/*
 * par_store_checkpoint - flush the members, store all of the map that differs
 * and clear all intents; with @clean, call the array properly stopped. All
 * sets must be quiet. Sleeps. Returns 0, or the error if no member could be
 * written.
 */
int par_store_checkpoint(struct par_conf *conf, bool clean);

/* par_store_zones - store the map of zones with must_store set; sleeps */
int par_store_zones(struct par_conf *conf);

/* par_store_map - store all of the map that differs from what is stored; sleeps */
int par_store_map(struct par_conf *conf);

/*
 * par_store_wake - have @members answer, all at once; one that errs is asked
 * again a few times. Sleeps. Returns those that do not answer.
 */
u32 par_store_wake(struct par_conf *conf, u32 members);

/*
 * par_store_gear - @gear is the current one from now on, for members @awake.
 * Those that were not current are brought up to date first. In a read-only
 * array that is so in memory only, until its first use. Sleeps.
 */
int par_store_gear(struct par_conf *conf, unsigned int gear, u32 awake);

/*
 * par_store_whole - the array is whole again: what members had missed while
 * they were away need not be known any more. Sleeps.
 */
int par_store_whole(struct par_conf *conf);

/* par_zones_marked - how many zones carry a PAR_INTENT_ mark; any context */
u32 par_zones_marked(struct par_conf *conf, u8 mark);

/* par_store_rest - what the store is at is over; the sets are quiet */
void par_store_rest(struct par_conf *conf);

/*
 * par_store_clear_idle - store and clear the zones of conf->idle, which admit nothing any
 * more, but for those that are wanted again; their writes are over. Sleeps.
 */
void par_store_clear_idle(struct par_conf *conf);

/* ---- tidy.c ---- */

/* par_tidy_rest - what it does by itself is over; the sets are quiet */
void par_tidy_init(struct par_conf *conf);
void par_tidy_rest(struct par_conf *conf);

/*
 * par_store_begin - to be called before copies are written to members directly, not by
 * way of an intent: have all awake members current, and the stored superblock say that
 * the array is in use. Sleeps. Returns 0, or the error if no member could be written.
 */
int par_store_begin(struct par_conf *conf);

/* par_store_super - store the superblock alone, settings and rations with it; sleeps */
int par_store_super(struct par_conf *conf);

/* par_store_history - the same, unless the array is at rest, or read-only, or about to be */
void par_store_history(struct par_conf *conf);

/*
 * par_store_lost - store the list of lost blocks if what is stored differs; with
 * conf->store_mutex held. In a read-only array nothing is done.
 *
 * par_store_lose - these blocks of @vm are lost: on the list, and stored. Sleeps.
 * Returns -ENOSPC if the list is full.
 *
 * par_store_healed - a write to lost blocks has ended well: end it once they are not
 * stored as lost any more. Any context.
 */
int par_store_lost(struct par_conf *conf);
int par_store_lose(struct par_vmember *vm, u64 sector, unsigned int sectors);
void par_store_healed(struct par_conf *conf, struct bio *bio);

/* par_flush_members - flush the caches of members @which and wait; sleeps */
int par_flush_members(struct par_conf *conf, u32 which);

/* ---- load.c ---- */

/*
 * What mdadm asks for when it starts an array, through the offset that md's
 * superblock is in sync up to, which par has no other use for. Any other value
 * means nothing. --update=resync, in every mdadm: make all parity right.
 * --force: start even if a set is dirty and incomplete; --update=par-rescue: and
 * even if metadata is lost, taking each row that it told of as written and each
 * segment as "home". --create --destroy-par: make a new array though its members
 * hold another.
 */
#define PAR_ASKS_RESYNC		0
#define PAR_ASKS_FORCE		1
#define PAR_ASKS_RESCUE		2
#define PAR_ASKS_NEW		3

/* A new array may have been made so. */
static inline bool par_asks_resync(struct mddev *mddev)
{
	return par_resync_offset(mddev) == PAR_ASKS_RESYNC && mddev->events;
}

/* par_load - find the newest metadata, or make it for a new array; sleeps */
int par_load(struct par_conf *conf);

/*
 * par_load_left - does member @d have what it had when it left its place, so
 * that it lacks only what zones marked PAR_INTENT_MISSED hold? Not if another
 * has had that place since, nor if it is an older copy of what left (super.held).
 * Returns how new its metadata is, or 0; sleeps.
 */
u64 par_load_left(struct par_conf *conf, unsigned int d);

/* ---- lost.c ---- */

/*
 * par_lost - is any of these blocks lost? par_lost_row - or any of a row? Any context.
 *
 * par_lost_add, par_lost_remove - with conf->store_mutex held; false if the list has no
 * room for that.
 */
bool par_lost(struct par_vmember *vm, u64 sector, unsigned int sectors);
bool par_lost_row(struct par_set *set, u64 row);
bool par_lost_add(struct par_vmember *vm, u64 sector, unsigned int sectors);
bool par_lost_remove(struct par_vmember *vm, u64 sector, unsigned int sectors);

/*
 * par_lost_pack, par_lost_unpack - the list as stored; at assembly, or with
 * conf->store_mutex held. -EUCLEAN if it makes no sense.
 */
void par_lost_pack(struct par_conf *conf, struct par_disk_lost *raw);
int par_lost_unpack(struct par_conf *conf, const struct par_disk_lost *raw);

/* par_unkept - an image did not take this write to @vm: see lost.c; any context */
void par_unkept(struct par_vmember *vm, struct bio *bio);

/* par_bad_block - raid5 is to do without this block of a member in sync; any context */
void par_bad_block(struct par_vmember *vm, u64 sector, unsigned int sectors);

/*
 * par_bad_collect - what raid5 has called bad: on members being rebuilt it is lost; a
 * disk that has not taken a write has failed. With conf->store_mutex held, before the
 * superblock is stored for which raid5 waits.
 */
void par_bad_collect(struct par_conf *conf);

/*
 * par_bad_purge - have raid5 forget what it has called bad in @set, or in all sets (NULL),
 * once what of it is lost has been stored. The sets are quiet. Returns an errno: -EROFS in
 * a read-only array, in which nothing is done. Sleeps.
 */
int par_bad_purge(struct par_conf *conf, struct par_set *set);

void par_lost_init(struct par_conf *conf);
void par_unkept_init(struct par_conf *conf);

/* par_purge_rest - what is done by itself is over; the sets are quiet */
void par_purge_init(struct par_conf *conf);
void par_purge_rest(struct par_conf *conf);

/* ---- doubt.c ---- */

/*
 * par_doubt_stale - more members are missing or among @lacking than parity can
 * stand for, and the array is started by force: have the newest of @lacking
 * stand in as they are, as many as it takes, and tell what is in doubt then.
 * Before par_map_after_load(). Returns those members.
 */
u32 par_doubt_stale(struct par_conf *conf, u32 lacking);

/*
 * par_doubt_check - refuse to start with rows in doubt, unless that is asked
 * for. Before the sets run. Returns 0 or -EBADMSG.
 */
int par_doubt_check(struct par_conf *conf);

/*
 * par_doubt_range - these sectors of the array are in doubt
 * par_doubt_zones - tell the ranges of the array whose content nothing vouches for: rows
 * of @set in zones with @mark, or their images; @lost are lost. Marked zones that follow
 * each other are told in one piece.
 */
void par_doubt_range(struct par_conf *conf, u64 first, u64 end);
void par_doubt_zones(struct par_set *set, u8 mark, u32 lost);

/*
 * par_unite_failures - who is not whole in any set is not whole: the union of all that
 * is known. Refuses if parity cannot stand for so many. At assembly.
 */
int par_unite_failures(struct par_conf *conf);

/*
 * par_doubt_unresynced - @set has lost members and has not been resynced since a
 * crash: tell what is in doubt. store_mutex held.
 */
void par_doubt_unresynced(struct par_set *set);

/*
 * par_forget_images - @set does without the sleepers in @lost from now on: call
 * none of their segments valid in images where that is not certain. store_mutex
 * held; the map is to be stored before a write is acknowledged that depends on
 * it, and before the zones' marks are cleared.
 */
void par_forget_images(struct par_set *set, u32 lost);

/*
 * par_child_cache_empty - leave hardly anything in raid5's cache of a set; sleeps
 * until no request to the set is under way
 * par_child_cache_fill - let it be as large as it should be; sleeps
 */
void par_child_cache_empty(struct par_set *set);
void par_child_cache_fill(struct par_set *set);

/* ---- resync.c ---- */

void par_resync_init(struct par_conf *conf);

/*
 * par_resync_fix - a home copy in rows [@first, @end) cannot be read: have raid5
 * make it from the others and write it. Sleeps until that is done, or cannot be now
 * (false); the mover.
 */
bool par_resync_fix(struct par_set *set, u64 first, u64 end);

/*
 * par_can_sync - has the set something to sync, and does it run?
 * par_must_pause - is nothing to be written now? The follower or par_thread() asks again.
 */
bool par_can_sync(const struct par_set *set);
bool par_must_pause(struct par_conf *conf);

/*
 * par_child_busy - is there something to do in this child, or being done?
 * par_child_go - let it begin. Any context.
 */
bool par_child_busy(struct mddev *child);
void par_child_go(struct mddev *child);

/*
 * par_resync_left - zones that the resync after a crash has not been through;
 * any context. They stay marked until all of their set is stored as in sync.
 */
u32 par_resync_left(struct par_conf *conf);

/* par_resync_rest - md has frozen the array: sleep until no child is at a sync */
void par_resync_rest(struct par_conf *conf);

/* par_resync_resume - have the children go on with what is left to resync */
void par_resync_resume(struct par_conf *conf);

/* ---- sets.c ---- */

/* par_set_tracks - see struct par_set, @tracking */
static inline bool par_set_tracks(const struct par_set *set)
{
	return atomic_read(&set->tracking);
}

/* par_sets_alloc, par_sets_run - all sets; par_sets_destroy undoes both */
int par_sets_alloc(struct par_conf *conf);
int par_sets_run(struct par_conf *conf);
void par_sets_destroy(struct par_conf *conf);

/* par_sets_writable - may raid5 write of its own accord? Any context. */
void par_sets_writable(struct par_conf *conf, bool on);

/*
 * par_set_steady - neither degraded nor being synced. Only then is the stripe
 * cache sure to have nothing of a row whose stripes have been discarded.
 */
static inline bool par_set_steady(struct par_set *set)
{
	return !set->conf->geo.parities ||
	       (!set->mddev.degraded &&
		!test_bit(MD_RECOVERY_RUNNING, &set->mddev.recovery));
}

/* par_sets_quiesce - home first, then the gears down; the reverse to resume */
void par_sets_quiesce(struct par_conf *conf, unsigned int lowest);
void par_sets_resume(struct par_conf *conf, unsigned int lowest);

struct gendisk *par_disk_alloc(struct par_conf *conf, sector_t sectors,
			       const struct block_device_operations *fops,
			       void *data);

/* ---- route.c ---- */

/*
 * par_queue_add - put @bio on one of conf's lists; any context.
 * par_queue_take - all that is on it, for a worker; process context.
 */
void par_queue_add(struct par_conf *conf, struct bio_list *list, struct bio *bio);
void par_queue_take(struct par_conf *conf, struct bio_list *list,
		    struct bio_list *bios);

extern const struct block_device_operations par_vmember_fops;

/* par_route - send a request of a virtual member where it belongs */
void par_route(struct par_vmember *vm, struct bio *bio);

/* par_requeue - route these again, from a worker; any context */
void par_requeue(struct par_conf *conf, struct bio_list *bios);

/* par_miss - hold @bio until its member is awake, and have it woken; any context */
void par_miss(struct par_vmember *vm, struct bio *bio);

/*
 * par_to_home, par_to_image - the last step; @bio is within one segment. @bucket: of the
 * writer to count off when it ends, or NULL
 */
void par_to_home(struct par_vmember *vm, struct bio *bio);
void par_to_image(struct par_vmember *vm, struct bio *bio, struct par_bucket *bucket);

/*
 * par_to_home_tracked - the same as par_to_home(), by a clone, whose end is looked at;
 * par_write_home - a write, by a clone where its end has to be looked at. @bucket: of the
 * writer to count off when it ends, or NULL
 */
void par_to_home_tracked(struct par_vmember *vm, struct bio *bio, struct par_bucket *bucket);
void par_write_home(struct par_vmember *vm, struct bio *bio, struct par_bucket *bucket);

/*
 * par_is_last_try - does raid5 read this block by itself, since it erred before?
 * par_last_try_failed - and it has erred again; any context
 */
bool par_is_last_try(struct par_vmember *vm, struct bio *bio);
void par_last_try_failed(struct par_vmember *vm, struct bio *bio);

void par_redirect_work(struct work_struct *work);

/* par_retry_missed - the gear has changed, or cannot (@err): route what waited */
void par_retry_missed(struct par_conf *conf, int err);

/* par_clone_alloc - a request of our own for @vm; par_clone_vm - whose it is */
struct bio *par_clone_alloc(struct par_vmember *vm, blk_opf_t opf,
			    unsigned short pages);
struct par_vmember *par_clone_vm(struct bio *bio);

/* par_bio_vm - the virtual member that a request has been sent to */
struct par_vmember *par_bio_vm(struct bio *bio);

/*
 * par_clone_first - @bio is one of @row's first writes: what is to be sent for it, to the
 * disk (@home) or to be routed, so that @landed is called before @bio ends. Any process
 * context.
 */
struct bio *par_clone_first(struct par_vmember *vm, struct bio *bio, struct par_row *row,
			    void (*landed)(struct par_row *row), bool home);

/* par_members_init, par_members_exit - the queues of route.c */
int par_members_init(struct par_conf *conf);
void par_members_exit(struct par_conf *conf);
int par_members_init_set(struct par_set *set);
void par_members_exit_set(struct par_set *set);
int par_send_init_set(struct par_set *set);
void par_send_exit_set(struct par_set *set);

/*
 * par_segment_lock - no write to member @d's segment @row of @set is under way
 * and none begins until par_segment_unlock. Sleeps; one task at a time.
 * Returns false if the caller holds the bucket already.
 */
bool par_segment_lock(struct par_set *set, unsigned int d, u64 row);
void par_segment_unlock(struct par_set *set, unsigned int d, u64 row);

/* ---- row.c ---- */

/*
 * par_row_alloc - a spare for the next, or NULL when there is none; any context
 * par_row_await - have @bio routed again when there is one; no lock held
 */
struct par_row *par_row_alloc(struct par_set *set);
void par_row_free(struct par_set *set, struct par_row *row);
void par_row_await(struct par_set *set, struct bio *bio);

/*
 * par_row_write - a write to an unwritten row: gather it. Zone lock held, the
 * zone admits it in @gear. @spare is taken (and cleared) if the row is new;
 * false, and nothing done, if one is needed and there is none. @full is set to
 * the row if this write completes it: it is written from now on, and the caller
 * must par_row_release() it after unlocking.
 */
bool par_row_write(struct par_vmember *vm, u64 row, unsigned int gear,
		   struct bio *bio, struct par_row **spare,
		   struct par_row **full);
void par_row_release(struct par_row *row);

/*
 * par_row_hold_read - if some of the row's first writes have not ended, have @bio routed
 * again when all have; no lock held. Returns false, and does nothing, if they have.
 */
bool par_row_hold_read(struct par_set *set, u64 row, struct bio *bio);

/* par_row_busy - is the row being started? Zone lock held. */
bool par_row_busy(struct par_set *set, u64 row);

/* par_row_touch - a request to a written row ends its discard; zone lock held */
void par_row_touch(struct par_set *set, u64 row);

/* par_row_discard - @bio, within one segment, is discarded; no lock held */
void par_row_discard(struct par_vmember *vm, struct bio *bio, u64 row);

/* par_rows_purge - forget half-discarded rows; the set is quiet */
void par_rows_purge(struct par_set *set);
int par_rows_init(struct par_set *set);
void par_rows_exit(struct par_set *set);

/* par_segment_locked - is it being copied? Zone lock held. */
bool par_segment_locked(struct par_set *set, unsigned int d, u64 row);

/*
 * par_bucket_of - the bucket of a segment; par_bucket_get - count a writer in, or park
 * @bio (false) while the segment is being copied. Zone lock held, so that the state that
 * was read still holds. par_bucket_put - the write has ended; any context.
 */
struct par_bucket *par_bucket_of(struct par_set *set, unsigned int d, u64 row);
bool par_bucket_get(struct par_bucket *bucket, struct bio *bio);
void par_bucket_put(struct par_conf *conf, struct par_bucket *bucket);

/* ---- flush.c, discard.c ---- */

int par_flush_init(struct par_conf *conf);
void par_flush_exit(struct par_conf *conf);
void par_discard_init(struct par_conf *conf);

/*
 * par_flush_request - @bio carries PREFLUSH: flush, then go on with the rest. @waited_for:
 * by a user, so that the time that it takes counts for the policy
 */
void par_flush_request(struct par_conf *conf, struct bio *bio, bool waited_for);

/* par_flush_done - what PREFLUSH asked for is done, or bi_status says why not */
void par_flush_done(struct par_conf *conf, struct bio *bio);

/* par_discard_request - give back what @bio covers of whole rows */
void par_discard_request(struct par_conf *conf, struct bio *bio);

/* ---- shift.c, propagate.c ---- */

/* par_shift_alloc - before the sets run; par_shift_init - start the mover */
int par_shift_alloc(struct par_conf *conf);
int par_shift_init(struct par_conf *conf);

/* par_shift_exit - stop the mover; what it was doing is abandoned */
void par_shift_exit(struct par_conf *conf);

/*
 * par_shift_rest - the array is about to be stopped or turned read-only: have
 * the mover leave off, and begin nothing until par_shift_unpark(), nor after it
 * until the array is written or a shift is asked for. Sleeps until it has.
 */
void par_shift_rest(struct par_conf *conf);
void par_shift_unpark(struct par_conf *conf);

/* par_shift_rouse - there is something for the mover to do again; any context */
void par_shift_rouse(struct par_conf *conf);

/* par_shift_free - undo par_shift_alloc(); no request is left that needs a sleeper */
void par_shift_free(struct par_conf *conf);

/* par_rescue_missed - a request is on conf->missed: have the gear raised; any context */
void par_rescue_missed(struct par_conf *conf);

/* par_shift_to - ask for a gear (1 … gears); returns at once. Any context. */
void par_shift_to(struct par_conf *conf, unsigned int gear);

/* par_shift_at_least - the same, but never to a smaller gear than is wanted */
void par_shift_at_least(struct par_conf *conf, unsigned int gear);

/*
 * par_shift_from - ask for a smaller gear, unless another than @target has been asked
 * for meanwhile; any context
 */
void par_shift_from(struct par_conf *conf, unsigned int target, unsigned int gear);

/*
 * par_shift_wake - all members are needed, but by no request: ask for the top
 * gear, unless some have not woken up just now; then it is false. Any context.
 */
bool par_shift_wake(struct par_conf *conf);

/* par_shift_segments - how many a shift down to gear @gear has to copy at most */
u64 par_shift_segments(struct par_conf *conf, unsigned int gear);

/* par_shift_notify - poll(2) on gear and shift_state */
void par_shift_notify(struct par_conf *conf);

/*
 * par_gate_quiesce, par_gate_resume - let no request of the array be under
 * way, in any set. Nests. Sleeps until the end of a shift, which is short.
 */
void par_gate_quiesce(struct par_conf *conf);
void par_gate_resume(struct par_conf *conf);

/*
 * par_gate_enter - the gate for the mover, which needs some sets to go on for a while:
 * conf->gate is held, and no set is quiet. False, and not held, if the mover is to rest.
 */
bool par_gate_enter(struct par_conf *conf);

/*
 * par_mover_rests - must the mover begin nothing? par_mover_stops - and give up what it is
 * at, since the array stops or is read-only? par_is_put_off - is the shift down that is
 * wanted put off, for want of spin-ups?
 */
bool par_mover_rests(struct par_conf *conf);
bool par_mover_stops(struct par_conf *conf);
bool par_is_put_off(struct par_conf *conf);

/* par_mover_interrupted - another gear is wanted, or the array stops */
bool par_mover_interrupted(struct par_conf *conf);

/*
 * par_propagate - copy the segments in @from (PAR_SEG_HOME or PAR_SEG_IMAGE)
 * of the sleepers imaged in gear set @band, in @set's region, to the other
 * side, as @pass has it. The mover only. Returns 0, -EINTR, -EAGAIN if the time of a
 * hold is over, -ETIMEDOUT if that of another pass is, or the error of a copy.
 */
int par_propagate(struct par_set *set, unsigned int band,
		  enum par_seg_state from, struct par_pass *pass);

/*
 * par_restore_rows - a sleeper is being rebuilt in rows [@row, @end) of @set:
 * copy its segments from their images as far as these are valid. @which: the
 * members that are rebuilt. A child's sync thread only. Returns how many rows
 * are done, from @row on: 0 if the first is not to be had this way.
 */
u64 par_restore_rows(struct par_set *set, u64 row, u64 end, u32 which);

/*
 * par_salvage - @d's segment @row is valid in its image only, and that does not take
 * writes: copy what can be read to the home copy, and have the rest lost. The member is
 * awake. Sleeps; returns 0 or an error.
 */
int par_salvage(struct par_set *set, unsigned int d, u64 row);
int par_propagate_init(struct par_conf *conf);
void par_propagate_exit(struct par_conf *conf);

/* ---- mend.c ---- */

/*
 * par_mend_image - segment @row of sleeper @d of @set cannot be copied to its image:
 * if too much cannot be read of the stripe there, give up what cannot and have parity
 * made right. Sleeps; the mover, with nothing locked. Returns 0 if it is worth another
 * try, -EINTR if the mover is to rest, or another error.
 */
int par_mend_image(struct par_set *set, unsigned int d, u64 row);

/* par_segments - how many segments of all sleepers are in @state */
u64 par_segments(struct par_conf *conf, enum par_seg_state state);

/* par_segments_above - the same of those that sleep in gear @gear */
u64 par_segments_above(struct par_conf *conf, unsigned int gear,
		       enum par_seg_state state);

/*
 * par_wanted - the gear to work towards: conf->target, or the current one while
 * that is put off. Any context.
 */
unsigned int par_wanted(struct par_conf *conf);

/* par_put_off_over - settings have changed: ask for what was put off again */
void par_put_off_over(struct par_conf *conf);

/* ---- event.c ---- */

/*
 * par_event - have a uevent "change" sent, whose variables @format makes, a line
 * each; any context. par_events_flush - all have been sent; sleeps.
 */
__printf(2, 3) void par_event(struct par_conf *conf, const char *format, ...);
void par_events_flush(void);
int par_events_init(void);
void par_events_exit(void);

/* ---- clock.c ---- */

/*
 * par_clock - seconds since 1970, of a clock that never says less than is known to be over
 * par_clock_set - has somebody set the system's? Any context, both.
 * par_clock_begin - the superblock is known
 */
u64 par_clock(struct par_conf *conf);
bool par_clock_set(const struct par_conf *conf);
void par_clock_begin(struct par_conf *conf);

/* ---- sync.c: md's methods, with the parent's reconfig_mutex held ---- */

int par_hot_add(struct mddev *mddev, struct md_rdev *rdev);
int par_hot_remove(struct mddev *mddev, struct md_rdev *rdev);

/* par_remove_again - what kept a failed member from being removed has gone */
void par_remove_again(struct par_conf *conf);
int par_spare_active(struct mddev *mddev);

/*
 * par_syncing - does a sync of md's need members that could go to sleep? (md says that
 * it is running also while it looks whether there is anything to do.)
 */
bool par_syncing(struct mddev *mddev);

/* par_scrubbing - is md at a check or a repair that somebody asked for? */
bool par_scrubbing(struct mddev *mddev);

/* ---- scrub.c ---- */

/* par_scrub_overdue - is it too long ago that the set was read in whole? Any context. */
bool par_scrub_overdue(struct par_conf *conf, struct par_set *set);

/* par_scrub_wakes_for - tell that a check or repair wakes the set's members */
void par_scrub_wakes_for(struct par_conf *conf, struct par_set *set);

/*
 * par_scrub_from - a check or repair goes on at @sector of the set's region
 * par_scrub_to - it has come to there. Sleeps. The sync thread only, both.
 */
void par_scrub_from(struct par_set *set, u64 sector);
void par_scrub_to(struct par_set *set, u64 sector);

/* par_scrub_set - keep these settings: see struct par_scrub_record. Returns 0 or an errno. */
int par_scrub_set(struct par_conf *conf, bool wakes, u32 age);

/* par_sync_request - in md's sync thread; see the head of sync.c */
sector_t par_sync_request(struct mddev *mddev, sector_t sector,
			  sector_t max_sector, int *skipped);

/* ---- sysfs.c ---- */

int par_sysfs_add(struct par_conf *conf);
void par_sysfs_remove(struct par_conf *conf);

/* ---- personality.c ---- */

/* par_usable - those of @members that are there and have not failed */
u32 par_usable(struct par_conf *conf, u32 members);

/* par_awake_members - in the gear the array is in */
u32 par_awake_members(struct par_conf *conf);

/* par_member_failed - tell md and all sets; any context */
void par_member_failed(struct par_conf *conf, unsigned int d);

/* par_count_degraded - mddev->degraded from the members */
void par_count_degraded(struct par_conf *conf);

/* par_pay_super - all are awake: have md write the superblock it could not; any context */
void par_pay_super(struct par_conf *conf);

/* par_follow_array - the array has become writable or has ceased to be; process context */
void par_follow_array(struct par_conf *conf);

/* par_writable - leave auto-read-only; false if the array is read-only */
bool par_writable(struct par_conf *conf);

#endif
