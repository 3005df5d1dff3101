// SPDX-License-Identifier: GPL-2.0
/*
 * Waking members: the caller asks the works of all of them to start the disks, and waits
 * for their results. See power.h for the contracts.
 */
#include <linux/delay.h>

#include "core/parent.h"
#include "power/power.h"

struct par_waking {
	struct par_conf *conf;
	bool (*stop)(struct par_conf *conf);
	unsigned long began[PAR_MAX_MEMBERS];
	u32 members, late;
};

static bool wakes_up(struct par_waking *w, unsigned int d)
{
	struct par_member *member = &w->conf->member[d];

	return READ_ONCE(member->power->state) != PAR_POWER_ACTIVE &&
	       READ_ONCE(member->power->drive.dev) && par_power_usable(member);
}

/* The member's time is over, or the caller does not wait any longer. */
static bool given_up(struct par_waking *w, unsigned int d)
{
	struct par_member *member = &w->conf->member[d];

	return READ_ONCE(member->power->dead) ||
	       (par_power_late(member, w->began[d]) &&
		!READ_ONCE(w->conf->power->system_sleeps));
}

static bool all_up(struct par_waking *w)
{
	unsigned int d;

	for (d = 0; d < w->conf->geo.members; d++)
		if (w->members & BIT(d) && wakes_up(w, d) && !given_up(w, d))
			return false;
	return true;
}

static void ask_all(struct par_waking *w)
{
	u32 stagger = READ_ONCE(w->conf->store->super.power.wake_stagger);
	unsigned long delay = 0;
	unsigned int d;

	for (d = 0; d < w->conf->geo.members; d++) {
		struct par_member *member = &w->conf->member[d];

		if (!(w->members & BIT(d)))
			continue;
		atomic_inc(&member->power->holds);
		w->began[d] = jiffies + delay;
		if (par_power_ask(member, delay))
			delay += msecs_to_jiffies(stagger);
	}
}

/* An attempt on behalf of another caller may have failed. A late member is reported once. */
static void ask_again(struct par_waking *w)
{
	u32 timeout = READ_ONCE(w->conf->store->super.power.wake_timeout);
	unsigned int d;

	for (d = 0; d < w->conf->geo.members; d++) {
		struct par_member *member = &w->conf->member[d];

		if (!(w->members & BIT(d)) || !wakes_up(w, d) || given_up(w, d))
			continue;
		par_power_ask(member, 0);
		if (w->late & BIT(d) ||
		    !time_after(jiffies, w->began[d] + (unsigned long)timeout * HZ))
			continue;
		w->late |= BIT(d);
		pr_warn("md/par:%s: member %u (%s) has not woken up in %u s; waiting another %u s\n",
			mdname(w->conf->mddev), d, par_power_disk(member), timeout,
			timeout);
	}
}

int par_power_wake(struct par_conf *conf, u32 members,
		   bool (*stop)(struct par_conf *conf), u32 *dead)
{
	struct par_waking w = { .conf = conf, .members = members, .stop = stop };
	unsigned int d;

	might_sleep();
	*dead = 0;
	ask_all(&w);
	while (!all_up(&w)) {
		if (stop(conf))
			return -EINTR;
		wait_event_idle_timeout(conf->wish.wait, all_up(&w) || stop(conf), HZ);
		ask_again(&w);
	}
	for (d = 0; d < conf->geo.members; d++)
		if (members & BIT(d) && wakes_up(&w, d))
			*dead |= BIT(d);
	return 0;
}

void par_power_release(struct par_conf *conf, u32 members)
{
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (members & BIT(d)) {
			atomic_dec(&conf->member[d].power->holds);
			par_power_look(&conf->member[d], 0);
		}
	par_power_relent(conf);
	par_remove_again(conf);
}

/*
 * Read @sector of all of @members concurrently, into one page; returns those that do not
 * answer.
 */
static u32 silent_members(struct par_conf *conf, u32 members, u64 sector,
			  struct page *page)
{
	struct par_meta_io io = { .conf = conf };
	unsigned int d;

	par_meta_begin(&io, conf);
	for (d = 0; d < conf->geo.members; d++)
		if (members & BIT(d))
			par_meta_submit(&io, d, sector, page, REQ_OP_READ |
				    REQ_SYNC | REQ_META);
	return par_meta_wait(&io);
}

/* A disk that was started by us may need some more time. */
static bool may_answer(struct par_conf *conf, u32 members, unsigned int tries,
		       unsigned long began)
{
	return tries < PAR_WAKE_TRIES ||
	       (par_power_driven(conf, members) &&
		time_before(jiffies, began + (unsigned long)HZ *
			    READ_ONCE(conf->store->super.power.wake_timeout)));
}

u32 par_members_answer(struct par_conf *conf, u32 members)
{
	struct page *page = alloc_page(GFP_NOIO | __GFP_NOFAIL | __GFP_MEMALLOC);
	unsigned long began = jiffies;
	unsigned int tries;

	might_sleep();
	members = par_usable(conf, members);
	for (tries = 0; members && may_answer(conf, members, tries, began); tries++) {
		if (tries)
			msleep(PAR_WAKE_PAUSE);
		/* Read another block each time: one may be unreadable. */
		members = silent_members(conf, members, tries % PAR_WAKE_TRIES *
					 PAR_BLOCK_SECTORS, page);
		members = par_usable(conf, members);
	}
	__free_page(page);
	return members;
}
