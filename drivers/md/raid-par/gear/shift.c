// SPDX-License-Identifier: GPL-2.0
/*
 * Shifting, and the mover: the one thread that shifts down and propagates. See gear.h for
 * the contracts.
 *
 * Up: the members that were asleep get a superblock, the gear changes at once, and segments that
 * are valid in images only are propagated afterwards.
 *
 * Down: segments that are valid as home copies only are propagated while the array is in
 * use, in passes (approach.h). When little is left, the sets that use the members going to
 * sleep are quiesced, from the home set downwards, each before the band of members imaged
 * in the gear set below it is completed; then everything is stored as at a checkpoint and
 * the gear changes. Until then the shift can be given up without loss.
 *
 * The mover waits for writers and for its own copies, and these may come to need a sleeper:
 * the set that they go to has lost a member. So a work (raise_work()), which waits for
 * disks only, can raise the gear while the mover waits. The mover then finds the gear
 * changed and gives up its present work.
 *
 * Timers: two. The mover waits on conf->wish.wait; while a shift down is deferred because
 * no spin-ups are left, it waits no longer than until the next attempt. raise_work() runs
 * again after PAR_RAISE_FIRST to PAR_RAISE_LAST if requests wait because metadata could not
 * be stored.
 */
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/sched/mm.h>

#include "core/event.h"
#include "core/parent.h"
#include "gear/gear.h"
#include "log/log.h"

#define PAR_OUTRUN_S	600U	/* the policy then waits at least this long … */
#define PAR_OUTRUN_NUM	4U	/* … and this multiple of the duration of the attempt */

#define PAR_RAISE_FIRST	((unsigned long)HZ)
#define PAR_RAISE_LAST	(8UL * HZ)

/* ---- deferred shifts ---- */

/* The time for which the mover may sleep unless it is woken. */
static unsigned long until_next(struct par_conf *conf)
{
	unsigned long until = READ_ONCE(conf->wish.put_off_until), now = jiffies;

	return par_is_put_off(conf) && time_after(until, now) ? until - now :
	       MAX_SCHEDULE_TIMEOUT;
}

/*
 * A member that would be stopped has no spin-up left to wake up with. That is reported
 * once; the shift is tried again when spin-ups are available, or when the clock may have
 * been set.
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
	conf->shift->ios = par_foreground_ios(conf);
	conf->shift->total = segments;
	conf->shift->done = 0;
	WRITE_ONCE(conf->shift->state, state);
	par_shift_notify(conf);
}

static void shift_end(struct par_conf *conf, int err)
{
	WRITE_ONCE(conf->shift->state, PAR_SHIFT_IDLE);
	/* Before md's thread is woken, which may ask for another shift. */
	par_wish_ended(conf, err);
	par_remove_again(conf);
	if (!err)
		conf->shift->took_ms = jiffies_to_msecs(jiffies - conf->shift->started);
	par_shift_notify(conf);
}

/* Under gear_mutex, so that this gear is reported. */
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
 * A member that does not wake up is failed. But if these are more than parity can replace,
 * none of them is failed as long as no request needs one: the images hold all data, and the
 * present gear serves it. A request that does need one cannot be completed otherwise: raid5
 * would attribute an error of ours to a member that is awake. The members in @dead have not
 * started.
 */
static int wake_members(struct par_conf *conf, unsigned int gear, u32 dead)
{
	unsigned int d;

	dead |= par_members_answer(conf, members_of(conf, gear) &
			       ~members_of(conf, conf->gear) & ~dead);

	if (hweight32(dead) + conf->mddev->degraded > conf->geo.parities && dead &&
	    !par_any_missed(&conf->wish)) {
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
	/* md's thread may have waited for this: see par_thread(), par_hot_add(). */
	par_write_deferred_sb(conf);
	set_bit(MD_RECOVERY_NEEDED, &conf->mddev->recovery);
	md_wakeup_thread(conf->mddev->thread);
}

/*
 * Must the wait for disks to start be given up? The mover has other interruptions than the
 * work.
 */
static bool wake_interrupted(struct par_conf *conf)
{
	if (current != conf->shift->mover)
		return READ_ONCE(conf->power->ending);
	/* A read-only array wakes members all the same. */
	return md_is_rdwr(conf->mddev) ? par_mover_interrupted(conf) :
	       kthread_should_stop();
}

/*
 * Raise the gear once the disks turn. Returns -EAGAIN if other members than @started are
 * needed, because the gear has been lowered meanwhile.
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

/* Raise the gear to @gear, unless it is as high already; while the array is in use. */
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
 * The members turn, but a superblock could not be stored on them. That is no reason to
 * fail them, but raid5 would attribute an error to them: so the requests that need them
 * wait, and the raise is tried again later. Not once the array has too few members left, or
 * is about to be quiesced.
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
 * The gear has been raised, or could not be raised: answer the requests that wait for a
 * sleeper. If one of them is too late for the failure of its member to be known, the raise
 * is tried again.
 */
static void answer_missed(struct par_conf *conf, int err)
{
	if (defer_missed(conf, err))
		return;
	par_retry_missed(conf, err == -EHOSTDOWN ? 0 : err);
	par_mover_wake(conf);
}

/* Requests wait for a sleeper, and the mover may be waiting for these requests: see above. */
static void raise_work(struct work_struct *work)
{
	struct par_conf *conf = container_of(to_delayed_work(work), struct par_conf,
					     up.raise_work);
	unsigned int noio = memalloc_noio_save();
	int err = 0;

	/* In a read-only array the mover has no other work. */
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
 * Propagate to the images, for all members that sleep in conf->wish.aim. The highest band
 * first: copying its images makes segments of lower bands diverge.
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
 * Copy the last segments, while the sets are quiesced one after another, for no longer than
 * PAR_HOLD_NS. Gate held. Returns -EAGAIN if there were too many.
 */
static int finish_down(struct par_conf *conf, struct par_pass *pass)
{
	unsigned int band, i;
	int err = 0;

	lockdep_assert_held(&conf->gate->mutex);
	for (band = conf->geo.gears - 1; !err && band >= conf->wish.aim; band--) {
		struct par_set *above = conf->set[band + 1];

		if (!above->ops->calm(above))
			return -EINTR;
		if (!pass->until)
			pass->until = ktime_get_ns() + PAR_HOLD_NS;
		for (i = conf->geo.gears; !err && i > band; i--)
			err = par_propagate(conf->set[i], band, PAR_SEG_HOME, pass);
	}
	for (i = conf->wish.aim; !err && i >= 1; i--)
		if (!conf->set[i]->ops->calm(conf->set[i]))
			err = -EINTR;
	if (!err && par_fill_left(conf, conf->wish.aim))
		err = -EAGAIN;
	return err;
}

/*
 * Everything is quiet, and each member about to sleep has all its data in images, too. The
 * new gear is stored on the members that stay awake; the others are not written, so their
 * copy of the metadata is older and is never chosen at assembly.
 */
static int change_down(struct par_conf *conf, unsigned int old, struct par_pass *pass)
{
	int err = finish_down(conf, pass);

	lockdep_assert_held(&conf->gate->mutex);
	/*
	 * Now that everything is quiet no request needs a sleeper; but one may have needed
	 * it before.
	 */
	mutex_lock(&conf->gear_mutex);
	err = err ?: conf->gear == old ? 0 : -EINTR;
	err = err ?: par_store_checkpoint(conf, false);
	err = err ?: par_store_gear(conf, conf->wish.aim, members_of(conf, conf->wish.aim));
	if (!err) {
		smp_mb();	/* pairs with the one in flush_get(): the gear before the count */
		/* A flush that saw the old gear is still being sent to the sleepers. */
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

/* Complete the shift with writes held, if nothing has changed. -EAGAIN: another pass is needed. */
static int hold_sets(struct par_conf *conf, unsigned int old, struct par_pass *pass)
{
	u64 began = ktime_get_ns();
	int err;

	/*
	 * Flush and store now what would otherwise be flushed and stored while writes are held.
	 * Disks do nothing else during a flush, so this holds writes, too.
	 */
	err = par_store_map(conf);
	par_yield_held(conf, ktime_get_ns() - began);
	if (err)
		return err;
	/* That has taken some time, too: more may have been written. */
	if (par_fill_left(conf, conf->wish.aim) > pass->batch)
		return -EAGAIN;
	if (!par_gate_enter(conf))
		return -EINTR;
	began = ktime_get_ns();
	if (par_mover_interrupted(conf))
		err = -EINTR;
	else
		err = par_syncing(conf->mddev) ? -EBUSY : change_down(conf, old, pass);
	par_yield_held(conf, ktime_get_ns() - began);
	par_gate_leave(conf);
	if (err == -EAGAIN)
		par_approach_failed(&conf->shift->approach);
	return err;
}

/*
 * The array is written faster than the copies can be made. The policy does not try again at
 * once, since the copies were made in vain.
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

/* The largest number of segments that a shift down to gear @gear has to copy: see approach.h. */
u64 par_shift_segments(struct par_conf *conf, unsigned int gear)
{
	u64 segments = par_segments_above(conf, gear, PAR_SEG_HOME), most;

	/* With slots, what is in use, and no more than may be copied for that. */
	most = div_u64(READ_ONCE(conf->store->super.fill.bytes) >> SECTOR_SHIFT,
		       conf->geo.seg_sectors);
	if (par_has_slots(&conf->geo))
		segments = min(segments, most);
	return segments * (conf->geo.gears - gear);
}

/* Copy in passes until the rest can be copied with writes held: see approach.h. */
static int approach_down(struct par_conf *conf, unsigned int old)
{
	struct par_approach *approach = &conf->shift->approach;
	struct par_pass pass;
	u64 left = par_fill_left(conf, conf->wish.aim);
	int err;

	for (;;) {
		if (par_mover_interrupted(conf))
			return -EINTR;
		par_approach_pass(approach, left, ktime_get_ns(), &pass);
		err = propagate_down(conf, &pass);
		if (err)
			return err == -ETIMEDOUT ? shift_outrun(conf) : err;
		left = par_fill_left(conf, conf->wish.aim);
		switch (par_approach_next(approach, &pass, left, ktime_get_ns())) {
		case PAR_APPROACH_PASS:
			if (!par_yield_log(conf, false))
				return -EINTR;
			break;
		case PAR_APPROACH_HOLD:
			if (!par_yield_log(conf, true))
				return -EINTR;
			par_yield_disks(conf);
			err = hold_sets(conf, old, &pass);
			if (err != -EAGAIN)
				return err;
			left = par_fill_left(conf, conf->wish.aim);
			break;
		case PAR_APPROACH_OUTRUN:
			return shift_outrun(conf);
		}
	}
}

static void begin_approach(struct par_conf *conf)
{
	par_approach_begin(&conf->shift->approach, par_shift_segments(conf, conf->wish.aim),
			   conf->geo.seg_sectors / 2, conf->store->super.speed_min,
			   ktime_get_ns());
}

static int shift_down(struct par_conf *conf)
{
	unsigned int old = READ_ONCE(conf->gear);
	int err;

	/* A member may have failed since the shift was asked for, or a check may have begun. */
	if (conf->mddev->degraded || par_syncing(conf->mddev))
		return -EBUSY;
	if (put_off(conf)) {
		par_wish_ended(conf, -EDQUOT);
		return -EDQUOT;
	}
	WRITE_ONCE(conf->shift->hold_ms, 0);
	begin_approach(conf);
	shift_begin(conf, PAR_SHIFT_DOWN, par_fill_left(conf, conf->wish.aim));
	/* Writes that are not counted have ended once everything has been quiet. */
	track_above(conf, conf->wish.aim, true);
	err = -EINTR;
	if (par_gate_calm(conf)) {
		par_gate_resume(conf);
		err = par_fill_begin(conf);
	}
	/* Zeros for slots that were evicted are not copies. */
	begin_approach(conf);
	conf->shift->total = par_fill_left(conf, conf->wish.aim);
	err = err ?: approach_down(conf, old);
	par_yield_end(conf);
	par_fill_end(conf);
	track_above(conf, conf->wish.aim, false);
	shift_end(conf, err);
	return err;
}

/* In a gear: propagate what is valid in images only to the home copies of awake members. */
static int propagate_home(struct par_conf *conf)
{
	struct par_pass pass = { 0 };
	unsigned int band, i;
	int err = 0, stored;

	shift_begin(conf, PAR_SHIFT_PROPAGATE, par_segments_above(conf, 1, PAR_SEG_IMAGE) -
		    par_segments_above(conf, conf->gear, PAR_SEG_IMAGE));
	for (band = 1; !err && band < conf->gear; band++)
		for (i = conf->geo.gears; !err && i > band; i--)
			err = par_propagate(conf->set[i], band, PAR_SEG_IMAGE, &pass);
	/* Also what has been copied before an interruption or an error. */
	stored = par_store_zones(conf);
	err = err ?: stored;
	if (!err)
		par_fill_cleaned(conf, conf->gear);
	WRITE_ONCE(conf->shift->state, PAR_SHIFT_IDLE);
	par_remove_again(conf);
	par_shift_notify(conf);
	return err;
}

static bool work_due(struct par_conf *conf)
{
	bool held = par_any_missed(&conf->wish), missed;

	if (kthread_should_stop())
		return true;
	if (!md_is_rdwr(conf->mddev))
		return held;
	/*
	 * raise_work() handles requests that are missed while the mover rests or the raise
	 * is deferred. Until then propagation would be broken off again and again, since no set
	 * is made quiet while a request is held.
	 */
	missed = held && !delayed_work_pending(&conf->up.raise_work);
	return !par_mover_paused(conf) &&
	       (missed || par_wanted(conf) != conf->gear ||
		(conf->shift->propagation_due && !held));
}

/* A shift that has failed is not retried indefinitely. */
static void give_up(struct par_conf *conf, int err)
{
	if (err && err != -EINTR && err != -EDQUOT) {
		pr_warn("md/par:%s: cannot shift to gear %u: error %d; staying in gear %u\n",
			mdname(conf->mddev), conf->geo.set[conf->wish.aim].members,
			err, conf->geo.set[conf->gear].members);
		/* These two errors have a known reason. */
		if (err != -ETIMEDOUT && err != -EBUSY) {
			WRITE_ONCE(conf->shift->failed_gear, conf->wish.aim);
			/*
			 * Pairs with note_failures(): the monitor reads the gear after the
			 * count.
			 */
			smp_store_release(&conf->shift->failures, conf->shift->failures + 1);
		}
		par_wish_drop(conf);
	}
	answer_missed(conf, conf->wish.aim > conf->gear && err != -EINTR ? err : 0);
}

/* A read of a read-only array needs a sleeper: wake the member, without writing anything. */
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

/* Do one piece of work. */
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
	else if (par_any_missed(&conf->wish))
		par_retry_missed(conf, 0);
	else if (conf->shift->propagation_due)
		run_propagation(conf);
	par_mover_end(conf);
}

static int mover_thread(void *arg)
{
	struct par_conf *conf = arg;
	unsigned int noio = memalloc_noio_save();

	/* A request that waits for the mover may be one that would free memory. */
	while (!kthread_should_stop()) {
		wait_event_idle_timeout(conf->wish.wait, work_due(conf),
					until_next(conf));
		if (!work_due(conf))
			continue;
		if (!par_mover_stops(conf))
			mover_step(conf);
		else if (!kthread_should_stop() &&
			 par_any_missed(&conf->wish))
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
	/* A queue of its own, since its works may wait for a sleeper, which raise_work() wakes. */
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
