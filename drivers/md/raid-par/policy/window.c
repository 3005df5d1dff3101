// SPDX-License-Identifier: GPL-2.0
/*
 * Moving averages of utilizations; see window.h for the contracts.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "policy/window.h"

void par_series_init(struct par_series *series, unsigned int gears,
		     struct par_interval *interval)
{
	unsigned int w;

	memset(series, 0, sizeof(*series));
	series->gears = gears;
	series->interval = interval;
	for (w = 0; w < PAR_WINDOWS; w++)
		series->window[w].length = 1;
}
EXPORT_SYMBOL_IF_KUNIT(par_series_init);

/* The interval that was added @ago intervals before the newest one. */
static const struct par_interval *was_seen(const struct par_series *series,
					   unsigned int ago)
{
	return &series->interval[(series->next + PAR_WINDOW_MAX - 1 - ago) %
				 PAR_WINDOW_MAX];
}

static void count_interval(const struct par_series *series, struct par_window *window,
			   const struct par_interval *interval)
{
	unsigned int i;

	for (i = 1; i <= series->gears; i++) {
		window->sum[i] += interval->load[i];
		window->squares[i] += (u32)interval->load[i] * interval->load[i];
	}
	window->requests += interval->requests;
	window->waited += interval->waited;
	window->count++;
}

static void uncount_interval(const struct par_series *series, struct par_window *window,
			     const struct par_interval *interval)
{
	unsigned int i;

	for (i = 1; i <= series->gears; i++) {
		window->sum[i] -= interval->load[i];
		window->squares[i] -= (u32)interval->load[i] * interval->load[i];
	}
	window->requests -= interval->requests;
	window->waited -= interval->waited;
	window->count--;
}

void par_window_set(struct par_series *series, enum par_window_name which,
		    unsigned int length)
{
	struct par_window *window = &series->window[which];
	unsigned int ago;

	memset(window, 0, sizeof(*window));
	window->length = length;
	for (ago = 0; ago < length && ago < series->filled; ago++)
		count_interval(series, window, was_seen(series, ago));
}
EXPORT_SYMBOL_IF_KUNIT(par_window_set);

void par_series_add(struct par_series *series, const struct par_interval *interval)
{
	unsigned int w;

	/*
	 * If a window is as long as the ring, its oldest interval is in the place of the
	 * new one.
	 */
	for (w = 0; w < PAR_WINDOWS; w++) {
		struct par_window *window = &series->window[w];

		if (window->count == window->length)
			uncount_interval(series, window, was_seen(series, window->length - 1));
		count_interval(series, window, interval);
	}
	series->interval[series->next] = *interval;
	series->next = (series->next + 1) % PAR_WINDOW_MAX;
	if (series->filled < PAR_WINDOW_MAX)
		series->filled++;
}
EXPORT_SYMBOL_IF_KUNIT(par_series_add);

u32 par_series_mean(const struct par_series *series, unsigned int gear, unsigned int count)
{
	unsigned int ago, n = min(count, series->filled);
	u64 sum = 0;

	for (ago = 0; ago < n; ago++)
		sum += was_seen(series, ago)->load[gear];
	return n ? div_u64(sum, n) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_series_mean);

unsigned int par_series_slow(const struct par_series *series, unsigned int count, u64 us)
{
	unsigned int ago, n = min(count, series->filled), slow = 0;

	for (ago = 0; ago < n; ago++) {
		const struct par_interval *interval = was_seen(series, ago);

		slow += interval->waited > interval->requests * us;
	}
	return slow;
}
EXPORT_SYMBOL_IF_KUNIT(par_series_slow);

void par_series_forget(struct par_series *series)
{
	unsigned int w;

	series->filled = 0;
	for (w = 0; w < PAR_WINDOWS; w++)
		par_window_set(series, w, series->window[w].length);
}
EXPORT_SYMBOL_IF_KUNIT(par_series_forget);

bool par_window_full(const struct par_series *series, enum par_window_name which)
{
	return series->window[which].count == series->window[which].length;
}
EXPORT_SYMBOL_IF_KUNIT(par_window_full);

/* n²σ² = nΣx² - (Σx)², which is below 2^52 for the largest values in a window. */
static u64 spread_of(const struct par_window *window, unsigned int gear)
{
	return window->count * window->squares[gear] -
	       window->sum[gear] * window->sum[gear];
}

/* μ + σ > limit, times n: nσ > n·limit - Σx; both sides squared if that is not negative. */
bool par_window_above(const struct par_series *series, enum par_window_name which,
		      unsigned int gear, u32 limit)
{
	const struct par_window *window = &series->window[which];
	u64 room = (u64)window->count * limit, sum = window->sum[gear];

	if (sum > room)
		return true;
	return spread_of(window, gear) > (room - sum) * (room - sum);
}
EXPORT_SYMBOL_IF_KUNIT(par_window_above);

u32 par_window_mean(const struct par_series *series, enum par_window_name which,
		    unsigned int gear)
{
	const struct par_window *window = &series->window[which];

	return window->count ? div_u64(window->sum[gear], window->count) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_window_mean);

u32 par_window_deviation(const struct par_series *series,
			 enum par_window_name which, unsigned int gear)
{
	const struct par_window *window = &series->window[which];

	return window->count ? int_sqrt64(spread_of(window, gear)) / window->count : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_window_deviation);

u64 par_window_wait(const struct par_series *series, enum par_window_name which)
{
	const struct par_window *window = &series->window[which];

	return window->requests ? div64_u64(window->waited, window->requests) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_window_wait);
