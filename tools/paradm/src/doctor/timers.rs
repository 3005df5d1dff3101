// SPDX-License-Identifier: GPL-2.0
//! Checks of programs that stop disks themselves, and of udisks, which asks them.

use super::config::is_disk;
use super::udev::{self, Token};
use super::{Finding, Fix, Kind, Subject, Weight};
use crate::array::Member;
use crate::system::System;
use std::path::Path;

const UDISKS_RULES: &str = "/etc/udev/rules.d/66-paradm-udisks.rules";

fn disks<'a>(subject: &'a Subject) -> impl Iterator<Item = (&'a Member, &'a str)> {
    let members = subject.array.members.iter();
    members.filter_map(|member| Some((member, member.device.as_ref()?.disk.as_str())))
}

/// `NAME="value"` of a file that a shell reads; the last one counts.
fn assigned(text: &str, name: &str) -> Option<String> {
    text.lines().rev().find_map(|line| {
        let (found, value) = line.trim().split_once('=')?;
        let value = value.trim();
        let value = match value
            .strip_prefix('"')
            .and_then(|rest| rest.split_once('"'))
        {
            Some((inside, _)) => inside,
            None => value.split([' ', '#']).next().unwrap_or_default(),
        };
        (found == name).then(|| value.to_owned())
    })
}

/// Does a word mean this disk: sdd, /dev/sdd, or an id of /dev/disk/by-id?
fn means(system: &dyn System, word: &str, disk: &str) -> bool {
    word == disk
        || is_disk(system, word, disk)
        || is_disk(system, &format!("/dev/disk/by-id/{word}"), disk)
}

/// TLP's settings: those of tlp.d, then those of tlp.conf.
fn tlp_settings(system: &dyn System) -> String {
    let dir = Path::new("/etc/tlp.d");
    let names = system.list(dir).unwrap_or_default().into_iter();
    let parts = names
        .filter(|name| name.ends_with(".conf"))
        .map(|name| dir.join(name));
    let files = parts.chain([Path::new("/etc/tlp.conf").to_owned()]);
    let texts = files.map(|path| system.read(&path).unwrap_or_default());
    texts.flat_map(|text| [text, "\n".to_owned()]).collect()
}

/// The minutes, or whatever it says, after which TLP has this disk stop.
fn tlp_timeout(system: &dyn System, settings: &str, disk: &str) -> Option<String> {
    let devices = assigned(settings, "DISK_DEVICES").unwrap_or_else(|| "nvme0n1 sda".to_owned());
    let at = devices
        .split_ascii_whitespace()
        .position(|word| means(system, word, disk))?;
    [
        "DISK_SPINDOWN_TIMEOUT_ON_AC",
        "DISK_SPINDOWN_TIMEOUT_ON_BAT",
    ]
    .into_iter()
    .find_map(|name| {
        let values = assigned(settings, name)?;
        let value = values.split_ascii_whitespace().nth(at)?;
        (value != "0" && value != "keep").then(|| format!("{name} {value}"))
    })
}

/// The seconds after which hd-idle stops this disk: its options are of all disks up to the first
/// `-a`, and then of the one that this names.
fn hd_idle_seconds(system: &dyn System, options: &str, disk: &str) -> u64 {
    let mut seconds = 600;
    let mut applies = true;
    let mut words = options.split_ascii_whitespace();
    while let Some(word) = words.next() {
        match word {
            "-a" => applies = words.next().is_some_and(|name| means(system, name, disk)),
            "-i" => {
                let given = words.next().and_then(|word| word.parse().ok());
                if applies {
                    seconds = given.unwrap_or(seconds);
                }
            }
            _ => {}
        }
    }
    seconds
}

fn hd_idle_options(system: &dyn System) -> Option<String> {
    let enabled = "/etc/systemd/system/multi-user.target.wants/hd-idle.service";
    if !system.exists(Path::new(enabled)) {
        return None;
    }
    let text = system
        .read(Path::new("/etc/default/hd-idle"))
        .unwrap_or_default();
    Some(assigned(&text, "HD_IDLE_OPTS").unwrap_or_default())
}

pub fn timers(subject: &Subject, findings: &mut Vec<Finding>) {
    let system = subject.system;
    let settings = tlp_settings(system);
    let options = hd_idle_options(system);
    for (member, disk) in disks(subject) {
        let mut tell = |what: String, remedy: &str| {
            let what = format!(
                "{what} {disk} (member {}): raid-par does not notice this, and counts no spin-up",
                member.number
            );
            findings.push(subject.finding("timers", Weight::Problem, what, remedy));
        };
        // A machine without TLP has no tlp.conf, so no setting.
        if let Some(setting) = tlp_timeout(system, &settings, disk) {
            tell(
                format!("TLP ({setting}) stops"),
                "take members out of DISK_DEVICES in /etc/tlp.conf, or give them 0",
            );
        }
        let seconds = options
            .as_deref()
            .map_or(0, |options| hd_idle_seconds(system, options, disk));
        if seconds > 0 {
            tell(
                format!("hd-idle (after {seconds} s) stops"),
                "`-i 0` before the first -a in /etc/default/hd-idle, and -a for other disks only; raid-par stops sleepers",
            );
        }
    }
}

/// What udev knows of a disk: `ID_ATA`, `ID_SERIAL`.
fn property(system: &dyn System, disk: &str, name: &str) -> Option<String> {
    let number = crate::mount::device_number(system, Path::new(disk))?;
    let text = system
        .read(&Path::new("/run/udev/data").join(format!("b{number}")))
        .ok()?;
    let found = text.lines().find_map(|line| {
        line.strip_prefix("E:")?
            .strip_prefix(name)?
            .strip_prefix('=')
    });
    found.map(str::to_owned)
}

fn unset_ata(serial: &str) -> String {
    format!(
        "SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", ENV{{ID_SERIAL}}==\"{serial}\", ENV{{ID_ATA}}=\"\", ENV{{ID_ATA_SMART_ACCESS}}=\"none\"\n"
    )
}

/// Is there a rule already that takes the disk away from udisks, from the next boot on?
fn is_taken_away(rules: &[(std::path::PathBuf, Vec<udev::Rule>)], serial: &str) -> bool {
    let has = |rule: &[Token], key: &str, op: &str, value: &str| {
        rule.iter()
            .any(|token| token.key == key && token.op == op && token.value == value)
    };
    rules.iter().flat_map(|(_, rules)| rules).any(|(_, rule)| {
        has(rule, "ENV{ID_SERIAL}", "==", serial) && has(rule, "ENV{ID_ATA}", "=", "")
    })
}

/// The project's rules know whole disks; a member that is a partition leaves its disk to udisks.
pub fn udisks(subject: &Subject, findings: &mut Vec<Finding>) {
    let system = subject.system;
    let units = [
        "/usr/lib/systemd/system/udisks2.service",
        "/lib/systemd/system/udisks2.service",
    ];
    if !units.iter().any(|unit| system.exists(Path::new(unit))) {
        return;
    }
    let rules = udev::in_force(system);
    for (_, disk) in
        disks(subject).filter(|(member, _)| member.number >= subject.array.lowest_gear())
    {
        if property(system, disk, "ID_ATA").is_none_or(|value| value != "1") {
            continue;
        }
        let serial =
            property(system, disk, "ID_SERIAL").filter(|serial| !serial.contains(['"', '\\']));
        if serial
            .as_deref()
            .is_some_and(|serial| is_taken_away(&rules, serial))
        {
            continue;
        }
        let mut found = subject.finding(
            "udisks",
            Weight::Problem,
            format!("udisks sends a command to {disk} every ten minutes, which starts the disk"),
            "install the rule for the disk (\"SMART\" in admin-tasks.md), then reboot, or run `systemctl restart udisks2` once udev has applied the rule",
        );
        found.fix = serial.map(|serial| Fix {
            kind: Kind::File,
            file: UDISKS_RULES.into(),
            value: unset_ata(&serial),
            done: false,
        });
        findings.push(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimSystem;
    use proptest::prelude::*;

    fn system() -> SimSystem {
        let sim = SimSystem::new();
        sim.world().tree.file("/dev/sdd", "");
        sim.world().tree.link("/dev/disk/by-id/ata-X", "/dev/sdd");
        sim
    }

    #[test]
    fn hd_idle_s_options_are_of_all_or_of_one() {
        for (options, seconds) in [
            ("", 600),
            ("-i 0", 0),
            ("-i 0 -a sda -i 300 -l /var/log/hd-idle.log", 0),
            ("-i 0 -a sda -i 300 -a sdd -i 60", 60),
            ("-i 60 -a ata-X -i 0", 0),
            ("-i", 600),
        ] {
            assert_eq!(
                hd_idle_seconds(&system(), options, "sdd"),
                seconds,
                "{options}"
            );
        }
    }

    #[test]
    fn tlp_s_timeouts_are_in_the_order_of_its_disks() {
        let settings = "DISK_DEVICES=\"sda ata-X\"\n#DISK_SPINDOWN_TIMEOUT_ON_AC=\"1 1\"\n";
        let timeout =
            |more: &str, disk: &str| tlp_timeout(&system(), &format!("{settings}{more}"), disk);
        let ac = "DISK_SPINDOWN_TIMEOUT_ON_AC=\"0 120\"\n";
        assert_eq!(
            timeout(ac, "sdd").as_deref(),
            Some("DISK_SPINDOWN_TIMEOUT_ON_AC 120")
        );
        assert_eq!(timeout(ac, "sda"), None);
        assert_eq!(timeout(ac, "sde"), None);
        assert_eq!(timeout("", "sdd"), None);
        assert_eq!(
            timeout("DISK_SPINDOWN_TIMEOUT_ON_BAT=\"keep keep\"\n", "sdd"),
            None
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ -~\n\"#=]{0,120}|((DISK_DEVICES|HD_IDLE_OPTS|DISK_SPINDOWN_TIMEOUT_ON_AC)=\"?[ a-z0-9-]{0,20}\"?\n){0,4}") {
            let _ = tlp_timeout(&system(), &text, "sdd");
            let _ = assigned(&text, "HD_IDLE_OPTS").map(|options| hd_idle_seconds(&system(), &options, "sdd"));
            let _ = hd_idle_seconds(&system(), &text, "sdd");
        }
    }
}
