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
        "plan --disks 4x4T,5x8T --data 15T",
        "plan --offer 4T=95,12T=199.90 --data 20T --budget 1300 --most-disks 9",
    ];
    golden(&expect_file!["../golden/plan.txt"], &session(&sim, &lines));
    let world = sim.world();
    assert!(world.ran.is_empty() && world.written.is_empty());
}

/// A request each minute for an hour in two hours.
fn busy_hours() -> String {
    let minutes = (0..240u64).filter(|minute| minute / 60 % 2 == 0);
    let line = |minute| {
        let (at, sector) = (minute * 60_000_000_000, minute * 7_919_333 % 8_000_000_000);
        format!("{at} r {sector} 65536\n")
    };
    minutes.map(line).collect()
}

#[test]
fn a_load_is_told_beside_its_rivals() {
    let sim = SimSystem::new();
    sim.world().tree.file("/hours", &busy_hours());
    let lines = [
        "plan --disks 5x4T --gears 3,5 --trace /hours",
        "plan --offer 2T=60,4T=95 --data 7T --most-disks 5 --trace /hours",
    ];
    golden(
        &expect_file!["../golden/plan-load.txt"],
        &session(&sim, &lines),
    );
}

/// It costs capacity, also where gears are looked for, and is simulated.
#[test]
fn a_write_log_costs_its_size_on_each_disk() {
    let sim = SimSystem::new();
    sim.world().tree.file("/hours", &busy_hours());
    let line = "plan --disks 5x4T --gears 3,5 --image-share 100 --trace /hours";
    let logged = format!("{line} --log-size 100G");
    let bare = format!("{line} --log-size none");
    let (with, without) = (json(&sim, &logged), json(&sim, &bare));
    let bytes = |plan: &Value| plan["bytes"].as_u64().unwrap();
    assert_eq!(with["log_bytes"], 100_u64 << 30);
    assert!(without["log_bytes"].is_null());
    assert_eq!(json(&sim, line)["log_bytes"], 3725_u64 << 20);
    let less = bytes(&without) - bytes(&with);
    assert!(less.abs_diff(200 << 30) < 16 << 20, "{less}");
    assert!(said(&with).contains("raid5 of 3 disks has no less capacity"));
    let text = paradm(&sim, &logged).out;
    let head = "par raid5:3,5 of 5 disks: 7.79 TB, 39 % of their size, with 107 GB of each disk for a write log\n";
    assert!(text.starts_with(head), "{text}");
    // Of three disks 7.9 TB fit without a log, and not with it.
    let lowest = |line: &str| json(&sim, line)["plans"][0]["gears"][0].clone();
    let find = "plan --disks 8x4T --data 7900G --image-share 100";
    assert_eq!(lowest(find), 3);
    assert_eq!(lowest(&format!("{find} --log-size 100G")), 4);
    let refused = paradm(&sim, "plan --disks 5x4T --log-size 4095");
    assert_eq!(refused.code, 2, "{}", refused.err);
}

/// The chunks of Documentation/slots.md, of 512 KiB.
#[test]
fn a_share_of_images_has_the_capacity_of_the_modules_geometry() {
    let sim = SimSystem::new();
    let cases = [
        ("5x16T --gears 3,5", [61_034_996, 97_655_816, 110_972_500]),
        ("8x16T --gears 3,8", [61_034_932, 131_459_720, 170_897_580]),
    ];
    for (disks, chunks) in cases {
        for (share, chunks) in [100, 25, 10].into_iter().zip(chunks) {
            let line = format!("plan --disks {disks} --log-size none --image-share {share}");
            let plan = json(&sim, &line);
            assert_eq!(plan["bytes"], chunks * (512_u64 << 10), "{line}");
            assert_eq!(plan["image_share"], share, "{line}");
        }
        let without_log = json(&sim, &format!("plan --disks {disks} --log-size none"));
        assert_eq!(without_log["bytes"], chunks[0] * (512_u64 << 10), "{disks}");
        assert_eq!(without_log["image_share"], 100, "{disks}");
        let usual = json(&sim, &format!("plan --disks {disks}"));
        assert_eq!(usual["image_share"], 10, "{disks}");
        let lines = said(&usual);
        assert!(
            lines.contains("10 % of the data can have images"),
            "{lines}"
        );
    }
    // As mdadm does it.
    let small = json(&sim, "plan --disks 5x60G --gears 3,5");
    assert_eq!(small["image_share"], 100);
    assert!(small["log_bytes"].is_null() && !said(&small).contains("images"));
}

#[test]
fn a_share_of_images_is_told_with_what_it_costs() {
    let sim = SimSystem::new();
    sim.world().tree.file("/hours", &busy_hours());
    let lines = [
        "plan --disks 5x16T --gears 3,5 --image-share 10",
        "plan --disks 8x16T --gears 3,8 --image-share 25 --log-size 8G",
        "plan --disks 8x16T --data 60T --image-share 10,100,25",
        "plan --offer 4T=95,16T=260 --data 30T --most-disks 6 --image-share 25,100 --trace /hours",
    ];
    golden(
        &expect_file!["../golden/plan-share.txt"],
        &session(&sim, &lines),
    );
}

/// The fewest disks of plain RAID that hold as much, the slow way.
#[test]
fn plain_raid_that_is_compared_holds_no_less() {
    let sim = SimSystem::new();
    for (level, parities) in [("raid5", 1), ("raid6", 2), ("raid0", 0)] {
        for gears in ["4,8", "5,8", "4,6,8", "6,8"] {
            for share in [1, 10, 40, 99, 100] {
                let line = format!(
                    "plan --disks 8x16T --level {level} --gears {gears} --image-share {share}"
                );
                let plan = json(&sim, &line);
                let bytes = plan["bytes"].as_u64().unwrap();
                let fewest = bytes.div_ceil(16_000_000_000_000) + parities;
                assert_eq!(plan["few"]["disks"], fewest, "{line}");
                let few = plan["few"]["bytes"].as_u64().unwrap();
                assert!(few >= bytes, "{line}");
                let none = said(&plan).contains("raid5 of fewer than 8 disks has less capacity");
                assert_eq!(none, level == "raid5" && fewest == 8, "{line}");
            }
        }
    }
}

/// Small writes, two a second, all over the array: without a log each goes to two members in the low gear.
#[test]
fn the_write_log_takes_part_in_the_simulation() {
    let sim = SimSystem::new();
    let lines = (0..7200_u64).map(|n| {
        let (at, sector) = (n * 500_000_000, n * 7_919_333_336 % 8_000_000_000 / 8 * 8);
        format!("{at} w {sector} 4096\n")
    });
    sim.world().tree.file("/writes", &lines.collect::<String>());
    let line = "plan --disks 5x4T --gears 3,5 --image-share 100 --trace /writes";
    let p99 = |more: &str| {
        outcome(&json(&sim, &format!("{line}{more}")), "par")["p99_ms"]
            .as_f64()
            .unwrap()
    };
    let (with, without) = (p99(""), p99(" --log-size none"));
    assert!(with < without / 2.0, "{with} {without}");
}

/// The capacity that is printed is that of the array which is simulated: reads of all of it wake disks, where nothing has
/// an image.
#[test]
fn a_share_of_images_is_simulated() {
    let sim = SimSystem::new();
    sim.world().tree.file("/hours", &busy_hours());
    let line = "plan --disks 8x4T --gears 3,8 --trace /hours";
    let (all, part) = (
        json(&sim, &format!("{line} --image-share 100")),
        json(&sim, &format!("{line} --image-share 25")),
    );
    assert_eq!(all["load"]["misses"], 0);
    assert!(part["load"]["misses"].as_u64().unwrap() > 0, "{part}");
    assert!(wh(&part, "par") > wh(&all, "par"));
    let disks = |plan: &Value| plan["few"]["disks"].as_f64().unwrap();
    assert_eq!((disks(&all), disks(&part)), (3.0, 6.0));
    let each = |plan: &Value| wh(plan, "few") / disks(plan);
    assert!((each(&all) - each(&part)).abs() < 1.0);
    let text = paradm(&sim, line).out;
    assert!(
        text.contains("that woke disks for data without an image"),
        "{text}"
    );
}

/// By hand: 8766 h a year at 0.50 a kWh.
#[test]
fn energy_has_a_price_and_gears_are_paid_back_or_not() {
    let sim = SimSystem::new();
    let line = "plan --disks 5x4T --gears 3,5 --image-share 100 --log-size none --kwh-price 0.50";
    let beside = |plan: &Value, rival: &str| {
        let all = plan["paybacks"].as_array().unwrap();
        let is = all.iter().find(|is| is["rival"] == rival).unwrap();
        ["saved_per_year", "extra_price", "years"].map(|name| is[name].as_f64())
    };
    let near = |got: Option<f64>, wanted: f64| {
        assert!((got.unwrap() - wanted).abs() < 0.05, "{got:?} {wanted}")
    };
    let plan = json(&sim, &format!("{line} --disk-price 100"));
    // 17 W beside 25, 5, 15 and 3; 8 TB of 16, and two disks more than three.
    let [saved, extra, years] = beside(&plan, "raid");
    near(saved, 8.0 * 8.766 * 0.5);
    near(extra, 250.0);
    near(years, 250.0 / (8.0 * 8.766 * 0.5));
    let [saved, extra, years] = beside(&plan, "few");
    near(saved, -2.0 * 8.766 * 0.5);
    near(extra, 200.0);
    assert_eq!(years, None);
    near(beside(&plan, "raid_rest")[0], -12.0 * 8.766 * 0.5);
    near(beside(&plan, "few_rest")[0], -14.0 * 8.766 * 0.5);
    let text = paradm(&sim, &format!("{line} --disk-price 100")).out;
    for words in [
        "149 kWh, 74.51",
        "beside raid5 of 5, awake, par saves 35.06 of energy a year if nothing is ever asked of either, and lacks capacity for 250",
        ": paid back in 7.1 years",
        "beside raid5 of 3, awake, par saves no energy, but costs 8.77 more a year if nothing is ever asked of either, and its disks cost 200.00 more: that is never paid back",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(beside(&json(&sim, line), "raid")[1..], [None, None]);
    assert_eq!(
        json(&sim, "plan --disks 5x4T")["paybacks"],
        serde_json::json!([])
    );
    // On a load it is what the simulation says.
    sim.world().tree.file("/hours", &busy_hours());
    let plan = json(&sim, &format!("{line} --disk-price 100 --trace /hours"));
    let [saved, ..] = beside(&plan, "raid");
    near(
        saved,
        (wh(&plan, "raid") - wh(&plan, "par")) / 24.0 * 8.766 * 0.5,
    );
}

/// What is found with several shares is what each of them finds, without what a larger share has found as well.
#[test]
fn a_smaller_share_is_found_where_it_has_lower_gears() {
    let sim = SimSystem::new();
    let find = |share: &str| {
        let line = format!("plan --disks 4x8T,5x16T --data 30T --image-share {share}");
        let found = json(&sim, &line);
        let of = |plan: &Value| {
            let layout = format!("{} {}", plan["disks"], plan["gears"]);
            (layout, plan["image_share"].as_u64().unwrap())
        };
        let plans = found["plans"].as_array().unwrap().iter().map(of);
        plans.collect::<Vec<_>>()
    };
    let mut wanted = find("100");
    for share in ["25", "10"] {
        for (layout, share) in find(share) {
            if wanted.iter().all(|(known, _)| *known != layout) {
                wanted.push((layout, share));
            }
        }
    }
    for share in [10, 25, 100] {
        assert!(wanted.iter().any(|(_, is)| *is == share), "{share}");
    }
    let mut got = find("10,25,100,25");
    got.sort();
    wanted.sort();
    assert_eq!(got, wanted);
}

#[test]
fn disks_have_the_watts_of_their_data_sheet() {
    let line = "plan --image-share 100 --disks 5x4T --gears 3,5 --active-watts 8 --idle-watts 4 --standby-watts 0.5";
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
    let plan = json(
        &sim,
        "plan --image-share 100 --disks 8x4T --gears 3,8 --trace /t.csv",
    );
    let load = &plan["load"];
    let what = load["what"].as_str().unwrap();
    assert!(
        what.contains("sorted by time") && what.contains("scaled to the array"),
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
        said(&plan).contains("raid5 of 8, asleep after 20 min uses less energy than par"),
        "{plan}"
    );
    assert!(said(&plan).contains("raid5 of 3, awake uses less energy than par"));
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
        said(&plan).contains("par uses no less energy than raid5 of 5"),
        "{plan}"
    );
}

#[test]
fn a_load_is_simulated_by_its_kind() {
    let sim = SimSystem::new();
    let plan = json(
        &sim,
        "plan --image-share 100 --disks 5x4T --gears 3,5 --load media --days 2",
    );
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
        json(
            &sim,
            "plan --image-share 100 --disks 5x4T --gears 3,5 --load media --days 2"
        )
    );
}

#[test]
fn good_gears_are_found() {
    let sim = SimSystem::new();
    let found = json(&sim, "plan --image-share 100 --disks 8x4T --data 7T");
    let plans = found["plans"].as_array().unwrap();
    assert!(plans.len() > 3);
    for plan in plans {
        assert!(plan["bytes"].as_u64().unwrap() >= 7_000_000_000_000);
        assert_eq!(plan["gears"][0], 3);
    }
}

/// All arrays that can be made of the offers, the slow way: those that are found are these.
#[test]
fn what_is_found_is_all_that_is_within_the_limits() {
    let sim = SimSystem::new();
    let offers = [(2u64, 60.0), (4, 95.0), (16, 260.0)];
    for (data, budget, watts) in [(7, 600.0, 30.0), (20, 900.0, 45.0), (3, 250.0, 17.0)] {
        let line = format!(
            "plan --image-share 100 --offer 2T=60,4T=95,16T=260 --data {data}T --budget {budget} --most-watts {watts} --most-disks 9"
        );
        let found = json(&sim, &line);
        let mut got: Vec<(u64, u64, u64)> = Vec::new();
        let mut before = 0.0;
        for plan in found["plans"].as_array().unwrap() {
            let count = plan["disks"].as_array().unwrap().len() as u64;
            let gears = plan["gears"].as_array().unwrap();
            let low = gears[0].as_u64().unwrap();
            let idle = plan["by_gear"][0]["idle_watts"].as_f64().unwrap();
            assert!(plan["price"].as_f64().unwrap() <= budget && idle <= watts && idle >= before);
            before = idle;
            if gears.len() == 2 {
                got.push((
                    plan["disks"][0].as_u64().unwrap() / 1_000_000_000_000,
                    low,
                    count,
                ));
            }
        }
        let mut wanted = Vec::new();
        for (size, price) in offers {
            for count in 3..=9u64 {
                // A little of each disk is metadata.
                let low = (2..count).find(|low| (low - 1) * size > data);
                let Some(low) = low else { continue };
                let idle = (low * 5 + (count - low)) as f64;
                if count as f64 * price <= budget && idle <= watts {
                    wanted.push((size, low, count));
                }
            }
        }
        got.sort_unstable();
        assert_eq!(got, wanted, "{line}");
    }
}

#[test]
fn smaller_disks_are_left_out_if_the_data_needs_it() {
    let sim = SimSystem::new();
    let found = json(&sim, "plan --disks 4x4T,5x8T --data 15T");
    let best = &found["plans"][0];
    assert_eq!(
        best["disks"],
        serde_json::json!(vec![8_000_000_000_000u64; 4])
    );
    assert_eq!(best["warnings"], serde_json::json!([]));
}

#[test]
fn a_limit_on_latency_leaves_slow_arrays_out() {
    let sim = SimSystem::new();
    sim.world().tree.file("/hours", &busy_hours());
    let line = "plan --disks 6x4T --data 7T --image-share 100 --trace /hours";
    let latencies = |found: &Value| -> Vec<f64> {
        let plans = found["plans"].as_array().unwrap().iter();
        plans
            .map(|plan| outcome(plan, "par")["p99_ms"].as_f64().unwrap())
            .collect()
    };
    let mut all = latencies(&json(&sim, line));
    all.sort_by(f64::total_cmp);
    assert!(all.first() < all.last(), "{all:?}");
    let most = all[0];
    let left = latencies(&json(&sim, &format!("{line} --most-ms {most}")));
    assert!(!left.is_empty() && left.iter().all(|ms| *ms <= most));
    assert!(left.len() < all.len());
    let none = paradm(&sim, &format!("{line} --most-ms 0.1"));
    assert_eq!((none.code, none.out.as_str()), (3, ""));
    assert!(none.err.contains(" ms at best: allow more"), "{}", none.err);
}

/// The time to seek follows from where the data lies, and that from the size of the disks.
#[test]
fn a_load_is_simulated_on_disks_of_their_size_with_their_chunk() {
    let sim = SimSystem::new();
    sim.world().tree.file("/hours", &busy_hours());
    let ms = |options: &str| {
        let plan = json(&sim, &format!("plan {options} --gears 3,5 --trace /hours"));
        outcome(&plan, "top")["p50_ms"].as_f64().unwrap()
    };
    let usual = ms("--disks 5x4T");
    assert!((usual - ms("--disks 5x500G")).abs() > 0.001);
    assert!(ms("--disks 5x4T --chunk 64") != usual);
    let left = paradm(&sim, "plan --disks 5x300T --trace /hours");
    assert_eq!((left.code, left.out.as_str()), (2, ""));
    assert!(left.err.contains("256 TiB"), "{}", left.err);
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
    // Two SSDs, which are first already: they draw 2 W, or what they are said to, at all times.
    for bus in ["ata1", "ata2"] {
        let name = if bus == "ata1" { "sda" } else { "sdb" };
        let file = format!("/sys/devices/pci0000:00/{bus}/block/{name}/queue/rotational");
        sim.world().tree.file(file, "0\n");
    }
    sim.world()
        .tree
        .file("/t", "0 r 0 4096\n86400000000000 r 0 4096\n");
    let line = "plan /dev/sda /dev/sdb /dev/sdc --gears 2,3 --trace /t";
    let plan = json(&sim, line);
    let warned = plan["warnings"].to_string();
    assert!(
        warned.contains("2 of the devices are not hard disks: each is counted with 2.0 W"),
        "{warned}"
    );
    assert!(!warned.contains("put it first"), "{warned}");
    assert_eq!(plan["by_gear"][0]["idle_watts"], 5.0);
    assert_eq!(plan["raid"]["active_watts"], 14.0);
    assert_eq!(plan["raid"]["asleep_watts"], 5.0);
    assert!((wh(&plan, "raid") - 9.0 * 24.0).abs() < 1.0, "{plan}");
    let plan = json(&sim, &format!("{line} --ssd-watts 0"));
    assert!((wh(&plan, "raid") - 5.0 * 24.0).abs() < 1.0, "{plan}");
    let warned = json(&sim, "plan /dev/sdc /dev/sda /dev/sdb --gears 2,3")["warnings"].to_string();
    assert!(
        warned.contains("sdb is not a hard disk: stopping it saves next to nothing; put it first"),
        "{warned}"
    );
    assert!(sim.world().ran.is_empty());
}

#[test]
fn bad_options_are_told() {
    let sim = SimSystem::new();
    sim.world().tree.file("/bad", "1,h,0,Read,zero,512,1\n");
    let d = "plan --disks 5x4T";
    let cases = [
        ("plan".to_owned(), 2, "is missing"),
        ("plan /dev/none".to_owned(), 3, "no block device /dev/none"),
        ("plan /dev/sda --disks 5x4T".to_owned(), 2, "cannot be used"),
        ("plan --disks 5".to_owned(), 2, "8x4T"),
        (
            "plan --disks 2x4T".to_owned(),
            2,
            "raid5 need 3 disks at least, and 2",
        ),
        (
            "plan --disks 4x4T --level raid6".to_owned(),
            2,
            "raid6 need 5 disks",
        ),
        (format!("{d} --gears 5,3"), 2, "growing"),
        (format!("{d} --gears 3,6"), 2, "5 are given"),
        (format!("{d} --gears 3,5 --level raid6"), 2, "raid6"),
        (format!("{d} --level raid1"), 2, "raid1"),
        (format!("{d} --chunk 100"), 2, "power of two"),
        (format!("{d} --chunk 1"), 2, "64"),
        (format!("{d} --image-share 0"), 2, "from 1 to 100"),
        (format!("{d} --image-share 101"), 2, "from 1 to 100"),
        (format!("{d} --image-share x"), 2, "--image-share"),
        (format!("{d} --image-share 25,"), 2, "--image-share"),
        (format!("{d} --image-share 25%"), 2, "--image-share"),
        (
            format!("{d} --image-share 100,25"),
            2,
            "compared with --data only",
        ),
        (
            format!("{d} --data 40T --image-share 10"),
            3,
            "holds 40.0 TB, the largest 1",
        ),
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
            "no load holiday; there are nas, mail",
        ),
        (format!("{d} --load nas --days 0"), 2, "from 1 to 28"),
        (format!("{d} --load nas --days x"), 2, "--days"),
        (
            format!("{d} --data 40T --image-share 100"),
            3,
            "holds 40.0 TB, the largest 12.0 TB: take more",
        ),
        (
            format!("{d} --data 7T --image-share 100 --most-watts 3"),
            3,
            "draws 16.0 W at least",
        ),
        (format!("{d} --data 4T --most-ms 5"), 2, "--load"),
        (format!("{d} --load nas --most-ms 5"), 2, "--data"),
        (
            format!("{d} --load nas --data 4T --most-ms 0"),
            2,
            "above 0",
        ),
        (format!("{d} --budget 5"), 2, "--offer"),
        (format!("{d} --most-disks 5"), 2, "--offer"),
        (format!("{d} --offer 4T=95 --data 4T"), 2, "cannot be used"),
        ("plan --offer 4T=95".to_owned(), 2, "--data"),
        ("plan --offer 4T --data 4T".to_owned(), 2, "4T=95"),
        (
            "plan --offer 4T=95 --data 4T --budget 0".to_owned(),
            2,
            "above 0",
        ),
        (
            "plan --offer 4T=95 --data 4T --image-share 100 --budget 200".to_owned(),
            3,
            "costs 380.00 at least",
        ),
        (
            "plan --offer 4T=95 --data 4T --most-disks 2".to_owned(),
            2,
            "from 3 to 28",
        ),
        (
            "plan --offer 4T=95 --data 4T --most-disks 29".to_owned(),
            2,
            "from 3 to 28",
        ),
        (
            "plan sda /dev/sdb /dev/sdc".to_owned(),
            2,
            "given as /dev/sda",
        ),
        (format!("{d} --days 2"), 2, "--load"),
        (format!("{d} --load nas --trace /bad"), 2, "cannot be used"),
        (format!("{d} --trace /none"), 5, "cannot read /none"),
        (
            format!("{d} --trace /bad"),
            5,
            "cannot read /bad: it is no trace of a format that raid-tracer reads",
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

/// The default of --data hides no plain RAID that suffices.
#[test]
fn plain_raid_that_holds_as_much_data_is_told_first() {
    let left = paradm(&SimSystem::new(), "plan --disks 6x16T --data 40T");
    let said = "raid5 of 4 disks holds as much as well, and draws 20.0 W when idle (175 kWh a year): it is the better choice if it is fast enough at all times\n";
    assert!(left.code == 0 && left.out.starts_with(said), "{left}");
}

#[test]
fn one_parity_for_many_large_disks_is_warned_of() {
    let warned = |disks: &str| {
        let left = paradm(&SimSystem::new(), &format!("plan --disks {disks}"));
        left.out
            .contains("warning: with one parity a rebuild reads ")
    };
    assert!(warned("12x18T") && !warned("5x16T") && !warned("12x18T --level raid6"));
}
