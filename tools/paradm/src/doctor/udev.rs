// SPDX-License-Identifier: GPL-2.0
//! udev's rules: parsed as udev(7) has them, and the check of those that stop disks.

use super::{Finding, Subject, Weight};
use crate::system::System;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file of the same name in an earlier one replaces those in later ones.
pub const DIRS: [&str; 4] = [
    "/etc/udev/rules.d",
    "/run/udev/rules.d",
    "/usr/lib/udev/rules.d",
    "/lib/udev/rules.d",
];

/// `ATTR{power/control}="auto"`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub key: String,
    /// `==` and `!=` compare; others assign.
    pub op: String,
    pub value: String,
}

impl Token {
    fn assigns(&self) -> bool {
        self.op != "==" && self.op != "!="
    }
}

/// A rule with the number of its first line.
pub type Rule = (usize, Vec<Token>);

/// Of a line that cannot be understood, what is before the place.
pub fn parse(text: &str) -> Vec<Rule> {
    let mut rules = Vec::new();
    let (mut whole, mut begin) = (String::new(), 1);
    for (at, line) in text.lines().enumerate() {
        if whole.is_empty() {
            begin = at + 1;
        }
        let line = line.trim_start();
        if line.starts_with('#') {
            continue;
        }
        match line.strip_suffix('\\') {
            Some(begun) => whole += begun,
            None => {
                whole += line;
                let tokens = tokens(&whole);
                if !tokens.is_empty() {
                    rules.push((begin, tokens));
                }
                whole.clear();
            }
        }
    }
    rules
}

fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some((token, after)) = token(rest.trim_start_matches([' ', '\t', ','])) {
        tokens.push(token);
        rest = after;
    }
    tokens
}

fn token(text: &str) -> Option<(Token, &str)> {
    let at = text.find(['=', '!', '+', '-', ':']).filter(|at| *at > 0)?;
    // A hyphen may be in a key's braces.
    let at = match text.find('{').filter(|open| *open < at) {
        Some(_) => text.find('}')? + 1,
        None => at,
    };
    let (key, rest) = text.split_at_checked(at)?;
    let rest = rest.trim_start();
    let op = ["==", "!=", "+=", "-=", ":=", "="]
        .into_iter()
        .find(|op| rest.starts_with(op))?;
    let rest = rest.get(op.len()..)?.trim_start();
    // e"…" has more escapes; all that matters here is where it ends.
    let rest = rest.strip_prefix('e').unwrap_or(rest).strip_prefix('"')?;
    let (value, rest) = quoted(rest)?;
    let token = Token {
        key: key.trim().to_owned(),
        op: op.to_owned(),
        value,
    };
    Some((token, rest))
}

/// Up to the closing quote, which is taken, too.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => return Some((value, text.get(at + 1..)?)),
            '\\' if !escaped => escaped = true,
            '"' => {
                value.push(c);
                escaped = false;
            }
            _ => {
                if escaped {
                    value.push('\\');
                }
                value.push(c);
                escaped = false;
            }
        }
    }
    None
}

/// All rules that are in force, by their files.
pub fn in_force(system: &dyn System) -> Vec<(PathBuf, Vec<Rule>)> {
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for dir in DIRS {
        for name in system.list(Path::new(dir)).unwrap_or_default() {
            let path = Path::new(dir).join(&name);
            files.entry(name).or_insert(path);
        }
    }
    let rules = files.into_values().filter_map(|path| {
        let text = system.read(&path).ok()?;
        Some((path, parse(&text)))
    });
    rules.collect()
}

/// Why a rule is to be looked at: it is about disks, and sets when they stop.
fn stops_disks(rule: &[Token]) -> Option<&'static str> {
    let about_disks = rule.iter().any(|token| {
        token.op == "=="
            && match token.key.as_str() {
                "SUBSYSTEM" | "SUBSYSTEMS" => token
                    .value
                    .split('|')
                    .any(|word| ["block", "scsi", "scsi_device", "scsi_disk"].contains(&word)),
                "KERNEL" | "KERNELS" => token.value.starts_with("sd"),
                _ => false,
            }
    });
    if !about_disks {
        return None;
    }
    rule.iter()
        .filter(|token| token.assigns())
        .find_map(|token| {
            let hdparm = || {
                let mut words = token.value.split_ascii_whitespace();
                let is_hdparm = words
                    .next()
                    .is_some_and(|program| program.ends_with("hdparm"));
                is_hdparm
                    && words.any(|word| {
                        ["-S", "-B", "-y", "-Y"]
                            .iter()
                            .any(|option| word.starts_with(option))
                    })
            };
            if token.key.starts_with("RUN") && hdparm() {
                return Some("hdparm makes disks stop by themselves");
            }
            let power = [
                "power/control",
                "power/autosuspend_delay_ms",
                "manage_runtime_start_stop",
            ];
            let attribute = token.key.strip_prefix("ATTR{")?.strip_suffix('}')?;
            let sets_power = power.iter().any(|name| attribute.ends_with(name));
            sets_power.then_some(
                "runtime PM of disks is set, which raid-par does itself while an array runs",
            )
        })
}

/// Is it about certain disks, which may be no members?
fn names_a_disk(rule: &[Token]) -> bool {
    let keys = [
        "ENV{ID_SERIAL",
        "ENV{ID_WWN",
        "ENV{ID_MODEL",
        "ATTRS{serial}",
        "ATTRS{model}",
        "ATTR{wwid}",
    ];
    rule.iter()
        .any(|token| token.op == "==" && keys.iter().any(|key| token.key.starts_with(key)))
}

pub fn power_rules(subject: &Subject, findings: &mut Vec<Finding>) {
    for (path, rules) in in_force(subject.system) {
        for (line, rule) in rules {
            let Some(why) = stops_disks(&rule) else {
                continue;
            };
            let weight = if names_a_disk(&rule) {
                Weight::Remark
            } else {
                Weight::Problem
            };
            findings.push(subject.finding(
                "power_rules",
                weight,
                format!("{}:{line}: {why}", path.display()),
                "leave members out of that rule: raid-par stops sleepers, and counts how often",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(usize, bool)> {
        let rules = parse(text).into_iter();
        rules
            .filter(|(_, rule)| stops_disks(rule).is_some())
            .map(|(line, rule)| (line, names_a_disk(&rule)))
            .collect()
    }

    #[test]
    fn rules_that_stop_disks_are_found() {
        let text = r#"# ACTION=="add", KERNEL=="sd*", RUN+="/usr/bin/hdparm -S 41 /dev/%k"
ACTION=="add|change", KERNEL=="sd[a-z]", ATTRS{queue/rotational}=="1", \
  RUN+="/usr/bin/hdparm -B 127 -S 41 /dev/%k"
SUBSYSTEM=="block", RUN+="/lib/udev/hdparm"
SUBSYSTEM=="usb", ATTR{power/control}="auto"
SUBSYSTEM=="scsi", ENV{ID_SERIAL}=="DISK-D", ATTR{power/control}="auto"
SUBSYSTEM=="block", ATTR{device/power/control}=="auto", GOTO="end"
SUBSYSTEM=="scsi_disk", ATTR{manage_runtime_start_stop}="1"
"#;
        assert_eq!(found(text), [(2, false), (6, true), (8, false)]);
    }

    #[test]
    fn the_project_s_own_rules_are_read_whole() {
        let text = include_str!("../../../../extras/udev/65-md-par.rules");
        let rules = parse(text);
        let starts = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        let starts = starts.filter(|line| !line.starts_with("  "));
        assert_eq!(rules.len(), starts.count());
        let quotes: usize = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.matches('"').count())
            .sum();
        let tokens: usize = rules.iter().map(|(_, rule)| rule.len()).sum();
        assert_eq!(tokens * 2, quotes);
        assert!(found(text).is_empty());
    }

    #[test]
    fn values_have_escapes() {
        let rules = parse(r#"A{b-c}+="x \"y\" \n", D := e"z" , nonsense"#);
        let words: Vec<_> = rules[0]
            .1
            .iter()
            .map(|token| (token.key.as_str(), token.op.as_str(), token.value.as_str()))
            .collect();
        assert_eq!(words, [("A{b-c}", "+=", r#"x "y" \n"#), ("D", ":=", "z")]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ -~\n\"\\\\{}=,]{0,200}|([A-Z]{0,5}(\\{[a-z/-]{0,9}\\})?(==|!=|\\+=|:=|=|-=)e?\"[^\"\n]{0,9}\",? ?\\\\?\n?){0,6}") {
            let _ = found(&text);
        }

        #[test]
        fn tokens_come_back(keys in prop::collection::vec(("[A-Z]{1,9}(\\{[a-zA-Z_/-]{1,12}\\})?", prop::sample::select(vec!["==", "!=", "+=", "-=", ":=", "="]), "[ !#-\\[\\]-~]{0,12}"), 1..5)) {
            let text: Vec<_> = keys.iter().map(|(key, op, value)| format!("{key}{op}\"{value}\"")).collect();
            let rules = parse(&text.join(", "));
            let back: Vec<_> = rules[0].1.iter().map(|token| (token.key.clone(), token.op.as_str(), token.value.clone())).collect();
            prop_assert_eq!(back, keys);
        }
    }
}
