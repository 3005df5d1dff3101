// SPDX-License-Identifier: GPL-2.0
/*
 * configfs: a directory for each disk, and files that concern several disks.
 */
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "spindle.h"

#define MAX_SIZE_MIB	BIT_ULL(30)	/* 1 PiB */
#define MAX_DELAY_US	(60 * USEC_PER_SEC)

/* Protects the list and the chosen disks; must be held to take locks of several disks. */
DEFINE_MUTEX(spindle_lock);
LIST_HEAD(spindle_disks);

static int read_setting(const char *page, u64 *value, u64 min, u64 max)
{
	return kstrtou64(page, 0, value) || *value < min || *value > max ? -EINVAL : 0;
}

ssize_t spindle_store_number(struct spindle *disk, u64 *number, const char *page, size_t count,
			     u64 min, u64 max, bool any_time)
{
	u64 value;

	if (read_setting(page, &value, min, max))
		return -EINVAL;
	guard(mutex)(&disk->setup);
	if (disk->online && !any_time)
		return -EBUSY;
	mutex_lock(&disk->lock);
	*number = value;
	mutex_unlock(&disk->lock);
	return count;
}

static ssize_t show_number(char *page, u64 value)
{
	return sysfs_emit(page, "%llu\n", value);
}

static ssize_t spindle_delay_us_show(struct config_item *item, char *page)
{
	return show_number(page, to_spindle(item)->delay_us);
}

/* At any time: a disk may become slow. */
static ssize_t spindle_delay_us_store(struct config_item *item, const char *page, size_t count)
{
	u64 value;

	if (read_setting(page, &value, 0, MAX_DELAY_US))
		return -EINVAL;
	WRITE_ONCE(to_spindle(item)->delay_us, value);
	return count;
}
CONFIGFS_ATTR(spindle_, delay_us);

static ssize_t spindle_size_show(struct config_item *item, char *page)
{
	return show_number(page, to_spindle(item)->size_mib);
}

static ssize_t spindle_size_store(struct config_item *item, const char *page, size_t count)
{
	struct spindle *disk = to_spindle(item);
	ssize_t ret;

	ret = spindle_store_number(disk, &disk->size_mib, page, count, 1, MAX_SIZE_MIB, false);
	if (ret < 0)
		return ret;
	mutex_lock(&disk->lock);
	spindle_media_truncate(disk);
	mutex_unlock(&disk->lock);
	return ret;
}
CONFIGFS_ATTR(spindle_, size);

static ssize_t spindle_blocksize_show(struct config_item *item, char *page)
{
	return show_number(page, to_spindle(item)->blocksize);
}

static ssize_t store_block_size(struct spindle *disk, u64 *setting, const char *page,
				size_t count)
{
	u64 value;

	if (kstrtou64(page, 0, &value) || (value != 512 && value != 4096))
		return -EINVAL;
	return spindle_store_number(disk, setting, page, count, value, value, false);
}

static ssize_t spindle_blocksize_store(struct config_item *item, const char *page, size_t count)
{
	struct spindle *disk = to_spindle(item);

	return store_block_size(disk, &disk->blocksize, page, count);
}
CONFIGFS_ATTR(spindle_, blocksize);

static ssize_t spindle_physical_show(struct config_item *item, char *page)
{
	const struct spindle *disk = to_spindle(item);

	return show_number(page, max(disk->physical, disk->blocksize));
}

static ssize_t spindle_physical_store(struct config_item *item, const char *page, size_t count)
{
	struct spindle *disk = to_spindle(item);

	return store_block_size(disk, &disk->physical, page, count);
}
CONFIGFS_ATTR(spindle_, physical);

static ssize_t spindle_online_show(struct config_item *item, char *page)
{
	return show_number(page, to_spindle(item)->online);
}

/* 0 or 1 only, though other words may be truth values elsewhere. */
static int parse_switch(const char *page, bool *on)
{
	u8 value;

	if (kstrtou8(page, 0, &value) || value > 1)
		return -EINVAL;
	*on = value;
	return 0;
}

static ssize_t spindle_online_store(struct config_item *item, const char *page, size_t count)
{
	struct spindle *disk = to_spindle(item);
	bool on;
	int ret = parse_switch(page, &on);

	if (ret)
		return ret;
	guard(mutex)(&disk->setup);
	if (!on)
		spindle_offline(disk);
	else if (!disk->online)
		ret = spindle_online(disk);
	return ret ?: count;
}
CONFIGFS_ATTR(spindle_, online);

static void choose_all(bool chosen)
{
	struct spindle *disk;

	list_for_each_entry(disk, &spindle_disks, list)
		disk->chosen = chosen;
}

static ssize_t spindle_power_show(struct config_item *item, char *page)
{
	return show_number(page, to_spindle(item)->state != SPINDLE_OFF);
}

static ssize_t spindle_power_store(struct config_item *item, const char *page, size_t count)
{
	struct spindle *disk = to_spindle(item);
	bool on;
	int ret = parse_switch(page, &on);

	if (ret)
		return ret;
	if (on) {
		spindle_power_on(disk);
		return count;
	}
	guard(mutex)(&spindle_lock);
	choose_all(false);
	disk->chosen = true;
	spindle_cut_chosen(spindle_choose(disk, SPINDLE_CUT, disk->cuts, 0));
	return count;
}
CONFIGFS_ATTR(spindle_, power);

static ssize_t spindle_dead_show(struct config_item *item, char *page)
{
	return show_number(page, to_spindle(item)->dead);
}

static ssize_t spindle_dead_store(struct config_item *item, const char *page, size_t count)
{
	bool dead;
	int ret = parse_switch(page, &dead);

	if (ret)
		return ret;
	spindle_set_dead(to_spindle(item), dead);
	return count;
}
CONFIGFS_ATTR(spindle_, dead);

static ssize_t spindle_errors_attr_show(struct config_item *item, char *page)
{
	return spindle_errors_show(to_spindle(item), page);
}

static ssize_t spindle_errors_attr_store(struct config_item *item, const char *page, size_t count)
{
	char *line = kstrdup(page, GFP_KERNEL);
	int ret;

	if (!line)
		return -ENOMEM;
	ret = spindle_errors_store(to_spindle(item), line);
	kfree(line);
	return ret ?: count;
}

static struct configfs_attribute spindle_attr_errors = {
	.ca_name = "errors",
	.ca_mode = 0644,
	.ca_owner = THIS_MODULE,
	.show = spindle_errors_attr_show,
	.store = spindle_errors_attr_store,
};

static ssize_t spindle_lost_show(struct config_item *item, char *page)
{
	return show_number(page, to_spindle(item)->lost);
}
CONFIGFS_ATTR_RO(spindle_, lost);

static ssize_t spindle_dirty_show(struct config_item *item, char *page)
{
	return show_number(page, to_spindle(item)->dirty);
}
CONFIGFS_ATTR_RO(spindle_, dirty);

#define NR_ATTRS	10

/* The attributes of this file, those of settings.c, and the end. */
static struct configfs_attribute *disk_attrs[NR_ATTRS + SPINDLE_NR_SETTINGS + 1] = {
	&spindle_attr_size,
	&spindle_attr_blocksize,
	&spindle_attr_physical,
	&spindle_attr_delay_us,
	&spindle_attr_online,
	&spindle_attr_power,
	&spindle_attr_dead,
	&spindle_attr_errors,
	&spindle_attr_lost,
	&spindle_attr_dirty,
};

static void release_disk(struct config_item *item)
{
	struct spindle *disk = to_spindle(item);

	spindle_teardown(disk);
	kfree(disk);
}

static struct configfs_item_operations disk_item_ops = {
	.release = release_disk,
};

static const struct config_item_type spindle_type = {
	.ct_item_ops = &disk_item_ops,
	.ct_attrs = disk_attrs,
	.ct_owner = THIS_MODULE,
};

static struct spindle *find_disk(const char *name)
{
	struct spindle *disk;

	list_for_each_entry(disk, &spindle_disks, list) {
		if (!strcmp(config_item_name(&disk->group.cg_item), name))
			return disk;
	}
	return NULL;
}

/* Choose the named disks. -EINVAL if one does not exist, or none is named. */
static int choose_named(char *names)
{
	int ret = -EINVAL;
	char *name;

	choose_all(false);
	while ((name = strsep(&names, " \t\n"))) {
		struct spindle *disk = find_disk(name);

		if (!*name)
			continue;
		if (!disk)
			return -EINVAL;
		disk->chosen = true;
		ret = 0;
	}
	return ret;
}

static int cut(char *line)
{
	char *word = strsep(&line, " \t\n");
	int ret = 0;
	u64 seed;

	if (kstrtou64(word, 0, &seed))
		return -EINVAL;
	guard(mutex)(&spindle_lock);
	if (!line || !*skip_spaces(line)) {
		spindle_cut_all(seed);
		return 0;
	}
	ret = choose_named(line);
	if (!ret)
		spindle_cut_chosen(seed);
	return ret;
}

/* The next number of the line, if there is one. */
static int next_number(char **line, u64 *number)
{
	char *word = strsep(line, " \t\n");

	return word ? kstrtou64(word, 0, number) : -EINVAL;
}

static int set_trap(char *line)
{
	u64 seed, left, first, last;

	if (next_number(&line, &seed) || next_number(&line, &left) ||
	    next_number(&line, &first) || next_number(&line, &last) ||
	    (line && *skip_spaces(line)) || first > last || left > S64_MAX)
		return -EINVAL;
	guard(mutex)(&spindle_lock);
	if (spindle_trap.fired)
		return -EBUSY;
	spindle_trap_set(seed, left, first, last);
	return 0;
}

static int restore(char *line)
{
	struct spindle *disk;
	int ret = 0;

	guard(mutex)(&spindle_lock);
	if (sysfs_streq(line, "all"))
		choose_all(true);
	else
		ret = choose_named(line);
	if (ret)
		return ret;
	list_for_each_entry(disk, &spindle_disks, list) {
		if (disk->chosen)
			spindle_power_on(disk);
	}
	return 0;
}

/* Pass a modifiable copy of a line to @command. */
static ssize_t command(int (*command)(char *line), const char *page, size_t count)
{
	char *line = kstrdup(page, GFP_KERNEL);
	int ret;

	if (!line)
		return -ENOMEM;
	ret = command(line);
	kfree(line);
	return ret ?: count;
}

static ssize_t spindle_cut_store(struct config_item *item, const char *page, size_t count)
{
	return command(cut, page, count);
}
CONFIGFS_ATTR_WO(spindle_, cut);

static ssize_t spindle_restore_store(struct config_item *item, const char *page, size_t count)
{
	return command(restore, page, count);
}
CONFIGFS_ATTR_WO(spindle_, restore);

static ssize_t spindle_trap_show(struct config_item *item, char *page)
{
	return show_number(page, atomic64_read(&spindle_trap.left));
}

static ssize_t spindle_trap_store(struct config_item *item, const char *page, size_t count)
{
	return command(set_trap, page, count);
}
CONFIGFS_ATTR(spindle_, trap);

static struct configfs_attribute *root_attrs[] = {
	&spindle_attr_cut,
	&spindle_attr_trap,
	&spindle_attr_restore,
	NULL,
};

static struct config_group *make_disk(struct config_group *group, const char *name)
{
	struct spindle *disk;

	if (strlen(name) >= DISK_NAME_LEN)
		return ERR_PTR(-ENAMETOOLONG);
	disk = kzalloc(sizeof(*disk), GFP_KERNEL);
	if (!disk)
		return ERR_PTR(-ENOMEM);
	config_group_init_type_name(&disk->group, name, &spindle_type);
	spindle_setup(disk);
	mutex_lock(&spindle_lock);
	list_add_tail(&disk->list, &spindle_disks);
	mutex_unlock(&spindle_lock);
	return &disk->group;
}

static void drop_disk(struct config_group *group, struct config_item *item)
{
	struct spindle *disk = to_spindle(item);

	mutex_lock(&spindle_lock);
	list_del_init(&disk->list);
	mutex_unlock(&spindle_lock);
	mutex_lock(&disk->setup);
	spindle_offline(disk);
	mutex_unlock(&disk->setup);
	config_item_put(item);
}

static struct configfs_group_operations root_group_ops = {
	.make_group = make_disk,
	.drop_item = drop_disk,
};

static const struct config_item_type root_type = {
	.ct_group_ops = &root_group_ops,
	.ct_attrs = root_attrs,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem spindle_subsys = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "spindle",
			.ci_type = &root_type,
		},
	},
};

static int __init spindle_module_init(void)
{
	int ret = spindle_init();

	if (ret)
		return ret;
	memcpy(disk_attrs + NR_ATTRS, spindle_settings, sizeof(spindle_settings));
	config_group_init(&spindle_subsys.su_group);
	mutex_init(&spindle_subsys.su_mutex);
	ret = configfs_register_subsystem(&spindle_subsys);
	if (ret)
		spindle_exit();
	return ret;
}
module_init(spindle_module_init);

static void __exit spindle_module_exit(void)
{
	configfs_unregister_subsystem(&spindle_subsys);
	spindle_exit();
}
module_exit(spindle_module_exit);

MODULE_DESCRIPTION("Simulated disks that can lose power");
MODULE_LICENSE("GPL");
