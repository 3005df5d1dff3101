/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An array whose policy the suites policy_kunit.c and policy_rules_kunit.c have decide: see
 * policy_array.c.
 */
#ifndef RAID_PAR_TESTS_POLICY_ARRAY_H
#define RAID_PAR_TESTS_POLICY_ARRAY_H

#include <kunit/test.h>

#include "policy/policy.h"
#include "layouts.h"

#define HOURS		3600U
#define STEPS		(6 * HOURS)	/* intervals of a second */
#define FULL		100000U		/* the largest demand that all members can serve */

#define POLICY_LAYOUTS	4U
extern const struct par_kunit_layout policy_layouts[POLICY_LAYOUTS];

/*
 * @dearer: the cost of a request in lower gears, in percent of that in the top gear;
 *	@believed: the predicted one
 * @shifting: seconds until the shift under way is complete; @asked: when it was asked for
 * @ups, @downs, @spent: shifts so far, and shifts down that were paid for
 */
struct array {
	struct par_geometry geo;
	struct par_policy policy;
	struct par_situation is;
	struct par_interval ring[PAR_WINDOW_MAX], last;
	struct par_decision decision;
	unsigned int dearer, believed, shifting, ups, downs;
	u64 budget, asked;
};

/* policy_array - a new array in @gear, or in the top gear if that is 0; its policy is automatic */
struct array *policy_array(struct kunit *test, const struct par_kunit_layout *in,
			   unsigned int gear);

/* policy_load_in - the load of a gear with this demand */
u32 policy_load_in(const struct array *array, unsigned int gear, u32 demand);

/* policy_interval - the last interval had this demand: 10 ms a request, or a second in a queue */
void policy_interval(struct array *array, u32 demand);

/* policy_second - a second with this demand passes, and the policy decides */
void policy_second(struct array *array, u32 demand);

#endif
