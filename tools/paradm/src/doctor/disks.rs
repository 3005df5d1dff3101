// SPDX-License-Identifier: GPL-2.0
//! Checks of an array's settings and of its disks.

use super::{Finding, Fix, Kind, Subject, Weight};
use crate::array::{Member, PowerControl, Spin};
use crate::output::units;
use crate::system::Files;
use std::path::{Path, PathBuf};

/// The content of a file of a disk, or nothing.
fn disk_file(subject: &Subject, disk: &str, file: &str) -> Option<(PathBuf, String)> {
    let path = Path::new("/sys/block").join(disk).join(file);
    let text = subject.system.text(&path).ok()?;
    Some((path, text.trim().to_owned()))
}

fn disk_of(member: &Member) -> Option<&str> {
    member.device.as_ref().map(|device| device.disk.as_str())
}

/// If the module has no room to remember more of them, the log fills up, and the array stays in its top gear.
pub fn log_lost(subject: &Subject, findings: &mut Vec<Finding>) {
    let lost = subject.array.lost_bytes();
    if lost > 0 {
        findings.push(subject.finding(
            "log_lost",
            Weight::Problem,
            format!(
                "{} whose newest content was in the write log are lost: reads of them return an error",
                units::bytes(lost)
            ),
            "the kernel log of when it happened names the sectors (`journalctl _TRANSPORT=kernel --grep='sectors .* are lost'`): write \
             these again, or restore the files that have them from a backup, which ends this; and check the disks, a read \
             or write of which has failed",
        ));
    }
}

pub fn lost_copies(subject: &Subject, findings: &mut Vec<Finding>) {
    let lost = subject.array.scrub.lost_copies;
    if lost > 0 {
        findings.push(subject.finding(
            "lost_copies",
            Weight::Problem,
            format!(
                "{} of a member could not be rebuilt or corrected: reads of them need the other members",
                units::bytes(lost)
            ),
            "write these blocks again, or restore the files that have them from a backup; and check the disks with smartctl",
        ));
    }
}

pub fn spin(subject: &Subject, findings: &mut Vec<Finding>) {
    if subject.array.settings.spin == Spin::Off {
        findings.push(subject.finding(
            "spin",
            Weight::Problem,
            "spin is off: disks of sleepers are not stopped".to_owned(),
            &format!("`paradm policy set spin=on --array {}`", subject.array.name),
        ));
    }
}

pub fn power_control(subject: &Subject, findings: &mut Vec<Finding>) {
    for member in subject.array.sleepers() {
        let Some(device) = &member.device else {
            continue;
        };
        let (what, remedy) = match (member.power_control, device.rotational) {
            (PowerControl::Runtime, true) => continue,
            (_, false) => (
                "is not a hard disk: stopping it saves next to nothing",
                "use hard disks as sleepers, and SSDs as members that never sleep",
            ),
            _ => (
                "has no runtime PM: raid-par does not stop it itself",
                "let another program stop it at the module's uevents, see \"Disks that stop\" in admin-guide.md",
            ),
        };
        findings.push(subject.finding(
            "power_control",
            Weight::Remark,
            format!("member {} ({}) {what}", member.number, device.disk),
            remedy,
        ));
    }
}

pub fn budget(subject: &Subject, findings: &mut Vec<Finding>) {
    for member in subject.array.sleepers() {
        if member.device.is_none() || member.spins_left > 0 {
            continue;
        }
        let cause = Some(member.last_wake_cause.as_str()).filter(|cause| !cause.is_empty());
        findings.push(subject.finding(
            "budget",
            Weight::Problem,
            format!(
                "member {} has no spin-up left today, so it is not stopped; last woken by: {}",
                member.number,
                cause.unwrap_or("unknown")
            ),
            "remove the cause; or raise carry, rated_cycles or lower wanted_years, see sysfs-par.md",
        ));
    }
}

/// What is needed of the array's queue and of each disk's.
pub fn iostats(subject: &Subject, findings: &mut Vec<Finding>) {
    let members = subject.array.members.iter().filter_map(disk_of);
    for device in [subject.array.name.as_str()].into_iter().chain(members) {
        let Some((file, value)) = disk_file(subject, device, "queue/iostats") else {
            continue;
        };
        if value != "0" {
            continue;
        }
        let mut finding = subject.finding(
            "iostats",
            Weight::Problem,
            format!("iostats of {device} are off: the load is unknown, and the array does not shift down by itself"),
            "set queue/iostats to 1, and remove what turns it off at boot (a udev rule, tuned)",
        );
        finding.fix = Some(Fix {
            kind: Kind::Sysfs,
            file,
            value: "1".to_owned(),
            done: false,
        });
        findings.push(finding);
    }
}

/// A removable medium, as many a USB enclosure calls its disks, is polled by the kernel.
pub fn polling(subject: &Subject, findings: &mut Vec<Finding>) {
    for disk in subject.array.sleepers().filter_map(disk_of) {
        let removable =
            disk_file(subject, disk, "removable").is_some_and(|(_, value)| value == "1");
        let Some((file, every)) = disk_file(subject, disk, "events_poll_msecs") else {
            continue;
        };
        if !removable || every == "0" {
            continue;
        }
        let mut finding = subject.finding(
            "polling",
            Weight::Problem,
            format!(
                "{disk} reports that it is removable, so the kernel polls it, which starts the disk"
            ),
            "`make install-extras` installs the udev rule that stops this",
        );
        finding.fix = Some(Fix {
            kind: Kind::Sysfs,
            file,
            value: "0".to_owned(),
            done: false,
        });
        findings.push(finding);
    }
}

/// Members are used up to the size of the smallest. With images of a share, those that never sleep can be larger.
pub fn sizes(subject: &Subject, findings: &mut Vec<Finding>) {
    let array = subject.array;
    let sized = array.members.iter().filter_map(|member| {
        let name = &member.device.as_ref()?.name;
        // A partition's size is in its disk's directory; `class/block` has both.
        let path = Path::new("/sys/class/block").join(name).join("size");
        let sectors: u64 = subject.system.text(&path).ok()?.trim().parse().ok()?;
        let steady = array.slots.is_some() && member.number < array.lowest_gear();
        Some((steady, (sectors, name.clone())))
    });
    let sized: Vec<_> = sized.collect();
    let least_of = |of: &dyn Fn(bool) -> bool| {
        let some = sized.iter().filter(|(steady, _)| of(*steady));
        some.map(|(_, member)| member.clone()).min()
    };
    let (steady, all) = (least_of(&|steady| steady), least_of(&|_| true));
    for (is_steady, (sectors, name)) in &sized {
        let least = if *is_steady { &steady } else { &all };
        let Some((least, smallest)) = least else {
            continue;
        };
        let unused = sectors.saturating_sub(*least);
        if unused > least / 50 {
            findings.push(subject.finding(
                "sizes",
                Weight::Remark,
                format!(
                    "{name} is larger than {smallest}: {} of it are not used",
                    units::bytes(unused.saturating_mul(512))
                ),
                if *is_steady {
                    "an array uses no more of each member that never sleeps than the smallest of them has"
                } else {
                    "an array uses no more of each member than the smallest one has"
                },
            ));
        }
    }
}

/// Shingled disks that say so; many that are sold do not.
pub fn zoned(subject: &Subject, findings: &mut Vec<Finding>) {
    for disk in subject.array.members.iter().filter_map(disk_of) {
        let Some((_, zoned)) = disk_file(subject, disk, "queue/zoned") else {
            continue;
        };
        if zoned != "none" {
            findings.push(subject.finding(
                "zoned",
                Weight::Remark,
                format!("{disk} is shingled ({zoned}): it is slow at the small writes of a low gear, and at rebuilds"),
                "use disks that are not shingled (CMR), at least for members that never sleep",
            ));
        }
    }
}

/// Debian's `start_ro`: until the first write an array does not shift by itself.
pub fn read_only(subject: &Subject, findings: &mut Vec<Finding>) {
    let array = subject.array;
    let (weight, what) = match array.array_state.as_str() {
        "read-auto" => (
            Weight::Problem,
            "the array has not been written since it was assembled (start_ro=1), and does not shift by itself before it is written",
        ),
        "readonly" => (Weight::Remark, "the array is read-only, and does not shift"),
        _ => return,
    };
    findings.push(subject.finding(
        "read_only",
        weight,
        what.to_owned(),
        &format!(
            "mount a file system of it for writing, or `mdadm --readwrite /dev/{}`",
            array.name
        ),
    ));
}
