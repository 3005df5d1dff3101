// SPDX-License-Identifier: GPL-2.0
/*
 * Utilizations of gears, measured and predicted; see predict.h.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "policy/predict.h"

#define FADE		32U	/* intervals: older ones have a weight below 1/e */
#define SEEN_ENOUGH	64U	/* requests, before a ratio is used */
#define SETTLE		8U	/* intervals with requests, before two gears are compared */
#define SMALL_SECTORS	32U
#define MEDIUM_SECTORS	512U
#define USUAL_RATE	32768U	/* KiB/s */
#define RATE_NS		(3600 * NSEC_PER_SEC)	/* older values fade */
#define DEARER_MAX	(4 * PAR_DEARER_ONE)
#define DEARER_MIN	(PAR_DEARER_ONE / 4)
/*
 * Against a request somewhere on the disk: a record follows the one before it and has what
 * several writers wait for; a drain goes through the array in its order.
 */
#define LOG_RECORD	4U
#define LOG_DRAIN	2U
#define LOG_LARGE	1024U	/* sectors of a large request to the log; as many as of a unit */
#define FILLING_NS	(30 * NSEC_PER_SEC)	/* what is older fades */

/* ---- ratios ---- */

/* In 1/1024 parts, so that fading values are not rounded to 0. */
#define PART_BITS	10

static void ratio_add(struct par_ratio *ratio, u64 counted, u64 among)
{
	ratio->counted -= div_u64(ratio->counted, FADE);
	ratio->among -= div_u64(ratio->among, FADE);
	ratio->counted += counted << PART_BITS;
	ratio->among += among << PART_BITS;
}

static bool ratio_known(const struct par_ratio *ratio)
{
	return ratio->among >> PART_BITS >= SEEN_ENOUGH;
}

/* @number times the ratio. */
static u64 ratio_times(const struct par_ratio *ratio, u64 number)
{
	return mul_u64_u64_div_u64(number, ratio->counted, ratio->among);
}

/* ---- the rate of copies ---- */

void par_rate_add(struct par_rate *rate, u64 bytes, u64 ns)
{
	rate->bytes += bytes;
	rate->ns += ns;
	if (rate->ns > RATE_NS) {
		rate->bytes /= 2;
		rate->ns /= 2;
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_rate_add);

void par_rate_see(struct par_rate *rate, const struct par_copies_seen *from,
		  const struct par_copies_seen *to, u64 ns)
{
	bool zeros = from->zeroings % 2 || from->zeroings != to->zeroings;

	if (from->copying && to->copying && !zeros)
		par_rate_add(rate, to->bytes - from->bytes, ns);
}
EXPORT_SYMBOL_IF_KUNIT(par_rate_see);

/* As if it had begun with ten seconds at the usual rate: so one interval has little effect. */
u32 par_rate_kib(const struct par_rate *rate)
{
	u64 kib = USUAL_RATE * 10 + rate->bytes / 1024;
	u64 ms = 10 * MSEC_PER_SEC + div_u64(rate->ns, NSEC_PER_MSEC);

	return clamp_t(u64, div64_u64(kib * MSEC_PER_SEC, ms), 1, U32_MAX);
}
EXPORT_SYMBOL_IF_KUNIT(par_rate_kib);

/* ---- from the geometry ---- */

/*
 * A small write to a set: raid5 reads the old data and parity, or all other data of
 * the stripe if that is less, and writes data and parity.
 */
static unsigned int small_write_reads(const struct par_geometry *geo,
				      unsigned int set)
{
	unsigned int others = geo->set[set].members - geo->parities - 1;

	return geo->parities ? min(1 + geo->parities, others) : 0;
}

u64 par_image_write_cost(const struct par_geometry *geo, unsigned int gear,
			 unsigned int d)
{
	u64 cost[PAR_MAX_SETS + 1];	/* of a write to the images in a set */
	unsigned int last = par_image_set(geo, d), set, v;

	for (set = gear; set <= last; set++) {
		unsigned int members = geo->set[set].members;
		u64 write = 0;

		/* All members are hit with the same probability. */
		for (v = 0; v < members; v++)
			write += par_awake_in(geo, gear, v) ? PAR_DEARER_ONE :
				 cost[par_image_set(geo, v)];
		cost[set] = small_write_reads(geo, set) * PAR_DEARER_ONE +
			    div_u64((1 + geo->parities) * write, members);
	}
	return cost[last];
}
EXPORT_SYMBOL_IF_KUNIT(par_image_write_cost);

/* ---- requests to members ---- */

static u64 image_writes_come_to(const struct par_forecast *forecast,
				enum par_size size, unsigned int gear,
				unsigned int d, u64 writes)
{
	const struct par_ratio *ratio = &forecast->image_write[size][gear];

	if (ratio_known(ratio))
		return ratio_times(ratio, writes);
	return div_u64(writes * par_image_write_cost(forecast->geo, gear, d),
		       PAR_DEARER_ONE);
}

/* Requests to members in gear @gear, without writes to images, which are added separately. */
static u64 plain_requests(const struct par_geometry *geo, unsigned int gear,
			  const u64 (*home)[2], u64 *image_writes)
{
	u64 sent = 0;
	unsigned int d;

	*image_writes = 0;
	for (d = 0; d < geo->members; d++) {
		sent += home[d][PAR_READS];
		if (par_awake_in(geo, gear, d))
			sent += home[d][PAR_WRITES];
		else
			*image_writes += home[d][PAR_WRITES];
	}
	return sent;
}

static u64 requests_in(const struct par_forecast *forecast, enum par_size size,
		       unsigned int gear, const u64 (*home)[2])
{
	const struct par_geometry *geo = forecast->geo;
	u64 image_writes, sent = plain_requests(geo, gear, home, &image_writes);
	unsigned int d;

	for (d = geo->set[gear].members; d < geo->members; d++)
		sent += image_writes_come_to(forecast, size, gear, d,
					     home[d][PAR_WRITES]);
	return sent;
}

static u64 home_reads(const struct par_geometry *geo, const u64 (*home)[2])
{
	u64 reads = 0;
	unsigned int d;

	for (d = 0; d < geo->members; d++)
		reads += home[d][PAR_READS];
	return reads;
}

/*
 * Large writes that are no parts of whole stripes go to the log as well. A drain reads them there,
 * in requests as large as those of the records, and writes them home. Of @all requests without a
 * log, @reads are for the user's reads.
 */
static u64 large_requests_in(const struct par_forecast *forecast,
			     const struct par_sample *sample, u64 all, u64 reads)
{
	u64 writes = sample->requests[PAR_WRITES], requests = sample->requests[PAR_READS] + writes;
	u64 logged, drained, records;

	if (!writes || !ratio_known(&forecast->logged))
		return all;
	logged = ratio_times(&forecast->logged, writes);
	records = mul_u64_u64_div_u64(logged, sample->sectors, requests * LOG_LARGE);
	drained = mul_u64_u64_div_u64(all - reads, logged, writes);
	return all - drained + div_u64(drained, LOG_DRAIN) + records * (forecast->copies + 1);
}

/* Small writes of a low gear go to the log, and from there to where they go without one. */
static u64 logged_requests_in(const struct par_forecast *forecast,
			      const struct par_sample *sample, enum par_size size,
			      unsigned int gear, const u64 (*home)[2])
{
	u64 all = requests_in(forecast, size, gear, home), reads;

	if (!forecast->copies || gear == forecast->geo->gears)
		return all;
	reads = min(home_reads(forecast->geo, home), sample->requests[PAR_READS]);
	if (size == PAR_LARGE_REQUESTS)
		return large_requests_in(forecast, sample, all, reads);
	return reads + div_u64(sample->requests[PAR_WRITES] * forecast->copies, LOG_RECORD) +
	       div_u64(all - reads, LOG_DRAIN);
}

/* ---- the log ---- */

void par_filling_see(struct par_filling *filling, u32 before, u32 used, u64 ns)
{
	filling->blocks += used - min(before, used);
	filling->ns += ns;
	while (filling->ns > FILLING_NS) {
		filling->blocks /= 2;
		filling->ns /= 2;
	}
}
EXPORT_SYMBOL_IF_KUNIT(par_filling_see);

u64 par_filling_left(const struct par_filling *filling, u32 room)
{
	if (!filling->blocks || !filling->ns)
		return 0;
	return max(1ULL, div_u64(mul_u64_u64_div_u64(room, filling->ns, filling->blocks),
				 NSEC_PER_SEC));
}
EXPORT_SYMBOL_IF_KUNIT(par_filling_left);

/* Of the home set's requests, some are missing, or come from a drain. */
static bool log_hides(const struct par_sample *sample)
{
	return sample->log_sent || sample->drained;
}

/* ---- learning ---- */

/* The time for which one request keeps a member busy, in ns times 1024. */
static u64 cost_of(const struct par_ratio *ratio)
{
	return ratio_times(ratio, PAR_DEARER_ONE);
}

/* Without requests, the result does not matter. */
static enum par_size size_of(const struct par_sample *sample)
{
	u64 requests = sample->requests[PAR_READS] + sample->requests[PAR_WRITES];

	if (sample->sectors <= SMALL_SECTORS * requests)
		return PAR_SMALL_REQUESTS;
	return sample->sectors <= MEDIUM_SECTORS * requests ? PAR_MEDIUM_REQUESTS :
	       PAR_LARGE_REQUESTS;
}

/*
 * The cost of a request in another gear is taken to be the cost in this one, unless earlier
 * shifts have shown a difference. Only shifts down are compared, since a shift up is caused
 * by a changed load.
 */
static void enter_gear(struct par_forecast *forecast, unsigned int gear)
{
	unsigned int old = forecast->gear, size;

	if (old == gear)
		return;
	forecast->before = old > gear ? old : 0;
	for (size = 0; old && size < PAR_SIZES; size++) {
		struct par_ratio *cost = &forecast->cost[size];

		forecast->before_cost[size] = ratio_known(&forecast->fresh[size]) ?
					      cost_of(&forecast->fresh[size]) : 0;
		cost->counted = mul_u64_u64_div_u64(cost->counted,
						    forecast->dearer[gear],
						    forecast->dearer[old]);
	}
	memset(forecast->fresh, 0, sizeof(forecast->fresh));
	forecast->compared = 0;
	forecast->gear = gear;
}

/* Move halfway to the ratio that is measured between the two gears, whenever both are known. */
static void compare_gears(struct par_forecast *forecast, enum par_size size)
{
	u32 *dearer = &forecast->dearer[forecast->gear];
	u64 now;

	if (!forecast->before || !forecast->before_cost[size] ||
	    !ratio_known(&forecast->fresh[size]) || ++forecast->compared < SETTLE)
		return;
	now = mul_u64_u64_div_u64(forecast->dearer[forecast->before],
				  cost_of(&forecast->fresh[size]),
				  forecast->before_cost[size]);
	*dearer = clamp_t(u64, (now + *dearer) / 2, DEARER_MIN, DEARER_MAX);
	forecast->before = 0;
}

static void learn_costs(struct par_forecast *forecast, const struct par_sample *sample)
{
	const struct par_geometry *geo = forecast->geo;
	u64 requests = sample->requests[PAR_READS] + sample->requests[PAR_WRITES];
	u64 image_writes, plain;
	enum par_size size = size_of(sample);
	unsigned int d, rw;

	plain = plain_requests(geo, sample->gear, sample->home, &image_writes);
	if (image_writes)
		ratio_add(&forecast->image_write[size][sample->gear],
			  sample->sent - min(sample->sent, plain), image_writes);
	for (d = 0; requests && d < geo->members; d++)
		for (rw = PAR_READS; rw <= PAR_WRITES; rw++)
			ratio_add(&forecast->home[size][d][rw],
				  sample->home[d][rw], requests);
	if (!sample->sent)
		return;
	ratio_add(&forecast->cost[size], sample->busy_ns, sample->sent);
	ratio_add(&forecast->fresh[size], sample->busy_ns, sample->sent);
	compare_gears(forecast, size);
}

/* Of large writes, how many go to the log? Only a low gear shows it. */
static void learn_logged(struct par_forecast *forecast, const struct par_sample *sample)
{
	u64 writes = sample->requests[PAR_WRITES], requests = sample->requests[PAR_READS] + writes;
	u64 logged;

	if (!forecast->copies || sample->gear == forecast->geo->gears || !writes ||
	    size_of(sample) != PAR_LARGE_REQUESTS)
		return;
	logged = mul_u64_u64_div_u64(sample->logged, requests, sample->sectors);
	ratio_add(&forecast->logged, min(logged, writes), writes);
}

/* ---- results ---- */

static u64 share_of(u64 all, unsigned int d, unsigned int members)
{
	return div_u64(all * (d + 1), members) - div_u64(all * d, members);
}

/* What the home set would have to do for these requests: small ones, evenly spread. */
static void spread_requests(const struct par_geometry *geo, const struct par_sample *sample,
			    u64 (*home)[2])
{
	u64 writes = sample->requests[PAR_WRITES];
	u64 reads = sample->requests[PAR_READS] +
		    writes * small_write_reads(geo, geo->gears);
	unsigned int d;

	for (d = 0; d < geo->members; d++) {
		home[d][PAR_READS] = share_of(reads, d, geo->members);
		home[d][PAR_WRITES] = share_of(writes * (1 + geo->parities), d, geo->members);
	}
}

/*
 * The home set's requests without those of a sync or of a drain, and with those that the log
 * has put off: as they mostly are.
 */
static bool without_others(const struct par_forecast *forecast,
			   const struct par_sample *sample, u64 (*home)[2])
{
	u64 requests = sample->requests[PAR_READS] + sample->requests[PAR_WRITES];
	const struct par_ratio (*known)[2] = forecast->home[size_of(sample)];
	unsigned int d, rw;

	memcpy(home, sample->home, sizeof(sample->home));
	if (!sample->synced && !log_hides(sample))
		return true;
	if (!sample->synced && !ratio_known(&known[0][PAR_READS])) {
		spread_requests(forecast->geo, sample, home);
		return true;
	}
	for (d = 0; d < forecast->geo->members; d++)
		for (rw = PAR_READS; rw <= PAR_WRITES; rw++) {
			if (requests && !ratio_known(&known[d][rw]))
				return false;
			home[d][rw] = requests ? ratio_times(&known[d][rw], requests) : 0;
		}
	return true;
}

static u32 utilization_of(u64 busy_ns, unsigned int members, u64 ns)
{
	return min_t(u64, PAR_LOAD_MAX,
		     mul_u64_u64_div_u64(busy_ns, PAR_LOAD_ONE, members * ns));
}

static u64 busy_in(const struct par_forecast *forecast, const struct par_ratio *cost,
		   unsigned int gear, u64 sent)
{
	u64 here = ratio_times(cost, sent);

	return mul_u64_u64_div_u64(here, forecast->dearer[gear],
				   forecast->dearer[forecast->gear]);
}

/*
 * The time for which members are busy in gear @gear; false if it cannot be known. While the log is
 * drained, it is foretold for the present gear, too: the work of a drain has been counted with the
 * writes, it can wait, and is no reason to shift up.
 */
static bool busy_of(const struct par_forecast *forecast, const struct par_sample *sample,
		    unsigned int gear, const u64 (*home)[2], u64 *busy)
{
	enum par_size size = size_of(sample);
	const struct par_ratio *cost = &forecast->cost[size];
	struct par_ratio of_all = { sample->busy_ns, sample->sent + sample->log_sent };
	u64 sent = logged_requests_in(forecast, sample, size, gear, home);

	/* If requests have never been seen alone, use the cost that includes other requests. */
	if (!ratio_known(cost) && of_all.among)
		cost = &of_all;
	*busy = 0;
	if (gear == sample->gear && !sample->others && !sample->drained)
		*busy = sample->busy_ns;
	else if (sent && cost->among)
		*busy = busy_in(forecast, cost, gear, sent);
	else
		return !sent;
	return true;
}

bool par_forecast_see(struct par_forecast *forecast,
		      const struct par_sample *sample,
		      struct par_interval *interval)
{
	const struct par_geometry *geo = forecast->geo;
	u64 home[PAR_MAX_MEMBERS][2], busy;
	unsigned int i;

	if (sample->shifted)
		return false;
	enter_gear(forecast, sample->gear);
	if (!sample->others && !log_hides(sample))
		learn_costs(forecast, sample);
	learn_logged(forecast, sample);
	if (!without_others(forecast, sample, home))
		return false;
	for (i = 1; i <= geo->gears; i++) {
		if (!busy_of(forecast, sample, i, home, &busy))
			return false;
		interval->load[i] = utilization_of(busy, geo->set[i].members, sample->ns);
	}
	interval->requests = min_t(u64, U32_MAX, sample->requests[PAR_READS] +
				   sample->requests[PAR_WRITES] + sample->flushes);
	interval->writes = min_t(u64, U32_MAX, sample->requests[PAR_WRITES] +
				 sample->flushes);
	interval->sectors = min_t(u64, U32_MAX, sample->sectors);
	interval->waited = div_u64(sample->waited_ns[PAR_READS] +
				   sample->waited_ns[PAR_WRITES] + sample->flush_ns,
				   NSEC_PER_USEC);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_forecast_see);

void par_forecast_init(struct par_forecast *forecast,
		       const struct par_geometry *geo)
{
	unsigned int i;

	memset(forecast, 0, sizeof(*forecast));
	forecast->geo = geo;
	if (geo->log_sectors)
		forecast->copies = 1 + geo->parities;
	for (i = 1; i <= geo->gears; i++)
		forecast->dearer[i] = PAR_DEARER_ONE;
}
EXPORT_SYMBOL_IF_KUNIT(par_forecast_init);
