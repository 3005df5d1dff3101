// SPDX-License-Identifier: GPL-2.0
//! `paradm metrics`: arrays and their disks as Prometheus takes them.

mod arrays;
mod disks;
mod family;
mod figures;
mod http;
mod logs;
mod slots;
mod states;

pub use family::{Family, Kind, Labels, Number, Sample};
pub use http::answer;

use crate::array;
use crate::cli::Verdict;
use crate::error::{Error, Result};
use crate::output::{Style, Text};
use crate::system::System;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Serialize)]
pub struct Metrics {
    pub families: Vec<Family>,
    /// An array does not run, or is broken.
    #[serde(skip)]
    is_down: bool,
}

impl Metrics {
    /// Of all arrays that run.
    pub fn read(system: &dyn System) -> Result<Self> {
        let arrays = figures::all(system)?;
        let inactive = array::inactive(system)?;
        let broken = arrays.iter().any(|array| array.health.is_down());
        let mut families = states::families(&arrays, &inactive);
        families.extend(arrays::families(&arrays));
        families.extend(logs::families(&arrays));
        families.extend(slots::families(&arrays));
        families.extend(disks::families(&arrays));
        Ok(Metrics {
            families,
            is_down: broken || !inactive.is_empty(),
        })
    }

    pub fn verdict(&self) -> Verdict {
        if self.is_down {
            Verdict::Findings
        } else {
            Verdict::Done
        }
    }

    /// Without the families that have no sample.
    pub fn exposition(&self) -> String {
        let families = self.families.iter();
        families
            .filter(|family| !family.samples.is_empty())
            .map(Family::to_string)
            .collect()
    }

    /// Replace a file of node_exporter's textfile collector, whole: it never reads half of one.
    pub fn save(&self, system: &dyn System, path: &Path) -> Result<Saved> {
        // A directory that is created for a slip is one that nobody reads.
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        if let Some(dir) = dir.filter(|dir| !system.exists(dir)) {
            return Err(Error::Refused {
                what: format!("writing {}", path.display()),
                reason: format!("there is no directory {}", dir.display()),
            });
        }
        system
            .replace(path, &self.exposition())
            .map_err(|error| Error::write(path, "the metrics", &error))?;
        let samples = self.families.iter().map(|family| family.samples.len());
        Ok(Saved {
            file: path.to_owned(),
            samples: samples.sum(),
        })
    }
}

impl Text for Metrics {
    fn text(&self, _: Style) -> String {
        self.exposition()
    }
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Saved {
    pub file: PathBuf,
    pub samples: usize,
}

impl Text for Saved {
    /// Nothing: a timer's job that has worked is silent.
    fn text(&self, _: Style) -> String {
        String::new()
    }
}
