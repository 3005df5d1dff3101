// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual members: routing of each request of a set to zeros, to the real disk, or to the
 * sleeper's image. See io.h for the contracts.
 *
 * In the submit path, each function either sends a request on or queues it; none waits. A
 * worker routes held requests again, from the start, when the reason for holding them has
 * ended.
 */
#include <linux/part_stat.h>

/*
 * route.c and row.c call each other, on purpose: route.c passes a write to an unwritten row
 * to row.c (par_row_write()), and row.c passes it back once the row is started
 * (par_route()). The write is then routed from the start, since gear and map may have
 * changed.
 */
#include "core/parent.h"
#include "io/io.h"
#include "raid5.h"

static void dispatch_work(struct work_struct *work)
{
	struct par_set *set = container_of(work, struct par_set, route.dispatch_work);
	struct bio_list bios;
	struct blk_plug plug;
	struct bio *bio;

	par_queue_take(set->conf, &set->route.dispatch, &bios);
	blk_start_plug(&plug);
	while ((bio = bio_list_pop(&bios)))
		par_route(par_bio_vm(bio), bio);
	blk_finish_plug(&plug);
}

static bool bio_is_zero(struct bio *bio)
{
	struct bvec_iter iter;
	struct bio_vec bv;

	bio_for_each_segment(bv, bio, iter) {
		void *data = bvec_kmap_local(&bv);
		bool zero = !memchr_inv(data, 0, bv.bv_len);

		kunmap_local(data);
		if (!zero)
			return false;
	}
	return true;
}

/* The effect that a write would have now; it is stable under the zone lock. */
struct par_write {
	struct par_conf *conf;
	struct par_set *set;
	struct par_zone *zone;
	unsigned int gear;
	u64 row;
	enum par_seg_state state;
	struct par_seg_step step;
	bool sleeper, rebuild;
};

static __always_inline void look_up(struct par_vmember *vm, u64 row, struct par_write *w)
{
	struct par_conf *conf = vm->set->conf;

	w->conf = conf;
	w->set = vm->set;
	w->row = row;
	w->zone = &conf->map.zone[par_zone_of(vm->set, row)];
	w->gear = READ_ONCE(conf->gear);
	w->sleeper = par_is_sleeper(&conf->geo, vm->index);
	w->state = par_map_look(vm->set, row, vm->index);
	w->step = par_seg_step(w->state,
			       par_awake(conf, w->gear, vm->index) ?
			       PAR_EV_WRITE : PAR_EV_WRITE_ASLEEP);
	if (!w->sleeper)
		w->step.next = w->state;
}

/* Lockless: may the write be sent directly to the home copy? */
static __always_inline bool write_passes(struct par_vmember *vm, u64 row)
{
	struct par_write w;
	unsigned long now;

	look_up(vm, row, &w);
	if (w.step.action != PAR_ACT_HOME || w.step.next != w.state ||
	    READ_ONCE(w.zone->intent) != w.gear || READ_ONCE(w.zone->starting) ||
	    (w.sleeper && par_set_tracks(w.set)) ||
	    READ_ONCE(w.set->child.absent) || READ_ONCE(vm->lost))
		return false;
	now = jiffies;
	if (READ_ONCE(w.zone->touched) != now)	/* no store unless needed */
		WRITE_ONCE(w.zone->touched, now);
	return true;
}

enum par_verdict {
	PAR_GO,		/* send it on */
	PAR_HELD,	/* it is on another list now */
	PAR_MISSED,	/* a member must wake up first */
	PAR_DONE,	/* it needs nothing */
	PAR_ROW_FULL,	/* its row is complete */
	PAR_ASK,	/* held until the zone's intent is stored */
	PAR_WAIT,	/* held until the discard of its images has ended */
	PAR_SPARE,	/* the row is new and there is no spare par_row */
	PAR_SLOTLESS,	/* held until its run has a slot */
};

static bool is_rebuilt(const struct par_vmember *vm)
{
	return vm->set->running && vm->rdev.mddev && !test_bit(In_sync, &vm->rdev.flags);
}

/*
 * A rebuild writes every block of its member; where the row is unwritten, and so zero on
 * all members, nothing needs to be done. Zeros written by the user start the row like any
 * data: after a crash, unwritten rows in a zone with an intent are taken as written, with
 * the content of the disks. (Such a write also reaches parity, which is never only on a
 * member being rebuilt.)
 */
static bool rebuild_of_zeros(struct par_vmember *vm, struct bio *bio)
{
	return is_rebuilt(vm) && bio_is_zero(bio);
}

/*
 * Is this the rebuild's own write of a block, and not a user's to the member that is being
 * rebuilt? raid5's requests are part of their stripe. A stripe is synced while none of its blocks
 * is being written, and a user's write is listed in its block until it ends.
 */
static bool is_rebuild(const struct par_vmember *vm, const struct bio *bio)
{
	const struct stripe_head *sh = bio->bi_private;
	int i;

	if (!is_rebuilt(vm) || bio != &sh->dev[vm->index].req ||
	    !test_bit(STRIPE_SYNCING, &sh->state))
		return false;
	for (i = 0; i < sh->disks; i++)
		if (READ_ONCE(sh->dev[i].written))
			return false;
	return true;
}

/*
 * A row is started in images, too, of members that sleep: its run needs slots then. Without a
 * free one the members have to wake up.
 */
static enum par_verdict ask_slots(const struct par_write *w)
{
	bool possible;

	if (!par_row_lacks_slots(w->set, w->row, w->gear, &possible))
		return PAR_GO;
	return possible ? PAR_SLOTLESS : PAR_MISSED;
}

/* Zone lock held. @spare is used if the row is new; @full: see par_row_write(). */
static enum par_verdict begin_row(struct par_vmember *vm, struct par_write *w,
				  struct bio *bio, bool zero,
				  struct par_row **spare, struct par_row **full)
{
	lockdep_assert_held(par_zone_lock(w->conf, par_zone_of(w->set, w->row)));
	if (zero && !w->zone->must_store && !par_row_busy(w->set, w->row))
		return PAR_DONE;
	if (w->zone->held)
		return PAR_WAIT;
	if (par_has_slots(&w->conf->geo)) {
		enum par_verdict verdict = ask_slots(w);

		if (verdict != PAR_GO)
			return verdict;
	}
	if (!par_zone_admits(w->zone, w->gear, true))
		return PAR_ASK;
	if (!par_row_write(vm, w->row, w->gear, bio, spare, full))
		return PAR_SPARE;
	return *full ? PAR_ROW_FULL : PAR_HELD;
}

/*
 * A row is written while raid5 works without some sleepers: the new content of their
 * segments is in parity only, and their images are old from now on. Returns false if the
 * stored map would still call one of these images valid.
 */
static bool drop_images(struct par_write *w)
{
	unsigned long absent = READ_ONCE(w->set->child.absent);
	bool stored = true;
	unsigned int d;

	lockdep_assert_held(par_zone_lock(w->conf, par_zone_of(w->set, w->row)));
	for_each_set_bit(d, &absent, w->set->sg->members) {
		enum par_seg_state state = par_map_get(w->set, w->row, d);

		if (!par_is_sleeper(&w->conf->geo, d) || state == PAR_SEG_HOME)
			continue;
		stored &= state == PAR_SEG_BOTH;
		par_map_set(w->set, w->row, d, PAR_SEG_HOME);
	}
	return stored;
}

/*
 * With a sleeper missing, it is known which images of its segments become old only in the
 * gears in which it would be awake; the array is shifting up to one.
 */
static bool must_wake(const struct par_write *w)
{
	return w->step.action == PAR_ACT_MISS ||
	       unlikely(READ_ONCE(w->set->child.absent) >>
			w->conf->geo.set[w->gear].members);
}

/*
 * A rebuild's write relies on no intent: it gives the home copy the content that the map says it
 * has, and until the superblock says that the member is rebuilt up to there, after a flush, a
 * start takes the content from parity. An intent would put it in doubt after a crash, though
 * no user has written.
 */
static bool needs_intent(const struct par_write *w)
{
	return !w->rebuild || w->step.action != PAR_ACT_HOME;
}

/* Zone lock held: decide on a write to a written row, and change its state. */
static enum par_verdict admit_write(struct par_vmember *vm, struct par_write *w,
				    struct bio *bio, struct par_bucket **bucket)
{
	lockdep_assert_held(par_zone_lock(w->conf, par_zone_of(w->set, w->row)));
	if (w->zone->starting)
		par_row_touch(w->set, w->row);
	if (!needs_intent(w))
		w->step.next = w->state;
	else if (!par_zone_admits(w->zone, w->gear, w->step.next != w->state ||
				  w->set->child.absent))
		return PAR_ASK;
	else if (w->set->child.absent && !drop_images(w))
		return PAR_ASK;
	if (w->step.action == PAR_ACT_IMAGE ||
	    (w->sleeper && par_set_tracks(w->set))) {
		*bucket = par_bucket_of(w->set, vm->index, w->row);
		if (!par_bucket_get(*bucket, bio))
			return PAR_HELD;
	}
	if (w->step.next != w->state)
		par_map_set(w->set, w->row, vm->index, w->step.next);
	if (needs_intent(w))
		w->zone->touched = jiffies;
	return PAR_GO;
}

/* Put a write that waits for something on its list; zone lock held. */
static void hold_write(struct par_conf *conf, enum par_verdict verdict, struct bio *bio)
{
	if (verdict == PAR_ASK || verdict == PAR_WAIT)
		par_queue_add(conf, &conf->store->waiting, bio);
	else if (verdict == PAR_SLOTLESS)
		par_queue_add(conf, &conf->slots->waiting, bio);
}

/* No lock held: send it on, or have done what it waits for. */
static void follow_verdict(struct par_vmember *vm, enum par_verdict verdict, struct bio *bio,
			   u32 zone)
{
	struct par_conf *conf = vm->set->conf;

	switch (verdict) {
	case PAR_MISSED:
		par_miss(vm, bio);
		break;
	case PAR_DONE:
		bio_endio(bio);
		break;
	case PAR_ASK:
		par_store_want(conf, zone);
		break;
	case PAR_SPARE:
		par_row_await(vm->set, bio);
		break;
	case PAR_SLOTLESS:
		queue_work(conf->queue.wq, &conf->slots->give_work);
		break;
	default:
		break;
	}
}

/* The slow path of a write, within one segment. Not inlined, because of its stack frame. */
static noinline void route_write(struct par_vmember *vm, struct bio *bio, u64 row)
{
	struct par_conf *conf = vm->set->conf;
	u32 zone = par_zone_of(vm->set, row);
	struct par_bucket *bucket = NULL;
	enum par_verdict verdict;
	struct par_row *spare = NULL, *full = NULL;
	struct par_write w;
	bool zero = false;

	w.rebuild = is_rebuild(vm, bio);
	if (!par_map_written(vm->set, row))
		zero = rebuild_of_zeros(vm, bio);
again:
	spin_lock(par_zone_lock(conf, zone));
	look_up(vm, row, &w);
	if (must_wake(&w))
		verdict = PAR_MISSED;
	else if (w.step.action != PAR_ACT_START)
		verdict = admit_write(vm, &w, bio, &bucket);
	else
		verdict = begin_row(vm, &w, bio, zero, &spare, &full);
	hold_write(conf, verdict, bio);
	spin_unlock(par_zone_lock(conf, zone));

	if (verdict == PAR_SPARE) {
		spare = par_row_alloc(vm->set);
		if (spare)
			goto again;
	}
	if (spare)
		par_row_free(vm->set, spare);
	if (verdict == PAR_GO && w.step.action == PAR_ACT_IMAGE)
		par_to_image(vm, bio, bucket);
	else if (verdict == PAR_GO)
		par_write_home(vm, bio, bucket);
	else if (verdict == PAR_ROW_FULL)
		par_row_release(full);
	else
		follow_verdict(vm, verdict, bio, zone);
}

/*
 * A read cancels a row's discard as a write does: the stripe's old content is in raid5's
 * cache again, and must not differ from the row.
 */
static noinline void read_touches(struct par_vmember *vm, u64 row)
{
	struct par_conf *conf = vm->set->conf;
	u32 zone = par_zone_of(vm->set, row);

	spin_lock(par_zone_lock(conf, zone));
	par_row_touch(vm->set, row);
	spin_unlock(par_zone_lock(conf, zone));
}

/* The action for a read of a row whose first writes have all ended. */
static enum par_seg_action settled_action(struct par_vmember *vm, u64 row)
{
	struct par_conf *conf = vm->set->conf;

	return par_seg_step(par_map_get(vm->set, row, vm->index),
			    par_awake(conf, READ_ONCE(conf->gear), vm->index) ?
			    PAR_EV_READ : PAR_EV_READ_ASLEEP).action;
}

/*
 * A row is written in the map before its first writes have ended: until then the disk may
 * hold anything there, and a read waits for them.
 */
static __always_inline enum par_seg_action read_action(struct par_vmember *vm, u64 row)
{
	struct par_conf *conf = vm->set->conf;
	const struct par_zone *zone = &conf->map.zone[par_zone_of(vm->set, row)];
	enum par_seg_state state;

	if (unlikely(READ_ONCE(zone->starting)))
		read_touches(vm, row);
	state = par_map_look(vm->set, row, vm->index);
	smp_rmb();	/* pairs with the one in begin_row() */
	if (state != PAR_SEG_UNWRITTEN && unlikely(READ_ONCE(zone->landing)))
		return PAR_ACT_HOLD;
	/* Use the state that was read above: the row may have been started since. */
	return par_seg_step(state, par_awake(conf, READ_ONCE(conf->gear), vm->index) ?
			    PAR_EV_READ : PAR_EV_READ_ASLEEP).action;
}

/* Return the error that a disk returns for an unreadable sector. */
static void err_lost(struct par_vmember *vm, struct bio *bio)
{
	if (par_is_last_try(vm, bio))
		par_last_try_failed(vm, bio);
	bio->bi_status = BLK_STS_MEDIUM;
	bio_endio(bio);
}

static void route_read(struct par_vmember *vm, struct bio *bio, u64 row,
		       enum par_seg_action action)
{
	if (unlikely(action == PAR_ACT_HOLD)) {
		if (par_row_hold_read(vm->set, row, bio))
			return;
		action = settled_action(vm, row);
	}
	if (action != PAR_ACT_ZERO &&
	    unlikely(par_lost(vm, bio->bi_iter.bi_sector, bio_sectors(bio)))) {
		err_lost(vm, bio);
		return;
	}
	switch (action) {
	case PAR_ACT_ZERO:
		zero_fill_bio(bio);
		bio_endio(bio);
		break;
	case PAR_ACT_HOME:
		if (unlikely(par_is_last_try(vm, bio)))
			par_to_home_tracked(vm, bio, NULL);
		else
			par_to_home(vm, bio);
		break;
	case PAR_ACT_IMAGE:
		par_to_image(vm, bio, NULL);
		break;
	default:
		par_miss(vm, bio);
		break;
	}
}

/* Split off the first @sectors; the caller continues with the rest of @bio. */
static struct bio *split_front(struct par_set *set, struct bio *bio,
			       unsigned int sectors)
{
	struct bio *front;

	if (sectors >= bio_sectors(bio))
		return bio;
	front = bio_split(bio, sectors, GFP_NOIO, &set->route.splits);
	bio_chain(front, bio);
	return front;
}

/* The action for a read, or whether a write is sent directly. */
static noinline unsigned int row_action(struct par_vmember *vm, u64 row, bool write)
{
	return write ? write_passes(vm, row) : read_action(vm, row);
}

/*
 * Rows at the head of the request that are handled in the same way continue in one piece:
 * up to all of them for reads and for writes that are sent directly.
 */
static unsigned int rows_alike(struct par_vmember *vm, struct bio *bio, bool write,
			       unsigned int *action)
{
	const struct par_geometry *geo = &vm->set->conf->geo;
	u64 first = bio->bi_iter.bi_sector >> geo->seg_shift;
	u64 row = first, end = bio_end_sector(bio);

	end = min(end, bio->bi_iter.bi_sector +
		  par_home_contiguous(vm->set, bio->bi_iter.bi_sector));
	*action = row_action(vm, row, write);
	while (++row << geo->seg_shift < end) {
		unsigned int next = row_action(vm, row, write);

		if (next != *action || (write && !next) ||
		    (!write && (next == PAR_ACT_IMAGE || next == PAR_ACT_HOLD)))
			break;
	}
	return min(end, row << geo->seg_shift) - bio->bi_iter.bi_sector;
}

void par_route(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;
	bool write = op_is_write(bio_op(bio));
	struct bio *front;

	do {
		u64 row = bio->bi_iter.bi_sector >> conf->geo.seg_shift;
		unsigned int action;
		unsigned int sectors = rows_alike(vm, bio, write, &action);

		front = split_front(vm->set, bio, sectors);
		if (!write)
			route_read(vm, front, row, action);
		else if (action)
			par_write_home(vm, front, NULL);
		else
			route_write(vm, front, row);
	} while (front != bio);
}

static void route_discard(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;
	struct bio *front;

	do {
		u64 row = bio->bi_iter.bi_sector >> conf->geo.seg_shift;

		front = split_front(vm->set, bio, ((row + 1) << conf->geo.seg_shift) -
				    bio->bi_iter.bi_sector);
		par_row_discard(vm, front, row);
		bio_endio(front);
	} while (front != bio);
}

/* Counted on each CPU separately; the monitor predicts loads from these counts. */
static void count_request(struct par_vmember *vm, struct bio *bio, bool rw)
{
	struct block_device *disk = vm->disk->part0;

	part_stat_lock();
	if (par_runs_add(this_cpu_ptr(&vm->runs[rw]), bio->bi_iter.bi_sector,
			 bio_sectors(bio)))
		part_stat_inc(disk, merges[rw]);
	else
		part_stat_inc(disk, ios[rw]);
	part_stat_unlock();
}

/*
 * Nearly every request in the top gear: it is within one segment, since raid5 reads and writes
 * pages, and is sent to the home copy unchanged.
 */
static __always_inline bool goes_home(struct par_vmember *vm, struct bio *bio, bool write)
{
	unsigned int shift = vm->set->conf->geo.seg_shift;
	u64 row = bio->bi_iter.bi_sector >> shift;

	if (unlikely(bio_end_sector(bio) > (row + 1) << shift))
		return false;
	if (write)
		return write_passes(vm, row);
	/* The list of lost blocks is looked at last: a block is on it before its state changes. */
	return read_action(vm, row) == PAR_ACT_HOME && likely(!READ_ONCE(vm->lost)) &&
	       !par_is_last_try(vm, bio);
}

/*
 * raid5 reads what it needs for a write by requests of its stripes, and sends a user's read on as a
 * clone; not if a member is missing, but then the array does not shift down.
 */
static bool is_prior_read(const struct par_vmember *vm, struct bio *bio, bool write)
{
	return !write && vm->set->child.raid5 && !bio_flagged(bio, BIO_CLONED);
}

static void route_first(struct par_vmember *vm, struct bio *bio)
{
	bool write = op_is_write(bio_op(bio));

	count_request(vm, bio, write);
	if (par_has_slots(&vm->set->conf->geo))
		par_slots_used(vm, bio->bi_iter.bi_sector >> vm->set->conf->geo.seg_shift, write,
			       is_prior_read(vm, bio, write));
	if (unlikely(!goes_home(vm, bio, write)))
		par_route(vm, bio);
	else if (write)
		par_write_home(vm, bio, NULL);
	else
		par_to_home(vm, bio);
}

static void vmember_submit_bio(struct bio *bio)
{
	struct par_vmember *vm = par_bio_vm(bio);

	if (bio->bi_iter.bi_sector >= vm->set->sg->sectors)
		par_store_child(vm->set->conf, bio);
	else if (!bio_sectors(bio))
		bio_endio(bio);	/* a flush is handled by the parent, see flush.c */
	else if (bio_op(bio) == REQ_OP_DISCARD)
		route_discard(vm, bio);
	else
		route_first(vm, bio);
}

const struct block_device_operations par_vmember_fops = {
	.owner = THIS_MODULE,
	.submit_bio = vmember_submit_bio,
};

int par_members_init(struct par_conf *conf)
{
	unsigned int d;

	spin_lock_init(&conf->io->row_lock);
	init_waitqueue_head(&conf->io->wait);
	for (d = 0; d < conf->geo.members; d++) {
		conf->member[d].conf = conf;
		conf->member[d].index = d;
	}
	/* Several are allocated in one submit context, before any of them is sent. */
	return bioset_init(&conf->io->bios, BIO_POOL_SIZE, 0,
			   BIOSET_NEED_BVECS | BIOSET_NEED_RESCUER);
}

void par_members_exit(struct par_conf *conf)
{
	bioset_exit(&conf->io->bios);
}

int par_members_init_set(struct par_set *set)
{
	int err;

	bio_list_init(&set->route.dispatch);
	INIT_WORK(&set->route.dispatch_work, dispatch_work);
	set->route.wq = alloc_workqueue("%s-set%u", WQ_MEM_RECLAIM | WQ_HIGHPRI | PAR_WQ_PERCPU,
					0, mdname(set->conf->mddev), set->sg->members);
	if (!set->route.wq)
		return -ENOMEM;
	/* Several are allocated in one submit context here, too. */
	err = bioset_init(&set->route.splits, BIO_POOL_SIZE, 0, BIOSET_NEED_RESCUER);
	return err ?: par_send_init_set(set);
}

void par_members_exit_set(struct par_set *set)
{
	par_send_exit_set(set);
	bioset_exit(&set->route.splits);
	if (set->route.wq)
		destroy_workqueue(set->route.wq);
}
