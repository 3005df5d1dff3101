/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How hot each run of a band is: what a slot for it would save. Pure: no I/O, no allocation; the
 * caller holds the lock that guards the map. See Documentation/slots.md, "Which runs have slots".
 *
 * A miss costs a wake, however much is read afterwards. So a period in which n runs were used
 * would have cost one wake, which only n slots together avoid: each of these runs gets one n-th of
 * a wake. A run that is used alone now and then gets more than all runs of a scan. This is the
 * all-or-nothing property of Ananthanarayanan et al., "PACMan: Coordinated Memory Caching for
 * Parallel Jobs", NSDI 2012, section 3, with benefit by size as in Cherkasova, "Improving WWW
 * Proxies Performance with Greedy-Dual-Size-Frequency Caching Policy", HPL-98-69, 1998. Uses
 * within a period count once: O'Neil, O'Neil and Weikum, "The LRU-K Page Replacement Algorithm
 * for Database Disk Buffering", SIGMOD 1993, section 2.1.1. Each day the heat decreases by a
 * quarter.
 *
 * Memory: the heat of a run is kept in the map. In addition the cache has 1.3 KiB.
 */
#ifndef RAID_PAR_SLOT_CACHE_H
#define RAID_PAR_SLOT_CACHE_H

#include <linux/types.h>
#include "pure/slot-map.h"

#define PAR_CACHE_PERIOD	600U	/* seconds */
#define PAR_CACHE_PERIODS	256U	/* of which uses are known: more than a day has */
#define PAR_CACHE_AGES		2048U	/* periods; no use is older */

#define PAR_CACHE_FADES		41U	/* days after which nothing is left of the most heat */

#define PAR_CACHE_LEVELS	72U	/* of heat */
#define PAR_CACHE_MISSED	16U	/* runs that were missed last */

/* Units of heat: of a wake, and the maximum of a run. */
#define PAR_HEAT_WAKE		4096U
#define PAR_HEAT_MAX		0x3ffffU

/*
 * Of a run that has a slot at a start, since its heat is not stored: as much as a use with 15 other
 * runs in the period. The runs of a scan, which are hundreds in a period and more, get less, and do
 * not take its slot; a run that is used with few others, or missed, gets more. Without a use it is
 * gone after 17 days.
 */
#define PAR_HEAT_LOADED		(PAR_HEAT_WAKE / 16)

/**
 * struct par_slot_cache - the heat of the runs of a band
 * @map: where the heat is kept; @period: the present one
 * @used: number of runs that were used in a period; by period, modulo PAR_CACHE_PERIODS
 * @at_level: number of runs by level of heat, so that a run's place among them is known at once
 * @uses: uses of runs, each run counted once a period; @hits: uses of runs with a usable slot
 * @chosen: the period of the last choice of runs to fill; @since: runs that were used since then
 *	and have images to be made: those without a slot, and those that were missed or written,
 *	each counted once, or twice if it was used in that period after the choice, too
 * @missed: runs that were missed last in the present period, plus 1; @next: the oldest of them
 */
struct par_slot_cache {
	struct par_slot_map *map;
	u32 period;
	u32 used[PAR_CACHE_PERIODS];
	u32 at_level[PAR_CACHE_LEVELS];
	u64 uses, hits;
	u32 chosen, since;
	u32 missed[PAR_CACHE_MISSED], next;
};

/* par_slot_cache_init - begin with a map in which no run has any heat */
void par_slot_cache_init(struct par_slot_cache *cache, struct par_slot_map *map, u32 period);

/* par_slot_cache_loaded - the map has been loaded: runs that have a slot get PAR_HEAT_LOADED */
void par_slot_cache_loaded(struct par_slot_cache *cache);

/*
 * par_slot_cache_use - @run is used in @period, a number that never decreases; in any gear.
 * Syncs, scrubs and the mover's copies are not uses, see slots.md.
 */
void par_slot_cache_use(struct par_slot_cache *cache, u32 run, u32 period);

/*
 * par_slot_cache_write - the same, for a write while the band is awake, which makes images old:
 * they have to be copied again. Counts for that only if it is the run's first use since the choice
 */
void par_slot_cache_write(struct par_slot_cache *cache, u32 run, u32 period);

/*
 * par_slot_cache_miss - the same, for a use that has cost a wake: the run gets a whole wake,
 * whatever else is used in the period. Many requests miss a run before it can be read: the wake
 * counts once a period, as long as not more than PAR_CACHE_MISSED others are missed in between
 */
void par_slot_cache_miss(struct par_slot_cache *cache, u32 run, u32 period);

/* par_slot_cache_chosen - runs to fill have been chosen: count those that are used from now on */
void par_slot_cache_chosen(struct par_slot_cache *cache);

/*
 * par_slot_cache_fresh - has @run been used in @period before, so that another use changes
 * nothing? Called without the lock: the worst result is one use more or less.
 */
bool par_slot_cache_fresh(const struct par_slot_cache *cache, u32 run, u32 period);

/*
 * par_slot_cache_lacks - would the next use of @run, in a gear in which the band's members sleep,
 * be a miss, if a shift to that gear could fill the hottest runs until @slots slots are used? If a
 * run has no slot, it must be among the hottest. Approximate: of runs with about the same heat half
 * get a slot.
 */
bool par_slot_cache_lacks(const struct par_slot_cache *cache, u32 run, u32 slots);

/* par_slot_cache_hot - the number of runs with any heat. Called without the lock */
u32 par_slot_cache_hot(const struct par_slot_cache *cache);

/*
 * par_slot_cache_heat - the heat of @run, in units of heat
 * par_slot_cache_rank - a number by which runs are ordered: by heat, runs with equal heat by their
 *	last use. The rank of a hotter run is higher. 0: never used, or long ago
 */
u32 par_slot_cache_heat(const struct par_slot_cache *cache, u32 run);
u32 par_slot_cache_rank(const struct par_slot_cache *cache, u32 run);

/*
 * par_slot_cache_age - a day is over for @count runs from @first on. To be called for each run at
 * least once in PAR_CACHE_PERIODS: otherwise the run's last use counts with the least worth.
 */
void par_slot_cache_age(struct par_slot_cache *cache, u32 first, u32 count, u32 period);

#endif
