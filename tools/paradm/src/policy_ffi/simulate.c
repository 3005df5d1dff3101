// SPDX-License-Identifier: GPL-2.0
/*
 * An array and its rivals, all without a kernel, for the same requests: what policy-replay has, one
 * request at a time. See tests/policy/sim-array.h for what they are and leave out.
 */
#include <stdlib.h>

#include "sim-array.h"

#define REST	(20 * 60 * NSEC_PER_SEC)

enum { PAR, TOP, RAID, RAID_REST, FEW, FEW_REST, RIVALS };

/* @rivals: of @rival; if it is 1, only PAR; @waited: requests that came while it started disks because of its load */
struct par_simulation {
	struct array *rival[RIVALS];
	unsigned int rivals;
	u32 solid;
	u64 interval_ns, at, low_ns, waited;
};

/* What shows of par outside; @gear: its members; @in_flight: ns that these had a request, in all */
struct par_simulation_view {
	u64 gear, load, in_flight, waited;
};

/* Of all disks together that are counted; @most_starts: of one; @misses: requests that woke a disk for their data. */
struct par_simulated {
	u64 in[DISK_STATES], active, starts, most_starts, shifts, copied, misses;
};

static struct array *zeroed_array(void)
{
	struct array *array = calloc(1, sizeof(*array));

	if (!array)
		abort();
	return array;
}

static struct array *raid(const struct array *as, unsigned int members, u64 rest)
{
	struct array *array = zeroed_array();

	array_init_raid5(array, as, members, rest);
	return array;
}

u64 par_simulation_most_sectors(void);
u64 par_simulation_most_sectors(void)
{
	return DISK_MOST;
}

/* Active, idle, standby, starting; stopping takes what standby does. */
void par_simulation_milliwatts(u32 *watts);
void par_simulation_milliwatts(u32 *watts)
{
	watts[0] = NEARLINE_ACTIVE_MW;
	watts[1] = NEARLINE_IDLE_MW;
	watts[2] = NEARLINE_STANDBY_MW;
	watts[3] = NEARLINE_SPIN_UP_MW;
}

/*
 * @steady, @sleeper: sectors of each disk that never sleeps, and of each other one; @log: of each for a write log, or 0
 * @share: percent of the data that can have images; @few: disks of the plain RAID that is compared, from those of the
 *	lowest gear to all; 0: without the others, and what it takes and tells of them is 0
 * @solid: disks whose energy is not counted, a bit each
 */
struct par_simulation_ask {
	u32 layout, chunk_sectors;
	u64 steady, sleeper, log;
	u32 share, few, solid;
};

static struct array *new_par(const struct par_simulation_ask *ask)
{
	const struct array_shape shape = {
		.layout = ask->layout, .chunk_sectors = ask->chunk_sectors, .sectors = ask->sleeper,
		.steady = ask->steady, .log_sectors = ask->log, .share = ask->share,
		.cycles = PAR_CYCLES_DEFAULT, .carry = PAR_CARRY_DEFAULT,
	};
	struct array *array = zeroed_array();

	array_init_shape(array, &shape);
	return array;
}

/* An array that is possible, on disks of at most par_simulation_most_sectors(): array_init_shape() exits if it is not. */
struct par_simulation *par_simulation_new(const struct par_simulation_ask *ask);
struct par_simulation *par_simulation_new(const struct par_simulation_ask *ask)
{
	struct par_simulation *simulation = calloc(1, sizeof(*simulation));
	struct array *par = new_par(ask);
	struct par_knobs knobs = par->policy.knobs;

	if (!simulation)
		abort();
	knobs.automatic = true;
	par_policy_set(&par->policy, &knobs);
	simulation->interval_ns = knobs.interval * NSEC_PER_MSEC;
	simulation->solid = ask->solid;
	simulation->rival[PAR] = par;
	simulation->rivals = ask->few ? RIVALS : 1;
	if (!ask->few)
		return simulation;
	simulation->rival[TOP] = new_par(ask);
	array_fix(simulation->rival[TOP], par->geo.gears);
	simulation->rival[RAID] = raid(par, par->geo.members, 0);
	simulation->rival[RAID_REST] = raid(par, par->geo.members, REST);
	simulation->rival[FEW] = raid(par, ask->few, 0);
	simulation->rival[FEW_REST] = raid(par, ask->few, REST);
	return simulation;
}

void par_simulation_pass(struct par_simulation *simulation, u64 now);
void par_simulation_pass(struct par_simulation *simulation, u64 now)
{
	struct array *par = simulation->rival[PAR];
	unsigned int i;

	for (; simulation->at + simulation->interval_ns <= now; simulation->at += simulation->interval_ns) {
		if (par->gear < par->geo.gears)
			simulation->low_ns += simulation->interval_ns;
		for (i = 0; i < simulation->rivals; i++)
			array_interval(simulation->rival[i], simulation->at + simulation->interval_ns);
	}
}

/* @took: ns, of each rival */
void par_simulation_request(struct par_simulation *simulation, u64 now, bool write, u64 sector, u64 sectors,
			    unsigned int pieces, u64 *took);
void par_simulation_request(struct par_simulation *simulation, u64 now, bool write, u64 sector, u64 sectors,
			    unsigned int pieces, u64 *took)
{
	const struct array *par = simulation->rival[PAR];
	unsigned int i;

	par_simulation_pass(simulation, now);
	if (par->target > par->gear && (par->why == PAR_WHY_LOAD || par->why == PAR_WHY_WAIT))
		simulation->waited += pieces;
	for (i = 0; i < simulation->rivals; i++)
		took[i] = array_request(simulation->rival[i], now, write, sector, sectors, pieces) - now;
}

void par_simulation_flush(struct par_simulation *simulation, u64 now);
void par_simulation_flush(struct par_simulation *simulation, u64 now)
{
	unsigned int i;

	par_simulation_pass(simulation, now);
	for (i = 0; i < simulation->rivals; i++)
		array_flush(simulation->rival[i], now);
}

/* Until the last interval has ended. */
void par_simulation_see(const struct par_simulation *simulation, struct par_simulation_view *view);
void par_simulation_see(const struct par_simulation *simulation, struct par_simulation_view *view)
{
	const struct array *par = simulation->rival[PAR];
	unsigned int d;

	view->gear = par->geo.set[par->gear].members;
	view->load = par->load;
	view->waited = simulation->waited;
	view->in_flight = 0;
	for (d = 0; d < view->gear; d++)
		view->in_flight += disk_busy(&par->disk[d], simulation->at);
}

/* Numbers of members; returns what is wrong with them, and then nothing has changed. */
const char *par_simulation_limit(struct par_simulation *simulation, u32 min_gear, u32 max_gear);
const char *par_simulation_limit(struct par_simulation *simulation, u32 min_gear, u32 max_gear)
{
	struct array *par = simulation->rival[PAR];
	struct par_knobs knobs = par->policy.knobs;
	const char *error;

	knobs.min_gear = min_gear;
	knobs.max_gear = max_gear;
	error = par_knobs_error(&knobs, &par->geo);
	if (!error)
		par_policy_set(&par->policy, &knobs);
	return error;
}

/* Until now; returns ns below the top gear. */
u64 par_simulation_tell(struct par_simulation *simulation, struct par_simulated *told, u64 *at);
u64 par_simulation_tell(struct par_simulation *simulation, struct par_simulated *told, u64 *at)
{
	unsigned int i, d, state;

	*at = simulation->at;
	for (i = 0; i < simulation->rivals; i++) {
		struct array *array = simulation->rival[i];
		struct par_simulated *is = &told[i];

		memset(is, 0, sizeof(*is));
		/* Disks that rest are brought up to date by that. */
		array_joules(array, *at);
		is->shifts = array->nr_shifts;
		is->copied = array->copied;
		is->misses = array->slots ? array->slots->misses : 0;
		for (d = 0; d < array->geo.members; d++) {
			const struct disk *disk = &array->disk[d];

			if (simulation->solid & 1U << d)
				continue;
			is->active += disk_active(disk, *at);
			for (state = 0; state < DISK_STATES; state++)
				is->in[state] += disk->in[state];
			is->in[disk->state] += *at - min(*at, disk->since);
			is->starts += disk->starts;
			is->most_starts = max(is->most_starts, disk->starts);
		}
	}
	return simulation->low_ns;
}

void par_simulation_free(struct par_simulation *simulation);
void par_simulation_free(struct par_simulation *simulation)
{
	unsigned int i;

	for (i = 0; i < simulation->rivals; i++) {
		array_free(simulation->rival[i]);
		free(simulation->rival[i]);
	}
	free(simulation);
}
