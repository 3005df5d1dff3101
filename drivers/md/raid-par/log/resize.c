// SPDX-License-Identifier: GPL-2.0
/*
 * Changing the part of the log's area that is used: all of it, a part from its beginning, or
 * nothing. The drain's work makes the change while the log is empty, so that no tail is moved
 * and nothing is appended meanwhile. See log.h.
 *
 * The place of a position depends on the length of the ring. So a new length begins with new
 * positions and a new run. Records of another length are at positions before the stored tail, or
 * of an older run, and do not count: see record_whole() in log-replay.c. One superblock stores
 * length, tail and run, after a flush.
 */
#include "core/parent.h"
#include "core/slots.h"
#include "log/log.h"

#define RESIZE_WAIT	(10 * HZ)	/* limit for the drain's work to begin */

struct par_log_resize {
	u32 left;
	int err;
	struct completion done;
};

/* Say why the size stays as it is, and what to do. */
static int refuse_change(const struct par_log *log, int err, const char *why)
{
	pr_warn("md/par:%s: %s\n", mdname(log->conf->mddev), why);
	return err;
}

bool par_log_off(const struct par_conf *conf)
{
	return READ_ONCE(conf->log->use.off);
}

static void set_off(struct par_log *log, bool off)
{
	WRITE_ONCE(log->use.off, off);
	par_slots_logged(log->conf, !off);
}

int par_log_fit(struct par_conf *conf)
{
	struct par_log *log = conf->log;
	u32 left = conf->store->super.log.left;
	int err;

	if (!log->on)
		return 0;
	if (!par_log_shape_of(&log->shape, &conf->geo))
		return -EINVAL;
	log->use.area = log->shape.units;
	err = par_log_summaries_init(log);
	if (err)
		return err;
	if (!par_log_shape_leave(&log->shape, left))
		return -EINVAL;
	log->index.units = log->shape.units;
	set_off(log, left == log->use.area);
	return 0;
}

/* Let nothing be appended until open_again(). */
static int close_empty(struct par_log *log, u32 left)
{
	bool records, lost;

	spin_lock(&log->lock);
	records = !par_log_ring_empty(&log->ring);
	lost = left == log->use.area && log->lost.count;
	log->use.closed = !records && !lost;
	spin_unlock(&log->lock);
	if (records)
		return refuse_change(log, -EBUSY,
				     "the write log has records, and log_size can be changed only while it is empty: shift to the top gear, and try again when log_used is 0");
	if (lost)
		return refuse_change(log, -EUCLEAN,
				     "the write log has lost blocks, which can be written only through it: write or discard them (log_lost is 0 then), and try again to switch it off");
	return 0;
}

static void open_again(struct par_log *log)
{
	spin_lock(&log->lock);
	log->use.closed = false;
	spin_unlock(&log->lock);
	par_log_kick(log);
}

static void begin_ring(struct par_log *log, const struct par_log_shape *shape,
		       const struct par_log_record *record)
{
	spin_lock(&log->lock);
	log->shape = *shape;
	log->index.units = shape->units;
	par_log_ring_init(&log->ring, par_log_blocks(shape), record->tail);
	log->run = record->run;
	log->sums.counts_from = record->summaries_from;
	set_off(log, record->left == log->use.area);
	WRITE_ONCE(log->conf->io->log_done, record->tail);
	spin_unlock(&log->lock);
}

/* Can the log be appended to, if it is not closed? */
static int check_usable(struct par_log *log)
{
	if (!md_is_rdwr(log->conf->mddev))
		return refuse_change(log, -EROFS,
				     "the array is read-only and cannot change its write log: make it writable first (mdadm --readwrite)");
	if (par_log_broken(log))
		return refuse_change(log, -EIO,
				     "the write log cannot be changed, as too many members have failed: stop the array, and start it with those that are back");
	if (par_log_make_ready(log))
		return 0;
	if (READ_ONCE(log->stuck))
		return refuse_change(log, -EIO,
				     "some records of the write log cannot be read, so it cannot be changed: check the disks, and try again when log_state is empty");
	return refuse_change(log, -EIO,
			     "the change of the write log cannot be stored: check the disks, and try again");
}

static int change_size(struct par_log *log, u32 left)
{
	struct par_log_shape shape = log->shape;
	struct par_log_record record = { .left = left };
	int err = check_usable(log);

	if (err)
		return err;
	shape.units = log->use.area;
	if (!par_log_shape_leave(&shape, left))
		return -EINVAL;
	err = close_empty(log, left);
	if (err)
		return err;
	record.tail = round_up(log->ring.tail, PAR_LOG_UNIT);
	record.stable = record.tail;
	record.run = log->run + 1;
	record.summaries_from = record.run;
	spin_lock(&log->lock);
	record.lost = log->lost;
	spin_unlock(&log->lock);
	err = par_store_log_left(log->conf, &record);
	if (!err) {
		/* The tail's unit may have older records that have been drained. */
		par_log_close_unit(log, log->ring.tail);
		par_log_summaries_drop(log);
		begin_ring(log, &shape, &record);
	} else {
		refuse_change(log, err,
			      "the change of the write log could not be stored: check the disks, and try again");
	}
	open_again(log);
	return err;
}

void par_log_do_resize(struct par_log *log)
{
	struct par_log_resize *asked;

	spin_lock(&log->lock);
	asked = log->use.asked;
	log->use.asked = NULL;
	spin_unlock(&log->lock);
	if (!asked)
		return;
	asked->err = change_size(log, asked->left);
	complete(&asked->done);
}

/* Withdraw the request; false if the drain's work has taken it. */
static bool take_back(struct par_log *log, const struct par_log_resize *asked)
{
	bool there;

	spin_lock(&log->lock);
	there = log->use.asked == asked;
	if (there)
		log->use.asked = NULL;
	spin_unlock(&log->lock);
	return there;
}

int par_log_resize(struct par_conf *conf, u32 left)
{
	struct par_log_resize asked = { .left = left };
	struct par_log *log = conf->log;
	bool busy;

	might_sleep();
	init_completion(&asked.done);
	spin_lock(&log->lock);
	busy = log->use.asked;
	if (!busy)
		log->use.asked = &asked;
	spin_unlock(&log->lock);
	if (busy)
		return refuse_change(log, -EALREADY,
				     "another change of log_size is under way: try again when it has ended");
	par_log_drain_now(log);
	/* A stop of the array would wait for this request, and no drain runs then. */
	if (!wait_for_completion_timeout(&asked.done, RESIZE_WAIT)) {
		if (take_back(log, &asked))
			return refuse_change(log, -ETIMEDOUT,
					     "the change of the write log has not begun within 10 s: try again when no drain or discard is under way");
		wait_for_completion(&asked.done);
	}
	return asked.err;
}
