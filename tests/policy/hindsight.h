/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lower bound: no schedule of gears, whatever it foresees, uses less energy without having more
 * slow requests. Time is divided into slots of some seconds. For each slot and gear two values
 * are known: the energy of an array that is in that gear and was idle when the slot began, and
 * the number of its slow requests. A schedule chooses gears; a shift up costs the starts of its
 * disks; everything else is free: shifts take no time, nothing is copied, spin-ups are not
 * rationed, and in a slot with a shift no request is slow.
 *
 * Finding the least energy with a limited number of slow requests is a knapsack problem; finding
 * it with a price for each slow one instead is not (Bellman 1957), and that result, minus the
 * price of the allowed ones, is never larger than the former (Everett 1963: Lagrange
 * multipliers). So each price gives a bound, and the best of them is the result.
 *
 * It assumes that a request in a gear has the cost and the duration that it has in an array which
 * has always been in that gear; and that no slot has more than two shifts.
 */
#ifndef TESTS_POLICY_HINDSIGHT_H
#define TESTS_POLICY_HINDSIGHT_H

#define HINDSIGHT_GEARS	8U

/* struct hindsight_slot - by gear, from 1 on: J without starts, and slow requests */
struct hindsight_slot {
	double joules[HINDSIGHT_GEARS + 1];
	unsigned int slow[HINDSIGHT_GEARS + 1];
};

/**
 * struct hindsight - @start: J to shift up from a gear to the one above it, by the lower of both;
 * it begins in the top gear
 */
struct hindsight {
	unsigned int gears;
	double start[HINDSIGHT_GEARS + 1];
	const struct hindsight_slot *slot;
	unsigned long slots;
};

/* hindsight_bound - J, with at most @allowed slow requests */
double hindsight_bound(const struct hindsight *hindsight, double allowed);

/*
 * A second bound, for members that have to turn at some times, whatever the load is: see demand.h.
 * It is exact for these needs, except for what hindsight_sleep_bound() says: a period in which the
 * members turn begins when a need ends, or with time 0, and ends when a need begins or at once.
 */

/* struct hindsight_need - the members turn at some time from @from to @until, s */
struct hindsight_need {
	double from, until;
};

/**
 * struct hindsight_sleep - when members turn, and what that costs
 * @watts: W that they use more if they turn; @start: J that a start costs
 * @hold: s that a start takes, in which needs that end wait for it. This time costs no @watts
 *
 * They turn at time 0, and need not turn in the end.
 */
struct hindsight_sleep {
	const struct hindsight_need *need;
	unsigned long needs;
	double watts, start, hold;
};

/*
 * hindsight_sleep_least - the least J, beyond those of members that never turn, and in @starts the
 * starts of a schedule that uses no more. A start costs @price J in addition, for the choice and in
 * the result
 * hindsight_sleep_bound - no schedule with at most @allowed starts uses less
 */
double hindsight_sleep_least(const struct hindsight_sleep *sleep, double price, double *starts);
double hindsight_sleep_bound(const struct hindsight_sleep *sleep, double allowed);

#endif
