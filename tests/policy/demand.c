// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "demand.h"

/* Of a run: nothing that is read of it needs a sleeper any more; it was used itself. */
enum { MET = 1, USED = 2 };

void demand_init(struct demand *demand, const struct par_geometry *geo, u32 around,
		 unsigned int written)
{
	u64 run, runs = geo->band[1].runs;

	*demand = (struct demand) { .geo = geo, .around = around };
	demand->used = zeroed(runs, sizeof(*demand->used));
	demand->is = zeroed(runs, sizeof(*demand->is));
	for (run = 0; written && run < runs; run++)
		demand->is[run] = slots_filled(geo, run, written) ? MET : 0;
}

static void add_need(struct demand *demand, u64 from, u64 until)
{
	if (demand->needs == demand->room) {
		demand->room = demand->room ? 2 * demand->room : 4096;
		demand->need = realloc(demand->need, demand->room * sizeof(*demand->need));
		if (!demand->need)
			abort();
	}
	demand->need[demand->needs++] = (struct hindsight_need) { from / 1e9, until / 1e9 };
	demand->first += from == until;
}

static void use_run(struct demand *demand, u64 now, u64 run, bool write, bool sleeper)
{
	u64 first = run - min(run, (u64)demand->around), other;
	u64 last = min(run + demand->around, demand->geo->band[1].runs - 1);

	if (!write && sleeper && !(demand->is[run] & MET))
		add_need(demand, demand->used[run] ? demand->used[run] - 1 : now, now);
	if (write || sleeper)
		demand->is[run] |= MET;
	if (demand->is[run] & USED)
		return;
	demand->is[run] |= USED;
	for (other = first; other <= last; other++)
		if (!demand->used[other])
			demand->used[other] = now + 1;
}

void demand_see(struct demand *demand, u64 now, bool write, u64 sector, u64 sectors)
{
	const struct par_geometry *geo = demand->geo;

	while (sectors) {
		u64 piece = min(sectors, geo->chunk_sectors - sector % geo->chunk_sectors), x;
		unsigned int parity, d = array_place(geo, geo->gears, sector, &parity, &x);
		u64 run = min(par_slot_run(geo, x), geo->band[1].runs - 1);

		use_run(demand, now, run, write, par_is_sleeper(geo, d));
		sector += piece;
		sectors -= piece;
	}
}
