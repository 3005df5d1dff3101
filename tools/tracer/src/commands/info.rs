// SPDX-License-Identifier: GPL-2.0

use super::{Input, met};
use crate::cli::{Verdict, note};
use crate::error::{Error, Result};
use crate::trace::repository::{self, Entry};
use crate::trace::summary::{Looked, look};
use clap::Args;
use shared::loads::chance::whole;
use shared::style::Style;
use shared::table::{Align, Table};
use shared::units;
use std::io::{self, Write};
use std::path::Path;

/// Say what a trace is, or list the traces of a repository
///
/// A repository is a directory. It gets an index in SQLite, index.sqlite, with a row for each trace.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    input: Input,
}

pub fn run(options: &Options) -> Result<Verdict> {
    if let [dir] = options.input.files.as_slice() {
        if dir.is_dir() {
            return list(dir);
        }
    }
    let looked = look(&options.input.source())?;
    print(&told(&looked))?;
    Ok(met(&looked.met))
}

fn print(text: &str) -> Result<()> {
    let mut out = io::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Error::write("the output", error))
}

fn told(looked: &Looked) -> String {
    let is = &looked.summary;
    let seconds = crate::numbers::real(is.span_ns()) / 1e9;
    let rows = [
        ("format", looked.formats.clone()),
        ("devices", looked.devices.join(" ")),
        ("requests", is.requests().to_string()),
        ("flushes", is.flushes.to_string()),
        ("reads", format!("{:.1} %", is.read_percent())),
        ("random", format!("{:.1} %", is.random_percent())),
        ("bytes", is.bytes.to_string()),
        ("mean size", format!("{:.0}", is.mean_bytes())),
        ("seconds", format!("{seconds:.6}")),
        ("end", is.end_bytes().to_string()),
    ];
    rows.into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name:<9} {value}\n"))
        .collect()
}

fn list(dir: &Path) -> Result<Verdict> {
    let (entries, wrong) = repository::list(dir)?;
    let columns = [
        "requests", "size", "random", "reads", "lasts", "end", "wrong",
    ];
    let columns = columns.into_iter().map(|name| (name, Align::Right));
    let mut table = Table::new(
        [("trace", Align::Left), ("format", Align::Left)]
            .into_iter()
            .chain(columns),
    );
    for entry in &entries {
        table.row(row(entry));
    }
    print(&table.render("", Style { color: false }))?;
    for error in &wrong {
        note(&error.to_string());
    }
    let all_right = wrong.is_empty() && entries.iter().all(|entry| entry.wrong_rows == 0);
    Ok(if all_right {
        Verdict::Done
    } else {
        Verdict::Findings
    })
}

fn row(entry: &Entry) -> Vec<String> {
    vec![
        entry.name.clone(),
        entry.format.clone(),
        entry.requests.to_string(),
        units::bytes(whole(entry.mean_bytes.round())),
        format!("{:.0} %", entry.random_percent),
        format!("{:.0} %", entry.read_percent),
        units::seconds(whole(entry.seconds)),
        units::bytes(entry.end_bytes),
        entry.wrong_rows.to_string(),
    ]
}
