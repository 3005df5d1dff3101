// SPDX-License-Identifier: GPL-2.0
//! `paradm schedule`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::policy_ffi::{History, LOAD_ONE};
use paradm::schedule::sufficient;
use paradm::sim::{SimArray, SimSystem};
use paradm::system::System;
use std::f64::consts::TAU;
use std::time::Duration;

/// Loads of an office: nights are quiet, the afternoon is not; nothing is known of 22 to 24 h.
fn office() -> Vec<(u32, f64, f64, u32)> {
    let load = |hour| match hour {
        8..=11 => (12.5, 29.0),
        12..=17 => (30.5, 61.25),
        _ => (0.5, 3.0),
    };
    (0..22)
        .map(|hour| (hour, load(hour).0, load(hour).1, 7))
        .collect()
}

fn one() -> SimSystem {
    let mut array = SimArray::new("md0", &[3, 5, 8]);
    array.load_by_hour = office();
    SimSystem::with([array])
}

fn zoned(name: &str) -> SimSystem {
    let sim = one();
    sim.world().zone = jiff::tz::TimeZone::get(name).unwrap();
    sim
}

#[test]
fn hours_get_the_lowest_gear_that_suffices() {
    let sim = one();
    let later = SimArray::of_level("md1", 6, &[4, 6], 'p');
    sim.world().add(later);
    let mut text = session(&sim, &["schedule", "schedule md0 --json"]);
    text += &session(&SimSystem::new(), &["schedule", "schedule --json"]);
    golden(&expect_file!["../golden/schedule.txt"], &text);
    assert!(sim.world().written.is_empty());
    assert!(sim.world().ran.is_empty());
}

#[test]
fn hours_are_those_of_the_administrators_clock() {
    let at_noon = |sim: &SimSystem| {
        let value = json(sim, "schedule");
        let hours = value["arrays"][0]["hours"].as_array().unwrap().clone();
        let start = |hour: &serde_json::Value| hour["start"].as_i64().unwrap();
        let noon = hours.iter().find(|hour| start(hour) / 3600 % 24 == 12);
        let noon = noon.unwrap().clone();
        (noon["starts"].clone(), noon["gear"].clone())
    };
    assert_eq!(at_noon(&one()), ("12:00".into(), 8.into()));
    assert_eq!(at_noon(&zoned("Asia/Kolkata")), ("17:30".into(), 8.into()));
    assert_eq!(at_noon(&zoned("Asia/Tokyo")), ("21:00".into(), 8.into()));
}

#[test]
fn shifts_up_begin_a_lead_ahead_that_all_sleepers_start_in() {
    let sim = one();
    for setting in ["wake_timeout=90", "wake_stagger=2500"] {
        assert_eq!(paradm(&sim, &format!("policy set {setting}")).code, 0);
    }
    // It is 02:00 then.
    sim.sleep(Duration::from_secs(18 * 3600));
    let value = json(&sim, "schedule");
    let schedule = &value["arrays"][0];
    // Five sleepers: four times 2.5 s after the first one, and 90 s for the last.
    assert_eq!(schedule["lead_seconds"], 100);
    let hours = schedule["hours"].as_array().unwrap();
    let ups: Vec<_> = hours
        .iter()
        .filter(|hour| !hour["up_at"].is_null())
        .map(|hour| {
            (
                hour["starts"].as_str().unwrap(),
                hour["up_at"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(ups, [("08:00", "07:58:20"), ("12:00", "11:58:20")]);
}

#[test]
fn what_is_no_array_or_no_load_is_said() {
    let sim = one();
    let mut text = session(
        &sim,
        &["schedule md7", "schedule md0 md1", "schedule --hours"],
    );
    sim.world()
        .spoil("/sys/block/md0/md/par/load_by_hour", "24 1 2 3\n");
    text += &session(&sim, &["schedule"]);
    golden(&expect_file!["../golden/schedule-refused.txt"], &text);
}

/// Days as tests/policy/rhythm.c makes them, without weekends, which load_by_hour cannot tell from
/// other days: the mean of a minute goes as the cosine does; each has a factor that is itself a walk.
struct Rhythm {
    seed: u64,
    walk: f64,
}

impl Rhythm {
    const NIGHT: f64 = 3.0;
    const NOON: f64 = 60.0;

    /// splitmix64
    fn chance(&mut self) -> f64 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        f64::from(u32::try_from((z ^ (z >> 31)) >> 32).unwrap()) / 4_294_967_296.0
    }

    /// In percent.
    fn minute(&mut self, minute: i32) -> f64 {
        let radius = (-2.0 * (1.0 - self.chance()).ln()).sqrt();
        let normal = radius * (TAU * self.chance()).cos();
        self.walk = 0.95 * self.walk + (1.0f64 - 0.95 * 0.95).sqrt() * 0.25 * normal;
        let phase = f64::from(minute) / 1440.0 - 4.0 / 24.0;
        let above = (1.0 - (TAU * phase).cos()) / 2.0 * (Self::NOON - Self::NIGHT);
        (Self::NIGHT + above) * self.walk.exp()
    }
}

/// How many percent of the hours of three weeks after the first one had the gear that they needed.
fn right(seed: u64) -> f64 {
    let gears = [3, 5];
    let (mut history, mut right) = (History::new(), 0);
    let mut rhythm = Rhythm { seed, walk: 0.0 };
    for hour in 0..28 * 24i32 {
        let clock = u32::try_from(hour % 24).unwrap();
        let foretold = f64::from(history.hour(clock).peak) * 100.0 / f64::from(LOAD_ONE);
        let mut peak = 0.0f64;
        for minute in 0..60 {
            let load = rhythm.minute(hour % 24 * 60 + minute).min(100.0);
            peak = peak.max(load);
            let seconds = u64::try_from(hour * 3600 + (minute + 1) * 60).unwrap();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let of_one = (load / 100.0 * f64::from(LOAD_ONE)) as u32;
            history.see(of_one, 60_000_000_000, seconds);
        }
        let same = sufficient(foretold, &gears, 70) == sufficient(peak, &gears, 70);
        right += i32::from(hour >= 7 * 24 && same);
    }
    f64::from(right) * 100.0 / f64::from(21 * 24)
}

#[test]
fn gears_are_right_in_nine_of_ten_hours_of_days_that_resemble_each_other() {
    for seed in 1..=10 {
        let percent = right(seed);
        assert!(percent >= 90.0, "seed {seed}: {percent}");
    }
}
