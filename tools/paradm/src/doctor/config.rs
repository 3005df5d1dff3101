// SPDX-License-Identifier: GPL-2.0
//! Checks of programs that send commands to disks: smartd, hdparm, udisks. See admin-tasks.md, "SMART".

use super::{Finding, Subject, Weight};
use crate::array::Member;
use crate::system::{Files, System};
use std::path::Path;

/// Does a path such as /dev/disk/by-id/wwn-… lead to this disk?
pub fn is_disk(system: &dyn System, path: &str, disk: &str) -> bool {
    let path = Path::new(path);
    let found = system.resolve(path).unwrap_or_else(|_| path.to_owned());
    found == Path::new("/dev").join(disk)
}

/// Lines of smartd.conf(5) that count: without comments, continued ones in one.
fn smartd_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for part in text.lines() {
        let part = part.split('#').next().unwrap_or_default();
        if let Some(begun) = part.strip_suffix('\\') {
            line += begun;
            line.push(' ');
            continue;
        }
        line += part;
        if !line.trim().is_empty() {
            lines.push(line.trim().to_owned());
        }
        line.clear();
    }
    lines
}

/// Would smartd check this disk?
fn is_checked(system: &dyn System, lines: &[String], disk: &str) -> bool {
    for line in lines {
        let mut words = line.split_ascii_whitespace();
        let device = words.next().unwrap_or_default();
        let options: Vec<_> = words.collect();
        // What comes after DEVICESCAN is not read.
        if device == "DEVICESCAN" {
            return true;
        }
        if is_disk(system, device, disk) {
            return !options.windows(2).any(|pair| pair == ["-d", "ignore"]);
        }
    }
    false
}

fn smartd_runs(system: &dyn System) -> bool {
    [
        "/etc/systemd/system/multi-user.target.wants/smartmontools.service",
        "/etc/systemd/system/multi-user.target.wants/smartd.service",
        "/etc/systemd/system/smartd.service",
    ]
    .iter()
    .any(|path| system.exists(path.as_ref()))
}

fn sleepers_disks<'a>(subject: &'a Subject) -> impl Iterator<Item = (&'a Member, &'a str)> {
    subject
        .array
        .sleepers()
        .filter_map(|member| Some((member, member.device.as_ref()?.disk.as_str())))
}

pub fn smartd(subject: &Subject, findings: &mut Vec<Finding>) {
    let system = subject.system;
    let Ok(text) = system.text("/etc/smartd.conf".as_ref()) else {
        return;
    };
    if !smartd_runs(system) {
        return;
    }
    let lines = smartd_lines(&text);
    let checked: Vec<_> = sleepers_disks(subject)
        .filter(|(_, disk)| is_checked(system, &lines, disk))
        .map(|(_, disk)| disk)
        .collect();
    if !checked.is_empty() {
        findings.push(subject.finding(
            "smartd",
            Weight::Problem,
            format!(
                "smartd sends commands to {}, which start the disk, also with -n standby",
                checked.join(", ")
            ),
            "put the lines that `par-smart --smartd` prints into /etc/smartd.conf before DEVICESCAN, \
             restart smartd, and let par-smart.timer query the disks instead",
        ));
    }
}

/// Blocks of hdparm.conf(5): the device, or nothing for all, and the value of spindown_time.
fn spindowns(text: &str) -> Vec<(Option<String>, String)> {
    let mut found = Vec::new();
    let mut block = None;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(device) = line.strip_suffix('{') {
            block = Some(device.trim().to_owned());
        } else if line == "}" {
            block = None;
        } else if let Some((name, value)) = line.split_once('=') {
            if name.trim() == "spindown_time" && value.trim() != "0" {
                found.push((block.clone(), value.trim().to_owned()));
            }
        }
    }
    found
}

pub fn hdparm(subject: &Subject, findings: &mut Vec<Finding>) {
    let Ok(text) = subject.system.text("/etc/hdparm.conf".as_ref()) else {
        return;
    };
    for (device, value) in spindowns(&text) {
        for member in &subject.array.members {
            let Some(disk) = member.device.as_ref().map(|device| device.disk.as_str()) else {
                continue;
            };
            let meant = device
                .as_deref()
                .is_none_or(|device| is_disk(subject.system, device, disk));
            if meant {
                findings.push(subject.finding(
                    "hdparm",
                    Weight::Problem,
                    format!(
                        "hdparm.conf makes {disk} (member {}) stop by itself (spindown_time = {value}): raid-par \
                         does not notice this, and counts no spin-up",
                        member.number
                    ),
                    "remove spindown_time for members from /etc/hdparm.conf; raid-par stops sleepers",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimSystem;
    use proptest::prelude::*;

    fn checked(text: &str, disk: &str) -> bool {
        let sim = SimSystem::new();
        sim.world().tree.file("/dev/sdd", "");
        sim.world().tree.link("/dev/disk/by-id/wwn-5", "/dev/sdd");
        is_checked(&sim, &smartd_lines(text), disk)
    }

    #[test]
    fn a_line_before_devicescan_counts() {
        assert!(checked("DEVICESCAN -n standby\n", "sdd"));
        assert!(!checked(
            "/dev/disk/by-id/wwn-5 -d ignore\nDEVICESCAN\n",
            "sdd"
        ));
        assert!(checked("DEVICESCAN\n/dev/sdd -d ignore\n", "sdd"));
        assert!(checked("/dev/sda -a\n/dev/sdd \\\n  -a # all\n", "sdd"));
        assert!(!checked("/dev/sda -a\n#DEVICESCAN\n", "sdd"));
        assert!(!checked("", "sdd"));
    }

    #[test]
    fn spindown_times_are_of_a_block_or_of_all() {
        let text =
            "spindown_time = 0\n/dev/sdd {\n\tspindown_time = 242 # 1 h\n}\nspindown_time=60\n";
        let all = [
            (Some("/dev/sdd".to_owned()), "242".to_owned()),
            (None, "60".to_owned()),
        ];
        assert_eq!(spindowns(text), all);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ -~\n\\\\{}=#]{0,200}") {
            let _ = checked(&text, "sdd");
            let _ = spindowns(&text);
        }
    }
}
