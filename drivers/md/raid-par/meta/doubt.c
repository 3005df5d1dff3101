// SPDX-License-Identifier: GPL-2.0
/*
 * The ranges of the array that are in doubt, since they lie in rows whose content cannot be
 * trusted. assemble.c calls this at a start. Besides, a member that is lost during the
 * resync after a crash leaves the same hole in a running array: that is reported as well,
 * since raid5 gives up the resync without a message.
 */
#include <linux/math64.h>

#include "core/parent.h"
#include "meta/store.h"

/* Rows [first, end) of a set, and the lost members for which they are in doubt. */
struct par_rows {
	const struct par_set_geometry *sg;
	u64 first, end;
	u32 lost;
};

/* The sectors of the set's address space that share a stripe with these rows. */
static void set_sectors(const struct par_geometry *geo, const struct par_rows *rows,
			u64 *first, u64 *end)
{
	u64 data = rows->sg->members - geo->parities;
	u64 stripe = (u64)geo->chunk_sectors >> geo->seg_shift;

	*first = div64_u64(rows->first, stripe) * geo->chunk_sectors * data;
	*end = DIV64_U64_ROUND_UP(rows->end, stripe) * geo->chunk_sectors * data;
}

void par_doubt_range(struct par_conf *conf, u64 first, u64 end)
{
	par_ranges_add(&conf->store->notes.doubts.ranges, first, min(end, conf->geo.array_sectors));
}

/*
 * With slots, a zone of a gear set has images of places all over the array. A line for each of them
 * would replace the earlier lines in the kernel's buffer, and hold up the store on a serial
 * console.
 */
void par_doubt_report(struct par_conf *conf)
{
	struct par_ranges *ranges = &conf->store->notes.doubts.ranges;
	u32 i;

	for (i = 0; i < ranges->count; i++)
		pr_warn("md/par:%s: in doubt: array sectors %llu to %llu\n",
			mdname(conf->mddev), ranges->range[i].first, ranges->range[i].end - 1);
	if (ranges->joined)
		pr_warn("md/par:%s: about %llu places are in doubt: those close together are named as one range, with what lies between them\n",
			mdname(conf->mddev), ranges->added);
	memset(ranges, 0, sizeof(*ranges));
}

static void doubt_rows(struct par_conf *conf, const struct par_rows *rows);

/* Images of these rows in gear set @gear: a segment that also has a home copy has a right one. */
static void distrust_images(struct par_conf *conf, const struct par_rows *rows,
			    unsigned int gear)
{
	const struct par_geometry *geo = &conf->geo;
	struct par_set *set = conf->set[rows->sg - geo->set];
	unsigned int d;
	u64 row;

	for (row = rows->first; row < rows->end; row++) {
		u32 zone = par_zone_of(set, row);
		bool any = false;

		spin_lock(par_zone_lock(conf, zone));
		for (d = geo->set[gear].members; d < geo->set[gear + 1].members; d++)
			if (!(rows->lost & BIT(d)) &&
			    par_map_get(set, row, d) == PAR_SEG_BOTH) {
				par_map_set(set, row, d, PAR_SEG_HOME);
				any = true;
			}
		spin_unlock(par_zone_lock(conf, zone));
		if (any)
			par_mark_block(conf, zone);
	}
}

/* Segments [@from, @to) of the sleepers of band @gear, counted from the metadata's end. */
static void doubt_imaged(struct par_conf *conf, unsigned int gear, u64 from, u64 to, u32 lost)
{
	const struct par_geometry *geo = &conf->geo;
	unsigned int i;

	for (i = geo->gears; i > gear; i--) {
		u64 base = par_set_offset(geo, i, 0) >> geo->seg_shift;
		struct par_rows rows = { .sg = &geo->set[i], .lost = lost };

		rows.first = max(from, base) - base;
		rows.end = min(max(to, base) - base, geo->set[i].rows);
		if (rows.first >= rows.end)
			continue;
		distrust_images(conf, &rows, gear);
		doubt_rows(conf, &rows);
	}
}

/* The runs that have the slots which these sectors are in, each as a whole. */
static void doubt_slots(struct par_conf *conf, unsigned int gear, u64 first, u64 end, u32 lost)
{
	const struct par_slot_map *map = &conf->slots->map[gear];
	unsigned int shift = conf->geo.run_shift - conf->geo.seg_shift;
	u64 each = (u64)conf->geo.band[gear].imaged << conf->geo.run_shift;
	u64 slot = div64_u64(first, each), last = DIV64_U64_ROUND_UP(end, each), run;

	for (; slot < min_t(u64, last, map->slots); slot++) {
		if (par_slot_state(map, slot) == PAR_SLOT_FREE)
			continue;
		run = par_slot_run_of(map, slot);
		doubt_imaged(conf, gear, run << shift, (run + 1) << shift, lost);
	}
}

/* Sectors of a gear set are images: of home rows, or of rows of sets in between. */
static void doubt_images(struct par_conf *conf, unsigned int gear, u64 first,
			 u64 end, u32 lost)
{
	const struct par_geometry *geo = &conf->geo;
	unsigned int sleepers = geo->set[gear + 1].members - geo->set[gear].members;

	if (par_has_slots(geo))
		doubt_slots(conf, gear, first, end, lost);
	else
		doubt_imaged(conf, gear, div64_u64(first >> geo->seg_shift, sleepers),
			     div64_u64(end >> geo->seg_shift, sleepers) + 1, lost);
}

static void doubt_rows(struct par_conf *conf, const struct par_rows *rows)
{
	unsigned int i = conf->geo.gears;
	u64 first, end;

	set_sectors(&conf->geo, rows, &first, &end);
	while (rows->sg != &conf->geo.set[i])
		i--;
	if (i == conf->geo.gears)
		par_doubt_range(conf, first, end);
	else
		doubt_images(conf, i, first, end, rows->lost);
}

void par_doubt_zones(struct par_set *set, u8 mark, u32 lost)
{
	const struct par_set_geometry *sg = set->sg;
	struct par_rows rows = { .sg = sg, .lost = lost };
	u32 zone, first;

	for (zone = 0; zone < sg->zones; zone++) {
		first = zone;
		while (zone < sg->zones &&
		       set->conf->store->intents[sg->zone_base + zone] & mark)
			zone++;
		rows.first = (u64)first << PAR_ZONE_SHIFT;
		rows.end = min_t(u64, (u64)zone << PAR_ZONE_SHIFT, sg->rows);
		if (first < zone)
			doubt_rows(set->conf, &rows);
	}
}

/*
 * Rows that have been resynced already are reported, too: the progress is not stored. A
 * second parity makes no difference: the content of the member is computed from the first.
 */
void par_doubt_unresynced(struct par_set *set)
{
	struct par_conf *conf = set->conf;

	lockdep_assert_held(&conf->store->mutex);
	pr_crit("md/par:%s: a member was lost before the resync after a crash had ended: data in doubt may be wrong\n",
		mdname(conf->mddev));
	par_doubt_zones(set, PAR_INTENT_RESYNC, READ_ONCE(set->child.absent));
	par_doubt_report(conf);
}

/* Zone lock held. */
static void forget_row(struct par_set *set, u64 row, u32 lost)
{
	unsigned int d;

	lockdep_assert_held(par_zone_lock(set->conf, par_zone_of(set, row)));
	if (!par_map_written(set, row))
		return;
	for (d = 0; d < set->sg->members; d++)
		if (lost & BIT(d) && par_is_sleeper(&set->conf->geo, d))
			par_map_set(set, row, d, PAR_SEG_HOME);
}

/*
 * When raid5 begins to work without a member, a segment's images become old or uncertain: a
 * rebuild must compute the segment from parity.
 *
 * After a crash, parity need not match in the rows in doubt, and raid5 computes the
 * member's content from that. Its images hold something else: to restore from them would
 * leave rows with wrong parity, unnoticed.
 *
 * Besides, a stripe that is being written when the member fails need not have reached
 * drop_images(): raid5 looks for failed members one by one as it sends a stripe's writes,
 * the last one first. If it has sent parity, and then finds that the member with the data
 * has failed, the write is complete. It is not acknowledged before the store knows of the
 * failure, and until then its zone has an intent.
 */
void par_forget_images(struct par_set *set, u32 lost)
{
	struct par_conf *conf = set->conf;
	const struct par_set_geometry *sg = set->sg;
	u32 zone;

	par_store_assert(conf);
	for (zone = 0; zone < sg->zones; zone++) {
		u64 row = (u64)zone << PAR_ZONE_SHIFT;
		u64 end = min(row + PAR_ZONE_ROWS, sg->rows);
		spinlock_t *lock = par_zone_lock(conf, sg->zone_base + zone);

		if (!(conf->store->intents[sg->zone_base + zone] &
		      (PAR_INTENT_RESYNC | PAR_INTENT_GEAR)))
			continue;
		spin_lock(lock);
		for (; row < end; row++)
			forget_row(set, row, lost);
		spin_unlock(lock);
		par_mark_block(conf, sg->zone_base + zone);
	}
}
