/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The energy of rules that do not foresee, with two gears: up when the low gear has been pressed
 * (busy for more than some part of its time) for some time, and down when it has not been for
 * some time.
 *
 * If times in which the gear is pressed and times in which it is not follow each other at random,
 * each independent of the others, a rule can only use the duration of the present one. If the
 * probability that it ends soon only falls with its age, or only grows, the best rule waits for
 * some age, and no rule that does not foresee is better on average than the best of these. All of
 * them are tried on the slots of an ideal schedule (hindsight.h), under the same assumptions:
 * nothing is copied, nothing is rationed, and unfinished work of a gear is dropped when the gear
 * is left. Only a start takes its time, in the low gear. So the difference between the best of
 * them and the bound is the price of not foreseeing.
 */
#ifndef TESTS_POLICY_THRESHOLD_H
#define TESTS_POLICY_THRESHOLD_H

#include <stdbool.h>

#include "hindsight.h"

/*
 * struct threshold_rule - @pressed: part of the low gear's time; @up, @down: s for which it must
 * have been pressed, or not
 */
struct threshold_rule {
	double pressed, up, down;
};

/**
 * struct threshold - the slots of two gears
 * @seconds: the length of each slot; @busy: the part of its time that the low gear is busy
 * @start: J; @starts_in: s
 */
struct threshold {
	const struct hindsight_slot *slot;
	const double *seconds, *busy;
	unsigned long slots;
	double start, starts_in;
};

/* struct threshold_cost - the cost of a rule */
struct threshold_cost {
	double joules, slow;
	unsigned int starts;
};

/* threshold_cost - the cost of one rule */
struct threshold_cost threshold_cost(const struct threshold *threshold, const struct threshold_rule *rule);

/*
 * threshold_best - the cheapest rule with at most @allowed slow requests; false if there is none
 */
bool threshold_best(const struct threshold *threshold, double allowed, struct threshold_rule *rule,
		    struct threshold_cost *cost);

#endif
