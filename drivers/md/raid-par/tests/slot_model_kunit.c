// SPDX-License-Identifier: GPL-2.0
/*
 * The protocol of the slots, tested with the model in slot_model.c (see there for what that
 * shows): walks in which nothing is wrong, and walks with a fault in a plan or in a rule, which
 * have to be found.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "slot_model.h"

#define WALKS		80U
#define RULE_WALKS	40000U		/* the rarest fault is found in one of some 3,000 */
#define FAULTY_WALKS	800U		/* of a harmless fault; others are found in walk 595 */

static const char * const rules[RULES] = {
	"none", "evicts the only copy", "copies in the gate",
	"evicts what is stored as the only copy", "leaves data in an evicted slot",
};

/* A model with the plans of the module, and nothing of an earlier walk. */
static void new_model(struct model *model, enum rule rule)
{
	unsigned int i;

	memset(model, 0, sizeof(*model));
	model->rule = rule;
	for (i = 0; i < PAR_SLOT_PLANS; i++)
		memcpy(model->plan[i], par_slot_plan(i), sizeof(model->plan[i]));
}

static struct model *alloc_model(struct kunit *test)
{
	struct model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, model);
	return model;
}

/* Nothing is wrong at any time, and each event of interest happens often enough. */
static void model_holds(struct kunit *test)
{
	unsigned int cuts = 0, refused = 0, waited = 0, kept = 0, i;
	unsigned int plans[PAR_SLOT_PLANS] = { }, seed;
	struct model *model = alloc_model(test);

	for (seed = 1; seed <= WALKS; seed++) {
		const char *wrong;

		new_model(model, SOUND);
		wrong = slot_model_walk(model, seed);
		KUNIT_EXPECT_NULL_MSG(test, wrong, "walk %u: %s", seed, wrong);
		cuts += model->cuts;
		refused += model->refused;
		waited += model->waited;
		kept += model->kept_slots;
		for (i = 0; i < PAR_SLOT_PLANS; i++)
			plans[i] += model->plans[i];
	}
	KUNIT_EXPECT_GT(test, cuts, 3 * WALKS);
	KUNIT_EXPECT_GT(test, refused, WALKS / 4);
	KUNIT_EXPECT_GT(test, waited, WALKS / 4);
	KUNIT_EXPECT_GT(test, kept, WALKS / 4);
	for (i = 0; i < PAR_SLOT_PLANS; i++)
		KUNIT_EXPECT_GT(test, plans[i], 3 * WALKS);
}

/* ---- plans with a fault ---- */

/* A step of a plan is left out, or changes places with the next step. */
struct fault {
	enum par_slot_occasion occasion;
	enum par_slot_step step;
	bool swap;
	const char *why;
};

#define FAULT(occasion, step, swap, why) \
	{ PAR_SLOT_PLAN_##occasion, PAR_SLOT_STEP_##step, swap, why }

/* Faults that change nothing in the model, and why. */
static const struct fault harmless[] = {
	FAULT(GIVE, BEGIN, false, "the model's array is always in use"),
	FAULT(GIVE, BEGIN, true, "the model's array is always in use"),
	FAULT(FILL, BEGIN, false, "the model's array is always in use"),
	FAULT(FILL, BEGIN, true, "the model's array is always in use"),
	FAULT(FILL, UNLOCK, true, "writes wait longer"),
	FAULT(FILL, SNAPSHOT, false, "the fill is stored later, with something else"),
	FAULT(FILL, SEGMENTS, false, "the fill is stored later, with something else"),
	FAULT(EVICT, BEGIN, false, "the model's array is always in use"),
	FAULT(EVICT, BEGIN, true, "the model's array is always in use"),
	FAULT(EVICT, SEGMENTS, true, "both precede the zeros"),
	FAULT(DOWN, CHECKPOINT, true, "intents, not the superblock, name the gear of a write"),
	FAULT(DOWN, SUPER, false, "intents, not the superblock, name the gear of a write"),
	FAULT(DOWN, SUPER, true, "intents, not the superblock, name the gear of a write"),
	FAULT(UP, WAKE, true, "the superblock precedes only the gear"),
	FAULT(UP, SUPER, false, "intents, not the superblock, name the gear of a write"),
	FAULT(UP, SUPER, true, "intents, not the superblock, name the gear of a write"),
};

/*
 * Faults that issue 23 names, and those of the zeros; rules_are_needed() has the eviction of the
 * only valid copy, and zeros that are not written.
 */
static const struct fault asked[] = {
	FAULT(EVICT, SLOTS, false, "a slot is reused before free is stored"),
	FAULT(EVICT, TOLD, true, "a slot is reused before free is stored"),
	FAULT(EVICT, ENDED, true, "a read has the zeros"),
	FAULT(EVICT, ZEROED, false, "a slot is reused before its zeros are stable"),
	FAULT(EVICT, ZEROED, true, "a slot is stored as free before its zeros are stable"),
	FAULT(EVICT, FLUSH, false, "a home copy takes the place of an image before its flush"),
	FAULT(FILL, FLUSH, false, "a fill is called valid before its flush"),
	FAULT(FILL, FLUSH, true, "a fill is called valid before its flush"),
};

/* Returns false if the plan has no such step. */
static bool make_fault(struct model *model, const struct fault *fault)
{
	u8 *plan = model->plan[fault->occasion], at = 0;

	while (plan[at] && plan[at] != fault->step)
		at++;
	if (!plan[at] || (fault->swap && !plan[at + 1]))
		return false;
	if (fault->swap) {
		plan[at] = plan[at + 1];
		plan[at + 1] = fault->step;
	} else {
		memmove(plan + at, plan + at + 1, PAR_SLOT_PLAN_MAX - at - 1);
	}
	return true;
}

/* What goes wrong first; NULL: nothing. @there: the plan has such a step. */
static const char *find_fault(struct model *model, const struct fault *fault, bool *there)
{
	const char *wrong = NULL;
	unsigned int seed;

	for (seed = 1; seed <= FAULTY_WALKS && !wrong; seed++) {
		new_model(model, SOUND);
		*there = make_fault(model, fault);
		if (!*there)
			return NULL;
		wrong = slot_model_walk(model, seed);
	}
	return wrong;
}

static bool is_harmless(const struct fault *fault)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(harmless); i++)
		if (harmless[i].occasion == fault->occasion && harmless[i].step == fault->step &&
		    harmless[i].swap == fault->swap)
			return true;
	return false;
}

static void steps_are_needed(struct kunit *test)
{
	struct model *model = alloc_model(test);
	unsigned int i, faults = 0;

	for (i = 0; i < PAR_SLOT_PLANS * PAR_SLOT_STEPS * 2; i++) {
		const struct fault fault = {
			.occasion = i / 2 / PAR_SLOT_STEPS,
			.step = i / 2 % PAR_SLOT_STEPS,
			.swap = i % 2,
		};
		const char *wrong;
		bool there;

		if (!fault.step)
			continue;
		wrong = find_fault(model, &fault, &there);
		if (!there)
			continue;
		faults++;
		KUNIT_EXPECT_EQ_MSG(test, !wrong, is_harmless(&fault), "plan %u, step %u %s: %s",
				    fault.occasion, fault.step,
				    fault.swap ? "after the next" : "left out",
				    wrong ?: "not found");
	}
	KUNIT_EXPECT_EQ(test, faults, 57);
}

static void faults_by_name(struct kunit *test)
{
	struct model *model = alloc_model(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		const char *wrong;
		bool there;

		wrong = find_fault(model, &asked[i], &there);
		KUNIT_EXPECT_TRUE_MSG(test, there, "%s: no such step", asked[i].why);
		KUNIT_EXPECT_NOT_NULL_MSG(test, wrong, "%s: not found", asked[i].why);
	}
}

static void rules_are_needed(struct kunit *test)
{
	struct model *model = alloc_model(test);
	unsigned int rule, seed;

	for (rule = SOUND + 1; rule < RULES; rule++) {
		for (seed = 1; seed <= RULE_WALKS; seed++) {
			new_model(model, rule);
			if (slot_model_walk(model, seed))
				break;
		}
		KUNIT_EXPECT_LE_MSG(test, seed, RULE_WALKS, "%s: not found", rules[rule]);
		kunit_info(test, "%s: %s in walk %u\n", rules[rule], model->wrong, seed);
	}
}

/* After a rescue, no image in a slot that it has freed is called valid, whoever has the slot. */
static void rescues_are_stored(struct kunit *test)
{
	struct model *model = alloc_model(test);
	unsigned int seed, rescues = 0;
	const char *wrong = NULL;

	for (seed = 1; seed <= WALKS; seed++) {
		new_model(model, SOUND);
		model->loses = true;
		wrong = slot_model_walk(model, seed);
		KUNIT_EXPECT_NULL_MSG(test, wrong, "walk %u: %s", seed, wrong);
		rescues += model->rescues;
	}
	KUNIT_EXPECT_GT(test, rescues, WALKS);
	for (seed = 1, wrong = NULL; seed <= WALKS && !wrong; seed++) {
		new_model(model, FREES_UNSTORED);
		model->loses = true;
		wrong = slot_model_walk(model, seed);
	}
	KUNIT_EXPECT_NOT_NULL_MSG(test, wrong, "what a rescue frees is not stored: not found");
}

static struct kunit_case slot_model_cases[] = {
	KUNIT_CASE(model_holds),
	KUNIT_CASE_SLOW(steps_are_needed),
	KUNIT_CASE(faults_by_name),
	KUNIT_CASE_SLOW(rules_are_needed),
	KUNIT_CASE_SLOW(rescues_are_stored),
	{}
};

static struct kunit_suite slot_model_suite = {
	.name = "raid-par-slot-model",
	.test_cases = slot_model_cases,
};

kunit_test_suite(slot_model_suite);
