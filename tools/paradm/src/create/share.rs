// SPDX-License-Identifier: GPL-2.0
//! The share of the array that can have images, in percent, as mdadm takes it, and the one that an array has if none is
//! given.

use super::LogSize;
use crate::policy_ffi::Geometry;

/// As mdadm has it by default.
const USUAL: u32 = 10;

/// `None`: what is usual with these members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ShareWish(pub Option<u32>);

impl ShareWish {
    /// With members of which the smallest has so many bytes, and this log.
    pub fn on(self, least: u64, log: Option<LogSize>) -> u32 {
        self.0.unwrap_or_else(|| usual(least, log))
    }

    /// For mdadm, which has images of everything without an option only if that is usual.
    pub fn option(self, percent: u32) -> Option<String> {
        (self.0.is_some() || percent != Geometry::SHARE_ALL)
            .then(|| format!("--image-share={percent}"))
    }
}

/// Members that get no log have images of everything: without a log, a write of data that has no image wakes the
/// sleepers. Members that are too small for a usual log have them with any log.
fn usual(least: u64, log: Option<LogSize>) -> u32 {
    log.and(LogSize::usual(least))
        .map_or(Geometry::SHARE_ALL, |_| USUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As tests/mdadm/geometry.c has it of mdadm.
    #[test]
    fn the_usual_share_goes_with_the_usual_log() {
        let gib = 1_u64 << 30;
        let usual = ShareWish::default();
        for (least, percent) in [
            (0, 100),
            (64 * gib - 1, 100),
            (64 * gib, 10),
            (u64::MAX, 10),
        ] {
            let log = LogSize::usual(1 << 40);
            assert_eq!(usual.on(least, LogSize::usual(least)), percent, "{least}");
            assert_eq!(usual.on(least, log), percent, "{least}");
            assert_eq!(usual.on(least, None), 100, "{least}");
            for log in [log, None] {
                assert_eq!(ShareWish(Some(25)).on(least, log), 25);
            }
        }
        assert_eq!(usual.option(100), None);
        assert_eq!(usual.option(10).as_deref(), Some("--image-share=10"));
        let all = ShareWish(Some(100)).option(100);
        assert_eq!(all.as_deref(), Some("--image-share=100"));
    }
}
