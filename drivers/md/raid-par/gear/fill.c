// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: which runs get one or lose one, by the plans of slot-plan.h, and which runs a shift down
 * fills. See gear.h for the contracts, and Documentation/slots.md.
 *
 * Only the mover evicts slots, before a shift down, and only in bands whose sleepers are awake: so
 * no image is made in these slots meanwhile, and a segment whose only valid copy is its image
 * stays so or is copied home. The mover also gives slots then, and give_work gives slots for rows
 * that are to be started while members sleep. conf->shift->fill.mutex excludes one from the other.
 * It is not held while the sets are made quiet, or zeros are written, since requests may wait for
 * give_work.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "core/parent.h"
#include "gear/gear.h"
#include "pure/slot-plan.h"

#define CREATE_TRACE_POINTS
#include "gear/gear_trace.h"

#define PAR_FILL_RUNS	65536U	/* of a band, in a shift down */
#define PAR_FILL_LOOK	4096U	/* runs that are examined between two pauses */
#define PAR_FILL_DAY	144U	/* periods of PAR_CACHE_PERIOD */

/*
 * struct slot_job - the runs that an occasion is about: of the rows that @bios are to start, or
 * @count tasks of @band
 */
struct slot_job {
	struct par_conf *conf;
	const struct bio_list *bios;
	unsigned int gear, band;
	const struct par_slot_task *task;
	u32 count;
};

typedef void (*slot_fn)(struct par_conf *conf, unsigned int band, u32 run);

static void each_run_of_bio(struct par_conf *conf, unsigned int gear, struct bio *bio, slot_fn fn)
{
	struct par_set *set = par_bio_vm(bio)->set;
	u64 row = bio->bi_iter.bi_sector >> conf->geo.seg_shift;
	unsigned int band;

	for (band = gear; band < set->number; band++)
		fn(conf, band, par_row_run(set, row));
}

static void each_run(const struct slot_job *job, slot_fn fn)
{
	struct bio *bio;
	u32 i;

	if (job->bios)
		bio_list_for_each(bio, job->bios)
			each_run_of_bio(job->conf, job->gear, bio, fn);
	for (i = 0; i < job->count; i++)
		if (job->task[i].run != PAR_NO_RUN)
			fn(job->conf, job->band, job->task[i].run);
}

/* ---- giving ---- */

static void give_run(struct par_conf *conf, unsigned int band, u32 run)
{
	struct par_slot_map *map = &conf->slots->map[band];
	u32 near = par_slot_near(&conf->geo, band, run), slot;
	unsigned long flags;
	bool given = false;

	spin_lock_irqsave(&conf->slots->lock, flags);
	slot = PAR_NO_SLOT;
	if (par_slot_any(map, run) == PAR_NO_SLOT)
		slot = par_slot_map_find_free(map, min(near, map->slots - 1));
	if (slot != PAR_NO_SLOT)
		given = par_slot_map_give(map, slot, run);
	spin_unlock_irqrestore(&conf->slots->lock, flags);
	if (given)
		par_slots_mark(conf, band, slot);
}

static void move_slot(struct par_conf *conf, unsigned int band, u32 slot,
		      enum par_slot_event event)
{
	unsigned long flags;

	spin_lock_irqsave(&conf->slots->lock, flags);
	par_slot_map_move(&conf->slots->map[band], slot, event);
	spin_unlock_irqrestore(&conf->slots->lock, flags);
}

static void hold_run(struct par_conf *conf, unsigned int band, u32 run)
{
	u32 slot = par_slot_any(&conf->slots->map[band], run);

	if (slot != PAR_NO_SLOT)
		move_slot(conf, band, slot, PAR_SLOT_STORED);
}

/* ---- evicting ---- */

/* The number of the run's segments in @state, of the sleepers that are imaged in the band. */
static u32 run_segments(struct par_conf *conf, unsigned int band, u32 run,
			enum par_seg_state state)
{
	unsigned int i, d;
	u64 row, end;
	u32 sum = 0;

	for (i = band + 1; i <= conf->geo.gears; i++) {
		if (!par_run_rows(conf->set[i], run, &row, &end))
			continue;
		for (; row < end; row++)
			for (d = conf->geo.set[band].members;
			     d < conf->geo.set[band + 1].members; d++)
				sum += par_map_get(conf->set[i], row, d) == state;
	}
	return sum;
}

/*
 * May the stored map call a segment of the run "image" that is no longer one? No segment of the run
 * is "image" in memory, so none becomes "both" after this.
 */
static bool run_unstored(struct par_conf *conf, unsigned int band, u32 run)
{
	bool unstored = false;
	unsigned int i;
	u64 row, end;
	u32 zone;

	for (i = band + 1; i <= conf->geo.gears; i++) {
		if (!par_run_rows(conf->set[i], run, &row, &end))
			continue;
		for (zone = par_zone_of(conf->set[i], row);
		     zone <= par_zone_of(conf->set[i], end - 1); zone++) {
			spin_lock(par_zone_lock(conf, zone));
			unstored |= !par_zone_may_drop(&conf->map.zone[zone]);
			spin_unlock(par_zone_lock(conf, zone));
		}
	}
	return unstored;
}

static void forget_row_images(struct par_set *set, unsigned int band, u64 row)
{
	const struct par_geometry *geo = &set->conf->geo;
	spinlock_t *lock = par_zone_lock(set->conf, par_zone_of(set, row));
	unsigned int d;

	spin_lock(lock);
	for (d = geo->set[band].members; d < geo->set[band + 1].members; d++)
		if (par_map_get(set, row, d) == PAR_SEG_BOTH)
			par_map_set(set, row, d, PAR_SEG_HOME);
	spin_unlock(lock);
}

static void close_slot(struct par_conf *conf, unsigned int band, u32 slot)
{
	u32 run = par_slot_run_of(&conf->slots->map[band], slot);
	unsigned int i;
	u64 row, end;

	/* Images that are the only valid copy stay, in memory or in the stored map. */
	if (run_segments(conf, band, run, PAR_SEG_IMAGE) || run_unstored(conf, band, run)) {
		move_slot(conf, band, slot, PAR_SLOT_WRITE);
		trace_par_slot(conf, band, slot, run, "kept");
		return;
	}
	trace_par_slot(conf, band, slot, run, "closed");
	move_slot(conf, band, slot, PAR_SLOT_CLOSE);
	for (i = band + 1; i <= conf->geo.gears; i++) {
		if (!par_run_rows(conf->set[i], run, &row, &end))
			continue;
		for (; row < end; row++)
			forget_row_images(conf->set[i], band, row);
	}
}

static void close_slots(const struct slot_job *job)
{
	u32 i;

	for (i = 0; i < job->count; i++) {
		if (job->task[i].evict != PAR_NO_SLOT)
			close_slot(job->conf, job->band, job->task[i].evict);
		cond_resched();
	}
}

/* Move all slots of the band in @state, including those of an eviction that has failed before. */
static void move_all(const struct slot_job *job, enum par_slot_state state,
		     enum par_slot_event event)
{
	const struct par_slot_map *map = &job->conf->slots->map[job->band];
	u32 slot;

	for (slot = 0; map->count[state] && slot < map->slots; slot++)
		if (par_slot_state(map, slot) == state) {
			if (event == PAR_SLOT_GONE || event == PAR_SLOT_KEEP)
				trace_par_slot(job->conf, job->band, slot,
					       par_slot_run_of(map, slot),
					       event == PAR_SLOT_GONE ? "freed" : "kept");
			move_slot(job->conf, job->band, slot, event);
			if (event == PAR_SLOT_TOLD)
				par_slots_mark(job->conf, job->band, slot);
		}
}

/* ---- by plan ---- */

/* Wait: requests that have found a slot have ended once every set has been quiet for a moment. */
static int await_requests(struct par_conf *conf)
{
	bool calm;

	mutex_unlock(&conf->shift->fill.mutex);
	calm = par_gate_calm(conf);
	if (calm)
		par_gate_resume(conf);
	mutex_lock(&conf->shift->fill.mutex);
	return calm ? 0 : -EINTR;
}

/*
 * A store that has failed before may have left slots given, which no step of theirs follows: their
 * blocks were still marked, so they are stored now.
 */
static void hold_rest(const struct slot_job *job)
{
	struct slot_job all = { .conf = job->conf };

	for (all.band = 1; all.band < job->conf->geo.gears; all.band++)
		move_all(&all, PAR_SLOT_GIVEN, PAR_SLOT_STORED);
}

static void slot_zeroed(struct par_conf *conf, unsigned int band, u32 slot)
{
	move_slot(conf, band, slot, PAR_SLOT_ZERO);
}

/* Runs keep the slots for which there is no time, or that do not accept zeros. */
static int zero_slots(const struct slot_job *job)
{
	struct par_fill *fill = &job->conf->shift->fill;
	int err;

	mutex_unlock(&fill->mutex);
	/* The monitor reads it. */
	WRITE_ONCE(fill->zeroings, fill->zeroings + 1);
	err = par_zero_slots(job->conf, job->band, fill->until, slot_zeroed);
	WRITE_ONCE(fill->zeroings, fill->zeroings + 1);
	mutex_lock(&fill->mutex);
	if (!err)
		move_all(job, PAR_SLOT_CLOSED, PAR_SLOT_KEEP);
	return err;
}

static int take_step(const struct slot_job *job, enum par_slot_step step)
{
	struct par_conf *conf = job->conf;

	switch (step) {
	case PAR_SLOT_STEP_BEGIN:
		return par_store_begin(conf);
	case PAR_SLOT_STEP_GIVE:
		each_run(job, give_run);
		return 0;
	case PAR_SLOT_STEP_SLOTS:
		return par_store_slots(conf);
	case PAR_SLOT_STEP_HOLD:
		each_run(job, hold_run);
		hold_rest(job);
		return 0;
	case PAR_SLOT_STEP_CLOSE:
		close_slots(job);
		return 0;
	case PAR_SLOT_STEP_SEGMENTS:
		/* With the snapshot and the flush before it: see store-plan.c. */
		return par_store_map(conf);
	case PAR_SLOT_STEP_ENDED:
		return await_requests(conf);
	case PAR_SLOT_STEP_ZERO:
		return zero_slots(job);
	case PAR_SLOT_STEP_ZEROED:
		return par_store_flush(conf);
	case PAR_SLOT_STEP_TOLD:
		move_all(job, PAR_SLOT_ZEROED, PAR_SLOT_TOLD);
		return 0;
	case PAR_SLOT_STEP_FREE:
		move_all(job, PAR_SLOT_LEAVING, PAR_SLOT_GONE);
		return 0;
	default:
		return 0;
	}
}

static int run_plan(const struct slot_job *job, enum par_slot_occasion occasion)
{
	const u8 *step = par_slot_plan(occasion);
	int err = 0;

	lockdep_assert_held(&job->conf->shift->fill.mutex);
	for (; !err && *step != PAR_SLOT_STEP_END; step++)
		err = take_step(job, *step);
	return err;
}

/* ---- rows that are started while members sleep ---- */

static void give_work(struct work_struct *work)
{
	struct par_conf *conf = container_of(work, struct par_slot_maps, give_work)->conf;
	struct bio_list bios;
	struct slot_job job = { .conf = conf, .bios = &bios, .gear = READ_ONCE(conf->gear) };
	struct bio *bio;
	int err;

	par_queue_take(conf, &conf->slots->waiting, &bios);
	if (bio_list_empty(&bios))
		return;
	mutex_lock(&conf->shift->fill.mutex);
	err = run_plan(&job, PAR_SLOT_PLAN_GIVE);
	mutex_unlock(&conf->shift->fill.mutex);
	while (err && (bio = bio_list_pop(&bios)))
		bio_io_error(bio);
	par_requeue(conf, &bios);
}

/* ---- heat ---- */

static u32 day_now(void)
{
	return par_slots_period() / PAR_FILL_DAY;
}

static void age_band(struct par_conf *conf, unsigned int band)
{
	u32 period = par_slots_period(), at;
	struct par_slot_cache *cache = &conf->slots->cache[band];
	u32 runs = cache->map->runs;
	unsigned long flags;

	for (at = 0; at < runs; at += PAR_FILL_LOOK) {
		spin_lock_irqsave(&conf->slots->lock, flags);
		/* Another CPU may have seen the next period begin. */
		par_slot_cache_age(cache, at, min(runs - at, PAR_FILL_LOOK),
				   max(period, cache->period));
		spin_unlock_irqrestore(&conf->slots->lock, flags);
		cond_resched();
	}
}

u32 par_heat_due(struct par_conf *conf)
{
	struct par_fill *fill = &conf->shift->fill;
	u32 days = day_now() - fill->days;

	fill->days += days;
	return par_has_slots(&conf->geo) ? min(days, PAR_CACHE_FADES) : 0;
}

void par_heat_age(struct par_conf *conf, u32 days)
{
	unsigned int band;

	for (; days; days--)
		for (band = 1; band < conf->geo.gears; band++)
			age_band(conf, band);
}

/* ---- which runs a shift down fills ---- */

/* List the runs that have a slot, and segments without a valid image in it. */
static void list_lacking(struct par_conf *conf, unsigned int band, struct par_slot_list *list)
{
	const struct par_slot_map *map = &conf->slots->map[band];
	u32 slot;

	for (slot = 0; slot < map->slots; slot++) {
		enum par_slot_state state = par_slot_state(map, slot);
		struct par_slot_run run = { .run = par_slot_run_of(map, slot) };

		if (!(slot % PAR_FILL_LOOK))
			cond_resched();
		if (state != PAR_SLOT_HELD && state != PAR_SLOT_DIRTY)
			continue;
		run.sectors = run_segments(conf, band, run.run, PAR_SEG_HOME) *
			      conf->geo.seg_sectors;
		run.rank = par_slot_cache_rank(&conf->slots->cache[band], run.run);
		if (run.sectors)
			par_slot_list_offer(list, &run);
	}
}

static void list_band(struct par_conf *conf, unsigned int band, struct par_slot_list *wanted,
		      struct par_slot_list *victims)
{
	const struct par_slot_cache *cache = &conf->slots->cache[band];
	const struct par_slot_map *map = cache->map;
	u32 sectors = conf->geo.band[band].imaged << conf->geo.run_shift, at;

	for (at = 0; at < map->runs; at += PAR_FILL_LOOK) {
		par_slot_list_wanted(wanted, cache, at, min(map->runs - at, PAR_FILL_LOOK),
				     sectors);
		cond_resched();
	}
	list_lacking(conf, band, wanted);
	for (at = 0; at < map->slots; at += PAR_FILL_LOOK) {
		par_slot_list_victims(victims, cache, at, min(map->slots - at, PAR_FILL_LOOK));
		cond_resched();
	}
	par_slot_list_sort(wanted);
	par_slot_list_sort(victims);
}

static bool all_whole(struct par_conf *conf)
{
	return !conf->mddev->degraded && !par_lost_members(conf);
}

/* Is a slot to be evicted, or has a plan that failed left slots halfway? */
static bool any_evicted(const struct slot_job *job)
{
	const u32 *count = job->conf->slots->map[job->band].count;
	u32 i;

	for (i = 0; i < job->count; i++)
		if (job->task[i].evict != PAR_NO_SLOT)
			return true;
	return count[PAR_SLOT_CLOSED] || count[PAR_SLOT_ZEROED] || count[PAR_SLOT_LEAVING];
}

/* Runs that are used from now on may have to be filled at the next shift down. */
static void count_anew(struct par_conf *conf, unsigned int band)
{
	unsigned long flags;

	spin_lock_irqsave(&conf->slots->lock, flags);
	par_slot_cache_chosen(&conf->slots->cache[band]);
	spin_unlock_irqrestore(&conf->slots->lock, flags);
}

/*
 * Choose the tasks of a band; evict the runs that lose their slots, then give slots. The zeros have
 * @seconds. A victim that gets no zeros in time would lose its images for nothing.
 */
static int choose_band(struct par_conf *conf, unsigned int band, u64 sectors, u32 seconds)
{
	struct par_fill_band *chosen = &conf->shift->fill.band[band];
	const struct par_slot_map *map = &conf->slots->map[band];
	struct par_slot_list wanted = { .run = chosen->wanted, .room = chosen->room };
	struct par_slot_list victims = { .run = chosen->victims, .room = chosen->room,
					 .coldest = true };
	struct par_slot_limits limits = { .sectors = sectors, .whole = all_whole(conf) };
	struct slot_job job = { .conf = conf, .band = band, .task = chosen->task };
	int err = 0;

	/*
	 * This takes long for a huge array, and requests may wait for give_work. What give_work
	 * changes in between is seen again: see close_slot() and give_run().
	 */
	list_band(conf, band, &wanted, &victims);
	victims.count = min(victims.count, par_zero_most(conf, band, seconds));
	conf->shift->fill.until = ktime_get_seconds() + seconds;
	mutex_lock(&conf->shift->fill.mutex);
	job.count = par_slot_choose(map, &wanted, &victims, &limits, chosen->task, chosen->room);
	chosen->count = job.count;
	count_anew(conf, band);
	if (any_evicted(&job))
		err = run_plan(&job, PAR_SLOT_PLAN_EVICT);
	/* Some victims may have kept their slots, and give_work may have given some. */
	if (!err)
		par_slot_agree(map, chosen->task, job.count);
	/* The first run is always filled: see is_late(). */
	chosen->begun = par_slot_first_run(chosen->task, job.count);
	err = err ?: run_plan(&job, PAR_SLOT_PLAN_GIVE);
	mutex_unlock(&conf->shift->fill.mutex);
	return err;
}

int par_fill_begin(struct par_conf *conf)
{
	struct par_fill *fill = &conf->shift->fill;
	u64 sectors = READ_ONCE(conf->store->super.fill.bytes) >> SECTOR_SHIFT;
	u32 seconds = READ_ONCE(conf->store->super.fill.time);
	u64 end = ktime_get_seconds() + seconds;
	unsigned int band, bands = conf->gear - conf->wish.aim;
	int err = 0;

	might_sleep();
	if (!par_has_slots(&conf->geo))
		return 0;
	/* See close_slot(). */
	err = par_store_zones(conf);
	for (band = conf->gear; band-- > conf->wish.aim; )
		err = err ?: par_mover_interrupted(conf) ? -EINTR :
		      choose_band(conf, band, sectors, seconds / 2 / bands);
	/* Half of the time at least is for the fill, however long the choice has taken. */
	fill->until = max_t(u64, end, ktime_get_seconds() + DIV_ROUND_UP(seconds, 2));
	return err;
}

/* Runs whose fill is not begun in time stay at home. */
static bool is_late(struct par_fill *fill, struct par_fill_band *chosen, u32 at)
{
	if (at >= chosen->count)
		return true;
	if (at > chosen->begun) {
		chosen->begun = at;
		if (ktime_get_seconds() >= fill->until)
			chosen->count = at;
	}
	return at >= chosen->count;
}

static bool has_home(const struct par_set *set, unsigned int band, u64 row)
{
	const struct par_geometry *geo = &set->conf->geo;
	unsigned int d;

	for (d = geo->set[band].members; d < geo->set[band + 1].members; d++)
		if (par_map_look(set, row, d) == PAR_SEG_HOME)
			return true;
	return false;
}

bool par_fill_next(struct par_set *set, unsigned int band, struct par_cursor *cursor)
{
	struct par_fill *fill = &set->conf->shift->fill;
	struct par_fill_band *chosen = &fill->band[band];
	u64 first, end;

	for (; !is_late(fill, chosen, cursor->at); cursor->at++, cursor->row = 0) {
		u32 run = chosen->task[cursor->at].run;

		if (run == PAR_NO_RUN || !par_run_rows(set, run, &first, &end) ||
		    par_slot_of(&set->conf->slots->map[band], run) == PAR_NO_SLOT)
			continue;
		for (cursor->row = max(cursor->row, first); cursor->row < end; cursor->row++)
			if (has_home(set, band, cursor->row))
				return true;
	}
	return false;
}

u64 par_fill_left(struct par_conf *conf, unsigned int gear)
{
	unsigned int band;
	u64 sum = 0;
	u32 i;

	if (!par_has_slots(&conf->geo))
		return par_segments_above(conf, gear, PAR_SEG_HOME);
	for (band = gear; band < conf->geo.gears; band++) {
		const struct par_fill_band *chosen = &conf->shift->fill.band[band];

		for (i = 0; i < chosen->count; i++)
			if (chosen->task[i].run != PAR_NO_RUN &&
			    par_slot_of(&conf->slots->map[band], chosen->task[i].run) !=
			    PAR_NO_SLOT)
				sum += run_segments(conf, band, chosen->task[i].run,
						    PAR_SEG_HOME);
	}
	return sum;
}

u64 par_fill_owed(struct par_conf *conf, unsigned int gear)
{
	const struct par_geometry *geo = &conf->geo;
	u64 owed = par_segments_above(conf, gear, PAR_SEG_HOME), used = 0;
	unsigned int band;

	if (!par_has_slots(geo))
		return owed;
	for (band = gear; band < geo->gears; band++)
		used += (u64)READ_ONCE(conf->slots->cache[band].since) *
			(geo->band[band].imaged << (geo->run_shift - geo->seg_shift));
	return min3(owed, used, div_u64(READ_ONCE(conf->store->super.fill.bytes) >> SECTOR_SHIFT,
					geo->seg_sectors));
}

int par_fill_set(struct par_conf *conf, u64 bytes, u32 seconds)
{
	struct par_fill_record *fill = &conf->store->super.fill;

	mutex_lock(&conf->store->mutex);
	WRITE_ONCE(fill->bytes, bytes ?: fill->bytes);
	WRITE_ONCE(fill->time, seconds ?: fill->time);
	mutex_unlock(&conf->store->mutex);
	return par_store_super(conf);
}

void par_fill_end(struct par_conf *conf)
{
	unsigned int band;

	for (band = 1; band < conf->geo.gears; band++) {
		conf->shift->fill.band[band].count = 0;
		conf->shift->fill.band[band].begun = 0;
	}
}

void par_fill_cleaned(struct par_conf *conf, unsigned int gear)
{
	struct slot_job job = { .conf = conf };

	if (!par_has_slots(&conf->geo))
		return;
	mutex_lock(&conf->shift->fill.mutex);
	for (job.band = 1; job.band < gear; job.band++)
		move_all(&job, PAR_SLOT_DIRTY, PAR_SLOT_CLEANED);
	mutex_unlock(&conf->shift->fill.mutex);
}

int par_fill_alloc(struct par_conf *conf)
{
	struct par_fill *fill = &conf->shift->fill;
	unsigned int i;

	mutex_init(&fill->mutex);
	INIT_WORK(&conf->slots->give_work, give_work);
	fill->days = day_now();
	for (i = 1; par_has_slots(&conf->geo) && i < conf->geo.gears; i++) {
		struct par_fill_band *band = &fill->band[i];

		band->room = min_t(u64, conf->geo.band[i].slots, PAR_FILL_RUNS);
		band->wanted = kvcalloc(band->room, sizeof(*band->wanted), GFP_KERNEL);
		band->victims = kvcalloc(band->room, sizeof(*band->victims), GFP_KERNEL);
		band->task = kvcalloc(band->room, sizeof(*band->task), GFP_KERNEL);
		if (!band->wanted || !band->victims || !band->task)
			return -ENOMEM;
	}
	return 0;
}

void par_fill_free(struct par_conf *conf)
{
	unsigned int i;

	for (i = 1; i < conf->geo.gears; i++) {
		kvfree(conf->shift->fill.band[i].wanted);
		kvfree(conf->shift->fill.band[i].victims);
		kvfree(conf->shift->fill.band[i].task);
	}
}
