// SPDX-License-Identifier: GPL-2.0
/*
 * configfs: the kind of a disk, and its report.
 */
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include "presets.h"
#include "spindle.h"

#define MAX_MS		(24ULL * 3600 * MSEC_PER_SEC)
#define MAX_US		(60ULL * USEC_PER_SEC)
#define MAX_KIB		BIT_ULL(30)
#define MAX_RATE_KIB	BIT_ULL(40)
#define MAX_MW		1000000

/* A number of a disk, under @lock. */
struct setting {
	size_t offset;
	u64 min, max;
	bool any_time;			/* not only while there is no block device */
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

	return spindle_store_number(disk, value_of(disk, setting), page, count, setting->min,
				    setting->max, setting->any_time);
}

#define SETTING(_name, _field, _min, _max, _any_time)					\
static const struct setting spindle_setting_##_name = {					\
	.offset = offsetof(struct spindle, _field),					\
	.min = _min,									\
	.max = _max,									\
	.any_time = _any_time,								\
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

SETTING(cache, cache, 0, 1, false);
SETTING(rate_kib, rate_kib, 0, MAX_RATE_KIB, false);
SETTING(seed, seed, 0, U64_MAX, false);
SETTING(rpm, kind.mechanics.rpm, 0, 100000, false);
SETTING(seek_track_us, kind.mechanics.seek_track_us, 0, MAX_US, false);
SETTING(seek_avg_us, kind.mechanics.seek_avg_us, 0, MAX_US, false);
SETTING(seek_full_us, kind.mechanics.seek_full_us, 0, MAX_US, false);
SETTING(outer_kib, kind.mechanics.outer_kib, 1, MAX_KIB, false);
SETTING(inner_kib, kind.mechanics.inner_kib, 1, MAX_KIB, false);
SETTING(zones, kind.mechanics.zones, 1, SPINDLE_MAX_ZONES, false);
SETTING(overhead_us, kind.overhead_us, 0, MAX_US, false);
SETTING(bus_kib, kind.bus_kib, 0, MAX_KIB, false);
SETTING(depth, kind.depth, 1, 1024, false);
SETTING(max_age_ms, kind.max_age_ms, 0, MAX_MS, false);
SETTING(cache_kib, kind.cache_kib, 4, MAX_KIB, false);
SETTING(readahead_kib, kind.readahead_kib, 0, MAX_KIB, false);
SETTING(active_mw, kind.milliwatts[SPINDLE_ACTIVE], 0, MAX_MW, false);
SETTING(idle_mw, kind.milliwatts[SPINDLE_IDLE], 0, MAX_MW, false);
SETTING(standby_mw, kind.milliwatts[SPINDLE_STANDBY], 0, MAX_MW, false);
SETTING(spin_up_mw, kind.milliwatts[SPINDLE_SPIN_UP], 0, MAX_MW, false);
SETTING(spin_down_mw, kind.milliwatts[SPINDLE_SPIN_DOWN], 0, MAX_MW, false);
SETTING(spin_up_ms, kind.spin_up_ms, 0, MAX_MS, true);
SETTING(spin_down_ms, kind.spin_down_ms, 0, MAX_MS, true);
SETTING(fail_starts, fail_starts, 0, U64_MAX, true);
SETTING(fail_start_ms, fail_start_ms, 0, MAX_MS, true);
SETTING(system_start, system_start, 0, 1, true);

/* Documentation/spindle.md names the sources of the numbers. */
static const struct spindle_kind presets[] = {
	{
		.preset = "none",
		.depth = 64,
		.cache_kib = 16384,
	}, {
		.preset = "nearline",
		.mechanics = NEARLINE_MECHANICS,
		.overhead_us = NEARLINE_OVERHEAD_US,
		.bus_kib = NEARLINE_BUS_KIB,
		.depth = 32,
		.max_age_ms = 500,
		.cache_kib = 16384,
		.readahead_kib = NEARLINE_READAHEAD_KIB,
		.milliwatts = {
			[SPINDLE_STANDBY] = NEARLINE_STANDBY_MW,
			[SPINDLE_SPIN_UP] = NEARLINE_SPIN_UP_MW,
			[SPINDLE_SPIN_DOWN] = NEARLINE_SPIN_DOWN_MW,
			[SPINDLE_IDLE] = NEARLINE_IDLE_MW,
			[SPINDLE_ACTIVE] = NEARLINE_ACTIVE_MW,
		},
		.spin_up_ms = NEARLINE_SPIN_UP_MS,
		.spin_down_ms = NEARLINE_SPIN_DOWN_MS,
	}, {
		.preset = "nas",
		.mechanics = {
			.rpm = 5400,
			.seek_track_us = 300,
			.seek_avg_us = 10300,
			.seek_full_us = 23400,
			.outer_kib = 180664,
			.inner_kib = 82748,
			.zones = 24,
		},
		.overhead_us = 200,
		.bus_kib = 585937,
		.depth = 32,
		.max_age_ms = 500,
		.cache_kib = 16384,
		.readahead_kib = 2048,
		.milliwatts = {
			[SPINDLE_STANDBY] = 250,
			[SPINDLE_SPIN_UP] = 24000,
			[SPINDLE_SPIN_DOWN] = 250,
			[SPINDLE_IDLE] = 3400,
			[SPINDLE_ACTIVE] = 5300,
		},
		.spin_up_ms = 15000,
		.spin_down_ms = 10000,
	}, {
		.preset = "server36",
		.mechanics = {
			.rpm = 15000,
			.seek_track_us = 300,
			.seek_avg_us = 4200,
			.seek_full_us = 9400,
			.outer_kib = 53711,
			.inner_kib = 36826,
			.zones = 24,
		},
		.overhead_us = 200,
		.bus_kib = 312500,
		.depth = 32,
		.max_age_ms = 500,
		.cache_kib = 8192,
		.readahead_kib = 512,
		.milliwatts = {
			[SPINDLE_STANDBY] = 2500,
			[SPINDLE_SPIN_UP] = 12385,
			[SPINDLE_SPIN_DOWN] = 8667,
			[SPINDLE_IDLE] = 10200,
			[SPINDLE_ACTIVE] = 13500,
		},
		.spin_up_ms = 10900,
		.spin_down_ms = 1500,
	},
};

void spindle_settings_setup(struct spindle *disk)
{
	disk->kind = presets[0];
}

static const struct spindle_kind *find_preset(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(presets); i++) {
		if (sysfs_streq(name, presets[i].preset))
			return &presets[i];
	}
	return NULL;
}

static ssize_t spindle_preset_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", to_spindle(item)->kind.preset);
}

static ssize_t spindle_preset_store(struct config_item *item, const char *page, size_t count)
{
	const struct spindle_kind *preset = find_preset(page);
	struct spindle *disk = to_spindle(item);

	if (!preset)
		return -EINVAL;
	guard(mutex)(&disk->setup);
	if (disk->online)
		return -EBUSY;
	mutex_lock(&disk->lock);
	disk->kind = *preset;
	mutex_unlock(&disk->lock);
	return count;
}
CONFIGFS_ATTR(spindle_, preset);

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

/* All values are of one instant. */
static ssize_t show_report(struct spindle *disk, char *page)
{
	u64 energy = spindle_microjoules(disk, ktime_get_ns());
	const u64 *times = disk->times;
	ssize_t len;

	len = sysfs_emit(page, "energy_uj %llu\n", energy);
	len += sysfs_emit_at(page, len, "active_ns %llu\nidle_ns %llu\nstandby_ns %llu\n",
			     times[SPINDLE_ACTIVE], times[SPINDLE_IDLE], times[SPINDLE_STANDBY]);
	len += sysfs_emit_at(page, len, "spin_up_ns %llu\nspin_down_ns %llu\noff_ns %llu\n",
			     times[SPINDLE_SPIN_UP], times[SPINDLE_SPIN_DOWN], times[SPINDLE_OFF]);
	len += sysfs_emit_at(page, len, "starts %llu\nstops %llu\n", disk->starts, disk->stops);
	len += sysfs_emit_at(page, len, "reads %llu\nwrites %llu\ndiscards %llu\nflushes %llu\n",
			     disk->reads, disk->writes, disk->discards, disk->flushes);
	len += sysfs_emit_at(page, len, "read_bytes %llu\nwritten_bytes %llu\n",
			     disk->read_bytes, disk->written_bytes);
	return len + sysfs_emit_at(page, len, "seeks %llu\nhits %llu\nwrite_backs %llu\n",
				   disk->seeks, disk->hits, disk->runs);
}

static ssize_t spindle_report_show(struct config_item *item, char *page)
{
	struct spindle *disk = to_spindle(item);
	ssize_t len;

	spindle_advance(disk);
	mutex_lock(&disk->lock);
	len = show_report(disk, page);
	mutex_unlock(&disk->lock);
	return len;
}

/*
 * The written text does not matter: all reported values are reset, and the arm and the
 * platter as well, so that the same requests take the same time again.
 */
static ssize_t spindle_report_store(struct config_item *item, const char *page, size_t count)
{
	struct spindle *disk = to_spindle(item);
	u64 now;

	spindle_advance(disk);
	mutex_lock(&disk->lock);
	now = ktime_get_ns();
	spindle_microjoules(disk, now);
	spindle_begin_anew(disk, now);
	memset(disk->times, 0, sizeof(disk->times));
	disk->reads = 0;
	disk->writes = 0;
	disk->discards = 0;
	disk->flushes = 0;
	disk->read_bytes = 0;
	disk->written_bytes = 0;
	disk->seeks = 0;
	disk->hits = 0;
	disk->runs = 0;
	mutex_unlock(&disk->lock);
	return count;
}
CONFIGFS_ATTR(spindle_, report);

struct configfs_attribute *const spindle_settings[SPINDLE_NR_SETTINGS] = {
	&spindle_attr_cache,
	&spindle_attr_rate_kib,
	&spindle_attr_seed,
	&spindle_attr_preset,
	&spindle_attr_rpm,
	&spindle_attr_seek_track_us,
	&spindle_attr_seek_avg_us,
	&spindle_attr_seek_full_us,
	&spindle_attr_outer_kib,
	&spindle_attr_inner_kib,
	&spindle_attr_zones,
	&spindle_attr_overhead_us,
	&spindle_attr_bus_kib,
	&spindle_attr_depth,
	&spindle_attr_max_age_ms,
	&spindle_attr_cache_kib,
	&spindle_attr_readahead_kib,
	&spindle_attr_active_mw,
	&spindle_attr_idle_mw,
	&spindle_attr_standby_mw,
	&spindle_attr_spin_up_mw,
	&spindle_attr_spin_down_mw,
	&spindle_attr_spin_up_ms,
	&spindle_attr_spin_down_ms,
	&spindle_attr_fail_starts,
	&spindle_attr_fail_start_ms,
	&spindle_attr_system_start,
	&spindle_attr_state,
	&spindle_attr_starts,
	&spindle_attr_report,
};
