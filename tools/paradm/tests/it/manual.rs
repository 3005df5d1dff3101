// SPDX-License-Identifier: GPL-2.0
//! `paradm manual`. tests/host/paradm-manual.sh has man and the shells read what it writes.

use crate::harness::{json, paradm};
use clap::{Command, CommandFactory};
use paradm::cli::Cli;
use paradm::sim::SimSystem;
use paradm::system::System;
use std::path::Path;

fn written(sim: &SimSystem, file: &str) -> String {
    sim.read(&Path::new("/usr/share").join(file)).unwrap()
}

/// Of each command its own name, with those before it, and its options.
fn commands(command: &Command, name: &str) -> Vec<(String, Vec<String>)> {
    let options = command.get_arguments().filter_map(|arg| arg.get_long());
    let mut all = vec![(name.to_owned(), options.map(str::to_owned).collect())];
    for sub in command.get_subcommands() {
        all.extend(commands(sub, &format!("{name}-{}", sub.get_name())));
    }
    all
}

fn built() -> Command {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    command
}

#[test]
fn each_command_has_a_page_with_its_options() {
    let sim = SimSystem::new();
    let left = paradm(&sim, "manual /usr/share");
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    let commands = commands(&built(), "paradm");
    assert!(commands.iter().any(|(name, _)| name == "paradm-pin-set"));
    for (name, options) in &commands {
        let page = written(&sim, &format!("man/man8/{name}.8"));
        for option in options {
            // In a page a hyphen is escaped.
            let option = format!("\\-\\-{}", option.replace('-', "\\-"));
            assert!(page.contains(&option), "{name}: {option}");
        }
    }
    let pages = left.out.lines().filter(|file| file.contains("/man8/"));
    assert_eq!(pages.count(), commands.len());
}

#[test]
fn each_shell_knows_all_commands_and_options() {
    let sim = SimSystem::new();
    let files = json(&sim, "manual /usr/share");
    assert_eq!(files["schema"], "paradm.manual/1");
    for file in [
        "bash-completion/completions/paradm",
        "zsh/site-functions/_paradm",
        "fish/vendor_completions.d/paradm.fish",
    ] {
        let script = written(&sim, file);
        for (name, options) in commands(&built(), "paradm") {
            let last = name.rsplit('-').next().unwrap();
            assert!(script.contains(last), "{file}: {name}");
            for option in options {
                assert!(script.contains(&option), "{file}: {name} --{option}");
            }
        }
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    let sim = SimSystem::new();
    sim.world().root = false;
    let left = paradm(&sim, "manual /usr/share");
    assert_eq!(left.code, 4);
    assert!(
        left.err.contains("/usr/share/man/man8/paradm.8"),
        "{}",
        left.err
    );
    for line in ["manual", "manual /a /b", "manual /a --man"] {
        assert_eq!(paradm(&sim, line).code, 2, "{line}");
    }
}
