// SPDX-License-Identifier: GPL-2.0

use super::{Family, Kind, Labels, Number};
use crate::array::{Array, Member, PowerState};

type Value = fn(&Member) -> Number;
type Seconds = fn(&Member) -> u64;

const FAMILIES: [(&str, Kind, &str, Value); 4] = [
    (
        "raidpar_disk_spin_ups_total",
        Kind::Counter,
        "Spin-ups of the member since it joined the array.",
        |member| member.spin_ups.into(),
    ),
    (
        "raidpar_disk_spin_ups_left",
        Kind::Gauge,
        "Spin-ups that the member has left today.",
        |member| member.spins_left.into(),
    ),
    (
        "raidpar_disk_rated_spin_ups",
        Kind::Gauge,
        "Spin-ups that the disk is made for.",
        |member| member.rated_cycles.into(),
    ),
    (
        "raidpar_disk_busy_ratio",
        Kind::Gauge,
        "Share of the last interval in which the member had a request.",
        |member| (member.busy_percent / 100.0).into(),
    ),
];

/// A state's name, and the seconds that a member has spent in it.
const STATES: [(PowerState, &str, Seconds); 3] = [
    (PowerState::Active, "active", |member| member.seconds_active),
    (PowerState::Waking, "waking", |member| member.seconds_waking),
    (PowerState::Asleep, "asleep", |member| member.seconds_asleep),
];

/// Of places that have a disk.
pub(super) fn families(arrays: &[Array]) -> Vec<Family> {
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
    for (labels, member) in arrays.iter().flat_map(labelled) {
        for (is, name, spent) in STATES {
            let mut labels = labels.clone();
            labels.insert("state", name.to_owned());
            state.add(&labels, member.power_state == is);
            seconds.add(&labels, spent(member));
        }
        for (family, value) in &mut others {
            family.add(&labels, value(member));
        }
    }
    let others = others.into_iter().map(|(family, _)| family);
    [state, seconds].into_iter().chain(others).collect()
}

fn labelled(array: &Array) -> impl Iterator<Item = (Labels, &Member)> {
    array.members.iter().filter_map(|member| {
        let device = member.device.as_ref()?;
        let labels = Labels::from([
            ("array", array.name.clone()),
            ("device", device.name.clone()),
            ("member", member.number.to_string()),
        ]);
        Some((labels, member))
    })
}
