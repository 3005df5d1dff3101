// SPDX-License-Identifier: GPL-2.0
/*
 * Send requests to a block device, one at a time, and measure their time.
 *
 *	requests DEVICE read|write|randread|randwrite BYTES SIZE WARM_UP COUNT BATCHES
 *
 * The first SIZE bytes of the device are used, 0 being all of it. If there is a WARM_UP, requests
 * to SPREAD places are sent first. Each batch begins at the same fraction of a second, so that
 * the kernel's ticks and its work of each second are at the same place in all of them; it has
 * WARM_UP requests, and then COUNT that are measured. The order of random requests is the same in
 * each run.
 *
 * Prints "NS IDLE_NS" for each batch: the time of the COUNT requests, and for how much of it the
 * CPU was idle. The machine must have one CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SECOND	1000000000ULL
#define HUGE	(2UL << 20)
#define SPREAD	32			/* places of the first requests */
#define PHASE	100000000L		/* ns after a full second */

static struct {
	int fd;
	bool write, random;
	uint64_t bytes;			/* of a request */
	uint64_t places;		/* adjacent ones of that size */
	uint64_t next;
	char *buffer;
} load;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || end == text) {
		fprintf(stderr, "requests: not a number: %s\n", text);
		exit(2);
	}
	return value;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/* In ns; /proc/stat has 10 ms. */
static uint64_t idle(void)
{
	FILE *file = fopen("/proc/timer_list", "r");
	uint64_t ns, found = 0;
	char line[256];
	int cpus = 0;

	if (!file)
		die("/proc/timer_list");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, " .idle_sleeptime : %" SCNu64 " nsecs", &ns) == 1) {
			found = ns;
			cpus++;
		}
	}
	fclose(file);
	if (cpus != 1) {
		fprintf(stderr, "requests: idle times of %d CPUs, want one\n", cpus);
		exit(1);
	}
	return found;
}

/* splitmix64 */
static uint64_t chance(void)
{
	static uint64_t seed;
	uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* A huge page: the number of adjacent pages in memory influences the cost of a request. */
static char *take_buffer(void)
{
	char *buffer = aligned_alloc(HUGE, HUGE);

	if (!buffer || madvise(buffer, HUGE, MADV_HUGEPAGE))
		die("memory");
	memset(buffer, 0x5a, HUGE);
	if (mlockall(MCL_CURRENT))
		die("memory");
	return buffer;
}

static void request(uint64_t place)
{
	uint64_t at = place % load.places * load.bytes;
	ssize_t done = load.write ? pwrite(load.fd, load.buffer, load.bytes, at) :
				    pread(load.fd, load.buffer, load.bytes, at);

	if (done < 0)
		die(load.write ? "write" : "read");
	if ((uint64_t)done != load.bytes) {
		fprintf(stderr, "requests: %zd of %" PRIu64 " bytes at %" PRIu64 "\n",
			done, load.bytes, at);
		exit(1);
	}
}

static void requests(uint64_t count)
{
	while (count--)
		request(load.random ? chance() : load.next++);
}

/* A timer that is rounded to a second has expired by then. */
static void wait_for_phase(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec += 2;
	ts.tv_nsec = PHASE;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static void spread(void)
{
	uint64_t i;

	for (i = 0; i < SPREAD; i++)
		request(i * load.places / SPREAD);
}

static void measure(uint64_t warm_up, uint64_t count)
{
	uint64_t idled, began, took;

	wait_for_phase();
	requests(warm_up);
	idled = idle();
	began = now();
	requests(count);
	took = now() - began;
	printf("%" PRIu64 " %" PRIu64 "\n", took, idle() - idled);
}

static void parse(char **argv)
{
	const char *rw = argv[2];
	uint64_t size = number(argv[4]), all;

	load.random = !strncmp(rw, "rand", 4);
	if (load.random)
		rw += 4;
	load.write = !strcmp(rw, "write");
	if (!load.write && strcmp(rw, "read")) {
		fprintf(stderr, "requests: neither reads nor writes: %s\n", argv[2]);
		exit(2);
	}
	load.fd = open(argv[1], (load.write ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC);
	if (load.fd < 0 || ioctl(load.fd, BLKGETSIZE64, &all))
		die(argv[1]);
	load.bytes = number(argv[3]);
	if (!load.bytes || load.bytes % 512 || load.bytes > HUGE || size > all || (size ? size : all) < load.bytes) {
		fprintf(stderr, "requests: %s bytes at a time do not go into %s of %" PRIu64 "\n",
			argv[3], argv[4], all);
		exit(2);
	}
	load.places = (size ? size : all) / load.bytes;
}

int main(int argc, char **argv)
{
	uint64_t warm_up, count, batches;

	if (argc != 8) {
		fprintf(stderr, "usage: requests DEVICE RW BYTES SIZE WARM_UP COUNT BATCHES: see requests.c\n");
		return 2;
	}
	parse(argv);
	warm_up = number(argv[5]);
	count = number(argv[6]);
	batches = number(argv[7]);
	load.buffer = take_buffer();
	if (warm_up)
		spread();
	while (batches--)
		measure(warm_up, count);
	return 0;
}
