// SPDX-License-Identifier: GPL-2.0
//! What is to be tested: a file in TOML.

use crate::error::{Error, Result};
use crate::numbers::Speed;
use crate::trace::filter::Load;
use crate::trace::fit::Way;
use crate::trace::repository;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Files, or repositories: all their traces. Relative to the plan.
    pub traces: Vec<PathBuf>,
    /// Percent.
    #[serde(default = "all")]
    pub loads: Vec<u32>,
    #[serde(default = "one")]
    pub speeds: Vec<String>,
    #[serde(default)]
    pub balance: bool,
    /// `scale` or `fold`: places are laid onto the array. Otherwise a trace has to fit.
    pub fit: Option<Fitting>,
    /// Of meters, in seconds.
    #[serde(default = "second")]
    pub period: f64,
    /// A test lasts so long at least, also if its requests have ended.
    #[serde(default)]
    pub seconds: f64,
    /// Traces may write.
    #[serde(default)]
    pub destroy: bool,
    /// Commands at a time; otherwise as many as there are processors.
    pub jobs: Option<usize>,
    pub arrays: Vec<Named>,
    /// That of the plan's file.
    #[serde(skip)]
    pub(super) dir: PathBuf,
}

fn all() -> Vec<u32> {
    vec![100]
}

fn one() -> Vec<String> {
    vec!["1".to_owned()]
}

fn second() -> f64 {
    1.0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fitting {
    Scale,
    Fold,
}

impl Fitting {
    pub fn way(self) -> Way {
        match self {
            Fitting::Scale => Way::Scale,
            Fitting::Fold => Way::Fold,
        }
    }
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    pub name: String,
    pub device: Option<PathBuf>,
    #[serde(default)]
    pub meters: Vec<String>,
    /// Files with a number.
    #[serde(default)]
    pub counters: Vec<PathBuf>,
    pub command: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Array {
    Device {
        device: PathBuf,
        meters: Vec<String>,
        counters: Vec<PathBuf>,
    },
    /// It makes the array.
    Command { command: Vec<String> },
}

/// One row.
#[derive(Debug, Clone)]
pub struct Test {
    /// As in the results.
    pub trace: String,
    pub path: PathBuf,
    pub load: u32,
    pub speed: String,
    pub name: String,
    pub array: Array,
    /// All that a result depends on; if it is another one, the test is run again.
    pub setup: String,
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} at {} %, speed {}, on {}",
            self.trace, self.load, self.speed, self.name
        )
    }
}

impl Test {
    /// Of values that the plan has checked.
    pub fn load(&self) -> Result<Load> {
        Load::parse(&self.load.to_string()).map_err(Error::Usage)
    }

    pub fn speed(&self) -> Result<Speed> {
        Speed::parse(&self.speed).map_err(Error::Usage)
    }
}

impl Plan {
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| Error::read(path, error))?;
        let wrong = |what: String| Error::Parse {
            path: path.to_owned(),
            what,
        };
        let mut plan: Plan = toml::from_str(&text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.unwrap_or("").matches('\n').count() + 1;
            wrong(format!("line {line}: {}", error.message()))
        })?;
        plan.dir = path.parent().unwrap_or(Path::new("")).to_owned();
        plan.check().map_err(wrong)?;
        Ok(plan)
    }

    /// The only array is this device.
    pub fn on(&mut self, device: &Path, meters: &[String], counters: &[PathBuf]) -> Result<()> {
        let [array] = self.arrays.as_mut_slice() else {
            return Err(Error::Usage(
                "--device is for a plan of one array, as a command of another plan gets it"
                    .to_owned(),
            ));
        };
        array.device = Some(device.to_owned());
        array.meters = meters.to_owned();
        array.counters = counters.to_owned();
        array.command = None;
        Ok(())
    }

    fn check(&self) -> std::result::Result<(), String> {
        for load in &self.loads {
            Load::parse(&load.to_string()).map_err(|what| format!("loads: {load}: {what}"))?;
        }
        for speed in &self.speeds {
            Speed::parse(speed).map_err(|what| format!("speeds: {speed:?}: {what}"))?;
        }
        if !(0.01..=3600.0).contains(&self.period) {
            return Err("period is from 0.01 to 3600".to_owned());
        }
        if !(0.0..=1e9).contains(&self.seconds) {
            return Err("seconds is from 0 to 1000000000".to_owned());
        }
        if self.jobs == Some(0) {
            return Err("jobs is at least 1".to_owned());
        }
        for (what, none) in [
            ("traces", self.traces.is_empty()),
            ("loads", self.loads.is_empty()),
            ("speeds", self.speeds.is_empty()),
            ("arrays", self.arrays.is_empty()),
        ] {
            if none {
                return Err(format!("there are no {what}"));
            }
        }
        for (number, array) in self.arrays.iter().enumerate() {
            if self
                .arrays
                .iter()
                .take(number)
                .any(|one| one.name == array.name)
            {
                return Err(format!("there are two arrays {:?}", array.name));
            }
            for meter in &array.meters {
                crate::meter::source(meter).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    pub fn period(&self) -> Duration {
        Duration::from_secs_f64(self.period)
    }

    /// In the order of the plan: for each array all speeds of all loads of all traces.
    pub fn tests(&self) -> Result<Vec<Test>> {
        let traces = self.traces()?;
        let mut tests = Vec::new();
        for array in &self.arrays {
            let is = self.array(array)?;
            for (trace, path) in &traces {
                let stamp = fs::metadata(path).map_err(|error| Error::read(path, error))?;
                for load in &self.loads {
                    for speed in &self.speeds {
                        let setup = format!(
                            "{is:?} {} {}.{} {} {:?} {}",
                            stamp.size(),
                            stamp.mtime(),
                            stamp.mtime_nsec(),
                            self.balance,
                            self.fit,
                            self.seconds
                        );
                        tests.push(Test {
                            trace: trace.clone(),
                            path: path.clone(),
                            load: *load,
                            speed: speed.clone(),
                            name: array.name.clone(),
                            array: is.clone(),
                            setup,
                        });
                    }
                }
            }
        }
        for (number, test) in tests.iter().enumerate() {
            let same = |one: &Test| one.to_string() == test.to_string();
            if tests.iter().take(number).any(same) {
                return Err(Error::Usage(format!("the plan has {test} twice")));
            }
        }
        Ok(tests)
    }

    fn array(&self, array: &Named) -> Result<Array> {
        match (&array.device, &array.command) {
            (Some(device), None) => Ok(Array::Device {
                device: device.clone(),
                meters: array.meters.clone(),
                counters: array.counters.clone(),
            }),
            (None, Some(command))
                if !command.is_empty() && array.meters.is_empty() && array.counters.is_empty() =>
            {
                Ok(Array::Command {
                    command: command.clone(),
                })
            }
            _ => Err(Error::Usage(format!(
                "array {:?} has either a device, meters and counters, or a command",
                array.name
            ))),
        }
    }

    /// Names as the plan has them, and files.
    fn traces(&self) -> Result<Vec<(String, PathBuf)>> {
        let mut all = Vec::new();
        for trace in &self.traces {
            let path = self.dir.join(trace);
            if !path.is_dir() {
                all.push((trace.display().to_string(), path));
                continue;
            }
            let (entries, wrong) = repository::list(&path)?;
            if let Some(error) = wrong.into_iter().next() {
                return Err(error);
            }
            for entry in entries {
                let name = trace.join(&entry.name).display().to_string();
                all.push((name, path.join(&entry.name)));
            }
        }
        if all.is_empty() {
            return Err(Error::Usage(
                "there is no trace in the repositories of the plan".to_owned(),
            ));
        }
        Ok(all)
    }

    /// Where a command runs.
    pub fn dir(&self) -> &Path {
        if self.dir == Path::new("") {
            Path::new(".")
        } else {
            &self.dir
        }
    }
}
