// SPDX-License-Identifier: GPL-2.0
/*
 * Zeros for slots that are evicted, so that the next run finds nothing of another one in its slot:
 * see Documentation/slots.md, "Why evict writes zeros". The gear set that the slots lie in has all
 * of its members awake, so nothing here waits for a sleeper or for a slot.
 */
#include <linux/completion.h>

#include "core/parent.h"
#include "gear/gear.h"

#define PAR_ZERO_BIO	512U	/* sectors in one request */
#define PAR_ZERO_S	60U	/* all slots of a band, if the array is in use meanwhile; at most */

/* The zeros of a slot. */
struct zeroing {
	atomic_t left;
	struct completion done;
	blk_status_t status;
};

static void zeroing_put(struct zeroing *zeroing)
{
	if (atomic_dec_and_test(&zeroing->left))
		complete(&zeroing->done);
}

static void zero_endio(struct bio *bio)
{
	struct zeroing *zeroing = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(zeroing->status, bio->bi_status);
	bio_put(bio);
	zeroing_put(zeroing);
}

static void send_zeros(struct par_set *gear, struct zeroing *zeroing, u64 sector, u32 sectors)
{
	struct bio *bio = bio_alloc_bioset(gear->front->part0, sectors / PAGE_SECTORS,
					   REQ_OP_WRITE, GFP_NOIO, &gear->conf->io->bios);
	unsigned int i;

	bio->bi_iter.bi_sector = sector;
	bio->bi_private = zeroing;
	bio->bi_end_io = zero_endio;
	for (i = 0; i < sectors / PAGE_SECTORS; i++)
		__bio_add_page(bio, ZERO_PAGE(0), PAGE_SIZE, 0);
	atomic_inc(&zeroing->left);
	submit_bio_noacct(bio);
}

static u32 slot_sectors(const struct par_conf *conf, unsigned int band)
{
	return conf->geo.band[band].imaged << conf->geo.run_shift;
}

static int zero_slot(struct par_conf *conf, unsigned int band, u32 slot)
{
	struct zeroing zeroing = { .left = ATOMIC_INIT(1) };
	u32 size = slot_sectors(conf, band), at;
	struct blk_plug plug;

	init_completion(&zeroing.done);
	mutex_lock(&conf->shift->copy_mutex);
	par_slots_copying(conf, band);	/* zeros are no use of the lower bands */
	blk_start_plug(&plug);
	for (at = 0; at < size; at += PAR_ZERO_BIO)
		send_zeros(conf->set[band], &zeroing, (u64)slot * size + at,
			   min(size - at, PAR_ZERO_BIO));
	blk_finish_plug(&plug);
	zeroing_put(&zeroing);
	wait_for_completion_io(&zeroing.done);
	par_slots_copying(conf, 0);
	mutex_unlock(&conf->shift->copy_mutex);
	return blk_status_to_errno(zeroing.status);
}

/*
 * Too much of a stripe of the gear set may be unreadable, so that it does not accept a part of it.
 * That is no reason to fail the shift.
 */
static int bear_error(struct par_conf *conf, unsigned int band, u32 slot, int err)
{
	struct par_set *gear = conf->set[band];

	pr_warn_ratelimited("md/par:%s: slot %u of gear %u is not freed: it does not accept zeros: error %d\n",
			    mdname(conf->mddev), slot, gear->sg->members, err);
	return gear->ops->failed(gear) ? err : 0;
}

static void learn_zero_us(struct par_conf *conf, unsigned int band, ktime_t began)
{
	u32 *us = &conf->shift->fill.band[band].zero_us;
	u32 took = min_t(u64, ktime_us_delta(ktime_get(), began), 100 * USEC_PER_SEC);

	*us = *us ? (*us * 7 + took) / 8 : took;
	*us = max(*us, 1U);
}

/* At first as many as can be written at 100 MiB/s. Waiting for speed_max is not learnt. */
u32 par_zero_most(const struct par_conf *conf, unsigned int band, u32 seconds)
{
	u64 us = conf->shift->fill.band[band].zero_us ?: slot_sectors(conf, band) * 5ULL;
	u64 kib = slot_sectors(conf, band) / 2;

	us = max(us, div_u64(kib * USEC_PER_SEC, READ_ONCE(conf->store->super.speed_max)));
	return clamp_t(u64, div64_u64((u64)seconds * USEC_PER_SEC, us), 1, U32_MAX);
}

int par_zero_slots(struct par_conf *conf, unsigned int band, u64 until,
		   void (*zeroed)(struct par_conf *conf, unsigned int band, u32 slot))
{
	const struct par_slot_map *map = &conf->slots->map[band];
	u32 kib = slot_sectors(conf, band) / 2, slot;
	u64 begun = ktime_get_seconds();
	u32 spread = clamp_t(u64, (max(until, begun) - begun) / 2, 1, PAR_ZERO_S);
	u64 least = div_u64((u64)map->count[PAR_SLOT_CLOSED] * kib, spread);
	bool any = false;
	struct par_pace pace;
	ktime_t began;
	int err = 0;

	might_sleep();
	par_pace_begin(conf, &pace);
	for (slot = 0; !err && map->count[PAR_SLOT_CLOSED] && slot < map->slots; slot++) {
		cond_resched();
		if (par_slot_state(map, slot) != PAR_SLOT_CLOSED)
			continue;
		if (par_mover_interrupted(conf) || (any && ktime_get_seconds() >= until))
			break;
		any = true;
		pace.began = jiffies;
		began = ktime_get();
		err = zero_slot(conf, band, slot);
		learn_zero_us(conf, band, began);
		if (err)
			err = bear_error(conf, band, slot, err);
		else
			zeroed(conf, band, slot);
		par_pace(conf, &pace, kib, min(least, U32_MAX));
	}
	return err;
}
