// SPDX-License-Identifier: GPL-2.0
//! `paradm events`: what the module has reported, as far as the daemon has kept it.

use crate::array;
use crate::daemon::Kind;
use crate::error::{Error, Result};
use crate::history::{ArrayKey, Event, FILE, History, Of};
use crate::output::{Style, Text, printable};
use crate::pin::Since;
use crate::system::System;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Events {
    /// Seconds since 1970.
    pub since: i64,
    /// When the oldest event was that is kept, of whatever array; `None`: none is kept.
    pub first: Option<i64>,
    pub events: Vec<Event>,
    /// The administrator's clock.
    #[serde(skip)]
    zone: TimeZone,
}

/// Which ones.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// `None`: of all arrays.
    pub array: Option<&'a str>,
    pub since: Since,
    /// None: all.
    pub kinds: &'a [Kind],
}

impl Events {
    pub fn read(system: &dyn System, wanted: Wanted) -> Result<Self> {
        let zone = system.zone();
        let since = wanted.since.timestamp(system.now(), zone.clone());
        let since = since.ok_or_else(|| Error::Usage("that time is in the future".to_owned()))?;
        let history = History::open_existing(system)?;
        let of = of(system, wanted.array, history.as_ref())?;
        let mut events = Events {
            since: since.as_second(),
            first: None,
            events: Vec::new(),
            zone,
        };
        if let Some(history) = history {
            events.first = history.first_event()?;
            events.events = history.events(events.since, &of)?;
        }
        let is_wanted = |event: &Event| wanted.kinds.iter().any(|kind| kind.name() == event.kind);
        if !wanted.kinds.is_empty() {
            events.events.retain(is_wanted);
        }
        Ok(events)
    }
}

/// An array that runs, or one that the history knows by that name.
fn of(system: &dyn System, given: Option<&str>, history: Option<&History>) -> Result<Of> {
    let Some(given) = given else {
        return Ok(Of::All);
    };
    match (array::named(system, Some(given)), history) {
        (Ok(name), _) => Ok(Of::Array(ArrayKey::of(system, &name))),
        (Err(error), None) => Err(error),
        (Err(_), Some(history)) => {
            let names = history.names()?;
            let name = array::meant(system, given).filter(|name| names.contains(name));
            name.map(Of::Name).ok_or_else(|| {
                Error::NotFound(format!(
                    "{given} is not a running par array, and {FILE} has no events of it; it has those of: {}",
                    printable(&names.join(" "))
                ))
            })
        }
    }
}

impl Text for Events {
    fn text(&self, _: Style) -> String {
        let line = |event: &Event| {
            let line = printable(&event.line());
            format!("{}  {line}\n", self.clock(event.time))
        };
        match self.first {
            None => "no event is kept: `paradm daemon` keeps them while it runs\n".to_owned(),
            Some(first) if self.events.is_empty() => format!(
                "no events since {}; events are kept since {}\n",
                self.clock(self.since),
                self.clock(first)
            ),
            Some(_) => self.events.iter().map(line).collect(),
        }
    }
}

impl Events {
    fn clock(&self, seconds: i64) -> String {
        let time = Timestamp::from_second(seconds);
        time.map(|time| {
            let time = self.zone.to_datetime(time);
            time.strftime("%Y-%m-%d %H:%M:%S").to_string()
        })
        .unwrap_or_else(|_| seconds.to_string())
    }
}
