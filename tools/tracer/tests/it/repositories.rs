// SPDX-License-Identifier: GPL-2.0
//! Directories of traces.

use crate::harness::{World, corpus, says};
use std::fs;

#[test]
fn the_125_modes_have_the_names_that_they_are() {
    let world = World::new();
    let left = world.run("trace synth modes -o repo --seconds 3 --span 100G");
    assert_eq!(left.code, 0, "{}", left.err);
    assert_eq!(left.out.lines().count(), 125);
    let left = world.run("trace info repo");
    assert_eq!(left.code, 0, "{}", left.err);
    assert_eq!(left.out.lines().count(), 126);
    for size in ["512", "4K", "16K", "64K", "1M"] {
        let name = format!("repo/mode_{size}_rnd0_rd100.blktrace");
        // The first request follows none.
        let name = if world.path(&name).exists() {
            name
        } else {
            name.replace("rnd0", "rnd1")
        };
        assert!(world.path(&name).exists(), "{name}");
        assert!(
            world
                .path(&format!("repo/mode_{size}_rnd100_rd0.blktrace"))
                .exists()
        );
    }
}

#[test]
fn the_index_follows_the_files() {
    let world = World::new();
    fs::create_dir(world.path("repo")).unwrap();
    let convert = format!("trace convert {} -o repo", corpus("six.v3.iolog").display());
    let left = world.run(&convert);
    assert_eq!(
        (left.code, left.out.as_str()),
        (0, "repo/sdb_40K_rnd100_rd60.blktrace\n")
    );
    assert_eq!(
        world.run(&convert).out,
        "repo/sdb_40K_rnd100_rd60-2.blktrace\n"
    );
    world.write("repo/other.csv", "1,a,0,Read,0,512,1\nrubbish\n");
    world.write("repo/notes", "These are the traces of a test.\n");
    for _ in 0..2 {
        let left = world.run("trace info repo");
        assert_eq!(
            (left.code, left.out.lines().count()),
            (1, 4),
            "{}",
            left.out
        );
        assert!(left.out.contains("other.csv"));
        says(&left.err, "repo/notes: is no trace");
    }
    fs::remove_file(world.path("repo/notes")).unwrap();
    fs::remove_file(world.path("repo/sdb_40K_rnd100_rd60-2.blktrace")).unwrap();
    world.write(
        "repo/other.csv",
        "1,a,0,Read,0,512,1\n1,a,0,Write,512,512,1\n",
    );
    let left = world.run("trace info repo");
    assert_eq!(
        (left.code, left.out.lines().count()),
        (0, 3),
        "{}",
        left.err
    );
    let row: Vec<_> = left
        .out
        .lines()
        .nth(1)
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(row[..5], ["other.csv", "csv", "2", "512", "B"]);
    // What is no index is not overwritten.
    world.write(
        "repo/index.sqlite",
        "mine, and no database; long enough to be looked at: ".repeat(100),
    );
    let left = world.run("trace info repo");
    assert_eq!(left.code, 5);
    says(&left.err, "is no index of traces");
}
