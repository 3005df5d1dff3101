// SPDX-License-Identifier: GPL-2.0
//! The spin-ups that a member may have: ration.h. Times are seconds since 1970.

use super::raw;

#[derive(Debug, Clone)]
pub struct Ration {
    ration: raw::Ration,
    carry: u32,
}

impl Ration {
    /// A new member: rated as most disks are, with one day's share.
    pub fn new(carry: u32, now: u64) -> Self {
        let mut ration = raw::Ration::default();
        // SAFETY: of this and all below: it only looks at, or changes, the struct.
        unsafe { raw::par_ration_begin(&mut ration, now) };
        Ration { ration, carry }
    }

    /// Rate it anew; false, and nothing is changed, if a number is out of range.
    pub fn rate(&mut self, cycles: u32, years: u32) -> bool {
        // SAFETY: see new().
        unsafe { raw::par_ration_set(&mut self.ration, cycles, years, self.carry) }
    }

    /// Days have passed.
    pub fn tick(&mut self, now: u64) {
        // SAFETY: see new().
        unsafe { raw::par_ration_tick(&mut self.ration, self.carry, now) }
    }

    pub fn left(&self) -> u64 {
        // SAFETY: see new().
        unsafe { raw::par_ration_left(&self.ration) }
    }

    pub fn spend(&mut self) {
        // SAFETY: see new().
        unsafe { raw::par_ration_spend(&mut self.ration) }
    }

    /// Seconds until there is one left. After [`Self::tick`].
    pub fn wait(&self, now: u64) -> u64 {
        // SAFETY: see new().
        unsafe { raw::par_ration_wait(&self.ration, now) }
    }

    /// Seconds until days bring the next one. After [`Self::tick`].
    pub fn share(&self, now: u64) -> u64 {
        // SAFETY: see new().
        unsafe { raw::par_ration_share(&self.ration, now) }
    }

    /// What a day brings, rounded down.
    pub fn a_day(&self) -> u32 {
        // SAFETY: see new().
        unsafe { raw::par_ration_day(&self.ration) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86400;

    #[test]
    fn a_day_brings_its_share() {
        let mut ration = Ration::new(7, 1000 * DAY);
        // 50,000 in five years.
        assert_eq!(ration.a_day(), 27);
        let first = ration.left();
        assert_eq!(first, 27);
        for _ in 0..first {
            ration.spend();
        }
        assert_eq!(ration.left(), 0);
        assert!(ration.wait(1000 * DAY) > 0);
        ration.tick(1001 * DAY);
        assert!(ration.left() >= 27);
        assert!(!ration.rate(0, 5));
        assert!(ration.rate(600_000, 5));
        assert_eq!(ration.a_day(), 328);
    }
}
