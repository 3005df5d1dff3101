// SPDX-License-Identifier: GPL-2.0
//! Every command against an array in every state: paradm.md has the exit codes, and the golden file what is said.

use crate::harness::{golden, paradm};
use clap::CommandFactory;
use expect_test::expect_file;
use paradm::cli::Cli;
use paradm::sim::{SimArray, SimSystem};
use paradm::system::{Ran, System};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

const DOCUMENT: &str = include_str!("../../../../Documentation/paradm.md");

/// In the order of the table's columns.
const STATES: [&str; 8] = [
    "none",
    "whole",
    "inactive",
    "broken",
    "degraded",
    "in doubt",
    "rebuilding",
    "foreign",
];

/// In the order of its rows.
const LINES: [&str; 19] = [
    "status",
    "explain",
    "doctor",
    "metrics",
    "events",
    "shift lowest",
    "shift top",
    "policy show",
    "policy set hold=61",
    "policy preset quiet",
    "pin show",
    "pin set top",
    "schedule show",
    "schedule apply",
    "scrub show",
    "scrub start",
    "scrub limit 20M",
    "who",
    "daemon --check",
];

/// They look at no array that is there.
const OTHERS: [&str; 3] = ["create", "manual", "plan"];

fn system(state: &str) -> SimSystem {
    let sim = SimSystem::new();
    sim.program("journalctl", |_, _| Ran::default());
    let mut world = sim.world();
    for file in ["/proc/self/mountinfo", "/proc/swaps"] {
        world.tree.file(file, "");
    }
    if state == "inactive" {
        world.add_inactive("md0", &["sda", "sdb", "sdc"]);
        world.tree.file(
            "/run/udev/data/b8:16",
            "S:disk/by-id/x\nE:MD_LEVEL=par\nE:MD_DEVICES=5\n",
        );
        world
            .tree
            .file("/sys/block/md0/md/dev-sdb/block/dev", "8:16\n");
    } else if state != "none" {
        world.add(SimArray::new("md0", &[3, 5]));
    }
    match state {
        "broken" => {
            world.fail("md0", 2);
            world.fail("md0", 3);
            world.array("md0").array_state = "broken".to_owned();
        }
        "degraded" => world.fail("md0", 4),
        "in doubt" => {
            world.fail("md0", 4);
            world.array("md0").resync_zones = Some(12);
        }
        // The kernel rebuilds a disk of another array; until the first write it only waits.
        "rebuilding" | "foreign" => {
            let array = world.array("md0");
            array.members[4].in_sync = false;
            let (file, word) = match state {
                "foreign" => (&mut array.array_state, "read-auto"),
                _ => (&mut array.sync_action, "recover"),
            };
            word.clone_into(file);
            world
                .tree
                .file("/sys/block/md0/md/dev-sde/state", "spare\n");
        }
        _ => {}
    }
    drop(world);
    sim
}

/// Of the table below "What commands do with an array that is not whole": a row for each command.
fn documented(line: &str) -> Vec<u8> {
    let row = format!("| `{line}` |");
    let row = DOCUMENT.lines().find_map(|text| text.strip_prefix(&row));
    let row = row.unwrap_or_else(|| panic!("paradm.md has no row of {line}"));
    let cells = row.trim_end_matches('|').split('|');
    cells
        .map(|cell| {
            cell.trim()
                .parse()
                .unwrap_or_else(|_| panic!("{line}: {row}"))
        })
        .collect()
}

#[test]
fn exit_codes_are_as_documented() {
    for line in LINES {
        let codes = STATES.map(|state| paradm(&system(state), line).code);
        assert_eq!(codes.to_vec(), documented(line), "{line}, in {STATES:?}");
    }
}

#[test]
fn json_has_the_same_exit_code_and_one_document_or_none() {
    for (line, state) in LINES
        .iter()
        .flat_map(|line| STATES.map(|state| (line, state)))
    {
        let text = paradm(&system(state), line);
        let left = paradm(&system(state), &format!("{line} --json"));
        assert_eq!(
            (left.code, &left.err),
            (text.code, &text.err),
            "{line}, {state}"
        );
        if left.code <= 1 && !line.starts_with("daemon") {
            let value: Value = serde_json::from_str(&left.out).unwrap();
            assert!(value["schema"].is_string(), "{line}, {state}: {}", left.out);
        } else {
            assert_eq!(left.out, "", "{line}, {state}");
        }
    }
}

#[test]
fn what_is_said() {
    let mut text = String::new();
    for state in STATES.iter().filter(|state| **state != "whole") {
        text += &format!("==== {state}\n");
        for line in LINES.iter().filter(|line| **line != "metrics") {
            let left = paradm(&system(state), line);
            text += &format!("$ paradm {line}\n{left}");
        }
        let metrics = paradm(&system(state), "metrics").out;
        let told = metrics
            .lines()
            .filter(|line| line.contains("_health{") && line.ends_with(" 1"));
        text += &told.map(|line| format!("{line}\n")).collect::<String>();
    }
    golden(&expect_file!["../golden/states.txt"], &text);
}

#[test]
fn every_command_is_in_the_table_or_looks_at_no_array() {
    let mut command = Cli::command();
    command.build();
    let all = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned());
    let all: BTreeSet<_> = all.filter(|name| name != "help").collect();
    let in_table = LINES.iter().map(|line| line.split(' ').next().unwrap());
    let named: BTreeSet<_> = in_table.chain(OTHERS).map(str::to_owned).collect();
    assert_eq!(all, named);
}

/// A machine's other arrays are no matter of paradm's: those of other levels, containers, and nodes without members.
#[test]
fn inactive_arrays_of_others_are_left_out() {
    let sim = SimSystem::new();
    let mut world = sim.world();
    for name in ["md1", "md2", "md3", "md4"] {
        world.add_inactive(name, &["sda"]);
    }
    world.tree.file("/sys/block/md1/md/level", "raid1\n");
    world
        .tree
        .file("/sys/block/md2/md/dev-sda/block/dev", "8:0\n");
    world
        .tree
        .file("/run/udev/data/b8:0", "E:MD_LEVEL=raid6\nE:MD_DEVICES=4\n");
    world
        .tree
        .file("/sys/block/md3/md/metadata_version", "external:imsm\n");
    world.tree.remove(Path::new("/sys/block/md4/md/dev-sda"));
    drop(world);
    let left = paradm(&sim, "status");
    assert_eq!(
        (left.code, left.out.as_str()),
        (0, "no par array runs here\n")
    );
}

/// Without udev's rules the level is unknown, which is said; and one that the kernel has refused has it.
#[test]
fn an_array_of_unknown_level_is_told_and_one_that_was_refused() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    sim.world().add_inactive("md7", &["sdv", "sdw"]);
    let left = paradm(&sim, "status");
    assert_eq!(left.code, 1);
    assert!(
        left.out
            .starts_with("md0: raid5:3,5 of 8.00 TB, gear 5 of 5, clean\n"),
        "{}",
        left.out
    );
    let said = "\nmd7: INACTIVE: it has not been started; 2 members were found (sdv sdw), its level is unknown before it is started\n";
    assert!(left.out.contains(said), "{}", left.out);
    sim.world().tree.file("/sys/block/md7/md/level", "par\n");
    sim.world().tree.file("/sys/block/md7/md/raid_disks", "5\n");
    let left = paradm(&sim, "status md7");
    let said = "md7: INACTIVE: the kernel has refused to start it; 2 of 5 members were found (sdv sdw)\n  action: `journalctl -k -g md/par` has the reason; then ";
    assert!(left.code == 1 && left.out.starts_with(said), "{}", left.out);
    // Those that run are still the ones that commands mean.
    assert_eq!(paradm(&sim, "policy show").code, 0);
    let left = paradm(&sim, "shift 3 /dev/md7");
    assert_eq!(
        (left.code, left.err.as_str()),
        (
            3,
            "paradm: md7 is inactive: `paradm status` says what to do\n"
        )
    );
    assert!(sim.world().ran.is_empty());
    assert!(sim.exists(Path::new("/sys/block/md7")));
}
