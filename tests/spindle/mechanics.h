/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mechanics of a disk: how long the arm takes, when a sector comes round,
 * how fast it passes. Pure functions of numbers, in ns and sectors of 512 bytes.
 *
 * All tracks are seen as one spiral, from the outer edge inwards. A place on it
 * is told in ns of turning from its beginning: so a turn is a track, the rest is
 * the angle, and what lies between two places is read in their difference. The
 * rate is what a disk sustains; the time for changing heads and tracks is in it.
 */
#ifndef SPINDLE_MECHANICS_H
#define SPINDLE_MECHANICS_H

#include <linux/types.h>

#define SPINDLE_MAX_ZONES	64

/* What a data sheet tells. */
struct spindle_mechanics {
	u64 rpm;			/* 0: no mechanics, nothing takes time */
	u64 seek_track_us;		/* to the neighbouring track */
	u64 seek_avg_us;		/* the mean over all pairs of tracks */
	u64 seek_full_us;		/* from the first track to the last */
	u64 outer_kib, inner_kib;	/* KiB/s of the first zone and the last */
	u64 zones;			/* 1 to SPINDLE_MAX_ZONES */
};

struct spindle_zone {
	u64 first;			/* sector */
	u64 track_sectors;
};

/* What follows from it for a disk of a given size. */
struct spindle_model {
	u64 turn_ns;			/* 0: no mechanics */
	u64 sectors;
	u64 tracks;
	u64 nr_zones;
	u64 zone_tracks;		/* of every zone; the last may have more */
	struct spindle_zone zones[SPINDLE_MAX_ZONES];
	u64 seek_track_ns;
	s64 root_ns, linear_ns;		/* see spindle_seek_ns() */
};

/*
 * -EINVAL if no disk is like that: a curve that falls anywhere, rates that grow
 * inwards, too many zones. Then the model is not to be used.
 */
int spindle_model_init(struct spindle_model *model, const struct spindle_mechanics *mechanics,
		       u64 sectors);

/*
 * The arm moves over so many tracks:
 *
 *	track + root * sqrt(u) + linear * u	u = (tracks - 1) / (all tracks - 2)
 *
 * after Lee and Katz (1993); root and linear are chosen such that all three of
 * the data sheet's times are met. The mean of sqrt(u) over all pairs of tracks
 * is 8/15, that of u is 1/3.
 */
u64 spindle_seek_ns(const struct spindle_model *model, u64 tracks);

/* Where a sector begins; where the last one ends, for the disk's size. */
u64 spindle_place(const struct spindle_model *model, u64 sector);

/* The sector that is there, or the one before it; at most the disk's size. */
u64 spindle_sector_at(const struct spindle_model *model, u64 place);

/*
 * The head is at @from at the time @now. How long until @to is under it? Where
 * the platter is at a time: at @phase when the time is 0.
 */
u64 spindle_reach_ns(const struct spindle_model *model, u64 from, u64 now, u64 phase, u64 to);

#endif
