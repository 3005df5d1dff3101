// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that raid5 lists as bad: see the head of lost.c.
 */
#include <linux/seqlock.h>

#include "core/parent.h"
#include "meta/store.h"

#define PAR_PURGE	(2 * HZ)

void par_bad_block(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct mddev *child = &vm->set->child.mddev;

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
	md_error(&vm->set->child.mddev, &vm->rdev);
	md_wakeup_thread(vm->set->child.mddev.thread);
}

/*
 * A disk that does not accept a write has failed, as in an array without such a list. A
 * sleeper has been failed by now, see watch_endio(); the remaining entries belong to
 * images, and writes that these did not accept are lost. Reads that failed meanwhile cannot
 * be distinguished from that.
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

/* Look at the set's lists: does any member have entries? */
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

	lockdep_assert_held(&conf->store->mutex);
	for (i = 1; conf->geo.parities && i <= conf->geo.gears; i++)
		if (conf->set[i] && conf->set[i]->running)
			any |= collect_set(conf->set[i]);
	if (any)
		queue_delayed_work(conf->queue.long_wq, &conf->up.purge_work, PAR_PURGE);
}
