// SPDX-License-Identifier: GPL-2.0
//! Arrays that were assembled and do not run: some of their members are missing, or the kernel has refused them.
//!
//! md reads the level of such an array only when somebody tries to start it. Before that, udev's database has the level
//! of its members, which the rules of `make install-extras` store there. Nothing here reads a disk.

use super::Dir;
use crate::error::Result;
use crate::system::{Files, System};
use serde::Serialize;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Inactive {
    pub name: String,
    /// `None`: neither md nor udev knows its level yet.
    pub level: Option<String>,
    /// Members of the whole array; `None`: unknown.
    pub members: Option<u32>,
    /// The devices that were found, in their order.
    pub devices: Vec<String>,
    /// The kernel was asked to start it, and did not.
    pub refused: bool,
}

impl Inactive {
    /// What is wrong, without its name.
    pub fn what(&self) -> String {
        let found = match self.members {
            Some(members) => format!("{} of {members} members were found", self.devices.len()),
            None => format!("{} members were found", self.devices.len()),
        };
        let level = match self.level {
            Some(_) => "",
            None => ", its level is unknown before it is started",
        };
        let why = if self.refused {
            "the kernel has refused to start it"
        } else {
            "it has not been started"
        };
        format!(
            "INACTIVE: {why}; {found} ({}){level}",
            self.devices.join(" ")
        )
    }

    /// The next command.
    pub fn action(&self) -> String {
        let name = &self.name;
        let first = if self.refused {
            "`journalctl -k -g md/par` has the reason"
        } else {
            "connect the disks that are missing"
        };
        format!(
            "{first}; then `mdadm --stop /dev/{name}`, and `mdadm --assemble --verbose /dev/{name} DISKS` with all disks \
             of the array; do not create it again (admin-tasks.md, \"When nothing starts\")"
        )
    }
}

/// All of level par, and those whose level is unknown, by name.
pub fn inactive(system: &dyn System) -> Result<Vec<Inactive>> {
    let mut names = system.names(Path::new("/sys/block"))?;
    names.retain(|name| name.starts_with("md") && !system.exists(&super::par_dir(name)));
    names.sort_by_key(|name| (name.len(), name.clone()));
    Ok(names
        .into_iter()
        .filter_map(|name| of(system, name))
        .collect())
}

/// `None`: it runs, is of another level, or is going away.
fn of(system: &dyn System, name: String) -> Option<Inactive> {
    let md = Dir::new(system, Path::new("/sys/block").join(&name).join("md"));
    // A container of IMSM or DDF is always inactive.
    let external = md
        .optional(Path::new("metadata_version"))?
        .starts_with("external");
    if external || md.optional(Path::new("array_state"))? != "inactive" {
        return None;
    }
    let mut entries = system.list(&md.path("")).ok()?;
    entries.retain(|entry| entry.starts_with("dev-"));
    if entries.is_empty() {
        return None;
    }
    let known = md.optional(Path::new("level"));
    let udev: Vec<_> = entries
        .iter()
        .map(|entry| Udev::of(&md.sub(entry)))
        .collect();
    let level = known
        .clone()
        .or_else(|| udev.iter().find_map(|one| one.level.clone()));
    if level.as_deref().is_some_and(|level| level != "par") {
        return None;
    }
    let members = match known {
        Some(_) => md.number("raid_disks").ok(),
        None => udev.iter().find_map(|one| one.members),
    };
    Some(Inactive {
        devices: entries
            .iter()
            .filter_map(|entry| entry.strip_prefix("dev-"))
            .map(str::to_owned)
            .collect(),
        refused: known.is_some(),
        level,
        members,
        name,
    })
}

/// What udev has stored of a member when it appeared.
#[derive(Default)]
struct Udev {
    level: Option<String>,
    members: Option<u32>,
}

impl Udev {
    fn of(rdev: &Dir) -> Self {
        let Some(number) = rdev.optional(Path::new("block/dev")) else {
            return Self::default();
        };
        let path = Path::new("/run/udev/data").join(format!("b{number}"));
        let text = rdev.system.read(&path).unwrap_or_default();
        let value = |key| text.lines().find_map(|line| line.strip_prefix(key));
        Udev {
            level: value("E:MD_LEVEL=").map(str::to_owned),
            members: value("E:MD_DEVICES=").and_then(|count| count.parse().ok()),
        }
    }
}
