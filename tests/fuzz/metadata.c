// SPDX-License-Identifier: GPL-2.0
/*
 * Start a par array again and again with metadata that says anything at all, its
 * checksums being right; use it if it starts; stop it.
 *
 *	metadata [OPTION...] DEVICE...	members of a stopped array, in their order
 *
 * -m MD	the array's device node: /dev/md0
 * -g LOW,TOP	two gears to shift between
 * -s SEED	which variants
 * -f FIRST	the number of the first one; it and the seed make a variant
 * -n COUNT	so many
 * -t SECONDS	or fewer, if they take longer
 *
 * A variant begins with the members' metadata as they were at the start: md's
 * superblock and all of raid-par's. Then some fields of some blocks of some members
 * are changed, mostly to what numbers of their kind end at, and the blocks are sealed
 * again. md is driven by ioctl, since mdadm takes ten times as long.
 *
 * The verdict is the kernel's: an oops, a WARN, a hung task ends the test by what the
 * log says, which names the variant before it. This program fails if an array does not
 * stop, if one takes far more memory than the first did, or if nearly all
 * variants are refused or nearly none is: then it has not tried much.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/raid/md_u.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "../crc32c.h"

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define SECTOR		512
#define BLOCK		4096
#define MAX_DISKS	28
#define MAX_META	(16U << 20)
#define MD_SUPER	4096		/* where version 1.2 has it */
#define BLOCKS		(128U * SECTOR)	/* the first intent block in the metadata */
#define PAYLOAD		64		/* of an intent or map block, and how long it is */
#define PAYLOAD_BYTES	3840
#define INTENTS		1	/* a block of this kind; the others are of the map */
#define MAX_IO		(64U << 10)
#define SLACK		(48ULL << 20)	/* memory that comes and goes by itself */

struct disk {
	const char *path;
	int fd;
	dev_t dev;
	u64 data;	/* bytes: where its data area begins */
	u8 *md, *meta;	/* as they were */
	u8 *new;	/* and as they are to be in this variant */
};

static struct disk disk[MAX_DISKS];
static unsigned int disks;
static u32 steady;	/* disks with blocks of metadata, a bit each */
static size_t meta_bytes;
static u64 array_bytes;
static const char *md_path = "/dev/md0";
static char sys_path[64], low[8] = "3", top[8] = "5";
static u8 *buffer;
static int kmsg;

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "FAILED: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	exit(1);
}

/* ---- chance: splitmix64 ---- */

static u64 state;

static u64 mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static u64 random64(void)
{
	state += 0x9e3779b97f4a7c15;
	return mix(state);
}

static u64 below(u64 n)
{
	return random64() % n;
}

/* ---- checksums ---- */

static void seal(u8 *block, size_t at)
{
	u32 crc;

	memset(block + at, 0, 4);
	crc = crc32c(~0U, block, BLOCK);
	memcpy(block + at, &crc, 4);
}

/* md's own checksum: the sum of the words. */
static void seal_md(u8 *super)
{
	u64 sum = 0;
	u32 word, max_dev, at, size, result;

	memset(super + 216, 0, 4);
	memcpy(&max_dev, super + 220, 4);
	size = 256 + 2 * max_dev;
	for (at = 0; at + 4 <= size; at += 4) {
		memcpy(&word, super + at, 4);
		sum += word;
	}
	if (size % 4)
		sum += super[at] | super[at + 1] << 8;
	result = (sum & 0xffffffff) + (sum >> 32);
	memcpy(super + 216, &result, 4);
}

/* ---- the members ---- */

static u8 *aligned(size_t size)
{
	u8 *p;

	if (posix_memalign((void **)&p, BLOCK, size))
		die("no memory");
	return p;
}

static void get(const struct disk *d, u8 *to, size_t size, u64 at)
{
	if (pread(d->fd, to, size, at) != (ssize_t)size)
		die("%s: cannot read: %s", d->path, strerror(errno));
}

static void put(const struct disk *d, const u8 *from, size_t size, u64 at)
{
	if (pwrite(d->fd, from, size, at) != (ssize_t)size)
		die("%s: cannot write: %s", d->path, strerror(errno));
}

static u64 le64(const u8 *p)
{
	u64 value;

	memcpy(&value, p, 8);
	return value;
}

/* Members that never sleep have the first intent block. */
static bool has_blocks(const struct disk *d)
{
	return !memcmp(d->meta + BLOCKS + BLOCK, "PARB", 4);
}

/*
 * The checksums computed here must be those of raid-par and md: the blocks are unchanged by
 * sealing.
 */
static void prove_seals(const struct disk *d)
{
	u8 *super = memcmp(d->meta, "RAIDPAR", 8) ? d->meta + BLOCK : d->meta;

	memcpy(buffer, super, BLOCK);
	seal(buffer, 8);
	if (memcmp(buffer, super, BLOCK))
		die("%s: the superblock has another checksum than this program reckons", d->path);
	memcpy(buffer, d->meta + BLOCKS + BLOCK, BLOCK);
	if (has_blocks(d)) {
		seal(buffer, 4);
		steady |= 1U << (d - disk);
	}
	if (memcmp(buffer, d->meta + BLOCKS + BLOCK, BLOCK))
		die("%s: a block has another checksum than this program reckons", d->path);
	memcpy(buffer, d->md, BLOCK);
	seal_md(buffer);
	if (memcmp(buffer, d->md, BLOCK))
		die("%s: md's superblock has another checksum than this program reckons", d->path);
}

static void open_disk(struct disk *d, const char *path)
{
	struct stat st;

	d->path = path;
	d->fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (d->fd < 0 || fstat(d->fd, &st))
		die("%s: %s", path, strerror(errno));
	d->dev = st.st_rdev;
	d->md = aligned(BLOCK);
	get(d, d->md, BLOCK, MD_SUPER);
	if (memcmp(d->md, "\xfc\x4e\x2b\xa9", 4))
		die("%s: no superblock of md", path);
	d->data = le64(d->md + 128) * SECTOR;
	get(d, buffer, BLOCK, d->data + BLOCK);
	if (memcmp(buffer, "RAIDPAR", 8))
		die("%s: no superblock of raid-par", path);
	meta_bytes = le64(buffer + 112) * SECTOR;
	array_bytes = le64(buffer + 120) * SECTOR;
	if (meta_bytes > MAX_META)
		die("%s: too much metadata", path);
	d->meta = aligned(meta_bytes);
	d->new = aligned(meta_bytes);
	get(d, d->meta, meta_bytes, d->data);
	prove_seals(d);
}

/* ---- variants ---- */

/* Usually near the limits of numbers of this kind. */
static u64 hostile(void)
{
	static const u64 ends[] = { 0, 1, 2, 3, 5, 31, 28, 0x1f, 0xff, 1000, 8192, 60000,
		86400, 1ULL << 31, 1ULL << 32, 1ULL << 62, 1ULL << 63, ~0U, ~0ULL };
	u64 value = ends[below(sizeof(ends) / sizeof(*ends))];

	switch (below(4)) {
	case 0:
		return value;
	case 1:
		return value + below(3) - 1;
	case 2:
		return below(1ULL << (1 + below(20)));
	default:
		return random64() >> below(64);
	}
}

/* A field of a superblock: all but magic and checksum, and few of the geometry. */
static size_t super_field(void)
{
	switch (below(8)) {
	case 0:
		return 12 + 4 * below(125);
	case 1:
		return 72 + 4 * below(4);
	case 2:
	case 3:
		return 140 + 4 * below(5);
	case 4:
	case 5:
		return 256 + 48 * below(3) + 16 + 4 * below(8);
	default:
		return 1552 + 4 * below(474);
	}
}

static void change_super(u8 *block)
{
	size_t at = super_field();
	u64 value = hostile();

	memcpy(block + at, &value, below(2) && at % 8 == 0 ? 8 : 4);
}

/* States of rows as they are stored: half of them with random values. */
static void change_rows(u8 *payload, size_t from, size_t count)
{
	static const u8 states[] = { 0x00, 0x55, 0xaa, 0xff };
	u8 some = states[below(4)];

	for (; count-- && from < PAYLOAD_BYTES; from++)
		payload[from] = below(16) ? some : states[below(4)];
}

/* Zones with any value of an intent, including gears that do not exist. */
static void change_intents(u8 *payload, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (below(4))
			payload[i] = below(8) << 5 | below(below(16) ? 3 : 32);
}

/* Change the header of an intent or map block, or its data about zones and rows. */
static void change_block(u8 *block)
{
	u64 value = hostile();
	size_t at = below(below(2) ? 64 : PAYLOAD_BYTES);

	switch (below(8)) {
	case 0:
		memcpy(block + 8 + 4 * below(6), &value, 4);
		break;
	case 1:
		memcpy(block + 24, &value, 8);
		break;
	case 2:
		block[PAYLOAD + at] = value;
		break;
	default:
		if (block[8] == INTENTS)
			change_intents(block + PAYLOAD, 1 + below(16));
		else
			change_rows(block + PAYLOAD, at, 1 + below(PAYLOAD_BYTES));
	}
}

/* The block at @at of the members in @which. */
static void change(size_t at, u32 which)
{
	u64 same = state, after = state;
	unsigned int d;

	for (d = 0; d < disks; d++) {
		u8 *block = disk[d].new + at;

		if (!(which & 1U << d))
			continue;
		state = same;	/* the same on each of them */
		if (at < BLOCKS) {
			change_super(block);
			seal(block, 8);
		} else {
			change_block(block);
			seal(block, 4);
		}
		after = state;
	}
	state = after;
}

/* The place of a block that has been stored: a superblock, or another one. */
static size_t random_block(void)
{
	size_t pairs = (meta_bytes - BLOCKS) / (2 * BLOCK), at, tries;

	if (below(2))
		return below(2) * BLOCK;
	for (tries = 0; tries < 64; tries++) {
		at = BLOCKS + (2 * below(pairs) + below(2)) * BLOCK;
		if (!memcmp(disk[0].new + at, "PARB", 4))
			return at;
	}
	return BLOCKS;
}

static u32 random_members(void)
{
	u32 all = (1U << disks) - 1;

	switch (below(4)) {
	case 0:
		return 1U << below(disks);
	case 1:
		return 1 + below(all);
	default:
		return all;
	}
}

/* Also the requests of mdadm: --force, or a rescue. */
static void ask(u64 what)
{
	unsigned int d;

	for (d = 0; d < disks; d++) {
		memcpy(buffer, disk[d].md, BLOCK);
		if (what) {
			memcpy(buffer + 208, &what, 8);
			seal_md(buffer);
		}
		put(&disk[d], buffer, BLOCK, MD_SUPER);
	}
}

static void make_variant(void)
{
	unsigned int d, k, changes = 1 + below(4);
	u64 what = below(6);
	u32 which;

	for (d = 0; d < disks; d++)
		memcpy(disk[d].new, disk[d].meta, meta_bytes);
	for (k = 0; k < changes; k++) {
		size_t at = random_block();

		which = random_members();
		if (at >= BLOCKS)
			which = which & steady ?: steady;
		change(at, which);
		/* In both slots, or the older one would be used. */
		if (below(2))
			change(at ^ BLOCK, which);
	}
	ask(what > 2 ? 0 : what);
	for (d = 0; d < disks; d++)
		put(&disk[d], disk[d].new, meta_bytes, disk[d].data);
}

/* ---- the array ---- */

static int open_md(void)
{
	unsigned int try;
	int fd = -1;

	/* The array vanishes a moment after it has been closed. */
	for (try = 0; fd < 0 && try < 2000; try++) {
		fd = open(md_path, O_RDWR | O_DIRECT | O_CLOEXEC);
		if (fd < 0)
			usleep(1000);
	}
	if (fd < 0)
		die("%s: %s", md_path, strerror(errno));
	return fd;
}

/* Without one of the members, if @without is one. Returns 0 or an errno. */
static int start(int fd, unsigned int without)
{
	mdu_array_info_t info = { .major_version = 1, .minor_version = 2 };
	unsigned int d;

	if (ioctl(fd, SET_ARRAY_INFO, &info))
		die("SET_ARRAY_INFO: %s", strerror(errno));
	for (d = 0; d < disks; d++) {
		mdu_disk_info_t one = { .major = major(disk[d].dev),
					.minor = minor(disk[d].dev) };

		if (d != without && ioctl(fd, ADD_NEW_DISK, &one))
			die("ADD_NEW_DISK %s: %s", disk[d].path, strerror(errno));
	}
	return ioctl(fd, RUN_ARRAY, NULL) ? errno : 0;
}

static void stop(int fd)
{
	unsigned int try;

	for (try = 0; try < 3000; try++) {
		if (!ioctl(fd, STOP_ARRAY, NULL) || errno == ENODEV)
			return;
		if (errno != EBUSY)
			break;
		usleep(10000);
	}
	die("it does not stop: %s", strerror(errno));
}

/* The content of a sysfs file, or "". */
static const char *tells(const char *file)
{
	static char text[4096];
	char path[192];
	ssize_t len = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", sys_path, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[len > 0 ? len : 0] = 0;
	return text;
}

static void tell(const char *file, const char *text)
{
	char path[192];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", sys_path, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* The write may be refused. */
	if (write(fd, text, strlen(text)) < 0)
		errno = 0;
	close(fd);
}

/* Copying may take longer, depending on the speeds in the superblock. */
static void wait_idle(void)
{
	unsigned int try;

	for (try = 0; try < 20 && strncmp(tells("par/shift_state"), "idle", 4); try++)
		usleep(5000);
}

static void read_all_files(void)
{
	char pattern[96];
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/par/{*,*/*}", sys_path);
	if (glob(pattern, GLOB_BRACE, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++)
		tells(found.gl_pathv[i] + strlen(sys_path) + 1);
	globfree(&found);
}

/* Requests may return errors: the variant may say that all members have failed. */
static void requests(int fd, unsigned int count)
{
	ssize_t done;

	while (count--) {
		u64 at = below(array_bytes / MAX_IO) * MAX_IO;
		size_t size = BLOCK << below(5);

		done = below(3) ? pwrite(fd, buffer, size, at) : pread(fd, buffer, size, at);
		if (done < 0 && errno != EIO && errno != EROFS && errno != EPERM)
			die("a request ends by %s", strerror(errno));
	}
	if (fsync(fd))
		errno = 0;
}

static void use(int fd)
{
	requests(fd, 1 + below(4));
	if (below(2)) {
		tell("par/gear", low);
		wait_idle();
		requests(fd, 1 + below(4));
	}
	if (below(3) == 0)
		read_all_files();
	if (below(8) == 0)
		tell("sync_action", "check");
	if (below(3)) {
		tell("par/gear", top);
		wait_idle();
		requests(fd, 2);
	}
}

/* ---- all of it ---- */

static u64 memory_free(void)
{
	struct sysinfo info;

	sysinfo(&info);
	return (u64)info.freeram * info.mem_unit;
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

static void log_variant(u64 seed, u64 number)
{
	char line[96];
	int len = snprintf(line, sizeof(line), "fuzz: variant %llu of seed %llu\n",
			   (unsigned long long)number, (unsigned long long)seed);

	if (write(kmsg, line, len) != len)
		errno = 0;
}

static u64 largest;

/* Returns 0 if it has started, or the errno that it was refused by. */
static int try_variant(unsigned int without)
{
	u64 before = memory_free(), used;
	int fd = open_md(), err = start(fd, without);

	used = before - memory_free();
	if ((int64_t)used > (int64_t)largest)
		largest = used;
	if (!err)
		use(fd);
	stop(fd);
	close(fd);
	return err;
}

struct counts {
	u64 tried, started, refused[256];
};

static void summary(const struct counts *counts, u64 ms)
{
	unsigned int e;

	printf("# %llu variants in %llu s, %llu started, refused:",
	       (unsigned long long)counts->tried, (unsigned long long)ms / 1000,
	       (unsigned long long)counts->started);
	for (e = 0; e < 256; e++)
		if (counts->refused[e])
			printf(" %llu %s,", (unsigned long long)counts->refused[e],
			       strerrorname_np(e));
	printf(" most memory %llu KiB\n", (unsigned long long)largest >> 10);
	fflush(stdout);
}

static void run(u64 seed, u64 first, u64 count, u64 seconds)
{
	struct counts counts = { };
	u64 began = now_ms(), number, plain;
	int err;

	/* Unchanged metadata: this must work, and shows how much memory is used. */
	err = try_variant(disks);
	if (err)
		die("the array does not start as it was: %s", strerror(err));
	plain = largest;
	for (number = first; number < first + count; number++) {
		if (seconds && now_ms() - began > seconds * 1000)
			break;
		state = mix(mix(seed + 1) + number);
		log_variant(seed, number);
		make_variant();
		err = try_variant(below(6) ? disks : below(disks));
		counts.tried++;
		if (err)
			counts.refused[err & 0xff]++;
		else
			counts.started++;
		if (largest > 2 * plain + SLACK)
			die("variant %llu takes %llu KiB of memory, as it was %llu",
			    (unsigned long long)number, (unsigned long long)largest >> 10,
			    (unsigned long long)plain >> 10);
		if (counts.tried % 1000 == 0)
			summary(&counts, now_ms() - began);
	}
	summary(&counts, now_ms() - began);
	if (counts.tried >= 100 && (counts.started < counts.tried / 20 ||
				    counts.started > counts.tried * 99 / 100))
		die("of %llu variants %llu have started: that does not try much",
		    (unsigned long long)counts.tried, (unsigned long long)counts.started);
}

static void parse_gears(const char *gears)
{
	if (sscanf(gears, "%7[0-9],%7[0-9]", low, top) != 2)
		die("-g takes two gears, as 3,5");
}

int main(int argc, char **argv)
{
	u64 seed = 1, first = 0, count = 1000, seconds = 0;
	unsigned int i;
	int option;

	while ((option = getopt(argc, argv, "m:g:s:f:n:t:")) != -1) {
		switch (option) {
		case 'm': md_path = optarg; break;
		case 'g': parse_gears(optarg); break;
		case 's': seed = strtoull(optarg, NULL, 10); break;
		case 'f': first = strtoull(optarg, NULL, 10); break;
		case 'n': count = strtoull(optarg, NULL, 10); break;
		case 't': seconds = strtoull(optarg, NULL, 10); break;
		default: return 2;
		}
	}
	if (argc - optind < 2 || argc - optind > MAX_DISKS)
		die("2 to %d members", MAX_DISKS);
	buffer = aligned(MAX_IO);
	kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	snprintf(sys_path, sizeof(sys_path), "/sys/block/%s/md", strrchr(md_path, '/') + 1);
	for (i = 0; optind < argc; i++)
		open_disk(&disk[i], argv[optind++]);
	disks = i;
	if (!steady)
		die("%s: no member has the first intent block", md_path);
	run(seed, first, count, seconds);
	/* Leave the array as it was. */
	ask(0);
	for (i = 0; i < disks; i++)
		put(&disk[i], disk[i].meta, meta_bytes, disk[i].data);
	return 0;
}
