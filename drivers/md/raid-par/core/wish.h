/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which gear is wanted, and what for: wish.c. The mover (shift.c) goes by it.
 */
#ifndef RAID_PAR_WISH_H
#define RAID_PAR_WISH_H

#include <linux/bio.h>
#include <linux/kernfs.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#define PAR_CAUSE	48	/* bytes */

struct par_conf;
struct task_struct;

/**
 * struct par_wish - of an array
 * @target: gear wanted, and @cause: what for; set together, under @lock
 * @aim: what the mover works towards; the mover's own
 * @put_off: a gear that there are no spin-ups for, or 0; @put_off_until: jiffies
 * @error: of the last shift; @ended: jiffies then; @unraised: it was one up, and failed
 * @wait: the mover, and what waits for it, for a gear or for members to wake
 * @missed: requests that wait for a member to wake, under the queue's lock
 * @again: jiffies after which a raise is tried again that could not be stored, or 0
 * @moving: the mover is at work; @resting: and is to begin nothing until roused; @paused: nor
 *	then
 * @gear_file, @shift_file: those that can be polled
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

/* par_shift_rouse - there is something for the mover to do again; any context */
void par_shift_rouse(struct par_conf *conf);

/* par_mover_wake - what is waited for on conf->wish.wait may be so; any context */
void par_mover_wake(struct par_conf *conf);

/* par_raise_for_missed - a request is on conf->wish.missed: have the gear raised; any context */
void par_raise_for_missed(struct par_conf *conf);

/*
 * par_shift_to - ask for a gear (1 … gears); returns at once. Any context. @cause: what for,
 * which is the cause of wakes from then on
 */
void par_shift_to(struct par_conf *conf, unsigned int gear, const char *cause);

/* par_shift_at_least - the same, but never to a smaller gear than is wanted */
void par_shift_at_least(struct par_conf *conf, unsigned int gear, const char *cause);

/*
 * par_shift_from - ask for a smaller gear, unless another than @target has been asked
 * for meanwhile; any context
 */
void par_shift_from(struct par_conf *conf, unsigned int target, unsigned int gear,
		    const char *cause);

/*
 * par_shift_wake - all members are needed, but by no request: ask for the top
 * gear, unless a shift up has failed just now; then it is false. Any context.
 */
bool par_shift_wake(struct par_conf *conf, const char *cause);

/* par_shift_notify - poll(2) on gear and shift_state */
void par_shift_notify(struct par_conf *conf);

/*
 * par_mover_paused - must the mover begin nothing? par_mover_stops - and give up what it is
 * at, since the array stops or is read-only? par_is_put_off - is the shift down that is
 * wanted put off, for want of spin-ups?
 */
bool par_mover_paused(struct par_conf *conf);
bool par_mover_stops(struct par_conf *conf);
bool par_is_put_off(struct par_conf *conf);

/* par_mover_interrupted - another gear is wanted, or the array stops */
bool par_mover_interrupted(struct par_conf *conf);

/*
 * par_wanted - the gear to work towards: conf->wish.target, or the current one while
 * that is put off. Any context.
 */
unsigned int par_wanted(struct par_conf *conf);

/*
 * par_wish_aim - the mover works towards @gear; par_wish_drop - what it works towards is
 * not wanted any more; par_wish_ended - a shift has; par_wish_put_off - what is aimed at is
 * asked for again in @wait jiffies. The mover.
 */
void par_wish_aim(struct par_conf *conf, unsigned int gear);
void par_wish_drop(struct par_conf *conf);
void par_wish_ended(struct par_conf *conf, int err);
void par_wish_put_off(struct par_conf *conf, unsigned long wait);

/* par_wish_watch - these files are polled; NULL: no more */
void par_wish_watch(struct par_conf *conf, struct kernfs_node *gear,
		    struct kernfs_node *shift);

/*
 * par_mover_begin, par_mover_end - the mover is at work in between
 * par_mover_pause - the array is about to be stopped or turned read-only: have the mover
 * leave off, and begin nothing until par_mover_allow(), nor after it until the array is
 * written or a shift is asked for. Sleeps until it has.
 */
void par_mover_begin(struct par_conf *conf);
void par_mover_end(struct par_conf *conf);
void par_mover_pause(struct par_conf *conf);
void par_mover_allow(struct par_conf *conf);

/*
 * par_cause_task - put into @cause that @task has done it: "@part NAME[PID]"; any context.
 * Control characters of the name are replaced: a cause is a line of files and of uevents.
 */
void par_cause_task(char cause[PAR_CAUSE], const char *part, const struct task_struct *task);

/* par_wish_begin - the mover is about to run, and nothing is wanted of it */
void par_wish_init(struct par_conf *conf);
void par_wish_begin(struct par_conf *conf);

/* par_put_off_over - settings have changed: ask for what was put off again */
void par_put_off_over(struct par_conf *conf);

/* par_wish_cause - what the gear that is wanted is for: "request"; interrupts are off */
void par_wish_cause(struct par_conf *conf, char cause[PAR_CAUSE]);

#endif
