// SPDX-License-Identifier: GPL-2.0
/*
 * How a shift down ends while the array is being written; see approach.h for the contracts.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/approach.h"

#define GRACE_S		120U	/* for everything but copying: holds, metadata, slow disks */
#define FASTER		2U	/* than the pass before … */
#define AHEAD		4U	/* … and than the writes of the meantime */
#define FUTILE		3U	/* passes without progress, after which the shift is given up */
#define FEW		4U	/* segments that are always worth a hold: a pass takes as long */
#define TRIES		32U	/* holds, after which the shift is given up */
#define MARGIN_MAX	4U	/* each hold that failed halves what the next one may copy */

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
	a->batch = FEW;
	/* At one KiB/s, the duration of the copying may exceed 64 bits of ns. */
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
	pass->batch = a->batch;
}
EXPORT_SYMBOL_IF_KUNIT(par_approach_pass);

/* Segments that can be copied in @ns, as fast as in this pass. */
static u64 copied_in(const struct par_pass *pass, u64 ns)
{
	return pass->ns ? mul_u64_u64_div_u64(pass->copied, ns, pass->ns) : 0;
}

/* The speed for the next pass: above the rate of writes in this pass. */
static u32 next_speed(const struct par_approach *a, u64 left, u64 ns)
{
	u64 ms = max(1ULL, div_u64(ns, NSEC_PER_MSEC));
	u64 written = div64_u64(left * a->seg_kib * 1000, ms);

	return min_t(u64, U32_MAX, max(FASTER * (u64)a->speed, AHEAD * written));
}

/* Has a pass at full speed left nearly as much as there was before? */
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
	a->batch = pass->batch;
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

unsigned int par_pass_batch(unsigned int batch, unsigned int most, u64 ns)
{
	if (ns > PAR_BATCH_NS)
		return min(max(batch / 2, FEW), most);
	return ns > PAR_BATCH_NS / 8 ? batch : min(2 * batch, most);
}
EXPORT_SYMBOL_IF_KUNIT(par_pass_batch);

bool par_pass_over(const struct par_pass *pass, unsigned int segments, u64 now)
{
	u64 takes = 0;

	/* A few segments take as long as one, and must be copied at some time. */
	if (pass->held && pass->copied && segments > FEW)
		takes = mul_u64_u64_div_u64(pass->ns, segments, pass->copied);
	return pass->until && now + takes > pass->until;
}
EXPORT_SYMBOL_IF_KUNIT(par_pass_over);
