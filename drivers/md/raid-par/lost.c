// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that are lost, and blocks that raid5 calls bad.
 *
 * A block of a virtual member is lost if none of its copies has its content, though
 * they may well be readable: a rebuild could not make it, since others could not be
 * read; an image did not take a write; propagation could not read the only copy. The
 * virtual member errs when it is read, in each gear, as a disk does for a sector that
 * it cannot read: so raid5 makes it from the others and writes it, if it can, and
 * nobody takes what lies there for data. A write that ends well heals it.
 *
 * The list is stored (PAR_BLOCK_LOST): a block is on it before anything is stored or
 * acknowledged that depends on it, and is taken off it before the write that heals it
 * is acknowledged, once that has been flushed. All changes are made under
 * conf->store_mutex, readers need conf->lost_lock only. Rows with lost blocks stay
 * written: see must_stay() in row.c.
 *
 * raid5 has a list of its own for each member, in memory, so that it answers requests
 * for a stripe of which too much is unreadable with an error instead of failing the
 * members. What it calls bad on a member that is in sync it could not read: the disk
 * will tell so again, and raid5 would never write a stripe with too many of these, so
 * they are forgotten when no request is under way. What it calls bad on one that it
 * rebuilds is lost.
 *
 * A write that an image does not take, for the same reason, goes to the home copy, for
 * which the sleeper is woken. raid5 is told of an error only if that is not to be had,
 * and what it calls bad then is lost as well.
 *
 * Timers: purge_work, two seconds after raid5 has called something bad.
 */
#include <linux/sched/mm.h>
#include <linux/seqlock.h>

#include "par.h"

#define PAR_PURGE	(2 * HZ)

/* ---- the list ---- */

static bool touches(const struct par_lost_range *range, const struct par_vmember *vm,
		    u64 sector, u64 end)
{
	return range->set == vm->set->number && range->member == vm->index &&
	       range->sector < end && sector < range->sector + range->sectors;
}

bool par_lost(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct par_conf *conf = vm->set->conf;
	unsigned long flags;
	bool lost = false;
	unsigned int i;

	if (likely(!READ_ONCE(vm->lost)))
		return false;
	spin_lock_irqsave(&conf->lost_lock, flags);
	for (i = 0; !lost && i < conf->lost_count; i++)
		lost = touches(&conf->lost[i], vm, sector, sector + sectors);
	spin_unlock_irqrestore(&conf->lost_lock, flags);
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

/* lost_lock held. */
static bool append(struct par_vmember *vm, u64 sector, u64 end)
{
	struct par_conf *conf = vm->set->conf;

	if (sector >= end)
		return true;
	if (conf->lost_count == PAR_LOST_MAX)
		return false;
	conf->lost[conf->lost_count++] = (struct par_lost_range) {
		.set = vm->set->number, .member = vm->index,
		.sector = sector, .sectors = end - sector,
	};
	WRITE_ONCE(vm->lost, vm->lost + 1);
	return true;
}

static void drop(struct par_vmember *vm, unsigned int i)
{
	struct par_conf *conf = vm->set->conf;

	conf->lost[i] = conf->lost[--conf->lost_count];
	WRITE_ONCE(vm->lost, vm->lost - 1);
}

/* Ranges that touch or overlap become one; lost_lock held. */
static bool merge(struct par_vmember *vm, u64 sector, u64 end)
{
	struct par_conf *conf = vm->set->conf;
	unsigned int i = 0;

	while (i < conf->lost_count) {
		struct par_lost_range *range = &conf->lost[i];

		if (!touches(range, vm, sector ? sector - 1 : 0, end + 1)) {
			i++;
			continue;
		}
		sector = min(sector, range->sector);
		end = max(end, range->sector + range->sectors);
		drop(vm, i);
	}
	return append(vm, sector, end);
}

/* Is all of it on the list already? lost_lock held. */
static bool covered(struct par_vmember *vm, u64 sector, u64 end)
{
	struct par_conf *conf = vm->set->conf;
	unsigned int i;

	for (i = 0; i < conf->lost_count; i++)
		if (touches(&conf->lost[i], vm, sector, end) &&
		    conf->lost[i].sector <= sector &&
		    end <= conf->lost[i].sector + conf->lost[i].sectors)
			return true;
	return false;
}

bool par_lost_add(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct par_conf *conf = vm->set->conf;
	unsigned long flags;
	bool added;

	lockdep_assert_held(&conf->store_mutex);
	spin_lock_irqsave(&conf->lost_lock, flags);
	added = covered(vm, sector, sector + sectors);
	if (!added) {
		added = merge(vm, sector, sector + sectors);
		conf->lost_due |= added;
	}
	spin_unlock_irqrestore(&conf->lost_lock, flags);
	return added;
}

/* lost_lock held. False, and nothing done, if there is no room to split a range. */
static bool cut_out(struct par_vmember *vm, unsigned int i, u64 sector, u64 end)
{
	struct par_conf *conf = vm->set->conf;
	struct par_lost_range range = conf->lost[i];

	if (range.sector < sector && end < range.sector + range.sectors &&
	    conf->lost_count == PAR_LOST_MAX)
		return false;
	drop(vm, i);
	append(vm, range.sector, sector);
	append(vm, end, range.sector + range.sectors);
	return true;
}

bool par_lost_remove(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct par_conf *conf = vm->set->conf;
	unsigned long flags;
	bool removed = true;
	unsigned int i = 0;

	lockdep_assert_held(&conf->store_mutex);
	spin_lock_irqsave(&conf->lost_lock, flags);
	while (removed && i < conf->lost_count) {
		if (!touches(&conf->lost[i], vm, sector, sector + sectors)) {
			i++;
			continue;
		}
		removed = cut_out(vm, i, sector, sector + sectors);
		conf->lost_due = true;
		i = 0;
	}
	spin_unlock_irqrestore(&conf->lost_lock, flags);
	return removed;
}

/* ---- as stored ---- */

void par_lost_pack(struct par_conf *conf, struct par_disk_lost *raw)
{
	unsigned int i;

	memset(raw, 0, sizeof(*raw));
	raw->count = cpu_to_le32(conf->lost_count);
	for (i = 0; i < conf->lost_count; i++) {
		raw->range[i].sector = cpu_to_le64(conf->lost[i].sector);
		raw->range[i].sectors = cpu_to_le32(conf->lost[i].sectors);
		raw->range[i].set = conf->lost[i].set;
		raw->range[i].member = conf->lost[i].member;
	}
}

/* Whole blocks within their set? */
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

	if (count > PAR_LOST_MAX)
		return -EUCLEAN;
	for (i = 0; i < count; i++)
		if (!range_fits(conf, &raw->range[i]))
			return -EUCLEAN;
	for (i = 0; i < count; i++) {
		const struct par_disk_lost_range *range = &raw->range[i];
		u64 sector = le64_to_cpu(range->sector);

		merge(&conf->set[range->set]->vm[range->member], sector,
		      sector + le32_to_cpu(range->sectors));
	}
	return 0;
}

/* ---- writes that no image takes ---- */

/* Of a row that is being started only the fill comes here, and need not be kept. */
static void keep_elsewhere(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;
	u64 row = bio->bi_iter.bi_sector >> conf->geo.seg_shift;
	enum par_seg_state state = par_map_get(vm->set, row, vm->index);
	struct bio_list again;
	int err = 0;

	if (state == PAR_SEG_UNWRITTEN) {
		par_store_lose(vm, bio->bi_iter.bi_sector, bio_sectors(bio));
		bio_io_error(bio);
		return;
	}
	bio->bi_status = BLK_STS_OK;
	if (!par_awake(conf, READ_ONCE(conf->gear), vm->index)) {
		par_miss(vm, bio);
		return;
	}
	if (state == PAR_SEG_IMAGE)
		err = par_salvage(vm->set, vm->index, row);
	if (err) {
		bio_io_error(bio);
		return;
	}
	bio_list_init(&again);
	bio_list_add(&again, bio);
	par_requeue(conf, &again);
}

/*
 * Neither with a set quiet, nor with a segment locked, is this work waited for. Each set
 * has its own: to salvage a segment of one waits for a write to an image, which another
 * set may be unable to keep.
 */
static void unkept_work(struct work_struct *work)
{
	struct par_set *set = container_of(work, struct par_set, unkept_work);
	unsigned int noio = memalloc_noio_save();
	struct bio_list bios;
	struct bio *bio;

	par_queue_take(set->conf, &set->unkept, &bios);
	while ((bio = bio_list_pop(&bios)))
		keep_elsewhere(par_bio_vm(bio), bio);
	memalloc_noio_restore(noio);
}

void par_unkept(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;

	par_queue_add(conf, &vm->set->unkept, bio);
	queue_work(conf->unkept_wq, &vm->set->unkept_work);
}

/* ---- what raid5 calls bad ---- */

void par_bad_block(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct mddev *child = &vm->set->mddev;

	if (test_bit(In_sync, &vm->rdev.flags) &&
	    !rdev_set_badblocks(&vm->rdev, sector, sectors, 0))
		md_error(child, &vm->rdev);
}

/* The @i-th range of a list; false if there is none. */
static bool bad_range(struct badblocks *bb, unsigned int i, u64 *sector,
		      unsigned int *sectors)
{
	unsigned int seq;
	bool any;

	do {
		seq = read_seqbegin(&bb->lock);
		any = i < bb->count;
		if (any) {
			*sector = BB_OFFSET(bb->page[i]);
			*sectors = BB_LEN(bb->page[i]);
		}
	} while (read_seqretry(&bb->lock, seq));
	return any;
}

static void fail_vmember(struct par_vmember *vm)
{
	md_error(&vm->set->mddev, &vm->rdev);
	md_wakeup_thread(vm->set->mddev.thread);
}

/*
 * A disk that does not take a write has failed, as in an array without such a list.
 * Whoever can sleep has failed by now, see write_ended(): what is left are images, and
 * what they have not taken is lost. Reads that erred meanwhile cannot be told from that.
 */
static void collect_member(struct par_vmember *vm)
{
	struct md_rdev *rdev = &vm->rdev;
	unsigned int i, sectors;
	u64 sector;

	if (!par_is_sleeper(&vm->set->conf->geo, vm->index) &&
	    test_bit(WriteErrorSeen, &rdev->flags)) {
		fail_vmember(vm);
		return;
	}
	if (test_bit(In_sync, &rdev->flags) && !test_bit(WriteErrorSeen, &rdev->flags))
		return;
	for (i = 0; bad_range(&rdev->badblocks, i, &sector, &sectors); i++)
		if (!par_lost_add(vm, sector, sectors)) {
			fail_vmember(vm);
			return;
		}
}

/* With the set's list looked at: has any member of it one? */
static bool collect_set(struct par_set *set)
{
	bool any = false;
	unsigned int d;

	for (d = 0; d < set->sg->members; d++) {
		struct par_vmember *vm = &set->vm[d];

		if (!vm->listed || test_bit(Faulty, &vm->rdev.flags) ||
		    (!READ_ONCE(vm->rdev.badblocks.count) &&
		     !test_bit(WriteErrorSeen, &vm->rdev.flags)))
			continue;
		any = true;
		collect_member(vm);
	}
	return any;
}

void par_bad_collect(struct par_conf *conf)
{
	bool any = false;
	unsigned int i;

	lockdep_assert_held(&conf->store_mutex);
	for (i = 1; conf->geo.parities && i <= conf->geo.gears; i++)
		if (conf->set[i] && conf->set[i]->running)
			any |= collect_set(conf->set[i]);
	if (any)
		queue_delayed_work(conf->long_wq, &conf->purge_work, PAR_PURGE);
}

/* All sets are quiet, and what is lost is stored. */
static void forget_bad(struct par_vmember *vm)
{
	struct badblocks *bb = &vm->rdev.badblocks;

	if (!vm->listed || test_bit(Faulty, &vm->rdev.flags))
		return;
	write_seqlock_irq(&bb->lock);
	bb->count = 0;
	bb->unacked_exist = 0;
	bb->changed = 0;
	write_sequnlock_irq(&bb->lock);
	if (par_is_sleeper(&vm->set->conf->geo, vm->index))
		clear_bit(WriteErrorSeen, &vm->rdev.flags);
}

static void forget_set(struct par_set *set)
{
	unsigned int d;

	for (d = 0; set->conf->geo.parities && d < set->sg->members; d++)
		forget_bad(&set->vm[d]);
}

int par_bad_purge(struct par_conf *conf, struct par_set *set)
{
	unsigned int i;
	int err = -EROFS;

	mutex_lock(&conf->store_mutex);
	if (md_is_rdwr(conf->mddev))
		err = par_store_lost(conf);
	for (i = 1; !err && i <= conf->geo.gears; i++)
		if (!set || set == conf->set[i])
			forget_set(conf->set[i]);
	mutex_unlock(&conf->store_mutex);
	return err;
}

static void purge_work(struct work_struct *work)
{
	struct par_conf *conf = container_of(to_delayed_work(work), struct par_conf,
					     purge_work);

	par_gate_quiesce(conf);
	par_bad_purge(conf, NULL);
	par_gate_resume(conf);
}

void par_lost_init(struct par_conf *conf)
{
	spin_lock_init(&conf->lost_lock);
	bio_list_init(&conf->healed);
}

void par_purge_init(struct par_conf *conf)
{
	INIT_DELAYED_WORK(&conf->purge_work, purge_work);
}

void par_unkept_init(struct par_conf *conf)
{
	conf->unkept_work = unkept_work;
}

void par_purge_rest(struct par_conf *conf)
{
	if (cancel_delayed_work_sync(&conf->purge_work))
		par_bad_purge(conf, NULL);
}
