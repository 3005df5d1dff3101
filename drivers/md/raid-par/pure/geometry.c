// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of the members' data areas. See geometry.h for the contract.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/geometry.h"

static const struct {
	unsigned int level, parities, least_gear;
} par_children[] = {
	{ 5, 1, 2 },
	{ 6, 2, 4 },
	{ 0, 0, 2 },
};

static const struct {
	int err;
	const char *text;
} par_geo_errors[] = {
	[PAR_GEO_OK] = { 0, "the layout is possible" },
	[PAR_GEO_BAD_CHILD] = { -EPROTO,
		"unknown RAID level: bits 28-31 must be 0 (RAID-5), 1 (RAID-6) or 2 (RAID-0)" },
	[PAR_GEO_ONE_GEAR] = { -EINVAL,
		"a par array needs at least two gears, such as 3,5" },
	[PAR_GEO_UNSET] = { -EBADR,
		"the layout 0xfffe means unset to mdadm; leave one gear out" },
	[PAR_GEO_NOT_TOP] = { -EDOM,
		"the largest gear must be the number of raid devices, at most 28" },
	[PAR_GEO_LOW_GEAR] = { -ERANGE,
		"the lowest gear is too small: RAID-5 and RAID-0 need 2 members, RAID-6 needs 4" },
	[PAR_GEO_BAD_CHUNK] = { -ECHRNG,
		"the chunk must be a power of two, from 64K to 16M" },
	[PAR_GEO_TOO_SMALL] = { -ENOSPC,
		"the members are too small for this layout and chunk" },
};

const char *par_geo_strerror(enum par_geo_error err)
{
	return par_geo_errors[err].text;
}
EXPORT_SYMBOL_IF_KUNIT(par_geo_strerror);

int par_geo_errno(enum par_geo_error err)
{
	return par_geo_errors[err].err;
}
EXPORT_SYMBOL_IF_KUNIT(par_geo_errno);

static u64 round_up_to(u64 value, u32 unit)
{
	return DIV64_U64_ROUND_UP(value, unit) * unit;
}

/* The gears from the layout's bits, lowest first. */
static enum par_geo_error decode_layout(struct par_geometry *geo)
{
	unsigned int child = geo->layout >> PAR_LAYOUT_CHILD_SHIFT;
	u32 mask = geo->layout & PAR_LAYOUT_MEMBERS;
	unsigned int n;

	if (child >= ARRAY_SIZE(par_children))
		return PAR_GEO_BAD_CHILD;
	if (geo->layout == PAR_LAYOUT_UNSET)
		return PAR_GEO_UNSET;
	if (hweight32(mask) < 2)
		return PAR_GEO_ONE_GEAR;
	if (fls(mask) != geo->members)
		return PAR_GEO_NOT_TOP;
	if (ffs(mask) < par_children[child].least_gear)
		return PAR_GEO_LOW_GEAR;

	geo->child_level = par_children[child].level;
	geo->parities = par_children[child].parities;
	geo->gears = 0;
	for (n = 1; n <= geo->members; n++)
		if (mask & (1U << (n - 1)))
			geo->set[++geo->gears].members = n;
	return PAR_GEO_OK;
}

/*
 * Compute all regions for a home region of @home sectors; returns C_1, the length that the
 * lowest members then need after their metadata. R_i = C_{i+1} (g_{i+1} - g_i) / (g_i - p),
 * rounded up to whole chunks.
 */
static u64 lay_out(struct par_geometry *geo, u64 home)
{
	struct par_set_geometry *set = geo->set;
	unsigned int i = geo->gears;
	u64 used = home;

	set[i].start = 0;
	set[i].sectors = home;
	while (--i) {
		u64 images = used * (set[i + 1].members - set[i].members);
		u64 each = DIV64_U64_ROUND_UP(images,
					      set[i].members - geo->parities);

		set[i].start = used;
		set[i].sectors = round_up_to(each, geo->chunk_sectors);
		used += set[i].sectors;
	}
	return used;
}

/* Find the largest whole-chunk home region that fits, and all regions with it. */
static bool fit_regions(struct par_geometry *geo, u64 usable)
{
	u32 chunk = geo->chunk_sectors;
	u64 chunks = div_u64(usable, chunk);
	u64 home = div_u64(chunks * (geo->set[1].members - geo->parities),
			   geo->members - geo->parities) * chunk;

	while (home && lay_out(geo, home) > usable)
		home -= chunk;
	return home != 0;
}

void par_geometry_count(struct par_geometry *geo)
{
	unsigned int i;

	geo->zones = 0;
	geo->map_blocks = 0;
	for (i = geo->gears; i >= 1; i--) {
		struct par_set_geometry *set = &geo->set[i];

		set->rows = set->sectors >> geo->seg_shift;
		set->width = i == 1 ? 1 : 2 * par_sleepers(geo, i);
		set->zones = DIV_ROUND_UP_ULL(set->rows, PAR_ZONE_ROWS);
		set->zone_base = geo->zones;
		set->block_zones = PAR_BLOCK_ROW_BITS / set->width;
		set->blocks = DIV_ROUND_UP(set->zones, set->block_zones);
		set->block_base = geo->map_blocks;
		geo->zones += set->zones;
		geo->map_blocks += set->blocks;
	}
	geo->intent_blocks = DIV_ROUND_UP(geo->zones, PAR_BLOCK_PAYLOAD);
}
EXPORT_SYMBOL_IF_KUNIT(par_geometry_count);

static u64 map_bits(const struct par_geometry *geo)
{
	u64 bits = 0;
	unsigned int i;

	for (i = 1; i <= geo->gears; i++)
		bits += geo->set[i].rows * geo->set[i].width;
	return bits;
}

void par_geometry_segment(struct par_geometry *geo)
{
	geo->seg_sectors = PAR_SEG_MIN;
	for (;;) {
		geo->seg_shift = ilog2(geo->seg_sectors);
		par_geometry_count(geo);
		if (geo->seg_sectors >= geo->chunk_sectors ||
		    geo->seg_sectors >= PAR_SEG_MAX ||
		    map_bits(geo) <= PAR_MAP_BITS_GOAL)
			return;
		geo->seg_sectors *= 2;
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_geometry_segment);

enum par_geo_error par_geometry_begin(struct par_geometry *geo, u32 layout,
				      unsigned int raid_disks, u32 chunk_sectors)
{
	enum par_geo_error err;

	memset(geo, 0, sizeof(*geo));
	geo->layout = layout;
	geo->members = raid_disks;
	geo->chunk_sectors = chunk_sectors;
	geo->share = PAR_SHARE_ALL;
	err = decode_layout(geo);
	if (err)
		return err;
	if (chunk_sectors < PAR_SEG_MIN || chunk_sectors > PAR_CHUNK_MAX ||
	    !is_power_of_2(chunk_sectors))
		return PAR_GEO_BAD_CHUNK;
	return PAR_GEO_OK;
}
EXPORT_SYMBOL_IF_KUNIT(par_geometry_begin);

enum par_geo_error par_geometry_with_log(struct par_geometry *geo, u32 layout,
					 unsigned int raid_disks, u32 chunk_sectors,
					 u64 dev_sectors, u64 log_sectors)
{
	enum par_geo_error err;
	unsigned int i;

	err = par_geometry_begin(geo, layout, raid_disks, chunk_sectors);
	if (err)
		return err;
	geo->dev_sectors = dev_sectors & ~((u64)chunk_sectors - 1);

	/* Without metadata: this is an upper bound for the map's size. */
	if (!fit_regions(geo, geo->dev_sectors))
		return PAR_GEO_TOO_SMALL;
	par_geometry_segment(geo);
	geo->meta_sectors = round_up_to(PAR_SB_SECTORS +
		(u64)PAR_BLOCK_PAIR * (geo->intent_blocks + geo->map_blocks),
		chunk_sectors);
	if (log_sectors > geo->dev_sectors)
		return PAR_GEO_TOO_SMALL;
	geo->log_sectors = round_up_to(log_sectors, chunk_sectors);
	geo->meta_sectors += geo->log_sectors;
	if (geo->meta_sectors >= geo->dev_sectors ||
	    !fit_regions(geo, geo->dev_sectors - geo->meta_sectors))
		return PAR_GEO_TOO_SMALL;
	par_geometry_count(geo);
	for (i = 1; i <= geo->gears; i++)
		geo->set[i].start += geo->meta_sectors;
	geo->array_sectors = geo->set[geo->gears].sectors *
			     (geo->members - geo->parities);
	return PAR_GEO_OK;
}
EXPORT_SYMBOL_IF_KUNIT(par_geometry_with_log);

enum par_geo_error par_geometry_init(struct par_geometry *geo, u32 layout,
				     unsigned int raid_disks, u32 chunk_sectors,
				     u64 dev_sectors)
{
	return par_geometry_with_log(geo, layout, raid_disks, chunk_sectors, dev_sectors, 0);
}
EXPORT_SYMBOL_IF_KUNIT(par_geometry_init);

unsigned int par_zone_set(const struct par_geometry *geo, u32 zone)
{
	unsigned int i = geo->gears;

	while (zone - geo->set[i].zone_base >= geo->set[i].zones)
		i--;
	return i;
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_set);

u32 par_zone_block(const struct par_geometry *geo, u32 zone)
{
	const struct par_set_geometry *sg = &geo->set[par_zone_set(geo, zone)];
	unsigned int index;

	return par_map_block(sg, zone - sg->zone_base, &index);
}
EXPORT_SYMBOL_IF_KUNIT(par_zone_block);

unsigned int par_image_set(const struct par_geometry *geo, unsigned int d)
{
	unsigned int i = geo->gears - 1;

	while (geo->set[i].members > d)
		i--;
	return i;
}
EXPORT_SYMBOL_IF_KUNIT(par_image_set);

u64 par_image_sector(const struct par_geometry *geo, unsigned int d, u64 x)
{
	unsigned int set = par_image_set(geo, d);
	unsigned int low = geo->set[set].members;
	unsigned int imaged = geo->set[set + 1].members - low;
	u64 seg = x >> geo->seg_shift;

	return ((seg * imaged + (d - low)) << geo->seg_shift) +
	       (x & (geo->seg_sectors - 1));
}
EXPORT_SYMBOL_IF_KUNIT(par_image_sector);

unsigned int par_image_owner(const struct par_geometry *geo, unsigned int set,
			     u64 sector, u64 *x)
{
	unsigned int low = geo->set[set].members;
	unsigned int imaged = geo->set[set + 1].members - low;
	u32 which;
	u64 seg = div_u64_rem(sector >> geo->seg_shift, imaged, &which);

	*x = (seg << geo->seg_shift) + (sector & (geo->seg_sectors - 1));
	return low + which;
}
EXPORT_SYMBOL_IF_KUNIT(par_image_owner);
