// SPDX-License-Identifier: GPL-2.0
/* tests/policy/loads.c, whose lines go to a function instead of standard output. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

static void (*sink)(void *to, const char *line);
static void *sink_to;

static int __attribute__((format(printf, 1, 2))) to_sink(const char *format, ...)
{
	char line[256];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (sink)
		sink(sink_to, line);
	return len;
}

#define printf	to_sink
#define main	loads_main
int loads_main(int argc, char **argv);
#include "loads.c"

/* The name of kind number @i, or NULL: there are no more. */
const char *par_loads_kind(unsigned int i, const char **what);
const char *par_loads_kind(unsigned int i, const char **what)
{
	if (i >= sizeof(kinds) / sizeof(*kinds))
		return NULL;
	*what = kinds[i].what;
	return kinds[i].name;
}

/* @kind: one that there is; @bytes: enough for 4096 files of 1 GiB. One at a time. */
void par_loads_make(const char *kind, unsigned int days, uint64_t bytes, void (*line)(void *, const char *), void *to);
void par_loads_make(const char *kind, unsigned int days, uint64_t bytes, void (*line)(void *, const char *), void *to)
{
	seed = 1;
	span = bytes;
	end = days * DAY;
	sink = line;
	sink_to = to;
	spread_places(files, span / files, span / files - file_bytes, MIB);
	live(find(kind));
	free(place);
	free(limit);
}
