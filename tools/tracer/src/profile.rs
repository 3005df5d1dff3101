// SPDX-License-Identifier: GPL-2.0
//! A day by hours: each has so many sessions, in the mean, that use files.
//!
//! The n-th file is used by 1/n (Zipf), so a few files are the working set. A session reads or writes a part of a file, in
//! pieces of 64 KiB, or sends requests of 4 to 16 KiB to many files; they come at random times, 25 ms apart on average.
//! A cold file is one that nothing else uses, and that is read once and in whole. Cold files have chances of their own,
//! so the other requests are the same with and without them. Only what is a file is read.

use rand_mt::Mt;
use sha2::{Digest, Sha512};
use shared::loads::chance::{real, whole};
use shared::request::{Op, Request};

const FILES: u64 = 160;
const PAGE: u64 = 4096;
const SECTOR: u64 = 512;
/// Of a file, in pages.
const PIECE: u64 = 16;
const WRITE: u64 = 256;
/// The requests of a session, at least and at most.
const LENGTH: (u64, u64) = (4, 31);
/// So many that some of the data is on each member.
const COLD_PAGES: u64 = 768;
const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600;

#[derive(Debug, Clone)]
struct Hour {
    /// Seconds from the beginning.
    start: u64,
    sessions: f64,
    /// Percent of them.
    reads: f64,
    /// So many further sessions begin in its first minute.
    rush: u64,
    /// Cold files that are read in it.
    cold: u64,
}

/// Pages.
type File = (u64, u64);

/// The numbers of Python's random.Random: the Mersenne Twister.
struct Twister(Mt);

impl Twister {
    /// As `Random(seed)`.
    fn of_number(seed: u64) -> Self {
        Self::of_bytes(&seed.to_le_bytes())
    }

    /// As `Random("text")`.
    fn of_text(text: &str) -> Self {
        let mut bytes = text.as_bytes().to_vec();
        bytes.extend(Sha512::digest(text));
        bytes.reverse();
        Self::of_bytes(&bytes)
    }

    /// Of a number, the lowest byte first.
    fn of_bytes(bytes: &[u8]) -> Self {
        let word = |four: &[u8]| {
            four.iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u32::from(*byte))
        };
        let mut key: Vec<u32> = bytes.chunks(4).map(word).collect();
        while key.len() > 1 && key.last() == Some(&0) {
            key.pop();
        }
        Twister(Mt::new_with_key(key))
    }

    fn unit(&mut self) -> f64 {
        let (high, low) = (self.0.next_u32() >> 5, self.0.next_u32() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / real(1 << 53)
    }

    fn below(&mut self, limit: u64) -> u64 {
        whole(self.unit() * real(limit))
    }

    fn between(&mut self, (least, most): (u64, u64)) -> u64 {
        least + self.below(most - least + 1)
    }

    /// Exponential.
    fn after(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// ns from one request of a session to the next.
    fn apart(&mut self) -> f64 {
        self.after(real(SECOND / 40))
    }
}

pub struct Profile {
    chance: Twister,
    hours: Vec<Hour>,
    files: Vec<File>,
    /// The most used one first, and the sums of their shares.
    by_use: Vec<(f64, File)>,
    cold_chance: Twister,
    cold: Vec<File>,
}

impl Profile {
    /// Of the text of a profile. The error says what is wrong with it, or with the span.
    pub fn new(text: &str, span: u64, seed: u64) -> Result<Self, String> {
        let hours = hours(text)?;
        let room = span / FILES / PAGE;
        if room <= COLD_PAGES {
            return Err(format!("{span} bytes have no room for {FILES} files"));
        }
        let mut chance = Twister::of_number(seed);
        let files: Vec<File> = (0..FILES)
            .map(|slot| {
                let pages = chance.between((256, COLD_PAGES));
                (slot * room + chance.below(room - pages), pages)
            })
            .collect();
        let mut by_use: Vec<_> = files.iter().map(|file| (chance.unit(), *file)).collect();
        by_use.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut sum = 0.0;
        for (n, (limit, _)) in (1..).zip(&mut by_use) {
            sum += 1.0 / real(n);
            *limit = sum;
        }
        let mut cold_chance = Twister::of_text(&format!("cold {seed}"));
        let cold = (0..hours.iter().map(|hour| hour.cold).sum())
            .map(|_| (cold_chance.below(span / PAGE - COLD_PAGES), COLD_PAGES))
            .collect();
        Ok(Profile {
            chance,
            hours,
            files,
            by_use,
            cold_chance,
            cold,
        })
    }

    /// Write all files.
    pub fn filling(&self) -> Vec<Request> {
        let files = self.files.iter().chain(&self.cold);
        let writes = files.flat_map(|(page, pages)| {
            let at = (0..*pages).step_by(256);
            at.map(move |offset| request(0.0, Op::Write, page + offset, WRITE.min(pages - offset)))
        });
        writes.collect()
    }

    /// In order of time: all, or only those of cold files. A session may outlast the day; what comes after it does not
    /// count.
    pub fn requests(mut self, only_cold: bool) -> Vec<Request> {
        let mut out = self.cold_reads();
        if only_cold {
            return out;
        }
        for hour in self.hours.clone() {
            let mut at = real(hour.start * SECOND);
            let end = at + real(HOUR * SECOND);
            loop {
                at += self.chance.after(real(HOUR * SECOND) / hour.sessions);
                if at >= end {
                    break;
                }
                self.session(&hour, at, &mut out);
            }
            for _ in 0..hour.rush {
                let at = hour.start * SECOND + self.chance.below(60 * SECOND);
                self.session(&hour, real(at), &mut out);
            }
        }
        let end = self.hours.last().map_or(0, |hour| hour.start + HOUR) * SECOND;
        out.retain(|one| one.at < end);
        out.sort_by_key(|one| (one.at, one.op == Op::Write, one.sector, one.bytes));
        out
    }

    fn session(&mut self, hour: &Hour, mut at: f64, out: &mut Vec<Request>) {
        let reads = self.chance.unit() * 100.0 < hour.reads;
        let op = if reads { Op::Read } else { Op::Write };
        if self.chance.unit() < 0.5 {
            let (page, pages) = self.one();
            let first = self.chance.below(pages / PIECE);
            let end = (first + self.chance.between(LENGTH)).min(pages / PIECE);
            for piece in first..end {
                out.push(request(at, op, page + piece * PIECE, PIECE));
                at += self.chance.apart();
            }
            return;
        }
        for _ in 0..self.chance.between(LENGTH) {
            let size = 1 << self.chance.below(3);
            let (page, pages) = self.one();
            let place = page + self.chance.below(pages - size + 1);
            out.push(request(at, op, place, size));
            at += self.chance.apart();
        }
    }

    /// A file that is used.
    fn one(&mut self) -> File {
        let at = self.chance.unit() * self.by_use.last().map_or(0.0, |(limit, _)| *limit);
        let index = self.by_use.partition_point(|(limit, _)| *limit <= at);
        self.by_use.get(index).map_or((0, PIECE), |(_, file)| *file)
    }

    fn cold_reads(&mut self) -> Vec<Request> {
        let hours = self
            .hours
            .iter()
            .flat_map(|hour| (0..hour.cold).map(|_| hour.start));
        let mut begins: Vec<u64> = hours
            .map(|start| (start + self.cold_chance.below(HOUR - 60)) * SECOND)
            .collect();
        begins.sort_unstable();
        let mut out = Vec::new();
        for ((page, pages), begin) in self.cold.iter().zip(begins) {
            let mut at = real(begin);
            for piece in 0..pages / PIECE {
                out.push(request(at, Op::Read, page + piece * PIECE, PIECE));
                at += self.cold_chance.apart();
            }
        }
        out
    }
}

fn request(at: f64, op: Op, page: u64, pages: u64) -> Request {
    let bytes = u32::try_from(pages * PAGE).unwrap_or(0);
    Request {
        at: whole(at),
        op,
        sector: page * PAGE / SECTOR,
        bytes,
    }
}

/// A line each: `HOUR PART SESSIONS READS RUSH COLD`, of which the first two are for who reads it.
fn hours(text: &str) -> Result<Vec<Hour>, String> {
    let mut hours = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<_> = line
            .split('#')
            .next()
            .unwrap_or("")
            .split_whitespace()
            .collect();
        if words.is_empty() {
            continue;
        }
        let hour = hour(&words, u64::try_from(hours.len()).unwrap_or(0) * HOUR);
        hours.push(hour.ok_or(format!(
            "line {number} is not HOUR PART SESSIONS READS RUSH COLD, of which READS are percent, and the others at most \
             100000"
        ))?);
    }
    match hours.len() {
        0 => Err("there is no hour in it".to_owned()),
        1..=8784 => Ok(hours),
        _ => Err("there are more than 8784 hours in it".to_owned()),
    }
}

fn hour(words: &[&str], start: u64) -> Option<Hour> {
    let [_, _, sessions, reads, rush, cold] = words else {
        return None;
    };
    let up_to = |text: &str, most: f64| {
        let number: Option<f64> = text.parse().ok();
        number.filter(|number| (0.0..=most).contains(number))
    };
    let count = |text: &str| text.parse().ok().filter(|count| *count <= 100_000);
    Some(Hour {
        start,
        sessions: up_to(sessions, 1e5)?,
        reads: up_to(reads, 100.0)?,
        rush: count(rush)?,
        cold: count(cold)?,
    })
}
