// SPDX-License-Identifier: GPL-2.0
//! Arrays that follow their schedule.

use super::loads::{self, Loads};
use crate::array::{self, Array, Dir};
use crate::error::{Error, Result};
use crate::history;
use crate::pin::{self, Limits};
use crate::schedule::{self, EVERY_SECONDS, Follower, Foresight, Plan, Terms};
use crate::system::System;
use std::path::Path;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(EVERY_SECONDS);
const MINUTE: Duration = Duration::from_secs(60);

pub struct Following {
    array: Array,
    signs: Vec<String>,
    /// Members whose load nobody counts.
    uncounted: Vec<u32>,
    /// `None`: what is foretold is not good enough.
    foresight: Option<Foresight>,
    /// The hour, since 1970, that the foresight was made in.
    hour: i64,
    follower: Follower,
    loads: Loads,
    /// When it is looked at again.
    next: Duration,
}

impl Following {
    /// Of all arrays that follow their schedule now; what is known of them is kept, also of one that cannot be read
    /// just now, and it keeps none of the others from following: `failed` is told. Called each minute.
    pub fn update_all(
        system: &dyn System,
        following: &mut Vec<Self>,
        failed: &mut dyn FnMut(Error),
    ) -> Result<()> {
        if schedule::load(system)?.is_empty() {
            following.clear();
            return Ok(());
        }
        let names = array::names(system)?;
        let mut known = std::mem::take(following);
        for name in names {
            let at = known.iter().position(|one| one.array.name == name);
            let mut one = at.map(|at| known.swap_remove(at));
            match Self::update(system, &name, &mut one) {
                Ok(()) => {}
                // It was stopped meanwhile.
                Err(error) if error.is_absent() => continue,
                Err(error) => failed(error),
            }
            following.extend(one);
        }
        Ok(())
    }

    /// `None`: it does not follow now. After a failure it is as it was.
    fn update(system: &dyn System, name: &str, one: &mut Option<Self>) -> Result<()> {
        if !may_follow(system, name)? {
            *one = None;
            return Ok(());
        }
        match one {
            Some(known) => known.refresh(system)?,
            None => *one = Some(Self::new(system, name)?),
        }
        Ok(())
    }

    fn new(system: &dyn System, name: &str) -> Result<Self> {
        let array = Array::read(system, name)?;
        Ok(Following {
            foresight: foresee(system, &array)?,
            hour: hour(system),
            signs: signs(system, &array)?,
            uncounted: uncounted(system, &array)?,
            array,
            follower: Follower::default(),
            loads: Loads::default(),
            next: Duration::ZERO,
        })
    }

    /// An array has hundreds of files: they are read again once an hour, or if one of the few has changed that matter.
    fn refresh(&mut self, system: &dyn System) -> Result<()> {
        let signs = signs(system, &self.array)?;
        let hour = hour(system);
        if signs != self.signs || hour != self.hour {
            self.array = Array::read(system, &self.array.name)?;
            self.foresight = foresee(system, &self.array)?;
            (self.signs, self.hour) = (signs, hour);
        }
        self.uncounted = uncounted(system, &self.array)?;
        Ok(())
    }

    /// Set the limits that are right now.
    pub fn look(&mut self, system: &dyn System, now: Duration) -> Result<()> {
        if now < self.next {
            return Ok(());
        }
        self.next = now + MINUTE;
        let Some(foresight) = &self.foresight else {
            // It may have been good enough before.
            return schedule::set(system, &self.array.name, |own| own).map(|_| ());
        };
        let clock = system.now().as_second();
        let plan = foresight.plan(clock);
        self.next = self.next.min(now + foresight.changes_in(clock));
        let gear = array::gear(system, &self.array.name)?;
        self.see_load(system, &plan, gear, now)?;
        let (array, follower) = (&self.array, &mut self.follower);
        let limits = |own: Limits| {
            let terms = Terms {
                gears: &array.gears,
                up_threshold: array.settings.up_threshold,
                limits: own,
            };
            follower.limits(&plan, gear, terms)
        };
        schedule::set(system, &self.array.name, limits).map(|_| ())
    }

    fn see_load(
        &mut self,
        system: &dyn System,
        plan: &Plan,
        gear: u32,
        now: Duration,
    ) -> Result<()> {
        let is_counted = self.uncounted.iter().all(|member| *member >= gear);
        if !is_counted || !plan.needs_load(gear, self.array.lowest_gear()) {
            self.follower.forget();
            self.loads = Loads::default();
            return Ok(());
        }
        self.next = self.next.min(now + EVERY);
        if let Some(busy) = self.loads.see(system, &self.array, gear, now)? {
            self.follower.see(busy, gear, &self.array.gears);
        }
        Ok(())
    }

    pub fn next_look(&self) -> Duration {
        self.next
    }
}

/// The user's own limits hold again, and schedules go on when the daemon does: also of an array that did not follow
/// just now, as its policy is `manual`, but has the limits of its schedule. Each array is tried.
pub fn end_all(system: &dyn System) -> Vec<Result<()>> {
    let end = |name: String| {
        if schedule::of(system, &name)?.is_none() || is_readonly(system, &name)? {
            return Ok(());
        }
        schedule::set(system, &name, |own| own).map(|_| ())
    };
    match array::names(system) {
        Ok(names) => names.into_iter().map(end).collect(),
        Err(error) => vec![Err(error)],
    }
}

fn is_readonly(system: &dyn System, name: &str) -> Result<bool> {
    let md = Dir::new(system, Path::new("/sys/block").join(name).join("md"));
    Ok(md.word("array_state")? == "readonly")
}

fn may_follow(system: &dyn System, name: &str) -> Result<bool> {
    if schedule::of(system, name)?.is_none() || pin::is_pinned(system, name)? {
        return Ok(false);
    }
    let md = Dir::new(system, Path::new("/sys/block").join(name).join("md"));
    Ok(md.word("par/policy")? == "auto" && !is_readonly(system, name)?)
}

/// What is known of an array holds as long as these are the same.
fn signs(system: &dyn System, array: &Array) -> Result<Vec<String>> {
    let md = Dir::new(system, Path::new("/sys/block").join(&array.name).join("md"));
    let files = [
        "gears",
        "up_threshold",
        "interval",
        "wake_timeout",
        "wake_stagger",
    ];
    let mut signs = Vec::new();
    for file in files {
        signs.push(md.line(&format!("par/{file}"))?);
    }
    let devices = (0..array.top_gear()).map(|number| array::device_name(&md, number));
    signs.extend(devices.map(Option::unwrap_or_default));
    Ok(signs)
}

fn uncounted(system: &dyn System, array: &Array) -> Result<Vec<u32>> {
    let mut uncounted = Vec::new();
    for member in &array.members {
        let Some(device) = &member.device else {
            continue;
        };
        if !loads::counts(system, &device.disk)? {
            uncounted.push(member.number);
        }
    }
    Ok(uncounted)
}

fn hour(system: &dyn System) -> i64 {
    // Two minutes after its end the load of an hour is known.
    (system.now().as_second() - 120).div_euclid(3600)
}

fn foresee(system: &dyn System, array: &Array) -> Result<Option<Foresight>> {
    let now = system.now();
    let past = history::past_hours(system, &array.name, now.as_second() - schedule::DAYS)?;
    let foresight = Foresight::new(array, &past, now, &system.zone());
    Ok(foresight.is_good_enough().then_some(foresight))
}
