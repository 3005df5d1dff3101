// SPDX-License-Identifier: GPL-2.0
//! A repository: a directory of traces, whose names say what they are, and an index of it in SQLite.
//!
//! A name is DEVICE_SIZE_rndRANDOM_rdREAD.FORMAT, after those of TRACER (section III-A): sda_4K_rnd50_rd0.blktrace. The
//! index has a row for each trace; it is read again if its size or time differ from those in the index.

use super::merge::{Source, WINDOW};
use super::summary::{Looked, Summary, look};
use crate::error::{Error, Result};
use crate::numbers::short_size;
use rusqlite::{Connection, OptionalExtension, params};
use shared::loads::chance::whole;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub const INDEX: &str = "index.sqlite";

const TABLE: &str = "CREATE TABLE IF NOT EXISTS traces (
    name TEXT PRIMARY KEY, file_bytes INTEGER NOT NULL, file_ns INTEGER NOT NULL, format TEXT NOT NULL,
    devices TEXT NOT NULL, reads INTEGER NOT NULL, writes INTEGER NOT NULL, flushes INTEGER NOT NULL,
    bytes INTEGER NOT NULL, mean_bytes REAL NOT NULL, read_percent REAL NOT NULL, random_percent REAL NOT NULL,
    seconds REAL NOT NULL, end_bytes INTEGER NOT NULL, wrong_rows INTEGER NOT NULL)";

const INSERT: &str = "INSERT OR REPLACE INTO traces VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

const SELECT: &str = "SELECT name, format, reads + writes + flushes, mean_bytes, read_percent, random_percent, seconds,
    end_bytes, wrong_rows FROM traces ORDER BY name";

/// A row of the index.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub name: String,
    pub format: String,
    pub requests: u64,
    pub mean_bytes: f64,
    pub read_percent: f64,
    pub random_percent: f64,
    pub seconds: f64,
    pub end_bytes: u64,
    pub wrong_rows: u64,
}

/// The entries, and the files that are no traces.
pub type Listed = (Vec<Entry>, Vec<Error>);

/// Bring the index up to date, and read it.
pub fn list(dir: &Path) -> Result<Listed> {
    let index = dir.join(INDEX);
    let failed = |error: rusqlite::Error| Error::Parse {
        path: index.clone(),
        what: format!("is no index of traces ({error}); it can be deleted"),
    };
    let mut db = Connection::open(&index).map_err(failed)?;
    let mut wrong = Vec::new();
    let change = db.transaction().map_err(failed)?;
    change.execute(TABLE, []).map_err(failed)?;
    let files = files(dir)?;
    for (name, bytes, ns) in &files {
        let known = change
            .query_row(
                "SELECT 1 FROM traces WHERE name = ?1 AND file_bytes = ?2 AND file_ns = ?3",
                params![name, bytes, ns],
                |_| Ok(()),
            )
            .optional()
            .map_err(failed)?;
        if known.is_some() {
            continue;
        }
        change
            .execute("DELETE FROM traces WHERE name = ?1", [name])
            .map_err(failed)?;
        match look_at(&dir.join(name)) {
            Ok(looked) => insert(&change, name, (*bytes, *ns), &looked).map_err(failed)?,
            Err(error) => wrong.push(error),
        }
    }
    let names: Vec<_> = files.into_iter().map(|(name, ..)| name).collect();
    let mut gone = entries(&change).map_err(failed)?;
    gone.retain(|entry| !names.contains(&entry.name));
    for entry in gone {
        change
            .execute("DELETE FROM traces WHERE name = ?1", [entry.name])
            .map_err(failed)?;
    }
    let found = entries(&change).map_err(failed)?;
    change.commit().map_err(failed)?;
    Ok((found, wrong))
}

fn look_at(path: &Path) -> Result<Looked> {
    look(&Source {
        paths: vec![path.to_owned()],
        format: None,
        device: None,
        window: WINDOW,
    })
}

fn insert(
    db: &Connection,
    name: &str,
    (bytes, ns): (i64, i64),
    looked: &Looked,
) -> rusqlite::Result<()> {
    let is = &looked.summary;
    let row = params![
        name,
        bytes,
        ns,
        looked.formats,
        looked.devices.join(" "),
        number(is.reads),
        number(is.writes),
        number(is.flushes),
        number(is.bytes),
        is.mean_bytes(),
        is.read_percent(),
        is.random_percent(),
        crate::numbers::real(is.span_ns()) / 1e9,
        number(is.end_bytes()),
        number(looked.met.wrong.count),
    ];
    db.execute(INSERT, row).map(|_| ())
}

fn entries(db: &Connection) -> rusqlite::Result<Vec<Entry>> {
    let mut select = db.prepare(SELECT)?;
    let rows = select.query_map([], |row| {
        let count = |at| {
            row.get(at)
                .map(|count: i64| u64::try_from(count).unwrap_or(0))
        };
        Ok(Entry {
            name: row.get(0)?,
            format: row.get(1)?,
            requests: count(2)?,
            mean_bytes: row.get(3)?,
            read_percent: row.get(4)?,
            random_percent: row.get(5)?,
            seconds: row.get(6)?,
            end_bytes: count(7)?,
            wrong_rows: count(8)?,
        })
    })?;
    rows.collect()
}

/// SQLite has no unsigned numbers.
fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Names, sizes and times of all regular files but the index, in order.
fn files(dir: &Path) -> Result<Vec<(String, i64, i64)>> {
    let failed = |error| Error::read(dir, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is = entry.metadata().map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is.is_file() && !name.starts_with(INDEX) && !name.starts_with('.') {
            let ns = is
                .mtime()
                .saturating_mul(1_000_000_000)
                .saturating_add(is.mtime_nsec());
            files.push((name, number(is.size()), ns));
        }
    }
    files.sort();
    Ok(files)
}

/// DEVICE_SIZE_rndRANDOM_rdREAD
pub fn name_of(device: &str, bytes: u64, random_percent: f64, read_percent: f64) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let device: String = device
        .trim_start_matches("/dev/")
        .chars()
        .map(word)
        .collect();
    let device = if device.is_empty() {
        "trace".to_owned()
    } else {
        device
    };
    let size = short_size(bytes);
    format!("{device}_{size}_rnd{random_percent:.0}_rd{read_percent:.0}")
}

/// Where a trace is to be in a repository, by what it is: a name that no file has.
pub fn place(dir: &Path, device: &str, is: &Summary, end: &str) -> PathBuf {
    let bytes = whole((is.mean_bytes() / 512.0).round()) * 512;
    let name = name_of(device, bytes, is.random_percent(), is.read_percent());
    let mut path = dir.join(format!("{name}.{end}"));
    let mut number = 1;
    while path.exists() {
        number += 1;
        path = dir.join(format!("{name}-{number}.{end}"));
    }
    path
}
