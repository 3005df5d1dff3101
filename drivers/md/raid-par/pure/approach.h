/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a shift down ends while the array is being written.
 *
 * Segments that are valid as home copies only are copied to the images in passes. A write
 * in the meantime leaves its segment to the next pass, and each pass is faster than the one
 * before: the rest shrinks as long as the disks copy faster than the array is written. When
 * the rest can be copied in PAR_HOLD_NS, writes are held for that time. If the disks copy
 * no faster, or the time limit that was calculated beforehand is over, the shift down is
 * given up.
 *
 * The time limit: if the first pass, at speed_min, takes T, and all of it has to be copied
 * again in each pass at twice the speed, all passes take T (1 + 1/2 + 1/4 + ...) = 2 T. A
 * segment may have to be copied once for each gear set that images it, or its image.
 *
 * Pure: no locks, no I/O, any context. Times are nanoseconds of the monotonic clock.
 */
#ifndef RAID_PAR_APPROACH_H
#define RAID_PAR_APPROACH_H

#include <linux/types.h>

#define PAR_HOLD_NS	(40 * 1000 * 1000ULL)	/* the longest time of copying with writes held */
#define PAR_BATCH_NS	(200 * 1000 * 1000ULL)	/* the time of a batch, whose segments are locked */

/**
 * struct par_pass - one pass over the segments to be copied
 * @speed: the least speed while the array is used, in KiB/s, if that is more than speed_min
 * @held: writes are held: the pass does not pause
 * @until: the pass ends before that time
 * @batch: segments that are copied at a time, 0: as many as there is room for; if writes are not
 *	held, par_pass_batch()
 * @copied, @ns: segments copied, and the duration of the copying, without pauses
 */
struct par_pass {
	u32 speed;
	bool held;
	u64 until;
	unsigned int batch;
	u64 copied, ns;
};

/**
 * struct par_approach - a shift down
 * @seg_kib: KiB of a segment
 * @deadline: time at which it is given up
 * @began: of the current pass
 * @before: segments that were left when the current pass began
 * @speed: KiB/s, of the current pass; @batch: segments, of its last batch
 * @futile: consecutive passes that did not pause and left nearly as much as there was
 * @failed: holds that had more to copy than the pass before had left; @tried: all holds
 */
struct par_approach {
	u32 seg_kib, speed;
	u64 deadline, began, before;
	unsigned int futile, failed, tried, batch;
};

enum par_approach_step {
	PAR_APPROACH_PASS,	/* one more pass */
	PAR_APPROACH_HOLD,	/* hold writes, and copy the rest */
	PAR_APPROACH_OUTRUN,	/* give up: the array is written faster than it is copied */
};

/*
 * par_approach_limit - seconds within which a shift down that has to copy @segments of
 * @seg_kib KiB ends or gives up; @speed_min: KiB/s
 */
u64 par_approach_limit(u64 segments, u32 seg_kib, u32 speed_min);

/* par_approach_begin - @now, with @segments to be copied; the first pass begins */
void par_approach_begin(struct par_approach *a, u64 segments, u32 seg_kib,
			u32 speed_min, u64 now);

/* par_approach_pass - fill in the pass that begins @now, with @segments left */
void par_approach_pass(struct par_approach *a, u64 segments, u64 now,
		       struct par_pass *pass);

/*
 * par_approach_next - @pass has ended and left @left segments: the next step. If that is a
 * hold, @pass describes it, except for @until.
 */
enum par_approach_step par_approach_next(struct par_approach *a, struct par_pass *pass,
					 u64 left, u64 now);

/* par_approach_failed - a hold was over before all segments were copied */
void par_approach_failed(struct par_approach *a);

/*
 * par_pass_batch - the batch that follows one of @batch segments, which has taken @ns; at most
 * @most. A write to one of these segments waits until all of them are copied.
 */
unsigned int par_pass_batch(unsigned int batch, unsigned int most, u64 ns);

/* par_pass_over - is the pass's time over before another @segments are copied? */
bool par_pass_over(const struct par_pass *pass, unsigned int segments, u64 now);

#endif
