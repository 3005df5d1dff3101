// SPDX-License-Identifier: GPL-2.0
//! `paradm status` for people.

use super::{Status, words, work};
use crate::array::{self, Array, Inactive};
use crate::output::{Style, Table, Text};

impl Text for Status {
    fn text(&self, style: Style) -> String {
        if self.arrays.is_empty() && self.inactive.is_empty() {
            return "no par array runs here\n".to_owned();
        }
        let arrays = self.arrays.iter();
        let running = arrays.map(|array| array_text(array, self.time, style));
        let inactive = self
            .inactive
            .iter()
            .map(|array| inactive_text(array, style));
        let texts: Vec<_> = running.chain(inactive).collect();
        texts.join("\n")
    }
}

fn array_text(array: &Array, now: i64, style: Style) -> String {
    let mut text = style.words(&words::head(array)) + "\n";
    if let Some(action) = array::action(array) {
        text += &format!("  action: {action}\n");
    }
    text += &format!("  {}\n", array.explain);
    if let Some(line) = shift_line(array) {
        text += &format!("  {line}\n");
    }
    if let Some(progress) = work::progress(&array.scrub) {
        text += &format!("  {}: {progress}\n", array.scrub.work());
    }
    if let Some(log) = &array.log {
        text += &format!("  {}\n", style.words(&words::log(log)));
    }
    if let Some(slots) = &array.slots {
        text += &format!("  {}\n", words::slots(slots));
    }
    text + &members(array, now, style).render("  ", style)
}

/// Of one that does not run: what is wrong, and what to do.
pub(super) fn inactive_text(array: &Inactive, style: Style) -> String {
    let (name, what) = (style.bold(&array.name), style.bad(array.what()));
    format!("{name}: {what}\n  action: {}\n", array.action())
}

fn shift_line(array: &Array) -> Option<String> {
    let what = words::shift(array)?;
    let percent = array.shift.progress.and_then(|progress| progress.percent());
    Some(match percent {
        Some(percent) => format!("{what}: {percent} %"),
        None => what,
    })
}

fn members(array: &Array, now: i64, style: Style) -> Table {
    let mut table = Table::new(words::COLUMNS);
    for member in &array.members {
        table.row(words::member(member, now).map(|word| style.word(&word)));
    }
    table
}
