// SPDX-License-Identifier: GPL-2.0
/*
 * The time of day for rations and for ages of checks.
 *
 * A board without a battery starts in 1970, at the date of its system image, or decades ahead,
 * until its clock is set; and a clock may be set to a wrong time for a while. If rations and
 * ages followed it at once, the first would be filled, and the second would be decades or 0.
 * So while the system's clock is in doubt, time goes on from what was known before. The clock
 * is in doubt if it shows
 *
 *   a time before raid-par existed: it has not been set, and is never followed;
 *   a time earlier by PAR_CLOCK_BEHIND or more than the newest one that the array has seen or
 *   stored;
 *   a time later than that one by PAR_CLOCK_AHEAD or more. An array may have been stopped for
 *   months.
 *
 * In the last two cases it is followed once it has been in doubt for PAR_CLOCK_STAYS. Stored
 * times that are in the future then were recorded with the other clock: they are moved by the
 * difference of the two, so that ages remain as they were.
 */
#include <linux/timekeeping.h>

#include "core/parent.h"
#include "power/power.h"

#define PAR_CLOCK_FIRST		1767225600ULL	/* 1 January 2026 */
#define PAR_CLOCK_BEHIND	(12 * 3600ULL)	/* more than an hour of summer time or a zone */
#define PAR_CLOCK_AHEAD		(730 * 86400ULL)
#define PAR_CLOCK_STAYS		3600ULL

/* Both clocks, with the clock_lock; @due: the system's clock will not be doubted any longer. */
struct par_times {
	u64 system, known;
	bool doubted, begins, due;
};

static void clock_know(struct par_conf *conf, u64 now)
{
	conf->power->clock_known = now;
	conf->power->clock_began = ktime_get_boottime_seconds();
}

static bool clock_doubted(u64 system, u64 known)
{
	if (system < PAR_CLOCK_FIRST || known < PAR_CLOCK_FIRST)
		return system < PAR_CLOCK_FIRST;
	return system + PAR_CLOCK_BEHIND <= known || system >= known + PAR_CLOCK_AHEAD;
}

static struct par_times read_clocks(struct par_conf *conf)
{
	struct par_array_power *power = conf->power;
	u64 running = ktime_get_boottime_seconds();
	struct par_times t = { .system = ktime_get_real_seconds() };

	lockdep_assert_held(&power->clock_lock);
	t.known = power->clock_known + running - power->clock_began;
	t.doubted = clock_doubted(t.system, t.known);
	if (!t.doubted) {
		if (t.system >= power->clock_known)
			clock_know(conf, t.system);
		power->clock_doubted = false;
		return t;
	}
	if (!power->clock_doubted) {
		t.begins = true;
		power->clock_doubt_began = running;
		power->clock_doubted = true;
	}
	t.due = t.system >= PAR_CLOCK_FIRST &&
		running >= power->clock_doubt_began + PAR_CLOCK_STAYS;
	return t;
}

static void tell_doubt(struct par_conf *conf, const struct par_times *t)
{
	time64_t system = t->system, known = t->known;

	if (t->system < PAR_CLOCK_FIRST)
		pr_warn("md/par:%s: the system clock is not set (%ptTs): spin-up budgets and the ages of checks go on from %ptTs\n",
			mdname(conf->mddev), &system, &known);
	else
		pr_warn("md/par:%s: the system clock is in doubt: it shows %ptTs, and the newest time known to the array is %ptTs; spin-up budgets and the ages of checks follow the clock if it stays so for an hour\n",
			mdname(conf->mddev), &system, &known);
}

static struct par_times look_at_clocks(struct par_conf *conf)
{
	struct par_times t;

	spin_lock(&conf->power->clock_lock);
	t = read_clocks(conf);
	spin_unlock(&conf->power->clock_lock);
	if (t.begins)
		tell_doubt(conf, &t);
	return t;
}

bool par_clock_set(struct par_conf *conf)
{
	return !look_at_clocks(conf).doubted;
}

u64 par_clock(struct par_conf *conf)
{
	struct par_times t = look_at_clocks(conf);

	return t.doubted ? t.known : max(t.known, t.system);
}

/* Times that are in the future move by as much as the clock has. */
static u64 clock_moved(u64 time, const struct par_times *t)
{
	return time > t->system ? time - min(time, t->known - t->system) : time;
}

static void clock_move_times(struct par_conf *conf, const struct par_times *t)
{
	unsigned int d, i;

	for (d = 0; d < conf->geo.members; d++) {
		struct par_ration *ration = &conf->store->super.power.ration[d];

		/* Members that get their shares late get them up to now, by the other clock. */
		par_ration_tick(ration, conf->store->super.power.carry, t->known);
		ration->since = clock_moved(ration->since, t);
	}
	for (i = 1; i <= conf->geo.gears; i++) {
		u64 *last = &conf->store->super.scrub.last[i];
		u64 *began = &conf->set[i]->scrub.began;

		WRITE_ONCE(*last, clock_moved(*last, t));
		*began = clock_moved(*began, t);
	}
}

static void clock_follow(struct par_conf *conf)
{
	struct par_times t;

	mutex_lock(&conf->store->mutex);
	spin_lock(&conf->store->power_lock);
	spin_lock(&conf->power->clock_lock);
	t = read_clocks(conf);
	if (t.due) {
		if (t.system < t.known) {
			clock_move_times(conf, &t);
			par_store_count(conf);
		}
		clock_know(conf, t.system);
		conf->power->clock_doubted = false;
	}
	spin_unlock(&conf->power->clock_lock);
	spin_unlock(&conf->store->power_lock);
	mutex_unlock(&conf->store->mutex);
}

void par_clock_follow(struct par_conf *conf)
{
	might_sleep();
	if (look_at_clocks(conf).due)
		clock_follow(conf);
}

void par_clock_begin(struct par_conf *conf)
{
	u64 known = 0;
	unsigned int d, i;

	for (d = 0; d < conf->geo.members; d++)
		known = max(known, conf->store->super.power.ration[d].since);
	for (i = 1; i <= conf->geo.gears; i++)
		known = max(known, conf->store->super.scrub.last[i]);
	spin_lock_init(&conf->power->clock_lock);
	clock_know(conf, known);
}
