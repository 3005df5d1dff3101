// SPDX-License-Identifier: GPL-2.0
//! `paradm shift`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimSystem};
use paradm::system::System;
use std::time::Duration;

fn one() -> SimSystem {
    SimSystem::with([SimArray::new("md0", &[3, 5, 8])])
}

#[test]
fn it_waits_until_the_gear_is_there() {
    let sim = one();
    let lines = [
        "shift 3",
        "shift up",
        "shift down",
        "shift top",
        "shift lowest",
        "shift 3",
        "shift down",
    ];
    golden(&expect_file!["../golden/shift.txt"], &session(&sim, &lines));
    assert_eq!(sim.world().array("md0").gear, 3);
}

#[test]
fn without_waiting_it_returns_at_once() {
    let sim = one();
    let value = json(&sim, "shift 5 --no-wait");
    assert_eq!(value["schema"], "paradm.shift/1");
    assert_eq!(value["outcome"], "asked");
    assert!(value["milliseconds"].is_null());
    assert_eq!(sim.monotonic(), Duration::ZERO);
    assert_eq!(sim.world().array("md0").gear, 8);
}

#[test]
fn what_comes_of_it_otherwise_is_said() {
    let mut text = String::new();
    let cases: [(&str, i32); 4] = [
        ("given up", -110),
        ("an error", -5),
        ("deferred", -122),
        ("late", 0),
    ];
    for (case, error) in cases {
        let sim = one();
        sim.world().array("md0").next_error = error;
        let line = if case == "late" {
            "shift 3 --timeout 5"
        } else {
            "shift 3"
        };
        text += &format!("# {case}\n{}\n", session(&sim, &[line]));
    }
    let sim = one();
    sim.after(Duration::from_secs(3), |world| {
        let now = world.elapsed();
        world.array("md0").shift(8, "gear bash[1]", now);
    });
    text += &format!("# abandoned\n{}\n", session(&sim, &["shift 3"]));
    golden(&expect_file!["../golden/shift-fails.txt"], &text);
}

#[test]
fn what_is_refused_is_explained() {
    let mut text = String::new();
    let sim = SimSystem::new();
    text += &session(&sim, &["shift 3"]);
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5]), SimArray::new("md1", &[3, 5])]);
    let lines = [
        "shift 3",
        "shift 4 md0",
        "shift first md0",
        "shift",
        "shift 3 md0 --timeout 0",
        "shift 3 md0 --no-wait --timeout 3",
    ];
    text += &session(&sim, &lines);
    sim.world().array("md0").members[4].in_sync = false;
    sim.world().array("md1").sync_action = "check".to_owned();
    text += &session(&sim, &["shift 3 md0", "shift 3 md1"]);
    sim.world().array("md1").array_state = "readonly".to_owned();
    text += &session(&sim, &["shift 3 md1"]);
    sim.world().root = false;
    text += &session(&sim, &["shift 3 md1"]);
    golden(&expect_file!["../golden/shift-refused.txt"], &text);
}

#[test]
fn an_array_that_is_stopped_ends_the_waiting() {
    let sim = one();
    sim.after(Duration::from_secs(3), |world| world.stop("md0"));
    let left = paradm(&sim, "shift 3");
    let said = "paradm: md0 was stopped before it reached gear 3\n";
    assert_eq!((left.code, left.err.as_str()), (7, said));
}
