// SPDX-License-Identifier: GPL-2.0
//! raid-tracer, traces of block devices and their replay: see Documentation/raid-tracer.md.
//!
//! A trace is read row by row, so that it may be larger than memory: readers ([`trace::formats`]) → one order of time
//! ([`trace::merge`]) → what a command does with the requests → a writer ([`trace::write`]).

pub mod cli;
pub mod collect;
mod commands;
pub mod error;
pub mod evaluate;
pub mod meter;
mod numbers;
mod profile;
pub mod replay;
pub mod synth;
pub mod trace;
