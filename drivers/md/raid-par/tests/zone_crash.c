// SPDX-License-Identifier: GPL-2.0
/*
 * What a crash leaves of the model's world, and a start makes of it (load.c). See zone_model.c.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "zone_parts.h"

/* @which: the oldest content, the newest, or any. */
static void settle_copy(struct sim *sim, struct cell *cell, unsigned int copy,
			unsigned int which)
{
	u8 fly = cell->v[copy + FLY];
	u8 pick[] = { cell->v[copy + LOW], fly ?: cell->v[copy + NOW],
		      cell->v[copy + NOW] };
	u8 version;

	if (which > 1)
		which = prandom_u32_state(&sim->rng) % 3;
	version = pick[which];
	set_copy(cell, copy, version, version);
}

static void reload_block(struct sim *sim, const struct place *p,
			 const struct crash *c, unsigned int which)
{
	enum par_seg_state state = zone_crash_state(sim, p, c);
	u8 *v = p->cell->v;

	if (state != PAR_SEG_UNWRITTEN && !certain(p->cell, named(state)))
		p->zone->torn = true;
	settle_copy(sim, p->cell, HOME, which);
	settle_copy(sim, p->cell, IMAGE, which);
	v[LEFT] = v[LEFT_LOW];
	v[CUR] = state == PAR_SEG_UNWRITTEN ? 0 : v[named(state) + NOW];
	v[FLOOR] = v[CUR];
	/* Parity need not match: content that is rebuilt from it is in doubt. */
	if (sim->w.absent & 1 << p->s && zone_crash_byte(p->zone, c) & PAR_INTENT_GEAR)
		set_copy(p->cell, HOME, v[CUR], v[CUR]);
}

static void reload_map(struct sim *sim, const struct crash *c)
{
	enum par_seg_state state[ZONES * ROWS * SLEEPERS * BLOCKS];
	struct place p;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		state[p.n] = zone_crash_state(sim, &p, c);
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1)) {
		if (!zone_map_known(sim, c))
			p.seg->stored = PAR_SEG_UNWRITTEN;
		else if (c->map)
			p.seg->stored = p.seg->snap;
		p.seg->state = state[p.n];
		p.seg->locked = false;
		p.row->phase = STEADY;
		p.row->gear = 0;
		p.row->held = 0;
		p.row->direct = 0;
	}
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		p.seg->snap = 0;
}

static void reload_zone(struct sim *sim, struct sim_zone *zone, const struct crash *c)
{
	zone->stored_byte = zone_crash_byte(zone, c);
	memset(&zone->z, 0, sizeof(zone->z));
	zone->byte = par_zone_load(&zone->z, zone->stored_byte,
				   sim->mutant != RESYNC_FORGOTTEN);
}

/* A rebuild goes on where it was, or from the start if the array is started by force. */
static void reload_rebuild(struct sim *sim, const struct crash *c)
{
	bool forced = false;
	struct place p;
	unsigned int n;

	for (n = 0; n < sim->shape->zones; n++)
		forced |= zone_crash_byte(&sim->w.zone[n], c) & PAR_INTENT_GEAR;
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1)) {
		p.seg->vouched &= !forced;
		p.seg->rebuilt = p.seg->vouched;
	}
}

void zone_crash(struct sim *sim, const struct crash *c, unsigned int which)
{
	struct world *w = &sim->w;
	struct place p;
	unsigned int n;

	reload_rebuild(sim, c);
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		reload_block(sim, &p, c, which);
	reload_map(sim, c);
	for (n = 0; n < sim->shape->zones; n++)
		reload_zone(sim, &w->zone[n], c);
	w->down = 0;
	w->gate = false;
	w->mending = 0;
	w->mend_stored = false;
	w->checking = false;
	w->parts = 0;
	w->occasion = 0;
	w->at = 0;
	w->sent = false;
	w->taken = 0;
	w->intent = 0;
	w->noting = false;
	w->wanted = 0;
	w->waiting = 0;
	w->idle = 0;
	w->calm = false;
}
