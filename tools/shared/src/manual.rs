// SPDX-License-Identifier: GPL-2.0
//! Man pages and shell completions, made from a program's commands, so that they say what it does.

use clap::Command;
use clap::builder::Resettable;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;

/// The manual's section of commands for administrators.
const SECTION: &str = "8";

/// What the pages of a program say besides its commands.
pub struct Manual {
    /// When what the pages say was last changed by hand: pages have a date.
    pub date: &'static str,
    /// The program and its version.
    pub source: &'static str,
    /// What a command ends with.
    pub exit_status: &'static [(u8, &'static str)],
    /// Other pages than the program's, for the page of a command: name and section, in their order.
    pub see_also: fn(page: &str) -> Vec<(&'static str, &'static str)>,
}

/// All of them: paths below /usr/share, and contents.
pub fn files(manual: &Manual, command: &Command) -> io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    // The exit codes have a section of their own.
    let mut built = command
        .clone()
        .disable_help_subcommand(true)
        .after_help(Resettable::Reset);
    built.build();
    add_pages(manual, &built, &mut files)?;
    files.extend(completions(command)?);
    Ok(files)
}

/// A page for each command, and for each command of a command.
fn add_pages(
    manual: &Manual,
    command: &Command,
    pages: &mut Vec<(String, String)>,
) -> io::Result<()> {
    let man = Man::new(command.clone())
        .section(SECTION)
        .date(manual.date)
        .source(manual.source)
        .manual("raid-par");
    let mut page = Vec::new();
    man.render(&mut page)?;
    page.extend(exit_status(manual.exit_status).to_roff().into_bytes());
    let name = man.get_filename();
    let others = (manual.see_also)(name.trim_end_matches(".8"));
    page.extend(see_also(&others).to_roff().into_bytes());
    let name = format!("man/man{SECTION}/{name}");
    pages.push((name, without_gaps(&text(page)?)));
    for sub in command.get_subcommands() {
        add_pages(manual, sub, pages)?;
    }
    Ok(())
}

fn exit_status(codes: &[(u8, &str)]) -> Roff {
    let mut roff = Roff::default();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in codes {
        roff.control("TP", []);
        roff.text([bold(code.to_string())]);
        roff.text([roman(*meaning)]);
    }
    roff
}

fn see_also(pages: &[(&str, &str)]) -> Roff {
    let mut roff = Roff::default();
    roff.control("SH", ["SEE ALSO"]);
    for (number, (name, section)) in (1..).zip(pages) {
        let comma = if number < pages.len() { "," } else { "" };
        roff.control("BR", [*name, &format!("({section}){comma}")]);
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

/// Where a package has the completions of a shell, below /usr/share.
fn completions(command: &Command) -> io::Result<Vec<(String, String)>> {
    let name = command.get_name();
    let files = [
        (Shell::Bash, format!("bash-completion/completions/{name}")),
        (Shell::Zsh, format!("zsh/site-functions/_{name}")),
        (
            Shell::Fish,
            format!("fish/vendor_completions.d/{name}.fish"),
        ),
    ];
    let made = files.into_iter().map(|(shell, file)| {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command.clone(), name, &mut script);
        Ok((file, text(script)?))
    });
    made.collect()
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(io::Error::other)
}
