// SPDX-License-Identifier: GPL-2.0
//! Numbers as people read them.

/// `8.00 TB`: three digits, decimal units, as disks are sold.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut scale = 1u128;
    for unit in UNITS {
        scale *= 1000;
        let hundredths = (u128::from(bytes) * 100 + scale / 2) / scale;
        match hundredths {
            0..1000 => return format!("{}.{:02} {unit}", hundredths / 100, hundredths % 100),
            1000..10_000 => {
                let tenths = (u128::from(bytes) * 10 + scale / 2) / scale;
                return format!("{}.{} {unit}", tenths / 10, tenths % 10);
            }
            10_000..100_000 => {
                return format!("{} {unit}", (u128::from(bytes) + scale / 2) / scale);
            }
            _ => {}
        }
    }
    format!("{bytes} B")
}

/// `1 disk`, `2 disks`.
pub fn count(number: impl Into<u64>, thing: &str) -> String {
    match number.into() {
        1 => format!("1 {thing}"),
        number => format!("{number} {thing}s"),
    }
}

/// `45 s`, `12 min`, `3 h 05 min`, `12 d 3 h`.
pub fn seconds(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..120 => format!("{seconds} s"),
        120..3600 => format!("{minutes} min"),
        3600..172_800 => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// `8.1 ms`
pub fn microseconds(us: u64) -> String {
    match us {
        0..10_000 => format!("{}.{} ms", us / 1000, us / 100 % 10),
        10_000..10_000_000 => format!("{} ms", us / 1000),
        _ => format!("{} s", us / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (7_999_900_000_000, "8.00 TB"),
            (15_940_000_000_000, "15.9 TB"),
            (160_000_000_000_000, "160 TB"),
            (u64::MAX, "18.4 EB"),
        ];
        for (number, text) in cases {
            assert_eq!(bytes(number), text);
        }
        assert_eq!(seconds(119), "119 s");
        assert_eq!(seconds(11_100), "3 h 05 min");
        assert_eq!(seconds(86_400 * 12 + 3600 * 3), "12 d 3 h");
        assert_eq!(microseconds(8123), "8.1 ms");
    }
}
