// SPDX-License-Identifier: GPL-2.0
/*
 * Which runs are filled and which runs lose their slots to them, compared with a reference that
 * examines all runs for each of its decisions; on maps in which slots are in any state.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/slot-choice.h"

#define SLOTS	60U
#define RUNS	150U
#define ROUNDS	1500U
#define WHOLE	100U	/* sectors of a run */
#define TASKS	(RUNS + SLOTS)

struct bench {
	struct par_slot_map map;
	struct par_slot_cache cache;
	struct par_slot slot[SLOTS];
	u32 run[RUNS];
	u16 free[1];
	u32 slots;
	u32 needs[RUNS];	/* sectors to be copied, of runs with a slot */
	struct par_slot_run wanted[RUNS], victim[SLOTS], offered[RUNS];
	struct par_slot_task task[TASKS];
	struct rnd_state random;
};

static u32 any(struct bench *bench, u32 below)
{
	return prandom_u32_state(&bench->random) % below;
}

static u32 rank(struct bench *bench, u32 run)
{
	return par_slot_cache_rank(&bench->cache, run);
}

/* The events that lead a slot to each state. */
static void bring(struct bench *bench, u32 slot, enum par_slot_state state)
{
	if (state >= PAR_SLOT_HELD)
		par_slot_map_move(&bench->map, slot, PAR_SLOT_STORED);
	if (state == PAR_SLOT_DIRTY)
		par_slot_map_move(&bench->map, slot, PAR_SLOT_WRITE);
	if (state >= PAR_SLOT_CLOSED)
		par_slot_map_move(&bench->map, slot, PAR_SLOT_CLOSE);
	if (state >= PAR_SLOT_ZEROED)
		par_slot_map_move(&bench->map, slot, PAR_SLOT_ZERO);
	if (state == PAR_SLOT_LEAVING)
		par_slot_map_move(&bench->map, slot, PAR_SLOT_TOLD);
}

/* Use some runs; many have the same rank, or none. */
static void use_some(struct bench *bench)
{
	u32 period, uses;

	for (period = 1; period <= 4; period++)
		for (uses = any(bench, 70); uses; uses--)
			par_slot_cache_use(&bench->cache, any(bench, RUNS), period);
}

static void begin(struct bench *bench)
{
	u32 run, slot, free = any(bench, 3) ? any(bench, 4) : 20;

	memset(bench->run, 0, sizeof(bench->run));
	memset(bench->slot, 0, sizeof(bench->slot));
	bench->slots = 1 + any(bench, SLOTS);
	par_slot_map_init(&bench->map, RUNS, bench->slots, bench->run, bench->slot, bench->free);
	par_slot_cache_init(&bench->cache, &bench->map, 0);
	use_some(bench);
	for (slot = 0; slot < bench->slots; slot++) {
		if (any(bench, 20) < free)
			continue;
		do
			run = any(bench, RUNS);
		while (!par_slot_map_give(&bench->map, slot, run));
		bring(bench, slot, any(bench, 4) ? PAR_SLOT_HELD :
		      PAR_SLOT_GIVEN + any(bench, PAR_SLOT_STATES - PAR_SLOT_GIVEN));
		bench->needs[run] = any(bench, 2) ? any(bench, WHOLE) : 0;
	}
}

static struct bench *new_bench(struct kunit *test, u64 seed)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bench);
	prandom_seed_state(&bench->random, seed);
	return bench;
}

/* ---- lists ---- */

/* Whichever runs are offered, in any order, the list has the best ones, sorted. */
static void lists_keep_the_best(struct kunit *test)
{
	struct bench *bench = new_bench(test, 5);
	struct par_slot_run *all = bench->offered;
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		u32 offered = any(bench, RUNS), ranks = 1 + any(bench, 300), i, better;
		struct par_slot_list list = {
			.run = bench->wanted,
			.room = any(bench, round % 2 ? 8 : RUNS),
			.coldest = any(bench, 2),
		};

		for (i = 0; i < offered; i++) {
			/* Each run once, not in order. */
			all[i].run = (i * 7 + round) % RUNS;
			all[i].rank = any(bench, ranks);
			all[i].sectors = i;
			par_slot_list_offer(&list, &all[i]);
		}
		par_slot_list_sort(&list);
		KUNIT_ASSERT_EQ(test, list.count, min(list.room, offered));
		for (i = 0; i < list.count; i++) {
			const struct par_slot_run *run = &list.run[i];
			u32 other;

			KUNIT_ASSERT_EQ(test, all[run->sectors].run, run->run);
			KUNIT_ASSERT_EQ(test, all[run->sectors].rank, run->rank);
			for (other = 0, better = 0; other < offered; other++) {
				bool first = all[other].rank == run->rank ?
					     all[other].run < run->run :
					     (all[other].rank > run->rank) != list.coldest;

				better += first;
			}
			KUNIT_ASSERT_EQ_MSG(test, better, i, "round %u", round);
		}
	}
}

/* ---- the choice ---- */

struct dumb {
	bool done[RUNS], lost[RUNS];
	u32 free;
	u64 left;
};

/* The coldest of the runs that are left, of those with a clean slot. */
static u32 coldest(struct bench *bench, const struct dumb *dumb)
{
	u32 slot, best = PAR_NO_RUN;

	for (slot = 0; slot < bench->slots; slot++) {
		u32 run = par_slot_run_of(&bench->map, slot);

		if (par_slot_state(&bench->map, slot) != PAR_SLOT_HELD || dumb->lost[run])
			continue;
		if (best == PAR_NO_RUN || rank(bench, run) < rank(bench, best) ||
		    (rank(bench, run) == rank(bench, best) && run < best))
			best = run;
	}
	return best;
}

/* The hottest run that is not filled and has not been examined. */
static u32 hottest(struct bench *bench, const struct dumb *dumb)
{
	u32 run, best = PAR_NO_RUN;

	for (run = 0; run < RUNS; run++) {
		bool has = par_slot_any(&bench->map, run) != PAR_NO_SLOT;

		if (dumb->done[run] || !rank(bench, run))
			continue;
		if (has && (par_slot_of(&bench->map, run) == PAR_NO_SLOT || !bench->needs[run]))
			continue;
		if (best == PAR_NO_RUN || rank(bench, run) > rank(bench, best))
			best = run;
	}
	return best;
}

static u32 dumb_reserve(u32 slots)
{
	u32 reserve = slots / 64;

	if (reserve < 32)
		reserve = min(32U, slots / 8);
	return max(reserve, slots / 64);
}

/* The next task, if there is one. */
static bool dumb_next(struct bench *bench, struct dumb *dumb, bool whole,
		      struct par_slot_task *task)
{
	u32 run, sectors, victim;

	while ((run = hottest(bench, dumb)) != PAR_NO_RUN) {
		bool has = par_slot_any(&bench->map, run) != PAR_NO_SLOT;

		sectors = has ? bench->needs[run] : WHOLE;
		if (sectors > dumb->left)
			return false;
		dumb->done[run] = true;
		*task = (struct par_slot_task) { run, PAR_NO_SLOT };
		victim = whole ? coldest(bench, dumb) : PAR_NO_RUN;
		if (has && dumb->lost[run])
			continue;
		if (!has && dumb->free) {
			dumb->free--;
		} else if (!has && victim != PAR_NO_RUN &&
			   rank(bench, victim) < rank(bench, run)) {
			task->evict = par_slot_any(&bench->map, victim);
			dumb->lost[victim] = true;
		} else if (!has) {
			continue;
		}
		dumb->left -= sectors;
		return true;
	}
	return false;
}

static u32 choose(struct bench *bench, const struct par_slot_limits *limits, u32 room)
{
	struct par_slot_list wanted = { .run = bench->wanted, .room = RUNS };
	struct par_slot_list victims = { .run = bench->victim, .room = SLOTS, .coldest = true };
	u32 run;

	par_slot_list_wanted(&wanted, &bench->cache, 0, RUNS / 3, WHOLE);
	par_slot_list_wanted(&wanted, &bench->cache, RUNS / 3, RUNS - RUNS / 3, WHOLE);
	for (run = 0; run < RUNS; run++) {
		const struct par_slot_run offer = { rank(bench, run), run, bench->needs[run] };

		if (par_slot_of(&bench->map, run) != PAR_NO_SLOT && offer.rank && offer.sectors)
			par_slot_list_offer(&wanted, &offer);
	}
	par_slot_list_victims(&victims, &bench->cache, 0, bench->slots);
	par_slot_list_sort(&wanted);
	par_slot_list_sort(&victims);
	return par_slot_choose(&bench->map, &wanted, &victims, limits, bench->task, room);
}

/* Each task is that of the reference, with any limits. */
static void choice_beside_reference(struct kunit *test)
{
	struct bench *bench = new_bench(test, 23);
	unsigned int round, evicted = 0, filled = 0, refilled = 0;

	for (round = 0; round < ROUNDS; round++) {
		struct par_slot_limits limits;
		struct par_slot_task task;
		struct dumb dumb = { };
		u32 tasks, i = 0, reserve, coming, victim, room;

		begin(bench);
		limits.whole = any(bench, 4);
		limits.sectors = any(bench, 3) ? any(bench, 3000) : U64_MAX;
		room = any(bench, 5) ? TASKS : any(bench, 6);
		tasks = choose(bench, &limits, room);
		reserve = dumb_reserve(bench->slots);
		dumb.free = bench->map.count[PAR_SLOT_FREE];
		dumb.left = limits.sectors;
		coming = dumb.free + bench->map.count[PAR_SLOT_CLOSED] +
			 bench->map.count[PAR_SLOT_ZEROED] +
			 bench->map.count[PAR_SLOT_LEAVING];
		dumb.free -= min(dumb.free, reserve);
		for (; coming < reserve && limits.whole && i < room; coming++) {
			victim = coldest(bench, &dumb);
			if (victim == PAR_NO_RUN)
				break;
			dumb.lost[victim] = true;
			KUNIT_ASSERT_LT(test, i, tasks);
			KUNIT_ASSERT_EQ(test, bench->task[i].run, PAR_NO_RUN);
			KUNIT_ASSERT_EQ(test, bench->task[i].evict,
					par_slot_any(&bench->map, victim));
			i++;
			refilled++;
		}
		while (i < room && dumb_next(bench, &dumb, limits.whole, &task)) {
			KUNIT_ASSERT_LT_MSG(test, i, tasks, "round %u", round);
			KUNIT_ASSERT_EQ_MSG(test, bench->task[i].run, task.run, "round %u, %u",
					    round, i);
			KUNIT_ASSERT_EQ_MSG(test, bench->task[i].evict, task.evict,
					    "round %u, %u", round, i);
			evicted += task.evict != PAR_NO_SLOT;
			filled += task.evict == PAR_NO_SLOT;
			i++;
		}
		KUNIT_ASSERT_EQ_MSG(test, tasks, i, "round %u", round);
	}
	KUNIT_EXPECT_GT(test, evicted, ROUNDS);
	KUNIT_EXPECT_GT(test, filled, ROUNDS);
	KUNIT_EXPECT_GT(test, refilled, ROUNDS / 20);
}

/* The only valid copy is never evicted; nothing is evicted unless all members are whole. */
static void evicts_clean_slots_only(struct kunit *test)
{
	struct bench *bench = new_bench(test, 7);
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		const struct par_slot_limits limits = {
			.sectors = U64_MAX,
			.whole = round % 2,
		};
		bool seen[SLOTS] = { };
		u32 i, slot, tasks;

		begin(bench);
		tasks = choose(bench, &limits, TASKS);
		for (i = 0; i < tasks; i++) {
			slot = bench->task[i].evict;
			if (slot == PAR_NO_SLOT)
				continue;
			KUNIT_ASSERT_TRUE(test, limits.whole);
			KUNIT_ASSERT_EQ(test, par_slot_state(&bench->map, slot), PAR_SLOT_HELD);
			KUNIT_ASSERT_FALSE(test, seen[slot]);
			seen[slot] = true;
		}
		/* No run is filled that loses its slot. */
		for (i = 0; i < tasks; i++) {
			if (bench->task[i].run == PAR_NO_RUN)
				continue;
			slot = par_slot_any(&bench->map, bench->task[i].run);
			KUNIT_ASSERT_TRUE(test, slot == PAR_NO_SLOT || !seen[slot]);
		}
	}
}

static void reserves(struct kunit *test)
{
	static const struct { u32 slots, reserve; } known[] = {
		{ 1, 0 }, { 7, 0 }, { 8, 1 }, { 23, 2 }, { 255, 31 }, { 256, 32 }, { 2048, 32 },
		{ 2112, 33 }, { 1387157, 21674 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ(test, par_slot_reserve(known[i].slots), known[i].reserve);
}

/*
 * Some victims keep their slots: the hottest runs get what has become free, the reserve stays. A
 * run that has been given a slot meanwhile needs none.
 */
static void reserve_stays(struct kunit *test)
{
	struct bench *bench = new_bench(test, 23);
	u32 reserve = par_slot_reserve(SLOTS), slot, i, given, kept;

	for (kept = 0; kept <= 20; kept++) {
		memset(bench->run, 0, sizeof(bench->run));
		memset(bench->slot, 0, sizeof(bench->slot));
		par_slot_map_init(&bench->map, RUNS, SLOTS, bench->run, bench->slot, bench->free);
		for (slot = reserve; slot < SLOTS; slot++) {
			par_slot_map_give(&bench->map, slot, slot);
			bring(bench, slot, PAR_SLOT_HELD);
		}
		/* Twenty runs without a slot, hottest first; as many victims, some keep it. */
		for (i = 0; i < 20; i++) {
			bench->task[i] = (struct par_slot_task) { SLOTS + i, reserve + i };
			if (i < kept)
				continue;
			bring(bench, reserve + i, PAR_SLOT_LEAVING);
			par_slot_map_move(&bench->map, reserve + i, PAR_SLOT_GONE);
		}
		bench->task[20] = (struct par_slot_task) { SLOTS - 1, PAR_NO_SLOT };
		par_slot_agree(&bench->map, bench->task, 21);
		for (i = 0, given = 0; i < 20; i++)
			given += bench->task[i].run != PAR_NO_RUN;
		KUNIT_EXPECT_EQ(test, given, 20 - kept);
		for (i = 0; i < 20 - kept; i++)
			KUNIT_EXPECT_EQ(test, bench->task[i].run, SLOTS + i);
		KUNIT_EXPECT_EQ_MSG(test, bench->task[20].run, SLOTS - 1, "it has a slot");
		KUNIT_EXPECT_EQ(test, par_slot_first_run(bench->task, 21), kept < 20 ? 0 : 20);
	}
}

static struct kunit_case slot_choice_cases[] = {
	KUNIT_CASE(lists_keep_the_best),
	KUNIT_CASE(choice_beside_reference),
	KUNIT_CASE(evicts_clean_slots_only),
	KUNIT_CASE(reserves),
	KUNIT_CASE(reserve_stays),
	{}
};

static struct kunit_suite slot_choice_suite = {
	.name = "raid-par-slot-choice",
	.test_cases = slot_choice_cases,
};

kunit_test_suite(slot_choice_suite);
