// SPDX-License-Identifier: GPL-2.0
//! What a replay has measured.

use crate::numbers::real;
use crate::trace::{Event, Op};
use hdrhistogram::Histogram;
use std::collections::BTreeMap;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;

/// Of one kind of requests: latencies in ns, to three digits, and bytes.
pub struct Tally {
    latencies: Histogram<u64>,
    pub bytes: u64,
    sum: u128,
}

impl Tally {
    /// ns of more than a day are counted as a day.
    const MOST: u64 = 86_400_000_000_000;

    fn new() -> Option<Self> {
        let latencies = Histogram::new_with_bounds(1, Self::MOST, 3).ok()?;
        Some(Tally {
            latencies,
            bytes: 0,
            sum: 0,
        })
    }

    pub fn add(&mut self, ns: u64, bytes: u32) {
        self.latencies.saturating_record(ns);
        self.bytes += u64::from(bytes);
        self.sum += u128::from(ns);
    }

    pub fn count(&self) -> u64 {
        self.latencies.len()
    }

    /// ns
    pub fn longest(&self) -> u64 {
        self.latencies.max()
    }

    /// In ms: the mean, percentiles, and the longest.
    fn line(&self) -> String {
        let count = u128::from(self.count().max(1));
        let ms = |ns: u64| format!("{:.3}", real(ns) / 1e6);
        let mut words = vec![format!(
            "mean {}",
            ms(u64::try_from(self.sum / count).unwrap_or(u64::MAX))
        )];
        for (name, quantile) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)] {
            words.push(format!(
                "{name} {}",
                ms(self.latencies.value_at_quantile(quantile))
            ));
        }
        words.push(format!("max {}", ms(self.latencies.max())));
        words.join("  ")
    }
}

pub struct Report {
    pub reads: Tally,
    pub writes: Tally,
    pub flushes: Tally,
    pub late: Tally,
    pub errors: u64,
    /// The first error that the device reported, and the first request with it.
    pub first_error: Option<String>,
    /// By the hour of the trace: requests that took a second or longer, and the ns that they took.
    pub waits: BTreeMap<u64, (u64, u64)>,
    /// Sectors that are not what was written.
    pub wrong: u64,
    /// From the beginning until the last request had ended: ns.
    pub took: u64,
    /// Requests of the trace that were not sent.
    pub left: u64,
}

/// Latencies in ms.
#[derive(Debug, Clone, Copy)]
pub struct Response {
    pub mean: f64,
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub p999: f64,
    pub longest: f64,
}

impl Report {
    /// `None`: there is no memory for it.
    pub fn new() -> Option<Self> {
        Some(Report {
            reads: Tally::new()?,
            writes: Tally::new()?,
            flushes: Tally::new()?,
            late: Tally::new()?,
            errors: 0,
            first_error: None,
            waits: BTreeMap::new(),
            wrong: 0,
            took: 0,
            left: 0,
        })
    }

    /// A request that has ended well.
    pub fn add(&mut self, event: &Event, ns: u64) {
        if ns >= SECOND {
            let (count, took) = self.waits.entry(event.at / HOUR).or_default();
            *count += 1;
            *took += ns;
        }
        match event.op {
            Op::Read => self.reads.add(ns, event.bytes),
            Op::Write => self.writes.add(ns, event.bytes),
            Op::Flush => self.flushes.add(ns, 0),
        }
    }

    pub fn requests(&self) -> u64 {
        self.reads.count() + self.writes.count() + self.flushes.count()
    }

    /// Of all requests.
    pub fn response(&self) -> Response {
        let tallies = [&self.reads, &self.writes, &self.flushes];
        let mut all = self.reads.latencies.clone();
        for tally in [&self.writes, &self.flushes] {
            // They have the same bounds.
            let _ = all.add(&tally.latencies);
        }
        let sum: u128 = tallies.iter().map(|tally| tally.sum).sum();
        let mean = sum / u128::from(self.requests().max(1));
        let ms = |ns: u64| real(ns) / 1e6;
        Response {
            mean: ms(u64::try_from(mean).unwrap_or(u64::MAX)),
            p50: ms(all.value_at_quantile(0.5)),
            p95: ms(all.value_at_quantile(0.95)),
            p99: ms(all.value_at_quantile(0.99)),
            p999: ms(all.value_at_quantile(0.999)),
            longest: ms(all.max()),
        }
    }

    pub fn bytes(&self) -> u64 {
        self.reads.bytes + self.writes.bytes
    }

    pub fn text(&self) -> String {
        let seconds = real(self.took.max(1)) / 1e9;
        let mut text = format!(
            "requests {}\nerrors   {}\nseconds  {seconds:.6}\nIOPS     {:.3}\nMB/s     {:.3}\n",
            self.requests(),
            self.errors,
            real(self.requests()) / seconds,
            real(self.bytes()) / 1e6 / seconds
        );
        let kinds = [
            ("reads", &self.reads),
            ("writes", &self.writes),
            ("flushes", &self.flushes),
            ("late", &self.late),
        ];
        for (name, tally) in kinds {
            if tally.count() > 0 {
                text += &format!("{name:<8} {}  ms: {}\n", tally.count(), tally.line());
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_counted_by_the_hour_of_the_trace() {
        let mut report = Report::new().unwrap();
        for (at, ns) in [
            (0, SECOND - 1),
            (HOUR - 1, SECOND),
            (HOUR, 20 * SECOND),
            (HOUR + 1, SECOND),
        ] {
            let event = Event {
                at,
                op: Op::Read,
                device: 0,
                sector: 0,
                bytes: 512,
            };
            report.add(&event, ns);
        }
        let waits = BTreeMap::from([(0, (1, SECOND)), (1, (2, 21 * SECOND))]);
        assert_eq!(report.waits, waits);
    }
}
