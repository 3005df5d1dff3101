// SPDX-License-Identifier: GPL-2.0
//! The command line: options that all commands have, and the way from there to an exit code.

use crate::commands::Command;
use crate::error::{Error, Result, exit};
use crate::output::{Color, Output};
use crate::system::{RealSystem, System};
use clap::Parser;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Plan, watch and steer md arrays of level par, whose disks sleep while the array is in use.
///
/// No command starts a disk that sleeps, unless its help says so.
#[derive(Debug, Parser)]
#[command(
    name = "paradm",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[command(after_help = EXIT_CODES)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 what was looked at is not as it should be; 2 wrong arguments; 3 no such array; \
4 root is needed; 5 a file cannot be read or understood; 6 refused; 7 begun and not done; \
8 a program is missing; 9 the output cannot be written";

#[derive(Debug, clap::Args)]
pub struct Global {
    /// Print one JSON document (their schema is in Documentation/paradm.md)
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// Look at a copy of a system's files (/sys, /proc) in DIR; nothing is written or run
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

/// What a command works with.
pub struct Context<'a> {
    pub system: &'a dyn System,
    pub output: Output<'a>,
}

/// How a command ends that has met no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Done,
    /// Exit code 1: what was looked at is not as it should be.
    Findings,
}

pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let system = match &cli.global.root {
        Some(root) => RealSystem::below(root),
        None => RealSystem::new(),
    };
    ExitCode::from(execute_here(&cli, &system))
}

/// As [`main`], on another system: for tests on a terminal.
pub fn run_here<A: Into<OsString>>(args: impl IntoIterator<Item = A>, system: &dyn System) -> u8 {
    let args = args.into_iter().map(Into::into);
    let cli = Cli::parse_from([OsString::from("paradm")].into_iter().chain(args));
    execute_here(&cli, system)
}

fn execute_here(cli: &Cli, system: &dyn System) -> u8 {
    let terminal = std::io::stdout().is_terminal();
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    execute(cli, system, terminal, &mut out, &mut err)
}

/// As [`main`], for tests: `args` as typed, without the program's name.
pub fn run<A: Into<OsString>>(
    args: impl IntoIterator<Item = A>,
    system: &dyn System,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let args = args.into_iter().map(Into::into);
    match Cli::try_parse_from([OsString::from("paradm")].into_iter().chain(args)) {
        Ok(cli) => execute(&cli, system, false, out, err),
        Err(error) => {
            let text = error.render();
            let _ = if error.use_stderr() {
                write!(err, "{text}")
            } else {
                write!(out, "{text}")
            };
            u8::try_from(error.exit_code()).unwrap_or(exit::USAGE)
        }
    }
}

fn execute(
    cli: &Cli,
    system: &dyn System,
    terminal: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let result = call(cli, system, terminal, out, err);
    match result {
        Ok(Verdict::Done) => exit::DONE,
        Ok(Verdict::Findings) => exit::FINDINGS,
        // Who reads has seen enough, as `head` has.
        Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => exit::DONE,
        Err(error) => {
            let _ = writeln!(err, "paradm: {error}");
            error.exit_code()
        }
    }
}

fn call(
    cli: &Cli,
    system: &dyn System,
    terminal: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Verdict> {
    let global = &cli.global;
    let output = Output::new(global.json, global.color, terminal, out, err);
    cli.command.run(&mut Context { system, output })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
