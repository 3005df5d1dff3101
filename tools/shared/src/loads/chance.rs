// SPDX-License-Identifier: GPL-2.0
//! Random numbers with a seed, and places of which the n-th is used by 1/sqrt(n).

use std::f64::consts::PI;

/// splitmix64
#[derive(Debug, Clone)]
pub struct Chance(pub u64);

impl Chance {
    /// 64 of them.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    #[allow(clippy::cast_precision_loss)] // 53 bits remain
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (-53f64).exp2()
    }

    /// Box and Muller (1958)
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (2.0 * PI * self.unit()).cos()
    }

    pub fn below(&mut self, n: u64) -> u64 {
        whole(self.unit() * real(n))
    }

    /// Does what happens in so many percent of all cases?
    pub fn percent(&mut self, percent: f64) -> bool {
        self.unit() * 100.0 < percent
    }

    /// One of 1, 1, 2, 4 and 16.
    pub fn pages(&mut self) -> u32 {
        match self.below(5) {
            0 | 1 => 1,
            2 => 2,
            3 => 4,
            _ => 16,
        }
    }
}

/// Numbers here are far below 2^53.
#[allow(clippy::cast_precision_loss)]
pub fn real(number: u64) -> f64 {
    number as f64
}

/// Without its fraction.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
pub fn whole(number: f64) -> u64 {
    number as u64
}

/// Seconds as ns, rounded as printf() does.
pub fn nanoseconds(seconds: f64) -> u64 {
    whole((seconds * 1e9).round_ties_even())
}

#[derive(Debug, Clone)]
pub struct Places {
    begins: Vec<u64>,
    limits: Vec<f64>,
}

impl Places {
    /// So many places anywhere in a span, each alone in its `room`, up to `slack` behind its beginning, at multiples of
    /// `align`.
    pub fn spread(chance: &mut Chance, number: u64, room: u64, slack: u64, align: u64) -> Self {
        let mut begins: Vec<u64> = Vec::new();
        // The most used places are anywhere.
        for i in 0..number {
            let j = usize::try_from(chance.below(i + 1)).unwrap_or(0);
            begins.push(i);
            let last = begins.len() - 1;
            begins.swap(j, last);
        }
        let mut sum = 0.0;
        let mut limits = Vec::with_capacity(begins.len());
        for (i, begin) in (1..).zip(&mut begins) {
            *begin = (*begin * room + chance.below(slack)) / align * align;
            sum += 1.0 / real(i).sqrt();
            limits.push(sum);
        }
        Places { begins, limits }
    }

    /// One of the first `number` places.
    pub fn one(&self, chance: &mut Chance, number: u64) -> u64 {
        let number = usize::try_from(number)
            .unwrap_or(usize::MAX)
            .min(self.limits.len());
        let limits = self.limits.get(..number).unwrap_or(&self.limits);
        let at = chance.unit() * limits.last().copied().unwrap_or(0.0);
        let index = limits.partition_point(|limit| *limit < at);
        self.begins.get(index).copied().unwrap_or(0)
    }

    /// All of them, the most used one first.
    pub fn all(&self) -> &[u64] {
        &self.begins
    }
}
