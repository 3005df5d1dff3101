// SPDX-License-Identifier: GPL-2.0
//! Requests of a trace, of any format that raid-tracer reads.

use raid_tracer::error::Error;
use raid_tracer::trace::Event;
use raid_tracer::trace::fit::{Fit, Way};
use raid_tracer::trace::merge::{Merged, Source};
use raid_tracer::trace::summary::Summary;
use shared::request::{self, Op};
use std::path::Path;

const SECTOR: u64 = 512;
/// Longer traces would be simulated for hours; the times of one are more likely wrong.
const MOST_NS: u64 = 366 * 86_400 * 1_000_000_000;

/// `at`: ns since the trace begins; one with the times of a clock begins with its first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub at: u64,
    pub op: Op,
    pub sector: u64,
    pub sectors: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    events: Vec<Event>,
    /// The sector after the last one, of each of its disks.
    ends: Vec<u64>,
    /// It was not in order of time.
    pub sorted: bool,
    /// Rows that are no requests, and the first of them.
    pub left_out: Option<(u64, String)>,
}

impl From<Event> for Request {
    fn from(from: Event) -> Self {
        Request {
            at: from.at,
            op: from.op,
            sector: from.sector,
            sectors: from.end() - from.sector,
        }
    }
}

impl From<request::Request> for Request {
    fn from(from: request::Request) -> Self {
        Request {
            at: from.at,
            op: from.op,
            sector: from.sector,
            sectors: u64::from(from.bytes) / SECTOR,
        }
    }
}

impl Trace {
    /// Of requests that are in order of time.
    pub fn of(requests: impl Iterator<Item = request::Request>) -> Self {
        let event = |one: request::Request| Event {
            at: one.at,
            op: one.op,
            device: 0,
            sector: one.sector,
            bytes: one.bytes,
        };
        let events: Vec<_> = requests.map(event).collect();
        let end = events.iter().map(Event::end).max();
        Trace {
            ends: vec![end.unwrap_or(0)],
            events,
            sorted: false,
            left_out: None,
        }
    }

    /// The error says what is wrong, and in which line.
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Self, String> {
        let source = Source {
            paths: vec![path.to_owned()],
            format: None,
            device: None,
            // All of them.
            window: usize::MAX,
        };
        let said = |error: Error| match error {
            Error::Format(_) => "it is no trace of a format that raid-tracer reads".to_owned(),
            Error::Parse { what, .. } => what,
            other => other.to_string(),
        };
        let mut merged = Merged::in_memory(bytes, &source).map_err(said)?;
        let mut summary = Summary::default();
        let mut events = Vec::new();
        while let Some(event) = merged.next_event().map_err(said)? {
            summary.add(&event);
            events.push(event);
        }
        if let Some(last) = events.last().filter(|last| last.at > MOST_NS) {
            return Err(format!(
                "it spans {} days, 366 are the most: are its times in units of 100 ns (CSV) or in ns?",
                last.at / 86_400_000_000_000
            ));
        }
        // Their sum has to be a number of sectors.
        Fit::new(&summary.ends, 1 << 40, Way::Scale)?;
        let wrong = &merged.met.wrong;
        Ok(Trace {
            events,
            ends: summary.ends,
            sorted: merged.met.sorted > 0,
            left_out: wrong
                .first
                .first()
                .map(|first| (wrong.count, first.clone())),
        })
    }

    pub fn disks(&self) -> usize {
        self.ends.len()
    }

    /// When the last request comes, in ns.
    pub fn last(&self) -> u64 {
        self.events.last().map_or(0, |event| event.at)
    }

    pub fn requests(&self) -> impl Iterator<Item = Request> + '_ {
        self.events.iter().copied().map(Request::from)
    }

    /// The requests, with the trace's disks one after the other, scaled to an array of so many sectors: blocks of 64 MiB
    /// keep their content, so that requests in sequence stay in sequence.
    pub fn scaled(&self, sectors: u64) -> impl Iterator<Item = Request> + '_ {
        let fit = Fit::new(&self.ends, sectors.saturating_mul(SECTOR), Way::Scale);
        let mut fit = fit.ok();
        let events = self.events.iter();
        events.filter_map(move |event| Some(fit.as_mut()?.place(*event)?.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sectors of 64 MiB.
    const BLOCK: u64 = 131_072;

    fn parse(text: &str) -> Result<Trace, String> {
        Trace::parse(Path::new("t"), text.as_bytes().to_vec())
    }

    #[test]
    fn a_trace_is_sorted_and_its_disks_lie_side_by_side() {
        let text = "128166372003061629,web,1,Write,4096,512,7\n\
                    128166372003061619,web,0,Read,1000,1000,7\n\
                    128166372003061619,src,0,read,0,0,7\n";
        let trace = parse(text).unwrap();
        assert!(trace.sorted);
        assert_eq!(
            trace.left_out,
            Some((1, "t: line 3 has no bytes".to_owned()))
        );
        let times: Vec<_> = trace.requests().map(|one| (one.at, one.op)).collect();
        assert_eq!(times, [(0, Op::Read), (1000, Op::Write)]);
        assert_eq!(trace.disks(), 2);
        // web 1 comes first in the file, and ends at its sector 9: web 0 begins there.
        let places: Vec<_> = trace
            .scaled(1 << 40)
            .map(|one| (one.sector, one.sectors))
            .collect();
        assert_eq!(places, [(10, 3), (8, 1)]);
    }

    #[test]
    fn any_format_of_raid_tracer_is_read() {
        let lines =
            "fio version 3 iolog\n0 /dev/sdb add\n0 /dev/sdb open\n1000 /dev/sdb write 4096 512\n";
        let trace = parse(lines).unwrap();
        let wanted = Request {
            at: 1_000_000,
            op: Op::Write,
            sector: 8,
            sectors: 1,
        };
        assert_eq!(trace.requests().collect::<Vec<_>>(), [wanted]);
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        let cases = [
            ("1,a,0,Trim,0,512,1\n", "no trace of a format"),
            ("\n\n", "no trace of a format"),
            (
                "0 r 0 0\n",
                "there is no request in it; t: line 1 has no bytes",
            ),
            ("0 r 0 512\n99999999999999999 r 0 512", "1157 days"),
        ];
        for (text, words) in cases {
            let error = parse(text).unwrap_err();
            assert!(error.contains(words), "{text:?}: {error}");
        }
    }

    #[test]
    fn what_follows_each_other_still_does_when_scaled() {
        let trace = parse("0 r 131072 4096\n5 r 131080 4096\n9 r 262143999 512").unwrap();
        let scaled = trace.scaled(4000 * BLOCK);
        let sectors: Vec<_> = scaled.map(|request| request.sector).collect();
        assert_eq!(sectors, [2 * BLOCK, 2 * BLOCK + 8, 3999 * BLOCK - 1]);
    }

    proptest! {
        #[test]
        fn what_looks_like_a_trace_is_one_in_order(
            lines in prop::collection::vec((any::<u64>(), 0u8..3, any::<u64>(), any::<u32>()), 1..20),
            sectors in BLOCK..(1 << 40),
        ) {
            let text: String = lines
                .iter()
                .map(|(at, disk, offset, bytes)| format!("{at},h,{disk},Write,{offset},{bytes},1\n"))
                .collect();
            if let Ok(trace) = parse(&text) {
                prop_assert!(trace.requests().is_sorted_by_key(|request| request.at));
                prop_assert_eq!(trace.requests().next().map(|request| request.at), Some(0));
                prop_assert!(trace.scaled(sectors).all(|request| request.sector + request.sectors <= sectors));
            }
        }
    }
}
