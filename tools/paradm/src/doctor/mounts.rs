// SPDX-License-Identifier: GPL-2.0
//! Checks of file systems, logs and swap on an array.

use super::{Finding, Subject, Weight};
use crate::mount::{device_number, devices_on, nearest, unescape};
use crate::system::Files;
use std::path::{Path, PathBuf};

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

/// Is a path on the array?
fn holds(subject: &Subject, path: &Path) -> bool {
    let found = nearest(subject.all_mounts, path);
    found.is_some_and(|found| subject.mounts.contains(&found))
}

pub fn logs(subject: &Subject, findings: &mut Vec<Finding>) {
    let on: Vec<_> = ["/var/log", "/var/lib", "/tmp"]
        .into_iter()
        .filter(|path| holds(subject, path.as_ref()))
        .collect();
    if !on.is_empty() {
        findings.push(subject.finding(
            "logs",
            Weight::Problem,
            format!(
                "directories on the array that are written all day, which keeps the array in a high gear: {}",
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
        let number = device_number(
            subject.system,
            Path::new(file.file_name().unwrap_or_default()),
        );
        let on_array = number.is_some_and(|number| {
            devices_on(subject.system, &subject.array.name).contains(&number)
        });
        if on_array || holds(subject, &file) {
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

/// Programs of desktops that read new files, or all: the beginning of their names (15 characters).
const INDEXERS: [(&str, &str); 5] = [
    (
        "baloo_file",
        "`balooctl disable`, or exclude the directory in its settings",
    ),
    (
        "localsearch",
        "exclude the directory in the desktop's search settings",
    ),
    (
        "tracker-miner",
        "exclude the directory in the desktop's search settings",
    ),
    (
        "recollindex",
        "leave the directory out of topdirs in recoll.conf",
    ),
    ("nepomuk", "switch the desktop's search off"),
];

pub fn indexers(subject: &Subject, findings: &mut Vec<Finding>) {
    let system = subject.system;
    let pids = system
        .list(Path::new("/proc"))
        .unwrap_or_default()
        .into_iter();
    let pids = pids.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let mut names: Vec<_> = pids
        .filter_map(|pid| system.read(&Path::new("/proc").join(pid).join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect();
    names.sort();
    names.dedup();
    let Some(mount) = subject.mounts.first() else {
        return;
    };
    for (indexer, remedy) in INDEXERS {
        if let Some(name) = names.iter().find(|name| name.starts_with(indexer)) {
            findings.push(subject.finding(
                "indexers",
                Weight::Remark,
                format!(
                    "{name} runs, which reads files to index them, perhaps those of {}",
                    mount.point.display()
                ),
                remedy,
            ));
        }
    }
}
