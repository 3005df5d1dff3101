/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layout of the members' data areas: pure arithmetic, no state, no locks, no I/O.
 *
 * Every function here may be called in any context and has no side effects. All lengths and
 * addresses are in 512-byte sectors unless a name says otherwise. The formulas are those of
 * the design document, section "Geometry"; KUnit compares them with a brute-force layout.
 */
#ifndef RAID_PAR_GEOMETRY_H
#define RAID_PAR_GEOMETRY_H

#include <linux/bits.h>
#include <linux/types.h>

#define PAR_LEVEL		80
#define PAR_MAX_MEMBERS		28
/* Sets are numbered by gear: 1 is the lowest gear set, nr_gears the home set. */
#define PAR_MAX_SETS		(PAR_MAX_MEMBERS - 1)

#define PAR_LAYOUT_MEMBERS	((1U << PAR_MAX_MEMBERS) - 1)
#define PAR_LAYOUT_CHILD_SHIFT	28
/* mdadm's UnSet, which no layout may therefore be */
#define PAR_LAYOUT_UNSET	0xfffeU

#define PAR_SEG_MIN		128U	/* 64 KiB: the default segment, the smallest chunk */
#define PAR_SEG_MAX		4096U	/* 2 MiB: the maximum that propagation can hold at once */
#define PAR_CHUNK_MAX		32768U	/* 16 MiB: the maximum for the discard of one stripe */
#define PAR_MAP_BITS_GOAL	BIT_ULL(28)	/* 32 MiB of map: larger segments above it */

/* The metadata area of a member, in order (see format.h for the contents). */
#define PAR_SB_SECTORS		128U	/* superblock slots, with room to grow */
#define PAR_BLOCK_SECTORS	8U	/* a metadata block: 4 KiB */
#define PAR_BLOCK_PAIR		(2 * PAR_BLOCK_SECTORS)	/* slot A and slot B */
#define PAR_BLOCK_PAYLOAD	3840U	/* bytes of a block that hold data */

/* A zone is this many rows of one set; one intent byte each. */
#define PAR_ZONE_ROWS		512U
#define PAR_ZONE_SHIFT		9
/* The bits that one row of every zone of a map block may use in total. */
#define PAR_BLOCK_ROW_BITS	(PAR_BLOCK_PAYLOAD * 8 / PAR_ZONE_ROWS)

/* Why a layout is impossible. PAR_GEO_OK is 0. */
enum par_geo_error {
	PAR_GEO_OK,
	PAR_GEO_BAD_CHILD,
	PAR_GEO_ONE_GEAR,
	PAR_GEO_UNSET,
	PAR_GEO_NOT_TOP,
	PAR_GEO_LOW_GEAR,
	PAR_GEO_BAD_CHUNK,
	PAR_GEO_TOO_SMALL,
};

/**
 * struct par_set_geometry - one set's share of the members
 * @members: the number of members that take part (always 0 … members-1)
 * @start: the start of its region, from the start of a member's data area
 * @sectors: the length of its region on each member
 * @rows: its rows, each one segment long on every member
 * @width: bits of the map per row: two per sleeper, or one without sleepers
 * @zones: zones of its rows; @zone_base: number of its first zone
 * @block_zones: zones in one map block
 * @blocks: map blocks of the set; @block_base: number of its first block
 */
struct par_set_geometry {
	unsigned int members;
	u64 start;
	u64 sectors;
	u64 rows;
	unsigned int width;
	u32 zones, zone_base;
	unsigned int block_zones;
	u32 blocks, block_base;
};

#define PAR_SHARE_ALL		100U	/* images of everything: no slots */

/**
 * struct par_band - band i: what gear set i has images of, in an array with slots
 * @imaged: sleepers of the band; @runs: of each of them; @slots: of the gear region
 * @block_base, @blocks: of the stored slot map
 */
struct par_band {
	unsigned int imaged;
	u64 runs, slots;
	u32 block_base, blocks;
};

/**
 * struct par_geometry - a whole array's layout
 * @child_level: 5, 6 or 0; @parities: 1, 2 or 0
 * @members: N; @gears: number of gears, which is also the number of sets
 * @set: by gear, 1 … gears; set[0] is not used
 * @meta_sectors: M, with the log's area at its end; @log_sectors: that area, or 0
 * @array_sectors: the array's capacity
 * @zones, @map_blocks, @intent_blocks: totals over all sets
 * @share: percent of the array that can have images. Below PAR_SHARE_ALL, see slot-place.h:
 * @run_sectors, @run_shift: a run on each sleeper; @tract_sectors: a tract of the home region
 * @steady: usable sectors of each member that never sleeps; the others have dev_sectors
 * @low_in_tracts: sectors of the lowest gear region that lie in tracts; the others, for which only
 * members that never sleep have room, lie behind the last tract
 * @tracts: how many; @slot_blocks: of the stored slot maps, behind the map blocks
 * @band: by gear, 1 … gears - 1
 */
struct par_geometry {
	u32 layout;
	unsigned int child_level, parities;
	unsigned int members, gears;
	u32 chunk_sectors, seg_sectors;
	unsigned int seg_shift;
	u64 dev_sectors, meta_sectors, log_sectors, array_sectors;
	u32 zones, map_blocks, intent_blocks;
	struct par_set_geometry set[PAR_MAX_SETS + 1];
	unsigned int share;
	u32 run_sectors, tract_sectors;
	unsigned int run_shift;
	u64 steady, low_in_tracts, tracts;
	u32 slot_blocks;
	struct par_band band[PAR_MAX_SETS + 1];
};

/* par_has_slots - does the array have images of a share only? */
static inline bool par_has_slots(const struct par_geometry *geo)
{
	return geo->share != PAR_SHARE_ALL;
}

/**
 * par_geometry_init - derive everything from what md's superblock stores
 * @geo: filled in; its content is undefined after an error
 * @layout: md's layout word; @raid_disks: N, which the top gear must equal
 * @chunk_sectors: power of two, from PAR_SEG_MIN to PAR_CHUNK_MAX
 * @dev_sectors: usable length of each member's data area
 */
enum par_geo_error par_geometry_init(struct par_geometry *geo, u32 layout,
				     unsigned int raid_disks, u32 chunk_sectors,
				     u64 dev_sectors);

/* par_geometry_with_log - the same, with @log_sectors of each member, rounded up, for a log */
enum par_geo_error par_geometry_with_log(struct par_geometry *geo, u32 layout,
					 unsigned int raid_disks, u32 chunk_sectors,
					 u64 dev_sectors, u64 log_sectors);

/*
 * par_geometry_begin - the gears and the level alone, everything else zero
 * par_geometry_segment - the segment size for the sizes of the regions: larger on huge members,
 *	so that the map stays small; and what par_geometry_count() does
 * par_geometry_count - rows, zones and map blocks of all sets for the current segment size
 */
enum par_geo_error par_geometry_begin(struct par_geometry *geo, u32 layout,
				      unsigned int raid_disks, u32 chunk_sectors);
void par_geometry_segment(struct par_geometry *geo);
void par_geometry_count(struct par_geometry *geo);

/* par_geo_strerror - the error and its remedy, in one line */
const char *par_geo_strerror(enum par_geo_error err);

/* par_geo_errno - the distinct errno (negative) of each error */
int par_geo_errno(enum par_geo_error err);

/* par_is_sleeper - can this member sleep at all? */
static inline bool par_is_sleeper(const struct par_geometry *geo, unsigned int d)
{
	return d >= geo->set[1].members;
}

/* par_awake_in - is member @d awake in gear @gear? */
static inline bool par_awake_in(const struct par_geometry *geo, unsigned int gear,
				unsigned int d)
{
	return d < geo->set[gear].members;
}

/* par_sleepers - the number of a set's members that can sleep */
static inline unsigned int par_sleepers(const struct par_geometry *geo,
					unsigned int set)
{
	return geo->set[set].members - geo->set[1].members;
}

/* par_image_set - the gear set that holds the image of sleeper @d */
unsigned int par_image_set(const struct par_geometry *geo, unsigned int d);

/*
 * par_image_sector - the sector in gear set par_image_set(@d) that images sector @x of
 * sleeper @d. @x counts from the end of the member's metadata.
 */
u64 par_image_sector(const struct par_geometry *geo, unsigned int d, u64 x);

/*
 * par_image_owner - the inverse: the sleeper that has a sector imaged at @sector of gear
 * set @set; sets @x to that sector. Beyond the last image, @x is past the end of the
 * sleeper's regions.
 */
unsigned int par_image_owner(const struct par_geometry *geo, unsigned int set,
			     u64 sector, u64 *x);

/* par_set_offset - a sector of a set's region, counted from the metadata's end */
static inline u64 par_set_offset(const struct par_geometry *geo,
				 unsigned int set, u64 sector)
{
	return geo->set[set].start - geo->meta_sectors + sector;
}

/* par_map_block - the map block of a zone of a set, and the zone's offset in it */
static inline u32 par_map_block(const struct par_set_geometry *sg, u32 zone,
				unsigned int *index)
{
	*index = zone % sg->block_zones;
	return sg->block_base + zone / sg->block_zones;
}

/* par_zone_set - the set that zone @zone of the array belongs to */
unsigned int par_zone_set(const struct par_geometry *geo, u32 zone);

/* par_zone_block - the map block of zone @zone of the array */
u32 par_zone_block(const struct par_geometry *geo, u32 zone);

/* Sector of slot @slot of an intent block or a map block in the metadata. */
/* The slots of the list of lost blocks are right behind the superblock's. */
static inline u64 par_lost_sector(unsigned int slot)
{
	return PAR_BLOCK_PAIR + slot * PAR_BLOCK_SECTORS;
}

static inline u64 par_intent_sector(u32 block, unsigned int slot)
{
	return PAR_SB_SECTORS + (u64)block * PAR_BLOCK_PAIR +
	       slot * PAR_BLOCK_SECTORS;
}

static inline u64 par_map_sector(const struct par_geometry *geo, u32 block,
				 unsigned int slot)
{
	return PAR_SB_SECTORS + (u64)geo->intent_blocks * PAR_BLOCK_PAIR +
	       (u64)block * PAR_BLOCK_PAIR + slot * PAR_BLOCK_SECTORS;
}

#endif
