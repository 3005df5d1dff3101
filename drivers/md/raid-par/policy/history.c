// SPDX-License-Identifier: GPL-2.0
/*
 * Loads by hour of the day; see history.h for the contracts.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <kunit/visibility.h>

#include "policy/history.h"

#define HOUR	3600U	/* seconds */

static const u8 par_miss_numbers[PAR_MISS_CLASSES] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 30,
};

u8 par_miss_class(u32 misses)
{
	u8 class = 0;

	while (class < PAR_MISS_CLASSES - 1 &&
	       2ULL * misses > par_miss_numbers[class] + par_miss_numbers[class + 1])
		class++;
	return class;
}
EXPORT_SYMBOL_IF_KUNIT(par_miss_class);

u32 par_miss_number(u8 class)
{
	return par_miss_numbers[min_t(u8, class, PAR_MISS_CLASSES - 1)];
}
EXPORT_SYMBOL_IF_KUNIT(par_miss_number);

void par_history_init(struct par_history *history)
{
	memset(history, 0, sizeof(*history));
	memset(history->mean, 0xff, sizeof(history->mean));
	memset(history->peak, 0xff, sizeof(history->peak));
}
EXPORT_SYMBOL_IF_KUNIT(par_history_init);

static unsigned int hour_place(u64 hour)
{
	return do_div(hour, PAR_HISTORY_HOURS);
}

/*
 * @hour is the newest from now on. The entries between the last one and this one are a week
 *	old or more, and are cleared; if the clock has been set back, the entries of later
 *	hours are cleared.
 */
static void advance_hours(struct par_history *history, u64 hour)
{
	u64 from = min(hour, history->hour), to = max(hour, history->hour), k;

	for (k = 1; k <= min_t(u64, to - from, PAR_HISTORY_HOURS); k++) {
		history->mean[hour_place(from + k)] = PAR_LOAD_UNKNOWN;
		history->peak[hour_place(from + k)] = PAR_LOAD_UNKNOWN;
		history->misses[hour_place(from + k)] = 0;
	}
	history->hour = hour;
}

static enum par_hour_end end_hour(struct par_history *history)
{
	if (!history->ns)
		return PAR_HOUR_GOES_ON;
	advance_hours(history, history->now);
	history->mean[hour_place(history->now)] = div64_u64(history->sum, history->ns);
	history->peak[hour_place(history->now)] = history->most;
	history->misses[hour_place(history->now)] = par_miss_class(history->missed);
	return history->most ? PAR_HOUR_USED : PAR_HOUR_IDLE;
}

/* Add @load for @ns ns, all of it in @hour. */
static enum par_hour_end see_part(struct par_history *history, u32 load, u64 ns, u64 hour)
{
	enum par_hour_end end = PAR_HOUR_GOES_ON;

	if (hour != history->now) {
		end = end_hour(history);
		history->now = hour;
		history->sum = 0;
		history->ns = 0;
		history->most = 0;
		history->missed = 0;
	}
	history->sum += load * ns;
	history->ns += ns;
	if (ns)
		history->most = max_t(u32, history->most, load);
	return end;
}

/* When the interval that ends @now began, but not before the current hour began. */
static u64 hour_began(const struct par_history *history, u64 ns, u64 now)
{
	u64 seconds = min(div_u64(ns, NSEC_PER_SEC), PAR_HISTORY_HOURS * HOUR);

	if (div_u64(now, HOUR) <= history->now)
		return now;
	return max(now - min(now, seconds), history->now * HOUR);
}

enum par_hour_end par_history_see(struct par_history *history, u32 load, u64 ns, u64 now)
{
	u64 hour = div_u64(now, HOUR), from = hour_began(history, ns, now), next, part;
	enum par_hour_end end = PAR_HOUR_GOES_ON;

	load = min(load, PAR_HOUR_MOST);
	for (; from < hour * HOUR; from = next) {
		next = (div_u64(from, HOUR) + 1) * HOUR;
		part = min(ns, (next - from) * NSEC_PER_SEC);
		end = max(end, see_part(history, load, part, div_u64(from, HOUR)));
		ns -= part;
	}
	return max(end, see_part(history, load, ns, hour));
}
EXPORT_SYMBOL_IF_KUNIT(par_history_see);

void par_history_missed(struct par_history *history)
{
	history->missed++;
}
EXPORT_SYMBOL_IF_KUNIT(par_history_missed);

struct par_hour par_history_of(const struct par_history *history, unsigned int hour)
{
	struct par_hour of = {};
	unsigned int day, at;

	for (day = 0; day < PAR_HISTORY_DAYS; day++) {
		at = day * 24 + hour;
		if (history->mean[at] == PAR_LOAD_UNKNOWN)
			continue;
		of.days++;
		of.mean += history->mean[at];
		of.peak += history->peak[at];
		of.misses += par_miss_number(history->misses[at]) * PAR_MISS_ONE;
	}
	if (of.days) {
		of.mean /= of.days;
		of.peak /= of.days;
		of.misses /= of.days;
	}
	return of;
}
EXPORT_SYMBOL_IF_KUNIT(par_history_of);

struct par_past_hour par_history_past(const struct par_history *history, unsigned int ago)
{
	struct par_past_hour past = { .hour = history->hour - ago, .mean = PAR_LOAD_UNKNOWN };

	if (history->hour < ago)
		return past;
	past.mean = history->mean[hour_place(past.hour)];
	past.peak = history->peak[hour_place(past.hour)];
	return past;
}
EXPORT_SYMBOL_IF_KUNIT(par_history_past);
