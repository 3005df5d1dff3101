// SPDX-License-Identifier: GPL-2.0
/*
 * On-disk metadata: packing and checking. See format.h for the contract.
 */
#include <linux/build_bug.h>
#include <linux/crc32c.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <kunit/visibility.h>

/*
 * format.c and validate.c call each other, on purpose: the content of a copy is checked
 * between its checksum and its unpacking (par_super_records_ok()), and a block is valid if
 * its checksum is right and its content is allowed (par_block_valid()). A single file would
 * mix the layout of metadata with its allowed content; a caller that had to make both
 * checks could forget one.
 */
#include "pure/format.h"
#include "pure/validate.h"

static_assert(sizeof(struct par_disk_super) == PAR_BLOCK_BYTES);
static_assert(sizeof(struct par_disk_block) == PAR_BLOCK_BYTES);
static_assert(sizeof(struct par_disk_set) == 48);
static_assert(sizeof(struct par_disk_power) == 32);
static_assert(sizeof(struct par_disk_lost) == PAR_BLOCK_PAYLOAD);
static_assert(offsetof(struct par_disk_super, uuid) == 40);
static_assert(offsetof(struct par_disk_super, layout) == 88);
static_assert(offsetof(struct par_disk_super, speed_max) == 156);
static_assert(offsetof(struct par_disk_super, set) == 256);
static_assert(offsetof(struct par_disk_super, min_seq) == 1552);
static_assert(offsetof(struct par_disk_super, power) == 1808);
static_assert(offsetof(struct par_disk_super, policy_flags) == 2704);
static_assert(offsetof(struct par_disk_super, surges) == 3920);
static_assert(offsetof(struct par_disk_super, history) == 2776);
static_assert(offsetof(struct par_disk_super, scrub_flags) == 3448);
static_assert(offsetof(struct par_disk_block, payload) == 64);
static_assert(offsetof(struct par_disk_super, log_sectors) == 160);
static_assert(offsetof(struct par_disk_super, log_summaries_from) == 240);
static_assert(offsetof(struct par_disk_super, log_lost) == 3672);
static_assert(offsetof(struct par_disk_super, set) == 256);
static_assert(sizeof(struct par_disk_birth) == PAR_BLOCK_BYTES);
static_assert(offsetof(struct par_disk_birth, log_sectors) == 32);
static_assert(offsetof(struct par_disk_birth, steady) == 56);
static_assert(offsetof(struct par_disk_super, steady) == 216);
static_assert(offsetof(struct par_disk_super, fill_time) == 232);

static const char * const par_format_errors[] = {
	[PAR_FMT_OK] = "good",
	[PAR_FMT_ABSENT] = "holds no raid-par superblock",
	[PAR_FMT_TORN] = "has a raid-par superblock with a wrong checksum",
	[PAR_FMT_VERSION] = "has a raid-par superblock of another version",
	[PAR_FMT_FOREIGN] = "belongs to another array",
	[PAR_FMT_GEOMETRY] = "has a raid-par superblock for another layout, chunk or size",
	[PAR_FMT_RANGE] = "has a raid-par superblock with impossible values",
};

const char *par_format_strerror(enum par_format_error err)
{
	return par_format_errors[err];
}
EXPORT_SYMBOL_IF_KUNIT(par_format_strerror);

u32 par_block_crc(const void *raw, size_t crc)
{
	static const __le32 zero;
	u32 sum = crc32c(~0, raw, crc);

	sum = crc32c(sum, &zero, sizeof(zero));
	crc += sizeof(zero);
	return crc32c(sum, raw + crc, PAR_BLOCK_BYTES - crc);
}

static u32 super_crc(const struct par_disk_super *raw)
{
	return par_block_crc(raw, offsetof(struct par_disk_super, crc));
}

static void pack_set(struct par_disk_set *raw, const struct par_set_record *set,
		     const struct par_set_geometry *geo)
{
	raw->start = cpu_to_le64(geo->start);
	raw->sectors = cpu_to_le64(geo->sectors);
	raw->failed = cpu_to_le32(set->failed);
	raw->recovering = cpu_to_le32(set->recovering);
	raw->recovered = cpu_to_le64(set->recovered);
	raw->resync = cpu_to_le64(set->resync);
	raw->events = cpu_to_le64(set->events);
}

static void unpack_set(struct par_set_record *set, const struct par_disk_set *raw)
{
	set->failed = le32_to_cpu(raw->failed);
	set->recovering = le32_to_cpu(raw->recovering);
	set->recovered = le64_to_cpu(raw->recovered);
	set->resync = le64_to_cpu(raw->resync);
	set->events = le64_to_cpu(raw->events);
}

static void pack_power(struct par_disk_super *raw,
		       const struct par_power_record *power,
		       const struct par_geometry *geo)
{
	unsigned int d;

	raw->power_flags = cpu_to_le32(power->off ? PAR_POWER_OFF : 0);
	raw->carry = cpu_to_le32(power->carry);
	raw->wake_timeout = cpu_to_le32(power->wake_timeout);
	raw->wake_stagger = cpu_to_le32(power->wake_stagger);
	raw->stop_after = cpu_to_le32(power->stop_after);
	raw->refused = cpu_to_le64(power->refused);
	for (d = 0; d < geo->members; d++) {
		raw->power[d].cycles = cpu_to_le32(power->ration[d].cycles);
		raw->power[d].years = cpu_to_le32(power->ration[d].years);
		raw->power[d].left = cpu_to_le64(power->ration[d].left);
		raw->power[d].since = cpu_to_le64(power->ration[d].since);
		raw->power[d].spin_ups = cpu_to_le64(power->spin_ups[d]);
	}
}

static void unpack_power(struct par_power_record *power,
			 const struct par_disk_super *raw,
			 const struct par_geometry *geo)
{
	unsigned int d;

	power->off = le32_to_cpu(raw->power_flags) & PAR_POWER_OFF;
	power->carry = le32_to_cpu(raw->carry);
	power->wake_timeout = le32_to_cpu(raw->wake_timeout);
	power->wake_stagger = le32_to_cpu(raw->wake_stagger);
	power->stop_after = le32_to_cpu(raw->stop_after);
	power->refused = le64_to_cpu(raw->refused);
	for (d = 0; d < geo->members; d++) {
		power->ration[d].cycles = le32_to_cpu(raw->power[d].cycles);
		power->ration[d].years = le32_to_cpu(raw->power[d].years);
		power->ration[d].left = le64_to_cpu(raw->power[d].left);
		power->ration[d].since = le64_to_cpu(raw->power[d].since);
		power->spin_ups[d] = le64_to_cpu(raw->power[d].spin_ups);
	}
}

static void pack_spans(struct par_disk_spans *raw, u8 *count, const struct par_spans *spans)
{
	unsigned int i;

	for (i = 0; i < PAR_SPANS; i++)
		raw->lasted[i] = cpu_to_le16(min_t(u32, U16_MAX, spans->lasted[i]));
	*count = spans->count;
}

static void unpack_spans(struct par_spans *spans, const struct par_disk_spans *raw, u8 count)
{
	unsigned int i;

	for (i = 0; i < PAR_SPANS; i++)
		spans->lasted[i] = le16_to_cpu(raw->lasted[i]);
	spans->count = count;
}

static __le16 pack_load(u16 load, u8 misses)
{
	if (load == PAR_LOAD_UNKNOWN)
		return cpu_to_le16(PAR_LOAD_UNKNOWN);
	return cpu_to_le16(min_t(u16, load, PAR_HOUR_MOST) | misses << PAR_HOUR_MISSES);
}

static u16 unpack_load(__le16 raw)
{
	u16 load = le16_to_cpu(raw);

	if (load == PAR_LOAD_UNKNOWN)
		return PAR_LOAD_UNKNOWN;
	return min_t(u16, PAR_HOUR_MOST, load & PAR_HOUR_LOAD);
}

static void pack_hours(struct par_disk_super *raw, const struct par_policy_record *policy)
{
	unsigned int i;

	for (i = 0; i < PAR_HISTORY_HOURS; i++) {
		raw->history[i].mean = pack_load(policy->mean[i], policy->misses[i] & 3);
		raw->history[i].peak = pack_load(policy->peak[i], policy->misses[i] >> 2);
	}
}

static void unpack_hours(struct par_policy_record *policy, const struct par_disk_super *raw)
{
	const struct par_disk_hour *hour;
	unsigned int i;

	for (i = 0; i < PAR_HISTORY_HOURS; i++) {
		hour = &raw->history[i];
		policy->mean[i] = unpack_load(hour->mean);
		policy->peak[i] = unpack_load(hour->peak);
		policy->misses[i] = 0;
		if (policy->mean[i] != PAR_LOAD_UNKNOWN && policy->peak[i] != PAR_LOAD_UNKNOWN)
			policy->misses[i] = le16_to_cpu(hour->mean) >> PAR_HOUR_MISSES |
					    le16_to_cpu(hour->peak) >> PAR_HOUR_MISSES << 2;
	}
}

static void pack_policy(struct par_disk_super *raw,
			const struct par_policy_record *policy)
{
	const struct par_knobs *knobs = &policy->knobs;
	unsigned int i;

	raw->policy_flags = cpu_to_le32(knobs->automatic ? PAR_POLICY_AUTO : 0);
	raw->interval = cpu_to_le32(knobs->interval);
	for (i = 0; i < PAR_WINDOWS; i++)
		raw->window[i] = cpu_to_le32(knobs->window[i]);
	raw->up = cpu_to_le32(knobs->up);
	raw->down = cpu_to_le32(knobs->down);
	raw->wait = cpu_to_le32(knobs->wait);
	raw->hold = cpu_to_le32(knobs->hold);
	raw->break_even = cpu_to_le32(knobs->break_even);
	raw->min_gear = cpu_to_le32(knobs->min_gear);
	raw->max_gear = cpu_to_le32(knobs->max_gear);
	raw->regrets = cpu_to_le32(policy->regrets);
	raw->sleep = cpu_to_le64(policy->sleep);
	raw->sleeps = cpu_to_le32(policy->sleeps);
	for (i = 0; i < PAR_SURGE_KINDS; i++)
		pack_spans(&raw->surges[i], &raw->nr_surges[i], &policy->surges[i]);
	pack_spans(&raw->pauses, &raw->nr_pauses, &policy->pauses);
	raw->starts_in = cpu_to_le32(policy->starts_in);
	raw->leaves_in = cpu_to_le32(policy->leaves_in);
	raw->hour = cpu_to_le64(policy->hour);
	pack_hours(raw, policy);
}

static void unpack_policy(struct par_policy_record *policy,
			  const struct par_disk_super *raw)
{
	struct par_knobs *knobs = &policy->knobs;
	unsigned int i;

	knobs->automatic = le32_to_cpu(raw->policy_flags) & PAR_POLICY_AUTO;
	knobs->interval = le32_to_cpu(raw->interval);
	for (i = 0; i < PAR_WINDOWS; i++)
		knobs->window[i] = le32_to_cpu(raw->window[i]);
	knobs->up = le32_to_cpu(raw->up);
	knobs->down = le32_to_cpu(raw->down);
	knobs->wait = le32_to_cpu(raw->wait);
	knobs->hold = le32_to_cpu(raw->hold);
	knobs->break_even = le32_to_cpu(raw->break_even);
	knobs->min_gear = le32_to_cpu(raw->min_gear);
	knobs->max_gear = le32_to_cpu(raw->max_gear);
	policy->regrets = le32_to_cpu(raw->regrets);
	policy->sleep = le64_to_cpu(raw->sleep);
	policy->sleeps = le32_to_cpu(raw->sleeps);
	for (i = 0; i < PAR_SURGE_KINDS; i++)
		unpack_spans(&policy->surges[i], &raw->surges[i], raw->nr_surges[i]);
	unpack_spans(&policy->pauses, &raw->pauses, raw->nr_pauses);
	policy->starts_in = le32_to_cpu(raw->starts_in);
	policy->leaves_in = le32_to_cpu(raw->leaves_in);
	policy->hour = le64_to_cpu(raw->hour);
	unpack_hours(policy, raw);
}

static void pack_scrub(struct par_disk_super *raw, const struct par_scrub_record *scrub,
		       const struct par_geometry *geo)
{
	unsigned int i;

	raw->scrub_flags = cpu_to_le32(scrub->wakes ? PAR_SCRUB_WAKES : 0);
	raw->scrub_age = cpu_to_le32(scrub->age);
	for (i = 1; i <= geo->gears; i++)
		raw->scrubbed[i - 1] = cpu_to_le64(scrub->last[i]);
}

static void unpack_scrub(struct par_scrub_record *scrub,
			 const struct par_disk_super *raw, const struct par_geometry *geo)
{
	unsigned int i;

	scrub->wakes = le32_to_cpu(raw->scrub_flags) & PAR_SCRUB_WAKES;
	scrub->age = le32_to_cpu(raw->scrub_age);
	for (i = 1; i <= geo->gears; i++)
		scrub->last[i] = le64_to_cpu(raw->scrubbed[i - 1]);
}

static void pack_log(struct par_disk_super *raw, const struct par_log_record *log, u64 sectors)
{
	unsigned int i;

	raw->log_sectors = cpu_to_le64(sectors);
	raw->log_tail = cpu_to_le64(log->tail);
	raw->log_stable = cpu_to_le64(log->stable);
	raw->log_run = cpu_to_le64(log->run);
	raw->log_absent = cpu_to_le32(log->absent);
	raw->log_left = cpu_to_le32(log->left);
	raw->log_summaries_from = cpu_to_le64(log->summaries_from);
	for (i = 0; i < log->lost.count; i++)
		raw->log_lost[i] = cpu_to_le64(log->lost.entry[i].block << 8 |
					       log->lost.entry[i].sectors);
}

static void unpack_log(struct par_log_record *log, const struct par_disk_super *raw)
{
	unsigned int i;

	log->tail = le64_to_cpu(raw->log_tail);
	log->stable = le64_to_cpu(raw->log_stable);
	log->run = le64_to_cpu(raw->log_run);
	log->absent = le32_to_cpu(raw->log_absent);
	log->left = le32_to_cpu(raw->log_left);
	log->summaries_from = le64_to_cpu(raw->log_summaries_from);
	log->lost.count = 0;
	for (i = 0; i < PAR_LOG_LOST && raw->log_lost[i]; i++)
		par_log_lost_add(&log->lost, le64_to_cpu(raw->log_lost[i]) >> 8,
				 le64_to_cpu(raw->log_lost[i]));
}

static void pack_slots(struct par_disk_super *raw, const struct par_fill_record *fill,
		       const struct par_geometry *geo)
{
	raw->share = cpu_to_le32(geo->share);
	raw->run = cpu_to_le32(geo->run_sectors);
	raw->tract = cpu_to_le32(geo->tract_sectors);
	raw->steady = cpu_to_le64(geo->steady);
	raw->fill_bytes = cpu_to_le64(fill->bytes);
	raw->fill_time = cpu_to_le32(fill->time);
}

/* Without slots the fields are of none, and are not looked at. */
static void unpack_fill(struct par_fill_record *fill, const struct par_disk_super *raw,
			const struct par_geometry *geo)
{
	memset(fill, 0, sizeof(*fill));
	if (!par_has_slots(geo))
		return;
	fill->bytes = le64_to_cpu(raw->fill_bytes);
	fill->time = le32_to_cpu(raw->fill_time);
}

static bool same_slots(const struct par_disk_super *raw, const struct par_geometry *geo)
{
	if (!raw->share)
		return !par_has_slots(geo);
	return le32_to_cpu(raw->share) == geo->share &&
	       le32_to_cpu(raw->run) == geo->run_sectors &&
	       le32_to_cpu(raw->tract) == geo->tract_sectors &&
	       le64_to_cpu(raw->steady) == geo->steady;
}

bool par_birth_read(const struct par_disk_birth *raw, const u8 *uuid, struct par_birth *birth,
		    bool *ours)
{
	if (memcmp(raw->magic, PAR_BIRTH_MAGIC, sizeof(raw->magic)) ||
	    le32_to_cpu(raw->crc) != par_block_crc(raw, offsetof(struct par_disk_birth, crc)))
		return false;
	*ours = !memcmp(raw->uuid, uuid, sizeof(raw->uuid));
	birth->log = le64_to_cpu(raw->log_sectors);
	birth->share = le32_to_cpu(raw->share);
	birth->run = le32_to_cpu(raw->run);
	birth->tract = le32_to_cpu(raw->tract);
	birth->steady = le64_to_cpu(raw->steady);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_birth_read);

void par_birth_pack(struct par_disk_birth *raw, const u8 *uuid, const struct par_birth *birth)
{
	memset(raw, 0, sizeof(*raw));
	memcpy(raw->magic, PAR_BIRTH_MAGIC, sizeof(raw->magic));
	memcpy(raw->uuid, uuid, sizeof(raw->uuid));
	raw->log_sectors = cpu_to_le64(birth->log);
	raw->share = cpu_to_le32(birth->share);
	raw->run = cpu_to_le32(birth->run);
	raw->tract = cpu_to_le32(birth->tract);
	raw->steady = cpu_to_le64(birth->steady);
	raw->crc = cpu_to_le32(par_block_crc(raw, offsetof(struct par_disk_birth, crc)));
}
EXPORT_SYMBOL_IF_KUNIT(par_birth_pack);

void par_birth_of(const struct par_geometry *geo, struct par_birth *birth)
{
	memset(birth, 0, sizeof(*birth));
	birth->log = geo->log_sectors;
	if (!par_has_slots(geo))
		return;
	birth->share = geo->share;
	birth->run = geo->run_sectors;
	birth->tract = geo->tract_sectors;
	birth->steady = geo->steady;
}
EXPORT_SYMBOL_IF_KUNIT(par_birth_of);

static bool either_open(u64 a, u64 b)
{
	return a == b || !a || !b;
}

bool par_birth_agree(const struct par_birth *a, const struct par_birth *b)
{
	return a->log == b->log && (a->share ?: PAR_SHARE_ALL) == (b->share ?: PAR_SHARE_ALL) &&
	       either_open(a->run, b->run) && either_open(a->tract, b->tract) &&
	       either_open(a->steady, b->steady);
}
EXPORT_SYMBOL_IF_KUNIT(par_birth_agree);

void par_super_pack(struct par_disk_super *raw, const struct par_super *sb,
		    const struct par_geometry *geo, unsigned int member)
{
	unsigned int i;

	memset(raw, 0, sizeof(*raw));
	memcpy(raw->magic, PAR_SB_MAGIC, sizeof(raw->magic));
	raw->version = cpu_to_le32(PAR_SB_VERSION);
	memcpy(raw->uuid, sb->uuid, sizeof(raw->uuid));
	raw->ctime = cpu_to_le64(sb->ctime);
	raw->epoch = cpu_to_le64(sb->epoch);
	raw->seq = cpu_to_le64(sb->seq);
	raw->block_seq = cpu_to_le64(sb->block_seq);
	raw->layout = cpu_to_le32(geo->layout);
	raw->members = cpu_to_le32(geo->members);
	raw->chunk = cpu_to_le32(geo->chunk_sectors);
	raw->segment = cpu_to_le32(geo->seg_sectors);
	raw->dev_sectors = cpu_to_le64(geo->dev_sectors);
	raw->meta_sectors = cpu_to_le64(geo->meta_sectors);
	raw->array_sectors = cpu_to_le64(geo->array_sectors);
	raw->sets = cpu_to_le32(geo->gears);
	raw->gear = cpu_to_le32(geo->set[sb->gear].members);
	raw->member = cpu_to_le32(member);
	raw->flags = cpu_to_le32(sb->flags | (sb->lost ? PAR_SB_LOST : 0));
	raw->speed_min = cpu_to_le32(sb->speed_min);
	raw->speed_max = cpu_to_le32(sb->speed_max);
	raw->partial = cpu_to_le32(sb->partial);
	for (i = 0; i < PAR_MAX_MEMBERS; i++)
		raw->min_seq[i] = cpu_to_le64(sb->min_seq[i]);
	for (i = 1; i <= geo->gears; i++)
		pack_set(&raw->set[i - 1], &sb->set[i], &geo->set[i]);
	if (geo->log_sectors)
		pack_log(raw, &sb->log, geo->log_sectors);
	if (par_has_slots(geo))
		pack_slots(raw, &sb->fill, geo);
	pack_power(raw, &sb->power, geo);
	pack_policy(raw, &sb->policy);
	pack_scrub(raw, &sb->scrub, geo);
	raw->crc = cpu_to_le32(super_crc(raw));
}
EXPORT_SYMBOL_IF_KUNIT(par_super_pack);

static bool same_geometry(const struct par_disk_super *raw,
			  const struct par_geometry *geo)
{
	unsigned int i;

	if (le32_to_cpu(raw->layout) != geo->layout ||
	    le32_to_cpu(raw->members) != geo->members ||
	    le32_to_cpu(raw->chunk) != geo->chunk_sectors ||
	    le32_to_cpu(raw->segment) != geo->seg_sectors ||
	    le64_to_cpu(raw->dev_sectors) != geo->dev_sectors ||
	    le64_to_cpu(raw->meta_sectors) != geo->meta_sectors ||
	    le64_to_cpu(raw->array_sectors) != geo->array_sectors ||
	    le64_to_cpu(raw->log_sectors) != geo->log_sectors || !same_slots(raw, geo) ||
	    le32_to_cpu(raw->sets) != geo->gears)
		return false;
	for (i = 1; i <= geo->gears; i++)
		if (le64_to_cpu(raw->set[i - 1].start) != geo->set[i].start ||
		    le64_to_cpu(raw->set[i - 1].sectors) != geo->set[i].sectors)
			return false;
	return true;
}

/* The gear's number from its size in members; 0 if there is no such gear. */
static unsigned int gear_number(const struct par_geometry *geo, u32 members)
{
	unsigned int i;

	for (i = geo->gears; i >= 1; i--)
		if (geo->set[i].members == members)
			break;
	return i;
}

static bool is_of(const struct par_disk_super *raw, const struct par_identity *id)
{
	if (id->epoch && le64_to_cpu(raw->epoch) == id->epoch)
		return true;
	return !memcmp(raw->uuid, id->uuid, sizeof(raw->uuid)) &&
	       le64_to_cpu(raw->ctime) == id->ctime;
}

void par_super_birth(const struct par_disk_super *raw, struct par_birth *birth)
{
	memset(birth, 0, sizeof(*birth));
	birth->log = le64_to_cpu(raw->log_sectors);
	if (!raw->share)
		return;
	birth->share = le32_to_cpu(raw->share);
	birth->run = le32_to_cpu(raw->run);
	birth->tract = le32_to_cpu(raw->tract);
	birth->steady = le64_to_cpu(raw->steady);
}
EXPORT_SYMBOL_IF_KUNIT(par_super_birth);

bool par_super_owner(const struct par_disk_super *raw, struct par_identity *id)
{
	if (memcmp(raw->magic, PAR_SB_MAGIC, sizeof(raw->magic)) ||
	    le32_to_cpu(raw->crc) != super_crc(raw))
		return false;
	memcpy(id->uuid, raw->uuid, sizeof(id->uuid));
	id->ctime = le64_to_cpu(raw->ctime);
	id->epoch = le64_to_cpu(raw->epoch);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_super_owner);

/*
 * Identity is checked before version and geometry: a leftover of another array is called
 * foreign even if these differ as well.
 */
static enum par_format_error super_check(const struct par_disk_super *raw,
					 const struct par_geometry *geo,
					 const struct par_identity *id,
					 unsigned int member)
{
	if (memcmp(raw->magic, PAR_SB_MAGIC, sizeof(raw->magic)))
		return PAR_FMT_ABSENT;
	if (le32_to_cpu(raw->crc) != super_crc(raw))
		return PAR_FMT_TORN;
	if (!is_of(raw, id))
		return PAR_FMT_FOREIGN;
	if (le32_to_cpu(raw->version) != PAR_SB_VERSION)
		return PAR_FMT_VERSION;
	if (le32_to_cpu(raw->member) != member)
		return PAR_FMT_FOREIGN;
	if (!same_geometry(raw, geo) || !gear_number(geo, le32_to_cpu(raw->gear)))
		return PAR_FMT_GEOMETRY;
	return par_super_records_ok(raw, geo) ? PAR_FMT_OK : PAR_FMT_RANGE;
}

enum par_format_error par_super_unpack(struct par_super *sb,
				       const struct par_disk_super *raw,
				       const struct par_geometry *geo,
				       const struct par_identity *id,
				       unsigned int member)
{
	enum par_format_error err = super_check(raw, geo, id, member);
	unsigned int i;

	if (err)
		return err;
	memcpy(sb->uuid, raw->uuid, sizeof(sb->uuid));
	sb->ctime = le64_to_cpu(raw->ctime);
	sb->epoch = le64_to_cpu(raw->epoch);
	sb->seq = le64_to_cpu(raw->seq);
	sb->block_seq = le64_to_cpu(raw->block_seq);
	sb->gear = gear_number(geo, le32_to_cpu(raw->gear));
	sb->flags = le32_to_cpu(raw->flags) & ~PAR_SB_LOST;
	sb->speed_min = le32_to_cpu(raw->speed_min);
	sb->speed_max = le32_to_cpu(raw->speed_max);
	sb->partial = le32_to_cpu(raw->partial);
	for (i = 0; i < PAR_MAX_MEMBERS; i++)
		sb->min_seq[i] = le64_to_cpu(raw->min_seq[i]);
	for (i = 1; i <= geo->gears; i++)
		unpack_set(&sb->set[i], &raw->set[i - 1]);
	sb->lost = le32_to_cpu(raw->flags) & PAR_SB_LOST;
	if (geo->log_sectors)
		unpack_log(&sb->log, raw);
	unpack_fill(&sb->fill, raw, geo);
	unpack_power(&sb->power, raw, geo);
	unpack_policy(&sb->policy, raw);
	unpack_scrub(&sb->scrub, raw, geo);
	return PAR_FMT_OK;
}
EXPORT_SYMBOL_IF_KUNIT(par_super_unpack);

void par_block_seal(struct par_disk_block *raw, enum par_block_kind kind,
		    u32 index, u64 epoch, u64 seq)
{
	raw->magic = cpu_to_le32(PAR_BLOCK_MAGIC);
	raw->kind = cpu_to_le32(kind);
	raw->index = cpu_to_le32(index);
	raw->epoch = cpu_to_le64(epoch);
	raw->seq = cpu_to_le64(seq);
	memset(raw->pad0, 0, sizeof(raw->pad0));
	memset(raw->pad1, 0, sizeof(raw->pad1));
	raw->crc = cpu_to_le32(par_block_crc(raw, offsetof(struct par_disk_block, crc)));
}
EXPORT_SYMBOL_IF_KUNIT(par_block_seal);

static bool claims_block(const struct par_disk_block *raw, enum par_block_kind kind,
			 u32 index, u64 epoch)
{
	return le32_to_cpu(raw->magic) == PAR_BLOCK_MAGIC &&
	       le32_to_cpu(raw->kind) == kind &&
	       le32_to_cpu(raw->index) == index &&
	       le64_to_cpu(raw->epoch) == epoch;
}

static bool block_whole(const struct par_disk_block *raw)
{
	return le32_to_cpu(raw->crc) ==
		par_block_crc(raw, offsetof(struct par_disk_block, crc));
}

bool par_block_check(const struct par_disk_block *raw, enum par_block_kind kind,
		     u32 index, u64 epoch)
{
	return claims_block(raw, kind, index, epoch) && block_whole(raw);
}
EXPORT_SYMBOL_IF_KUNIT(par_block_check);

u64 par_block_torn(const struct par_disk_block *raw, enum par_block_kind kind,
		   u32 index, u64 epoch)
{
	return claims_block(raw, kind, index, epoch) && !block_whole(raw) ?
		le64_to_cpu(raw->seq) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_block_torn);

u64 par_super_sector(unsigned int slot)
{
	return slot * PAR_BLOCK_SECTORS;
}

u64 par_block_sector(const struct par_geometry *geo, enum par_block_kind kind, u32 index,
		     unsigned int slot)
{
	switch (kind) {
	case PAR_BLOCK_INTENT:
		return par_intent_sector(index, slot);
	case PAR_BLOCK_LOST:
		return par_lost_sector(slot);
	case PAR_BLOCK_SLOT:
		return par_map_sector(geo, geo->map_blocks + index, slot);
	default:
		return par_map_sector(geo, index, slot);
	}
}
