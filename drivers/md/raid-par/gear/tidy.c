// SPDX-License-Identifier: GPL-2.0
/*
 * Clears intents that no write needs any more, so that little has to be resynced after a
 * crash.
 *
 * Timers: tidy_work, every 30 seconds while intents are set. It clears those of zones
 * without a write since, a few at a time, so that writers are not delayed for long.
 */
#include "core/parent.h"
#include "gear/gear.h"
#include "pure/tidy-plan.h"

static bool is_idle(const struct par_zone *z)
{
	return READ_ONCE(z->intent) &&
	       time_after(jiffies, READ_ONCE(z->touched) + PAR_TIDY_S * HZ);
}

/* The first zone from @zone on whose intent has not been used for a while. */
static u32 next_idle(struct par_conf *conf, u32 zone)
{
	while (zone < conf->geo.zones && !is_idle(&conf->map.zone[zone]))
		zone++;
	return zone;
}

static u32 share_of_idle(struct par_conf *conf)
{
	u32 zone, count = 0;

	for (zone = next_idle(conf, 0); zone < conf->geo.zones;
	     zone = next_idle(conf, zone + 1))
		count++;
	return par_tidy_share(count);
}

/* Close the idle zones from @zone on, which admit no more writes then; returns the next zone. */
static u32 close_idle_zones(struct par_conf *conf, u32 zone)
{
	u32 count = 0;

	while (count < conf->tidy->share && zone < conf->geo.zones) {
		struct par_zone *z = &conf->map.zone[zone];
		spinlock_t *lock = par_zone_lock(conf, zone);

		spin_lock(lock);
		if (is_idle(z) && par_zone_close(z)) {
			__set_bit(zone, conf->store->idle);
			count++;
		}
		spin_unlock(lock);
		zone = next_idle(conf, zone + 1);
	}
	return zone;
}

static bool any_intent(struct par_conf *conf)
{
	u32 zone;

	for (zone = 0; zone < conf->geo.zones; zone++)
		if (READ_ONCE(conf->map.zone[zone].intent))
			return true;
	return false;
}

static void flush_ended(struct bio *bio)
{
	complete(bio->bi_private);
}

/*
 * Flush as for a user, in the present gear, and not under conf->store->mutex: the store's
 * flush after it, for which writers wait, then takes only a moment. Nothing relies on this
 * flush.
 */
static void flush_ahead(struct par_conf *conf)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct bio bio;

	bio_init(&bio, conf->mddev->gendisk->part0, NULL, 0,
		 REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC);
	bio.bi_private = &done;
	bio.bi_end_io = flush_ended;
	par_flush_request(conf, &bio, false);
	wait_for_completion_io(&done);
	bio_uninit(&bio);
}

/*
 * Writes that were admitted to an idle zone may still be under way. They have ended once
 * every set has been quiet for a moment. While a request waits for a member to wake, that would
 * take as long: the zones stay closed then, until they are wanted or closed again.
 */
static void clear_zones(struct par_conf *conf, u32 zone)
{
	flush_ahead(conf);
	conf->tidy->at = close_idle_zones(conf, zone);
	if (par_gate_calm(conf)) {
		par_gate_resume(conf);
		par_store_clear_idle(conf);
	} else {
		conf->tidy->at = zone;
	}
}

static void tidy_work(struct work_struct *work)
{
	struct par_conf *conf = container_of(to_delayed_work(work),
					     struct par_conf, up.tidy_work);
	u32 zone = next_idle(conf, conf->tidy->at);
	unsigned long pause = PAR_TIDY_S * HZ;

	if (!conf->tidy->at)
		conf->tidy->share = share_of_idle(conf);
	conf->tidy->at = 0;
	/* At its end, a shift down clears all intents: it needs no other flush for that. */
	if (md_is_rdwr(conf->mddev) && zone < conf->geo.zones &&
	    READ_ONCE(conf->shift->state) != PAR_SHIFT_DOWN) {
		if (!par_any_missed(&conf->wish))
			clear_zones(conf, zone);
		pause = msecs_to_jiffies(PAR_TIDY_PAUSE_MS);
	}
	/* The store may have queued the work already, for a later time. */
	if (any_intent(conf))
		mod_delayed_work(conf->queue.long_wq, &conf->up.tidy_work, pause);
}

void par_tidy_init(struct par_conf *conf)
{
	INIT_DELAYED_WORK(&conf->up.tidy_work, tidy_work);
}

void par_tidy_drain(struct par_conf *conf)
{
	might_sleep();
	/* The next write queues it again. */
	cancel_delayed_work_sync(&conf->up.tidy_work);
}
