// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of requests: a request that has to wait is put on a list, and a worker takes it
 * from there and continues it.
 */
#include "core/set.h"

void par_queue_add(struct par_conf *conf, struct bio_list *list, struct bio *bio)
{
	unsigned long flags;

	spin_lock_irqsave(&conf->queue.lock, flags);
	bio_list_add(list, bio);
	spin_unlock_irqrestore(&conf->queue.lock, flags);
}

void par_queue_take(struct par_conf *conf, struct bio_list *list,
		    struct bio_list *bios)
{
	spin_lock_irq(&conf->queue.lock);
	*bios = *list;
	bio_list_init(list);
	spin_unlock_irq(&conf->queue.lock);
}

void par_requeue(struct par_conf *conf, struct bio_list *bios)
{
	struct bio *bio;

	while ((bio = bio_list_pop(bios))) {
		struct par_set *set = par_bio_vm(bio)->set;

		par_queue_add(conf, &set->route.dispatch, bio);
		queue_work(set->route.wq, &set->route.dispatch_work);
	}
}
