// SPDX-License-Identifier: GPL-2.0
/* Reads of many blocks of the log at the same time. See batch.h. */
#include <linux/sort.h>

#include "core/parent.h"
#include "log/batch.h"

/* ---- requests that are waited for together ---- */

void par_log_batch_begin(struct par_log_batch *batch)
{
	atomic_set(&batch->left, 1);
	init_completion(&batch->done);
	batch->failed = false;
}

static void batch_put(struct par_log_batch *batch)
{
	if (atomic_dec_and_test(&batch->left))
		complete(&batch->done);
}

static void batch_endio(struct bio *bio)
{
	struct par_log_batch *batch = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(batch->failed, true);
	bio_put(bio);
	batch_put(batch);
}

void par_log_batch_own(struct par_log_batch *batch, struct bio *bio)
{
	bio->bi_private = batch;
	bio->bi_end_io = batch_endio;
	atomic_inc(&batch->left);
}

bool par_log_batch_end(struct par_log_batch *batch)
{
	batch_put(batch);
	wait_for_completion_io(&batch->done);
	return !batch->failed;
}

/* ---- reads ---- */

int par_log_fetch_init(struct par_log_fetch *fetch, struct par_log *log, unsigned int room)
{
	unsigned int i;

	fetch->log = log;
	fetch->room = room;
	fetch->want = kvcalloc(room, sizeof(*fetch->want), GFP_KERNEL);
	fetch->rest = alloc_page(GFP_KERNEL);
	for (i = 0; i < PAR_LOG_BOUNCED; i++) {
		fetch->bounce[i].from = alloc_page(GFP_KERNEL);
		if (!fetch->bounce[i].from)
			return -ENOMEM;
	}
	return fetch->want && fetch->rest ? 0 : -ENOMEM;
}

void par_log_fetch_exit(struct par_log_fetch *fetch)
{
	unsigned int i;

	for (i = 0; i < PAR_LOG_BOUNCED; i++)
		if (fetch->bounce[i].from)
			put_page(fetch->bounce[i].from);
	if (fetch->rest)
		put_page(fetch->rest);
	kvfree(fetch->want);
}

void par_log_fetch_begin(struct par_log_fetch *fetch)
{
	struct par_log *log = fetch->log;
	unsigned int d;

	for (d = 0; d < log->shape.members; d++)
		fetch->rdev[d] = par_log_rdev(log, d);
	fetch->count = 0;
	fetch->sent = 0;
	fetch->bounced = 0;
	par_log_batch_begin(&fetch->batch);
}

static bool is_readable(const struct par_log_fetch *fetch, const struct par_log_part *part,
			unsigned int copy)
{
	return !(part->lacking & BIT(copy)) &&
	       fetch->rdev[par_log_member(&fetch->log->shape, part->place, copy)];
}

/*
 * The copy of a part to read; all copies: there is none. Two neighbouring units are read from the
 * same member if one has both, where they are adjacent.
 */
static unsigned int choose_copy(const struct par_log_fetch *fetch, const struct par_log_part *part)
{
	const struct par_log_shape *shape = &fetch->log->shape;
	u32 others = par_log_members(shape, part->place ^ PAR_LOG_UNIT);
	unsigned int copy, best = UINT_MAX, found = shape->copies;

	for (copy = 0; copy < shape->copies; copy++) {
		unsigned int d = par_log_member(shape, part->place, copy);
		unsigned int rank = (d + part->place / PAR_LOG_UNIT / 2) % shape->members;

		if (!(others & BIT(d)))
			rank += shape->members;
		if (is_readable(fetch, part, copy) && rank < best) {
			best = rank;
			found = copy;
		}
	}
	return found;
}

static int by_place(const void *a, const void *b)
{
	const struct par_log_want *one = a, *other = b;

	if (one->d != other->d)
		return one->d < other->d ? -1 : 1;
	return one->sector < other->sector ? -1 : one->sector > other->sector;
}

/*
 * Can a request that ends at @end go on with @want? Two records are separated by a header: reading
 * it as well takes less time than another request.
 */
static bool goes_on(const struct bio *bio, u64 end, const struct md_rdev *rdev,
		    const struct par_log_want *want)
{
	return bio->bi_bdev == rdev->bdev && bio->bi_vcnt + 2 <= bio->bi_max_vecs &&
	       (want->sector == end || want->sector == end + PAR_LOG_BLOCK);
}

static struct bio *begin_read(struct par_log_fetch *fetch, const struct par_log_want *want,
			      unsigned int left)
{
	unsigned int vectors = min(2 * left, BIO_MAX_VECS);
	const struct md_rdev *rdev = fetch->rdev[want->d];
	struct bio *bio = bio_alloc_bioset(rdev->bdev, vectors, REQ_OP_READ, GFP_NOIO,
					   &fetch->log->pools.bios);

	bio->bi_iter.bi_sector = rdev->data_offset + want->sector;
	return bio;
}

static void submit_read(struct par_log_fetch *fetch, struct bio *bio)
{
	par_log_batch_own(&fetch->batch, bio);
	fetch->sent++;
	submit_bio_noacct(bio);
}

static void send_reads(struct par_log_fetch *fetch)
{
	struct bio *bio = NULL;
	struct blk_plug plug;
	unsigned int i;
	u64 end = 0;

	sort(fetch->want, fetch->count, sizeof(*fetch->want), by_place, NULL);
	blk_start_plug(&plug);
	for (i = 0; i < fetch->count; i++) {
		const struct par_log_want *want = &fetch->want[i];

		if (bio && !goes_on(bio, end, fetch->rdev[want->d], want)) {
			submit_read(fetch, bio);
			bio = NULL;
		}
		if (!bio)
			bio = begin_read(fetch, want, fetch->count - i);
		else if (want->sector != end)
			par_log_add_page(bio, fetch->rest, PAR_LOG_BLOCK_BYTES, 0);
		par_log_add_page(bio, want->page, want->count << SECTOR_SHIFT,
				 want->first << SECTOR_SHIFT);
		end = want->sector + want->count;
	}
	if (bio)
		submit_read(fetch, bio);
	blk_finish_plug(&plug);
	fetch->count = 0;
}

/* Read all that is wanted: true if nothing has failed. */
static bool end_reads(struct par_log_fetch *fetch)
{
	bool good;

	send_reads(fetch);
	good = par_log_batch_end(&fetch->batch);
	while (fetch->bounced) {
		const struct par_log_bounce *bounce = &fetch->bounce[--fetch->bounced];

		par_log_copy(bounce->to, bounce->from, bounce->first, bounce->count);
	}
	return good;
}

/* The page to read a part of a block into that is smaller than the member's logical blocks. */
static struct page *bounce_part(struct par_log_fetch *fetch, struct page *page, unsigned int first,
				unsigned int count)
{
	struct par_log_bounce *bounce;

	if (fetch->bounced == PAR_LOG_BOUNCED) {
		bool good = end_reads(fetch);

		par_log_batch_begin(&fetch->batch);
		fetch->batch.failed = !good;
	}
	bounce = &fetch->bounce[fetch->bounced++];
	bounce->to = page;
	bounce->first = first;
	bounce->count = count;
	return bounce->from;
}

static void want_sectors(struct par_log_fetch *fetch, struct page *page,
			 const struct par_log_part *part, unsigned int copy, unsigned int first,
			 unsigned int count)
{
	const struct par_log_shape *shape = &fetch->log->shape;
	unsigned int d = par_log_member(shape, part->place, copy), from = first, some = count;

	if (fetch->count == fetch->room)
		send_reads(fetch);
	par_log_widen(fetch->rdev[d]->bdev, &from, &some);
	if (some > count)
		page = bounce_part(fetch, page, first, count);
	fetch->want[fetch->count++] = (struct par_log_want) {
		.sector = par_log_sector(shape, part->place, copy) + from,
		.page = page,
		.d = d,
		.first = from,
		.count = some,
	};
}

void par_log_fetch_add(struct par_log_fetch *fetch, struct page *page,
		       const struct par_log_part *part)
{
	const struct par_log_shape *shape = &fetch->log->shape;
	unsigned int first, count, at, copy = choose_copy(fetch, part);

	if (copy == shape->copies) {
		WRITE_ONCE(fetch->batch.failed, true);
		return;
	}
	for (at = 0; par_log_next_run(part->sectors, at, &first, &count); at = first + count)
		want_sectors(fetch, page, part, copy, first, count);
}

bool par_log_fetch_end(struct par_log_fetch *fetch)
{
	struct par_log *log = fetch->log;
	bool good = end_reads(fetch);
	unsigned int d;

	for (d = 0; d < log->shape.members; d++)
		if (fetch->rdev[d])
			rdev_dec_pending(fetch->rdev[d], log->conf->mddev);
	return good;
}
