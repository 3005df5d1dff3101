// SPDX-License-Identifier: GPL-2.0
/*
 * The files in sysfs about power; see Documentation/sysfs-par.md. Reading them sends no
 * request to any disk.
 */
#include <linux/math64.h>
#include <linux/timekeeping.h>

#include "core/parent.h"
#include "sysfs/sysfs.h"

/* ---- the array ---- */

/* Store the settings, as they are now, in the superblock. */
static int super_kept(struct par_conf *conf)
{
	int err = par_store_super(conf);

	par_put_off_over(conf);
	par_power_settle(conf);
	return err;
}

bool par_may_keep(struct par_conf *conf)
{
	if (par_writable(conf))
		return true;
	pr_warn("md/par:%s: the array is read-only and cannot store settings: make it writable first (mdadm --readwrite)\n",
		mdname(conf->mddev));
	return false;
}

/* Returns 0, or an error after a message in the log. */
static int read_number(struct par_conf *conf, const char *page, u32 *value,
		       u32 least, u32 most, const char *what)
{
	if (kstrtou32(page, 10, value) || *value < least || *value > most) {
		pr_warn("md/par:%s: %s takes a number from %u to %u\n",
			mdname(conf->mddev), what, least, most);
		return -EINVAL;
	}
	return par_may_keep(conf) ? 0 : -EROFS;
}

static ssize_t store_number(struct par_conf *conf, const char *page, size_t len,
			    u32 *setting, u32 least, u32 most, const char *what)
{
	u32 value;
	int err = read_number(conf, page, &value, least, most, what);

	if (err)
		return err;
	spin_lock(&conf->store->power_lock);
	WRITE_ONCE(*setting, value);
	spin_unlock(&conf->store->power_lock);
	return super_kept(conf) ?: len;
}

#define PAR_NUMBER(file, least, most, unit)				\
static u32 *file##_of(struct par_conf *conf)				\
{									\
	return &conf->store->super.power.file;					\
}									\
									\
static ssize_t file##_show(struct par_conf *conf, char *page)		\
{									\
	return sysfs_emit(page, "%u\n", READ_ONCE(*file##_of(conf)));	\
}									\
									\
static ssize_t file##_store(struct par_conf *conf, const char *page,	\
			    size_t len)					\
{									\
	return store_number(conf, page, len, file##_of(conf), least,	\
			    most, #file ", in " unit ",");		\
}

PAR_NUMBER(wake_timeout, 1, PAR_WAKE_TIMEOUT_MAX, "seconds")
PAR_NUMBER(wake_stagger, 0, PAR_STAGGER_MAX, "milliseconds")
PAR_NUMBER(stop_after, 0, PAR_STOP_AFTER_MAX, "seconds")
PAR_NUMBER(carry, 0, PAR_CARRY_MAX, "days")

static ssize_t spin_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%s\n",
			  READ_ONCE(conf->store->super.power.off) ? "off" : "on");
}

static ssize_t spin_store(struct par_conf *conf, const char *page, size_t len)
{
	if (!sysfs_streq(page, "on") && !sysfs_streq(page, "off")) {
		pr_warn("md/par:%s: spin takes on (the disks of sleepers are stopped) or off (sleepers only get no requests)\n",
			mdname(conf->mddev));
		return -EINVAL;
	}
	if (!par_may_keep(conf))
		return -EROFS;
	WRITE_ONCE(conf->store->super.power.off, sysfs_streq(page, "off"));
	return super_kept(conf) ?: len;
}

static ssize_t spin_refused_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", READ_ONCE(conf->store->super.power.refused));
}

static ssize_t shift_put_off_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%s\n", par_wanted(conf) == READ_ONCE(conf->wish.target) ?
			  "none" : "ration");
}

PAR_RW(spin);
PAR_RO(spin_refused);
PAR_RO(shift_put_off);
PAR_RW(wake_timeout);
PAR_RW(wake_stagger);
PAR_RW(stop_after);
PAR_RW(carry);

static struct attribute *power_attrs[] = {
	&attr_spin.attr,
	&attr_spin_refused.attr,
	&attr_shift_put_off.attr,
	&attr_wake_timeout.attr,
	&attr_wake_stagger.attr,
	&attr_stop_after.attr,
	&attr_carry.attr,
	NULL
};

const struct attribute_group par_power_group = { .attrs = power_attrs };

/* ---- a member ---- */

static ssize_t power_state_show(struct par_member *member, char *page)
{
	static const char * const names[] = {
		[PAR_POWER_ACTIVE] = "active",
		[PAR_POWER_WAKING] = "waking",
		[PAR_POWER_ASLEEP] = "asleep",
	};

	return sysfs_emit(page, "%s\n", READ_ONCE(member->rdev) ?
			  names[READ_ONCE(member->power->state)] : "none");
}

static ssize_t power_control_show(struct par_member *member, char *page)
{
	return sysfs_emit(page, "%s\n", !READ_ONCE(member->rdev) ? "none" :
			  READ_ONCE(member->power->drive.dev) ? "runtime" :
			  "logical");
}

static ssize_t show_seconds(struct par_member *member, char *page,
			    enum par_power_state state)
{
	u64 ns[PAR_POWER_STATES];

	par_power_counts(member->power, ns);
	return sysfs_emit(page, "%llu\n", div_u64(ns[state], NSEC_PER_SEC));
}

static ssize_t seconds_active_show(struct par_member *member, char *page)
{
	return show_seconds(member, page, PAR_POWER_ACTIVE);
}

static ssize_t seconds_waking_show(struct par_member *member, char *page)
{
	return show_seconds(member, page, PAR_POWER_WAKING);
}

static ssize_t seconds_asleep_show(struct par_member *member, char *page)
{
	return show_seconds(member, page, PAR_POWER_ASLEEP);
}

static ssize_t spin_ups_show(struct par_member *member, char *page)
{
	struct par_power_record *kept = &member->conf->store->super.power;

	return sysfs_emit(page, "%llu\n",
			  READ_ONCE(kept->spin_ups[member->index]));
}

static struct par_ration *ration_of(struct par_member *member)
{
	return &member->conf->store->super.power.ration[member->index];
}

static ssize_t spins_left_show(struct par_member *member, char *page)
{
	struct par_conf *conf = member->conf;
	u64 left;

	spin_lock(&conf->store->power_lock);
	left = par_ration_left(par_power_ration(member, par_clock(conf)));
	spin_unlock(&conf->store->power_lock);
	return sysfs_emit(page, "%llu\n", left);
}

/* @cycles or @years 0: leave the value as it is. */
static ssize_t ration_rate(struct par_member *member, u32 cycles, u32 years, size_t len)
{
	struct par_conf *conf = member->conf;
	struct par_ration *ration;

	spin_lock(&conf->store->power_lock);
	ration = par_power_ration(member, par_clock(conf));
	par_ration_set(ration, cycles ?: ration->cycles, years ?: ration->years,
		       conf->store->super.power.carry);
	spin_unlock(&conf->store->power_lock);
	return super_kept(conf) ?: len;
}

static ssize_t rated_cycles_show(struct par_member *member, char *page)
{
	return sysfs_emit(page, "%u\n", READ_ONCE(ration_of(member)->cycles));
}

static ssize_t rated_cycles_store(struct par_member *member, const char *page,
				  size_t len)
{
	u32 cycles;
	int err = read_number(member->conf, page, &cycles, 1, PAR_CYCLES_MAX,
			      "rated_cycles, starts that the disk is made for,");

	return err ?: ration_rate(member, cycles, 0, len);
}

static ssize_t wanted_years_show(struct par_member *member, char *page)
{
	return sysfs_emit(page, "%u\n", READ_ONCE(ration_of(member)->years));
}

static ssize_t wanted_years_store(struct par_member *member, const char *page,
				  size_t len)
{
	u32 years;
	int err = read_number(member->conf, page, &years, 1, PAR_YEARS_MAX,
			      "wanted_years, that the rated cycles are to last,");

	return err ?: ration_rate(member, 0, years, len);
}

static ssize_t last_wake_show(struct par_member *member, char *page)
{
	return sysfs_emit(page, "%lld\n",
			  (long long)READ_ONCE(member->power->last_wake));
}

static ssize_t last_wake_cause_show(struct par_member *member, char *page)
{
	struct par_power *power = member->power;
	char cause[PAR_CAUSE];

	raw_spin_lock_irq(&power->lock);
	strscpy(cause, power->cause);
	raw_spin_unlock_irq(&power->lock);
	return sysfs_emit(page, "%s\n", *cause ? cause : "none");
}

PAR_MEMBER_RO(power_state);
PAR_MEMBER_RO(power_control);
PAR_MEMBER_RO(seconds_active);
PAR_MEMBER_RO(seconds_waking);
PAR_MEMBER_RO(seconds_asleep);
PAR_MEMBER_RO(spin_ups);
PAR_MEMBER_RO(spins_left);
PAR_MEMBER_RW(rated_cycles);
PAR_MEMBER_RW(wanted_years);
PAR_MEMBER_RO(last_wake);
PAR_MEMBER_RO(last_wake_cause);

static struct attribute *member_power_attrs[] = {
	&attr_power_state.attr,
	&attr_power_control.attr,
	&attr_seconds_active.attr,
	&attr_seconds_waking.attr,
	&attr_seconds_asleep.attr,
	&attr_spin_ups.attr,
	&attr_spins_left.attr,
	&attr_rated_cycles.attr,
	&attr_wanted_years.attr,
	&attr_last_wake.attr,
	&attr_last_wake_cause.attr,
	NULL
};

const struct attribute_group par_member_power_group = {
	.attrs = member_power_attrs
};
