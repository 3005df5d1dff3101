// SPDX-License-Identifier: GPL-2.0
//! `paradm explain`.

use crate::harness::{golden, paradm, session};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimSystem};
use paradm::system::System;
use std::path::Path;

#[test]
fn what_the_module_does_not_tell_is_remarked() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5]).in_gear(3)]);
    let par = Path::new("/sys/block/md0/md/par");
    for (file, text) in [("policy", "auto"), ("max_gear", "3"), ("gear", "5")] {
        sim.write(&par.join(file), text).unwrap();
    }
    sim.world().array("md0").members[4].stopped = false;
    golden(
        &expect_file!["../golden/explain.txt"],
        &session(&sim, &["explain", "explain md0 --json"]),
    );
}

#[test]
fn an_array_that_follows_its_load_has_no_remarks() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    sim.write(Path::new("/sys/block/md0/md/par/policy"), "auto")
        .unwrap();
    assert_eq!(paradm(&sim, "explain").out.lines().count(), 1);
}
