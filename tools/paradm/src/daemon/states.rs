// SPDX-License-Identifier: GPL-2.0
//! How arrays are: a member that fails, an array that breaks or does not start, parity that does not match, data that
//! is lost and a rebuild that ends are events as well. A few files are looked at each minute, and after each uevent of
//! an array or of a disk that goes: the module's own uevents for what fails or is lost say no more than these files.

use crate::array::{self, Dir, Health, Signs};
use crate::error::Result;
use crate::history::Event;
use crate::output::units;
use crate::system::System;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    health: Health,
    /// What people are told of it.
    what: String,
}

impl State {
    /// Of the few files that it depends on.
    fn read(system: &dyn System, name: &str) -> Result<Self> {
        let md = Dir::new(system, Path::new("/sys/block").join(name).join("md"));
        let par = md.sub("par");
        let (array_state, action) = (md.word("array_state")?, md.word("sync_action")?);
        let degraded = md.number("degraded")?;
        let signs = Signs {
            array_state: &array_state,
            degraded,
            parities: array::level(&md)?.parities(),
            action: &action,
            mismatches: md.number("mismatch_cnt")?,
            lost_bytes: if par.exists("log_lost") {
                par.number("log_lost")?
            } else {
                0
            },
            resyncs: par.unless::<u64>("resync", "none")?.is_some(),
        };
        let failed = if degraded > 0 {
            array::failed(&md)
        } else {
            Vec::new()
        };
        Ok(State {
            health: signs.health(),
            what: what(signs, &failed),
        })
    }
}

fn what(signs: Signs, failed: &[String]) -> String {
    let mut parts = Vec::new();
    if signs.degraded > 0 {
        let be = if signs.degraded == 1 {
            "member is"
        } else {
            "members are"
        };
        parts.push(format!("{} {be} missing or not rebuilt", signs.degraded));
    }
    if !failed.is_empty() {
        parts.push(format!("failed: {}", failed.join(" ")));
    }
    if signs.lost_bytes > 0 {
        let bytes = units::bytes(signs.lost_bytes);
        parts.push(format!("{bytes} of the write log's content are lost"));
    }
    if signs.degraded == 0 && signs.mismatches > 0 {
        parts.push("a check has found mismatches".to_owned());
    }
    parts.join(", ")
}

#[derive(Default)]
pub struct States(BTreeMap<String, State>);

impl States {
    /// What has changed since the last look; at the first one, what is not whole. An array that is stopped is forgotten.
    pub fn look(&mut self, system: &dyn System) -> Result<Vec<Event>> {
        let mut now = BTreeMap::new();
        for name in array::names(system)? {
            match State::read(system, &name) {
                Ok(state) => drop(now.insert(name, state)),
                // It is being stopped.
                Err(error) if error.is_absent() => {}
                Err(error) => return Err(error),
            }
        }
        for array in array::inactive(system)? {
            let what = array.what();
            let health = Health::Inactive;
            now.insert(array.name, State { health, what });
        }
        let time = system.now().as_second();
        let changed = now.iter().filter(|(name, state)| match self.0.get(*name) {
            Some(before) => before != *state,
            None => state.health > Health::Whole,
        });
        let events = changed
            .map(|(name, state)| event(time, name, state))
            .collect();
        self.0 = now;
        Ok(events)
    }
}

fn event(time: i64, name: &str, state: &State) -> Event {
    Event {
        time,
        array: name.to_owned(),
        kind: "state".to_owned(),
        gear: None,
        member: None,
        device: None,
        cause: Some(state.what.clone()).filter(|what| !what.is_empty()),
        what: Some(state.health.name().to_owned()),
    }
}
