// SPDX-License-Identifier: GPL-2.0
/*
 * Zone intents and marks on the members, and the list of lost blocks: the parts that both
 * the store and the superblock need stored. See store.h for the contracts. All functions
 * are called with conf->store->mutex held, unless stated otherwise, and sleep.
 */
#include "core/parent.h"
#include "meta/store.h"

/* Seal a page for the slot that does not hold the newest version. */
struct par_sealed par_seal(struct par_conf *conf, struct page *page, enum par_block_kind kind,
			   u32 index, struct par_map_block *block)
{
	lockdep_assert_held(&conf->store->mutex);
	par_block_seal(page_address(page), kind, index, conf->store->super.epoch,
		       ++conf->store->block_seq);
	block->seq = conf->store->block_seq;
	block->slot ^= 1;
	return (struct par_sealed) {
		par_block_sector(&conf->geo, kind, index, block->slot), block
	};
}

/* Seal an intent block made from conf->store->intents, in @page. */
static struct par_sealed seal_intents(struct par_conf *conf, u32 index, struct page *page)
{
	struct par_disk_block *raw = page_address(page);
	u32 first = index * PAR_BLOCK_PAYLOAD;
	u32 count = min(PAR_BLOCK_PAYLOAD, conf->geo.zones - first);

	memset(raw->payload, 0, PAR_BLOCK_PAYLOAD);
	memcpy(raw->payload, conf->store->intents + first, count);
	return par_seal(conf, page, PAR_BLOCK_INTENT, index, &conf->store->intent_block[index]);
}

/* The next zone in @zones whose byte is beyond intent block @index. */
static u32 beyond_block(struct par_conf *conf, const unsigned long *zones, u32 index)
{
	u32 next = (index + 1) * PAR_BLOCK_PAYLOAD;

	return next < conf->geo.zones ? find_next_bit(zones, conf->geo.zones, next) :
	       conf->geo.zones;
}

/*
 * Store the intent blocks that hold the bytes of @zones, a batch at a time: if they were
 * stored one after the other, a load that is scattered over a large array would wait for a
 * revolution of the disks for each. The blocks do not depend on each other, and callers
 * rely on them only after all are stable.
 */
static int store_intent_bytes(struct par_conf *conf, const unsigned long *zones)
{
	u32 zone = find_first_bit(zones, conf->geo.zones), index;
	struct par_sealed sealed[PAR_STORE_BATCH];
	unsigned int count;
	int err = 0;

	lockdep_assert_held(&conf->store->mutex);
	while (!err && zone < conf->geo.zones) {
		for (count = 0; count < PAR_STORE_BATCH && zone < conf->geo.zones; count++) {
			index = zone / PAR_BLOCK_PAYLOAD;
			sealed[count] = seal_intents(conf, index,
						     conf->store->intent_pages[count]);
			zone = beyond_block(conf, zones, index);
		}
		err = par_blocks_write(conf, sealed, conf->store->intent_pages, count);
	}
	return err;
}

int par_store_all_intents(struct par_conf *conf)
{
	int err;

	lockdep_assert_held(&conf->store->mutex);
	bitmap_fill(conf->store->marked, conf->geo.zones);
	err = store_intent_bytes(conf, conf->store->marked);
	bitmap_zero(conf->store->marked, conf->geo.zones);
	return err;
}

u32 par_missing_members(struct par_conf *conf)
{
	u32 missing = par_unusable(conf);
	unsigned int i;

	for (i = 1; i <= conf->geo.gears; i++)
		missing |= conf->store->super.set[i].failed |
			   conf->store->super.set[i].recovering;
	return missing;
}

/* A member that is whole again may be lost again, and then lack writes to other zones. */
void par_missed_trim(struct par_conf *conf)
{
	lockdep_assert_held(&conf->store->mutex);
	conf->store->notes.missed &= par_missing_members(conf);
}

/*
 * A member has been lost: it may lack what is being written to zones with an intent, or
 * what was copied home. Zones whose intent is asked for later are marked then.
 */
int par_note_missed(struct par_conf *conf)
{
	u32 missing = par_missing_members(conf), zone;
	int err;

	lockdep_assert_held(&conf->store->mutex);
	par_missed_trim(conf);
	if (missing == conf->store->notes.missed)
		return 0;
	for (zone = 0; zone < conf->geo.zones; zone++)
		if (par_zone_misses(&conf->map.zone[zone], conf->store->intents[zone])) {
			conf->store->intents[zone] |= PAR_INTENT_MISSED;
			__set_bit(zone, conf->store->marked);
		}
	err = store_intent_bytes(conf, conf->store->marked);
	bitmap_zero(conf->store->marked, conf->geo.zones);
	if (!err)
		conf->store->notes.missed |= missing;
	return err;
}

void par_store_lacks(struct par_conf *conf, unsigned int d)
{
	unsigned int i;

	par_store_assert(conf);
	for (i = 1; i <= conf->geo.gears; i++)
		if (d < conf->geo.set[i].members)
			conf->store->super.set[i].failed |= BIT(d);
	if (conf->geo.log_sectors && d < conf->geo.set[1].members)
		conf->store->super.log.absent |= BIT(d);
}

/*
 * A set may work without a member that neither the stored superblock nor the one in memory
 * calls failed yet: the array learns of it a moment later.
 */
u32 par_lost_members(struct par_conf *conf)
{
	u32 lost = par_unusable(conf);
	unsigned int i;

	/* RAID-0 never works without a member. */
	for (i = 1; conf->geo.parities && i <= conf->geo.gears; i++)
		if (conf->set[i])	/* it exists already */
			lost |= READ_ONCE(conf->set[i]->child.absent) &
				~READ_ONCE(conf->store->told.absent[i]);
	return lost;
}

/* Set the intent of every zone in @zones to @gear and store the bytes. */
int par_store_intents(struct par_conf *conf, const unsigned long *zones,
		      unsigned int gear)
{
	bool missed = par_missing_members(conf);
	u32 zone;

	lockdep_assert_held(&conf->store->mutex);
	par_missed_trim(conf);

	for_each_set_bit(zone, zones, conf->geo.zones)
		conf->store->intents[zone] = par_intent_set(conf->store->intents[zone],
							    &conf->map.zone[zone], gear,
						     missed);
	return store_intent_bytes(conf, zones);
}

/* Remove a mark from all zones from @zone to @end, and store that. */
int par_clear_marks(struct par_conf *conf, u32 zone, u32 end, u8 mark)
{
	int err;

	lockdep_assert_held(&conf->store->mutex);
	for (; zone < end; zone++)
		if (conf->store->intents[zone] & mark) {
			WRITE_ONCE(conf->store->intents[zone], conf->store->intents[zone] & ~mark);
			__set_bit(zone, conf->store->marked);
		}
	err = store_intent_bytes(conf, conf->store->marked);
	bitmap_zero(conf->store->marked, conf->geo.zones);
	return err;
}

u32 par_zones_marked(struct par_conf *conf, u8 mark)
{
	u32 zone, count = 0;

	for (zone = 0; zone < conf->geo.zones; zone++)
		count += !!(READ_ONCE(conf->store->intents[zone]) & mark);
	return count;
}

/*
 * Store the list, and then the superblock if it does not say yet that there is a list. That
 * the list is empty again is stored with the next superblock.
 */
int par_write_lost_list(struct par_conf *conf)
{
	struct par_disk_block *raw = page_address(conf->store->intent_pages[0]);
	struct par_sealed sealed;
	int err;

	lockdep_assert_held(&conf->store->mutex);
	par_lost_pack(conf, (struct par_disk_lost *)raw->payload);
	conf->store->super.lost = conf->store->lost.count;
	sealed = par_seal(conf, conf->store->intent_pages[0], PAR_BLOCK_LOST, 0,
			  &conf->store->lost.block);
	err = par_blocks_write(conf, &sealed, conf->store->intent_pages, 1);
	conf->store->lost.due = err;
	return err;
}

void par_mark_block(struct par_conf *conf, u32 zone)
{
	set_bit(par_zone_block(&conf->geo, zone), conf->store->todo);
}
