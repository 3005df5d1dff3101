// SPDX-License-Identifier: GPL-2.0
//! Sizes as disks are sold: `4T`, `1.92TB`, `8x4T`, `5x4T,3x8T`.

use std::str::FromStr;

/// Larger than any disk, in TB.
const MOST_T: u64 = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(pub Vec<u64>);

/// Sizes of disks on sale, and what one costs: `4T=95,8T=160.50`.
#[derive(Debug, Clone, PartialEq)]
pub struct Offers(pub Vec<(u64, f64)>);

impl FromStr for Offers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "offers are a size up to {MOST_T}T and a price above 0 each, as 4T=95,8T=160.50, not {text:?}"
            )
        };
        let offer = |part: &str| {
            let (bytes, each) = part.split_once('=')?;
            Some((size(bytes)?, price(each)?))
        };
        let offers: Option<Vec<_>> = text.split(',').map(offer).collect();
        offers.map(Offers).ok_or_else(wrong)
    }
}

/// A number above 0, in any currency.
pub fn price(text: &str) -> Option<f64> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let price = text.parse::<f64>().ok()?;
    (plain && price > 0.0 && price <= 1e9).then_some(price)
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        size(text).map(Size).ok_or_else(|| {
            format!(
                "a size is given as 500G, 4T or 1.92T (decimal, as disks are sold), up to {MOST_T}T, not {text:?}"
            )
        })
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "disks are given as 8x4T or 5x4T,3x8T, at most 28, of sizes up to {MOST_T}T, not {text:?}"
            )
        };
        let mut all = Vec::new();
        for part in text.split(',') {
            let (count, each) = part.split_once('x').unwrap_or(("1", part));
            let count = count.parse().ok().filter(|count| (1..=28).contains(count));
            let each = size(each).ok_or_else(wrong)?;
            all.extend(std::iter::repeat_n(each, count.ok_or_else(wrong)?));
        }
        (all.len() <= 28).then_some(Sizes(all)).ok_or_else(wrong)
    }
}

fn size(text: &str) -> Option<u64> {
    let text = text.strip_suffix('B').unwrap_or(text);
    let scale = match text.chars().last()? {
        'G' => 1_000_000_000u64,
        'T' => 1_000_000_000_000,
        _ => return None,
    };
    let (whole, part) = match text.get(..text.len() - 1)?.split_once('.') {
        None => (text.get(..text.len() - 1)?, ""),
        Some(parts) => parts,
    };
    let digits = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    if whole.is_empty() || part.len() > 3 || !digits(whole) || !digits(part) {
        return None;
    }
    let thousandths: u64 = format!("{part:0<3}").parse().ok()?;
    let bytes = whole
        .parse::<u64>()
        .ok()?
        .checked_mul(scale)?
        .checked_add(thousandths * (scale / 1000))?;
    (bytes > 0 && bytes <= MOST_T * 1_000_000_000_000).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_as_sold() {
        assert_eq!("1.92TB".parse(), Ok(Size(1_920_000_000_000)));
        let offers = vec![(4_000_000_000_000, 95.0), (500_000_000_000, 40.5)];
        assert_eq!("4T=95,500G=40.50".parse(), Ok(Offers(offers)));
        for wrong in [
            "",
            "4T",
            "4T=",
            "=95",
            "4T=0",
            "4T=-1",
            "4T=1e3",
            "4T=nan",
            "4T=9,",
            "8x4T=9",
            "4T=9=9",
            "4T=99999999999",
        ] {
            assert!(wrong.parse::<Offers>().is_err(), "{wrong}");
        }
        assert_eq!(
            "2x500G,4T".parse(),
            Ok(Sizes(vec![
                500_000_000_000,
                500_000_000_000,
                4_000_000_000_000
            ]))
        );
        for wrong in [
            "", "4", "T", "4M", "0T", "4TiB", "-4T", "1.2345T", "9999T", ".5T", "4T ",
        ] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
        for wrong in [
            "",
            "0x4T",
            "29x4T",
            "20x4T,9x4T",
            "4T,",
            "x4T",
            "4x",
            "8*4T",
        ] {
            assert!(wrong.parse::<Sizes>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_sizes_or_an_error(text in ".*") {
            let _ = text.parse::<Sizes>();
            let _ = text.parse::<Offers>();
        }
    }
}
