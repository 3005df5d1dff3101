// SPDX-License-Identifier: GPL-2.0

use super::figures::Figures;
use super::{Family, Kind, Labels, Number};
use crate::array::{GearSlots, Slots};
use std::rc::Rc;

type Value = fn(&Slots) -> Number;
type OfGear = fn(&GearSlots) -> u64;

const FAMILIES: [(&str, Kind, &str, Value); 7] = [
    (
        "raidpar_array_image_share_ratio",
        Kind::Gauge,
        "Share of the array that can have images at a time.",
        |slots| (f64::from(slots.share_percent) / 100.0).into(),
    ),
    (
        "raidpar_array_slots",
        Kind::Gauge,
        "Number of slots, each a place for the images of a run.",
        |slots| slots.total.into(),
    ),
    (
        "raidpar_array_slots_free",
        Kind::Gauge,
        "Number of slots that belong to no run.",
        |slots| slots.free.into(),
    ),
    (
        "raidpar_array_hot_runs",
        Kind::Gauge,
        "Number of runs that were used lately, with or without a slot.",
        |slots| slots.hot.into(),
    ),
    (
        "raidpar_array_slot_uses_total",
        Kind::Counter,
        "Uses of runs since the array was started, in any gear.",
        |slots| slots.uses.into(),
    ),
    (
        "raidpar_array_slot_hits_total",
        Kind::Counter,
        "Uses of runs that had a slot since the array was started, in any gear.",
        |slots| slots.hits.into(),
    ),
    (
        "raidpar_array_slot_misses_total",
        Kind::Counter,
        "Requests that had to wake a member because their data had no valid image.",
        |slots| slots.misses.into(),
    ),
];

/// Of gears in which members sleep.
const BY_GEAR: [(&str, &str, OfGear); 2] = [
    (
        "raidpar_array_gear_slot_hits_total",
        "Uses of runs that had a slot while their members slept in this gear.",
        |gear| gear.hits,
    ),
    (
        "raidpar_array_gear_slot_misses_total",
        "Requests that had to wake a member in this gear because their data had no valid image.",
        |gear| gear.misses,
    ),
];

/// Of arrays that have slots.
pub(super) fn families(arrays: &[Figures]) -> Vec<Family> {
    let slots = || {
        let all = arrays.iter();
        all.filter_map(|array| Some((&array.name, array.slots.as_ref()?)))
    };
    let family = |(name, kind, help, value): (_, _, _, Value)| {
        let mut family = Family::new(name, kind, help);
        for (array, slots) in slots() {
            let labels = Labels::from([("array", array.clone())]);
            family.add(&Rc::new(labels), value(slots));
        }
        family
    };
    let by_gear = |(name, help, value): (_, _, OfGear)| {
        let mut family = Family::new(name, Kind::Counter, help);
        for (array, slots) in slots() {
            for of in &slots.by_gear {
                let labels =
                    Labels::from([("array", array.clone()), ("gear", of.gear.to_string())]);
                family.add(&Rc::new(labels), value(of));
            }
        }
        family
    };
    let whole = FAMILIES.into_iter().map(family);
    whole.chain(BY_GEAR.into_iter().map(by_gear)).collect()
}
