/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of requests, and the workers that continue them: queue.c.
 */
#ifndef RAID_PAR_QUEUE_H
#define RAID_PAR_QUEUE_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct par_conf;
struct par_vmember;

/*
 * struct par_queue - @lock: all lists of requests of the array; @long_wq: for works that wait;
 * @discard_wq: for discards, for which the drain of the log waits. Works of @long_wq may wait for
 * that drain: without memory for another worker, a discard behind them would wait for itself.
 */
struct par_queue {
	spinlock_t lock;	/* see above */
	struct workqueue_struct *wq, *long_wq, *discard_wq;
};

/*
 * par_queue_add - put @bio on one of conf's lists; any context.
 * par_queue_take - move all requests of a list to @bios, for a worker; process context.
 */
void par_queue_add(struct par_conf *conf, struct bio_list *list, struct bio *bio);
void par_queue_take(struct par_conf *conf, struct bio_list *list,
		    struct bio_list *bios);

/* par_requeue - have a worker route these requests again; any context */
void par_requeue(struct par_conf *conf, struct bio_list *bios);

/* par_bio_vm - the virtual member that a request has been sent to */
static inline struct par_vmember *par_bio_vm(const struct bio *bio)
{
	return bio->bi_bdev->bd_disk->private_data;
}

#endif
