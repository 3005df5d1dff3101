// SPDX-License-Identifier: GPL-2.0
//! Events are told: to a hook at once, by mail a minute's worth at a time.

use super::config::{Config, Kind};
use crate::error::{Error, Result};
use crate::history::Event;
use crate::system::{Program, System};
use std::time::Duration;

/// What takes longer, in seconds, is killed: the daemon waits for it.
const HOOK_SECONDS: u32 = 10;
const SENDMAIL_SECONDS: u32 = 30;
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
    run(system, HOOK_SECONDS, &hook, &args, text + "\n")
}

/// As timeout(1) has it: what is killed because it ignores being told to end is killed 2 s later.
fn run(system: &dyn System, seconds: u32, name: &str, args: &[&str], input: String) -> Result<()> {
    let limits = ["--kill-after=2".to_owned(), seconds.to_string()];
    let words = [name].into_iter().chain(args.iter().copied());
    let mut program = Program::new(
        "timeout",
        limits.into_iter().chain(words.map(str::to_owned)),
    );
    program.input = Some(input);
    let ran = system.run(&program).map_err(|error| Error::NoProgram {
        program: program.name.clone(),
        remedy: error.to_string(),
    })?;
    let said = ran.stderr.lines().next().unwrap_or_default();
    match ran.status {
        0 => Ok(()),
        124 | 137 => Err(Error::NotDone(format!(
            "{name} took more than {seconds} s, and was killed"
        ))),
        127 => Err(Error::NoProgram {
            program: name.to_owned(),
            remedy: "install it, or take it out of the configuration".to_owned(),
        }),
        status => Err(Error::NotDone(format!("{name} ends with {status}: {said}"))),
    }
}

#[derive(Default)]
pub struct Mails {
    lines: Vec<String>,
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
            self.lines.push(event.line());
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
        let (Some(first), Some(to)) = (mails.lines.first(), &config.mail) else {
            return Ok(());
        };
        let more = match mails.more {
            0 => String::new(),
            more => format!("… and {more} more\n"),
        };
        let text = format!(
            "To: {to}\nSubject: paradm: {first}\n\n{}\n{more}",
            mails.lines.join("\n")
        );
        run(system, SENDMAIL_SECONDS, "sendmail", &["-t", "-oi"], text)
    }
}
