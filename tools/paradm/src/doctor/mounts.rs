// SPDX-License-Identifier: GPL-2.0
//! Checks of file systems, logs and swap on an array.

use super::{Finding, Subject, Weight};
use crate::system::{Files, System};
use std::path::{Path, PathBuf};

/// A line of mountinfo (proc_pid_mountinfo(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// MAJOR:MINOR
    pub device: String,
    pub point: PathBuf,
    pub options: Vec<String>,
    pub fs: String,
}

/// Lines that are none are left out: what cannot be understood is on no array.
pub fn parse_mounts(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_mount).collect()
}

fn parse_mount(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ').skip(2);
    let device = fields.next()?.to_owned();
    let point = PathBuf::from(unescape(fields.nth(1)?));
    let options = fields.next()?.split(',').map(str::to_owned).collect();
    let fs = after.split(' ').next()?.to_owned();
    Some(Mount {
        device,
        point,
        options,
        fs,
    })
}

/// Octal escapes, as the kernel writes spaces in paths.
pub fn unescape(word: &str) -> String {
    let mut text = Vec::new();
    let mut rest = word.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let octal = after
            .get(..3)
            .filter(|_| first == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match octal {
            Some(byte) => {
                text.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                text.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// MAJOR:MINOR of the array, of its partitions, and of what device mapper has on them.
pub fn devices_on(system: &dyn System, name: &str) -> Vec<String> {
    let mut devices = Vec::new();
    let mut dirs = vec![Path::new("/sys/block").join(name)];
    while let Some(dir) = dirs.pop() {
        let Ok(device) = system.read(&dir.join("dev")) else {
            continue;
        };
        let device = device.trim().to_owned();
        if devices.contains(&device) {
            continue;
        }
        devices.push(device);
        for holder in system.list(&dir.join("holders")).unwrap_or_default() {
            dirs.push(Path::new("/sys/block").join(holder));
        }
        for entry in system.list(&dir).unwrap_or_default() {
            if system.exists(&dir.join(&entry).join("partition")) {
                dirs.push(dir.join(&entry));
            }
        }
    }
    devices
}

pub fn atime(subject: &Subject, findings: &mut Vec<Finding>) {
    for mount in &subject.mounts {
        let has = |option: &str| mount.options.iter().any(|known| known == option);
        let point = mount.point.display();
        if has("noatime") || has("ro") {
            continue;
        }
        let (weight, what) = if has("relatime") {
            (
                Weight::Remark,
                "is mounted with relatime: the first read of a file each day writes",
            )
        } else {
            (
                Weight::Problem,
                "is mounted with strictatime: each read of a file writes",
            )
        };
        findings.push(subject.finding(
            "atime",
            weight,
            format!("{point} {what}"),
            &format!("`mount -o remount,noatime {point}`, and noatime in /etc/fstab"),
        ));
    }
}

/// The file system that a path is on.
fn holds<'a>(subject: &'a Subject, path: &str) -> Option<&'a Mount> {
    let all = parse_mounts(&subject.system.text("/proc/self/mountinfo".as_ref()).ok()?);
    let nearest = all
        .iter()
        .filter(|mount| Path::new(path).starts_with(&mount.point))
        .max_by_key(|mount| mount.point.as_os_str().len())?;
    subject
        .mounts
        .iter()
        .find(|mount| mount.point == nearest.point && mount.device == nearest.device)
        .copied()
}

pub fn logs(subject: &Subject, findings: &mut Vec<Finding>) {
    let on: Vec<_> = ["/var/log", "/var/lib", "/tmp"]
        .into_iter()
        .filter(|path| holds(subject, path).is_some())
        .collect();
    if !on.is_empty() {
        findings.push(subject.finding(
            "logs",
            Weight::Problem,
            format!(
                "on the array, and written all day, which keeps the gear up: {}",
                on.join(", ")
            ),
            "keep system directories on another disk; a journal in memory: Storage=volatile in journald.conf",
        ));
    }
}

pub fn swap(subject: &Subject, findings: &mut Vec<Finding>) {
    let Ok(text) = subject.system.text("/proc/swaps".as_ref()) else {
        return;
    };
    for line in text.lines().skip(1) {
        let Some(file) = line.split_ascii_whitespace().next() else {
            continue;
        };
        let file = PathBuf::from(unescape(file));
        let name = file.file_name().unwrap_or_default();
        let device = subject
            .system
            .text(&Path::new("/sys/class/block").join(name).join("dev"))
            .ok();
        let on_array = device.is_some_and(|device| {
            devices_on(subject.system, &subject.array.name).contains(&device.trim().to_owned())
        });
        let in_file = subject
            .mounts
            .iter()
            .any(|mount| mount.point != Path::new("/") && file.starts_with(&mount.point));
        if on_array || in_file {
            findings.push(subject.finding(
                "swap",
                Weight::Problem,
                format!("{} is swap on the array", file.display()),
                "swap on another disk, or in memory (zram)",
            ));
        }
    }
}

/// plocate and mlocate read all directories each night, unless a path is pruned.
pub fn locate(subject: &Subject, findings: &mut Vec<Finding>) {
    let Ok(text) = subject.system.text("/etc/updatedb.conf".as_ref()) else {
        return;
    };
    let pruned = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("PRUNEPATHS"))
        .flat_map(|rest| rest.trim_start_matches([' ', '=', '"']).split([' ', '"']))
        .map(Path::new)
        .collect::<Vec<_>>();
    for mount in &subject.mounts {
        if pruned
            .iter()
            .any(|path| !path.as_os_str().is_empty() && mount.point.starts_with(path))
        {
            continue;
        }
        findings.push(subject.finding(
            "locate",
            Weight::Remark,
            format!(
                "updatedb reads all directories of {} each night",
                mount.point.display()
            ),
            "add the path to PRUNEPATHS in /etc/updatedb.conf",
        ));
    }
}
