// SPDX-License-Identifier: GPL-2.0
/*
 * What a shift down does so that the writes of users do not wait long for it. The mover only.
 */
#include "core/parent.h"
#include "gear/gear.h"
#include "log/log.h"

#define DISKS_WRITE	(10UL * HZ)	/* what they have cached, see par_yield_disks() */

/* Three quarters of the log are used: small writes go home again. */
static bool log_crowded(struct par_conf *conf)
{
	u32 blocks, used = par_log_filled(conf, &blocks);

	return used > blocks / 4 * 3;
}

bool par_yield_log(struct par_conf *conf, bool crowded)
{
	if (conf->shift->log_held || (!crowded && log_crowded(conf)))
		return true;
	conf->shift->log_held = true;
	return par_log_hold(conf, par_mover_interrupted);
}

void par_yield_end(struct par_conf *conf)
{
	if (conf->shift->log_held)
		par_log_go_on(conf);
	conf->shift->log_held = false;
}

void par_yield_held(struct par_conf *conf, u64 ns)
{
	WRITE_ONCE(conf->shift->hold_ms, max_t(u64, conf->shift->hold_ms,
					       div_u64(ns, NSEC_PER_MSEC)));
}

void par_yield_copied(struct par_conf *conf, u64 ns)
{
	if (conf->shift->state != PAR_SHIFT_DOWN)
		return;
	par_yield_held(conf, ns);
	if (log_crowded(conf))
		par_yield_end(conf);
}

/*
 * The copies have filled the caches of the disks, which a flush must write. Meanwhile a disk does
 * nothing else. So let the disks write what they can first, if there is anybody to wait for that:
 * small writes go to the log by now, and leave nothing to be copied. Without a log, they would, as
 * do writes that pass it. So this is done once: the first flush has written most of the copies.
 */
void par_yield_disks(struct par_conf *conf)
{
	unsigned long now = jiffies, until = now + min(now - conf->shift->started, DISKS_WRITE);

	while (conf->log->on && conf->shift->approach.tried == 1 && par_in_use(conf) &&
	       !log_crowded(conf) && !par_mover_interrupted(conf) && time_before(jiffies, until))
		wait_event_idle_timeout(conf->wish.wait, par_mover_interrupted(conf), HZ / 2);
}
