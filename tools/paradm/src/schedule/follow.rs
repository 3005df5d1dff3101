// SPDX-License-Identifier: GPL-2.0
//! An array that follows its schedule: which limits its policy has at a moment.
//!
//! An hour whose load, in the mean, needs a higher gear than any moment of the hour before begins in it.
//! In an hour that needs a higher gear at its peak only, the load tells when: as soon as it is near what the gear
//! bears, which is before the policy finds that gear too small. And when such load is over and no more is
//! foretold, the array need not wait until the policy is sure of that. All else is the policy's.
//!
//! Pure: numbers in, limits out.

use super::gear::sufficient;
use crate::pin::Limits;

/// How often the load is looked at while [`Plan::needs_load`].
pub const EVERY_SECONDS: u64 = 10;

/// Near: percent of the load at which the policy shifts up. In an hour that needs the higher gear in the mean …
const NEAR: u32 = 92;
/// … and that began in a lower one.
const NEAR_IN_MEAN: u32 = 82;
/// Over: the gear is kept until the load is so much less than what the policy shifts up at.
const OVER: u32 = 75;
/// And the policy is made to shift down if a lower gear would be used so much at most.
const QUIET: u32 = 85;
/// Where load is foretold besides, it must have been so for a while: samples that it is averaged over, fading.
const WHILE: f64 = 18.0;

/// What an hour needs: gears, by the mean load and by the peak, with some more to be safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    pub mean: u32,
    pub peak: u32,
}

/// The hour before, the present one, and the one in which a shift that begins now has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub before: Need,
    pub now: Need,
    pub soon: Need,
}

impl Plan {
    fn peak(&self) -> u32 {
        self.now.peak.max(self.soon.peak)
    }

    fn mean(&self) -> u32 {
        self.now.mean.max(self.soon.mean)
    }

    /// The gear that is needed, whatever the load is now.
    fn certain(&self) -> u32 {
        let begins = |hour: Need, before: Need| (hour.mean > before.peak).then_some(hour.mean);
        let soon = begins(self.soon, self.now);
        begins(self.now, self.before).max(soon).unwrap_or(0)
    }

    /// Does the load decide? Only then it has to be looked at.
    pub fn needs_load(&self, gear: u32, lowest: u32) -> bool {
        self.peak() > lowest || gear > self.mean()
    }
}

/// What is remembered from one look to the next.
#[derive(Debug, Clone, Default)]
pub struct Follower {
    /// Of what all members can do, percent; of late, and for a while.
    late: Option<f64>,
    long: Option<f64>,
    /// The gear that load has come near to needing.
    held: u32,
    /// The gear that is shifted down to.
    quiet: Option<u32>,
}

/// What does not change from hour to hour.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    pub gears: &'a [u32],
    /// Percent.
    pub up_threshold: u32,
    /// The user's own limits.
    pub limits: Limits,
}

impl Follower {
    /// `busy`: how busy the members of `gear` have been for the last [`EVERY_SECONDS`], percent.
    pub fn see(&mut self, busy: f64, gear: u32, gears: &[u32]) {
        let top = f64::from(gears.last().copied().unwrap_or(gear));
        let load = busy * f64::from(gear) / top;
        self.late = Some(load);
        self.long = Some(self.long.map_or(load, |old| old + (load - old) / WHILE));
    }

    /// The load is not looked at any more.
    pub fn forget(&mut self) {
        *self = Follower::default();
    }

    /// For an array that is in `gear`.
    pub fn limits(&mut self, plan: &Plan, gear: u32, terms: Terms) -> Limits {
        let Limits { min_gear, max_gear } = terms.limits;
        // A damaged file may say anything.
        let max_gear = max_gear.max(min_gear);
        self.hold(plan, terms);
        let floor = plan.certain().max(self.held).clamp(min_gear, max_gear);
        self.shift_down(plan, gear, floor, terms);
        let ceiling = self.quiet.unwrap_or(max_gear).clamp(floor, max_gear);
        Limits {
            min_gear: floor,
            max_gear: ceiling,
        }
    }

    fn hold(&mut self, plan: &Plan, terms: Terms) {
        let near = if plan.now.mean >= plan.peak() {
            NEAR_IN_MEAN
        } else {
            NEAR
        };
        let Some(load) = self.late else {
            self.held = 0;
            return;
        };
        let wants = |percent| gear_at(load, percent, terms);
        let wanted = wants(near).max(self.held.min(wants(OVER)));
        self.held = wanted.min(plan.peak());
    }

    /// Begin, go on with or end a shift down.
    fn shift_down(&mut self, plan: &Plan, gear: u32, floor: u32, terms: Terms) {
        let (Some(late), Some(long)) = (self.late, self.long) else {
            self.quiet = None;
            return;
        };
        let expects_load = plan.peak() > plan.mean();
        let bears = if expects_load {
            gear_at(late, OVER, terms).max(gear_at(long, QUIET, terms))
        } else {
            gear_at(late, QUIET, terms)
        };
        let goal = plan.mean().max(floor);
        if self.quiet.is_none() && gear > goal && bears <= goal {
            self.quiet = Some(goal);
        }
        self.quiet = self.quiet.filter(|to| gear > *to && *to >= goal);
    }
}

/// The lowest gear that `load` uses by `percent` of the threshold at most.
fn gear_at(load: f64, percent: u32, terms: Terms) -> u32 {
    let scaled = load * 100.0 / f64::from(percent);
    sufficient(scaled, terms.gears, terms.up_threshold).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GEARS: [u32; 3] = [3, 5, 8];
    const TERMS: Terms = Terms {
        gears: &GEARS,
        up_threshold: 70,
        limits: Limits {
            min_gear: 3,
            max_gear: 8,
        },
    };

    fn need(mean: u32, peak: u32) -> Need {
        Need { mean, peak }
    }

    fn limits(follower: &mut Follower, plan: Plan, gear: u32) -> (u32, u32) {
        let limits = follower.limits(&plan, gear, TERMS);
        (limits.min_gear, limits.max_gear)
    }

    /// The load of all members is that for a while.
    fn see(follower: &mut Follower, load: f64) {
        for _ in 0..200 {
            follower.see(load, 8, &GEARS);
        }
    }

    #[test]
    fn an_hour_that_begins_with_load_is_shifted_up_for_ahead() {
        let (quiet, busy) = (need(3, 3), need(8, 8));
        let mut follower = Follower::default();
        let plan = |before, now, soon| Plan { before, now, soon };
        assert_eq!(limits(&mut follower, plan(quiet, quiet, quiet), 3), (3, 8));
        assert_eq!(limits(&mut follower, plan(quiet, quiet, busy), 3), (8, 8));
        assert_eq!(limits(&mut follower, plan(quiet, busy, busy), 8), (8, 8));
        // Later the load tells whether it is still needed.
        assert!(plan(busy, busy, busy).needs_load(8, 3));
        assert!(!plan(quiet, quiet, quiet).needs_load(3, 3));
    }

    #[test]
    fn load_that_comes_near_is_shifted_up_for_if_it_is_foretold() {
        let plan = |peak| Plan {
            before: need(3, peak),
            now: need(3, peak),
            soon: need(3, peak),
        };
        // 26.25 % of eight members are 70 % of three.
        let mut follower = Follower::default();
        see(&mut follower, 26.25 * 0.91);
        assert_eq!(limits(&mut follower, plan(5), 3), (3, 8));
        see(&mut follower, 26.25 * 0.93);
        assert_eq!(limits(&mut follower, plan(5), 3), (5, 8));
        see(&mut follower, 26.25 * 0.8);
        assert_eq!(limits(&mut follower, plan(5), 5), (5, 8));
        see(&mut follower, 90.0);
        assert_eq!(limits(&mut follower, plan(5), 5), (5, 8));
        let mut follower = Follower::default();
        see(&mut follower, 90.0);
        assert_eq!(limits(&mut follower, plan(3), 3), (3, 8));
    }

    #[test]
    fn load_that_is_over_is_shifted_down_from() {
        let plan = Plan {
            before: need(8, 8),
            now: need(3, 3),
            soon: need(3, 3),
        };
        let mut follower = Follower::default();
        see(&mut follower, 26.25 * 0.9);
        assert_eq!(limits(&mut follower, plan, 8), (3, 8));
        see(&mut follower, 26.25 * 0.8);
        assert_eq!(limits(&mut follower, plan, 8), (3, 3));
        // It goes on until it is there, and then the policy is free again.
        see(&mut follower, 26.25 * 0.9);
        assert_eq!(limits(&mut follower, plan, 8), (3, 3));
        assert_eq!(limits(&mut follower, plan, 3), (3, 8));
        // Nothing is known of the load: the policy decides.
        follower.forget();
        assert_eq!(limits(&mut follower, plan, 8), (3, 8));
    }

    proptest! {
        #[test]
        fn limits_are_gears_and_within_the_users(
            seen in prop::collection::vec((0.0..150.0f64, 0usize..3), 0..30),
            needs in prop::collection::vec((0usize..3, 0usize..3), 3),
            gear in 0usize..3, min in 0usize..3, max in 0usize..3,
        ) {
            let gear_of = |at: usize| GEARS[at];
            let need = |at: usize| {
                let (one, two) = needs[at];
                need(gear_of(one.min(two)), gear_of(one.max(two)))
            };
            let plan = Plan { before: need(0), now: need(1), soon: need(2) };
            let limits = Limits { min_gear: gear_of(min.min(max)), max_gear: gear_of(min.max(max)) };
            let terms = Terms { limits, ..TERMS };
            let mut follower = Follower::default();
            for (busy, gear) in seen {
                follower.see(busy, gear_of(gear), &GEARS);
                let is = follower.limits(&plan, gear_of(gear), terms);
                prop_assert!(GEARS.contains(&is.min_gear) && GEARS.contains(&is.max_gear));
                prop_assert!(limits.min_gear <= is.min_gear && is.min_gear <= is.max_gear);
                prop_assert!(is.max_gear <= limits.max_gear);
            }
            let crossed = Limits { min_gear: gear_of(min), max_gear: 0 };
            let is = follower.limits(&plan, gear_of(gear), Terms { limits: crossed, ..terms });
            prop_assert!(is.min_gear <= is.max_gear);
        }
    }
}
