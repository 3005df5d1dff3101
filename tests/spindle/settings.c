// SPDX-License-Identifier: GPL-2.0
/* configfs: what kind of disk it is, and what it tells of itself. */
#include <linux/module.h>
#include <linux/stddef.h>
#include "spindle.h"

#define MAX_MS		(24ULL * 3600 * MSEC_PER_SEC)

/* A number of the disk's that may be changed at any time, under @lock. */
struct setting {
	size_t offset;
	u64 max;
};

static u64 *value_of(struct spindle *disk, const struct setting *setting)
{
	return (void *)disk + setting->offset;
}

static ssize_t show_setting(struct config_item *item, const struct setting *setting, char *page)
{
	return sysfs_emit(page, "%llu\n", *value_of(to_spindle(item), setting));
}

static ssize_t store_setting(struct config_item *item, const struct setting *setting,
			     const char *page, size_t count)
{
	struct spindle *disk = to_spindle(item);
	u64 value;

	if (kstrtou64(page, 0, &value) || value > setting->max)
		return -EINVAL;
	mutex_lock(&disk->lock);
	*value_of(disk, setting) = value;
	mutex_unlock(&disk->lock);
	return count;
}

#define SETTING(_name, _field, _max)							\
static const struct setting spindle_setting_##_name = {					\
	.offset = offsetof(struct spindle, _field),					\
	.max = _max,									\
};											\
static ssize_t spindle_##_name##_show(struct config_item *item, char *page)		\
{											\
	return show_setting(item, &spindle_setting_##_name, page);			\
}											\
static ssize_t spindle_##_name##_store(struct config_item *item, const char *page,	\
				       size_t count)					\
{											\
	return store_setting(item, &spindle_setting_##_name, page, count);		\
}											\
CONFIGFS_ATTR(spindle_, _name)

SETTING(spin_up_ms, spin_up_ms, MAX_MS);
SETTING(spin_down_ms, spin_down_ms, MAX_MS);
SETTING(fail_starts, fail_starts, U64_MAX);
SETTING(fail_start_ms, fail_start_ms, MAX_MS);
SETTING(system_start, system_start, 1);

static ssize_t spindle_state_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", spindle_state_name(to_spindle(item)));
}
CONFIGFS_ATTR_RO(spindle_, state);

static ssize_t spindle_starts_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%llu\n", to_spindle(item)->starts);
}
CONFIGFS_ATTR_RO(spindle_, starts);

struct configfs_attribute *const spindle_settings[SPINDLE_NR_SETTINGS] = {
	&spindle_attr_spin_up_ms,
	&spindle_attr_spin_down_ms,
	&spindle_attr_fail_starts,
	&spindle_attr_fail_start_ms,
	&spindle_attr_system_start,
	&spindle_attr_state,
	&spindle_attr_starts,
};
