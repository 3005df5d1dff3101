// SPDX-License-Identifier: GPL-2.0
//! The shifts of the last day, as far as they were seen: the array itself only counts them.

use crate::array::Array;
use std::collections::{BTreeMap, VecDeque};

const DAY: i64 = 86_400;
/// More than that of an array in a day are counted, and not kept.
const KEPT: usize = 1000;

/// Between one look and the next the array went from one gear to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// When that was noticed: seconds since 1970.
    pub time: i64,
    pub from: u32,
    pub to: u32,
    /// In so many shifts: more than one if they follow each other faster than one looks.
    pub count: u64,
}

pub struct Shifts {
    /// Since when it has looked.
    since: i64,
    arrays: BTreeMap<String, Known>,
}

struct Known {
    gear: u32,
    /// As the array counts, since its start.
    count: u64,
    seen: VecDeque<Seen>,
}

impl Shifts {
    pub fn new(now: i64) -> Self {
        Shifts {
            since: now,
            arrays: BTreeMap::new(),
        }
    }

    /// Since when it has looked; `None`: for a day at least.
    pub fn since(&self, now: i64) -> Option<i64> {
        Some(self.since).filter(|since| now.saturating_sub(*since) < DAY)
    }

    /// All arrays as they are now.
    pub fn see(&mut self, arrays: &[Array], now: i64) {
        for array in arrays {
            let (gear, count) = (array.gear, array.shift.count);
            let known = self
                .arrays
                .entry(array.name.clone())
                .or_insert_with(|| Known::new(gear, count));
            known.see(gear, count, now);
        }
    }

    /// The newest first.
    pub fn of(&self, name: &str) -> impl Iterator<Item = &Seen> {
        let known = self.arrays.get(name).into_iter();
        known.flat_map(|known| known.seen.iter())
    }
}

impl Known {
    fn new(gear: u32, count: u64) -> Self {
        Known {
            gear,
            count,
            seen: VecDeque::new(),
        }
    }

    fn see(&mut self, gear: u32, count: u64, now: i64) {
        // An array that was stopped and started counts anew, and starts in the top gear.
        if let Some(more) = count.checked_sub(self.count).filter(|more| *more > 0) {
            self.seen.push_front(Seen {
                time: now,
                from: self.gear,
                to: gear,
                count: more,
            });
        }
        (self.gear, self.count) = (gear, count);
        self.seen.retain(|seen| now.saturating_sub(seen.time) < DAY);
        self.seen.truncate(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(known: &Known) -> Vec<(i64, u32, u32, u64)> {
        let seen = known.seen.iter();
        seen.map(|one| (one.time, one.from, one.to, one.count))
            .collect()
    }

    #[test]
    fn shifts_are_kept_for_a_day() {
        let mut known = Known::new(5, 7);
        known.see(5, 7, 0);
        assert_eq!(seen(&known), []);
        known.see(3, 8, 10);
        known.see(3, 10, 20);
        assert_eq!(seen(&known), [(20, 3, 3, 2), (10, 5, 3, 1)]);
        known.see(3, 10, 10 + DAY);
        assert_eq!(seen(&known), [(20, 3, 3, 2)]);
        // Stopped and started.
        known.see(5, 0, 11 + DAY);
        known.see(3, 1, 12 + DAY);
        assert_eq!(seen(&known), [(12 + DAY, 5, 3, 1), (20, 3, 3, 2)]);
    }

    #[test]
    fn no_more_are_kept_than_can_be_shown() {
        let mut known = Known::new(5, 0);
        for count in 1..=5000 {
            known.see(5, count, 1);
        }
        assert_eq!(known.seen.len(), KEPT);
        assert_eq!(known.count, 5000);
    }
}
