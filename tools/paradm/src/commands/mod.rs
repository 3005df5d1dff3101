// SPDX-License-Identifier: GPL-2.0
//! The commands. Each file has the options of one, declares their conflicts, and makes one library
//! call.

mod create;
mod daemon;
mod doctor;
mod events;
mod explain;
mod manual;
mod metrics;
mod pin;
mod plan;
mod policy;
mod schedule;
mod scrub;
mod shift;
mod status;
mod who;

use crate::cli::{Context, Verdict};
use crate::error::Result;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Command {
    Create(create::Options),
    Daemon(daemon::Options),
    Doctor(doctor::Options),
    Events(events::Options),
    Explain(explain::Options),
    Manual(manual::Options),
    Metrics(metrics::Options),
    Pin(pin::Options),
    Plan(Box<plan::Options>),
    Policy(policy::Options),
    Schedule(schedule::Options),
    Scrub(scrub::Options),
    Shift(shift::Options),
    Status(status::Options),
    Who(who::Options),
}

impl Command {
    pub fn run(&self, context: &mut Context) -> Result<Verdict> {
        match self {
            Command::Create(options) => create::run(options, context),
            Command::Daemon(options) => daemon::run(options, context),
            Command::Doctor(options) => doctor::run(options, context),
            Command::Events(options) => events::run(options, context),
            Command::Explain(options) => explain::run(options, context),
            Command::Manual(options) => manual::run(options, context),
            Command::Metrics(options) => metrics::run(options, context),
            Command::Pin(options) => pin::run(options, context),
            Command::Plan(options) => plan::run(options, context),
            Command::Policy(options) => policy::run(options, context),
            Command::Schedule(options) => schedule::run(options, context),
            Command::Scrub(options) => scrub::run(options, context),
            Command::Shift(options) => shift::run(options, context),
            Command::Status(options) => status::run(options, context),
            Command::Who(options) => who::run(options, context),
        }
    }
}
