// SPDX-License-Identifier: GPL-2.0
/*
 * The map in memory: which rows are written, and which copy of a sleeper's
 * segment is valid. See map.h for each function's contract.
 *
 * A block's payload is allocated when the first of its rows is started and
 * stays; NULL means that all of its rows are unwritten, so an empty array of
 * any size costs one pointer a block.
 *
 * Rows take sg->width bits each: two a sleeper, lowest member in the lowest
 * bits (no field straddles a byte), or one bit where the set has no sleeper.
 * Zones begin at byte boundaries, so that each zone lock owns its bytes.
 */
#include <linux/slab.h>

#include "core/slots.h"

int par_map_alloc(struct par_conf *conf)
{
	unsigned int i;

	for (i = 0; i < PAR_ZONE_LOCKS; i++)
		spin_lock_init(&conf->map.zone_lock[i]);
	conf->map.block = kvcalloc(conf->geo.map_blocks, sizeof(*conf->map.block),
				   GFP_KERNEL);
	conf->map.zone = kvcalloc(conf->geo.zones, sizeof(*conf->map.zone), GFP_KERNEL);
	return conf->map.block && conf->map.zone ? 0 : -ENOMEM;
}

void par_map_free(struct par_conf *conf)
{
	u32 i;

	for (i = 0; conf->map.block && i < conf->geo.map_blocks; i++)
		kfree(conf->map.block[i].payload);
	kvfree(conf->map.block);
	kvfree(conf->map.zone);
}

static void map_write(struct par_set *set, u64 row, unsigned int bit,
		      unsigned int mask, unsigned int value)
{
	unsigned int shift;
	u8 *byte = par_map_byte(set, row, bit, &shift);

	WRITE_ONCE(*byte, (*byte & ~(mask << shift)) | value << shift);
}

bool par_map_written(struct par_set *set, u64 row)
{
	return par_map_look(set, row, 0) != PAR_SEG_UNWRITTEN;
}

enum par_seg_state par_map_get(struct par_set *set, u64 row, unsigned int d)
{
	return par_map_look(set, row, d);
}

/* The zone's counter of segments in @state, or nothing if that state is not counted. */
static void count_zone(struct par_set *set, u64 row, enum par_seg_state state, int by)
{
	struct par_zone *zone = &set->conf->map.zone[par_zone_of(set, row)];

	if (state == PAR_SEG_HOME)
		WRITE_ONCE(zone->home, zone->home + by);
	else if (state == PAR_SEG_IMAGE)
		WRITE_ONCE(zone->image, zone->image + by);
}

/* Write a state and keep the counters. */
static void put_state(struct par_set *set, u64 row, unsigned int d,
		      enum par_seg_state state)
{
	unsigned int low = set->conf->geo.set[1].members;
	enum par_seg_state old = par_map_read(set, row, 2 * (d - low), 3);

	map_write(set, row, 2 * (d - low), 3, state);
	atomic64_dec(&set->vm[d].segs[old]);
	atomic64_inc(&set->vm[d].segs[state]);
	count_zone(set, row, old, -1);
	count_zone(set, row, state, 1);
}

static struct par_zone *locked_zone(struct par_set *set, u64 row)
{
	u32 number = par_zone_of(set, row);

	lockdep_assert_held(par_zone_lock(set->conf, number));
	return &set->conf->map.zone[number];
}

void par_map_set(struct par_set *set, u64 row, unsigned int d,
		 enum par_seg_state state)
{
	par_zone_changed(locked_zone(set, row), par_map_get(set, row, d));
	put_state(set, row, d, state);
}

static void put_row(struct par_set *set, u64 row, unsigned int gear,
		    bool written)
{
	unsigned int d;

	if (set->sg->width == 1)
		map_write(set, row, 0, 1, written);
	for (d = set->conf->geo.set[1].members; d < set->sg->members; d++) {
		bool awake = written && par_awake(set->conf, gear, d);

		put_state(set, row, d, !written ? PAR_SEG_UNWRITTEN :
			par_seg_step(PAR_SEG_UNWRITTEN, awake ? PAR_EV_START :
				     PAR_EV_START_ASLEEP).next);
	}
	atomic64_add(written ? 1 : -1, &set->rows_written);
}

void par_map_start_row(struct par_set *set, u64 row, unsigned int gear)
{
	par_zone_changed(locked_zone(set, row), PAR_SEG_UNWRITTEN);
	put_row(set, row, gear, true);
}

void par_map_clear_row(struct par_set *set, u64 row)
{
	par_zone_cleared(locked_zone(set, row));
	put_row(set, row, 0, false);
}

/* The set that a zone belongs to. */
static struct par_set *zone_set(struct par_conf *conf, u32 zone)
{
	return conf->set[par_zone_set(&conf->geo, zone)];
}

void par_map_prepare(struct par_conf *conf, u32 zone)
{
	struct par_set *set = zone_set(conf, zone);
	unsigned int index;
	u32 block = par_map_block(set->sg, zone - set->sg->zone_base, &index);
	u8 *payload;

	if (conf->map.block[block].payload)
		return;
	/* Writes wait for this allocation, and freeing memory may depend on these writes. */
	payload = kzalloc(PAR_BLOCK_PAYLOAD,
			  GFP_NOIO | __GFP_NOFAIL | __GFP_MEMALLOC);
	/* Only the store worker and the loader call this function: no race. */
	smp_store_release(&conf->map.block[block].payload, payload);
}

enum par_seg_state par_map_locked_state(struct par_set *set, u64 row,
					unsigned int d)
{
	spinlock_t *lock = par_zone_lock(set->conf, par_zone_of(set, row));
	enum par_seg_state state;

	spin_lock(lock);
	state = par_map_get(set, row, d);
	spin_unlock(lock);
	return state;
}

/*
 * Skip rows from @row on that are unwritten because their block was never allocated, and
 * reschedule once per zone. Returns the next row to look at, which may be past the end.
 */
static u64 skip_empty(struct par_set *set, u64 row)
{
	unsigned int index;

	while (row < set->sg->rows) {
		u32 zone = row >> PAR_ZONE_SHIFT;
		u32 block = par_map_block(set->sg, zone, &index);

		if (set->conf->map.block[block].payload)
			break;
		row = (u64)(zone + set->sg->block_zones - index) << PAR_ZONE_SHIFT;
	}
	if (!(row & (PAR_ZONE_ROWS - 1)))
		cond_resched();
	return row;
}

/*
 * Skip zones without a segment in @state: a shift down searches the whole map for the few
 * segments that were written during its last pass.
 */
static u64 skip_without(struct par_set *set, u64 row, enum par_seg_state state)
{
	for (row = skip_empty(set, row); row < set->sg->rows; row = skip_empty(set, row)) {
		struct par_zone *zone = &set->conf->map.zone[par_zone_of(set, row)];

		if (state == PAR_SEG_HOME ? READ_ONCE(zone->home) :
		    state != PAR_SEG_IMAGE || READ_ONCE(zone->image))
			break;
		row = (row | (PAR_ZONE_ROWS - 1)) + 1;
	}
	return row;
}

u64 par_map_find(struct par_set *set, u64 row, unsigned int low,
		 unsigned int high, enum par_seg_state state)
{
	unsigned int d;

	for (row = skip_without(set, row, state); row < set->sg->rows;
	     row = skip_without(set, row + 1, state))
		for (d = low; d < high; d++)
			if (par_map_get(set, row, d) == state)
				return row;
	return set->sg->rows;
}

u64 par_map_next_written(struct par_set *set, u64 row, u64 end)
{
	for (row = skip_empty(set, row); row < end; row = skip_empty(set, row + 1))
		if (par_map_written(set, row))
			return row;
	return end;
}

/*
 * A zone had an intent when the array crashed: unwritten rows may have been started, and
 * segments stored as "both" may be newer on the side that the intent's gear wrote. All rows
 * of the zone are taken as written, but those that cannot have been started, since a member that
 * slept had no slot for their images. @earlier: these may have been started in the top gear before.
 * If slots of the last use are unknown, any row may have been started: check_images() makes images
 * without a slot "home".
 */
static void apply_intent(struct par_set *set, u32 zone, unsigned int gear, bool earlier)
{
	u64 row = (u64)(zone - set->sg->zone_base) << PAR_ZONE_SHIFT;
	u64 end = min_t(u64, row + PAR_ZONE_ROWS, set->sg->rows);
	unsigned int d;

	par_map_prepare(set->conf, zone);
	for (; row < end; row++) {
		bool could = par_map_written(set, row) || set->conf->slots->unknown ||
			     par_row_has_slots(set, row, gear);
		unsigned int in = could ? gear : set->conf->geo.gears;

		if (!could && !earlier)
			continue;
		if (set->sg->width == 1)
			map_write(set, row, 0, 1, 1);
		for (d = set->conf->geo.set[1].members; d < set->sg->members; d++) {
			unsigned int bit = 2 * (d - set->conf->geo.set[1].members);

			map_write(set, row, bit, 3,
				  par_seg_after_crash(par_map_read(set, row, bit, 3),
						      par_awake(set->conf, in, d)));
		}
	}
}

static void recount_segments(struct par_set *set)
{
	unsigned int d;
	u64 row;

	for (d = set->conf->geo.set[1].members; d < set->sg->members; d++)
		atomic64_set(&set->vm[d].segs[PAR_SEG_UNWRITTEN], set->sg->rows);
	for (row = skip_empty(set, 0); row < set->sg->rows;
	     row = skip_empty(set, row + 1)) {
		if (!par_map_written(set, row))
			continue;
		atomic64_inc(&set->rows_written);
		for (d = set->conf->geo.set[1].members; d < set->sg->members; d++) {
			atomic64_dec(&set->vm[d].segs[PAR_SEG_UNWRITTEN]);
			atomic64_inc(&set->vm[d].segs[par_map_get(set, row, d)]);
			count_zone(set, row, par_map_get(set, row, d), 1);
		}
	}
}

/*
 * A segment that is said to have an image, though its run has no slot: metadata is lost, and the
 * array is being rescued, or the order of storing was violated. Its home copy is all there is.
 * Until the zone is stored, the stored map calls the image valid, and the run must get no slot: the
 * first use stores the zone (store_first()). Returns the number of such segments.
 */
static unsigned int check_row(struct par_set *set, u64 row)
{
	unsigned int low = set->conf->geo.set[1].members, d, count = 0;
	struct par_zone *zone = &set->conf->map.zone[par_zone_of(set, row)];

	for (d = low; d < set->sg->members; d++)
		if (par_map_get(set, row, d) != PAR_SEG_HOME &&
		    !par_band_imageable(set, row, par_image_set(&set->conf->geo, d))) {
			map_write(set, row, 2 * (d - low), 3, PAR_SEG_HOME);
			par_zone_doubt(zone);
			zone->must_store = 1;
			count++;
		}
	return count;
}

static void check_images(struct par_set *set)
{
	u64 row, count = 0;

	for (row = skip_empty(set, 0); row < set->sg->rows; row = skip_empty(set, row + 1))
		if (par_map_written(set, row))
			count += check_row(set, row);
	if (count)
		pr_err("md/par:%s: the map says that %llu segments of the set of %u members have images, but they have no slots: their home copies are used, which may be old\n",
		       mdname(set->conf->mddev), count, set->sg->members);
}

void par_map_distrust(struct par_conf *conf, u32 zone, unsigned int gear)
{
	apply_intent(zone_set(conf, zone), zone, gear, true);
	par_zone_doubt(&conf->map.zone[zone]);
}

void par_map_after_load(struct par_conf *conf, const u8 *intents)
{
	unsigned int i;
	u32 zone;

	for (zone = 0; zone < conf->geo.zones; zone++) {
		unsigned int gear = intents[zone] & PAR_INTENT_GEAR;

		if (gear)
			apply_intent(zone_set(conf, zone), zone, gear, false);
	}
	for (i = 1; i <= conf->geo.gears; i++) {
		if (par_has_slots(&conf->geo))
			check_images(conf->set[i]);
		recount_segments(conf->set[i]);
	}
}

struct par_set *par_block_set(struct par_conf *conf, u32 block)
{
	unsigned int i = conf->geo.gears;

	while (block - conf->geo.set[i].block_base >= conf->geo.set[i].blocks)
		i--;
	return conf->set[i];
}

/* Zones of a map block: [*first, return value). */
u32 par_block_zones(struct par_conf *conf, u32 block, u32 *first)
{
	const struct par_set_geometry *sg = par_block_set(conf, block)->sg;
	u32 from = (block - sg->block_base) * sg->block_zones;

	*first = sg->zone_base + from;
	return sg->zone_base + min(from + sg->block_zones, sg->zones);
}

u64 par_segments(struct par_conf *conf, enum par_seg_state state)
{
	unsigned int i, d;
	u64 sum = 0;

	for (i = 2; i <= conf->geo.gears; i++)
		for (d = conf->geo.set[1].members; d < conf->geo.set[i].members; d++)
			sum += atomic64_read(&conf->set[i]->vm[d].segs[state]);
	return sum;
}

u64 par_segments_above(struct par_conf *conf, unsigned int gear,
		       enum par_seg_state state)
{
	unsigned int i, d;
	u64 sum = 0;

	for (i = gear + 1; i <= conf->geo.gears; i++)
		for (d = conf->geo.set[gear].members; d < conf->geo.set[i].members; d++)
			sum += atomic64_read(&conf->set[i]->vm[d].segs[state]);
	return sum;
}

