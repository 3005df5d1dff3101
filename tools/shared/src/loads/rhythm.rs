// SPDX-License-Identifier: GPL-2.0
//! Days that resemble each other.
//!
//! So many requests a second at four in the morning, so many at four in the afternoon, and between them as the cosine
//! goes; on the last two days of seven a third of what is above the night's. That is the mean: each minute is busier or
//! less by a factor that is itself a walk (autoregressive, log-normal, sigma 0.25 over all), and requests in a minute
//! come by chance. A burst takes one to five minutes, and is half as much as noon besides. The n-th place is used by
//! 1/sqrt(n), and they are anywhere in the span; requests are of 4 to 64 KiB.

use super::chance::{Chance, Places, real, whole};
use crate::request::{Op, Request};
use std::f64::consts::PI;

const SECOND: f64 = 1e9;
const MINUTE: f64 = 60.0 * SECOND;
/// Minutes.
const DAY: u64 = 1440;
const PLACE: u64 = 1 << 20;
const PAGE: u32 = 4096;
const SECTOR: u64 = 512;
/// Only one place of so many is written.
const CHANGED: u64 = 16;
/// Of a minute's factor in the next one's.
const MEMORY: f64 = 0.95;
const SIGMA: f64 = 0.25;

#[derive(Debug, Clone)]
pub struct Shape {
    pub days: u64,
    pub seed: u64,
    /// In bytes.
    pub span: u64,
    /// Requests a second.
    pub night: f64,
    pub noon: f64,
    /// Percent.
    pub writes: f64,
    /// Of 1 MiB each.
    pub places: u64,
    /// Minutes between bursts, on average.
    pub bursts: Option<f64>,
    /// Times are from the beginning of each day, not of the first one.
    pub each_day: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            days: 7,
            seed: 1,
            span: 24_000_000_000_000,
            night: 4.0,
            noon: 150.0,
            writes: 5.0,
            places: 4096,
            bursts: None,
            each_day: false,
        }
    }
}

/// The requests in order of time.
#[derive(Debug)]
pub struct Rhythm {
    shape: Shape,
    chance: Chance,
    places: Places,
    minute: u64,
    burst: u64,
    noise: f64,
    /// Requests a second in this minute, and when the last request was: ns.
    rate: f64,
    at: f64,
}

impl Rhythm {
    /// The error says what of the shape is impossible.
    pub fn new(shape: &Shape) -> Result<Self, String> {
        let room = shape.span.checked_div(shape.places).unwrap_or(0);
        if room < PLACE || shape.places < CHANGED {
            return Err(format!(
                "{} bytes have no room for {} places of 1 MiB, of which there are at least {CHANGED}",
                shape.span, shape.places
            ));
        }
        let mut chance = Chance(shape.seed);
        let places = Places::spread(
            &mut chance,
            shape.places,
            room,
            room - PLACE + 1,
            u64::from(PAGE),
        );
        let mut rhythm = Rhythm {
            shape: shape.clone(),
            chance,
            places,
            minute: 0,
            burst: 0,
            noise: 0.0,
            rate: 0.0,
            at: 0.0,
        };
        if shape.days > 0 {
            rhythm.begin_minute();
        }
        Ok(rhythm)
    }

    /// The requests that write all places, at 0.
    pub fn filling(&self) -> impl Iterator<Item = Request> {
        self.places.all().iter().map(|place| Request {
            at: 0,
            op: Op::Write,
            sector: place / SECTOR,
            bytes: 1 << 20,
        })
    }

    /// That of the last request, from 0.
    pub fn day(&self) -> u64 {
        self.minute / DAY
    }

    /// When the minute begins: ns.
    fn begins(&self) -> f64 {
        let shown = if self.shape.each_day {
            self.minute % DAY
        } else {
            self.minute
        };
        real(shown) * MINUTE
    }

    fn begin_minute(&mut self) {
        let shape = &self.shape;
        let walk = (1.0 - MEMORY * MEMORY).sqrt() * SIGMA * self.chance.normal();
        self.noise = MEMORY * self.noise + walk;
        let bursts = shape.bursts.map_or(0.0, |minutes| 1.0 / minutes);
        if self.burst == 0 && self.chance.unit() < bursts {
            self.burst = 1 + self.chance.below(5);
        }
        let burst = if self.burst > 0 {
            shape.noon / 2.0
        } else {
            0.0
        };
        self.rate = self.mean() * self.noise.exp() + burst;
        self.burst = self.burst.saturating_sub(1);
        self.at = self.begins();
    }

    fn mean(&self) -> f64 {
        let shape = &self.shape;
        let day = self.minute / DAY;
        let angle = 2.0 * PI * (real(self.minute % DAY) / real(DAY) - 4.0 / 24.0);
        let above = (1.0 - angle.cos()) / 2.0;
        let rest = if day % 7 >= 5 { 3.0 } else { 1.0 };
        shape.night + above * (shape.noon - shape.night) / rest
    }

    fn request(&mut self) -> Request {
        let size = self.chance.pages();
        let write = self.chance.percent(self.shape.writes);
        let places = self.shape.places;
        let among = if write { places / CHANGED } else { places };
        let room = PLACE / u64::from(PAGE) - u64::from(size) + 1;
        let place = self.places.one(&mut self.chance, among);
        let offset = place + self.chance.below(room) * u64::from(PAGE);
        Request {
            at: whole(self.at.round_ties_even()),
            op: if write { Op::Write } else { Op::Read },
            sector: offset / SECTOR,
            bytes: size * PAGE,
        }
    }
}

impl Iterator for Rhythm {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        while self.minute < self.shape.days * DAY {
            self.at -= (1.0 - self.chance.unit()).ln() * SECOND / self.rate;
            if self.at < self.begins() + MINUTE {
                return Some(self.request());
            }
            self.minute += 1;
            if self.minute < self.shape.days * DAY {
                self.begin_minute();
            }
        }
        None
    }
}
