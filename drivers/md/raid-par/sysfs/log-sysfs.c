// SPDX-License-Identifier: GPL-2.0
/*
 * The write log in sysfs. All values are bytes, except log_replayed and log_read_errors; all
 * are 0 for an array without a log. Documented in Documentation/sysfs-par.md.
 */
#include "log/log.h"
#include "sysfs/sysfs.h"

#define BLOCK_SECTORS(blocks)	((u64)(blocks) * PAR_LOG_BLOCK)

static ssize_t emit_sectors(char *page, u64 sectors)
{
	return sysfs_emit(page, "%llu\n", sectors << SECTOR_SHIFT);
}

#define UNIT_BYTES	((u64)PAR_LOG_UNIT_SECTORS << SECTOR_SHIFT)

/* What the members have of the ring, by the number of copies. */
static ssize_t log_size_show(struct par_conf *conf, char *page)
{
	u32 blocks;

	par_log_filled(conf, &blocks);
	return emit_sectors(page, par_log_off(conf) ? 0 : BLOCK_SECTORS(blocks));
}

static ssize_t log_size_max_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", conf->log->use.area * UNIT_BYTES);
}

/* The home region begins behind the log's area, so neither can be moved. */
static int check_size(struct par_conf *conf, u64 units)
{
	u32 area = conf->log->use.area;

	if (!area) {
		pr_warn("md/par:%s: the array was created without a write log (mdadm --create --log-size), and cannot get one\n",
			mdname(conf->mddev));
		return -EOPNOTSUPP;
	}
	if (units <= area && (!units || units >= PAR_LOG_MIN_UNITS))
		return 0;
	pr_warn("md/par:%s: log_size takes bytes from %llu to %llu, or 0 (the log is off)\n",
		mdname(conf->mddev), PAR_LOG_MIN_UNITS * UNIT_BYTES, area * UNIT_BYTES);
	return -EINVAL;
}

static ssize_t log_size_store(struct par_conf *conf, const char *page, size_t len)
{
	u64 bytes, units;
	int err;

	/* Neither what is no number nor less than a unit is to switch it off. */
	if (kstrtoull(page, 0, &bytes))
		bytes = 1;
	units = div_u64(bytes, UNIT_BYTES);
	err = check_size(conf, units ?: bytes ? 1 : 0);
	if (!err && !par_may_keep(conf))
		err = -EROFS;
	err = err ?: par_log_resize(conf, conf->log->use.area - units);
	return err ?: len;
}

static const char *log_state(const struct par_log *log)
{
	if (!log->on)
		return "none";
	if (READ_ONCE(log->use.off))
		return "off";
	if (READ_ONCE(log->stuck))
		return "stuck";
	if (READ_ONCE(log->draining))
		return "draining";
	return READ_ONCE(log->ring.tail) == READ_ONCE(log->ring.head) ? "empty" : "records";
}

static ssize_t log_state_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%s\n", log_state(conf->log));
}

static ssize_t log_used_show(struct par_conf *conf, char *page)
{
	u32 blocks;

	return emit_sectors(page, BLOCK_SECTORS(par_log_filled(conf, &blocks)));
}

static ssize_t log_live_show(struct par_conf *conf, char *page)
{
	return emit_sectors(page, BLOCK_SECTORS(READ_ONCE(conf->log->index.live)));
}

static ssize_t log_memory_show(struct par_conf *conf, char *page)
{
	struct par_log *log = conf->log;
	u64 bytes = 0;

	if (log->on)
		bytes = READ_ONCE(log->index.open) * PAR_LOG_SLOTS_BYTES +
			(u64)log->use.area * sizeof(*log->index.unit) +
			((u64)sizeof(*log->index.chain) << log->index.bits);
	return sysfs_emit(page, "%llu\n", bytes);
}

static ssize_t logged_show(struct par_conf *conf, char *page)
{
	return emit_sectors(page, READ_ONCE(conf->log->count.logged));
}

static ssize_t drained_show(struct par_conf *conf, char *page)
{
	return emit_sectors(page, READ_ONCE(conf->log->count.drained));
}

static ssize_t log_replayed_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%llu\n", conf->log->count.replayed);
}

static ssize_t log_read_errors_show(struct par_conf *conf, char *page)
{
	return sysfs_emit(page, "%lld\n", atomic64_read(&conf->log->count.bad_reads));
}

static ssize_t log_lost_show(struct par_conf *conf, char *page)
{
	struct par_log *log = conf->log;
	u64 sectors = 0;
	unsigned int i;

	spin_lock(&log->lock);
	for (i = 0; i < log->lost.count; i++)
		sectors += hweight8(log->lost.entry[i].sectors);
	spin_unlock(&log->lock);
	return emit_sectors(page, sectors);
}

PAR_RW(log_size);
PAR_RO(log_size_max);
PAR_RO(log_state);
PAR_RO(log_used);
PAR_RO(log_live);
PAR_RO(log_memory);
PAR_RO(logged);
PAR_RO(drained);
PAR_RO(log_replayed);
PAR_RO(log_read_errors);
PAR_RO(log_lost);

static struct attribute *log_attrs[] = {
	&attr_log_size.attr,
	&attr_log_size_max.attr,
	&attr_log_state.attr,
	&attr_log_used.attr,
	&attr_log_live.attr,
	&attr_log_memory.attr,
	&attr_logged.attr,
	&attr_drained.attr,
	&attr_log_replayed.attr,
	&attr_log_read_errors.attr,
	&attr_log_lost.attr,
	NULL
};

const struct attribute_group par_log_group = {
	.attrs = log_attrs
};
