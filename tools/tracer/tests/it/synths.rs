// SPDX-License-Identifier: GPL-2.0
//! trace synth. tools/shared/tests/loads.rs has the rows of days.

use crate::harness::{World, says};
use shared::loads::{self, KINDS, Load};
use std::collections::HashSet;

#[test]
fn days_are_those_of_the_library() {
    let world = World::new();
    let left = world
        .run("trace synth day archive --days 2 --seed 9 --span 9600G --files 64 --file-bytes 16M");
    let shape = loads::Shape {
        days: 2,
        seed: 9,
        span: 9600 << 30,
        files: 64,
        file_bytes: 16 << 20,
    };
    let load = Load::new(loads::kind("archive").unwrap(), &shape).unwrap();
    let rows: String = load.map(|request| format!("{request}\n")).collect();
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert!(left.out == rows);
    let kinds = world.run("trace synth kinds").out;
    assert_eq!(kinds.lines().count(), KINDS.len());
}

#[test]
fn each_day_has_a_file() {
    let world = World::new();
    let options = "trace synth rhythm --days 3 --night 0.1 --noon 0.5 --places 64 --span 1G";
    let left = world.run(&format!("{options} --each-day -o day"));
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert_eq!(world.files(), ["day.0", "day.1", "day.2"]);
    let all = world.run(options).out;
    let rows = |name: &str| world.read(name).lines().count();
    assert_eq!(
        rows("day.0") + rows("day.1") + rows("day.2"),
        all.lines().count()
    );
    assert!(all.starts_with(&world.read("day.0")));
    let last = world.read("day.2").lines().last().unwrap().to_owned();
    assert!(last.split(' ').next().unwrap().parse::<u64>().unwrap() < 86_400_000_000_000);
    let fill = world.run(&format!("{options} --fill")).out;
    assert_eq!(
        fill.lines()
            .filter(|line| line.starts_with("0 w ") && line.ends_with(" 1048576"))
            .count(),
        64
    );
}

#[test]
fn likenesses() {
    let world = World::new();
    for kind in ["web", "cello", "postmark"] {
        let left = world.run(&format!("trace synth {kind} -o {kind}.csv"));
        assert_eq!((left.code, left.err.as_str()), (0, ""));
        let left = world.run(&format!("trace synth {kind} --span 1M"));
        assert_eq!(left.code, 2);
        says(&left.err, "no room");
    }
}

/// The demo's day is measured with these rows. The hashes are FNV-1a, of 64 bits.
#[test]
fn a_profile_has_the_same_rows() {
    let world = World::new();
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/day/profile");
    for (options, count, hash) in [
        ("", 103140, 0x7b95_91c5_f637_651d),
        ("--fill", 417, 0x49b0_7bd8_46f4_033f),
        ("--cold", 288, 0x6490_de01_fff0_6daf),
        (
            "--seed 77 --span 1000000000000",
            105738,
            0x11d5_5bac_dcb5_4964,
        ),
    ] {
        let left = world.run(&format!("trace synth profile {profile} {options}"));
        let mut is = 0xcbf2_9ce4_8422_2325;
        for byte in left.out.bytes() {
            is = (is ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        assert_eq!((left.out.lines().count(), is), (count, hash), "{options}");
    }
}

/// Only what was written is used, in order of time; a cold file is read once, and by nothing else, and the other requests
/// do not depend on cold files.
#[test]
fn a_profile_reads_what_it_has_written() {
    let world = World::new();
    let rows = |options: &str| -> Vec<(u64, u64, u64)> {
        let left = world.run(&format!("trace synth profile {options} --seed 3 --span 1T"));
        assert_eq!((left.code, left.err.as_str()), (0, ""));
        let number = |word: Option<&str>| word.unwrap().parse().unwrap();
        let row = |line: &str| {
            let mut words = line.split(' ');
            let at = number(words.next());
            let (sector, bytes): (u64, u64) = (number(words.nth(1)), number(words.next()));
            (at, sector / 8, sector / 8 + bytes / 4096)
        };
        left.out.lines().map(row).collect()
    };
    let hours = "23 busy 50 80 0 0\n00 night 4 50 40 0  # past midnight\n01 busy 40 80 0 0\n";
    world.write("warm", hours);
    world.write("cold", hours.replace("40 0  #", "40 2  #"));
    let written: HashSet<u64> = rows("cold --fill")
        .iter()
        .flat_map(|(_, from, to)| *from..*to)
        .collect();
    let (all, warm, cold) = (rows("cold"), rows("warm"), rows("cold --cold"));
    assert!(all.is_sorted() && all.iter().all(|(at, ..)| *at < 3 * 3_600_000_000_000));
    assert!(
        all.iter()
            .flat_map(|(_, from, to)| *from..*to)
            .all(|page| written.contains(&page))
    );
    let others: Vec<_> = all
        .iter()
        .filter(|row| !cold.contains(row))
        .copied()
        .collect();
    assert!(others == warm && rows("warm --cold").is_empty());
    let places: HashSet<_> = cold.iter().map(|(_, from, to)| (from, to)).collect();
    assert_eq!((cold.len(), places.len()), (2 * 48, 2 * 48));
    let busy = |hour| {
        warm.iter()
            .filter(|(at, ..)| at / 3_600_000_000_000 == hour)
            .count()
    };
    let rush = (40 * 8..44 * 30).contains(
        &warm
            .iter()
            .filter(|(at, ..)| (3600..3675).contains(&(at / 1_000_000_000)))
            .count(),
    );
    assert!(rush && (50 * 8..50 * 30).contains(&busy(0)) && (40 * 8..40 * 30).contains(&busy(2)));
}
