// SPDX-License-Identifier: GPL-2.0
/*
 * The central invariant, tested against zone.c and states.c with the model in zone_model.c
 * (see there for what that shows): all reachable states of small models. tests/host/zone-walks.c
 * takes random walks through larger ones.
 *
 * Mutants show that the model can detect faults: each breaks one rule of the protocol, and
 * must be found.
 */
#include <kunit/test.h>
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "zone_model.h"

/* ---- all states of a small model ---- */

enum small {
	TIDY, DISCARD, NO_CRASH, FAIL, FAIL_TIDY, FAIL_DISCARD, TWO_BLOCKS,
	TWO_BLOCKS_FAIL, REBUILD, REBUILD_DISCARD,
};

static const struct shape small_shapes[] = {
	[TIDY] = { "shifts, tidying, crashes",
		1, 1, 1, 1, 2, AHEAD | FAILURES | DISCARDS | REBUILDS },
	[DISCARD] = { "shifts, discards, crashes",
		1, 1, 1, 1, 2, AHEAD | FAILURES | TIDYING | REBUILDS },
	[NO_CRASH] = { "shifts, discards, tidying",
		1, 1, 1, 1, 2, AHEAD | FAILURES | CRASHES | REBUILDS },
	[FAIL] = { "failures, shifts, crashes",
		1, 1, 1, 1, 2, AHEAD | DISCARDS | TIDYING | REBUILDS },
	[FAIL_TIDY] = { "failures, shifts, tidying",
		1, 1, 1, 1, 2, AHEAD | DISCARDS | CRASHES | REBUILDS },
	[FAIL_DISCARD] = { "failures, discards, tidying",
		1, 1, 1, 1, 2, AHEAD | SHIFTS | CRASHES | REBUILDS },
	[TWO_BLOCKS] = { "two blocks, shifts",
		1, 1, 1, 2, 2,
		AHEAD | FAILURES | DISCARDS | TIDYING | CRASHES | REBUILDS },
	[TWO_BLOCKS_FAIL] = { "two blocks, failures",
		1, 1, 1, 2, 2,
		AHEAD | DISCARDS | TIDYING | CRASHES | FLUSHES | REBUILDS },
	[REBUILD] = { "rebuilds, crashes",
		1, 1, 1, 1, 2, AHEAD | DISCARDS | SHIFTS },
	[REBUILD_DISCARD] = { "rebuilds, discards, crashes",
		1, 1, 1, 1, 2, AHEAD | SHIFTS | TIDYING | FLUSHES },
};

KUNIT_ARRAY_PARAM_DESC(small, small_shapes, name);

#define STATES_MAX	524288U

struct state {
	struct world w;
	u32 from;		/* the state before */
	u16 event;
};

struct search {
	struct state *seen;	/* in the order of being found */
	u32 *table;		/* of indices into it, plus 1 */
	u32 count;
};

/* Too large to be allocated for each case. */
static struct search small_search;

static int small_suite_init(struct kunit_suite *suite)
{
	small_search.seen = kvmalloc_array(STATES_MAX, sizeof(*small_search.seen),
					   GFP_KERNEL);
	small_search.table = kvmalloc_array(2 * STATES_MAX,
					    sizeof(*small_search.table), GFP_KERNEL);
	return small_search.seen && small_search.table ? 0 : -ENOMEM;
}

static void small_suite_exit(struct kunit_suite *suite)
{
	kvfree(small_search.table);
	kvfree(small_search.seen);
}

static int small_test_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct sim), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

/* Add a state if it is new. */
static void remember(struct search *search, const struct world *w, u32 from,
		     u16 event)
{
	u32 at = jhash(w, sizeof(*w), 0) % (2 * STATES_MAX);
	struct state *state = &search->seen[search->count];

	for (; search->table[at]; at = (at + 1) % (2 * STATES_MAX))
		if (!memcmp(&search->seen[search->table[at] - 1].w, w, sizeof(*w)))
			return;
	if (search->count == STATES_MAX)
		return;
	memcpy(&state->w, w, sizeof(*w));
	state->from = from;
	state->event = event;
	search->table[at] = ++search->count;
}

/* The shortest way to a state, last event first. */
static void show_way(struct kunit *test, const struct search *search, u32 i)
{
	for (; i; i = search->seen[i].from)
		kunit_info(test, "%s %u\n", zone_events[search->seen[i].event >> 8].name,
			   search->seen[i].event & 0xff);
}

/* Find the successors of a state. */
static void expand(struct search *search, struct sim *sim, u32 from)
{
	unsigned int event, n;

	for (event = 0; event < zone_event_count; event++)
		for (n = 0; n < zone_places(sim->shape, zone_events[event].scope); n++) {
			/* Content is the oldest or the newest: nothing is left to chance. */
			if (zone_events[event].kind & sim->shape->without ||
			    (zone_events[event].scope == PER_CRASH && n > 3))
				break;
			memcpy(&sim->w, &search->seen[from].w, sizeof(sim->w));
			if (!zone_happen(sim, event, n))
				continue;
			if (sim->wrong)
				return;
			remember(search, &sim->w, from, event << 8 | n);
		}
}

/* Find all states that @sim->shape can reach, or stop at an error. */
static void search_all(struct kunit *test, struct search *search, struct sim *sim)
{
	u32 i;

	memset(search->table, 0, 2 * STATES_MAX * sizeof(*search->table));
	search->count = 0;
	remember(search, &sim->w, 0, 0);
	for (i = 0; !sim->wrong && i < search->count; i++) {
		expand(search, sim, i);
		cond_resched();
	}
	if (sim->wrong && sim->mutant == SOUND)
		show_way(test, search, i - 1);
}

static void zone_exhaustive(struct kunit *test)
{
	struct sim *sim = test->priv;

	zone_begin(sim, test->param_value, SOUND);
	search_all(test, &small_search, sim);
	KUNIT_EXPECT_NULL_MSG(test, sim->wrong, "%s", sim->wrong);
	KUNIT_EXPECT_LT_MSG(test, small_search.count, STATES_MAX, "not all of them");
	kunit_info(test, "%u states\n", small_search.count);
}

/* ---- faults are detected ---- */

static const struct {
	const char *name;
	enum mutant mutant;
	enum small in;	/* the model that shows it in the fewest states */
} mutants[] = {
	{ "a map is stored without a flush",
	  NO_FLUSH, TIDY },
	{ "the flush comes before the snapshot",
	  FLUSH_BEFORE_SNAPSHOT, TIDY },
	{ "a write does not wait for the intent",
	  WRITE_BEFORE_INTENT, TIDY },
	{ "an intent is cleared before the map is stored",
	  INTENT_CLEARED_BEFORE_MAP, TIDY },
	{ "an intent is cleared without a flush",
	  INTENT_CLEARED_UNFLUSHED, TIDY },
	{ "an intent is cleared with writes under way",
	  INTENT_CLEARED_WITH_WRITES, TIDY },
	{ "an intent replaces another gear's",
	  INTENT_OVER_INTENT, TIDY },
	{ "must_store is ignored",
	  MUST_STORE_IGNORED, TIDY },
	{ "a cleared row need not be stored",
	  CLEAR_NEED_NOT_STORE, DISCARD },
	{ "images are discarded before that is stored",
	  DISCARD_BEFORE_STORE, DISCARD },
	{ "a row is started without zeros",
	  ROW_NOT_FILLED, TWO_BLOCKS },
	{ "a row is started as an old gear filled it",
	  FILL_OF_OLD_GEAR, TWO_BLOCKS },
	{ "a segment is written while it is copied",
	  COPY_UNLOCKED, TIDY },
	{ "a shift down without a checkpoint",
	  SHIFT_WITHOUT_CHECKPOINT, TIDY },
	{ "a resync is forgotten",
	  RESYNC_FORGOTTEN, TIDY },
	{ "a row is started with no image of an absent sleeper",
	  ROW_OF_ABSENT_SLEEPER, TWO_BLOCKS_FAIL },
	{ "images of an absent member are kept",
	  OLD_IMAGES_KEPT, FAIL },
	{ "that they are old is not stored",
	  OLD_IMAGES_NOT_STORED, FAIL },
	{ "what a member may miss is not noted as it goes",
	  MISSED_NOT_NOTED, FAIL },
	{ "nor when it goes in the middle of a store",
	  MISSED_NOTED_LATE, FAIL },
	{ "copies to a member that goes are not noted",
	  COPIES_NOT_NOTED, FAIL },
	{ "what a member misses later is not marked",
	  MISSED_NOT_MARKED, FAIL },
	{ "a map is stored without a snapshot",
	  NO_SNAPSHOT, TIDY },
	{ "the map is not stored",
	  MAP_NOT_STORED, TIDY },
	{ "an intent is not stored",
	  INTENTS_NOT_STORED, TIDY },
	{ "an intent is stored before its map block counts",
	  BLOCK_DOES_NOT_COUNT, TIDY },
	{ "an image is given up that is stored as the only copy",
	  GIVEN_UP_UNSTORED, TIDY },
	{ "an image that is given up is filled before that is stored",
	  GIVEN_UP_NOT_STORED, TIDY },
	{ "a superblock calls rebuilt what was not flushed",
	  VOUCHED_UNFLUSHED, REBUILD },
	{ "a user's write passes as a rebuild's",
	  WRITE_AS_REBUILD, REBUILD },
	{ "a rebuild skips a row that the stored map calls written",
	  ALL_SKIPPED, REBUILD_DISCARD },
};

KUNIT_ARRAY_PARAM_DESC(mutant, mutants, name);

static void zone_mutants(struct kunit *test)
{
	const typeof(mutants[0]) *param = test->param_value;
	struct sim *sim = test->priv;

	zone_begin(sim, &small_shapes[param->in], param->mutant);
	search_all(test, &small_search, sim);
	KUNIT_EXPECT_NOT_NULL_MSG(test, sim->wrong, "not found out");
	if (sim->wrong)
		kunit_info(test, "%s\n", sim->wrong);
}

static struct kunit_case small_cases[] = {
	KUNIT_CASE_PARAM_ATTR(zone_exhaustive, small_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	KUNIT_CASE_PARAM_ATTR(zone_mutants, mutant_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	{}
};

static struct kunit_suite small_suite = {
	.name = "raid-par-zones",
	.suite_init = small_suite_init,
	.suite_exit = small_suite_exit,
	.init = small_test_init,
	.test_cases = small_cases,
};

kunit_test_suite(small_suite);
