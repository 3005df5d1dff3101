// SPDX-License-Identifier: GPL-2.0
//! What the command line's grammar excludes, in one line as any other error: what is wrong, and what is right.

use crate::text as plain;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;
use std::num::{IntErrorKind, ParseIntError};

pub fn line(error: &clap::Error) -> String {
    let mut line = wrong(error);
    for tip in suggestions(error) {
        line = format!("{line}; {tip}");
    }
    if let Some(usage) = text(error, ContextKind::Usage) {
        line = format!("{line}; {}", usage.replacen("Usage:", "usage:", 1));
    }
    // Of what was typed, no control character reaches the terminal, and no line's end.
    let words: Vec<_> = line.split_whitespace().collect();
    plain::line(&words.join(" "))
}

fn wrong(error: &clap::Error) -> String {
    let is = |kind| text(error, kind).unwrap_or_default();
    let argument = is(ContextKind::InvalidArg);
    let value = is(ContextKind::InvalidValue);
    let valid = is(ContextKind::ValidValue);
    match error.kind() {
        ErrorKind::InvalidValue | ErrorKind::ValueValidation if value.is_empty() => {
            format!("{argument} needs a value{}", among(&valid))
        }
        ErrorKind::InvalidValue => format!("{value:?} is no value of {argument}{}", among(&valid)),
        ErrorKind::ValueValidation => {
            format!("{value:?} is no value of {argument}: {}", reason(error))
        }
        ErrorKind::TooManyValues => format!("{argument} takes no value, and {value:?} is given"),
        ErrorKind::UnknownArgument if is_negative(&argument) => {
            format!("{argument} is not expected: no number is negative")
        }
        ErrorKind::UnknownArgument => format!("{argument} is not expected"),
        ErrorKind::InvalidSubcommand => {
            format!(
                "there is no command {:?}",
                is(ContextKind::InvalidSubcommand)
            )
        }
        ErrorKind::MissingSubcommand => format!(
            "{} needs a command{}",
            is(ContextKind::InvalidSubcommand),
            among(&is(ContextKind::ValidSubcommand))
        ),
        ErrorKind::MissingRequiredArgument => format!("{argument} is missing"),
        ErrorKind::ArgumentConflict => match is(ContextKind::PriorArg) {
            prior if prior == argument => format!("{argument} is given more than once"),
            prior => format!("{argument} cannot be used with {prior}"),
        },
        kind => kind
            .as_str()
            .unwrap_or("these arguments are wrong")
            .to_owned(),
    }
}

fn among(valid: &str) -> String {
    match valid {
        "" => String::new(),
        valid => format!(": {valid}"),
    }
}

/// What the value's parser says. Of integers the standard library says only what is wrong.
fn reason(error: &clap::Error) -> String {
    let Some(source) = error.source() else {
        return "it is not understood".to_owned();
    };
    match source
        .downcast_ref::<ParseIntError>()
        .map(ParseIntError::kind)
    {
        Some(IntErrorKind::PosOverflow) => "it is too large".to_owned(),
        Some(_) => "it is a whole number, not below 0".to_owned(),
        None => range(&source.to_string()),
    }
}

/// Of numbers that are out of their range clap says `0 is not in 1..=3600`, or `1..` and the largest one that there is.
fn range(said: &str) -> String {
    let bounds = said.split_once(" is not in ");
    match bounds.and_then(|(_, range)| range.split_once("..")) {
        Some((from, to)) => match to.strip_prefix('=') {
            Some(to) if from.starts_with('-') => format!("it is at most {to}"),
            Some(to) => format!("it is from {from} to {to}"),
            None => format!("it is at least {from}"),
        },
        None => said.to_owned(),
    }
}

fn is_negative(argument: &str) -> bool {
    let rest = argument.strip_prefix('-').unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

fn suggestions(error: &clap::Error) -> Vec<String> {
    // How to pass it as a value is of no use: it would be refused.
    if is_negative(&text(error, ContextKind::InvalidArg).unwrap_or_default()) {
        return Vec::new();
    }
    let similar = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ];
    let similar = similar.into_iter().filter_map(|kind| text(error, kind));
    let mut all: Vec<_> = similar
        .map(|text| format!("did you mean {text}?"))
        .collect();
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) {
        all.extend(tips.iter().map(ToString::to_string));
    }
    all
}

/// `None`: the error does not tell.
fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    let text = match error.get(kind)? {
        ContextValue::Strings(all) => all.join(", "),
        other => other.to_string(),
    };
    Some(text)
}
