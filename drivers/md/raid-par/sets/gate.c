// SPDX-License-Identifier: GPL-2.0
/*
 * The gate: serializes those that quiesce sets, and defines the order of quiescing. See
 * sets.h for the contracts.
 */
#include "core/parent.h"
#include "sets/sets.h"

void par_sets_quiesce(struct par_conf *conf, unsigned int lowest)
{
	unsigned int i;

	might_sleep();
	for (i = conf->geo.gears; i >= lowest; i--)
		conf->set[i]->ops->quiesce(conf->set[i], true);
}

void par_sets_resume(struct par_conf *conf, unsigned int lowest)
{
	unsigned int i;

	for (i = lowest; i <= conf->geo.gears; i++)
		conf->set[i]->ops->quiesce(conf->set[i], false);
}

void par_gate_quiesce(struct par_conf *conf)
{
	mutex_lock(&conf->gate->mutex);
	if (!conf->gate->quiesced++)
		par_sets_quiesce(conf, 1);
	mutex_unlock(&conf->gate->mutex);
}

static bool calm_sets(struct par_conf *conf)
{
	unsigned int i;

	for (i = conf->geo.gears; i >= 1; i--)
		if (par_any_missed(&conf->wish) || !conf->set[i]->ops->calm(conf->set[i])) {
			par_sets_resume(conf, i + 1);
			return false;
		}
	return true;
}

bool par_gate_calm(struct par_conf *conf)
{
	bool calm;

	mutex_lock(&conf->gate->mutex);
	calm = conf->gate->quiesced || calm_sets(conf);
	conf->gate->quiesced += calm;
	mutex_unlock(&conf->gate->mutex);
	return calm;
}

void par_gate_resume(struct par_conf *conf)
{
	mutex_lock(&conf->gate->mutex);
	if (!--conf->gate->quiesced)
		par_sets_resume(conf, 1);
	mutex_unlock(&conf->gate->mutex);
	par_mover_wake(conf);
}

/* The gate may have been closed by a caller that has paused the mover. */
bool par_gate_enter(struct par_conf *conf)
{
	might_sleep();
	for (;;) {
		wait_event(conf->wish.wait,
			   !READ_ONCE(conf->gate->quiesced) || par_mover_paused(conf));
		if (par_mover_paused(conf))
			return false;
		mutex_lock(&conf->gate->mutex);
		if (!conf->gate->quiesced)
			return true;
		mutex_unlock(&conf->gate->mutex);
	}
}

void par_gate_leave(struct par_conf *conf)
{
	mutex_unlock(&conf->gate->mutex);
}

void par_gate_init(struct par_conf *conf)
{
	mutex_init(&conf->gate->mutex);
}
