// SPDX-License-Identifier: GPL-2.0
//! `paradm status` of a large system: no file is read twice, so that it takes no longer than it has to.

use crate::harness::paradm;
use paradm::sim::{SimArray, SimSystem};
use paradm::system::{RealSystem, System};
use rustix::time::{ClockId, clock_gettime};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const MEMBERS: usize = 28;

/// Files of an array; of a member; of its device and disk.
const FILES: [usize; 3] = [58, 17, 3];

/// The first has disks sdaa to sdbb, and so on.
fn array(number: usize) -> SimArray {
    let mut array = SimArray::new(&format!("md{number}"), &[8, 28]).in_gear(8);
    for (at, member) in array.members.iter_mut().enumerate() {
        member.disk = Some(name(number * MEMBERS + at));
    }
    array
}

fn name(disk: usize) -> String {
    let letter = |at: usize| char::from(b'a' + u8::try_from(at).unwrap());
    format!("sd{}{}", letter(disk / 26), letter(disk % 26))
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

/// The files of an array, as sysfs has them, below a directory.
fn copy(sim: &SimSystem, dir: &Path) {
    let read: Vec<PathBuf> = sim.world().read.keys().cloned().collect();
    for path in read {
        let text = sim.read(&path).unwrap();
        let path = sim.resolve(&path).unwrap();
        sim.world().tree.file(path, &text);
    }
    sim.world().tree.copy_to(dir).unwrap();
}

/// In memory.
fn in_memory(arrays: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    for sim in (0..arrays).map(|number| SimSystem::with([array(number)])) {
        assert_eq!(paradm(&sim, "status").code, 0);
        copy(&sim, dir.path());
    }
    dir
}

const DIR: &str = "PARADM_TEST_DIR";
const ARRAYS: &str = "PARADM_TEST_ARRAYS";

/// In its top gear, and busy at all hours: a daemon looks at the load of all members, and has nothing to write.
fn busy(number: usize, hour: i64) -> SimArray {
    let mut array = array(number).in_gear(28);
    array.load_history = (1..=168)
        .map(|ago| (hour - ago, 60.0, 60.0))
        .rev()
        .collect();
    array
}

/// How many files a daemon reads in ten minutes, after its first ten.
fn read_by_daemon(arrays: usize, config: &str, follow: bool) -> u64 {
    let hour = SimSystem::new().now().as_second() / 3600;
    let sim = SimSystem::with((0..arrays).map(|number| busy(number, hour)));
    sim.world().tree.file("/etc/paradm/daemon.toml", config);
    for number in (0..arrays).filter(|_| follow) {
        for line in ["policy set policy=auto --array", "schedule apply"] {
            assert_eq!(paradm(&sim, &format!("{line} md{number}")).code, 0);
        }
    }
    let read = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&read);
    let minutes = |minutes: u64| Duration::from_secs(minutes * 60 - 5);
    sim.after(minutes(10), |world| world.read.clear());
    sim.after(minutes(20), move |world| {
        seen.store(world.read.values().sum(), Ordering::Relaxed);
        world.daemon.stop();
    });
    let left = paradm(&sim, "daemon");
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    read.load(Ordering::Relaxed)
}

/// Each minute; and of an array whose load decides, each ten seconds.
#[test]
fn a_daemon_reads_no_more_than_it_needs() {
    let members = u64::try_from(MEMBERS).unwrap();
    let textfile = "textfile = \"/tmp/raidpar.prom\"";
    let (shown, of_disk) = (21, 9);
    let states = 7;
    let (signs, of_sign, look) = (9, 1, 5);
    for arrays in [1, 3] {
        let n = u64::try_from(arrays).unwrap();
        assert_eq!(read_by_daemon(arrays, "", false), 10 * n * states);
        assert_eq!(
            read_by_daemon(arrays, textfile, false),
            10 * n * (states + shown + members * of_disk)
        );
        let minute = signs + members * of_sign + 6 * (look + members);
        assert_eq!(
            read_by_daemon(arrays, "", true),
            10 * (1 + n * (states + minute))
        );
    }
}

#[test]
#[ignore = "for a test that runs paradm daemon on such files: scripts/build-paradm files"]
fn files_of_busy_arrays() {
    let (Some(dir), Ok(arrays)) = (std::env::var_os(DIR), std::env::var(ARRAYS)) else {
        return;
    };
    let dir = PathBuf::from(dir);
    let now = jiff::Timestamp::now().as_second() / 3600;
    for number in 0..arrays.parse().unwrap() {
        let sim = SimSystem::with([busy(number, now)]);
        assert_eq!(paradm(&sim, "policy set policy=auto").code, 0);
        assert_eq!(paradm(&sim, "status").code, 0);
        let history = format!("/sys/block/md{number}/md/par/load_history");
        sim.read(Path::new(&history)).unwrap();
        copy(&sim, &dir);
    }
}

#[test]
#[ignore = "not beside other tests: scripts/build-paradm bench"]
fn how_long_it_takes() {
    let dir = in_memory(10);
    let system = RealSystem::below(dir.path());
    let spent = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Duration::try_from(time).unwrap()
    };
    let times = 20;
    let runs = (0..times).map(|_| {
        let (began, before) = (Instant::now(), spent());
        let left = paradm(&system, "status");
        let (wall, cpu) = (began.elapsed(), spent() - before);
        let lines = 10 * (MEMBERS + 3) + 9;
        assert_eq!(
            (left.code, left.out.lines().count()),
            (0, lines),
            "{}",
            left.err
        );
        (wall, cpu)
    });
    let (walls, cpus): (Vec<_>, Vec<_>) = runs.unzip();
    let best =
        |times: &[Duration]| times.iter().min().map_or(f64::MAX, Duration::as_secs_f64) * 1e3;
    let cpu = best(&cpus);
    println!(
        "bench: paradm status of 10 arrays of {MEMBERS} members, files in memory: \
         {:.1} ms, {cpu:.1} ms of CPU time, the best of {times}; at most 50 ms are wanted",
        best(&walls)
    );
}
