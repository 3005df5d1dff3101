// SPDX-License-Identifier: GPL-2.0
/*
 * A model of the protocol of the write log. The decisions are the module's own: the ring, the
 * index, the blocks to drain, the tail, log-way.c. The I/O is modelled here in small steps, in
 * any order: writes, flushes, drains, discards, blocks that are appended again, stores of a tail,
 * shifts. Power is cut at any time,
 * and the log is replayed: the data that is read then had been flushed, or is newer.
 *
 * Each rule can be left out (a mutant), and the model must find that. log_replay_kunit.c tests
 * which records a replay accepts: here a record is stable, or it does not exist.
 *
 * The content of half a block is a version. A write fills its record with its version, so that
 * the ring is soon reused. Two writes of a block are never under way at once, as their order is
 * not defined. A discard is of one block, which the home set clears or not. After a cut, discarded
 * content may be back, in any version.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/log-drain.h"
#include "pure/log-index.h"
#include "pure/log-ring.h"
#include "pure/log-way.h"

#define UNITS		8U
#define SLOTS		(UNITS * PAR_LOG_UNIT)
#define BLOCKS		6U
#define CELLS		(2 * BLOCKS)
#define RECORDS		(SLOTS / 2)
#define BATCH		3U
#define STEPS		4000U
#define WALKS		20U

/* The rule that is left out. */
enum mutant {
	NO_MUTANT,
	TAIL_BEFORE_FLUSH,	/* the tail is stored before the drained blocks are flushed */
	PAST_WHAT_IS_LOGGED,	/* logged blocks are written past the log */
	PAST_WHAT_IS_DRAINED,	/* the same for blocks that have been drained */
	FLUSH_WITHOUT_LOG,
	READ_WITHOUT_LOG,
	DRAINED_WITH_NEWER,	/* data written during the drain counts as drained as well */
	TAIL_AT_HEAD,		/* records that are not done are ignored */
	ACK_OUT_OF_ORDER,	/* a record is acknowledged before the record in front of it */
	FREE_BEFORE_STORED,	/* places are reused before the tail is stored */
	DISCARD_UNSEEN,		/* the log drops what the home set has not cleared */
	DISCARD_IN_DRAIN,	/* a block is discarded while it is drained */
	AGAIN_BESIDE_OTHERS,	/* a block is appended again while records are under way */
	AGAIN_AS_READ,		/* the same with sectors that have been written since it was read */
	MUTANTS,
};

static const char * const mutants[MUTANTS] = {
	"none", "tail before flush", "past what is logged", "past what is drained",
	"flush without log", "read without log", "drained with newer", "tail at head",
	"ack out of order", "free before stored", "discard unseen", "discard in drain",
	"again beside others", "again as read",
};

/* Half a block at home. @flushed: the stable version; and the versions reported to users. */
struct cell {
	u32 disk, cache;
	u32 acked, flushed, snapshot;
};

struct record {
	u64 pos, end;
	unsigned int block, count;
	u8 sectors;
	u32 version[2];
	bool again, written, acked, stable;
};

/* A write past the log that is under way. */
struct past {
	bool busy;
	u8 sectors;
	u32 version;
};

enum drain_step { DRAIN_NONE, DRAIN_READ, DRAIN_WRITTEN };
enum tail_step { TAIL_NONE, TAIL_CHOSEN, TAIL_FLUSHED, TAIL_STORED };

struct model {
	struct rnd_state random;
	enum mutant mutant;
	u32 ending;			/* in place of PAR_LOG_ENDING: some blocks, or all */
	const char *wrong;
	struct par_log_index index;
	struct par_log_slot *unit[UNITS], slots[UNITS][PAR_LOG_UNIT];
	u32 chain[SLOTS];
	struct par_log_ring ring;
	struct cell cell[CELLS];
	struct past past[BLOCKS];
	struct record record[RECORDS];
	unsigned int first, next;	/* of the records, modulo RECORDS */
	bool low, flushing;
	u64 flush_done;
	enum drain_step drain;
	u64 batch[SLOTS];
	unsigned int batched;
	struct par_log_part part[BATCH][PAR_LOG_PARTS];
	unsigned int parts[BATCH];
	u32 drained[2 * BATCH];		/* versions that were read; 0: none */
	enum tail_step tail;
	u64 new_tail, stored_tail;
	bool discarding, cleared;	/* the block @discarded, at home */
	unsigned int discarded;
	bool again;			/* the first of @batch has been read for it */
	u32 version;
	unsigned int cuts, appended, passed, waited, discards, agains;
};

static u32 any(struct model *model, u32 below)
{
	return prandom_u32_state(&model->random) % below;
}

static struct record *record_at(struct model *model, unsigned int i)
{
	return &model->record[i % RECORDS];
}

static u8 half(unsigned int which)
{
	return which ? 0xf0 : 0x0f;
}

/* ---- reads ---- */

/* The version at a place of the ring. */
static u32 version_at(struct model *model, u32 place, unsigned int which)
{
	unsigned int i;

	for (i = model->next; i-- > model->first; ) {
		const struct record *record = record_at(model, i);

		if ((place - record->pos % SLOTS) % SLOTS <= record->count)
			return record->version[which];
	}
	return 0;
}

static u32 read_cell(struct model *model, unsigned int i)
{
	struct par_log_piece piece;

	par_log_index_find(&model->index, i * PAR_LOG_BLOCK / 2, 1, &piece);
	if (!piece.logged || model->mutant == READ_WITHOUT_LOG)
		return model->cell[i].cache;
	return version_at(model, piece.sector / PAR_LOG_BLOCK, i % 2);
}

static bool block_busy(struct model *model, unsigned int block)
{
	unsigned int i;

	for (i = model->first; i < model->next; i++)
		if (record_at(model, i)->block == block && !record_at(model, i)->acked)
			return true;
	return model->past[block].busy || (model->discarding && model->discarded == block);
}

static bool all_acked(struct model *model)
{
	return model->first == model->next || record_at(model, model->next - 1)->acked;
}

/* All acknowledged data is read, as long as there is power. */
static void judge_reads(struct model *model)
{
	unsigned int i;

	for (i = 0; i < CELLS; i++)
		if (!block_busy(model, i / 2) && read_cell(model, i) != model->cell[i].acked)
			model->wrong = "a read does not have what was acknowledged";
}

/* ---- writes ---- */

static void acknowledge(struct model *model, unsigned int block, u8 sectors, u32 version)
{
	unsigned int which;

	for (which = 0; which < 2; which++)
		if (sectors & half(which))
			model->cell[2 * block + which].acked = version;
}

/* A place that is written again loses its old content. */
static void overwrite(struct model *model, const struct record *record)
{
	unsigned int i;

	for (i = model->first; i < model->next; i++) {
		struct record *old = record_at(model, i);

		if (old->pos < record->pos && old->end + UNITS * PAR_LOG_UNIT > record->pos &&
		    old->pos + SLOTS < record->end)
			old->stable = false;
	}
}

static void forget_records(struct model *model)
{
	while (model->first < model->next &&
	       record_at(model, model->first)->end <= min(model->ring.tail, model->stored_tail))
		model->first++;
}

static void append(struct model *model, unsigned int block, u8 sectors, const u32 *version)
{
	struct record *record = record_at(model, model->next);
	u32 u;

	*record = (struct record) {
		.block = block,
		.sectors = sectors,
		.version = { version[0], version[1] },
	};
	record->count = par_log_ring_take(&model->ring, 1 + any(model, 60), &record->pos);
	record->end = model->ring.head;
	u = record->pos % SLOTS / PAR_LOG_UNIT;
	if (!model->unit[u])
		par_log_index_open(&model->index, u, &model->slots[u][0]);
	model->next++;
	overwrite(model, record);
	model->appended++;
}

static bool is_logged(struct model *model, unsigned int block)
{
	struct par_log_part part[PAR_LOG_PARTS];

	switch (model->mutant) {
	case PAST_WHAT_IS_LOGGED:
		return false;
	case PAST_WHAT_IS_DRAINED:
		return par_log_index_parts(&model->index, block, part);
	default:
		return par_log_index_has(&model->index, block * PAR_LOG_BLOCK, PAR_LOG_BLOCK);
	}
}

static void begin_write(struct model *model)
{
	unsigned int block = any(model, BLOCKS);
	u8 sectors = any(model, 3) ? half(any(model, 2)) : 0xff;
	struct par_log_write write = {
		.low = model->low,
		.large = !any(model, 3),
		.logged = is_logged(model, block),
		.room = par_log_ring_used(&model->ring) < SLOTS &&
			model->next - model->first < RECORDS,
		.ending = model->index.live < model->ending,
	};
	u32 version = model->version + 1;

	if (block_busy(model, block))
		return;
	switch (par_log_way(&write)) {
	case PAR_LOG_APPEND:
		/* No more records are begun until those under way have ended. */
		if (model->again)
			break;
		append(model, block, sectors, (u32[]) { version, version });
		model->version = version;
		break;
	case PAR_LOG_PAST:
		model->past[block] = (struct past) { true, sectors, version };
		model->version = version;
		model->passed++;
		break;
	default:
		model->waited++;
	}
}

static void end_past(struct model *model, unsigned int block)
{
	struct past *past = &model->past[block];
	unsigned int which;

	if (!past->busy)
		return;
	for (which = 0; which < 2; which++)
		if (past->sectors & half(which))
			model->cell[2 * block + which].cache = past->version;
	acknowledge(model, block, past->sectors, past->version);
	past->busy = false;
}

static void index_record(struct model *model, const struct record *record)
{
	struct par_log_entry entry = { .block = record->block, .sectors = record->sectors };
	unsigned int i;

	for (i = 1; i <= record->count; i++)
		par_log_index_add(&model->index, (record->pos + i) % SLOTS, &entry);
}

/* All copies of some record are written; it is acknowledged in order. */
static void end_append(struct model *model)
{
	unsigned int i, which = model->first + any(model, model->next - model->first + 1);

	if (which < model->next)
		record_at(model, which)->written = true;
	for (i = model->first; i < model->next; i++) {
		struct record *record = record_at(model, i);

		if (record->acked)
			continue;
		if (!record->written && model->mutant == ACK_OUT_OF_ORDER)
			continue;
		if (!record->written)
			break;
		record->acked = true;
		index_record(model, record);
		par_log_ring_done(&model->ring, record->end);
		if (!record->again)
			acknowledge(model, record->block, record->sectors, record->version[0]);
	}
}

/* ---- flushes ---- */

static void flush_home(struct model *model)
{
	unsigned int i;

	for (i = 0; i < CELLS; i++)
		model->cell[i].disk = model->cell[i].cache;
}

static void flush_log(struct model *model)
{
	unsigned int i;

	for (i = model->first; i < model->next; i++)
		if (record_at(model, i)->written)
			record_at(model, i)->stable = true;
}

static void flush(struct model *model)
{
	unsigned int i;

	if (!model->flushing) {
		for (i = 0; i < CELLS; i++)
			model->cell[i].snapshot = model->cell[i].acked;
		if (model->discarding)
			model->cell[2 * model->discarded].snapshot =
				model->cell[2 * model->discarded + 1].snapshot = 0;
		model->flush_done = model->ring.done;
		model->flushing = true;
		return;
	}
	flush_home(model);
	if (model->mutant != FLUSH_WITHOUT_LOG)
		flush_log(model);
	par_log_ring_flushed(&model->ring, model->flush_done);
	for (i = 0; i < CELLS; i++)
		model->cell[i].flushed = max(model->cell[i].flushed, model->cell[i].snapshot);
	model->flushing = false;
}

/* ---- draining ---- */

static bool drain_read(struct model *model)
{
	unsigned int i, j, which;

	model->batched = par_log_drain_pick(&model->index, &model->ring, model->batch, SLOTS);
	model->batched = min(model->batched, BATCH);
	if (!model->batched)
		return false;
	memset(model->drained, 0, sizeof(model->drained));
	for (i = 0; i < model->batched; i++) {
		model->parts[i] = par_log_index_parts(&model->index, model->batch[i],
						      model->part[i]);
		for (j = 0; j < model->parts[i]; j++)
			for (which = 0; which < 2; which++)
				if (model->part[i][j].sectors & half(which))
					model->drained[2 * i + which] =
						version_at(model, model->part[i][j].place, which);
	}
	return true;
}

static void drain_write(struct model *model)
{
	unsigned int i;

	for (i = 0; i < 2 * model->batched; i++)
		if (model->drained[i])
			model->cell[2 * model->batch[i / 2] + i % 2].cache = model->drained[i];
	model->drain = DRAIN_WRITTEN;
}

static void drain_end(struct model *model)
{
	unsigned int i, j;

	for (i = 0; i < model->batched; i++) {
		if (model->mutant == DRAINED_WITH_NEWER)
			model->parts[i] = par_log_index_parts(&model->index, model->batch[i],
							      model->part[i]);
		for (j = 0; j < model->parts[i]; j++)
			par_log_index_drained(&model->index, &model->part[i][j]);
	}
	model->drain = DRAIN_NONE;
}

static void drain(struct model *model)
{
	switch (model->drain) {
	case DRAIN_NONE:
		/* Not while the tail moves: the drain moves it, and takes discards. */
		if (model->tail == TAIL_NONE && !model->discarding && !model->again &&
		    drain_read(model))
			model->drain = DRAIN_READ;
		break;
	case DRAIN_READ:
		drain_write(model);
		break;
	default:
		drain_end(model);
	}
}

/* What is still live of the first block that was read is appended again. */
static void append_again(struct model *model)
{
	unsigned int i;
	u8 sectors = 0;

	if (model->mutant != AGAIN_BESIDE_OTHERS && !all_acked(model))
		return;
	for (i = 0; i < model->parts[0]; i++)
		sectors |= model->mutant == AGAIN_AS_READ ? model->part[0][i].sectors :
			   par_log_index_live(&model->index, &model->part[0][i]);
	model->again = false;
	if (!sectors || par_log_ring_used(&model->ring) == SLOTS ||
	    model->next - model->first == RECORDS)
		return;
	append(model, model->batch[0], sectors, model->drained);
	record_at(model, model->next - 1)->again = true;
	model->agains++;
}

/* The drain's work does this, so no drain is under way, nor does the tail move. */
static void again(struct model *model)
{
	if (model->again)
		append_again(model);
	else if (model->drain == DRAIN_NONE && model->tail == TAIL_NONE && !model->discarding)
		model->again = drain_read(model);
}

static void free_units(struct model *model)
{
	u64 pos;

	for (pos = par_log_unit(model->ring.tail); pos < par_log_unit(model->new_tail);
	     pos += PAR_LOG_UNIT)
		par_log_index_close(&model->index, pos % SLOTS / PAR_LOG_UNIT);
	par_log_ring_free(&model->ring, model->new_tail);
	forget_records(model);
}

static void move_tail(struct model *model)
{
	switch (model->tail) {
	case TAIL_NONE:
		if (model->drain != DRAIN_NONE || model->discarding || model->again)
			break;
		model->new_tail = par_log_drain_tail(&model->index, &model->ring);
		if (model->mutant == TAIL_AT_HEAD && !model->index.live)
			model->new_tail = model->ring.head;
		if (model->mutant == FREE_BEFORE_STORED)
			free_units(model);
		if (model->mutant == TAIL_BEFORE_FLUSH)
			model->stored_tail = model->new_tail;
		model->tail = TAIL_CHOSEN;
		break;
	case TAIL_CHOSEN:
		flush_home(model);
		flush_log(model);
		model->tail = TAIL_FLUSHED;
		break;
	case TAIL_FLUSHED:
		model->stored_tail = model->new_tail;
		model->tail = TAIL_STORED;
		break;
	default:
		free_units(model);
		model->tail = TAIL_NONE;
	}
}

/* ---- discards ---- */

/* The home set clears the block, or not. From now on, any content is right after a cut. */
static void begin_discard(struct model *model)
{
	unsigned int block = any(model, BLOCKS), i;

	if (block_busy(model, block))
		return;
	if (model->tail != TAIL_NONE || model->again ||
	    (model->drain != DRAIN_NONE && model->mutant != DISCARD_IN_DRAIN))
		return;
	model->discarding = true;
	model->discarded = block;
	model->cleared = any(model, 2);
	for (i = 2 * block; i < 2 * block + 2; i++) {
		model->cell[i].flushed = 0;
		model->cell[i].snapshot = 0;
		if (model->cleared)
			model->cell[i].cache = 0;
	}
}

static void end_discard(struct model *model)
{
	struct par_log_sweep left = {
		.sector = model->discarded * PAR_LOG_BLOCK,
		.sectors = PAR_LOG_BLOCK,
	};

	if (model->cleared || model->mutant == DISCARD_UNSEEN)
		while (par_log_index_discard(&model->index, &left))
			;
	if (model->cleared)
		acknowledge(model, model->discarded, 0xff, 0);
	model->discarding = false;
	model->discards++;
}

static void discard(struct model *model)
{
	if (model->discarding)
		end_discard(model);
	else
		begin_discard(model);
}

/* ---- cuts ---- */

static void reset_memory(struct model *model)
{
	memset(model->unit, 0, sizeof(model->unit));
	memset(model->chain, 0, sizeof(model->chain));
	par_log_index_init(&model->index, UNITS, model->unit, model->chain);
	par_log_ring_init(&model->ring, SLOTS, model->stored_tail);
	memset(model->past, 0, sizeof(model->past));
	model->drain = DRAIN_NONE;
	model->tail = TAIL_NONE;
	model->flushing = false;
	model->discarding = false;
	model->again = false;
}

/* Records that were not stable may exist or not. */
static void lose_caches(struct model *model)
{
	bool keep = any(model, 2);
	unsigned int i;

	for (i = 0; i < CELLS; i++) {
		struct cell *cell = &model->cell[i];
		const struct past *past = &model->past[i / 2];

		if (any(model, 2))
			cell->disk = cell->cache;
		if (past->busy && past->sectors & half(i % 2) && any(model, 2))
			cell->disk = past->version;
		cell->cache = cell->disk;
	}
	for (i = model->first; i < model->next; i++)
		record_at(model, i)->stable |= keep ? any(model, 8) : any(model, 2);
}

static void replay(struct model *model)
{
	unsigned int i, kept;

	reset_memory(model);
	while (model->first < model->next &&
	       record_at(model, model->first)->pos < model->stored_tail)
		model->first++;
	kept = model->first;
	for (i = model->first; i < model->next; i++) {
		struct record record = *record_at(model, i);
		u32 u = record.pos % SLOTS / PAR_LOG_UNIT;

		if (!record.stable)
			break;
		record.written = true;
		record.acked = true;
		if (!model->unit[u])
			par_log_index_open(&model->index, u, &model->slots[u][0]);
		*record_at(model, kept++) = record;
		index_record(model, &record);
		model->ring.head = record.end;
	}
	model->next = kept;
	par_log_ring_done(&model->ring, model->ring.head);
	par_log_ring_flushed(&model->ring, model->ring.head);
}

static void cut_power(struct model *model)
{
	unsigned int i;

	lose_caches(model);
	replay(model);
	for (i = 0; i < CELLS; i++) {
		struct cell *cell = &model->cell[i];
		u32 version = read_cell(model, i);

		if (version < cell->flushed)
			model->wrong = "what was flushed is lost";
		cell->acked = version;
		cell->flushed = version;
	}
	model->cuts++;
}

/* ---- walks ---- */

static void do_step(struct model *model)
{
	u32 what = any(model, 400);

	if (what < 1)
		cut_power(model);
	else if (what < 5)
		model->low = !model->low;
	else if (what < 130)
		begin_write(model);
	else if (what < 230)
		end_append(model);
	else if (what < 270)
		end_past(model, any(model, BLOCKS));
	else if (what < 300)
		flush(model);
	else if (what < 315)
		discard(model);
	else if (what < 335)
		again(model);
	else if (what < 385)
		drain(model);
	else
		move_tail(model);
}

/* A walk of a model without the rule @mutant. Returns the error that was found, if any. */
static const char *model_walk(struct model *model, enum mutant mutant, u64 seed)
{
	unsigned int step;

	memset(model, 0, sizeof(*model));
	prandom_seed_state(&model->random, seed);
	model->mutant = mutant;
	model->ending = seed % 2 ? 4 : SLOTS;
	model->stored_tail = seed * 3 * PAR_LOG_UNIT;
	reset_memory(model);
	for (step = 0; step < STEPS && !model->wrong; step++) {
		do_step(model);
		judge_reads(model);
	}
	return model->wrong;
}

static struct model *alloc_model(struct kunit *test)
{
	struct model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, model);
	return model;
}

/* No data is lost, and every kind of step occurs. */
static void model_holds(struct kunit *test)
{
	unsigned int seed, cuts = 0, appended = 0, passed = 0, waited = 0, discards = 0, rounds = 0;
	unsigned int agains = 0;
	struct model *model = alloc_model(test);

	for (seed = 1; seed <= WALKS; seed++) {
		const char *wrong = model_walk(model, NO_MUTANT, seed);

		KUNIT_EXPECT_NULL_MSG(test, wrong, "walk %u: %s", seed, wrong);
		cuts += model->cuts;
		appended += model->appended;
		passed += model->passed;
		waited += model->waited;
		discards += model->discards;
		agains += model->agains;
		rounds += (model->stored_tail - seed * 3 * PAR_LOG_UNIT) / SLOTS;
	}
	KUNIT_EXPECT_GT(test, cuts, 5 * WALKS);
	KUNIT_EXPECT_GT(test, appended, 100 * WALKS);
	KUNIT_EXPECT_GT(test, passed, 40 * WALKS);
	KUNIT_EXPECT_GT(test, waited, 10 * WALKS);
	KUNIT_EXPECT_GT(test, discards, 5 * WALKS);
	KUNIT_EXPECT_GT(test, agains, 2 * WALKS);
	KUNIT_EXPECT_GT(test, rounds, WALKS);
}

/* Each rule is needed: data is lost without it. */
static void model_needs_all(struct kunit *test)
{
	struct model *model = alloc_model(test);
	unsigned int mutant, seed;

	for (mutant = NO_MUTANT + 1; mutant < MUTANTS; mutant++) {
		for (seed = 1; seed <= 10 * WALKS; seed++)
			if (model_walk(model, mutant, seed))
				break;
		KUNIT_EXPECT_LE_MSG(test, seed, 10 * WALKS, "%s is not found", mutants[mutant]);
	}
}

/* All possible writes. */
static void way_of_writes(struct kunit *test)
{
	unsigned int bits;

	for (bits = 0; bits < 64; bits++) {
		struct par_log_write write = {
			.low = bits & 1,
			.large = bits & 2,
			.logged = bits & 4,
			.room = bits & 8,
			.ending = bits & 16,
			.misses = bits & 32,
		};
		enum par_log_way way = par_log_way(&write);

		if (write.logged)
			KUNIT_EXPECT_NE_MSG(test, way, PAR_LOG_PAST, "0x%x", bits);
		else
			KUNIT_EXPECT_EQ_MSG(test, way == PAR_LOG_WAIT,
					    write.low && write.misses && !write.room, "0x%x", bits);
		if (!write.room)
			KUNIT_EXPECT_NE_MSG(test, way, PAR_LOG_APPEND, "0x%x", bits);
		if (write.low && write.room && !write.large)
			KUNIT_EXPECT_EQ_MSG(test, way, PAR_LOG_APPEND, "0x%x", bits);
		if (!write.low && write.ending)
			KUNIT_EXPECT_NE_MSG(test, way, PAR_LOG_APPEND, "0x%x", bits);
		/* In a low gear only large writes go past a log that is not full. */
		if (write.low)
			KUNIT_EXPECT_EQ_MSG(test, way != PAR_LOG_APPEND,
					    par_log_full(&write) || (write.large && !write.logged),
					    "0x%x", bits);
		if (write.room)
			KUNIT_EXPECT_FALSE_MSG(test, par_log_full(&write), "0x%x", bits);
	}
}

/*
 * Writers whose records have 32 blocks and take 5 ms. Returns ms of the longest delay until members
 * have been woken, in 12 s.
 */
static u32 pace_walk(struct kunit *test, u32 units)
{
	struct par_log_pace pace = {};
	struct par_log_ring ring;
	u64 pos, now = 1, woken = 0;
	u32 delay, longest = 0;

	par_log_ring_init(&ring, units * PAR_LOG_UNIT, 0);
	while (!woken || now < woken + 12000) {
		KUNIT_ASSERT_TRUE_MSG(test, par_log_ring_room(&ring, 1), "full at %llu of %llu",
				      now, woken);
		par_log_ring_take(&ring, 32, &pos);
		par_log_pace_see(&pace, &ring, now);
		if (!woken && par_log_pace_fills(&pace, &ring, now))
			woken = now;
		delay = woken ? par_log_pace_delay(&ring, 33) : 0;
		longest = max(longest, delay);
		now += 5 + delay;
	}
	return longest;
}

/* No log becomes full before members are awake. Writes to a large one hardly wait. */
static void pace_lasts(struct kunit *test)
{
	u32 units;

	for (units = PAR_LOG_MIN_UNITS; units <= 4096; units *= 2)
		KUNIT_EXPECT_LE_MSG(test, pace_walk(test, units),
				    units < 4096 ? PAR_LOG_PACE_MAX_MS : 10, "%u units", units);
}

#define PACE_UNITS	64U
#define PACE_BLOCKS	(PACE_UNITS * PAR_LOG_UNIT)

/* What a log had in use before a start says nothing of the speed of its first writes. */
static void pace_begins_anew(struct kunit *test)
{
	struct par_log_pace pace = {};
	struct par_log_ring ring;
	u64 pos;

	par_log_ring_init(&ring, PACE_BLOCKS, 3 * PACE_BLOCKS);
	ring.head += PACE_BLOCKS / 10 * 6;
	par_log_pace_see(&pace, &ring, 15000);
	KUNIT_EXPECT_FALSE(test, par_log_pace_fills(&pace, &ring, 15000));
	/* The next step is measured. */
	while (ring.head < 3 * PACE_BLOCKS + PACE_BLOCKS / 10 * 7)
		par_log_ring_take(&ring, 32, &pos);
	par_log_pace_see(&pace, &ring, 15100);
	KUNIT_EXPECT_TRUE(test, par_log_pace_fills(&pace, &ring, 15100));
}

/* A burst that has ended says nothing of a write long after it. */
static void pace_forgets(struct kunit *test)
{
	struct par_log_pace pace = {};
	struct par_log_ring ring;
	u64 pos, now = 1000;

	par_log_ring_init(&ring, PACE_BLOCKS, 0);
	for (; 2 * par_log_ring_used(&ring) <= PACE_BLOCKS; now++) {
		KUNIT_ASSERT_FALSE(test, par_log_pace_fills(&pace, &ring, now));
		par_log_ring_take(&ring, 32, &pos);
		par_log_pace_see(&pace, &ring, now);
	}
	KUNIT_EXPECT_TRUE(test, par_log_pace_fills(&pace, &ring, now));
	now += 3600 * 1000;
	KUNIT_EXPECT_FALSE(test, par_log_pace_fills(&pace, &ring, now));
	par_log_ring_take(&ring, 1, &pos);
	par_log_pace_see(&pace, &ring, now);
	KUNIT_EXPECT_FALSE(test, par_log_pace_fills(&pace, &ring, now));
}

/* ---- a member that waits for its part of the log ---- */

#define LOG_UNITS	256U
#define LOG_BLOCKS	2000U	/* are logged when the member returns, … */
#define HOT_BLOCKS	1000U	/* … and of these are written from then on, … */
#define HOT_WRITES	8U	/* … as many for each block that is drained */
#define LIST_BLOCKS	512U
#define SLICE_BLOCKS	64U

/* Which writes of logged blocks wait, as long as PAR_LOG_ENDING blocks are live. */
enum waiting {
	BY_QUOTA,
	NONE_WAITS,
	ALL_WAIT,
};

/*
 * struct wait_bench - one writer, which waits for each of its writes, and a drain. @waits: since
 * @drained was @since
 */
struct wait_bench {
	struct rnd_state random;
	enum waiting waiting;
	struct par_log_index index;
	struct par_log_slot *unit[LOG_UNITS], slots[LOG_UNITS][PAR_LOG_UNIT];
	u32 chain[LOG_UNITS * PAR_LOG_UNIT];
	struct par_log_ring ring;
	struct par_log_quota quota;
	u64 list[LIST_BLOCKS], block;
	bool waits;
	unsigned int since, drained, longest;
};

static void wait_append(struct wait_bench *bench, u64 block)
{
	struct par_log_entry entry = { .block = block, .sectors = 0xff };
	u64 pos;
	u32 u;

	if (!par_log_ring_take(&bench->ring, 1, &pos))
		return;
	u = pos / PAR_LOG_UNIT % LOG_UNITS;
	if (!bench->unit[u])
		par_log_index_open(&bench->index, u, &bench->slots[u][0]);
	par_log_index_add(&bench->index, (pos + 1) % bench->ring.blocks, &entry);
	par_log_ring_done(&bench->ring, bench->ring.head);
	par_log_quota_logged(&bench->quota, 1);
}

static bool wait_ending(const struct wait_bench *bench)
{
	return bench->index.live < PAR_LOG_ENDING || bench->waiting == ALL_WAIT ||
	       (bench->waiting == BY_QUOTA && !par_log_quota_allows(&bench->quota));
}

/* The writer tries its write. Returns whether it goes on. */
static bool wait_try(struct wait_bench *bench)
{
	struct par_log_write write = {
		.logged = par_log_index_has(&bench->index, bench->block * PAR_LOG_BLOCK,
					    PAR_LOG_BLOCK),
		.room = par_log_ring_used(&bench->ring) + 4 * PAR_LOG_UNIT <= bench->ring.blocks,
		.ending = wait_ending(bench),
	};
	enum par_log_way way = par_log_way(&write);

	if (way == PAR_LOG_APPEND)
		wait_append(bench, bench->block);
	if (way == PAR_LOG_WAIT && !bench->waits)
		bench->since = bench->drained;
	bench->waits = way == PAR_LOG_WAIT;
	if (!bench->waits)
		bench->block = prandom_u32_state(&bench->random) % HOT_BLOCKS;
	else
		bench->longest = max(bench->longest, bench->drained - bench->since);
	return !bench->waits;
}

static void wait_drain(struct wait_bench *bench, u64 block)
{
	struct par_log_part part[PAR_LOG_PARTS];
	unsigned int i, parts = par_log_index_parts(&bench->index, block, part);

	for (i = 0; i < parts; i++)
		par_log_index_drained(&bench->index, &part[i]);
	par_log_quota_drained(&bench->quota, parts > 0);
	bench->drained += parts > 0;
}

static void wait_tail(struct wait_bench *bench)
{
	u64 pos, tail = par_log_drain_tail(&bench->index, &bench->ring);

	for (pos = par_log_unit(bench->ring.tail); pos < par_log_unit(tail); pos += PAR_LOG_UNIT)
		par_log_index_close(&bench->index, pos / PAR_LOG_UNIT % LOG_UNITS);
	par_log_ring_free(&bench->ring, tail);
	par_log_quota_look(&bench->quota, &bench->ring, bench->index.live, true);
}

/* Drain a list. What waits is tried again behind each slice of it, and when the tail has moved. */
static void wait_list(struct wait_bench *bench)
{
	unsigned int i, j, count = par_log_drain_pick(&bench->index, &bench->ring, bench->list,
						      LIST_BLOCKS);

	for (i = 0; i < count; i++) {
		wait_drain(bench, bench->list[i]);
		for (j = 0; j < HOT_WRITES && !bench->waits; j++)
			wait_try(bench);
		if (i % SLICE_BLOCKS == SLICE_BLOCKS - 1)
			wait_try(bench);
	}
	wait_tail(bench);
	wait_try(bench);
}

/* Returns the number of blocks that have been drained when the log is empty, up to some maximum. */
static unsigned int wait_walk(struct wait_bench *bench, enum waiting waiting)
{
	u64 block;

	memset(bench, 0, sizeof(*bench));
	prandom_seed_state(&bench->random, waiting);
	bench->waiting = waiting;
	par_log_index_init(&bench->index, LOG_UNITS, bench->unit, bench->chain);
	par_log_ring_init(&bench->ring, LOG_UNITS * PAR_LOG_UNIT, 0);
	/* The hot ones are the last ones, so that all others are drained before them. */
	for (block = LOG_BLOCKS; block-- > 0; )
		wait_append(bench, block);
	par_log_quota_look(&bench->quota, &bench->ring, bench->index.live, true);
	while (!par_log_ring_empty(&bench->ring) && bench->drained < 10 * LOG_BLOCKS)
		wait_list(bench);
	return bench->drained;
}

/* The log becomes empty, and no write waits for the drain of all of it. */
static void quota_ends(struct kunit *test)
{
	struct wait_bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bench);
	KUNIT_EXPECT_LE(test, wait_walk(bench, BY_QUOTA), 5 * LOG_BLOCKS);
	KUNIT_EXPECT_TRUE(test, bench->quota.limited);
	KUNIT_EXPECT_LE(test, bench->longest, LIST_BLOCKS);
	/* Neither without the other. */
	KUNIT_EXPECT_GE(test, wait_walk(bench, NONE_WAITS), 10 * LOG_BLOCKS);
	wait_walk(bench, ALL_WAIT);
	KUNIT_EXPECT_GE(test, bench->longest, LOG_BLOCKS / 2);
}

static struct kunit_case log_model_cases[] = {
	KUNIT_CASE(model_holds),
	KUNIT_CASE(model_needs_all),
	KUNIT_CASE(way_of_writes),
	KUNIT_CASE(pace_lasts),
	KUNIT_CASE(pace_begins_anew),
	KUNIT_CASE(pace_forgets),
	KUNIT_CASE(quota_ends),
	{}
};

static struct kunit_suite log_model_suite = {
	.name = "raid-par-log-model",
	.test_cases = log_model_cases,
};

kunit_test_suite(log_model_suite);
