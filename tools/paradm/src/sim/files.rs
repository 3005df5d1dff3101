// SPDX-License-Identifier: GPL-2.0
//! What a simulated array's files hold, and what a write to them does.

use super::array::{Kind, SimArray, SimLog, SimMember, SimSlots};
use rustix::io::Errno;
use std::path::Path;
use std::time::Duration;

type Stored = std::result::Result<(), Errno>;

impl SimArray {
    /// The content of a file of the array's; `None`: there is none of that name.
    pub(super) fn file(&self, path: &Path, now: Duration) -> Option<String> {
        let rest = path.strip_prefix(self.dir()).ok()?.to_str()?;
        let line = match rest.split_once('/') {
            None if rest == "size" => (self.geometry.array_bytes() / 512).to_string(),
            Some(("md", file)) => match file.strip_prefix("par/") {
                None => self.md_file(file, now)?,
                Some(file) => match file.split_once('/') {
                    None if file == "load_by_hour" => return Some(self.load_by_hour()),
                    None if file == "load_history" => return Some(self.load_history()),
                    None if file == "scrub_last" => return Some(self.scrub_last()),
                    None => self.par_file(file, now)?,
                    Some((member, file)) => self.member_file(member, file, now)?,
                },
            },
            _ => return None,
        };
        Some(line + "\n")
    }

    fn md_file(&self, file: &str, now: Duration) -> Option<String> {
        Some(match file {
            "array_state" => self.array_state.clone(),
            "level" => "par".to_owned(),
            "layout" => self.layout_word().to_string(),
            "raid_disks" => self.members.len().to_string(),
            "chunk_size" => (512u32 << 10).to_string(),
            "degraded" => self.degraded().to_string(),
            "sync_action" => self.sync_action.clone(),
            "sync_completed" => self.sync_completed(now),
            "sync_speed" => self.sync_speed(),
            "mismatch_cnt" => self.mismatches.to_string(),
            _ => self.kept.get(file)?.clone(),
        })
    }

    fn par_file(&self, file: &str, now: Duration) -> Option<String> {
        let of_part = |file| self.log_file(file).or_else(|| self.slots_file(file));
        if let Some(word) = self.settings.show(file).or_else(|| of_part(file)) {
            return Some(word);
        }
        let state = match &self.work {
            None => "idle",
            Some(work) => match work.kind {
                Kind::Up => "up",
                Kind::Down => "down",
                Kind::Propagate => "propagate",
            },
        };
        let progress = self.work.as_ref().map_or("none".to_owned(), |work| {
            format!("{} / {}", work.done(now), work.total)
        });
        Some(match file {
            "gear" => self.gear.to_string(),
            "gears" => joined(&self.gears),
            "shift_target" => self.target.to_string(),
            "shift_state" => state.to_owned(),
            "shift_progress" => progress,
            "shift_last_ms" => self.last_ms.to_string(),
            "shift_last_hold_ms" => "12".to_owned(),
            "shift_limit" => "144".to_owned(),
            "shift_last_error" => self.last_error.to_string(),
            "shifts" => self.shifts.to_string(),
            "lost_copies" => self.lost_copies.to_string(),
            "sync_left_kib" => self.sync_left_kib(now),
            "shift_put_off" if self.last_error == -122 => "ration".to_owned(),
            "shift_put_off" => "none".to_owned(),
            "resync" => self
                .resync_zones
                .map_or("none".to_owned(), |zones| zones.to_string()),
            "scrub_left_out" if self.left_out.is_empty() => "none".to_owned(),
            "scrub_left_out" => joined(&self.left_out),
            "segment_kib" => "64".to_owned(),
            "segments_unwritten" => "900000".to_owned(),
            "segments_both" => "100000".to_owned(),
            "segments_home" => self.to_copy.to_string(),
            "segments_image" => "0".to_owned(),
            "rows_written" => "50000".to_owned(),
            "propagated_bytes" => "88866816".to_owned(),
            "metadata_writes" => "421".to_owned(),
            "spin_refused" => "0".to_owned(),
            "explain" => self.explain.clone().unwrap_or_else(|| {
                let top = self.members.len();
                format!(
                    "gear {} of {top}, 12.3% +/- 2.2% busy: it is shifted by hand",
                    self.gear
                )
            }),
            _ => return None,
        })
    }

    /// Of an array without a log all of them are 0.
    fn log_file(&self, file: &str) -> Option<String> {
        let log = self.log.as_ref();
        let of: fn(&SimLog) -> u64 = match file {
            _ if self.before_logs => return None,
            "log_state" => {
                let state = log.map_or("none", |log| log.state.as_str());
                return Some(state.to_owned());
            }
            "log_size" | "log_size_max" => |log| log.bytes,
            "log_used" => |log| log.used,
            "log_live" => |log| log.live,
            // What its index takes at most.
            "log_memory" => |log| log.bytes / 256,
            "logged" => |log| log.logged,
            "drained" => |log| log.drained,
            "log_replayed" => |log| log.replayed,
            "log_read_errors" => |log| log.read_errors,
            "log_lost" => |log| log.lost,
            _ => return None,
        };
        Some(log.map_or(0, of).to_string())
    }

    /// Of an array with images of everything all of them are 0, but for the share.
    fn slots_file(&self, file: &str) -> Option<String> {
        let slots = self.slots.as_ref();
        let of: fn(&SimSlots) -> u64 = match file {
            _ if self.before_logs => return None,
            "slots_by_gear" => {
                let gears = slots.map_or(&[][..], |slots| &slots.by_gear);
                let line = |(gear, hits, misses)| format!("{gear} {hits} {misses}");
                let lines: Vec<_> = gears.iter().copied().map(line).collect();
                return Some(lines.join("\n"));
            }
            "image_share" => return Some(slots.map_or(100, |slots| slots.share).to_string()),
            "slots" => |slots| slots.slots,
            "slots_free" => |slots| slots.free,
            "hot_runs" => |_| 8150,
            "slot_uses" => |_| 4711,
            "slot_hits" => |_| 4200,
            "slot_misses" => |slots| slots.by_gear.iter().map(|(_, _, misses)| misses).sum(),
            "fill_size" => |_| 64 << 30,
            "fill_time" => |_| 600,
            _ => return None,
        };
        Some(slots.map_or(0, of).to_string())
    }

    fn load_by_hour(&self) -> String {
        let lines = self.load_by_hour.iter();
        let line = |(hour, mean, peak, days, misses): &(u32, f64, f64, u32, f64)| {
            let loads = format!("{hour:02} {mean:.2} {peak:.2} {days}");
            match self.slots {
                Some(_) => format!("{loads} {misses:.2}\n"),
                None => loads + "\n",
            }
        };
        lines.map(line).collect()
    }

    fn load_history(&self) -> String {
        let lines = self.load_history.iter();
        lines
            .map(|(hour, mean, peak)| format!("{hour} {mean:.2} {peak:.2}\n"))
            .collect()
    }

    fn scrub_last(&self) -> String {
        let lines = self.scrub_last.iter();
        lines
            .map(|(set, began)| format!("{set} {began}\n"))
            .collect()
    }

    fn member_file(&self, dir: &str, file: &str, now: Duration) -> Option<String> {
        let number: usize = dir.strip_prefix("member")?.parse().ok()?;
        let member = self.members.get(number)?;
        let left_out = number >= usize::try_from(self.gear).ok()?;
        let starting = self.work.as_ref().is_some_and(|work| work.kind == Kind::Up)
            && member.stopped
            && number < usize::try_from(self.target).ok()?;
        Some(match file {
            "power_state" if member.disk.is_none() => "none".to_owned(),
            "power_state" if starting => "waking".to_owned(),
            "power_state" if member.stopped => "asleep".to_owned(),
            "power_state" => "active".to_owned(),
            "asleep" => u8::from(left_out).to_string(),
            _ => member_value(member, file, now)?,
        })
    }

    /// Write a file of the array's; `None`: there is none of that name.
    pub(super) fn store(
        &mut self,
        path: &Path,
        text: &str,
        now: Duration,
        seconds: u64,
    ) -> Option<Stored> {
        self.file(path, now)?;
        let rest = path.strip_prefix(self.dir()).ok()?.to_str()?.to_owned();
        let file = rest.strip_prefix("md/")?;
        Some(match file.strip_prefix("par/") {
            None => self.store_md(file, text, now, seconds),
            Some(_) if self.array_state == "readonly" => Err(Errno::ROFS),
            Some("gear") => self.store_gear(text, now),
            Some(file) => match file.split_once('/') {
                Some((member, file)) => self.store_member(member, file, text),
                None => self
                    .settings
                    .store(file, text, &self.geometry)
                    .unwrap_or(Err(Errno::ACCESS)),
            },
        })
    }

    fn store_gear(&mut self, text: &str, now: Duration) -> Stored {
        let gear: u32 = text.parse().map_err(|_| Errno::INVAL)?;
        if !self.gears.contains(&gear) {
            return Err(Errno::INVAL);
        }
        let top = self.gears.last() == Some(&gear);
        if !top && self.degraded() > 0 || gear < self.gear && self.sync_action != "idle" {
            return Err(Errno::BUSY);
        }
        if self.array_state == "read-auto" {
            "clean".clone_into(&mut self.array_state);
        }
        self.shift(gear, "gear paradm[4711]", now);
        Ok(())
    }

    fn store_member(&mut self, dir: &str, file: &str, text: &str) -> Stored {
        let carry = dir
            .strip_prefix("member")
            .and_then(|number| number.parse().ok());
        let member = carry.and_then(|number: usize| self.members.get_mut(number));
        let member = member.ok_or(Errno::NOENT)?;
        let number: u32 = text.parse().map_err(|_| Errno::INVAL)?;
        let (cycles, years) = match file {
            "rated_cycles" => (number, member.wanted_years),
            "wanted_years" => (member.rated_cycles, number),
            _ => return Err(Errno::ACCESS),
        };
        if !member.ration.rate(cycles, years) {
            return Err(Errno::INVAL);
        }
        (member.rated_cycles, member.wanted_years) = (cycles, years);
        Ok(())
    }

    fn store_md(&mut self, file: &str, text: &str, now: Duration, seconds: u64) -> Stored {
        if file == "sync_action" {
            return self.store_sync(text, now, seconds);
        }
        match self.kept.get_mut(file) {
            Some(kept) => {
                *kept = kept_text(file, text);
                Ok(())
            }
            None => Err(Errno::ACCESS),
        }
    }
}

fn member_value(member: &SimMember, file: &str, now: Duration) -> Option<String> {
    let [active, waking, asleep] = member.seconds_at(now);
    let idle = member.stopped || member.disk.is_none();
    let number = match file {
        "power_control" => {
            let word = match (&member.disk, member.runtime_pm) {
                (None, _) => "none",
                (_, true) => "runtime",
                (_, false) => "logical",
            };
            return Some(word.to_owned());
        }
        "last_wake_cause" => return Some(member.last_wake_cause.clone()),
        "busy_percent" | "queue" if idle => return Some("0.00".to_owned()),
        "read_wait_us" | "write_wait_us" if idle => 0,
        "busy_percent" => return Some(format!("{:.2}", member.busy_percent)),
        "queue" => return Some(format!("{:.2}", member.busy_percent / 50.0)),
        "read_wait_us" => 8123,
        "write_wait_us" => 12044,
        "seconds_active" => active,
        "seconds_waking" => waking,
        "seconds_asleep" => asleep,
        "spin_ups" => member.spin_ups,
        "spins_left" => member.ration.left(),
        "rated_cycles" => u64::from(member.rated_cycles),
        "wanted_years" => u64::from(member.wanted_years),
        "last_wake" => member.last_wake,
        "redirected" => 0,
        _ => return None,
    };
    Some(number.to_string())
}

fn joined(numbers: &[u32]) -> String {
    let words: Vec<_> = numbers.iter().map(u32::to_string).collect();
    words.join(" ")
}

/// As md shows it: of speeds, whose they are.
fn kept_text(file: &str, text: &str) -> String {
    match (file, text) {
        ("sync_speed_min", "system") => "1000 (system)".to_owned(),
        ("sync_speed_max", "system") => "200000 (system)".to_owned(),
        ("sync_speed_min" | "sync_speed_max", speed) => format!("{speed} (local)"),
        _ => text.to_owned(),
    }
}
