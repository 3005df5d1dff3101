// SPDX-License-Identifier: GPL-2.0
//! Which gear an array should be in: policy.h, predict.h, history.h.

use super::{Geometry, Hour, Interval, Knobs, Sample, raw, words};
use std::mem::MaybeUninit;

pub use raw::Situation;

macro_rules! reasons {
    ($($name:ident),*) => {
        /// enum `par_reason`, in its order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Reason { $($name),* }

        impl Reason {
            pub const ALL: &[Reason] = &[$(Reason::$name),*];
        }
    };
}

reasons!(
    Manual, Degraded, Load, Wait, Log, Min, Max, Quiet, Gone, Brief, Spare, Needed, Unseen, Hold,
    Sync, Budget, Failed, Blind, Outrun, Owed, Cost, Misses, Lowest, Shifting
);

impl Reason {
    fn of_c(number: u32) -> Self {
        usize::try_from(number)
            .ok()
            .and_then(|at| Self::ALL.get(at).copied())
            .unwrap_or(Reason::Unseen)
    }

    fn to_c(self) -> u32 {
        (0..)
            .zip(Self::ALL)
            .find_map(|(number, reason)| (*reason == self).then_some(number))
            .unwrap_or(0)
    }

    /// One word, as in traces and uevents.
    pub fn name(self) -> &'static str {
        // SAFETY: it returns a static string for each reason.
        unsafe { words(raw::par_reason_name(self.to_c())) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The number of the gear to be in.
    pub gear: u32,
    /// The gear that it is about.
    pub about: u32,
    pub reason: Reason,
    /// Until that may change, if it is a matter of time.
    pub seconds: u64,
}

/// What the policy remembers. Times are seconds of a clock that only goes on.
pub struct Policy {
    policy: Box<raw::Policy>,
    // C's struct points to both.
    _intervals: Box<[Interval]>,
    geo: Geometry,
}

// SAFETY: the pointers are to what it owns, and to what nobody changes.
unsafe impl Send for Policy {}

impl Policy {
    pub fn new(geo: &Geometry, now: u64) -> Self {
        let geo = geo.clone();
        let mut intervals = vec![Interval::default(); raw::WINDOW_MAX].into_boxed_slice();
        let mut policy = Box::new(MaybeUninit::<raw::Policy>::zeroed());
        // SAFETY: zeros are a valid struct, which is then initialized; it points to the
        // intervals and to the geometry, which live as long as it does and do not move.
        let policy = unsafe {
            raw::par_policy_init(policy.as_mut_ptr(), &*geo.0, intervals.as_mut_ptr(), now);
            policy.assume_init()
        };
        Policy {
            policy,
            _intervals: intervals,
            geo,
        }
    }

    pub fn geometry(&self) -> &Geometry {
        &self.geo
    }

    /// Have other settings from now on; what has been seen counts.
    pub fn set(&mut self, knobs: &Knobs) -> Result<(), &'static str> {
        self.geo.check_knobs(knobs)?;
        // SAFETY: of this and all below: they only use what is given, and what it owns.
        unsafe { raw::par_policy_set(&mut *self.policy, knobs) };
        Ok(())
    }

    /// An interval is over, in gear number `gear`.
    pub fn see(&mut self, interval: &Interval, gear: u32, now: u64) {
        // SAFETY: see set().
        unsafe { raw::par_policy_see(&mut *self.policy, interval, self.valid(gear), now) }
    }

    /// The gear to be in. Ask once an interval, after [`Self::see`].
    pub fn decide(&self, is: &Situation) -> Decision {
        // SAFETY: see set().
        let decision = unsafe { raw::par_policy_decide(&*self.policy, &self.valid_situation(is)) };
        Decision {
            gear: decision.gear,
            about: decision.about,
            reason: Reason::of_c(decision.reason),
            seconds: decision.seconds,
        }
    }

    /// The gear has changed; `asked`: when that was asked for.
    pub fn shifted(&mut self, old: u32, gear: u32, why: Reason, asked: u64, now: u64) {
        let (old, gear) = (self.valid(old), self.valid(gear));
        // SAFETY: see set().
        unsafe {
            raw::par_policy_shifted(&mut *self.policy, old, gear, why.to_c(), asked, now);
        }
    }

    /// A shift has failed.
    pub fn failed(&mut self, gear: u32, now: u64) {
        // SAFETY: see set().
        unsafe { raw::par_policy_failed(&mut *self.policy, self.valid(gear), now) }
    }

    /// The hold time as it is after regrets, s.
    pub fn hold(&self) -> u64 {
        // SAFETY: see set().
        unsafe { raw::par_policy_hold(&*self.policy) }
    }

    /// The sentence of the file `explain`.
    pub fn explain(&self, is: &Situation) -> String {
        let mut line = [0u8; 512];
        // SAFETY: see set(); it ends the line within its size.
        let len = unsafe {
            raw::par_policy_explain(
                &*self.policy,
                &self.valid_situation(is),
                line.as_mut_ptr().cast(),
                line.len(),
            )
        };
        let text = usize::try_from(len).ok().and_then(|len| line.get(..len));
        String::from_utf8_lossy(text.unwrap_or_default()).into_owned()
    }

    /// C does not look whether a gear is one.
    fn valid(&self, gear: u32) -> u32 {
        gear.clamp(1, self.geo.gears())
    }

    fn valid_situation(&self, is: &Situation) -> Situation {
        Situation {
            gear: self.valid(is.gear),
            target: self.valid(is.target),
            ..*is
        }
    }
}

impl Situation {
    /// A whole array in gear number `gear`, with spin-ups to spare.
    pub fn whole(now: u64, gear: u32) -> Self {
        Situation {
            now,
            gear,
            target: gear,
            why: Reason::Manual.to_c(),
            ..Situation::default()
        }
    }

    /// Where a shift that is under way goes to, and why.
    pub fn shifting(self, target: u32, why: Reason) -> Self {
        Situation {
            target,
            why: why.to_c(),
            ..self
        }
    }
}

/// What utilization the requests of an interval would cause in each gear.
pub struct Forecast {
    forecast: Box<raw::Forecast>,
    geo: Geometry,
}

// SAFETY: the pointer is to what nobody changes.
unsafe impl Send for Forecast {}

impl Forecast {
    pub fn new(geo: &Geometry) -> Self {
        let geo = geo.clone();
        let mut forecast = Box::new(MaybeUninit::<raw::Forecast>::zeroed());
        // SAFETY: zeros are a valid struct, which is then initialized; the geometry, which it
        // points to, lives as long as it does.
        let forecast = unsafe {
            raw::par_forecast_init(forecast.as_mut_ptr(), &*geo.0);
            forecast.assume_init()
        };
        Forecast { forecast, geo }
    }

    /// Learn from an interval. `None`: what its requests cause cannot be known yet.
    pub fn see(&mut self, sample: &Sample) -> Option<Interval> {
        if !(1..=self.geo.gears()).contains(&sample.gear) {
            return None;
        }
        let mut interval = Interval::default();
        // SAFETY: all are valid, the gear is one of the geometry's, and no pointer is kept.
        let known = unsafe { raw::par_forecast_see(&mut *self.forecast, sample, &mut interval) };
        known.then_some(interval)
    }
}

/// What load there was at which hour of the past days (`load_by_hour`).
pub struct History(Box<raw::History>);

impl History {
    pub fn new() -> Self {
        let mut history = Box::new(MaybeUninit::<raw::History>::zeroed());
        // SAFETY: zeros are a valid struct, which is then initialized.
        History(unsafe {
            raw::par_history_init(history.as_mut_ptr());
            history.assume_init()
        })
    }

    /// `load`, of [`raw::LOAD_ONE`], for `ns` until `now`, seconds since 1970.
    pub fn see(&mut self, load: u32, ns: u64, now: u64) {
        // SAFETY: it only changes the struct.
        unsafe { raw::par_history_see(&mut *self.0, load, ns, now) };
    }

    /// The averages of an hour of the day, 0 to 23, UTC.
    pub fn hour(&self, hour: u32) -> Hour {
        // SAFETY: it only looks at the struct.
        unsafe { raw::par_history_of(&*self.0, hour % 24) }
    }
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> Policy {
        let geo = Geometry::new(0x14, 5, 512 << 10, 4 << 40).unwrap();
        let mut policy = Policy::new(&geo, 1);
        let knobs = Knobs {
            automatic: true,
            ..geo.default_knobs()
        };
        policy.set(&knobs).unwrap();
        policy
    }

    fn load(percent: u16) -> Interval {
        let mut interval = Interval {
            requests: 100,
            sectors: 800,
            waited: 1000,
            ..Interval::default()
        };
        // Each member of three does what five do.
        interval.load[1] = percent * 100 * 5 / 3;
        interval.load[2] = percent * 100;
        interval
    }

    #[test]
    fn quiet_shifts_down_and_load_up() {
        let mut policy = policy();
        let mut down = None;
        for now in 2..1000 {
            policy.see(&load(5), 2, now);
            let decision = policy.decide(&Situation::whole(now, 2));
            if decision.gear == 1 {
                down = Some((now, decision.reason));
                break;
            }
        }
        let (now, reason) = down.unwrap();
        assert_eq!(reason, Reason::Quiet);
        assert!((300..400).contains(&now), "{now}");
        policy.shifted(2, 1, reason, now, now);
        let up = (now + 1..now + 200).find(|now| {
            policy.see(&load(55), 1, *now);
            policy.decide(&Situation::whole(*now, 1)).gear == 2
        });
        assert!(up.is_some());
        assert!(
            policy
                .explain(&Situation::whole(up.unwrap(), 1))
                .starts_with("gear 3 of 5")
        );
    }

    #[test]
    fn every_reason_has_its_name() {
        let names: Vec<_> = Reason::ALL.iter().map(|reason| reason.name()).collect();
        assert!(
            names.iter().all(|name| !name.is_empty() && *name != "?"),
            "{names:?}"
        );
        assert_eq!(Reason::Quiet.name(), "quiet");
        assert_eq!(Reason::Outrun.name(), "outrun");
        assert_eq!(Reason::Shifting.name(), names[names.len() - 1]);
    }

    #[test]
    fn what_is_no_gear_does_no_harm() {
        let mut policy = policy();
        policy.see(&load(5), 99, 2);
        policy.decide(&Situation::whole(3, 0));
        policy.shifted(0, 77, Reason::Load, 3, 3);
        let mut forecast = Forecast::new(policy.geometry());
        assert_eq!(
            forecast.see(&Sample {
                gear: 9,
                ..Sample::default()
            }),
            None
        );
    }

    #[test]
    fn hours_have_their_load() {
        let mut history = History::new();
        history.see(5000, 3_600_000_000_000, 3600 * 1001);
        history.see(0, 1_000_000_000, 3600 * 1001 + 1);
        let hour = history.hour(1000 % 24);
        assert_eq!((hour.days, hour.mean, hour.peak), (1, 5000, 5000));
        assert_eq!(hour.misses, 0);
        assert_eq!(history.hour(3).days, 0);
    }
}
