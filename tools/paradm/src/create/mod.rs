// SPDX-License-Identifier: GPL-2.0
//! `paradm create`: what is going to be made of which disks, and mdadm that makes it.

mod contents;
mod layout;
mod log_size;
mod share;
mod text;

pub use contents::Contents;
pub use layout::{Gears, Level};
pub use log_size::{LogSize, LogWish};
pub use share::ShareWish;

use crate::disk::{self, Disk};
use crate::error::{Error, Result};
use crate::policy_ffi::Geometry;
use crate::system::{Program, System};
use contents::run;
use serde::Serialize;
use std::path::{Path, PathBuf};

const MDADM: &str = "install mdadm with raid-par's patches, see \"On a system\" in mdadm.md";
/// What mdadm keeps of a large device, at most.
const RESERVED: u64 = 128 << 20;

#[derive(Debug, Clone)]
pub struct Wanted {
    pub array: String,
    /// Those first that never sleep; spares last.
    pub devices: Vec<PathBuf>,
    pub level: Level,
    pub gears: Option<Gears>,
    pub chunk_kib: u64,
    pub spares: u32,
    pub log: LogWish,
    pub image_share: ShareWish,
    /// Contents of the devices may be lost. Members of arrays, and what is in use, are refused nevertheless.
    pub overwrite: bool,
}

#[derive(Debug, Serialize)]
pub struct Member {
    #[serde(flatten)]
    pub disk: Disk,
    #[serde(flatten)]
    pub contents: Contents,
    pub role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Awake,
    Sleeper,
    Spare,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing has been done yet.
    Planned,
    Created,
}

#[derive(Debug, Serialize)]
pub struct Creation {
    pub array: PathBuf,
    pub level: Level,
    pub gears: Gears,
    pub chunk_kib: u64,
    /// The write log on each member.
    #[serde(rename = "log_bytes")]
    pub log_size: Option<LogSize>,
    /// Percent of the array that can have images.
    pub image_share: u32,
    /// Of the array; mdadm may keep less of the disks for itself.
    pub bytes: u64,
    pub members: Vec<Member>,
    pub warnings: Vec<String>,
    pub command: String,
    /// What is to be done once it is created.
    pub next: Vec<String>,
    pub outcome: Outcome,
    #[serde(skip)]
    program: Program,
}

/// `md0`, `/dev/md0`, `/dev/md/home` or `home`.
pub fn array_path(name: &str) -> Result<PathBuf> {
    let plain = name.strip_prefix("/dev/").unwrap_or(name);
    let plain = plain.strip_prefix("md/").unwrap_or(plain);
    let good = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if plain.is_empty() || plain.starts_with(['-', '.']) || !plain.chars().all(good) {
        return Err(Error::Usage(format!(
            "an array is named as md0, /dev/md0 or /dev/md/home, not {name:?}"
        )));
    }
    let number = plain.strip_prefix("md").map(str::parse::<u32>);
    Ok(match number {
        Some(Ok(_)) => Path::new("/dev").join(plain),
        _ => Path::new("/dev/md").join(plain),
    })
}

/// How many of these devices become members, of which there must be enough for two gears.
pub fn members_of(level: Level, devices: usize, spares: u32) -> Result<u32> {
    let count = u32::try_from(devices).unwrap_or(u32::MAX);
    let members = count.saturating_sub(spares);
    if members == 0 || (spares > 0 && level == Level::Raid0) {
        return Err(Error::Usage(format!(
            "{spares} spares of {count} devices with {level}: spares come besides the members, and raid0 can have none"
        )));
    }
    let least = level.least_gear() + 1;
    if members < least {
        return Err(Error::Usage(format!(
            "two gears of {level} need {least} members at least, and {}",
            given(devices, spares)
        )));
    }
    Ok(members)
}

/// The top gear has to be all members.
pub fn fit(gears: &Gears, devices: usize, spares: u32) -> Result<()> {
    let members = devices.saturating_sub(usize::try_from(spares).unwrap_or(usize::MAX));
    if usize::try_from(gears.top()).is_ok_and(|top| top == members) {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "the last of the gears {gears} is of {} members, and {}: it is the number of all members",
        gears.top(),
        given(devices, spares)
    )))
}

fn given(devices: usize, spares: u32) -> String {
    let devices = match devices {
        1 => "1 device is given".to_owned(),
        _ => format!("{devices} devices are given"),
    };
    match spares {
        0 => devices,
        _ => format!("{devices}, {spares} of them as spares"),
    }
}

/// All checks; nothing is changed. Reads the devices' beginnings, so those that sleep start.
pub fn prepare(system: &dyn System, wanted: &Wanted) -> Result<Creation> {
    let array = array_path(&wanted.array)?;
    let devices = disk::find_all(system, &wanted.devices)?;
    let members = members_of(wanted.level, devices.len(), wanted.spares)?;
    let gears = wanted
        .gears
        .clone()
        .unwrap_or_else(|| Gears::usual(wanted.level, members));
    fit(&gears, devices.len(), wanted.spares)?;
    let (geometry, log_size, image_share) = fitting(wanted, &gears, &devices)?;
    not_running(system, &array)?;
    knows_par(system)?;
    let log = log_option(wanted.log, log_size);
    if let Some(option) = &log {
        knows_newer(system, "--log-size", option)?;
    }
    let share = wanted.image_share.option(image_share);
    if let Some(option) = &share {
        knows_newer(system, "--image-share", option)?;
    }
    let mut listed = Vec::new();
    for (number, disk) in (0..).zip(devices) {
        listed.push(examine(
            system,
            wanted,
            disk,
            role(&geometry, number, members),
        )?);
    }
    let disks: Vec<_> = listed.iter().map(|member| member.disk.clone()).collect();
    let newer = log.into_iter().chain(share);
    let program = mdadm_create(&array, wanted, &gears, newer, &disks);
    Ok(Creation {
        level: wanted.level,
        chunk_kib: wanted.chunk_kib,
        log_size,
        image_share,
        bytes: geometry.array_bytes(),
        warnings: warnings(&gears, image_share, &disks),
        command: program.shown(),
        next: next(&array),
        array,
        outcome: Outcome::Planned,
        members: listed,
        gears,
        program,
    })
}

/// What to think of before these disks become members. A disk that hides its SMR is not found out.
fn warnings(gears: &Gears, image_share: u32, disks: &[Disk]) -> Vec<String> {
    let sizes: Vec<_> = disks.iter().map(|disk| disk.bytes).collect();
    let mixed = gears.mixed(&sizes, image_share);
    let awake = usize::try_from(gears.low()).unwrap_or(usize::MAX);
    mixed
        .into_iter()
        .chain(disk::doubts(disks, awake))
        .collect()
}

/// And the size of the log, and the share of images.
fn fitting(
    wanted: &Wanted,
    gears: &Gears,
    disks: &[Disk],
) -> Result<(Geometry, Option<LogSize>, u32)> {
    let usable = disks.iter().map(|disk| disk.bytes);
    let usable: Vec<_> = usable
        .map(|bytes| bytes.saturating_sub(RESERVED.min(bytes / 16)))
        .collect();
    let least = usable.iter().min().copied().unwrap_or(0);
    let log = wanted.log.on(least);
    let share = wanted.image_share.on(least, log);
    let sizes = gears.used_of(&usable, share);
    let geometry = gears.geometry(wanted.level, wanted.chunk_kib, sizes, log, share)?;
    Ok((geometry, log, share))
}

fn role(geometry: &Geometry, number: u32, members: u32) -> Role {
    if number >= members {
        Role::Spare
    } else if number >= geometry.members_in(1) {
        Role::Sleeper
    } else {
        Role::Awake
    }
}

fn refused(path: &Path, reason: impl Into<String>) -> Error {
    Error::Refused {
        what: path.display().to_string(),
        reason: reason.into(),
    }
}

fn not_running(system: &dyn System, array: &Path) -> Result<()> {
    let device = system.resolve(array).unwrap_or_else(|_| array.to_owned());
    let name = device.file_name().unwrap_or_default();
    let state = Path::new("/sys/block").join(name).join("md/array_state");
    match system.read(&state) {
        Ok(text) if text.trim() != "clear" => Err(refused(
            array,
            "an array of that name runs already; choose another name",
        )),
        _ => Ok(()),
    }
}

/// mdadm reads its options in their order, and ends at one that it does not know.
fn knows(system: &dyn System, option: &str) -> Result<bool> {
    let program = Program::new("mdadm", ["--create", option, "--help"]);
    Ok(run(system, &program, MDADM)?.status == 0)
}

fn knows_par(system: &dyn System) -> Result<()> {
    if knows(system, "--level=par")? {
        return Ok(());
    }
    Err(Error::NoProgram {
        program: "mdadm that knows the level par".to_owned(),
        remedy: format!("the one that is installed lacks raid-par's patches; {MDADM}"),
    })
}

/// Older patches lack some options.
fn knows_newer(system: &dyn System, name: &str, option: &str) -> Result<()> {
    if knows(system, option)? {
        return Ok(());
    }
    Err(Error::NoProgram {
        program: format!("mdadm that knows {name}"),
        remedy: format!("the one that is installed has older patches of raid-par; {MDADM}"),
    })
}

/// As the guide has it: until the last one, no disk sleeps.
fn next(array: &Path) -> Vec<String> {
    let device = array.display();
    let name = array.file_name().unwrap_or_default().to_string_lossy();
    vec![
        format!("mkfs.ext4 -E lazy_itable_init=0,lazy_journal_init=0 {device}"),
        format!("mdadm --detail --scan {device} >>/etc/mdadm/mdadm.conf"),
        "update-initramfs -u".to_owned(),
        format!("paradm policy set policy=auto --array {name}"),
    ]
}

/// Members that are too small for a usual log get none from mdadm either.
fn log_option(wish: LogWish, size: Option<LogSize>) -> Option<String> {
    match size {
        Some(size) => Some(format!("--log-size={size}")),
        None if wish == LogWish::Without => Some("--log-size=none".to_owned()),
        None => None,
    }
}

fn examine(system: &dyn System, wanted: &Wanted, disk: Disk, role: Role) -> Result<Member> {
    if disk.readonly {
        return Err(refused(&disk.path, "it is read-only"));
    }
    if disk.zoned == "host-managed" {
        return Err(refused(
            &disk.path,
            "it is a host-managed SMR disk: md cannot write to it; take another",
        ));
    }
    let contents = Contents::read(system, &disk)?;
    if let Some(why) = contents.forbids(system, &disk)? {
        return Err(refused(&disk.path, why));
    }
    if !contents.holds.is_empty() && !wanted.overwrite {
        let holds = contents.holds.join(", ");
        return Err(refused(
            &disk.path,
            format!("it holds {holds}; if that may be lost, add --overwrite"),
        ));
    }
    Ok(Member {
        disk,
        contents,
        role,
    })
}

fn mdadm_create(
    array: &Path,
    wanted: &Wanted,
    gears: &Gears,
    newer: impl Iterator<Item = String>,
    disks: &[Disk],
) -> Program {
    let mut args = vec![
        "--create".to_owned(),
        array.display().to_string(),
        "--level=par".to_owned(),
        format!("--layout={}:{gears}", wanted.level),
        format!("--raid-devices={}", gears.top()),
        format!("--chunk={}K", wanted.chunk_kib),
    ];
    if wanted.spares > 0 {
        args.push(format!("--spare-devices={}", wanted.spares));
    }
    args.extend(newer);
    // mdadm's own question about contents has been answered; it still refuses par arrays and what is in use.
    args.push("--run".to_owned());
    let args = args.into_iter().map(std::ffi::OsString::from);
    Program::new(
        "mdadm",
        args.chain(disks.iter().map(|disk| disk.path.clone().into_os_string())),
    )
}

/// Have mdadm do it.
pub fn carry_out(system: &dyn System, mut creation: Creation) -> Result<Creation> {
    if !system.is_root() {
        return Err(Error::Denied {
            what: format!("creating {}", creation.array.display()),
        });
    }
    let ran = run(system, &creation.program, MDADM)?;
    if ran.status != 0 {
        let said: Vec<_> = ran.stderr.lines().map(str::trim).collect();
        return Err(Error::NotDone(format!(
            "mdadm has not created {} (status {}): {}",
            creation.array.display(),
            ran.status,
            said.join(" ")
        )));
    }
    creation.outcome = Outcome::Created;
    Ok(creation)
}
