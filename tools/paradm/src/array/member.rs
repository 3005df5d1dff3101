// SPDX-License-Identifier: GPL-2.0
//! A member: the files of `memberD/`, and md's of the disk in that place.

use super::{Device, Dir};
use crate::error::Result;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PowerState {
    Active,
    Waking,
    Asleep,
    /// No disk is in that place.
    None,
}

impl PowerState {
    /// Of a directory `memberD/`.
    pub fn read(files: &Dir) -> Result<Self> {
        let wanted = "active, waking, asleep or none";
        files.one_of("power_state", wanted, |word| match word {
            "active" => Some(PowerState::Active),
            "waking" => Some(PowerState::Waking),
            "asleep" => Some(PowerState::Asleep),
            "none" => Some(PowerState::None),
            _ => None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PowerControl {
    Runtime,
    Logical,
    None,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Member {
    pub number: u32,
    /// `None`: no disk is in that place.
    pub device: Option<Device>,
    pub power_state: PowerState,
    pub power_control: PowerControl,
    /// The current gear leaves it out.
    pub asleep: bool,
    pub busy_percent: f64,
    pub queue: f64,
    pub read_wait_us: u64,
    pub write_wait_us: u64,
    pub seconds_active: u64,
    pub seconds_waking: u64,
    pub seconds_asleep: u64,
    pub spin_ups: u64,
    pub spins_left: u64,
    pub rated_cycles: u32,
    pub wanted_years: u32,
    /// Seconds since 1970; `None`: not since the array was started.
    pub last_wake: Option<i64>,
    pub last_wake_cause: String,
    pub redirected: u64,
}

impl Member {
    pub fn read(md: &Dir, number: u32) -> Result<Self> {
        let files = md.sub("par").sub(&format!("member{number}"));
        Ok(Member {
            number,
            device: Device::of_member(md, number),
            power_state: PowerState::read(&files)?,
            power_control: files.one_of("power_control", "runtime, logical or none", |word| {
                match word {
                    "runtime" => Some(PowerControl::Runtime),
                    "logical" => Some(PowerControl::Logical),
                    "none" => Some(PowerControl::None),
                    _ => None,
                }
            })?,
            asleep: files.flag("asleep")?,
            busy_percent: files.fraction("busy_percent")?,
            queue: files.fraction("queue")?,
            read_wait_us: files.number("read_wait_us")?,
            write_wait_us: files.number("write_wait_us")?,
            seconds_active: files.number("seconds_active")?,
            seconds_waking: files.number("seconds_waking")?,
            seconds_asleep: files.number("seconds_asleep")?,
            spin_ups: files.number("spin_ups")?,
            spins_left: files.number("spins_left")?,
            rated_cycles: files.number("rated_cycles")?,
            wanted_years: files.number("wanted_years")?,
            last_wake: Some(files.number("last_wake")?).filter(|seconds| *seconds != 0),
            last_wake_cause: files.line("last_wake_cause")?,
            redirected: files.number("redirected")?,
        })
    }
}
