// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs: /sys/block/mdX/md/par/, one value per file, and a directory per member. Documented
 * in Documentation/sysfs-par.md. Reading sends no request to any member; gear and
 * shift_state can be polled.
 */
#include <linux/kobject.h>

#include "core/parent.h"
#include "sysfs/sysfs.h"

static struct par_conf *to_conf(struct kobject *kobj)
{
	return container_of(kobj, struct par_sysfs, kobj)->conf;
}

static ssize_t gear_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n", conf->geo.set[READ_ONCE(conf->gear)].members);
}

static unsigned int gear_by_members(struct par_conf *conf, unsigned int members)
{
	unsigned int i = conf->geo.gears;

	while (i && conf->geo.set[i].members != members)
		i--;
	return i;
}

static void complain_gear(struct par_conf *conf, const char *page)
{
	char list[PAR_MAX_MEMBERS * 3 + 1];
	unsigned int i, at = 0;

	for (i = 1; i <= conf->geo.gears; i++)
		at += scnprintf(list + at, sizeof(list) - at, " %u",
				conf->geo.set[i].members);
	pr_warn("md/par:%s: no such gear; this array has the gears%s\n",
		mdname(conf->mddev), list);
}

static ssize_t gear_store(struct par_conf *conf, const char *page, size_t len)
{
	unsigned int members, gear;
	int err = kstrtouint(page, 10, &members);
	char cause[PAR_CAUSE];

	gear = err ? 0 : gear_by_members(conf, members);
	if (!gear) {
		complain_gear(conf, page);
		return -EINVAL;
	}
	if (!par_writable(conf)) {
		pr_warn("md/par:%s: the array is read-only and cannot shift: make it writable first (mdadm --readwrite)\n",
			mdname(conf->mddev));
		return -EROFS;
	}
	if (gear < conf->geo.gears && conf->mddev->degraded) {
		pr_warn("md/par:%s: the array is degraded and stays in its top gear until all members are whole\n",
			mdname(conf->mddev));
		return -EBUSY;
	}
	if (gear < conf->gear && par_syncing(conf->mddev)) {
		pr_warn("md/par:%s: a check, repair or rebuild is running on members that would go to sleep; the array stays in its gear\n",
			mdname(conf->mddev));
		return -EBUSY;
	}
	par_cause_task(cause, "gear", current);
	par_shift_to(conf, gear, cause);
	return len;
}

static ssize_t gears_show(struct par_conf *conf, char *page)
{
	unsigned int i, at = 0;

	for (i = 1; i <= conf->geo.gears; i++)
		at += sysfs_emit_at(page, at, "%s%u", i == 1 ? "" : " ",
				    conf->geo.set[i].members);
	return at + sysfs_emit_at(page, at, "\n");
}

static const char * const shift_names[] = {
	[PAR_SHIFT_IDLE] = "idle",
	[PAR_SHIFT_UP] = "up",
	[PAR_SHIFT_DOWN] = "down",
	[PAR_SHIFT_PROPAGATE] = "propagate",
};

static ssize_t shift_state_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%s\n", shift_names[READ_ONCE(conf->shift->state)]);
}

static ssize_t shift_progress_show(struct par_conf *conf, char *page)
{
	u64 done = READ_ONCE(conf->shift->done);

	if (READ_ONCE(conf->shift->state) == PAR_SHIFT_IDLE)
		return sysfs_emit(page, "none\n");
	return sysfs_emit(page, "%llu / %llu\n", done,
			  max(done, READ_ONCE(conf->shift->total)));
}

static ssize_t shift_limit_show(struct par_conf *conf, char *page)
{
	u64 deadline = READ_ONCE(conf->shift->approach.deadline), now = ktime_get_ns(), left;

	if (READ_ONCE(conf->shift->state) == PAR_SHIFT_DOWN)
		left = div_u64(max(deadline, now) - now, NSEC_PER_SEC);
	else
		left = par_approach_limit(par_shift_segments(conf, 1),
					  conf->geo.seg_sectors / 2,
					  READ_ONCE(conf->store->super.speed_min));
	return sysfs_emit(page, "%llu\n", left);
}

static ssize_t shift_target_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n",
			  conf->geo.set[READ_ONCE(conf->wish.target)].members);
}

static ssize_t shift_last_ms_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n", READ_ONCE(conf->shift->took_ms));
}

static ssize_t shift_last_hold_ms_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n", READ_ONCE(conf->shift->hold_ms));
}

static ssize_t shift_last_error_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(conf->wish.error));
}

static ssize_t shifts_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", READ_ONCE(conf->shift->count));
}

static ssize_t propagated_bytes_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", READ_ONCE(conf->shift->propagated_bytes));
}

static ssize_t metadata_writes_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", READ_ONCE(conf->store->writes));
}

static ssize_t resync_show(struct par_conf *conf, char *page)
{
	u32 zones = par_zones_marked(conf, PAR_INTENT_RESYNC);

	return zones ? sysfs_emit(page, "%u\n", zones) :
		       sysfs_emit(page, "none\n");
}

static ssize_t scrub_wakes_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(conf->store->super.scrub.wakes));
}

static ssize_t scrub_wakes_store(struct par_conf *conf, const char *page,
				 size_t len)
{
	bool value;
	int err;

	if (kstrtobool(page, &value)) {
		pr_warn("md/par:%s: scrub_wakes takes 1 (a check wakes all members) or 0 (a check leaves out sets with sleepers)\n",
			mdname(conf->mddev));
		return -EINVAL;
	}
	if (!par_may_keep(conf))
		return -EROFS;
	err = par_scrub_set(conf, value, READ_ONCE(conf->store->super.scrub.age));
	return err ?: len;
}

static ssize_t scrub_age_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n", READ_ONCE(conf->store->super.scrub.age));
}

static ssize_t scrub_age_store(struct par_conf *conf, const char *page, size_t len)
{
	u32 value;
	int err;

	if (kstrtou32(page, 10, &value) || value > PAR_SCRUB_AGE_MAX) {
		pr_warn("md/par:%s: scrub_age, in days, takes a number from 0 (a check never wakes members) to %u\n",
			mdname(conf->mddev), PAR_SCRUB_AGE_MAX);
		return -EINVAL;
	}
	if (!par_may_keep(conf))
		return -EROFS;
	err = par_scrub_set(conf, READ_ONCE(conf->store->super.scrub.wakes), value);
	return err ?: len;
}

static ssize_t scrub_last_show(struct par_conf *conf, char *page)
{
	unsigned int i, at = 0;

	for (i = 1; i <= conf->geo.gears; i++)
		at += sysfs_emit_at(page, at, "%u %llu\n", conf->geo.set[i].members,
				    READ_ONCE(conf->store->super.scrub.last[i]));
	return at;
}

static ssize_t scrub_left_out_show(struct par_conf *conf, char *page)
{
	u32 sets = READ_ONCE(conf->follow->left_out);
	unsigned int i, at = 0;

	for (i = 1; i <= conf->geo.gears; i++)
		if (sets & BIT(i))
			at += sysfs_emit_at(page, at, "%s%u", at ? " " : "",
					    conf->geo.set[i].members);
	return at + sysfs_emit_at(page, at, at ? "\n" : "none\n");
}

static ssize_t sync_left_kib_show(struct par_conf *conf, char *page)
{
	if (!par_syncing(conf->mddev))
		return sysfs_emit(page, "none\n");
	return sysfs_emit(page, "%llu\n", par_sync_left(conf) / 2);
}

static ssize_t lost_copies_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", par_lost_sectors(conf) << SECTOR_SHIFT);
}

static ssize_t segment_kib_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n", conf->geo.seg_sectors / 2);
}

static ssize_t show_segments(struct par_conf *conf, char *page,
			     enum par_seg_state state)
{
	return sysfs_emit(page, "%llu\n", par_segments(conf, state));
}

static ssize_t segments_unwritten_show(struct par_conf *conf, char *page)
{
	return show_segments(conf, page, PAR_SEG_UNWRITTEN);
}

static ssize_t segments_both_show(struct par_conf *conf, char *page)
{
	return show_segments(conf, page, PAR_SEG_BOTH);
}

static ssize_t segments_home_show(struct par_conf *conf, char *page)
{
	return show_segments(conf, page, PAR_SEG_HOME);
}

static ssize_t segments_image_show(struct par_conf *conf, char *page)
{
	return show_segments(conf, page, PAR_SEG_IMAGE);
}

static ssize_t rows_written_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%lld\n",
			  (long long)atomic64_read(&par_home(conf)->rows_written));
}

/* Limits of propagation in KiB/s; they are stored in the superblock, so they survive a restart. */
static ssize_t store_speed(struct par_conf *conf, const char *page, size_t len,
			   bool is_min)
{
	u32 low = conf->store->super.speed_min, high = conf->store->super.speed_max, value;
	int err = kstrtou32(page, 10, &value);

	if (is_min)
		low = value;
	else
		high = value;
	if (err || !low || low > high) {
		pr_warn("md/par:%s: speed_min and speed_max take KiB/s, at least 1, and speed_min must not exceed speed_max\n",
			mdname(conf->mddev));
		return -EINVAL;
	}
	if (!par_writable(conf))
		return -EROFS;
	conf->store->super.speed_min = low;
	conf->store->super.speed_max = high;
	err = par_store_super(conf);
	return err ?: len;
}

static ssize_t speed_min_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n", conf->store->super.speed_min);
}

static ssize_t speed_min_store(struct par_conf *conf, const char *page, size_t len)
{
	return store_speed(conf, page, len, true);
}

static ssize_t speed_max_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%u\n", conf->store->super.speed_max);
}

static ssize_t speed_max_store(struct par_conf *conf, const char *page, size_t len)
{
	return store_speed(conf, page, len, false);
}

PAR_RW(gear);
PAR_RO(gears);
PAR_RO(shift_state);
PAR_RO(shift_progress);
PAR_RO(shift_limit);
PAR_RO(shift_target);
PAR_RO(shift_last_ms);
PAR_RO(shift_last_hold_ms);
PAR_RO(shift_last_error);
PAR_RO(shifts);
PAR_RO(resync);
PAR_RW(scrub_wakes);
PAR_RW(scrub_age);
PAR_RO(scrub_last);
PAR_RO(scrub_left_out);
PAR_RO(segment_kib);
PAR_RO(segments_unwritten);
PAR_RO(segments_both);
PAR_RO(segments_home);
PAR_RO(segments_image);
PAR_RO(rows_written);
PAR_RO(sync_left_kib);
PAR_RO(lost_copies);
PAR_RO(propagated_bytes);
PAR_RO(metadata_writes);
PAR_RW(speed_min);
PAR_RW(speed_max);

static struct attribute *par_attrs[] = {
	&attr_gear.attr,
	&attr_gears.attr,
	&attr_shift_state.attr,
	&attr_shift_progress.attr,
	&attr_shift_limit.attr,
	&attr_shift_target.attr,
	&attr_shift_last_ms.attr,
	&attr_shift_last_hold_ms.attr,
	&attr_shift_last_error.attr,
	&attr_shifts.attr,
	&attr_resync.attr,
	&attr_scrub_wakes.attr,
	&attr_scrub_age.attr,
	&attr_scrub_last.attr,
	&attr_scrub_left_out.attr,
	&attr_segment_kib.attr,
	&attr_segments_unwritten.attr,
	&attr_segments_both.attr,
	&attr_segments_home.attr,
	&attr_segments_image.attr,
	&attr_rows_written.attr,
	&attr_sync_left_kib.attr,
	&attr_lost_copies.attr,
	&attr_propagated_bytes.attr,
	&attr_metadata_writes.attr,
	&attr_speed_min.attr,
	&attr_speed_max.attr,
	NULL
};

static const struct attribute_group par_group = { .attrs = par_attrs };

static const struct attribute_group *par_groups[] = {
	&par_group,
	&par_power_group,
	&par_policy_group,
	&par_log_group,
	&par_slots_group,
	NULL
};

static ssize_t par_attr_show(struct kobject *kobj, struct attribute *attr,
			     char *page)
{
	return container_of(attr, struct par_attr, attr)->show(to_conf(kobj), page);
}

static ssize_t par_attr_store(struct kobject *kobj, struct attribute *attr,
			      const char *page, size_t len)
{
	return container_of(attr, struct par_attr, attr)->store(to_conf(kobj),
								page, len);
}

static const struct sysfs_ops par_sysfs_ops = {
	.show = par_attr_show,
	.store = par_attr_store,
};

/* The conf outlives its kobjects: par_sysfs_remove() waits for their users. */
static void par_kobj_release(struct kobject *kobj)
{
	complete(&to_conf(kobj)->sysfs->kobj_gone);
}

static const struct kobj_type par_ktype = {
	.sysfs_ops = &par_sysfs_ops,
	.default_groups = par_groups,
	.release = par_kobj_release,
};

/* ---- members ---- */

static struct par_member *to_member(struct kobject *kobj)
{
	return container_of(kobj, struct par_member, kobj);
}

static ssize_t asleep_show(struct par_member *member, char *page)
{
	struct par_conf *conf = member->conf;

	return sysfs_emit(page, "%d\n", !par_awake(conf, READ_ONCE(conf->gear),
						   member->index));
}

static ssize_t redirected_show(struct par_member *member, char *page)
{
	return sysfs_emit(page, "%lld\n",
			  (long long)atomic64_read(&member->redirected));
}

PAR_MEMBER_RO(asleep);
PAR_MEMBER_RO(redirected);

static struct attribute *par_member_attrs[] = {
	&attr_asleep.attr,
	&attr_redirected.attr,
	NULL
};

static const struct attribute_group par_member_group = { .attrs = par_member_attrs };

static const struct attribute_group *par_member_groups[] = {
	&par_member_group,
	&par_member_power_group,
	&par_member_load_group,
	NULL
};

static ssize_t par_member_show(struct kobject *kobj, struct attribute *attr,
			       char *page)
{
	struct par_member_attr *file;

	file = container_of(attr, struct par_member_attr, attr);
	return file->show(to_member(kobj), page);
}

static ssize_t par_member_store(struct kobject *kobj, struct attribute *attr,
				const char *page, size_t len)
{
	struct par_member_attr *file;

	file = container_of(attr, struct par_member_attr, attr);
	return file->store(to_member(kobj), page, len);
}

static const struct sysfs_ops par_member_sysfs_ops = {
	.show = par_member_show,
	.store = par_member_store,
};

static void par_member_release(struct kobject *kobj)
{
	complete(&to_member(kobj)->kobj_gone);
}

static const struct kobj_type par_member_ktype = {
	.sysfs_ops = &par_member_sysfs_ops,
	.default_groups = par_member_groups,
	.release = par_member_release,
};

static int add_member(struct par_conf *conf, unsigned int d)
{
	struct par_member *member = &conf->member[d];
	int err;

	init_completion(&member->kobj_gone);
	err = kobject_init_and_add(&member->kobj, &par_member_ktype, &conf->sysfs->kobj,
				   "member%u", d);
	member->kobj_added = true;
	return err;
}

int par_sysfs_add(struct par_conf *conf)
{
	unsigned int d;
	int err;

	init_completion(&conf->sysfs->kobj_gone);
	mutex_init(&conf->sysfs->knobs_mutex);
	err = kobject_init_and_add(&conf->sysfs->kobj, &par_ktype, &conf->mddev->kobj,
				   "par");
	conf->sysfs->kobj_added = true;
	for (d = 0; !err && d < conf->geo.members; d++)
		err = add_member(conf, d);
	if (err)
		return err;
	par_wish_watch(conf, sysfs_get_dirent(conf->sysfs->kobj.sd, "gear"),
		       sysfs_get_dirent(conf->sysfs->kobj.sd, "shift_state"));
	return 0;
}

void par_sysfs_remove(struct par_conf *conf)
{
	unsigned int d;

	for (d = 0; d < conf->geo.members; d++)
		if (conf->member[d].kobj_added) {
			kobject_put(&conf->member[d].kobj);
			wait_for_completion(&conf->member[d].kobj_gone);
			conf->member[d].kobj_added = false;
		}
	sysfs_put(conf->wish.gear_file);
	sysfs_put(conf->wish.shift_file);
	par_wish_watch(conf, NULL, NULL);
	if (conf->sysfs->kobj_added) {
		kobject_put(&conf->sysfs->kobj);
		wait_for_completion(&conf->sysfs->kobj_gone);
		conf->sysfs->kobj_added = false;
	}
}
