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

/* struct disk_mechanics - @way: with so many requests waiting, part of the way by chance that is the way to the next */
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
 * @place: where the head is, as mechanics.h says; @end: sector after the last one read
 * @free: all that has to be waited for is done then; @ends: of the last requests, to know how many wait
 * @gap: before that: a request is sent as soon as it is known, for the time when what it waits for itself has been
 *	read, and others that come before then are served meanwhile; @newest_gap
 * @bus_free: the bus has brought to the cache what has come
 * @settled: it has written back since it was free, until then
 * @owed: what writing back takes that is in the cache, @dirty: sectors, @writes: requests; @written: the end of
 *	the last one
 * @in_flight: how long all requests so far were under way; @moving: what they take the arm in all, done or not
 * @requests: how many they are; @reads and @writes_sent of these, and @flushes besides: as the simulated disk's report
 * @ahead: how long it has read ahead so far; @ahead_until: it does since @free
 * @state: since @since; @in: how long it was in each before
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

/* disk_mechanics_init - of disks of @sectors; exits if it is impossible */
void disk_mechanics_init(struct disk_mechanics *mechanics, u64 sectors);

/* disk_send - @sectors at @sector at time @now. Returns when that is done. */
u64 disk_send(struct disk *disk, u64 now, u64 sector, u64 sectors, enum disk_op op);

/*
 * disk_send_with - what lies on the same track as what was sent last, and with @others before it: they
 * are served in the order in which they come by. Returns when it is done.
 */
u64 disk_send_with(struct disk *disk, unsigned int others);

/* disk_flush - all that was written is on the platter; returns when */
u64 disk_flush(struct disk *disk, u64 now);

/* disk_idle - when there is nothing to be done any more, if nothing comes */
u64 disk_idle(const struct disk *disk);

/* disk_busy - ns until @now that there was a request under way */
u64 disk_busy(const struct disk *disk, u64 now);

/* disk_active - ns until @now that the arm was at work, reading ahead or not */
u64 disk_active(const struct disk *disk, u64 now);

/* disk_forget - what is not done at @now is never done */
void disk_forget(struct disk *disk, u64 now);

/* disk_rest - it has stopped if it had nothing to do for @after; until @now */
void disk_rest(struct disk *disk, u64 now, u64 after);

void disk_become(struct disk *disk, enum disk_state state, u64 now);

/* disk_joules - all that it has used until @now */
double disk_joules(const struct disk *disk, u64 now);

#endif
