// SPDX-License-Identifier: GPL-2.0
/*
 * The slots of superblocks, and the members that receive a version first: a model of
 * members that never sleep is cut again and again, anywhere in a store. After each cut it
 * is started as load.c does.
 */
#include <linux/prandom.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/store-plan.h"

#define MEMBERS	5U
#define ROUNDS	100000U

/* The disks: versions by member and slot, 0 if torn; and the state in memory. */
struct disks {
	u64 version[MEMBERS][2];
	struct par_slots slots;
	unsigned int count;
	u64 last;
};

static u64 newest_of(const u64 *version)
{
	return max(version[0], version[1]);
}

static u32 members_with(const struct disks *disks, u64 version)
{
	unsigned int d;
	u32 members = 0;

	for (d = 0; d < disks->count; d++)
		if (newest_of(disks->version[d]) == version)
			members |= BIT(d);
	return members;
}

/* As find_super() and newer_destroyed() do. Returns a description of the error. */
static const char *start(struct disks *disks, u64 complete)
{
	bool two = false;
	unsigned int d;

	memset(&disks->slots, 0, sizeof(disks->slots));
	disks->last = 0;
	for (d = 0; d < disks->count; d++) {
		const u64 *version = disks->version[d];

		if (!newest_of(version))
			return "a member has no valid version";
		disks->last = max(disks->last, newest_of(version));
		disks->slots.valid[0] |= version[0] ? BIT(d) : 0;
		disks->slots.valid[1] |= version[1] ? BIT(d) : 0;
		disks->slots.newer |= version[1] > version[0] ? BIT(d) : 0;
	}
	for (d = 0; d < disks->count; d++)
		two |= newest_of(disks->version[d]) == disks->last &&
		       disks->version[d][0] && disks->version[d][1];
	if (disks->last < complete)
		return "what was stored on all is gone";
	if (!two && hweight32(members_with(disks, disks->last)) > 1 && disks->last > 1)
		return "a newer version may have been destroyed";
	return NULL;
}

/* Each of a lot that is cut has the new version, the old one, or something torn. */
static void store_lot(struct disks *disks, u32 members, bool cut, struct rnd_state *random)
{
	unsigned int d, slot, how;

	for (d = 0; d < disks->count; d++) {
		if (!(members & BIT(d)))
			continue;
		how = cut ? prandom_u32_state(random) % 3 : 0;
		slot = par_slots_next(&disks->slots, d);
		if (how < 2)
			disks->version[d][slot] = how ? 0 : disks->last;
		par_slots_stored(&disks->slots, d);
	}
}

/* Returns true if all members have received the version. */
static bool store(struct disks *disks, struct rnd_state *random)
{
	u32 all = BIT(disks->count) - 1, last = members_with(disks, disks->last), first;
	unsigned int cut = prandom_u32_state(random) % 4;

	first = par_slots_first(&disks->slots, all, last);
	disks->last++;
	store_lot(disks, first, cut == 1, random);
	if (cut == 1)
		return false;
	store_lot(disks, all & ~first, cut == 2, random);
	return cut != 2;
}

static void survives_cuts(struct kunit *test)
{
	struct rnd_state random;
	unsigned int count, i, d;

	prandom_seed_state(&random, 20261124);
	for (count = 2; count <= MEMBERS; count++) {
		struct disks disks = { .count = count };
		const char *wrong;
		u64 complete = 1;

		for (d = 0; d < count; d++)
			disks.version[d][1] = 1;
		for (i = 0; i < ROUNDS; i++) {
			wrong = start(&disks, complete);
			if (wrong)
				KUNIT_FAIL(test, "%u members, round %u: %s", count, i, wrong);
			if (wrong)
				return;
			while (store(&disks, &random))
				complete = disks.last;
		}
	}
}

/* Each lot has members, whatever these have. */
static void lots_are_two(struct kunit *test)
{
	u32 v0, v1, last, first;

	for (v0 = 0; v0 < 8; v0++)
		for (v1 = 0; v1 < 8; v1++)
			for (last = 0; last < 8; last++) {
				struct par_slots slots = { .valid = { v0, v1 } };

				first = par_slots_first(&slots, 7, last);
				KUNIT_EXPECT_TRUE_MSG(test, first && first < 7,
						      "valid %u, %u, last %u: %u",
						      v0, v1, last, first);
			}
}

/*
 * Members that have joined have the newest version of a block twice, all others
 * once, in one slot. When the store of the next version is cut, each keeps the newest one.
 */
static void keeps_blocks(struct kunit *test)
{
	unsigned int both, slot, d, s;

	for (both = 0; both < BIT(MEMBERS); both++)
		for (slot = 0; slot < 2; slot++) {
			struct par_copies copies = { };
			u64 version[MEMBERS][2];

			for (d = 0; d < MEMBERS; d++) {
				version[d][slot] = 8;
				version[d][!slot] = both & BIT(d) ? 8 : 7 - d;
			}
			for (d = 0; d < MEMBERS; d++)
				for (s = 0; s < 2; s++)
					par_copies_see(&copies, d, s, version[d][s],
						       s ? version[d][0] : 0);
			KUNIT_EXPECT_EQ(test, copies.seq, 8);
			KUNIT_EXPECT_EQ(test, copies.have[0] | copies.have[1], BIT(MEMBERS) - 1);
			for (d = 0; d < MEMBERS; d++) {
				version[d][!par_copies_slot(&copies)] = 0;
				KUNIT_EXPECT_EQ_MSG(test, newest_of(version[d]), 8,
						    "member %u, slot %u, twice: 0x%x",
						    d, slot, both);
			}
		}
}

/*
 * The first version that is seen is newer than none, even with number 0; seeing it again is
 * not.
 */
static void sees_newest(struct kunit *test)
{
	struct par_copies copies = { };

	KUNIT_EXPECT_TRUE(test, par_copies_see(&copies, 0, 1, 0, 0));
	KUNIT_EXPECT_FALSE(test, par_copies_see(&copies, 1, 0, 0, 0));
	KUNIT_EXPECT_TRUE(test, par_copies_see(&copies, 2, 1, 5, 0));
	KUNIT_EXPECT_FALSE(test, par_copies_see(&copies, 3, 0, 4, 0));
	KUNIT_EXPECT_EQ(test, copies.have[0], 0);
	KUNIT_EXPECT_EQ(test, copies.have[1], BIT(2));
	KUNIT_EXPECT_EQ(test, par_copies_slot(&copies), 1);
}

/* Whatever each member has, it has its newest version in the newest's slot, or is astray. */
static void finds_astray(struct kunit *test)
{
	u64 version[3][2];
	unsigned int i, k, d, s;

	for (i = 0; i < 4096; i++) {
		struct par_copies copies = { };
		u32 astray = 0;

		for (k = 0; k < 6; k++)
			version[k / 2][k % 2] = i >> 2 * k & 3;
		for (d = 0; d < 3; d++)
			for (s = 0; s < 2; s++)
				if (version[d][s])
					par_copies_see(&copies, d, s, version[d][s],
						       s ? version[d][0] : 0);
		s = par_copies_slot(&copies);
		for (d = 0; d < 3; d++)
			if (!version[d][s] || version[d][!s] > version[d][s])
				astray |= BIT(d);
		KUNIT_EXPECT_EQ_MSG(test, par_copies_astray(&copies, 7), astray, "copies 0x%x", i);
	}
}

static struct kunit_case store_plan_cases[] = {
	KUNIT_CASE(survives_cuts),
	KUNIT_CASE(lots_are_two),
	KUNIT_CASE(keeps_blocks),
	KUNIT_CASE(sees_newest),
	KUNIT_CASE(finds_astray),
	{}
};

static struct kunit_suite store_plan_suite = {
	.name = "raid-par-store-plan",
	.test_cases = store_plan_cases,
};

kunit_test_suite(store_plan_suite);
