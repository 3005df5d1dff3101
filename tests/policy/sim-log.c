// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "sim-array.h"

/* struct piece - contiguous sectors of the array, which lie in the log at @place */
struct piece {
	u64 sector, sectors;
	struct par_log_part part;
};

struct sim_log *log_new(const struct par_geometry *geo)
{
	struct sim_log *log = zeroed(1, sizeof(*log));
	u32 units;

	if (!geo->log_sectors || !par_log_shape_of(&log->shape, geo)) {
		free(log);
		return NULL;
	}
	units = log->shape.units;
	par_log_index_init(&log->index, units, zeroed(units, sizeof(*log->index.unit)),
			   zeroed(1UL << par_log_index_bits(units), sizeof(u32)));
	par_log_ring_init(&log->ring, par_log_blocks(&log->shape), 0);
	log->vain = U64_MAX;
	log->pieces = zeroed(LOG_SLICE * PAR_LOG_PARTS, sizeof(*log->pieces));
	log->blocks = zeroed(LOG_SLICE, sizeof(*log->blocks));
	return log;
}

void log_free(struct sim_log *log)
{
	u32 unit;

	for (unit = 0; log && unit < log->index.units; unit++)
		free(log->index.unit[unit]);
	if (log) {
		free(log->index.unit);
		free(log->index.chain);
		free(log->pieces);
		free(log->blocks);
	}
	free(log);
}

u32 log_used(const struct sim_log *log)
{
	return par_log_ring_empty(&log->ring) ? 0 : par_log_ring_used(&log->ring);
}

/* ---- records ---- */

static u64 to_log(struct array *array, u64 now, u32 place, unsigned int copy, u64 sectors,
		  enum disk_op op)
{
	const struct par_log_shape *shape = &array->log->shape;

	array->sample.log_sent++;
	return disk_send(&array->disk[par_log_member(shape, place, copy)], now,
			 par_log_sector(shape, place, copy), sectors, op);
}

/* The sectors of block @block that are among those of a write, a bit each. */
static u8 sectors_of(u64 block, u64 sector, u64 end)
{
	u64 first = max(sector, block * PAR_LOG_BLOCK) - block * PAR_LOG_BLOCK;
	u64 last = min(end, (block + 1) * PAR_LOG_BLOCK) - block * PAR_LOG_BLOCK;

	return (1U << last) - (1U << first);
}

static void open_unit(struct sim_log *log, u32 unit)
{
	if (!log->index.unit[unit])
		par_log_index_open(&log->index, unit, zeroed(1, PAR_LOG_SLOTS_BYTES));
}

/*
 * Write records for as much of these sectors as there is room for; *@sector is moved behind that.
 */
static u64 append(struct array *array, u64 now, u64 *sector, u64 end)
{
	struct sim_log *log = array->log;
	u64 done = now, pos;
	unsigned int copy, i;

	while (*sector < end) {
		u64 block = *sector / PAR_LOG_BLOCK;
		u64 want = (end - 1) / PAR_LOG_BLOCK - block + 1;
		unsigned int count = par_log_ring_take(&log->ring,
						       min_t(u64, want, PAR_LOG_UNIT), &pos);
		u32 place = par_log_place(&log->shape, pos);

		if (!count)
			break;
		open_unit(log, place / PAR_LOG_UNIT);
		for (i = 0; i < count; i++) {
			struct par_log_entry entry = {
				block + i, sectors_of(block + i, *sector, end),
			};

			par_log_index_add(&log->index, place + 1 + i, &entry);
		}
		for (copy = 0; copy < log->shape.copies; copy++)
			done = max(done, to_log(array, now, place, copy,
						(count + 1) * PAR_LOG_BLOCK, DISK_WRITE));
		par_log_ring_done(&log->ring, log->ring.head);
		array->sample.logged += min(end, (block + count) * PAR_LOG_BLOCK) - *sector;
		log->logged += count;
		*sector = min(end, (block + count) * PAR_LOG_BLOCK);
	}
	log->newest = now;
	return done;
}

/* ---- the drain ---- */

static void free_units(struct sim_log *log)
{
	u64 pos = par_log_unit(log->ring.tail), tail;

	tail = par_log_drain_tail(&log->index, &log->ring);
	for (; pos < par_log_unit(tail); pos += PAR_LOG_UNIT)
		free(par_log_index_close(&log->index,
					 par_log_place(&log->shape, pos) / PAR_LOG_UNIT));
	par_log_ring_free(&log->ring, tail);
}

static bool can_drain(const struct array *array, u64 block)
{
	return array_imaged(array, block * PAR_LOG_BLOCK);
}

static int by_number(const void *a, const void *b)
{
	u64 one = *(const u64 *)a, other = *(const u64 *)b;

	return one < other ? -1 : one > other;
}

/* The oldest live blocks that can be drained, at most LOG_SLICE, each once, sorted. */
static unsigned int pick(const struct array *array, u64 *blocks)
{
	const struct sim_log *log = array->log;
	unsigned int count = 0, kept = 0, i;
	u64 pos;

	for (pos = par_log_unit(log->ring.tail); pos < log->ring.done && count < LOG_SLICE;
	     pos += PAR_LOG_UNIT) {
		u32 unit = par_log_place(&log->shape, pos) / PAR_LOG_UNIT;
		const struct par_log_slot *slot = log->index.unit[unit];

		for (i = 0; slot && i < PAR_LOG_UNIT && count < LOG_SLICE; i++) {
			u64 block = slot[i].block | (u64)slot[i].block_high << 32;

			if (slot[i].live && can_drain(array, block))
				blocks[count++] = block;
		}
	}
	qsort(blocks, count, sizeof(*blocks), by_number);
	for (i = 0; i < count; i++)
		if (!kept || blocks[kept - 1] != blocks[i])
			blocks[kept++] = blocks[i];
	return kept;
}

static int by_place(const void *a, const void *b)
{
	const struct piece *one = a, *other = b;

	return one->part.place < other->part.place ? -1 : one->part.place > other->part.place;
}

static int by_sector(const void *a, const void *b)
{
	const struct piece *one = a, *other = b;

	return one->sector < other->sector ? -1 : one->sector > other->sector;
}

/* What the log has of a block; sectors of a part that lie between others are taken with them. */
static unsigned int add_pieces(const struct sim_log *log, u64 block, struct piece *piece)
{
	struct par_log_part parts[PAR_LOG_PARTS];
	unsigned int count = par_log_index_parts(&log->index, block, parts), i;

	for (i = 0; i < count; i++) {
		unsigned int first = ffs(parts[i].sectors) - 1;

		piece[i] = (struct piece) {
			block * PAR_LOG_BLOCK + first, fls(parts[i].sectors) - first, parts[i],
		};
	}
	return count;
}

/* A header between two records is read with them. */
static u64 read_pieces(struct array *array, u64 now, struct piece *piece, unsigned int count)
{
	unsigned int from = 0, i;
	u64 done = now;

	qsort(piece, count, sizeof(*piece), by_place);
	for (i = 1; i <= count; i++) {
		u32 place = piece[from].part.place, last = piece[i - 1].part.place;

		if (i < count && piece[i].part.place - last <= 2 &&
		    piece[i].part.place / PAR_LOG_UNIT == place / PAR_LOG_UNIT)
			continue;
		done = max(done, to_log(array, now, place, 0,
					(last - place + 1) * PAR_LOG_BLOCK, DISK_READ));
		from = i;
	}
	return done;
}

static u64 write_pieces(struct array *array, u64 now, struct piece *piece, unsigned int count)
{
	u64 done = now, sector, sectors;
	unsigned int i = 0;

	qsort(piece, count, sizeof(*piece), by_sector);
	while (i < count) {
		sector = piece[i].sector;
		sectors = piece[i++].sectors;
		for (; i < count && piece[i].sector <= sector + sectors; i++)
			sectors = max(sectors, piece[i].sector + piece[i].sectors - sector);
		done = max(done, array_write_home(array, now, sector, sectors));
	}
	return done;
}

/* Drain a slice; false if there is nothing to drain. */
static bool drain_slice(struct array *array, u64 now)
{
	struct sim_log *log = array->log;
	struct piece *pieces = log->pieces;
	unsigned int count = pick(array, log->blocks), all = 0, i;

	if (!count)
		return false;
	for (i = 0; i < count; i++)
		all += add_pieces(log, log->blocks[i], &pieces[all]);
	log->drain_next = read_pieces(array, now, pieces, all);
	log->drain_next = write_pieces(array, log->drain_next, pieces, all);
	for (i = 0; i < all; i++)
		par_log_index_drained(&log->index, &pieces[i].part);
	free_units(log);
	array->sample.drained = true;
	return true;
}

void log_work(struct array *array, u64 now)
{
	struct sim_log *log = array->log;
	enum par_log_drain_why why;

	for (;;) {
		struct par_log_need need = {
			.top = array->gear == array->geo.gears, .filling = log->filling,
			.used = log_used(log), .blocks = log->ring.blocks,
			.idle = (now - min(log->newest, now)) / NSEC_PER_MSEC,
		};

		why = par_log_drain_why(&need);
		log->filling = why == PAR_LOG_FILLING;
		if (why == PAR_LOG_REST ||
		    (log->vain == log->ring.head && log->vain_gear == array->gear))
			break;
		if (log->drain_next > now)
			return;
		if (drain_slice(array, log->drain_next))
			continue;
		log->vain = log->ring.head;
		log->vain_gear = array->gear;
	}
	log->drain_next = max(log->drain_next, now);
}

/* ---- requests ---- */

u64 log_read(struct array *array, u64 now, u64 sector, u64 sectors)
{
	struct sim_log *log = array->log;
	struct par_log_piece piece;
	u64 done = now;

	if (par_log_ring_empty(&log->ring))
		return array_read_home(array, now, sector, sectors);
	while (sectors) {
		par_log_index_find(&log->index, sector, min_t(u64, sectors, 1U << 16), &piece);
		if (piece.logged)
			done = max(done, to_log(array, now, piece.sector / PAR_LOG_BLOCK, 0,
						piece.sectors, DISK_READ));
		else
			done = max(done, array_read_home(array, now, sector, piece.sectors));
		sector += piece.sectors;
		sectors -= piece.sectors;
	}
	return done;
}

/* Whole stripes or nothing of them, see below. */
static u64 write_part(struct array *array, u64 now, u64 sector, u64 sectors, bool whole)
{
	struct sim_log *log = array->log;
	u64 end = sector + sectors, done = now;
	struct par_log_write write = {
		.low = array->gear < array->geo.gears,
		.logged = sectors && par_log_index_has(&log->index, sector, sectors),
		.room = par_log_ring_used(&log->ring) < log->ring.blocks,
		.ending = log->index.live < PAR_LOG_ENDING,
	};
	struct par_log_sweep left;

	if (!sectors)
		return now;
	for (write.large = whole; write.large && sector < end; sector += array->geo.seg_sectors)
		write.large = array_imaged(array, sector);
	sector = end - sectors;
	if (par_log_way(&write) == PAR_LOG_APPEND)
		done = append(array, now, &sector, end);
	if (write.low && par_log_full(&write))
		array_wake(array, array->geo.gears, PAR_WHY_LOG, now);
	/* The few that wait for the end of a drain are taken for drained then. */
	left = (struct par_log_sweep) { .sector = sector, .sectors = end - sector };
	while (write.logged && left.sectors && par_log_index_discard(&log->index, &left))
		;
	return sector == end ? done : max(done, array_write_home(array, now, sector, end - sector));
}

u64 log_write(struct array *array, u64 now, u64 sector, u64 sectors)
{
	const struct par_geometry *geo = &array->geo;
	u64 row = (u64)(geo->members - geo->parities) * geo->chunk_sectors;
	u64 end = sector + sectors, first = DIV_ROUND_UP(sector, row) * row, last = end / row * row;
	u64 done;

	if (first >= last)
		return write_part(array, now, sector, sectors, false);
	done = write_part(array, now, sector, first - sector, false);
	done = max(done, write_part(array, now, first, last - first, true));
	return max(done, write_part(array, now, last, end - last, false));
}
