// SPDX-License-Identifier: GPL-2.0
//! `paradm status` and `paradm explain`.

mod explain;
mod text;
pub mod words;
pub mod work;

pub use explain::Explanation;

use crate::array::{self, Array, Health, Inactive};
use crate::cli::Verdict;
use crate::error::Result;
use crate::system::System;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Status {
    /// Seconds since 1970.
    pub time: i64,
    pub arrays: Vec<Array>,
    /// Those that do not run.
    pub inactive: Vec<Inactive>,
}

impl Status {
    /// Of one array, or of all.
    pub fn read(system: &dyn System, given: Option<&str>) -> Result<Self> {
        let (arrays, inactive) = wanted(system, given)?;
        Ok(Status {
            time: system.now().as_second(),
            arrays,
            inactive,
        })
    }

    /// Scripts go by it: does it run, is a member missing, parity in doubt, or data lost?
    pub fn verdict(&self) -> Verdict {
        let unwell = |array: &Array| array.health > Health::Whole;
        if !self.inactive.is_empty() || self.arrays.iter().any(unwell) {
            Verdict::Findings
        } else {
            Verdict::Done
        }
    }
}

/// The array that is named, or all: those that run, and those that do not.
pub fn wanted(system: &dyn System, given: Option<&str>) -> Result<(Vec<Array>, Vec<Inactive>)> {
    let inactive = array::down(system, given)?;
    let arrays = match given {
        Some(_) if !inactive.is_empty() => Vec::new(),
        Some(_) => array::some(system, given)?,
        None => array::all(system)?,
    };
    Ok((arrays, inactive))
}
