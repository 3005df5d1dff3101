// SPDX-License-Identifier: GPL-2.0
//! A test on a device.

use super::plan::{Plan, Test};
use super::store::Row;
use crate::error::{Error, Result};
use crate::meter::{Measured, Metering, Sample};
use crate::numbers::real;
use crate::replay::{self, MOST_DEPTH, Report};
use crate::trace::filter::Filter;
use crate::trace::fit::Fit;
use crate::trace::merge::{Merged, Source, WINDOW};
use crate::trace::summary::{Summary, look};
use crate::trace::write::{To, Writer};
use crate::trace::{Devices, Event};
use shared::loads::chance::whole;
use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// `None`: a signal has ended it.
pub fn run(
    plan: &Plan,
    test: &Test,
    device: &Path,
    meters: &[String],
    counters: &[PathBuf],
    stop: &Arc<AtomicBool>,
) -> Result<Option<Row>> {
    let dir =
        tempfile::tempdir().map_err(|error| Error::write("a directory for a trace", error))?;
    let (source, summary) = prepare(plan, test, device, dir.path())?;
    let replay = replay::Plan {
        source,
        device: device.to_owned(),
        speed: test.speed()?,
        at_once: false,
        depth: MOST_DEPTH,
        verify: false,
        fsync: false,
        destroy: plan.destroy,
        rows: false,
    };
    let ready = replay::ready(&replay)?;
    let samples = Arc::new(Mutex::new(Vec::new()));
    let add = {
        let samples = Arc::clone(&samples);
        Box::new(move |sample: &Sample| {
            let mut samples = samples.lock().unwrap_or_else(PoisonError::into_inner);
            samples.push(sample.clone());
        })
    };
    let first = counters.iter().map(|counter| count(counter));
    let first = first.collect::<Result<Vec<_>>>()?;
    let began = jiff::Timestamp::now().to_string();
    let metering = Metering::begin(meters, plan.period(), add, crate::cli::note)?;
    let start = Instant::now();
    let replayed = ready.go(stop);
    if replayed.is_ok() {
        rest(start, Duration::from_secs_f64(plan.seconds), stop);
    }
    let measured = metering.end();
    let mut replayed = replayed?;
    if replayed.interrupted || stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    replayed.report.took = replayed.report.took.max(whole(plan.seconds * 1e9));
    let mut row = row(&replayed.report, &summary, &measured);
    row.began = began;
    for (counter, first) in counters.iter().zip(first) {
        let last = count(counter).inspect_err(|error| crate::cli::note(&error.to_string()));
        row.faults += u64::from(last.is_err());
        let name = counter.display().to_string();
        row.counters.insert(name, (first, last.ok()));
    }
    row.samples = std::mem::take(&mut samples.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Some(row))
}

/// The number in a file.
fn count(path: &Path) -> Result<i64> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::read(path, error))?;
    text.trim().parse().map_err(|_| Error::Parse {
        path: path.to_owned(),
        what: "is no counter: a file with a number".to_owned(),
    })
}

fn rest(start: Instant, lasts: Duration, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let left = lasts.saturating_sub(start.elapsed());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_secs(1)));
    }
}

fn source(path: PathBuf) -> Source {
    Source {
        paths: vec![path],
        format: None,
        device: None,
        window: WINDOW,
    }
}

/// The part of the trace that the load says, on the device: a file in `dir`.
fn prepare(plan: &Plan, test: &Test, device: &Path, dir: &Path) -> Result<(Source, Summary)> {
    let original = source(test.path.clone());
    let mut fit = match plan.fit {
        Some(fitting) => {
            let ends = look(&original)?.summary.ends;
            let fit = Fit::new(&ends, size_of(device)?, fitting.way());
            Some(fit.map_err(Error::Usage)?)
        }
        None => None,
    };
    let path = dir.join("trace");
    let mut writer = Writer::create(Some(&path), To::List)?;
    let mut summary = Summary::default();
    let mut devices = Devices::default();
    devices.number("");
    load_of(plan, test, |event| {
        let placed = match &mut fit {
            Some(fit) => fit.place(event),
            None => Some(event),
        };
        let event = placed.ok_or_else(|| {
            Error::Refused(format!(
                "{}: a request of {} bytes is larger than the device",
                test.trace, event.bytes
            ))
        })?;
        summary.add(&event);
        writer.write(&event, &devices)
    })?;
    writer.finish()?;
    if summary.requests() == 0 {
        return Err(Error::Refused(format!(
            "{}: there is no request left at {} %",
            test.trace, test.load
        )));
    }
    Ok((source(path), summary))
}

/// The part of the trace that the load says, as it is in the trace.
pub(super) fn load_of(
    plan: &Plan,
    test: &Test,
    mut put: impl FnMut(Event) -> Result<()>,
) -> Result<()> {
    let mut merged = Merged::open(&source(test.path.clone()))?;
    let mut filter = Filter::new(test.load()?, plan.balance);
    while let Some(event) = merged.next_event()? {
        filter.put(event).into_iter().try_for_each(&mut put)?;
    }
    filter.end().into_iter().try_for_each(put)
}

fn size_of(path: &Path) -> Result<u64> {
    let file = std::fs::File::open(path).and_then(|mut file| file.seek(SeekFrom::End(0)));
    file.map_err(|error| Error::read(path, error))
}

fn row(report: &Report, summary: &Summary, measured: &Measured) -> Row {
    let seconds = real(report.took.max(1)) / 1e9;
    let (iops, mbps) = (
        real(report.requests()) / seconds,
        real(report.bytes()) / 1e6 / seconds,
    );
    let watts = measured.watts();
    let by_watts = |value: f64| {
        watts
            .filter(|watts| *watts > 0.0)
            .map(|watts| value / watts)
    };
    let ms = report.response();
    let waits = report.waits.iter();
    let waits = waits.map(|(hour, (count, ns))| (*hour, (*count, real(*ns) / 1e9)));
    Row {
        began: String::new(),
        request_bytes: summary.mean_bytes(),
        random_percent: summary.random_percent(),
        read_percent: summary.read_percent(),
        requests: report.requests(),
        errors: report.errors,
        seconds,
        volts: measured.volts(),
        amperes: measured.amperes(),
        watts,
        joules: watts.map(|_| measured.joules()),
        iops,
        mbps,
        response_ms: Some(ms.mean),
        p50_ms: Some(ms.p50),
        p95_ms: Some(ms.p95),
        p99_ms: Some(ms.p99),
        p999_ms: Some(ms.p999),
        longest_ms: Some(ms.longest),
        late_ms: Some(real(report.late.longest()) / 1e6),
        iops_per_watt: by_watts(iops),
        mbps_per_kilowatt: by_watts(mbps * 1000.0),
        faults: measured.faults,
        counters: BTreeMap::new(),
        waits: waits.collect(),
        samples: Vec::new(),
    }
}
