// SPDX-License-Identifier: GPL-2.0
//! What the public files of a par array say (Documentation/sysfs-par.md), as types.
//!
//! Reading wakes nothing. The field names are those of the files; numbers have their units.

mod device;
mod find;
mod health;
mod inactive;
mod log;
mod member;
mod past;
mod reader;
mod scrub;
mod settings;
mod shift;
mod slots;

pub use device::{Device, device_name};
pub use find::{all, down, link_of, meant, named, names, some};
pub use health::{Health, Signs, action, failed};
pub use inactive::{Inactive, inactive};
pub use log::{Log, LogState, log_bytes};
pub use member::{Member, PowerControl, PowerState};
pub use past::{PastHour, load_history};
pub use reader::Dir;
pub use scrub::{Scrub, SetScrub};
pub use settings::{PolicyMode, Settings, Spin};
pub use shift::{Moved, Progress, Shift, ShiftState};
pub use slots::{GearSlots, Slots};

use crate::error::{Error, Result};
use crate::system::System;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The level of each gear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Raid5,
    Raid6,
    Raid0,
}

impl Level {
    pub fn parities(self) -> u32 {
        match self {
            Level::Raid5 => 1,
            Level::Raid6 => 2,
            Level::Raid0 => 0,
        }
    }

    /// Bits 28 to 30 of md's layout word.
    fn of_layout(layout: u32) -> Option<Self> {
        match layout >> 28 {
            0 => Some(Level::Raid5),
            1 => Some(Level::Raid6),
            2 => Some(Level::Raid0),
            _ => None,
        }
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Level::Raid5 => "raid5",
            Level::Raid6 => "raid6",
            Level::Raid0 => "raid0",
        })
    }
}

/// Propagation, in segments of sleepers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Segments {
    pub kib: u64,
    pub unwritten: u64,
    pub both: u64,
    pub home: u64,
    pub image: u64,
    pub rows_written: u64,
}

/// A line of `load_by_hour`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HourLoad {
    /// UTC
    pub hour: u32,
    /// percent of what all members can do
    pub mean: f64,
    pub peak: f64,
    pub days: u32,
    /// Periods with a miss, on average. `None`: the array has images of everything, or the module
    /// is too old to tell.
    pub misses: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Array {
    /// As in /sys/block: md0.
    pub name: String,
    /// Its link in /dev/md: home. `None`: it has none but that of its number.
    pub link: Option<String>,
    pub health: Health,
    /// Devices that md has failed, and that were not removed.
    pub failed: Vec<String>,
    /// md's `array_state`: clean, active, read-auto, …
    pub array_state: String,
    pub level: Level,
    pub bytes: u64,
    pub chunk_bytes: u64,
    /// How many members are missing or not yet rebuilt.
    pub degraded: u32,
    pub gear: u32,
    /// Lowest first.
    pub gears: Vec<u32>,
    pub explain: String,
    pub shift: Shift,
    pub scrub: Scrub,
    pub segments: Segments,
    /// `None`: the array has no write log.
    pub log: Option<Log>,
    /// `None`: the array has images of everything.
    pub slots: Option<Slots>,
    /// Zones whose parity is to be made right.
    pub resync_zones: Option<u64>,
    pub propagated_bytes: u64,
    pub metadata_writes: u64,
    pub spin_refused: u64,
    pub settings: Settings,
    pub load_by_hour: Vec<HourLoad>,
    pub members: Vec<Member>,
}

/// A sector has 512 bytes in sysfs, whatever the disk's are.
fn bytes_of_sectors(word: &str) -> Option<u64> {
    word.parse::<u64>().ok()?.checked_mul(512)
}

impl Array {
    /// All that its files say. An array that is stopped meanwhile is an [`Error::NotFound`].
    pub fn read(system: &dyn System, name: &str) -> Result<Self> {
        Self::read_files(system, name).map_err(|error| {
            if error.is_absent() && !system.exists(&par_dir(name)) {
                find::no_such(system, name)
            } else {
                error
            }
        })
    }

    fn read_files(system: &dyn System, name: &str) -> Result<Self> {
        let block = Dir::new(system, Path::new("/sys/block").join(name));
        let md = block.sub("md");
        let par = md.sub("par");
        let gears = par.numbers("gears")?;
        let top = gears.last().copied().unwrap_or(0);
        let mut array = Array {
            name: name.to_owned(),
            link: find::link_of(system, name),
            health: Health::Whole,
            failed: Vec::new(),
            array_state: md.word("array_state")?,
            level: level(&md)?,
            bytes: block.one_of("size", "a size in sectors", bytes_of_sectors)?,
            chunk_bytes: md.number("chunk_size")?,
            degraded: md.number("degraded")?,
            gear: par.number("gear")?,
            explain: par.line("explain")?,
            shift: Shift::read(&par)?,
            scrub: Scrub::read(&md, &par)?,
            segments: segments(&par)?,
            log: Log::read(&par)?,
            slots: Slots::read(&par)?,
            resync_zones: par.unless("resync", "none")?,
            propagated_bytes: par.number("propagated_bytes")?,
            metadata_writes: par.number("metadata_writes")?,
            spin_refused: par.number("spin_refused")?,
            settings: Settings::read(&par)?,
            load_by_hour: par.lines("load_by_hour", "HOUR MEAN PEAK DAYS [MISSES]", hour_load)?,
            members: (0..top)
                .map(|number| Member::read(&md, number))
                .collect::<Result<_>>()?,
            gears,
        };
        array.failed = health::failed_devices(&md, &array.members);
        array.health = array.signs().health();
        Ok(array)
    }

    fn signs(&self) -> Signs<'_> {
        Signs {
            array_state: &self.array_state,
            degraded: self.degraded,
            parities: self.level.parities(),
            action: &self.scrub.action,
            mismatches: self.scrub.mismatches,
            lost_bytes: self.lost_bytes(),
            resyncs: self.resync_zones.is_some(),
        }
    }

    pub fn lowest_gear(&self) -> u32 {
        self.gears.first().copied().unwrap_or(self.gear)
    }

    pub fn top_gear(&self) -> u32 {
        self.gears.last().copied().unwrap_or(self.gear)
    }

    /// `raid5:3,5`, as mdadm's --layout takes it.
    pub fn layout(&self) -> String {
        let gears: Vec<_> = self.gears.iter().map(u32::to_string).collect();
        format!("{}:{}", self.level, gears.join(","))
    }

    /// Members that the lowest gear leaves out.
    pub fn sleepers(&self) -> impl Iterator<Item = &Member> {
        self.members
            .iter()
            .filter(|member| member.number >= self.lowest_gear())
    }

    /// Bytes whose newest content was in the write log and is lost.
    pub fn lost_bytes(&self) -> u64 {
        self.log.as_ref().map_or(0, |log| log.lost_bytes)
    }

    pub fn is_read_only(&self) -> bool {
        self.array_state == "readonly"
    }
}

/// The gear, alone.
pub fn gear(system: &dyn System, name: &str) -> Result<u32> {
    Dir::new(system, par_dir(name)).number("gear")
}

/// `min_gear` and `max_gear`, alone.
pub fn limits(system: &dyn System, name: &str) -> Result<(u32, u32)> {
    let par = Dir::new(system, par_dir(name));
    Ok((par.number("min_gear")?, par.number("max_gear")?))
}

/// Where a file of an array's par directory is.
pub fn par_file(name: &str, file: &str) -> PathBuf {
    par_dir(name).join(file)
}

fn par_dir(name: &str) -> PathBuf {
    Path::new("/sys/block").join(name).join("md/par")
}

/// Of all gears.
pub fn level(md: &Dir) -> Result<Level> {
    let layout = md.number("layout")?;
    Level::of_layout(layout).ok_or_else(|| Error::Parse {
        path: md.path("layout"),
        got: layout.to_string(),
        wanted: "a layout of a par array that this paradm knows",
    })
}

fn segments(par: &Dir) -> Result<Segments> {
    Ok(Segments {
        kib: par.number("segment_kib")?,
        unwritten: par.number("segments_unwritten")?,
        both: par.number("segments_both")?,
        home: par.number("segments_home")?,
        image: par.number("segments_image")?,
        rows_written: par.number("rows_written")?,
    })
}

fn hour_load(line: &str) -> Option<HourLoad> {
    let mut words = line.split_ascii_whitespace();
    let found = HourLoad {
        hour: words.next()?.parse().ok().filter(|hour| *hour < 24)?,
        mean: words.next().and_then(reader::finite)?,
        peak: words.next().and_then(reader::finite)?,
        days: words.next()?.parse().ok()?,
        misses: match words.next() {
            Some(word) => Some(reader::finite(word)?),
            None => None,
        },
    };
    words.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_hour_and_its_misses_if_it_has_them() {
        let plain = hour_load("09 31.07 88.20 7").unwrap();
        assert_eq!((plain.hour, plain.days, plain.misses), (9, 7, None));
        let missed = hour_load("09 31.07 88.20 7 1.57").unwrap();
        assert_eq!((missed.peak, missed.misses), (88.2, Some(1.57)));
        for line in [
            "",
            "24 1 2 3",
            "9 1 2",
            "9 1 2 3 x",
            "9 1 2 3 nan",
            "9 1 2 3 4 5",
        ] {
            assert_eq!(hour_load(line), None, "{line}");
        }
    }
}
