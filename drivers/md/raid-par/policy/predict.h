/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What utilization the requests of an interval cause in the gear they came in, and
 * what they would cause in each other gear (PARAID, "Asymmetric Gear-Shifting
 * Policies": the average "modified to account for fewer drives and extra parity
 * updates").
 *
 * The home set's requests to its virtual members are the same in every gear. What
 * differs is where they go: in place to a member that is awake, or to the image of one
 * that sleeps, where a write costs reads and parity writes besides. What a request to
 * a member costs, and how many an image write comes to, is counted as long as nobody
 * else is at work on the members; until a gear has been seen, it follows from the
 * geometry. What one costs depends on what it is a piece of: that is counted apart for
 * small, medium and large requests to the array; so is the rest. Pages that follow each
 * other count as one (runs.h).
 *
 * Pure: no locks but the caller's, no side effects, any context.
 */
#ifndef RAID_PAR_PREDICT_H
#define RAID_PAR_PREDICT_H

#include <linux/types.h>

#include "policy/window.h"
#include "pure/geometry.h"

/* Reads and writes, as indexes. */
#define PAR_READS	0
#define PAR_WRITES	1

/**
 * struct par_sample - what was counted in one interval
 * @ns: how long it was
 * @gear: the gear it began in; @shifted: and did not end in
 * @others: copies of ours or a member that was starting were at work besides
 * @synced: and a sync too, whose requests are among those of the home set
 * @requests: to the array, that ended in it; @waited_ns: what they took in all;
 *	@sectors: how large they were
 * @flushes: that ended in it, a write that flushes first among them; @flush_ns: what
 *	they took in all, writing not included
 * @home: requests of the home set to its virtual members
 * @sent: requests that came to the members that are awake
 * @log_sent: and those of the write log, for records and by drains; @drained: it was drained,
 *	and @home has these requests too
 * @busy_ns: these members' busy times, in all
 */
struct par_sample {
	u64 ns;
	unsigned int gear;
	bool shifted, others, synced;
	u64 requests[2], waited_ns[2], sectors;
	u64 flushes, flush_ns;
	u64 home[PAR_MAX_MEMBERS][2];
	u64 sent, log_sent, busy_ns;
	bool drained;
};

/* Requests to the array, by their mean size. */
enum par_size {
	PAR_SMALL_REQUESTS,	/* up to 16 KiB */
	PAR_MEDIUM_REQUESTS,
	PAR_LARGE_REQUESTS,	/* above 256 KiB */
	PAR_SIZES,
};

/* A ratio that is counted: what was counted, and among how many. Old counts fade. */
struct par_ratio {
	u64 counted, among;
};

/* struct par_rate - how fast copies are made: all bytes of late by all the time they took */
struct par_rate {
	u64 bytes, ns;
};

/* par_rate_add - @bytes, 0 perhaps, were copied in @ns */
void par_rate_add(struct par_rate *rate, u64 bytes, u64 ns);

/* par_rate_kib - KiB/s, at least 1; what disks mostly do, as long as little is known */
u32 par_rate_kib(const struct par_rate *rate);

/**
 * struct par_forecast - what has been learnt
 * @gear: the gear of what was seen last, 0 before
 * @cost: ns that a member is busy for a request, of late, by size
 * @fresh: the same, in this gear alone
 * @image_write: requests to members that a write to an image comes to, by gear
 * @home: of the home set's to a virtual member, for each request to the array
 * @dearer: what a request costs in each gear against the top gear, in parts of
 *	PAR_DEARER_ONE
 * @before: the gear that this one is to be compared with, once @fresh is known, or 0;
 *	@before_cost: and what a request cost there, 0: not known
 * @compared: intervals with requests since it came to this gear
 * @copies: of a record of the write log; 0: there is none
 */
struct par_forecast {
	const struct par_geometry *geo;
	unsigned int gear, before, compared, copies;
	u64 before_cost[PAR_SIZES];
	struct par_ratio cost[PAR_SIZES], fresh[PAR_SIZES];
	struct par_ratio image_write[PAR_SIZES][PAR_MAX_SETS + 1];
	struct par_ratio home[PAR_SIZES][PAR_MAX_MEMBERS][2];
	u32 dearer[PAR_MAX_SETS + 1];
};

#define PAR_DEARER_ONE	1024U

/*
 * par_forecast_init - nothing has been seen. If the geometry has a log, small and medium writes
 * go there in all gears but the top one, and home later.
 */
void par_forecast_init(struct par_forecast *forecast,
		       const struct par_geometry *geo);

/* struct par_filling - how fast the log fills: blocks of late, and in what time */
struct par_filling {
	u64 blocks, ns;
};

/*
 * par_filling_see - in @ns it came to have @used blocks in use, from @before; no more than
 *	before is nothing
 * par_filling_left - s until @room blocks are used, at least 1; 0: it does not fill
 */
void par_filling_see(struct par_filling *filling, u32 before, u32 used, u64 ns);
u64 par_filling_left(const struct par_filling *filling, u32 room);

/*
 * par_forecast_see - learn from an interval, and say what utilization its requests
 * cause in each gear: fills in @interval. False if that cannot be known yet.
 */
bool par_forecast_see(struct par_forecast *forecast,
		      const struct par_sample *sample,
		      struct par_interval *interval);

/*
 * par_image_write_cost - requests to members that one small write to the image of
 * member @d comes to in gear @gear, in parts of PAR_DEARER_ONE, from the geometry:
 * raid5's reads and writes, and where they hit a member that sleeps too, what that
 * costs in the set below.
 */
u64 par_image_write_cost(const struct par_geometry *geo, unsigned int gear,
			 unsigned int d);

#endif
