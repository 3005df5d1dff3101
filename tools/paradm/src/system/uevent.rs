// SPDX-License-Identifier: GPL-2.0
//! The kernel's uevents, from a netlink socket. Listening needs no rights and wakes nothing.

use super::Uevents;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::netlink::{KOBJECT_UEVENT, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// One of the kernel's events: `change` of `/devices/virtual/block/md0`, and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Uevent {
    pub action: String,
    pub path: String,
    pub values: BTreeMap<String, String>,
}

impl Uevent {
    /// `None` if it is not one of the kernel's: udev's own begin with another word.
    pub fn parse(message: &[u8]) -> Option<Self> {
        let mut fields = message
            .split(|byte| *byte == 0)
            .map(String::from_utf8_lossy);
        let head = fields.next()?;
        let (action, path) = head.split_once('@')?;
        let values = fields
            .filter_map(|field| {
                let (key, value) = field.split_once('=')?;
                Some((key.to_owned(), value.to_owned()))
            })
            .collect();
        Some(Uevent {
            action: action.to_owned(),
            path: path.to_owned(),
            values,
        })
    }

    pub fn value(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// The array that it is about, if it is an event of raid-par's.
    pub fn par_array(&self) -> Option<&str> {
        self.value("PAR_EVENT")?;
        self.value("DEVNAME")
    }
}

pub(super) struct Socket(OwnedFd);

/// Of the multicast groups, the kernel's own.
const KERNEL_GROUP: u32 = 1;
/// The kernel's limit of a message, and some.
const MESSAGE: usize = 16 * 1024;

impl Socket {
    pub(super) fn open() -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let kind = Some(KOBJECT_UEVENT);
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, kind)?;
        bind(&socket, &SocketAddrNetlink::new(0, KERNEL_GROUP))?;
        Ok(Socket(socket))
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Socket {
    /// The next one that is there already.
    pub(super) fn take(&mut self) -> io::Result<Option<Uevent>> {
        let mut message = [0; MESSAGE];
        loop {
            let len = match recv(&self.0, &mut message[..], RecvFlags::empty()) {
                Err(rustix::io::Errno::AGAIN) => return Ok(None),
                // Events were lost: whoever listens looks at the files anyway.
                Err(rustix::io::Errno::NOBUFS | rustix::io::Errno::INTR) => continue,
                other => other?.0,
            };
            if let Some(event) = message.get(..len).and_then(Uevent::parse) {
                return Ok(Some(event));
            }
        }
    }
}

impl Uevents for Socket {
    fn next(&mut self, most: Duration) -> io::Result<Option<Uevent>> {
        let end = std::time::Instant::now() + most;
        loop {
            if let Some(event) = self.take()? {
                return Ok(Some(event));
            }
            let left = end.saturating_duration_since(std::time::Instant::now());
            let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
            let time = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut fds, Some(&time)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
                other => other?,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_event_of_raid_par() {
        let event = Uevent::parse(
            b"change@/devices/virtual/block/md0\0ACTION=change\0DEVNAME=md0\0PAR_EVENT=wake\0PAR_CAUSE=process dd[9]\0",
        )
        .unwrap();
        assert_eq!(event.action, "change");
        assert_eq!(event.par_array(), Some("md0"));
        assert_eq!(event.value("PAR_CAUSE"), Some("process dd[9]"));
    }

    #[test]
    fn udev_s_own_are_none() {
        assert_eq!(Uevent::parse(b"libudev\0\xfe\xed\xca\xfe"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed_or_refused(bytes: Vec<u8>) {
            let _ = Uevent::parse(&bytes);
        }
    }
}
