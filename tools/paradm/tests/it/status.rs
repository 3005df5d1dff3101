// SPDX-License-Identifier: GPL-2.0
//! `paradm status`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimLog, SimSlots, SimSystem};
use paradm::system::System;
use std::path::Path;
use std::time::Duration;

fn two_arrays() -> SimSystem {
    let sim = SimSystem::with([
        SimArray::new("md0", &[3, 5]).in_gear(3),
        SimArray::of_level("md10", 6, &[4, 8], 'k'),
    ]);
    sim.world().tree.link("/dev/md/home", "/dev/md0");
    sim.sleep(Duration::from_secs(3600));
    let mut world = sim.world();
    let seconds = world.seconds();
    let now = world.elapsed();
    world
        .array("md0")
        .disturb(4, "process dd[913]", seconds - 60, now);
    world.array("md10").members[7].disk = None;
    drop(world);
    sim
}

#[test]
fn of_all_of_one_and_of_none() {
    let sim = two_arrays();
    let lines = [
        "status",
        "status md0",
        "status /dev/md/home",
        "status md5",
        "status --color always md0",
    ];
    golden(
        &expect_file!["../golden/status.txt"],
        &session(&sim, &lines),
    );
    let left = paradm(&SimSystem::new(), "status");
    assert_eq!(
        (left.code, left.out.as_str()),
        (0, "no par array runs here\n")
    );
}

#[test]
fn as_json() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5]).in_gear(3)]);
    let value = json(&sim, "status");
    let text = serde_json::to_string_pretty(&value).unwrap() + "\n";
    golden(&expect_file!["../golden/status.json"], &text);
}

#[test]
fn a_rebuild_is_told_as_it_goes_on() {
    let mut array = SimArray::new("md0", &[3, 5]);
    array.rebuild(4, Duration::ZERO);
    let sim = SimSystem::with([array]);
    assert!(
        paradm(&sim, "status")
            .out
            .contains("\n  rebuild: 0 %, 185 MB/s for each disk, 1 h 30 min left\n")
    );
    sim.sleep(Duration::from_secs(1800));
    let text = paradm(&sim, "status").out;
    assert!(
        text.contains("\n  rebuild: 8 %, 185 MB/s for each disk, 1 h 00 min left\n"),
        "{text}"
    );
    assert!(text.contains("  4  sde (rebuilding)  "), "{text}");
}

/// Most of the array was never written: what is left to read ends long before the last sector is reached.
#[test]
fn what_was_never_written_takes_no_time() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    paradm(&sim, "scrub start");
    sim.sleep(Duration::from_secs(2 * 3600));
    let text = paradm(&sim, "scrub show").out;
    assert!(
        text.starts_with("md0: check: 33 %, 185 MB/s for each disk, 0 s left\n"),
        "{text}"
    );
}

#[test]
fn a_shift_is_told_as_it_goes_on() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    sim.write(Path::new("/sys/block/md0/md/par/gear"), "3")
        .unwrap();
    sim.sleep(Duration::from_secs(10));
    let left = paradm(&sim, "status");
    assert!(
        left.out.contains("\n  shifting down to gear 3: 50 %\n"),
        "{}",
        left.out
    );
    sim.sleep(Duration::from_secs(10));
    let left = paradm(&sim, "status");
    assert!(
        left.out
            .starts_with("md0: raid5:3,5 of 8.00 TB, gear 3 of 5, clean\n"),
        "{}",
        left.out
    );
}

/// md0 has lost a block; md1 drains; md2 has no log, and md3 a module that knows of none.
#[test]
fn a_write_log_is_told() {
    let arrays = [('a', "md0"), ('f', "md1"), ('k', "md2"), ('p', "md3")];
    let sim = SimSystem::with(arrays.map(|(first, name)| {
        let mut array = SimArray::of_level(name, 5, &[2, 3], first).in_gear(2);
        array.before_logs = name == "md3";
        array
    }));
    let lost = SimLog {
        lost: 4096,
        read_errors: 2,
        ..SimLog::quarter()
    };
    let draining = SimLog {
        state: "draining".to_owned(),
        ..SimLog::quarter()
    };
    sim.world().array("md0").log = Some(lost);
    sim.world().array("md1").log = Some(draining);
    let lines = [
        "status",
        "status md1",
        "explain",
        "status md0 --color always",
    ];
    let mut text = session(&sim, &lines);
    let log = SimLog {
        state: "stuck".to_owned(),
        read_errors: 1,
        ..SimLog::quarter()
    };
    let drained = sim.world().array("md1").log.replace(log);
    text += "\n";
    text += &session(&sim, &["status md1", "explain md1"]);
    sim.world().array("md1").log = drained;
    golden(&expect_file!["../golden/status-log.txt"], &text);
    let logs = json(&sim, "status")["arrays"].clone();
    assert_eq!(
        logs[0]["log"],
        serde_json::json!({
            "bytes": 12_884_901_888_u64, "area_bytes": 12_884_901_888_u64, "state": "records",
            "used_bytes": 3_221_225_472_u64, "live_bytes": 1_073_741_824, "memory_bytes": 50_331_648, "logged_bytes": 5_368_709_120_u64,
            "drained_bytes": 4_294_967_296_u64, "replayed": 17, "read_errors": 2,
            "lost_bytes": 4096
        })
    );
    assert_eq!(logs[1]["log"]["state"], "draining");
    for state in ["empty", "stuck"] {
        sim.world()
            .spoil("/sys/block/md1/md/par/log_state", &format!("{state}\n"));
        assert_eq!(json(&sim, "status md1")["arrays"][0]["log"]["state"], state);
    }
    assert!(logs[2]["log"].is_null() && logs[3]["log"].is_null());
    sim.world()
        .spoil("/sys/block/md1/md/par/log_state", "none\n");
    let left = paradm(&sim, "status md1");
    assert_eq!(
        (left.code, left.err.as_str()),
        (
            5,
            "paradm: /sys/block/md1/md/par/log_state: \"none\" is not empty, records, draining or stuck\n"
        )
    );
}

/// md0 has images of a tenth, md1 of everything, and md2 a module that knows of no share.
#[test]
fn images_of_a_share_are_told() {
    let sim = SimSystem::with(
        [('a', "md0"), ('f', "md1"), ('k', "md2")].map(|(first, name)| {
            let mut array = SimArray::of_level(name, 5, &[2, 3], first).in_gear(2);
            array.before_logs = name == "md2";
            array.slots = (name == "md0").then(SimSlots::tenth);
            array.load_by_hour = vec![(9, 31.07, 88.2, 7, 1.57)];
            array
        }),
    );
    golden(
        &expect_file!["../golden/status-slots.txt"],
        &session(&sim, &["status"]),
    );
    let arrays = json(&sim, "status")["arrays"].clone();
    assert_eq!(
        arrays[0]["slots"],
        serde_json::json!({
            "share_percent": 10, "total": 1_387_157, "free": 21_674, "hot": 8150, "uses": 4711, "hits": 4200, "misses": 3, "by_gear": [{ "gear": 3, "hits": 4000, "misses": 3 }],
            "fill_bytes": 68_719_476_736_u64, "fill_seconds": 600
        })
    );
    assert!(arrays[1]["slots"].is_null() && arrays[2]["slots"].is_null());
    let hours = [0, 1].map(|array| arrays[array]["load_by_hour"][0].clone());
    assert_eq!(
        hours[0],
        serde_json::json!({ "hour": 9, "mean": 31.07, "peak": 88.2, "days": 7, "misses": 1.57 })
    );
    assert_eq!(
        (&hours[1]["days"], &hours[1]["misses"]),
        (&7.into(), &serde_json::Value::Null)
    );
    sim.world()
        .spoil("/sys/block/md0/md/par/image_share", "all\n");
    let left = paradm(&sim, "status md0");
    assert_eq!(left.code, 5, "{}", left.err);
    assert!(
        left.err.contains("par/image_share: \"all\" is not"),
        "{}",
        left.err
    );
}

#[test]
fn what_a_file_should_not_hold_is_quoted() {
    let sim = SimSystem::new();
    let array = SimArray::new("md0", &[3, 5]);
    sim.world().add(array);
    sim.world().array("md0").explain = Some("two\nlines".to_owned());
    let left = paradm(&sim, "status");
    assert_eq!(
        (left.code, left.err.as_str()),
        (
            5,
            "paradm: /sys/block/md0/md/par/explain: \"two\\nlines\" is not one line\n"
        )
    );
}

#[test]
fn it_writes_nothing_and_runs_nothing() {
    let sim = two_arrays();
    sim.world().root = false;
    session(&sim, &["status", "status --json", "explain"]);
    assert!(sim.world().written.is_empty() && sim.world().ran.is_empty());
}
