// SPDX-License-Identifier: GPL-2.0
//! Writing traces: a file is complete, or is not there.

use super::formats::blktrace::{FLUSHES, QUEUE, QUEUED, READ, Record, SYNC, WRITE};
use super::{Devices, Event, Op, SECTOR};
use crate::error::{Error, Result};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Formats that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum To {
    /// Lines NS OP SECTOR BYTES
    List,
    /// As MSR Cambridge's, from 0; without flushes
    Csv,
    /// Binary, as blktrace's
    Blktrace,
    /// fio's, version 3
    Iolog,
}

impl To {
    pub fn name(self) -> &'static str {
        match self {
            To::List => "list",
            To::Csv => "csv",
            To::Blktrace => "blktrace",
            To::Iolog => "iolog",
        }
    }

    /// By the end of a name; a list, if that says nothing.
    pub fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let numbered = name.rsplit_once(".blktrace.");
        if name.ends_with(".blktrace")
            || numbered.is_some_and(|(_, cpu)| cpu.parse::<u32>().is_ok())
        {
            To::Blktrace
        } else if name.ends_with(".csv") {
            To::Csv
        } else if name.ends_with(".iolog") {
            To::Iolog
        } else {
            To::List
        }
    }
}

/// A trace that is being written.
pub struct Writer {
    to: To,
    out: Out,
    name: String,
    /// Devices that are known to the file.
    added: BTreeSet<u16>,
    written: u64,
    /// Flushes that the format has none of.
    pub lost: u64,
}

enum Out {
    Standard(BufWriter<io::Stdout>),
    File(BufWriter<NamedTempFile>, PathBuf),
}

impl Writer {
    /// To a file, or to standard output. What is there is replaced when all is written.
    pub fn create(path: Option<&Path>, to: To) -> Result<Self> {
        let (out, name) = match path {
            None if to == To::Blktrace && io::stdout().is_terminal() => {
                return Err(Error::Usage(
                    "a terminal shows no blktrace: -o names a file".to_owned(),
                ));
            }
            None => (
                Out::Standard(BufWriter::new(io::stdout())),
                "the output".to_owned(),
            ),
            Some(path) => {
                let name = path.display().to_string();
                // A device must not be replaced by a file.
                if fs::metadata(path).is_ok_and(|is| !is.is_file()) {
                    return Err(Error::Refused(format!(
                        "{name} is there, and is no file: a trace is written to a file"
                    )));
                }
                (
                    Out::File(BufWriter::new(beside(path)?), path.to_owned()),
                    name,
                )
            }
        };
        Ok(Writer {
            to,
            out,
            name,
            added: BTreeSet::new(),
            written: 0,
            lost: 0,
        })
    }

    pub fn write(&mut self, event: &Event, devices: &Devices) -> Result<()> {
        let written = match self.to {
            To::List => self.list(event),
            To::Csv => self.csv(event, devices),
            To::Blktrace => self.blktrace(event, devices),
            To::Iolog => self.iolog(event, devices),
        };
        self.written += 1;
        written.map_err(|error| Error::write(&self.name, error))
    }

    /// All is written: the file gets its name.
    pub fn finish(self) -> Result<()> {
        let name = self.name;
        let failed = |error| Error::write(&name, error);
        match self.out {
            Out::Standard(mut out) => out.flush().map_err(failed),
            Out::File(out, path) => {
                let file = out
                    .into_inner()
                    .map_err(|error| failed(error.into_error()))?;
                persist(file, &path)
            }
        }
    }

    fn list(&mut self, event: &Event) -> io::Result<()> {
        let op = event.op.letter();
        writeln!(
            self.out,
            "{} {op} {} {}",
            event.at, event.sector, event.bytes
        )
    }

    fn csv(&mut self, event: &Event, devices: &Devices) -> io::Result<()> {
        let op = match event.op {
            Op::Read => "Read",
            Op::Write => "Write",
            Op::Flush => {
                self.lost += 1;
                return Ok(());
            }
        };
        // HOST,DISK; of other names it is the host.
        let name = devices.name(event.device);
        let (host, disk) = name.split_once(',').unwrap_or((name, "0"));
        let host = if host.is_empty() { "trace" } else { host };
        let (at, offset) = (event.at / 100, event.sector * SECTOR);
        writeln!(
            self.out,
            "{at},{host},{disk},{op},{offset},{},0",
            event.bytes
        )
    }

    /// As queued: fio and btrecord take requests from there.
    fn blktrace(&mut self, event: &Event, devices: &Devices) -> io::Result<()> {
        let what = match event.op {
            Op::Read => READ,
            Op::Write => WRITE | SYNC,
            Op::Flush => FLUSHES,
        };
        let record = Record {
            sequence: u32::try_from(self.written % (1 << 32)).unwrap_or(0),
            time: event.at,
            sector: event.sector,
            bytes: event.bytes,
            action: QUEUE | QUEUED | what,
            device: kernel_number(event.device, devices.name(event.device)),
        };
        self.out.write_all(&record.bytes())
    }

    fn iolog(&mut self, event: &Event, devices: &Devices) -> io::Result<()> {
        if self.written == 0 {
            writeln!(self.out, "fio version 3 iolog")?;
        }
        let name = match devices.name(event.device) {
            "" => "trace".to_owned(),
            name => name.replace(char::is_whitespace, "_"),
        };
        let at = event.at / 1000;
        if self.added.insert(event.device) {
            writeln!(self.out, "{at} {name} add\n{at} {name} open")?;
        }
        let op = match event.op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Flush => "sync",
        };
        writeln!(
            self.out,
            "{at} {name} {op} {} {}",
            event.sector * SECTOR,
            event.bytes
        )
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Standard(out) => out.write(bytes),
            Out::File(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Standard(out) => out.flush(),
            Out::File(out, _) => out.flush(),
        }
    }
}

/// `MAJOR,MINOR` as the kernel has it; other devices are sda, sdb and so on.
fn kernel_number(number: u16, name: &str) -> u32 {
    let parsed = name.split_once(',').and_then(|(major, minor)| {
        let major: u32 = major.parse().ok().filter(|major| *major < 1 << 12)?;
        let minor: u32 = minor.parse().ok().filter(|minor| *minor < 1 << 20)?;
        Some(major << 20 | minor)
    });
    parsed.unwrap_or(8 << 20 | u32::from(number) << 4)
}

/// A file in the same directory, with the usual mode.
pub fn beside(path: &Path) -> Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let dir = match path.parent() {
        Some(dir) if dir != Path::new("") => dir,
        _ => Path::new("."),
    };
    let mode = fs::Permissions::from_mode(0o666);
    tempfile::Builder::new()
        .prefix(".raid-tracer.")
        .permissions(mode)
        .tempfile_in(dir)
        .map_err(|error| Error::write(path.display(), error))
}

/// Give it its name, once it is on the disk.
pub fn persist(file: NamedTempFile, path: &Path) -> Result<()> {
    let failed = |error| Error::write(path.display(), error);
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
