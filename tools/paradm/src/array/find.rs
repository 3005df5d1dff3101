// SPDX-License-Identifier: GPL-2.0
//! Which par arrays run, and which one is meant.

use super::{Array, par_dir};
use crate::error::{Error, Result};
use crate::system::{Files, System};
use std::num::NonZero;
use std::path::Path;
use std::thread;

/// The par arrays that run, by name: md2 before md10.
pub fn names(system: &dyn System) -> Result<Vec<String>> {
    let mut names = system.names(Path::new("/sys/block"))?;
    // md's names all begin so: other devices, of which there may be hundreds, are not looked at.
    names.retain(|name| name.starts_with("md") && system.exists(&par_dir(name)));
    names.sort_by_key(|name| (name.len(), name.clone()));
    Ok(names)
}

/// All of them. One that is stopped meanwhile is left out.
pub fn all(system: &dyn System) -> Result<Vec<Array>> {
    let mut arrays = Vec::new();
    for result in read_each(system, &names(system)?) {
        match result {
            Ok(array) => arrays.push(array),
            Err(Error::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(arrays)
}

/// A large array has hundreds of files: several arrays are read at a time, on all CPUs.
fn read_each(system: &dyn System, names: &[String]) -> Vec<Result<Array>> {
    let read = |names: &[String]| -> Vec<_> {
        names.iter().map(|name| Array::read(system, name)).collect()
    };
    if names.len() < 2 {
        return read(names);
    }
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let share = names.len().div_ceil(cpus);
    thread::scope(|scope| {
        let threads: Vec<_> = names
            .chunks(share)
            .map(|some| scope.spawn(|| read(some)))
            .collect();
        let ends = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ends.flat_map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The one that is given, or all.
pub fn some(system: &dyn System, given: Option<&str>) -> Result<Vec<Array>> {
    match given {
        None => all(system),
        Some(_) => {
            let name = named(system, given)?;
            Ok(vec![Array::read(system, &name)?])
        }
    }
}

/// The name of the array that the user means by `md0`, `/dev/md0` or a link such as
/// `/dev/md/home`. Without `given`, the only one that runs.
pub fn named(system: &dyn System, given: Option<&str>) -> Result<String> {
    let Some(given) = given else {
        return only(system);
    };
    let name = meant(system, given).filter(|name| system.exists(&par_dir(name)));
    name.ok_or_else(|| no_such(system, given))
}

fn only(system: &dyn System) -> Result<String> {
    let names = names(system)?;
    match names.as_slice() {
        [name] => Ok(name.clone()),
        [] => Err(Error::NotFound("no par array runs here".to_owned())),
        several => Err(Error::Usage(format!(
            "there are several par arrays, name one: {}",
            several.join(" ")
        ))),
    }
}

/// The name as in /sys/block, whether such an array runs or not. A path is a device's, or a link to one: `None` for any other, whatever its last part is called. A
/// copy of a system's files has no /dev, so that a device need not be there.
pub fn meant(system: &dyn System, given: &str) -> Option<String> {
    let path = Path::new(given);
    if !given.contains('/') {
        return Some(path.file_name()?.to_string_lossy().into_owned());
    }
    let path = system.resolve(path).unwrap_or_else(|_| path.to_owned());
    let is_device = path.parent() == Some(Path::new("/dev"));
    is_device.then(|| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    })?
}

pub(super) fn no_such(system: &dyn System, given: &str) -> Error {
    let there = match names(system) {
        Ok(names) if !names.is_empty() => format!("there are: {}", names.join(" ")),
        _ => "there is none".to_owned(),
    };
    Error::NotFound(format!("{given} is not a running par array; {there}"))
}
