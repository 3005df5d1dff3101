/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy's data that is stored while the array is stopped, and its bounds: plain
 * records, so that the on-disk format (format.h) does not depend on the policy.
 */
#ifndef RAID_PAR_POLICY_RECORD_H
#define RAID_PAR_POLICY_RECORD_H

#include <linux/types.h>

#include "pure/knobs.h"

#define PAR_REGRETS_MAX		16U
#define PAR_STARTS_MAX	300U	/* s until disks turn: the maximum that is recorded */
#define PAR_LEAVES_MAX	86400U	/* s of a shift down: the maximum that is recorded */

#define PAR_HISTORY_DAYS	7U
#define PAR_HISTORY_HOURS	(PAR_HISTORY_DAYS * 24)
#define PAR_LOAD_UNKNOWN	0xffffU
#define PAR_HOUR_MOST		0x3ffeU	/* of an hour's load; larger ones are not distinguished */
#define PAR_MISS_CLASSES	16U	/* of an hour's number of misses, see par_miss_class() */

#define PAR_SPANS	16U	/* number of spans that are remembered */
#define PAR_COUNT_END	(2 * PAR_SPANS)

/*
 * struct par_spans - the durations of the last ones, in s; @count: their number; from
 * PAR_SPANS on the ring is full, and @count continues up to below PAR_COUNT_END
 */
struct par_spans {
	u32 lasted[PAR_SPANS];
	unsigned int count;
};

/*
 * Requests are distinguished by kind: a backup behaves differently from a user who opens a
 * file.
 */
enum par_surge_kind {
	PAR_SURGE_READS,
	PAR_SURGE_WRITES,
	PAR_SURGE_LARGE_READS,	/* above 128 KiB on average */
	PAR_SURGE_LARGE_WRITES,
	PAR_SURGE_KINDS,
};

/**
 * struct par_policy_record - stored data of the policy; see policy.h and history.h
 * @surges, @pauses: of struct par_surge; @starts_in: 0: not known
 * @hour, @mean, @peak, @misses: of struct par_history
 */
struct par_policy_record {
	struct par_knobs knobs;
	u64 sleep;
	u32 sleeps, regrets;
	struct par_spans surges[PAR_SURGE_KINDS], pauses;
	u32 starts_in, leaves_in;
	u64 hour;
	u16 mean[PAR_HISTORY_HOURS], peak[PAR_HISTORY_HOURS];
	u8 misses[PAR_HISTORY_HOURS];
};

#endif
