// SPDX-License-Identifier: GPL-2.0
//! What a daemon waits for, and how it tells the service manager of itself.

use super::{Caller, Events, Happening, uevent};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{self, UnixDatagram, UnixStream};
use std::time::{Duration, Instant};

pub(super) struct Sources {
    uevents: uevent::Socket,
    /// A byte comes for each signal.
    stop: UnixStream,
    reload: UnixStream,
    listener: Option<TcpListener>,
    /// Those that have not sent a whole request yet: nobody waits for them.
    waiting: VecDeque<Waiting>,
}

impl Sources {
    pub(super) fn open(listen: Option<SocketAddr>) -> io::Result<Self> {
        let listener = listen.map(TcpListener::bind).transpose()?;
        if let Some(listener) = &listener {
            listener.set_nonblocking(true)?;
        }
        Ok(Sources {
            uevents: uevent::Socket::open()?,
            stop: signalled(&[SIGTERM, SIGINT])?,
            reload: signalled(&[SIGHUP])?,
            listener,
            waiting: VecDeque::new(),
        })
    }

    /// What is there now.
    fn take(&mut self) -> io::Result<Option<Happening>> {
        if drained(&mut self.stop)? {
            return Ok(Some(Happening::Stop));
        }
        if drained(&mut self.reload)? {
            return Ok(Some(Happening::Reload));
        }
        if let Some(event) = self.uevents.take()? {
            return Ok(Some(Happening::Uevent(event)));
        }
        self.accept();
        Ok(self
            .whole_request()
            .map(|call| Happening::Call(Box::new(call))))
    }

    fn accept(&mut self) {
        let Some(listener) = &self.listener else {
            return;
        };
        // One that is not accepted has gone again, say.
        while let Ok((stream, _)) = listener.accept() {
            if stream.set_nonblocking(true).is_ok() {
                self.waiting.push_back(Waiting::new(stream));
            }
            if self.waiting.len() > CALLERS {
                self.waiting.pop_front();
            }
        }
    }

    /// The first one that there is.
    fn whole_request(&mut self) -> Option<Call> {
        let now = Instant::now();
        self.waiting.retain(|waiting| now < waiting.ends);
        let at = self.waiting.iter_mut().position(Waiting::is_whole)?;
        let Waiting { stream, head, .. } = self.waiting.remove(at)?;
        stream.set_nonblocking(false).ok()?;
        stream.set_write_timeout(Some(PATIENCE)).ok()?;
        let head = String::from_utf8_lossy(&head).into_owned();
        Some(Call { stream, head })
    }
}

impl Events for Sources {
    fn next(&mut self, most: Duration) -> io::Result<Option<Happening>> {
        let end = Instant::now() + most;
        loop {
            if let Some(happening) = self.take()? {
                return Ok(Some(happening));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let mut fds = vec![
                PollFd::new(&self.uevents, PollFlags::IN),
                PollFd::new(&self.stop, PollFlags::IN),
                PollFd::new(&self.reload, PollFlags::IN),
            ];
            if let Some(listener) = &self.listener {
                fds.push(PollFd::new(listener, PollFlags::IN));
            }
            let callers = self.waiting.iter();
            fds.extend(callers.map(|waiting| PollFd::new(&waiting.stream, PollFlags::IN)));
            let time = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut fds, Some(&time)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn signalled(signals: &[i32]) -> io::Result<UnixStream> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    for signal in signals {
        signal_hook::low_level::pipe::register(*signal, theirs.try_clone()?)?;
    }
    Ok(ours)
}

fn drained(stream: &mut UnixStream) -> io::Result<bool> {
    match stream.read(&mut [0; 64]) {
        Ok(length) => Ok(length > 0),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(error) => Err(error),
    }
}

/// A caller has so long to send its request, and to take the answer; the service manager, to take a state.
const PATIENCE: Duration = Duration::from_secs(2);
/// Heads of requests are shorter.
const HEAD: usize = 8192;

/// So many wait at a time; the one that has waited longest makes room.
const CALLERS: usize = 64;

struct Waiting {
    stream: TcpStream,
    head: Vec<u8>,
    ends: Instant,
}

impl Waiting {
    fn new(stream: TcpStream) -> Self {
        Waiting {
            stream,
            head: Vec::new(),
            ends: Instant::now() + PATIENCE,
        }
    }

    /// With what has come: is there a whole request, or the end of it? An error is an end, too.
    fn is_whole(&mut self) -> bool {
        let mut part = [0; 1024];
        loop {
            if self.head.len() >= HEAD || self.head.windows(4).any(|four| four == b"\r\n\r\n") {
                return true;
            }
            match self.stream.read(&mut part) {
                Ok(0) => return true,
                Ok(length) => self
                    .head
                    .extend_from_slice(part.get(..length).unwrap_or_default()),
                Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
            }
        }
    }
}

struct Call {
    stream: TcpStream,
    head: String,
}

impl Caller for Call {
    fn head(&mut self) -> io::Result<String> {
        Ok(std::mem::take(&mut self.head))
    }

    fn answer(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text.as_bytes())?;
        self.stream.shutdown(std::net::Shutdown::Write)
    }
}

/// That this process is alive: the manager has lost nothing if the message is not sent while others wait to be read.
pub(super) const ALIVE: &str = "WATCHDOG=1";

/// sd_notify(3). Without a service manager nothing is sent. A manager that reads nothing is not waited for: for
/// [`ALIVE`] not at all, for other states a moment.
pub(super) fn notify(state: &str) -> io::Result<()> {
    match std::env::var_os("NOTIFY_SOCKET") {
        Some(name) => send(&name, state),
        None => Ok(()),
    }
}

fn send(name: &OsStr, state: &str) -> io::Result<()> {
    let address = match name.as_bytes().split_first() {
        Some((b'@', abstract_name)) => net::SocketAddr::from_abstract_name(abstract_name)?,
        _ => net::SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.set_write_timeout(Some(PATIENCE))?;
    socket.set_nonblocking(state == ALIVE)?;
    match socket.send_to_addr(state.as_bytes(), &address) {
        Err(error) if state == ALIVE && error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        sent => sent.map(|_| ()),
    }
}

/// How often the service manager wants to hear from this process at the least.
pub(super) fn watchdog() -> Option<Duration> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
    let most = number("WATCHDOG_USEC").filter(|most| ours && *most > 0)?;
    Some(Duration::from_micros(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Signal, getpid, kill_process};

    /// A message for each caller, and none read: the daemon served nobody until the manager read again.
    #[test]
    fn a_manager_that_reads_nothing_is_not_waited_for() {
        let path = std::env::temp_dir().join(format!("paradm-notify-{}", std::process::id()));
        let manager = UnixDatagram::bind(&path).unwrap();
        let (told, all_sent) = std::sync::mpsc::channel();
        let name = path.clone();
        std::thread::spawn(move || {
            let alive = (0..2000).all(|_| send(name.as_os_str(), ALIVE).is_ok());
            told.send((alive, send(name.as_os_str(), "READY=1").is_err()))
        });
        let sent = all_sent.recv_timeout(Duration::from_secs(60));
        let _ = std::fs::remove_file(&path);
        assert_eq!(sent, Ok((true, true)));
        drop(manager);
    }

    #[test]
    fn signals_and_callers_end_the_waiting() {
        let listen = "127.0.0.1:0".parse().unwrap();
        let mut sources = Sources::open(Some(listen)).unwrap();
        let long = Duration::from_secs(20);
        assert!(sources.next(Duration::from_millis(1)).unwrap().is_none());
        kill_process(getpid(), Signal::HUP).unwrap();
        assert!(matches!(
            sources.next(long).unwrap(),
            Some(Happening::Reload)
        ));
        kill_process(getpid(), Signal::TERM).unwrap();
        assert!(matches!(sources.next(long).unwrap(), Some(Happening::Stop)));

        let address = sources.listener.as_ref().unwrap().local_addr().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let Some(Happening::Call(mut call)) = sources.next(long).unwrap() else {
            panic!("no call");
        };
        assert!(call.head().unwrap().starts_with("GET /metrics"));
        call.answer("HTTP/1.1 200 OK\r\n\r\nyes").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.ends_with("yes"));
    }
}
