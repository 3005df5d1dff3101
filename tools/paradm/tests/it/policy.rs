// SPDX-License-Identifier: GPL-2.0
//! `paradm policy`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimSystem};
use std::path::Path;

fn one() -> SimSystem {
    SimSystem::with([SimArray::new("md0", &[3, 5, 8])])
}

#[test]
fn settings_are_shown_and_set() {
    let lines = [
        "policy show",
        "policy set up_threshold=90 down_threshold=80 policy=auto",
        "policy set up_threshold=90",
        "policy set down_threshold=20 up_threshold=30",
        "policy set min_gear=8",
        "policy set max_gear=5 min_gear=5",
        "policy preset",
        "policy preset quiet",
        "policy preset fast md0",
        "policy show md0 --color always",
    ];
    golden(
        &expect_file!["../golden/policy.txt"],
        &session(&one(), &lines),
    );
}

#[test]
fn as_json() {
    let sim = one();
    let value = json(&sim, "policy preset balanced");
    assert_eq!(value["schema"], "paradm.policy-set/1");
    assert_eq!(value["changes"][0]["setting"], "policy");
    assert_eq!(value["changes"][0]["from"], "manual");
    let value = json(&sim, "policy show");
    assert_eq!(value["schema"], "paradm.policy/1");
    assert_eq!(value["arrays"][0]["preset"], "balanced");
    assert_eq!(value["arrays"][0]["settings"][3]["name"], "up_threshold");
    assert_eq!(value["arrays"][0]["settings"][3]["value"], 70);
    let value = json(&sim, "policy preset");
    assert_eq!(value["presets"][2]["name"], "fast");
    assert_eq!(value["presets"][2]["settings"]["hold"], 600);
}

#[test]
fn what_is_not_taken_is_said_and_nothing_is_written() {
    let sim = one();
    let mut text = session(
        &sim,
        &[
            "policy set",
            "policy set up_threshold",
            "policy set up_threshold=101",
            "policy set gear=3",
            "policy set hold=5 hold=6",
            "policy set min_gear=4",
            "policy set min_gear=8 max_gear=3",
            "policy set up_threshold=40",
            "policy set speed_min=4000000",
            "policy set hold=5 -a md1",
            "policy preset silent",
            "policy preset quiet md1",
        ],
    );
    assert!(sim.world().written.is_empty());
    sim.world().array("md0").array_state = "readonly".to_owned();
    text += &session(&sim, &["policy preset quiet"]);
    sim.world().root = false;
    text += &session(&sim, &["policy preset quiet"]);
    golden(&expect_file!["../golden/policy-refused.txt"], &text);
}

#[test]
fn what_is_so_already_is_not_written() {
    let sim = one();
    let line = "policy set hold=60 up_wait=251";
    assert_eq!(paradm(&sim, line).out, "md0: up_wait is 251, was 250\n");
    let path = Path::new("/sys/block/md0/md/par/up_wait").to_owned();
    assert_eq!(sim.world().written, [(path, "251".to_owned())]);
}

/// A size that no array has.
#[test]
fn the_largest_number_in_size_is_no_panic() {
    let sim = SimSystem::with([SimArray::new("md0", &[2, 3])]);
    sim.world()
        .spoil("/sys/block/md0/size", "36028797018963967\n");
    let left = paradm(&sim, "policy set hold=61");
    assert!([0, 6].contains(&left.code), "{left}");
}
