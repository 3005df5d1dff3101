// SPDX-License-Identifier: GPL-2.0
//! The module's structs and functions as C has them: pure/{geometry,slot-place,ration,knobs,policy-record}.h
//! and policy/{window,surge,policy,predict,history}.h in drivers/md/raid-par. What the fields mean
//! is said there. A test compares every size and offset with the C compiler's (layout.c).

use std::ffi::{c_char, c_int, c_uint};

pub const MAX_MEMBERS: usize = 28;
pub const MAX_SETS: usize = MAX_MEMBERS - 1;
pub const WINDOW_MAX: usize = 900;
pub const WINDOWS: usize = 2;
pub const SPANS: usize = 16;
pub const SURGE_KINDS: usize = 4;
pub const SIZES: usize = 3;
pub const HISTORY_HOURS: usize = 7 * 24;
pub const LOAD_ONE: u32 = 10_000;
pub const LAYOUT_UNSET: u32 = 0xfffe;
pub const SECTOR: u64 = 512;

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SetGeometry {
    pub members: c_uint,
    pub start: u64,
    pub sectors: u64,
    pub rows: u64,
    pub width: c_uint,
    pub zones: u32,
    pub zone_base: u32,
    pub block_zones: c_uint,
    pub blocks: u32,
    pub block_base: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Band {
    pub imaged: c_uint,
    pub runs: u64,
    pub slots: u64,
    pub block_base: u32,
    pub blocks: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Default)]
pub struct Geometry {
    pub layout: u32,
    pub child_level: c_uint,
    pub parities: c_uint,
    pub members: c_uint,
    pub gears: c_uint,
    pub chunk_sectors: u32,
    pub seg_sectors: u32,
    pub seg_shift: c_uint,
    pub dev_sectors: u64,
    pub meta_sectors: u64,
    pub log_sectors: u64,
    pub array_sectors: u64,
    pub zones: u32,
    pub map_blocks: u32,
    pub intent_blocks: u32,
    pub set: [SetGeometry; MAX_SETS + 1],
    pub share: c_uint,
    pub run_sectors: u32,
    pub tract_sectors: u32,
    pub run_shift: c_uint,
    pub steady: u64,
    pub low_in_tracts: u64,
    pub tracts: u64,
    pub slot_blocks: u32,
    pub band: [Band; MAX_SETS + 1],
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SlotAsk {
    pub layout: u32,
    pub disks: c_uint,
    pub chunk: u32,
    pub steady: u64,
    pub sleeper: u64,
    pub log: u64,
    pub share: c_uint,
    pub run: u32,
    pub tract: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Knobs {
    pub automatic: bool,
    /// ms
    pub interval: u32,
    /// intervals: short, long
    pub window: [u32; WINDOWS],
    /// percent
    pub up: u32,
    pub down: u32,
    /// ms
    pub wait: u32,
    /// s
    pub hold: u32,
    pub break_even: u32,
    pub min_gear: u32,
    pub max_gear: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Window {
    pub length: c_uint,
    pub count: c_uint,
    pub sum: [u64; MAX_SETS + 1],
    pub squares: [u64; MAX_SETS + 1],
    pub requests: u64,
    pub waited: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interval {
    pub load: [u16; MAX_SETS + 1],
    pub requests: u32,
    pub writes: u32,
    pub sectors: u32,
    pub waited: u64,
}

#[repr(C)]
#[derive(Debug)]
pub struct Series {
    pub gears: c_uint,
    pub next: c_uint,
    pub filled: c_uint,
    pub window: [Window; WINDOWS],
    pub interval: *mut Interval,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Spans {
    pub lasted: [u32; SPANS],
    pub count: c_uint,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Surge {
    pub since: u64,
    pub last: u64,
    pub ended: u64,
    pub requests: u64,
    pub sectors: u64,
    pub writes: u64,
    pub past: [Spans; SURGE_KINDS],
    pub pauses: Spans,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decision {
    pub gear: c_uint,
    pub about: c_uint,
    pub reason: c_uint,
    pub seconds: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Situation {
    pub now: u64,
    pub gear: c_uint,
    pub target: c_uint,
    pub why: c_uint,
    pub blind: bool,
    pub degraded: bool,
    pub syncing: bool,
    pub refused: [u64; MAX_SETS + 1],
    pub rationed: bool,
    pub starts: u64,
    pub share: u64,
    pub day: u32,
    pub outrun: u64,
    pub owed: [u32; MAX_SETS + 1],
    pub gap: [u64; MAX_SETS + 1],
    pub fills: u64,
    pub draining: bool,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Misses {
    pub last: u64,
    pub period: u64,
    pub sleeps: u64,
    pub slept: u64,
    pub lasted: u64,
    pub usual: bool,
}

#[repr(C)]
pub struct Policy {
    pub geo: *const Geometry,
    pub knobs: Knobs,
    pub series: Series,
    pub quiet_since: [u64; MAX_SETS + 1],
    pub borne_since: [u64; MAX_SETS + 1],
    pub calm_since: [u64; MAX_SETS + 1],
    pub surge: Surge,
    pub level: u32,
    pub starts_in: u32,
    pub leaves_in: u32,
    pub risen: c_uint,
    pub failed: [u64; MAX_SETS + 1],
    pub failed_for: [u32; MAX_SETS + 1],
    pub slow: [u32; MAX_SETS + 1],
    pub slow_at: u32,
    pub was_slow: bool,
    pub misses: [Misses; MAX_SETS + 1],
    pub shifted: u64,
    pub slept_since: u64,
    pub sleep: u64,
    pub sleeps: u32,
    pub regrets: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Default)]
pub struct Sample {
    pub ns: u64,
    pub gear: c_uint,
    pub shifted: bool,
    pub others: bool,
    pub synced: bool,
    pub requests: [u64; 2],
    pub waited_ns: [u64; 2],
    pub sectors: u64,
    pub flushes: u64,
    pub flush_ns: u64,
    pub home: [[u64; 2]; MAX_MEMBERS],
    pub sent: u64,
    pub log_sent: u64,
    pub logged: u64,
    pub busy_ns: u64,
    pub drained: bool,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Ratio {
    pub counted: u64,
    pub among: u64,
}

#[repr(C)]
pub struct Forecast {
    pub geo: *const Geometry,
    pub gear: c_uint,
    pub before: c_uint,
    pub compared: c_uint,
    pub copies: c_uint,
    pub before_cost: [u64; SIZES],
    pub cost: [Ratio; SIZES],
    pub fresh: [Ratio; SIZES],
    pub image_write: [[Ratio; MAX_SETS + 1]; SIZES],
    pub home: [[[Ratio; 2]; MAX_MEMBERS]; SIZES],
    pub logged: Ratio,
    pub dearer: [u32; MAX_SETS + 1],
}

#[repr(C)]
pub struct History {
    pub hour: u64,
    pub mean: [u16; HISTORY_HOURS],
    pub peak: [u16; HISTORY_HOURS],
    pub misses: [u8; HISTORY_HOURS],
    pub now: u64,
    pub sum: u64,
    pub ns: u64,
    pub missed: u32,
    pub most: u16,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hour {
    pub days: c_uint,
    pub mean: u32,
    pub peak: u32,
    pub misses: u32,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Ration {
    pub cycles: u32,
    pub years: u32,
    pub left: u64,
    pub since: u64,
}

unsafe extern "C" {
    pub fn par_slot_place_init(geo: *mut Geometry, ask: *const SlotAsk, why: *mut c_uint)
    -> c_uint;
    pub fn par_slot_strerror(error: c_uint, why: c_uint) -> *const c_char;

    pub fn par_knobs_init(knobs: *mut Knobs, geo: *const Geometry);
    pub fn par_knobs_error(knobs: *const Knobs, geo: *const Geometry) -> *const c_char;

    pub fn par_policy_init(
        policy: *mut Policy,
        geo: *const Geometry,
        interval: *mut Interval,
        now: u64,
    );
    pub fn par_policy_set(policy: *mut Policy, knobs: *const Knobs);
    pub fn par_policy_see(policy: *mut Policy, interval: *const Interval, gear: c_uint, now: u64);
    pub fn par_policy_decide(policy: *const Policy, is: *const Situation) -> Decision;
    pub fn par_policy_shifted(
        policy: *mut Policy,
        old: c_uint,
        gear: c_uint,
        why: c_uint,
        asked: u64,
        now: u64,
    );
    pub fn par_policy_failed(policy: *mut Policy, gear: c_uint, now: u64);
    pub fn par_policy_hold(policy: *const Policy) -> u64;
    pub fn par_reason_name(reason: c_uint) -> *const c_char;
    pub fn par_policy_explain(
        policy: *const Policy,
        is: *const Situation,
        line: *mut c_char,
        size: usize,
    ) -> c_int;

    pub fn par_forecast_init(forecast: *mut Forecast, geo: *const Geometry);
    pub fn par_forecast_see(
        forecast: *mut Forecast,
        sample: *const Sample,
        interval: *mut Interval,
    ) -> bool;

    pub fn par_history_init(history: *mut History);
    pub fn par_history_see(history: *mut History, load: u32, ns: u64, now: u64) -> c_uint;
    pub fn par_history_of(history: *const History, hour: c_uint) -> Hour;

    pub fn par_ration_begin(ration: *mut Ration, now: u64);
    pub fn par_ration_tick(ration: *mut Ration, carry: u32, now: u64);
    pub fn par_ration_left(ration: *const Ration) -> u64;
    pub fn par_ration_spend(ration: *mut Ration);
    pub fn par_ration_wait(ration: *const Ration, now: u64) -> u64;
    pub fn par_ration_day(ration: *const Ration) -> u32;
    pub fn par_ration_share(ration: *const Ration, now: u64) -> u64;
    pub fn par_ration_set(ration: *mut Ration, cycles: u32, years: u32, carry: u32) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::ffi::CStr;
    use std::mem::{offset_of, size_of};

    #[repr(C)]
    struct Fact {
        name: *const c_char,
        value: usize,
    }

    unsafe extern "C" {
        fn par_layout_facts(count: *mut usize) -> *const Fact;
    }

    fn of_c() -> BTreeMap<String, usize> {
        let mut count = 0;
        // SAFETY: it returns a static array of `count` facts with static names.
        unsafe {
            let facts = par_layout_facts(&mut count);
            std::slice::from_raw_parts(facts, count)
                .iter()
                .map(|fact| {
                    let name = CStr::from_ptr(fact.name).to_str().unwrap();
                    (name.to_owned(), fact.value)
                })
                .collect()
        }
    }

    macro_rules! facts {
        ($($name:literal: $type:ident { $($field:ident),* $(,)? })*) => {{
            let mut facts = BTreeMap::new();
            $(
                facts.insert($name.to_owned(), size_of::<$type>());
                $( facts.insert(
                    format!("{}.{}", $name, stringify!($field)),
                    offset_of!($type, $field),
                ); )*
            )*
            facts
        }};
    }

    fn of_rust() -> BTreeMap<String, usize> {
        let mut facts = facts! {
            "par_set_geometry": SetGeometry { members, start, sectors, rows, width, zones, zone_base,
                block_zones, blocks, block_base }
            "par_geometry": Geometry { layout, child_level, parities, members, gears, chunk_sectors,
                seg_sectors, seg_shift, dev_sectors, meta_sectors, log_sectors, array_sectors,
                zones, map_blocks, intent_blocks, set, share, run_sectors, tract_sectors,
                run_shift, steady, low_in_tracts, tracts, slot_blocks, band }
            "par_band": Band { imaged, runs, slots, block_base, blocks }
            "par_slot_ask": SlotAsk { layout, disks, chunk, steady, sleeper, log, share, run, tract }
            "par_knobs": Knobs { automatic, interval, window, up, down, wait, hold, break_even,
                min_gear, max_gear }
            "par_window": Window { length, count, sum, squares, requests, waited }
            "par_interval": Interval { load, requests, writes, sectors, waited }
            "par_series": Series { gears, next, filled, window, interval }
            "par_spans": Spans { lasted, count }
            "par_surge": Surge { since, last, ended, requests, sectors, writes, past, pauses }
            "par_misses": Misses { last, period, sleeps, slept, lasted, usual }
            "par_decision": Decision { gear, about, reason, seconds }
            "par_situation": Situation { now, gear, target, why, blind, degraded, syncing, refused,
                rationed, starts, share, day, outrun, owed, gap, fills, draining }
            "par_policy": Policy { geo, knobs, series, quiet_since, borne_since, calm_since, surge,
                level, starts_in, leaves_in, risen, failed, failed_for, slow, slow_at, was_slow,
                misses, shifted, slept_since, sleep, sleeps, regrets }
            "par_sample": Sample { ns, gear, shifted, others, synced, requests, waited_ns, sectors,
                flushes, flush_ns, home, sent, log_sent, logged, busy_ns, drained }
            "par_ratio": Ratio { counted, among }
            "par_forecast": Forecast { geo, gear, before, compared, copies, before_cost, cost,
                fresh, image_write, home, logged, dearer }
            "par_history": History { hour, mean, peak, misses, now, sum, ns, missed,
                most }
            "par_hour": Hour { days, mean, peak, misses }
            "par_ration": Ration { cycles, years, left, since }
        };
        let numbers = [
            ("PAR_MAX_MEMBERS", MAX_MEMBERS),
            ("PAR_MAX_SETS", MAX_SETS),
            ("PAR_WINDOW_MAX", WINDOW_MAX),
            ("PAR_WINDOWS", WINDOWS),
            ("PAR_SPANS", SPANS),
            ("PAR_SURGE_KINDS", SURGE_KINDS),
            ("PAR_SIZES", SIZES),
            ("PAR_HISTORY_HOURS", HISTORY_HOURS),
            ("PAR_LOAD_ONE", usize::try_from(LOAD_ONE).unwrap()),
            ("PAR_LAYOUT_UNSET", usize::try_from(LAYOUT_UNSET).unwrap()),
            ("PAR_WHYS", crate::policy_ffi::Reason::ALL.len()),
        ];
        facts.extend(numbers.map(|(name, value)| (name.to_owned(), value)));
        facts
    }

    #[test]
    fn the_structs_are_those_of_c() {
        assert_eq!(of_c(), of_rust());
    }
}
