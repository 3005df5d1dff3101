// SPDX-License-Identifier: GPL-2.0
/*
 * Propagation: copying the valid copy of segments to the other side.
 *
 * Runs in the mover's thread, and in the sync thread of a child that rebuilds a sleeper;
 * conf->shift->copy_mutex serializes them. A batch of segments is locked against writes,
 * read, written and then declared "both" in memory; the store flushes the members before it
 * stores the map with this state, so no flush is needed here.
 */
#include <linux/completion.h>
#include <linux/slab.h>

#include "core/parent.h"
#include "gear/gear.h"

#define PAR_COPY_SECTORS	8192U	/* 4 MiB in flight */
#define PAR_COPY_PAGES		(PAR_COPY_SECTORS * SECTOR_SIZE / PAGE_SIZE)
#define PAR_COPY_BIO		512U	/* sectors in one request */
#define PAR_FIXES		4U	/* number of retries of a batch after an error */
#define PAR_COPY_SEGS		(PAR_COPY_SECTORS / PAR_SEG_MIN)

/*
 * Segments and requests are whole pages, and each of copy_pages[] holds one segment only.
 * Pages of 256 KiB are refused by Kconfig: raid5 accepts no chunk smaller than a page.
 */
static_assert(PAR_SEG_MIN % PAGE_SECTORS == 0 && PAR_COPY_BIO % PAGE_SECTORS == 0);
static_assert(PAR_SEG_MAX <= PAR_COPY_SECTORS);

struct par_copy_seg {
	struct par_copy *copy;
	unsigned int d;
	u64 row;
	enum par_seg_state state;
	bool locked;	/* we hold its bucket, and must release it */
	bool valid;
	bool salvaged;	/* a part could not be read */
	blk_status_t status;
};

/*
 * @salvage: copy what can be read, and mark the rest lost: see salvage_segment(); @heal:
 *	also have raid5 compute the rest
 */
struct par_copy {
	struct par_set *set;
	bool to_home, held, salvage, heal, impatient;
	struct par_copy_seg seg[PAR_COPY_SEGS];
	unsigned int count;
	atomic_t left;
	struct completion done;
	blk_status_t status;
};

static void copy_put(struct par_copy *copy)
{
	if (atomic_dec_and_test(&copy->left))
		complete(&copy->done);
}

static void copy_endio(struct bio *bio)
{
	struct par_copy_seg *seg = bio->bi_private;
	struct par_copy *copy = seg->copy;

	if (bio->bi_status) {
		seg->status = bio->bi_status;
		copy->status = bio->bi_status;
	}
	bio_put(bio);
	copy_put(copy);
}

/* One side of a segment: the real disk, or its image in the gear set. */
static struct bio *side_bio(struct par_copy *copy, struct par_copy_seg *seg,
			    unsigned int offset, bool home, enum req_op op,
			    unsigned int pages)
{
	struct par_set *set = copy->set;
	struct par_conf *conf = set->conf;
	u64 sector = (seg->row << conf->geo.seg_shift) + offset;
	struct block_device *bdev;
	struct bio *bio;

	if (home) {
		struct md_rdev *rdev = conf->member[seg->d].rdev;

		bdev = rdev->bdev;
		sector = rdev->data_offset + par_home_sector(set, sector);
	} else {
		bdev = conf->set[par_image_set(&conf->geo, seg->d)]->front->part0;
		/* lock_batch() has seen that there is one. */
		WARN_ON_ONCE(!par_image_at(set, seg->d, sector, &sector));
	}
	bio = bio_alloc_bioset(bdev, pages, op, GFP_NOIO, &conf->io->bios);
	bio->bi_iter.bi_sector = sector;
	bio->bi_private = seg;
	bio->bi_end_io = copy_endio;
	return bio;
}

static void send_segment(struct par_copy *copy, unsigned int index, bool home,
			 enum req_op op)
{
	struct par_conf *conf = copy->set->conf;
	unsigned int size = conf->geo.seg_sectors, offset, part, i;
	struct page **pages = conf->shift->copy_pages + index * size / PAGE_SECTORS;

	for (offset = 0; offset < size; offset += part) {
		struct bio *bio;

		part = min(size - offset, PAR_COPY_BIO);
		bio = side_bio(copy, &copy->seg[index], offset, home, op,
			       part / PAGE_SECTORS);
		for (i = 0; i < part / PAGE_SECTORS; i++)
			__bio_add_page(bio, *pages++, PAGE_SIZE, 0);
		atomic_inc(&copy->left);
		submit_bio_noacct(bio);
	}
}

/* Read or write one side of all valid segments of the batch, and wait. */
static int transfer_batch(struct par_copy *copy, bool home, enum req_op op)
{
	struct blk_plug plug;
	unsigned int i;

	copy->status = BLK_STS_OK;
	atomic_set(&copy->left, 1);
	init_completion(&copy->done);
	blk_start_plug(&plug);
	for (i = 0; i < copy->count; i++)
		if (copy->seg[i].valid)
			send_segment(copy, i, home, op);
	blk_finish_plug(&plug);
	copy_put(copy);
	wait_for_completion_io(&copy->done);
	return blk_status_to_errno(copy->status);
}

static bool has_image(enum par_seg_state state)
{
	return state == PAR_SEG_BOTH || state == PAR_SEG_IMAGE;
}

/*
 * Lock the segments: their states cannot change any more, unless their rows are discarded.
 * They were collected without locks: a write may have made an image old since.
 */
static void lock_batch(struct par_copy *copy)
{
	unsigned int i;

	for (i = 0; i < copy->count; i++) {
		struct par_copy_seg *seg = &copy->seg[i];

		seg->locked = par_segment_lock(copy->set, seg->d, seg->row);
		/* Pairs with the zone lock under which a row is discarded. */
		seg->valid = par_map_locked_state(copy->set, seg->row, seg->d) ==
			     seg->state &&
			     (copy->to_home ? has_image(seg->state) :
			      par_band_imageable(copy->set, seg->row,
						 par_image_set(&copy->set->conf->geo, seg->d)));
	}
}

/*
 * raid5 may have begun to work without the member since the segment was locked. Then
 * drop_images() or par_forget_images() may have determined which copies are old, and must
 * not be overruled.
 */
static void publish_segment(struct par_copy_seg *seg)
{
	struct par_set *set = seg->copy->set;
	spinlock_t *lock = par_zone_lock(set->conf, par_zone_of(set, seg->row));

	spin_lock(lock);
	seg->valid = !(READ_ONCE(set->child.absent) & BIT(seg->d)) &&
		     par_map_get(set, seg->row, seg->d) == seg->state;
	if (seg->valid)
		par_map_set(set, seg->row, seg->d, PAR_SEG_BOTH);
	spin_unlock(lock);
}

static void publish_batch(struct par_copy *copy)
{
	struct par_conf *conf = copy->set->conf;
	unsigned int i;

	for (i = 0; i < copy->count; i++) {
		struct par_copy_seg *seg = &copy->seg[i];

		if (seg->valid)
			publish_segment(seg);
		if (!seg->valid)
			continue;
		conf->shift->propagated_bytes += conf->geo.seg_sectors << SECTOR_SHIFT;
		conf->shift->done++;
	}
}

static void unlock_batch(struct par_copy *copy)
{
	unsigned int i;

	for (i = 0; i < copy->count; i++)
		if (copy->seg[i].locked)
			par_segment_unlock(copy->set, copy->seg[i].d,
					   copy->seg[i].row);
}

/*
 * A home copy that cannot be written means that the member has failed. raid5 handles errors
 * of the images itself.
 */
static void fail_unwritten(struct par_copy *copy)
{
	unsigned int i;

	for (i = 0; i < copy->count; i++)
		if (copy->seg[i].status)
			par_member_failed(copy->set->conf, copy->seg[i].d);
}

/*
 * A home copy that cannot be read is corrected by raid5 from the other members. Returns
 * -EAGAIN if raid5 has tried, and the copy may succeed now; -EBUSY if it could not try: the
 * attempt does not count, since no block is lost until raid5 has failed to compute it.
 */
static int fix_unread(struct par_copy *copy)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < copy->count; i++) {
		struct par_copy_seg *seg = &copy->seg[i];

		if (seg->status && err != -EBUSY &&
		    par_resync_fix(copy->set, seg->row, seg->row + 1) == -EBUSY)
			err = -EBUSY;
		else if (seg->status)
			err = err ?: -EAGAIN;
		seg->status = BLK_STS_OK;
	}
	return err;
}

/* Read a page of a segment; false if it cannot be read. */
static bool read_page(struct par_copy *copy, struct par_copy_seg *seg,
		      unsigned int offset, struct page *page)
{
	struct bio *bio = side_bio(copy, seg, offset, !copy->to_home, REQ_OP_READ, 1);
	int err;

	__bio_add_page(bio, page, PAGE_SIZE, 0);
	err = submit_bio_wait(bio);
	bio_put(bio);
	if (err)
		memset(page_address(page), 0, PAGE_SIZE);
	return !err;
}

/*
 * The only valid copy of a segment cannot be read completely, and raid5 has not recomputed
 * it from the other members: the copies will be alike where it can be read, and elsewhere
 * neither holds valid data. That is stored before they are called valid.
 */
static int salvage_segment(struct par_copy *copy, unsigned int index)
{
	struct par_copy_seg *seg = &copy->seg[index];
	unsigned int size = copy->set->conf->geo.seg_sectors, offset;
	struct page **pages = copy->set->conf->shift->copy_pages + index * size / PAGE_SECTORS;
	u64 first = seg->row << copy->set->conf->geo.seg_shift;
	int err = 0;

	for (offset = 0; !err && offset < size; offset += PAGE_SECTORS)
		if (!read_page(copy, seg, offset, *pages++))
			err = par_store_lose(&copy->set->vm[seg->d], first + offset,
					     PAGE_SECTORS);
	return err;
}

/* Not if more than a few blocks are unreadable: it is then unknown what will be readable again. */
static bool may_salvage(struct par_copy *copy, unsigned int d)
{
	struct par_conf *conf = copy->set->conf;
	struct par_set *gear = conf->set[par_image_set(&conf->geo, d)];

	return !gear->ops->failed(gear) && !copy->set->ops->failed(copy->set) &&
	       par_member_usable(conf, d);
}

static int salvage_batch(struct par_copy *copy)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < copy->count; i++) {
		struct par_copy_seg *seg = &copy->seg[i];

		seg->salvaged = seg->valid && seg->status && may_salvage(copy, seg->d);
		if (seg->salvaged)
			err = salvage_segment(copy, i);
		else if (seg->status)
			err = blk_status_to_errno(seg->status);
		seg->status = err ? seg->status : BLK_STS_OK;
	}
	return err;
}

/* raid5 may be able to compute lost blocks from the other members by now. */
static void heal_batch(struct par_copy *copy)
{
	unsigned int i;

	for (i = 0; i < copy->count; i++)
		if (copy->seg[i].salvaged && par_lost_row(copy->set, copy->seg[i].row))
			par_resync_fix(copy->set, copy->seg[i].row,
				       copy->seg[i].row + 1);
}

/* Mend images that did not accept their copies. Returns -EAGAIN if they may accept them now. */
static int mend_images(struct par_copy *copy)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < copy->count; i++)
		if (copy->seg[i].valid && copy->seg[i].status)
			err = par_mend_image(copy->set, copy->seg[i].d, copy->seg[i].row);
	return err ?: -EAGAIN;
}

/* The highest gear set that has images of the batch. */
static unsigned int highest_images(const struct par_copy *copy)
{
	unsigned int i, highest = 0;

	for (i = 0; i < copy->count; i++)
		highest = max(highest, par_image_set(&copy->set->conf->geo, copy->seg[i].d));
	return highest;
}

static int copy_batch(struct par_copy *copy)
{
	struct par_conf *conf = copy->set->conf;
	bool read_failed, write_failed = false;
	int err;

	/* Home copies are written here without an intent. */
	err = copy->to_home ? par_store_begin(conf) : 0;
	if (err)
		return err;
	if (!copy->impatient)
		mutex_lock(&conf->shift->copy_mutex);
	else if (!mutex_trylock(&conf->shift->copy_mutex))
		return -EBUSY;
	par_slots_copying(conf, highest_images(copy));
	lock_batch(copy);
	err = transfer_batch(copy, !copy->to_home, REQ_OP_READ);
	if (err && copy->salvage && conf->geo.parities)
		err = salvage_batch(copy);
	read_failed = err && !copy->to_home;
	if (!err) {
		err = transfer_batch(copy, copy->to_home, REQ_OP_WRITE);
		write_failed = err && !copy->to_home;
		if (err && copy->to_home)
			fail_unwritten(copy);
	}
	if (!err)
		publish_batch(copy);
	unlock_batch(copy);
	par_slots_copying(conf, 0);
	mutex_unlock(&conf->shift->copy_mutex);
	if (!err && copy->heal)
		heal_batch(copy);
	if (write_failed && !copy->held)
		err = mend_images(copy);
	/* raid5 writes what it corrects, which it cannot do while the set is quiet. */
	if (read_failed && !copy->held)
		err = fix_unread(copy) ?: err;
	/* The next pass handles it. */
	if (copy->held && (read_failed || write_failed))
		err = -EAGAIN;
	return err;
}

static void add_segment(struct par_copy *copy, unsigned int d, u64 row,
			enum par_seg_state state)
{
	copy->seg[copy->count++] = (struct par_copy_seg) {
		.copy = copy, .d = d, .row = row, .state = state };
}

/* The next row with such segments, from @cursor on: with slots, of the runs to be filled. */
static bool find_row(struct par_copy *copy, unsigned int band, enum par_seg_state from,
		     struct par_cursor *cursor)
{
	struct par_set *set = copy->set;
	const struct par_geometry *geo = &set->conf->geo;

	if (from == PAR_SEG_HOME && par_has_slots(geo))
		return par_fill_next(set, band, cursor);
	cursor->row = par_map_find(set, cursor->row, geo->set[band].members,
				   geo->set[band + 1].members, from);
	return cursor->row < set->sg->rows;
}

/*
 * The next batch of segments in @from, of the sleepers that are imaged in gear set @band,
 * row by row: their images are then adjacent and fill whole stripes. No more than @most
 * segments, unless @most is 0. @cursor is set to the row after the batch.
 */
static void collect_batch(struct par_copy *copy, unsigned int band, enum par_seg_state from,
			  struct par_cursor *cursor, unsigned int most)
{
	struct par_set *set = copy->set;
	const struct par_geometry *geo = &set->conf->geo;
	unsigned int low = geo->set[band].members, d;
	unsigned int high = geo->set[band + 1].members;

	copy->count = 0;
	most = min_not_zero(most, PAR_COPY_SECTORS / geo->seg_sectors);
	/* The content of a missing member is restored by a rebuild. */
	for (d = low; d < high; d++)
		if (!par_member_usable(set->conf, d))
			return;
	while (copy->count + (high - low) <= max(most, high - low)) {
		if (!find_row(copy, band, from, cursor))
			return;
		for (d = low; d < high && copy->count < most; d++)
			if (par_map_get(set, cursor->row, d) == from)
				add_segment(copy, d, cursor->row, from);
		if (d < high)
			return;	/* the next batch begins with the rest of the row */
		cursor->row++;
	}
}

/* Copy one batch; its duration is added to the pass, and determines the size of the next one. */
static int copy_timed(struct par_copy *copy, struct par_pass *pass)
{
	struct par_conf *conf = copy->set->conf;
	unsigned int most = PAR_COPY_SECTORS / conf->geo.seg_sectors;
	bool in_use = par_in_use(conf);
	u64 began = ktime_get_ns(), took;
	int err = copy_batch(copy);

	took = ktime_get_ns() - began;
	pass->ns += took;
	pass->copied += copy->count;
	if (pass->held)
		return err;
	/* Disks that have been fast may be slow a moment later, beside other requests. */
	pass->batch = in_use ? par_pass_batch(min_not_zero(pass->batch, most),
					      DIV_ROUND_UP(most, 4), took) : most;
	par_yield_copied(conf, took);
	return err;
}

/* Is the pass to end before the next batch? */
static int pass_ends(struct par_copy *copy, const struct par_pass *pass)
{
	if (par_pass_over(pass, copy->count, ktime_get_ns()))
		return pass->held ? -EAGAIN : -ETIMEDOUT;
	return !pass->held && par_mover_interrupted(copy->set->conf) ? -EINTR : 0;
}

int par_propagate(struct par_set *set, unsigned int band,
		  enum par_seg_state from, struct par_pass *pass)
{
	struct par_conf *conf = set->conf;
	struct par_pace speed;
	struct par_copy *copy;
	struct par_cursor cursor = { }, before;
	unsigned int fixes = 0;
	u64 again = U64_MAX;
	int err = 0;

	might_sleep();
	copy = kzalloc(sizeof(*copy), GFP_NOIO | __GFP_NOFAIL);
	copy->set = set;
	copy->to_home = from == PAR_SEG_IMAGE;
	copy->salvage = copy->to_home;
	copy->heal = !pass->held;
	copy->held = pass->held;
	par_pace_begin(conf, &speed);
	for (;;) {
		before = cursor;
		collect_batch(copy, band, from, &cursor, pass->batch);
		if (!copy->count)
			break;
		err = pass_ends(copy, pass);
		if (err)
			break;
		speed.began = jiffies;
		err = copy_timed(copy, pass);
		if (err == -EAGAIN && !pass->held) {
			fixes = copy->seg[0].row == again ? fixes + 1 : 0;
			again = copy->seg[0].row;
			cursor = before;
			copy->salvage = fixes >= PAR_FIXES;
			if (fixes <= PAR_FIXES)
				continue;
			err = -EIO;
		}
		copy->salvage = copy->to_home;
		if (err)
			break;
		if (!pass->held)
			par_pace(conf, &speed, copy->count * conf->geo.seg_sectors / 2,
				 pass->speed);
		par_shift_notify(conf);
	}
	kfree(copy);
	return err;
}

/*
 * raid5 is not told to heal the segment: it may be waiting for the write that needs this
 * salvage.
 */
int par_salvage(struct par_set *set, unsigned int d, u64 row)
{
	struct par_copy *copy;
	int err;

	might_sleep();
	if (!par_member_usable(set->conf, d))
		return -EIO;
	copy = kzalloc(sizeof(*copy), GFP_NOIO | __GFP_NOFAIL);
	copy->set = set;
	copy->to_home = true;
	copy->salvage = true;
	/*
	 * The owner of the pages may be waiting for the write that needs this salvage, if
	 * it copies to images of this very set: a block that cannot be read now is lost
	 * then.
	 */
	copy->impatient = set != par_home(set->conf);
	add_segment(copy, d, row, PAR_SEG_IMAGE);
	err = copy_batch(copy);
	kfree(copy);
	return err;
}

/* Can the segments of @row of all members in @which be restored from their images? */
static bool row_restorable(struct par_set *set, u64 row, u32 which)
{
	unsigned int d;

	for (d = 0; d < set->sg->members; d++)
		if (which & BIT(d) && (!par_is_sleeper(&set->conf->geo, d) ||
				       !has_image(par_map_get(set, row, d))))
			return false;
	return which;
}

/* A row with a segment whose state has changed in between is left to raid5: it is not done. */
static u64 rows_restored(const struct par_copy *copy, u64 row, u64 end)
{
	unsigned int i;

	for (i = 0; i < copy->count; i++)
		if (!copy->seg[i].valid)
			return copy->seg[i].row - row;
	return end - row;
}

u64 par_restore_rows(struct par_set *set, u64 row, u64 end, u32 which)
{
	unsigned int most = PAR_COPY_SECTORS / set->conf->geo.seg_sectors, d;
	unsigned int each = hweight32(which);
	struct par_copy *copy;
	u64 at = row, done = 0;

	might_sleep();
	if (!row_restorable(set, row, which) || each > most)
		return 0;
	copy = kzalloc(sizeof(*copy), GFP_NOIO | __GFP_NOFAIL);
	copy->set = set;
	copy->to_home = true;
	for (; at < end && copy->count + each <= most &&
	     row_restorable(set, at, which); at++)
		for (d = 0; d < set->sg->members; d++)
			if (which & BIT(d))
				add_segment(copy, d, at, par_map_get(set, at, d));
	if (!copy_batch(copy))
		done = rows_restored(copy, row, at);
	kfree(copy);
	return done;
}

int par_propagate_init(struct par_conf *conf)
{
	unsigned int i;

	mutex_init(&conf->shift->copy_mutex);
	conf->shift->copy_pages = kvcalloc(PAR_COPY_PAGES, sizeof(*conf->shift->copy_pages),
					   GFP_KERNEL);
	if (!conf->shift->copy_pages)
		return -ENOMEM;
	for (i = 0; i < PAR_COPY_PAGES; i++) {
		conf->shift->copy_pages[i] = alloc_page(GFP_KERNEL);
		if (!conf->shift->copy_pages[i])
			return -ENOMEM;
	}
	return 0;
}

void par_propagate_exit(struct par_conf *conf)
{
	unsigned int i;

	for (i = 0; conf->shift->copy_pages && i < PAR_COPY_PAGES; i++)
		if (conf->shift->copy_pages[i])
			put_page(conf->shift->copy_pages[i]);
	kvfree(conf->shift->copy_pages);
}
