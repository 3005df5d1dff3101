/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the model look at and change: zone_model.c, zone_crash.c, zone_judge.c and
 * zone_plan.c.
 */
#ifndef RAID_PAR_TESTS_ZONE_PARTS_H
#define RAID_PAR_TESTS_ZONE_PARTS_H

#include "zone_model.h"

/* Where an event takes place. */
struct place {
	struct sim_zone *zone;
	struct row *row;
	struct seg *seg;
	struct cell *cell;
	unsigned int n;			/* of all blocks */
	unsigned int z, s, bit;		/* zone, sleeper, block of the row */
};

static inline bool awake(unsigned int gear, unsigned int s)
{
	return s + 1 < gear;
}

static inline unsigned int row_bits(const struct sim *sim)
{
	return (1U << sim->shape->sleepers * sim->shape->blocks) - 1;
}

static inline unsigned int blocks_of(const struct shape *shape)
{
	return shape->zones * shape->rows * shape->sleepers * shape->blocks;
}

/* The @block-th of all; no cell if there are not so many. */
static inline struct place place_of(struct sim *sim, unsigned int block)
{
	const struct shape *shape = sim->shape;
	struct place p = { .n = block };

	if (block >= blocks_of(shape))
		return p;
	p.bit = block % (shape->sleepers * shape->blocks);
	p.s = p.bit / shape->blocks;
	block /= shape->sleepers * shape->blocks;
	p.z = block / shape->rows;
	p.zone = &sim->w.zone[p.z];
	p.row = &p.zone->row[block % shape->rows];
	p.seg = &p.row->seg[p.s];
	p.cell = &p.seg->cell[p.bit % shape->blocks];
	return p;
}

static inline bool written(const struct row *row)
{
	return row->seg[0].state != PAR_SEG_UNWRITTEN;
}

static inline bool flying(const struct cell *cell)
{
	return cell->v[HOME + FLY] || cell->v[IMAGE + FLY];
}

static inline bool row_flies(struct sim *sim, const struct row *row)
{
	struct place p;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		if (p.row == row && flying(p.cell))
			return true;
	return false;
}

static inline bool row_locked(const struct row *row)
{
	unsigned int s;

	for (s = 0; s < SLEEPERS; s++)
		if (row->seg[s].locked)
			return true;
	return false;
}

/* Has every request ended, copies of segments not counted? */
static inline bool quiet(struct sim *sim)
{
	struct place p;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		if ((flying(p.cell) && !p.seg->locked) || p.row->held ||
		    p.row->phase != STEADY)
			return false;
	return !sim->w.waiting;
}

static inline const struct par_store_step *plan_step(const struct sim *sim)
{
	return &sim->plan[sim->w.occasion][sim->w.at];
}

static inline bool storing_map(const struct sim *sim)
{
	return sim->w.sent && plan_step(sim)->what == PAR_STEP_MAP;
}

static inline bool storing_intents(const struct sim *sim)
{
	return sim->w.noting ||
	       (sim->w.sent && plan_step(sim)->what == PAR_STEP_INTENTS);
}

static inline bool idle(const struct sim *sim)
{
	return !sim->w.parts && !sim->w.noting;
}

/* ---- contents ---- */

static inline u8 fresh(const struct cell *cell)
{
	u8 newest = 0;
	int i;

	for (i = 0; i < VERSIONS; i++)
		newest = max(newest, cell->v[i]);
	return newest + 1;
}

/* Only the order counts, and which content is garbage. */
static inline void renumber(struct cell *cell)
{
	u8 rank[4 * VERSIONS] = { };
	unsigned int i, next = 0;

	for (i = 0; i < VERSIONS; i++)
		rank[cell->v[i]] = 1;
	rank[0] = 0;
	for (i = 1; i < sizeof(rank); i++)
		if (rank[i])
			rank[i] = ++next;
	for (i = 0; i < VERSIONS; i++)
		cell->v[i] = rank[cell->v[i]];
}

static inline void launch(struct cell *cell, unsigned int copy, u8 version)
{
	cell->v[copy + FLY] = version;
	cell->v[copy + LOW] = min(cell->v[copy + LOW], version);
}

static inline void set_copy(struct cell *cell, unsigned int copy, u8 now, u8 low)
{
	cell->v[copy + NOW] = now;
	cell->v[copy + LOW] = low;
	cell->v[copy + FLY] = 0;
}

static inline void flush_copy(struct cell *cell, unsigned int copy)
{
	u8 now = cell->v[copy + NOW], fly = cell->v[copy + FLY];

	cell->v[copy + LOW] = fly ? min(now, fly) : now;
}

/* The caches of the members that are awake; the images are on such members. */
static inline void flush_all(struct sim *sim)
{
	struct place p;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1)) {
		flush_copy(p.cell, IMAGE);
		if (awake(sim->w.gear, p.s) || sim->w.absent & 1 << p.s)
			flush_copy(p.cell, HOME);
		if (sim->w.back)
			p.cell->v[LEFT_LOW] = p.cell->v[LEFT];
	}
}

/* Is there no unflushed write, and none under way, that could change this copy? */
static inline bool certain(const struct cell *cell, unsigned int copy)
{
	return !cell->v[copy + FLY] && cell->v[copy + LOW] == cell->v[copy + NOW];
}

/* The copy that a state names; if both, the home copy. */
static inline unsigned int named(enum par_seg_state state)
{
	return state == PAR_SEG_IMAGE ? IMAGE : HOME;
}

/* ---- zone_judge.c ---- */

/* The state of the members if the power fails now: @map, @intents: the new ones. */
struct crash {
	bool map, intents;
};

/* What a start after that finds: a zone's intents, whether a map, and the state of a segment. */
u8 zone_crash_byte(const struct sim_zone *zone, const struct crash *c);
bool zone_map_known(const struct sim *sim, const struct crash *c);
enum par_seg_state zone_crash_state(const struct sim *sim, const struct place *p,
				    const struct crash *c);

/* zone_judge - what is wrong, in memory or after a crash; NULL: nothing */
const char *zone_judge(struct sim *sim);
/* A checkpoint has been stored. */
const char *zone_judge_checkpoint(struct sim *sim);

/* ---- zone_crash.c ---- */

/* The power fails, and the array is started again. @which: old content is left, new, or any. */
void zone_crash(struct sim *sim, const struct crash *c, unsigned int which);

/* ---- zone_plan.c ---- */

/* The order in which the module stores, with the change of the mutant. */
void zone_make_plans(struct sim *sim);

#endif
