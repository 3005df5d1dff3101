// SPDX-License-Identifier: GPL-2.0
//! The text of the kernel's tracing, as in tracefs' `trace` and `trace_pipe`, or as trace-cmd reports it: lines
//! `PROCESS-PID [CPU] FLAGS SECONDS: EVENT: …`. A row is a request where it is queued, the event `block_bio_queue`:
//! `MAJOR,MINOR RWBS SECTOR + SECTORS [PROCESS]`.

use super::blkparse::{is_device, queued};
use super::{Parse, Said, seconds};

#[derive(Default)]
pub struct Ftrace {
    /// What it was given before is of this format.
    begun: bool,
}

impl Parse for Ftrace {
    fn wanted(&self) -> &'static str {
        "PROCESS-PID [CPU] FLAGS SECONDS: block_bio_queue: MAJOR,MINOR RWBS SECTOR + SECTORS"
    }

    fn parse<'a>(&mut self, line: &'a str) -> Option<Said<'a>> {
        if line.starts_with("# tracer: ") || (self.begun && line.starts_with('#')) {
            self.begun = true;
            return Some(Said::Other);
        }
        // The name of a process may have spaces and colons.
        let (at, event) = line.match_indices(": ").find_map(|(end, _)| {
            let word = line.get(..end)?.rsplit([' ', '\t']).next()?;
            let at = seconds(word).filter(|_| word.contains('.'))?;
            Some((at, line.get(end + 2..)?))
        })?;
        let (event, what) = event.split_once(':')?;
        let event = event.trim();
        if event != "block_bio_queue" {
            let named = |c: char| c.is_ascii_alphanumeric() || c == '_';
            return (!event.is_empty() && event.chars().all(named)).then_some(Said::Other);
        }
        let mut words = what.split_ascii_whitespace();
        let device = words.next().filter(|device| is_device(device))?;
        let said = queued(at, device, words)?;
        self.begun = true;
        Some(said)
    }
}
