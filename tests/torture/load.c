// SPDX-License-Identifier: GPL-2.0
/*
 * The writers of a round. They work in a few windows of the array, some of which are as old
 * as the life and some new, so that rows are both rewritten and started; writers overlap,
 * but never write a sector at the same time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "torture.h"

#define MAX_WRITERS 8
#define ROW_SECTORS 128U	/* of a member: a chunk of 64 KiB, and a segment */

enum style { RANDOM, SMALL, SEQUENTIAL };

struct writer {
	pthread_t thread;
	unsigned int slot;
	struct rng rng;
	enum style style;
	unsigned int pause;	/* ms, now and then */
	u32 next;		/* SEQUENTIAL: the next sector */
	void *buffer;
	int fd;
	aio_context_t aio;
};

static struct writer writers[MAX_WRITERS];
static unsigned int writer_count;
static struct { u32 start, count; } windows[MAX_WINDOWS];
static unsigned int window_count;
static bool windows_stay;
static volatile unsigned int hot;	/* with --pressure: the window that is used now */
static unsigned int hot_until;		/* ms */
static volatile bool stop, silent, durable;
static unsigned int flushes;	/* per thousand operations */
static volatile unsigned int small;	/* per hundred writes */
static volatile bool filling;	/* the log */
volatile bool expect_errors;
volatile u32 acked_since;

/* ---- windows ---- */

static u32 run_sectors(void)
{
	return RUN_SECTORS * (array.members - array.parities);
}

/* The last run may have fewer rows. */
u32 load_runs(void)
{
	u32 rows = model.sectors / (ROW_SECTORS * (array.members - array.parities));

	return (rows + RUN_SECTORS / ROW_SECTORS - 1) / (RUN_SECTORS / ROW_SECTORS);
}

/* A window within a run. */
static void window_in_run(unsigned int i, struct rng *rng)
{
	u32 run = run_sectors(), start = below(rng, load_runs()) * run, count = between(rng, 64, 3072);

	if (start + run > model.sectors)
		start -= run;
	windows[i].count = (count < run ? count : run) & ~7U;
	windows[i].start = start + (below(rng, run - windows[i].count + 1) & ~7U);
}

static void window_place(unsigned int i, struct rng *rng)
{
	u32 unit = disk_block() / SECTOR;
	u32 count = between(rng, 64, 3072), room;

	if (opt.pressure) {
		window_in_run(i, rng);
		return;
	}
	if (count > model.sectors / 2)
		count = model.sectors / 2;
	room = model.sectors - count;
	windows[i].count = count - count % unit;
	switch (below(rng, 6)) {
	case 0:
		windows[i].start = 0;
		break;
	case 1:
		windows[i].start = room;
		break;
	default:
		windows[i].start = below(rng, room);
	}
	windows[i].start -= windows[i].start % unit;
}

void load_align(void)
{
	unsigned int i;

	for (i = 0; i < window_count; i++) {
		windows[i].start &= ~7U;
		windows[i].count &= ~7U;
	}
}

/* Half of them move with each round. */
void load_plan(struct rng *rng)
{
	unsigned int i;

	if (!window_count) {
		window_count = between(rng, opt.pressure ? 5 : 2, MAX_WINDOWS);
		for (i = 0; i < window_count; i++)
			window_place(i, rng);
	}
	for (i = 0; i < window_count && !windows_stay; i += 2)
		if (chance(rng, 60))
			window_place(i, rng);
}

/* ---- one operation ---- */

static bool io_failed(struct writer *w, const char *what, u32 start, u32 count,
		      ssize_t got)
{
	int err = errno;

	if (!expect_errors && !stop)
		fail("%s of %u sectors at %u failed without a cut: %s (writer %u)", what,
		     count, start, got < 0 ? strerror(err) : "short", w->slot);
	return false;
}

/*
 * A write with FUA. Asynchronous, since the kernel adds a flush to a synchronous one, which
 * would hide the effect of FUA alone.
 */
static ssize_t write_fua(struct writer *w, u32 start, u32 count)
{
	struct iocb cb = {
		.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = w->fd,
		.aio_buf = (u64)(uintptr_t)w->buffer, .aio_nbytes = count * SECTOR,
		.aio_offset = (u64)start * SECTOR, .aio_rw_flags = RWF_DSYNC,
	};
	struct iocb *list[] = { &cb };
	struct io_event done;

	if (!w->aio && syscall(SYS_io_setup, 1, &w->aio))
		fail("io_setup: %s", strerror(errno));
	if (syscall(SYS_io_submit, w->aio, 1, list) != 1)
		return -1;
	while (syscall(SYS_io_getevents, w->aio, 1, 1, &done, NULL) != 1)
		;
	errno = done.res < 0 ? -done.res : 0;
	return done.res;
}

static bool do_write(struct writer *w, u32 start, u32 count, enum op_kind kind)
{
	u32 id = op_submit(kind, start, count);
	ssize_t got;

	fill(w->buffer, start, count, id);
	if (kind == OP_FUA)
		got = write_fua(w, start, count);
	else
		got = pwrite(w->fd, w->buffer, count * SECTOR, (off_t)start * SECTOR);
	if (got != (ssize_t)count * SECTOR)
		return io_failed(w, "write", start, count, got);
	op_ack(id);
	__atomic_fetch_add(&acked_since, 1, __ATOMIC_RELAXED);
	return true;
}

static bool do_read(struct writer *w, u32 start, u32 count)
{
	ssize_t got = pread(w->fd, w->buffer, count * SECTOR, (off_t)start * SECTOR);

	if (got != (ssize_t)count * SECTOR)
		return io_failed(w, "read", start, count, got);
	verify_live(w->buffer, start, count, "while the array runs");
	__atomic_fetch_add(&counted.live_reads, 1, __ATOMIC_RELAXED);
	return true;
}

static bool do_flush(struct writer *w)
{
	u32 mark = flush_begin();

	if (fdatasync(w->fd))
		return io_failed(w, "flush", 0, 0, -1);
	flush_done(mark);
	return true;
}

static bool do_discard(struct writer *w, u32 start, u32 count)
{
	u64 range[2] = { (u64)start * SECTOR, (u64)count * SECTOR };
	u32 id = op_submit(OP_DISCARD, start, count);

	if (ioctl(w->fd, BLKDISCARD, range))
		return io_failed(w, "discard", start, count, -1);
	op_ack(id);
	__atomic_fetch_add(&counted.discards, 1, __ATOMIC_RELAXED);
	return true;
}

/* ---- what to do next ---- */

static u32 pick_count(struct writer *w)
{
	unsigned int size = below(&w->rng, 100);

	if (filling)
		return between(&w->rng, 8, 64);
	if (small && chance(&w->rng, small))
		return between(&w->rng, 1, 32);
	if (durable)	/* a member should miss some of these */
		return between(&w->rng, 64, 512);
	if (w->style == SMALL || size < 40)
		return between(&w->rng, 1, 8);
	if (size < 80)
		return between(&w->rng, 1, 128);
	if (size < 96)
		return between(&w->rng, 64, 512);
	return between(&w->rng, 256, MAX_IO);
}

/* With --pressure all writers use one run for a while, and then another one. */
static unsigned int pick_window(struct writer *w)
{
	if (!opt.pressure)
		return below(&w->rng, window_count);
	if (!w->slot && now_ms() >= hot_until) {
		hot = below(&w->rng, window_count);
		hot_until = now_ms() + between(&w->rng, 20, 400);
	}
	return hot;
}

static void pick_range(struct writer *w, u32 *start, u32 *count)
{
	u32 unit = disk_block() / SECTOR;
	unsigned int i = pick_window(w);

	*count = pick_count(w);
	/* Also the sizes that suit raid5. */
	if (unit > 1 || chance(&w->rng, 30))
		*count = (*count + 7) & ~7U;
	if (*count > windows[i].count)
		*count = windows[i].count;
	*start = windows[i].start + below(&w->rng, windows[i].count - *count + 1);
	if (w->style == SEQUENTIAL) {
		i = opt.pressure ? i : w->slot % window_count;
		*count = *count < windows[i].count ? *count : windows[i].count;
		if (w->next + *count > windows[i].count)
			w->next = 0;
		*start = windows[i].start + w->next;
		w->next += *count;
	}
	if (unit > 1 || chance(&w->rng, 30))
		*start &= ~7U;
	if (*start < windows[i].start && w->style == SEQUENTIAL)
		*start = windows[i].start;
	*start -= *start % unit;
}

/* Discards are of whole stripes, or they have no effect. */
static void widen_discard(struct writer *w, u32 *start, u32 *count)
{
	u32 stripe = 128 * (array.members - array.parities);

	if (chance(&w->rng, 30))
		return;
	*start -= *start % stripe;
	*count = stripe * between(&w->rng, 1, 4);
	if (*start + *count > model.sectors)
		*count = model.sectors - *start;
}

static bool chance_of(struct rng *rng, unsigned int permille)
{
	return below(rng, 1000) < permille;
}

static bool one_operation(struct writer *w)
{
	unsigned int what = below(&w->rng, 1000);
	u32 start, count;
	bool ok, write = true;

	if (!filling && chance_of(&w->rng, flushes))
		return do_flush(w);
	pick_range(w, &start, &count);
	if (what < 10)
		widen_discard(w, &start, &count);
	else if (what < 130)
		write = false;
	if (!range_take(w->slot, start, count, write)) {
		usleep(50);	/* in simulated time others go on only then */
		return true;
	}
	if (what < 10)
		ok = do_discard(w, start, count);
	else if (what < 130)
		ok = do_read(w, start, count);
	else
		ok = do_write(w, start, count, durable || (what < 190 && !filling) ? OP_FUA : OP_WRITE);
	/* The content after a failed write is unknown: it must not be read. */
	if (ok)
		range_drop(w->slot);
	return ok;
}

static void *writer_thread(void *arg)
{
	struct writer *w = arg;

	while (!stop) {
		if (silent) {
			nap_ms(5);
			continue;
		}
		if (!one_operation(w))
			break;
		if (w->pause && chance(&w->rng, 20))
			nap_ms(below(&w->rng, w->pause));
	}
	return NULL;
}

/* ---- the round's load ---- */

static void writer_init(struct writer *w, unsigned int slot, struct rng rng, int fd)
{
	range_drop(slot);
	w->slot = slot;
	w->rng = rng;
	w->style = below(&w->rng, 3);
	w->pause = chance(&w->rng, 25) ? 60 : 0;
	w->next = 0;
	w->fd = fd;
	if (!w->buffer)
		w->buffer = mmap(NULL, MAX_IO * SECTOR, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w->buffer == MAP_FAILED)
		fail("no memory for a writer");
}

void load_start(u64 seed, unsigned int life, unsigned int round)
{
	struct rng rng = rng_for(seed, life, round, 3);
	int fd = array_open(O_RDWR | O_DIRECT);
	static const unsigned int rates[] = { 0, 4, 20, 70, 200 };
	unsigned int i;

	stop = silent = durable = filling = false;
	small = hot = 0;
	flushes = rates[below(&rng, 5)];
	load_plan(&rng);
	writer_count = between(&rng, 2, MAX_WRITERS);
	for (i = 0; i < writer_count; i++) {
		writer_init(&writers[i], i, rng_for(seed, life, round, 100 + i), fd);
		if (pthread_create(&writers[i].thread, NULL, writer_thread, &writers[i]))
			fail("no thread for a writer");
	}
	event("%u writers in %u windows, %u flushes of 1000", writer_count, window_count,
	      flushes);
}

/* No more writes from now on, and no flush after the last ones. */
void load_silence(void)
{
	silent = true;
}

void load_be_durable(void)
{
	durable = true;
}

void load_be_small(unsigned int percent)
{
	small = percent;
}

void load_fill_log(void)
{
	filling = true;
}

/*
 * The kernel of the test machine logs a complaint if a process ends with an asynchronous
 * context.
 */
void load_forget(void)
{
	unsigned int i;

	for (i = 0; i < MAX_WRITERS; i++) {
		if (writers[i].aio)
			syscall(SYS_io_destroy, writers[i].aio);
		writers[i].aio = 0;
	}
}

void load_stop(void)
{
	unsigned int i;

	stop = true;
	for (i = 0; i < writer_count; i++)
		pthread_join(writers[i].thread, NULL);
	load_forget();
	close(writers[0].fd);
}

/* Called when the writers have stopped: all that they have written becomes durable. */
void load_flush(void)
{
	int fd = array_open(O_RDWR | O_DIRECT);
	u32 mark = flush_begin();

	if (fdatasync(fd))
		fail("flush: %s", strerror(errno));
	flush_done(mark);
	close(fd);
}

static void fill_range(struct writer *w, u32 start, u32 count)
{
	u32 at, part;

	for (at = 0; at < count; at += part) {
		part = count - at < MAX_IO ? count - at : MAX_IO;
		do_write(w, start + at, part, OP_WRITE);
	}
}

/* Write a little in every zone of the home set. */
static void fill_zones(struct writer *w)
{
	u32 zone = ZONE_SECTORS * (array.members - array.parities), start, count;

	for (start = 0; start + zone <= model.sectors; start += zone) {
		count = between(&w->rng, 8, 64) * 8;
		fill_range(w, start + below(&w->rng, (zone - count) / 8) * 8, count);
	}
}

/* Row @row of a run, modulo their number: where it begins in the array. */
static u32 row_start(u32 run, u32 row)
{
	u32 size = run_sectors() / (RUN_SECTORS / ROW_SECTORS), first = run * run_sectors();
	u32 rows = (model.sectors - first) / size;

	rows = rows < RUN_SECTORS / ROW_SECTORS ? rows : RUN_SECTORS / ROW_SECTORS;
	return first + row % rows * size;
}

static u32 row_size(void)
{
	return ROW_SECTORS * (array.members - array.parities);
}

/* The row of a run that is written as a whole. */
static u32 whole_row(u32 run)
{
	return row_start(run, run * 5);
}

static bool use_part(struct writer *w, u32 run, bool write)
{
	u32 count = 8 * between(&w->rng, 1, row_size() / 8);
	u32 start = row_start(run, below(&w->rng, RUN_SECTORS / ROW_SECTORS));

	start += (below(&w->rng, row_size() - count + 1)) & ~7U;
	return write ? do_write(w, start, count, OP_FUA) : do_read(w, start, count);
}

void load_use_run(struct rng *rng, u32 run, unsigned int writes)
{
	struct writer *w = &writers[0];
	unsigned int i;

	stop = false;
	writer_init(w, 0, rng_for(rng_next(rng), run, 0, 6), array_open(O_RDWR | O_DIRECT));
	for (i = 0; i < writes; i++)
		if (i)
			use_part(w, run, true);
		else
			do_write(w, whole_row(run), row_size(), OP_FUA);
	do_read(w, whole_row(run), row_size());
	close(w->fd);
	load_forget();
}

static u32 missed[2];
static bool missing;

static void *miss_thread(void *arg)
{
	struct writer *w = arg;
	bool ok = do_read(w, whole_row(missed[0]), row_size());

	while (ok && !stop && missed[0] != missed[1])
		ok = use_part(w, missed[below(&w->rng, 2)], chance(&w->rng, 60));
	return NULL;
}

void load_miss_begin(struct rng *rng, u32 run, u32 other)
{
	struct writer *w = &writers[0];

	stop = false;
	missed[0] = run;
	missed[1] = other;
	writer_init(w, 0, rng_for(rng_next(rng), run, 0, 7), array_open(O_RDWR | O_DIRECT));
	missing = !pthread_create(&w->thread, NULL, miss_thread, w);
	if (!missing)
		fail("no thread for a miss");
}

void load_miss_end(void)
{
	if (!missing)
		return;
	missing = false;
	stop = true;
	pthread_join(writers[0].thread, NULL);
	load_forget();
	close(writers[0].fd);
}

/* Write a row of each run, so that the slots have images for few of them. */
static void fill_runs(struct writer *w)
{
	u32 run;

	for (run = 0; run < load_runs(); run++)
		fill_range(w, whole_row(run), row_size());
}

void load_fill(bool wide)
{
	struct rng rng = rng_for(opt.seed, model.life, 0, 4);
	struct writer *w = &writers[0];
	unsigned int i;

	phase("filling", 120);
	window_count = wide ? between(&rng, 1, 2) : 0;
	windows_stay = wide;
	stop = expect_errors = false;
	for (i = 0; i < window_count; i++)
		window_place(i, &rng);
	load_plan(&rng);
	if (!wide && !opt.pressure && !chance(&rng, 40))
		return;
	writer_init(w, 0, rng, array_open(O_RDWR | O_DIRECT));
	if (wide)
		fill_zones(w);
	if (opt.pressure)
		fill_runs(w);
	for (i = 0; i < window_count; i++)
		fill_range(w, windows[i].start, windows[i].count);
	do_flush(w);
	close(w->fd);
	load_forget();
	model_settle();
}
