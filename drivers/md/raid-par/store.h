/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What store.c, which keeps the metadata while the array runs, and load.c,
 * which finds or makes it when the array starts, share. All of it sleeps.
 */
#ifndef RAID_PAR_STORE_H
#define RAID_PAR_STORE_H

#include "par.h"

/* par_meta_read - 4 KiB of member @d's metadata; false after an error */
bool par_meta_read(struct par_conf *conf, unsigned int d, u64 sector,
		   struct page *page);

/*
 * par_whole_members - who is whole in every set, as the superblock in memory says;
 * with conf->store_mutex held, or at assembly
 */
u32 par_whole_members(const struct par_conf *conf);

/* Where the superblock of a sequence number and the slots of blocks lie. */
u64 par_super_sector(u64 seq);
u64 par_block_sector(struct par_conf *conf, enum par_block_kind kind, u32 index,
		     unsigned int slot);

/* par_block_zones - zones of a map block: [*first, return value) */
u32 par_block_zones(struct par_conf *conf, u32 block, u32 *first);

/* par_mark_block - the map block of @zone is to be stored or loaded */
void par_mark_block(struct par_conf *conf, u32 zone);

/*
 * par_write_super - the superblock to @members, each its own copy;
 * par_store_intent_block - conf->intents to the current members. With
 * conf->store_mutex held. They fail only if no member takes them.
 */
int par_write_super(struct par_conf *conf, u32 members);
int par_store_intent_block(struct par_conf *conf, u32 index);

#endif
