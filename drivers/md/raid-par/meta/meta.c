// SPDX-License-Identifier: GPL-2.0
/*
 * Reading and writing metadata on members, and waking members for it. See store.h for the
 * contracts.
 */
#include <linux/completion.h>
#include <linux/delay.h>

#include "core/parent.h"
#include "meta/load.h"

static void meta_put(struct par_meta_io *io)
{
	if (atomic_dec_and_test(&io->left))
		complete(&io->done);
}

static void meta_endio(struct bio *bio)
{
	struct par_meta_leg *leg = bio->bi_private;
	struct par_meta_io *io = leg->io;

	if (bio->bi_status)
		set_bit(leg->d, &io->failed);
	bio_put(bio);
	meta_put(io);	/* last: the pool may be freed once all have ended */
}

void par_meta_submit(struct par_meta_io *io, unsigned int d, u64 sector,
		     struct page *page, blk_opf_t opf)
{
	struct md_rdev *rdev = io->conf->member[d].rdev;
	struct bio *bio = bio_alloc_bioset(rdev->bdev, 1, opf, GFP_NOIO,
					   &io->conf->store->bios);

	bio->bi_iter.bi_sector = rdev->data_offset + sector;
	io->leg[d].io = io;
	io->leg[d].d = d;
	bio->bi_private = &io->leg[d];
	bio->bi_end_io = meta_endio;
	if (page)
		__bio_add_page(bio, page, PAR_BLOCK_BYTES, 0);
	atomic_inc(&io->left);
	submit_bio_noacct(bio);
}

void par_meta_begin(struct par_meta_io *io, struct par_conf *conf)
{
	io->conf = conf;
	io->failed = 0;
	atomic_set(&io->left, 1);
	init_completion(&io->done);
}

u32 par_meta_wait(struct par_meta_io *io)
{
	might_sleep();
	meta_put(io);
	wait_for_completion_io(&io->done);
	return io->failed;
}

u32 par_meta_end(struct par_meta_io *io)
{
	u32 failed = par_meta_wait(io);
	unsigned int d;

	for (d = 0; d < io->conf->geo.members; d++)
		if (failed & BIT(d))
			par_member_failed(io->conf, d);
	return failed;
}

int par_flush_members(struct par_conf *conf, u32 which)
{
	struct par_meta_io io;
	unsigned int d;

	might_sleep();
	which = par_usable(conf, which);
	par_meta_begin(&io, conf);
	for (d = 0; d < conf->geo.members; d++)
		if (which & BIT(d))
			par_meta_submit(&io, d, 0, NULL, REQ_OP_WRITE |
				    REQ_PREFLUSH | REQ_SYNC);
	return which & ~par_meta_end(&io) ? 0 : -EIO;
}

static void send_page(struct par_meta_io *io, unsigned int d, u64 sector, struct page *page)
{
	par_meta_submit(io, d, sector, page, REQ_OP_WRITE | REQ_FUA | REQ_SYNC | REQ_META);
}

/*
 * Members that are astray get the new version in place of their older one first, so that they keep
 * a valid one wherever the power is cut. So do those that are joining: what they have in either
 * place may be of another history.
 */
static void write_astray(struct par_conf *conf, u32 holders, const struct par_sealed *sealed,
			 struct page **pages, unsigned int count)
{
	struct par_meta_io io;
	unsigned int d, i;

	par_meta_begin(&io, conf);
	for (d = 0; holders >> d; d++)
		for (i = 0; holders & BIT(d) && i < count; i++)
			if ((sealed[i].block->astray | conf->store->joining) & BIT(d))
				send_page(&io, d, sealed[i].sector ^ PAR_BLOCK_SECTORS, pages[i]);
	par_meta_end(&io);
}

int par_blocks_write(struct par_conf *conf, const struct par_sealed *sealed, struct page **pages,
		     unsigned int count)
{
	u32 holders = par_usable(conf, par_steady_members(conf) &
				 (conf->store->current_members | conf->store->joining));
	struct par_meta_io io;
	unsigned int d, i;

	lockdep_assert_held(&conf->store->mutex);
	write_astray(conf, holders, sealed, pages, count);
	holders = par_usable(conf, holders);
	par_meta_begin(&io, conf);
	for (d = 0; holders >> d; d++)
		for (i = 0; holders & BIT(d) && i < count; i++)
			send_page(&io, d, sealed[i].sector, pages[i]);
	conf->store->writes += count;
	if (!(holders & ~par_meta_end(&io)))
		return -EIO;
	for (i = 0; i < count; i++)
		sealed[i].block->astray = 0;
	return 0;
}

int par_meta_write_waking(struct par_conf *conf, unsigned int d, u64 sector, struct page *page)
{
	struct par_meta_io io;
	unsigned int tries;

	for (tries = 0; par_usable(conf, BIT(d)) && tries < PAR_WAKE_TRIES; tries++) {
		if (tries)
			msleep(PAR_WAKE_PAUSE);
		par_meta_begin(&io, conf);
		send_page(&io, d, sector, page);
		conf->store->writes++;
		if (!par_meta_wait(&io))
			return 0;
	}
	par_member_failed(conf, d);
	return -EIO;
}

bool par_meta_read(struct par_conf *conf, unsigned int d, u64 sector,
		   struct page *page)
{
	might_sleep();
	if (conf->store->notes.scan)
		return par_scan_read(conf->store->notes.scan, d, sector, page);
	return sync_page_io(conf->member[d].rdev, sector, PAR_BLOCK_BYTES, page,
			    REQ_OP_READ | REQ_META, false);
}

