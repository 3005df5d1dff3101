// SPDX-License-Identifier: GPL-2.0
/*
 * Summaries of the log's units: collecting them while records are acknowledged, and writing them.
 * See log.h and, for the format, log-summary.h. summary-read.c reads them at assembly.
 *
 * A start believes a summary without reading the records. So a summary is written only after all
 * records of its unit have been acknowledged, and then flushed, and after a superblock has the
 * failures that this flush has met: it says no more than a flush that a user has asked for. It
 * names only copies of which every record was written, on members that have not failed since. It
 * need not be flushed itself: the records of a unit without a summary are read.
 */
#include <linux/log2.h>
#include <linux/vmalloc.h>
#include <kunit/visibility.h>

#include "core/parent.h"
#include "log/ahead.h"
#include "log/log.h"
#include "meta/store.h"

#define LEAST		8U	/* units that are summarized at a time */
#define MOST		128U
#define PARTS		64U	/* of the ring: the part of it that is summarized at a time */

static struct par_log_unit_sum *unit_at(struct par_log *log, unsigned int i)
{
	return &log->sums.unit[i % log->sums.count];
}

/* ---- while records are acknowledged ---- */

static void begin_unit(struct par_log *log, const struct par_log_sent *sent)
{
	struct par_log_unit_sum *unit = unit_at(log, log->sums.next);

	/* If members are slower than the log, some units get no summary. */
	log->sums.open = log->sums.next - log->sums.first < log->sums.count;
	if (!log->sums.open)
		return;
	unit->head = (struct par_log_summary) {
		.epoch = log->conf->store->super.epoch,
		.run = log->run,
		.pos = sent->pos,
		.copies = GENMASK(log->shape.copies - 1, 0),
	};
	par_log_summary_begin(unit->raw);
}

void par_log_summarize(struct par_log *log, const struct par_log_sent *sent)
{
	struct par_log_unit_sum *unit;

	lockdep_assert_held(&log->lock);
	if (!log->sums.count)
		return;
	/* A unit that an earlier run has begun gets none. */
	if (!(sent->pos % PAR_LOG_UNIT))
		begin_unit(log, sent);
	if (!log->sums.open)
		return;
	unit = unit_at(log, log->sums.next);
	par_log_summary_add(unit->raw, page_address(sent->header));
	unit->head.copies &= atomic_read(&sent->good);
	unit->head.tail = sent->tail;
	unit->head.records++;
	if (sent->end % PAR_LOG_UNIT)
		return;
	log->sums.open = false;
	log->sums.next++;
	/* Once for each batch, also if more units follow while the work runs. */
	if (log->sums.next - log->sums.first == log->sums.count / 2)
		queue_work(log->sums.wq, &log->sums.work);
}

/* ---- writing them ---- */

/* Seal it; false if it is not needed, or if no copy is left. On 32 bits, the tail may be torn. */
static bool seal_unit(struct par_log *log, struct par_log_unit_sum *unit)
{
	u32 place = par_log_place(&log->shape, unit->head.pos);
	struct md_rdev *rdev;
	unsigned int i;

	for (i = 0; i < log->shape.copies; i++) {
		rdev = par_log_rdev(log, par_log_member(&log->shape, place, i));
		if (rdev)
			par_member_put(log->conf, rdev);
		else
			unit->head.copies &= ~BIT(i);
	}
	par_log_summary_seal(unit->raw, &unit->head);
	return unit->head.copies && unit->head.pos >= READ_ONCE(log->ring.tail);
}

static void write_to_all(struct par_log *log, u32 u, void *raw, unsigned int count)
{
	unsigned int d;

	for (d = 0; d < log->shape.members; d++) {
		struct md_rdev *rdev = par_log_rdev(log, d);

		if (!rdev)
			continue;
		if (par_log_move(rdev, par_log_summary_sector(&log->shape, u), raw,
				 count * PAR_LOG_BLOCK_BYTES, REQ_OP_WRITE))
			par_member_failed(log->conf, d);
		par_member_put(log->conf, rdev);
	}
}

static u32 unit_number(struct par_log *log, unsigned int i)
{
	return par_log_place(&log->shape, unit_at(log, i)->head.pos) / PAR_LOG_UNIT;
}

/* Can unit @i be written in one request with unit @i - 1? */
static bool is_next(struct par_log *log, unsigned int i)
{
	return i % log->sums.count && unit_number(log, i) == unit_number(log, i - 1) + 1;
}

static void write_units(struct par_log *log, unsigned int from, unsigned int to)
{
	unsigned int i = from, end;

	while (i != to) {
		if (!seal_unit(log, unit_at(log, i))) {
			i++;
			continue;
		}
		for (end = i + 1; end != to && is_next(log, end); end++)
			if (!seal_unit(log, unit_at(log, end)))
				break;
		write_to_all(log, unit_number(log, i), unit_at(log, i)->raw, end - i);
		i = end;
	}
}

/* The tail has passed all units of the queue up to there. */
static bool all_passed(struct par_log *log, unsigned int to)
{
	return unit_at(log, to - 1)->head.pos < READ_ONCE(log->ring.tail);
}

void par_log_summaries_look(struct par_log *log)
{
	if (!log->sums.count)
		return;
	spin_lock(&log->lock);
	if (log->sums.next - log->sums.first >= log->sums.count / 2)
		queue_work(log->sums.wq, &log->sums.work);
	spin_unlock(&log->lock);
}

static void store_work(struct work_struct *work)
{
	struct par_log *log = container_of(work, struct par_log, sums.work);
	unsigned int from, to;

	spin_lock(&log->lock);
	from = log->sums.first;
	to = log->sums.next;
	spin_unlock(&log->lock);
	/*
	 * The flush would hold the writes that a shift down sends to the log: par_log_go_on(). Not
	 * if the array is about to be quiet: then nothing must be left for that function to begin.
	 */
	if (from == to || par_log_broken(log) || !md_is_rdwr(log->conf->mddev) ||
	    (par_log_held(log) && !READ_ONCE(log->paused)))
		return;
	/* Here the records of these units are flushed, as said above. */
	if (!all_passed(log, to) && !par_store_flush(log->conf))
		write_units(log, from, to);
	spin_lock(&log->lock);
	log->sums.first = to;
	spin_unlock(&log->lock);
	par_log_summaries_look(log);
}

void par_log_summaries_store(struct par_log *log)
{
	might_sleep();
	if (!log->sums.count || !log->ready || !md_is_rdwr(log->conf->mddev))
		return;
	queue_work(log->sums.wq, &log->sums.work);
	flush_work(&log->sums.work);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summaries_store);

void par_log_summaries_drop(struct par_log *log)
{
	might_sleep();
	if (!log->sums.count)
		return;
	flush_work(&log->sums.work);
	spin_lock(&log->lock);
	log->sums.first = log->sums.next;
	log->sums.open = false;
	spin_unlock(&log->lock);
}

/* ---- begin and end ---- */

int par_log_summaries_init(struct par_log *log)
{
	unsigned int i, count;

	count = 2 * rounddown_pow_of_two(clamp(log->shape.units / PARTS, LEAST, MOST));
	INIT_WORK(&log->sums.work, store_work);
	if (!log->shape.summaries)
		return 0;
	log->sums.unit = kvcalloc(count, sizeof(*log->sums.unit), GFP_KERNEL);
	log->sums.raw = vmalloc(array_size(count, PAR_LOG_BLOCK_BYTES));
	log->sums.wq = alloc_ordered_workqueue("%s-par-sums", WQ_MEM_RECLAIM,
					       mdname(log->conf->mddev));
	if (!log->sums.unit || !log->sums.raw || !log->sums.wq)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		log->sums.unit[i].raw = log->sums.raw + i;
	log->sums.count = count;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summaries_init);

void par_log_summaries_exit(struct par_log *log)
{
	if (log->sums.wq)
		destroy_workqueue(log->sums.wq);
	kvfree(log->sums.unit);
	vfree(log->sums.raw);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_summaries_exit);
