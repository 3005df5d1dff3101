// SPDX-License-Identifier: GPL-2.0
//! Images of a share: the files `image_share`, `slots`, `slot_*` and `fill_*`.

use super::Dir;
use crate::error::Result;
use serde::Serialize;

/// An array with this share has images of everything, and no slots.
const SHARE_ALL: u32 = 100;

/// A line of `slots_by_gear`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GearSlots {
    pub gear: u32,
    /// Uses of runs with a slot while their members slept.
    pub hits: u64,
    pub misses: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Slots {
    /// Of the array that can have images.
    pub share_percent: u32,
    pub total: u64,
    pub free: u64,
    /// Runs that were used lately.
    pub hot: u64,
    /// Of runs, since the array was started, and those with a slot.
    pub uses: u64,
    pub hits: u64,
    /// Requests that had to wake a member since then.
    pub misses: u64,
    /// The lowest gear first.
    pub by_gear: Vec<GearSlots>,
    /// The most that a shift down fills.
    pub fill_bytes: u64,
    pub fill_seconds: u64,
}

impl Slots {
    /// `None`: there are images of everything, or the module is too old for anything else.
    pub fn read(par: &Dir) -> Result<Option<Self>> {
        let share_percent = match par.number("image_share") {
            Err(error) if error.is_absent() => return Ok(None),
            other => other?,
        };
        if share_percent == SHARE_ALL {
            return Ok(None);
        }
        Ok(Some(Slots {
            share_percent,
            total: par.number("slots")?,
            free: par.number("slots_free")?,
            hot: par.number("hot_runs")?,
            uses: par.number("slot_uses")?,
            hits: par.number("slot_hits")?,
            misses: par.number("slot_misses")?,
            by_gear: par.lines("slots_by_gear", "GEAR HITS MISSES", gear_slots)?,
            fill_bytes: par.number("fill_size")?,
            fill_seconds: par.number("fill_time")?,
        }))
    }
}

fn gear_slots(line: &str) -> Option<GearSlots> {
    let mut fields = line.split(' ');
    let of = GearSlots {
        gear: fields.next()?.parse().ok()?,
        hits: fields.next()?.parse().ok()?,
        misses: fields.next()?.parse().ok()?,
    };
    fields.next().is_none().then_some(of)
}
