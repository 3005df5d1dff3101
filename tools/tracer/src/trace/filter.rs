// SPDX-License-Identifier: GPL-2.0
//! Load control: a part of a trace that is as it all is (TRACER, section IV).
//!
//! Requests that come together are a bunch. Ten bunches are a group, and of each group as many are chosen as the load
//! says, uniformly: at 10 % the tenth, at 20 % the fifth and the tenth. Times stay as they are.
//!
//! A bunch is what btrecord makes one: at most 8 requests, within 10 ms of its first one. (TRACER's example, 400,000
//! requests in 50,000 bunches, has 8 of each.)
//!
//! Balanced choice, which is ours: the same pattern, moved by as many bunches as brings the requests and bytes chosen so
//! far closest to the load. Traces with requests of unequal sizes then keep the share of bytes, too.

use super::Event;
use crate::numbers::real;

const BUNCH_NS: u64 = 10_000_000;
const BUNCH_MOST: usize = 8;
const GROUP: usize = 10;

/// Tenths: 1 to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load(usize);

impl Load {
    /// Of percent, by tens.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.trim_end_matches('%').parse::<usize>() {
            Ok(percent @ 10..=100) if percent % 10 == 0 => Ok(Load(percent / 10)),
            _ => Err("it is 10, 20, 30 and so on, or 100".to_owned()),
        }
    }

    /// Is the bunch chosen, of those numbered from 0?
    fn chooses(self, bunch: usize) -> bool {
        (bunch + 1) * self.0 / GROUP > bunch * self.0 / GROUP
    }

    fn part(self) -> f64 {
        real(u64::try_from(self.0).unwrap_or(0)) / 10.0
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    pub requests: u64,
    pub bytes: u64,
}

impl Sum {
    fn add(&mut self, events: &[Event]) {
        for event in events {
            self.requests += 1;
            self.bytes += u64::from(event.bytes);
        }
    }
}

pub struct Filter {
    load: Load,
    balanced: bool,
    group: Vec<Vec<Event>>,
    /// Of the groups before.
    pub all: Sum,
    pub chosen: Sum,
}

impl Filter {
    pub fn new(load: Load, balanced: bool) -> Self {
        Filter {
            load,
            balanced,
            group: Vec::new(),
            all: Sum::default(),
            chosen: Sum::default(),
        }
    }

    /// Take the next request; what it completes is returned.
    pub fn put(&mut self, event: Event) -> Vec<Event> {
        let joins = self.group.last().is_some_and(|bunch| {
            let first = bunch.first().map_or(0, |first| first.at);
            bunch.len() < BUNCH_MOST && event.at - first <= BUNCH_NS
        });
        if let (true, Some(bunch)) = (joins, self.group.last_mut()) {
            bunch.push(event);
            return Vec::new();
        }
        let chosen = match self.group.len() {
            GROUP => self.end(),
            _ => Vec::new(),
        };
        self.group.push(vec![event]);
        chosen
    }

    /// The last group, which may have fewer bunches.
    pub fn end(&mut self) -> Vec<Event> {
        let group = std::mem::take(&mut self.group);
        for bunch in &group {
            self.all.add(bunch);
        }
        let shift = if self.balanced {
            self.best_shift(&group)
        } else {
            0
        };
        let bunches = group.into_iter().enumerate();
        let chosen: Vec<_> = bunches
            .filter(|(number, _)| self.load.chooses((number + shift) % GROUP))
            .flat_map(|(_, bunch)| bunch)
            .collect();
        self.chosen.add(&chosen);
        chosen
    }

    fn best_shift(&self, group: &[Vec<Event>]) -> usize {
        let error = |shift: usize| {
            let mut sum = self.chosen;
            for (number, bunch) in group.iter().enumerate() {
                if self.load.chooses((number + shift) % GROUP) {
                    sum.add(bunch);
                }
            }
            let part = self.load.part();
            let off = |is, all: u64| (real(is) - part * real(all)).abs() / real(all.max(1));
            off(sum.requests, self.all.requests) + off(sum.bytes, self.all.bytes)
        };
        let shifts = (0..GROUP).map(|shift| (shift, error(shift)));
        // The first one of those that are equally good: the paper's.
        let best = shifts.reduce(|best, next| if next.1 < best.1 { next } else { best });
        best.map_or(0, |(shift, _)| shift)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Op;
    use super::*;
    use proptest::prelude::*;

    fn event(at: u64, bytes: u32) -> Event {
        Event {
            at,
            op: Op::Read,
            device: 0,
            sector: 0,
            bytes,
        }
    }

    fn filtered(events: &[Event], percent: &str, balanced: bool) -> Vec<Event> {
        let mut filter = Filter::new(Load::parse(percent).unwrap(), balanced);
        let mut out: Vec<_> = events.iter().flat_map(|event| filter.put(*event)).collect();
        out.extend(filter.end());
        assert_eq!(filter.all.requests, u64::try_from(events.len()).unwrap());
        assert_eq!(filter.chosen.requests, u64::try_from(out.len()).unwrap());
        out
    }

    /// Figure 5 of the paper.
    #[test]
    fn bunches_are_chosen_as_the_paper_does() {
        let wanted: [&[usize]; 10] = [
            &[10],
            &[5, 10],
            &[4, 7, 10],
            &[3, 5, 8, 10],
            &[2, 4, 6, 8, 10],
            &[2, 4, 5, 7, 9, 10],
            &[2, 3, 5, 6, 8, 9, 10],
            &[2, 3, 4, 5, 7, 8, 9, 10],
            &[2, 3, 4, 5, 6, 7, 8, 9, 10],
            &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        ];
        for (tenths, wanted) in (1..).zip(wanted) {
            let chosen: Vec<_> = (1..=10)
                .filter(|bunch| Load(tenths).chooses(bunch - 1))
                .collect();
            assert_eq!(chosen, wanted);
        }
        for wrong in ["0", "5", "110", "15", "-10", "x", "", "10.0"] {
            assert!(Load::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_bunch_is_whole_or_not_there() {
        // Ten bunches of 3, 20 ms apart; of the last one only 2 come within 10 ms.
        let mut events = Vec::new();
        for bunch in 0..10u64 {
            for n in 0..3 {
                events.push(event(bunch * 20_000_000 + n * 5_000_000, 512));
            }
        }
        events.last_mut().unwrap().at += 1;
        let chosen = filtered(&events, "10", false);
        assert_eq!(chosen, events[27..29]);
        // More than 8 at a time are two bunches.
        let many = vec![event(0, 512); 80];
        assert_eq!(filtered(&many, "10", false).len(), 8);
    }

    /// Requests of one size: within 0.5 % (figure 8 of the paper).
    #[test]
    fn loads_are_exact_with_requests_of_one_size() {
        let events: Vec<_> = (0..40_000).map(|n| event(n * 300_000, 4096)).collect();
        for percent in (10..=100u64).step_by(10) {
            for balanced in [false, true] {
                let chosen = filtered(&events, &percent.to_string(), balanced);
                let is = 100.0 * real(chosen.len().try_into().unwrap()) / 40_000.0;
                let wanted = real(percent);
                assert!((is / wanted - 1.0).abs() < 0.005, "{percent} %: {is}");
            }
        }
    }

    /// Tables IV and V of the paper have 7 % and 32 %. Here sizes are Pareto's, alpha 1.2: a hundredth of the requests has
    /// a third of the bytes.
    #[test]
    fn balanced_loads_keep_the_share_of_bytes() {
        let mut chance = shared::loads::chance::Chance(5);
        let mut events = Vec::new();
        let mut at = 0;
        for _ in 0..30_000 {
            at += chance.below(40_000_000);
            let pages =
                shared::loads::chance::whole((1.0 - chance.unit()).powf(-1.0 / 1.2)).min(2048);
            events.push(event(at, u32::try_from(pages).unwrap() * 4096));
        }
        let bytes = |events: &[Event]| {
            events
                .iter()
                .map(|event| u64::from(event.bytes))
                .sum::<u64>()
        };
        for percent in (10..=100u64).step_by(10) {
            let chosen = filtered(&events, &percent.to_string(), true);
            let parts = [
                real(chosen.len().try_into().unwrap()) / 30_000.0,
                real(bytes(&chosen)) / real(bytes(&events)),
            ];
            for part in parts {
                let off = part * 100.0 / real(percent) - 1.0;
                assert!(off.abs() < 0.005, "{percent} %: {:.3} % off", off * 100.0);
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_chosen_is_a_part_in_order(
            steps in prop::collection::vec((0u64..30_000_000, 1u32..100), 1..400),
            tenths in 1usize..=10,
            balanced: bool,
        ) {
            let mut at = 0;
            let mut sector = 0;
            let events: Vec<_> = steps.iter().map(|(step, sectors)| {
                at += step;
                sector += 1;
                Event { sector, ..event(at, sectors * 512) }
            }).collect();
            let chosen = filtered(&events, &(tenths * 10).to_string(), balanced);
            let mut rest = events.iter();
            prop_assert!(chosen.iter().all(|event| rest.any(|one| one == event)));
            if tenths == 10 {
                prop_assert_eq!(chosen, events);
            }
        }
    }
}
