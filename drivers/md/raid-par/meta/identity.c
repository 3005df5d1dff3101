// SPDX-License-Identifier: GPL-2.0
/*
 * Whose the metadata is that members hold, where it is not of the array that md's
 * superblock names.
 *
 * mdadm changes md's superblock, and knows nothing of ours: the UUID by --update=uuid,
 * the creation time besides by --create. The epoch is the same in all superblocks and
 * blocks of an array and nobody else writes it. So an array whose UUID has been changed
 * is known by its creation time, and goes on with its epoch; and one over whose members
 * another is to be created is not given up unless somebody asks for that.
 */
#include "core/parent.h"
#include "meta/load.h"

/* The arrays of which whole superblocks were found, if not of ours. */
struct par_owners {
	struct par_identity id;		/* of one that there is */
	u32 members;			/* who has one */
	bool several;			/* not all of the same array */
};

static void add_owner(struct par_owners *owners, const struct par_identity *id, unsigned int d)
{
	owners->several |= owners->members && owners->id.epoch != id->epoch;
	owners->members |= BIT(d);
	owners->id = *id;
}

/*
 * What member @d says, into @id. It may be left of an array that was there before: md's
 * own creation time is right, or else the later one.
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

/* Those with md's creation time into @renamed, all others into @strange. */
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
	pr_err("md/par:%s: no data is lost: mdadm --create --assume-clean restores the array, with the same devices in the same order, and the same layout, chunk and size; --destroy-par gives it up\n",
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
