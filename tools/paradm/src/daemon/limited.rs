// SPDX-License-Identifier: GPL-2.0
//! Programs that the daemon waits for, and not for ever.

use crate::error::{Error, Result};
use crate::system::{Program, System};
use std::io::ErrorKind;
use std::time::Duration;

/// `or_else`: what else can be done if there is no such program, but to install it.
pub fn run(
    system: &dyn System,
    mut program: Program,
    limit: Duration,
    or_else: &str,
) -> Result<()> {
    program.limit = Some(limit);
    let ran = system.run(&program).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::NoProgram {
            program: program.name.clone(),
            remedy: format!("install it, or {or_else}"),
        },
        ErrorKind::TimedOut => Error::NotDone(format!(
            "{} took more than {} s, and was killed",
            program.shown(),
            limit.as_secs()
        )),
        ErrorKind::ResourceBusy => Error::NotDone(format!(
            "{} still hangs, and is not run once more",
            program.shown()
        )),
        _ => Error::NotDone(format!("{} cannot be run: {error}", program.shown())),
    })?;
    let said = ran.stderr.lines().next().unwrap_or_default();
    match ran.status {
        0 => Ok(()),
        status => Err(Error::NotDone(format!(
            "{} ends with {status}: {said}",
            program.shown()
        ))),
    }
}
