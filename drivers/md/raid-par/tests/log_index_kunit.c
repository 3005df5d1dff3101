// SPDX-License-Identifier: GPL-2.0
/*
 * The index of the log beside an array of sectors, each with the place that has it: records of
 * random blocks, also in part, that are written again, discarded, drained while they are
 * written, and freed.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/log-index.h"
#include "pure/log-ring.h"

#define UNITS	8U
#define SLOTS	(UNITS * PAR_LOG_UNIT)
#define STEPS	30000U
#define NONE	U32_MAX

/*
 * The reference: of each sector of the array, the sector of the ring that has it; of each place
 * of the ring, the block that a replay would write.
 */
struct plain {
	u32 blocks;			/* of the array */
	u64 base;			/* number of the first one */
	u32 *sector;
	u64 written[SLOTS];		/* block and one more; 0: nothing */
};

struct bench {
	struct kunit *test;
	struct rnd_state random;
	struct par_log_index index;
	struct par_log_slot *unit[UNITS], slots[UNITS][PAR_LOG_UNIT];
	u32 chain[SLOTS];
	struct par_log_ring ring;
	struct plain plain;
	/* A block that is being drained: it has been read, and is not at home yet. */
	struct par_log_part part[PAR_LOG_PARTS];
	unsigned int parts;
	u64 draining;
	unsigned int full, split, partial;
};

static u32 any(struct bench *bench, u32 below)
{
	return prandom_u32_state(&bench->random) % below;
}

static struct bench *make_bench(struct kunit *test, u32 blocks, u64 base)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, bench);
	bench->test = test;
	prandom_seed_state(&bench->random, blocks + base);
	par_log_index_init(&bench->index, UNITS, bench->unit, bench->chain);
	par_log_ring_init(&bench->ring, SLOTS, 5 * SLOTS + 17);
	bench->plain.blocks = blocks;
	bench->plain.base = base;
	bench->plain.sector = kunit_kcalloc(test, blocks * PAR_LOG_BLOCK, sizeof(u32), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bench->plain.sector);
	for (i = 0; i < blocks * PAR_LOG_BLOCK; i++)
		bench->plain.sector[i] = NONE;
	return bench;
}

/* A write of 512 bytes to a block: as a file system's log does, some have only one sector. */
static u8 some_sectors(struct bench *bench)
{
	unsigned int first = any(bench, 8);

	if (any(bench, 2))
		return 0xff;
	return GENMASK(first + any(bench, 8 - first), first);
}

static void open_unit(struct bench *bench, u32 u)
{
	if (bench->unit[u])
		return;
	par_log_index_open(&bench->index, u, &bench->slots[u][0]);
}

static void add_entry(struct bench *bench, u32 place)
{
	u32 i, block = any(bench, bench->plain.blocks);
	struct par_log_entry entry = {
		.block = bench->plain.base + block,
		.sectors = some_sectors(bench),
	};

	par_log_index_add(&bench->index, place, &entry);
	bench->plain.written[place] = block + 1;
	for (i = 0; i < PAR_LOG_BLOCK; i++)
		if (entry.sectors & BIT(i))
			bench->plain.sector[block * PAR_LOG_BLOCK + i] =
				place * PAR_LOG_BLOCK + i;
}

static void append(struct bench *bench)
{
	unsigned int i, count;
	u64 pos;

	count = par_log_ring_take(&bench->ring, 1 + any(bench, 20), &pos);
	bench->full += !count;
	if (!count)
		return;
	open_unit(bench, pos % SLOTS / PAR_LOG_UNIT);
	for (i = 1; i <= count; i++)
		add_entry(bench, (pos + i) % SLOTS);
	par_log_ring_done(&bench->ring, bench->ring.head);
}

static void drain_begin(struct bench *bench, u64 block)
{
	bench->draining = block;
	bench->parts = par_log_index_parts(&bench->index, bench->plain.base + block, bench->part);
	bench->partial += bench->parts > 1;
}

/* What was read is at home; of that, what the log has newer is read there as before. */
static void drain_end(struct bench *bench)
{
	unsigned int i, bit;

	for (i = 0; i < bench->parts; i++) {
		const struct par_log_part *part = &bench->part[i];

		par_log_index_drained(&bench->index, part);
		for (bit = 0; bit < PAR_LOG_BLOCK; bit++) {
			u32 *sector = &bench->plain.sector[bench->draining * PAR_LOG_BLOCK + bit];

			if (part->sectors & BIT(bit) &&
			    *sector == part->place * PAR_LOG_BLOCK + bit)
				*sector = NONE;
		}
	}
	bench->parts = 0;
}

static void discard(struct bench *bench)
{
	u32 all = bench->plain.blocks * PAR_LOG_BLOCK;
	u32 from = any(bench, all), count = 1 + any(bench, any(bench, 8) ? 40 : all);
	u32 i;

	count = min(count, all - from);
	par_log_index_discard(&bench->index, bench->plain.base * PAR_LOG_BLOCK + from, count);
	for (i = from; i < from + count; i++)
		bench->plain.sector[i] = NONE;
}

/* The oldest unit goes: all of it is at home first. */
static void free_unit(struct bench *bench)
{
	u64 pos = par_log_unit(bench->ring.tail) + PAR_LOG_UNIT;
	u32 u = bench->ring.tail % SLOTS / PAR_LOG_UNIT;
	u32 place;

	if (pos > bench->ring.done)
		return;
	drain_end(bench);
	for (place = u * PAR_LOG_UNIT; place < (u + 1) * PAR_LOG_UNIT; place++)
		if (bench->plain.written[place]) {
			drain_begin(bench, bench->plain.written[place] - 1);
			drain_end(bench);
			bench->plain.written[place] = 0;
		}
	par_log_ring_free(&bench->ring, pos);
	KUNIT_EXPECT_PTR_EQ(bench->test, par_log_index_close(&bench->index, u),
			    &bench->slots[u][0]);
	KUNIT_EXPECT_NULL(bench->test, par_log_index_close(&bench->index, u));
}

/* The pieces of some sectors are what the reference has, and as long as they can be. */
static void look_up(struct bench *bench)
{
	u32 all = bench->plain.blocks * PAR_LOG_BLOCK, from = any(bench, all);
	u32 count = min(1 + any(bench, 100), all - from), i;
	const u32 *sector = bench->plain.sector;
	struct par_log_piece piece;

	while (count) {
		par_log_index_find(&bench->index, bench->plain.base * PAR_LOG_BLOCK + from, count,
				   &piece);
		KUNIT_ASSERT_GT(bench->test, piece.sectors, 0);
		KUNIT_ASSERT_LE(bench->test, piece.sectors, count);
		KUNIT_ASSERT_EQ(bench->test, piece.logged, sector[from] != NONE);
		for (i = 0; i < piece.sectors; i++)
			KUNIT_ASSERT_EQ_MSG(bench->test, sector[from + i],
					    piece.logged ? piece.sector + i : NONE,
					    "sector %u of %u", i, piece.sectors);
		if (piece.logged)
			KUNIT_EXPECT_EQ(bench->test, piece.sector / PAR_LOG_UNIT_SECTORS,
					(piece.sector + piece.sectors - 1) / PAR_LOG_UNIT_SECTORS);
		bench->split += piece.sectors < count;
		if (piece.sectors < count && !piece.logged)
			KUNIT_EXPECT_NE(bench->test, sector[from + piece.sectors], NONE);
		from += piece.sectors;
		count -= piece.sectors;
	}
}

static bool replay_writes(const struct bench *bench, u32 first, u32 last)
{
	u32 place;

	for (place = 0; place < SLOTS; place++)
		if (bench->plain.written[place] && bench->plain.written[place] - 1 >= first &&
		    bench->plain.written[place] - 1 <= last)
			return true;
	return false;
}

static void ask_has(struct bench *bench)
{
	u32 all = bench->plain.blocks * PAR_LOG_BLOCK, from = any(bench, all);
	u32 count = min(1 + any(bench, any(bench, 8) ? 9 : all), all - from);

	KUNIT_ASSERT_EQ_MSG(bench->test,
			    par_log_index_has(&bench->index, bench->plain.base * PAR_LOG_BLOCK +
					      from, count),
			    replay_writes(bench, from / PAR_LOG_BLOCK,
					  (from + count - 1) / PAR_LOG_BLOCK),
			    "%u sectors from %u on", count, from);
}

/* Slots with live sectors, counted one by one. */
static u32 count_live(const struct bench *bench)
{
	static u32 seen[SLOTS];
	u32 i, live = 0;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < bench->plain.blocks * PAR_LOG_BLOCK; i++) {
		u32 sector = bench->plain.sector[i];

		if (sector != NONE && !seen[sector / PAR_LOG_BLOCK]++)
			live++;
	}
	return live;
}

static void do_step(struct bench *bench)
{
	switch (any(bench, 16)) {
	case 0 ... 4:
		append(bench);
		break;
	case 5 ... 6:
		drain_end(bench);
		drain_begin(bench, any(bench, bench->plain.blocks));
		break;
	case 7:
		drain_end(bench);
		break;
	case 8:
		discard(bench);
		break;
	case 9:
		if (!any(bench, 3))
			free_unit(bench);
		break;
	case 10 ... 11:
		ask_has(bench);
		break;
	default:
		look_up(bench);
	}
}

static struct bench *index_walk(struct kunit *test, u32 blocks, u64 base)
{
	struct bench *bench = make_bench(test, blocks, base);
	unsigned int step;

	for (step = 0; step < STEPS; step++) {
		do_step(bench);
		if (step % 64 == 0)
			KUNIT_ASSERT_EQ(test, bench->index.live, count_live(bench));
		KUNIT_ASSERT_LE(test, bench->index.open, UNITS);
	}
	KUNIT_EXPECT_GT(test, bench->split, 500);
	KUNIT_EXPECT_GT(test, bench->full, 10);
	while (par_log_unit(bench->ring.tail) + PAR_LOG_UNIT <= bench->ring.done)
		free_unit(bench);
	return bench;
}

/* Few blocks, that are written again and again. */
static void index_hot(struct kunit *test)
{
	KUNIT_EXPECT_GT(test, index_walk(test, 40, 0)->partial, 100);
}

/* As many as the ring has, and more; the last ones that there can be. */
static void index_cold(struct kunit *test)
{
	index_walk(test, SLOTS, 1000);
	index_walk(test, 6 * SLOTS, (1ULL << PAR_LOG_BLOCK_BITS) - 6 * SLOTS);
}

/* One record beside another one, in the log and of the array: read as one. */
static void index_sequential(struct kunit *test)
{
	struct bench *bench = make_bench(test, 8, 0);
	struct par_log_entry entry = { .sectors = 0xff };
	struct par_log_piece piece;
	u32 i;

	open_unit(bench, 0);
	open_unit(bench, 1);
	for (i = 0; i < 200; i++) {
		entry.block = 5000 + i;
		par_log_index_add(&bench->index, 1 + i, &entry);
	}
	par_log_index_find(&bench->index, 5000 * 8 + 3, 100, &piece);
	KUNIT_EXPECT_EQ(test, piece.sectors, 100);
	KUNIT_EXPECT_EQ(test, piece.sector, 8 + 3);
	par_log_index_find(&bench->index, 5000 * 8 + 3, 100000, &piece);
	KUNIT_EXPECT_EQ(test, piece.sectors, 127 * 8 - 3);
	par_log_index_find(&bench->index, 5127 * 8, 100000, &piece);
	KUNIT_EXPECT_EQ(test, piece.sectors, 73 * 8);
	KUNIT_EXPECT_EQ(test, piece.sector, PAR_LOG_UNIT_SECTORS);
	par_log_index_find(&bench->index, 4000 * 8, 100000, &piece);
	KUNIT_EXPECT_FALSE(test, piece.logged);
	KUNIT_EXPECT_EQ(test, piece.sectors, 1000 * 8);
}

/* A block that is at home again is still one that a replay would write, until it is freed. */
static void index_remembers(struct kunit *test)
{
	struct bench *bench = make_bench(test, 8, 0);
	struct par_log_entry entry = { .block = 77, .sectors = 0x0f };
	struct par_log_part part[PAR_LOG_PARTS];

	open_unit(bench, 0);
	open_unit(bench, 3);
	par_log_index_add(&bench->index, 1, &entry);
	KUNIT_ASSERT_EQ(test, par_log_index_parts(&bench->index, 77, part), 1);
	par_log_index_drained(&bench->index, part);
	KUNIT_EXPECT_EQ(test, bench->index.live, 0);
	KUNIT_EXPECT_EQ(test, par_log_index_parts(&bench->index, 77, part), 0);
	KUNIT_EXPECT_TRUE(test, par_log_index_has(&bench->index, 77 * 8 + 7, 1));
	/* Written again: now it is the later unit that tells. */
	entry.sectors = 0x80;
	par_log_index_add(&bench->index, 3 * PAR_LOG_UNIT + 9, &entry);
	par_log_index_discard(&bench->index, 0, 1ULL << 60);
	par_log_index_close(&bench->index, 0);
	KUNIT_EXPECT_TRUE(test, par_log_index_has(&bench->index, 77 * 8, 1));
	KUNIT_EXPECT_EQ(test, bench->index.live, 0);
	par_log_index_close(&bench->index, 3);
	KUNIT_EXPECT_FALSE(test, par_log_index_has(&bench->index, 77 * 8, 1));
	KUNIT_EXPECT_EQ(test, bench->index.open, 0);
}

/* A block that is written all the time has one slot, so that looking it up stays quick. */
static void index_again(struct kunit *test)
{
	struct bench *bench = make_bench(test, 8, 0);
	struct par_log_entry entry = { .block = 77 };
	unsigned int i, linked = 0;

	open_unit(bench, 0);
	for (i = 1; i < PAR_LOG_UNIT; i++) {
		entry.sectors = i == 50 ? 0x01 : 0xfe;
		par_log_index_add(&bench->index, i, &entry);
	}
	for (i = 0; i < PAR_LOG_UNIT; i++)
		linked += bench->slots[0][i].linked;
	KUNIT_EXPECT_EQ(test, linked, 2);
	KUNIT_EXPECT_EQ(test, bench->index.live, 2);
}

/* What a copy lacks is not read there: so it is a piece of its own. */
static void index_lacking(struct kunit *test)
{
	struct bench *bench = make_bench(test, 8, 0);
	struct par_log_entry entry = { .sectors = 0xff };
	struct par_log_part part[PAR_LOG_PARTS];
	struct par_log_piece piece;
	u32 i;

	open_unit(bench, 0);
	for (i = 1; i < 10; i++) {
		entry.block = i;
		par_log_index_add(&bench->index, i, &entry);
		if (i >= 4 && i < 7)
			par_log_index_lacks(&bench->index, i, 2);
	}
	par_log_index_find(&bench->index, 8, 9 * 8, &piece);
	KUNIT_EXPECT_EQ(test, piece.sectors, 3 * 8);
	KUNIT_EXPECT_EQ(test, piece.lacking, 0);
	par_log_index_find(&bench->index, 4 * 8 + 1, 6 * 8 - 1, &piece);
	KUNIT_EXPECT_EQ(test, piece.sectors, 3 * 8 - 1);
	KUNIT_EXPECT_EQ(test, piece.lacking, 2);
	KUNIT_EXPECT_EQ(test, par_log_index_parts(&bench->index, 6, part), 1);
	KUNIT_EXPECT_EQ(test, part[0].lacking, 2);
	/* What is written at the place again, all copies have. */
	entry.block = 6;
	par_log_index_add(&bench->index, 5, &entry);
	KUNIT_EXPECT_EQ(test, par_log_index_parts(&bench->index, 6, part), 1);
	KUNIT_EXPECT_EQ(test, part[0].lacking, 0);
	par_log_index_healed(&bench->index);
	par_log_index_find(&bench->index, 4 * 8, 8, &piece);
	KUNIT_EXPECT_EQ(test, piece.lacking, 0);
	KUNIT_EXPECT_TRUE(test, piece.logged);
}

/* The chains and the slots of any size of a log are at most 16 bytes for each of its blocks. */
static void index_small(struct kunit *test)
{
	u32 units;

	for (units = PAR_LOG_MIN_UNITS; units <= PAR_LOG_MAX_UNITS; units += 1 + units / 7) {
		u64 blocks = (u64)units * PAR_LOG_UNIT;
		u64 bytes = units * (sizeof(void *) + PAR_LOG_SLOTS_BYTES) +
			    (sizeof(u32) << par_log_index_bits(units));

		KUNIT_EXPECT_LE_MSG(test, bytes, 16 * blocks, "%u units", units);
	}
}

static struct kunit_case log_index_cases[] = {
	KUNIT_CASE(index_hot),
	KUNIT_CASE(index_cold),
	KUNIT_CASE(index_sequential),
	KUNIT_CASE(index_remembers),
	KUNIT_CASE(index_again),
	KUNIT_CASE(index_lacking),
	KUNIT_CASE(index_small),
	{}
};

static struct kunit_suite log_index_suite = {
	.name = "raid-par-log-index",
	.test_cases = log_index_cases,
};

kunit_test_suite(log_index_suite);
