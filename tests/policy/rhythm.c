// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of days that resemble each other, for tests/replay/replay.c and policy-replay.
 *
 *	rhythm [OPTION...] SPAN_BYTES NIGHT NOON
 *
 * -d DAYS	7
 * -s SEED	1
 * -w PERCENT	writes among them, 5
 * -p PLACES	that requests go to, each of 1 MiB; 4096. Only one of sixteen is written
 * -b MINUTES	between bursts, on average; none
 * -f FILE	the requests that write all places first, without the others
 * -o NAME	a file for each day, NAME.0 and so on, times from its own start; else all of them
 *	to standard output
 *
 * NIGHT requests a second at four in the morning, NOON at four in the afternoon, and
 * between them as the cosine goes; on the last two days of seven a third of what is above
 * NIGHT. That is the mean: each minute is busier or less by a factor that is itself a
 * walk (autoregressive, log-normal, sigma 0.25 over all), and requests in a minute come by
 * chance. A burst takes one to five minutes, and is half as much as noon besides.
 * The n-th place is used by 1/sqrt(n), and they are anywhere in the span; requests are of 4 to 64 KiB.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "chance.h"

#define SECOND	1e9
#define MINUTE	(60 * SECOND)
#define DAY	1440		/* minutes */
#define PLACE	(1 << 20)
#define PAGE	4096
#define SECTOR	512
#define CHANGED	16
#define MEMORY	0.95		/* of a minute's factor in the next one's */
#define SIGMA	0.25

static uint64_t span, places = 4096;
static const char *days_name;
static double night, noon, writes = 5, bursts;	/* … of them a minute */

static void request(double at)
{
	static const unsigned int pages[] = { 1, 1, 2, 4, 16 };
	unsigned int size = pages[below(5)];
	bool write = chance() * 100 < writes;
	uint64_t offset = a_place(write ? places / CHANGED : places) + below(PLACE / PAGE - size + 1) * PAGE;

	printf("%.0f %c %" PRIu64 " %u\n", at, write ? 'w' : 'r', offset / SECTOR, size * PAGE);
}

static double rate_at(uint64_t minute)
{
	uint64_t day = minute / DAY;
	double above = (1 - cos(2 * M_PI * ((double)(minute % DAY) / DAY - 4 / 24.0))) / 2;

	return night + above * (noon - night) / (day % 7 >= 5 ? 3 : 1);
}

static void begin_day(uint64_t day)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s.%" PRIu64, days_name, day);
	if (!freopen(name, "w", stdout)) {
		perror(name);
		exit(1);
	}
}

static void live(uint64_t minutes)
{
	uint64_t minute, burst = 0;
	double noise = 0;

	for (minute = 0; minute < minutes; minute++) {
		uint64_t shown = days_name ? minute % DAY : minute;
		double at = shown * MINUTE, end = at + MINUTE, rate;

		if (days_name && !shown)
			begin_day(minute / DAY);
		noise = MEMORY * noise + sqrt(1 - MEMORY * MEMORY) * SIGMA * normal();
		if (!burst && chance() < bursts)
			burst = 1 + below(5);
		rate = rate_at(minute) * exp(noise) + (burst ? noon / 2 : 0);
		burst -= burst > 0;
		while ((at -= log(1 - chance()) * SECOND / rate) < end)
			request(at);
	}
}

static void write_places(const char *name)
{
	FILE *file = fopen(name, "w");
	uint64_t i;

	if (!file)
		exit(1);
	for (i = 0; i < places; i++)
		fprintf(file, "0 w %" PRIu64 " %u\n", place[i] / SECTOR, PLACE);
	fclose(file);
}

int main(int argc, char **argv)
{
	const char *file = NULL;
	uint64_t days = 7;
	int option;

	while ((option = getopt(argc, argv, "d:s:w:p:b:f:o:")) != -1) {
		switch (option) {
		case 'd':
			days = strtoull(optarg, NULL, 10);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 10);
			break;
		case 'w':
			writes = strtod(optarg, NULL);
			break;
		case 'p':
			places = strtoull(optarg, NULL, 10);
			break;
		case 'b':
			bursts = 1 / strtod(optarg, NULL);
			break;
		case 'f':
			file = optarg;
			break;
		case 'o':
			days_name = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind + 3 != argc)
		return 2;
	span = strtoull(argv[optind], NULL, 10);
	night = strtod(argv[optind + 1], NULL);
	noon = strtod(argv[optind + 2], NULL);
	if (span / places < PLACE || places < CHANGED)
		return 2;
	spread_places(places, span / places, span / places - PLACE + 1, PAGE);
	if (file)
		write_places(file);
	else
		live(days * DAY);
	return 0;
}
