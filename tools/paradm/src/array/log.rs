// SPDX-License-Identifier: GPL-2.0
//! The write log: the files `log_*`, `logged` and `drained`.

use super::{Dir, Progress};
use crate::error::Result;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogState {
    Empty,
    Records,
    Draining,
    Stuck,
}

impl LogState {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "empty" => Some(LogState::Empty),
            "records" => Some(LogState::Records),
            "draining" => Some(LogState::Draining),
            "stuck" => Some(LogState::Stuck),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            LogState::Empty => "empty",
            LogState::Records => "records",
            LogState::Draining => "draining",
            LogState::Stuck => "stuck",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Log {
    /// How large it is, its copies not counted.
    pub bytes: u64,
    pub state: LogState,
    pub used_bytes: u64,
    pub live_bytes: u64,
    /// Of its index.
    pub memory_bytes: u64,
    /// Since the array was started.
    pub logged_bytes: u64,
    pub drained_bytes: u64,
    /// Records that were found when the array was started.
    pub replayed: u64,
    /// Reads of one copy that have failed since then.
    pub read_errors: u64,
    /// Of the array: their newest content was in the log, and cannot be had any more.
    pub lost_bytes: u64,
}

/// How large an array's log is. `None`: it has none, or the module is too old to know of logs.
pub fn log_bytes(par: &Dir) -> Result<Option<u64>> {
    match par.number("log_size") {
        Err(error) if error.is_absent() => Ok(None),
        other => other.map(|bytes| Some(bytes).filter(|bytes| *bytes != 0)),
    }
}

impl Log {
    /// `None`: there is none, and the other files need not be read.
    pub fn read(par: &Dir) -> Result<Option<Self>> {
        let Some(bytes) = log_bytes(par)? else {
            return Ok(None);
        };
        Ok(Some(Log {
            bytes,
            state: par.one_of(
                "log_state",
                "empty, records, draining or stuck",
                LogState::parse,
            )?,
            used_bytes: par.number("log_used")?,
            live_bytes: par.number("log_live")?,
            memory_bytes: par.number("log_memory")?,
            logged_bytes: par.number("logged")?,
            drained_bytes: par.number("drained")?,
            replayed: par.number("log_replayed")?,
            read_errors: par.number("log_read_errors")?,
            lost_bytes: par.number("log_lost")?,
        }))
    }

    /// How much of it is used.
    pub fn filled(&self) -> Progress {
        Progress {
            done: self.used_bytes,
            total: self.bytes,
        }
    }
}
