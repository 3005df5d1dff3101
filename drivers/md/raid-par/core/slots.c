// SPDX-License-Identifier: GPL-2.0
/*
 * The slots in memory: see slots.h for the contracts.
 */
#include <linux/slab.h>
#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include "core/slots.h"
#include "pure/slot-choice.h"

static int alloc_band(struct par_slot_map *map, const struct par_band *band)
{
	u32 *run = kvcalloc(band->runs, sizeof(*run), GFP_KERNEL);
	struct par_slot *slot = kvcalloc(band->slots, sizeof(*slot), GFP_KERNEL);
	u16 *free = kvcalloc(band->blocks, sizeof(*free), GFP_KERNEL);

	map->run = run;
	map->slot = slot;
	map->free = free;
	if (!run || !slot || !free)
		return -ENOMEM;
	par_slot_map_init(map, band->runs, band->slots, run, slot, free);
	return 0;
}

u32 par_slots_period(void)
{
	return div_u64(ktime_get_boottime_seconds(), PAR_CACHE_PERIOD);
}

int par_slots_alloc(struct par_conf *conf)
{
	struct par_slot_maps *slots = conf->slots;
	unsigned int i;
	int err = 0;

	slots->block = kvcalloc(max(1U, conf->geo.slot_blocks), sizeof(*slots->block),
				GFP_KERNEL);
	slots->todo = bitmap_zalloc(max(1U, conf->geo.slot_blocks), GFP_KERNEL);
	if (!slots->block || !slots->todo)
		return -ENOMEM;
	spin_lock_init(&slots->lock);
	raw_spin_lock_init(&slots->users_lock);
	bio_list_init(&slots->waiting);
	for (i = 1; par_has_slots(&conf->geo) && !err && i < conf->geo.gears; i++) {
		err = alloc_band(&slots->map[i], &conf->geo.band[i]);
		par_slot_cache_init(&slots->cache[i], &slots->map[i], par_slots_period());
	}
	return err;
}

void par_slots_free(struct par_conf *conf)
{
	unsigned int i;

	kvfree(conf->slots->block);
	bitmap_free(conf->slots->todo);
	for (i = 1; i < conf->geo.gears; i++) {
		kvfree(conf->slots->map[i].run);
		kvfree(conf->slots->map[i].slot);
		kvfree(conf->slots->map[i].free);
	}
}

static struct par_user *user_of(struct par_conf *conf, u64 stripe)
{
	lockdep_assert_held(&conf->slots->users_lock);
	return &conf->slots->users[stripe & (PAR_USERS - 1)];
}

void par_slots_used_by(struct par_conf *conf, const struct bio *bio)
{
	const struct par_geometry *geo = &conf->geo;
	u64 size = (u64)geo->chunk_sectors * (geo->members - geo->parities);
	u64 stripe = div64_u64(bio->bi_iter.bi_sector, size);
	u64 last = div64_u64(bio_end_sector(bio) - 1, size);
	struct par_user user = { .pid = task_pid_nr(current), .wrote = bio_data_dir(bio) == WRITE };
	unsigned long flags;

	if (!bio_sectors(bio))
		return;
	get_task_comm(user.comm, current);
	for (; stripe <= last && last - stripe < PAR_USERS; stripe++) {
		user.stripe = stripe + 1;
		raw_spin_lock_irqsave(&conf->slots->users_lock, flags);
		*user_of(conf, stripe) = user;
		raw_spin_unlock_irqrestore(&conf->slots->users_lock, flags);
	}
}

bool par_slots_user(struct par_conf *conf, u64 sector, struct par_user *user)
{
	u64 stripe = sector >> ilog2(conf->geo.chunk_sectors);
	unsigned long flags;

	raw_spin_lock_irqsave(&conf->slots->users_lock, flags);
	*user = *user_of(conf, stripe);
	raw_spin_unlock_irqrestore(&conf->slots->users_lock, flags);
	return user->stripe == stripe + 1;
}

bool par_image_at(const struct par_set *set, unsigned int d, u64 sector, u64 *at)
{
	const struct par_geometry *geo = &set->conf->geo;
	u64 x = par_set_offset(geo, set->number, sector);
	u32 slot;

	if (likely(!par_has_slots(geo))) {
		*at = par_image_sector(geo, d, x);
		return true;
	}
	slot = par_slot_any(&set->conf->slots->map[par_image_set(geo, d)],
			    par_slot_run(geo, x));
	if (slot == PAR_NO_SLOT)
		return false;
	*at = par_slot_image(geo, d, slot, x);
	return true;
}

bool par_image_of(const struct par_conf *conf, unsigned int band, u64 sector, unsigned int *d,
		  u64 *x)
{
	const struct par_slot_map *map = &conf->slots->map[band];
	u32 in_run;
	u64 slot;

	if (!par_has_slots(&conf->geo)) {
		*d = par_image_owner(&conf->geo, band, sector, x);
		return true;
	}
	*d = par_slot_owner(&conf->geo, band, sector, &slot, &in_run);
	if (slot >= map->slots || par_slot_state(map, slot) == PAR_SLOT_FREE)
		return false;
	*x = ((u64)par_slot_run_of(map, slot) << conf->geo.run_shift) + in_run;
	return true;
}

bool par_band_imageable(const struct par_set *set, u64 row, unsigned int band)
{
	return !par_has_slots(&set->conf->geo) ||
	       par_slot_of(&set->conf->slots->map[band], par_row_run(set, row)) != PAR_NO_SLOT;
}

bool par_row_has_slots(const struct par_set *set, u64 row, unsigned int gear)
{
	unsigned int band;

	for (band = gear; band < set->number; band++)
		if (!par_band_imageable(set, row, band))
			return false;
	return true;
}

u32 par_row_lacks_slots(const struct par_set *set, u64 row, unsigned int gear, bool *possible)
{
	const struct par_slot_map *map = set->conf->slots->map;
	unsigned int band;
	u32 lacks = 0;

	*possible = true;
	for (band = gear; band < set->number; band++) {
		if (par_band_imageable(set, row, band))
			continue;
		lacks |= BIT(band);
		/* If no give helps, the request would be held for one again and again. */
		*possible &= par_slot_givable(&map[band], par_row_run(set, row));
	}
	return lacks;
}

/*
 * The same for sector @sector of @set's content in gear @gear. An image lies in a lower set, of
 * which members may sleep as well: then their images are needed, too.
 */
static bool is_reached(const struct par_set *set, u64 sector, unsigned int gear)
{
	const struct par_geometry *geo = &set->conf->geo;
	u32 within;
	u64 row = par_row_of(set, sector, &within), at;
	bool written = par_map_look(set, row, 0) != PAR_SEG_UNWRITTEN;
	unsigned int d;

	if (!written && !par_row_has_slots(set, row, gear))
		return false;
	for (d = geo->set[gear].members; d < set->sg->members; d++) {
		const struct par_set *below = set->conf->set[par_image_set(geo, d)];

		/* Without parity a write concerns one member only, unless it starts the row. */
		if (written && !geo->parities && d != within / geo->chunk_sectors)
			continue;
		if (par_map_look(set, row, d) == PAR_SEG_HOME)
			return false;
		if (below->number > gear &&
		    (!par_image_at(set, d, row << geo->seg_shift, &at) ||
		     !is_reached(below, at, gear)))
			return false;
	}
	return true;
}

bool par_sector_imaged(const struct par_conf *conf, u64 sector)
{
	KUNIT_STATIC_STUB_REDIRECT(par_sector_imaged, conf, sector);
	return is_reached(conf->set[conf->geo.gears], sector, READ_ONCE(conf->gear));
}
EXPORT_SYMBOL_IF_KUNIT(par_sector_imaged);

bool par_run_rows(const struct par_set *set, u32 run, u64 *first, u64 *end)
{
	const struct par_geometry *geo = &set->conf->geo;
	u64 base = par_set_offset(geo, set->number, 0) >> geo->seg_shift;
	u64 from = ((u64)run << geo->run_shift) >> geo->seg_shift;
	u64 to = ((u64)(run + 1) << geo->run_shift) >> geo->seg_shift;

	*first = max(from, base) - base;
	*end = min(max(to, base) - base, set->sg->rows);
	return *first < *end;
}

/*
 * Requests of a sync, a scrub or the mover are not uses, but cannot be distinguished from those of
 * a user. So no request to the set counts while one of these is under way.
 */
static bool is_use(const struct par_vmember *vm)
{
	return par_is_sleeper(&vm->set->conf->geo, vm->index) &&
	       vm->set->number > READ_ONCE(vm->set->conf->slots->copied) &&
	       !test_bit(MD_RECOVERY_RUNNING, &vm->set->child.mddev.recovery);
}

static void miss_run(struct par_slot_cache *cache, u32 run, u32 period)
{
	if (run < cache->map->runs)
		par_slot_cache_miss(cache, run, max(period, cache->period));
}

/*
 * Would this use of a run without a slot be a miss, if the band's members slept? An unwritten row
 * would be given a slot, or be read without one.
 */
static bool would_miss(struct par_vmember *vm, unsigned int band, u64 row)
{
	const struct par_slot_cache *cache = &vm->set->conf->slots->cache[band];
	u32 slots = cache->map->slots;

	return par_slot_cache_lacks(cache, par_row_run(vm->set, row),
				    slots - par_slot_reserve(slots)) &&
	       par_map_look(vm->set, row, vm->index) != PAR_SEG_UNWRITTEN;
}

/*
 * A run of band @band, which is awake, is used. While the band sleeps, such a request reaches the
 * image in the run's slot, and with it runs of the lower bands, which it uses then. They need slots
 * before the band sleeps, so it uses them now, too.
 */
static void use_below(struct par_slot_maps *slots, unsigned int band, u32 run, u32 period)
{
	u32 slot = par_slot_of(&slots->map[band], run), at, last;

	lockdep_assert_held(&slots->lock);
	if (slot == PAR_NO_SLOT)
		return;
	par_slot_runs_below(&slots->conf->geo, band, slot, &at, &last);
	for (; at <= last; at++) {
		unsigned int below;

		for (below = band - 1; below; below--) {
			struct par_slot_cache *cache = &slots->cache[below];

			par_slot_cache_use(cache, at, max(period, cache->period));
		}
	}
}

/* @foretell: it is a miss, too, if the run has no slot */
static void use_run(struct par_vmember *vm, unsigned int band, u64 row, bool write, bool foretell)
{
	struct par_slot_maps *slots = vm->set->conf->slots;
	struct par_slot_cache *cache = &slots->cache[band];
	unsigned int gear = READ_ONCE(vm->set->conf->gear);
	u32 period = par_slots_period(), run = par_row_run(vm->set, row);
	unsigned long flags;

	/* Nearly always the run has been used in this period before. */
	if (run >= cache->map->runs || par_slot_cache_fresh(cache, run, period))
		return;
	spin_lock_irqsave(&slots->lock, flags);
	/* A use in a gear in which they sleep is a miss only if its data is needed: see below. */
	if (band >= gear)
		slots->hits[gear] += par_slot_of(cache->map, run) != PAR_NO_SLOT;
	else if (foretell)
		slots->lacking[band] += would_miss(vm, band, row);
	/* Another CPU may have seen the next period begin. */
	if (write && band < gear)
		par_slot_cache_write(cache, run, max(period, cache->period));
	else
		par_slot_cache_use(cache, run, max(period, cache->period));
	if (band < gear)
		use_below(slots, band, run, period);
	spin_unlock_irqrestore(&slots->lock, flags);
}

void par_slots_used(struct par_vmember *vm, u64 row, bool write, bool prior)
{
	const struct par_conf *conf = vm->set->conf;
	bool logged = READ_ONCE(conf->slots->logged);

	/*
	 * A log that is not off takes the writes, so they are no reason for images. It takes them
	 * without a read, so such reads are no misses; but what is written is often read later.
	 */
	if (is_use(vm) && !(write && logged))
		use_run(vm, par_image_set(&conf->geo, vm->index), row, write, !(prior && logged));
}

void par_slots_missed(struct par_vmember *vm, u64 row)
{
	struct par_conf *conf = vm->set->conf;
	struct par_slot_maps *slots = conf->slots;
	unsigned int gear = READ_ONCE(conf->gear), band = 0;
	u32 run = par_row_run(vm->set, row), period = par_slots_period();
	bool sleeper = par_is_sleeper(&conf->geo, vm->index);
	unsigned long flags;

	if (sleeper)
		band = par_image_set(&conf->geo, vm->index);
	spin_lock_irqsave(&slots->lock, flags);
	if (sleeper) {
		miss_run(&slots->cache[band], run, period);
		miss_run(&slots->cache[band], run + 1, period);
	}
	/* A row that is started lacks a slot for other members than this one, which is awake. */
	slots->lacking[max(band, min(gear, conf->geo.gears - 1))]++;
	spin_unlock_irqrestore(&slots->lock, flags);
	atomic64_inc(&slots->misses[gear]);
}
