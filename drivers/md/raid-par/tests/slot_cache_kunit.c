// SPDX-License-Identifier: GPL-2.0
/*
 * The heat of runs: worth that is counted by hand; random walks, compared with plain tables of all
 * periods, with gaps of any length; scans; ages.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/slot-cache.h"

#define SLOTS	40U
#define RUNS	200U
#define PERIODS	30000U
#define WAKE	4096U
#define MOST	0x3ffffU

struct bench {
	struct par_slot_map map;
	struct par_slot_cache cache;
	struct par_slot slot[SLOTS];
	u16 free[1];
	u32 run[RUNS];
};

static struct bench *new_bench(struct kunit *test, u32 period)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bench);
	par_slot_map_init(&bench->map, RUNS, SLOTS, bench->run, bench->slot, bench->free);
	par_slot_cache_init(&bench->cache, &bench->map, period);
	return bench;
}

static u32 heat(struct bench *bench, u32 run)
{
	return par_slot_cache_heat(&bench->cache, run);
}

static void hold(struct kunit *test, struct bench *bench, u32 slot, u32 run)
{
	KUNIT_ASSERT_TRUE(test, par_slot_map_give(&bench->map, slot, run));
	KUNIT_ASSERT_TRUE(test, par_slot_map_move(&bench->map, slot, PAR_SLOT_STORED));
}

/* A letter is a use of that run; a digit, so many periods pass; '-', a day is over. */
static const struct {
	const char *uses;
	u32 a, b, hot;	/* hot: of all runs */
} by_hand[] = {
	{ "", 0, 0, 0 },
	{ "A", WAKE, 0, 1 },
	{ "AAAA", WAKE, 0, 1 },
	{ "A1A", 2 * WAKE, 0, 1 },
	{ "AB", WAKE / 2, WAKE / 2, 2 },
	{ "ABABCD", WAKE / 4, WAKE / 4, 4 },
	{ "AB1A", WAKE / 2 + WAKE, WAKE / 2, 2 },
	{ "AB1CAD9AB", WAKE / 2 + WAKE / 3 + WAKE / 2, WAKE, 4 },
	{ "A1-", 3 * WAKE / 4, 0, 1 },
	{ "A1AB1-1B", 3 * (WAKE + WAKE / 2) / 4, 3 * WAKE / 2 / 4 + WAKE, 2 },
	/* The period goes on after the day. */
	{ "A1A-B", WAKE * 3 / 4 + WAKE / 2, WAKE / 2, 2 },
	{ "A1---", 27 * WAKE / 64, 0, 1 },
};

static void heat_by_hand(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(by_hand); i++) {
		struct bench *bench = new_bench(test, 4090);
		const char *use;
		u32 period = 4090;

		for (use = by_hand[i].uses; *use; use++) {
			if (*use == '-')
				par_slot_cache_age(&bench->cache, 0, RUNS, period);
			else if (*use < 'A')
				period += *use - '0';
			else
				par_slot_cache_use(&bench->cache, *use - 'A', period);
		}
		KUNIT_EXPECT_EQ_MSG(test, heat(bench, 0), by_hand[i].a, "%s", by_hand[i].uses);
		KUNIT_EXPECT_EQ_MSG(test, heat(bench, 1), by_hand[i].b, "%s", by_hand[i].uses);
		KUNIT_EXPECT_EQ_MSG(test, par_slot_cache_hot(&bench->cache), by_hand[i].hot, "%s",
				    by_hand[i].uses);
	}
}

/* ---- compared with tables of all uses ---- */

struct dumb {
	u32 used[PERIODS];		/* by period, from the first on */
	u32 period, settled[RUNS], last[RUNS];
	bool open[RUNS], ever[RUNS];
	u64 uses, hits;
};

static u32 dumb_heat(const struct dumb *dumb, u32 run)
{
	u32 worth;

	if (!dumb->open[run])
		return dumb->settled[run];
	worth = WAKE / dumb->used[dumb->last[run]] ?: 1;
	if (dumb->period - dumb->last[run] >= 256)
		worth = 1;
	return min(dumb->settled[run] + worth, MOST);
}

static void dumb_use(struct dumb *dumb, u32 run, bool slot)
{
	if (dumb->open[run] && dumb->last[run] == dumb->period)
		return;
	dumb->settled[run] = dumb_heat(dumb, run);
	dumb->last[run] = dumb->period;
	dumb->open[run] = true;
	dumb->ever[run] = true;
	dumb->used[dumb->period]++;
	dumb->uses++;
	dumb->hits += slot;
}

static void dumb_age(struct dumb *dumb, u32 run)
{
	if (!dumb->open[run] || dumb->last[run] != dumb->period) {
		dumb->settled[run] = dumb_heat(dumb, run);
		dumb->open[run] = false;
	}
	dumb->settled[run] -= DIV_ROUND_UP(dumb->settled[run], 4);
	if (!dumb->open[run] && !dumb->settled[run])
		dumb->ever[run] = false;
	if (dumb->period - dumb->last[run] > 2048)
		dumb->last[run] = dumb->period - 2048;
}

/* The order of two runs: by heat, then by the last use. */
static int dumb_order(const struct dumb *dumb, u32 a, u32 b)
{
	u32 one = dumb_heat(dumb, a), other = dumb_heat(dumb, b);

	if (dumb->ever[a] != dumb->ever[b])
		return dumb->ever[a] ? 1 : -1;
	if (one != other)
		return one > other ? 1 : -1;
	if (!dumb->ever[a] || dumb->last[a] == dumb->last[b])
		return 0;
	return dumb->last[a] > dumb->last[b] ? 1 : -1;
}

/* Where the level of a heat begins: a quarter further than the octave each. */
static u32 dumb_level(const struct dumb *dumb, u32 run)
{
	u32 heat = dumb->settled[run] + dumb->open[run], octave = 4, from = 0;

	while (from < 4 && from < heat)
		from++;
	if (heat < 4)
		return heat;
	while (from + octave / 4 <= heat) {
		from += octave / 4;
		if (from == 2 * octave)
			octave = from;
	}
	return from;
}

static bool dumb_lacks(const struct dumb *dumb, u32 run, bool slot, u32 slots)
{
	u32 own = dumb_level(dumb, run), other, above = 0, same = 0;

	for (other = 0; other < RUNS; other++) {
		above += dumb_level(dumb, other) > own;
		same += dumb_level(dumb, other) == own;
	}
	return !slot && (!own || above + same / 2 >= slots);
}

/* Returns how many runs lack a slot. */
static u32 judge_lacks(struct kunit *test, struct bench *bench, const struct dumb *dumb, u32 slots)
{
	u32 run, sum = 0;

	for (run = 0; run < RUNS; run++) {
		bool lacks = par_slot_cache_lacks(&bench->cache, run, slots);

		KUNIT_ASSERT_EQ_MSG(test, lacks,
				    dumb_lacks(dumb, run, run % 3 == 0 && run < 3 * SLOTS, slots),
				    "run %u, %u slots, period %u", run, slots, dumb->period);
		sum += lacks;
	}
	return sum;
}

static void judge(struct kunit *test, struct bench *bench, const struct dumb *dumb, u32 step)
{
	u32 run, rank, last = 0, hot = 0;

	for (run = 0; run < RUNS; run++)
		hot += dumb_heat(dumb, run) > 0;
	KUNIT_ASSERT_EQ_MSG(test, par_slot_cache_hot(&bench->cache), hot, "step %u", step);
	for (run = 0; run < RUNS; run++) {
		rank = par_slot_cache_rank(&bench->cache, run);
		KUNIT_ASSERT_EQ_MSG(test, heat(bench, run), dumb_heat(dumb, run),
				    "run %u, step %u", run, step);
		KUNIT_ASSERT_EQ_MSG(test, !!rank, dumb->ever[run], "run %u, step %u", run,
				    step);
		if (run)
			KUNIT_ASSERT_EQ_MSG(test, (rank > last) - (rank < last),
					    dumb_order(dumb, run, run - 1), "run %u, step %u",
					    run, step);
		last = rank;
	}
}

/* Mostly short pauses; now and then hours, or weeks, in which days end. */
static u32 any_pause(u32 random)
{
	switch (random % 512) {
	case 0:
		return random / 512 % 900;
	case 1 ... 4:
		return random / 512 % 140;
	default:
		return random % 8 == 5;
	}
}

static void walks_beside_tables(struct kunit *test)
{
	struct dumb *dumb = kunit_kzalloc(test, sizeof(*dumb), GFP_KERNEL);
	struct bench *bench = new_bench(test, 0);
	struct rnd_state random;
	u32 step, run, pause, most = 0, lacking = 0, judged = 0;

	KUNIT_ASSERT_NOT_NULL(test, dumb);
	prandom_seed_state(&random, 23);
	for (run = 0; run < SLOTS; run++)
		hold(test, bench, run, 3 * run);
	for (step = 0; step < 40000; step++) {
		pause = any_pause(prandom_u32_state(&random));
		if (dumb->period + pause >= PERIODS)
			break;
		dumb->period += pause;
		/* A few runs are used often. */
		run = prandom_u32_state(&random) % RUNS;
		run = run % 3 ? run * run / (2 * RUNS) * run / RUNS : run;
		dumb_use(dumb, run, run % 3 == 0 && run < 3 * SLOTS);
		par_slot_cache_use(&bench->cache, run, dumb->period);
		if (pause > 100 && prandom_u32_state(&random) % 4) {
			for (run = 0; run < RUNS; run++)
				dumb_age(dumb, run);
			par_slot_cache_age(&bench->cache, 0, RUNS / 2, dumb->period);
			par_slot_cache_age(&bench->cache, RUNS / 2, RUNS - RUNS / 2,
					   dumb->period);
		}
		most = max(most, heat(bench, 0));
		if (step % 64)
			continue;
		judge(test, bench, dumb, step);
		lacking += judge_lacks(test, bench, dumb, step / 64 % (SLOTS + 30));
		judged += RUNS - SLOTS;
	}
	KUNIT_EXPECT_GT(test, dumb->period, 10000);
	KUNIT_EXPECT_GT(test, most, 4 * WAKE);
	KUNIT_EXPECT_EQ(test, bench->cache.uses, dumb->uses);
	KUNIT_EXPECT_EQ(test, bench->cache.hits, dumb->hits);
	KUNIT_EXPECT_GT(test, dumb->hits, dumb->uses / 100);
	KUNIT_EXPECT_GT(test, lacking, judged / 10);
	KUNIT_EXPECT_LT(test, lacking, judged - judged / 10);
}

/* A run that is used alone twice is hotter than each run of a scan that is read ten times. */
static void scans_are_cold(struct kunit *test)
{
	struct bench *bench = new_bench(test, 7);
	u32 period = 7, scan, run;

	for (scan = 0; scan < 10; scan++) {
		period += 20;
		for (run = 5; run < RUNS; run++)
			par_slot_cache_use(&bench->cache, run, period);
		if (scan < 2)
			par_slot_cache_use(&bench->cache, 2, period + 9);
	}
	for (run = 5; run < RUNS; run++)
		KUNIT_ASSERT_LT(test, par_slot_cache_rank(&bench->cache, run),
				par_slot_cache_rank(&bench->cache, 2));
}

/* A run that has cost a wake is hotter than all runs that were only read in that period. */
static void misses_are_hot(struct kunit *test)
{
	struct bench *bench = new_bench(test, 7);
	u32 run;

	for (run = 0; run < RUNS; run++)
		par_slot_cache_use(&bench->cache, run, 8);
	par_slot_cache_miss(&bench->cache, 150, 8);
	par_slot_cache_miss(&bench->cache, 150, 9);
	par_slot_cache_miss(&bench->cache, 199, 9);
	par_slot_cache_use(&bench->cache, 199, 9);
	for (run = 0; run < RUNS; run++)
		if (run != 150 && run != 199)
			KUNIT_ASSERT_LT(test, par_slot_cache_rank(&bench->cache, run),
					par_slot_cache_rank(&bench->cache, 199));
	KUNIT_EXPECT_EQ(test, heat(bench, 150), WAKE / RUNS + 2 * WAKE);
	KUNIT_EXPECT_EQ(test, heat(bench, 199), WAKE / RUNS + 2 * WAKE);
	/* Requests for two runs in turn: each has cost one wake, in each of two periods. */
	for (run = 0; run < 100; run++)
		par_slot_cache_miss(&bench->cache, 60 + run % 2, 9 + run / 50);
	KUNIT_EXPECT_EQ(test, heat(bench, 60), WAKE / RUNS + 2 * WAKE);
	KUNIT_EXPECT_EQ(test, heat(bench, 61), WAKE / RUNS + 2 * WAKE);
	for (run = 0; run < 100; run++)
		par_slot_cache_miss(&bench->cache, 3, 11 + run);
	KUNIT_EXPECT_EQ(test, heat(bench, 3), MOST);
}

/* The heat saturates, and neither the runs of slots nor other runs change by that. */
static void heat_saturates(struct kunit *test)
{
	struct bench *bench = new_bench(test, 0);
	u32 period;

	for (period = 1; period <= 200; period++)
		par_slot_cache_use(&bench->cache, 9, period);
	KUNIT_EXPECT_EQ(test, heat(bench, 9), MOST);
	KUNIT_EXPECT_EQ(test, par_slot_any(&bench->map, 9), PAR_NO_SLOT);
	KUNIT_EXPECT_EQ(test, heat(bench, 8) | heat(bench, 10), 0);
	hold(test, bench, 17, 9);
	KUNIT_EXPECT_EQ(test, heat(bench, 9), MOST);
	KUNIT_EXPECT_EQ(test, par_slot_of(&bench->map, 9), 17);
	KUNIT_EXPECT_EQ(test, par_slot_run_of(&bench->map, 17), 9);
}

/* After a month the hottest run has some heat left, and its last use does not seem recent. */
static void old_uses_stay_old(struct kunit *test)
{
	struct bench *bench = new_bench(test, 0);
	u32 period, day, rank, last;

	for (period = 1; period <= 200; period++)
		par_slot_cache_use(&bench->cache, 9, period);
	last = par_slot_cache_rank(&bench->cache, 9);
	for (day = 0; day < 35; day++) {
		period += 144;
		par_slot_cache_use(&bench->cache, 3, period);
		par_slot_cache_age(&bench->cache, 0, RUNS, period);
		rank = par_slot_cache_rank(&bench->cache, 9);
		KUNIT_EXPECT_GT(test, rank, 0);
		KUNIT_EXPECT_LT(test, rank, last);
		KUNIT_EXPECT_EQ(test, 0xfff - rank % 4096, min(144 * (day + 1) + 1, 2048U));
		last = rank;
	}
}

/* Nothing is left of the most heat after so many days, and something the day before. */
static void heat_fades(struct kunit *test)
{
	struct bench *bench = new_bench(test, 1);
	unsigned int day;

	for (day = 0; day < 64; day++)
		par_slot_cache_miss(&bench->cache, 7, 1 + day);
	KUNIT_EXPECT_EQ(test, heat(bench, 7), MOST);
	for (day = 0; day < PAR_CACHE_FADES; day++) {
		KUNIT_EXPECT_GT(test, heat(bench, 7), 0);
		par_slot_cache_age(&bench->cache, 0, RUNS, 9000);
	}
	KUNIT_EXPECT_EQ(test, heat(bench, 7), 0);
	KUNIT_EXPECT_EQ(test, par_slot_cache_hot(&bench->cache), 0);
}

/* However many runs are used in a period, each gets some heat. */
static void every_use_counts(struct kunit *test)
{
	struct bench *bench = new_bench(test, 0);
	u32 runs = 3 * WAKE, *words = kunit_kcalloc(test, runs, sizeof(u32), GFP_KERNEL), run;

	KUNIT_ASSERT_NOT_NULL(test, words);
	par_slot_map_init(&bench->map, runs, SLOTS, words, bench->slot, bench->free);
	for (run = 0; run < runs; run++)
		par_slot_cache_use(&bench->cache, run, 1);
	KUNIT_EXPECT_EQ(test, heat(bench, 5), 1);
	par_slot_cache_use(&bench->cache, 5, 2);
	KUNIT_EXPECT_EQ(test, heat(bench, 5), 1 + WAKE);
}

/* What was used before is found again, as long as it fits; what is new, or too much, is not. */
static void lacks_by_hand(struct kunit *test)
{
	struct bench *bench = new_bench(test, 1);
	u32 run;

	KUNIT_EXPECT_TRUE(test, par_slot_cache_lacks(&bench->cache, 9, SLOTS));
	par_slot_cache_use(&bench->cache, 9, 1);
	KUNIT_EXPECT_FALSE(test, par_slot_cache_lacks(&bench->cache, 9, SLOTS));
	KUNIT_EXPECT_TRUE(test, par_slot_cache_lacks(&bench->cache, 9, 0));
	/* All runs of a scan would need slots, and a run that is used often gets one. */
	for (run = 10; run < 10 + 3 * SLOTS; run++)
		par_slot_cache_use(&bench->cache, run, 2);
	KUNIT_EXPECT_TRUE(test, par_slot_cache_lacks(&bench->cache, 15, SLOTS));
	KUNIT_EXPECT_TRUE(test, par_slot_cache_lacks(&bench->cache, 9, SLOTS));
	par_slot_cache_use(&bench->cache, 9, 3);
	KUNIT_EXPECT_FALSE(test, par_slot_cache_lacks(&bench->cache, 9, SLOTS));
	hold(test, bench, 1, 15);
	KUNIT_EXPECT_FALSE(test, par_slot_cache_lacks(&bench->cache, 15, SLOTS));
	par_slot_cache_miss(&bench->cache, 16, 3);
	KUNIT_EXPECT_FALSE(test, par_slot_cache_lacks(&bench->cache, 16, SLOTS));
}

/* A run with a slot has images: it is counted only if they are old, or it was missed. */
static void counts_runs_to_be_copied(struct kunit *test)
{
	struct bench *bench = new_bench(test, 1);
	u32 run;

	for (run = 0; run < 9; run++)
		hold(test, bench, run, run);
	for (run = 0; run < 10; run++)
		par_slot_cache_use(&bench->cache, run, 3);
	KUNIT_EXPECT_EQ_MSG(test, bench->cache.since, 1, "run 9 has no slot");
	KUNIT_EXPECT_EQ(test, bench->cache.hits, 9);
	par_slot_cache_miss(&bench->cache, 1, 5);
	par_slot_cache_miss(&bench->cache, 1, 5);
	KUNIT_EXPECT_EQ_MSG(test, bench->cache.since, 2, "run 1 had no valid image");
	par_slot_cache_chosen(&bench->cache);
	par_slot_cache_miss(&bench->cache, 2, 6);
	KUNIT_EXPECT_EQ(test, bench->cache.since, 1);
	for (run = 3; run < 6; run++) {
		par_slot_cache_write(&bench->cache, run, 6);
		par_slot_cache_write(&bench->cache, run, 7);
	}
	KUNIT_EXPECT_EQ_MSG(test, bench->cache.since, 4, "each counts once");
	par_slot_cache_write(&bench->cache, 9, 7);
	KUNIT_EXPECT_EQ_MSG(test, bench->cache.since, 5, "without a slot as well");
}

/* Each run counts once since the period of the choice, however often it is used or missed. */
static void counts_runs_since_choice(struct kunit *test)
{
	struct bench *bench = new_bench(test, 4090);
	u32 period = 4090, run;

	for (; period < 4200; period++)
		for (run = 0; run < 5; run++)
			par_slot_cache_use(&bench->cache, run, period);
	KUNIT_EXPECT_EQ(test, bench->cache.uses, 5 * 110);
	/* In the period of the choice, and since. */
	KUNIT_EXPECT_EQ(test, bench->cache.since, 2 * 5);
	par_slot_cache_chosen(&bench->cache);
	KUNIT_EXPECT_EQ(test, bench->cache.since, 0);
	par_slot_cache_use(&bench->cache, 0, period - 1);
	KUNIT_EXPECT_EQ_MSG(test, bench->cache.since, 0, "the choice knows runs of its period");
	par_slot_cache_use(&bench->cache, 0, period);
	par_slot_cache_use(&bench->cache, 0, period + 1);
	KUNIT_EXPECT_EQ(test, bench->cache.since, 1);
	par_slot_cache_miss(&bench->cache, 0, period + 1);
	par_slot_cache_miss(&bench->cache, 1, period + 1);
	par_slot_cache_miss(&bench->cache, 1, period + 1);
	par_slot_cache_use(&bench->cache, 7, period + 1);
	KUNIT_EXPECT_EQ(test, bench->cache.since, 3);
	par_slot_cache_use(&bench->cache, 7, period + 100 * PAR_CACHE_PERIODS);
	KUNIT_EXPECT_EQ_MSG(test, bench->cache.since, 4, "what is long ago counts again");
}

/*
 * After a start, runs with a slot are neither cold nor hotter than what is used: a scan takes none
 * of their slots; runs that are used with few others do, and those that are missed.
 */
static void loaded_runs_are_warm(struct kunit *test)
{
	struct bench *bench = new_bench(test, 0);
	u32 run, day;

	for (run = 0; run < SLOTS; run++)
		hold(test, bench, run, run);
	par_slot_cache_loaded(&bench->cache);
	KUNIT_EXPECT_EQ(test, heat(bench, 0), WAKE / 16);
	KUNIT_EXPECT_EQ(test, heat(bench, SLOTS), 0);
	KUNIT_EXPECT_EQ(test, par_slot_cache_hot(&bench->cache), SLOTS);
	KUNIT_EXPECT_EQ(test, bench->cache.since, 0);
	/* Of the runs of a scan one has a slot, and so an image. */
	for (run = SLOTS - 1; run < SLOTS + 100; run++)
		par_slot_cache_use(&bench->cache, run, 1);
	KUNIT_EXPECT_EQ(test, bench->cache.since, 100);
	par_slot_cache_use(&bench->cache, 190, 2);
	par_slot_cache_miss(&bench->cache, 191, 2);
	for (run = 0; run < SLOTS - 1; run++) {
		u32 rank = par_slot_cache_rank(&bench->cache, run);

		KUNIT_ASSERT_GT(test, rank, par_slot_cache_rank(&bench->cache, SLOTS));
		KUNIT_ASSERT_LT(test, rank, par_slot_cache_rank(&bench->cache, SLOTS - 1));
		KUNIT_ASSERT_LT(test, rank, par_slot_cache_rank(&bench->cache, 190));
		KUNIT_ASSERT_LT(test, rank, par_slot_cache_rank(&bench->cache, 191));
	}
	for (day = 0; day < 17; day++) {
		KUNIT_EXPECT_GT(test, heat(bench, 0), 0);
		par_slot_cache_age(&bench->cache, 0, RUNS, 2 + 144 * day);
	}
	KUNIT_EXPECT_EQ(test, heat(bench, 0), 0);
	KUNIT_EXPECT_GT(test, heat(bench, 191), 0);
}

static struct kunit_case slot_cache_cases[] = {
	KUNIT_CASE(heat_by_hand),
	KUNIT_CASE(walks_beside_tables),
	KUNIT_CASE(scans_are_cold),
	KUNIT_CASE(loaded_runs_are_warm),
	KUNIT_CASE(misses_are_hot),
	KUNIT_CASE(heat_saturates),
	KUNIT_CASE(old_uses_stay_old),
	KUNIT_CASE(heat_fades),
	KUNIT_CASE(every_use_counts),
	KUNIT_CASE(lacks_by_hand),
	KUNIT_CASE(counts_runs_since_choice),
	KUNIT_CASE(counts_runs_to_be_copied),
	{}
};

static struct kunit_suite slot_cache_suite = {
	.name = "raid-par-slot-cache",
	.test_cases = slot_cache_cases,
};

kunit_test_suite(slot_cache_suite);
