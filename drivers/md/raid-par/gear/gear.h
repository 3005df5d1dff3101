/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mover, and what it and others copy, mend and clear: shift.c, propagate.c, mend.c,
 * fix.c, purge.c, unkept.c, tidy.c.
 */
#ifndef RAID_PAR_GEAR_H
#define RAID_PAR_GEAR_H

#include "power/power.h"
#include "pure/approach.h"
#include "sets/sets.h"

enum par_shift_state {
	PAR_SHIFT_IDLE,
	PAR_SHIFT_UP,		/* waking members */
	PAR_SHIFT_DOWN,		/* propagating to the images */
	PAR_SHIFT_PROPAGATE,	/* in a gear, propagating to the home copies */
};

/**
 * struct par_shift - of an array
 * @mover: the thread; all but @copy_mutex is written by it alone
 * @total, @done: segments to be and already copied; @started: jiffies
 * @propagation_due: copies are missing that could be made
 * @approach: of a shift down that is under way; @hold_ms: for so long it held writes at most
 * @failed_gear: that a shift has failed to last; @failures: and how many have
 * @outrun_until: s: the policy asks for none before, see shift_outrun()
 * @took_ms: what the last shift took; @count: shifts so far
 * @copy_mutex: @copy_pages: the mover, sync threads
 */
struct par_shift {
	struct task_struct *mover;
	enum par_shift_state state;
	bool propagation_due;
	u64 total, done;
	unsigned long started;
	struct par_approach approach;
	unsigned int hold_ms, failed_gear, took_ms;
	u64 failures, outrun_until, count, propagated_bytes;
	struct mutex copy_mutex;	/* see above */
	struct page **copy_pages;
};

/* struct par_tidy - @at: zone to go on with; @share: how many are closed at a time */
struct par_tidy {
	u32 at, share;
};

/* ---- shift.c ---- */

/* par_shift_alloc - before the sets run; par_shift_init - start the mover */
int par_shift_alloc(struct par_conf *conf);
int par_shift_init(struct par_conf *conf);

/* par_shift_exit - stop the mover; what it was doing is abandoned */
void par_shift_exit(struct par_conf *conf);

/* par_shift_free - undo par_shift_alloc(); no request is left that needs a sleeper */
void par_shift_free(struct par_conf *conf);

/* par_propagation_due - copies are missing that could be made; any context */
void par_propagation_due(struct par_conf *conf);

/* par_shift_segments - how many a shift down to gear @gear has to copy at most */
u64 par_shift_segments(struct par_conf *conf, unsigned int gear);

/* ---- propagate.c ---- */

/*
 * par_propagate - copy the segments in @from (PAR_SEG_HOME or PAR_SEG_IMAGE)
 * of the sleepers imaged in gear set @band, in @set's region, to the other
 * side, as @pass has it. The mover only. Returns 0, -EINTR, -EAGAIN if the time of a
 * hold is over, -ETIMEDOUT if that of another pass is, or the error of a copy.
 */
int par_propagate(struct par_set *set, unsigned int band,
		  enum par_seg_state from, struct par_pass *pass);

/*
 * par_restore_rows - a sleeper is being rebuilt in rows [@row, @end) of @set:
 * copy its segments from their images as far as these are valid. @which: the
 * members that are rebuilt. A child's sync thread only. Returns how many rows
 * are done, from @row on: 0 if the first is not to be had this way.
 */
u64 par_restore_rows(struct par_set *set, u64 row, u64 end, u32 which);

/*
 * par_salvage - @d's segment @row is valid in its image only, and that does not take
 * writes: copy what can be read to the home copy, and have the rest lost. The member is
 * awake. Sleeps; returns 0 or an error.
 */
int par_salvage(struct par_set *set, unsigned int d, u64 row);
int par_propagate_init(struct par_conf *conf);
void par_propagate_exit(struct par_conf *conf);

/* ---- mend.c ---- */

/*
 * par_mend_image - segment @row of sleeper @d of @set cannot be copied to its image:
 * if too much cannot be read of the stripe there, give up what cannot and have parity
 * recomputed. Sleeps; the mover, with nothing locked. Returns 0 if it is worth another
 * try, -EINTR if the mover is to rest, or another error.
 */
int par_mend_image(struct par_set *set, unsigned int d, u64 row);

/* ---- fix.c ---- */

/*
 * par_fix_over - a sync of the child has ended, @whole or broken off; if it was a repair of
 * some rows, that is over. par_fix_forget - the next one is none.
 */
void par_fix_over(struct par_set *set, bool whole);
void par_fix_forget(struct par_set *set);

/*
 * par_resync_fix - a home copy in rows [@first, @end) cannot be read: have raid5
 * make it from the others and write it. Sleeps until that is done, or cannot be now
 * (false); the mover.
 */
bool par_resync_fix(struct par_set *set, u64 first, u64 end);

/* ---- purge.c ---- */

/*
 * par_bad_purge - have raid5 forget what it has called bad in @set, or in all sets (NULL),
 * once what of it is lost has been stored. The sets are quiet. Returns an errno: -EROFS in
 * a read-only array, in which nothing is done. Sleeps.
 */
int par_bad_purge(struct par_conf *conf, struct par_set *set);

/* par_purge_drain - what is done by itself is over; the sets are quiet */
void par_purge_init(struct par_conf *conf);
void par_purge_drain(struct par_conf *conf);

/* ---- unkept.c ---- */

void par_unkept_init(struct par_conf *conf);

/* ---- tidy.c ---- */

/* par_tidy_drain - what it does by itself is over; the sets are quiet */
void par_tidy_init(struct par_conf *conf);
void par_tidy_drain(struct par_conf *conf);

#endif
