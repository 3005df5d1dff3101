// SPDX-License-Identifier: GPL-2.0
//! Meters that are files of this machine: simulated disks, powercap, hwmon, and the states of disks.

use super::{Counter, Reading, Spec};
use crate::numbers::real;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Read = Result<Vec<Reading>, String>;

fn text(path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.trim().to_owned())
}

fn number(path: &Path) -> Result<u64, String> {
    let text = text(path)?;
    let wrong = |_| format!("{}: {text:?} is no number", path.display());
    text.parse().map_err(wrong)
}

/// Names in a directory, sorted.
fn names(dir: &Path) -> Result<Vec<String>, String> {
    let failed = |error| format!("{}: {error}", dir.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        names.push(name.to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn is_wanted(only: Option<&Vec<String>>, name: &str) -> bool {
    only.is_none_or(|only| only.iter().any(|one| one == name))
}

/// All that were asked for are there.
fn complete(only: Option<&Vec<String>>, readings: Vec<Reading>, dir: &Path) -> Read {
    let has = |name: &String| readings.iter().any(|reading| reading.channel == *name);
    if let Some(missing) = only.and_then(|only| only.iter().find(|name| !has(name))) {
        return Err(format!("there is no {missing} in {}", dir.display()));
    }
    if readings.is_empty() {
        return Err(format!("there is no meter in {}", dir.display()));
    }
    Ok(readings)
}

/// Simulated disks: see Documentation/spindle.md. Their energy is exact.
pub struct Spindle {
    dir: PathBuf,
    only: Option<Vec<String>>,
}

impl Spindle {
    pub fn new(spec: &mut Spec) -> Self {
        Spindle {
            dir: PathBuf::from(spec.place_or("/sys/kernel/config/spindle")),
            only: spec.list("only"),
        }
    }
}

impl super::Source for Spindle {
    fn read(&mut self) -> Read {
        let mut readings = Vec::new();
        for name in names(&self.dir)? {
            let report = self.dir.join(&name).join("report");
            if !is_wanted(self.only.as_ref(), &name) || !report.exists() {
                continue;
            }
            let report = text(&report)?;
            let energy = report
                .lines()
                .find_map(|line| line.strip_prefix("energy_uj "));
            let microjoules = energy.and_then(|energy| energy.trim().parse().ok());
            let microjoules = microjoules.ok_or(format!("{name}: its report has no energy_uj"))?;
            readings.push(Reading::counted(name, microjoules, None));
        }
        complete(self.only.as_ref(), readings, &self.dir)
    }
}

/// The kernel's powercap zones, as RAPL's. Without `only`, those that are part of no other.
pub struct Powercap {
    dir: PathBuf,
    only: Option<Vec<String>>,
}

impl Powercap {
    pub fn new(spec: &mut Spec) -> Self {
        Powercap {
            dir: PathBuf::from(spec.place_or("/sys/class/powercap")),
            only: spec.list("only"),
        }
    }
}

impl super::Source for Powercap {
    fn read(&mut self) -> Read {
        let mut readings = Vec::new();
        for name in names(&self.dir)? {
            let zone = self.dir.join(&name);
            let wanted = match &self.only {
                Some(_) => is_wanted(self.only.as_ref(), &name),
                None => name.matches(':').count() == 1,
            };
            if !wanted || !zone.join("energy_uj").exists() {
                continue;
            }
            let microjoules = number(&zone.join("energy_uj"))?;
            let range = number(&zone.join("max_energy_range_uj")).ok();
            readings.push(Reading::counted(name, microjoules, range));
        }
        complete(self.only.as_ref(), readings, &self.dir)
    }
}

/// Sensors of the kernel: power1_input in µW, energy1_input in µJ, and as a pair in1_input in mV and curr1_input in mA
/// (the kernel's hwmon/sysfs-interface).
pub struct Hwmon {
    dir: PathBuf,
    only: Option<Vec<String>>,
}

impl Hwmon {
    pub fn new(spec: &mut Spec) -> Self {
        Hwmon {
            dir: PathBuf::from(spec.place_or("/sys/class/hwmon")),
            only: spec.list("only"),
        }
    }

    /// The channel with this number, if the chip has one that says watts or joules.
    fn channel(chip: &Path, name: &str, number_of: u32) -> Result<Option<Reading>, String> {
        let file = |kind: &str, what: &str| chip.join(format!("{kind}{number_of}_{what}"));
        let of = |path: PathBuf, scale: f64| -> Result<Option<f64>, String> {
            if !path.exists() {
                return Ok(None);
            }
            let text = text(&path)?;
            let wrong = |_| format!("{}: {text:?} is no number", path.display());
            text.parse::<f64>()
                .map(|is| Some(is / scale))
                .map_err(wrong)
        };
        let energy = file("energy", "input");
        let counter = if energy.exists() {
            Some(Counter {
                microjoules: number(&energy)?,
                range: None,
            })
        } else {
            None
        };
        let watts = match of(file("power", "input"), 1e6)? {
            Some(watts) => Some(watts),
            None => of(file("power", "average"), 1e6)?,
        };
        let volts = of(file("in", "input"), 1e3)?;
        let amperes = of(file("curr", "input"), 1e3)?;
        if counter.is_none() && watts.is_none() && (volts.is_none() || amperes.is_none()) {
            return Ok(None);
        }
        Ok(Some(Reading {
            channel: format!("{name}.{number_of}"),
            measured: None,
            volts,
            amperes,
            watts,
            counter,
        }))
    }
}

impl super::Source for Hwmon {
    fn read(&mut self) -> Read {
        const MOST: u32 = 32;
        let mut readings: Vec<Reading> = Vec::new();
        for entry in names(&self.dir)? {
            let chip = self.dir.join(&entry);
            let Ok(name) = text(&chip.join("name")) else {
                continue;
            };
            // Of several chips of one name the directory says which.
            let first = readings
                .iter()
                .all(|one| one.channel.rsplit_once('.').map(|(name, _)| name) != Some(&name));
            let name = if first {
                name
            } else {
                format!("{name}@{entry}")
            };
            for number in 0..=MOST {
                if !is_wanted(self.only.as_ref(), &format!("{name}.{number}")) {
                    continue;
                }
                readings.extend(Self::channel(&chip, &name, number)?);
            }
        }
        complete(self.only.as_ref(), readings, &self.dir)
    }
}

/// A disk's watts in each state, of its data sheet.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    device: String,
    active: f64,
    idle: f64,
    standby: f64,
    spin_up: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheets {
    disk: Vec<Sheet>,
}

#[derive(Debug, Clone, Copy)]
struct Was {
    at: Instant,
    /// ms, of the kernel's runtime PM and of the block device's requests.
    suspended: u64,
    busy: u64,
}

/// What disks use by what the kernel knows of their states: for how long they were suspended, and for how long requests
/// were in flight.
pub struct States {
    block: PathBuf,
    sheets: Vec<Sheet>,
    was: HashMap<String, Was>,
    microjoules: HashMap<String, f64>,
}

impl States {
    pub fn new(spec: &mut Spec) -> Result<Self, String> {
        let path = PathBuf::from(spec.needs_place("FILE")?);
        let sheets: Sheets = toml::from_str(&text(&path)?)
            .map_err(|error| format!("{}: {}", path.display(), error.message()))?;
        for sheet in &sheets.disk {
            let all = [sheet.active, sheet.idle, sheet.standby, sheet.spin_up];
            if all.iter().any(|watts| !watts.is_finite() || *watts < 0.0) {
                return Err(format!("{}: watts are not below 0", sheet.device));
            }
        }
        Ok(States {
            block: PathBuf::from(spec.take("block").unwrap_or("/sys/block".to_owned())),
            sheets: sheets.disk,
            was: HashMap::new(),
            microjoules: HashMap::new(),
        })
    }

    /// µJ since the last time.
    fn used(block: &Path, sheet: &Sheet, was: Option<Was>) -> Result<(Was, f64), String> {
        let dir = block.join(&sheet.device);
        let power = dir.join("device/power");
        let stat = text(&dir.join("stat"))?;
        // The tenth is the time for which requests were in flight (the kernel's block/stat).
        let busy = stat.split_ascii_whitespace().nth(9);
        let busy = busy.and_then(|busy| busy.parse().ok());
        let status = text(&power.join("runtime_status"))?;
        let is = Was {
            at: Instant::now(),
            suspended: number(&power.join("runtime_suspended_time"))?,
            busy: busy.ok_or(format!("{}: stat has no tenth number", sheet.device))?,
        };
        let Some(was) = was else {
            return Ok((is, 0.0));
        };
        let all = is.at.duration_since(was.at).as_secs_f64();
        let asleep = (real(is.suspended.saturating_sub(was.suspended)) / 1e3).min(all);
        let awake = all - asleep;
        let joules = match status.as_str() {
            "resuming" => sheet.spin_up * awake,
            // Its motor is off.
            "suspending" => sheet.standby * awake,
            _ => {
                let active = (real(is.busy.saturating_sub(was.busy)) / 1e3).min(awake);
                sheet.active * active + sheet.idle * (awake - active)
            }
        };
        Ok((is, (joules + sheet.standby * asleep) * 1e6))
    }
}

impl super::Source for States {
    fn read(&mut self) -> Read {
        let mut readings = Vec::new();
        for sheet in &self.sheets {
            let was = self.was.get(&sheet.device).copied();
            let (is, used) = Self::used(&self.block, sheet, was)?;
            self.was.insert(sheet.device.clone(), is);
            let sum = self.microjoules.entry(sheet.device.clone()).or_default();
            *sum += used;
            let microjoules = shared::loads::chance::whole(sum.round());
            readings.push(Reading::counted(sheet.device.clone(), microjoules, None));
        }
        complete(None, readings, &self.block)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;
    use tempfile::TempDir;

    fn put(dir: &TempDir, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}\n")).unwrap();
        }
    }

    fn source(kind: &str, dir: &TempDir, query: &str) -> Box<dyn Source> {
        super::super::source(&format!("{kind}:{}{query}", dir.path().display())).unwrap()
    }

    fn counters(readings: &[Reading]) -> Vec<(&str, u64, Option<u64>)> {
        readings
            .iter()
            .map(|one| {
                let counter = one.counter.unwrap();
                (one.channel.as_str(), counter.microjoules, counter.range)
            })
            .collect()
    }

    #[test]
    fn simulated_disks() {
        let dir = tempfile::tempdir().unwrap();
        put(
            &dir,
            &[
                ("spin0/report", "energy_uj 1234567\nactive_ns 5"),
                ("spin1/report", "energy_uj 7\nactive_ns 5"),
                ("cut", "0"),
            ],
        );
        let all = source("spindle", &dir, "").read().unwrap();
        assert_eq!(
            counters(&all),
            [("spin0", 1_234_567, None), ("spin1", 7, None)]
        );
        let one = source("spindle", &dir, "?only=spin1").read().unwrap();
        assert_eq!(counters(&one), [("spin1", 7, None)]);
        let error = source("spindle", &dir, "?only=spin2").read().unwrap_err();
        assert!(error.contains("there is no spin2"), "{error}");
        put(&dir, &[("spin0/report", "nothing")]);
        assert!(source("spindle", &dir, "").read().is_err());
    }

    #[test]
    fn zones_of_powercap() {
        let dir = tempfile::tempdir().unwrap();
        for zone in ["intel-rapl:0", "intel-rapl:0:0"] {
            put(
                &dir,
                &[
                    (&format!("{zone}/energy_uj"), "55"),
                    (&format!("{zone}/max_energy_range_uj"), "262143328850"),
                ],
            );
        }
        put(&dir, &[("intel-rapl/enabled", "1")]);
        let all = source("powercap", &dir, "").read().unwrap();
        assert_eq!(
            counters(&all),
            [("intel-rapl:0", 55, Some(262_143_328_850))]
        );
        let part = source("powercap", &dir, "?only=intel-rapl:0:0").read();
        assert_eq!(part.unwrap().len(), 1);
        let none = tempfile::tempdir().unwrap();
        let error = source("powercap", &none, "").read().unwrap_err();
        assert!(error.contains("there is no meter in"), "{error}");
    }

    #[test]
    fn sensors_of_hwmon() {
        let dir = tempfile::tempdir().unwrap();
        put(
            &dir,
            &[
                ("hwmon0/name", "coretemp"),
                ("hwmon0/temp1_input", "40000"),
                ("hwmon1/name", "ina226"),
                ("hwmon1/in1_input", "12100"),
                ("hwmon1/curr1_input", "500"),
                ("hwmon1/power1_input", "6050000"),
                ("hwmon2/name", "ina226"),
                ("hwmon2/power1_average", "1500000"),
                ("hwmon3/name", "amd_energy"),
                ("hwmon3/energy1_input", "77"),
            ],
        );
        let all = source("hwmon", &dir, "").read().unwrap();
        let names: Vec<_> = all.iter().map(|one| one.channel.as_str()).collect();
        assert_eq!(names, ["ina226.1", "ina226@hwmon2.1", "amd_energy.1"]);
        assert_eq!(
            (all[0].volts, all[0].amperes, all[0].watts),
            (Some(12.1), Some(0.5), Some(6.05))
        );
        assert_eq!((all[1].watts, all[1].counter), (Some(1.5), None));
        assert_eq!(all[2].counter.unwrap().microjoules, 77);
        put(&dir, &[("hwmon1/power1_input", "none")]);
        assert!(source("hwmon", &dir, "").read().is_err());
    }

    #[test]
    fn states_times_data_sheet() {
        let sheet = Sheet {
            device: "sda".to_owned(),
            active: 10.0,
            idle: 5.0,
            standby: 1.0,
            spin_up: 24.0,
        };
        let dir = tempfile::tempdir().unwrap();
        let used = |status: &str, suspended: &str, busy: &str| {
            put(
                &dir,
                &[
                    ("sda/device/power/runtime_status", status),
                    ("sda/device/power/runtime_suspended_time", suspended),
                    ("sda/stat", &format!("1 0 8 2 1 0 8 3 0 {busy} 5")),
                ],
            );
            let was = Was {
                at: Instant::now() - std::time::Duration::from_secs(10),
                suspended: 1000,
                busy: 500,
            };
            let (_, used) = States::used(dir.path(), &sheet, Some(was)).unwrap();
            used / 1e6
        };
        let near = |is: f64, wanted: f64| assert!((is - wanted).abs() < 1.0, "{is} {wanted}");
        near(used("active", "1000", "500"), 50.0);
        near(used("active", "1000", "2500"), 60.0);
        near(used("suspended", "11000", "500"), 10.0);
        near(used("resuming", "7000", "500"), 6.0 + 4.0 * 24.0);
        near(used("suspending", "1000", "500"), 10.0);
        // More busy than there was time.
        near(used("active", "1000", "99999"), 100.0);
        let file = dir.path().join("sheet");
        for (text, words) in [
            ("[[disk]]\ndevice = 'sda'\nactive = 1", "missing field"),
            (
                "[[disk]]\ndevice = 'sda'\nactive = 1\nidle = 1\nstandby = -1\nspin_up = 1",
                "not below 0",
            ),
        ] {
            fs::write(&file, text).unwrap();
            let error = super::super::source(&format!("states:{}", file.display()));
            let error = error.map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
