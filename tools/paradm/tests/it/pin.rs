// SPDX-License-Identifier: GPL-2.0
//! `paradm pin`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::pin;
use paradm::sim::{SimArray, SimSystem};
use paradm::system::System;
use std::path::Path;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

fn one() -> SimSystem {
    SimSystem::with([SimArray::new("md0", &[3, 5, 8])])
}

fn automatic() -> SimSystem {
    let sim = one();
    assert_eq!(paradm(&sim, "policy set policy=auto").code, 0);
    sim
}

fn limits(sim: &SimSystem) -> String {
    let file = |name: &str| {
        let path = Path::new("/sys/block/md0/md/par").join(name);
        sim.read(&path).unwrap().trim().to_owned()
    };
    format!("{} {}", file("min_gear"), file("max_gear"))
}

#[test]
fn it_is_set_shown_and_ended() {
    let sim = automatic();
    let lines = [
        "pin show",
        "pin set top --until 18:00",
        "pin show",
        "pin set 3-5 md0 --for 90min",
        "pin end",
        "pin set lowest",
        "pin show md0",
        "pin end md0",
        "pin end --expired",
        "pin set 5-top --until '2026-11-28 07:00'",
    ];
    golden(&expect_file!["../golden/pin.txt"], &session(&sim, &lines));
}

/// The file may hold anything.
#[test]
fn a_name_from_the_file_works_no_terminal() {
    let sim = automatic();
    let pins = r#"{"pins":[{"array":"md9\u001b[31m\nmd0","uuid":"1-2-3-4","gear_min":3,"gear_max":5,"until":null,
        "before":{"min_gear":3,"max_gear":8}}]}"#;
    sim.world().tree.file("/var/lib/paradm/pins.json", pins);
    let left = paradm(&sim, "pin show");
    assert_eq!((left.code, left.out.lines().count()), (0, 1), "{left}");
    assert!(left.out.starts_with("md9?[31m?md0: pinned to gears 3 to 5"));
}

#[test]
fn the_limits_are_as_before_when_its_time_is_over() {
    let sim = automatic();
    paradm(&sim, "policy set min_gear=5");
    assert_eq!(paradm(&sim, "pin set top --for 2h").code, 0);
    assert_eq!(limits(&sim), "8 8");
    assert_eq!(paradm(&sim, "pin set lowest --for 3h").code, 0);
    assert_eq!(limits(&sim), "3 3");
    sim.sleep(HOUR * 3 - Duration::from_secs(1));
    assert_eq!(pin::end_expired(&sim, sim.now().as_second()).unwrap(), []);
    sim.sleep(Duration::from_secs(1));
    let ended = pin::end_expired(&sim, sim.now().as_second()).unwrap();
    assert_eq!(ended.len(), 1);
    assert_eq!(limits(&sim), "5 8");
    assert_eq!(pin::load(&sim).unwrap(), []);
    assert!(!sim.exists(Path::new("/var/lib/paradm/pins.json")));
}

#[test]
fn what_others_have_set_since_stays() {
    let sim = automatic();
    paradm(&sim, "pin set top --for 1h");
    paradm(&sim, "policy set min_gear=5");
    assert!(
        !json(&sim, "pin show")["pins"][0]["holds"]
            .as_bool()
            .unwrap()
    );
    sim.sleep(HOUR);
    let value = json(&sim, "pin end --expired");
    assert_eq!(value["ended"][0]["changed_since"], true);
    assert_eq!(limits(&sim), "5 8");
}

#[test]
fn an_array_that_is_shifted_by_hand_is_shifted() {
    let sim = one();
    let value = json(&sim, "pin set 3-5 --for 1h");
    assert_eq!(value["schema"], "paradm.pin-set/1");
    assert_eq!(
        (&value["gear_min"], &value["gear_max"]),
        (&3.into(), &5.into())
    );
    assert_eq!(value["holds"], true);
    sim.sleep(HOUR / 2);
    assert_eq!(sim.world().array("md0").gear, 5);
    assert_eq!(limits(&sim), "3 5");
}

#[test]
fn a_pin_that_cannot_hold_leaves_nothing() {
    let sim = one();
    sim.world().array("md0").sync_action = "check".to_owned();
    let left = paradm(&sim, "pin set 3 --for 1h");
    assert_eq!(left.code, 6, "{left}");
    assert_eq!(limits(&sim), "3 8");
    assert_eq!(pin::load(&sim).unwrap(), []);
}

#[test]
fn a_pin_waits_for_its_array() {
    let sim = automatic();
    let uuid = "/sys/block/md0/md/uuid";
    sim.world()
        .tree
        .file(uuid, "1b4e28ba-2fa1-11d2-883f-0016d3cca427\n");
    paradm(&sim, "pin set top --for 1h");
    let stopped = sim.world().arrays.remove(0);
    sim.world().stop("md0");
    sim.sleep(HOUR);
    let mut text = session(&sim, &["pin end --expired", "pin show", "pin end"]);
    // It comes back, and another one of its name meanwhile is not meant.
    sim.world()
        .add(SimArray::of_level("md0", 5, &[3, 5, 8], 'k'));
    sim.world()
        .tree
        .file(uuid, "00000000-2fa1-11d2-883f-0016d3cca427\n");
    text += &session(&sim, &["pin end --expired", "pin end md0"]);
    sim.world().stop("md0");
    sim.world().add(stopped);
    sim.world()
        .tree
        .file(uuid, "1b4e28ba-2fa1-11d2-883f-0016d3cca427\n");
    text += &session(&sim, &["pin end --expired", "pin set 3"]);
    sim.world().stop("md0");
    text += &session(&sim, &["pin end /dev/md0 --forget", "pin show"]);
    golden(&expect_file!["../golden/pin-waits.txt"], &text);
}

#[test]
fn one_that_cannot_be_ended_keeps_no_other() {
    let sim = SimSystem::with([
        SimArray::new("md0", &[3, 5]),
        SimArray::of_level("md1", 5, &[3, 5], 'k'),
    ]);
    paradm(&sim, "pin set 5 md0 --for 1h");
    paradm(&sim, "pin set 5 md1 --for 1h");
    sim.world().array("md0").array_state = "readonly".to_owned();
    sim.sleep(HOUR);
    let lines = ["pin end --expired", "pin end --expired", "pin show"];
    golden(
        &expect_file!["../golden/pin-readonly.txt"],
        &session(&sim, &lines),
    );
}

#[test]
fn what_is_refused_is_said() {
    let sim = one();
    let mut text = session(
        &sim,
        &[
            "pin set",
            "pin set 4",
            "pin set 8-3",
            "pin set some",
            "pin set 3 --until 25:00",
            "pin set 3 --until '2026-01-01 10:00'",
            "pin set 3 --for ever",
            "pin set 3 --for 1h --until 18:00",
            "pin set 3 md7",
            "pin end",
            "pin end md0",
            "pin end --forget",
            "pin end md0 --expired",
        ],
    );
    assert!(sim.world().written.is_empty());
    sim.world().array("md0").array_state = "readonly".to_owned();
    text += &session(&sim, &["pin set 3"]);
    sim.world().array("md0").array_state = "clean".to_owned();
    sim.world().tree.file("/var/lib/paradm/pins.json", "[]");
    text += &session(&sim, &["pin show"]);
    sim.world().root = false;
    text += &session(&sim, &["pin set 3"]);
    golden(&expect_file!["../golden/pin-refused.txt"], &text);
}
