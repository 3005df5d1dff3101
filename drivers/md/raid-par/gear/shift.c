// SPDX-License-Identifier: GPL-2.0
/*
 * Shifting, and the mover: the one thread that shifts down and propagates. See
 * gear.h for the contracts.
 *
 * Up: the members are brought up to date with the metadata, the gear changes
 * at once, and what is valid in the images only is propagated afterwards.
 *
 * Down: what is valid on the home copies only is propagated while the array
 * serves, in passes (approach.h). When little is left, the sets that would use the
 * members going to sleep are made quiet, from the home set downwards, each before the
 * band of members imaged in the gear set below it is finished; then everything is
 * checkpointed and the gear changes. Until then nothing is lost by giving up.
 *
 * What the mover waits for, writers and its own copies, may come to need a
 * sleeper: the set they go to has lost a member. So the gear can be raised while
 * the mover waits, by a work (raise_work()), whose wait is for disks only. The
 * mover finds the gear changed and gives up what it was doing.
 *
 * Timers: two. The mover waits for conf->wish.wait, and while a shift down is put off,
 * for want of spin-ups, no longer than until it is to be asked for again. raise_work() tries
 * again after PAR_RAISE_FIRST to PAR_RAISE_LAST if requests wait for what could not be stored.
 */
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/sched/mm.h>

#include "core/event.h"
#include "core/parent.h"
#include "gear/gear.h"
#include "log/log.h"

#define PAR_OUTRUN_S	600U	/* then the policy waits so long at least … */
#define PAR_OUTRUN_NUM	4U	/* … and for so many times what the attempt took */

#define PAR_RAISE_FIRST	((unsigned long)HZ)
#define PAR_RAISE_LAST	(8UL * HZ)

/* ---- shifts that are put off ---- */

/* So long may the mover sleep if nobody wakes it. */
static unsigned long until_next(struct par_conf *conf)
{
	unsigned long until = READ_ONCE(conf->wish.put_off_until), now = jiffies;

	return par_is_put_off(conf) && time_after(until, now) ? until - now :
	       MAX_SCHEDULE_TIMEOUT;
}

/*
 * Who would be stopped has no spin-up left to wake up with. That is told once; it is
 * asked again when there are some, or when the clock may have been set.
 */
static bool put_off(struct par_conf *conf)
{
	bool told = READ_ONCE(conf->wish.put_off) == conf->wish.aim;
	u32 refusing;
	u64 wait;

	refusing = par_power_refuses(conf, conf->wish.aim, &wait);
	if (!refusing)
		return false;
	par_wish_put_off(conf, min_t(u64, wait, PAR_ASK_RATION) * HZ);
	if (told)
		return true;
	par_power_count_refusal(conf);
	pr_warn("md/par:%s: the shift down to gear %u is deferred: member %u has no spin-ups left; it gets more in %llu s\n",
		mdname(conf->mddev), conf->geo.set[conf->wish.aim].members,
		(unsigned int)__ffs(refusing), wait);
	par_event(conf, "PAR_EVENT=put-off\nPAR_GEAR=%u\nPAR_MEMBER=%u\nPAR_SECONDS=%llu",
		  conf->geo.set[conf->wish.aim].members, (unsigned int)__ffs(refusing),
		  wait);
	par_shift_notify(conf);
	return true;
}

/* ---- the mover ---- */

static void announce_gear(struct par_conf *conf)
{
	par_event(conf, "PAR_EVENT=shift\nPAR_GEAR=%u\nPAR_MEMBERS=%u",
		  conf->geo.set[conf->gear].members, conf->geo.members);
	par_shift_notify(conf);
	md_new_event();
}

static void shift_begin(struct par_conf *conf, enum par_shift_state state,
			u64 segments)
{
	conf->shift->started = jiffies;
	conf->shift->total = segments;
	conf->shift->done = 0;
	WRITE_ONCE(conf->shift->state, state);
	par_shift_notify(conf);
}

static void shift_end(struct par_conf *conf, int err)
{
	WRITE_ONCE(conf->shift->state, PAR_SHIFT_IDLE);
	/* Before md's thread is woken, which may ask for a shift anew. */
	par_wish_ended(conf, err);
	par_remove_again(conf);
	if (!err)
		conf->shift->took_ms = jiffies_to_msecs(jiffies - conf->shift->started);
	par_shift_notify(conf);
}

/* Under gear_mutex, so that it is this gear that is told. */
static void gear_changed(struct par_conf *conf, const char *which)
{
	lockdep_assert_held(&conf->gear_mutex);
	conf->shift->count++;
	pr_info("md/par:%s: shifted %s to gear %u of %u\n", mdname(conf->mddev),
		which, conf->geo.set[conf->gear].members, conf->geo.members);
	announce_gear(conf);
	par_power_gear(conf);
}

static u32 members_of(struct par_conf *conf, unsigned int gear)
{
	return BIT(conf->geo.set[gear].members) - 1;
}

/*
 * A member that does not wake up fails. But if these are more than parity can
 * replace, none of them fails as long as no request needs one: the images hold
 * all data, and the gear serves it. A request that does need one cannot be answered
 * otherwise: raid5 would take an error of ours for one of a member that is awake.
 * @dead have not started.
 */
static int wake_members(struct par_conf *conf, unsigned int gear, u32 dead)
{
	unsigned int d;

	dead |= par_members_answer(conf, members_of(conf, gear) &
			       ~members_of(conf, conf->gear) & ~dead);

	if (hweight32(dead) + conf->mddev->degraded > conf->geo.parities && dead &&
	    bio_list_empty(&conf->wish.missed)) {
		for (d = 0; d < conf->geo.members; d++)
			if (dead & BIT(d))
				pr_crit("md/par:%s: member %u (%pg) does not wake up: check its disk and cables; a write to gear retries\n",
					mdname(conf->mddev), d,
					conf->member[d].rdev->bdev);
		return -EHOSTDOWN;
	}
	for (d = 0; d < conf->geo.members; d++)
		if (dead & BIT(d))
			par_member_failed(conf, d);
	return 0;
}

static void gear_raised(struct par_conf *conf)
{
	gear_changed(conf, "up");
	WRITE_ONCE(conf->wish.again, 0);
	par_wish_ended(conf, 0);
	par_propagation_due(conf);
	par_log_drain_now(conf->log);
	/* They may have waited for this: see par_thread(), par_hot_add(). */
	par_write_deferred_sb(conf);
	set_bit(MD_RECOVERY_NEEDED, &conf->mddev->recovery);
	md_wakeup_thread(conf->mddev->thread);
}

/* Is what waits for disks to start to give up? The mover has others to heed. */
static bool wake_interrupted(struct par_conf *conf)
{
	if (current != conf->shift->mover)
		return READ_ONCE(conf->power->ending);
	/* In a read-only array it wakes members all the same. */
	return md_is_rdwr(conf->mddev) ? par_mover_interrupted(conf) :
	       kthread_should_stop();
}

/*
 * Once the disks turn. Returns -EAGAIN if others than @started are needed: the gear
 * has been lowered meanwhile.
 */
static int raise_started(struct par_conf *conf, unsigned int gear, u32 started,
			 u32 dead)
{
	u32 asleep = members_of(conf, gear) & ~members_of(conf, conf->gear);
	int err;

	lockdep_assert_held(&conf->gear_mutex);
	if (!asleep)
		return 0;
	if (asleep & ~started)
		return -EAGAIN;
	err = wake_members(conf, gear, dead & asleep);
	err = err ?: par_store_gear(conf, gear, members_of(conf, gear));
	if (!err)
		gear_raised(conf);
	return err;
}

/* To gear @gear, unless it is that or more already; while the array serves. */
static int raise_gear(struct par_conf *conf, unsigned int gear)
{
	u32 started, dead;
	int err;

	do {
		started = members_of(conf, gear) &
			  ~members_of(conf, READ_ONCE(conf->gear));
		err = par_power_wake(conf, started, wake_interrupted, &dead);
		if (!err) {
			mutex_lock(&conf->gear_mutex);
			err = raise_started(conf, gear, started, dead);
			mutex_unlock(&conf->gear_mutex);
		}
		par_power_release(conf, started);
	} while (err == -EAGAIN);
	return err;
}

static int shift_up(struct par_conf *conf)
{
	int err;

	shift_begin(conf, PAR_SHIFT_UP, 0);
	err = raise_gear(conf, conf->wish.aim);
	shift_end(conf, err);
	return err;
}

/*
 * The members turn, and the store could not bring them up to date. That says nothing against
 * them, but raid5 would take an error for theirs: so the requests that need them wait, and all
 * of it is tried again. Not once the array has too few members left, or is to be quiet.
 */
static bool defer_missed(struct par_conf *conf, int err)
{
	unsigned long again = clamp(2 * READ_ONCE(conf->wish.again), PAR_RAISE_FIRST,
				    PAR_RAISE_LAST);

	if (!err || err == -EHOSTDOWN || test_bit(MD_BROKEN, &conf->mddev->flags) ||
	    READ_ONCE(conf->wish.paused) || READ_ONCE(conf->power->ending))
		return false;
	WRITE_ONCE(conf->wish.again, again);
	queue_delayed_work(conf->up.raise_wq, &conf->up.raise_work, again);
	return true;
}

/*
 * The gear has been raised or could not be: see to the requests that wait for a
 * sleeper. Those that came too late to have one failed try once more.
 */
static void answer_missed(struct par_conf *conf, int err)
{
	if (!defer_missed(conf, err))
		par_retry_missed(conf, err == -EHOSTDOWN ? 0 : err);
}

/* Requests wait for a sleeper, and the mover perhaps for them: see above. */
static void raise_work(struct work_struct *work)
{
	struct par_conf *conf = container_of(to_delayed_work(work), struct par_conf,
					     up.raise_work);
	unsigned int noio = memalloc_noio_save();
	int err = 0;

	/* In a read-only array the mover has nothing else to do. */
	if (md_is_rdwr(conf->mddev)) {
		err = raise_gear(conf, READ_ONCE(conf->wish.target));
		answer_missed(conf, err);
	}
	memalloc_noio_restore(noio);
}

/* Sets above gear @gear have members that will sleep in it. */
static void track_above(struct par_conf *conf, unsigned int gear, bool on)
{
	unsigned int i;

	for (i = gear + 1; i <= conf->geo.gears; i++)
		atomic_add(on ? 1 : -1, &conf->set[i]->tracking);
}

/*
 * Propagate down to the images, for all members that sleep in conf->wish.aim. The
 * highest band first: its images make segments of lower bands diverge.
 */
static int propagate_down(struct par_conf *conf, struct par_pass *pass)
{
	unsigned int band, i;
	int err = 0;

	for (band = conf->geo.gears - 1; !err && band >= conf->wish.aim; band--)
		for (i = conf->geo.gears; !err && i > band; i--)
			err = par_propagate(conf->set[i], band, PAR_SEG_HOME, pass);
	return err;
}

/*
 * The last segments, with the sets quiet one after another, for no longer than
 * PAR_HOLD_NS. Gate held. Returns -EAGAIN if there were too many.
 */
static int finish_down(struct par_conf *conf, struct par_pass *pass)
{
	unsigned int band, i;
	int err = 0;

	lockdep_assert_held(&conf->gate->mutex);
	for (band = conf->geo.gears - 1; band >= conf->wish.aim; band--) {
		struct par_set *above = conf->set[band + 1];

		above->ops->quiesce(above, true);
		if (!pass->until)
			pass->until = ktime_get_ns() + PAR_HOLD_NS;
		for (i = conf->geo.gears; !err && i > band; i--)
			err = par_propagate(conf->set[i], band, PAR_SEG_HOME, pass);
	}
	for (i = conf->wish.aim; i >= 1; i--)
		conf->set[i]->ops->quiesce(conf->set[i], true);
	if (!err && par_segments_above(conf, conf->wish.aim, PAR_SEG_HOME))
		err = -EAGAIN;
	return err;
}

/*
 * Everything is quiet and every sleeper-to-be has its data in the images too.
 * The members that stay are told the new gear; the others are not written, so
 * their copy of the metadata is older and can never win at assembly.
 */
static int change_down(struct par_conf *conf, unsigned int old, struct par_pass *pass)
{
	int err = finish_down(conf, pass);

	lockdep_assert_held(&conf->gate->mutex);
	/* Now that all is quiet nobody needs a sleeper; but somebody may have. */
	mutex_lock(&conf->gear_mutex);
	err = err ?: conf->gear == old ? 0 : -EINTR;
	err = err ?: par_store_checkpoint(conf, false);
	err = err ?: par_store_gear(conf, conf->wish.aim, members_of(conf, conf->wish.aim));
	if (!err) {
		smp_mb();	/* pairs with the one in flush_get(): the gear before the count */
		/* A flush that saw the old gear is still on its way to them. */
		wait_event(conf->io->wait, !atomic_read(&conf->io->flushes[old]));
	}
	par_sets_resume(conf, 1);
	if (!err) {
		WRITE_ONCE(conf->shift->outrun_until, 0);
		gear_changed(conf, "down");
	}
	mutex_unlock(&conf->gear_mutex);
	return err;
}

/* Writes are held, if all is as it was. Returns -EAGAIN if one more pass is needed. */
static int hold_down(struct par_conf *conf, unsigned int old, struct par_pass *pass)
{
	u64 began;
	int err;

	/* What is flushed and stored now need not be while writes are held. */
	err = par_store_map(conf);
	if (err)
		return err;
	/* That has taken its time, too. */
	if (par_segments_above(conf, conf->wish.aim, PAR_SEG_HOME) > pass->batch)
		return -EAGAIN;
	if (!par_gate_enter(conf))
		return -EINTR;
	began = ktime_get_ns();
	if (par_mover_interrupted(conf))
		err = -EINTR;
	else
		err = par_syncing(conf->mddev) ? -EBUSY : change_down(conf, old, pass);
	WRITE_ONCE(conf->shift->hold_ms, max_t(u64, conf->shift->hold_ms,
					       div_u64(ktime_get_ns() - began, NSEC_PER_MSEC)));
	par_gate_leave(conf);
	if (err == -EAGAIN)
		par_approach_failed(&conf->shift->approach);
	return err;
}

/*
 * The array is written faster than the copies can be made. The policy does not try again
 * at once: what was copied was work for nothing.
 */
static int shift_outrun(struct par_conf *conf)
{
	u64 took = (jiffies - conf->shift->started) / HZ;

	pr_warn("md/par:%s: the shift down to gear %u gives up after %llu s: data is written faster than it can be copied\n",
		mdname(conf->mddev), conf->geo.set[conf->wish.aim].members, took);
	WRITE_ONCE(conf->shift->outrun_until, ktime_get_seconds() +
		   max_t(u64, PAR_OUTRUN_S, PAR_OUTRUN_NUM * took));
	return -ETIMEDOUT;
}

/* What a shift down to gear @gear has to copy at most: see approach.h. */
u64 par_shift_segments(struct par_conf *conf, unsigned int gear)
{
	return par_segments_above(conf, gear, PAR_SEG_HOME) * (conf->geo.gears - gear);
}

/* Pass by pass, until what is left can be copied with writes held: see approach.h. */
static int approach_down(struct par_conf *conf, unsigned int old)
{
	struct par_approach *approach = &conf->shift->approach;
	struct par_pass pass;
	u64 left = par_segments_above(conf, conf->wish.aim, PAR_SEG_HOME);
	int err;

	for (;;) {
		if (par_mover_interrupted(conf))
			return -EINTR;
		par_approach_pass(approach, left, ktime_get_ns(), &pass);
		err = propagate_down(conf, &pass);
		if (err)
			return err == -ETIMEDOUT ? shift_outrun(conf) : err;
		left = par_segments_above(conf, conf->wish.aim, PAR_SEG_HOME);
		switch (par_approach_next(approach, &pass, left, ktime_get_ns())) {
		case PAR_APPROACH_PASS:
			break;
		case PAR_APPROACH_HOLD:
			err = hold_down(conf, old, &pass);
			if (err != -EAGAIN)
				return err;
			left = par_segments_above(conf, conf->wish.aim, PAR_SEG_HOME);
			break;
		case PAR_APPROACH_OUTRUN:
			return shift_outrun(conf);
		}
	}
}

static int shift_down(struct par_conf *conf)
{
	unsigned int old = READ_ONCE(conf->gear);
	int err;

	/* A member may have failed since this was asked for, or a check begun. */
	if (conf->mddev->degraded || par_syncing(conf->mddev))
		return -EBUSY;
	if (put_off(conf)) {
		par_wish_ended(conf, -EDQUOT);
		return -EDQUOT;
	}
	WRITE_ONCE(conf->shift->hold_ms, 0);
	par_approach_begin(&conf->shift->approach, par_shift_segments(conf, conf->wish.aim),
			   conf->geo.seg_sectors / 2, conf->store->super.speed_min,
			   ktime_get_ns());
	shift_begin(conf, PAR_SHIFT_DOWN,
		    par_segments_above(conf, conf->wish.aim, PAR_SEG_HOME));
	/* Writes that are not counted are over once all has been quiet. */
	track_above(conf, conf->wish.aim, true);
	par_gate_quiesce(conf);
	par_gate_resume(conf);

	err = approach_down(conf, old);
	track_above(conf, conf->wish.aim, false);
	shift_end(conf, err);
	return err;
}

/* In a gear: what only the images hold, to the home copies of who is awake. */
static int propagate_home(struct par_conf *conf)
{
	struct par_pass pass = { 0 };
	unsigned int band, i;
	int err = 0;

	shift_begin(conf, PAR_SHIFT_PROPAGATE, par_segments_above(conf, 1, PAR_SEG_IMAGE) -
		    par_segments_above(conf, conf->gear, PAR_SEG_IMAGE));
	for (band = 1; !err && band < conf->gear; band++)
		for (i = conf->geo.gears; !err && i > band; i--)
			err = par_propagate(conf->set[i], band, PAR_SEG_IMAGE, &pass);
	err = err ?: par_store_zones(conf);
	WRITE_ONCE(conf->shift->state, PAR_SHIFT_IDLE);
	par_remove_again(conf);
	par_shift_notify(conf);
	return err;
}

static bool work_due(struct par_conf *conf)
{
	bool missed = !bio_list_empty(&conf->wish.missed);

	if (kthread_should_stop())
		return true;
	if (!md_is_rdwr(conf->mddev))
		return missed;
	/* What is missed while it rests, or deferred, raise_work() sees to. */
	missed &= !delayed_work_pending(&conf->up.raise_work);
	return !par_mover_paused(conf) &&
	       (missed || par_wanted(conf) != conf->gear ||
		conf->shift->propagation_due);
}

/* A shift that has failed is not retried indefinitely. */
static void give_up(struct par_conf *conf, int err)
{
	if (err && err != -EINTR && err != -EDQUOT) {
		pr_warn("md/par:%s: cannot shift to gear %u: error %d; staying in gear %u\n",
			mdname(conf->mddev), conf->geo.set[conf->wish.aim].members,
			err, conf->geo.set[conf->gear].members);
		/* Of these two it is known what they wait for. */
		if (err != -ETIMEDOUT && err != -EBUSY) {
			WRITE_ONCE(conf->shift->failed_gear, conf->wish.aim);
			/* The monitor reads the gear once it sees the count. */
			smp_store_release(&conf->shift->failures, conf->shift->failures + 1);
		}
		par_wish_drop(conf);
	}
	answer_missed(conf, conf->wish.aim > conf->gear && err != -EINTR ? err : 0);
}

/* A read of a read-only array needs a sleeper: wake it, and write nothing. */
static void wake_read_only(struct par_conf *conf)
{
	par_wish_aim(conf, conf->geo.gears);
	give_up(conf, conf->gear < conf->wish.aim ? shift_up(conf) : 0);
}

static void run_propagation(struct par_conf *conf)
{
	int err = propagate_home(conf);

	/* Unless the gear has been raised meanwhile. */
	if (err != -EINTR && conf->gear == conf->wish.aim)
		conf->shift->propagation_due = false;
	if (err && err != -EINTR) {
		par_wish_ended(conf, err);
		pr_warn("md/par:%s: propagation stopped: error %d; the images stay in use\n",
			mdname(conf->mddev), err);
	}
}

/* One thing. */
static void mover_step(struct par_conf *conf)
{
	par_mover_begin(conf);
	par_wish_aim(conf, par_wanted(conf));
	if (par_mover_paused(conf))
		;
	else if (conf->wish.aim > conf->gear)
		give_up(conf, shift_up(conf));
	else if (conf->wish.aim < conf->gear)
		give_up(conf, shift_down(conf));
	else if (!bio_list_empty(&conf->wish.missed))
		par_retry_missed(conf, 0);
	else if (conf->shift->propagation_due)
		run_propagation(conf);
	par_mover_end(conf);
}

static int mover_thread(void *arg)
{
	struct par_conf *conf = arg;
	unsigned int noio = memalloc_noio_save();

	/* What frees memory may be a request that waits for the mover. */
	while (!kthread_should_stop()) {
		wait_event_idle_timeout(conf->wish.wait, work_due(conf),
					until_next(conf));
		if (!work_due(conf))
			continue;
		if (!par_mover_stops(conf))
			mover_step(conf);
		else if (!kthread_should_stop() &&
			 !bio_list_empty(&conf->wish.missed))
			wake_read_only(conf);
	}
	memalloc_noio_restore(noio);
	return 0;
}

void par_propagation_due(struct par_conf *conf)
{
	WRITE_ONCE(conf->shift->propagation_due, true);
	par_mover_wake(conf);
}

int par_shift_alloc(struct par_conf *conf)
{
	INIT_DELAYED_WORK(&conf->up.raise_work, raise_work);
	conf->up.raise_wq = alloc_workqueue("%s-par-wake", WQ_MEM_RECLAIM | WQ_UNBOUND,
					    0, mdname(conf->mddev));
	/* What it waits for may need a sleeper: the other one's business. */
	conf->up.unkept_wq = alloc_workqueue("%s-par-unkept", WQ_MEM_RECLAIM | WQ_UNBOUND,
					     0, mdname(conf->mddev));
	return conf->up.raise_wq && conf->up.unkept_wq ? 0 : -ENOMEM;
}

int par_shift_init(struct par_conf *conf)
{
	par_wish_begin(conf);
	conf->shift->propagation_due = true;
	conf->shift->mover = kthread_run(mover_thread, conf, "%s_mover", mdname(conf->mddev));
	if (IS_ERR(conf->shift->mover)) {
		int err = PTR_ERR(conf->shift->mover);

		conf->shift->mover = NULL;
		return err;
	}
	return 0;
}

void par_shift_exit(struct par_conf *conf)
{
	if (conf->shift->mover)
		kthread_stop(conf->shift->mover);
	conf->shift->mover = NULL;
}

void par_shift_free(struct par_conf *conf)
{
	if (conf->up.unkept_wq)
		destroy_workqueue(conf->up.unkept_wq);
	if (conf->up.raise_wq) {
		cancel_delayed_work_sync(&conf->up.raise_work);
		destroy_workqueue(conf->up.raise_wq);
	}
}
