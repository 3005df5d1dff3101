// SPDX-License-Identifier: GPL-2.0
/*
 * The files in sysfs about loads and the policy; see Documentation/sysfs-par.md. Reading
 * them sends no request to any disk.
 */
#include <linux/math64.h>

#include "core/parent.h"
#include "sysfs/sysfs.h"

/* ---- knobs ---- */

static int set_knobs(struct par_conf *conf, const struct par_knobs *knobs)
{
	const char *wrong = par_knobs_error(knobs, &conf->geo);

	lockdep_assert_held(&conf->sysfs->knobs_mutex);
	if (wrong) {
		pr_warn("md/par:%s: %s\n", mdname(conf->mddev), wrong);
		return -EINVAL;
	}
	return par_may_keep(conf) ? par_monitor_set(conf, knobs) : -EROFS;
}

static ssize_t policy_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%s\n",
			  par_monitor_knobs(conf).automatic ? "auto" : "manual");
}

static ssize_t policy_store(struct par_conf *conf, const char *page, size_t len)
{
	struct par_knobs knobs;
	int err;

	if (!sysfs_streq(page, "auto") && !sysfs_streq(page, "manual")) {
		pr_warn("md/par:%s: policy takes auto (the array shifts by itself) or manual (it shifts when gear is written)\n",
			mdname(conf->mddev));
		return -EINVAL;
	}
	mutex_lock(&conf->sysfs->knobs_mutex);
	knobs = par_monitor_knobs(conf);
	knobs.automatic = sysfs_streq(page, "auto");
	err = set_knobs(conf, &knobs);
	mutex_unlock(&conf->sysfs->knobs_mutex);
	return err ?: len;
}

static ssize_t show_knob(struct par_conf *conf, char *page, size_t offset)
{
	struct par_knobs knobs = par_monitor_knobs(conf);

	return sysfs_emit(page, "%u\n", *(u32 *)((void *)&knobs + offset));
}

static ssize_t store_knob(struct par_conf *conf, const char *page, size_t len,
			  size_t offset, const char *file)
{
	struct par_knobs knobs;
	u32 value;
	int err;

	if (kstrtou32(page, 10, &value)) {
		pr_warn("md/par:%s: %s takes a whole number\n", mdname(conf->mddev),
			file);
		return -EINVAL;
	}
	mutex_lock(&conf->sysfs->knobs_mutex);
	knobs = par_monitor_knobs(conf);
	*(u32 *)((void *)&knobs + offset) = value;
	err = set_knobs(conf, &knobs);
	mutex_unlock(&conf->sysfs->knobs_mutex);
	return err ?: len;
}

#define PAR_KNOB(file, knob)						\
static const size_t file##_at = offsetof(struct par_knobs, knob);	\
									\
static ssize_t file##_show(struct par_conf *conf, char *page)		\
{									\
	return show_knob(conf, page, file##_at);			\
}									\
									\
static ssize_t file##_store(struct par_conf *conf, const char *page,	\
			    size_t len)					\
{									\
	return store_knob(conf, page, len, file##_at, #file);		\
}									\
PAR_RW(file)

PAR_RW(policy);
PAR_KNOB(interval, interval);
PAR_KNOB(window_short, window[PAR_WINDOW_SHORT]);
PAR_KNOB(window_long, window[PAR_WINDOW_LONG]);
PAR_KNOB(up_threshold, up);
PAR_KNOB(down_threshold, down);
PAR_KNOB(up_wait, wait);
PAR_KNOB(hold, hold);
PAR_KNOB(break_even, break_even);
PAR_KNOB(min_gear, min_gear);
PAR_KNOB(max_gear, max_gear);

/* ---- results ---- */

static ssize_t explain_show(struct par_conf *conf, char *page)
{
	int len = par_monitor_explain(conf, page);

	return len + sysfs_emit_at(page, len, "\n");
}

/* Hundredths of a percent as percent. */
static int emit_load(char *page, int at, u32 load)
{
	return sysfs_emit_at(page, at, "%u.%02u", load / 100, load % 100);
}

/* One line per hour of the day for which a load is known. Only slots can be missed. */
static ssize_t load_by_hour_show(struct par_conf *conf, char *page)
{
	unsigned int hour;
	int at = 0;

	for (hour = 0; hour < 24; hour++) {
		struct par_hour of = par_monitor_hour(conf, hour);

		if (!of.days)
			continue;
		at += sysfs_emit_at(page, at, "%02u ", hour);
		at += emit_load(page, at, of.mean);
		at += sysfs_emit_at(page, at, " ");
		at += emit_load(page, at, of.peak);
		at += sysfs_emit_at(page, at, " %u", of.days);
		if (par_has_slots(&conf->geo)) {
			at += sysfs_emit_at(page, at, " ");
			at += emit_load(page, at, of.misses);
		}
		at += sysfs_emit_at(page, at, "\n");
	}
	return at;
}

/* One line per known hour, oldest first: all of them take less than a page. */
static ssize_t load_history_show(struct par_conf *conf, char *page)
{
	unsigned int ago = PAR_HISTORY_HOURS;
	int at = 0;

	while (ago--) {
		struct par_past_hour past = par_monitor_past(conf, ago);

		if (past.mean == PAR_LOAD_UNKNOWN)
			continue;
		at += sysfs_emit_at(page, at, "%llu ", past.hour);
		at += emit_load(page, at, past.mean);
		at += sysfs_emit_at(page, at, " ");
		at += emit_load(page, at, past.peak);
		at += sysfs_emit_at(page, at, "\n");
	}
	return at;
}

PAR_RO(explain);
PAR_RO(load_by_hour);
PAR_RO(load_history);

static struct attribute *policy_attrs[] = {
	&attr_policy.attr,
	&attr_interval.attr,
	&attr_window_short.attr,
	&attr_window_long.attr,
	&attr_up_threshold.attr,
	&attr_down_threshold.attr,
	&attr_up_wait.attr,
	&attr_hold.attr,
	&attr_break_even.attr,
	&attr_min_gear.attr,
	&attr_max_gear.attr,
	&attr_explain.attr,
	&attr_load_by_hour.attr,
	&attr_load_history.attr,
	NULL
};

const struct attribute_group par_policy_group = { .attrs = policy_attrs };

/* ---- a member, in the last interval ---- */

static ssize_t emit_hundredths(char *page, u32 number)
{
	int at = emit_load(page, 0, number);

	return at + sysfs_emit_at(page, at, "\n");
}

static ssize_t busy_percent_show(struct par_member *member, char *page)
{
	struct par_member_load load;
	u64 all = par_monitor_member(member->conf, member->index, &load);
	u32 busy = all ? mul_u64_u64_div_u64(load.busy_ns, 10000, all) : 0;

	return emit_hundredths(page, busy);
}

/* Little's law: the total duration of all requests divided by the length of the interval. */
static ssize_t queue_show(struct par_member *member, char *page)
{
	struct par_member_load load;
	u64 all = par_monitor_member(member->conf, member->index, &load);
	u64 ns = load.ns[PAR_READS] + load.ns[PAR_WRITES];
	u32 queue = all ? mul_u64_u64_div_u64(ns, 100, all) : 0;

	return emit_hundredths(page, queue);
}

static ssize_t show_wait(struct par_member *member, char *page, unsigned int rw)
{
	struct par_member_load load;
	u64 wait = 0;

	par_monitor_member(member->conf, member->index, &load);
	if (load.requests[rw])
		wait = div64_u64(load.ns[rw], load.requests[rw] * NSEC_PER_USEC);
	return sysfs_emit(page, "%llu\n", wait);
}

static ssize_t read_wait_us_show(struct par_member *member, char *page)
{
	return show_wait(member, page, PAR_READS);
}

static ssize_t write_wait_us_show(struct par_member *member, char *page)
{
	return show_wait(member, page, PAR_WRITES);
}

PAR_MEMBER_RO(busy_percent);
PAR_MEMBER_RO(queue);
PAR_MEMBER_RO(read_wait_us);
PAR_MEMBER_RO(write_wait_us);

static struct attribute *member_load_attrs[] = {
	&attr_busy_percent.attr,
	&attr_queue.attr,
	&attr_read_wait_us.attr,
	&attr_write_wait_us.attr,
	NULL
};

const struct attribute_group par_member_load_group = {
	.attrs = member_load_attrs
};
