/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A disk without a kernel: how long its requests take and what energy it uses. The mechanics are
 * those of tests/spindle/mechanics.c and the numbers those of its preset "nearline"
 * (Documentation/spindle.md). It is no simulation of each movement, but three rules for what
 * that comes to:
 *
 * - Reads are served in the order in which they come, or before requests that are sent ahead of
 *   their time, if there is time enough until then; but with more of them waiting, the way to
 *   each is shorter, as the disk chooses (SORTED), though not the one that is being served.
 * - A write ends when it is in the volatile cache, to which the bus takes it. It is brought to the platter when nothing
 *   is to be read, or when the cache is full, or by a flush.
 * - It reads ahead, which takes energy, but serves no more of that than what follows at once.
 */
#ifndef TESTS_POLICY_SIM_DISK_H
#define TESTS_POLICY_SIM_DISK_H

#include "mechanics.h"
#include "presets.h"

#define DISK_SECTORS	31251759616ULL	/* 16 TB: where no other size is given */
#define DISK_MOST	(1ULL << 39)	/* 256 TB: larger ones have too many tracks for the model */
#define DISK_SPIN_UP	(NEARLINE_SPIN_UP_MS * NSEC_PER_MSEC)
#define DISK_SPIN_DOWN	(NEARLINE_SPIN_DOWN_MS * NSEC_PER_MSEC)

#define DISK_DEPTH	64U	/* requests that a disk chooses among */
#define DISK_GAPS	16U	/* pauses before requests that are sent ahead of their time */

/* Watts */
#define DISK_ACTIVE_W		(NEARLINE_ACTIVE_MW / 1000.0)
#define DISK_IDLE_W		(NEARLINE_IDLE_MW / 1000.0)
#define DISK_STANDBY_W		(NEARLINE_STANDBY_MW / 1000.0)
#define DISK_SPIN_UP_W		(NEARLINE_SPIN_UP_MW / 1000.0)
#define DISK_SPIN_DOWN_W	(NEARLINE_SPIN_DOWN_MW / 1000.0)

enum disk_state {
	DISK_TURNS,
	DISK_STOPS,
	DISK_STANDS,
	DISK_STARTS,
	DISK_STATES,
};

enum disk_op {
	DISK_READ,
	DISK_WRITE,
	DISK_REWRITE,	/* written after it has been read, a turn later */
	DISK_WRITE_THROUGH,	/* past the cache: FUA */
};

/*
 * struct disk_mechanics - @way: by number of requests waiting: the way to the next one as a part
 * of a random way
 */
struct disk_mechanics {
	struct spindle_model model;
	double way[DISK_DEPTH + 1];
};

/* struct disk_gap - the arm has nothing to do from @from to @to */
struct disk_gap {
	u64 from, to;
};

/**
 * struct disk - times in ns
 * @place: position of the head, see mechanics.h; @end: sector after the last one read
 * @free: when all work that is waited for is done; @ends: of the last requests, to know how many
 *	wait
 * @gap: pauses before that: a request is sent as soon as it is known, for the time when the data
 *	that it depends on has been read, and others that come before then are served meanwhile;
 *	@newest_gap
 * @bus_free: when the bus has brought all data to the cache
 * @settled: it has written back since it was free, until then
 * @owed: time for writing back the cache, @dirty: its sectors, @writes: its requests; @written:
 *	the end of the last one
 * @in_flight: total time for which requests were under way; @moving: total time of the arm for
 *	them, done or not
 * @requests: their number; @reads and @writes_sent of these, and @flushes in addition: as in the
 *	simulated disk's report
 * @ahead: total time of reading ahead; @ahead_until: it reads ahead from @free until then
 * @state: since @since; @in: the time in each state before
 */
struct disk {
	const struct disk_mechanics *mechanics;
	u64 place, end, free, ends[DISK_DEPTH];
	unsigned int newest;
	struct disk_gap gap[DISK_GAPS];
	unsigned int newest_gap;
	u64 bus_free;
	u64 settled, owed, dirty, writes, written;
	u64 in_flight, moving, requests, starts;
	u64 reads, writes_sent, flushes;
	u64 ahead, ahead_until;
	enum disk_state state;
	u64 since, in[DISK_STATES];
};

/* disk_mechanics_init - for disks of @sectors; exits if that is impossible */
void disk_mechanics_init(struct disk_mechanics *mechanics, u64 sectors);

/* disk_send - a request for @sectors at @sector at time @now. Returns when it is done. */
u64 disk_send(struct disk *disk, u64 now, u64 sector, u64 sectors, enum disk_op op);

/*
 * disk_send_with - a request on the same track as the last one, with @others before it: they are
 * served in the order in which they pass the head. Returns when it is done.
 */
u64 disk_send_with(struct disk *disk, unsigned int others);

/* disk_flush - write all cached data to the platter; returns when that is done */
u64 disk_flush(struct disk *disk, u64 now);

/* disk_idle - when all work will be done if no request comes */
u64 disk_idle(const struct disk *disk);

/* disk_busy - ns until @now during which a request was under way */
u64 disk_busy(const struct disk *disk, u64 now);

/* disk_active - ns until @now during which the arm was at work, including reading ahead */
u64 disk_active(const struct disk *disk, u64 now);

/* disk_forget - drop the work that is not done at @now */
void disk_forget(struct disk *disk, u64 now);

/* disk_rest - until @now, the disk stops after @after without work */
void disk_rest(struct disk *disk, u64 now, u64 after);

void disk_become(struct disk *disk, enum disk_state state, u64 now);

/* disk_joules - the energy used until @now */
double disk_joules(const struct disk *disk, u64 now);

#endif
