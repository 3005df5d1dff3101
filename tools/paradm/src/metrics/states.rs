// SPDX-License-Identifier: GPL-2.0
//! Whether arrays are whole, what is being done about it, and when they were last checked.

use super::figures::Figures;
use super::{Family, Kind, Labels};
use crate::array::{Health, Inactive};
use std::rc::Rc;

pub(super) fn families(arrays: &[Figures], inactive: &[Inactive]) -> Vec<Family> {
    let mut families = vec![health(arrays, inactive)];
    families.extend(members(arrays));
    families.extend(scrubs(arrays));
    families
}

fn health(arrays: &[Figures], inactive: &[Inactive]) -> Family {
    let mut family = Family::new(
        "raidpar_array_health",
        Kind::Gauge,
        "1 for the state that the array is in, 0 for the others.",
    );
    let running = arrays.iter().map(|array| (&array.name, array.health));
    let down = inactive.iter().map(|array| (&array.name, Health::Inactive));
    for (name, is) in running.chain(down) {
        for health in Health::ALL {
            let labels = Labels::from([
                ("array", name.clone()),
                ("health", health.name().to_owned()),
            ]);
            family.add(&Rc::new(labels), health == is);
        }
    }
    family
}

fn members(arrays: &[Figures]) -> [Family; 2] {
    let mut in_sync = Family::new(
        "raidpar_member_in_sync",
        Kind::Gauge,
        "1 if the member is whole, 0 if it is missing, failed or not yet rebuilt.",
    );
    let mut progress = Family::new(
        "raidpar_array_sync_progress_ratio",
        Kind::Gauge,
        "How much of the running rebuild, check, repair or resync is done.",
    );
    for array in arrays {
        for (number, is) in array.in_sync.iter().enumerate() {
            let labels = Labels::from([
                ("array", array.name.clone()),
                ("member", number.to_string()),
            ]);
            in_sync.add(&Rc::new(labels), *is);
        }
        if let Some(ratio) = array.scrub.ratio() {
            let labels = Labels::from([
                ("action", array.scrub.work().to_owned()),
                ("array", array.name.clone()),
            ]);
            progress.add(&Rc::new(labels), ratio);
        }
    }
    [in_sync, progress]
}

fn scrubs(arrays: &[Figures]) -> [Family; 3] {
    let mut mismatches = Family::new(
        "raidpar_array_mismatch_sectors",
        Kind::Gauge,
        "Sectors whose parity did not match in the last check.",
    );
    let mut lost = Family::new(
        "raidpar_array_lost_copies_bytes",
        Kind::Gauge,
        "Copies on members that could not be rebuilt or corrected: reads of them need the other members.",
    );
    let mut last = Family::new(
        "raidpar_array_scrub_timestamp_seconds",
        Kind::Gauge,
        "When the last check that has read all of the set began.",
    );
    for array in arrays {
        let labels = Labels::from([("array", array.name.clone())]);
        mismatches.add(&Rc::new(labels), array.scrub.mismatches);
        let labels = Labels::from([("array", array.name.clone())]);
        lost.add(&Rc::new(labels), array.scrub.lost_copies);
        for set in &array.scrub.last {
            let labels =
                Labels::from([("array", array.name.clone()), ("set", set.set.to_string())]);
            last.add(&Rc::new(labels), u64::try_from(set.began).unwrap_or(0));
        }
    }
    [mismatches, lost, last]
}
