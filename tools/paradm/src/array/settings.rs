// SPDX-License-Identifier: GPL-2.0
//! What can be set, in the array's files of mode 0644 (but for `gear`, for
//! `log_size`, which takes no other value, and for `fill_size` and `fill_time`,
//! which few arrays have: see slots.rs).

use super::Dir;
use crate::error::Result;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyMode {
    Manual,
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Spin {
    On,
    Off,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    pub policy: PolicyMode,
    /// ms
    pub interval: u32,
    /// intervals
    pub window_short: u32,
    pub window_long: u32,
    /// percent
    pub up_threshold: u32,
    pub down_threshold: u32,
    /// ms
    pub up_wait: u32,
    /// s
    pub hold: u32,
    pub break_even: u32,
    pub min_gear: u32,
    pub max_gear: u32,
    /// KiB/s
    pub speed_min: u32,
    pub speed_max: u32,
    pub spin: Spin,
    /// s
    pub wake_timeout: u32,
    /// ms
    pub wake_stagger: u32,
    /// s
    pub stop_after: u32,
    /// days' shares
    pub carry: u32,
    pub scrub_wakes: bool,
    /// days
    pub scrub_age: u32,
}

impl Settings {
    pub fn read(par: &Dir) -> Result<Self> {
        Ok(Settings {
            policy: par.one_of("policy", "manual or auto", |word| match word {
                "manual" => Some(PolicyMode::Manual),
                "auto" => Some(PolicyMode::Auto),
                _ => None,
            })?,
            interval: par.number("interval")?,
            window_short: par.number("window_short")?,
            window_long: par.number("window_long")?,
            up_threshold: par.number("up_threshold")?,
            down_threshold: par.number("down_threshold")?,
            up_wait: par.number("up_wait")?,
            hold: par.number("hold")?,
            break_even: par.number("break_even")?,
            min_gear: par.number("min_gear")?,
            max_gear: par.number("max_gear")?,
            speed_min: par.number("speed_min")?,
            speed_max: par.number("speed_max")?,
            spin: par.one_of("spin", "on or off", |word| match word {
                "on" => Some(Spin::On),
                "off" => Some(Spin::Off),
                _ => None,
            })?,
            wake_timeout: par.number("wake_timeout")?,
            wake_stagger: par.number("wake_stagger")?,
            stop_after: par.number("stop_after")?,
            carry: par.number("carry")?,
            scrub_wakes: par.flag("scrub_wakes")?,
            scrub_age: par.number("scrub_age")?,
        })
    }
}
