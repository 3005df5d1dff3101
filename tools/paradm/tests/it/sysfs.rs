// SPDX-License-Identifier: GPL-2.0
//! Whatever a file of sysfs holds, it is understood, or an error names the file: never a panic.

use crate::harness::paradm;
use paradm::array::Array;
use paradm::error::exit;
use paradm::sim::{SimArray, SimLog, SimSlots, SimSystem};
use proptest::prelude::*;
use std::path::PathBuf;

const LOOKING: [&str; 6] = [
    "status",
    "explain",
    "policy show",
    "scrub show",
    "schedule show",
    "metrics",
];

fn array() -> SimSystem {
    let sim = SimSystem::with([SimArray::new("md0", &[2, 3]).in_gear(2)]);
    sim.world().array("md0").log = Some(SimLog::quarter());
    sim.world().array("md0").slots = Some(SimSlots::tenth());
    sim.world().array("md0").load_by_hour = vec![(9, 31.07, 88.2, 7, 1.57), (10, 5.0, 9.5, 3, 0.0)];
    sim.world().array("md0").load_history = vec![(498_750, 31.07, 88.2), (498_751, 5.0, 9.5)];
    sim
}

/// All files that the commands read, and what they hold.
fn files() -> Vec<(PathBuf, String)> {
    let sim = array();
    for line in LOOKING {
        assert_eq!(paradm(&sim, line).code, exit::DONE, "{line}");
    }
    let paths: Vec<_> = sim.world().read.keys().cloned().collect();
    let read = |path: &PathBuf| paradm::system::System::read(&sim, path);
    paths
        .into_iter()
        .filter_map(|path| read(&path).ok().map(|text| (path.clone(), text)))
        .collect()
}

#[test]
fn the_files_of_the_documents_are_read() {
    let files = files();
    let document = include_str!("../../../../Documentation/sysfs-par.md");
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut known = 0;
    for row in rows.filter(|row| row.contains("| 0444 |") || row.contains("| 0644 |")) {
        let (names, _) = row.split_once(" | 0").unwrap();
        for name in names.split(", ").map(|name| name.trim_matches('`')) {
            let name = name.strip_prefix("memberD/").unwrap_or(name);
            let is_read = files.iter().any(|(path, _)| path.ends_with(name));
            assert!(is_read, "{name} is not read");
            known += 1;
        }
    }
    assert!(known > 60, "{known} files");
}

/// What comes near to what is there: its words changed, cut off, repeated.
fn near(text: &str, seed: &[(usize, u8)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (at, byte) in seed {
        let at = at % (bytes.len() + 1);
        match byte % 4 {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, *byte),
            2 => bytes.extend_from_within(at..),
            _ => bytes.insert(at, b"0 -.9\n/"[usize::from(*byte) % 7]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_content_of_any_file_is_read_or_told(
        at in any::<prop::sample::Index>(),
        text in "[0-9 ./a-z\n-]{0,24}|.*",
        seed in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
        is_near in any::<bool>(),
    ) {
        thread_local!(static FILES: Vec<(PathBuf, String)> = files());
        let (path, old) = FILES.with(|files| at.get(files).clone());
        let sim = array();
        let new = if is_near { near(&old, &seed) } else { text };
        sim.world().spoil(&path, &new);
        if let Err(error) = Array::read(&sim, "md0") {
            let said = error.to_string();
            // The number of members comes from gears: one that says more asks for members that
            // are not there.
            prop_assert!(said.contains(path.to_str().unwrap()) || path.ends_with("gears"), "{said}");
            prop_assert_eq!(error.exit_code(), exit::UNREADABLE);
            prop_assert!(!said.contains('\n'), "{}", said);
        }
        for line in LOOKING {
            let left = paradm(&sim, line);
            prop_assert!([exit::DONE, exit::FINDINGS, exit::UNREADABLE].contains(&left.code), "{}", left);
        }
    }
}
