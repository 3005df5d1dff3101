// SPDX-License-Identifier: GPL-2.0
//! Events are told: to a hook at once, by mail a minute's worth at a time.

use super::config::{Config, Kind};
use super::limited;
use crate::error::Result;
use crate::history::Event;
use crate::output::printable;
use crate::system::{Program, System};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::path::Path;
use std::time::Duration;

/// What takes longer is killed: the daemon waits for it.
const HOOK: Duration = Duration::from_secs(10);
const SENDMAIL: Duration = Duration::from_secs(30);
const GATHER: Duration = Duration::from_secs(60);
/// More lines are only counted.
const LINES: usize = 50;

fn is_one_of(kinds: &[Kind], event: &Event) -> bool {
    kinds.iter().any(|kind| kind.name() == event.kind)
}

/// `HOOK EVENT ARRAY`, and the event in JSON on its standard input.
pub fn hook(system: &dyn System, config: &Config, event: &Event) -> Result<()> {
    let Some(hook) = config
        .hook
        .as_ref()
        .filter(|_| is_one_of(&config.hook_events, event))
    else {
        return Ok(());
    };
    let hook = hook.to_string_lossy();
    let text = serde_json::to_string(event).map_err(std::io::Error::other)?;
    let args = [event.kind.as_str(), event.array.as_str()];
    run(system, HOOK, &hook, &args, text + "\n")
}

/// Which of an administrator's machines it is.
fn host(system: &dyn System) -> String {
    let name = system
        .read(Path::new("/proc/sys/kernel/hostname"))
        .unwrap_or_default();
    match name.trim() {
        "" => "an unnamed machine".to_owned(),
        name => printable(name),
    }
}

fn clock(seconds: i64, zone: &TimeZone) -> String {
    Timestamp::from_second(seconds).map_or_else(
        |_| seconds.to_string(),
        |time| {
            zone.to_datetime(time)
                .strftime("%Y-%m-%d %H:%M:%S")
                .to_string()
        },
    )
}

fn run(
    system: &dyn System,
    limit: Duration,
    name: &str,
    args: &[&str],
    input: String,
) -> Result<()> {
    let mut program = Program::new(name, args.iter().copied());
    program.input = Some(input);
    limited::run(system, program, limit, "take it out of the configuration")
}

#[derive(Default)]
pub struct Mails {
    /// When, in seconds since 1970, and what.
    lines: Vec<(i64, String)>,
    more: usize,
    /// When the first of them came.
    since: Option<Duration>,
}

impl Mails {
    pub fn add(&mut self, config: &Config, event: &Event, now: Duration) {
        if config.mail.is_none() || !is_one_of(&config.mail_events, event) {
            return;
        }
        self.since.get_or_insert(now);
        if self.lines.len() < LINES {
            self.lines.push((event.time, event.line()));
        } else {
            self.more += 1;
        }
    }

    /// When they are to be sent.
    pub fn due(&self) -> Option<Duration> {
        self.since.map(|since| since + GATHER)
    }

    pub fn send(&mut self, system: &dyn System, config: &Config, now: Duration) -> Result<()> {
        match self.due() {
            Some(due) if now >= due => self.send_all(system, config),
            _ => Ok(()),
        }
    }

    pub fn send_all(&mut self, system: &dyn System, config: &Config) -> Result<()> {
        let mails = std::mem::take(self);
        let (Some((_, first)), Some(to)) = (mails.lines.first(), &config.mail) else {
            return Ok(());
        };
        let more = match mails.more {
            0 => String::new(),
            more => format!("… and {more} more\n"),
        };
        let host = host(system);
        let zone = system.zone();
        let line = |(time, line): &(i64, String)| format!("{}  {line}\n", clock(*time, &zone));
        let lines: String = mails.lines.iter().map(line).collect();
        let text = format!(
            "To: {to}\nSubject: paradm on {host}: {first}\n\nOn {host}:\n\n{lines}{more}\n`paradm status` shows the arrays, \
             and the next command of those that are not whole.\n"
        );
        run(system, SENDMAIL, "sendmail", &["-t", "-oi"], text)
    }
}
