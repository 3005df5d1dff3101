// SPDX-License-Identifier: GPL-2.0
//! Every command on a system of which some files hold anything: it ends with a documented exit code, an error is one
//! line, and what only looks changes nothing. sysfs.rs has the files of one array, and the commands that show them.

use crate::create;
use crate::harness::{CODES, Left, paradm};
use crate::who;
use paradm::error::exit;
use paradm::history::{ArrayKey, History};
use paradm::sim::{SimLog, SimSlots, SimSystem};
use paradm::system::{Ran, System};
use proptest::prelude::*;
use rusqlite::params;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Commands that change nothing; `who --live` has an instance of tracefs while it runs.
const LOOKING: [&str; 18] = [
    "status",
    "status --json",
    "explain",
    "policy show",
    "scrub show",
    "schedule show",
    "schedule show --json",
    "metrics",
    "events",
    "events --since 7days --json",
    "pin show",
    "doctor",
    "doctor --fix --dry-run",
    "who",
    "who --days 3 --json",
    "who --live --for 12s",
    "plan /dev/sdv /dev/sdw /dev/sdx --data 1T",
    "create md9 /dev/sdv /dev/sdw /dev/sdx --dry-run",
];

const CHANGING: [&str; 13] = [
    "policy set hold=61 up_threshold=80",
    "policy preset fast",
    "pin set top --for 1h",
    "pin set 3-5",
    "pin end",
    "schedule apply",
    "schedule off",
    "scrub start",
    "scrub limit 20M",
    "shift top --timeout 60",
    "shift 3 --no-wait",
    "doctor --fix",
    "daemon",
];

const KEPT: [&str; 5] = [
    "/etc/paradm/daemon.toml",
    "/var/lib/paradm/pins.json",
    "/var/lib/paradm/schedules.json",
    "/var/lib/paradm/who.jsonl",
    "/proc/swaps",
];

/// An array with a log, slots, a history, a pin that ends and a schedule; disks for another one; processes and traces.
fn system() -> SimSystem {
    let sim = who::system();
    create::equip(&sim, &[], &[]);
    who::happenings(&sim);
    let mut world = sim.world();
    let now = i64::try_from(world.seconds()).unwrap() / 3600;
    let array = world.array("md0");
    array.log = Some(SimLog::quarter());
    array.slots = Some(SimSlots::tenth());
    array.load_by_hour = vec![(9, 31.07, 88.2, 7, 1.57), (10, 5.0, 9.5, 3, 0.0)];
    let load = |hour: i64| if hour % 24 < 9 { 5.0 } else { 65.0 };
    array.load_history = (now - 168..now)
        .map(|hour| (hour, load(hour) / 2.0, load(hour)))
        .collect();
    world.tree.file(
        KEPT[0],
        "listen = \"127.0.0.1:9110\"\ntextfile = \"/var/x.prom\"\nmail = \"root\"\nhook = \"/x\"\n\
         [standby]\n\"/dev/sde\" = \"hdparm\"\n",
    );
    world.tree.file(
        KEPT[3],
        "{\"time\":1795500000,\"array\":\"md0\",\"member\":4,\"device\":\"sde\",\"what\":\"wake\",\
         \"cause\":\"policy\"}\n",
    );
    world
        .tree
        .file(KEPT[4], "Filename Type Size Used Priority\n");
    drop(world);
    for program in ["/x", "hdparm", "sendmail"] {
        sim.program(program, |_, _| Ran::default());
    }
    for line in ["policy set policy=auto", "schedule apply"] {
        assert_eq!(paradm(&sim, line).code, exit::DONE, "{line}");
    }
    sim.world().written.clear();
    sim
}

/// The daemon runs for some minutes, with a caller and a reload, while the array shifts.
fn run(sim: &SimSystem, line: &str) -> Left {
    if line == "daemon" {
        sim.after(Duration::from_secs(20), |world| world.daemon.reload());
        sim.after(Duration::from_secs(40), |world| {
            let _ = world.write(Path::new("/sys/block/md0/md/par/gear"), "5");
            world.daemon.call("GET /metrics HTTP/1.1\r\n\r\n");
        });
        sim.after(Duration::from_secs(700), |world| world.daemon.stop());
    }
    paradm(sim, line)
}

/// Of each command, the files that it reads, and what they hold.
type Files = Vec<(&'static str, Vec<(PathBuf, String)>)>;

fn files() -> Files {
    let lines = LOOKING.into_iter().chain(CHANGING);
    lines.map(|line| (line, files_of(line))).collect()
}

fn files_of(line: &str) -> Vec<(PathBuf, String)> {
    let sim = system();
    let left = run(&sim, line);
    let is_done = left.code <= exit::FINDINGS || line == "pin end";
    assert!(is_done, "{line}: {left}");
    let mut paths: BTreeSet<_> = KEPT.iter().map(PathBuf::from).collect();
    paths.extend(sim.world().read.keys().cloned());
    let sim = system();
    let held = |path: PathBuf| Some((path.clone(), sim.read(&path).ok()?));
    paths.into_iter().filter_map(held).collect()
}

/// Numbers at the bounds of types, and of sectors whose bytes fit.
const BOUNDS: [&str; 7] = [
    "0",
    "-1",
    "2147483648",
    "4294967295",
    "36028797018963967",
    "9223372036854775807",
    "18446744073709551615",
];

/// Its words changed, cut off, repeated; numbers at their bounds.
fn near(text: &str, changes: &[(usize, u8)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (at, byte) in changes {
        let at = at % (bytes.len() + 1);
        match byte % 6 {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, *byte),
            2 => bytes.extend_from_within(at..),
            3 => drop(bytes.splice(at..at, *b"18446744073709551615")),
            4 => drop(bytes.splice(at..at, *b"9223372036854775807")),
            _ => bytes.insert(at, b"0 -.9\n/\"{"[usize::from(*byte) % 9]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn complaint(line: &str, left: &Left) -> Option<String> {
    let said_once = match left.code {
        exit::DONE | exit::FINDINGS => true,
        // The daemon's log goes the same way.
        _ if line == "daemon" => left.err.lines().any(|line| line.starts_with("paradm: ")),
        _ => {
            left.err
                .lines()
                .filter(|line| line.starts_with("paradm: "))
                .count()
                == 1
        }
    };
    let printable = !left.err.contains(|c: char| c.is_control() && c != '\n');
    (!CODES.contains(&left.code) || !said_once || !printable).then(|| format!("{line}: {left}"))
}

/// PROPTEST_CASES asks for more.
fn cases() -> u32 {
    let more = std::env::var("PROPTEST_CASES").ok();
    more.and_then(|cases| cases.parse().ok()).unwrap_or(400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn any_file_may_hold_anything(
        spoiled in prop::collection::vec((
            any::<prop::sample::Index>(), prop::collection::vec((any::<usize>(), any::<u8>()), 1..4),
            prop::option::weighted(0.5, prop_oneof![
                "[0-9 ./a-z\n-]{0,24}|-?[0-9]{1,20}|.*".boxed(),
                prop::sample::select(BOUNDS.to_vec()).prop_map(str::to_owned).boxed(),
            ]),
        ), 1..4),
        command in any::<prop::sample::Index>(),
    ) {
        thread_local!(static FILES: Files = files());
        let sim = system();
        let (line, files) = FILES.with(|commands| command.get(commands).clone());
        let mut shown = Vec::new();
        for (at, changes, other) in spoiled {
            let (path, old) = at.get(&files);
            let new = other.unwrap_or_else(|| near(old, &changes));
            sim.world().spoil(path, &new);
            shown.push((path, new));
        }
        let left = run(&sim, line);
        prop_assert_eq!(complaint(line, &left), None, "{:?}", shown);
        if LOOKING.contains(&line) {
            let tracing = Path::new("/sys/kernel/tracing");
            let world = sim.world();
            let wrong: Vec<_> = world.written.iter().filter(|(path, _)| !path.starts_with(tracing)).collect();
            prop_assert!(wrong.is_empty(), "{}: {:?}", line, wrong);
        }
    }

    /// As sysfs.rs of files: whatever somebody has put into the tables, the commands show it.
    #[test]
    fn any_row_of_the_history_is_shown_or_an_error(
        rows in prop::collection::vec((any::<i64>(), -10i64..1_900_000_000, "\\PC*|shift|wake|decision", any::<f64>(), any::<i64>()), 0..8),
        command in prop::sample::select(vec![
            "events --since 3650days", "events --since 3650days --json", "schedule show", "schedule show --json", "daemon",
        ]),
    ) {
        let sim = system();
        drop(History::open(&sim).unwrap());
        let database = sim.database(Path::new(paradm::history::FILE), true).unwrap();
        let key = ArrayKey::of(&sim, "md0");
        History::open(&sim).unwrap().add(&[(key, Vec::new())], &[]).unwrap();
        for (any, time, word, number, gear) in rows {
            let _ = database.execute("INSERT OR IGNORE INTO array VALUES (1, 'md0', 'md0')", []);
            let _ = database.execute("INSERT INTO hour VALUES (1, ?1, ?2, ?3)", params![time / 3600, number, number]);
            let _ = database.execute("INSERT INTO hour VALUES (1, ?1, ?2, ?3)", params![any, word, number]);
            let _ = database.execute(
                "INSERT INTO event VALUES (NULL, ?1, 1, ?2, ?3, ?3, ?2, ?2, ?2)", params![any, word, gear]);
            let _ = database.execute(
                "INSERT INTO event VALUES (NULL, ?1, 1, ?2, 3, 4, 'sde', ?2, ?2)", params![time, word]);
        }
        let left = run(&sim, command);
        prop_assert_eq!(complaint(command, &left), None);
    }
}
