// SPDX-License-Identifier: GPL-2.0
/*
 * An array as the policy sees it: the load of its gears follows from a demand, and shifts take
 * as long as disks do.
 */
#include <linux/math64.h>

#include "policy_array.h"

#define UP_TAKES	16U		/* s, as disks do */
#define DOWN_TAKES	5U

const struct par_kunit_layout policy_layouts[POLICY_LAYOUTS] = {
	{ "3,5", GEAR(3) | GEAR(5), 5, KIB(512), MIB(200) },
	{ "3,8", GEAR(3) | GEAR(8), 8, KIB(512), MIB(200) },
	{ "3,5,8", GEAR(3) | GEAR(5) | GEAR(8), 8, KIB(512), MIB(200) },
	{ "raid6:4,6,9,12", CHILD_RAID6 | GEAR(4) | GEAR(6) | GEAR(9) | GEAR(12), 12,
	  KIB(512), MIB(400) },
};

/* A member cannot be busy for more than all the time. */
u32 policy_load_in(const struct array *array, unsigned int gear, u32 demand)
{
	const struct par_geometry *geo = &array->geo;
	unsigned int percent = 100;
	u64 load;

	if (gear < geo->gears)
		percent = gear == array->is.gear ? array->dearer : array->believed;
	load = div_u64((u64)demand * geo->members * percent / 100 * PAR_LOAD_ONE,
		       geo->set[gear].members * FULL);
	return min_t(u64, load, gear == array->is.gear ? PAR_LOAD_ONE : PAR_LOAD_MAX);
}

void policy_interval(struct array *array, u32 demand)
{
	unsigned int i;

	for (i = 1; i <= array->geo.gears; i++)
		array->last.load[i] = policy_load_in(array, i, demand);
	array->last.requests = demand / 100;
	array->last.waited = (u64)array->last.requests *
			     (array->last.load[array->is.gear] >= PAR_LOAD_ONE ?
			      1000000 : 10000);
}

static void begin_shift(struct array *array)
{
	struct par_situation *is = &array->is;
	struct par_decision *d = &array->decision;

	if (d->gear == is->target)
		return;
	is->why = d->reason;
	array->asked = is->now;
	if (d->gear == is->gear)
		array->shifting = 0;		/* abandoned */
	else
		array->shifting = d->gear > is->gear ? UP_TAKES : DOWN_TAKES;
	is->target = d->gear;
}

static void go_on_shifting(struct array *array)
{
	struct par_situation *is = &array->is;

	if (is->target == is->gear || --array->shifting)
		return;
	if (is->target > is->gear) {
		array->ups++;
	} else {
		array->downs++;
		array->budget -= array->budget > 0;
	}
	par_policy_shifted(&array->policy, is->gear, is->target, is->why, array->asked,
			   is->now);
	is->gear = is->target;
	is->why = PAR_WHY_MANUAL;
}

void policy_second(struct array *array, u32 demand)
{
	struct par_situation *is = &array->is;
	unsigned int i;

	is->now++;
	policy_interval(array, demand);
	par_policy_see(&array->policy, &array->last, is->gear, is->now);
	for (i = 1; i < array->geo.gears; i++)
		is->refused[i] = array->budget ? 0 : 1000;
	array->decision = par_policy_decide(&array->policy, is);
	begin_shift(array);
	go_on_shifting(array);
}

struct array *policy_array(struct kunit *test, const struct par_kunit_layout *in,
			   unsigned int gear)
{
	struct array *array = kunit_kzalloc(test, sizeof(*array), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, array);
	KUNIT_ASSERT_EQ(test, par_geometry_init(&array->geo, in->layout, in->disks,
						in->chunk, in->dev), PAR_GEO_OK);
	array->is.now = 1000;
	array->is.gear = gear ? gear : array->geo.gears;
	array->is.target = array->is.gear;
	array->dearer = 100;
	array->believed = 100;
	array->budget = 1000000;
	par_policy_init(&array->policy, &array->geo, array->ring, array->is.now);
	array->policy.knobs.automatic = true;
	return array;
}
