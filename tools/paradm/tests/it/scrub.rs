// SPDX-License-Identifier: GPL-2.0
//! `paradm scrub`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimSystem};
use paradm::system::System;
use std::path::Path;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

fn md(sim: &SimSystem, file: &str) -> String {
    let path = Path::new("/sys/block/md0/md").join(file);
    sim.read(&path).unwrap().trim().to_owned()
}

fn low() -> SimSystem {
    SimSystem::with([SimArray::new("md0", &[3, 5]).in_gear(3)])
}

fn top() -> SimSystem {
    SimSystem::with([SimArray::new("md0", &[3, 5])])
}

#[test]
fn it_is_started_paused_and_limited() {
    let sim = low();
    let mut text = session(&sim, &["scrub show", "scrub start", "scrub start md0"]);
    sim.sleep(HOUR);
    let lines = [
        "scrub limit 20M",
        "scrub show",
        "scrub pause",
        "scrub show",
        "scrub pause",
    ];
    text += &session(&sim, &lines);
    assert_eq!(md(&sim, "sync_min"), (7_800_000_000u64 / 6).to_string());
    let lines = [
        "scrub start --wake",
        "scrub pause",
        "scrub start --from-start --repair",
        "scrub limit none",
    ];
    text += &session(&sim, &lines);
    assert_eq!(md(&sim, "sync_min"), "0");
    sim.sleep(HOUR * 6);
    text += &session(&sim, &["scrub show --color always"]);
    golden(&expect_file!["../golden/scrub.txt"], &text);
}

#[test]
fn a_limit_below_the_least_speed_lowers_that_too() {
    let sim = top();
    assert_eq!(json(&sim, "scrub limit 512")["limit"], 512);
    assert_eq!(md(&sim, "sync_speed_min"), "512 (local)");
    assert_eq!(md(&sim, "sync_speed_max"), "512 (local)");
    paradm(&sim, "scrub limit none");
    assert_eq!(md(&sim, "sync_speed_min"), "1000 (system)");
}

#[test]
fn that_disks_are_woken_is_said_or_refused() {
    let sim = low();
    sim.sleep(HOUR * 24 * 35);
    let lines = ["scrub show", "scrub start --no-wake"];
    let mut text = session(&sim, &lines);
    assert_eq!(md(&sim, "sync_action"), "idle");
    paradm(&sim, "policy set scrub_age=0");
    text += &session(&sim, &["scrub start --no-wake"]);
    paradm(&sim, "scrub pause");
    paradm(&sim, "policy set scrub_wakes=1");
    text += &session(&sim, &["scrub start --no-wake", "scrub start"]);
    golden(&expect_file!["../golden/scrub-wakes.txt"], &text);
}

/// The array would shift down but for the check.
fn held_up(sim: &SimSystem, after: Duration) {
    sim.after(after, |world| {
        world.array("md0").tell(&[
            ("PAR_EVENT", "decision".to_owned()),
            ("PAR_DECISION", "stay".to_owned()),
            ("PAR_REASON", "sync".to_owned()),
        ]);
    });
}

fn shift(sim: &SimSystem, after: Duration, gear: u32) {
    sim.after(after, move |world| {
        let now = world.elapsed();
        // As the module does: not down during a check.
        if gear > 3 || world.array("md0").sync_action == "idle" {
            world.array("md0").shift(gear, "policy", now);
        }
    });
}

#[test]
fn it_runs_in_hours_when_all_disks_are_awake() {
    let sim = low();
    shift(&sim, HOUR, 5);
    held_up(&sim, HOUR * 4);
    shift(&sim, HOUR * 4 + Duration::from_secs(1), 3);
    shift(&sim, HOUR * 10, 5);
    let left = paradm(&sim, "scrub start --when-awake");
    assert_eq!(
        (left.code, left.out.as_str()),
        (0, "md0: the check is done\n")
    );
    let hours = sim.monotonic().as_secs_f64() / 3600.0;
    assert!((13.0..13.1).contains(&hours), "{hours}");
    let written: Vec<_> = sim
        .world()
        .written
        .iter()
        .map(|(_, text)| text.clone())
        .collect();
    assert_eq!(written, ["check", "idle", "check"]);
    // It has been awake from 1 to 4 and from 10 on.
    let asleep = sim.world().array("md0").members[4].spin_ups;
    assert_eq!(asleep, 5);
}

#[test]
fn an_array_that_stays_up_after_all_is_checked_on() {
    let sim = top();
    held_up(&sim, HOUR);
    let left = paradm(&sim, "scrub start --when-awake");
    assert_eq!(left.code, 0, "{left}");
    let hours = sim.monotonic().as_secs_f64() / 3600.0;
    assert!((6.1..6.3).contains(&hours), "{hours}");
}

#[test]
fn it_is_paused_when_its_time_is_over() {
    let sim = top();
    let value = json(&sim, "scrub start --when-awake --until 09:00");
    assert_eq!(value["schema"], "paradm.scrub-run/1");
    assert_eq!(value["outcome"], "paused");
    assert_eq!(sim.monotonic(), HOUR);
    assert_eq!(md(&sim, "sync_action"), "idle");
    assert_ne!(md(&sim, "sync_min"), "0");
    let value = json(&sim, "scrub show");
    assert_eq!(value["arrays"][0]["action"], "idle");
    assert!(value["arrays"][0]["resumes_at"].as_u64().unwrap() > 1_000_000_000);
    // And goes on from there.
    assert_eq!(json(&sim, "scrub start --when-awake")["outcome"], "done");
    assert_eq!(sim.monotonic().as_secs() / 600, 36);
}

#[test]
fn one_that_others_end_is_not_begun_again() {
    let sim = top();
    sim.after(HOUR, |world| {
        let path = "/sys/block/md0/md/sync_action";
        let _ = world.write(Path::new(path), "idle");
    });
    let left = paradm(&sim, "scrub start --when-awake");
    assert_eq!(left.code, 7, "{left}");
    assert_eq!(
        left.err,
        "paradm: another program has ended the check of md0; the next one continues from there\n"
    );
}

#[test]
fn what_is_refused_is_said() {
    let sim = top();
    let mut text = session(
        &sim,
        &[
            "scrub limit",
            "scrub limit 0",
            "scrub limit fast",
            "scrub start md3",
            "scrub start --wake --no-wake",
            "scrub start --until 18:00",
            "scrub start --when-awake --until 7",
        ],
    );
    for (state, action, level) in [
        ("clean", "recover", 5),
        ("readonly", "idle", 5),
        ("clean", "idle", 0),
    ] {
        let sim = SimSystem::with([SimArray::of_level("md0", level, &[3, 5], 'a')]);
        sim.world().array("md0").array_state = state.to_owned();
        sim.world().array("md0").sync_action = action.to_owned();
        text += &session(
            &sim,
            &["scrub start", "scrub pause", "scrub start --when-awake"],
        );
    }
    sim.world().array("md0").members[1].disk = None;
    text += &session(&sim, &["scrub start"]);
    sim.world().root = false;
    text += &session(&sim, &["scrub limit 5"]);
    golden(&expect_file!["../golden/scrub-refused.txt"], &text);
}
