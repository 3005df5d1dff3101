// SPDX-License-Identifier: GPL-2.0
/*
 * A repair of a few rows: raid5 computes what cannot be read of them from the other
 * members.
 */
#include "core/parent.h"
#include "gear/gear.h"
#include "raid5.h"

#define PAR_FIX_BESIDE		2U	/* rows: from more stripes than the smallest cache holds */

/*
 * May the child be told to repair a few rows? It may not if md would start another sync
 * instead, which would then report the whole set as done: a rebuild of a member that waits
 * for the follower, or the resync after a crash: -EBUSY. Nor if raid5 could not correct
 * anything: -EIO.
 */
static int check_repair(struct par_set *set)
{
	struct mddev *child = &set->child.mddev;
	unsigned int d;

	if (par_child_busy(child) || par_must_pause(set->conf) ||
	    par_resync_offset(child) != MaxSector)
		return -EBUSY;
	for (d = 0; d < set->sg->members; d++)
		if (set->vm[d].listed && !test_bit(In_sync, &set->vm[d].rdev.flags))
			return -EBUSY;
	return child->degraded >= (int)set->conf->geo.parities ? -EIO : 0;
}

/*
 * Repair rows [@first, @end) only. Returns 0 if the repair has reached its end. It takes
 * less time than the mover can be kept from other work, so this function waits for it.
 */
static int repair_rows(struct par_set *set, u64 first, u64 end)
{
	struct mddev *child = &set->child.mddev;
	unsigned int waits = 20;
	int err;

	/* Wait no longer than it takes to find that there is nothing to do. */
	while (par_child_busy(child) && waits--)
		schedule_timeout_idle(HZ / 20);
	if (first >= end)
		return 0;
	err = check_repair(set);
	if (err)
		return err;
	set->fix.done = false;
	/* This repair does not begin where an interrupted check ended. */
	child->resync_min = 0;
	set->fix.first = first;
	set->fix.end = end;
	set_bit(MD_RECOVERY_REQUESTED, &child->recovery);
	set_bit(MD_RECOVERY_SYNC, &child->recovery);
	par_child_go(child);
	while (par_child_busy(child) && !par_must_pause(set->conf))
		schedule_timeout_idle(HZ / 20);
	/* If it continues, it must not become a repair of the whole set. */
	if (!par_child_busy(child))
		set->fix.end = 0;
	return READ_ONCE(set->fix.done) ? 0 : -EBUSY;
}

/*
 * raid5 neither reads nor corrects blocks that are in its cache. So the cache is reduced to
 * its minimum for a while, and rows beside these are sent through the rest of it.
 */
int par_resync_fix(struct par_set *set, u64 first, u64 end)
{
	u64 beside = first >= PAR_FIX_BESIDE ? first - PAR_FIX_BESIDE : end;
	int err;

	might_sleep();
	if (!set->conf->geo.parities)
		return -EIO;
	/* While a request waits for a member to wake, the set's requests may not end. */
	if (!par_can_sync(set) || par_any_missed(&set->conf->wish))
		return -EBUSY;
	par_child_cache_empty(set);
	err = repair_rows(set, beside, min_t(u64, beside + PAR_FIX_BESIDE, set->sg->rows)) ?:
	      repair_rows(set, first, end);
	par_child_cache_fill(set);
	return err;
}

void par_fix_over(struct par_set *set, bool whole)
{
	set->fix.done = set->fix.end && whole;
	set->fix.end = 0;
}

void par_fix_forget(struct par_set *set)
{
	set->fix.end = 0;
}
