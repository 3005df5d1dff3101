/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What slot_model.c, slot_judge.c and slot_steps.c, the parts of the model, look at and change.
 */
#ifndef RAID_PAR_TESTS_SLOT_PARTS_H
#define RAID_PAR_TESTS_SLOT_PARTS_H

#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "slot_model.h"

static inline u32 any(struct model *model, u32 below)
{
	return prandom_u32_state(&model->random) % below;
}

static inline void complain(struct model *model, const char *wrong)
{
	model->wrong = model->wrong ?: wrong;
}

static inline void must(struct model *model, bool holds, const char *wrong)
{
	if (!holds)
		complain(model, wrong);
}

/* ---- places ---- */

static inline u32 content_of(u32 cell, u32 version)
{
	return cell << 24 | version;
}

static inline bool is_of(u32 content, u32 cell)
{
	return content && content >> 24 == cell;
}

static inline u32 version_of(u32 content)
{
	return content & 0xffffff;
}

static inline u32 newest(const struct place *place)
{
	return place->content[place->count - 1];
}

/* Is there room for one more content that is not flushed? */
static inline bool has_room(const struct place *place)
{
	return place->count < CONTENTS && !place->flying;
}

static inline void write_place(struct place *place, u32 content)
{
	place->content[place->count++] = content;
}

static inline void flush_place(struct place *place)
{
	u8 left = place->flying ? 2 : 1;

	if (place->count <= left)
		return;
	memmove(place->content, place->content + place->count - left,
		left * sizeof(place->content[0]));
	place->count = left;
}

static inline void settle_place(struct model *model, struct place *place)
{
	*place = (struct place) {
		.content = { place->content[any(model, place->count)] },
		.count = 1,
	};
}

/* The model numbers slots without a gap: its last slot is in the second block. */
static inline u32 band_slot(u8 slot)
{
	return slot < SLOTS - 1 ? slot : PAR_SLOTS_A_BLOCK;
}

static inline u8 model_slot(u32 slot)
{
	return slot == PAR_NO_SLOT ? NOBODY : min(slot, SLOTS - 1);
}

static inline u8 block_of(u8 slot)
{
	return slot < SLOTS - 1 ? 0 : 1;
}

static inline enum par_slot_state slot_state(const struct model *model, u8 slot)
{
	return par_slot_state(&model->map, band_slot(slot));
}

static inline bool move_slot(struct model *model, u8 slot, enum par_slot_event event)
{
	return par_slot_map_move(&model->map, band_slot(slot), event);
}

/* The slot in which the run's images are made and used, or NOBODY. */
static inline u8 slot_of(const struct model *model, u32 run)
{
	return model_slot(par_slot_of(&model->map, run));
}

static inline struct place *image_of(struct model *model, u32 cell)
{
	u8 slot = slot_of(model, cell / SEGS);

	return slot == NOBODY ? NULL : &model->image[slot][cell % SEGS];
}

static inline void flush_all(struct model *model)
{
	u32 i;

	for (i = 0; i < CELLS && !model->asleep; i++)
		flush_place(&model->seg[i].home);
	for (i = 0; i < SLOTS * SEGS; i++)
		flush_place(&model->image[i / SEGS][i % SEGS]);
	for (i = 0; i < MEMBERS; i++)
		memcpy(model->disk[i], model->cache[i], sizeof(model->disk[i]));
}

static inline bool slot_read(const struct model *model, u8 slot)
{
	u32 i;

	for (i = 0; i < READERS; i++)
		if (model->reader[i].place >= model->image[slot] &&
		    model->reader[i].place < model->image[slot] + SEGS)
			return true;
	return false;
}

static inline bool run_writes(const struct model *model, u32 run)
{
	u32 i;

	for (i = 0; i < SEGS; i++)
		if (model->seg[run * SEGS + i].target)
			return true;
	return false;
}

/* ---- slot_model.c ---- */

void slot_take_snapshot(struct model *model);
/* A step's store of block @b: on one member each time. Returns true once all have it. */
bool slot_store_on_next(struct model *model, unsigned int b);
/* Another store of block @b: on all members at once. */
void slot_store_all(struct model *model, unsigned int b);
/* Does a member still call a segment of the run "image" that no longer is? */
bool slot_stored_as_image(const struct model *model, u32 run);
/* End one of the reads that are under way, and judge it. */
void slot_end_read(struct model *model);

/* ---- slot_judge.c ---- */

/* A cut at this moment: the content of each block that is read then. */
struct cut {
	const struct block *block[BLOCKS];
};

/* The state in which a start after this cut finds a segment. */
enum par_seg_state slot_state_after(const struct model *model, const struct cut *cut, u32 cell);
/* All contents of block @b that may be read after a cut. Returns how many. */
unsigned int slot_contents_of(const struct model *model, unsigned int b,
			      const struct block **content);
/* Sets model->wrong if something is wrong in memory, on a member, or after a cut. */
void slot_judge(struct model *model);

/* ---- slot_steps.c ---- */

/* Take the next step of the plan under way, or begin another plan. */
void slot_go_on(struct model *model);

#endif
