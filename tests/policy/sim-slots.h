/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slots of an array without a kernel, with images of a share: see Documentation/slots.md. The
 * module's own files say where slots lie, which runs have them and which a shift down fills; here
 * is what core/slots.c and gear/fill.c do between them.
 *
 * It leaves out the stored slot map, and the time that storing it takes.
 */
#ifndef TESTS_POLICY_SIM_SLOTS_H
#define TESTS_POLICY_SIM_SLOTS_H

#include "pure/slot-choice.h"

struct array;
enum sim_state { SIM_BOTH, SIM_HOME, SIM_IMAGE };

/* As PAR_FILL_RUNS of gear/fill.c, and PAR_FILL_BYTES and PAR_FILL_TIME of pure/format.h. */
#define SLOTS_FILL_RUNS	65536U
#define SLOTS_FILL_BYTES	(64ULL << 30)
#define SLOTS_FILL_TIME	600U

/*
 * struct slots_band - of a band: lists of a choice; @task: what the last one has chosen, @count of
 * them; @begun: the last one whose fill has begun
 */
struct slots_band {
	struct par_slot_run *wanted, *victims;
	struct par_slot_task *task;
	u32 room, count, begun;
};

/**
 * struct sim_slots - maps, caches and choices by band
 * @lacking: uses of runs without a slot, by band: misses, and what would have been some; @seen:
 *	those that the policy knows
 * @hits: uses of runs with a slot in a low gear; @misses: requests to members that had to wake one
 * @days: for which heat has been aged
 * @around: runs before and behind a run that is missed, or would have been, which are filled with
 *	it. The module has none, but fills the next run after a miss
 * @all_uses: reads of members that never sleep are uses of the run behind which they lie; in the
 *	module they are not
 * @until: no fill begins after this time, ns; @fill_bytes and @fill_time, s, limit it
 */
struct sim_slots {
	struct par_slot_map map[PAR_MAX_SETS];
	struct par_slot_cache cache[PAR_MAX_SETS];
	struct slots_band band[PAR_MAX_SETS];
	u64 lacking[PAR_MAX_SETS], seen[PAR_MAX_SETS];
	u64 hits, misses, days, until, fill_bytes;
	u32 fill_time, around;
	bool all_uses;
};

/* slots_new - no run has a slot. NULL: the array has images of all data */
struct sim_slots *slots_new(const struct par_geometry *geo);
void slots_free(struct sim_slots *slots, const struct par_geometry *geo);

/*
 * slots_filled - is the run of a band among the @written percent of the data that have images in the
 *	beginning, as if they had been written last? These are GiBs of the array, at random
 * slots_fill - give slots with images to these, within the first 70 % of the array: as if no more of
 *	it were in use
 */
bool slots_filled(const struct par_geometry *geo, u64 run, unsigned int written);
void slots_fill(struct array *array, unsigned int written);

/* slots_has - may sector @x of sleeper @d have an image? */
bool slots_has(const struct array *array, unsigned int d, u64 x);

/* slots_image - where in its gear set it is imaged, if it may have one */
u64 slots_image(const struct array *array, unsigned int d, u64 x);

/* slots_sector - where a sector of a region, counted from the end of the metadata, is on a member */
u64 slots_sector(const struct par_geometry *geo, u64 x);

/* slots_beside - a read of sector @x of a member that never sleeps, of the home region */
void slots_beside(struct array *array, u64 x, u64 now);

/*
 * slots_use - a user's request to sleeper @d; @write: it makes an image old; @prior: raid5 reads
 *	what it needs before a write
 * slots_miss - a request has to wake the sleeper
 */
void slots_use(struct array *array, unsigned int d, u64 x, u64 now, bool write, bool prior);
void slots_miss(struct array *array, unsigned int d, u64 x, u64 now);

/* slots_written - the image will be the only valid copy; slots_cleaned - no image is, any more */
void slots_written(struct array *array, unsigned int d, u64 x);
void slots_cleaned(struct array *array);

/* slots_age - let heat age by the days that are over; once per interval */
void slots_age(struct array *array, u64 now);

/* slots_choose - a shift down to the array's target begins: choose runs, evict and give slots */
void slots_choose(struct array *array, u64 now);

/*
 * slots_late - is it too late to begin the fill of task @task of @band? Then it is left out, and so
 * are those after it
 */
bool slots_late(struct array *array, unsigned int band, u32 task, u64 now);

/* slots_left - segments of the chosen runs that have no valid image yet */
u64 slots_left(const struct array *array, unsigned int gear);

/* slots_owed - segments that a shift down to gear @gear would copy, at most */
u64 slots_owed(const struct array *array, unsigned int gear);

#endif
