// SPDX-License-Identifier: GPL-2.0
/*
 * The sleeps between misses; see misses.h for the contracts.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "policy/misses.h"

#define HOUR	3600U	/* seconds */

/* The duration of the present sleep, in which the array is, or would be. */
static u64 sleep_so_far(const struct par_misses *misses, u32 linger, u64 now)
{
	u64 from = misses->last + linger;

	return max(now, from) - from;
}

/* A new value takes the place of the part of the old ones that fades. */
static u64 add_faded(u64 sum, u64 value)
{
	return sum - sum / PAR_MISSES_KEPT + value * PAR_MISSES_ONE;
}

/* The only sleep that is known. */
static void set_sleep(struct par_misses *misses, u32 linger, u64 sleep)
{
	misses->sleeps = PAR_MISSES_ONE;
	misses->slept = min_t(u64, sleep, PAR_MISSES_MOST * (u64)linger) * PAR_MISSES_ONE;
	misses->lasted = sleep * PAR_MISSES_ONE;
}

void par_misses_suppose(struct par_misses *misses, u32 linger, u32 usual, u64 now)
{
	u32 each;

	if (misses->last && !misses->usual)
		return;
	misses->usual = usual;
	if (usual) {
		each = HOUR * PAR_MISS_ONE / usual;
		set_sleep(misses, linger, each - min(each, linger));
		misses->last = misses->last ?: max(now, 1ULL);
	} else {
		memset(misses, 0, sizeof(*misses));
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_misses_suppose);

static void see_sleep(struct par_misses *misses, u32 linger, u64 sleep)
{
	if (!sleep)
		return;
	sleep = min_t(u64, sleep, U32_MAX);
	misses->sleeps = add_faded(misses->sleeps, 1);
	misses->slept = add_faded(misses->slept, min_t(u64, sleep, PAR_MISSES_MOST * (u64)linger));
	misses->lasted = add_faded(misses->lasted, sleep);
}

bool par_misses_see(struct par_misses *misses, u32 linger, u64 now)
{
	bool begins = !misses->period || now > misses->period + linger;

	if (misses->last)
		see_sleep(misses, linger, sleep_so_far(misses, linger, now));
	misses->last = max(now, 1ULL);
	misses->usual = false;
	if (begins)
		misses->period = misses->last;
	return begins;
}
EXPORT_SYMBOL_IF_KUNIT(par_misses_see);

u64 par_misses_sleep(const struct par_misses *misses, u32 linger, u64 now)
{
	u64 sleep = sleep_so_far(misses, linger, now), mean = 0;

	if (!misses->last)
		return U64_MAX;
	if (misses->sleeps)
		mean = div64_u64(misses->lasted, misses->sleeps);
	if (sleep > mean)
		mean = div64_u64(misses->lasted + sleep * PAR_MISSES_ONE,
				 misses->sleeps + PAR_MISSES_ONE);
	return mean;
}
EXPORT_SYMBOL_IF_KUNIT(par_misses_sleep);

/*
 * How long the present sleep must last until the mean with it is @needed. As long as it is shorter
 * than the mean of the others, it says nothing.
 */
static u64 must_sleep(const struct par_misses *misses, u64 slept, u64 needed)
{
	u64 have = misses->sleeps * needed;

	if (misses->sleeps && slept >= have)
		return 0;
	return needed + DIV64_U64_ROUND_UP(have - slept, PAR_MISSES_ONE);
}

u64 par_misses_wait(const struct par_misses *misses, u32 linger, u64 energy, u64 starts, u64 now)
{
	u64 until;

	if (!misses->last)
		return 0;
	until = max(must_sleep(misses, misses->slept, energy),
		    misses->lasted < starts * misses->sleeps ? PAR_MISSES_LONG * starts : 0);
	until += misses->last + linger;
	return max(until, now) - now;
}
EXPORT_SYMBOL_IF_KUNIT(par_misses_wait);
