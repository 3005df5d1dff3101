// SPDX-License-Identifier: GPL-2.0

use super::figures::{Figures, Log};
use super::{Family, Kind, Labels, Number};
use std::rc::Rc;

type Value = fn(&Log) -> u64;

const FAMILIES: [(&str, Kind, &str, Value); 6] = [
    (
        "raidpar_array_log_size_bytes",
        Kind::Gauge,
        "Size of the write log, its copies not counted.",
        |log| log.size,
    ),
    (
        "raidpar_array_log_used_bytes",
        Kind::Gauge,
        "Bytes of the write log that cannot be written again yet.",
        |log| log.used,
    ),
    (
        "raidpar_array_log_live_bytes",
        Kind::Gauge,
        "Bytes of the write log that are newer than what the home set has.",
        |log| log.live,
    ),
    (
        "raidpar_array_log_lost_bytes",
        Kind::Gauge,
        "Bytes of the array whose newest content was in the write log and is lost.",
        |log| log.lost,
    ),
    (
        "raidpar_array_logged_bytes_total",
        Kind::Counter,
        "Bytes written to the write log since the array was started.",
        |log| log.logged,
    ),
    (
        "raidpar_array_drained_bytes_total",
        Kind::Counter,
        "Bytes written home from the write log since the array was started.",
        |log| log.drained,
    ),
];

/// Of arrays that have a write log.
pub(super) fn families(arrays: &[Figures]) -> Vec<Family> {
    let family = |(name, kind, help, value): (_, _, _, Value)| {
        let mut family = Family::new(name, kind, help);
        for array in arrays {
            let Some(log) = &array.log else { continue };
            let labels = Labels::from([("array", array.name.clone())]);
            family.add(&Rc::new(labels), Number::from(value(log)));
        }
        family
    };
    FAMILIES.into_iter().map(family).collect()
}
