// SPDX-License-Identifier: GPL-2.0
//! The metrics as callers of the port get them. To read them takes thousands of files, and to be asked for them often
//! is no reason to read these as often: what was read serves for a minute, or until the kernel announces a change.

use crate::error::Result;
use crate::metrics::Metrics;
use crate::system::{System, Uevent};
use std::time::Duration;

/// As often as the textfile is written.
const LASTS: Duration = Duration::from_secs(60);

#[derive(Default)]
pub struct Served {
    /// The text, and when it was read.
    read: Option<(String, Duration)>,
}

impl Served {
    /// An array shifts, or appears; a member wakes, or sleeps: it shows at once.
    pub fn see(&mut self, uevent: &Uevent) {
        if uevent.path.contains("/block/md") {
            self.read = None;
        }
    }

    pub fn text(&mut self, system: &dyn System) -> Result<String> {
        let now = system.monotonic();
        if let Some((text, at)) = &self.read {
            if now < *at + LASTS {
                return Ok(text.clone());
            }
        }
        // What cannot be read now is not what was read before.
        self.read = None;
        let text = Metrics::read(system)?.exposition();
        self.read = Some((text.clone(), now));
        Ok(text)
    }
}
