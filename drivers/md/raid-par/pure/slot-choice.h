/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which runs are filled, the hottest first, and which runs lose their slots to them, the coldest
 * first: at a shift down, and whenever the reserve of free slots is to be refilled. Pure: no I/O,
 * no allocation; the caller holds the lock that guards the map. See Documentation/slots.md, "Which
 * runs have slots". slot-plan.h has the order in which the choice is stored.
 */
#ifndef RAID_PAR_SLOT_CHOICE_H
#define RAID_PAR_SLOT_CHOICE_H

#include <linux/types.h>
#include "pure/slot-cache.h"

#define PAR_NO_RUN	U32_MAX

/**
 * struct par_slot_run - a run that may be filled, or lose its slot
 * @rank: par_slot_cache_rank(); @sectors: number of sectors that a fill of the run copies
 */
struct par_slot_run {
	u32 rank, run, sectors;
};

/**
 * struct par_slot_list - the best of all runs that were offered
 * @run: memory of the caller, for @room runs; @count: the number of runs in it
 * @coldest: the best runs are the coldest, not the hottest
 */
struct par_slot_list {
	struct par_slot_run *run;
	u32 room, count;
	bool coldest;
};

/*
 * par_slot_list_offer - keep @run if it is among the best; each run is offered once
 * par_slot_list_sort - sort the list, best first, runs of the same rank by their number; no run is
 *	offered afterwards
 */
void par_slot_list_offer(struct par_slot_list *list, const struct par_slot_run *run);
void par_slot_list_sort(struct par_slot_list *list);

/*
 * par_slot_list_wanted - offer those of @count runs from @first on that have been used and have
 * no slot. The caller, which knows the segments, offers runs that have a slot and need copies.
 * par_slot_list_victims - offer the runs of those of @count slots from @first on that may be
 * evicted: never a slot that may have the only valid copy
 */
void par_slot_list_wanted(struct par_slot_list *list, const struct par_slot_cache *cache,
			  u32 first, u32 count, u32 sectors);
void par_slot_list_victims(struct par_slot_list *list, const struct par_slot_cache *cache,
			   u32 first, u32 count);

/*
 * par_slot_reserve - the number of @slots that are to be free: for rows that are started while
 * members sleep
 * par_slot_lacking - the number of evictions that the reserve needs, beside those under way
 */
u32 par_slot_reserve(u32 slots);
u32 par_slot_lacking(const struct par_slot_map *map);

/**
 * struct par_slot_task - fill a run, and give it a slot before if it has none
 * @run: the run; PAR_NO_RUN: only evict @evict, for the reserve
 * @evict: the slot that is evicted before, or PAR_NO_SLOT
 */
struct par_slot_task {
	u32 run, evict;
};

/**
 * struct par_slot_limits - limits of a choice
 * @sectors: number of sectors that may be copied
 * @whole: all members are present and whole; otherwise nothing is evicted
 */
struct par_slot_limits {
	u64 sectors;
	bool whole;
};

/*
 * par_slot_choose - set @task to the tasks, in their order, at most @room: the evictions that the
 * reserve lacks, then @wanted, the hottest first, as far as the sectors allow. Both lists are
 * sorted. A run takes a slot only of a run with a lower rank. In a low gear @wanted is empty.
 * Returns the number of tasks.
 */
u32 par_slot_choose(const struct par_slot_map *map, const struct par_slot_list *wanted,
		    const struct par_slot_list *victims, const struct par_slot_limits *limits,
		    struct par_slot_task *task, u32 room);

/*
 * par_slot_agree - after evictions: some slots may not have become free, and others may have been
 * given since @task was chosen. @count tasks lose their runs, the coldest first, unless the runs
 * have slots or get one beside the reserve: the reserve is not for them
 */
void par_slot_agree(const struct par_slot_map *map, struct par_slot_task *task, u32 count);

/* par_slot_first_run - the first of @count tasks that has a run, or @count */
u32 par_slot_first_run(const struct par_slot_task *task, u32 count);

#endif
