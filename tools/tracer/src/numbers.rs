// SPDX-License-Identifier: GPL-2.0
//! Numbers on the command line, and numbers of numbers.

/// Of counts and sums: a digit more or less far behind the point.
#[allow(clippy::cast_precision_loss)]
pub fn real(number: u64) -> f64 {
    number as f64
}

/// `part` of `all`, in percent; 0 of nothing.
pub fn percent(part: u64, all: u64) -> f64 {
    if all == 0 {
        return 0.0;
    }
    100.0 * real(part) / real(all)
}

/// `512`, `4K`, `16M`, `2G`, `24T`: bytes, by powers of 1024.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || "it is a number of bytes, as 512, 4K, 16M, 2G or 24T".to_owned();
    let unit = |letter| "KMGT".find(letter);
    let (digits, shift) = match text.chars().last().and_then(unit) {
        Some(unit) => (text.get(..text.len() - 1).unwrap_or(""), 10 * (unit + 1)),
        None => (text, 0),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

/// `size` the other way round, if that is exact.
pub fn short_size(bytes: u64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "K")];
    let whole = units
        .into_iter()
        .find(|(shift, _)| bytes >= 1 << shift && bytes % (1 << shift) == 0);
    match whole {
        Some((shift, unit)) => format!("{}{unit}", bytes >> shift),
        None => bytes.to_string(),
    }
}

/// How much faster: `64`, `0.5` or `50%`. Exact, as millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speed(u64);

impl Speed {
    const ONE: u64 = 1_000_000;

    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "it is from 0.01 to 1000, or from 1% to 100000%".to_owned();
        let (number, one) = match text.strip_suffix('%') {
            Some(number) => (number, Self::ONE / 100),
            None => (text, Self::ONE),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.len() > 4 {
            return Err(wrong());
        }
        let mut millionths = whole.parse().ok().and_then(|n: u64| n.checked_mul(one));
        let mut unit = one;
        for digit in fraction.bytes() {
            unit /= 10;
            millionths = millionths.and_then(|sum| sum.checked_add(unit * u64::from(digit - b'0')));
        }
        match millionths {
            Some(millionths @ 10_000..=1_000_000_000) => Ok(Speed(millionths)),
            _ => Err(wrong()),
        }
    }

    /// A time at this speed, in ns; the last one that there is, if it is later.
    pub fn scale(self, at: u64) -> u64 {
        let scaled = u128::from(at) * u128::from(Self::ONE) / u128::from(self.0);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("512"), Ok(512));
        assert_eq!(size("4K"), Ok(4096));
        assert_eq!(size("24T"), Ok(24 << 40));
        for wrong in [
            "",
            "K",
            "-1",
            "4k",
            "4KB",
            "1.5M",
            "+3",
            "99999999T",
            "18446744073709551616",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        for bytes in [1, 511, 512, 4096, 5000, 1 << 20, 3 << 30] {
            assert_eq!(size(&short_size(bytes)), Ok(bytes));
        }
    }

    #[test]
    fn speeds() {
        let scaled = |text, at| Speed::parse(text).map(|speed| speed.scale(at));
        assert_eq!(scaled("64", 6400), Ok(100));
        assert_eq!(scaled("0.01", 7), Ok(700));
        assert_eq!(scaled("1%", 7), Ok(700));
        assert_eq!(scaled("100000%", 7000), Ok(7));
        assert_eq!(scaled("12.5", 125), Ok(10));
        assert_eq!(scaled("0.01", u64::MAX), Ok(u64::MAX));
        for wrong in [
            "0", "0.009", "1001", "100001%", "", "x", "1.", ".5", "-1", "1e3", "1.00001",
        ] {
            assert!(Speed::parse(wrong).is_err(), "{wrong}");
        }
    }
}
