// SPDX-License-Identifier: GPL-2.0
/*
 * mdadm and the module agree about the possible layouts and the size of an array: the results of
 * both are compared, for all gear masks of up to 12 members and a sample of larger ones, with
 * members of many sizes, without a log and with logs of many sizes, with images of all and of shares.
 * So do the slots of the lowest gear, which are more if the members that never sleep are larger. And a
 * new array has a log of the size that is documented.
 */
#include <stdio.h>
#include <stdlib.h>

#include "pure/slot-place.h"

/* mdadm's par-layout.c */
unsigned long long par_array_sectors(int layout, int chunk_size,
				     unsigned long long component_size);
unsigned long long par_logged_sectors(int layout, int chunk_size,
				      unsigned long long component_size,
				      unsigned long long log_sectors);
unsigned long long par_shared_sectors(int layout, int chunk_size,
				      unsigned long long component_size,
				      unsigned long long steady_size,
				      unsigned long long log_sectors, unsigned int share);
unsigned int par_lowest_share(int layout, int chunk_size, unsigned long long component_size,
			      unsigned long long steady_size, unsigned long long log_sectors,
			      unsigned int share);

unsigned long long par_default_log(unsigned long long component_size);
unsigned int par_default_share(unsigned long long component_size);

static unsigned long compared, arrays;

/* xorshift, with a fixed seed */
static u64 next_random(void)
{
	static u64 x = 0x9e3779b97f4a7c15ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static u64 module_says(u32 layout, u32 chunk, u64 size, u64 log)
{
	static struct par_geometry geo;
	unsigned int members = fls(layout & PAR_LAYOUT_MEMBERS);

	if (log ? par_geometry_with_log(&geo, layout, members, chunk, size, log) :
		  par_geometry_init(&geo, layout, members, chunk, size))
		return 0;
	return geo.array_sectors;
}

static void compare_logged(u32 layout, u32 chunk, u64 size, u64 log)
{
	u64 module = module_says(layout, chunk, size, log);
	u64 mdadm = log ? par_logged_sectors((int)layout, (int)chunk << 9, size, log) :
			  par_array_sectors((int)layout, (int)chunk << 9, size);

	compared++;
	arrays += module != 0;
	if (module == mdadm)
		return;
	printf("layout 0x%x, chunk %u KiB, members of %llu sectors, logs of %llu: the module says %llu sectors, mdadm %llu\n",
	       layout, chunk / 2, (unsigned long long)size, (unsigned long long)log,
	       (unsigned long long)module, (unsigned long long)mdadm);
	exit(1);
}

static void compare(u32 layout, u32 chunk, u64 size)
{
	compare_logged(layout, chunk, size, 0);
	compare_logged(layout, chunk, size, 1 + (size >> next_random() % 16));
}

static unsigned long grown;	/* arrays whose larger members have more slots than the share asks for */

/* For how many percent of its runs the lowest gear has slots. */
static void compare_lowest(const struct par_slot_ask *ask, const struct par_geometry *geo)
{
	const struct par_band *band = &geo->band[1];
	unsigned int module = par_has_slots(geo) ? (unsigned int)(band->slots * 100 / band->runs) :
						   PAR_SHARE_ALL;
	unsigned int mdadm = par_lowest_share((int)ask->layout, (int)ask->chunk << 9, ask->sleeper,
					      ask->steady, ask->log, ask->share);

	grown += par_has_slots(geo) && band->slots > (band->runs * ask->share + 99) / 100;
	if (module == mdadm)
		return;
	printf("layout 0x%x, chunk %u KiB, members of %llu and %llu sectors, logs of %llu, images of %u %%: "
	       "the module has slots for %u %% in the lowest gear, mdadm for %u %%\n",
	       ask->layout, ask->chunk / 2, (unsigned long long)ask->steady,
	       (unsigned long long)ask->sleeper, (unsigned long long)ask->log, ask->share, module, mdadm);
	exit(1);
}

static void compare_shared(const struct par_slot_ask *ask)
{
	static struct par_geometry geo;
	enum par_geo_error why;
	u64 module = par_slot_place_init(&geo, ask, &why) ? 0 : geo.array_sectors;
	u64 mdadm = par_shared_sectors((int)ask->layout, (int)ask->chunk << 9, ask->sleeper, ask->steady,
				       ask->log, ask->share);

	compared++;
	arrays += module != 0;
	if (module)
		compare_lowest(ask, &geo);
	if (module == mdadm)
		return;
	printf("layout 0x%x, chunk %u KiB, members of %llu and %llu sectors, logs of %llu, images of %u %%: "
	       "the module says %llu sectors, mdadm %llu\n",
	       ask->layout, ask->chunk / 2, (unsigned long long)ask->steady,
	       (unsigned long long)ask->sleeper, (unsigned long long)ask->log, ask->share,
	       (unsigned long long)module, (unsigned long long)mdadm);
	exit(1);
}

/* An array with images of some share, on members of which those that never sleep may be larger. */
static void compare_some(u32 layout, u32 chunk, u64 size)
{
	struct par_slot_ask ask = {
		.layout = layout, .disks = fls(layout & PAR_LAYOUT_MEMBERS), .chunk = chunk,
		.steady = size, .sleeper = size, .share = 1 + next_random() % 100,
	};

	if (ask.share < PAR_SHARE_ALL && next_random() % 2)
		ask.steady += next_random() % (size + 1);
	if (next_random() % 2)
		ask.log = 1 + (size >> next_random() % 16);
	compare_shared(&ask);
}

/* Sizes from nothing to 64 TiB, some a chunk or a sector off. */
static void compare_sizes(u32 layout)
{
	static const u64 sizes[] = {
		0, 127, 128, 4096, 8191, 20480, 131072, 524288, 1953525168,
		15628053168, 31250000000, 1ULL << 37,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u32 chunk = 32U << (next_random() % 12);

		compare(layout, chunk, sizes[i]);
		compare(layout, chunk, sizes[i] + next_random() % 4096);
		compare(layout, chunk, next_random() >> (27 + next_random() % 24));
		compare_some(layout, chunk, sizes[i]);
		compare_some(layout, chunk, next_random() >> (27 + next_random() % 24));
	}
}

/* The log that a member of so many sectors has if none is asked for. */
static void check_default(u64 size, u64 log)
{
	u64 mdadm = par_default_log(size);

	if (mdadm == log)
		return;
	printf("a log of %llu sectors on a member of %llu, not of %llu\n",
	       (unsigned long long)mdadm, (unsigned long long)size, (unsigned long long)log);
	exit(1);
}

/* The share of images that an array of such members has if none is asked for. */
static void check_share(u64 size, unsigned int share)
{
	unsigned int mdadm = par_default_share(size);

	if (mdadm == share)
		return;
	printf("images of %u %% on members of %llu sectors, not of %u\n", mdadm,
	       (unsigned long long)size, share);
	exit(1);
}

static void check_defaults(void)
{
	const u64 gib = 1ULL << 21, mib = 1ULL << 11;
	u64 size;

	check_default(0, 0);
	check_default(64 * gib - 1, 0);
	check_default(64 * gib, 64 * mib);
	check_default(65 * gib - 1, 64 * mib);
	check_default(1000 * gib, 1000 * mib);
	check_default(8191 * gib, 8191 * mib);
	check_default(8192 * gib, 8 * gib);
	check_default(1ULL << 40, 8 * gib);
	for (size = 64 * gib; size < 100 * 1024 * gib; size += 12345 * mib)
		if (par_default_log(size) > size / 1024)
			check_default(size, size / 1024);
	check_share(0, 100);
	check_share(64 * gib - 1, 100);
	check_share(64 * gib, 10);
	check_share(1ULL << 40, 10);
}

int main(void)
{
	u32 child, mask;
	int i;

	check_defaults();
	for (child = 0; child < 16; child++) {
		for (mask = 0; mask < 1U << 12; mask++)
			compare_sizes(child << 28 | mask);
		compare_sizes(child << 28 | 0xfffe);
		for (i = 0; i < 4096; i++)
			compare_sizes(child << 28 | (next_random() & 0xfffffff &
						     next_random()));
	}
	printf("%lu comparisons, %lu of them of arrays that can be, %lu with larger members that have more slots\n",
	       compared, arrays, grown);
	return !grown;
}
