// SPDX-License-Identifier: GPL-2.0
/*
 * Segments that are locked while they are copied: writers are counted, and a write to a
 * locked segment is parked and routed again afterwards.
 */
#include "core/parent.h"
#include "io/io.h"

struct par_bucket *par_bucket_of(struct par_set *set, unsigned int d, u64 row)
{
	return &set->bucket[(row * 31 + d) % PAR_BUCKETS];
}

void par_bucket_put(struct par_conf *conf, struct par_bucket *bucket)
{
	unsigned long flags;
	bool wake;

	spin_lock_irqsave(&bucket->lock, flags);
	wake = !--bucket->writers && bucket->locked;
	spin_unlock_irqrestore(&bucket->lock, flags);
	if (wake)
		wake_up(&conf->io->wait);
}

/*
 * Count a writer; or, while the segment is being copied, park @bio and return false. Called
 * under the zone lock, so that the state that was read is still valid.
 */
bool par_bucket_get(struct par_bucket *bucket, struct bio *bio)
{
	unsigned long flags;
	bool locked;

	spin_lock_irqsave(&bucket->lock, flags);
	locked = bucket->locked;
	if (locked)
		bio_list_add(&bucket->waiters, bio);
	else
		bucket->writers++;
	spin_unlock_irqrestore(&bucket->lock, flags);
	return !locked;
}

static bool bucket_idle(struct par_bucket *bucket)
{
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&bucket->lock, flags);
	idle = !bucket->writers;
	spin_unlock_irqrestore(&bucket->lock, flags);
	return idle;
}

bool par_segment_lock(struct par_set *set, unsigned int d, u64 row)
{
	struct par_bucket *bucket = par_bucket_of(set, d, row);
	unsigned long flags;
	bool held;

	might_sleep();
	spin_lock_irqsave(&bucket->lock, flags);
	held = bucket->locked;
	bucket->locked = true;
	spin_unlock_irqrestore(&bucket->lock, flags);
	if (!held)
		wait_event(set->conf->io->wait, bucket_idle(bucket));
	return !held;
}

void par_segment_unlock(struct par_set *set, unsigned int d, u64 row)
{
	struct par_bucket *bucket = par_bucket_of(set, d, row);
	struct bio_list waiters;
	unsigned long flags;

	spin_lock_irqsave(&bucket->lock, flags);
	bucket->locked = false;
	waiters = bucket->waiters;
	bio_list_init(&bucket->waiters);
	spin_unlock_irqrestore(&bucket->lock, flags);
	par_requeue(set->conf, &waiters);
}

bool par_segment_locked(struct par_set *set, unsigned int d, u64 row)
{
	struct par_bucket *bucket = par_bucket_of(set, d, row);
	unsigned long flags;
	bool locked;

	lockdep_assert_held(par_zone_lock(set->conf, par_zone_of(set, row)));
	spin_lock_irqsave(&bucket->lock, flags);
	locked = bucket->locked;
	spin_unlock_irqrestore(&bucket->lock, flags);
	return locked;
}
