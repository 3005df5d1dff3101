// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the files of the log share: its works, its members, its memory. See log.h.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "core/parent.h"
#include "log/log.h"

#define CREATE_TRACE_POINTS
#include "log/log_trace.h"

#define ADJACENT	4U	/* order of the largest number of adjacent pages */

static struct kmem_cache *slots_cache;

struct par_log_slot *par_log_slots(gfp_t gfp)
{
	return kmem_cache_alloc(slots_cache, gfp);
}

void par_log_slots_free(struct par_log_slot *slots)
{
	kmem_cache_free(slots_cache, slots);
}

/* The slots of a unit have a size for which no general cache fits well. */
int par_log_cache_init(void)
{
	slots_cache = kmem_cache_create("raid-par-log", PAR_LOG_SLOTS_BYTES, 0, 0, NULL);
	return slots_cache ? 0 : -ENOMEM;
}

void par_log_cache_exit(void)
{
	kmem_cache_destroy(slots_cache);
}

/* 2^@order adjacent pages, which are freed one by one; or NULL */
static struct page *adjacent_pages(unsigned int order, gfp_t gfp)
{
	struct page *page = alloc_pages(gfp | __GFP_NOWARN | __GFP_NORETRY, order);

	if (page && order)
		split_page(page, order);
	return page;
}

unsigned int par_log_pages(struct page **pages, unsigned int count, gfp_t gfp)
{
	unsigned int i, order, done = 0;

	while (done < count) {
		struct page *page = NULL;

		for (order = min_t(unsigned int, ADJACENT, ilog2(count - done)); order; order--) {
			page = adjacent_pages(order, gfp);
			if (page)
				break;
		}
		if (!page)
			page = alloc_page(gfp);
		if (!page)
			break;
		for (i = 0; i < 1U << order; i++)
			pages[done++] = page + i;
	}
	return done;
}

void par_log_drain_now(struct par_log *log)
{
	if (log->on && !READ_ONCE(log->paused))
		mod_delayed_work(log->queues.drain, &log->drain_work, 0);
}

void par_log_kick(struct par_log *log)
{
	queue_work(log->queues.append, &log->work);
}

bool par_log_broken(const struct par_log *log)
{
	return log->dead || test_bit(MD_BROKEN, &log->conf->mddev->flags);
}

bool par_log_usable(struct par_log *log, unsigned int d)
{
	return !(READ_ONCE(log->conf->store->super.log.absent) & BIT(d)) &&
	       par_member_usable(log->conf, d);
}

bool par_log_lacks_member(const struct par_log *log)
{
	struct par_store *store = log->conf->store;
	u32 back = READ_ONCE(store->super.log.absent) & READ_ONCE(store->whole);

	/* A failed member is also in store->whole, as its last superblock calls it whole. */
	return back && back & ~par_lost_members(log->conf);
}

struct md_rdev *par_log_rdev(struct par_log *log, unsigned int d)
{
	struct md_rdev *rdev = par_member_get(log->conf, d);

	/*
	 * A disk that is added in this place has no part in the log. This is set before the disk
	 * can be found here: pairs with par_hot_add(). It gets a part only while it is present,
	 * see par_store_log().
	 */
	smp_rmb();
	if (rdev && READ_ONCE(log->conf->store->super.log.absent) & BIT(d)) {
		par_member_put(log->conf, rdev);
		rdev = NULL;
	}
	return rdev;
}

void par_log_close_unit(struct par_log *log, u64 pos)
{
	u32 u = par_log_place(&log->shape, pos) / PAR_LOG_UNIT;
	struct par_log_slot *slots;

	might_sleep();
	spin_lock(&log->lock);
	slots = par_log_index_close(&log->index, u);
	spin_unlock(&log->lock);
	if (slots)
		par_log_slots_free(slots);
	wait_event(log->wait, !atomic_read(&log->reads[u]));
}

void par_log_read_put(struct par_log *log, u32 u)
{
	if (atomic_dec_and_test(&log->reads[u]))
		wake_up(&log->wait);
}

/* A bad sector is not corrected: the next record at this place overwrites it. */
void par_log_read_failed(struct par_log *log, const struct md_rdev *rdev)
{
	atomic64_inc(&log->count.bad_reads);
	pr_warn_ratelimited("md/par:%s: a read of the log on %pg has failed: another copy is used, if there is one\n",
			    mdname(log->conf->mddev), rdev->bdev);
}
