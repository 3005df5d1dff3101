// SPDX-License-Identifier: GPL-2.0
//! trace convert, filter, scale and fit: one trace becomes another.

use super::{Input, Output, Sink, met};
use crate::cli::{Verdict, note};
use crate::error::{Error, Result};
use crate::numbers::{self, Speed, percent};
use crate::trace::filter::{self, Load};
use crate::trace::fit::{self, Way};
use crate::trace::merge::Merged;
use crate::trace::summary::Summary;
use crate::trace::{Devices, Event};
use clap::Args;
use shared::units;
use std::path::PathBuf;

/// Write a trace in another format
#[derive(Debug, Args)]
pub struct Convert {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
}

/// Choose a part of the requests, uniformly: the load of a trace, with its times and its other properties
///
/// Requests that come together (at most 8, within 10 ms) are a bunch; of ten bunches as many are chosen as the load
/// says, evenly: at 10 % the tenth, at 20 % the fifth and the tenth (TRACER, section IV).
#[derive(Debug, Args)]
pub struct Filter {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    /// 10, 20, 30 and so on, or 100
    #[arg(long, value_name = "PERCENT", value_parser = Load::parse)]
    load: Load,
    /// Move the choice in each ten bunches so that the share of bytes fits, too
    #[arg(long)]
    balance: bool,
}

/// Change the speed: all times are divided by it
#[derive(Debug, Args)]
pub struct Scale {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    /// How many times as fast: 0.01 to 1000, or 1% to 100000%
    #[arg(long, value_name = "FACTOR", value_parser = Speed::parse)]
    speed: Speed,
}

/// Move all places onto a smaller or larger device
///
/// Several devices of the trace lie one after the other. Their blocks (64 MiB, or less on a device of less than 64 GiB)
/// are spread over the device, so that requests in sequence stay in sequence.
#[derive(Debug, Args)]
pub struct Fit {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    /// The device's size in bytes, as 500G
    #[arg(long, value_name = "SIZE", value_parser = numbers::size, required_unless_present = "on")]
    bytes: Option<u64>,
    /// A device, or a file, of that size
    #[arg(long, value_name = "DEVICE", conflicts_with = "bytes")]
    on: Option<PathBuf>,
    /// Begin again at the device's beginning behind its end, instead
    #[arg(long)]
    fold: bool,
}

/// The device in a name: of several, there is none.
fn device(devices: &Devices) -> &str {
    match devices.names() {
        [one] => one,
        _ => "",
    }
}

fn finish(sink: Sink, merged: &Merged) -> Result<Verdict> {
    let name = device(&merged.devices).to_owned();
    sink.finish(&name)?;
    Ok(met(&merged.met))
}

/// Write what `change` makes of each request.
fn each(input: &Input, output: &Output, mut change: impl FnMut(Event) -> Event) -> Result<Verdict> {
    let mut merged = input.open()?;
    let mut sink = output.create()?;
    while let Some(event) = merged.next_event()? {
        sink.write(&change(event), &merged.devices)?;
    }
    finish(sink, &merged)
}

pub fn convert(options: &Convert) -> Result<Verdict> {
    each(&options.input, &options.output, |event| event)
}

pub fn scale(options: &Scale) -> Result<Verdict> {
    each(&options.input, &options.output, |event| Event {
        at: options.speed.scale(event.at),
        ..event
    })
}

pub fn filter(options: &Filter) -> Result<Verdict> {
    let mut merged = options.input.open()?;
    let mut sink = options.output.create()?;
    let mut filter = filter::Filter::new(options.load, options.balance);
    while let Some(event) = merged.next_event()? {
        for chosen in filter.put(event) {
            sink.write(&chosen, &merged.devices)?;
        }
    }
    for chosen in filter.end() {
        sink.write(&chosen, &merged.devices)?;
    }
    let (all, chosen) = (filter.all, filter.chosen);
    note(&format!(
        "{} of {} requests, {:.2} %; {} of {}, {:.2} %",
        chosen.requests,
        all.requests,
        percent(chosen.requests, all.requests),
        units::bytes(chosen.bytes),
        units::bytes(all.bytes),
        percent(chosen.bytes, all.bytes)
    ));
    finish(sink, &merged)
}

/// The trace is read twice: the sizes of its devices are known at the end.
pub fn fit(options: &Fit) -> Result<Verdict> {
    if options
        .input
        .files
        .iter()
        .any(|file| file.as_os_str() == "-")
    {
        return Err(Error::Usage(
            "trace fit reads a trace twice, which standard input does not allow".to_owned(),
        ));
    }
    let bytes = match (&options.on, options.bytes) {
        (Some(path), _) => size_of(path)?,
        (None, bytes) => bytes.unwrap_or(0),
    };
    let way = if options.fold { Way::Fold } else { Way::Scale };
    let mut merged = options.input.open()?;
    let mut summary = Summary::default();
    while let Some(event) = merged.next_event()? {
        summary.add(&event);
    }
    let mut fit = fit::Fit::new(&summary.ends, bytes, way).map_err(Error::Usage)?;
    let mut merged = options.input.open()?;
    let mut sink = options.output.create()?;
    let mut one = Devices::default();
    one.number(device(&merged.devices));
    while let Some(event) = merged.next_event()? {
        match fit.place(event) {
            Some(event) => sink.write(&event, &one)?,
            None => {
                let size = event.bytes;
                merged
                    .met
                    .wrong
                    .add(|| format!("a request of {size} bytes is larger than the device"));
            }
        }
    }
    note(&format!(
        "places of {} are {} {}: {} of {} requests have other places, {} were moved to the device's end",
        units::bytes(fit.span_bytes()),
        if options.fold {
            "folded onto"
        } else {
            "scaled to"
        },
        units::bytes(bytes),
        fit.changed,
        summary.requests(),
        fit.moved
    ));
    finish(sink, &merged)
}

/// Of a device or a file.
fn size_of(path: &std::path::Path) -> Result<u64> {
    use std::io::{Seek, SeekFrom};
    let file = std::fs::File::open(path).and_then(|mut file| file.seek(SeekFrom::End(0)));
    file.map_err(|error| Error::read(path, error))
}
