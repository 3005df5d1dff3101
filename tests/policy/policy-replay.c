// SPDX-License-Identifier: GPL-2.0
/*
 * Replay requests to an array that is not there, and tell what the policy makes of them.
 *
 *	policy-replay [OPTION...] GEAR,GEAR... <REQUESTS
 *
 * -s NAME=VALUE	a knob, as its sysfs file is called
 * -c CYCLES		rated starts of a disk, to last for 5 years
 * -d DAYS		whose shares of these can be saved up; if none can, the best schedule keeps
 *			to the ration as well
 *
 * -q			quick: without rivals but "low"
 * -l, --log		arrays with gears have a write log, as mdadm makes it (sim-log.h)
 * -i, --image-share PERCENT	the array has images of a share (sim-slots.h). Its rivals with gears
 *			have images of all, and the rival "all" is such an array with the policy.
 *			Sectors beyond the end of that array begin at its start again. Further lines:
 *			"slots", "slots_used"; "misses", "hits"; of requests that missed, their number
 *			"missing", and "p50_missing_ms", "p99_missing_ms", "max_missing_ms". With two gears,
 *			"joules_demand": what no policy can do with less than, if slots are filled on demand
 *			(demand.h), whatever it foresees and however long its requests take; "starts_demand"
 *			of such a schedule; "joules_demand_rationed", if it keeps to the spin-up budget;
 *			"first_uses": reads from sleepers of runs that were not used before
 * -A, --around RUNS	see @around in demand.h (1) and in sim-slots.h (0)
 * -u, --all-uses	see @all_uses in sim-slots.h
 * -w, --written PERCENT	of the data has images in the beginning, see slots_fill()
 * -D, --daily		lines "day N PAR ALL RAID5 STARTS ALL_STARTS": J of a day with images of the share and of
 *			all, of the RAID-5, and starts of a disk
 * -n SLOTS		no band has more slots, as if others were used by other data
 * -S MIB		the size of a disk, 16 TB
 * -r			tell also what rules that do not foresee would take (threshold.h), of an array with
 *			two gears: lines "rule P99_MS BEST_J RULE_J BUSY UP_S DOWN_S STARTS", from the p99 of
 *			the low gear on, that no more than one in a hundred requests exceeds; and the same with
 *			the p99 of the policy, "rule_par"
 *
 * REQUESTS are lines "NS OP SECTOR BYTES", OP being r, w or f, a flush, in order of time: what
 * raid-tracer replay sends. Sectors beyond the array's end begin at its start again.
 *
 * A line for each shift, "shift ASKED_S DONE_S FROM TO REASON: WORDS", then lines
 * "NAME VALUE". The same requests go to rivals: "low" and "top" are the same array, always in its
 * lowest and its top gear; "few" is a RAID-5 of as many disks as the lowest gear has, "few_rest" the
 * same, each of whose disks stops after 20 minutes without a request; "raid5" and "raid5_rest" are of all
 * disks. "best" is what no schedule of gears can do with less than, if as many requests are to be
 * as quick as 99 percent of the policy's (hindsight.h); "best_low" the same with those in the low gear.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim-array.h"
#include "demand.h"
#include "hindsight.h"
#include "threshold.h"

#define DAY	(86400 * NSEC_PER_SEC)
#define REST	(20 * 60 * NSEC_PER_SEC)
#define CHUNK_SECTORS	1024U
#define SLOT	(10 * NSEC_PER_SEC)	/* of a schedule, at least, and … */
#define SLOT_MOST	(60 * NSEC_PER_SEC)	/* … at most, whether all are idle or not */
/*
 * Consecutive writes within a short time meet in the stripe cache: rows that they cover need not
 * be read. raid5 begins to read for a part of a stripe at once, but not for another part
 * meanwhile: for as long as a random read takes.
 */
#define GATHER	(12 * NSEC_PER_MSEC)
#define GATHER_MOST	32768U		/* sectors */
#define LINES	4096U			/* read in advance, at most */
#define OCTAVE	64U			/* bins of latencies in each power of two, of µs */
#define BINS	(OCTAVE * 40)
#define START_J	((DISK_SPIN_UP_W - DISK_STANDBY_W) * (DISK_SPIN_UP / (double)NSEC_PER_SEC))

/* struct line - a request, and those gathered with it; @sectors 0: it is a part of another line */
struct line {
	u64 at, sector, sectors;
	unsigned int pieces;
	char op;
};

enum rival { PAR, LOW, TOP, FEW, FEW_REST, RAID5, RAID5_REST, ALL, RIVALS };

static const char * const names[RIVALS] = { "par", "low", "top", "few", "few_rest", "raid5", "raid5_rest", "all" };

/*
 * struct slots - the choices of an ideal schedule; @took: latencies by gear, µs; of each slot:
 * @ends: requests until it is over, @seconds: its length, and @busy: the part of its time that
 * the low gear is busy
 */
struct slots {
	struct hindsight_slot *slot;
	u64 *ends;
	double *seconds, *busy;
	unsigned long count, room;
	u32 *took[PAR_MAX_SETS + 1];
	u64 requests, requests_room;
};

static struct array *rival[RIVALS], *ideal[PAR_MAX_SETS + 1], *par;
static struct slots slots;
static struct array_shape shape = {
	.chunk_sectors = CHUNK_SECTORS, .sectors = DISK_SECTORS, .share = PAR_SHARE_ALL,
	.cycles = PAR_CYCLES_DEFAULT, .carry = PAR_CARRY_DEFAULT,
};
static struct demand demand;
static bool has_log, daily;
static unsigned int days;
static u64 interval_ns, at, slot_began;
static bool rules;
static unsigned int rivals = RIVALS;
static u64 active_before[PAR_MAX_SETS + 1];
static u64 took[RIVALS][BINS], nr_requests;
/*
 * Latencies of requests while par was in its top gear: of par, and of the array that is always
 * there.
 */
static u64 took_top[2][BINS], nr_top;
/* Latencies of requests that missed, and the longest of them. */
static u64 took_missing[BINS], nr_missing, longest_missing;
static u64 starts_before[PAR_MAX_MEMBERS], most_starts, next_day = DAY, in_low;

static void refuse(const char *what)
{
	fprintf(stderr, "policy-replay: %s\n", what);
	exit(2);
}

static u32 layout_of(char *gears)
{
	u32 layout = 0;
	char *gear;

	while ((gear = strsep(&gears, ","))) {
		int members = atoi(gear);

		if (members < 2 || members > PAR_MAX_MEMBERS)
			refuse("gears are numbers of members, as in 3,5");
		layout |= BIT(members - 1);
	}
	return layout;
}

static void set_knob(struct par_knobs *knobs, char *text)
{
	const struct { const char *name; u32 *value; } files[] = {
		{ "interval", &knobs->interval }, { "window_short", &knobs->window[PAR_WINDOW_SHORT] },
		{ "window_long", &knobs->window[PAR_WINDOW_LONG] }, { "up_threshold", &knobs->up },
		{ "down_threshold", &knobs->down }, { "up_wait", &knobs->wait }, { "hold", &knobs->hold },
		{ "break_even", &knobs->break_even }, { "min_gear", &knobs->min_gear },
		{ "max_gear", &knobs->max_gear },
	};
	char *name = strsep(&text, "=");
	unsigned int i;

	for (i = 0; text && i < ARRAY_SIZE(files); i++) {
		if (!strcmp(name, files[i].name)) {
			*files[i].value = strtoul(text, NULL, 10);
			return;
		}
	}
	refuse("-s NAME=VALUE: no such knob");
}

static void *grown(void *list, size_t size)
{
	list = realloc(list, size);
	if (!list)
		abort();
	return list;
}

/* ---- slots ---- */

static bool all_idle(u64 now)
{
	unsigned int i;

	for (i = 1; i <= par->geo.gears; i++)
		if (array_idle(ideal[i]) > now)
			return false;
	return true;
}

static void end_slot(u64 now)
{
	const struct par_geometry *geo = &par->geo;
	double seconds = (now - slot_began) / (double)NSEC_PER_SEC;
	struct hindsight_slot *slot;
	unsigned int i;

	if (slots.count == slots.room) {
		slots.room = slots.room ? 2 * slots.room : 8192;
		slots.slot = grown(slots.slot, slots.room * sizeof(*slots.slot));
		slots.ends = grown(slots.ends, slots.room * sizeof(*slots.ends));
		slots.seconds = grown(slots.seconds, slots.room * sizeof(*slots.seconds));
		slots.busy = grown(slots.busy, slots.room * sizeof(*slots.busy));
	}
	slots.ends[slots.count] = slots.requests;
	slot = &slots.slot[slots.count];
	slots.seconds[slots.count] = seconds;
	for (i = 1; i <= geo->gears; i++) {
		unsigned int awake = geo->set[i].members;
		u64 active;

		/*
		 * Work that is left over does not count for a schedule that was in another gear.
		 */
		array_forget(ideal[i], now);
		active = array_active(ideal[i], now);
		slot->joules[i] = seconds * (awake * DISK_IDLE_W + (geo->members - awake) * DISK_STANDBY_W) +
				  (active - active_before[i]) * (DISK_ACTIVE_W - DISK_IDLE_W) / NSEC_PER_SEC;
		if (i == 1)
			slots.busy[slots.count] = (active - active_before[i]) / (seconds * NSEC_PER_SEC * awake);
		active_before[i] = active;
	}
	slots.count++;
	slot_began = now;
}

static double start_joules(unsigned int from)
{
	return (par->geo.set[from + 1].members - par->geo.set[from].members) * START_J;
}

static void count_slow(u64 slower_than_us)
{
	unsigned long n;
	unsigned int i;
	u64 at = 0;

	for (n = 0; n < slots.count; n++) {
		memset(slots.slot[n].slow, 0, sizeof(slots.slot[n].slow));
		for (; at < slots.ends[n]; at++)
			for (i = 1; i <= par->geo.gears; i++)
				slots.slot[n].slow[i] += slots.took[i][at] > slower_than_us;
	}
}

/*
 * The least J without what sleepers use that turn: arms are as busy as in the gear in which they
 * are least so.
 */
static double still_joules(void)
{
	const struct par_set_geometry *set = par->geo.set;
	double joules = 0, least, other;
	unsigned long n;
	unsigned int i;

	for (n = 0; n < slots.count; n++) {
		least = slots.slot[n].joules[1];
		for (i = 2; i <= par->geo.gears; i++) {
			other = (set[i].members - set[1].members) * (DISK_IDLE_W - DISK_STANDBY_W) * slots.seconds[n];
			least = fmin(least, slots.slot[n].joules[i] - other);
		}
		joules += least;
	}
	return joules;
}

static double bound(u64 slower_than_us)
{
	struct hindsight hindsight = { .gears = par->geo.gears, .slot = slots.slot, .slots = slots.count };
	unsigned int i;

	for (i = 1; i < hindsight.gears; i++)
		hindsight.start[i] = start_joules(i);
	count_slow(slower_than_us);
	return hindsight_bound(&hindsight, slots.requests / 100);
}

/* ---- time passes ---- */

static u64 starts_of(const struct array *array)
{
	u64 most = 0;
	unsigned int d;

	for (d = 0; d < array->geo.members; d++)
		most = max(most, array->disk[d].starts);
	return most;
}

static void tell_day(u64 now)
{
	static const enum rival of[] = { PAR, ALL, RAID5 };
	static double before[RIVALS];
	static u64 started[RIVALS];
	unsigned int i;

	printf("day %u", days);
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		double joules = rival[of[i]] ? array_joules(rival[of[i]], now) : 0;

		printf(" %.0f", joules - before[of[i]]);
		before[of[i]] = joules;
	}
	for (i = 0; i < 2; i++) {
		u64 starts = rival[of[i]] ? starts_of(rival[of[i]]) : 0;

		printf(" %llu", starts - started[of[i]]);
		started[of[i]] = starts;
	}
	printf("\n");
}

static void see_day(u64 now)
{
	unsigned int d;

	days++;
	if (daily)
		tell_day(now);

	for (d = 0; d < par->geo.members; d++) {
		most_starts = max(most_starts, par->disk[d].starts - starts_before[d]);
		starts_before[d] = par->disk[d].starts;
	}
	next_day += DAY;
}

/* Execute all that ends until @now. */
static void let_pass(u64 now)
{
	unsigned int i;

	for (; at + interval_ns <= now; at += interval_ns) {
		u64 end = at + interval_ns;

		if (par->gear < par->geo.gears)
			in_low += interval_ns;
		for (i = 0; i < rivals; i++)
			if (rival[i])
				array_interval(rival[i], end);
		for (i = 1; i <= par->geo.gears; i++)
			array_interval(ideal[i], end);
		if (end >= slot_began + SLOT && (all_idle(end) || end >= slot_began + SLOT_MOST))
			end_slot(end);
		if (end >= next_day)
			see_day(end);
	}
}

static void see_ideal(const struct line *line)
{
	unsigned int i, piece;

	while (slots.requests + line->pieces > slots.requests_room) {
		slots.requests_room = slots.requests_room ? 2 * slots.requests_room : 1 << 20;
		for (i = 1; i <= par->geo.gears; i++)
			slots.took[i] = grown(slots.took[i], slots.requests_room * sizeof(**slots.took));
	}
	for (i = 1; i <= par->geo.gears; i++) {
		u64 done = array_request(ideal[i], line->at, line->op == 'w', line->sector, line->sectors, line->pieces);

		for (piece = 0; piece < line->pieces; piece++)
			slots.took[i][slots.requests + piece] = min_t(u64, U32_MAX, (done - line->at) / 1000);
	}
	slots.requests += line->pieces;
}

static unsigned int bin_of(u64 ns)
{
	return ns <= 1000 ? 0 : min((unsigned int)(log2(ns / 1000.0) * OCTAVE), BINS - 1);
}

static void see_missing(const struct line *line, u64 misses, u64 latency)
{
	if (!par->slots || par->slots->misses == misses)
		return;
	took_missing[bin_of(latency)] += line->pieces;
	nr_missing += line->pieces;
	longest_missing = max(longest_missing, latency);
}

static void send(const struct line *line)
{
	u64 latency[RIVALS], misses = par->slots ? par->slots->misses : 0;
	unsigned int i;

	let_pass(line->at);
	for (i = 0; i < rivals; i++) {
		if (!rival[i])
			continue;
		latency[i] = array_request(rival[i], line->at, line->op == 'w', line->sector, line->sectors,
					   line->pieces) - line->at;
		took[i][bin_of(latency[i])] += line->pieces;
	}
	nr_requests += line->pieces;
	see_missing(line, misses, latency[PAR]);
	if (demand.used)
		demand_see(&demand, line->at, line->op == 'w', line->sector, line->sectors);
	see_ideal(line);
	if (par->gear < par->geo.gears || rivals <= TOP)
		return;
	took_top[0][bin_of(latency[PAR])] += line->pieces;
	took_top[1][bin_of(latency[TOP])] += line->pieces;
	nr_top += line->pieces;
}

static void flush(u64 now)
{
	unsigned int i;

	let_pass(now);
	for (i = 0; i < rivals; i++)
		if (rival[i])
			array_flush(rival[i], now);
	for (i = 1; i <= par->geo.gears; i++)
		array_flush(ideal[i], now);
}

static double percentile_ms(const u64 *bins, u64 all, unsigned int percent)
{
	u64 seen = 0, i;

	for (i = 0; i < BINS && (seen += bins[i]) * 100 < all * percent; i++)
		;
	return exp2((i + 1.0) / OCTAVE) / 1000;
}

static void tell_shifts(void)
{
	unsigned int i;

	for (i = 0; i < par->nr_shifts; i++) {
		const struct shift *shift = &par->shifts[i];

		printf("shift %.3f %.3f %u %u %s: %s\n", shift->asked / 1e9, shift->done / 1e9,
		       par->geo.set[shift->from].members, par->geo.set[shift->to].members,
		       par_reason_name(shift->why), shift->words);
	}
}

static void tell_rival(enum rival i)
{
	printf("joules_%s %.0f\n", names[i], array_joules(rival[i], at));
	printf("p50_%s_ms %.2f\n", names[i], percentile_ms(took[i], nr_requests, 50));
	printf("p99_%s_ms %.2f\n", names[i], percentile_ms(took[i], nr_requests, 99));
	printf("starts_%s %llu\n", names[i], starts_of(rival[i]));
}

static void tell_slots(void)
{
	const struct sim_slots *has = par->slots;
	unsigned int band;
	u64 all = 0, used = 0;

	for (band = 1; band < par->geo.gears; band++) {
		all += has->map[band].slots;
		used += has->map[band].slots - has->map[band].count[PAR_SLOT_FREE];
	}
	printf("slots %llu\nslots_used %llu\n", all, used);
	printf("misses %llu\nhits %llu\nmissing %llu\n", has->misses, has->hits, nr_missing);
	printf("p50_missing_ms %.2f\n", percentile_ms(took_missing, nr_missing, 50));
	printf("p99_missing_ms %.2f\n", percentile_ms(took_missing, nr_missing, 99));
	printf("max_missing_ms %.2f\n", longest_missing / 1e6);
}

/* The budget: a day's share in the beginning, and one for each day that is over. */
static void tell_demand(void)
{
	unsigned int sleepers = par->geo.members - par->geo.set[1].members;
	struct hindsight_sleep sleep = {
		.need = demand.need, .needs = demand.needs, .start = start_joules(1),
		.watts = sleepers * (DISK_IDLE_W - DISK_STANDBY_W),
		.hold = (DISK_SPIN_UP + DISK_SPIN_DOWN) / (double)NSEC_PER_SEC,
	};
	double still = still_joules(), allowed, starts;

	allowed = floor((days + 1) * shape.cycles / (PAR_YEARS_DEFAULT * 365.0));
	printf("joules_demand %.0f\n", still + hindsight_sleep_least(&sleep, 0, &starts));
	printf("starts_demand %.0f\n", starts);
	printf("joules_demand_rationed %.0f\n", still + hindsight_sleep_bound(&sleep, allowed));
	printf("joules_demand_still %.0f\n", still);
	printf("first_uses %lu\n", demand.first);
}

static void tell_rule(const char *name, u64 slower_than_us)
{
	struct threshold threshold = {
		.slot = slots.slot, .seconds = slots.seconds, .busy = slots.busy, .slots = slots.count,
		.start = start_joules(1), .starts_in = DISK_SPIN_UP / (double)NSEC_PER_SEC,
	};
	struct threshold_rule rule = { 0 };
	struct threshold_cost cost;
	double best = bound(slower_than_us);

	if (threshold_best(&threshold, slots.requests / 100, &rule, &cost))
		printf("%s %.2f %.0f %.0f %.1f %.0f %.0f %u\n", name, slower_than_us / 1000.0, best, cost.joules,
		       rule.pressed, rule.up, rule.down, cost.starts);
}

static int by_size(const void *one, const void *other)
{
	u32 a = *(const u32 *)one, b = *(const u32 *)other;

	return a < b ? -1 : a > b;
}

/* The low gear exceeds each of these latencies more often: there the rules have to shift. */
static void tell_rules(void)
{
	static const double parts[] = { 0.01, 0.011, 0.012, 0.014, 0.016, 0.02, 0.03, 0.05, 0.1 };
	u32 *sorted = grown(NULL, (slots.requests + 1) * sizeof(*sorted));
	unsigned int i;

	memcpy(sorted, slots.took[1], slots.requests * sizeof(*sorted));
	qsort(sorted, slots.requests, sizeof(*sorted), by_size);
	for (i = 0; i < ARRAY_SIZE(parts) && slots.requests; i++)
		tell_rule("rule", sorted[(u64)(slots.requests * (1 - parts[i]))]);
	tell_rule("rule_par", percentile_ms(took[PAR], nr_requests, 99) * 1000);
	free(sorted);
}

static void tell(void)
{
	unsigned int i;

	tell_shifts();
	printf("seconds %.3f\n", at / 1e9);
	printf("requests %llu\n", nr_requests);
	printf("requests_top %llu\n", nr_top);
	printf("shifts %u\n", par->nr_shifts);
	printf("low_seconds %.3f\n", in_low / 1e9);
	for (i = 0; i < rivals; i++)
		if (rival[i])
			tell_rival(i);
	printf("joules_best %.0f\n", bound(percentile_ms(took[PAR], nr_requests, 99) * 1000));
	printf("joules_best_low %.0f\n", bound(percentile_ms(took[LOW], nr_requests, 99) * 1000));
	if (rules)
		tell_rules();
	printf("bytes %llu\n", par->bytes);
	printf("copied_bytes %llu\n", par->copied);
	printf("most_starts_a_day %llu\n", most_starts);
	if (par->slots)
		tell_slots();
	if (demand.used)
		tell_demand();
	if (rivals <= TOP)
		return;
	printf("p99_in_top_ms %.2f\n", percentile_ms(took_top[0], nr_top, 99));
	printf("p99_in_top_top_ms %.2f\n", percentile_ms(took_top[1], nr_top, 99));
}

static struct array *new_array(unsigned int share)
{
	struct array *array = calloc(1, sizeof(*array));
	struct array_shape as = shape;

	if (!array)
		abort();
	as.share = share;
	array_init_shape(array, &as);
	return array;
}

/* As mdadm makes it: a 1024th of a disk, in whole MiB, at most 8 GiB; none below 64 GiB. */
static u64 log_sectors(void)
{
	u64 mib = shape.sectors / 2048;

	return has_log && mib >= 65536 ? min(mib / 1024, 8192ULL) * 2048 : 0;
}

static struct array *fixed(unsigned int gear)
{
	struct array *array = new_array(PAR_SHARE_ALL);

	array_fix(array, gear);
	return array;
}

static struct array *raid5(unsigned int members, u64 rest_after)
{
	struct array *array = calloc(1, sizeof(*array));

	if (!array)
		abort();
	array_init_raid5(array, rival[LOW], members, rest_after);
	return array;
}

static void set_knobs(struct array *array, const struct par_knobs *knobs)
{
	const char *wrong = par_knobs_error(knobs, &array->geo);

	if (wrong)
		refuse(wrong);
	par_policy_set(&array->policy, knobs);
}

static void make_arrays(char **settings, int count)
{
	struct par_knobs knobs;
	unsigned int i;

	shape.log_sectors = log_sectors();
	par = rival[PAR] = new_array(shape.share);
	knobs = par->policy.knobs;
	knobs.automatic = true;
	while (count--)
		set_knob(&knobs, settings[count]);
	set_knobs(par, &knobs);
	if (par->slots && par->geo.gears == 2)
		demand_init(&demand, &par->geo, max(shape.around, 1U), shape.written);
	interval_ns = knobs.interval * (NSEC_PER_SEC / MSEC_PER_SEC);
	for (i = 1; i <= par->geo.gears; i++)
		ideal[i] = fixed(i);
	rival[LOW] = fixed(1);
	if (rivals <= TOP)
		return;
	rival[TOP] = fixed(par->geo.gears);
	rival[FEW] = raid5(par->geo.set[1].members, 0);
	rival[FEW_REST] = raid5(par->geo.set[1].members, REST);
	rival[RAID5] = raid5(par->geo.members, 0);
	rival[RAID5_REST] = raid5(par->geo.members, REST);
	if (!par->slots)
		return;
	rival[ALL] = new_array(PAR_SHARE_ALL);
	set_knobs(rival[ALL], &knobs);
}

/* ---- requests are read ---- */

static struct line lines[LINES];
static unsigned int first_line, nr_lines;
static u64 last_at;

static struct line *nth_line(unsigned int n)
{
	return &lines[(first_line + n) % LINES];
}

/* Read another line; false if there is none, or no room. */
static bool read_line(void)
{
	struct line *line = nth_line(nr_lines);
	static char text[256];
	u64 bytes;

	if (nr_lines == LINES || !fgets(text, sizeof(text), stdin))
		return false;
	if (sscanf(text, "%llu %c %llu %llu", &line->at, &line->op, &line->sector, &bytes) != 4 || line->at < last_at)
		refuse("requests are lines NS OP SECTOR BYTES, in order of time");
	last_at = line->at;
	line->sectors = bytes / 512;
	if (par->slots)
		line->sector %= rival[LOW]->geo.array_sectors - line->sectors;
	line->pieces = 1;
	nr_lines++;
	return true;
}

/* Gather the requests that follow the first one, up to the next flush. */
static void gather(void)
{
	struct line *first = nth_line(0), *line;
	u64 until = first->at + GATHER;
	unsigned int n;

	for (n = 1; n < nr_lines || read_line(); n++) {
		line = nth_line(n);
		if (line->at > until || line->op == 'f')
			return;
		if (line->op != 'w' || !line->sectors || line->sector != first->sector + first->sectors ||
		    first->sectors + line->sectors > GATHER_MOST)
			continue;
		first->sectors += line->sectors;
		first->pieces++;
		line->sectors = 0;
		until = line->at + GATHER;
	}
}

static void replay(void)
{
	while (nr_lines || read_line()) {
		struct line *line = nth_line(0);

		if (line->op == 'f')
			flush(line->at);
		if (line->op == 'w' && line->sectors)
			gather();
		if ((line->op == 'r' || line->op == 'w') && line->sectors)
			send(line);
		first_line = (first_line + 1) % LINES;
		nr_lines--;
	}
	let_pass(last_at + interval_ns);
}

static const char usage[] =
	"usage: policy-replay [-s NAME=VALUE]... [-c CYCLES] [-d DAYS] [-q] [-r] [-l] "
	"[-i PERCENT] [-A RUNS] [-u] [-w PERCENT] [-D] [-n SLOTS] [-S MIB] GEAR,GEAR... <REQUESTS";

static const struct option options[] = {
	{ "log", no_argument, NULL, 'l' },
	{ "image-share", required_argument, NULL, 'i' },
	{ "around", required_argument, NULL, 'A' },
	{ "all-uses", no_argument, NULL, 'u' },
	{ "written", required_argument, NULL, 'w' },
	{ "daily", no_argument, NULL, 'D' },
	{ }
};

static char *settings[32];
static int nr_settings;

static void set_option(int option)
{
	if (option == 's' && nr_settings < (int)ARRAY_SIZE(settings))
		settings[nr_settings++] = optarg;
	else if (option == 'c')
		shape.cycles = strtoul(optarg, NULL, 10);
	else if (option == 'd')
		shape.carry = strtoul(optarg, NULL, 10);
	else if (option == 'q')
		rivals = TOP;
	else if (option == 'r')
		rules = true;
	else if (option == 'l')
		has_log = true;
	else if (option == 'i')
		shape.share = strtoul(optarg, NULL, 10);
	else if (option == 'n')
		shape.most_slots = strtoull(optarg, NULL, 10);
	else if (option == 'A')
		shape.around = strtoul(optarg, NULL, 10);
	else if (option == 'u')
		shape.all_uses = true;
	else if (option == 'w')
		shape.written = strtoul(optarg, NULL, 10);
	else if (option == 'D')
		daily = true;
	else if (option == 'S')
		shape.sectors = strtoull(optarg, NULL, 10) * 2048;
	else
		refuse(usage);
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "s:c:d:qrli:A:uw:Dn:S:", options, NULL)) != -1)
		set_option(option);
	if (optind + 1 != argc)
		refuse(usage);
	shape.layout = layout_of(argv[optind]);
	make_arrays(settings, nr_settings);
	if (rules && par->geo.gears != 2)
		refuse("-r: of two gears");
	replay();
	tell();
	return 0;
}
