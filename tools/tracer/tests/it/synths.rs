// SPDX-License-Identifier: GPL-2.0
//! trace synth. tools/shared/tests/loads.rs has the rows of days.

use crate::harness::{World, says};
use shared::loads::{self, KINDS, Load};

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
