// SPDX-License-Identifier: GPL-2.0
//! `paradm who`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimSystem, World};
use paradm::system::{System, Uevent};
use paradm::who;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

const EVENTS: [&str; 4] = [
    "block/block_bio_queue",
    "block/block_rq_issue",
    "raid_par/par_decision",
    "writeback/writeback_mark_inode_dirty",
];

/// md0 on /srv, in its low gear, on a system that traces, with two processes.
pub fn system() -> SimSystem {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5]).in_gear(3)]);
    let mut world = sim.world();
    let tree = &mut world.tree;
    tree.file("/sys/block/md0/dev", "9:0\n");
    tree.link("/sys/class/block/md0", "/sys/block/md0");
    for (at, letter) in ('a'..='e').enumerate() {
        tree.file(
            format!("/sys/devices/pci0000:00/block/sd{letter}/dev"),
            &format!("8:{}\n", at * 16),
        );
        let disk = format!("/sys/block/sd{letter}");
        tree.link(format!("/sys/class/block/sd{letter}"), disk);
    }
    tree.file(
        "/proc/self/mountinfo",
        "22 1 8:241 / / rw - ext4 /dev/sdp1 rw\n36 22 9:0 / /srv rw,noatime - ext4 /dev/md0 rw\n",
    );
    process(
        &mut world,
        913,
        "smartctl",
        "/system.slice/smartmontools.service",
        &["/dev/sde", "/etc/passwd"],
    );
    process(
        &mut world,
        812,
        "rsync",
        "/system.slice/backup.service",
        &["socket:[9]", "/srv/data/film.mkv"],
    );
    process(
        &mut world,
        4711,
        "paradm",
        "/user.slice/session-1.scope",
        &["/srv/log"],
    );
    world.tree.file("/proc/77/comm", "md0_par\n");
    world.tree.dir("/proc/77/fd");
    world.add_tracing(&EVENTS);
    drop(world);
    sim
}

fn process(world: &mut World, pid: u32, comm: &str, cgroup: &str, files: &[&str]) {
    let dir = format!("/proc/{pid}");
    world.tree.file(format!("{dir}/comm"), &format!("{comm}\n"));
    world.tree.file(
        format!("{dir}/status"),
        &format!("Name:\t{comm}\nTgid:\t{pid}\n"),
    );
    world
        .tree
        .file(format!("{dir}/cgroup"), &format!("0::{cgroup}\n"));
    world
        .tree
        .link(format!("{dir}/exe"), format!("/usr/bin/{comm}"));
    for (fd, file) in files.iter().enumerate() {
        world.tree.link(format!("{dir}/fd/{fd}"), file);
        world.tree.file(
            format!("{dir}/fdinfo/{fd}"),
            &format!("pos:\t0\nino:\t{}\n", 130 + fd),
        );
    }
}

fn after(sim: &SimSystem, seconds: u64, action: impl FnOnce(&mut World) + Send + 'static) {
    sim.after(Duration::from_secs(seconds), action);
}

fn traced(sim: &SimSystem, seconds: u64, thread: &str, event: &'static str, body: &str) {
    let name = event.rsplit('/').next().unwrap();
    let line = format!("{thread:>22} [000] ..... 12.345678: {name}: {body}");
    after(sim, seconds, move |world| world.trace(event, &line));
}

fn woken(sim: &SimSystem, seconds: u64, member: usize, cause: &'static str) {
    after(sim, seconds, move |world| {
        let (time, now) = (world.seconds(), world.elapsed());
        world.array("md0").disturb(member, cause, time, now);
    });
}

/// What happens in the first ten seconds.
pub fn happenings(sim: &SimSystem) {
    let bio = "block/block_bio_queue";
    traced(
        sim,
        1,
        "smartctl-913",
        "block/block_rq_issue",
        "8,64 N 512 () 0 + 0 none,0,0 [smartctl]",
    );
    traced(
        sim,
        1,
        "smartctl-913",
        "block/block_rq_issue",
        "8,64 N 512 () 0 + 0 none,0,0 [smartctl]",
    );
    woken(sim, 2, 4, "process smartctl[913]");
    traced(sim, 3, "rsync-812", bio, "9,0 R 2048 + 2048 [rsync]");
    traced(sim, 3, "rsync-812", bio, "9,0 W 2048 + 8 [rsync]");
    traced(
        sim,
        3,
        "rsync-812",
        "writeback/writeback_mark_inode_dirty",
        "bdi 9:0: ino=131 state= flags=I_DIRTY_PAGES",
    );
    let decision = "md0 gear=3 target=3 decided=5 reason=load about=5 seconds=0 busy=7213+310 about_busy=4300+200";
    traced(sim, 4, "md0_par-77", "raid_par/par_decision", decision);
    traced(sim, 5, "md0_par-77", "raid_par/par_decision", decision);
    woken(sim, 6, 3, "policy");
    // The array's own, paradm's, and of a member that does not sleep.
    traced(sim, 7, "md0_par-77", bio, "8,48 W 8 + 8 [md0_par]");
    traced(sim, 7, "kworker/1:2-78", bio, "8,48 W 8 + 8 [kworker/1:2]");
    traced(sim, 7, "paradm-4711", bio, "9,0 W 8 + 8 [paradm]");
    traced(sim, 7, "md0_par-77", bio, "8,0 W 8 + 8 [md0_par]");
    traced(sim, 8, "CPU:0", bio, "nonsense");
    after(sim, 8, |world| world.trace(bio, "CPU:0 [LOST 12 EVENTS]"));
}

#[test]
fn it_tells_wakes_touches_and_users_as_they_come() {
    let sim = system();
    happenings(&sim);
    golden(
        &expect_file!["../golden/who-live.txt"],
        &session(&sim, &["who --live --for 10s"]),
    );
    let sim = system();
    happenings(&sim);
    let value = json(&sim, "who md0 --live --for 10s");
    let text = serde_json::to_string_pretty(&value).unwrap();
    golden(&expect_file!["../golden/who-live.json"], &(text + "\n"));
}

#[test]
fn tracing_is_its_own_and_is_gone_afterwards() {
    let sim = system();
    sim.world().tree.dir("/sys/kernel/tracing/instances/other");
    // Of one that was killed, and of one that runs.
    sim.world()
        .tree
        .dir("/sys/kernel/tracing/instances/paradm-who-99");
    sim.world()
        .tree
        .dir("/sys/kernel/tracing/instances/paradm-who-812");
    after(&sim, 1, |world| {
        let names = ["other", "paradm-who-4711", "paradm-who-812"];
        assert_eq!(world.instances(), names);
    });
    assert_eq!(paradm(&sim, "who --live --for 3s").code, 0);
    let world = sim.world();
    assert_eq!(world.instances(), ["other", "paradm-who-812"]);
    let own = Path::new("/sys/kernel/tracing/instances/paradm-who-4711");
    assert!(world.written.iter().all(|(path, _)| path.starts_with(own)));
    let filter = |event: &str| {
        let file = own.join("events").join(event).join("filter");
        let written = world.written.iter().find(|(path, _)| *path == file);
        written.unwrap().1.clone()
    };
    // md0, and the two sleepers: MAJOR << 20 | MINOR.
    let sleepers = "dev == 8388656 || dev == 8388672";
    assert_eq!(filter(EVENTS[0]), format!("dev == 9437184 || {sleepers}"));
    assert_eq!(filter(EVENTS[1]), format!("rwbs ~ \"N*\" && ({sleepers})"));
    assert_eq!(filter(EVENTS[3]), "name == \"9:0\"");
    assert!(world.ran.is_empty());
}

#[test]
fn it_ends_when_told_to_and_when_it_fails_and_cleans_up() {
    let sim = system();
    after(&sim, 5, |world| world.stop.store(true, Ordering::Relaxed));
    let left = paradm(&sim, "who --live --json");
    assert_eq!(left.code, 0);
    assert!(left.out.contains("\"seconds\":5,"), "{}", left.out);
    assert!(sim.world().instances().is_empty());
    let sim = system();
    let filter = "/sys/kernel/tracing/instances/paradm-who-4711/events/block/block_rq_issue/filter";
    sim.world().refuse(filter);
    let left = paradm(&sim, "who --live --for 1s");
    assert_eq!(left.code, 6);
    assert!(left.err.contains(filter), "{}", left.err);
    assert!(sim.world().instances().is_empty());
}

#[test]
fn without_tracefs_it_tells_wakes() {
    let sim = system();
    sim.world().tree.remove("/sys/kernel/tracing".as_ref());
    happenings(&sim);
    let left = paradm(&sim, "who --live --for 10s");
    assert_eq!(left.code, 0);
    assert!(left.err.contains("no tracefs"), "{}", left.err);
    assert!(
        left.out.contains("was woken: process smartctl[913]"),
        "{}",
        left.out
    );
}

#[test]
fn threads_count_as_their_process_and_the_dead_by_name() {
    let sim = system();
    let mut world = sim.world();
    world.tree.file("/proc/950/comm", "rsync-io\n");
    world.tree.file("/proc/950/status", "Tgid:\t812\n");
    drop(world);
    traced(&sim, 1, "rsync-io-950", EVENTS[0], "9,0 R 0 + 8 [rsync-io]");
    traced(&sim, 1, "rsync-812", EVENTS[0], "9,0 R 0 + 8 [rsync]");
    traced(&sim, 1, "gone-951", EVENTS[0], "8,64 R 0 + 8 [gone]");
    // It was there when it was seen first.
    traced(
        &sim,
        1,
        "smartctl-913",
        EVENTS[0],
        "8,64 R 0 + 8 [smartctl]",
    );
    after(&sim, 2, |world| world.tree.remove("/proc/913".as_ref()));
    traced(
        &sim,
        5,
        "smartctl-913",
        EVENTS[0],
        "8,64 R 0 + 8 [smartctl]",
    );
    let value = json(&sim, "who --live --for 6s");
    let users = value["arrays"][0]["users"].as_array().unwrap();
    assert_eq!(users.len(), 1, "{value}");
    assert_eq!(users[0]["process"]["comm"], "rsync");
    assert_eq!(users[0]["reads"], 2);
    let touches = value["arrays"][0]["touches"].as_array().unwrap();
    let who: Vec<_> = touches
        .iter()
        .map(|touch| {
            (
                &touch["process"]["comm"],
                &touch["process"]["exe"],
                &touch["reads"],
            )
        })
        .collect();
    let null = &serde_json::Value::Null;
    assert_eq!(who.len(), 2, "{value}");
    assert_eq!((who[1].0.as_str(), who[1].1), (Some("gone"), null));
    assert_eq!(who[0].0, "smartctl");
    assert_eq!(
        (who[0].1.as_str(), who[0].2.as_u64()),
        (Some("/usr/bin/smartctl"), Some(2))
    );
}

#[test]
fn a_sleeper_that_is_in_use_is_not_touched() {
    let sim = system();
    sim.world().arrays.clear();
    sim.world().add(SimArray::new("md0", &[3, 5]));
    traced(
        &sim,
        1,
        "smartctl-913",
        EVENTS[0],
        "8,64 R 0 + 8 [smartctl]",
    );
    let value = json(&sim, "who --live --for 2s");
    assert_eq!(value["arrays"][0]["touches"], serde_json::json!([]));
}

#[test]
fn what_is_written_late_is_a_touch_of_the_kernel_s_thread() {
    let sim = system();
    woken(&sim, 1, 4, "process kworker/u8:1[78]");
    traced(
        &sim,
        2,
        "kworker/u8:1-78",
        EVENTS[0],
        "8,64 W 0 + 8 [kworker/u8:1]",
    );
    let value = json(&sim, "who --live --for 3s");
    assert_eq!(
        value["arrays"][0]["touches"][0]["process"]["comm"],
        "kworker/u8:1"
    );
}

#[test]
fn the_log_has_wakes_and_touches_and_daily_totals() {
    let sim = system();
    happenings(&sim);
    // An hour later it is another day.
    sim.world().zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(15));
    let day = 3_600;
    woken(&sim, day, 3, "gear bash[812]");
    woken(&sim, day + 60, 4, "process smartctl[913]");
    woken(&sim, day + 120, 4, "request");
    let left = paradm(&sim, "who --log --for 2h");
    assert_eq!(
        (left.code, left.out.as_str(), left.err.as_str()),
        (0, "", "")
    );
    golden(
        &expect_file!["../golden/who.txt"],
        &session(&sim, &["who", "who md0 --days 1"]),
    );
    let value = json(&sim, "who");
    assert_eq!(value["schema"], "paradm.who/1");
    let totals = &value["days"][1]["totals"];
    assert_eq!(totals[0]["by"], "smartctl (smartmontools.service)");
    assert_eq!(
        (&totals[0]["wakes"], &totals[0]["requests"]),
        (&1.into(), &2.into())
    );
    assert_eq!(totals[1]["by"], "policy: load of rsync (backup.service)");
    assert!(sim.world().instances().is_empty());
}

#[test]
fn touches_are_logged_once_an_hour_and_not_twice() {
    let sim = system();
    for at in 0..3 {
        traced(
            &sim,
            10 + at * 1800,
            "smartctl-913",
            EVENTS[0],
            "8,64 R 0 + 8 [smartctl]",
        );
    }
    for line in ["who --log --for 3000s", "who --log --live --for 3000s"] {
        assert_eq!(paradm(&sim, line).code, 0, "{line}");
    }
    let entries = who::load(&sim).unwrap();
    let requests = entries.iter().map(|entry| match entry.what {
        who::What::Touch { requests, .. } => requests,
        who::What::Wake { .. } => panic!("{entry:?}"),
    });
    assert_eq!(requests.collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn an_array_that_is_started_meanwhile_is_watched() {
    let sim = system();
    after(&sim, 5, |world| {
        let mut array = SimArray::of_level("md1", 5, &[3, 4], 'p').in_gear(3);
        array.tell(&[("PAR_EVENT", "shift".to_owned())]);
        world.add(array);
    });
    after(&sim, 8, |world| {
        let (time, now) = (world.seconds(), world.elapsed());
        world.array("md1").disturb(3, "request", time, now);
    });
    let value = json(&sim, "who --live --for 10s");
    assert_eq!(value["arrays"][1]["wakes"][0]["device"], "sds", "{value}");
    assert!(sim.world().instances().is_empty());
    // One that is stopped meanwhile is no error.
    after(&sim, 1, |world| world.stop("md1"));
    assert_eq!(paradm(&sim, "who --live --for 3s").code, 0);
}

#[test]
fn the_daemon_records_what_it_hears() {
    let sim = system();
    let mut event = Uevent::default();
    for (key, value) in [
        ("DEVNAME", "md0"),
        ("PAR_EVENT", "wake"),
        ("PAR_MEMBER", "4"),
        ("PAR_DEVICE", "sde"),
        ("PAR_CAUSE", "process smartctl[913]"),
    ] {
        event.values.insert(key.to_owned(), value.to_owned());
    }
    assert!(who::record_event(&sim, &event).unwrap());
    event
        .values
        .insert("PAR_EVENT".to_owned(), "sleep".to_owned());
    assert!(!who::record_event(&sim, &event).unwrap());
    let entries = who::load(&sim).unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].culprit(), "smartctl (smartmontools.service)");
}

#[test]
fn to_look_writes_nothing_and_asks_no_file_system() {
    let sim = system();
    for line in ["who", "who md0 --json", "who --days 35"] {
        assert_eq!(paradm(&sim, line).code, 0, "{line}");
    }
    let world = sim.world();
    assert!(world.written.is_empty() && world.ran.is_empty());
    assert!(world.read.iter().all(|path| path.starts_with("/sys")
        || path.starts_with("/proc")
        || path.starts_with("/var/lib/paradm")));
}

#[test]
fn wrong_arguments_and_who_may_not() {
    let sim = system();
    let mut text = session(
        &sim,
        &[
            "who md7",
            "who md0 md1",
            "who --days 0",
            "who --days 36",
            "who --days 3 --live",
            "who --days 3 --log",
            "who --for 3s",
            "who --live --for soon",
            "who --log --for -3s",
        ],
    );
    sim.world().root = false;
    text += &session(&sim, &["who --live --for 1s", "who --log --for 1s"]);
    text += &session(&SimSystem::new(), &["who --live --for 1s", "who md0 --log"]);
    let none = SimSystem::new();
    none.world().tree.file("/proc/self/mountinfo", "");
    text += &session(&none, &["who"]);
    golden(&expect_file!["../golden/who-refused.txt"], &text);
    assert!(!sim.exists(who::FILE.as_ref()));
}
