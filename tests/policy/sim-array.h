/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A par array without a kernel: the disks that a request keeps busy in the present gear, segments
 * that images and sleepers lack, shifts, and the policy that asks for them. The layout is
 * computed by the module's own geometry.c, decisions by its policy.c.
 *
 * It leaves out the stripe cache (writes that meet there), metadata except intents
 * (sim-intents.h), and errors. All rows are taken as written. It can have a write log (sim-log.h)
 * and images of a share (sim-slots.h): then all sleepers' data is at home alone in the beginning.
 */
#ifndef TESTS_POLICY_SIM_ARRAY_H
#define TESTS_POLICY_SIM_ARRAY_H

#include "policy/history.h"
#include "policy/policy.h"
#include "policy/predict.h"
#include "pure/approach.h"
#include "pure/ration.h"
#include "sim-disk.h"
#include "sim-intents.h"
#include "sim-log.h"
#include "sim-slots.h"

#define ARRAY_MOST_SHIFTS	100000U

/* struct shift - a completed shift; @asked: when the policy asked for it */
struct shift {
	u64 asked, done;
	unsigned int from, to;
	enum par_reason why;
	char words[256];
};

/* struct owed - segments of sleepers with one stale copy */
struct owed {
	u64 *list;
	size_t count, room;
};

/*
 * struct copy - a segment of member @d that is to be copied; those of lower @rank are copied
 * first
 */
struct copy {
	unsigned int rank, d;
	u64 segment;
};

/* struct copies - of a pass, in order; @next is the first one that has not been copied yet */
struct copies {
	struct copy *list;
	size_t count, room, next;
};

#define COPY_SECTORS	8192U		/* at a time */

/*
 * struct batch - copies that were read, since @began, from @home copies or images, and have to be
 * written
 */
struct batch {
	struct copy copy[COPY_SECTORS / PAR_SEG_MIN];
	unsigned int count;
	bool home;
	u64 began;
};

/**
 * struct array - times in ns; it must not be moved, since its disks point into it
 * @fixed: it never shifts, and never asks for a shift
 * @rest_after: a disk without a request for this time stops by itself, 0: none does
 * @ration: and @carry days' shares of it that can be saved up
 * @gear, @target: as in struct par_situation; @asked: when @target was set, and @why; @woken: not
 *	by the policy
 * @turning: when the last disk that starts will turn
 * @state: of each segment of each sleeper; @segments of a member. Most segments are never used:
 *	the pages that are not touched take no memory
 * @owed: by state and member: to be copied later; @owed_home: those that are not copied by other
 *	means meanwhile
 * @intents: of zones; a RAID-5 has none
 * @slots: NULL: it has images of all data; @log: NULL: it has none; @filling: of the log
 * @moving: requests are the array's own: those of copies are no uses of runs
 * @copies: of the pass that is under way, @pass; @approach: of a shift down, since @shift_began
 * @outrun_until: no shift down is tried before
 * @copy_next: when @batch has been read, or the next one may be; @copied: bytes in all;
 *	@copy_due: when the last batch should be over; @paced_requests: the number of requests at
 *	that time
 * @rate: of copies; @copies_then: there were copies when the interval began, and @copied_before
 *	bytes
 * @begun: start of the interval; the rest of that group are the counts at that time
 * @load: of all members, in the last interval, of PAR_LOAD_ONE; 0 if that is not known
 * @bytes: of all requests; @nr_requests: their number
 */
struct array {
	struct par_geometry geo;
	bool fixed;
	u64 rest_after;
	struct disk_mechanics mechanics;
	struct disk disk[PAR_MAX_MEMBERS];
	struct par_ration ration[PAR_MAX_MEMBERS];
	u32 carry;
	unsigned int gear, target;
	u64 asked, turning;
	enum par_reason why;
	bool woken;
	char words[256];
	u8 *state;
	u64 segments;
	struct owed owed[3][PAR_MAX_MEMBERS];
	u64 owed_home[PAR_MAX_MEMBERS];
	struct intents intents;
	struct sim_slots *slots;
	struct sim_log *log;
	struct par_filling filling;
	bool moving;
	struct copies copies;
	struct batch batch;
	struct par_pass pass;
	struct par_approach approach;
	u64 shift_began, outrun_until;
	u64 copy_next, copied, copy_due, paced_requests;
	struct par_rate rate;
	bool copies_then;
	u64 copied_before;
	struct par_forecast forecast;
	struct par_policy policy;
	struct par_interval intervals[PAR_WINDOW_MAX];
	struct par_sample sample;
	bool copying;
	u32 load;
	u64 begun, busy[PAR_MAX_MEMBERS], requests[PAR_MAX_MEMBERS];
	u64 bytes, nr_requests;
	struct shift *shifts;
	unsigned int nr_shifts;
};

/**
 * struct array_shape - what an array is to be
 * @layout, @chunk_sectors: as in md
 * @sectors: of each disk; @steady: of those that never sleep, if these are larger, or 0
 * @log_sectors: of each disk for a write log, or 0
 * @share: percent of the data that can have images; PAR_SHARE_ALL: all
 * @most_slots: of each band; 0: as many as the share gives
 * @around: that a miss fills as well; @all_uses: see sim-slots.h, too; @written: percent of the data has images in the beginning:
 *	see sim-slots.h
 * @cycles, @carry: of the spin-up budget
 */
struct array_shape {
	u32 layout, chunk_sectors;
	u64 sectors, steady, log_sectors;
	unsigned int share;
	u64 most_slots;
	u32 around;
	bool all_uses;
	unsigned int written;
	u32 cycles, carry;
};

/* array_init_shape - all disks turn at time 0; exits if such an array is impossible */
void array_init_shape(struct array *array, const struct array_shape *shape);

/*
 * array_init - the same without a log, with images of all; with disks of @sectors, which all turn at time 0; exits if such an array is
 * impossible
 */
void array_init(struct array *array, u32 layout, u32 chunk_sectors, u64 sectors, u32 cycles, u32 carry);

/*
 * array_fix - keep it in gear @gear; a gear other than the top one only before the first request
 */
void array_fix(struct array *array, unsigned int gear);

/*
 * array_init_raid5 - md's RAID-5 (or 6) of @members disks, with disks, chunks, parities and
 * capacity as @as; its capacity is that of the array that it is compared with, so that all
 * requests fit
 */
void array_init_raid5(struct array *array, const struct array *as, unsigned int members, u64 rest_after);

/* array_free - free its allocations, but not @array itself */
void array_free(struct array *array);

/* array_request - a request made of @pieces; returns when it is done. @now must not decrease */
u64 array_request(struct array *array, u64 now, bool write, u64 sector, u64 sectors, unsigned int pieces);

/* array_flush - returns when all previous requests are done */
u64 array_flush(struct array *array, u64 now);

/* array_idle - when all work will be done if no request comes */
u64 array_idle(const struct array *array);

/* array_interval - an interval ends at @now */
void array_interval(struct array *array, u64 now);

/* ---- for sim-slots.c, sim-log.c and demand.c ---- */

/*
 * array_place - md raid5's left-symmetric layout: the member that has sector @sector of set @set,
 * the one that has its parity, and the sector there
 */
unsigned int array_place(const struct par_geometry *geo, unsigned int set, u64 sector,
			 unsigned int *parity, u64 *there);

/*
 * array_segment - the state of the segment at @x of sleeper @d: SIM_HOME without a slot
 * array_set_segment - its run has been given a slot, or loses it
 */
enum sim_state array_segment(const struct array *array, unsigned int d, u64 x);
void array_set_segment(struct array *array, unsigned int d, u64 x, enum sim_state state);

/* array_imaged - can sector @sector of the array be written in this gear without a miss? */
bool array_imaged(const struct array *array, u64 sector);

/* array_read_home, array_write_home - past the log; return when they are done */
u64 array_read_home(struct array *array, u64 now, u64 sector, u64 sectors);
u64 array_write_home(struct array *array, u64 now, u64 sector, u64 sectors);

/* array_wake - something other than the policy asks for gear @gear at least */
void array_wake(struct array *array, unsigned int gear, enum par_reason why, u64 now);

/* ---- the interface, again ---- */

/* array_forget - drop the work that is not done at @now */
void array_forget(struct array *array, u64 now);

/* array_active - the sum of the times until @now during which arms were at work, ns */
u64 array_active(const struct array *array, u64 now);

/* array_joules - until @now, which is not before the last request */
double array_joules(struct array *array, u64 now);

#endif
