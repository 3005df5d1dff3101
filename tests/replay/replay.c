// SPDX-License-Identifier: GPL-2.0
/*
 * Send requests to a block device at given times, and tell how long each took.
 *
 *	replay DEVICE [OPTION...]
 *
 * -l FILE	the requests: lines of "NS OP SECTOR BYTES", OP being r, w or f (flush)
 * -n COUNT	without a list: so many, by chance
 * -s SEED	which ones
 * -t SECONDS	over so long, at times by chance; 0: each as soon as an earlier one has ended
 * -d DEPTH	with -t 0: so many at a time (1)
 * -f		a flush after each write, which counts as part of it
 * -b BYTES	each of so many
 * -w PERCENT	of them writes
 * -q		one after the other on the disk instead of anywhere
 * -z		write zeros, which simulated disks keep without memory
 * -o FILE	of each request, in order: "NS OP SECTOR BYTES LATENCY_NS ERROR"
 *
 * Prints a line: "requests R errors E took_ns T sum_ns S p50 ... p999 ... max M".
 *
 * A request is sent when its time has come, whatever has become of those before it:
 * by Linux AIO and in order, so that a simulated machine has little to do. To send one
 * to a disk that sleeps takes until it turns: then another thread sends what follows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEPTH	1024			/* in flight at most */
/* If sending a request takes this long, the reason is not a full queue but a disk that sleeps. */
#define PATIENCE (SECOND / 10)
#define SECOND	1000000000ULL
#define BUFFER	(2U << 20)

struct rq {
	uint64_t at;			/* ns from the start */
	uint64_t sector;
	uint32_t bytes;
	char op;
	int error;
	bool written;			/* the flush after it has been sent */
	uint64_t latency;		/* ns */
	uint64_t sent;
};

static struct {
	const char *device, *list, *out;
	uint64_t count, seed, seconds, bytes, percent, depth;
	bool sequential, flush, zeros;
} opt = { .count = 1000, .bytes = 4096, .depth = 1 };

static struct rq *rqs;
static uint64_t nr;
static aio_context_t ring;
static sem_t room;			/* for this many more in flight */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t next;			/* to be sent, */
static uintptr_t sender;		/* by this thread, */
static uint64_t sending;		/* which has been sending one since then, or 0 */
static uint64_t start;
static int fd;
static char *buffer;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/* splitmix64 */
static uint64_t chance(void)
{
	uint64_t z = (opt.seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static int by_time(const void *a, const void *b)
{
	const struct rq *one = a, *other = b;

	return one->at < other->at ? -1 : one->at > other->at;
}

static void make_up(uint64_t sectors)
{
	uint64_t i, step = opt.bytes / 512;

	nr = opt.count;
	rqs = calloc(nr, sizeof(*rqs));
	if (!rqs)
		die("calloc");
	for (i = 0; i < nr; i++) {
		rqs[i].at = opt.seconds ? chance() % (opt.seconds * SECOND) : 0;
		rqs[i].op = chance() % 100 < opt.percent ? 'w' : 'r';
		rqs[i].sector = chance() % (sectors / step) * step;
		rqs[i].bytes = opt.bytes;
	}
	qsort(rqs, nr, sizeof(*rqs), by_time);
	for (i = 0; opt.sequential && i < nr; i++)
		rqs[i].sector = i * step % sectors;
}

static void read_list(void)
{
	FILE *file = fopen(opt.list, "r");
	uint64_t room = 0;
	struct rq rq = { 0 };

	if (!file)
		die(opt.list);
	while (fscanf(file, "%" SCNu64 " %c %" SCNu64 " %" SCNu32, &rq.at, &rq.op,
		      &rq.sector, &rq.bytes) == 4) {
		if (nr == room) {
			room = room ? 2 * room : 1024;
			rqs = realloc(rqs, room * sizeof(*rqs));
			if (!rqs)
				die("realloc");
		}
		rqs[nr++] = rq;
	}
	if (!feof(file)) {
		fprintf(stderr, "%s: line %" PRIu64 " is no request\n", opt.list, nr + 1);
		exit(1);
	}
	fclose(file);
	/* Times of real traces are not always sorted. */
	qsort(rqs, nr, sizeof(*rqs), by_time);
}

/* A write that has ended is sent once more, as its flush. */
static void submit(struct rq *rq)
{
	struct iocb block = { 0 }, *blocks = &block;

	block.aio_fildes = fd;
	block.aio_data = (uintptr_t)rq;
	block.aio_lio_opcode = IOCB_CMD_FDSYNC;
	if (rq->op != 'f' && !rq->written) {
		block.aio_buf = (uintptr_t)buffer;
		block.aio_nbytes = rq->bytes;
		block.aio_offset = rq->sector * 512;
		block.aio_lio_opcode = rq->op == 'w' ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
	}
	if (syscall(SYS_io_submit, ring, 1, &blocks) != 1)
		die("io_submit");
}

/* Wait for at least one; returns the number of requests that have ended. */
static uint64_t reap(void)
{
	struct io_event events[64];
	uint64_t at, ended = 0;
	long got, i;

	got = syscall(SYS_io_getevents, ring, 1, 64, events, NULL);
	if (got < 0 && errno != EINTR)
		die("io_getevents");
	at = now();
	for (i = 0; i < got; i++) {
		struct rq *rq = (struct rq *)(uintptr_t)events[i].data;
		long long result = events[i].res;

		rq->latency = at - rq->sent;
		if (result < 0)
			rq->error = -result;
		else if (rq->op != 'f' && !rq->written && (uint32_t)result != rq->bytes)
			rq->error = EIO;
		if (opt.flush && rq->op == 'w' && !rq->written && !rq->error) {
			rq->written = true;
			submit(rq);
			continue;
		}
		ended++;
		sem_post(&room);
	}
	return ended;
}

static void sleep_until(uint64_t until)
{
	struct timespec ts = { .tv_sec = until / SECOND, .tv_nsec = until % SECOND };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* The next request, if it is this thread's turn to send. */
static struct rq *take(uintptr_t me)
{
	struct rq *rq = NULL;

	pthread_mutex_lock(&lock);
	if (sender == me) {
		sending = 0;
		if (next < nr)
			rq = &rqs[next++];
	}
	pthread_mutex_unlock(&lock);
	return rq;
}

static void *send_all(void *me)
{
	struct rq *rq;

	while ((rq = take((uintptr_t)me))) {
		/* Sent late because so many are in flight: that counts. */
		rq->sent = start + rq->at;
		sleep_until(rq->sent);
		sem_wait(&room);
		pthread_mutex_lock(&lock);
		sending = now();
		pthread_mutex_unlock(&lock);
		submit(rq);
	}
	return NULL;
}

static void start_thread(void *(*function)(void *), uintptr_t arg)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, function, (void *)arg);
	if (errno)
		die("pthread_create");
	pthread_detach(thread);
}

/* When sending one takes long, another thread sends what follows. */
static void *watch(void *unused)
{
	uint64_t until;

	pthread_mutex_lock(&lock);
	while (next < nr) {
		if (sending && now() >= sending + PATIENCE) {
			sending = 0;
			start_thread(send_all, ++sender);
		}
		until = (sending ? sending : start + rqs[next].at) + PATIENCE;
		if (until < now())
			until = now() + PATIENCE;
		pthread_mutex_unlock(&lock);
		sleep_until(until);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

static void run_by_time(void)
{
	uint64_t done = 0;

	start_thread(send_all, sender);
	start_thread(watch, 0);
	while (done < nr)
		done += reap();
}

static void run_at_once(void)
{
	uint64_t done = 0;

	while (done < nr) {
		while (next < nr && next - done < opt.depth) {
			rqs[next].sent = now();
			submit(&rqs[next++]);
		}
		done += reap();
	}
}

static int by_number(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

static void report(uint64_t end)
{
	uint64_t *sorted = calloc(nr + 1, sizeof(*sorted)), sum = 0, errors = 0, i;
	FILE *out = opt.out ? fopen(opt.out, "w") : NULL;

	if (!sorted || (opt.out && !out))
		die("report");
	for (i = 0; i < nr; i++) {
		sorted[i] = rqs[i].latency;
		sum += rqs[i].latency;
		errors += !!rqs[i].error;
		if (out)
			fprintf(out, "%" PRIu64 " %c %" PRIu64 " %" PRIu32 " %" PRIu64 " %d\n",
				rqs[i].at, rqs[i].op, rqs[i].sector, rqs[i].bytes,
				rqs[i].latency, rqs[i].error);
	}
	if (out && fclose(out))
		die(opt.out);
	qsort(sorted, nr, sizeof(*sorted), by_number);
	printf("requests %" PRIu64 " errors %" PRIu64 " took_ns %" PRIu64 " sum_ns %" PRIu64,
	       nr, errors, end - start, sum);
	if (nr)
		printf(" p50 %" PRIu64 " p95 %" PRIu64 " p99 %" PRIu64 " p999 %" PRIu64
		       " max %" PRIu64, sorted[nr / 2], sorted[nr * 95 / 100],
		       sorted[nr * 99 / 100], sorted[nr * 999 / 1000], sorted[nr - 1]);
	putchar('\n');
	free(sorted);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "l:n:s:t:b:w:d:fqzo:")) != -1) {
		switch (c) {
		case 'l': opt.list = optarg; break;
		case 'n': opt.count = strtoull(optarg, NULL, 0); break;
		case 's': opt.seed = strtoull(optarg, NULL, 0); break;
		case 't': opt.seconds = strtoull(optarg, NULL, 0); break;
		case 'b': opt.bytes = strtoull(optarg, NULL, 0); break;
		case 'w': opt.percent = strtoull(optarg, NULL, 0); break;
		case 'd': opt.depth = strtoull(optarg, NULL, 0); break;
		case 'f': opt.flush = true; break;
		case 'q': opt.sequential = true; break;
		case 'z': opt.zeros = true; break;
		case 'o': opt.out = optarg; break;
		default: exit(2);
		}
	}
	if (optind != argc - 1 || !opt.depth || opt.depth > DEPTH || !opt.bytes || opt.bytes % 512 || opt.bytes > BUFFER) {
		fprintf(stderr, "usage: replay DEVICE [OPTION...]: see the head of replay.c\n");
		exit(2);
	}
	opt.device = argv[optind];
}

int main(int argc, char **argv)
{
	uint64_t size, i;

	parse(argc, argv);
	fd = open(opt.device, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &size))
		die(opt.device);
	if (opt.list)
		read_list();
	else
		make_up(size / 512);
	buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED || syscall(SYS_io_setup, DEPTH, &ring) ||
	    sem_init(&room, 0, DEPTH))
		die("set-up");
	memset(buffer, opt.zeros ? 0 : 0x5a, BUFFER);
	for (i = 0; i < nr; i++) {
		if (rqs[i].bytes > BUFFER) {
			fprintf(stderr, "replay: a request of %" PRIu32 " bytes\n",
				rqs[i].bytes);
			return 1;
		}
	}
	/* By default each request that is waited for would be 50 us late. */
	prctl(PR_SET_TIMERSLACK, 1);
	start = now();
	if (opt.list || opt.seconds)
		run_by_time();
	else
		run_at_once();
	report(now());
	return 0;
}
