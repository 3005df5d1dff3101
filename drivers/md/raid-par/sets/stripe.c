// SPDX-License-Identifier: GPL-2.0
/*
 * A RAID-0 set: striping over virtual members, for child level 0 (PARAID-0).
 *
 * md's raid0 cannot be the child here: it fails any member whose disk is not
 * registered with the system (is_rdev_broken), and virtual members must not
 * be, lest udev and blkid open them.
 */
#include <linux/math64.h>

#include "core/parent.h"
#include "sets/sets.h"

struct par_stripe_io {
	struct par_set *set;
	struct bio *orig;
	unsigned long start;
	struct bio bio;
};

static int stripe_create(struct par_set *set)
{
	int err = bioset_init(&set->stripe.bios, BIO_POOL_SIZE,
			      offsetof(struct par_stripe_io, bio), 0);

	/* All chunks of a request are allocated before any of them is sent. */
	err = err ?: bioset_init(&set->stripe.chunk_bios, BIO_POOL_SIZE, 0,
				 BIOSET_NEED_RESCUER);
	set->running = !err;
	return err;
}

static void stripe_destroy(struct par_set *set)
{
	synchronize_rcu();	/* see stripe_put() */
	bioset_exit(&set->stripe.chunk_bios);
	bioset_exit(&set->stripe.bios);
}

/* stripe_quiesce() may see the count before it is woken, and the set may be freed after that. */
static void stripe_put(struct par_set *set)
{
	rcu_read_lock();
	if (atomic_dec_and_test(&set->stripe.in_flight))
		wake_up(&set->stripe.quiet);
	rcu_read_unlock();
}

static void stripe_endio(struct bio *bio)
{
	struct par_stripe_io *io = container_of(bio, struct par_stripe_io, bio);
	struct bio *orig = io->orig;
	struct par_set *set = io->set;

	if (bio->bi_status)
		orig->bi_status = bio->bi_status;
	bio_end_io_acct(orig, io->start);
	bio_put(bio);
	bio_endio(orig);
	stripe_put(set);
}

/* Count a request, unless the set is quiet or about to be. */
static void stripe_get(struct par_set *set)
{
	for (;;) {
		atomic_inc(&set->stripe.in_flight);
		/* Pairs with the barrier in stripe_quiesce(). */
		smp_mb__after_atomic();
		if (!READ_ONCE(set->stripe.quiesced))
			return;
		stripe_put(set);
		wait_event(set->stripe.quiet, !READ_ONCE(set->stripe.quiesced));
	}
}

/* Map the head of @bio, up to a chunk's end; returns the number of sectors mapped. */
static unsigned int stripe_map(struct par_set *set, struct bio *bio,
			       unsigned int *d, u64 *sector)
{
	u32 chunk = set->conf->geo.chunk_sectors;
	u64 at = bio->bi_iter.bi_sector;
	u32 within = at & (chunk - 1), member;
	u64 row = div_u64_rem(div_u64(at, chunk), set->sg->members, &member);

	*d = member;
	*sector = row * chunk + within;
	return chunk - within;
}

static void stripe_submit(struct par_set *set, struct bio *orig)
{
	struct bio *bio, *front;
	struct par_stripe_io *io;

	stripe_get(set);
	bio = bio_alloc_clone(orig->bi_bdev, orig, GFP_NOIO, &set->stripe.bios);
	io = container_of(bio, struct par_stripe_io, bio);
	io->set = set;
	io->orig = orig;
	io->start = bio_start_io_acct(orig);
	bio->bi_end_io = stripe_endio;
	do {
		unsigned int d, sectors;
		u64 sector;

		sectors = stripe_map(set, bio, &d, &sector);
		front = bio;
		if (sectors < bio_sectors(bio)) {
			front = bio_split(bio, sectors, GFP_NOIO, &set->stripe.chunk_bios);
			bio_chain(front, bio);
		}
		bio_set_dev(front, set->vm[d].disk->part0);
		front->bi_iter.bi_sector = sector;
		submit_bio_noacct(front);
	} while (front != bio);
}

static void stripe_quiesce(struct par_set *set, bool on)
{
	WRITE_ONCE(set->stripe.quiesced, on);
	/* Pairs with the barrier in stripe_get(). */
	smp_mb();
	if (on)
		wait_event(set->stripe.quiet, !atomic_read(&set->stripe.in_flight));
	else
		wake_up(&set->stripe.quiet);
}

static bool stripe_calm(struct par_set *set)
{
	WRITE_ONCE(set->stripe.quiesced, true);
	/* Pairs with the barrier in stripe_get(). */
	smp_mb();
	while (atomic_read(&set->stripe.in_flight) && !par_any_missed(&set->conf->wish))
		wait_event_timeout(set->stripe.quiet, !atomic_read(&set->stripe.in_flight),
				   PAR_CALM_LOOK);
	if (!atomic_read(&set->stripe.in_flight))
		return true;
	stripe_quiesce(set, false);
	return false;
}

static void stripe_fail(struct par_set *set, unsigned int d)
{
	set->stripe.broken = true;
}

static bool stripe_failed(struct par_set *set)
{
	return set->stripe.broken;
}

/*
 * A RAID-0 set fails no member: it sends requests to each, even if md calls it failed. So a
 * failed member keeps its place until the array stops, as in md's raid0.
 */
static bool stripe_holds(struct par_set *set, unsigned int d)
{
	return true;
}

/* Without parity a member cannot be rebuilt, so none is ever added. */
static void stripe_remove(struct par_set *set, unsigned int d)
{
}

static int stripe_add(struct par_set *set, unsigned int d)
{
	return -EINVAL;
}

static bool stripe_whole(struct par_set *set, unsigned int d)
{
	return !set->stripe.broken;
}

const struct par_set_ops par_stripe_ops = {
	.create = stripe_create,
	.destroy = stripe_destroy,
	.submit = stripe_submit,
	.quiesce = stripe_quiesce,
	.calm = stripe_calm,
	.fail = stripe_fail,
	.failed = stripe_failed,
	.holds = stripe_holds,
	.remove = stripe_remove,
	.add = stripe_add,
	.whole = stripe_whole,
};
