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

static u64 whole_chunks(const struct par_slot_place *place, u64 sectors)
{
	return sectors & ~((u64)place->geo.chunk_sectors - 1);
}

/* ---- sizes ---- */

/* The gear region that has @slots slots of band @i, or images of all @used sectors. */
static u64 region_for(const struct par_slot_place *place, unsigned int i, u64 slots, u64 used)
{
	const struct par_set_geometry *set = place->geo.set;
	u64 each = place->share == PAR_SHARE_ALL ? used : slots << place->run_shift;

	return rounded_up(DIV64_U64_ROUND_UP(each * place->band[i].imaged,
					     set[i].members - place->geo.parities),
			  place->geo.chunk_sectors);
}

/* All regions for a home region of @home sectors; returns C_2, what a sleeper then needs. */
static u64 lay_share_out(struct par_slot_place *place, u64 home)
{
	struct par_set_geometry *set = place->geo.set;
	unsigned int i = place->geo.gears;
	u64 used = home, above = home;

	set[i].start = 0;
	set[i].sectors = home;
	while (--i) {
		struct par_slot_band *band = &place->band[i];

		band->runs = DIV64_U64_ROUND_UP(used, place->run_sectors);
		band->slots = DIV64_U64_ROUND_UP(band->runs * place->share, PAR_SHARE_ALL);
		set[i].start = used;
		set[i].sectors = region_for(place, i, band->slots, used);
		above = used;
		used += set[i].sectors;
	}
	return above;
}

/* What members that never sleep have more is the lowest gear region's. */
static void grow_lowest(struct par_slot_place *place, u64 room)
{
	struct par_set_geometry *low = &place->geo.set[1];
	struct par_slot_band *band = &place->band[1];
	u64 slots, most = whole_chunks(place, room);

	slots = div64_u64(most * (low->members - place->geo.parities),
			  (u64)band->imaged << place->run_shift);
	slots = min(slots, band->runs);
	if (place->share == PAR_SHARE_ALL || slots <= band->slots)
		return;
	band->slots = slots;
	low->sectors = region_for(place, 1, slots, 0);
}

/* The largest home region that fits behind @front sectors, and all regions with it. */
static bool fit_share(struct par_slot_place *place, u64 front)
{
	u32 chunk = place->geo.chunk_sectors;
	u64 low = 0, high, middle, above;

	if (front >= place->sleeper)
		return false;
	high = div_u64(place->sleeper - front, chunk);
	while (low < high) {
		middle = high - (high - low) / 2;
		above = lay_share_out(place, middle * chunk);
		if (above <= place->sleeper - front &&
		    above + place->geo.set[1].sectors <= place->steady - front)
			low = middle;
		else
			high = middle - 1;
	}
	above = lay_share_out(place, low * chunk);
	grow_lowest(place, place->steady - front - above);
	return low;
}

u64 par_slot_memory(const struct par_slot_place *place)
{
	unsigned int i;
	u64 bytes = 0;

	if (place->share == PAR_SHARE_ALL)
		return 0;
	for (i = 1; i < place->geo.gears; i++)
		bytes += PAR_RUN_BYTES * place->band[i].runs +
			 PAR_SLOT_BYTES * place->band[i].slots;
	return bytes;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_memory);

static void count_slot_blocks(struct par_slot_place *place)
{
	unsigned int i;

	place->slot_blocks = 0;
	for (i = place->geo.gears - 1; i; i--) {
		struct par_slot_band *band = &place->band[i];

		band->block_base = place->slot_blocks;
		band->blocks = place->share == PAR_SHARE_ALL ? 0 :
			       DIV_ROUND_UP_ULL(band->slots, PAR_SLOTS_A_BLOCK);
		place->slot_blocks += band->blocks;
	}
}

/* What lies in front of the regions: metadata and log. */
static u64 front_of(struct par_slot_place *place)
{
	struct par_geometry *geo = &place->geo;

	par_geometry_count(geo);
	count_slot_blocks(place);
	return place->log + rounded_up(PAR_SB_SECTORS + (u64)PAR_BLOCK_PAIR *
				       (geo->intent_blocks + geo->map_blocks + place->slot_blocks),
				       geo->chunk_sectors);
}

static void set_run(struct par_slot_place *place, u32 run)
{
	place->run_sectors = run;
	place->run_shift = ilog2(run);
}

/*
 * As if there were no metadata: upper bounds for the maps. The run is chosen before the
 * segment, which is never larger than the least run's double.
 */
static bool choose_sizes(struct par_slot_place *place, u32 run)
{
	set_run(place, run ?: PAR_RUN_MIN);
	if (!fit_share(place, place->log))
		return false;
	while (!run && par_slot_memory(place) > PAR_SLOT_MEMORY) {
		set_run(place, 2 * place->run_sectors);
		fit_share(place, place->log);
	}
	par_geometry_segment(&place->geo);
	if (!run && place->run_sectors < place->geo.seg_sectors) {
		set_run(place, place->geo.seg_sectors);
		fit_share(place, place->log);
	}
	return true;
}

/* More slots than are counted for can come of a smaller home region: count once more then. */
static bool fit_behind_metadata(struct par_slot_place *place)
{
	u64 need, front = front_of(place);

	for (;;) {
		if (!fit_share(place, front))
			return false;
		need = front_of(place);
		if (need <= front)
			break;
		front = need;
	}
	place->geo.meta_sectors = front;
	return true;
}

static void finish_place(struct par_slot_place *place)
{
	struct par_geometry *geo = &place->geo;
	unsigned int i;

	for (i = 1; i <= geo->gears; i++)
		geo->set[i].start += geo->meta_sectors;
	geo->array_sectors = geo->set[geo->gears].sectors * (geo->members - geo->parities);
	place->tracts = DIV64_U64_ROUND_UP(geo->set[geo->gears].sectors, place->tract_sectors);
}

static bool sizes_possible(const struct par_slot_ask *ask)
{
	return (!ask->run || (is_power_of_2(ask->run) && ask->run >= PAR_SEG_MIN)) &&
	       (!ask->tract || (is_power_of_2(ask->tract) && ask->tract >= ask->chunk));
}

enum par_slot_error par_slot_place_init(struct par_slot_place *place,
					const struct par_slot_ask *ask, enum par_geo_error *why)
{
	unsigned int i;

	memset(place, 0, sizeof(*place));
	*why = par_geometry_begin(&place->geo, ask->layout, ask->disks, ask->chunk);
	if (*why)
		return PAR_SLOT_GEOMETRY;
	if (!ask->share || ask->share > PAR_SHARE_ALL)
		return PAR_SLOT_SHARE;
	if (!sizes_possible(ask))
		return PAR_SLOT_RUN;
	if (ask->steady < ask->sleeper)
		return PAR_SLOT_SMALLER;
	place->share = ask->share;
	place->steady = whole_chunks(place, ask->steady);
	place->sleeper = whole_chunks(place, ask->sleeper);
	place->log = rounded_up(ask->log, ask->chunk);
	place->geo.dev_sectors = place->sleeper;
	place->tract_sectors = ask->tract ?: PAR_TRACT;
	for (i = 1; i < place->geo.gears; i++)
		place->band[i].imaged = place->geo.set[i + 1].members - place->geo.set[i].members;
	if (!choose_sizes(place, ask->run) || !fit_behind_metadata(place)) {
		*why = PAR_GEO_TOO_SMALL;
		return PAR_SLOT_GEOMETRY;
	}
	if (place->run_sectors < place->geo.seg_sectors)
		return PAR_SLOT_RUN;
	finish_place(place);
	return PAR_SLOT_OK;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_place_init);

/* ---- images ---- */

u64 par_slot_image(const struct par_slot_place *place, unsigned int d, u64 slot, u64 x)
{
	const struct par_geometry *geo = &place->geo;
	unsigned int set = par_image_set(geo, d);
	unsigned int imaged = place->band[set].imaged;
	u64 seg = (x & (place->run_sectors - 1)) >> geo->seg_shift;

	return ((slot * imaged) << place->run_shift) +
	       ((seg * imaged + (d - geo->set[set].members)) << geo->seg_shift) +
	       (x & (geo->seg_sectors - 1));
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_image);

unsigned int par_slot_owner(const struct par_slot_place *place, unsigned int set, u64 sector,
			    u64 *slot, u32 *in_run)
{
	const struct par_geometry *geo = &place->geo;
	unsigned int imaged = place->band[set].imaged;
	u32 which, in_slot;
	u64 seg;

	*slot = div_u64_rem(sector >> place->run_shift, imaged, &in_slot);
	seg = div_u64_rem((((u64)in_slot << place->run_shift) +
			   (sector & (place->run_sectors - 1))) >> geo->seg_shift, imaged, &which);
	*in_run = (seg << geo->seg_shift) + (sector & (geo->seg_sectors - 1));
	return geo->set[set].members + which;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_owner);

/* ---- tracts ---- */

/* Chunks of gear region @set that lie in front of tract @tract. */
static u64 chunks_before(const struct par_slot_place *place, unsigned int set, u64 tract)
{
	u64 chunks = div_u64(place->geo.set[set].sectors, place->geo.chunk_sectors);

	return mul_u64_u64_div_u64(chunks, tract, place->tracts);
}

static u64 tract_of(const struct par_slot_place *place, unsigned int set, u64 sector)
{
	u64 chunk, chunks, tract;

	if (set == place->geo.gears)
		return div_u64(sector, place->tract_sectors);
	chunk = div_u64(sector, place->geo.chunk_sectors);
	chunks = div_u64(place->geo.set[set].sectors, place->geo.chunk_sectors);
	tract = mul_u64_u64_div_u64(chunk + 1, place->tracts, chunks);
	return chunks_before(place, set, tract) > chunk ? tract - 1 : tract;
}

/* Sectors of the regions of sets @from … gears - 1 in front of tract @tract. */
static u64 gears_before(const struct par_slot_place *place, unsigned int from, u64 tract)
{
	u64 chunks = 0;

	for (; from < place->geo.gears; from++)
		chunks += chunks_before(place, from, tract);
	return chunks * place->geo.chunk_sectors;
}

/* Sectors of the home region in front of tract @tract. */
static u64 home_before(const struct par_slot_place *place, u64 tract)
{
	return min(tract * place->tract_sectors, place->geo.set[place->geo.gears].sectors);
}

u64 par_slot_sector(const struct par_slot_place *place, unsigned int d, unsigned int set,
		    u64 sector)
{
	const struct par_geometry *geo = &place->geo;
	u64 tract = tract_of(place, set, sector), at;
	unsigned int lowest = 1;

	while (geo->set[lowest].members <= d)
		lowest++;
	at = geo->meta_sectors + gears_before(place, lowest, tract);
	if (set == geo->gears)
		return at + sector;
	/* Behind the tract's part of the home region, and those of the gear regions above. */
	return at + home_before(place, tract + 1) +
	       gears_before(place, set + 1, tract + 1) - gears_before(place, set + 1, tract) +
	       sector - chunks_before(place, set, tract) * geo->chunk_sectors;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_sector);

u64 par_slot_contiguous(const struct par_slot_place *place, unsigned int set, u64 sector)
{
	u64 next = tract_of(place, set, sector) + 1;

	if (set == place->geo.gears)
		return home_before(place, next) - sector;
	return chunks_before(place, set, next) * place->geo.chunk_sectors - sector;
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_contiguous);

u64 par_slot_near(const struct par_slot_place *place, unsigned int set, u64 run)
{
	unsigned int above = place->geo.gears;
	u64 x = run << place->run_shift;

	/* Which region it is of: they lie one behind the other, the home region first. */
	while (above > set + 1 && x >= place->geo.set[above].sectors)
		x -= place->geo.set[above--].sectors;
	return mul_u64_u64_div_u64(place->band[set].slots, tract_of(place, above, x),
				   place->tracts);
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_near);

u64 par_slot_block_sector(const struct par_slot_place *place, u32 block, unsigned int side)
{
	return par_map_sector(&place->geo, place->geo.map_blocks + block, side);
}
EXPORT_SYMBOL_IF_KUNIT(par_slot_block_sector);
