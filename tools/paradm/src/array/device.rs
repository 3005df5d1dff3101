// SPDX-License-Identifier: GPL-2.0
//! The disk of a member, as sysfs knows it without asking the disk.

use super::Dir;
use serde::Serialize;
use std::path::Path;

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
        let name = device_name(md, number)?;
        let state = rdev.line("state").ok()?;
        let block = rdev.sub("block");
        let (disk, files) = if block.exists("partition") {
            let whole = rdev.resolve("block")?.parent()?.to_owned();
            (base_name(&whole)?, Dir::new(md.system, whole))
        } else {
            (name.clone(), block)
        };
        Some(Device {
            name,
            disk,
            state,
            model: files.optional(Path::new("device/model")),
            rotational: files.optional(Path::new("queue/rotational")).as_deref() == Some("1"),
        })
    }
}

/// Its name alone; `None` if no device is in that place.
pub fn device_name(md: &Dir, number: u32) -> Option<String> {
    // To follow all links of its path would take a call for each directory on the way.
    base_name(&md.sub(&format!("rd{number}")).link("block")?)
}

fn base_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}
