// SPDX-License-Identifier: GPL-2.0
//! evaluate on files that stand for devices, with a fake plug; and with commands that make an array.

use crate::harness::{World, end, interrupt, says, start};
use crate::meters::{pulled_plug, shelly};
use rusqlite::Connection;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A device of 1 MiB, and 100 reads of 4 KiB, 5 ms apart.
fn world() -> World {
    let world = World::new();
    let dev = File::create(world.path("dev")).unwrap();
    dev.set_len(1 << 20).unwrap();
    let rows = (0..100).map(|n| format!("{} r {} 4096\n", n * 5_000_000, n * 8 % 2048));
    world.write("trace", rows.collect::<String>());
    world
}

fn plan(world: &World, more: &str, arrays: &str) {
    world.write(
        "plan.toml",
        format!("traces = ['trace']\n{more}\n[[arrays]]\n{arrays}\n"),
    );
}

/// Rows of a query, with | between the values.
fn select(world: &World, query: &str) -> Vec<String> {
    let db = Connection::open(world.path("plan.sqlite")).unwrap();
    let mut select = db.prepare(query).unwrap();
    let count = select.column_count();
    let rows = select.query_map([], |row| {
        let values = (0..count).map(|at| {
            let value: rusqlite::types::Value = row.get(at)?;
            Ok(match value {
                rusqlite::types::Value::Integer(is) => is.to_string(),
                rusqlite::types::Value::Real(is) => is.to_string(),
                rusqlite::types::Value::Text(is) => is,
                other => format!("{other:?}"),
            })
        });
        Ok(values.collect::<rusqlite::Result<Vec<_>>>()?.join("|"))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn each_load_and_speed_has_a_row_with_what_was_used() {
    let world = world();
    let array = format!(
        "name = 'loop'\ndevice = 'dev'\nmeters = ['shelly:{}']",
        shelly()
    );
    plan(
        &world,
        "loads = [10, 100]\nspeeds = ['1', '4']\nperiod = 0.5",
        &array,
    );
    let left = world.run("evaluate plan.toml");
    assert_eq!(left.code, 0, "{}", left.err);
    says(&left.err, "4 of 4: trace at 100 %, speed 4, on loop: ");
    assert_eq!(left.out.lines().count(), 5);
    let keys = "SELECT array, trace, load_percent, speed, requests, request_bytes, read_percent, errors FROM tests";
    assert_eq!(
        select(&world, keys),
        [
            "loop|trace|10|1|9|4096|100|0",
            "loop|trace|10|4|9|4096|100|0",
            "loop|trace|100|1|100|4096|100|0",
            "loop|trace|100|4|100|4096|100|0"
        ]
    );
    // The paper's quotients, and the watts of the samples.
    let wrong = "SELECT id FROM tests WHERE abs(iops / watts - iops_per_watt) > 1e-9 OR volts <> 230.5
        OR abs(mbps * 1000 / watts - mbps_per_kilowatt) > 1e-9 OR abs(amperes - 0.1) > 1e-9
        OR abs(requests / seconds - iops) > 1e-6 OR abs(iops * 4096 / 1e6 - mbps) > 1e-9 OR response_ms <= 0
        OR joules <> (SELECT max(joules) FROM samples WHERE test = tests.id)
        OR 2 > (SELECT count(*) FROM samples WHERE test = tests.id)";
    assert!(
        select(&world, wrong).is_empty(),
        "{:?}",
        select(&world, "SELECT * FROM tests")
    );
    // Nothing is left to do, and then what has changed.
    let left = world.run("evaluate plan.toml");
    assert_eq!(left.code, 0);
    says(&left.err, "4 tests were there already");
    let told = world.run("evaluate plan.toml --tell");
    assert_eq!((told.code, &told.out), (0, &left.out));
    let ids = select(&world, "SELECT id FROM tests");
    world.write("trace", "0 r 0 512\n".repeat(1000));
    assert_eq!(world.run("evaluate plan.toml").code, 0);
    assert_eq!(
        select(&world, "SELECT DISTINCT request_bytes FROM tests"),
        ["512"]
    );
    assert!(
        select(&world, "SELECT id FROM tests")
            .iter()
            .all(|id| !ids.contains(id))
    );
    assert!(
        select(
            &world,
            "SELECT test FROM samples WHERE test NOT IN (SELECT id FROM tests)"
        )
        .is_empty()
    );
}

/// What was measured until then is kept, and said to be a part.
#[test]
fn a_test_whose_meter_stops_has_a_row_that_says_so() {
    let world = world();
    let address = pulled_plug(4);
    let array = format!("name = 'loop'\ndevice = 'dev'\nmeters = ['shelly:{address}']");
    plan(&world, "period = 0.05", &array);
    let left = world.run("evaluate plan.toml");
    assert_eq!(left.code, 1, "{}", left.err);
    says(&left.err, "it does not answer");
    says(
        &left.err,
        "readings of meters or counters failed or make no sense",
    );
    says(&left.err, "1 of 1 tests failed in part, or wholly");
    let query =
        "SELECT round(watts, 6), requests, faults > 0, (SELECT count(*) FROM samples) FROM tests";
    assert_eq!(select(&world, query), ["10|100|1|4"]);
    // With a plug that does not answer at all there is no test.
    world.write("trace", "0 r 0 512\n");
    let left = world.run("evaluate plan.toml");
    assert_eq!(left.code, 5, "{}", left.err);
    says(&left.err, "it does not answer");
    assert_eq!(select(&world, "SELECT requests FROM tests"), ["100"]);
}

/// Killed in the middle of any test, it goes on with that one, and ends with the same rows.
#[test]
fn a_killed_evaluation_goes_on() {
    let world = world();
    plan(
        &world,
        "loads = [20, 40, 60, 80, 100]",
        "name = 'loop'\ndevice = 'dev'",
    );
    let mut stored = 0;
    for round in 0..40 {
        let mut child = start(&world, "evaluate plan.toml");
        sleep(Duration::from_millis(150 + 40 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = if world.path("plan.sqlite").exists() {
            let told = world.run("evaluate plan.toml --tell");
            assert!(told.code == 0 || stored == 0, "{}", told.err);
            told.out.lines().count().saturating_sub(1)
        } else {
            0
        };
        assert!(now >= stored);
        stored = now;
        if stored >= 3 {
            break;
        }
    }
    assert!((1..5).contains(&stored), "{stored}");
    let before = select(&world, "SELECT id, began FROM tests");
    let left = world.run("evaluate plan.toml");
    assert_eq!(left.code, 0, "{}", left.err);
    says(&left.err, &format!("{stored} tests were there already"));
    let after = select(&world, "SELECT id, began FROM tests");
    assert_eq!((&after[..stored], after.len()), (&before[..], 5));
    assert_eq!(
        select(
            &world,
            "SELECT load_percent, requests FROM tests ORDER BY load_percent"
        )
        .len(),
        5
    );
}

#[test]
fn ctrl_c_leaves_whole_tests() {
    let world = world();
    plan(
        &world,
        "speeds = ['100', '0.01']",
        "name = 'loop'\ndevice = 'dev'",
    );
    let child = start(&world, "evaluate plan.toml");
    let began = Instant::now();
    while world.run("evaluate plan.toml --tell").out.lines().count() < 2 {
        assert!(began.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(20));
    }
    // Another one does not get in between.
    says(
        &world.run("evaluate plan.toml").err,
        "another raid-tracer evaluate writes to plan.sqlite",
    );
    interrupt(&child);
    let left = end(child);
    assert_eq!(left.code, 7, "{}", left.err);
    says(
        &left.err,
        "interrupted: 1 tests are left, which the same command runs",
    );
    assert_eq!(select(&world, "SELECT speed FROM tests"), ["100"]);
}

fn script(world: &World, name: &str, text: &str) {
    let path = world.write(name, format!("#!/bin/bash\nset -e\n{text}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_command_makes_an_array() {
    let world = world();
    let tracer = env!("CARGO_BIN_EXE_raid-tracer");
    let made = format!(
        "test $1 = raid5\ntruncate -s 2M $2/dev\n{tracer} evaluate $2/test.toml --device $2/dev --meter hwmon:$2/hw"
    );
    script(
        &world,
        "make",
        &format!(
            "mkdir -p $2/hw/chip; echo chip >$2/hw/chip/name; echo 5000000 >$2/hw/chip/power1_input\n{made}"
        ),
    );
    plan(
        &world,
        "loads = [50, 100]\njobs = 2",
        "name = 'made'\ncommand = ['./make', 'raid5']",
    );
    let left = world.run("evaluate plan.toml");
    assert_eq!(left.code, 0, "{}", left.err);
    assert_eq!(
        select(
            &world,
            "SELECT trace, array, load_percent, requests, round(watts, 6) FROM tests ORDER BY load_percent"
        ),
        ["trace|made|50|49|5", "trace|made|100|100|5"]
    );
    assert!(!select(&world, "SELECT * FROM samples").is_empty());
}

/// What is computed has the columns of a replay but those that it says nothing of.
#[test]
fn a_command_computes_a_row() {
    let world = world();
    let row = "printf 'joules = 30\\np99_ms = 7.5\\n[counters]\\nshifts = [1, 4]\\n' >$1/row.toml";
    script(&world, "computes", row);
    script(&world, "wrong", "echo 'joule = 30' >$1/row.toml");
    plan(
        &world,
        "loads = [50]\nspeeds = ['0.1']\nseconds = 15",
        "name = 'rule'\ncommand = ['./computes']\n[[arrays]]\nname = 'wrong'\ncommand = ['./wrong']",
    );
    let left = world.run("evaluate plan.toml");
    assert_eq!(left.code, 1, "{}", left.err);
    says(&left.err, "./wrong has left a row.toml that is wrong");
    assert_eq!(
        select(
            &world,
            "SELECT array, requests, request_bytes, read_percent, seconds, watts, p99_ms, response_ms, mbps_per_kilowatt > 0
            FROM tests"
        ),
        ["rule|49|4096|100|15|2|7.5|Null|1"]
    );
    assert_eq!(
        select(&world, "SELECT name, first, last FROM counters"),
        ["shifts|1|4"]
    );
}

#[test]
fn a_test_lasts_as_long_as_the_plan_says_and_counters_are_read() {
    let world = world();
    world.write("starts", "7\n");
    world.write("gone", "1\n");
    let array = "name = 'loop'\ndevice = 'dev'\ncounters = ['starts', 'gone']";
    plan(&world, "seconds = 2.5", array);
    let child = start(&world, "evaluate plan.toml");
    sleep(Duration::from_secs(1));
    world.write("starts", "9\n");
    fs::remove_file(world.path("gone")).unwrap();
    let left = end(child);
    assert_eq!(left.code, 1, "{}", left.err);
    says(&left.err, "there is no file gone");
    let query = "SELECT name, first, last, seconds, faults, iops FROM counters JOIN tests ON test = id ORDER BY name";
    assert_eq!(
        select(&world, query),
        ["gone|1|Null|2.5|1|40", "starts|7|9|2.5|1|40"]
    );
    // What is no counter is said before anything is sent.
    world.write("gone", "much\n");
    plan(&world, "", array);
    world.refuses(&[("evaluate plan.toml", 5, "gone: is no counter")]);
    plan(&world, "seconds = 60", "name = 'loop'\ndevice = 'dev'");
    let child = start(&world, "evaluate plan.toml");
    sleep(Duration::from_secs(2));
    interrupt(&child);
    assert_eq!(end(child).code, 7);
}

#[test]
fn a_command_that_fails_is_tried_again() {
    let world = world();
    script(&world, "fails", "echo no disks here\nexit 3");
    script(&world, "nothing", "exit 0");
    plan(
        &world,
        "",
        "name = 'fails'\ncommand = ['./fails']\n[[arrays]]\nname = 'nothing'\ncommand = ['./nothing']
        [[arrays]]\nname = 'gone'\ncommand = ['./gone']\n[[arrays]]\nname = 'loop'\ndevice = 'dev'",
    );
    for _ in 0..2 {
        let left = world.run("evaluate plan.toml");
        assert_eq!(left.code, 1, "{}", left.err);
        says(
            &left.err,
            "on fails: ./fails ended with exit status: 3: no disks here",
        );
        says(&left.err, "on nothing: ./nothing has left no results");
        says(&left.err, "on gone: cannot run ./gone");
        says(&left.err, "3 of ");
    }
    assert_eq!(select(&world, "SELECT array FROM tests"), ["loop"]);
}

#[test]
fn a_trace_is_laid_onto_the_array() {
    let world = world();
    world.write("trace", "0 r 1000000 4096\n1 r 8000000 4096\n");
    plan(&world, "", "name = 'loop'\ndevice = 'dev'");
    let left = world.run("evaluate plan.toml");
    assert_eq!(left.code, 6);
    says(&left.err, "trace fit --on dev moves its places");
    for fit in ["scale", "fold"] {
        plan(
            &world,
            &format!("fit = '{fit}'"),
            "name = 'loop'\ndevice = 'dev'",
        );
        assert_eq!(world.run("evaluate plan.toml").code, 0);
    }
    assert_eq!(select(&world, "SELECT requests FROM tests"), ["2"]);
}

#[test]
fn wrong_plans_are_refused() {
    let world = world();
    fs::create_dir(world.path("empty")).unwrap();
    let dev = "name = 'loop'\ndevice = 'dev'";
    let cases = [
        ("loads = [15]", dev, 5, "loads: 15: it is 10, 20"),
        ("loads = []", dev, 5, "there are no loads"),
        ("speeds = ['0']", dev, 5, "speeds: \"0\": it is from 0.01"),
        ("period = 0", dev, 5, "period is from"),
        ("seconds = -1", dev, 5, "seconds is from 0"),
        ("jobs = 0", dev, 5, "jobs is at least 1"),
        ("load = [10]", dev, 5, "line 2: unknown field `load`"),
        ("loads = [", dev, 5, "line "),
        (
            "",
            "name = 'a'",
            2,
            "array \"a\" has either a device, meters and counters, or a command",
        ),
        (
            "",
            "name = 'a'\ndevice = 'dev'\ncommand = ['x']",
            2,
            "has either",
        ),
        ("", "name = 'a'\ncommand = []", 2, "has either"),
        (
            "",
            "name = 'a'\ndevice = 'dev'\nmeters = ['none']",
            5,
            "there is no meter",
        ),
        (
            "",
            "name = 'a'\ndevice = 'dev'\n[[arrays]]\nname = 'a'\ndevice = 'dev'",
            5,
            "there are two arrays",
        ),
        (
            "loads = [10, 10]",
            dev,
            2,
            "the plan has trace at 10 %, speed 1, on loop twice",
        ),
    ];
    for (more, arrays, code, words) in cases {
        plan(&world, more, arrays);
        world.refuses(&[("evaluate plan.toml", code, words)]);
    }
    plan(
        &world,
        "",
        "name = 'a'\ndevice = 'dev'\n[[arrays]]\nname = 'b'\ndevice = 'dev'",
    );
    world.refuses(&[
        ("evaluate missing.toml", 3, "there is no file missing.toml"),
        (
            "evaluate plan.toml --tell",
            3,
            "there are no results plan.sqlite",
        ),
        (
            "evaluate plan.toml --device dev",
            2,
            "--device is for a plan of one array",
        ),
        ("evaluate plan.toml --meter hwmon", 2, "--device"),
        ("evaluate plan.toml --counter dev", 2, "--device"),
    ]);
}
