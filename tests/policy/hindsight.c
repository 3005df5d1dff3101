// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "hindsight.h"

#define START_J	((DISK_SPIN_UP_W - DISK_STANDBY_W) * (DISK_SPIN_UP / (double)NSEC_PER_SEC))

void hindsight_init(struct hindsight *hindsight, const struct par_geometry *geo, u32 up_percent, unsigned int starts)
{
	unsigned int gear, n;

	hindsight->geo = geo;
	hindsight->up = up_percent / 100.0;
	hindsight->starts = min(starts, HINDSIGHT_STARTS - 1);
	for (gear = 1; gear <= geo->gears; gear++)
		for (n = 0; n < HINDSIGHT_STARTS; n++)
			hindsight->least[gear][n] = INFINITY;
	hindsight->least[geo->gears][0] = 0;
}

/* The least that it takes to have come to gear @to with @n starts today. */
static double come_to(const struct hindsight *hindsight, unsigned int to, unsigned int n)
{
	const struct par_set_geometry *set = hindsight->geo->set;
	double least = INFINITY;
	unsigned int from;

	for (from = 1; from <= hindsight->geo->gears; from++) {
		if (from >= to)
			least = fmin(least, hindsight->least[from][n]);
		else if (hindsight->starts == HINDSIGHT_ANY || n)
			least = fmin(least, hindsight->least[from][hindsight->starts == HINDSIGHT_ANY ? 0 : n - 1] +
				     (set[to].members - set[from].members) * START_J);
	}
	return least;
}

/* What has been best up to a gear is best, whatever comes (Bellman 1957). */
void hindsight_see(struct hindsight *hindsight, u64 ns, const struct disk_work *work)
{
	double seconds = ns / (double)NSEC_PER_SEC, least[PAR_MAX_SETS + 1][HINDSIGHT_STARTS];
	unsigned int to, n, all = hindsight->geo->members;

	for (to = 1; to <= hindsight->geo->gears; to++) {
		unsigned int awake = hindsight->geo->set[to].members;
		double active = work[to].active / (double)NSEC_PER_SEC, takes;
		bool will_do = to == hindsight->geo->gears || work[to].busy <= hindsight->up * awake * ns;

		takes = seconds * (awake * DISK_IDLE_W + (all - awake) * DISK_STANDBY_W) +
			active * (DISK_ACTIVE_W - DISK_IDLE_W);
		for (n = 0; n <= hindsight->starts; n++)
			least[to][n] = will_do ? come_to(hindsight, to, n) + takes : INFINITY;
	}
	for (to = 1; to <= hindsight->geo->gears; to++)
		memcpy(hindsight->least[to], least[to], (hindsight->starts + 1) * sizeof(**least));
}

static double least_of(const struct hindsight *hindsight, unsigned int gear)
{
	double least = INFINITY;
	unsigned int n;

	for (n = 0; n <= hindsight->starts; n++)
		least = fmin(least, hindsight->least[gear][n]);
	return least;
}

void hindsight_day(struct hindsight *hindsight)
{
	unsigned int gear, n;

	for (gear = 1; gear <= hindsight->geo->gears; gear++) {
		hindsight->least[gear][0] = least_of(hindsight, gear);
		for (n = 1; n <= hindsight->starts; n++)
			hindsight->least[gear][n] = INFINITY;
	}
}

double hindsight_joules(const struct hindsight *hindsight)
{
	double least = INFINITY;
	unsigned int gear;

	for (gear = 1; gear <= hindsight->geo->gears; gear++)
		least = fmin(least, least_of(hindsight, gear));
	return least;
}
