// SPDX-License-Identifier: GPL-2.0
//! The system that paradm runs on, or a copy of its files below a directory.

use super::{Events, Follow, Program, Ran, System, Uevents, daemon, uevent};
use rusqlite::{Connection, OpenFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, FlockOperation, MemfdFlags, Mode, OFlags, access, flock};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::any::Any;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So long a database is waited for that another process writes.
const BUSY: Duration = Duration::from_secs(5);

pub struct RealSystem {
    /// Files are looked for below it. With any but `/` nothing is run and nothing written.
    root: PathBuf,
    start: Instant,
    /// What could not be killed: a process that waits for a device ends when the device answers.
    stuck: Mutex<Vec<(Program, Child)>>,
}

impl RealSystem {
    pub fn new() -> Self {
        Self::below(Path::new("/"))
    }

    /// A copy of a system's files, such as a support archive.
    pub fn below(root: &Path) -> Self {
        RealSystem {
            root: root.to_owned(),
            start: Instant::now(),
            stuck: Mutex::default(),
        }
    }

    fn is_copy(&self) -> bool {
        self.root != Path::new("/")
    }

    /// A relative path is below the working directory, or below the copy.
    fn real(&self, path: &Path) -> PathBuf {
        if !self.is_copy() {
            return path.to_owned();
        }
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    fn stuck(&self) -> MutexGuard<'_, Vec<(Program, Child)>> {
        self.stuck.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has ended since is forgotten.
    fn must_not_be_stuck(&self, program: &Program) -> io::Result<()> {
        let mut stuck = self.stuck();
        stuck.retain_mut(|(_, child)| matches!(child.try_wait(), Ok(None)));
        match stuck.iter().any(|(other, _)| other == program) {
            true => Err(io::ErrorKind::ResourceBusy.into()),
            false => Ok(()),
        }
    }

    fn must_be_live(&self) -> io::Result<()> {
        if self.is_copy() {
            return Err(io::Error::new(
                io::ErrorKind::ReadOnlyFilesystem,
                "with --root, nothing is written or run",
            ));
        }
        Ok(())
    }
}

impl Default for RealSystem {
    fn default() -> Self {
        Self::new()
    }
}

/// A file without an end, such as /dev/zero, is not read for ever.
const MOST: usize = 2 << 30;

impl System for RealSystem {
    fn read(&self, path: &Path) -> io::Result<String> {
        // A status reads thousands of files, so each costs as few calls as can be. sysfs hands out
        // a file whole, up to a page: what is shorter has ended.
        let whole = path.starts_with("/sys");
        let file = rustix::fs::open(
            self.real(path),
            OFlags::RDONLY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        let mut page = [0; 4096];
        let mut bytes = Vec::new();
        loop {
            let length = rustix::io::retry_on_intr(|| rustix::io::read(&file, &mut page))?;
            bytes.extend_from_slice(page.get(..length).unwrap_or_default());
            if bytes.len() > MOST {
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    "it has more than 2 GiB",
                ));
            }
            if length == 0 || whole && length < page.len() {
                break;
            }
        }
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    fn read_bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(self.real(path))
    }

    fn modified(&self, path: &Path) -> io::Result<i64> {
        Ok(rustix::fs::stat(self.real(path))?.st_mtime)
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        self.must_be_live()?;
        let mut file = OpenOptions::new().write(true).open(self.real(path))?;
        let written = file.write(text.as_bytes())?;
        if written != text.len() {
            return Err(io::Error::new(io::ErrorKind::WriteZero, "written in part"));
        }
        Ok(())
    }

    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        self.must_be_live()?;
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        let mut file = File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn Any>> {
        self.must_be_live()?;
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        let file = File::create(path)?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(Box::new(file))
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Any>>> {
        self.must_be_live()?;
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        let file = File::create(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn make_dir(&self, path: &Path) -> io::Result<()> {
        self.must_be_live()?;
        fs::create_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.must_be_live()?;
        fs::remove_dir(path)
    }

    fn follow(&self, path: &Path) -> io::Result<Box<dyn Follow>> {
        self.must_be_live()?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Box::new(Followed(file)))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.must_be_live()?;
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.real(dir))? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let found = fs::canonicalize(self.real(path))?;
        if !self.is_copy() {
            return Ok(found);
        }
        let root = fs::canonicalize(&self.root)?;
        let inside = found.strip_prefix(&root).map_err(io::Error::other)?;
        Ok(Path::new("/").join(inside))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(self.real(path))
    }

    fn exists(&self, path: &Path) -> bool {
        self.real(path).exists()
    }

    fn is_program(&self, path: &Path) -> bool {
        let path = self.real(path);
        path.is_file() && access(&path, Access::EXEC_OK).is_ok()
    }

    fn run(&self, program: &Program) -> io::Result<Ran> {
        self.must_be_live()?;
        self.must_not_be_stuck(program)?;
        let mut command = Command::new(&program.name);
        command.args(&program.args);
        if program.limit.is_some() {
            command.process_group(0);
        }
        if program.interactive {
            let status = command.status()?;
            return Ok(Ran {
                status: status_of(status),
                ..Ran::default()
            });
        }
        // Not pipes: a process that the program leaves behind may hold these open for ever.
        let (stdout, stderr) = (in_memory()?, in_memory()?);
        command
            .stdin(if program.input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(stdout.try_clone()?)
            .stderr(stderr.try_clone()?);
        let mut child = command.spawn()?;
        // What is fed to a program is a mail or a table: less than a pipe holds, or it reads all first.
        if let (Some(input), Some(mut pipe)) = (&program.input, child.stdin.take()) {
            match pipe.write_all(input.as_bytes()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
                other => other?,
            }
        }
        let status = match program.limit {
            None => child.wait()?,
            Some(limit) => match wait_until_killed(&mut child, limit)? {
                Waited::Ended(status) => status,
                Waited::Killed => return Err(io::ErrorKind::TimedOut.into()),
                Waited::Stuck => {
                    self.stuck().push((program.clone(), child));
                    return Err(io::ErrorKind::TimedOut.into());
                }
            },
        };
        Ok(Ran {
            status: status_of(status),
            stdout: content(stdout)?,
            stderr: content(stderr)?,
        })
    }

    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::system()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn wait(&self, files: &[&Path], most: Duration) -> io::Result<bool> {
        let mut open = Vec::new();
        for path in files {
            let mut file = File::open(self.real(path))?;
            // Only what changes after a read is announced.
            file.read_to_end(&mut Vec::new())?;
            open.push(file);
        }
        let mut fds: Vec<_> = open
            .iter()
            .map(|file| PollFd::new(file, PollFlags::PRI | PollFlags::ERR))
            .collect();
        let time = Timespec::try_from(most).map_err(io::Error::other)?;
        match poll(&mut fds, Some(&time)) {
            Ok(changed) => Ok(changed > 0),
            // A signal: whoever waits looks whether it shall end.
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn uevents(&self) -> io::Result<Box<dyn Uevents>> {
        self.must_be_live()?;
        Ok(Box::new(uevent::Socket::open()?))
    }

    fn events(&self, listen: Option<SocketAddr>) -> io::Result<Box<dyn Events>> {
        self.must_be_live()?;
        Ok(Box::new(daemon::Sources::open(listen)?))
    }

    fn notify(&self, state: &str) -> io::Result<()> {
        daemon::notify(state)
    }

    fn watchdog(&self) -> Option<Duration> {
        daemon::watchdog()
    }

    fn database(&self, path: &Path, write: bool) -> rusqlite::Result<Connection> {
        let flags = if write && !self.is_copy() {
            if let Some(dir) = path.parent() {
                // If that fails, so does what follows, and says why.
                let _ = fs::create_dir_all(dir);
            }
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        let connection =
            Connection::open_with_flags(self.real(path), flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(BUSY)?;
        Ok(connection)
    }

    fn is_root(&self) -> bool {
        rustix::process::geteuid().is_root()
    }

    fn ask(&self, question: &str) -> io::Result<Option<String>> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Ok(None);
        }
        // On stderr: stdout may go to a file.
        let mut err = io::stderr();
        write!(err, "{question}")?;
        err.flush()?;
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line)?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    }

    fn pid(&self) -> u32 {
        std::process::id()
    }

    fn stop_asked(&self) -> io::Result<Arc<AtomicBool>> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
        }
        Ok(flag)
    }
}

struct Followed(OwnedFd);

/// So much at a time: more comes with the next call.
const FOLLOWED: usize = 256 * 1024;

impl Follow for Followed {
    fn more(&mut self) -> io::Result<String> {
        let mut page = [0; 4096];
        let mut bytes = Vec::new();
        while bytes.len() < FOLLOWED {
            match rustix::io::retry_on_intr(|| rustix::io::read(&self.0, &mut page)) {
                Ok(0) | Err(rustix::io::Errno::AGAIN) => break,
                Ok(length) => bytes.extend_from_slice(page.get(..length).unwrap_or_default()),
                Err(error) => return Err(error.into()),
            }
        }
        // Of names of processes the kernel does not ask that they are text.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

enum Waited {
    Ended(ExitStatus),
    Killed,
    Stuck,
}

/// A program that is asked to end has so long for it, and so has one that is killed.
const GRACE: Duration = Duration::from_secs(2);

/// For so long; then it is asked to end, and killed. `child` leads its own process group.
fn wait_until_killed(child: &mut Child, limit: Duration) -> io::Result<Waited> {
    if let Some(status) = wait_for(child, limit)? {
        return Ok(Waited::Ended(status));
    }
    for signal in [Signal::TERM, Signal::KILL] {
        // Not reaped yet, so that the number is still its own.
        if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(pid, signal);
        }
        if wait_for(child, GRACE)?.is_some() {
            return Ok(Waited::Killed);
        }
    }
    Ok(Waited::Stuck)
}

fn wait_for(child: &mut Child, most: Duration) -> io::Result<Option<ExitStatus>> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidData)?;
    let end = Instant::now() + most;
    let ends = pidfd_open(pid, PidfdFlags::empty())?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let time = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&ends, PollFlags::IN)], Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn in_memory() -> io::Result<File> {
    Ok(rustix::fs::memfd_create("paradm", MemfdFlags::CLOEXEC)?.into())
}

fn content(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn status_of(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_read_and_never_written() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sys")).unwrap();
        fs::write(dir.path().join("sys/file"), "5\n").unwrap();
        let system = RealSystem::below(dir.path());
        let path = Path::new("/sys/file");
        assert_eq!(system.read(path).unwrap(), "5\n");
        assert_eq!(system.list(Path::new("/sys")).unwrap(), ["file"]);
        assert_eq!(system.resolve(path).unwrap(), path);
        assert!(system.write(path, "3").is_err());
        assert!(system.run(&Program::new("true", [""; 0])).is_err());
        assert_eq!(
            fs::read_to_string(dir.path().join("sys/file")).unwrap(),
            "5\n"
        );
    }

    #[test]
    fn files_of_any_length_are_read_whole() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sys")).unwrap();
        let system = RealSystem::below(dir.path());
        for length in [0, 1, 4095, 4096, 4097, 20_000] {
            for file in ["/sys/file", "/file"] {
                let text = "x".repeat(length);
                fs::write(system.real(Path::new(file)), &text).unwrap();
                assert_eq!(system.read(Path::new(file)).unwrap(), text);
            }
        }
        fs::write(dir.path().join("file"), b"\xff").unwrap();
        let error = system.read(Path::new("/file")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_file_is_followed_without_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        fs::write(&path, "one\n").unwrap();
        let system = RealSystem::new();
        let mut followed = system.follow(&path).unwrap();
        assert_eq!(followed.more().unwrap(), "one\n");
        assert_eq!(followed.more().unwrap(), "");
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"two\n\xff").unwrap();
        assert_eq!(followed.more().unwrap(), "two\n\u{fffd}");
        drop(followed);
        let sub = dir.path().join("instance");
        system.make_dir(&sub).unwrap();
        assert!(system.make_dir(&sub).is_err());
        system.remove_dir(&sub).unwrap();
        assert!(!sub.exists());
    }

    #[test]
    fn signals_ask_to_stop_and_no_more() {
        let system = RealSystem::new();
        let flag = system.stop_asked().unwrap();
        let me = rustix::process::getpid();
        rustix::process::kill_process(me, rustix::process::Signal::TERM).unwrap();
        let end = Instant::now() + Duration::from_secs(10);
        while !flag.load(std::sync::atomic::Ordering::Relaxed) {
            assert!(Instant::now() < end);
            std::thread::yield_now();
        }
    }

    #[test]
    fn programs_are_run_to_their_end() {
        let system = RealSystem::new();
        let mut cat = Program::new("cat", [""; 0]);
        cat.input = Some("a line\n".to_owned());
        assert_eq!(system.run(&cat).unwrap().stdout, "a line\n");
        let killed = system
            .run(&Program::new("sh", ["-c", "kill -9 $$"]))
            .unwrap();
        assert_eq!(killed.status, 137);
        // What it leaves running, with its output still open, is not waited for.
        let began = Instant::now();
        let left = "sleep 60 & echo $!; echo wrong >&2; exit 3";
        let left = system.run(&Program::new("sh", ["-c", left])).unwrap();
        assert_eq!((left.status, left.stderr.as_str()), (3, "wrong\n"));
        assert!(began.elapsed() < Duration::from_secs(50));
        system
            .run(&Program::new("kill", [left.stdout.trim()]))
            .unwrap();
        let absent = system.run(&Program::new("no-such-program", [""; 0]));
        assert_eq!(absent.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed_with_what_it_has_started() {
        let system = RealSystem::new();
        let dir = tempfile::tempdir().unwrap();
        let pids = dir.path().join("pids");
        let line = format!(
            "trap '' TERM; sleep 60 & echo $! >{}; wait; wait",
            pids.display()
        );
        let mut hangs = Program::new("sh", ["-c", line.as_str()]);
        hangs.limit = Some(Duration::from_secs(1));
        let began = Instant::now();
        assert_eq!(
            system.run(&hangs).unwrap_err().kind(),
            io::ErrorKind::TimedOut
        );
        assert!((1..20).contains(&began.elapsed().as_secs()));
        let started = fs::read_to_string(&pids).unwrap();
        let stat = || fs::read_to_string(format!("/proc/{}/stat", started.trim()));
        while stat().is_ok_and(|stat| !stat.contains(") Z ")) {
            assert!(began.elapsed().as_secs() < 30, "it goes on");
        }
        let mut quick = Program::new("sh", ["-c", "exit 3"]);
        quick.limit = Some(Duration::from_secs(50));
        assert_eq!(system.run(&quick).unwrap().status, 3);
        assert!(began.elapsed() < Duration::from_secs(40));
    }

    /// As a process that waits for a device which does not answer.
    #[test]
    fn what_cannot_be_killed_is_left_alone_until_it_has_ended() {
        let system = RealSystem::new();
        let program = Program::new("sleep", ["60"]);
        let child = Command::new("sleep").arg("60").spawn().unwrap();
        system.stuck().push((program.clone(), child));
        assert_eq!(
            system.run(&program).unwrap_err().kind(),
            io::ErrorKind::ResourceBusy
        );
        assert_eq!(
            system.run(&Program::new("true", [""; 0])).unwrap().status,
            0
        );
        system.stuck()[0].1.kill().unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        while system.must_not_be_stuck(&program).is_err() {
            assert!(Instant::now() < end);
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(system.stuck().is_empty());
    }
}
