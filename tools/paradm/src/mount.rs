// SPDX-License-Identifier: GPL-2.0
//! What is mounted where, and what of it lies on an array.

use crate::error::Result;
use crate::system::{Files, System};
use std::path::{Path, PathBuf};

/// A line of mountinfo (proc_pid_mountinfo(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// MAJOR:MINOR
    pub device: String,
    pub point: PathBuf,
    /// What is mounted: /dev/md0, or a name that means nothing.
    pub source: PathBuf,
    pub options: Vec<String>,
    pub fs: String,
}

/// All that are mounted.
pub fn all(system: &dyn System) -> Result<Vec<Mount>> {
    Ok(parse(&system.text("/proc/self/mountinfo".as_ref())?))
}

/// Lines that are none are left out: what cannot be understood is on no array.
pub fn parse(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_mount).collect()
}

fn parse_mount(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ').skip(2);
    let device = fields.next()?.to_owned();
    let point = PathBuf::from(unescape(fields.nth(1)?));
    let options = fields.next()?.split(',').map(str::to_owned).collect();
    let mut after = after.split(' ');
    let fs = after.next()?.to_owned();
    let source = PathBuf::from(unescape(after.next()?));
    Some(Mount {
        device,
        point,
        source,
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
    let found = walk(system, name).into_iter();
    found.map(|(device, _)| device).collect()
}

/// Of these the ones that file systems and programs use: nothing lies on them.
pub fn uppermost_on(system: &dyn System, name: &str) -> Vec<String> {
    let found = walk(system, name).into_iter();
    found
        .filter_map(|(device, upper)| upper.then_some(device))
        .collect()
}

fn walk(system: &dyn System, name: &str) -> Vec<(String, bool)> {
    let mut devices: Vec<(String, bool)> = Vec::new();
    let mut dirs = vec![Path::new("/sys/block").join(name)];
    while let Some(dir) = dirs.pop() {
        let Ok(device) = system.read(&dir.join("dev")) else {
            continue;
        };
        let device = device.trim().to_owned();
        if devices.iter().any(|(known, _)| *known == device) {
            continue;
        }
        let holders = system.list(&dir.join("holders")).unwrap_or_default();
        devices.push((device, holders.is_empty()));
        for holder in holders {
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

impl Mount {
    /// Does it lie on one of these devices? A btrfs has a number of its own, and a source.
    pub fn is_on(&self, system: &dyn System, devices: &[String]) -> bool {
        devices.contains(&self.device)
            || self.device.starts_with("0:") && {
                let source = system.resolve(&self.source);
                let name = source
                    .ok()
                    .and_then(|path| Some(path.file_name()?.to_owned()));
                name.and_then(|name| device_number(system, Path::new(&name)))
                    .is_some_and(|number| devices.contains(&number))
            }
    }
}

/// MAJOR:MINOR of a block device, by its name.
pub fn device_number(system: &dyn System, name: &Path) -> Option<String> {
    let file = Path::new("/sys/class/block").join(name).join("dev");
    Some(system.read(&file).ok()?.trim().to_owned())
}

/// The mount that a path is in: of those at one place the last, which hides the others.
pub fn nearest<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    let over = mounts.iter().filter(|mount| path.starts_with(&mount.point));
    over.max_by_key(|mount| mount.point.as_os_str().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimSystem;
    use proptest::prelude::*;

    const MOUNTS: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sdz1 rw
36 22 9:0 / /srv rw,noatime shared:9 - ext4 /dev/md0 rw
37 36 0:45 /home /srv/my\\040home rw - btrfs /dev/md1 rw,subvol=/home
38 36 0:46 / /srv/proc rw - proc proc rw
";

    #[test]
    fn a_btrfs_is_on_its_source() {
        let sim = SimSystem::new();
        sim.world().tree.file("/dev/md1", "");
        sim.world().tree.file("/sys/class/block/md1/dev", "9:1\n");
        let mounts = parse(MOUNTS);
        let on = |device: &str| {
            let devices = [device.to_owned()];
            let points = mounts.iter().filter(|mount| mount.is_on(&sim, &devices));
            points
                .map(|mount| mount.point.to_str().unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(on("9:0"), ["/srv"]);
        assert_eq!(on("9:1"), ["/srv/my home"]);
        assert!(on("9:2").is_empty());
    }

    #[test]
    fn what_lies_on_an_array_is_found_with_what_is_uppermost() {
        let sim = SimSystem::new();
        let mut world = sim.world();
        for (file, number) in [("md0", "9:0"), ("md0/md0p1", "259:0"), ("dm-0", "254:0")] {
            world
                .tree
                .file(format!("/sys/block/{file}/dev"), &format!("{number}\n"));
        }
        world.tree.file("/sys/block/md0/md0p1/partition", "1\n");
        world.tree.dir("/sys/block/md0/md0p1/holders/dm-0");
        drop(world);
        assert_eq!(devices_on(&sim, "md0"), ["9:0", "259:0", "254:0"]);
        assert_eq!(uppermost_on(&sim, "md0"), ["9:0", "254:0"]);
    }

    #[test]
    fn the_longest_mount_point_counts_and_of_two_the_last() {
        let mut mounts = parse(MOUNTS);
        let of = |mounts: &[Mount], path: &str| {
            let found = nearest(mounts, Path::new(path)).unwrap();
            found.device.clone()
        };
        assert_eq!(of(&mounts, "/srv/my home/x"), "0:45");
        assert_eq!(of(&mounts, "/srvx"), "8:1");
        mounts.extend(parse("40 22 9:7 / /srv rw - ext4 /dev/md7 rw\n"));
        assert_eq!(of(&mounts, "/srv/x"), "9:7");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ -~\n\\\\]{0,300}", path in "/[a-z/]{0,20}") {
            let mounts = parse(&text);
            let _ = nearest(&mounts, Path::new(&path));
        }

        #[test]
        fn paths_come_back_from_escapes(path in "[ -\\[\\]-~]{0,40}") {
            let escaped = path.replace(' ', "\\040");
            prop_assert_eq!(unescape(&escaped), path);
        }
    }
}
