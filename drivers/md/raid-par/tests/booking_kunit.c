// SPDX-License-Identifier: GPL-2.0
/*
 * The cause of a shift: the policy's request only if it was for that gear, and no failure
 * came before.
 */
#include <kunit/test.h>

#include "policy/booking.h"

/* The previous state, the state at 70 s, and the expected result. */
struct booking_case {
	const char *what;
	struct par_asked asked;
	unsigned int old, gear, target;
	bool degraded;
	bool shifted;
	enum par_reason why;
	u64 at;
	unsigned int left;	/* of the request */
};

static const struct booking_case cases[] = {
	{ "nothing asked, nothing done", {}, 1, 1, 1, false, false, 0, 0, 0 },
	{ "on its way", { 2, PAR_WHY_LOAD, 60 }, 1, 1, 2, false, false, 0, 0, 2 },
	{ "the policy's, up", { 2, PAR_WHY_LOAD, 60 }, 1, 2, 2, false,
	  true, PAR_WHY_LOAD, 60, 0 },
	{ "the policy's, down", { 1, PAR_WHY_QUIET, 50 }, 2, 1, 1, false,
	  true, PAR_WHY_QUIET, 50, 0 },
	{ "somebody's, who wrote gear", {}, 1, 2, 2, false, true, PAR_WHY_MANUAL, 70, 0 },
	{ "somebody's, to another gear than the policy's", { 2, PAR_WHY_LOAD, 60 }, 1, 3, 3,
	  false, true, PAR_WHY_MANUAL, 70, 0 },
	{ "a failure's, to the gear that the policy wanted", { 2, PAR_WHY_LOAD, 60 }, 1, 2, 2,
	  true, true, PAR_WHY_MANUAL, 70, 0 },
	{ "a failure's, beyond it", { 2, PAR_WHY_WAIT, 60 }, 1, 3, 3, true,
	  true, PAR_WHY_MANUAL, 70, 0 },
	{ "a failure's, while the policy wanted down", { 1, PAR_WHY_QUIET, 60 }, 2, 3, 3, true,
	  true, PAR_WHY_MANUAL, 70, 0 },
	{ "given up, or taken back", { 2, PAR_WHY_LOAD, 60 }, 1, 1, 1, false, false, 0, 0, 0 },
	{ "overruled", { 1, PAR_WHY_QUIET, 60 }, 2, 2, 3, false, false, 0, 0, 0 },
};

static void booking_table(struct kunit *test)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(cases); k++) {
		const struct booking_case *c = &cases[k];
		struct par_asked asked = c->asked, by = {};

		KUNIT_EXPECT_EQ_MSG(test, par_book(&asked, c->old, c->gear, c->target,
						   c->degraded, 70, &by), c->shifted,
				    "%s", c->what);
		KUNIT_EXPECT_EQ_MSG(test, asked.gear, c->left, "%s", c->what);
		if (!c->shifted)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, by.why, c->why, "%s", c->what);
		KUNIT_EXPECT_EQ_MSG(test, by.at, c->at, "%s", c->what);
	}
}

/* A request that has been booked is not booked again for the next shift. */
static void booking_once(struct kunit *test)
{
	struct par_asked asked = { 2, PAR_WHY_LOAD, 60 }, by;

	KUNIT_EXPECT_TRUE(test, par_book(&asked, 1, 2, 2, false, 70, &by));
	KUNIT_EXPECT_EQ(test, by.why, PAR_WHY_LOAD);
	KUNIT_EXPECT_TRUE(test, par_book(&asked, 2, 1, 1, false, 80, &by));
	KUNIT_EXPECT_TRUE(test, par_book(&asked, 1, 2, 2, false, 90, &by));
	KUNIT_EXPECT_EQ(test, by.why, PAR_WHY_MANUAL);
	KUNIT_EXPECT_EQ(test, by.at, 90);
}

static struct kunit_case booking_cases[] = {
	KUNIT_CASE(booking_table),
	KUNIT_CASE(booking_once),
	{}
};

static struct kunit_suite booking_suite = {
	.name = "raid-par-booking",
	.test_cases = booking_cases,
};

kunit_test_suite(booking_suite);
