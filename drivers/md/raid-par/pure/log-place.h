/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The place of the write log on the members: pure arithmetic. See Documentation/log.md.
 *
 * The log is a ring of blocks of 4 KiB, which is divided into units. A position is the number
 * of a block, counted on from round to round since the array was created, and is never used
 * twice; a place is the block of the ring at a position. The copies of the units are
 * distributed to the members in turn, so that the members have equal shares:
 *
 *	members 0 1 2, two copies:	unit 0 on 0 and 1, unit 1 on 2 and 0, unit 2 on 1 and 2
 *
 * At the end of its part of the log, each member has the summaries, one block for each unit that
 * the whole part would have: see log-summary.h.
 */
#ifndef RAID_PAR_LOG_PLACE_H
#define RAID_PAR_LOG_PLACE_H

#include <linux/bits.h>
#include <linux/types.h>
#include "pure/geometry.h"

#define PAR_LOG_BLOCK		8U	/* sectors in a block */
#define PAR_LOG_UNIT		128U	/* blocks in a unit */
#define PAR_LOG_UNIT_SECTORS	(PAR_LOG_UNIT * PAR_LOG_BLOCK)
#define PAR_LOG_MIN_UNITS	8U
#define PAR_LOG_MAX_UNITS	BIT(24)	/* a place plus one has 32 bits */
#define PAR_LOG_MAX_COPIES	3U
#define PAR_LOG_SUMMARY_UNITS	32U	/* a smaller log is read fast enough without summaries */

/**
 * struct par_log_shape - an array's log
 * @members: the number of members with a part of it, 0 … members-1: those that never sleep
 * @copies: of each unit; one member less than this can be lost
 * @start: its first sector in the data area of each of these members
 * @units: of the ring, without copies
 * @summaries: the first sector of the summaries in the data area of each of these members, or 0
 */
struct par_log_shape {
	unsigned int members, copies;
	u64 start, summaries;
	u32 units;
};

/*
 * par_log_shape_init - the log of @sectors sectors from @start on of each of @members, such
 * that @parities members can be lost. Returns false if this is too small for a log.
 */
bool par_log_shape_init(struct par_log_shape *shape, unsigned int members,
			unsigned int parities, u64 start, u64 sectors);

/*
 * par_log_shape_of - the log of an array, with summaries if it has enough units. False if it has
 * no log, or if the log is too small
 */
bool par_log_shape_of(struct par_log_shape *shape, const struct par_geometry *geo);

/* par_log_summary_sector - the sector of the summary of unit @u, on each of the members */
static inline u64 par_log_summary_sector(const struct par_log_shape *shape, u32 u)
{
	return shape->summaries + (u64)u * PAR_LOG_BLOCK;
}

/*
 * par_log_shape_leave - leave the last @left units of the ring unused; false if then too few are
 * used. With all of them left the log is off, and the shape remains as it is.
 */
bool par_log_shape_leave(struct par_log_shape *shape, u32 left);

/* par_log_blocks - the number of blocks of the whole ring */
static inline u32 par_log_blocks(const struct par_log_shape *shape)
{
	return shape->units * PAR_LOG_UNIT;
}

/* par_log_place - the block of the ring at @pos */
u32 par_log_place(const struct par_log_shape *shape, u64 pos);

/* par_log_member - the member with copy @copy of @place; par_log_sector - its sector there */
unsigned int par_log_member(const struct par_log_shape *shape, u32 place, unsigned int copy);
u64 par_log_sector(const struct par_log_shape *shape, u32 place, unsigned int copy);

/* par_log_members - the members with a copy of @place, a bit each */
u32 par_log_members(const struct par_log_shape *shape, u32 place);

#endif
