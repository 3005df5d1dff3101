// SPDX-License-Identifier: GPL-2.0
//! How far a check, a repair, a resync or a rebuild is.

use crate::array::Scrub;
use crate::output::units;

/// `16 %, 185 MB/s for each disk, 5 h 00 min left`; `None`: nothing is at work.
pub fn progress(scrub: &Scrub) -> Option<String> {
    let (done, all) = scrub.completed?;
    let percent = u128::from(done) * 100 / u128::from(all.max(1));
    let mut text = format!("{percent} %");
    if let (Some(speed), Some(left)) = (scrub.speed_kib, scrub.seconds_left()) {
        let speed = units::bytes(speed.saturating_mul(1024));
        text += &format!(", {speed}/s for each disk, {} left", units::seconds(left));
    }
    Some(text)
}
