// SPDX-License-Identifier: GPL-2.0
/*
 * The place of the write log on the members; see log-place.h for the contract.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <kunit/visibility.h>

#include "pure/log-place.h"

bool par_log_shape_init(struct par_log_shape *shape, unsigned int members,
			unsigned int parities, u64 start, u64 sectors)
{
	u64 units = div_u64(sectors, PAR_LOG_UNIT_SECTORS) * members;

	units = div_u64(units, parities + 1);
	shape->members = members;
	shape->copies = parities + 1;
	shape->start = start;
	shape->summaries = 0;
	shape->units = min_t(u64, units, PAR_LOG_MAX_UNITS);
	return shape->units >= PAR_LOG_MIN_UNITS;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_shape_init);

static bool whole_shape(struct par_log_shape *shape, const struct par_geometry *geo, u64 sectors)
{
	return par_log_shape_init(shape, geo->set[1].members, geo->parities,
				  geo->meta_sectors - geo->log_sectors, sectors);
}

bool par_log_shape_of(struct par_log_shape *shape, const struct par_geometry *geo)
{
	u64 sectors = geo->log_sectors, needed;

	if (!whole_shape(shape, geo, sectors))
		return false;
	if (shape->units < PAR_LOG_SUMMARY_UNITS)
		return true;
	/* For the units of the whole area, though the ring has fewer. */
	needed = (u64)shape->units * PAR_LOG_BLOCK;
	sectors -= needed;
	if (!whole_shape(shape, geo, sectors))
		return false;
	shape->summaries = geo->meta_sectors - needed;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_shape_of);

bool par_log_shape_leave(struct par_log_shape *shape, u32 left)
{
	if (left > shape->units || (left != shape->units &&
				    shape->units - left < PAR_LOG_MIN_UNITS))
		return false;
	shape->units -= left == shape->units ? 0 : left;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_shape_leave);

u32 par_log_place(const struct par_log_shape *shape, u64 pos)
{
	u32 place;

	div_u64_rem(pos, par_log_blocks(shape), &place);
	return place;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_place);

/* The number of a copy, counted over all units. */
static u32 copy_number(const struct par_log_shape *shape, u32 place, unsigned int copy)
{
	return place / PAR_LOG_UNIT * shape->copies + copy;
}

unsigned int par_log_member(const struct par_log_shape *shape, u32 place, unsigned int copy)
{
	return copy_number(shape, place, copy) % shape->members;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_member);

u64 par_log_sector(const struct par_log_shape *shape, u32 place, unsigned int copy)
{
	u64 row = copy_number(shape, place, copy) / shape->members;

	return shape->start + row * PAR_LOG_UNIT_SECTORS +
	       place % PAR_LOG_UNIT * PAR_LOG_BLOCK;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_sector);

u32 par_log_members(const struct par_log_shape *shape, u32 place)
{
	unsigned int copy;
	u32 members = 0;

	for (copy = 0; copy < shape->copies; copy++)
		members |= BIT(par_log_member(shape, place, copy));
	return members;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_members);
