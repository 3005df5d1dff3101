// SPDX-License-Identifier: GPL-2.0
/*
 * Members whose metadata is behind, since they have slept or been away: they receive the
 * blocks that were stored meanwhile. See store.h for the contract.
 */
#include <linux/slab.h>

#include "core/parent.h"
#include "meta/store.h"
#include "pure/validate.h"

static bool is_block(struct par_conf *conf, enum par_block_kind kind, u32 index,
		     u64 seq, struct page *page)
{
	struct par_disk_block *raw = page_address(page);

	return par_block_valid(raw, &conf->geo, kind, index, conf->store->super.epoch) &&
	       le64_to_cpu(raw->seq) == seq;
}

/*
 * Read a stored block from any awake member that has this version intact: a member may have
 * it without being current, see begin_use().
 */
static int read_block(struct par_conf *conf, enum par_block_kind kind, u32 index,
		      u64 seq, u64 sector, struct page *page)
{
	u32 members = par_usable(conf, par_awake_members(conf));
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (members & BIT(d) && par_meta_read(conf, d, sector, page) &&
		    is_block(conf, kind, index, seq, page))
			return 0;
	return -EIO;
}

/* struct par_copy - a slot of a member, where a version of a block may be */
struct par_copy {
	u32 index;
	u8 d, slot;
};

/*
 * struct par_search - to find the slots of the newest versions of blocks
 * @at: the block that @copies belong to; @copy: the copies being read
 */
struct par_search {
	enum par_block_kind kind;
	struct par_map_block *block;
	u32 at;
	struct par_copies copies;
	struct par_copy copy[PAR_REFRESH_BATCH];
};

/*
 * struct par_refresh - blocks that members which are behind lack
 * @count: the number of blocks; @room: the number of pages for them
 * @lacking: for each block, the members that lack it
 * @page: the store's own pages, and those that could be allocated
 * @unreadable: the number of blocks that no member could deliver
 * @search: of par_find_slots(), which uses the pages in the same way
 */
struct par_refresh {
	enum par_block_kind kind;
	const struct par_map_block *block;
	unsigned int count, room, unreadable;
	u32 index[PAR_REFRESH_BATCH], lacking[PAR_REFRESH_BATCH];
	struct page *page[PAR_REFRESH_BATCH];
	struct par_search search;
};

int par_refresh_alloc(struct par_conf *conf)
{
	conf->store->refresh = kvzalloc(sizeof(*conf->store->refresh), GFP_KERNEL);
	return conf->store->refresh ? 0 : -ENOMEM;
}

void par_refresh_free(struct par_conf *conf)
{
	kvfree(conf->store->refresh);
}

/* Allocate pages beyond the store's own, without waiting: more pages make it faster. */
static void get_pages(struct par_conf *conf, struct par_refresh *r)
{
	while (r->room < PAR_REFRESH_BATCH) {
		struct page *page = r->room < PAR_STORE_BATCH ?
				    conf->store->pages[r->room] :
				    alloc_page(GFP_NOWAIT | __GFP_NOWARN);

		if (!page)
			break;
		r->page[r->room++] = page;
	}
}

static void put_pages(struct par_refresh *r)
{
	while (r->room > PAR_STORE_BATCH)
		put_page(r->page[--r->room]);
	r->room = 0;
}

static u64 sector_of(struct par_conf *conf, const struct par_refresh *r, unsigned int k)
{
	u32 index = r->index[k];

	return par_block_sector(&conf->geo, r->kind, index, r->block[index].slot);
}

/*
 * No awake member has the stored version any more. Its content is in memory, and may be
 * stored with the changes since: see store_unreadable().
 */
static void give_up_block(struct par_conf *conf, struct par_refresh *r, unsigned int k)
{
	r->lacking[k] = 0;
	if (!r->unreadable++)
		pr_warn("md/par:%s: metadata blocks cannot be read on any member that is awake; they are stored again from memory\n",
			mdname(conf->mddev));
	if (r->kind == PAR_BLOCK_MAP)
		set_bit(r->index[k], conf->store->todo);
	else if (r->kind == PAR_BLOCK_INTENT)
		conf->store->intents_differ = true;
	else if (r->kind == PAR_BLOCK_SLOT)
		set_bit(r->index[k], conf->slots->todo);
	else
		conf->store->lost.due = true;
}

/*
 * Read all blocks at once, spread over all awake members: these have other work, so that
 * reading one block after the other takes long. A block that cannot be read this way is
 * read from each member in turn.
 */
static void read_blocks(struct par_conf *conf, struct par_refresh *r)
{
	u32 members = par_usable(conf, par_awake_members(conf));
	struct par_meta_io io = { .conf = conf };
	unsigned int k, d = 0;

	par_meta_begin(&io, conf);
	for (k = 0; members && k < r->count; k++) {
		do
			d = (d + 1) % conf->geo.members;
		while (!(members & BIT(d)));
		par_meta_submit(&io, d, sector_of(conf, r, k),
				r->page[k], REQ_OP_READ | REQ_SYNC | REQ_META);
	}
	par_meta_wait(&io);
	for (k = 0; k < r->count; k++) {
		const struct par_map_block *block = &r->block[r->index[k]];

		if (!is_block(conf, r->kind, r->index[k], block->seq, r->page[k]) &&
		    read_block(conf, r->kind, r->index[k], block->seq, sector_of(conf, r, k),
			       r->page[k]))
			give_up_block(conf, r, k);
	}
}

/*
 * Both slots of a block are written, so that neither holds a version that the other members
 * never had: the slot with the newest version first, the @other one when that is stable, so
 * that a cut leaves the member one of them. On a member without blocks of this array the
 * slots are written together, in order, which results in large requests.
 */
static bool slot_due(const struct par_conf *conf, const struct par_refresh *r, unsigned int k,
		     unsigned int d, unsigned int slot, bool other)
{
	if (!(r->lacking[k] & BIT(d)))
		return false;
	if (!conf->store->member_seq[d])
		return !other;
	return slot == (r->block[r->index[k]].slot ^ other);
}

/* After an error of a member, its previous writes are not stable. */
static void write_again(struct par_conf *conf, struct par_refresh *r, unsigned int d,
			bool other)
{
	unsigned int k, slot;
	u64 sector;

	for (k = 0; k < r->count; k++)
		for (slot = 0; slot < 2 && par_usable(conf, BIT(d)); slot++) {
			sector = par_block_sector(&conf->geo, r->kind, r->index[k], slot);
			if (slot_due(conf, r, k, d, slot, other))
				par_meta_write_waking(conf, d, &sector, &r->page[k], 1);
		}
}

static void send_blocks(struct par_meta_io *io, const struct par_refresh *r, unsigned int d,
			bool other)
{
	struct par_conf *conf = io->conf;
	unsigned int k, slot;

	for (k = 0; k < r->count; k++)
		for (slot = 0; slot < 2; slot++)
			if (slot_due(conf, r, k, d, slot, other))
				par_meta_submit(io, d, par_block_sector(&conf->geo, r->kind,
									r->index[k], slot),
						r->page[k],
						REQ_OP_WRITE | REQ_SYNC | REQ_META);
}

/*
 * Write to each of @behind the blocks that it lacks, to all members at once, with one
 * flush: FUA would cost a revolution of the disk for each block.
 */
static void write_blocks(struct par_conf *conf, struct par_refresh *r, u32 behind,
			 bool other)
{
	struct par_meta_io io;
	struct blk_plug plug;
	unsigned int d;
	u32 failed;

	par_meta_begin(&io, conf);
	blk_start_plug(&plug);
	for (d = 0; d < conf->geo.members; d++)
		if (behind & BIT(d))
			send_blocks(&io, r, d, other);
	blk_finish_plug(&plug);
	failed = par_meta_wait(&io);
	failed |= par_flush_waking(conf, behind & ~failed);
	for (d = 0; d < conf->geo.members; d++)
		if (failed & BIT(d))
			write_again(conf, r, d, other);
	conf->store->writes += r->count;
}

static void refresh_batch(struct par_conf *conf, struct par_refresh *r, u32 behind)
{
	read_blocks(conf, r);
	write_blocks(conf, r, par_usable(conf, behind), false);
	write_blocks(conf, r, par_usable(conf, behind), true);
	r->count = 0;
}

/* Those of @behind that lack the stored version of this block. */
static u32 members_lacking(struct par_conf *conf, const struct par_map_block *block, u32 behind)
{
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (behind & BIT(d) && block->seq <= conf->store->member_seq[d])
			behind &= ~BIT(d);
	return behind;
}

/* Copy the blocks of one kind that were stored after members @behind left to these members. */
static void refresh_blocks(struct par_conf *conf, u32 behind, enum par_block_kind kind,
			   const struct par_map_block *block, u32 count)
{
	struct par_refresh *r = conf->store->refresh;
	u32 i, who;

	r->kind = kind;
	r->block = block;
	for (i = 0; i < count; i++) {
		who = members_lacking(conf, &block[i], behind);
		if (!who)
			continue;
		r->index[r->count] = i;
		r->lacking[r->count++] = who;
		if (r->count == r->room)
			refresh_batch(conf, r, behind);
	}
	if (r->count)
		refresh_batch(conf, r, behind);
}

/* ---- a disk that is to become a member ---- */

/* Write both slots, and flush: the disk has no blocks of this array. */
static bool write_spare(struct par_conf *conf, struct par_refresh *r, struct md_rdev *rdev)
{
	struct par_meta_io io;
	struct blk_plug plug;
	unsigned int k;

	par_meta_begin(&io, conf);
	blk_start_plug(&plug);
	for (k = 0; k < 2 * r->count; k++)
		par_meta_submit_to(&io, rdev, 0, par_block_sector(&conf->geo, r->kind,
								  r->index[k / 2], k % 2),
				   r->page[k / 2], REQ_OP_WRITE | REQ_SYNC | REQ_META);
	blk_finish_plug(&plug);
	if (par_meta_wait(&io))
		return false;
	par_meta_begin(&io, conf);
	par_meta_submit_to(&io, rdev, 0, 0, NULL, REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC);
	return !par_meta_wait(&io);
}

/* Copy some of the blocks from @i on; returns the next one, or @count + 1 after an error. */
static u32 copy_some(struct par_conf *conf, struct md_rdev *rdev, enum par_block_kind kind,
		     const struct par_map_block *block, u32 i, u32 count)
{
	struct par_refresh *r = conf->store->refresh;

	mutex_lock(&conf->store->mutex);
	r->kind = kind;
	r->block = block;
	r->unreadable = 0;
	get_pages(conf, r);
	for (; i < count && r->count < r->room; i++)
		if (block[i].seq)
			r->index[r->count++] = i;
	read_blocks(conf, r);
	if (r->unreadable || (r->count && !write_spare(conf, r, rdev)))
		i = count + 1;
	r->count = 0;
	put_pages(r);
	mutex_unlock(&conf->store->mutex);
	return i;
}

static bool copy_blocks(struct par_conf *conf, struct md_rdev *rdev, enum par_block_kind kind,
			const struct par_map_block *block, u32 count)
{
	u32 i = 0;

	while (i < count)
		i = copy_some(conf, rdev, kind, block, i, count);
	return i == count;
}

u64 par_refresh_spare(struct par_conf *conf, struct md_rdev *rdev)
{
	u64 seq;

	might_sleep();
	mutex_lock(&conf->store->mutex);
	seq = conf->store->block_seq;	/* blocks that are stored from now on are newer */
	mutex_unlock(&conf->store->mutex);
	return copy_blocks(conf, rdev, PAR_BLOCK_INTENT, conf->store->intent_block,
			   conf->geo.intent_blocks) &&
	       copy_blocks(conf, rdev, PAR_BLOCK_MAP, conf->map.block,
			   conf->geo.map_blocks) &&
	       copy_blocks(conf, rdev, PAR_BLOCK_SLOT, conf->slots->block,
			   conf->geo.slot_blocks) &&
	       copy_blocks(conf, rdev, PAR_BLOCK_LOST, &conf->store->lost.block, 1) ? seq : 0;
}

/* ---- in which slots the blocks are ---- */

/* All copies of a block have been looked at. */
static void end_block(struct par_conf *conf, struct par_search *search)
{
	const struct par_copies *copies = &search->copies;

	if (copies->have[0] | copies->have[1])
		search->block[search->at].slot = par_copies_slot(copies);
	conf->store->block_seq = max(conf->store->block_seq, copies->seq);
	memset(&search->copies, 0, sizeof(search->copies));
}

static u64 sector_of_copy(const struct par_conf *conf, const struct par_search *search,
			  const struct par_copy *copy)
{
	return par_block_sector(&conf->geo, search->kind, copy->index, copy->slot);
}

static bool is_version(struct par_conf *conf, const struct par_search *search,
		       const struct par_copy *copy, struct page *page)
{
	return par_block_valid(page_address(page), &conf->geo, search->kind, copy->index,
			       conf->store->super.epoch);
}

/* An unreadable sector fails its whole request: read the other blocks of the request alone. */
static void see_copy(struct par_conf *conf, struct par_search *search,
		     const struct par_copy *copy, struct page *page, u32 failed)
{
	struct par_disk_block *raw = page_address(page);

	if (copy->index != search->at)
		end_block(conf, search);
	search->at = copy->index;
	if (is_version(conf, search, copy, page) ||
	    (failed & BIT(copy->d) &&
	     par_meta_read(conf, copy->d, sector_of_copy(conf, search, copy), page) &&
	     is_version(conf, search, copy, page)))
		par_copies_see(&search->copies, copy->d, copy->slot, le64_to_cpu(raw->seq));
}

/* Read them all at once, which results in large requests. */
static void see_copies(struct par_conf *conf, struct par_refresh *r)
{
	struct par_search *search = &r->search;
	struct par_meta_io io = { .conf = conf };
	struct blk_plug plug;
	unsigned int k;
	u32 failed;

	par_meta_begin(&io, conf);
	blk_start_plug(&plug);
	for (k = 0; k < r->count; k++) {
		struct par_disk_block *raw = page_address(r->page[k]);

		raw->magic = 0;	/* the page may still hold what was read before */
		par_meta_submit(&io, search->copy[k].d,
				sector_of_copy(conf, search, &search->copy[k]), r->page[k],
				REQ_OP_READ | REQ_SYNC | REQ_META);
	}
	blk_finish_plug(&plug);
	failed = par_meta_wait(&io);
	for (k = 0; k < r->count; k++)
		see_copy(conf, search, &search->copy[k], r->page[k], failed);
	r->count = 0;
}

static void look_for(struct par_conf *conf, struct par_refresh *r, u32 members, u32 index)
{
	unsigned int d, slot;

	for (d = 0; d < conf->geo.members; d++)
		for (slot = 0; members & BIT(d) && slot < 2; slot++) {
			r->search.copy[r->count++] = (struct par_copy) { index, d, slot };
			if (r->count == r->room)
				see_copies(conf, r);
		}
}

static void find_slots(struct par_conf *conf, u32 members, enum par_block_kind kind,
		       struct par_map_block *block, u32 count)
{
	struct par_refresh *r = conf->store->refresh;
	u32 i;

	r->search.kind = kind;
	r->search.block = block;
	r->search.at = 0;
	memset(&r->search.copies, 0, sizeof(r->search.copies));
	for (i = 0; i < count; i++)
		if (kind != PAR_BLOCK_MAP || block[i].seq)
			look_for(conf, r, members, i);
	see_copies(conf, r);
	end_block(conf, &r->search);
}

void par_find_slots(struct par_conf *conf, u32 members)
{
	lockdep_assert_held(&conf->store->mutex);
	get_pages(conf, conf->store->refresh);
	find_slots(conf, members, PAR_BLOCK_INTENT, conf->store->intent_block,
		   conf->geo.intent_blocks);
	find_slots(conf, members, PAR_BLOCK_MAP, conf->map.block, conf->geo.map_blocks);
	if (conf->geo.slot_blocks)
		find_slots(conf, members, PAR_BLOCK_SLOT, conf->slots->block,
			   conf->geo.slot_blocks);
	find_slots(conf, members, PAR_BLOCK_LOST, &conf->store->lost.block, 1);
	put_pages(conf->store->refresh);
}

int par_refresh_members(struct par_conf *conf, u32 behind)
{
	struct par_refresh *r = conf->store->refresh;
	unsigned int d;

	lockdep_assert_held(&conf->store->mutex);
	if (!behind)
		return 0;
	r->unreadable = 0;
	get_pages(conf, r);
	refresh_blocks(conf, behind, PAR_BLOCK_INTENT, conf->store->intent_block,
		       conf->geo.intent_blocks);
	refresh_blocks(conf, behind, PAR_BLOCK_MAP, conf->map.block, conf->geo.map_blocks);
	refresh_blocks(conf, behind, PAR_BLOCK_SLOT, conf->slots->block,
		       conf->geo.slot_blocks);
	refresh_blocks(conf, behind, PAR_BLOCK_LOST, &conf->store->lost.block, 1);
	put_pages(r);
	if (r->unreadable)
		return -ENODATA;
	behind = par_usable(conf, behind);
	for (d = 0; d < conf->geo.members; d++)
		if (behind & BIT(d))
			conf->store->member_seq[d] = conf->store->block_seq;
	return 0;
}
