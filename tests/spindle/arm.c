// SPDX-License-Identifier: GPL-2.0
/*
 * The actions of a disk with mechanics, and their times: which request the arm serves next,
 * which are served without the arm, what is read ahead, and when the volatile cache is
 * written to the media. Durations are computed by mechanics.c.
 *
 * There is only one timer, for the next action: an idle disk costs nothing, and what it has
 * read ahead meanwhile is computed afterwards.
 */
#include <linux/math64.h>
#include <linux/time64.h>
#include "spindle.h"

#define RUN_SLOTS	256		/* that the arm writes back in one go */
#define MAX_LATE	NSEC_PER_MSEC

static u64 kib_to_ns(u64 bytes, u64 kib)
{
	return kib ? mul_u64_u64_div_u64(bytes, NSEC_PER_SEC, kib << 10) : 0;
}

static u64 cmd_first(const struct spindle_cmd *cmd)
{
	return blk_rq_pos(spindle_rq(cmd));
}

static u64 cmd_end(const struct spindle_cmd *cmd)
{
	return cmd_first(cmd) + blk_rq_sectors(spindle_rq(cmd));
}

static u64 cmd_slots(const struct spindle_cmd *cmd)
{
	return ((cmd_end(cmd) - 1) >> SPINDLE_SLOT_SHIFT) -
	       (cmd_first(cmd) >> SPINDLE_SLOT_SHIFT) + 1;
}

static bool is_op(const struct spindle_cmd *cmd, enum req_op op)
{
	return req_op(spindle_rq(cmd)) == op;
}

bool spindle_is_cacheable(const struct spindle *disk, const struct spindle_cmd *cmd)
{
	return is_op(cmd, REQ_OP_WRITE) && disk->cache &&
	       !(spindle_rq(cmd)->cmd_flags & REQ_FUA) &&
	       cmd_slots(cmd) <= spindle_cache_slots(disk);
}

static bool has_room(const struct spindle *disk, const struct spindle_cmd *cmd)
{
	return disk->nr_cached + disk->arm.promised + cmd_slots(cmd) <=
	       spindle_cache_slots(disk);
}

/* The time at which the electronics have understood a command. */
static u64 understood_at(const struct spindle *disk, const struct spindle_cmd *cmd)
{
	return cmd->arrived + disk->kind.overhead_us * NSEC_PER_USEC;
}

/* The position of the head. It reads ahead until it is at the end of the buffer. */
static u64 head_at(const struct spindle_arm *arm, u64 now)
{
	return min(arm->place + (now - arm->since), arm->ahead);
}

/* The sectors that are in the buffer now. */
static u64 buffer_end(const struct spindle *disk, u64 now)
{
	const struct spindle_arm *arm = &disk->arm;

	return max(arm->buffer_read, spindle_sector_at(&disk->model, head_at(arm, now)));
}

static bool in_buffer(const struct spindle *disk, const struct spindle_cmd *cmd, u64 now)
{
	const struct spindle_arm *arm = &disk->arm;

	return arm->buffer_first <= cmd_first(cmd) && now >= arm->since &&
	       cmd_end(cmd) <= buffer_end(disk, now);
}

/* Is the head moving towards the requested sectors, without a gap? */
static bool comes_by(const struct spindle *disk, const struct spindle_cmd *cmd, u64 now)
{
	const struct spindle_arm *arm = &disk->arm;

	return is_op(cmd, REQ_OP_READ) && head_at(arm, now) < arm->ahead &&
	       arm->buffer_first <= cmd_first(cmd) &&
	       spindle_place(&disk->model, cmd_first(cmd)) <= arm->ahead;
}

/* From @now until the first sector is under the head. */
static u64 reach_ns(const struct spindle *disk, u64 sector, u64 now)
{
	const struct spindle_arm *arm = &disk->arm;

	return spindle_reach_ns(&disk->model, head_at(arm, now), now, arm->phase,
				spindle_place(&disk->model, sector));
}

/* The time at which the request ends if the arm begins it @now. */
static u64 served_at(const struct spindle *disk, const struct spindle_cmd *cmd, u64 now)
{
	const struct spindle_arm *arm = &disk->arm;
	u64 end = spindle_place(&disk->model, cmd_end(cmd));
	u64 begin = max(now, understood_at(disk, cmd));

	if (comes_by(disk, cmd, begin))
		return max(begin, arm->since + end - arm->place);
	return begin + reach_ns(disk, cmd_first(cmd), begin) + end -
	       spindle_place(&disk->model, cmd_first(cmd));
}

static void stay_at(struct spindle_arm *arm, u64 place, u64 since)
{
	arm->place = place;
	arm->ahead = place;
	arm->since = since;
}

/* Reading ahead continues from here; the arm is active during that time. */
static void read_ahead(struct spindle *disk, u64 sector, u64 since)
{
	struct spindle_arm *arm = &disk->arm;
	u64 end = min(disk->model.sectors, sector + 2 * disk->kind.readahead_kib);

	stay_at(arm, spindle_place(&disk->model, sector), since);
	arm->buffer_read = sector;
	arm->ahead = max(arm->place, spindle_place(&disk->model, end));
}

static void empty_buffer(struct spindle_arm *arm)
{
	arm->buffer_first = U64_MAX;
	arm->buffer_read = 0;
}

static void count_seek(struct spindle *disk, u64 sector, u64 now)
{
	u64 turn = disk->model.turn_ns;

	if (div64_u64(head_at(&disk->arm, now), turn) !=
	    div64_u64(spindle_place(&disk->model, sector), turn))
		disk->seeks++;
}

static void begin_cmd(struct spindle *disk, struct spindle_cmd *cmd, u64 at, u64 now)
{
	struct spindle_arm *arm = &disk->arm;
	u64 due = served_at(disk, cmd, at);
	bool on_the_way = comes_by(disk, cmd, at);

	if (!on_the_way)
		count_seek(disk, cmd_first(cmd), at);
	if (is_op(cmd, REQ_OP_READ)) {
		if (!on_the_way)
			arm->buffer_first = cmd_first(cmd);
		read_ahead(disk, cmd_end(cmd), due);
	} else {
		empty_buffer(arm);
		stay_at(arm, spindle_place(&disk->model, cmd_end(cmd)), due);
	}
	arm->free_at = due;
	spindle_active_until(disk, now, due + arm->ahead - arm->place);
	spindle_add_pending(disk, cmd, due);
}

/* Write back the next slots inwards, and then from the outer edge. */
static void begin_run(struct spindle *disk, u64 at, u64 now)
{
	struct spindle_arm *arm = &disk->arm;
	u64 here = spindle_sector_at(&disk->model, head_at(arm, at));
	u64 begin, end;

	disk->runs++;
	arm->run_slots = spindle_media_next_dirty(disk, here, RUN_SLOTS, &arm->run_first);
	begin = arm->run_first << SPINDLE_SLOT_SHIFT;
	end = (arm->run_first + arm->run_slots) << SPINDLE_SLOT_SHIFT;
	count_seek(disk, begin, at);
	arm->free_at = at + reach_ns(disk, begin, at) + spindle_place(&disk->model, end) -
		       spindle_place(&disk->model, begin);
	empty_buffer(arm);
	stay_at(arm, spindle_place(&disk->model, end), arm->free_at);
	spindle_active_until(disk, now, arm->free_at);
}

/* Without the arm: over the bus, one request after the other. */
static void begin_by_bus(struct spindle *disk, struct spindle_cmd *cmd, u64 now)
{
	struct spindle_arm *arm = &disk->arm;
	u64 due = max3(now, arm->bus_free_at, understood_at(disk, cmd));

	if (is_op(cmd, REQ_OP_READ) || is_op(cmd, REQ_OP_WRITE))
		due += kib_to_ns(blk_rq_bytes(spindle_rq(cmd)), disk->kind.bus_kib);
	arm->bus_free_at = due;
	spindle_add_pending(disk, cmd, due);
}

/* A reader that follows closely keeps the head reading. */
static void hit(struct spindle *disk, struct spindle_cmd *cmd, u64 now)
{
	struct spindle_arm *arm = &disk->arm;
	u64 end = min(disk->model.sectors, cmd_end(cmd) + 2 * disk->kind.readahead_kib);

	disk->hits++;
	if (head_at(arm, now) < arm->ahead) {
		arm->ahead = max(arm->ahead, spindle_place(&disk->model, end));
		spindle_active_until(disk, now, arm->since + arm->ahead - arm->place);
	}
	begin_by_bus(disk, cmd, now);
}

/* Can the request end without the arm? Then it is begun. */
static bool begin_without_arm(struct spindle *disk, struct spindle_cmd *cmd, u64 now)
{
	struct spindle_arm *arm = &disk->arm;

	if (is_op(cmd, REQ_OP_READ) && in_buffer(disk, cmd, now)) {
		hit(disk, cmd, now);
		return true;
	}
	if (is_op(cmd, REQ_OP_READ) &&
	    spindle_media_all_dirty(disk, cmd_first(cmd), cmd_end(cmd) - cmd_first(cmd))) {
		disk->hits++;
		begin_by_bus(disk, cmd, now);
		return true;
	}
	if (spindle_is_cacheable(disk, cmd) && has_room(disk, cmd)) {
		cmd->promised = cmd_slots(cmd);
		arm->promised += cmd->promised;
		begin_by_bus(disk, cmd, now);
		return true;
	}
	if (is_op(cmd, REQ_OP_DISCARD) || is_op(cmd, REQ_OP_SECURE_ERASE)) {
		begin_by_bus(disk, cmd, now);
		return true;
	}
	return false;
}

/*
 * A flush is not a queued command, as with SATA: all requests before it end first, and
 * requests after it wait.
 */
static bool begin_flush(struct spindle *disk, struct spindle_cmd *cmd, u64 now)
{
	if (cmd != list_first_entry(&disk->waiting, struct spindle_cmd, list) ||
	    !list_empty(&disk->pending) || disk->nr_cached || disk->arm.run_slots)
		return false;
	begin_by_bus(disk, cmd, now);
	return true;
}

static bool is_flush(const struct spindle_cmd *cmd)
{
	return is_op(cmd, REQ_OP_FLUSH);
}

static void begin_armless(struct spindle *disk, u64 now)
{
	struct spindle_cmd *cmd, *next;

	list_for_each_entry_safe(cmd, next, &disk->waiting, list) {
		if (is_flush(cmd)) {
			begin_flush(disk, cmd, now);
			break;
		}
		begin_without_arm(disk, cmd, now);
	}
}

/* The request that is served first; none waits too long. */
static struct spindle_cmd *choose(struct spindle *disk, u64 at, u64 now)
{
	struct spindle_cmd *cmd, *best = NULL;
	u64 best_at = U64_MAX;

	list_for_each_entry(cmd, &disk->waiting, list) {
		u64 ends_at;

		if (is_flush(cmd))
			break;
		if (spindle_is_cacheable(disk, cmd))
			continue;
		if (now - cmd->arrived > disk->kind.max_age_ms * NSEC_PER_MSEC)
			return cmd;
		ends_at = served_at(disk, cmd, at);
		if (ends_at < best_at) {
			best = cmd;
			best_at = ends_at;
		}
	}
	return best;
}

/* Does the oldest request wait for the cache to be written back? */
static bool cache_is_waited_for(struct spindle *disk)
{
	const struct spindle_cmd *first;

	first = list_first_entry_or_null(&disk->waiting, struct spindle_cmd, list);
	return first && (is_flush(first) || spindle_is_cacheable(disk, first));
}

/* Is there work for the arm? */
static bool begin_with_arm(struct spindle *disk, u64 at, u64 now)
{
	struct spindle_cmd *cmd = NULL;

	if (!disk->nr_cached || !cache_is_waited_for(disk))
		cmd = choose(disk, at, now);
	if (cmd)
		begin_cmd(disk, cmd, at, now);
	else if (disk->nr_cached)
		begin_run(disk, at, now);
	else
		return false;
	return true;
}

/*
 * The time since which the arm has been free. This is noticed a little late, and the next
 * action must not miss its turn of the platter because of that.
 */
static u64 free_since(struct spindle *disk, u64 now)
{
	struct spindle_arm *arm = &disk->arm;

	if (!arm->working)
		return now;
	arm->working = false;
	if (arm->run_slots)
		spindle_media_destage(disk, arm->run_first, arm->run_slots);
	arm->run_slots = 0;
	return now - arm->free_at < MAX_LATE ? arm->free_at : now;
}

void spindle_arm_begin(struct spindle *disk, u64 now)
{
	struct spindle_arm *arm = &disk->arm;
	u64 at;

	lockdep_assert_held(&disk->lock);
	if (arm->working && arm->free_at > now) {
		begin_armless(disk, now);
		return;
	}
	at = free_since(disk, now);
	begin_armless(disk, now);
	arm->working = begin_with_arm(disk, at, now);
	if (arm->working)
		begin_armless(disk, now);
}

u64 spindle_arm_wakes_at(const struct spindle *disk)
{
	const struct spindle_arm *arm = &disk->arm;

	/* A free arm has nothing to do; the end of a request has a timer already. */
	if (!arm->working)
		return U64_MAX;
	return arm->run_slots || !list_empty(&disk->waiting) ? arm->free_at : U64_MAX;
}

bool spindle_arm_busy(const struct spindle *disk)
{
	return disk->model.turn_ns && (disk->arm.run_slots || disk->nr_cached);
}

/*
 * The position of the platter then depends on the seed and on the number of starts, and not
 * on the time: so the same requests take the same time again.
 */
void spindle_arm_reset(struct spindle *disk, u64 now)
{
	struct spindle_arm *arm = &disk->arm;
	u64 turn = disk->model.turn_ns, chosen, here;

	*arm = (struct spindle_arm){ .since = now, .free_at = now };
	empty_buffer(arm);
	if (!turn)
		return;
	div64_u64_rem(spindle_choose(disk, SPINDLE_PHASE, disk->starts, 0), turn, &chosen);
	div64_u64_rem(now, turn, &here);
	arm->phase = chosen + turn - here;
}
