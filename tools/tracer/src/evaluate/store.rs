// SPDX-License-Identifier: GPL-2.0
//! The results of tests in SQLite: tables `tests`, `samples`, `counters` and `waits`.

use super::plan::Test;
use crate::error::{Error, Result};
use crate::meter::Sample;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use rustix::fs::{FlockOperation, flock};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The paper's columns (section III-A.1): when, the mode of the load, what was used, what was done, and one by the other.
const TABLES: &str = "CREATE TABLE IF NOT EXISTS tests (
    id INTEGER PRIMARY KEY, trace TEXT NOT NULL, load_percent INTEGER NOT NULL, speed TEXT NOT NULL, array TEXT NOT NULL,
    setup TEXT NOT NULL, began TEXT NOT NULL, request_bytes REAL NOT NULL, random_percent REAL NOT NULL,
    read_percent REAL NOT NULL, requests INTEGER NOT NULL, errors INTEGER NOT NULL, seconds REAL NOT NULL,
    volts REAL, amperes REAL, watts REAL, joules REAL, iops REAL NOT NULL, mbps REAL NOT NULL, response_ms REAL,
    p50_ms REAL, p95_ms REAL, p99_ms REAL, p999_ms REAL, longest_ms REAL, late_ms REAL,
    iops_per_watt REAL, mbps_per_kilowatt REAL, faults INTEGER NOT NULL,
    UNIQUE (trace, load_percent, speed, array));
  CREATE TABLE IF NOT EXISTS samples (
    test INTEGER NOT NULL REFERENCES tests ON DELETE CASCADE, seconds REAL NOT NULL, channel TEXT NOT NULL,
    volts REAL, amperes REAL, watts REAL, joules REAL NOT NULL);
  CREATE INDEX IF NOT EXISTS samples_of_tests ON samples (test);
  CREATE TABLE IF NOT EXISTS counters (
    test INTEGER NOT NULL REFERENCES tests ON DELETE CASCADE, name TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER,
    PRIMARY KEY (test, name));
  CREATE TABLE IF NOT EXISTS waits (
    test INTEGER NOT NULL REFERENCES tests ON DELETE CASCADE, hour INTEGER NOT NULL, requests INTEGER NOT NULL,
    seconds REAL NOT NULL, PRIMARY KEY (test, hour));";

const INSERT: &str = "INSERT OR REPLACE INTO tests VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
    ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28)";

/// What was measured in a test, or computed: see [`super::outside`].
#[derive(Debug, Default, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Row {
    /// By the clock, in UTC.
    pub began: String,
    pub request_bytes: f64,
    pub random_percent: f64,
    pub read_percent: f64,
    pub requests: u64,
    pub errors: u64,
    pub seconds: f64,
    pub volts: Option<f64>,
    pub amperes: Option<f64>,
    pub watts: Option<f64>,
    pub joules: Option<f64>,
    pub iops: f64,
    pub mbps: f64,
    pub response_ms: Option<f64>,
    pub p50_ms: Option<f64>,
    pub p95_ms: Option<f64>,
    pub p99_ms: Option<f64>,
    pub p999_ms: Option<f64>,
    pub longest_ms: Option<f64>,
    pub late_ms: Option<f64>,
    pub iops_per_watt: Option<f64>,
    pub mbps_per_kilowatt: Option<f64>,
    /// Of meters and counters.
    pub faults: u64,
    /// When the test began and when it ended.
    pub counters: BTreeMap<String, (i64, Option<i64>)>,
    /// By the hour of the trace: requests that took a second or longer, and the seconds that they took.
    #[serde(skip)]
    pub waits: BTreeMap<u64, (u64, f64)>,
    #[serde(skip)]
    pub samples: Vec<Sample>,
}

/// The trace, the load, the speed and the array of a row.
pub type Found = (String, u32, String, String, Row);

pub struct Store {
    db: Connection,
    path: PathBuf,
    /// The same file, so that nobody else adds results; it is closed after the database.
    _lock: Option<File>,
}

impl Store {
    /// To add results.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error| Error::write(path.display(), error);
        let mut options = File::options();
        let lock = options.read(true).write(true).create(true).truncate(false);
        let lock = lock.open(path).map_err(failed)?;
        // SQLite has locks of another kind, for as long as it reads or writes.
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Err(Error::Refused(format!(
                "another raid-tracer evaluate writes to {}",
                path.display()
            )));
        }
        let failed = |error| Self::wrong(path, &error);
        let db = Connection::open(path).map_err(failed)?;
        db.execute_batch("PRAGMA foreign_keys = ON")
            .map_err(failed)?;
        db.execute_batch(TABLES).map_err(failed)?;
        Ok(Store {
            db,
            path: path.to_owned(),
            _lock: Some(lock),
        })
    }

    /// Also while another program adds results.
    pub fn look(path: &Path) -> Result<Self> {
        // A transaction that a kill has cut off is rolled back, which needs to write where that is allowed.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let db = Connection::open_with_flags(path, flags);
        Ok(Store {
            db: db.map_err(|error| Self::wrong(path, &error))?,
            path: path.to_owned(),
            _lock: None,
        })
    }

    fn wrong(path: &Path, error: &rusqlite::Error) -> Error {
        Error::Parse {
            path: path.to_owned(),
            what: format!("is no database of results, or cannot be written ({error})"),
        }
    }

    fn failed(&self, error: &rusqlite::Error) -> Error {
        Self::wrong(&self.path, error)
    }

    /// A row of the test as it is now.
    pub fn has(&self, test: &Test) -> Result<bool> {
        let found = self.db.query_row(
            "SELECT 1 FROM tests WHERE trace = ?1 AND load_percent = ?2 AND speed = ?3 AND array = ?4 AND setup = ?5",
            params![test.trace, test.load, test.speed, test.name, test.setup],
            |_| Ok(()),
        );
        let found = found.optional().map_err(|error| self.failed(&error))?;
        Ok(found.is_some())
    }

    pub fn add(&mut self, test: &Test, row: &Row) -> Result<()> {
        let added = Self::insert(&mut self.db, test, row);
        added.map_err(|error| Self::wrong(&self.path, &error))
    }

    fn insert(db: &mut Connection, test: &Test, row: &Row) -> rusqlite::Result<()> {
        let change = db.transaction()?;
        change.execute(
            INSERT,
            params![
                test.trace,
                test.load,
                test.speed,
                test.name,
                test.setup,
                row.began,
                row.request_bytes,
                row.random_percent,
                row.read_percent,
                number(row.requests),
                number(row.errors),
                row.seconds,
                row.volts,
                row.amperes,
                row.watts,
                row.joules,
                row.iops,
                row.mbps,
                row.response_ms,
                row.p50_ms,
                row.p95_ms,
                row.p99_ms,
                row.p999_ms,
                row.longest_ms,
                row.late_ms,
                row.iops_per_watt,
                row.mbps_per_kilowatt,
                number(row.faults),
            ],
        )?;
        let id = change.last_insert_rowid();
        {
            let mut add =
                change.prepare("INSERT INTO samples VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
            for one in &row.samples {
                add.execute(params![
                    id,
                    one.at,
                    one.channel,
                    one.volts,
                    one.amperes,
                    one.watts,
                    one.joules
                ])?;
            }
            let mut add = change.prepare("INSERT INTO counters VALUES (?1, ?2, ?3, ?4)")?;
            for (name, (first, last)) in &row.counters {
                add.execute(params![id, name, first, last])?;
            }
            let mut add = change.prepare("INSERT INTO waits VALUES (?1, ?2, ?3, ?4)")?;
            for (hour, (count, seconds)) in &row.waits {
                add.execute(params![id, number(*hour), number(*count), seconds])?;
            }
        }
        change.commit()
    }

    /// All rows with their samples, in the order in which they were stored.
    pub fn rows(&self) -> Result<Vec<Found>> {
        self.select().map_err(|error| self.failed(&error))
    }

    fn select(&self) -> rusqlite::Result<Vec<Found>> {
        let mut samples = self.db.prepare(
            "SELECT seconds, channel, volts, amperes, watts, joules FROM samples WHERE test = ?1 ORDER BY rowid",
        )?;
        let mut counters = self
            .db
            .prepare("SELECT name, first, last FROM counters WHERE test = ?1")?;
        let mut waits = self
            .db
            .prepare("SELECT hour, requests, seconds FROM waits WHERE test = ?1")?;
        let mut select = self.db.prepare("SELECT * FROM tests ORDER BY id")?;
        let rows = select.query_map([], |row| {
            let unsigned = |is: i64| u64::try_from(is).unwrap_or(0);
            let count = |name| row.get(name).map(unsigned);
            let id: i64 = row.get("id")?;
            let samples = samples.query_map([id], |sample| {
                Ok(Sample {
                    at: sample.get(0)?,
                    channel: sample.get(1)?,
                    volts: sample.get(2)?,
                    amperes: sample.get(3)?,
                    watts: sample.get(4)?,
                    joules: sample.get(5)?,
                })
            })?;
            let counters = counters.query_map([id], |counter| {
                Ok((counter.get(0)?, (counter.get(1)?, counter.get(2)?)))
            })?;
            let waits = waits.query_map([id], |wait| {
                let count = (unsigned(wait.get(1)?), wait.get(2)?);
                Ok((unsigned(wait.get(0)?), count))
            })?;
            let is = Row {
                began: row.get("began")?,
                request_bytes: row.get("request_bytes")?,
                random_percent: row.get("random_percent")?,
                read_percent: row.get("read_percent")?,
                requests: count("requests")?,
                errors: count("errors")?,
                seconds: row.get("seconds")?,
                volts: row.get("volts")?,
                amperes: row.get("amperes")?,
                watts: row.get("watts")?,
                joules: row.get("joules")?,
                iops: row.get("iops")?,
                mbps: row.get("mbps")?,
                response_ms: row.get("response_ms")?,
                p50_ms: row.get("p50_ms")?,
                p95_ms: row.get("p95_ms")?,
                p99_ms: row.get("p99_ms")?,
                p999_ms: row.get("p999_ms")?,
                longest_ms: row.get("longest_ms")?,
                late_ms: row.get("late_ms")?,
                iops_per_watt: row.get("iops_per_watt")?,
                mbps_per_kilowatt: row.get("mbps_per_kilowatt")?,
                faults: count("faults")?,
                counters: counters.collect::<rusqlite::Result<_>>()?,
                waits: waits.collect::<rusqlite::Result<_>>()?,
                samples: samples.collect::<rusqlite::Result<_>>()?,
            };
            let key = (
                row.get("trace")?,
                row.get("load_percent")?,
                row.get("speed")?,
            );
            Ok((key.0, key.1, key.2, row.get("array")?, is))
        })?;
        rows.collect()
    }
}

/// SQLite has no unsigned numbers.
fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
