// SPDX-License-Identifier: GPL-2.0
/*
 * Set-up and end of the write log. See log.h.
 */
#include <linux/slab.h>

#include "core/parent.h"
#include "log/log.h"

static int alloc_pages_of(struct page **pages, unsigned int count)
{
	return par_log_pages(pages, count, GFP_KERNEL) == count ? 0 : -ENOMEM;
}

static void free_pages_of(struct page **pages, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (pages[i])
			put_page(pages[i]);
}

static int init_sent(struct par_log *log)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < PAR_LOG_RECORDS; i++) {
		log->sent[i].log = log;
		bio_list_init(&log->sent[i].bios);
		err = alloc_pages_of(&log->sent[i].header, 1);
		err = err ?: alloc_pages_of(log->sent[i].data, PAR_LOG_DATA);
	}
	return err;
}

static int init_index(struct par_log *log)
{
	u32 units = log->shape.units;
	struct par_log_slot **unit = kvcalloc(units, sizeof(*unit), GFP_KERNEL);
	u32 *chain = kvcalloc(1U << par_log_index_bits(units), sizeof(*chain), GFP_KERNEL);

	par_log_index_init(&log->index, units, unit, chain);
	log->reads = kvcalloc(units, sizeof(*log->reads), GFP_KERNEL);
	return unit && chain && log->reads ? 0 : -ENOMEM;
}

static int init_queues(struct par_log *log)
{
	const char *name = mdname(log->conf->mddev);
	struct par_log_queues *queues = &log->queues;
	int err;

	queues->append = alloc_ordered_workqueue("%s-par-log", WQ_MEM_RECLAIM | WQ_HIGHPRI, name);
	queues->drain = alloc_ordered_workqueue("%s-par-drain", WQ_MEM_RECLAIM, name);
	queues->gather = alloc_ordered_workqueue("%s-par-gather", WQ_MEM_RECLAIM, name);
	if (!queues->append || !queues->drain || !queues->gather)
		return -ENOMEM;
	err = bioset_init(&log->pools.bios, BIO_POOL_SIZE, 0, BIOSET_NEED_BVECS);
	err = err ?: bioset_init(&log->pools.splits, BIO_POOL_SIZE, 0, 0);
	err = err ?: bioset_init(&log->pools.parts, BIO_POOL_SIZE, 0, 0);
	err = err ?: bioset_init(&log->pools.homes, BIO_POOL_SIZE, 0, BIOSET_NEED_BVECS);
	return err ?: par_log_read_init(log);
}

int par_log_init(struct par_conf *conf)
{
	struct par_log *log = conf->log;
	int err;

	log->conf = conf;
	conf->up.log_submit = par_log_submit;
	spin_lock_init(&log->lock);
	mutex_init(&log->ready_lock);
	init_waitqueue_head(&log->wait);
	INIT_WORK(&log->work, par_log_append_work);
	INIT_DELAYED_WORK(&log->use.slow_work, par_log_slow_work);
	INIT_WORK(&log->gathered.work, par_log_gather_work);
	INIT_DELAYED_WORK(&log->drain_work, par_log_drain_work);
	if (!conf->geo.log_sectors)
		return 0;
	if (!par_log_shape_of(&log->shape, &conf->geo)) {
		pr_err("md/par:%s: the log is too small\n", mdname(conf->mddev));
		return -EINVAL;
	}
	err = init_sent(log);
	err = err ?: par_log_drain_alloc(log);
	err = err ?: init_index(log);
	err = err ?: init_queues(log);
	err = err ?: init_srcu_struct(&log->gate.past);
	log->on = !err;
	return err;
}

void par_log_exit(struct par_conf *conf)
{
	struct par_log *log = conf->log;
	unsigned int i;
	u32 u;

	/* Its work may be about to kick the records' work, though its requests have ended. */
	if (log->queues.gather)
		destroy_workqueue(log->queues.gather);
	par_log_summaries_exit(log);
	if (log->queues.drain) {
		disable_delayed_work_sync(&log->drain_work);
		destroy_workqueue(log->queues.drain);
	}
	if (log->queues.append) {
		disable_delayed_work_sync(&log->use.slow_work);
		destroy_workqueue(log->queues.append);
	}
	for (u = 0; log->index.unit && u < log->use.area; u++)
		if (log->index.unit[u])
			par_log_slots_free(log->index.unit[u]);
	if (log->spare)
		par_log_slots_free(log->spare);
	for (i = 0; i < PAR_LOG_RECORDS; i++) {
		free_pages_of(&log->sent[i].header, 1);
		free_pages_of(log->sent[i].data, PAR_LOG_DATA);
	}
	par_log_drain_free(log);
	kvfree(log->index.unit);
	kvfree(log->index.chain);
	kvfree(log->reads);
	bioset_exit(&log->pools.bios);
	bioset_exit(&log->pools.splits);
	bioset_exit(&log->pools.parts);
	bioset_exit(&log->pools.homes);
	bioset_exit(&log->pools.clones);
	if (log->on) {
		/* A task may have sent the last write, and not have left the section yet. */
		synchronize_srcu(&log->gate.past);
		cleanup_srcu_struct(&log->gate.past);
	}
	mempool_exit(&log->pools.pages);
}

void par_log_pause(struct par_conf *conf)
{
	struct par_log *log = conf->log;
	u64 done;

	might_sleep();
	if (!log->on)
		return;
	WRITE_ONCE(log->paused, true);
	cancel_delayed_work_sync(&log->drain_work);
	flush_work(&log->work);
	par_log_summaries_store(log);
	spin_lock(&log->lock);
	done = log->ring.done;
	spin_unlock(&log->lock);
	if (md_is_rdwr(conf->mddev) && log->ready && done > conf->store->super.log.stable &&
	    par_store_log_flushed(conf, done))
		pr_err("md/par:%s: could not flush the log\n", mdname(conf->mddev));
}

void par_log_resume(struct par_conf *conf)
{
	struct par_log *log = conf->log;

	if (!log->on || log->ended)
		return;
	WRITE_ONCE(log->paused, false);
	par_log_writable(conf);
	/* Not at once: md may be about to make the array read-only, which is clean now. */
	queue_delayed_work(log->queues.drain, &log->drain_work,
			   READ_ONCE(log->wanted) || READ_ONCE(log->discards.head) ?
			   0 : PAR_LOG_LOOK);
}

void par_log_writable(struct par_conf *conf)
{
	if (READ_ONCE(conf->log->renew) && md_is_rdwr(conf->mddev))
		par_log_kick(conf->log);
}

u32 par_log_filled(struct par_conf *conf, u32 *blocks)
{
	struct par_log *log = conf->log;
	u32 used = 0;

	spin_lock(&log->lock);
	*blocks = log->ring.blocks;
	if (!par_log_ring_empty(&log->ring))
		used = par_log_ring_used(&log->ring);
	spin_unlock(&log->lock);
	return used;
}

static void turn_gate(struct par_log *log)
{
	spin_lock(&log->lock);
	WRITE_ONCE(log->gate.turn, log->gate.turn + 1);
	spin_unlock(&log->lock);
}

bool par_log_hold(struct par_conf *conf, bool (*stop)(struct par_conf *conf))
{
	struct par_log *log = conf->log;

	might_sleep();
	if (!log->on)
		return true;
	turn_gate(log);
	synchronize_srcu(&log->gate.past);
	wait_event(conf->wish.wait, !READ_ONCE(log->gate.slice) || stop(conf));
	par_log_drain_now(log);
	return !READ_ONCE(log->gate.slice);
}

void par_log_go_on(struct par_conf *conf)
{
	if (!conf->log->on)
		return;
	turn_gate(conf->log);
	par_log_drain_now(conf->log);
	par_log_summaries_look(conf->log);
}

void par_log_end(struct par_conf *conf)
{
	conf->log->ended = true;
}
