// SPDX-License-Identifier: GPL-2.0
//! `paradm status` of a large system: no file is read twice, so that it takes no longer than it has to.

use crate::harness::paradm;
use paradm::sim::{SimArray, SimSystem};
use paradm::system::{RealSystem, System};
use rustix::time::{ClockId, clock_gettime};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const MEMBERS: usize = 28;

/// Files of an array; of a member; of its device and disk.
const FILES: [usize; 3] = [53, 17, 3];

/// The first has disks sdaa to sdbb, and so on.
fn array(number: usize) -> SimArray {
    let mut array = SimArray::new(&format!("md{number}"), &[8, 28]).in_gear(8);
    let letter = |at: usize| char::from(b'a' + u8::try_from(at).unwrap());
    for (at, member) in array.members.iter_mut().enumerate() {
        let disk = number * MEMBERS + at;
        member.disk = Some(format!("sd{}{}", letter(disk / 26), letter(disk % 26)));
    }
    array
}

#[test]
fn each_file_is_read_once() {
    let sim = SimSystem::with((0..3).map(array));
    let [array, member, disk] = FILES;
    let of_one = array + MEMBERS * (member + disk);
    for (line, arrays) in [("status", 3), ("status --json", 3), ("status md1", 1)] {
        sim.world().read.clear();
        assert_eq!(paradm(&sim, line).code, 0);
        let world = sim.world();
        let often: Vec<_> = world.read.iter().filter(|(_, times)| **times > 1).collect();
        assert!(often.is_empty(), "{line}: {often:?}");
        assert_eq!(world.read.len(), arrays * of_one, "{line}");
    }
}

/// The files of arrays, in memory as sysfs has them.
fn in_memory(arrays: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    for sim in (0..arrays).map(|number| SimSystem::with([array(number)])) {
        assert_eq!(paradm(&sim, "status").code, 0);
        let read: Vec<PathBuf> = sim.world().read.keys().cloned().collect();
        for path in read {
            let text = sim.read(&path).unwrap();
            let path = sim.resolve(&path).unwrap();
            sim.world().tree.file(path, &text);
        }
        sim.world().tree.copy_to(dir.path()).unwrap();
    }
    dir
}

#[test]
#[ignore = "a figure, and not a verdict: scripts/build-paradm bench"]
fn how_long_it_takes() {
    let dir = in_memory(10);
    let system = RealSystem::below(dir.path());
    let spent = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Duration::try_from(time).unwrap()
    };
    let (before, times) = (spent(), 20);
    let walls = (0..times).map(|_| {
        let began = Instant::now();
        let left = paradm(&system, "status");
        let time = began.elapsed();
        let lines = 10 * (MEMBERS + 3) + 9;
        assert_eq!(
            (left.code, left.out.lines().count()),
            (0, lines),
            "{}",
            left.err
        );
        time
    });
    let best = walls.min().unwrap_or(Duration::MAX).as_secs_f64() * 1e3;
    let cpu = (spent() - before).as_secs_f64() * 1e3 / f64::from(times);
    println!(
        "bench: paradm status of 10 arrays of {MEMBERS} members, files in memory: \
         {best:.1} ms, the best of {times}; {cpu:.1} ms of CPU time in the mean"
    );
}
