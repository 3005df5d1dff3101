// SPDX-License-Identifier: GPL-2.0
//! Block devices that may become members, as sysfs knows them: nothing here asks a disk.

use crate::error::{Error, Result};
use crate::system::{Files, System};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disk {
    /// As it was given: /dev/sda, or a link to it.
    pub path: PathBuf,
    /// The block device: sda, or a partition, sda1.
    pub name: String,
    pub bytes: u64,
    pub model: Option<String>,
    pub rotational: bool,
    /// `none`, or how a zoned disk presents itself: `host-aware`, `host-managed`.
    pub zoned: String,
    pub usb: bool,
    pub readonly: bool,
}

impl Disk {
    pub fn find(system: &dyn System, path: &Path) -> Result<Self> {
        let absent = || Error::NotFound(format!("there is no block device {}", path.display()));
        let device = system.resolve(path).map_err(|_| absent())?;
        let name = device.file_name().ok_or_else(absent)?.to_string_lossy();
        let class = Path::new("/sys/class/block").join(name.as_ref());
        let dir = system.resolve(&class).map_err(|_| absent())?;
        let whole = if system.exists(&dir.join("partition")) {
            dir.parent().ok_or_else(absent)?.to_owned()
        } else {
            dir.clone()
        };
        let word = |file: &Path| -> Option<String> {
            let text = system.text(file).ok()?;
            Some(text.trim().to_owned()).filter(|word| !word.is_empty())
        };
        Ok(Disk {
            path: path.to_owned(),
            name: name.into_owned(),
            bytes: size(system, &dir.join("size"))?,
            model: word(&whole.join("device/model")),
            rotational: word(&whole.join("queue/rotational")).as_deref() == Some("1"),
            zoned: word(&whole.join("queue/zoned")).unwrap_or_else(|| "none".to_owned()),
            usb: whole.components().any(|part| {
                let part = part.as_os_str().to_string_lossy();
                part.strip_prefix("usb")
                    .is_some_and(|number| number.parse::<u32>().is_ok())
            }),
            readonly: word(&dir.join("ro")).as_deref() == Some("1"),
        })
    }

    fn warning(&self, never_sleeps: bool) -> Option<String> {
        let name = &self.name;
        if !self.rotational && never_sleeps {
            return None;
        }
        if !self.rotational {
            return Some(format!(
                "{name} is not a hard disk: stopping it saves next to nothing; put it first, where members never sleep"
            ));
        }
        if self.zoned != "none" {
            return Some(format!(
                "{name} is an SMR disk ({}): its writes in random order, as copies to sleepers are, may take minutes",
                self.zoned
            ));
        }
        self.usb.then(|| {
            format!("{name} is behind a USB bridge: not every bridge stops its disk; try `hdparm -y` and listen")
        })
    }
}

/// All whole disks that are there, whatever they hold; without those that have no device below them, as partitions, md and loops.
pub fn whole(system: &dyn System) -> Vec<Disk> {
    let block = Path::new("/sys/class/block");
    let mut names = system.list(block).unwrap_or_default();
    names.retain(|name| system.exists(&block.join(name).join("device")));
    let paths = names.iter().map(|name| Path::new("/dev").join(name));
    paths
        .filter_map(|path| Disk::find(system, &path).ok())
        .filter(|disk| disk.bytes > 0)
        .collect()
}

/// sysfs has sizes in sectors of 512 bytes.
fn size(system: &dyn System, file: &Path) -> Result<u64> {
    let text = system.text(file)?;
    let sectors = text.trim().parse::<u64>().ok();
    sectors
        .and_then(|sectors| sectors.checked_mul(512))
        .ok_or_else(|| Error::Parse {
            path: file.to_owned(),
            got: text.trim().to_owned(),
            wanted: "a size in sectors",
        })
}

/// All of them, each given once.
pub fn find_all(system: &dyn System, paths: &[PathBuf]) -> Result<Vec<Disk>> {
    let mut found: Vec<Disk> = Vec::new();
    for path in paths {
        if !path.is_absolute() {
            return Err(Error::Usage(format!(
                "devices are given as /dev/sda, not {}",
                path.display()
            )));
        }
        let disk = Disk::find(system, path)?;
        if let Some(other) = found.iter().find(|other| other.name == disk.name) {
            let (one, two) = (other.path.display(), path.display());
            return Err(Error::Usage(format!(
                "{one} and {two} are the same device: each may be given once"
            )));
        }
        found.push(disk);
    }
    Ok(found)
}

/// Of single disks, of which the first `awake` never sleep.
pub fn doubts(disks: &[Disk], awake: usize) -> Vec<String> {
    let disks = disks.iter().enumerate();
    disks
        .filter_map(|(number, disk)| disk.warning(number < awake))
        .collect()
}

/// A plan counts them with `watts` each.
pub fn no_hard_disks(disks: &[Disk], watts: f64) -> Option<String> {
    let count = disks.iter().filter(|disk| !disk.rotational).count();
    (count > 0).then(|| {
        format!(
            "{count} of the devices are not hard disks: each is counted with {watts:.1} W at all times (--ssd-watts), and a \
             load is simulated as if they were as slow as hard disks"
        )
    })
}
