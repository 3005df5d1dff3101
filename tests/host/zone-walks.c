// SPDX-License-Identifier: GPL-2.0
/*
 * Random walks through the model of the zones' protocol (drivers/md/raid-par/tests/zone_model.c, see
 * there), in models that have too many states for zone_kunit.c. Outside a kernel they are so fast
 * that faults are found which take thousands of walks.
 *
 *	zone-walks WALKS
 */
#include "zone_model.h"

#define STEPS	50000U	/* tries */
#define LULL	300U

static const struct shape shapes[] = {
	{ "one block", 1, 1, 1, 1, 2, FILLS },
	{ "one row", 1, 1, 2, 2, 3, ALWAYS },
	{ "two gears", 2, 2, 1, 2, 2, FAILURES | REBUILDS },
	{ "three gears", 2, 2, 2, 2, 3, FAILURES | REBUILDS },
	{ "three gears, failures", 2, 2, 2, 2, 3, ALWAYS },
};

static void show(const struct sim *sim)
{
	unsigned int i = sim->steps > TRACE ? sim->steps - TRACE : 0;

	for (; i < sim->steps; i++)
		printf("%u: %s %u\n", i, zone_events[sim->trace[i % TRACE] >> 8].name,
		       sim->trace[i % TRACE] & 0xff);
}

static void step(struct sim *sim, bool *lull)
{
	unsigned int i = prandom_u32_state(&sim->rng) % zone_event_count;
	const struct zone_event *event = &zone_events[i];

	/* Many events are possible only once all is quiet. */
	if (!(prandom_u32_state(&sim->rng) % LULL))
		*lull = !*lull;
	if (prandom_u32_state(&sim->rng) % event->rare || (*lull && event->begins) ||
	    event->kind & sim->shape->without)
		return;
	zone_happen(sim, i, prandom_u32_state(&sim->rng) % zone_places(sim->shape, event->scope));
}

/* Counts how often each event happened. */
static void walk(struct sim *sim, u32 seed, unsigned int *count)
{
	unsigned int i, before;
	bool lull = false;

	prandom_seed_state(&sim->rng, seed);
	for (i = 0; !sim->wrong && i < STEPS; i++) {
		before = sim->steps;
		step(sim, &lull);
		if (sim->steps != before)
			count[sim->trace[before % TRACE] >> 8]++;
	}
}

/* A walk in which an event never happens does not test it. */
static bool all_happened(const struct shape *shape, const unsigned int *count)
{
	unsigned int i;
	bool all = true;

	for (i = 0; i < zone_event_count; i++)
		if (!(zone_events[i].kind & shape->without) && count[i] < 10) {
			printf("%s: \"%s\" happened %u times\n", shape->name, zone_events[i].name,
			       count[i]);
			all = false;
		}
	return all;
}

static bool shape_holds(const struct shape *shape, unsigned int walks)
{
	unsigned int *count = zeroed(zone_event_count, sizeof(*count)), i;
	struct sim *sim = zeroed(1, sizeof(*sim));
	bool holds;

	for (i = 0; i < walks && !sim->wrong; i++) {
		zone_begin(sim, shape, SOUND);
		walk(sim, i, count);
	}
	if (sim->wrong) {
		show(sim);
		printf("%s: walk %u, event %u: %s\n", shape->name, i - 1, sim->steps, sim->wrong);
	}
	holds = !sim->wrong && all_happened(shape, count);
	free(count);
	free(sim);
	return holds;
}

int main(int argc, char **argv)
{
	unsigned int walks = argc == 2 ? atoi(argv[1]) : 0, i;
	bool holds = walks;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		holds &= shape_holds(&shapes[i], walks);
	if (holds)
		printf("%zu times %u walks\n", ARRAY_SIZE(shapes), walks);
	return !holds;
}
