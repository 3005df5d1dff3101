// SPDX-License-Identifier: GPL-2.0
/*
 * The members at the start: which ones are whole, and which ones are used as they are if
 * the array is started by force. As md does, par refuses, names what is in doubt (doubt.c),
 * and starts if it is forced:
 *
 *   RAID-5's write hole   the array crashed while rows were being written, and
 *                         lacks a member. Parity need not match the data in those
 *                         rows, so the content of the member cannot be computed.
 *   a stale member        more members are lost than parity can replace, but one
 *                         that left earlier is present, or an old copy of one: it
 *                         lacks all writes since. Or a member without a valid
 *                         superblock: it is not known what it lacks.
 */
#include "core/parent.h"
#include "meta/load.h"

/* Members that are missing from the set or have not been rebuilt in it. */
static u32 set_lacks(struct par_conf *conf, struct par_set *set)
{
	struct par_set_record *rec = &conf->store->super.set[set->number];
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

/* The member of @members that left last, or an old copy of it, or -1. */
static int newest_stale(struct par_conf *conf, u32 members)
{
	unsigned int d;
	u64 newest = 0;
	int found = -1;

	for (d = 0; d < conf->geo.members; d++) {
		u64 seq = 0;

		if (members & BIT(d) && whole_for_md(conf, d))
			seq = conf->store->old_seq[d] ?: par_load_left(conf, d);
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
		conf->store->super.set[i].failed &= ~BIT(d);
	conf->store->super.partial &= ~BIT(d);
	/*
	 * Each record of its log says itself whether it counts, and is read: a summary does not
	 * vouch for it. An old copy of a member may have records that another run has replaced.
	 */
	conf->store->super.log.absent &= ~(conf->store->unvouched.log & BIT(d));
	pr_warn("md/par:%s: member %u (%pg) is used by force: %s\n",
		mdname(conf->mddev), d, conf->member[d].rdev->bdev,
		conf->store->unvouched.members & BIT(d) ? "all of its content is in doubt" :
		"data written since it was lost is in doubt");
}

u32 par_doubt_stale(struct par_conf *conf, u32 lacking)
{
	unsigned int i, d, missing = 0;
	bool all = false;	/* no mark records what an old copy lacks */
	u32 taken = 0;
	int one;

	if (!conf->store->start)
		return 0;
	for (d = 0; d < conf->geo.members; d++)
		missing += lacking & BIT(d) || !whole_for_md(conf, d);
	/*
	 * Unvouched members may all be right, and md calls them whole. All of them are
	 * used: to rebuild one of them from the others could overwrite the only good copy
	 * with what is computed from a bad one.
	 */
	for (d = 0; missing > conf->geo.parities && d < conf->geo.members; d++)
		if (conf->store->unvouched.members & BIT(d) && whole_for_md(conf, d))
			taken |= BIT(d);
	missing -= hweight32(taken);
	for (; missing > conf->geo.parities; missing--) {
		one = newest_stale(conf, lacking & ~taken);
		if (one < 0)
			return 0;	/* not enough of them: refused */
		taken |= BIT(one);
	}
	for (d = 0; d < conf->geo.members; d++)
		if (taken & BIT(d)) {
			stand_in(conf, d);
			all |= conf->store->old_seq[d] || conf->store->unvouched.members & BIT(d);
		}
	if (all)
		par_doubt_range(conf, 0, conf->geo.array_sectors);
	for (i = 1; !all && taken && i <= conf->geo.gears; i++)
		par_doubt_zones(conf->set[i], PAR_INTENT_MISSED, taken);
	par_doubt_report(conf);
	return taken;
}

/*
 * Call a member that is not whole in one set not whole: the union of all records. Refuses
 * if parity cannot replace so many members.
 */
int par_unite_failures(struct par_conf *conf)
{
	unsigned int i, d;
	u32 partial = 0;
	int err;

	for (i = 1; i <= conf->geo.gears; i++)
		partial |= conf->store->super.set[i].failed |
			   conf->store->super.set[i].recovering;
	partial &= ~par_doubt_stale(conf, partial);
	for (d = 0; d < conf->geo.members; d++) {
		struct md_rdev *rdev = conf->member[d].rdev;

		if (rdev && partial & BIT(d)) {
			clear_bit(In_sync, &rdev->flags);
			rdev->recovery_offset = 0;
			pr_warn("md/par:%s: member %u (%pg) %shas to be rebuilt\n",
				mdname(conf->mddev), d, rdev->bdev,
				conf->store->unvouched.members & BIT(d) || conf->store->old_seq[d] ?
				"" : "has missed writes and ");
		}
	}
	par_count_degraded(conf);
	err = par_too_few(conf);
	if (err && conf->store->unvouched.members && !conf->store->start)
		pr_err("md/par:%s: --force starts the array with the members without a valid superblock as they are; the whole array is in doubt then\n",
		       mdname(conf->mddev));
	return err;
}

int par_doubt_check(struct par_conf *conf)
{
	bool any = false;
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++) {
		struct par_set_record *rec = &conf->store->super.set[i];
		u32 lacks = set_lacks(conf, conf->set[i]);

		if (!conf->geo.parities || rec->resync == MaxSector || !lacks)
			continue;
		par_doubt_zones(conf->set[i], PAR_INTENT_RESYNC, lacks);
		if (conf->store->start)
			par_forget_images(conf->set[i], lacks);
		/*
		 * A member is rebuilt from parity: if all parities are used for that, the
		 * result matches, including what was there before the crash. A second
		 * parity that is left must be recomputed: raid5 keeps its errors otherwise.
		 */
		if (hweight32(lacks) >= conf->geo.parities)
			rec->resync = MaxSector;
		rec->recovered = 0;
		any = true;
	}
	if (!any)
		return 0;
	par_doubt_report(conf);
	if (conf->store->start) {
		pr_warn("md/par:%s: started by force: data in doubt may be wrong\n",
			mdname(conf->mddev));
		return 0;
	}
	pr_err("md/par:%s: cannot start: the array crashed while it was being written, and lacks a member; --force starts it, but data in doubt may be wrong then\n",
	       mdname(conf->mddev));
	return -EBADMSG;
}
