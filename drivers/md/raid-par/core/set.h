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

/* par_bucket - segments with the same hash: their writers, and requests that wait */
struct par_bucket {
	spinlock_t lock;	/* all members of this structure */
	unsigned int writers;
	bool locked;
	struct bio_list waiters;
};

/**
 * struct par_set_ops - how a set is run: all that the gears know of it
 * @submit: take a request; may sleep, never waits for its I/O
 * @quiesce: true: let no new request begin and wait until none is left
 * @calm: the same, unless a request of the array waits for a member to wake, or comes to: then
 *	return false, and let new requests begin
 * @fail: stop using a member of the set; any context
 * @failed: have more members failed than the set has parities?
 * @holds: may the set still send requests to a failed member?
 * @remove: forget a failed member that is no longer held; sleeps
 * @add: add a member, which is rebuilt when the follower starts it; sleeps
 * @whole: is the member's content complete?
 */
struct par_set_ops {
	int (*create)(struct par_set *set);
	void (*destroy)(struct par_set *set);
	void (*submit)(struct par_set *set, struct bio *bio);
	void (*quiesce)(struct par_set *set, bool on);
	bool (*calm)(struct par_set *set);
	void (*fail)(struct par_set *set, unsigned int index);
	bool (*failed)(struct par_set *set);
	bool (*holds)(struct par_set *set, unsigned int index);
	void (*remove)(struct par_set *set, unsigned int index);
	int (*add)(struct par_set *set, unsigned int index);
	bool (*whole)(struct par_set *set, unsigned int index);
};

/**
 * struct par_child - a set of RAID-5 or RAID-6: md's own, see child.c
 * @mddev: the child; @inited: @mddev has been initialized
 * @pers: raid5's personality with some methods replaced by ours; @raid5: the original one
 * @absent: members that raid5 works without, a bit each
 * @held: members that raid5 has, or is about to take in, a bit each
 * @restoring: one of the set's @tracking: a sleeper is being rebuilt
 */
struct par_child {
	struct mddev mddev;
	bool inited;
	struct md_personality pers, *raid5;
	unsigned long absent, held;
	bool restoring;
};

/* struct par_noted - of a set: what the store has handled; store.c, under its mutex */
struct par_noted {
	unsigned long absent;	/* those that the store has handled */
	bool unresynced;	/* not resynced since a crash */
};

/* struct par_fix - rows [@first, @end) are being repaired; @done: their repair has ended: fix.c */
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
 * @redirects: clones that par_to_image() has made for virtual members above, and nothing else,
 *	for @redirect_work; under the queue's lock
 * @enough: redirects for which @redirect_work is started even if the plug of the task goes on
 * @unkept: writes that no image has accepted, for @unkept_work; under the queue's lock
 */
struct par_send {
	struct bio_list redirects;
	struct work_struct redirect_work;
	struct workqueue_struct *redirect_wq;
	unsigned int enough;
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
 * struct par_scrub - a check that may cover the whole set: scrub.c
 * @read_through: the child has read the whole range that it was asked to read
 */
struct par_scrub {
	u64 began, to;
	bool read_through;
};

/**
 * struct par_set - the home set or a gear set
 * @number: its gear
 * @front: the disk that requests to this set name as theirs (gear sets)
 * @tracking: the number of users that copy home copies; while it is not 0, writes to home
 *	copies are counted
 *
 * When memory is short, requests wait for resources of other requests of their set, and for
 * requests of a lower set, which contains the images. So each resource that a request may
 * wait for, pools and workers, belongs to one set: if the requests of a lower set had to
 * wait for resources of this set's requests, neither would ever end.
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

/*
 * par_row_of - the row of a set's members that holds this sector of the set's content; @within: the
 * sector's place in its stripe
 */
static inline u64 par_row_of(const struct par_set *set, u64 sector, u32 *within)
{
	const struct par_geometry *geo = &set->conf->geo;
	u32 stripe = geo->chunk_sectors * (set->sg->members - geo->parities);
	u64 number = div_u64_rem(sector, stripe, within);

	return (number * geo->chunk_sectors + (*within & (geo->chunk_sectors - 1))) >>
	       geo->seg_shift;
}

/* The zone of a row, and its lock. */
static inline u32 par_zone_of(const struct par_set *set, u64 row)
{
	return set->sg->zone_base + (u32)(row >> PAR_ZONE_SHIFT);
}

/*
 * par_map_byte - the byte of the map that holds bit @bit of @row, at bit @shift of that
 * byte; NULL while the block is unwritten. See the head of map.c. par_map_read - these bits
 * of the byte.
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

/* par_map_look - par_map_get() inline, for the lookup of each request */
static inline enum par_seg_state par_map_look(const struct par_set *set, u64 row, unsigned int d)
{
	unsigned int low = set->conf->geo.set[1].members;

	if (d >= low)
		return par_map_read(set, row, 2 * (d - low), 3);
	/*
	 * In a set with sleepers, the state of the first one: it is not unwritten in a
	 * written row.
	 */
	return par_map_read(set, row, 0, set->sg->width == 1 ? 1 : 3) ?
	       PAR_SEG_BOTH : PAR_SEG_UNWRITTEN;
}

/* par_set_tracks - see struct par_set, @tracking */
static inline bool par_set_tracks(const struct par_set *set)
{
	return atomic_read(&set->tracking);
}

/*
 * par_set_steady - the set is neither degraded nor being synced. Only then does the stripe
 * cache certainly hold nothing of a row whose stripes have been discarded.
 */
static inline bool par_set_steady(struct par_set *set)
{
	return !set->conf->geo.parities ||
	       (!set->child.mddev.degraded &&
		!test_bit(MD_RECOVERY_RUNNING, &set->child.mddev.recovery));
}

#endif
