// SPDX-License-Identifier: GPL-2.0
//! The log of any meter, as rows of a CSV file that grows. Each row has its own time.

use super::{Reading, Spec};
use jiff::tz::TimeZone;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

/// Read at a time.
const MOST_BYTES: u64 = 16 << 20;
const COLUMNS: [&str; 5] = ["time", "channel", "volts", "amperes", "watts"];

pub struct Csv {
    path: PathBuf,
    /// The names of [`COLUMNS`] in the file's first line.
    names: [String; 5],
    /// Which ones they are, and what separates them: known when the first line is.
    columns: Option<([Option<usize>; 5], u8)>,
    /// Bytes that were read.
    at: u64,
    /// A row that is not whole yet.
    rest: Vec<u8>,
    wrong: Vec<String>,
}

impl Csv {
    pub fn new(spec: &mut Spec) -> Result<Self, String> {
        Ok(Csv {
            path: PathBuf::from(spec.needs_place("FILE")?),
            names: COLUMNS.map(|name| spec.take(name).unwrap_or(name.to_owned())),
            columns: None,
            at: 0,
            rest: Vec::new(),
            wrong: Vec::new(),
        })
    }

    /// Whole lines that are new.
    fn lines(&mut self) -> Result<Vec<u8>, String> {
        let failed = |error| format!("{}: {error}", self.path.display());
        let mut file = File::open(&self.path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        if size < self.at {
            return Err(format!(
                "{} has become shorter: it was {} bytes",
                self.path.display(),
                self.at
            ));
        }
        file.seek(SeekFrom::Start(self.at)).map_err(failed)?;
        let mut new = Vec::new();
        let got = file
            .take(MOST_BYTES)
            .read_to_end(&mut new)
            .map_err(failed)?;
        self.at += u64::try_from(got).unwrap_or(0);
        let mut all = std::mem::take(&mut self.rest);
        all.extend(new);
        let whole = all.iter().rposition(|byte| *byte == b'\n');
        self.rest = all.split_off(whole.map_or(0, |end| end + 1));
        Ok(all)
    }

    fn head(&self, line: &[u8]) -> Result<([Option<usize>; 5], u8), String> {
        let delimiter = [b';', b'\t']
            .into_iter()
            .find(|one| line.contains(one))
            .unwrap_or(b',');
        let head = row(line, delimiter)?;
        let mut columns = [None; 5];
        for (column, name) in columns.iter_mut().zip(&self.names) {
            *column = head.iter().position(|one| one.trim() == name);
        }
        for ((column, name), usual) in columns.iter().zip(&self.names).zip(COLUMNS) {
            if column.is_none() && (name != usual || usual == "time") {
                return Err(format!("its first line names no column {name}"));
            }
        }
        let [_, _, volts, amperes, watts] = columns;
        if watts.is_none() && (volts.is_none() || amperes.is_none()) {
            return Err("its first line names neither watts nor both volts and amperes".to_owned());
        }
        Ok((columns, delimiter))
    }
}

fn row(line: &[u8], delimiter: u8) -> Result<Vec<String>, String> {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .from_reader(line);
    let mut record = ::csv::StringRecord::new();
    match reader.read_record(&mut record) {
        Ok(_) => Ok(record.iter().map(str::to_owned).collect()),
        Err(error) => Err(format!("a row is no CSV: {error}")),
    }
}

/// Seconds since 1970: as a number, or as a date and time, with an offset or of this machine's zone.
fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return Some(number);
    }
    let stamp = match text.parse::<jiff::Timestamp>() {
        Ok(stamp) => stamp,
        Err(_) => {
            let civil: jiff::civil::DateTime = text.parse().ok()?;
            TimeZone::system().to_timestamp(civil).ok()?
        }
    };
    Some(stamp.as_duration().as_secs_f64())
}

fn reading(fields: &[String], columns: &[Option<usize>; 5]) -> Result<Reading, String> {
    let [time, channel, volts, amperes, watts] =
        columns.map(|column| column.and_then(|at| fields.get(at)));
    let time = time.ok_or("a row has no time")?;
    let number = |field: Option<&String>| match field.map(|text| text.trim()) {
        None | Some("") => Ok(None),
        // Where it separates no columns.
        Some(text) => match text.replace(',', ".").parse::<f64>() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(format!("a row has {text:?} for a number")),
        },
    };
    Ok(Reading {
        channel: channel.map_or("0".to_owned(), |name| name.trim().to_owned()),
        measured: Some(seconds(time).ok_or(format!("a row has {time:?} for a time"))?),
        volts: number(volts)?,
        amperes: number(amperes)?,
        watts: number(watts)?,
        counter: None,
    })
}

impl super::Source for Csv {
    fn read(&mut self) -> Result<Vec<Reading>, String> {
        let lines = self.lines()?;
        let mut readings = Vec::new();
        for line in lines.split(|byte| *byte == b'\n') {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let Some((columns, delimiter)) = self.columns else {
                self.columns = Some(self.head(line)?);
                continue;
            };
            match row(line, delimiter).and_then(|fields| reading(&fields, &columns)) {
                Ok(one) => readings.push(one),
                Err(error) => self.wrong.push(error),
            }
        }
        if self.columns.is_none() {
            return Err("it has no first line yet".to_owned());
        }
        Ok(readings)
    }

    fn wrong(&mut self) -> Vec<String> {
        std::mem::take(&mut self.wrong)
    }
}
