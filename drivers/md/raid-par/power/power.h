/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Power: which member's disk turns, since when and why, and who has it stopped and
 * started. See the head of power.c.
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
 * @lock: @state to @began; taken with interrupts off, also below the device's
 *	power lock
 * @state: as far as we know. "Asleep" from the moment at which it is to be
 *	stopped: whoever starts it from then on is noticed
 * @since, @ns: of the states
 * @last_wake: seconds since 1970; @cause: and why; @asked: why it is waking
 * @began: jiffies when it was first asked, or is to be asked, to wake up
 * @dead: and it has not, in all the time it has
 * @free: this wake is not charged to the ration
 * @holds: who needs it awake although the gear leaves it out
 * @work: settle it; all that follows is its own
 * @working: it is in a call to the device, for seconds perhaps
 * @prompt: stop it without waiting for it to be quiet
 * @busy: seconds to wait before it is asked again
 * @ios, @quiet: requests so far, and jiffies since there has been no more
 * @refused: that there are no spin-ups left has been told
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
 * @clock_lock: below the store's power_lock: @clock_known, @clock_began: seconds since 1970,
 *	and since the system's start
 * @wait: works that try to start a disk once more, after a pause
 * @system_sleeps: or is about to
 * @ending: nobody is started or stopped any more
 */
struct par_array_power {
	struct par_conf *conf;
	spinlock_t clock_lock;	/* see above */
	u64 clock_known, clock_began;
	wait_queue_head_t wait;
	bool system_sleeps, ending;
	struct notifier_block system_nb;
};

/* par_power_alloc - before anything else; fills in what a new array has */
void par_power_alloc(struct par_conf *conf);

/*
 * par_power_begin - the array runs: take all members' devices; sleeps
 * par_power_end - begin nothing more; par_power_exit - and give all back. Sleeps
 * as long as a disk takes that is just being started or stopped.
 */
void par_power_begin(struct par_conf *conf);
void par_power_end(struct par_conf *conf);
void par_power_exit(struct par_conf *conf);

/*
 * par_power_join, par_power_leave - member @d has come, or goes; with the
 * parent's reconfig_mutex. @anew: it is another disk than before.
 * par_power_working - it is just being started or stopped, or waited for: it
 * cannot leave now
 */
void par_power_join(struct par_conf *conf, unsigned int d, bool anew);
void par_power_leave(struct par_conf *conf, unsigned int d);
bool par_power_working(struct par_conf *conf, unsigned int d);

/*
 * par_power_wake - have @members start, all at once or one after another as
 * wake_stagger says, and wait for them until @stop() says so or they have had
 * their time. Those in @dead have not woken up. None of them is stopped before
 * par_power_release(). Sleeps for seconds: no lock is to be held. Returns 0, or
 * -EINTR after @stop().
 */
int par_power_wake(struct par_conf *conf, u32 members,
		   bool (*stop)(struct par_conf *conf), u32 *dead);
void par_power_release(struct par_conf *conf, u32 members);

/*
 * par_power_relent - a member that is being started may have failed, or not be needed any
 * more; any context
 */
void par_power_relent(struct par_conf *conf);

/* par_power_driven - those of @members whose device we stop and start; any context */
u32 par_power_driven(struct par_conf *conf, u32 members);

/*
 * par_power_gear - the gear has changed: settle all members; any context
 * par_power_settle - the same after another change: who is used goes on for a while
 */
void par_power_gear(struct par_conf *conf);
void par_power_settle(struct par_conf *conf);

/*
 * par_power_refuses - members that gear @gear would stop and that have no spin-up
 * left; @wait: seconds until all have one. Process context.
 */
u32 par_power_refuses(struct par_conf *conf, unsigned int gear, u64 *wait);

/*
 * par_power_pace - how many starts are left of whoever has the fewest of those that sleep,
 * and for how long they must do: fills that in. Process context.
 */
struct par_situation;
void par_power_pace(struct par_conf *conf, struct par_situation *is);

/* par_power_count_refusal - who was to be stopped goes on turning; process context */
void par_power_count_refusal(struct par_conf *conf);

/* par_power_counted - has anything been counted that no superblock tells yet? Any context. */
bool par_power_counted(const struct par_conf *conf);

/* par_power_counts - the nanoseconds in each state until now; any context */
void par_power_counts(struct par_power *power, u64 *ns);

int par_power_init(void);
void par_power_cleanup(void);

/* ---- what only the power*.c share ---- */

/* par_power_look - have the member's work look at it in @delay jiffies; any context */
void par_power_look(struct par_member *member, unsigned long delay);

/* par_power_usable - is it there, and not failed? Any context. */
bool par_power_usable(struct par_member *member);

/* par_power_ask - start it in @delay jiffies; false if it does not sleep; any context */
bool par_power_ask(struct par_member *member, unsigned long delay);

/* par_power_late - has it had its time, twice, since @began (jiffies)? Any context. */
bool par_power_late(struct par_member *member, unsigned long began);

/* par_power_disk - the disk's name, of a member with a device that can be stopped */
const char *par_power_disk(struct par_member *member);

/*
 * par_power_ration - the member's ration as it is @now, seconds since 1970; with
 * conf->store->power_lock
 */
struct par_ration *par_power_ration(struct par_member *member, u64 now);

/* par_power_charge - it has started; a start that is @free costs nothing of the ration */
void par_power_charge(struct par_member *member, bool free);

/* par_power_ration_wait - seconds until it has a spin-up left; process context */
u64 par_power_ration_wait(struct par_member *member);

/*
 * par_power_system_woke - it is on its way up, neither by us nor for us; with @lock
 * par_power_system_begin, par_power_system_end - heed the system's sleep; sleep
 */
void par_power_system_woke(struct par_power *power);
void par_power_system_begin(struct par_conf *conf);
void par_power_system_end(struct par_conf *conf);

/* ---- power-wake.c ---- */

/*
 * par_members_answer - have @members answer, all at once; one that errs is asked
 * again a few times. Sleeps. Returns those that do not answer.
 */
u32 par_members_answer(struct par_conf *conf, u32 members);

/* ---- clock.c ---- */

/*
 * par_clock - seconds since 1970, of a clock that never says less than is known to be over
 * par_clock_set - has somebody set the system's? Any context, both.
 * par_clock_begin - the superblock is known
 */
u64 par_clock(struct par_conf *conf);
bool par_clock_set(const struct par_conf *conf);
void par_clock_begin(struct par_conf *conf);

#endif
