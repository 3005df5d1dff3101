// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
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

/* ---- needs ---- */

/*
 * struct queue - indices of ways, each of which is better than all before it that are left: so the
 * first one is the best of those that have not been dropped
 */
struct queue {
	unsigned long *index, first, count;
	const struct way *way;
};

/*
 * struct plan - all times at which a need begins or ends, in order
 * @risen: by time, the best way in which the members have begun to turn then
 * @turned: the best in which they have turned until then, and may stop
 */
struct plan {
	const struct hindsight_sleep *sleep;
	double *at;
	unsigned long count;
	struct way *risen, *turned;
	struct queue stopped, rising;
	struct way long_risen;
};

static void *memory(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		abort();
	return memory;
}

static void queue_add(struct queue *queue, unsigned long i)
{
	while (queue->count > queue->first &&
	       !better(&queue->way[queue->index[queue->count - 1]], &queue->way[i]))
		queue->count--;
	queue->index[queue->count++] = i;
}

static int by_time(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return a < b ? -1 : a > b;
}

static int by_end(const void *one, const void *other)
{
	const struct hindsight_need *a = one, *b = other;

	return a->until < b->until ? -1 : a->until > b->until;
}

static void begin_plan(struct plan *plan, const struct hindsight_sleep *sleep)
{
	unsigned long room = 2 * sleep->needs + 1, n = 1, i;

	memset(plan, 0, sizeof(*plan));
	plan->sleep = sleep;
	plan->at = memory(room, sizeof(*plan->at));
	for (i = 0; i < sleep->needs; i++) {
		plan->at[n++] = sleep->need[i].from;
		plan->at[n++] = sleep->need[i].until;
	}
	qsort(plan->at, n, sizeof(*plan->at), by_time);
	for (i = 0; i < n; i++)
		if (!i || plan->at[i] != plan->at[plan->count - 1])
			plan->at[plan->count++] = plan->at[i];
	plan->risen = memory(room, sizeof(*plan->risen));
	plan->turned = memory(room, sizeof(*plan->turned));
	plan->stopped = (struct queue) { memory(room, sizeof(unsigned long)), 0, 0, plan->turned };
	plan->rising = (struct queue) { memory(room, sizeof(unsigned long)), 0, 0, plan->risen };
	plan->long_risen = (struct way) { INFINITY, 0 };
}

static void end_plan(struct plan *plan)
{
	free(plan->at);
	free(plan->risen);
	free(plan->turned);
	free(plan->stopped.index);
	free(plan->rising.index);
}

/* The best way from among @queue, of those at @since or later. */
static struct way best_since(const struct plan *plan, struct queue *queue, double since)
{
	while (queue->first < queue->count && plan->at[queue->index[queue->first]] < since)
		queue->first++;
	return queue->first < queue->count ? queue->way[queue->index[queue->first]] :
					     (struct way) { INFINITY, 0 };
}

/* Members that have turned since time 0 have not been started; others have, for @hold. */
static void see_risen(struct plan *plan, unsigned long from, double until)
{
	double hold = from ? plan->sleep->hold : 0, watts = plan->sleep->watts;
	struct way way = plan->risen[from];

	if (plan->at[from] + hold > until)
		return;
	way.cost -= watts * (plan->at[from] + hold);
	if (better(&way, &plan->long_risen))
		plan->long_risen = way;
}

/* All needs that end before time @i have been met since @met. */
static void step(struct plan *plan, unsigned long i, unsigned long *held, double met, double price)
{
	const struct hindsight_sleep *sleep = plan->sleep;
	double at = plan->at[i];
	struct way way;

	plan->risen[i] = (struct way) { 0 };
	if (i) {
		way = best_since(plan, &plan->stopped, met);
		plan->risen[i] = (struct way) { way.cost + sleep->start + price, way.slow + 1 };
		queue_add(&plan->rising, i);
	}
	for (; *held <= i && plan->at[*held] + (*held ? sleep->hold : 0) <= at; ++*held)
		see_risen(plan, *held, at);
	plan->turned[i] = best_since(plan, &plan->rising, at - sleep->hold);
	way = plan->long_risen;
	way.cost += sleep->watts * at;
	if (better(&way, &plan->turned[i]))
		plan->turned[i] = way;
	queue_add(&plan->stopped, i);
}

double hindsight_sleep_least(const struct hindsight_sleep *sleep, double price, double *starts)
{
	struct hindsight_need *need = memory(sleep->needs + 1, sizeof(*need));
	unsigned long i, n = 0, held = 0;
	struct plan plan;
	struct way end;
	double met = 0;

	memcpy(need, sleep->need, sleep->needs * sizeof(*need));
	qsort(need, sleep->needs, sizeof(*need), by_end);
	begin_plan(&plan, sleep);
	for (i = 0; i < plan.count; i++) {
		for (; n < sleep->needs && need[n].until < plan.at[i]; n++)
			met = fmax(met, need[n].from);
		step(&plan, i, &held, met, price);
	}
	for (; n < sleep->needs; n++)
		met = fmax(met, need[n].from);
	end = best_since(&plan, &plan.stopped, met);
	*starts = end.slow;
	end_plan(&plan);
	free(need);
	return end.cost;
}

double hindsight_sleep_bound(const struct hindsight_sleep *sleep, double allowed)
{
	double starts, low = log(PRICE_MIN), high = log(PRICE_MAX);
	double bound = hindsight_sleep_least(sleep, 0, &starts);
	unsigned int i;

	for (i = 0; starts > allowed && i < STEPS / 2; i++) {
		double price = exp((low + high) / 2), of_price;
		double least = hindsight_sleep_least(sleep, price, &of_price);

		bound = fmax(bound, least - price * allowed);
		if (of_price > allowed)
			low = log(price);
		else
			high = log(price);
	}
	return bound;
}
