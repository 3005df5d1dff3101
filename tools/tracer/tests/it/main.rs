// SPDX-License-Identifier: GPL-2.0
//! Tests of the program and of its library.

// What fails here fails the test.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used
)]

mod changes;
mod evaluates;
mod formats;
mod fuzz;
mod harness;
mod meters;
mod replays;
mod repositories;
mod synths;
mod wrong;
