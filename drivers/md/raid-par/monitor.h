/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor: counts once an interval, asks the policy, and has the array shift.
 *
 * What is counted is counted by the block layer already, on each CPU by itself: of the
 * array's disk, of the members', and, by route.c, of the sets' virtual members.
 * So nothing is added to the way of a request but one such count.
 */
#ifndef RAID_PAR_MONITOR_H
#define RAID_PAR_MONITOR_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "policy/booking.h"
#include "policy/history.h"
#include "policy/policy.h"
#include "policy/predict.h"

#define PAR_EXPLAIN	512	/* bytes of a line that explains */

struct block_device;
struct par_conf;

/* What a member had to do in an interval. */
struct par_member_load {
	u64 requests[2], ns[2];	/* reads and writes that ended, and what they took */
	u64 busy_ns;		/* while there was at least one */
};

/* struct par_counts - running counts, as the block layer has them */
struct par_counts {
	u64 ns;			/* when */
	struct block_device *bdev[PAR_MAX_MEMBERS];	/* whose these are, or NULL */
	unsigned long requests[PAR_MAX_MEMBERS][2];
	unsigned long ticks[PAR_MAX_MEMBERS];
	u64 request_ns[PAR_MAX_MEMBERS][2];
	unsigned long home[PAR_MAX_MEMBERS][2];		/* the home set's, */
	unsigned long routed[PAR_MAX_MEMBERS];		/* and all sets' */
	unsigned long array[2];
	u64 array_ns[2];
	unsigned long sectors[2];
	u64 flushes, flush_ns;
	u64 shifts, copied;
	u64 log_sent, log_drained;
	u32 log_used, log_blocks;
	unsigned int gear;
	bool copying, syncing, home_syncing;
	bool counted;		/* the statistics of all that matter are on */
};

/**
 * struct par_monitor - of one array
 * @lock: all of this but the works, @late and @roused; taken below all other locks but
 *	conf->store->power_lock, and held by whoever takes a member's rdev away
 * @counts: at the beginning and at the end of the interval, @newest says which is which
 * @load: of the members, in the interval that ended last; over @load_ns
 * @seen_gear: as the policy knows it
 * @asked: the gear that the policy has asked for last and has not seen yet
 * @told: the decision that was told last; @told_at: s
 * @copied: what propagation has copied of late, and in what time
 * @filling: how fast the write log has filled of late
 * @failures: of shifts that the policy knows of
 * @gone: members whose devices were gone at the last look, a bit each
 * @used: somebody has asked the array for something in the interval that ended last, or
 *	has roused it
 * @running: the works are to set themselves again; @due: when, in jiffies
 * @work: at @due, whether its CPU sleeps or not, or some time later; @idle_work: at @due
 *	if its CPU is awake
 * @late: a request that comes later than that, in jiffies, has it look; read without @lock
 * @roused: such a request has come
 */
struct par_monitor {
	struct par_conf *conf;
	struct mutex lock;	/* see above */
	struct delayed_work work, idle_work;
	struct par_policy policy;
	struct par_forecast forecast;
	struct par_history history;
	struct par_interval *intervals;
	struct par_counts counts[2];
	unsigned int newest;
	struct par_member_load load[PAR_MAX_MEMBERS];
	u64 load_ns;
	unsigned int seen_gear;
	struct par_asked asked;
	struct par_decision told;
	u64 told_at;
	struct par_rate copied;
	struct par_filling filling;
	u64 failures;
	u32 gone;
	bool running, used, roused;
	unsigned long due, late;
};

int par_monitor_alloc(struct par_conf *conf);
void par_monitor_free(struct par_conf *conf);

/* par_monitor_begin - the array runs; par_monitor_end - it does not any more; sleeps */
void par_monitor_begin(struct par_conf *conf);
void par_monitor_end(struct par_conf *conf);

/*
 * par_monitor_request - a request has come to the array: the monitor looks now if it should
 * have long ago. Any context; cheap.
 */
void par_monitor_request(struct par_conf *conf);

/*
 * par_monitor_set - have the policy go by @knobs, which are valid, from now on, and keep
 * them. Sleeps.
 */
int par_monitor_set(struct par_conf *conf, const struct par_knobs *knobs);

/* par_monitor_knobs - as they are; sleeps */
struct par_knobs par_monitor_knobs(struct par_conf *conf);

/* par_monitor_explain - see par_policy_explain(); @line has PAR_EXPLAIN bytes; sleeps */
int par_monitor_explain(struct par_conf *conf, char *line);

/* par_monitor_hour - the past days' load at that hour; sleeps */
struct par_hour par_monitor_hour(struct par_conf *conf, unsigned int hour);

/* par_monitor_past - see par_history_past(); sleeps */
struct par_past_hour par_monitor_past(struct par_conf *conf, unsigned int ago);

/*
 * par_monitor_member - what member @d had to do in the last interval; returns how long
 * that was in ns, or 0 if there was none. Sleeps.
 */
u64 par_monitor_member(struct par_conf *conf, unsigned int d,
		       struct par_member_load *load);

#endif
