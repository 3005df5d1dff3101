// SPDX-License-Identifier: GPL-2.0
/*
 * Days of requests of many kinds, for tests/replay/replay.c and policy-replay.
 *
 *	loads [OPTION...] KIND [SPAN_BYTES]	or: loads -l, all kinds and what they are
 *
 * -d DAYS	1
 * -s SEED	1
 * -n FILES	that requests go to, anywhere in the span; 4096
 * -m MIB	each of so many; 1024
 * -f		the requests that write all files first, without the others
 *
 * Lines "NS OP SECTOR BYTES", in order of time; OP is r, w, or f for a flush. A kind is some
 * sources side by side (see the tables). A source has sessions; in a session it sends
 * requests, either to one place after the other or anywhere: the n-th file is used by
 * 1/sqrt(n). All numbers are ours, after how such systems are described; none is
 * taken from a trace.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"

#define HOUR	3600.0
#define DAY	(24 * HOUR)
#define KIB	1024U
#define MIB	(1024 * KIB)
#define SECTOR	512U
#define PAGE	4096U
#define SOURCES	6

enum spread {
	REGULAR,	/* always the same length */
	CHANCE,		/* exponential */
	HEAVY,		/* Pareto, alpha 1.5: a few are very long */
	LOOSE,		/* log-normal, sigma 1 */
};

/* Of means. */
struct length {
	double mean;
	enum spread spread;
};

/**
 * struct source - sessions and what is in them; times in seconds
 * @from, @to: hours of the day in which sessions begin; none: always
 * @pause: after a session, until the next one begins; @lasts: a session. With REGULAR
 *	pauses they begin @pause apart
 * @rate: requests a second in a session, by chance; @even: one like the other
 * @bytes: of a request; @mixed: 1, 1, 2, 4 or 16 pages
 * @writes: percent of the requests, or of the sessions if @sequential
 * @flush: after so many writes, 0: never
 * @sequential: one place after the other, from anywhere in a file on
 * @workdays: not on the last two days of seven
 */
struct source {
	double from, to;
	struct length pause, lasts;
	double rate, even;
	unsigned int bytes, mixed, writes, flush;
	bool sequential, workdays;
};

struct kind {
	const char *name, *what;
	struct source source[SOURCES];
};

static const struct kind kinds[] = {
	{ "nas", "a household's: somebody now and then, evenings, a nightly job", {
		{ .from = 7, .to = 23, .pause = { 420, CHANCE }, .lasts = { 20, LOOSE }, .rate = 20, .mixed = 1, .writes = 20 },
		{ .from = 18, .to = 23, .pause = { 900, CHANCE }, .lasts = { 300, HEAVY }, .rate = 60, .mixed = 1, .writes = 30 },
		{ .from = 3, .to = 3.01, .pause = { DAY, REGULAR }, .lasts = { 1800, LOOSE }, .rate = 150, .bytes = 64 * KIB, .sequential = true },
		{ .pause = { 600, REGULAR }, .lasts = { 1, REGULAR }, .rate = 4, .bytes = PAGE, .writes = 100, .flush = 2 },
	} },
	{ "mail", "a mail server: small, half of it written, flushed", {
		{ .from = 8, .to = 18, .workdays = true, .lasts = { 60, LOOSE }, .pause = { 60, CHANCE }, .rate = 40, .mixed = 1, .writes = 50, .flush = 2 },
		{ .lasts = { 10, CHANCE }, .pause = { 20, CHANCE }, .rate = 12, .mixed = 1, .writes = 60, .flush = 2 },
		{ .from = 1, .to = 1.01, .pause = { DAY, REGULAR }, .lasts = { 1200, LOOSE }, .rate = 200, .mixed = 1 },
	} },
	{ "archive", "hardly ever read, filled at night", {
		{ .from = 8, .to = 20, .pause = { 2400, CHANCE }, .lasts = { 40, HEAVY }, .rate = 40, .bytes = MIB, .sequential = true },
		{ .from = 22, .to = 22.01, .pause = { DAY, REGULAR }, .lasts = { 2400, LOOSE }, .rate = 60, .bytes = MIB, .writes = 100, .sequential = true },
	} },
	{ "cctv", "eight cameras, written back every 5 s, looked at now and then", {
		{ .pause = { 5, REGULAR }, .lasts = { 0.1, REGULAR }, .rate = 400, .even = 1, .bytes = 512 * KIB, .writes = 100, .sequential = true },
		{ .pause = { 30, REGULAR }, .lasts = { 0.2, REGULAR }, .rate = 50, .even = 1, .bytes = PAGE, .writes = 100, .flush = 10 },
		{ .from = 8, .to = 22, .pause = { 5400, CHANCE }, .lasts = { 240, LOOSE }, .rate = 8, .bytes = 512 * KIB, .sequential = true },
	} },
	{ "seedbox", "pieces of files for whoever asks, all day", {
		{ .pause = { 120, CHANCE }, .lasts = { 1200, LOOSE }, .rate = 18, .bytes = 16 * KIB },
		{ .pause = { 300, CHANCE }, .lasts = { 600, HEAVY }, .rate = 25, .bytes = 64 * KIB },
		{ .pause = { 7200, CHANCE }, .lasts = { 900, LOOSE }, .rate = 10, .bytes = 256 * KIB, .writes = 100 },
	} },
	{ "bursts", "a thousand reads within half a second, every 5 minutes", {
		{ .pause = { 300, REGULAR }, .lasts = { 0.5, REGULAR }, .rate = 2000, .even = 1, .bytes = PAGE },
	} },
	{ "waves", "30 s of load, every 7 minutes", {
		{ .pause = { 420, REGULAR }, .lasts = { 30, REGULAR }, .rate = 200, .mixed = 1, .writes = 5 },
		{ .pause = { 10, CHANCE }, .lasts = { 1, REGULAR }, .rate = 4, .mixed = 1, .writes = 5 },
	} },
	{ "backup", "quiet, but for a backup that is read at night and what is checked after it", {
		{ .pause = { 200, CHANCE }, .lasts = { 5, CHANCE }, .rate = 10, .mixed = 1, .writes = 30, .flush = 8 },
		{ .from = 1, .to = 1.01, .pause = { DAY, REGULAR }, .lasts = { 5400, LOOSE }, .rate = 260, .bytes = 256 * KIB, .sequential = true },
		{ .from = 1, .to = 1.01, .pause = { DAY, REGULAR }, .lasts = { 5400, LOOSE }, .rate = 80, .mixed = 1 },
	} },
	{ "build", "builds in office hours, minutes each", {
		{ .from = 9, .to = 18, .workdays = true, .pause = { 400, CHANCE }, .lasts = { 240, LOOSE }, .rate = 220, .mixed = 1, .writes = 15 },
		{ .from = 9, .to = 18, .workdays = true, .pause = { 60, CHANCE }, .lasts = { 4, CHANCE }, .rate = 40, .mixed = 1, .writes = 20, .flush = 8 },
		{ .from = 23, .to = 23.01, .pause = { DAY, REGULAR }, .lasts = { 3600, LOOSE }, .rate = 240, .mixed = 1, .writes = 15 },
	} },
	{ "media", "films in the evening, one or more at a time", {
		{ .from = 17, .to = 24, .pause = { 1800, CHANCE }, .lasts = { 5400, LOOSE }, .rate = 4, .even = 1, .bytes = MIB, .sequential = true },
		{ .from = 19, .to = 23, .pause = { 1200, CHANCE }, .lasts = { 5400, LOOSE }, .rate = 8, .even = 1, .bytes = MIB, .sequential = true },
		{ .from = 14, .to = 22, .pause = { 3600, CHANCE }, .lasts = { 1200, LOOSE }, .rate = 2, .even = 1, .bytes = 256 * KIB, .sequential = true },
		{ .pause = { 3600, CHANCE }, .lasts = { 60, LOOSE }, .rate = 60, .mixed = 1 },
	} },
	{ "database", "transactions in office hours, all flushed, and a batch at night", {
		{ .from = 8, .to = 19, .workdays = true, .pause = { 30, CHANCE }, .lasts = { 300, LOOSE }, .rate = 60, .bytes = 8 * KIB, .writes = 25, .flush = 1 },
		{ .pause = { 60, REGULAR }, .lasts = { 1, REGULAR }, .rate = 20, .bytes = 8 * KIB, .writes = 80, .flush = 8 },
		{ .from = 2, .to = 2.01, .pause = { DAY, REGULAR }, .lasts = { 3600, LOOSE }, .rate = 180, .bytes = 8 * KIB, .writes = 10 },
	} },
	{ "scan", "all that is there is looked through, some times a day", {
		{ .pause = { 14400, LOOSE }, .lasts = { 900, LOOSE }, .rate = 280, .bytes = 128 * KIB, .sequential = true },
		{ .pause = { 21600, LOOSE }, .lasts = { 600, LOOSE }, .rate = 250, .bytes = 4 * KIB },
		{ .pause = { 300, CHANCE }, .lasts = { 3, CHANCE }, .rate = 15, .mixed = 1, .writes = 40, .flush = 4 },
	} },
	{ "onoff", "on and off, both for seconds or for hours", {
		{ .pause = { 300, HEAVY }, .lasts = { 120, HEAVY }, .rate = 240, .mixed = 1, .writes = 5 },
	} },
	/* Kept aside: these were not looked at when the policy's rules were chosen. */
	{ "hourly", "aside: a job of five minutes each hour", {
		{ .pause = { HOUR, REGULAR }, .lasts = { 300, LOOSE }, .rate = 230, .mixed = 1, .writes = 10 },
		{ .pause = { 90, CHANCE }, .lasts = { 4, CHANCE }, .rate = 10, .mixed = 1, .writes = 20, .flush = 6 },
	} },
	{ "guests", "aside: virtual machines, never quiet and rarely busy", {
		{ .pause = { 20, CHANCE }, .lasts = { 60, LOOSE }, .rate = 25, .mixed = 1, .writes = 30, .flush = 8 },
		{ .pause = { 60, CHANCE }, .lasts = { 90, HEAVY }, .rate = 50, .mixed = 1, .writes = 20, .flush = 8 },
		{ .pause = { 1200, CHANCE }, .lasts = { 300, LOOSE }, .rate = 150, .mixed = 1, .writes = 10 },
	} },
	{ "office", "aside: files of an office, and its virus scanner at noon", {
		{ .from = 8, .to = 18, .workdays = true, .pause = { 15, CHANCE }, .lasts = { 8, HEAVY }, .rate = 45, .mixed = 1, .writes = 20 },
		{ .from = 8, .to = 18, .workdays = true, .pause = { 240, CHANCE }, .lasts = { 15, LOOSE }, .rate = 60, .bytes = 256 * KIB, .writes = 40, .sequential = true },
		{ .from = 12, .to = 12.01, .pause = { DAY, REGULAR }, .lasts = { 2700, LOOSE }, .rate = 200, .mixed = 1 },
	} },
	{ "photos", "aside: cards are copied to it, and made smaller pictures of", {
		{ .from = 9, .to = 19, .pause = { 7200, CHANCE }, .lasts = { 480, LOOSE }, .rate = 90, .bytes = MIB, .writes = 100, .sequential = true },
		{ .from = 9, .to = 20, .pause = { 3600, CHANCE }, .lasts = { 600, HEAVY }, .rate = 120, .bytes = 64 * KIB },
		{ .pause = { 60, CHANCE }, .lasts = { 2, CHANCE }, .rate = 6, .mixed = 1, .writes = 10 },
	} },
	{ "poll", "aside: ten seconds of load, every minute and a half", {
		{ .pause = { 90, REGULAR }, .lasts = { 10, REGULAR }, .rate = 240, .mixed = 1 },
	} },
	{ "laptops", "aside: copies of laptops, which are brought up to date when they are at home", {
		{ .from = 7, .to = 9, .pause = { 900, CHANCE }, .lasts = { 200, LOOSE }, .rate = 120, .mixed = 1, .writes = 35, .flush = 16 },
		{ .from = 17, .to = 23, .pause = { 1500, CHANCE }, .lasts = { 400, HEAVY }, .rate = 120, .mixed = 1, .writes = 35, .flush = 16 },
		{ .pause = { 900, CHANCE }, .lasts = { 3, CHANCE }, .rate = 10, .mixed = 1 },
	} },
	{ "crawler", "aside: pages are appended all day, and an index of them is made now and then", {
		{ .pause = { 20, REGULAR }, .lasts = { 0.5, REGULAR }, .rate = 40, .even = 1, .bytes = 128 * KIB, .writes = 100, .sequential = true },
		{ .pause = { 2700, LOOSE }, .lasts = { 500, LOOSE }, .rate = 210, .mixed = 1, .writes = 8 },
		{ .pause = { 40, CHANCE }, .lasts = { 6, CHANCE }, .rate = 12, .bytes = 16 * KIB },
	} },
};

/* The state of a source: all times in seconds. */
struct life {
	const struct source *source;
	double began, ends, next;	/* of the session; the next request */
	uint64_t at, left;		/* sequential: byte, and bytes to the file's end */
	bool writes;
	unsigned int unflushed;
};

static uint64_t span = 24000000000000ULL, files = 4096, file_bytes = 1024ULL * MIB;
static double end;

static double as_long_as(const struct length *length)
{
	switch (length->spread) {
	case CHANCE:
		return -length->mean * log(1 - chance());
	case HEAVY:
		return length->mean / 3 * pow(1 - chance(), -1 / 1.5);
	case LOOSE:
		return length->mean * exp(normal() - 0.5);
	default:
		return length->mean;
	}
}

/* ---- sources ---- */

static void open_file(struct life *life)
{
	uint64_t skipped = below(file_bytes / MIB / 2) * MIB;

	life->at = a_place(files) + skipped;
	life->left = file_bytes - skipped;
}

static bool works_at(const struct source *source, double at)
{
	double hour = fmod(at, DAY) / HOUR;
	int day = at / DAY;

	if (source->workdays && day % 7 >= 5)
		return false;
	return source->from == source->to || (hour >= source->from && hour < source->to);
}

static void begin_session(struct life *life, double at)
{
	const struct source *source = life->source;

	/* A session that belongs to an hour of the day begins then; others when they are due. */
	while (at < end && !works_at(source, at)) {
		double hour = fmod(at, DAY) / HOUR;

		if (source->from == source->to || hour < source->from)
			at += source->from != source->to ? (source->from - hour) * HOUR + 0.001 : DAY - fmod(at, DAY);
		else
			at += DAY - fmod(at, DAY);
	}
	life->began = at;
	life->ends = at + as_long_as(&source->lasts);
	life->next = at;
	life->writes = chance() * 100 < source->writes;
	open_file(life);
}

static void begin_life(struct life *life, const struct source *source)
{
	*life = (struct life) { .source = source };
	begin_session(life, source->pause.spread == REGULAR ? 0 : fmin(as_long_as(&source->pause), source->pause.mean));
}

static void go_on(struct life *life)
{
	const struct source *source = life->source;
	double pause;

	life->next += source->even ? 1 / source->rate : -log(1 - chance()) / source->rate;
	if (life->next < life->ends)
		return;
	pause = as_long_as(&source->pause);
	if (source->pause.spread != REGULAR)
		begin_session(life, life->ends + pause);
	else
		begin_session(life, fmax(life->began + pause, life->ends));
}

static void print(double at, char op, uint64_t byte, unsigned int bytes)
{
	printf("%.0f %c %" PRIu64 " %u\n", at * 1e9, op, byte / SECTOR, bytes);
}

static void send(struct life *life)
{
	static const unsigned int pages[] = { 1, 1, 2, 4, 16 };
	const struct source *source = life->source;
	unsigned int bytes = source->mixed ? pages[below(5)] * PAGE : source->bytes;
	bool write = source->sequential ? life->writes : chance() * 100 < source->writes;
	uint64_t at;

	if (source->sequential) {
		if (life->left < bytes)
			open_file(life);
		at = life->at;
		life->at += bytes;
		life->left -= bytes;
	} else {
		at = a_place(files) + below((file_bytes - bytes) / PAGE + 1) * PAGE;
	}
	print(life->next, write ? 'w' : 'r', at, bytes);
	if (!write || !source->flush || ++life->unflushed < source->flush)
		return;
	life->unflushed = 0;
	print(life->next, 'f', 0, 0);
}

static void live(const struct kind *kind)
{
	struct life life[SOURCES];
	unsigned int n = 0, i;

	for (; n < SOURCES && kind->source[n].rate; n++)
		begin_life(&life[n], &kind->source[n]);
	for (;;) {
		struct life *first = &life[0];

		for (i = 1; i < n; i++)
			if (life[i].next < first->next)
				first = &life[i];
		if (first->next >= end)
			return;
		send(first);
		go_on(first);
	}
}

static void write_files(void)
{
	uint64_t i, at;

	for (i = 0; i < files; i++)
		for (at = 0; at < file_bytes; at += MIB)
			print(0, 'w', place[i] + at, MIB);
}

static int list(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		printf("%s\t%s\n", kinds[i].name, kinds[i].what);
	return 0;
}

static const struct kind *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	fprintf(stderr, "loads: no kind %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	bool only_files = false;
	uint64_t days = 1;
	int option;

	while ((option = getopt(argc, argv, "d:s:n:m:fl")) != -1) {
		switch (option) {
		case 'd':
			days = strtoull(optarg, NULL, 10);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 10);
			break;
		case 'n':
			files = strtoull(optarg, NULL, 10);
			break;
		case 'm':
			file_bytes = strtoull(optarg, NULL, 10) * MIB;
			break;
		case 'f':
			only_files = true;
			break;
		case 'l':
			return list();
		default:
			return 2;
		}
	}
	if (optind >= argc || argc > optind + 2 || !files || file_bytes < 4 * MIB)
		return 2;
	if (optind + 2 == argc)
		span = strtoull(argv[optind + 1], NULL, 10);
	end = days * DAY;
	if (span / files <= file_bytes) {
		fprintf(stderr, "loads: no room for %" PRIu64 " files\n", files);
		return 2;
	}
	spread_places(files, span / files, span / files - file_bytes, MIB);
	if (only_files)
		write_files();
	else
		live(find(argv[optind]));
	return 0;
}
