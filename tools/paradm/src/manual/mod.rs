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
            text += &with_settings(include_str!("words.bash"), " ");
        } else if name.starts_with("zsh/") {
            text = zsh_words(&text);
        } else if name.starts_with("fish/") {
            text += include_str!("words.fish");
            fish_words(command, &mut Vec::new(), &mut text);
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
fn with_settings(script: &str, between: &str) -> String {
    let settings: Vec<_> = SETTINGS
        .iter()
        .map(|setting| format!("{}=", setting.name))
        .collect();
    script.replace("@SETTINGS@", &settings.join(between))
}

/// In clap's script, a line for each argument ends in the function that completes it; ours are defined before it runs.
fn zsh_words(script: &str) -> String {
    let function = |line: &str| {
        let is = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
        Some(match () {
            () if is(&["'::array ", "':array ", "'--array=", "'-a+[The array"]) => "_paradm_arrays",
            () if is(&["':gear "]) => "_paradm_gears up down",
            () if is(&["':gears "]) => "_paradm_gears",
            () if is(&["'*::settings "]) => "_paradm_settings",
            () => return None,
        })
    };
    let mut made = String::new();
    for line in script.lines() {
        let ours = function(line).zip(line.strip_suffix("_default' \\"));
        match ours {
            Some((function, line)) => made += &format!("{line}{function}' \\\n"),
            None => made += &format!("{line}\n"),
        }
        if line.starts_with("#compdef ") {
            made += &format!("\n{}", with_settings(include_str!("words.zsh"), " "));
        }
    }
    made
}

/// clap completes no words that are not options or commands for fish.
fn fish_words<'a>(command: &'a Command, names: &mut Vec<&'a str>, script: &mut String) {
    let when = match names.as_slice() {
        [] => String::new(),
        [first, rest @ ..] => {
            let seen = |name: &&str| format!("; and __fish_seen_subcommand_from {name}");
            let rest: String = rest.iter().map(seen).collect();
            format!("__fish_paradm_using_subcommand {first}{rest}")
        }
    };
    for argument in command.get_arguments() {
        let words = match argument.get_id().as_str() {
            "array" => "(__fish_paradm_arrays)".to_owned(),
            "gear" => "up down (__fish_paradm_gears)".to_owned(),
            "gears" if argument.is_positional() => "(__fish_paradm_gears)".to_owned(),
            "settings" => with_settings("@SETTINGS@", " "),
            _ => continue,
        };
        let option = argument
            .get_long()
            .map_or(String::new(), |long| format!(" -l {long} -r"));
        *script += &format!("complete -c paradm -n \"{when}\"{option} -f -a \"{words}\"\n");
    }
    for sub in command.get_subcommands() {
        names.push(sub.get_name());
        fish_words(sub, names, script);
        names.pop();
    }
}
