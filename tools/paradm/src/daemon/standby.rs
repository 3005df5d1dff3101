// SPDX-License-Identifier: GPL-2.0
//! Disks that the module cannot stop, since they have no runtime PM: the administrator names them, and the program
//! that does.

use super::config::{Config, Tool};
use super::limited;
use crate::array::{self, Array, PowerControl};
use crate::error::Result;
use crate::history::Event;
use crate::system::{Files, Program, System};
use std::path::Path;
use std::time::Duration;

/// A bridge that hangs keeps its disk's program waiting, and the daemon no longer than this.
const LIMIT: Duration = Duration::from_secs(30);

/// A member has gone to sleep. Returns what was done.
pub fn stop(system: &dyn System, config: &Config, event: &Event) -> Result<Option<String>> {
    let (Some(device), Some(member)) = (&event.device, event.member) else {
        return Ok(None);
    };
    let Some(tool) = tool_of(system, config, device) else {
        return Ok(None);
    };
    // It may be needed again meanwhile: an event comes late.
    let asleep = array::par_file(&event.array, &format!("member{member}/asleep"));
    if system.text(&asleep)?.trim() != "1" {
        return Ok(None);
    }
    let program = program(tool, device);
    let stopped = format!("{device} is stopped by {}", program.name);
    let or_else = format!("take {device} out of [standby]");
    limited::run(system, program, LIMIT, &or_else)?;
    Ok(Some(stopped))
}

/// All members that sleep already, and whose event has been missed.
pub fn missed(system: &dyn System, config: &Config) -> Result<Vec<Event>> {
    if config.standby.is_empty() {
        return Ok(Vec::new());
    }
    let now = system.now().as_second();
    let arrays = array::all(system)?;
    Ok(arrays.iter().flat_map(|array| asleep(array, now)).collect())
}

fn asleep(array: &Array, time: i64) -> Vec<Event> {
    let members = array.members.iter();
    members
        .filter(|member| member.asleep && member.power_control == PowerControl::Logical)
        .filter_map(|member| {
            Some(Event {
                time,
                array: array.name.clone(),
                kind: "sleep".to_owned(),
                gear: None,
                member: Some(member.number),
                device: Some(member.device.as_ref()?.name.clone()),
                cause: None,
                what: Some("logical".to_owned()),
            })
        })
        .collect()
}

/// A partition is not the disk: others may use the rest of it.
fn tool_of(system: &dyn System, config: &Config, device: &str) -> Option<Tool> {
    let device = Path::new("/dev").join(device);
    let named = config.standby.iter();
    let mut same = named.filter(|(path, _)| system.resolve(path).is_ok_and(|path| path == device));
    same.next().map(|(_, tool)| *tool)
}

fn program(tool: Tool, device: &str) -> Program {
    let device = format!("/dev/{device}");
    match tool {
        Tool::Hdparm => Program::new("hdparm", ["-y".to_owned(), device]),
        Tool::Sdparm => Program::new("sdparm", ["--command=stop".to_owned(), device]),
    }
}
