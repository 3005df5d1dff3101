// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the summaries of the log's units at assembly. Each member has those that were written
 * while it had a part in the log. They are read from one member, and from the others where this
 * one has none that counts.
 */
#include <linux/vmalloc.h>

#include "core/parent.h"
#include "log/ahead.h"
#include "log/summary-read.h"

struct par_log_summary_reader *par_log_reader_alloc(struct par_log *log, struct par_log_walk *at)
{
	struct par_log_summary_reader *reader = NULL;

	if (log->shape.summaries)
		reader = kvzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return NULL;
	reader->log = log;
	reader->at = at;
	reader->window = U32_MAX;
	return reader;
}

void par_log_reader_free(struct par_log_summary_reader *reader)
{
	unsigned int d;

	for (d = 0; reader && d < PAR_MAX_MEMBERS; d++)
		vfree(reader->copy[d].raw);
	kvfree(reader);
}

static u32 unit_of(const struct par_log_summary_reader *reader, u64 pos)
{
	return par_log_place(&reader->log->shape, pos) / PAR_LOG_UNIT;
}

static bool is_summary(const struct par_log_summary_reader *reader,
		       const struct par_disk_log_summary *raw, struct par_log_summary *head)
{
	return par_log_summary_check(raw, reader->at->epoch, reader->at->array_blocks,
				     reader->log->shape.copies, head);
}

/* ---- windows ---- */

static void see_window(struct par_log_summary_reader *reader, unsigned int d, unsigned int count)
{
	struct par_log_summary head;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (is_summary(reader, &reader->copy[d].raw[i], &head))
			par_log_walk_see(reader->at, &head, reader->window * PAR_LOG_WINDOW + i);
}

/* Read the window from member @d; false if it cannot be read, or if others could not. */
static bool read_window(struct par_log_summary_reader *reader, unsigned int d)
{
	const struct par_log_shape *shape = &reader->log->shape;
	u32 first = reader->window * PAR_LOG_WINDOW;
	unsigned int count = min(PAR_LOG_WINDOW, shape->units - first);
	struct md_rdev *rdev = par_log_rdev(reader->log, d);
	int err;

	if (!rdev)
		return false;
	if (reader->copy[d].errors >= PAR_LOG_GIVE_UP) {
		par_member_put(reader->log->conf, rdev);
		return false;
	}
	err = par_log_move(rdev, par_log_summary_sector(shape, first), reader->copy[d].raw,
			   count * PAR_LOG_BLOCK_BYTES, REQ_OP_READ);
	if (err) {
		par_log_read_failed(reader->log, rdev);
		reader->copy[d].errors++;
	}
	par_member_put(reader->log->conf, rdev);
	if (!err)
		see_window(reader, d, count);
	return !err;
}

/* Has member @d been read? What cannot be read has no summaries. */
static bool has_window(struct par_log_summary_reader *reader, unsigned int d)
{
	struct par_log_window *copy = &reader->copy[d];

	if (copy->read)
		return true;
	if (!copy->raw)
		copy->raw = vzalloc(PAR_LOG_WINDOW * PAR_LOG_BLOCK_BYTES);
	if (!copy->raw)
		return false;
	if (!read_window(reader, d))
		memset(copy->raw, 0, PAR_LOG_WINDOW * PAR_LOG_BLOCK_BYTES);
	copy->read = true;
	return true;
}

static void go_to(struct par_log_summary_reader *reader, u32 window)
{
	unsigned int d;

	if (reader->window == window)
		return;
	reader->window = window;
	reader->any = false;
	for (d = 0; d < PAR_MAX_MEMBERS; d++)
		reader->copy[d].read = false;
}

/* ---- summaries ---- */

static const struct par_disk_log_summary *
counting(const struct par_log_summary_reader *reader, const struct par_log_walk *at,
	 unsigned int d, struct par_log_summary *head)
{
	const struct par_disk_log_summary *raw =
		&reader->copy[d].raw[unit_of(reader, at->pos) % PAR_LOG_WINDOW];

	return is_summary(reader, raw, head) && par_log_walk_summary(at, head) ? raw : NULL;
}

const struct par_disk_log_summary *par_log_reader_find(struct par_log_summary_reader *reader,
						       struct par_log_summary *head)
{
	unsigned int i, d, members = reader->log->shape.members;
	const struct par_disk_log_summary *raw;

	go_to(reader, unit_of(reader, reader->at->pos) / PAR_LOG_WINDOW);
	for (i = 0; i < members; i++) {
		d = (reader->prefer + i) % members;
		raw = has_window(reader, d) ? counting(reader, reader->at, d, head) : NULL;
		if (raw) {
			reader->prefer = d;
			reader->any = true;
			reader->barren = 0;
			return raw;
		}
	}
	return NULL;
}

void par_log_reader_look(struct par_log_summary_reader *reader)
{
	unsigned int d;

	go_to(reader, unit_of(reader, reader->at->pos) / PAR_LOG_WINDOW);
	for (d = 0; d < reader->log->shape.members; d++)
		has_window(reader, d);
}

static bool any_counts(const struct par_log_summary_reader *reader, const struct par_log_walk *at)
{
	struct par_log_summary head;
	unsigned int d;

	for (d = 0; d < reader->log->shape.members; d++)
		if (reader->copy[d].read && counting(reader, at, d, &head))
			return true;
	return false;
}

u64 par_log_reader_gap(struct par_log_summary_reader *reader)
{
	struct par_log_walk at = *reader->at;

	for (at.pos += PAR_LOG_UNIT; at.pos < at.limit; at.pos += PAR_LOG_UNIT) {
		if (unit_of(reader, at.pos) / PAR_LOG_WINDOW != reader->window)
			break;
		if (any_counts(reader, &at))
			return at.pos;
	}
	if (!reader->any) {
		at.pos += (u64)reader->barren * PAR_LOG_WINDOW * PAR_LOG_UNIT;
		reader->barren = 2 * reader->barren + 1;
	}
	return min(at.pos, at.limit);
}
