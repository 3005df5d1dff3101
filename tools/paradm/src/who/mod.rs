// SPDX-License-Identifier: GPL-2.0
//! `paradm who`: which process woke a sleeper, touches it past the array, or loads the array.
//!
//! The module tells each wake and its cause by a uevent. What processes do is told by the kernel's
//! tracepoints ([`tracing`]), and who they are by /proc ([`process`]). [`watch()`] puts these
//! together as they come; the [`log`] keeps wakes and touches; [`Report`] shows it, with what the
//! array's files say now. None of it sends a request to a disk.

mod line;
mod log;
mod process;
mod report;
mod tally;
mod text;
mod tracing;
mod watch;

pub use line::{Event, Line, Parsed, parse};
pub use log::{DAYS, Entry, FILE, Load, What, load, record};
pub use process::{Process, process_of_cause};
pub use report::{Report, report};
pub use tally::{ArrayUse, Decision, Touched, Use, Watched};
pub use watch::{Happening, Watching, record_event, watch};
