// SPDX-License-Identifier: GPL-2.0
//! What can go wrong, each with the exit code that scripts go by.
//!
//! A message is one line: what is wrong, and what would be right. It names the file, the array or
//! the program that it is about.

pub use shared::exit;
use std::path::{Path, PathBuf};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Options that clap cannot see to be wrong.
    #[error("{0}")]
    Usage(String),
    /// No such array, member, file.
    #[error("{0}")]
    NotFound(String),
    #[error("{what}: root is needed for that; run it with sudo")]
    Denied { what: String },
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    /// A file holds something else than its documentation says.
    #[error("{}: {got:?} is not {wanted}", path.display())]
    Parse {
        path: PathBuf,
        got: String,
        wanted: &'static str,
    },
    /// The kernel, a tool or paradm itself says no. Nothing has changed.
    #[error("{what}: {reason}")]
    Refused { what: String, reason: String },
    /// What was asked for was accepted, and has not come about.
    #[error("{0}")]
    NotDone(String),
    #[error("there is no {program} on this system: {remedy}")]
    NoProgram { program: String, remedy: String },
    #[error("cannot write the output: {0}")]
    Output(#[from] std::io::Error),
}

impl Error {
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) => exit::USAGE,
            Error::NotFound(_) => exit::NOT_FOUND,
            Error::Denied { .. } => exit::DENIED,
            Error::Read { .. } | Error::Parse { .. } => exit::UNREADABLE,
            Error::Refused { .. } => exit::REFUSED,
            Error::NotDone(_) => exit::NOT_DONE,
            Error::NoProgram { .. } => exit::NO_PROGRAM,
            Error::Output(_) => exit::OUTPUT,
        }
    }

    /// An error of reading `path`.
    pub fn read(path: &Path, source: std::io::Error) -> Self {
        if source.kind() == std::io::ErrorKind::PermissionDenied {
            return Error::Denied {
                what: format!("reading {}", path.display()),
            };
        }
        Error::Read {
            path: path.to_owned(),
            source,
        }
    }

    /// An error of writing `text` to `path`.
    pub fn write(path: &Path, text: &str, source: &std::io::Error) -> Self {
        let what = format!("writing {text:?} to {}", path.display());
        if source.kind() == std::io::ErrorKind::PermissionDenied {
            return Error::Denied { what };
        }
        Error::Refused {
            what,
            reason: source.to_string(),
        }
    }

    /// Is it that a file, or what it belongs to, is not there (any more)?
    pub fn is_absent(&self) -> bool {
        match self {
            Error::NotFound(_) => true,
            // A sysfs file that vanishes while it is open.
            Error::Read { source, .. } => {
                source.kind() == std::io::ErrorKind::NotFound
                    || source.raw_os_error() == Some(rustix::io::Errno::NODEV.raw_os_error())
            }
            _ => false,
        }
    }
}
