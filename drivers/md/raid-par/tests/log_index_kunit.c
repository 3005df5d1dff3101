// SPDX-License-Identifier: GPL-2.0
/*
 * The index of the log, compared with an array that has the place of each sector: records of
 * random blocks and parts of blocks, which are written again, discarded, drained during writes,
 * and freed.
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
 * The reference: for each sector of the array its sector in the ring; for each place of the ring
 * the block that a replay would write.
 */
struct plain {
	u32 blocks;			/* of the array */
	u64 base;			/* number of the first block */
	u32 *sector;
	u64 written[SLOTS];		/* block plus one; 0: none */
};

struct bench {
	struct kunit *test;
	struct rnd_state random;
	struct par_log_index index;
	struct par_log_slot *unit[UNITS], slots[UNITS][PAR_LOG_UNIT];
	u32 chain[SLOTS];
	struct par_log_ring ring;
	struct plain plain;
	/* A block during its drain: read, and not at home yet. */
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

/* A write to a block; some have only one sector of 512 bytes, as of a file system's log. */
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

/* The data that was read is at home; sectors with newer data are still read from the log. */
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

static void discard_all(struct par_log_index *index, u64 sector, u64 sectors)
{
	struct par_log_sweep left = { .sector = sector, .sectors = sectors };

	while (par_log_index_discard(index, &left))
		;
}

static void discard(struct bench *bench)
{
	u32 all = bench->plain.blocks * PAR_LOG_BLOCK;
	u32 from = any(bench, all), count = 1 + any(bench, any(bench, 8) ? 40 : all);
	u32 i;

	count = min(count, all - from);
	discard_all(&bench->index, bench->plain.base * PAR_LOG_BLOCK + from, count);
	for (i = from; i < from + count; i++)
		bench->plain.sector[i] = NONE;
}

/* Close the oldest unit, after all of it is at home. */
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

/* The pieces of some sectors agree with the reference, and are as long as possible. */
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

/* Count the slots with live sectors one by one. */
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

/* Few blocks, which are written repeatedly. */
static void index_hot(struct kunit *test)
{
	KUNIT_EXPECT_GT(test, index_walk(test, 40, 0)->partial, 100);
}

/* As many blocks as the ring has, and more; with the largest possible numbers. */
static void index_cold(struct kunit *test)
{
	index_walk(test, SLOTS, 1000);
	index_walk(test, 6 * SLOTS, (1ULL << PAR_LOG_BLOCK_BITS) - 6 * SLOTS);
}

/* Two records that are adjacent in the log and in the array are read as one piece. */
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

/* A replay would write a drained block until its unit is freed. */
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
	/* After another write the later unit counts. */
	entry.sectors = 0x80;
	par_log_index_add(&bench->index, 3 * PAR_LOG_UNIT + 9, &entry);
	discard_all(&bench->index, 0, 1ULL << 60);
	par_log_index_close(&bench->index, 0);
	KUNIT_EXPECT_TRUE(test, par_log_index_has(&bench->index, 77 * 8, 1));
	KUNIT_EXPECT_EQ(test, bench->index.live, 0);
	par_log_index_close(&bench->index, 3);
	KUNIT_EXPECT_FALSE(test, par_log_index_has(&bench->index, 77 * 8, 1));
	KUNIT_EXPECT_EQ(test, bench->index.open, 0);
}

/* A block that is written repeatedly has one slot, so that a search stays fast. */
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

/* A block that a copy lacks is not read from that copy, and is a separate piece. */
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
	/* All copies have a new record at the same place. */
	entry.block = 6;
	par_log_index_add(&bench->index, 5, &entry);
	KUNIT_EXPECT_EQ(test, par_log_index_parts(&bench->index, 6, part), 1);
	KUNIT_EXPECT_EQ(test, part[0].lacking, 0);
	/* The healing has reached the slot before that of block 8. */
	par_log_index_lacks(&bench->index, 8, 2);
	par_log_index_healed(&bench->index, 0, 8);
	par_log_index_find(&bench->index, 4 * 8, 8, &piece);
	KUNIT_EXPECT_EQ(test, piece.lacking, 0);
	KUNIT_EXPECT_TRUE(test, piece.logged);
	KUNIT_EXPECT_EQ(test, par_log_index_parts(&bench->index, 8, part), 1);
	KUNIT_EXPECT_EQ(test, part[0].lacking, 2);
	par_log_index_healed(&bench->index, 8, 1);
	KUNIT_EXPECT_EQ(test, par_log_index_parts(&bench->index, 8, part), 1);
	KUNIT_EXPECT_EQ(test, part[0].lacking, 0);
	/* No record is in this unit. */
	par_log_index_healed(&bench->index, 3 * PAR_LOG_UNIT, PAR_LOG_UNIT);
}

/* Chains and slots of a log of any size need at most 16 bytes for each of its blocks. */
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

#define MANY_UNITS	200U

/* A full index of MANY_UNITS, with the blocks 0 to @blocks - 1, which is returned. */
static u64 fill_many(struct kunit *test, struct par_log_index *index)
{
	struct par_log_slot **unit = kunit_kcalloc(test, MANY_UNITS, sizeof(*unit), GFP_KERNEL);
	u32 *chain = kunit_kcalloc(test, MANY_UNITS * PAR_LOG_UNIT, sizeof(*chain), GFP_KERNEL);
	struct par_log_entry entry = { .sectors = 0xff };
	u32 u, i;

	KUNIT_ASSERT_NOT_NULL(test, unit);
	KUNIT_ASSERT_NOT_NULL(test, chain);
	par_log_index_init(index, MANY_UNITS, unit, chain);
	for (u = 0; u < MANY_UNITS; u++) {
		struct par_log_slot *slots = kunit_kzalloc(test, PAR_LOG_SLOTS_BYTES, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, slots);
		par_log_index_open(index, u, slots);
		for (i = 1; i < PAR_LOG_UNIT; i++, entry.block++)
			par_log_index_add(index, u * PAR_LOG_UNIT + i, &entry);
	}
	return entry.block;
}

/* A discard of many blocks takes many calls, each of which does little, by block and by slot. */
static void index_sweeps(struct kunit *test)
{
	struct par_log_index index;
	u64 blocks = fill_many(test, &index);
	struct par_log_sweep left[] = {
		{ .sector = 3, .sectors = (blocks / 20) * PAR_LOG_BLOCK },
		{ .sector = 0, .sectors = 1ULL << 60 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(left); i++) {
		unsigned int calls = 0;
		u32 before;
		bool more;

		do {
			before = index.live;
			more = par_log_index_discard(&index, &left[i]);
			KUNIT_EXPECT_LE(test, before - index.live, PAR_LOG_SWEEP);
			calls++;
		} while (more);
		KUNIT_EXPECT_GT_MSG(test, calls, 1, "discard %u", i);
		/* Three sectors of its first block are left, and so is the end of its last one. */
		if (!i)
			KUNIT_EXPECT_EQ(test, index.live, blocks - blocks / 20 + 1);
	}
	KUNIT_EXPECT_EQ(test, index.live, 0);
}

static struct kunit_case log_index_cases[] = {
	KUNIT_CASE(index_hot),
	KUNIT_CASE(index_cold),
	KUNIT_CASE(index_sequential),
	KUNIT_CASE(index_remembers),
	KUNIT_CASE(index_again),
	KUNIT_CASE(index_lacking),
	KUNIT_CASE(index_small),
	KUNIT_CASE(index_sweeps),
	{}
};

static struct kunit_suite log_index_suite = {
	.name = "raid-par-log-index",
	.test_cases = log_index_cases,
};

kunit_test_suite(log_index_suite);
