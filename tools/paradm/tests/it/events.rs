// SPDX-License-Identifier: GPL-2.0
//! `paradm events`: after the daemon has watched arrays, in simulated time.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::history::{ArrayKey, Event, History};
use paradm::sim::{SimArray, SimSystem};
use std::path::Path;
use std::time::Duration;

fn gear(sim: &SimSystem, minutes: u64, array: &'static str, gear: &'static str) {
    sim.after(Duration::from_secs(minutes * 60), move |world| {
        let file = format!("/sys/block/{array}/md/par/gear");
        world.write(Path::new(&file), gear).unwrap();
    });
}

/// The daemon has seen two arrays shift, and has ended; one of them runs no more.
fn watched() -> SimSystem {
    let other = SimArray::of_level("md127", 5, &[2, 3], 'k');
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5]), other]);
    sim.world().tree.link("/dev/md/home", "/dev/md0");
    gear(&sim, 10, "md0", "3");
    gear(&sim, 50, "md127", "2");
    gear(&sim, 70, "md0", "5");
    sim.after(Duration::from_secs(7200), |world| world.daemon.stop());
    assert_eq!(paradm(&sim, "daemon").code, 0);
    sim.world().stop("md127");
    sim
}

#[test]
fn what_the_daemon_has_kept_is_shown() {
    let lines = [
        "events",
        "events md0",
        "events /dev/md/home --kind wake",
        "events md127",
        "events /dev/md127 --kind shift,sleep --since 90min",
        "events --since 30min",
        "events --since '2036-01-01 00:00'",
        "events md7",
        "events --kind wakes",
        "events --since yesterday",
        "events md0 --kind wake --json",
    ];
    golden(
        &expect_file!["../golden/events.txt"],
        &session(&watched(), &lines),
    );
}

#[test]
fn without_a_history_there_are_none() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    for line in ["events", "events md0"] {
        let left = paradm(&sim, line);
        let said = "no event is kept: `paradm daemon` keeps them while it runs\n";
        assert_eq!((left.code, left.out.as_str()), (0, said));
    }
    assert_eq!(json(&sim, "events")["first"], serde_json::Value::Null);
    assert!(sim.world().written.is_empty());
}

#[test]
fn a_history_that_cannot_be_read_is_told() {
    let sim = watched();
    sim.world().tree.file(paradm::history::FILE, "");
    let history = History::open(&sim).unwrap();
    drop(history);
    let connection = paradm::system::System::database(&sim, Path::new(paradm::history::FILE), true);
    connection
        .unwrap()
        .execute_batch("PRAGMA user_version = 2")
        .unwrap();
    let left = paradm(&sim, "events");
    assert_eq!(left.code, 5);
    assert!(left.err.contains("version 2"), "{left}");
}

/// A shift up because the write log fills up: of the module's uevent, as the daemon has kept it.
#[test]
fn a_decision_has_its_reason() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5]).in_gear(3)]);
    sim.after(Duration::from_secs(60), |world| {
        let values = [
            ("PAR_EVENT", "decision"),
            ("PAR_DECISION", "up"),
            ("PAR_REASON", "log"),
            ("PAR_GEAR", "5"),
            ("PAR_ABOUT", "5"),
        ];
        let values = values.map(|(key, value)| (key, value.to_owned()));
        world.array("md0").tell(&values);
    });
    sim.after(Duration::from_secs(600), |world| world.daemon.stop());
    assert_eq!(paradm(&sim, "daemon").code, 0);
    let left = paradm(&sim, "events --kind decision");
    let said = "2026-11-24 08:01:00  the policy of md0: up to gear 5, log\n";
    assert_eq!((left.code, left.out.as_str()), (0, said));
    let event = json(&sim, "events --kind decision")["events"][0].clone();
    assert_eq!(
        (&event["cause"], &event["what"]),
        (&"log".into(), &"up".into())
    );
}

/// A process chooses its name, and an event has it.
#[test]
fn no_name_works_the_terminal() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    let event = Event {
        time: jiff::Timestamp::now().as_second(),
        array: "md0".to_owned(),
        kind: "wake".to_owned(),
        gear: None,
        member: Some(4),
        device: Some("sde".to_owned()),
        cause: Some("process \u{1b}[2J\n[913]".to_owned()),
        what: None,
    };
    let key = ArrayKey::of(&sim, "md0");
    let mut history = History::open(&sim).unwrap();
    history.add(&[], &[(key, event)]).unwrap();
    let left = paradm(&sim, "events --since 36500days");
    assert!(
        left.out.contains("was woken by process ?[2J?[913]\n"),
        "{left}"
    );
    assert_eq!(left.out.lines().count(), 1);
}
