// SPDX-License-Identifier: GPL-2.0
//! What can go wrong, each with the exit code that scripts go by. A message is one line: what is wrong, and what would
//! be right.

pub use shared::exit;
use std::io;
use std::path::{Path, PathBuf};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    NotFound(String),
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file that is none of a format, or has nothing of it.
    #[error("{}: {what}", path.display())]
    Parse { path: PathBuf, what: String },
    /// A meter that does not say what is used.
    #[error("meter {name}: {what}")]
    Meter { name: String, what: String },
    /// The content of a file says nothing of its format.
    #[error("{}: is no trace of a format that is known; --from names one", .0.display())]
    Format(PathBuf),
    /// Nothing has changed.
    #[error("{0}")]
    Refused(String),
    /// Begun, and not completed.
    #[error("{0}")]
    NotDone(String),
    #[error("cannot write {what}: {source}")]
    Output { what: String, source: io::Error },
}

impl Error {
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) => exit::USAGE,
            Error::NotFound(_) => exit::NOT_FOUND,
            Error::Read { .. } | Error::Parse { .. } | Error::Meter { .. } | Error::Format(_) => {
                exit::UNREADABLE
            }
            Error::Refused(_) => exit::REFUSED,
            Error::NotDone(_) => exit::NOT_DONE,
            Error::Output { .. } => exit::OUTPUT,
        }
    }

    pub fn read(path: &Path, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::NotFound {
            return Error::NotFound(format!("there is no file {}", path.display()));
        }
        Error::Read {
            path: path.to_owned(),
            source,
        }
    }

    pub fn write(what: impl ToString, source: io::Error) -> Self {
        Error::Output {
            what: what.to_string(),
            source,
        }
    }
}
