// SPDX-License-Identifier: GPL-2.0
/*
 * Rows being started and rows being discarded.
 *
 * The first write to a row starts it: writes to the row are gathered, and once they cover
 * it on every member, or no more have come for a millisecond, the uncovered part is filled
 * with zeros on all members. Only then is the row written in the map, and the gathered
 * writes are sent. So an acknowledged row is complete, and its parity is right even with a
 * member missing. Until these writes have ended the row is landing: the disks hold any
 * previous content there, and reads of the row wait.
 *
 * A row is discarded when every 4 KiB block of it has been discarded, on all members, with
 * no write in between. raid5 sends the discard of a stripe to all members and forgets the
 * stripe; until the row is complete, the old content stays, which is as consistent as
 * before.
 *
 * Timers: row_timer goes off when the first of the gathered rows has seen no write for a
 * millisecond, and this row is then filled; or when the first of the half-discarded rows
 * has seen no discard for five seconds, and this one is then dropped.
 */
#include <linux/bitmap.h>
#include <linux/slab.h>

#include "core/parent.h"
#include "io/io.h"

#define PAR_GRAIN_SHIFT		3	/* coverage is kept in 4 KiB blocks */
#define PAR_FILL_SECTORS	1024U	/* zeros in one request */
#define PAR_GATHER		ms_to_ktime(1)
#define PAR_GATHER_DISCARD	ms_to_ktime(5000)
#define PAR_ROW_RESERVE		64

/*
 * struct par_row - a row being started or discarded, hashed in its set
 * @gear: the gear that its fill was routed by, and by which it was started
 * @fua: one of its writes is FUA, so its fill has to be, too; @filled_fua: it is
 * @started: it is written in the map, and hashed until its first writes have ended
 * @left: the number of first writes that have not ended, plus one while they are being
 *	sent; @reads: reads that wait for them
 * @due: the time at which no further additions are expected
 * @covered, @count: which blocks of which member have been written or discarded
 */
struct par_row {
	struct hlist_node hash;
	struct list_head list;		/* in start.gathering, until it is filled */
	struct list_head filled;	/* in .filled, then .landed, under the queue's lock */
	struct par_set *set;
	u64 row;
	bool discard, filling, fua, filled_fua, started;
	blk_status_t status;
	unsigned int gear;
	ktime_t due;
	struct bio_list bios, reads;
	atomic_t fills, left;
	unsigned int count;
	unsigned long covered[];
};

static unsigned int segment_grains(const struct par_conf *conf)
{
	return conf->geo.seg_sectors >> PAR_GRAIN_SHIFT;
}

static size_t row_bytes(const struct par_conf *conf)
{
	return struct_size_t(struct par_row, covered,
			     BITS_TO_LONGS(conf->geo.members * segment_grains(conf)));
}

struct par_row *par_row_alloc(struct par_set *set)
{
	return mempool_alloc(&set->start.pool, GFP_NOWAIT | __GFP_NOWARN);
}

void par_row_free(struct par_set *set, struct par_row *row)
{
	struct bio_list bios;
	unsigned long flags;

	mempool_free(row, &set->start.pool);
	smp_mb();	/* pairs with the one in par_row_await() */
	if (likely(!READ_ONCE(set->start.starved.head)))
		return;
	spin_lock_irqsave(&set->conf->queue.lock, flags);
	bios = set->start.starved;
	bio_list_init(&set->start.starved);
	spin_unlock_irqrestore(&set->conf->queue.lock, flags);
	par_requeue(set->conf, &bios);
}

void par_row_await(struct par_set *set, struct bio *bio)
{
	struct par_row *row;

	par_queue_add(set->conf, &set->start.starved, bio);
	smp_mb();	/* pairs with the one in par_row_free() */
	/* A par_row may have been freed just before. */
	row = par_row_alloc(set);
	if (row)
		par_row_free(set, row);
}

static struct hlist_head *hash_of(struct par_set *set, u64 row)
{
	return &set->start.hash[row % PAR_ROW_HASH];
}

static struct par_row *find_either(struct par_set *set, u64 number, bool started)
{
	struct par_row *row;

	lockdep_assert_held(&set->conf->io->row_lock);
	hlist_for_each_entry(row, hash_of(set, number), hash)
		if (row->row == number && row->started == started)
			return row;
	return NULL;
}

/* The row that is being started or discarded, or NULL. */
static struct par_row *find_row(struct par_set *set, u64 number)
{
	return find_either(set, number, false);
}

/* The row that is landing, or NULL. */
static struct par_row *find_landing(struct par_set *set, u64 number)
{
	return find_either(set, number, true);
}

/*
 * A missing member needs no data: parity replaces its zeros. A member that is added while
 * the row is gathered is rebuilt like the others: the rebuild's write is added to the row,
 * even if it is zeros (see par_row_busy()).
 */
static bool member_there(struct par_set *set, unsigned int d)
{
	return par_member_usable(set->conf, d);
}

/* A write has been added to the row: wait as long for the next one. */
static void expect_more(struct par_row *row)
{
	struct par_set *set = row->set;

	lockdep_assert_held(&set->conf->io->row_lock);
	row->due = ktime_add(ktime_get(), row->discard ? PAR_GATHER_DISCARD :
							 PAR_GATHER);
	if (ktime_before(row->due, set->start.due)) {
		set->start.due = row->due;
		hrtimer_start(&set->start.timer, row->due, HRTIMER_MODE_ABS_SOFT);
	}
}

static void add_row(struct par_set *set, struct par_row *row, u64 number,
		    bool discard)
{
	struct par_conf *conf = set->conf;
	unsigned int d;

	lockdep_assert_held(&conf->io->row_lock);
	memset(row, 0, row_bytes(conf));
	row->set = set;
	row->row = number;
	row->discard = discard;
	bio_list_init(&row->bios);
	bio_list_init(&row->reads);
	for (d = 0; d < set->sg->members; d++)
		if (!member_there(set, d)) {
			bitmap_set(row->covered, d * segment_grains(conf), segment_grains(conf));
			row->count += segment_grains(conf);
		}
	hlist_add_head(&row->hash, hash_of(set, number));
	list_add_tail(&row->list, &set->start.gathering);
	conf->map.zone[par_zone_of(set, number)].starting++;
	expect_more(row);
}

/* The row belongs to the caller from now on. */
static void remove_row(struct par_row *row)
{
	struct par_conf *conf = row->set->conf;

	lockdep_assert_held(&conf->io->row_lock);
	hlist_del(&row->hash);
	list_del_init(&row->list);
	conf->map.zone[par_zone_of(row->set, row->row)].starting--;
}

/* Whole 4 KiB blocks that [@sector, @end) of a segment covers. */
static void cover_grains(struct par_row *row, unsigned int d, u64 sector, u64 end)
{
	struct par_conf *conf = row->set->conf;
	u64 start = row->row << conf->geo.seg_shift;
	unsigned int from = round_up(sector - start, 1 << PAR_GRAIN_SHIFT) >>
			    PAR_GRAIN_SHIFT;
	unsigned int to = (end - start) >> PAR_GRAIN_SHIFT;

	for (; from < to; from++)
		if (!__test_and_set_bit(d * segment_grains(conf) + from, row->covered))
			row->count++;
}

static bool row_covered(const struct par_row *row)
{
	return row->count == row->set->sg->members * segment_grains(row->set->conf);
}

bool par_row_busy(struct par_set *set, u64 number)
{
	bool busy;

	lockdep_assert_held(par_zone_lock(set->conf, par_zone_of(set, number)));
	spin_lock(&set->conf->io->row_lock);
	busy = find_row(set, number);
	spin_unlock(&set->conf->io->row_lock);
	return busy;
}

/*
 * A sleeper that has failed while asleep was left out of the fill, in its image too: the
 * row must not be started in a way that calls the image valid. The gathered writes are
 * routed again and wait for the top gear (must_wake() in route.c).
 */
static bool images_filled(const struct par_row *row)
{
	struct par_set *set = row->set;
	const struct par_geometry *geo = &set->conf->geo;
	unsigned int d;

	for (d = geo->set[row->gear].members; d < set->sg->members; d++)
		if (geo->parities && (READ_ONCE(set->child.absent) & BIT(d) ||
				      !member_there(set, d)))
			return false;
	return par_row_has_slots(set, row->row, row->gear);
}

/*
 * The row is complete: it is written, with the states of row->gear. A read from now on sees
 * that it is landing.
 */
static void start_row(struct par_row *row)
{
	struct par_zone *zone = &row->set->conf->map.zone[par_zone_of(row->set, row->row)];

	lockdep_assert_held(&row->set->conf->io->row_lock);
	list_del_init(&row->list);
	zone->starting--;
	row->started = true;
	atomic_set(&row->left, 1);
	WRITE_ONCE(zone->landing, zone->landing + 1);
	smp_wmb();	/* pairs with the one in read_action() */
	par_map_start_row(row->set, row->row, row->gear);
}

bool par_row_write(struct par_vmember *vm, u64 number, unsigned int gear,
		   struct bio *bio, struct par_row **spare,
		   struct par_row **full)
{
	struct par_conf *conf = vm->set->conf;
	struct par_row *row;

	lockdep_assert_held(par_zone_lock(vm->set->conf, par_zone_of(vm->set, number)));
	spin_lock(&conf->io->row_lock);
	row = find_row(vm->set, number);
	if (!row && !*spare) {
		spin_unlock(&conf->io->row_lock);
		return false;
	}
	if (!row) {
		row = *spare;
		*spare = NULL;
		add_row(vm->set, row, number, false);
	}
	bio_list_add(&row->bios, bio);
	if (bio->bi_opf & REQ_FUA)
		WRITE_ONCE(row->fua, true);
	expect_more(row);
	if (!row->filling) {	/* otherwise sent with the others, after the fill */
		cover_grains(row, vm->index, bio->bi_iter.bi_sector, bio_end_sector(bio));
		row->gear = gear;
		if (row_covered(row) && images_filled(row)) {
			start_row(row);
			*full = row;
		}
	}
	spin_unlock(&conf->io->row_lock);
	return true;
}

/*
 * The destination of a write of a row that has just been started is known: a segment that
 * is in state "home" since then stays so as long as it is not copied, and copying begins
 * only after every set has been quiet (see shift_down()).
 */
static bool goes_home(const struct par_row *row, const struct par_vmember *vm)
{
	return par_awake(row->set->conf, row->gear, vm->index) &&
	       !par_set_tracks(row->set);
}

/* One of the row's first writes has ended; any context. */
static void row_landed(struct par_row *row)
{
	struct par_set *set = row->set;
	unsigned long flags;

	if (!atomic_dec_and_test(&row->left))
		return;
	spin_lock_irqsave(&set->conf->queue.lock, flags);
	list_add_tail(&row->filled, &set->start.landed);
	spin_unlock_irqrestore(&set->conf->queue.lock, flags);
	queue_work(set->route.wq, &set->start.work);
}

bool par_row_hold_read(struct par_set *set, u64 number, struct bio *bio)
{
	struct par_row *row;

	spin_lock(&set->conf->io->row_lock);
	row = find_landing(set, number);
	if (row)
		bio_list_add(&row->reads, bio);
	spin_unlock(&set->conf->io->row_lock);
	return row;
}

/* All of the row's first writes have ended: it is handled like any other row now. */
static void end_landing(struct par_row *row)
{
	struct par_set *set = row->set;
	struct par_zone *zone = &set->conf->map.zone[par_zone_of(set, row->row)];

	spin_lock(&set->conf->io->row_lock);
	hlist_del(&row->hash);
	WRITE_ONCE(zone->landing, zone->landing - 1);
	spin_unlock(&set->conf->io->row_lock);
	par_requeue(set->conf, &row->reads);
	par_row_free(set, row);
}

/* Send the first writes, each counted until it ends. */
static void send_first_writes(struct par_row *row)
{
	struct bio *bio;

	while ((bio = bio_list_pop(&row->bios))) {
		struct par_vmember *vm = bio->bi_bdev->bd_disk->private_data;
		bool home = goes_home(row, vm);
		struct bio *first = par_clone_first(vm, bio, row, row_landed,
						    home);

		atomic_inc(&row->left);
		if (home)
			par_to_home(vm, first);
		else
			par_route(vm, first);
	}
	row_landed(row);
}

/*
 * When memory is short, few clones of first writes can be allocated. The clones of a row
 * may be parked, and dispatch_work() routes them again: so only row_work() may wait for
 * such a clone.
 */
static bool may_send(struct par_set *set)
{
	struct work_struct *work = current_work();

	return !work || work == &set->start.work;
}

/* Have row_work() continue a row whose zeros have ended, or that needs none. */
static void add_filled(struct par_row *row)
{
	struct par_set *set = row->set;
	unsigned long flags;

	spin_lock_irqsave(&set->conf->queue.lock, flags);
	list_add_tail(&row->filled, &set->start.filled);
	spin_unlock_irqrestore(&set->conf->queue.lock, flags);
	queue_work(set->route.wq, &set->start.work);
}

void par_row_release(struct par_row *row)
{
	struct par_set *set = row->set;
	struct bio *bio;

	if (row->started) {
		if (may_send(set))
			send_first_writes(row);
		else
			add_filled(row);
		return;
	}
	while ((bio = bio_list_pop(&row->bios)))
		par_route(bio->bi_bdev->bd_disk->private_data, bio);
	par_row_free(set, row);
}

void par_row_touch(struct par_set *set, u64 number)
{
	struct par_row *row;

	lockdep_assert_held(par_zone_lock(set->conf, par_zone_of(set, number)));
	spin_lock(&set->conf->io->row_lock);
	row = find_row(set, number);
	if (row && row->discard) {
		remove_row(row);
		par_row_free(set, row);
	}
	spin_unlock(&set->conf->io->row_lock);
}

/*
 * A row whose segments are being copied is not cleared: it could be started again while a
 * copy of its old content is still under way. Nor is a row of a set that is being synced or
 * is degraded: raid5 may have read the old content of the discarded stripe into its cache
 * again. Nor a row with lost blocks, which would be lost in the row that is started in its
 * place.
 */
static bool must_stay(struct par_set *set, u64 number)
{
	unsigned int d;

	if (!par_set_steady(set) || par_lost_row(set, number))
		return true;
	for (d = set->conf->geo.set[1].members; d < set->sg->members; d++)
		if (par_segment_locked(set, d, number))
			return true;
	return false;
}

/* Zone lock held: count a discard; a complete row is cleared. */
static void collect_discard(struct par_vmember *vm, struct bio *bio, u64 number,
			    struct par_row **spare)
{
	struct par_conf *conf = vm->set->conf;
	struct par_row *row;

	lockdep_assert_held(par_zone_lock(conf, par_zone_of(vm->set, number)));
	spin_lock(&conf->io->row_lock);
	row = find_row(vm->set, number);
	if (!row) {
		row = *spare;
		*spare = NULL;
		add_row(vm->set, row, number, true);
	}
	cover_grains(row, vm->index, bio->bi_iter.bi_sector, bio_end_sector(bio));
	if (row_covered(row)) {
		if (!must_stay(vm->set, number))
			par_map_clear_row(vm->set, number);
		remove_row(row);
		par_row_free(vm->set, row);
	}
	spin_unlock(&conf->io->row_lock);
}

void par_row_discard(struct par_vmember *vm, struct bio *bio, u64 number)
{
	struct par_conf *conf = vm->set->conf;
	spinlock_t *lock = par_zone_lock(conf, par_zone_of(vm->set, number));
	struct par_row *spare;

	if (!par_map_written(vm->set, number))
		return;
	/*
	 * Kept for seconds, and optional: do not use the memory reserve, though freed rows
	 * go to the pool.
	 */
	spare = kmalloc(row_bytes(conf), GFP_NOWAIT | __GFP_NOMEMALLOC | __GFP_NOWARN);
	if (!spare)
		return;
	spin_lock(lock);
	/* In a written row, a hashed entry is always a discard. */
	if (par_map_written(vm->set, number))
		collect_discard(vm, bio, number, &spare);
	spin_unlock(lock);
	if (spare)
		par_row_free(vm->set, spare);
}

static void fill_done(struct par_row *row)
{
	if (atomic_dec_and_test(&row->fills))
		add_filled(row);
}

static void fill_endio(struct bio *bio)
{
	struct par_row *row = bio->bi_private;
	struct par_vmember *vm = par_clone_vm(bio);

	/*
	 * A member that cannot be filled has failed or is missing, and needs no zeros. If
	 * the fill of an image fails, the gear set has failed, or the blocks are lost
	 * there.
	 */
	if (bio->bi_status && !par_awake(row->set->conf, row->gear, vm->index) &&
	    !par_lost(vm, bio->bi_iter.bi_sector, bio_sectors(bio)))
		row->status = bio->bi_status;
	par_clone_end(bio);
	fill_done(row);
}

/* Send zeros to [@from, @to) grains of a member, routed by the row's gear. */
static void fill_range(struct par_row *row, struct par_vmember *vm,
		       unsigned int from, unsigned int to)
{
	struct par_conf *conf = row->set->conf;
	u64 sector = (row->row << conf->geo.seg_shift) + (from << PAR_GRAIN_SHIFT);
	unsigned int left = (to - from) << PAR_GRAIN_SHIFT;

	while (left) {
		unsigned int part = min(left, PAR_FILL_SECTORS), added;
		struct bio *bio = par_clone_alloc(vm, REQ_OP_WRITE |
						  (row->filled_fua ? REQ_FUA : 0),
						  DIV_ROUND_UP(part, PAGE_SECTORS));

		bio->bi_iter.bi_sector = sector;
		bio->bi_private = row;
		bio->bi_end_io = fill_endio;
		for (added = part << SECTOR_SHIFT; added; added -= min(added, PAGE_SIZE))
			__bio_add_page(bio, ZERO_PAGE(0), min(added, PAGE_SIZE), 0);
		atomic_inc(&row->fills);
		sector += part;
		left -= part;
		if (par_awake(conf, row->gear, vm->index))
			par_clone_home(bio);
		else
			par_to_image(vm, bio, NULL);
	}
}

/*
 * Fill the uncovered part with zeros. A write of part of a 4 KiB block is sent after its
 * block has been filled, so the block may count as uncovered here.
 */
static void fill_row(struct par_row *row)
{
	struct par_conf *conf = row->set->conf;
	unsigned int size = segment_grains(conf), d;

	row->gear = READ_ONCE(conf->gear);
	row->filled_fua = READ_ONCE(row->fua);
	atomic_set(&row->fills, 1);
	for (d = 0; d < row->set->sg->members; d++) {
		unsigned int end = (d + 1) * size, to = d * size, from;

		while (member_there(row->set, d)) {
			from = find_next_zero_bit(row->covered, end, to);
			if (from >= end)
				break;
			to = find_next_bit(row->covered, end, from);
			fill_range(row, &row->set->vm[d], from - d * size,
				   to - d * size);
		}
	}
	fill_done(row);
}

static void fail_row(struct par_row *row)
{
	struct bio *bio;

	while ((bio = bio_list_pop(&row->bios))) {
		bio->bi_status = row->status;
		bio_endio(bio);
	}
}

/*
 * The fill is on the disks. If the gear that it was routed by is still the zone's intent,
 * the row is written; otherwise its writes are routed again. So they are if a FUA write has been
 * added after the fill was sent: when that is acknowledged, the row must be complete for good.
 */
static void finish_fill(struct par_row *row)
{
	struct par_set *set = row->set;
	struct par_conf *conf = set->conf;
	u32 zone = par_zone_of(set, row->row);

	spin_lock(par_zone_lock(conf, zone));
	spin_lock(&conf->io->row_lock);
	if (!row->status && (row->filled_fua || !row->fua) &&
	    par_zone_admits(&conf->map.zone[zone], row->gear, true) &&
	    row->gear == READ_ONCE(conf->gear) && images_filled(row))
		start_row(row);
	else
		remove_row(row);
	spin_unlock(&conf->io->row_lock);
	spin_unlock(par_zone_lock(conf, zone));

	if (row->status)
		fail_row(row);
	par_row_release(row);
}

/* A row that is due; if there is none, the timer is set for the next. */
static struct par_row *take_due(struct par_set *set)
{
	struct par_row *row, *found = NULL;
	ktime_t now = ktime_get();

	spin_lock(&set->conf->io->row_lock);
	set->start.due = KTIME_MAX;
	list_for_each_entry(row, &set->start.gathering, list) {
		if (ktime_before(now, row->due)) {
			set->start.due = min(set->start.due, row->due);
			continue;
		}
		found = row;
		if (row->discard) {
			remove_row(row);
		} else {
			row->filling = true;
			list_del_init(&row->list);
		}
		break;
	}
	if (!found && set->start.due != KTIME_MAX)
		hrtimer_start(&set->start.timer, set->start.due, HRTIMER_MODE_ABS_SOFT);
	spin_unlock(&set->conf->io->row_lock);
	return found;
}

/* Take a row from set->start.filled or set->start.landed. */
static struct par_row *take_row(struct par_set *set, struct list_head *list)
{
	struct par_row *row;

	spin_lock_irq(&set->conf->queue.lock);
	row = list_first_entry_or_null(list, struct par_row, filled);
	if (row)
		list_del(&row->filled);
	spin_unlock_irq(&set->conf->queue.lock);
	return row;
}

static void row_work(struct work_struct *work)
{
	struct par_set *set = container_of(work, struct par_set, start.work);
	struct par_row *row;
	struct blk_plug plug;

	blk_start_plug(&plug);
	while ((row = take_due(set))) {
		if (row->discard)
			par_row_free(set, row);
		else
			fill_row(row);
	}
	while ((row = take_row(set, &set->start.filled))) {
		if (row->started)
			send_first_writes(row);
		else
			finish_fill(row);
	}
	while ((row = take_row(set, &set->start.landed)))
		end_landing(row);
	blk_finish_plug(&plug);
}

static enum hrtimer_restart row_timer(struct hrtimer *timer)
{
	struct par_set *set = container_of(timer, struct par_set, start.timer);

	queue_work(set->route.wq, &set->start.work);
	return HRTIMER_NORESTART;
}

int par_rows_init(struct par_set *set)
{
	unsigned int i;

	for (i = 0; i < PAR_ROW_HASH; i++)
		INIT_HLIST_HEAD(&set->start.hash[i]);
	INIT_LIST_HEAD(&set->start.gathering);
	INIT_LIST_HEAD(&set->start.filled);
	INIT_LIST_HEAD(&set->start.landed);
	bio_list_init(&set->start.starved);
	INIT_WORK(&set->start.work, row_work);
	set->start.due = KTIME_MAX;
	par_hrtimer_setup(&set->start.timer, row_timer, CLOCK_MONOTONIC,
			  HRTIMER_MODE_ABS_SOFT);
	return mempool_init_kmalloc_pool(&set->start.pool, PAR_ROW_RESERVE,
					 row_bytes(set->conf));
}

/* The set is quiet: the remaining entries are discards that never became complete. */
void par_rows_purge(struct par_set *set)
{
	struct par_conf *conf = set->conf;
	struct par_row *row, *next;

	spin_lock(&conf->io->row_lock);
	list_for_each_entry_safe(row, next, &set->start.gathering, list) {
		remove_row(row);
		par_row_free(set, row);
	}
	spin_unlock(&conf->io->row_lock);
}

void par_rows_exit(struct par_set *set)
{
	struct par_row *row;

	if (!mempool_initialized(&set->start.pool))
		return;
	par_rows_purge(set);
	/* The work may be sending the last of a row's first writes. */
	flush_work(&set->route.dispatch_work);
	/* The work sets the timer, and the timer queues the work. */
	hrtimer_cancel(&set->start.timer);
	cancel_work_sync(&set->start.work);
	hrtimer_cancel(&set->start.timer);
	while ((row = take_row(set, &set->start.landed)))
		end_landing(row);
	mempool_exit(&set->start.pool);
}
