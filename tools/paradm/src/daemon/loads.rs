// SPDX-License-Identifier: GPL-2.0
//! How busy members are, from their block devices' statistics: the mean since the last look, where `busy_percent`
//! is of the last interval only.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::system::{Files, System};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

#[derive(Default)]
pub struct Loads {
    /// ms with a request, by device; when it was read, and in which gear.
    busy: BTreeMap<String, u64>,
    at: Duration,
    gear: u32,
}

/// Of the fields of `stat`, from 0.
const IO_TICKS: usize = 9;

impl Loads {
    /// Percent, in the mean over the members of `gear`. `None`: it was in another gear at the last look.
    pub fn see(
        &mut self,
        system: &dyn System,
        array: &Array,
        gear: u32,
        now: Duration,
    ) -> Result<Option<f64>> {
        let members = array.members.iter().filter(|member| member.number < gear);
        let mut busy = BTreeMap::new();
        for device in members.filter_map(|member| member.device.as_ref()) {
            let stat = Path::new("/sys/class/block")
                .join(&device.name)
                .join("stat");
            busy.insert(device.name.clone(), io_ticks(system, &stat)?);
        }
        let since = now.saturating_sub(self.at).as_secs_f64() * 1000.0;
        let before = std::mem::replace(&mut self.busy, busy);
        let is_same = self.gear == gear && before.keys().eq(self.busy.keys()) && since > 0.0;
        (self.at, self.gear) = (now, gear);
        if !is_same || self.busy.is_empty() {
            return Ok(None);
        }
        let (mut sum, mut members) = (0.0, 0.0);
        for (now, before) in self.busy.values().zip(before.values()) {
            let ms = u32::try_from(now.wrapping_sub(*before) & 0xffff_ffff).unwrap_or(0);
            sum += f64::from(ms).min(since);
            members += 1.0;
        }
        Ok(Some(sum / members / since * 100.0))
    }
}

/// Without `iostats` nobody counts, and no load is not known to be none.
pub fn counts(system: &dyn System, disk: &str) -> Result<bool> {
    let path = Path::new("/sys/block").join(disk).join("queue/iostats");
    Ok(system.text(&path)?.trim() != "0")
}

fn io_ticks(system: &dyn System, path: &Path) -> Result<u64> {
    let text = system.text(path)?;
    ticks(&text).ok_or_else(|| Error::Parse {
        path: path.to_path_buf(),
        got: text.trim().to_owned(),
        wanted: "the statistics of a block device",
    })
}

fn ticks(stat: &str) -> Option<u64> {
    stat.split_ascii_whitespace().nth(IO_TICKS)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{SimArray, SimSystem};
    use proptest::prelude::*;

    fn spend(sim: &SimSystem, disk: &str, ms: u64) {
        let text = format!("1 0 8 5 1 0 8 5 0 {ms} 10 0 0 0 0 0 0\n");
        sim.world()
            .tree
            .file(format!("/sys/class/block/{disk}/stat"), &text);
    }

    #[test]
    fn the_mean_since_the_last_look_over_the_members_of_the_gear() {
        let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
        let array = Array::read(&sim, "md0").unwrap();
        let mut loads = Loads::default();
        let mut see = |spent: [u64; 3], gear, at| {
            for (disk, ms) in ["sda", "sdb", "sdc"].iter().zip(spent) {
                spend(&sim, disk, ms);
            }
            loads
                .see(&sim, &array, gear, Duration::from_secs(at))
                .unwrap()
        };
        assert_eq!(see([100, 200, 300], 3, 100), None);
        assert_eq!(see([1100, 3200, 5300], 3, 110), Some(30.0));
        assert_eq!(see([1100, 3200, 5300], 3, 110), None);
        // The counter has 32 bits at times, and busy for longer than it was is none.
        assert_eq!(see([1100, 3200, 90_000], 3, 120), Some(100.0 / 3.0));
        assert_eq!(see([1100, 3200, 90_000], 5, 130), None);
    }

    proptest! {
        #[test]
        fn any_statistics_are_read_or_refused(text in "\\PC*|[0-9 ]*") {
            let _ = ticks(&text);
        }
    }
}
