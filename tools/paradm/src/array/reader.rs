// SPDX-License-Identifier: GPL-2.0
//! A directory of sysfs and the kinds of values its files hold. What a file does not hold as it is
//! documented is an error that names the file and quotes it.

use crate::error::{Error, Result};
use crate::system::{Files, System};
use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Clone)]
pub struct Dir<'a> {
    pub system: &'a dyn System,
    dir: PathBuf,
}

impl<'a> Dir<'a> {
    pub fn new(system: &'a dyn System, dir: PathBuf) -> Self {
        Dir { system, dir }
    }

    pub fn sub(&self, name: &str) -> Self {
        Dir::new(self.system, self.dir.join(name))
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.dir.join(file)
    }

    /// The whole file.
    pub fn text(&self, file: &str) -> Result<String> {
        self.system.text(&self.path(file))
    }

    /// A file of one line, without its end.
    pub fn line(&self, file: &str) -> Result<String> {
        let mut text = self.text(file)?;
        if text.ends_with('\n') {
            text.pop();
        }
        if text.contains('\n') {
            return Err(self.wrong(file, text, "one line"));
        }
        Ok(text)
    }

    pub fn word(&self, file: &str) -> Result<String> {
        let line = self.line(file)?;
        if line.is_empty() || line.contains(char::is_whitespace) {
            return Err(self.wrong(file, line, "a word"));
        }
        Ok(line)
    }

    /// A number that `T` can hold.
    pub fn number<T: FromStr>(&self, file: &str) -> Result<T> {
        self.one_of(file, "a number", |word| word.parse().ok())
    }

    /// Percent and other fractions.
    pub fn fraction(&self, file: &str) -> Result<f64> {
        self.one_of(file, "a number", finite)
    }

    pub fn flag(&self, file: &str) -> Result<bool> {
        self.one_of(file, "0 or 1", |word| match word {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })
    }

    /// What `parse` makes of the file's line; `None`: it is not what is `wanted`.
    pub fn one_of<T>(
        &self,
        file: &str,
        wanted: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T> {
        let line = self.line(file)?;
        parse(&line).ok_or_else(|| self.wrong(file, line, wanted))
    }

    /// A number, or `nothing`, a word for none.
    pub fn unless<T: FromStr>(&self, file: &str, nothing: &str) -> Result<Option<T>> {
        self.one_of(file, "a number, or none", |word| {
            if word == nothing {
                Some(None)
            } else {
                word.parse().ok().map(Some)
            }
        })
    }

    /// Numbers with spaces between, one at least.
    pub fn numbers(&self, file: &str) -> Result<Vec<u32>> {
        self.one_of(file, "numbers with spaces between", |line| {
            let words: Option<Vec<u32>> = line
                .split_ascii_whitespace()
                .map(|word| word.parse().ok())
                .collect();
            words.filter(|words| !words.is_empty())
        })
    }

    /// A file of lines, none perhaps.
    pub fn lines<T>(
        &self,
        file: &str,
        wanted: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>> {
        self.text(file)?
            .lines()
            .map(|line| parse(line).ok_or_else(|| self.wrong(file, line.to_owned(), wanted)))
            .collect()
    }

    fn wrong(&self, file: &str, got: String, wanted: &'static str) -> Error {
        Error::Parse {
            path: self.path(file),
            got,
            wanted,
        }
    }

    pub fn exists(&self, file: &str) -> bool {
        self.system.exists(&self.path(file))
    }

    /// Where a link leads, as it says.
    pub fn link(&self, file: &str) -> Option<PathBuf> {
        self.system.read_link(&self.path(file)).ok()
    }

    pub fn resolve(&self, file: &str) -> Option<PathBuf> {
        self.system.resolve(&self.path(file)).ok()
    }

    /// The value of a file that not every device has.
    pub fn optional(&self, path: &Path) -> Option<String> {
        let text = self.system.read(&self.dir.join(path)).ok()?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// No infinities and the like, which Rust would take.
pub fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite())
}
