// SPDX-License-Identifier: GPL-2.0
/*
 * Shifts down while the array is written: a disk that copies at one rate, and writers that
 * leave segments to be copied at another, computed second by second. With any rates, a
 * shift ends in time; it converges if the copy is much faster, and writes are held for no
 * longer than PAR_HOLD_NS and the time for the last few segments.
 */
#include <kunit/test.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "pure/approach.h"

#define SEG_KIB		64U
#define SPEED_MIN	8192U	/* KiB/s */

/* Segments per second, and the number of segments that are written again and again. */
struct writers {
	u64 rate, ring;
};

/* The number of segments that the writers leave in @ns; @dirty: those that were left before. */
static u64 dirtied(const struct writers *w, u64 dirty, u64 ns)
{
	return min(w->ring, dirty + div_u64(w->rate * div_u64(ns, NSEC_PER_USEC), USEC_PER_SEC));
}

/* A pass over @segments, by disks that copy @rate segments a second. */
static u64 copy(struct par_pass *pass, u64 segments, u64 rate)
{
	u64 busy = div64_u64(segments * NSEC_PER_SEC, rate);
	u64 paced = div64_u64(segments * SEG_KIB * NSEC_PER_SEC, max(pass->speed, SPEED_MIN));

	pass->copied += segments;
	pass->ns += busy;
	return max(busy, paced);
}

/* Writes are held: copy batch by batch, as par_propagate() does. Returns what is left. */
static u64 hold(struct kunit *test, struct par_pass *pass, u64 segments, u64 rate, u64 now)
{
	u64 began = now;

	pass->until = now + PAR_HOLD_NS;
	while (segments) {
		u64 batch = min_t(u64, segments, pass->batch);

		if (par_pass_over(pass, batch, now))
			break;
		now += div64_u64(batch * NSEC_PER_SEC, rate);
		segments -= batch;
	}
	KUNIT_EXPECT_LE(test, now - began, PAR_HOLD_NS + div64_u64(4 * NSEC_PER_SEC, rate));
	return segments;
}

/* Returns true if the shift was completed; @took: ns. */
static bool approach(struct kunit *test, u64 segments, u64 rate,
		     const struct writers *w, u64 *took)
{
	u64 now = 1000 * NSEC_PER_SEC, began = now, left = segments;
	struct par_approach a;
	struct par_pass pass;

	par_approach_begin(&a, segments, SEG_KIB, SPEED_MIN, now);
	for (;;) {
		u64 ns;

		par_approach_pass(&a, left, now, &pass);
		ns = copy(&pass, left, rate);
		now += ns;
		left = dirtied(w, 0, ns);
		*took = now - began;
		switch (par_approach_next(&a, &pass, left, now)) {
		case PAR_APPROACH_PASS:
			break;
		case PAR_APPROACH_HOLD:
			left = hold(test, &pass, left, rate, now);
			if (!left)
				return true;
			par_approach_failed(&a);
			break;
		case PAR_APPROACH_OUTRUN:
			return false;
		}
	}
}

/* A pass may be under way when the time is over, and no pass takes longer than this. */
static void approach_case(struct kunit *test, u64 segments, u64 rate, unsigned int r,
			  const struct writers *w)
{
	u64 limit = par_approach_limit(segments, SEG_KIB, SPEED_MIN);
	u64 longest = div64_u64(w->ring, min(rate, SPEED_MIN / SEG_KIB)), took;
	bool done = approach(test, segments, rate, w, &took);

	KUNIT_EXPECT_LE_MSG(test, took, (limit + longest + 1) * NSEC_PER_SEC,
			    "%llu segments at %llu/s, %llu/s written", segments, rate,
			    w->rate);
	/* Written at half the speed of copying, or slower. */
	if (r <= 10 && limit * rate > 8 * max(segments, w->ring))
		KUNIT_EXPECT_TRUE_MSG(test, done, "%llu segments at %llu/s, %llu/s written",
				      segments, rate, w->rate);
	/* Each pass leaves as much as it has copied. */
	if (r > 20 && segments >= 4096)
		KUNIT_EXPECT_FALSE_MSG(test, done, "%llu segments at %llu/s, %llu/s written",
				       segments, rate, w->rate);
}

static void approach_ends(struct kunit *test)
{
	static const u64 rates[] = { 20, 100, 160, 1600, 16000 };
	static const u64 all[] = { 0, 1, 100, 4096, 1 << 20 };
	unsigned int i, k, r;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		for (k = 0; k < ARRAY_SIZE(all); k++)
			for (r = 0; r <= 40; r++) {
				struct writers w = { rates[i] * r / 20, max(all[k], 4096ULL) };

				approach_case(test, all[k], rates[i], r, &w);
			}
}

/* Batches become smaller while they take long, and grow again; none is empty. */
static void approach_batches(struct kunit *test)
{
	unsigned int batch = 64, i;

	for (i = 0; i < 10; i++)
		batch = par_pass_batch(batch, 64, PAR_BATCH_NS + 1);
	KUNIT_EXPECT_EQ(test, batch, 4);
	KUNIT_EXPECT_EQ(test, par_pass_batch(batch, 64, PAR_BATCH_NS), 4);
	KUNIT_EXPECT_EQ(test, par_pass_batch(1, 1, PAR_BATCH_NS + 1), 1);
	for (i = 0; i < 10; i++)
		batch = par_pass_batch(batch, 64, PAR_BATCH_NS / 8);
	KUNIT_EXPECT_EQ(test, batch, 64);
}

/* Without writes: one pass, at speed_min or faster, and a hold. */
static void approach_quiet(struct kunit *test)
{
	struct writers w = { 0, 0 };
	u64 took;

	KUNIT_EXPECT_TRUE(test, approach(test, 4096, 1600, &w, &took));
	KUNIT_EXPECT_EQ(test, took, 4096ULL * SEG_KIB * NSEC_PER_SEC / SPEED_MIN);
	KUNIT_EXPECT_TRUE(test, approach(test, 0, 1600, &w, &took));
	KUNIT_EXPECT_EQ(test, took, 0);
}

/*
 * A ring of 512 MiB that is written at 30 MiB/s, half of it on sleepers: 521 s, and a long
 * hold.
 */
static void approach_ring(struct kunit *test)
{
	struct writers w = { 240, 4096 };
	u64 took;

	KUNIT_EXPECT_TRUE(test, approach(test, 4096, 1600, &w, &took));
	KUNIT_EXPECT_LE(test, took, 2 * 32 * NSEC_PER_SEC);
}

static void approach_limit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, par_approach_limit(0, SEG_KIB, SPEED_MIN), 120);
	KUNIT_EXPECT_EQ(test, par_approach_limit(1280, SEG_KIB, SPEED_MIN), 120 + 20);
	KUNIT_EXPECT_EQ(test, par_approach_limit(1ULL << 32, 1024, 1),
			120 + (1ULL << 43));
}

/* At one KiB/s this takes centuries: more than 64 bits of ns, and still in the future. */
static void approach_far(struct kunit *test)
{
	struct par_approach a;
	u64 segments;

	for (segments = 1; segments < 1ULL << 40; segments *= 3) {
		par_approach_begin(&a, segments, SEG_KIB, 1, NSEC_PER_SEC);
		KUNIT_EXPECT_GT_MSG(test, a.deadline, NSEC_PER_SEC, "%llu segments", segments);
	}
}

static struct kunit_case approach_cases[] = {
	KUNIT_CASE(approach_ends),
	KUNIT_CASE(approach_batches),
	KUNIT_CASE(approach_quiet),
	KUNIT_CASE(approach_ring),
	KUNIT_CASE(approach_limit),
	KUNIT_CASE(approach_far),
	{}
};

static struct kunit_suite approach_suite = {
	.name = "raid-par-approach",
	.test_cases = approach_cases,
};

kunit_test_suite(approach_suite);
