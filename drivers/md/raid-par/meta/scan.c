// SPDX-License-Identifier: GPL-2.0
/*
 * Reading metadata when an array starts: large pieces of all members at the same time. A member
 * whose piece cannot be read is read one block at a time there.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "meta/load.h"

#define PIECE_BYTES	SZ_1M

/*
 * struct par_scan - the piece that has been read
 * @members: a bit each; @rdev, @buffer: of each of them
 * @limit: no piece reaches beyond this sector
 * @at, @end: sectors of the piece; @good: members of which it has been read
 * @left: requests that have not ended, plus one; @failed: members that returned an error
 */
struct par_scan {
	unsigned long members, good, failed;
	struct md_rdev *rdev[PAR_MAX_MEMBERS];
	void *buffer[PAR_MAX_MEMBERS];
	u64 limit, at, end;
	atomic_t left;
	struct completion done;
	struct par_scan_leg {
		struct par_scan *scan;
		unsigned int d;
	} leg[PAR_MAX_MEMBERS];
};

static void scan_put(struct par_scan *scan)
{
	if (atomic_dec_and_test(&scan->left))
		complete(&scan->done);
}

static void scan_endio(struct bio *bio)
{
	struct par_scan_leg *leg = bio->bi_private;

	if (bio->bi_status)
		set_bit(leg->d, &leg->scan->failed);
	bio_put(bio);
	scan_put(leg->scan);
}

static void read_member(struct par_scan *scan, unsigned int d, unsigned int bytes)
{
	struct md_rdev *rdev = scan->rdev[d];
	struct bio *bio = bio_alloc(rdev->bdev, DIV_ROUND_UP(bytes, PAGE_SIZE),
				    REQ_OP_READ | REQ_META, GFP_KERNEL);
	void *buffer = scan->buffer[d];
	unsigned int some;

	bio->bi_iter.bi_sector = rdev->data_offset + scan->at;
	bio->bi_private = &scan->leg[d];
	bio->bi_end_io = scan_endio;
	for (; bytes; buffer += some, bytes -= some) {
		some = min_t(unsigned int, bytes, PAGE_SIZE);
		__bio_add_page(bio, vmalloc_to_page(buffer), some, 0);
	}
	atomic_inc(&scan->left);
	submit_bio(bio);
}

static void read_piece(struct par_scan *scan, u64 sector)
{
	unsigned int bytes, d;

	scan->at = sector;
	scan->end = min(sector + (PIECE_BYTES >> SECTOR_SHIFT), scan->limit);
	scan->failed = 0;
	bytes = (scan->end - sector) << SECTOR_SHIFT;
	atomic_set(&scan->left, 1);
	reinit_completion(&scan->done);
	for_each_set_bit(d, &scan->members, PAR_MAX_MEMBERS)
		read_member(scan, d, bytes);
	scan_put(scan);
	wait_for_completion_io(&scan->done);
	for_each_set_bit(d, &scan->members, PAR_MAX_MEMBERS)
		invalidate_kernel_vmap_range(scan->buffer[d], bytes);
	scan->good = scan->members & ~scan->failed;
}

bool par_scan_read(struct par_scan *scan, unsigned int d, u64 sector, struct page *page)
{
	u64 end = sector + (PAR_BLOCK_BYTES >> SECTOR_SHIFT);

	might_sleep();
	if (scan->members & BIT(d) && end <= scan->limit &&
	    (sector < scan->at || end > scan->end))
		read_piece(scan, sector);
	if (!(scan->good & BIT(d)) || sector < scan->at || end > scan->end)
		return sync_page_io(scan->rdev[d], sector, PAR_BLOCK_BYTES, page,
				    REQ_OP_READ | REQ_META, false);
	memcpy(page_address(page), scan->buffer[d] + ((sector - scan->at) << SECTOR_SHIFT),
	       PAR_BLOCK_BYTES);
	return true;
}

void par_scan_only(struct par_scan *scan, u32 members, u64 limit)
{
	scan->members &= members;
	scan->limit = min(scan->limit, limit);
}

struct par_scan *par_scan_begin(struct mddev *mddev)
{
	struct par_scan *scan = kvzalloc(sizeof(*scan), GFP_KERNEL);
	struct md_rdev *rdev;
	int d;

	if (!scan)
		return NULL;
	init_completion(&scan->done);
	scan->limit = U64_MAX;
	rdev_for_each(rdev, mddev) {
		d = rdev->raid_disk;
		if (d < 0 || d >= PAR_MAX_MEMBERS || test_bit(Faulty, &rdev->flags))
			continue;
		scan->rdev[d] = rdev;
		scan->limit = min_t(u64, scan->limit, rdev->sectors);
		scan->leg[d] = (struct par_scan_leg) { scan, d };
		scan->buffer[d] = vmalloc(PIECE_BYTES);
		if (scan->buffer[d])	/* else it is read one block at a time */
			__set_bit(d, &scan->members);
	}
	return scan;
}

void par_scan_end(struct par_scan *scan)
{
	unsigned int d;

	for (d = 0; scan && d < PAR_MAX_MEMBERS; d++)
		vfree(scan->buffer[d]);
	kvfree(scan);
}
