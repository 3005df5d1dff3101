// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a write goes to the write log or past it; see log-way.h for the contract.
 */
#include <kunit/visibility.h>

#include "pure/log-way.h"

enum par_log_way par_log_way(const struct par_log_write *write)
{
	if (write->logged)
		return write->room && (write->low || !write->ending) ? PAR_LOG_APPEND :
								       PAR_LOG_WAIT;
	return write->low && !write->large && write->room ? PAR_LOG_APPEND : PAR_LOG_PAST;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_way);

bool par_log_full(const struct par_log_write *write)
{
	return !write->room && (write->logged || !write->large);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_full);
