// SPDX-License-Identifier: GPL-2.0
/*
 * The way of each request: into the log, past it, or to the held ones. See log.h and
 * pure/log-way.h.
 */
#include "core/parent.h"
#include "log/log.h"

static void send_home(struct par_conf *conf, struct bio *bio)
{
	struct par_set *home = par_home(conf);

	home->ops->submit(home, bio);
}

/* The same for a write that was counted before it was held: the home set must not count it. */
static void send_counted_home(struct par_conf *conf, struct bio *bio)
{
	bio_set_dev(bio, par_home(conf)->front->part0);
	send_home(conf, bio);
}

static bool in_low_gear(const struct par_log *log)
{
	return READ_ONCE(log->conf->gear) < log->conf->geo.gears;
}

static u64 blocks_of(const struct bio *bio)
{
	u64 first = bio->bi_iter.bi_sector / PAR_LOG_BLOCK;

	return DIV_ROUND_UP_ULL(bio_end_sector(bio), PAR_LOG_BLOCK) - first;
}

/* Each block may need a record of its own, and one block of each unit may stay unused. */
static bool has_room(const struct par_log *log, u64 blocks)
{
	u64 wanted = 2 * (log->queued + blocks) + 2 * PAR_LOG_UNIT;

	return !log->dead && !READ_ONCE(log->stuck) && !log->use.off &&
	       par_log_ring_used(&log->ring) + wanted <= log->ring.blocks;
}

/*
 * Would a replay write a block of @bio? The unit of the tail may have slots of records in front
 * of the tail. They do not count if the log is empty.
 */
static bool is_logged(struct par_log *log, const struct bio *bio)
{
	return !par_log_ring_empty(&log->ring) &&
	       par_log_index_has(&log->index, bio->bi_iter.bi_sector, bio_sectors(bio));
}

static struct par_log_write describe_write(struct par_log *log, const struct bio *bio)
{
	u32 absent = READ_ONCE(log->conf->store->super.log.absent);
	bool is_lost = par_log_lost_any(&log->lost, bio->bi_iter.bi_sector, bio_sectors(bio));

	lockdep_assert_held(&log->lock);
	return (struct par_log_write) {
		/* Without a part on some member, records have less redundancy than the array. */
		.low = in_low_gear(log) && !absent && !log->use.off,
		.large = bio_sectors(bio) >= PAR_LOG_LARGE,
		.logged = is_lost || is_logged(log, bio),
		.room = has_room(log, blocks_of(bio)),
		/* A member that is whole again gets its part as soon as the log is empty. */
		.ending = !is_lost && READ_ONCE(log->count.failures) < PAR_LOG_WAITED &&
			  (log->index.live < PAR_LOG_ENDING || par_log_lacks_member(log)),
	};
}

/* No block is logged or will be: all requests go past the log. */
static bool passes_by(const struct par_log *log)
{
	if (READ_ONCE(log->use.off))
		return true;
	return !in_low_gear(log) && !READ_ONCE(log->lost.count) &&
	       READ_ONCE(log->ring.tail) == READ_ONCE(log->ring.head) && !READ_ONCE(log->queued);
}

/* A write that is held again asks for no drain: the drain's work has submitted it, see drain.c. */
static void ask_for_drain(struct par_log *log, bool again)
{
	if (!again)
		par_log_drain_now(log);
}

/* @counted: the log has counted the write in the array's statistics, and has held it */
static void log_write(struct par_log *log, struct bio *bio, bool counted)
{
	struct par_log_write write;
	enum par_log_way way;
	bool full;

	spin_lock(&log->lock);
	write = describe_write(log, bio);
	full = !log->use.off && par_log_full(&write);
	spin_unlock(&log->lock);
	way = par_log_way(&write);
	if (full) {
		par_shift_at_least(log->conf, log->conf->geo.gears, "log");
		ask_for_drain(log, counted);
	}
	if (way == PAR_LOG_PAST) {
		if (counted)
			send_counted_home(log->conf, bio);
		else
			send_home(log->conf, bio);
		return;
	}
	/* Count the write here, since it does not pass the home set, which would count it. */
	if (!counted)
		md_account_bio(log->conf->mddev, &bio);
	spin_lock(&log->lock);
	if (way == PAR_LOG_APPEND) {
		log->queued += blocks_of(bio);
		bio_list_add(&log->waiting, bio);
	} else {
		bio_list_add(&log->held, bio);
		WRITE_ONCE(log->wanted, true);
	}
	spin_unlock(&log->lock);
	if (way == PAR_LOG_APPEND)
		par_log_kick(log);
	else
		ask_for_drain(log, counted);
}

void par_log_submit_again(struct par_log *log, struct bio *bio)
{
	if (passes_by(log))
		send_counted_home(log->conf, bio);
	else
		log_write(log, bio, true);
}

void par_log_submit(struct par_conf *conf, struct bio *bio)
{
	struct par_log *log = conf->log;

	if (!log->on || passes_by(log))
		send_home(conf, bio);
	else if (bio_data_dir(bio) == WRITE)
		log_write(log, bio, false);
	else if (READ_ONCE(log->index.live) || READ_ONCE(log->lost.count))
		par_log_read(log, bio);
	else
		send_home(conf, bio);
}

void par_log_discard(struct par_conf *conf, struct bio *bio)
{
	struct par_log *log = conf->log;

	if (!log->on || passes_by(log)) {
		par_discard_request(conf, bio);
		return;
	}
	par_queue_add(conf, &log->discards, bio);
	par_log_drain_now(log);
}
