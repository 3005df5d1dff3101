// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that are lost, and blocks that raid5 lists as bad.
 *
 * A block of a virtual member is lost if no copy has its content, though the copies may be
 * readable: a rebuild could not compute it, since other members could not be read; an image
 * did not accept a write; propagation could not read the only copy. A read of the virtual
 * member returns an error then, in each gear, as for a sector that a disk cannot read: so
 * raid5 computes the block from the other members and writes it, if it can, and the stale
 * content is never returned as data. A write that succeeds heals the block.
 *
 * The list is stored (PAR_BLOCK_LOST): a block is on it before anything that depends on the
 * block is stored or acknowledged, and is taken off it after the write that heals it has
 * been flushed, and before this write is acknowledged. All changes are made under
 * conf->store->mutex; readers need conf->store->lost.lock only. Rows with lost blocks stay
 * written: see must_stay() in row.c.
 *
 * raid5 has a list of its own for each member, in memory: for a stripe of which too much is
 * unreadable it returns errors instead of failing the members. The blocks that it lists for
 * a member in sync are those that it could not read: the disk will return the error again,
 * and raid5 would never write a stripe with too many of these, so they are forgotten when
 * no request is under way. The blocks that it lists for a member that it rebuilds are lost.
 *
 * A write that an image does not accept, for the same reason, goes to the home copy, for
 * which the sleeper is woken. raid5 sees an error only if the sleeper cannot be woken, and
 * the blocks that it then lists as bad are lost as well.
 */
#include "core/event.h"
#include "core/parent.h"
#include "meta/store.h"

/* ---- the list ---- */

static bool range_touches(const struct par_lost_range *range, const struct par_vmember *vm,
			  u64 sector, u64 end)
{
	return range->set == vm->set->number && range->member == vm->index &&
	       range->sector < end && sector < range->sector + range->sectors;
}

bool par_lost_listed(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct par_conf *conf = vm->set->conf;
	unsigned long flags;
	bool lost = false;
	unsigned int i;

	spin_lock_irqsave(&conf->store->lost.lock, flags);
	for (i = 0; !lost && i < conf->store->lost.count; i++)
		lost = range_touches(&conf->store->lost.range[i], vm, sector, sector + sectors);
	spin_unlock_irqrestore(&conf->store->lost.lock, flags);
	return lost;
}

bool par_lost_row(struct par_set *set, u64 row)
{
	const struct par_geometry *geo = &set->conf->geo;
	unsigned int d;

	for (d = 0; d < set->sg->members; d++)
		if (par_lost(&set->vm[d], row << geo->seg_shift, geo->seg_sectors))
			return true;
	return false;
}

/* conf->store->lost.lock held. */
static bool append_range(struct par_vmember *vm, u64 sector, u64 end)
{
	struct par_conf *conf = vm->set->conf;

	lockdep_assert_held(&vm->set->conf->store->lost.lock);
	if (sector >= end)
		return true;
	if (conf->store->lost.count == PAR_LOST_MAX)
		return false;
	conf->store->lost.range[conf->store->lost.count++] = (struct par_lost_range) {
		.set = vm->set->number, .member = vm->index,
		.sector = sector, .sectors = end - sector,
	};
	WRITE_ONCE(vm->lost, vm->lost + 1);
	return true;
}

static void drop_range(struct par_vmember *vm, unsigned int i)
{
	struct par_conf *conf = vm->set->conf;

	lockdep_assert_held(&vm->set->conf->store->lost.lock);
	conf->store->lost.range[i] = conf->store->lost.range[--conf->store->lost.count];
	WRITE_ONCE(vm->lost, vm->lost - 1);
}

/* Merge ranges that touch or overlap; conf->store->lost.lock held. */
static bool merge_range(struct par_vmember *vm, u64 sector, u64 end)
{
	struct par_conf *conf = vm->set->conf;
	unsigned int i = 0;

	lockdep_assert_held(&vm->set->conf->store->lost.lock);
	while (i < conf->store->lost.count) {
		struct par_lost_range *range = &conf->store->lost.range[i];

		if (!range_touches(range, vm, sector ? sector - 1 : 0, end + 1)) {
			i++;
			continue;
		}
		sector = min(sector, range->sector);
		end = max(end, range->sector + range->sectors);
		drop_range(vm, i);
	}
	return append_range(vm, sector, end);
}

/* Is the whole range on the list already? conf->store->lost.lock held. */
static bool range_covered(struct par_vmember *vm, u64 sector, u64 end)
{
	struct par_conf *conf = vm->set->conf;
	unsigned int i;

	lockdep_assert_held(&conf->store->lost.lock);
	for (i = 0; i < conf->store->lost.count; i++)
		if (range_touches(&conf->store->lost.range[i], vm, sector, end) &&
		    conf->store->lost.range[i].sector <= sector &&
		    end <= conf->store->lost.range[i].sector + conf->store->lost.range[i].sectors)
			return true;
	return false;
}

static void tell_lost(const struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct par_conf *conf = vm->set->conf;

	pr_err_ratelimited("md/par:%s: member %u has no valid copy of sectors %llu to %llu of the set of %u members any more: reads need the other members, and return an error if these do not suffice\n",
			   mdname(conf->mddev), vm->index, sector, sector + sectors - 1,
			   vm->set->sg->members);
	par_event(conf, "PAR_EVENT=lost\nPAR_KIND=copy\nPAR_MEMBER=%u\nPAR_SET=%u\nPAR_SECTOR=%llu\nPAR_SECTORS=%u",
		  vm->index, vm->set->sg->members, sector, sectors);
}

u64 par_lost_sectors(struct par_conf *conf)
{
	unsigned long flags;
	unsigned int i;
	u64 sum = 0;

	spin_lock_irqsave(&conf->store->lost.lock, flags);
	for (i = 0; i < conf->store->lost.count; i++)
		sum += conf->store->lost.range[i].sectors;
	spin_unlock_irqrestore(&conf->store->lost.lock, flags);
	return sum;
}

bool par_lost_add(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct par_conf *conf = vm->set->conf;
	bool added, more = false;
	unsigned long flags;

	lockdep_assert_held(&conf->store->mutex);
	spin_lock_irqsave(&conf->store->lost.lock, flags);
	added = range_covered(vm, sector, sector + sectors);
	if (!added) {
		added = merge_range(vm, sector, sector + sectors);
		conf->store->lost.due |= added;
		more = added;
	}
	spin_unlock_irqrestore(&conf->store->lost.lock, flags);
	if (more)
		tell_lost(vm, sector, sectors);
	return added;
}

/*
 * conf->store->lost.lock held. Returns false and does nothing if there is no room to split
 * a range.
 */
static bool cut_out(struct par_vmember *vm, unsigned int i, u64 sector, u64 end)
{
	struct par_conf *conf = vm->set->conf;
	struct par_lost_range range = conf->store->lost.range[i];

	lockdep_assert_held(&vm->set->conf->store->lost.lock);
	if (range.sector < sector && end < range.sector + range.sectors &&
	    conf->store->lost.count == PAR_LOST_MAX)
		return false;
	drop_range(vm, i);
	append_range(vm, range.sector, sector);
	append_range(vm, end, range.sector + range.sectors);
	return true;
}

bool par_lost_remove(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct par_conf *conf = vm->set->conf;
	unsigned long flags;
	bool removed = true;
	unsigned int i = 0;

	lockdep_assert_held(&conf->store->mutex);
	spin_lock_irqsave(&conf->store->lost.lock, flags);
	while (removed && i < conf->store->lost.count) {
		if (!range_touches(&conf->store->lost.range[i], vm, sector, sector + sectors)) {
			i++;
			continue;
		}
		removed = cut_out(vm, i, sector, sector + sectors);
		conf->store->lost.due = true;
		i = 0;
	}
	spin_unlock_irqrestore(&conf->store->lost.lock, flags);
	return removed;
}

/* ---- as stored ---- */

void par_lost_pack(struct par_conf *conf, struct par_disk_lost *raw)
{
	unsigned int i;

	par_store_assert(conf);
	memset(raw, 0, sizeof(*raw));
	raw->count = cpu_to_le32(conf->store->lost.count);
	for (i = 0; i < conf->store->lost.count; i++) {
		raw->range[i].sector = cpu_to_le64(conf->store->lost.range[i].sector);
		raw->range[i].sectors = cpu_to_le32(conf->store->lost.range[i].sectors);
		raw->range[i].set = conf->store->lost.range[i].set;
		raw->range[i].member = conf->store->lost.range[i].member;
	}
}

/* Does the range consist of whole blocks within its set? */
static bool range_fits(const struct par_conf *conf, const struct par_disk_lost_range *raw)
{
	u64 sector = le64_to_cpu(raw->sector);
	u32 sectors = le32_to_cpu(raw->sectors);

	return raw->set >= 1 && raw->set <= conf->geo.gears &&
	       raw->member < conf->geo.set[raw->set].members && sectors &&
	       !((sector | sectors) & (PAR_BLOCK_SECTORS - 1)) &&
	       sector < conf->geo.set[raw->set].sectors &&
	       sectors <= conf->geo.set[raw->set].sectors - sector;
}

int par_lost_unpack(struct par_conf *conf, const struct par_disk_lost *raw)
{
	u32 count = le32_to_cpu(raw->count), i;
	unsigned long flags;

	par_store_assert(conf);
	if (count > PAR_LOST_MAX)
		return -EUCLEAN;
	for (i = 0; i < count; i++)
		if (!range_fits(conf, &raw->range[i]))
			return -EUCLEAN;
	spin_lock_irqsave(&conf->store->lost.lock, flags);
	for (i = 0; i < count; i++) {
		const struct par_disk_lost_range *range = &raw->range[i];
		u64 sector = le64_to_cpu(range->sector);

		merge_range(&conf->set[range->set]->vm[range->member], sector,
			    sector + le32_to_cpu(range->sectors));
	}
	spin_unlock_irqrestore(&conf->store->lost.lock, flags);
	return 0;
}

void par_lost_init(struct par_conf *conf)
{
	spin_lock_init(&conf->store->lost.lock);
	bio_list_init(&conf->store->healed);
}

