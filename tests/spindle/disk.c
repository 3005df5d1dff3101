// SPDX-License-Identifier: GPL-2.0
/*
 * The block device: requests, their duration, and the power that they need.
 *
 * A request takes effect when it ends, not when it comes: until then it is on the disk's
 * list of pending requests, which a cut examines.
 */
#include <linux/blkdev.h>
#include <linux/highmem.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/siphash.h>
#include <linux/stringhash.h>
#include "spindle.h"

#define MAX_SECTORS	2560		/* of a request */

static struct workqueue_struct *spindle_wq;

u64 spindle_choose(const struct spindle *disk, enum spindle_choice what, u64 where, u64 nth)
{
	const char *name = config_item_name((struct config_item *)&disk->group.cg_item);
	const siphash_key_t key = { {
		disk->seed, ((u64)full_name_hash(NULL, name, strlen(name)) << 32) | what,
	} };

	return siphash_2u64(where, nth, &key);
}

/*
 * Bio by bio, since only those that met a bad sector return an error. The status of the
 * last one is the request's: a request with a flush before or after it consists of one bio.
 */
static void end_request(struct spindle_cmd *cmd)
{
	struct request *rq = spindle_rq(cmd);
	blk_status_t status = cmd->status;

	while (rq->bio) {
		status = cmd->status ?: rq->bio->bi_status;
		blk_update_request(rq, status, rq->bio->bi_iter.bi_size);
	}
	__blk_mq_end_request(rq, status);
}

static void end_requests(struct list_head *ended)
{
	struct spindle_cmd *cmd, *next;

	list_for_each_entry_safe(cmd, next, ended, list)
		end_request(cmd);
}

/* Segments consist of whole sectors, because of the queue's DMA alignment. */
static blk_status_t transfer(struct spindle *disk, struct bio *bio,
			     const struct spindle_how *how)
{
	sector_t sector = bio->bi_iter.bi_sector;
	blk_status_t status = BLK_STS_OK;
	struct bvec_iter iter;
	struct bio_vec bv;

	bio_for_each_segment(bv, bio, iter) {
		void *data = bvec_kmap_local(&bv);

		if (op_is_write(bio_op(bio)))
			status = spindle_media_write(disk, sector, data, bv.bv_len, how);
		else
			spindle_media_read(disk, sector, data, bv.bv_len);
		kunmap_local(data);
		if (status)
			break;
		sector += bv.bv_len >> SECTOR_SHIFT;
	}
	return status;
}

static struct spindle_how how_of(struct spindle *disk, struct request *rq)
{
	bool through = !disk->cache || (rq->cmd_flags & REQ_FUA);

	if (disk->model.turn_ns && req_op(rq) == REQ_OP_WRITE)
		through = !spindle_is_cacheable(disk, blk_mq_rq_to_pdu(rq));
	return (struct spindle_how){ .through = through };
}

static void count(struct spindle *disk, struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		disk->reads++;
		disk->read_bytes += blk_rq_bytes(rq);
		break;
	case REQ_OP_WRITE:
		disk->writes++;
		disk->written_bytes += blk_rq_bytes(rq);
		break;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		disk->discards++;
		break;
	default:
		disk->flushes++;
	}
}

/* The request takes effect. Errors are in its bios. */
static void perform(struct spindle *disk, struct request *rq)
{
	const struct spindle_how how = how_of(disk, rq);
	bool write = req_op(rq) == REQ_OP_WRITE;
	blk_status_t status;
	struct bio *bio;

	count(disk, rq);
	switch (req_op(rq)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
		__rq_for_each_bio(bio, rq) {
			status = spindle_errors_meet(disk, write, bio->bi_iter.bi_sector,
						     bio_sectors(bio));
			status = status ?: transfer(disk, bio, &how);
			if (status)	/* that of another part, if the bio was split, stays */
				bio->bi_status = status;
		}
		break;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		spindle_media_discard(disk, blk_rq_pos(rq), blk_rq_sectors(rq), &how);
		break;
	default:
		spindle_media_flush(disk);
	}
}

/* ---- the trap ---- */

struct spindle_trap spindle_trap;

static void spring_trap(struct work_struct *work)
{
	guard(mutex)(&spindle_lock);
	if (spindle_trap.fired)
		spindle_cut_all(spindle_trap.seed);
}

static DECLARE_WORK(trap_work, spring_trap);

/* Requests of all disks call this: it takes no lock that they share. */
static void meet_trap(struct request *rq)
{
	if (likely(!atomic64_read(&spindle_trap.left)) || req_op(rq) != REQ_OP_WRITE ||
	    blk_rq_pos(rq) < READ_ONCE(spindle_trap.first) ||
	    blk_rq_pos(rq) > READ_ONCE(spindle_trap.last))
		return;
	if (atomic64_dec_if_positive(&spindle_trap.left))
		return;
	WRITE_ONCE(spindle_trap.fired, true);
	queue_work(spindle_wq, &trap_work);
}

void spindle_trap_set(u64 seed, u64 left, u64 first, u64 last)
{
	lockdep_assert_held(&spindle_lock);
	atomic64_set(&spindle_trap.left, 0);
	WRITE_ONCE(spindle_trap.fired, false);
	spindle_trap.seed = seed;
	WRITE_ONCE(spindle_trap.first, first);
	WRITE_ONCE(spindle_trap.last, last);
	atomic64_set(&spindle_trap.left, left);
}

/* The disk stops in the middle of the request: a part of a write has arrived. */
static void perform_part(struct spindle *disk, struct request *rq, u64 seed)
{
	struct spindle_how how = how_of(disk, rq);
	struct bio *bio;

	how.part = true;
	how.seed = seed;
	if (req_op(rq) == REQ_OP_WRITE) {
		__rq_for_each_bio(bio, rq)
			transfer(disk, bio, &how);
	} else if (req_op(rq) == REQ_OP_DISCARD || req_op(rq) == REQ_OP_SECURE_ERASE) {
		spindle_media_discard(disk, blk_rq_pos(rq), blk_rq_sectors(rq), &how);
	}
}

/* Requests that the disk has not begun fail, without effect. */
static void abort_waiting(struct spindle *disk, struct list_head *ended)
{
	struct spindle_cmd *cmd;

	list_for_each_entry(cmd, &disk->waiting, list)
		cmd->status = BLK_STS_IOERR;
	list_splice_tail_init(&disk->waiting, ended);
}

/* All requests in flight fail. They are to be ended when @lock is released. */
static void abort_pending(struct spindle *disk, u64 seed, u64 now, struct list_head *ended)
{
	struct spindle_cmd *cmd;

	list_for_each_entry(cmd, &disk->pending, list) {
		perform_part(disk, spindle_rq(cmd), seed);
		cmd->status = BLK_STS_IOERR;
	}
	list_splice_tail_init(&disk->pending, ended);
	abort_waiting(disk, ended);
	disk->busy_until = 0;
	spindle_arm_reset(disk, now);
}

/* The end of a request that comes now: for a disk without mechanics, this is its whole speed. */
static u64 due_time(struct spindle *disk, struct request *rq, u64 now)
{
	u64 due = now;

	if (disk->rate_kib && (req_op(rq) == REQ_OP_READ || req_op(rq) == REQ_OP_WRITE)) {
		due = max(now, disk->busy_until);
		due += div64_u64(blk_rq_bytes(rq) * NSEC_PER_SEC, disk->rate_kib << 10);
		disk->busy_until = due;
	}
	return due;
}

/* Sorted; a request that comes later usually ends later. */
void spindle_add_pending(struct spindle *disk, struct spindle_cmd *cmd, u64 due)
{
	u64 range = READ_ONCE(disk->delay_us) * NSEC_PER_USEC + 1;
	struct spindle_cmd *before;

	disk->nr_requests++;
	if (range > 1)
		due += spindle_choose(disk, SPINDLE_DELAY, disk->nr_requests, 0) % range;
	cmd->due = due;
	list_del(&cmd->list);
	list_for_each_entry_reverse(before, &disk->pending, list) {
		if (before->due <= cmd->due)
			break;
	}
	list_add(&cmd->list, &before->list);
}

static void start_timer(struct spindle *disk)
{
	u64 due = spindle_settles_at(disk);
	struct spindle_cmd *first;

	if (disk->model.turn_ns)
		due = min(due, spindle_arm_wakes_at(disk));

	first = list_first_entry_or_null(&disk->pending, struct spindle_cmd, list);
	if (first)
		due = min(due, first->due);
	if (due != U64_MAX)
		hrtimer_start(&disk->timer, ns_to_ktime(due), HRTIMER_MODE_ABS);
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct spindle *disk = container_of(timer, struct spindle, timer);

	queue_work(spindle_wq, &disk->work);
	return HRTIMER_NORESTART;
}

static void begin_waiting(struct spindle *disk, u64 now)
{
	struct spindle_cmd *cmd, *next;

	if (disk->model.turn_ns) {
		spindle_arm_begin(disk, now);
		return;
	}
	list_for_each_entry_safe(cmd, next, &disk->waiting, list)
		spindle_add_pending(disk, cmd, due_time(disk, spindle_rq(cmd), now));
}

/* False if nothing was due. */
static bool finish_due(struct spindle *disk, u64 now, struct list_head *ended)
{
	struct spindle_cmd *cmd, *next;
	bool any = false;

	list_for_each_entry_safe(cmd, next, &disk->pending, list) {
		if (cmd->due > now || READ_ONCE(spindle_trap.fired))
			break;
		perform(disk, spindle_rq(cmd));
		meet_trap(spindle_rq(cmd));
		disk->arm.promised -= cmd->promised;
		list_move_tail(&cmd->list, ended);
		any = true;
	}
	return any;
}

static bool is_busy(const struct spindle *disk)
{
	return !list_empty(&disk->waiting) || !list_empty(&disk->pending) ||
	       spindle_arm_busy(disk);
}

void spindle_begin_anew(struct spindle *disk, u64 now)
{
	if (!is_busy(disk))
		spindle_arm_reset(disk, now);
}

/*
 * Advance the disk to the time @now, and set the timer for the next event. The requests in
 * @ended are to be ended when @lock is released.
 */
static void step(struct spindle *disk, u64 now, struct list_head *ended)
{
	spindle_platter(disk, now, true);
	if (disk->state == SPINDLE_STANDBY)
		abort_waiting(disk, ended);
	if (READ_ONCE(spindle_trap.fired))
		return;
	if (disk->state == SPINDLE_IDLE) {
		finish_due(disk, now, ended);
		do {
			begin_waiting(disk, now);
		} while (finish_due(disk, now, ended));
	}
	/* A disk is not stopped before its cache is on the media. */
	if (disk->state == SPINDLE_IDLE && !disk->wanted && !is_busy(disk))
		spindle_media_flush(disk);
	spindle_platter(disk, now, is_busy(disk));
	start_timer(disk);
}

void spindle_advance(struct spindle *disk)
{
	LIST_HEAD(ended);

	mutex_lock(&disk->lock);
	step(disk, ktime_get_ns(), &ended);
	mutex_unlock(&disk->lock);
	end_requests(&ended);
}

static void do_pending(struct work_struct *work)
{
	spindle_advance(container_of(work, struct spindle, work));
}

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
{
	struct spindle_cmd *cmd = blk_mq_rq_to_pdu(bd->rq);
	struct spindle *disk = hctx->queue->queuedata;
	LIST_HEAD(ended);

	blk_mq_start_request(bd->rq);
	cmd->status = BLK_STS_OK;
	cmd->promised = 0;
	mutex_lock(&disk->lock);
	if (disk->state == SPINDLE_OFF || disk->dead) {
		cmd->status = BLK_STS_IOERR;
		list_add_tail(&cmd->list, &ended);
	} else {
		cmd->arrived = ktime_get_ns();
		list_add_tail(&cmd->list, &disk->waiting);
		spindle_want(disk, true);
		step(disk, cmd->arrived, &ended);
	}
	mutex_unlock(&disk->lock);
	end_requests(&ended);
	return BLK_STS_OK;
}

/* Wait, however slow the disk was made: it will end the request. */
static enum blk_eh_timer_return timed_out(struct request *rq)
{
	return BLK_EH_RESET_TIMER;
}

static const struct blk_mq_ops spindle_mq_ops = {
	.queue_rq = queue_rq,
	.timeout = timed_out,
};

/* The queue may use the device until it is freed itself. */
static void free_disk(struct gendisk *gendisk)
{
	put_device(gendisk->private_data);
}

static const struct block_device_operations spindle_fops = {
	.owner = THIS_MODULE,
	.free_disk = free_disk,
};

static struct queue_limits limits_of(const struct spindle *disk)
{
	return (struct queue_limits){
		.features = BLK_FEAT_ROTATIONAL |
			    (disk->cache ? BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA : 0),
		.logical_block_size = disk->blocksize,
		.physical_block_size = max(disk->physical, disk->blocksize),
		.max_hw_sectors = MAX_SECTORS,
		.max_hw_discard_sectors = UINT_MAX >> SECTOR_SHIFT,
		.discard_granularity = disk->blocksize,
		.max_secure_erase_sectors = UINT_MAX >> SECTOR_SHIFT,
	};
}

/* Compute the model of a disk of this size and kind. */
static int make_model(struct spindle *disk)
{
	int ret;

	mutex_lock(&disk->lock);
	ret = spindle_model_init(&disk->model, &disk->kind.mechanics,
				 disk->size_mib << (20 - SECTOR_SHIFT));
	spindle_arm_reset(disk, ktime_get_ns());
	mutex_unlock(&disk->lock);
	return ret;
}

int spindle_online(struct spindle *disk)
{
	struct queue_limits limits = limits_of(disk);
	struct gendisk *gendisk;
	int ret = make_model(disk);

	if (ret)
		return ret;
	disk->tags = (struct blk_mq_tag_set){
		.ops = &spindle_mq_ops,
		.nr_hw_queues = 1,
		.queue_depth = disk->kind.depth,
		.numa_node = NUMA_NO_NODE,
		.cmd_size = sizeof(struct spindle_cmd),
		.flags = BLK_MQ_F_BLOCKING | SPINDLE_F_MERGE,
	};
	ret = blk_mq_alloc_tag_set(&disk->tags);
	if (ret)
		return ret;
	gendisk = blk_mq_alloc_disk(&disk->tags, &limits, disk);
	if (IS_ERR(gendisk)) {
		ret = PTR_ERR(gendisk);
		goto free_tags;
	}
	gendisk->fops = &spindle_fops;
	strscpy(gendisk->disk_name, config_item_name(&disk->group.cg_item), DISK_NAME_LEN);
	set_capacity(gendisk, disk->size_mib << (20 - SECTOR_SHIFT));
	disk->gendisk = gendisk;
	ret = spindle_device_add(disk);
	if (ret)
		goto put_disk;
	gendisk->private_data = disk->dev;
	ret = device_add_disk(disk->dev, gendisk, NULL);
	if (ret)
		goto del_device;
	spindle_device_ready(disk);
	disk->online = true;
	return 0;

del_device:
	spindle_device_del(disk);
	put_device(disk->dev);
put_disk:
	put_disk(gendisk);
free_tags:
	blk_mq_free_tag_set(&disk->tags);
	return ret;
}

void spindle_offline(struct spindle *disk)
{
	if (!disk->online)
		return;
	spindle_device_leave(disk);
	del_gendisk(disk->gendisk);
	spindle_device_del(disk);
	hrtimer_cancel(&disk->timer);
	cancel_work_sync(&disk->work);
	put_disk(disk->gendisk);
	blk_mq_free_tag_set(&disk->tags);
	disk->online = false;

	mutex_lock(&disk->lock);
	spindle_media_flush(disk);
	mutex_unlock(&disk->lock);
}

static void cut_one(struct spindle *disk, u64 seed, u64 now, struct list_head *ended)
{
	if (disk->state == SPINDLE_OFF)
		return;
	spindle_platter(disk, now, true);
	spindle_lose_power(disk, now);
	disk->cuts++;
	abort_pending(disk, seed, now, ended);
	spindle_media_cut(disk, seed);
}

void spindle_cut_chosen(u64 seed)
{
	struct spindle *disk;
	LIST_HEAD(ended);
	u64 now;

	lockdep_assert_held(&spindle_lock);
	list_for_each_entry(disk, &spindle_disks, list) {
		if (disk->chosen)
			mutex_lock_nest_lock(&disk->lock, &spindle_lock);
	}
	/* Now no request to any of them can end. */
	now = ktime_get_ns();
	list_for_each_entry(disk, &spindle_disks, list) {
		if (disk->chosen)
			cut_one(disk, seed, now, &ended);
	}
	list_for_each_entry(disk, &spindle_disks, list) {
		if (disk->chosen)
			mutex_unlock(&disk->lock);
	}
	end_requests(&ended);
}

void spindle_cut_all(u64 seed)
{
	struct spindle *disk;

	lockdep_assert_held(&spindle_lock);
	list_for_each_entry(disk, &spindle_disks, list)
		disk->chosen = true;
	spindle_cut_chosen(seed);
	spindle_trap_set(0, 0, 0, 0);
}

void spindle_power_on(struct spindle *disk)
{
	mutex_lock(&disk->lock);
	if (disk->state == SPINDLE_OFF)
		spindle_get_power(disk, ktime_get_ns());
	mutex_unlock(&disk->lock);
	spindle_advance(disk);
}

void spindle_set_dead(struct spindle *disk, bool dead)
{
	LIST_HEAD(ended);

	mutex_lock(&disk->lock);
	disk->dead = dead;
	if (dead)
		abort_pending(disk, disk->nr_requests, ktime_get_ns(), &ended);
	spindle_changed(disk);
	mutex_unlock(&disk->lock);
	end_requests(&ended);
}

void spindle_setup(struct spindle *disk)
{
	mutex_init(&disk->setup);
	mutex_init(&disk->lock);
	INIT_LIST_HEAD(&disk->list);
	INIT_LIST_HEAD(&disk->bad);
	INIT_LIST_HEAD(&disk->waiting);
	INIT_LIST_HEAD(&disk->pending);
	INIT_WORK(&disk->work, do_pending);
	spindle_timer_setup(&disk->timer, timer_fired);
	spindle_media_setup(disk);
	spindle_power_setup(disk);
	spindle_settings_setup(disk);
	disk->size_mib = 1024;
	disk->blocksize = 512;
	disk->cache = 1;
}

void spindle_teardown(struct spindle *disk)
{
	spindle_media_free(disk);
	spindle_errors_free(disk);
	mutex_destroy(&disk->lock);
	mutex_destroy(&disk->setup);
}

int spindle_init(void)
{
	int ret = spindle_power_init();

	if (ret)
		return ret;
	spindle_wq = alloc_workqueue("spindle", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	if (spindle_wq)
		return 0;
	spindle_power_exit();
	return -ENOMEM;
}

void spindle_exit(void)
{
	cancel_work_sync(&trap_work);
	destroy_workqueue(spindle_wq);
	spindle_power_exit();
}
