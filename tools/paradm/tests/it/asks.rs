// SPDX-License-Identifier: GPL-2.0
//! Documentation/paradm-asks.md: each command that answers an ask is run, as it is written there.

use crate::harness::paradm;
use crate::who::{happenings, system};
use paradm::system::System;
use std::path::Path;

const TABLE: &str = include_str!("../../../../Documentation/paradm-asks.md");

/// An ask, and its commands without `paradm`.
fn asks() -> Vec<(&'static str, Vec<&'static str>)> {
    let rows = TABLE
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ask |"));
    rows.map(|row| {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells.len(), 4, "{row}");
        let commands = cells[3].split('`').filter(|word| !word.trim().is_empty());
        let commands = commands.map(|command| command.strip_prefix("paradm ").unwrap());
        (cells[0], commands.collect())
    })
    .collect()
}

/// What the answer says, for each ask in the order of the table.
const ANSWERS: [&[&str]; 14] = [
    &["last woken", "\"last_wake_cause\":\"none\""],
    &["wake_stagger          0  ms"],
    &["asleep", "state=\"asleep\"} 1", "shifted by hand"],
    &[
        "open: rsync[812] (backup.service, /usr/bin/rsync): /srv/data/film.mkv",
        "was woken: process smartctl[913] (smartmontools.service",
        "problem (rules)",
    ],
    &["", "no log", "no event is kept", ""],
    &["27", "carry is 14, was 7"],
    &["policy is auto, was manual"],
    &["gets requests past the array from smartctl[913]"],
    &["wake_timeout is 120, was 60", "--fix writes a udev rule"],
    &["gear 3 of 5", "stop_after is 300, was 60"],
    &["problem (rules)", "mended: a udev rule"],
    &["wake_stagger is 3000, was 0"],
    &["pinned to gear 5 until", "the check is paused"],
    &["last woken"],
];

#[test]
fn each_ask_has_commands_that_answer_it() {
    let asks = asks();
    assert_eq!(asks.len(), ANSWERS.len(), "asks and answers");
    for ((ask, commands), answers) in asks.into_iter().zip(ANSWERS) {
        assert_eq!(commands.len(), answers.len(), "{ask}: {commands:?}");
        for (command, answer) in commands.into_iter().zip(answers) {
            let sim = system();
            happenings(&sim);
            let left = paradm(&sim, command);
            assert!(left.code <= 1, "{command}: {}", left.err);
            assert_eq!(left.out.is_empty(), answer.is_empty(), "{command}");
            assert!(left.out.contains(answer), "{command}: {}", left.out);
            assert!(sim.world().instances().is_empty(), "{command}");
        }
    }
}

#[test]
fn a_log_and_a_textfile_are_written_where_the_answers_say() {
    let sim = system();
    happenings(&sim);
    for (_, commands) in asks() {
        let writing = commands.into_iter();
        for command in writing.filter(|line| line.contains("--log ") || line.contains("--textfile"))
        {
            assert_eq!(paradm(&sim, command).code, 0, "{command}");
        }
    }
    let left = paradm(&sim, "who --days 30");
    assert!(
        left.out.contains("policy: load of rsync (backup.service)"),
        "{}",
        left.out
    );
    assert!(sim.exists("/var/lib/node_exporter/raidpar.prom".as_ref()));
}

#[test]
fn what_only_looks_writes_nothing() {
    let tracing = Path::new("/sys/kernel/tracing/instances");
    for (_, commands) in asks() {
        for command in commands {
            let changes = [
                "policy set",
                "policy preset quiet",
                "pin set",
                "scrub start",
                "doctor --fix",
            ];
            if changes.iter().any(|start| command.starts_with(start))
                && !command.contains("--dry-run")
            {
                continue;
            }
            let sim = system();
            paradm(&sim, command);
            let world = sim.world();
            let mut written = world.written.iter();
            assert!(
                written.all(|(path, _)| path.starts_with(tracing)),
                "{command}"
            );
            assert!(world.ran.is_empty(), "{command}");
        }
    }
}
