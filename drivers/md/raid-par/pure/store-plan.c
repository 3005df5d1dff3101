// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which metadata is stored. Each line: which step precedes which, and why:
 *
 *   snapshot, flush, map	copies that a snapshot calls valid are flushed before it is stored;
 *				nothing is if it has no gains (struct par_zone)
 *   flush, note, map		a member that is lost in the flush lacks the changes in the map
 *   map, intents		an intent is cleared only after the changes that it covers are
 *				in the stored map; an intent that is set covers a stored map
 *   intents, note, publish	a member that did not take an intent has failed, and its blocks
 *				would be trusted at the next start: no write relies on the intent
 *				before the failure is stored
 *   flush, intents		without an intent nothing is resynced
 *   intents, publish		no write relies on an intent that is not stable
 *   flush, superblock		"rebuilt up to here" is not stable before the rebuilt data, and
 *				the log's tail not before the drained data: if it stays, nothing is
 *   superblock, forget		if an image were forgotten before the failure is stored, a crash
 *				would leave the failed member's home copy as the valid one
 *   superblock, superblock	only the second one says that the first one is on all members
 *
 * A superblock never overwrites the newer one of its member, nor the only one: after any
 * number of cuts the member has a valid one. The members that never sleep get a version in
 * two lots. If all members with the newest version had no other valid one, nothing would
 * show whether an even newer one has been destroyed (newer_destroyed() in load.c). So the
 * first lot consists of the members that lack the last version or another valid one; a cut
 * leaves the others as they are, and afterwards the members of the first lot have two. If
 * all members have both, the first lot is half of them.
 *
 * Blocks are stored on the members that never sleep. One that did not take a version has failed,
 * and the next superblock says so; one that joins gets all blocks before a superblock says that it
 * has not failed. So those that are failed in no set have all blocks. There is one in each array
 * that starts: p members may have failed, and more than p never sleep. An array without parity
 * starts with all members only, and those that are not old copies have what was stored last.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/store-plan.h"

#define MAP(step)	{ PAR_PART_MAP, PAR_STEP_##step }
#define INTENTS(step)	{ PAR_PART_INTENTS, PAR_STEP_##step }
#define SUPER(step)	{ PAR_PART_SUPER, PAR_STEP_##step }
#define MARKS(step)	{ PAR_PART_MARKS, PAR_STEP_##step }

static const struct par_store_step plans[PAR_STORE_OCCASIONS][PAR_PLAN_STEPS] = {
	[PAR_STORE_FIRST] = {
		MAP(SNAPSHOT), MAP(FLUSH), MAP(NOTE), MAP(MAP),
	},
	[PAR_STORE_MAP] = {
		MAP(BEGIN), MAP(SNAPSHOT), MAP(FLUSH), MAP(NOTE), MAP(MAP),
	},
	[PAR_STORE_INTENTS] = {
		INTENTS(BEGIN),
		MAP(SNAPSHOT), MAP(FLUSH), MAP(NOTE), MAP(MAP),
		INTENTS(INTENTS), INTENTS(NOTE), INTENTS(PUBLISH),
	},
	[PAR_STORE_CLEAR] = {
		MAP(BEGIN), MAP(SNAPSHOT), MAP(FLUSH), MAP(NOTE), MAP(MAP),
		INTENTS(BEGIN), INTENTS(FLUSH), INTENTS(NOTE), INTENTS(INTENTS),
		INTENTS(PUBLISH),
		SUPER(BEGIN), SUPER(SUPER), SUPER(SUPER),
	},
	[PAR_STORE_CHILD] = {
		SUPER(FLUSH), SUPER(NOTE), SUPER(SUPER), SUPER(FORGET),
		MAP(BEGIN), MAP(SNAPSHOT), MAP(FLUSH), MAP(NOTE), MAP(MAP),
		MARKS(UNMARK),
	},
	[PAR_STORE_WHOLE] = {
		SUPER(SUPER), MARKS(UNMARK),
	},
	[PAR_STORE_LOG] = {
		SUPER(FLUSH), SUPER(NOTE), SUPER(SUPER),
	},
};

const struct par_store_step *par_store_plan(enum par_store_occasion occasion)
{
	return plans[occasion];
}
EXPORT_SYMBOL_IF_KUNIT(par_store_plan);

unsigned int par_slots_next(const struct par_slots *slots, unsigned int d)
{
	return !(slots->newer & BIT(d));
}
EXPORT_SYMBOL_IF_KUNIT(par_slots_next);

void par_slots_stored(struct par_slots *slots, unsigned int d)
{
	slots->valid[par_slots_next(slots, d)] |= BIT(d);
	slots->newer ^= BIT(d);
}
EXPORT_SYMBOL_IF_KUNIT(par_slots_stored);

static u32 lower_half(u32 members)
{
	unsigned int count = DIV_ROUND_UP(hweight32(members), 2);
	u32 half = 0;

	for (; count; count--) {
		half |= members & -members;
		members &= members - 1;
	}
	return half;
}

u32 par_slots_first(const struct par_slots *slots, u32 steady, u32 last)
{
	u32 lacking = steady & ~(last & slots->valid[0] & slots->valid[1]);

	return lacking && lacking != steady ? lacking : lower_half(steady);
}
EXPORT_SYMBOL_IF_KUNIT(par_slots_first);

bool par_has_blocks(const struct par_super *super, const struct par_geometry *geo,
		    unsigned int d, u64 seq)
{
	unsigned int i;

	for (i = 1; geo->parities && i <= geo->gears; i++)
		if (super->set[i].failed & BIT(d))
			return false;
	return seq >= super->min_seq[d];
}
EXPORT_SYMBOL_IF_KUNIT(par_has_blocks);

bool par_copies_see(struct par_copies *copies, unsigned int d, unsigned int slot, u64 seq,
		    u64 other)
{
	bool newer = seq > copies->seq || !(copies->have[0] | copies->have[1]);

	if (newer) {
		copies->seq = seq;
		memset(copies->have, 0, sizeof(copies->have));
	}
	if (seq == copies->seq)
		copies->have[slot] |= BIT(d);
	if (seq >= other)
		copies->own[slot] |= BIT(d);
	if (seq > other)
		copies->own[!slot] &= ~BIT(d);
	return newer;
}
EXPORT_SYMBOL_IF_KUNIT(par_copies_see);

/*
 * A member that has joined, or was astray, has the newest version in both slots, and the others
 * have it in the same one of these slots: the slot in which all members have it. The next
 * version must not go there, since a cut would then leave the others without either
 * version.
 */
unsigned int par_copies_slot(const struct par_copies *copies)
{
	return hweight32(copies->have[1]) > hweight32(copies->have[0]);
}
EXPORT_SYMBOL_IF_KUNIT(par_copies_slot);

/*
 * A store that was cut has come to some members only. The next version goes to the slot where the
 * others have their newest one: they get it in the slot of the newest version before that.
 */
u32 par_copies_astray(const struct par_copies *copies, u32 members)
{
	return members & ~copies->own[par_copies_slot(copies)];
}
EXPORT_SYMBOL_IF_KUNIT(par_copies_astray);
