// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/mman.h>

#include "sim-array.h"

/* KiB/s of copies with and without requests: the defaults of a new array */
#define SPEED_MIN	8192U
#define SPEED_MAX	2097152U
/*
 * The time after a shift down that was given up before the next one, or the multiple of its
 * duration.
 */
#define OUTRUN		(600 * NSEC_PER_SEC)
#define OUTRUN_TIMES	4U
#define EPOCH		1000000U	/* seconds; the time of the ration's clock at time 0 */

enum { BOTH = SIM_BOTH, HOME = SIM_HOME, IMAGE = SIM_IMAGE };

/* ---- the layout ---- */

static bool turns(const struct array *array, unsigned int d)
{
	return par_awake_in(&array->geo, array->gear, d);
}

static u8 *state_of(const struct array *array, unsigned int d, u64 x)
{
	return &array->state[(d - array->geo.set[1].members) * array->segments +
			     (x >> array->geo.seg_shift)];
}

enum sim_state array_segment(const struct array *array, unsigned int d, u64 x)
{
	return array->slots && !slots_has(array, d, x) ? SIM_HOME : *state_of(array, d, x);
}

void array_set_segment(struct array *array, unsigned int d, u64 x, enum sim_state state)
{
	*state_of(array, d, x) = state;
}

static void owe(struct array *array, unsigned int d, u64 x, u8 state)
{
	u8 *now = state_of(array, d, x);
	struct owed *owed = &array->owed[state][d];

	if (array_segment(array, d, x) == state)
		return;
	if (array->slots && state == IMAGE)
		slots_written(array, d, x);
	/* What a shift down copies is chosen then. */
	if (array->slots && state != IMAGE) {
		*now = state;
		return;
	}
	if (*now == HOME)
		array->owed_home[d]--;
	*now = state;
	if (state == HOME)
		array->owed_home[d]++;
	if (state == BOTH)
		return;
	if (owed->count == owed->room) {
		owed->room = owed->room ? 2 * owed->room : 1024;
		owed->list = realloc(owed->list, owed->room * sizeof(*owed->list));
		if (!owed->list)
			abort();
	}
	owed->list[owed->count++] = x >> array->geo.seg_shift;
}

static u64 owed_below(const struct array *array, unsigned int gear)
{
	u64 segments = 0;
	unsigned int d;

	if (array->slots)
		return slots_owed(array, gear);
	for (d = array->geo.set[gear].members; d < array->geo.members; d++)
		segments += array->owed_home[d];
	return segments;
}

unsigned int array_place(const struct par_geometry *geo, unsigned int set, u64 sector,
			 unsigned int *parity, u64 *there)
{
	unsigned int members = geo->set[set].members, data = members - geo->parities;
	u64 chunk = sector / geo->chunk_sectors, stripe = chunk / data;

	*parity = members - 1 - stripe % members;
	*there = par_set_offset(geo, set, stripe * geo->chunk_sectors + sector % geo->chunk_sectors);
	if (!geo->parities)
		return chunk % data;
	return (*parity + geo->parities + chunk % data) % members;
}

/* ---- requests to sets, and to their members ---- */

static u64 write_set(struct array *array, unsigned int set, u64 now, u64 sector, u64 sectors);

/* The disk has stopped by itself after being idle for long enough, and starts. */
static void wake(struct array *array, struct disk *disk, u64 now)
{
	u64 stood;

	disk_rest(disk, now, array->rest_after);
	if (disk->state == DISK_TURNS)
		return;
	stood = disk->state == DISK_STOPS ? disk->since + DISK_SPIN_DOWN : now;
	disk_become(disk, DISK_STARTS, stood);
	disk_become(disk, DISK_TURNS, stood + DISK_SPIN_UP);
	disk->free = stood + DISK_SPIN_UP;
}

static u64 to_disk(struct array *array, unsigned int d, u64 now, u64 x, u64 sectors,
		   enum disk_op op)
{
	u64 at = array->geo.meta_sectors + x;

	if (array->rest_after)
		wake(array, &array->disk[d], now);
	if (array->slots)
		at = slots_sector(&array->geo, x);
	return disk_send(&array->disk[d], now, at, sectors, op);
}

static u64 image_at(const struct array *array, unsigned int d, u64 x)
{
	return array->slots ? slots_image(array, d, x) : par_image_sector(&array->geo, d, x);
}

/* A request needs sleeper @d: returns when its disk turns. */
static u64 miss(struct array *array, unsigned int d, u64 x, u64 now)
{
	slots_miss(array, d, x, now);
	array_wake(array, par_image_set(&array->geo, d) + 1, PAR_WHY_MISSES, now);
	return max(array->turning, now);
}

static u64 read_set(struct array *array, unsigned int set, u64 now, u64 sector, u64 sectors);

static u64 read_member(struct array *array, unsigned int d, u64 now, u64 x, u64 sectors, bool prior)
{
	const struct par_geometry *geo = &array->geo;

	if (par_is_sleeper(geo, d) && array->slots && !array->moving)
		slots_use(array, d, x, now, false, prior);
	else if (array->slots && !array->moving)
		slots_beside(array, x, now);
	if (!par_is_sleeper(geo, d) || (turns(array, d) && *state_of(array, d, x) != IMAGE))
		return to_disk(array, d, now, x, sectors, DISK_READ);
	if (array_segment(array, d, x) == SIM_HOME)
		return to_disk(array, d, miss(array, d, x, now), x, sectors, DISK_READ);
	return read_set(array, par_image_set(geo, d), now, image_at(array, d, x), sectors);
}

static u64 write_member(struct array *array, unsigned int d, u64 now, u64 x, u64 sectors, enum disk_op op)
{
	const struct par_geometry *geo = &array->geo;
	bool whole = sectors >= geo->seg_sectors;

	if (!par_is_sleeper(geo, d))
		return to_disk(array, d, now, x, sectors, op);
	if (array->slots && !array->moving && (op == DISK_REWRITE || !array->log))
		slots_use(array, d, x, now, !array->log, true);
	if (array->slots && !turns(array, d) && array_segment(array, d, x) == SIM_HOME)
		return to_disk(array, d, miss(array, d, x, now), x, sectors, op);
	if (turns(array, d) && (whole || *state_of(array, d, x) != IMAGE)) {
		owe(array, d, x, HOME);
		return to_disk(array, d, now, x, sectors, op);
	}
	owe(array, d, x, IMAGE);
	if (op == DISK_REWRITE)
		now = read_set(array, par_image_set(geo, d), now, image_at(array, d, x), sectors);
	return write_set(array, par_image_set(geo, d), now, image_at(array, d, x), sectors);
}

static u64 read_set(struct array *array, unsigned int set, u64 now, u64 sector, u64 sectors)
{
	const struct par_geometry *geo = &array->geo;
	u64 done = now;

	while (sectors) {
		u64 piece = min(sectors, geo->chunk_sectors - sector % geo->chunk_sectors), x;
		unsigned int parity, d = array_place(geo, set, sector, &parity, &x);

		if (set == geo->gears)
			array->sample.home[d][PAR_READS]++;
		done = max(done, read_member(array, d, now, x, piece, false));
		sector += piece;
		sectors -= piece;
	}
	return done;
}

static u64 write_one(struct array *array, unsigned int set, unsigned int d, u64 now, u64 x, u64 sectors,
		     enum disk_op op)
{
	if (set == array->geo.gears) {
		array->sample.home[d][PAR_READS] += op == DISK_REWRITE;
		array->sample.home[d][PAR_WRITES]++;
	}
	return write_member(array, d, now, x, sectors, op);
}

/*
 * The reads of raid5 before it writes a part of a stripe: the old data and parity, which it then
 * overwrites, or the data that is not written, if that is less. Returns when they are complete.
 */
static u64 read_others(struct array *array, unsigned int set, u64 now, u64 x, u64 sectors, u32 written)
{
	unsigned int d;
	u64 done = now;

	for (d = 0; d < array->geo.set[set].members; d++) {
		if (written & BIT(d))
			continue;
		if (set == array->geo.gears)
			array->sample.home[d][PAR_READS]++;
		done = max(done, read_member(array, d, now, x, sectors, true));
	}
	return done;
}

/*
 * When the zone of a write at @x has an intent, which is requested once raid5 knows what to
 * write.
 */
static u64 admitted(struct array *array, unsigned int set, u64 now, u64 then, u64 x)
{
	const struct par_geometry *geo = &array->geo;

	if (!array->intents.gear)
		return then;
	return intents_admit(&array->intents, geo, array->disk, array->gear, set,
			     (x - par_set_offset(geo, set, 0)) >> geo->seg_shift, now, then);
}

/* A write to one stripe, which has @row sectors of data. */
static u64 write_stripe(struct array *array, unsigned int set, u64 now, u64 sector, u64 sectors, u64 row)
{
	const struct par_geometry *geo = &array->geo;
	unsigned int parity, d, others, p, pieces = 0;
	struct { unsigned int d; u64 x, sectors; } piece[PAR_MAX_MEMBERS], longest = { 0 };
	enum disk_op op = DISK_WRITE;
	bool whole = sectors == row;
	u32 written = 0;
	u64 done;

	for (; sectors; pieces++) {
		u64 most = min(sectors, geo->chunk_sectors - sector % geo->chunk_sectors);

		d = array_place(geo, set, sector, &parity, &piece[pieces].x);
		piece[pieces].d = d;
		piece[pieces].sectors = most;
		if (most > longest.sectors)
			memcpy(&longest, &piece[pieces], sizeof(longest));
		written |= BIT(d);
		sector += most;
		sectors -= most;
	}
	for (p = 0; p < geo->parities; p++)
		written |= BIT((parity + p) % geo->set[set].members);
	others = geo->set[set].members - hweight32(written);
	if (geo->parities && !whole && others < hweight32(written))
		now = read_others(array, set, now, longest.x, longest.sectors, written);
	else if (geo->parities && !whole)
		op = DISK_REWRITE;
	done = now;
	while (pieces--)
		done = max(done, write_one(array, set, piece[pieces].d, now, piece[pieces].x, piece[pieces].sectors, op));
	for (p = 0; p < geo->parities; p++)
		done = max(done, write_one(array, set, (parity + p) % geo->set[set].members, now, longest.x,
					   longest.sectors, op));
	return admitted(array, set, now, done, longest.x);
}

static u64 write_set(struct array *array, unsigned int set, u64 now, u64 sector, u64 sectors)
{
	const struct par_geometry *geo = &array->geo;
	u64 row = (u64)(geo->set[set].members - geo->parities) * geo->chunk_sectors, done = now;

	while (sectors) {
		u64 part = min(sectors, row - sector % row);

		done = max(done, write_stripe(array, set, now, sector, part, row));
		sector += part;
		sectors -= part;
	}
	return done;
}

/* ---- copies ---- */

static void change_gear(struct array *array, u64 now);

/*
 * The state of segments that are to be copied now: before a shift down those that sleepers alone
 * have, otherwise those that images alone have.
 */
static int to_copy(const struct array *array)
{
	if (array->target > array->gear)
		return BOTH;
	return array->target < array->gear ? HOME : IMAGE;
}

/* In the order in which the mover copies: by band, and then row by row. */
static int by_row(const void *one, const void *other)
{
	const struct copy *a = one, *b = other;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	return a->d < b->d ? -1 : a->d > b->d;
}

static void add_copy(struct copies *copies, struct copy copy)
{
	if (copies->count == copies->room) {
		copies->room = copies->room ? 2 * copies->room : 1024;
		copies->list = realloc(copies->list, copies->room * sizeof(*copies->list));
		if (!copies->list)
			abort();
	}
	copies->list[copies->count++] = copy;
}

static void add_to_pass(struct array *array, int state, unsigned int d)
{
	struct owed *owed = &array->owed[state][d];
	unsigned int band = par_image_set(&array->geo, d);
	size_t i;

	for (i = 0; i < owed->count; i++) {
		/* The state may have changed since the segment was noted. */
		if (*state_of(array, d, owed->list[i] << array->geo.seg_shift) != state)
			continue;
		add_copy(&array->copies, (struct copy) {
			state == HOME ? array->geo.gears - band : band, d, owed->list[i] });
	}
	owed->count = 0;
}

/* The segments of a run that the shift down has chosen. */
static void add_run(struct array *array, unsigned int band, u32 task)
{
	const struct par_geometry *geo = &array->geo;
	u64 run = array->slots->band[band].task[task].run, x = run << geo->run_shift;
	u64 end = min((run + 1) << geo->run_shift, par_set_offset(geo, band, 0));
	unsigned int d;

	for (; run != PAR_NO_RUN && x < end; x += geo->seg_sectors)
		for (d = geo->set[band].members; d < geo->set[band + 1].members; d++)
			if (slots_has(array, d, x) && *state_of(array, d, x) == HOME)
				add_copy(&array->copies, (struct copy) {
					(geo->gears - band) * SLOTS_FILL_RUNS + task, d,
					x >> geo->seg_shift });
}

/* The hottest run comes first. */
static void add_chosen(struct array *array)
{
	unsigned int band;
	u32 task;

	for (band = array->target; band < array->gear; band++)
		for (task = 0; task < array->slots->band[band].count; task++)
			add_run(array, band, task);
}

/* Is the time for fills over? Then the rest of the pass is left out. */
static bool late(struct array *array, const struct copy *copy)
{
	unsigned int band = array->geo.gears - copy->rank / SLOTS_FILL_RUNS;

	return slots_late(array, band, copy->rank % SLOTS_FILL_RUNS, array->copy_next);
}

/* Begin a pass over all segments to be copied that are known. */
static void begin_pass(struct array *array, int state)
{
	unsigned int d = array->geo.set[state == HOME ? array->target : 1].members;

	array->copies.count = array->copies.next = 0;
	if (array->slots && state == HOME)
		add_chosen(array);
	for (; !(array->slots && state == HOME) && d < array->geo.set[array->gear].members; d++)
		add_to_pass(array, state, d);
	qsort(array->copies.list, array->copies.count, sizeof(*array->copies.list), by_row);
}

/* The next segment of the pass that still has to be copied, or NULL. */
static const struct copy *next_copy(struct array *array, int state)
{
	struct copies *copies = &array->copies;

	for (; copies->next < copies->count; copies->next++) {
		const struct copy *copy = &copies->list[copies->next];
		bool again = copies->next && !by_row(copy, copy - 1);

		if (array->slots && state == HOME && late(array, copy))
			continue;
		if (!again && *state_of(array, copy->d, copy->segment << array->geo.seg_shift) == state)
			return copy;
	}
	return NULL;
}

/* Adjacent images are one request. */
static u64 send_images(struct array *array, unsigned int set, u64 now, u64 *at, u64 *sectors, bool write)
{
	u64 done = now;

	if (*sectors)
		done = write ? write_set(array, set, now, *at, *sectors) : read_set(array, set, now, *at, *sectors);
	*sectors = 0;
	return done;
}

static u64 copy_images(struct array *array, const struct copy *batch, unsigned int count, u64 now, bool write)
{
	const struct par_geometry *geo = &array->geo;
	u64 done = now, at = 0, sectors = 0;
	unsigned int set = 0, i;

	for (i = 0; i < count; i++) {
		u64 image = image_at(array, batch[i].d, batch[i].segment << geo->seg_shift);

		if (sectors && (image != at + sectors || par_image_set(geo, batch[i].d) != set))
			done = max(done, send_images(array, set, now, &at, &sectors, write));
		set = par_image_set(geo, batch[i].d);
		if (!sectors)
			at = image;
		sectors += geo->seg_sectors;
	}
	return max(done, send_images(array, set, now, &at, &sectors, write));
}

static u64 copy_homes(struct array *array, const struct copy *batch, unsigned int count, u64 now, bool write)
{
	u64 done = now;
	unsigned int i;

	for (i = 0; i < count; i++)
		done = max(done, to_disk(array, batch[i].d, now, batch[i].segment << array->geo.seg_shift,
					 array->geo.seg_sectors, write ? DISK_WRITE : DISK_READ));
	return done;
}

/* Yield to requests as propagate.c does; returns when the next batch may begin. */
static u64 paced(struct array *array, u64 began, u64 done, unsigned int segments)
{
	u64 requests = array->nr_requests, kib = segments * array->geo.seg_sectors / 2;
	u32 limit = requests != array->paced_requests ? max(SPEED_MIN, array->pass.speed) : SPEED_MAX;

	array->paced_requests = requests;
	array->copy_due = max(array->copy_due, began) + kib * NSEC_PER_SEC / limit;
	return max(done, array->copy_due);
}

/*
 * Read one batch; false if the pass is over. Segments that are written meanwhile are owed again.
 */
static bool read_batch(struct array *array, int state)
{
	unsigned int most = COPY_SECTORS / array->geo.seg_sectors;
	struct batch *batch = &array->batch;
	const struct copy *copy;
	unsigned int i;

	for (; batch->count < most && (copy = next_copy(array, state)); array->copies.next++)
		batch->copy[batch->count++] = *copy;
	if (!batch->count)
		return false;
	for (i = 0; i < batch->count; i++)
		owe(array, batch->copy[i].d, batch->copy[i].segment << array->geo.seg_shift, BOTH);
	batch->began = array->copy_next;
	batch->home = state == HOME;
	array->moving = true;
	array->copy_next = batch->home ? copy_homes(array, batch->copy, batch->count, batch->began, false) :
					 copy_images(array, batch->copy, batch->count, batch->began, false);
	array->moving = false;
	return true;
}

/* Write the batch, after it has been read. */
static void write_batch(struct array *array)
{
	struct batch *batch = &array->batch;
	u64 done, read = array->copy_next;

	array->moving = true;
	done = batch->home ? copy_images(array, batch->copy, batch->count, read, true) :
			     copy_homes(array, batch->copy, batch->count, read, true);
	array->moving = false;
	array->copied += batch->count * (array->geo.seg_sectors << 9);
	array->pass.copied += batch->count;
	array->pass.ns += done - batch->began;
	array->copy_next = paced(array, batch->began, done, batch->count);
	batch->count = 0;
}

/* The rest of the pass is left to another one. */
static void end_pass(struct array *array)
{
	struct copies *copies = &array->copies;

	if (array->batch.count)
		write_batch(array);
	for (; copies->next < copies->count; copies->next++) {
		const struct copy *copy = &copies->list[copies->next];
		u64 x = copy->segment << array->geo.seg_shift;
		u8 state = *state_of(array, copy->d, x);

		if (state == BOTH || (array->slots && state == HOME))
			continue;
		/* It is owed again, and is noted as if that were new. */
		*state_of(array, copy->d, x) = BOTH;
		array->owed_home[copy->d] -= state == HOME;
		owe(array, copy->d, x, state);
	}
	copies->count = copies->next = 0;
}

static void give_up(struct array *array, u64 now)
{
	u64 took = now - array->shift_began;

	end_pass(array);
	array->target = array->gear;
	array->outrun_until = now + max(OUTRUN, OUTRUN_TIMES * took);
}

/* The segments that the shift down still has to copy. */
static u64 to_fill(const struct array *array)
{
	return array->slots ? slots_left(array, array->target) : owed_below(array, array->target);
}

/*
 * A pass of a shift down is over: begin another one, copy the rest with writes held, or give up.
 */
static void after_pass(struct array *array)
{
	u64 left = to_fill(array), now = array->copy_next;

	switch (par_approach_next(&array->approach, &array->pass, left, now)) {
	case PAR_APPROACH_PASS:
		par_approach_pass(&array->approach, left, now, &array->pass);
		begin_pass(array, HOME);
		break;
	case PAR_APPROACH_HOLD:
		begin_pass(array, HOME);
		while (read_batch(array, HOME))
			write_batch(array);
		change_gear(array, array->copy_next);
		break;
	case PAR_APPROACH_OUTRUN:
		give_up(array, now);
		break;
	}
}

/* The copies of a shift down begin. */
static void begin_down(struct array *array, u64 now)
{
	u32 kib = array->geo.seg_sectors / 2;
	u64 left;

	if (array->slots)
		slots_choose(array, now);
	left = to_fill(array);
	array->shift_began = now;
	array->copy_next = max(array->copy_next, now);
	par_approach_begin(&array->approach, left * (array->geo.gears - array->target), kib, SPEED_MIN, now);
	par_approach_pass(&array->approach, left, now, &array->pass);
	begin_pass(array, HOME);
}

/* Copy half a batch, or what follows a pass; false if there is nothing to copy. */
static bool copy_on(struct array *array)
{
	int state = to_copy(array);

	if (array->batch.count) {
		write_batch(array);
		return true;
	}
	if (state == BOTH)
		return false;
	if (read_batch(array, state)) {
		array->copying = true;
		return true;
	}
	if (state == HOME) {
		after_pass(array);
		return true;
	}
	begin_pass(array, IMAGE);
	if (!array->copies.count && !array->batch.count)
		slots_cleaned(array);
	return array->copies.count;
}

/* Execute all background work until @now. */
static void go_on(struct array *array, u64 now)
{
	unsigned int d;

	for (d = 0; d < array->geo.members; d++)
		if (array->disk[d].state == DISK_STOPS && array->disk[d].since + DISK_SPIN_DOWN <= now)
			disk_become(&array->disk[d], DISK_STANDS, array->disk[d].since + DISK_SPIN_DOWN);
	if (array->intents.gear)
		intents_tidy(&array->intents, &array->geo, array->disk, array->gear, now);
	if (array->target > array->gear && array->turning <= now)
		change_gear(array, array->turning);
	while (array->copy_next <= now && copy_on(array))
		;
	array->copy_next = max(array->copy_next, now);
	if (array->log)
		log_work(array, now);
}

/* ---- shifts ---- */

static u64 wall(u64 now)
{
	return EPOCH + now / NSEC_PER_SEC;
}

static void change_gear(struct array *array, u64 now)
{
	const struct par_geometry *geo = &array->geo;
	struct shift *shift = &array->shifts[array->nr_shifts++];
	unsigned int d;

	if (array->nr_shifts == ARRAY_MOST_SHIFTS)
		abort();
	*shift = (struct shift) { array->asked, now, array->gear, array->target, array->why, "" };
	memcpy(shift->words, array->words, sizeof(shift->words));
	for (d = 0; d < geo->members; d++) {
		if (array->disk[d].state == DISK_STARTS)
			disk_become(&array->disk[d], DISK_TURNS, now);
		else if (d >= geo->set[array->target].members && array->disk[d].state == DISK_TURNS)
			disk_become(&array->disk[d], DISK_STOPS, now);
	}
	/* As booking.c does, for a shift that others have asked for. */
	if (array->woken)
		par_policy_shifted(&array->policy, array->gear, array->target, PAR_WHY_MANUAL,
				   now / NSEC_PER_SEC, now / NSEC_PER_SEC);
	else
		par_policy_shifted(&array->policy, array->gear, array->target, array->why,
				   array->asked / NSEC_PER_SEC, now / NSEC_PER_SEC);
	array->woken = false;
	array->gear = array->target;
	array->outrun_until = 0;
	memset(&array->pass, 0, sizeof(array->pass));
	array->copy_next = max(array->copy_next, now);
}

/* Disks that are stopping stop first. */
static void start_disks(struct array *array, u64 now)
{
	unsigned int d;

	array->turning = now;
	for (d = 0; d < array->geo.set[array->target].members; d++) {
		struct disk *disk = &array->disk[d];
		u64 ready = disk->state == DISK_STOPS ? disk->since + DISK_SPIN_DOWN : now;

		if (disk->state == DISK_TURNS)
			continue;
		if (disk->state == DISK_STARTS) {
			array->turning = max(array->turning, disk->since + DISK_SPIN_UP);
			continue;
		}
		/* The start has been charged already. */
		disk_become(disk, DISK_STARTS, ready);
		par_ration_tick(&array->ration[d], array->carry, wall(now));
		par_ration_spend(&array->ration[d]);
		array->turning = max(array->turning, ready + DISK_SPIN_UP);
	}
}

void array_wake(struct array *array, unsigned int gear, enum par_reason why, u64 now)
{
	if (array->target >= gear || array->fixed)
		return;
	end_pass(array);
	memset(&array->pass, 0, sizeof(array->pass));
	snprintf(array->words, sizeof(array->words), "not by the policy");
	array->target = gear;
	array->asked = now;
	array->why = why;
	array->woken = true;
	if (gear > array->gear)
		start_disks(array, now);
}

/* Disks that are starting, and are not needed any more, stop as soon as they turn. */
static void let_stop(struct array *array)
{
	unsigned int d;

	for (d = array->geo.set[array->gear].members; d < array->geo.members; d++) {
		if (array->disk[d].state != DISK_STARTS)
			continue;
		disk_become(&array->disk[d], DISK_TURNS, array->turning);
		disk_become(&array->disk[d], DISK_STOPS, array->turning);
	}
}

static void see_ration(struct array *array, u64 now, struct par_situation *is)
{
	unsigned int d;

	for (d = array->geo.set[array->gear].members; d < array->geo.members; d++) {
		struct par_ration *ration = &array->ration[d];

		par_ration_tick(ration, array->carry, wall(now));
		if (is->rationed && par_ration_left(ration) >= is->starts)
			continue;
		is->rationed = true;
		is->starts = par_ration_left(ration);
		is->day = par_ration_day(ration);
		is->share = par_ration_share(ration, wall(now));
	}
}

static void look_around(struct array *array, u64 now, struct par_situation *is)
{
	unsigned int i, d;

	memset(is, 0, sizeof(*is));
	is->now = now / NSEC_PER_SEC;
	is->gear = array->gear;
	is->target = array->target;
	is->why = array->target == array->gear ? PAR_WHY_MANUAL : array->why;
	see_ration(array, now, is);
	is->outrun = (max(array->outrun_until, now) - now) / NSEC_PER_SEC;
	if (array->log) {
		is->fills = par_filling_left(&array->filling, array->log->ring.blocks - array->log->used);
		is->draining = array->gear == array->geo.gears &&
			       array->log->used > array->log->ring.blocks / 4;
	}
	for (i = 1; i < array->gear; i++) {
		for (d = array->geo.set[i].members; d < array->geo.members; d++) {
			par_ration_tick(&array->ration[d], array->carry, wall(now));
			if (array->slots)
				is->gap[i] = max(is->gap[i], par_ration_gap(&array->ration[d]));
			is->refused[i] = max(is->refused[i], par_ration_wait(&array->ration[d], wall(now)));
		}
		is->owed[i] = min_t(u64, U32_MAX, owed_below(array, i) * (array->geo.seg_sectors / 2) / par_rate_kib(&array->rate));
	}
}

static void decide(struct array *array, u64 now)
{
	struct par_decision decision;
	struct par_situation is;

	look_around(array, now, &is);
	decision = par_policy_decide(&array->policy, &is);
	if (decision.gear == array->target)
		return;
	if (array->target > array->gear)
		let_stop(array);
	par_policy_explain(&array->policy, &is, array->words, sizeof(array->words));
	end_pass(array);
	memset(&array->pass, 0, sizeof(array->pass));
	array->target = decision.gear;
	array->asked = now;
	array->why = decision.reason;
	array->woken = false;
	if (array->target > array->gear)
		start_disks(array, now);
	else if (array->target < array->gear)
		begin_down(array, now);
	go_on(array, now);
}

static bool is_copying(const struct array *array)
{
	return array->target < array->gear || array->batch.count || array->copies.next < array->copies.count;
}

/* ---- the interface ---- */

u64 array_read_home(struct array *array, u64 now, u64 sector, u64 sectors)
{
	return read_set(array, array->geo.gears, now, sector, sectors);
}

u64 array_write_home(struct array *array, u64 now, u64 sector, u64 sectors)
{
	return write_set(array, array->geo.gears, now, sector, sectors);
}

bool array_imaged(const struct array *array, u64 sector)
{
	const struct par_geometry *geo = &array->geo;
	unsigned int parity, d, data;
	u64 x;

	if (!array->slots)
		return true;
	data = array_place(geo, geo->gears, sector, &parity, &x);
	for (d = geo->set[array->gear].members; d < geo->members; d++)
		if ((geo->parities || d == data) && array_segment(array, d, x) == SIM_HOME)
			return false;
	return true;
}

u64 array_request(struct array *array, u64 now, bool write, u64 sector, u64 sectors, unsigned int pieces)
{
	u64 done;

	go_on(array, now);
	sector %= array->geo.array_sectors - sectors;
	if (array->log)
		done = write ? log_write(array, now, sector, sectors) :
			       log_read(array, now, sector, sectors);
	else
		done = write ? array_write_home(array, now, sector, sectors) :
			       array_read_home(array, now, sector, sectors);
	array->sample.requests[write] += pieces;
	array->sample.waited_ns[write] += pieces * (done - now);
	array->sample.sectors += sectors;
	array->bytes += sectors << 9;
	array->nr_requests++;
	return done;
}

u64 array_flush(struct array *array, u64 now)
{
	u64 done = now;
	unsigned int d;

	go_on(array, now);
	for (d = 0; d < array->geo.set[array->gear].members; d++)
		done = max(done, disk_flush(&array->disk[d], now));
	array->sample.flushes++;
	array->sample.flush_ns += done - now;
	return done;
}

u64 array_idle(const struct array *array)
{
	u64 idle = 0;
	unsigned int d;

	for (d = 0; d < array->geo.members; d++)
		idle = max(idle, disk_idle(&array->disk[d]));
	return idle;
}

/* As learn_filling() and learn_misses() of monitor.c. */
static void learn(struct array *array, u64 now)
{
	unsigned int band;

	if (array->log) {
		u32 used = log_used(array->log);

		par_filling_see(&array->filling, array->log->used, used, now - array->begun);
		array->log->used = used;
	}
	for (band = 1; array->slots && band < array->geo.gears; band++) {
		u64 lacking = array->slots->lacking[band];

		if (lacking != array->slots->seen[band])
			par_policy_missed(&array->policy, band, now / NSEC_PER_SEC);
		array->slots->seen[band] = lacking;
	}
}

void array_interval(struct array *array, u64 now)
{
	struct par_sample *sample = &array->sample;
	unsigned int gear = array->gear, before, d;
	struct par_interval interval;

	go_on(array, now);
	before = array->gear;
	if (array->copies_then && is_copying(array))
		par_rate_add(&array->rate, array->copied - array->copied_before, now - array->begun);
	array->copies_then = is_copying(array);
	learn(array, now);
	slots_age(array, now);
	sample->ns = now - array->begun;
	sample->shifted = sample->gear != array->gear || gear != array->gear;
	sample->others = array->copying;
	for (d = 0; d < array->geo.members; d++) {
		/* Requests that have been sent ahead of their time do not count until then. */
		u64 busy = max(disk_busy(&array->disk[d], now), array->busy[d]);

		if (turns(array, d)) {
			sample->busy_ns += busy - array->busy[d];
			sample->sent += array->disk[d].requests - array->requests[d];
		}
		array->busy[d] = busy;
		array->requests[d] = array->disk[d].requests;
	}
	if (!array->fixed) {
		array->load = 0;
		if (par_forecast_see(&array->forecast, sample, &interval)) {
			par_policy_see(&array->policy, &interval, sample->gear, now / NSEC_PER_SEC);
			array->load = interval.load[array->geo.gears];
		}
		decide(array, now);
	}
	/* Even a shift that has nothing to copy takes a moment of the next interval. */
	memset(sample, 0, sizeof(*sample));
	sample->gear = before;
	array->copying = is_copying(array);
	array->copied_before = array->copied;
	array->begun = now;
}

void array_forget(struct array *array, u64 now)
{
	unsigned int d;

	for (d = 0; d < array->geo.members; d++)
		disk_forget(&array->disk[d], now);
}

u64 array_active(const struct array *array, u64 now)
{
	u64 active = 0;
	unsigned int d;

	for (d = 0; d < array->geo.members; d++)
		active += disk_active(&array->disk[d], now);
	return active;
}

double array_joules(struct array *array, u64 now)
{
	double joules = 0;
	unsigned int d;

	for (d = 0; array->rest_after && d < array->geo.members; d++)
		disk_rest(&array->disk[d], now, array->rest_after);
	for (d = 0; d < array->geo.members; d++)
		joules += disk_joules(&array->disk[d], now);
	return joules;
}

static size_t state_bytes(const struct array *array)
{
	return (array->geo.members - array->geo.set[1].members) * array->segments;
}

static u8 *unknown_state(const struct array *array)
{
	void *state = mmap(NULL, state_bytes(array), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (state == MAP_FAILED)
		abort();
	return state;
}

static void place(struct par_geometry *geo, const struct array_shape *shape)
{
	const struct par_slot_ask ask = {
		.layout = shape->layout,
		.disks = fls(shape->layout & PAR_LAYOUT_MEMBERS),
		.chunk = shape->chunk_sectors,
		.steady = max(shape->steady, shape->sectors),
		.sleeper = shape->sectors,
		.log = shape->log_sectors,
		.share = shape->share,
	};
	enum par_slot_error error;
	enum par_geo_error why;
	unsigned int i;

	error = par_slot_place_init(geo, &ask, &why);
	if (error) {
		fprintf(stderr, "policy-replay: %s\n", par_slot_strerror(error, why));
		exit(2);
	}
	for (i = 1; shape->most_slots && i < geo->gears; i++)
		geo->band[i].slots = min(geo->band[i].slots, shape->most_slots);
}

void array_init_shape(struct array *array, const struct array_shape *shape)
{
	struct par_geometry *geo = &array->geo;
	u64 sectors = shape->sectors;
	u32 cycles = shape->cycles, carry = shape->carry;
	unsigned int d;

	place(geo, shape);
	disk_mechanics_init(&array->mechanics, max(shape->steady, sectors));
	array->carry = carry;
	for (d = 0; d < geo->members; d++) {
		array->disk[d].mechanics = &array->mechanics;
		par_ration_begin(&array->ration[d], wall(0));
		if (carry > PAR_CARRY_MAX || !par_ration_set(&array->ration[d], cycles, PAR_YEARS_DEFAULT, carry)) {
			fprintf(stderr, "policy-replay: no such ration\n");
			exit(2);
		}
	}
	array->segments = (sectors >> geo->seg_shift) + 1;
	array->state = unknown_state(array);
	intents_init(&array->intents, geo);
	array->slots = slots_new(geo);
	if (array->slots) {
		array->slots->around = shape->around;
		array->slots->all_uses = shape->all_uses;
	}
	array->log = log_new(geo);
	array->shifts = zeroed(ARRAY_MOST_SHIFTS, sizeof(*array->shifts));
	array->gear = geo->gears;
	array->target = geo->gears;
	slots_fill(array, shape->written);
	par_forecast_init(&array->forecast, geo);
	par_policy_init(&array->policy, geo, array->intervals, 0);
	array->sample.gear = array->gear;
}

void array_init(struct array *array, u32 layout, u32 chunk_sectors, u64 sectors, u32 cycles, u32 carry)
{
	const struct array_shape shape = {
		.layout = layout, .chunk_sectors = chunk_sectors, .sectors = sectors,
		.share = PAR_SHARE_ALL, .cycles = cycles, .carry = carry,
	};

	array_init_shape(array, &shape);
}

void array_init_raid5(struct array *array, const struct array *as, unsigned int members, u64 rest_after)
{
	struct par_geometry *geo = &array->geo;
	unsigned int d;

	*geo = as->geo;
	geo->members = members;
	geo->gears = 1;
	geo->set[1] = (struct par_set_geometry) { .members = members, .start = geo->meta_sectors };
	array->mechanics = as->mechanics;
	for (d = 0; d < members; d++)
		array->disk[d].mechanics = &array->mechanics;
	array->rest_after = rest_after;
	array->fixed = true;
	array->gear = 1;
	array->target = 1;
	array->sample.gear = 1;
}

void array_free(struct array *array)
{
	unsigned int state, d;

	for (state = 0; state < ARRAY_SIZE(array->owed); state++)
		for (d = 0; d < PAR_MAX_MEMBERS; d++)
			free(array->owed[state][d].list);
	free(array->copies.list);
	intents_free(&array->intents);
	slots_free(array->slots, &array->geo);
	log_free(array->log);
	if (array->state)
		munmap(array->state, state_bytes(array));
	free(array->shifts);
}

void array_fix(struct array *array, unsigned int gear)
{
	unsigned int d;

	array->fixed = true;
	array->gear = gear;
	array->target = gear;
	for (d = array->geo.set[gear].members; d < array->geo.members; d++)
		array->disk[d].state = DISK_STANDS;
}
