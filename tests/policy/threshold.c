// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdbool.h>

#include "threshold.h"

#define LOW	1
#define TOP	2
#define COUNT(list)	(sizeof(list) / sizeof(*(list)))

/* The progress of a rule, and the time when it is in the top gear. */
struct state {
	double now, pressed_since, calm_since;	/* the latter two: INFINITY if not the case */
	double top_from;			/* INFINITY: low */
};

/* Shift up if it is time before @end. */
static bool goes_up(struct state *state, const struct threshold *threshold, const struct threshold_rule *rule, double end)
{
	if (state->top_from < INFINITY || state->pressed_since + rule->up > end)
		return false;
	state->top_from = fmax(state->now, state->pressed_since + rule->up) + threshold->starts_in;
	return true;
}

struct threshold_cost threshold_cost(const struct threshold *threshold, const struct threshold_rule *rule)
{
	struct state state = { 0, INFINITY, 0, INFINITY };
	struct threshold_cost cost = { 0 };
	unsigned long n;

	for (n = 0; n < threshold->slots; n++) {
		const struct hindsight_slot *slot = &threshold->slot[n];
		double end = state.now + threshold->seconds[n], down, top;
		bool pressed = threshold->busy[n] > rule->pressed;

		state.pressed_since = pressed ? fmin(state.pressed_since, state.now) : INFINITY;
		state.calm_since = pressed ? INFINITY : fmin(state.calm_since, state.now);
		if (goes_up(&state, threshold, rule, end)) {
			cost.joules += threshold->start;
			cost.starts++;
		}
		down = fmax(fmax(state.now, state.top_from), state.calm_since + rule->down);
		top = fmax(0, fmin(end, down) - fmax(state.now, state.top_from)) / threshold->seconds[n];
		cost.joules += top * slot->joules[TOP] + (1 - top) * slot->joules[LOW];
		cost.slow += top * slot->slow[TOP] + (1 - top) * slot->slow[LOW];
		if (down <= end)
			state.top_from = INFINITY;
		state.now = end;
	}
	return cost;
}

bool threshold_best(const struct threshold *threshold, double allowed, struct threshold_rule *rule,
		    struct threshold_cost *cost)
{
	static const double pressed[] = { 0.3, 0.5, 0.6, 0.7, 0.8 };
	static const double ups[] = { 0, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 150, 180, 240, 300, 360, 420, 480, 600,
				      750, 900, 1200, 1500, 1800, 2400, 3600, 5400, 7200, INFINITY };
	static const double downs[] = { 0, 10, 20, 30, 45, 60, 90, 120, 150, 180, 240, 300, 400, 600, 900, 1200, 1800, 3600 };
	unsigned int i, j, k;

	cost->joules = INFINITY;
	for (i = 0; i < COUNT(pressed); i++)
		for (j = 0; j < COUNT(ups); j++)
			for (k = 0; k < COUNT(downs); k++) {
				struct threshold_rule one = { pressed[i], ups[j], downs[k] };
				struct threshold_cost takes = threshold_cost(threshold, &one);

				if (takes.slow > allowed || takes.joules >= cost->joules)
					continue;
				*cost = takes;
				*rule = one;
			}
	return cost->joules < INFINITY;
}
