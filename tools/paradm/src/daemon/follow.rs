// SPDX-License-Identifier: GPL-2.0
//! Arrays that follow their schedule.

use super::loads::Loads;
use crate::array::{self, Array, PolicyMode};
use crate::error::Result;
use crate::history;
use crate::pin::{self, Limits};
use crate::schedule::{self, EVERY_SECONDS, Follower, Foresight, Plan, Terms};
use crate::system::System;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(EVERY_SECONDS);
const MINUTE: Duration = Duration::from_secs(60);

pub struct Following {
    array: Array,
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
    /// Of all arrays that follow their schedule now; what is known of them is kept. Called each minute.
    pub fn all(system: &dyn System, mut known: Vec<Self>) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        if schedule::load(system)?.is_empty() {
            return Ok(all);
        }
        for name in array::names(system)? {
            if schedule::of(system, &name)?.is_none() || pin::is_pinned(system, &name)? {
                continue;
            }
            let array = Array::read(system, &name)?;
            if array.settings.policy == PolicyMode::Manual || array.is_read_only() {
                continue;
            }
            let at = known.iter().position(|one| one.array.name == name);
            all.push(match at.map(|at| known.swap_remove(at)) {
                Some(one) => one.refreshed(system, array)?,
                None => Self::new(system, array)?,
            });
        }
        Ok(all)
    }

    fn new(system: &dyn System, array: Array) -> Result<Self> {
        Ok(Following {
            foresight: foresee(system, &array)?,
            hour: hour(system),
            array,
            follower: Follower::default(),
            loads: Loads::default(),
            next: Duration::ZERO,
        })
    }

    fn refreshed(mut self, system: &dyn System, array: Array) -> Result<Self> {
        let is_other = array.gears != self.array.gears
            || array.settings.up_threshold != self.array.settings.up_threshold;
        self.array = array;
        if is_other || hour(system) != self.hour {
            self.foresight = foresee(system, &self.array)?;
            self.hour = hour(system);
        }
        Ok(self)
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
        if !plan.needs_load(gear, self.array.lowest_gear()) {
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

    /// The user's own limits hold again, and the schedule goes on when the daemon does.
    pub fn end(&self, system: &dyn System) -> Result<()> {
        schedule::set(system, &self.array.name, |own| own).map(|_| ())
    }
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
