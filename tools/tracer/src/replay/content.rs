// SPDX-License-Identifier: GPL-2.0
//! Content that says where and when it was written, so that reads can be checked.
//!
//! Each sector has its number, the number of the write, and a pattern of both. A read of a sector has to return the last
//! write to it, or one that was under way meanwhile. Of a sector that two writes in flight met, either may stay; of one
//! whose write failed, anything.

use shared::loads::chance::Chance;
use std::collections::HashMap;

const SECTOR: usize = 512;
const MARK: u64 = 0x5261_6964_5472_6163;

/// Writes to a sector, by their numbers from 1.
#[derive(Debug, Default, Clone, Copy)]
struct Written {
    /// It has this one or a later one; 0: anything.
    least: u32,
    latest: u32,
    flying: u32,
    mixed: bool,
}

#[derive(Debug, Default)]
pub struct Contents {
    sectors: HashMap<u64, Written>,
    writes: u32,
}

fn fill(sector: u64, write: u32, to: &mut [u8]) {
    let mut chance = Chance(sector.rotate_left(32) ^ u64::from(write));
    let words = [MARK, sector, u64::from(write)].into_iter();
    let words = words.chain(std::iter::from_fn(move || Some(chance.unit().to_bits())));
    for (field, word) in to.chunks_exact_mut(8).zip(words) {
        field.copy_from_slice(&word.to_le_bytes());
    }
}

impl Contents {
    /// Fill a buffer that is about to be written.
    pub fn write(&mut self, sector: u64, buffer: &mut [u8]) {
        self.writes = self.writes.wrapping_add(1).max(1);
        for (sector, bytes) in (sector..).zip(buffer.chunks_exact_mut(SECTOR)) {
            fill(sector, self.writes, bytes);
            let is = self.sectors.entry(sector).or_default();
            is.mixed = is.flying > 0;
            is.latest = self.writes;
            is.flying += 1;
        }
    }

    /// A write has ended.
    pub fn written(&mut self, sector: u64, sectors: u64, well: bool) {
        for sector in sector..sector + sectors {
            let Some(is) = self.sectors.get_mut(&sector) else {
                continue;
            };
            is.flying = is.flying.saturating_sub(1);
            if !well {
                is.mixed = true;
                is.least = 0;
            }
            if is.flying == 0 && !is.mixed {
                is.least = is.latest;
            }
        }
    }

    /// What a read that is about to be sent has to return at least.
    pub fn least(&self, sector: u64, sectors: u64) -> Vec<u32> {
        let least = |sector| self.sectors.get(&sector).map_or(0, |is| is.least);
        (sector..sector + sectors).map(least).collect()
    }

    /// Sectors of a read that return something else than was written.
    pub fn wrong(&self, sector: u64, least: &[u32], buffer: &[u8]) -> u64 {
        let rows = (sector..).zip(least).zip(buffer.chunks_exact(SECTOR));
        let wrong = rows.filter(|((sector, least), bytes)| {
            let latest = self.sectors.get(sector).map_or(0, |is| is.latest);
            **least > 0 && !Self::is_of(*sector, **least..=latest, bytes)
        });
        u64::try_from(wrong.count()).unwrap_or(u64::MAX)
    }

    fn is_of(sector: u64, writes: std::ops::RangeInclusive<u32>, bytes: &[u8]) -> bool {
        let write = bytes.get(16..20).and_then(|field| field.first_chunk());
        let write = write.map_or(0, |field| u32::from_le_bytes(*field));
        let mut wanted = [0; SECTOR];
        fill(sector, write, &mut wanted);
        writes.contains(&write) && bytes == wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_returns_what_was_written() {
        let mut contents = Contents::default();
        let mut disk = vec![0; 4 * SECTOR];
        assert_eq!(contents.wrong(10, &contents.least(10, 4), &disk), 0);
        contents.write(10, &mut disk);
        // Under way: the old content, or the new one.
        assert_eq!(
            contents.wrong(10, &contents.least(10, 4), &[0; 4 * SECTOR]),
            0
        );
        contents.written(10, 4, true);
        let least = contents.least(10, 4);
        assert_eq!(contents.wrong(10, &least, &disk), 0);
        assert_eq!(contents.wrong(10, &least, &[0; 4 * SECTOR]), 4);
        let mut flipped = disk.clone();
        flipped[3 * SECTOR - 1] ^= 1;
        assert_eq!(contents.wrong(10, &least, &flipped), 1);
        // Of another place, or stale.
        disk.swap(0, SECTOR);
        let mut newer = disk.clone();
        contents.write(10, &mut newer);
        assert_eq!(contents.wrong(10, &least, &newer), 0);
        contents.written(10, 4, true);
        assert_eq!(contents.wrong(10, &contents.least(10, 4), &flipped), 4);
    }

    #[test]
    fn writes_that_meet_may_stay_in_any_order() {
        let mut contents = Contents::default();
        let [mut first, mut second] = [[0; SECTOR], [0; SECTOR]];
        contents.write(7, &mut first);
        contents.write(7, &mut second);
        contents.written(7, 1, true);
        contents.written(7, 1, true);
        let least = contents.least(7, 1);
        assert_eq!(
            contents.wrong(7, &least, &first) + contents.wrong(7, &least, &second),
            0
        );
        // A write that failed leaves anything.
        contents.write(7, &mut first);
        contents.written(7, 1, false);
        assert_eq!(contents.least(7, 1), [0]);
        contents.write(7, &mut first);
        contents.written(7, 1, true);
        assert_eq!(contents.wrong(7, &contents.least(7, 1), &second), 1);
    }
}
