// SPDX-License-Identifier: GPL-2.0
//! A simulated tracefs: instances with the files that the kernel would make, and their pipes. What
//! a filter lets through, only the kernel knows: tests say which lines come.

use super::{SimSystem, World};
use crate::system::Follow;
use std::io;
use std::path::{Path, PathBuf};

/// That of paradm itself.
pub const PID: u32 = 4711;
const ROOT: &str = "/sys/kernel/tracing";
/// Files of an instance that paradm may write.
const FILES: [&str; 2] = ["buffer_size_kb", "tracing_on"];

impl World {
    /// The kernel has tracefs, with these events: `block/block_bio_queue`, …
    pub fn add_tracing(&mut self, events: &[&str]) {
        self.tree.dir(Path::new(ROOT).join("instances"));
        for event in events {
            self.plant_event(Path::new(ROOT), event);
        }
    }

    fn plant_event(&mut self, dir: &Path, event: &str) {
        let event = dir.join("events").join(event);
        self.tree.file(event.join("enable"), "0\n");
        self.tree.file(event.join("filter"), "none\n");
    }

    /// The names of instances that there are.
    pub fn instances(&self) -> Vec<String> {
        let dir = Path::new(ROOT).join("instances");
        self.tree.list(&dir).unwrap_or_default()
    }

    /// A line of that event, for whoever has enabled it: `dd-913 [000] ..... 1.25: block_bio_queue: …`.
    pub fn trace(&mut self, event: &str, line: &str) {
        for name in self.instances() {
            let dir = Path::new(ROOT).join("instances").join(name);
            let enabled = self
                .tree
                .read(&dir.join("events").join(event).join("enable"));
            if enabled.is_ok_and(|text| text.trim() == "1") {
                let pipe = self.pipes.entry(dir.join("trace_pipe")).or_default();
                pipe.push_str(line);
                pipe.push('\n');
            }
        }
    }

    pub(super) fn make_dir(&mut self, path: &Path) -> io::Result<()> {
        if !self.root {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if self.tree.exists(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.tree.dir(path);
        if path.parent() == Some(&Path::new(ROOT).join("instances")) {
            self.plant_instance(path);
        }
        Ok(())
    }

    fn plant_instance(&mut self, dir: &Path) {
        let events = Path::new(ROOT).join("events");
        for system in self.tree.list(&events).unwrap_or_default() {
            for event in self.tree.list(&events.join(&system)).unwrap_or_default() {
                self.plant_event(dir, &format!("{system}/{event}"));
            }
        }
        for file in FILES {
            self.tree.file(dir.join(file), "1\n");
        }
        self.tree.file(dir.join("trace_pipe"), "");
    }

    pub(super) fn remove_dir(&mut self, path: &Path) -> io::Result<()> {
        if !self.tree.exists(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.tree.remove(path);
        self.pipes.retain(|pipe, _| !pipe.starts_with(path));
        Ok(())
    }
}

struct Pipe {
    sim: SimSystem,
    path: PathBuf,
}

pub(super) fn follow(sim: &SimSystem, path: &Path) -> io::Result<Box<dyn Follow>> {
    let world = sim.world();
    if !world.tree.exists(path) {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(Box::new(Pipe {
        sim: sim.clone(),
        path: path.to_owned(),
    }))
}

impl Follow for Pipe {
    fn more(&mut self) -> io::Result<String> {
        Ok(self
            .sim
            .world()
            .pipes
            .remove(&self.path)
            .unwrap_or_default())
    }
}
