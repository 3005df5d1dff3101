// SPDX-License-Identifier: GPL-2.0
/*
 * Which members a start takes the blocks from: a model of the members that never sleep, of which
 * up to p fail, are replaced, return, or are missing at a start, with cuts anywhere in a store.
 * Each start that the members allow has to find what something relied on, and nothing that another
 * history of a disk has left there. par_has_blocks(), the lots of superblocks and the choice of a
 * block's slot are the module's; what load.c, store.c, super.c, meta.c and sync.c do with them is
 * written here once more.
 */
#include <linux/prandom.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/store-plan.h"

#define MEMBERS	4U
#define BLOCKS	2U
#define STEPS	3000U
#define WALKS	60U
#define LEAP	1000U		/* of block numbers at a start */
#define ALIEN	BIT(31)		/* of a content: of another history */

enum rule {
	SOUND,
	FAILED_ONES_COUNT,	/* blocks of failed members count */
	ONE_SIDE_JOINS,		/* a member that joins is given one side of each block */
	OVERWRITES_NEWEST,	/* a member that is astray is not given the new version before */
	REPORTED_AT_ONCE,	/* the superblock says what children report of one that joins */
	FAILURE_UNSTORED,	/* a store is relied on before the failure that it met is */
	FORGETS_FAILED,		/* a member that fails while it joins counts as joined */
	RULES,
};

/* Sequence number 0: not valid. */
struct disk {
	struct {
		u64 seq, least[MEMBERS];
		u32 failed;
	} super[2];
	struct {
		u64 seq;
		u32 content;
	} block[BLOCKS][2];
};

struct world {
	struct disk disk[MEMBERS];
	struct par_geometry geo;
	struct par_super super;
	struct par_slots slots;
	struct rnd_state random;
	enum rule rule;
	const char *wrong;
	bool running, due, uneven;
	u32 all, usable, kept, joining, told;
	u32 known;		/* members that are failed in some superblock, perhaps the newest */
	u64 block_seq, seq[BLOCKS];
	u8 side[BLOCKS];
	u32 astray[BLOCKS];
	u32 content[BLOCKS], relied[BLOCKS], last;
	unsigned int starts, renewals;
};

static u32 any(struct world *w, u32 below)
{
	return prandom_u32_state(&w->random) % below;
}

static u32 *failed(struct world *w)
{
	return &w->super.set[1].failed;
}

static u32 lacking(struct world *w)
{
	return (w->all & ~w->usable) | *failed(w) | w->joining;
}

/* Returns false if the array cannot lose one more. */
static bool lose(struct world *w, unsigned int d)
{
	if (hweight32(lacking(w) | BIT(d)) > w->geo.parities)
		return false;
	w->usable &= ~BIT(d);
	return true;
}

/* A write that is cut has the new content, none, or the old one. */
static bool lands(struct world *w, bool cut, bool *torn)
{
	u32 how = cut ? any(w, 3) : 0;

	*torn = how == 1;
	return how < 2;
}

/* ---- stores ---- */

static void send_super(struct world *w, unsigned int d, bool cut)
{
	unsigned int side = par_slots_next(&w->slots, d), i;
	bool torn;

	if (lands(w, cut, &torn)) {
		w->disk[d].super[side].seq = torn ? 0 : w->super.seq;
		w->disk[d].super[side].failed = *failed(w) |
						(w->rule == REPORTED_AT_ONCE ? 0 : w->joining);
		for (i = 0; i < MEMBERS; i++)
			w->disk[d].super[side].least[i] = w->super.min_seq[i];
	}
	par_slots_stored(&w->slots, d);
}

static bool store_super(struct world *w)
{
	u32 members = w->usable, last = 0, lot, told = *failed(w) | w->joining;
	unsigned int d, turn, cut = any(w, 20);

	for (d = 0; d < w->geo.members; d++)
		if (w->super.min_seq[d] == w->super.seq)
			last |= BIT(d);
	w->super.seq++;
	w->known |= told;
	lot = par_slots_first(&w->slots, members & ~told ?: members, last);
	for (turn = 0; turn < 2; turn++, lot = members & ~lot) {
		for (d = 0; d < w->geo.members; d++)
			if (lot & BIT(d))
				send_super(w, d, cut == turn);
		w->running &= cut != turn;
		if (!w->running)
			return false;
	}
	for (d = 0; d < w->geo.members; d++)
		if (members & BIT(d))
			w->super.min_seq[d] = w->super.seq;
	w->told = told;
	w->known = told;
	return true;
}

/* Two versions, if a member lacks the last one, or is missing. */
static bool bring_in(struct world *w)
{
	bool again = w->all & ~w->usable;
	unsigned int d;

	*failed(w) |= w->all & ~w->usable;
	for (d = 0; d < w->geo.members; d++)
		again |= w->usable & BIT(d) && w->super.min_seq[d] != w->super.seq;
	w->kept = w->usable;
	return store_super(w) && (!again || store_super(w));
}

static bool record_failures(struct world *w)
{
	if (!(w->all & ~w->usable & ~w->told))
		return true;
	*failed(w) |= w->all & ~w->usable;
	return store_super(w);
}

/* On all of @members at once; returns false after a cut. */
static bool write_side(struct world *w, unsigned int b, unsigned int side, u32 members)
{
	bool cut = members && !any(w, 20), torn;
	unsigned int d;

	for (d = 0; d < w->geo.members; d++) {
		if (!(members & w->usable & BIT(d)) || (!any(w, 30) && lose(w, d)))
			continue;
		if (lands(w, cut, &torn)) {
			w->disk[d].block[b][side].seq = torn ? 0 : w->seq[b];
			w->disk[d].block[b][side].content = w->content[b];
		}
	}
	w->running &= !cut;
	return w->running;
}

static bool store_block(struct world *w, unsigned int b, u32 content)
{
	u32 holders = w->usable & (w->kept | w->joining), before = 0;

	w->content[b] = content;
	w->seq[b] = ++w->block_seq;
	w->side[b] ^= 1;
	if (w->rule != ONE_SIDE_JOINS)
		before |= w->joining;
	if (w->rule != OVERWRITES_NEWEST)
		before |= w->astray[b];
	if (!write_side(w, b, !w->side[b], holders & before) ||
	    !write_side(w, b, w->side[b], holders))
		return false;
	w->astray[b] = 0;
	return true;
}

static bool store_all(struct world *w)
{
	unsigned int b;

	for (b = 0; b < BLOCKS; b++)
		if (!store_block(w, b, w->content[b]))
			return false;
	return true;
}

static bool begin_use(struct world *w)
{
	if (!w->due)
		return true;
	if ((w->joining || w->uneven) && !store_all(w))
		return false;
	w->joining &= ~w->usable;
	if (!bring_in(w))
		return false;
	memcpy(w->relied, w->content, sizeof(w->relied));
	w->due = false;
	return true;
}

/* ---- events ---- */

static void write_some(struct world *w)
{
	unsigned int b = any(w, BLOCKS);

	if (!begin_use(w) || !store_block(w, b, ++w->last))
		return;
	if (w->rule == FAILURE_UNSTORED || record_failures(w))
		w->relied[b] = w->content[b];
}

static void note_sides(struct world *w, unsigned int d)
{
	const struct disk *disk = &w->disk[d];
	unsigned int side;

	w->slots.newer &= ~BIT(d);
	for (side = 0; side < 2; side++) {
		w->slots.valid[side] &= ~BIT(d);
		if (disk->super[side].seq)
			w->slots.valid[side] |= BIT(d);
	}
	if (disk->super[1].seq > disk->super[0].seq)
		w->slots.newer |= BIT(d);
}

/* The disk that was there, a new one, or one that was used elsewhere meanwhile. */
static void join(struct world *w, unsigned int d)
{
	unsigned int b, side, kind = any(w, 3);

	if (w->usable & BIT(d) || !(w->told & BIT(d)) || !begin_use(w))
		return;
	if (kind)
		memset(&w->disk[d], 0, sizeof(w->disk[d]));
	for (b = 0; kind == 2 && b < BLOCKS; b++)
		for (side = 0; side < 2; side++) {
			w->disk[d].block[b][side].seq = w->block_seq + any(w, 100 * LEAP);
			w->disk[d].block[b][side].content = ALIEN;
		}
	note_sides(w, d);
	if (kind)
		w->super.min_seq[d] = w->super.seq + 1;
	*failed(w) |= BIT(d);
	w->usable |= BIT(d);
	w->joining |= BIT(d);
	bring_in(w);
}

/* A rebuild begins: before that, members that join get all blocks. */
static void renew(struct world *w)
{
	if (!begin_use(w) || !w->joining || !store_all(w))
		return;
	if (!record_failures(w))
		return;
	w->joining &= w->rule == FORGETS_FAILED ? 0 : ~w->usable;
	w->renewals++;
	store_super(w);
}

/* A child has taken a member in, at any time. */
static void report(struct world *w)
{
	*failed(w) &= ~w->usable;
	if (!w->due && record_failures(w))
		store_super(w);
}

/* ---- a start ---- */

static const char *load_block(struct world *w, unsigned int b, u32 sources)
{
	struct par_copies copies = { };
	unsigned int d, side;

	for (d = 0; d < w->geo.members; d++)
		for (side = 0; side < 2; side++) {
			u64 seq = w->disk[d].block[b][side].seq;

			if (sources & BIT(d) && seq &&
			    par_copies_see(&copies, d, side, seq,
					   side ? w->disk[d].block[b][0].seq : 0))
				w->content[b] = w->disk[d].block[b][side].content;
		}
	w->seq[b] = copies.seq;
	w->side[b] = par_copies_slot(&copies);
	w->astray[b] = par_copies_astray(&copies, sources);
	w->uneven |= (copies.have[0] | copies.have[1]) != sources;
	w->block_seq = max(w->block_seq, w->seq[b]);
	if (!w->seq[b])
		return "a block is on no member that counts";
	if (w->content[b] & ALIEN)
		return "a block of another history counts";
	return w->content[b] < w->relied[b] ? "an old block counts" : NULL;
}

static unsigned int newer_side(const struct disk *disk)
{
	return disk->super[1].seq > disk->super[0].seq;
}

static void load_super(struct world *w, u32 present)
{
	unsigned int d, i;

	w->super.seq = 0;
	w->kept = 0;
	for (d = 0; d < w->geo.members; d++) {
		const struct disk *disk = &w->disk[d];
		unsigned int side = newer_side(disk);
		u64 seq = disk->super[side].seq;

		note_sides(w, d);
		if (!(present & BIT(d)) || !seq || seq < w->super.seq)
			continue;
		if (seq > w->super.seq)
			w->kept = 0;
		w->kept |= BIT(d);
		w->super.seq = seq;
		*failed(w) = disk->super[side].failed;
		for (i = 0; i < MEMBERS; i++)
			w->super.min_seq[i] = disk->super[side].least[i];
	}
}

/* The version of a member's superblock, for par_has_blocks(). */
static u64 version_of(const struct disk *disk)
{
	return disk->super[newer_side(disk)].seq +
	       (!disk->super[0].seq != !disk->super[1].seq);
}

static bool start_with(struct world *w, u32 present)
{
	u32 sources = 0, lacks = w->all & ~present;
	unsigned int d, b;

	load_super(w, present);
	for (d = 0; d < w->geo.members; d++) {
		u64 version = version_of(&w->disk[d]);

		if (!version || version < w->super.min_seq[d])
			lacks |= BIT(d);
		if (present & BIT(d) && version &&
		    (par_has_blocks(&w->super, &w->geo, d, version) ||
		     (w->rule == FAILED_ONES_COUNT && version >= w->super.min_seq[d])))
			sources |= BIT(d);
	}
	if (hweight32(lacks | *failed(w)) > w->geo.parities)
		return false;
	w->uneven = false;
	for (b = 0; b < BLOCKS; b++)
		w->wrong = w->wrong ?: load_block(w, b, sources);
	for (d = 0; d < w->geo.members; d++)
		if (w->kept & BIT(d))
			w->super.min_seq[d] = w->super.seq;
	*failed(w) |= lacks;
	w->block_seq += LEAP;
	w->usable = present;
	w->kept |= sources;
	w->joining = present & ~sources;
	w->told = w->all & ~present;
	w->due = true;
	w->running = true;
	w->starts++;
	return true;
}

/* As many members are missing as the array can do without. */
static void start(struct world *w)
{
	u32 missing = any(w, 3) ? 0 : any(w, w->all + 1);

	if (hweight32(missing | w->known) > w->geo.parities)
		missing = 0;
	if (start_with(w, w->all & ~missing))
		return;
	w->wrong = w->wrong ?: "the array stays down, though few members have failed";
}

static void step(struct world *w)
{
	unsigned int what = any(w, 20), d = any(w, w->geo.members);

	if (!w->running)
		start(w);
	else if (what < 8)
		write_some(w);
	else if (what < 9 && !w->due)
		lose(w, d);
	else if (what < 10 && !w->due)
		record_failures(w);
	else if (what < 13)
		join(w, d);
	else if (what < 15)
		renew(w);
	else if (what < 17)
		report(w);
	else if (what < 18)
		w->running = false;
}

/* ---- walks ---- */

static void create(struct world *w)
{
	unsigned int d, b;

	for (d = 0; d < w->geo.members; d++) {
		w->disk[d].super[1].seq = 1;
		w->disk[d].super[0].seq = 2;
		for (b = 0; b < BLOCKS; b++)
			w->disk[d].block[b][0].seq = 1;
	}
}

static const char *walk(struct world *w, enum rule left_out, unsigned int members,
			unsigned int parities, u32 seed)
{
	unsigned int i;

	memset(w, 0, sizeof(*w));
	prandom_seed_state(&w->random, seed);
	w->rule = left_out;
	w->geo.gears = 1;
	w->geo.members = members;
	w->geo.set[1].members = members;
	w->geo.parities = parities;
	w->all = BIT(members) - 1;
	create(w);
	for (i = 0; i < STEPS && !w->wrong; i++)
		step(w);
	return w->wrong;
}

static void starts_find_blocks(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned int members, parities, i, starts = 0, renewals = 0;

	KUNIT_ASSERT_NOT_NULL(test, w);
	for (members = 2; members <= MEMBERS; members++)
		for (parities = 1; parities <= 2 && parities < members; parities++)
			for (i = 0; i < WALKS; i++) {
				const char *wrong = walk(w, SOUND, members, parities, i);

				if (wrong)
					KUNIT_FAIL(test, "%u members, %u parities, walk %u: %s",
						   members, parities, i, wrong);
				starts += w->starts;
				renewals += w->renewals;
				cond_resched();
			}
	KUNIT_EXPECT_GT(test, starts, 1000);
	KUNIT_EXPECT_GT(test, renewals, 1000);
}

static void rules_are_needed(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	const char *wrong;
	enum rule rule;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	for (rule = SOUND + 1; rule < RULES; rule++) {
		wrong = NULL;
		for (i = 0; i < 10 * WALKS && !wrong; i++)
			wrong = walk(w, rule, 2 + i % 3, 1 + (i % 3 == 2), i);
		KUNIT_EXPECT_NOT_NULL_MSG(test, wrong, "rule %u is not needed", rule);
		if (wrong)
			kunit_info(test, "%u: %s\n", rule, wrong);
	}
}

/* An array without parity has no failed members: it starts with all of them, or not at all. */
static void without_parity(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->geo.gears = 1;
	*failed(w) = 1;
	w->super.min_seq[0] = 7;
	KUNIT_EXPECT_TRUE(test, par_has_blocks(&w->super, &w->geo, 0, 7));
	KUNIT_EXPECT_FALSE(test, par_has_blocks(&w->super, &w->geo, 0, 6));
	w->geo.parities = 1;
	KUNIT_EXPECT_FALSE(test, par_has_blocks(&w->super, &w->geo, 0, 7));
	KUNIT_EXPECT_TRUE(test, par_has_blocks(&w->super, &w->geo, 1, 0));
}

static struct kunit_case holders_cases[] = {
	KUNIT_CASE(starts_find_blocks),
	KUNIT_CASE(rules_are_needed),
	KUNIT_CASE(without_parity),
	{}
};

static struct kunit_suite holders_suite = {
	.name = "raid-par-holders",
	.test_cases = holders_cases,
};

kunit_test_suite(holders_suite);
