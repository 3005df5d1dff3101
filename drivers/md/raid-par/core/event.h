/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Uevents: event.c.
 */
#ifndef RAID_PAR_EVENT_H
#define RAID_PAR_EVENT_H

#include <linux/compiler.h>

struct par_conf;

/*
 * par_event - send a uevent "change" with the variables of @format, one per line; any
 * context. par_events_flush - wait until all events have been sent; sleeps.
 */
__printf(2, 3) void par_event(struct par_conf *conf, const char *format, ...);
void par_events_flush(void);
int par_events_init(void);
void par_events_exit(void);

#endif
