/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which runs are filled, hottest first, and whose slots they take, coldest first: at a shift
 * down, and whenever the reserve of free slots is to be refilled. Pure: no I/O, no allocation;
 * the caller has the lock that guards the map. See Documentation/slots.md, "Which runs have
 * slots". In which order the choice is stored is told by slot-plan.h.
 */
#ifndef RAID_PAR_SLOT_CHOICE_H
#define RAID_PAR_SLOT_CHOICE_H

#include <linux/types.h>
#include "pure/slot-cache.h"

#define PAR_NO_RUN	U32_MAX

/**
 * struct par_slot_run - a run that may be filled, or lose its slot
 * @rank: par_slot_cache_rank(); @sectors: to be copied to fill it
 */
struct par_slot_run {
	u32 rank, run, sectors;
};

/**
 * struct par_slot_list - the best of all runs that were offered
 * @run: the caller's memory, @room: for so many; @count: how many there are
 * @coldest: the coldest are the best, not the hottest
 */
struct par_slot_list {
	struct par_slot_run *run;
	u32 room, count;
	bool coldest;
};

/*
 * par_slot_list_offer - keep @run if it is among the best; each run is offered once
 * par_slot_list_sort - best first, runs of the same rank by their number; nothing is offered
 *	any more
 */
void par_slot_list_offer(struct par_slot_list *list, const struct par_slot_run *run);
void par_slot_list_sort(struct par_slot_list *list);

/*
 * par_slot_list_wanted - offer those of @count runs from @first on that have been used and have
 * no slot. Runs that have one and need copies are offered by the caller, who knows the segments.
 * par_slot_list_victims - offer the runs of those of @count slots from @first on that may be
 * evicted: never one that may have the only valid copy
 */
void par_slot_list_wanted(struct par_slot_list *list, const struct par_slot_cache *cache,
			  u32 first, u32 count, u32 sectors);
void par_slot_list_victims(struct par_slot_list *list, const struct par_slot_cache *cache,
			   u32 first, u32 count);

/*
 * par_slot_reserve - of @slots, those that shall be free: for rows that are started asleep
 * par_slot_lacking - evictions that the reserve needs, beside those under way
 */
u32 par_slot_reserve(u32 slots);
u32 par_slot_lacking(const struct par_slot_map *map);

/**
 * struct par_slot_task - @run is filled, after it was given a slot if it has none
 * @run: PAR_NO_RUN: only @evict is done, for the reserve
 * @evict: the slot that is evicted first, or PAR_NO_SLOT
 */
struct par_slot_task {
	u32 run, evict;
};

/**
 * struct par_slot_limits - @sectors: that may be copied; @whole: no member is missing or needs
 * anything; if not, nothing is evicted
 */
struct par_slot_limits {
	u64 sectors;
	bool whole;
};

/*
 * par_slot_choose - the tasks, in their order: what the reserve lacks, then @wanted, hottest
 * first, as far as the sectors allow; at most @room. Both lists are sorted. A run takes the slot
 * of one with a lower rank only. In a low gear @wanted is empty. Returns how many tasks.
 */
u32 par_slot_choose(const struct par_slot_map *map, const struct par_slot_list *wanted,
		    const struct par_slot_list *victims, const struct par_slot_limits *limits,
		    struct par_slot_task *task, u32 room);

#endif
