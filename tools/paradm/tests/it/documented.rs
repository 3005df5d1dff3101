// SPDX-License-Identifier: GPL-2.0
//! What programs go by is in the documents: each field of each JSON document, and each exit code.

use crate::create;
use crate::harness::{CODES, paradm};
use paradm::daemon::Kind;
use paradm::error::exit;
use paradm::history::{ArrayKey, Event, History};
use paradm::policy_ffi::Reason;
use paradm::sim::{SimArray, SimLog, SimSlots, SimSystem};
use paradm::system::{Ran, System, Uevent};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

const DOCUMENTS: [(&str, &str); 8] = [
    (
        "paradm.md",
        include_str!("../../../../Documentation/paradm.md"),
    ),
    (
        "paradm-create.md",
        include_str!("../../../../Documentation/paradm-create.md"),
    ),
    (
        "paradm-daemon.md",
        include_str!("../../../../Documentation/paradm-daemon.md"),
    ),
    (
        "paradm-doctor.md",
        include_str!("../../../../Documentation/paradm-doctor.md"),
    ),
    (
        "paradm-metrics.md",
        include_str!("../../../../Documentation/paradm-metrics.md"),
    ),
    (
        "paradm-plan.md",
        include_str!("../../../../Documentation/paradm-plan.md"),
    ),
    (
        "paradm-schedule.md",
        include_str!("../../../../Documentation/paradm-schedule.md"),
    ),
    (
        "paradm-who.md",
        include_str!("../../../../Documentation/paradm-who.md"),
    ),
];

/// Fields that have the names of files.
const SYSFS: &str = include_str!("../../../../Documentation/sysfs-par.md");

/// Commands that show something, one after the other.
const LINES: [&str; 28] = [
    "status",
    "explain",
    "events",
    "schedule show",
    "metrics",
    "metrics --textfile /tmp/par.prom",
    "doctor",
    "policy show",
    "policy preset",
    "policy set hold=61",
    "policy preset quiet",
    "pin set 3-5 --for 1h",
    "pin show",
    "pin end",
    "policy set policy=auto",
    "schedule apply",
    "schedule off",
    "scrub limit 20M",
    "scrub start",
    "scrub show",
    "scrub pause",
    "shift 3",
    "who",
    "who --live --for 1s",
    "plan --disks 5x4T --load nas",
    "plan --disks 5x4T --data 8T",
    "create md9 /dev/sdv /dev/sdw /dev/sdx --dry-run",
    "manual /tmp/share",
];

/// In backquotes: of each such text, the words.
fn quoted(text: &str) -> BTreeSet<&str> {
    let parts = text.split('`').enumerate();
    let inside = parts.filter(|(at, _)| at % 2 == 1).map(|(_, part)| part);
    inside
        .flat_map(|part| part.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')))
        .collect()
}

fn keys<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                found.insert(key);
                keys(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

/// All documents that commands print, by their schema.
fn printed() -> BTreeMap<String, Vec<Value>> {
    let sim = create::system(&[], &[]);
    for file in ["/proc/self/mountinfo", "/proc/swaps"] {
        sim.world().tree.file(file, "");
    }
    sim.world().array("md0").log = Some(SimLog::quarter());
    sim.world().array("md0").slots = Some(SimSlots::tenth());
    sim.world().array("md0").load_by_hour = vec![(9, 31.07, 88.2, 7, 1.57)];
    let key = ArrayKey::of(&sim, "md0");
    let event = Event::of(&uevent("wake"), sim.now().as_second()).unwrap();
    let mut history = History::open(&sim).unwrap();
    history.add(&[], &[(key, event)]).unwrap();
    drop(history);
    let mut printed: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in LINES {
        let left = paradm(&sim, &format!("{line} --json"));
        assert!(left.code <= exit::FINDINGS, "{line}: {left}");
        assert_eq!(left.out.lines().count(), 1, "{line}: {left}");
        let value: Value = serde_json::from_str(&left.out).unwrap();
        let schema = value["schema"].as_str().unwrap().to_owned();
        printed.entry(schema).or_default().push(value);
    }
    printed
}

#[test]
fn each_field_of_each_document() {
    let files = quoted(SYSFS);
    let mut missing = Vec::new();
    for (schema, values) in printed() {
        let named = format!("`{schema}`");
        let Some((name, text)) = DOCUMENTS.iter().find(|(_, text)| text.contains(&named)) else {
            missing.push(format!("{schema}: in no document"));
            continue;
        };
        let words = quoted(text);
        let mut fields = BTreeSet::new();
        for value in &values {
            keys(value, &mut fields);
        }
        // Of this one paradm.md tells for all.
        fields.remove("schema");
        let unknown = fields
            .iter()
            .filter(|field| !words.contains(*field) && !files.contains(*field));
        missing.extend(unknown.map(|field| format!("{schema}: {field} is not in {name}")));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn uevent(kind: &str) -> Uevent {
    let values = [("DEVNAME", "md0"), ("PAR_EVENT", kind)];
    Uevent {
        action: "change".to_owned(),
        path: "/devices/virtual/block/md0".to_owned(),
        values: values
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
    }
}

/// What a hook gets on its standard input has the fields of the document, and no others; and there is no event but
/// those of the documents.
#[test]
fn each_field_and_kind_of_an_event_as_hooks_get_it() {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    let config = "hook = \"/x\"\n";
    sim.world().tree.file("/etc/paradm/daemon.toml", config);
    sim.program("/x", |_, _| Ran::default());
    for (at, gear) in [(60, "3"), (120, "5")] {
        sim.after(Duration::from_secs(at), move |world| {
            let file = Path::new("/sys/block/md0/md/par/gear");
            world.write(file, gear).unwrap();
        });
    }
    sim.after(Duration::from_secs(300), |world| world.daemon.stop());
    assert_eq!(paradm(&sim, "daemon").code, 0);
    let (_, text) = DOCUMENTS[2];
    let (_, text) = text.split_once("The JSON of an event: ").unwrap();
    let (text, _) = text.split_once("\n\n").unwrap();
    let names = quoted(text);
    let names: BTreeSet<_> = names
        .into_iter()
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase()))
        .collect();
    let mut kinds = BTreeSet::new();
    for program in &sim.world().ran {
        let event: Value = serde_json::from_str(program.input.as_ref().unwrap()).unwrap();
        let mut fields = BTreeSet::new();
        keys(&event, &mut fields);
        assert_eq!(fields, names);
        kinds.insert(event["kind"].as_str().unwrap().to_owned());
    }
    assert_eq!(kinds, ["shift", "sleep", "wake"].map(str::to_owned).into());
}

/// Of the module's events, as sysfs-par.md has them, the daemon knows all, and no others; its document too.
#[test]
fn each_kind_of_event() {
    let told = SYSFS
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("PAR_EVENT="));
    let told: BTreeSet<_> = told.collect();
    let known: BTreeSet<_> = Kind::ALL.map(Kind::name).into();
    // The daemon tells of a failed member by the `state` that it leads to.
    let told: BTreeSet<_> = told
        .into_iter()
        .filter(|kind| *kind != "fail")
        .chain(["state"])
        .collect();
    assert_eq!(told, known);
    let (_, text) = DOCUMENTS[2];
    let row = text
        .lines()
        .find(|line| line.starts_with("| `hook_events` |"))
        .unwrap();
    let documented: BTreeSet<_> = row.split('`').skip(3).step_by(2).collect();
    assert_eq!(documented, known);
}

/// The reasons of its decisions too: what is told of them is of the policy's own words.
#[test]
fn each_reason_of_a_decision() {
    let (_, table) = SYSFS.split_once("| PAR_REASON | meaning |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let rows = table.lines().filter(|row| row.starts_with("| `"));
    let told: BTreeSet<_> = rows
        .flat_map(|row| quoted(row.split('|').nth(1).unwrap()))
        .filter(|word| !word.is_empty())
        .collect();
    let known: Vec<_> = Reason::ALL.iter().map(|reason| reason.name()).collect();
    let known: BTreeSet<_> = known.iter().flat_map(|name| name.split('-')).collect();
    assert!(told.is_subset(&known), "{told:?} {known:?}");
    let (_, text) = DOCUMENTS[2];
    let (_, text) = text.split_once("The `cause` of a decision").unwrap();
    let (text, _) = text.split_once("\n\n").unwrap();
    for reason in ["load", "quiet", "budget", "log"] {
        assert!(told.contains(reason) && quoted(text).contains(reason));
    }
}

/// The other way round: no schema is documented that nothing prints.
#[test]
fn each_schema_that_is_documented_is_printed() {
    let printed = printed();
    for (name, text) in DOCUMENTS {
        for rest in text.split("`paradm.").skip(1) {
            let schema = rest.split('`').next().unwrap_or_default();
            let is_schema = schema
                .rsplit_once('/')
                .is_some_and(|(_, version)| version.parse::<u32>().is_ok());
            let schema = format!("paradm.{schema}");
            assert!(
                !is_schema || printed.contains_key(&schema),
                "{name}: nothing prints {schema}"
            );
        }
    }
}

#[test]
fn each_exit_code() {
    let (_, text) = DOCUMENTS[0];
    let (_, table) = text.split_once("## Exit codes").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
    let codes: Vec<u8> = rows
        .filter_map(|row| row.split(' ').next()?.parse().ok())
        .collect();
    assert_eq!(codes, CODES);
}
