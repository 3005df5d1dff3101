/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The array as a whole: array.c.
 */
#ifndef RAID_PAR_ARRAY_H
#define RAID_PAR_ARRAY_H

#include "sync/sync.h"

/* par_follow_array - the array has become writable or has ceased to be; process context */
void par_follow_array(struct par_conf *conf);

/* par_writable - leave auto-read-only; false if the array is read-only */
bool par_writable(struct par_conf *conf);

#endif
