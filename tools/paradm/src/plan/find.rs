// SPDX-License-Identifier: GPL-2.0
//! Which disks, how many of them, and which gears: all arrays that are within the limits.

use super::{Outcome, Plan, Raid, Rival, Source, Wanted, bytes_of, geometry, of, raid, read};
use crate::create::Gears;
use crate::error::{Error, Result};
use crate::output::units;
use crate::system::System;
use serde::Serialize;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};

/// What an array has to hold, and what it may cost; `None`: as much as it likes.
#[derive(Debug, Clone)]
pub struct Limits {
    pub data_bytes: u64,
    /// Of all disks.
    pub budget: Option<f64>,
    /// In the lowest gear, idle.
    pub watts: Option<f64>,
    /// 99 % of the load's requests end within so many.
    pub milliseconds: Option<f64>,
}

#[derive(Debug, Serialize)]
pub struct Found {
    pub data_bytes: u64,
    /// Plain RAID of the same kinds of disks that holds so much, and is idle with the fewest watts.
    pub plain: Option<Raid>,
    /// The best one first.
    pub plans: Vec<Plan>,
}

/// Of each kind of disks, arrays of some or all of them. They are sorted by energy on the load, or by
/// watts of the lowest gear without one; then by price. Kinds with a larger share of images come before those with a
/// smaller one.
pub fn find(system: &dyn System, kinds: &[Wanted], limits: &Limits) -> Result<Found> {
    let mut plans = candidates(kinds, limits.data_bytes)?;
    plans = within(plans, limits.budget, Plan::cost, |least| {
        format!("costs {least:.2} at least: allow more, or take cheaper disks")
    })?;
    plans = within(plans, limits.watts, Plan::idle_watts, |least| {
        format!(
            "draws {least:.1} W at least, idle in its lowest gear: allow more, or take larger disks"
        )
    })?;
    if let Some(load) = kinds.first().and_then(|kind| kind.load.as_ref()) {
        put_all_to(&mut plans, &read(system, load)?)?;
    }
    plans = within(plans, limits.milliseconds, Plan::p99_ms, |least| {
        format!(
            "does 99 % of the load's requests within {least:.1} ms at best: allow more, or take more disks"
        )
    })?;
    plans.sort_by(|one, two| {
        let by = |of: fn(&Plan) -> f64| of(one).total_cmp(&of(two));
        by(Plan::energy).then(by(Plan::cost))
    });
    Ok(Found {
        data_bytes: limits.data_bytes,
        plain: plain(kinds, limits.data_bytes),
        plans,
    })
}

fn plain(kinds: &[Wanted], data_bytes: u64) -> Option<Raid> {
    let raids = kinds.iter().flat_map(by_size).filter_map(|kind| {
        let least = kind.disks.iter().map(|disk| disk.bytes).min()?;
        let all = u32::try_from(kind.disks.len()).ok()?;
        let mut sizes = kind.level.least_gear()..=all;
        sizes.find_map(|disks| {
            Some(raid(&kind, disks, least)).filter(|raid| raid.bytes >= data_bytes)
        })
    });
    raids.min_by(|one, two| one.idle_watts.total_cmp(&two.idle_watts))
}

impl Plan {
    pub(super) fn par(&self) -> Option<&Outcome> {
        self.load.as_ref()?.of(Rival::Par)
    }

    fn cost(&self) -> f64 {
        self.price.unwrap_or(0.0)
    }

    fn idle_watts(&self) -> f64 {
        self.by_gear.first().map_or(0.0, |gear| gear.idle_watts)
    }

    fn p99_ms(&self) -> f64 {
        self.par().map_or(0.0, |par| par.p99_ms)
    }

    fn energy(&self) -> f64 {
        self.par()
            .map_or_else(|| self.idle_watts(), |par| par.wh_per_day)
    }
}

/// Those within the limit; if none is, the error says how close the closest comes.
fn within(
    mut plans: Vec<Plan>,
    most: Option<f64>,
    of: impl Fn(&Plan) -> f64,
    closest: impl Fn(f64) -> String,
) -> Result<Vec<Plan>> {
    let Some(most) = most else {
        return Ok(plans);
    };
    let least = plans.iter().map(&of).min_by(f64::total_cmp);
    plans.retain(|plan| of(plan) <= most);
    match least {
        Some(least) if plans.is_empty() => Err(Error::NotFound(format!(
            "each array that is within the other limits {}",
            closest(least)
        ))),
        _ => Ok(plans),
    }
}

fn candidates(kinds: &[Wanted], data_bytes: u64) -> Result<Vec<Plan>> {
    let mut seen = BTreeSet::new();
    let mut plans = Vec::new();
    let mut largest = 0;
    // Kinds with a larger share come first, so an array is not listed again with a smaller share.
    for kind in kinds.iter().flat_map(by_size) {
        for gears in layouts(&kind, data_bytes, &mut largest) {
            let plan = of(&kind, &gears)?;
            if seen.insert((plan.disks.clone(), gears.to_string())) {
                plans.push(plan);
            }
        }
    }
    if plans.is_empty() {
        return Err(Error::NotFound(format!(
            "no array of level par of these disks holds {}, the largest {}: take more or larger disks",
            units::bytes(data_bytes),
            units::bytes(largest)
        )));
    }
    Ok(plans)
}

/// A member is used up to the size of the smallest: without the smaller disks an array may hold more.
fn by_size(kind: &Wanted) -> impl Iterator<Item = Wanted> + '_ {
    let sizes: BTreeSet<u64> = bytes_of(&kind.disks).into_iter().collect();
    sizes.into_iter().map(|least| Wanted {
        disks: kind
            .disks
            .iter()
            .copied()
            .filter(|disk| disk.bytes >= least)
            .collect(),
        ..kind.clone()
    })
}

/// For each number of disks the lowest gear that holds so much; for all of them, also one gear more.
fn layouts(kind: &Wanted, data_bytes: u64, largest: &mut u64) -> Vec<Gears> {
    let all = u32::try_from(kind.disks.len()).unwrap_or(0);
    let mut holds = |low: u32, top: u32| {
        let gears = Gears::of(vec![low, top])?;
        let bytes = geometry(kind, &gears).ok()?.array_bytes();
        *largest = (*largest).max(bytes);
        (bytes >= data_bytes).then_some(gears)
    };
    let mut found = Vec::new();
    for top in kind.level.least_gear() + 1..=all {
        let Some(gears) = (kind.level.least_gear()..top).find_map(|low| holds(low, top)) else {
            continue;
        };
        let low = gears.list().first().copied().unwrap_or(0);
        found.push(gears);
        let middle = low.midpoint(top);
        if top == all && middle > low {
            found.extend(
                Gears::of(vec![low, middle, top]).filter(|gears| geometry(kind, gears).is_ok()),
            );
        }
    }
    found
}

/// Side by side: a load of a day takes seconds for each.
fn put_all_to(plans: &mut [Plan], source: &Source) -> Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let left = Mutex::new(plans.iter_mut());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            while let Some(plan) = next() {
                plan.put_to(source)?;
            }
            Ok(())
        };
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = all.into_iter().map(|thread| {
            let result = thread.join();
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        ended.collect()
    })
}
