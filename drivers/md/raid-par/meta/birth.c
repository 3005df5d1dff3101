// SPDX-License-Identifier: GPL-2.0
/*
 * What of an array's shape md's superblock does not say: how large its log is, and of which
 * share it has images. It must be known before the geometry is. An array that is new has it from
 * mdadm, which writes a birth record to the members; from then on the superblocks have it. A
 * rescue of an array without any superblock needs the record again. So each member gets the
 * record with the first use of the array, if it does not have it: all members of a new array and
 * of an array whose UUID has changed, and a new member.
 *
 * The record is written after a superblock, to members that have just got that superblock. It is
 * overwritten in place, and a cut can tear it; but at any time a member has a superblock or a
 * whole record that says the same. Nothing else relies on the record, so nothing is flushed
 * before it. It is written with FUA, since the array does not write it again before the next start.
 */
#include "core/parent.h"
#include "meta/load.h"

/*
 * struct par_records - the birth records of the members
 * @ours: they are of the array; otherwise of another UUID, and no member has one of the array
 * @differ: they are not of one shape
 */
struct par_records {
	struct par_birth birth;
	unsigned int count;
	bool ours, differ;
};

/* As the newest superblock of the array on this member has it. */
static bool birth_of_super(struct mddev *mddev, struct par_scan *scan, unsigned int d,
			   struct page *page, u64 *newest, struct par_birth *birth)
{
	const struct par_disk_super *raw = page_address(page);
	struct par_identity id;
	unsigned int slot;
	bool found = false;

	for (slot = 0; slot < 2; slot++) {
		if (!par_scan_read(scan, d, par_super_sector(slot), page) ||
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

static bool usable_place(const struct md_rdev *rdev)
{
	return rdev->raid_disk >= 0 && rdev->raid_disk < PAR_MAX_MEMBERS &&
	       !test_bit(Faulty, &rdev->flags);
}

static bool read_record(struct mddev *mddev, struct par_scan *scan, struct md_rdev *rdev,
			struct page *page, struct par_birth *birth, bool *ours)
{
	return par_scan_read(scan, rdev->raid_disk, PAR_BIRTH_SECTOR, page) &&
	       par_birth_read(page_address(page), mddev->uuid, birth, ours);
}

static void add_record(struct par_records *records, const struct par_birth *birth, bool ours)
{
	if (records->count && records->ours && !ours)
		return;
	if (!records->count || (ours && !records->ours)) {
		*records = (struct par_records) { .birth = *birth, .count = 1, .ours = ours };
		return;
	}
	records->count++;
	records->differ |= !par_birth_agree(&records->birth, birth);
	if (!records->birth.run)	/* a record of mdadm, which leaves this to the module */
		records->birth = *birth;
}

static void read_records(struct mddev *mddev, struct par_scan *scan, struct page *page,
			 struct par_records *records)
{
	struct par_birth birth;
	struct md_rdev *rdev;
	bool ours;

	memset(records, 0, sizeof(*records));
	rdev_for_each(rdev, mddev)
		if (usable_place(rdev) && read_record(mddev, scan, rdev, page, &birth, &ours))
			add_record(records, &birth, ours);
}

static void tell_records(struct mddev *mddev, struct par_scan *scan, struct page *page)
{
	struct par_birth birth;
	struct md_rdev *rdev;
	bool ours;

	rdev_for_each(rdev, mddev)
		if (usable_place(rdev) && read_record(mddev, scan, rdev, page, &birth, &ours))
			pr_warn("md/par:%s: member %d (%pg) has a birth record%s: a log of %llu sectors on each member, images of %u percent\n",
				mdname(mddev), rdev->raid_disk, rdev->bdev,
				ours ? "" : " under another UUID", birth.log,
				birth.share ?: PAR_SHARE_ALL);
}

/*
 * No member has a superblock. An array that has not been used since its UUID changed, or that an
 * older raid-par has renamed, has records under another UUID. So may a disk that was in another
 * array, in an array that an older raid-par has created without log and share: therefore the
 * kernel log has the shape before anything is written, both when the start is refused and in the
 * rescue.
 */
static int birth_of_lost(struct mddev *mddev, struct par_scan *scan, struct page *page,
			 struct par_birth *birth)
{
	struct par_records records;

	read_records(mddev, scan, page, &records);
	if (!records.count) {
		pr_warn("md/par:%s: the superblock is lost and no member has a birth record: taken as an array without a write log, with images of everything\n",
			mdname(mddev));
		return 0;
	}
	if (records.differ) {
		tell_records(mddev, scan, page);
		pr_err("md/par:%s: the superblock is lost and the birth records of the members differ: leave out the members with a wrong record\n",
		       mdname(mddev));
		return par_resync_offset(mddev) == PAR_ASKS_RESCUE ? -EUCLEAN : 0;
	}
	*birth = records.birth;
	pr_warn("md/par:%s: the superblock is lost: laid out by the birth records of %u members%s: a log of %llu sectors on each member, images of %u percent\n",
		mdname(mddev), records.count, records.ours ? "" : ", under another UUID",
		birth->log, birth->share ?: PAR_SHARE_ALL);
	return 0;
}

static void birth_of_new(struct mddev *mddev, struct par_scan *scan, struct page *page,
			 struct par_birth *birth)
{
	struct par_records records;

	read_records(mddev, scan, page, &records);
	if (records.count && records.ours)
		*birth = records.birth;
}

int par_birth_find(struct mddev *mddev, struct par_scan *scan, struct par_birth *birth)
{
	/* It may have been created in the same second as the array whose place it takes. */
	bool replaces = par_resync_offset(mddev) == PAR_ASKS_NEW && !mddev->events;
	struct page *page = alloc_page(GFP_KERNEL);
	struct md_rdev *rdev;
	bool found = false;
	u64 newest = 0;
	int err = 0;

	memset(birth, 0, sizeof(*birth));
	if (!page)
		return -ENOMEM;
	rdev_for_each(rdev, mddev)
		if (!replaces && usable_place(rdev))
			found |= birth_of_super(mddev, scan, rdev->raid_disk, page,
						&newest, birth);
	if (!found && mddev->events)
		err = birth_of_lost(mddev, scan, page, birth);
	else if (!found)
		birth_of_new(mddev, scan, page, birth);
	put_page(page);
	return err;
}

/* ---- the members get the record ---- */

static void pack_record(struct par_conf *conf, struct page *page)
{
	struct par_birth birth;

	par_birth_of(&conf->geo, &birth);
	par_birth_pack(page_address(page), conf->mddev->uuid, &birth);
}

void par_birth_check(struct par_conf *conf)
{
	struct page *right = conf->store->pages[0], *found = conf->store->pages[1];
	unsigned int d;

	pack_record(conf, right);
	for (d = 0; d < conf->geo.members; d++)
		if (!par_rdev_usable(conf->member[d].rdev) ||
		    !par_meta_read(conf, d, PAR_BIRTH_SECTOR, found) ||
		    memcmp(page_address(right), page_address(found), PAR_BLOCK_BYTES))
			conf->store->notes.birth_due |= BIT(d);
}

void par_birth_store(struct par_conf *conf, u32 members)
{
	u32 due = par_usable(conf, members & conf->store->notes.birth_due), failed;
	struct par_meta_io io;
	unsigned int d;

	lockdep_assert_held(&conf->store->mutex);
	if (!due)
		return;
	pack_record(conf, conf->store->pages[0]);
	par_meta_begin(&io, conf);
	for (d = 0; d < conf->geo.members; d++)
		if (due & BIT(d))
			par_meta_submit(&io, d, PAR_BIRTH_SECTOR, conf->store->pages[0],
					REQ_OP_WRITE | REQ_FUA | REQ_SYNC | REQ_META);
	failed = par_meta_wait(&io);
	conf->store->notes.birth_due &= failed | ~due;
	conf->store->writes++;
	for (d = 0; d < conf->geo.members; d++)
		if (failed & BIT(d))
			pr_warn("md/par:%s: member %u (%pg) does not accept the birth record, which only a rescue needs\n",
				mdname(conf->mddev), d, conf->member[d].rdev->bdev);
}
