// SPDX-License-Identifier: GPL-2.0
//! Traces made by chance, of kinds that papers have: the modes of TRACER, and loads that resemble those of PARAID's
//! evaluation. The same seed gives the same rows. What a paper does not say is ours.

use shared::loads::chance::{Chance, Places, nanoseconds, real, whole};
use shared::request::{Op, Request};
use std::f64::consts::PI;

const SECTOR: u64 = 512;
const PAGE: u64 = 4096;
/// A larger file of a web server is read in parts.
const MOST_FILE_PAGES: u64 = 256;
const DAY: f64 = 86_400.0;
const HOUR: f64 = 3600.0;

/// Five of each (TRACER, section V-C): sizes in bytes, and ratios in percent. The paper names the ratios by its figures,
/// and of the sizes the smallest, the largest, 4 and 16 KiB, and 64 KiB.
pub const SIZES: [u32; 5] = [512, 4096, 16_384, 65_536, 1 << 20];
pub const RATIOS: [u32; 5] = [0, 25, 50, 75, 100];

/// A mode of TRACER's: a load at its peak, in bunches of 8, as 400,000 requests in 50,000 bunches and two minutes are.
#[derive(Debug, Clone)]
pub struct Mode {
    pub bytes: u32,
    pub read_percent: u32,
    pub random_percent: u32,
    pub seconds: u64,
    /// Of the device, in bytes.
    pub span: u64,
    pub seed: u64,
}

const BUNCH: u64 = 8;
/// Of bunches, and of bytes: large requests come as fast as a few disks can move them.
const MOST_BUNCHES: f64 = 50_000.0 / 120.0;
const MOST_BYTES: f64 = 400e6;

impl Mode {
    /// The error says what is impossible.
    pub fn requests(&self) -> Result<impl Iterator<Item = Request> + use<>, String> {
        let bytes = u64::from(self.bytes);
        let slots = self.span.checked_div(bytes).unwrap_or(0);
        if bytes % SECTOR != 0 || slots < 2 {
            return Err(format!(
                "requests have whole sectors of 512 bytes, and two of {bytes} have room in the span, {} bytes",
                self.span
            ));
        }
        let rate = MOST_BUNCHES.min(MOST_BYTES / real(bytes * BUNCH));
        let bunches = whole(rate * real(self.seconds));
        let mut chance = Chance(self.seed);
        let mut slot = chance.below(slots);
        let (reads, random) = (f64::from(self.read_percent), f64::from(self.random_percent));
        let length = self.bytes;
        Ok((0..bunches * BUNCH).map(move |number| {
            slot = if chance.percent(random) {
                chance.below(slots)
            } else {
                (slot + 1) % slots
            };
            Request {
                at: nanoseconds(real(number / BUNCH) / rate),
                op: if chance.percent(reads) {
                    Op::Read
                } else {
                    Op::Write
                },
                sector: slot * bytes / SECTOR,
                bytes: length,
            }
        }))
    }
}

/// So many requests of one size, each at any time and, unless one follows the other, at any place.
#[derive(Debug, Clone)]
pub struct Random {
    pub requests: u64,
    pub bytes: u32,
    pub read_percent: u32,
    pub in_sequence: bool,
    /// 0: all at once.
    pub seconds: u64,
    /// Of the device, in bytes.
    pub span: u64,
    pub seed: u64,
}

impl Random {
    /// In the order of their times. The error says what is impossible.
    pub fn requests(&self) -> Result<Vec<Request>, String> {
        let bytes = u64::from(self.bytes);
        let slots = self.span.checked_div(bytes).unwrap_or(0);
        if bytes % SECTOR != 0 || slots == 0 {
            return Err(format!(
                "requests have whole sectors of 512 bytes, and one of {bytes} has room in the span, {} bytes",
                self.span
            ));
        }
        let mut chance = Chance(self.seed);
        let mut found: Vec<_> = (0..self.requests)
            .map(|_| Request {
                at: match self.seconds {
                    0 => 0,
                    seconds => chance.bits() % (seconds * 1_000_000_000),
                },
                op: if chance.bits() % 100 < u64::from(100 - self.read_percent) {
                    Op::Write
                } else {
                    Op::Read
                },
                sector: chance.bits() % slots * bytes / SECTOR,
                bytes: self.bytes,
            })
            .collect();
        found.sort_by_key(|one| one.at);
        if self.in_sequence {
            for (number, one) in (0..).zip(&mut found) {
                one.sector = number % slots * bytes / SECTOR;
            }
        }
        Ok(found)
    }
}

/// Loads of PARAID's evaluation (its slides on the web trace, on Cello99 and on PostMark).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Like {
    /// UCLA's department: four days, 95,000 requests, 4 GB, of which 260 MB are different; mostly reads.
    Web,
    /// Cello99: 50 hours, 1.5 million requests, 12 GB, in 440 MB of different blocks; 42 % writes.
    Cello,
}

struct Described {
    hours: f64,
    requests: f64,
    mean_bytes: f64,
    places: u64,
    writes: f64,
    /// Of the quietest hour's rate, how often the busiest one's.
    swing: f64,
}

impl Like {
    fn described(self) -> Described {
        match self {
            // 260 MB are 6190 files of 42 KB, which are read in whole.
            Like::Web => Described {
                hours: 96.0,
                requests: 95_000.0,
                mean_bytes: 42_000.0,
                places: 6190,
                writes: 2.0,
                swing: 6.0,
            },
            // 440 MB are 53,700 blocks of 8 KiB, as 12 GB in 1.5 million requests are.
            Like::Cello => Described {
                hours: 50.0,
                requests: 1_500_000.0,
                mean_bytes: 8192.0,
                places: 53_700,
                writes: 42.0,
                swing: 4.0,
            },
        }
    }

    /// Anywhere in `span` bytes. The error says what is impossible.
    pub fn requests(
        self,
        span: u64,
        seed: u64,
    ) -> Result<impl Iterator<Item = Request> + use<>, String> {
        let is = self.described();
        let most = if self == Like::Web {
            MOST_FILE_PAGES
        } else {
            2
        } * PAGE;
        let room = span / is.places;
        if room < most {
            return Err(format!(
                "{} places of {most} bytes have no room in {span} bytes",
                is.places
            ));
        }
        let mut chance = Chance(seed);
        let places = Places::spread(&mut chance, is.places, room, room - most + 1, PAGE);
        let sizes: Vec<u64> = (0..is.places)
            .map(|_| self.size(&mut chance, is.mean_bytes))
            .collect();
        let sized: std::collections::HashMap<u64, u64> =
            places.all().iter().copied().zip(sizes).collect();
        let quiet = is.requests / (is.hours * HOUR) / (1.0 + is.swing) * 2.0;
        let mut at = 0.0;
        let end = is.hours * HOUR;
        // Times by thinning of the busiest hour's (Lewis and Shedler, 1979).
        let busiest = quiet * is.swing;
        Ok(std::iter::from_fn(move || {
            loop {
                at -= (1.0 - chance.unit()).ln() / busiest;
                if at >= end {
                    return None;
                }
                let above = (1.0 - (2.0 * PI * (at / DAY - 4.0 / 24.0)).cos()) / 2.0;
                if chance.unit() * busiest < quiet + above * (busiest - quiet) {
                    break;
                }
            }
            let place = places.one(&mut chance, is.places);
            let bytes = sized.get(&place).copied().unwrap_or(PAGE);
            Some(Request {
                at: nanoseconds(at),
                op: if chance.percent(is.writes) {
                    Op::Write
                } else {
                    Op::Read
                },
                sector: place / SECTOR,
                bytes: u32::try_from(bytes).unwrap_or(0),
            })
        }))
    }

    /// A web server's files are log-normal (sigma 1), in pages of 4 KiB; Cello's blocks are of one size.
    fn size(self, chance: &mut Chance, mean: f64) -> u64 {
        match self {
            Like::Cello => 2 * PAGE,
            Like::Web => {
                // A page more by rounding up, on average half of one.
                let bytes = (mean - real(PAGE / 2)) * (chance.normal() - 0.5).exp();
                whole(bytes).div_ceil(PAGE).clamp(1, MOST_FILE_PAGES) * PAGE
            }
        }
    }
}

/// As PostMark, which stands for a mail or news server: files of 500 bytes to 9.77 KiB are made; in a transaction one is
/// read or appended to, and one is made or deleted; in the end the rest is deleted. A change of a directory writes a page
/// of its metadata. Transactions follow each other at their peak.
#[derive(Debug, Clone)]
pub struct PostMark {
    pub files: u64,
    pub transactions: u64,
    /// A second.
    pub rate: f64,
    pub span: u64,
    pub seed: u64,
}

struct Pool {
    chance: Chance,
    /// Slots of files that are there, with their pages, and free ones.
    there: Vec<(u64, u32)>,
    free: Vec<u64>,
    room: u64,
    at: f64,
    out: Vec<Request>,
}

/// A file may grow to so many pages; its slot has this room.
const MOST_PAGES: u64 = 16;

impl PostMark {
    /// The error says what is impossible.
    pub fn requests(&self) -> Result<Vec<Request>, String> {
        let slots = self.files * 2 + 1;
        let room = self.span / slots;
        if self.files == 0 || room < MOST_PAGES * PAGE {
            return Err(format!(
                "{} bytes have no room for {} files, of which there is at least 1",
                self.span, self.files
            ));
        }
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return Err("there is at least a part of a transaction a second".to_owned());
        }
        let mut pool = Pool {
            chance: Chance(self.seed),
            there: Vec::new(),
            // The first slot has the metadata.
            free: (1..slots).collect(),
            room: room / PAGE * PAGE,
            at: 0.0,
            out: Vec::new(),
        };
        for _ in 0..self.files {
            pool.make();
            pool.at += 1.0 / self.rate;
        }
        for _ in 0..self.transactions {
            if pool.chance.percent(50.0) {
                pool.read()
            } else {
                pool.append()
            }
            if pool.chance.percent(50.0) {
                pool.make()
            } else {
                pool.delete()
            }
            pool.at += 1.0 / self.rate;
        }
        while !pool.there.is_empty() {
            pool.delete();
            pool.at += 1.0 / self.rate;
        }
        Ok(pool.out)
    }
}

impl Pool {
    fn send(&mut self, op: Op, slot: u64, page: u64, pages: u32) {
        self.out.push(Request {
            at: nanoseconds(self.at),
            op,
            sector: (slot * self.room + page * PAGE) / SECTOR,
            bytes: pages * 4096,
        });
    }

    fn one(&mut self) -> Option<usize> {
        let count = u64::try_from(self.there.len()).unwrap_or(0);
        let index = self.chance.below(count);
        usize::try_from(index).ok().filter(|_| count > 0)
    }

    fn metadata(&mut self, slot: u64) {
        self.send(Op::Write, 0, slot % MOST_PAGES, 1);
    }

    fn make(&mut self) {
        let count = u64::try_from(self.free.len()).unwrap_or(0);
        let index = usize::try_from(self.chance.below(count)).unwrap_or(0);
        if index >= self.free.len() {
            return;
        }
        let slot = self.free.swap_remove(index);
        let bytes = 500 + self.chance.below(9505);
        let pages = u32::try_from(bytes.div_ceil(PAGE)).unwrap_or(1);
        self.metadata(slot);
        self.send(Op::Write, slot, 0, pages);
        self.there.push((slot, pages));
    }

    fn delete(&mut self) {
        if let Some(index) = self.one() {
            let (slot, _) = self.there.swap_remove(index);
            self.metadata(slot);
            self.free.push(slot);
        }
    }

    fn read(&mut self) {
        let one = self.one().and_then(|index| self.there.get(index).copied());
        if let Some((slot, pages)) = one {
            self.send(Op::Read, slot, 0, pages);
        }
    }

    fn append(&mut self) {
        let Some(index) = self.one() else { return };
        let grown = self.there.get_mut(index).and_then(|(slot, pages)| {
            let last = u64::from(*pages);
            (last < MOST_PAGES).then(|| {
                *pages += 1;
                (*slot, last)
            })
        });
        if let Some((slot, page)) = grown {
            self.send(Op::Write, slot, page, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn near(is: f64, wanted: f64, percent: f64) {
        assert!(
            (is / wanted - 1.0).abs() * 100.0 < percent,
            "{is}, wanted {wanted}"
        );
    }

    fn count(requests: &[Request], op: Op) -> f64 {
        real(
            requests
                .iter()
                .filter(|one| one.op == op)
                .count()
                .try_into()
                .unwrap(),
        )
    }

    fn all(requests: &[Request]) -> f64 {
        real(requests.len().try_into().unwrap())
    }

    fn bytes(requests: &[Request]) -> f64 {
        requests.iter().map(|one| f64::from(one.bytes)).sum()
    }

    fn unique(requests: &[Request]) -> f64 {
        let places: HashSet<_> = requests.iter().map(|one| (one.sector, one.bytes)).collect();
        places.iter().map(|(_, bytes)| f64::from(*bytes)).sum()
    }

    #[test]
    fn web_is_as_described() {
        let requests: Vec<_> = Like::Web.requests(32_000_000_000, 1).unwrap().collect();
        near(all(&requests), 95_000.0, 2.0);
        near(bytes(&requests), 4e9, 6.0);
        near(unique(&requests), 260e6, 4.0);
        assert!(count(&requests, Op::Read) / all(&requests) > 0.97);
        assert!(requests.is_sorted_by_key(|one| one.at));
        near(real(requests.last().unwrap().at), 96.0 * HOUR * 1e9, 0.1);
    }

    #[test]
    fn cello_is_as_described() {
        let requests: Vec<_> = Like::Cello.requests(36_000_000_000, 1).unwrap().collect();
        near(all(&requests), 1_500_000.0, 6.0);
        near(bytes(&requests), 12e9, 6.0);
        near(unique(&requests), 440e6, 1.0);
        near(count(&requests, Op::Write) / all(&requests), 0.42, 1.0);
    }

    #[test]
    fn postmark_writes_and_reads_what_is_there() {
        let load = PostMark {
            files: 500,
            transactions: 20_000,
            rate: 500.0,
            span: 1 << 30,
            seed: 3,
        };
        let requests = load.requests().unwrap();
        assert_eq!(requests, load.requests().unwrap());
        assert!(requests.is_sorted_by_key(|one| one.at));
        assert!(
            requests
                .iter()
                .all(|one| one.sector * 512 + u64::from(one.bytes) <= 1 << 30)
        );
        let mut written = HashSet::new();
        for one in &requests {
            let pages = (one.sector / 8..).take(usize::try_from(one.bytes / 4096).unwrap());
            for page in pages {
                match one.op {
                    Op::Read => assert!(written.contains(&page), "{one}"),
                    _ => drop(written.insert(page)),
                }
            }
        }
        near(count(&requests, Op::Read), 10_000.0, 3.0);
        for wrong in [
            PostMark {
                files: 0,
                ..load.clone()
            },
            PostMark {
                span: 1 << 20,
                ..load.clone()
            },
            PostMark {
                rate: 0.0,
                ..load.clone()
            },
            PostMark {
                rate: f64::NAN,
                ..load
            },
        ] {
            assert!(wrong.requests().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn random_requests_are_anywhere_at_any_time() {
        let load = Random {
            requests: 50_000,
            bytes: 4096,
            read_percent: 30,
            in_sequence: false,
            seconds: 100,
            span: (1 << 30) + 512,
            seed: 5,
        };
        let requests = load.requests().unwrap();
        assert_eq!(requests, load.requests().unwrap());
        assert!(requests.is_sorted_by_key(|one| one.at));
        near(all(&requests), 50_000.0, 0.001);
        near(count(&requests, Op::Read), 15_000.0, 3.0);
        let half = |is: &dyn Fn(&Request) -> bool| requests.iter().filter(|one| is(one)).count();
        for part in [
            half(&|one| one.at < 50_000_000_000),
            half(&|one| one.sector < 1 << 20),
        ] {
            near(real(part.try_into().unwrap()), 25_000.0, 3.0);
        }
        assert!(
            requests
                .iter()
                .all(|one| one.sector % 8 == 0 && one.sector <= (1 << 21) - 8)
        );
        let sequence = Random {
            in_sequence: true,
            seconds: 0,
            span: 3 * 4096,
            ..load
        };
        let requests = sequence.requests().unwrap();
        assert!(requests.iter().all(|one| one.at == 0));
        let sectors: Vec<_> = requests.iter().take(4).map(|one| one.sector).collect();
        assert_eq!(sectors, [0, 8, 16, 0]);
        for (bytes, span) in [(0, 1 << 30), (513, 1 << 30), (4096, 4095)] {
            let wrong = Random {
                bytes,
                span,
                ..sequence.clone()
            };
            assert!(wrong.requests().is_err());
        }
    }

    /// Sizes exactly; ratios within a point, of 125 modes.
    #[test]
    fn modes_have_their_ratios() {
        for bytes in SIZES {
            for read_percent in RATIOS {
                for random_percent in RATIOS {
                    let mode = Mode {
                        bytes,
                        read_percent,
                        random_percent,
                        seconds: 1000 * u64::from(bytes).div_ceil(1 << 20),
                        span: 1 << 40,
                        seed: 1,
                    };
                    let requests: Vec<_> = mode.requests().unwrap().take(40_000).collect();
                    let mut random = 0.0;
                    let mut after = None;
                    for one in &requests {
                        assert_eq!(one.bytes, bytes);
                        random += f64::from(after != Some(one.sector));
                        after = Some(one.sector + u64::from(bytes) / 512);
                    }
                    let off = |is: f64, wanted: u32| {
                        (100.0 * is / all(&requests) - f64::from(wanted)).abs()
                    };
                    assert!(
                        off(count(&requests, Op::Read), read_percent) < 1.0,
                        "{mode:?}"
                    );
                    assert!(off(random, random_percent) < 1.0, "{mode:?}");
                }
            }
        }
    }

    #[test]
    fn impossible_modes_are_refused() {
        let mode = Mode {
            bytes: 4096,
            read_percent: 0,
            random_percent: 0,
            seconds: 1,
            span: 1 << 30,
            seed: 1,
        };
        for (bytes, span) in [(0, 1 << 30), (513, 1 << 30), (4096, 8191)] {
            assert!(
                Mode {
                    bytes,
                    span,
                    ..mode.clone()
                }
                .requests()
                .is_err()
            );
        }
        assert!(Like::Web.requests(1 << 30, 1).is_err());
    }
}
