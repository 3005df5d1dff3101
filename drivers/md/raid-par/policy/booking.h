/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cause of a shift, when the gear is seen to have changed: the policy learns from its
 * own shifts, and has to distinguish those of others.
 *
 * Pure: no locks but the caller's, any context.
 */
#ifndef RAID_PAR_BOOKING_H
#define RAID_PAR_BOOKING_H

#include <linux/types.h>

#include "policy/policy.h"

/**
 * struct par_asked - a request of the policy
 * @gear: its number, or 0: no request is pending
 * @why: the reason; @at: the time, s
 */
struct par_asked {
	unsigned int gear;
	enum par_reason why;
	u64 at;
};

/*
 * par_book - the array is in gear @gear, was in @old when this was called last, and is
 * shifting to @target. Returns true if that is a shift; @by is then its cause: @asked if
 * the policy had asked for it, PAR_WHY_MANUAL and @now if not. An array that is @degraded
 * has been shifted up by the failure, whatever the policy has asked for.
 *
 * @asked is cleared once the gear has changed, or is no longer the array's target.
 */
bool par_book(struct par_asked *asked, unsigned int old, unsigned int gear,
	      unsigned int target, bool degraded, u64 now, struct par_asked *by);

#endif
