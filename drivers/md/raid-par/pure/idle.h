/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When to stop a member that turns and is not needed; pure.
 */
#ifndef RAID_PAR_IDLE_H
#define RAID_PAR_IDLE_H

#include <linux/types.h>

#define PAR_WAKE_TIMEOUT	60U	/* s; a disk with many heads takes 30 */
#define PAR_WAKE_TIMEOUT_MAX	3600U
#define PAR_STAGGER_MAX		60000U	/* ms */
#define PAR_STOP_AFTER		60U	/* s */
#define PAR_STOP_AFTER_MAX	86400U
#define PAR_BUSY_FIRST		1U	/* s, and twice as long each time … */
#define PAR_BUSY_LAST		256U	/* … up to this */
#define PAR_ASK_RATION		3600U	/* s; the clock may be set meanwhile */

/**
 * struct par_idle - the state of a member that turns and is not needed
 * @off: no member is stopped; @system: the system is about to sleep
 * @prompt: the member need not have been quiet
 * @quiet: seconds without a request; @stop_after: the number that is required
 * @ration: seconds until it has a spin-up left
 */
struct par_idle {
	bool off, system, prompt;
	u64 quiet, stop_after, ration;
};

/*
 * par_idle_wait - seconds until the member may be stopped or should be looked at again; 0:
 * stop it now, U32_MAX: wait for an event. Pure.
 */
u32 par_idle_wait(const struct par_idle *idle);

/* par_busy_next - a disk was used by others: the time to wait after @last. Pure. */
unsigned int par_busy_next(unsigned int last);

/*
 * par_wake_over - has a member had all of its time to wake up, twice @timeout seconds,
 * since @began? @began and @now in jiffies. Pure.
 */
bool par_wake_over(unsigned long began, unsigned long now, u32 timeout);

#endif
