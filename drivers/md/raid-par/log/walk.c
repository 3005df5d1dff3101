// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the records of the log at assembly, and completing copies that lack records. See log.h
 * and, for the conditions, Documentation/log.md.
 */
#include <linux/sched/mm.h>

#include "core/parent.h"
#include "log/ahead.h"
#include "log/summary-read.h"
#include "meta/load.h"
#include "meta/store.h"
#include "pure/log-replay.h"

#define HEAL_UNITS	4U	/* units read at a time: fewer, as users may wait for memory */
#define LOOK_ERRORS	32U	/* errors of a member, after which its blocks are not examined */

/*
 * A walk, and the units that are read for it. @heal: of the healing, not of the assembly
 * @sums: reads summaries, or NULL; @gap: the records up to there have to be read
 * @bad: a copy of the record at the end cannot be read; @seen: another one was read alone
 * @blind: no copy of it has been read
 * @unseen: blocks behind the end of which no copy has been examined, after too many errors
 */
struct walk {
	struct par_log *log;
	struct par_log_ahead *ahead;
	struct par_log_walk *at;
	struct par_log_summary_reader *sums;
	u64 gap;
	bool heal, bad, seen, blind, unseen;
};

static void copies_at(const struct par_log_unit_read *unit, u64 pos, const void **copies)
{
	unsigned int i;

	for (i = 0; i < unit->ahead->log->shape.copies; i++)
		copies[i] = unit->state[i] == PAR_LOG_COPY_READ ? par_log_buffer(unit, i, pos) :
								  NULL;
}

/* Read the record alone from a skipped copy: a bad sector elsewhere in the unit does no harm. */
static bool read_record(struct walk *walk, struct par_log_unit_read *unit, unsigned int i)
{
	const struct par_log_walk *at = walk->at;
	struct par_log_head head;

	if (!par_log_reread(unit, i, at->pos, 1)) {
		walk->bad = true;
		return false;
	}
	walk->seen = true;
	if (!par_log_header_check(par_log_buffer(unit, i, at->pos), at->epoch, at->pos,
				  at->array_blocks, &head))
		return false;
	if (!par_log_reread(unit, i, at->pos + 1, head.count)) {
		walk->bad = true;
		return false;
	}
	return true;
}

/*
 * Has another copy the record, is this one nevertheless worth a read? It would count as lacking the
 * record until it has been written again, and the other copy may be lost before. Not the healing,
 * for which users wait, and which writes it.
 */
static bool is_worth_it(const struct walk *walk, const struct par_log_unit_read *unit,
			unsigned int i)
{
	const struct par_log_shape *shape = &walk->log->shape;
	unsigned int d = par_log_member(shape, par_log_place(shape, unit->at), i);

	return !walk->heal && walk->ahead->errors[d] < PAR_LOG_GIVE_UP &&
	       walk->ahead->alone[d] < PAR_LOG_GIVE_UP;
}

/* Read the record at @pos from the skipped copies: all of them if no other copy has it. */
static bool read_skipped(struct walk *walk, struct par_log_unit_read *unit, const void **copies,
			 bool all)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < walk->log->shape.copies; i++) {
		if (unit->state[i] != PAR_LOG_COPY_SKIPPED || !(all || is_worth_it(walk, unit, i)))
			continue;
		if (read_record(walk, unit, i)) {
			copies[i] = par_log_buffer(unit, i, walk->at->pos);
			any = true;
		}
	}
	return any;
}

static bool any_read(const struct par_log_unit_read *unit)
{
	unsigned int i;

	for (i = 0; i < unit->ahead->log->shape.copies; i++)
		if (unit->state[i] == PAR_LOG_COPY_READ)
			return true;
	return false;
}

static bool next_record(struct walk *walk, struct par_log_unit_read *unit, const void **copies,
			struct par_log_found *found)
{
	unsigned int count = walk->log->shape.copies;
	struct par_log_walk before = *walk->at, after;
	bool there;

	walk->bad = false;
	walk->seen = false;
	copies_at(unit, before.pos, copies);
	there = par_log_walk_next(walk->at, copies, count, found);
	after = *walk->at;
	walk->at->pos = before.pos;
	walk->at->run = before.run;
	if (read_skipped(walk, unit, copies, !there))
		there = par_log_walk_next(walk->at, copies, count, found);
	else
		*walk->at = after;
	walk->bad &= !there;
	/* If the record had been flushed, a copy that has been read would have it. */
	walk->blind = walk->bad && !walk->seen && !any_read(unit);
	return there;
}

static void write_lacking(struct par_log *log, void *raw, const struct par_log_found *found)
{
	u32 place = par_log_place(&log->shape, found->head.pos);
	unsigned int copy;

	for (copy = 0; copy < log->shape.copies; copy++) {
		unsigned int d = par_log_member(&log->shape, place, copy);
		struct md_rdev *rdev = NULL;

		if (found->lacking & BIT(copy))
			rdev = par_log_rdev(log, d);
		if (!rdev)
			continue;
		if (par_log_move(rdev, par_log_sector(&log->shape, place, copy), raw,
				 (1 + found->head.count) * PAR_LOG_BLOCK_BYTES, REQ_OP_WRITE))
			par_member_failed(log->conf, d);
		par_member_put(log->conf, rdev);
	}
}

static int open_unit(struct par_log *log, u32 u)
{
	struct par_log_slot *slots;

	if (log->index.unit[u])
		return 0;
	slots = par_log_slots(GFP_KERNEL);
	if (!slots)
		return -ENOMEM;
	par_log_index_open(&log->index, u, slots);
	return 0;
}

static int index_found(struct par_log *log, const struct par_disk_log_header *raw,
		       const struct par_log_head *head, u32 lacking)
{
	u32 place = par_log_place(&log->shape, head->pos);
	int err = open_unit(log, place / PAR_LOG_UNIT);
	struct par_log_entry entry;
	unsigned int i;

	for (i = 0; !err && i < head->count; i++) {
		par_log_entry_unpack(raw, i, &entry);
		par_log_index_add(&log->index, place + 1 + i, &entry);
		par_log_index_lacks(&log->index, place + 1 + i, lacking);
	}
	log->count.replayed++;
	return err;
}

static int index_summary(struct par_log *log, const struct par_disk_log_summary *raw,
			 const struct par_log_summary *head, u32 lacking)
{
	u32 place = par_log_place(&log->shape, head->pos);
	int err = open_unit(log, place / PAR_LOG_UNIT);
	struct par_log_entry entry;
	unsigned int i;

	for (i = 0; !err && i < PAR_LOG_UNIT; i++)
		if (par_log_summary_entry(raw, i, &entry)) {
			par_log_index_add(&log->index, place + i, &entry);
			par_log_index_lacks(&log->index, place + i, lacking);
		}
	log->count.replayed += head->records;
	log->count.summarized++;
	return err;
}

/* The copies of this unit on members that have a part in the log, a bit each. */
static u32 usable_copies(struct par_log *log, u64 pos)
{
	u32 place = par_log_place(&log->shape, pos), copies = 0;
	unsigned int copy;

	for (copy = 0; copy < log->shape.copies; copy++)
		if (par_log_usable(log, par_log_member(&log->shape, place, copy)))
			copies |= BIT(copy);
	return copies;
}

/* These copies lack what is at the position of @before: the healing begins at the first such. */
static void note_lacking(struct par_log *log, const struct par_log_walk *before, u32 lacking)
{
	if (log->lacking || !(lacking & usable_copies(log, before->pos)))
		return;
	log->lacking = true;
	log->heal = *before;
}

/*
 * The copies of this unit that its summary vouches for, a bit each. A member without a valid
 * superblock that is used by force may be any disk: its records are checked by the healing.
 */
static u32 vouched_copies(struct par_log *log, const struct par_log_summary *head)
{
	u32 place = par_log_place(&log->shape, head->pos);
	u32 copies = head->copies & usable_copies(log, head->pos);
	unsigned int copy;

	for (copy = 0; copy < log->shape.copies; copy++)
		if (log->conf->store->unvouched.members &
		    BIT(par_log_member(&log->shape, place, copy)))
			copies &= ~BIT(copy);
	return copies;
}

/*
 * Add the unit at the walk's position to the index by its summary. False if its records have to be
 * read: it has no summary, or none of the copies with all records is left, but perhaps one with the
 * flushed ones.
 */
static bool take_summary(struct walk *walk, int *err)
{
	const struct par_log_walk before = *walk->at;
	const struct par_disk_log_summary *raw;
	struct par_log *log = walk->log;
	struct par_log_summary head;
	u32 vouched, lacking;

	if (!walk->sums || before.pos % PAR_LOG_UNIT || before.pos < walk->gap)
		return false;
	raw = par_log_reader_find(walk->sums, &head);
	if (!raw) {
		walk->gap = par_log_reader_gap(walk->sums);
		return false;
	}
	vouched = vouched_copies(log, &head);
	if (!vouched) {
		walk->gap = before.pos + PAR_LOG_UNIT;
		return false;
	}
	lacking = ~vouched & GENMASK(log->shape.copies - 1, 0);
	note_lacking(log, &before, lacking);
	*err = index_summary(log, raw, &head, lacking);
	par_log_walk_unit(walk->at, &head);
	return true;
}

/* The unit of the walk's position; and begin to read what follows, if it has to be read. */
static struct par_log_unit_read *read_unit(struct walk *walk)
{
	const struct par_log_walk *at = walk->at;
	u64 end = walk->sums ? max(walk->gap, at->pos + 1) : at->limit;

	return par_log_ahead_unit(walk->ahead, at->pos, end);
}

/* Write the records that copies lack, if it is the healing, or add the records to the index. */
static int walk_records(struct walk *walk)
{
	const void *copies[PAR_LOG_MAX_COPIES];
	struct par_log *log = walk->log;
	struct par_log_found found;
	int err = 0;

	for (; !err && walk->at->pos < walk->at->limit; cond_resched()) {
		struct par_log_walk before;
		struct par_log_unit_read *unit;

		if (take_summary(walk, &err))
			continue;
		before = *walk->at;
		unit = read_unit(walk);
		if (!next_record(walk, unit, copies, &found))
			break;
		if (walk->heal) {
			write_lacking(log, par_log_buffer(unit, found.copy, before.pos), &found);
		} else {
			note_lacking(log, &before, found.lacking);
			err = index_found(log, copies[found.copy], &found.head, found.lacking);
		}
	}
	return err;
}

/* May a block of a copy behind the end be examined? In a skipped copy only if no other is read. */
static bool can_look(struct par_log_unit_read *unit, unsigned int copy, u64 pos)
{
	struct par_log_shape *shape = &unit->ahead->log->shape;
	unsigned int d = par_log_member(shape, par_log_place(shape, pos), copy);

	if (unit->state[copy] != PAR_LOG_COPY_SKIPPED)
		return unit->state[copy] == PAR_LOG_COPY_READ;
	return !any_read(unit) && unit->ahead->alone[d] < LOOK_ERRORS &&
	       par_log_reread(unit, copy, pos, 1);
}

static bool has_too_many_errors(const struct par_log_unit_read *unit, unsigned int copy)
{
	const struct par_log_shape *shape = &unit->ahead->log->shape;
	unsigned int d = par_log_member(shape, par_log_place(shape, unit->at), copy);

	return unit->state[copy] == PAR_LOG_COPY_SKIPPED && unit->ahead->alone[d] >= LOOK_ERRORS;
}

/* Examine the copies of a block. */
static void look_at(struct walk *walk, struct par_log_unit_read *unit, u64 pos)
{
	bool seen = false, given_up = false;
	unsigned int copy;

	for (copy = 0; copy < walk->log->shape.copies; copy++) {
		if (can_look(unit, copy, pos)) {
			par_log_walk_look(walk->at, par_log_buffer(unit, copy, pos), pos);
			seen = true;
		} else {
			given_up |= has_too_many_errors(unit, copy);
		}
	}
	walk->unseen |= given_up && !seen;
}

static void look_behind(struct walk *walk)
{
	struct par_log_walk *at = walk->at;
	u64 pos;

	if (walk->sums)
		par_log_reader_look(walk->sums);
	for (pos = par_log_walk_later(at, at->pos); pos; pos = par_log_walk_later(at, pos))
		look_at(walk, par_log_ahead_unit(walk->ahead, pos, par_log_walk_look_end(at)), pos);
}

/*
 * All copies of the records between these positions, on members that are left, have been written
 * or found whole: they count from now on, once they are flushed. Until the healing has ended
 * nothing is appended and the tail does not move, so the slots there are those of these records.
 */
static int count_copies(struct par_log *log, u64 from, u64 to)
{
	int err = par_store_flush(log->conf);
	u64 end;

	for (; !err && from < to; from = end) {
		end = min(to, par_log_unit(from) + PAR_LOG_UNIT);
		spin_lock(&log->lock);
		par_log_index_healed(&log->index, par_log_place(&log->shape, from), end - from);
		spin_unlock(&log->lock);
		cond_resched();
	}
	return err;
}

int par_log_heal(struct par_log *log)
{
	unsigned int flags = memalloc_noio_save();
	struct par_log_walk at = log->heal;
	struct walk walk = {
		.log = log,
		.ahead = par_log_ahead_alloc(log, HEAL_UNITS),
		.at = &at,
		.heal = true,
	};
	int err = -ENOMEM;

	might_sleep();
	/* What is behind the head does not count, even if it can be read now. */
	at.limit = log->ring.head;
	/* If nothing can be stored, no copy will count: ask before all records are read. */
	if (walk.ahead)
		err = par_store_begin(log->conf);
	err = err ?: walk_records(&walk);
	par_log_ahead_free(walk.ahead);
	/* Also if a copy has gone meanwhile: what the others have been given then counts. */
	err = err ?: count_copies(log, log->heal.pos, at.pos);
	memalloc_noio_restore(flags);
	/* The walk at assembly ended at the head: see par_log_load(). */
	return err ?: at.pos == log->ring.head ? 0 : -ENODATA;
}

/* Why the array must not start with the records that have been found; returns false if it may. */
static bool tell_damage(const struct walk *walk)
{
	const struct par_log_walk *at = walk->at;
	const char *name = mdname(walk->log->conf->mddev);

	if (at->newest_run > at->last_run)
		pr_err("md/par:%s: the log has records of run %llu, and the newest superblock that is left is of run %llu: a newer one is lost\n",
		       name, at->newest_run, at->last_run);
	else if (par_log_walk_outdated(at))
		pr_err("md/par:%s: the log has records that were made when its tail was stored as block %llu, and in the newest superblock that is left it is block %llu: a newer one is lost\n",
		       name, at->newest_tail, at->tail);
	else if (par_log_walk_damaged(at))
		pr_err("md/par:%s: the log is damaged: no copy of the record at block %llu can be read, and writes up to block %llu had been flushed\n",
		       name, at->pos, at->stable);
	else if (walk->blind && walk->unseen)
		pr_err("md/par:%s: the log may be damaged: no copy of block %llu can be read, nor of many blocks behind it: it is unknown whether this is its end\n",
		       name, at->pos);
	else
		return false;
	return true;
}

static int judge_end(const struct walk *walk)
{
	struct par_conf *conf = walk->log->conf;

	if (!tell_damage(walk)) {
		if (walk->blind)
			pr_warn("md/par:%s: the log ends at block %llu, of which no copy can be read: a write that was flushed last may be lost\n",
				mdname(conf->mddev), walk->at->pos);
		return 0;
	}
	/* A rescue is also a start by force. */
	if (conf->store->start) {
		walk->log->renew = true;
		return 0;
	}
	if (par_log_walk_outdated(walk->at))
		pr_err("md/par:%s: first try to start it with the members that are missing: --force starts it without what has been written since that superblock, and may bring back older content of other blocks\n",
		       mdname(conf->mddev));
	else
		pr_err("md/par:%s: --force starts the array without these writes\n",
		       mdname(conf->mddev));
	return -EUCLEAN;
}

static int walk_log(struct par_log *log, struct par_log_walk *at)
{
	struct walk walk = {
		.log = log,
		.ahead = par_log_ahead_alloc(log, PAR_LOG_AHEAD),
		.sums = par_log_reader_alloc(log, at),
		.at = at,
		/*
		 * An older superblock may be all that is left, and places from its tail on may have
		 * been used again, the tail's unit first: its records show this.
		 */
		.gap = par_log_unit(at->tail) + PAR_LOG_UNIT,
	};
	int err = -ENOMEM;

	if (walk.ahead)
		err = walk_records(&walk);
	/* The next start may be able to read a record there, which must not count then. */
	log->renew |= walk.bad;
	if (!err) {
		look_behind(&walk);
		err = judge_end(&walk);
	}
	par_log_ahead_free(walk.ahead);
	par_log_reader_free(walk.sums);
	return err;
}

/* By force the array may start with a superblock that is older than records beyond those found. */
static u64 next_run(const struct par_conf *conf, const struct par_log_walk *walk)
{
	u64 run = max(walk->newest_run, conf->store->super.log.run) + 1;

	return conf->store->start ? run + PAR_RESCUE_RUNS : run;
}

/*
 * A member that is used by force has a valid superblock with the first one that is stored, before
 * the healing has checked its records. So none of the summaries that may name it counts at the
 * next start. This one still needs them to find the records behind one that no copy has.
 */
static void doubt_summaries(struct par_conf *conf)
{
	struct par_log_record *stored = &conf->store->super.log;

	if (conf->store->unvouched.members & ~stored->absent & (BIT(conf->log->shape.members) - 1))
		stored->summaries_from = stored->run + 1;
}

int par_log_load(struct par_conf *conf)
{
	const struct par_super *super = &conf->store->super;
	struct par_log *log = conf->log;
	struct par_log_walk walk;
	int err;

	if (!log->on)
		return 0;
	par_log_walk_init(&walk, &log->shape, super->epoch,
			  conf->geo.array_sectors / PAR_LOG_BLOCK, super->log.tail,
			  super->log.stable, super->log.run);
	walk.summaries_from = super->log.summaries_from;
	err = walk_log(log, &walk);
	par_log_ring_init(&log->ring, par_log_blocks(&log->shape), super->log.tail);
	log->ring.head = walk.pos;
	par_log_ring_done(&log->ring, walk.pos);
	par_log_ring_flushed(&log->ring, min(walk.stable, walk.pos));
	conf->io->log_done = walk.pos;
	conf->io->log_stable = min(walk.stable, walk.pos);
	log->lost = super->log.lost;
	log->run = next_run(conf, &walk);
	/* There may be a summary of what was not found, and will be replaced. */
	log->sums.counts_from = log->renew || conf->store->start ? log->run :
							     super->log.summaries_from;
	doubt_summaries(conf);
	log->renew |= log->lacking;
	log->last = jiffies;
	if (!err && log->count.replayed)
		pr_info("md/par:%s: the log has %llu records, of %u blocks that are not at home; %u units were found by their summaries\n",
			mdname(conf->mddev), log->count.replayed, log->index.live,
			log->count.summarized);
	return err;
}
