// SPDX-License-Identifier: GPL-2.0
/*
 * The cause of a shift; see booking.h for the contract.
 */
#include <kunit/visibility.h>

#include "policy/booking.h"

bool par_book(struct par_asked *asked, unsigned int old, unsigned int gear,
	      unsigned int target, bool degraded, u64 now, struct par_asked *by)
{
	if (gear == old) {
		/* The request was not fulfilled. */
		if (target != asked->gear)
			asked->gear = 0;
		return false;
	}
	if (gear == asked->gear && !degraded)
		*by = *asked;
	else
		*by = (struct par_asked) { gear, PAR_WHY_MANUAL, now };
	asked->gear = 0;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_book);
