// SPDX-License-Identifier: GPL-2.0
/*
 * Predicted utilizations: the cost of a write to an image, compared with a write that is
 * followed from disk to disk through raid5's layout and images in images; and predictions
 * for an array whose requests and costs are known.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#include "policy/predict.h"
#include "layouts.h"

#define SEED	20241126
#define WRITES	2000U		/* writes that are followed, on each sleeper */
#define DEEPEST	7U

KUNIT_ARRAY_PARAM_DESC(layout, par_kunit_layouts, name);

/* On members @times as large as the layout says. */
static struct par_geometry *geometry_of(struct kunit *test, u64 times)
{
	const struct par_kunit_layout *in = test->param_value;
	struct par_geometry *geo = kunit_kzalloc(test, sizeof(*geo), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, geo);
	KUNIT_ASSERT_EQ_MSG(test, par_geometry_init(geo, in->layout, in->disks,
						    in->chunk, in->dev * times),
			    PAR_GEO_OK, "%s", in->name);
	return geo;
}

static struct par_geometry *geometry(struct kunit *test)
{
	return geometry_of(test, 1);
}

/* ---- following a write ---- */

static u64 member_write(const struct par_geometry *geo, unsigned int gear,
			unsigned int set, unsigned int d, u64 sector);

/*
 * A small write to sector @at of set @set. Left-symmetric: parity moves back by one
 * disk a stripe, data begins after it. Requests to disks, in all.
 */
static u64 set_write(const struct par_geometry *geo, unsigned int gear,
		     unsigned int set, u64 at)
{
	unsigned int members = geo->set[set].members, p = geo->parities;
	unsigned int data = members - p, column, parity, k;
	u64 chunk, stripe, sector, requests;
	u32 within, which;

	chunk = div_u64_rem(at, geo->chunk_sectors, &within);
	stripe = div_u64_rem(chunk, data, &which);
	sector = stripe * geo->chunk_sectors + within;
	div_u64_rem(stripe, members, &which);
	parity = members - 1 - which;
	div_u64_rem(chunk, data, &which);
	column = p ? (parity + p + which) % members : which;

	/* Old data and parity, or the other data; a read is one, wherever it goes. */
	requests = p ? (data - 1 < 1 + p ? data - 1 : 1 + p) : 0;
	requests += member_write(geo, gear, set, column, sector);
	for (k = 0; k < p; k++)
		requests += member_write(geo, gear, set, (parity + k) % members, sector);
	return requests;
}

static u64 member_write(const struct par_geometry *geo, unsigned int gear,
			unsigned int set, unsigned int d, u64 sector)
{
	if (d < geo->set[gear].members)
		return 1;
	return set_write(geo, gear, par_image_set(geo, d),
			 par_image_sector(geo, d, par_set_offset(geo, set, sector)));
}

/* Anywhere in the array, whose members are large, so that all is hit evenly. */
static void write_cost(struct kunit *test)
{
	const struct par_kunit_layout *in = test->param_value;
	const struct par_geometry *geo = geometry_of(test, 4096);
	u64 rows = geo->set[geo->gears].rows, row;
	unsigned int gear, d, k;
	struct rnd_state rng;

	prandom_seed_state(&rng, SEED);
	for (gear = 1; gear < geo->gears; gear++)
		for (d = geo->set[gear].members; d < geo->members; d++) {
			u64 cost = par_image_write_cost(geo, gear, d), sum = 0, mean;

			/* Images nested this deep would take too long. */
			if (par_image_set(geo, d) - gear > DEEPEST)
				continue;
			for (k = 0; k < WRITES; k++) {
				row = mul_u64_u32_shr(rows, prandom_u32_state(&rng), 32);
				sum += member_write(geo, gear, geo->gears, d,
						    row << geo->seg_shift);
			}
			mean = div_u64(sum * PAR_DEARER_ONE, k);
			KUNIT_EXPECT_LE_MSG(test, abs_diff(cost, mean), mean / 8,
					    "%s, gear %u, member %u: %llu, %llu followed",
					    in->name, gear, d, cost, mean);
		}
}

/* ---- an array whose costs are known ---- */

/*
 * @cost: ns for which a request keeps a member busy in the top gear; @dearer: in percent of
 *	that, by gear; @image_write: requests for a write to an image, in percent, or 0:
 *	computed from the geometry
 */
struct known {
	const struct par_geometry *geo;
	u64 cost, ns;
	unsigned int dearer[PAR_MAX_SETS + 1], image_write;
};

static u64 dumb_sent(const struct known *k, unsigned int gear,
		     const struct par_sample *s)
{
	u64 sent = 0;
	unsigned int d;

	for (d = 0; d < k->geo->members; d++) {
		u64 writes = s->home[d][1];

		sent += s->home[d][0];
		if (d < k->geo->set[gear].members)
			sent += writes;
		else if (k->image_write)
			sent += writes * k->image_write / 100;
		else
			sent += writes * par_image_write_cost(k->geo, gear, d) / 1024;
	}
	return sent;
}

static u64 dumb_busy(const struct known *k, unsigned int gear,
		     const struct par_sample *s)
{
	return dumb_sent(k, gear, s) * k->cost / 100 * k->dearer[gear];
}

static u64 dumb_load(const struct known *k, unsigned int gear,
		     const struct par_sample *s)
{
	return dumb_busy(k, gear, s) * 10000 / (k->geo->set[gear].members * k->ns);
}

/* Of so many requests to members. */
static u64 load_of(const struct known *k, unsigned int gear, u64 sent)
{
	return sent * k->cost * 10000 / (k->geo->set[gear].members * k->ns);
}

/* @reads and @writes to each virtual member; four of them form a request. */
static void make_sample(const struct known *k, unsigned int gear, unsigned int reads,
			unsigned int writes, struct par_sample *s)
{
	unsigned int d;

	memset(s, 0, sizeof(*s));
	s->ns = k->ns;
	s->gear = gear;
	for (d = 0; d < k->geo->members; d++) {
		s->home[d][0] = reads;
		s->home[d][1] = writes;
		s->requests[0] += reads;
		s->requests[1] += writes;
	}
	s->requests[0] /= 4;
	s->requests[1] /= 4;
	s->sectors = (s->requests[0] + s->requests[1]) * 8;
	s->waited_ns[0] = s->requests[0] * 9000000ULL;
	s->waited_ns[1] = s->requests[1] * 15000000ULL;
	s->sent = dumb_sent(k, gear, s);
	s->busy_ns = dumb_busy(k, gear, s);
}

static void known_init(struct known *k, const struct par_geometry *geo)
{
	unsigned int i;

	*k = (struct known) { .geo = geo, .cost = 20000, .ns = 1000000000 };
	for (i = 1; i <= geo->gears; i++)
		k->dearer[i] = 100;
}

static void expect_near(struct kunit *test, const struct known *k,
			const struct par_sample *s,
			const struct par_interval *interval, unsigned int percent,
			const char *what)
{
	const struct par_kunit_layout *in = test->param_value;
	unsigned int i;

	for (i = 1; i <= k->geo->gears; i++) {
		u64 is = min(dumb_load(k, i, s), 65535ULL);

		KUNIT_ASSERT_LE_MSG(test, abs_diff((u64)interval->load[i], is),
				    is * percent / 100 + 2,
				    "%s, %s, from gear %u, of gear %u: %u, is %llu",
				    in->name, what, s->gear, i, interval->load[i], is);
	}
}

static struct par_forecast *forecast_of(struct kunit *test,
					const struct par_geometry *geo)
{
	struct par_forecast *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	par_forecast_init(f, geo);
	return f;
}

/* Any mix of reads and writes, in any gear: the prediction for each other gear is within 2 %. */
static void from_the_geometry(struct kunit *test)
{
	const struct par_geometry *geo = geometry(test);
	struct par_interval interval;
	struct par_sample s;
	struct rnd_state rng;
	unsigned int gear, n;
	struct known k;

	prandom_seed_state(&rng, SEED);
	known_init(&k, geo);
	for (gear = 1; gear <= geo->gears; gear++) {
		struct par_forecast *f = forecast_of(test, geo);

		for (n = 0; n < 40; n++) {
			make_sample(&k, gear, prandom_u32_state(&rng) % 200,
				    prandom_u32_state(&rng) % 200, &s);
			KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &interval));
			expect_near(test, &k, &s, &interval, 2, "any mix");
		}
		KUNIT_EXPECT_EQ(test, interval.requests, s.requests[0] + s.requests[1]);
		KUNIT_EXPECT_EQ(test, interval.waited, s.requests[0] * 9000 +
				s.requests[1] * 15000);
	}
}

/*
 * Measured values replace those of the geometry: full stripes in the gear sets, for which
 * an image write costs less than two requests.
 */
static void image_writes_counted(struct kunit *test)
{
	const struct par_geometry *geo = geometry(test);
	struct par_forecast *f = forecast_of(test, geo);
	struct par_interval interval;
	struct par_sample s;
	unsigned int gear, n;
	struct known k;

	known_init(&k, geo);
	k.image_write = 150;
	for (gear = 1; gear <= geo->gears; gear++)
		for (n = 0; n < 10; n++) {
			make_sample(&k, gear, 20, 100, &s);
			par_forecast_see(f, &s, &interval);
		}
	expect_near(test, &k, &s, &interval, 2, "all gears have been seen");
}

/* A request costs more in the lowest gear, where seeks are longer. That is learnt. */
static void dearer_learned(struct kunit *test)
{
	const struct par_geometry *geo = geometry(test);
	struct par_forecast *f = forecast_of(test, geo);
	struct par_interval interval;
	struct par_sample s;
	unsigned int n, round;
	struct known k;

	known_init(&k, geo);
	k.dearer[1] = 150;
	for (round = 0; round < 8; round++)
		for (n = 0; n < 50; n++) {
			make_sample(&k, n < 25 ? geo->gears : 1, 60, 40, &s);
			par_forecast_see(f, &s, &interval);
			if (round == 7)
				expect_near(test, &k, &s, &interval, 3, "learnt");
		}
}

/* Large requests cost less per page. Each size is measured separately, also if they are mixed. */
static void sizes_apart(struct kunit *test)
{
	static const unsigned int kib[] = { 16, 17, 256, 257, 4 };
	const struct par_geometry *geo = geometry(test);
	struct par_forecast *f = forecast_of(test, geo);
	struct par_interval interval;
	struct par_sample s;
	unsigned int k, n;
	struct known known;

	known_init(&known, geo);
	for (n = 0; n < 8; n++)
		for (k = 0; k < ARRAY_SIZE(kib); k++) {
			known.cost = kib[k] <= 16 ? 40000 : kib[k] <= 256 ? 9000 : 2000;
			make_sample(&known, geo->gears, 70, 30, &s);
			s.sectors = (s.requests[0] + s.requests[1]) * kib[k] * 2;
			s.others = n == 7;
			if (s.others)
				s.busy_ns = s.ns * geo->members;
			KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &interval));
			expect_near(test, &known, &s, &interval, 2, "sizes");
		}
}

/* Requests of copies and syncs to the members are not counted as load. */
static void others_left_out(struct kunit *test)
{
	const struct par_geometry *geo = geometry(test);
	struct par_interval interval;
	unsigned int gear, n, d;
	struct par_sample s, seen;
	struct known k;

	known_init(&k, geo);
	for (gear = 1; gear <= geo->gears; gear++) {
		struct par_forecast *f = forecast_of(test, geo);

		for (n = 0; n < 60; n++) {
			make_sample(&k, gear, 80, 40, &s);
			seen = s;
			if (n > 20) {
				seen.others = true;
				seen.sent *= 3;
				seen.busy_ns = s.ns * geo->set[gear].members;
			}
			if (n > 40) {
				seen.synced = true;
				for (d = 0; d < geo->members; d++)
					seen.home[d][n % 2] += 100000;
			}
			KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &seen, &interval));
			expect_near(test, &k, &s, &interval, 2, "others");
		}
	}
}

/*
 * Unknown values are not predicted: after a change of gear, or during a sync before the
 * array has been seen without one. A request that was never seen alone costs as much as
 * those of others.
 */
static void not_known(struct kunit *test)
{
	const struct par_geometry *geo = geometry(test);
	struct par_forecast *f = forecast_of(test, geo);
	struct par_interval interval;
	struct par_sample s;
	struct known k;
	unsigned int i;

	known_init(&k, geo);
	make_sample(&k, geo->gears, 0, 0, &s);
	KUNIT_EXPECT_TRUE(test, par_forecast_see(f, &s, &interval));
	for (i = 1; i <= geo->gears; i++)
		KUNIT_EXPECT_EQ(test, interval.load[i], 0);
	make_sample(&k, geo->gears, 500, 500, &s);
	s.others = true;
	s.synced = true;
	KUNIT_EXPECT_FALSE(test, par_forecast_see(f, &s, &interval));
	s.synced = false;
	s.shifted = true;
	KUNIT_EXPECT_FALSE(test, par_forecast_see(f, &s, &interval));
	s.shifted = false;
	s.sent *= 2;
	s.busy_ns *= 2;
	KUNIT_EXPECT_TRUE(test, par_forecast_see(f, &s, &interval));
	s.sent /= 2;
	s.busy_ns /= 2;
	expect_near(test, &k, &s, &interval, 2, "as others");
}

/* The largest values: no overflow, and a larger load never gives a smaller result. */
static void huge(struct kunit *test)
{
	const struct par_geometry *geo = geometry(test);
	struct par_forecast *f = forecast_of(test, geo);
	struct par_interval interval, before = {};
	struct par_sample s;
	unsigned int bits, i;
	struct known k;

	known_init(&k, geo);
	for (bits = 0; bits < 31; bits++) {
		make_sample(&k, geo->gears, 1U << bits, 1U << bits, &s);
		s.ns = 60000000000ULL;
		s.busy_ns = min(s.busy_ns, s.ns * geo->members);
		if (!par_forecast_see(f, &s, &interval))
			continue;
		for (i = 1; i <= geo->gears; i++)
			KUNIT_ASSERT_GE(test, interval.load[i], before.load[i]);
		before = interval;
	}
	KUNIT_EXPECT_EQ(test, before.load[geo->gears], PAR_LOAD_ONE);
}

/* The time of a flush counts for its user; its cost counts for members if it is a user's. */
static void flushes(struct kunit *test)
{
	struct par_interval interval, without;
	struct par_sample s = { .ns = NSEC_PER_SEC, .gear = 1, .requests = { 10, 20 },
				.waited_ns = { 40 * NSEC_PER_MSEC, 60 * NSEC_PER_MSEC } };
	struct par_geometry *geo = kunit_kzalloc(test, sizeof(*geo), GFP_KERNEL);
	struct par_forecast *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, geo);
	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_EQ(test, par_geometry_init(geo, GEAR(3) | GEAR(5), 5, KIB(512), MIB(200)),
			PAR_GEO_OK);
	par_forecast_init(f, geo);
	KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &without));
	KUNIT_EXPECT_EQ(test, without.requests, 30);
	KUNIT_EXPECT_EQ(test, without.waited, 100000);
	s.flushes = 20;
	s.flush_ns = 20 * 59 * NSEC_PER_MSEC;
	KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &interval));
	KUNIT_EXPECT_EQ(test, interval.requests, 50);
	KUNIT_EXPECT_EQ(test, interval.writes, 40);
	KUNIT_EXPECT_EQ(test, interval.waited, 100000 + 20 * 59000);
	KUNIT_EXPECT_EQ(test, interval.load[1], without.load[1]);
}

/*
 * With a log, low gears are foretold with its costs. What the log hides there from the home set,
 * the top gear would have all the same: as it mostly is, and as requests say before that is known.
 */
static void with_a_log(struct kunit *test)
{
	const struct par_geometry *geo = geometry(test);
	struct par_forecast *plain = forecast_of(test, geo), *f = forecast_of(test, geo);
	struct par_interval without, interval, hidden;
	struct par_sample s;
	unsigned int i, n;
	struct known k;

	f->copies = 1 + geo->parities;
	known_init(&k, geo);
	for (n = 0; n < 20; n++) {
		make_sample(&k, geo->gears, 12, 80, &s);
		KUNIT_ASSERT_TRUE(test, par_forecast_see(plain, &s, &without));
		KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &interval));
	}
	KUNIT_EXPECT_EQ(test, interval.load[geo->gears], without.load[geo->gears]);
	for (i = 1; i < geo->gears; i++) {
		KUNIT_EXPECT_LT(test, interval.load[i], without.load[i]);
		KUNIT_EXPECT_GE(test, interval.load[i], without.load[i] / 3);
	}
	/* Large ones are expected to go past it. */
	s.sectors *= 1000;
	for (n = 0; n < 20; n++) {
		KUNIT_ASSERT_TRUE(test, par_forecast_see(plain, &s, &without));
		KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &hidden));
	}
	for (i = 1; i <= geo->gears; i++)
		KUNIT_EXPECT_EQ(test, hidden.load[i], without.load[i]);
	/* The same small ones in the lowest gear: the home set sees none of them. */
	s.sectors /= 1000;
	s.gear = 1;
	s.log_sent = 2 * s.requests[1];
	s.sent = 0;
	s.busy_ns /= 4;
	memset(s.home, 0, sizeof(s.home));
	KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &hidden));
	KUNIT_EXPECT_LE(test, abs_diff(hidden.load[geo->gears], interval.load[geo->gears]),
			interval.load[geo->gears] / 50 + 2);
	/* Nor are drains taken for the user's. */
	s.log_sent = 0;
	s.drained = true;
	for (i = 0; i < geo->members; i++)
		s.home[i][1] = 100000;
	s.busy_ns = geo->set[1].members * s.ns;
	KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &hidden));
	for (i = 1; i <= geo->gears; i++)
		KUNIT_EXPECT_LE(test, abs_diff(hidden.load[i], interval.load[i]),
				interval.load[i] / 50 + 2);
	/* Nothing has been seen without a log. */
	f = forecast_of(test, geo);
	f->copies = 1 + geo->parities;
	memset(s.home, 0, sizeof(s.home));
	s.log_sent = 2 * s.requests[1];
	KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &hidden));
	KUNIT_EXPECT_GT(test, hidden.load[geo->gears], 0);
}

#define LARGE	2000U	/* sectors */

static void see_often(struct kunit *test, struct par_forecast *f, const struct par_sample *s,
		      struct par_interval *interval)
{
	unsigned int n;

	for (n = 0; n < 300; n++)
		KUNIT_ASSERT_TRUE(test, par_forecast_see(f, s, interval));
}

/* The same requests of @sectors each in a top gear, or in a low one, where some go to the log. */
static void make_logged(const struct known *k, unsigned int gear, u64 sectors, u64 logged,
			struct par_sample *s)
{
	make_sample(k, k->geo->gears, 12, 80, s);
	s->sectors = (s->requests[0] + s->requests[1]) * sectors;
	if (gear == k->geo->gears)
		return;
	s->gear = gear;
	s->sent = 0;
	s->busy_ns = 0;
	s->log_sent = 1;
	s->logged = s->requests[1] * logged;
}

/*
 * How many large writes of low gears go to the log is learnt there: so many are written to it and
 * read by the drain, which then needs half of what is needed without a log.
 */
static void large_with_a_log(struct kunit *test)
{
	const struct par_geometry *geo = geometry(test);
	struct par_forecast *f = forecast_of(test, geo);
	struct par_interval without, with;
	unsigned int i, quarters;
	struct par_sample s;
	struct known k;
	u64 extra;

	f->copies = 1 + geo->parities;
	known_init(&k, geo);
	make_logged(&k, geo->gears, LARGE, 0, &s);
	see_often(test, f, &s, &without);
	for (quarters = 0; quarters <= 4; quarters++) {
		make_logged(&k, 1, LARGE, LARGE * quarters / 4, &s);
		see_often(test, f, &s, &with);
		make_logged(&k, geo->gears, LARGE, 0, &s);
		KUNIT_ASSERT_TRUE(test, par_forecast_see(f, &s, &with));
		KUNIT_EXPECT_EQ(test, with.load[geo->gears], without.load[geo->gears]);
		extra = s.requests[1] * quarters * (2 + geo->parities) * LARGE / (4 * 1024);
		for (i = 1; i < geo->gears; i++) {
			u64 reads = load_of(&k, i, s.requests[0]);
			u64 is = without.load[i] - (without.load[i] - reads) * quarters / 8 +
				 load_of(&k, i, extra);

			KUNIT_EXPECT_LE_MSG(test, abs_diff((u64)with.load[i], is), is / 50 + 2,
					    "%u of 4, gear %u: %u, is %llu", quarters, i,
					    with.load[i], is);
		}
	}
	/* Neither small writes nor those of the top gear change it. */
	make_logged(&k, 1, 8, 0, &s);
	see_often(test, f, &s, &without);
	make_logged(&k, geo->gears, LARGE, 0, &s);
	see_often(test, f, &s, &without);
	KUNIT_EXPECT_EQ(test, without.load[1], with.load[1]);
}

/* Room for so long, at the rate of late; what is drained is no rate of its own. */
static void filling_log(struct kunit *test)
{
	struct par_filling filling = {};
	unsigned int t;

	KUNIT_EXPECT_EQ(test, par_filling_left(&filling, 1000), 0);
	par_filling_see(&filling, 500, 100, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, par_filling_left(&filling, 1000), 0);
	for (t = 0; t < 100; t++)
		par_filling_see(&filling, 10 * t, 10 * (t + 1), NSEC_PER_SEC);
	KUNIT_EXPECT_GE(test, par_filling_left(&filling, 1000), 99);
	KUNIT_EXPECT_LE(test, par_filling_left(&filling, 1000), 103);
	KUNIT_EXPECT_EQ(test, par_filling_left(&filling, 0), 1);
	for (t = 0; t < 600; t++)
		par_filling_see(&filling, 700, 700, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, par_filling_left(&filling, 1000), 0);
	par_filling_see(&filling, 0, U32_MAX, NSEC_PER_SEC);
	KUNIT_EXPECT_GE(test, par_filling_left(&filling, U32_MAX), 1);
}

/* One interval without progress says little, an hour of them much. */
static void rate_of_copies(struct kunit *test)
{
	struct par_rate rate = {};
	unsigned int t;

	KUNIT_EXPECT_EQ(test, par_rate_kib(&rate), 32768);
	par_rate_add(&rate, 0, NSEC_PER_SEC);
	KUNIT_EXPECT_GE(test, par_rate_kib(&rate), 29000);
	for (t = 0; t < 600; t++)
		par_rate_add(&rate, t % 2 ? 0 : 16 << 20, NSEC_PER_SEC);
	KUNIT_EXPECT_GE(test, par_rate_kib(&rate), 8192);
	KUNIT_EXPECT_LE(test, par_rate_kib(&rate), 8700);
	for (t = 0; t < 24 * 3600; t++)
		par_rate_add(&rate, 0, NSEC_PER_SEC);
	KUNIT_EXPECT_LE(test, par_rate_kib(&rate), 200);
	KUNIT_EXPECT_GE(test, par_rate_kib(&rate), 1);
}

/* Zeros for slots belong to a shift, but say nothing about the rate of its copies. */
static void rate_without_zeros(struct kunit *test)
{
	struct par_copies_seen from = { .copying = true }, to = from;
	struct par_rate rate = {};
	unsigned int t;

	for (t = 0; t < 240; t++, from = to) {
		to.zeroings = t < 239 ? 1 : 2;	/* they begin in the first interval */
		par_rate_see(&rate, &from, &to, NSEC_PER_SEC);
	}
	KUNIT_EXPECT_EQ(test, par_rate_kib(&rate), 32768);
	/* Begun and ended between two looks. */
	to.zeroings = 4;
	par_rate_see(&rate, &from, &to, 100 * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, par_rate_kib(&rate), 32768);
	for (t = 0, from = to; t < 100; t++, from = to) {
		to.bytes += 100 << 20;
		par_rate_see(&rate, &from, &to, NSEC_PER_SEC);
	}
	KUNIT_EXPECT_GE(test, par_rate_kib(&rate), 90000);
	from.copying = false;
	par_rate_see(&rate, &from, &to, 1000 * NSEC_PER_SEC);
	KUNIT_EXPECT_GE(test, par_rate_kib(&rate), 90000);
}

static struct kunit_case predict_cases[] = {
	KUNIT_CASE_PARAM(write_cost, layout_gen_params),
	KUNIT_CASE_PARAM(from_the_geometry, layout_gen_params),
	KUNIT_CASE_PARAM(image_writes_counted, layout_gen_params),
	KUNIT_CASE_PARAM(dearer_learned, layout_gen_params),
	KUNIT_CASE_PARAM(sizes_apart, layout_gen_params),
	KUNIT_CASE_PARAM(others_left_out, layout_gen_params),
	KUNIT_CASE_PARAM(not_known, layout_gen_params),
	KUNIT_CASE_PARAM(huge, layout_gen_params),
	KUNIT_CASE_PARAM(with_a_log, layout_gen_params),
	KUNIT_CASE_PARAM(large_with_a_log, layout_gen_params),
	KUNIT_CASE(flushes),
	KUNIT_CASE(filling_log),
	KUNIT_CASE(rate_of_copies),
	KUNIT_CASE(rate_without_zeros),
	{}
};

static struct kunit_suite predict_suite = {
	.name = "raid-par-predict",
	.test_cases = predict_cases,
};

kunit_test_suite(predict_suite);
