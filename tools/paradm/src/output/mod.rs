// SPDX-License-Identifier: GPL-2.0
//! The one way to show something: text for people, or JSON for programs.
//!
//! A command makes a value that is [`Serialize`] and [`Text`], and gives it to [`Output::show`].
//! Colour is only for a terminal, and never if NO_COLOR is set (no-color.org).

pub use shared::style::{Style, Tone, Word};
pub use shared::table::{Align, Table};
pub use shared::text::{line, printable};
pub use shared::units;

use crate::error::Result;
use serde::Serialize;
use std::fmt;
use std::io::Write;

/// How a value is told to people.
pub trait Text {
    fn text(&self, style: Style) -> String;
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// Where output goes, and how.
pub struct Output<'a> {
    pub json: bool,
    pub style: Style,
    /// Is it a terminal, so that a line may be rewritten?
    pub terminal: bool,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
}

/// What heads each JSON document: `{"schema": "paradm.status/1", …}`.
#[derive(Serialize)]
struct Document<'a, T: Serialize> {
    schema: String,
    #[serde(flatten)]
    content: &'a T,
}

impl<'a> Output<'a> {
    pub fn new(
        json: bool,
        color: Color,
        terminal: bool,
        out: &'a mut dyn Write,
        err: &'a mut dyn Write,
    ) -> Self {
        let wanted = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let color = match color {
            Color::Auto => wanted,
            Color::Always => true,
            Color::Never => false,
        };
        Output {
            json,
            style: Style { color },
            terminal,
            out,
            err,
        }
    }

    /// The result of a command. `schema`: its name and version, as `status/1`; documented in
    /// Documentation/paradm.md. `value` must be a struct.
    pub fn show<T: Serialize + Text>(&mut self, schema: &str, value: &T) -> Result<()> {
        if self.json {
            return self.json_line(schema, value);
        }
        let text = value.text(self.style);
        self.out.write_all(text.as_bytes())?;
        self.out.flush()?;
        Ok(())
    }

    fn json_line<T: Serialize>(&mut self, schema: &str, value: &T) -> Result<()> {
        let document = Document {
            schema: format!("paradm.{schema}"),
            content: value,
        };
        let text = serde_json::to_string(&document).map_err(std::io::Error::other)?;
        writeln!(self.out, "{text}")?;
        self.out.flush()?;
        Ok(())
    }

    /// A line of what goes on, before the result; a JSON document has it all.
    pub fn event(&mut self, text: impl fmt::Display) -> Result<()> {
        if !self.json {
            writeln!(self.out, "{text}")?;
            self.out.flush()?;
        }
        Ok(())
    }

    /// A remark beside the result, on stderr: what is waited for, a warning.
    pub fn note(&mut self, text: impl fmt::Display) -> Result<()> {
        writeln!(self.err, "{text}")?;
        Ok(())
    }

    /// A line on stderr that the next one replaces, on a terminal; else nothing.
    pub fn progress(&mut self, text: impl fmt::Display) -> Result<()> {
        if self.terminal && !self.json {
            write!(self.err, "\r\x1b[K{text}")?;
            self.err.flush()?;
        }
        Ok(())
    }

    /// Progress is over.
    pub fn end_progress(&mut self) -> Result<()> {
        self.progress("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Two {
        two: u32,
    }

    impl Text for Two {
        fn text(&self, style: Style) -> String {
            style.good(self.two) + "\n"
        }
    }

    fn shown(json: bool, color: Color) -> String {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut output = Output::new(json, color, false, &mut out, &mut err);
        output.show("two/1", &Two { two: 2 }).unwrap();
        output.progress("not on a file").unwrap();
        assert!(err.is_empty());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_json_and_colour() {
        assert_eq!(shown(false, Color::Auto), "2\n");
        assert_eq!(shown(false, Color::Always), "\x1b[32m2\x1b[0m\n");
        assert_eq!(
            shown(true, Color::Always),
            "{\"schema\":\"paradm.two/1\",\"two\":2}\n"
        );
    }
}
