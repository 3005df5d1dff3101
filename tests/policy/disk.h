/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A disk without a kernel: how long its requests take, first come, first served, and
 * what energy it uses. The mechanics are those of tests/spindle/model.c and the numbers
 * those of its preset "nearline" (Documentation/spindle.md); it has neither a queue that
 * it sorts nor a volatile cache. It reads ahead, which takes energy, but serves no more of
 * that than what follows at once.
 */
#ifndef TESTS_POLICY_DISK_H
#define TESTS_POLICY_DISK_H

#include "model.h"
#include "presets.h"

#define DISK_SECTORS	31251759616ULL	/* 16 TB */
#define DISK_SPIN_UP	(NEARLINE_SPIN_UP_MS * NSEC_PER_MSEC)
#define DISK_SPIN_DOWN	(NEARLINE_SPIN_DOWN_MS * NSEC_PER_MSEC)

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
};

/**
 * struct disk - times in ns
 * @place: where the head is, as model.h says; @end: sector after the last one it was at
 * @free: all that has been sent to it is done then
 * @sent: how long all requests so far have taken in all; @requests: how many they are
 * @ahead: how long it has read ahead so far; @ahead_until: it does since @free
 * @state: since @since; @in: how long it was in each before
 */
struct disk {
	const struct spindle_model *model;
	u64 place, end, free;
	u64 sent, requests, starts;
	u64 ahead, ahead_until;
	enum disk_state state;
	u64 since, in[DISK_STATES];
};

/**
 * struct disk_work - of disks, in ns, done or not
 * @busy: with requests; @active: and with reading ahead
 */
struct disk_work {
	u64 busy, active;
};

/* disk_model - of all disks; exits if it is impossible */
const struct spindle_model *disk_model(void);

/* disk_send - @sectors at @sector at time @now. Returns when that is done. */
u64 disk_send(struct disk *disk, u64 now, u64 sector, u64 sectors, enum disk_op op);

/* disk_busy - ns until @now that it has been busy in all */
u64 disk_busy(const struct disk *disk, u64 now);

/* disk_ahead - ns until @now that it has read ahead in all */
u64 disk_ahead(const struct disk *disk, u64 now);

void disk_become(struct disk *disk, enum disk_state state, u64 now);

/* disk_joules - all that it has used until @now */
double disk_joules(const struct disk *disk, u64 now);

#endif
