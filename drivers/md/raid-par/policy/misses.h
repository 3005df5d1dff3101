/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long the sleepers of an array with slots would sleep in a lower gear until a miss wakes them.
 * In any gear it is known which requests are misses, or would be: those for a run without a slot
 * that the fill of a shift down would not bring, either. So the recent past is replayed, in which
 * the array would have slept whenever no such run had been used for @linger seconds.
 *
 * @linger is the break-even time: an array that stays up for as long as a start costs uses at most
 * twice the energy of the best decision in hindsight (Karlin, Manasse, Rudolph and Sleator,
 * "Competitive Snoopy Caching", Algorithmica 1988). And the rest of a file or of a directory that
 * is read after a miss gets its slots from the same wake.
 *
 * What has been learnt is lost when the array is stopped. Until the first miss after a start, the
 * misses that this hour of the past days had (history.h) take its place.
 *
 * Pure: no locks but the caller's, no side effects, any context. Times are seconds.
 */
#ifndef RAID_PAR_MISSES_H
#define RAID_PAR_MISSES_H

#include <linux/types.h>

#define PAR_MISSES_KEPT	4U	/* sleeps that count; older ones fade */
#define PAR_MISSES_MOST	2U	/* times @linger: a longer sleep counts no more for the energy */
#define PAR_MISSES_LONG	2U	/* times what is needed: is enough, whatever others were */
#define PAR_MISS_ONE	100U	/* a number of misses is in parts of it */

/**
 * struct par_misses - of a gear
 * @last: when a run was missed last, in this gear or supposedly, or 0: not yet
 * @period: when the newest period with a miss began, or 0; see par_misses_see()
 * @usual: nothing has been missed yet: @last is when the usual misses began to count, and the
 *	sleeps are those of par_misses_suppose()
 * @sleeps: the number of sleeps that a miss ended, at most nearly PAR_MISSES_KEPT; @slept: their
 *	duration, without what exceeds PAR_MISSES_MOST, so that one night does not outweigh a
 *	morning; @lasted: all of their duration. Each new one takes a share from the older ones:
 *	in parts of PAR_MISSES_ONE
 */
struct par_misses {
	u64 last, period, sleeps, slept, lasted;
	bool usual;
};

#define PAR_MISSES_ONE	1024U

/*
 * par_misses_see - a run is missed @now, or would be in this gear. Returns true if a period with a
 * miss begins: it ends after @linger. So a miss that wakes the array counts once, and a time in
 * which runs are missed all along counts as often as @linger fits into it.
 */
bool par_misses_see(struct par_misses *misses, u32 linger, u64 now);

/*
 * par_misses_suppose - an hour begins, or is in progress when the array starts, in which there are
 * usually @usual periods with a miss, in parts of PAR_MISS_ONE. If nothing has been missed yet,
 * then one sleep is supposed, as long as the mean between them: 3600 s / @usual - @linger. Each
 * sleep that is seen takes a share from it, as from any other. 0: none is supposed
 */
void par_misses_suppose(struct par_misses *misses, u32 linger, u32 usual, u64 now);

/*
 * par_misses_sleep - the expected duration of a sleep that begins @now, if it is not limited: at
 * least that of the one in which the array would be now. U64_MAX: no miss is known
 */
u64 par_misses_sleep(const struct par_misses *misses, u32 linger, u64 now);

/*
 * par_misses_wait - the time after which a shift down is worth it if no run is missed until then:
 * the array has stayed up for @linger; sleeps are expected to last for @energy, with long ones
 * limited; and sleeps have lasted for @starts, the price of a spin-up, or the one in which the
 * array would be has lasted for PAR_MISSES_LONG times as long. 0: now
 */
u64 par_misses_wait(const struct par_misses *misses, u32 linger, u64 energy, u64 starts, u64 now);

#endif
