// SPDX-License-Identifier: GPL-2.0
/*
 * The last step of a virtual member's request: to the real disk, or to the sleeper's image
 * in a gear set; and its completion. See io.h for the contracts.
 */
#include <linux/ctype.h>
#include <linux/list_sort.h>
#include <linux/slab.h>

#include "core/parent.h"
#include "io/io.h"

/* par_clone - our own request for a virtual member */
struct par_clone {
	struct par_vmember *vm;
	struct bio *orig;
	struct par_bucket *bucket;	/* where to count the writer off, or NULL */
	struct par_row *row;		/* the row if it is one of its first writes, or NULL */
	struct list_head order;		/* among the redirects that the worker has taken */
	struct md_rdev *rdev;		/* the referenced member, of a request of our own */
	void (*landed)(struct par_row *row);	/* called with @row when the clone ends */
	bool image;			/* it goes to the gear set */
	bool routed;			/* sent on by another clone, or not sent by us */
	struct bio bio;
};

/* A member that is awake has a row to be started, for whose images there are no slots. */
static unsigned int gear_for(const struct par_vmember *vm)
{
	const struct par_conf *conf = vm->set->conf;

	if (READ_ONCE(vm->set->child.absent))
		return conf->geo.gears;
	if (par_awake(conf, READ_ONCE(conf->gear), vm->index))
		return vm->set->number;
	return par_image_set(&conf->geo, vm->index) + 1;
}

/*
 * Is a request that has to wake members a miss? It is if the segment has no valid image, or its row
 * gets no slots for all members that sleep, whatever this member does. Otherwise the image could
 * not be used, or members are missing: slots would not help.
 */
static bool is_miss(const struct par_vmember *vm, u64 row)
{
	const struct par_conf *conf = vm->set->conf;
	enum par_seg_state state = par_map_get(vm->set, row, vm->index);

	if (!par_has_slots(&conf->geo) || READ_ONCE(vm->set->child.absent))
		return false;
	return state == PAR_SEG_UNWRITTEN ||
	       (state == PAR_SEG_HOME && !par_awake(conf, READ_ONCE(conf->gear), vm->index));
}

/* Which request starts disks, and why; no further one, while they start. */
static void tell_miss(const struct par_vmember *vm, u64 sector, unsigned int gear)
{
	struct par_conf *conf = vm->set->conf;
	bool unwritten = par_map_get(vm->set, sector >> conf->geo.seg_shift,
				     vm->index) == PAR_SEG_UNWRITTEN;
	struct par_user user;
	char *at;

	if (vm->set != par_home(conf) || !par_slots_user(conf, sector, &user)) {
		pr_info("md/par:%s: a miss starts disks for gear %u: %s (sector %llu of member %u)\n",
			mdname(conf->mddev), conf->geo.set[gear].members,
			unwritten ? "no slot is free for new data" : "data has no image",
			sector, vm->index);
		return;
	}
	for (at = user.comm; *at; at++)
		if (iscntrl(*at))
			*at = '?';
	pr_info("md/par:%s: a miss of %s[%d] starts disks for gear %u: what it %s has no %s (sector %llu of member %u)\n",
		mdname(conf->mddev), user.comm, user.pid, conf->geo.set[gear].members,
		user.wrote ? "writes" : "reads", unwritten ? "slot, and none is free" : "image",
		sector, vm->index);
}

/* The member is asleep and only its home copy is valid; or see must_wake(), ask_slots(). */
void par_miss(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;
	u64 row = bio->bi_iter.bi_sector >> conf->geo.seg_shift;
	bool miss = is_miss(vm, row);
	unsigned int gear = gear_for(vm);

	if (miss)
		par_slots_missed(vm, row);
	par_queue_add(conf, &conf->wish.missed, bio);
	if (par_shift_at_least(conf, gear, miss ? PAR_CAUSE_MISS : "request") && miss)
		tell_miss(vm, bio->bi_iter.bi_sector, gear);
	par_raise_for_missed(conf);
}

/*
 * An image that cannot be read is no reason for raid5 to fail the sleeper: its home copy is
 * valid as well, once it is awake.
 */
static bool has_home_copy(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;

	return bio_op(bio) == REQ_OP_READ &&
	       !par_awake(conf, READ_ONCE(conf->gear), vm->index) &&
	       par_map_get(vm->set, bio->bi_iter.bi_sector >> conf->geo.seg_shift,
			   vm->index) == PAR_SEG_BOTH;
}

/*
 * raid5 lists a block as bad if the last try to read it fails and the block cannot be
 * computed either: too many members are missing, or raid5 has just written it. Since Linux
 * 6.15 raid5 omits this in one case, and so reads the block indefinitely. Therefore the
 * block is listed here when its last try fails for the second time.
 */
static bool is_unreadable(struct par_vmember *vm, u64 sector)
{
	u64 *unread = &vm->unread[(sector / PAR_BLOCK_SECTORS) % PAR_UNREAD];
	bool again = READ_ONCE(*unread) == sector + 1;

	WRITE_ONCE(*unread, again ? 0 : sector + 1);
	return again || vm->set->child.mddev.degraded >= (int)vm->set->conf->geo.parities;
}

/*
 * raid5 fails a member that returns more read errors in a row than there are stripes in its
 * cache: an unreadable area of some segments suffices, or of a few in the small cache of
 * par_resync_fix(). That count is not needed to detect a dead disk, which also returns errors
 * for the writes by which raid5 corrects what it could not read. So it is reset here, and
 * covers no more than the stripes whose last try is to come.
 */
void par_last_try_failed(struct par_vmember *vm, struct bio *bio)
{
	u64 sector = bio->bi_iter.bi_sector;

	atomic_set(&vm->rdev.read_errors, 0);
	if (is_unreadable(vm, sector))
		par_bad_block(vm, sector, bio_sectors(bio));
}

/*
 * An image did not accept a write, though there is no reason to fail the sleeper: too much
 * of one stripe of the gear set cannot be read.
 */
static bool is_unkept(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;
	struct par_set *gear = conf->set[par_image_set(&conf->geo, vm->index)];

	return vm->set->child.raid5 && op_is_write(bio_op(bio)) && !gear->ops->failed(gear);
}

void par_unkept(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;

	par_queue_add(conf, &vm->set->send.unkept, bio);
	queue_work(conf->up.unkept_wq, &vm->set->send.unkept_work);
}

/*
 * The disk did not accept a write to the home copy. raid5 must not decide on a sleeper's
 * failure: see collect_member().
 */
static void home_write_failed(struct par_vmember *vm)
{
	md_error(&vm->set->child.mddev, &vm->rdev);
}

/*
 * A write has ended, in an @image or not. Returns true if another function ends it for the
 * sender: the write may then have ended by now, and the set may be destroyed.
 */
static bool write_ended(struct par_vmember *vm, struct bio *orig, bool image)
{
	if (orig->bi_status && image && is_unkept(vm, orig)) {
		par_unkept(vm, orig);
		return true;
	}
	if (orig->bi_status && !image && vm->set->child.raid5)
		home_write_failed(vm);
	if (!orig->bi_status && par_lost(vm, orig->bi_iter.bi_sector, bio_sectors(orig))) {
		par_store_healed(vm->set->conf, orig);
		return true;
	}
	return false;
}

static void clone_endio(struct bio *bio)
{
	struct par_clone *clone = container_of(bio, struct par_clone, bio);
	struct par_vmember *vm = clone->vm;
	struct bio *orig = clone->orig;
	bool image = clone->image, seen_to;

	if (bio->bi_status && clone->image && has_home_copy(vm, orig)) {
		bio_put(bio);
		par_miss(vm, orig);
		return;
	}
	if (bio->bi_status)
		orig->bi_status = bio->bi_status;
	if (bio->bi_status && par_is_last_try(vm, orig))
		par_last_try_failed(vm, orig);
	if (clone->bucket)
		par_bucket_put(vm->set->conf, clone->bucket);
	if (clone->row)
		clone->landed(clone->row);
	/* The sender of the other clone has handled its error. */
	seen_to = !op_is_write(bio_op(orig)) || clone->routed;
	bio_put(bio);
	if (seen_to || !write_ended(vm, orig, image))
		bio_endio(orig);
}

struct bio *par_clone_alloc(struct par_vmember *vm, blk_opf_t opf,
			    unsigned short pages)
{
	struct bio *bio = bio_alloc_bioset(vm->disk->part0, pages, opf, GFP_NOIO,
					   &vm->set->send.fills);

	container_of(bio, struct par_clone, bio)->vm = vm;
	container_of(bio, struct par_clone, bio)->rdev = NULL;
	return bio;
}

struct par_vmember *par_clone_vm(struct bio *bio)
{
	return container_of(bio, struct par_clone, bio)->vm;
}

static struct bio *clone_from(struct bio_set *pool, struct par_vmember *vm,
			      struct bio *bio, struct block_device *bdev)
{
	struct bio *copy = bio_alloc_clone(bdev, bio, GFP_NOIO, pool);
	struct par_clone *clone = container_of(copy, struct par_clone, bio);

	clone->vm = vm;
	clone->orig = bio;
	clone->bucket = NULL;
	clone->row = NULL;
	clone->image = false;
	clone->routed = false;
	copy->bi_end_io = clone_endio;
	return copy;
}

static struct bio *clone_for(struct par_vmember *vm, struct bio *bio,
			     struct block_device *bdev, struct par_bucket *bucket)
{
	struct bio *copy = clone_from(&vm->set->send.clones, vm, bio, bdev);

	container_of(copy, struct par_clone, bio)->bucket = bucket;
	return copy;
}

/* From a pool of their own: such a clone is cloned again if it is sent to an image. */
struct bio *par_clone_first(struct par_vmember *vm, struct bio *bio, struct par_row *row,
			    void (*landed)(struct par_row *row), bool home)
{
	struct bio *copy = clone_from(&vm->set->send.firsts, vm, bio, vm->disk->part0);
	struct par_clone *clone = container_of(copy, struct par_clone, bio);

	clone->row = row;
	clone->landed = landed;
	clone->routed = !home;
	return copy;
}

/*
 * Never sent to a sleeper: the home copy was chosen when the member was awake. @rdev:
 * referenced, or NULL if the member is missing.
 */
static void send_home(struct par_vmember *vm, struct md_rdev *rdev, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;

	if (WARN_ON_ONCE(!par_awake(conf, READ_ONCE(conf->gear), vm->index)) || !rdev) {
		bio_io_error(bio);
		return;
	}
	bio->bi_iter.bi_sector = rdev->data_offset +
				 par_home_sector(vm->set, bio->bi_iter.bi_sector);
	bio_set_dev(bio, rdev->bdev);
	submit_bio_noacct(bio);
}

void par_clone_home(struct bio *bio)
{
	struct par_clone *clone = container_of(bio, struct par_clone, bio);
	struct par_vmember *vm = clone->vm;

	clone->rdev = par_member_get(vm->set->conf, vm->index);
	send_home(vm, clone->rdev, bio);
}

void par_clone_end(struct bio *bio)
{
	struct par_clone *clone = container_of(bio, struct par_clone, bio);
	struct par_conf *conf = clone->vm->set->conf;
	struct md_rdev *rdev = clone->rdev;

	/* The rdev is still referenced: it belongs to the same member. */
	if (bio->bi_status && rdev)
		par_member_failed(conf, clone->vm->index);
	bio_put(bio);
	if (rdev)
		par_member_put(conf, rdev);
}

/* par_watch - the fields of a write to a sleeper's home copy that watch_endio() restores */
struct par_watch {
	struct par_vmember *vm;
	bio_end_io_t *end_io;
	void *private;
};

static void watch_endio(struct bio *bio)
{
	struct par_watch *watch = bio->bi_private;
	struct par_vmember *vm = watch->vm;

	bio->bi_end_io = watch->end_io;
	bio->bi_private = watch->private;
	kfree(watch);
	if (unlikely(bio->bi_status))
		home_write_failed(vm);
	/* bio_endio() has called this function, and is not called twice. */
	bio->bi_end_io(bio);
}

/*
 * Have watch_endio() called when the write ends. A clone would do the same, with more than
 * twice the instructions. Returns false if there is no memory. This function must not wait
 * for memory: the requests that would free it may not be started before it returns.
 */
static bool watch_write(struct par_vmember *vm, struct bio *bio)
{
	struct par_watch *watch = kmalloc(sizeof(*watch), GFP_NOWAIT | __GFP_NOWARN);

	if (unlikely(!watch))
		return false;
	watch->vm = vm;
	watch->end_io = bio->bi_end_io;
	watch->private = bio->bi_private;
	bio->bi_end_io = watch_endio;
	bio->bi_private = watch;
	return true;
}

void par_to_home(struct par_vmember *vm, struct bio *bio)
{
	send_home(vm, READ_ONCE(vm->member->rdev), bio);
}

void par_to_home_tracked(struct par_vmember *vm, struct bio *bio,
			 struct par_bucket *bucket)
{
	par_to_home(vm, clone_for(vm, bio, bio->bi_bdev, bucket));
}

/* If a write to a sleeper fails, raid5 does not know whether a disk or an image was written. */
static bool must_watch(const struct par_vmember *vm)
{
	return vm->set->child.raid5 && par_is_sleeper(&vm->set->conf->geo, vm->index);
}

/*
 * Send a clone if more than an error has to be known, such as that a lost block has been
 * written; and for a part of a request, since from Linux 7.2 on only bio_endio() may call
 * bio_chain_endio().
 */
void par_write_home(struct par_vmember *vm, struct bio *bio,
		    struct par_bucket *bucket)
{
	if (unlikely(bucket || READ_ONCE(vm->lost)) ||
	    (must_watch(vm) && (bio_flagged(bio, BIO_CLONED) || !watch_write(vm, bio))))
		par_to_home_tracked(vm, bio, bucket);
	else
		par_to_home(vm, bio);
}

/* par_plug - @count: redirects since the plug of the task began */
struct par_plug {
	struct blk_plug_cb cb;
	unsigned int count;
};

static void unplug_redirects(struct blk_plug_cb *cb, bool from_schedule)
{
	struct par_set *gear = cb->data;

	queue_work(gear->send.redirect_wq, &gear->send.redirect_work);
	kfree(container_of(cb, struct par_plug, cb));
}

/*
 * Start the worker when the task's plug ends, that is when the task has sent everything or
 * waits. raid5 sends a write in stripes of 4 KiB: if the worker took them one by one, each
 * would be a request to a disk.
 */
static void start_redirects(struct par_set *gear)
{
	struct blk_plug_cb *cb = blk_check_plugged(unplug_redirects, gear, sizeof(struct par_plug));

	if (cb && ++container_of(cb, struct par_plug, cb)->count % gear->send.enough)
		return;
	queue_work(gear->send.redirect_wq, &gear->send.redirect_work);
}

/*
 * A redirect is always a clone, sent by the gear set's own worker: raid5 may wait for a
 * stripe, and it resubmits splits of a request to the disk that the request names.
 */
void par_to_image(struct par_vmember *vm, struct bio *bio,
		  struct par_bucket *bucket)
{
	struct par_set *set = vm->set;
	struct par_conf *conf = set->conf;
	struct par_set *gear = conf->set[par_image_set(&conf->geo, vm->index)];
	struct bio *copy = clone_for(vm, bio, gear->front->part0, bucket);
	u64 at;

	container_of(copy, struct par_clone, bio)->image = true;
	/* A run with an image has a slot, for as long as requests to it are under way. */
	if (WARN_ON_ONCE(!par_image_at(set, vm->index, bio->bi_iter.bi_sector, &at))) {
		bio_io_error(copy);
		return;
	}
	copy->bi_iter.bi_sector = at;
	copy->bi_opf &= ~(REQ_RAHEAD | REQ_NOWAIT);
	atomic64_inc(&vm->member->redirected);
	par_queue_add(conf, &gear->send.redirects, copy);
	start_redirects(gear);
}

static int is_behind(void *unused, const struct list_head *a, const struct list_head *b)
{
	const struct par_clone *first = list_entry(a, struct par_clone, order);
	const struct par_clone *second = list_entry(b, struct par_clone, order);

	return first->bio.bi_iter.bi_sector > second->bio.bi_iter.bi_sector;
}

/*
 * Send them in the order of their sectors: the home set sends a block to each sleeper in turn, and
 * the gear set handles its stripes in the order in which they come. Out of order, their blocks
 * would not be merged into large requests to the disks. Requests that are in the list at the same
 * time have no order: none has ended.
 */
void par_redirect_work(struct work_struct *work)
{
	struct par_set *set = container_of(work, struct par_set, send.redirect_work);
	struct par_clone *clone, *next;
	struct bio_list bios;
	struct blk_plug plug;
	struct bio *bio;
	LIST_HEAD(taken);

	par_queue_take(set->conf, &set->send.redirects, &bios);
	while ((bio = bio_list_pop(&bios)))
		list_add_tail(&container_of(bio, struct par_clone, bio)->order, &taken);
	list_sort(NULL, &taken, is_behind);
	blk_start_plug(&plug);
	list_for_each_entry_safe(clone, next, &taken, order)
		submit_bio_noacct(&clone->bio);
	blk_finish_plug(&plug);
}

void par_retry_missed(struct par_conf *conf, int err)
{
	struct bio_list bios;
	struct bio *bio;

	par_queue_take(conf, &conf->wish.missed, &bios);
	while (err && (bio = bio_list_pop(&bios)))
		bio_io_error(bio);
	par_requeue(conf, &bios);
}

/* As for a set's other pools; zeros are sent by a worker, outside of submit context. */
int par_send_init_set(struct par_set *set)
{
	int err;

	err = bioset_init(&set->send.clones, BIO_POOL_SIZE,
			  offsetof(struct par_clone, bio), BIOSET_NEED_RESCUER);
	if (err)
		return err;
	err = bioset_init(&set->send.firsts, BIO_POOL_SIZE,
			  offsetof(struct par_clone, bio), BIOSET_NEED_RESCUER);
	if (err)
		return err;
	return bioset_init(&set->send.fills, BIO_POOL_SIZE,
			   offsetof(struct par_clone, bio), BIOSET_NEED_BVECS);
}

void par_send_exit_set(struct par_set *set)
{
	bioset_exit(&set->send.fills);
	bioset_exit(&set->send.firsts);
	bioset_exit(&set->send.clones);
}
