// SPDX-License-Identifier: GPL-2.0
/*
 * Images of a share in sysfs. Of an array with images of everything all values are 0, but for
 * image_share. Documented in Documentation/sysfs-par.md.
 */
#include "core/slots.h"
#include "gear/gear.h"
#include "sysfs/sysfs.h"

static ssize_t image_share_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n", conf->geo.share);
}

/* struct slot_sums - over all bands; @hot: runs with heat */
struct slot_sums {
	u64 slots, free, uses, hits, hot;
};

static struct slot_sums sum_bands(struct par_conf *conf)
{
	struct slot_sums sums = { };
	unsigned int band;

	for (band = 1; band < conf->geo.gears; band++) {
		sums.slots += conf->slots->map[band].slots;
		sums.free += READ_ONCE(conf->slots->map[band].count[PAR_SLOT_FREE]);
		sums.uses += READ_ONCE(conf->slots->cache[band].uses);
		sums.hits += READ_ONCE(conf->slots->cache[band].hits);
		sums.hot += par_slot_cache_hot(&conf->slots->cache[band]);
	}
	return sums;
}

static ssize_t slots_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", sum_bands(conf).slots);
}

static ssize_t slots_free_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", sum_bands(conf).free);
}

static ssize_t hot_runs_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", sum_bands(conf).hot);
}

static ssize_t slot_uses_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", sum_bands(conf).uses);
}

static ssize_t slot_hits_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", sum_bands(conf).hits);
}

static ssize_t slot_misses_show(struct par_conf *conf, char *page)
{
	long long sum = 0;
	unsigned int gear;

	/* The gear may rise between a miss and its counting. */
	for (gear = 1; gear <= conf->geo.gears; gear++)
		sum += atomic64_read(&conf->slots->misses[gear]);
	return sysfs_emit(page, "%lld\n", sum);
}

/* A line for each gear in which members sleep. */
static ssize_t slots_by_gear_show(struct par_conf *conf, char *page)
{
	unsigned int gear;
	int at = 0;

	for (gear = 1; par_has_slots(&conf->geo) && gear < conf->geo.gears; gear++)
		at += sysfs_emit_at(page, at, "%u %llu %lld\n", conf->geo.set[gear].members,
				    READ_ONCE(conf->slots->hits[gear]),
				    (long long)atomic64_read(&conf->slots->misses[gear]));
	return at;
}

/* ---- what a shift down fills ---- */

static int check_fill(struct par_conf *conf, u64 value, u64 least, u64 most, const char *what)
{
	if (!par_has_slots(&conf->geo)) {
		pr_warn("md/par:%s: the array was created with images of everything (mdadm --create --image-share): a shift down copies all that has no image\n",
			mdname(conf->mddev));
		return -EOPNOTSUPP;
	}
	if (value < least || value > most) {
		pr_warn("md/par:%s: %s takes a number from %llu to %llu\n",
			mdname(conf->mddev), what, least, most);
		return -EINVAL;
	}
	return par_may_keep(conf) ? 0 : -EROFS;
}

static ssize_t fill_size_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", par_has_slots(&conf->geo) ?
			  READ_ONCE(conf->store->super.fill.bytes) : 0);
}

static ssize_t fill_size_store(struct par_conf *conf, const char *page, size_t len)
{
	u64 bytes;
	int err = kstrtoull(page, 0, &bytes);

	/* No size is 0, so a word is refused with the same message. */
	err = check_fill(conf, err ? 0 : bytes, PAR_FILL_BYTES_MIN, PAR_FILL_BYTES_MAX,
			 "fill_size, in bytes,");
	err = err ?: par_fill_set(conf, bytes, 0);
	return err ?: len;
}

static ssize_t fill_time_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n", par_has_slots(&conf->geo) ?
			  READ_ONCE(conf->store->super.fill.time) : 0);
}

static ssize_t fill_time_store(struct par_conf *conf, const char *page, size_t len)
{
	u32 seconds;
	int err = kstrtou32(page, 0, &seconds);

	err = check_fill(conf, err ? 0 : seconds, 1, PAR_FILL_TIME_MAX,
			 "fill_time, in seconds,");
	err = err ?: par_fill_set(conf, 0, seconds);
	return err ?: len;
}

PAR_RO(image_share);
PAR_RO(slots);
PAR_RO(slots_free);
PAR_RO(hot_runs);
PAR_RO(slot_uses);
PAR_RO(slot_hits);
PAR_RO(slot_misses);
PAR_RO(slots_by_gear);
PAR_RW(fill_size);
PAR_RW(fill_time);

static struct attribute *slots_attrs[] = {
	&attr_image_share.attr,
	&attr_slots.attr,
	&attr_slots_free.attr,
	&attr_hot_runs.attr,
	&attr_slot_uses.attr,
	&attr_slot_hits.attr,
	&attr_slot_misses.attr,
	&attr_slots_by_gear.attr,
	&attr_fill_size.attr,
	&attr_fill_time.attr,
	NULL
};

const struct attribute_group par_slots_group = {
	.attrs = slots_attrs
};
