// SPDX-License-Identifier: GPL-2.0
/*
 * The last step of a virtual member's request: to the real disk, or to the sleeper's image
 * in a gear set; and what becomes of it when it ends. See io.h for the contracts.
 */
#include <linux/slab.h>

#include "core/parent.h"
#include "io/io.h"

/* par_clone - a request of ours for a virtual member */
struct par_clone {
	struct par_vmember *vm;
	struct bio *orig;
	struct par_bucket *bucket;	/* the writer to count off, or NULL */
	struct par_row *row;		/* of whose first writes it is one, or NULL */
	struct md_rdev *rdev;		/* of our own: the member that it is counted in to */
	void (*landed)(struct par_row *row);	/* and is told so when it ends */
	bool image;			/* it goes to the gear set */
	bool routed;			/* it is sent on by another clone, or by nobody of ours */
	struct bio bio;
};

/* The member is asleep and only its home copy is valid, or see must_wake(). */
void par_miss(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;

	par_queue_add(conf, &conf->wish.missed, bio);
	par_shift_at_least(conf, READ_ONCE(vm->set->child.absent) ? conf->geo.gears :
			   par_image_set(&conf->geo, vm->index) + 1, "request");
	par_raise_for_missed(conf);
}

/*
 * An image that cannot be read is no reason for raid5 to fail the sleeper: its
 * home copy is as good, once it is awake.
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
 * raid5 calls a block bad that it cannot read at the last try, if it could not make it
 * anew either: too many members are missing, or it has just written it. Since Linux 6.15
 * it forgets to, and so reads the block indefinitely. So it is told: the second one of these
 * by the second time that the last try fails.
 */
static bool is_unreadable(struct par_vmember *vm, u64 sector)
{
	u64 *unread = &vm->unread[(sector / PAR_BLOCK_SECTORS) % PAR_UNREAD];
	bool again = READ_ONCE(*unread) == sector + 1;

	WRITE_ONCE(*unread, again ? 0 : sector + 1);
	return again || vm->set->child.mddev.degraded >= (int)vm->set->conf->geo.parities;
}

/*
 * raid5 fails a member that errs more often in a row than there are stripes in its
 * cache: a bad spot of some segments, or of a few in the small cache of
 * par_resync_fix(). A disk that is dead errs at the writes by which raid5 corrects
 * what it could not read. So no more of its errors count than there are stripes
 * whose last try is to come.
 */
void par_last_try_failed(struct par_vmember *vm, struct bio *bio)
{
	u64 sector = bio->bi_iter.bi_sector;

	atomic_set(&vm->rdev.read_errors, 0);
	if (is_unreadable(vm, sector))
		par_bad_block(vm, sector, bio_sectors(bio));
}

/*
 * An image did not take a write, though there is no reason to fail the sleeper: too
 * much of one stripe of the gear set cannot be read.
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
 * The disk has not taken a write to the home copy. raid5 is not to judge a sleeper by itself:
 * see collect_member().
 */
static void home_write_failed(struct par_vmember *vm)
{
	md_error(&vm->set->child.mddev, &vm->rdev);
}

/*
 * A write has ended, in an @image or not: true if somebody else ends it for the one who
 * sent it. Then it may have ended by now, and the set be gone.
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
	/* Where it was sent, its error has been seen to. */
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

/* Of a pool of their own: on its way to an image such a clone is cloned again. */
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
 * Never to a sleeper: whoever decided on the home copy saw the member awake. @rdev: held, or
 * NULL if the member is missing.
 */
static void send_home(struct par_vmember *vm, struct md_rdev *rdev, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;

	if (WARN_ON_ONCE(!par_awake(conf, READ_ONCE(conf->gear), vm->index)) || !rdev) {
		bio_io_error(bio);
		return;
	}
	bio->bi_iter.bi_sector += rdev->data_offset + vm->set->sg->start;
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

	/* It is held still: no other can have taken its place. */
	if (bio->bi_status && rdev)
		par_member_failed(conf, clone->vm->index);
	bio_put(bio);
	if (rdev)
		par_member_put(conf, rdev);
}

/* par_watch - what watch_endio() has replaced in a write to a sleeper's home copy */
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
 * twice the instructions. Returns false if there is no memory. Memory is not waited for: the
 * requests that may free it are possibly not started before this function returns.
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
 * A clone, where more than an error has to be known: that a lost block has been written. And
 * of a part of a request: since Linux 7.2 only bio_endio() may call bio_chain_endio().
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

/*
 * A redirect is always a clone, sent by the gear set's own worker: raid5 may
 * have to wait for a stripe, and it resubmits what it splits off to the disk
 * that the request names.
 */
void par_to_image(struct par_vmember *vm, struct bio *bio,
		  struct par_bucket *bucket)
{
	struct par_set *set = vm->set;
	struct par_conf *conf = set->conf;
	struct par_set *gear = conf->set[par_image_set(&conf->geo, vm->index)];
	u64 x = par_set_offset(&conf->geo, set->number, bio->bi_iter.bi_sector);
	struct bio *copy = clone_for(vm, bio, gear->front->part0, bucket);

	container_of(copy, struct par_clone, bio)->image = true;
	copy->bi_iter.bi_sector = par_image_sector(&conf->geo, vm->index, x);
	copy->bi_opf &= ~(REQ_RAHEAD | REQ_NOWAIT);
	atomic64_inc(&vm->member->redirected);
	par_queue_add(conf, &gear->send.redirects, copy);
	queue_work(gear->send.redirect_wq, &gear->send.redirect_work);
}

void par_redirect_work(struct work_struct *work)
{
	struct par_set *set = container_of(work, struct par_set, send.redirect_work);
	struct bio_list bios;
	struct blk_plug plug;
	struct bio *bio;

	par_queue_take(set->conf, &set->send.redirects, &bios);
	blk_start_plug(&plug);
	while ((bio = bio_list_pop(&bios)))
		submit_bio_noacct(bio);
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

/* As for a set's other pools; zeros are filled in by a worker, from no submit context. */
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
