// SPDX-License-Identifier: GPL-2.0
//! What a daemon meets on a simulated system: signals, callers, a service manager, databases in memory.

use super::SimSystem;
use crate::system::{Caller, Events, Happening, Uevents};
use rusqlite::{Connection, OpenFlags};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a test sends.
enum Sent {
    Stop,
    Reload,
    Call(String),
}

#[derive(Default)]
pub struct Daemon {
    sent: VecDeque<Sent>,
    /// Answers to callers.
    pub answered: Vec<String>,
    /// What the service manager was told.
    pub notified: Vec<String>,
    pub watchdog: Option<Duration>,
    /// Where it listens.
    pub port: Option<SocketAddr>,
    /// Ports that others have.
    pub taken: Vec<SocketAddr>,
    /// Files that another process holds.
    pub locked: BTreeSet<PathBuf>,
    /// Databases live as long as one who has them open: this one.
    databases: BTreeMap<PathBuf, (String, Connection)>,
}

impl Daemon {
    /// SIGTERM
    pub fn stop(&mut self) {
        self.sent.push_back(Sent::Stop);
    }

    /// SIGHUP
    pub fn reload(&mut self) {
        self.sent.push_back(Sent::Reload);
    }

    /// Somebody sends this to the port; nobody is there without one.
    pub fn call(&mut self, head: &str) {
        if self.port.is_some() {
            self.sent.push_back(Sent::Call(head.to_owned()));
        }
    }

    pub(super) fn listen(&mut self, port: Option<SocketAddr>) -> io::Result<()> {
        if port.is_some_and(|port| self.taken.contains(&port)) {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        self.port = port;
        Ok(())
    }

    pub(super) fn database(&mut self, path: &Path) -> rusqlite::Result<Connection> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let flags = OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE;
        if let Some((name, _)) = self.databases.get(path) {
            return Connection::open_with_flags(name, flags);
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("file:paradm-{number}?mode=memory&cache=shared");
        let kept = Connection::open_with_flags(&name, flags)?;
        let given = Connection::open_with_flags(&name, flags)?;
        self.databases.insert(path.to_owned(), (name, kept));
        Ok(given)
    }
}

struct SimCall {
    system: SimSystem,
    head: String,
}

impl Caller for SimCall {
    fn head(&mut self) -> io::Result<String> {
        Ok(self.head.clone())
    }

    fn answer(&mut self, text: &str) -> io::Result<()> {
        self.system.world().daemon.answered.push(text.to_owned());
        Ok(())
    }
}

impl Events for SimSystem {
    fn next(&mut self, most: Duration) -> io::Result<Option<Happening>> {
        let end = self.world().elapsed() + most;
        loop {
            let sent = self.world().daemon.sent.pop_front();
            if let Some(sent) = sent {
                return Ok(Some(match sent {
                    Sent::Stop => Happening::Stop,
                    Sent::Reload => Happening::Reload,
                    Sent::Call(head) => Happening::Call(Box::new(SimCall {
                        system: self.clone(),
                        head,
                    })),
                }));
            }
            // What a test has planned may send something at any moment.
            let step = {
                let world = self.world();
                let next = world.next_moment().unwrap_or(end).min(end);
                next.saturating_sub(world.elapsed())
            };
            if let Some(event) = Uevents::next(self, step)? {
                return Ok(Some(Happening::Uevent(event)));
            }
            let world = self.world();
            if world.elapsed() >= end && world.daemon.sent.is_empty() {
                return Ok(None);
            }
        }
    }
}
