// SPDX-License-Identifier: GPL-2.0
//! What cannot be done: one line, an exit code, and nothing is written.

use crate::harness::World;
use std::fs;

#[test]
fn wrong_arguments_and_files() {
    let world = World::new();
    world.write("t", "0 r 0 512\n");
    world.write("empty", "");
    world.write("text", "Dear Sir\n");
    world.write("flush", "0 f 0 0\n");
    world.write("hour", "23 night 1 50 0 0\n");
    world.write("nan", "# a day\n23 night nan 50 0 0\n");
    fs::create_dir(world.path("dir")).unwrap();
    let cases = [
        ("", 2, "needs a command"),
        ("trace", 2, "needs a command"),
        ("trace convert", 2, "IN"),
        ("trace convert missing", 3, "there is no file missing"),
        (
            "trace convert empty",
            5,
            "is no trace of a format that is known",
        ),
        (
            "trace convert text",
            5,
            "is no trace of a format that is known",
        ),
        (
            "trace convert text --from csv",
            5,
            "there is no request in it; text: line 1 is not TIMESTAMP",
        ),
        ("trace convert t --from blktrace", 5, "within record 1"),
        ("trace convert t --from msr", 2, "is no value of"),
        ("trace convert dir", 2, "is a directory"),
        (
            "trace convert t -o /dev/null",
            6,
            "is there, and is no file",
        ),
        (
            "trace convert t -o missing/out",
            9,
            "cannot write missing/out",
        ),
        ("trace convert t --window 0", 2, "it is from 1 to 100000000"),
        ("trace filter t", 2, "--load <PERCENT> is missing"),
        ("trace filter --load 15 t", 2, "it is 10, 20, 30"),
        ("trace scale --speed 0 t", 2, "it is from 0.01 to 1000"),
        ("trace fit t", 2, "--bytes"),
        ("trace fit --bytes 5X t", 2, "it is a number of bytes"),
        ("trace fit --bytes 1G --on t t", 2, "cannot be used with"),
        ("trace fit --on missing t", 3, "there is no file missing"),
        ("trace fit --bytes 1G -", 2, "standard input"),
        (
            "trace synth day none",
            2,
            "there is no kind none; there are nas, mail",
        ),
        ("trace synth day nas --span 1G", 2, "no room"),
        ("trace synth profile missing", 3, "no file missing"),
        ("trace synth profile empty", 2, "empty: there is no hour"),
        ("trace synth profile text", 2, "text: line 1 is not HOUR"),
        ("trace synth profile t", 2, "t: line 1 is not HOUR"),
        ("trace synth profile hour --span 100M", 2, "no room for 160"),
        ("trace synth profile nan", 2, "nan: line 2 is not HOUR"),
        ("trace synth rhythm --each-day", 2, "--output"),
        ("trace synth rhythm --noon nan", 2, "above 0"),
        ("trace synth rhythm --writes 101", 2, "from 0 to 100"),
        (
            "trace synth mode --size 4K --reads 101 --random 0",
            2,
            "from 0 to 100",
        ),
        (
            "trace synth mode --size 1000 --reads 0 --random 0",
            2,
            "whole sectors",
        ),
        (
            "trace synth mode --size 2G --reads 0 --random 0",
            2,
            "no request has more than 1G",
        ),
        (
            "trace synth random --requests 5 --size 4K --span 4095",
            2,
            "one of 4096 has room in the span, 4095 bytes",
        ),
        ("trace synth random", 2, "--requests"),
        ("trace collect t", 2, "--output"),
        ("trace collect t -o dir", 6, "t is no block device"),
        (
            "trace collect missing -o dir",
            3,
            "there is no file missing",
        ),
        (
            "trace collect t -o dir --size 8K",
            2,
            "it is 512, 4K, 16K, 64K or 1M",
        ),
        (
            "trace collect t -o dir --watch --destroy",
            2,
            "cannot be used with",
        ),
        ("trace synth postmark --rate 0", 2, "above 0"),
        ("trace info t dir", 2, "is a directory"),
        ("manual /proc/none", 9, "cannot write"),
    ];
    world.refuses(&cases);
    assert_eq!(world.run("trace convert flush").out, "0 f 0 0\n");
}

/// What reads the output may stop, as `head` does.
#[test]
fn a_closed_pipe_is_no_error() {
    let program = env!("CARGO_BIN_EXE_raid-tracer");
    let script = format!("set -o pipefail; {program} trace synth day guests | head -n 1");
    let left = std::process::Command::new("bash")
        .args(["-c", &script])
        .output()
        .unwrap();
    assert!(left.status.success(), "{left:?}");
    assert!(left.stderr.is_empty());
}
