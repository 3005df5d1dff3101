// SPDX-License-Identifier: GPL-2.0
//! Whole commands on simulated systems, with outputs compared to those in `tests/golden/`.
//! One program for all of them: it links once.

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing)]

mod asks;
mod create;
mod daemon;
mod doctor;
mod documented;
mod events;
mod explain;
mod foretell;
mod fuzz;
mod harness;
mod judge;
mod large;
mod manual;
mod metrics;
mod pin;
mod plan;
mod policy;
mod schedule;
mod scrub;
mod shift;
mod states;
mod status;
mod sysfs;
mod terminal;
mod watch;
mod who;
mod wrong;
