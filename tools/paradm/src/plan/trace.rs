// SPDX-License-Identifier: GPL-2.0
//! Requests of a trace, in the CSV form of MSR Cambridge's, or as policy-replay takes them.

use shared::request::{self, Op};
use std::collections::BTreeMap;

const SECTOR: u64 = 512;
/// Larger ones are no requests.
const MOST_BYTES: u64 = 1 << 30;
/// Longer traces would be simulated for hours; the times of one are more likely wrong.
const MOST_NS: u64 = 366 * 86_400 * 1_000_000_000;
/// What is not torn apart when places are scaled, in sectors: 64 MiB.
const BLOCK: u64 = 131_072;

/// `at`: ns since the trace begins; one in CSV begins with its first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub at: u64,
    pub op: Op,
    pub sector: u64,
    pub sectors: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    pub requests: Vec<Request>,
    /// Sectors that it spans, of all its disks one after the other.
    pub span: u64,
    pub disks: usize,
    /// It was not in order of time.
    pub sorted: bool,
}

const CSV: &str = "TIMESTAMP,HOST,DISK,Read|Write,OFFSET,BYTES,RESPONSE";
const PLAIN: &str = "NS OP SECTOR BYTES";

type Place<'a> = (&'a str, &'a str);

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
        let requests: Vec<_> = requests.map(Request::from).collect();
        let ends = requests.iter().map(|one| one.sector + one.sectors);
        Trace {
            span: ends.max().unwrap_or(0),
            requests,
            disks: 1,
            sorted: false,
        }
    }

    /// The error says which line is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut read = Vec::new();
        let mut ends: BTreeMap<Place, u64> = BTreeMap::new();
        let csv = text.lines().find(|line| !line.trim().is_empty());
        let csv = csv.is_some_and(|line| line.contains(','));
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let one = if csv { of_csv(line) } else { of_plain(line) };
            let (place, request) = one.ok_or_else(|| {
                let short: String = line.chars().take(80).collect();
                format!(
                    "line {number} is not {}: {short:?}",
                    if csv { CSV } else { PLAIN }
                )
            })?;
            if request.op != Op::Flush && request.sectors == 0 {
                continue;
            }
            let end = ends.entry(place).or_default();
            *end = (*end).max(request.sector + request.sectors);
            read.push((place, request));
        }
        let (begins, span) = one_after_another(&ends)?;
        let mut requests: Vec<_> = read
            .into_iter()
            .map(|(place, request)| Request {
                sector: request.sector + begins.get(&place).copied().unwrap_or(0),
                ..request
            })
            .collect();
        let sorted = !requests.is_sorted_by_key(|request| request.at);
        requests.sort_by_key(|request| request.at);
        begin(&mut requests, csv)?;
        Ok(Trace {
            requests,
            span,
            disks: ends.len(),
            sorted,
        })
    }

    /// The requests, with the trace's span scaled to an array of so many sectors: blocks of 64 MiB
    /// keep their content, so that requests in sequence stay in sequence.
    pub fn scaled(&self, sectors: u64) -> impl Iterator<Item = Request> + '_ {
        let (from, to) = (self.span.div_ceil(BLOCK).max(1), (sectors / BLOCK).max(1));
        self.requests.iter().map(move |request| {
            let block = u128::from(request.sector / BLOCK) * u128::from(to) / u128::from(from);
            Request {
                sector: u64::try_from(block).unwrap_or(0) * BLOCK + request.sector % BLOCK,
                ..*request
            }
        })
    }
}

/// Where each disk begins, and where the last one ends.
fn one_after_another<'a>(
    ends: &BTreeMap<Place<'a>, u64>,
) -> Result<(BTreeMap<Place<'a>, u64>, u64), String> {
    let mut begins = BTreeMap::new();
    let mut span = 0u64;
    for (place, end) in ends {
        begins.insert(*place, span);
        let most = "its disks are larger than any: are the columns those of a trace?";
        span = span.checked_add(*end).ok_or(most)?;
    }
    Ok((begins, span))
}

fn begin(requests: &mut [Request], with_the_first: bool) -> Result<(), String> {
    let first = requests.first().ok_or("there is no request in it")?.at;
    if with_the_first {
        for request in &mut *requests {
            request.at -= first;
        }
    }
    match requests.last() {
        Some(last) if last.at > MOST_NS => Err(format!(
            "it spans {} days, 366 are the most: are its times in units of 100 ns (CSV) or in ns?",
            last.at / 86_400_000_000_000
        )),
        _ => Ok(()),
    }
}

fn of_csv(line: &str) -> Option<(Place<'_>, Request)> {
    let mut words = line.split(',').map(str::trim);
    let at = words.next()?.parse::<u64>().ok()?.checked_mul(100)?;
    let place = (words.next()?, words.next()?);
    let op = match words.next()? {
        op if op.eq_ignore_ascii_case("read") => Op::Read,
        op if op.eq_ignore_ascii_case("write") => Op::Write,
        _ => return None,
    };
    let offset: u64 = words.next()?.parse().ok()?;
    let bytes: u64 = words
        .next()?
        .parse()
        .ok()
        .filter(|bytes| *bytes <= MOST_BYTES)?;
    let end = offset.checked_add(bytes)?.div_ceil(SECTOR);
    let sector = offset / SECTOR;
    Some((
        place,
        Request {
            at,
            op,
            sector,
            sectors: if bytes == 0 { 0 } else { end - sector },
        },
    ))
}

fn of_plain(line: &str) -> Option<(Place<'_>, Request)> {
    let mut words = line.split_ascii_whitespace();
    let at = words.next()?.parse().ok()?;
    let op = match words.next()? {
        "r" => Op::Read,
        "w" => Op::Write,
        "f" => Op::Flush,
        _ => return None,
    };
    let sector: u64 = words.next()?.parse().ok()?;
    let bytes: u64 = words
        .next()?
        .parse()
        .ok()
        .filter(|bytes| *bytes <= MOST_BYTES)?;
    sector.checked_mul(SECTOR)?;
    let request = Request {
        at,
        op,
        sector,
        sectors: bytes / SECTOR,
    };
    words.next().is_none().then_some((("", ""), request))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_trace_is_sorted_and_its_disks_lie_side_by_side() {
        let text = "128166372003061629,web,1,Write,4096,512,7\n\
                    128166372003061619,web,0,Read,1000,1000,7\n\
                    128166372003061619,src,0,read,0,0,7\n";
        let trace = Trace::parse(text).unwrap();
        assert!(trace.sorted);
        // web 0 ends at byte 2000, in its sector 3: web 1 begins at 4.
        let wanted = [
            Request {
                at: 0,
                op: Op::Read,
                sector: 1,
                sectors: 3,
            },
            Request {
                at: 1000,
                op: Op::Write,
                sector: 12,
                sectors: 1,
            },
        ];
        assert_eq!(trace.requests, wanted);
        assert_eq!((trace.span, trace.disks), (13, 2));
    }

    #[test]
    fn wrong_lines_are_named() {
        let cases = [
            (
                "1,a,0,Read,0,512,1\n1,a,0,Trim,0,512,1",
                "line 2 is not TIMESTAMP",
            ),
            ("1,a,0,Read,-1,512,1", "line 1"),
            ("1,a,0,Read,0", "line 1"),
            ("0 x 0 512", "line 1 is not NS OP"),
            ("0 r 0 512 9", "line 1"),
            ("0 r 0 9999999999", "line 1"),
            ("\n\n", "no request"),
            ("0 r 0 8\n", "no request"),
            ("0 r 0 512\n99999999999999999 r 0 512", "1157 days"),
        ];
        for (text, words) in cases {
            let error = Trace::parse(text).unwrap_err();
            assert!(error.contains(words), "{text:?}: {error}");
        }
    }

    #[test]
    fn what_follows_each_other_still_does_when_scaled() {
        let trace = Trace::parse("0 r 131072 4096\n5 r 131080 4096\n9 r 262143999 512").unwrap();
        let scaled = trace.scaled(4000 * BLOCK);
        let sectors: Vec<_> = scaled.map(|request| request.sector).collect();
        assert_eq!(sectors, [2 * BLOCK, 2 * BLOCK + 8, 3999 * BLOCK - 1]);
    }

    proptest! {
        #[test]
        fn any_text_is_a_trace_or_an_error(text in "(.|\n)*") {
            let _ = Trace::parse(&text);
        }

        #[test]
        fn what_looks_like_a_trace_is_one_in_order(
            lines in prop::collection::vec((any::<u64>(), 0u8..3, any::<u64>(), any::<u32>()), 1..20),
            sectors in 1u64..(1 << 40),
        ) {
            let text: String = lines
                .iter()
                .map(|(at, disk, offset, bytes)| format!("{at},h,{disk},Write,{offset},{bytes},1\n"))
                .collect();
            if let Ok(trace) = Trace::parse(&text) {
                prop_assert!(trace.requests.is_sorted_by_key(|request| request.at));
                prop_assert_eq!(trace.requests.first().map(|request| request.at), Some(0));
                let most = sectors.max(BLOCK);
                prop_assert!(trace.scaled(sectors).all(|request| request.sector < most));
            }
        }
    }
}
