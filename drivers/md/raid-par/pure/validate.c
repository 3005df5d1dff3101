// SPDX-License-Identifier: GPL-2.0
/*
 * Allowed values in metadata: see validate.h for the contract.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <kunit/visibility.h>

#include "pure/idle.h"
#include "pure/log-place.h"
#include "pure/slot-map.h"
#include "pure/validate.h"

static const char * const par_odd_names[] = {
	[PAR_ODD_FLAGS] = "flags",
	[PAR_ODD_POSITION] = "position of a resync or rebuild",
	[PAR_ODD_EVENTS] = "event count of a set",
	[PAR_ODD_SPEED] = "propagation speeds",
	[PAR_ODD_POWER] = "power settings",
	[PAR_ODD_RATION] = "spin-up budget",
	[PAR_ODD_POLICY] = "policy settings",
	[PAR_ODD_HISTORY] = "load history",
	[PAR_ODD_SCRUB] = "check settings",
	[PAR_ODD_FILL] = "limits of a fill",
};

const char *par_odd_name(enum par_odd odd)
{
	return par_odd_names[odd];
}
EXPORT_SYMBOL_IF_KUNIT(par_odd_name);

/* ---- values that invalidate a copy ---- */

static bool members_only(__le32 mask, unsigned int members)
{
	return !(le32_to_cpu(mask) & ~(BIT(members) - 1));
}

static bool held_ok(const struct par_disk_super *raw, const struct par_geometry *geo)
{
	unsigned int d;

	/* min_seq is increased before it is stored: see par_write_super(). */
	for (d = 0; d < geo->members; d++)
		if (le64_to_cpu(raw->min_seq[d]) > le64_to_cpu(raw->seq))
			return false;
	return true;
}

/* A replay goes by all of this. */
static bool log_ok(const struct par_disk_super *raw, const struct par_geometry *geo)
{
	u64 tail = le64_to_cpu(raw->log_tail), stable = le64_to_cpu(raw->log_stable);
	struct par_log_shape shape;
	unsigned int i;
	u64 lost;

	if (!geo->log_sectors)
		return true;
	for (i = 0; i < PAR_LOG_LOST && raw->log_lost[i]; i++) {
		lost = le64_to_cpu(raw->log_lost[i]);
		if (!(u8)lost || lost >> 8 >= geo->array_sectors / PAR_LOG_BLOCK)
			return false;
	}
	/* The next run: no summary that is on the members counts. */
	if (le64_to_cpu(raw->log_summaries_from) > le64_to_cpu(raw->log_run) + 1)
		return false;
	return par_log_shape_of(&shape, geo) &&
	       par_log_shape_leave(&shape, le32_to_cpu(raw->log_left)) &&
	       stable <= PAR_SEQ_MAX && tail <= stable &&
	       stable - tail <= par_log_blocks(&shape) &&
	       le64_to_cpu(raw->log_run) <= PAR_SEQ_MAX &&
	       members_only(raw->log_absent, geo->set[1].members);
}

bool par_super_records_ok(const struct par_disk_super *raw,
			  const struct par_geometry *geo)
{
	unsigned int i;

	/* The first version that is stored is 1. */
	if (!raw->seq || le64_to_cpu(raw->seq) > PAR_SEQ_MAX ||
	    le64_to_cpu(raw->block_seq) > PAR_SEQ_MAX ||
	    !members_only(raw->partial, geo->members) || !held_ok(raw, geo) ||
	    !log_ok(raw, geo))
		return false;
	for (i = 1; i <= geo->gears; i++) {
		const struct par_disk_set *set = &raw->set[i - 1];

		if (!members_only(set->failed, geo->set[i].members) ||
		    !members_only(set->recovering, geo->set[i].members))
			return false;
	}
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_super_records_ok);

/* ---- values that are corrected ---- */

static u32 odd_if(bool odd, enum par_odd what)
{
	return odd ? BIT(what) : 0;
}

/* The position up to which something is right; all ones: everywhere. A smaller one is safe. */
static bool mend_position(u64 *position, u64 sectors)
{
	u64 was = *position;

	if (was == U64_MAX)
		return false;
	if (was > sectors)
		*position = 0;
	/* raid5 works in pages. */
	*position = round_down(*position, (u64)PAR_BLOCK_SECTORS);
	return *position != was;
}

static u32 mend_set(struct par_set_record *set, const struct par_set_geometry *sg)
{
	bool moved = mend_position(&set->recovered, sg->sectors);
	/* md WARNs when the count wraps. Nothing depends on its order: see child_setup(). */
	bool late = set->events > PAR_SEQ_MAX;

	moved |= mend_position(&set->resync, sg->sectors);
	if (late)
		set->events = 0;
	return odd_if(moved, PAR_ODD_POSITION) | odd_if(late, PAR_ODD_EVENTS);
}

static bool mend_speed(struct par_super *sb)
{
	if (sb->speed_min && sb->speed_min <= sb->speed_max)
		return false;
	sb->speed_min = PAR_SPEED_MIN;
	sb->speed_max = PAR_SPEED_MAX;
	return true;
}

static bool power_ok(const struct par_power_record *power)
{
	return power->carry <= PAR_CARRY_MAX && power->wake_timeout &&
	       power->wake_timeout <= PAR_WAKE_TIMEOUT_MAX &&
	       power->wake_stagger <= PAR_STAGGER_MAX &&
	       power->stop_after <= PAR_STOP_AFTER_MAX;
}

static void default_power(struct par_power_record *power, const struct par_geometry *geo, u64 now)
{
	unsigned int d;

	memset(power, 0, sizeof(*power));
	power->carry = PAR_CARRY_DEFAULT;
	power->wake_timeout = PAR_WAKE_TIMEOUT;
	power->stop_after = PAR_STOP_AFTER;
	for (d = 0; d < geo->members; d++)
		par_ration_begin(&power->ration[d], now);
}

static u32 mend_power(struct par_super *sb, const struct par_geometry *geo, u64 now)
{
	struct par_power_record *power = &sb->power;
	u32 odd = odd_if(!power_ok(power), PAR_ODD_POWER);
	unsigned int d;

	if (odd)
		default_power(power, geo, now);
	for (d = 0; d < geo->members; d++)
		odd |= odd_if(par_ration_mend(&power->ration[d], power->carry, now),
			      PAR_ODD_RATION);
	return odd;
}

/* Both loads of an hour are known, or neither is; and without slots there are no misses. */
static bool mend_history(struct par_policy_record *policy, const struct par_geometry *geo)
{
	bool odd = false;
	unsigned int i;

	for (i = 0; i < PAR_HISTORY_HOURS; i++) {
		bool mean = policy->mean[i] != PAR_LOAD_UNKNOWN;
		bool peak = policy->peak[i] != PAR_LOAD_UNKNOWN;

		if (mean == peak && (par_has_slots(geo) || !policy->misses[i]))
			continue;
		policy->mean[i] = PAR_LOAD_UNKNOWN;
		policy->peak[i] = PAR_LOAD_UNKNOWN;
		policy->misses[i] = 0;
		odd = true;
	}
	return odd;
}

/* Invalid data about surges is dropped, and learnt again. */
static bool mend_surges(struct par_policy_record *policy)
{
	bool odd = policy->pauses.count >= PAR_COUNT_END ||
		   policy->starts_in > PAR_STARTS_MAX || policy->leaves_in > PAR_LEAVES_MAX;
	unsigned int i;

	for (i = 0; i < PAR_SURGE_KINDS; i++)
		odd |= policy->surges[i].count >= PAR_COUNT_END;
	if (!odd)
		return false;
	memset(policy->surges, 0, sizeof(policy->surges));
	memset(&policy->pauses, 0, sizeof(policy->pauses));
	policy->starts_in = 0;
	policy->leaves_in = 0;
	return true;
}

static void default_policy(struct par_policy_record *policy, const struct par_geometry *geo)
{
	memset(policy, 0, sizeof(*policy));
	par_knobs_init(&policy->knobs, geo);
	memset(policy->mean, 0xff, sizeof(policy->mean));
	memset(policy->peak, 0xff, sizeof(policy->peak));
}

static u32 mend_policy(struct par_super *sb, const struct par_geometry *geo)
{
	struct par_policy_record *policy = &sb->policy;
	bool odd = par_knobs_error(&policy->knobs, geo) || policy->regrets > PAR_REGRETS_MAX ||
		   policy->sleep > PAR_SLEEP_MAX;

	if (odd)
		default_policy(policy, geo);
	return odd_if(odd, PAR_ODD_POLICY) |
	       odd_if(mend_history(policy, geo), PAR_ODD_HISTORY) |
	       odd_if(mend_surges(policy), PAR_ODD_HISTORY);
}

/* A set that was never read completely was written completely when the array was created. */
static void default_scrub(struct par_scrub_record *scrub, const struct par_geometry *geo, u64 now)
{
	unsigned int i;

	memset(scrub, 0, sizeof(*scrub));
	scrub->age = PAR_SCRUB_AGE_DEFAULT;
	for (i = 1; i <= geo->gears; i++)
		scrub->last[i] = now;
}

static u32 mend_scrub(struct par_super *sb, const struct par_geometry *geo, u64 now)
{
	bool odd = sb->scrub.age > PAR_SCRUB_AGE_MAX;

	if (odd)
		default_scrub(&sb->scrub, geo, now);
	return odd_if(odd, PAR_ODD_SCRUB);
}

/* A limit that was never stored is 0. */
static bool mend_fill(struct par_fill_record *fill)
{
	bool odd;

	fill->bytes = fill->bytes ?: PAR_FILL_BYTES;
	fill->time = fill->time ?: PAR_FILL_TIME;
	odd = fill->bytes < PAR_FILL_BYTES_MIN || fill->bytes > PAR_FILL_BYTES_MAX ||
	      fill->time > PAR_FILL_TIME_MAX;
	if (odd) {
		fill->bytes = PAR_FILL_BYTES;
		fill->time = PAR_FILL_TIME;
	}
	return odd;
}

void par_super_defaults(struct par_super *sb, const struct par_geometry *geo, u64 now)
{
	default_power(&sb->power, geo, now);
	default_policy(&sb->policy, geo);
	default_scrub(&sb->scrub, geo, now);
	par_super_mend(sb, geo, now);
}
EXPORT_SYMBOL_IF_KUNIT(par_super_defaults);

u32 par_super_mend(struct par_super *sb, const struct par_geometry *geo, u64 now)
{
	u32 odd = odd_if(sb->flags & ~PAR_SB_CLEAN, PAR_ODD_FLAGS);
	unsigned int i;

	sb->flags &= PAR_SB_CLEAN;
	for (i = 1; i <= geo->gears; i++)
		odd |= mend_set(&sb->set[i], &geo->set[i]);
	odd |= odd_if(mend_speed(sb), PAR_ODD_SPEED);
	odd |= mend_power(sb, geo, now);
	odd |= mend_policy(sb, geo);
	odd |= odd_if(mend_fill(&sb->fill), PAR_ODD_FILL);
	return odd | mend_scrub(sb, geo, now);
}
EXPORT_SYMBOL_IF_KUNIT(par_super_mend);

/* ---- blocks ---- */

bool par_intents_ok(const struct par_geometry *geo, const u8 *bytes, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if ((bytes[i] & PAR_INTENT_GEAR) > geo->gears ||
		    (bytes[i] & PAR_INTENT_RESYNC && !geo->parities))
			return false;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_intents_ok);

/* The low bits of the @width / 2 fields of a row. */
static u64 field_bits(unsigned int width)
{
	return GENMASK_ULL(width - 1, 0) & 0x5555555555555555ULL;
}

static bool rows_ok(const u8 *payload, unsigned int width, unsigned int rows)
{
	u64 each = field_bits(width), fields;
	unsigned int row, bit;

	/*
	 * A row has at most 54 bits, so these are within 8 bytes from any byte in which it
	 * begins.
	 */
	BUILD_BUG_ON(2 * (PAR_MAX_MEMBERS - 1) + 7 > 64);
	/* After the last row of the payload there is padding of the block. */
	BUILD_BUG_ON(sizeof_field(struct par_disk_block, pad1) < 8);
	for (row = 0; row < rows; row++) {
		bit = row * width;
		fields = get_unaligned_le64(payload + bit / 8) >> bit % 8;
		fields = (fields | fields >> 1) & each;
		if (fields && fields != each)
			return false;
	}
	return true;
}

bool par_map_ok(const struct par_geometry *geo, u32 block,
		const struct par_disk_block *raw)
{
	const struct par_set_geometry *sg = &geo->set[geo->gears];
	u64 first;

	while (block - sg->block_base >= sg->blocks)
		sg--;
	/* With one bit or one sleeper per row, a row cannot be half written. */
	if (sg->width <= 2)
		return true;
	first = (u64)(block - sg->block_base) * sg->block_zones * PAR_ZONE_ROWS;
	return rows_ok(raw->payload, sg->width,
		       min_t(u64, sg->block_zones * PAR_ZONE_ROWS, sg->rows - first));
}
EXPORT_SYMBOL_IF_KUNIT(par_map_ok);

bool par_slots_ok(const struct par_geometry *geo, u32 block, const struct par_disk_block *raw)
{
	const struct par_disk_slots *slots = (const struct par_disk_slots *)raw->payload;
	u32 index, i;
	const struct par_band *band = &geo->band[par_slot_block_band(geo, block, &index)];
	u64 slot = (u64)index * PAR_SLOTS_A_BLOCK;

	for (i = 0; i < PAR_SLOTS_A_BLOCK; i++, slot++)
		if (le32_to_cpu(slots->run[i]) > (slot < band->slots ? band->runs : 0))
			return false;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(par_slots_ok);

static bool payload_ok(const struct par_disk_block *raw, const struct par_geometry *geo,
		       enum par_block_kind kind, u32 index)
{
	u32 first = index * PAR_BLOCK_PAYLOAD;

	if (kind == PAR_BLOCK_MAP)
		return par_map_ok(geo, index, raw);
	if (kind == PAR_BLOCK_SLOT)
		return par_slots_ok(geo, index, raw);
	/* par_lost_unpack() checks the whole list before it uses any of it. */
	if (kind == PAR_BLOCK_LOST)
		return true;
	return par_intents_ok(geo, raw->payload,
			      min(PAR_BLOCK_PAYLOAD, geo->zones - first));
}

static bool seq_ok(const struct par_disk_block *raw)
{
	return raw->seq && le64_to_cpu(raw->seq) <= PAR_SEQ_MAX;
}

bool par_block_valid(const struct par_disk_block *raw, const struct par_geometry *geo,
		     enum par_block_kind kind, u32 index, u64 epoch)
{
	return par_block_check(raw, kind, index, epoch) && seq_ok(raw) &&
	       payload_ok(raw, geo, kind, index);
}
EXPORT_SYMBOL_IF_KUNIT(par_block_valid);

u64 par_block_damaged(const struct par_disk_block *raw, const struct par_geometry *geo,
		      enum par_block_kind kind, u32 index, u64 epoch)
{
	u64 torn = par_block_torn(raw, kind, index, epoch);

	if (!torn && par_block_check(raw, kind, index, epoch) &&
	    !payload_ok(raw, geo, kind, index))
		torn = le64_to_cpu(raw->seq);
	return seq_ok(raw) ? torn : 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_block_damaged);
