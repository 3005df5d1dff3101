// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Cli, Verdict};
use crate::error::{Error, Result, exit};
use crate::trace::write::{beside, persist};
use clap::{Args, CommandFactory};
use shared::manual::{Manual, files};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Write the man pages and the completions of bash, zsh and fish, for packages
///
/// They are generated from the commands. Existing files are replaced.
#[derive(Debug, Args)]
pub struct Options {
    /// The directory that stands for /usr/share
    dir: PathBuf,
}

const MANUAL: Manual = Manual {
    date: "2026-11-28",
    source: concat!("raid-tracer ", env!("TRACER_VERSION")),
    exit_status: &[
        (exit::DONE, "Done."),
        (
            exit::FINDINGS,
            "Done, but rows were left out or came late, or requests or readings of meters failed; standard error names them.",
        ),
        (exit::USAGE, "Wrong arguments."),
        (
            exit::NOT_FOUND,
            "No such file, or no such device in the trace.",
        ),
        (
            exit::UNREADABLE,
            "A file cannot be read, or is no trace, or a meter does not answer.",
        ),
        (exit::REFUSED, "Refused; nothing has changed."),
        (exit::NOT_DONE, "Interrupted; what was measured is printed."),
        (exit::OUTPUT, "The output cannot be written."),
    ],
    see_also,
};

fn see_also(page: &str) -> Vec<(&'static str, &'static str)> {
    let mut pages = vec![("blktrace", "8"), ("fio", "1")];
    if page != "raid-tracer" {
        pages.push(("raid-tracer", "8"));
    }
    pages
}

pub fn run(options: &Options) -> Result<Verdict> {
    let made =
        files(&MANUAL, &Cli::command()).map_err(|error| Error::write("the manual", error))?;
    for (name, text) in made {
        let path = options.dir.join(name);
        let failed = |error| Error::write(path.display(), error);
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(failed)?;
        }
        let mut file = beside(&path)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        persist(file, &path)?;
        println!("{}", path.display());
    }
    Ok(Verdict::Done)
}
