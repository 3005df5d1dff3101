// SPDX-License-Identifier: GPL-2.0
//! Who a process is: its program, its unit, and which files of an array's it has open. From /proc,
//! by the names of links only: the files themselves are not looked at.

use crate::error::Result;
use crate::mount::{self, Mount, nearest};
use crate::system::System;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// More files than that are not told of one process.
pub const FILES: usize = 8;
/// Nor looked through: a server may have a million.
const OPEN: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Process {
    pub pid: u32,
    /// Its name: of at most 15 characters.
    pub comm: String,
    /// What it runs; unknown if it has ended, and of threads of the kernel.
    #[serde(default)]
    pub exe: Option<PathBuf>,
    /// Its systemd unit: `smartmontools.service`.
    #[serde(default)]
    pub unit: Option<String>,
    /// Files that it has open on the array, and devices of it.
    #[serde(default)]
    pub files: Vec<PathBuf>,
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.comm, self.pid)?;
        let exe = self.exe.as_ref().map(|exe| exe.display().to_string());
        let about: Vec<_> = self.unit.iter().cloned().chain(exe).collect();
        if !about.is_empty() {
            write!(f, " ({})", about.join(", "))?;
        }
        if !self.files.is_empty() {
            let files: Vec<_> = self
                .files
                .iter()
                .map(|file| file.display().to_string())
                .collect();
            write!(f, ": {}", files.join(" "))?;
        }
        Ok(())
    }
}

impl Process {
    /// What stays the same when it is started again: its unit, or its name.
    pub fn kind(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} ({unit})", self.comm),
            None => self.comm.clone(),
        }
    }

    pub fn add_file(&mut self, file: PathBuf) {
        if self.files.len() < FILES && !self.files.contains(&file) {
            self.files.push(file);
        }
    }
}

/// The process that a cause names: `process dd[913]`, `gear bash[812]`.
pub fn process_of_cause(cause: &str) -> Option<(&str, u32)> {
    let named = cause
        .strip_prefix("process ")
        .or_else(|| cause.strip_prefix("gear "))?;
    let (comm, rest) = named.rsplit_once('[')?;
    Some((comm, rest.strip_suffix(']')?.parse().ok()?))
}

/// Where an array's files are.
#[derive(Debug, Default)]
pub struct Places {
    all: Vec<Mount>,
    on: Vec<Mount>,
    /// /dev/md0, and those of its sleepers.
    devices: Vec<PathBuf>,
}

impl Places {
    /// `numbers`: MAJOR:MINOR of the arrays and of what lies on them; `devices`: names.
    pub fn read(system: &dyn System, numbers: &[String], devices: &[String]) -> Result<Self> {
        let all = mount::all(system)?;
        let on = all.iter().filter(|mount| mount.is_on(system, numbers));
        Ok(Places {
            on: on.cloned().collect(),
            devices: devices
                .iter()
                .map(|name| Path::new("/dev").join(name))
                .collect(),
            all,
        })
    }

    fn holds(&self, path: &Path) -> bool {
        self.devices.iter().any(|device| device == path)
            || nearest(&self.all, path).is_some_and(|found| self.on.contains(found))
    }

    /// Those that a process has open; `None`: its files are not shown to us.
    pub fn open_files(&self, system: &dyn System, pid: u32) -> Option<Vec<PathBuf>> {
        let dir = proc_dir(pid).join("fd");
        let mut files = Vec::new();
        for fd in system.list(&dir).ok()?.iter().take(OPEN) {
            let Ok(path) = system.read_link(&dir.join(fd)) else {
                continue;
            };
            if self.holds(&path) && !files.contains(&path) {
                files.push(path);
            }
        }
        files.sort();
        Some(files)
    }

    /// The file of that inode, if the process has it open.
    pub fn file_of_inode(&self, system: &dyn System, pid: u32, inode: u64) -> Option<PathBuf> {
        let dir = proc_dir(pid);
        let wanted = inode.to_string();
        let fds = system.list(&dir.join("fdinfo")).ok()?;
        fds.iter().take(OPEN).find_map(|fd| {
            let text = system.read(&dir.join("fdinfo").join(fd)).ok()?;
            let found = text.lines().find_map(|line| line.strip_prefix("ino:"))?;
            let path = (found.trim() == wanted)
                .then(|| system.read_link(&dir.join("fd").join(fd)).ok())
                .flatten()?;
            self.holds(&path).then_some(path)
        })
    }

    /// The process of a thread that was named `comm` a moment ago. If it has ended since, or its
    /// number is another's now, no more than that is known.
    pub fn process(&self, system: &dyn System, thread: u32, comm: &str) -> Process {
        self.living(system, thread, comm)
            .unwrap_or_else(|| Process {
                pid: thread,
                comm: if comm.is_empty() { "?" } else { comm }.to_owned(),
                ..Process::default()
            })
    }

    fn living(&self, system: &dyn System, thread: u32, comm: &str) -> Option<Process> {
        // Of a kworker, /proc adds to the name what it works for.
        if !name(system, thread)?.starts_with(comm) {
            return None;
        }
        let pid = group(system, thread).unwrap_or(thread);
        let mut process = identity(system, pid)?;
        let mut files = self.open_files(system, pid).unwrap_or_default();
        files.truncate(FILES);
        process.files = files;
        Some(process)
    }
}

fn proc_dir(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

fn name(system: &dyn System, pid: u32) -> Option<String> {
    let text = system.read(&proc_dir(pid).join("comm")).ok()?;
    Some(text.trim_end_matches('\n').to_owned())
}

/// Without its files.
pub fn identity(system: &dyn System, pid: u32) -> Option<Process> {
    let dir = proc_dir(pid);
    let cgroup = system.read(&dir.join("cgroup")).unwrap_or_default();
    Some(Process {
        pid,
        comm: name(system, pid)?,
        exe: system.read_link(&dir.join("exe")).ok(),
        unit: unit(&cgroup),
        files: Vec::new(),
    })
}

/// The process that a thread belongs to.
fn group(system: &dyn System, thread: u32) -> Option<u32> {
    let text = system.read(&proc_dir(thread).join("status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Tgid:"))?;
    line.trim().parse().ok()
}

/// The innermost service or scope of /proc/PID/cgroup, of either version of cgroups.
fn unit(cgroup: &str) -> Option<String> {
    let path = cgroup.lines().find_map(|line| {
        let (number, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let systemd = controllers == "name=systemd" || number == "0" && controllers.is_empty();
        systemd.then_some(path)
    })?;
    let is_unit = |part: &&str| part.ends_with(".service") || part.ends_with(".scope");
    path.rsplit('/').find(is_unit).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimSystem;
    use proptest::prelude::*;

    #[test]
    fn units_are_the_innermost() {
        for (text, wanted) in [
            (
                "0::/system.slice/smartmontools.service\n",
                Some("smartmontools.service"),
            ),
            (
                "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.scope\n",
                Some("app-x.scope"),
            ),
            (
                "12:pids:/x.service\n1:name=systemd:/system.slice/cron.service/sub\n",
                Some("cron.service"),
            ),
            ("0::/init.scope\n", Some("init.scope")),
            ("0::/\n", None),
            ("", None),
            ("0:\n::\n", None),
        ] {
            assert_eq!(unit(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn causes_name_processes_or_none() {
        for (cause, wanted) in [
            ("process dd[913]", Some(("dd", 913))),
            ("gear a [b][7]", Some(("a [b]", 7))),
            ("process kworker/u8:1[55]", Some(("kworker/u8:1", 55))),
            ("policy", None),
            ("process dd", None),
            ("process dd[x]", None),
            ("none", None),
        ] {
            assert_eq!(process_of_cause(cause), wanted, "{cause}");
        }
    }

    #[test]
    fn a_number_that_is_another_s_now_tells_nothing() {
        let sim = SimSystem::new();
        sim.world().tree.file("/proc/913/comm", "sshd\n");
        sim.world().tree.link("/proc/913/exe", "/usr/sbin/sshd");
        let places = Places::default();
        let process = places.process(&sim, 913, "dd");
        assert_eq!(process.to_string(), "dd[913]");
        let process = places.process(&sim, 913, "sshd");
        assert_eq!(process.to_string(), "sshd[913] (/usr/sbin/sshd)");
        assert_eq!(places.process(&sim, 7, "").to_string(), "?[7]");
    }

    proptest! {
        #[test]
        fn any_file_of_proc_is_read(cgroup in "[ -~\n]{0,80}|0::(/[a-z.]{0,9}){0,4}", status in "[ -~\n]{0,40}", cause in "(process |gear )?.*") {
            let sim = SimSystem::new();
            sim.world().tree.file("/proc/9/comm", "dd\n");
            sim.world().tree.file("/proc/9/cgroup", &cgroup);
            sim.world().tree.file("/proc/9/status", &status);
            let _ = Places::default().process(&sim, 9, "dd");
            let _ = process_of_cause(&cause);
        }
    }
}
