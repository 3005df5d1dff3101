// SPDX-License-Identifier: GPL-2.0
//! The log of wakes and touches: a line of JSON each, of the last days, and of limited size.

use super::process::Process;
use crate::error::{Error, Result};
use crate::system::System;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::path::Path;

pub const FILE: &str = "/var/lib/paradm/who.jsonl";
const LOCK: &str = "/var/lib/paradm/who.lock";
/// Days that are kept.
pub const DAYS: u32 = 35;
/// Bytes that are kept: a wake takes some hundreds.
const MOST: usize = 1 << 20;

/// Something has happened to a sleeper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Seconds since 1970.
    pub time: i64,
    pub array: String,
    pub member: u32,
    pub device: String,
    #[serde(flatten)]
    pub what: What,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum What {
    /// Its disk was started.
    Wake {
        /// As in `last_wake_cause`.
        cause: String,
        /// The process that the cause names.
        process: Option<Process>,
        /// Who has loaded the array in the minute before, the busiest first.
        load: Vec<Load>,
    },
    /// A process has sent requests past the array, to a disk that the gear leaves out.
    Touch { process: Process, requests: u64 },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    pub process: Process,
    pub requests: u64,
}

impl Entry {
    /// Who or what is behind it, in words that are the same the next day.
    pub fn culprit(&self) -> String {
        match &self.what {
            What::Touch { process, .. } => process.kind(),
            What::Wake {
                cause,
                process,
                load,
            } => {
                let word = cause.split(' ').next().unwrap_or_default();
                match (process, load.first()) {
                    (Some(process), _) if word == "process" => process.kind(),
                    (Some(process), _) => format!("{word}: {}", process.kind()),
                    (None, Some(load)) => format!("{word}: load of {}", load.process.kind()),
                    (None, None) => word.to_owned(),
                }
            }
        }
    }
}

impl Entry {
    /// The same wake, told by somebody else who listens.
    fn is_same(&self, other: &Entry) -> bool {
        let cause = |entry: &Entry| match &entry.what {
            What::Wake { cause, .. } => Some(cause.clone()),
            What::Touch { .. } => None,
        };
        let place = |entry: &Entry| (entry.array.clone(), entry.member);
        cause(self).is_some()
            && cause(self) == cause(other)
            && place(self) == place(other)
            && self.time.abs_diff(other.time) <= 2
    }
}

/// Add to the log. What is too old or too much is forgotten, the oldest first.
pub fn record(system: &dyn System, entries: &[Entry]) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let path = Path::new(FILE);
    let _guard = lock(system)?;
    let mut text = kept(&text(system)?, system.now().as_second());
    let known: Vec<Entry> = parsed(&text).collect();
    for entry in entries
        .iter()
        .filter(|entry| !known.iter().any(|known| known.is_same(entry)))
    {
        text += &serde_json::to_string(entry).map_err(std::io::Error::other)?;
        text.push('\n');
    }
    let text = newest(&text);
    system
        .replace(path, text)
        .map_err(|error| Error::write(path, "the log", &error))
}

/// All that is in the log, the oldest first. A line that is none of ours is left out.
pub fn load(system: &dyn System) -> Result<Vec<Entry>> {
    Ok(parsed(&text(system)?).collect())
}

fn parsed(text: &str) -> impl Iterator<Item = Entry> {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
}

fn text(system: &dyn System) -> Result<String> {
    let path = Path::new(FILE);
    match system.read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        other => other.map_err(|error| Error::read(path, error)),
    }
}

fn lock(system: &dyn System) -> Result<Box<dyn Any>> {
    let path = Path::new(LOCK);
    system
        .lock(path)
        .map_err(|error| Error::write(path, "a lock", &error))
}

/// A line that cannot be read has no age: it stays until there is too much.
fn kept(text: &str, now: i64) -> String {
    let oldest = now - i64::from(DAYS) * 86_400;
    let is_young = |line: &&str| {
        serde_json::from_str::<Entry>(line).map_or(true, |entry| entry.time >= oldest)
    };
    let lines = text.lines().filter(is_young);
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Whole lines from the end.
fn newest(text: &str) -> &str {
    let Some(from) = text.len().checked_sub(MOST) else {
        return text;
    };
    let cut = text
        .as_bytes()
        .iter()
        .skip(from)
        .position(|byte| *byte == b'\n');
    cut.and_then(|at| text.get(from + at + 1..))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{START, SimSystem};
    use proptest::prelude::*;

    fn wake(time: i64, cause: &str) -> Entry {
        Entry {
            time,
            array: "md0".to_owned(),
            member: 4,
            device: "sde".to_owned(),
            what: What::Wake {
                cause: cause.to_owned(),
                process: None,
                load: Vec::new(),
            },
        }
    }

    #[test]
    fn entries_come_back_and_old_ones_go() {
        let sim = SimSystem::new();
        let now = START.as_second();
        let entries = [
            wake(now - 36 * 86_400, "request"),
            wake(now - 34 * 86_400, "policy"),
        ];
        record(&sim, &entries).unwrap();
        assert_eq!(load(&sim).unwrap(), entries);
        record(&sim, &[wake(now, "failure")]).unwrap();
        let causes: Vec<_> = load(&sim).unwrap().iter().map(Entry::culprit).collect();
        assert_eq!(causes, ["policy", "failure"]);
    }

    #[test]
    fn the_log_stays_small_and_its_lines_whole() {
        let sim = SimSystem::new();
        let many: Vec<_> = (0..9000)
            .map(|at| wake(START.as_second() + at, "superblock"))
            .collect();
        record(&sim, &many).unwrap();
        record(&sim, &[wake(START.as_second(), "the last")]).unwrap();
        let text = sim.read(Path::new(FILE)).unwrap();
        assert!(
            text.len() <= MOST && text.len() > MOST - 1000,
            "{}",
            text.len()
        );
        let loaded = load(&sim).unwrap();
        assert_eq!(loaded.len(), text.lines().count());
        assert_eq!(loaded.last().unwrap().culprit(), "the");
    }

    #[test]
    fn a_wake_that_two_listeners_tell_is_one() {
        let sim = SimSystem::new();
        let now = START.as_second();
        for time in [now, now + 1, now + 4] {
            record(&sim, &[wake(time, "policy")]).unwrap();
        }
        record(&sim, &[wake(now, "request")]).unwrap();
        let times: Vec<_> = load(&sim)
            .unwrap()
            .iter()
            .map(|entry| entry.time - now)
            .collect();
        assert_eq!(times, [0, 4, 0]);
    }

    #[test]
    fn a_line_of_somebody_else_s_stays_and_is_not_shown() {
        let sim = SimSystem::new();
        sim.world().tree.file(FILE, "what is this\n{\"time\": 5}\n");
        record(&sim, &[wake(START.as_second(), "policy")]).unwrap();
        assert_eq!(load(&sim).unwrap().len(), 1);
        assert!(
            sim.read(Path::new(FILE))
                .unwrap()
                .starts_with("what is this\n{")
        );
    }

    proptest! {
        #[test]
        fn any_text_is_a_log(text in "[ -~\n]{0,200}|(\\{\"time\":-?[0-9]{0,20},\"array\":\"md0\",\"member\":4,\"device\":\"x\",\"what\":\"[a-z]*\"\\}\n){0,3}") {
            let sim = SimSystem::new();
            sim.world().tree.file(FILE, &text);
            let before = load(&sim).unwrap().len();
            record(&sim, &[wake(START.as_second(), "policy")]).unwrap();
            prop_assert!(load(&sim).unwrap().len() <= before + 1);
        }

        #[test]
        fn what_is_kept_ends_as_it_did(text in "([a-z]{0,9}\n){0,9}", more in 0usize..100) {
            let long = "x".repeat(MOST - more) + "\n" + &text;
            let kept = newest(&long);
            prop_assert!(kept.len() <= MOST && long.ends_with(kept));
            prop_assert!(kept.is_empty() || long.len() == kept.len() || long.as_bytes()[long.len() - kept.len() - 1] == b'\n');
        }
    }
}
