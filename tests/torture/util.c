// SPDX-License-Identifier: GPL-2.0
/* Random numbers, the log, failing, hangs, sysfs and processes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "torture.h"

#define EVENTS		96
#define EVENT_TEXT	160
#define OUTPUT		"/tmp/torture.output"

/* ---- random numbers: splitmix64 ---- */

static u64 mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

u64 rng_next(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15;
	return mix(rng->state);
}

struct rng rng_for(u64 seed, u64 a, u64 b, u64 c)
{
	return (struct rng) { mix(mix(mix(seed + 1) + a) + (b << 20)) + c };
}

u64 below(struct rng *rng, u64 n)
{
	return n ? rng_next(rng) % n : 0;
}

u64 between(struct rng *rng, u64 low, u64 high)
{
	return low + below(rng, high - low + 1);
}

bool chance(struct rng *rng, unsigned int percent)
{
	return below(rng, 100) < percent;
}

/* ---- time ---- */

unsigned int now_ms(void)
{
	struct timespec t;

	/* Since the machine was started, which is recent. */
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
}

void nap_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

/* ---- the log ---- */

static FILE *log_file;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char events[EVENTS][EVENT_TEXT];
static unsigned int event_count;

void log_open(void)
{
	char path[512];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!opt.out)
		return;
	snprintf(path, sizeof(path), "%s/torture.log", opt.out);
	log_file = fopen(path, "a");
	if (log_file)
		setvbuf(log_file, NULL, _IOLBF, 0);
}

static void say_v(const char *format, va_list args)
{
	char text[2048];
	unsigned int at;

	at = snprintf(text, sizeof(text), "%8.3f  ", now_ms() / 1000.0);
	vsnprintf(text + at, sizeof(text) - at, format, args);
	pthread_mutex_lock(&log_lock);
	if (!opt.quiet)
		puts(text);
	if (log_file)
		fprintf(log_file, "%s\n", text);
	pthread_mutex_unlock(&log_lock);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_v(format, args);
	va_end(args);
}

void event(const char *format, ...)
{
	va_list args;
	unsigned int at;
	char *text;

	pthread_mutex_lock(&log_lock);
	text = events[event_count++ % EVENTS];
	at = snprintf(text, EVENT_TEXT, "%8.3f  ", now_ms() / 1000.0);
	va_start(args, format);
	vsnprintf(text + at, EVENT_TEXT - at, format, args);
	va_end(args);
	pthread_mutex_unlock(&log_lock);
}

/* ---- failing ---- */

void (*fail_details)(void);
static pthread_mutex_t fail_lock = PTHREAD_MUTEX_INITIALIZER;

static void say_events(void)
{
	unsigned int i = event_count > EVENTS ? event_count - EVENTS : 0;

	say("the last events:");
	for (; i < event_count; i++)
		say("  %s", events[i % EVENTS]);
}

static void end_of_log(void)
{
	fflush(NULL);
	if (log_file)
		fsync(fileno(log_file));
}

_Noreturn void fail(const char *format, ...)
{
	va_list args;

	/* Never unlocked: a second failing thread waits for the end of the process. */
	pthread_mutex_lock(&fail_lock);
	phase("telling about a failure", 120);
	opt.quiet = false;
	va_start(args, format);
	say("FAILED:");
	say_v(format, args);
	va_end(args);
	say_events();
	if (fail_details)
		fail_details();
	end_of_log();
	load_forget();
	_exit(1);
}

/* ---- hangs ---- */

static const char *volatile phase_name = "starting";
static volatile unsigned int phase_limit;

void phase(const char *what, unsigned int seconds)
{
	phase_limit = 0;
	phase_name = what;
	phase_limit = now_ms() + seconds * 1000;
}

/* The kernel stack of a waiting task, or of a thread of md. */
static void say_stack(const char *pid)
{
	char stack[900], stat[128];
	char *at;

	if (get(stat, sizeof(stat), "/proc/%s/stat", pid))
		return;
	get_all(stack, sizeof(stack), "/proc/%s/stack", pid);
	if (!strstr(stat, ") D ") && !strstr(stack, "md_") && !strstr(stack, "raid"))
		return;
	for (at = stack; (at = strchr(at, '\n'));)
		*at = ' ';
	stat[strcspn(stat, ")") + 3] = 0;
	say("  waiting: %s: %s", stat, stack);
}

static void say_waiting(void)
{
	struct dirent *entry;
	char path[64];
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			say_stack(entry->d_name);
	if (dir)
		closedir(dir);
	dir = opendir("/proc/self/task");
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "self/task/%.16s", entry->d_name);
		say_stack(path);
	}
}

/*
 * Threads that hang in the kernel cannot be killed, and this process cannot end before
 * them: report which threads wait, and where.
 */
static void *watchdog(void *arg)
{
	for (;;) {
		unsigned int limit;

		nap_ms(250);
		limit = phase_limit;	/* read once: it is 0 between two phases */
		if (!limit || now_ms() < limit)
			continue;
		say("FAILED:");
		say("HANG: %s takes too long", phase_name);
		say_waiting();
		say_events();
		if (fail_details && pthread_mutex_trylock(&fail_lock) == 0)
			explain_state();
		end_of_log();
		break;	/* tests/torture/run switches the machine off */
	}
	return arg;
}

void watch_phases(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, watchdog, NULL))
		fail("no thread for the watchdog");
	pthread_detach(thread);
}

/* ---- sysfs ---- */

static int put_file(const char *value, const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int put(const char *value, const char *path, ...)
{
	char name[256];
	va_list args;

	va_start(args, path);
	vsnprintf(name, sizeof(name), path, args);
	va_end(args);
	return put_file(value, name);
}

int get_all(char *value, size_t size, const char *path, ...)
{
	char name[256];
	va_list args;
	ssize_t got;
	int fd;

	va_start(args, path);
	vsnprintf(name, sizeof(name), path, args);
	va_end(args);
	value[0] = 0;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, value, size - 1);
	close(fd);
	if (got < 0)
		return -errno;
	value[got] = 0;
	return 0;
}

int get(char *value, size_t size, const char *path, ...)
{
	char name[256];
	va_list args;
	int err;

	va_start(args, path);
	vsnprintf(name, sizeof(name), path, args);
	va_end(args);
	err = get_all(value, size, "%s", name);
	value[strcspn(value, "\n")] = 0;
	return err;
}

bool reads(const char *value, const char *path)
{
	char is[128];

	return !get(is, sizeof(is), "%s", path) && !strcmp(is, value);
}

/* ---- processes ---- */

extern char **environ;

int spawn(char *const argv[])
{
	posix_spawn_file_actions_t actions;
	char line[512] = "";
	int pid, err;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, OUTPUT,
					 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		fail("cannot run %s: %s", argv[0], strerror(err));
	for (; *argv && strlen(line) < 120; argv++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s ", *argv);
	event("%s", line);
	return pid;
}

int reap(int pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("waitpid: %s", strerror(errno));
	event("process %d ended: %d", pid, status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int run(char *const argv[])
{
	return reap(spawn(argv));
}

const char *output(void)
{
	static char text[768];
	char *line;
	int fd = open(OUTPUT, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = 0;
	while ((line = strchr(text, '\n')))
		*line = '|';
	return text;
}

/* ---- the kernel's log ---- */

static int klog = -1;

void klog_mark(void)
{
	if (klog < 0)
		klog = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	lseek(klog, 0, SEEK_END);
}

bool klog_line(char *line, size_t size)
{
	char record[2048], *text;
	ssize_t got;

	do
		got = read(klog, record, sizeof(record) - 1);
	while (got < 0 && errno == EPIPE);
	if (got <= 0)
		return false;
	record[got] = 0;
	text = strchr(record, ';');
	snprintf(line, size, "%s", text ? text + 1 : record);
	line[strcspn(line, "\n")] = 0;
	return true;
}
