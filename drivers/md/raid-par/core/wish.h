/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wanted gear and its cause: wish.c. The mover (shift.c) works towards it.
 */
#ifndef RAID_PAR_WISH_H
#define RAID_PAR_WISH_H

#include <linux/bio.h>
#include <linux/kernfs.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#define PAR_CAUSE	48	/* bytes */
#define PAR_CAUSE_MISS	"miss"	/* a request, in an array with slots, for data without one */

struct par_conf;
struct task_struct;

/**
 * struct par_wish - of an array
 * @target: the wanted gear; @cause: its cause; set together, under @lock
 * @aim: the gear that the mover works towards; written by the mover only
 * @put_off: a gear for which no spin-ups are left, or 0; @put_off_until: jiffies
 * @error: of the last shift; @ended: jiffies then; @unraised: it was a shift up that failed
 * @wait: for the mover, and for those that wait for the mover, for a gear or for members to
 *	wake
 * @missed: requests that wait for a member to wake, under the queue's lock
 * @again: jiffies after which a raise that could not be stored is tried again, or 0
 * @moving: the mover is at work; @resting: it begins nothing until it is roused; @paused:
 *	nor when it is roused
 * @gear_file, @shift_file: the files that can be polled
 * @lock: taken with interrupts off, also below that of struct par_power
 */
struct par_wish {
	raw_spinlock_t lock;	/* see above */
	unsigned int target, aim;
	char cause[PAR_CAUSE];
	unsigned int put_off;
	unsigned long put_off_until;
	int error;
	bool unraised;
	unsigned long ended;
	wait_queue_head_t wait;
	struct bio_list missed;
	unsigned long again;
	bool moving, resting, paused;
	struct kernfs_node *gear_file, *shift_file;
};

/* par_shift_rouse - the mover has new work; any context */
void par_shift_rouse(struct par_conf *conf);

/* par_mover_wake - a condition that is waited for on conf->wish.wait may be true; any context */
void par_mover_wake(struct par_conf *conf);

/* par_any_missed - does a request wait for a member to wake? Any context */
static inline bool par_any_missed(const struct par_wish *wish)
{
	return READ_ONCE(wish->missed.head);
}

/* par_raise_for_missed - a request is on conf->wish.missed: raise the gear; any context */
void par_raise_for_missed(struct par_conf *conf);

/*
 * par_shift_to - ask for a gear (1 … gears); returns at once. Any context. @cause also
 * becomes the cause of wakes from then on.
 */
void par_shift_to(struct par_conf *conf, unsigned int gear, const char *cause);

/*
 * par_shift_at_least - like par_shift_to(), but never to a smaller gear than the wanted one.
 * Returns true if that was smaller.
 */
bool par_shift_at_least(struct par_conf *conf, unsigned int gear, const char *cause);

/*
 * par_shift_from - ask for a smaller gear, unless a gear other than @target has been asked
 * for meanwhile; any context
 */
void par_shift_from(struct par_conf *conf, unsigned int target, unsigned int gear,
		    const char *cause);

/*
 * par_shift_wake - all members are needed, though no request needs them: ask for the top
 * gear. Returns false and does nothing if a shift up has just failed. Any context.
 */
bool par_shift_wake(struct par_conf *conf, const char *cause);

/* par_raise_failed - has a shift up failed since @since, in jiffies, and none ended since? */
bool par_raise_failed(const struct par_conf *conf, unsigned long since);

/* par_shift_notify - wake pollers of gear and shift_state */
void par_shift_notify(struct par_conf *conf);

/*
 * par_mover_paused - must the mover begin nothing? par_mover_stops - must it also give up
 * its present work, because the array stops or is read-only? par_is_put_off - is the wanted
 * shift down deferred because no spin-ups are left?
 */
bool par_mover_paused(struct par_conf *conf);
bool par_mover_stops(struct par_conf *conf);
bool par_is_put_off(struct par_conf *conf);

/* par_mover_interrupted - another gear is wanted, or the array stops */
bool par_mover_interrupted(struct par_conf *conf);

/*
 * par_wanted - the gear to work towards: conf->wish.target, or the current gear while the
 * shift to the target is deferred. Any context.
 */
unsigned int par_wanted(struct par_conf *conf);

/*
 * par_wish_aim - the mover works towards @gear; par_wish_drop - the gear that it works
 * towards is not wanted any more; par_wish_ended - a shift has ended; par_wish_put_off -
 * the gear that it works towards is tried again in @wait jiffies. Called by the mover.
 */
void par_wish_aim(struct par_conf *conf, unsigned int gear);
void par_wish_drop(struct par_conf *conf);
void par_wish_ended(struct par_conf *conf, int err);
void par_wish_put_off(struct par_conf *conf, unsigned long wait);

/* par_wish_watch - notify pollers of these files; NULL: of none */
void par_wish_watch(struct par_conf *conf, struct kernfs_node *gear,
		    struct kernfs_node *shift);

/*
 * par_mover_begin, par_mover_end - the mover is at work between these calls
 * par_mover_pause - the array is about to be stopped or turned read-only: interrupt the
 * mover. It begins nothing until par_mover_allow(), and after that nothing until the array
 * is written or a shift is asked for. Sleeps until the mover has stopped working.
 */
void par_mover_begin(struct par_conf *conf);
void par_mover_end(struct par_conf *conf);
void par_mover_pause(struct par_conf *conf);
void par_mover_allow(struct par_conf *conf);

/*
 * par_cause_task - format "@part NAME[PID]" of @task into @cause, to name it as the cause;
 * any context. Control characters of the name are replaced, since a cause is a line of
 * files and of uevents.
 */
void par_cause_task(char cause[PAR_CAUSE], const char *part, const struct task_struct *task);

/* par_wish_begin - the mover is about to run, and the current gear is the wanted one */
void par_wish_init(struct par_conf *conf);
void par_wish_begin(struct par_conf *conf);

/* par_put_off_over - settings have changed: try a deferred shift again */
void par_put_off_over(struct par_conf *conf);

/* par_wish_missed - is a miss the cause of the wanted gear? Any context */
bool par_wish_missed(struct par_conf *conf);

/*
 * par_wish_cause - copy the cause of the wanted gear ("request", for example); interrupts
 * are off
 */
void par_wish_cause(struct par_conf *conf, char cause[PAR_CAUSE]);

#endif
