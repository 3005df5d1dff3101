/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a member that turns and need not is stopped; pure.
 */
#ifndef RAID_PAR_IDLE_H
#define RAID_PAR_IDLE_H

#include <linux/types.h>

#define PAR_WAKE_TIMEOUT	60U	/* s; a disk of many heads takes 30 */
#define PAR_WAKE_TIMEOUT_MAX	3600U
#define PAR_STAGGER_MAX		60000U	/* ms */
#define PAR_STOP_AFTER		60U	/* s */
#define PAR_STOP_AFTER_MAX	86400U
#define PAR_BUSY_FIRST		1U	/* s, and twice as long each time … */
#define PAR_BUSY_LAST		256U	/* … up to this */
#define PAR_ASK_RATION		3600U	/* s; the clock may be set meanwhile */

/**
 * struct par_idle - what is known of a member that turns and need not
 * @off: nobody is to be stopped; @system: the system is about to sleep
 * @prompt: it need not have been quiet
 * @quiet: seconds without a request; @stop_after: so many are asked for
 * @ration: seconds until it has a spin-up left
 */
struct par_idle {
	bool off, system, prompt;
	u64 quiet, stop_after, ration;
};

/*
 * par_idle_wait - seconds until it may be stopped or one should look again; 0:
 * stop it now, U32_MAX: something has to happen first. Pure.
 */
u32 par_idle_wait(const struct par_idle *idle);

/* par_busy_next - a disk was used by others; wait how long after @last? Pure. */
unsigned int par_busy_next(unsigned int last);

/*
 * par_wake_over - has a member had all the time it has to wake up in, @timeout
 * seconds and as long again, since @began? Both in jiffies. Pure.
 */
bool par_wake_over(unsigned long began, unsigned long now, u32 timeout);

#endif
