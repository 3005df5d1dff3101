// SPDX-License-Identifier: GPL-2.0
//! What an array and its rivals make of a load.

use super::trace::{Request, Trace};
use super::{Rival, Source, Watts};
use crate::policy_ffi::{RIVALS, Simulated, Simulation};
use serde::Serialize;
use shared::request::Op;
use std::collections::{BTreeMap, VecDeque};

/// Writes that follow each other, on the disk and soon, meet in the stripe cache, as in policy-replay.
const GATHER_NS: u64 = 20_000_000;
const GATHER_MOST: u64 = 32_768;

#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    pub rival: Rival,
    pub wh_per_day: f64,
    /// Of the disk that is started most.
    pub starts_per_day: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
}

#[derive(Debug, Clone, Serialize)]
pub struct Load {
    /// What was simulated, and what was done to it.
    pub what: String,
    pub seconds: u64,
    pub requests: u64,
    /// Of the time, how much the array was below its top gear.
    pub low_percent: f64,
    pub shifts: u64,
    /// Requests that woke a disk, as their data had no image.
    pub misses: u64,
    pub outcomes: Vec<Outcome>,
}

impl Load {
    pub(super) fn of(&self, rival: Rival) -> Option<&Outcome> {
        self.outcomes.iter().find(|is| is.rival == rival)
    }
}

/// Latencies in µs to 1 in 128, and how many.
#[derive(Debug, Default)]
pub struct Latencies(BTreeMap<u64, u64>);

impl Latencies {
    pub fn add(&mut self, ns: u64, count: u64) {
        let us = ns / 1000;
        let coarse = (64 - us.leading_zeros()).saturating_sub(7);
        *self.0.entry(us >> coarse << coarse).or_default() += count;
    }

    pub fn percentile_ms(&self, percent: u64) -> f64 {
        let all: u64 = self.0.values().sum();
        let mut seen = 0;
        for (us, count) in &self.0 {
            seen += count;
            if seen * 100 >= all * percent {
                return real(*us) / 1000.0;
            }
        }
        0.0
    }
}

/// Numbers here are far below 2^53.
#[allow(clippy::cast_precision_loss)]
fn real(number: u64) -> f64 {
    number as f64
}

/// The trace until its end, or for as long as it is said to be.
/// `ssd_watts`: of the SSDs of each rival, whose energy the model does not count.
pub(super) fn simulate(
    mut simulation: Simulation,
    source: &Source,
    watts: Watts,
    ssd_watts: [f64; RIVALS],
) -> Load {
    let mut latencies: [Latencies; RIVALS] = Default::default();
    let mut requests = 0;
    for (request, pieces) in source.trace.gathered(simulation.sectors()) {
        if request.op == Op::Flush {
            simulation.flush(request.at);
            continue;
        }
        let place = (request.sector, request.sectors);
        let took = simulation.request(request.at, request.op == Op::Write, place, pieces);
        requests += u64::from(pieces);
        for (seen, ns) in latencies.iter_mut().zip(took) {
            seen.add(ns, u64::from(pieces));
        }
    }
    simulation.pass(source.until.max(source.trace.last() + 1_000_000_000));
    let told = simulation.tell();
    let days = real(told.ns) / 86_400e9;
    let outcomes = Rival::ALL.into_iter().zip(&told.rivals);
    let outcomes = outcomes.zip(&latencies).zip(ssd_watts);
    Load {
        what: source.what.clone(),
        seconds: told.ns / 1_000_000_000,
        requests,
        low_percent: 100.0 * real(told.low_ns) / real(told.ns),
        shifts: told.rivals.first().map_or(0, |par| par.shifts),
        misses: told.rivals.first().map_or(0, |par| par.misses),
        outcomes: outcomes
            .map(|(((rival, is), latencies), ssds)| Outcome {
                rival,
                wh_per_day: joules(is, watts) / 3600.0 / days + ssds * 24.0,
                starts_per_day: real(is.most_starts) / days,
                p50_ms: latencies.percentile_ms(50),
                p99_ms: latencies.percentile_ms(99),
            })
            .collect(),
    }
}

/// As disk_joules() has it, with the watts of these disks.
pub fn joules(is: &Simulated, watts: Watts) -> f64 {
    let [turning, stopping, standing, starting] = is.states.map(|ns| real(ns) / 1e9);
    turning * watts.idle
        + (stopping + standing) * watts.standby
        + starting * watts.start
        + real(is.active) / 1e9 * (watts.active - watts.idle)
}

impl Trace {
    /// What an array of so many sectors gets, and how many requests each was.
    pub fn gathered(&self, sectors: u64) -> impl Iterator<Item = (Request, u32)> + '_ {
        gathered(self.scaled(sectors))
    }
}

/// Requests, with what follows each write at once in one with it; and how many they were.
pub fn gathered(requests: impl Iterator<Item = Request>) -> impl Iterator<Item = (Request, u32)> {
    let mut left = requests.peekable();
    let mut ahead: VecDeque<Request> = VecDeque::new();
    std::iter::from_fn(move || {
        let mut first = ahead.pop_front().or_else(|| left.next())?;
        let mut pieces = 1;
        if first.op != Op::Write {
            return Some((first, pieces));
        }
        let mut until = first.at + GATHER_NS;
        let mut at = 0;
        loop {
            if at == ahead.len() {
                match left
                    .next_if(|next| next.at <= until && next.op != Op::Flush && ahead.len() < 4096)
                {
                    Some(next) => ahead.push_back(next),
                    None => break,
                }
            }
            let Some(next) = ahead.get(at).copied() else {
                break;
            };
            if next.at > until || next.op == Op::Flush {
                break;
            }
            let follows = next.op == Op::Write && next.sector == first.sector + first.sectors;
            if follows && first.sectors + next.sectors <= GATHER_MOST {
                first.sectors += next.sectors;
                pieces += 1;
                until = next.at + GATHER_NS;
                ahead.remove(at);
            } else {
                at += 1;
            }
        }
        Some((first, pieces))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_that_follow_each_other_are_one() {
        let text = "0 w 0 4096\n1 r 0 512\n2 w 8 4096\n3 w 99 512\n4 f 0 0\n5 w 16 4096\n99999999 w 24 512";
        let trace = Trace::parse(std::path::Path::new("t"), text.into()).unwrap();
        let all: Vec<_> = gathered(trace.requests())
            .map(|(request, pieces)| (request.at, request.sectors, pieces))
            .collect();
        let wanted = [
            (0, 16, 2),
            (1, 1, 1),
            (3, 1, 1),
            (4, 0, 1),
            (5, 8, 1),
            (99_999_999, 1, 1),
        ];
        assert_eq!(all, wanted);
    }

    #[test]
    fn percentiles_are_close() {
        let mut latencies = Latencies::default();
        for us in 1..=1000 {
            latencies.add(us * 1000, 1);
        }
        for (percent, ms) in [(50, 0.5), (99, 0.99)] {
            let got = latencies.percentile_ms(percent);
            assert!((got - ms).abs() <= ms / 100.0, "{got}");
        }
    }
}
