/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where everything lies in an array with images of a share of its data: regions, runs, slots,
 * tracts. Pure arithmetic, as geometry.h. See Documentation/slots.md, "Geometry".
 *
 * Regions keep the addresses that geometry.h gives them, one behind the other. Only the last
 * step, par_slot_sector(), interleaves them on the disks.
 */
#ifndef RAID_PAR_SLOT_PLACE_H
#define RAID_PAR_SLOT_PLACE_H

#include <linux/types.h>
#include "pure/geometry.h"

#define PAR_SHARE_ALL		100U		/* images of all data: no slot map */
#define PAR_RUN_MIN		2048U		/* 1 MiB of each sleeper */
#define PAR_TRACT		2097152U	/* 1 GiB of the home region */
#define PAR_SLOT_MEMORY		(64U << 20)	/* of all maps; runs are doubled above it */
#define PAR_RUN_BYTES		4U		/* of memory for a run … */
#define PAR_SLOT_BYTES		8U		/* … and for a slot */
#define PAR_SLOTS_A_BLOCK		(PAR_BLOCK_PAYLOAD / 4)	/* in a stored block of the map */

/**
 * struct par_slot_ask - an array to be laid out
 * @layout, @disks, @chunk: as in md
 * @steady: usable sectors of each member that never sleeps; @sleeper: those of each other member
 * @log: sectors of the write log, in front of all regions
 * @share: percent, 1 … PAR_SHARE_ALL
 * @run, @tract: sectors, powers of two; 0: to be chosen, at creation
 */
struct par_slot_ask {
	u32 layout;
	unsigned int disks;
	u32 chunk;
	u64 steady, sleeper, log;
	unsigned int share;
	u32 run, tract;
};

/* The errors of par_slot_place_init(), beside those of par_geometry_init(). */
enum par_slot_error {
	PAR_SLOT_OK,
	PAR_SLOT_GEOMETRY,	/* the layout is not possible, see @why */
	PAR_SLOT_SHARE,		/* not from 1 to 100 */
	PAR_SLOT_RUN,		/* the run or the tract is not possible */
	PAR_SLOT_SMALLER,	/* members that never sleep are smaller than the others */
};

/*
 * par_slot_place_init - lay @ask out; @why: the error of the layout, or PAR_GEO_OK. With
 * PAR_SHARE_ALL the geometry is that of par_geometry_with_log(), which does not use the space by
 * which members that never sleep are larger.
 */
enum par_slot_error par_slot_place_init(struct par_geometry *geo,
					const struct par_slot_ask *ask, enum par_geo_error *why);

/* par_slot_memory - bytes that the maps of all bands take in memory; 0 with PAR_SHARE_ALL */
u64 par_slot_memory(const struct par_geometry *geo);

/*
 * par_slot_image - where in the gear set of its band sector @x of sleeper @d is imaged, if the
 * sector's run has slot @slot. @x counts as in par_image_sector().
 * par_slot_owner - the inverse: the sleeper, its slot, and the sector within the run
 */
u64 par_slot_image(const struct par_geometry *geo, unsigned int d, u64 slot, u64 x);
unsigned int par_slot_owner(const struct par_geometry *geo, unsigned int set, u64 sector,
			    u64 *slot, u32 *in_run);

/* par_slot_run - the run to which sector @x of a sleeper belongs */
static inline u64 par_slot_run(const struct par_geometry *geo, u64 x)
{
	return x >> geo->run_shift;
}

/*
 * par_slot_runs_below - set *@first and *@last: the stripes in which slot @slot of band @set lies
 * belong to these runs, in any lower band
 */
void par_slot_runs_below(const struct par_geometry *geo, unsigned int set, u32 slot, u32 *first,
			 u32 *last);

/*
 * par_slot_sector - where sector @sector of set @set's region lies on each member of the set, from
 * the start of the data area: the same on all, so that a member can take the role of another one
 * par_slot_contiguous - the number of sectors from this sector on that lie one behind the other
 */
u64 par_slot_sector(const struct par_geometry *geo, unsigned int set, u64 sector);
u64 par_slot_contiguous(const struct par_geometry *geo, unsigned int set, u64 sector);

/* par_slot_near - the slot of band @set that lies beside run @run */
u64 par_slot_near(const struct par_geometry *geo, unsigned int set, u64 run);

/*
 * par_slot_block_sector - the sector of side @side of block @block of the stored slot maps
 * par_slot_block_band - the band to which the block belongs; @index: its number in the band
 */
u64 par_slot_block_sector(const struct par_geometry *geo, u32 block, unsigned int side);
unsigned int par_slot_block_band(const struct par_geometry *geo, u32 block, u32 *index);

/* par_slot_strerror - why an array with slots is not possible, in one line */
const char *par_slot_strerror(enum par_slot_error err, enum par_geo_error why);

#endif
