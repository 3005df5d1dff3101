// SPDX-License-Identifier: GPL-2.0
//! A simulated array: its gears, its members' power, and how a shift goes on in time.

use super::check::Check;
use super::settings::Settings;
use super::tree::Tree;
use crate::policy_ffi::{Geometry, Ration};
use crate::system::Uevent;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Members' disks are as large as that.
const DISK_BYTES: u64 = 4_000_000_000_000;
const CHUNK_BYTES: u64 = 512 << 10;
/// How often `shift_state` announces progress.
const TICK: Duration = Duration::from_millis(500);

/// Files of md's that only keep what is written, and what they hold at first.
const KEPT: [(&str, &str); 4] = [
    ("sync_min", "0"),
    ("sync_max", "max"),
    ("sync_speed_min", "1000 (system)"),
    ("sync_speed_max", "200000 (system)"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Up,
    Down,
    Propagate,
}

#[derive(Debug, Clone)]
pub(super) struct Work {
    pub kind: Kind,
    began: Duration,
    ends: Duration,
    pub total: u64,
}

impl Work {
    pub fn done(&self, now: Duration) -> u64 {
        let all = (self.ends - self.began).as_millis().max(1);
        let gone = now.saturating_sub(self.began).as_millis().min(all);
        u64::try_from(u128::from(self.total) * gone / all).unwrap_or(self.total)
    }
}

pub struct SimMember {
    /// `None`: no disk is in that place.
    pub disk: Option<String>,
    pub model: String,
    pub rotational: bool,
    pub in_sync: bool,
    pub runtime_pm: bool,
    /// Stopped, whatever the gear says.
    pub stopped: bool,
    pub busy_percent: f64,
    pub spin_ups: u64,
    pub ration: Ration,
    pub rated_cycles: u32,
    pub wanted_years: u32,
    pub last_wake: u64,
    pub last_wake_cause: String,
    pub(super) since: Duration,
    pub(super) seconds: [Duration; 3],
}

/// A write log, as its files tell it.
pub struct SimLog {
    pub bytes: u64,
    pub state: String,
    pub used: u64,
    pub live: u64,
    pub logged: u64,
    pub drained: u64,
    pub replayed: u64,
    pub read_errors: u64,
    pub lost: u64,
}

/// Images of a share, as the files tell it.
pub struct SimSlots {
    pub share: u64,
    pub slots: u64,
    pub free: u64,
    /// Of each gear in which members sleep: the gear, hits and misses.
    pub by_gear: Vec<(u32, u64, u64)>,
}

pub struct SimArray {
    pub name: String,
    /// 5, 6 or 0.
    pub level: u32,
    pub gears: Vec<u32>,
    pub gear: u32,
    pub array_state: String,
    /// `None`: what the gear says.
    pub explain: Option<String>,
    pub members: Vec<SimMember>,
    /// How long the next shift down, and up, take.
    pub down_takes: Duration,
    pub up_takes: Duration,
    /// What the next shift ends with: 0 or a negative errno.
    pub next_error: i32,
    /// Segments that a shift down has to copy.
    pub to_copy: u64,
    pub sync_action: String,
    /// How long a check takes from the beginning to the end.
    pub check_takes: Duration,
    /// Hour, mean and peak, days, misses: these only with slots.
    pub load_by_hour: Vec<(u32, f64, f64, u32, f64)>,
    /// Hours since 1970, mean and peak, percent.
    pub load_history: Vec<(i64, f64, f64)>,
    pub scrub_last: Vec<(u32, u64)>,
    pub left_out: Vec<u32>,
    pub mismatches: u64,
    pub lost_copies: u64,
    /// Zones whose parity a crash has left to be made right.
    pub resync_zones: Option<u64>,
    pub log: Option<SimLog>,
    /// `None`: images of everything.
    pub slots: Option<SimSlots>,
    /// The module is older than write logs and slots: it has no files of them.
    pub before_logs: bool,
    pub(super) settings: Settings,
    pub(super) geometry: Geometry,
    pub(super) target: u32,
    pub(super) work: Option<Work>,
    pub(super) check: Option<Check>,
    pub(super) cause: String,
    pub(super) last_ms: u64,
    pub(super) last_error: i32,
    pub(super) shifts: u64,
    /// md's `sync_min`, `sync_max` and so on: they keep what is written.
    pub(super) kept: BTreeMap<String, String>,
    ticked: Duration,
    events: Vec<Uevent>,
}

impl SimArray {
    /// RAID-5 in all gears, of disks of 4 TB, in the top gear; disks are sda, sdb, …
    pub fn new(name: &str, gears: &[u32]) -> Self {
        Self::of_level(name, 5, gears, 'a')
    }

    /// With disks whose letters begin at `first`. Panics if there is no such layout: a test is wrong.
    #[allow(clippy::expect_used)]
    pub fn of_level(name: &str, level: u32, gears: &[u32], first: char) -> Self {
        let top = gears.last().copied().unwrap_or(0);
        let word = Geometry::layout_word(level, gears).expect("a layout");
        let geometry =
            Geometry::new(word, top, CHUNK_BYTES, DISK_BYTES).expect("a layout that can be");
        let letters = (first..='z').map(|letter| format!("sd{letter}"));
        let more = ('a'..='z').map(|letter| format!("sda{letter}"));
        let top_members = usize::try_from(top).unwrap_or(0);
        let disks: Vec<_> = letters.chain(more).take(top_members).collect();
        SimArray {
            name: name.to_owned(),
            level,
            gears: gears.to_vec(),
            gear: top,
            array_state: "clean".to_owned(),
            explain: None,
            members: disks.into_iter().map(SimMember::new).collect(),
            down_takes: Duration::from_secs(20),
            up_takes: Duration::from_secs(10),
            next_error: 0,
            to_copy: 1356,
            sync_action: "idle".to_owned(),
            check_takes: Duration::from_secs(6 * 3600),
            load_by_hour: Vec::new(),
            load_history: Vec::new(),
            scrub_last: gears
                .iter()
                .map(|set| (*set, super::start_seconds() - 86_400))
                .collect(),
            left_out: Vec::new(),
            mismatches: 0,
            lost_copies: 0,
            resync_zones: None,
            log: None,
            slots: None,
            before_logs: false,
            settings: Settings::new(&geometry),
            geometry,
            target: top,
            work: None,
            check: None,
            cause: String::new(),
            last_ms: 0,
            last_error: 0,
            shifts: 0,
            kept: KEPT
                .iter()
                .map(|(file, text)| ((*file).to_owned(), (*text).to_owned()))
                .collect(),
            ticked: Duration::ZERO,
            events: Vec::new(),
        }
    }

    /// In that gear from the start.
    pub fn in_gear(mut self, gear: u32) -> Self {
        self.enter(gear, Duration::ZERO);
        self.shifts = 0;
        self.events.clear();
        self
    }

    pub(super) fn dir(&self) -> PathBuf {
        Path::new("/sys/block").join(&self.name)
    }

    pub(super) fn layout_word(&self) -> u32 {
        Geometry::layout_word(self.level, &self.gears).unwrap_or(0)
    }

    /// Directories, links and disks.
    pub(super) fn plant(&self, tree: &mut Tree) {
        let dir = self.dir();
        tree.dir(dir.join("md/par"));
        tree.file(Path::new("/dev").join(&self.name), "");
        for (number, member) in self.members.iter().enumerate() {
            tree.dir(dir.join(format!("md/par/member{number}")));
            let Some(disk) = &member.disk else { continue };
            let device = Path::new("/sys/devices/pci0000:00/block").join(disk);
            tree.file(device.join("device/model"), &format!("{}\n", member.model));
            let rotational = if member.rotational { "1\n" } else { "0\n" };
            tree.file(device.join("queue/rotational"), rotational);
            tree.file(device.join("queue/iostats"), "1\n");
            tree.file(
                Path::new("/sys/class/block").join(disk).join("stat"),
                "0 0 0 0 0 0 0 0 0 0 0\n",
            );
            tree.link(Path::new("/sys/block").join(disk), &device);
            tree.file(Path::new("/dev").join(disk), "");
            let rdev = dir.join(format!("md/dev-{disk}"));
            tree.link(dir.join(format!("md/rd{number}")), &rdev);
            tree.link(rdev.join("block"), &device);
            let state = if member.in_sync {
                "in_sync\n"
            } else {
                "spare\n"
            };
            tree.file(rdev.join("state"), state);
        }
    }

    pub fn degraded(&self) -> usize {
        self.members
            .iter()
            .filter(|member| member.disk.is_none() || !member.in_sync)
            .count()
    }

    /// A shift is asked for by `cause`.
    pub fn shift(&mut self, gear: u32, cause: &str, now: Duration) {
        if self
            .work
            .as_ref()
            .is_some_and(|work| work.kind != Kind::Propagate)
        {
            self.last_error = -4;
            self.work = None;
        }
        self.target = gear;
        self.cause = cause.to_owned();
        if gear == self.gear {
            return;
        }
        let (kind, takes, total) = if gear < self.gear {
            (Kind::Down, self.down_takes, self.to_copy)
        } else {
            (Kind::Up, self.up_takes, 0)
        };
        if kind == Kind::Up {
            self.wake(gear, now);
        }
        self.work = Some(Work {
            kind,
            began: now,
            ends: now + takes,
            total,
        });
    }

    /// Somebody else's request starts a sleeper's disk.
    pub fn disturb(&mut self, number: usize, cause: &str, seconds: u64, now: Duration) {
        let Some(member) = self.members.get_mut(number) else {
            return;
        };
        member.account(now);
        member.stopped = false;
        member.spin_ups += 1;
        member.ration.spend();
        member.last_wake = seconds;
        cause.clone_into(&mut member.last_wake_cause);
        self.tell_wake(number, cause);
    }

    fn wake(&mut self, gear: u32, now: Duration) {
        let awake = usize::try_from(gear).unwrap_or(0);
        for member in self.members.iter_mut().take(awake) {
            if member.stopped {
                member.account(now);
            }
        }
    }

    pub(super) fn next_moment(&self) -> Option<Duration> {
        if !self.events.is_empty() {
            return Some(Duration::ZERO);
        }
        let work = self.work.as_ref();
        let work = work.map(|work| work.ends.min(work.began.max(self.ticked) + TICK));
        let check = self.check.as_ref().map(Check::ends);
        work.into_iter().chain(check).min()
    }

    /// What is due at `now`.
    pub(super) fn happen(&mut self, now: Duration, seconds: u64, events: &mut Vec<Uevent>) {
        self.ticked = now;
        for member in &mut self.members {
            member.account(now);
            member.ration.tick(seconds);
        }
        if let Some(work) = self.work.take_if(|work| work.ends <= now) {
            self.finish(&work, now, seconds);
        }
        if self.check.take_if(|check| check.ends() <= now).is_some() {
            "idle".clone_into(&mut self.sync_action);
            self.kept.insert("sync_min".to_owned(), "0".to_owned());
        }
        events.append(&mut self.events);
    }

    fn finish(&mut self, work: &Work, now: Duration, seconds: u64) {
        if work.kind == Kind::Propagate {
            return;
        }
        self.last_error = std::mem::take(&mut self.next_error);
        if self.last_error != 0 {
            // One that is put off is still wanted.
            if self.last_error != -122 {
                self.target = self.gear;
            }
            return;
        }
        self.last_ms = u64::try_from((work.ends - work.began).as_millis()).unwrap_or(u64::MAX);
        let old = usize::try_from(self.gear).unwrap_or(0);
        self.enter(self.target, now);
        if work.kind == Kind::Up {
            let woken = usize::try_from(self.gear).unwrap_or(0);
            let cause = self.cause.clone();
            for number in old..woken {
                self.woken(number, &cause, seconds);
            }
            let takes = Duration::from_secs(5);
            self.work = Some(Work {
                kind: Kind::Propagate,
                began: now,
                ends: now + takes,
                total: 100,
            });
        }
    }

    fn woken(&mut self, number: usize, cause: &str, seconds: u64) {
        if let Some(member) = self.members.get_mut(number) {
            member.spin_ups += 1;
            member.ration.spend();
            member.last_wake = seconds;
            cause.clone_into(&mut member.last_wake_cause);
        }
        self.tell_wake(number, cause);
    }

    /// The gear has changed.
    fn enter(&mut self, gear: u32, now: Duration) {
        self.gear = gear;
        self.target = gear;
        self.shifts += 1;
        let awake = usize::try_from(gear).unwrap_or(0);
        self.tell(&[
            ("PAR_EVENT", "shift".to_owned()),
            ("PAR_GEAR", gear.to_string()),
            ("PAR_MEMBERS", self.members.len().to_string()),
        ]);
        for number in 0..self.members.len() {
            let Some(member) = self.members.get_mut(number) else {
                continue;
            };
            member.account(now);
            let stops = number >= awake && self.settings.spin && member.disk.is_some();
            if stops && !member.stopped {
                member.stopped = true;
                let power = if member.runtime_pm {
                    "runtime"
                } else {
                    "logical"
                };
                let disk = member.disk.clone().unwrap_or_default();
                self.tell(&[
                    ("PAR_EVENT", "sleep".to_owned()),
                    ("PAR_MEMBER", number.to_string()),
                    ("PAR_DEVICE", disk),
                    ("PAR_POWER", power.to_owned()),
                ]);
            } else if !stops {
                member.stopped = false;
            }
        }
    }

    fn tell_wake(&mut self, number: usize, cause: &str) {
        let disk = self
            .members
            .get(number)
            .and_then(|member| member.disk.clone());
        self.tell(&[
            ("PAR_EVENT", "wake".to_owned()),
            ("PAR_MEMBER", number.to_string()),
            ("PAR_DEVICE", disk.unwrap_or_default()),
            ("PAR_CAUSE", cause.to_owned()),
        ]);
    }

    /// A uevent with these values; sent when time goes on.
    pub fn tell(&mut self, values: &[(&str, String)]) {
        let mut event = Uevent {
            action: "change".to_owned(),
            path: format!("/devices/virtual/block/{}", self.name),
            ..Uevent::default()
        };
        event.values = values
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect();
        event.values.insert("DEVNAME".to_owned(), self.name.clone());
        self.events.push(event);
    }
}

impl SimLog {
    /// 8 GiB on each of three members, two copies, a quarter of it in use.
    pub fn quarter() -> Self {
        SimLog {
            bytes: 12 << 30,
            state: "records".to_owned(),
            used: 3 << 30,
            live: 1 << 30,
            logged: 5 << 30,
            drained: 4 << 30,
            replayed: 17,
            read_errors: 0,
            lost: 0,
        }
    }
}

impl SimSlots {
    pub fn tenth() -> Self {
        SimSlots {
            share: 10,
            slots: 1_387_157,
            free: 21_674,
            by_gear: vec![(3, 4000, 3)],
        }
    }
}

impl SimMember {
    fn new(disk: String) -> Self {
        SimMember {
            disk: Some(disk),
            model: "ST4000VN006".to_owned(),
            rotational: true,
            in_sync: true,
            runtime_pm: true,
            stopped: false,
            busy_percent: 12.34,
            spin_ups: 3,
            ration: Ration::new(7, super::start_seconds()),
            rated_cycles: 50_000,
            wanted_years: 5,
            last_wake: 0,
            last_wake_cause: "none".to_owned(),
            since: Duration::ZERO,
            seconds: [Duration::ZERO; 3],
        }
    }

    /// Time has passed in the state that it is in.
    fn account(&mut self, now: Duration) {
        let [active, _, asleep] = &mut self.seconds;
        let place = if self.stopped { asleep } else { active };
        *place += now.saturating_sub(self.since);
        self.since = now;
    }

    /// Seconds active, waking and asleep until now.
    pub(super) fn seconds_at(&self, now: Duration) -> [u64; 3] {
        let [active, waking, asleep] = self.seconds;
        let more = now.saturating_sub(self.since);
        if self.stopped {
            [active, waking, asleep + more].map(|time| time.as_secs())
        } else {
            [active + more, waking, asleep].map(|time| time.as_secs())
        }
    }
}
