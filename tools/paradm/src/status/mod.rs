// SPDX-License-Identifier: GPL-2.0
//! `paradm status` and `paradm explain`.

mod explain;
mod text;
pub mod words;
pub mod work;

pub use explain::Explanation;

use crate::array::{self, Array};
use crate::cli::Verdict;
use crate::error::Result;
use crate::system::System;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Status {
    /// Seconds since 1970.
    pub time: i64,
    pub arrays: Vec<Array>,
}

impl Status {
    /// Of one array, or of all.
    pub fn read(system: &dyn System, given: Option<&str>) -> Result<Self> {
        Ok(Status {
            time: system.now().as_second(),
            arrays: array::some(system, given)?,
        })
    }

    /// Scripts go by it: is a member missing, parity in doubt, or data lost?
    pub fn verdict(&self) -> Verdict {
        let unwell = |array: &Array| {
            array.degraded > 0 || array.scrub.mismatches > 0 || array.lost_bytes() > 0
        };
        if self.arrays.iter().any(unwell) {
            Verdict::Findings
        } else {
            Verdict::Done
        }
    }
}
