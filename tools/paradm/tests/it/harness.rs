// SPDX-License-Identifier: GPL-2.0
//! Runs paradm as a user does, on a simulated system.

use expect_test::ExpectFile;
use paradm::cli;
use paradm::error::exit;
use paradm::system::System;
use std::fmt;

/// All exit codes, which paradm.md lists in this order.
pub const CODES: [u8; 10] = [
    exit::DONE,
    exit::FINDINGS,
    exit::USAGE,
    exit::NOT_FOUND,
    exit::DENIED,
    exit::UNREADABLE,
    exit::REFUSED,
    exit::NOT_DONE,
    exit::NO_PROGRAM,
    exit::OUTPUT,
];

/// What a command has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// `line`: as typed, words with spaces in single quotes.
pub fn paradm(system: &dyn System, line: &str) -> Left {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run(words(line), system, &mut out, &mut err);
    Left {
        code,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
    }
}

fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_ascii_whitespace().map(str::to_owned));
        }
    }
    words
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.out)?;
        if !self.err.is_empty() {
            write!(f, "--- stderr\n{}", self.err)?;
        }
        writeln!(f, "--- exit {}", self.code)
    }
}

/// Several commands one after the other, each with what it has left, as one text.
pub fn session(system: &dyn System, lines: &[&str]) -> String {
    let shown = |line: &&str| {
        let asked = format!("$ paradm {line}");
        format!("{}\n{}", asked.trim_end(), paradm(system, line))
    };
    lines.iter().map(shown).collect::<Vec<_>>().join("\n")
}

/// Compare to a golden file; UPDATE_EXPECT=1 writes it anew.
pub fn golden(file: &ExpectFile, text: &str) {
    file.assert_eq(text);
}

/// The JSON document that a command prints.
pub fn json(system: &dyn System, line: &str) -> serde_json::Value {
    let left = paradm(system, &format!("{line} --json"));
    assert_eq!(left.err, "", "{line}");
    serde_json::from_str(&left.out).unwrap_or_else(|error| panic!("{line}: {error}: {}", left.out))
}
