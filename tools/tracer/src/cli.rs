// SPDX-License-Identifier: GPL-2.0
//! The command line, and the way from there to an exit code.

use crate::commands::Command;
use crate::error::{Error, Result, exit};
use clap::Parser;
use clap::error::ErrorKind;
use shared::{text, usage};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// Convert, filter, make and replay traces of requests to block devices, and measure power.
#[derive(Debug, Parser)]
#[command(
    name = "raid-tracer",
    version = env!("TRACER_VERSION"),
    propagate_version = true,
    max_term_width = 100,
    arg_required_else_help = false,
    after_help = EXIT_CODES
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 done, but rows were left out or came late, or requests or readings of meters failed; 2 wrong arguments; 3 no such file or device; \
5 a file cannot be read or understood, or a meter does not answer; 6 refused; 7 interrupted; 9 the output cannot be written";

/// How a command ends that has met no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Done,
    /// Exit code 1.
    Findings,
}

/// A remark beside the result, on standard error.
pub fn note(line: &str) {
    eprintln!("raid-tracer: {}", text::line(line));
}

pub fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os()))
}

fn run(args: impl Iterator<Item = OsString>) -> u8 {
    match Cli::try_parse_from(args) {
        Ok(cli) => ended(cli.command.run()),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            // Who reads has seen enough, as `head` has.
            let _ = error.print();
            exit::DONE
        }
        Err(error) => {
            note(&usage::line(&error));
            exit::USAGE
        }
    }
}

fn ended(result: Result<Verdict>) -> u8 {
    match result {
        Ok(Verdict::Done) => exit::DONE,
        Ok(Verdict::Findings) => exit::FINDINGS,
        // Who reads has seen enough, as `head` has.
        Err(Error::Output { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {
            exit::DONE
        }
        Err(error) => {
            note(&error.to_string());
            error.exit_code()
        }
    }
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
