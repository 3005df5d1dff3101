// SPDX-License-Identifier: GPL-2.0
//! trace convert, filter, scale, fit and info, as typed.

use crate::harness::{World, corpus, read, says, six, source};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn rows_that_make_no_sense_are_named_and_counted() {
    let world = World::new();
    let rows = "5,h,0,read,0,512,1\nrubbish\n6,h,0,Read,0,0,1\n7,h,0,Read,-512,512,1\n8,h,0,Write,18446744073709551615,512,1\n\n9,h,0,Write,100,1000,1\n";
    world.write("t.csv", rows);
    let left = world.run("trace convert t.csv");
    assert_eq!(left.code, 1);
    assert_eq!(left.out, "0 r 0 512\n400 w 0 1536\n");
    says(&left.err, "t.csv: line 2 is not TIMESTAMP,HOST,DISK");
    says(&left.err, "t.csv: line 3 has no bytes");
    says(&left.err, "t.csv: line 4 is not");
    says(
        &left.err,
        "t.csv: line 5 has 512 bytes at 18446744073709551615",
    );
    says(&left.err, "4 rows that are no requests are left out");
    says(&left.err, "1 requests were no whole sectors");
    // Many: the first ten, and how many more.
    world.write("many.list", "0 r 0 512\n".to_owned() + &"x\n".repeat(1000));
    let left = world.run("trace convert many.list");
    assert_eq!((left.code, left.err.lines().count()), (1, 12));
    says(&left.err, "… and 990 more");
}

#[test]
fn rows_are_sorted_within_the_window() {
    let world = World::new();
    world.write("t", "30 r 0 512\n10 r 1 512\n20 r 2 512\n10 r 3 512\n");
    let left = world.run("trace convert t");
    assert_eq!(
        (left.code, left.out.as_str()),
        (0, "10 r 1 512\n10 r 3 512\n20 r 2 512\n30 r 0 512\n")
    );
    says(&left.err, "3 rows were not in order");
    // Two rows at a time: the last one comes when 20 is gone already.
    let left = world.run("trace convert --window 2 t");
    assert_eq!(
        (left.code, left.out.as_str()),
        (1, "10 r 1 512\n20 r 2 512\n20 r 3 512\n30 r 0 512\n")
    );
    says(&left.err, "t: line 4 is 10 ns behind the window");
    says(&left.err, "1 rows come late; a larger --window sorts them");
}

#[test]
fn files_of_one_trace_are_merged() {
    let world = World::new();
    world.write("a.csv", "100,h,0,Read,0,512,1\n300,h,0,Read,512,512,1\n");
    world.write("b.csv", "200,h,1,Write,0,512,1\n");
    let left = world.run("trace convert a.csv b.csv --to iolog");
    let wanted = "fio version 3 iolog\n0 h,0 add\n0 h,0 open\n0 h,0 read 0 512\n10 h,1 add\n10 h,1 open\n\
                  10 h,1 write 0 512\n20 h,0 read 512 512\n";
    assert_eq!(
        (left.code, left.out.as_str(), left.err.as_str()),
        (0, wanted, "")
    );
    let left = world.run("trace convert a.csv b.csv");
    says(&left.err, "2 devices are as one in a list");
    let left = world.run("trace convert a.csv b.csv --device h,1");
    assert_eq!((left.code, left.out.as_str()), (0, "0 w 0 512\n"));
    says(&left.err, "2 requests to other devices are left out");
    let left = world.run("trace convert a.csv b.csv --device sdx");
    assert_eq!(left.code, 3);
    says(&left.err, "no device sdx; it has h,0 h,1");
    world.write("c.list", "0 r 0 512\n");
    let left = world.run("trace convert a.csv c.list");
    assert_eq!(left.code, 2);
    says(&left.err, "cannot be merged");
}

#[test]
fn standard_input_and_output() {
    let world = World::new();
    let text = fs::read(corpus("six.v3.iolog")).unwrap();
    let left = world.run_with("trace convert -", &text);
    assert_eq!(left.out, fs::read_to_string(corpus("six.list")).unwrap());
}

/// A trace that is cut in the middle leaves the file of before, or none.
#[test]
fn output_is_whole_or_not_there() {
    let world = World::new();
    world.write("in", "0 r 0 512\n".repeat(100_000) + "1 r 0 512");
    world.write("out.csv", "before");
    let text = fs::read(world.path("in")).unwrap();
    let mut record = b"\x07\x74\x61\x65".to_vec();
    record.resize(48, 0);
    record.extend(&text[..30]);
    world.write("in", record);
    let left = world.run("trace convert in -o out.csv");
    assert_eq!(left.code, 5);
    assert_eq!(world.read("out.csv"), "before");
    assert_eq!(world.files(), ["in", "out.csv"]);
    // What is whole replaces it, with the mode of any file.
    world.write("in", "0 r 0 512\n");
    assert_eq!(world.run("trace convert in -o out.csv").code, 0);
    assert_eq!(world.read("out.csv"), "0,trace,0,Read,0,512,0\n");
    let mode = fs::metadata(world.path("out.csv"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(
        mode & 0o444,
        fs::metadata(world.path("in")).unwrap().permissions().mode() & 0o444
    );
}

#[test]
fn speed_divides_times() {
    let world = World::new();
    let six_list = corpus("six.list");
    let left = world.run(&format!(
        "trace scale --speed 64 {} -o fast.blktrace",
        six_list.display()
    ));
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    let fast = read(&source(world.path("fast.blktrace"))).unwrap().0;
    let wanted: Vec<_> = six()
        .into_iter()
        .map(|mut event| {
            event.at /= 64;
            event
        })
        .collect();
    assert_eq!(fast, wanted);
}

#[test]
fn a_part_is_said_in_requests_and_bytes() {
    let world = World::new();
    let rows: String = (0..100)
        .map(|n| format!("{} r {} 4096\n", n * 20_000_000u64, n * 8))
        .collect();
    world.write("t", rows);
    let left = world.run("trace filter --load 20 t");
    assert_eq!(left.out.lines().count(), 20);
    assert_eq!(left.out.lines().next(), Some("80000000 r 32 4096"));
    says(
        &left.err,
        "20 of 100 requests, 20.00 %; 81.9 kB of 410 kB, 20.00 %",
    );
}

#[test]
fn places_fit_and_it_is_said() {
    let world = World::new();
    world.write(
        "t.csv",
        "1,a,0,Read,0,512,1\n2,b,0,Write,1048576,4096,1\n3,a,0,Read,3145728,512,1\n",
    );
    let left = world.run("trace fit --bytes 1M --fold t.csv");
    // a has 6145 sectors; b begins behind them.
    let wanted = format!(
        "0 r 0 512\n100 w {} 4096\n200 r 0 512\n",
        (6145 + 2048) % 2048
    );
    assert_eq!((left.code, left.out.as_str()), (0, wanted.as_str()));
    says(
        &left.err,
        "are folded onto 1.05 MB: 2 of 3 requests have other places, 0 were moved",
    );
    world.write("big", "0 r 0 2097152\n1 r 0 512\n");
    let left = world.run("trace fit --bytes 1M big");
    assert_eq!((left.code, left.out.as_str()), (1, "1 r 0 512\n"));
    says(&left.err, "2097152 bytes is larger than the device");
    let left = world.run("trace fit --on t.csv t.csv");
    assert_eq!(left.code, 2);
    says(&left.err, "a device has at least 1M");
}

#[test]
fn info_counts() {
    let world = World::new();
    let left = world.run(&format!("trace info {}", corpus("six.blkparse").display()));
    let wanted = "format    blkparse\ndevices   8,16\nrequests  6\nflushes   1\nreads     60.0 %\nrandom    100.0 %\n\
                  bytes     205312\nmean size 41062\nseconds   3600.000000\nend       1000204886016\n";
    assert_eq!((left.code, left.out.as_str()), (0, wanted));
    says(&left.err, "1 discards are left out");
}
