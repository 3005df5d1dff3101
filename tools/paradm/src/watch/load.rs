// SPDX-License-Identifier: GPL-2.0
//! The load beside the thresholds at which the policy shifts.

use crate::array::Array;

/// A load and the mark that it is compared with, both in percent of the time.
#[derive(Debug, Clone, PartialEq)]
pub struct Against {
    pub what: String,
    pub percent: f64,
    pub mark: Option<u32>,
    pub note: String,
}

/// Of the gear that the array is in, against the threshold up.
pub fn present(array: &Array) -> Against {
    let gear = array.gear;
    let up = array.settings.up_threshold;
    let (mark, note) = if gear >= array.top_gear() {
        (None, "the top gear".to_owned())
    } else if gear >= array.settings.max_gear {
        (None, "max_gear".to_owned())
    } else {
        (Some(up), format!("up above {up} %"))
    };
    Against {
        what: format!("gear {gear}"),
        percent: busy(array),
        mark,
        note,
    }
}

/// Of the next lower gear, if its members had the requests of all that are awake now, against the
/// threshold down. The policy itself also reckons with what writes cost there.
pub fn lower(array: &Array) -> Option<Against> {
    let gear = array
        .gears
        .iter()
        .copied()
        .rfind(|gear| *gear < array.gear)?;
    let down = array.settings.down_threshold;
    let (mark, note) = if gear < array.settings.min_gear {
        (None, "min_gear is higher".to_owned())
    } else {
        (Some(down), format!("down below {down} %"))
    };
    Some(Against {
        what: format!("gear {gear} would be"),
        percent: busy(array) * f64::from(array.gear) / f64::from(gear.max(1)),
        mark,
        note,
    })
}

/// The mean of the members that the gear uses, in the last interval.
fn busy(array: &Array) -> f64 {
    let used = array
        .members
        .iter()
        .filter(|member| !member.asleep && member.device.is_some());
    let (sum, count) = used.fold((0.0, 0.0), |(sum, count), member| {
        (sum + member.busy_percent, count + 1.0)
    });
    if count > 0.0 { sum / count } else { 0.0 }
}

/// `####....|...`: `cells` long, of which the mark is one.
pub fn bar(percent: f64, mark: Option<u32>, cells: usize) -> String {
    let full = (1..=cells)
        .take_while(|cell| reached(percent, *cell, cells))
        .count();
    let mark = mark.map(|mark| {
        let before = (1..=cells)
            .take_while(|cell| reached(f64::from(mark), *cell, cells))
            .count();
        before.min(cells.saturating_sub(1))
    });
    (0..cells)
        .map(|cell| match cell {
            _ if mark == Some(cell) => '|',
            _ if cell < full => '#',
            _ => '.',
        })
        .collect()
}

/// Does a bar of so many percent fill that cell, counted from 1, by half at least?
fn reached(percent: f64, cell: usize, cells: usize) -> bool {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    percent * number(cells) >= (number(cell) - 0.5) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bar_and_its_mark() {
        assert_eq!(bar(0.0, None, 10), "..........");
        assert_eq!(bar(4.9, Some(70), 10), ".......|..");
        assert_eq!(bar(5.0, Some(70), 10), "#......|..");
        assert_eq!(bar(71.0, Some(70), 10), "#######|..");
        assert_eq!(bar(85.0, Some(70), 10), "#######|#.");
        assert_eq!(bar(100.0, Some(100), 10), "#########|");
        assert_eq!(bar(50.0, Some(50), 1), "|");
        assert_eq!(bar(50.0, Some(50), 0), "");
    }

    proptest! {
        #[test]
        fn it_is_as_long_as_asked_for(percent in -10.0..1e6f64, mark in prop::option::of(0u32..500), cells in 0usize..200) {
            let bar = bar(percent, mark, cells);
            prop_assert_eq!(bar.chars().count(), cells);
            prop_assert_eq!(bar.matches('|').count(), usize::from(mark.is_some() && cells > 0));
        }
    }
}
