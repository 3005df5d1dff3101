// SPDX-License-Identifier: GPL-2.0
//! The module's own policy, so that what paradm foretells is what the array does: libpar-policy,
//! which build.rs makes of the module's files, behind safe types.
//!
//! Gears are numbered here as in C: 1 is the lowest, [`Geometry::gears`] the top one;
//! [`Geometry::members_in`] and [`Geometry::gear_of`] translate to and from numbers of members.

#![allow(unsafe_code)]

mod geometry;
mod policy;
mod ration;
mod raw;
mod simulate;

pub use geometry::Geometry;
pub use policy::{Decision, Forecast, History, Policy, Reason, Situation};
pub use ration::Ration;
pub use raw::{Hour, Interval, Knobs, LOAD_ONE, MAX_MEMBERS, MAX_SETS, Sample};

pub use simulate::{Ask, RIVALS, Simulated, Simulation, Told, View, disk_milliwatts};

use std::ffi::{CStr, c_char};

/// A static string of C's.
///
/// # Safety
/// `text` is a string that lives for ever.
unsafe fn words(text: *const c_char) -> &'static str {
    // SAFETY: the caller's.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("?")
}
