// SPDX-License-Identifier: GPL-2.0
/*
 * Lives with a file system on the array. Each writer has files of its own; every sector of
 * them contains (file, sector, version) like those of sectors.c:
 *
 *   replaced     a new file is written, synced and renamed over the old one, and
 *                the directory synced: after a cut one of the two is there, complete
 *   overwritten  in place, then fsync: until that has returned, each sector is
 *                from one of the two versions
 *   removed      and the directory synced: until then the file may be there
 *
 * After a cut the journal is replayed, every file is compared, and the file system's own
 * checker must find no errors.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "torture.h"

#define WRITERS	4
#define FILES	12
#define DIR	"/mnt/torture"
#define MOST	512	/* sectors of a file */

enum doing { NOTHING, REPLACING, OVERWRITING, REMOVING };

struct file {
	u32 version, size;	/* durable; version 0: there is no file */
	u32 next, next_size;	/* being written */
	enum doing doing;
	unsigned int since, done;	/* ms: when it was begun, when it became durable */
};

struct file_writer {
	pthread_t thread;
	unsigned int number;
	struct rng rng;
	struct file file[FILES];
	u8 *data;
};

static struct file_writer writers[WRITERS];
static volatile bool stop;
static bool mounted;
static u64 first_hash;

bool files_wanted(void)
{
	return strcmp(opt.workload, "raw") != 0;
}

/* ---- the file system ---- */

static void make_file_system(void)
{
	char *ext4[] = { "mkfs.ext4", "-q", "-F", MD_DEV, NULL };
	char *xfs[] = { "mkfs.xfs", "-q", "-f", MD_DEV, NULL };

	/* With this, xfsprogs' own tests make a small file system. */
	setenv("TEST_DIR", DIR, 1);
	setenv("TEST_DEV", MD_DEV, 1);
	setenv("QA_CHECK_FS", "1", 1);
	phase("mkfs", 120);
	if (run(strcmp(opt.workload, "xfs") ? ext4 : xfs))
		fail("mkfs: %s", output());
}

void files_mount(void)
{
	phase("mounting", 60);
	mkdir(DIR, 0755);
	if (mount(MD_DEV, DIR, opt.workload, 0, NULL))
		fail("mounting %s: %s", opt.workload, strerror(errno));
	mounted = true;
}

/* A file system whose device has failed may need a while to shut down. */
void files_unmount(void)
{
	unsigned int try;
	int err = -1;

	phase("unmounting", 60);
	for (try = 0; mounted && err && try < 50; try++) {
		err = umount2(DIR, 0);
		if (err)
			nap_ms(100);
	}
	if (mounted && err)
		fail("unmounting: %s", strerror(errno));
	mounted = false;
}

static void check_file_system(void)
{
	char *ext4[] = { "e2fsck", "-f", "-n", MD_DEV, NULL };
	char *xfs[] = { "xfs_repair", "-n", MD_DEV, NULL };

	phase("fsck", 120);
	if (run(strcmp(opt.workload, "xfs") ? ext4 : xfs))
		fail("the file system is damaged: %s", output());
	counted.fsck++;
}

void files_begin(struct rng *rng)
{
	unsigned int i;
	char dir[64];

	(void)rng;
	make_file_system();
	files_mount();
	for (i = 0; i < WRITERS; i++) {
		memset(writers[i].file, 0, sizeof(writers[i].file));
		writers[i].number = i;
		snprintf(dir, sizeof(dir), DIR "/d%u", i);
		if (mkdir(dir, 0755))
			fail("mkdir %s: %s", dir, strerror(errno));
	}
	sync();
	files_unmount();
}

/* ---- one file ---- */

static void path_of(char *path, const struct file_writer *w, unsigned int i,
		    const char *suffix)
{
	sprintf(path, DIR "/d%u/f%u%s", w->number, i, suffix);
}

static u32 file_id(const struct file_writer *w, unsigned int i)
{
	return (w->number * FILES + i) << 12;
}

/*
 * From the cut on, success has no meaning: a file system that has shut itself down may find
 * that nothing is left to sync.
 */
static bool believed(struct file *f)
{
	if (expect_errors)
		return false;
	f->doing = NOTHING;
	f->done = now_ms();
	return true;
}

static bool went_wrong(const struct file_writer *w, const char *what, unsigned int i)
{
	if (!expect_errors)
		fail("%s of file %u/%u failed without a cut: %s", what, w->number, i,
		     strerror(errno));
	return false;
}

static bool sync_dir(struct file_writer *w)
{
	char dir[64];
	int fd, err;

	snprintf(dir, sizeof(dir), DIR "/d%u", w->number);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	err = fsync(fd);
	close(fd);
	return !err;
}

static bool write_synced(struct file_writer *w, const char *path, int flags,
			 unsigned int i, u32 version, u32 size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);
	ssize_t got;
	bool ok;

	if (fd < 0)
		return false;
	fill(w->data, file_id(w, i), size, version);
	got = write(fd, w->data, size * SECTOR);
	ok = got == (ssize_t)size * SECTOR && !fsync(fd);
	close(fd);
	return ok;
}

static bool replace(struct file_writer *w, unsigned int i, u32 version)
{
	struct file *f = &w->file[i];
	char path[64], new[64];

	path_of(path, w, i, "");
	path_of(new, w, i, ".new");
	f->since = now_ms();
	f->next = version;
	f->next_size = between(&w->rng, 1, chance(&w->rng, 20) ? MOST : 64);
	f->doing = REPLACING;
	if (!write_synced(w, new, O_CREAT | O_TRUNC | (chance(&w->rng, 20) ? O_SYNC : 0),
			  i, version, f->next_size) ||
	    rename(new, path) || !sync_dir(w))
		return went_wrong(w, "replacing", i);
	if (!believed(f))
		return false;
	f->version = version;
	f->size = f->next_size;
	return true;
}

static bool overwrite(struct file_writer *w, unsigned int i, u32 version)
{
	struct file *f = &w->file[i];
	char path[64];

	path_of(path, w, i, "");
	f->since = now_ms();
	f->next = version;
	f->doing = OVERWRITING;
	if (!write_synced(w, path, 0, i, version, f->size))
		return went_wrong(w, "overwriting", i);
	if (!believed(f))
		return false;
	f->version = version;
	return true;
}

static bool drop(struct file_writer *w, unsigned int i)
{
	struct file *f = &w->file[i];
	char path[64];

	path_of(path, w, i, "");
	f->since = now_ms();
	f->doing = REMOVING;
	if (unlink(path) || !sync_dir(w))
		return went_wrong(w, "removing", i);
	if (!believed(f))
		return false;
	f->version = 0;
	return true;
}

static void *file_thread(void *arg)
{
	struct file_writer *w = arg;
	bool ok = true;

	while (!stop && ok) {
		unsigned int i = below(&w->rng, FILES), what = below(&w->rng, 100);
		u32 version = __atomic_add_fetch(&model.ops, 1, __ATOMIC_RELAXED);

		if (!w->file[i].version || what < 45)
			ok = replace(w, i, version);
		else if (what < 90)
			ok = overwrite(w, i, version);
		else
			ok = drop(w, i);
		if (ok)
			__atomic_fetch_add(&acked_since, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

void files_start(u64 seed, unsigned int life, unsigned int round)
{
	unsigned int i;

	stop = false;
	for (i = 0; i < WRITERS; i++) {
		writers[i].rng = rng_for(seed, life, round, 200 + i);
		if (!writers[i].data)
			writers[i].data = malloc(MOST * SECTOR);
		if (pthread_create(&writers[i].thread, NULL, file_thread, &writers[i]))
			fail("no thread for a writer");
	}
}

void files_stop(void)
{
	unsigned int i;

	stop = true;
	for (i = 0; i < WRITERS; i++)
		pthread_join(writers[i].thread, NULL);
}

/* ---- after a cut ---- */

/* Is it all of one version, and which? Or a mixture of the two, if that is allowed? */
static bool content_is(struct file_writer *w, unsigned int i, u32 size, u32 one,
		       u32 other)
{
	u32 at, version;

	for (at = 0; at < size; at++) {
		bool valid = sector_version(w->data + at * SECTOR, file_id(w, i) + at,
					    &version);

		if (!valid || (version != one && version != other))
			return false;
	}
	return true;
}

_Noreturn static void wrong_file(struct file_writer *w, unsigned int i, ssize_t size)
{
	const struct file *f = &w->file[i];
	char words[128] = "nothing";

	if (size > 0)
		sector_words(w->data, file_id(w, i), words, sizeof(words));
	fail("file %u/%u: size %zd, begins with %s; durable version %u of %u sectors, doing %d, to version %u of %u, begun %.3f, durable %.3f",
	     w->number, i, size, words, f->version, f->size, f->doing, f->next,
	     f->next_size, f->since / 1000.0, f->done / 1000.0);
}

static ssize_t read_file(struct file_writer *w, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return errno == ENOENT ? -1 : -2;
	got = read(fd, w->data, MOST * SECTOR);
	close(fd);
	return got < 0 ? -2 : got;
}

static bool is_right(struct file_writer *w, unsigned int i, ssize_t size)
{
	const struct file *f = &w->file[i];

	if (size == -1)
		return !f->version || f->doing == REMOVING;
	if (f->doing == REPLACING && size == (ssize_t)f->next_size * SECTOR &&
	    content_is(w, i, f->next_size, f->next, f->next))
		return true;
	if (!f->version || size != (ssize_t)f->size * SECTOR)
		return false;
	return content_is(w, i, f->size, f->version,
			  f->doing == OVERWRITING ? f->next : f->version);
}

/* A file that may be half written is written again next time. */
static void check_file(struct file_writer *w, unsigned int i)
{
	char path[64], new[64];
	ssize_t size;

	path_of(path, w, i, "");
	path_of(new, w, i, ".new");
	size = read_file(w, path);
	if (!is_right(w, i, size))
		wrong_file(w, i, size);
	if (w->file[i].doing != NOTHING) {
		unlink(path);
		unlink(new);
		sync_dir(w);
		w->file[i].version = 0;
		w->file[i].doing = NOTHING;
	}
	model.verified += size > 0 ? size / SECTOR : 0;
	counted.files++;
}

void files_verify(void)
{
	unsigned int i, j;

	files_mount();
	phase("looking at the files", 120);
	for (i = 0; i < WRITERS; i++)
		for (j = 0; j < FILES; j++)
			if (writers[i].data)
				check_file(&writers[i], j);
	files_unmount();
	check_file_system();
}

/* ---- both copies ---- */

static u64 hash_of(int fd)
{
	static void *buffer;
	u64 hash = 0, at, i;

	if (!buffer && posix_memalign(&buffer, 4096, MAX_IO * SECTOR))
		fail("no memory");
	for (at = 0; at < model.sectors; at += MAX_IO) {
		ssize_t got = pread(fd, buffer, MAX_IO * SECTOR, at * SECTOR);

		if (got <= 0)
			fail("reading at sector %llu: %s", (unsigned long long)at,
			     strerror(errno));
		for (i = 0; i < (u64)got / 8; i++)
			hash = (hash ^ ((u64 *)buffer)[i]) * 0x100000001b3;
	}
	return hash;
}

void files_compare_reset(void)
{
	first_hash = 0;
}

void files_compare(int fd, const char *when)
{
	u64 hash;

	phase(when, 180);
	hash = hash_of(fd);
	if (first_hash && hash != first_hash)
		fail("%s: the array's content differs from what it was before", when);
	first_hash = hash;
}
