// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor; see monitor.h for the contracts and policy.h for how a gear is chosen.
 *
 * Timers: two, both of which run the same work while the array runs; see set_timer().
 */
#include <linux/blkdev.h>
#include <linux/math64.h>
#include <linux/part_stat.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "core/event.h"
#include "core/parent.h"
#include "gear/gear.h"
#include "log/log.h"
#include "monitor.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define PAR_TELL_AGAIN	3600U	/* s, after which a decision not to shift is reported again */
#define PAR_AT_LEAST	(60 * HZ)	/* between two looks, even if the array is idle */

/* ---- counting ---- */

static bool counts_requests(struct block_device *bdev)
{
	return blk_queue_io_stat(bdev_get_queue(bdev));
}

/* Requests that the sets have sent to a member, wherever they were served. */
static void count_routed(struct par_conf *conf, unsigned int d,
			 struct par_counts *counts)
{
	unsigned int i, rw;

	counts->routed[d] = 0;
	for (i = conf->geo.gears; i && d < conf->geo.set[i].members; i--) {
		struct block_device *disk = conf->set[i]->vm[d].disk->part0;

		for (rw = PAR_READS; rw <= PAR_WRITES; rw++) {
			unsigned long ios = part_stat_read(disk, ios[rw]);

			counts->routed[d] += ios;
			if (i == conf->geo.gears)
				counts->home[d][rw] = ios;
		}
	}
}

static void count_member(struct par_conf *conf, unsigned int d,
			 struct par_counts *counts)
{
	struct md_rdev *rdev = READ_ONCE(conf->member[d].rdev);
	struct block_device *bdev;
	unsigned int rw;

	count_routed(conf, d, counts);
	counts->bdev[d] = NULL;
	if (!par_rdev_usable(rdev))
		return;
	bdev = rdev->bdev;
	counts->bdev[d] = bdev;
	counts->counted &= counts_requests(bdev);
	for (rw = PAR_READS; rw <= PAR_WRITES; rw++) {
		counts->requests[d][rw] = part_stat_read(bdev, ios[rw]);
		counts->request_ns[d][rw] = part_stat_read(bdev, nsecs[rw]);
	}
	counts->ticks[d] = part_stat_read(bdev, io_ticks);
}

static bool child_syncs(struct par_set *set)
{
	return set->child.inited &&
	       test_bit(MD_RECOVERY_RUNNING, &set->child.mddev.recovery);
}

static void count_all(struct par_conf *conf, struct par_counts *counts)
{
	struct block_device *array = conf->mddev->gendisk->part0;
	enum par_shift_state shift = READ_ONCE(conf->shift->state);
	unsigned int d, i, rw;

	static_assert(PAR_READS == STAT_READ && PAR_WRITES == STAT_WRITE);
	counts->ns = ktime_get_ns();
	counts->counted = counts_requests(array);
	for (d = 0; d < conf->geo.members; d++)
		count_member(conf, d, counts);
	for (rw = PAR_READS; rw <= PAR_WRITES; rw++) {
		counts->array[rw] = part_stat_read(array, ios[rw]);
		counts->array_ns[rw] = part_stat_read(array, nsecs[rw]);
		counts->sectors[rw] = part_stat_read(array, sectors[rw]);
	}
	counts->flushes = atomic64_read(&conf->io->flushed);
	counts->flush_ns = atomic64_read(&conf->io->flush_ns);
	if (par_has_log(conf)) {
		counts->log_sent = READ_ONCE(conf->log->count.sent);
		counts->log_logged = READ_ONCE(conf->log->count.logged);
		counts->log_drained = READ_ONCE(conf->log->count.drained);
		counts->log_used = par_log_filled(conf, &counts->log_blocks);
	}
	for (i = 1; par_has_slots(&conf->geo) && i < conf->geo.gears; i++)
		counts->lacking[i] = READ_ONCE(conf->slots->lacking[i]);
	counts->shifts = READ_ONCE(conf->shift->count);
	counts->copies.bytes = READ_ONCE(conf->shift->propagated_bytes);
	counts->copies.zeroings = READ_ONCE(conf->shift->fill.zeroings);
	counts->gear = READ_ONCE(conf->gear);
	counts->copies.copying = shift == PAR_SHIFT_DOWN || shift == PAR_SHIFT_PROPAGATE;
	counts->home_syncing = child_syncs(par_home(conf));
	counts->syncing = false;
	for (i = 1; i <= conf->geo.gears; i++)
		counts->syncing |= child_syncs(conf->set[i]);
}

/*
 * A member is busy while the block layer sees a request at it. The block layer counts this
 * time in ticks, so that a request of a millisecond counts as a whole tick: but the result
 * is never longer than the time of all requests together. A request that ends in this
 * interval may have begun before it.
 */
static u64 busy_ns(const struct par_member_load *load, u64 ticks_ns, u64 ns)
{
	return min3(ticks_ns, load->ns[PAR_READS] + load->ns[PAR_WRITES], ns);
}

static void load_of(const struct par_counts *from, const struct par_counts *to,
		    unsigned int d, struct par_member_load *load)
{
	unsigned int rw;

	for (rw = PAR_READS; rw <= PAR_WRITES; rw++) {
		load->requests[rw] = to->requests[d][rw] - from->requests[d][rw];
		load->ns[rw] = to->request_ns[d][rw] - from->request_ns[d][rw];
	}
	load->busy_ns = busy_ns(load, jiffies64_to_nsecs(to->ticks[d] - from->ticks[d]),
				to->ns - from->ns);
}

/* The load of the members, and of those that are awake. */
static void sample_members(struct par_conf *conf, const struct par_counts *from,
			   const struct par_counts *to, struct par_sample *sample)
{
	struct par_monitor *monitor = conf->monitor;
	unsigned int d, rw;

	memset(monitor->load, 0, sizeof(monitor->load));
	for (d = 0; d < conf->geo.members; d++) {
		for (rw = PAR_READS; rw <= PAR_WRITES; rw++)
			sample->home[d][rw] = to->home[d][rw] - from->home[d][rw];
		/*
		 * A member that was added or removed within the interval has no valid
		 * difference.
		 */
		if (to->bdev[d] != from->bdev[d])
			sample->shifted = true;
		if (!to->bdev[d] || to->bdev[d] != from->bdev[d])
			continue;
		load_of(from, to, d, &monitor->load[d]);
		if (!par_awake(conf, to->gear, d))
			continue;
		sample->sent += to->routed[d] - from->routed[d];
		sample->busy_ns += monitor->load[d].busy_ns;
	}
	monitor->load_ns = to->ns - from->ns;
}

static void make_sample(struct par_conf *conf, const struct par_counts *from,
			const struct par_counts *to, struct par_sample *sample)
{
	unsigned int rw;

	memset(sample, 0, sizeof(*sample));
	sample->ns = to->ns - from->ns;
	sample->gear = from->gear;
	sample->shifted = from->gear != to->gear || from->shifts != to->shifts ||
			  !from->counted || !to->counted;
	sample->synced = from->home_syncing || to->home_syncing;
	sample->others = from->copies.copying || to->copies.copying ||
			 from->copies.bytes != to->copies.bytes || from->syncing || to->syncing;
	for (rw = PAR_READS; rw <= PAR_WRITES; rw++) {
		sample->requests[rw] = to->array[rw] - from->array[rw];
		sample->waited_ns[rw] = to->array_ns[rw] - from->array_ns[rw];
		sample->sectors += to->sectors[rw] - from->sectors[rw];
	}
	sample->log_sent = to->log_sent - from->log_sent;
	sample->logged = to->log_logged - from->log_logged;
	sample->drained = to->log_drained != from->log_drained;
	sample->flushes = to->flushes - from->flushes;
	sample->flush_ns = to->flush_ns - from->flush_ns;
	sample_members(conf, from, to, sample);
}

/*
 * Has the array received any request? Other requests to members, raid-par's own metadata
 * and direct use of the disks, are not load of the array.
 */
static bool was_used(const struct par_conf *conf, const struct par_sample *sample)
{
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (sample->home[d][PAR_READS] || sample->home[d][PAR_WRITES])
			return true;
	return sample->requests[PAR_READS] || sample->requests[PAR_WRITES];
}

static void learn_filling(struct par_monitor *monitor, const struct par_counts *from,
			  const struct par_counts *to)
{
	par_filling_see(&monitor->filling, from->log_used, to->log_used, to->ns - from->ns);
}

static void learn_copy_rate(struct par_monitor *monitor,
			    const struct par_counts *from, const struct par_counts *to)
{
	par_rate_see(&monitor->copied, &from->copies, &to->copies, to->ns - from->ns);
}

/* Returns true if a period with a miss begins. */
static bool learn_misses(struct par_conf *conf, const struct par_counts *from,
			 const struct par_counts *to, u64 now)
{
	unsigned int band;
	bool begins = false;

	for (band = 1; band < conf->geo.gears; band++)
		if (to->lacking[band] != from->lacking[band])
			begins |= par_policy_missed(&conf->monitor->policy, band, now);
	return begins;
}

/* A new hour, or the first one that is known, has its usual misses. */
static void recall_misses(struct par_conf *conf, u64 now)
{
	struct par_monitor *monitor = conf->monitor;
	u32 of_day;
	u64 hour;

	if (!par_has_slots(&conf->geo) || !par_clock_set(conf))
		return;
	hour = div_u64(par_clock(conf), 3600);
	if (hour == monitor->usual)
		return;
	monitor->usual = hour;
	div_u64_rem(hour, 24, &of_day);
	par_policy_usual(&monitor->policy, par_history_of(&monitor->history, of_day).misses, now);
}

/* ---- the present state ---- */

static void look_at_log(struct par_conf *conf, struct par_situation *is)
{
	const struct par_monitor *monitor = conf->monitor;
	const struct par_counts *counts = &monitor->counts[monitor->newest];

	is->fills = par_filling_left(&monitor->filling, counts->log_blocks - counts->log_used);
	is->draining = is->gear == conf->geo.gears &&
		       counts->log_used > counts->log_blocks / 4;
}

static void look_around(struct par_conf *conf, struct par_situation *is)
{
	struct par_monitor *monitor = conf->monitor;
	unsigned int i;
	u64 kib;

	memset(is, 0, sizeof(*is));
	is->now = ktime_get_seconds();
	is->gear = READ_ONCE(conf->gear);
	is->target = par_wanted(conf);
	if (monitor->asked.gear == is->target)
		is->why = monitor->asked.why;
	else if (is->target > is->gear && par_wish_missed(conf))
		is->why = PAR_WHY_MISSES;
	is->degraded = conf->mddev->degraded;
	is->syncing = par_syncing(conf->mddev);
	is->outrun = max(READ_ONCE(conf->shift->outrun_until), is->now) - is->now;
	is->blind = !monitor->counts[monitor->newest].counted;
	if (!monitor->policy.knobs.automatic)
		return;
	look_at_log(conf, is);
	par_power_pace(conf, is);
	for (i = 1; i < is->gear; i++) {
		if (!par_power_refuses(conf, i, &is->refused[i]))
			is->refused[i] = 0;
		kib = par_fill_owed(conf, i) * (conf->geo.seg_sectors / 2);
		if (par_has_slots(&conf->geo))
			is->gap[i] = par_power_gap(conf, i);
		is->owed[i] = min_t(u64, U32_MAX, div64_u64(kib, par_rate_kib(&monitor->copied)));
	}
}

/* ---- reporting and acting ---- */

/* A decision that says that something is not done, although the administrator may expect it. */
static bool is_refusal(const struct par_decision *d)
{
	return d->reason == PAR_WHY_BUDGET || d->reason == PAR_WHY_COST ||
	       d->reason == PAR_WHY_OWED || d->reason == PAR_WHY_OUTRUN ||
	       d->reason == PAR_WHY_FAILED || d->reason == PAR_WHY_MISSES ||
	       d->reason == PAR_WHY_BLIND ||
	       d->reason == PAR_WHY_BRIEF || d->reason == PAR_WHY_SPARE ||
	       d->reason == PAR_WHY_SYNC || d->reason == PAR_WHY_MAX;
}

static void tell_decision(struct par_conf *conf, const struct par_situation *is,
			  const struct par_decision *d)
{
	struct par_monitor *monitor = conf->monitor;
	const char *event = d->gear > is->target ? "up" : "down";

	if (d->gear == is->target) {
		if (!is_refusal(d) || (d->reason == monitor->told.reason &&
				       is->now - monitor->told_at < PAR_TELL_AGAIN))
			return;
		event = "stay";
	} else if (d->gear <= is->gear && is->target < is->gear) {
		event = "abandon";
	}
	monitor->told = *d;
	monitor->told_at = is->now;
	par_event(conf, "PAR_EVENT=decision\nPAR_DECISION=%s\nPAR_REASON=%s\nPAR_GEAR=%u\nPAR_ABOUT=%u",
		  event, par_reason_name(d->reason), conf->geo.set[d->gear].members,
		  conf->geo.set[d->about].members);
	if (d->gear != is->target)
		pr_info("md/par:%s: the policy decides: %s, to gear %u of %u: %s\n",
			mdname(conf->mddev), event, conf->geo.set[d->gear].members,
			conf->geo.members, par_reason_name(d->reason));
}

/*
 * The policy takes back only its own request: it has not seen yet why the gear was raised
 * by others (a failure, or a request that needs a sleeper).
 */
static void act_on_decision(struct par_conf *conf, const struct par_situation *is,
			    const struct par_decision *d)
{
	struct par_monitor *monitor = conf->monitor;

	if (d->gear == is->target)
		return;
	monitor->asked = (struct par_asked) { d->gear, d->reason, is->now };
	if (d->gear > is->target)
		par_shift_at_least(conf, d->gear,
				   d->reason == PAR_WHY_DEGRADED ? "failure" : "policy");
	else
		par_shift_from(conf, is->target, d->gear, "policy");
}

static void decide_gear(struct par_conf *conf)
{
	struct par_monitor *monitor = conf->monitor;
	struct par_decision d;
	struct par_situation is;

	look_around(conf, &is);
	d = par_policy_decide(&monitor->policy, &is);
	trace_par_decision(conf, &is, &d);
	/* A failure asks for the top gear once. If that shift fails, the policy asks again. */
	if (!(monitor->policy.knobs.automatic || is.degraded) || !md_is_rdwr(conf->mddev))
		return;
	tell_decision(conf, &is, &d);
	act_on_decision(conf, &is, &d);
}

/* Shifts of the array since the last look, whether the policy asked for them or not. */
static void note_gear(struct par_conf *conf, u64 now)
{
	struct par_monitor *monitor = conf->monitor;
	unsigned int gear = READ_ONCE(conf->gear), old = monitor->seen_gear;
	struct par_asked by;

	if (par_book(&monitor->asked, old, gear, READ_ONCE(conf->wish.target),
		     conf->mddev->degraded, now, &by))
		par_policy_shifted(&monitor->policy, old, gear, by.why, by.at, now);
	monitor->seen_gear = gear;
}

/* A shift that was asked for by hand counts, too: the policy's own would have failed as well. */
static void note_failures(struct par_conf *conf, u64 now)
{
	struct par_monitor *monitor = conf->monitor;
	/* Pairs with give_up(), which stores the gear first. */
	u64 failures = smp_load_acquire(&conf->shift->failures);

	if (failures != monitor->failures)
		par_policy_failed(&monitor->policy, READ_ONCE(conf->shift->failed_gear), now);
	monitor->failures = failures;
}

/* ---- stored data ---- */

/*
 * Fill in the policy's record for the next superblock; @lock held. Returns true if shifts
 * have changed what the policy has learned since the last time.
 */
static bool record_policy(struct par_conf *conf)
{
	struct par_policy_record *kept = &conf->store->super.policy;
	struct par_monitor *monitor = conf->monitor;
	bool learnt;

	lockdep_assert_held(&monitor->lock);
	spin_lock(&conf->store->power_lock);
	learnt = kept->sleep != monitor->policy.sleep ||
		 kept->sleeps != monitor->policy.sleeps ||
		 kept->regrets != monitor->policy.regrets;
	kept->knobs = monitor->policy.knobs;
	kept->sleep = monitor->policy.sleep;
	kept->sleeps = monitor->policy.sleeps;
	kept->regrets = monitor->policy.regrets;
	memcpy(kept->surges, monitor->policy.surge.past, sizeof(kept->surges));
	kept->pauses = monitor->policy.surge.pauses;
	kept->starts_in = monitor->policy.starts_in;
	kept->leaves_in = monitor->policy.leaves_in;
	kept->hour = monitor->history.hour;
	memcpy(kept->mean, monitor->history.mean, sizeof(kept->mean));
	memcpy(kept->peak, monitor->history.peak, sizeof(kept->peak));
	memcpy(kept->misses, monitor->history.misses, sizeof(kept->misses));
	spin_unlock(&conf->store->power_lock);
	return learnt;
}

/*
 * The hour that has ended is stored with the next write of metadata. An hour without load
 * is not worth a write of its own, which would keep disks turning that are about to be
 * stopped: so such hours are lost in a crash if nothing has been stored since.
 */
static bool worth_storing(struct par_conf *conf, enum par_hour_end end)
{
	bool learnt;

	if (end == PAR_HOUR_GOES_ON)
		return false;
	learnt = record_policy(conf);
	return learnt || end == PAR_HOUR_USED || par_power_counted(conf);
}

/* ---- once per interval ---- */

/* An unplugged sleeper receives no request that could fail: look at its device instead. */
static void fail_gone(struct par_conf *conf)
{
	unsigned int d;
	u32 gone = 0;
	bool fail;

	lockdep_assert_held(&conf->monitor->lock);
	for (d = 0; d < conf->geo.members; d++) {
		struct md_rdev *rdev = READ_ONCE(conf->member[d].rdev);

		if (par_rdev_usable(rdev) && !disk_live(rdev->bdev->bd_disk))
			gone |= BIT(d);
	}
	/* As for members that do not wake up: see wake_members(). */
	fail = hweight32(gone) + conf->mddev->degraded <= conf->geo.parities ||
	       par_any_missed(&conf->wish);
	for (d = 0; d < conf->geo.members; d++) {
		if (gone & ~conf->monitor->gone & BIT(d))
			pr_crit("md/par:%s: the device of member %u (%pg) is gone%s\n",
				mdname(conf->mddev), d, conf->member[d].rdev->bdev, fail ? "" :
				"; more members are gone than there are parities: it is not failed as long as images serve its data");
		if (gone & BIT(d) && fail)
			par_member_failed(conf, d);
	}
	conf->monitor->gone = gone;
}

/* Returns true if there is something worth storing. */
static bool interval_over(struct par_conf *conf)
{
	struct par_monitor *monitor = conf->monitor;
	const struct par_counts *from = &monitor->counts[monitor->newest];
	struct par_counts *to = &monitor->counts[!monitor->newest];
	enum par_hour_end end = PAR_HOUR_GOES_ON;
	struct par_interval interval;
	struct par_sample sample;
	u64 now = ktime_get_seconds();
	bool used, missed;

	count_all(conf, to);
	make_sample(conf, from, to, &sample);
	used = was_used(conf, &sample);
	/* The request that roused the monitor may not have ended yet. */
	monitor->used = used || xchg(&monitor->roused, false);
	learn_copy_rate(monitor, from, to);
	learn_filling(monitor, from, to);
	missed = learn_misses(conf, from, to, now);
	monitor->newest = !monitor->newest;
	fail_gone(conf);
	note_gear(conf, now);
	note_failures(conf, now);
	if (!from->counted || !to->counted)
		par_policy_blind(&monitor->policy);
	if (par_has_log(conf))
		monitor->forecast.copies = par_log_off(conf) ? 0 : 1 + conf->geo.parities;
	if (par_forecast_see(&monitor->forecast, &sample, &interval)) {
		u32 load = used ? interval.load[conf->geo.gears] : 0;

		par_policy_see(&monitor->policy, &interval, sample.gear, now);
		/* While the clock is not set, the hour is unknown. */
		if (par_clock_set(conf))
			end = par_history_see(&monitor->history, load, sample.ns,
					      par_clock(conf));
	}
	if (missed)
		par_history_missed(&monitor->history);
	recall_misses(conf, now);
	decide_gear(conf);
	return worth_storing(conf, end);
}

/*
 * Can nothing happen by itself? The policy shifts down once it has seen enough load: so a
 * look may be late only if the gear is as low as the policy allows, and no shift is under
 * way.
 */
static bool may_be_late(struct par_conf *conf)
{
	const struct par_monitor *monitor = conf->monitor;
	const struct par_knobs *knobs = &monitor->policy.knobs;
	unsigned int gear = READ_ONCE(conf->gear);

	if (monitor->used || monitor->asked.gear || gear != READ_ONCE(conf->wish.target) ||
	    (conf->mddev->degraded && gear < conf->geo.gears))
		return false;
	return !knobs->automatic || gear == 1 ||
	       conf->geo.set[gear - 1].members < knobs->min_gear;
}

/*
 * End the next interval one interval after the last one was due, or now if that is in the
 * past.
 *
 * While the array is not used and nothing is to be decided, no CPU is woken for the
 * monitor: a deferrable timer waits until its CPU wakes for another reason. Three things
 * are late then: the end of an hour, for which par_history_see() accounts; the failure of
 * an unplugged sleeper; and the load of the last interval in memberD/. A minute is soon
 * enough for all of these, and a timer that is not deferrable ensures it. Load is not late:
 * the first request that finds the monitor late makes it look at once, on any CPU
 * (par_monitor_request()), and an interval with requests is followed by one that ends on
 * time.
 */
static void set_timer(struct par_monitor *monitor)
{
	struct par_conf *conf = monitor->conf;
	unsigned long now = jiffies, interval, delay;

	if (!monitor->running)
		return;
	interval = msecs_to_jiffies(monitor->policy.knobs.interval);
	monitor->due += interval;
	if (time_before(monitor->due, now))
		monitor->due = now + interval;
	WRITE_ONCE(monitor->late, monitor->due + interval);
	delay = monitor->due - now;
	if (may_be_late(conf)) {
		mod_delayed_work(conf->queue.long_wq, &monitor->idle_work, delay);
		/* Rounding may make the delay shorter than the longest interval. */
		delay = max(delay, round_jiffies_relative(PAR_AT_LEAST));
	} else {
		cancel_delayed_work(&monitor->idle_work);
	}
	mod_delayed_work(conf->queue.long_wq, &monitor->work, delay);
}

/* The two works may run one right after the other: the second one then does nothing. */
static void look_at_load(struct par_monitor *monitor)
{
	struct par_conf *conf = monitor->conf;
	bool store = false;
	u32 days = 0;

	par_clock_follow(conf);
	mutex_lock(&monitor->lock);
	if (monitor->running && !time_before(jiffies, monitor->due)) {
		store = interval_over(conf);
		days = par_heat_due(conf);
		set_timer(monitor);
	}
	mutex_unlock(&monitor->lock);
	par_heat_age(conf, days);
	if (store)
		par_store_history(conf);
}

static void monitor_work(struct work_struct *work)
{
	look_at_load(container_of(to_delayed_work(work), struct par_monitor, work));
}

static void monitor_idle_work(struct work_struct *work)
{
	look_at_load(container_of(to_delayed_work(work), struct par_monitor, idle_work));
}

/* ---- called by other files ---- */

void par_monitor_request(struct par_conf *conf)
{
	struct par_monitor *monitor = conf->monitor;

	if (likely(time_before(jiffies, READ_ONCE(monitor->late))))
		return;
	/* Requests until the monitor has looked need not rouse it again. */
	WRITE_ONCE(monitor->late, jiffies + HZ);
	WRITE_ONCE(monitor->roused, true);
	mod_delayed_work(conf->queue.long_wq, &monitor->work, 0);
}

int par_monitor_set(struct par_conf *conf, const struct par_knobs *knobs)
{
	struct par_monitor *monitor = conf->monitor;

	mutex_lock(&monitor->lock);
	par_policy_set(&monitor->policy, knobs);
	record_policy(conf);
	monitor->due = jiffies;
	set_timer(monitor);
	mutex_unlock(&monitor->lock);
	return par_store_super(conf);
}

struct par_knobs par_monitor_knobs(struct par_conf *conf)
{
	struct par_knobs knobs;

	mutex_lock(&conf->monitor->lock);
	knobs = conf->monitor->policy.knobs;
	mutex_unlock(&conf->monitor->lock);
	return knobs;
}

int par_monitor_explain(struct par_conf *conf, char *line)
{
	struct par_situation is;
	int len;

	mutex_lock(&conf->monitor->lock);
	look_around(conf, &is);
	len = par_policy_explain(&conf->monitor->policy, &is, line, PAR_EXPLAIN);
	mutex_unlock(&conf->monitor->lock);
	return len;
}

struct par_hour par_monitor_hour(struct par_conf *conf, unsigned int hour)
{
	struct par_hour of;

	mutex_lock(&conf->monitor->lock);
	of = par_history_of(&conf->monitor->history, hour);
	mutex_unlock(&conf->monitor->lock);
	return of;
}

struct par_past_hour par_monitor_past(struct par_conf *conf, unsigned int ago)
{
	struct par_past_hour past;

	mutex_lock(&conf->monitor->lock);
	past = par_history_past(&conf->monitor->history, ago);
	mutex_unlock(&conf->monitor->lock);
	return past;
}

u64 par_monitor_member(struct par_conf *conf, unsigned int d,
		       struct par_member_load *load)
{
	u64 ns;

	mutex_lock(&conf->monitor->lock);
	*load = conf->monitor->load[d];
	ns = conf->monitor->load_ns;
	mutex_unlock(&conf->monitor->lock);
	return ns;
}

/* ---- start and stop ---- */

void par_monitor_begin(struct par_conf *conf)
{
	const struct par_policy_record *kept = &conf->store->super.policy;
	struct par_monitor *monitor = conf->monitor;

	mutex_lock(&monitor->lock);
	par_policy_init(&monitor->policy, &conf->geo, monitor->intervals,
			ktime_get_seconds());
	par_policy_set(&monitor->policy, &kept->knobs);
	monitor->policy.sleep = kept->sleep;
	monitor->policy.sleeps = kept->sleeps;
	monitor->policy.regrets = kept->regrets;
	memcpy(monitor->policy.surge.past, kept->surges, sizeof(kept->surges));
	monitor->policy.surge.pauses = kept->pauses;
	monitor->policy.starts_in = kept->starts_in ?: PAR_STARTS_IN;
	monitor->policy.leaves_in = kept->leaves_in;
	par_forecast_init(&monitor->forecast, &conf->geo);
	par_history_init(&monitor->history);
	monitor->history.hour = kept->hour;
	memcpy(monitor->history.mean, kept->mean, sizeof(kept->mean));
	memcpy(monitor->history.peak, kept->peak, sizeof(kept->peak));
	memcpy(monitor->history.misses, kept->misses, sizeof(kept->misses));
	monitor->usual = 0;
	monitor->failures = conf->shift->failures;
	monitor->seen_gear = conf->gear;
	count_all(conf, &monitor->counts[monitor->newest]);
	monitor->running = true;
	monitor->due = jiffies;
	set_timer(monitor);
	mutex_unlock(&monitor->lock);
}

void par_monitor_end(struct par_conf *conf)
{
	struct par_monitor *monitor = conf->monitor;

	mutex_lock(&monitor->lock);
	if (monitor->running)
		record_policy(conf);
	monitor->running = false;
	WRITE_ONCE(monitor->late, jiffies + MAX_JIFFY_OFFSET);
	mutex_unlock(&monitor->lock);
	cancel_delayed_work_sync(&monitor->work);
	cancel_delayed_work_sync(&monitor->idle_work);
}

int par_monitor_alloc(struct par_conf *conf)
{
	struct par_monitor *monitor = conf->monitor;

	mutex_init(&monitor->lock);
	INIT_DELAYED_WORK(&monitor->work, monitor_work);
	INIT_DEFERRABLE_WORK(&monitor->idle_work, monitor_idle_work);
	monitor->late = jiffies + MAX_JIFFY_OFFSET;
	monitor->intervals = kvcalloc(PAR_WINDOW_MAX, sizeof(*monitor->intervals),
				      GFP_KERNEL);
	return monitor->intervals ? 0 : -ENOMEM;
}

void par_monitor_free(struct par_conf *conf)
{
	kvfree(conf->monitor->intervals);
}
