// SPDX-License-Identifier: GPL-2.0
/*
 * Storing the superblock: what it may say, and in which order members receive it. See
 * store.h for the contracts. All functions are called with conf->store->mutex held, and
 * sleep.
 *
 * A version is written to the members in two lots, one after the other: some of those that
 * never sleep (par_slots_first()), then all others. So, wherever the power is cut,
 *   - each member keeps the newest version that it had before;
 *   - a member that never sleeps has the newest version, or the one before it, intact,
 *     beside an even older one, which shows that no newer one has been destroyed there
 *     (newer_destroyed() in load.c);
 *   - a member that may sleep has no version that none of these has.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include "core/parent.h"
#include "meta/store.h"

u32 par_whole_members(const struct par_conf *conf)
{
	u32 partial = 0;
	unsigned int i;

	par_store_assert(conf);
	for (i = 1; i <= conf->geo.gears; i++)
		partial |= conf->store->super.set[i].failed |
			   conf->store->super.set[i].recovering;
	return (BIT(conf->geo.members) - 1) & ~partial;
}

static struct par_super *snapshot_of(const struct par_conf *conf)
{
	return &conf->store->read_super[0];
}

/* Children, and the layers above, change the superblock in memory at any time. */
static void take_snapshot(struct par_conf *conf)
{
	struct par_super *super = &conf->store->super, *snap = snapshot_of(conf);
	unsigned int i;

	spin_lock(&conf->store->power_lock);
	*snap = *super;
	spin_unlock(&conf->store->power_lock);
	for (i = 1; i <= conf->geo.gears; i++) {
		struct par_set *set = conf->set[i];

		if (!set || !set->child.inited)	/* not yet, or not any more */
			continue;
		spin_lock(&set->child.mddev.lock);
		snap->set[i] = super->set[i];
		spin_unlock(&set->child.mddev.lock);
	}
	/* A start takes no blocks from a member that is failed in any set. */
	for (i = 1; i <= conf->geo.gears; i++) {
		snap->set[i].failed |= conf->store->joining;
		snap->set[i].recovering &= ~conf->store->joining;
	}
}

/* Does the snapshot claim more written by resyncs and rebuilds than the stored superblock? */
static bool says_more(const struct par_conf *conf, const struct par_told *told)
{
	return conf->store->lost.due || memcmp(told, &conf->store->told, sizeof(*told));
}

/* The part of the snapshot that other code relies on once it is stored. */
static void told_by(const struct par_conf *conf, struct par_told *told)
{
	unsigned int i;

	memset(told, 0, sizeof(*told));	/* it is compared as a whole */
	told->failed = ~0U;
	for (i = 1; i <= conf->geo.gears; i++) {
		const struct par_set_record *rec = &snapshot_of(conf)->set[i];

		told->absent[i] = rec->failed;
		told->failed &= told->absent[i] | ~(BIT(conf->geo.set[i].members) - 1);
		told->recovering[i] = rec->recovering;
		told->recovered[i] = rec->recovered;
		told->resync[i] = rec->resync;
		if (told->resync[i] == MaxSector)
			told->resynced |= BIT(i);
	}
}

int par_flush_awake(struct par_conf *conf)
{
	lockdep_assert_held(&conf->store->mutex);
	return par_flush_members(conf, par_awake_members(conf) |
				 conf->store->current_members);
}

/* Write the packed superblocks to @members, concurrently; returns those that failed. */
static u32 send_lot(struct par_conf *conf, u32 members)
{
	u64 sectors[PAR_MAX_MEMBERS];
	struct par_meta_io io;
	unsigned int d;
	u32 failed;

	par_meta_begin(&io, conf);
	for (d = 0; d < conf->geo.members; d++) {
		sectors[d] = par_super_sector(par_slots_next(&conf->store->slots, d));
		if (members & conf->store->current_members & BIT(d))
			par_meta_submit(&io, d, sectors[d], conf->store->super_page[d],
					REQ_OP_WRITE | REQ_FUA | REQ_SYNC | REQ_META);
	}
	failed = par_meta_end(&io);
	for (d = 0; d < conf->geo.members; d++)
		if (members & ~conf->store->current_members & BIT(d) &&
		    par_meta_write_waking(conf, d, sectors[d], conf->store->super_page[d]))
			failed |= BIT(d);
	conf->store->writes += hweight32(members & conf->store->current_members);
	return failed;
}

/* Members that have the version before the one being written. */
static u32 last_members(const struct par_conf *conf)
{
	const struct par_super *super = &conf->store->super;
	unsigned int d;
	u32 last = 0;

	for (d = 0; d < conf->geo.members; d++)
		if (super->min_seq[d] + 1 == super->seq)
			last |= BIT(d);
	return last;
}

/* A member that is not whole must not be the only one with a version. */
static u32 send_supers(struct par_conf *conf, u32 members)
{
	u32 steady = members & par_steady_members(conf);
	u32 whole = steady & par_whole_members(conf);
	u32 first = par_slots_first(&conf->store->slots, whole ?: steady,
				    last_members(conf));

	return send_lot(conf, first) | send_lot(conf, members & ~first);
}

/*
 * The log of a member that this superblock calls failed is not used from now on. A child may have
 * reported the failure a moment ago: once it is stored, no failure is unrecorded, so
 * record_failures() does not do this.
 */
VISIBLE_IF_KUNIT void par_leave_log(struct par_conf *conf, u32 failed)
{
	struct par_log_record *log = &conf->store->super.log;

	KUNIT_STATIC_STUB_REDIRECT(par_leave_log, conf, failed);
	lockdep_assert_held(&conf->store->mutex);
	if (conf->geo.log_sectors)
		log->absent |= failed & (BIT(conf->geo.set[1].members) - 1);
	snapshot_of(conf)->log.absent = log->absent;
}
EXPORT_SYMBOL_IF_KUNIT(par_leave_log);

/*
 * A superblock vouches for what resyncs and rebuilds have written: "parity is right
 * everywhere", "rebuilt up to here". A child reports its progress at any time
 * (child_sync_super()), and any store of the superblock includes the latest report. So a
 * snapshot of the superblock is taken and packed, then the awake members are flushed, and then
 * the pages are written: only what the snapshot says counts as stored. A member that is lost in
 * this flush may lack data that the snapshot calls rebuilt: another one is taken, with the
 * failure. If it claims nothing new for the sets, no flush is needed: a shift up does not wait
 * for one. The first superblock after a start is always preceded by a flush.
 */
VISIBLE_IF_KUNIT int par_pack_and_flush(struct par_conf *conf, u32 members, struct par_told *told)
{
	u32 lost, newly;
	unsigned int d;
	bool again;
	int err;

	lockdep_assert_held(&conf->store->mutex);
	do {
		/*
		 * Torn blocks are newer than the superblock says, until they have been stored
		 * again. The next turn vouches for blocks that are written below.
		 */
		if (!conf->store->blocks_torn)
			conf->store->super.block_seq = conf->store->block_seq;
		lost = par_lost_members(conf);
		take_snapshot(conf);
		told_by(conf, told);
		par_leave_log(conf, told->failed);
		for (d = 0; d < conf->geo.members; d++)
			if (members & BIT(d))
				par_super_pack(page_address(conf->store->super_page[d]),
					       snapshot_of(conf), &conf->geo, d);
		/*
		 * Blocks that a rebuild could not compute are lost before the rebuild is
		 * called complete.
		 */
		par_bad_collect(conf);
		err = says_more(conf, told) ? par_flush_awake(conf) : 0;
		again = conf->store->lost.due;
		if (!err && again)
			err = par_write_lost_list(conf);
		newly = par_lost_members(conf) & ~lost;
		for (d = 0; d < conf->geo.members; d++)
			if (newly & BIT(d))
				par_store_lacks(conf, d);
		if (!err && newly)
			err = par_note_missed(conf);
	} while (!err && (newly || again));
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(par_pack_and_flush);

int par_write_super(struct par_conf *conf, u32 members)
{
	u32 whole = par_whole_members(conf);
	u32 left = par_usable(conf, members) & ~(conf->store->whole & ~whole), failed;
	/* Counts that change during the write are stored with the next superblock. */
	u64 counts = READ_ONCE(conf->store->power_counts);
	struct par_told told;
	unsigned int d;

	lockdep_assert_held(&conf->store->mutex);
	par_missed_trim(conf);
	conf->store->whole |= left & whole;
	conf->store->super.seq++;
	if (par_pack_and_flush(conf, left, &told)) {
		conf->store->super.seq--;	/* no member has received it */
		return -EIO;
	}
	left = par_usable(conf, left) & ~(conf->store->whole & ~par_whole_members(conf));
	failed = send_supers(conf, left);
	for (d = 0; d < conf->geo.members; d++) {
		if (!(left & ~failed & BIT(d)))
			continue;
		par_slots_stored(&conf->store->slots, d);
		/* Stored with the next version: this one may not have reached all members. */
		conf->store->super.min_seq[d] = conf->store->super.seq;
	}
	if (!(left & ~failed))
		return -EIO;
	conf->store->told = told;
	WRITE_ONCE(conf->store->power_counts_kept, counts);
	conf->store->lost.told = conf->store->super.lost;
	return 0;
}
