// SPDX-License-Identifier: GPL-2.0
//! A system that is not there: a tree of files, programs that answer, a clock that goes on only
//! when somebody sleeps or waits, and par arrays that react as the module does. For tests.
//!
//! ```
//! use paradm::sim::{SimArray, SimSystem};
//! use paradm::system::System;
//! use std::path::Path;
//!
//! let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
//! sim.write(Path::new("/sys/block/md0/md/par/gear"), "3").unwrap();
//! sim.sleep(std::time::Duration::from_secs(60));
//! assert_eq!(sim.read(Path::new("/sys/block/md0/md/par/gear")).unwrap(), "3\n");
//! ```

mod array;
mod check;
mod daemon;
mod files;
mod settings;
mod trace;
mod tree;

pub use array::{SimArray, SimLog, SimMember, SimSlots};
pub use tree::Tree;

use crate::system::{Events, Follow, Program, Ran, System, Uevent, Uevents};
use daemon::Daemon;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// When simulated systems start: a Tuesday.
pub const START: jiff::Timestamp = jiff::Timestamp::constant(1_795_507_200, 0);

fn start_seconds() -> u64 {
    u64::try_from(START.as_second()).unwrap_or(0)
}

type Answer = Box<dyn FnMut(&mut World, &Program) -> Ran + Send>;
type Action = Box<dyn FnOnce(&mut World) + Send>;

/// What a test may look at and change at any time, by [`SimSystem::world`].
pub struct World {
    start: jiff::Timestamp,
    elapsed: Duration,
    pub zone: jiff::tz::TimeZone,
    pub root: bool,
    /// What the user types, line by line. `None`: there is no terminal.
    pub typed: Option<VecDeque<String>>,
    /// What the user was asked.
    pub asked: Vec<String>,
    /// Plain files and links, of sysfs and others; without those that arrays answer for.
    pub tree: Tree,
    pub arrays: Vec<SimArray>,
    /// Programs that were run, in their order.
    pub ran: Vec<Program>,
    /// Paths that were written, and what.
    pub written: Vec<(PathBuf, String)>,
    /// Files that hold something else than they would.
    spoiled: BTreeMap<PathBuf, String>,
    /// What was read, and how often.
    pub read: BTreeMap<PathBuf, u64>,
    /// Reading one of these is a panic.
    trapped: BTreeSet<PathBuf>,
    /// When files were changed; others when the system was started.
    pub modified: BTreeMap<PathBuf, i64>,
    /// Files that take no write.
    refusing: BTreeSet<PathBuf>,
    answers: Vec<(String, Option<Answer>)>,
    /// Programs that do not end.
    pub hangs: BTreeSet<String>,
    planned: Vec<(Duration, Action)>,
    events: VecDeque<Uevent>,
    listening: bool,
    /// Of a daemon.
    pub daemon: Daemon,
    /// What tracefs' pipes have to hand out.
    pipes: BTreeMap<PathBuf, String>,
    /// Set it, and the command is asked to stop.
    pub stop: Arc<AtomicBool>,
}

/// Clones are the same system.
#[derive(Clone)]
pub struct SimSystem(Arc<Mutex<World>>);

impl Default for SimSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl SimSystem {
    /// Without arrays.
    pub fn new() -> Self {
        let mut tree = Tree::default();
        for dir in ["/sys/block", "/srv", "/tmp", "/var/lib/node_exporter"] {
            tree.dir(dir);
        }
        SimSystem(Arc::new(Mutex::new(World {
            start: START,
            elapsed: Duration::ZERO,
            zone: jiff::tz::TimeZone::UTC,
            root: true,
            typed: None,
            asked: Vec::new(),
            tree,
            arrays: Vec::new(),
            ran: Vec::new(),
            written: Vec::new(),
            spoiled: BTreeMap::new(),
            read: BTreeMap::new(),
            trapped: BTreeSet::new(),
            modified: BTreeMap::new(),
            refusing: BTreeSet::new(),
            answers: Vec::new(),
            hangs: BTreeSet::new(),
            planned: Vec::new(),
            events: VecDeque::new(),
            listening: false,
            daemon: Daemon::default(),
            pipes: BTreeMap::new(),
            stop: Arc::default(),
        })))
    }

    pub fn with(arrays: impl IntoIterator<Item = SimArray>) -> Self {
        let sim = Self::new();
        for array in arrays {
            sim.world().add(array);
        }
        sim
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program of that name is there, and does this.
    pub fn program(
        &self,
        name: &str,
        answer: impl FnMut(&mut World, &Program) -> Ran + Send + 'static,
    ) {
        let answer: Answer = Box::new(answer);
        self.world().answers.push((name.to_owned(), Some(answer)));
    }

    /// Do this when so much time has gone by from now on.
    pub fn after(&self, time: Duration, action: impl FnOnce(&mut World) + Send + 'static) {
        let mut world = self.world();
        let at = world.elapsed + time;
        world.planned.push((at, Box::new(action)));
    }
}

impl World {
    /// An array appears, with its disks.
    pub fn add(&mut self, array: SimArray) {
        array.plant(&mut self.tree);
        self.arrays.push(array);
    }

    /// An array is stopped.
    pub fn stop(&mut self, name: &str) {
        self.arrays.retain(|array| array.name != name);
        self.tree.remove(&Path::new("/sys/block").join(name));
    }

    /// An array of these devices was assembled, and has not been started; of md's files, `level` is empty then.
    pub fn add_inactive(&mut self, name: &str, devices: &[&str]) {
        let md = Path::new("/sys/block").join(name).join("md");
        self.tree.file(md.join("array_state"), "inactive\n");
        self.tree.file(md.join("metadata_version"), "1.2\n");
        self.tree.file(md.join("level"), "");
        self.tree.file(md.join("raid_disks"), "0\n");
        for device in devices {
            self.tree
                .file(md.join(format!("dev-{device}/state")), "spare\n");
        }
    }

    /// md has failed a member: its place is empty, and its device is still listed.
    pub fn fail(&mut self, name: &str, number: usize) {
        let md = Path::new("/sys/block").join(name).join("md");
        self.tree.remove(&md.join(format!("rd{number}")));
        let member = self.array(name).members.get_mut(number);
        if let Some(disk) = member.and_then(|member| member.disk.take()) {
            self.tree
                .file(md.join(format!("dev-{disk}/state")), "faulty\n");
        }
    }

    /// The array of that name; a test that names none is wrong.
    #[allow(clippy::panic)]
    pub fn array(&mut self, name: &str) -> &mut SimArray {
        match self.arrays.iter_mut().find(|array| array.name == name) {
            Some(array) => array,
            None => panic!("no simulated array {name}"),
        }
    }

    /// From now on the file holds that, whatever it is.
    pub fn spoil(&mut self, path: impl AsRef<Path>, text: &str) {
        self.spoiled
            .insert(path.as_ref().to_owned(), text.to_owned());
    }

    /// From now on writes to the file are refused with EINVAL.
    pub fn refuse(&mut self, path: impl AsRef<Path>) {
        self.refusing.insert(path.as_ref().to_owned());
    }

    /// From now on reading the file is a panic: for tests of what is put right then.
    pub fn trap(&mut self, path: impl AsRef<Path>) {
        self.trapped.insert(path.as_ref().to_owned());
    }

    /// From now on writes to the file are taken again.
    pub fn accept(&mut self, path: impl AsRef<Path>) {
        self.refusing.remove(path.as_ref());
    }

    /// A limit of the array's policy: `min_gear`, `max_gear`; 0 if there is none.
    pub fn limit(&self, array: &str, file: &str) -> u32 {
        let path = Path::new("/sys/block")
            .join(array)
            .join("md/par")
            .join(file);
        let text = self.look(&path).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    }

    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Seconds since 1970.
    pub fn seconds(&self) -> u64 {
        let start = u64::try_from(self.start.as_second()).unwrap_or(0);
        start + self.elapsed.as_secs()
    }

    /// What the kernel would send.
    pub fn announce(&mut self, event: Uevent) {
        if self.listening {
            self.events.push_back(event);
        }
    }

    /// When something happens next by itself.
    fn next_moment(&self) -> Option<Duration> {
        let arrays = self.arrays.iter().filter_map(SimArray::next_moment);
        let planned = self.planned.iter().map(|(at, _)| *at);
        arrays.chain(planned).min()
    }

    /// Go on to `time`, with all that happens until then.
    fn advance(&mut self, time: Duration) {
        while let Some(moment) = self.next_moment().filter(|moment| *moment <= time) {
            self.elapsed = self.elapsed.max(moment);
            self.happen();
        }
        self.elapsed = self.elapsed.max(time);
    }

    /// What is due now.
    fn happen(&mut self) {
        let now = self.elapsed;
        let (due, later) = std::mem::take(&mut self.planned)
            .into_iter()
            .partition(|(at, _)| *at <= now);
        self.planned = later;
        for (_, action) in due {
            action(self);
        }
        let seconds = self.seconds();
        let mut events = Vec::new();
        for array in &mut self.arrays {
            array.happen(now, seconds, &mut events);
        }
        for event in events {
            self.announce(event);
        }
    }

    fn look(&self, path: &Path) -> io::Result<String> {
        let path = self.tree.resolve(path);
        if let Some(text) = self.spoiled.get(&path) {
            return Ok(text.clone());
        }
        for array in &self.arrays {
            if let Some(text) = array.file(&path, self.elapsed) {
                return Ok(text);
            }
        }
        self.tree.read(&path)
    }

    /// As somebody writes it.
    pub fn write(&mut self, path: &Path, text: &str) -> io::Result<()> {
        let path = self.tree.resolve(path);
        let (now, seconds) = (self.elapsed, self.seconds());
        if !self.root {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.written.push((path.clone(), text.to_owned()));
        if self.refusing.contains(&path) {
            return Err(rustix::io::Errno::INVAL.into());
        }
        for array in &mut self.arrays {
            if let Some(result) = array.store(&path, text.trim_end(), now, seconds) {
                return result.map_err(|errno| io::Error::from_raw_os_error(errno.raw_os_error()));
            }
        }
        self.tree.write(&path, text)
    }

    fn exists(&self, path: &Path) -> bool {
        let path = self.tree.resolve(path);
        self.tree.exists(&path)
            || self
                .arrays
                .iter()
                .any(|array| array.file(&path, self.elapsed).is_some())
    }

    fn run(&mut self, program: &Program) -> io::Result<Ran> {
        let at = self
            .answers
            .iter()
            .rposition(|(name, _)| *name == program.name);
        if at.is_some() && self.hangs.contains(&program.name) {
            self.ran.push(program.clone());
            assert!(
                program.limit.is_some(),
                "{} is waited for, for ever",
                program.shown()
            );
            self.advance(self.elapsed + program.limit.unwrap_or_default());
            return Err(io::ErrorKind::TimedOut.into());
        }
        let taken = at.and_then(|at| self.answers.get_mut(at)?.1.take());
        let (Some(at), Some(mut answer)) = (at, taken) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        self.ran.push(program.clone());
        let ran = answer(self, program);
        if let Some((_, place)) = self.answers.get_mut(at) {
            *place = Some(answer);
        }
        Ok(ran)
    }
}

impl System for SimSystem {
    fn read(&self, path: &Path) -> io::Result<String> {
        let mut world = self.world();
        *world.read.entry(path.to_owned()).or_default() += 1;
        assert!(!world.trapped.contains(path), "{} was read", path.display());
        world.look(path)
    }

    fn read_bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read(path).map(String::into_bytes)
    }

    fn modified(&self, path: &Path) -> io::Result<i64> {
        let world = self.world();
        if !world.exists(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let known = world.modified.get(&world.tree.resolve(path));
        Ok(known.copied().unwrap_or(START.as_second()))
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        self.world().write(path, text)
    }

    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        let mut world = self.world();
        if !world.root {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        world.tree.file(path, text);
        Ok(())
    }

    /// Tests are one process.
    fn lock(&self, _path: &Path) -> io::Result<Box<dyn Any>> {
        if !self.world().root {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(Box::new(()))
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Any>>> {
        if self.world().daemon.locked.contains(path) {
            return Ok(None);
        }
        self.lock(path).map(Some)
    }

    fn make_dir(&self, path: &Path) -> io::Result<()> {
        self.world().make_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.world().remove_dir(path)
    }

    fn follow(&self, path: &Path) -> io::Result<Box<dyn Follow>> {
        trace::follow(self, path)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        if !world.root {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        world.tree.remove(path);
        Ok(())
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let world = self.world();
        world.tree.list(&world.tree.resolve(dir))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let world = self.world();
        if !world.exists(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(world.tree.resolve(path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.world().tree.read_link(path)
    }

    fn exists(&self, path: &Path) -> bool {
        self.world().exists(path)
    }

    /// No file of these has permissions.
    fn is_program(&self, path: &Path) -> bool {
        self.exists(path)
    }

    fn run(&self, program: &Program) -> io::Result<Ran> {
        self.world().run(program)
    }

    fn now(&self) -> jiff::Timestamp {
        let world = self.world();
        world.start + world.elapsed
    }

    fn monotonic(&self) -> Duration {
        self.world().elapsed
    }

    fn zone(&self) -> jiff::tz::TimeZone {
        self.world().zone.clone()
    }

    fn sleep(&self, time: Duration) {
        let mut world = self.world();
        let end = world.elapsed + time;
        world.advance(end);
    }

    fn wait(&self, files: &[&Path], most: Duration) -> io::Result<bool> {
        let mut world = self.world();
        let look = |world: &World| -> io::Result<Vec<String>> {
            files.iter().map(|path| world.look(path)).collect()
        };
        let before = look(&world)?;
        let end = world.elapsed + most;
        while let Some(moment) = world.next_moment().filter(|moment| *moment <= end) {
            world.advance(moment);
            if look(&world)? != before {
                return Ok(true);
            }
        }
        world.advance(end);
        Ok(false)
    }

    fn uevents(&self) -> io::Result<Box<dyn Uevents>> {
        self.world().listening = true;
        Ok(Box::new(self.clone()))
    }

    fn events(&self, listen: Option<SocketAddr>) -> io::Result<Box<dyn Events>> {
        let mut world = self.world();
        world.listening = true;
        world.daemon.listen(listen)?;
        Ok(Box::new(self.clone()))
    }

    fn notify(&self, state: &str) -> io::Result<()> {
        self.world().daemon.notified.push(state.to_owned());
        Ok(())
    }

    fn watchdog(&self) -> Option<Duration> {
        self.world().daemon.watchdog
    }

    fn database(&self, path: &Path, write: bool) -> rusqlite::Result<rusqlite::Connection> {
        let mut world = self.world();
        if write {
            world.tree.file(path, "");
        }
        world.daemon.database(path)
    }

    fn is_root(&self) -> bool {
        self.world().root
    }

    fn ask(&self, question: &str) -> io::Result<Option<String>> {
        let mut world = self.world();
        let Some(typed) = &mut world.typed else {
            return Ok(None);
        };
        let line = typed.pop_front();
        world.asked.push(question.to_owned());
        Ok(line)
    }

    fn pid(&self) -> u32 {
        trace::PID
    }

    fn stop_asked(&self) -> io::Result<Arc<AtomicBool>> {
        Ok(Arc::clone(&self.world().stop))
    }
}

impl Uevents for SimSystem {
    fn next(&mut self, most: Duration) -> io::Result<Option<Uevent>> {
        let mut world = self.world();
        let end = world.elapsed + most;
        loop {
            if let Some(event) = world.events.pop_front() {
                return Ok(Some(event));
            }
            match world.next_moment().filter(|moment| *moment <= end) {
                Some(moment) => world.advance(moment),
                None => break,
            }
        }
        world.advance(end);
        Ok(None)
    }
}
