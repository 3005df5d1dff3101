// SPDX-License-Identifier: GPL-2.0
//! The command line: options that all commands have, and the way from there to an exit code.

use crate::commands::Command;
use crate::error::{Error, Result, exit};
use crate::output::{self, Color, Output};
use crate::system::{RealSystem, System};
use clap::Parser;
use clap::error::ErrorKind;
use shared::usage;
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
    version = env!("PARADM_VERSION"),
    propagate_version = true,
    max_term_width = 100,
    arg_required_else_help = false
)]
#[command(after_help = EXIT_CODES)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 a problem was found; 2 wrong arguments; 3 no such array; \
4 root is needed; 5 a file cannot be read or understood; 6 refused; 7 begun and not completed; \
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
    /// Exit code 1: the command has worked, and reports a problem.
    Findings,
}

pub fn main() -> ExitCode {
    let cli = match parse_here(std::env::args_os()) {
        Ok(cli) => cli,
        Err(code) => return ExitCode::from(code),
    };
    let system = match &cli.global.root {
        Some(root) => RealSystem::below(root),
        None => RealSystem::new(),
    };
    ExitCode::from(execute_here(&cli, &system))
}

/// As [`main`], on another system: for tests on a terminal.
pub fn run_here<A: Into<OsString>>(args: impl IntoIterator<Item = A>, system: &dyn System) -> u8 {
    match parse_here(after_name(args)) {
        Ok(cli) => execute_here(&cli, system),
        Err(code) => code,
    }
}

fn after_name<A: Into<OsString>>(
    args: impl IntoIterator<Item = A>,
) -> impl Iterator<Item = OsString> {
    let args = args.into_iter().map(Into::into);
    [OsString::from("paradm")].into_iter().chain(args)
}

/// `Err`: it is to end with that code. Help is for a terminal's width, and in bold there.
fn parse_here(args: impl Iterator<Item = OsString>) -> std::result::Result<Cli, u8> {
    Cli::try_parse_from(args).map_err(|error| {
        if is_help(&error) {
            // Who reads has seen enough, as `head` has.
            let _ = error.print();
            return exit::DONE;
        }
        refuse(&error, &mut std::io::stderr())
    })
}

fn is_help(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    )
}

fn refuse(error: &clap::Error, err: &mut dyn Write) -> u8 {
    let _ = writeln!(err, "paradm: {}", usage::line(error));
    exit::USAGE
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
    match Cli::try_parse_from(after_name(args)) {
        Ok(cli) => execute(&cli, system, false, out, err),
        Err(error) if is_help(&error) => {
            let _ = write!(out, "{}", error.render());
            exit::DONE
        }
        Err(error) => refuse(&error, err),
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
            // A name that was given, or what a program has said, begins no line of its own.
            let mut line = error.to_string();
            if let (Error::Read { .. }, Some(root)) = (&error, &cli.global.root) {
                line += &format!("; with --root, files are those below {}", root.display());
            }
            let _ = writeln!(err, "paradm: {}", output::line(&line));
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
