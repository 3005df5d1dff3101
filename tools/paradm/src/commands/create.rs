// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::create::{self, Creation, Gears, Level, LogWish, ShareWish, Wanted};
use crate::disk::{self, Disk};
use crate::error::{Error, Result};
use crate::output::Text;
use crate::output::{printable, units};
use crate::system::System;
use std::path::PathBuf;

/// Create an array of level par, after showing its disks and what they hold; this starts the disks that are named
///
/// Devices that are mounted, used as swap, part of something that runs, or members of any md array are refused. On a
/// terminal, devices and gears that are not given are asked for. The devices are read first, to find out what they hold.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The array's name: md0, /dev/md0 or /dev/md/home
    array: String,
    /// Disks or partitions: the members that never sleep first, the spares last
    devices: Vec<PathBuf>,
    /// Numbers of members that the array can run on, the last being all; default: about half, and all
    #[arg(long, value_name = "GEAR,GEAR")]
    gears: Option<Gears>,
    /// The level of each gear
    #[arg(long, value_enum, default_value_t)]
    level: Level,
    /// The chunk in KiB, a power of two
    #[arg(long, value_name = "KIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(64..=16384))]
    chunk: u64,
    /// Number of spares among the devices
    #[arg(long, value_name = "NUMBER", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100))]
    spares: u32,
    /// Size of the write log on each member that never sleeps, as mdadm takes it: 8G, or none; default: a 1024th of the smallest member, at most 8G
    #[arg(long, value_name = "SIZE")]
    log_size: Option<LogWish>,
    /// Percent of the array that can have images at a time; less makes the array larger, and reads of other data wake sleepers; default: 10, and 100 on members of less than 64 GiB
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100))]
    image_share: Option<u32>,
    /// Overwrite what the devices hold. Devices in use and members of arrays are refused nevertheless
    #[arg(long)]
    overwrite: bool,
    /// Check everything, print the command, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let system = context.system;
    let mut creation = create::prepare(system, &wanted(options, system)?)?;
    if !options.dry_run {
        if !options.yes {
            confirm(&creation, context)?;
        }
        creation = create::carry_out(system, creation)?;
    }
    context.output.show("create/1", &creation)?;
    Ok(Verdict::Done)
}

fn wanted(options: &Options, system: &dyn System) -> Result<Wanted> {
    let mut devices = options.devices.clone();
    let mut gears = options.gears.clone();
    if devices.is_empty() {
        create::array_path(&options.array)?;
        devices = ask_devices(system, options)?;
        if gears.is_none() {
            gears = ask_gears(system, devices.len(), options.spares)?;
        }
    }
    Ok(Wanted {
        array: options.array.clone(),
        devices,
        level: options.level,
        gears,
        chunk_kib: options.chunk,
        spares: options.spares,
        log: options.log_size.unwrap_or_default(),
        image_share: ShareWish(options.image_share),
        overwrite: options.overwrite,
    })
}

/// Until they are there, or nothing is typed. A slip is told, and asked for again.
fn ask_devices(system: &dyn System, options: &Options) -> Result<Vec<PathBuf>> {
    let mut before = listed(&disk::whole(system));
    loop {
        let question = format!("{before}Devices, the members that never sleep first: ");
        let line = system.ask(&question)?.unwrap_or_default();
        let devices: Vec<_> = line.split_whitespace().map(PathBuf::from).collect();
        if devices.is_empty() {
            return Err(Error::Usage(
                "no devices are given: name them after the array".to_owned(),
            ));
        }
        let enough = disk::find_all(system, &devices)
            .and_then(|found| create::members_of(options.level, found.len(), options.spares));
        match enough {
            Ok(_) => return Ok(devices),
            Err(error) => before = format!("{error}\n"),
        }
    }
}

fn listed(disks: &[Disk]) -> String {
    let line = |disk: &Disk| {
        let kind = if disk.rotational {
            ""
        } else {
            ", no hard disk"
        };
        let model = disk.model.as_deref().map(printable).unwrap_or_default();
        let size = units::bytes(disk.bytes);
        format!("  {}  {size}  {model}{kind}\n", disk.path.display())
    };
    disks.iter().map(line).collect()
}

fn ask_gears(system: &dyn System, devices: usize, spares: u32) -> Result<Option<Gears>> {
    let mut before = String::new();
    loop {
        let question = format!("{before}Gears, as 3,5 (empty: about half, and all): ");
        let Some(line) = system.ask(&question)?.filter(|line| !line.is_empty()) else {
            return Ok(None);
        };
        let gears = line.parse().map_err(Error::Usage);
        match gears.and_then(|gears| create::fit(&gears, devices, spares).map(|()| gears)) {
            Ok(gears) => return Ok(Some(gears)),
            Err(error) => before = format!("{error}\n"),
        }
    }
}

fn confirm(creation: &Creation, context: &mut Context) -> Result<()> {
    let text = creation.text(context.output.style);
    let question = format!("{text}Type yes to create it: ");
    let reason = match context.system.ask(&question)?.as_deref() {
        Some("yes") => return Ok(()),
        Some(_) => "that was not yes",
        None => "there is no terminal to ask on; add --yes, or look first with --dry-run",
    };
    Err(Error::Refused {
        what: format!("creating {}", creation.array.display()),
        reason: reason.to_owned(),
    })
}
