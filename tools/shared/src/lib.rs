// SPDX-License-Identifier: GPL-2.0
//! What paradm and raid-tracer share: how they speak and end, their manuals, and loads by chance.

pub mod exit;
pub mod loads;
pub mod manual;
pub mod request;
pub mod style;
pub mod table;
pub mod text;
pub mod units;
pub mod usage;
