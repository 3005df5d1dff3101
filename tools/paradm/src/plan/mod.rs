// SPDX-License-Identifier: GPL-2.0
//! `paradm plan`: what an array of these disks would hold and use, beside plain RAID of the same disks, and of
//! fewer that hold as much.
//!
//! Geometry and policy are the module's own; the array and its disks are policy-replay's model.

mod load;
mod sizes;
mod text;
mod trace;

pub use load::{Load, Outcome};
pub use sizes::{Size, Sizes};
pub use trace::{Op, Request, Trace};

use crate::create::{Gears, Level};
use crate::disk;
use crate::error::{Error, Result};
use crate::output::units;
use crate::policy_ffi::{self, Geometry, Simulation};
use crate::system::{Files, System};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What one disk takes, in watts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Watts {
    pub active: f64,
    pub idle: f64,
    pub standby: f64,
    pub start: f64,
}

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
        }
    }
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
    /// Plain RAID of as many disks as the lowest gear has, alike.
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
    pub disks: Vec<u64>,
    pub warnings: Vec<String>,
    pub level: Level,
    pub chunk_kib: u64,
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
}

#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    pub level: Level,
    pub gears: Gears,
    pub chunk_kib: u64,
    pub disks: Vec<u64>,
    pub watts: Watts,
    pub bytes: u64,
    /// Of what all disks have.
    pub share_percent: f64,
    pub by_gear: Vec<Gear>,
    /// Plain RAID of all disks.
    pub raid: Raid,
    /// Plain RAID of as many disks as the lowest gear has: it holds as much.
    pub few: Raid,
    pub load: Option<Load>,
    pub warnings: Vec<String>,
    /// What follows, in sentences.
    pub verdicts: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Found {
    pub data_bytes: u64,
    /// The best one first.
    pub plans: Vec<Plan>,
}

#[allow(clippy::cast_precision_loss)] // bytes, for percents
fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all as f64
}

pub fn plan(system: &dyn System, wanted: &Wanted, gears: &Gears) -> Result<Plan> {
    let trace = wanted
        .load
        .as_ref()
        .map(|load| read(system, load))
        .transpose()?;
    of(wanted, gears, trace.as_ref())
}

/// Arrays of some or all of the disks that hold so much, within the watts in their lowest gear if there is nothing to do.
pub fn find(
    system: &dyn System,
    wanted: &Wanted,
    data_bytes: u64,
    most_watts: Option<f64>,
) -> Result<Found> {
    let trace = wanted
        .load
        .as_ref()
        .map(|load| read(system, load))
        .transpose()?;
    let mut plans = Vec::new();
    for gears in candidates(wanted, data_bytes) {
        let plan = of(wanted, &gears, trace.as_ref())?;
        let idle = plan.by_gear.first().map_or(0.0, |gear| gear.idle_watts);
        if most_watts.is_none_or(|most| idle <= most) {
            plans.push(plan);
        }
    }
    if plans.is_empty() {
        return Err(Error::NotFound(format!(
            "no array of level par of these disks holds {}{}: take more or larger disks{}",
            units::bytes(data_bytes),
            most_watts.map_or(String::new(), |most| format!(
                " within {most} W in its lowest gear"
            )),
            if most_watts.is_some() {
                ", or allow more watts"
            } else {
                ""
            }
        )));
    }
    plans.sort_by(|one, two| one.cost().total_cmp(&two.cost()));
    Ok(Found { data_bytes, plans })
}

/// The lowest gear that suffices, and some above it.
fn candidates(wanted: &Wanted, data_bytes: u64) -> Vec<Gears> {
    let all = u32::try_from(wanted.disks.len()).unwrap_or(0);
    let holds = |low: u32, top: u32| {
        let gears = Gears::of(vec![low, top])?;
        let geometry = geometry(wanted, &gears).ok()?;
        (geometry.array_bytes() >= data_bytes).then_some(gears)
    };
    let mut found = Vec::new();
    for top in wanted.level.least_gear() + 1..=all {
        let Some(gears) = (wanted.level.least_gear()..top).find_map(|low| holds(low, top)) else {
            continue;
        };
        let low = gears.list().first().copied().unwrap_or(0);
        found.push(gears);
        let middle = low.midpoint(top);
        if top == all && middle > low {
            found.extend(
                Gears::of(vec![low, middle, top]).filter(|gears| geometry(wanted, gears).is_ok()),
            );
        }
    }
    found
}

/// Of the first disks, as many as the top gear has.
fn used<'a>(wanted: &'a Wanted, gears: &Gears) -> Result<&'a [u64]> {
    let top = usize::try_from(gears.top()).unwrap_or(usize::MAX);
    wanted.disks.get(..top).ok_or_else(|| {
        Error::Usage(format!(
            "gears {gears} need {top} disks, and {} are given",
            wanted.disks.len()
        ))
    })
}

fn geometry(wanted: &Wanted, gears: &Gears) -> Result<Geometry> {
    let least = used(wanted, gears)?.iter().min().copied().unwrap_or(0);
    gears.geometry(wanted.level, wanted.chunk_kib, least)
}

fn of(wanted: &Wanted, gears: &Gears, trace: Option<&Source>) -> Result<Plan> {
    let geometry = geometry(wanted, gears)?;
    let disks = used(wanted, gears)?.to_vec();
    let least = disks.iter().min().copied().unwrap_or(0);
    let low = geometry.members_in(1);
    let mut plan = Plan {
        level: wanted.level,
        gears: gears.clone(),
        chunk_kib: wanted.chunk_kib,
        watts: wanted.watts,
        bytes: geometry.array_bytes(),
        share_percent: percent(geometry.array_bytes(), disks.iter().sum()),
        by_gear: gears
            .list()
            .iter()
            .map(|gear| in_gear(wanted.watts, *gear, gears.top()))
            .collect(),
        raid: raid(wanted, gears.top(), least),
        few: raid(wanted, low, least),
        load: trace
            .map(|source| simulated(wanted, gears, source))
            .transpose()?,
        warnings: disk::mixed(&disks)
            .into_iter()
            .chain(wanted.warnings.clone())
            .collect(),
        verdicts: Vec::new(),
        disks,
    };
    plan.verdicts = text::verdicts(&plan);
    Ok(plan)
}

fn in_gear(watts: Watts, gear: u32, all: u32) -> Gear {
    let asleep = all - gear;
    let standby = f64::from(asleep) * watts.standby;
    Gear {
        gear,
        asleep,
        idle_watts: f64::from(gear) * watts.idle + standby,
        active_watts: f64::from(gear) * watts.active + standby,
    }
}

fn raid(wanted: &Wanted, disks: u32, least: u64) -> Raid {
    let each = |watts: f64| f64::from(disks) * watts;
    Raid {
        disks,
        bytes: u64::from(disks.saturating_sub(wanted.level.parities())).saturating_mul(least),
        idle_watts: each(wanted.watts.idle),
        active_watts: each(wanted.watts.active),
        asleep_watts: each(wanted.watts.standby),
    }
}

impl Plan {
    /// What it is chosen by: Wh a day on the load, or watts of the lowest gear.
    fn cost(&self) -> f64 {
        match &self.load {
            Some(load) => load.outcomes.first().map_or(0.0, |par| par.wh_per_day),
            None => self.by_gear.first().map_or(0.0, |gear| gear.idle_watts),
        }
    }
}

struct Source {
    trace: Trace,
    /// ns
    until: u64,
    what: String,
    /// Its places are those of some other system's disks.
    foreign: bool,
}

const DAY: u64 = 86_400_000_000_000;

fn read(system: &dyn System, load: &LoadFrom) -> Result<Source> {
    match load {
        LoadFrom::Kind { name, days } => {
            let text = policy_ffi::load_lines(name, *days, 0).ok_or_else(|| no_kind(name))?;
            let trace = Trace::parse(&text)
                .map_err(|error| Error::Usage(format!("load {name}: {error}")))?;
            Ok(Source {
                trace,
                until: u64::from(*days) * DAY,
                what: format!(
                    "load {name}, {} from a Monday on",
                    units::count(*days, "day")
                ),
                foreign: false,
            })
        }
        LoadFrom::Trace(path) => {
            let trace = Trace::parse(&system.text(path)?);
            let trace = trace.map_err(|error| Error::Refused {
                what: path.display().to_string(),
                reason: error,
            })?;
            Ok(Source {
                what: traced(path, &trace),
                trace,
                until: 0,
                foreign: true,
            })
        }
    }
}

fn traced(path: &Path, trace: &Trace) -> String {
    let mut what = format!("trace {}", path.display());
    if trace.disks > 1 {
        what += &format!(", its {} disks one after the other", trace.disks);
    }
    if trace.sorted {
        what += ", put in order of time";
    }
    what
}

fn no_kind(name: &str) -> Error {
    let kinds = policy_ffi::load_kinds();
    let names: Vec<_> = kinds.iter().map(|(name, _)| *name).collect();
    Error::Usage(format!("there is no load {name}, but {}", names.join(", ")))
}

fn simulated(wanted: &Wanted, gears: &Gears, source: &Source) -> Result<Load> {
    let wrong = |reason: &str| Error::Usage(format!("gears {gears}: {reason}"));
    let word = Geometry::layout_word(wanted.level.number(), gears.list());
    let word = word.ok_or_else(|| wrong("mdadm has no number for the layout"))?;
    let simulation = Simulation::new(word, gears.top()).map_err(wrong)?;
    let mut trace = source.trace.clone();
    let mut what = source.what.clone();
    if source.foreign && trace.scale(simulation.sectors()) {
        what += ", its places scaled onto the array by blocks of 64 MiB";
    }
    Ok(load::simulate(
        simulation,
        &trace,
        source.until,
        wanted.watts,
        what,
    ))
}
