// SPDX-License-Identifier: GPL-2.0
/*
 * Which runs are filled and which slots are evicted: see slot-choice.h for the contract.
 *
 * While runs are offered, a list is a heap with the worst run on top: so the best thousands of
 * millions of runs are found in one pass. Sorting dissolves the heap.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <kunit/visibility.h>

#include "pure/slot-choice.h"

static bool is_better(const struct par_slot_list *list, const struct par_slot_run *a,
		      const struct par_slot_run *b)
{
	if (a->rank == b->rank)
		return a->run < b->run;
	return list->coldest ? a->rank < b->rank : a->rank > b->rank;
}

static void swap_runs(struct par_slot_list *list, u32 a, u32 b)
{
	struct par_slot_run run = list->run[a];

	list->run[a] = list->run[b];
	list->run[b] = run;
}

static void sift_up(struct par_slot_list *list, u32 at)
{
	while (at && is_better(list, &list->run[(at - 1) / 2], &list->run[at])) {
		swap_runs(list, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

/* The first @count runs are in the heap. */
static void sift_down(struct par_slot_list *list, u32 count)
{
	u32 at = 0, child;

	for (child = 1; child < count; child = 2 * at + 1) {
		if (child + 1 < count &&
		    is_better(list, &list->run[child], &list->run[child + 1]))
			child++;
		if (!is_better(list, &list->run[at], &list->run[child]))
			break;
		swap_runs(list, at, child);
		at = child;
	}
}

void par_slot_list_offer(struct par_slot_list *list, const struct par_slot_run *run)
{
	if (list->count < list->room) {
		list->run[list->count] = *run;
		sift_up(list, list->count++);
	} else if (list->room && is_better(list, run, &list->run[0])) {
		list->run[0] = *run;
		sift_down(list, list->count);
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_list_offer);

void par_slot_list_sort(struct par_slot_list *list)
{
	u32 count;

	for (count = list->count; count > 1; count--) {
		swap_runs(list, 0, count - 1);
		sift_down(list, count - 1);
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_list_sort);

void par_slot_list_wanted(struct par_slot_list *list, const struct par_slot_cache *cache,
			  u32 first, u32 count, u32 sectors)
{
	u32 run;

	for (run = first; run < first + count; run++) {
		const struct par_slot_run offer = {
			par_slot_cache_rank(cache, run), run, sectors
		};

		if (offer.rank && par_slot_any(cache->map, run) == PAR_NO_SLOT)
			par_slot_list_offer(list, &offer);
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_list_wanted);

void par_slot_list_victims(struct par_slot_list *list, const struct par_slot_cache *cache,
			   u32 first, u32 count)
{
	u32 slot;

	for (slot = first; slot < first + count; slot++) {
		struct par_slot_run offer;

		if (par_slot_state(cache->map, slot) != PAR_SLOT_HELD)
			continue;
		offer.run = par_slot_run_of(cache->map, slot);
		offer.rank = par_slot_cache_rank(cache, offer.run);
		offer.sectors = 0;
		par_slot_list_offer(list, &offer);
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_list_victims);

u32 par_slot_reserve(u32 slots)
{
	return max(slots / 64, min(32U, slots / 8));
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_reserve);

u32 par_slot_lacking(const struct par_slot_map *map)
{
	const u32 *count = map->count;
	u32 coming = count[PAR_SLOT_FREE] + count[PAR_SLOT_CLOSED] + count[PAR_SLOT_ZEROED] +
		     count[PAR_SLOT_LEAVING];
	u32 reserve = par_slot_reserve(map->slots);

	return reserve > coming ? reserve - coming : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_lacking);

/* The number of free slots beside the reserve. */
static u32 spare_slots(const struct par_slot_map *map)
{
	u32 reserve = par_slot_reserve(map->slots), free = map->count[PAR_SLOT_FREE];

	return free > reserve ? free - reserve : 0;
}

/* The choice so far. */
struct choice {
	const struct par_slot_map *map;
	const struct par_slot_list *victims;
	struct par_slot_task *task;
	u32 tasks, room;
	u32 spare;		/* free slots beside the reserve */
	u32 evicted;		/* number of victims, from the first on, that are evicted */
};

static void add_task(struct choice *choice, u32 run, bool evict)
{
	struct par_slot_task *task = &choice->task[choice->tasks++];

	task->run = run;
	task->evict = PAR_NO_SLOT;
	if (evict)
		task->evict = par_slot_any(choice->map,
					   choice->victims->run[choice->evicted++].run);
}

static void refill_reserve(struct choice *choice)
{
	u32 lacking = par_slot_lacking(choice->map);

	while (lacking-- && choice->evicted < choice->victims->count &&
	       choice->tasks < choice->room)
		add_task(choice, PAR_NO_RUN, true);
}

/*
 * Does the wanted run keep its slot, or is the slot taken for a hotter run? Victims are sorted, so
 * all up to the last evicted one are evicted.
 */
static bool keeps_slot(const struct choice *choice, const struct par_slot_run *want)
{
	const struct par_slot_list *victims = choice->victims;
	u32 slot = par_slot_any(choice->map, want->run);

	return par_slot_state(choice->map, slot) != PAR_SLOT_HELD || !choice->evicted ||
	       is_better(victims, &victims->run[choice->evicted - 1], want);
}

static bool add_wanted(struct choice *choice, const struct par_slot_run *want)
{
	const struct par_slot_list *victims = choice->victims;
	bool evict = false;

	if (par_slot_any(choice->map, want->run) != PAR_NO_SLOT) {
		if (!keeps_slot(choice, want))
			return false;
	} else if (choice->spare) {
		choice->spare--;
	} else if (choice->evicted < victims->count &&
		   victims->run[choice->evicted].rank < want->rank) {
		evict = true;
	} else {
		return false;
	}
	add_task(choice, want->run, evict);
	return true;
}

u32 par_slot_choose(const struct par_slot_map *map, const struct par_slot_list *wanted,
		    const struct par_slot_list *victims, const struct par_slot_limits *limits,
		    struct par_slot_task *task, u32 room)
{
	const struct par_slot_list none = { };
	struct choice choice = {
		.map = map,
		.victims = limits->whole ? victims : &none,
		.task = task,
		.room = room,
		.spare = spare_slots(map),
	};
	u64 left = limits->sectors;
	u32 i;

	refill_reserve(&choice);
	for (i = 0; i < wanted->count && choice.tasks < room; i++) {
		if (wanted->run[i].sectors > left)
			break;
		if (add_wanted(&choice, &wanted->run[i]))
			left -= wanted->run[i].sectors;
	}
	return choice.tasks;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_choose);

void par_slot_agree(const struct par_slot_map *map, struct par_slot_task *task, u32 count)
{
	u32 spare = spare_slots(map), i;

	for (i = 0; i < count; i++) {
		if (task[i].run == PAR_NO_RUN || par_slot_any(map, task[i].run) != PAR_NO_SLOT)
			continue;
		if (spare)
			spare--;
		else
			task[i].run = PAR_NO_RUN;
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_agree);

u32 par_slot_first_run(const struct par_slot_task *task, u32 count)
{
	u32 i = 0;

	while (i < count && task[i].run == PAR_NO_RUN)
		i++;
	return i;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_first_run);
