// SPDX-License-Identifier: GPL-2.0
//! The members' table, with as many columns as the screen is wide.

use crate::array::Member;
use crate::output::{Align, Tone, Word};
use crate::status::words;
use unicode_width::UnicodeWidthStr;

/// Columns go in this order where the screen is too narrow: spin-ups, member, by, last woken, busy, left.
const FIRST_TO_GO: [usize; 6] = [4, 0, 7, 6, 3, 5];
const GAP: usize = 2;

/// A line of words for the heads, and one for each member.
pub fn table(members: &[Member], now: i64, width: usize) -> Vec<Vec<Word>> {
    let heads = words::COLUMNS.map(|(name, _)| Tone::Dim.word(name));
    let mut rows = vec![heads];
    rows.extend(members.iter().map(|member| words::member(member, now)));
    let widths = widths(&rows);
    let kept = kept(&widths, width);
    rows.into_iter()
        .map(|row| line(row, &widths, &kept))
        .collect()
}

fn widths(rows: &[[Word; 8]]) -> [usize; 8] {
    let mut widths = [0; 8];
    for row in rows {
        for (wide, word) in widths.iter_mut().zip(row) {
            *wide = word.text.width().max(*wide);
        }
    }
    widths
}

fn kept(widths: &[usize; 8], width: usize) -> [bool; 8] {
    let mut kept = [true; 8];
    for go in FIRST_TO_GO {
        let shown = widths.iter().zip(kept).filter(|(_, kept)| *kept);
        let needed: usize = shown.map(|(wide, _)| wide + GAP).sum();
        if needed <= width {
            break;
        }
        if let Some(place) = kept.get_mut(go) {
            *place = false;
        }
    }
    kept
}

fn line(row: [Word; 8], widths: &[usize; 8], kept: &[bool; 8]) -> Vec<Word> {
    let mut line = Vec::new();
    let cells = row.into_iter().zip(widths).zip(kept).zip(words::COLUMNS);
    for (((word, wide), kept), (_, align)) in cells {
        if !kept {
            continue;
        }
        let space = " ".repeat(wide.saturating_sub(word.text.width()));
        let (before, after) = match align {
            Align::Left => (String::new(), space),
            Align::Right => (space, String::new()),
        };
        line.push(Tone::Plain.word(" ".repeat(GAP) + &before));
        line.push(word);
        line.push(Tone::Plain.word(after));
    }
    line
}
