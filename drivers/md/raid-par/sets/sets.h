/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets: creating, running and quiescing them: sets.c, child.c, stripe.c, gate.c.
 */
#ifndef RAID_PAR_SETS_H
#define RAID_PAR_SETS_H

#include "io/io.h"

/**
 * struct par_gate - serializes quiescing sets and shifting down
 * @quiesced: the number of callers between par_gate_quiesce() and par_gate_resume(), under
 *	@mutex
 */
struct par_gate {
	struct mutex mutex;	/* see above */
	unsigned int quiesced;
};

extern const struct par_set_ops par_child_ops;	/* RAID-5, RAID-6: child.c */
extern const struct par_set_ops par_stripe_ops;	/* RAID-0: stripe.c */

/* ---- child.c ---- */

/*
 * par_child_cache_empty - reduce raid5's cache of a set to its minimum; sleeps until no
 * request to the set is under way
 * par_child_cache_fill - restore the cache's size; sleeps
 */
void par_child_cache_empty(struct par_set *set);
void par_child_cache_fill(struct par_set *set);

/*
 * par_can_sync - does the set run, and can it be synced?
 * par_must_pause - must the array not be written now? The follower or par_thread() retries.
 */
bool par_can_sync(const struct par_set *set);
bool par_must_pause(struct par_conf *conf);

/*
 * par_child_busy - does this child have a sync to do, or under way?
 * par_child_go - let it begin. Any context.
 */
bool par_child_busy(struct mddev *child);
void par_child_go(struct mddev *child);

/* ---- sets.c ---- */

/* par_sets_alloc, par_sets_run - all sets; par_sets_destroy undoes both */
int par_sets_alloc(struct par_conf *conf);
int par_sets_run(struct par_conf *conf);
void par_sets_destroy(struct par_conf *conf);

/* par_sets_writable - may raid5 write on its own initiative? Any context. */
void par_sets_writable(struct par_conf *conf, bool on);

struct gendisk *par_disk_alloc(struct par_conf *conf, sector_t sectors,
			       const struct block_device_operations *fops,
			       void *data);

/* Between two looks for requests that wait for a member. */
#define PAR_CALM_LOOK	max(HZ / 100, 1)

#if IS_ENABLED(CONFIG_KUNIT)
int par_child_take_in(struct par_set *set, struct md_rdev *rdev);	/* tests/change_kunit.c */
#endif

/* ---- gate.c ---- */

/* par_sets_quiesce - the home set first, then the gear sets downwards; resumed in reverse order */
void par_sets_quiesce(struct par_conf *conf, unsigned int lowest);
void par_sets_resume(struct par_conf *conf, unsigned int lowest);

/*
 * par_gate_quiesce, par_gate_resume - in between, no request of the array is under way in
 * any set. Nests. Sleeps until the end of a shift, which is short.
 * par_gate_calm - the same for background work, which must not make others wait for a disk to
 * start: if a request waits for a member to wake, or comes to, returns false, with no set quiet
 */
bool par_gate_calm(struct par_conf *conf);
void par_gate_quiesce(struct par_conf *conf);
void par_gate_resume(struct par_conf *conf);

/*
 * par_gate_enter, par_gate_leave - the gate for the mover, which needs some sets to run for
 * a while: conf->gate->mutex is held, and no set is quiesced. Returns false without holding
 * the mutex if the mover is paused.
 */
bool par_gate_enter(struct par_conf *conf);
void par_gate_leave(struct par_conf *conf);

void par_gate_init(struct par_conf *conf);

#endif
