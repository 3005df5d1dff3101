// SPDX-License-Identifier: GPL-2.0
/*
 * The slot map, compared with two plain arrays: random walks with all events; each possible and
 * each impossible transition; blocks that are stored and read, that are damaged in any byte, and
 * that have impossible values.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/format.h"
#include "pure/slot-map.h"

#define SLOTS	2500U	/* three blocks, the last one not full */
#define RUNS	4000U
#define BLOCKS	3U
#define EPOCH	0x51075107ULL
#define NOBODY	U32_MAX

struct dumb {
	u32 run[SLOTS];
	enum par_slot_state state[SLOTS];
	u32 heat[RUNS];
};

struct walk {
	struct par_slot_map map;
	struct par_slot slot[SLOTS];
	u32 run[RUNS];
	u16 free[BLOCKS];
	struct dumb dumb;
	struct rnd_state random;
	struct par_disk_block raw;
};

static struct walk *new_walk(struct kunit *test)
{
	struct walk *walk = kunit_kzalloc(test, sizeof(*walk), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, walk);
	prandom_seed_state(&walk->random, 23);
	par_slot_map_init(&walk->map, RUNS, SLOTS, walk->run, walk->slot, walk->free);
	for (i = 0; i < SLOTS; i++)
		walk->dumb.run[i] = NOBODY;
	return walk;
}

static u32 any(struct walk *walk, u32 below)
{
	return prandom_u32_state(&walk->random) % below;
}

static u32 dumb_slot(const struct walk *walk, u32 run)
{
	u32 slot;

	for (slot = 0; slot < SLOTS; slot++)
		if (walk->dumb.run[slot] == run)
			return slot;
	return PAR_NO_SLOT;
}

/* The transitions, written independently of the module. */
static bool dumb_move(struct walk *walk, u32 slot, enum par_slot_event event)
{
	enum par_slot_state *state = &walk->dumb.state[slot], old = *state;
	bool of_run = old == PAR_SLOT_HELD || old == PAR_SLOT_DIRTY;

	if (event == PAR_SLOT_STORED && old == PAR_SLOT_GIVEN)
		*state = PAR_SLOT_HELD;
	else if (event == PAR_SLOT_WRITE && of_run)
		*state = PAR_SLOT_DIRTY;
	else if (event == PAR_SLOT_CLEANED && of_run)
		*state = PAR_SLOT_HELD;
	else if (event == PAR_SLOT_CLOSE && old == PAR_SLOT_HELD)
		*state = PAR_SLOT_CLOSED;
	else if (event == PAR_SLOT_KEEP && old == PAR_SLOT_CLOSED)
		*state = PAR_SLOT_HELD;
	else if (event == PAR_SLOT_ZERO && old == PAR_SLOT_CLOSED)
		*state = PAR_SLOT_ZEROED;
	else if (event == PAR_SLOT_TOLD && old == PAR_SLOT_ZEROED)
		*state = PAR_SLOT_LEAVING;
	else if ((event == PAR_SLOT_WITHDRAW && old == PAR_SLOT_GIVEN) ||
		 (event == PAR_SLOT_GONE && old == PAR_SLOT_LEAVING))
		*state = PAR_SLOT_FREE;
	else
		return false;
	if (*state == PAR_SLOT_FREE)
		walk->dumb.run[slot] = NOBODY;
	return true;
}

static u32 distance(u32 a, u32 b)
{
	return a > b ? a - b : b - a;
}

/* No block that is nearer has a free slot. */
static void judge_free(struct kunit *test, struct walk *walk, u32 near, u32 found)
{
	u32 slot, best = U32_MAX;

	for (slot = 0; slot < SLOTS; slot++)
		if (walk->dumb.state[slot] == PAR_SLOT_FREE)
			best = min(best, distance(slot / 960, near / 960));
	KUNIT_ASSERT_EQ(test, found == PAR_NO_SLOT, best == U32_MAX);
	if (found == PAR_NO_SLOT)
		return;
	KUNIT_ASSERT_EQ(test, walk->dumb.state[found], PAR_SLOT_FREE);
	KUNIT_ASSERT_EQ(test, distance(found / 960, near / 960), best);
}

static void give_some(struct kunit *test, struct walk *walk)
{
	u32 run = any(walk, RUNS), near = any(walk, SLOTS), slot;
	bool has = dumb_slot(walk, run) != PAR_NO_SLOT;

	slot = par_slot_map_find_free(&walk->map, near);
	judge_free(test, walk, near, slot);
	if (slot == PAR_NO_SLOT || !any(walk, 8))
		slot = any(walk, SLOTS);
	if (walk->dumb.state[slot] != PAR_SLOT_FREE || has) {
		KUNIT_ASSERT_FALSE(test, par_slot_map_give(&walk->map, slot, run));
		return;
	}
	KUNIT_ASSERT_TRUE(test, par_slot_map_give(&walk->map, slot, run));
	walk->dumb.run[slot] = run;
	walk->dumb.state[slot] = PAR_SLOT_GIVEN;
}

static void judge_run(struct kunit *test, struct walk *walk, u32 run)
{
	u32 slot = dumb_slot(walk, run);
	bool used = slot != PAR_NO_SLOT && (walk->dumb.state[slot] == PAR_SLOT_HELD ||
					    walk->dumb.state[slot] == PAR_SLOT_DIRTY);

	KUNIT_ASSERT_EQ(test, par_slot_any(&walk->map, run), slot);
	KUNIT_ASSERT_EQ(test, par_slot_of(&walk->map, run), used ? slot : PAR_NO_SLOT);
	if (slot != PAR_NO_SLOT)
		KUNIT_ASSERT_EQ(test, par_slot_run_of(&walk->map, slot), run);
}

/* The heat stays with the run when the run gets or loses a slot. */
static void judge_heat(struct kunit *test, struct walk *walk, u32 run)
{
	KUNIT_ASSERT_EQ(test, par_slot_heat(&walk->map, run), walk->dumb.heat[run]);
	if (any(walk, 4))
		return;
	walk->dumb.heat[run] = prandom_u32_state(&walk->random) >> 1;
	par_slot_set_heat(&walk->map, run, walk->dumb.heat[run]);
}

/* The payload of a block: 0 for slots that are free, or are to be stored as free. */
static void judge_block(struct kunit *test, struct walk *walk, u32 block)
{
	struct par_disk_slots *raw = (struct par_disk_slots *)walk->raw.payload;
	u32 i, slot;

	par_slot_map_pack(&walk->map, block, raw);
	for (i = 0; i < 960; i++) {
		enum par_slot_state state;
		u32 expected = 0;

		slot = block * 960 + i;
		state = slot < SLOTS ? walk->dumb.state[slot] : PAR_SLOT_FREE;
		if (state != PAR_SLOT_FREE && state != PAR_SLOT_LEAVING)
			expected = walk->dumb.run[slot] + 1;
		KUNIT_ASSERT_EQ(test, le32_to_cpu(raw->run[i]), expected);
	}
}

static void judge_counts(struct kunit *test, struct walk *walk)
{
	u32 count[PAR_SLOT_STATES] = {}, slot;
	unsigned int i;

	for (slot = 0; slot < SLOTS; slot++)
		count[walk->dumb.state[slot]]++;
	for (i = 0; i < PAR_SLOT_STATES; i++)
		KUNIT_ASSERT_EQ(test, walk->map.count[i], count[i]);
}

/* Thousands of possible and impossible events; in the first half more slots are given. */
static void map_against_arrays(struct kunit *test)
{
	struct walk *walk = new_walk(test);
	unsigned int step, moved = 0;

	for (step = 0; step < 24000; step++) {
		u32 slot = any(walk, SLOTS);
		enum par_slot_event event = 1 + any(walk, PAR_SLOT_EVENTS - 1);

		if (any(walk, 4) < (step < 12000 ? 2 : 1))
			give_some(test, walk);
		if (step >= 12000 || event != PAR_SLOT_CLOSE) {
			bool could = dumb_move(walk, slot, event);

			KUNIT_ASSERT_EQ(test, par_slot_map_move(&walk->map, slot, event), could);
			moved += could;
		}
		KUNIT_ASSERT_EQ(test, par_slot_state(&walk->map, slot), walk->dumb.state[slot]);
		judge_run(test, walk, any(walk, RUNS));
		judge_heat(test, walk, any(walk, RUNS));
		if (step % 997 == 0) {
			judge_block(test, walk, any(walk, BLOCKS));
			judge_counts(test, walk);
		}
	}
	KUNIT_EXPECT_GT(test, moved, 3000);
}

/* Slots are found until all are given; a slot that becomes free is found again. */
static void free_until_full(struct kunit *test)
{
	struct walk *walk = new_walk(test);
	u32 i, slot;

	for (i = 0; i < SLOTS; i++) {
		slot = par_slot_map_find_free(&walk->map, 1500);
		KUNIT_ASSERT_LT(test, slot, SLOTS);
		KUNIT_ASSERT_TRUE(test, par_slot_map_give(&walk->map, slot, i));
	}
	KUNIT_EXPECT_EQ(test, par_slot_map_find_free(&walk->map, 0), PAR_NO_SLOT);
	slot = par_slot_any(&walk->map, 777);
	KUNIT_ASSERT_TRUE(test, par_slot_map_move(&walk->map, slot, PAR_SLOT_WITHDRAW));
	KUNIT_EXPECT_EQ(test, par_slot_map_find_free(&walk->map, SLOTS - 1), slot);
}

/* A stored block is read as it was; states that are not stored become "held" or "free". */
static void blocks_stored_and_read(struct kunit *test)
{
	struct walk *walk = new_walk(test), *other = new_walk(test);
	u32 block, run, slot;

	for (run = 0; run < RUNS; run += 2) {
		slot = par_slot_map_find_free(&walk->map, any(walk, SLOTS));
		KUNIT_ASSERT_TRUE(test, par_slot_map_give(&walk->map, slot, run));
		par_slot_map_move(&walk->map, slot, PAR_SLOT_STORED);
		if (run % 6 == 0)
			par_slot_map_move(&walk->map, slot, PAR_SLOT_CLOSE);
		if (run % 4 == 0)
			par_slot_map_move(&walk->map, slot, PAR_SLOT_ZERO);
		if (run % 24 == 0)
			par_slot_map_move(&walk->map, slot, PAR_SLOT_TOLD);
	}
	for (block = 0; block < BLOCKS; block++) {
		void *payload = walk->raw.payload;

		par_slot_map_pack(&walk->map, block, payload);
		par_block_seal(&walk->raw, PAR_BLOCK_SLOT, block, EPOCH, 7);
		KUNIT_ASSERT_TRUE(test, par_block_check(&walk->raw, PAR_BLOCK_SLOT, block, EPOCH));
		KUNIT_EXPECT_FALSE(test, par_block_check(&walk->raw, PAR_BLOCK_MAP, block, EPOCH));
		KUNIT_EXPECT_FALSE(test, par_block_check(&walk->raw, PAR_BLOCK_SLOT, block + 1,
							 EPOCH));
		KUNIT_EXPECT_FALSE(test, par_block_check(&walk->raw, PAR_BLOCK_SLOT, block,
							 EPOCH + 1));
		KUNIT_ASSERT_EQ(test, par_slot_map_load(&other->map, block, payload, false),
				PAR_SLOT_LOADED);
	}
	for (run = 0; run < RUNS; run++) {
		bool stored = run % 2 == 0 && run % 24 != 0;

		KUNIT_ASSERT_EQ(test, par_slot_of(&other->map, run),
				stored ? par_slot_any(&walk->map, run) : PAR_NO_SLOT);
	}
	KUNIT_EXPECT_EQ(test, other->map.count[PAR_SLOT_HELD], RUNS / 2 - DIV_ROUND_UP(RUNS, 24));
}

/* Each changed byte is detected, of the header and of the payload. */
static void blocks_damaged(struct kunit *test)
{
	struct walk *walk = new_walk(test);
	unsigned int at;

	KUNIT_ASSERT_TRUE(test, par_slot_map_give(&walk->map, 3, 5));
	par_slot_map_pack(&walk->map, 0, (void *)walk->raw.payload);
	par_block_seal(&walk->raw, PAR_BLOCK_SLOT, 0, EPOCH, 7);
	for (at = 0; at < sizeof(walk->raw); at += at < 160 ? 1 : 61) {
		u8 *byte = (u8 *)&walk->raw + at;

		*byte ^= 0x10;
		KUNIT_EXPECT_FALSE_MSG(test, par_block_check(&walk->raw, PAR_BLOCK_SLOT, 0, EPOCH),
				       "byte %u", at);
		*byte ^= 0x10;
	}
	KUNIT_EXPECT_TRUE(test, par_block_check(&walk->raw, PAR_BLOCK_SLOT, 0, EPOCH));
}

/* The checksum is right, and a value is impossible. */
static void blocks_that_lie(struct kunit *test)
{
	struct walk *walk = new_walk(test);
	struct par_disk_slots *raw = (struct par_disk_slots *)walk->raw.payload;

	raw->run[9] = cpu_to_le32(RUNS + 1);
	KUNIT_EXPECT_EQ(test, par_slot_map_load(&walk->map, 0, raw, false), PAR_SLOT_RANGE);
	KUNIT_EXPECT_EQ(test, walk->map.count[PAR_SLOT_FREE], SLOTS);
	raw->run[9] = cpu_to_le32(RUNS);
	KUNIT_EXPECT_EQ(test, par_slot_map_load(&walk->map, 0, raw, false), PAR_SLOT_LOADED);
	KUNIT_EXPECT_EQ(test, par_slot_of(&walk->map, RUNS - 1), 9);
	/* A slot behind the last one. */
	memset(raw, 0, sizeof(*raw));
	raw->run[SLOTS % 960] = cpu_to_le32(1);
	KUNIT_EXPECT_EQ(test, par_slot_map_load(&walk->map, 2, raw, false), PAR_SLOT_RANGE);
}

/* A block of which slot @at is of @run, and slot @more of @other; all others are free. */
static struct par_disk_slots *block_of(struct walk *walk, u32 at, u32 run, u32 more, u32 other)
{
	struct par_disk_slots *raw = (struct par_disk_slots *)walk->raw.payload;

	memset(raw, 0, sizeof(*raw));
	raw->run[at] = cpu_to_le32(run + 1);
	raw->run[more] = cpu_to_le32(other + 1);
	return raw;
}

/* Runs with two slots have none afterwards, also those with three; all other runs keep theirs. */
static void runs_named_twice(struct kunit *test)
{
	struct walk *walk = new_walk(test);
	struct par_slot_map *map = &walk->map;

	KUNIT_EXPECT_EQ(test, par_slot_map_load(map, 0, block_of(walk, 9, 7, 10, 21), false),
			PAR_SLOT_LOADED);
	KUNIT_EXPECT_EQ(test, par_slot_map_load(map, 1, block_of(walk, 3, 7, 11, 22), false),
			PAR_SLOT_TWICE);
	KUNIT_EXPECT_EQ(test, par_slot_map_load(map, 2, block_of(walk, 5, 7, 6, 23), false),
			PAR_SLOT_TWICE);
	par_slot_map_loaded(map);
	KUNIT_EXPECT_EQ(test, par_slot_any(map, 7), PAR_NO_SLOT);
	KUNIT_EXPECT_EQ(test, par_slot_of(map, 21), 10);
	KUNIT_EXPECT_EQ(test, par_slot_of(map, 22), 960 + 11);
	KUNIT_EXPECT_EQ(test, par_slot_of(map, 23), 2 * 960 + 6);
	KUNIT_EXPECT_EQ(test, map->count[PAR_SLOT_FREE], SLOTS - 3);
	KUNIT_EXPECT_EQ(test, map->count[PAR_SLOT_HELD], 3);
}

/* A run twice in one block, be it in doubt or not: the order of storing has been violated. */
static void run_twice_in_a_block(struct kunit *test)
{
	struct walk *walk;
	int doubtful;

	for (doubtful = 0; doubtful < 2; doubtful++) {
		walk = new_walk(test);
		KUNIT_EXPECT_EQ(test, par_slot_map_load(&walk->map, 1, block_of(walk, 0, 8, 1, 8),
							doubtful), PAR_SLOT_TWICE);
		par_slot_map_loaded(&walk->map);
		KUNIT_EXPECT_EQ(test, par_slot_any(&walk->map, 8), PAR_NO_SLOT);
		KUNIT_EXPECT_EQ(test, walk->map.count[PAR_SLOT_FREE], SLOTS);
	}
}

/* A run that a doubtful block names has got another slot since: no error, and it keeps that one. */
static void doubtful_block(struct kunit *test)
{
	struct walk *walk = new_walk(test);
	struct par_slot_map *map = &walk->map;

	KUNIT_EXPECT_EQ(test, par_slot_map_load(map, 1, block_of(walk, 3, 7, 11, 22), false),
			PAR_SLOT_LOADED);
	KUNIT_EXPECT_EQ(test, par_slot_map_load(map, 0, block_of(walk, 9, 7, 10, 21), true),
			PAR_SLOT_LOADED);
	par_slot_map_loaded(map);
	KUNIT_EXPECT_EQ(test, par_slot_of(map, 7), 960 + 3);
	KUNIT_EXPECT_EQ(test, par_slot_of(map, 21), 10);
	KUNIT_EXPECT_EQ(test, par_slot_of(map, 22), 960 + 11);
	KUNIT_EXPECT_EQ(test, par_slot_state(map, 9), PAR_SLOT_FREE);
	KUNIT_EXPECT_EQ(test, map->count[PAR_SLOT_HELD], 3);
}

/* Is a slot to be waited for? A give changes slots that are free or given, and no others. */
static void givable(struct kunit *test)
{
	static const struct {
		enum par_slot_event event;	/* leads to the state */
		bool want;
	} steps[] = {
		{ PAR_SLOT_STORED, true }, { PAR_SLOT_CLOSE, false }, { PAR_SLOT_KEEP, true },
		{ PAR_SLOT_WRITE, true }, { PAR_SLOT_CLEANED, true }, { PAR_SLOT_CLOSE, false },
		{ PAR_SLOT_ZERO, false }, { PAR_SLOT_TOLD, false }, { PAR_SLOT_GONE, true },
	};
	struct walk *walk = new_walk(test);
	struct par_slot_map *map = &walk->map;
	unsigned int i;
	u32 run;

	KUNIT_EXPECT_TRUE(test, par_slot_givable(map, 7));
	KUNIT_ASSERT_TRUE(test, par_slot_map_give(map, 3, 7));
	KUNIT_EXPECT_TRUE_MSG(test, par_slot_givable(map, 7), "given");
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		KUNIT_ASSERT_TRUE(test, par_slot_map_move(map, 3, steps[i].event));
		KUNIT_EXPECT_EQ_MSG(test, par_slot_givable(map, 7), steps[i].want, "step %u", i);
		/* Another run gets a free slot at any time. */
		KUNIT_EXPECT_TRUE(test, par_slot_givable(map, 8));
	}
	for (run = 8; run < 8 + SLOTS; run++)
		KUNIT_ASSERT_TRUE(test, par_slot_map_give(map, run - 8, run));
	KUNIT_EXPECT_FALSE_MSG(test, par_slot_givable(map, 7), "none is free");
	KUNIT_EXPECT_TRUE_MSG(test, par_slot_givable(map, 8), "given, and none is free");
}

static struct kunit_case slot_map_cases[] = {
	KUNIT_CASE(map_against_arrays),
	KUNIT_CASE(free_until_full),
	KUNIT_CASE(givable),
	KUNIT_CASE(blocks_stored_and_read),
	KUNIT_CASE(blocks_damaged),
	KUNIT_CASE(blocks_that_lie),
	KUNIT_CASE(runs_named_twice),
	KUNIT_CASE(run_twice_in_a_block),
	KUNIT_CASE(doubtful_block),
	{}
};

static struct kunit_suite slot_map_suite = {
	.name = "raid-par-slot-map",
	.test_cases = slot_map_cases,
};

kunit_test_suite(slot_map_suite);
