// SPDX-License-Identifier: GPL-2.0
/*
 * A discard frees whole rows: data, parity and images.
 *
 * raid5 can discard only whole stripes, and it walks them 4 KiB by 4 KiB; so stripes
 * without a written row are skipped here (mkfs on an empty array of any size costs
 * nothing), and the others are sent down in runs. row.c receives the members' discards and
 * clears the rows; then the places of their images are discarded in the gear sets, and so
 * on down.
 *
 * All functions here wait, so they run on conf->queue.discard_wq.
 */
#include <linux/completion.h>
#include <linux/math64.h>

#include "core/parent.h"
#include "io/io.h"

#define PAR_DISCARD_SECTORS	1048576U	/* in one request to a set */

/* A set's stripes: a chunk on each member. */
struct par_stripes {
	u64 sectors;	/* of the set's address space in one stripe */
	u64 rows;	/* of the map in one stripe */
};

static struct par_stripes stripes_of(const struct par_set *set)
{
	const struct par_geometry *geo = &set->conf->geo;

	return (struct par_stripes) {
		.sectors = (u64)geo->chunk_sectors *
			   (set->sg->members - geo->parities),
		.rows = geo->chunk_sectors >> geo->seg_shift,
	};
}

static void wait_endio(struct bio *bio)
{
	complete(bio->bi_private);
}

/* Send the discard of stripes [@first, @end) to @set and wait. */
static void send_discard(struct par_set *set, u64 first, u64 end)
{
	struct par_conf *conf = set->conf;
	struct gendisk *disk = set == par_home(conf) ? conf->mddev->gendisk
						     : set->front;
	u64 sectors = stripes_of(set).sectors;
	u64 most = max(1ULL, div64_u64(PAR_DISCARD_SECTORS, sectors));

	while (first < end) {
		DECLARE_COMPLETION_ONSTACK(done);
		u64 count = min(end - first, most);
		struct bio *bio = bio_alloc_bioset(disk->part0, 0, REQ_OP_DISCARD,
						   GFP_NOIO, &conf->io->bios);

		bio->bi_iter.bi_sector = first * sectors;
		bio->bi_iter.bi_size = (count * sectors) << SECTOR_SHIFT;
		bio->bi_private = &done;
		bio->bi_end_io = wait_endio;
		set->ops->submit(set, bio);
		wait_for_completion_io(&done);
		bio_put(bio);
		first += count;
	}
}

/*
 * Keep rows [@row, @end) from being started while their images are being discarded. Returns
 * false if one is written or about to be.
 */
static bool hold_rows(struct par_set *set, u64 row, u64 end)
{
	struct par_conf *conf = set->conf;
	u32 zone, last = par_zone_of(set, end - 1);
	bool free = true;

	for (zone = par_zone_of(set, row); zone <= last; zone++) {
		spinlock_t *lock = par_zone_lock(conf, zone);

		spin_lock(lock);
		conf->map.zone[zone].held = true;
		if (READ_ONCE(conf->map.zone[zone].starting))
			free = false;
		spin_unlock(lock);
	}
	return free && par_map_next_written(set, row, end) == end;
}

static void release_rows(struct par_set *set, u64 row, u64 end)
{
	struct par_conf *conf = set->conf;
	u32 zone, last = par_zone_of(set, end - 1);

	for (zone = par_zone_of(set, row); zone <= last; zone++) {
		spinlock_t *lock = par_zone_lock(conf, zone);

		spin_lock(lock);
		conf->map.zone[zone].held = false;
		spin_unlock(lock);
	}
	par_store_look(conf);	/* releases writes that wait */
}

/* Grow [*row, *end) over unwritten neighbours, at most @by rows each way. */
static void widen_rows(struct par_set *set, u64 *row, u64 *end, u64 by)
{
	u64 most = by;

	while (most-- && *row && !par_map_written(set, *row - 1))
		(*row)--;
	while (by-- && *end < set->sg->rows && !par_map_written(set, *end))
		(*end)++;
}

/*
 * Rows [@row, @end) of @set have been cleared: discard their images in gear set @gear.
 * Images of consecutive rows are adjacent there; whole stripes of the gear set are
 * discarded.
 */
static void discard_images(struct par_set *set, struct par_set *gear, u64 row,
			   u64 end, u64 *first, u64 *last)
{
	const struct par_geometry *geo = &set->conf->geo;
	u64 imaged = geo->set[gear->number + 1].members - gear->sg->members;
	u64 sectors = stripes_of(gear).sectors;
	u64 base = par_set_offset(geo, set->number, 0) >> geo->seg_shift;

	widen_rows(set, &row, &end, DIV_ROUND_UP_ULL(sectors, imaged << geo->seg_shift));
	*first = DIV64_U64_ROUND_UP(((base + row) * imaged) << geo->seg_shift,
				    sectors);
	*last = div64_u64(((base + end) * imaged) << geo->seg_shift, sectors);
	if (*first >= *last)
		return;
	if (hold_rows(set, row, end))
		send_discard(gear, *first, *last);
	else
		*last = *first;
	release_rows(set, row, end);
}

/* Discard the images of these rows, and those of the gear sets' rows that this clears. */
static void discard_all_images(struct par_set *set, u64 row, u64 end)
{
	struct par_conf *conf = set->conf;
	unsigned int i;

	/* The rows must be stored as cleared before their images may be. */
	if (par_store_zones(conf))
		return;
	/* The images lie in slots, which other rows get: what is in them need not be cleared. */
	if (par_has_slots(&conf->geo))
		return;
	for (i = set->number - 1; i >= 1; i--) {
		u64 first, last, rows = stripes_of(conf->set[i]).rows;

		discard_images(set, conf->set[i], row, end, &first, &last);
		if (first < last)
			discard_all_images(conf->set[i], first * rows, last * rows);
	}
}

static bool stripe_written(struct par_set *set, u64 stripe)
{
	u64 rows = stripes_of(set).rows, row = stripe * rows;

	return par_map_next_written(set, row, row + rows) < row + rows;
}

/* Discard the written stripes of [@stripe, @end), run by run. */
static void discard_stripes(struct par_set *home, u64 stripe, u64 end)
{
	u64 rows = stripes_of(home).rows, first;

	for (;;) {
		first = div64_u64(par_map_next_written(home, stripe * rows,
						       end * rows), rows);
		if (first >= end)
			return;
		stripe = first;
		while (stripe < end && stripe_written(home, stripe))
			stripe++;
		send_discard(home, first, stripe);
		discard_all_images(home, first * rows, stripe * rows);
	}
}

u64 par_discard_next(struct par_conf *conf, const struct bio *bio, u64 *sector)
{
	struct par_set *home = par_home(conf);
	struct par_stripes stripes = stripes_of(home);
	u64 first = DIV64_U64_ROUND_UP(*sector, stripes.sectors), next = first;
	u64 end = div64_u64(bio_end_sector(bio), stripes.sectors);

	for (; first < end; first = next + 1) {
		next = div64_u64(par_map_next_written(home, first * stripes.rows,
						      end * stripes.rows), stripes.rows);
		if (next > first)
			break;
	}
	*sector = first * stripes.sectors;
	return first < end ? (next - first) * stripes.sectors : 0;
}

static void discard_one(struct par_conf *conf, struct bio *bio)
{
	struct par_set *home = par_home(conf);
	u64 stripe = stripes_of(home).sectors;

	if (par_set_steady(home))	/* else no row is cleared, see row.c */
		discard_stripes(home, DIV64_U64_ROUND_UP(bio->bi_iter.bi_sector, stripe),
				div64_u64(bio_end_sector(bio), stripe));
	bio_endio(bio);
}

static void discard_work(struct work_struct *work)
{
	struct par_conf *conf = container_of(work, struct par_io, discard_work)->conf;
	struct bio_list bios;
	struct bio *bio;

	par_queue_take(conf, &conf->io->discards, &bios);
	while ((bio = bio_list_pop(&bios)))
		discard_one(conf, bio);
}

void par_discard_request(struct par_conf *conf, struct bio *bio)
{
	par_queue_add(conf, &conf->io->discards, bio);
	queue_work(conf->queue.discard_wq, &conf->io->discard_work);
}

void par_discard_init(struct par_conf *conf)
{
	bio_list_init(&conf->io->discards);
	INIT_WORK(&conf->io->discard_work, discard_work);
}
