/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mover, and other code that copies, mends and clears: shift.c, propagate.c, mend.c,
 * yield.c, pace.c, fix.c, purge.c, unkept.c, tidy.c, fill.c, zero.c.
 */
#ifndef RAID_PAR_GEAR_H
#define RAID_PAR_GEAR_H

#include "power/power.h"
#include "pure/approach.h"
#include "pure/slot-choice.h"
#include "sets/sets.h"

enum par_shift_state {
	PAR_SHIFT_IDLE,
	PAR_SHIFT_UP,		/* waking members */
	PAR_SHIFT_DOWN,		/* propagating to the images */
	PAR_SHIFT_PROPAGATE,	/* in a gear, propagating to the home copies */
};

/**
 * struct par_fill_band - what a shift down does with a band's slots
 * @wanted, @victims: runs to choose from; @task: the choice, hottest first; @room: for so many
 * @count: of the tasks; @begun: the last one that filling has come to
 * @zero_us: what zeros for a slot have taken lately, 0: not known
 */
struct par_fill_band {
	struct par_slot_run *wanted, *victims;
	struct par_slot_task *task;
	u32 room, count, begun, zero_us;
};

/**
 * struct par_fill - of an array with slots: fill.c
 * @mutex: slots are given, or evicted
 * @band: by number; the mover's
 * @until: s: the end of the time that the present shift down has, to write zeros, then to fill
 * @days: since the system was booted, as far as heat has aged; the monitor's, under its lock
 * @zeroings: incremented when zeros for slots begin and when they end
 */
struct par_fill {
	struct mutex mutex;	/* see above */
	struct par_fill_band band[PAR_MAX_SETS];
	u64 until;
	u32 days, zeroings;
};

/*
 * struct par_pace - @due: jiffies before which no further copy may begin; @began: the start of the
 * last batch; @ios: requests of users until then
 */
struct par_pace {
	unsigned long due, began;
	u64 ios;
};

/* struct par_cursor - how far segments are collected: row @row, of the run of task @at */
struct par_cursor {
	u32 at;
	u64 row;
};

/**
 * struct par_shift - of an array
 * @mover: the thread; it alone writes all fields but @copy_mutex
 * @log_held: by a shift down: par_log_hold()
 * @total, @done: segments to be copied, and already copied; @started: jiffies
 * @propagation_due: copies are missing that could be made
 * @approach: of a shift down under way; @hold_ms: the longest time for which it may
 *	have held a write
 * @ios: requests of users, when it began
 * @failed_gear: the gear that the last failed shift was to reach; @failures: the number of
 *	failed shifts
 * @outrun_until: s: the policy asks for no shift before, see shift_outrun()
 * @took_ms: the duration of the last shift; @count: shifts so far
 * @copy_mutex: protects @copy_pages, which the mover and sync threads use
 */
struct par_shift {
	struct task_struct *mover;
	enum par_shift_state state;
	bool propagation_due, log_held;
	u64 total, done;
	unsigned long started;
	struct par_approach approach;
	unsigned int hold_ms, failed_gear, took_ms;
	u64 ios, failures, outrun_until, count, propagated_bytes;
	struct mutex copy_mutex;	/* see above */
	struct page **copy_pages;
	struct par_fill fill;
};

/* struct par_tidy - @at: the next zone; @share: the number of zones closed at a time */
struct par_tidy {
	u32 at, share;
};

/* ---- shift.c ---- */

/* par_shift_alloc - before the sets run; par_shift_init - start the mover */
int par_shift_alloc(struct par_conf *conf);
int par_shift_init(struct par_conf *conf);

/* par_shift_exit - stop the mover; its present work is abandoned */
void par_shift_exit(struct par_conf *conf);

/* par_shift_free - undo par_shift_alloc(); no request is left that needs a sleeper */
void par_shift_free(struct par_conf *conf);

/* par_propagation_due - copies are missing that could be made; any context */
void par_propagation_due(struct par_conf *conf);

/*
 * par_shift_segments - the largest number of segments that a shift down to gear @gear has
 * to copy
 */
u64 par_shift_segments(struct par_conf *conf, unsigned int gear);

/* ---- yield.c ---- */

/*
 * par_yield_log - from now on, nothing is drained from the log, and small writes go to it: they
 *	leave nothing to be copied. Not if little room is left in it, unless @crowded. Sleeps; false
 *	if the mover is interrupted
 * par_yield_end - as before
 * par_yield_held - a write may have been held for @ns
 * par_yield_copied - the same, by a batch of copies
 * par_yield_disks - the disks are about to be flushed: wait a little, as long as that helps users
 */
bool par_yield_log(struct par_conf *conf, bool crowded);
void par_yield_end(struct par_conf *conf);
void par_yield_held(struct par_conf *conf, u64 ns);
void par_yield_copied(struct par_conf *conf, u64 ns);
void par_yield_disks(struct par_conf *conf);

/* ---- propagate.c ---- */

/*
 * par_propagate - copy the segments in @from (PAR_SEG_HOME or PAR_SEG_IMAGE) of the
 * sleepers imaged in gear set @band, in @set's region, to the other side, according to
 * @pass. The mover only. Returns 0, -EINTR, -EAGAIN if the time of a hold is over,
 * -ETIMEDOUT if that of another pass is over, or the error of a copy.
 */
int par_propagate(struct par_set *set, unsigned int band,
		  enum par_seg_state from, struct par_pass *pass);

/*
 * par_restore_rows - a sleeper is being rebuilt in rows [@row, @end) of @set: copy its
 * segments from their images if these are valid. @which: the members that are rebuilt. A
 * child's sync thread only. Returns the number of rows done, from @row on: 0 if the first
 * cannot be restored in this way.
 */
u64 par_restore_rows(struct par_set *set, u64 row, u64 end, u32 which);

/*
 * par_salvage - @d's segment @row is valid in its image only, and the image does not accept
 * writes: copy the readable part to the home copy, and mark the rest lost. The member is
 * awake. Sleeps; returns 0 or an error.
 */
int par_salvage(struct par_set *set, unsigned int d, u64 row);
int par_propagate_init(struct par_conf *conf);
void par_propagate_exit(struct par_conf *conf);

/* ---- pace.c ---- */

/*
 * par_foreground_ios - requests of users so far
 * par_in_use - has there been one since the present shift, or propagation, began?
 * par_pace_begin - copies begin now
 * par_pace - sleep as required by the speed limits, and by @least, in KiB/s, after another @kib
 *	have been copied. The mover only
 */
u64 par_foreground_ios(struct par_conf *conf);
bool par_in_use(struct par_conf *conf);
void par_pace_begin(struct par_conf *conf, struct par_pace *pace);
void par_pace(struct par_conf *conf, struct par_pace *pace, u64 kib, u32 least);

/* ---- fill.c ---- */

/*
 * par_fill_begin - choose the runs that a shift down to conf->wish.aim fills, evict others for
 * them, and give them slots; nothing without slots. The mover only. Sleeps. Returns 0, -EINTR, or
 * the error of a store.
 * par_fill_next - move @cursor to the next row of @set, from itself on, that has segments of
 * band @band to be filled; false if there is none
 * par_fill_left - segments that are yet to be copied for a shift down to gear @gear: without
 * slots, all that are valid at home only
 * par_fill_owed - segments that a shift down to gear @gear would have to copy, before it is chosen
 *	which: no more than what has been used since the last choice. Any context
 * par_fill_set - store these limits, of which 0 leaves one as it is: see struct par_fill_record.
 *	Returns 0 or an errno
 * par_fill_end - the shift down is over
 * par_fill_cleaned - what was in images only of members that are awake in @gear has come home
 */
int par_fill_begin(struct par_conf *conf);
bool par_fill_next(struct par_set *set, unsigned int band, struct par_cursor *cursor);
u64 par_fill_left(struct par_conf *conf, unsigned int gear);
u64 par_fill_owed(struct par_conf *conf, unsigned int gear);
int par_fill_set(struct par_conf *conf, u64 bytes, u32 seconds);
void par_fill_end(struct par_conf *conf);
void par_fill_cleaned(struct par_conf *conf, unsigned int gear);
int par_fill_alloc(struct par_conf *conf);
void par_fill_free(struct par_conf *conf);

/*
 * par_heat_due - the number of days for which heat is to age now; each day is returned once
 * par_heat_age - let it age by @days. Sleeps, long for a huge array; without locks
 */
u32 par_heat_due(struct par_conf *conf);
void par_heat_age(struct par_conf *conf, u32 days);

/* ---- zero.c ---- */

/*
 * par_zero_slots - write zeros to the closed slots of band @band, whose sleepers are awake, and
 * call @zeroed for each slot that has them; one slot at least, none after second @until, or after
 * an interruption. They take half of the time until then if the array is in use, a minute at most.
 * Nothing is flushed. The mover only, since it alone closes slots. Sleeps. Returns 0, also if some
 * slots are left closed, or an error if the gear set has failed.
 */
int par_zero_slots(struct par_conf *conf, unsigned int band, u64 until,
		   void (*zeroed)(struct par_conf *conf, unsigned int band, u32 slot));

/* par_zero_most - how many slots can be expected to get zeros in @seconds, at least 1 */
u32 par_zero_most(const struct par_conf *conf, unsigned int band, u32 seconds);

/* ---- mend.c ---- */

/*
 * par_mend_image - segment @row of sleeper @d of @set cannot be copied to its image: if too
 * much of the stripe there cannot be read, give up the unreadable part and have parity
 * recomputed. Sleeps; the mover, without locks. Returns 0 if another try is worthwhile,
 * -EINTR if the mover is paused, or another error.
 */
int par_mend_image(struct par_set *set, unsigned int d, u64 row);

/* ---- fix.c ---- */

/*
 * par_fix_over - a sync of the child has ended, completely (@whole) or interrupted; if it
 * was a repair of some rows, that repair is over. par_fix_forget - the next sync is not
 * such a repair.
 */
void par_fix_over(struct par_set *set, bool whole);
void par_fix_forget(struct par_set *set);

/*
 * par_resync_fix - a home copy in rows [@first, @end) cannot be read: have raid5 compute it
 * from the other members and write it. Sleeps until that is done; the mover. Returns 0 if
 * raid5 has tried; -EBUSY if it cannot try now: what cannot be read is not lost then; -EIO
 * if too many members are missing.
 */
int par_resync_fix(struct par_set *set, u64 first, u64 end);

/* ---- purge.c ---- */

/*
 * par_bad_purge - have raid5 forget the blocks that it lists as bad in @set, or in all sets
 * (NULL), after the lost blocks among them have been stored. The sets are quiet. Returns an
 * errno: -EROFS in a read-only array, where it does nothing. Sleeps.
 */
int par_bad_purge(struct par_conf *conf, struct par_set *set);

/* par_purge_drain - wait for the purge work; the sets are quiet */
void par_purge_init(struct par_conf *conf);
void par_purge_drain(struct par_conf *conf);

/* ---- unkept.c ---- */

void par_unkept_init(struct par_conf *conf);

/* ---- tidy.c ---- */

/* par_tidy_drain - wait for the tidy work; the sets are quiet */
void par_tidy_init(struct par_conf *conf);
void par_tidy_drain(struct par_conf *conf);

#endif
