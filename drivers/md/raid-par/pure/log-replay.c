// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the records of the write log; see log-replay.h for the contract.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/log-replay.h"
#include "pure/log-ring.h"

void par_log_walk_init(struct par_log_walk *walk, const struct par_log_shape *shape,
		       u64 epoch, u64 array_blocks, u64 tail, u64 stable, u64 last_run)
{
	*walk = (struct par_log_walk) {
		.epoch = epoch,
		.array_blocks = array_blocks,
		.last_run = last_run,
		.limit = par_log_unit(tail) + par_log_blocks(shape),
		.blocks = par_log_blocks(shape),
		.tail = tail,
		.pos = tail,
		.flushed = stable,
		.stable = stable,
	};
}
EXPORT_SYMBOL_IF_KUNIT(par_log_walk_init);

/* Is it a header for the place of @pos, of this round of the ring or of a later one? */
static bool header_here(const struct par_log_walk *walk, const void *raw, u64 pos,
			struct par_log_head *head)
{
	u64 its = par_log_header_pos(raw);
	u32 rest;

	if (its < pos)
		return false;
	div_u64_rem(its - pos, walk->blocks, &rest);
	return !rest && par_log_header_check(raw, walk->epoch, its, walk->array_blocks, head);
}

/*
 * Only records of the last run tell of the tail: positions begin again at 0 after a rescue, and
 * the length of the ring may have been another one in older runs.
 */
static void note_tail(struct par_log_walk *walk, u64 run, u64 pos, u64 tail)
{
	if (run != walk->last_run)
		return;
	walk->newest_tail = max(walk->newest_tail, tail);
	/* The tail had passed the unit of this record in the round before. */
	if (pos >= walk->limit)
		walk->newest_tail = max(walk->newest_tail, par_log_unit(pos - walk->blocks) +
							   PAR_LOG_UNIT);
}

static bool check_header(struct par_log_walk *walk, const void *raw, u64 pos,
			 struct par_log_head *head)
{
	if (!header_here(walk, raw, pos, head))
		return false;
	note_tail(walk, head->run, head->pos, head->tail);
	walk->newest_run = max(walk->newest_run, head->run);
	return head->pos == pos && head->run <= walk->last_run;
}

static bool data_whole(const struct par_disk_log_header *raw, unsigned int count)
{
	const u8 *data = (const u8 *)raw;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!par_log_data_good(raw, i, data + (i + 1) * PAR_LOG_BLOCK_BYTES))
			return false;
	return true;
}

/*
 * Is it a whole record, of no older run than the record before it? It must not be a record that
 * an earlier use of the array did not find because its member was missing: behind the records
 * that were flushed when a run began, only records of that run count.
 */
static bool record_whole(struct par_log_walk *walk, const void *raw, struct par_log_head *head)
{
	return check_header(walk, raw, walk->pos, head) && head->run >= walk->run &&
	       (walk->pos < walk->flushed || head->run == walk->last_run) &&
	       data_whole(raw, head->count);
}

static bool same_record(const void *raw, const void *other, unsigned int count)
{
	return !memcmp(raw, other, PAR_LOG_BLOCK_BYTES) && data_whole(other, count);
}

bool par_log_walk_next(struct par_log_walk *walk, const void *const *copies,
		       unsigned int count, struct par_log_found *found)
{
	struct par_log_head head;
	unsigned int i;

	found->copy = count;
	for (i = 0; i < count; i++) {
		if (!copies[i] || !record_whole(walk, copies[i], &head))
			continue;
		if (found->copy == count || head.run > found->head.run) {
			found->copy = i;
			found->head = head;
		}
	}
	if (found->copy == count)
		return false;
	found->lacking = 0;
	for (i = 0; i < count; i++)
		if (i != found->copy &&
		    (!copies[i] || !same_record(copies[found->copy], copies[i],
						found->head.count)))
			found->lacking |= BIT(i);
	walk->run = found->head.run;
	walk->pos = par_log_next(walk->pos + 1 + found->head.count);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_walk_next);

void par_log_walk_see(struct par_log_walk *walk, const struct par_log_summary *summary, u32 u)
{
	u32 place;

	div_u64_rem(summary->pos, walk->blocks, &place);
	if (place != u * PAR_LOG_UNIT || summary->pos < walk->tail)
		return;
	note_tail(walk, summary->run, summary->pos, summary->tail);
	walk->newest_run = max(walk->newest_run, summary->run);
	if (summary->run == walk->last_run)
		walk->stable = max(walk->stable, summary->pos + PAR_LOG_UNIT);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_walk_see);

bool par_log_walk_summary(const struct par_log_walk *walk, const struct par_log_summary *summary)
{
	return summary->pos == walk->pos &&
	       summary->run >= max(walk->run, walk->summaries_from) &&
	       summary->run <= walk->last_run &&
	       (summary->pos + PAR_LOG_UNIT <= walk->flushed || summary->run == walk->last_run);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_walk_summary);

void par_log_walk_unit(struct par_log_walk *walk, const struct par_log_summary *summary)
{
	walk->run = summary->run;
	walk->pos = summary->pos + PAR_LOG_UNIT;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_walk_unit);

u64 par_log_walk_look_end(const struct par_log_walk *walk)
{
	u64 end = par_log_unit(walk->pos) + PAR_LOG_LOOK_UNITS * PAR_LOG_UNIT;

	return min(end, walk->limit);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_walk_look_end);

u64 par_log_walk_later(const struct par_log_walk *walk, u64 pos)
{
	return pos + 1 < par_log_walk_look_end(walk) ? pos + 1 : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_walk_later);

void par_log_walk_look(struct par_log_walk *walk, const void *block, u64 pos)
{
	struct par_log_head head;

	/* The position that an older run had reached is stored. */
	if (check_header(walk, block, pos, &head) && head.run == walk->last_run)
		walk->stable = max(walk->stable, head.stable);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_walk_look);
