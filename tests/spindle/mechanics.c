// SPDX-License-Identifier: GPL-2.0
/* The mechanics of a disk. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <kunit/visibility.h>

#include "mechanics.h"

#define SECTOR_BYTES	512
#define SHIFT		18		/* of fractions; their roots need twice as much */
#define MAX_TRACKS_SHIFT (64 - 2 * SHIFT)

/* A curve through all three times of the data sheet. */
static int fit_curve(struct spindle_model *model, const struct spindle_mechanics *mechanics)
{
	s64 track = mechanics->seek_track_us * NSEC_PER_USEC;
	s64 average = mechanics->seek_avg_us * NSEC_PER_USEC - track;
	s64 full = mechanics->seek_full_us * NSEC_PER_USEC - track;

	if (average < 0 || full < average)
		return -EINVAL;
	model->seek_track_ns = track;
	model->root_ns = div_s64(5 * (3 * average - full), 3);
	model->linear_ns = full - model->root_ns;
	/* It must not decrease: not at the beginning, and not at the end. */
	if (model->root_ns < 0 || model->root_ns + 2 * model->linear_ns < 0)
		return -EINVAL;
	return 0;
}

static u64 track_sectors(const struct spindle_model *model, u64 kib)
{
	return max(1ULL, mul_u64_u64_div_u64(kib * (1024 / SECTOR_BYTES), model->turn_ns,
					     NSEC_PER_SEC));
}

/* Zones are equally wide, and the rate falls by equal steps. */
static void fill_zones(struct spindle_model *model, const struct spindle_mechanics *mechanics)
{
	u64 outer = track_sectors(model, mechanics->outer_kib);
	u64 inner = track_sectors(model, mechanics->inner_kib);
	u64 steps = max(1ULL, mechanics->zones - 1), sum = 0, first = 0, i;

	model->nr_zones = mechanics->zones;
	for (i = 0; i < model->nr_zones; i++) {
		model->zones[i].track_sectors = outer - div64_u64((outer - inner) * i, steps);
		sum += model->zones[i].track_sectors;
	}
	model->zone_tracks = DIV64_U64_ROUND_UP(model->sectors, sum);
	for (i = 0; i < model->nr_zones; i++) {
		model->zones[i].first = first;
		first += model->zones[i].track_sectors * model->zone_tracks;
	}
}

int spindle_model_init(struct spindle_model *model, const struct spindle_mechanics *mechanics,
		       u64 sectors)
{
	*model = (struct spindle_model){ .sectors = sectors };
	if (!mechanics->rpm)
		return 0;
	if (!mechanics->inner_kib || mechanics->inner_kib > mechanics->outer_kib)
		return -EINVAL;
	if (!mechanics->zones || mechanics->zones > SPINDLE_MAX_ZONES)
		return -EINVAL;
	if (fit_curve(model, mechanics))
		return -EINVAL;
	model->turn_ns = div64_u64(60 * NSEC_PER_SEC, mechanics->rpm);
	fill_zones(model, mechanics);
	model->tracks = div64_u64(spindle_place(model, sectors - 1), model->turn_ns) + 1;
	return model->tracks >> MAX_TRACKS_SHIFT ? -EINVAL : 0;
}
EXPORT_SYMBOL_IF_KUNIT(spindle_model_init);

u64 spindle_seek_ns(const struct spindle_model *model, u64 tracks)
{
	u64 square, root;

	if (!tracks)
		return 0;
	if (tracks == 1)
		return model->seek_track_ns;
	/* The whole disk has tracks 0 to model->tracks - 1. */
	square = div64_u64((tracks - 1) << (2 * SHIFT), model->tracks - 2);
	root = int_sqrt64(square);
	return model->seek_track_ns + ((model->root_ns * (s64)root) >> SHIFT) +
	       ((model->linear_ns * (s64)(square >> SHIFT)) >> SHIFT);
}
EXPORT_SYMBOL_IF_KUNIT(spindle_seek_ns);

/*
 * Both ends of the search are zones; the result is the last zone that begins at or before
 * the sector.
 */
static u64 zone_of_sector(const struct spindle_model *model, u64 sector)
{
	u64 low = 0, high = model->nr_zones - 1;

	while (low < high) {
		u64 middle = (low + high + 1) / 2;

		if (model->zones[middle].first <= sector)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

u64 spindle_place(const struct spindle_model *model, u64 sector)
{
	u64 z = zone_of_sector(model, sector), offset;
	const struct spindle_zone *zone = &model->zones[z];
	u64 track = div64_u64_rem(sector - zone->first, zone->track_sectors, &offset);

	track += z * model->zone_tracks;
	return track * model->turn_ns + div64_u64(offset * model->turn_ns, zone->track_sectors);
}
EXPORT_SYMBOL_IF_KUNIT(spindle_place);

u64 spindle_sector_at(const struct spindle_model *model, u64 place)
{
	u64 angle, track = div64_u64_rem(place, model->turn_ns, &angle), z;
	const struct spindle_zone *zone;

	z = min(div64_u64(track, model->zone_tracks), model->nr_zones - 1);
	zone = &model->zones[z];
	track -= z * model->zone_tracks;
	return min(model->sectors, zone->first + track * zone->track_sectors +
		   div64_u64(angle * zone->track_sectors, model->turn_ns));
}
EXPORT_SYMBOL_IF_KUNIT(spindle_sector_at);

u64 spindle_reach_ns(const struct spindle_model *model, u64 from, u64 now, u64 phase, u64 to)
{
	u64 here = div64_u64(from, model->turn_ns), angle, angle_then, seek;
	u64 there = div64_u64_rem(to, model->turn_ns, &angle);

	seek = spindle_seek_ns(model, here > there ? here - there : there - here);
	div64_u64_rem(now + seek + phase, model->turn_ns, &angle_then);
	if (angle < angle_then)
		angle += model->turn_ns;
	return seek + angle - angle_then;
}
EXPORT_SYMBOL_IF_KUNIT(spindle_reach_ns);
