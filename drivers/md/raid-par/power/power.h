/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Power: which members' disks turn, since when and why; stopping and starting them. See the
 * head of power.c.
 */
#ifndef RAID_PAR_POWER_H
#define RAID_PAR_POWER_H

#include <linux/ktime.h>
#include <linux/notifier.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "meta/store.h"
#include "power/drive.h"
#include "pure/idle.h"

enum par_power_state {
	PAR_POWER_ACTIVE,
	PAR_POWER_WAKING,
	PAR_POWER_ASLEEP,
	PAR_POWER_STATES,
};

/**
 * struct par_power - the power of one member
 * @lock: @state to @began; taken with interrupts off, also below the device's power lock
 * @state: as far as we know. "Asleep" from the moment when the device is to be stopped: a
 *	task that starts it from then on is noticed
 * @since, @ns: of the states
 * @last_wake: seconds since 1970; @cause: its cause; @asked: the cause of the present wake
 * @began: jiffies when the member was first asked, or is to be asked, to wake up
 * @dead: it has not woken up within its time
 * @free: this wake is not charged to the ration
 * @holds: the number of users that need it awake although the gear leaves it out
 * @work: settles the member; all following fields belong to it
 * @working: it is in a call to the device, perhaps for seconds
 * @prompt: stop the device without waiting for it to be quiet
 * @busy: seconds until the next look
 * @ios, @quiet: requests so far, and the jiffies since which there has been no further one
 * @refused: the lack of spin-ups has been reported
 */
struct par_power {
	struct par_member *member;
	struct par_drive drive;
	raw_spinlock_t lock;
	enum par_power_state state;
	ktime_t since;
	u64 ns[PAR_POWER_STATES];
	time64_t last_wake;
	char cause[PAR_CAUSE], asked[PAR_CAUSE];
	unsigned long began;
	bool dead, free;
	atomic_t holds;
	struct delayed_work work;
	bool working, prompt, refused;
	unsigned int busy;
	u64 ios;
	unsigned long quiet;
};

/**
 * struct par_array_power - of an array
 * @clock_lock: below the store's power_lock: @clock_known, @clock_began: seconds since
 *	1970, and since the system's start; @clock_doubted, @clock_doubt_began: the system's
 *	clock is in doubt, since then
 * @wait: works that try again to start a disk, after a pause
 * @system_sleeps: or is about to
 * @ending: no device is started or stopped any more
 */
struct par_array_power {
	struct par_conf *conf;
	spinlock_t clock_lock;	/* see above */
	u64 clock_known, clock_began;
	bool clock_doubted;
	u64 clock_doubt_began;
	wait_queue_head_t wait;
	bool system_sleeps, ending;
	struct notifier_block system_nb;
};

/* par_power_alloc - called first; fills in the values of a new array */
void par_power_alloc(struct par_conf *conf);

/*
 * par_power_begin - the array runs: take all members' devices; sleeps
 * par_power_end - begin nothing more; par_power_exit - also give all devices back. Sleeps
 * while a disk is being started or stopped.
 */
void par_power_begin(struct par_conf *conf);
void par_power_end(struct par_conf *conf);
void par_power_exit(struct par_conf *conf);

/*
 * par_power_join, par_power_leave - member @d has been added, or is removed; with the
 * parent's reconfig_mutex. @anew: it is another disk than before.
 * par_power_working - the member's disk is being started, stopped or waited for: it cannot
 * leave now
 */
void par_power_join(struct par_conf *conf, unsigned int d, bool anew);
void par_power_leave(struct par_conf *conf, unsigned int d);
bool par_power_working(struct par_conf *conf, unsigned int d);

/*
 * par_power_wake - have @members start, concurrently or one after another, according to
 * wake_stagger, and wait for them until @stop() returns true or their time is over. Those
 * in @dead have not woken up. None of them is stopped before par_power_release(). Sleeps
 * for seconds: must be called without locks. Returns 0, or -EINTR after @stop().
 */
int par_power_wake(struct par_conf *conf, u32 members,
		   bool (*stop)(struct par_conf *conf), u32 *dead);
void par_power_release(struct par_conf *conf, u32 members);

/*
 * par_power_relent - look again at members that are being started: one may have failed, or
 * may not be needed any more; any context
 */
void par_power_relent(struct par_conf *conf);

/* par_power_driven - those of @members whose devices we stop and start; any context */
u32 par_power_driven(struct par_conf *conf, u32 members);

/*
 * par_power_gear - the gear has changed: settle all members; any context
 * par_power_settle - the same after another change: members that are in use keep running
 * for a while
 */
void par_power_gear(struct par_conf *conf);
void par_power_settle(struct par_conf *conf);

/*
 * par_power_refuses - members that gear @gear would stop and that have no spin-up
 * left; @wait: seconds until all have one. Process context.
 */
u32 par_power_refuses(struct par_conf *conf, unsigned int gear, u64 *wait);

/*
 * par_power_gap - seconds that the members which gear @gear stops should sleep after each start, so
 * that their spin-ups last: the longest of par_ration_gap(). Process context.
 */
u64 par_power_gap(struct par_conf *conf, unsigned int gear);

/*
 * par_power_pace - fill in how many starts are left for the sleeping member that has the
 * fewest, and for how long they must suffice. Process context.
 */
struct par_situation;
void par_power_pace(struct par_conf *conf, struct par_situation *is);

/* par_power_count_refusal - a member that should be stopped keeps turning; process context */
void par_power_count_refusal(struct par_conf *conf);

/* par_power_counted - are there counts that no stored superblock contains yet? Any context. */
bool par_power_counted(const struct par_conf *conf);

/* par_power_counts - the nanoseconds in each state until now; any context */
void par_power_counts(struct par_power *power, u64 *ns);

int par_power_init(void);
void par_power_cleanup(void);

/* ---- shared by the power*.c only ---- */

/* par_power_look - have the member's work run in @delay jiffies; any context */
void par_power_look(struct par_member *member, unsigned long delay);

/* par_power_usable - is the member present, and not failed? Any context. */
bool par_power_usable(struct par_member *member);

/* par_power_ask - start the member in @delay jiffies; false if it does not sleep; any context */
bool par_power_ask(struct par_member *member, unsigned long delay);

/* par_power_late - is twice the member's time over, since @began (jiffies)? Any context. */
bool par_power_late(struct par_member *member, unsigned long began);

/* par_power_disk - the name of the disk of a member with a device that can be stopped */
const char *par_power_disk(struct par_member *member);

/*
 * par_power_ration - the member's ration at the time @now, seconds since 1970; with
 * conf->store->power_lock
 */
struct par_ration *par_power_ration(struct par_member *member, u64 now);

/* par_power_charge - the member has started; a start that is @free is not charged */
void par_power_charge(struct par_member *member, bool free);

/* par_power_ration_wait - seconds until the member has a spin-up left; process context */
u64 par_power_ration_wait(struct par_member *member);

/*
 * par_power_system_woke - the member is waking up, neither by nor for us; with @lock
 * par_power_system_begin, par_power_system_end - register for the system's sleep; sleep
 */
void par_power_system_woke(struct par_power *power);
void par_power_system_begin(struct par_conf *conf);
void par_power_system_end(struct par_conf *conf);

/* ---- power-wake.c ---- */

/*
 * par_members_answer - have @members answer, concurrently; one that returns an error is
 * tried again a few times. Sleeps. Returns those that do not answer.
 */
u32 par_members_answer(struct par_conf *conf, u32 members);

/* ---- clock.c ---- */

/*
 * par_clock - seconds since 1970, by a clock that goes back only in par_clock_follow(). Call it
 * with the power_lock if its result is compared with a ration's time.
 * par_clock_set - is the system's clock free of doubt? Any context, both.
 * par_clock_follow - follow a system's clock that has been in doubt for long enough; takes
 * conf->store->mutex, sleeps
 * par_clock_begin - the superblock is known
 */
u64 par_clock(struct par_conf *conf);
bool par_clock_set(struct par_conf *conf);
void par_clock_follow(struct par_conf *conf);
void par_clock_begin(struct par_conf *conf);

#endif
