// SPDX-License-Identifier: GPL-2.0
//! What the metrics are of. Of an array's hundreds of files only those are read that are shown: it is done each
//! minute, and for each scrape.

use crate::array::{self, Dir, Health, PowerState, Scrub, Signs, Slots, device_name};
use crate::error::Result;
use crate::system::System;
use std::path::Path;

pub(super) struct Figures {
    pub name: String,
    pub health: Health,
    pub scrub: Scrub,
    /// Of each place of the top gear.
    pub in_sync: Vec<bool>,
    pub gear: u32,
    pub min_gear: u32,
    pub max_gear: u32,
    /// Members of the top gear.
    pub members: u32,
    pub degraded: u32,
    pub spin_refused: u64,
    pub propagated_bytes: u64,
    pub metadata_writes: u64,
    /// `None`: the array has no write log.
    pub log: Option<Log>,
    /// `None`: the array has images of everything.
    pub slots: Option<Slots>,
    /// Of places that have one.
    pub disks: Vec<Disk>,
}

/// Bytes.
pub(super) struct Log {
    pub size: u64,
    pub used: u64,
    pub live: u64,
    pub logged: u64,
    pub drained: u64,
    pub lost: u64,
}

pub(super) struct Disk {
    pub member: u32,
    pub device: String,
    pub power_state: PowerState,
    pub seconds_active: u64,
    pub seconds_waking: u64,
    pub seconds_asleep: u64,
    pub spin_ups: u64,
    pub spins_left: u64,
    pub rated_cycles: u32,
    pub busy_percent: f64,
}

/// Of all arrays that run. One that is stopped meanwhile is left out.
pub(super) fn all(system: &dyn System) -> Result<Vec<Figures>> {
    let mut all = Vec::new();
    for name in array::names(system)? {
        let block = Dir::new(system, Path::new("/sys/block").join(&name));
        match Figures::read(name, &block) {
            Ok(figures) => all.push(figures),
            Err(error) if error.is_absent() && !block.exists("md/par") => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

impl Figures {
    fn read(name: String, block: &Dir) -> Result<Self> {
        let md = block.sub("md");
        let par = md.sub("par");
        let members = par.numbers("gears")?.last().copied().unwrap_or(0);
        let (scrub, log) = (Scrub::read(&md, &par)?, Log::read(&par)?);
        let degraded = md.number("degraded")?;
        let array_state = md.word("array_state")?;
        let signs = Signs {
            array_state: &array_state,
            degraded,
            parities: array::level(&md)?.parities(),
            action: &scrub.action,
            mismatches: scrub.mismatches,
            lost_bytes: log.as_ref().map_or(0, |log| log.lost),
            resyncs: par.unless::<u64>("resync", "none")?.is_some(),
        };
        Ok(Figures {
            name,
            health: signs.health(),
            in_sync: (0..members).map(|member| in_sync(&md, member)).collect(),
            gear: par.number("gear")?,
            min_gear: par.number("min_gear")?,
            max_gear: par.number("max_gear")?,
            members,
            degraded,
            scrub,
            spin_refused: par.number("spin_refused")?,
            propagated_bytes: par.number("propagated_bytes")?,
            metadata_writes: par.number("metadata_writes")?,
            log,
            slots: Slots::read(&par)?,
            disks: (0..members)
                .filter_map(|member| Disk::read(&md, member).transpose())
                .collect::<Result<_>>()?,
        })
    }
}

fn in_sync(md: &Dir, member: u32) -> bool {
    let state = md.line(&format!("rd{member}/state")).unwrap_or_default();
    state.split(',').any(|word| word == "in_sync")
}

impl Log {
    fn read(par: &Dir) -> Result<Option<Self>> {
        let Some(size) = array::log_bytes(par)? else {
            return Ok(None);
        };
        Ok(Some(Log {
            size,
            used: par.number("log_used")?,
            live: par.number("log_live")?,
            logged: par.number("logged")?,
            drained: par.number("drained")?,
            lost: par.number("log_lost")?,
        }))
    }
}

impl Disk {
    /// `None`: no device is in that place.
    fn read(md: &Dir, member: u32) -> Result<Option<Self>> {
        let Some(device) = device_name(md, member) else {
            return Ok(None);
        };
        let files = md.sub("par").sub(&format!("member{member}"));
        Ok(Some(Disk {
            member,
            device,
            power_state: PowerState::read(&files)?,
            seconds_active: files.number("seconds_active")?,
            seconds_waking: files.number("seconds_waking")?,
            seconds_asleep: files.number("seconds_asleep")?,
            spin_ups: files.number("spin_ups")?,
            spins_left: files.number("spins_left")?,
            rated_cycles: files.number("rated_cycles")?,
            busy_percent: files.fraction("busy_percent")?,
        }))
    }
}
