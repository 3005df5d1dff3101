// SPDX-License-Identifier: GPL-2.0
/*
 * Starting with what may be wrong. As md does, par refuses, names what is in
 * doubt, and starts if it is forced:
 *
 *   RAID-5's write hole   the array went down while rows were being written, and
 *                         lacks a member. Parity need not fit the data in those
 *                         rows, so what the member held cannot be told from them.
 *   a stale member        more members are lost than parity can stand for, but
 *                         one that left earlier is there, or an old copy of one:
 *                         it lacks what has been written since. Or one without a
 *                         valid superblock: nobody knows what it lacks.
 *
 * A member that is lost while the resync after a crash runs leaves the same hole
 * in an array that serves: that is told as well, since raid5 gives up the resync
 * without a word.
 */
#include <linux/math64.h>

#include "store.h"

/* A set's rows [first, end), and who is lost for whom they are in doubt. */
struct par_rows {
	const struct par_set_geometry *sg;
	u64 first, end;
	u32 lost;
};

/* Which sectors of the set's address space share a stripe with these rows. */
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
	end = min(end, conf->geo.array_sectors);
	if (first < end)
		pr_warn("md/par:%s: in doubt: array sectors %llu to %llu\n",
			mdname(conf->mddev), first, end - 1);
}

static void doubt_rows(struct par_conf *conf, const struct par_rows *rows);

/* Images of these rows in gear set @gear: who has a home copy too, has the right one. */
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

/* Sectors of a gear set are images: of home rows, or of rows of sets between. */
static void doubt_images(struct par_conf *conf, unsigned int gear, u64 first,
			 u64 end, u32 lost)
{
	const struct par_geometry *geo = &conf->geo;
	unsigned int sleepers = geo->set[gear + 1].members - geo->set[gear].members;
	u64 from = div64_u64(first >> geo->seg_shift, sleepers);
	u64 to = div64_u64(end >> geo->seg_shift, sleepers) + 1;
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

/*
 * Tell the ranges of the array whose content nothing vouches for: rows of @set
 * in zones with @mark, or their images; @lost are lost. Marked zones that follow
 * each other are told in one piece.
 */
void par_doubt_zones(struct par_set *set, u8 mark, u32 lost)
{
	const struct par_set_geometry *sg = set->sg;
	struct par_rows rows = { .sg = sg, .lost = lost };
	u32 zone, first;

	for (zone = 0; zone < sg->zones; zone++) {
		first = zone;
		while (zone < sg->zones &&
		       set->conf->intents[sg->zone_base + zone] & mark)
			zone++;
		rows.first = (u64)first << PAR_ZONE_SHIFT;
		rows.end = min_t(u64, (u64)zone << PAR_ZONE_SHIFT, sg->rows);
		if (first < zone)
			doubt_rows(set->conf, &rows);
	}
}

/* Members that are missing from the set or have not been rebuilt in it. */
static u32 set_lacks(struct par_conf *conf, struct par_set *set)
{
	struct par_set_record *rec = &conf->super.set[set->number];
	u32 lacking = rec->failed | rec->recovering;
	unsigned int d;

	for (d = 0; d < set->sg->members; d++)
		if (!par_rdev_usable(conf->member[d].rdev))
			lacking |= BIT(d);
	return lacking;
}

static bool whole_for_md(struct par_conf *conf, unsigned int d)
{
	struct md_rdev *rdev = conf->member[d].rdev;

	return par_rdev_usable(rdev) && test_bit(In_sync, &rdev->flags);
}

/* The one of @members that left last, or an old copy of it, or -1. */
static int newest_stale(struct par_conf *conf, u32 members)
{
	unsigned int d;
	u64 newest = 0;
	int found = -1;

	for (d = 0; d < conf->geo.members; d++) {
		u64 seq = 0;

		if (members & BIT(d) && whole_for_md(conf, d))
			seq = conf->old_seq[d] ?: par_load_left(conf, d);
		if (seq > newest) {
			newest = seq;
			found = d;
		}
	}
	return found;
}

static void stand_in(struct par_conf *conf, unsigned int d)
{
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++)
		conf->super.set[i].failed &= ~BIT(d);
	conf->super.partial &= ~BIT(d);
	pr_warn("md/par:%s: member %u (%pg) stands in by force with %s\n",
		mdname(conf->mddev), d, conf->member[d].rdev->bdev,
		conf->unvouched & BIT(d) ? "what it holds: all of it is in doubt" :
		"what it had when it left: what has been written since is in doubt");
}

u32 par_doubt_stale(struct par_conf *conf, u32 lacking)
{
	unsigned int i, d, missing = 0;
	bool all = false;	/* no mark tells what an old copy lacks */
	u32 taken = 0;
	int one;

	if (!conf->start)
		return 0;
	for (d = 0; d < conf->geo.members; d++)
		missing += lacking & BIT(d) || !whole_for_md(conf, d);
	/*
	 * Those that nothing vouches for may all be right, and md calls them whole. All
	 * stand in: to make one of them from the others would overwrite what may be the
	 * only good copy by what comes of a bad one.
	 */
	for (d = 0; missing > conf->geo.parities && d < conf->geo.members; d++)
		if (conf->unvouched & BIT(d) && whole_for_md(conf, d))
			taken |= BIT(d);
	missing -= hweight32(taken);
	for (; missing > conf->geo.parities; missing--) {
		one = newest_stale(conf, lacking & ~taken);
		if (one < 0)
			return 0;	/* of no use: refused */
		taken |= BIT(one);
	}
	for (d = 0; d < conf->geo.members; d++)
		if (taken & BIT(d)) {
			stand_in(conf, d);
			all |= conf->old_seq[d] || conf->unvouched & BIT(d);
		}
	if (all)
		par_doubt_range(conf, 0, conf->geo.array_sectors);
	for (i = 1; !all && taken && i <= conf->geo.gears; i++)
		par_doubt_zones(conf->set[i], PAR_INTENT_MISSED, taken);
	return taken;
}

/* Zone lock held. */
static void forget_row(struct par_set *set, u64 row, u32 lost)
{
	unsigned int d;

	if (!par_map_written(set, row))
		return;
	for (d = 0; d < set->sg->members; d++)
		if (lost & BIT(d) && par_is_sleeper(&set->conf->geo, d))
			par_map_set(set, row, d, PAR_SEG_HOME);
}

/*
 * A segment's images become old, or nobody knows, when raid5 does without the
 * member: the rebuild must make it from parity.
 *
 * After a crash, parity need not fit in the rows in doubt, and what raid5 makes of
 * the member is made from that. Its images hold something else: to restore from
 * them would leave rows whose parity does not fit, and nobody would know.
 *
 * And a stripe that is being written when the member fails need not have come to
 * drop_images(): raid5 looks for failed members one by one as it sends a stripe's
 * writes, the last one first. If it has sent parity, and then finds the member with
 * the data gone, the write is done. It is not acknowledged before the store knows
 * of the failure, and its zone has an intent as long.
 */
void par_forget_images(struct par_set *set, u32 lost)
{
	struct par_conf *conf = set->conf;
	const struct par_set_geometry *sg = set->sg;
	u32 zone;

	for (zone = 0; zone < sg->zones; zone++) {
		u64 row = (u64)zone << PAR_ZONE_SHIFT;
		u64 end = min(row + PAR_ZONE_ROWS, sg->rows);
		spinlock_t *lock = par_zone_lock(conf, sg->zone_base + zone);

		if (!(conf->intents[sg->zone_base + zone] &
		      (PAR_INTENT_RESYNC | PAR_INTENT_GEAR)))
			continue;
		spin_lock(lock);
		for (; row < end; row++)
			forget_row(set, row, lost);
		spin_unlock(lock);
		par_mark_block(conf, sg->zone_base + zone);
	}
}

int par_doubt_check(struct par_conf *conf)
{
	bool any = false;
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++) {
		struct par_set_record *rec = &conf->super.set[i];
		u32 lacks = set_lacks(conf, conf->set[i]);

		if (!conf->geo.parities || rec->resync == MaxSector || !lacks)
			continue;
		par_doubt_zones(conf->set[i], PAR_INTENT_RESYNC, lacks);
		if (conf->start)
			par_forget_images(conf->set[i], lacks);
		/*
		 * What is rebuilt is rebuilt from what parity says: it will
		 * fit, if all is, also what had been before the crash. But a
		 * second parity that is left must be made to fit: raid5 carries
		 * on what is wrong with it.
		 */
		if (hweight32(lacks) >= conf->geo.parities)
			rec->resync = MaxSector;
		rec->recovered = 0;
		any = true;
	}
	if (!any)
		return 0;
	if (conf->start) {
		pr_warn("md/par:%s: started by force: what is in doubt may be wrong\n",
			mdname(conf->mddev));
		return 0;
	}
	pr_err("md/par:%s: cannot start: it went down while it was written and lacks a member; --force starts it, but what is in doubt may be wrong then\n",
	       mdname(conf->mddev));
	return -EBADMSG;
}

/*
 * What has been resynced already is told, too: how far it was is not stored. A
 * second parity makes no difference: what the member held is made from the first.
 */
void par_doubt_unresynced(struct par_set *set)
{
	struct par_conf *conf = set->conf;

	pr_crit("md/par:%s: a member was lost before the resync after a crash was over: what is in doubt may be wrong\n",
		mdname(conf->mddev));
	par_doubt_zones(set, PAR_INTENT_RESYNC, READ_ONCE(set->absent));
}
