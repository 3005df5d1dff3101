// SPDX-License-Identifier: GPL-2.0
/*
 * Where slots lie: see slot-place.h for the contract.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/slot-place.h"

static u64 rounded_up(u64 value, u32 unit)
{
	return DIV64_U64_ROUND_UP(value, unit) * unit;
}

static u64 whole_chunks(const struct par_geometry *geo, u64 sectors)
{
	return sectors & ~((u64)geo->chunk_sectors - 1);
}

/* ---- sizes ---- */

/* The size of the gear region that has @slots slots of band @i. */
static u64 region_for(const struct par_geometry *geo, unsigned int i, u64 slots)
{
	u64 sectors = (slots * geo->band[i].imaged) << geo->run_shift;

	return rounded_up(DIV64_U64_ROUND_UP(sectors, geo->set[i].members - geo->parities),
			  geo->chunk_sectors);
}

/* Lay out all regions for a home region of @home sectors. Returns C_2, which a sleeper needs. */
static u64 lay_share_out(struct par_geometry *geo, u64 home)
{
	struct par_set_geometry *set = geo->set;
	unsigned int i = geo->gears;
	u64 used = home, above = home;

	set[i].start = 0;
	set[i].sectors = home;
	while (--i) {
		struct par_band *band = &geo->band[i];

		band->runs = DIV64_U64_ROUND_UP(used, geo->run_sectors);
		band->slots = DIV64_U64_ROUND_UP(band->runs * geo->share, PAR_SHARE_ALL);
		set[i].start = used;
		set[i].sectors = region_for(geo, i, band->slots);
		above = used;
		used += set[i].sectors;
	}
	return above;
}

/* The lowest gear region takes the space by which members that never sleep are larger. */
static void grow_lowest(struct par_geometry *geo, u64 room)
{
	struct par_set_geometry *low = &geo->set[1];
	struct par_band *band = &geo->band[1];
	u64 slots, most = whole_chunks(geo, room);

	slots = div64_u64(most * (low->members - geo->parities),
			  (u64)band->imaged << geo->run_shift);
	slots = min(slots, band->runs);
	if (slots <= band->slots)
		return;
	band->slots = slots;
	low->sectors = region_for(geo, 1, slots);
}

/* Find the largest home region that fits behind @front sectors, and lay out all regions. */
static bool fit_share(struct par_geometry *geo, u64 front)
{
	u32 chunk = geo->chunk_sectors;
	u64 low = 0, high, middle, above;

	if (front >= geo->dev_sectors)
		return false;
	high = div_u64(geo->dev_sectors - front, chunk);
	while (low < high) {
		middle = high - (high - low) / 2;
		above = lay_share_out(geo, middle * chunk);
		if (above <= geo->dev_sectors - front &&
		    above + geo->set[1].sectors <= geo->steady - front)
			low = middle;
		else
			high = middle - 1;
	}
	above = lay_share_out(geo, low * chunk);
	grow_lowest(geo, geo->steady - front - above);
	/* A tract takes as much on all members. */
	geo->low_in_tracts = min(geo->set[1].sectors, geo->dev_sectors - front - above);
	return low;
}

u64 par_slot_memory(const struct par_geometry *geo)
{
	unsigned int i;
	u64 bytes = 0;

	if (!par_has_slots(geo))
		return 0;
	for (i = 1; i < geo->gears; i++)
		bytes += PAR_RUN_BYTES * geo->band[i].runs +
			 PAR_SLOT_BYTES * geo->band[i].slots;
	return bytes;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_memory);

static void count_slot_blocks(struct par_geometry *geo)
{
	unsigned int i;

	geo->slot_blocks = 0;
	for (i = geo->gears - 1; i; i--) {
		struct par_band *band = &geo->band[i];

		band->block_base = geo->slot_blocks;
		band->blocks = DIV_ROUND_UP_ULL(band->slots, PAR_SLOTS_A_BLOCK);
		geo->slot_blocks += band->blocks;
	}
}

/* The sectors in front of the regions: metadata and log. */
static u64 front_of(struct par_geometry *geo)
{
	par_geometry_count(geo);
	count_slot_blocks(geo);
	return geo->log_sectors +
	       rounded_up(PAR_SB_SECTORS + (u64)PAR_BLOCK_PAIR *
			  (geo->intent_blocks + geo->map_blocks + geo->slot_blocks),
			  geo->chunk_sectors);
}

static void set_run(struct par_geometry *geo, u32 run)
{
	geo->run_sectors = run;
	geo->run_shift = ilog2(run);
}

/* The module counts the sectors of a slot in 32 bits. */
static bool slots_small(const struct par_geometry *geo)
{
	unsigned int i;

	for (i = 1; i < geo->gears; i++)
		if ((u64)geo->band[i].imaged << geo->run_shift >= BIT_ULL(31))
			return false;
	return true;
}

/*
 * Choose the size of a segment and of a run as if there were no metadata, which gives upper bounds
 * for the maps. The run is the smallest possible one, or @run if it is given: with the run that was
 * chosen at creation, the result is the same as at creation. The superblock may have any other run:
 * numbers of runs and slots have 24 bits, and the memory for them has this limit, too.
 */
static enum par_slot_error choose_sizes(struct par_geometry *geo, u32 run)
{
	for (set_run(geo, run ?: PAR_RUN_MIN); slots_small(geo);
	     set_run(geo, 2 * geo->run_sectors)) {
		if (!fit_share(geo, geo->log_sectors))
			return PAR_SLOT_GEOMETRY;
		par_geometry_segment(geo);
		if (par_slot_memory(geo) <= PAR_SLOT_MEMORY &&
		    geo->run_sectors >= geo->seg_sectors)
			return PAR_SLOT_OK;
		if (run)
			break;
	}
	return PAR_SLOT_RUN;
}

/*
 * A smaller home region can have more slots than the metadata has been counted for: count once
 * more then.
 */
static bool fit_behind_metadata(struct par_geometry *geo)
{
	u64 need, front = front_of(geo);

	for (;;) {
		if (!fit_share(geo, front))
			return false;
		need = front_of(geo);
		if (need <= front)
			break;
		front = need;
	}
	geo->meta_sectors = front;
	return true;
}

static void finish_place(struct par_geometry *geo)
{
	unsigned int i;

	for (i = 1; i <= geo->gears; i++)
		geo->set[i].start += geo->meta_sectors;
	geo->array_sectors = geo->set[geo->gears].sectors * (geo->members - geo->parities);
	geo->tracts = DIV64_U64_ROUND_UP(geo->set[geo->gears].sectors, geo->tract_sectors);
}

static bool sizes_possible(const struct par_slot_ask *ask)
{
	return (!ask->run || (is_power_of_2(ask->run) && ask->run >= PAR_SEG_MIN)) &&
	       (!ask->tract || (is_power_of_2(ask->tract) && ask->tract >= ask->chunk));
}

enum par_slot_error par_slot_place_init(struct par_geometry *geo,
					const struct par_slot_ask *ask, enum par_geo_error *why)
{
	enum par_slot_error err;
	unsigned int i;

	*why = PAR_GEO_OK;
	if (!ask->share || ask->share > PAR_SHARE_ALL)
		return PAR_SLOT_SHARE;
	if (ask->share == PAR_SHARE_ALL)
		*why = par_geometry_with_log(geo, ask->layout, ask->disks, ask->chunk,
					     ask->sleeper, ask->log);
	else
		*why = par_geometry_begin(geo, ask->layout, ask->disks, ask->chunk);
	if (*why)
		return PAR_SLOT_GEOMETRY;
	if (ask->share == PAR_SHARE_ALL)
		return PAR_SLOT_OK;
	if (!sizes_possible(ask))
		return PAR_SLOT_RUN;
	geo->share = ask->share;
	geo->steady = whole_chunks(geo, ask->steady);
	geo->dev_sectors = whole_chunks(geo, ask->sleeper);
	if (geo->steady < geo->dev_sectors)
		return PAR_SLOT_SMALLER;
	geo->log_sectors = rounded_up(ask->log, ask->chunk);
	geo->tract_sectors = ask->tract ?: PAR_TRACT;
	for (i = 1; i < geo->gears; i++)
		geo->band[i].imaged = geo->set[i + 1].members - geo->set[i].members;
	err = ask->log > ask->sleeper ? PAR_SLOT_GEOMETRY : choose_sizes(geo, ask->run);
	if (!err && !fit_behind_metadata(geo))
		err = PAR_SLOT_GEOMETRY;
	if (err == PAR_SLOT_GEOMETRY)
		*why = PAR_GEO_TOO_SMALL;
	if (!err)
		finish_place(geo);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_place_init);

/* ---- images ---- */

u64 par_slot_image(const struct par_geometry *geo, unsigned int d, u64 slot, u64 x)
{
	unsigned int set = par_image_set(geo, d);
	unsigned int imaged = geo->band[set].imaged;
	u64 seg = (x & (geo->run_sectors - 1)) >> geo->seg_shift;

	return ((slot * imaged) << geo->run_shift) +
	       ((seg * imaged + (d - geo->set[set].members)) << geo->seg_shift) +
	       (x & (geo->seg_sectors - 1));
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_image);

unsigned int par_slot_owner(const struct par_geometry *geo, unsigned int set, u64 sector,
			    u64 *slot, u32 *in_run)
{
	unsigned int imaged = geo->band[set].imaged;
	u32 which, in_slot;
	u64 seg;

	*slot = div_u64_rem(sector >> geo->run_shift, imaged, &in_slot);
	seg = div_u64_rem((((u64)in_slot << geo->run_shift) +
			   (sector & (geo->run_sectors - 1))) >> geo->seg_shift, imaged, &which);
	*in_run = (seg << geo->seg_shift) + (sector & (geo->seg_sectors - 1));
	return geo->set[set].members + which;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_owner);

void par_slot_runs_below(const struct par_geometry *geo, unsigned int set, u32 slot, u32 *first,
			 u32 *last)
{
	u32 chunk = geo->chunk_sectors;
	u32 stripe = chunk * (geo->set[set].members - geo->parities);
	u64 images = (u64)geo->band[set].imaged << geo->run_shift, from = slot * images;
	u64 end = DIV64_U64_ROUND_UP(from + images, stripe) * chunk;

	*first = par_slot_run(geo, par_set_offset(geo, set, div_u64(from, stripe) * chunk));
	*last = par_slot_run(geo, par_set_offset(geo, set, end - 1));
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_runs_below);

/* ---- tracts ---- */

/* Sectors of the region of @set that lie in tracts. */
static u64 in_tracts(const struct par_geometry *geo, unsigned int set)
{
	return set == 1 ? geo->low_in_tracts : geo->set[set].sectors;
}

/* Chunks of gear region @set that lie in front of tract @tract. */
static u64 chunks_before(const struct par_geometry *geo, unsigned int set, u64 tract)
{
	u64 chunks = div_u64(in_tracts(geo, set), geo->chunk_sectors);

	return mul_u64_u64_div_u64(chunks, tract, geo->tracts);
}

static u64 tract_of(const struct par_geometry *geo, unsigned int set, u64 sector)
{
	u64 chunk, chunks, tract;

	if (set == geo->gears)
		return div_u64(sector, geo->tract_sectors);
	chunk = div_u64(sector, geo->chunk_sectors);
	chunks = div_u64(in_tracts(geo, set), geo->chunk_sectors);
	tract = mul_u64_u64_div_u64(chunk + 1, geo->tracts, chunks);
	return chunks_before(geo, set, tract) > chunk ? tract - 1 : tract;
}

/* Sectors of the regions of sets @from … gears - 1 in front of tract @tract. */
static u64 gears_before(const struct par_geometry *geo, unsigned int from, u64 tract)
{
	u64 chunks = 0;

	for (; from < geo->gears; from++)
		chunks += chunks_before(geo, from, tract);
	return chunks * geo->chunk_sectors;
}

/* Sectors of the home region in front of tract @tract. */
static u64 home_before(const struct par_geometry *geo, u64 tract)
{
	return min(tract * geo->tract_sectors, geo->set[geo->gears].sectors);
}

u64 par_slot_sector(const struct par_geometry *geo, unsigned int set, u64 sector)
{
	u64 tract, at;

	if (sector >= in_tracts(geo, set))
		return geo->set[set].start + sector;
	tract = tract_of(geo, set, sector);
	at = geo->meta_sectors + gears_before(geo, 1, tract);
	if (set == geo->gears)
		return at + sector;
	/* Behind the parts that the home region and the gear regions above have in the tract. */
	return at + home_before(geo, tract + 1) +
	       gears_before(geo, set + 1, tract + 1) - gears_before(geo, set + 1, tract) +
	       sector - chunks_before(geo, set, tract) * geo->chunk_sectors;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_sector);

u64 par_slot_contiguous(const struct par_geometry *geo, unsigned int set, u64 sector)
{
	u64 next;

	if (sector >= in_tracts(geo, set))
		return geo->set[set].sectors - sector;
	next = tract_of(geo, set, sector) + 1;
	if (set == geo->gears)
		return home_before(geo, next) - sector;
	return chunks_before(geo, set, next) * geo->chunk_sectors - sector;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_contiguous);

u64 par_slot_near(const struct par_geometry *geo, unsigned int set, u64 run)
{
	unsigned int above = geo->gears;
	u64 x = run << geo->run_shift, slots;

	/* Find the region of the run: regions lie one behind the other, the home region first. */
	while (above > set + 1 && x >= geo->set[above].sectors)
		x -= geo->set[above--].sectors;
	slots = mul_u64_u64_div_u64(geo->band[set].slots, in_tracts(geo, set),
				    geo->set[set].sectors);
	return mul_u64_u64_div_u64(slots, tract_of(geo, above, x), geo->tracts);
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_near);

u64 par_slot_block_sector(const struct par_geometry *geo, u32 block, unsigned int side)
{
	return par_map_sector(geo, geo->map_blocks + block, side);
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_block_sector);

unsigned int par_slot_block_band(const struct par_geometry *geo, u32 block, u32 *index)
{
	unsigned int set = geo->gears - 1;

	while (set > 1 && block - geo->band[set].block_base >= geo->band[set].blocks)
		set--;
	*index = block - geo->band[set].block_base;
	return set;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_block_band);

const char *par_slot_strerror(enum par_slot_error err, enum par_geo_error why)
{
	static const char * const text[] = {
		[PAR_SLOT_SHARE] = "the share of images must be from 1 to 100 percent",
		[PAR_SLOT_RUN] = "the runs or tracts of images have an impossible size",
		[PAR_SLOT_SMALLER] = "the members that never sleep are smaller than the others",
	};

	return err == PAR_SLOT_GEOMETRY || err == PAR_SLOT_OK ? par_geo_strerror(why) : text[err];
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_strerror);
