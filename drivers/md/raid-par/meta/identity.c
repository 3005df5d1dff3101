// SPDX-License-Identifier: GPL-2.0
/*
 * Recognizes the array that metadata belongs to, if it does not belong to the array that
 * md's superblock names.
 *
 * mdadm changes md's superblock, and does not know ours: it changes the UUID with
 * --update=uuid, and also the creation time with --create. The epoch is the same in all
 * superblocks and blocks of an array, and only raid-par writes it. So an array whose UUID
 * has been changed is recognized by its creation time, and keeps its epoch; and an array
 * whose members are about to become those of another one is not overwritten unless that is
 * requested.
 */
#include "core/parent.h"
#include "meta/load.h"

/* The arrays, other than this one, of which intact superblocks were found. */
struct par_owners {
	struct par_identity id;		/* of one of these arrays */
	u32 members;			/* members with such a superblock */
	bool several;			/* they belong to several arrays */
};

static void add_owner(struct par_owners *owners, const struct par_identity *id, unsigned int d)
{
	owners->several |= owners->members && owners->id.epoch != id->epoch;
	owners->members |= BIT(d);
	owners->id = *id;
}

/*
 * Get the identity that the superblock of member @d states. It may be left from a previous
 * array: prefer the one with md's creation time, or else the later one.
 */
static bool find_owner(struct par_conf *conf, unsigned int d, struct par_identity *id)
{
	u64 ours = conf->store->identity.ctime, slot;
	struct page *page = conf->store->pages[0];
	struct par_identity one;
	bool found = false;

	for (slot = 0; slot < 2; slot++) {
		if (!par_meta_read(conf, d, par_super_sector(slot), page) ||
		    !par_super_owner(page_address(page), &one))
			continue;
		if (found && one.ctime != ours && (id->ctime == ours || one.ctime < id->ctime))
			continue;
		*id = one;
		found = true;
	}
	return found;
}

/* Members with md's creation time into @renamed, all others into @strange. */
static void find_owners(struct par_conf *conf, struct par_owners *renamed,
			struct par_owners *strange)
{
	struct par_identity id;
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (par_rdev_usable(conf->member[d].rdev) && find_owner(conf, d, &id))
			add_owner(id.ctime == conf->store->identity.ctime ? renamed : strange,
				  &id, d);
}

static void take_renamed(struct par_conf *conf, const struct par_owners *renamed)
{
	pr_warn("md/par:%s: the UUID has changed, perhaps by mdadm --update=uuid: the metadata of %u members is that of this array all the same, and gets the new UUID with its next write\n",
		mdname(conf->mddev), hweight32(renamed->members));
	conf->store->identity.epoch = renamed->id.epoch;
}

static int refuse_owned(struct par_conf *conf, const struct par_owners *strange)
{
	const char *what = conf->mddev->events ? "start: md's superblocks have been recreated" :
						 "create";
	const struct par_identity *id = &strange->id;
	time64_t time = id->ctime;

	pr_err("md/par:%s: cannot %s: %u members hold %s, of UUID %4phN:%4phN:%4phN:%4phN, created %ptTs\n",
	       mdname(conf->mddev), what, hweight32(strange->members),
	       strange->several ? "several par arrays, one of them" : "a par array",
	       id->uuid, id->uuid + 4, id->uuid + 8, id->uuid + 12, &time);
	pr_err("md/par:%s: no data is lost: mdadm --create --assume-clean restores the array, with the same devices in the same order, and the same layout, chunk and size; --destroy-par discards it\n",
	       mdname(conf->mddev));
	return -EEXIST;
}

int par_identify(struct par_conf *conf, bool any)
{
	struct par_owners renamed = { }, strange = { };

	if (any) {
		conf->store->identity.epoch = conf->store->super.epoch;
		return 0;
	}
	if (par_resync_offset(conf->mddev) == PAR_ASKS_NEW && !conf->mddev->events)
		return 0;
	find_owners(conf, &renamed, &strange);
	if (renamed.members && !renamed.several)
		take_renamed(conf, &renamed);
	else if (strange.members && (!strange.several || !conf->mddev->events))
		return refuse_owned(conf, &strange);
	return 0;
}
