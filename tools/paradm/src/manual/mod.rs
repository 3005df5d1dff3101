// SPDX-License-Identifier: GPL-2.0
//! `paradm manual`: man pages and shell completions, made from the commands themselves, so that
//! they say what the program does.

use crate::error::{Error, Result};
use crate::output::{Style, Text};
use crate::system::System;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
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
    let mut command = command.disable_help_subcommand(true);
    command.build();
    add_pages(&command, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<(String, String)>) -> Result<()> {
    let man = Man::new(command.clone())
        .section(SECTION)
        .source(concat!("paradm ", env!("PARADM_VERSION")))
        .manual("raid-par");
    let mut page = Vec::new();
    man.render(&mut page)?;
    let name = format!("man/man{SECTION}/{}", man.get_filename());
    pages.push((name, text(page)?));
    for sub in command.get_subcommands() {
        add_pages(sub, pages)?;
    }
    Ok(())
}

fn completions(command: Command) -> Result<Vec<(String, String)>> {
    let made = COMPLETIONS.into_iter().map(|(shell, name)| {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command.clone(), "paradm", &mut script);
        Ok((name.to_owned(), text(script)?))
    });
    made.collect()
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| Error::Output(std::io::Error::other(error)))
}
