// SPDX-License-Identifier: GPL-2.0
/*
 * A model of the protocol of the slots. The order of steps is the module's own: the model walks
 * through the plans of slot-plan.c, a step at a time and a member at a time where something is
 * stored, among reads, writes, flushes, other stores and copies home, in any order. The slot
 * map is the module's, and so is the table of segment states. Caches of all members are volatile.
 *
 * After each event the state after a power cut at this moment is derived and judged: for any of
 * the members that the superblock calls current as the only one whose copy of a block can be
 * read, and any content that an unflushed place may have, the copies that are named valid are of
 * the right run, and not older than what was flushed. Now and then power is cut, the array
 * starts with what is there, and the walk goes on.
 *
 * Plans with a step left out, or two steps in the other order, have to be found, except those
 * that are listed as harmless. So do rules that the plans rely on.
 *
 * The model leaves out: intents as such, with the stores that they ask for (zone_model.c: here a
 * write that needs one has it at once, and the present segments are stored before it);
 * superblocks on more than one member (store_plan_kunit.c); rows that are unwritten; members that
 * fail: nothing is evicted while one is missing (slot_choice_kunit.c).
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/slot-map.h"
#include "pure/slot-plan.h"
#include "pure/states.h"

#define MEMBERS		3U
#define SLEEPER		2U		/* the others never sleep */
#define ALL		7U
#define RUNS		4U
#define SEGS		2U		/* of the sleeper's, in a run */
#define CELLS		(RUNS * SEGS)
#define SLOTS		3U		/* two in a block of the slot map, one in the next */
#define BAND_SLOTS	(PAR_SLOTS_A_BLOCK + 1)
#define MAPS		2U		/* blocks of the slot map; then the segments' block */
#define BLOCKS		(MAPS + 1)
#define CONTENTS	6U		/* of a place, since it was flushed */
#define READERS		2U
#define NOBODY		255U
#define EVENTS		1500U
#define WALKS		40U
#define FAULTY_WALKS	60U		/* until a fault is taken for harmless */
#define PATIENCE	400U		/* tries of a step */

/* Rules beside the plans that are left out. */
enum rule {
	SOUND,
	EVICTS_ONLY_COPY,	/* a run with an "image" is closed, which is called "home" */
	COPIES_IN_GATE,		/* copies home go on during a shift down */
	READS_OLD_MAP,		/* blocks of members that are not current count */
	RULES,
};

static const char * const rules[RULES] = {
	"none", "evicts the only copy", "copies in the gate", "reads an old map",
};

/* Where content is: what it may be after a cut, newest last. */
struct place {
	u32 content[CONTENTS];
	u8 count;
	bool flying;		/* the newest is being written */
};

/* A block of metadata: of a slot map its runs and one more each, or states of segments. */
struct block {
	u32 seq;
	u8 data[CELLS];
};

/* A segment of the sleeper's. */
struct seg {
	u8 state, snapshot;
	struct place home;
	struct place *target;	/* of a write that has not ended */
	u32 version;		/* that it writes */
	u32 acked, floor;	/* floor: acknowledged, and flushed */
};

struct reader {
	struct place *place;	/* none: nobody reads */
	u32 cell, floor;
};

struct walk {
	u8 occasion, at, sent, run, slot;
	bool busy, storing;	/* storing: no other store */
	unsigned int tries;
};

struct model {
	struct rnd_state random;
	u8 plan[PAR_SLOT_PLANS][PAR_SLOT_PLAN_MAX];
	enum rule rule;
	const char *wrong;
	struct par_slot_map map;
	struct par_slot slot[BAND_SLOTS];
	u32 run[RUNS];
	u16 free[MAPS];
	struct par_disk_slots raw;
	struct seg seg[CELLS];
	struct place image[SLOTS][SEGS];
	struct reader reader[READERS];
	struct block disk[MEMBERS][BLOCKS], cache[MEMBERS][BLOCKS];
	struct block packed;
	u32 done[BLOCKS];	/* what is stored on all */
	u32 seq, version;
	u8 intent[RUNS];	/* 0, or the gear and one more */
	u8 kept, whole;		/* members that get stores; those of them that have all blocks */
	u8 named;		/* members that the superblock names */
	bool low, asleep, gate;
	u8 locked;
	struct walk walk;
	unsigned int cuts, refused, waited, plans[PAR_SLOT_PLANS];
};

static u32 any(struct model *model, u32 below)
{
	return prandom_u32_state(&model->random) % below;
}

static void complain(struct model *model, const char *wrong)
{
	model->wrong = model->wrong ?: wrong;
}

/* ---- places ---- */

static u32 content_of(u32 cell, u32 version)
{
	return cell << 24 | version;
}

static bool is_of(u32 content, u32 cell)
{
	return content && content >> 24 == cell;
}

static u32 version_of(u32 content)
{
	return content & 0xffffff;
}

static u32 newest(const struct place *place)
{
	return place->content[place->count - 1];
}

/* In what was written but is not acknowledged, or acknowledged but not flushed. */
static bool has_room(const struct place *place)
{
	return place->count < CONTENTS && !place->flying;
}

static void write_place(struct place *place, u32 content)
{
	place->content[place->count++] = content;
}

static void flush_place(struct place *place)
{
	u8 left = place->flying ? 2 : 1;

	if (place->count <= left)
		return;
	memmove(place->content, place->content + place->count - left,
		left * sizeof(place->content[0]));
	place->count = left;
}

static void settle_place(struct model *model, struct place *place)
{
	*place = (struct place) {
		.content = { place->content[any(model, place->count)] },
		.count = 1,
	};
}

/* Slots as the model counts them: the last one is of the second block. */
static u32 band_slot(u8 slot)
{
	return slot < SLOTS - 1 ? slot : PAR_SLOTS_A_BLOCK;
}

static u8 model_slot(u32 slot)
{
	return slot == PAR_NO_SLOT ? NOBODY : min(slot, SLOTS - 1);
}

static u8 block_of(u8 slot)
{
	return slot < SLOTS - 1 ? 0 : 1;
}

static enum par_slot_state slot_state(const struct model *model, u8 slot)
{
	return par_slot_state(&model->map, band_slot(slot));
}

static bool move_slot(struct model *model, u8 slot, enum par_slot_event event)
{
	return par_slot_map_move(&model->map, band_slot(slot), event);
}

/* The slot in which the run's images are made and used, or NOBODY. */
static u8 slot_of(const struct model *model, u32 run)
{
	return model_slot(par_slot_of(&model->map, run));
}

static struct place *image_of(struct model *model, u32 cell)
{
	u8 slot = slot_of(model, cell / SEGS);

	return slot == NOBODY ? NULL : &model->image[slot][cell % SEGS];
}

static void flush_all(struct model *model)
{
	u32 i;

	for (i = 0; i < CELLS && !model->asleep; i++)
		flush_place(&model->seg[i].home);
	for (i = 0; i < SLOTS * SEGS; i++)
		flush_place(&model->image[i / SEGS][i % SEGS]);
	for (i = 0; i < MEMBERS; i++)
		if (i != SLEEPER || !model->asleep)
			memcpy(model->disk[i], model->cache[i], sizeof(model->disk[i]));
}

/* ---- judging ---- */

/* A cut at this moment: the content of each block that is read then. */
struct cut {
	const struct block *block[BLOCKS];
};

static u8 stored_slot(const struct cut *cut, u32 run)
{
	u8 slot, found = NOBODY;

	for (slot = 0; slot < SLOTS; slot++)
		if (cut->block[block_of(slot)]->data[slot < SLOTS - 1 ? slot : 0] == run + 1)
			found = found == NOBODY ? slot : SLOTS;
	return found;
}

static enum par_seg_state state_after(const struct model *model, const struct cut *cut, u32 cell)
{
	u8 intent = model->intent[cell / SEGS];
	enum par_seg_state state = cut->block[MAPS]->data[cell];

	return intent ? par_seg_after_crash(state, intent == 1) : state;
}

static void judge_place(struct model *model, const struct place *place, u32 cell)
{
	u8 i;

	for (i = 0; i < place->count; i++) {
		if (!is_of(place->content[i], cell))
			complain(model, "after a cut, an image is another run's");
		else if (version_of(place->content[i]) < model->seg[cell].floor)
			complain(model, "after a cut, what was flushed is lost");
	}
}

static void judge_cell(struct model *model, const struct cut *cut, u32 cell)
{
	enum par_seg_state state = state_after(model, cut, cell);
	const struct place *home = &model->seg[cell].home, *image;
	u8 slot = stored_slot(cut, cell / SEGS);

	if (slot == SLOTS)
		complain(model, "after a cut, a run has two slots");
	if (state != PAR_SEG_IMAGE)
		judge_place(model, home, cell);
	if (state == PAR_SEG_HOME || slot == SLOTS)
		return;
	if (slot == NOBODY) {
		complain(model, "after a cut, an image has no slot");
		return;
	}
	image = &model->image[slot][cell % SEGS];
	judge_place(model, image, cell);
	if (state == PAR_SEG_BOTH && (home->count > 1 || image->count > 1 ||
				      home->content[0] != image->content[0]))
		complain(model, "after a cut, what is called both differs");
}

/* All contents of a block that may be read. Returns how many. */
static unsigned int contents_of(const struct model *model, unsigned int b,
				const struct block **content)
{
	u8 readable = model->rule == READS_OLD_MAP ? ALL : model->named;
	unsigned int d, i, count = 0;

	for (d = 0; d < 2 * MEMBERS; d++) {
		const struct block *block = d % 2 ? &model->cache[d / 2][b] :
						    &model->disk[d / 2][b];

		if (!(readable & BIT(d / 2)))
			continue;
		for (i = 0; i < count; i++)
			if (!memcmp(content[i]->data, block->data, sizeof(block->data)))
				break;
		if (i == count)
			content[count++] = block;
	}
	return count;
}

static void judge_cuts(struct model *model)
{
	const struct block *content[BLOCKS][2 * MEMBERS];
	unsigned int count[BLOCKS], b, n, all = 1, i;
	struct cut cut;

	for (b = 0; b < BLOCKS; b++) {
		count[b] = contents_of(model, b, content[b]);
		all *= count[b];
	}
	for (i = 0; i < all && !model->wrong; i++) {
		for (b = 0, n = i; b < BLOCKS; n /= count[b], b++)
			cut.block[b] = content[b][n % count[b]];
		for (n = 0; n < CELLS; n++)
			judge_cell(model, &cut, n);
	}
}

/* S6, and S1: a slot that is used is the run's on all current members. */
static void judge_members(struct model *model)
{
	unsigned int d, b, run;

	for (d = 0; d < MEMBERS; d++) {
		const struct cut cut = { { model->disk[d], &model->disk[d][1], NULL } };

		if (!(model->named & BIT(d)))
			continue;
		for (b = 0; b < BLOCKS; b++)
			if (model->disk[d][b].seq < model->done[b])
				complain(model, "a current member has an old block");
		for (run = 0; run < RUNS; run++)
			if (slot_of(model, run) != NOBODY &&
			    slot_of(model, run) != stored_slot(&cut, run))
				complain(model, "a slot is used that is not stored");
	}
}

static bool slot_read(const struct model *model, u8 slot)
{
	u32 i;

	for (i = 0; i < READERS; i++)
		if (model->reader[i].place >= model->image[slot] &&
		    model->reader[i].place < model->image[slot] + SEGS)
			return true;
	return false;
}

static void judge_memory(struct model *model)
{
	u32 cell;
	u8 slot;

	for (slot = 0; slot < SLOTS; slot++)
		if (slot_state(model, slot) == PAR_SLOT_FREE && slot_read(model, slot))
			complain(model, "a request has found a slot that is free");

	for (cell = 0; cell < CELLS; cell++) {
		const struct seg *seg = &model->seg[cell];
		const struct place *image = image_of(model, cell);

		if (seg->state != PAR_SEG_HOME && !image)
			complain(model, "an image has no slot");
		if (seg->target || model->wrong)
			continue;
		if (seg->state != PAR_SEG_IMAGE &&
		    newest(&seg->home) != content_of(cell, seg->acked))
			complain(model, "an old home copy is read");
		if (seg->state != PAR_SEG_HOME && newest(image) != content_of(cell, seg->acked))
			complain(model, "an old image is read");
	}
}

/* ---- stores ---- */

static void pack_block(struct model *model, unsigned int b, struct block *block)
{
	u32 i;

	*block = (struct block) { .seq = ++model->seq };
	for (i = 0; b == MAPS && i < CELLS; i++)
		block->data[i] = model->seg[i].snapshot;
	if (b == MAPS)
		return;
	par_slot_map_pack(&model->map, b, &model->raw);
	for (i = 0; i < SLOTS - 1; i++)
		block->data[i] = le32_to_cpu(model->raw.run[i]);
}

static void store_block(struct model *model, unsigned int d, unsigned int b,
			const struct block *block)
{
	model->disk[d][b] = *block;
	model->cache[d][b] = *block;
}

static void take_snapshot(struct model *model)
{
	u32 cell;

	for (cell = 0; cell < CELLS; cell++)
		model->seg[cell].snapshot = model->seg[cell].state;
}

/* A step's store: a member each time. Returns true once all have it. */
static bool store_on_next(struct model *model, unsigned int b)
{
	struct walk *walk = &model->walk;

	if (!walk->sent)
		pack_block(model, b, &model->packed);
	walk->storing = true;
	if (any(model, 3))
		return false;
	while (!(model->kept & BIT(walk->sent)))
		walk->sent++;
	store_block(model, walk->sent++, b, &model->packed);
	if (model->kept >> walk->sent)
		return false;
	model->done[b] = model->packed.seq;
	walk->storing = false;
	walk->sent = 0;
	return true;
}

/* For the sake of others: all at once. */
static void store_all(struct model *model, unsigned int b)
{
	struct block block;
	unsigned int d;

	model->named = model->whole;
	if (b == MAPS) {
		take_snapshot(model);
		flush_all(model);
	}
	pack_block(model, b, &block);
	for (d = 0; d < MEMBERS; d++)
		if (model->kept & BIT(d))
			store_block(model, d, b, &block);
	model->done[b] = block.seq;
}

/* ---- requests ---- */

/* Do all members that get stores have the run's segments as they are? */
static bool run_stored(const struct model *model, u32 run)
{
	u32 d, cell;

	for (d = 0; d < MEMBERS; d++)
		for (cell = run * SEGS; cell < (run + 1) * SEGS; cell++)
			if (model->kept & BIT(d) &&
			    model->disk[d][MAPS].data[cell] != model->seg[cell].state)
				return false;
	return true;
}

/* Before a write: an intent of this gear, and stored segments as they are. */
static bool prepare_write(struct model *model, u32 run)
{
	u8 intent = model->low ? 2 : 1;

	if (model->intent[run] == intent && run_stored(model, run))
		return true;
	if (model->walk.storing)
		return false;
	store_all(model, MAPS);
	model->intent[run] = intent;
	return true;
}

static void begin_write(struct model *model)
{
	u32 cell = any(model, CELLS), run = cell / SEGS;
	struct seg *seg = &model->seg[cell];
	const struct par_seg_step *step =
		&par_seg_table[seg->state][model->low ? PAR_EV_WRITE_ASLEEP : PAR_EV_WRITE];
	struct place *place = step->action == PAR_ACT_HOME ? &seg->home : image_of(model, cell);

	if (seg->target || model->gate || model->locked == run || step->action == PAR_ACT_MISS)
		return;
	if (!has_room(place) || !prepare_write(model, run))
		return;
	if (place != &seg->home && !move_slot(model, slot_of(model, run), PAR_SLOT_WRITE))
		complain(model, "an image is written in a slot that is not held");
	seg->state = step->next;
	seg->target = place;
	seg->version = ++model->version;
	write_place(place, content_of(cell, seg->version));
	place->flying = true;
}

static void end_write(struct model *model)
{
	u32 cell = any(model, CELLS), i;
	struct seg *seg;

	for (i = 0; i < CELLS && !model->seg[cell].target; i++)
		cell = (cell + 1) % CELLS;
	seg = &model->seg[cell];
	if (!seg->target)
		return;
	if (seg->target == &seg->home && model->asleep)
		complain(model, "a member is written that sleeps");
	seg->target->flying = false;
	seg->target = NULL;
	seg->acked = seg->version;
}

static void begin_read(struct model *model)
{
	struct reader *reader = &model->reader[any(model, READERS)];
	u32 cell = any(model, CELLS);
	struct seg *seg = &model->seg[cell];
	u8 action = par_seg_table[seg->state][model->low ? PAR_EV_READ_ASLEEP :
					       PAR_EV_READ].action;

	if (reader->place || action == PAR_ACT_MISS)
		return;
	reader->place = action == PAR_ACT_HOME ? &seg->home : image_of(model, cell);
	reader->cell = cell;
	reader->floor = seg->acked;
}

static void end_read(struct model *model)
{
	u32 which = any(model, READERS), content;
	struct reader *reader = &model->reader[which];

	if (!reader->place)
		reader = &model->reader[READERS - 1 - which];
	if (!reader->place)
		return;
	content = newest(reader->place);
	if (reader->place->flying && reader->place->count > 1 && any(model, 2))
		content = reader->place->content[reader->place->count - 2];
	if (!is_of(content, reader->cell))
		complain(model, "a read has another run's data");
	else if (version_of(content) < reader->floor)
		complain(model, "a read has old data");
	reader->place = NULL;
}

static void flush(struct model *model)
{
	u32 cell;

	flush_all(model);
	for (cell = 0; cell < CELLS; cell++)
		model->seg[cell].floor = model->seg[cell].acked;
}

static bool run_writes(const struct model *model, u32 run)
{
	u32 i;

	for (i = 0; i < SEGS; i++)
		if (model->seg[run * SEGS + i].target)
			return true;
	return false;
}

static void clear_intent(struct model *model)
{
	u32 run = any(model, RUNS);

	if (run_writes(model, run) || model->walk.storing)
		return;
	store_all(model, MAPS);
	model->intent[run] = 0;
}

/* The mover, in the top gear: what is only an image is copied home. */
static void copy_home(struct model *model)
{
	u32 cell = any(model, CELLS), run = cell / SEGS;
	struct seg *seg = &model->seg[cell];
	u8 slot = slot_of(model, run), i;

	if (model->low || model->locked == run || seg->target || seg->state != PAR_SEG_IMAGE)
		return;
	if (model->gate && model->rule != COPIES_IN_GATE)
		return;
	if (!has_room(&seg->home))
		return;
	write_place(&seg->home, content_of(cell, seg->acked));
	seg->state = PAR_SEG_BOTH;
	for (i = 0; i < SEGS; i++)
		if (model->seg[run * SEGS + i].state == PAR_SEG_IMAGE)
			return;
	move_slot(model, slot, PAR_SLOT_CLEANED);
}

/* ---- the steps of a plan ---- */

static void must(struct model *model, bool holds, const char *wrong)
{
	if (!holds)
		complain(model, wrong);
}

static bool copy_images(struct model *model, u32 run)
{
	u8 slot = slot_of(model, run), i;

	must(model, slot != NOBODY, "an image is made without a slot");
	must(model, !model->asleep, "a member is read that sleeps");
	for (i = 0; i < SEGS && !model->wrong; i++)
		if (model->seg[run * SEGS + i].state == PAR_SEG_HOME &&
		    !has_room(&model->image[slot][i]))
			return false;
	for (i = 0; i < SEGS && !model->wrong; i++)
		if (model->seg[run * SEGS + i].state == PAR_SEG_HOME)
			write_place(&model->image[slot][i],
				    newest(&model->seg[run * SEGS + i].home));
	return true;
}

static bool lock_run(struct model *model, u32 run)
{
	model->locked = run;
	return !run_writes(model, run);
}

static bool unlock_run(struct model *model, u32 run)
{
	u32 i;

	for (i = 0; i < SEGS; i++)
		must(model, model->seg[run * SEGS + i].state != PAR_SEG_HOME,
		     "a fill has no effect");
	model->locked = NOBODY;
	return true;
}

static void agree(struct model *model, u32 run)
{
	u32 i;

	for (i = 0; i < SEGS; i++)
		if (model->seg[run * SEGS + i].state == PAR_SEG_HOME)
			model->seg[run * SEGS + i].state = PAR_SEG_BOTH;
}

/* A run that has become dirty meanwhile keeps its slot: the plan ends. */
static bool close_slot(struct model *model)
{
	struct walk *walk = &model->walk;
	u32 i;

	if (model->rule == EVICTS_ONLY_COPY)
		move_slot(model, walk->slot, PAR_SLOT_CLEANED);
	if (!move_slot(model, walk->slot, PAR_SLOT_CLOSE)) {
		model->refused++;
		walk->busy = false;
		return false;
	}
	for (i = 0; i < SEGS; i++)
		model->seg[walk->run * SEGS + i].state = PAR_SEG_HOME;
	return true;
}

/* Readers take their time, but not for ever. */
static bool readers_ended(struct model *model, u8 slot)
{
	if (!slot_read(model, slot))
		return true;
	model->waited++;
	if (!any(model, 8))
		end_read(model);
	return false;
}

static bool none_write(const struct model *model)
{
	u32 run;

	for (run = 0; run < RUNS; run++)
		if (run_writes(model, run))
			return false;
	return true;
}

static void checkpoint(struct model *model)
{
	store_all(model, MAPS);
	memset(model->intent, 0, sizeof(model->intent));
}

static void refresh(struct model *model)
{
	must(model, !model->asleep, "a member is written that sleeps");
	memcpy(model->cache[SLEEPER], model->disk[0], sizeof(model->cache[SLEEPER]));
	model->kept = ALL;
}

static void change_gear(struct model *model)
{
	model->low = model->walk.occasion == PAR_SLOT_PLAN_DOWN;
	if (!model->low)
		return;
	model->asleep = true;
	model->kept = ALL & ~BIT(SLEEPER);
	model->whole = model->kept;
}

/* Steps of a shift. */
static bool do_gear_step(struct model *model, enum par_slot_step step)
{
	switch (step) {
	case PAR_SLOT_STEP_SUPER:
		model->kept = ALL;
		model->whole = ALL;
		model->named = ALL;
		return true;
	case PAR_SLOT_STEP_GATE:
		model->gate = true;
		return none_write(model);
	case PAR_SLOT_STEP_CHECKPOINT:
		checkpoint(model);
		return true;
	case PAR_SLOT_STEP_GEAR:
		change_gear(model);
		return true;
	case PAR_SLOT_STEP_UNGATE:
		model->gate = false;
		return true;
	case PAR_SLOT_STEP_WAKE:
		model->asleep = false;
		return true;
	case PAR_SLOT_STEP_REFRESH:
		refresh(model);
		return true;
	default:
		complain(model, "there is no such step");
		return true;
	}
}

/* Returns true if the step is complete, false if it waits or goes on. */
static bool do_step(struct model *model, enum par_slot_step step)
{
	struct walk *walk = &model->walk;

	switch (step) {
	case PAR_SLOT_STEP_BEGIN:
		model->named = model->whole;
		return true;
	case PAR_SLOT_STEP_GIVE:
		must(model, par_slot_map_give(&model->map, band_slot(walk->slot), walk->run),
		     "a slot is given that is not free");
		return true;
	case PAR_SLOT_STEP_SLOTS:
		return store_on_next(model, block_of(walk->slot));
	case PAR_SLOT_STEP_SEGMENTS:
		return store_on_next(model, MAPS);
	case PAR_SLOT_STEP_HOLD:
		must(model, move_slot(model, walk->slot, PAR_SLOT_STORED),
		     "a slot is held that is not given");
		return true;
	case PAR_SLOT_STEP_LOCK:
		return lock_run(model, walk->run);
	case PAR_SLOT_STEP_COPY:
		return copy_images(model, walk->run);
	case PAR_SLOT_STEP_AGREE:
		agree(model, walk->run);
		return true;
	case PAR_SLOT_STEP_UNLOCK:
		return unlock_run(model, walk->run);
	case PAR_SLOT_STEP_SNAPSHOT:
		take_snapshot(model);
		walk->storing = true;
		return true;
	case PAR_SLOT_STEP_FLUSH:
		flush_all(model);
		return true;
	case PAR_SLOT_STEP_CLOSE:
		return close_slot(model);
	case PAR_SLOT_STEP_TOLD:
		must(model, move_slot(model, walk->slot, PAR_SLOT_TOLD),
		     "a slot leaves that is not closed");
		return true;
	case PAR_SLOT_STEP_ENDED:
		return readers_ended(model, walk->slot);
	case PAR_SLOT_STEP_FREE:
		must(model, move_slot(model, walk->slot, PAR_SLOT_GONE),
		     "a slot is freed that is not leaving");
		return true;
	default:
		return do_gear_step(model, step);
	}
}

static void end_plan(struct model *model)
{
	struct walk *walk = &model->walk;
	u32 slot;

	model->plans[walk->occasion]++;
	walk->busy = false;
	walk->storing = false;
	must(model, !model->gate && model->locked == NOBODY, "writes wait for ever");
	must(model, (walk->occasion != PAR_SLOT_PLAN_DOWN || model->low) &&
	     (walk->occasion != PAR_SLOT_PLAN_UP || (!model->low && model->named == ALL)),
	     "a shift has no effect");
	for (slot = 0; slot < SLOTS; slot++)
		must(model, slot_state(model, slot) == PAR_SLOT_FREE ||
		     slot_state(model, slot) == PAR_SLOT_HELD ||
		     slot_state(model, slot) == PAR_SLOT_DIRTY, "a slot is left halfway");
}

static void step_plan(struct model *model)
{
	struct walk *walk = &model->walk;
	enum par_slot_step step = model->plan[walk->occasion][walk->at];

	if (step == PAR_SLOT_STEP_END) {
		end_plan(model);
		return;
	}
	must(model, walk->tries++ < PATIENCE, "a step waits for ever");
	if (!do_step(model, step))
		return;
	walk->at++;
	walk->tries = 0;
}

/* Is there what the occasion is about? */
static bool plan_fits(struct model *model, const struct walk *walk)
{
	enum par_slot_state state = slot_state(model, walk->slot);
	bool has = par_slot_any(&model->map, walk->run) != PAR_NO_SLOT;

	switch (walk->occasion) {
	case PAR_SLOT_PLAN_GIVE:
		return state == PAR_SLOT_FREE && !has;
	case PAR_SLOT_PLAN_FILL:
		return !model->low && slot_of(model, walk->run) != NOBODY;
	case PAR_SLOT_PLAN_EVICT:
		/* It was chosen some time ago. */
		return state == PAR_SLOT_HELD || (state == PAR_SLOT_DIRTY && !any(model, 4));
	default:
		return model->low == (walk->occasion == PAR_SLOT_PLAN_UP);
	}
}

static bool begin_plan(struct model *model)
{
	static const u8 often[] = {
		PAR_SLOT_PLAN_GIVE, PAR_SLOT_PLAN_GIVE, PAR_SLOT_PLAN_FILL, PAR_SLOT_PLAN_FILL,
		PAR_SLOT_PLAN_FILL, PAR_SLOT_PLAN_EVICT, PAR_SLOT_PLAN_DOWN, PAR_SLOT_PLAN_UP,
	};
	struct walk walk = {
		.occasion = often[any(model, ARRAY_SIZE(often))],
		.run = any(model, RUNS),
		.slot = any(model, SLOTS),
		.busy = true,
	};

	if (!plan_fits(model, &walk))
		return false;
	if (walk.occasion == PAR_SLOT_PLAN_EVICT)
		walk.run = par_slot_run_of(&model->map, band_slot(walk.slot));
	model->walk = walk;
	return true;
}

static void go_on(struct model *model)
{
	unsigned int tries;

	if (model->walk.busy)
		step_plan(model);
	else
		for (tries = 0; tries < 6 && !begin_plan(model); tries++)
			;
}

/* ---- cuts ---- */

static void reset_map(struct model *model)
{
	memset(model->slot, 0, sizeof(model->slot));
	memset(model->run, 0, sizeof(model->run));
	par_slot_map_init(&model->map, RUNS, BAND_SLOTS, model->run, model->slot, model->free);
}

static void reset_memory(struct model *model)
{
	memset(model->reader, 0, sizeof(model->reader));
	memset(&model->walk, 0, sizeof(model->walk));
	memset(model->intent, 0, sizeof(model->intent));
	model->low = false;
	model->asleep = false;
	model->gate = false;
	model->locked = NOBODY;
	model->kept = ALL;
	model->whole = ALL;
	model->named = ALL;
}

static void load_map(struct model *model, const struct cut *cut)
{
	unsigned int b, i;

	reset_map(model);
	for (b = 0; b < MAPS; b++) {
		memset(&model->raw, 0, sizeof(model->raw));
		for (i = 0; i < SLOTS - 1; i++)
			model->raw.run[i] = cpu_to_le32(cut->block[b]->data[i]);
		must(model, par_slot_map_load(&model->map, b, &model->raw) == PAR_SLOT_LOADED,
		     "the slot map is refused");
	}
}

static void load_cell(struct model *model, u32 cell, enum par_seg_state state)
{
	struct seg *seg = &model->seg[cell];
	struct place *image = image_of(model, cell);

	seg->state = state;
	seg->target = NULL;
	seg->acked = version_of(newest(state == PAR_SEG_IMAGE ? image : &seg->home));
	seg->floor = seg->acked;
	if (state == PAR_SEG_IMAGE)
		move_slot(model, slot_of(model, cell / SEGS), PAR_SLOT_WRITE);
}

/* The array starts with what any of the current members has. It has been judged already. */
static void cut_power(struct model *model)
{
	const struct block *content[2 * MEMBERS];
	enum par_seg_state state[CELLS];
	struct block block[BLOCKS];
	struct cut cut;
	unsigned int b, i;

	for (b = 0; b < BLOCKS; b++) {
		i = contents_of(model, b, content);
		block[b] = *content[any(model, i)];
		cut.block[b] = &block[b];
	}
	for (i = 0; i < CELLS; i++)
		state[i] = state_after(model, &cut, i);
	for (i = 0; i < SLOTS * SEGS; i++)
		settle_place(model, &model->image[i / SEGS][i % SEGS]);
	for (i = 0; i < CELLS; i++)
		settle_place(model, &model->seg[i].home);
	reset_memory(model);
	load_map(model, &cut);
	for (i = 0; i < CELLS && !model->wrong; i++)
		load_cell(model, i, state[i]);
	for (b = 0; b < BLOCKS; b++)
		store_all(model, b);
	model->cuts++;
}

/* ---- walks ---- */

static void do_event(struct model *model)
{
	u32 what = any(model, 400);

	if (what < 1)
		cut_power(model);
	else if (what < 220)
		go_on(model);
	else if (what < 260)
		begin_write(model);
	else if (what < 300)
		end_write(model);
	else if (what < 340)
		begin_read(model);
	else if (what < 345)
		end_read(model);
	else if (what < 350)
		flush(model);
	else if (what < 394)
		copy_home(model);
	else if (what < 396)
		clear_intent(model);
	else if (!model->walk.storing)
		store_all(model, any(model, BLOCKS));
}

static void begin_model(struct model *model, u64 seed)
{
	u32 i;

	prandom_seed_state(&model->random, seed);
	reset_map(model);
	reset_memory(model);
	for (i = 0; i < CELLS; i++) {
		struct seg *seg = &model->seg[i];

		seg->state = PAR_SEG_HOME;
		seg->acked = 1;
		write_place(&seg->home, content_of(i, 1));
	}
	for (i = 0; i < SLOTS * SEGS; i++)
		write_place(&model->image[i / SEGS][i % SEGS], 0);
	model->version = 1;
	for (i = 0; i < BLOCKS; i++)
		store_all(model, i);
}

static const char *model_walk(struct model *model, u64 seed)
{
	unsigned int event;

	begin_model(model, seed);
	for (event = 0; event < EVENTS && !model->wrong; event++) {
		do_event(model);
		if (!model->wrong)
			judge_memory(model);
		if (!model->wrong)
			judge_members(model);
		if (!model->wrong)
			judge_cuts(model);
	}
	return model->wrong;
}

/* The plans as they are; what is in the way of an earlier walk is gone. */
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

/* Nothing is wrong at any time, and everything happens. */
static void model_holds(struct kunit *test)
{
	unsigned int seed, i, cuts = 0, refused = 0, waited = 0, plans[PAR_SLOT_PLANS] = { };
	struct model *model = alloc_model(test);

	for (seed = 1; seed <= WALKS; seed++) {
		const char *wrong;

		new_model(model, SOUND);
		wrong = model_walk(model, seed);
		KUNIT_EXPECT_NULL_MSG(test, wrong, "walk %u: %s", seed, wrong);
		cuts += model->cuts;
		refused += model->refused;
		waited += model->waited;
		for (i = 0; i < PAR_SLOT_PLANS; i++)
			plans[i] += model->plans[i];
	}
	KUNIT_EXPECT_GT(test, cuts, 3 * WALKS);
	KUNIT_EXPECT_GT(test, refused, WALKS / 4);
	KUNIT_EXPECT_GT(test, waited, WALKS / 4);
	for (i = 0; i < PAR_SLOT_PLANS; i++)
		KUNIT_EXPECT_GT(test, plans[i], 3 * WALKS);
}

/* ---- plans with a fault ---- */

/* In a plan, a step is left out, or changes places with the next one. */
struct fault {
	enum par_slot_occasion occasion;
	enum par_slot_step step;
	bool swap;
	const char *why;
};

#define FAULT(occasion, step, swap, why) \
	{ PAR_SLOT_PLAN_##occasion, PAR_SLOT_STEP_##step, swap, why }

/* What may be, as far as the model goes. */
static const struct fault harmless[] = {
	FAULT(GIVE, BEGIN, true, "what is given is in memory only"),
	FAULT(FILL, BEGIN, false, "runs are filled in the top gear, where all are current"),
	FAULT(FILL, BEGIN, true, "runs are filled in the top gear, where all are current"),
	FAULT(FILL, UNLOCK, true, "writes wait longer"),
	FAULT(FILL, SNAPSHOT, false, "the fill is stored later, with something else"),
	FAULT(FILL, SEGMENTS, false, "the fill is stored later, with something else"),
	FAULT(EVICT, BEGIN, true, "what is closed is closed in memory only"),
	FAULT(EVICT, SEGMENTS, true, "no other store comes between"),
	FAULT(EVICT, SLOTS, true, "no request finds a slot that is closed"),
	FAULT(DOWN, CHECKPOINT, true, "intents, not the superblock, name the gear of a write"),
	FAULT(DOWN, SUPER, false, "intents, not the superblock, name the gear of a write"),
	FAULT(UP, SUPER, true, "a member that is not current has its data"),
};

/* What issue 23 asks for, by name; rules_are_needed() has the eviction of the only valid copy. */
static const struct fault asked[] = {
	FAULT(EVICT, SLOTS, false, "a slot is reused before free is stored"),
	FAULT(EVICT, TOLD, true, "a slot is reused before free is stored"),
	FAULT(EVICT, FLUSH, false, "a home copy takes the place of an image before its flush"),
	FAULT(UP, REFRESH, false, "a slot map from before the shift"),
	FAULT(UP, FLUSH, true, "a slot map from before the shift, after a cut"),
	FAULT(EVICT, BEGIN, false, "a slot map from before the shift, of a sleeper"),
	FAULT(FILL, FLUSH, false, "a fill is called valid before its flush"),
	FAULT(FILL, FLUSH, true, "a fill is called valid before its flush"),
};

/* False: the plan has no such step. */
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

/* What goes wrong first, or nothing; @there: there is such a step. */
static const char *find_fault(struct model *model, const struct fault *fault, bool *there)
{
	const char *wrong = NULL;
	unsigned int seed;

	for (seed = 1; seed <= FAULTY_WALKS && !wrong; seed++) {
		new_model(model, SOUND);
		*there = make_fault(model, fault);
		if (!*there)
			return NULL;
		wrong = model_walk(model, seed);
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
		for (seed = 1; seed <= FAULTY_WALKS; seed++) {
			new_model(model, rule);
			if (model_walk(model, seed))
				break;
		}
		KUNIT_EXPECT_LE_MSG(test, seed, FAULTY_WALKS, "%s: not found", rules[rule]);
	}
}

static struct kunit_case slot_model_cases[] = {
	KUNIT_CASE(model_holds),
	KUNIT_CASE(steps_are_needed),
	KUNIT_CASE(faults_by_name),
	KUNIT_CASE(rules_are_needed),
	{}
};

static struct kunit_suite slot_model_suite = {
	.name = "raid-par-slot-model",
	.test_cases = slot_model_cases,
};

kunit_test_suite(slot_model_suite);
