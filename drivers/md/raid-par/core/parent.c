// SPDX-License-Identifier: GPL-2.0
/*
 * The parent: queries of the md array itself, and reports to it, for all files.
 */
#include <linux/raid/md_p.h>

#include "core/parent.h"
#include "pure/format.h"

/*
 * A member's rdev may be freed as soon as par_hot_remove() has cleared the pointer and has
 * waited for readers that hold rcu_read_lock().
 */
static struct md_rdev *rdev_of(struct par_conf *conf, unsigned int d)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "a member may go");
	return READ_ONCE(conf->member[d].rdev);
}

bool par_member_usable(struct par_conf *conf, unsigned int d)
{
	bool usable;

	rcu_read_lock();
	usable = par_rdev_usable(rdev_of(conf, d));
	rcu_read_unlock();
	return usable;
}

struct md_rdev *par_member_get(struct par_conf *conf, unsigned int d)
{
	struct md_rdev *rdev;

	rcu_read_lock();
	rdev = rdev_of(conf, d);
	if (par_rdev_usable(rdev))
		atomic_inc(&rdev->nr_pending);
	else
		rdev = NULL;
	rcu_read_unlock();
	return rdev;
}

void par_member_put(struct par_conf *conf, struct md_rdev *rdev)
{
	rdev_dec_pending(rdev, conf->mddev);
}

void par_count_degraded(struct par_conf *conf)
{
	unsigned int d, missing = 0;

	rcu_read_lock();
	for (d = 0; d < conf->geo.members; d++) {
		struct md_rdev *rdev = rdev_of(conf, d);

		if (!par_rdev_usable(rdev) || !test_bit(In_sync, &rdev->flags))
			missing++;
	}
	rcu_read_unlock();
	conf->mddev->degraded = missing;
}

int par_too_few(struct par_conf *conf)
{
	if (conf->mddev->degraded <= conf->geo.parities)
		return 0;
	pr_err("md/par:%s: cannot start: only %u of %u members are present and whole, %u are needed\n",
	       mdname(conf->mddev), conf->geo.members - conf->mddev->degraded,
	       conf->geo.members, conf->geo.members - conf->geo.parities);
	return -EIO;
}

static u64 sectors_needed(const struct par_conf *conf, unsigned int d)
{
	if (par_has_slots(&conf->geo) && !par_is_sleeper(&conf->geo, d))
		return conf->geo.steady;
	return conf->geo.dev_sectors;
}

bool par_fits(const struct par_conf *conf, const struct md_rdev *rdev, unsigned int d)
{
	return rdev->sectors >= sectors_needed(conf, d);
}

bool par_too_small(struct par_conf *conf, const struct md_rdev *rdev, unsigned int d)
{
	if (par_fits(conf, rdev, d))
		return false;
	pr_err("md/par:%s: %pg is too small: it has %llu sectors, %llu are needed\n",
	       mdname(conf->mddev), rdev->bdev, (unsigned long long)rdev->sectors,
	       sectors_needed(conf, d));
	return true;
}

bool par_too_coarse(struct par_conf *conf, const struct md_rdev *rdev)
{
	unsigned int size = bdev_logical_block_size(rdev->bdev);

	if (size <= PAR_BLOCK_BYTES && !((rdev->data_offset << SECTOR_SHIFT) & (size - 1)))
		return false;
	pr_err("md/par:%s: %pg has sectors of %u bytes: these must not be larger than %u, and its data offset of %llu sectors of 512 bytes must be a multiple of them\n",
	       mdname(conf->mddev), rdev->bdev, size, PAR_BLOCK_BYTES,
	       (unsigned long long)rdev->data_offset);
	return true;
}

/* Returns true if md knows of the failure now, or if no failure is left to report. */
static bool tell_md(struct par_conf *conf, unsigned int d)
{
	bool told = READ_ONCE(conf->mddev->pers);
	struct md_rdev *rdev;

	rcu_read_lock();
	rdev = rdev_of(conf, d);
	if (!par_rdev_usable(rdev))
		told = true;
	else if (told)
		md_error(conf->mddev, rdev);
	rcu_read_unlock();
	return told;
}

void par_member_failed(struct par_conf *conf, unsigned int d)
{
	if (tell_md(conf, d))
		return;
	set_bit(d, &conf->failed_early);
	/* md wakes its thread once the array is started, perhaps just before this. */
	smp_mb__after_atomic();
	if (READ_ONCE(conf->mddev->pers))
		md_wakeup_thread(conf->mddev->thread);
}

void par_fail_early(struct par_conf *conf)
{
	unsigned int d;

	if (!READ_ONCE(conf->mddev->pers))
		return;
	for (d = 0; d < conf->geo.members; d++)
		if (test_and_clear_bit(d, &conf->failed_early))
			par_member_failed(conf, d);
}

void par_write_deferred_sb(struct par_conf *conf)
{
	if (xchg(&conf->sb_deferred, 0))
		set_bit(MD_SB_CHANGE_DEVS, &conf->mddev->sb_flags);
}

void par_remove_again(struct par_conf *conf)
{
	set_bit(MD_RECOVERY_NEEDED, &conf->mddev->recovery);
	md_wakeup_thread(conf->mddev->thread);
}

bool par_syncing(struct mddev *mddev)
{
	return test_bit(MD_RECOVERY_RUNNING, &mddev->recovery) &&
	       (test_bit(MD_RECOVERY_SYNC, &mddev->recovery) ||
		test_bit(MD_RECOVERY_RECOVER, &mddev->recovery));
}

bool par_scrubbing(struct mddev *mddev)
{
	return test_bit(MD_RECOVERY_RUNNING, &mddev->recovery) &&
	       test_bit(MD_RECOVERY_REQUESTED, &mddev->recovery);
}

u32 par_unusable(struct par_conf *conf)
{
	u32 members = 0;
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (!par_member_usable(conf, d))
			members |= BIT(d);
	return members;
}

u32 par_usable(struct par_conf *conf, u32 members)
{
	return members & ~par_unusable(conf);
}

u32 par_awake_members(struct par_conf *conf)
{
	return BIT(conf->geo.set[conf->gear].members) - 1;
}

/*
 * md wants its superblock written, which is not possible while sleepers must not be
 * written. The next shift up has it written; until then the superblocks of the sets record
 * failures.
 */
void par_defer_sb(struct par_conf *conf)
{
	struct mddev *mddev = conf->mddev;

	clear_bit(MD_SB_CHANGE_DEVS, &mddev->sb_flags);
	clear_bit(MD_SB_CHANGE_CLEAN, &mddev->sb_flags);
	clear_bit(MD_SB_CHANGE_PENDING, &mddev->sb_flags);
	wake_up(&mddev->sb_wait);
	/* In case that shift up has just ended. */
	xchg(&conf->sb_deferred, 1);
	if (READ_ONCE(conf->gear) == conf->geo.gears)
		par_write_deferred_sb(conf);
}

/* As md computes it: the sum of the words of the superblock, this field taken as 0. */
static __le32 super_csum(struct mdp_superblock_1 *sb)
{
	unsigned int bytes = sizeof(*sb) + 2 * le32_to_cpu(sb->max_dev), i;
	__le32 *word = (__le32 *)sb, csum = sb->sb_csum;
	u64 sum = 0;

	sb->sb_csum = 0;
	for (i = 0; i < bytes / sizeof(*word); i++)
		sum += le32_to_cpu(word[i]);
	if (bytes % sizeof(*word))
		sum += le16_to_cpu(*(__le16 *)&word[i]);
	sb->sb_csum = csum;
	return cpu_to_le32((u32)sum + (u32)(sum >> 32));
}

/*
 * Nothing else in the superblock changes: with another event count, a member that is missing
 * would be out of date, though the array has not been written without it.
 */
void par_drop_request(struct mddev *mddev, u64 request, u32 asleep)
{
	struct mdp_superblock_1 *sb;
	struct md_rdev *rdev;

	might_sleep();
	rdev_for_each(rdev, mddev) {
		sb = page_address(rdev->sb_page);
		if (le64_to_cpu(sb->resync_offset) != request || bdev_read_only(rdev->bdev) ||
		    test_bit(Faulty, &rdev->flags) ||
		    (asleep && (rdev->raid_disk < 0 || asleep & BIT(rdev->raid_disk))))
			continue;
		sb->resync_offset = cpu_to_le64(MaxSector);
		sb->sb_csum = super_csum(sb);
		if (sync_page_io(rdev, 0, rdev->sb_size, rdev->sb_page,
				 REQ_OP_WRITE | REQ_SYNC | REQ_FUA | REQ_META, true))
			continue;
		sb->resync_offset = cpu_to_le64(request);
		set_bit(MD_SB_CHANGE_DEVS, &mddev->sb_flags);
	}
}
