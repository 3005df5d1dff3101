// SPDX-License-Identifier: GPL-2.0
//! paradm, the administrator's tool of raid-par: see Documentation/paradm.md.
//!
//! A command is options → one library call → a value that is shown → an exit code. All access to
//! the system is behind [`system::System`], and [`sim::SimSystem`] is one for tests.

pub mod array;
pub mod cli;
mod commands;
pub mod create;
pub mod daemon;
pub mod disk;
pub mod doctor;
pub mod error;
pub mod events;
pub mod history;
pub mod kept;
pub mod manual;
pub mod metrics;
pub mod mount;
pub mod output;
pub mod pin;
pub mod plan;
pub mod policy;
pub mod policy_ffi;
pub mod schedule;
pub mod scrub;
pub mod shift;
pub mod sim;
pub mod status;
pub mod system;
pub mod watch;
pub mod who;
