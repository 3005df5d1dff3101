/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files about metadata share: store.c keeps it while the array runs, load.c
 * finds or makes it when the array starts, refresh.c brings members up to date, and
 * meta.c reads and writes. All of it sleeps.
 */
#ifndef RAID_PAR_STORE_H
#define RAID_PAR_STORE_H

#include "par.h"

/**
 * struct par_meta_io - several reads or writes of metadata that are waited for together
 * @failed: members that erred
 */
struct par_meta_io {
	struct par_conf *conf;
	atomic_t left;
	struct completion done;
	unsigned long failed;	/* members */
	struct par_meta_leg {
		struct par_meta_io *io;
		unsigned int d;
	} leg[PAR_MAX_MEMBERS];
};

/*
 * par_meta_begin - then par_meta_submit() for each: @sector of member @d's data area, a
 * page or none; par_meta_wait - for all of them; returns the members that failed;
 * par_meta_end - the same, and md is told of these
 */
void par_meta_begin(struct par_meta_io *io, struct par_conf *conf);
void par_meta_submit(struct par_meta_io *io, unsigned int d, u64 sector,
		     struct page *page, blk_opf_t opf);
u32 par_meta_wait(struct par_meta_io *io);
u32 par_meta_end(struct par_meta_io *io);

/*
 * par_meta_write - @count pages to as many places on each of @members. Who errs has
 * failed; it returns an error only if nobody is left.
 * par_meta_write_waking - the same to member @d, which is waking up: it may err a few
 * times before it is itself again, and has failed only if it goes on
 */
int par_meta_write(struct par_conf *conf, u32 members, const u64 *sectors,
		   struct page **pages, unsigned int count);
int par_meta_write_waking(struct par_conf *conf, unsigned int d, const u64 *sectors,
			  struct page **pages, unsigned int count);

/*
 * par_refresh_members - what was stored after members @behind left, to these; with
 * conf->store_mutex held. Who cannot be written fails. Returns an error if what they
 * lack cannot be read.
 */
int par_refresh_members(struct par_conf *conf, u32 behind);

int par_refresh_alloc(struct par_conf *conf);
void par_refresh_free(struct par_conf *conf);

/* par_meta_read - 4 KiB of member @d's metadata; false after an error */
bool par_meta_read(struct par_conf *conf, unsigned int d, u64 sector,
		   struct page *page);

/*
 * par_whole_members - who is whole in every set, as the superblock in memory says;
 * with conf->store_mutex held, or at assembly
 */
u32 par_whole_members(const struct par_conf *conf);

/*
 * par_write_super - store the superblock on @members; each gets its own copy. Not on
 * one that was whole and is not any more, though its disk may still take it, being
 * called failed for what it could not read: as it was when it left it may have to stand
 * in for others, see par_load_left().
 * par_store_all_intents - conf->intents to the current members. With
 * conf->store_mutex held. They fail only if no member takes them.
 */
int par_write_super(struct par_conf *conf, u32 members);
int par_store_all_intents(struct par_conf *conf);

/*
 * par_store_intents - set the intent of every zone in @zones to @gear and store the bytes
 * par_clear_marks - take a mark off all zones from @zone to @end, and store that
 * par_seal - seal a page for the slot that does not hold the newest version of the block;
 * returns where it belongs. With conf->store_mutex held, all.
 */
int par_store_intents(struct par_conf *conf, const unsigned long *zones, unsigned int gear);
int par_clear_marks(struct par_conf *conf, u32 zone, u32 end, u8 mark);
u64 par_seal(struct par_conf *conf, struct page *page, enum par_block_kind kind, u32 index,
	     struct par_map_block *block);

/*
 * par_flush_awake - flush every member that may hold what has not been flushed: the
 * awake ones, whether current or not. conf->store_mutex held, so that the gear does not
 * change.
 */
int par_flush_awake(struct par_conf *conf);

/*
 * par_lost_members - members that are missing or have failed, also where only a set
 * knows it yet; any context
 * par_note_missed - what members that are missing lack is marked, and that is stored;
 * conf->store_mutex held
 * par_missed_trim - of members that are whole again nothing has been noted; the same
 */
u32 par_lost_members(struct par_conf *conf);
int par_note_missed(struct par_conf *conf);
void par_missed_trim(struct par_conf *conf);

/*
 * par_write_lost_list - the list of lost blocks to the current members, and in the
 * superblock in memory whether there are any; conf->store_mutex held
 */
int par_write_lost_list(struct par_conf *conf);

/*
 * par_identify - some members have superblocks of another array than md's superblock
 * says; @any: others have this one's. Sets conf->identity.epoch if one epoch is that of
 * this array; -EEXIST if they have a par array that is not to be overwritten. At assembly.
 */
int par_identify(struct par_conf *conf, bool any);

/* par_steady_members - members that never sleep */
static inline u32 par_steady_members(const struct par_conf *conf)
{
	return BIT(conf->geo.set[1].members) - 1;
}

#endif
