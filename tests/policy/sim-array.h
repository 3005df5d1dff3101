/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A par array without a kernel: which disks a request keeps busy in the gear it comes
 * in, what is owed to images and sleepers, shifts, and the policy that asks for them.
 * Where everything lies is the module's own geometry.c, what is decided its policy.c.
 *
 * What it leaves out: the stripe cache (writes that meet there), metadata but for intents (sim-intents.h), and
 * errors. All rows are taken as written.
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

#define ARRAY_MOST_SHIFTS	100000U

/* struct shift - one that happened; @asked: when the policy did */
struct shift {
	u64 asked, done;
	unsigned int from, to;
	enum par_reason why;
	char words[256];
};

/* struct owed - segments of sleepers of which one copy is stale */
struct owed {
	u64 *list;
	size_t count, room;
};

/* struct copy - a segment of member @d that is to be copied; those of lower @rank come before */
struct copy {
	unsigned int rank, d;
	u64 segment;
};

/* struct copies - of a pass, in order; @next of them has not been copied yet */
struct copies {
	struct copy *list;
	size_t count, room, next;
};

#define COPY_SECTORS	8192U		/* at a time */

/* struct batch - copies that were read, since @began, from @home copies or images, and are to be written */
struct batch {
	struct copy copy[COPY_SECTORS / PAR_SEG_MIN];
	unsigned int count;
	bool home;
	u64 began;
};

/**
 * struct array - times in ns; it is not to be moved, as its disks point into it
 * @fixed: it never shifts, and never asks
 * @rest_after: a disk without a request for so long stops by itself, 0: none does
 * @ration: and @carry days' shares of it that can be saved up
 * @gear, @target: as in struct par_situation; @asked: when @target was set, and @why
 * @turning: when the last disk that starts does
 * @state: of each segment of each sleeper; @segments of a member. Of most, nothing is ever
 *	known: the pages that are not touched take no memory
 * @owed: by state and member: to be copied once it is time; @owed_home: those that are
 *	not copied by other ways meanwhile
 * @intents: of zones; a RAID-5 has none
 * @copies: of the pass that is under way, @pass; @approach: of a shift down, since @shift_began
 * @outrun_until: none is tried before
 * @copy_next: when @batch has been read, or the next one may be; @copied: bytes in all; @copy_due: when the last batch
 *	ought to be over; @paced_requests: how many requests there were then
 * @rate: of copies; @copies_then: there were some when the interval began, and @copied_before bytes
 * @begun: the interval; the rest of that group is what was counted when it did
 * @load: of all members, in the last interval, of PAR_LOAD_ONE; 0 if that is not known
 * @bytes: that requests were for; @nr_requests: how many
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
	char words[256];
	u8 *state;
	u64 segments;
	struct owed owed[3][PAR_MAX_MEMBERS];
	u64 owed_home[PAR_MAX_MEMBERS];
	struct intents intents;
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

/* array_init - of disks of @sectors, which all turn at time 0; exits if there is no such array */
void array_init(struct array *array, u32 layout, u32 chunk_sectors, u64 sectors, u32 cycles, u32 carry);

/* array_fix - it is in gear @gear, which is not the top one only if nothing has come yet, for ever */
void array_fix(struct array *array, unsigned int gear);

/*
 * array_init_raid5 - md's RAID-5 (or 6) of @members disks, with disks, chunks, parities and capacity as @as;
 * it holds no more than the array that it is compared with, so that all requests fit
 */
void array_init_raid5(struct array *array, const struct array *as, unsigned int members, u64 rest_after);

/* array_free - what it has allocated, but not @array itself */
void array_free(struct array *array);

/* array_request - of @pieces that came as requests; returns when it is done. @now never goes back */
u64 array_request(struct array *array, u64 now, bool write, u64 sector, u64 sectors, unsigned int pieces);

/* array_flush - returns when all that has come is done */
u64 array_flush(struct array *array, u64 now);

/* array_idle - nothing is left to be done then, unless more comes */
u64 array_idle(const struct array *array);

/* array_interval - an interval is over at @now */
void array_interval(struct array *array, u64 now);

/* array_says - what the policy says of the gear at @now, which an interval has just ended at, as a line of @size at most */
void array_says(struct array *array, u64 now, char *words, size_t size);

/* array_forget - what is not done at @now is never done */
void array_forget(struct array *array, u64 now);

/* array_active - ns until @now that arms were at work, of all disks */
u64 array_active(const struct array *array, u64 now);

/* array_joules - until @now, after which nothing has come */
double array_joules(struct array *array, u64 now);

#endif
