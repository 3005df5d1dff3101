// SPDX-License-Identifier: GPL-2.0
//! Hot spares: they are in no gear, so the module does not stop their disks. Runtime PM can, by itself: md writes to a
//! spare only when the members of the array change, and a command starts the disk again.

use crate::array::{self, Dir};
use crate::error::Result;
use crate::system::{Files, System};
use std::collections::BTreeSet;
use std::path::Path;

/// Spares that were seen, by array and device. Each is set once: what somebody sets afterwards stays.
#[derive(Default)]
pub struct Spares(BTreeSet<(String, String)>);

impl Spares {
    /// Returns what was done, a line for each.
    pub fn look(&mut self, system: &dyn System) -> Result<Vec<String>> {
        let mut there = BTreeSet::new();
        let mut lines = Vec::new();
        for name in array::names(system)? {
            let md = Dir::new(system, Path::new("/sys/block").join(&name).join("md"));
            for device in spares(&md) {
                let key = (name.clone(), device);
                if !self.0.contains(&key) && stop(&md, &key.1)? {
                    lines.push(format!(
                        "{}, a spare of {name}, is stopped by runtime PM when it is idle",
                        key.1
                    ));
                }
                there.insert(key);
            }
        }
        self.0 = there;
        Ok(lines)
    }
}

fn spares(md: &Dir) -> Vec<String> {
    let entries = md.system.list(&md.path("")).unwrap_or_default();
    let members = entries.iter().filter(|entry| entry.starts_with("rd"));
    let members: BTreeSet<_> = members
        .filter_map(|entry| Some(md.link(entry)?.file_name()?.to_owned()))
        .collect();
    // One without a place is a spare, or has failed.
    let is_spare = |entry: &str| {
        let has_place = members.contains(std::ffi::OsStr::new(entry));
        entry.starts_with("dev-")
            && !has_place
            && md
                .line(&format!("{entry}/state"))
                .is_ok_and(|state| state == "spare")
    };
    let spares = entries.iter().filter(|entry| is_spare(entry));
    spares
        .filter_map(|entry| entry.strip_prefix("dev-"))
        .map(str::to_owned)
        .collect()
}

/// False: it is no whole hard disk, has no runtime PM or has it already, or `spin` is off.
fn stop(md: &Dir, device: &str) -> Result<bool> {
    let block = md.sub(&format!("dev-{device}/block"));
    let is = |file: &str, value: &str| block.optional(Path::new(file)).as_deref() == Some(value);
    if !is("queue/rotational", "1")
        || !is("device/power/control", "on")
        || md.word("par/spin")? != "on"
    {
        return Ok(false);
    }
    let system = md.system;
    // A SCSI disk of sd's: without this, runtime PM leaves it turning.
    let scsi = block.path("device/scsi_disk");
    for host in system.list(&scsi).unwrap_or_default() {
        system.put(&scsi.join(host).join("manage_runtime_start_stop"), "1")?;
    }
    let seconds: u64 = md.number("par/stop_after")?;
    system.put(
        &block.path("device/power/autosuspend_delay_ms"),
        &(seconds * 1000).to_string(),
    )?;
    system.put(&block.path("device/power/control"), "auto")?;
    Ok(true)
}
