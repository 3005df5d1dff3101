// SPDX-License-Identifier: GPL-2.0
//! Exit codes, the same for all programs: as Documentation/paradm.md and raid-tracer.md have them.

pub const DONE: u8 = 0;
/// The command has worked, and reports a problem.
pub const FINDINGS: u8 = 1;
pub const USAGE: u8 = 2;
pub const NOT_FOUND: u8 = 3;
pub const DENIED: u8 = 4;
pub const UNREADABLE: u8 = 5;
pub const REFUSED: u8 = 6;
pub const NOT_DONE: u8 = 7;
pub const NO_PROGRAM: u8 = 8;
pub const OUTPUT: u8 = 9;
