// SPDX-License-Identifier: GPL-2.0
//! The shifts of the last day, as far as the daemon has kept them or the view has seen them: the array itself only
//! counts them.

use crate::array::Array;
use crate::daemon::Kind;
use crate::error::Result;
use crate::history::{Event, History, Of};
use crate::system::System;
use std::collections::{BTreeMap, VecDeque};

const DAY: i64 = 86_400;
/// More than that of an array in a day are counted, and not kept.
const KEPT: usize = 1000;

/// Between one look and the next the array went from one gear to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// When that was noticed: seconds since 1970.
    pub time: i64,
    /// `None`: what was before is not kept.
    pub from: Option<u32>,
    pub to: u32,
    /// In so many shifts: more than one if they follow each other faster than one looks.
    pub count: u64,
}

pub struct Shifts {
    /// Since when it has looked, or the daemon has.
    since: i64,
    arrays: BTreeMap<String, Known>,
    /// Of arrays that have not been looked at yet.
    kept: BTreeMap<String, VecDeque<Seen>>,
}

struct Known {
    gear: u32,
    /// As the array counts, since its start.
    count: u64,
    seen: VecDeque<Seen>,
}

#[derive(Default)]
struct Kept {
    first: Option<i64>,
    shifts: BTreeMap<String, VecDeque<Seen>>,
}

fn kept(system: &dyn System, now: i64) -> Result<Kept> {
    let Some(history) = History::open_existing(system)? else {
        return Ok(Kept::default());
    };
    // The gear before the first shift of the day is that of the shift before.
    let events = history.events(now.saturating_sub(2 * DAY), &Of::All)?;
    Ok(Kept {
        first: history.first_event()?,
        shifts: shifts(&events),
    })
}

/// Of each array, the newest first.
fn shifts(events: &[Event]) -> BTreeMap<String, VecDeque<Seen>> {
    let mut all = BTreeMap::<_, VecDeque<Seen>>::new();
    for event in events
        .iter()
        .filter(|event| event.kind == Kind::Shift.name())
    {
        let Some(to) = event.gear else { continue };
        let of_array = all.entry(event.array.clone()).or_default();
        let from = of_array.front().map(|before| before.to);
        of_array.push_front(Seen {
            time: event.time,
            from,
            to,
            count: 1,
        });
    }
    all
}

impl Shifts {
    /// With those that the daemon has kept. Without a history, or with one that cannot be read, there are none yet.
    pub fn new(system: &dyn System, now: i64) -> Self {
        let kept = kept(system, now).unwrap_or_default();
        Shifts {
            since: kept.first.map_or(now, |first| first.min(now)),
            arrays: BTreeMap::new(),
            kept: kept.shifts,
        }
    }

    /// Since when shifts are known; `None`: for a day at least.
    pub fn since(&self, now: i64) -> Option<i64> {
        Some(self.since).filter(|since| now.saturating_sub(*since) < DAY)
    }

    /// All arrays as they are now.
    pub fn see(&mut self, arrays: &[Array], now: i64) {
        for array in arrays {
            let (gear, count) = (array.gear, array.shift.count);
            let kept = &mut self.kept;
            let known = self.arrays.entry(array.name.clone());
            let known = known.or_insert_with(|| Known {
                gear,
                count,
                seen: kept.remove(&array.name).unwrap_or_default(),
            });
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
    fn see(&mut self, gear: u32, count: u64, now: i64) {
        // An array that was stopped and started counts anew, and starts in the top gear.
        if let Some(more) = count.checked_sub(self.count).filter(|more| *more > 0) {
            self.seen.push_front(Seen {
                time: now,
                from: Some(self.gear),
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
    use crate::history::{ArrayKey, FILE};
    use crate::sim::{SimArray, SimSystem};

    fn new(gear: u32, count: u64) -> Known {
        Known {
            gear,
            count,
            seen: VecDeque::new(),
        }
    }

    fn seen(known: &Known) -> Vec<(i64, Option<u32>, u32, u64)> {
        let seen = known.seen.iter();
        seen.map(|one| (one.time, one.from, one.to, one.count))
            .collect()
    }

    #[test]
    fn shifts_are_kept_for_a_day() {
        let mut known = new(5, 7);
        known.see(5, 7, 0);
        assert_eq!(seen(&known), []);
        known.see(3, 8, 10);
        known.see(3, 10, 20);
        assert_eq!(seen(&known), [(20, Some(3), 3, 2), (10, Some(5), 3, 1)]);
        known.see(3, 10, 10 + DAY);
        assert_eq!(seen(&known), [(20, Some(3), 3, 2)]);
        // Stopped and started.
        known.see(5, 0, 11 + DAY);
        known.see(3, 1, 12 + DAY);
        assert_eq!(
            seen(&known),
            [(12 + DAY, Some(5), 3, 1), (20, Some(3), 3, 2)]
        );
    }

    #[test]
    fn no_more_are_kept_than_can_be_shown() {
        let mut known = new(5, 0);
        for count in 1..=5000 {
            known.see(5, count, 1);
        }
        assert_eq!(known.seen.len(), KEPT);
        assert_eq!(known.count, 5000);
    }

    fn event(time: i64, array: &str, kind: &str, gear: Option<u32>) -> Event {
        Event {
            time,
            array: array.to_owned(),
            kind: kind.to_owned(),
            gear,
            member: None,
            device: None,
            cause: None,
            what: None,
        }
    }

    #[test]
    fn those_of_the_day_that_the_daemon_has_kept_are_known() {
        let sim = SimSystem::with([SimArray::new("md0", &[3, 5]).in_gear(3)]);
        let array = Array::read(&sim, "md0").unwrap();
        let key = ArrayKey::of(&sim, "md0");
        let now = 10 * DAY;
        let events = [
            event(now - DAY - 20, "md0", "shift", Some(3)),
            event(now - DAY + 5, "md0", "shift", Some(5)),
            event(now - 70, "md0", "wake", None),
            event(now - 60, "md0", "shift", Some(3)),
        ];
        let events = events.map(|event| (key.clone(), event));
        History::open(&sim).unwrap().add(&[], &events).unwrap();
        let mut shifts = Shifts::new(&sim, now);
        shifts.see(std::slice::from_ref(&array), now);
        assert_eq!(shifts.since(now), None);
        assert_eq!(
            seen(&shifts.arrays["md0"]),
            [(now - 60, Some(5), 3, 1), (now - DAY + 5, Some(3), 5, 1)]
        );
        shifts.see(&[array], now + 10);
        assert_eq!(
            seen(&shifts.arrays["md0"]),
            [(now - 60, Some(5), 3, 1)],
            "what is older than a day goes"
        );
    }

    #[test]
    fn without_a_history_only_what_is_seen_is_known() {
        let sim = SimSystem::new();
        assert_eq!(Shifts::new(&sim, 5 * DAY).since(5 * DAY), Some(5 * DAY));
        // One that cannot be read is told by `paradm events`, and not here.
        sim.world().tree.file(FILE, "");
        assert_eq!(Shifts::new(&sim, 5 * DAY).since(5 * DAY), Some(5 * DAY));
    }
}
