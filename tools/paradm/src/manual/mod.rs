// SPDX-License-Identifier: GPL-2.0
//! `paradm manual`: man pages and shell completions, made from the commands themselves, so that
//! they say what the program does.

use crate::error::{Error, Result, exit};
use crate::output::{Style, Text};
use crate::policy::SETTINGS;
use crate::system::System;
use clap::Command;
use serde::Serialize;
use shared::manual::{Manual, files};
use std::path::{Path, PathBuf};

const MANUAL: Manual = Manual {
    date: "2026-11-24",
    source: concat!("paradm ", env!("PARADM_VERSION")),
    exit_status: &EXIT_STATUS,
    see_also,
};

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

fn see_also(page: &str) -> Vec<(&'static str, &'static str)> {
    let mut pages = vec![("md-par", "4"), ("mdadm", "8")];
    if page == "paradm-daemon" {
        pages.insert(1, ("paradm-daemon.toml", "5"));
    }
    if page != "paradm" {
        pages.push(("paradm", "8"));
    }
    pages
}

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
pub fn write(system: &dyn System, command: &Command, dir: &Path) -> Result<Written> {
    let mut written = Vec::new();
    for (name, mut text) in files(&MANUAL, command)? {
        if name.starts_with("bash-completion/") {
            text += &bash_words();
        }
        let path = dir.join(name);
        system
            .replace(&path, &text)
            .map_err(|error| Error::write(&path, "the manual", &error))?;
        written.push(path);
    }
    Ok(Written { files: written })
}

/// What clap cannot know: the arrays that run, their gears, and the settings.
fn bash_words() -> String {
    let settings: Vec<_> = SETTINGS
        .iter()
        .map(|setting| format!("{}=", setting.name))
        .collect();
    include_str!("words.bash").replace("@SETTINGS@", &settings.join(" "))
}
