// SPDX-License-Identifier: GPL-2.0
//! How an array that runs is, in a word, and what to do about it.

use super::{Array, Dir, Member};
use serde::Serialize;

/// The better ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    Whole,
    /// A member is being rebuilt; none is missing beside it.
    Rebuilding,
    /// A member is missing, or waits for its rebuild.
    Degraded,
    /// Parity, or data of a missing member, may be wrong; or data is lost.
    Doubt,
    /// More members are lost than there are parities: writes, and many reads, return errors.
    Broken,
    /// It does not run. Of [`super::Inactive`] only.
    Inactive,
}

impl Health {
    pub const ALL: [Health; 6] = [
        Health::Whole,
        Health::Rebuilding,
        Health::Degraded,
        Health::Doubt,
        Health::Broken,
        Health::Inactive,
    ];

    /// As in JSON and in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Health::Whole => "whole",
            Health::Rebuilding => "rebuilding",
            Health::Degraded => "degraded",
            Health::Doubt => "doubt",
            Health::Broken => "broken",
            Health::Inactive => "inactive",
        }
    }

    /// For people.
    pub fn shown(self) -> &'static str {
        match self {
            Health::Doubt => "data is in doubt",
            Health::Broken => "BROKEN",
            Health::Inactive => "INACTIVE",
            other => other.name(),
        }
    }

    /// Nothing, or not everything, can be read.
    pub fn is_down(self) -> bool {
        self >= Health::Broken
    }
}

/// What it depends on: a few files, so that it can be looked at often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signs<'a> {
    pub array_state: &'a str,
    pub degraded: u32,
    /// What the gears can lose.
    pub parities: u32,
    /// md's `sync_action`.
    pub action: &'a str,
    pub mismatches: u64,
    pub lost_bytes: u64,
    /// A crash has left zones whose parity is not right yet.
    pub resyncs: bool,
}

impl Signs<'_> {
    pub fn health(self) -> Health {
        if self.array_state == "broken" || self.degraded > self.parities {
            Health::Broken
        } else if self.lost_bytes > 0
            || self.degraded == 0 && self.mismatches > 0
            || self.degraded > 0 && self.resyncs
        {
            Health::Doubt
        } else if self.degraded > 0 && self.action == "recover" {
            Health::Rebuilding
        } else if self.degraded > 0 {
            Health::Degraded
        } else {
            Health::Whole
        }
    }
}

/// Devices that md has failed, and that were not removed yet. Most of them have no place any more; the state of
/// `members` is known.
pub(super) fn failed_devices(md: &Dir, members: &[Member]) -> Vec<String> {
    let of_member = |name: &str| {
        let mut devices = members.iter().filter_map(|member| member.device.as_ref());
        devices.find(|device| device.name == name)
    };
    let is_faulty = |entry: &str, name: &str| {
        let state = match of_member(name) {
            Some(device) => device.state.clone(),
            None => md.sub(entry).line("state").unwrap_or_default(),
        };
        state.split(',').any(|word| word == "faulty")
    };
    let entries = md.system.list(&md.path("")).unwrap_or_default();
    let devices = entries.iter().filter_map(|entry| {
        let name = entry.strip_prefix("dev-")?;
        is_faulty(entry, name).then(|| name.to_owned())
    });
    devices.collect()
}

/// The same, of an array whose members are not known.
pub fn failed(md: &Dir) -> Vec<String> {
    failed_devices(md, &[])
}

/// The next command, if there is something to be done.
pub fn action(array: &Array) -> Option<String> {
    let name = &array.name;
    Some(match array.health {
        Health::Whole => return None,
        Health::Inactive => return None,
        Health::Broken => format!(
            "write nothing more to it; `journalctl -k -g md/par` names the members that were lost: connect them again, \
             `mdadm --stop /dev/{name}`, and `mdadm --assemble --verbose /dev/{name} DISKS` with all disks of the array; \
             do not create it again (admin-guide.md, \"Stopping, starting, the gear at boot\")"
        ),
        Health::Doubt if array.lost_bytes() > 0 => {
            "`paradm doctor` says what is lost, and how that ends".to_owned()
        }
        Health::Doubt if array.degraded > 0 => {
            format!(
                "`journalctl -k -g 'in doubt'` names the ranges: compare their files with a backup; {}",
                degraded(array)
            )
        }
        Health::Doubt => format!(
            "a check has found parity that does not match: look at the disks (`smartctl`, `journalctl -k`), compare the \
             data with a backup, then `paradm scrub start {name} --repair`"
        ),
        Health::Rebuilding => format!("`mdadm --wait /dev/{name}` waits for the rebuild"),
        Health::Degraded => degraded(array),
    })
}

fn degraded(array: &Array) -> String {
    let name = &array.name;
    let waits = array.members.iter().any(|member| {
        let device = member.device.as_ref();
        device.is_some_and(|device| {
            !device.state.contains("in_sync") && !device.state.contains("faulty")
        })
    });
    if waits && array.array_state == "read-auto" {
        return format!(
            "`mdadm --readwrite /dev/{name}` begins the rebuild, as the first write does"
        );
    }
    if waits {
        return format!(
            "`cat /sys/block/{name}/md/sync_action` says what keeps the rebuild: frozen, or another array's"
        );
    }
    if array.failed.is_empty() {
        return format!("`mdadm /dev/{name} --add /dev/DISK`, with the missing disk or a new one");
    }
    format!(
        "`mdadm /dev/{name} --remove failed --remove detached`, then `mdadm /dev/{name} --add /dev/DISK` with a new disk, \
         or with the same one if only its cable was at fault"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worst word wins, whatever else is wrong.
    #[test]
    fn a_word_for_every_mixture() {
        let parities = 1;
        for bits in 0..64u32 {
            let has = |bit: u32| bits & (1 << bit) != 0;
            let degraded = u32::from(has(0)) + 2 * u32::from(has(1));
            let signs = Signs {
                array_state: if has(1) && has(2) { "broken" } else { "clean" },
                degraded,
                parities,
                action: if has(3) { "recover" } else { "idle" },
                mismatches: u64::from(has(2)),
                lost_bytes: u64::from(has(4)),
                resyncs: has(5),
            };
            let expected = match degraded {
                2.. => Health::Broken,
                _ if has(4) => Health::Doubt,
                0 if has(2) => Health::Doubt,
                0 => Health::Whole,
                _ if has(5) => Health::Doubt,
                _ if has(3) => Health::Rebuilding,
                _ => Health::Degraded,
            };
            assert_eq!(signs.health(), expected, "{signs:?}");
        }
    }
}
