// SPDX-License-Identifier: GPL-2.0
/*
 * How long surges last; see surge.h for the contracts.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "policy/surge.h"

#define LARGE_SECTORS	256U

static enum par_surge_kind kind_of(const struct par_surge *surge)
{
	bool large = surge->sectors > LARGE_SECTORS * surge->requests;
	bool writes = 2 * surge->writes > surge->requests;

	if (large)
		return writes ? PAR_SURGE_LARGE_WRITES : PAR_SURGE_LARGE_READS;
	return writes ? PAR_SURGE_WRITES : PAR_SURGE_READS;
}

void par_surge_drop(struct par_surge *surge)
{
	surge->since = 0;
	surge->requests = 0;
	surge->sectors = 0;
	surge->writes = 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_surge_drop);

static void remember_surge(struct par_spans *spans, u64 lasted)
{
	spans->lasted[spans->count % PAR_SPANS] = min_t(u64, U32_MAX, lasted);
	/* A full ring is recognized by a count above PAR_SPANS. */
	if (++spans->count == PAR_COUNT_END)
		spans->count = PAR_SPANS;
}

static void begin_surge(struct par_surge *surge, u64 now)
{
	surge->since = max(now, 1ULL);
	if (surge->ended)
		remember_surge(&surge->pauses, surge->since - min(surge->since, surge->ended));
}

static void end_surge(struct par_surge *surge)
{
	remember_surge(&surge->past[kind_of(surge)], surge->last - surge->since);
	surge->ended = surge->last;
	par_surge_drop(surge);
}

void par_surge_see(struct par_surge *surge, const struct par_interval *interval,
		   bool pressed, u64 lull, u64 now)
{
	if (surge->since && !pressed && now - surge->last >= lull)
		end_surge(surge);
	if (pressed) {
		if (!surge->since)
			begin_surge(surge, now);
		surge->last = max(now, surge->since);
	}
	if (!surge->since)
		return;
	surge->requests += interval->requests;
	surge->sectors += interval->sectors;
	surge->writes += interval->writes;
}
EXPORT_SYMBOL_IF_KUNIT(par_surge_see);

u64 par_surge_age(const struct par_surge *surge, u64 now)
{
	return surge->since ? now - min(now, surge->since) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_surge_age);

/* The number of remembered spans that have lasted for at least @age. */
static unsigned int surge_lasted(const struct par_spans *spans, u64 age)
{
	unsigned int i, n = 0;

	for (i = 0; i < min(spans->count, PAR_SPANS); i++)
		n += spans->lasted[i] >= age;
	return n;
}

static bool goes_on(const struct par_spans *spans, u64 age, u64 needed)
{
	return 2 * surge_lasted(spans, age + needed) >= surge_lasted(spans, age);
}

/* The probability changes only when one more span has been outlasted. */
static u64 wait_for(const struct par_spans *spans, u64 age, u64 needed)
{
	u64 least = U64_MAX, other;
	unsigned int i;

	if (goes_on(spans, age, needed))
		return 0;
	for (i = 0; i < min(spans->count, PAR_SPANS); i++) {
		other = spans->lasted[i] + 1ULL;
		if (other > age && other < least && goes_on(spans, other, needed))
			least = other;
	}
	return least - age;
}

u64 par_surge_wait(const struct par_surge *surge, u64 needed, u64 now)
{
	return wait_for(&surge->past[kind_of(surge)], par_surge_age(surge, now), needed);
}
EXPORT_SYMBOL_IF_KUNIT(par_surge_wait);

u64 par_pause_wait(const struct par_surge *surge, u64 needed, u64 now)
{
	return wait_for(&surge->pauses, now - min(now, surge->ended), needed);
}
EXPORT_SYMBOL_IF_KUNIT(par_pause_wait);
