// SPDX-License-Identifier: GPL-2.0
//! A test on an array that a command makes, as in a machine of its own.
//!
//! The command gets a directory as its last argument, with a plan of this one test, test.toml. It makes the array, calls
//! `raid-tracer evaluate test.toml --device DEVICE --meter SOURCE…`, which leaves test.sqlite there, and ends with 0. Or it
//! computes what would be measured, and leaves row.toml there, with columns of a row.

use super::device::load_of;
use super::plan::{Named, Plan, Test};
use super::store::{Row, Store};
use crate::error::{Error, Result};
use crate::numbers::real;
use crate::trace::summary::Summary;
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
            counters: Vec::new(),
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
    let computed = dir.path().join("row.toml");
    if computed.exists() {
        let text = fs::read_to_string(&computed).map_err(|error| Error::read(&computed, error))?;
        return match toml::from_str(&text) {
            Ok(row) => Ok(Ok(Some(whole(plan, test, row)?))),
            Err(error) => Ok(Err(format!(
                "{program} has left a row.toml that is wrong: {}",
                error.message()
            ))),
        };
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

/// With what is known of the trace and by division, and without what was not computed.
fn whole(plan: &Plan, test: &Test, mut row: Row) -> Result<Row> {
    let mut load = Summary::default();
    load_of(plan, test, |event| {
        load.add(&event);
        Ok(())
    })?;
    row.began = jiff::Timestamp::now().to_string();
    row.request_bytes = load.mean_bytes();
    row.random_percent = load.random_percent();
    row.read_percent = load.read_percent();
    row.requests = load.requests();
    row.seconds = row
        .seconds
        .max(plan.seconds)
        .max(real(test.speed()?.scale(load.last)) / 1e9)
        .max(1e-9);
    row.iops = real(row.requests) / row.seconds;
    row.mbps = real(load.bytes) / 1e6 / row.seconds;
    row.watts = row.joules.map(|joules| joules / row.seconds);
    let watts = row.watts.filter(|watts| *watts > 0.0);
    row.iops_per_watt = watts.map(|watts| row.iops / watts);
    row.mbps_per_kilowatt = watts.map(|watts| row.mbps * 1000.0 / watts);
    Ok(row)
}

fn last_line(log: &std::path::Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or(String::new(), |line| format!(": {}", line.trim()))
}
