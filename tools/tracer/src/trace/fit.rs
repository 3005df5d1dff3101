// SPDX-License-Identifier: GPL-2.0
//! Places onto another device.
//!
//! A trace's devices lie one after the other first. Scaled, blocks of the trace are spread over the device: a block keeps
//! its content, so that requests in sequence stay in sequence. Folded, places begin again behind the device's end. In both
//! a request that would reach beyond its device's end is moved to that end.

use super::{Event, SECTOR};

/// Blocks, in sectors: at most 64 MiB, at least 1 MiB, and about a thousand of the device.
const LARGEST: u64 = (64 << 20) / SECTOR;
const SMALLEST: u64 = (1 << 20) / SECTOR;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Scale,
    Fold,
}

pub struct Fit {
    /// Where each of the trace's devices begins, and where the last one ends: sectors.
    begins: Vec<u64>,
    span: u64,
    /// Of the device.
    sectors: u64,
    block: u64,
    way: Way,
    pub moved: u64,
    /// Of other places than before.
    pub changed: u64,
}

impl Fit {
    /// `ends`: of each of the trace's devices; `bytes`: of the device. The error says what is wrong.
    pub fn new(ends: &[u64], bytes: u64, way: Way) -> Result<Self, String> {
        let sectors = bytes / SECTOR;
        if sectors < SMALLEST {
            return Err("a device has at least 1M".to_owned());
        }
        let mut begins = Vec::new();
        let mut span = 0u64;
        for end in ends {
            begins.push(span);
            let sum = span.checked_add(*end);
            span = sum.ok_or(
                "the trace's devices are larger than any: are its columns those of a trace?",
            )?;
        }
        let block = 1 << (sectors / 1024).max(1).ilog2();
        Ok(Fit {
            begins,
            span,
            sectors,
            block: u64::clamp(block, SMALLEST, LARGEST),
            way,
            moved: 0,
            changed: 0,
        })
    }

    pub fn span_bytes(&self) -> u64 {
        self.span.saturating_mul(SECTOR)
    }

    /// On the device, as the only one. `None`: it is larger than the device.
    pub fn place(&mut self, event: Event) -> Option<Event> {
        let length = event.end() - event.sector;
        if length > self.sectors {
            return None;
        }
        let begin = self
            .begins
            .get(usize::from(event.device))
            .copied()
            .unwrap_or(0);
        let from = begin + event.sector;
        let to = match self.way {
            Way::Fold => from % self.sectors,
            Way::Scale => self.scaled(from),
        };
        let last = self.sectors - length;
        self.moved += u64::from(to > last);
        let sector = to.min(last);
        self.changed += u64::from(sector != event.sector);
        Some(Event {
            device: 0,
            sector,
            ..event
        })
    }

    fn scaled(&self, sector: u64) -> u64 {
        let blocks = |sectors: u64| u128::from((sectors / self.block).max(1));
        let (from, to) = (blocks(self.span + self.block - 1), blocks(self.sectors));
        let block = u128::from(sector / self.block) * to / from;
        u64::try_from(block).unwrap_or(0) * self.block + sector % self.block
    }
}

#[cfg(test)]
mod tests {
    use super::super::Op;
    use super::*;
    use proptest::prelude::*;

    fn event(device: u16, sector: u64, sectors: u32) -> Event {
        Event {
            at: 0,
            op: Op::Read,
            device,
            sector,
            bytes: sectors * 512,
        }
    }

    fn placed(fit: &mut Fit, device: u16, sector: u64, sectors: u32) -> Option<u64> {
        fit.place(event(device, sector, sectors))
            .map(|event| event.sector)
    }

    #[test]
    fn folded_places_begin_again() {
        let mut fit = Fit::new(&[10_000, 5000], 1 << 20, Way::Fold).unwrap();
        assert_eq!(placed(&mut fit, 0, 2047, 1), Some(2047));
        assert_eq!(placed(&mut fit, 0, 2048, 8), Some(0));
        assert_eq!(placed(&mut fit, 1, 10, 8), Some(10_010 % 2048));
        assert_eq!((fit.moved, fit.changed), (0, 2));
        assert_eq!(placed(&mut fit, 0, 2047, 8), Some(2040));
        assert_eq!(fit.moved, 1);
        assert_eq!(placed(&mut fit, 0, 0, 2049), None);
        assert_eq!(fit.span_bytes(), 15_000 * 512);
    }

    #[test]
    fn scaled_places_keep_sequences() {
        // 1 TB to 64 GiB: blocks of 64 MiB.
        let mut fit = Fit::new(&[2_000_000_000], 64 << 30, Way::Scale).unwrap();
        let first = placed(&mut fit, 0, 131_072 * 7000, 8).unwrap();
        assert_eq!(first % 131_072, 0);
        assert_eq!(placed(&mut fit, 0, 131_072 * 7000 + 8, 8), Some(first + 8));
        assert_eq!(placed(&mut fit, 0, 0, 8), Some(0));
    }

    #[test]
    fn impossible_devices_are_refused() {
        assert!(Fit::new(&[10], (1 << 20) - 1, Way::Fold).is_err());
        assert!(Fit::new(&[u64::MAX, 1], 1 << 30, Way::Scale).is_err());
    }

    proptest! {
        #[test]
        fn all_is_on_the_device(
            ends in prop::collection::vec(1u64..1 << 40, 1..4),
            bytes in (1u64 << 20)..(1 << 42),
            at in 0.0..1.0f64,
            sectors in 1u32..3000,
            fold: bool,
        ) {
            let way = if fold { Way::Fold } else { Way::Scale };
            let mut fit = Fit::new(&ends, bytes, way).unwrap();
            for (device, end) in (0..).zip(&ends) {
                let sector = shared::loads::chance::whole(at * crate::numbers::real(*end));
                let placed = fit.place(event(device, sector, sectors));
                match placed {
                    Some(placed) => prop_assert!(placed.end() * SECTOR <= bytes),
                    None => prop_assert!(u64::from(sectors) * SECTOR > bytes - bytes % SECTOR),
                }
            }
        }
    }
}
