// SPDX-License-Identifier: GPL-2.0
//! All access to the system. Commands get a `&dyn System`, so that they run on [`RealSystem`] and,
//! in tests, on [`crate::sim::SimSystem`].
//!
//! Errors of single calls are `std::io::Error`s: whoever calls knows what the file is, and turns
//! them into an [`Error`](crate::error::Error) that names it. [`Files`] does so for plain files.

mod daemon;
mod real;
mod uevent;

pub use real::RealSystem;
pub use uevent::Uevent;

use crate::error::{Error, Result};
use std::any::Any;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Threads may share it: the daemon serves metrics beside its work.
pub trait System: Send + Sync {
    /// The content of a file as it is now. Meant for sysfs, procfs and small files.
    fn read(&self, path: &Path) -> io::Result<String>;

    /// The content of a file that may be no text, such as a program.
    fn read_bytes(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// When a file was changed last, in seconds since 1970.
    fn modified(&self, path: &Path) -> io::Result<i64>;

    /// Write `text` by one `write(2)`, as sysfs wants it; the file must exist.
    fn write(&self, path: &Path, text: &str) -> io::Result<()>;

    /// Make `path` hold `text`, whole or not at all (a rename), with its directories. Never sysfs.
    fn replace(&self, path: &Path, text: &str) -> io::Result<()>;

    /// Hold `path` until the guard is dropped. `None`: another process holds it.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Any>>>;

    /// Wait until no other process holds `path`, and hold it until the guard is dropped.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Any>>;

    /// A directory of its own, whose parent is there: in tracefs, an instance.
    fn make_dir(&self, path: &Path) -> io::Result<()>;

    /// Delete a directory, as tracefs has it: with the files that it is made of.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Read a file that goes on, such as tracefs' `trace_pipe`, from now on.
    fn follow(&self, path: &Path) -> io::Result<Box<dyn Follow>>;

    /// Delete a file that may not be there.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// The names in a directory, sorted.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;

    /// The path with all links followed.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// Where a link leads, as it says, whether or not that is there. Asks no file system behind it.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;

    fn exists(&self, path: &Path) -> bool;

    /// A file that this process may run.
    fn is_program(&self, path: &Path) -> bool;

    /// Run a program to its end. An `Err` of kind `NotFound` says that there is none; `TimedOut`, that it has
    /// taken longer than its limit, and was killed; `ResourceBusy`, that the same program could not be killed
    /// before, as it waits for a device, and waits still.
    fn run(&self, program: &Program) -> io::Result<Ran>;

    /// Seconds since 1970, with their fraction.
    fn now(&self) -> jiff::Timestamp;

    /// A clock that only goes on.
    fn monotonic(&self) -> Duration;

    /// The zone in which the administrator reads clocks.
    fn zone(&self) -> jiff::tz::TimeZone;

    fn sleep(&self, time: Duration);

    /// Wait until one of the files, which have been read, announces a change
    /// (`POLLPRI`), or for `most`. True if one has. Wakes nothing.
    fn wait(&self, files: &[&Path], most: Duration) -> io::Result<bool>;

    /// The kernel's uevents from now on.
    fn uevents(&self) -> io::Result<Box<dyn Uevents>>;

    /// What a daemon waits for, from now on: SIGTERM, SIGINT and SIGHUP do not end the process any more.
    fn events(&self, listen: Option<SocketAddr>) -> io::Result<Box<dyn Events>>;

    /// Tell the service manager of this process, as sd_notify(3) does; nothing, if there is none.
    fn notify(&self, state: &str) -> io::Result<()>;

    /// How often the service manager wants to hear `WATCHDOG=1` at the least.
    fn watchdog(&self) -> Option<Duration>;

    /// An SQLite database; if it is to be written, it is made with its directory if it is not there.
    fn database(&self, path: &Path, write: bool) -> rusqlite::Result<rusqlite::Connection>;

    /// Is it run by root?
    fn is_root(&self) -> bool;

    /// Ask the user on the terminal. `None`: there is no terminal, or the input has ended.
    fn ask(&self, question: &str) -> io::Result<Option<String>>;

    /// This process.
    fn pid(&self) -> u32;

    /// From now on SIGINT and SIGTERM set the flag, and do not end the process: whoever asks for it
    /// looks at it often. `sleep` is not cut short by them, `wait` and `Uevents::next` are.
    fn stop_asked(&self) -> io::Result<Arc<AtomicBool>>;
}

pub trait Follow: Send {
    /// What has come since, without waiting; its last line may be cut off.
    fn more(&mut self) -> io::Result<String>;
}

pub trait Uevents: Send {
    /// The next one, or `None` after `most`.
    fn next(&mut self, most: Duration) -> io::Result<Option<Uevent>>;
}

/// What a daemon waits for.
pub enum Happening {
    Uevent(Uevent),
    /// To end, SIGTERM or SIGINT.
    Stop,
    /// To read its configuration again, SIGHUP.
    Reload,
    /// Somebody has connected to the port.
    Call(Box<dyn Caller>),
}

pub trait Events: Send {
    /// The next one, or `None` after `most`.
    fn next(&mut self, most: Duration) -> io::Result<Option<Happening>>;
}

/// Who speaks HTTP to us. Both calls end after some seconds, whatever the caller does.
pub trait Caller: Send {
    /// The request up to its empty line, or as much of it as there is.
    fn head(&mut self) -> io::Result<String>;

    /// The whole answer.
    fn answer(&mut self, text: &str) -> io::Result<()>;
}

/// A program to be run: no shell is between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub name: String,
    pub args: Vec<OsString>,
    pub input: Option<String>,
    /// The user sees and answers it: its output is not collected.
    pub interactive: bool,
    /// How long it may take; then it is killed, with what it has started.
    pub limit: Option<Duration>,
}

impl Program {
    pub fn new<A: Into<OsString>>(name: &str, args: impl IntoIterator<Item = A>) -> Self {
        Program {
            name: name.to_owned(),
            args: args.into_iter().map(Into::into).collect(),
            input: None,
            interactive: false,
            limit: None,
        }
    }

    /// As one would type it.
    pub fn shown(&self) -> String {
        let mut line = self.name.clone();
        for arg in &self.args {
            line.push(' ');
            line.push_str(&quoted(&arg.to_string_lossy()));
        }
        line
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// What a program has left.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ran {
    /// The exit status; 128 and the signal's number, if it was killed.
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Reading and writing with errors that name the file.
pub trait Files {
    fn text(&self, path: &Path) -> Result<String>;
    fn put(&self, path: &Path, text: &str) -> Result<()>;
    fn names(&self, dir: &Path) -> Result<Vec<String>>;
}

impl<S: System + ?Sized> Files for S {
    fn text(&self, path: &Path) -> Result<String> {
        self.read(path).map_err(|error| Error::read(path, error))
    }

    fn put(&self, path: &Path, text: &str) -> Result<()> {
        self.write(path, text)
            .map_err(|error| Error::write(path, text, &error))
    }

    fn names(&self, dir: &Path) -> Result<Vec<String>> {
        self.list(dir).map_err(|error| Error::read(dir, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_shown_as_typed() {
        let program = Program::new(
            "mdadm",
            ["--create", "/dev/md0", "it's", "", "--layout=3,5"],
        );
        assert_eq!(
            program.shown(),
            r"mdadm --create /dev/md0 'it'\''s' '' --layout=3,5"
        );
    }
}
