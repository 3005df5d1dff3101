// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::create::{Gears, Level};
use crate::disk::{self, Disk};
use crate::error::{Error, Result};
use crate::plan::{self, LoadFrom, Size, Sizes, Wanted, Watts};
use crate::system::System;
use std::path::PathBuf;

/// Say what an array would hold and use, beside plain RAID of the same disks, and of fewer
///
/// Nothing is changed, and no disk is read: of devices, only their files in sysfs are.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Disks that are there, those first that shall never sleep
    #[arg(required_unless_present = "disks", conflicts_with = "disks")]
    devices: Vec<PathBuf>,
    /// Disks to be bought: 8x4T, or 5x4T,3x8T
    #[arg(long, value_name = "COUNTxSIZE")]
    disks: Option<Sizes>,
    /// Numbers of members that the array can run on, the last being all; default: about half, and all
    #[arg(long, value_name = "GEAR,GEAR")]
    gears: Option<Gears>,
    /// Find gears, and how many of the disks, for so much data: 8T
    #[arg(long, value_name = "SIZE", conflicts_with = "gears")]
    data: Option<Size>,
    /// Only arrays that take no more in their lowest gear when nothing is asked of them
    #[arg(long, value_name = "WATTS", requires = "data", value_parser = some_watts)]
    most_watts: Option<f64>,
    /// The level of each gear, and of the RAID beside it
    #[arg(long, value_enum, default_value_t)]
    level: Level,
    /// The chunk in KiB, a power of two; loads are simulated with 512
    #[arg(long, value_name = "KIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(64..=16384))]
    chunk: u64,
    /// Simulate a load of a kind: nas, mail, media and others; an unknown name is answered by the list
    #[arg(long, value_name = "KIND", conflicts_with = "trace")]
    load: Option<String>,
    /// So many days of it
    #[arg(long, default_value_t = 1, requires = "load", value_parser = clap::value_parser!(u32).range(1..=28))]
    days: u32,
    /// Simulate a trace, in the CSV form of MSR Cambridge's
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Of one disk at work, from its data sheet
    #[arg(long, value_name = "WATTS", value_parser = some_watts)]
    active_watts: Option<f64>,
    /// Of one that turns
    #[arg(long, value_name = "WATTS", value_parser = some_watts)]
    idle_watts: Option<f64>,
    /// Of one that is stopped
    #[arg(long, value_name = "WATTS", value_parser = some_watts)]
    standby_watts: Option<f64>,
    /// Of one that starts
    #[arg(long, value_name = "WATTS", value_parser = some_watts)]
    start_watts: Option<f64>,
}

fn some_watts(text: &str) -> std::result::Result<f64, String> {
    let watts: Option<f64> = text.parse().ok();
    watts
        .filter(|watts| (0.0..=10_000.0).contains(watts))
        .ok_or_else(|| "watts are a number from 0 to 10000, as 5.5".to_owned())
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let system = context.system;
    let wanted = wanted(options, system)?;
    if let Some(Size(data)) = options.data {
        let found = plan::find(system, &wanted, data, options.most_watts)?;
        context.output.show("plan-find/1", &found)?;
        return Ok(Verdict::Done);
    }
    let members = u32::try_from(wanted.disks.len()).unwrap_or(u32::MAX);
    let gears = options
        .gears
        .clone()
        .unwrap_or_else(|| Gears::usual(options.level, members));
    if gears.top() != members {
        return Err(Error::Usage(format!(
            "gears {gears} are of {} disks, and {members} are given",
            gears.top()
        )));
    }
    context
        .output
        .show("plan/1", &plan::plan(system, &wanted, &gears)?)?;
    Ok(Verdict::Done)
}

fn wanted(options: &Options, system: &dyn System) -> Result<Wanted> {
    let (disks, warnings) = match &options.disks {
        Some(Sizes(sizes)) => (sizes.clone(), Vec::new()),
        None => {
            let found: Result<Vec<_>> = options
                .devices
                .iter()
                .map(|path| Disk::find(system, path))
                .collect();
            let found = found?;
            (
                found.iter().map(|disk| disk.bytes).collect(),
                disk::doubts(&found),
            )
        }
    };
    let usual = Watts::nearline();
    let watts = Watts {
        active: options.active_watts.unwrap_or(usual.active),
        idle: options.idle_watts.unwrap_or(usual.idle),
        standby: options.standby_watts.unwrap_or(usual.standby),
        start: options.start_watts.unwrap_or(usual.start),
    };
    if watts.active < watts.idle || watts.idle < watts.standby {
        return Err(Error::Usage(format!(
            "a disk takes no less at work ({} W) than turning ({} W), and there no less than stopped ({} W)",
            watts.active, watts.idle, watts.standby
        )));
    }
    let kind = options.load.clone().map(|name| LoadFrom::Kind {
        name,
        days: options.days,
    });
    Ok(Wanted {
        disks,
        warnings,
        level: options.level,
        chunk_kib: options.chunk,
        watts,
        load: kind.or_else(|| options.trace.clone().map(LoadFrom::Trace)),
    })
}
