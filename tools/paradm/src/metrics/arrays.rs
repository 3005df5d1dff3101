// SPDX-License-Identifier: GPL-2.0

use super::figures::Figures;
use super::{Family, Kind, Labels, Number};
use std::rc::Rc;

type Value = fn(&Figures) -> Number;

/// Name, kind, help, and where the value is from.
const FAMILIES: [(&str, Kind, &str, Value); 8] = [
    (
        "raidpar_array_gear",
        Kind::Gauge,
        "Members of the gear that the array is in.",
        |array| array.gear.into(),
    ),
    (
        "raidpar_array_gear_min",
        Kind::Gauge,
        "Lowest gear that the array may be in by itself.",
        |array| array.min_gear.into(),
    ),
    (
        "raidpar_array_gear_max",
        Kind::Gauge,
        "Highest gear that the array may be in by itself.",
        |array| array.max_gear.into(),
    ),
    (
        "raidpar_array_members",
        Kind::Gauge,
        "Members of the top gear.",
        |array| array.members.into(),
    ),
    (
        "raidpar_array_degraded_members",
        Kind::Gauge,
        "Members that are missing or not yet rebuilt.",
        |array| array.degraded.into(),
    ),
    (
        "raidpar_array_spin_refused_total",
        Kind::Counter,
        "Stops of members refused because no spin-ups were left.",
        |array| array.spin_refused.into(),
    ),
    (
        "raidpar_array_propagated_bytes_total",
        Kind::Counter,
        "Bytes copied between home copies and images.",
        |array| array.propagated_bytes.into(),
    ),
    (
        "raidpar_array_metadata_writes_total",
        Kind::Counter,
        "Writes of the array's own metadata.",
        |array| array.metadata_writes.into(),
    ),
];

pub(super) fn families(arrays: &[Figures]) -> Vec<Family> {
    let family = |(name, kind, help, value): (_, _, _, Value)| {
        let mut family = Family::new(name, kind, help);
        for array in arrays {
            let labels = Labels::from([("array", array.name.clone())]);
            family.add(&Rc::new(labels), value(array));
        }
        family
    };
    FAMILIES.into_iter().map(family).collect()
}
