/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to the files that make md/par/ in sysfs: sysfs.c has the array and its members,
 * power-sysfs.c power, policy-sysfs.c loads and the policy, log-sysfs.c the write log,
 * slots-sysfs.c images of a share.
 */
#ifndef RAID_PAR_SYSFS_H
#define RAID_PAR_SYSFS_H

#include <linux/sysfs.h>

#include "array.h"
#include "monitor.h"

/*
 * struct par_sysfs - md/par/ of an array
 * @knobs_mutex: writers of two files may come at once: each must change its own knob only. Held
 *	while the superblock is stored: another array does not wait for that
 */
struct par_sysfs {
	struct par_conf *conf;
	struct kobject kobj;
	struct completion kobj_gone;
	bool kobj_added;
	struct mutex knobs_mutex;	/* see above */
};

struct par_attr {
	struct attribute attr;
	ssize_t (*show)(struct par_conf *conf, char *page);
	ssize_t (*store)(struct par_conf *conf, const char *page, size_t len);
};

struct par_member_attr {
	struct attribute attr;
	ssize_t (*show)(struct par_member *member, char *page);
	ssize_t (*store)(struct par_member *member, const char *page, size_t len);
};

#define PAR_RO(file) static struct par_attr attr_##file = \
	{ { .name = #file, .mode = 0444 }, file##_show, NULL }
#define PAR_RW(file) static struct par_attr attr_##file = \
	{ { .name = #file, .mode = 0644 }, file##_show, file##_store }
#define PAR_MEMBER_RO(file) static struct par_member_attr attr_##file = \
	{ { .name = #file, .mode = 0444 }, file##_show, NULL }
#define PAR_MEMBER_RW(file) static struct par_member_attr attr_##file = \
	{ { .name = #file, .mode = 0644 }, file##_show, file##_store }

extern const struct attribute_group par_power_group;
extern const struct attribute_group par_member_power_group;
extern const struct attribute_group par_policy_group;
extern const struct attribute_group par_log_group;
extern const struct attribute_group par_slots_group;
extern const struct attribute_group par_member_load_group;

/* par_may_keep - may settings be written? If not, the log says why. */
bool par_may_keep(struct par_conf *conf);

int par_sysfs_add(struct par_conf *conf);
void par_sysfs_remove(struct par_conf *conf);

#endif
