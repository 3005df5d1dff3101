// SPDX-License-Identifier: GPL-2.0
/*
 * A model of the protocol by which the map and the intents are stored. The decisions are
 * those of the module: zone.c and states.c are called unchanged. The parts of store.c,
 * route.c, row.c, shift.c, propagate.c, mend.c and load.c that use them are written here once
 * more, in small steps and in any order: every step of a store, of a copy, of a row's start and
 * of a shift is an event of its own. After every event, and so also before and after every
 * metadata write is complete, the state after a crash is derived and judged: it has to name
 * a copy that holds the last version that was acknowledged and flushed, or a newer one.
 *
 * The order of storing is the module's own: the model walks through the plans of
 * store-plan.c, which store.c executes. So this shows that the protocol in that order keeps
 * the invariant, that zone.c and states.c decide as required, and, by the mutants, that no
 * rule may be left out, nor a step except those that are only there for progress. The
 * implementation of the steps in store.c is tested with power cuts (tests/torture), and
 * with mutations of the plan.
 *
 * The model leaves out: more than one map block and intent block, and so a store in several
 * batches; superblocks, with the gear and the failed members, and members that are brought
 * up to date; metadata writes that fail; failures other than that of one sleeper while no
 * write, copy or shift is under way. Once a sleeper has failed, the model notes which
 * writes it lacks before any intent is set; store.c marks the zones whose intent it sets,
 * and the others when a flush is relied on or a set's superblock is stored. A new disk in its
 * place is rebuilt while the array is used and may crash; that of a member that returns is
 * rebuilt in one step.
 *
 * Content is a version number, which increases with each write. Unflushed writes may be
 * lost, block by block; since only a version that is too old is wrong, it is sufficient to
 * look at the oldest that may be left (LOW), which covers every subset of unflushed writes.
 * Only the order of versions matters, so a block's versions are renumbered after each
 * event, and a small model has a finite number of states.
 *
 * An image is as reliable as the members that never sleep: the gear sets keep their own
 * images right by the same protocol.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "zone_parts.h"

#define PART_MAP	BIT(PAR_PART_MAP)
#define PART_INTENTS	BIT(PAR_PART_INTENTS)

/* ---- writes (route.c, row.c) ---- */

/* Returns false if a write is waiting already. */
static bool ask(struct sim *sim, const struct place *p)
{
	u8 bit = 1 << p->z, before = sim->w.wanted & sim->w.waiting & bit;

	sim->w.wanted |= bit;
	sim->w.waiting |= bit;
	return !before;
}

static bool admits(struct sim *sim, const struct place *p, unsigned int gear,
		   bool diverges)
{
	if (sim->mutant == MUST_STORE_IGNORED)
		diverges = false;
	return par_zone_admits(&p->zone->z, gear, diverges);
}

static void change_state(const struct place *p, struct seg *seg,
			 enum par_seg_state next)
{
	par_zone_changed(&p->zone->z, seg->state);
	seg->state = next;
}

/* A user's write of a home copy goes to the new disk as well as into parity, in any order. */
static void send_home(struct sim *sim, const struct place *p, u8 version)
{
	u8 *v = p->cell->v;

	launch(p->cell, HOME, version);
	if (sim->w.back && sim->w.absent & 1 << p->s) {
		v[LEFT_LOW] = min(v[LEFT_LOW], version);
		v[LEFT] = version;
	}
}

/* An absent member's images become old. False if they are stored as valid. */
static bool drop_images(struct sim *sim, const struct place *p)
{
	bool stored = true;
	unsigned int s;

	for (s = 0; s < sim->shape->sleepers; s++) {
		struct seg *seg = &p->row->seg[s];

		if (!(sim->w.absent & 1 << s) || seg->state == PAR_SEG_HOME ||
		    sim->mutant == OLD_IMAGES_KEPT)
			continue;
		stored &= seg->state == PAR_SEG_BOTH;
		change_state(p, seg, PAR_SEG_HOME);
	}
	return stored || sim->mutant == OLD_IMAGES_NOT_STORED;
}

/* A write to a written row. Returns false if nothing happens, not even a request for an intent. */
static bool write_written(struct sim *sim, const struct place *p)
{
	enum par_seg_event ev = awake(sim->w.gear, p->s) ? PAR_EV_WRITE :
							   PAR_EV_WRITE_ASLEEP;
	struct par_seg_step step = par_seg_step(p->seg->state, ev);

	if (step.action == PAR_ACT_MISS)
		return false;
	if (!admits(sim, p, sim->w.gear, step.next != p->seg->state ||
		    sim->w.absent)) {
		/* Its part on the new disk goes past, and that in parity waits. */
		if (sim->mutant == WRITE_AS_REBUILD && sim->w.back && sim->w.absent & 1 << p->s)
			p->cell->v[LEFT] = fresh(p->cell);
		return ask(sim, p);
	}
	if (sim->w.absent && !drop_images(sim, p)) {
		ask(sim, p);
		return true;
	}
	if (p->seg->locked && sim->mutant != COPY_UNLOCKED)
		return false;
	if (sim->w.absent & 1 << p->s) {
		send_home(sim, p, fresh(p->cell));
	} else {
		if (step.next != p->seg->state)
			change_state(p, p->seg, step.next);
		launch(p->cell, step.action == PAR_ACT_IMAGE ? IMAGE : HOME,
		       fresh(p->cell));
	}
	p->row->held &= ~(1 << p->bit);
	return true;
}

/* The row is complete: it is written, with the states of row->gear. */
static void start_row(struct sim *sim, const struct place *p)
{
	struct place q;
	unsigned int s;

	for (s = 0; s < sim->shape->sleepers; s++)
		change_state(p, &p->row->seg[s],
			     par_seg_step(PAR_SEG_UNWRITTEN,
					  awake(p->row->gear, s) ? PAR_EV_START :
					  PAR_EV_START_ASLEEP).next);
	for (q = place_of(sim, 0); q.cell; q = place_of(sim, q.n + 1)) {
		if (q.row != p->row)
			continue;
		if (!(q.row->held & 1 << q.bit))
			continue;	/* zeros, see ev_fill() */
		q.cell->v[CUR] = q.cell->v[named(q.seg->state) + NOW];
		if (awake(q.row->gear, q.s) && !sim->w.down)
			q.row->direct |= 1 << q.bit;
	}
	p->row->phase = STEADY;
	p->row->gear = 0;
	p->zone->z.starting--;
}

/* A write to an unwritten row: gather it. */
static bool write_unwritten(struct sim *sim, const struct place *p, u8 bits)
{
	struct row *row = p->row;

	if (!admits(sim, p, sim->w.gear, true))
		return ask(sim, p);
	if (row->phase != STEADY && !(bits & ~row->held))
		return false;
	if (row->phase == STEADY) {
		row->phase = GATHER;
		p->zone->z.starting++;
	}
	row->held |= bits;
	if (row->phase == GATHER && row->held == row_bits(sim)) {
		row->gear = sim->w.gear;
		start_row(sim, p);
	}
	return true;
}

/*
 * In the top gear, the content of an absent member is in parity; in a lower gear a row
 * would be started with an image that is not filled.
 */
static bool in_parity_only(const struct sim *sim)
{
	return !sim->w.absent || sim->w.gear == sim->shape->gears;
}

static bool may_write(const struct sim *sim)
{
	return in_parity_only(sim) && (!sim->w.absent || sim->w.noted);
}

static bool ev_write(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n);

	if (sim->w.gate || !may_write(sim) || p.row->held & 1 << p.bit)
		return false;
	if (!written(p.row))
		return write_unwritten(sim, &p, 1 << p.bit);
	return !flying(p.cell) && write_written(sim, &p);
}

/* All of a row at once, which needs no zeros. */
static bool ev_write_row(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n * sim->shape->sleepers * sim->shape->blocks);

	return !sim->w.gate && may_write(sim) && !written(p.row) &&
	       p.row->phase == STEADY && !p.row->held &&
	       write_unwritten(sim, &p, row_bits(sim));
}

/* A write that was held is routed again. */
static bool ev_route(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n);

	if (p.row->phase != STEADY || !(p.row->held & 1 << p.bit) ||
	    !may_write(sim))
		return false;
	if (!written(p.row))
		return write_unwritten(sim, &p, p.row->held);
	if (!(p.row->direct & 1 << p.bit))
		return !flying(p.cell) && write_written(sim, &p);
	p.row->direct &= ~(1 << p.bit);
	p.row->held &= ~(1 << p.bit);
	send_home(sim, &p, fresh(p.cell));
	return true;
}

static bool ev_fill(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n * sim->shape->sleepers * sim->shape->blocks), q;

	if (p.row->phase != GATHER)
		return false;
	p.row->phase = FILL;
	p.row->gear = sim->w.gear;
	for (q = place_of(sim, 0); q.cell; q = place_of(sim, q.n + 1)) {
		if (q.row != p.row || q.row->held & 1 << q.bit)
			continue;
		q.cell->v[CUR] = fresh(q.cell);
		if (sim->mutant == ROW_NOT_FILLED)
			continue;
		if (awake(sim->w.gear, q.s))
			send_home(sim, &q, q.cell->v[CUR]);
		else if (!(sim->w.absent & 1 << q.s))
			launch(q.cell, IMAGE, q.cell->v[CUR]);
	}
	return true;
}

static bool ev_filled(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n * sim->shape->sleepers * sim->shape->blocks);
	unsigned int gear = p.row->gear;

	if (p.row->phase != FILL || row_flies(sim, p.row))
		return false;
	if (sim->mutant == FILL_OF_OLD_GEAR ||
	    (admits(sim, &p, gear, true) && gear == sim->w.gear &&
	     (in_parity_only(sim) || sim->mutant == ROW_OF_ABSENT_SLEEPER))) {
		start_row(sim, &p);
	} else {
		p.row->phase = STEADY;
		p.row->gear = 0;
		p.zone->z.starting--;
	}
	return true;
}

/* A write to a disk or to an image has ended. */
static bool ev_complete(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n);
	unsigned int copy = p.cell->v[HOME + FLY] ? HOME : IMAGE;
	u8 version = p.cell->v[copy + FLY];

	if (!version)
		return false;
	p.cell->v[copy + NOW] = version;
	p.cell->v[copy + FLY] = 0;
	if (written(p.row) && (!p.seg->locked || copy == named(p.seg->state)))
		p.cell->v[CUR] = version;
	return true;
}

/*
 * The user flushes: acknowledged content must not be lost from now on. A row that was started for
 * a write of all of it has none until this write is sent.
 */
static bool ev_flush(struct sim *sim, unsigned int n)
{
	struct place p;

	flush_all(sim);
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		if (written(p.row) && !(p.row->direct & 1 << p.bit))
			p.cell->v[FLOOR] = p.cell->v[CUR];
	return true;
}

/* The row is discarded: its content does not matter any more. */
static bool ev_clear(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n * sim->shape->sleepers * sim->shape->blocks), q;

	if (!written(p.row) || p.row->held || row_flies(sim, p.row) ||
	    row_locked(p.row) || sim->w.absent || sim->w.gate)
		return false;
	if (sim->mutant == CLEAR_NEED_NOT_STORE)
		par_zone_changed(&p.zone->z, PAR_SEG_UNWRITTEN);
	else
		par_zone_cleared(&p.zone->z);
	for (q = place_of(sim, 0); q.cell; q = place_of(sim, q.n + 1))
		if (q.row == p.row) {
			q.seg->state = PAR_SEG_UNWRITTEN;
			q.cell->v[FLOOR] = 0;
			q.cell->v[CUR] = 0;
		}
	return true;
}

/* The places of its images are discarded. */
static bool ev_discard_images(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n * sim->shape->sleepers * sim->shape->blocks), q;
	bool any = false;

	if (written(p.row) || p.zone->z.starting || p.row->held ||
	    (p.zone->z.must_store && sim->mutant != DISCARD_BEFORE_STORE))
		return false;
	for (q = place_of(sim, 0); q.cell; q = place_of(sim, q.n + 1))
		if (q.row == p.row) {
			any |= q.cell->v[IMAGE + NOW];
			set_copy(q.cell, IMAGE, 0, 0);
		}
	return any;
}

/* ---- the store (store.c) ---- */

static void publish(struct sim *sim)
{
	unsigned int z;

	for (z = 0; z < sim->shape->zones; z++)
		if (sim->w.taken & 1 << z)
			par_zone_publish(&sim->w.zone[z].z, sim->w.intent);
}

static bool snapshot_gains(const struct sim *sim)
{
	unsigned int z;

	for (z = 0; z < sim->shape->zones; z++)
		if (sim->w.zone[z].z.gains)
			return true;
	return false;
}

/* Steps that take no time, and those that are not due. */
static bool passes(struct sim *sim, const struct par_store_step *step)
{
	if (!(sim->w.parts & BIT(step->part)))
		return true;
	switch (step->what) {
	case PAR_STEP_PUBLISH:
		publish(sim);
		return true;
	case PAR_STEP_NOTE:
		return !sim->w.absent || sim->w.noted;
	case PAR_STEP_FLUSH:
		return step->part == PAR_PART_MAP && !snapshot_gains(sim);
	case PAR_STEP_SNAPSHOT:
	case PAR_STEP_MAP:
	case PAR_STEP_INTENTS:
		return false;
	default:
		return true;	/* not in the model */
	}
}

static void pass_steps(struct sim *sim)
{
	struct world *w = &sim->w;

	while (plan_step(sim)->what != PAR_STEP_END && passes(sim, plan_step(sim)))
		w->at++;
	if (plan_step(sim)->what != PAR_STEP_END)
		return;
	w->parts = 0;
	w->at = 0;
	w->occasion = 0;
	w->taken = 0;
	w->intent = 0;
	w->waiting &= w->wanted;
}

static void begin_plan(struct sim *sim, enum par_store_occasion occasion,
		       unsigned int parts)
{
	if (!parts)
		return;
	sim->w.parts = parts;
	sim->w.occasion = occasion;
	sim->w.at = 0;
	pass_steps(sim);
}

/* Intents that were asked for. */
static bool ev_store(struct sim *sim, unsigned int n)
{
	struct world *w = &sim->w;
	unsigned int z, parts = 0;

	if (!idle(sim) || !w->wanted || (w->absent && !w->noted))
		return false;
	w->intent = w->gear;
	for (z = 0; z < sim->shape->zones; z++) {
		enum par_zone_need need;

		if (!(w->wanted & 1 << z))
			continue;
		need = par_zone_begin(&w->zone[z].z, w->gear);
		if (need != PAR_ZONE_READY) {
			w->taken |= 1 << z;
			parts |= PART_INTENTS;
		}
		if (need == PAR_ZONE_MAP && sim->mutant != INTENT_OVER_INTENT &&
		    (w->zone[z].z.stored || sim->mutant != BLOCK_DOES_NOT_COUNT))
			parts |= PART_MAP;
	}
	w->wanted = 0;
	if (!parts)
		w->waiting = 0;
	begin_plan(sim, PAR_STORE_INTENTS, parts);
	return true;
}

/* A writer approaches the zone. */
static bool ev_ahead(struct sim *sim, unsigned int z)
{
	if (sim->w.wanted & 1 << z)
		return false;
	sim->w.wanted |= 1 << z;
	return true;
}

/* The zones that must be stored, and no intents. */
static bool ev_store_zones(struct sim *sim, unsigned int n)
{
	unsigned int z, parts = 0;

	for (z = 0; idle(sim) && z < sim->shape->zones; z++)
		if (sim->w.zone[z].z.must_store)
			parts = PART_MAP;
	if (parts)
		begin_plan(sim, PAR_STORE_MAP, parts);
	return parts;
}

/* All is quiet and stays so: store what differs and clear all intents. */
static void begin_checkpoint(struct sim *sim)
{
	struct world *w = &sim->w;
	unsigned int z, parts = 0;

	w->gate = true;
	w->intent = 0;
	for (z = 0; z < sim->shape->zones; z++) {
		if (w->zone[z].z.dirty || w->zone[z].z.must_store)
			parts |= PART_MAP;
		if (w->zone[z].byte & PAR_INTENT_GEAR) {
			w->taken |= 1 << z;
			parts |= PART_INTENTS;
		}
	}
	w->checking = parts;
	begin_plan(sim, PAR_STORE_CLEAR, parts);
}

/* A zone has not been used for a while. */
static bool ev_close(struct sim *sim, unsigned int z)
{
	if (sim->w.calm || !par_zone_close(&sim->w.zone[z].z))
		return false;
	sim->w.idle |= 1 << z;
	return true;
}

static bool ev_calm(struct sim *sim, unsigned int n)
{
	if (!sim->w.idle || sim->w.calm ||
	    (!quiet(sim) && sim->mutant != INTENT_CLEARED_WITH_WRITES))
		return false;
	sim->w.calm = true;
	return true;
}

static bool ev_tidy(struct sim *sim, unsigned int n)
{
	struct world *w = &sim->w;
	unsigned int z, parts = 0;

	if (!idle(sim) || !w->calm)
		return false;
	for (z = 0; z < sim->shape->zones; z++)
		if (w->idle & 1 << z &&
		    w->zone[z].z.intent == PAR_INTENT_CHANGING) {
			w->taken |= 1 << z;
			parts = PART_MAP | PART_INTENTS;
		}
	w->intent = 0;
	w->idle = 0;
	w->calm = false;
	begin_plan(sim, PAR_STORE_CLEAR, parts);
	return true;
}

static void snapshot(struct sim *sim)
{
	struct place p;
	unsigned int n;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		p.seg->snap = p.seg->state;
	for (n = 0; n < sim->shape->zones; n++)
		par_zone_snapshot(&sim->w.zone[n].z);
}

static void map_stable(struct sim *sim)
{
	struct place p;
	unsigned int n;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		p.seg->stored = p.seg->snap;
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		p.seg->snap = 0;
	for (n = 0; n < sim->shape->zones; n++)
		par_zone_stored(&sim->w.zone[n].z);
}

static void set_bytes(struct sim *sim)
{
	struct world *w = &sim->w;
	bool incomplete = w->absent && sim->mutant != MISSED_NOT_MARKED;
	unsigned int z;

	for (z = 0; z < sim->shape->zones; z++)
		if (w->taken & 1 << z)
			w->zone[z].byte = par_intent_set(w->zone[z].byte,
							 &w->zone[z].z,
							 w->intent, incomplete);
}

static void bytes_stable(struct sim *sim)
{
	unsigned int z;

	for (z = 0; z < sim->shape->zones; z++)
		sim->w.zone[z].stored_byte = sim->w.zone[z].byte;
}

/* A member has been lost: mark the zones in which it may lack writes. */
static void note_missed(struct sim *sim)
{
	unsigned int z;

	for (z = 0; z < sim->shape->zones; z++) {
		struct sim_zone *zone = &sim->w.zone[z];
		struct par_zone z = zone->z;

		if (sim->mutant == COPIES_NOT_NOTED)
			z.must_store = 0;
		if (par_zone_misses(&z, zone->byte) && sim->mutant != MISSED_NOT_NOTED)
			zone->byte |= PAR_INTENT_MISSED;
	}
	sim->w.noting = true;
}

static bool ev_note(struct sim *sim, unsigned int n)
{
	if (!idle(sim) || !sim->w.absent || sim->w.noted)
		return false;
	note_missed(sim);
	return true;
}

static bool ev_noted(struct sim *sim, unsigned int n)
{
	if (!sim->w.noting)
		return false;
	bytes_stable(sim);
	sim->w.noting = false;
	sim->w.noted = true;
	return true;
}

static bool ev_step(struct sim *sim, unsigned int n)
{
	struct world *w = &sim->w;

	if (!w->parts || w->noting)
		return false;
	switch (plan_step(sim)->what) {
	case PAR_STEP_SNAPSHOT:
		snapshot(sim);
		break;
	case PAR_STEP_FLUSH:
		flush_all(sim);
		break;
	case PAR_STEP_NOTE:
		note_missed(sim);
		break;
	case PAR_STEP_MAP:
		if (w->sent)
			map_stable(sim);
		w->sent = !w->sent;
		break;
	case PAR_STEP_INTENTS:
		if (w->sent)
			bytes_stable(sim);
		else
			set_bytes(sim);
		w->sent = !w->sent;
		break;
	default:
		break;
	}
	if (!w->sent) {
		w->at++;
		pass_steps(sim);
	}
	return true;
}

/* ---- shifting and copying (shift.c, propagate.c) ---- */

static bool ev_copy(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n * sim->shape->blocks);
	bool home = p.seg->state == PAR_SEG_IMAGE;
	unsigned int b, from = home ? IMAGE : HOME, to = home ? HOME : IMAGE;

	if (par_seg_step(p.seg->state, PAR_EV_PROPAGATE).action == PAR_ACT_NONE ||
	    !awake(sim->w.gear, p.s) || p.seg->locked || sim->w.absent)
		return false;
	/*
	 * To images only on the way down, when writes are counted, and by the thread that mends. On
	 * the way down another thread copies home what a write needs there: see par_salvage().
	 */
	if (home ? sim->w.down && sim->w.gate :
	    !sim->w.down || sim->w.mending || awake(sim->w.down, p.s))
		return false;
	for (b = 0; b < sim->shape->blocks; b++)
		if (flying(&p.seg->cell[b]))
			return false;
	p.seg->locked = true;
	for (b = 0; b < sim->shape->blocks; b++)
		if (p.seg->cell[b].v[from + NOW])
			launch(&p.seg->cell[b], to, p.seg->cell[b].v[from + NOW]);
		else
			set_copy(&p.seg->cell[b], to, 0, 0);
	return true;
}

static bool ev_copied(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n * sim->shape->blocks);
	unsigned int b;

	if (!p.seg->locked)
		return false;
	for (b = 0; b < sim->shape->blocks; b++)
		if (flying(&p.seg->cell[b]))
			return false;
	change_state(&p, p.seg, par_seg_step(p.seg->state, PAR_EV_PROPAGATE).next);
	p.seg->locked = false;
	return true;
}

static bool any_locked(struct sim *sim)
{
	struct place p;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		if (p.seg->locked)
			return true;
	return false;
}

static bool ev_up(struct sim *sim, unsigned int n)
{
	unsigned int gear = n + 1;

	if (!idle(sim) || sim->w.gate || sim->w.down || any_locked(sim) ||
	    gear <= sim->w.gear)
		return false;
	sim->w.gear = gear;
	return true;
}

static bool ev_down(struct sim *sim, unsigned int n)
{
	unsigned int gear = n + 1;

	if (sim->w.gate || sim->w.down || sim->w.absent || gear >= sim->w.gear ||
	    any_locked(sim) || !quiet(sim))
		return false;
	sim->w.down = gear;
	return true;
}

static bool home_only(struct sim *sim)
{
	struct place p;

	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		if (p.seg->state == PAR_SEG_HOME && !awake(sim->w.down, p.s))
			return true;
	return false;
}

/* Everything is quiet behind the gate. */
static bool ev_checkpoint(struct sim *sim, unsigned int n)
{
	if (!idle(sim) || sim->w.gate || sim->w.mending || !quiet(sim) ||
	    (sim->w.absent && !sim->w.noted))
		return false;
	if (sim->w.down && (home_only(sim) || any_locked(sim)))
		return false;
	if (sim->mutant != SHIFT_WITHOUT_CHECKPOINT)
		begin_checkpoint(sim);
	sim->w.gate = true;
	return true;
}

/*
 * The gear changes, and the gate is opened; or the array was stopped and is started again.
 * Intents that were asked for in between are set now.
 */
static bool ev_open(struct sim *sim, unsigned int n)
{
	if (!idle(sim) || !sim->w.gate || sim->w.mending)
		return false;
	if (sim->w.down)
		sim->w.gear = sim->w.down;
	sim->w.down = 0;
	sim->w.gate = false;
	return true;
}

static bool ev_give_up(struct sim *sim, unsigned int n)
{
	if (!idle(sim) || !sim->w.down || sim->w.mending || any_locked(sim))
		return false;
	sim->w.down = 0;
	sim->w.gate = false;
	return true;
}

/* ---- images that are given up (mend.c) ---- */

/* The gear set is quiet, but the home set is not: writes and stores go on, and salvages. */
static bool ev_mend(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n * sim->shape->blocks);
	unsigned int b;

	if (sim->w.mending || sim->w.gate || !sim->w.down || sim->w.absent ||
	    p.seg->locked || p.seg->state != PAR_SEG_BOTH || !awake(sim->w.gear, p.s))
		return false;
	for (b = 0; b < sim->shape->blocks; b++)
		if (p.seg->cell[b].v[IMAGE + FLY])
			return false;
	if (!par_zone_may_drop(&p.zone->z) && sim->mutant != GIVEN_UP_UNSTORED)
		return false;
	sim->w.mending = n + 1;
	sim->w.mend_stored = false;
	change_state(&p, p.seg, PAR_SEG_HOME);
	return true;
}

/* The map is stored, without intents. */
static bool ev_mend_store(struct sim *sim, unsigned int n)
{
	if (!idle(sim) || !sim->w.mending || sim->w.mend_stored)
		return false;
	sim->w.mend_stored = true;
	if (sim->mutant != GIVEN_UP_NOT_STORED)
		begin_plan(sim, PAR_STORE_MAP, PART_MAP);
	return true;
}

/* The map is stored, and the image is overwritten. */
static bool ev_mended(struct sim *sim, unsigned int n)
{
	struct place p;
	unsigned int b;

	if (!idle(sim) || !sim->w.mend_stored)
		return false;
	p = place_of(sim, (sim->w.mending - 1) * sim->shape->blocks);
	for (b = 0; b < sim->shape->blocks; b++)
		set_copy(&p.seg->cell[b], IMAGE, 0, 0);
	sim->w.mend_stored = false;
	sim->w.mending = 0;
	return true;
}

/* ---- members that are removed and added ---- */

/*
 * The content of an absent member is computed from parity: it is what the member held, and
 * as stable. A cleared row is as it was before.
 */
static void stand_in(struct sim *sim, const struct place *p)
{
	const struct crash now = { };
	enum par_seg_state state = p->seg->state ?: zone_crash_state(sim, p, &now);
	u8 *v = p->cell->v;

	v[LEFT] = v[HOME + NOW];
	v[LEFT_LOW] = v[HOME + LOW];
	if (state == PAR_SEG_IMAGE)
		set_copy(p->cell, HOME, v[IMAGE + NOW], v[IMAGE + LOW]);
	else if (state == PAR_SEG_BOTH)
		v[HOME + LOW] = max(v[HOME + LOW], v[IMAGE + LOW]);
}

static bool ev_fail(struct sim *sim, unsigned int s)
{
	struct place p;

	if (sim->w.absent || sim->w.down ||
	    sim->w.gate || any_locked(sim))
		return false;
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		if (flying(p.cell) || p.row->phase == FILL)
			return false;
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		if (p.s == s)
			stand_in(sim, &p);
	sim->w.absent = 1 << s;
	return true;
}

/*
 * The member has returned and been rebuilt: from parity in marked zones, and not at all
 * elsewhere.
 */
static bool ev_rejoin(struct sim *sim, unsigned int n)
{
	struct place p;

	if (!idle(sim) || !sim->w.absent || !sim->w.noted || !quiet(sim) || sim->w.back)
		return false;
	flush_all(sim);
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1)) {
		u8 *v = p.cell->v;

		if (!(sim->w.absent & 1 << p.s))
			continue;
		if (!(p.zone->byte & PAR_INTENT_MISSED) ||
		    p.seg->state == PAR_SEG_IMAGE)
			set_copy(p.cell, HOME, v[LEFT_LOW], v[LEFT_LOW]);
		v[LEFT] = 0;
		v[LEFT_LOW] = 0;
	}
	for (n = 0; n < sim->shape->zones; n++) {
		sim->w.zone[n].byte &= ~PAR_INTENT_MISSED;
		sim->w.zone[n].stored_byte &= ~PAR_INTENT_MISSED;
	}
	sim->w.absent = 0;
	sim->w.noted = false;
	return true;
}

/* A new disk takes the place of the absent member. */
static bool ev_replace(struct sim *sim, unsigned int n)
{
	struct place p;

	if (!idle(sim) || !sim->w.absent || !sim->w.noted || sim->w.back ||
	    sim->w.gear != sim->shape->gears)
		return false;
	/* What is under way goes to parity only. */
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		if (flying(p.cell))
			return false;
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1)) {
		p.cell->v[LEFT] = 0;
		p.cell->v[LEFT_LOW] = 0;
	}
	sim->w.back = true;
	return true;
}

/* Rows without content are skipped (resync.c). */
static bool is_skipped(const struct sim *sim, const struct place *p)
{
	return !written(p->row) && (par_zone_skips(&p->zone->z) || sim->mutant == ALL_SKIPPED);
}

/* A segment that is not being written is computed, or copied from its image, without an intent. */
static bool ev_rebuild(struct sim *sim, unsigned int n)
{
	struct place p = place_of(sim, n * sim->shape->blocks);
	unsigned int b;

	if (!sim->w.back || !(sim->w.absent & 1 << p.s) || p.seg->rebuilt || is_skipped(sim, &p))
		return false;
	for (b = 0; b < sim->shape->blocks; b++)
		if (flying(&p.seg->cell[b]))
			return false;
	p.seg->rebuilt = true;
	for (b = 0; b < sim->shape->blocks; b++) {
		u8 *v = p.seg->cell[b].v;

		v[LEFT] = v[HOME + NOW];
		v[LEFT_LOW] = min(v[LEFT_LOW], v[LEFT]);
	}
	return true;
}

/* The superblock says that the member is rebuilt as far as it is. */
static bool ev_vouch(struct sim *sim, unsigned int n)
{
	struct place p;
	bool any = false;

	if (!sim->w.back || !idle(sim))
		return false;
	if (sim->mutant != VOUCHED_UNFLUSHED)
		flush_all(sim);
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1)) {
		if (!(sim->w.absent & 1 << p.s) || p.seg->vouched ||
		    (!is_skipped(sim, &p) && !p.seg->rebuilt))
			continue;
		p.seg->vouched = true;
		any = true;
	}
	return any;
}

/* It is rebuilt, and whole again. */
static bool ev_whole(struct sim *sim, unsigned int n)
{
	struct place p;

	if (!sim->w.back || !idle(sim) || !quiet(sim))
		return false;
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		if (sim->w.absent & 1 << p.s && !p.seg->vouched)
			return false;
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1)) {
		u8 *v = p.cell->v;

		if (sim->w.absent & 1 << p.s)
			set_copy(p.cell, HOME, v[LEFT], min(v[LEFT_LOW], v[HOME + LOW]));
		v[LEFT] = 0;
		v[LEFT_LOW] = 0;
		p.seg->rebuilt = false;
		p.seg->vouched = false;
	}
	for (n = 0; n < sim->shape->zones; n++) {
		sim->w.zone[n].byte &= ~PAR_INTENT_MISSED;
		sim->w.zone[n].stored_byte &= ~PAR_INTENT_MISSED;
	}
	sim->w.absent = 0;
	sim->w.noted = false;
	sim->w.back = false;
	return true;
}

/* ---- power failures ---- */

/* @n: the content that is left, combined with the completed part of a write under way. */
static bool ev_crash(struct sim *sim, unsigned int n)
{
	struct crash c = { };

	if (n & 1) {
		c.map = storing_map(sim);
		c.intents = storing_intents(sim);
		if (!c.map && !c.intents)
			return false;
	}
	zone_crash(sim, &c, n / 2);
	return true;
}

/* All of the sets' parity has been resynced. */
static bool ev_resynced(struct sim *sim, unsigned int n)
{
	if (!idle(sim) || !quiet(sim) || sim->w.absent)
		return false;
	flush_all(sim);
	for (n = 0; n < sim->shape->zones; n++) {
		sim->w.zone[n].torn = false;
		sim->w.zone[n].byte &= ~PAR_INTENT_RESYNC;
		sim->w.zone[n].stored_byte = sim->w.zone[n].byte;
	}
	return true;
}

/* ---- events ---- */

const struct zone_event zone_events[] = {
	{ "write", ev_write, PER_BLOCK, ALWAYS, 1, true },
	{ "write row", ev_write_row, PER_ROW, ALWAYS, 2, true },
	{ "route again", ev_route, PER_BLOCK, ALWAYS, 1 },
	{ "fill", ev_fill, PER_ROW, FILLS, 1 },
	{ "filled", ev_filled, PER_ROW, FILLS, 1 },
	{ "complete", ev_complete, PER_BLOCK, ALWAYS, 1 },
	{ "flush", ev_flush, ONCE, FLUSHES, 4 },
	{ "clear", ev_clear, PER_ROW, DISCARDS, 8, true },
	{ "discard images", ev_discard_images, PER_ROW, DISCARDS, 1 },
	{ "store intents", ev_store, ONCE, ALWAYS, 1 },
	{ "want ahead", ev_ahead, PER_ZONE, AHEAD, 16, true },
	{ "store zones", ev_store_zones, ONCE, ALWAYS, 2 },
	{ "close", ev_close, PER_ZONE, TIDYING, 8 },
	{ "calm", ev_calm, ONCE, TIDYING, 1 },
	{ "tidy", ev_tidy, ONCE, TIDYING, 1 },
	{ "note missed", ev_note, ONCE, FAILURES, 1 },
	{ "noted", ev_noted, ONCE, FAILURES, 1 },
	{ "step", ev_step, ONCE, ALWAYS, 1 },
	{ "copy", ev_copy, PER_SEG, ALWAYS, 2 },
	{ "copied", ev_copied, PER_SEG, ALWAYS, 1 },
	{ "up", ev_up, PER_GEAR, SHIFTS, 4 },
	{ "down", ev_down, PER_GEAR, SHIFTS, 1 },
	{ "checkpoint", ev_checkpoint, ONCE, ALWAYS, 4 },
	{ "open", ev_open, ONCE, ALWAYS, 1 },
	{ "give up", ev_give_up, ONCE, SHIFTS, 16 },
	{ "mend", ev_mend, PER_SEG, SHIFTS, 1 },
	{ "store the mend", ev_mend_store, ONCE, SHIFTS, 1 },
	{ "mended", ev_mended, ONCE, SHIFTS, 1 },
	{ "fail", ev_fail, PER_SLEEPER, FAILURES, 16 },
	{ "rejoin", ev_rejoin, ONCE, FAILURES, 16 },
	{ "replace", ev_replace, ONCE, REBUILDS, 8 },
	{ "rebuild", ev_rebuild, PER_SEG, REBUILDS, 1 },
	{ "vouch", ev_vouch, ONCE, REBUILDS, 2 },
	{ "whole", ev_whole, ONCE, REBUILDS, 1 },
	{ "crash", ev_crash, PER_CRASH, CRASHES, 64 },
	{ "resynced", ev_resynced, ONCE, CRASHES, 4 },
};

const unsigned int zone_event_count = ARRAY_SIZE(zone_events);

unsigned int zone_places(const struct shape *shape, enum scope scope)
{
	unsigned int rows = shape->zones * shape->rows;

	switch (scope) {
	case PER_ZONE:
		return shape->zones;
	case PER_ROW:
		return rows;
	case PER_SEG:
		return rows * shape->sleepers;
	case PER_BLOCK:
		return blocks_of(shape);
	case PER_GEAR:
		return shape->gears;
	case PER_SLEEPER:
		return shape->sleepers;
	case PER_CRASH:
		return 6;
	default:
		return 1;
	}
}

bool zone_happen(struct sim *sim, unsigned int event, unsigned int n)
{
	struct place p;

	if (!zone_events[event].apply(sim, n))
		return false;
	sim->trace[sim->steps++ % TRACE] = event << 8 | n;
	for (p = place_of(sim, 0); p.cell; p = place_of(sim, p.n + 1))
		renumber(p.cell);
	sim->wrong = zone_judge(sim);
	if (!sim->wrong && sim->w.checking && idle(sim))
		sim->wrong = zone_judge_checkpoint(sim);
	sim->w.checking &= !idle(sim);
	return true;
}

void zone_begin(struct sim *sim, const struct shape *shape, enum mutant mutant)
{
	memset(sim, 0, sizeof(*sim));
	sim->shape = shape;
	sim->mutant = mutant;
	sim->w.gear = shape->gears;
	zone_make_plans(sim);
}
