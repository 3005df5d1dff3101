/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slots in memory, of an array with images of a share: which run has which slot, and how hot
 * each run is. See Documentation/slots.md. An array with images of all data has none of this:
 * par_image_sector() says where its images are.
 */
#ifndef RAID_PAR_SLOTS_H
#define RAID_PAR_SLOTS_H

#include "core/set.h"
#include "pure/slot-cache.h"

#define PAR_USERS	32U

/* struct par_user - a task that has used stripe @stripe - 1 of the array; 0: none has */
struct par_user {
	u64 stripe;
	pid_t pid;
	bool wrote;
	char comm[TASK_COMM_LEN];
};

/**
 * struct par_slot_maps - the slots of an array
 * @lock: changes of the maps and the heat; taken below a zone lock. The slot of a run is read
 *	without the lock: a slot is freed only after every set has been quiet
 * @map, @cache: by band
 * @waiting: requests that start a row whose run is to get a slot first; under the queue's lock
 * @give_work: gives slots to these runs: fill.c
 * @block: blocks of the stored maps, without payload; @todo: the blocks to be stored; slot-store.c
 * @unknown: set at assembly: slots in which images may have been made before are not known
 * @hits: uses of runs with a slot while the run's sleepers slept, by gear, each run counted once a
 *	period; under @lock
 * @misses: by gear
 * @lacking: uses of runs without a slot that were misses, or would have been if the run's sleepers
 *	had slept; by band, under @lock
 * @logged: the array has a write log, which is not off: it takes users' writes, which need no
 *	images then. The log sets it
 * @users: the tasks that have used the array last, by the stripe that they have used; @users_lock:
 *	innermost, interrupts off
 * @copied: the highest gear set to whose images, or from them, the mover copies now; 0: none.
 *	Written under conf->shift->copy_mutex
 */
struct par_slot_maps {
	struct par_conf *conf;
	spinlock_t lock;	/* see above */
	struct par_slot_map map[PAR_MAX_SETS];
	struct par_slot_cache cache[PAR_MAX_SETS];
	struct bio_list waiting;
	struct work_struct give_work;
	struct par_map_block *block;
	unsigned long *todo;
	bool unknown, logged;
	u64 hits[PAR_MAX_SETS + 1];
	atomic64_t misses[PAR_MAX_SETS + 1];
	u64 lacking[PAR_MAX_SETS];
	unsigned int copied;
	raw_spinlock_t users_lock;	/* see above */
	struct par_user users[PAR_USERS];
};

/*
 * par_slots_used_by - the current task sends @bio to the array. raid5's own thread may be the one
 * that finds later that it is a miss.
 * par_slots_user - the task that has used sector @sector of a member of the home set last. Returns
 * false if it is not known. Any context, both.
 */
void par_slots_used_by(struct par_conf *conf, const struct bio *bio);
bool par_slots_user(struct par_conf *conf, u64 sector, struct par_user *user);

/* par_slots_alloc - empty maps; at assembly */
int par_slots_alloc(struct par_conf *conf);
void par_slots_free(struct par_conf *conf);

/*
 * par_image_at - where in gear set par_image_set(@d) sector @sector of sleeper @d, of @set's
 * region, is imaged. Returns false if the sector's run has no slot, and so no image. Any context.
 */
bool par_image_at(const struct par_set *set, unsigned int d, u64 sector, u64 *at);

/*
 * par_image_of - the inverse: sector @x of sleeper @d is imaged at @sector of gear set @band. @x
 * counts from the end of the member's metadata. Returns false if the slot there is free.
 */
bool par_image_of(const struct par_conf *conf, unsigned int band, u64 sector, unsigned int *d,
		  u64 *x);

/* par_row_run - the run, in any band, to which @row of @set belongs */
static inline u32 par_row_run(const struct par_set *set, u64 row)
{
	const struct par_geometry *geo = &set->conf->geo;

	return par_slot_run(geo, par_set_offset(geo, set->number, row << geo->seg_shift));
}

/*
 * par_row_has_slots - may images of @row be made for all members that sleep in gear @gear? The
 * zone lock is held, or nothing is evicted meanwhile.
 * par_row_lacks_slots - the bands that have to give the row's run a slot, a bit each; *@possible:
 * the next give lets all of them hold one
 */
bool par_row_has_slots(const struct par_set *set, u64 row, unsigned int gear);
u32 par_row_lacks_slots(const struct par_set *set, u64 row, unsigned int gear, bool *possible);

/* par_band_imageable - the same as par_row_has_slots(), for band @band alone */
bool par_band_imageable(const struct par_set *set, u64 row, unsigned int band);

/*
 * par_sector_imaged - can sector @sector of the array be written in the present gear without a
 * miss? Each member that sleeps, and is written, has a valid image of the row, or the row is
 * unwritten and its run has slots; and the rows of the gear sets in which these images lie can be
 * written in the same way.
 */
bool par_sector_imaged(const struct par_conf *conf, u64 sector);

/*
 * par_run_rows - set *@first and *@end: rows from *@first up to, but not including, *@end of @set
 * are those of run @run, in any band below the set. Returns false if there are none.
 */
bool par_run_rows(const struct par_set *set, u32 run, u64 *first, u64 *end);

/* par_slots_period - the present period of the heat: see slot-cache.h; any context */
u32 par_slots_period(void);

/*
 * par_slots_used - a user's request to segment @row of @vm uses the run; any context
 * @write: a write; @prior: a read of old data or parity, which raid5 needs before a user's write
 */
void par_slots_used(struct par_vmember *vm, u64 row, bool write, bool prior);

/*
 * par_slots_copying - copies to or from images in gear set @set, and in sets below it, begin; 0:
 * they have all ended. Requests to these sets are no uses meanwhile. conf->shift->copy_mutex is
 * held.
 */
static inline void par_slots_copying(struct par_conf *conf, unsigned int set)
{
	WRITE_ONCE(conf->slots->copied, set);
}

/*
 * par_slots_logged - from now on the write log takes users' writes, or does not. The caller
 * serializes; no requests need to be waited for. Any context.
 */
static inline void par_slots_logged(struct par_conf *conf, bool logged)
{
	WRITE_ONCE(conf->slots->logged, logged);
}

/* par_slots_missed - a request has to wake @vm's member: its run and the next run become hot */
void par_slots_missed(struct par_vmember *vm, u64 row);

#endif
