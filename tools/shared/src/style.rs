// SPDX-License-Identifier: GPL-2.0
//! Words that stand out on a terminal.

use std::fmt;

/// How words are marked: by escape sequences, or not at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    pub color: bool,
}

impl Style {
    pub fn bold(self, text: impl fmt::Display) -> String {
        self.marked("1", text)
    }

    pub fn dim(self, text: impl fmt::Display) -> String {
        self.marked("2", text)
    }

    /// All is well.
    pub fn good(self, text: impl fmt::Display) -> String {
        self.marked("32", text)
    }

    /// It deserves a look.
    pub fn attention(self, text: impl fmt::Display) -> String {
        self.marked("33", text)
    }

    pub fn bad(self, text: impl fmt::Display) -> String {
        self.marked("31", text)
    }

    pub fn word(self, word: &Word) -> String {
        match word.tone {
            Tone::Plain => word.text.clone(),
            Tone::Bold => self.bold(&word.text),
            Tone::Dim => self.dim(&word.text),
            Tone::Good => self.good(&word.text),
            Tone::Attention => self.attention(&word.text),
            Tone::Bad => self.bad(&word.text),
        }
    }

    pub fn words(self, words: &[Word]) -> String {
        words.iter().map(|word| self.word(word)).collect()
    }

    fn marked(self, code: &str, text: impl fmt::Display) -> String {
        if self.color {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }
}

/// What the colour of a word says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Bold,
    Dim,
    Good,
    Attention,
    Bad,
}

/// Text and its tone, for what is shown in more than one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub tone: Tone,
}

impl Tone {
    pub fn word(self, text: impl fmt::Display) -> Word {
        Word {
            text: text.to_string(),
            tone: self,
        }
    }
}
