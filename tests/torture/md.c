// SPDX-License-Identifier: GPL-2.0
/*
 * The md array. mdadm is run to create and to assemble; everything else is done by ioctl
 * and sysfs, since a process is expensive in a test machine.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/raid/md_u.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../crc32c.h"
#include "torture.h"

#define SYS	"/sys/block/" MD
#define PAR	SYS "/md/par/"

struct array array;

void array_parse(const char *layout)
{
	const char *at = strchr(layout, ':');
	char *end;

	array.layout = layout;
	array.level = at ? strtoul(layout + 4, NULL, 10) : 5;
	array.parities = array.level == 5 ? 1 : array.level == 6 ? 2 : 0;
	array.gears = 0;
	for (at = at ? at + 1 : layout; *at; at = *end ? end + 1 : end) {
		array.members = strtoul(at, &end, 10);
		if (end == at || array.members > MAX_DISKS)
			fail("layout %s?", layout);
		array.gear[array.gears++] = array.members;
	}
}

static void read_uuid(void)
{
	char path[32];
	u8 raw[16];
	u32 part[4];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", disk_name(0));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, raw, 16, 4096 + 16) != 16)
		fail("%s: no superblock", path);
	close(fd);
	for (unsigned int i = 0; i < 4; i++)
		part[i] = (u32)raw[4 * i] << 24 | raw[4 * i + 1] << 16 |
			  raw[4 * i + 2] << 8 | raw[4 * i + 3];
	snprintf(array.uuid, sizeof(array.uuid), "%08x:%08x:%08x:%08x",
		 part[0], part[1], part[2], part[3]);
}

static void read_size(void)
{
	char text[32];

	if (get(text, sizeof(text), SYS "/size"))
		fail("no " SYS "/size");
	array.sectors = strtoull(text, NULL, 10);
}

/* Append the device nodes of the disks that are present to an argument list. */
static void append_disks(char **argv, unsigned int at)
{
	static char dev[MAX_DISKS][24];
	unsigned int d;

	for (d = 0; d < array.members; d++) {
		if (array.absent & 1U << d)
			continue;
		snprintf(dev[d], sizeof(dev[d]), "/dev/%s", disk_name(d));
		argv[at++] = dev[d];
	}
	argv[at] = NULL;
}

#define BIRTH_OFFSET	2048	/* of the data area, in sectors: --data-offset=1M */

static void put_le(u8 *raw, u64 value, unsigned int bytes)
{
	while (bytes--) {
		*raw++ = value;
		value >>= 8;
	}
}

/*
 * Ask for images of a share, with small tracts: see struct par_disk_birth. The array gets this
 * UUID; its bytes are the same in any order.
 */
static void leave_birth(const char *uuid)
{
	static u8 raw[4096] __attribute__((aligned(4096)));
	char path[32];
	unsigned int d, i;
	int fd;

	memset(raw, 0, sizeof(raw));
	memcpy(raw, "RAIDPARB", 8);
	for (i = 0; i < 16; i++)
		raw[16 + i] = strtoul((char []){ uuid[i / 4 * 9], uuid[i / 4 * 9 + 1], 0 }, NULL, 16);
	put_le(raw + 32, (u64)opt.log_mib << 11, 8);
	put_le(raw + 40, opt.share, 4);
	put_le(raw + 48, 16384, 4);
	put_le(raw + 8, crc32c(~0U, raw, sizeof(raw)), 4);
	for (d = 0; d < array.members; d++) {
		snprintf(path, sizeof(path), "/dev/%s", disk_name(d));
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || pwrite(fd, raw, sizeof(raw), (BIRTH_OFFSET + 32) * SECTOR) != sizeof(raw) || fsync(fd))
			fail("%s: cannot ask for images of a share", path);
		close(fd);
	}
}

/* Append what makes an array with images of a share. */
static unsigned int append_share(char **argv, unsigned int at)
{
	static char uuid[64];
	static u32 arrays;
	u32 part = opt.seed * 2654435761U + ++arrays * 40503U;
	unsigned int byte[4] = { part >> 24, part >> 16 & 0xff, part >> 8 & 0xff, part & 0xff }, i;
	char *end = uuid + snprintf(uuid, sizeof(uuid), "--uuid=");

	for (i = 0; i < 4; i++)
		end += snprintf(end, uuid + sizeof(uuid) - end, "%s%02x%02x%02x%02x", i ? ":" : "", byte[i],
				byte[i], byte[i], byte[i]);
	leave_birth(uuid + strlen("--uuid="));
	argv[at++] = uuid;
	argv[at++] = "--data-offset=1M";
	return at;
}

void array_create(void)
{
	char layout[64], devices[32], log[32];
	char *argv[MAX_DISKS + 16] = { "mdadm", "--create", MD_DEV, "--quiet",
		"--run", "--level=par", "--chunk=64K", layout, devices };
	unsigned int at = 9;

	snprintf(layout, sizeof(layout), "--layout=%s", array.layout);
	snprintf(devices, sizeof(devices), "--raid-devices=%u", array.members);
	phase("creating", 60);
	snprintf(log, sizeof(log), "--log-size=%uM", opt.log_mib);
	if (opt.share)
		at = append_share(argv, at);
	else if (opt.log_mib)
		argv[at++] = log;
	append_disks(argv, at);
	if (run(argv))
		fail("mdadm --create: %s", output());
	read_uuid();
	read_size();
	/*
	 * Waiting longer for a sleeper without power has no effect. But one that has to
	 * stop and start first must never be too late.
	 */
	put(disks_start_ms() ? "3" : "1", PAR "wake_timeout");
}

int assembly_begin(const char *option)
{
	char uuid[48];
	char *argv[MAX_DISKS + 8] = { "mdadm", "--assemble", MD_DEV, uuid };

	snprintf(uuid, sizeof(uuid), "--uuid=%s", array.uuid);
	if (array.absent && !*option)
		option = "--run";
	if (*option)
		argv[4] = (char *)option;
	append_disks(argv, *option ? 5 : 4);
	return spawn(argv);
}

bool assembly_end(int pid)
{
	char replayed[32];

	if (reap(pid) || !array_runs())
		return false;
	if (!get(replayed, sizeof(replayed), PAR "log_replayed") && strcmp(replayed, "0"))
		counted.replayed++;
	wlog_started();
	return true;
}

#define MD_EVENTS	200	/* struct mdp_superblock_1, at sector 8 */

bool array_events_apart(void)
{
	u64 events, least = ~0ULL, most = 0, block[512];
	unsigned int d;

	for (d = 0; d < array.members; d++) {
		if (!disk_read(d, 8, block, 8))
			return false;
		memcpy(&events, (u8 *)block + MD_EVENTS, sizeof(events));
		least = events < least ? events : least;
		most = events > most ? events : most;
	}
	event("md's event counts: %llu to %llu", (unsigned long long)least, (unsigned long long)most);
	return most - least >= 2;
}

bool array_runs(void)
{
	char state[32];

	return !get(state, sizeof(state), SYS "/md/array_state") &&
	       strcmp(state, "clear") && strcmp(state, "inactive");
}

int array_open(int flags)
{
	int fd = open(MD_DEV, flags | O_CLOEXEC);

	if (fd < 0)
		fail("open " MD_DEV ": %s", strerror(errno));
	return fd;
}

static int stop_once(void)
{
	int fd = open(MD_DEV, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return errno == ENOENT || errno == ENXIO || errno == ENODEV ? 0 : -errno;
	err = ioctl(fd, STOP_ARRAY, NULL) ? -errno : 0;
	close(fd);
	return err == -ENODEV ? 0 : err;
}

/* A sync that was just interrupted, and mdadm's own probing, may need a moment. */
void array_stop(void)
{
	unsigned int try;
	int err = 0;

	phase("stopping the array", 90);
	for (try = 0; try < 100; try++) {
		err = stop_once();
		if (err != -EBUSY)
			break;
		nap_ms(100);
	}
	if (err)
		fail("the array does not stop: %s", strerror(-err));
	event("stopped");
}

/* Remove the arrays that a previous process has left. */
void array_purge(void)
{
	struct stat st;

	if (!stat(SYS "/md", &st))
		array_stop();
}

/* ---- the state of the array ---- */

static unsigned int number(const char *path)
{
	char text[32];

	return get(text, sizeof(text), "%s", path) ? 0 : strtoul(text, NULL, 10);
}

unsigned int array_degraded(void)
{
	return number(SYS "/md/degraded");
}

unsigned int array_gear(void)
{
	return number(PAR "gear");
}

u64 array_data_offset(void)
{
	unsigned int d;
	char path[64];
	u64 offset;

	for (d = 0; d < array.members; d++) {
		snprintf(path, sizeof(path), SYS "/md/dev-%s/offset", disk_name(d));
		offset = number(path);
		if (offset)
			return offset;
	}
	return 0;
}

bool array_idle(void)
{
	return reads("idle", SYS "/md/sync_action");
}

bool array_whole(void)
{
	return !array_degraded() && array_idle();
}

bool array_rebuilds(void)
{
	return reads("recover", "/sys/block/" MD "/md/sync_action");
}

u64 array_mismatches(void)
{
	return number(SYS "/md/mismatch_cnt");
}

bool array_has_resync_file(void)
{
	char text[64];

	return get(text, sizeof(text), PAR "resync") == 0;
}

bool array_no_resync_due(void)
{
	return !array_has_resync_file() || reads("none", PAR "resync");
}

bool array_resynced(void)
{
	return array_idle() && array_no_resync_due();
}

bool array_settled(void)
{
	char gear[16], target[16];

	return !get(gear, sizeof(gear), PAR "gear") &&
	       !get(target, sizeof(target), PAR "shift_target") &&
	       !strcmp(gear, target) && reads("idle", PAR "shift_state");
}

int array_shift(unsigned int gear)
{
	char text[16];
	int err;

	snprintf(text, sizeof(text), "%u", gear);
	err = put(text, PAR "gear");
	event("shift to %u: %s", gear, err ? strerror(-err) : "accepted");
	return err;
}

/* Is the word among the states of this member? */
bool array_member(unsigned int d, const char *want)
{
	char text[128];

	return !get(text, sizeof(text), SYS "/md/dev-%s/state", disk_name(d)) &&
	       strstr(text, want);
}

bool array_power(unsigned int d, const char *want)
{
	char path[64];

	snprintf(path, sizeof(path), PAR "member%u/power_state", d);
	return reads(want, path);
}

bool array_any_power(const char *want)
{
	unsigned int d;

	for (d = array.gear[0]; d < array.members; d++)
		if (array_power(d, want))
			return true;
	return false;
}

/*
 * The condition must hold three times in a row: between two pieces of work a mover or a
 * sync may look idle.
 */
void array_wait(const char *what, bool (*done)(void), unsigned int seconds)
{
	unsigned int quiet = 0;
	char state[256];
	unsigned int end = now_ms() + seconds * 1000;

	phase(what, seconds + 30);
	while (quiet < 3) {
		quiet = done() ? quiet + 1 : 0;
		if (now_ms() > end) {
			array_describe(state, sizeof(state));
			fail("%s: not after %u s: %s", what, seconds, state);
		}
		nap_ms(20);
	}
}

void array_describe(char *text, size_t size)
{
	static const char *const files[] = { "gear", "shift_target", "shift_state",
		"shift_progress", "shift_last_error", "segments_home", "segments_image",
		"segments_both", "rows_written", "resync" };
	unsigned int i, at = 0;
	char value[64];

	text[0] = 0;
	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!get(value, sizeof(value), PAR "%s", files[i]) && at < size)
			at += snprintf(text + at, size - at, "%s %s, ", files[i], value);
	if (!get(value, sizeof(value), SYS "/md/sync_action") && at < size)
		at += snprintf(text + at, size - at, "sync %s, degraded %u", value,
			       array_degraded());
}
