// SPDX-License-Identifier: GPL-2.0
//! `paradm manual`: man pages and shell completions, made from the commands themselves, so that
//! they say what the program does.

use crate::error::{Error, Result, exit};
use crate::output::{Style, Text};
use crate::policy::SETTINGS;
use crate::system::System;
use clap::Command;
use clap::builder::Resettable;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The manual's section of commands for administrators.
const SECTION: &str = "8";

/// Where a package has the completions of a shell, below /usr/share.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/paradm"),
    (Shell::Zsh, "zsh/site-functions/_paradm"),
    (Shell::Fish, "fish/vendor_completions.d/paradm.fish"),
];

/// When what the pages say was last changed by hand: pages have a date.
const DATE: &str = "2026-11-24";

/// What a command ends with, as Documentation/paradm.md has it.
const EXIT_STATUS: [(u8, &str); 10] = [
    (exit::DONE, "Done, or there was nothing to do."),
    (
        exit::FINDINGS,
        "The command has worked, and reports a problem: a member is missing, a check has found mismatches.",
    ),
    (exit::USAGE, "Wrong arguments."),
    (exit::NOT_FOUND, "No such array, or none that runs."),
    (exit::DENIED, "Root is needed."),
    (
        exit::UNREADABLE,
        "A file cannot be read, or has content that this paradm does not understand.",
    ),
    (
        exit::REFUSED,
        "Refused, by the kernel, by a tool or by paradm; nothing has changed.",
    ),
    (exit::NOT_DONE, "Accepted and begun, but not completed."),
    (
        exit::NO_PROGRAM,
        "A program that is needed is not installed.",
    ),
    (exit::OUTPUT, "The output cannot be written."),
];

#[derive(Debug, Serialize)]
pub struct Written {
    pub files: Vec<PathBuf>,
}

impl Text for Written {
    fn text(&self, _style: Style) -> String {
        let line = |file: &PathBuf| format!("{}\n", file.display());
        self.files.iter().map(line).collect()
    }
}

/// Write all of them below `dir`, laid out as /usr/share is.
pub fn write(system: &dyn System, command: Command, dir: &Path) -> Result<Written> {
    let mut files = Vec::new();
    for (name, text) in pages(command.clone())?
        .into_iter()
        .chain(completions(command)?)
    {
        let path = dir.join(name);
        system
            .replace(&path, &text)
            .map_err(|error| Error::write(&path, "the manual", &error))?;
        files.push(path);
    }
    Ok(Written { files })
}

/// A page for each command, and for each command of a command.
fn pages(command: Command) -> Result<Vec<(String, String)>> {
    let mut pages = Vec::new();
    // The exit codes have a section of their own.
    let mut command = command
        .disable_help_subcommand(true)
        .after_help(Resettable::Reset);
    command.build();
    add_pages(&command, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<(String, String)>) -> Result<()> {
    let man = Man::new(command.clone())
        .section(SECTION)
        .date(DATE)
        .source(concat!("paradm ", env!("PARADM_VERSION")))
        .manual("raid-par");
    let mut page = Vec::new();
    man.render(&mut page)?;
    page.extend(exit_status().to_roff().into_bytes());
    let name = man.get_filename();
    page.extend(see_also(name.trim_end_matches(".8")).to_roff().into_bytes());
    let name = format!("man/man{SECTION}/{name}");
    pages.push((name, without_gaps(&text(page)?)));
    for sub in command.get_subcommands() {
        add_pages(sub, pages)?;
    }
    Ok(())
}

fn exit_status() -> Roff {
    let mut roff = Roff::default();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT_STATUS {
        roff.control("TP", []);
        roff.text([bold(code.to_string())]);
        roff.text([roman(meaning)]);
    }
    roff
}

fn see_also(page: &str) -> Roff {
    let mut pages = vec![("md-par", "(4),"), ("mdadm", "(8)")];
    if page == "paradm-daemon" {
        pages.insert(1, ("paradm-daemon.toml", "(5),"));
    }
    if page != "paradm" {
        pages.pop();
        pages.extend([("mdadm", "(8),"), ("paradm", "(8)")]);
    }
    let mut roff = Roff::default();
    roff.control("SH", ["SEE ALSO"]);
    for (name, section) in pages {
        roff.control("BR", [name, section]);
    }
    roff
}

/// Empty lines, and breaks beside them, are what a formatter complains of.
fn without_gaps(page: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in page.lines().map(str::trim_end) {
        if line.is_empty() || (line == ".br" && lines.last() == Some(&".br")) {
            continue;
        }
        lines.push(line);
    }
    lines.join("\n") + "\n"
}

fn completions(command: Command) -> Result<Vec<(String, String)>> {
    let made = COMPLETIONS.into_iter().map(|(shell, name)| {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command.clone(), "paradm", &mut script);
        let mut script = text(script)?;
        if shell == Shell::Bash {
            script += &bash_words();
        }
        Ok((name.to_owned(), script))
    });
    made.collect()
}

/// What clap cannot know: the arrays that run, their gears, and the settings.
fn bash_words() -> String {
    let settings: Vec<_> = SETTINGS
        .iter()
        .map(|setting| format!("{}=", setting.name))
        .collect();
    include_str!("words.bash").replace("@SETTINGS@", &settings.join(" "))
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| Error::Output(std::io::Error::other(error)))
}
