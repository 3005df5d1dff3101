/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose a shift is, when the gear is seen to have changed: the policy learns from its
 * own shifts, and from others' that they are not.
 *
 * Pure: no locks but the caller's, any context.
 */
#ifndef RAID_PAR_BOOKING_H
#define RAID_PAR_BOOKING_H

#include <linux/types.h>

#include "policy/policy.h"

/**
 * struct par_asked - what the policy has asked for
 * @gear: its number, or 0: nothing that has not come about or been given up
 * @why: and why; @at: when, s
 */
struct par_asked {
	unsigned int gear;
	enum par_reason why;
	u64 at;
};

/*
 * par_book - the array is in gear @gear and was in @old when this was called last; it is
 * on its way to @target. If that is a shift, true, and @by says whose: as in @asked if the
 * policy had asked for it, PAR_WHY_MANUAL and @now if not. An array that is @degraded has
 * been shifted up by the failure, whatever the policy has asked for.
 *
 * @asked is over once the gear has changed, or is no longer what the array aims at.
 */
bool par_book(struct par_asked *asked, unsigned int old, unsigned int gear,
	      unsigned int target, bool degraded, u64 now, struct par_asked *by);

#endif
