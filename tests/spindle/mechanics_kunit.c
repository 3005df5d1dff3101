// SPDX-License-Identifier: GPL-2.0
/*
 * The mechanical model against slow and simple references.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/time64.h>

#include "mechanics.h"

struct model_case {
	const char *name;
	struct spindle_mechanics mechanics;
	u64 sectors;
};

#define MECHANICS(_rpm, _track, _avg, _full, _outer, _inner, _zones) {		\
	.rpm = _rpm,								\
	.seek_track_us = _track,						\
	.seek_avg_us = _avg,							\
	.seek_full_us = _full,							\
	.outer_kib = _outer,							\
	.inner_kib = _inner,							\
	.zones = _zones,							\
}

/* Small enough to examine each of their sectors, or each pair of tracks. */
static const struct model_case model_cases[] = {
	{ "nearline", MECHANICS(7200, 230, 8000, 17060, 254882, 127441, 32), 4000000 },
	{ "nas", MECHANICS(5400, 300, 10300, 23400, 180664, 82748, 24), 3000001 },
	{ "server", MECHANICS(15000, 300, 4200, 9400, 53711, 36826, 24), 500000 },
	{ "one zone", MECHANICS(7200, 500, 8000, 16000, 100000, 50000, 1), 1000003 },
	{ "all at one speed", MECHANICS(7200, 500, 8000, 16000, 100000, 100000, 64), 999983 },
	{ "straight", MECHANICS(10000, 1000, 4000, 10000, 5000, 500, 7), 70001 },
	{ "no time to seek", MECHANICS(7200, 0, 0, 0, 100000, 50000, 3), 300000 },
	{ "a few tracks", MECHANICS(7200, 500, 8000, 16000, 250000, 120000, 4), 20000 },
};

static void case_name(const struct model_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(model, model_cases, case_name);

static struct spindle_model *model_of(struct kunit *test)
{
	const struct model_case *c = test->param_value;
	struct spindle_model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, model);
	KUNIT_ASSERT_EQ(test, spindle_model_init(model, &c->mechanics, c->sectors), 0);
	return model;
}

static bool about(u64 got, u64 want, u64 tolerance)
{
	return got <= want + tolerance && want <= got + tolerance;
}

/* Through all three times: one track, all tracks, the mean over all pairs; never falling. */
static void model_seek(struct kunit *test)
{
	const struct model_case *c = test->param_value;
	const struct spindle_model *model = model_of(test);
	u64 tracks = model->tracks, sum = 0, last = 0, d;
	u64 average = c->mechanics.seek_avg_us * NSEC_PER_USEC;

	KUNIT_EXPECT_EQ(test, spindle_seek_ns(model, 0), 0);
	KUNIT_EXPECT_EQ(test, spindle_seek_ns(model, 1),
			c->mechanics.seek_track_us * NSEC_PER_USEC);
	if (tracks > 2)
		KUNIT_EXPECT_EQ(test, spindle_seek_ns(model, tracks - 1),
				c->mechanics.seek_full_us * NSEC_PER_USEC);
	for (d = 1; d < tracks; d++) {
		u64 ns = spindle_seek_ns(model, d);

		/* A decrease due to rounding does not count. */
		KUNIT_ASSERT_LE_MSG(test, last, ns + 1000, "%llu of %llu tracks", d, tracks);
		sum += ns * 2 * (tracks - d);
		last = ns;
	}
	/* A sum is not quite an integral: with few tracks the difference is large. */
	if (tracks > 200)
		KUNIT_EXPECT_TRUE_MSG(test, about(div64_u64(sum, tracks * (tracks - 1)), average,
						  average / 200),
				      "mean of %llu tracks: %llu ns, not %llu", tracks,
				      div64_u64(sum, tracks * (tracks - 1)), average);
}

/* Each sector, by walking over the disk from its beginning. */
static void model_place(struct kunit *test)
{
	const struct spindle_model *model = model_of(test);
	u64 sector = 0, z, track, s;

	for (z = 0; z < model->nr_zones; z++) {
		u64 all = model->zones[z].track_sectors;

		for (track = 0; track < model->zone_tracks; track++) {
			for (s = 0; s < all && sector < model->sectors; s++, sector++) {
				u64 place = (z * model->zone_tracks + track) * model->turn_ns +
					    div64_u64(s * model->turn_ns, all);
				u64 at = spindle_sector_at(model, place + 1);

				if (spindle_place(model, sector) == place && at == sector)
					continue;
				KUNIT_FAIL(test, "sector %llu: place %llu, not %llu; at %llu",
					   sector, spindle_place(model, sector), place, at);
				return;
			}
		}
	}
	KUNIT_EXPECT_EQ(test, sector, model->sectors);
}

/* The rate of each zone, in its middle. */
static void model_rate(struct kunit *test)
{
	const struct model_case *c = test->param_value;
	const struct spindle_model *model = model_of(test);
	u64 outer = c->mechanics.outer_kib, inner = c->mechanics.inner_kib, z;

	for (z = 0; z < model->nr_zones; z++) {
		const struct spindle_zone *zone = &model->zones[z];
		u64 first = zone->first + zone->track_sectors * (model->zone_tracks / 2);
		u64 want = outer - (outer - inner) * z / max(1ULL, model->nr_zones - 1);
		u64 ns, kib;

		if (first + zone->track_sectors > model->sectors)
			break;
		ns = spindle_place(model, first + zone->track_sectors) -
		     spindle_place(model, first);
		KUNIT_EXPECT_EQ(test, ns, model->turn_ns);
		kib = div64_u64(zone->track_sectors * NSEC_PER_SEC / 2, ns);
		/* Whole sectors: one more or less in a turn */
		KUNIT_EXPECT_TRUE_MSG(test, about(kib, want, 2 + NSEC_PER_SEC / ns),
				      "zone %llu: %llu KiB/s, not %llu", z, kib, want);
	}
}

/* A pseudo-random number. */
static u64 next(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 20;
}

/* The head arrives as soon as possible after the seek, at the time when the sector is there. */
static void model_reach(struct kunit *test)
{
	const struct spindle_model *model = model_of(test);
	u64 state = 1, i;

	for (i = 0; i < 10000; i++) {
		u64 from = spindle_place(model, next(&state) % model->sectors);
		u64 to = spindle_place(model, next(&state) % model->sectors);
		u64 now = next(&state), phase = next(&state) % model->turn_ns;
		u64 here = from / model->turn_ns, there = to / model->turn_ns;
		u64 seek = spindle_seek_ns(model, max(here, there) - min(here, there));
		u64 ns = spindle_reach_ns(model, from, now, phase, to);

		KUNIT_ASSERT_LE(test, seek, ns);
		KUNIT_ASSERT_LT(test, ns, seek + model->turn_ns);
		KUNIT_ASSERT_EQ(test, (now + ns + phase) % model->turn_ns, to % model->turn_ns);
	}
}

/* A request that continues where the head is, at that time, waits for nothing. */
static void model_goes_on(struct kunit *test)
{
	const struct spindle_model *model = model_of(test);
	u64 step = 1000, sector, now = 12345, place = 0;

	now += spindle_reach_ns(model, 0, now, 0, 0);
	for (sector = 0; sector + step <= model->sectors; sector += step) {
		u64 next_place = spindle_place(model, sector + step);

		KUNIT_ASSERT_EQ(test, spindle_reach_ns(model, place, now, 0, place), 0);
		now += next_place - place;
		place = next_place;
	}
}

static const struct model_case refused_cases[] = {
	{ "average above all", MECHANICS(7200, 500, 17000, 16000, 100, 50, 4), 1000 },
	{ "average below one", MECHANICS(7200, 500, 400, 16000, 100, 50, 4), 1000 },
	{ "average too small", MECHANICS(7200, 500, 1000, 16000, 100, 50, 4), 1000 },
	{ "average too large", MECHANICS(7200, 500, 15000, 16000, 100, 50, 4), 1000 },
	{ "quicker inside", MECHANICS(7200, 500, 8000, 16000, 50, 100, 4), 1000 },
	{ "no rate", MECHANICS(7200, 500, 8000, 16000, 0, 0, 4), 1000 },
	{ "no zone", MECHANICS(7200, 500, 8000, 16000, 100, 50, 0), 1000 },
	{ "many zones", MECHANICS(7200, 500, 8000, 16000, 100, 50, 65), 1000 },
	{ "many tracks", MECHANICS(7200, 500, 8000, 16000, 1, 1, 1), 1ULL << 41 },
};

KUNIT_ARRAY_PARAM(refused, refused_cases, case_name);

static void model_refuses(struct kunit *test)
{
	const struct model_case *c = test->param_value;
	struct spindle_model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, model);
	KUNIT_EXPECT_EQ(test, spindle_model_init(model, &c->mechanics, c->sectors), -EINVAL);
}

/* No mechanics: nothing else matters. */
static void model_none(struct kunit *test)
{
	const struct spindle_mechanics none = { 0 };
	struct spindle_model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, model);
	KUNIT_EXPECT_EQ(test, spindle_model_init(model, &none, 1000), 0);
	KUNIT_EXPECT_EQ(test, model->turn_ns, 0);
}

static struct kunit_case model_tests[] = {
	KUNIT_CASE_PARAM(model_seek, model_gen_params),
	KUNIT_CASE_PARAM(model_place, model_gen_params),
	KUNIT_CASE_PARAM(model_rate, model_gen_params),
	KUNIT_CASE_PARAM(model_reach, model_gen_params),
	KUNIT_CASE_PARAM(model_goes_on, model_gen_params),
	KUNIT_CASE_PARAM(model_refuses, refused_gen_params),
	KUNIT_CASE(model_none),
	{}
};

static struct kunit_suite model_suite = {
	.name = "spindle-model",
	.test_cases = model_tests,
};

kunit_test_suite(model_suite);

SPINDLE_IMPORT_KUNIT_NS;
MODULE_DESCRIPTION("KUnit tests of the simulated disks' mechanics");
MODULE_LICENSE("GPL");
