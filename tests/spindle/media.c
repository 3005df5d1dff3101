// SPDX-License-Identifier: GPL-2.0
/*
 * The content of a disk: slots of 4 KiB, each with the content of the media and newer
 * content in the volatile cache. Sectors that were never written take no memory and read as
 * zeros; nor do zeros that have left the cache.
 */
#include <linux/bitops.h>
#include <linux/gfp.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "spindle.h"

#define SLOT_BYTES	4096
#define SLOT_SHIFT	SPINDLE_SLOT_SHIFT
#define SLOT_SECTORS	BIT(SLOT_SHIFT)
#define ALL_SECTORS	0xff

/* Marks slots with dirty sectors. */
#define SLOT_DIRTY	XA_MARK_0

/* A page that is missing stands for zeros. */
struct slot {
	u8 *media;
	u8 *cached;			/* only dirty sectors of it count */
	u8 dirty;			/* a bit for each sector */
	u64 writes;
};

u64 spindle_cache_slots(const struct spindle *disk)
{
	return disk->kind.cache_kib * 1024 / SLOT_BYTES;
}

static unsigned long nr_slots(const struct spindle *disk)
{
	return disk->size_mib << (20 - SECTOR_SHIFT - SLOT_SHIFT);
}

/* A larger page would be a waste: the slab packs several slots into one. */
static u8 *new_page(struct spindle *disk)
{
	u8 *page;

	if (PAGE_SIZE > SLOT_BYTES)
		page = kzalloc(SLOT_BYTES, GFP_NOIO);
	else
		page = (u8 *)get_zeroed_page(GFP_NOIO);
	if (page)
		disk->nr_pages++;
	return page;
}

static void put_page_of(struct spindle *disk, u8 *page)
{
	if (!page)
		return;
	disk->nr_pages--;
	if (PAGE_SIZE > SLOT_BYTES)
		kfree(page);
	else
		free_page((unsigned long)page);
}

static u8 sector_mask(unsigned int first, unsigned int count)
{
	return GENMASK(first + count - 1, first);
}

static void copy_sectors(u8 *to, const u8 *from, unsigned long mask)
{
	unsigned int i;

	for_each_set_bit(i, &mask, SLOT_SECTORS) {
		if (from)
			memcpy(to + i * SECTOR_SIZE, from + i * SECTOR_SIZE, SECTOR_SIZE);
		else
			memset(to + i * SECTOR_SIZE, 0, SECTOR_SIZE);
	}
}

static void erase_slot(struct spindle *disk, unsigned long index, struct slot *slot)
{
	xa_erase(&disk->slots, index);
	put_page_of(disk, slot->media);
	put_page_of(disk, slot->cached);
	kfree(slot);
}

static struct slot *get_slot(struct spindle *disk, unsigned long index)
{
	struct slot *slot = xa_load(&disk->slots, index);

	if (slot)
		return slot;
	slot = kzalloc(sizeof(*slot), GFP_NOIO);
	if (slot && xa_err(xa_store(&disk->slots, index, slot, GFP_NOIO))) {
		kfree(slot);
		return NULL;
	}
	return slot;
}

/* The cache's page becomes the media's, so that a flush needs no memory. */
static void give_page(struct spindle *disk, struct slot *slot, u8 keep)
{
	if (slot->cached)
		copy_sectors(slot->cached, NULL, (u8)~keep);
	put_page_of(disk, slot->media);
	slot->media = slot->cached;
	slot->cached = NULL;
}

/* Zeros need no page. */
static void drop_zeros(struct spindle *disk, struct slot *slot)
{
	if (!slot->media || memchr_inv(slot->media, 0, SLOT_BYTES))
		return;
	put_page_of(disk, slot->media);
	slot->media = NULL;
}

/*
 * Of the slot's dirty sectors, those in @keep are written to the media, the others are
 * lost, and the cache is clean. The slot may be freed by this.
 */
static void settle(struct spindle *disk, unsigned long index, struct slot *slot, u8 keep)
{
	if (keep && (keep == ALL_SECTORS || !slot->media))
		give_page(disk, slot, keep);
	else
		copy_sectors(slot->media, slot->cached, keep);
	if (slot->dirty) {
		disk->dirty -= hweight8(slot->dirty);
		disk->nr_cached--;
		slot->dirty = 0;
		xa_clear_mark(&disk->slots, index, SLOT_DIRTY);
	}
	put_page_of(disk, slot->cached);
	slot->cached = NULL;
	drop_zeros(disk, slot);
	if (!slot->media)
		erase_slot(disk, index, slot);
}

static void destage(struct spindle *disk, unsigned long index, struct slot *slot)
{
	settle(disk, index, slot, slot->dirty);
}

static void set_dirty(struct spindle *disk, unsigned long index, struct slot *slot, u8 mask)
{
	if (!slot->dirty) {
		disk->nr_cached++;
		xa_set_mark(&disk->slots, index, SLOT_DIRTY);
	}
	disk->dirty += hweight8(mask & ~slot->dirty);
	slot->dirty |= mask;
}

/* A full cache makes room anywhere: the oldest data need not be stable first. */
static void evict(struct spindle *disk)
{
	unsigned long index = spindle_choose(disk, SPINDLE_EVICT, disk->nr_evicted++, 0);
	struct slot *slot;

	index %= nr_slots(disk);
	slot = xa_find(&disk->slots, &index, ULONG_MAX, SLOT_DIRTY);
	if (!slot) {
		index = 0;
		slot = xa_find(&disk->slots, &index, ULONG_MAX, SLOT_DIRTY);
	}
	if (slot)
		destage(disk, index, slot);
}

/* None, all or some of a slot's sectors. A block is whole, new or old. */
static u8 some_sectors(const struct spindle *disk, u64 random)
{
	switch (random % 3) {
	case 0:
		return 0;
	case 1:
		return ALL_SECTORS;
	}
	if (disk->blocksize == SLOT_BYTES)
		return random & BIT(16) ? ALL_SECTORS : 0;
	return random >> 16;
}

static u8 arriving(const struct spindle *disk, unsigned long index,
		   const struct spindle_how *how)
{
	if (!how->part)
		return ALL_SECTORS;
	return some_sectors(disk, spindle_choose(disk, SPINDLE_ARRIVE, index, how->seed));
}

/*
 * The cached content of these sectors is about to be replaced. Now and then the old content
 * is written to the media before, and may be what is left after a cut. Returns true in that
 * case: the slot must then be looked up again.
 */
static bool destage_older(struct spindle *disk, unsigned long index, struct slot *slot, u8 mask)
{
	slot->writes++;
	if (!(slot->dirty & mask))
		return false;
	if (spindle_choose(disk, SPINDLE_DESTAGE, index, slot->writes) % 4)
		return false;
	destage(disk, index, slot);
	return true;
}

static blk_status_t write_slot(struct spindle *disk, unsigned long index, const u8 *from,
			       u8 mask, bool through)
{
	struct slot *slot = get_slot(disk, index);

	if (slot && destage_older(disk, index, slot, mask))
		slot = get_slot(disk, index);
	if (!slot)
		return BLK_STS_RESOURCE;
	if (!slot->cached)
		slot->cached = new_page(disk);
	if (!slot->cached) {
		destage(disk, index, slot);
		return BLK_STS_RESOURCE;
	}
	copy_sectors(slot->cached, from, mask);
	set_dirty(disk, index, slot, mask);
	if (through)
		destage(disk, index, slot);
	else if (disk->nr_cached > spindle_cache_slots(disk))
		evict(disk);
	return BLK_STS_OK;
}

blk_status_t spindle_media_write(struct spindle *disk, sector_t sector, const void *from,
				 unsigned int bytes, const struct spindle_how *how)
{
	unsigned int left = bytes >> SECTOR_SHIFT;
	const u8 *data = from;
	blk_status_t status;

	while (left) {
		unsigned int first = sector & (SLOT_SECTORS - 1);
		unsigned int count = min_t(unsigned int, left, SLOT_SECTORS - first);
		unsigned long index = sector >> SLOT_SHIFT;
		u8 mask = sector_mask(first, count) & arriving(disk, index, how);

		/* The data pointer for the start of the slot. */
		status = mask ? write_slot(disk, index, data - first * SECTOR_SIZE,
					   mask, how->through) : BLK_STS_OK;
		if (status)
			return status;
		data += count * SECTOR_SIZE;
		sector += count;
		left -= count;
	}
	return BLK_STS_OK;
}

static void read_slot(const struct slot *slot, unsigned int first, unsigned int count, u8 *to)
{
	unsigned int i;

	for (i = first; i < first + count; i++, to += SECTOR_SIZE) {
		const u8 *from = NULL;

		if (slot)
			from = slot->dirty & BIT(i) ? slot->cached : slot->media;
		if (from)
			memcpy(to, from + i * SECTOR_SIZE, SECTOR_SIZE);
		else
			memset(to, 0, SECTOR_SIZE);
	}
}

void spindle_media_read(struct spindle *disk, sector_t sector, void *to, unsigned int bytes)
{
	unsigned int left = bytes >> SECTOR_SHIFT;
	u8 *data = to;

	while (left) {
		unsigned int first = sector & (SLOT_SECTORS - 1);
		unsigned int count = min_t(unsigned int, left, SLOT_SECTORS - first);

		read_slot(xa_load(&disk->slots, sector >> SLOT_SHIFT), first, count, data);
		data += count * SECTOR_SIZE;
		sector += count;
		left -= count;
	}
}

/* Zeros in the cache; a whole page of them is no page. */
static void discard_slot(struct spindle *disk, unsigned long index, struct slot *slot, u8 mask,
			 bool through)
{
	if (destage_older(disk, index, slot, mask))
		slot = xa_load(&disk->slots, index);
	if (!slot)
		return;
	if (slot->cached)
		copy_sectors(slot->cached, NULL, mask);
	set_dirty(disk, index, slot, mask);
	if (slot->dirty == ALL_SECTORS && mask == ALL_SECTORS) {
		put_page_of(disk, slot->cached);
		slot->cached = NULL;
	}
	if (through)
		destage(disk, index, slot);
	else if (disk->nr_cached > spindle_cache_slots(disk))
		evict(disk);
}

/* Only stored slots have to be discarded: so this is fast on a disk of any size. */
void spindle_media_discard(struct spindle *disk, sector_t sector, u64 sectors,
			   const struct spindle_how *how)
{
	unsigned long index, last = (sector + sectors - 1) >> SLOT_SHIFT;
	struct slot *slot;

	xa_for_each_range(&disk->slots, index, slot, sector >> SLOT_SHIFT, last) {
		sector_t begin = max_t(sector_t, sector, (sector_t)index << SLOT_SHIFT);
		sector_t end = min_t(sector_t, sector + sectors,
				     ((sector_t)index + 1) << SLOT_SHIFT);
		u8 mask = sector_mask(begin & (SLOT_SECTORS - 1), end - begin);

		mask &= arriving(disk, index, how);
		if (mask)
			discard_slot(disk, index, slot, mask, how->through);
		cond_resched();
	}
}

void spindle_media_flush(struct spindle *disk)
{
	unsigned long index;
	struct slot *slot;

	xa_for_each_marked(&disk->slots, index, slot, SLOT_DIRTY)
		destage(disk, index, slot);
}

u64 spindle_media_next_dirty(struct spindle *disk, sector_t sector, u64 most, u64 *first)
{
	unsigned long index = sector >> SLOT_SHIFT;
	u64 count = 0;

	if (!xa_find(&disk->slots, &index, ULONG_MAX, SLOT_DIRTY)) {
		index = 0;
		if (!xa_find(&disk->slots, &index, ULONG_MAX, SLOT_DIRTY))
			return 0;
	}
	*first = index;
	while (count < most && xa_get_mark(&disk->slots, index + count, SLOT_DIRTY))
		count++;
	return count;
}

void spindle_media_destage(struct spindle *disk, u64 first, u64 count)
{
	unsigned long index;
	struct slot *slot;

	for (index = first; index < first + count; index++) {
		slot = xa_load(&disk->slots, index);
		if (slot && slot->dirty)
			destage(disk, index, slot);
	}
}

bool spindle_media_all_dirty(struct spindle *disk, sector_t sector, u64 sectors)
{
	while (sectors) {
		unsigned int first = sector & (SLOT_SECTORS - 1);
		unsigned int count = min_t(u64, sectors, SLOT_SECTORS - first);
		const struct slot *slot = xa_load(&disk->slots, sector >> SLOT_SHIFT);

		if (!slot || (sector_mask(first, count) & ~slot->dirty))
			return false;
		sector += count;
		sectors -= count;
	}
	return true;
}

/*
 * A cut is in one of several moods, so that rare results (nothing lost but one block, or
 * all lost but one) occur often enough in a test.
 */
static u8 surviving(const struct spindle *disk, unsigned long index, u64 mood, u64 seed)
{
	u64 random = spindle_choose(disk, SPINDLE_KEEP, index, seed);
	bool rare = !((random >> 32) % 16);

	switch (mood % 8) {
	case 0:
		return 0;
	case 1:
		return ALL_SECTORS;
	case 2:
		return rare ? some_sectors(disk, random) : 0;
	case 3:
		return rare ? some_sectors(disk, random) : ALL_SECTORS;
	}
	return some_sectors(disk, random);
}

void spindle_media_cut(struct spindle *disk, u64 seed)
{
	u64 mood = spindle_choose(disk, SPINDLE_MOOD, seed, 0);
	unsigned long index;
	struct slot *slot;

	xa_for_each_marked(&disk->slots, index, slot, SLOT_DIRTY) {
		u8 keep = slot->dirty & surviving(disk, index, mood, seed);

		disk->lost += hweight8(slot->dirty & ~keep);
		settle(disk, index, slot, keep);
	}
}

void spindle_media_truncate(struct spindle *disk)
{
	unsigned long index, end = nr_slots(disk);
	struct slot *slot;

	xa_for_each_start(&disk->slots, index, slot, end) {
		settle(disk, index, slot, 0);
		slot = xa_load(&disk->slots, index);
		if (slot)
			erase_slot(disk, index, slot);
	}
}

void spindle_media_setup(struct spindle *disk)
{
	xa_init(&disk->slots);
}

void spindle_media_free(struct spindle *disk)
{
	unsigned long index;
	struct slot *slot;

	xa_for_each(&disk->slots, index, slot) {
		erase_slot(disk, index, slot);
		cond_resched();
	}
	xa_destroy(&disk->slots);
	WARN_ON(disk->nr_pages);
}
