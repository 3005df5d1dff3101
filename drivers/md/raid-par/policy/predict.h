/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The utilization that the requests of an interval cause in their gear, and would cause in
 * each other gear (PARAID, "Asymmetric Gear-Shifting Policies": the average "modified to
 * account for fewer drives and extra parity updates").
 *
 * The home set's requests to its virtual members are the same in every gear. Their
 * destination differs: the member itself if it is awake, or else its image, where a write
 * also costs reads and parity writes. The cost of a request to a member, and the number of
 * requests per write to an image, are measured while there is no other work on the members;
 * until a gear has been seen, they are computed from the geometry. The cost of a request
 * depends on the request to the array that it is a part of: small, medium and large ones
 * are counted separately, and so is everything else. Consecutive pages count as one request
 * (runs.h).
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
 * struct par_sample - the counts of one interval
 * @ns: its length
 * @gear: the gear at its beginning; @shifted: it ended in another gear
 * @others: our copies, or a member that was starting, were at work besides
 * @synced: and a sync, whose requests are among those of the home set
 * @requests: to the array, that ended in it; @waited_ns: their total duration; @sectors:
 *	their total size
 * @flushes: that ended in it, including writes that flush first; @flush_ns: their total
 *	duration, without the writing
 * @home: requests of the home set to its virtual members
 * @sent: requests that reached the members that are awake
 * @busy_ns: the sum of these members' busy times
 * @log_sent: further requests to these members, for records of the write log and by drains;
 *	@logged: sectors of the array in these records; @drained: the log was drained, and @home
 *	includes these requests
 */
struct par_sample {
	u64 ns;
	unsigned int gear;
	bool shifted, others, synced;
	u64 requests[2], waited_ns[2], sectors;
	u64 flushes, flush_ns;
	u64 home[PAR_MAX_MEMBERS][2];
	u64 sent, log_sent, logged, busy_ns;
	bool drained;
};

/* Requests to the array, by their mean size. */
enum par_size {
	PAR_SMALL_REQUESTS,	/* up to 16 KiB */
	PAR_MEDIUM_REQUESTS,
	PAR_LARGE_REQUESTS,	/* above 256 KiB */
	PAR_SIZES,
};

/* A measured ratio: the count, and the number of cases. Old counts fade. */
struct par_ratio {
	u64 counted, among;
};

/* struct par_rate - the rate of copying: recent bytes and their total duration */
struct par_rate {
	u64 bytes, ns;
};

/* par_rate_add - @bytes, which may be 0, were copied in @ns */
void par_rate_add(struct par_rate *rate, u64 bytes, u64 ns);

/**
 * struct par_copies_seen - running counts of copies
 * @bytes: that were copied; @copying: copies are being made
 * @zeroings: incremented when zeros for slots begin and when they end: they are no copies, although
 *	they belong to a shift, and may take longer than the copies
 */
struct par_copies_seen {
	u64 bytes;
	u32 zeroings;
	bool copying;
};

/* par_rate_see - add what was copied in @ns, if it was all copying */
void par_rate_see(struct par_rate *rate, const struct par_copies_seen *from,
		  const struct par_copies_seen *to, u64 ns);

/* par_rate_kib - KiB/s, at least 1; the usual rate of disks, as long as little is known */
u32 par_rate_kib(const struct par_rate *rate);

/**
 * struct par_forecast - what has been learnt
 * @gear: the gear of the last interval, 0 before the first one
 * @cost: recent ns for which a request keeps a member busy, by size
 * @fresh: the same, in this gear alone
 * @image_write: requests to members per write to an image, by gear
 * @home: requests of the home set to a virtual member per request to the array
 * @dearer: the cost of a request in each gear relative to the top gear, in parts of
 *	PAR_DEARER_ONE
 * @before: the gear that this one is to be compared with, once @fresh is known, or 0;
 *	@before_cost: the cost of a request there, 0: not known
 * @compared: intervals with requests since the last change of gear
 * @copies: of a record of the write log; 0: there is none
 * @logged: the number of large writes of low gears that went to the log, among all of these
 */
struct par_forecast {
	const struct par_geometry *geo;
	unsigned int gear, before, compared, copies;
	u64 before_cost[PAR_SIZES];
	struct par_ratio cost[PAR_SIZES], fresh[PAR_SIZES];
	struct par_ratio image_write[PAR_SIZES][PAR_MAX_SETS + 1];
	struct par_ratio home[PAR_SIZES][PAR_MAX_MEMBERS][2], logged;
	u32 dearer[PAR_MAX_SETS + 1];
};

#define PAR_DEARER_ONE	1024U

/*
 * par_forecast_init - nothing has been seen yet. If the geometry has a log, small and medium
 * writes go to it in all gears but the top one, and home later. So do large writes in part, which
 * are no whole stripes: in what part is learnt in low gears, and until then it is none.
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
 * par_forecast_see - learn from an interval, and compute the utilization that its requests
 * cause in each gear: fills in @interval. Returns false if that is not known yet.
 */
bool par_forecast_see(struct par_forecast *forecast,
		      const struct par_sample *sample,
		      struct par_interval *interval);

/*
 * par_image_write_cost - requests to members for one small write to the image of member @d
 * in gear @gear, in parts of PAR_DEARER_ONE, from the geometry: raid5's reads and writes,
 * and, for those to a member that sleeps too, the cost in the set below.
 */
u64 par_image_write_cost(const struct par_geometry *geo, unsigned int gear,
			 unsigned int d);

#endif
