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

/* A disk that turns is idle; how long of that it was active is known besides. */
enum spindle_state {
	SPINDLE_OFF,
	SPINDLE_STANDBY,
	SPINDLE_SPIN_UP,
	SPINDLE_SPIN_DOWN,
	SPINDLE_IDLE,
	SPINDLE_ACTIVE,
	SPINDLE_NR_STATES,
};

/* What kind of disk it is; settings.c has presets. */
struct spindle_kind {
	const char *preset;
	struct spindle_mechanics mechanics;
	u64 overhead_us;		/* until a command is understood */
	u64 bus_kib;			/* KiB/s; 0: no limit */
	u64 depth;			/* requests at a time */
	u64 max_age_ms;			/* so old a request is served first */
	u64 cache_kib;			/* that wait to be written */
	u64 readahead_kib;
	u64 milliwatts[SPINDLE_NR_STATES];
	u64 spin_up_ms, spin_down_ms;
};

/*
 * What the arm does. Since @since the head is at @place, and it is there still or
 * reads on until @ahead; what it has read since @buffer_first it keeps. If @since
 * is to come the arm has something to do until then.
 */
struct spindle_arm {
	u64 phase;			/* of the platter, in ns */
	u64 place, since, ahead;
	u64 buffer_first, buffer_read;	/* sectors */
	bool working;			/* until @free_at (ns), or nobody has noticed yet */
	u64 free_at;
	u64 bus_free_at;		/* ns */
	u64 run_first, run_slots;	/* that it writes back, or 0 */
	u64 promised;			/* slots of the cache, to requests in flight */
};

/*
 * A disk. Order of locks: spindle_lock, setup, lock.
 *
 * @lock is taken to serve a request, so whoever holds it allocates with
 * GFP_NOIO only and ends no request.
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
	bool wanted;			/* is it to turn? */
	u64 settles_at;			/* ns: the end of spinning up or down */
	u64 accounted;			/* ns: until when @times are right */
	u64 active_until;		/* ns */
	u64 times[SPINDLE_NR_STATES];	/* ns */
	u64 starts, stops;
	bool start_fails;		/* this one does */
	u64 fail_starts, fail_start_ms;
	u64 system_start;		/* does it turn after system sleep? */
	u64 changes;			/* of all that one may wait for */
	wait_queue_head_t wait;
	struct device *dev;

	/* arm.c */
	struct spindle_arm arm;
	u64 seeks, hits, runs;

	/* What has been done. */
	u64 reads, writes, discards, flushes;
	u64 read_bytes, written_bytes;

	/* Requests that the disk has not begun, in order of arrival. */
	struct list_head waiting;
	/* Requests in flight, the first to be done first. */
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

/* What the driver keeps with a request. */
struct spindle_cmd {
	struct list_head list;
	u64 arrived;			/* ns */
	u64 due;			/* ns */
	u64 promised;			/* slots of the cache */
	blk_status_t status;		/* of all of it; else see its bios */
};

static inline struct request *spindle_rq(const struct spindle_cmd *cmd)
{
	return blk_mq_rq_from_pdu((void *)cmd);
}

/* How what is written comes to the disk. */
struct spindle_how {
	bool through;			/* to the media: FUA, or there is no cache */
	bool part;			/* power fails meanwhile: some of it arrives */
	u64 seed;			/* which part */
};

/* configfs.c: protects the list, and lets locks of several disks be taken. */
extern struct mutex spindle_lock;
extern struct list_head spindle_disks;

/*
 * Set a number of the disk's from what somebody has written, within its limits, and
 * if it may change at any time or there is no block device. Sleeps.
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
 * The device that the gendisk is to hang on, below which runtime PM acts. It is
 * awake until spindle_device_ready(), and from spindle_device_leave() on, which
 * sleeps until it is. After spindle_device_del() the caller has the last
 * reference.
 */
int spindle_device_add(struct spindle *disk);
void spindle_device_ready(struct spindle *disk);
void spindle_device_leave(struct spindle *disk);
void spindle_device_del(struct spindle *disk);

/* Sleeps. */
const char *spindle_state_name(struct spindle *disk);

/*
 * All under @lock. First of all spindle_platter() brings the state to what it is
 * @now; a disk that is not wanted stops if it is not @busy. At
 * spindle_settles_at() it is to be called again; U64_MAX: nothing to wait for.
 */
void spindle_platter(struct spindle *disk, u64 now, bool busy);
u64 spindle_settles_at(const struct spindle *disk);

/* Is the platter to turn? For spindle_platter() to do. */
void spindle_want(struct spindle *disk, bool wanted);

/* The disk does something that ends then. */
void spindle_active_until(struct spindle *disk, u64 now, u64 until);

/* Whoever waits for the disk's state looks again. */
void spindle_changed(struct spindle *disk);

void spindle_lose_power(struct spindle *disk, u64 now);
void spindle_get_power(struct spindle *disk, u64 now);

/* What it has used so far, up to and with @now. */
u64 spindle_microjoules(struct spindle *disk, u64 now);

/* arm.c: all under @lock, and of disks with mechanics whose platter turns. */

/* Nothing is under way, as after starting. Of any disk. */
void spindle_arm_reset(struct spindle *disk, u64 now);

/* Begin what can be begun @now. To be called whenever a request comes or ends. */
void spindle_arm_begin(struct spindle *disk, u64 now);

/* When to call it in any case; U64_MAX: not. */
u64 spindle_arm_wakes_at(const struct spindle *disk);

/* Has it anything to write back? Of any disk. */
bool spindle_arm_busy(const struct spindle *disk);

/* A write that may end when it is in the cache, as soon as there is room. */
bool spindle_is_cacheable(const struct spindle *disk, const struct spindle_cmd *cmd);

/* disk.c */

/* The request waits no more but is in flight: it ends @due, or later by delay_us. */
void spindle_add_pending(struct spindle *disk, struct spindle_cmd *cmd, u64 due);

/* The workqueue; around everything else. */
int spindle_init(void);
void spindle_exit(void);

/*
 * Set up what is not zero in a new disk, and undo it: the disk must be offline
 * and off the list. May sleep.
 */
void spindle_setup(struct spindle *disk);
void spindle_teardown(struct spindle *disk);

/*
 * Make the block device appear and vanish. Under @setup only; both sleep, and
 * requests are served meanwhile. After an error there is no block device. Data
 * stay; what was in the cache is on the media after spindle_offline().
 */
int spindle_online(struct spindle *disk);
void spindle_offline(struct spindle *disk);

/* A disk that does nothing becomes as it is after a start. Under @lock. */
void spindle_begin_anew(struct spindle *disk, u64 now);

/* Whatever is due by now happens. Sleeps. */
void spindle_advance(struct spindle *disk);

/*
 * Cut the power of all chosen disks at one instant: no request to any of them
 * that ends later has an effect. Under spindle_lock. @seed: what survives.
 */
void spindle_cut_chosen(u64 seed);

/**
 * struct spindle_trap - a cut of all disks that a write sets off
 * @first, @last: the write begins in one of these sectors
 * @left: how many such writes are to end before, and with it; 0: none is set
 * @fired: it has been set off: no request ends any more until the cut
 * @seed: of the cut
 */
struct spindle_trap {
	u64 first, last, seed;
	atomic64_t left;
	bool fired;
};

extern struct spindle_trap spindle_trap;

/* Under spindle_lock: set the trap anew, @left being 0 to have none. */
void spindle_trap_set(u64 seed, u64 left, u64 first, u64 last);

/* Cut the power of all disks that there are. Under spindle_lock. */
void spindle_cut_all(u64 seed);

/* Power on again, if it is off. Sleeps. */
void spindle_power_on(struct spindle *disk);

/* Dead: every request errs, also those in flight. The cache keeps its data. */
void spindle_set_dead(struct spindle *disk, bool dead);

/*
 * The seeded choices. They depend on the disk's name and seed, on what is
 * chosen and where, and not on the order of events: so they are the same
 * again even if requests overtake each other.
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

/* Forget what lies beyond the disk's end. */
void spindle_media_truncate(struct spindle *disk);

/* @bytes from @sector on, whole sectors. */
void spindle_media_read(struct spindle *disk, sector_t sector, void *to,
			unsigned int bytes);

/* BLK_STS_RESOURCE if there is no memory: then a part may be written. */
blk_status_t spindle_media_write(struct spindle *disk, sector_t sector,
				 const void *from, unsigned int bytes,
				 const struct spindle_how *how);
void spindle_media_discard(struct spindle *disk, sector_t sector, u64 sectors,
			   const struct spindle_how *how);

/* The slots that may be dirty. */
u64 spindle_cache_slots(const struct spindle *disk);

/*
 * The first run of dirty slots, of at most @most, from @sector on, or else from
 * the beginning. How many there are; 0 if none is dirty.
 */
u64 spindle_media_next_dirty(struct spindle *disk, sector_t sector, u64 most, u64 *first);

/* Bring what is dirty of these slots to the media. */
void spindle_media_destage(struct spindle *disk, u64 first, u64 count);

/* Has the cache newer data for each of these sectors? */
bool spindle_media_all_dirty(struct spindle *disk, sector_t sector, u64 sectors);

/* Bring all of the cache to the media. Cannot fail. */
void spindle_media_flush(struct spindle *disk);

/* Empty the cache; the seed tells what of it has come to the media. */
void spindle_media_cut(struct spindle *disk, u64 seed);

/* errors.c */

/*
 * Does a read or write of these sectors err? Counts, and a write that does not
 * err repairs what could not be read. Under @lock.
 */
blk_status_t spindle_errors_meet(struct spindle *disk, bool write,
				 sector_t sector, sector_t sectors);

/* The attribute; both take @lock. Negative errno. */
ssize_t spindle_errors_show(struct spindle *disk, char *page);
int spindle_errors_store(struct spindle *disk, char *line);

void spindle_errors_free(struct spindle *disk);

#endif
