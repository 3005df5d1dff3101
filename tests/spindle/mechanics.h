/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mechanics of a disk: the duration of seeks, the time at which a sector passes the
 * head, and the data rate. Pure functions of numbers, in ns and sectors of 512 bytes.
 *
 * All tracks are regarded as one spiral, from the outer edge inwards. A position on it is
 * given in ns of rotation from its beginning: one turn is a track, the remainder is the
 * angle, and the difference of two positions is the time for reading what lies between
 * them. The rate is the sustained rate of a disk, which includes the time for changing
 * heads and tracks.
 */
#ifndef SPINDLE_MECHANICS_H
#define SPINDLE_MECHANICS_H

#include <linux/types.h>

#define SPINDLE_MAX_ZONES	64

/* The data of a data sheet. */
struct spindle_mechanics {
	u64 rpm;			/* 0: no mechanics, all times are 0 */
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

/* Values derived from it for a disk of a given size. */
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
 * -EINVAL if no disk can have these data: a curve that decreases, rates that increase
 * inwards, too many zones. The model must not be used then.
 */
int spindle_model_init(struct spindle_model *model, const struct spindle_mechanics *mechanics,
		       u64 sectors);

/*
 * The time for a seek over this number of tracks:
 *
 *	track + root * sqrt(u) + linear * u	u = (tracks - 1) / (all tracks - 2)
 *
 * after Lee and Katz (1993); root and linear are chosen such that all three times of the
 * data sheet are met. The mean of sqrt(u) over all pairs of tracks is 8/15, that of u is
 * 1/3.
 */
u64 spindle_seek_ns(const struct spindle_model *model, u64 tracks);

/* The position of a sector; for the disk's size, the end of the last sector. */
u64 spindle_place(const struct spindle_model *model, u64 sector);

/* The sector at a position, or the one before it; at most the disk's size. */
u64 spindle_sector_at(const struct spindle_model *model, u64 place);

/*
 * The head is at @from at the time @now. Returns the time until @to is under it. The
 * platter is at angle @phase at the time 0.
 */
u64 spindle_reach_ns(const struct spindle_model *model, u64 from, u64 now, u64 phase, u64 to);

#endif
