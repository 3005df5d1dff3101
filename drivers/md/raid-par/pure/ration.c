// SPDX-License-Identifier: GPL-2.0
/*
 * The ration of spin-ups; see ration.h for the contracts.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <kunit/visibility.h>

#include "pure/ration.h"

/* The number of parts that one start costs. */
static u64 ration_cost(const struct par_ration *ration)
{
	return ration->years * 365ULL;
}

/* The limit includes less than a start, or a small share would never add up to one. */
static u64 ration_limit(const struct par_ration *ration, u32 carry)
{
	return (carry + 1ULL) * ration->cycles + ration_cost(ration) - 1;
}

static bool rating_ok(u32 cycles, u32 years)
{
	return cycles && cycles <= PAR_CYCLES_MAX && years &&
	       years <= PAR_YEARS_MAX;
}

void par_ration_begin(struct par_ration *ration, u64 now)
{
	ration->cycles = PAR_CYCLES_DEFAULT;
	ration->years = PAR_YEARS_DEFAULT;
	ration->left = max_t(u64, ration->cycles, ration_cost(ration));
	ration->since = now;
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_begin);

bool par_ration_mend(struct par_ration *ration, u32 carry, u64 now)
{
	if (!rating_ok(ration->cycles, ration->years)) {
		par_ration_begin(ration, now);
		return true;
	}
	ration->left = min(ration->left, ration_limit(ration, carry));
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_mend);

void par_ration_tick(struct par_ration *ration, u32 carry, u64 now)
{
	u64 most = ration_limit(ration, carry), days;

	if (now < ration->since) {
		ration->since = now;
		return;
	}
	days = div_u64(now - ration->since, PAR_RATION_DAY);
	ration->since += days * PAR_RATION_DAY;
	/* More days than it takes to fill the ration make no difference. */
	days = min(days, div_u64(most, ration->cycles) + 1);
	ration->left = min(ration->left + days * ration->cycles, most);
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_tick);

u64 par_ration_left(const struct par_ration *ration)
{
	return div64_u64(ration->left, ration_cost(ration));
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_left);

void par_ration_spend(struct par_ration *ration)
{
	ration->left -= min(ration->left, ration_cost(ration));
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_spend);

u64 par_ration_wait(const struct par_ration *ration, u64 now)
{
	u64 price = ration_cost(ration), days;

	if (ration->left >= price)
		return 0;
	days = div_u64(price - ration->left + ration->cycles - 1,
		       ration->cycles);
	return ration->since + days * PAR_RATION_DAY - now;
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_wait);

u32 par_ration_day(const struct par_ration *ration)
{
	return div64_u64(ration->cycles, ration_cost(ration));
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_day);

u64 par_ration_share(const struct par_ration *ration, u64 now)
{
	u64 days = DIV64_U64_ROUND_UP(ration_cost(ration), ration->cycles);

	return ration->since + days * PAR_RATION_DAY - now;
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_share);

u64 par_ration_gap(const struct par_ration *ration)
{
	u64 enough = max_t(u64, ration->cycles, ration_cost(ration));
	u64 between = div_u64(PAR_RATION_DAY * ration_cost(ration), ration->cycles);
	u64 spent = enough - min(ration->left, enough);

	return max(div64_u64(between * spent, enough), between / PAR_GAP_LEAST);
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_gap);

bool par_ration_set(struct par_ration *ration, u32 cycles, u32 years, u32 carry)
{
	u64 price = ration_cost(ration), starts, rest;

	if (!rating_ok(cycles, years) || carry > PAR_CARRY_MAX)
		return false;
	/* Whole starts and the rest separately: the product could be too large. */
	starts = div64_u64(ration->left, price);
	rest = ration->left - starts * price;
	ration->cycles = cycles;
	ration->years = years;
	ration->left = starts * ration_cost(ration) +
		       div64_u64(rest * ration_cost(ration), price);
	ration->left = min(ration->left, ration_limit(ration, carry));
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_ration_set);
