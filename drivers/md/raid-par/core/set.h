/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets and virtual members, as all layers above see them.
 */
#ifndef RAID_PAR_SET_H
#define RAID_PAR_SET_H

#include <linux/bio.h>
#include <linux/hrtimer.h>
#include <linux/mempool.h>

#include "pure/runs.h"
#include "par.h"

#define PAR_BUCKETS	256U	/* segment locks of a set, hashed */
#define PAR_ROW_HASH	256U	/* rows being started or discarded, hashed */
#define PAR_UNREAD	8U	/* blocks whose failed last try is remembered */

struct par_set;

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
	unsigned int lost;	/* ranges of struct par_lost, under its lock */
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

/**
 * struct par_child - a set of RAID-5 or RAID-6: md's own, see child.c
 * @mddev: the child; @inited: and it is that
 * @pers: raid5 as md sees it here, with some of its methods ours; @raid5: its own
 * @absent: members that raid5 does without, a bit each
 * @detached: members that raid5 has released, as md does soon
 * @restoring: one of the set's @tracking: a sleeper is being rebuilt
 */
struct par_child {
	struct mddev mddev;
	bool inited;
	struct md_personality pers, *raid5;
	unsigned long absent, detached;
	bool restoring;
};

/* struct par_noted - of a set, store.c: see struct par_child, @absent; under its mutex */
struct par_noted {
	unsigned long absent;	/* the store has seen to these */
	bool unresynced;	/* since a crash */
};

/* struct par_fix - rows [@first, @end) are being repaired; @done: they have been: fix.c */
struct par_fix {
	u64 first, end;
	bool done;
};

/* struct par_stripe - a set of RAID-0: stripe.c */
struct par_stripe {
	struct bio_set bios, chunk_bios;
	atomic_t in_flight;
	bool quiesced, broken;
	wait_queue_head_t quiet;
};

/**
 * struct par_send - the last step: send.c
 * @redirects: requests from virtual members above, for @redirect_work; under the queue's lock
 * @unkept: writes that no image has taken, for @unkept_work; the same
 */
struct par_send {
	struct bio_list redirects;
	struct work_struct redirect_work;
	struct workqueue_struct *redirect_wq;
	struct bio_list unkept;
	struct work_struct unkept_work;
	struct bio_set clones, fills, firsts;
};

/**
 * struct par_routing - route.c
 * @dispatch: requests to virtual members, to be routed again; under the queue's lock
 * @wq: for @dispatch_work and the work of rows that are being started
 */
struct par_routing {
	struct bio_set splits;
	struct bio_list dispatch;
	struct work_struct dispatch_work;
	struct workqueue_struct *wq;
};

/**
 * struct par_starting - rows being started or discarded: row.c
 * @hash: all of them, under row_lock
 * @starved: requests that wait for a struct par_row; under the queue's lock
 * @gathering: rows being started, under row_lock; @filled, @landed: those whose zeros,
 *	or whose first writes, have ended, under the queue's lock
 * @due: when @timer goes off at the latest, under row_lock
 */
struct par_starting {
	struct hlist_head hash[PAR_ROW_HASH];
	mempool_t pool;
	struct bio_list starved;
	struct list_head gathering, filled, landed;
	struct work_struct work;
	struct hrtimer timer;
	ktime_t due;
};

/*
 * struct par_scrub - a check that may become a whole one: scrub.c
 * @read_through: the child has read what it was asked to
 */
struct par_scrub {
	u64 began, to;
	bool read_through;
};

/**
 * struct par_set - the home set or a gear set
 * @number: its gear
 * @front: the disk that requests to this set name as theirs (gear sets)
 * @tracking: home copies are being copied, by so many: count the writes to them
 *
 * When memory is short, requests wait for what others of their set hold, and
 * those for a lower set, which is where images are. So all that one may wait for
 * is of a set alone, pools and workers both: if a lower set's requests had to
 * wait for what this one's hold, none would ever end.
 */
struct par_set {
	struct par_conf *conf;
	unsigned int number;
	const struct par_set_geometry *sg;
	const struct par_set_ops *ops;
	struct gendisk *front;
	bool running;
	atomic_t tracking;
	atomic64_t rows_written;
	struct par_child child;
	struct par_noted noted;
	struct par_fix fix;
	struct par_stripe stripe;
	struct par_send send;
	struct par_routing route;
	struct par_starting start;
	struct par_scrub scrub;
	struct par_bucket bucket[PAR_BUCKETS];
	struct par_vmember vm[PAR_MAX_MEMBERS];
};

/* The zone of a row, and its lock. */
static inline u32 par_zone_of(const struct par_set *set, u64 row)
{
	return set->sg->zone_base + (u32)(row >> PAR_ZONE_SHIFT);
}

/*
 * par_map_byte - the byte of the map that holds bit @bit of @row, at bit @shift of it; NULL
 * while the block is unwritten. See the head of map.c. par_map_read - these bits of it.
 */
static inline u8 *par_map_byte(const struct par_set *set, u64 row, unsigned int bit,
			       unsigned int *shift)
{
	const struct par_set_geometry *sg = set->sg;
	unsigned int index;
	u32 block = par_map_block(sg, row >> PAR_ZONE_SHIFT, &index);
	u8 *payload = READ_ONCE(set->conf->map.block[block].payload);
	unsigned int at = (index * PAR_ZONE_ROWS + (row & (PAR_ZONE_ROWS - 1))) * sg->width + bit;

	*shift = at & 7;
	return payload ? payload + at / 8 : NULL;
}

static inline unsigned int par_map_read(const struct par_set *set, u64 row, unsigned int bit,
					unsigned int mask)
{
	unsigned int shift;
	u8 *byte = par_map_byte(set, row, bit, &shift);

	return byte ? (READ_ONCE(*byte) >> shift) & mask : 0;
}

/* par_map_look - par_map_get(), inline, for what each request looks up */
static inline enum par_seg_state par_map_look(const struct par_set *set, u64 row, unsigned int d)
{
	unsigned int low = set->conf->geo.set[1].members;

	if (d >= low)
		return par_map_read(set, row, 2 * (d - low), 3);
	/* With sleepers: the first one's state; none has a row unwritten. */
	return par_map_read(set, row, 0, set->sg->width == 1 ? 1 : 3) ?
	       PAR_SEG_BOTH : PAR_SEG_UNWRITTEN;
}

/* par_set_tracks - see struct par_set, @tracking */
static inline bool par_set_tracks(const struct par_set *set)
{
	return atomic_read(&set->tracking);
}

/*
 * par_set_steady - neither degraded nor being synced. Only then is the stripe
 * cache sure to have nothing of a row whose stripes have been discarded.
 */
static inline bool par_set_steady(struct par_set *set)
{
	return !set->conf->geo.parities ||
	       (!set->child.mddev.degraded &&
		!test_bit(MD_RECOVERY_RUNNING, &set->child.mddev.recovery));
}

#endif
