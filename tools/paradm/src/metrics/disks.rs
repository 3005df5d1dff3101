// SPDX-License-Identifier: GPL-2.0

use super::figures::{Disk, Figures};
use super::{Family, Kind, Labels, Number};
use crate::array::PowerState;
use std::rc::Rc;

type Value = fn(&Disk) -> Number;
type Seconds = fn(&Disk) -> u64;

const FAMILIES: [(&str, Kind, &str, Value); 4] = [
    (
        "raidpar_disk_spin_ups_total",
        Kind::Counter,
        "Spin-ups of the member since it joined the array.",
        |disk| disk.spin_ups.into(),
    ),
    (
        "raidpar_disk_spin_ups_left",
        Kind::Gauge,
        "Spin-ups that the member has left today.",
        |disk| disk.spins_left.into(),
    ),
    (
        "raidpar_disk_rated_spin_ups",
        Kind::Gauge,
        "Spin-ups for which the disk is rated.",
        |disk| disk.rated_cycles.into(),
    ),
    (
        "raidpar_disk_busy_ratio",
        Kind::Gauge,
        "Share of the last interval in which the member had a request.",
        |disk| (disk.busy_percent / 100.0).into(),
    ),
];

/// A state's name, and the seconds that a member has spent in it.
const STATES: [(PowerState, &str, Seconds); 3] = [
    (PowerState::Active, "active", |disk| disk.seconds_active),
    (PowerState::Waking, "waking", |disk| disk.seconds_waking),
    (PowerState::Asleep, "asleep", |disk| disk.seconds_asleep),
];

pub(super) fn families(arrays: &[Figures]) -> Vec<Family> {
    let mut state = Family::new(
        "raidpar_disk_state",
        Kind::Gauge,
        "1 for the state that the member is in, 0 for the others.",
    );
    let mut seconds = Family::new(
        "raidpar_disk_state_seconds_total",
        Kind::Counter,
        "Seconds that the member has been in the state since the array was started.",
    );
    let mut others =
        FAMILIES.map(|(name, kind, help, value)| (Family::new(name, kind, help), value));
    for (labels, disk) in arrays.iter().flat_map(labelled) {
        for (is, name, spent) in STATES {
            let mut labels = Labels::clone(&labels);
            labels.insert("state", name.to_owned());
            let labels = Rc::new(labels);
            state.add(&labels, disk.power_state == is);
            seconds.add(&labels, spent(disk));
        }
        for (family, value) in &mut others {
            family.add(&labels, value(disk));
        }
    }
    let others = others.into_iter().map(|(family, _)| family);
    [state, seconds].into_iter().chain(others).collect()
}

fn labelled(array: &Figures) -> impl Iterator<Item = (Rc<Labels>, &Disk)> {
    array.disks.iter().map(|disk| {
        let labels = Labels::from([
            ("array", array.name.clone()),
            ("device", disk.device.clone()),
            ("member", disk.member.to_string()),
        ]);
        (Rc::new(labels), disk)
    })
}
