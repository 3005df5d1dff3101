/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spindle: simulated disks that can lose power. See Documentation/spindle.md.
 *
 *   configfs.c  what the user reads and writes; the list of all disks
 *   settings.c  what kind of disk it is, and what it tells of itself
 *   disk.c      the block device, requests and how long they take, power cuts
 *   power.c     does the platter turn; runtime PM
 *   arm.c       what a disk with mechanics does, and when
 *   mechanics.c how long that takes
 *   media.c     what is stored: the media, and the volatile cache above it
 *   errors.c    sectors that cannot be read or written
 */
#ifndef SPINDLE_H
#define SPINDLE_H

#include <linux/blk-mq.h>
#include <linux/configfs.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "mechanics.h"

/* The cache holds slots of 4 KiB. */
#define SPINDLE_SLOT_SHIFT	3	/* in sectors */

/* A disk that turns is idle; its active part is counted separately. */
enum spindle_state {
	SPINDLE_OFF,
	SPINDLE_STANDBY,
	SPINDLE_SPIN_UP,
	SPINDLE_SPIN_DOWN,
	SPINDLE_IDLE,
	SPINDLE_ACTIVE,
	SPINDLE_NR_STATES,
};

/* The kind of a disk; settings.c has presets. */
struct spindle_kind {
	const char *preset;
	struct spindle_mechanics mechanics;
	u64 overhead_us;		/* until a command is understood */
	u64 bus_kib;			/* KiB/s; 0: no limit */
	u64 depth;			/* requests at a time */
	u64 max_age_ms;			/* a request of this age is served first */
	u64 cache_kib;			/* waiting to be written */
	u64 readahead_kib;
	u64 milliwatts[SPINDLE_NR_STATES];
	u64 spin_up_ms, spin_down_ms;
};

/*
 * The state of the arm. At @since the head is at @place, and it stays there or reads on
 * until @ahead; the buffer keeps what it has read since @buffer_first. If @since is in the
 * future, the arm is busy until then.
 */
struct spindle_arm {
	u64 phase;			/* of the platter, in ns */
	u64 place, since, ahead;
	u64 buffer_first, buffer_read;	/* sectors */
	bool working;			/* until @free_at (ns), or that has not been noticed yet */
	u64 free_at;
	u64 bus_free_at;		/* ns */
	u64 run_first, run_slots;	/* being written back, or 0 */
	u64 promised;			/* slots of the cache, for requests in flight */
};

/*
 * A disk. Order of locks: spindle_lock, setup, lock.
 *
 * @lock is taken to serve a request, so code that holds it allocates with GFP_NOIO only and
 *	ends no request.
 */
struct spindle {
	struct config_group group;
	struct list_head list;		/* by spindle_lock: in spindle_disks */
	bool chosen;			/* by spindle_lock: to be cut */

	/* Changed only while there is no block device. */
	struct mutex setup;
	bool online;
	u64 size_mib;
	u64 blocksize, physical;
	u64 cache;
	u64 delay_us;
	u64 rate_kib;
	u64 seed;
	struct spindle_kind kind;	/* spin_up_ms, spin_down_ms: by lock */
	struct spindle_model model;
	struct blk_mq_tag_set tags;
	struct gendisk *gendisk;

	struct mutex lock;		/* all below */
	bool dead;
	u64 cuts;

	/* media.c */
	struct xarray slots;
	u64 nr_pages;			/* allocated */
	u64 nr_cached;			/* slots with dirty sectors */
	u64 nr_evicted;
	u64 dirty;			/* sectors only the cache holds */
	u64 lost;			/* sectors dropped by cuts */

	/* errors.c */
	struct list_head bad;

	/* power.c */
	enum spindle_state state;
	bool wanted;			/* should the disk turn? */
	u64 settles_at;			/* ns: the end of spinning up or down */
	u64 accounted;			/* ns: the time up to which @times are right */
	u64 active_until;		/* ns */
	u64 times[SPINDLE_NR_STATES];	/* ns */
	u64 starts, stops;
	bool start_fails;		/* this one does */
	u64 fail_starts, fail_start_ms;
	u64 system_start;		/* does it turn after system sleep? */
	u64 changes;			/* of all states that can be waited for */
	wait_queue_head_t wait;
	struct device *dev;

	/* arm.c */
	struct spindle_arm arm;
	u64 seeks, hits, runs;

	/* Counts of completed requests. */
	u64 reads, writes, discards, flushes;
	u64 read_bytes, written_bytes;

	/* Requests that the disk has not begun, in order of arrival. */
	struct list_head waiting;
	/* Requests in flight, sorted by the time of their end. */
	struct list_head pending;
	u64 nr_requests;
	u64 busy_until;			/* ns: the transfers so far */
	struct hrtimer timer;
	struct work_struct work;
};

static inline struct spindle *to_spindle(struct config_item *item)
{
	return container_of(to_config_group(item), struct spindle, group);
}

/* The driver's data of a request. */
struct spindle_cmd {
	struct list_head list;
	u64 arrived;			/* ns */
	u64 due;			/* ns */
	u64 promised;			/* slots of the cache */
	blk_status_t status;		/* of the whole request; otherwise see its bios */
};

static inline struct request *spindle_rq(const struct spindle_cmd *cmd)
{
	return blk_mq_rq_from_pdu((void *)cmd);
}

/* The way in which data is written. */
struct spindle_how {
	bool through;			/* to the media: FUA, or there is no cache */
	bool part;			/* power fails meanwhile: a part of it arrives */
	u64 seed;			/* which part */
};

/* configfs.c: protects the list; must be held to take locks of several disks. */
extern struct mutex spindle_lock;
extern struct list_head spindle_disks;

/*
 * Set a number of the disk to a written value, if it is within its limits, and if it may be
 * changed at any time or there is no block device. Sleeps.
 */
ssize_t spindle_store_number(struct spindle *disk, u64 *number, const char *page, size_t count,
			     u64 min, u64 max, bool any_time);

/* settings.c */
#define SPINDLE_NR_SETTINGS	30
extern struct configfs_attribute *const spindle_settings[SPINDLE_NR_SETTINGS];
void spindle_settings_setup(struct spindle *disk);

/* power.c */

int spindle_power_init(void);
void spindle_power_exit(void);
void spindle_power_setup(struct spindle *disk);

/*
 * The device that is the parent of the gendisk, and on which runtime PM acts. It is awake
 * until spindle_device_ready(), and again from spindle_device_leave() on, which sleeps
 * until it is. After spindle_device_del() the caller has the last reference.
 */
int spindle_device_add(struct spindle *disk);
void spindle_device_ready(struct spindle *disk);
void spindle_device_leave(struct spindle *disk);
void spindle_device_del(struct spindle *disk);

/* Sleeps. */
const char *spindle_state_name(struct spindle *disk);

/*
 * All under @lock. spindle_platter() must be called first, to update the state to @now; a
 * disk that is not needed stops if it is not @busy. It is to be called again at
 * spindle_settles_at(); U64_MAX: never.
 */
void spindle_platter(struct spindle *disk, u64 now, bool busy);
u64 spindle_settles_at(const struct spindle *disk);

/* Should the platter turn? Takes effect in spindle_platter(). */
void spindle_want(struct spindle *disk, bool wanted);

/* The disk is active until then. */
void spindle_active_until(struct spindle *disk, u64 now, u64 until);

/* Wakes those that wait for the disk's state. */
void spindle_changed(struct spindle *disk);

void spindle_lose_power(struct spindle *disk, u64 now);
void spindle_get_power(struct spindle *disk, u64 now);

/* The energy used up to @now. */
u64 spindle_microjoules(struct spindle *disk, u64 now);

/* arm.c: all under @lock, for disks with mechanics whose platter turns. */

/* Reset to the state after a start. For any disk. */
void spindle_arm_reset(struct spindle *disk, u64 now);

/* Begin all that can be begun @now. Called whenever a request comes or ends. */
void spindle_arm_begin(struct spindle *disk, u64 now);

/* The time of the next call without other events; U64_MAX: none. */
u64 spindle_arm_wakes_at(const struct spindle *disk);

/* Does the arm have anything to write back? For any disk. */
bool spindle_arm_busy(const struct spindle *disk);

/* Can the write end when it is in the cache, as soon as there is room? */
bool spindle_is_cacheable(const struct spindle *disk, const struct spindle_cmd *cmd);

/* disk.c */

/* The request does not wait any more but is in flight: it ends at @due, or later by delay_us. */
void spindle_add_pending(struct spindle *disk, struct spindle_cmd *cmd, u64 due);

/* The workqueue; created first and destroyed last. */
int spindle_init(void);
void spindle_exit(void);

/*
 * Set up the fields of a new disk that are not zero, and undo that: the disk must be
 * offline and off the list. May sleep.
 */
void spindle_setup(struct spindle *disk);
void spindle_teardown(struct spindle *disk);

/*
 * Make the block device appear and vanish. Under @setup only; both sleep, and requests are
 * served meanwhile. After an error there is no block device. Data is kept;
 * spindle_offline() writes the cache to the media.
 */
int spindle_online(struct spindle *disk);
void spindle_offline(struct spindle *disk);

/* Reset an idle disk to its state after a start. Under @lock. */
void spindle_begin_anew(struct spindle *disk, u64 now);

/* Execute all that is due by now. Sleeps. */
void spindle_advance(struct spindle *disk);

/*
 * Cut the power of all chosen disks at one instant: requests to them that end later have no
 * effect. Under spindle_lock. @seed: determines what survives.
 */
void spindle_cut_chosen(u64 seed);

/**
 * struct spindle_trap - a cut of all disks that a write triggers
 * @first, @last: the write begins in one of these sectors
 * @left: the number of such writes until the cut, including the last; 0: no trap is set
 * @fired: the trap has been triggered: no request ends any more until the cut
 * @seed: of the cut
 */
struct spindle_trap {
	u64 first, last, seed;
	atomic64_t left;
	bool fired;
};

extern struct spindle_trap spindle_trap;

/* Under spindle_lock: set the trap; @left 0 removes it. */
void spindle_trap_set(u64 seed, u64 left, u64 first, u64 last);

/* Cut the power of all existing disks. Under spindle_lock. */
void spindle_cut_all(u64 seed);

/* Power on again, if it is off. Sleeps. */
void spindle_power_on(struct spindle *disk);

/* Dead: every request fails, including those in flight. The cache keeps its data. */
void spindle_set_dead(struct spindle *disk, bool dead);

/*
 * The seeded choices. They depend on the disk's name and seed, and on the object and place
 * of the choice, and not on the order of events: so they are the same again even if
 * requests overtake each other.
 */
enum spindle_choice {
	SPINDLE_DELAY,			/* request number */
	SPINDLE_DESTAGE,		/* slot, how often it was written */
	SPINDLE_EVICT,			/* number of eviction */
	SPINDLE_MOOD,			/* seed of the cut */
	SPINDLE_KEEP,			/* slot, seed of the cut */
	SPINDLE_ARRIVE,			/* slot, seed of the cut */
	SPINDLE_CUT,			/* number of cut */
	SPINDLE_PHASE,			/* number of start */
};

u64 spindle_choose(const struct spindle *disk, enum spindle_choice what,
		   u64 where, u64 nth);

/* media.c: all under @lock but spindle_media_setup() and spindle_media_free(). */

void spindle_media_setup(struct spindle *disk);
void spindle_media_free(struct spindle *disk);

/* Drop the content beyond the disk's end. */
void spindle_media_truncate(struct spindle *disk);

/* @bytes from @sector on, whole sectors. */
void spindle_media_read(struct spindle *disk, sector_t sector, void *to,
			unsigned int bytes);

/* BLK_STS_RESOURCE if there is no memory: a part may be written then. */
blk_status_t spindle_media_write(struct spindle *disk, sector_t sector,
				 const void *from, unsigned int bytes,
				 const struct spindle_how *how);
void spindle_media_discard(struct spindle *disk, sector_t sector, u64 sectors,
			   const struct spindle_how *how);

/* The slots that may be dirty. */
u64 spindle_cache_slots(const struct spindle *disk);

/*
 * The first run of dirty slots, of at most @most, from @sector on, or else from the
 * beginning. Returns their number; 0 if none is dirty.
 */
u64 spindle_media_next_dirty(struct spindle *disk, sector_t sector, u64 most, u64 *first);

/* Write the dirty sectors of these slots to the media. */
void spindle_media_destage(struct spindle *disk, u64 first, u64 count);

/* Does the cache have newer data for each of these sectors? */
bool spindle_media_all_dirty(struct spindle *disk, sector_t sector, u64 sectors);

/* Write the whole cache to the media. Cannot fail. */
void spindle_media_flush(struct spindle *disk);

/* Empty the cache; the seed determines which parts have reached the media. */
void spindle_media_cut(struct spindle *disk, u64 seed);

/* errors.c */

/*
 * Does a read or write of these sectors fail? Counts, and a write that succeeds repairs
 * sectors that could not be read. Under @lock.
 */
blk_status_t spindle_errors_meet(struct spindle *disk, bool write,
				 sector_t sector, sector_t sectors);

/* The attribute; both take @lock. Negative errno. */
ssize_t spindle_errors_show(struct spindle *disk, char *page);
int spindle_errors_store(struct spindle *disk, char *line);

void spindle_errors_free(struct spindle *disk);

#endif
