// SPDX-License-Identifier: GPL-2.0
//! `paradm plan`: what an array of these disks would hold and use, beside plain RAID of the same disks, and of
//! fewer that hold as much.
//!
//! Geometry and policy are the module's own; the array and its disks are policy-replay's model.

mod find;
mod load;
mod payback;
mod sizes;
mod text;
mod trace;

pub use find::{Found, Limits, find};
pub use load::{Latencies, Load, Outcome, gathered, joules};
pub use payback::Payback;
pub use shared::request::Op;
pub use sizes::{Offers, Size, Sizes, price};
pub use trace::{Request, Trace};

use crate::create::{Gears, Level, LogSize, LogWish, ShareWish};
use crate::error::{Error, Result};
use crate::output::units;
use crate::policy_ffi::{self, Ask, Geometry, Simulation};
use crate::system::System;
use serde::Serialize;
use shared::loads;
use std::path::{Path, PathBuf};

/// What one disk takes, in watts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Watts {
    pub active: f64,
    pub idle: f64,
    pub standby: f64,
    pub start: f64,
    /// Of an SSD, at all times.
    pub ssd: f64,
}

/// Data sheets of SATA SSDs for servers have 1 to 3 W.
const SSD_WATTS: f64 = 2.0;

impl Watts {
    /// The preset "nearline", as Documentation/spindle.md has it.
    pub fn nearline() -> Self {
        let [active, idle, standby, start] =
            policy_ffi::disk_milliwatts().map(|milli| f64::from(milli) / 1000.0);
        Watts {
            active,
            idle,
            standby,
            start,
            ssd: SSD_WATTS,
        }
    }
}

/// A disk that becomes a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drive {
    pub bytes: u64,
    /// It does not turn.
    pub solid: bool,
}

impl Drive {
    pub fn hard(bytes: u64) -> Self {
        Drive {
            bytes,
            solid: false,
        }
    }
}

fn bytes_of(disks: &[Drive]) -> Vec<u64> {
    disks.iter().map(|disk| disk.bytes).collect()
}

/// How many of the first `disks` are SSDs.
fn solid_of(all: &[Drive], disks: u32) -> u32 {
    let first = all.iter().zip(0..disks);
    first.map(|(disk, _)| u32::from(disk.solid)).sum()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rival {
    Par,
    /// The array, always in its top gear.
    Top,
    /// Plain RAID of all disks, awake; and each disk stops after 20 minutes without a request.
    Raid,
    RaidRest,
    /// Plain RAID of the fewest disks that hold as much, alike.
    Few,
    FewRest,
}

impl Rival {
    pub const ALL: [Rival; policy_ffi::RIVALS] = [
        Rival::Par,
        Rival::Top,
        Rival::Raid,
        Rival::RaidRest,
        Rival::Few,
        Rival::FewRest,
    ];
}

#[derive(Debug, Clone)]
pub enum LoadFrom {
    Kind { name: String, days: u32 },
    Trace(PathBuf),
}

#[derive(Debug, Clone)]
pub struct Wanted {
    pub disks: Vec<Drive>,
    /// Of one disk.
    pub price: Option<f64>,
    /// Of a kWh, in the same currency.
    pub kwh_price: Option<f64>,
    pub warnings: Vec<String>,
    pub level: Level,
    pub chunk_kib: u64,
    pub log: LogWish,
    pub image_share: ShareWish,
    pub watts: Watts,
    pub load: Option<LoadFrom>,
}

/// What an array of disks takes when nothing is asked of it, and when all that is awake works.
#[derive(Debug, Clone, Serialize)]
pub struct Gear {
    pub gear: u32,
    pub asleep: u32,
    pub idle_watts: f64,
    pub active_watts: f64,
}

#[derive(Debug, Clone, Serialize)]
pub struct Raid {
    pub disks: u32,
    pub bytes: u64,
    pub idle_watts: f64,
    pub active_watts: f64,
    pub asleep_watts: f64,
    pub price: Option<f64>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    pub level: Level,
    pub gears: Gears,
    pub chunk_kib: u64,
    /// The write log on each disk.
    #[serde(rename = "log_bytes")]
    pub log_size: Option<LogSize>,
    /// Percent of the array that can have images.
    pub image_share: u32,
    pub disks: Vec<u64>,
    /// SSDs, a bit each.
    #[serde(skip)]
    solid: u32,
    pub watts: Watts,
    pub bytes: u64,
    /// Of what all disks have.
    pub share_percent: f64,
    /// Of all disks, in the currency of the offers.
    pub price: Option<f64>,
    pub kwh_price: Option<f64>,
    pub by_gear: Vec<Gear>,
    /// Plain RAID of all disks.
    pub raid: Raid,
    /// Plain RAID of the fewest disks that hold as much: with images of everything, those of the lowest gear.
    pub few: Raid,
    pub load: Option<Load>,
    /// What the array saves beside each plain RAID, and when that has paid for it; empty without a price of energy.
    pub paybacks: Vec<Payback>,
    pub warnings: Vec<String>,
    /// What follows, in sentences.
    pub verdicts: Vec<String>,
}

#[allow(clippy::cast_precision_loss)] // bytes, for percents
fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all as f64
}

pub fn plan(system: &dyn System, wanted: &Wanted, gears: &Gears) -> Result<Plan> {
    let mut plan = of(wanted, gears)?;
    if let Some(load) = &wanted.load {
        plan.put_to(&read(system, load)?)?;
    }
    Ok(plan)
}

/// Of the first disks, as many as the top gear has.
fn used<'a>(wanted: &'a Wanted, gears: &Gears) -> Result<&'a [Drive]> {
    let top = usize::try_from(gears.top()).unwrap_or(usize::MAX);
    wanted.disks.get(..top).ok_or_else(|| {
        Error::Usage(format!(
            "gears {gears} need {top} disks, and {} are given",
            wanted.disks.len()
        ))
    })
}

fn geometry(wanted: &Wanted, gears: &Gears) -> Result<Geometry> {
    let disks = bytes_of(used(wanted, gears)?);
    let least = disks.iter().min().copied().unwrap_or(0);
    let log = wanted.log.on(least);
    let share = wanted.image_share.on(least, log);
    gears.geometry(
        wanted.level,
        wanted.chunk_kib,
        gears.used_of(&disks, share),
        log,
        share,
    )
}

/// Without a load.
fn of(wanted: &Wanted, gears: &Gears) -> Result<Plan> {
    let geometry = geometry(wanted, gears)?;
    let drives = used(wanted, gears)?;
    let disks = bytes_of(drives);
    let least = disks.iter().min().copied().unwrap_or(0);
    let log = wanted.log.on(least);
    let share = wanted.image_share.on(least, log);
    let by_gear = gears.list().iter();
    let mut plan = Plan {
        level: wanted.level,
        gears: gears.clone(),
        chunk_kib: wanted.chunk_kib,
        log_size: log,
        image_share: share,
        watts: wanted.watts,
        bytes: geometry.array_bytes(),
        share_percent: percent(geometry.array_bytes(), together(&disks)),
        price: wanted.price.map(|each| f64::from(gears.top()) * each),
        kwh_price: wanted.kwh_price,
        by_gear: by_gear
            .map(|gear| in_gear(wanted.watts, *gear, drives))
            .collect(),
        raid: raid(wanted, gears.top(), least),
        few: few(wanted, &geometry, least),
        load: None,
        paybacks: Vec::new(),
        warnings: gears
            .mixed(&disks, share)
            .into_iter()
            .chain(one_parity(wanted, gears.top(), least))
            .chain(wanted.warnings.clone())
            .collect(),
        verdicts: Vec::new(),
        solid: (0u32..32)
            .zip(drives)
            .map(|(at, disk)| u32::from(disk.solid) << at)
            .sum(),
        disks,
    };
    plan.conclude();
    Ok(plan)
}

/// Makers rate nearline disks for one unreadable sector in 10^15 bits that are read.
const READ_FOR_AN_ERROR: u64 = 125_000_000_000_000;

/// What a rebuild reads has no parity beside what it rebuilds.
fn one_parity(wanted: &Wanted, disks: u32, least: u64) -> Option<String> {
    let read = u64::from(disks.saturating_sub(1)).saturating_mul(least);
    (wanted.level.parities() == 1 && read > READ_FOR_AN_ERROR).then(|| {
        format!(
            "with one parity a rebuild reads {} without redundancy, and disks are rated for one unreadable sector in {}: \
             take --level raid6",
            units::bytes(read),
            units::bytes(READ_FOR_AN_ERROR)
        )
    })
}

/// A size that is beyond all disks, as a damaged file may name it, does not overflow.
fn together(disks: &[u64]) -> u64 {
    disks.iter().copied().fold(0, u64::saturating_add)
}

fn in_gear(watts: Watts, gear: u32, disks: &[Drive]) -> Gear {
    let all = u32::try_from(disks.len()).unwrap_or(u32::MAX);
    let (ssds, awake_ssds) = (solid_of(disks, all), solid_of(disks, gear));
    let turning = f64::from(gear - awake_ssds);
    let standing = f64::from(all - gear - (ssds - awake_ssds));
    let others = standing * watts.standby + f64::from(ssds) * watts.ssd;
    Gear {
        gear,
        asleep: all - gear,
        idle_watts: turning * watts.idle + others,
        active_watts: turning * watts.active + others,
    }
}

fn raid(wanted: &Wanted, disks: u32, least: u64) -> Raid {
    let ssds = solid_of(&wanted.disks, disks);
    let ssd_watts = f64::from(ssds) * wanted.watts.ssd;
    let all = |watts: f64| f64::from(disks - ssds) * watts + ssd_watts;
    Raid {
        disks,
        bytes: u64::from(disks.saturating_sub(wanted.level.parities())).saturating_mul(least),
        idle_watts: all(wanted.watts.idle),
        active_watts: all(wanted.watts.active),
        asleep_watts: all(wanted.watts.standby),
        price: wanted.price.map(|each| f64::from(disks) * each),
    }
}

/// No array holds more than plain RAID of all its disks.
fn few(wanted: &Wanted, geometry: &Geometry, least: u64) -> Raid {
    let all = geometry.members();
    let mut sizes = geometry.members_in(1)..all;
    sizes
        .find_map(|disks| {
            let raid = raid(wanted, disks, least);
            (raid.bytes >= geometry.array_bytes()).then_some(raid)
        })
        .unwrap_or_else(|| raid(wanted, all, least))
}

impl Plan {
    /// What follows from the figures.
    fn conclude(&mut self) {
        self.paybacks = payback::of(self);
        self.verdicts = text::verdicts(self);
    }

    /// Simulate the load, on what is used of the disks.
    fn put_to(&mut self, source: &Source) -> Result<()> {
        let wrong = |reason: &str| Error::Usage(format!("gears {}: {reason}", self.gears));
        let word = Geometry::layout_word(self.level.number(), self.gears.list());
        let word = word.ok_or_else(|| wrong("mdadm has no number for the layout"))?;
        let ask = Ask {
            layout: word,
            members: self.gears.top(),
            chunk_bytes: self.chunk_kib << 10,
            disk_bytes: self.gears.used_of(&self.disks, self.image_share),
            log_bytes: self.log_size.map_or(0, LogSize::bytes),
            image_share: self.image_share,
            solid: self.solid,
        };
        let simulation = Simulation::new(&ask, self.few.disks).map_err(wrong)?;
        let ssd_watts = Rival::ALL.map(|rival| {
            let disks = match rival {
                Rival::Few | Rival::FewRest => self.few.disks,
                _ => self.raid.disks,
            };
            let first = self.solid & u32::MAX.checked_shl(disks).map_or(u32::MAX, |rest| !rest);
            f64::from(first.count_ones()) * self.watts.ssd
        });
        self.load = Some(load::simulate(simulation, source, self.watts, ssd_watts));
        self.conclude();
        Ok(())
    }
}

struct Source {
    trace: Trace,
    /// ns
    until: u64,
    what: String,
}

const DAY: u64 = 86_400_000_000_000;

fn read(system: &dyn System, load: &LoadFrom) -> Result<Source> {
    match load {
        LoadFrom::Kind { name, days } => {
            let kind = loads::kind(name).ok_or_else(|| no_kind(name))?;
            let shape = loads::Shape {
                days: u64::from(*days),
                span: 5_000_000_000_000,
                ..loads::Shape::default()
            };
            let load = loads::Load::new(kind, &shape).map_err(Error::Usage)?;
            Ok(Source {
                trace: Trace::of(load),
                until: u64::from(*days) * DAY,
                what: format!(
                    "load {name}, {} from a Monday on",
                    units::count(*days, "day")
                ),
            })
        }
        LoadFrom::Trace(path) => {
            let trace = system
                .read_bytes(path)
                .map_err(|error| Error::read(path, error))?;
            let trace = Trace::parse(path, trace).map_err(|error| Error::Read {
                path: path.clone(),
                source: std::io::Error::new(std::io::ErrorKind::InvalidData, error),
            })?;
            Ok(Source {
                what: traced(path, &trace),
                trace,
                until: 0,
            })
        }
    }
}

fn traced(path: &Path, trace: &Trace) -> String {
    let mut what = format!("trace {}", path.display());
    if trace.disks() > 1 {
        what += &format!(" of {} disks, one after the other", trace.disks());
    }
    if trace.sorted {
        what += ", sorted by time";
    }
    if let Some((count, first)) = &trace.left_out {
        what += &format!(", without {count} rows that are no requests ({first})");
    }
    what + ", scaled to the array in blocks of 64 MiB"
}

fn no_kind(name: &str) -> Error {
    let names: Vec<_> = loads::KINDS.iter().map(|kind| kind.name).collect();
    Error::Usage(format!(
        "there is no load {name}; there are {}",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::together;

    #[test]
    fn sizes_of_disks_do_not_overflow() {
        assert_eq!(together(&[u64::MAX - 1, 5]), u64::MAX);
        assert_eq!(together(&[3, 4]), 7);
    }
}
