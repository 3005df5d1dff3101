// SPDX-License-Identifier: GPL-2.0
/*
 * Compare the lower bounds (hindsight.h) with all schedules of cases that are small enough to try
 * them one by one: a gear for each slot, with a possible shift in each; or for each second whether
 * members turn.
 *
 * 	bound CASES
 *
 * Prints the number of cases in which the bound was met exactly, and the largest difference;
 * fails if a schedule, or a rule (threshold.h), is below it. The bound of members that have to turn
 * must be met exactly in all cases, and with a limited number of starts never be above the best
 * schedule: "limited" is the number of cases in which it is that schedule.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "hindsight.h"
#include "threshold.h"

#define SLOTS	7
#define SECONDS	9
#define NEEDS	4

static uint64_t seed = 20261124;
static struct hindsight_slot slot[SLOTS];
static struct hindsight hindsight = { .slot = slot };

/* splitmix64 */
static unsigned int below(unsigned int n)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) % n;
}

/* Lower gears use less, and usually have more slow requests. */
static void make_case(void)
{
	unsigned int gear, i;

	hindsight.gears = 2 + below(2);
	hindsight.slots = 1 + below(SLOTS);
	for (gear = 1; gear < hindsight.gears; gear++)
		hindsight.start[gear] = below(200);
	for (i = 0; i < hindsight.slots; i++)
		for (gear = 1; gear <= hindsight.gears; gear++) {
			slot[i].joules[gear] = 20 + 40 * gear + below(20);
			slot[i].slow[gear] = below(4) ? below(1 + 12 / gear) : 0;
		}
}

static double start(unsigned int from, unsigned int to)
{
	double joules = 0;

	for (; from < to; from++)
		joules += hindsight.start[from];
	return joules;
}

/*
 * The least energy of the rest, from slot @at and gear @gear on, with @allowed slow requests: a
 * slot is in one gear, or in two or three of them, and then it uses what the cheapest of them
 * uses and has no slow requests.
 */
static double try_all(unsigned int at, unsigned int gear, int allowed)
{
	double least = INFINITY;
	unsigned int by, to;

	if (at == hindsight.slots)
		return 0;
	if ((int)slot[at].slow[gear] <= allowed)
		least = slot[at].joules[gear] + try_all(at + 1, gear, allowed - slot[at].slow[gear]);
	for (by = 1; by <= hindsight.gears; by++)
		for (to = 1; to <= hindsight.gears; to++) {
			double joules = fmin(fmin(slot[at].joules[gear], slot[at].joules[by]), slot[at].joules[to]);

			if (by != gear || to != gear)
				least = fmin(least, joules + start(gear, by) + start(by, to) +
						    try_all(at + 1, to, allowed));
		}
	return least;
}

/* The energy of the best rule, or INFINITY; the low gear is busy at random. */
static double try_rules(int allowed)
{
	double seconds[SLOTS], busy[SLOTS];
	struct threshold threshold = { slot, seconds, busy, hindsight.slots, hindsight.start[1], below(20) };
	struct threshold_rule rule;
	struct threshold_cost cost;
	unsigned int i;

	for (i = 0; i < hindsight.slots; i++) {
		seconds[i] = 1 + below(60);
		busy[i] = below(100) / 100.0;
	}
	return threshold_best(&threshold, allowed, &rule, &cost) ? cost.joules : INFINITY;
}

/* ---- members that have to turn ---- */

static struct hindsight_need need[NEEDS];
static struct hindsight_sleep asleep = { .need = need };

static void make_needs(void)
{
	unsigned int i;

	asleep.needs = 1 + below(NEEDS);
	asleep.watts = 1 + below(10);
	asleep.start = below(40);
	asleep.hold = below(3);
	for (i = 0; i < asleep.needs; i++) {
		need[i].from = below(SECONDS);
		need[i].until = need[i].from + below(SECONDS - need[i].from);
	}
}

static bool all_met(unsigned int turned)
{
	unsigned int i, at;

	for (i = 0; i < asleep.needs; i++) {
		for (at = need[i].from; at <= need[i].until && !(turned & 1U << at); at++)
			;
		if (at > need[i].until)
			return false;
	}
	return true;
}

/*
 * The least energy of all schedules: at each second from @at on members do not turn, have turned
 * for the second before it, too, or begin to, with a start. @turned: the seconds at which they do;
 * @turns: at the last one; @held: for nothing until then.
 */
static double try_needs(int at, unsigned int turned, bool turns, int held, unsigned int allowed)
{
	double least;

	if (at == SECONDS)
		return all_met(turned) ? 0 : INFINITY;
	least = try_needs(at + 1, turned, false, 0, allowed);
	if (turns)
		least = fmin(least, (at > held ? asleep.watts : 0) +
				    try_needs(at + 1, turned | 1U << at, true, held, allowed));
	if (allowed)
		least = fmin(least, asleep.start +
				    try_needs(at + 1, turned | 1U << at, true, at + asleep.hold, allowed - 1));
	return least;
}

/* They turn at time 0. */
static double best_for_needs(unsigned int allowed)
{
	return try_needs(1, 1, true, 0, allowed);
}

static bool compare_needs(unsigned int cases)
{
	unsigned int limited = 0, i;

	for (i = 0; i < cases; i++) {
		unsigned int allowed = below(3);
		double starts, least, best, bound;

		make_needs();
		least = hindsight_sleep_least(&asleep, 0, &starts);
		best = best_for_needs(SECONDS);
		if (fabs(least - best) > 1e-6) {
			printf("case %u: %lu needs: %f J are called the least, but it is %f\n", i, asleep.needs,
			       least, best);
			return false;
		}
		best = best_for_needs(allowed);
		bound = hindsight_sleep_bound(&asleep, allowed);
		if (bound > best + 1e-6 || bound < least - 1e-6) {
			printf("case %u: %u starts: %f J are called the least, but %f are enough\n", i, allowed,
			       bound, best);
			return false;
		}
		limited += bound > best - 1e-3;
	}
	printf("needs %u\nlimited %u\n", cases, limited);
	return true;
}

int main(int argc, char **argv)
{
	unsigned int cases = argc > 1 ? atoi(argv[1]) : 100, exact = 0, i;
	double most = 0;

	for (i = 0; i < cases; i++) {
		int allowed;
		double best, bound;

		make_case();
		allowed = below(12);
		best = try_all(0, hindsight.gears, allowed);
		bound = hindsight_bound(&hindsight, allowed);
		if (bound > best + 1e-6 || bound < 0) {
			printf("case %u: %u gears, %lu slots, %d slow ones: %f J is called the least, but %f are enough\n", i,
			       hindsight.gears, hindsight.slots, allowed, bound, best);
			return 1;
		}
		if (hindsight.gears == 2 && bound > try_rules(allowed) + 1e-6) {
			printf("case %u: a rule takes less than the least\n", i);
			return 1;
		}
		exact += bound > best - 1e-3;
		most = fmax(most, 1 - bound / best);
	}
	printf("cases %u\nexact %u\nmissed_percent %.2f\n", cases, exact, 100 * most);
	return !compare_needs(cases);
}
