// SPDX-License-Identifier: GPL-2.0
/*
 * Is a state of the model right: in memory, on each member, and after a cut? See slot_model.c.
 */
#include "slot_parts.h"

/* The run that has a slot after this cut, plus 1, or 0. */
static u8 stored_run(const struct cut *cut, u8 slot)
{
	return cut->block[block_of(slot)]->data[slot < SLOTS - 1 ? slot : 0];
}

static u8 stored_slot(const struct cut *cut, u32 run)
{
	u8 slot, found = NOBODY;

	for (slot = 0; slot < SLOTS; slot++)
		if (stored_run(cut, slot) == run + 1)
			found = found == NOBODY ? slot : SLOTS;
	return found;
}

enum par_seg_state slot_state_after(const struct model *model, const struct cut *cut, u32 cell)
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
	enum par_seg_state state = slot_state_after(model, cut, cell);
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

/*
 * S9: rows that were not written, which the model does not have, may count as written after a cut,
 * with what their run's slot has. A free slot is given to any run next.
 */
static void judge_slot(struct model *model, const struct cut *cut, u8 slot)
{
	u8 run = stored_run(cut, slot), seg, i;

	for (seg = 0; seg < SEGS; seg++) {
		const struct place *image = &model->image[slot][seg];

		for (i = 0; i < image->count; i++) {
			if (image->content[i] && !run)
				complain(model, "after a cut, a free slot has data");
			else if (image->content[i] &&
				 !is_of(image->content[i], (run - 1) * SEGS + seg))
				complain(model, "after a cut, a slot has another run's data");
		}
	}
}

unsigned int slot_contents_of(const struct model *model, unsigned int b,
			      const struct block **content)
{
	unsigned int d, i, count = 0;

	for (d = 0; d < 2 * MEMBERS; d++) {
		const struct block *block = d % 2 ? &model->cache[d / 2][b] :
						    &model->disk[d / 2][b];

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
		count[b] = slot_contents_of(model, b, content[b]);
		all *= count[b];
	}
	for (i = 0; i < all && !model->wrong; i++) {
		for (b = 0, n = i; b < BLOCKS; n /= count[b], b++)
			cut.block[b] = content[b][n % count[b]];
		for (n = 0; n < CELLS; n++)
			judge_cell(model, &cut, n);
		/* A rescue writes no zeros: slots that it frees have what they had. */
		for (n = 0; n < SLOTS && !model->loses; n++)
			judge_slot(model, &cut, n);
	}
}

/*
 * S6, S1 and S3: all members have stored that a slot in use is the run's, and that a free
 * slot is free.
 */
static void judge_members(struct model *model)
{
	unsigned int d, b, run, slot;

	for (d = 0; d < MEMBERS; d++) {
		const struct cut cut = { { model->disk[d], &model->disk[d][1], NULL } };

		for (b = 0; b < BLOCKS; b++)
			if (model->disk[d][b].seq < model->done[b])
				complain(model, "a member has an old block");
		for (run = 0; run < RUNS; run++)
			if (slot_of(model, run) != NOBODY &&
			    slot_of(model, run) != stored_slot(&cut, run))
				complain(model, "a slot is used that is not stored");
		for (slot = 0; slot < SLOTS; slot++)
			if (slot_state(model, slot) == PAR_SLOT_FREE && stored_run(&cut, slot))
				complain(model, "a slot is free that is not stored as free");
	}
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

void slot_judge(struct model *model)
{
	judge_memory(model);
	if (!model->wrong)
		judge_members(model);
	if (!model->wrong)
		judge_cuts(model);
}
