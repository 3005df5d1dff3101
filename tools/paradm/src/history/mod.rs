// SPDX-License-Identifier: GPL-2.0
//! What the daemon keeps of the past, in a database of bounded size: the load of each hour, and events.
//!
//! Arrays are known by their UUID, where the kernel tells it, else by name.

mod event;

pub use event::Event;

use crate::array::{self, PastHour};
use crate::error::{Error, Result};
use crate::pin;
use crate::system::System;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use std::path::Path;

pub const FILE: &str = "/var/lib/paradm/history.db";

/// Of the tables below. A newer paradm may change them, and count on.
const VERSION: u32 = 1;
const TABLES: &str = "
    CREATE TABLE array (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
    CREATE TABLE hour (
        array INTEGER NOT NULL REFERENCES array, hour INTEGER NOT NULL, mean REAL NOT NULL, peak REAL NOT NULL,
        PRIMARY KEY (array, hour)
    ) WITHOUT ROWID;
    CREATE TABLE event (
        id INTEGER PRIMARY KEY, time INTEGER NOT NULL, array INTEGER NOT NULL REFERENCES array, kind TEXT NOT NULL,
        gear INTEGER, member INTEGER, device TEXT, cause TEXT, what TEXT
    );
    CREATE INDEX event_by_time ON event (time);
    PRAGMA user_version = 1;
";
/// KiB of memory for its pages, and pages of 4 KiB that the file may have: what is kept fills a tenth.
const CACHE: &str = "PRAGMA cache_size = -256; PRAGMA max_page_count = 16384;";
/// The newest ones are kept, whatever their age. A stop and start each minute makes as many in three weeks.
const MOST_EVENTS: u32 = 100_000;

pub struct History(Connection);

impl History {
    /// To add to it; it is made if there is none.
    pub fn open(system: &dyn System) -> Result<Self> {
        let connection = system
            .database(Path::new(FILE), true)
            .map_err(|error| wrong(&error))?;
        let history = History(connection);
        history.set_up().map_err(|error| wrong(&error))?;
        history.check_version()?;
        Ok(history)
    }

    /// To look at it; `None`: there is none, or a daemon has just made the file, or was killed when it had.
    pub fn open_existing(system: &dyn System) -> Result<Option<Self>> {
        if !system.exists(Path::new(FILE)) {
            return Ok(None);
        }
        let connection = system
            .database(Path::new(FILE), false)
            .map_err(|error| wrong(&error))?;
        let history = History(connection);
        if history.version().map_err(|error| wrong(&error))? == 0 {
            return Ok(None);
        }
        history.check_version()?;
        Ok(Some(history))
    }

    fn set_up(&self) -> rusqlite::Result<()> {
        self.0.execute_batch(CACHE)?;
        if self.version()? == 0 {
            self.0.execute_batch(&format!("BEGIN;{TABLES}COMMIT;"))?;
        }
        Ok(())
    }

    fn version(&self) -> rusqlite::Result<u32> {
        self.0
            .query_row("PRAGMA user_version", [], |row| row.get(0))
    }

    fn check_version(&self) -> Result<()> {
        match self.version().map_err(|error| wrong(&error))? {
            VERSION => Ok(()),
            other => Err(Error::Parse {
                path: FILE.into(),
                got: format!("version {other}"),
                wanted: "a history that this paradm knows; a newer one does",
            }),
        }
    }

    /// Add hours and events, all or none.
    pub fn add(
        &mut self,
        hours: &[(ArrayKey, Vec<PastHour>)],
        events: &[(ArrayKey, Event)],
    ) -> Result<()> {
        self.add_all(hours, events).map_err(|error| wrong(&error))
    }

    fn add_all(
        &mut self,
        hours: &[(ArrayKey, Vec<PastHour>)],
        events: &[(ArrayKey, Event)],
    ) -> rusqlite::Result<()> {
        let all = self.0.transaction()?;
        let mut insert_hour = all.prepare(
            "INSERT INTO hour VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET mean = ?3, peak = ?4
             WHERE mean <> ?3 OR peak <> ?4",
        )?;
        for (key, hours) in hours {
            let id = id_of(&all, key)?;
            for hour in hours {
                insert_hour.execute(params![id, hour.hour, hour.mean, hour.peak])?;
            }
        }
        let mut insert_event =
            all.prepare("INSERT INTO event VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
        for (key, event) in events {
            let id = id_of(&all, key)?;
            insert_event.execute(params![
                event.time,
                id,
                event.kind,
                event.gear,
                event.member,
                event.device,
                event.cause,
                event.what
            ])?;
        }
        drop((insert_hour, insert_event));
        all.commit()
    }

    /// Forget what is older than so many days, and events beyond [`MOST_EVENTS`].
    pub fn shrink(&mut self, now: i64, days: u32) -> Result<()> {
        self.shrink_to(now, days, MOST_EVENTS)
            .map_err(|error| wrong(&error))
    }

    fn shrink_to(&mut self, now: i64, days: u32, events: u32) -> rusqlite::Result<()> {
        let oldest = now.saturating_sub(i64::from(days) * 86_400);
        let all = self.0.transaction()?;
        all.execute("DELETE FROM hour WHERE hour < ?1", [oldest / 3600])?;
        all.execute("DELETE FROM event WHERE time < ?1", [oldest])?;
        all.execute(
            "DELETE FROM event WHERE id <= (SELECT id FROM event ORDER BY id DESC LIMIT 1 OFFSET ?1)",
            [events],
        )?;
        all.execute(
            "DELETE FROM array WHERE id NOT IN (SELECT array FROM hour UNION SELECT array FROM event)",
            [],
        )?;
        all.commit()
    }

    /// The hours of an array that have begun since then. What cannot be an hour is left out.
    pub fn hours(&self, key: &ArrayKey, since: i64) -> Result<Vec<PastHour>> {
        self.hours_of(key, since).map_err(|error| wrong(&error))
    }

    fn hours_of(&self, key: &ArrayKey, since: i64) -> rusqlite::Result<Vec<PastHour>> {
        let mut select = self.0.prepare(
            "SELECT hour, mean, peak FROM hour JOIN array ON array.id = hour.array
             WHERE key = ?1 AND hour >= ?2 ORDER BY hour",
        )?;
        let rows = select.query_map(params![key.key, since / 3600], |row| {
            let values = (row.get(0), row.get(1), row.get(2));
            Ok(match values {
                (Ok(hour), Ok(mean), Ok(peak)) => PastHour::new(hour, mean, peak),
                _ => None,
            })
        })?;
        let hours: rusqlite::Result<Vec<_>> = rows.collect();
        Ok(hours?.into_iter().flatten().collect())
    }

    /// Events since then, oldest first.
    pub fn events(&self, since: i64, of: &Of) -> Result<Vec<Event>> {
        self.events_since(since, of).map_err(|error| wrong(&error))
    }

    fn events_since(&self, since: i64, of: &Of) -> rusqlite::Result<Vec<Event>> {
        let mut select = self.0.prepare(
            "SELECT time, name, kind, gear, member, device, cause, what FROM event JOIN array ON array.id = event.array
             WHERE time >= ?1 AND (?2 IS NULL OR key = ?2) AND (?3 IS NULL OR name = ?3) ORDER BY event.id",
        )?;
        let (key, name) = match of {
            Of::All => (None, None),
            Of::Array(key) => (Some(&key.key), None),
            Of::Name(name) => (None, Some(name)),
        };
        let rows = select.query_map(params![since, key, name], |row| {
            Ok(Event {
                time: row.get(0)?,
                array: row.get(1)?,
                kind: row.get(2)?,
                gear: row.get(3)?,
                member: row.get(4)?,
                device: row.get(5)?,
                cause: row.get(6)?,
                what: row.get(7)?,
            })
        })?;
        rows.collect()
    }

    /// When the oldest event was that is kept, of whatever array.
    pub fn first_event(&self) -> Result<Option<i64>> {
        let query = "SELECT min(time) FROM event";
        let first = self.0.query_row(query, [], |row| row.get(0));
        first.map_err(|error| wrong(&error))
    }

    /// The names of arrays that something is kept of: those that run no more among them.
    pub fn names(&self) -> Result<Vec<String>> {
        let names = || -> rusqlite::Result<Vec<String>> {
            let mut select = self.0.prepare("SELECT DISTINCT name FROM array")?;
            select.query_map([], |row| row.get(0))?.collect()
        };
        names().map_err(|error| wrong(&error))
    }
}

/// Whose events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    All,
    Array(ArrayKey),
    /// Of whatever had that name when it ran last.
    Name(String),
}

/// By which an array is known, and its name now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayKey {
    key: String,
    name: String,
}

impl ArrayKey {
    pub fn of(system: &dyn System, name: &str) -> Self {
        ArrayKey {
            key: pin::uuid(system, name).unwrap_or_else(|| name.to_owned()),
            name: name.to_owned(),
        }
    }
}

fn id_of(connection: &Connection, key: &ArrayKey) -> rusqlite::Result<i64> {
    let mut insert = connection.prepare(
        "INSERT INTO array (key, name) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET name = ?2 WHERE name <> ?2",
    )?;
    insert.execute([&key.key, &key.name])?;
    let mut select = connection.prepare("SELECT id FROM array WHERE key = ?1")?;
    let id = select.query_row([&key.key], |row| row.get(0)).optional()?;
    id.ok_or(rusqlite::Error::QueryReturnedNoRows)
}

/// All that is known of an array's hours since then: what the daemon has kept, and what the array knows itself.
pub fn past_hours(system: &dyn System, name: &str, since: i64) -> Result<Vec<PastHour>> {
    let mut hours = match History::open_existing(system)? {
        Some(history) => history.hours(&ArrayKey::of(system, name), since)?,
        None => Vec::new(),
    };
    let own = array::load_history(system, name)?;
    // The array's own are the newer ones.
    hours.retain(|hour| own.iter().all(|new| new.hour != hour.hour));
    hours.extend(own.into_iter().filter(|hour| hour.start() >= since));
    hours.sort_by_key(|hour| hour.hour);
    Ok(hours)
}

fn wrong(error: &rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Error::Parse {
            path: FILE.into(),
            got: error.to_string(),
            wanted: "a sound database; delete it, and the history begins anew",
        },
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => Error::Denied {
            what: format!("using {FILE}"),
        },
        _ => Error::Read {
            path: FILE.into(),
            source: std::io::Error::other(error.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{SimArray, SimSystem};
    use proptest::prelude::*;

    fn key(name: &str) -> ArrayKey {
        ArrayKey {
            key: format!("uuid of {name}"),
            name: name.to_owned(),
        }
    }

    fn hour(hour: i64, peak: f64) -> PastHour {
        PastHour::new(hour, peak / 2.0, peak).unwrap()
    }

    fn event(time: i64, kind: &str) -> Event {
        Event {
            time,
            array: "md0".to_owned(),
            kind: kind.to_owned(),
            gear: Some(3),
            member: None,
            device: None,
            cause: Some("policy".to_owned()),
            what: None,
        }
    }

    #[test]
    fn what_is_added_is_there_once() {
        let sim = SimSystem::new();
        let mut history = History::open(&sim).unwrap();
        let hours = vec![
            (key("md0"), vec![hour(10, 5.0), hour(11, 6.0)]),
            (key("md1"), vec![hour(10, 70.0)]),
        ];
        history
            .add(&hours, &[(key("md0"), event(36_000, "shift"))])
            .unwrap();
        history
            .add(&[(key("md0"), vec![hour(11, 7.0)])], &[])
            .unwrap();
        drop(history);
        let history = History::open_existing(&sim).unwrap().unwrap();
        assert_eq!(
            history.hours(&key("md0"), 0).unwrap(),
            [hour(10, 5.0), hour(11, 7.0)]
        );
        assert_eq!(
            history.hours(&key("md0"), 11 * 3600).unwrap(),
            [hour(11, 7.0)]
        );
        assert_eq!(history.hours(&key("md1"), 0).unwrap(), [hour(10, 70.0)]);
        assert_eq!(history.hours(&key("md2"), 0).unwrap(), []);
        assert_eq!(
            history.events(36_000, &Of::All).unwrap(),
            [event(36_000, "shift")]
        );
        assert_eq!(history.events(36_001, &Of::All).unwrap(), []);
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let sim = SimSystem::new();
        let mut history = History::open(&sim).unwrap();
        let events: Vec<_> = (0..100)
            .map(|at| (key("md0"), event(at * 86_400, "wake")))
            .collect();
        let hours = (0..100).map(|day| hour(day * 24, 1.0)).collect();
        history
            .add(
                &[(key("md0"), hours), (key("old"), vec![hour(0, 1.0)])],
                &events,
            )
            .unwrap();
        history.shrink_to(100 * 86_400, 30, 1000).unwrap();
        assert_eq!(history.events(0, &Of::All).unwrap().len(), 30);
        assert_eq!(history.hours(&key("md0"), 0).unwrap().len(), 30);
        history.shrink_to(100 * 86_400, 30, 7).unwrap();
        let left = history.events(0, &Of::All).unwrap();
        assert_eq!((left.len(), left[0].time), (7, 93 * 86_400));
        let arrays: u32 = history
            .0
            .query_row("SELECT count(*) FROM array", [], |row| row.get(0))
            .unwrap();
        assert_eq!(arrays, 1);
        history.shrink(i64::MAX, u32::MAX).unwrap();
    }

    #[test]
    fn the_array_knows_the_newest_hours_and_the_database_the_older_ones() {
        let mut array = SimArray::new("md0", &[3, 5]);
        array.load_history = vec![(500, 1.0, 2.0), (501, 1.0, 3.0)];
        let sim = SimSystem::with([array]);
        let peaks = |sim: &SimSystem, since| -> Vec<_> {
            let hours = past_hours(sim, "md0", since).unwrap();
            hours.iter().map(|hour| (hour.hour, hour.peak)).collect()
        };
        assert_eq!(peaks(&sim, 0), [(500, 2.0), (501, 3.0)]);
        let own = ArrayKey::of(&sim, "md0");
        let old = vec![hour(400, 9.0), hour(500, 8.0)];
        History::open(&sim)
            .unwrap()
            .add(&[(own, old)], &[])
            .unwrap();
        assert_eq!(peaks(&sim, 0), [(400, 9.0), (500, 2.0), (501, 3.0)]);
        assert_eq!(peaks(&sim, 501 * 3600), [(501, 3.0)]);
    }

    #[test]
    fn another_version_is_refused() {
        let sim = SimSystem::new();
        let history = History::open(&sim).unwrap();
        history.0.execute_batch("PRAGMA user_version = 2").unwrap();
        for error in [
            History::open(&sim).err(),
            History::open_existing(&sim).err(),
        ] {
            assert!(error.unwrap().to_string().contains("version 2"));
        }
    }

    /// As a daemon leaves it that is killed before it has written anything.
    #[test]
    fn an_empty_file_is_no_history_yet() {
        let sim = SimSystem::new();
        drop(sim.database(Path::new(FILE), true).unwrap());
        assert!(History::open_existing(&sim).unwrap().is_none());
        History::open(&sim).unwrap();
        assert!(History::open_existing(&sim).unwrap().is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever somebody has put into the tables.
        #[test]
        fn any_rows_are_read_or_left_out(rows in prop::collection::vec((any::<i64>(), "\\PC*", any::<f64>()), 0..20)) {
            let sim = SimSystem::new();
            let mut history = History::open(&sim).unwrap();
            history.add(&[(key("md0"), vec![hour(10, 5.0)])], &[]).unwrap();
            for (hour, word, number) in rows {
                let _ = history.0.execute("INSERT INTO hour VALUES (1, ?1, ?2, ?3)", params![hour, word, number]);
                let _ = history.0.execute(
                    "INSERT INTO event VALUES (NULL, ?1, 1, ?2, ?3, ?1, ?2, ?2, ?2)", params![hour, word, number]);
            }
            let hours = history.hours(&key("md0"), i64::MIN).unwrap();
            prop_assert!(hours.contains(&hour(10, 5.0)));
            prop_assert!(hours.iter().all(|hour| hour.peak.is_finite() && hour.start() >= 0));
            let _ = history.events(i64::MIN, &Of::All);
        }

        /// Whatever a disk error has made of the file.
        #[test]
        fn a_file_that_is_damaged_anywhere_is_an_error_or_read(at in 0usize..20_000, with: [u8; 16], cut in 0usize..40_000) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("history.db");
            let mut history = History(Connection::open(&path).unwrap());
            history.set_up().unwrap();
            let hours = (0..300).map(|at| hour(at, 5.0)).collect();
            history.add(&[(key("md0"), hours)], &[(key("md0"), event(5, "shift"))]).unwrap();
            drop(history);
            let mut bytes = std::fs::read(&path).unwrap();
            for (byte, new) in bytes.iter_mut().skip(at).zip(with) {
                *byte = new;
            }
            bytes.truncate(cut.max(1));
            std::fs::write(&path, bytes).unwrap();
            let mut history = History(Connection::open(&path).unwrap());
            if history.set_up().is_ok() && history.check_version().is_ok() {
                let _ = history.hours(&key("md0"), 0);
                let _ = history.events(0, &Of::All);
                let _ = (history.first_event(), history.names());
                let _ = history.shrink(10, 1);
                let _ = history.add(&[(key("md0"), vec![hour(10, 5.0)])], &[]);
            }
        }
    }
}
