// SPDX-License-Identifier: GPL-2.0
//! replay on files. tests/machine/cases/tracer-replay.sh has it on devices, in virtual time.

use crate::harness::{World, end, interrupt, says, start};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

fn device(world: &World, bytes: u64) {
    File::create(world.path("dev"))
        .unwrap()
        .set_len(bytes)
        .unwrap();
}

/// Until a request has written to the device.
fn wait_for_writes(world: &World) {
    let began = Instant::now();
    while fs::read(world.path("dev"))
        .unwrap()
        .iter()
        .all(|byte| *byte == 0)
    {
        assert!(began.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(5));
    }
}

fn field<'a>(out: &'a str, name: &str) -> &'a str {
    let line = out.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_default().trim()
}

#[test]
fn each_request_is_sent_once_and_checked() {
    let world = World::new();
    device(&world, 64 << 20);
    let made = world.run(
        "trace synth mode --size 4K --reads 50 --random 80 --seconds 1 --span 4M -o mode.blktrace",
    );
    assert_eq!(made.code, 0);
    let list = world.run("trace convert mode.blktrace").out;
    for options in [
        "",
        "--verify",
        "--verify --depth 2 --at-once",
        "--at-once --depth 64",
        "--speed 10",
    ] {
        let left = world.run(&format!(
            "replay mode.blktrace dev --destroy --rows rows {options}"
        ));
        assert_eq!((left.code, left.err.as_str()), (0, ""), "{options}");
        assert_eq!(
            field(&left.out, "requests"),
            list.lines().count().to_string()
        );
        assert_eq!(field(&left.out, "errors"), "0");
        let rows = world.read("rows");
        let sent: String = rows
            .lines()
            .map(|row| row.splitn(5, ' ').take(4).collect::<Vec<_>>().join(" ") + "\n")
            .collect();
        assert!(sent == list, "{options}");
        assert!(rows.lines().all(|row| row.ends_with(" 0")));
    }
}

#[test]
fn content_that_changes_is_found() {
    let world = World::new();
    device(&world, 1 << 20);
    world.write("t", "0 w 8 8192\n3000000000 r 8 8192\n");
    let child = start(&world, "replay t dev --destroy --verify");
    wait_for_writes(&world);
    let dev = File::options().write(true).open(world.path("dev")).unwrap();
    dev.write_all_at(b"other", 8 * 512 + 1030).unwrap();
    dev.sync_all().unwrap();
    let left = end(child);
    assert_eq!(left.code, 1, "{}", left.err);
    says(
        &left.err,
        "1 sectors that were read are not what was written",
    );
}

#[test]
fn what_was_measured_is_kept_when_interrupted() {
    let world = World::new();
    device(&world, 1 << 20);
    world.write("t", "0 w 8 4096\n0 r 64 4096\n1000000000000 r 8 4096\n");
    let child = start(&world, "replay t dev --destroy --verify --rows rows");
    wait_for_writes(&world);
    interrupt(&child);
    let left = end(child);
    assert_eq!(left.code, 7, "{}", left.err);
    says(&left.err, "interrupted: 1 requests were not sent");
    assert_eq!(field(&left.out, "requests"), "2");
    assert_eq!(world.read("rows").lines().count(), 2);
}

#[test]
fn nothing_is_destroyed_unasked() {
    let world = World::new();
    device(&world, 1 << 20);
    world.write("reads", "0 r 8 4096\n");
    world.write("writes", "0 w 8 4096\n");
    world.write("beyond", "0 r 2048 512\n");
    fs::create_dir(world.path("dir")).unwrap();
    assert_eq!(world.run("replay reads dev").code, 0);
    let cases = [
        (
            "replay writes dev",
            6,
            "would destroy what dev holds; --destroy allows that",
        ),
        (
            "replay beyond dev",
            6,
            "the trace reaches to byte 1049088, and dev has 1048576: trace fit --on dev",
        ),
        ("replay reads dir", 6, "no block device and no file"),
        ("replay reads /dev/null", 6, "no block device and no file"),
        ("replay reads missing", 3, "there is no file missing"),
        ("replay missing dev", 3, "there is no file missing"),
        ("replay - dev", 2, "standard input"),
        ("replay reads dev --at-once", 2, "--depth"),
        ("replay reads dev --depth 0", 2, "it is from 1 to 65536"),
        (
            "replay reads dev --at-once --depth 1 --speed 2",
            2,
            "cannot be used with",
        ),
        (
            "replay reads dev --rows missing/rows",
            9,
            "cannot write missing/rows",
        ),
    ];
    for case in cases {
        world.refuses(&[case]);
        assert!(
            fs::read(world.path("dev"))
                .unwrap()
                .iter()
                .all(|byte| *byte == 0)
        );
    }
}
