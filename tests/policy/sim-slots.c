// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "sim-array.h"

#define GIB_SECTORS	(2ULL << 20)

/* ---- set-up ---- */

struct sim_slots *slots_new(const struct par_geometry *geo)
{
	struct sim_slots *slots;
	unsigned int i;

	if (!par_has_slots(geo))
		return NULL;
	slots = zeroed(1, sizeof(*slots));
	slots->fill_bytes = SLOTS_FILL_BYTES;
	slots->fill_time = SLOTS_FILL_TIME;
	for (i = 1; i < geo->gears; i++) {
		const struct par_band *band = &geo->band[i];
		struct slots_band *fill = &slots->band[i];

		par_slot_map_init(&slots->map[i], band->runs, band->slots, zeroed(band->runs, 4),
				  zeroed(band->slots, sizeof(struct par_slot)),
				  zeroed(band->slots / PAR_SLOTS_A_BLOCK + 1, 2));
		par_slot_cache_init(&slots->cache[i], &slots->map[i], 0);
		fill->room = min_t(u64, band->slots, SLOTS_FILL_RUNS);
		fill->wanted = zeroed(fill->room, sizeof(*fill->wanted));
		fill->victims = zeroed(fill->room, sizeof(*fill->victims));
		fill->task = zeroed(fill->room, sizeof(*fill->task));
	}
	return slots;
}

void slots_free(struct sim_slots *slots, const struct par_geometry *geo)
{
	unsigned int i;

	for (i = 1; slots && i < geo->gears; i++) {
		free(slots->map[i].run);
		free(slots->map[i].slot);
		free(slots->map[i].free);
		free(slots->band[i].wanted);
		free(slots->band[i].victims);
		free(slots->band[i].task);
	}
	free(slots);
}

/* splitmix64 of the GiB of the array in which the run's data lies */
bool slots_filled(const struct par_geometry *geo, u64 run, unsigned int written)
{
	u64 gib = (run << geo->run_shift) * (geo->members - geo->parities) / GIB_SECTORS;
	u64 z = (gib + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) % 100 < written;
}

void slots_fill(struct array *array, unsigned int written)
{
	const struct par_geometry *geo = &array->geo;
	unsigned int band;
	u64 run;

	for (band = 1; written && array->slots && band < geo->gears; band++) {
		struct par_slot_map *map = &array->slots->map[band];

		for (run = 0; run < map->runs / 10 * 7; run++) {
			u32 near = par_slot_near(geo, band, run), slot;

			if (!slots_filled(geo, run, written))
				continue;
			slot = par_slot_map_find_free(map, min(near, map->slots - 1));
			if (slot == PAR_NO_SLOT || !par_slot_map_give(map, slot, run))
				return;
			par_slot_map_move(map, slot, PAR_SLOT_STORED);
		}
	}
}

/* ---- places ---- */

static u32 slot_of(const struct array *array, unsigned int d, u64 x)
{
	const struct par_geometry *geo = &array->geo;

	return par_slot_of(&array->slots->map[par_image_set(geo, d)], par_slot_run(geo, x));
}

bool slots_has(const struct array *array, unsigned int d, u64 x)
{
	return slot_of(array, d, x) != PAR_NO_SLOT;
}

u64 slots_image(const struct array *array, unsigned int d, u64 x)
{
	return par_slot_image(&array->geo, d, slot_of(array, d, x), x);
}

u64 slots_sector(const struct par_geometry *geo, u64 x)
{
	unsigned int set = geo->gears;

	while (set > 1 && x >= par_set_offset(geo, set - 1, 0))
		set--;
	return par_slot_sector(geo, set, x - par_set_offset(geo, set, 0));
}

/* ---- uses and misses ---- */

static u32 period_of(u64 now)
{
	return now / NSEC_PER_SEC / PAR_CACHE_PERIOD;
}

/* Requests that are sent ahead of their time may be of a later period than the next one. */
static u32 not_before(const struct par_slot_cache *cache, u64 now)
{
	return max(period_of(now), cache->period);
}

static void heat_around(struct sim_slots *slots, unsigned int band, u32 run, u32 period)
{
	struct par_slot_cache *cache = &slots->cache[band];
	u32 other = run - min(run, slots->around);

	for (; slots->around && other <= run + slots->around; other++)
		if (other != run && other < cache->map->runs && !par_slot_cache_heat(cache, other))
			par_slot_cache_miss(cache, other, period);
}

void slots_use(struct array *array, unsigned int d, u64 x, u64 now, bool write, bool prior)
{
	unsigned int band = par_image_set(&array->geo, d);
	struct par_slot_cache *cache = &array->slots->cache[band];
	u32 run = par_slot_run(&array->geo, x), slots = cache->map->slots;
	u32 period = not_before(cache, now);

	if (run >= cache->map->runs || par_slot_cache_fresh(cache, run, period))
		return;
	if (band >= array->gear) {
		array->slots->hits += par_slot_of(cache->map, run) != PAR_NO_SLOT;
	} else if (!(prior && array->log) &&
		   par_slot_cache_lacks(cache, run, slots - par_slot_reserve(slots))) {
		array->slots->lacking[band]++;
		heat_around(array->slots, band, run, period);
	}
	if (write && band < array->gear)
		par_slot_cache_write(cache, run, period);
	else
		par_slot_cache_use(cache, run, period);
}

void slots_beside(struct array *array, u64 x, u64 now)
{
	u32 run = par_slot_run(&array->geo, x);
	unsigned int band;

	for (band = 1; array->slots->all_uses && band < array->geo.gears; band++) {
		struct par_slot_cache *cache = &array->slots->cache[band];

		if (run < cache->map->runs && x < par_set_offset(&array->geo, array->geo.gears - 1, 0))
			par_slot_cache_use(cache, run, not_before(cache, now));
	}
}

void slots_miss(struct array *array, unsigned int d, u64 x, u64 now)
{
	unsigned int band = par_image_set(&array->geo, d);
	struct par_slot_cache *cache = &array->slots->cache[band];
	u32 run = par_slot_run(&array->geo, x), next;

	for (next = run; next <= run + 1; next++)
		if (next < cache->map->runs)
			par_slot_cache_miss(cache, next, not_before(cache, now));
	heat_around(array->slots, band, run, not_before(cache, now));
	array->slots->lacking[band]++;
	array->slots->misses++;
}

/* ---- states of slots ---- */

void slots_written(struct array *array, unsigned int d, u64 x)
{
	par_slot_map_move(&array->slots->map[par_image_set(&array->geo, d)],
			  slot_of(array, d, x), PAR_SLOT_WRITE);
}

void slots_cleaned(struct array *array)
{
	unsigned int band;
	u32 slot;

	for (band = 1; array->slots && band < array->gear; band++) {
		struct par_slot_map *map = &array->slots->map[band];

		for (slot = 0; map->count[PAR_SLOT_DIRTY] && slot < map->slots; slot++)
			if (par_slot_state(map, slot) == PAR_SLOT_DIRTY)
				par_slot_map_move(map, slot, PAR_SLOT_CLEANED);
	}
}

/* ---- the segments of a run ---- */

static u64 end_of_run(const struct par_geometry *geo, unsigned int band, u32 run)
{
	return min((u64)(run + 1) << geo->run_shift, par_set_offset(geo, band, 0));
}

static u64 run_lacks(const struct array *array, unsigned int band, u32 run)
{
	const struct par_geometry *geo = &array->geo;
	unsigned int d;
	u64 sum = 0, x;

	for (d = geo->set[band].members; d < geo->set[band + 1].members; d++)
		for (x = (u64)run << geo->run_shift; x < end_of_run(geo, band, run);
		     x += geo->seg_sectors)
			sum += array_segment(array, d, x) == SIM_HOME;
	return sum;
}

static void set_run(struct array *array, unsigned int band, u32 run, enum sim_state state)
{
	const struct par_geometry *geo = &array->geo;
	unsigned int d;
	u64 x;

	for (d = geo->set[band].members; d < geo->set[band + 1].members; d++)
		for (x = (u64)run << geo->run_shift; x < end_of_run(geo, band, run);
		     x += geo->seg_sectors)
			array_set_segment(array, d, x, state);
}

/* ---- the choice of a shift down ---- */

static void list_lacking(struct array *array, unsigned int band, struct par_slot_list *list)
{
	const struct par_slot_map *map = &array->slots->map[band];
	u32 slot;

	for (slot = 0; slot < map->slots; slot++) {
		enum par_slot_state state = par_slot_state(map, slot);
		struct par_slot_run run = { .run = par_slot_run_of(map, slot) };

		if (state != PAR_SLOT_HELD && state != PAR_SLOT_DIRTY)
			continue;
		run.sectors = run_lacks(array, band, run.run) * array->geo.seg_sectors;
		run.rank = par_slot_cache_rank(&array->slots->cache[band], run.run);
		if (run.sectors)
			par_slot_list_offer(list, &run);
	}
}

static void do_task(struct array *array, unsigned int band, const struct par_slot_task *task)
{
	struct par_slot_map *map = &array->slots->map[band];
	u32 near, slot;

	if (task->evict != PAR_NO_SLOT) {
		/* What is without a slot is at home; 0 is what array_segment() does not look at. */
		set_run(array, band, par_slot_run_of(map, task->evict), SIM_BOTH);
		par_slot_map_move(map, task->evict, PAR_SLOT_CLOSE);
		par_slot_map_move(map, task->evict, PAR_SLOT_TOLD);
		par_slot_map_move(map, task->evict, PAR_SLOT_GONE);
	}
	if (task->run == PAR_NO_RUN || par_slot_any(map, task->run) != PAR_NO_SLOT)
		return;
	near = par_slot_near(&array->geo, band, task->run);
	slot = par_slot_map_find_free(map, min(near, map->slots - 1));
	if (slot == PAR_NO_SLOT || !par_slot_map_give(map, slot, task->run))
		return;
	par_slot_map_move(map, slot, PAR_SLOT_STORED);
	set_run(array, band, task->run, SIM_HOME);
}

static void choose_band(struct array *array, unsigned int band)
{
	const struct par_slot_limits limits = {
		.sectors = array->slots->fill_bytes / 512, .whole = true,
	};
	struct par_slot_cache *cache = &array->slots->cache[band];
	struct slots_band *fill = &array->slots->band[band];
	struct par_slot_list wanted = { .run = fill->wanted, .room = fill->room };
	struct par_slot_list victims = { .run = fill->victims, .room = fill->room,
					 .coldest = true };
	u32 i;

	par_slot_list_wanted(&wanted, cache, 0, cache->map->runs,
			     array->geo.band[band].imaged << array->geo.run_shift);
	list_lacking(array, band, &wanted);
	par_slot_list_victims(&victims, cache, 0, cache->map->slots);
	par_slot_list_sort(&wanted);
	par_slot_list_sort(&victims);
	fill->count = par_slot_choose(cache->map, &wanted, &victims, &limits, fill->task,
				      fill->room);
	fill->begun = par_slot_first_run(fill->task, fill->count);
	par_slot_cache_chosen(cache);
	/* All evictions come before the first slot is given, as in choose_band() of fill.c. */
	for (i = 0; i < fill->count; i++)
		do_task(array, band, &(struct par_slot_task){ PAR_NO_RUN, fill->task[i].evict });
	for (i = 0; i < fill->count; i++)
		do_task(array, band, &(struct par_slot_task){ fill->task[i].run, PAR_NO_SLOT });
}

void slots_age(struct array *array, u64 now)
{
	struct sim_slots *slots = array->slots;
	unsigned int band;

	for (; slots && slots->days < now / NSEC_PER_SEC / PAR_RATION_DAY; slots->days++)
		for (band = 1; band < array->geo.gears; band++)
			par_slot_cache_age(&slots->cache[band], 0, slots->map[band].runs,
					   not_before(&slots->cache[band], now));
}

void slots_choose(struct array *array, u64 now)
{
	struct sim_slots *slots = array->slots;
	unsigned int band;

	for (band = array->gear; band-- > array->target; )
		choose_band(array, band);
	slots->until = now + slots->fill_time * NSEC_PER_SEC;
}

bool slots_late(struct array *array, unsigned int band, u32 task, u64 now)
{
	struct slots_band *fill = &array->slots->band[band];

	if (task < fill->count && task > fill->begun) {
		fill->begun = task;
		if (now >= array->slots->until)
			fill->count = task;
	}
	return task >= fill->count;
}

u64 slots_left(const struct array *array, unsigned int gear)
{
	unsigned int band;
	u64 sum = 0;
	u32 i;

	for (band = gear; band < array->geo.gears; band++) {
		const struct slots_band *fill = &array->slots->band[band];
		const struct par_slot_map *map = &array->slots->map[band];

		for (i = 0; i < fill->count; i++)
			if (fill->task[i].run != PAR_NO_RUN &&
			    par_slot_of(map, fill->task[i].run) != PAR_NO_SLOT)
				sum += run_lacks(array, band, fill->task[i].run);
	}
	return sum;
}

u64 slots_owed(const struct array *array, unsigned int gear)
{
	const struct par_geometry *geo = &array->geo;
	unsigned int band;
	u64 used = 0;

	for (band = gear; band < geo->gears; band++)
		used += (u64)array->slots->cache[band].since *
			(geo->band[band].imaged << (geo->run_shift - geo->seg_shift));
	return min(used, array->slots->fill_bytes / 512 / geo->seg_sectors);
}
