// SPDX-License-Identifier: GPL-2.0
//! Recording what a device is asked for, by the kernel's tracing, under a load of our own or of others.
//!
//! The kernel traces each request where it is queued (the event `block_bio_queue`, in a tracing instance of its own, which
//! others do not see). A thread copies its text to a file, which becomes a trace when all is recorded.

use crate::error::{Error, Result};
use crate::replay::ring::Ring;
use crate::synth::{Mode, RATIOS, SIZES};
use crate::trace::merge::{Merged, Source, WINDOW};
use crate::trace::repository::{name_of, place};
use crate::trace::summary::Summary;
use crate::trace::write::{To, Writer, beside};
use crate::trace::{Format, SECTOR};
use rustix::fs::{OFlags, major, minor};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const TRACING: &str = "/sys/kernel/tracing";
const EVENT: &str = "events/block/block_bio_queue";
/// Of each processor: the requests of some 50 ms at a million a second.
const BUFFER_KIB: &str = "8192";
const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct Plan {
    pub device: PathBuf,
    /// The repository.
    pub dir: PathBuf,
    /// Of each trace.
    pub seconds: u64,
    /// In flight.
    pub depth: u64,
    /// Only modes with requests of so many bytes.
    pub size: Option<u32>,
    /// The device may lose what it holds.
    pub destroy: bool,
}

fn refused(what: String) -> Error {
    Error::Refused(what)
}

/// The tracing of one device, until it is dropped.
struct Recorder {
    instance: PathBuf,
    stop: Arc<AtomicBool>,
    copying: Option<JoinHandle<io::Result<()>>>,
}

impl Recorder {
    /// `number`: of the device, as stat(2) has it. The text goes to a file.
    fn start(number: u64, to: File) -> Result<Self> {
        let instance =
            Path::new(TRACING).join(format!("instances/raid-tracer-{}", std::process::id()));
        let failed = |error: io::Error| {
            refused(format!(
                "the kernel's tracing cannot be used ({error}): it needs root, and tracefs at {TRACING}"
            ))
        };
        remove_dead();
        fs::create_dir(&instance).map_err(failed)?;
        let mut recorder = Recorder {
            instance,
            stop: Arc::default(),
            copying: None,
        };
        // As the kernel has it in an event.
        let number = u64::from(major(number)) << 20 | u64::from(minor(number));
        let settings = [
            ("trace_clock", "mono".to_owned()),
            ("buffer_size_kb", BUFFER_KIB.to_owned()),
            (&format!("{EVENT}/filter"), format!("dev == {number}")),
            (&format!("{EVENT}/enable"), "1".to_owned()),
        ];
        for (file, value) in settings {
            fs::write(recorder.instance.join(file), value).map_err(failed)?;
        }
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
        let mut options = OpenOptions::new();
        let pipe = options.read(true).custom_flags(flags);
        let pipe = pipe
            .open(recorder.instance.join("trace_pipe"))
            .map_err(failed)?;
        let stop = Arc::clone(&recorder.stop);
        recorder.copying = Some(std::thread::spawn(move || copy(pipe, to, &stop)));
        Ok(recorder)
    }

    /// All that was traced is in the file.
    fn finish(mut self) -> Result<()> {
        self.end().map_err(|error| Error::write("a trace", error))
    }

    fn end(&mut self) -> io::Result<()> {
        let disabled = fs::write(self.instance.join(EVENT).join("enable"), "0");
        self.stop.store(true, Ordering::Relaxed);
        let copied = self.copying.take().map(JoinHandle::join);
        let removed = fs::remove_dir(&self.instance);
        match copied {
            Some(Ok(copied)) => copied?,
            Some(Err(_)) => return Err(io::Error::other("its thread has died")),
            None => {}
        }
        disabled.and(removed)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if self.copying.is_some() || self.instance.exists() {
            // There is an error to be reported already.
            let _ = self.end();
        }
    }
}

/// Instances of programs like this one that were killed: their events are traced still.
fn remove_dead() {
    let instances = Path::new(TRACING).join("instances");
    for entry in fs::read_dir(instances).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let dead = name
            .strip_prefix("raid-tracer-")
            .is_some_and(|pid| !Path::new("/proc").join(pid).exists());
        if dead {
            // What cannot be removed does no harm but to take time.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Until there is nothing left after `stop`.
fn copy(mut pipe: File, mut to: File, stop: &AtomicBool) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let last = stop.load(Ordering::Relaxed);
        match pipe.read(&mut buffer) {
            Ok(bytes @ 1..) => to.write_all(buffer.get(..bytes).unwrap_or_default())?,
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                return Err(error);
            }
            _ if last => return Ok(()),
            _ => std::thread::sleep(LOOK),
        }
    }
}

/// Its number.
fn block_device(path: &Path) -> Result<u64> {
    let is = fs::metadata(path).map_err(|error| Error::read(path, error))?;
    if !is.file_type().is_block_device() {
        return Err(refused(format!("{} is no block device", path.display())));
    }
    Ok(is.rdev())
}

/// Does it hold a file system, a member of an array, partitions, …? As blkid of util-linux knows them.
fn refuse_signature(path: &Path) -> Result<()> {
    let name = path.display();
    let mut blkid = Command::new("blkid");
    let found = blkid
        .args(["-p", "-o", "value", "-s", "TYPE", "-s", "PTTYPE"])
        .arg(path);
    let found = found.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let found = found.map_err(|error| {
        refused(format!(
            "blkid does not tell whether {name} holds something ({error}); --destroy does not ask"
        ))
    })?;
    match found.status.code() {
        Some(2) => Ok(()),
        _ => {
            let kinds = String::from_utf8_lossy(&found.stdout);
            let kinds: Vec<_> = kinds.split_whitespace().collect();
            let what = if kinds.is_empty() {
                "something".to_owned()
            } else {
                kinds.join(", ")
            };
            Err(refused(format!(
                "{name} holds {what}, which would be destroyed; --destroy allows that"
            )))
        }
    }
}

/// With nobody else on it.
fn open(plan: &Plan) -> Result<File> {
    let path = &plan.device;
    let flags = i32::try_from((OFlags::DIRECT | OFlags::EXCL).bits()).unwrap_or(0);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(flags)
        .open(path);
    let file = file.map_err(|error| match error.kind() {
        io::ErrorKind::ResourceBusy => refused(format!(
            "{} is mounted, or a member of something: nothing was written",
            path.display()
        )),
        _ => Error::read(path, error),
    })?;
    if !plan.destroy {
        refuse_signature(path)?;
    }
    Ok(file)
}

/// Record the peak load of each mode, of those whose traces are not in the repository yet. `done` is called with each
/// trace that is new.
pub fn collect(plan: &Plan, stop: &AtomicBool, done: &mut dyn FnMut(&Path)) -> Result<()> {
    let number = block_device(&plan.device)?;
    let mut device = open(plan)?;
    let failed = |error| Error::read(&plan.device, error);
    let span = device.seek(SeekFrom::End(0)).map_err(failed)?;
    fs::create_dir_all(&plan.dir).map_err(|error| Error::write(plan.dir.display(), error))?;
    let sizes = SIZES
        .into_iter()
        .filter(|size| plan.size.is_none_or(|only| only == *size));
    for bytes in sizes {
        for (random_percent, read_percent) in RATIOS
            .iter()
            .flat_map(|random| RATIOS.map(|reads| (*random, reads)))
        {
            let name = name_of(
                &plan.device.to_string_lossy(),
                u64::from(bytes),
                f64::from(random_percent),
                f64::from(read_percent),
            );
            let path = plan.dir.join(format!("{name}.blktrace"));
            if path.exists() {
                continue;
            }
            let mode = Mode {
                bytes,
                read_percent,
                random_percent,
                seconds: 1_000_000_000,
                span,
                seed: 1,
            };
            let text = beside(&path)?;
            let recorder = Recorder::start(
                number,
                text.reopen()
                    .map_err(|error| Error::write("a trace", error))?,
            )?;
            let sent = send(plan, &mode, device.try_clone().map_err(failed)?, stop)?;
            recorder.finish()?;
            if stop.load(Ordering::Relaxed) {
                return Err(Error::NotDone(
                    "interrupted: the same command goes on with the traces that are not there yet"
                        .to_owned(),
                ));
            }
            let recorded = keep(text.path(), &mut |_| path.clone())?;
            if recorded.1 < sent {
                fs::remove_file(&path).map_err(|error| Error::write(path.display(), error))?;
                return Err(Error::NotDone(format!(
                    "{name}: the kernel has traced {} of {sent} requests, so it was not kept; the same command tries again",
                    recorded.1
                )));
            }
            done(&path);
        }
    }
    Ok(())
}

/// Record for so many seconds what others send. The path and the number of requests; `None`: there was none.
pub fn watch(
    device: &Path,
    dir: &Path,
    seconds: u64,
    stop: &AtomicBool,
) -> Result<Option<(PathBuf, u64)>> {
    let number = block_device(device)?;
    fs::create_dir_all(dir).map_err(|error| Error::write(dir.display(), error))?;
    let text = beside(&dir.join("trace"))?;
    let recorder = Recorder::start(
        number,
        text.reopen()
            .map_err(|error| Error::write("a trace", error))?,
    )?;
    let end = Instant::now() + Duration::from_secs(seconds);
    while !stop.load(Ordering::Relaxed) && Instant::now() < end {
        std::thread::sleep(LOOK.min(end - Instant::now().min(end)));
    }
    recorder.finish()?;
    let name = device
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let kept = keep(text.path(), &mut |is| place(dir, &name, is, "blktrace"))?;
    Ok((kept.1 > 0).then_some(kept))
}

/// Make a trace of the kernel's text; its place depends on what it is. Nothing is made of no requests.
fn keep(text: &Path, to: &mut dyn FnMut(&Summary) -> PathBuf) -> Result<(PathBuf, u64)> {
    let source = Source {
        paths: vec![text.to_owned()],
        format: Some(Format::Ftrace),
        device: None,
        window: WINDOW,
    };
    let looked = crate::trace::summary::look(&source)?;
    if let Some(first) = looked.met.wrong.first.first() {
        return Err(Error::NotDone(format!(
            "the kernel has lost requests, and no trace was made: {first}"
        )));
    }
    let path = to(&looked.summary);
    let count = looked.summary.requests();
    if count > 0 {
        let mut merged = Merged::open(&source)?;
        let mut writer = Writer::create(Some(&path), To::Blktrace)?;
        while let Some(event) = merged.next_event()? {
            writer.write(&event, &merged.devices)?;
        }
        writer.finish()?;
    }
    Ok((path, count))
}

/// As fast as the device takes them, until the time is over. Their number.
fn send(plan: &Plan, mode: &Mode, device: File, stop: &AtomicBool) -> Result<u64> {
    let failed = |error| Error::write(plan.device.display(), error);
    let largest = usize::try_from(mode.bytes).unwrap_or(usize::MAX);
    let mut ring = Ring::new(device, largest).map_err(failed)?;
    let mut requests = mode.requests().map_err(Error::Refused)?;
    let end = Instant::now() + Duration::from_secs(plan.seconds);
    let (mut sent, mut flying) = (0, 0);
    loop {
        let over = stop.load(Ordering::Relaxed) || Instant::now() >= end;
        while !over && flying < plan.depth {
            let Some(one) = requests.next() else { break };
            ring.put(sent, one.op, one.sector * SECTOR, one.bytes, None)
                .map_err(failed)?;
            sent += 1;
            flying += 1;
        }
        ring.submit().map_err(failed)?;
        if flying == 0 {
            return Ok(sent);
        }
        ring.wait(None, Some(Duration::from_secs(1)))
            .map_err(failed)?;
        for one in ring.ended() {
            flying -= 1;
            if u32::try_from(one.result) != Ok(mode.bytes) {
                let error = one
                    .result
                    .checked_neg()
                    .filter(|error| *error > 0)
                    .unwrap_or(5);
                return Err(Error::NotDone(format!(
                    "{}: a request failed, and its trace was not kept: {}",
                    plan.device.display(),
                    io::Error::from_raw_os_error(error)
                )));
            }
        }
    }
}
