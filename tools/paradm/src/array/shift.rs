// SPDX-License-Identifier: GPL-2.0
//! Shifts: the files `shift*`.

use super::Dir;
use crate::error::Result;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShiftState {
    Idle,
    Up,
    Down,
    Propagate,
}

impl ShiftState {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "idle" => Some(ShiftState::Idle),
            "up" => Some(ShiftState::Up),
            "down" => Some(ShiftState::Down),
            "propagate" => Some(ShiftState::Propagate),
            _ => None,
        }
    }

    pub fn is_shift(self) -> bool {
        matches!(self, ShiftState::Up | ShiftState::Down)
    }
}

/// Segments, of `total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Progress {
    pub done: u64,
    pub total: u64,
}

impl Progress {
    /// How much is done; `None` if there is nothing to do.
    pub fn percent(self) -> Option<u64> {
        let percent = u128::from(self.done) * 100;
        u64::try_from(percent.checked_div(u128::from(self.total))?).ok()
    }

    fn parse(line: &str) -> Option<Option<Self>> {
        if line == "none" {
            return Some(None);
        }
        let (done, total) = line.split_once(" / ")?;
        Some(Some(Progress {
            done: done.parse().ok()?,
            total: total.parse().ok()?,
        }))
    }
}

/// How the last shift ended: 0, or a negative errno.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Moved(pub i32);

impl Moved {
    pub const ABANDONED: Moved = Moved(-4);
    pub const FAILED_IO: Moved = Moved(-5);
    pub const OUTRUN: Moved = Moved(-110);
    pub const PUT_OFF: Moved = Moved(-122);

    pub fn is_done(self) -> bool {
        self.0 == 0
    }

    pub fn reason(self) -> String {
        match self {
            Moved(0) => "done".to_owned(),
            Moved::ABANDONED => "abandoned: another gear was requested".to_owned(),
            Moved::PUT_OFF => "deferred: a member has no spin-ups left".to_owned(),
            Moved::OUTRUN => {
                "given up: data is written faster than it can be copied; try again when less is written"
                    .to_owned()
            }
            Moved(errno) => format!(
                "given up: {}; the kernel log says which member it was",
                std::io::Error::from_raw_os_error(errno.saturating_neg())
            ),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shift {
    pub state: ShiftState,
    /// The gear that is wanted: the current one, unless a shift is under way or waits.
    pub target: u32,
    pub progress: Option<Progress>,
    pub last_ms: u64,
    pub last_hold_ms: u64,
    pub limit_seconds: u64,
    pub last_error: Moved,
    /// Since the array was started.
    pub count: u64,
    /// `Some("ration")`: waits for a member to have spin-ups.
    pub put_off: Option<String>,
}

impl Shift {
    pub fn read(par: &Dir) -> Result<Self> {
        Ok(Shift {
            state: par.one_of(
                "shift_state",
                "idle, up, down or propagate",
                ShiftState::parse,
            )?,
            target: par.number("shift_target")?,
            progress: par.one_of("shift_progress", "none or DONE / TOTAL", Progress::parse)?,
            last_ms: par.number("shift_last_ms")?,
            last_hold_ms: par.number("shift_last_hold_ms")?,
            limit_seconds: par.number("shift_limit")?,
            last_error: Moved(par.number("shift_last_error")?),
            count: par.number("shifts")?,
            put_off: Some(par.word("shift_put_off")?).filter(|word| word != "none"),
        })
    }
}
