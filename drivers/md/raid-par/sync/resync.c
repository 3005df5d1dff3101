// SPDX-License-Identifier: GPL-2.0
/*
 * Which rows of a set a child's sync thread works on.
 *
 * md walks a child from end to end; raid5 would read all of every stripe. What
 * is known here spares most of that:
 *
 *   a row that is unwritten    nothing is stored, on any member: passed over
 *   a resync after a crash     only zones marked PAR_INTENT_RESYNC
 *   a rebuild                  of a member that has come back: only zones
 *                              marked PAR_INTENT_MISSED; of a sleeper: a copy
 *                              of its images where they are valid
 *   a check or a repair        all that is written
 *
 * A row that is started after it was passed over needs no work either: the
 * member that is being rebuilt is there by then and is filled with the others.
 */
#include "core/parent.h"
#include "sync/sync.h"
#include "raid5.h"

/* Of raid5's: a block of each member, whatever the page size is. */
#define PAR_STRIPE_SECTORS	(DEFAULT_STRIPE_SIZE >> SECTOR_SHIFT)

static struct par_set *set_of(struct mddev *child)
{
	return container_of(child, struct par_set, child.mddev);
}

/* The marks of zones of which this sync has to do any; 0 if it is all of them. */
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

/* The next row from @row on that has to be looked at. */
static u64 next_row(struct par_set *set, u64 row)
{
	u8 mark = wanted_mark(set);

	/* Only our own repair is bounded: md clears this flag when it rebuilds instead. */
	if (set->fix.end && test_bit(MD_RECOVERY_REQUESTED, &set->child.mddev.recovery))
		return row >= set->fix.end ? set->sg->rows :
		       max(row, set->fix.first);
	while (row < set->sg->rows) {
		u64 end = min_t(u64, set->sg->rows, (row | (PAR_ZONE_ROWS - 1)) + 1);

		if (!mark || READ_ONCE(set->conf->store->intents[par_zone_of(set, row)]) & mark)
			row = par_map_next_written(set, row, end);
		else
			row = end;
		if (row < end)
			break;
	}
	return row;
}

/* Members that are there and not yet whole in this set. */
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
 * From @sector on, which begins a row: sectors that need no work of raid5's,
 * because there is nothing to do (*@skipped is set) or because it is done now.
 */
static u64 spare_rows(struct par_set *set, u64 sector, int *skipped)
{
	const struct par_geometry *geo = &set->conf->geo;
	u64 row = sector >> geo->seg_shift, rows = next_row(set, row) - row;

	*skipped = rows != 0;
	if (rows || !test_bit(MD_RECOVERY_RECOVER, &set->child.mddev.recovery))
		return rows << geo->seg_shift;
	rows = par_restore_rows(set, row, set->sg->rows, rebuilt_members(set));
	/* Done as soon as it is reported; md adds it right after. */
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
			/* md would begin again at once, and again. */
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

		/* Degraded, raid5 passes over all of it. */
		set->scrub.read_through = !set->fix.end && whole && !child->degraded &&
				    test_bit(MD_RECOVERY_REQUESTED, &child->recovery);
		par_fix_over(set, whole);
	}
	return set->child.raid5->sync_request(child, sector, max_sector, skipped);
}

/*
 * A sync that is broken off before it has done anything has come to "sector 3"
 * for md of Linux 7.2 (MD_RESYNC_ACTIVE), which then has the next one begin
 * there, be it a check, a repair or a rebuild. raid5 would take stripes that lie
 * across its chunks' ends and write them: so begin with the whole stripe. What
 * it reports as done is more than md takes it for, by what md has passed over.
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

/* Rows of @set that its child's resync has been through. */
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
 * What it is at is broken off, and not begun again until par_child_go(). Frozen, it
 * would hold a member that fails meanwhile indefinitely: see child_error().
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

/* A rebuild waits for the follower (sync.c); a resync needs none. */
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
