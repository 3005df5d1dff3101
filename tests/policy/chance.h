/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers with a seed, and places of which the n-th is used by 1/sqrt(n), for the generators of requests. */
#ifndef CHANCE_H
#define CHANCE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t seed = 1;
static uint64_t *place;
static double *limit;

/* splitmix64 */
static double chance(void)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return ((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Box and Muller (1958) */
static double normal(void)
{
	double radius = sqrt(-2 * log(1 - chance()));

	return radius * cos(2 * M_PI * chance());
}

static uint64_t below(uint64_t n)
{
	return chance() * n;
}

/* @number places anywhere in a span, each alone in its @room, up to @slack behind its beginning, at multiples of @align. */
static void spread_places(uint64_t number, uint64_t room, uint64_t slack, uint64_t align)
{
	uint64_t i;
	double sum = 0;

	place = calloc(number, sizeof(*place));
	limit = calloc(number, sizeof(*limit));
	if (!place || !limit)
		exit(2);
	/* The most used places are anywhere. */
	for (i = 0; i < number; i++) {
		uint64_t j = below(i + 1);

		place[i] = place[j];
		place[j] = i;
	}
	for (i = 0; i < number; i++) {
		place[i] = (place[i] * room + below(slack)) / align * align;
		limit[i] = sum += 1 / sqrt(i + 1);
	}
}

/* One of the first @number places. */
static uint64_t a_place(uint64_t number)
{
	double at = chance() * limit[number - 1];
	uint64_t low = 0, high = number - 1;

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (limit[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return place[low];
}

#endif
