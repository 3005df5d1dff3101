// SPDX-License-Identifier: GPL-2.0
//! Columns, two spaces apart.

use crate::style::Style;
use unicode_width::UnicodeWidthStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<'a>(columns: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        let columns = columns.into_iter();
        Table {
            columns: columns
                .map(|(name, align)| (name.to_owned(), align))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// A cell may be marked by a [`Style`].
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Each line begins with `indent` and has no spaces at its end.
    pub fn render(&self, indent: &str, style: Style) -> String {
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| {
                let cells = self
                    .rows
                    .iter()
                    .chain([&names])
                    .filter_map(|row| row.get(at));
                cells.map(|cell| width(cell)).max().unwrap_or(0)
            })
            .collect();
        let heads: Vec<String> = names.iter().map(|name| style.dim(name)).collect();
        let mut text = String::new();
        for row in [&heads].into_iter().chain(&self.rows) {
            let mut line = indent.to_owned();
            for ((cell, wide), (_, align)) in row.iter().zip(&widths).zip(&self.columns) {
                let space = " ".repeat(wide.saturating_sub(width(cell)));
                match align {
                    Align::Left => line += &format!("{cell}{space}  "),
                    Align::Right => line += &format!("{space}{cell}  "),
                }
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// Columns that a cell takes on a terminal.
fn width(cell: &str) -> usize {
    let mut plain = String::new();
    let mut escape = false;
    for c in cell.chars() {
        match (escape, c) {
            (false, '\x1b') => escape = true,
            (false, c) => plain.push(c),
            (true, 'm') => escape = false,
            (true, _) => {}
        }
    }
    plain.width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_take_no_room() {
        for color in [false, true] {
            let style = Style { color };
            let mut table = Table::new([
                ("disk", Align::Left),
                ("busy", Align::Right),
                ("why", Align::Left),
            ]);
            table.row(["sda".to_owned(), style.bad("100 %"), String::new()]);
            table.row(["sdab".to_owned(), "5 %".to_owned(), "wird grün".to_owned()]);
            let text = table.render("  ", style);
            let plain = text
                .replace("\x1b[31m", "")
                .replace("\x1b[2m", "")
                .replace("\x1b[0m", "");
            assert_eq!(
                plain,
                "  disk   busy  why\n  sda   100 %\n  sdab    5 %  wird grün\n"
            );
        }
    }
}
