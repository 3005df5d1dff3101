// SPDX-License-Identifier: GPL-2.0
/*
 * An array and its rivals, all without a kernel, for the same requests: what policy-replay has, one
 * request at a time. See tests/policy/sim-array.h for what they are and leave out.
 */
#include <stdlib.h>

#include "sim-array.h"

#define REST	(20 * 60 * NSEC_PER_SEC)

enum { PAR, TOP, RAID, RAID_REST, FEW, FEW_REST, RIVALS };

struct par_simulation {
	struct array *rival[RIVALS];
	u64 interval_ns, at, low_ns;
};

/* Of all disks together; @most_starts: of one. */
struct par_simulated {
	u64 in[DISK_STATES], active, starts, most_starts, shifts, copied;
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

/* An array that is possible, on disks of at most that size: array_init() exits if it is not. */
struct par_simulation *par_simulation_new(u32 layout, u32 chunk_sectors, u64 disk_sectors);
struct par_simulation *par_simulation_new(u32 layout, u32 chunk_sectors, u64 disk_sectors)
{
	struct par_simulation *simulation = calloc(1, sizeof(*simulation));
	struct array *par = zeroed_array(), *top = zeroed_array();
	struct par_knobs knobs;

	if (!simulation)
		abort();
	array_init(par, layout, chunk_sectors, disk_sectors, PAR_CYCLES_DEFAULT, PAR_CARRY_DEFAULT);
	array_init(top, layout, chunk_sectors, disk_sectors, PAR_CYCLES_DEFAULT, PAR_CARRY_DEFAULT);
	array_fix(top, top->geo.gears);
	knobs = par->policy.knobs;
	knobs.automatic = true;
	par_policy_set(&par->policy, &knobs);
	simulation->interval_ns = knobs.interval * NSEC_PER_MSEC;
	simulation->rival[PAR] = par;
	simulation->rival[TOP] = top;
	simulation->rival[RAID] = raid(par, par->geo.members, 0);
	simulation->rival[RAID_REST] = raid(par, par->geo.members, REST);
	simulation->rival[FEW] = raid(par, par->geo.set[1].members, 0);
	simulation->rival[FEW_REST] = raid(par, par->geo.set[1].members, REST);
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
		for (i = 0; i < RIVALS; i++)
			array_interval(simulation->rival[i], simulation->at + simulation->interval_ns);
	}
}

/* @took: ns, of each rival */
void par_simulation_request(struct par_simulation *simulation, u64 now, bool write, u64 sector, u64 sectors,
			    unsigned int pieces, u64 *took);
void par_simulation_request(struct par_simulation *simulation, u64 now, bool write, u64 sector, u64 sectors,
			    unsigned int pieces, u64 *took)
{
	unsigned int i;

	par_simulation_pass(simulation, now);
	for (i = 0; i < RIVALS; i++)
		took[i] = array_request(simulation->rival[i], now, write, sector, sectors, pieces) - now;
}

void par_simulation_flush(struct par_simulation *simulation, u64 now);
void par_simulation_flush(struct par_simulation *simulation, u64 now)
{
	unsigned int i;

	par_simulation_pass(simulation, now);
	for (i = 0; i < RIVALS; i++)
		array_flush(simulation->rival[i], now);
}

/* Until now; returns ns below the top gear. */
u64 par_simulation_tell(struct par_simulation *simulation, struct par_simulated *told, u64 *at);
u64 par_simulation_tell(struct par_simulation *simulation, struct par_simulated *told, u64 *at)
{
	unsigned int i, d, state;

	*at = simulation->at;
	for (i = 0; i < RIVALS; i++) {
		struct array *array = simulation->rival[i];
		struct par_simulated *is = &told[i];

		memset(is, 0, sizeof(*is));
		/* Disks that rest are brought up to date by that. */
		array_joules(array, *at);
		is->active = array_active(array, *at);
		is->shifts = array->nr_shifts;
		is->copied = array->copied;
		for (d = 0; d < array->geo.members; d++) {
			const struct disk *disk = &array->disk[d];

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

	for (i = 0; i < RIVALS; i++) {
		array_free(simulation->rival[i]);
		free(simulation->rival[i]);
	}
	free(simulation);
}
