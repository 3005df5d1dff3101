// SPDX-License-Identifier: GPL-2.0
/*
 * What of an array's shape md's superblock does not say: how large its log is, and of which
 * share it has images. It must be known before the geometry is. An array that is new has it from
 * mdadm, which leaves a block on the members; from then on the superblocks have it.
 */
#include "meta/load.h"

/* As the newest superblock of the array on this member has it. */
static bool birth_of_super(struct mddev *mddev, struct md_rdev *rdev, struct page *page,
			   u64 *newest, struct par_birth *birth)
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
		par_super_birth(raw, birth);
	}
	return found;
}

static bool birth_as_left(struct mddev *mddev, struct md_rdev *rdev, struct page *page,
			  struct par_birth *birth)
{
	return sync_page_io(rdev, PAR_BIRTH_SECTOR, PAR_BLOCK_BYTES, page,
			    REQ_OP_READ | REQ_META, false) &&
	       par_birth_read(page_address(page), mddev->uuid, birth);
}

void par_birth_find(struct mddev *mddev, struct par_birth *birth)
{
	/* It may have been created in the same second as the array whose place it takes. */
	bool replaces = par_resync_offset(mddev) == PAR_ASKS_NEW && !mddev->events;
	struct page *page = alloc_page(GFP_KERNEL);
	struct md_rdev *rdev;
	bool found = false;
	u64 newest = 0;

	memset(birth, 0, sizeof(*birth));
	if (!page)
		return;
	rdev_for_each(rdev, mddev)
		if (!replaces && rdev->raid_disk >= 0 && !test_bit(Faulty, &rdev->flags))
			found |= birth_of_super(mddev, rdev, page, &newest, birth);
	/* Where all superblocks are lost, it is the only one to know. */
	rdev_for_each(rdev, mddev)
		if (!found && (!mddev->events ||
			       par_resync_offset(mddev) == PAR_ASKS_RESCUE) &&
		    rdev->raid_disk >= 0)
			found = birth_as_left(mddev, rdev, page, birth);
	put_page(page);
}
