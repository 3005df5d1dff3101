// SPDX-License-Identifier: GPL-2.0
//! Runs paradm on a terminal that is not there: a pseudo-terminal, whose screen the test sees.
//!
//! paradm runs in a process of its own, for the terminal's sake: this test program once more, of
//! which [`on_the_terminal`] does as paradm's main() on a simulated system. What is to happen to
//! that system comes over a socket.

use paradm::cli;
use paradm::sim::SimSystem;
use pty_process::blocking::{Command, Pty, open};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);
/// How a frame ends: synchronized output is over.
const FRAME_END: &[u8] = b"\x1b[?2026l";
const LINE: &str = "PARADM_TEST_LINE";
const SOCKET: &str = "PARADM_TEST_SOCKET";

/// What the terminal shows. `framed` is the screen as it was when the last frame was complete.
pub struct Shown {
    parser: vt100::Parser,
    pub framed: Option<vt100::Screen>,
    pub frames: u64,
    hung_up: bool,
}

pub struct Terminal {
    child: Child,
    pty: Arc<Pty>,
    shown: Arc<(Mutex<Shown>, Condvar)>,
    world: UnixStream,
    _dir: tempfile::TempDir,
}

/// What `on_the_terminal` may be told to do to its simulated system.
pub type Do = fn(&SimSystem, &str);

impl Terminal {
    /// `line`: as typed after `paradm`, on the system that `make` of on_the_terminal() makes.
    pub fn run(line: &str, rows: u16, columns: u16, envs: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("socket");
        let listener = UnixListener::bind(&socket).unwrap();
        let (pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(rows, columns)).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "watch::on_the_terminal",
                "--ignored",
                "--nocapture",
            ])
            .env_remove("NO_COLOR")
            .env("RUST_BACKTRACE", "0")
            .env("TERM", "xterm-256color")
            .env(LINE, line)
            .env(SOCKET, &socket);
        for (name, value) in envs {
            command = command.env(name, value);
        }
        let child = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let shown = Arc::new((Mutex::new(Shown::new(rows, columns)), Condvar::new()));
        follow(pty.clone(), shown.clone());
        let (world, _) = listener.accept().unwrap();
        world.set_read_timeout(Some(PATIENCE)).unwrap();
        Terminal {
            child,
            pty,
            shown,
            world,
            _dir: dir,
        }
    }

    pub fn type_keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// To the simulated system; it is done when this returns.
    pub fn tell(&mut self, what: &str) {
        writeln!(self.world, "{what}").unwrap();
        let mut answer = [0; 3];
        self.world.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"ok\n");
    }

    pub fn resize(&self, rows: u16, columns: u16) {
        let mut shown = self.lock();
        shown.parser.set_size(rows, columns);
        shown.framed = None;
        drop(shown);
        self.pty
            .resize(pty_process::Size::new(rows, columns))
            .unwrap();
    }

    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.shown.0.lock().unwrap()
    }

    fn wait(&self, what: &str, mut there: impl FnMut(&Shown) -> bool) -> MutexGuard<'_, Shown> {
        let end = Instant::now() + PATIENCE;
        let mut shown = self.lock();
        while !there(&shown) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{what} is not on the screen:\n{}",
                shown.all()
            );
            shown = self.shown.1.wait_timeout(shown, left).unwrap().0;
        }
        shown
    }

    /// The first complete frame that has `text`.
    pub fn screen_with(&self, text: &str) -> vt100::Screen {
        let shown = self.wait(text, |shown| {
            let screen = shown.framed.as_ref();
            screen.is_some_and(|screen| screen.contents().contains(text))
        });
        shown.framed.clone().unwrap()
    }

    /// The first complete frame after `keys` were typed.
    pub fn after(&self, keys: &str) -> vt100::Screen {
        let before = self.lock().frames;
        self.type_keys(keys);
        let shown = self.wait(keys, |shown| shown.frames > before);
        shown.framed.clone().unwrap()
    }

    /// How it ends, and what is on the terminal then.
    pub fn end(mut self) -> (ExitStatus, vt100::Screen) {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "paradm does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        let shown = self.wait("the end", |shown| shown.hung_up);
        (status, shown.parser.screen().clone())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Shown {
    fn new(rows: u16, columns: u16) -> Self {
        Shown {
            parser: vt100::Parser::new(rows, columns, 0),
            framed: None,
            frames: 0,
            hung_up: false,
        }
    }

    fn all(&self) -> String {
        text(self.parser.screen())
    }
}

/// Reads what comes to the terminal until nobody has it open any more.
fn follow(pty: Arc<Pty>, shown: Arc<(Mutex<Shown>, Condvar)>) {
    std::thread::spawn(move || {
        let mut rest = Vec::new();
        let mut bytes = [0; 4096];
        loop {
            let read = match (&*pty).read(&mut bytes) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => 0,
            };
            rest.extend_from_slice(&bytes[..read]);
            let mut shown_now = shown.0.lock().unwrap();
            while let Some(at) = find(&rest, FRAME_END) {
                let frame: Vec<u8> = rest.drain(..at + FRAME_END.len()).collect();
                shown_now.parser.process(&frame);
                shown_now.framed = Some(shown_now.parser.screen().clone());
                shown_now.frames += 1;
            }
            if read == 0 {
                shown_now.parser.process(&rest);
                shown_now.hung_up = true;
            }
            shown.1.notify_all();
            if read == 0 {
                break;
            }
        }
    });
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Row by row, between bars.
pub fn text(screen: &vt100::Screen) -> String {
    let (_, columns) = screen.size();
    let mut text = String::new();
    for row in screen.rows(0, columns) {
        writeln!(text, "|{row:width$}|", width = usize::from(columns)).unwrap();
    }
    text
}

/// The other process: paradm as the parent has asked for it, on what `make` makes.
pub fn be_paradm(make: fn() -> SimSystem, act: Do) {
    // By hand it is one test more that has nothing to do.
    let (Some(line), Some(socket)) = (std::env::var_os(LINE), std::env::var_os(SOCKET)) else {
        return;
    };
    let sim = make();
    let world = sim.clone();
    let stream = UnixStream::connect(Path::new(&socket)).unwrap();
    std::thread::spawn(move || {
        let mut answers = stream.try_clone().unwrap();
        for order in BufReader::new(stream).lines() {
            act(&world, &order.unwrap());
            answers.write_all(b"ok\n").unwrap();
        }
    });
    let words = line.to_str().unwrap().split_ascii_whitespace();
    let code = cli::run_here(words.map(OsString::from), &sim);
    std::process::exit(code.into());
}
