// SPDX-License-Identifier: GPL-2.0

use raid_tracer::trace::merge::{Merged, Met, Source, WINDOW};
use raid_tracer::trace::{Devices, Event, Format, Op};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{fs, io::Write};
use tempfile::TempDir;

/// What the program has left behind.
pub struct Left {
    pub code: i32,
    pub out: String,
    pub err: String,
}

pub struct World {
    pub dir: TempDir,
}

impl World {
    pub fn new() -> Self {
        World {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Files that there are, but hidden ones of the test.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    /// Each of these ends with this exit code and one line with these words, and neither prints nor leaves anything.
    pub fn refuses(&self, cases: &[(&str, i32, &str)]) {
        let files = self.files();
        for (args, code, words) in cases {
            let left = self.run(args);
            assert_eq!(left.code, *code, "{args}: {}", left.err);
            says(&left.err, words);
            assert_eq!(
                (left.err.lines().count(), left.out.as_str()),
                (1, ""),
                "{args}: {}",
                left.err
            );
            assert_eq!(self.files(), files, "{args}");
        }
    }

    /// `args` between spaces; the program runs in the directory.
    pub fn run(&self, args: &str) -> Left {
        self.run_with(args, b"")
    }

    pub fn run_with(&self, args: &str, input: &[u8]) -> Left {
        let args: Vec<_> = args.split_ascii_whitespace().collect();
        let mut child = self.start_args(&args);
        // It may have ended without reading.
        let _ = child.stdin.take().unwrap().write_all(input);
        end(child)
    }

    /// Arguments that have spaces.
    pub fn run_args(&self, args: &[&str]) -> Left {
        end(self.start_args(args))
    }

    pub fn start_args(&self, args: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_raid-tracer"))
            .args(args)
            .current_dir(self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

pub fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(name)
}

pub fn source(path: PathBuf) -> Source {
    Source {
        paths: vec![path],
        format: None,
        device: None,
        window: WINDOW,
    }
}

pub fn read(
    source: &Source,
) -> raid_tracer::error::Result<(Vec<Event>, Met, Vec<Format>, Devices)> {
    let mut merged = Merged::open(source)?;
    let mut events = Vec::new();
    while let Some(event) = merged.next_event()? {
        events.push(event);
    }
    Ok((events, merged.met, merged.formats, merged.devices))
}

pub fn event(at: u64, op: Op, sector: u64, bytes: u32) -> Event {
    Event {
        at,
        op,
        device: 0,
        sector,
        bytes,
    }
}

/// The corpus' six requests.
pub fn six() -> Vec<Event> {
    vec![
        event(0, Op::Write, 2048, 4096),
        event(1_000_000, Op::Read, 8, 512),
        event(1_000_000, Op::Read, 16, 65_536),
        event(250_000_000, Op::Flush, 0, 0),
        event(250_001_000, Op::Write, 4096, 131_072),
        event(3_600_000_000_000, Op::Read, 1_953_525_160, 4096),
    ]
}

/// One line of this program's, which has these words.
pub fn says(err: &str, words: &str) {
    assert!(
        err.lines()
            .any(|line| line.starts_with("raid-tracer: ") && line.contains(words)),
        "{words:?}: {err}"
    );
}

/// The program, in the background.
pub fn start(world: &World, args: &str) -> Child {
    let args: Vec<_> = args.split_ascii_whitespace().collect();
    world.start_args(&args)
}

pub fn end(child: Child) -> Left {
    let left = child.wait_with_output().unwrap();
    Left {
        code: left.status.code().unwrap(),
        out: String::from_utf8_lossy(&left.stdout).into_owned(),
        err: String::from_utf8(left.stderr).unwrap(),
    }
}

/// By Ctrl-C.
pub fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &pid]).status();
    assert!(killed.unwrap().success());
}
