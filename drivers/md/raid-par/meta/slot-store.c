// SPDX-License-Identifier: GPL-2.0
/*
 * The slot maps on the members: see store.h for the contracts. slot-plan.c says which stores have
 * to precede and to follow the store of a slot map.
 */
#include "meta/store.h"

static void pack_block(struct par_conf *conf, u32 block, struct page *page)
{
	struct par_disk_block *raw = page_address(page);
	unsigned long flags;
	unsigned int band;
	u32 index;

	band = par_slot_block_band(&conf->geo, block, &index);
	spin_lock_irqsave(&conf->slots->lock, flags);
	par_slot_map_pack(&conf->slots->map[band], index, (struct par_disk_slots *)raw->payload);
	spin_unlock_irqrestore(&conf->slots->lock, flags);
}

/*
 * Store as many marked blocks as there are pages, from @block on; set @block to the next one.
 * The mark of a block is removed before its content is taken: slots are given and evicted
 * meanwhile, and a change that is not in this content marks the block again.
 */
static int store_batch(struct par_conf *conf, u32 *block)
{
	struct par_store *store = conf->store;
	struct par_sealed sealed[PAR_STORE_BATCH];
	u32 blocks[PAR_STORE_BATCH];
	unsigned int count = 0, i;
	int err;

	for_each_set_bit_from(*block, conf->slots->todo, conf->geo.slot_blocks) {
		if (count == PAR_STORE_BATCH)
			break;
		clear_bit(*block, conf->slots->todo);
		pack_block(conf, *block, store->pages[count]);
		sealed[count] = par_seal(conf, store->pages[count], PAR_BLOCK_SLOT, *block,
					 &conf->slots->block[*block]);
		blocks[count++] = *block;
	}
	err = par_blocks_write(conf, sealed, store->pages, count);
	for (i = 0; err && i < count; i++)
		set_bit(blocks[i], conf->slots->todo);
	return err;
}

int par_slots_store(struct par_conf *conf)
{
	u32 block = 0;
	int err = 0;

	par_store_assert(conf);
	block = find_first_bit(conf->slots->todo, conf->geo.slot_blocks);
	while (!err && block < conf->geo.slot_blocks)
		err = store_batch(conf, &block);
	return err;
}

void par_slots_mark(struct par_conf *conf, unsigned int band, u32 slot)
{
	set_bit(conf->geo.band[band].block_base + slot / PAR_SLOTS_A_BLOCK,
		conf->slots->todo);
}

void par_slots_mark_all(struct par_conf *conf)
{
	bitmap_set(conf->slots->todo, 0, conf->geo.slot_blocks);
}

int par_slots_load(struct par_conf *conf, u32 block, const struct par_disk_slots *raw,
		   bool doubtful)
{
	unsigned int band;
	u32 index;

	band = par_slot_block_band(&conf->geo, block, &index);
	switch (par_slot_map_load(&conf->slots->map[band], index, raw, doubtful)) {
	case PAR_SLOT_LOADED:
		return 0;
	case PAR_SLOT_TWICE:
		par_slots_mark_all(conf);
		return -EEXIST;
	default:
		return -EUCLEAN;
	}
}

void par_slots_loaded(struct par_conf *conf)
{
	unsigned int band;

	for (band = 1; band < conf->geo.gears; band++) {
		par_slot_map_loaded(&conf->slots->map[band]);
		par_slot_cache_loaded(&conf->slots->cache[band]);
	}
}
