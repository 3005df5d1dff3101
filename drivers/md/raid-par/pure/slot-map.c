// SPDX-License-Identifier: GPL-2.0
/*
 * The slot map: see slot-map.h for the contract.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/slot-map.h"

static_assert(sizeof(struct par_slot) == PAR_SLOT_BYTES);
static_assert(sizeof(struct par_disk_slots) == PAR_BLOCK_PAYLOAD);
static_assert(PAR_SLOT_MEMORY / PAR_RUN_BYTES <= PAR_SLOT_NUMBER + 1);

/* 0: no such transition. No event leads to "given": par_slot_map_give() does. */
#define TO(state)	(PAR_SLOT_##state + 1)

static const u8 par_slot_moves[PAR_SLOT_STATES][PAR_SLOT_EVENTS] = {
	[PAR_SLOT_GIVEN] = {
		[PAR_SLOT_WITHDRAW] = TO(FREE),
		[PAR_SLOT_STORED] = TO(HELD),
	},
	[PAR_SLOT_HELD] = {
		[PAR_SLOT_WRITE] = TO(DIRTY),
		[PAR_SLOT_CLEANED] = TO(HELD),
		[PAR_SLOT_CLOSE] = TO(CLOSED),
	},
	[PAR_SLOT_DIRTY] = {
		[PAR_SLOT_WRITE] = TO(DIRTY),
		[PAR_SLOT_CLEANED] = TO(HELD),
	},
	[PAR_SLOT_CLOSED] = {
		[PAR_SLOT_KEEP] = TO(HELD),
		[PAR_SLOT_ZERO] = TO(ZEROED),
	},
	[PAR_SLOT_ZEROED] = {
		[PAR_SLOT_TOLD] = TO(LEAVING),
	},
	[PAR_SLOT_LEAVING] = {
		[PAR_SLOT_GONE] = TO(FREE),
	},
};

void par_slot_map_init(struct par_slot_map *map, u32 runs, u32 slots, u32 *run,
		       struct par_slot *slot, u16 *free)
{
	u32 first;

	memset(map, 0, sizeof(*map));
	map->runs = runs;
	map->slots = slots;
	map->run = run;
	map->slot = slot;
	map->free = free;
	map->count[PAR_SLOT_FREE] = slots;
	for (first = 0; first < slots; first += PAR_SLOTS_A_BLOCK)
		free[first / PAR_SLOTS_A_BLOCK] = min(slots - first, PAR_SLOTS_A_BLOCK);
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_map_init);

u32 par_slot_any(const struct par_slot_map *map, u32 run)
{
	u32 word = READ_ONCE(map->run[run]);

	return word & PAR_RUN_HAS_SLOT ? word & PAR_SLOT_NUMBER : PAR_NO_SLOT;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_any);

u32 par_slot_of(const struct par_slot_map *map, u32 run)
{
	u32 slot = par_slot_any(map, run);
	enum par_slot_state state;

	if (slot == PAR_NO_SLOT)
		return slot;
	state = par_slot_state(map, slot);
	return state == PAR_SLOT_HELD || state == PAR_SLOT_DIRTY ? slot : PAR_NO_SLOT;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_of);

bool par_slot_givable(const struct par_slot_map *map, u32 run)
{
	u32 slot = par_slot_any(map, run);

	if (slot == PAR_NO_SLOT)
		return READ_ONCE(map->count[PAR_SLOT_FREE]);
	switch (par_slot_state(map, slot)) {
	case PAR_SLOT_CLOSED:
	case PAR_SLOT_ZEROED:
	case PAR_SLOT_LEAVING:
		return false;
	default:
		return true;
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_givable);

u32 par_slot_heat(const struct par_slot_map *map, u32 run)
{
	u32 word = READ_ONCE(map->run[run]);

	return word & PAR_RUN_HAS_SLOT ? map->slot[word & PAR_SLOT_NUMBER].heat : word;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_heat);

void par_slot_set_heat(struct par_slot_map *map, u32 run, u32 heat)
{
	u32 *word = &map->run[run];

	*(*word & PAR_RUN_HAS_SLOT ? &map->slot[*word & PAR_SLOT_NUMBER].heat : word) = heat;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_set_heat);

/* ---- free ones ---- */

static u32 free_in_block(const struct par_slot_map *map, u32 block)
{
	u32 slot = block * PAR_SLOTS_A_BLOCK;

	while (par_slot_state(map, slot) != PAR_SLOT_FREE)
		slot++;
	return slot;
}

u32 par_slot_map_find_free(const struct par_slot_map *map, u32 near)
{
	u32 blocks = DIV_ROUND_UP(map->slots, PAR_SLOTS_A_BLOCK);
	u32 middle = near / PAR_SLOTS_A_BLOCK, off;

	if (!map->count[PAR_SLOT_FREE])
		return PAR_NO_SLOT;
	for (off = 0; ; off++) {
		if (off <= middle && map->free[middle - off])
			return free_in_block(map, middle - off);
		if (middle + off < blocks && map->free[middle + off])
			return free_in_block(map, middle + off);
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_map_find_free);

/* ---- transitions ---- */

static void enter_state(struct par_slot_map *map, u32 slot, enum par_slot_state state)
{
	enum par_slot_state old = par_slot_state(map, slot);
	struct par_slot *to = &map->slot[slot];

	map->count[old]--;
	map->count[state]++;
	map->free[slot / PAR_SLOTS_A_BLOCK] += (state == PAR_SLOT_FREE) - (old == PAR_SLOT_FREE);
	WRITE_ONCE(to->word, (to->word & ~PAR_SLOT_STATE_MASK) | state << PAR_SLOT_STATE_SHIFT);
}

static void assign_run(struct par_slot_map *map, u32 slot, u32 run, enum par_slot_state state)
{
	map->slot[slot] = (struct par_slot) { .word = run, .heat = map->run[run] };
	map->run[run] = PAR_RUN_HAS_SLOT | slot;
	enter_state(map, slot, state);
}

static void free_slot(struct par_slot_map *map, u32 slot)
{
	map->run[par_slot_run_of(map, slot)] = map->slot[slot].heat;
	enter_state(map, slot, PAR_SLOT_FREE);
}

bool par_slot_map_give(struct par_slot_map *map, u32 slot, u32 run)
{
	if (par_slot_state(map, slot) != PAR_SLOT_FREE || par_slot_any(map, run) != PAR_NO_SLOT)
		return false;
	assign_run(map, slot, run, PAR_SLOT_GIVEN);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_map_give);

bool par_slot_map_move(struct par_slot_map *map, u32 slot, enum par_slot_event event)
{
	u8 to = par_slot_moves[par_slot_state(map, slot)][event];

	if (!to)
		return false;
	if (to == TO(FREE))
		free_slot(map, slot);
	else
		enter_state(map, slot, to - 1);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_map_move);

/* ---- as stored ---- */

static bool is_stored(enum par_slot_state state)
{
	return state != PAR_SLOT_FREE && state != PAR_SLOT_LEAVING;
}

void par_slot_map_pack(const struct par_slot_map *map, u32 block, struct par_disk_slots *raw)
{
	u32 slot = block * PAR_SLOTS_A_BLOCK, i;

	memset(raw, 0, sizeof(*raw));
	for (i = 0; i < PAR_SLOTS_A_BLOCK && slot < map->slots; i++, slot++)
		if (is_stored(par_slot_state(map, slot)))
			raw->run[i] = cpu_to_le32(par_slot_run_of(map, slot) + 1);
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_map_pack);

static bool range_right(const struct par_slot_map *map, u32 block,
			const struct par_disk_slots *raw)
{
	u32 slot = block * PAR_SLOTS_A_BLOCK, i;

	for (i = 0; i < PAR_SLOTS_A_BLOCK; i++)
		if (le32_to_cpu(raw->run[i]) > (slot + i < map->slots ? map->runs : 0))
			return false;
	return true;
}

/*
 * The run of a stored slot has slot @other already. If the block is doubtful, and the other one is
 * not, or is newer, @other is right. Otherwise none of them is used: @other stays closed until all
 * blocks are loaded, so that the run gets no third slot.
 */
static bool run_named_twice(struct par_slot_map *map, u32 block, u32 other, bool doubtful)
{
	if (doubtful && other / PAR_SLOTS_A_BLOCK != block)
		return false;
	enter_state(map, other, PAR_SLOT_CLOSED);
	return true;
}

enum par_slot_load par_slot_map_load(struct par_slot_map *map, u32 block,
				     const struct par_disk_slots *raw, bool doubtful)
{
	u32 slot = block * PAR_SLOTS_A_BLOCK, i, run, other;
	bool twice = false;

	if (!range_right(map, block, raw))
		return PAR_SLOT_RANGE;
	for (i = 0; i < PAR_SLOTS_A_BLOCK && slot < map->slots; i++, slot++) {
		run = le32_to_cpu(raw->run[i]);
		if (!run)
			continue;
		other = par_slot_any(map, run - 1);
		if (other == PAR_NO_SLOT)
			assign_run(map, slot, run - 1, PAR_SLOT_HELD);
		else
			twice |= run_named_twice(map, block, other, doubtful);
	}
	return twice ? PAR_SLOT_TWICE : PAR_SLOT_LOADED;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_map_load);

void par_slot_map_loaded(struct par_slot_map *map)
{
	u32 slot;

	for (slot = 0; map->count[PAR_SLOT_CLOSED] && slot < map->slots; slot++)
		if (par_slot_state(map, slot) == PAR_SLOT_CLOSED)
			free_slot(map, slot);
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_map_loaded);
