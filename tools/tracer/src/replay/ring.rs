// SPDX-License-Identifier: GPL-2.0
//! Requests to a device by io_uring, with O_DIRECT.
//!
//! Requests to a device that turns are each sent by a thread of the kernel's, because sending may take long: a disk that
//! sleeps starts first, and an array of md that was idle writes its superblocks. So the requests after it are not late.
//! Requests to others are sent at once, and by such a thread only if the device would make the sender wait.

#![allow(unsafe_code)] // memory that the kernel reads and writes

use crate::trace::Op;
use io_uring::squeue::Flags;
use io_uring::types::{Fd, FsyncFlags, SubmitArgs, TimeoutFlags, Timespec};
use io_uring::{IoUring, opcode};
use rustix::fs::{major, minor};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

/// Submitted at a time; more may be in flight.
const ENTRIES: u32 = 1024;
const COMPLETIONS: u32 = 65_536;
/// Threads of the kernel's that wait for devices, each for one request: otherwise it has four for each processor.
const WORKERS: u32 = 1024;
/// What O_DIRECT may want of memory.
const ALIGN: usize = 4096;
/// The number of no request.
const TIMER: u64 = u64::MAX;
const ETIME: i32 = 62;

/// Memory at a multiple of 4 KiB.
#[derive(Debug)]
pub struct Buffer {
    memory: Vec<u8>,
    begin: usize,
    length: usize,
}

impl Buffer {
    pub fn new(length: usize) -> Self {
        let memory = vec![0; length + ALIGN];
        let begin = memory.as_ptr().align_offset(ALIGN).min(ALIGN);
        Buffer {
            memory,
            begin,
            length,
        }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        self.memory
            .get_mut(self.begin..self.begin + self.length)
            .unwrap_or_default()
    }
}

/// A request that has ended: its number, what the kernel says of it, and its buffer, if it had one of its own.
pub struct Ended {
    pub number: u64,
    /// Bytes, or a negative error.
    pub result: i32,
    pub buffer: Option<Buffer>,
}

pub struct Ring {
    ring: IoUring,
    device: File,
    /// Of requests in flight.
    own: HashMap<u64, Buffer>,
    /// Of all reads without one of their own: it is not looked at.
    read: Buffer,
    /// Of all writes without one of their own: zeros.
    written: Buffer,
    /// A thread of the kernel's sends each.
    by_threads: bool,
    unsubmitted: usize,
    flying: u64,
    /// When the last timer ends.
    timer: Option<Duration>,
}

impl Ring {
    /// `largest`: of a request without a buffer of its own, in bytes.
    pub fn new(device: File, largest: usize) -> io::Result<Self> {
        let ring = IoUring::builder()
            .setup_cqsize(COMPLETIONS)
            .build(ENTRIES)?;
        // Linux has this since 5.15.
        let _ = ring
            .submitter()
            .register_iowq_max_workers(&mut [WORKERS, WORKERS]);
        Ok(Ring {
            by_threads: turns(&device),
            ring,
            device,
            own: HashMap::new(),
            read: Buffer::new(largest),
            written: Buffer::new(largest),
            unsubmitted: 0,
            flying: 0,
            timer: None,
        })
    }

    /// Prepare a request; [`Ring::submit`] sends it.
    pub fn put(
        &mut self,
        number: u64,
        op: Op,
        offset: u64,
        bytes: u32,
        buffer: Option<Buffer>,
    ) -> io::Result<()> {
        let fd = Fd(self.device.as_raw_fd());
        let memory = match buffer {
            Some(buffer) => self.own.entry(number).insert_entry(buffer).into_mut(),
            None if op == Op::Write => &mut self.written,
            None => &mut self.read,
        };
        let memory = memory.bytes();
        let length = u32::try_from(memory.len()).unwrap_or(u32::MAX);
        if op != Op::Flush && length < bytes {
            return Err(io::Error::other("a request is larger than its buffer"));
        }
        let memory = memory.as_mut_ptr();
        let entry = match op {
            Op::Read => opcode::Read::new(fd, memory, bytes).offset(offset).build(),
            Op::Write => opcode::Write::new(fd, memory, bytes).offset(offset).build(),
            Op::Flush => opcode::Fsync::new(fd).flags(FsyncFlags::DATASYNC).build(),
        };
        let flags = if self.by_threads {
            Flags::ASYNC
        } else {
            Flags::empty()
        };
        let entry = entry.user_data(number).flags(flags);
        // SAFETY: the device stays open and the buffer stays where it is until the request has ended: both are the ring's,
        // which leaves them where they are if one is in flight when it is dropped, and the buffer is as long as the request.
        while unsafe { self.ring.submission().push(&entry) }.is_err() {
            self.submit()?;
        }
        self.unsubmitted += 1;
        self.flying += 1;
        Ok(())
    }

    pub fn submit(&mut self) -> io::Result<()> {
        while self.unsubmitted > 0 {
            match self.ring.submit() {
                Ok(sent) => self.unsubmitted = self.unsubmitted.saturating_sub(sent),
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Wait for one to end, until a time of CLOCK_MONOTONIC, and for at most so long. It may end early, by a signal.
    ///
    /// The timer is a request of its own, since a wait for a while would begin later than the while was computed.
    pub fn wait(&mut self, until: Option<Duration>, most: Option<Duration>) -> io::Result<()> {
        if let Some(until) = until.filter(|until| self.timer != Some(*until)) {
            let time = Timespec::from(until);
            let entry = opcode::Timeout::new(&time)
                .flags(TimeoutFlags::ABS)
                .build()
                .user_data(TIMER);
            // SAFETY: the kernel has copied the time when it is submitted, below.
            while unsafe { self.ring.submission().push(&entry) }.is_err() {
                self.submit()?;
            }
            self.unsubmitted += 1;
            self.submit()?;
            self.timer = Some(until);
        }
        let time = most.map(Timespec::from);
        let mut args = SubmitArgs::new();
        if let Some(time) = &time {
            args = args.timespec(time);
        }
        match self.ring.submitter().submit_with_args(1, &args) {
            Ok(_) => Ok(()),
            Err(error) if error.raw_os_error() == Some(ETIME) || is_passing(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Those that have ended since.
    pub fn ended(&mut self) -> Vec<Ended> {
        let all = self.ring.completion();
        let all = all.map(|entry| (entry.user_data(), entry.result()));
        let found: Vec<_> = all.filter(|(number, _)| *number != TIMER).collect();
        self.flying -= u64::try_from(found.len()).unwrap_or(self.flying);
        let ended = found.into_iter().map(|(number, result)| Ended {
            number,
            result,
            buffer: self.own.remove(&number),
        });
        ended.collect()
    }
}

impl Drop for Ring {
    /// After an error requests may be in flight: the kernel still uses their memory.
    fn drop(&mut self) {
        if self.flying == 0 {
            return;
        }
        std::mem::forget(std::mem::take(&mut self.own));
        for buffer in [&mut self.read, &mut self.written] {
            std::mem::forget(std::mem::replace(buffer, Buffer::new(0)));
        }
    }
}

/// Is it a disk that turns, a part of one, or an array of such disks?
fn turns(device: &File) -> bool {
    let number = device.metadata().map(|is| is.rdev()).unwrap_or(0);
    let dir = format!("/sys/dev/block/{}:{}", major(number), minor(number));
    // That of a partition's disk is a directory above.
    ["queue", "../queue"].iter().any(|queue| {
        let rotational = std::fs::read_to_string(format!("{dir}/{queue}/rotational"));
        rotational.is_ok_and(|rotational| rotational.trim() == "1")
    })
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::ResourceBusy
    )
}
