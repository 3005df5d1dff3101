// SPDX-License-Identifier: GPL-2.0
//! A check or repair under way, which goes on in time and can be broken off.

use super::array::SimArray;
use rustix::io::Errno;
use std::time::Duration;

type Stored = std::result::Result<(), Errno>;

/// Sectors of each member.
pub(super) const SECTORS: u64 = 7_800_000_000;

#[derive(Debug)]
pub(super) struct Check {
    began: Duration,
    /// Sectors
    from: u64,
    /// Of all sectors.
    takes: Duration,
}

impl Check {
    pub fn done(&self, now: Duration) -> u64 {
        let gone = now.saturating_sub(self.began).as_millis();
        let more = u128::from(SECTORS) * gone / self.takes.as_millis().max(1);
        let more = u64::try_from(more).unwrap_or(SECTORS);
        self.from.saturating_add(more).min(SECTORS)
    }

    pub fn ends(&self) -> Duration {
        let left = u128::from(SECTORS - self.from) * self.takes.as_millis() / u128::from(SECTORS);
        self.began + Duration::from_millis(u64::try_from(left).unwrap_or(u64::MAX))
    }

    /// KiB/s of each member
    pub fn speed(&self) -> u64 {
        SECTORS / 2 / self.takes.as_secs().max(1)
    }
}

impl SimArray {
    pub(super) fn sync_completed(&self, now: Duration) -> String {
        match &self.check {
            Some(check) => format!("{} / {SECTORS}", check.done(now)),
            None => "none".to_owned(),
        }
    }

    /// A quarter of each member is written, from the beginning on.
    pub(super) fn sync_left_kib(&self, now: Duration) -> String {
        match &self.check {
            Some(check) => ((SECTORS / 4).saturating_sub(check.done(now)) / 2).to_string(),
            None => "none".to_owned(),
        }
    }

    pub(super) fn sync_speed(&self) -> String {
        match &self.check {
            Some(check) => check.speed().to_string(),
            None => "none".to_owned(),
        }
    }

    /// The disk in that place is being rebuilt.
    pub fn rebuild(&mut self, number: usize, now: Duration) {
        if let Some(member) = self.members.get_mut(number) {
            member.in_sync = false;
        }
        "recover".clone_into(&mut self.sync_action);
        self.check = Some(Check {
            began: now,
            from: 0,
            takes: self.check_takes,
        });
    }

    pub(super) fn store_sync(&mut self, text: &str, now: Duration, seconds: u64) -> Stored {
        match text {
            "idle" => {
                if let Some(check) = self.check.take() {
                    let done = check.done(now).to_string();
                    self.kept.insert("sync_min".to_owned(), done);
                }
            }
            "check" | "repair" if self.array_state == "readonly" => return Err(Errno::ROFS),
            "check" | "repair" if self.sync_action != "idle" => return Err(Errno::BUSY),
            "check" | "repair" => self.begin_check(now, seconds),
            _ => return Err(Errno::INVAL),
        }
        text.clone_into(&mut self.sync_action);
        Ok(())
    }

    /// It leaves out sets with members asleep, unless `scrub_wakes` is 1 or one is over age.
    fn begin_check(&mut self, now: Duration, seconds: u64) {
        let age = u64::from(self.settings.scrub_age) * 86_400;
        let old = |began: u64| age > 0 && began + age <= seconds;
        if self.settings.scrub_wakes == 1 || self.scrub_last.iter().any(|(_, began)| old(*began)) {
            self.gear = self.gears.last().copied().unwrap_or(self.gear);
            self.target = self.gear;
        }
        let gear = self.gear;
        let sleeping = self.gears.iter().copied().filter(|set| *set > gear);
        self.left_out = sleeping.collect();
        for (set, began) in &mut self.scrub_last {
            if *set <= gear {
                *began = seconds;
            }
        }
        let from = self.kept.get("sync_min");
        self.check = Some(Check {
            began: now,
            from: from
                .and_then(|text| text.parse().ok())
                .unwrap_or(0)
                .min(SECTORS),
            takes: self.check_takes,
        });
    }
}
