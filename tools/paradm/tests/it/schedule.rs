// SPDX-License-Identifier: GPL-2.0
//! `paradm schedule`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::pin::Limits;
use paradm::schedule;
use paradm::sim::{SimArray, SimSystem};
use paradm::system::{Files, System};
use std::path::Path;
use std::time::Duration;

/// The week before the simulated system starts, of an office: nights and weekends are quiet, the afternoon
/// is not, the morning begins slowly; nothing is known of 22 to 24 h.
pub fn office() -> Vec<(i64, f64, f64)> {
    let now = SimSystem::new().now().as_second() / 3600;
    let load = |hour: i64| match ((hour / 24 + 3) % 7, hour % 24) {
        (5 | 6, _) => (0.5, 2.0),
        (_, 7) => (12.5, 27.0),
        (_, 8..=11) => (28.0, 29.0),
        (_, 12..=17) => (50.0, 61.25),
        _ => (0.5, 3.0),
    };
    (now - 168..now)
        .filter(|hour| hour % 24 < 22)
        .map(|hour| (hour, load(hour).0, load(hour).1))
        .collect()
}

fn one() -> SimSystem {
    let mut array = SimArray::new("md0", &[3, 5, 8]);
    array.load_history = office();
    let sim = SimSystem::with([array]);
    sim.world().tree.file("/sys/block/md0/md/uuid", "1-2-3-4\n");
    sim
}

/// One whose policy shifts by itself.
pub fn automatic() -> SimSystem {
    let sim = one();
    assert_eq!(paradm(&sim, "policy set policy=auto").code, 0);
    sim.world().written.clear();
    sim
}

pub fn limits(sim: &SimSystem) -> (String, String) {
    let limit = |file: &str| {
        sim.text(Path::new("/sys/block/md0/md/par").join(file).as_path())
            .unwrap()
            .trim()
            .to_owned()
    };
    (limit("min_gear"), limit("max_gear"))
}

pub fn pair(min_gear: u32, max_gear: u32) -> (String, String) {
    (min_gear.to_string(), max_gear.to_string())
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
    let mut text = session(&sim, &["schedule show", "schedule show md0 --json"]);
    text += &session(
        &SimSystem::new(),
        &["schedule show", "schedule show --json"],
    );
    golden(&expect_file!["../golden/schedule.txt"], &text);
    assert!(sim.world().written.is_empty());
    assert!(sim.world().ran.is_empty());
}

#[test]
fn hours_are_those_of_the_administrators_clock() {
    let at_noon = |sim: &SimSystem| {
        let value = json(sim, "schedule show");
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
    for setting in ["wake_timeout=90", "wake_stagger=2500", "interval=60000"] {
        assert_eq!(paradm(&sim, &format!("policy set {setting}")).code, 0);
    }
    // It is 02:00 then.
    sim.sleep(Duration::from_secs(18 * 3600));
    let value = json(&sim, "schedule show");
    let schedule = &value["arrays"][0];
    // The policy looks at its limits once a minute. Five sleepers: four times 2.5 s after the first one, and 90 s for
    // the last.
    assert_eq!(schedule["lead_seconds"], 160);
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
    // The morning begins slowly: its load tells when.
    assert_eq!(ups, [("12:00", "11:57:20")]);
}

#[test]
fn what_is_no_array_or_no_load_is_said() {
    let sim = one();
    let mut text = session(
        &sim,
        &[
            "schedule",
            "schedule show md7",
            "schedule show md0 md1",
            "schedule show --hours",
            "schedule apply",
            "schedule apply md7",
            "schedule off md7",
        ],
    );
    sim.world()
        .spoil("/sys/block/md0/md/par/load_history", "494125 1 x\n");
    text += &session(&sim, &["schedule show"]);
    sim.world()
        .tree
        .file("/var/lib/paradm/schedules.json", "[]");
    text += &session(&sim, &["schedule off"]);
    golden(&expect_file!["../golden/schedule-refused.txt"], &text);
}

#[test]
fn a_module_that_keeps_no_hours_has_no_schedule() {
    let sim = one();
    sim.world().array("md0").load_history.clear();
    let left = paradm(&sim, "schedule show");
    assert_eq!(
        (left.code, left.out.contains("no hour's load is known yet")),
        (0, true)
    );
}

#[test]
fn apply_and_off_say_what_they_do_and_change_no_limit_themselves() {
    let sim = automatic();
    let text = session(
        &sim,
        &[
            "schedule off",
            "schedule apply",
            "schedule apply",
            "schedule show md0",
            "schedule off --json",
            "schedule off",
        ],
    );
    golden(&expect_file!["../golden/schedule-apply.txt"], &text);
    assert!(sim.world().written.is_empty());
}

#[test]
fn off_gives_the_users_limits_back() {
    let sim = automatic();
    assert_eq!(paradm(&sim, "policy set min_gear=3 max_gear=5").code, 0);
    assert_eq!(paradm(&sim, "schedule apply").code, 0);
    let set = |min_gear, max_gear| {
        let limits = schedule::set(&sim, "md0", |_| Limits { min_gear, max_gear });
        assert_eq!(limits.unwrap(), Some(Limits { min_gear, max_gear }));
    };
    set(5, 5);
    assert_eq!(limits(&sim), pair(5, 5));
    set(3, 3);
    assert_eq!(limits(&sim), pair(3, 3));
    assert_eq!(paradm(&sim, "schedule off").code, 0);
    assert_eq!(limits(&sim), pair(3, 5));
    // Nobody follows it any more.
    let limits_of_none = schedule::set(&sim, "md0", |own| own).unwrap();
    assert_eq!(limits_of_none, None);
}

#[test]
fn limits_that_somebody_sets_meanwhile_are_the_users_from_then_on() {
    let sim = automatic();
    assert_eq!(paradm(&sim, "schedule apply").code, 0);
    let follow = |min_gear| {
        schedule::set(&sim, "md0", |own| Limits {
            min_gear: own.min_gear.max(min_gear),
            ..own
        })
        .unwrap()
    };
    assert_eq!(
        follow(5),
        Some(Limits {
            min_gear: 5,
            max_gear: 8
        })
    );
    assert_eq!(paradm(&sim, "policy set max_gear=5").code, 0);
    // min_gear is still the schedule's.
    assert_eq!(
        follow(3),
        Some(Limits {
            min_gear: 3,
            max_gear: 5
        })
    );
    assert_eq!(paradm(&sim, "policy set min_gear=5").code, 0);
    let left = paradm(&sim, "schedule off");
    assert!(left.out.contains("somebody has set meanwhile"), "{left}");
    assert_eq!(limits(&sim), pair(5, 5));
}

#[test]
fn the_users_limits_are_not_lost_in_a_crash_while_others_are_set() {
    let sim = automatic();
    assert_eq!(paradm(&sim, "schedule apply").code, 0);
    let raise = |min_gear| {
        schedule::set(&sim, "md0", |own| Limits {
            min_gear: own.min_gear.max(min_gear),
            ..own
        })
    };
    raise(5).unwrap();
    // The file is written, the limit is not.
    let file = "/sys/block/md0/md/par/min_gear";
    sim.world().refuse(file);
    raise(8).unwrap_err();
    sim.world().accept(file);
    assert_eq!(limits(&sim), pair(5, 8));
    raise(3).unwrap();
    assert_eq!(limits(&sim), pair(3, 8));
    // And before the user's own are given back.
    raise(5).unwrap();
    sim.world().refuse(file);
    raise(8).unwrap_err();
    sim.world().accept(file);
    assert_eq!(paradm(&sim, "schedule off").code, 0);
    assert_eq!(limits(&sim), pair(3, 8));
}

#[test]
fn what_is_set_is_written_once() {
    let sim = automatic();
    assert_eq!(paradm(&sim, "schedule apply").code, 0);
    for _ in 0..3 {
        schedule::set(&sim, "md0", |own| Limits { min_gear: 5, ..own }).unwrap();
    }
    assert_eq!(sim.world().written.len(), 1);
}

#[test]
fn a_pin_and_a_schedule_do_not_meet() {
    let sim = automatic();
    assert_eq!(paradm(&sim, "pin set 5").code, 0);
    let left = paradm(&sim, "schedule apply");
    assert_eq!(left.code, 6, "{left}");
    assert!(
        left.err
            .contains("it is pinned; `paradm pin end` ends the pin")
    );
    assert_eq!(paradm(&sim, "pin end").code, 0);
    assert_eq!(paradm(&sim, "schedule apply").code, 0);
    assert_eq!(paradm(&sim, "pin set 5").code, 0);
    assert_eq!(paradm(&sim, "schedule off").code, 6);
}

#[test]
fn an_array_is_known_by_its_uuid() {
    let sim = automatic();
    assert_eq!(paradm(&sim, "schedule apply").code, 0);
    sim.world().stop("md0");
    let mut again = SimArray::new("md9", &[3, 5, 8]);
    again.load_history = office();
    sim.world().add(again);
    sim.world().tree.file("/sys/block/md9/md/uuid", "1-2-3-4\n");
    let follows = json(&sim, "schedule show")["arrays"][0]["follows"].clone();
    assert_eq!(follows, true);
}
