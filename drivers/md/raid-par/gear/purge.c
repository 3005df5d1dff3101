// SPDX-License-Identifier: GPL-2.0
/*
 * Having raid5 forget blocks that it lists as bad: see the head of lost.c.
 *
 * Timers: purge_work, two seconds after raid5 has listed a block as bad; and every second while a
 * request waits for a member to wake.
 */
#include <linux/seqlock.h>

#include "core/parent.h"
#include "gear/gear.h"

#define PURGE_AGAIN	HZ

/* All sets are quiet, and the lost blocks are stored. */
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

	mutex_lock(&conf->store->mutex);
	if (md_is_rdwr(conf->mddev))
		err = par_store_lost(conf);
	for (i = 1; !err && i <= conf->geo.gears; i++)
		if (!set || set == conf->set[i])
			forget_set(conf->set[i]);
	mutex_unlock(&conf->store->mutex);
	return err;
}

static void purge_work(struct work_struct *work)
{
	struct par_conf *conf = container_of(to_delayed_work(work), struct par_conf,
					     up.purge_work);

	if (!par_gate_calm(conf)) {
		queue_delayed_work(conf->queue.long_wq, &conf->up.purge_work, PURGE_AGAIN);
		return;
	}
	par_bad_purge(conf, NULL);
	par_gate_resume(conf);
}

void par_purge_init(struct par_conf *conf)
{
	INIT_DELAYED_WORK(&conf->up.purge_work, purge_work);
}

void par_purge_drain(struct par_conf *conf)
{
	might_sleep();
	if (cancel_delayed_work_sync(&conf->up.purge_work))
		par_bad_purge(conf, NULL);
}
