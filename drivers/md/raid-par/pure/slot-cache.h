/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How hot each run of a band is: what its slot would save. Pure: no I/O, no allocation; the
 * caller has the lock that guards the map. See Documentation/slots.md, "Which runs have slots".
 *
 * What a miss costs is a wake, however much is read then. So a period in which n runs were used
 * would have been one wake, which n slots together avoid: each of these runs gets an n-th of a
 * wake. A run that is used alone now and then is worth more than all of a scan's. This is the
 * all-or-nothing property of Ananthanarayanan et al., "PACMan: Coordinated Memory Caching for
 * Parallel Jobs", NSDI 2012, section 3, with benefit by size as in Cherkasova, "Improving WWW
 * Proxies Performance with Greedy-Dual-Size-Frequency Caching Policy", HPL-98-69, 1998. Uses
 * within a period count once: O'Neil, O'Neil and Weikum, "The LRU-K Page Replacement Algorithm
 * for Database Disk Buffering", SIGMOD 1993, section 2.1.1. A day takes a quarter of the heat.
 *
 * Memory: the heat of a run is kept in the map. Beside that the cache has 1 KiB.
 */
#ifndef RAID_PAR_SLOT_CACHE_H
#define RAID_PAR_SLOT_CACHE_H

#include <linux/types.h>
#include "pure/slot-map.h"

#define PAR_CACHE_PERIOD	600U	/* seconds */
#define PAR_CACHE_PERIODS	256U	/* whose uses are known: more than a day has */
#define PAR_CACHE_AGES		2048U	/* periods; no use is older */

/* Units of heat: a wake, and the most that a run can have. */
#define PAR_HEAT_WAKE		4096U
#define PAR_HEAT_MAX		0x3ffffU

/**
 * struct par_slot_cache - of a band
 * @map: where the heat is kept; @period: the present one
 * @used: runs that were used in a period, modulo PAR_CACHE_PERIODS
 * @uses, @hits: of runs by period, and those in which the run had a slot that can be used
 */
struct par_slot_cache {
	struct par_slot_map *map;
	u32 period;
	u32 used[PAR_CACHE_PERIODS];
	u64 uses, hits;
};

/* par_slot_cache_init - of a map in which no run has any heat */
void par_slot_cache_init(struct par_slot_cache *cache, struct par_slot_map *map, u32 period);

/*
 * par_slot_cache_use - @run is used in @period, a number that never falls; in any gear. Syncs,
 * scrubs and the mover's copies are no uses, see slots.md.
 */
void par_slot_cache_use(struct par_slot_cache *cache, u32 run, u32 period);

/*
 * par_slot_cache_miss - the same, and it has cost a wake: it is worth a whole one, whatever else is
 * used in the period
 */
void par_slot_cache_miss(struct par_slot_cache *cache, u32 run, u32 period);

/*
 * par_slot_cache_fresh - has @run been used in @period before, so that another use changes
 * nothing? Without the lock: what is wrong then is a use more or less
 */
bool par_slot_cache_fresh(const struct par_slot_cache *cache, u32 run, u32 period);

/*
 * par_slot_cache_heat - of @run, in units of heat
 * par_slot_cache_rank - orders runs by heat, those with the same by their last use: a higher one
 *	is worth more. 0: never used, or long ago
 */
u32 par_slot_cache_heat(const struct par_slot_cache *cache, u32 run);
u32 par_slot_cache_rank(const struct par_slot_cache *cache, u32 run);

/*
 * par_slot_cache_age - a day is over for @count runs from @first on. For each run at least once
 * in PAR_CACHE_PERIODS, or what its last use was worth is taken for the least.
 */
void par_slot_cache_age(struct par_slot_cache *cache, u32 first, u32 count, u32 period);

#endif
