// SPDX-License-Identifier: GPL-2.0
/*
 * The time when each set was last read completely by a check or a repair.
 *
 * A check in a low gear leaves out sets that have members asleep, among them the home set,
 * which holds all data: every month, unless the administrator prevents it. Blocks that
 * cannot be read any more are then found only when a member has failed and the others are
 * needed. So the time of the last complete check is stored with the array, and a check that
 * finds a set whose last one is older than scrub_age wakes its members.
 *
 * A check in parts counts if each part begins where the last one, or an earlier one, ended:
 * its time is that of the beginning of the first part. The state of an incomplete check is
 * not stored.
 */
#include "core/parent.h"
#include "sync/sync.h"

#define PAR_DAY		(24 * 3600ULL)

/* Days since then; 0 if the clock has been set back. */
static u64 scrub_age(struct par_conf *conf, const struct par_set *set)
{
	u64 last = READ_ONCE(conf->store->super.scrub.last[set->number]);
	u64 now = par_clock(conf);

	return div_u64(now - min(now, last), PAR_DAY);
}

bool par_scrub_overdue(struct par_conf *conf, struct par_set *set)
{
	u32 limit = READ_ONCE(conf->store->super.scrub.age);

	return limit && scrub_age(conf, set) >= limit;
}

void par_scrub_wakes_for(struct par_conf *conf, struct par_set *set)
{
	pr_info("md/par:%s: the set of %u members was last read completely %llu days ago: the %s wakes its members\n",
		mdname(conf->mddev), set->sg->members, scrub_age(conf, set),
		test_bit(MD_RECOVERY_CHECK, &conf->mddev->recovery) ? "check" : "repair");
}

void par_scrub_from(struct par_set *set, u64 sector)
{
	/* par_clock_follow() changes this time, too. */
	mutex_lock(&set->conf->store->mutex);
	if (!sector) {
		set->scrub.began = par_clock(set->conf);
		set->scrub.to = 0;
	} else if (sector > set->scrub.to) {
		set->scrub.began = 0;	/* a part was left out */
	}
	mutex_unlock(&set->conf->store->mutex);
}

void par_scrub_to(struct par_set *set, u64 sector)
{
	struct par_conf *conf = set->conf;

	might_sleep();
	set->scrub.to = sector;
	/* Images were read in place of members that have gone to sleep meanwhile. */
	if (set->number > READ_ONCE(conf->gear))
		set->scrub.began = 0;
	if (sector < set->sg->sectors || !set->scrub.began || !READ_ONCE(set->scrub.read_through))
		return;
	mutex_lock(&conf->store->mutex);
	WRITE_ONCE(conf->store->super.scrub.last[set->number], set->scrub.began);
	mutex_unlock(&conf->store->mutex);
	set->scrub.began = 0;
	/* If it cannot be stored now, it is stored with the next superblock. */
	if (par_store_super(conf))
		pr_warn("md/par:%s: could not store on any member that the set of %u members has been read completely\n",
			mdname(conf->mddev), set->sg->members);
}

int par_scrub_set(struct par_conf *conf, bool wakes, u32 age)
{
	mutex_lock(&conf->store->mutex);
	WRITE_ONCE(conf->store->super.scrub.wakes, wakes);
	WRITE_ONCE(conf->store->super.scrub.age, age);
	mutex_unlock(&conf->store->mutex);
	return par_store_super(conf);
}
