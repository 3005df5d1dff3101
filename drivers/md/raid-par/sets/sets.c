// SPDX-License-Identifier: GPL-2.0
/*
 * Sets: the home set and the gear sets, each md's raid5 (child.c) or, for RAID-0,
 * stripe.c, over virtual members. See set.h, struct par_set_ops.
 */
#include <linux/slab.h>

#include "core/parent.h"
#include "sets/sets.h"

#define LEAST_REDIRECTS	512U	/* that start the worker of a gear set, see enough_redirects() */

struct gendisk *par_disk_alloc(struct par_conf *conf, sector_t sectors,
			       const struct block_device_operations *fops,
			       void *data)
{
	struct queue_limits *parent = &conf->mddev->gendisk->queue->limits;
	/*
	 * Without a write cache the block layer would strip FUA; without IO_STAT
	 * md_clone_bio() leaves the start time uninitialized that it accounts with.
	 */
	struct queue_limits lim = {
		.logical_block_size = parent->logical_block_size,
		.physical_block_size = parent->physical_block_size,
		.max_hw_sectors = UINT_MAX,
		.max_segments = USHRT_MAX,
		.max_segment_size = UINT_MAX,
		.max_hw_discard_sectors = UINT_MAX,
		.max_user_discard_sectors = UINT_MAX,
		.features = BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA |
			    BLK_FEAT_IO_STAT |
			    (parent->features & BLK_FEAT_ROTATIONAL),
	};
	struct gendisk *disk;

	disk = blk_alloc_disk(&lim, NUMA_NO_NODE);
	if (IS_ERR(disk))
		return disk;
	disk->fops = fops;
	disk->private_data = data;
	disk->flags |= GENHD_FL_HIDDEN | GENHD_FL_NO_PART;
	/* add_disk() would set this, but these disks must not be visible. */
	bdev_set_flag(disk->part0, BD_HAS_SUBMIT_BIO);
	set_capacity(disk, sectors);
	return disk;
}

static void front_submit_bio(struct bio *bio)
{
	struct par_set *set = bio->bi_bdev->bd_disk->private_data;

	set->ops->submit(set, bio);
}

static const struct block_device_operations par_front_fops = {
	.owner = THIS_MODULE,
	.submit_bio = front_submit_bio,
};

static int make_disks(struct par_set *set)
{
	struct par_conf *conf = set->conf;
	const char *kind = set == par_home(conf) ? "home" : "gear";
	unsigned int d;

	for (d = 0; d < set->sg->members; d++) {
		struct par_vmember *vm = &set->vm[d];
		struct gendisk *disk = par_disk_alloc(conf,
				set->sg->sectors + PAR_BLOCK_SECTORS,
				&par_vmember_fops, vm);

		if (IS_ERR(disk))
			return PTR_ERR(disk);
		vm->disk = disk;
		vm->runs = __alloc_percpu(2 * sizeof(*vm->runs), sizeof(u64));
		if (!vm->runs)
			return -ENOMEM;
		vm->set = set;
		vm->index = d;
		vm->member = &conf->member[d];
		/* Never registered: a long name may be truncated. */
		scnprintf(disk->disk_name, DISK_NAME_LEN, "%s-%s%u-m%u",
			  mdname(conf->mddev), kind, set->sg->members, d);
	}
	set->front = par_disk_alloc(conf, set->sg->sectors *
				    (set->sg->members - conf->geo.parities),
				    &par_front_fops, set);
	if (IS_ERR(set->front)) {
		int err = PTR_ERR(set->front);

		set->front = NULL;
		return err;
	}
	scnprintf(set->front->disk_name, DISK_NAME_LEN, "%s-%s%u",
		  mdname(conf->mddev), kind, set->sg->members);
	return 0;
}

/*
 * Those of two rows: if the worker took them one row at a time, it would tear a row apart that the
 * home set's stripes begin in the middle of. raid5 sends blocks of 4 KiB.
 */
static unsigned int enough_redirects(const struct par_set *set)
{
	const struct par_geometry *geo = &set->conf->geo;
	unsigned int row = (set->sg->members - geo->parities) * (geo->chunk_sectors / 8);

	return max(2 * row, LEAST_REDIRECTS);
}

static struct par_set *set_alloc(struct par_conf *conf, unsigned int number)
{
	struct par_set *set = kvzalloc(sizeof(*set), GFP_KERNEL);
	unsigned int i;

	if (!set)
		return NULL;
	set->conf = conf;
	set->number = number;
	set->sg = &conf->geo.set[number];
	set->ops = conf->geo.child_level ? &par_child_ops : &par_stripe_ops;
	bio_list_init(&set->send.unkept);
	INIT_WORK(&set->send.unkept_work, conf->up.unkept_work);
	bio_list_init(&set->send.redirects);
	set->send.enough = enough_redirects(set);
	INIT_WORK(&set->send.redirect_work, par_redirect_work);
	init_waitqueue_head(&set->stripe.quiet);
	for (i = 0; i < PAR_BUCKETS; i++) {
		spin_lock_init(&set->bucket[i].lock);
		bio_list_init(&set->bucket[i].waiters);
	}
	return set;
}

/* Memory and disks of all sets; they run only after the metadata is loaded. */
int par_sets_alloc(struct par_conf *conf)
{
	unsigned int i;
	int err;

	for (i = 1; i <= conf->geo.gears; i++) {
		struct par_set *set = set_alloc(conf, i);

		if (!set)
			return -ENOMEM;
		conf->set[i] = set;
		set->send.redirect_wq = alloc_ordered_workqueue("%s-gear%u", WQ_MEM_RECLAIM,
								mdname(conf->mddev),
							   set->sg->members);
		if (!set->send.redirect_wq)
			return -ENOMEM;
		err = par_members_init_set(set);
		err = err ?: par_rows_init(set);
		err = err ?: make_disks(set);
		if (err)
			return err;
	}
	return 0;
}

int par_sets_run(struct par_conf *conf)
{
	unsigned int i;
	int err = 0;

	/* The lowest first, since the sets above redirect to it. */
	for (i = 1; !err && i <= conf->geo.gears; i++)
		err = conf->set[i]->ops->create(conf->set[i]);
	return err;
}

void par_sets_destroy(struct par_conf *conf)
{
	unsigned int i, d;

	/*
	 * Home first, so that nothing is redirected to a gear set any more when it is
	 * destroyed.
	 */
	for (i = conf->geo.gears; i >= 1; i--) {
		struct par_set *set = conf->set[i];

		if (!set)
			continue;
		set->ops->destroy(set);
		cancel_work_sync(&set->send.unkept_work);
		if (set->send.redirect_wq)
			destroy_workqueue(set->send.redirect_wq);
		for (d = 0; d < set->sg->members; d++) {
			if (set->vm[d].disk)
				put_disk(set->vm[d].disk);
			free_percpu(set->vm[d].runs);
		}
		if (set->front)
			put_disk(set->front);
		par_rows_exit(set);
		par_members_exit_set(set);
		kvfree(set);
		conf->set[i] = NULL;
	}
}

/*
 * While the array must not be written, raid5 must not correct what it cannot read. A write
 * that comes before this call makes a set writable by itself.
 *
 * A member that has failed meanwhile is not recorded, and so not detached: let md look, as it
 * does when an array of its own becomes writable.
 */
void par_sets_writable(struct par_conf *conf, bool on)
{
	unsigned int i;

	for (i = 1; conf->geo.parities && i <= conf->geo.gears; i++) {
		struct mddev *child = &conf->set[i]->child.mddev;

		if (!conf->set[i]->running)
			continue;
		child->ro = on ? MD_RDWR : MD_AUTO_READ;
		if (on) {
			set_bit(MD_RECOVERY_NEEDED, &child->recovery);
			md_wakeup_thread(child->thread);
		}
	}
}

