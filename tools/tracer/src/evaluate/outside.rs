// SPDX-License-Identifier: GPL-2.0
//! A test on an array that a command makes, as in a machine of its own.
//!
//! The command gets a directory as its last argument, with a plan of this one test, test.toml. It makes the array, calls
//! `raid-tracer evaluate test.toml --device DEVICE --meter SOURCE…`, which leaves test.sqlite there, and ends with 0.

use super::plan::{Named, Plan, Test};
use super::store::{Row, Store};
use crate::error::{Error, Result};
use std::fs;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The row, or `None` after a signal; or else why there is none.
type Made = std::result::Result<Option<Row>, String>;

pub fn run(plan: &Plan, test: &Test, command: &[String], stop: &Arc<AtomicBool>) -> Result<Made> {
    let failed = |error| Error::write("a directory for a test", error);
    let dir = tempfile::Builder::new()
        .prefix("raid-tracer.")
        .tempdir()
        .map_err(failed)?;
    let path = fs::canonicalize(&test.path).map_err(|error| Error::read(&test.path, error))?;
    let one = Plan {
        traces: vec![path],
        loads: vec![test.load],
        speeds: vec![test.speed.clone()],
        arrays: vec![Named {
            name: test.name.clone(),
            device: None,
            meters: Vec::new(),
            command: None,
        }],
        ..plan.clone()
    };
    let text = toml::to_string(&one).map_err(|error| {
        Error::Refused(format!("the plan of a test cannot be written: {error}"))
    })?;
    fs::write(dir.path().join("test.toml"), text).map_err(failed)?;
    let Some((program, args)) = command.split_first() else {
        return Ok(Err("its command is empty".to_owned()));
    };
    let log = dir.path().join("log");
    let output = fs::File::create(&log).map_err(failed)?;
    let errors = output.try_clone().map_err(failed)?;
    let status = Command::new(program)
        .args(args)
        .arg(dir.path())
        .current_dir(plan.dir())
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .status();
    if stop.load(Ordering::Relaxed) {
        return Ok(Ok(None));
    }
    let status = match status {
        Ok(status) => status,
        Err(error) => return Ok(Err(format!("cannot run {program}: {error}"))),
    };
    if !status.success() {
        return Ok(Err(format!(
            "{program} ended with {status}{}",
            last_line(&log)
        )));
    }
    let results = dir.path().join("test.sqlite");
    if !results.exists() {
        return Ok(Err(format!(
            "{program} has left no results{}",
            last_line(&log)
        )));
    }
    let rows = Store::look(&results)?.rows()?;
    match <[_; 1]>::try_from(rows) {
        Ok([(.., row)]) => Ok(Ok(Some(row))),
        Err(rows) => Ok(Err(format!("{program} has left {} results", rows.len()))),
    }
}

fn last_line(log: &std::path::Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or(String::new(), |line| format!(": {}", line.trim()))
}
