// SPDX-License-Identifier: GPL-2.0
/*
 * How a shift down comes to its end while the array is written; see approach.h for the
 * contracts.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/approach.h"

#define GRACE_S		120U	/* for what is not copying: holds, metadata, slow disks */
#define FASTER		2U	/* than the pass before … */
#define AHEAD		4U	/* … and than what was written meanwhile */
#define FUTILE		3U	/* passes that gain nothing, until it gives up */
#define FEW		4U	/* segments that are always worth a hold: a pass takes as long */
#define TRIES		32U	/* holds, until it gives up */
#define MARGIN_MAX	4U	/* each hold that failed halves what is left to the next */

u64 par_approach_limit(u64 segments, u32 seg_kib, u32 speed_min)
{
	return 2 * div_u64(segments * seg_kib, speed_min) + GRACE_S;
}
EXPORT_SYMBOL_IF_KUNIT(par_approach_limit);

void par_approach_begin(struct par_approach *a, u64 segments, u32 seg_kib,
			u32 speed_min, u64 now)
{
	memset(a, 0, sizeof(*a));
	a->seg_kib = seg_kib;
	a->speed = speed_min;
	/* At one KiB/s, what is to be copied may take longer than 64 bits of ns can say. */
	a->deadline = now + NSEC_PER_SEC *
		      min_t(u64, U32_MAX, par_approach_limit(segments, seg_kib, speed_min));
}
EXPORT_SYMBOL_IF_KUNIT(par_approach_begin);

void par_approach_pass(struct par_approach *a, u64 segments, u64 now,
		       struct par_pass *pass)
{
	a->began = now;
	a->before = segments;
	memset(pass, 0, sizeof(*pass));
	pass->speed = a->speed;
	pass->until = a->deadline;
}
EXPORT_SYMBOL_IF_KUNIT(par_approach_pass);

/* Segments that can be copied in @ns, as fast as in this pass. */
static u64 copied_in(const struct par_pass *pass, u64 ns)
{
	return pass->ns ? mul_u64_u64_div_u64(pass->copied, ns, pass->ns) : 0;
}

/* So much has been written in the pass: the next one is to be ahead of it. */
static u32 next_speed(const struct par_approach *a, u64 left, u64 ns)
{
	u64 ms = max(1ULL, div_u64(ns, NSEC_PER_MSEC));
	u64 written = div64_u64(left * a->seg_kib * 1000, ms);

	return min_t(u64, U32_MAX, max(FASTER * (u64)a->speed, AHEAD * written));
}

/* It was as fast as it could, and has left nearly what there was. */
static bool is_futile(const struct par_approach *a, const struct par_pass *pass, u64 left,
		      u64 ns)
{
	return pass->ns >= ns / 10 * 9 && left * 4 >= a->before * 3;
}

enum par_approach_step par_approach_next(struct par_approach *a, struct par_pass *pass,
					 u64 left, u64 now)
{
	u64 ns = now - a->began;
	u64 fits = copied_in(pass, PAR_HOLD_NS) >> min(a->failed + 1, MARGIN_MAX);

	fits = max_t(u64, fits, FEW);
	if (a->tried == TRIES || (now >= a->deadline && (a->tried || left > fits)))
		return PAR_APPROACH_OUTRUN;
	if (left <= fits) {
		a->tried++;
		pass->held = true;
		pass->until = 0;
		pass->batch = fits;
		return PAR_APPROACH_HOLD;
	}
	a->futile = is_futile(a, pass, left, ns) ? a->futile + 1 : 0;
	if (a->futile == FUTILE)
		return PAR_APPROACH_OUTRUN;
	a->speed = next_speed(a, left, ns);
	return PAR_APPROACH_PASS;
}
EXPORT_SYMBOL_IF_KUNIT(par_approach_next);

void par_approach_failed(struct par_approach *a)
{
	a->failed++;
}
EXPORT_SYMBOL_IF_KUNIT(par_approach_failed);

bool par_pass_over(const struct par_pass *pass, unsigned int segments, u64 now)
{
	u64 takes = 0;

	/* A few take as long as one, and must be copied at some time. */
	if (pass->held && pass->copied && segments > FEW)
		takes = mul_u64_u64_div_u64(pass->ns, segments, pass->copied);
	return pass->until && now + takes > pass->until;
}
EXPORT_SYMBOL_IF_KUNIT(par_pass_over);
