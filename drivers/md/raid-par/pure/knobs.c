// SPDX-License-Identifier: GPL-2.0
/*
 * The settings of the policy, and their values in a new array; see knobs.h.
 *
 * The defaults: an interval of a second and a short window of three of them, so that two
 * busy intervals are enough; a long window of five minutes. For the presets of the
 * simulated disks, sleeping saves the energy of a start within two minutes at most
 * (Documentation/spindle.md: 115 s nearline, 113 s nas, 15 s server36).
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/knobs.h"

void par_knobs_init(struct par_knobs *knobs, const struct par_geometry *geo)
{
	*knobs = (struct par_knobs) {
		.automatic = false,
		.interval = 1000,
		.window = { [PAR_WINDOW_SHORT] = 3, [PAR_WINDOW_LONG] = 300 },
		.up = 70,
		.down = 50,
		.wait = 250,
		.hold = 60,
		.break_even = 120,
		.min_gear = geo->set[1].members,
		.max_gear = geo->members,
	};
}
EXPORT_SYMBOL_IF_KUNIT(par_knobs_init);

static bool is_gear(const struct par_geometry *geo, u32 members)
{
	unsigned int i;

	for (i = 1; i <= geo->gears; i++)
		if (geo->set[i].members == members)
			return true;
	return false;
}

const char *par_knobs_error(const struct par_knobs *knobs,
			    const struct par_geometry *geo)
{
	if (knobs->interval < PAR_INTERVAL_MIN || knobs->interval > PAR_INTERVAL_MAX)
		return "interval takes a number from 100 to 60000 (ms)";
	if (!knobs->window[PAR_WINDOW_SHORT] ||
	    knobs->window[PAR_WINDOW_SHORT] > PAR_SHORT_MAX)
		return "window_short takes a number from 1 to 60 (intervals)";
	if (knobs->window[PAR_WINDOW_LONG] < knobs->window[PAR_WINDOW_SHORT] ||
	    knobs->window[PAR_WINDOW_LONG] > PAR_WINDOW_MAX)
		return "window_long takes a number from window_short to 900 (intervals)";
	if (!knobs->down || knobs->down >= knobs->up || knobs->up > 100)
		return "thresholds are 1 to 100 percent, and down_threshold is below up_threshold";
	if (knobs->wait > PAR_WAIT_MAX)
		return "up_wait takes a number from 1 to 60000 (ms), or 0: no limit";
	if (knobs->hold > PAR_HOLD_MAX)
		return "hold takes a number up to 86400 (s)";
	if (knobs->break_even > PAR_BREAK_EVEN_MAX)
		return "break_even takes a number up to 86400 (s)";
	if (!is_gear(geo, knobs->min_gear) || !is_gear(geo, knobs->max_gear) ||
	    knobs->min_gear > knobs->max_gear)
		return "min_gear and max_gear are gears of the array, min_gear not above max_gear";
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(par_knobs_error);
