// SPDX-License-Identifier: GPL-2.0
/*
 * Replays of logs on members with a cache that loses unflushed data, sector by sector: repeated
 * cuts, a member that is lost and returns with its old content, damaged records, rings that get
 * another length; with summaries of units, as summary.c writes them.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/log-replay.h"
#include "pure/log-ring.h"

#define MEMBERS		3U
#define COPIES		2U
#define ROWS		6U
#define UNITS		(ROWS * MEMBERS / COPIES)
#define UNIT_BYTES	(PAR_LOG_UNIT * PAR_LOG_BLOCK_BYTES)
#define SECTORS		PAR_LOG_UNIT_SECTORS
#define EPOCH		0xabcdef0123456789ULL
#define ARRAY_BLOCKS	100000U
#define RECORDS		4000U
#define ROUNDS		60U
#define SUM_SECTORS	(PAR_LOG_BLOCK_BYTES / 512)

/* A member's summary of a unit, in the same way. */
struct sum {
	struct par_disk_log_summary disk, cache;
	bool dirty[SUM_SECTORS];
};

/* The summary of the unit that is being written, and of those that are to be summarized. */
struct unit_sum {
	struct par_log_summary head;
	struct par_disk_log_summary raw;
};

/* A unit of a member's area: its content on the disk, and as read while there is power. */
struct row {
	u8 disk[UNIT_BYTES], cache[UNIT_BYTES];
	bool dirty[SECTORS];
};

/* The appended records, in order. */
struct plain {
	u64 pos, end, run;
	unsigned int count;
	u32 seed;
};

struct bench {
	struct kunit *test;
	struct rnd_state random;
	struct par_log_shape shape;
	struct row *row[MEMBERS][ROWS];
	struct sum *sum[MEMBERS][UNITS];
	struct unit_sum *units[UNITS];	/* of this run, complete up to @sums */
	unsigned int sums;
	bool open;			/* unit @sums is being written */
	bool early;			/* a fault: summaries are written before the flush */
	u64 summaries_from;		/* as in the superblock */
	struct par_log_ring ring;
	u64 run, stored;		/* as in the superblock; stored: the flushed position */
	bool old;			/* records have no tail, as those of older versions */
	u32 absent;			/* members whose log is not used */
	struct plain plain[RECORDS];
	unsigned int first, count, flushed;	/* records: first in the log, all, stable */
	u8 record[UNIT_BYTES] __aligned(8);
	unsigned int lost, healed, ended, summarized;
};

static u32 any(struct bench *bench, u32 below)
{
	return prandom_u32_state(&bench->random) % below;
}

static struct bench *make_bench(struct kunit *test, u64 begin)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);
	unsigned int d, row, u;

	KUNIT_ASSERT_NOT_NULL(test, bench);
	bench->test = test;
	prandom_seed_state(&bench->random, begin);
	KUNIT_ASSERT_TRUE(test, par_log_shape_init(&bench->shape, MEMBERS, COPIES - 1, 0,
						   ROWS * PAR_LOG_UNIT_SECTORS));
	KUNIT_ASSERT_EQ(test, bench->shape.units, UNITS);
	par_log_ring_init(&bench->ring, UNITS * PAR_LOG_UNIT, begin);
	bench->run = 1;
	bench->stored = begin;
	for (d = 0; d < MEMBERS; d++)
		for (row = 0; row < ROWS; row++) {
			bench->row[d][row] = kunit_kzalloc(test, sizeof(struct row), GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, bench->row[d][row]);
		}
	for (u = 0; u < UNITS; u++) {
		bench->units[u] = kunit_kzalloc(test, sizeof(struct unit_sum), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, bench->units[u]);
		for (d = 0; d < MEMBERS; d++) {
			bench->sum[d][u] = kunit_kzalloc(test, sizeof(struct sum), GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, bench->sum[d][u]);
		}
	}
	return bench;
}

/* ---- members ---- */

static struct row *row_of(struct bench *bench, u64 pos, unsigned int copy, size_t *offset)
{
	u32 place = par_log_place(&bench->shape, pos);
	u64 sector = par_log_sector(&bench->shape, place, copy);

	*offset = sector % PAR_LOG_UNIT_SECTORS * 512;
	return bench->row[par_log_member(&bench->shape, place, copy)]
			 [sector / PAR_LOG_UNIT_SECTORS];
}

static bool is_absent(struct bench *bench, u64 pos, unsigned int copy)
{
	return bench->absent & BIT(par_log_member(&bench->shape,
						  par_log_place(&bench->shape, pos), copy));
}

static void write_copy(struct bench *bench, u64 pos, unsigned int copy, const void *data,
		       size_t bytes)
{
	size_t offset, sector;
	struct row *row = row_of(bench, pos, copy, &offset);

	if (is_absent(bench, pos, copy))
		return;
	memcpy(row->cache + offset, data, bytes);
	for (sector = offset / 512; sector < (offset + bytes) / 512; sector++)
		row->dirty[sector] = true;
}

/* Of the unflushed sectors, @keep of eight are written, and the others are lost. */
static void write_sectors(struct bench *bench, void *disk, void *cache, bool *dirty,
			  unsigned int sectors, unsigned int keep)
{
	unsigned int sector;

	for (sector = 0; sector < sectors; sector++) {
		if (dirty[sector] && any(bench, 8) < keep)
			memcpy(disk + sector * 512, cache + sector * 512, 512);
		dirty[sector] = false;
	}
	memcpy(cache, disk, sectors * 512);
}

static void write_back(struct bench *bench, struct row *row, unsigned int keep)
{
	write_sectors(bench, row->disk, row->cache, row->dirty, SECTORS, keep);
}

static void write_sum_back(struct bench *bench, struct sum *sum, unsigned int keep)
{
	write_sectors(bench, &sum->disk, &sum->cache, sum->dirty, SUM_SECTORS, keep);
}

/* The cached sectors of a unit are written, lost, or torn. */
static void power_cut(struct bench *bench)
{
	static const unsigned int keep[] = { 0, 8, 8, 7 };
	unsigned int d, i;

	for (d = 0; d < MEMBERS; d++)
		for (i = 0; i < ROWS; i++)
			write_back(bench, bench->row[d][i], keep[any(bench, ARRAY_SIZE(keep))]);
	for (d = 0; d < MEMBERS; d++)
		for (i = 0; i < UNITS; i++)
			write_sum_back(bench, bench->sum[d][i], keep[any(bench, ARRAY_SIZE(keep))]);
}

static void flush_all(struct bench *bench)
{
	u64 done = bench->ring.done;
	unsigned int d, i;

	for (d = 0; d < MEMBERS; d++)
		for (i = 0; i < ROWS; i++)
			write_back(bench, bench->row[d][i], 8);
	for (d = 0; d < MEMBERS; d++)
		for (i = 0; i < UNITS; i++)
			write_sum_back(bench, bench->sum[d][i], 8);
	par_log_ring_flushed(&bench->ring, done);
	bench->flushed = bench->count;
}

/* ---- summaries ---- */

/* The copies of the unit at @pos on members that are not absent. */
static u32 present_copies(struct bench *bench, u64 pos)
{
	u32 copies = 0;
	unsigned int copy;

	for (copy = 0; copy < COPIES; copy++)
		if (!is_absent(bench, pos, copy))
			copies |= BIT(copy);
	return copies;
}

/* bench->record has been written as @plain. */
static void summarize(struct bench *bench, const struct plain *plain, u64 tail)
{
	struct unit_sum *unit;

	if (!(plain->pos % PAR_LOG_UNIT)) {
		bench->open = bench->sums < UNITS;
		if (bench->open) {
			unit = bench->units[bench->sums];
			unit->head = (struct par_log_summary) {
				.epoch = EPOCH,
				.run = plain->run,
				.pos = plain->pos,
				.copies = GENMASK(COPIES - 1, 0),
			};
			par_log_summary_begin(&unit->raw);
		}
	}
	if (!bench->open)
		return;
	unit = bench->units[bench->sums];
	par_log_summary_add(&unit->raw, (struct par_disk_log_header *)bench->record);
	unit->head.copies &= present_copies(bench, plain->pos);
	unit->head.tail = tail;
	unit->head.records++;
	if (plain->end % PAR_LOG_UNIT)
		return;
	bench->open = false;
	bench->sums++;
}

static void write_summary(struct bench *bench, struct unit_sum *unit)
{
	u32 u = par_log_place(&bench->shape, unit->head.pos) / PAR_LOG_UNIT;
	unsigned int d;

	unit->head.copies &= present_copies(bench, unit->head.pos);
	par_log_summary_seal(&unit->raw, &unit->head);
	for (d = 0; d < MEMBERS; d++) {
		if (bench->absent & BIT(d))
			continue;
		bench->sum[d][u]->cache = unit->raw;
		memset(bench->sum[d][u]->dirty, true, SUM_SECTORS);
	}
}

static void store_summaries(struct bench *bench)
{
	unsigned int i;

	if (!bench->early)
		flush_all(bench);
	for (i = 0; i < bench->sums; i++)
		if (bench->units[i]->head.copies)
			write_summary(bench, bench->units[i]);
	if (bench->open)
		swap(bench->units[0], bench->units[bench->sums]);
	bench->sums = 0;
}

/* A new run, or a ring of another length, knows nothing of units that were begun before. */
static void drop_summaries(struct bench *bench)
{
	bench->sums = 0;
	bench->open = false;
}

/* ---- records ---- */

static void make_record(struct bench *bench, const struct plain *plain, u64 stable, u64 tail)
{
	struct par_disk_log_header *raw = (struct par_disk_log_header *)bench->record;
	struct par_log_head head = {
		.epoch = EPOCH,
		.run = plain->run,
		.pos = plain->pos,
		.stable = stable,
		.tail = tail,
		.count = plain->count,
	};
	struct par_log_entry entry;
	unsigned int i;

	par_log_header_begin(raw);
	for (i = 0; i < plain->count; i++) {
		u8 *data = bench->record + (i + 1) * PAR_LOG_BLOCK_BYTES;

		memset(data, plain->seed + i, PAR_LOG_BLOCK_BYTES);
		memcpy(data, &plain->seed, sizeof(plain->seed));
		entry.block = (plain->seed + 7 * i) % ARRAY_BLOCKS;
		entry.sectors = 1 + (plain->seed + i) % 255;
		par_log_entry_pack(raw, i, &entry, data);
	}
	par_log_header_seal(raw, &head);
}

static void append(struct bench *bench, unsigned int want)
{
	struct plain *plain = &bench->plain[bench->count];
	unsigned int copy;

	if (bench->count == RECORDS)
		return;
	plain->count = par_log_ring_take(&bench->ring, want, &plain->pos);
	if (!plain->count)
		return;
	plain->end = bench->ring.head;
	plain->run = bench->run;
	plain->seed = prandom_u32_state(&bench->random);
	make_record(bench, plain, bench->ring.stable, bench->old ? 0 : bench->ring.tail);
	for (copy = 0; copy < COPIES; copy++)
		write_copy(bench, plain->pos, copy, bench->record,
			   (plain->count + 1) * PAR_LOG_BLOCK_BYTES);
	bench->count++;
	par_log_ring_done(&bench->ring, plain->end);
	summarize(bench, plain, bench->old ? 0 : bench->ring.tail);
}

/* All records up to a unit's beginning, or all flushed records, are at home. */
static void store_tail(struct bench *bench, bool all)
{
	u64 tail = all ? bench->ring.stable : par_log_unit(bench->ring.stable);

	if (tail < bench->ring.tail)
		return;
	par_log_ring_free(&bench->ring, tail);
	bench->stored = bench->ring.stable;
	while (bench->first < bench->count && bench->plain[bench->first].end <= tail)
		bench->first++;
}

/* ---- replay ---- */

static void copies_at(struct bench *bench, u64 pos, const void **copies)
{
	unsigned int copy;
	size_t offset;

	for (copy = 0; copy < COPIES; copy++) {
		struct row *row = row_of(bench, pos, copy, &offset);

		copies[copy] = is_absent(bench, pos, copy) ? NULL : row->cache + offset;
	}
}

static void start_walk(struct bench *bench, struct par_log_walk *walk)
{
	par_log_walk_init(walk, &bench->shape, EPOCH, ARRAY_BLOCKS, bench->ring.tail,
			  bench->stored, bench->run);
	walk->summaries_from = bench->summaries_from;
}

/* ---- replay by summaries ---- */

static bool sum_of(struct bench *bench, unsigned int d, u32 u, struct par_log_summary *head)
{
	return !(bench->absent & BIT(d)) &&
	       par_log_summary_check(&bench->sum[d][u]->cache, EPOCH, ARRAY_BLOCKS, COPIES, head);
}

static void see_summaries(struct bench *bench, struct par_log_walk *walk)
{
	struct par_log_summary head;
	unsigned int d;
	u32 u;

	for (u = 0; u < bench->shape.units; u++)
		for (d = 0; d < MEMBERS; d++)
			if (sum_of(bench, d, u, &head))
				par_log_walk_see(walk, &head, u);
}

/* The summary that counts at the walk's position, or NULL. */
static const struct par_disk_log_summary *
find_summary(struct bench *bench, const struct par_log_walk *walk, struct par_log_summary *head)
{
	u32 u = par_log_place(&bench->shape, walk->pos) / PAR_LOG_UNIT;
	unsigned int i, d, first = any(bench, MEMBERS);

	for (i = 0; walk->pos < walk->limit && !(walk->pos % PAR_LOG_UNIT) && i < MEMBERS; i++) {
		d = (first + i) % MEMBERS;
		if (sum_of(bench, d, u, head) && par_log_walk_summary(walk, head))
			return &bench->sum[d][u]->cache;
	}
	return NULL;
}

/* The record that was found is all of @plain. */
static void expect_record(struct bench *bench, const struct plain *plain,
			  const struct par_log_found *found, const void *raw)
{
	KUNIT_ASSERT_EQ(bench->test, found->head.pos, plain->pos);
	KUNIT_ASSERT_EQ(bench->test, found->head.run, plain->run);
	KUNIT_ASSERT_EQ(bench->test, found->head.count, plain->count);
	make_record(bench, plain, found->head.stable, found->head.tail);
	KUNIT_ASSERT_EQ(bench->test, 0, memcmp(raw, bench->record, (plain->count + 1) *
					       PAR_LOG_BLOCK_BYTES));
}

/* Lacking copies are completed before the array is used. */
static void heal(struct bench *bench, const struct par_log_found *found, const void *raw)
{
	unsigned int copy;

	for (copy = 0; copy < COPIES; copy++) {
		if (!(found->lacking & BIT(copy)))
			continue;
		bench->healed += !is_absent(bench, found->head.pos, copy);
		write_copy(bench, found->head.pos, copy, raw,
			   (found->head.count + 1) * PAR_LOG_BLOCK_BYTES);
	}
}

/* The summary has the entries of @plain, and the copies that it names have the record. */
static void expect_in_summary(struct bench *bench, const struct plain *plain,
			      const struct par_disk_log_summary *raw,
			      const struct par_log_summary *head)
{
	struct par_log_found found = { .head = { .pos = plain->pos, .count = plain->count } };
	struct par_disk_log_header *header = (struct par_disk_log_header *)bench->record;
	unsigned int i, copy, at = plain->pos % PAR_LOG_UNIT;
	const struct par_disk_log_header *good = NULL;
	struct par_log_entry entry;
	const void *copies[COPIES];

	KUNIT_ASSERT_EQ(bench->test, head->run, plain->run);
	KUNIT_ASSERT_FALSE(bench->test, par_log_summary_entry(raw, at, &entry));
	copies_at(bench, plain->pos, copies);
	for (copy = 0; copy < COPIES; copy++)
		if (copies[copy] && head->copies & BIT(copy))
			good = copies[copy];
	KUNIT_ASSERT_NOT_NULL(bench->test, good);
	for (copy = 0; copy < COPIES; copy++) {
		if (!copies[copy] || !(head->copies & BIT(copy))) {
			found.lacking |= BIT(copy);
			continue;
		}
		make_record(bench, plain, le64_to_cpu(good->stable), le64_to_cpu(good->tail));
		KUNIT_ASSERT_EQ(bench->test, 0, memcmp(copies[copy], bench->record,
						       (plain->count + 1) * PAR_LOG_BLOCK_BYTES));
	}
	for (i = 0; i < plain->count; i++)
		KUNIT_ASSERT_EQ(bench->test, 0, memcmp(&raw->entry[at + 1 + i], &header->entry[i],
						       sizeof(raw->entry[0])));
	heal(bench, &found, good);
}

/* The records of a unit, from @first on, are all in its summary. Returns the first one behind. */
static unsigned int expect_unit(struct bench *bench, unsigned int first,
				const struct par_disk_log_summary *raw,
				const struct par_log_summary *head)
{
	unsigned int i = first;

	for (; i < bench->count && bench->plain[i].pos < head->pos + PAR_LOG_UNIT; i++)
		expect_in_summary(bench, &bench->plain[i], raw, head);
	KUNIT_ASSERT_EQ(bench->test, i - first, head->records);
	bench->summarized++;
	return i;
}

static void look_behind(struct bench *bench, struct par_log_walk *walk)
{
	const void *copies[COPIES];
	unsigned int copy;
	u64 pos;

	for (pos = par_log_walk_later(walk, walk->pos); pos; pos = par_log_walk_later(walk, pos)) {
		copies_at(bench, pos, copies);
		for (copy = 0; copy < COPIES; copy++)
			if (copies[copy])
				par_log_walk_look(walk, copies[copy], pos);
	}
}

/*
 * All flushed records are found, and none before them is left out. Then the log is used again
 * from there on.
 */
static void replay(struct bench *bench)
{
	const struct par_disk_log_summary *raw;
	unsigned int i = bench->first;
	const void *copies[COPIES];
	struct par_log_found found;
	struct par_log_summary head;
	struct par_log_walk walk;

	start_walk(bench, &walk);
	see_summaries(bench, &walk);
	for (;;) {
		raw = find_summary(bench, &walk, &head);
		if (raw) {
			i = expect_unit(bench, i, raw, &head);
			par_log_walk_unit(&walk, &head);
			continue;
		}
		copies_at(bench, walk.pos, copies);
		if (walk.pos >= walk.limit || !par_log_walk_next(&walk, copies, COPIES, &found))
			break;
		KUNIT_ASSERT_LT(bench->test, i, bench->count);
		expect_record(bench, &bench->plain[i++], &found, copies[found.copy]);
		heal(bench, &found, copies[found.copy]);
	}
	KUNIT_ASSERT_GE(bench->test, i, min(bench->flushed, bench->count));
	look_behind(bench, &walk);
	KUNIT_EXPECT_FALSE(bench->test, par_log_walk_damaged(&walk));
	bench->lost += bench->count - i;
	bench->ended += i < bench->count;
	bench->count = i;
	flush_all(bench);
	drop_summaries(bench);
	bench->run++;
	bench->ring.head = walk.pos;
	bench->ring.done = walk.pos;
	bench->ring.stable = walk.pos;
	bench->stored = walk.pos;
}

/* A member fails, and returns with its old content as soon as the log is empty. */
static void change_members(struct bench *bench)
{
	if (!bench->absent) {
		bench->absent = BIT(any(bench, MEMBERS));
		return;
	}
	flush_all(bench);
	store_tail(bench, true);
	KUNIT_EXPECT_TRUE(bench->test, par_log_ring_empty(&bench->ring));
	bench->absent = 0;
}

/* The log is empty, and its ring has another length from now on: see resize.c. */
static void resize(struct bench *bench, u32 units)
{
	u64 pos;

	flush_all(bench);
	store_tail(bench, true);
	KUNIT_EXPECT_TRUE(bench->test, par_log_ring_empty(&bench->ring));
	pos = round_up(bench->ring.tail, PAR_LOG_UNIT);
	bench->shape.units = units;
	par_log_ring_init(&bench->ring, par_log_blocks(&bench->shape), pos);
	bench->stored = pos;
	drop_summaries(bench);
	bench->run++;
	bench->absent = 0;
}

static void use_log(struct bench *bench)
{
	unsigned int i, steps = 1 + any(bench, 40);

	for (i = 0; i < steps; i++) {
		append(bench, 1 + any(bench, any(bench, 6) ? 4 : 40));
		if (!any(bench, 12))
			flush_all(bench);
		if (!any(bench, 20))
			store_tail(bench, any(bench, 2));
		if (!any(bench, 10))
			store_summaries(bench);
	}
	if (!any(bench, 6))
		change_members(bench);
	if (!any(bench, 10))
		resize(bench, 2 + any(bench, UNITS - 1));
}

/* Cuts after which all of the cache, none of it, or any sectors of it are written. */
static void replay_cuts(struct kunit *test)
{
	struct bench *bench = make_bench(test, 7777 * PAR_LOG_UNIT);
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		use_log(bench);
		power_cut(bench);
		replay(bench);
		/* Another cut at once: no record is lost, and none appears. */
		if (!any(bench, 4)) {
			power_cut(bench);
			replay(bench);
		}
	}
	KUNIT_EXPECT_GT(test, bench->ended, 10);
	KUNIT_EXPECT_GT(test, bench->healed, 10);
	KUNIT_EXPECT_GT(test, bench->lost, bench->ended);
	KUNIT_EXPECT_GT(test, bench->summarized, 10);
	KUNIT_EXPECT_GT(test, bench->ring.tail, (7777 + UNITS) * PAR_LOG_UNIT);
}

static void damage(struct bench *bench, u64 pos, unsigned int copy)
{
	size_t offset;
	struct row *row = row_of(bench, pos, copy, &offset);

	row->disk[offset] ^= 1;
	row->cache[offset] ^= 1;
}

/* @records of one block, of which the last @not are not flushed */
static void fill(struct bench *bench, unsigned int records, unsigned int not)
{
	unsigned int i;

	for (i = 0; i < records; i++) {
		append(bench, 1);
		if (i + not + 1 == records)
			flush_all(bench);
	}
}

/* Walk to the end. Returns the record at which it is. */
static unsigned int walk_to_end(struct bench *bench, struct par_log_walk *walk)
{
	struct par_log_found found;
	const void *copies[COPIES];
	unsigned int i = 0;

	start_walk(bench, walk);
	for (;; i++) {
		copies_at(bench, walk->pos, copies);
		if (!par_log_walk_next(walk, copies, COPIES, &found))
			break;
	}
	look_behind(bench, walk);
	return i;
}

/*
 * The second of three records is lost. The record that is written in its place has the same
 * length, so that the third one would follow it.
 */
static void replay_left_over(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;

	fill(bench, 3, 0);
	damage(bench, bench->plain[1].pos, 0);
	damage(bench, bench->plain[1].pos, 1);
	bench->flushed = 1;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 1);
	replay(bench);
	append(bench, 1);
	KUNIT_EXPECT_EQ(test, bench->plain[1].end, 4);
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 2);
	/* With the old run the third record would follow: only the run prevents this. */
	bench->run--;
	bench->ring.head = 2;
	bench->count = 1;
	append(bench, 1);
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 3);
}

/*
 * Two whole records are at one position: a member that was missing when the record of an older
 * run was lost still has it. The newer one counts, on any copy.
 */
static void replay_two_runs(struct kunit *test)
{
	struct par_log_walk walk;
	struct par_log_found found;
	const void *copies[COPIES];
	unsigned int newer;

	for (newer = 0; newer < COPIES; newer++) {
		struct bench *bench = make_bench(test, 0);

		fill(bench, 1, 0);
		bench->ring.head = 0;
		bench->ring.stable = 0;
		bench->run++;
		bench->absent = BIT(par_log_member(&bench->shape, 0, !newer));
		append(bench, 1);
		bench->absent = 0;
		start_walk(bench, &walk);
		copies_at(bench, 0, copies);
		KUNIT_ASSERT_TRUE(test, par_log_walk_next(&walk, copies, COPIES, &found));
		KUNIT_EXPECT_EQ(test, found.head.run, 2);
		KUNIT_EXPECT_EQ(test, found.copy, newer);
		KUNIT_EXPECT_EQ(test, found.lacking, BIT(!newer));
	}
}

/*
 * The only record of a log is lost except on a member that is missing. The array is used without
 * this member, and nothing is logged: when the member returns, the log is empty.
 */
static void replay_away(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;

	fill(bench, 1, 0);
	bench->flushed = 0;
	damage(bench, 0, 1);
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 1);
	bench->absent = BIT(par_log_member(&bench->shape, 0, 0));
	replay(bench);
	KUNIT_EXPECT_EQ(test, bench->count, 0);
	bench->absent = 0;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 0);
}

/*
 * A record of a run that is not stored does not count. None is written before the store, so a newer
 * superblock is lost, whether the record is whole or not, and on any copy: this is not the end.
 */
static void replay_unknown_run(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;

	fill(bench, 1, 0);
	bench->run++;
	bench->stored = bench->ring.stable;
	append(bench, 1);
	append(bench, 1);
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 3);
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
	bench->run--;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 1);
	KUNIT_EXPECT_TRUE(test, par_log_walk_damaged(&walk));
	/* Only the second of these records is left, on one member. */
	damage(bench, bench->plain[1].pos, 0);
	damage(bench, bench->plain[1].pos, 1);
	damage(bench, bench->plain[2].pos, 0);
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 1);
	KUNIT_EXPECT_TRUE(test, par_log_walk_damaged(&walk));
	KUNIT_EXPECT_EQ(test, walk.newest_run, bench->run + 1);
	/* It is old as soon as a newer run than that is stored. */
	bench->run += 2;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 1);
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
}

/*
 * The superblock with the newest tail is lost: the records up to that tail have been drained, and
 * must not be replayed again. A record that was made afterwards shows it, also on one copy only
 * and behind the end; but no record of another run does.
 */
static void replay_older_tail(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	u64 newer, older = bench->ring.tail;
	struct par_log_walk walk;

	fill(bench, 10, 0);
	store_tail(bench, true);
	newer = bench->ring.tail;
	bench->ring.tail = older;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 10);
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
	bench->ring.tail = newer;
	append(bench, 1);
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 1);
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
	bench->ring.tail = older;
	bench->stored = older;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 11);
	KUNIT_EXPECT_TRUE(test, par_log_walk_outdated(&walk));
	KUNIT_EXPECT_EQ(test, walk.newest_tail, newer);
	damage(bench, bench->plain[10].pos, 0);
	damage(bench, bench->plain[5].pos, 0);
	damage(bench, bench->plain[5].pos, 1);
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 5);
	KUNIT_EXPECT_TRUE(test, par_log_walk_outdated(&walk));
	bench->run++;
	bench->stored = bench->plain[5].pos;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 5);
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
}

/*
 * The same if the records are of an older version, without a tail, and places are used again: these
 * records are of a later round of the ring.
 */
static void replay_later_round(struct kunit *test)
{
	struct bench *bench = make_bench(test, 5);
	struct par_log_walk walk;

	bench->old = true;
	append(bench, 1);
	while (bench->ring.head < (UNITS + 1) * PAR_LOG_UNIT) {
		flush_all(bench);
		store_tail(bench, true);
		append(bench, 100);
	}
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 1);
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
	bench->ring.tail = 5;
	bench->stored = 5;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 0);
	KUNIT_EXPECT_TRUE(test, par_log_walk_outdated(&walk));
	KUNIT_EXPECT_EQ(test, walk.newest_tail, PAR_LOG_UNIT);
	/* Nor is the superblock that is left the newest one if the run is a newer one. */
	bench->run--;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 0);
	KUNIT_EXPECT_TRUE(test, par_log_walk_outdated(&walk));
}

/* A flushed record without a good copy is not regarded as the end of the log. */
static void replay_damaged(struct kunit *test)
{
	unsigned int at, records = 200;
	struct par_log_walk walk;

	for (at = 0; at < records; at += 13) {
		struct bench *bench = make_bench(test, 3 * PAR_LOG_UNIT);

		fill(bench, records, 1);
		damage(bench, bench->plain[at].pos, at % COPIES);
		KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), records);
		KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
		damage(bench, bench->plain[at].pos, !(at % COPIES));
		KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), at);
		KUNIT_EXPECT_TRUE_MSG(test, par_log_walk_damaged(&walk), "record %u", at);
	}
}

/* The stored position of flushed records suffices to detect this. */
static void replay_clean_stop(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;

	fill(bench, 1, 0);
	par_log_walk_init(&walk, &bench->shape, EPOCH, ARRAY_BLOCKS, 0, 2, 1);
	KUNIT_EXPECT_TRUE(test, par_log_walk_damaged(&walk));
	walk.pos = 2;
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
}

/* A full ring: the walk passes it once, and no further. */
static void replay_full(struct kunit *test)
{
	struct bench *bench = make_bench(test, 5 * PAR_LOG_UNIT + 11);
	struct par_log_walk walk;
	unsigned int before;

	do {
		before = bench->count;
		append(bench, 100);
	} while (bench->count > before);
	KUNIT_EXPECT_EQ(test, par_log_ring_used(&bench->ring), UNITS * PAR_LOG_UNIT);
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), bench->count);
	KUNIT_EXPECT_EQ(test, walk.pos, walk.limit);
}

/*
 * A whole record is left behind the end of the log, at the beginning of a unit. The ring gets
 * another length, and new positions from there on: only the new run makes that record not count.
 */
static void replay_resized(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;

	do
		append(bench, 100);
	while (bench->ring.head <= PAR_LOG_UNIT);
	damage(bench, 0, 0);
	damage(bench, 0, 1);
	replay(bench);
	KUNIT_EXPECT_EQ(test, bench->count, 0);
	append(bench, 1);
	resize(bench, 2);
	KUNIT_EXPECT_EQ(test, bench->ring.head, PAR_LOG_UNIT);
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 0);
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
	bench->run = 1;
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 1);
}

/* Fill the unit at the head, and write its summary. */
static void fill_unit(struct bench *bench)
{
	u64 end = par_log_unit(bench->ring.head) + PAR_LOG_UNIT;

	while (bench->ring.head < end)
		append(bench, 1 + any(bench, 40));
	store_summaries(bench);
}

static bool summary_counts(struct bench *bench, struct par_log_walk *walk)
{
	struct par_log_summary head;

	start_walk(bench, walk);
	see_summaries(bench, walk);
	return find_summary(bench, walk, &head);
}

/* A summary that is written before its unit is flushed: a cut leaves it without the records. */
static void replay_summary_early(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;
	unsigned int d, u;

	bench->early = true;
	fill_unit(bench);
	for (d = 0; d < MEMBERS; d++) {
		for (u = 0; u < ROWS; u++)
			write_back(bench, bench->row[d][u], 0);
		for (u = 0; u < UNITS; u++)
			write_sum_back(bench, bench->sum[d][u], 8);
	}
	KUNIT_EXPECT_TRUE(test, summary_counts(bench, &walk));
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), 0);
}

/*
 * A record of a summarized unit is lost nevertheless, and the array is started by force, without
 * the summary. A later run writes other records there: the summary of the older run must not count,
 * though all of it is before the stored position of flushed records.
 */
static void replay_replaced(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;
	unsigned int end;

	fill_unit(bench);
	fill_unit(bench);
	KUNIT_EXPECT_TRUE(test, summary_counts(bench, &walk));
	end = bench->count;
	bench->ring.head = 0;
	bench->ring.done = 0;
	bench->ring.stable = 0;
	bench->run++;
	while (bench->ring.head < 2 * PAR_LOG_UNIT)
		append(bench, 100);
	flush_all(bench);
	drop_summaries(bench);
	bench->run++;
	bench->stored = bench->ring.stable;
	KUNIT_EXPECT_GE(test, bench->stored, 2 * PAR_LOG_UNIT);
	KUNIT_EXPECT_TRUE(test, summary_counts(bench, &walk));
	bench->summaries_from = bench->run - 1;
	KUNIT_EXPECT_FALSE(test, summary_counts(bench, &walk));
	KUNIT_EXPECT_EQ(test, walk_to_end(bench, &walk), bench->count - end);
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
}

/*
 * A start must not believe the summaries that are on the members: none counts at the next start,
 * but those of its own run do.
 */
static void replay_doubted(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;

	fill_unit(bench);
	bench->summaries_from = bench->run + 1;
	KUNIT_EXPECT_FALSE(test, summary_counts(bench, &walk));
	KUNIT_EXPECT_GT(test, walk_to_end(bench, &walk), 0);
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
	drop_summaries(bench);
	bench->run++;
	bench->stored = bench->ring.stable;
	fill_unit(bench);
	KUNIT_EXPECT_FALSE(test, summary_counts(bench, &walk));
	bench->ring.tail = PAR_LOG_UNIT;
	KUNIT_EXPECT_TRUE(test, summary_counts(bench, &walk));
	bench->ring.tail = 0;
	power_cut(bench);
	replay(bench);
	KUNIT_EXPECT_EQ(test, bench->summarized, 1);
}

/*
 * A summary of the stored run behind the end of the log: flushed records are missing. Of a newer
 * run, of a later round, or made with a newer tail: the superblock is not the newest one.
 */
static void replay_summary_tells(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;
	u64 tail;

	fill_unit(bench);
	fill_unit(bench);
	KUNIT_EXPECT_TRUE(test, summary_counts(bench, &walk));
	walk.pos = 2 * PAR_LOG_UNIT;
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
	walk.pos--;
	KUNIT_EXPECT_TRUE(test, par_log_walk_damaged(&walk));
	KUNIT_EXPECT_FALSE(test, par_log_walk_outdated(&walk));
	bench->run--;
	KUNIT_EXPECT_FALSE(test, summary_counts(bench, &walk));
	KUNIT_EXPECT_TRUE(test, par_log_walk_outdated(&walk));
	bench->run++;
	store_tail(bench, true);
	tail = bench->ring.tail;
	fill_unit(bench);
	bench->ring.tail = 0;
	bench->stored = 0;
	KUNIT_EXPECT_TRUE(test, summary_counts(bench, &walk));
	KUNIT_EXPECT_TRUE(test, par_log_walk_outdated(&walk));
	KUNIT_EXPECT_EQ(test, walk.newest_tail, tail);
	bench->run++;
	KUNIT_EXPECT_FALSE(test, summary_counts(bench, &walk));
	KUNIT_EXPECT_FALSE(test, par_log_walk_damaged(&walk));
}

/* A ring of another length: a summary is at the place of another unit, and tells nothing. */
static void replay_summary_place(struct kunit *test)
{
	struct bench *bench = make_bench(test, 0);
	struct par_log_walk walk;
	struct par_log_summary head;
	unsigned int d;

	fill_unit(bench);
	for (d = 0; d < MEMBERS; d++)
		bench->sum[d][3]->cache = bench->sum[d][0]->cache;
	KUNIT_EXPECT_TRUE(test, summary_counts(bench, &walk));
	KUNIT_EXPECT_FALSE(test, par_log_walk_outdated(&walk));
	walk.pos = 3 * PAR_LOG_UNIT;
	KUNIT_EXPECT_NULL(test, find_summary(bench, &walk, &head));
	walk.pos = UNITS * PAR_LOG_UNIT;
	walk.limit = 2 * walk.pos;
	KUNIT_EXPECT_NULL(test, find_summary(bench, &walk, &head));
}

static struct kunit_case log_replay_cases[] = {
	KUNIT_CASE(replay_cuts),
	KUNIT_CASE(replay_left_over),
	KUNIT_CASE(replay_two_runs),
	KUNIT_CASE(replay_away),
	KUNIT_CASE(replay_unknown_run),
	KUNIT_CASE(replay_older_tail),
	KUNIT_CASE(replay_later_round),
	KUNIT_CASE(replay_damaged),
	KUNIT_CASE(replay_clean_stop),
	KUNIT_CASE(replay_full),
	KUNIT_CASE(replay_resized),
	KUNIT_CASE(replay_summary_early),
	KUNIT_CASE(replay_replaced),
	KUNIT_CASE(replay_doubted),
	KUNIT_CASE(replay_summary_tells),
	KUNIT_CASE(replay_summary_place),
	{}
};

static struct kunit_suite log_replay_suite = {
	.name = "raid-par-log-replay",
	.test_cases = log_replay_cases,
};

kunit_test_suite(log_replay_suite);
