// SPDX-License-Identifier: GPL-2.0
//! `paradm metrics`. tests/host/paradm-metrics.sh has the goldens parsed by Prometheus' own client.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimLog, SimSlots, SimSystem};
use paradm::system::System;
use std::path::Path;
use std::time::Duration;

fn two() -> SimSystem {
    let mut busy = SimArray::new("md0", &[3, 5]);
    busy.members[0].busy_percent = 12.5;
    busy.members[4].disk = None;
    busy.log = Some(SimLog {
        lost: 4096,
        ..SimLog::quarter()
    });
    let mut asleep = SimArray::of_level("md_a\"b\\c", 6, &[4, 5, 6], 'p').in_gear(4);
    asleep.slots = Some(SimSlots {
        by_gear: vec![(4, 4000, 3), (5, 100, 2)],
        ..SimSlots::tenth()
    });
    SimSystem::with([busy, asleep])
}

#[test]
fn every_disk_has_one_state() {
    let sim = two();
    sim.sleep(Duration::from_secs(100));
    let left = paradm(&sim, "metrics");
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    golden(&expect_file!["../golden/metrics.prom"], &left.out);
    assert!(sim.world().written.is_empty());
    let value = json(&sim, "metrics");
    assert_eq!(value["schema"], "paradm.metrics/1");
    let family = value["families"].as_array().unwrap().iter();
    let states = family.filter(|family| family["name"] == "raidpar_disk_state");
    let samples = states.flat_map(|family| family["samples"].as_array().unwrap());
    let now: Vec<_> = samples
        .filter(|sample| sample["value"] == 1)
        .map(|sample| sample["labels"]["state"].as_str().unwrap())
        .collect();
    // Of md0 one place is empty; of the other, in gear 4 of 6, two sleep.
    assert_eq!(now.len(), 4 + 6);
    assert_eq!(now.iter().filter(|state| **state == "asleep").count(), 2);
}

#[test]
fn a_textfile_is_replaced_whole_and_nothing_is_said() {
    let sim = two();
    let file = "/var/lib/node_exporter/raidpar.prom";
    let left = paradm(&sim, &format!("metrics --textfile {file}"));
    assert_eq!(
        (left.code, left.out.as_str(), left.err.as_str()),
        (0, "", "")
    );
    let text = sim.read(Path::new(file)).unwrap();
    assert_eq!(text, paradm(&sim, "metrics").out);
    // An array that cannot be read leaves the file as it was; one that is stopped is gone from it.
    sim.world().spoil("/sys/block/md0/md/par/gear", "three\n");
    assert_eq!(paradm(&sim, &format!("metrics --textfile {file}")).code, 5);
    assert_eq!(sim.read(Path::new(file)).unwrap(), text);
    sim.world().stop("md0");
    paradm(&sim, &format!("metrics --textfile {file}"));
    assert!(!sim.read(Path::new(file)).unwrap().contains("md0"));
}

/// Without a write log, and of a module that knows of none, nothing is told of logs.
#[test]
fn only_arrays_with_a_write_log_have_samples_of_it() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    for before_logs in [false, true] {
        sim.world().array("md0").before_logs = before_logs;
        let left = paradm(&sim, "metrics");
        assert_eq!((left.code, left.err.as_str()), (0, ""));
        assert!(!left.out.contains("_log") && !left.out.contains("drained"));
    }
}

/// With images of everything, and of a module that knows of no share, nothing is told of slots.
#[test]
fn only_arrays_with_slots_have_samples_of_them() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    for before_logs in [false, true] {
        sim.world().array("md0").before_logs = before_logs;
        let left = paradm(&sim, "metrics");
        assert_eq!((left.code, left.err.as_str()), (0, ""));
        assert!(!left.out.contains("_slot") && !left.out.contains("image_share"));
    }
    sim.world().array("md0").before_logs = false;
    sim.world().array("md0").slots = Some(SimSlots::tenth());
    assert!(paradm(&sim, "metrics").out.contains("raidpar_array_slots{"));
    let file = "/sys/block/md0/md/par/slots_by_gear";
    sim.world().spoil(file, "3 4000\n");
    let left = paradm(&sim, "metrics");
    assert_eq!((left.code, left.out.as_str()), (5, ""));
    assert!(left.err.contains(file), "{}", left.err);
}

#[test]
fn what_is_no_textfile_or_no_array_is_said() {
    let sim = two();
    sim.world().root = false;
    let mut text = session(
        &sim,
        &[
            "metrics --textfile raidpar.txt",
            "metrics --textfile .prom",
            "metrics --textfile",
            "metrics md0",
            "metrics --textfile /srv/raidpar.prom",
        ],
    );
    sim.world().spoil("/sys/block/md0/md/par/gear", "three\n");
    text += &session(&sim, &["metrics"]);
    text += &session(&SimSystem::new(), &["metrics", "metrics --json"]);
    golden(&expect_file!["../golden/metrics-refused.txt"], &text);
}
