// SPDX-License-Identifier: GPL-2.0
/*
 * What of an array's shape md's superblock does not say: how large its log is. It must be known
 * before the geometry is. An array that is new has it from mdadm, which leaves a block on the
 * members; from then on the superblocks have it.
 */
#include "meta/load.h"

/* As the newest superblock of the array on this member has it. */
static bool log_of_super(struct mddev *mddev, struct md_rdev *rdev, struct page *page,
			 u64 *newest, u64 *log_sectors)
{
	const struct par_disk_super *raw = page_address(page);
	struct par_identity id;
	unsigned int slot;
	bool found = false;

	for (slot = 0; slot < 2; slot++) {
		if (!sync_page_io(rdev, par_super_sector(slot), PAR_BLOCK_BYTES, page,
				  REQ_OP_READ | REQ_META, false) ||
		    !par_super_owner(raw, &id) || id.ctime != mddev->ctime)
			continue;
		found = true;
		if (le64_to_cpu(raw->seq) < *newest)
			continue;
		*newest = le64_to_cpu(raw->seq);
		*log_sectors = par_super_log(raw);
	}
	return found;
}

static bool log_of_birth(struct mddev *mddev, struct md_rdev *rdev, struct page *page,
			 u64 *log_sectors)
{
	return sync_page_io(rdev, PAR_BIRTH_SECTOR, PAR_BLOCK_BYTES, page,
			    REQ_OP_READ | REQ_META, false) &&
	       par_birth_log(page_address(page), mddev->uuid, log_sectors);
}

u64 par_log_wanted(struct mddev *mddev)
{
	struct page *page = alloc_page(GFP_KERNEL);
	u64 newest = 0, log_sectors = 0;
	struct md_rdev *rdev;
	bool found = false;

	if (!page)
		return 0;
	rdev_for_each(rdev, mddev)
		if (rdev->raid_disk >= 0 && !test_bit(Faulty, &rdev->flags))
			found |= log_of_super(mddev, rdev, page, &newest, &log_sectors);
	/* Where all superblocks are lost, it is the only one to know. */
	rdev_for_each(rdev, mddev)
		if (!found && (!mddev->events ||
			       par_resync_offset(mddev) == PAR_ASKS_RESCUE) &&
		    rdev->raid_disk >= 0)
			found = log_of_birth(mddev, rdev, page, &log_sectors);
	put_page(page);
	return log_sectors;
}
