// SPDX-License-Identifier: GPL-2.0
/*
 * What is in the log at assembly: reading it, unit by unit, and writing what copies lack. See
 * log.h, and Documentation/log.md for what is looked for.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/vmalloc.h>

#include "core/parent.h"
#include "log/log.h"
#include "meta/load.h"
#include "pure/log-replay.h"

#define UNIT_BYTES	(PAR_LOG_UNIT * PAR_LOG_BLOCK_BYTES)

/* The copies of the unit that the walk is at. */
struct walk_unit {
	struct par_log *log;
	u64 at;				/* its beginning; U64_MAX: none is read */
	void *buffer[PAR_LOG_MAX_COPIES];
	bool good[PAR_LOG_MAX_COPIES];	/* that can be read, and is to be */
};

static int move_blocks(struct md_rdev *rdev, u64 sector, void *buffer, unsigned int bytes,
		       blk_opf_t opf)
{
	struct bio *bio = bio_alloc(rdev->bdev, bytes / PAR_LOG_BLOCK_BYTES, opf, GFP_NOIO);
	unsigned int at;
	int err;

	bio->bi_iter.bi_sector = rdev->data_offset + sector;
	for (at = 0; at < bytes; at += PAR_LOG_BLOCK_BYTES)
		__bio_add_page(bio, vmalloc_to_page(buffer + at), PAR_LOG_BLOCK_BYTES, 0);
	if (opf == REQ_OP_READ)
		invalidate_kernel_vmap_range(buffer, bytes);
	else
		flush_kernel_vmap_range(buffer, bytes);
	err = submit_bio_wait(bio);
	bio_put(bio);
	return err;
}

/* After an error: one bad sector spoils the record that it is in, not the whole unit. */
static bool read_blocks(struct md_rdev *rdev, u64 sector, void *buffer)
{
	unsigned int i, read = 0;

	for (i = 0; i < PAR_LOG_UNIT; i++, buffer += PAR_LOG_BLOCK_BYTES) {
		if (!move_blocks(rdev, sector + i * PAR_LOG_BLOCK, buffer, PAR_LOG_BLOCK_BYTES,
				 REQ_OP_READ))
			read++;
		else
			memset(buffer, 0, PAR_LOG_BLOCK_BYTES);
	}
	return read;
}

static bool read_copy(struct md_rdev *rdev, u64 sector, void *buffer)
{
	return !move_blocks(rdev, sector, buffer, UNIT_BYTES, REQ_OP_READ) ||
	       read_blocks(rdev, sector, buffer);
}

static void read_unit(struct walk_unit *unit, u64 pos)
{
	struct par_log *log = unit->log;
	u32 place = par_log_place(&log->shape, par_log_unit(pos));
	unsigned int copy;

	if (unit->at == par_log_unit(pos))
		return;
	unit->at = par_log_unit(pos);
	for (copy = 0; copy < log->shape.copies; copy++) {
		struct md_rdev *rdev = par_log_rdev(log, par_log_member(&log->shape, place, copy));

		unit->good[copy] = rdev && read_copy(rdev, par_log_sector(&log->shape, place, copy),
						     unit->buffer[copy]);
		if (rdev)
			par_member_put(log->conf, rdev);
	}
}

static void copies_at(const struct walk_unit *unit, u64 pos, const void **copies)
{
	size_t offset = (pos - unit->at) * PAR_LOG_BLOCK_BYTES;
	unsigned int copy;

	for (copy = 0; copy < unit->log->shape.copies; copy++)
		copies[copy] = unit->good[copy] ? unit->buffer[copy] + offset : NULL;
}

static void write_lacking(struct walk_unit *unit, const struct par_log_found *found)
{
	struct par_log *log = unit->log;
	u64 pos = found->head.pos;
	u32 place = par_log_place(&log->shape, pos);
	void *from = unit->buffer[found->copy] + (pos - unit->at) * PAR_LOG_BLOCK_BYTES;
	unsigned int copy;

	for (copy = 0; copy < log->shape.copies; copy++) {
		unsigned int d = par_log_member(&log->shape, place, copy);
		struct md_rdev *rdev = NULL;

		if (found->lacking & BIT(copy))
			rdev = par_log_rdev(log, d);
		if (!rdev)
			continue;
		if (move_blocks(rdev, par_log_sector(&log->shape, place, copy), from,
				(1 + found->head.count) * PAR_LOG_BLOCK_BYTES, REQ_OP_WRITE))
			par_member_failed(log->conf, d);
		par_member_put(log->conf, rdev);
	}
}

static int index_found(struct par_log *log, const struct par_disk_log_header *raw,
		       const struct par_log_head *head, u32 lacking)
{
	u32 place = par_log_place(&log->shape, head->pos), u = place / PAR_LOG_UNIT;
	struct par_log_slot *slots;
	struct par_log_entry entry;
	unsigned int i;

	if (!log->index.unit[u]) {
		slots = par_log_slots(GFP_KERNEL);
		if (!slots)
			return -ENOMEM;
		par_log_index_open(&log->index, u, slots);
	}
	for (i = 0; i < head->count; i++) {
		par_log_entry_unpack(raw, i, &entry);
		par_log_index_add(&log->index, place + 1 + i, &entry);
		par_log_index_lacks(&log->index, place + 1 + i, lacking);
	}
	log->count.replayed++;
	return 0;
}

/* @heal: write what copies lack; else note what there is. */
static int walk_records(struct walk_unit *unit, struct par_log_walk *walk, bool heal)
{
	struct par_log *log = unit->log;
	const void *copies[PAR_LOG_MAX_COPIES];
	struct par_log_found found;
	unsigned int copy;
	int err = 0;

	while (!err && walk->pos < walk->limit) {
		read_unit(unit, walk->pos);
		copies_at(unit, walk->pos, copies);
		if (!par_log_walk_next(walk, copies, log->shape.copies, &found))
			break;
		for (copy = 0; copy < log->shape.copies; copy++)
			log->lacking |= found.lacking & BIT(copy) && par_log_usable(log,
				par_log_member(&log->shape,
					       par_log_place(&log->shape, found.head.pos), copy));
		if (heal)
			write_lacking(unit, &found);
		else
			err = index_found(log, copies[found.copy], &found.head, found.lacking);
		cond_resched();
	}
	return err;
}

static void look_behind(struct walk_unit *unit, struct par_log_walk *walk)
{
	const void *copies[PAR_LOG_MAX_COPIES];
	unsigned int copy;
	u64 pos;

	for (pos = par_log_walk_later(walk, walk->pos); pos; pos = par_log_walk_later(walk, pos)) {
		read_unit(unit, pos);
		copies_at(unit, pos, copies);
		for (copy = 0; copy < unit->log->shape.copies; copy++)
			if (copies[copy])
				par_log_walk_look(walk, copies[copy], pos);
	}
}

static int alloc_unit(struct walk_unit *unit, struct par_log *log)
{
	unsigned int copy;

	unit->log = log;
	unit->at = U64_MAX;
	for (copy = 0; copy < log->shape.copies; copy++) {
		unit->buffer[copy] = vmalloc(UNIT_BYTES);
		if (!unit->buffer[copy])
			return -ENOMEM;
	}
	return 0;
}

static void free_unit(struct walk_unit *unit)
{
	unsigned int copy;

	for (copy = 0; copy < PAR_LOG_MAX_COPIES; copy++)
		vfree(unit->buffer[copy]);
}

static void start_walk(struct par_log *log, struct par_log_walk *walk)
{
	const struct par_super *super = &log->conf->store->super;

	par_log_walk_init(walk, &log->shape, super->epoch,
			  log->conf->geo.array_sectors / PAR_LOG_BLOCK, super->log.tail,
			  super->log.stable, super->log.run);
}

int par_log_heal(struct par_log *log)
{
	unsigned int flags = memalloc_noio_save();
	struct walk_unit unit = { };
	struct par_log_walk walk;
	int err = alloc_unit(&unit, log);

	might_sleep();
	start_walk(log, &walk);
	err = err ?: walk_records(&unit, &walk, true);
	free_unit(&unit);
	memalloc_noio_restore(flags);
	/* Until now it ended at the head: see par_log_load(). */
	return err ?: walk.pos == log->ring.head ? 0 : -EIO;
}

static int judge_end(struct par_log *log, const struct par_log_walk *walk)
{
	struct par_conf *conf = log->conf;

	if (!par_log_walk_damaged(walk))
		return 0;
	pr_err("md/par:%s: the log is damaged: no copy of what follows block %llu can be read, and writes up to block %llu had been flushed\n",
	       mdname(conf->mddev), walk->pos, walk->stable);
	if (conf->store->start == PAR_ASKS_FORCE) {
		log->renew = true;
		return 0;
	}
	pr_err("md/par:%s: --force starts the array without these writes\n",
	       mdname(conf->mddev));
	return -EUCLEAN;
}

int par_log_load(struct par_conf *conf)
{
	struct par_log *log = conf->log;
	struct walk_unit unit = { };
	struct par_log_walk walk;
	int err;

	if (!log->on)
		return 0;
	err = alloc_unit(&unit, log);
	start_walk(log, &walk);
	err = err ?: walk_records(&unit, &walk, false);
	if (!err) {
		look_behind(&unit, &walk);
		err = judge_end(log, &walk);
	}
	free_unit(&unit);
	par_log_ring_init(&log->ring, par_log_blocks(&log->shape), conf->store->super.log.tail);
	log->ring.head = walk.pos;
	par_log_ring_done(&log->ring, walk.pos);
	par_log_ring_flushed(&log->ring, walk.stable);
	conf->io->log_done = walk.pos;
	conf->io->log_stable = min(walk.stable, walk.pos);
	log->lost = conf->store->super.log.lost;
	log->run = conf->store->super.log.run + 1;
	log->renew |= log->lacking;
	log->last = jiffies;
	if (!err && log->count.replayed)
		pr_info("md/par:%s: the log has %llu records, of %u blocks that are not at home\n",
			mdname(conf->mddev), log->count.replayed, log->index.live);
	return err;
}
