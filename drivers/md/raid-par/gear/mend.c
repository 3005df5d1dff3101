// SPDX-License-Identifier: GPL-2.0
/*
 * Stripes of a gear set of which more is unreadable than parity can replace.
 *
 * raid5 can write such a stripe only as a whole: an image that is smaller could not be
 * copied there any more, and the array could not shift down. But a gear set holds only
 * copies. So those that cannot be read are given up: a segment that also has its home copy
 * has only that one from now on, and a segment without another copy is lost, as it is in
 * any case. Once that is stored, the unreadable blocks are filled with zeros, and raid5
 * computes the stripe's parity from the present content. The mover copies the segments
 * again.
 */
#include <linux/slab.h>

#include "core/parent.h"
#include "gear/gear.h"

#define PAR_MEND_TRIES	8U

/* @dead: for each page of the row, members that cannot read it */
struct par_mend {
	struct par_set *set;
	u64 row;
	struct page *page;
	u32 *dead;
};

/* Read or write a page of the row on member @d, bypassing raid5. Returns an errno. */
static int row_page(struct par_mend *mend, unsigned int d, unsigned int at,
		    enum req_op op)
{
	struct par_set *set = mend->set;
	struct bio *bio;
	int err;

	bio = bio_alloc_bioset(set->vm[d].disk->part0, 1, op, GFP_NOIO, &set->conf->io->bios);
	bio->bi_iter.bi_sector = (mend->row << set->conf->geo.seg_shift) +
				 at * PAGE_SECTORS;
	__bio_add_page(bio, mend->page, PAGE_SIZE, 0);
	err = submit_bio_wait(bio);
	bio_put(bio);
	return err;
}

/* Find the pages that raid5 could not compute from the others; false if there are none. */
static bool find_dead(struct par_mend *mend)
{
	const struct par_geometry *geo = &mend->set->conf->geo;
	unsigned int d, at;
	bool any = false;

	for (at = 0; at < geo->seg_sectors / PAGE_SECTORS; at++) {
		for (d = 0; d < mend->set->sg->members; d++)
			if (row_page(mend, d, at, REQ_OP_READ))
				mend->dead[at] |= BIT(d);
		if (hweight32(mend->dead[at]) <= geo->parities)
			mend->dead[at] = 0;
		any |= mend->dead[at];
	}
	return any;
}

/*
 * The member whose segment is imaged in this row of member @d; NULL if the row is parity
 * there, or unused, or in a free slot.
 */
static struct par_vmember *owner_of(struct par_mend *mend, unsigned int d, u64 *sector)
{
	struct par_set *set = mend->set;
	struct par_conf *conf = set->conf;
	const struct par_geometry *geo = &conf->geo;
	unsigned int n = set->sg->members, data = n - geo->parities, k, i;
	u32 per_chunk = geo->chunk_sectors >> geo->seg_shift, within, turn;
	u64 stripe = div_u64_rem(mend->row, per_chunk, &within), x;

	/* md's left-symmetric: see raid5_compute_sector() */
	div_u64_rem(stripe, n, &turn);
	k = (d + n - (n - 1 - turn) + n - geo->parities) % n;
	if (k >= data)
		return NULL;
	if (!par_image_of(conf, set->number, (stripe * data + k) * geo->chunk_sectors +
			  (within << geo->seg_shift), &d, &x))
		return NULL;
	for (i = set->number + 1; i <= geo->gears; i++) {
		u64 base = par_set_offset(geo, i, 0);

		if (x < base || x >= base + geo->set[i].sectors)
			continue;
		*sector = x - base;
		return &conf->set[i]->vm[d];
	}
	return NULL;
}

/*
 * Give up the image of this segment, if it has another copy. Its home set is not quiet: a write
 * that finds it "home" is not held back by must_store. So its zone must have been stored, which
 * may have changed since the store that give_up() begins with: a salvage (unkept.c), which had read
 * its image before the gear set was quiet, may have made the segment "both" meanwhile. The stored
 * map then calls the segment "image", and it is left as it is: -EAGAIN. The zone lock is held over
 * both steps, and under it a salvage makes such a change. Nothing has to be flushed here: what
 * must_store has waited for, the store has flushed.
 */
static int give_up_image(struct par_vmember *vm, u64 sector, bool *lost)
{
	struct par_conf *conf = vm->set->conf;
	u64 row = sector >> conf->geo.seg_shift;
	u32 zone = par_zone_of(vm->set, row);
	enum par_seg_state state;
	int err = 0;

	spin_lock(par_zone_lock(conf, zone));
	state = par_map_get(vm->set, row, vm->index);
	*lost = state == PAR_SEG_IMAGE;
	if (state == PAR_SEG_BOTH && !par_zone_may_drop(&conf->map.zone[zone])) {
		err = -EAGAIN;
	} else if (state == PAR_SEG_BOTH) {
		par_map_set(vm->set, row, vm->index, PAR_SEG_HOME);
		par_mark_block(conf, zone);
	}
	spin_unlock(par_zone_lock(conf, zone));
	return err;
}

/*
 * After -EAGAIN the image is not filled, so segments that have been given up before may stay
 * unstored: the stored map calls them "both", and both copies are still as it says. A write to one
 * of them has an intent.
 */
static int give_up(struct par_mend *mend)
{
	struct par_conf *conf = mend->set->conf;
	struct par_vmember *vm;
	unsigned int d, at;
	bool lost;
	u64 sector;
	int err = par_store_zones(conf);	/* see give_up_image() */

	for (at = 0; !err && at < conf->geo.seg_sectors / PAGE_SECTORS; at++)
		for (d = 0; !err && d < mend->set->sg->members; d++) {
			if (!(mend->dead[at] & BIT(d)))
				continue;
			vm = owner_of(mend, d, &sector);
			if (!vm)
				continue;
			err = give_up_image(vm, sector, &lost);
			if (!err && lost)
				err = par_store_lose(vm, sector + at * PAGE_SECTORS,
						     PAGE_SECTORS);
		}
	/*
	 * Store the whole map that differs: a store that was under way when these segments
	 * were marked may have cleared the marks, and a change from "both" to "home" does
	 * not set must_store.
	 */
	return err ?: par_store_map(conf);
}

static int fill_dead(struct par_mend *mend)
{
	unsigned int d, at;
	int err = 0;

	memset(page_address(mend->page), 0, PAGE_SIZE);
	for (at = 0; at < mend->set->conf->geo.seg_sectors / PAGE_SECTORS; at++)
		for (d = 0; !err && d < mend->set->sg->members; d++)
			if (mend->dead[at] & BIT(d))
				err = row_page(mend, d, at, REQ_OP_WRITE);
	return err;
}

/*
 * With the set quiet, so that there is no other writer of the filled blocks. The stripe may
 * have been mended already with another segment that is imaged beside this one.
 */
static int mend_quietly(struct par_mend *mend)
{
	struct par_set *set = mend->set;
	int err = 0;

	if (!par_gate_enter(set->conf))
		return -EINTR;
	if (!set->ops->calm(set))
		err = -EINTR;
	else if (find_dead(mend))
		err = give_up(mend) ?: fill_dead(mend);
	if (!err)
		err = par_bad_purge(set->conf, set);
	set->ops->quiesce(set, false);
	par_gate_leave(set->conf);
	return err;
}

/*
 * The filled blocks have an intent, as all writes do: after a crash their parity is
 * recomputed anyway. If a sync of the set is under way, or frozen, retry later.
 */
static bool make_parity(struct par_mend *mend)
{
	struct par_set *set = mend->set;
	unsigned int tries;

	for (tries = 0; tries < PAR_MEND_TRIES; tries++)
		if (!par_resync_fix(set, mend->row, mend->row + 1))
			return true;
	pr_warn("md/par:%s: parity of row %llu of the set of %u members does not match the data: a repair (md/sync_action) corrects it\n",
		mdname(set->conf->mddev), mend->row, set->sg->members);
	return false;
}

int par_mend_image(struct par_set *set, unsigned int d, u64 row)
{
	struct par_conf *conf = set->conf;
	const struct par_geometry *geo = &conf->geo;
	struct par_mend mend = { .set = conf->set[par_image_set(geo, d)] };
	int err = -ENOMEM;
	u32 within;
	u64 at;

	might_sleep();
	if (!geo->parities || mend.set->ops->failed(mend.set) ||
	    !par_image_at(set, d, row << geo->seg_shift, &at))
		return -EIO;
	mend.row = par_row_of(mend.set, at, &within);
	mend.page = alloc_page(GFP_NOIO);
	mend.dead = kcalloc(geo->seg_sectors / PAGE_SECTORS, sizeof(*mend.dead), GFP_NOIO);
	/* Nothing is given up unless the stripe's parity could be recomputed. */
	if (mend.page && mend.dead)
		err = par_resync_fix(mend.set, mend.row, mend.row + 1) ?
		      -EBUSY : mend_quietly(&mend);
	if (!err && !make_parity(&mend))
		err = -EBUSY;
	kfree(mend.dead);
	if (mend.page)
		put_page(mend.page);
	return err;
}
