// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "hindsight.h"

#define PRICE_MIN	1e-6	/* J for a slow request */
#define PRICE_MAX	1e9
#define STEPS		80

/*
 * A path through the slots so far: its cost, including the price of slow requests, and their
 * number.
 */
struct way {
	double cost, slow;
};

static bool better(const struct way *a, const struct way *b)
{
	return a->cost < b->cost || (a->cost == b->cost && a->slow < b->slow);
}

static double start_of(const struct hindsight *hindsight, unsigned int from, unsigned int to)
{
	double joules = 0;

	for (; from < to; from++)
		joules += hindsight->start[from];
	return joules;
}

/* The whole slot in one gear. */
static struct way stay(const struct way *way, unsigned int gear, const struct hindsight_slot *slot, double price)
{
	return (struct way) { way->cost + slot->joules[gear] + price * slot->slow[gear], way->slow + slot->slow[gear] };
}

/*
 * A slot that begins in gear @from, ends in gear @to and is in gear @by in between, wherever in
 * it the shifts are: it uses no less than the cheapest of these, and the number of its slow
 * requests is not known.
 */
static struct way change(const struct hindsight *hindsight, const struct way *way, unsigned int from, unsigned int by,
			 unsigned int to, const struct hindsight_slot *slot)
{
	double joules = fmin(fmin(slot->joules[from], slot->joules[by]), slot->joules[to]);

	return (struct way) { way->cost + joules + start_of(hindsight, from, by) + start_of(hindsight, by, to), way->slow };
}

/* The best path that is in gear @to at the end of a slot. */
static struct way come_to(const struct hindsight *hindsight, const struct way *least, unsigned int to,
			  const struct hindsight_slot *slot, double price)
{
	struct way found = stay(&least[to], to, slot, price), way;
	unsigned int from, by;

	for (from = 1; from <= hindsight->gears; from++) {
		for (by = 1; by <= hindsight->gears; by++) {
			if (from == to && by == to)
				continue;
			way = change(hindsight, &least[from], from, by, to, slot);
			if (better(&way, &found))
				found = way;
		}
	}
	return found;
}

/* The best path with slow requests at @price. */
static struct way best(const struct hindsight *hindsight, double price)
{
	struct way least[HINDSIGHT_GEARS + 1] = { { 0 } }, next[HINDSIGHT_GEARS + 1], end;
	unsigned int to, gears = hindsight->gears;
	unsigned long i;

	for (to = 1; to <= gears; to++)
		least[to] = (struct way) { to == gears ? 0 : INFINITY, 0 };
	for (i = 0; i < hindsight->slots; i++) {
		for (to = 1; to <= gears; to++)
			next[to] = come_to(hindsight, least, to, &hindsight->slot[i], price);
		memcpy(least, next, sizeof(least));
	}
	end = least[1];
	for (to = 2; to <= gears; to++)
		if (better(&least[to], &end))
			end = least[to];
	return end;
}

/* The bound is concave in the price: too many slow requests require a higher one. */
double hindsight_bound(const struct hindsight *hindsight, double allowed)
{
	double low = log(PRICE_MIN), high = log(PRICE_MAX), bound = best(hindsight, 0).cost;
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		double price = exp((low + high) / 2);
		struct way way = best(hindsight, price);

		bound = fmax(bound, way.cost - price * allowed);
		if (way.slow > allowed)
			low = log(price);
		else
			high = log(price);
	}
	return bound;
}
