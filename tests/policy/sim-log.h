/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The write log of an array without a kernel: see Documentation/log.md. The module's own files say
 * which writes go to it, where records lie, what it has of a block and when it is drained.
 *
 * It leaves out the superblocks that move the tail, whole stripes that are gathered from several
 * requests, and that a drain begins with the next request or interval, not in between. A drain is
 * not interrupted by requests, but each part of it begins when the one before it has ended.
 */
#ifndef TESTS_POLICY_SIM_LOG_H
#define TESTS_POLICY_SIM_LOG_H

#include "pure/log-drain.h"
#include "pure/log-place.h"
#include "pure/log-way.h"

#define LOG_SLICE	2048U		/* blocks that are drained at a time, as in log/drain.c */

struct array;

/**
 * struct sim_log - times in ns
 * @newest: when the last record was written; @filling: see struct par_log_need
 * @drain_next: when the next part of a drain may begin
 * @vain: the head when nothing could be drained: there is nothing new since, in gear @vain_gear
 * @used: blocks when the last interval ended
 * @logged: blocks of data in records, in all
 */
struct sim_log {
	struct par_log_shape shape;
	struct par_log_index index;
	struct par_log_ring ring;
	u64 newest, drain_next, vain, logged;
	unsigned int vain_gear;
	bool filling;
	u32 used;
	/* of the slice that is drained: simulations run beside each other */
	struct piece *pieces;
	u64 *blocks;
};

/* log_new - an empty log. NULL: the array has none */
struct sim_log *log_new(const struct par_geometry *geo);
void log_free(struct sim_log *log);

/* log_read, log_write - a request to an array with a log; return when it is done */
u64 log_read(struct array *array, u64 now, u64 sector, u64 sectors);
u64 log_write(struct array *array, u64 now, u64 sector, u64 sectors);

/* log_work - drain what is to be drained until @now */
void log_work(struct array *array, u64 now);

u32 log_used(const struct sim_log *log);

#endif
