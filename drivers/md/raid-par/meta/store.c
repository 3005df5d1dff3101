// SPDX-License-Identifier: GPL-2.0
/*
 * The metadata on the members: zone intents, the map, and when the superblock is stored
 * (super.c stores it). See format.h for the places and for the order of writes, store.h for
 * the contracts.
 *
 * Blocks are stored on the members that never sleep, superblocks on all current members, which
 * are awake. Every write is FUA. All writers hold conf->store->mutex; the gear changes under it
 * too, so that no intent is stored for a gear that has ended.
 *
 * Two rules prevent that a stored block vouches for data that is lost in a power cut:
 *   - a flush goes to every awake member, not to the current ones only: right after an
 *     assembly, or after a shift of a read-only array, an awake member may hold copies
 *     before it becomes current;
 *   - begin_use() runs before anything is stored and before copies are written to members
 *     directly (par_store_begin()), so that this state is short.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include <kunit/visibility.h>

#include "core/parent.h"
#include "meta/store.h"
#include "pure/tidy-plan.h"

/* ---- blocks ---- */

/* The states of the zones at this moment. */
static void snapshot_block(struct par_conf *conf, u32 block, u8 *payload)
{
	u32 first, zone, end = par_block_zones(conf, block, &first);
	unsigned int bytes = par_block_set(conf, block)->sg->width * PAR_ZONE_ROWS / 8;

	memset(payload, 0, PAR_BLOCK_PAYLOAD);
	for (zone = first; zone < end; zone++) {
		spinlock_t *lock = par_zone_lock(conf, zone);

		spin_lock(lock);
		if (conf->map.block[block].payload)
			memcpy(payload + (zone - first) * bytes,
			       conf->map.block[block].payload + (zone - first) * bytes,
			       bytes);
		par_zone_snapshot(&conf->map.zone[zone]);
		spin_unlock(lock);
	}
}

static void block_stored(struct par_conf *conf, u32 block)
{
	u32 zone, end = par_block_zones(conf, block, &zone);

	for (; zone < end; zone++) {
		spinlock_t *lock = par_zone_lock(conf, zone);

		spin_lock(lock);
		par_zone_stored(&conf->map.zone[zone]);
		spin_unlock(lock);
	}
}

/*
 * Store which members have failed: if the power were cut now, the next start would not know
 * that such a member lacks writes that the others have. Before the first use there are none, and
 * perhaps no member whose superblock may be written yet: see store_first().
 */
static int record_failures(struct par_conf *conf)
{
	u32 lost = par_lost_members(conf);
	unsigned int d;
	int err;

	lockdep_assert_held(&conf->store->mutex);
	if (conf->store->super_due || !par_failures_unrecorded(conf))
		return 0;
	for (d = 0; d < conf->geo.members; d++)
		if (lost & BIT(d))
			par_store_lacks(conf, d);
	err = par_note_missed(conf);
	return err ?: par_write_super(conf, conf->store->current_members);
}

/* Note the members that have been lost so far, even in the flush just before. */
static int note_lost(struct par_conf *conf)
{
	int err = par_note_missed(conf);

	return err ?: record_failures(conf);
}

/*
 * Called before storing anything that relies on previous writes: a member that has been
 * lost, even in this flush, may lack these writes.
 */
static int flush_and_note(struct par_conf *conf)
{
	int err = par_flush_awake(conf);

	lockdep_assert_held(&conf->store->mutex);
	return err ?: note_lost(conf);
}

bool par_failures_unrecorded(struct par_conf *conf)
{
	return md_is_rdwr(conf->mddev) &&
	       par_lost_members(conf) & ~READ_ONCE(conf->store->told.failed);
}

void par_store_look(struct par_conf *conf)
{
	queue_work(conf->queue.wq, &conf->store->work);
}

void par_store_failures(struct par_conf *conf, struct bio *flush)
{
	par_queue_add(conf, &conf->store->recording, flush);
	par_store_look(conf);
}

void par_store_join(struct par_conf *conf, unsigned int d, bool rejoins)
{
	struct par_store *store = conf->store;

	lockdep_assert_held(&store->mutex);
	store->whole &= ~BIT(d);
	store->notes.birth_due |= BIT(d);
	store->joining |= BIT(d) & par_steady_members(conf);
	if (rejoins) {
		store->super.partial |= BIT(d);
	} else {
		store->super.partial &= ~BIT(d);
		store->super.min_seq[d] = store->super.seq + 1;
	}
	par_store_lacks(conf, d);
}

void par_store_drop(struct par_conf *conf, unsigned int d)
{
	lockdep_assert_held(&conf->store->mutex);
	conf->store->current_members &= ~BIT(d);
	if (conf->store->joining & BIT(d))
		par_store_lacks(conf, d);
	conf->store->joining &= ~BIT(d);
}

/* Members that the set works without, and that the store has not handled yet. */
static u32 newly_lost(const struct par_set *set)
{
	return READ_ONCE(set->child.absent) & ~READ_ONCE(set->noted.absent);
}

static bool any_lost(struct par_conf *conf)
{
	bool any = false;
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++)
		any |= conf->set[i] && newly_lost(conf->set[i]);
	return any;
}

void par_note_begin(struct par_set *set, bool unresynced)
{
	set->noted.unresynced = unresynced;
	set->noted.absent = set->child.absent;
}

void par_note_back(struct par_set *set, unsigned int d)
{
	clear_bit(d, &set->noted.absent);
}

/*
 * Handle members that raid5 has begun to work without: see par_forget_images(). During the
 * resync after a crash, rows are then in doubt. Returns true if there were such members;
 * the map must be stored then.
 */
static bool look_after_lost(struct par_set *set)
{
	struct par_conf *conf = set->conf;
	u32 absent = READ_ONCE(set->child.absent), lost = newly_lost(set);
	bool over = conf->store->super.set[set->number].resync == MaxSector;
	unsigned int d;

	lockdep_assert_held(&conf->store->mutex);
	for (d = 0; d < set->sg->members; d++)
		if (lost & BIT(d))
			set_bit(d, &set->noted.absent);
	/* RAID-5 that lacks a member calls the resync complete; RAID-6 continues it. */
	if (lost && set->noted.unresynced &&
	    (!over || hweight32(absent) >= conf->geo.parities))
		par_doubt_unresynced(set);
	if (lost && conf->geo.parities)
		par_forget_images(set, lost);
	set->noted.unresynced &= !over;
	return lost;
}

/* ---- lost blocks, see lost.c ---- */

/*
 * Store the list, and with the first lost block the superblock, which says that there is a
 * list.
 */
static int store_lost_list(struct par_conf *conf)
{
	int err = par_write_lost_list(conf);

	lockdep_assert_held(&conf->store->mutex);
	if (err || conf->store->super_due || !conf->store->super.lost || conf->store->lost.told)
		return err;
	/* This superblock may also be the first one that calls a member failed. */
	err = par_note_missed(conf);
	err = err ?: par_write_super(conf, conf->store->current_members);
	conf->store->lost.due |= err;
	return err;
}

/* ---- by plan ---- */

/*
 * struct par_storing - what is being stored, and its progress
 * @zones: the zones whose intents become @gear; 0: no intent
 * @clean: record that the array was properly stopped; @stopped: this has been tried
 * @forgot: images have been forgotten
 * @log_stays: nothing is in the log, and its tail has not moved
 * @block: the next map block; @blocks: those in the snapshot, @count of them
 */
struct par_storing {
	enum par_store_occasion occasion;
	const unsigned long *zones;
	unsigned int gear;
	bool clean, stopped, forgot, log_stays;
	u32 block, blocks[PAR_STORE_BATCH];
	unsigned int count;
};

static int begin_use(struct par_conf *conf);

static void publish_intents(struct par_conf *conf, const unsigned long *zones,
			    unsigned int gear)
{
	u32 zone;

	for_each_set_bit(zone, zones, conf->geo.zones) {
		spinlock_t *lock = par_zone_lock(conf, zone);

		spin_lock(lock);
		par_zone_publish(&conf->map.zone[zone], gear);
		spin_unlock(lock);
	}
}

/* Take a snapshot of a batch of the marked blocks. */
static int snapshot_blocks(struct par_conf *conf, struct par_storing *s)
{
	struct par_disk_block *raw;

	s->count = 0;
	for_each_set_bit_from(s->block, conf->store->todo, conf->geo.map_blocks) {
		if (s->count == PAR_STORE_BATCH)
			break;
		raw = page_address(conf->store->pages[s->count]);
		snapshot_block(conf, s->block, raw->payload);
		s->blocks[s->count++] = s->block;
	}
	return 0;
}

static int store_blocks(struct par_conf *conf, struct par_storing *s)
{
	struct par_sealed sealed[PAR_STORE_BATCH];
	unsigned int i;
	int err;

	for (i = 0; i < s->count; i++)
		sealed[i] = par_seal(conf, conf->store->pages[i], PAR_BLOCK_MAP,
				     s->blocks[i], &conf->map.block[s->blocks[i]]);
	err = par_blocks_write(conf, sealed, conf->store->pages, s->count);
	for (i = 0; !err && i < s->count; i++)
		block_stored(conf, s->blocks[i]);
	if (!err && s->block >= conf->geo.map_blocks)
		bitmap_zero(conf->store->todo, conf->geo.map_blocks);
	return err;
}

static int store_super(struct par_conf *conf, struct par_storing *s)
{
	if (s->occasion == PAR_STORE_CLEAR) {
		conf->store->super.flags = PAR_SB_CLEAN;
		s->stopped = true;
	}
	return par_write_super(conf, conf->store->current_members);
}

static int forget_lost(struct par_conf *conf, struct par_storing *s)
{
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++)
		if (conf->set[i])
			s->forgot |= look_after_lost(conf->set[i]);
	return 0;
}

/*
 * Remove the marks of sets that the stored superblock calls in sync: they need no resync.
 * (raid5 also calls a set in sync if too few members are left for a resync.) Sets that a
 * child has reported since are left out: the last writes of their resync have not been
 * flushed.
 */
static int forget_resynced(struct par_conf *conf)
{
	unsigned int i;
	int err = 0;

	lockdep_assert_held(&conf->store->mutex);
	for (i = 1; !err && i <= conf->geo.gears; i++) {
		const struct par_set_geometry *sg = &conf->geo.set[i];

		if (conf->store->told.resynced & BIT(i))
			err = par_clear_marks(conf, sg->zone_base,
					      sg->zone_base + sg->zones,
					  PAR_INTENT_RESYNC);
	}
	return err;
}

static int unmark_zones(struct par_conf *conf, struct par_storing *s)
{
	return s->occasion == PAR_STORE_CHILD ? forget_resynced(conf) :
	       par_clear_marks(conf, 0, conf->geo.zones, PAR_INTENT_MISSED);
}

/* Is there anything to do for this part? The effects of previous steps count. */
static bool part_due(struct par_conf *conf, const struct par_storing *s,
		     enum par_store_part part)
{
	struct par_store *store = conf->store;

	switch (part) {
	case PAR_PART_MAP:
		return !bitmap_empty(store->todo, conf->geo.map_blocks) &&
		       (s->occasion != PAR_STORE_CHILD || s->forgot || !store->super_due);
	case PAR_PART_INTENTS:
		return !bitmap_empty(s->zones, conf->geo.zones);
	case PAR_PART_SUPER:
		/*
		 * The array was in use when it crashed, and has not been used since: mark
		 * it stopped as well.
		 */
		return s->occasion != PAR_STORE_CLEAR ||
		       (s->clean && (!(store->super.flags & PAR_SB_CLEAN) ||
				     !store->super_due));
	default:
		return true;
	}
}

/* Does the snapshot call a copy valid, or a row written, that the stored map does not? */
static bool snapshot_gains(struct par_conf *conf, const struct par_storing *s)
{
	u32 zone, end;
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		end = par_block_zones(conf, s->blocks[i], &zone);
		for (; zone < end; zone++)
			if (READ_ONCE(conf->map.zone[zone].gains))
				return true;
	}
	return false;
}

/*
 * Is the step due? Only blocks in the snapshot are stored: blocks that are marked meanwhile
 * follow later.
 */
static bool step_due(struct par_conf *conf, const struct par_storing *s,
		     const struct par_store_step *step)
{
	if (step->what == PAR_STEP_FLUSH && s->log_stays)
		return false;
	if (step->part == PAR_PART_MAP && step->what == PAR_STEP_FLUSH)
		return snapshot_gains(conf, s);
	if (step->part == PAR_PART_MAP && step->what != PAR_STEP_BEGIN &&
	    step->what != PAR_STEP_SNAPSHOT)
		return s->count;
	return part_due(conf, s, step->part);
}

static int take_step(struct par_conf *conf, struct par_storing *s, enum par_store_what what)
{
	switch (what) {
	case PAR_STEP_BEGIN:
		return begin_use(conf);
	case PAR_STEP_SNAPSHOT:
		return snapshot_blocks(conf, s);
	case PAR_STEP_FLUSH:
		return par_flush_awake(conf);
	case PAR_STEP_NOTE:
		return note_lost(conf);
	case PAR_STEP_MAP:
		return store_blocks(conf, s);
	case PAR_STEP_INTENTS:
		return par_store_intents(conf, s->zones, s->gear);
	case PAR_STEP_PUBLISH:
		publish_intents(conf, s->zones, s->gear);
		return 0;
	case PAR_STEP_SUPER:
		return store_super(conf, s);
	case PAR_STEP_FORGET:
		return forget_lost(conf, s);
	case PAR_STEP_UNMARK:
		return unmark_zones(conf, s);
	default:
		return 0;
	}
}

/* Execute the steps of the occasion, in the plan's order: see store-plan.c. */
static int store_by_plan(struct par_conf *conf, struct par_storing *s)
{
	const struct par_store_step *step = par_store_plan(s->occasion), *batch = NULL;
	int err = 0;

	lockdep_assert_held(&conf->store->mutex);
	for (; !err && step->what != PAR_STEP_END; step++) {
		if (!step_due(conf, s, step))
			continue;
		if (step->what == PAR_STEP_SNAPSHOT)
			batch = step;
		err = take_step(conf, s, step->what);
		/* A batch is as large as there are pages; continue with the next one. */
		if (!err && step->what == PAR_STEP_MAP && s->block < conf->geo.map_blocks)
			step = batch - 1;
	}
	return err;	/* what has not been stored is still marked */
}

/* ---- a change of gear, or the first use ---- */

/*
 * Called before anything else is stored after a start, and when members are to receive superblocks
 * that they did not receive before; @members: all that are to receive this one. It records that the
 * array is in use, which members are missing, and which sets have to be resynced.
 *
 * A member that lacks the last version gets two superblocks, so that its older slot is only one
 * version behind: that is all the member has if the newer slot is torn when it wakes up next. See
 * find_old().
 *
 * All members get two superblocks if a member is missing. That member may have a superblock
 * with the number of the first one here, from a store that was cut before it reached any
 * other member; and of two superblocks with the same number the next start could choose
 * that one, which does not say that the member lacks all writes from now on. Nothing has
 * been written between the two.
 */
static int bring_in(struct par_conf *conf, u32 members)
{
	struct par_super *super = &conf->store->super;
	bool again = par_unusable(conf);
	unsigned int d;
	int err;

	lockdep_assert_held(&conf->store->mutex);
	super->flags = 0;
	for (d = 0; d < conf->geo.members; d++) {
		if (!par_usable(conf, BIT(d)))
			par_store_lacks(conf, d);
		else if (members & BIT(d))
			again |= super->min_seq[d] != super->seq;
	}
	err = par_note_missed(conf);
	err = err ?: par_write_super(conf, members);
	if (!err && again)
		err = par_write_super(conf, members);
	if (!err)
		par_birth_store(conf, members);
	return err;
}

/* Members that never sleep are joining: store everything but the map again, on all of these. */
static int renew_most(struct par_conf *conf)
{
	int err = par_store_all_intents(conf);

	lockdep_assert_held(&conf->store->mutex);
	par_slots_mark_all(conf);
	err = err ?: par_slots_store(conf);
	conf->store->lost.due |= conf->store->lost.block.seq;
	if (!err && conf->store->lost.due)
		err = store_lost_list(conf);
	return err;
}

/* The same of the map: mark a batch of blocks from @block on, and set @block to the next one. */
static void renew_map(struct par_conf *conf, u32 *block)
{
	unsigned int count;

	lockdep_assert_held(&conf->store->mutex);
	for (count = 0; *block < conf->geo.map_blocks && count < PAR_STORE_BATCH; ++*block)
		if (conf->map.block[*block].seq) {
			set_bit(*block, conf->store->todo);
			count++;
		}
}

static void mark_dirty_blocks(struct par_conf *conf, bool must_only)
{
	u32 zone;

	for (zone = 0; zone < conf->geo.zones; zone++)
		if (READ_ONCE(conf->map.zone[zone].must_store) ||
		    (!must_only && READ_ONCE(conf->map.zone[zone].dirty)))
			par_mark_block(conf, zone);
}

static int store_first(struct par_conf *conf)
{
	struct par_storing torn = { .occasion = PAR_STORE_FIRST };
	u32 block = 0;
	int err = 0;

	lockdep_assert_held(&conf->store->mutex);
	/* Torn blocks must be complete before a superblock vouches for them. */
	if (conf->store->joining)
		err = renew_most(conf);
	else if (conf->store->intents_differ)
		err = par_store_all_intents(conf);
	err = err ?: par_slots_store(conf);
	while (conf->store->joining && block < conf->geo.map_blocks)
		renew_map(conf, &block);
	/* Segments may have lost their slots in a rescue: see check_row() in map.c. */
	mark_dirty_blocks(conf, true);
	err = err ?: store_by_plan(conf, &torn);
	if (!err && conf->store->lost.due)
		err = store_lost_list(conf);
	if (err)
		return err;
	conf->store->blocks_torn = false;
	conf->store->joining &= par_unusable(conf);
	conf->store->super.gear = conf->gear;
	err = bring_in(conf, par_awake_members(conf));
	if (err)
		return err;
	conf->store->current_members = par_usable(conf, par_awake_members(conf));
	conf->store->intents_differ = false;
	conf->store->super_due = false;
	par_shift_rouse(conf);
	return 0;
}

static int begin_use(struct par_conf *conf)
{
	lockdep_assert_held(&conf->store->mutex);
	return conf->store->super_due ? store_first(conf) : 0;
}

/* Store the marked map blocks, if any, once all awake members are current. */
static int store_marked(struct par_conf *conf)
{
	struct par_storing storing = { .occasion = PAR_STORE_MAP };

	return store_by_plan(conf, &storing);
}

int par_store_begin(struct par_conf *conf)
{
	int err;

	mutex_lock(&conf->store->mutex);
	err = begin_use(conf);
	mutex_unlock(&conf->store->mutex);
	return err;
}

int par_store_renew(struct par_conf *conf)
{
	struct par_store *store = conf->store;
	u32 who, block = 0;
	int err;

	if (!READ_ONCE(store->joining))
		return 0;
	mutex_lock(&store->mutex);
	who = store->joining;
	err = begin_use(conf);
	err = err ?: renew_most(conf);
	while (!err && block < conf->geo.map_blocks) {
		renew_map(conf, &block);
		err = store_marked(conf);
		mutex_unlock(&store->mutex);	/* for those who use the array */
		cond_resched();
		mutex_lock(&store->mutex);
		who &= store->joining;	/* others have left */
	}
	err = err ?: note_lost(conf);
	if (!err) {
		store->joining &= ~par_usable(conf, who);
		err = par_write_super(conf, store->current_members);
	}
	mutex_unlock(&store->mutex);
	return err;
}

int par_store_slots(struct par_conf *conf)
{
	int err;

	mutex_lock(&conf->store->mutex);
	err = begin_use(conf);
	err = err ?: par_slots_store(conf);
	mutex_unlock(&conf->store->mutex);
	return err;
}

int par_store_flush(struct par_conf *conf)
{
	int err;

	mutex_lock(&conf->store->mutex);
	err = begin_use(conf);
	err = err ?: par_flush_awake(conf);
	/* Of an array that is lost now no failure is stored: the members may return. */
	if (!err && test_bit(MD_BROKEN, &conf->mddev->flags))
		err = -EIO;
	err = err ?: note_lost(conf);
	mutex_unlock(&conf->store->mutex);
	return err;
}

int par_store_super(struct par_conf *conf)
{
	int err;

	mutex_lock(&conf->store->mutex);
	err = begin_use(conf);
	err = err ?: par_write_super(conf, conf->store->current_members);
	mutex_unlock(&conf->store->mutex);
	return err;
}

void par_store_history(struct par_conf *conf)
{
	mutex_lock(&conf->store->mutex);
	/*
	 * The code that stops the array or makes it read-only pauses the mover before it
	 * takes the mutex for the checkpoint, and sets the array read-only after that.
	 */
	if (!READ_ONCE(conf->wish.resting) && md_is_rdwr(conf->mddev) && !begin_use(conf))
		par_write_super(conf, conf->store->current_members);
	mutex_unlock(&conf->store->mutex);
}

int par_store_lost(struct par_conf *conf)
{
	int err;

	lockdep_assert_held(&conf->store->mutex);
	if (!md_is_rdwr(conf->mddev))
		return 0;
	par_bad_collect(conf);
	if (!conf->store->lost.due)
		return 0;
	err = begin_use(conf);
	return err ?: store_lost_list(conf);
}

int par_store_lose(struct par_vmember *vm, u64 sector, unsigned int sectors)
{
	struct par_conf *conf = vm->set->conf;
	int err = -ENOSPC;

	mutex_lock(&conf->store->mutex);
	if (par_lost_add(vm, sector, sectors))
		err = par_store_lost(conf);
	mutex_unlock(&conf->store->mutex);
	return err;
}

void par_store_healed(struct par_conf *conf, struct bio *bio)
{
	par_queue_add(conf, &conf->store->healed, bio);
	par_store_look(conf);
}

/*
 * Take the lost blocks off the list. They are flushed first: otherwise a power cut could
 * leave something in their place that is neither the old nor the new content.
 */
static void take_healed(struct par_conf *conf)
{
	struct bio_list bios;
	struct bio *bio;
	int err;

	lockdep_assert_held(&conf->store->mutex);
	par_queue_take(conf, &conf->store->healed, &bios);
	if (bio_list_empty(&bios))
		return;
	err = begin_use(conf);
	err = err ?: flush_and_note(conf);
	/* Remove them from raid5's list as well, or they would be collected from it again. */
	if (!err)
		bio_list_for_each(bio, &bios)
			rdev_clear_badblocks(&par_bio_vm(bio)->rdev,
					     bio->bi_iter.bi_sector, bio_sectors(bio), 0);
	if (!err)
		bio_list_for_each(bio, &bios)
			if (!par_lost_remove(par_bio_vm(bio), bio->bi_iter.bi_sector,
					     bio_sectors(bio)))
				bio->bi_status = BLK_STS_NOSPC;
	err = err ?: par_store_lost(conf);
	while ((bio = bio_list_pop(&bios))) {
		if (err)
			bio->bi_status = errno_to_blk_status(err);
		bio_endio(bio);
	}
}

/* ---- the children's superblocks ---- */

void par_store_child(struct par_conf *conf, struct bio *bio)
{
	par_queue_add(conf, &conf->store->supers, bio);
	par_store_look(conf);
}

int par_store_whole(struct par_conf *conf)
{
	struct par_storing storing = { .occasion = PAR_STORE_WHOLE };
	int err;

	mutex_lock(&conf->store->mutex);
	err = begin_use(conf);
	/* A member that has failed meanwhile lacks what was being written. */
	if (!err && !par_lost_members(conf)) {
		conf->store->super.partial = 0;
		err = store_by_plan(conf, &storing);
		if (!err)
			conf->store->notes.missed = 0;
	}
	mutex_unlock(&conf->store->mutex);
	return err;
}

/*
 * The children's superblocks are due: a member has failed, or a rebuild or a resync has
 * progressed. raid5 holds writes that depend on this until they are stored; so the writes
 * that the missing member lacks are noted first.
 */
static int store_supers(struct par_conf *conf)
{
	struct par_storing storing = { .occasion = PAR_STORE_CHILD };
	int err;

	lockdep_assert_held(&conf->store->mutex);
	/*
	 * Blocks that could not be rebuilt are on the list before "rebuilt up to here" is
	 * stored.
	 */
	err = par_store_lost(conf);
	if (err)
		return err;
	/*
	 * A child that stops stores its superblock too, which does not count as a use of a
	 * clean array. But a version must not reach some of the awake members only: see
	 * par_write_super().
	 */
	if (!(conf->store->super.flags & PAR_SB_CLEAN) || conf->store->intents_differ ||
	    conf->store->current_members != par_usable(conf, par_awake_members(conf)) ||
	    any_lost(conf))
		err = begin_use(conf);
	return err ?: store_by_plan(conf, &storing);
}

static void take_supers(struct par_conf *conf)
{
	struct bio_list bios;
	struct bio *bio;
	int err = 0;

	lockdep_assert_held(&conf->store->mutex);
	par_queue_take(conf, &conf->store->supers, &bios);
	if (bio_list_empty(&bios))
		return;
	/* A read-only array is not written, so nothing depends on its superblock. */
	if (md_is_rdwr(conf->mddev))
		err = store_supers(conf);
	while ((bio = bio_list_pop(&bios))) {
		bio->bi_status = errno_to_blk_status(err);
		bio_endio(bio);
	}
}

/* ---- the write log ---- */

static int store_log(struct par_conf *conf, const struct par_log_record *log, u32 left,
		     bool empty)
{
	struct par_storing storing = { .occasion = PAR_STORE_LOG };
	struct par_log_record *stored = &conf->store->super.log, old;
	int err;

	lockdep_assert_held(&conf->store->mutex);
	/* That stores a superblock, in which nothing of this may be: it is not flushed. */
	err = begin_use(conf);
	old = *stored;
	storing.log_stays = empty && old.tail == log->tail && old.stable == log->stable &&
			    old.left == left && !memcmp(&old.lost, &log->lost, sizeof(old.lost));
	if (!err) {
		stored->tail = log->tail;
		stored->stable = log->stable;
		stored->run = log->run;
		stored->summaries_from = log->summaries_from;
		stored->lost = log->lost;
		stored->left = left;
		if (empty)
			stored->absent &= par_lost_members(conf) | ~par_whole_members(conf);
		err = store_by_plan(conf, &storing);
	}
	/* A member that has failed meanwhile has. */
	old.absent |= stored->absent;
	if (err)
		*stored = old;
	return err;
}

int par_store_log(struct par_conf *conf, const struct par_log_record *log, bool empty)
{
	int err;

	might_sleep();
	mutex_lock(&conf->store->mutex);
	err = store_log(conf, log, conf->store->super.log.left, empty);
	mutex_unlock(&conf->store->mutex);
	return err;
}

int par_store_log_left(struct par_conf *conf, const struct par_log_record *log)
{
	int err;

	might_sleep();
	mutex_lock(&conf->store->mutex);
	err = store_log(conf, log, log->left, true);
	mutex_unlock(&conf->store->mutex);
	return err;
}

int par_store_log_flushed(struct par_conf *conf, u64 stable)
{
	int err;

	mutex_lock(&conf->store->mutex);
	/* Without this, an array that was read-only would still be clean, and store nothing. */
	err = begin_use(conf);
	err = err ?: flush_and_note(conf);
	if (!err)
		conf->store->super.log.stable = stable;
	mutex_unlock(&conf->store->mutex);
	return err;
}

/* ---- flushes that have met a failure ---- */

/* They wait until the failure is recorded. */
VISIBLE_IF_KUNIT void par_take_flushes(struct par_conf *conf)
{
	struct bio_list bios;
	struct bio *bio;
	int err;

	lockdep_assert_held(&conf->store->mutex);
	par_queue_take(conf, &conf->store->recording, &bios);
	if (bio_list_empty(&bios))
		return;
	err = begin_use(conf);
	err = err ?: record_failures(conf);
	while ((bio = bio_list_pop(&bios))) {
		/* Another part of the write may have failed: that status stays. */
		if (err)
			bio->bi_status = errno_to_blk_status(err);
		conf->up.recorded(conf, bio);
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_take_flushes);

/* ---- intents on demand ---- */

/* Prepare one zone that was asked for. Returns false if it needs nothing. */
static bool begin_intent(struct par_conf *conf, u32 zone, unsigned int gear)
{
	struct par_zone *z = &conf->map.zone[zone];
	spinlock_t *lock = par_zone_lock(conf, zone);
	enum par_zone_need need;

	spin_lock(lock);
	need = par_zone_begin(z, gear);
	if (need == PAR_ZONE_MAP)
		par_mark_block(conf, zone);
	z->touched = jiffies;
	spin_unlock(lock);
	return need != PAR_ZONE_READY;
}

/*
 * Storing an intent costs a seek on each member that has blocks, however many zones the block has.
 * So intents are set by groups of zones: a sequential writer finds the next zones prepared, and
 * scattered writes need fewer stores. After a crash up to this many times the zones are in doubt.
 * A member that returns would be sent as many more, too: without a member each zone is on its own.
 */
#define INTENT_GROUP	4U

static int store_wanted(struct par_conf *conf)
{
	bool group = !par_missing_members(conf);
	struct par_storing storing = {
		.occasion = PAR_STORE_INTENTS,
		.zones = conf->store->taken,
		.gear = conf->gear,
	};
	u32 zone, first, end;
	int err;

	lockdep_assert_held(&conf->store->mutex);
	for_each_set_bit(zone, conf->store->wanted, conf->geo.zones) {
		clear_bit(zone, conf->store->wanted);
		first = group ? round_down(zone, INTENT_GROUP) : zone;
		end = group ? min(first + INTENT_GROUP, conf->geo.zones) : zone + 1;
		for (; first < end; first++) {
			if (begin_intent(conf, first, storing.gear))
				__set_bit(first, conf->store->taken);
			par_map_prepare(conf, first);
		}
	}
	if (bitmap_empty(conf->store->taken, conf->geo.zones))
		return 0;
	err = store_by_plan(conf, &storing);
	bitmap_zero(conf->store->taken, conf->geo.zones);
	return err;
}

static void release_waiting(struct par_conf *conf, int err)
{
	struct bio_list bios;
	struct bio *bio;

	par_queue_take(conf, &conf->store->waiting, &bios);
	while (err && (bio = bio_list_pop(&bios)))
		bio_io_error(bio);
	par_requeue(conf, &bios);
}

static void store_work(struct work_struct *work)
{
	struct par_conf *conf = container_of(work, struct par_store, work)->conf;
	int err;

	mutex_lock(&conf->store->mutex);
	err = store_wanted(conf);
	take_healed(conf);
	take_supers(conf);
	par_take_flushes(conf);
	mutex_unlock(&conf->store->mutex);
	if (err)
		pr_err_ratelimited("md/par:%s: no member accepts metadata: writes to the array return errors\n",
				   mdname(conf->mddev));
	release_waiting(conf, err);
	queue_delayed_work(conf->queue.long_wq, &conf->up.tidy_work,
			   PAR_TIDY_S * HZ);
}

void par_store_want(struct par_conf *conf, u32 zone)
{
	set_bit(zone, conf->store->wanted);
	par_store_look(conf);
}

/* ---- checkpoints ---- */

static int store_dirty(struct par_conf *conf, bool must_only)
{
	int err;

	mutex_lock(&conf->store->mutex);
	mark_dirty_blocks(conf, must_only);
	err = store_marked(conf);
	mutex_unlock(&conf->store->mutex);
	return err;
}

int par_store_zones(struct par_conf *conf)
{
	return store_dirty(conf, true);
}

int par_store_map(struct par_conf *conf)
{
	return store_dirty(conf, false);
}

/* Zones with an intent on the disks, into @zones. */
static void intent_zones(struct par_conf *conf, unsigned long *zones)
{
	u32 zone;

	for (zone = 0; zone < conf->geo.zones; zone++)
		if (conf->store->intents[zone] & PAR_INTENT_GEAR)
			__set_bit(zone, zones);
}

int par_store_checkpoint(struct par_conf *conf, bool clean)
{
	struct par_storing storing = {
		.occasion = PAR_STORE_CLEAR,
		.zones = conf->store->taken,
		.clean = clean,
	};
	int err;

	mutex_lock(&conf->store->mutex);
	mark_dirty_blocks(conf, false);
	intent_zones(conf, conf->store->taken);
	err = store_by_plan(conf, &storing);
	bitmap_zero(conf->store->taken, conf->geo.zones);
	if (storing.stopped)
		conf->store->super_due = true;
	mutex_unlock(&conf->store->mutex);
	return err;
}

/* Store and clear the idle zones, but for those that are wanted again. */
void par_store_clear_idle(struct par_conf *conf)
{
	struct par_storing storing = {
		.occasion = PAR_STORE_CLEAR,
		.zones = conf->store->idle,
	};
	u32 zone;

	mutex_lock(&conf->store->mutex);
	for_each_set_bit(zone, conf->store->idle, conf->geo.zones) {
		if (READ_ONCE(conf->map.zone[zone].intent) == PAR_INTENT_CHANGING)
			par_mark_block(conf, zone);
		else
			__clear_bit(zone, conf->store->idle);
	}
	store_by_plan(conf, &storing);
	bitmap_zero(conf->store->idle, conf->geo.zones);
	mutex_unlock(&conf->store->mutex);
}

void par_store_drain(struct par_conf *conf)
{
	might_sleep();
	flush_work(&conf->store->work);
}

/* ---- a change of gear ---- */

int par_store_gear(struct par_conf *conf, unsigned int gear, u32 awake)
{
	unsigned int old;
	int err;

	mutex_lock(&conf->store->mutex);
	if (!md_is_rdwr(conf->mddev)) {
		WRITE_ONCE(conf->gear, gear);
		/* Members that are awake now may not be current: begin_use() makes them so. */
		conf->store->super_due = true;
		mutex_unlock(&conf->store->mutex);
		return 0;
	}
	err = begin_use(conf);
	old = conf->store->super.gear;
	conf->store->super.gear = gear;
	err = err ?: bring_in(conf, awake);
	if (err) {
		conf->store->super.gear = old;
	} else {
		WRITE_ONCE(conf->store->current_members, par_usable(conf, awake));
		WRITE_ONCE(conf->gear, gear);
	}
	mutex_unlock(&conf->store->mutex);
	return err;
}

int par_store_init(struct par_conf *conf)
{
	struct par_store *store = conf->store;
	unsigned int i;
	int err;

	mutex_init(&store->mutex);
	spin_lock_init(&store->power_lock);
	bio_list_init(&store->waiting);
	bio_list_init(&store->supers);
	bio_list_init(&store->recording);
	par_lost_init(conf);
	INIT_WORK(&store->work, store_work);
	err = bioset_init(&store->bios, BIO_POOL_SIZE, 0, BIOSET_NEED_BVECS);
	if (err)
		return err;
	store->intents = kvzalloc(conf->geo.zones, GFP_KERNEL);
	store->intent_block = kvcalloc(conf->geo.intent_blocks,
				       sizeof(*store->intent_block), GFP_KERNEL);
	store->wanted = bitmap_zalloc(conf->geo.zones, GFP_KERNEL);
	store->taken = bitmap_zalloc(conf->geo.zones, GFP_KERNEL);
	store->idle = bitmap_zalloc(conf->geo.zones, GFP_KERNEL);
	store->marked = bitmap_zalloc(conf->geo.zones, GFP_KERNEL);
	store->todo = bitmap_zalloc(conf->geo.map_blocks, GFP_KERNEL);
	if (!store->intents || !store->intent_block || !store->wanted || !store->taken ||
	    !store->idle || !store->marked || !store->todo)
		return -ENOMEM;
	for (i = 0; i < conf->geo.members; i++) {
		store->super_page[i] = alloc_page(GFP_KERNEL);
		if (!store->super_page[i])
			return -ENOMEM;
	}
	for (i = 0; i < PAR_STORE_BATCH; i++) {
		store->pages[i] = alloc_page(GFP_KERNEL);
		store->intent_pages[i] = alloc_page(GFP_KERNEL);
		if (!store->pages[i] || !store->intent_pages[i])
			return -ENOMEM;
	}
	return 0;
}

/* Called after the sets are destroyed: there are no users of metadata any more. */
void par_store_exit(struct par_conf *conf)
{
	unsigned int i;

	for (i = 0; i < PAR_STORE_BATCH; i++) {
		if (conf->store->pages[i])
			put_page(conf->store->pages[i]);
		if (conf->store->intent_pages[i])
			put_page(conf->store->intent_pages[i]);
	}
	for (i = 0; i < conf->geo.members; i++)
		if (conf->store->super_page[i])
			put_page(conf->store->super_page[i]);
	bioset_exit(&conf->store->bios);
	kvfree(conf->store->intents);
	kvfree(conf->store->intent_block);
	bitmap_free(conf->store->wanted);
	bitmap_free(conf->store->taken);
	bitmap_free(conf->store->idle);
	bitmap_free(conf->store->marked);
	bitmap_free(conf->store->todo);
}
