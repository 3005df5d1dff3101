// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::create::{Gears, Level, LogWish, ShareWish};
use crate::disk;
use crate::error::{Error, Result};
use crate::plan::{self, Drive, Limits, LoadFrom, Offers, Size, Sizes, Wanted, Watts};
use crate::system::System;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Compute the capacity and the energy of an array, compared with plain RAID of the same disks, and of fewer
///
/// Nothing is changed, and no disk is read: of devices, only their files in sysfs are read. With --data, disks and
/// gears are found.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("members").args(["devices", "disks", "offer"]).required(true)))]
#[command(group(clap::ArgGroup::new("simulated").args(["load", "trace"])))]
pub struct Options {
    /// Existing disks, those that never sleep first
    devices: Vec<PathBuf>,
    /// Disks by their sizes: 8x4T, or 5x4T,3x8T
    #[arg(long, value_name = "COUNTxSIZE")]
    disks: Option<Sizes>,
    /// Sizes of disks on sale, each with the price of a disk: 4T=95,8T=160; with --data
    #[arg(long, value_name = "SIZE=PRICE", requires = "data")]
    offer: Option<Offers>,
    /// Numbers of members that the array can run on, the last being all; default: about half, and all
    #[arg(long, value_name = "GEAR,GEAR")]
    gears: Option<Gears>,
    /// The amount of data for which gears and disks are to be found: 8T
    #[arg(long, value_name = "SIZE", conflicts_with = "gears")]
    data: Option<Size>,
    /// With --offer: only arrays whose disks cost at most this
    #[arg(long, value_name = "PRICE", requires = "offer", value_parser = some_price)]
    budget: Option<f64>,
    /// With --offer: the largest number of disks
    #[arg(long, value_name = "N", requires = "offer", default_value_t = 12, value_parser = clap::value_parser!(u32).range(3..=28))]
    most_disks: u32,
    /// With --data: only arrays that draw at most this when idle in their lowest gear
    #[arg(long, value_name = "WATTS", requires = "data", value_parser = some_watts)]
    most_watts: Option<f64>,
    /// With --data: only arrays that complete 99 % of the load's requests within this many milliseconds
    #[arg(long, value_name = "MS", requires_all = ["data", "simulated"], value_parser = some_ms)]
    most_ms: Option<f64>,
    /// The level of each gear, and of the plain RAID that is compared
    #[arg(long, value_enum, default_value_t)]
    level: Level,
    /// The chunk in KiB, a power of two
    #[arg(long, value_name = "KIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(64..=16384))]
    chunk: u64,
    /// Size of the write log on each disk, as mdadm takes it: 8G, or none; default: a 1024th of the smallest disk, at most 8G
    #[arg(long, value_name = "SIZE")]
    log_size: Option<LogWish>,
    /// Percent of the array that can have images at a time; with --data, several can be compared: 100,25,10; default: 10, and 100 on disks of less than 64 GiB
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100))]
    image_share: Vec<u32>,
    /// Simulate a load of this kind: nas, mail, media and others; an unknown name prints the list
    #[arg(long, value_name = "KIND")]
    load: Option<String>,
    /// The number of days of the load, which begin with a Monday
    #[arg(long, value_name = "N", default_value_t = 1, requires = "load", value_parser = clap::value_parser!(u32).range(1..=28))]
    days: u32,
    /// Simulate a trace, of any format that raid-tracer reads
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Power of a disk that serves requests, from its data sheet
    #[arg(long, value_name = "WATTS", value_parser = some_watts)]
    active_watts: Option<f64>,
    /// Power of a disk that turns without requests
    #[arg(long, value_name = "WATTS", value_parser = some_watts)]
    idle_watts: Option<f64>,
    /// Power of a disk that is stopped
    #[arg(long, value_name = "WATTS", value_parser = some_watts)]
    standby_watts: Option<f64>,
    /// Power of a disk that starts
    #[arg(long, value_name = "WATTS", value_parser = some_watts)]
    start_watts: Option<f64>,
    /// Power of an SSD, at all times
    #[arg(long, value_name = "WATTS", value_parser = some_watts)]
    ssd_watts: Option<f64>,
    /// Price of a kWh: shows what the energy costs, and when an array has paid for itself beside plain RAID
    #[arg(long, value_name = "PRICE", value_parser = some_price)]
    kwh_price: Option<f64>,
    /// Price of a disk, in the currency of --kwh-price
    #[arg(long, value_name = "PRICE", conflicts_with = "offer", value_parser = some_price)]
    disk_price: Option<f64>,
}

fn some_watts(text: &str) -> std::result::Result<f64, String> {
    let watts: Option<f64> = text.parse().ok();
    watts
        .filter(|watts| (0.0..=10_000.0).contains(watts))
        .ok_or_else(|| "watts are a number from 0 to 10000, as 5.5".to_owned())
}

fn some_price(text: &str) -> std::result::Result<f64, String> {
    plan::price(text).ok_or_else(|| "a price is a number above 0, as 899 or 160.50".to_owned())
}

fn some_ms(text: &str) -> std::result::Result<f64, String> {
    let ms: Option<f64> = text.parse().ok();
    ms.filter(|ms| *ms > 0.0 && *ms <= 1e6)
        .ok_or_else(|| "milliseconds are a number above 0, up to 1000000".to_owned())
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let system = context.system;
    if options.data.is_none() && options.image_share.len() > 1 {
        return Err(Error::Usage(
            "several shares of images are compared with --data only; without it, --image-share has one"
                .to_owned(),
        ));
    }
    let kinds = kinds(options, system)?;
    if let Some(Size(data_bytes)) = options.data {
        let limits = Limits {
            data_bytes,
            budget: options.budget,
            watts: options.most_watts,
            milliseconds: options.most_ms,
        };
        let found = plan::find(system, &kinds, &limits)?;
        context.output.show("plan-find/1", &found)?;
        return Ok(Verdict::Done);
    }
    // Without --data there is one kind: clap sees to it.
    for wanted in &kinds {
        let gears = gears(options, wanted)?;
        let plan = plan::plan(system, wanted, &gears)?;
        context.output.show("plan/1", &plan)?;
    }
    Ok(Verdict::Done)
}

fn gears(options: &Options, wanted: &Wanted) -> Result<Gears> {
    let members = u32::try_from(wanted.disks.len()).unwrap_or(u32::MAX);
    let least = options.level.least_gear() + 1;
    if members < least {
        return Err(Error::Usage(format!(
            "two gears of {} need {least} disks at least, and {members} are given",
            options.level
        )));
    }
    let usual = || Gears::usual(options.level, members);
    let gears = options.gears.clone().unwrap_or_else(usual);
    if gears.top() != members {
        return Err(Error::Usage(format!(
            "gears {gears} are of {} disks, and {members} are given",
            gears.top()
        )));
    }
    Ok(gears)
}

/// The disks that are given, or for each offer as many as there may be; each with all shares, the largest first.
fn kinds(options: &Options, system: &dyn System) -> Result<Vec<Wanted>> {
    let disks = disks(options, system)?;
    let given = options
        .image_share
        .iter()
        .map(|share| ShareWish(Some(*share)));
    let mut shares: BTreeSet<ShareWish> = given.collect();
    if shares.is_empty() {
        shares.insert(ShareWish::default());
    }
    let with = |image_share: ShareWish| {
        let disks = disks.iter().cloned();
        disks.map(move |wanted| Wanted {
            image_share,
            ..wanted
        })
    };
    Ok(shares.into_iter().rev().flat_map(with).collect())
}

/// With the usual share of images.
fn disks(options: &Options, system: &dyn System) -> Result<Vec<Wanted>> {
    let load = options.load.clone().map(|name| LoadFrom::Kind {
        name,
        days: options.days,
    });
    let wanted = Wanted {
        disks: Vec::new(),
        price: options.disk_price,
        kwh_price: options.kwh_price,
        warnings: Vec::new(),
        level: options.level,
        chunk_kib: options.chunk,
        log: options.log_size.unwrap_or_default(),
        image_share: ShareWish::default(),
        watts: watts(options)?,
        load: load.or_else(|| options.trace.clone().map(LoadFrom::Trace)),
    };
    if let Some(Offers(offers)) = &options.offer {
        let most = usize::try_from(options.most_disks).unwrap_or(usize::MAX);
        let kind = |(bytes, price): &(u64, f64)| Wanted {
            disks: vec![Drive::hard(*bytes); most],
            price: Some(*price),
            ..wanted.clone()
        };
        return Ok(offers.iter().map(kind).collect());
    }
    if let Some(Sizes(sizes)) = &options.disks {
        return Ok(vec![Wanted {
            disks: sizes.iter().copied().map(Drive::hard).collect(),
            ..wanted
        }]);
    }
    let found = disk::find_all(system, &options.devices)?;
    let members = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let usual = || Gears::usual(options.level, members);
    let low = options.gears.clone().unwrap_or_else(usual).low();
    let awake = usize::try_from(low).unwrap_or(usize::MAX);
    Ok(vec![Wanted {
        disks: found.iter().map(drive).collect(),
        warnings: disk::doubts(&found, awake)
            .into_iter()
            .chain(disk::no_hard_disks(&found, wanted.watts.ssd))
            .collect(),
        ..wanted
    }])
}

fn drive(disk: &disk::Disk) -> Drive {
    Drive {
        bytes: disk.bytes,
        solid: !disk.rotational,
    }
}

fn watts(options: &Options) -> Result<Watts> {
    let usual = Watts::nearline();
    let watts = Watts {
        active: options.active_watts.unwrap_or(usual.active),
        idle: options.idle_watts.unwrap_or(usual.idle),
        standby: options.standby_watts.unwrap_or(usual.standby),
        start: options.start_watts.unwrap_or(usual.start),
        ssd: options.ssd_watts.unwrap_or(usual.ssd),
    };
    if watts.active < watts.idle || watts.idle < watts.standby {
        return Err(Error::Usage(format!(
            "a disk draws no less at work ({} W) than idle ({} W), and idle no less than stopped ({} W)",
            watts.active, watts.idle, watts.standby
        )));
    }
    Ok(watts)
}
