// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the metadata when an array starts, or creating it for a new array. Members are
 * only read, except for a new array: repairs and updates are written with the first use
 * (see begin_use() in store.c).
 *
 * The newest superblock of all members is used. The members that never sleep are written
 * whenever any member is, and before all others. So at least one of them that is present
 * must have the newest version, or the version just before it if the newest has been
 * destroyed: an older version that is on sleepers only must not be used.
 *
 * Blocks are read from the members that never sleep and have all of them: see par_has_blocks().
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "core/parent.h"
#include "meta/load.h"
#include "pure/validate.h"

#define PAR_SEQ_LEAP	1048576U	/* more than the number of blocks in a batch */

/* The state of the superblocks of a member. */
struct par_found {
	enum par_format_error err;
	u64 seq, epoch;
	unsigned int slot;		/* its slot */
	bool one_slot;			/* the other slot has no valid one */
	bool other_version;		/* a slot was written by another raid-par */
	bool bad_spot;			/* a slot cannot be read at all */
	bool foreign;			/* a slot has the superblock of another array */
	bool source;			/* it never sleeps, and has all blocks that count */
	unsigned int unreadable;	/* blocks that other members have */
};

/* Read the newer valid superblock of one member into @sb and @found. */
static void read_super(struct par_conf *conf, unsigned int d,
		       struct par_super *sb, struct par_found *found)
{
	enum par_format_error err, worst = PAR_FMT_ABSENT;
	struct page *page = conf->store->pages[0];
	struct par_super *one = &conf->store->read_super[0];
	unsigned int valid = 0, slot;

	for (slot = 0; slot < 2; slot++) {
		if (!par_meta_read(conf, d, par_super_sector(slot), page)) {
			found->bad_spot = true;
			continue;
		}
		err = par_super_unpack(one, page_address(page), &conf->geo,
				       &conf->store->identity, d);
		found->foreign |= err == PAR_FMT_FOREIGN;
		found->other_version |= err == PAR_FMT_VERSION;
		if (err) {
			worst = max(worst, err);
			continue;
		}
		if (valid++ && one->seq <= sb->seq)
			continue;
		*sb = *one;
		found->slot = slot;
	}
	found->err = valid ? PAR_FMT_OK : worst;
	found->seq = valid ? sb->seq : 0;
	found->epoch = valid ? sb->epoch : 0;
	found->one_slot = valid == 1;
}

/* Note the slots, so that the next version overwrites neither the newest nor the only one. */
static void note_slots(struct par_conf *conf, unsigned int d, const struct par_found *found)
{
	struct par_slots *slots = &conf->store->slots;
	unsigned int slot;

	slots->valid[0] &= ~BIT(d);
	slots->valid[1] &= ~BIT(d);
	slots->newer &= ~BIT(d);
	for (slot = 0; slot < 2; slot++)
		if (!found->err && (slot == found->slot || !found->one_slot))
			slots->valid[slot] |= BIT(d);
	if (found->slot)
		slots->newer |= BIT(d);
}

/*
 * Find the newest superblock of all; the members that have it are current. The disks of a
 * new array may hold anything, so their state is not logged.
 */
static bool find_super(struct par_conf *conf, struct par_found *found)
{
	struct par_super *one = &conf->store->read_super[1];
	unsigned int d;
	u64 newest = 0;

	for (d = 0; d < conf->geo.members; d++) {
		if (!par_rdev_usable(conf->member[d].rdev))
			continue;
		read_super(conf, d, one, &found[d]);
		note_slots(conf, d, &found[d]);
		if (found[d].err)
			continue;
		if (one->seq > newest || !conf->store->current_members) {
			newest = one->seq;
			conf->store->super = *one;
			conf->store->current_members = 0;
		}
		if (one->seq == newest)
			conf->store->current_members |= BIT(d);
	}
	return conf->store->current_members;
}

/* Log the state of each member if the members differ. */
static void tell_supers(struct par_conf *conf, const struct par_found *found)
{
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++) {
		struct md_rdev *rdev = conf->member[d].rdev;

		if (!par_rdev_usable(rdev))
			pr_warn("md/par:%s: member %u is missing\n",
				mdname(conf->mddev), d);
		else if (found[d].err)
			pr_warn("md/par:%s: member %u (%pg) %s\n",
				mdname(conf->mddev), d, rdev->bdev,
				par_format_strerror(found[d].err));
		else
			pr_warn("md/par:%s: member %u (%pg) has version %llu of the metadata\n",
				mdname(conf->mddev), d, rdev->bdev, found[d].seq);
	}
}

/* Does a member that is awake in this gear lack what the current ones have? */
static bool any_wrong(struct par_conf *conf, const struct par_found *found)
{
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (par_rdev_usable(conf->member[d].rdev) &&
		    (found[d].err || (par_awake(conf, conf->store->super.gear, d) &&
				      found[d].seq < conf->store->super.seq)))
			return true;
	return false;
}

/*
 * Another raid-par has written to a member, perhaps when the array was last used: this
 * version does not understand its metadata, and would overwrite it. With --force the member
 * is treated as lost.
 */
static int refuse_version(struct par_conf *conf, const struct par_found *found)
{
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (found[d].other_version)
			break;
	if (d == conf->geo.members || conf->store->start == PAR_ASKS_FORCE)
		return 0;
	tell_supers(conf, found);
	pr_err("md/par:%s: cannot start: another version of raid-par has written metadata on member %u (%pg), which this one would overwrite: start the array with that version, or without this member; --force treats the content of the member as lost\n",
	       mdname(conf->mddev), d, conf->member[d].rdev->bdev);
	return -ENOPKG;
}

/* How much of a metadata block the sources have. */
enum par_block_state {
	BLOCK_LOST,
	BLOCK_NEVER,	/* no source has ever had a version */
	BLOCK_DOUBTFUL,	/* a version; but there may be a newer one, which no source can read */
	BLOCK_UNEVEN,	/* the newest version, which has to be stored again: see load_block() */
	BLOCK_EVEN,
};

#define TELL_BLOCKS	8U	/* of a kind; there may be thousands */

static bool among_first(u32 *count)
{
	return (*count)++ < TELL_BLOCKS;
}

static void tell_more(struct par_conf *conf, u32 count, const char *what)
{
	if (count > TELL_BLOCKS)
		pr_warn("md/par:%s: %u blocks %s, of which the first %u are named above\n",
			mdname(conf->mddev), count, what, TELL_BLOCKS);
}

/* The start is forced, or a rescue: how many blocks are there beside those that were named? */
static void tell_blocks(struct par_conf *conf)
{
	const struct par_doubts *doubts = &conf->store->notes.doubts;

	tell_more(conf, doubts->lost, "are valid on no member");
	tell_more(conf, doubts->used, "of which there may be newer versions are used by force");
	tell_more(conf, doubts->imaged, "describe data that may be old if it is read from images");
	tell_more(conf, doubts->twice, "give slots to runs that have other slots, too");
}

static void hint_rescue(struct par_conf *conf)
{
	pr_err("md/par:%s: to rescue what is left, run mdadm --assemble --update=par-rescue: every row of unknown state then counts as written, and every home copy as valid\n",
	       mdname(conf->mddev));
}

/* Refuse, unless a rescue is requested. */
static int metadata_lost(struct par_conf *conf)
{
	if (conf->store->start == PAR_ASKS_RESCUE)
		return 0;
	hint_rescue(conf);
	return -EUCLEAN;
}

/*
 * The version found is used if the start is forced, or a rescue: it is the newest or the one before
 * it. What a rescue assumes without any version is worse, whichever it is. So it is treated as the
 * older one, and everything is done that does no harm if it is the newest. With slots this does not
 * always find the newest content if it is the older one: see doubt_map().
 */
static int doubt_block(struct par_conf *conf, const char *name, u32 index, u64 seq)
{
	if (conf->store->start) {
		if (among_first(&conf->store->notes.doubts.used))
			pr_warn("md/par:%s: version %llu of %s block %u is used by force; there may be a newer one, which cannot be read\n",
				mdname(conf->mddev), seq, name, index);
		return 0;
	}
	pr_err("md/par:%s: cannot start: version %llu of %s block %u may not be the newest: the place of the next version cannot be read on any member that is present; --force starts the array with this version\n",
	       mdname(conf->mddev), seq, name, index);
	return -EUCLEAN;
}

/* Refuse, unless a rescue is requested: no member has block @index, which is called @name. */
static int refuse_block(struct par_conf *conf, const char *name, u32 index, const char *unknown)
{
	if (among_first(&conf->store->notes.doubts.lost))
		pr_err("md/par:%s: the newest version of %s block %u is valid on no member: it is unknown %s\n",
		       mdname(conf->mddev), name, index, unknown);
	return metadata_lost(conf);
}

/*
 * The superblock vouches for blocks up to a sequence number. The store of a newer block may
 * have been interrupted; begin_use() stores it again before a superblock vouches for it.
 */
static bool block_lost(const struct par_conf *conf, u64 newest)
{
	return newest <= conf->store->super.block_seq;
}

/*
 * A superblock that cannot be read does not speak against the member: the medium is bad in
 * this place, and the rest of the disk is still right. The exception is a member whose
 * other slot can be read, is intact, and belongs to another array.
 */
static bool was_vouched(const struct par_found *found)
{
	return !found->err || (found->bad_spot && found->err <= PAR_FMT_TORN);
}

static bool is_source(const struct par_conf *conf, const struct par_found *found, unsigned int d)
{
	const struct par_super *super = &conf->store->super;

	if (conf->store->current_members & BIT(d) || (found->err && was_vouched(found)))
		return par_has_blocks(super, &conf->geo, d, super->seq);
	return !found->err && found->epoch == super->epoch &&
	       par_has_blocks(super, &conf->geo, d, found->seq + found->one_slot);
}

static int find_sources(struct par_conf *conf, struct par_found *found)
{
	unsigned int d;
	u32 sources = 0;

	for (d = 0; par_steady_members(conf) & BIT(d); d++) {
		if (!par_rdev_usable(conf->member[d].rdev))
			continue;
		found[d].source = !(conf->store->joining & BIT(d)) &&
				  is_source(conf, &found[d], d);
		if (found[d].source)
			sources |= BIT(d);
		else
			conf->store->joining |= BIT(d);
	}
	par_scan_only(conf->store->notes.scan, sources, U64_MAX);
	if (sources || conf->store->start == PAR_ASKS_RESCUE)
		return 0;
	tell_supers(conf, found);
	pr_err("md/par:%s: cannot start: none of the members that never sleep and are present has the newest metadata; connect those that are missing\n",
	       mdname(conf->mddev));
	return metadata_lost(conf);
}

/*
 * A version is stored in the same slot of all members. If the slot without the version that has
 * been found cannot be read on any member, it may have a newer one.
 */
static bool newer_hidden(const struct par_copies *copies, const u32 readable[2])
{
	return (!copies->have[0] && !readable[0]) || (!copies->have[1] && !readable[1]);
}

/* Look at all copies of a block; returns the newest damaged version, or 0. */
static u64 see_block(struct par_conf *conf, const struct par_found *members,
		     enum par_block_kind kind, u32 index, struct par_copies *copies,
		     u32 readable[2], u8 *payload, size_t size)
{
	struct par_disk_block *raw = page_address(conf->store->pages[0]);
	u64 epoch = conf->store->super.epoch, torn = 0;
	unsigned int d, slot;
	u64 other, seq;

	for (d = 0; d < conf->geo.members; d++)
		for (slot = 0, other = 0; members[d].source && slot < 2; slot++) {
			u64 sector = par_block_sector(&conf->geo, kind, index, slot);

			if (!par_meta_read(conf, d, sector, conf->store->pages[0]))
				continue;
			readable[slot] |= BIT(d);
			if (!par_block_valid(raw, &conf->geo, kind, index, epoch)) {
				torn = max(torn, par_block_damaged(raw, &conf->geo, kind, index,
								   epoch));
				continue;
			}
			seq = le64_to_cpu(raw->seq);
			if (par_copies_see(copies, d, slot, seq, other))
				memcpy(payload, raw->payload, size);
			other = seq;
		}
	return torn;
}

/*
 * The newest valid version of a block on any member that has all blocks. Even: all of these
 * have it, and no newer one that is torn; otherwise a store was interrupted, or a
 * member's copy is damaged, and the block must be stored again, on the other side.
 */
static enum par_block_state load_block(struct par_conf *conf, struct par_found *members,
				       enum par_block_kind kind, u32 index,
				       struct par_map_block *block, u8 *payload, size_t size)
{
	struct par_copies copies = { };
	u32 have, sources = 0, readable[2] = { };
	unsigned int d;
	u64 torn;

	for (d = 0; d < conf->geo.members; d++)
		sources |= members[d].source ? BIT(d) : 0;
	torn = see_block(conf, members, kind, index, &copies, readable, payload, size);
	have = copies.have[0] | copies.have[1];
	if (have) {
		block->seq = copies.seq;
		block->slot = par_copies_slot(&copies);
		block->astray = par_copies_astray(&copies, sources);
	}
	conf->store->block_seq = max3(conf->store->block_seq, block->seq, torn);
	if (!have)
		return torn || !readable[0] || !readable[1] ? BLOCK_LOST : BLOCK_NEVER;
	if (torn > block->seq && block_lost(conf, torn))
		return BLOCK_LOST;
	for (d = 0; d < conf->geo.members; d++)
		members[d].unreadable += !!(sources & ~have & BIT(d));
	if (newer_hidden(&copies, readable))
		return BLOCK_DOUBTFUL;
	return sources & ~have || torn > block->seq ? BLOCK_UNEVEN : BLOCK_EVEN;
}

/*
 * No copy of an intent block is left. A rescue assumes that its zones were in use in the
 * current gear, with the part of their map that can be found.
 */
static void assume_intents(struct par_conf *conf, u32 first, u32 count)
{
	memset(conf->store->intents + first, conf->store->super.gear | PAR_INTENT_STORED, count);
}

/*
 * The next version of an intent block may have more zones in use, unless the array was stopped
 * properly, and more zones with a stored map block: these blocks are looked for. The zones for
 * which this is only guessed are noted in @idle of struct par_store, until load_map_block().
 */
static void doubt_intents(struct par_conf *conf, u32 first, u32 count)
{
	bool clean = conf->store->super.flags & PAR_SB_CLEAN;
	u32 zone;

	for (zone = first; zone < first + count; zone++) {
		bool in_use = conf->store->intents[zone] & PAR_INTENT_GEAR;

		if (!clean && !in_use)
			conf->store->intents[zone] |= conf->store->super.gear;
		if (in_use || conf->store->intents[zone] & PAR_INTENT_STORED)
			continue;
		conf->store->intents[zone] |= PAR_INTENT_STORED;
		__set_bit(zone, conf->store->idle);
	}
}

static int load_intents(struct par_conf *conf, struct par_found *members)
{
	enum par_block_state state;
	u32 i;

	for (i = 0; i < conf->geo.intent_blocks; i++) {
		struct par_map_block *block = &conf->store->intent_block[i];
		u32 first = i * PAR_BLOCK_PAYLOAD;
		u32 count = min(PAR_BLOCK_PAYLOAD, conf->geo.zones - first);

		state = load_block(conf, members, PAR_BLOCK_INTENT, i, block,
				   conf->store->intents + first, count);
		conf->store->intents_differ |= state != BLOCK_EVEN;
		if (state == BLOCK_DOUBTFUL) {
			if (doubt_block(conf, "intent", i, block->seq))
				return -EUCLEAN;
			doubt_intents(conf, first, count);
		} else if (state < BLOCK_DOUBTFUL) {
			if (refuse_block(conf, "intent", i, "whether its zones were being written"))
				return -EUCLEAN;
			assume_intents(conf, first, count);
		}
	}
	return 0;
}

/* No copy of a map block is left: see PAR_ASKS_RESCUE. */
static void assume_block(struct par_conf *conf, u32 block)
{
	u32 zone, end = par_block_zones(conf, block, &zone);
	unsigned int i = conf->geo.gears;

	while (block - conf->geo.set[i].block_base >= conf->geo.set[i].blocks)
		i--;
	conf->store->intents_differ = true;	/* begin_use() stores these marks, too */
	/* "home" in all pairs of bits, or "written" in all bits */
	memset(conf->map.block[block].payload, conf->geo.set[i].width == 1 ? 0xff :
	       PAR_SEG_HOME * 0x55, PAR_BLOCK_PAYLOAD);
	for (; zone < end; zone++) {
		if (conf->geo.parities)
			conf->store->intents[zone] |= PAR_INTENT_RESYNC;
		par_zone_doubt(&conf->map.zone[zone]);
	}
}

/*
 * The block has never been stored, so zones that were guessed to have been stored with it have
 * never had an intent. Returns false if other zones of the block have: then it is lost.
 */
static bool unguess_block(struct par_conf *conf, u32 block)
{
	u32 zone, end = par_block_zones(conf, block, &zone);
	bool any = false;

	for (; zone < end; zone++) {
		if (test_bit(zone, conf->store->idle))
			conf->store->intents[zone] &= ~(PAR_INTENT_GEAR | PAR_INTENT_STORED);
		any |= conf->store->intents[zone] & PAR_INTENT_STORED;
	}
	if (!any)
		__clear_bit(block, conf->store->todo);
	return !any;
}

/*
 * The next version of a map block may have been stored: see distrust_zones(). With slots, a segment
 * that is "both" may be "home" in that version, and nothing that can be read tells: it was written
 * in the top gear and not filled again, or its run has lost the slot, and may have another one.
 */
static int doubt_map(struct par_conf *conf, u32 block)
{
	u32 zone, end = par_block_zones(conf, block, &zone);

	for (; zone < end; zone++)
		__set_bit(zone, conf->store->marked);
	if (conf->store->start && par_has_slots(&conf->geo) &&
	    par_block_set(conf, block)->sg->width > 1 &&
	    among_first(&conf->store->notes.doubts.imaged))
		pr_warn("md/par:%s: map block %u: data that is read from images may be old, or of another place: a newer version may call their home copies the only valid ones\n",
			mdname(conf->mddev), block);
	return doubt_block(conf, "map", block, conf->map.block[block].seq);
}

/*
 * Rows that have not been written are taken as written, too, with the content of the disks: their
 * parity is resynced. With a member missing, what is computed from parity is right by
 * construction, and no row is called in doubt for this: see par_doubt_check(). An intent says in
 * which gear the zone was written last; its rows may have been started in another gear before, and
 * the version of the map that says so is the one that cannot be read.
 */
static void distrust_zones(struct par_conf *conf)
{
	u32 all = BIT(conf->geo.members) - 1, zone;
	bool complete = !par_unusable(conf) && par_whole_members(conf) == all;

	for_each_set_bit(zone, conf->store->marked, conf->geo.zones) {
		par_map_distrust(conf, zone, conf->store->intents[zone] & PAR_INTENT_GEAR ?:
				 conf->store->super.gear);
		if (!conf->geo.parities || !complete)
			continue;
		conf->store->intents[zone] |= PAR_INTENT_RESYNC;
		conf->store->intents_differ = true;	/* begin_use() stores these marks, too */
	}
	bitmap_zero(conf->store->marked, conf->geo.zones);
}

static int load_map_block(struct par_conf *conf, struct par_found *members, u32 block)
{
	struct par_map_block *b = &conf->map.block[block];
	enum par_block_state state;
	u32 first;

	par_block_zones(conf, block, &first);
	par_map_prepare(conf, first);
	state = load_block(conf, members, PAR_BLOCK_MAP, block, b, b->payload, PAR_BLOCK_PAYLOAD);
	if (state == BLOCK_NEVER && unguess_block(conf, block))
		return 0;
	conf->map.zone[first].dirty |= state != BLOCK_EVEN;
	if (state == BLOCK_EVEN)
		__clear_bit(block, conf->store->todo);
	if (state > BLOCK_DOUBTFUL)
		return 0;
	if (state == BLOCK_DOUBTFUL)
		return doubt_map(conf, block);
	if (refuse_block(conf, "map", block, "where the valid data of its zones is"))
		return -EUCLEAN;
	assume_block(conf, block);
	return 0;
}

static int load_map(struct par_conf *conf, struct par_found *members)
{
	u32 zone, block;
	int err;

	for (zone = 0; zone < conf->geo.zones; zone++)
		if (conf->store->intents[zone] & PAR_INTENT_STORED)
			par_mark_block(conf, zone);
	for_each_set_bit(block, conf->store->todo, conf->geo.map_blocks) {
		err = load_map_block(conf, members, block);
		if (err)
			return err;
	}
	bitmap_zero(conf->store->idle, conf->geo.zones);
	/* begin_use() stores the blocks that are left in @todo. */
	return 0;
}

/*
 * A block of the slot maps; @err: no copy of it is left. In a rescue, slots that are not known are
 * free, and so are those of runs with two slots. Segments of runs without a slot are "home" then:
 * see par_map_after_load().
 */
static int take_slot_block(struct par_conf *conf, u32 block, const struct par_disk_slots *raw,
			   bool doubtful, int err)
{
	err = err ?: par_slots_load(conf, block, raw, doubtful);
	if (!err)
		return 0;
	conf->slots->unknown = true;
	__set_bit(block, conf->slots->todo);
	if (err != -EEXIST)
		return refuse_block(conf, "slot map", block, "which images its slots hold");
	if (among_first(&conf->store->notes.doubts.twice))
		pr_err("md/par:%s: slot map block %u gives slots to runs that have other slots, too: it is unknown which of them hold the images\n",
		       mdname(conf->mddev), block);
	return metadata_lost(conf);
}

/* A block of which there may be a newer version is loaded later: see load_doubtful_slots(). */
static int load_slot_block(struct par_conf *conf, struct par_found *members, u32 block,
			   struct par_disk_slots *raw, unsigned long *doubtful)
{
	enum par_block_state state;

	state = load_block(conf, members, PAR_BLOCK_SLOT, block,
			   &conf->slots->block[block], (u8 *)raw, sizeof(*raw));
	if (state != BLOCK_EVEN)
		__set_bit(block, conf->slots->todo);
	if (state != BLOCK_DOUBTFUL)
		return take_slot_block(conf, block, raw, false,
				       state < BLOCK_DOUBTFUL ? -EUCLEAN : 0);
	conf->slots->unknown = true;
	__set_bit(block, doubtful);
	return doubt_block(conf, "slot map", block, conf->slots->block[block].seq);
}

/*
 * Load the blocks that may be old, the newest first: if a run has slots in two of these blocks, the
 * older one has lost it since.
 */
static int load_doubtful_slots(struct par_conf *conf, const struct par_found *members,
			       struct par_disk_slots *raw, unsigned long *doubtful)
{
	const struct par_map_block *b = conf->slots->block;
	u32 block, newest;
	int err = 0;

	while (!err && !bitmap_empty(doubtful, conf->geo.slot_blocks)) {
		struct par_copies copies = { };
		u32 readable[2] = { };

		newest = find_first_bit(doubtful, conf->geo.slot_blocks);
		for_each_set_bit(block, doubtful, conf->geo.slot_blocks)
			if (b[block].seq > b[newest].seq)
				newest = block;
		__clear_bit(newest, doubtful);
		see_block(conf, members, PAR_BLOCK_SLOT, newest, &copies, readable, (u8 *)raw,
			  sizeof(*raw));
		err = take_slot_block(conf, newest, raw, true,
				      copies.seq == b[newest].seq ? 0 : -EUCLEAN);
	}
	return err;
}

static int load_slots(struct par_conf *conf, struct par_found *members)
{
	unsigned long *doubtful;
	struct par_disk_slots *raw;
	int err = -ENOMEM;
	u32 block;

	if (!conf->geo.slot_blocks)
		return 0;
	raw = kmalloc(sizeof(*raw), GFP_KERNEL);
	doubtful = bitmap_zalloc(conf->geo.slot_blocks, GFP_KERNEL);
	if (raw && doubtful)
		err = 0;
	for (block = 0; !err && block < conf->geo.slot_blocks; block++)
		err = load_slot_block(conf, members, block, raw, doubtful);
	err = err ?: load_doubtful_slots(conf, members, raw, doubtful);
	par_slots_loaded(conf);
	if (!err && conf->slots->unknown)
		pr_warn("md/par:%s: slots of unknown runs count as free, with what they have: after a crash, rows that have never been written may show data of other rows\n",
			mdname(conf->mddev));
	bitmap_free(doubtful);
	kfree(raw);
	return err;
}

/*
 * Read the list of lost blocks. If the superblock does not mention a list, one that is
 * found was being stored when the power was cut, and nothing depends on it; only its
 * version number is used.
 */
static int load_lost(struct par_conf *conf, struct par_found *members)
{
	struct par_disk_lost *raw = kmalloc(sizeof(*raw), GFP_KERNEL);
	enum par_block_state state;
	int err = 0;

	if (!raw)
		return -ENOMEM;
	state = load_block(conf, members, PAR_BLOCK_LOST, 0, &conf->store->lost.block,
			   (u8 *)raw, sizeof(*raw));
	conf->store->lost.due = conf->store->lost.block.seq && state != BLOCK_EVEN;
	conf->store->lost.told = conf->store->super.lost;
	if (conf->store->super.lost && state == BLOCK_DOUBTFUL)
		err = doubt_block(conf, "lost list", 0, conf->store->lost.block.seq);
	if (!err && conf->store->super.lost &&
	    (state < BLOCK_DOUBTFUL || par_lost_unpack(conf, raw))) {
		pr_err("md/par:%s: the list of lost blocks is valid on no member: it is unknown which blocks have no valid copy\n",
		       mdname(conf->mddev));
		conf->store->lost.due = true;
		err = metadata_lost(conf);
	}
	kfree(raw);
	if (conf->store->lost.count)
		pr_warn("md/par:%s: %u ranges of blocks are lost on one member each and can be reconstructed from the others\n",
			mdname(conf->mddev), conf->store->lost.count);
	return err;
}

static void tell_damage(struct par_conf *conf, const struct par_found *members)
{
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (members[d].unreadable)
			pr_warn("md/par:%s: member %u (%pg): %u metadata blocks are damaged or old; they will be rewritten from another member\n",
				mdname(conf->mddev), d,
				conf->member[d].rdev->bdev,
				members[d].unreadable);
}

/* The present time, or the stored time if the clock is not set. */
static u64 time_now(const struct par_conf *conf)
{
	return max_t(u64, ktime_get_real_seconds(), conf->store->super.ctime);
}

/* A new array: every row unwritten, every member current, the top gear. */
static void make_super(struct par_conf *conf)
{
	struct mddev *mddev = conf->mddev;
	unsigned int i;

	memset(&conf->store->super, 0, sizeof(conf->store->super));
	memcpy(conf->store->super.uuid, mddev->uuid, sizeof(conf->store->super.uuid));
	conf->store->super.ctime = mddev->ctime;
	conf->store->super.epoch = get_random_u64();
	conf->store->super.gear = conf->geo.gears;
	for (i = 1; i <= conf->geo.gears; i++)
		conf->store->super.set[i].resync = MaxSector;
	par_super_defaults(&conf->store->super, &conf->geo, time_now(conf));
}

/* Put values that cannot do harm back into their bounds. */
static void mend_super(struct par_conf *conf)
{
	unsigned long odd = par_super_mend(&conf->store->super, &conf->geo, time_now(conf));
	unsigned int i;

	for_each_set_bit(i, &odd, PAR_ODDS)
		pr_warn("md/par:%s: the metadata has an impossible value (%s), which is ignored\n",
			mdname(conf->mddev), par_odd_name(i));
}

static int make_new(struct par_conf *conf)
{
	unsigned int d;
	int err = 0;

	for (d = 0; d < conf->geo.members; d++)
		if (!conf->member[d].rdev) {
			pr_err("md/par:%s: a new array needs all of its %u members, member %u is missing\n",
			       mdname(conf->mddev), conf->geo.members, d);
			return -ENODEV;
		}
	make_super(conf);
	conf->store->current_members = BIT(conf->geo.members) - 1;
	conf->store->super.flags = PAR_SB_CLEAN;
	conf->mddev->ro = MD_RDWR;

	mutex_lock(&conf->store->mutex);
	err = par_store_all_intents(conf);
	/* All of them, so that there is none that was never stored. */
	par_slots_mark_all(conf);
	err = err ?: par_slots_store(conf);
	err = err ?: par_write_super(conf, conf->store->current_members);
	if (!err)
		par_birth_store(conf, conf->store->current_members);
	mutex_unlock(&conf->store->mutex);
	return err;
}

/*
 * No superblock can be trusted. A rescue makes a new one, in the top gear: the members that
 * md calls in sync are whole, and everything else is unknown.
 */
static int rescue_super(struct par_conf *conf, const struct par_found *found, bool any)
{
	struct par_super *old = &conf->store->read_super[0];
	unsigned int d;

	*old = conf->store->super;
	make_super(conf);
	if (any) {	/* the rest of the map still belongs to this array */
		conf->store->super.epoch = old->epoch;
		conf->store->super.seq = old->seq;
		conf->store->super.block_seq = old->block_seq;
		memcpy(conf->store->super.min_seq, old->min_seq, sizeof(old->min_seq));
		conf->store->super.lost = old->lost;
		conf->store->super.power = old->power;
		conf->store->super.policy = old->policy;
		conf->store->super.scrub = old->scrub;
		conf->store->super.log.run = old->log.run;
		conf->store->super.log.lost = old->log.lost;
		conf->store->super.log.left = old->log.left;
	}
	/*
	 * What was in the log is lost. No record has such a run: an array is not used that often
	 * between two versions, nor once a second; the clock may be wrong.
	 */
	if (conf->geo.log_sectors)
		conf->store->super.log.run = max_t(u64, ktime_get_real_seconds(),
						   conf->store->super.log.run + PAR_RESCUE_RUNS);
	conf->store->super.log.summaries_from = conf->store->super.log.run;
	conf->store->current_members = 0;
	for (d = 0; d < conf->geo.members; d++)
		if (par_rdev_usable(conf->member[d].rdev))
			conf->store->current_members |= BIT(d);
	/* Blocks of a member with an old superblock are as old: see steady_agree(). */
	for (d = 0; any && par_steady_members(conf) & BIT(d); d++)
		if (conf->store->current_members & BIT(d) && !found[d].err)
			conf->store->joining |= BIT(d);
	pr_warn("md/par:%s: the superblock is lost: --update=par-rescue has made a new one, in the top gear; check the data\n",
		mdname(conf->mddev));
	return 0;
}

/*
 * The members that never sleep are written in two lots, so that after any cut one that has
 * the newest version has two valid slots, or is alone: see store-plan.c. If none of the
 * members with the newest version has another valid one, a newer version may have been
 * destroyed, and with it the record of failures, above all. Only the very first version has
 * none beside it.
 */
static bool newer_destroyed(const struct par_conf *conf,
			    const struct par_found *found)
{
	unsigned int d;

	if (conf->store->super.seq == 1 || hweight32(conf->store->current_members) < 2)
		return false;
	for (d = 0; d < conf->geo.members; d++)
		if (conf->store->current_members & BIT(d) && !found[d].one_slot)
			return false;
	return true;
}

static int doubt_super(struct par_conf *conf, const struct par_found *found)
{
	tell_supers(conf, found);
	if (conf->store->start) {
		pr_warn("md/par:%s: started by force with version %llu of the metadata; a newer version may have been destroyed, and failures recorded in it are not known\n",
			mdname(conf->mddev), conf->store->super.seq);
		return 0;
	}
	pr_err("md/par:%s: cannot start: the newest superblock may have been destroyed on all members: they have version %llu, and their second superblock is not valid; --force starts the array with that version, but failures recorded in a newer one are not known then\n",
	       mdname(conf->mddev), conf->store->super.seq);
	return -EUCLEAN;
}

/*
 * Steady members are written first (see super.c), so that after a cut one of them has the
 * newest version. If only sleepers have the newest version, it has been destroyed on the
 * steady members, and those that have the version before it lack no other.
 */
static bool steady_agree(const struct par_conf *conf, const struct par_found *found)
{
	unsigned int d;

	for (d = 0; par_steady_members(conf) & BIT(d); d++)
		if (found[d].seq && found[d].seq + 1 >= conf->store->super.seq)
			return true;
	return false;
}

static int load_super(struct par_conf *conf, const struct par_found *found,
		      bool any)
{
	if (any && steady_agree(conf, found)) {
		if (newer_destroyed(conf, found))
			return doubt_super(conf, found);
		if (any_wrong(conf, found))
			tell_supers(conf, found);
		return 0;
	}
	tell_supers(conf, found);
	if (any)
		pr_err("md/par:%s: cannot start: the members that never sleep have lost the metadata, and the other members have an older version\n",
		       mdname(conf->mddev));
	else
		pr_err("md/par:%s: cannot start: no member has valid raid-par metadata\n",
		       mdname(conf->mddev));
	return metadata_lost(conf) ?: rescue_super(conf, found, any);
}

/* Set up the zones, and the sets' parity, from the stored intents. */
static void load_zones(struct par_conf *conf)
{
	unsigned int i;
	u32 zone, end;

	for (i = 1; i <= conf->geo.gears; i++) {
		zone = conf->geo.set[i].zone_base;
		end = zone + conf->geo.set[i].zones;
		for (; zone < end; zone++) {
			conf->store->intents[zone] = par_zone_load(&conf->map.zone[zone],
								   conf->store->intents[zone],
							    conf->geo.parities);
			if (conf->store->intents[zone] & PAR_INTENT_RESYNC)
				conf->store->super.set[i].resync = 0;
			/* An intent means that the array was not stopped properly. */
			if (conf->store->intents[zone] & PAR_INTENT_GEAR)
				conf->store->super.flags = 0;
		}
	}
}

/*
 * Stale members: the superblock of such a member is older than one that has been stored on
 * it, so the disk is an older state of the member: a clone, or a disk image that was
 * restored. Its data is as old, and no mark records which writes it lacks, so all of it is
 * rebuilt. A newest superblock that cannot be read does not make a member stale.
 */
static void find_old(struct par_conf *conf, const struct par_found *found)
{
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++) {
		struct md_rdev *rdev = conf->member[d].rdev;

		if (!par_rdev_usable(rdev) || found[d].err ||
		    found[d].seq + found[d].one_slot >= conf->store->super.min_seq[d])
			continue;
		pr_warn("md/par:%s: member %u (%pg) is an old copy of the member: it has version %llu of the metadata, %llu or newer is expected\n",
			mdname(conf->mddev), d, rdev->bdev, found[d].seq,
			conf->store->super.min_seq[d]);
		conf->store->old_seq[d] = found[d].seq;
		conf->store->super.partial &= ~BIT(d);
		par_store_lacks(conf, d);
	}
	for (d = 0; d < conf->geo.members; d++)
		if (conf->store->current_members & BIT(d))
			conf->store->super.min_seq[d] = conf->store->super.seq;
}

/*
 * Members with two superblocks of which none is valid. A crash cannot cause this, since the
 * newest valid superblock is never overwritten. The content of such a disk is unknown, so
 * the member is not whole. Two exceptions: a new array whose creation was interrupted has
 * no data yet, and after a rescue all members are used as they are.
 */
static void find_unvouched(struct par_conf *conf, const struct par_found *found)
{
	u32 whole = par_whole_members(conf);
	unsigned int d;

	if (!conf->mddev->events && conf->store->super.seq == 1)
		return;
	for (d = 0; d < conf->geo.members; d++) {
		struct md_rdev *rdev = conf->member[d].rdev;

		if (!par_rdev_usable(rdev) || !found[d].err ||
		    conf->store->current_members & BIT(d))
			continue;
		conf->store->super.partial &= ~BIT(d);
		if (!(whole & BIT(d)) || was_vouched(&found[d]))
			continue;
		pr_warn("md/par:%s: member %u (%pg) has no valid raid-par superblock: its content is unknown\n",
			mdname(conf->mddev), d, rdev->bdev);
		conf->store->unvouched.members |= BIT(d);
		conf->store->unvouched.log |= BIT(d) & ~conf->store->super.log.absent;
		par_store_lacks(conf, d);
	}
}

/*
 * Like find_super(); if members have superblocks of another array, also take those of this
 * array under another UUID. Returns 0 or the reason not to start.
 */
static int find_whose(struct par_conf *conf, struct par_found *found, bool *any)
{
	bool foreign = false;
	unsigned int d;
	int err;

	*any = find_super(conf, found);
	for (d = 0; d < conf->geo.members; d++)
		foreign |= found[d].foreign;
	if (!foreign)
		return 0;
	err = par_identify(conf, *any);
	if (err || !conf->store->identity.epoch)
		return err;
	memset(found, 0, conf->geo.members * sizeof(*found));
	conf->store->current_members = 0;
	*any = find_super(conf, found);
	return 0;
}

/*
 * Act as if everything ever written had been under way in a crash, just after a shift to
 * the top gear: in a lower gear the images would be read in place of the sleepers' content.
 * With a member missing, parity cannot be checked, and all would be in doubt.
 */
static void resync_all(struct par_conf *conf)
{
	u32 all = BIT(conf->geo.members) - 1, zone;
	const char *why = NULL;

	if (!conf->geo.parities)
		why = "the array has no parity";
	else if (par_unusable(conf) || par_whole_members(conf) != all)
		why = "a member is missing or not whole";
	if (why) {
		pr_warn("md/par:%s: --update=resync is ignored: %s\n",
			mdname(conf->mddev), why);
		return;
	}
	pr_info("md/par:%s: all parity is resynced, as requested by --update=resync\n",
		mdname(conf->mddev));
	for (zone = 0; zone < conf->geo.zones; zone++)
		if (conf->store->intents[zone] & PAR_INTENT_STORED)
			conf->store->intents[zone] |= PAR_INTENT_RESYNC;
	conf->store->intents_differ = true;	/* begin_use() stores them */
	conf->store->super.gear = conf->geo.gears;
}

int par_load(struct par_conf *conf)
{
	struct par_found found[PAR_MAX_MEMBERS] = { };
	unsigned int i;
	bool any;
	int err;

	might_sleep();
	memcpy(conf->store->identity.uuid, conf->mddev->uuid, sizeof(conf->store->identity.uuid));
	conf->store->identity.ctime = conf->mddev->ctime;
	par_scan_only(conf->store->notes.scan, ~0U, conf->geo.meta_sectors - conf->geo.log_sectors);
	err = find_whose(conf, found, &any);
	err = err ?: refuse_version(conf, found);
	if (err)
		return err;
	par_birth_check(conf);
	if (!any && !conf->mddev->events)
		return make_new(conf);
	err = load_super(conf, found, any);
	if (err)
		return err;
	err = find_sources(conf, found);
	err = err ?: load_intents(conf, found);
	err = err ?: load_map(conf, found);
	err = err ?: load_slots(conf, found);
	err = err ?: load_lost(conf, found);
	if (err)
		return err;
	tell_blocks(conf);
	mend_super(conf);
	memcpy(conf->store->super.uuid, conf->mddev->uuid, sizeof(conf->store->super.uuid));
	conf->store->blocks_torn = conf->store->intents_differ || conf->store->lost.due ||
			    !bitmap_empty(conf->slots->todo, conf->geo.slot_blocks) ||
			    !bitmap_empty(conf->store->todo, conf->geo.map_blocks);
	for (i = 1; i <= conf->geo.gears; i++)
		conf->store->told.absent[i] = conf->store->super.set[i].failed;
	tell_damage(conf, found);
	find_unvouched(conf, found);
	find_old(conf, found);
	/* Sources that lack the newest superblock receive blocks as well. */
	for (i = 0; par_steady_members(conf) & BIT(i); i++)
		if (found[i].source)
			conf->store->current_members |= BIT(i);
	/* No block of this or an earlier life of the array can be newer than the next one. */
	conf->store->block_seq = max(conf->store->block_seq, conf->store->super.block_seq) +
			  PAR_SEQ_LEAP;
	distrust_zones(conf);
	if (par_asks_resync(conf->mddev))
		resync_all(conf);
	load_zones(conf);
	conf->store->super_due = true;
	/*
	 * The first use stores which members are missing now. A forced start does so before
	 * anything else.
	 */
	if (!conf->store->start)
		conf->store->told.failed = par_unusable(conf);
	conf->store->whole = par_whole_members(conf) & ~par_unusable(conf);
	return 0;
}

/* Was the member whole in every set according to its own superblock? */
static bool was_whole(const struct par_conf *conf, const struct par_super *sb,
		      unsigned int d)
{
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++)
		if ((sb->set[i].failed | sb->set[i].recovering) & BIT(d))
			return false;
	return true;
}

u64 par_load_left(struct par_conf *conf, unsigned int d)
{
	struct par_super *one = &conf->store->read_super[1];
	struct par_found found = { };
	u64 seq = 0;

	mutex_lock(&conf->store->mutex);
	read_super(conf, d, one, &found);
	note_slots(conf, d, &found);
	/*
	 * It is not an older copy, not a former member of that place, not from the future:
	 * see find_super().
	 */
	if (!found.err && one->epoch == conf->store->super.epoch &&
	    one->seq >= conf->store->super.min_seq[d] && one->seq <= conf->store->super.seq &&
	    was_whole(conf, one, d))
		seq = one->seq;
	mutex_unlock(&conf->store->mutex);
	return seq;
}
