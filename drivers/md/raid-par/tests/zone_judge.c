// SPDX-License-Identifier: GPL-2.0
/*
 * Is a state of the model right: what is read while the array runs, and what a crash leaves? See
 * zone_model.c.
 */
#include "zone_parts.h"

u8 zone_crash_byte(const struct sim_zone *zone, const struct crash *c)
{
	return c->intents ? zone->byte : zone->stored_byte;
}

/* Blocks that are not marked as stored by any zone are not looked for. */
bool zone_map_known(const struct sim *sim, const struct crash *c)
{
	unsigned int z;

	for (z = 0; z < sim->shape->zones; z++)
		if (zone_crash_byte(&sim->w.zone[z], c) & PAR_INTENT_STORED)
			return true;
	return false;
}

enum par_seg_state zone_crash_state(const struct sim *sim, const struct place *p,
				    const struct crash *c)
{
	enum par_seg_state state = c->map ? p->seg->snap : p->seg->stored;
	unsigned int gear = zone_crash_byte(p->zone, c) & PAR_INTENT_GEAR;

	if (!zone_map_known(sim, c))
		state = PAR_SEG_UNWRITTEN;
	return gear ? par_seg_after_crash(state, awake(gear, p->s)) : state;
}

static const char *judge_copy(const struct cell *cell, unsigned int copy, bool intent)
{
	if (cell->v[copy + LOW] < cell->v[FLOOR])
		return "a copy that is named valid is stale";
	if (!intent && !certain(cell, copy))
		return "without an intent, a copy is not certain";
	return NULL;
}

static const char *judge_state(const struct cell *cell, enum par_seg_state state,
			       bool intent)
{
	const char *wrong = NULL;

	if (state == PAR_SEG_UNWRITTEN)
		return cell->v[FLOOR] ? "a row with data is unwritten" : NULL;
	if (state == PAR_SEG_BOTH && cell->v[HOME + NOW] != cell->v[IMAGE + NOW])
		wrong = "copies that are both named valid differ";
	if (state != PAR_SEG_IMAGE)
		wrong = wrong ?: judge_copy(cell, HOME, intent);
	if (state != PAR_SEG_HOME)
		wrong = wrong ?: judge_copy(cell, IMAGE, intent);
	return wrong;
}

/* The disk of an absent member holds what parity says. */
static const char *judge_left(const struct cell *cell, enum par_seg_state state)
{
	u8 left = cell->v[LEFT];

	if (state == PAR_SEG_UNWRITTEN || state == PAR_SEG_IMAGE)
		return NULL;
	if (left != cell->v[LEFT_LOW] || left != cell->v[HOME + NOW] ||
	    !certain(cell, HOME))
		return "a member has missed what nothing tells of";
	return NULL;
}

/*
 * It does in zones without a mark; or, if it is being rebuilt, up to where the superblock says, but
 * for zones in doubt.
 */
static bool must_be_left(const struct sim *sim, const struct place *p, u8 byte)
{
	if (!sim->w.noted || !(sim->w.absent & 1 << p->s))
		return false;
	if (sim->w.back)
		return p->seg->vouched && !(byte & (PAR_INTENT_GEAR | PAR_INTENT_RESYNC));
	return !(byte & PAR_INTENT_MISSED);
}

static const char *judge_crash(struct sim *sim, const struct crash *c)
{
	const char *wrong = NULL;
	struct place p;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1)) {
		enum par_seg_state state = zone_crash_state(sim, &p, c);
		u8 byte = zone_crash_byte(p.zone, c);

		wrong = judge_state(p.cell, state, byte & PAR_INTENT_GEAR);
		if (!wrong && must_be_left(sim, &p, byte))
			wrong = judge_left(p.cell, state);
		if (!wrong && p.zone->torn &&
		    !(byte & (PAR_INTENT_GEAR | PAR_INTENT_RESYNC)))
			wrong = "parity is wrong and nothing tells of it";
		if (wrong)
			break;
	}
	return wrong;
}

/* The content that is read while the array runs. */
static const char *judge_memory(struct sim *sim)
{
	struct place p;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1)) {
		const u8 *v = p.cell->v;

		if (written(p.row) == !p.seg->state)
			return "a row is neither written nor unwritten";
		if (!written(p.row) || flying(p.cell))
			continue;
		if (v[named(p.seg->state) + NOW] != v[CUR])
			return "an old copy is read";
		if (p.seg->state == PAR_SEG_BOTH && v[IMAGE + NOW] != v[CUR])
			return "an old image is read";
		if (sim->w.absent & 1 << p.s && v[HOME + NOW] != v[CUR])
			return "parity does not tell what an absent member has";
	}
	return NULL;
}

const char *zone_judge(struct sim *sim)
{
	const char *wrong = judge_memory(sim);
	struct crash c;
	unsigned int i;

	for (i = 0; !wrong && i < 4; i++) {
		c.map = i & 1;
		c.intents = i & 2;
		if ((!c.map || storing_map(sim)) &&
		    (!c.intents || storing_intents(sim)))
			wrong = judge_crash(sim, &c);
	}
	return wrong;
}

const char *zone_judge_checkpoint(struct sim *sim)
{
	struct place p;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		/* A copy that has been completed in between is not lost. */
		if ((p.seg->stored != p.seg->state &&
		     p.seg->stored != PAR_SEG_IMAGE) ||
		    p.zone->stored_byte & PAR_INTENT_GEAR)
			return "a checkpoint leaves something unstored";
	return NULL;
}
