// SPDX-License-Identifier: GPL-2.0
//! What a schedule is worth: how many hours get the right gear, and what an array that follows it takes and
//! makes wait, beside one that only reacts. Loads are days by chance; the policy is the module's.

use jiff::{Timestamp, tz::TimeZone};
use paradm::array::{Array, PastHour};
use paradm::pin::Limits;
use paradm::policy_ffi::{Geometry, Interval, Knobs, LOAD_ONE, Policy, Reason, Situation};
use paradm::schedule::{Days, EVERY_SECONDS, Follower, Foresight, Terms, sufficient};
use paradm::sim::{SimArray, SimSystem};
use std::f64::consts::TAU;

/// 2026-11-02, a Monday, in hours since 1970.
const MONDAY: i64 = 20_759 * 24;
const GEARS: [u32; 2] = [3, 5];
const LIMIT: u32 = 70;

struct Chance(u64);

impl Chance {
    /// splitmix64
    fn below_one(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        f64::from(u32::try_from((z ^ (z >> 31)) >> 32).unwrap()) / 4_294_967_296.0
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.below_one()).ln()).sqrt();
        radius * (TAU * self.below_one()).cos()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// raid-tracer trace synth rhythm's: 3 to 60 %, a third of that on two days of seven.
    Web,
    /// The same every day.
    Daily,
    /// Load from 8 to 18 h on working days: it begins at once.
    Office,
    /// A job from 1:00 to 2:30.
    Backup,
    /// The office's hours every day but for Sundays, that have a job of six hours.
    Sunday,
    /// On and off, for two hours in the mean.
    Random,
}

/// The load of each minute, of what all members can do.
struct Minutes {
    kind: Kind,
    chance: Chance,
    walk: f64,
    on: bool,
    left: f64,
}

impl Minutes {
    fn new(kind: Kind, seed: u64) -> Self {
        Minutes {
            kind,
            chance: Chance(seed),
            walk: 0.0,
            on: false,
            left: 0.0,
        }
    }

    fn next(&mut self, minute: i32) -> f64 {
        self.walk = 0.95 * self.walk + (1.0f64 - 0.95 * 0.95).sqrt() * 0.25 * self.chance.normal();
        let (day, hour) = (minute / 1440 % 7, f64::from(minute % 1440) / 60.0);
        let rest = day >= 5;
        let noise = self.walk.exp();
        let cosine = (1.0 - (TAU * (hour - 4.0) / 24.0).cos()) / 2.0 * 0.57;
        match self.kind {
            Kind::Web => (0.03 + if rest { cosine / 3.0 } else { cosine }) * noise,
            Kind::Daily => (0.03 + cosine) * noise,
            Kind::Office if (8.0..18.0).contains(&hour) && !rest => 0.55 * (self.walk / 2.0).exp(),
            Kind::Office => 0.04 * noise,
            Kind::Backup if (1.0..2.5).contains(&hour) => 0.7,
            Kind::Backup => 0.03 * noise,
            Kind::Sunday if day == 6 && (1.0..7.0).contains(&hour) => 0.7,
            Kind::Sunday if day != 6 && (9.0..17.0).contains(&hour) => {
                0.5 * (self.walk / 2.0).exp()
            }
            Kind::Sunday => 0.03,
            Kind::Random => self.on_and_off(),
        }
    }

    fn on_and_off(&mut self) -> f64 {
        if self.left <= 0.0 {
            self.on = !self.on;
            self.left = -120.0 * (1.0 - self.chance.below_one()).ln();
        }
        self.left -= 1.0;
        if self.on { 0.55 } else { 0.04 }
    }
}

/// Hours of `days` days from the loads of minutes.
fn hours(kind: Kind, seed: u64, days: i32) -> Vec<PastHour> {
    let mut minutes = Minutes::new(kind, seed);
    let hour = |hour: i32| {
        let loads = (0..60).map(|minute| minutes.next(hour * 60 + minute).min(1.0) * 100.0);
        let loads: Vec<_> = loads.collect();
        PastHour {
            hour: MONDAY + i64::from(hour),
            mean: loads.iter().sum::<f64>() / 60.0,
            peak: loads.iter().copied().fold(0.0, f64::max),
        }
    };
    (0..days * 24).map(hour).collect()
}

fn begins(day: i64) -> Timestamp {
    Timestamp::from_second((MONDAY + day * 24) * 3600).unwrap()
}

/// How many percent of the hours after the first week had the gear that was foretold the evening before: from
/// days of the same type; from the last seven days, whatever they are (the plain rule).
fn right(kind: Kind, seed: u64) -> [f64; 2] {
    let all = hours(kind, seed, 28);
    let (mut right, mut plain) = (0, 0);
    for (day, today) in all.chunks(24).enumerate().skip(7) {
        let past = &all[..day * 24];
        let known = Days::new(past, begins(i64::try_from(day).unwrap()), &TimeZone::UTC);
        for (hour, is) in today.iter().enumerate() {
            let gear = |peak| sufficient(peak, &GEARS, LIMIT);
            let foretold = known.foretell(is.start()).unwrap().load.peak;
            let week = (1..=7)
                .map(|ago| all[(day - ago) * 24 + hour].peak)
                .sum::<f64>()
                / 7.0;
            right += i32::from(gear(foretold) == gear(is.peak));
            plain += i32::from(gear(week) == gear(is.peak));
        }
    }
    let percent = [right, plain].map(|hours| f64::from(hours) * 100.0 / f64::from(21 * 24));
    eprintln!(
        "{kind:?} {seed}: right {:.0} %, plain {:.0} %",
        percent[0], percent[1]
    );
    percent
}

#[test]
fn gears_are_right_in_nine_of_ten_hours_after_a_week_with_weekends_or_without() {
    for seed in 1..=10 {
        let [percent, plain] = right(Kind::Web, seed);
        assert!(percent >= 90.0, "seed {seed}: {percent}");
        assert!(
            plain < 86.0,
            "seed {seed}: the plain rule does as well: {plain}"
        );
        let [percent, _] = right(Kind::Daily, seed);
        assert!(percent >= 90.0, "daily, seed {seed}: {percent}");
    }
}

#[test]
fn of_other_loads_no_fewer_hours_are_right_than_by_the_plain_rule() {
    for (kind, least) in [
        (Kind::Office, 99.0f64),
        (Kind::Backup, 99.0),
        (Kind::Sunday, 95.0),
    ] {
        for seed in 1..=4 {
            let [percent, plain] = right(kind, seed);
            assert!(
                percent >= least.max(plain - 1.0),
                "{kind:?}, seed {seed}: {percent}, plain {plain}"
            );
        }
    }
}

// ---- the policy at work ----

const DISK_IDLE_W: f64 = 5.0;
const DISK_ACTIVE_W: f64 = 10.0;
const DISK_STANDBY_W: f64 = 1.0;
const DISK_SPIN_UP_W: f64 = 24.0;
const SPIN_UP_SECONDS: u64 = 20;
const SHIFT_DOWN_SECONDS: u64 = 5;
/// What all members can do.
const REQUESTS: f64 = 280.0;
const SECONDS: u64 = 86_400;
/// The policy is judged after a week of which nothing but the history is kept.
const LEARNT: u64 = 7 * SECONDS;

#[derive(Debug, Default, Clone, Copy)]
struct Cost {
    joules: f64,
    /// Requests that came while the array shifted up because of its load.
    waited: f64,
    shifts_up: u32,
}

struct Simulated {
    policy: Policy,
    knobs: Knobs,
    gear: u32,
    target: u32,
    why: Reason,
    asked: u64,
    done: u64,
    cost: Cost,
}

impl Simulated {
    fn new() -> Self {
        let geo = Geometry::new(0x14, 5, 512 << 10, 4 << 40).unwrap();
        let knobs = Knobs {
            automatic: true,
            ..geo.default_knobs()
        };
        let mut policy = Policy::new(&geo, 1);
        policy.set(&knobs).unwrap();
        Simulated {
            policy,
            knobs,
            gear: 2,
            target: 2,
            why: Reason::Manual,
            asked: 0,
            done: 0,
            cost: Cost::default(),
        }
    }

    fn members(&self) -> u32 {
        GEARS[usize::try_from(self.gear - 1).unwrap()]
    }

    fn set(&mut self, limits: Limits) {
        let knobs = Knobs {
            min_gear: limits.min_gear,
            max_gear: limits.max_gear,
            ..self.knobs
        };
        self.policy.set(&knobs).unwrap();
    }

    /// A second with so many requests is over; returns how busy the members were.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn second(&mut self, requests: f64, now: u64) -> f64 {
        let load = (requests / REQUESTS).min(1.2);
        let low = load * f64::from(GEARS[1]) / f64::from(GEARS[0]);
        let busy = if self.gear == 2 { load } else { low };
        let took = if busy > 1.0 {
            400_000.0
        } else {
            12_000.0 / (1.0 - busy.min(0.97))
        };
        let mut interval = Interval {
            requests: requests as u32,
            sectors: requests as u32 * 16,
            waited: (requests * took) as u64,
            ..Interval::default()
        };
        interval.load[1] = (low * f64::from(LOAD_ONE)).min(60_000.0) as u16;
        interval.load[2] = (load * f64::from(LOAD_ONE)) as u16;
        self.account(requests, load, busy);
        if self.target != self.gear && now >= self.done {
            self.cost.shifts_up += u32::from(self.target > self.gear);
            self.policy
                .shifted(self.gear, self.target, self.why, self.asked, now);
            self.gear = self.target;
        }
        self.policy.see(&interval, self.gear, now);
        self.decide(now);
        busy * 100.0
    }

    fn account(&mut self, requests: f64, load: f64, busy: f64) {
        let awake = f64::from(self.members());
        let asleep = f64::from(GEARS[1]) - awake;
        let starting = self.target > self.gear;
        let others = if starting {
            DISK_SPIN_UP_W
        } else {
            DISK_STANDBY_W
        };
        self.cost.joules += awake * DISK_IDLE_W
            + asleep * others
            + load * f64::from(GEARS[1]) * (DISK_ACTIVE_W - DISK_IDLE_W);
        // Whatever it is shifted up for, requests wait if the low gear does not bear them.
        if starting && (matches!(self.why, Reason::Load | Reason::Wait) || busy > 0.95) {
            self.cost.waited += requests;
        }
    }

    fn decide(&mut self, now: u64) {
        let mut is = Situation::whole(now, self.gear);
        if self.target != self.gear {
            is = is.shifting(self.target, self.why);
        }
        is.rationed = true;
        (is.starts, is.share, is.day) = (40, 3000, 27);
        let decision = self.policy.decide(&is);
        if decision.gear != self.target {
            let takes = if decision.gear > self.gear {
                SPIN_UP_SECONDS
            } else {
                SHIFT_DOWN_SECONDS
            };
            (self.target, self.why) = (decision.gear, decision.reason);
            (self.asked, self.done) = (now, now + takes);
        }
    }
}

/// An hour as the module's history keeps it, of intervals of a second.
#[derive(Default)]
struct Seen {
    sum: f64,
    peak: f64,
}

/// Three weeks, of which the last two count. `array`: what follows its schedule; else it only reacts.
fn run(kind: Kind, seed: u64, array: Option<&Array>) -> (Cost, u32) {
    let own = Limits {
        min_gear: GEARS[0],
        max_gear: GEARS[1],
    };
    let mut minutes = Minutes::new(kind, seed);
    let mut noise = Chance(seed ^ 0x5eed);
    let mut is = Simulated::new();
    let (mut past, mut seen) = (Vec::new(), Seen::default());
    let (mut follower, mut foresight, mut days) = (Follower::default(), None, 0);
    let (mut load, mut busy) = (0.0, 0.0);
    for now in 1..=3 * LEARNT {
        let minute = i32::try_from((now - 1) / 60).unwrap();
        if (now - 1) % 60 == 0 {
            load = minutes.next(minute);
        }
        let mean = load * REQUESTS;
        let requests = (mean + mean.sqrt() * noise.normal()).max(0.0).floor();
        busy += is.second(requests, now);
        let percent = (requests / REQUESTS).min(1.2) * 100.0;
        seen.sum += percent;
        seen.peak = seen.peak.max(percent);
        if now % 3600 == 0 {
            let hour = MONDAY + i64::try_from(now / 3600).unwrap() - 1;
            past.push(PastHour {
                hour,
                mean: seen.sum / 3600.0,
                peak: seen.peak,
            });
            seen = Seen::default();
        }
        if now == LEARNT {
            is.cost = Cost::default();
        }
        let average = if now % EVERY_SECONDS == 0 {
            std::mem::take(&mut busy) / 10.0
        } else {
            0.0
        };
        let Some(array) = array.filter(|_| now >= LEARNT) else {
            continue;
        };
        let at = MONDAY * 3600 + i64::try_from(now).unwrap();
        if now % 3600 == 0 {
            let now = Timestamp::from_second(at).unwrap();
            let new = Foresight::new(array, &past, now, &TimeZone::UTC);
            foresight = new.is_good_enough().then_some(new);
            days += u32::from(foresight.is_some());
        }
        if now % EVERY_SECONDS != 0 {
            continue;
        }
        let limits = foresight.as_ref().map_or(own, |foresight: &Foresight| {
            follower.see(average, is.members(), &GEARS);
            let terms = Terms {
                gears: &GEARS,
                up_threshold: LIMIT,
                limits: own,
            };
            follower.limits(&foresight.plan(at), is.members(), terms)
        });
        is.set(limits);
    }
    (is.cost, days)
}

/// Reacting, and following; and the hours that were followed.
fn both(kind: Kind, seed: u64) -> (Cost, Cost, u32) {
    let sim = SimSystem::with([SimArray::new("md0", &GEARS)]);
    let array = Array::read(&sim, "md0").unwrap();
    let (follows, hours) = run(kind, seed, Some(&array));
    let (reacts, _) = run(kind, seed, None);
    eprintln!(
        "{kind:?} {seed}: reacts {:.0} kJ, {:.0} waited, {} up; follows {:.0} kJ ({:+.2} %), {:.0} waited ({:.0} %), {} up; {hours} h",
        reacts.joules / 1000.0,
        reacts.waited,
        reacts.shifts_up,
        follows.joules / 1000.0,
        (follows.joules / reacts.joules - 1.0) * 100.0,
        follows.waited,
        follows.waited * 100.0 / reacts.waited,
        follows.shifts_up,
    );
    (reacts, follows, hours)
}

/// Over all seeds: energy may differ by what disks need that start ahead of the load, and no more.
fn judge(kind: Kind, seeds: u64, waiting: f64) {
    let (mut reacting, mut following) = (Cost::default(), Cost::default());
    for seed in 1..=seeds {
        let (reacts, follows, hours) = both(kind, seed);
        assert!(
            hours >= 13 * 24,
            "{kind:?}, seed {seed}: followed for {hours} hours only"
        );
        for (sum, cost) in [(&mut reacting, reacts), (&mut following, follows)] {
            sum.joules += cost.joules;
            sum.waited += cost.waited;
        }
    }
    let energy = following.joules / reacting.joules;
    assert!(energy <= 1.001, "{kind:?}: {energy} of the energy");
    let waited = following.waited / reacting.waited;
    assert!(waited <= waiting, "{kind:?}: {waited} of the requests wait");
}

// An array that follows takes no more energy than one that reacts, and has at most a tenth of its requests wait. Each
// load is a test, so that they run beside each other: together they were the longest of all tests.

#[test]
fn an_array_that_follows_a_load_with_days_of_rest_takes_no_more_energy_and_a_tenth_waits() {
    judge(Kind::Web, 3, 0.10);
}

#[test]
fn an_array_that_follows_a_daily_load_takes_no_more_energy_and_a_tenth_waits() {
    judge(Kind::Daily, 2, 0.10);
}

#[test]
fn an_array_that_follows_office_hours_or_backups_takes_no_more_energy_and_nothing_waits() {
    judge(Kind::Office, 1, 0.0);
    judge(Kind::Backup, 1, 0.0);
}

/// The first Sunday is not foretold: it is known after two of them.
#[test]
fn a_job_a_week_is_foretold_from_the_third_week_on() {
    judge(Kind::Sunday, 1, 0.2);
}

#[test]
fn load_by_chance_is_not_followed() {
    let (reacts, follows, hours) = both(Kind::Random, 1);
    assert_eq!(hours, 0);
    assert_eq!(follows.joules, reacts.joules);
}
