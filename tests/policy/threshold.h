/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rules come to that do not foresee: of two gears, up when the low one has been pressed, busy for
 * more than some part of its time, for so long, and down when it has not been for so long.
 *
 * Where times in which the gear is pressed and times in which it is not follow each other by chance, each
 * independent of the others, all that a rule can go by is how long the present one has lasted. If the
 * chance that it ends soon only falls with its age, or only grows, the best rule waits for some age, and
 * no rule that does not foresee does better in the mean than the best of these. All of them are tried on
 * the slots of an ideal schedule (hindsight.h), with as much for free: nothing is copied, nothing is
 * rationed, and what a gear has not done when it is left need not be done. Only a start takes its time,
 * in the low gear. So what the best of them takes above the bound is the price of not foreseeing.
 */
#ifndef TESTS_POLICY_THRESHOLD_H
#define TESTS_POLICY_THRESHOLD_H

#include <stdbool.h>

#include "hindsight.h"

/* struct threshold_rule - @pressed: part of the low gear's time; @up, @down: s that it must have been, or not */
struct threshold_rule {
	double pressed, up, down;
};

/**
 * struct threshold - the slots of two gears
 * @seconds: how long each slot is; @busy: the part of its time that the low gear is busy
 * @start: J; @starts_in: s
 */
struct threshold {
	const struct hindsight_slot *slot;
	const double *seconds, *busy;
	unsigned long slots;
	double start, starts_in;
};

/* struct threshold_cost - what a rule takes */
struct threshold_cost {
	double joules, slow;
	unsigned int starts;
};

/* threshold_cost - of one rule */
struct threshold_cost threshold_cost(const struct threshold *threshold, const struct threshold_rule *rule);

/* threshold_best - the cheapest with at most @allowed slow requests; false if there is none */
bool threshold_best(const struct threshold *threshold, double allowed, struct threshold_rule *rule,
		    struct threshold_cost *cost);

#endif
