// SPDX-License-Identifier: GPL-2.0
//! An instance of tracefs of paradm's own: others' tracing goes on undisturbed, and it vanishes with
//! this value. One whose paradm was killed is taken away by the next.

use super::line::{self, Parsed};
use crate::error::{Error, Result};
use crate::system::{Files, Follow, System};
use std::path::{Path, PathBuf};

/// As systemd mounts it, and as older systems do.
const ROOTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
const NAME: &str = "paradm-who-";
/// KiB of each CPU: what does not fit is lost, and counted.
const BUFFER: &str = "1024";

/// An event, as `block/block_bio_queue`, and which of them the kernel is to let through.
pub type Wanted = (&'static str, String);

pub struct Tracing<'a> {
    system: &'a dyn System,
    dir: PathBuf,
    pipe: Option<Box<dyn Follow>>,
    /// Events that the kernel has.
    pub events: Vec<&'static str>,
    /// The beginning of a line.
    rest: String,
}

impl<'a> Tracing<'a> {
    /// `None`: the kernel has no tracefs, or none of these events.
    pub fn open(system: &'a dyn System, wanted: &[Wanted]) -> Result<Option<Self>> {
        let Some(root) = root(system)? else {
            return Ok(None);
        };
        let instances = root.join("instances");
        remove_orphans(system, &instances);
        let dir = instances.join(format!("{NAME}{}", system.pid()));
        system
            .make_dir(&dir)
            .map_err(|error| Error::write(&dir, "an instance", &error))?;
        let mut tracing = Tracing {
            system,
            dir,
            pipe: None,
            events: Vec::new(),
            rest: String::new(),
        };
        system.put(&tracing.dir.join("buffer_size_kb"), BUFFER)?;
        for (event, filter) in wanted {
            tracing.enable(event, filter)?;
        }
        if tracing.events.is_empty() {
            return Ok(None);
        }
        let pipe = tracing.dir.join("trace_pipe");
        let followed = system.follow(&pipe);
        tracing.pipe = Some(followed.map_err(|error| Error::read(&pipe, error))?);
        Ok(Some(tracing))
    }

    fn enable(&mut self, event: &'static str, filter: &str) -> Result<()> {
        let dir = self.dir.join("events").join(event);
        if !self.system.exists(&dir) {
            return Ok(());
        }
        self.system.put(&dir.join("filter"), filter)?;
        self.system.put(&dir.join("enable"), "1")?;
        self.events.push(event);
        Ok(())
    }

    /// What has happened since.
    pub fn lines(&mut self) -> Result<Vec<Parsed>> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(Vec::new());
        };
        let more = pipe
            .more()
            .map_err(|error| Error::read(&self.dir.join("trace_pipe"), error))?;
        self.rest += &more;
        let Some((whole, rest)) = self.rest.rsplit_once('\n') else {
            return Ok(Vec::new());
        };
        let parsed = whole.lines().filter_map(line::parse).collect();
        self.rest = rest.to_owned();
        Ok(parsed)
    }
}

impl Drop for Tracing<'_> {
    fn drop(&mut self) {
        // An instance whose pipe is open is not removed.
        self.pipe = None;
        let _ = self.system.remove_dir(&self.dir);
    }
}

fn root(system: &dyn System) -> Result<Option<PathBuf>> {
    for root in ROOTS {
        match system.names(&Path::new(root).join("events")) {
            Ok(_) => return Ok(Some(PathBuf::from(root))),
            Err(error) if error.is_absent() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn remove_orphans(system: &dyn System, instances: &Path) {
    for name in system.list(instances).unwrap_or_default() {
        let pid: Option<u32> = name.strip_prefix(NAME).and_then(|pid| pid.parse().ok());
        let Some(pid) = pid else { continue };
        let alive = pid != system.pid() && system.exists(&Path::new("/proc").join(pid.to_string()));
        if !alive {
            let _ = system.remove_dir(&instances.join(name));
        }
    }
}
