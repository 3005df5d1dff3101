// SPDX-License-Identifier: GPL-2.0
/*
 * A model of the protocol of the slots. The order of steps is that of the module: the model walks
 * through the plans of slot-plan.c, one step at a time, and one member at a time in steps that
 * store. In between, in any order, come reads, writes, flushes, other stores and copies home. The
 * slot map and the table of segment states are those of the module. All members have volatile
 * caches.
 *
 * After each event the model derives the state after a power cut at this moment, and judges it:
 * the copies that are called valid must be of the right run, and not older than the flushed
 * content; and no slot may have another run's data, whether it is called valid or not. This must
 * hold whichever current member's copy of a block is read, and whichever content an unflushed place
 * has after the cut. Now and then the power is cut: the array starts with the state after the cut,
 * and the walk continues.
 *
 * The model has to find an error in plans of which a step is left out, or two steps change places,
 * except those that are listed as harmless; and if a rule is left out that the plans rely on.
 *
 * Not in the model: intents, and the stores for them (see zone_model.c; in this model a write that
 * needs an intent has it at once, and if the present segments have to be stored before, they are
 * stored at once); superblocks on more than one member (see store_plan_kunit.c); unwritten rows,
 * except that all of a slot counts, since it may show in them; members that fail (nothing is
 * evicted while a member is missing: see slot_choice_kunit.c).
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "slot_parts.h"

#define EVENTS		1500U

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

void slot_take_snapshot(struct model *model)
{
	u32 cell;

	for (cell = 0; cell < CELLS; cell++)
		model->seg[cell].snapshot = model->seg[cell].state;
}

bool slot_store_on_next(struct model *model, unsigned int b)
{
	struct walk *walk = &model->walk;

	if (!walk->sent)
		pack_block(model, b, &model->packed);
	walk->storing = true;
	if (any(model, 3))
		return false;
	store_block(model, walk->sent++, b, &model->packed);
	if (walk->sent < MEMBERS)
		return false;
	model->done[b] = model->packed.seq;
	walk->storing = false;
	walk->sent = 0;
	return true;
}

void slot_store_all(struct model *model, unsigned int b)
{
	struct block block;
	unsigned int d;

	if (b == MAPS) {
		slot_take_snapshot(model);
		flush_all(model);
	}
	pack_block(model, b, &block);
	for (d = 0; d < MEMBERS; d++)
		store_block(model, d, b, &block);
	model->done[b] = block.seq;
}

/* ---- requests ---- */

bool slot_stored_as_image(const struct model *model, u32 run)
{
	u32 d, cell;

	for (d = 0; d < MEMBERS; d++)
		for (cell = run * SEGS; cell < (run + 1) * SEGS; cell++)
			if (model->seg[cell].state != PAR_SEG_IMAGE &&
			    model->disk[d][MAPS].data[cell] == PAR_SEG_IMAGE)
				return true;
	return false;
}

/*
 * Before a write: an intent of this gear. The present segments are stored with it, and before a
 * write that @diverges, that is, changes the state of its segment, if a segment is still stored as
 * "image": see par_zone_begin() and par_zone_admits().
 */
static bool prepare_write(struct model *model, u32 run, bool diverges)
{
	u8 intent = model->low ? 2 : 1;

	if (model->intent[run] == intent && !(diverges && slot_stored_as_image(model, run)))
		return true;
	if (model->walk.storing)
		return false;
	slot_store_all(model, MAPS);
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
	if (!has_room(place) || !prepare_write(model, run, step->next != seg->state))
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

void slot_end_read(struct model *model)
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

static void clear_intent(struct model *model)
{
	u32 run = any(model, RUNS);

	if (run_writes(model, run) || model->walk.storing)
		return;
	slot_store_all(model, MAPS);
	model->intent[run] = 0;
}

/* The mover, in the top gear: copy a segment home whose only valid copy is its image. */
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
}

static void load_map(struct model *model, const struct cut *cut)
{
	unsigned int b, i;

	reset_map(model);
	for (b = 0; b < MAPS; b++) {
		memset(&model->raw, 0, sizeof(model->raw));
		for (i = 0; i < SLOTS - 1; i++)
			model->raw.run[i] = cpu_to_le32(cut->block[b]->data[i]);
		must(model, par_slot_map_load(&model->map, b, &model->raw, false) ==
		     PAR_SLOT_LOADED, "the slot map is refused");
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

/* No version of a block of the slot map is left: runs without a slot have all data at home. */
static void lose_slots(struct model *model, struct block *block, enum par_seg_state *state)
{
	u8 *run = block[any(model, MAPS)].data;
	u32 i, k;

	for (i = 0; i < SLOTS - 1; i++)
		for (k = 0; run[i] && k < SEGS; k++)
			state[(run[i] - 1) * SEGS + k] = PAR_SEG_HOME;
	memset(run, 0, CELLS);
	model->rescues++;
}

/* The array starts with the state of any current member. This state has been judged before. */
static void cut_power(struct model *model)
{
	const struct block *content[2 * MEMBERS];
	enum par_seg_state state[CELLS];
	struct block block[BLOCKS];
	struct cut cut;
	unsigned int b, i;

	for (b = 0; b < BLOCKS; b++) {
		i = slot_contents_of(model, b, content);
		block[b] = *content[any(model, i)];
		cut.block[b] = &block[b];
	}
	for (i = 0; i < CELLS; i++)
		state[i] = slot_state_after(model, &cut, i);
	if (model->loses && any(model, 2))
		lose_slots(model, block, state);
	for (i = 0; i < SLOTS * SEGS; i++)
		settle_place(model, &model->image[i / SEGS][i % SEGS]);
	for (i = 0; i < CELLS; i++)
		settle_place(model, &model->seg[i].home);
	reset_memory(model);
	load_map(model, &cut);
	for (i = 0; i < CELLS && !model->wrong; i++)
		load_cell(model, i, state[i]);
	for (b = 0; b < (model->rule == FREES_UNSTORED ? MAPS : BLOCKS); b++)
		slot_store_all(model, b);
	model->cuts++;
}

/* ---- walks ---- */

static void do_event(struct model *model)
{
	u32 what = any(model, 400);

	if (what < 1)
		cut_power(model);
	else if (what < 220)
		slot_go_on(model);
	else if (what < 260)
		begin_write(model);
	else if (what < 300)
		end_write(model);
	else if (what < 340)
		begin_read(model);
	else if (what < 345)
		slot_end_read(model);
	else if (what < 350)
		flush(model);
	else if (what < 394)
		copy_home(model);
	else if (what < 396)
		clear_intent(model);
	else if (!model->walk.storing)
		slot_store_all(model, any(model, BLOCKS));
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
		slot_store_all(model, i);
}

const char *slot_model_walk(struct model *model, u64 seed)
{
	unsigned int event;

	begin_model(model, seed);
	for (event = 0; event < EVENTS && !model->wrong; event++) {
		do_event(model);
		if (!model->wrong)
			slot_judge(model);
	}
	return model->wrong;
}
