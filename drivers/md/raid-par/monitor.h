/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor: samples the load once per interval, calls the policy, and requests shifts.
 *
 * The block layer counts requests already, on each CPU separately: of the array's disk, of
 * the members' disks, and, by route.c, of the sets' virtual members. So the monitor adds
 * nothing to the path of a request but one such counter.
 */
#ifndef RAID_PAR_MONITOR_H
#define RAID_PAR_MONITOR_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "policy/booking.h"
#include "policy/history.h"
#include "policy/policy.h"
#include "policy/predict.h"

#define PAR_EXPLAIN	512	/* bytes of a line that explains a decision */

struct block_device;
struct par_conf;

/* The load of a member in an interval. */
struct par_member_load {
	u64 requests[2], ns[2];	/* reads and writes that ended, and their duration */
	u64 busy_ns;		/* while there was at least one */
};

/* struct par_counts - running counts of the block layer */
struct par_counts {
	u64 ns;			/* time of the sample */
	struct block_device *bdev[PAR_MAX_MEMBERS];	/* devices of the members, or NULL */
	unsigned long requests[PAR_MAX_MEMBERS][2];
	unsigned long ticks[PAR_MAX_MEMBERS];
	u64 request_ns[PAR_MAX_MEMBERS][2];
	unsigned long home[PAR_MAX_MEMBERS][2];		/* requests of the home set */
	unsigned long routed[PAR_MAX_MEMBERS];		/* requests of all sets */
	unsigned long array[2];
	u64 array_ns[2];
	unsigned long sectors[2];
	u64 flushes, flush_ns;
	u64 shifts;
	struct par_copies_seen copies;
	u64 log_sent, log_logged, log_drained;
	u64 lacking[PAR_MAX_SETS];	/* misses and supposed ones, by band */
	u32 log_used, log_blocks;
	unsigned int gear;
	bool syncing, home_syncing;
	bool counted;		/* the statistics of all needed devices are on */
};

/**
 * struct par_monitor - of one array
 * @lock: all members of this structure but the works, @late and @roused; taken below all
 *	other locks but conf->store->power_lock; also held while a member's rdev is removed
 * @counts: at the beginning and at the end of the interval; @newest is the index of the
 *	latter
 * @load: of the members, in the interval that ended last; over @load_ns
 * @seen_gear: the gear that the policy knows of
 * @asked: the gear that the policy asked for last and that has not been reached yet
 * @told: the decision that was reported last; @told_at: s
 * @copied: the amount that propagation has copied recently, and its duration
 * @failures: shifts that failed and that the policy knows of
 * @filling: the recent rate at which the write log has filled
 * @usual: the hour, since 1970, whose usual misses the policy knows of
 * @gone: members whose devices were gone at the last look, a bit each
 * @used: the array received a request in the interval that ended last, or a request has
 *	roused the monitor
 * @running: the works queue themselves again; @due: when, in jiffies
 * @work: runs at @due or some time later, and wakes its CPU; @idle_work: runs at @due if
 *	its CPU is awake
 * @late: a request that comes after this time, in jiffies, rouses the monitor; read without
 *	@lock
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
	u64 failures, usual;
	u32 gone;
	bool running, used, roused;
	unsigned long due, late;
};

int par_monitor_alloc(struct par_conf *conf);
void par_monitor_free(struct par_conf *conf);

/* par_monitor_begin - the array runs; par_monitor_end - it is about to stop; sleeps */
void par_monitor_begin(struct par_conf *conf);
void par_monitor_end(struct par_conf *conf);

/*
 * par_monitor_request - a request has come to the array: rouse the monitor if its look is
 * late. Any context; cheap.
 */
void par_monitor_request(struct par_conf *conf);

/*
 * par_monitor_set - give the policy the settings @knobs, which are valid, from now on, and
 * store them. Sleeps.
 */
int par_monitor_set(struct par_conf *conf, const struct par_knobs *knobs);

/* par_monitor_knobs - the present settings; sleeps */
struct par_knobs par_monitor_knobs(struct par_conf *conf);

/* par_monitor_explain - see par_policy_explain(); @line has PAR_EXPLAIN bytes; sleeps */
int par_monitor_explain(struct par_conf *conf, char *line);

/* par_monitor_hour - the load of the past days at hour @hour; sleeps */
struct par_hour par_monitor_hour(struct par_conf *conf, unsigned int hour);

/* par_monitor_past - see par_history_past(); sleeps */
struct par_past_hour par_monitor_past(struct par_conf *conf, unsigned int ago);

/*
 * par_monitor_member - the load of member @d in the last interval; returns the length of
 * the interval in ns, or 0 if there was none. Sleeps.
 */
u64 par_monitor_member(struct par_conf *conf, unsigned int d,
		       struct par_member_load *load);

#endif
