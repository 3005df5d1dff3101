// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of units of the log ahead of the walk. See ahead.h.
 */
#include <linux/math64.h>
#include <linux/vmalloc.h>

#include "core/parent.h"
#include "log/ahead.h"

#define UNIT_BYTES	(PAR_LOG_UNIT * PAR_LOG_BLOCK_BYTES)
#define EACH		4U	/* requests to each member at a time */

/* ---- requests ---- */

static struct bio *make_bio(struct md_rdev *rdev, u64 sector, void *buffer, unsigned int bytes,
			    blk_opf_t opf)
{
	struct bio *bio = bio_alloc(rdev->bdev, bytes / PAR_LOG_BLOCK_BYTES, opf, GFP_NOIO);

	bio->bi_iter.bi_sector = rdev->data_offset + sector;
	par_log_add_buffer(bio, buffer, bytes);
	return bio;
}

int par_log_move(struct md_rdev *rdev, u64 sector, void *buffer, unsigned int bytes, blk_opf_t opf)
{
	struct bio *bio = make_bio(rdev, sector, buffer, bytes, opf);
	int err;

	might_sleep();
	if (opf != REQ_OP_READ)
		flush_kernel_vmap_range(buffer, bytes);
	err = submit_bio_wait(bio);
	if (opf == REQ_OP_READ)
		invalidate_kernel_vmap_range(buffer, bytes);
	bio_put(bio);
	return err;
}

static void unit_put(struct par_log_unit_read *unit)
{
	if (atomic_dec_and_test(&unit->left))
		complete(&unit->done);
}

static void copy_endio(struct bio *bio)
{
	struct par_log_copy_read *copy = bio->bi_private;

	copy->failed = bio->bi_status;
	bio_put(bio);
	unit_put(copy->unit);
}

/* ---- units ---- */

static void read_copy(struct par_log_unit_read *unit, unsigned int i)
{
	struct par_log *log = unit->ahead->log;
	u32 place = par_log_place(&log->shape, unit->at);
	unsigned int d = par_log_member(&log->shape, place, i);
	struct par_log_copy_read *copy = &unit->copy[i];
	struct bio *bio;

	copy->rdev = par_log_rdev(log, d);
	unit->state[i] = copy->rdev ? PAR_LOG_COPY_SKIPPED : PAR_LOG_COPY_NONE;
	if (!copy->rdev || unit->ahead->errors[d] >= PAR_LOG_GIVE_UP)
		return;
	unit->state[i] = PAR_LOG_COPY_READ;
	copy->failed = false;
	bio = make_bio(copy->rdev, par_log_sector(&log->shape, place, i), unit->buffer[i],
		       UNIT_BYTES, REQ_OP_READ);
	bio->bi_private = copy;
	bio->bi_end_io = copy_endio;
	atomic_inc(&unit->left);
	submit_bio(bio);
}

static void begin_unit(struct par_log_unit_read *unit, u64 at)
{
	unsigned int i;

	unit->at = at;
	unit->pending = true;
	atomic_set(&unit->left, 1);
	reinit_completion(&unit->done);
	for (i = 0; i < unit->ahead->log->shape.copies; i++)
		read_copy(unit, i);
	unit_put(unit);
}

static void end_copy(struct par_log_unit_read *unit, unsigned int i)
{
	struct par_log *log = unit->ahead->log;
	u32 place = par_log_place(&log->shape, unit->at);

	if (unit->copy[i].rdev)
		par_member_put(log->conf, unit->copy[i].rdev);
	if (unit->state[i] != PAR_LOG_COPY_READ)
		return;
	invalidate_kernel_vmap_range(unit->buffer[i], UNIT_BYTES);
	if (unit->copy[i].failed) {
		unit->state[i] = PAR_LOG_COPY_SKIPPED;
		unit->ahead->errors[par_log_member(&log->shape, place, i)]++;
	}
}

static void end_unit(struct par_log_unit_read *unit)
{
	unsigned int i;

	if (!unit->pending)
		return;
	wait_for_completion_io(&unit->done);
	unit->pending = false;
	for (i = 0; i < unit->ahead->log->shape.copies; i++)
		end_copy(unit, i);
}

static struct par_log_unit_read *slot_of(struct par_log_ahead *ahead, u64 at)
{
	u32 slot;

	div_u64_rem(div_u64(at, PAR_LOG_UNIT), ahead->depth, &slot);
	return &ahead->unit[slot];
}

struct par_log_unit_read *par_log_ahead_unit(struct par_log_ahead *ahead, u64 pos, u64 limit)
{
	u64 at = par_log_unit(pos), end = min(at + ahead->depth * PAR_LOG_UNIT, limit);
	struct par_log_unit_read *unit = slot_of(ahead, at);

	might_sleep();
	/* Drop the units that are being read if the caller has gone to another position. */
	if (unit->at != at)
		ahead->next = at;
	for (; ahead->next < end; ahead->next += PAR_LOG_UNIT) {
		end_unit(slot_of(ahead, ahead->next));
		begin_unit(slot_of(ahead, ahead->next), ahead->next);
	}
	end_unit(unit);
	return unit;
}

void *par_log_buffer(const struct par_log_unit_read *unit, unsigned int copy, u64 pos)
{
	return unit->buffer[copy] + (pos - unit->at) * PAR_LOG_BLOCK_BYTES;
}

bool par_log_reread(struct par_log_unit_read *unit, unsigned int copy, u64 pos,
		    unsigned int count)
{
	struct par_log *log = unit->ahead->log;
	u32 place = par_log_place(&log->shape, pos);
	unsigned int d = par_log_member(&log->shape, place, copy);
	struct md_rdev *rdev = par_log_rdev(log, d);
	int err;

	if (!rdev)
		return false;
	err = par_log_move(rdev, par_log_sector(&log->shape, place, copy),
			   par_log_buffer(unit, copy, pos), count * PAR_LOG_BLOCK_BYTES,
			   REQ_OP_READ);
	par_member_put(log->conf, rdev);
	if (err)
		unit->ahead->alone[d]++;
	return !err;
}

/* ---- begin and end ---- */

static bool alloc_buffers(struct par_log_ahead *ahead)
{
	unsigned int u, i;

	for (u = 0; u < ahead->depth; u++)
		for (i = 0; i < ahead->log->shape.copies; i++) {
			ahead->unit[u].buffer[i] = vmalloc(UNIT_BYTES);
			if (!ahead->unit[u].buffer[i])
				return false;
		}
	return true;
}

struct par_log_ahead *par_log_ahead_alloc(struct par_log *log, unsigned int depth)
{
	struct par_log_ahead *ahead = kvzalloc(sizeof(*ahead), GFP_KERNEL);
	unsigned int u, i, enough = DIV_ROUND_UP(EACH * log->shape.members, log->shape.copies);

	if (!ahead)
		return NULL;
	ahead->log = log;
	ahead->depth = min3(depth, enough, PAR_LOG_AHEAD);
	for (u = 0; u < PAR_LOG_AHEAD; u++) {
		ahead->unit[u].ahead = ahead;
		ahead->unit[u].at = U64_MAX;
		init_completion(&ahead->unit[u].done);
		for (i = 0; i < PAR_LOG_MAX_COPIES; i++)
			ahead->unit[u].copy[i].unit = &ahead->unit[u];
	}
	if (alloc_buffers(ahead))
		return ahead;
	par_log_ahead_free(ahead);
	return NULL;
}

void par_log_ahead_free(struct par_log_ahead *ahead)
{
	unsigned int u, i;

	for (u = 0; ahead && u < PAR_LOG_AHEAD; u++) {
		end_unit(&ahead->unit[u]);
		for (i = 0; i < PAR_LOG_MAX_COPIES; i++)
			vfree(ahead->unit[u].buffer[i]);
	}
	kvfree(ahead);
}
