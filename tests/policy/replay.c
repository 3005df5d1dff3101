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
 * REQUESTS are lines "NS OP SECTOR BYTES", OP being r or w, in order of time: what
 * tests/replay/replay.c sends. Sectors beyond the array's end begin at its start again.
 *
 * A line for each shift, "shift ASKED_S DONE_S FROM TO REASON: WORDS", then lines
 * "NAME VALUE". The same requests go to arrays that stay in one gear, which is what the
 * lowest and the top gear cost and what the best schedule is computed from (hindsight.h).
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "array.h"
#include "hindsight.h"

#define MINUTE	(60 * NSEC_PER_SEC)
#define DAY	(86400 * NSEC_PER_SEC)
#define BIN	10000			/* ns */
#define BINS	1000000

static struct array *par, *fixed[PAR_MAX_SETS + 1];
static struct hindsight hindsight;
static u32 cycles = PAR_CYCLES_DEFAULT, carry = PAR_CARRY_DEFAULT;
static u64 interval_ns, at, minute;
static struct disk_work work_before[PAR_MAX_SETS + 1];
/* Latencies of what came while par was in its top gear: of par, and of the array always there. */
static u64 took[2][BINS], nr_top;
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

static void see_minute(void)
{
	struct disk_work work[PAR_MAX_SETS + 1], *before = work_before;
	unsigned int i;

	for (i = 1; i <= par->geo.gears; i++) {
		struct disk_work now = array_work(fixed[i], minute + MINUTE);

		work[i].busy = now.busy - before[i].busy;
		work[i].active = now.active - before[i].active;
		before[i] = now;
	}
	hindsight_see(&hindsight, MINUTE, work);
	minute += MINUTE;
}

static void see_day(void)
{
	unsigned int d;

	for (d = 0; d < par->geo.members; d++) {
		most_starts = max(most_starts, par->disk[d].starts - starts_before[d]);
		starts_before[d] = par->disk[d].starts;
	}
	hindsight_day(&hindsight);
	next_day += DAY;
}

/* All that is over until @now. */
static void let_pass(u64 now)
{
	unsigned int i;

	for (; at + interval_ns <= now; at += interval_ns) {
		if (par->gear < par->geo.gears)
			in_low += interval_ns;
		array_interval(par, at + interval_ns);
		for (i = 1; i <= par->geo.gears; i++)
			array_interval(fixed[i], at + interval_ns);
		if (at + interval_ns >= minute + MINUTE)
			see_minute();
		if (at + interval_ns >= next_day)
			see_day();
	}
}

static void send(u64 now, bool write, u64 sector, u64 sectors)
{
	unsigned int i, top = par->geo.gears;
	bool in_top;
	u64 done[2];

	let_pass(now);
	done[0] = array_request(par, now, write, sector, sectors);
	in_top = par->gear == top;
	for (i = 1; i < top; i++)
		array_request(fixed[i], now, write, sector, sectors);
	done[1] = array_request(fixed[top], now, write, sector, sectors);
	for (i = 0; in_top && i < 2; i++)
		took[i][min((done[i] - now) / BIN, (u64)BINS - 1)]++;
	nr_top += in_top;
}

static double percentile_ms(const u64 *bins, unsigned int percent)
{
	u64 seen = 0, i;

	for (i = 0; i < BINS && (seen += bins[i]) * 100 < nr_top * percent; i++)
		;
	return (i + 1) * (BIN / 1e6);
}

static void tell(void)
{
	unsigned int i, top = par->geo.gears;

	for (i = 0; i < par->nr_shifts; i++) {
		const struct shift *shift = &par->shifts[i];

		printf("shift %.3f %.3f %u %u %s: %s\n", shift->asked / 1e9, shift->done / 1e9,
		       par->geo.set[shift->from].members, par->geo.set[shift->to].members,
		       par_reason_name(shift->why), shift->words);
	}
	printf("seconds %.3f\n", at / 1e9);
	printf("requests_top %llu\n", nr_top);
	printf("shifts %u\n", par->nr_shifts);
	printf("low_seconds %.3f\n", in_low / 1e9);
	printf("joules %.0f\n", array_joules(par, at));
	printf("joules_low %.0f\n", array_joules(fixed[1], at));
	printf("joules_top %.0f\n", array_joules(fixed[top], at));
	printf("joules_best %.0f\n", hindsight_joules(&hindsight));
	printf("bytes %llu\n", par->bytes);
	printf("copied_bytes %llu\n", par->copied);
	printf("most_starts_a_day %llu\n", most_starts);
	printf("p99_ms %.2f\n", percentile_ms(took[0], 99));
	printf("p99_top_ms %.2f\n", percentile_ms(took[1], 99));
	printf("p50_ms %.2f\n", percentile_ms(took[0], 50));
	printf("p50_top_ms %.2f\n", percentile_ms(took[1], 50));
}

static struct array *new_array(u32 layout)
{
	struct array *array = calloc(1, sizeof(*array));

	if (!array)
		abort();
	array_init(array, layout, cycles, carry);
	return array;
}

static void make_arrays(u32 layout, char **settings, int count)
{
	struct par_knobs knobs;
	const char *wrong;
	unsigned int i;

	par = new_array(layout);
	knobs = par->policy.knobs;
	knobs.automatic = true;
	while (count--)
		set_knob(&knobs, settings[count]);
	wrong = par_knobs_error(&knobs, &par->geo);
	if (wrong)
		refuse(wrong);
	par_policy_set(&par->policy, &knobs);
	interval_ns = knobs.interval * (NSEC_PER_SEC / MSEC_PER_SEC);
	hindsight_init(&hindsight, &par->geo, knobs.up, carry ? HINDSIGHT_ANY : cycles / (PAR_YEARS_DEFAULT * 365));
	for (i = 1; i <= par->geo.gears; i++) {
		fixed[i] = new_array(layout);
		array_fix(fixed[i], i);
	}
}

int main(int argc, char **argv)
{
	static char line[256], *settings[32];
	u64 now, sector, bytes, last = 0;
	int option, count = 0;
	char op;

	while ((option = getopt(argc, argv, "s:c:d:")) != -1) {
		if (option == 's' && count < (int)ARRAY_SIZE(settings))
			settings[count++] = optarg;
		else if (option == 'c')
			cycles = strtoul(optarg, NULL, 10);
		else if (option == 'd')
			carry = strtoul(optarg, NULL, 10);
		else
			refuse("usage: policy-replay [-s NAME=VALUE]... [-c CYCLES] [-d DAYS] GEAR,GEAR... <REQUESTS");
	}
	if (optind + 1 != argc)
		refuse("usage: policy-replay [-s NAME=VALUE]... [-c CYCLES] [-d DAYS] GEAR,GEAR... <REQUESTS");
	make_arrays(layout_of(argv[optind]), settings, count);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%llu %c %llu %llu", &now, &op, &sector, &bytes) != 4 || now < last)
			refuse("requests are lines NS OP SECTOR BYTES, in order of time");
		last = now;
		if (bytes >= 512 && (op == 'r' || op == 'w'))
			send(now, op == 'w', sector, bytes / 512);
	}
	let_pass(last + interval_ns);
	tell();
	return 0;
}
