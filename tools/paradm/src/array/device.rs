// SPDX-License-Identifier: GPL-2.0
//! The disk of a member, as sysfs knows it without asking the disk.

use super::Dir;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Device {
    /// The block device: sde, or a partition, sde1.
    pub name: String,
    /// The whole disk that it lies on: sde.
    pub disk: String,
    /// md's state of it: `in_sync`, `faulty`, …
    pub state: String,
    pub model: Option<String>,
    pub rotational: bool,
}

impl Device {
    /// `None` if no device is in that place, or it is being taken away.
    pub fn of_member(md: &Dir, number: u32) -> Option<Self> {
        let rdev = md.sub(&format!("rd{number}"));
        let block = rdev.resolve("block")?;
        let state = rdev.line("state").ok()?;
        let (name, disk_dir) = whole_disk(md, &block)?;
        let disk = Dir::new(md.system, disk_dir.clone());
        Some(Device {
            name,
            disk: base_name(&disk_dir)?,
            state,
            model: disk.optional(Path::new("device/model")),
            rotational: disk.optional(Path::new("queue/rotational")).as_deref() == Some("1"),
        })
    }
}

/// The name of a block device, and the directory of the disk that it is or lies on.
fn whole_disk(md: &Dir, block: &Path) -> Option<(String, PathBuf)> {
    let name = base_name(block)?;
    if md.system.exists(&block.join("partition")) {
        Some((name, block.parent()?.to_owned()))
    } else {
        Some((name, block.to_owned()))
    }
}

fn base_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}
