// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of a set on which a child's sync thread works.
 *
 * md walks a child from end to end, and raid5 would read all of every stripe. The map and
 * the marks spare most of that:
 *
 *   a row that is unwritten    nothing is stored, on any member: skipped, unless the stored map
 *                              may say otherwise, or rows are being started beside it
 *   a resync after a crash     only zones marked PAR_INTENT_RESYNC
 *   a rebuild                  of a member that has returned: only zones
 *                              marked PAR_INTENT_MISSED; of a sleeper: a copy
 *                              of its images where they are valid
 *   a check or a repair        all written rows
 *
 * A row that is started after it was skipped needs no work either: the member that is being
 * rebuilt is present by then, and the row's first writes go to it as to the others.
 */
#include "core/parent.h"
#include "sync/sync.h"
#include "raid5.h"

/* The size of raid5's stripes: a block of each member, whatever the page size is. */
#define PAR_STRIPE_SECTORS	(DEFAULT_STRIPE_SIZE >> SECTOR_SHIFT)

static struct par_set *set_of(struct mddev *child)
{
	return container_of(child, struct par_set, child.mddev);
}

/* The marks of zones in which this sync has work; 0 if it has work in all zones. */
static u8 wanted_mark(struct par_set *set)
{
	struct par_super *super = &set->conf->store->super;
	unsigned long *recovery = &set->child.mddev.recovery;
	u32 rebuilt = super->set[set->number].recovering |
		      super->set[set->number].failed;

	if (test_bit(MD_RECOVERY_REQUESTED, recovery))
		return 0;
	if (test_bit(MD_RECOVERY_SYNC, recovery))
		return PAR_INTENT_RESYNC;
	return rebuilt & ~super->partial ? 0 : PAR_INTENT_MISSED;
}

/*
 * A check reads no row that is unwritten. For a rebuild the map is stored first if it has to be:
 * the rebuild's zeros would have it stored, too, but with an intent, which a crash turns into
 * doubt though no user has written.
 */
static bool skips_unwritten(struct par_set *set, u32 zone)
{
	const struct par_zone *z = &set->conf->map.zone[zone];

	if (test_bit(MD_RECOVERY_REQUESTED, &set->child.mddev.recovery))
		return true;
	if (READ_ONCE(z->must_store))
		par_store_zones(set->conf);
	return par_zone_skips(z);
}

/* The next row from @row on that needs work. */
static u64 next_row(struct par_set *set, u64 row)
{
	u8 mark = wanted_mark(set);

	/* Only our own repair has an end: md clears this flag when it rebuilds instead. */
	if (set->fix.end && test_bit(MD_RECOVERY_REQUESTED, &set->child.mddev.recovery))
		return row >= set->fix.end ? set->sg->rows :
		       max(row, set->fix.first);
	while (row < set->sg->rows) {
		u64 end = min_t(u64, set->sg->rows, (row | (PAR_ZONE_ROWS - 1)) + 1);
		u32 zone = par_zone_of(set, row);

		if (mark && !(READ_ONCE(set->conf->store->intents[zone]) & mark))
			row = end;
		else if (!par_map_written(set, row) && skips_unwritten(set, zone))
			row = par_map_next_written(set, row, end);
		if (row < end)
			break;
	}
	return row;
}

/* Members that are present and not yet whole in this set. */
static u32 rebuilt_members(struct par_set *set)
{
	unsigned int d;
	u32 which = 0;

	for (d = 0; d < set->sg->members; d++) {
		struct md_rdev *rdev = &set->vm[d].rdev;

		if (set->vm[d].listed && rdev->raid_disk >= 0 &&
		    !test_bit(In_sync, &rdev->flags) &&
		    !test_bit(Faulty, &rdev->flags))
			which |= BIT(d);
	}
	return which;
}

/*
 * From @sector on, which begins a row: the number of sectors that need no work of raid5's,
 * because there is nothing to do (*@skipped is set) or because the work is done here.
 */
static u64 spare_rows(struct par_set *set, u64 sector, int *skipped)
{
	const struct par_geometry *geo = &set->conf->geo;
	u64 row = sector >> geo->seg_shift, rows = next_row(set, row) - row;

	*skipped = rows != 0;
	if (rows || !test_bit(MD_RECOVERY_RECOVER, &set->child.mddev.recovery))
		return rows << geo->seg_shift;
	rows = par_restore_rows(set, row, set->sg->rows, rebuilt_members(set));
	/* These sectors are done as soon as they are reported; md adds them right after. */
	if (rows)
		par_done_sync(&set->child.mddev, rows << geo->seg_shift);
	return rows << geo->seg_shift;
}

static sector_t sync_from(struct mddev *child, sector_t sector,
			  sector_t max_sector, int *skipped)
{
	struct par_set *set = set_of(child);
	struct par_conf *conf = set->conf;
	u64 spared;

	if (sector < max_sector) {
		if (par_must_pause(conf)) {
			/* Without this, md would restart the sync at once, again and again. */
			set_bit(MD_RECOVERY_FROZEN, &child->recovery);
			return 0;
		}
		if (!(sector & (conf->geo.seg_sectors - 1))) {
			spared = spare_rows(set, sector, skipped);
			if (spared)
				return spared;
		}
	} else {
		bool whole = !test_bit(MD_RECOVERY_INTR, &child->recovery);

		/* While the set is degraded, raid5 skips all of it. */
		set->scrub.read_through = !set->fix.end && whole && !child->degraded &&
				    test_bit(MD_RECOVERY_REQUESTED, &child->recovery);
		par_fix_over(set, whole);
	}
	return set->child.raid5->sync_request(child, sector, max_sector, skipped);
}

/*
 * A sync that is interrupted before it has done anything has reached "sector 3" in md of
 * Linux 7.2 (MD_RESYNC_ACTIVE), which then has the next one begin there, whether it is a
 * check, a repair or a rebuild. raid5 would handle stripes that cross the ends of its
 * chunks, and write them: so begin with the whole stripe. raid5 then reports more as done
 * than md takes it for, by the part that md has skipped.
 */
static sector_t child_sync_request(struct mddev *child, sector_t sector,
				   sector_t max_sector, int *skipped)
{
	unsigned int passed = sector & (PAR_STRIPE_SECTORS - 1);
	sector_t sectors = sync_from(child, sector - passed, max_sector, skipped);

	if (!passed || !sectors)
		return sectors;
	if (!*skipped)
		atomic_add(passed, &child->recovery_active);
	return sectors - passed;
}

void par_resync_init(struct par_conf *conf)
{
	conf->up.sync_request = child_sync_request;
}

/* Rows of @set that its child's resync has passed. */
static u64 resynced_rows(struct par_set *set)
{
	struct mddev *child = &set->child.mddev;

	if (par_resync_offset(child) == MaxSector)
		return set->sg->rows;
	if (!test_bit(MD_RECOVERY_RUNNING, &child->recovery) ||
	    !test_bit(MD_RECOVERY_SYNC, &child->recovery))
		return 0;
	return READ_ONCE(child->curr_resync_completed) >> set->conf->geo.seg_shift;
}

u32 par_resync_left(struct par_conf *conf)
{
	u32 left = 0;
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++) {
		struct par_set *set = conf->set[i];
		const u8 *intent = conf->store->intents + set->sg->zone_base;
		u32 zone = resynced_rows(set) >> PAR_ZONE_SHIFT;

		for (; zone < set->sg->zones; zone++)
			left += !!(READ_ONCE(intent[zone]) & PAR_INTENT_RESYNC);
	}
	return left;
}

/* Has a member failed that the set has not detached yet? */
static bool is_failing(struct par_set *set)
{
	unsigned int d;

	for (d = 0; d < set->sg->members; d++)
		if (set->vm[d].listed && set->vm[d].rdev.raid_disk >= 0 &&
		    test_bit(Faulty, &set->vm[d].rdev.flags))
			return true;
	return false;
}

/*
 * Interrupt the child's sync, which is not begun again until par_child_go(). A frozen child
 * never detaches a member that fails meanwhile: see child_error().
 */
static void rest_child(struct par_conf *conf, struct par_set *set)
{
	struct mddev *child = &set->child.mddev;
	bool frozen = test_bit(MD_RECOVERY_FROZEN, &child->recovery);

	while (par_child_busy(child)) {
		set_bit(MD_RECOVERY_FROZEN, &child->recovery);
		set_bit(MD_RECOVERY_INTR, &child->recovery);
		wake_up(&child->recovery_wait);
		md_wakeup_thread(child->sync_thread);
		md_wakeup_thread(child->thread);
		schedule_timeout_idle(HZ / 20);
	}
	if (is_failing(set))
		par_child_go(child);
	else if (!frozen)
		clear_bit(MD_RECOVERY_FROZEN, &child->recovery);
}

void par_resync_pause(struct par_conf *conf)
{
	unsigned int i;

	might_sleep();
	if (!test_bit(MD_RECOVERY_FROZEN, &conf->mddev->recovery))
		return;
	for (i = 1; i <= conf->geo.gears; i++)
		if (par_can_sync(conf->set[i]))
			rest_child(conf, conf->set[i]);
}

/* A rebuild waits for the follower (sync.c); a resync needs no follower. */
void par_resync_resume(struct par_conf *conf)
{
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++) {
		struct mddev *child = &conf->set[i]->child.mddev;

		if (!par_can_sync(conf->set[i]) || par_must_pause(conf) ||
		    par_resync_offset(child) == MaxSector ||
		    test_bit(MD_RECOVERY_RUNNING, &child->recovery))
			continue;
		par_child_go(child);
	}
}
