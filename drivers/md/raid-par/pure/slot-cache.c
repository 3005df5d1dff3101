// SPDX-License-Identifier: GPL-2.0
/*
 * The heat of runs: see slot-cache.h for the contract.
 *
 * The number of runs that are used in a period is known only when the period is over. So the
 * last use of a run stays open: its worth is added when the run is used again, or ages.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/slot-cache.h"

/* A run's word: the period of its last use, whether this use is open, and the heat without it. */
#define PERIOD_MASK	0xfffU
#define OPEN		BIT(12)
#define HEAT_SHIFT	13

#define LEVELS_AN_OCTAVE	4U
#define MOST_OCTAVE	18U

static_assert(PAR_HEAT_MAX << HEAT_SHIFT < PAR_RUN_HAS_SLOT);
static_assert(!(PAR_HEAT_MAX >> MOST_OCTAVE));
static_assert(LEVELS_AN_OCTAVE * MOST_OCTAVE <= PAR_CACHE_LEVELS);
static_assert(PAR_CACHE_AGES < PERIOD_MASK && PAR_CACHE_PERIODS < PAR_CACHE_AGES);

void par_slot_cache_init(struct par_slot_cache *cache, struct par_slot_map *map, u32 period)
{
	memset(cache, 0, sizeof(*cache));
	cache->at_level[0] = map->runs;
	cache->map = map;
	cache->period = period;
	cache->chosen = period;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_init);

void par_slot_cache_chosen(struct par_slot_cache *cache)
{
	cache->chosen = cache->period;
	cache->since = 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_chosen);

static u32 age_of(const struct par_slot_cache *cache, u32 word)
{
	return (cache->period - word) & PERIOD_MASK;
}

static u32 heat_of(const struct par_slot_cache *cache, u32 word)
{
	u32 age = age_of(cache, word), used = 0, worth = 1;

	if (!(word & OPEN))
		return word >> HEAT_SHIFT;
	if (age < PAR_CACHE_PERIODS)
		used = cache->used[(cache->period - age) % PAR_CACHE_PERIODS];
	if (used)
		worth = max(1U, PAR_HEAT_WAKE / used);
	return min((word >> HEAT_SHIFT) + worth, PAR_HEAT_MAX);
}

/*
 * The level of a run, without the worth of its open use, which is not known yet: an open use
 * counts for the least. Levels 0 to 4 have one value each, further ones are a quarter of an octave.
 */
static u32 level_of(u32 word)
{
	u32 heat = (word >> HEAT_SHIFT) + !!(word & OPEN), octave;

	if (heat < LEVELS_AN_OCTAVE)
		return heat;
	octave = ilog2(heat);
	return LEVELS_AN_OCTAVE * (octave - 1) +
	       (heat >> (octave - 2)) % LEVELS_AN_OCTAVE;
}

static void set_word(struct par_slot_cache *cache, u32 run, u32 old, u32 word)
{
	cache->at_level[level_of(old)]--;
	cache->at_level[level_of(word)]++;
	par_slot_set_heat(cache->map, run, word);
}

static void enter_period(struct par_slot_cache *cache, u32 period)
{
	if (period != cache->period)
		memset(cache->missed, 0, sizeof(cache->missed));
	if (period - cache->period >= PAR_CACHE_PERIODS)
		memset(cache->used, 0, sizeof(cache->used));
	else
		while (cache->period != period)
			cache->used[++cache->period % PAR_CACHE_PERIODS] = 0;
	cache->period = period;
}

/* As if the runs had been used in the period before: the next use is the first since the start. */
void par_slot_cache_loaded(struct par_slot_cache *cache)
{
	u32 slot, run;

	for (slot = 0; slot < cache->map->slots; slot++) {
		if (par_slot_state(cache->map, slot) == PAR_SLOT_FREE)
			continue;
		run = par_slot_run_of(cache->map, slot);
		set_word(cache, run, par_slot_heat(cache->map, run),
			 PAR_HEAT_LOADED << HEAT_SHIFT | ((cache->period - 1) & PERIOD_MASK));
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_loaded);

/*
 * Is a use the first one of its run since the last choice? If the run was used before in the same
 * period, it has been counted, or the choice knew it.
 */
static bool is_first_since(const struct par_slot_cache *cache, u32 word)
{
	u32 age = age_of(cache, word);

	return !word || (age && age >= min(cache->period - cache->chosen, PAR_CACHE_PERIODS));
}

void par_slot_cache_use(struct par_slot_cache *cache, u32 run, u32 period)
{
	u32 word = par_slot_heat(cache->map, run);

	enter_period(cache, period);
	if (word & OPEN && !age_of(cache, word))
		return;
	/* The images of a run with a slot were made before. */
	if (par_slot_of(cache->map, run) == PAR_NO_SLOT)
		cache->since += is_first_since(cache, word);
	else
		cache->hits++;
	set_word(cache, run, word, heat_of(cache, word) << HEAT_SHIFT | OPEN |
				   (period & PERIOD_MASK));
	cache->used[period % PAR_CACHE_PERIODS]++;
	cache->uses++;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_use);

void par_slot_cache_write(struct par_slot_cache *cache, u32 run, u32 period)
{
	u32 word = par_slot_heat(cache->map, run);

	enter_period(cache, period);
	if (par_slot_of(cache->map, run) != PAR_NO_SLOT && !(word & OPEN && !age_of(cache, word)))
		cache->since += is_first_since(cache, word);
	par_slot_cache_use(cache, run, period);
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_write);

/* Returns true if the wake for @run has been counted in this period; notes it otherwise. */
static bool is_missed(struct par_slot_cache *cache, u32 run)
{
	unsigned int i;

	for (i = 0; i < PAR_CACHE_MISSED; i++)
		if (cache->missed[i] == run + 1)
			return true;
	cache->missed[cache->next] = run + 1;
	cache->next = (cache->next + 1) % PAR_CACHE_MISSED;
	return false;
}

void par_slot_cache_miss(struct par_slot_cache *cache, u32 run, u32 period)
{
	u32 word = par_slot_heat(cache->map, run), heat;

	enter_period(cache, period);
	if (is_missed(cache, run))
		return;
	/* With a slot, a use before has not been counted: it was a hit. */
	cache->since += is_first_since(cache, word) || par_slot_of(cache->map, run) != PAR_NO_SLOT;
	heat = min(par_slot_cache_heat(cache, run) + PAR_HEAT_WAKE, PAR_HEAT_MAX);
	set_word(cache, run, word, heat << HEAT_SHIFT | (period & PERIOD_MASK));
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_miss);

bool par_slot_cache_fresh(const struct par_slot_cache *cache, u32 run, u32 period)
{
	u32 word = par_slot_heat(cache->map, run);

	return period == cache->period && word & OPEN && !age_of(cache, word);
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_fresh);

bool par_slot_cache_lacks(const struct par_slot_cache *cache, u32 run, u32 slots)
{
	u32 level = level_of(par_slot_heat(cache->map, run)), at, hotter = 0;

	if (par_slot_of(cache->map, run) != PAR_NO_SLOT)
		return false;
	for (at = PAR_CACHE_LEVELS; level && --at > level; )
		hotter += cache->at_level[at];
	return !level || hotter + cache->at_level[level] / 2 >= slots;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_lacks);

u32 par_slot_cache_hot(const struct par_slot_cache *cache)
{
	return cache->map ? cache->map->runs - cache->at_level[0] : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_hot);

u32 par_slot_cache_heat(const struct par_slot_cache *cache, u32 run)
{
	return heat_of(cache, par_slot_heat(cache->map, run));
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_heat);

u32 par_slot_cache_rank(const struct par_slot_cache *cache, u32 run)
{
	u32 word = par_slot_heat(cache->map, run);

	if (!word)
		return 0;
	return heat_of(cache, word) << 12 | (PERIOD_MASK - age_of(cache, word));
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_rank);

static u32 aged_word(const struct par_slot_cache *cache, u32 word)
{
	u32 heat = heat_of(cache, word), age = age_of(cache, word);

	/* The uses of a period are not all known before the period is over. */
	if (word & OPEN && !age)
		return (word >> HEAT_SHIFT) * 3 / 4 << HEAT_SHIFT | (word & (OPEN | PERIOD_MASK));
	heat = heat * 3 / 4;
	if (!heat)
		return 0;
	return heat << HEAT_SHIFT | ((cache->period - min(age, PAR_CACHE_AGES)) & PERIOD_MASK);
}

void par_slot_cache_age(struct par_slot_cache *cache, u32 first, u32 count, u32 period)
{
	u32 run;

	enter_period(cache, period);
	for (run = first; run < first + count; run++) {
		u32 word = par_slot_heat(cache->map, run);

		if (word)
			set_word(cache, run, word, aged_word(cache, word));
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_cache_age);
