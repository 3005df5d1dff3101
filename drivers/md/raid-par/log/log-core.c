// SPDX-License-Identifier: GPL-2.0
/*
 * What the files of the log share: its works, its members, its memory. See log.h.
 */
#include <linux/slab.h>

#include "core/parent.h"
#include "log/log.h"

#define CREATE_TRACE_POINTS
#include "log/log_trace.h"

static struct kmem_cache *slots_cache;

struct par_log_slot *par_log_slots(gfp_t gfp)
{
	return kmem_cache_alloc(slots_cache, gfp);
}

void par_log_slots_free(struct par_log_slot *slots)
{
	kmem_cache_free(slots_cache, slots);
}

/* Of units, which are too odd a size for others. */
int par_log_cache_init(void)
{
	slots_cache = kmem_cache_create("raid-par-log", PAR_LOG_SLOTS_BYTES, 0, 0, NULL);
	return slots_cache ? 0 : -ENOMEM;
}

void par_log_cache_exit(void)
{
	kmem_cache_destroy(slots_cache);
}

void par_log_drain_now(struct par_log *log)
{
	if (log->on && !READ_ONCE(log->paused))
		mod_delayed_work(log->drain_wq, &log->drain_work, 0);
}

void par_log_kick(struct par_log *log)
{
	queue_work(log->wq, &log->work);
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

struct md_rdev *par_log_rdev(struct par_log *log, unsigned int d)
{
	/* It gets a part again only while it is there: see par_store_log(). */
	if (READ_ONCE(log->conf->store->super.log.absent) & BIT(d))
		return NULL;
	return par_member_get(log->conf, d);
}

void par_log_read_put(struct par_log *log, u32 u)
{
	if (atomic_dec_and_test(&log->reads[u]))
		wake_up(&log->wait);
}
