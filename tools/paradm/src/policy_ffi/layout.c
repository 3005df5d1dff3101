// SPDX-License-Identifier: GPL-2.0
/* Sizes and offsets of the structs that raw.rs declares anew, for the test that compares them. */
#include <stddef.h>

#include "policy/history.h"
#include "policy/policy.h"
#include "policy/predict.h"
#include "pure/ration.h"
#include "pure/slot-place.h"

struct par_layout_fact {
	const char *name;
	size_t value;
};

const struct par_layout_fact *par_layout_facts(size_t *count);

#define SIZE(type)		{ #type, sizeof(struct type) }
#define FIELD(type, field)	{ #type "." #field, offsetof(struct type, field) }
#define NUMBER(name)		{ #name, name }

static const struct par_layout_fact facts[] = {
	NUMBER(PAR_MAX_MEMBERS), NUMBER(PAR_MAX_SETS), NUMBER(PAR_WINDOW_MAX), NUMBER(PAR_WINDOWS),
	NUMBER(PAR_SPANS), NUMBER(PAR_SURGE_KINDS), NUMBER(PAR_SIZES), NUMBER(PAR_HISTORY_HOURS),
	NUMBER(PAR_LOAD_ONE), NUMBER(PAR_WHYS), NUMBER(PAR_LAYOUT_UNSET),
	SIZE(par_set_geometry), FIELD(par_set_geometry, members), FIELD(par_set_geometry, start),
	FIELD(par_set_geometry, sectors), FIELD(par_set_geometry, rows), FIELD(par_set_geometry, width),
	FIELD(par_set_geometry, zones), FIELD(par_set_geometry, zone_base),
	FIELD(par_set_geometry, block_zones), FIELD(par_set_geometry, blocks),
	FIELD(par_set_geometry, block_base),
	SIZE(par_geometry), FIELD(par_geometry, layout), FIELD(par_geometry, child_level),
	FIELD(par_geometry, parities), FIELD(par_geometry, members), FIELD(par_geometry, gears),
	FIELD(par_geometry, chunk_sectors), FIELD(par_geometry, seg_sectors),
	FIELD(par_geometry, seg_shift), FIELD(par_geometry, dev_sectors),
	FIELD(par_geometry, meta_sectors), FIELD(par_geometry, log_sectors),
	FIELD(par_geometry, array_sectors),
	FIELD(par_geometry, zones), FIELD(par_geometry, map_blocks), FIELD(par_geometry, intent_blocks),
	FIELD(par_geometry, set), FIELD(par_geometry, share), FIELD(par_geometry, run_sectors),
	FIELD(par_geometry, tract_sectors), FIELD(par_geometry, run_shift), FIELD(par_geometry, steady),
	FIELD(par_geometry, low_in_tracts), FIELD(par_geometry, tracts), FIELD(par_geometry, slot_blocks), FIELD(par_geometry, band),
	SIZE(par_band), FIELD(par_band, imaged), FIELD(par_band, runs), FIELD(par_band, slots),
	FIELD(par_band, block_base), FIELD(par_band, blocks),
	SIZE(par_slot_ask), FIELD(par_slot_ask, layout), FIELD(par_slot_ask, disks),
	FIELD(par_slot_ask, chunk), FIELD(par_slot_ask, steady), FIELD(par_slot_ask, sleeper),
	FIELD(par_slot_ask, log), FIELD(par_slot_ask, share), FIELD(par_slot_ask, run),
	FIELD(par_slot_ask, tract),
	SIZE(par_knobs), FIELD(par_knobs, automatic), FIELD(par_knobs, interval),
	FIELD(par_knobs, window), FIELD(par_knobs, up), FIELD(par_knobs, down), FIELD(par_knobs, wait),
	FIELD(par_knobs, hold), FIELD(par_knobs, break_even), FIELD(par_knobs, min_gear),
	FIELD(par_knobs, max_gear),
	SIZE(par_window), FIELD(par_window, length), FIELD(par_window, count), FIELD(par_window, sum),
	FIELD(par_window, squares), FIELD(par_window, requests), FIELD(par_window, waited),
	SIZE(par_interval), FIELD(par_interval, load), FIELD(par_interval, requests),
	FIELD(par_interval, writes), FIELD(par_interval, sectors), FIELD(par_interval, waited),
	SIZE(par_series), FIELD(par_series, gears), FIELD(par_series, next), FIELD(par_series, filled),
	FIELD(par_series, window), FIELD(par_series, interval),
	SIZE(par_spans), FIELD(par_spans, lasted), FIELD(par_spans, count),
	SIZE(par_surge), FIELD(par_surge, since), FIELD(par_surge, last), FIELD(par_surge, ended),
	FIELD(par_surge, requests), FIELD(par_surge, sectors), FIELD(par_surge, writes),
	FIELD(par_surge, past), FIELD(par_surge, pauses),
	SIZE(par_misses), FIELD(par_misses, last), FIELD(par_misses, period), FIELD(par_misses, sleeps),
	FIELD(par_misses, slept), FIELD(par_misses, lasted), FIELD(par_misses, usual),
	SIZE(par_decision), FIELD(par_decision, gear), FIELD(par_decision, about),
	FIELD(par_decision, reason), FIELD(par_decision, seconds),
	SIZE(par_situation), FIELD(par_situation, now), FIELD(par_situation, gear),
	FIELD(par_situation, target), FIELD(par_situation, why), FIELD(par_situation, blind),
	FIELD(par_situation, degraded), FIELD(par_situation, syncing), FIELD(par_situation, refused),
	FIELD(par_situation, rationed), FIELD(par_situation, starts), FIELD(par_situation, share),
	FIELD(par_situation, day), FIELD(par_situation, outrun), FIELD(par_situation, owed),
	FIELD(par_situation, gap),
	FIELD(par_situation, fills), FIELD(par_situation, draining),
	SIZE(par_policy), FIELD(par_policy, geo), FIELD(par_policy, knobs), FIELD(par_policy, series),
	FIELD(par_policy, quiet_since), FIELD(par_policy, borne_since), FIELD(par_policy, calm_since),
	FIELD(par_policy, surge), FIELD(par_policy, level), FIELD(par_policy, starts_in),
	FIELD(par_policy, leaves_in), FIELD(par_policy, risen), FIELD(par_policy, failed),
	FIELD(par_policy, failed_for), FIELD(par_policy, slow), FIELD(par_policy, slow_at),
	FIELD(par_policy, was_slow), FIELD(par_policy, misses), FIELD(par_policy, shifted), FIELD(par_policy, slept_since),
	FIELD(par_policy, sleep), FIELD(par_policy, sleeps), FIELD(par_policy, regrets),
	SIZE(par_sample), FIELD(par_sample, ns), FIELD(par_sample, gear), FIELD(par_sample, shifted),
	FIELD(par_sample, others), FIELD(par_sample, synced), FIELD(par_sample, requests),
	FIELD(par_sample, waited_ns), FIELD(par_sample, sectors), FIELD(par_sample, flushes),
	FIELD(par_sample, flush_ns), FIELD(par_sample, home), FIELD(par_sample, sent),
	FIELD(par_sample, log_sent), FIELD(par_sample, logged), FIELD(par_sample, busy_ns),
	FIELD(par_sample, drained),
	SIZE(par_ratio), FIELD(par_ratio, counted), FIELD(par_ratio, among),
	SIZE(par_forecast), FIELD(par_forecast, geo), FIELD(par_forecast, gear),
	FIELD(par_forecast, before), FIELD(par_forecast, compared), FIELD(par_forecast, copies),
	FIELD(par_forecast, before_cost),
	FIELD(par_forecast, cost), FIELD(par_forecast, fresh), FIELD(par_forecast, image_write),
	FIELD(par_forecast, home), FIELD(par_forecast, logged), FIELD(par_forecast, dearer),
	SIZE(par_history), FIELD(par_history, hour), FIELD(par_history, mean), FIELD(par_history, peak),
	FIELD(par_history, misses), FIELD(par_history, now), FIELD(par_history, sum),
	FIELD(par_history, ns), FIELD(par_history, missed), FIELD(par_history, most),
	SIZE(par_hour), FIELD(par_hour, days), FIELD(par_hour, mean), FIELD(par_hour, peak),
	FIELD(par_hour, misses),
	SIZE(par_ration), FIELD(par_ration, cycles), FIELD(par_ration, years), FIELD(par_ration, left),
	FIELD(par_ration, since),
};

const struct par_layout_fact *par_layout_facts(size_t *count)
{
	*count = ARRAY_SIZE(facts);
	return facts;
}
