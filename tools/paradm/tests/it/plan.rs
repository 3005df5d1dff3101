// SPDX-License-Identifier: GPL-2.0
//! `paradm plan`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::sim::SimSystem;
use serde_json::Value;

fn outcome<'a>(plan: &'a Value, rival: &str) -> &'a Value {
    let outcomes = plan["load"]["outcomes"].as_array().unwrap();
    outcomes.iter().find(|is| is["rival"] == rival).unwrap()
}

fn wh(plan: &Value, rival: &str) -> f64 {
    outcome(plan, rival)["wh_per_day"].as_f64().unwrap()
}

fn said(plan: &Value) -> String {
    let verdicts = plan["verdicts"].as_array().unwrap().iter();
    verdicts
        .map(|words| words.as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn capacity_watts_and_rivals_are_told() {
    let sim = SimSystem::new();
    let lines = [
        "plan --disks 8x4T --gears 3,8",
        "plan --disks 5x4T,3x8T --level raid6",
        "plan --disks 8x4T --data 7T --most-watts 25",
    ];
    golden(&expect_file!["../golden/plan.txt"], &session(&sim, &lines));
    let world = sim.world();
    assert!(world.ran.is_empty() && world.written.is_empty());
}

#[test]
fn disks_have_the_watts_of_their_data_sheet() {
    let line = "plan --disks 5x4T --gears 3,5 --active-watts 8 --idle-watts 4 --standby-watts 0.5";
    let plan = json(&SimSystem::new(), line);
    assert_eq!(plan["by_gear"][0]["idle_watts"], 13.0);
    assert_eq!(plan["by_gear"][1]["active_watts"], 40.0);
    assert_eq!(plan["few"]["idle_watts"], 12.0);
    assert_eq!(plan["raid"]["asleep_watts"], 2.5);
}

/// Two requests a day, an hour apart: nothing but idle hours count, and these can be reckoned by hand.
#[test]
fn energy_of_a_quiet_trace_is_that_of_its_gears() {
    let sim = SimSystem::new();
    sim.world().tree.file(
        "/t.csv",
        "864000000000,h,0,Read,0,4096,9\n0,h,0,Read,8192,4096,9\n",
    );
    let plan = json(&sim, "plan --disks 8x4T --gears 3,8 --trace /t.csv");
    let load = &plan["load"];
    let what = load["what"].as_str().unwrap();
    assert!(
        what.contains("in order of time") && what.contains("scaled onto the array"),
        "{what}"
    );
    assert_eq!(
        (load["requests"].as_u64(), load["seconds"].as_u64()),
        (Some(2), Some(86401))
    );
    assert!((wh(&plan, "raid") - 8.0 * 5.0 * 24.0).abs() < 2.0);
    assert!((wh(&plan, "few") - 3.0 * 5.0 * 24.0).abs() < 2.0);
    assert!((wh(&plan, "raid_rest") - 8.0 * 24.0).abs() < 25.0);
    let low = (3.0 * 5.0 + 5.0) * 24.0;
    assert!((low..low * 1.1).contains(&wh(&plan, "par")), "{plan}");
    assert!(load["low_percent"].as_f64().unwrap() > 90.0);
    // Plain RAID that sleeps wins here, and that is said.
    assert!(
        said(&plan).contains("raid5 of 8, asleep after 20 min takes less energy than par"),
        "{plan}"
    );
    assert!(said(&plan).contains("raid5 of 3, awake takes less energy than par"));
}

#[test]
fn watts_of_the_data_sheet_count_in_a_load_too() {
    let sim = SimSystem::new();
    sim.world()
        .tree
        .file("/t", "0 r 0 4096\n86400000000000 r 0 4096\n");
    let line = "plan --disks 4x4T --gears 2,4 --trace /t --active-watts 20";
    let [one, two] =
        [3.0, 6.0].map(|idle| wh(&json(&sim, &format!("{line} --idle-watts {idle}")), "raid"));
    assert!((two / one - 2.0).abs() < 0.01, "{one} {two}");
}

#[test]
fn where_par_saves_nothing_it_is_said() {
    let sim = SimSystem::new();
    // More than two disks can do, from the first second on.
    let busy: String = (0..240_000u64)
        .map(|n| {
            format!(
                "{} r {} 4096\n",
                n * 2_500_000,
                (n * 7_919_333) % 30_000_000_000
            )
        })
        .collect();
    sim.world().tree.file("/busy", &busy);
    let plan = json(&sim, "plan --disks 5x4T --gears 2,5 --trace /busy");
    assert!(wh(&plan, "par") >= wh(&plan, "raid") * 0.999, "{plan}");
    assert!(
        said(&plan).contains("par saves nothing against the raid5 of 5"),
        "{plan}"
    );
}

#[test]
fn a_load_is_simulated_by_its_kind() {
    let sim = SimSystem::new();
    let plan = json(&sim, "plan --disks 5x4T --gears 3,5 --load media --days 2");
    assert_eq!(plan["load"]["seconds"], 2 * 86_400);
    assert!(
        plan["load"]["what"]
            .as_str()
            .unwrap()
            .starts_with("load media, 2 days")
    );
    assert!(plan["load"]["requests"].as_u64().unwrap() > 10_000);
    assert!(wh(&plan, "par") < wh(&plan, "raid"));
    assert!(wh(&plan, "few") < wh(&plan, "par"));
    assert_eq!(
        plan,
        json(&sim, "plan --disks 5x4T --gears 3,5 --load media --days 2")
    );
}

#[test]
fn good_gears_are_found() {
    let sim = SimSystem::new();
    let found = json(&sim, "plan --disks 8x4T --data 7T");
    let plans = found["plans"].as_array().unwrap();
    assert!(plans.len() > 3);
    for plan in plans {
        assert!(plan["bytes"].as_u64().unwrap() >= 7_000_000_000_000);
        assert_eq!(plan["gears"][0], 3);
    }
    let left = paradm(&sim, "plan --disks 8x4T --data 40T");
    assert_eq!(left.code, 3);
    assert!(
        left.err.contains("holds 40.0 TB: take more"),
        "{}",
        left.err
    );
    let left = paradm(&sim, "plan --disks 8x4T --data 7T --most-watts 3");
    assert!(left.err.contains("within 3 W"), "{}", left.err);
}

#[test]
fn devices_are_looked_at_in_sysfs() {
    let sim = SimSystem::new();
    for (name, bus) in [("sda", "ata1"), ("sdb", "ata2"), ("sdc", "usb1/1-1")] {
        let dir = format!("/sys/devices/pci0000:00/{bus}/block/{name}");
        let tree = &mut sim.world().tree;
        tree.file(format!("{dir}/size"), "7814037168\n");
        tree.file(format!("{dir}/queue/rotational"), "1\n");
        tree.link(format!("/sys/class/block/{name}"), dir);
        tree.file(format!("/dev/{name}"), "");
    }
    let plan = json(&sim, "plan /dev/sda /dev/sdb /dev/sdc --gears 2,3");
    assert_eq!(plan["disks"][0], 7_814_037_168u64 * 512);
    assert_eq!(plan["warnings"].as_array().unwrap().len(), 1);
    assert!(
        plan["warnings"][0]
            .as_str()
            .unwrap()
            .contains("sdc is behind a USB")
    );
    assert!(sim.world().ran.is_empty());
}

#[test]
fn bad_options_are_told() {
    let sim = SimSystem::new();
    sim.world().tree.file("/bad", "1,h,0,Read,zero,512,1\n");
    let d = "plan --disks 5x4T";
    let cases = [
        ("plan".to_owned(), 2, "required"),
        ("plan /dev/none".to_owned(), 3, "no block device /dev/none"),
        ("plan /dev/sda --disks 5x4T".to_owned(), 2, "cannot be used"),
        ("plan --disks 5".to_owned(), 2, "8x4T"),
        ("plan --disks 1x4T".to_owned(), 2, "gears"),
        (format!("{d} --gears 5,3"), 2, "growing"),
        (format!("{d} --gears 3,6"), 2, "5 are given"),
        (format!("{d} --gears 3,5 --level raid6"), 2, "raid6"),
        (format!("{d} --level raid1"), 2, "raid1"),
        (format!("{d} --chunk 100"), 2, "power of two"),
        (format!("{d} --chunk 1"), 2, "64"),
        (format!("{d} --data 4"), 2, "as 500G"),
        (format!("{d} --data 4T --gears 3,5"), 2, "cannot be used"),
        (format!("{d} --most-watts 5"), 2, "--data"),
        (
            format!("{d} --data 4T --most-watts x"),
            2,
            "from 0 to 10000",
        ),
        (
            format!("{d} --load holiday"),
            2,
            "no load holiday, but nas, mail",
        ),
        (format!("{d} --load nas --days 0"), 2, "1..=28"),
        (format!("{d} --days 2"), 2, "--load"),
        (format!("{d} --load nas --trace /bad"), 2, "cannot be used"),
        (format!("{d} --trace /none"), 5, "cannot read /none"),
        (
            format!("{d} --trace /bad"),
            6,
            "/bad: line 1 is not TIMESTAMP",
        ),
        (format!("{d} --active-watts -1"), 2, "-1"),
        (format!("{d} --idle-watts NaN"), 2, "from 0 to 10000"),
        (
            format!("{d} --standby-watts 6"),
            2,
            "no less than stopped (6 W)",
        ),
        (format!("{d} --start-watts inf"), 2, "from 0 to 10000"),
    ];
    for (line, code, words) in cases {
        let left = paradm(&sim, &line);
        assert_eq!(
            (left.code, left.out.as_str()),
            (code, ""),
            "{line}: {}",
            left.err
        );
        assert!(left.err.contains(words), "{line}: {}", left.err);
    }
}
