/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the write log lies: pure arithmetic. See Documentation/log.md.
 *
 * The log is a ring of blocks of 4 KiB, which is divided into units. A position counts the
 * blocks that the ring's end has passed since the array was made and never comes again; a
 * place is the block of the ring that a position is at. Each unit is on as many members as it
 * has copies, one after the other, so that the members are used alike:
 *
 *	members 0 1 2, two copies:	unit 0 on 0 and 1, unit 1 on 2 and 0, unit 2 on 1 and 2
 */
#ifndef RAID_PAR_LOG_PLACE_H
#define RAID_PAR_LOG_PLACE_H

#include <linux/bits.h>
#include <linux/types.h>
#include "pure/geometry.h"

#define PAR_LOG_BLOCK		8U	/* sectors of a block */
#define PAR_LOG_UNIT		128U	/* blocks of a unit */
#define PAR_LOG_UNIT_SECTORS	(PAR_LOG_UNIT * PAR_LOG_BLOCK)
#define PAR_LOG_MIN_UNITS	8U
#define PAR_LOG_MAX_UNITS	BIT(24)	/* a place, and one more, is 32 bits */
#define PAR_LOG_MAX_COPIES	3U

/**
 * struct par_log_shape - an array's log
 * @members: that have a part of it, 0 … members-1: those that never sleep
 * @copies: of each unit; that many members less one can be lost
 * @start: where it begins in the data area of each of them, in sectors
 * @units: of the ring, copies not counted
 */
struct par_log_shape {
	unsigned int members, copies;
	u64 start;
	u32 units;
};

/*
 * par_log_shape_init - the log of @sectors sectors from @start on of each of @members, such
 * that @parities members can be lost. Returns false if that is too small for a log.
 */
bool par_log_shape_init(struct par_log_shape *shape, unsigned int members,
			unsigned int parities, u64 start, u64 sectors);

/* par_log_shape_of - the log of an array; false if it has none, or one that is too small */
bool par_log_shape_of(struct par_log_shape *shape, const struct par_geometry *geo);

/* par_log_blocks - of the whole ring */
static inline u32 par_log_blocks(const struct par_log_shape *shape)
{
	return shape->units * PAR_LOG_UNIT;
}

/* par_log_place - the block of the ring that @pos is at */
u32 par_log_place(const struct par_log_shape *shape, u64 pos);

/* par_log_member - who has copy @copy of @place; par_log_sector - where in its data area */
unsigned int par_log_member(const struct par_log_shape *shape, u32 place, unsigned int copy);
u64 par_log_sector(const struct par_log_shape *shape, u32 place, unsigned int copy);

/* par_log_members - all that have a copy of @place, a bit each */
u32 par_log_members(const struct par_log_shape *shape, u32 place);

#endif
